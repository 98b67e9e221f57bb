//! What others see of a walker.

use super::walker::{Flags, Walker};
use super::{Crowd, CrowdError, Status, WalkerId};
use crate::agent::Agent;
use crate::grid::{Cell, Direction, Point};
use crate::map::Map;

/// A walker as it is after the last tick.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct WalkerView {
    /// Its id.
    pub id: WalkerId,
    /// Where it is.
    pub at: Point,
    /// Where the step led from that it has made in the last tick, or is still at; where it is if it stands.
    pub previous: Point,
    /// Ticks that a step takes, and those that are over of the one that it is at before the last tick.
    pub step_ticks: (u32, u32),
    /// What it is doing. Of a walker seen among all, the cell nearest to a goal that it cannot reach is not looked for.
    pub status: Status,
}

impl<A: Agent<Map>> Crowd<A> {
    fn view_of(&self, slot: usize, walker: &Walker, status: Status) -> WalkerView {
        let (ticks, left) = walker.pace.ticks();
        WalkerView {
            id: self.id(slot as u32),
            at: self.shape.point(walker.at),
            previous: self.shape.point(self.previous_of(slot, walker)),
            step_ticks: (ticks, (ticks - 1).saturating_sub(left)),
            status,
        }
    }

    fn previous_of(&self, slot: usize, walker: &Walker) -> Cell {
        let moves = walker.is(Flags::MOVED) || walker.is(Flags::RESTS);
        match &self.traffic {
            Some(traffic) if moves => traffic.tracks[slot].previous(),
            Some(_) => walker.at,
            None => walker.comes_from(&self.shape),
        }
    }

    /// Calls `visit` with every walker, in the order of ids. Takes the same time for each, whatever it does, and leaves the map to
    /// others meanwhile.
    pub fn for_each(&self, visit: &mut dyn FnMut(WalkerView)) {
        let there = self.walkers.iter().enumerate();
        for (slot, walker) in there.filter(|(_, walker)| walker.is_there()) {
            visit(self.view_of(slot, walker, walker.state_alone()));
        }
    }

    /// One walker.
    pub fn view(&self, id: WalkerId) -> Result<WalkerView, CrowdError> {
        let walker = self.walker(id)?;
        Ok(self.view_of(id.index(), walker, walker.status(&self.map())))
    }

    /// The cells that a walker is going to walk, as far as its plan reaches, its own first.
    pub fn path_ahead(&self, id: WalkerId) -> Result<Vec<Point>, CrowdError> {
        let walker = self.walker(id)?;
        let map = self.map();
        let mut points = vec![map.grid().point(walker.at)];
        // One that was pushed aside goes on from the cell of its path that it is nearest to.
        let track = self
            .traffic
            .as_ref()
            .map(|traffic| traffic.tracks[id.index()]);
        let mut at = points[0];
        if let Some(track) = &track {
            at = map.grid().point(track.path_ahead().0);
            points.extend((at != points[0]).then_some(at));
        }
        let mut walk = |direction: Direction, steps: u32| {
            for _ in 0..steps {
                at = crate::grid::scan::moved(at, direction, 1);
                points.push(at);
            }
        };
        if let Some(track) = &track {
            let (_, directions) = track.path_ahead();
            directions.for_each(|direction| walk(direction, 1));
        }
        let ahead = map.grid().point(walker.ahead());
        let here = map.grid().point(walker.at);
        let leg = Direction::of_step(
            ahead.x as i32 - here.x as i32,
            ahead.y as i32 - here.y as i32,
        );
        if let Some(direction) = leg.filter(|_| walker.steps > 0) {
            walk(direction, walker.steps.into());
        }
        if let Some(agent) = &self.agents[id.index()] {
            agent.runs_ahead(&mut |run| walk(run.direction, run.steps));
        }
        Ok(points)
    }
}
