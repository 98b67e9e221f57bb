//! Queries: distances, routes, whole paths, first moves, one to many.

use super::ends::{End, Reach, number, put_best_first, see};
use super::graph::walk_cost;
use super::lists::ListsView;
use super::rest::{Question, RestSearch};
use super::route::{Route, Way};
use super::table::HubCosts;
use super::{CornerLabels, FOLLOWED, SEEN};
use crate::cost::{Cost, UNREACHED};
use crate::grid::scan::Walk;
use crate::grid::{Cell, Grid, Point};
use crate::search::jps::{PathRuns, Run, RunBuffer};

/// The best way so far.
#[derive(Clone, Copy, Debug)]
pub(super) struct Meeting {
    pub(super) cost: u64,
    pub(super) over: Over,
}

#[derive(Clone, Copy, Debug)]
pub(super) enum Over {
    /// A corner that the source sees, and the target by a free walk.
    Seen(Point),
    /// A hub that the lists of both ends hold; which of the targets leads to it.
    Hub { target: usize },
    /// The corners that a search has found.
    Searched,
    /// Not known: more labels would have to be read than may be.
    LeftOff,
}

/// A meeting at a hub: its rank, and the corners at both ends with their labels of it.
struct LabelsOver {
    hub: usize,
    source: (End, usize),
    target: (End, usize),
}

pub(super) const NO_MEETING: Meeting = Meeting {
    cost: UNREACHED as u64,
    over: Over::Seen(Point { x: 0, y: 0 }),
};

/// Corners at an end that memory is reserved for: few cells of few maps see more.
const MAX_ENDS: usize = 1024;

/// Memory of queries: one per thread. Nothing is allocated once it has grown to the index and its longest path.
#[derive(Clone, Debug)]
pub struct LabelQuery {
    pub(super) costs: HubCosts,
    pub(super) sources: Vec<End>,
    pub(super) targets: Vec<End>,
    chain: Vec<Walk>,
    path: RunBuffer,
    rest: RestSearch,
    pub(super) operations: u64,
    /// Labels that may be read before a query is left off.
    pub(super) most_labels: u64,
}

impl Default for LabelQuery {
    fn default() -> LabelQuery {
        LabelQuery {
            costs: HubCosts::default(),
            sources: Vec::new(),
            targets: Vec::new(),
            chain: Vec::new(),
            path: RunBuffer::default(),
            rest: RestSearch::default(),
            operations: 0,
            most_labels: u64::MAX,
        }
    }
}

impl LabelQuery {
    /// Empty memory.
    pub fn new() -> LabelQuery {
        LabelQuery::default()
    }

    /// Makes room for queries of these labels.
    pub fn reserve(&mut self, index: &CornerLabels) {
        self.costs.renew(index.corners());
        let corners = index.corners().min(MAX_ENDS);
        self.sources.reserve(corners);
        self.targets.reserve(corners);
        let chain = index.measures().longest_chain as usize + 2;
        self.chain.reserve(chain);
        self.path.reserve(4 * chain);
        if !index.rest.is_empty() {
            self.path.reserve(2 * index.corners() + 4);
            let arcs = index.graph().arc_count();
            self.rest.reserve(index.corners(), arcs + MAX_ENDS);
        }
    }

    /// Operations of the last query: labels read, walks tested, and corners seen from its ends and followed on the path, by what these
    /// take.
    pub fn operations(&self) -> u64 {
        self.operations
    }

    /// Memory for the corners that a goal sees.
    pub(super) fn goal_ends(&mut self) -> &mut Vec<End> {
        &mut self.targets
    }

    /// This many operations were done in this memory.
    pub(super) fn count(&mut self, operations: u64) {
        self.operations = operations;
    }

    /// Bytes of memory that queries hold on to.
    pub fn memory_bytes(&self) -> usize {
        self.costs.memory_bytes()
            + (self.sources.capacity() + self.targets.capacity()) * size_of::<End>()
            + self.chain.capacity() * size_of::<Walk>()
            + self.path.memory_bytes()
            + self.rest.memory_bytes()
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

    /// The cheapest path, found but not laid out; `None` where there is none or an end cannot be stood on.
    ///
    /// Its cost, its first run ([`LabelQuery::first_run`]) and every further run ([`Route::runs`]) are there at once,
    /// however long it is.
    pub fn route(&mut self, index: &CornerLabels, from: Point, to: Point) -> Option<Route> {
        let (cost, way) = self.find(index, from, to)?;
        Some(self.route_of(from, to, cost, way))
    }

    pub(super) fn route_of(&self, from: Point, to: Point, cost: Cost, way: Way) -> Route {
        let corners = match way {
            Way::Searched => self.rest.corners().to_vec(),
            _ => Vec::new(),
        };
        Route {
            from,
            to,
            cost,
            way,
            corners,
        }
    }

    /// The cost of the cheapest path and where it is kept.
    fn find(&mut self, index: &CornerLabels, from: Point, to: Point) -> Option<(Cost, Way)> {
        self.operations = 0;
        if index.is_direct(from, to)? {
            return Some((walk_cost(index.costs(), from, to), Way::Direct));
        }
        let best = self.meet(index, from, to);
        self.resolved(index, best)
    }

    /// The cost of a meeting, and where the path over it is kept.
    pub(super) fn resolved(&mut self, index: &CornerLabels, best: Meeting) -> Option<(Cost, Way)> {
        if best.cost >= u64::from(UNREACHED) {
            return None;
        }
        Some((best.cost as Cost, self.resolve(index, best)?))
    }

    /// The cost of the cheapest path and its first run: what an agent needs to move at once. The run is missing where the
    /// path ends where it begins.
    pub fn first_run(
        &mut self,
        index: &CornerLabels,
        from: Point,
        to: Point,
    ) -> Option<(Cost, Option<Run>)> {
        self.operations = 0;
        if index.is_direct(from, to)? {
            let run = (from != to).then(|| first_of(Walk::between(from, to)));
            return Some((walk_cost(index.costs(), from, to), run));
        }
        let best = self.meet(index, from, to);
        if best.cost >= u64::from(UNREACHED) {
            return None;
        }
        let cost = best.cost as Cost;
        let corner = match best.over {
            Over::Seen(corner) => corner,
            Over::Searched => *self.rest.corners().first()?,
            Over::LeftOff => return None,
            Over::Hub { target } => self.labels_over(index, best.cost, target)?.source.0.at,
        };
        // Most paths begin with a walk to a corner that has just been seen: nothing has to be looked up for it.
        let run = if corner == from {
            let way = self.resolve(index, best)?;
            let mut runs = self.route_of(from, to, cost, way).into_runs();
            runs.next_run(index)
        } else {
            Some(first_of(Walk::between(from, corner)))
        };
        Some((cost, run))
    }

    /// The cheapest path; `None` where there is none or an end cannot be stood on.
    pub fn path(&mut self, index: &CornerLabels, from: Point, to: Point) -> Option<PathRuns<'_>> {
        let (_, way) = self.find(index, from, to)?;
        self.lay_out_path(index, from, to, way);
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
        let mut runs = self.route(index, from, to)?.into_runs();
        let mut at = grid.cell(from)?;
        while cells.len() < most
            && let Some(run) = runs.next_run(index)
        {
            for _ in 0..(run.steps as usize).min(most - cells.len()) {
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
        if !index.rest.is_empty() {
            let mut operations = 0;
            for &to in many {
                costs.push(self.distance(index, one, to).unwrap_or(UNREACHED));
                operations += self.operations;
            }
            self.operations = operations;
            return;
        }
        self.costs.renew(index.corners());
        see(index.ground(), one, one, &mut self.sources);
        number(index.graph().points(), &mut self.sources);
        self.operations += SEEN * self.sources.len() as u64;
        let lists = index.lists().view();
        for i in 0..self.sources.len() {
            self.lay_out(lists, i);
        }
        for &to in many {
            costs.push(self.distance_from_sources(index, lists, one, to));
        }
    }

    /// The cost to a point from one whose sources have all been laid out.
    fn distance_from_sources(
        &mut self,
        index: &CornerLabels,
        lists: ListsView,
        one: Point,
        to: Point,
    ) -> Cost {
        match index.is_direct(one, to) {
            None => return UNREACHED,
            Some(true) => return walk_cost(index.costs(), one, to),
            Some(false) => {}
        }
        see(index.ground(), to, one, &mut self.targets);
        number(index.graph().points(), &mut self.targets);
        self.operations += SEEN * self.targets.len() as u64;
        let mut best = NO_MEETING;
        for i in 0..self.targets.len() {
            self.gather(lists, i, &mut best);
        }
        let reach = Reach::of(index.scans(), to);
        for i in 0..self.sources.len() {
            let source = &mut self.sources[i];
            let rest = walk_cost(index.costs(), source.at, to);
            source.straight = source.walk.saturating_add(rest);
            self.walk_straight(index, &reach, i, &mut best);
        }
        best.cost as Cost
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

    /// The cheapest way between two ends that do not see each other.
    pub(super) fn meet(&mut self, index: &CornerLabels, from: Point, to: Point) -> Meeting {
        see(index.ground(), from, to, &mut self.sources);
        self.operations += SEEN * self.sources.len() as u64;
        let mut best = NO_MEETING;
        if !put_best_first(&mut self.sources) {
            return best;
        }
        // No path is cheaper than the least bound: if that walk is free, all is done.
        let reach = Reach::of(index.scans(), to);
        self.walk_straight(index, &reach, 0, &mut best);
        if best.cost == NO_MEETING.cost {
            let tried = self.sources[0].at;
            see(index.ground(), to, from, &mut self.targets);
            self.operations += SEEN * self.targets.len() as u64;
            if !self.meet_at_hub(index, &mut best) {
                best.over = Over::LeftOff;
                return best;
            }
            for i in 0..self.sources.len() {
                if self.sources[i].at != tried {
                    self.walk_straight(index, &reach, i, &mut best);
                }
            }
            if !index.rest.is_empty() && !self.targets.is_empty() {
                self.search_rest(index, &reach, to, &mut best);
            }
        }
        best
    }

    /// Looks for a cheaper path that no hub lies on.
    fn search_rest(&mut self, index: &CornerLabels, reach: &Reach, to: Point, best: &mut Meeting) {
        let corners = index.graph().points();
        let bounds = index.bounds.distances_of(&self.targets, |landmark| {
            reach.walk_is_free(index.scans(), corners.point(landmark))
        });
        let question = Question {
            to,
            sources: &self.sources,
            targets: &self.targets,
            bounds,
            below: best.cost,
        };
        if let Some(cost) = self.rest.find(index, &question, &mut self.operations) {
            let over = Over::Searched;
            *best = Meeting { cost, over };
        }
    }

    /// Finds the numbers of the corners at both ends, and what the paths over them cost at least.
    pub(super) fn number_ends(&mut self, index: &CornerLabels) {
        number(index.graph().points(), &mut self.sources);
        number(index.graph().points(), &mut self.targets);
        index.bounds.tighten(&mut self.sources, &mut self.targets);
    }

    /// Looks for the cheapest meeting of the two ends at a hub; whether no more labels would have to be read for that than may be.
    fn meet_at_hub(&mut self, index: &CornerLabels, best: &mut Meeting) -> bool {
        self.number_ends(index);
        if !put_best_first(&mut self.targets) {
            return true;
        }
        put_best_first(&mut self.sources);
        let lists = index.lists().view();
        let first_pair = labels_of(lists, &self.sources[0]) + labels_of(lists, &self.targets[0]);
        // The list of the target that the path leads to is read once more.
        if first_pair + labels_of(lists, &self.targets[0]) > self.most_labels {
            return false;
        }
        self.costs.renew(index.corners());
        // The most promising pair gives an upper bound that rules most of the others out.
        self.lay_out(lists, 0);
        self.gather(lists, 0, best);
        let is_limited = self.most_labels < u64::MAX;
        if is_limited && first_pair + self.labels_below(lists, best.cost) > self.most_labels {
            return false;
        }
        let mut more = false;
        for i in 1..self.sources.len() {
            if u64::from(self.sources[i].bound) < best.cost {
                self.lay_out(lists, i);
                more = true;
            }
        }
        for i in usize::from(!more)..self.targets.len() {
            if u64::from(self.targets[i].bound) < best.cost {
                self.gather(lists, i, best);
            }
        }
        true
    }

    /// Labels that are read after the first pair, where paths of less than this cost are looked for.
    fn labels_below(&self, lists: ListsView, cost: u64) -> u64 {
        let below = |end: &&End| u64::from(end.bound) < cost;
        let labels = |end: &End| labels_of(lists, end);
        let sources = self.sources[1..].iter().filter(below).map(labels);
        let targets = self.targets.iter().filter(below).map(labels);
        let longest = targets.clone().max().unwrap_or(0);
        let again = longest.max(labels_of(lists, &self.targets[0]));
        sources.chain(targets).sum::<u64>() + again
    }

    /// Tries the way over one corner: seen from the source, and by a free walk from the target.
    #[inline]
    pub(super) fn walk_straight(
        &mut self,
        index: &CornerLabels,
        reach: &Reach,
        i: usize,
        best: &mut Meeting,
    ) {
        let source = self.sources[i];
        let cost = u64::from(source.straight);
        if cost < best.cost {
            self.operations += 1;
            if reach.walk_is_free(index.scans(), source.at) {
                let over = Over::Seen(source.at);
                *best = Meeting { cost, over };
            }
        }
    }

    #[inline]
    fn lay_out(&mut self, lists: ListsView, i: usize) {
        let source = self.sources[i];
        let read = self.costs.lay_out(lists, source.corner, source.walk);
        self.operations += read as u64;
    }

    #[inline]
    fn gather(&mut self, lists: ListsView, i: usize, best: &mut Meeting) {
        let target = self.targets[i];
        self.operations += lists.labels(target.corner).len() as u64;
        let cost = self.costs.least(lists, target.corner);
        let cost = cost.saturating_add(u64::from(target.walk));
        if cost < best.cost {
            let over = Over::Hub { target: i };
            *best = Meeting { cost, over };
        }
    }

    /// Where the path over a meeting is kept.
    fn resolve(&mut self, index: &CornerLabels, best: Meeting) -> Option<Way> {
        let target = match best.over {
            Over::Seen(corner) => return Some(Way::Over { corner }),
            Over::Searched => return Some(Way::Searched),
            Over::LeftOff => return None,
            Over::Hub { target } => target,
        };
        let LabelsOver {
            hub,
            source: (source, source_label),
            target: (target, target_label),
        } = self.labels_over(index, best.cost, target)?;
        Some(Way::Hub {
            hub: hub as u32,
            source: index.place(source.at, source.corner, source_label),
            target: index.place(target.at, target.corner, target_label),
        })
    }

    /// The labels over which a path of this cost leads to one of the targets.
    fn labels_over(
        &mut self,
        index: &CornerLabels,
        cost: u64,
        target: usize,
    ) -> Option<LabelsOver> {
        let (lists, target) = (index.lists().view(), self.targets[target]);
        self.operations += lists.labels(target.corner).len() as u64;
        let to_target = cost - u64::from(target.walk);
        let (hub, target_label) = self.costs.meeting(lists, target.corner, to_target)?;
        let to_hub = self.costs.cost(hub);
        let hub_at = index.hub_point(hub);
        for &source in &self.sources {
            self.operations += 1;
            // Most sources are too far from the hub at first sight.
            let bound = u64::from(walk_cost(index.costs(), source.at, hub_at));
            if u64::from(source.walk) + bound > to_hub {
                continue;
            }
            let label = lists.find(source.corner, hub);
            let label = label.filter(|&label| {
                u64::from(source.walk) + u64::from(lists.distance(label)) == to_hub
            });
            if let Some(label) = label {
                return Some(LabelsOver {
                    hub,
                    source: (source, label),
                    target: (target, target_label),
                });
            }
        }
        None
    }

    /// Writes the path that was found last.
    fn lay_out_path(&mut self, index: &CornerLabels, from: Point, to: Point, way: Way) {
        self.path.begin(from);
        match way {
            Way::Direct => self.path.push_diagonal_first(from, to),
            Way::Over { corner } => {
                self.operations += FOLLOWED;
                self.path.extend(|path| {
                    path.push_diagonal_first(Walk::between(from, corner));
                    path.push_straight_first(Walk::between(corner, to));
                });
            }
            Way::Searched => {
                let corners = self.rest.corners();
                self.operations += FOLLOWED * corners.len() as u64;
                self.path.extend(|path| {
                    let mut at = from;
                    for &corner in corners {
                        path.push_diagonal_first(Walk::between(at, corner));
                        at = corner;
                    }
                    path.push_straight_first(Walk::between(at, to));
                });
            }
            Way::Hub {
                hub,
                source,
                target,
            } => {
                let (chain, mut corners) = (&mut self.chain, 0);
                self.path.extend(|path| {
                    path.push_diagonal_first(Walk::between(from, source.at));
                    corners = index.lay_out_way(hub as usize, source, target, chain, path);
                    // The last walk was seen from the target, diagonal steps first.
                    path.push_straight_first(Walk::between(target.at, to));
                });
                self.operations += FOLLOWED * corners;
            }
        }
    }
}

/// The first run of a walk that has any steps, diagonal steps first.
fn first_of(walk: Walk) -> Run {
    let (direction, steps) = match walk.diagonal_steps {
        0 => (walk.straight, walk.straight_steps),
        steps => (walk.diagonal, steps),
    };
    Run { direction, steps }
}

/// Labels of the corner at an end.
fn labels_of(lists: ListsView, end: &End) -> u64 {
    lists.labels(end.corner).len() as u64
}
