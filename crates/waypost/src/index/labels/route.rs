//! Routes: an optimal path as the places where it is kept, unrolled as it is walked.

use super::ways::{AHEAD, Place};
use super::{CornerLabels, FOLLOWED};
use crate::cost::Cost;
use crate::grid::Point;
use crate::grid::scan::Walk;
use crate::search::jps::Run;

/// An optimal path of some labels, found but not laid out: a few numbers whatever its length, and the corners of one that no hub
/// lies on.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Route {
    pub(super) from: Point,
    pub(super) to: Point,
    pub(super) cost: Cost,
    pub(super) way: Way,
    /// Of [`Way::Searched`].
    pub(super) corners: Vec<Point>,
}

/// How a route goes on from its start.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Way {
    /// The walk is free.
    Direct,
    /// Over one corner that both ends see.
    Over { corner: Point },
    /// From corner to corner up to the hub of a rank and down again.
    Hub {
        hub: u32,
        source: Place,
        target: Place,
    },
    /// From corner to corner, as a search has found them.
    Searched,
}

impl Route {
    /// Where it begins.
    pub fn from(&self) -> Point {
        self.from
    }

    /// Where it ends.
    pub fn to(&self) -> Point {
        self.to
    }

    /// What it costs.
    pub fn cost(&self) -> Cost {
        self.cost
    }

    /// The path of the route, run by run. The labels must be those that gave the route.
    pub fn runs(&self) -> RouteRuns {
        self.clone().into_runs()
    }

    /// The same of a route that nobody needs any more.
    pub fn into_runs(self) -> RouteRuns {
        RouteRuns {
            route: self,
            next: Next::Start,
            second: None,
            left: 0,
            ahead: [0; AHEAD],
            operations: 0,
        }
    }
}

/// Where a route goes on that was left off at a corner: a few numbers, which mean something beside the labels that gave the route.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Mark {
    /// Where the corner is kept on its way to the hub.
    pub here: u32,
    /// The same of the corner that the route turns at last.
    pub target: u32,
    /// Whether the hub has been passed.
    pub is_down: bool,
}

impl CornerLabels {
    /// The rest of a route to a point, from the corner where it was left off; `None` where there is none such.
    pub(crate) fn resume(&self, mark: Mark, corner: Point, to: Point) -> Option<RouteRuns> {
        let (source, hub) = self.kept_place(mark.here, corner)?;
        // Nobody asks where the last corner is: the route ends there by the time that it matters.
        let (target, same_hub) = self.kept_place(mark.target, to)?;
        let way = Way::Hub {
            hub,
            source,
            target,
        };
        (hub == same_hub).then(|| RouteRuns {
            route: Route {
                from: corner,
                to,
                cost: 0,
                way,
                corners: Vec::new(),
            },
            next: match mark.is_down {
                true => Next::Down(source),
                false => Next::Up(source),
            },
            second: None,
            left: 0,
            ahead: [0; AHEAD],
            operations: 0,
        })
    }
}

/// Which leg of a route is next.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Next {
    /// The first, to the first corner or to the end.
    Start,
    /// From the corner at a place to the next.
    Up(Place),
    /// From this corner, the hub or below, to the next.
    Down(Place),
    /// From the corner before this one of those that a search has found.
    Via(usize),
    /// The last, from this corner.
    End(Point),
    Nothing,
}

/// The path of a route, run by run, each when it is asked for.
///
/// A run takes a bounded amount of work: mostly one look at memory, and once for every sixteen corners on the way down from
/// the hub a look along the rest of that way, by parts that lie side by side in memory. Two runs that follow each other may
/// have the same direction. It holds no memory of its own, but for a path that no hub lies on: agents can keep one each.
#[derive(Clone, Debug)]
pub struct RouteRuns {
    route: Route,
    next: Next,
    /// The other part of a leg, where one has been given.
    second: Option<Run>,
    /// Corners that have been looked up on the way down, the next one last.
    left: usize,
    ahead: [u32; AHEAD],
    operations: u64,
}

impl RouteRuns {
    /// The next run; `None` at the end.
    pub(crate) fn next_run(&mut self, labels: &CornerLabels) -> Option<Run> {
        if let Some(run) = self.second.take() {
            return Some(run);
        }
        // The first leg of most routes needs no look at the trees.
        loop {
            let (first, second) = self.next_leg(labels)?;
            if first.steps > 0 {
                self.second = (second.steps > 0).then_some(second);
                return Some(first);
            }
            if second.steps > 0 {
                return Some(second);
            }
        }
    }

    /// Operations of the legs so far, as [`super::LabelQuery::operations`] counts them.
    pub(crate) fn operations(&self) -> u64 {
        self.operations
    }

    /// Where the next leg begins, if that is at a corner on the way to a hub or from it.
    pub(crate) fn mark(&self) -> Option<Mark> {
        let Way::Hub { target, .. } = self.route.way else {
            return None;
        };
        let mark = |place: Place, is_down| Mark {
            here: place.number(),
            target: target.number(),
            is_down,
        };
        match self.next {
            Next::Up(place) => Some(mark(place, false)),
            Next::Down(place) => Some(mark(place, true)),
            _ => None,
        }
    }

    /// The two parts of the next leg, either of which may be without steps.
    pub(crate) fn next_leg(&mut self, labels: &CornerLabels) -> Option<(Run, Run)> {
        let Route {
            from,
            to,
            way,
            ref corners,
            ..
        } = self.route;
        self.operations += FOLLOWED;
        let leg = match self.next {
            Next::Start => {
                let corner = match way {
                    Way::Direct => to,
                    Way::Over { corner } => corner,
                    Way::Hub { source, .. } => source.at,
                    Way::Searched => *corners.first()?,
                };
                self.next = match way {
                    Way::Direct => Next::Nothing,
                    Way::Over { corner } => Next::End(corner),
                    Way::Hub { source, .. } => Next::Up(source),
                    Way::Searched => Next::Via(1),
                };
                diagonal_first(Walk::between(from, corner))
            }
            Next::Up(place) => {
                let Way::Hub { hub, .. } = way else {
                    return None;
                };
                let Some((next, walk)) = labels.next_place(place, hub as usize) else {
                    self.next = Next::Down(place);
                    return self.next_leg(labels);
                };
                self.next = Next::Up(next);
                diagonal_first(walk)
            }
            Next::Down(place) => {
                let Way::Hub { hub, target, .. } = way else {
                    return None;
                };
                if place.number() == target.number() {
                    self.next = Next::End(place.at);
                    return self.next_leg(labels);
                }
                if self.left == 0 {
                    let looked = labels.look_down(hub as usize, place, target, &mut self.ahead);
                    self.left = looked.corners;
                    self.operations += looked.operations;
                }
                // There is one, unless the place is none of this way.
                self.left = self.left.checked_sub(1)?;
                let (next, walk) = labels.place_below(place, self.ahead[self.left])?;
                self.next = Next::Down(next);
                diagonal_first(walk)
            }
            Next::Via(number) => {
                let before = *corners.get(number - 1)?;
                let Some(&corner) = corners.get(number) else {
                    self.next = Next::End(before);
                    return self.next_leg(labels);
                };
                self.next = Next::Via(number + 1);
                diagonal_first(Walk::between(before, corner))
            }
            Next::End(corner) => {
                self.next = Next::Nothing;
                // The last walk was seen from the target, diagonal steps first.
                let (diagonal, straight) = diagonal_first(Walk::between(corner, to));
                (straight, diagonal)
            }
            Next::Nothing => return None,
        };
        Some(leg)
    }
}

fn diagonal_first(walk: Walk) -> (Run, Run) {
    let run = |direction, steps| Run { direction, steps };
    (
        run(walk.diagonal, walk.diagonal_steps),
        run(walk.straight, walk.straight_steps),
    )
}

/// The walk back between two corners, diagonal steps first again: between neighbouring corners both orders are free.
#[inline]
pub(super) fn reversed(walk: Walk) -> Walk {
    Walk {
        diagonal: walk.diagonal.opposite(),
        straight: walk.straight.opposite(),
        ..walk
    }
}
