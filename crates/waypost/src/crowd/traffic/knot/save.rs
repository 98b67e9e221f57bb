//! Knots in snapshots.

use super::search::{LEAVES, Outcome};
use super::{Carried, Knot, MOST_CELLS, Member, Phase, Target, Window};
use crate::crowd::walker::{Hindrance, Walker};
use crate::map::Map;
use crate::stream::{Reader, Writer};

impl Knot {
    pub fn save(&self, out: &mut Writer) {
        out.u8(self.level);
        out.u64(self.map_state);
        out.u8(self.is_disturbed.into());
        out.u8(self.window.is_closed().into());
        out.cells(self.window.cells());
        out.u64(self.members.len() as u64);
        for ((member, target), &start) in self.members.iter().zip(&self.targets).zip(&self.starts) {
            out.u32(member.slot);
            out.u32(member.generation);
            out.u32(member.goal.0);
            out.u8(member.without.map_or(0, |why| 1 + why as u8));
            let (kind, cell) = match *target {
                Target::Free => (0, 0),
                Target::Goal(cell) => (1, cell),
                Target::Gate(cell) => (2, cell),
            };
            out.u8(kind);
            out.u16(cell);
            out.u16(start);
        }
        match &self.phase {
            Phase::Searching { steps, .. } => {
                out.u8(0);
                out.u64(*steps);
            }
            Phase::Carrying(carried) => {
                out.u8(1);
                out.u64(carried.done as u64);
                out.u32(carried.held_up);
                out.u64(carried.codes.len() as u64);
                out.raw(&carried.codes);
            }
        }
    }

    /// What [`Knot::save`] wrote, among these walkers; `None` where it is no such thing.
    pub fn load(map: &Map, from: &mut Reader, walkers: &[Walker]) -> Option<Knot> {
        let bound = map.grid().id_bound();
        let level = from.u8()?;
        let map_state = from.u64()?;
        let (is_disturbed, is_closed) = (from.u8()? != 0, from.u8()? != 0);
        let cells = from.cells(bound)?;
        let mut different = cells.clone();
        different.sort_unstable();
        different.dedup();
        let is_floor = |cell: &_| map.grid().is_passable(*cell);
        // Where walls have come since, the next tick gives it up.
        let is_old = map_state != map.fingerprint();
        if cells.is_empty()
            || cells.len() > MOST_CELLS + 8
            || different.len() != cells.len()
            || !is_old && !cells.iter().all(is_floor)
        {
            return None;
        }
        let numbers = cells.len() as u16;
        let count = from.count(18)?;
        let (mut members, mut targets, mut starts) = (Vec::new(), Vec::new(), Vec::new());
        for _ in 0..count {
            members.push(Member {
                slot: from.u32().filter(|&slot| (slot as usize) < walkers.len())?,
                generation: from.u32()?,
                goal: from.cell(bound)?,
                without: match from.u8()? {
                    0 => None,
                    number => Some(Hindrance::from_number(number - 1)?),
                },
            });
            let (kind, cell, start) = (from.u8()?, from.u16()?, from.u16()?);
            targets.push(match kind {
                0 => Target::Free,
                1 => Target::Goal(cell),
                2 => Target::Gate(cell),
                _ => return None,
            });
            starts.push(start);
            if cell >= numbers || start >= numbers {
                return None;
            }
        }
        let mut slots: Vec<_> = members.iter().map(|member| member.slot).collect();
        slots.sort_unstable();
        let mut occupied = starts.clone();
        occupied.sort_unstable();
        let differ = slots.is_sorted_by(|a, b| a < b) && occupied.is_sorted_by(|a, b| a < b);
        if members.is_empty() || !differ {
            return None;
        }
        let window = Window::of(map, cells, is_closed);
        let is_stranger = |(slot, walker): (usize, &Walker)| {
            walker.is_there()
                && window.number(walker.at).is_some()
                && slots.binary_search(&(slot as u32)).is_err()
        };
        if !is_disturbed && walkers.iter().enumerate().any(is_stranger) {
            return None;
        }
        let mut knot = Knot {
            level,
            map_state,
            phase: Phase::searching(&window, &starts, &targets),
            window,
            members,
            targets,
            starts,
            is_disturbed,
        };
        match from.u8()? {
            0 => {
                let steps = from.u64()?;
                if !is_old {
                    knot.repeat(steps)?;
                }
            }
            1 => knot.phase = Phase::Carrying(Carried::load(from, count)?),
            _ => return None,
        }
        Some(knot)
    }

    /// Does so many steps of the search again.
    fn repeat(&mut self, steps: u64) -> Option<()> {
        let most = self.most_work();
        for _ in 0..steps {
            let Phase::Searching { work, .. } = &self.phase else {
                return None;
            };
            if *work >= most || self.step().0 != Outcome::Searching {
                return None;
            }
        }
        Some(())
    }
}

impl Carried {
    fn load(from: &mut Reader, members: usize) -> Option<Carried> {
        let (done, held_up) = (from.u64()?, from.u32()?);
        let length = from.count(1)?;
        let codes = from.raw(length)?.to_vec();
        let steps = codes.len() / members;
        let is_whole = codes.len() == steps * members && codes.iter().all(|&code| code <= LEAVES);
        let done = usize::try_from(done).ok().filter(|&done| done <= steps)?;
        is_whole.then_some(Carried {
            codes,
            done,
            held_up,
        })
    }
}
