//! Queries: distances, whole paths, first moves, one to many.

use super::graph::walk_cost;
use super::packed::{distance, hub};
use super::{CornerLabels, View};
use crate::cost::{Cost, UNREACHED};
use crate::grid::{Cell, Grid, Point};
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

/// The best way so far.
#[derive(Clone, Copy, Debug)]
struct Meeting {
    cost: u64,
    way: Way,
}

#[derive(Clone, Copy, Debug)]
enum Way {
    /// A walk to a corner that the source sees, and from there straight to the target, which sees it too.
    Seen { corner: u32 },
    /// The lists of both ends meet at a hub: `label` is where it stands in the list of the target's corner.
    Hub {
        hub: usize,
        target: u32,
        label: usize,
    },
}

/// The entry of no query: larger than any, and any distance may be added to it.
const NEVER: u64 = (u32::MAX as u64) << 32;

const NO_MEETING: Meeting = Meeting {
    cost: UNREACHED as u64,
    way: Way::Seen { corner: 0 },
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

    /// Operations of the last query: corners seen from its ends, walks tested, labels read, corners of the path.
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
                    let sources = std::mem::take(&mut self.sources);
                    for source in &sources {
                        self.walk_straight(index, source, to, &mut best);
                    }
                    self.sources = sources;
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
            self.costs.resize(index.corners(), NEVER);
        }
        self.number += 1;
        if self.number == u32::MAX {
            self.costs.fill(NEVER);
            self.number = 1;
        }
    }

    #[inline]
    fn base(&self) -> u64 {
        u64::from(!self.number) << 32
    }

    /// The cheapest way between two ends that do not see each other.
    fn meet(&mut self, index: &CornerLabels, from: Point, to: Point) -> Meeting {
        let mut sources = std::mem::take(&mut self.sources);
        let mut targets = std::mem::take(&mut self.targets);
        self.see(index, from, to, &mut sources);
        let mut best = NO_MEETING;
        if put_best_first(&mut sources) {
            // No path is cheaper than the least bound: if that walk is free, all is done.
            self.walk_straight(index, &sources[0], to, &mut best);
            if best.cost == NO_MEETING.cost {
                self.see(index, to, from, &mut targets);
                self.meet_at_hub(index, &sources, &mut targets, &mut best);
                for source in &sources[1..] {
                    self.walk_straight(index, source, to, &mut best);
                }
            }
        }
        self.sources = sources;
        self.targets = targets;
        best
    }

    /// Looks for the cheapest meeting of two ends at a hub.
    fn meet_at_hub(
        &mut self,
        index: &CornerLabels,
        sources: &[End],
        targets: &mut [End],
        best: &mut Meeting,
    ) {
        if !put_best_first(targets) {
            return;
        }
        let view = index.view();
        self.renew(index);
        // The most promising pair gives an upper bound that rules most of the others out.
        self.lay_out(view, &sources[0]);
        self.gather(view, &targets[0], best);
        let mut more = false;
        for source in &sources[1..] {
            if u64::from(source.bound) < best.cost {
                self.lay_out(view, source);
                more = true;
            }
        }
        for target in &targets[usize::from(!more)..] {
            if u64::from(target.bound) < best.cost {
                self.gather(view, target, best);
            }
        }
    }

    /// Tries the way over one corner: seen from the source, and by a free walk from the target.
    #[inline]
    fn walk_straight(&mut self, index: &CornerLabels, source: &End, to: Point, best: &mut Meeting) {
        let corner = index.graph().points().point(source.corner);
        let cost = u64::from(source.walk) + u64::from(walk_cost(index.costs(), corner, to));
        if cost < best.cost {
            self.operations += 1;
            if index.scans().walk_is_free(to, corner) {
                let way = Way::Seen {
                    corner: source.corner,
                };
                *best = Meeting { cost, way };
            }
        }
    }

    /// Lists the corners that a point sees; a corner sees itself, and that is enough.
    #[inline]
    fn see(&mut self, index: &CornerLabels, at: Point, other: Point, ends: &mut Vec<End>) {
        ends.clear();
        let (costs, points) = (index.costs(), index.graph().points());
        if let Some(corner) = points.marked(at) {
            let bound = walk_cost(costs, at, other);
            ends.push(End {
                corner,
                walk: 0,
                bound,
            });
        } else {
            let scans = index.scans();
            scans.for_each_stop(at, scans.moves(at, None), |stop| {
                let walk = stop.diagonal * costs.diagonal() + stop.straight * costs.straight();
                ends.push(End {
                    corner: points.id(stop.at),
                    walk,
                    bound: walk.saturating_add(walk_cost(costs, stop.at, other)),
                });
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
        let words = view.list(target.corner);
        self.operations += words.len() as u64;
        let costs = &self.costs[..];
        let via = |word: u64| costs[hub(word)] + u64::from(distance(word));
        let least = words
            .iter()
            .fold(u64::MAX, |least, &word| least.min(via(word)));
        // Entries of older queries lie above the base by more than any cost.
        let cost = least
            .wrapping_sub(self.base())
            .saturating_add(u64::from(target.walk));
        if cost < best.cost
            && let Some(label) = words.iter().position(|&word| via(word) == least)
        {
            let way = Way::Hub {
                hub: hub(words[label]),
                target: target.corner,
                label,
            };
            *best = Meeting { cost, way };
        }
    }

    /// Writes the path over a meeting.
    fn follow(&mut self, view: View, from: Point, to: Point, best: Meeting) {
        let (hub, target, target_label) = match best.way {
            Way::Hub { hub, target, label } => (hub, target, label),
            Way::Seen { corner } => {
                let corner = view.graph.points().point(corner);
                self.path.push_diagonal_first(from, corner);
                self.path.push_straight_first(corner, to);
                self.operations += 1;
                return;
            }
        };
        let cost_to_hub = self.costs[hub] - self.base();
        let source = self.sources.iter().find_map(|source| {
            let label = view.find(source.corner, hub)?;
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
        view.for_each_to_hub(target, target_label, |next| chain.push(next));
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
