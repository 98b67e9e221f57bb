//! Walkers come and go, and so do their maps, names and types.

use crate::background::let_go;
use crate::joining::{Joining, Maps, Walkers};
use crate::map::NavMap;
use crate::step::{Home, Said, Step};
use crate::walker::{InMap, NavProfile, Walker, WalkerStatus};
use bevy_ecs::entity_disabling::Disabled;
use bevy_ecs::prelude::*;
use bevy_ecs::query::Allow;

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
        (step.goes_on, step.said) = (false, Said::Nothing);
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
        step.said = Said::Nothing;
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

type IsRenamed = Or<(Changed<InMap>, Changed<NavProfile>)>;

/// Walkers that are to be on another map, or of another type, leave and join again.
pub(crate) fn change(
    mut walkers: Query<Renamed, IsRenamed>,
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
) {
    let live = maps.get_mut(event.entity).ok();
    let Some(live) = live.and_then(|mut map| map.live.take()) else {
        return;
    };
    for (entity, _) in live.everybody() {
        if let Ok((mut walker, mut step)) = walkers.get_mut(entity) {
            step.said = Said::Nothing;
            joining.push(entity, None, None, (&mut walker, &mut step));
        }
    }
    let_go(live);
}

/// The worlds that maps had in the last tick.
#[derive(Resource, Default)]
pub(crate) struct Worlds(Vec<(Entity, Option<u32>)>);

/// Walkers whose world is not that of their map any more join again: the game has written another map in the place of theirs, or has let two maps
/// change places.
pub(crate) fn notice_worlds(
    mut maps: Query<(Entity, &mut NavMap), Allow<Disabled>>,
    mut walkers: Query<(Entity, &mut Walker, &mut Step), Allow<Disabled>>,
    mut worlds: ResMut<Worlds>,
    mut joining: ResMut<Joining>,
) {
    let now = maps.iter().map(|(entity, map)| (entity, map.world()));
    if now.eq(worlds.0.iter().copied()) {
        return;
    }
    worlds.0.clear();
    let now = maps.iter().map(|(entity, map)| (entity, map.world()));
    worlds.0.extend(now);
    for (entity, mut walker, mut step) in &mut walkers {
        let Some(home) = step.home else {
            continue;
        };
        let map = maps.get(home.map).ok();
        if map.is_some_and(|(_, map)| map.world() == Some(home.world)) {
            continue;
        }
        for (_, mut map) in &mut maps {
            if let Some(live) = &mut map.bypass_change_detection().live {
                live.leave(home);
            }
        }
        let walker = (&mut *walker, &mut *step);
        joining.push(entity, Some(home.map), None, walker);
    }
}

fn take_off(maps: &mut Maps, home: Option<Home>) {
    if let Some(home) = home
        && let Ok(mut map) = maps.get_mut(home.map)
        && let Some(live) = &mut map.bypass_change_detection().live
    {
        live.leave(home);
    }
}
