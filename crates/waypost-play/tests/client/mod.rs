//! A page in a few lines: what tests say to the server, and what they wait for.
#![allow(dead_code)]

use serde_json::Value;
use std::time::Duration;
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::TcpStream;
use tokio::sync::oneshot;
use tokio::task::JoinHandle;
use tokio_tungstenite::tungstenite::{Bytes, Message};
use tokio_tungstenite::{MaybeTlsStream, WebSocketStream, connect_async};
use waypost_play::limits::Ledger;
use waypost_play::protocol::VERSION;
use waypost_play::{Limits, Options, Server};

use futures_util::{SinkExt, StreamExt};

/// A server that answers.
pub struct Running {
    pub url: String,
    pub ledger: Ledger,
    stop: oneshot::Sender<()>,
    served: JoinHandle<std::io::Result<()>>,
}

const LONG: Duration = Duration::from_secs(60);

impl Running {
    pub async fn begin(limits: Limits) -> Running {
        let options = Options {
            limits,
            ..Options::default()
        };
        let server = Server::bind(options).await.expect("a free port");
        let (stop, stopped) = oneshot::channel();
        Running {
            url: server.url(),
            ledger: server.ledger(),
            stop,
            served: tokio::spawn(server.run(async { _ = stopped.await })),
        }
    }

    pub fn host(&self) -> String {
        self.url.split('/').nth(2).unwrap_or_default().to_string()
    }

    pub fn token(&self) -> String {
        self.url.split('/').nth(3).unwrap_or_default().to_string()
    }

    /// Waits until all worlds have ended and given back what they held.
    pub async fn wait_until_empty(&self) {
        let begun = std::time::Instant::now();
        while self.ledger.taken() != [0, 0, 0] {
            assert!(begun.elapsed() < LONG, "{:?} is held", self.ledger.taken());
            tokio::time::sleep(Duration::from_millis(2)).await;
        }
    }

    pub async fn end(self) {
        self.stop.send(()).expect("it runs");
        let ended = tokio::time::timeout(LONG, self.served).await;
        ended
            .expect("in time")
            .expect("no panic")
            .expect("no error");
    }
}

/// A tab.
pub struct Client {
    socket: WebSocketStream<MaybeTlsStream<TcpStream>>,
    /// The reason that it was closed with.
    pub words: String,
}

impl Client {
    pub async fn connect(url: &str) -> Client {
        let address = url.replacen("http", "ws", 1) + "socket";
        let (socket, _) = connect_async(address).await.expect("a connection");
        Client {
            socket,
            words: String::new(),
        }
    }

    /// Connects and waits for the first word.
    pub async fn open(url: &str) -> Client {
        let mut client = Client::connect(url).await;
        client.note("hello").await;
        client
    }

    pub async fn send(&mut self, frame: Vec<u8>) -> bool {
        self.socket
            .send(Message::Binary(Bytes::from(frame)))
            .await
            .is_ok()
    }

    pub async fn send_text(&mut self, text: &str) -> bool {
        self.socket.send(Message::text(text)).await.is_ok()
    }

    pub async fn ask(&mut self, ask: Value) {
        let frame = [&[VERSION, 0], ask.to_string().as_bytes()].concat();
        assert!(self.send(frame).await, "{ask} could not be sent");
    }

    /// The next frame; none where the connection is closed.
    async fn next(&mut self) -> Option<Vec<u8>> {
        loop {
            match self.socket.next().await {
                Some(Ok(Message::Binary(bytes))) => return Some(bytes.to_vec()),
                Some(Ok(Message::Close(frame))) => {
                    self.words = frame.map_or(String::new(), |frame| frame.reason.to_string());
                    return None;
                }
                Some(Ok(_)) => {}
                Some(Err(_)) | None => return None,
            }
        }
    }

    /// The next frame of a kind.
    pub async fn frame(&mut self, kind: u8) -> Vec<u8> {
        self.frame_while(kind, |_| ()).await
    }

    /// The next frame of a kind; shows all up to it.
    pub async fn frame_while(&mut self, kind: u8, mut show: impl FnMut(&[u8])) -> Vec<u8> {
        let wait = async {
            loop {
                let frame = self.next().await.expect("the connection is open");
                show(&frame);
                assert_eq!(frame[0], VERSION);
                if frame[1] == kind {
                    return frame;
                }
            }
        };
        tokio::time::timeout(LONG, wait).await.expect("in time")
    }

    /// The next note of a name.
    pub async fn note(&mut self, name: &str) -> Value {
        loop {
            let frame = self.frame(0).await;
            let note: Value = serde_json::from_slice(&frame[2..]).expect("JSON");
            if note["tell"] == name {
                return note;
            }
        }
    }

    /// Shows all frames up to a note of a name.
    pub async fn note_while(&mut self, name: &str, mut show: impl FnMut(&[u8])) {
        let wait = async {
            loop {
                let frame = self.next().await.expect("the connection is open");
                show(&frame);
                let is_note = frame[1] == 0;
                let note: Option<Value> = serde_json::from_slice(&frame[2..]).ok();
                if is_note && note.is_some_and(|note| note["tell"] == name) {
                    return;
                }
            }
        };
        tokio::time::timeout(LONG, wait).await.expect("in time");
    }

    pub async fn trouble(&mut self) -> String {
        let note = self.note("trouble").await;
        note["words"].as_str().unwrap_or_default().to_string()
    }

    /// Whether the connection is closed by the time that an answer to a further question would be here.
    pub async fn is_closed_soon(&mut self) -> bool {
        let ask = [
            &[VERSION, 0][..],
            br#"{"ask":"upload","name":"x","bytes":999999999999}"#,
        ]
        .concat();
        if !self.send(ask).await {
            return true;
        }
        let wait = async {
            while let Some(frame) = self.next().await {
                let text = String::from_utf8_lossy(&frame[2..]).into_owned();
                if frame[1] == 0 && text.contains("999999999999") {
                    return false;
                }
            }
            true
        };
        tokio::time::timeout(LONG, wait).await.expect("in time")
    }

    pub async fn is_closed_within(&mut self, time: Duration) -> bool {
        let wait = async { while self.next().await.is_some() {} };
        tokio::time::timeout(time, wait).await.is_ok()
    }

    pub async fn close(mut self) {
        // It may be closed already.
        let _ = self.socket.close(None).await;
    }
}

/// A request as browsers make them.
pub async fn get(host: &str, path: &str, headers: &[(&str, &str)]) -> String {
    request(host, path, host, headers).await
}

/// A request that names another host than the one it goes to.
pub async fn request(to: &str, path: &str, host: &str, headers: &[(&str, &str)]) -> String {
    let mut stream = TcpStream::connect(to).await.expect("a connection");
    let mut text = format!("GET {path} HTTP/1.1\r\nHost: {host}\r\n");
    for (name, value) in headers {
        text += &format!("{name}: {value}\r\n");
    }
    if headers.is_empty() {
        text += "Connection: close\r\n";
    }
    stream
        .write_all((text + "\r\n").as_bytes())
        .await
        .expect("sent");
    let mut answer = vec![0; 2048];
    let read = tokio::time::timeout(LONG, stream.read(&mut answer)).await;
    let length = read.expect("in time").expect("an answer");
    String::from_utf8_lossy(&answer[..length]).into_owned()
}
