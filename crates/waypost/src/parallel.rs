//! Work over many items: on all threads of the current pool with the feature `parallel`, one item after the other without it.
//!
//! **Invariant:** this is the only place that knows the pool. What is said here in the words of parallel iterators gives the same
//! results either way: items are independent, and results are in the order of items.
//!
//! **Locks.** A thread of a pool that waits for a part of its work takes up other work of the pool, whatever that waits for. So nobody
//! who holds a lock shares work with the current pool: what has to be done under a lock is done [`apart`] or by [`both`].

#[cfg(feature = "parallel")]
pub(crate) use rayon::{current_num_threads as threads, prelude};

#[cfg(not(feature = "parallel"))]
pub(crate) use serial::{prelude, threads};

/// What `work` gives for every item, in the order of items. Each thread has memory of its own, which is given back at the end.
pub(crate) fn map_with<T: Sync, M: Send, R: Send>(
    items: &[T],
    memory: impl Fn() -> M + Sync,
    work: impl Fn(&mut M, &T) -> R + Sync,
    give_back: impl Fn(M) + Sync,
) -> Vec<R> {
    use prelude::*;
    let share = items.len().div_ceil(threads()).max(1);
    let parts = items.par_chunks(share).map(|part| {
        let mut own = memory();
        let results: Vec<R> = part.iter().map(|item| work(&mut own, item)).collect();
        give_back(own);
        results
    });
    parts.collect::<Vec<_>>().into_iter().flatten().collect()
}

/// Does two pieces of work, on two threads where there are any to spare. Nothing else is taken up meanwhile.
pub(crate) fn both<A: Send, B>(
    one: impl FnOnce() -> A + Send,
    other: impl FnOnce() -> B,
) -> (A, B) {
    if threads() < 2 {
        return (one(), other());
    }
    std::thread::scope(|scope| {
        let one = scope.spawn(one);
        let other = other();
        let one = one.join();
        let one = one.unwrap_or_else(|panic| std::panic::resume_unwind(panic));
        (one, other)
    })
}

/// Does a piece of work on threads of its own. Nothing else runs on them, so it may be done by whoever holds a lock: threads of a pool that
/// others share take up their work while they wait, and that may wait for the lock.
#[cfg(feature = "parallel")]
pub(crate) fn on_threads<R: Send>(count: usize, work: impl FnOnce() -> R + Send) -> R {
    let pool = rayon::ThreadPoolBuilder::new().num_threads(count.max(1));
    let mut work = Some(work);
    // Scoped threads have ended, and given their memory back, when this returns.
    let done = pool.build_scoped(
        |thread| thread.run(),
        |pool| {
            let work = work.take()?;
            // A thread of another pool would take up that one's work while it waits.
            let done = std::thread::scope(|scope| scope.spawn(|| pool.install(work)).join());
            Some(done.unwrap_or_else(|panic| std::panic::resume_unwind(panic)))
        },
    );
    match (done, work) {
        (Ok(Some(done)), _) => done,
        // Where there are no more threads.
        (_, Some(work)) => work(),
        (_, None) => unreachable!("what was begun is done, or has panicked"),
    }
}

/// Does a piece of work: there are no other threads.
#[cfg(not(feature = "parallel"))]
pub(crate) fn on_threads<R>(_: usize, work: impl FnOnce() -> R) -> R {
    work()
}

/// Does a piece of work on as many threads as the current pool has, apart from it: for those who hold a lock.
pub(crate) fn apart<R: Send>(work: impl FnOnce() -> R + Send) -> R {
    on_threads(threads(), work)
}

/// The same words for one thread, over the iterators of the standard library.
#[cfg(not(feature = "parallel"))]
mod serial {
    use std::slice::{Chunks, ChunksMut, Iter, IterMut};

    /// One: the caller's.
    pub(crate) fn threads() -> usize {
        1
    }

    pub(crate) mod prelude {
        pub(crate) use super::{Owned, Shared, Steps};
    }

    /// What gives its items away.
    pub(crate) trait Owned: IntoIterator + Sized {
        fn into_par_iter(self) -> Self::IntoIter {
            self.into_iter()
        }
    }

    impl<I: IntoIterator> Owned for I {}

    /// What lends its items.
    pub(crate) trait Shared<T> {
        fn par_iter(&self) -> Iter<'_, T>;
        fn par_iter_mut(&mut self) -> IterMut<'_, T>;
        fn par_chunks(&self, size: usize) -> Chunks<'_, T>;
        fn par_chunks_mut(&mut self, size: usize) -> ChunksMut<'_, T>;
    }

    impl<T> Shared<T> for [T] {
        fn par_iter(&self) -> Iter<'_, T> {
            self.iter()
        }

        fn par_iter_mut(&mut self) -> IterMut<'_, T> {
            self.iter_mut()
        }

        fn par_chunks(&self, size: usize) -> Chunks<'_, T> {
            self.chunks(size)
        }

        fn par_chunks_mut(&mut self, size: usize) -> ChunksMut<'_, T> {
            self.chunks_mut(size)
        }
    }

    /// What only parallel iterators have.
    pub(crate) trait Steps: Iterator + Sized {
        /// As it is: there is nobody to share with.
        fn with_min_len(self, _: usize) -> Self {
            self
        }

        /// A map with memory of its own.
        fn map_init<M, R>(
            self,
            memory: impl FnOnce() -> M,
            mut work: impl FnMut(&mut M, Self::Item) -> R,
        ) -> impl Iterator<Item = R> {
            let mut own = memory();
            self.map(move |item| work(&mut own, item))
        }

        /// All items in one; `None` where there is none.
        fn reduce_with(
            self,
            both: impl FnMut(Self::Item, Self::Item) -> Self::Item,
        ) -> Option<Self::Item> {
            self.reduce(both)
        }
    }

    impl<I: Iterator> Steps for I {}
}
