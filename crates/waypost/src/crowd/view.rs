//! What others see of a walker.

use super::walker::{Flags, State, Walker};
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
    /// Whether it has a goal that nobody has looked for a way to yet.
    pub is_new: bool,
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
            is_new: walker.state == State::New,
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

    /// One walker, as [`Crowd::for_each`] shows it.
    pub fn glance(&self, id: WalkerId) -> Result<WalkerView, CrowdError> {
        let walker = self.walker(id)?;
        Ok(self.view_of(id.index(), walker, walker.state_alone()))
    }

    /// The cells that a walker is going to walk, as far as its plan reaches on the map as it is, its own first: that alone where it is not under
    /// way, or was pushed away from its path.
    pub fn path_ahead(&self, id: WalkerId) -> Result<Vec<Point>, CrowdError> {
        self.walker(id)?;
        Ok(self.line_ahead(&self.map(), id.index()))
    }

    /// The same of the walker in a place, on the map that somebody looks at already.
    pub(super) fn line_ahead(&self, map: &Map, slot: usize) -> Vec<Point> {
        let walker = &self.walkers[slot];
        let mut line = Line::new(map, walker.at);
        if walker.state != State::Going {
            return line.points;
        }
        // Where no two share a cell the leg begins at the end of the track.
        let mut leg_begin = walker.at;
        if let Some(traffic) = &self.traffic {
            let (cell, directions) = traffic.tracks[slot].path_ahead();
            line.go_to(cell);
            directions.for_each(|direction| line.go(direction, 1));
            leg_begin = line.at;
        }
        if walker.steps > 0 {
            let ways = Direction::ALL.into_iter();
            let next = Cell(leg_begin.0.wrapping_add(walker.offset));
            for way in ways.filter(|&way| map.grid().neighbour(leg_begin, way) == next) {
                line.go(way, walker.steps.into());
            }
        }
        let leg_end = line.at;
        if let Some(agent) = &self.agents[slot] {
            agent.runs_ahead(leg_end, &mut |run| line.go(run.direction, run.steps));
        }
        line.points
    }
}

/// A line of legal steps: it ends before the first that is none.
struct Line<'a> {
    map: &'a Map,
    at: Cell,
    points: Vec<Point>,
    is_broken: bool,
}

impl Line<'_> {
    fn new(map: &Map, at: Cell) -> Line<'_> {
        let points = vec![map.grid().point(at)];
        Line {
            map,
            at,
            points,
            is_broken: false,
        }
    }

    fn go_to(&mut self, cell: Cell) {
        self.is_broken |= cell != self.at && self.map.legal_step(self.at, cell).is_none();
        if cell != self.at && !self.is_broken {
            self.at = cell;
            self.points.push(self.map.grid().point(cell));
        }
    }

    fn go(&mut self, direction: Direction, steps: u32) {
        for _ in 0..steps {
            if self.is_broken {
                return;
            }
            self.go_to(self.map.grid().neighbour(self.at, direction));
        }
    }
}
