//! One tab: a WebSocket, and the world behind it.

use crate::limits::Share;
use crate::outbox::Outbox;
use crate::protocol::ask::{self, Ask, Frame};
use crate::protocol::{VERSION, tell};
use crate::sandbox::{Command, Sandbox, SharedScene, Upload};
use crate::shared::Shared;
use crate::{source, tiles};
use axum::extract::ws::{CloseFrame, Message, WebSocket, close_code};
use serde_json::{Value, json};
use std::sync::mpsc::{SyncSender, TrySendError};
use std::time::Duration;
use tokio::sync::watch;
use waypost::generate::Kind;
use waypost::spec::ALGORITHMS;

/// A page that takes no byte for so long is given up.
const SEND_TIME: Duration = Duration::from_secs(20);
/// How long the connection pauses where its world has enough to do.
const BUSY: Duration = Duration::from_millis(2);

/// Why a connection ends.
enum End {
    /// The page has gone, or does not take what it is sent.
    Gone,
    /// It is closed, with a code and words.
    Closed(u16, String),
}

type Step = Result<(), End>;

/// An upload that is coming in.
struct Coming {
    name: String,
    expected: u64,
    bytes: Vec<u8>,
    packed: bool,
    costs: String,
    share: Share,
}

struct Tab {
    socket: WebSocket,
    world: SyncSender<Command>,
    scene: SharedScene,
    shared: Shared,
    coming: Option<Coming>,
}

/// Serves a tab until it closes, sends what no page sends, or the server stops.
pub async fn serve(mut socket: WebSocket, shared: Shared) {
    let Some(world) = shared.ledger.world() else {
        let words = format!(
            "{} tabs are open; close one of them and reload",
            shared.ledger.limits.worlds
        );
        close(&mut socket, close_code::AGAIN, words).await;
        return;
    };
    let (outbox, mut inbox) = Outbox::new();
    outbox.tell(hello(&shared));
    let scene = SharedScene::default();
    let begun = Sandbox::begin(
        outbox.clone(),
        shared.ledger.clone(),
        shared.given.clone(),
        scene.clone(),
        (world, shared.ticking.clone()),
    );
    let Ok(world) = begun else {
        let words = "the system gives no more threads".to_string();
        close(&mut socket, close_code::AGAIN, words).await;
        return;
    };
    let mut stopped = shared.stopped.clone();
    let mut tab = Tab {
        socket,
        world,
        scene,
        shared,
        coming: None,
    };
    let end = loop {
        let step = tokio::select! {
            message = tab.socket.recv() => tab.receive(message).await,
            answer = inbox.answers.next() => match answer {
                Some(frame) => tab.send(frame).await,
                None => Err(End::Gone),
            },
            changed = inbox.units.changed() => {
                let frame = inbox.units.borrow_and_update().clone();
                match changed {
                    Ok(()) if !frame.is_empty() => tab.send(frame).await,
                    Ok(()) => Ok(()),
                    Err(_) => Err(End::Gone),
                }
            },
            () = until_stopped(&mut stopped) => {
                Err(End::Closed(close_code::AWAY, "the server was stopped".to_string()))
            }
        };
        if outbox.has_ended() {
            break End::Gone;
        }
        if let Err(end) = step {
            break end;
        }
    };
    outbox.end();
    // A world that has too many commands to take this one is awake.
    let _ = tab.world.try_send(Command::End);
    if let End::Closed(code, words) = end {
        close(&mut tab.socket, code, words).await;
    }
}

/// Until the server is told to stop.
pub async fn until_stopped(stopped: &mut watch::Receiver<bool>) {
    // A server that is gone has stopped too.
    let _ = stopped.wait_for(|stopped| *stopped).await;
}

/// What the page has to know before all else.
fn hello(shared: &Shared) -> Vec<u8> {
    let algorithms = ALGORITHMS.iter().map(
        |algorithm| json!({ "name": algorithm.name, "about": algorithm.about, "keys": algorithm.keys }),
    );
    let gallery = source::gallery().into_iter().map(|(title, seeded)| {
        let mut entry = json!(seeded);
        entry["title"] = title.into();
        entry
    });
    let limits = shared.ledger.limits;
    let facts = json!({
        "version": VERSION,
        "algorithms": algorithms.collect::<Vec<Value>>(),
        "gallery": gallery.collect::<Vec<Value>>(),
        "kinds": Kind::ALL.map(Kind::name),
        "given": shared.given.as_ref().map(|given| given.name.clone()),
        "cells": limits.cells, "upload-bytes": limits.upload_bytes, "units": limits.units,
        "part": ask::MAX_PART,
    });
    tell::note("hello", facts)
}

async fn close(socket: &mut WebSocket, code: u16, words: String) {
    // The reason of a closing frame has up to 123 bytes.
    let mut reason = words;
    while reason.len() > 120 {
        reason.pop();
    }
    let frame = CloseFrame {
        code,
        reason: reason.into(),
    };
    let closing = socket.send(Message::Close(Some(frame)));
    // Who does not take it is gone.
    let _ = tokio::time::timeout(Duration::from_secs(1), closing).await;
}

impl Tab {
    async fn send(&mut self, frame: Vec<u8>) -> Step {
        let sending = self.socket.send(Message::Binary(frame.into()));
        match tokio::time::timeout(SEND_TIME, sending).await {
            Ok(Ok(())) => Ok(()),
            _ => Err(End::Gone),
        }
    }

    async fn receive(&mut self, message: Option<Result<Message, axum::Error>>) -> Step {
        match message {
            Some(Ok(Message::Binary(bytes))) => {
                let frame = ask::read(&bytes);
                let frame = frame.map_err(|words| End::Closed(close_code::PROTOCOL, words))?;
                self.take(frame).await
            }
            Some(Ok(Message::Text(_))) => {
                let words = "a frame of text; expected bytes".to_string();
                Err(End::Closed(close_code::UNSUPPORTED, words))
            }
            Some(Ok(Message::Ping(_) | Message::Pong(_))) => Ok(()),
            Some(Ok(Message::Close(_)) | Err(_)) | None => Err(End::Gone),
        }
    }

    async fn take(&mut self, frame: Frame) -> Step {
        match frame {
            Frame::Ask(Ask::Tile { zoom, x, y }) => self.tile(zoom, x, y).await,
            Frame::Ask(Ask::Upload {
                name,
                bytes,
                packed,
                costs,
            }) => self.begin_upload(name, bytes, (packed, costs)).await,
            Frame::Ask(ask) => self.command(Command::Ask(ask)).await,
            Frame::Part(part) => self.add_part(&part).await,
        }
    }

    async fn command(&mut self, mut command: Command) -> Step {
        loop {
            match self.world.try_send(command) {
                Ok(()) => return Ok(()),
                Err(TrySendError::Full(same)) => command = same,
                Err(TrySendError::Disconnected(_)) => return Err(End::Gone),
            }
            tokio::time::sleep(BUSY).await;
        }
    }

    async fn tile(&mut self, zoom: u8, x: u32, y: u32) -> Step {
        let Some(scene) = self.scene.scene() else {
            return Ok(());
        };
        let painted = tokio::task::spawn_blocking(move || tiles::frame(&scene, zoom, x, y));
        match painted.await {
            Ok(frame) => self.send(frame).await,
            Err(_) => Err(End::Gone),
        }
    }

    async fn begin_upload(
        &mut self,
        name: String,
        bytes: u64,
        (packed, costs): (bool, String),
    ) -> Step {
        if self.coming.is_some() || bytes == 0 || name.len() > 1000 {
            let words = "an upload within an upload, or without bytes".to_string();
            return Err(End::Closed(close_code::PROTOCOL, words));
        }
        match self.shared.ledger.upload(bytes) {
            Err(words) => {
                let facts = json!({ "words": words, "about": "upload" });
                self.send(tell::note("trouble", facts)).await
            }
            Ok(share) => {
                self.coming = Some(Coming {
                    name,
                    expected: bytes,
                    bytes: Vec::new(),
                    packed,
                    costs,
                    share,
                });
                self.send(tell::note("upload", json!({}))).await
            }
        }
    }

    async fn add_part(&mut self, part: &[u8]) -> Step {
        let wrong = |words: &str| Err(End::Closed(close_code::PROTOCOL, words.to_string()));
        let Some(coming) = &mut self.coming else {
            return wrong("a part of a file that was not announced");
        };
        let length = coming.bytes.len() as u64 + part.len() as u64;
        if length > coming.expected {
            return wrong("more bytes than were announced");
        }
        if !coming.share.grow(part.len() as u64) {
            return Err(End::Closed(
                close_code::AGAIN,
                "all tabs together upload too much at once; try again later".to_string(),
            ));
        }
        coming.bytes.extend_from_slice(part);
        if length < coming.expected {
            return Ok(());
        }
        let Some(whole) = self.coming.take() else {
            return Ok(());
        };
        let upload = Upload {
            name: whole.name,
            bytes: whole.bytes,
            packed: whole.packed,
            costs: whole.costs,
            share: whole.share,
        };
        self.command(Command::File(upload)).await
    }
}
