//! Who is on which map: walkers come, go, and change their maps.

use crate::GridTransform;
use crate::background::Workers;
use crate::live::Live;
use crate::map::NavMap;
use crate::news::NavMapFailed;
use crate::settings::Clock;
use crate::walker::{Goal, Home, InMap, NavProfile, Step, Walker, WalkerStatus};
use bevy_ecs::prelude::*;
use bevy_ecs::system::SystemParam;
use bevy_math::{UVec2, Vec2};
use bevy_transform::components::Transform;

/// Walkers that are not on a map yet, first come first served.
#[derive(Resource, Default)]
pub(crate) struct Joining {
    queue: Vec<Candidate>,
}

struct Candidate {
    entity: Entity,
    /// Where it was on the map before.
    cell: Option<UVec2>,
    /// Whether the game has been told that its profile cannot be.
    is_refused: bool,
}

impl Joining {
    /// Takes in a walker that has no place, or had one on a map that is gone.
    pub fn push(&mut self, entity: Entity, cell: Option<UVec2>, walker: &mut Walker) {
        (walker.home, walker.is_queued) = (None, true);
        walker.status = WalkerStatus::Joining;
        self.queue.push(Candidate {
            entity,
            cell,
            is_refused: false,
        });
    }
}

/// Which map an entity belongs to.
#[derive(SystemParam)]
pub(crate) struct Levels<'w, 's> {
    maps: Query<'w, 's, Entity, With<NavMap>>,
}

impl Levels<'_, '_> {
    /// The map that is named, else the only one.
    pub fn of(&self, named: Option<&InMap>) -> Option<Entity> {
        match named {
            Some(in_map) => Some(in_map.0),
            None => self.maps.single().ok(),
        }
    }
}

/// A walker has come: it joins its map in the next tick. Where it is a copy of another, it does not have that one's place.
pub(crate) fn walker_came(
    event: On<Insert<Walker>>,
    mut walkers: Query<&mut Walker>,
    mut joining: ResMut<Joining>,
) {
    if let Ok(mut walker) = walkers.get_mut(event.entity) {
        joining.push(event.entity, None, &mut walker);
    }
}

/// A walker goes, also while it plans: its unit is taken off the map.
pub(crate) fn walker_goes(
    event: On<Discard<Walker>>,
    walkers: Query<&Walker>,
    mut maps: Query<&mut NavMap>,
) {
    let Ok(walker) = walkers.get(event.entity) else {
        return;
    };
    match walker.home {
        Some(home) => take_off(&mut maps, home),
        // Overwritten since the last tick.
        None if !walker.is_queued => forget(&mut maps, event.entity),
        None => {}
    }
}

/// A walker changes its map or its type: it leaves and joins again.
pub(crate) fn walker_changes(
    entity: Entity,
    walkers: &mut Query<&mut Walker>,
    maps: &mut Query<&mut NavMap>,
    joining: &mut Joining,
) {
    if let Ok(mut walker) = walkers.get_mut(entity)
        && let Some(home) = walker.home.take()
    {
        take_off(maps, home);
        joining.push(entity, None, &mut walker);
    }
}

pub(crate) fn map_named(
    event: On<Insert<InMap>>,
    mut walkers: Query<&mut Walker>,
    mut maps: Query<&mut NavMap>,
    mut joining: ResMut<Joining>,
) {
    walker_changes(event.entity, &mut walkers, &mut maps, &mut joining);
}

pub(crate) fn profile_given(
    event: On<Insert<NavProfile>>,
    mut walkers: Query<&mut Walker>,
    mut maps: Query<&mut NavMap>,
    mut joining: ResMut<Joining>,
) {
    walker_changes(event.entity, &mut walkers, &mut maps, &mut joining);
}

/// No map is named any more, or no profile: the same.
pub(crate) fn map_forgotten(
    event: On<Remove<InMap>>,
    mut walkers: Query<&mut Walker>,
    mut maps: Query<&mut NavMap>,
    mut joining: ResMut<Joining>,
) {
    walker_changes(event.entity, &mut walkers, &mut maps, &mut joining);
}

pub(crate) fn profile_taken(
    event: On<Remove<NavProfile>>,
    mut walkers: Query<&mut Walker>,
    mut maps: Query<&mut NavMap>,
    mut joining: ResMut<Joining>,
) {
    walker_changes(event.entity, &mut walkers, &mut maps, &mut joining);
}

/// A map goes: its walkers wait for another one.
pub(crate) fn map_goes(
    event: On<Discard<NavMap>>,
    mut maps: Query<&mut NavMap>,
    mut walkers: Query<&mut Walker>,
    mut joining: ResMut<Joining>,
    workers: Res<Workers>,
) {
    let live = maps.get_mut(event.entity).ok();
    let Some(live) = live.and_then(|mut map| map.live.take()) else {
        return;
    };
    for entity in live.everybody() {
        send_back(&mut walkers, &mut joining, entity, None);
    }
    workers.let_go(live);
}

fn take_off(maps: &mut Query<&mut NavMap>, home: Home) {
    if let Ok(mut map) = maps.get_mut(home.map)
        && let Some(live) = &mut map.bypass_change_detection().live
    {
        live.leave(home);
    }
}

/// Takes off a walker that no longer knows where it was kept, because the game has written another in its place.
pub(crate) fn forget(maps: &mut Query<&mut NavMap>, entity: Entity) {
    for mut map in maps {
        if let Some(live) = &mut map.bypass_change_detection().live {
            live.forget(entity);
        }
    }
}

/// A walker has lost its map and joins again.
pub(crate) fn send_back(
    walkers: &mut Query<&mut Walker>,
    joining: &mut Joining,
    entity: Entity,
    cell: Option<UVec2>,
) {
    if let Ok(mut walker) = walkers.get_mut(entity) {
        joining.push(entity, cell, &mut walker);
    }
}

/// A walker that joins: all that says where.
type Comer = (
    &'static mut Walker,
    &'static mut Step,
    &'static mut Transform,
    Option<&'static InMap>,
    Option<&'static NavProfile>,
);

/// What a walker needs to get in.
#[derive(SystemParam)]
pub(crate) struct Door<'w, 's> {
    levels: Levels<'w, 's>,
    workers: Res<'w, Workers>,
    clock: Res<'w, Clock>,
    failed: MessageWriter<'w, NavMapFailed>,
}

/// Puts walkers on their maps, as soon as these are ready and have room.
pub(crate) fn join(
    mut joining: ResMut<Joining>,
    mut comers: Query<Comer>,
    mut goals: Query<&mut Goal>,
    mut maps: Query<&mut NavMap>,
    mut door: Door,
) {
    joining.queue.retain_mut(|candidate| {
        let Ok((walker, step, transform, in_map, profile)) = comers.get_mut(candidate.entity)
        else {
            return false;
        };
        if walker.home.is_some() {
            return false;
        }
        let Some(id) = door.levels.of(in_map) else {
            return true;
        };
        let Ok(mut map) = maps.get_mut(id) else {
            return true;
        };
        let grid = map.transform;
        let Some(live) = &mut map.bypass_change_detection().live else {
            return true;
        };
        let squad = match live.squad_for(profile, &door.workers) {
            Ok(Some(squad)) => squad,
            Ok(None) => return true,
            Err(reason) => {
                if !std::mem::replace(&mut candidate.is_refused, true) {
                    door.failed.write(NavMapFailed { map: id, reason });
                }
                return true;
            }
        };
        let joined = settle(
            live,
            (id, squad),
            candidate,
            &grid,
            (walker, step, transform),
            door.clock.ticks,
        );
        if joined && let Ok(mut goal) = goals.get_mut(candidate.entity) {
            goal.set_changed();
        }
        !joined
    });
}

/// Gives a walker a place in its squad; false where there is no room.
fn settle(
    live: &mut Live,
    (map, squad): (Entity, u32),
    candidate: &Candidate,
    grid: &GridTransform,
    (mut walker, mut step, mut transform): (Mut<Walker>, Mut<Step>, Mut<Transform>),
    tick: u32,
) -> bool {
    let size = live.squads[squad as usize].size;
    let wished = candidate
        .cell
        .unwrap_or_else(|| wish(grid, &transform, size));
    let Some((unit, cell)) = live.join(squad, candidate.entity, wished) else {
        return false;
    };
    let at = standing(grid, cell, size);
    (walker.home, walker.is_queued) = (Some(Home { map, squad, unit }), false);
    walker.status = WalkerStatus::Idle;
    walker.cell = cell;
    walker.told = (1, false);
    walker.heading = [0, 0];
    *step = Step {
        from: at,
        to: at,
        tick,
        pace: 1,
        plane: grid.plane,
        goes_on: false,
    };
    transform.translation = grid.lift(at, transform.translation);
    true
}

/// The cell that a walker wants to begin at: where its transform is, at the edge of the map where that is outside.
fn wish(grid: &GridTransform, transform: &Transform, size: u32) -> UVec2 {
    let middle = (grid.flatten(transform.translation) - grid.flatten(grid.origin)) / grid.cell;
    let corner = middle - (size - 1) as f32 / 2.0;
    corner.max(Vec2::ZERO).floor().as_uvec2()
}

/// Where the middle of a walker is in the plane.
pub(crate) fn standing(grid: &GridTransform, cell: UVec2, size: u32) -> Vec2 {
    grid.place(cell.as_vec2() + size as f32 / 2.0)
}
