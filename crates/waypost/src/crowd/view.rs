//! What others see of a walker.

use super::walker::Walker;
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
    /// Where its last step led from; where it is if there was none.
    pub previous: Point,
    /// What it is doing. Of a walker seen among all, the cell nearest to a goal that it cannot reach is not looked for.
    pub status: Status,
}

impl<A: Agent<Map>> Crowd<A> {
    fn view_of(&self, map: &Map, slot: usize, walker: &Walker, status: Status) -> WalkerView {
        WalkerView {
            id: self.id(slot as u32),
            at: map.grid().point(walker.at),
            previous: map.grid().point(self.previous_of(slot, walker)),
            status,
        }
    }

    fn previous_of(&self, slot: usize, walker: &Walker) -> Cell {
        match &self.traffic {
            Some(traffic) => traffic.tracks[slot].previous(),
            None => walker.previous(),
        }
    }

    /// Calls `visit` with every walker, in the order of ids. Takes the same time for each, whatever it does.
    pub fn for_each(&self, visit: &mut dyn FnMut(WalkerView)) {
        let map = self.map();
        let there = self.walkers.iter().enumerate();
        for (slot, walker) in there.filter(|(_, walker)| walker.is_there()) {
            visit(self.view_of(&map, slot, walker, walker.state_alone()));
        }
    }

    /// One walker.
    pub fn view(&self, id: WalkerId) -> Result<WalkerView, CrowdError> {
        let walker = self.walker(id)?;
        let map = self.map();
        Ok(self.view_of(&map, id.index(), walker, walker.status(&map)))
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
