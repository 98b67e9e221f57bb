//! The walkers of a knot in a tick of traffic: they stand, or walk as the search found, all together.

use super::search::{LEAVES, STAYS};
use super::{Knot, Phase};
use crate::crowd::traffic::EMPTY;
use crate::crowd::traffic::round::Round;
use crate::crowd::walker::Flags;
use crate::grid::{Cell, Direction};

/// Ticks that a step waits for walkers that are slow, or stand in the way, before the knot is given up.
pub const MOST_HELD_UP: u32 = 48;

impl Knot {
    /// Settles the members, before all others; nobody else may enter the window in this tick.
    pub(in crate::crowd::traffic) fn settle(&mut self, round: &mut Round) {
        for &cell in self.window.cells() {
            round.traffic.taken.insert(cell);
        }
        for i in (0..self.members.len()).filter(|&i| !self.is_out(i)) {
            let slot = self.members[i].slot;
            round.walkers[slot as usize].set(Flags::SETTLED, true);
        }
        let moves = self.next_cells(round).is_some_and(|targets| {
            let goes = self.make_room(round, &targets);
            if goes {
                self.move_all(round, &targets);
            }
            goes
        });
        if !moves {
            for i in (0..self.members.len()).filter(|&i| !self.is_out(i)) {
                let slot = self.members[i].slot;
                let wants = round.walkers[slot as usize].wants_to_move();
                round.stay(slot, wants, false);
            }
        }
        if let Phase::Carrying(carried) = &mut self.phase {
            match moves {
                true => (carried.done, carried.held_up) = (carried.done + 1, 0),
                false => carried.held_up += 1,
            }
        }
    }

    /// Opens the window to others, after all have settled.
    pub(in crate::crowd::traffic) fn reopen(&self, round: &mut Round) {
        for &cell in self.window.cells() {
            round.traffic.taken.remove(cell);
        }
        for member in &self.members {
            let walker = &round.walkers[member.slot as usize];
            if walker.is_there() && self.window.number(walker.at).is_some() {
                round.traffic.taken.insert(walker.at);
            }
        }
    }

    /// Where the members go in the next step, if all can move that have to; those that have left or leave stay out of it.
    fn next_cells(&self, round: &Round) -> Option<Vec<(u32, Cell)>> {
        let Phase::Carrying(carried) = &self.phase else {
            return None;
        };
        let row = carried.done * self.members.len();
        let codes = carried.codes.get(row..row + self.members.len())?;
        let mut targets = Vec::with_capacity(codes.len());
        for (member, &code) in self.members.iter().zip(codes) {
            if code == LEAVES {
                continue;
            }
            let walker = &round.walkers[member.slot as usize];
            if code == STAYS {
                targets.push((member.slot, walker.at));
                continue;
            }
            let direction = Direction::from_number(code);
            let legal = round.map.legal(walker.at).contains(direction);
            if walker.is_fixed() || !legal {
                return None;
            }
            let next = round.map.grid().neighbour(walker.at, direction);
            self.window.number(next)?;
            targets.push((member.slot, next));
        }
        self.is_orderly(round, &targets).then_some(targets)
    }

    /// Whether no two go to one cell or exchange places. A schedule that the search made is so; one from elsewhere need not be.
    fn is_orderly(&self, round: &Round, targets: &[(u32, Cell)]) -> bool {
        let mut cells: Vec<Cell> = targets.iter().map(|&(_, cell)| cell).collect();
        cells.sort_unstable();
        let mut ends: Vec<(Cell, Cell)> = targets
            .iter()
            .map(|&(slot, to)| (round.walkers[slot as usize].at, to))
            .collect();
        ends.sort_unstable();
        let exchanges =
            |&(from, to): &(Cell, Cell)| from != to && ends.binary_search(&(to, from)).is_ok();
        cells.windows(2).all(|two| two[0] != two[1]) && !ends.iter().any(exchanges)
    }

    /// Makes those that leave the window, and stand at its rim still, go on where a member wants their cell.
    fn make_room(&self, round: &mut Round, targets: &[(u32, Cell)]) -> bool {
        targets.iter().all(|&(slot, cell)| {
            let holder = round.traffic.holder(round.walkers, cell);
            let is_member = |&(member, _): &(u32, Cell)| member == holder;
            if holder == EMPTY || targets.iter().any(is_member) {
                return true;
            }
            let from = round.walkers[slot as usize].at;
            // One that has settled is where it will be.
            !round.walkers[holder as usize].is(Flags::SETTLED)
                && round.settle(holder, Some(from), 1)
        })
    }

    fn move_all(&self, round: &mut Round, targets: &[(u32, Cell)]) {
        for &(slot, cell) in targets {
            match round.walkers[slot as usize].at == cell {
                true => round.stay(slot, false, false),
                false => {
                    round.step(slot, cell);
                    round.note_led(slot);
                }
            }
        }
    }
}
