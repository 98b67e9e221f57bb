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

impl Place {
    /// One number that says where it is kept: its place in the trees, or its label.
    #[inline]
    pub(super) fn number(self) -> u32 {
        match self.kept {
            Kept::InTree(place) => place,
            Kept::InList(stand) => stand.label,
        }
    }
}

/// Corners that are looked up at once on the way down from a hub.
pub const AHEAD: usize = 16;

/// What came of a look down the way from a hub.
#[derive(Clone, Copy, Debug, Default)]
pub struct LookedDown {
    /// Corners that were found, at most [`AHEAD`].
    pub corners: usize,
    /// What that took.
    pub operations: u64,
}

impl CornerLabels {
    /// The corner that is kept at a number, which is known to be at a point, and the rank of its hub where that is needed; `None` where there is no
    /// such number.
    pub(super) fn kept_place(&self, number: u32, at: Point) -> Option<(Place, u32)> {
        match &self.ways {
            Ways::Trees(trees) => {
                let kept = Kept::InTree(number);
                (number < trees.view().places()).then_some((Place { at, kept }, 0))
            }
            Ways::Steps(_) => {
                let lists = self.lists.view();
                let corner = lists.corner_of(number as usize)?;
                let label = number;
                let kept = Kept::InList(Stand { corner, label });
                let hub = lists.rank(corner, label as usize) as u32;
                Some((Place { at, kept }, hub))
            }
        }
    }

    /// Looks up the next corners on the way down from a place to another that leads to the same hub: their numbers, the next one last.
    pub(super) fn look_down(
        &self,
        hub: usize,
        from: Place,
        target: Place,
        ahead: &mut [u32; AHEAD],
    ) -> LookedDown {
        match (&self.ways, from.kept, target.kept) {
            (Ways::Trees(trees), Kept::InTree(from), Kept::InTree(target)) => {
                trees.view().look_down(from, target, ahead)
            }
            (Ways::Steps(steps), Kept::InList(from), Kept::InList(target)) => {
                self.steps(steps).to(hub).look_down(from, target, ahead)
            }
            _ => LookedDown::default(),
        }
    }

    /// The corner at a number, whose way to the hub leads to this place next, and the walk there from this place.
    #[inline]
    pub(super) fn place_below(&self, place: Place, number: u32) -> Option<(Place, Walk)> {
        match &self.ways {
            Ways::Trees(trees) => {
                let walk = reversed(trees.view().walk(number));
                let kept = Kept::InTree(number);
                let at = end_of(place.at, walk);
                Some((Place { at, kept }, walk))
            }
            Ways::Steps(_) => {
                let corner = self.lists.view().corner_of(number as usize)?;
                let at = self.graph.points().point(corner);
                let label = number;
                let kept = Kept::InList(Stand { corner, label });
                Some((Place { at, kept }, Walk::between(place.at, at)))
            }
        }
    }

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

    /// The next corner on the way to the hub of a rank and the walk there; `None` at the hub.
    #[inline]
    pub(super) fn next_place(&self, place: Place, hub: usize) -> Option<(Place, Walk)> {
        match (&self.ways, place.kept) {
            (Ways::Trees(trees), Kept::InTree(number)) => {
                let trees = trees.view();
                let next = trees.towards_hub(number)?;
                let walk = trees.walk(number);
                let kept = Kept::InTree(next);
                let at = end_of(place.at, walk);
                Some((Place { at, kept }, walk))
            }
            (Ways::Steps(steps), Kept::InList(stand)) => {
                let next = self.steps(steps).to(hub).next(stand)?;
                let at = self.graph.points().point(next.corner);
                let kept = Kept::InList(next);
                Some((Place { at, kept }, Walk::between(place.at, at)))
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

/// Where a walk from a point ends.
#[inline]
fn end_of(from: Point, walk: Walk) -> Point {
    let turn = moved(from, walk.diagonal, walk.diagonal_steps);
    moved(turn, walk.straight, walk.straight_steps)
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
