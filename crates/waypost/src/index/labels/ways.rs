//! The ways to the hubs, in either form: trees, which are followed fastest, or steps, which take a fifth of their bytes.

use super::CornerLabels;
use super::route::reversed;
use super::steps::{Stand, Steps, StepsTo, StepsView};
use super::trees::{HubTrees, TreesView};
use crate::grid::Point;
use crate::grid::scan::{Walk, moved};
use crate::search::jps::{JumpPoints, RunWriter};

/// Where the ways from corners to their hubs are kept.
#[derive(Clone, Debug)]
pub enum Ways {
    /// Ten bytes a label.
    Trees(HubTrees),
    /// Two bytes a label.
    Steps(Steps),
}

impl Ways {
    /// Bytes in memory and in files.
    pub fn bytes(&self) -> usize {
        match self {
            Ways::Trees(trees) => trees.bytes(),
            Ways::Steps(steps) => steps.numbers().len() * 2,
        }
    }
}

/// A corner on the way to a hub.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Place {
    /// Where it is.
    pub at: Point,
    /// Its place in the hub's tree, or its label of the hub and its own number.
    kept: Kept,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Kept {
    InTree(u32),
    InList(Stand),
}

impl CornerLabels {
    /// A corner that has this label of a hub.
    #[inline]
    pub(super) fn place(&self, at: Point, corner: u32, label: usize) -> Place {
        let label_number = label as u32;
        let kept = match &self.ways {
            Ways::Trees(trees) => Kept::InTree(trees.view().place(label)),
            Ways::Steps(_) => Kept::InList(Stand {
                corner,
                label: label_number,
            }),
        };
        Place { at, kept }
    }

    /// The steps to hubs.
    #[inline]
    pub(super) fn steps<'a>(&'a self, steps: &'a Steps) -> StepsView<'a> {
        StepsView {
            steps,
            lists: self.lists.view(),
            graph: &self.graph,
            hubs: &self.hubs,
        }
    }

    /// The next corner on the way to the hub of a rank; `None` at the hub.
    #[inline]
    pub(super) fn next_place(&self, place: Place, hub: usize) -> Option<Place> {
        match (&self.ways, place.kept) {
            (Ways::Trees(trees), Kept::InTree(number)) => {
                let trees = trees.view();
                let next = trees.towards_hub(number)?;
                let walk = trees.walk(number);
                let turn = moved(place.at, walk.diagonal, walk.diagonal_steps);
                Some(Place {
                    at: moved(turn, walk.straight, walk.straight_steps),
                    kept: Kept::InTree(next),
                })
            }
            (Ways::Steps(steps), Kept::InList(stand)) => {
                let next = self.steps(steps).to(hub).next(stand)?;
                Some(Place {
                    at: self.graph.points().point(next.corner),
                    kept: Kept::InList(next),
                })
            }
            // A place of other labels.
            _ => None,
        }
    }

    /// Goes on with the way between two corners over the hub of a rank, in memory for its second half; how many corners it leads over.
    pub(super) fn lay_out_way(
        &self,
        hub: usize,
        source: Place,
        target: Place,
        chain: &mut Vec<Walk>,
        path: &mut RunWriter,
    ) -> u64 {
        chain.clear();
        let corners = match (&self.ways, source.kept, target.kept) {
            (Ways::Trees(trees), Kept::InTree(up), Kept::InTree(down)) => {
                follow_trees(trees.view(), (up, down), chain, path)
            }
            (Ways::Steps(steps), Kept::InList(up), Kept::InList(down)) => {
                let steps = self.steps(steps).to(hub);
                follow_steps(steps, self.graph.points(), (up, down), chain, path)
            }
            _ => 0,
        };
        // The way up from the target ends at the hub, where the path already is.
        for &walk in chain.iter().rev() {
            path.push_diagonal_first(reversed(walk));
        }
        corners + chain.len() as u64
    }
}

/// Adds the walks up from the one corner to the path, those from the other to the chain; the corners of the one.
#[inline]
fn follow_trees(
    trees: TreesView,
    (mut up, mut down): (u32, u32),
    chain: &mut Vec<Walk>,
    path: &mut RunWriter,
) -> u64 {
    let mut corners = 2;
    while let Some(next) = trees.towards_hub(up) {
        path.push_diagonal_first(trees.walk(up));
        (up, corners) = (next, corners + 1);
    }
    while let Some(next) = trees.towards_hub(down) {
        chain.push(trees.walk(down));
        down = next;
    }
    corners
}

/// The same. Both ways at a time, so that neither waits for the memory that the other reads.
#[inline]
fn follow_steps(
    steps: StepsTo,
    points: &JumpPoints,
    (mut up, mut down): (Stand, Stand),
    chain: &mut Vec<Walk>,
    path: &mut RunWriter,
) -> u64 {
    let mut corners = 2;
    let (mut up_at, mut down_at) = (points.point(up.corner), points.point(down.corner));
    loop {
        let (next_up, next_down) = (steps.next(up), steps.next(down));
        if let Some(next) = next_down {
            let at = points.point(next.corner);
            chain.push(Walk::between(down_at, at));
            (down, down_at) = (next, at);
        }
        if let Some(next) = next_up {
            let at = points.point(next.corner);
            path.push_diagonal_first(Walk::between(up_at, at));
            (up, up_at, corners) = (next, at, corners + 1);
        } else if next_down.is_none() {
            return corners;
        }
    }
}
