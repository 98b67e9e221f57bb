//! Queries in slices: each reads no more labels than it is told, and what is known after it is two numbers.
//!
//! Lists are in the order of ranks, so the hubs that two ends may meet at are gone through by ranges of ranks, the most important ones first: of
//! every list the labels of a range are read, and the cheapest meeting so far is kept. The next slice finds the corners at both ends again, which is
//! bounded by what a cell sees, and goes on with the next range. No memory beside these two numbers lasts from one to the next.

use super::ends::{End, Reach, see};
use super::lists::PAGE;
use super::query::{LabelQuery, Meeting, NO_MEETING, Over};
use super::route::{Route, Way};
use super::{CornerLabels, SEEN, SOUGHT};
use crate::cost::{Cost, UNREACHED};
use crate::grid::Point;

/// How far a query in slices has come.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Unfinished {
    /// The rank of the hub of the cheapest meeting so far, [`NO_HUB`] where there is none.
    hub: u32,
    /// Hubs of lower ranks have been looked at.
    next: u32,
}

/// What came of a slice.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Slice {
    /// There is no path.
    NoPath,
    /// The cheapest path.
    Found(Route),
    /// What the next slice goes on with.
    Unfinished(Unfinished),
}

/// Ranks are smaller.
const NO_HUB: u32 = u32::MAX;

impl Unfinished {
    const BEGUN: Unfinished = Unfinished {
        hub: NO_HUB,
        next: 0,
    };

    /// As two numbers.
    pub fn numbers(self) -> [u32; 2] {
        [self.hub, self.next]
    }

    /// What [`Unfinished::numbers`] gave; `None` where these cannot be of a query of such labels.
    pub fn from_numbers([hub, next]: [u32; 2], labels: &CornerLabels) -> Option<Unfinished> {
        let is_one = next as usize <= labels.corners() && (hub == NO_HUB || hub < next);
        is_one.then_some(Unfinished { hub, next })
    }
}

impl LabelQuery {
    /// The cheapest path if about this many labels are enough to find it; otherwise slices go on with what is given.
    pub fn route_in_slices(
        &mut self,
        index: &CornerLabels,
        (from, to): (Point, Point),
        labels: u64,
    ) -> Slice {
        self.operations = 0;
        match index.is_direct(from, to) {
            None => return Slice::NoPath,
            Some(true) => {
                let route = self.route(index, from, to);
                return route.map_or(Slice::NoPath, Slice::Found);
            }
            Some(false) => {}
        }
        // A search of the corners between the hubs is not cut.
        self.most_labels = if index.rest.is_empty() {
            labels
        } else {
            u64::MAX
        };
        let best = self.meet(index, from, to);
        self.most_labels = u64::MAX;
        if let Over::LeftOff = best.over {
            return Slice::Unfinished(Unfinished::BEGUN);
        }
        self.slice_of(index, (from, to), best)
    }

    fn slice_of(
        &mut self,
        index: &CornerLabels,
        (from, to): (Point, Point),
        best: Meeting,
    ) -> Slice {
        match self.resolved(index, best) {
            Some((cost, way)) => Slice::Found(self.route_of(from, to, cost, way)),
            None => Slice::NoPath,
        }
    }

    /// Goes on with a query between the same two points, for about this many labels.
    pub fn go_on(
        &mut self,
        index: &CornerLabels,
        (from, to): (Point, Point),
        unfinished: Unfinished,
        labels: u64,
    ) -> Slice {
        self.operations = 0;
        if !index.is_passable(from) || !index.is_passable(to) {
            return Slice::NoPath;
        }
        see(index.ground(), from, to, &mut self.sources);
        see(index.ground(), to, from, &mut self.targets);
        self.operations += SEEN * (self.sources.len() + self.targets.len()) as u64;
        self.number_ends(index);
        let (mut state, mut cost) = (unfinished, self.cost_over(index, unfinished.hub));
        self.look_at_range(index, &mut state, &mut cost, labels);
        if (state.next as usize) < index.hubs.len() {
            return Slice::Unfinished(state);
        }
        let mut best = Meeting {
            cost: cost.into(),
            ..NO_MEETING
        };
        let reach = Reach::of(index.scans(), to);
        for i in 0..self.sources.len() {
            self.walk_straight(index, &reach, i, &mut best);
        }
        if best.cost < cost.into() {
            return self.slice_of(index, (from, to), best);
        }
        match self.way_over(index, state.hub) {
            Some((cost, way)) => Slice::Found(self.route_of(from, to, cost, way)),
            None => Slice::NoPath,
        }
    }

    /// Looks for cheaper meetings at the next hubs, so many of them that no more labels are read than may be.
    fn look_at_range(
        &mut self,
        index: &CornerLabels,
        state: &mut Unfinished,
        least: &mut Cost,
        labels: u64,
    ) {
        let lists = index.lists().view();
        let most = *least;
        let below = |end: &&End| end.bound < most;
        let ends = || self.sources.iter().chain(&self.targets).filter(below);
        let share = (labels / (ends().count() as u64).max(1)).max(1) as usize;
        let (page, first) = (state.next as usize / PAGE, state.next as usize % PAGE);
        // No list has more labels in the range than its share.
        let range_end = ends().filter_map(|end| {
            let (hubs, _) = lists.page(end.corner, page);
            let begin = hubs.partition_point(|&hub| usize::from(hub) < first);
            hubs.get(begin + share).map(|&hub| usize::from(hub))
        });
        let ranks = first..range_end.min().unwrap_or(PAGE);
        self.operations += SOUGHT * ends().count() as u64;
        self.costs.renew(index.corners());
        for source in self.sources.iter().filter(below) {
            let part = lists.part(source.corner, page, ranks.clone());
            self.operations += part.0.len() as u64;
            self.costs.lay_out_part(page, part, source.walk);
        }
        for target in self.targets.iter().filter(below) {
            let part = lists.part(target.corner, page, ranks.clone());
            self.operations += part.0.len() as u64;
            let found = self.costs.least_of_part(page, part);
            if let Some((cost, hub)) = found {
                let cost = cost.saturating_add(u64::from(target.walk));
                if cost < u64::from(*least) {
                    (*least, state.hub) = (cost as Cost, hub as u32);
                }
            }
        }
        state.next = (page * PAGE + ranks.end) as u32;
    }

    /// The cost of a path over a hub, [`UNREACHED`] where there is none.
    fn cost_over(&mut self, index: &CornerLabels, hub: u32) -> Cost {
        let way = self.way_over(index, hub);
        way.map_or(UNREACHED, |(cost, _)| cost)
    }

    /// The cheapest path over a hub: what it costs, and where it is kept.
    fn way_over(&mut self, index: &CornerLabels, rank: u32) -> Option<(Cost, Way)> {
        let (lists, hub) = (index.lists().view(), rank as usize);
        if hub >= index.hubs.len() {
            return None;
        }
        self.operations += SOUGHT * (self.sources.len() + self.targets.len()) as u64;
        let nearest = |ends: &[End]| {
            let with_label = ends.iter().filter_map(|end| {
                let label = lists.find(end.corner, hub)?;
                let cost = u64::from(end.walk) + u64::from(lists.distance(label));
                Some((cost, *end, label))
            });
            with_label.min_by_key(|&(cost, ..)| cost)
        };
        let (source_cost, source, source_label) = nearest(&self.sources)?;
        let (target_cost, target, target_label) = nearest(&self.targets)?;
        let way = Way::Hub {
            hub: rank,
            source: index.place(source.at, source.corner, source_label),
            target: index.place(target.at, target.corner, target_label),
        };
        let cost = source_cost + target_cost;
        (cost < u64::from(UNREACHED)).then_some((cost as Cost, way))
    }
}
