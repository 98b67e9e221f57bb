//! Paths into records: JAIR 2010, figure 6; AIIDE 2009, figure 4.
//!
//! Reachability along a path is not monotone, so the binary search of figure 6 finds *a* state that climbing reaches, not
//! always the farthest: we keep the paper's search, since a backward scan costs hundreds of climbs more per subgoal.

use crate::grid::Cell;

/// Compresses a path to states of which each is reached from the one before by climbing (figure 6). The first and last
/// state of the path are the first and last of the record.
pub(in crate::index) fn compress(
    path: &[Cell],
    record: &mut Vec<Cell>,
    mut reachable: impl FnMut(Cell, Cell) -> bool,
) {
    record.clear();
    let Some(&start) = path.first() else { return };
    record.push(start);
    let mut at = 0;
    while at + 1 < path.len() {
        // The next state of the path is a neighbour: always reached.
        let mut next = at + 1;
        let (mut low, mut high) = (next + 1, path.len());
        while low < high {
            let middle = low + (high - 1 - low) / 2;
            if reachable(path[at], path[middle]) {
                next = middle;
                low = middle + 1;
            } else {
                high = middle;
            }
        }
        record.push(path[next]);
        at = next;
    }
}

/// The record of the 2009 version: start, the last state before the first that climbing does not reach, and goal.
///
/// Figure 4 stores nothing where climbing reaches every state; the text's definition ("the farthest state which is still
/// reachable") makes the goal the subgoal there, and so do we.
pub(super) fn first_subgoal(
    path: &[Cell],
    record: &mut Vec<Cell>,
    mut reachable: impl FnMut(Cell, Cell) -> bool,
) {
    record.clear();
    let (Some(&start), Some(&goal)) = (path.first(), path.last()) else {
        return;
    };
    let stop = (2..path.len()).find(|&i| !reachable(start, path[i]));
    record.extend([start, path[stop.unwrap_or(path.len()) - 1], goal]);
}

#[cfg(test)]
mod tests {
    use super::*;

    fn path(length: u32) -> Vec<Cell> {
        (0..length).map(Cell).collect()
    }

    #[test]
    fn each_state_is_reachable_from_the_one_before() {
        let mut record = Vec::new();
        for length in 1..60 {
            // Climbing crosses no multiple of 7.
            let reachable = |a: Cell, b: Cell| a.0 / 7 == (b.0.max(1) - 1) / 7;
            compress(&path(length), &mut record, reachable);
            assert_eq!(record.first(), Some(&Cell(0)));
            assert_eq!(record.last(), Some(&Cell(length - 1)));
            for pair in record.windows(2) {
                assert!(pair[1].0 == pair[0].0 + 1 || reachable(pair[0], pair[1]));
            }
        }
        assert_eq!(record, [0, 7, 14, 21, 28, 35, 42, 49, 56, 58].map(Cell));
    }

    #[test]
    fn the_search_follows_the_figure() {
        // States 2..=8 of 8 (one-based): m = 5 fails, m = 3 holds, m = 4 holds; then from 4: m = 7, then 8.
        let mut asked = Vec::new();
        let mut record = Vec::new();
        compress(&path(8), &mut record, |a, b| {
            asked.push((a.0 + 1, b.0 + 1));
            a.0 != 0 || b.0 < 4
        });
        assert_eq!(asked, [(1, 5), (1, 3), (1, 4), (4, 7), (4, 8)]);
        assert_eq!(record, [0, 3, 7].map(Cell));
    }

    #[test]
    fn the_2009_record_stops_at_the_first_failure() {
        let mut record = Vec::new();
        first_subgoal(&path(9), &mut record, |_, b| b.0 != 5);
        assert_eq!(record, [0, 4, 8].map(Cell));
        first_subgoal(&path(9), &mut record, |_, _| true);
        assert_eq!(record, [0, 8, 8].map(Cell));
    }
}
