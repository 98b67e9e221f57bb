//! Snapshots of crowds at the door: units of all types, what they were told, whom they chase, and the world that they walk in.

use super::goal::{load_point, save_point};
use super::squad::TypeCrowd;
use super::{Crowd, UnitId};
use crate::crowd::{Snapshot, SnapshotError};
use crate::grid::{Cell, Point};
use crate::navigator::Error;
use crate::navigator::profile::Dams;
use crate::stream::{Reader, Writer};
use crate::world::Mark;
use std::sync::Arc;
use xxhash_rust::xxh3::xxh3_64;

/// The first bytes of every snapshot.
const MAGIC: [u8; 8] = *b"WAYPSAV\n";
const VERSION: u32 = 3;
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
    dams: Dams,
    /// Operations of plans and of repairs ([`Crowd::set_budget`]).
    budget: [u64; 2],
    chases: Vec<(UnitId, UnitId, Point)>,
    /// Whether it was read from bytes, so that nobody knows whether it fits before it is taken apart.
    is_read: bool,
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
        out.u32s(self.dams.cells().map(|cell| cell.0));
        self.budget
            .iter()
            .for_each(|&operations| out.u64(operations));
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
            let dams = Dams::new(from.u32s()?.into_iter().map(Cell));
            let budget = [from.u64()?, from.u64()?];
            let mut chases = Vec::new();
            for _ in 0..from.count(24)? {
                let [unit, leader] = [from.u64()?, from.u64()?].map(UnitId::from_bits);
                chases.push((unit, leader, load_point(from)?));
            }
            from.is_at_end().then_some((worlds, dams, budget, chases))
        };
        let (worlds, dams, budget, chases) = rest().ok_or_else(cut_off)?;
        Ok(CrowdSnapshot {
            squads,
            worlds,
            dams,
            budget,
            chases,
            is_read: true,
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
        let dams = self.navigator().shared.hold();
        self.take_down(&dams)
    }

    /// The snapshot, while nobody changes the world.
    fn take_down(&self, dams: &Dams) -> Result<CrowdSnapshot, Error> {
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
            dams: dams.clone(),
            budget: [self.options.plan_operations, self.options.repair_operations],
            chases: self.chases.clone(),
            is_read: false,
        })
    }

    /// Goes back to a snapshot of this crowd, or on from one of another process: units and world are as they were then, and
    /// what happens next is what happened then. Ids that were given since name nobody, and are given again. Unit types that were
    /// added to the world since stay, and see it as it was. Other crowds of the world have to be restored too. A snapshot of another
    /// world or crowd is refused, and then all is as it was.
    pub fn restore(&mut self, snapshot: &CrowdSnapshot) -> Result<(), Error> {
        let shared = self.navigator().shared.clone();
        let mut dams = shared.hold();
        let before = match snapshot.is_read {
            true => self.take_down(&dams).ok(),
            false => None,
        };
        let restored = self.go_to(snapshot, &mut dams);
        if let (Err(_), Some(before)) = (&restored, before) {
            // What was true a moment ago can be had again.
            let _ = self.go_to(&before, &mut dams);
        }
        restored
    }

    fn go_to(&mut self, snapshot: &CrowdSnapshot, dams: &mut Dams) -> Result<(), Error> {
        let other = |found: &str| {
            Error::Snapshot(SnapshotError::OtherCrowd {
                expected: "a crowd with other types of units".to_string(),
                found: found.to_string(),
            })
        };
        let profiles = self.navigator().profiles();
        let known = |name: &str| profiles.iter().find(|p| p.unit().name() == name);
        let mut marks = Vec::new();
        for (name, mark) in &snapshot.worlds {
            let profile = known(name).ok_or_else(|| other(name))?;
            profile.world().fits(mark).map_err(SnapshotError::from)?;
            marks.push((profile, mark));
        }
        let squads = self.squads.len();
        for (i, (name, _, _)) in snapshot.squads.iter().enumerate() {
            match self.squads.get(i) {
                None => _ = self.add_squad(name)?,
                Some(squad) if squad.nav.unit_type().name() != name => return Err(other(name)),
                Some(_) => {}
            }
        }
        let fits =
            |(squad, (_, walkers, _)): (&TypeCrowd, &(_, Snapshot, _))| squad.inner.fits(walkers);
        if let Err(error) = self.squads.iter().zip(&snapshot.squads).try_for_each(fits) {
            self.squads.truncate(squads);
            return Err(error.into());
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
        for (profile, mark) in &marks {
            let returned = profile.world().return_to(mark, &mut |_, _| {});
            returned.map_err(SnapshotError::from)?;
        }
        let map = base.map();
        let changes = before.changes_to(map.grid());
        let mut touched = changes.to_patch(map.grid());
        snapshot.dams.touch_changes(dams, map.grid(), &mut touched);
        *dams = snapshot.dams.clone();
        for profile in &profiles[1..] {
            let is_back = self
                .squads
                .iter()
                .any(|s| s.nav.unit_type() == profile.unit())
                || marks.iter().any(|(back, _)| Arc::ptr_eq(back, profile));
            match is_back {
                true => profile.bring_back(&map, dams, &touched),
                false => profile.follow(&map, dams, &touched, &changes),
            }
        }
        drop(map);
        let [plans, repairs] = snapshot.budget;
        (self.options.plan_operations, self.options.repair_operations) = (plans, repairs);
        self.chases = snapshot.chases.clone();
        self.events.clear();
        Ok(())
    }
}
