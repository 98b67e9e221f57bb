//! What all connections share.

use crate::guard::Guard;
use crate::limits::Ledger;
use crate::source::Opened;
use rayon::ThreadPool;
use std::sync::Arc;
use tokio::sync::watch;

/// What every connection sees.
#[derive(Clone)]
pub struct Shared {
    pub guard: Arc<Guard>,
    pub ledger: Ledger,
    pub given: Option<Arc<Opened>>,
    pub stopped: watch::Receiver<bool>,
    /// The threads of ticks: those that everything else uses are busy for long while an index is built.
    pub ticking: Arc<ThreadPool>,
}
