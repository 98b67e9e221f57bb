//! Distances from many points to one goal, whose side of the query is prepared once.

use super::CornerLabels;
use super::ends::{End, Reach, number, see};
use super::graph::walk_cost;
use super::lists::ListsView;
use super::table::HubCosts;
use crate::cost::{Cost, UNREACHED};
use crate::grid::Point;

/// Distances to one goal: exact ones on the map of the labels.
///
/// [`GoalDistances::aim`] lays out the labels of the goal; each distance then reads the lists of one corner, or of the few
/// that a cell sees. On a map that has got walls since the labels were built these are lower bounds, and consistent ones: the
/// heuristic of a search round the new walls. The labels must be the same in every call until the next `aim`.
#[derive(Clone, Debug, Default)]
pub struct GoalDistances {
    costs: HubCosts,
    goal: Point,
    /// Whether there is a goal, passable on the map of the labels.
    aimed: bool,
    reach: Reach,
    goal_ends: Vec<End>,
    ends: Vec<End>,
    operations: u64,
}

impl GoalDistances {
    /// No goal yet: everything is [`UNREACHED`].
    pub fn new() -> GoalDistances {
        GoalDistances::default()
    }

    /// Takes a goal; false where it cannot be stood on, on the map of the labels.
    pub fn aim(&mut self, labels: &CornerLabels, goal: Point) -> bool {
        self.goal = goal;
        self.aimed = labels.is_passable(goal);
        self.operations = 0;
        self.goal_ends.clear();
        self.costs.renew(labels.corners());
        if self.aimed {
            self.reach = Reach::of(labels.scans(), goal);
            see(labels.ground(), goal, goal, &mut self.goal_ends);
            number(labels.graph().points(), &mut self.goal_ends);
            let lists = labels.lists().view();
            for end in &self.goal_ends {
                let read = self.costs.lay_out(lists, end.corner, end.walk);
                self.operations += read as u64 + 1;
            }
        }
        self.aimed
    }

    /// The goal.
    pub fn goal(&self) -> Point {
        self.goal
    }

    /// The distance from a corner of the labels' graph, by its number; [`UNREACHED`] where there is no path.
    #[inline]
    pub fn from_corner(&mut self, labels: &CornerLabels, corner: u32) -> Cost {
        self.over_corner(labels, labels.lists().view(), corner)
    }

    #[inline]
    fn over_corner(&mut self, labels: &CornerLabels, lists: ListsView, corner: u32) -> Cost {
        if !self.aimed {
            return UNREACHED;
        }
        let at = labels.graph().points().point(corner);
        self.operations += 1;
        if self.reach.walk_is_free(labels.scans(), at) {
            return walk_cost(labels.costs(), at, self.goal);
        }
        self.operations += lists.labels(corner).len() as u64;
        let cost = self.costs.least(lists, corner);
        cost.min(u64::from(UNREACHED)) as Cost
    }

    /// The distance from a point; [`UNREACHED`] where there is no path or it cannot be stood on, on the map of the labels.
    pub fn from_point(&mut self, labels: &CornerLabels, from: Point) -> Cost {
        if !self.aimed || !labels.is_passable(from) {
            return UNREACHED;
        }
        if let Some(corner) = labels.graph().points().marked(from) {
            return self.from_corner(labels, corner);
        }
        self.operations += 1;
        if labels.scans().walk_is_free(from, self.goal) {
            return walk_cost(labels.costs(), from, self.goal);
        }
        let mut ends = std::mem::take(&mut self.ends);
        see(labels.ground(), from, self.goal, &mut ends);
        number(labels.graph().points(), &mut ends);
        ends.sort_unstable_by_key(|end| end.bound);
        let lists = labels.lists().view();
        let mut best = u64::from(UNREACHED);
        for end in &ends {
            if u64::from(end.bound) < best {
                let rest = self.over_corner(labels, lists, end.corner);
                best = best.min(u64::from(end.walk) + u64::from(rest));
            }
        }
        self.ends = ends;
        best as Cost
    }

    /// Operations since the goal was taken: corners seen, walks tested, labels read.
    pub fn operations(&self) -> u64 {
        self.operations
    }

    /// Bytes of memory.
    pub fn memory_bytes(&self) -> usize {
        self.costs.memory_bytes()
            + (self.goal_ends.capacity() + self.ends.capacity()) * size_of::<End>()
    }
}
