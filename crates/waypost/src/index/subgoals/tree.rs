//! The kd-tree over records (JAIR 2010, section 6.2, fifth enhancement), without a byte of its own: it is the order of
//! the records.
//!
//! The node of a range of records is the one in its middle; what lies before is its left subtree, what lies after its
//! right one. Levels divide by x of the start, y of the start, x of the end, y of the end, and so on. As in the paper
//! smaller coordinates lie to the left and larger ones to the right; equal ones may lie on both sides here, which keeps
//! the tree balanced, and the query looks at both.
//!
//! A query keeps the smallest box that a subtree can lie in and skips it when even the nearest point of the box is
//! farther than the worst record kept. Ties are broken by the record's number, so the answer is that of a scan over all
//! records. The paper bounds a query by the number of records; [`Query::visits`] bounds it further: when this many nodes have
//! been looked at, the best found so far are the answer. Nearer subtrees are looked at first, so that is a good answer.

use crate::cost::{Cost, StepCosts};
use crate::grid::{Cell, Point};

/// How the distances of the two ends make one number; less is more similar.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Similarity {
    /// The larger of the two (2010).
    Larger,
    /// Their sum (2009).
    Sum,
}

impl Similarity {
    /// The dissimilarity of a record whose ends are so far from start and goal.
    #[inline]
    pub fn of(self, start: Cost, end: Cost) -> Cost {
        match self {
            Similarity::Larger => start.max(end),
            Similarity::Sum => start.saturating_add(end),
        }
    }
}

/// A record found by a query. Ordered from most to least similar.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Candidate {
    /// How dissimilar it is.
    pub distance: Cost,
    /// Which record it is.
    pub record: u32,
}

impl Candidate {
    /// Puts it in its place among the `wanted` best if it belongs there.
    #[inline]
    pub(crate) fn keep_among(self, best: &mut Vec<Candidate>, wanted: usize) {
        if best.len() == wanted {
            if best.last().is_none_or(|worst| *worst < self) {
                return;
            }
            best.pop();
        }
        let place = best.partition_point(|kept| *kept < self);
        best.insert(place, self);
    }
}

/// What to look for.
#[derive(Clone, Copy, Debug)]
pub struct Query {
    /// Where the agent is.
    pub from: Point,
    /// Where it wants to go.
    pub goal: Point,
    /// What moves cost.
    pub costs: StepCosts,
    /// The measure.
    pub similarity: Similarity,
    /// How many records.
    pub wanted: usize,
    /// The most tree nodes to look at.
    pub visits: u32,
}

impl Query {
    /// The dissimilarity of a record with these ends.
    #[inline]
    fn distance(&self, start: Point, end: Point) -> Cost {
        let ((sx, sy), (ex, ey)) = (self.from.distances(start), self.goal.distances(end));
        self.of_differences([sx, sy, ex, ey])
    }

    #[inline]
    fn of_differences(&self, by: [u32; 4]) -> Cost {
        self.similarity.of(
            self.costs.octile(by[0], by[1]),
            self.costs.octile(by[2], by[3]),
        )
    }
}

/// A subtree still to be looked at: a range of records and how far its box is from the query in each dimension.
#[derive(Clone, Copy)]
struct Subtree {
    low: u32,
    high: u32,
    dimension: u8,
    away: [u32; 4],
}

/// Subtrees put off at any time: at most one per level.
const MAX_LEVELS: usize = 33;

/// The most similar records, best first, into `best`; gives the number of tree nodes looked at. Allocates only where
/// `best` is not yet large enough.
pub fn nearest(
    ends: &[[Cell; 2]],
    point: impl Fn(Cell) -> Point,
    query: &Query,
    best: &mut Vec<Candidate>,
) -> u32 {
    best.clear();
    if query.wanted == 0 {
        return 0;
    }
    let wanted_at = [query.from.x, query.from.y, query.goal.x, query.goal.y];
    let mut visited = 0;
    let mut stack = [Subtree {
        low: 0,
        high: ends.len() as u32,
        dimension: 0,
        away: [0; 4],
    }; MAX_LEVELS];
    let mut waiting = 1;
    while waiting > 0 {
        waiting -= 1;
        let mut tree = stack[waiting];
        if best.len() == query.wanted
            && query.of_differences(tree.away) > best[query.wanted - 1].distance
        {
            continue;
        }
        while tree.low < tree.high {
            if visited == query.visits {
                return visited;
            }
            visited += 1;
            let middle = tree.low + (tree.high - tree.low) / 2;
            let [start, end] = ends[middle as usize].map(&point);
            let candidate = Candidate {
                distance: query.distance(start, end),
                record: middle,
            };
            candidate.keep_among(best, query.wanted);
            let dimension = usize::from(tree.dimension);
            let split = [start.x, start.y, end.x, end.y][dimension];
            let next = (tree.dimension + 1) & 3;
            let (mut near, mut far) = (
                Subtree {
                    high: middle,
                    dimension: next,
                    ..tree
                },
                Subtree {
                    low: middle + 1,
                    dimension: next,
                    ..tree
                },
            );
            if wanted_at[dimension] > split {
                std::mem::swap(&mut near, &mut far);
            }
            far.away[dimension] = tree.away[dimension].max(wanted_at[dimension].abs_diff(split));
            if far.low < far.high {
                stack[waiting] = far;
                waiting += 1;
            }
            tree = near;
        }
    }
    visited
}

/// The same answer by looking at every record.
pub fn scan(
    ends: &[[Cell; 2]],
    point: impl Fn(Cell) -> Point,
    query: &Query,
    best: &mut Vec<Candidate>,
) -> u32 {
    best.clear();
    for (record, pair) in ends.iter().enumerate() {
        let [start, end] = pair.map(&point);
        let candidate = Candidate {
            distance: query.distance(start, end),
            record: record as u32,
        };
        candidate.keep_among(best, query.wanted);
    }
    ends.len() as u32
}

/// The order of records that makes the tree: `order[place]` is the number of the record that belongs there.
pub(super) fn tree_order(ends: &[[Cell; 2]], point: impl Fn(Cell) -> Point) -> Vec<u32> {
    let keys: Vec<[u32; 4]> = ends
        .iter()
        .map(|pair| {
            let [start, end] = pair.map(&point);
            [start.x, start.y, end.x, end.y]
        })
        .collect();
    let mut order: Vec<u32> = (0..ends.len() as u32).collect();
    divide(&mut order, &keys, 0);
    order
}

fn divide(order: &mut [u32], keys: &[[u32; 4]], dimension: usize) {
    if order.len() < 2 {
        return;
    }
    let middle = order.len() / 2;
    // The record's number makes every key different, so the result does not depend on how the selection works.
    order.select_nth_unstable_by_key(middle, |&r| (keys[r as usize][dimension], r));
    let (left, right) = order.split_at_mut(middle);
    let next = (dimension + 1) & 3;
    divide(left, keys, next);
    divide(&mut right[1..], keys, next);
}

/// Is every record on the right side of all nodes above it? Checked when a file is opened.
pub(super) fn is_tree(ends: &[[Cell; 2]], point: &impl Fn(Cell) -> Point) -> bool {
    fn within(
        ends: &[[Cell; 2]],
        point: &impl Fn(Cell) -> Point,
        dimension: usize,
        low: [u32; 4],
        high: [u32; 4],
    ) -> bool {
        if ends.is_empty() {
            return true;
        }
        let middle = ends.len() / 2;
        let [start, end] = ends[middle].map(point);
        let key = [start.x, start.y, end.x, end.y];
        let (mut left, mut right) = (high, low);
        left[dimension] = key[dimension];
        right[dimension] = key[dimension];
        let next = (dimension + 1) & 3;
        (0..4).all(|d| (low[d]..=high[d]).contains(&key[d]))
            && within(&ends[..middle], point, next, low, left)
            && within(&ends[middle + 1..], point, next, right, high)
    }
    within(ends, point, 0, [0; 4], [u32::MAX; 4])
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::cost::CostPair;
    use crate::rng::Rng;

    /// Cells of a plane 1024 wide, without a grid.
    fn point(cell: Cell) -> Point {
        Point {
            x: cell.0 & 1023,
            y: cell.0 >> 10,
        }
    }

    fn random_tree(rng: &mut Rng, records: u32, side: u32) -> Vec<[Cell; 2]> {
        let ends: Vec<[Cell; 2]> = (0..records)
            .map(|_| [0; 2].map(|_| Cell(rng.below(side) | rng.below(side) << 10)))
            .collect();
        let order = tree_order(&ends, point);
        order.iter().map(|&r| ends[r as usize]).collect()
    }

    /// 44,000 queries over trees of many shapes, most of them full of ties: the tree answers as the scan does.
    #[test]
    fn the_tree_equals_a_scan() {
        let mut rng = Rng::new(11);
        let (mut by_tree, mut by_scan) = (Vec::new(), Vec::new());
        for records in [0, 1, 2, 3, 4, 5, 7, 10, 31, 100, 1000, 4000, 60_000] {
            for side in [2, 9, 60, 1024] {
                let ends = random_tree(&mut rng, records, side);
                assert!(is_tree(&ends, &point));
                let queries = (60_000 / (records + 48)).clamp(200, 1250);
                for number in 0..queries {
                    let query = Query {
                        from: point(Cell(rng.below(side) | rng.below(side) << 10)),
                        goal: point(Cell(rng.below(side) | rng.below(side) << 10)),
                        costs: [CostPair::Sqrt2, CostPair::OnePointFour][number as usize % 2]
                            .steps(),
                        similarity: [Similarity::Larger, Similarity::Sum][number as usize / 2 % 2],
                        wanted: [1, 10, 25, 5000][rng.below(4) as usize],
                        visits: u32::MAX,
                    };
                    let visited = nearest(&ends, point, &query, &mut by_tree);
                    scan(&ends, point, &query, &mut by_scan);
                    assert_eq!(by_tree, by_scan, "{records} records, {query:?}");
                    assert!(visited <= records);
                }
            }
        }
    }

    #[test]
    fn the_limit_of_visits_holds() {
        let mut rng = Rng::new(3);
        let ends = random_tree(&mut rng, 5000, 1024);
        let mut best = Vec::new();
        for visits in [0, 1, 10, 100, 5000] {
            let query = Query {
                from: Point { x: 5, y: 900 },
                goal: Point { x: 500, y: 3 },
                costs: CostPair::Sqrt2.steps(),
                similarity: Similarity::Larger,
                wanted: 10,
                visits,
            };
            assert!(nearest(&ends, point, &query, &mut best) <= visits);
            assert_eq!(best.len(), 10.min(visits as usize));
            assert!(best.is_sorted());
        }
    }

    #[test]
    fn a_wrong_order_is_noticed() {
        let mut ends = random_tree(&mut Rng::new(8), 50, 1024);
        ends.swap(0, 49);
        assert!(!is_tree(&ends, &point));
    }
}
