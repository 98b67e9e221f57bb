//! Queries: distances, whole paths, first moves, one to many.

use super::graph::walk_cost;
use super::packed::{distance, hub};
use super::{CornerLabels, View};
use crate::cost::{Cost, UNREACHED};
use crate::grid::scan::moved;
use crate::grid::{Cell, Direction, Directions, Grid, Point};
use crate::search::jps::{PathRuns, RunBuffer};

/// A corner at one end of a query.
#[derive(Clone, Copy, Debug)]
struct End {
    corner: u32,
    /// The cost of the walk between the end and the corner.
    walk: Cost,
    /// A lower bound on every path over this corner.
    bound: Cost,
}

/// The best meeting so far: a hub, a corner of the target's end, and where the hub stands in its list.
#[derive(Clone, Copy, Debug)]
struct Meeting {
    cost: u64,
    hub: usize,
    target: u32,
    label: usize,
}

const NO_MEETING: Meeting = Meeting {
    cost: UNREACHED as u64,
    hub: 0,
    target: 0,
    label: 0,
};

/// Memory of queries: one per thread. Nothing is allocated once it has grown to the index and its longest path.
#[derive(Clone, Debug, Default)]
pub struct LabelQuery {
    /// By hub: the cost from the source, below the complement of the query's number. Older entries are larger.
    costs: Vec<u64>,
    number: u32,
    sources: Vec<End>,
    targets: Vec<End>,
    chain: Vec<Point>,
    path: RunBuffer,
    operations: u64,
}

impl LabelQuery {
    /// Empty memory.
    pub fn new() -> LabelQuery {
        LabelQuery::default()
    }

    /// Operations of the last query: corners seen from its ends, labels read, corners of the path.
    pub fn operations(&self) -> u64 {
        self.operations
    }

    /// Bytes of memory that queries hold on to.
    pub fn memory_bytes(&self) -> usize {
        self.costs.capacity() * 8
            + (self.sources.capacity() + self.targets.capacity()) * size_of::<End>()
            + self.chain.capacity() * size_of::<Point>()
            + self.path.memory_bytes()
    }

    /// The cost of the cheapest path; `None` where there is none or an end cannot be stood on.
    pub fn distance(&mut self, index: &CornerLabels, from: Point, to: Point) -> Option<Cost> {
        self.operations = 0;
        if index.is_direct(from, to)? {
            return Some(walk_cost(index.costs(), from, to));
        }
        let best = self.meet(index, from, to);
        (best.cost < u64::from(UNREACHED)).then_some(best.cost as Cost)
    }

    /// The cheapest path; `None` where there is none or an end cannot be stood on.
    pub fn path(&mut self, index: &CornerLabels, from: Point, to: Point) -> Option<PathRuns<'_>> {
        self.operations = 0;
        let direct = index.is_direct(from, to)?;
        self.path.begin(from);
        if direct {
            self.path.push_diagonal_first(from, to);
            return Some(self.path.path());
        }
        let best = self.meet(index, from, to);
        if best.cost >= u64::from(UNREACHED) {
            return None;
        }
        self.follow(index.view(), from, to, best);
        Some(self.path.path())
    }

    /// The first `most` cells of the cheapest path after its start; `None` where there is no path.
    pub fn first_moves(
        &mut self,
        index: &CornerLabels,
        grid: &Grid,
        from: Point,
        to: Point,
        most: usize,
        cells: &mut Vec<Cell>,
    ) -> Option<()> {
        cells.clear();
        let path = self.path(index, from, to)?;
        let mut at = grid.cell(from)?;
        for run in path.runs() {
            for _ in 0..run.steps {
                if cells.len() == most {
                    return Some(());
                }
                at = grid.neighbour(at, run.direction);
                cells.push(at);
            }
        }
        Some(())
    }

    /// Costs from one point to many, [`UNREACHED`] where there is no path: the labels of the one are laid out once. Moves
    /// cost the same both ways, so these are also the costs from the many to the one.
    pub fn distances(
        &mut self,
        index: &CornerLabels,
        one: Point,
        many: &[Point],
        costs: &mut Vec<Cost>,
    ) {
        costs.clear();
        self.operations = 0;
        if !index.is_passable(one) {
            costs.resize(many.len(), UNREACHED);
            return;
        }
        self.renew(index);
        let view = index.view();
        let mut sources = std::mem::take(&mut self.sources);
        self.see(index, one, one, &mut sources);
        for source in &sources {
            self.lay_out(view, source);
        }
        self.sources = sources;
        let mut targets = std::mem::take(&mut self.targets);
        for &to in many {
            let cost = match index.is_direct(one, to) {
                None => UNREACHED,
                Some(true) => walk_cost(index.costs(), one, to),
                Some(false) => {
                    self.see(index, to, one, &mut targets);
                    let mut best = NO_MEETING;
                    for target in &targets {
                        self.gather(view, target, &mut best);
                    }
                    best.cost as Cost
                }
            };
            costs.push(cost);
        }
        self.targets = targets;
    }

    /// Which of many points is nearest to one, and at what cost: the first of equals.
    pub fn nearest(
        &mut self,
        index: &CornerLabels,
        one: Point,
        many: &[Point],
        costs: &mut Vec<Cost>,
    ) -> Option<(usize, Cost)> {
        self.distances(index, one, many, costs);
        let nearest = costs
            .iter()
            .copied()
            .enumerate()
            .min_by_key(|&(i, c)| (c, i));
        nearest.filter(|&(_, cost)| cost != UNREACHED)
    }

    /// Begins a new query in the table of costs.
    fn renew(&mut self, index: &CornerLabels) {
        if self.costs.len() < index.corners() {
            self.costs.resize(index.corners(), u64::MAX);
        }
        self.number += 1;
        if self.number == u32::MAX {
            self.costs.fill(u64::MAX);
            self.number = 1;
        }
    }

    #[inline]
    fn base(&self) -> u64 {
        u64::from(!self.number) << 32
    }

    /// The cheapest meeting of the two ends at a hub.
    fn meet(&mut self, index: &CornerLabels, from: Point, to: Point) -> Meeting {
        let mut best = NO_MEETING;
        let view = index.view();
        let mut sources = std::mem::take(&mut self.sources);
        let mut targets = std::mem::take(&mut self.targets);
        self.see(index, from, to, &mut sources);
        self.see(index, to, from, &mut targets);
        if put_best_first(&mut sources) && put_best_first(&mut targets) {
            self.renew(index);
            // The most promising pair gives an upper bound that rules most of the others out.
            self.lay_out(view, &sources[0]);
            self.gather(view, &targets[0], &mut best);
            let mut more = false;
            for source in &sources[1..] {
                if u64::from(source.bound) < best.cost {
                    self.lay_out(view, source);
                    more = true;
                }
            }
            for target in &targets[usize::from(!more)..] {
                if u64::from(target.bound) < best.cost {
                    self.gather(view, target, &mut best);
                }
            }
        }
        self.sources = sources;
        self.targets = targets;
        best
    }

    /// Lists the corners that a point sees; a corner sees itself, and that is enough.
    #[inline]
    fn see(&mut self, index: &CornerLabels, at: Point, other: Point, ends: &mut Vec<End>) {
        ends.clear();
        let costs = index.costs();
        if let Some(corner) = index.graph().points().marked(at) {
            let bound = walk_cost(costs, at, other);
            ends.push(End {
                corner,
                walk: 0,
                bound,
            });
        } else {
            let scans = index.scans();
            let end = |seen: Point, walk: Cost| End {
                corner: index.graph().points().id(seen),
                walk,
                bound: walk.saturating_add(walk_cost(costs, seen, other)),
            };
            // How far a straight walk goes before it meets a wall or a corner.
            let mut clear = [0u32; 8];
            for straight in [0, 2, 4, 6].map(Direction::from_number) {
                let jump = scans.jump(at, straight);
                clear[straight as usize] = jump.steps - u32::from(jump.stop);
                if jump.stop {
                    let seen = moved(at, straight, jump.steps);
                    ends.push(end(seen, jump.steps * costs.straight()));
                }
            }
            let diagonals = Directions(scans.moves(at, None).0 & 0b1010_1010);
            scans.for_each_stop(at, diagonals, |stop| {
                // Where the other order of the walk, straight steps first, is blocked or meets a corner, a shortest path
                // to this corner leads over another one, which is seen too.
                if stop.diagonal > 0
                    && stop.straight > 0
                    && (stop.straight > clear[stop.arrival as usize]
                        || scans.run(moved(at, stop.arrival, stop.straight), stop.departure)
                            < stop.diagonal)
                {
                    return;
                }
                let walk = stop.diagonal * costs.diagonal() + stop.straight * costs.straight();
                ends.push(end(stop.at, walk));
            });
        }
        self.operations += ends.len() as u64;
    }

    #[inline]
    fn lay_out(&mut self, view: View, source: &End) {
        let base = self.base() + u64::from(source.walk);
        let words = view.list(source.corner);
        self.operations += words.len() as u64;
        let costs = &mut self.costs[..];
        for &word in words {
            let cost = &mut costs[hub(word)];
            *cost = (*cost).min(base + u64::from(distance(word)));
        }
    }

    #[inline]
    fn gather(&mut self, view: View, target: &End, best: &mut Meeting) {
        // Entries of older queries lie above the base by more than any cost.
        let base = self.base();
        let walk = u64::from(target.walk);
        let words = view.list(target.corner);
        self.operations += words.len() as u64;
        let costs = &self.costs[..];
        for (label, &word) in words.iter().enumerate() {
            let cost = costs[hub(word)] - base + walk + u64::from(distance(word));
            if cost < best.cost {
                *best = Meeting {
                    cost,
                    hub: hub(word),
                    target: target.corner,
                    label,
                };
            }
        }
    }

    /// Writes the path over a meeting.
    fn follow(&mut self, view: View, from: Point, to: Point, best: Meeting) {
        let cost_to_hub = self.costs[best.hub] - self.base();
        let source = self.sources.iter().find_map(|source| {
            let label = view.find(source.corner, best.hub)?;
            let cost =
                u64::from(source.walk) + u64::from(distance(view.list(source.corner)[label]));
            (cost == cost_to_hub).then_some((source.corner, label))
        });
        let Some((corner, label)) = source else {
            return;
        };
        let mut at = from;
        let path = &mut self.path;
        let mut steps = 0;
        view.for_each_to_hub(corner, label, |next| {
            path.push_diagonal_first(at, next);
            at = next;
            steps += 1;
        });
        self.chain.clear();
        let chain = &mut self.chain;
        view.for_each_to_hub(best.target, best.label, |next| chain.push(next));
        steps += chain.len() as u64;
        // The chain ends at the hub, where the path already is.
        for &next in chain.iter().rev() {
            path.push_diagonal_first(at, next);
            at = next;
        }
        // The walk was seen from the target, diagonal steps first.
        path.push_straight_first(at, to);
        self.operations += steps;
    }
}

/// Moves the end with the least bound to the front; false where there is none.
fn put_best_first(ends: &mut [End]) -> bool {
    let least = (0..ends.len()).min_by_key(|&i| ends[i].bound);
    if let Some(least) = least {
        ends.swap(0, least);
    }
    least.is_some()
}
