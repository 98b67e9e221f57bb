//! Threads for the engine's work.

use crate::errors::{Failure, Outcome};
use rayon::{ThreadPool, ThreadPoolBuilder};
use std::sync::{Arc, Mutex, OnceLock, PoisonError};

/// The most threads that can be asked for.
const MAX_THREADS: usize = 1024;

/// The process that loaded the package.
static LOADED_IN: OnceLock<u32> = OnceLock::new();
/// Threads of a process that was forked from it: those of its parent are not there.
static FORKED: Mutex<Option<(u32, Arc<ThreadPool>)>> = Mutex::new(None);

fn of_this_process() -> Outcome<Option<Arc<ThreadPool>>> {
    let process = std::process::id();
    if *LOADED_IN.get_or_init(|| process) == process {
        return Ok(None);
    }
    let mut forked = FORKED.lock().unwrap_or_else(PoisonError::into_inner);
    if let Some((owner, pool)) = &*forked
        && *owner == process
    {
        return Ok(Some(pool.clone()));
    }
    let pool = Arc::new(new_pool(0)?);
    // The one of the parent cannot be ended here: its threads are elsewhere.
    std::mem::forget(forked.replace((process, pool.clone())));
    Ok(Some(pool))
}

fn new_pool(threads: usize) -> Outcome<ThreadPool> {
    start(ThreadPoolBuilder::new().num_threads(threads))
}

fn start(pool: ThreadPoolBuilder) -> Outcome<ThreadPool> {
    pool.build()
        .map_err(|error| Failure::State(format!("threads could not be started: {error}")))
}

/// Remembers the process.
pub fn note_process() {
    LOADED_IN.get_or_init(std::process::id);
}

/// Does work on so many threads, or as many as there are cores, that nothing else uses; each begins with `begin`.
pub fn on_own_threads<R: Send>(
    threads: Option<usize>,
    begin: impl Fn() + Send + Sync + 'static,
    work: impl FnOnce() -> R + Send,
) -> Outcome<R> {
    let count = threads.map_or(Ok(0), checked)?;
    let pool = ThreadPoolBuilder::new().num_threads(count);
    Ok(start(pool.start_handler(move |_| begin()))?.install(work))
}

fn checked(threads: usize) -> Outcome<usize> {
    match (1..=MAX_THREADS).contains(&threads) {
        true => Ok(threads),
        false => Err(Failure::Value(format!(
            "threads is {threads}; give 1 to {MAX_THREADS}, or None for all cores"
        ))),
    }
}

/// Does work on so many threads, or on all cores.
pub fn on_threads<R: Send>(threads: Option<usize>, work: impl FnOnce() -> R + Send) -> Outcome<R> {
    match threads {
        None => match of_this_process()? {
            None => Ok(work()),
            Some(pool) => Ok(pool.install(work)),
        },
        Some(count) => Ok(new_pool(checked(count)?)?.install(work)),
    }
}
