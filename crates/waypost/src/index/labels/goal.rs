//! What labels know of the ways to one goal, also on a map that has got walls since they were built: costs that no way is below.

use super::bounds::GoalBounds;
use super::ends::{Reach, number, see};
use super::query::LabelQuery;
use super::{CornerLabels, SEEN};
use crate::cost::Cost;
use crate::grid::Point;
use crate::search::jps::LowerBound;
use std::sync::Arc;

/// Lower bounds on what the ways to a goal cost, by the distances of goal and corners to the landmarks of the labels.
///
/// A lower bound on the map of the labels is one on every map that has only got walls since: what a search round the new walls goes by.
#[derive(Clone, Debug)]
pub struct WaysTo {
    labels: Arc<CornerLabels>,
    bounds: GoalBounds,
}

impl WaysTo {
    /// The ways to a goal, found in the memory of queries, whose [`operations`](LabelQuery::operations) are then those of this; `None`
    /// where the goal cannot be stood on, on the map of the labels.
    pub fn new(labels: &Arc<CornerLabels>, goal: Point, query: &mut LabelQuery) -> Option<WaysTo> {
        let ends = query.goal_ends();
        ends.clear();
        let mut operations = 1;
        let bounds = labels.is_passable(goal).then(|| {
            see(labels.ground(), goal, goal, ends);
            operations += SEEN * ends.len() as u64;
            let corners = labels.graph().points();
            number(corners, ends);
            let reach = Reach::of(labels.scans(), goal);
            labels.bounds.distances_of(ends, |landmark| {
                reach.walk_is_free(labels.scans(), corners.point(landmark))
            })
        });
        query.count(operations);
        Some(WaysTo {
            labels: labels.clone(),
            bounds: bounds?,
        })
    }
}

impl LowerBound for WaysTo {
    const KNOWS: bool = true;

    /// Corners of the labels know; others, which new walls have made, do not.
    #[inline]
    fn at_least(&self, at: Point) -> Cost {
        let corner = self.labels.graph().points().marked(at);
        corner.map_or(0, |corner| self.labels.bounds.between(corner, &self.bounds))
    }
}
