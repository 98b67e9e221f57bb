//! Work beside the game: indexes are built on Bevy's pool for computations that last longer than a frame.

use bevy_ecs::prelude::*;
use bevy_tasks::{AsyncComputeTaskPool, Task, TaskPool};
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::{Arc, Mutex, OnceLock, PoisonError};
use waypost::progress::Progress;

/// Threads that builders share out their work over. They are not those of the crowds' ticks, which would wait for a build
/// otherwise.
#[derive(Resource, Default)]
pub(crate) struct Workers {
    /// Made by the first build, when Bevy's pools are as the game wants them.
    threads: Arc<OnceLock<Option<rayon::ThreadPool>>>,
}

impl Workers {
    /// Begins work beside the game.
    pub fn spawn<T: Send + 'static>(&self, work: impl FnOnce() -> T + Send + 'static) -> Task<T> {
        let threads = self.threads.clone();
        pool().spawn(async move {
            match threads.get_or_init(build_threads) {
                Some(threads) => threads.install(work),
                // Without threads of its own a build uses those of the task.
                None => work(),
            }
        })
    }
}

/// Drops a world beside the game: to give back the memory of a large index takes longer than a frame should.
pub(crate) fn let_go(world: impl Send + 'static) {
    if let Some(pool) = AsyncComputeTaskPool::try_get() {
        pool.spawn(async move { drop(world) }).detach();
    }
}

/// As many threads as Bevy has for computations beside the game.
fn build_threads() -> Option<rayon::ThreadPool> {
    let threads = rayon::ThreadPoolBuilder::new()
        .num_threads(pool().thread_num().max(1))
        .thread_name(|i| format!("waypost build {i}"));
    threads.build().ok()
}

fn pool() -> &'static AsyncComputeTaskPool {
    AsyncComputeTaskPool::get_or_init(TaskPool::new)
}

/// How far a build is, for a loading screen.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct BuildProgress {
    /// What is being done.
    pub stage: String,
    /// How much of that is done, 0 to 1.
    pub part: f32,
}

/// Watches a build from the game's side and can stop it.
#[derive(Clone, Default)]
pub(crate) struct Watch(Arc<Watched>);

#[derive(Default)]
struct Watched {
    stage: Mutex<String>,
    total: AtomicU64,
    done: AtomicU64,
    is_cancelled: AtomicBool,
}

impl Watch {
    pub fn cancel(&self) {
        self.0.is_cancelled.store(true, Ordering::Relaxed);
    }

    pub fn progress(&self) -> BuildProgress {
        let stage = self.0.stage.lock().unwrap_or_else(PoisonError::into_inner);
        let total = self.0.total.load(Ordering::Relaxed).max(1);
        let done = self.0.done.load(Ordering::Relaxed).min(total);
        BuildProgress {
            stage: stage.clone(),
            part: done as f32 / total as f32,
        }
    }
}

impl Progress for Watch {
    fn begin(&self, stage: &str, total: u64) {
        let mut name = self.0.stage.lock().unwrap_or_else(PoisonError::into_inner);
        *name = stage.to_string();
        self.0.done.store(0, Ordering::Relaxed);
        self.0.total.store(total, Ordering::Relaxed);
    }

    fn advance(&self, parts: u64) {
        self.0.done.fetch_add(parts, Ordering::Relaxed);
    }

    fn is_cancelled(&self) -> bool {
        self.0.is_cancelled.load(Ordering::Relaxed)
    }
}
