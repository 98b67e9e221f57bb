//! Pairs of the seeds of regions, for records between them ([`super::Draw::Regions`]).

use crate::grid::Cell;
use crate::rng::Rng;

/// A pair of two different seeds for a record: in turn where the database has room for all of them, else at random.
pub(super) fn pair_of(
    seeds: &[Cell],
    number: u64,
    records: u64,
    rng: &mut Rng,
) -> Option<(Cell, Cell)> {
    let count = seeds.len() as u64;
    let pairs = count * count.saturating_sub(1);
    if pairs == 0 {
        return None;
    }
    let pair = if pairs <= records {
        number % pairs
    } else {
        let [from, to] = [count, count - 1].map(|below| u64::from(rng.below(below as u32)));
        from * (count - 1) + to
    };
    let (from, to) = (pair / (count - 1), pair % (count - 1));
    let to = to + u64::from(to >= from);
    Some((seeds[from as usize], seeds[to as usize]))
}
