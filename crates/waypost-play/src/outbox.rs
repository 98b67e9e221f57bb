//! Where a world puts what it has to tell. It never waits: the page that does not read loses frames of units, and, when it has not
//! read a thousand answers, its connection.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use tokio::sync::{mpsc, watch};

/// Answers that may wait for the page.
const MAX_ANSWERS: usize = 1000;

/// The world's end.
#[derive(Clone)]
pub struct Outbox {
    answers: mpsc::Sender<Vec<u8>>,
    units: Arc<watch::Sender<Vec<u8>>>,
    ended: Arc<AtomicBool>,
}

/// The connection's end.
pub struct Inbox {
    /// What was asked for, all of it, in order.
    pub answers: mpsc::Receiver<Vec<u8>>,
    /// The units as they were last.
    pub units: watch::Receiver<Vec<u8>>,
}

impl Outbox {
    /// Both ends.
    pub fn new() -> (Outbox, Inbox) {
        let (answers, to_send) = mpsc::channel(MAX_ANSWERS);
        let (units, latest) = watch::channel(Vec::new());
        let outbox = Outbox {
            answers,
            units: Arc::new(units),
            ended: Arc::default(),
        };
        let inbox = Inbox {
            answers: to_send,
            units: latest,
        };
        (outbox, inbox)
    }

    /// Tells something that must not be lost.
    pub fn tell(&self, frame: Vec<u8>) {
        if self.answers.try_send(frame).is_err() {
            self.end();
        }
    }

    /// Shows the units as they are now.
    pub fn show_units(&self, frame: Vec<u8>) {
        self.units.send_replace(frame);
    }

    /// The connection is over: whoever works for it stops.
    pub fn end(&self) {
        self.ended.store(true, Ordering::Relaxed);
    }

    /// Whether it is over.
    pub fn has_ended(&self) -> bool {
        self.ended.load(Ordering::Relaxed) || self.answers.is_closed()
    }
}
