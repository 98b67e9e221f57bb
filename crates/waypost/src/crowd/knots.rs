//! Knots of a crowd: who is in one, what becomes of them.

use super::traffic::{Knot, MOST_CELLS, Member, Sample, Target, Untied, WATCH_EVERY, Window};
use super::walker::{Flags, Hindrance, State};
use super::{Crowd, Tick};
use crate::agent::{Agent, WEIGHTS};
use crate::grid::Cell;
use crate::map::Map;

/// The part of a tick's budget that goes to parting walkers, while some are being parted: one in so many.
const PARTING_PART: u64 = 4;

impl<A: Agent<Map>> Crowd<A> {
    /// Works at the knot that there is; gives what that took, in weighted operations.
    pub(super) fn untie(&mut self, map: &Map, tick: &mut Tick) -> u64 {
        let Some(mut knot) = self.traffic.as_mut().and_then(|t| t.knot.take()) else {
            return 0;
        };
        let budget = self.options.set_up_operations / PARTING_PART / WEIGHTS.expansions;
        let (untied, spent) = knot.work_on(map, &self.walkers, budget.max(1));
        tick.meter.expansions += spent;
        match untied {
            Untied::NotYet => {
                if let Some(traffic) = &mut self.traffic {
                    traffic.knot = Some(knot);
                }
            }
            Untied::Done | Untied::GivenUp => self.let_go(&knot, untied == Untied::Done),
        }
        spent * WEIGHTS.expansions
    }

    /// The members of a knot walk as all others again; where it is parted, those that have to do without their goals are told so.
    fn let_go(&mut self, knot: &Knot, is_parted: bool) {
        let Some(traffic) = &mut self.traffic else {
            return;
        };
        for member in knot.members() {
            let slot = member.slot as usize;
            let walker = &mut self.walkers[slot];
            if !walker.is_there() || walker.generation != member.generation {
                continue;
            }
            traffic.watches[slot].restart(walker.at);
            let is_under_way = matches!(walker.state, State::Going | State::New);
            match member.without.filter(|_| is_parted && is_under_way) {
                Some(why) if walker.goal == member.goal => {
                    walker.state = State::Stuck(why);
                    walker.waits = 0;
                    traffic.watches[slot].has_no_way(self.orders);
                }
                _ if is_under_way => walker.state = State::New,
                _ => continue,
            }
            walker.steps = 0;
            traffic.tracks[slot].restart(walker.at);
            self.turns.queue(member.slot, walker);
        }
    }

    /// Looks who makes no progress: each walker's turn comes every so many ticks.
    pub(super) fn watch(&mut self, map: &Map) {
        let first = (self.ticks % WATCH_EVERY) as usize;
        for slot in (first..self.walkers.len()).step_by(WATCH_EVERY as usize) {
            let Some(traffic) = &mut self.traffic else {
                return;
            };
            let walker = &mut self.walkers[slot];
            match traffic.watches[slot].look(map.grid(), walker, self.orders) {
                Sample::Nothing => {}
                Sample::TryAgain => {
                    walker.state = State::New;
                    walker.set(Flags::YIELDS, true);
                    self.turns.queue(slot as u32, walker);
                }
                Sample::Knot(..) if traffic.knot.is_some() => traffic.watches[slot].put_off(),
                Sample::Knot(level, is_long) => self.tie(map, slot as u32, level, is_long),
            }
        }
    }

    /// Makes a knot of those around a walker that makes no progress; only where all that it can reach is in the window, unless it has made none for long.
    fn tie(&mut self, map: &Map, root: u32, level: u8, is_long: bool) {
        let Some(traffic) = &self.traffic else {
            return;
        };
        let stands = |slot: u32| {
            let walker = &self.walkers[slot as usize];
            walker.state == State::Blocked || walker.is(Flags::HOLDS)
        };
        let mut fixed: Vec<Cell> = Vec::new();
        for &slot in traffic.order.iter().filter(|slot| stands(**slot)) {
            fixed.push(self.walkers[slot as usize].at);
        }
        fixed.sort_unstable();
        let is_fixed = |cell: Cell| fixed.binary_search(&cell).is_ok();
        let at = self.walkers[root as usize].at;
        let component = map.components().of(at);
        let cells = component.map_or(0, |component| map.components().size(component));
        let is_large = fixed.is_empty() && cells > MOST_CELLS as u64;
        if is_large && !is_long {
            return;
        }
        let window = Knot::window(map, at, level, is_fixed);
        if !window.is_closed() && !is_long {
            return;
        }
        let (mut members, mut targets) = (Vec::new(), Vec::new());
        for &slot in &traffic.order {
            let walker = &self.walkers[slot as usize];
            if stands(slot) || window.number(walker.at).is_none() {
                continue;
            }
            let mut member = Member {
                slot,
                generation: walker.generation,
                goal: walker.goal,
                without: None,
            };
            let wants = matches!(walker.state, State::Going | State::New | State::Arrived);
            let target = match window.number(walker.goal).filter(|_| wants) {
                Some(goal) => Target::Goal(goal),
                None if !wants => Target::Free,
                None if window.is_closed() => {
                    let is_held = map.components().connected(walker.at, walker.goal);
                    member.without = is_held.then_some(Hindrance::Holders);
                    Target::Free
                }
                None => self.gate(map, slot, &window),
            };
            members.push(member);
            targets.push(target);
        }
        self.renounce_shared(&mut members, &mut targets);
        let knot = Knot::new(map, level, window, members, targets, &self.walkers);
        if let Some(traffic) = &mut self.traffic {
            traffic.knot = knot.map(Box::new);
            let watch = &mut traffic.watches[root as usize];
            watch.restart(at);
            watch.tried();
        }
    }

    /// Where a walker's path leaves a window.
    fn gate(&self, map: &Map, slot: u32, window: &Window) -> Target {
        let path = self.line_ahead(map, slot as usize);
        let numbers = path.iter().map(|&point| {
            let cell = self.shape.cell(point);
            cell.and_then(|cell| window.number(cell))
        });
        let inside: Vec<Option<u16>> = numbers.collect();
        match inside.iter().position(Option::is_none) {
            Some(out) if out > 0 => inside[out - 1].map_or(Target::Free, Target::Gate),
            _ => Target::Free,
        }
    }

    /// Of those that have one goal, one that stands on it keeps it, or else the first.
    fn renounce_shared(&self, members: &mut [Member], targets: &mut [Target]) {
        let mut claims: Vec<(u16, bool, usize)> = Vec::new();
        for (i, target) in targets.iter().enumerate() {
            if let Target::Goal(goal) = *target {
                let is_there = self.walkers[members[i].slot as usize].at == members[i].goal;
                claims.push((goal, !is_there, i));
            }
        }
        claims.sort_unstable();
        for two in claims.windows(2) {
            if two[0].0 == two[1].0 {
                let (_, _, i) = two[1];
                targets[i] = Target::Free;
                members[i].without = Some(Hindrance::GoalTaken);
            }
        }
    }
}
