//! How long work reports how far it is. The engine prints nothing: the caller draws the bar.

/// Receives the progress of a build; called from any thread.
pub trait Progress: Sync {
    /// A stage of `total` equal parts begins.
    fn begin(&self, stage: &str, total: u64);
    /// `parts` more parts of the stage are done.
    fn advance(&self, parts: u64);
    /// Whether the work is to stop. Once it says so it must go on saying so; builders look now and then and give up.
    fn is_cancelled(&self) -> bool {
        false
    }
}

/// Ignores all progress.
#[derive(Clone, Copy, Debug, Default)]
pub struct NoProgress;

impl Progress for NoProgress {
    fn begin(&self, _stage: &str, _total: u64) {}
    fn advance(&self, _parts: u64) {}
}
