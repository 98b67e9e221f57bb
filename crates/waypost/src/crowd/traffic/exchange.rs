//! Members of a group that are in each other's way exchange their goals instead of pushing each other.
//!
//! A group gets one cell for each member, and who takes which matters to nobody. In a corridor it matters to all: whoever came in first and has a
//! cell near its mouth keeps out those that come after it. So a walker whose path leads on over a member of its group that has arrived
//! takes that one's cell, and the other goes on to the walker's; and two members whose paths lead over each other's places both turn round.
//!
//! No exchange makes the sum of their ways longer, if the walker's path is a shortest one: with a step of cost *c* from the walker to the other, and
//! *a* and *b* left from there to their goals, the ways are *c + a* and at least *b* before, and at most *c + b* and *a* after. For the
//! same reason they do not exchange again: the sum stays the same only where one of them has arrived, and the other has a step to go
//! then. Where each stands on the other's path both ways get shorter.
//!
//! A look at one neighbour and at most one exchange for each walker in a tick. What both had planned is void: they queue for plans.

use super::EMPTY;
use super::round::Round;
use crate::crowd::walker::{Flags, State, Walker};

impl Round<'_> {
    /// Exchanges a walker's goal with that of whoever holds the next cell of its path, where both are of one group and that helps.
    pub(super) fn exchange_goals(&mut self, slot: u32, walker: &Walker) -> bool {
        let Some(group) = walker.group() else {
            return false;
        };
        let Some((here, direction)) = self.traffic.tracks[slot as usize].step() else {
            return false;
        };
        // What is not planned yet may lead anywhere.
        if walker.state != State::Going || here != walker.at {
            return false;
        }
        let next = self.map.grid().neighbour(here, direction);
        if !self.map.legal(here).contains(direction) || !self.traffic.held.contains(next) {
            return false;
        }
        let holder = self.traffic.holder(self.walkers, next);
        if holder == EMPTY || holder == slot {
            return false;
        }
        let other = &self.walkers[holder as usize];
        let is_free = !other.is(Flags::SETTLED) && !other.is(Flags::HOLDS);
        if !is_free || other.group() != Some(group) || other.goal == walker.goal {
            return false;
        }
        let is_in_the_way = match other.state {
            State::Arrived => other.at == other.goal,
            State::Going => self.comes_to(holder, walker),
            _ => false,
        };
        if is_in_the_way {
            let goals = [other.goal, walker.goal];
            for (slot, goal) in [slot, holder].into_iter().zip(goals) {
                let walker = &mut self.walkers[slot as usize];
                walker.take_goal(goal);
                self.traffic.tracks[slot as usize].restart(walker.at);
            }
            self.traffic.exchanges += 1;
        }
        is_in_the_way
    }

    /// Whether a walker stands on its path, and its next step leads to where another one stands.
    fn comes_to(&self, slot: u32, other: &Walker) -> bool {
        let (track, grid) = (&self.traffic.tracks[slot as usize], self.map.grid());
        let at = self.walkers[slot as usize].at;
        track
            .step()
            .is_some_and(|(here, way)| here == at && grid.neighbour(here, way) == other.at)
    }
}
