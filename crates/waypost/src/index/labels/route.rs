//! Routes: an optimal path as the places where it is kept, unrolled as it is walked.

use super::CornerLabels;
use super::ways::Place;
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
        RouteRuns {
            route: self.clone(),
            next: Next::Start,
            second: None,
            left: 0,
            ahead: [0; AHEAD],
        }
    }
}

/// Corners that are looked up at once on the way down from a hub.
const AHEAD: usize = 16;

/// Which leg of a route is next.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Next {
    /// The first, to the first corner or to the end.
    Start,
    /// From the corner at a place to the next.
    Up(Place),
    /// From this corner, the hub or below, to the next.
    Down(Point),
    /// From the corner before this one of those that a search has found.
    Via(usize),
    /// The last, from this corner.
    End(Point),
    Nothing,
}

/// The path of a route, run by run, each when it is asked for.
///
/// A run takes a bounded amount of work: mostly one look at memory, and once for every sixteen corners on the way down from
/// the hub one walk up the rest of that way ([`super::Measures::longest_chain`] at most). Two runs that follow each other may
/// have the same direction. It holds no memory of its own, but for a path that no hub lies on: agents can keep one each.
#[derive(Clone, Debug)]
pub struct RouteRuns {
    route: Route,
    next: Next,
    /// The other part of a leg, where one has been given.
    second: Option<Run>,
    /// Corners still to come on the way down.
    left: u32,
    /// `x | y << 16` of the corners that are looked up.
    ahead: [u32; AHEAD],
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

    /// The two parts of the next leg.
    fn next_leg(&mut self, labels: &CornerLabels) -> Option<(Run, Run)> {
        let Route {
            from,
            to,
            way,
            ref corners,
            ..
        } = self.route;
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
                let Some(next) = labels.next_place(place, hub as usize) else {
                    (self.next, self.left) = (Next::Down(place.at), u32::MAX);
                    return self.next_leg(labels);
                };
                self.next = Next::Up(next);
                diagonal_first(Walk::between(place.at, next.at))
            }
            Next::Down(at) => {
                let Way::Hub { hub, target, .. } = way else {
                    return None;
                };
                let Some(next) = self.next_down(labels, hub as usize, target) else {
                    self.next = Next::End(at);
                    return self.next_leg(labels);
                };
                self.next = Next::Down(next);
                diagonal_first(Walk::between(at, next))
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

    /// The next corner on the way down from the hub.
    fn next_down(&mut self, labels: &CornerLabels, hub: usize, target: Place) -> Option<Point> {
        let unknown = self.left == u32::MAX;
        if unknown || (self.left as usize).is_multiple_of(AHEAD) {
            // The way up from the target: the n-th corner from below is kept in the n-th slot, the last round stays.
            let (mut place, mut count) = (target, 0);
            while count < self.left
                && let Some(next) = labels.next_place(place, hub)
            {
                self.ahead[count as usize % AHEAD] = place.at.x | place.at.y << 16;
                (place, count) = (next, count + 1);
            }
            self.left = count;
        }
        self.left = self.left.checked_sub(1)?;
        let packed = self.ahead[self.left as usize % AHEAD];
        Some(Point {
            x: packed & 0xffff,
            y: packed >> 16,
        })
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
