//! The world of one connection: its map, strokes and crowd, on a thread of its own.
//!
//! The loop takes what the page asks for, ticks when a tick is due, and shows units as often as a screen can. It waits for nobody: maps
//! are indexed and indexes provided on other threads, which answer with a [`Command`]; until then what is drawn waits in a queue.

mod answers;
mod opening;

use crate::limits::{Ledger, Share};
use crate::outbox::Outbox;
use crate::protocol::ask::{Ask, point};
use crate::protocol::tell;
use crate::source::{Opened, Seeded};
use crate::strokes::{Drawn, Strokes};
use crate::study::{LayerWish, SearchWish, Study, Task};
use crate::tiles::Scene;
use crate::walkers::{Walkers, Wish};
use rayon::ThreadPool;
use serde_json::json;
use std::sync::atomic::AtomicBool;
use std::sync::mpsc::{Receiver, RecvTimeoutError, SyncSender, sync_channel};
use std::sync::{Arc, PoisonError, RwLock};
use std::time::{Duration, Instant};
use waypost::Point;
use waypost::prelude::*;

/// Commands that may wait: who asks for more waits itself.
const MAX_COMMANDS: usize = 64;
/// Strokes that may wait for an index.
const MAX_WAITING: usize = 4096;
/// Frames of units come no faster.
const FRAME: Duration = Duration::from_millis(15);
/// The loop looks up at least so often.
const LOOK_UP: Duration = Duration::from_millis(100);
/// A stale index is built again when nothing has been drawn for so long.
const CALM: Duration = Duration::from_millis(1200);
/// How often the indexes are looked at.
const LOOK: Duration = Duration::from_millis(300);
/// The most ticks a second that can be asked for by number.
const MAX_RATE: u32 = 1000;

/// What a world is told to do.
pub enum Command {
    /// By the page.
    Ask(Ask),
    /// By the page: open this file.
    File(Upload),
    /// The index of a map is there, or not.
    Built(u32, Result<Navigator, String>),
    /// What a crowd needs is there, or not.
    Provided(u32, Wish, Result<(), String>),
    /// Stale indexes have been built again.
    Rebuilt(u32),
    /// The tab is gone: nothing to do but to look up.
    End,
}

/// A file that has come in.
pub struct Upload {
    /// Its name.
    pub name: String,
    /// Its bytes.
    pub bytes: Vec<u8>,
    /// Whether it is a map packed for a link.
    pub packed: bool,
    /// What letters cost.
    pub costs: String,
    /// Room for it.
    pub share: Share,
}

/// The scene that tiles are made of, while there is one.
#[derive(Clone, Default)]
pub struct SharedScene(Arc<RwLock<Option<Arc<Scene>>>>);

impl SharedScene {
    /// The scene of the moment.
    pub fn scene(&self) -> Option<Arc<Scene>> {
        self.0
            .read()
            .unwrap_or_else(PoisonError::into_inner)
            .clone()
    }

    fn set(&self, scene: Arc<Scene>) {
        *self.0.write().unwrap_or_else(PoisonError::into_inner) = Some(scene);
    }
}

/// The map that is open.
struct Stage {
    generation: u32,
    opened: Opened,
    scene: Arc<Scene>,
    strokes: Strokes,
    /// Whether anything was ever drawn on it.
    is_drawn_on: bool,
    /// None while the index is built.
    nav: Option<Navigator>,
    study: Option<Study>,
    /// Whether an index is being provided: what is drawn waits meanwhile.
    is_providing: bool,
    is_rebuilding: bool,
    /// The version of the indexes that the study has.
    version: u64,
    /// What was told of the index last.
    index_state: &'static str,
    last_stroke: Instant,
    waiting: Vec<Ask>,
    is_exporting: Arc<AtomicBool>,
    stop: Arc<AtomicBool>,
    _cells: Arc<Share>,
}

/// A world.
pub struct Sandbox {
    commands: Receiver<Command>,
    sender: SyncSender<Command>,
    outbox: Outbox,
    ledger: Ledger,
    given: Option<Arc<Opened>>,
    shared: SharedScene,
    stage: Option<Stage>,
    generation: u32,
    walkers: Option<Walkers>,
    wish: Option<Wish>,
    /// The last search of each place.
    last_searches: [Option<SearchWish>; 2],
    epoch: u32,
    is_paused: bool,
    rate: u32,
    due: Instant,
    shown: Instant,
    /// When the indexes were looked at last.
    looked: Instant,
    ticking: Arc<ThreadPool>,
    _world: Share,
}

impl Sandbox {
    /// Begins a world on a thread of its own; commands go to the sender.
    pub fn begin(
        outbox: Outbox,
        ledger: Ledger,
        given: Option<Arc<Opened>>,
        shared: SharedScene,
        (world, ticking): (Share, Arc<ThreadPool>),
    ) -> std::io::Result<SyncSender<Command>> {
        let (sender, commands) = sync_channel(MAX_COMMANDS);
        let sandbox = Sandbox {
            commands,
            sender: sender.clone(),
            outbox,
            ledger,
            given,
            shared,
            stage: None,
            generation: 0,
            walkers: None,
            wish: None,
            last_searches: [None, None],
            epoch: 0,
            is_paused: false,
            rate: 30,
            due: Instant::now(),
            shown: Instant::now(),
            looked: Instant::now(),
            ticking,
            _world: world,
        };
        let thread = std::thread::Builder::new().name("world".to_string());
        thread.spawn(move || sandbox.run())?;
        Ok(sender)
    }

    fn run(mut self) {
        while !self.outbox.has_ended() {
            match self.commands.recv_timeout(self.time_to_wait()) {
                Ok(command) => self.obey(command),
                Err(RecvTimeoutError::Timeout) => {}
                Err(RecvTimeoutError::Disconnected) => break,
            }
            self.tick_if_due();
            self.look_at_indexes();
        }
        if let Some(stage) = &self.stage {
            stage.stop.store(true, std::sync::atomic::Ordering::Relaxed);
        }
    }

    fn time_to_wait(&self) -> Duration {
        if self.walkers.is_none() || self.is_paused {
            return LOOK_UP;
        }
        let left = self.due.saturating_duration_since(Instant::now());
        left.min(LOOK_UP)
    }

    fn obey(&mut self, command: Command) {
        match command {
            Command::Ask(ask) => self.answer(ask),
            Command::File(upload) => self.open_upload(upload),
            Command::Built(generation, result) if generation == self.generation => {
                self.built(result);
            }
            Command::Provided(generation, wish, result) if generation == self.generation => {
                if let Some(stage) = &mut self.stage {
                    stage.is_providing = false;
                }
                match result {
                    Ok(()) => self.make_crowd(wish),
                    Err(words) => self.trouble(words),
                }
                self.draw_what_waits();
            }
            Command::Rebuilt(generation) if generation == self.generation => {
                if let Some(stage) = &mut self.stage {
                    stage.is_rebuilding = false;
                }
            }
            // Of a map that is not open any more.
            Command::Built(..) | Command::Provided(..) | Command::Rebuilt(_) | Command::End => {}
        }
    }

    fn answer(&mut self, ask: Ask) {
        match ask {
            Ask::Given {} => self.open_given(),
            Ask::Generate {
                kind,
                width,
                height,
                seed,
                terrain,
            } => self.open_seeded(Seeded {
                kind,
                width,
                height,
                seed,
                terrain,
            }),
            Ask::Draw { .. } | Ask::Door { .. } | Ask::Undo { .. } | Ask::Redo {} => self.draw(ask),
            Ask::Search {
                number,
                slot,
                spec,
                from,
                goal,
            } => self.search(SearchWish {
                number,
                slot,
                spec,
                from: point(from),
                goal: point(goal),
                turn: 0,
            }),
            Ask::Layer {
                layer,
                at,
                goal,
                level,
                window,
            } => self.study(Task::Layer(LayerWish {
                layer,
                at: point(at),
                goal: point(goal),
                level,
                window,
                turn: 0,
            })),
            Ask::Crowd {
                units,
                spec,
                exclusive,
                seed,
            } => self.provide_crowd(Wish {
                units,
                spec,
                exclusive,
                seed,
            }),
            Ask::Send { epoch, units, goal } => self.send(epoch, &units, point(goal)),
            Ask::Wander {} => self.with_crowd(Walkers::wander_all),
            Ask::Pace { paused, rate } => {
                (self.is_paused, self.rate) = (paused, rate.min(MAX_RATE));
                self.due = Instant::now();
            }
            Ask::Step {} => self.tick(true),
            Ask::Follow { epoch, unit } => {
                let walkers = self.walkers.as_mut().filter(|w| w.epoch == epoch);
                if let Some(walkers) = walkers {
                    walkers.followed = unit;
                    self.outbox.show_units(walkers.show());
                }
            }
            Ask::NoLayer {} => {
                let study = self.stage.as_ref().and_then(|stage| stage.study.as_ref());
                study.into_iter().for_each(Study::forget_layers);
            }
            Ask::Export { what } => self.export(what),
            // The connection answers the one and collects the other.
            Ask::Tile { .. } | Ask::Upload { .. } => {}
        }
    }

    fn with_crowd(&mut self, act: impl FnOnce(&mut Walkers)) {
        if let Some(walkers) = &mut self.walkers {
            act(walkers);
        }
    }

    fn send(&mut self, epoch: u32, units: &[u16], goal: Point) {
        let walkers = self.walkers.as_mut().filter(|w| w.epoch == epoch);
        let sent = walkers.map_or(Ok(()), |walkers| walkers.send(units, goal));
        if let Err(words) = sent {
            self.trouble(words);
        }
    }

    fn tick_if_due(&mut self) {
        if self.is_paused || self.walkers.is_none() {
            return;
        }
        let now = Instant::now();
        if now < self.due {
            return;
        }
        let pause = match self.rate {
            0 => Duration::ZERO,
            rate => Duration::from_secs(1) / rate,
        };
        // Who is late does not run after it.
        self.due = (self.due + pause).max(now.checked_sub(pause).unwrap_or(now));
        let is_seen = self.shown.elapsed() >= FRAME;
        self.tick(is_seen);
    }

    fn tick(&mut self, framed: bool) {
        let Some(walkers) = &mut self.walkers else {
            return;
        };
        if let Some(frame) = self.ticking.install(|| walkers.tick(framed)) {
            self.outbox.show_units(frame);
            self.shown = Instant::now();
        }
    }

    fn trouble(&self, words: impl Into<String>) {
        self.outbox.tell(tell::trouble(words));
    }

    /// Draws, or keeps what is to be drawn until an index is there.
    fn draw(&mut self, ask: Ask) {
        let Some(stage) = &mut self.stage else {
            return;
        };
        if stage.nav.is_none() || stage.is_providing {
            if stage.waiting.len() < MAX_WAITING {
                stage.waiting.push(ask);
            }
            let words = "what you draw is shown when the index is there";
            return self
                .outbox
                .tell(tell::note("waits", json!({ "words": words })));
        }
        let (strokes, scene) = (&mut stage.strokes, &*stage.scene);
        let drawn = match ask {
            Ask::Draw {
                stroke,
                paint,
                brush,
                points,
            } => strokes.draw(scene, stroke, paint, brush, &points),
            Ask::Door { stroke, brush, at } => strokes.door(scene, stroke, brush, at),
            Ask::Undo { stroke } => strokes.undo(scene, stroke),
            Ask::Redo {} => strokes.redo(scene),
            _ => None,
        };
        if let Some(drawn) = drawn {
            self.patch(drawn);
        }
    }

    fn patch(&mut self, drawn: Drawn) {
        let Some(stage) = &mut self.stage else {
            return;
        };
        let Some(nav) = &stage.nav else {
            return;
        };
        let begun = Instant::now();
        let cells = nav.patch(&drawn.patch);
        let micros = begun.elapsed().as_secs_f64() * 1e6;
        stage.is_drawn_on = true;
        stage.last_stroke = Instant::now();
        let task = Task::Patch(drawn.patch);
        let kept_up = stage.study.as_ref().is_some_and(|s| s.ask(task).is_ok());
        if !kept_up {
            stage.study = None;
        }
        if cells > 0
            && let Some(walkers) = &mut self.walkers
        {
            walkers.map_changed();
            if self.is_paused {
                self.outbox.show_units(walkers.show());
            }
        }
        let (undo, redo) = stage.strokes.counts();
        let facts = json!({
            "least": [drawn.least.x, drawn.least.y], "most": [drawn.most.x, drawn.most.y],
            "cells": cells, "micros": micros, "undo": undo, "redo": redo,
        });
        self.outbox.tell(tell::note("drawn", facts));
        if drawn.is_cut {
            self.trouble("that was too much for one stroke: its end is left out");
        }
    }

    fn draw_what_waits(&mut self) {
        let waiting = self
            .stage
            .as_mut()
            .map(|stage| std::mem::take(&mut stage.waiting));
        for ask in waiting.into_iter().flatten() {
            self.draw(ask);
        }
    }
}
