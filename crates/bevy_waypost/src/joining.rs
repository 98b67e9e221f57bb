//! Who is on which map: walkers come, are let in, go.

use crate::GridTransform;
use crate::background::Workers;
use crate::live::Live;
use crate::map::NavMap;
use crate::news::NavMapFailed;
use crate::settings::Clock;
use crate::step::{Step, standing};
use crate::walker::{Goal, Home, InMap, NavProfile, Walker, WalkerStatus};
use bevy_ecs::entity_disabling::Disabled;
use bevy_ecs::prelude::*;
use bevy_ecs::query::Allow;
use bevy_ecs::system::SystemParam;
use bevy_math::{UVec2, Vec2};
use bevy_transform::components::Transform;

/// All walkers and all maps, disabled ones too.
pub(crate) type Walkers<'w, 's> =
    Query<'w, 's, (&'static mut Walker, &'static mut Step), Allow<Disabled>>;
pub(crate) type Maps<'w, 's> = Query<'w, 's, &'static mut NavMap, Allow<Disabled>>;

/// Walkers that are not on a map yet, first come first served; who found no room goes to the end.
#[derive(Resource, Default)]
pub(crate) struct Joining {
    queue: Vec<Candidate>,
    /// Those who found no room, while the queue is gone through.
    later: Vec<Candidate>,
}

struct Candidate {
    entity: Entity,
    /// The cell that it had on the map before, where that is to be kept.
    cell: Option<UVec2>,
    /// The map that it was on, which is meant where none is named.
    map: Option<Entity>,
    /// Why the game was told that its profile cannot be.
    refused: Option<String>,
}

/// What becomes of one who wants to join.
enum Outcome {
    Joined,
    Gone,
    Waits,
    NoRoom,
}

impl Joining {
    /// Takes in a walker that has no place, or had one that is gone.
    pub fn push(
        &mut self,
        entity: Entity,
        map: Option<Entity>,
        cell: Option<UVec2>,
        (walker, step): (&mut Walker, &mut Step),
    ) {
        (walker.home, step.home) = (None, None);
        walker.status = WalkerStatus::Joining;
        if !std::mem::replace(&mut step.is_queued, true) {
            let refused = None;
            self.queue.push(Candidate {
                entity,
                cell,
                map,
                refused,
            });
        }
    }
}

/// Which map an entity belongs to.
#[derive(SystemParam)]
pub(crate) struct Levels<'w, 's> {
    maps: Query<'w, 's, Entity, With<NavMap>>,
}

impl Levels<'_, '_> {
    /// The map that is named, else the one that it was on, else the only one.
    pub fn of(&self, named: Option<&InMap>, before: Option<Entity>) -> Option<Entity> {
        let before = || before.filter(|&map| self.maps.contains(map));
        match named {
            Some(in_map) => Some(in_map.0),
            None => before().or_else(|| self.maps.single().ok()),
        }
    }
}

/// A walker has come: it joins its map in the next tick. One that takes the place of another walker of the entity has that one's place.
pub(crate) fn walker_came(
    event: On<Insert<Walker>>,
    mut walkers: Query<(&mut Walker, &mut Step)>,
    mut joining: ResMut<Joining>,
) {
    if let Ok((mut walker, mut step)) = walkers.get_mut(event.entity) {
        match step.home {
            Some(home) => walker.home = Some(home),
            None => joining.push(event.entity, None, None, (&mut walker, &mut step)),
        }
    }
}

/// A walker goes, also while it plans: its unit is taken off the map, and its transform is the game's.
pub(crate) fn walker_goes(event: On<Remove<Walker>>, mut walkers: Walkers, mut maps: Maps) {
    if let Ok((_, mut step)) = walkers.get_mut(event.entity) {
        step.goes_on = false;
        take_off(&mut maps, step.home.take());
    }
}

/// A disabled walker is not on its map.
pub(crate) fn walker_disabled(event: On<Insert<Disabled>>, mut walkers: Walkers, mut maps: Maps) {
    if let Ok((mut walker, mut step)) = walkers.get_mut(event.entity) {
        take_off(&mut maps, step.home.take());
        (walker.home, walker.status) = (None, WalkerStatus::Joining);
        step.goes_on = false;
    }
}

pub(crate) fn walker_enabled(
    event: On<Remove<Disabled>>,
    mut walkers: Walkers,
    mut joining: ResMut<Joining>,
) {
    if let Ok((mut walker, mut step)) = walkers.get_mut(event.entity) {
        joining.push(event.entity, None, None, (&mut walker, &mut step));
    }
}

/// A walker leaves its map and joins again, where its transform is.
pub(crate) fn join_again(
    entity: Entity,
    stays: bool,
    (walker, step): (&mut Walker, &mut Step),
    maps: &mut Maps,
    joining: &mut Joining,
) {
    if let Some(home) = step.home {
        take_off(maps, Some(home));
        let map = stays.then_some(home.map);
        joining.push(entity, map, None, (walker, step));
    }
}

/// No map is named any more.
pub(crate) fn map_forgotten(
    event: On<Remove<InMap>>,
    mut walkers: Query<(&mut Walker, &mut Step)>,
    mut maps: Maps,
    mut joining: ResMut<Joining>,
) {
    if let Ok((mut walker, mut step)) = walkers.get_mut(event.entity) {
        let walker = (&mut *walker, &mut *step);
        join_again(event.entity, false, walker, &mut maps, &mut joining);
    }
}

/// No profile is given any more: it is of the map's own type.
pub(crate) fn profile_taken(
    event: On<Remove<NavProfile>>,
    mut walkers: Query<(&mut Walker, &mut Step)>,
    mut maps: Maps,
    mut joining: ResMut<Joining>,
) {
    if let Ok((mut walker, mut step)) = walkers.get_mut(event.entity) {
        let walker = (&mut *walker, &mut *step);
        join_again(event.entity, true, walker, &mut maps, &mut joining);
    }
}

/// Walkers whose map or type was written, in place or by an insertion.
type Renamed = (
    Entity,
    &'static mut Walker,
    &'static mut Step,
    Option<&'static InMap>,
    Option<&'static NavProfile>,
);

/// Walkers that are to be on another map, or of another type, leave and join again.
pub(crate) fn change(
    mut walkers: Query<Renamed, Or<(Changed<InMap>, Changed<NavProfile>)>>,
    mut maps: Maps,
    mut joining: ResMut<Joining>,
) {
    for (entity, mut walker, mut step, in_map, profile) in &mut walkers {
        let Some(home) = step.home else {
            continue;
        };
        let live = maps.get(home.map).ok().and_then(|map| map.live.as_ref());
        let is_of_type = live.is_some_and(|live| live.is_of_type(home, profile));
        if !is_of_type || in_map.is_some_and(|in_map| in_map.0 != home.map) {
            let walker = (&mut *walker, &mut *step);
            join_again(entity, true, walker, &mut maps, &mut joining);
        }
    }
}

/// A map goes: its walkers wait for another one.
pub(crate) fn map_goes(
    event: On<Discard<NavMap>>,
    mut maps: Maps,
    mut walkers: Walkers,
    mut joining: ResMut<Joining>,
    workers: Res<Workers>,
) {
    let live = maps.get_mut(event.entity).ok();
    let Some(live) = live.and_then(|mut map| map.live.take()) else {
        return;
    };
    for (entity, _) in live.everybody() {
        if let Ok((mut walker, mut step)) = walkers.get_mut(entity) {
            joining.push(entity, None, None, (&mut walker, &mut step));
        }
    }
    workers.let_go(live);
}

fn take_off(maps: &mut Maps, home: Option<Home>) {
    if let Some(home) = home
        && let Ok(mut map) = maps.get_mut(home.map)
        && let Some(live) = &mut map.bypass_change_detection().live
    {
        live.leave(home);
    }
}

/// A walker that joins: all that says where.
type Comer = (
    &'static mut Step,
    Option<&'static mut Walker>,
    Option<&'static mut Transform>,
    Option<&'static InMap>,
    Option<&'static NavProfile>,
    Has<Disabled>,
);

/// What a walker needs to get in.
#[derive(SystemParam)]
pub(crate) struct Door<'w, 's> {
    levels: Levels<'w, 's>,
    comers: Query<'w, 's, Comer, Allow<Disabled>>,
    goals: Query<'w, 's, &'static mut Goal>,
    maps: Query<'w, 's, &'static mut NavMap>,
    workers: Res<'w, Workers>,
    clock: Res<'w, Clock>,
    failed: MessageWriter<'w, NavMapFailed>,
}

/// Puts walkers on their maps, as soon as these are ready and have room.
pub(crate) fn join(mut joining: ResMut<Joining>, mut door: Door) {
    for mut map in &mut door.maps {
        map.bypass_change_detection().begin_joining();
    }
    let joining = &mut *joining;
    let mut later = std::mem::take(&mut joining.later);
    joining
        .queue
        .retain_mut(|candidate| match door.let_in(candidate) {
            Outcome::Waits => true,
            Outcome::Joined | Outcome::Gone => false,
            Outcome::NoRoom => {
                later.push(Candidate {
                    refused: candidate.refused.take(),
                    ..*candidate
                });
                false
            }
        });
    joining.queue.append(&mut later);
    joining.later = later;
}

impl Door<'_, '_> {
    fn let_in(&mut self, candidate: &mut Candidate) -> Outcome {
        let comer = self.comers.get_mut(candidate.entity);
        let Ok((mut step, walker, transform, in_map, profile, is_disabled)) = comer else {
            return Outcome::Gone;
        };
        let Some(walker) = walker.filter(|_| step.home.is_none() && !is_disabled) else {
            step.is_queued = false;
            return Outcome::Gone;
        };
        let Some(transform) = transform else {
            return Outcome::Waits;
        };
        let Some(id) = self.levels.of(in_map, candidate.map) else {
            return Outcome::Waits;
        };
        let Ok(mut map) = self.maps.get_mut(id) else {
            return Outcome::Waits;
        };
        let map = map.bypass_change_detection();
        map.expects_walkers = true;
        let grid = map.grid();
        let Some(live) = &mut map.live else {
            return Outcome::Waits;
        };
        let squad = match live.squad_for(profile, &self.workers) {
            Ok(Some(squad)) => squad,
            Ok(None) => return Outcome::Waits,
            Err(reason) => {
                if candidate.refused.as_ref() != Some(&reason) {
                    candidate.refused = Some(reason.clone());
                    self.failed.write(NavMapFailed { map: id, reason });
                }
                return Outcome::Waits;
            }
        };
        let comer = (walker, step, transform);
        let tick = self.clock.ticks;
        if !settle(live, (id, squad), candidate, &grid, comer, tick) {
            return Outcome::NoRoom;
        }
        if let Ok(mut goal) = self.goals.get_mut(candidate.entity) {
            goal.set_changed();
        }
        Outcome::Joined
    }
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
    let home = Home {
        map,
        world: live.generation,
        squad,
        unit,
    };
    (walker.home, step.home, step.is_queued) = (Some(home), Some(home), false);
    walker.status = WalkerStatus::Idle;
    walker.cell = cell;
    walker.heading = [0, 0];
    live.set_gait(home, &walker, &mut step);
    let (here, at) = (
        grid.flatten(transform.translation),
        standing(grid, cell, size),
    );
    // Under one who keeps its cell the map was swapped: it goes on from where the last step has got to.
    let goes_on = candidate.cell == Some(cell) && cells_between(grid, here, at) <= 1.0;
    step.reset(if goes_on { here } else { at }, at, grid.plane, tick);
    if !goes_on {
        transform.translation = grid.lift(at, transform.translation);
    }
    true
}

/// The cell that a walker wants to begin at: where its transform is, at the edge of the map where that is outside.
fn wish(grid: &GridTransform, transform: &Transform, size: u32) -> UVec2 {
    let middle = (grid.flatten(transform.translation) - grid.flatten(grid.origin)) / grid.cell;
    let corner = middle - (size - 1) as f32 / 2.0;
    corner.max(Vec2::ZERO).floor().as_uvec2()
}

/// How many cells two places are apart, in columns or in rows.
pub(crate) fn cells_between(grid: &GridTransform, a: Vec2, b: Vec2) -> f32 {
    ((a - b) / grid.cell).abs().max_element()
}
