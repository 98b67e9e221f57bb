//! Work over many items: on all cores with the feature `parallel`, one after the other without it.

/// What `work` gives for every item, in the order of items. Each thread has memory of its own, which is given back at the end.
pub(crate) fn map_with<T: Sync, M: Send, R: Send>(
    items: &[T],
    memory: impl Fn() -> M + Sync,
    work: impl Fn(&mut M, &T) -> R + Sync,
    give_back: impl Fn(M) + Sync,
) -> Vec<R> {
    use rayon::prelude::*;
    let share = items.len().div_ceil(rayon::current_num_threads()).max(1);
    let parts = items.par_chunks(share).map(|part| {
        let mut own = memory();
        let results: Vec<R> = part.iter().map(|item| work(&mut own, item)).collect();
        give_back(own);
        results
    });
    parts.collect::<Vec<_>>().into_iter().flatten().collect()
}
