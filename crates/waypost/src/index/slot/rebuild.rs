//! Rebuilds as jobs for any thread: the job, and the place where it delivers.

use crate::index::{BuildError, Index, IndexKind, IndexRequest, Prepared, Shard, build};
use crate::map::Map;
use crate::parallel;
use crate::progress::{NoProgress, Progress};
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};
use std::thread::ThreadId;

/// A job for an index of the map as it is, and where it will be delivered.
pub(super) fn order(
    map: &Map,
    request: &IndexRequest,
    in_use: IndexKind,
) -> (RebuildJob, Arc<Delivery>) {
    let work = Work {
        map: map.clone(),
        request: request.clone(),
        in_use,
    };
    let delivery = Arc::new(Delivery {
        order: Mutex::new(Order::Waiting(Box::new(work))),
        is_there: Condvar::new(),
        callers: Mutex::default(),
    });
    let job = RebuildJob {
        kind: request.kind,
        delivery: delivery.clone(),
    };
    (job, delivery)
}

/// Builds an index for a map as it was when the job was made. Can be run on any thread. The slot builds for itself when the index
/// is due and nobody has begun: whoever holds a job and does not run it keeps nobody waiting.
pub struct RebuildJob {
    kind: IndexKind,
    delivery: Arc<Delivery>,
}

impl RebuildJob {
    /// What kind of index it builds.
    pub fn kind(&self) -> IndexKind {
        self.kind
    }

    /// Builds and delivers. It does nothing where the slot has built for itself meanwhile, and leaves what its progress stops to the slot.
    pub fn run(self, progress: &dyn Progress) {
        self.build(progress);
    }

    /// The same; whether an index was built.
    pub fn build(self, progress: &dyn Progress) -> bool {
        let order = std::mem::replace(&mut *self.delivery.order(), Order::Running);
        let work = match order {
            Order::Waiting(work) => work,
            other => {
                self.delivery.put(other);
                return false;
            }
        };
        let mut guard = Unfinished(&self.delivery, Some(work));
        let watched = Watched {
            progress,
            delivery: &self.delivery,
        };
        let built = guard.1.as_ref().map(|work| work.build(&watched));
        let built = built.filter(|built| !matches!(built, Err(BuildError::Cancelled)));
        let is_built = built.as_ref().is_some_and(Result::is_ok);
        if let Some(built) = built {
            guard.1 = None;
            self.delivery.put(Order::Built(built));
        }
        is_built
    }
}

/// What a job reports its progress to, with the threads noted that are at it: they cannot wait for the job.
struct Watched<'a> {
    progress: &'a dyn Progress,
    delivery: &'a Delivery,
}

impl Watched<'_> {
    fn call<R>(&self, call: impl FnOnce(&dyn Progress) -> R) -> R {
        let caller = std::thread::current().id();
        self.delivery.callers().push(caller);
        let given = call(self.progress);
        let mut callers = self.delivery.callers();
        if let Some(at) = callers.iter().position(|&known| known == caller) {
            callers.swap_remove(at);
        }
        given
    }
}

impl Progress for Watched<'_> {
    fn begin(&self, stage: &str, total: u64) {
        self.call(|progress| progress.begin(stage, total));
    }

    fn advance(&self, parts: u64) {
        self.call(|progress| progress.advance(parts));
    }

    fn is_cancelled(&self) -> bool {
        self.call(|progress| progress.is_cancelled())
    }
}

/// A job under way: where it comes to nothing, because what it reports its progress to stops it or panics, the work is left to the slot.
struct Unfinished<'a>(&'a Delivery, Option<Box<Work>>);

impl Drop for Unfinished<'_> {
    fn drop(&mut self) {
        if let Some(work) = self.1.take() {
            self.0.put(Order::Left(work));
        }
    }
}

impl Drop for RebuildJob {
    fn drop(&mut self) {
        let mut order = self.delivery.order();
        let left = match std::mem::replace(&mut *order, Order::Taken) {
            Order::Waiting(work) => Order::Left(work),
            other => other,
        };
        *order = left;
    }
}

/// Where a job puts what it has built.
pub(super) struct Delivery {
    order: Mutex<Order>,
    is_there: Condvar,
    /// Threads that report the progress of the job at this moment.
    callers: Mutex<Vec<ThreadId>>,
}

/// How far the order for an index has got.
enum Order {
    /// Somebody holds the job and has not run it.
    Waiting(Box<Work>),
    /// The job was dropped without being run.
    Left(Box<Work>),
    /// The job runs.
    Running,
    /// Here it is.
    Built(Result<Built, BuildError>),
    /// The slot has it, or has taken the work over.
    Taken,
}

/// What is to be built.
struct Work {
    map: Map,
    request: IndexRequest,
    /// The kind of index that agents use now.
    in_use: IndexKind,
}

/// An index, and what agents need beside it that have used one of another kind.
pub(super) struct Built {
    pub index: Arc<dyn Index>,
    pub prepared: Option<Prepared>,
}

impl Work {
    fn build(&self, progress: &dyn Progress) -> Result<Built, BuildError> {
        // Others may wait for it who hold a lock.
        let index = parallel::apart(|| build(&self.map, &self.request, Shard::WHOLE, progress))?;
        let prepared = match index.used_kind() == self.in_use {
            true => None,
            false => index.prepared(&self.map.with_doors_open()),
        };
        Ok(Built { index, prepared })
    }
}

impl Delivery {
    fn order(&self) -> MutexGuard<'_, Order> {
        self.order.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn callers(&self) -> MutexGuard<'_, Vec<ThreadId>> {
        self.callers.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn put(&self, order: Order) {
        *self.order() = order;
        self.is_there.notify_all();
    }

    /// The job of an order that nobody has taken up, once more: where it was stopped or dropped.
    pub(super) fn take_up(delivery: &Arc<Delivery>) -> Option<RebuildJob> {
        let mut order = delivery.order();
        match std::mem::replace(&mut *order, Order::Taken) {
            Order::Left(work) => {
                let kind = work.request.kind;
                *order = Order::Waiting(work);
                let delivery = delivery.clone();
                Some(RebuildJob { kind, delivery })
            }
            other => {
                *order = other;
                None
            }
        }
    }

    pub(super) fn is_built(&self) -> bool {
        matches!(*self.order(), Order::Built(_))
    }

    /// Whether this thread reports the progress of the job at this moment: it cannot wait for it.
    pub(super) fn is_reported_here(&self) -> bool {
        self.callers().contains(&std::thread::current().id())
    }

    /// Waits until it is built, and builds what nobody has begun. Nothing that the job reports its progress to may need what the caller holds.
    pub(super) fn finish(&self) {
        if self.is_reported_here() {
            return;
        }
        let mut order = self.order();
        loop {
            match std::mem::replace(&mut *order, Order::Running) {
                Order::Waiting(work) | Order::Left(work) => {
                    drop(order);
                    let mut unfinished = Unfinished(self, Some(work));
                    let built = unfinished.1.as_ref().map(|work| work.build(&NoProgress));
                    if let Some(built) = built {
                        unfinished.1 = None;
                        self.put(Order::Built(built));
                    }
                    return;
                }
                Order::Running => {
                    let woken = self.is_there.wait(order);
                    order = woken.unwrap_or_else(PoisonError::into_inner);
                }
                other => {
                    *order = other;
                    return;
                }
            }
        }
    }

    /// What was built, if it is there. Where it is waited for, it is: what nobody has begun to build is built now, by the caller. What
    /// the caller itself reports the progress of cannot be waited for.
    pub(super) fn take(&self, wait: bool) -> Option<Result<Built, BuildError>> {
        let wait = wait && !self.is_reported_here();
        let mut order = self.order();
        loop {
            match std::mem::replace(&mut *order, Order::Taken) {
                Order::Built(built) => return Some(built),
                Order::Left(work) => return Some(work.build(&NoProgress)),
                Order::Waiting(work) if wait => return Some(work.build(&NoProgress)),
                Order::Running if wait => {
                    *order = Order::Running;
                    let woken = self.is_there.wait(order);
                    order = woken.unwrap_or_else(PoisonError::into_inner);
                }
                other => {
                    *order = other;
                    return None;
                }
            }
        }
    }
}
