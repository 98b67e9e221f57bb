//! Where a world puts what it has to tell. It never waits: the page that does not read loses frames of units, and, when it has not
//! read a thousand answers or many bytes of them, its connection.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use tokio::sync::{mpsc, watch};

/// Answers that may wait for the page.
const MAX_ANSWERS: usize = 1000;
/// Bytes of answers that may wait for the page; a single answer may have more.
const MAX_BYTES: usize = 256 << 20;

/// The world's end.
#[derive(Clone)]
pub struct Outbox {
    answers: mpsc::Sender<Vec<u8>>,
    /// Bytes of the answers that wait.
    waiting: Arc<AtomicUsize>,
    units: Arc<watch::Sender<Vec<u8>>>,
    ended: Arc<AtomicBool>,
}

/// The connection's end.
pub struct Inbox {
    /// What was asked for, all of it, in order.
    pub answers: Answers,
    /// The units as they were last.
    pub units: watch::Receiver<Vec<u8>>,
}

/// Answers that wait for the page.
pub struct Answers {
    frames: mpsc::Receiver<Vec<u8>>,
    waiting: Arc<AtomicUsize>,
}

impl Answers {
    /// The next; none when the world is gone.
    pub async fn next(&mut self) -> Option<Vec<u8>> {
        let frame = self.frames.recv().await?;
        self.waiting.fetch_sub(frame.len(), Ordering::Relaxed);
        Some(frame)
    }
}

impl Outbox {
    /// Both ends.
    pub fn new() -> (Outbox, Inbox) {
        let (answers, frames) = mpsc::channel(MAX_ANSWERS);
        let waiting = Arc::<AtomicUsize>::default();
        let (units, latest) = watch::channel(Vec::new());
        let outbox = Outbox {
            answers,
            waiting: waiting.clone(),
            units: Arc::new(units),
            ended: Arc::default(),
        };
        let inbox = Inbox {
            answers: Answers { frames, waiting },
            units: latest,
        };
        (outbox, inbox)
    }

    /// Tells something that must not be lost.
    pub fn tell(&self, frame: Vec<u8>) {
        let length = frame.len();
        let waiting = self.waiting.fetch_add(length, Ordering::Relaxed);
        let is_too_much = waiting > 0 && waiting + length > MAX_BYTES;
        if is_too_much || self.answers.try_send(frame).is_err() {
            self.waiting.fetch_sub(length, Ordering::Relaxed);
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn answers_that_nobody_reads_are_bounded_in_bytes() {
        let (outbox, mut inbox) = Outbox::new();
        outbox.tell(vec![0; MAX_BYTES + 1]);
        assert!(!outbox.has_ended(), "one may be as large as it is");
        let runtime = tokio::runtime::Builder::new_current_thread().build();
        let read = runtime.expect("a runtime").block_on(inbox.answers.next());
        assert_eq!(read.map(|frame| frame.len()), Some(MAX_BYTES + 1));
        for _ in 0..8 {
            outbox.tell(vec![0; MAX_BYTES / 8]);
        }
        assert!(!outbox.has_ended());
        outbox.tell(vec![0; 1]);
        assert!(outbox.has_ended());
    }
}
