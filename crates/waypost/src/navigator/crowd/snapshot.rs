//! Snapshots of crowds at the door: units of all types, what they were told, whom they chase, and the world that they walk in.

use super::unit::Goal;
use super::{Crowd, UnitId};
use crate::crowd::{Snapshot, SnapshotError};
use crate::grid::{GridPatch, Point};
use crate::navigator::Error;
use crate::stream::{Reader, Writer};
use crate::world::Mark;
use xxhash_rust::xxh3::xxh3_64;

/// The first bytes of every snapshot.
const MAGIC: [u8; 8] = *b"WAYPSAV\n";
const VERSION: u32 = 1;
const CHECKSUM: usize = 8;

/// A [`Crowd`] and its world at one moment: [`Crowd::snapshot`] and [`Crowd::restore`].
///
/// Within the process it is for rollback: it shares indexes with the world. Its bytes are for saved games and other machines; they hold no
/// index, and belong to a world that was built or opened from the same map and file.
#[derive(Clone, Debug)]
pub struct CrowdSnapshot {
    /// Type of units, walkers, and what was told of them.
    squads: Vec<(String, Snapshot, Vec<u8>)>,
    /// The worlds of the types that no unit of the crowd has.
    worlds: Vec<(String, Mark)>,
    chases: Vec<(UnitId, UnitId, Point)>,
}

impl CrowdSnapshot {
    /// The snapshot for files and other machines.
    pub fn to_bytes(&self) -> Vec<u8> {
        let mut out = Writer::default();
        out.raw(&MAGIC);
        out.u32(VERSION);
        out.u64(self.squads.len() as u64);
        for (name, snapshot, told) in &self.squads {
            out.text(name);
            for part in [&snapshot.to_bytes(), told] {
                out.u64(part.len() as u64);
                out.raw(part);
            }
        }
        out.u64(self.worlds.len() as u64);
        for (name, mark) in &self.worlds {
            out.text(name);
            mark.save(&mut out);
        }
        out.u64(self.chases.len() as u64);
        for (unit, leader, place) in &self.chases {
            out.u64(unit.to_bits());
            out.u64(leader.to_bits());
            save_point(&mut out, *place);
        }
        let mut bytes = out.into_bytes();
        let checksum = xxh3_64(&bytes);
        bytes.extend(checksum.to_le_bytes());
        bytes
    }

    /// Reads what [`CrowdSnapshot::to_bytes`] gave; damaged bytes and those of other versions are refused.
    pub fn from_bytes(bytes: &[u8]) -> Result<CrowdSnapshot, Error> {
        let damaged = |what| Error::Snapshot(SnapshotError::Damaged { what });
        let (body, sum) = bytes.split_at(bytes.len() - CHECKSUM.min(bytes.len()));
        let from = &mut Reader::new(body);
        if from.raw(MAGIC.len()) != Some(&MAGIC) {
            return Err(SnapshotError::NotASnapshot.into());
        }
        if xxh3_64(body).to_le_bytes() != *sum {
            return Err(damaged("the checksum is wrong"));
        }
        let found = from.u32().ok_or(damaged("it ends in its head"))?;
        if found != VERSION {
            return Err(SnapshotError::OtherVersion { found }.into());
        }
        let cut_off = || damaged("a length inside is wrong");
        let mut squads = Vec::new();
        for _ in 0..from.count(24).ok_or_else(cut_off)? {
            let name = from.text().ok_or_else(cut_off)?.to_string();
            let mut part = || {
                let length = from.count(1)?;
                from.raw(length)
            };
            let (walkers, told) = (part().ok_or_else(cut_off)?, part().ok_or_else(cut_off)?);
            squads.push((name, Snapshot::from_bytes(walkers)?, told.to_vec()));
        }
        let mut rest = || {
            let mut worlds = Vec::new();
            for _ in 0..from.count(8)? {
                worlds.push((from.text()?.to_string(), Mark::load(from)?));
            }
            let mut chases = Vec::new();
            for _ in 0..from.count(24)? {
                let [unit, leader] = [from.u64()?, from.u64()?].map(UnitId::from_bits);
                chases.push((unit, leader, load_point(from)?));
            }
            from.is_at_end().then_some((worlds, chases))
        };
        let (worlds, chases) = rest().ok_or_else(cut_off)?;
        Ok(CrowdSnapshot {
            squads,
            worlds,
            chases,
        })
    }
}

impl Crowd {
    /// All units, their plans and goals, and the world with its patches, doors and repairs, as they are between two ticks.
    ///
    /// ```
    /// use waypost::prelude::*;
    /// # fn main() -> Result<(), waypost::Error> {
    /// let nav = Navigator::build(Map::from_fn(40, 30, |p| p.x != 20 || p.y == 7)?)?;
    /// let mut crowd = nav.crowd(CrowdOptions::default())?;
    /// let unit = crowd.spawn((3, 4))?;
    /// crowd.send(unit, (35, 28))?;
    /// crowd.tick();
    /// let then = crowd.snapshot()?;
    /// let place = crowd.position(unit)?;
    /// crowd.patch(Patch::new().block((20, 7)));
    /// crowd.tick();
    /// crowd.restore(&then)?;
    /// assert_eq!(crowd.position(unit)?, place);
    /// assert!(nav.is_free((20, 7)));
    /// let saved = CrowdSnapshot::from_bytes(&then.to_bytes())?;
    /// crowd.restore(&saved)?;
    /// # Ok(())
    /// # }
    /// ```
    pub fn snapshot(&self) -> Result<CrowdSnapshot, Error> {
        let mut squads = Vec::new();
        for squad in &self.squads {
            let name = squad.nav.unit_type().name().to_string();
            squads.push((name, squad.inner.snapshot()?, squad.save_told()));
        }
        let mut worlds = Vec::new();
        for profile in self.navigator().profiles() {
            let name = profile.unit().name();
            if !squads.iter().any(|(known, _, _)| known == name) {
                let mark = profile.world().mark().map_err(SnapshotError::from)?;
                worlds.push((name.to_string(), mark));
            }
        }
        Ok(CrowdSnapshot {
            squads,
            worlds,
            chases: self.chases.clone(),
        })
    }

    /// Goes back to a snapshot of this crowd, or on from one of another process: units and world are as they were then, and
    /// what happens next is what happened then. Other crowds of the world have to be restored too.
    pub fn restore(&mut self, snapshot: &CrowdSnapshot) -> Result<(), Error> {
        let other = |found: &str| {
            Error::Snapshot(SnapshotError::OtherCrowd {
                expected: "a crowd with other types of units".to_string(),
                found: found.to_string(),
            })
        };
        let profiles = self.navigator().profiles();
        for (name, _) in &snapshot.worlds {
            if !profiles.iter().any(|profile| profile.unit().name() == name) {
                return Err(other(name));
            }
        }
        for (i, (name, _, _)) in snapshot.squads.iter().enumerate() {
            match self.squads.get(i) {
                None => _ = self.add_squad(name)?,
                Some(squad) if squad.nav.unit_type().name() != name => return Err(other(name)),
                Some(_) => {}
            }
        }
        let base = profiles[0].world();
        let before = base.map().grid().clone();
        for ((_, walkers, told), squad) in snapshot.squads.iter().zip(&mut self.squads) {
            squad.inner.restore(walkers)?;
            let loaded = squad.load_told(told);
            loaded.ok_or(SnapshotError::Damaged {
                what: "what units were told is cut off",
            })?;
        }
        self.squads.truncate(snapshot.squads.len());
        for (name, mark) in &snapshot.worlds {
            for profile in profiles.iter().filter(|p| p.unit().name() == name) {
                let returned = profile.world().return_to(mark, &mut |_, _| {});
                returned.map_err(SnapshotError::from)?;
            }
        }
        let changes = before.changes_to(base.map().grid());
        let mut patch = GridPatch::new();
        for &cell in &changes.blocked {
            patch.block(before.point(cell));
        }
        for &cell in &changes.opened {
            patch.open(before.point(cell));
        }
        for profile in &profiles[1..] {
            profile.bring_back(&base.map(), &patch);
        }
        self.chases = snapshot.chases.clone();
        self.events.clear();
        Ok(())
    }
}

fn save_point(out: &mut Writer, point: Point) {
    out.u32(point.x);
    out.u32(point.y);
}

fn load_point(from: &mut Reader) -> Option<Point> {
    Some(Point {
        x: from.u32()?,
        y: from.u32()?,
    })
}

impl Goal {
    /// Writes down a goal, or that there is none.
    pub(super) fn save(goal: Option<Goal>, out: &mut Writer) {
        match goal {
            None => out.u8(0),
            Some(Goal::Cell(point)) => {
                out.u8(1);
                save_point(out, point);
            }
            Some(Goal::Area(corner, (width, height))) => {
                out.u8(2);
                save_point(out, corner);
                out.u32(width);
                out.u32(height);
            }
            Some(Goal::Within(point, cells)) => {
                out.u8(3);
                save_point(out, point);
                out.u32(cells);
            }
            Some(Goal::Unit(unit)) => {
                out.u8(4);
                out.u64(unit.to_bits());
            }
        }
    }

    /// What [`Goal::save`] wrote; `None` where it is none of it.
    pub(super) fn load(from: &mut Reader) -> Option<Option<Goal>> {
        Some(match from.u8()? {
            0 => None,
            1 => Some(Goal::Cell(load_point(from)?)),
            2 => Some(Goal::Area(load_point(from)?, (from.u32()?, from.u32()?))),
            3 => Some(Goal::Within(load_point(from)?, from.u32()?)),
            4 => Some(Goal::Unit(UnitId::from_bits(from.u64()?))),
            _ => return None,
        })
    }
}
