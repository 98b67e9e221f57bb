//! Questions to a map: the way, and what a wall would cut off.

use super::{NavMap, not_ready};
use crate::NavProfile;
use crate::live::Squad;
use crate::space::point;
use bevy_math::{UVec2, Vec3};
use std::borrow::Borrow;
use waypost::Error;
use waypost::prelude::{Patch, Point};

impl NavMap {
    /// A shortest path between two positions of the world, at the height of the first.
    pub fn path(&self, from: Vec3, to: Vec3) -> Result<Vec<Vec3>, Error> {
        let (nav, grid) = (self.navigator().ok_or_else(not_ready)?, self.grid());
        let cell = |position: Vec3| {
            let cell = grid.cell(position);
            cell.ok_or_else(|| Error::Map(format!("{position} is outside the map")))
        };
        let path = nav.path(point(cell(from)?), point(cell(to)?))?;
        let points = path.points().iter();
        let place = |p: &Point| grid.position(UVec2::new(p.x, p.y));
        Ok(points
            .map(|p| grid.lift(grid.flatten(place(p)), from))
            .collect())
    }

    /// Whether every one of these pairs of cells would still have a way between them after a patch: to be asked before a wall is placed. False
    /// before the map is ready.
    ///
    /// Asked for every type of walkers that the map knows: who has a way now keeps it, and somebody has one. Reckons with obstacles from when they
    /// are spawned; what a system's `Commands` spawn is there when these are applied, so walls that one system places are asked for in one
    /// patch, or one a tick.
    pub fn stays_connected(&self, patch: impl Borrow<Patch>, ends: &[(UVec2, UVec2)]) -> bool {
        let Some(live) = &self.live else {
            return false;
        };
        let patch = live.covers.after(patch.borrow());
        let mut has_way = vec![false; ends.len()];
        let keeps = |squad: &Squad, has_way: &mut [bool]| {
            let map = squad.nav.world().map();
            let cell = |at: UVec2| map.passable_cell(point(at));
            let mut connected = Vec::new();
            for (&(from, to), has_way) in ends.iter().zip(has_way) {
                let is_connected = cell(from)
                    .zip(cell(to))
                    .is_some_and(|(from, to)| map.components().connected(from, to));
                if is_connected {
                    connected.push((point(from), point(to)));
                    *has_way = true;
                }
            }
            connected.is_empty() || squad.nav.stays_connected(&patch, &connected)
        };
        if !live.squads.iter().all(|squad| keeps(squad, &mut has_way)) {
            return false;
        }
        // Those that nobody can go yet.
        let closed = ends.iter().zip(has_way).filter(|(_, has_way)| !has_way);
        closed
            .map(|(&(from, to), _)| [(point(from), point(to))])
            .all(|pair| {
                let mut squads = live.squads.iter();
                squads.any(|squad| squad.nav.stays_connected(&patch, &pair))
            })
    }

    /// [`NavMap::stays_connected`] for one type of walkers: those of a profile, or those who have none. Cells of large ones are their top left ones.
    /// False where the map does not know the profile yet.
    pub fn stays_connected_for(
        &self,
        profile: Option<&NavProfile>,
        patch: impl Borrow<Patch>,
        ends: &[(UVec2, UVec2)],
    ) -> bool {
        let ends: Vec<(Point, Point)> = ends.iter().map(|&(a, b)| (point(a), point(b))).collect();
        self.live.as_ref().is_some_and(|live| {
            let mut squads = live.squads.iter();
            let squad = match profile {
                None => squads.next(),
                Some(profile) => squads.find(|squad| squad.unit.name() == profile.name),
            };
            let patch = live.covers.after(patch.borrow());
            squad.is_some_and(|squad| squad.nav.stays_connected(&patch, &ends))
        })
    }
}
