//! Transforms: walkers' follow their steps and their maps, and walkers follow what the game does to them.

use crate::GridTransform;
use crate::coming::join_again;
use crate::joining::{Joining, Maps, cells_between};
use crate::live::place;
use crate::map::NavMap;
use crate::settings::Clock;
use crate::step::{Step, standing};
use crate::walker::Walker;
use bevy_ecs::change_detection::Tick;
use bevy_ecs::entity_disabling::Disabled;
use bevy_ecs::prelude::*;
use bevy_ecs::query::Allow;
use bevy_ecs::system::SystemChangeTick;
use bevy_time::{Fixed, Time};
use bevy_transform::components::Transform;

/// Walkers whose transform the game has put elsewhere.
#[derive(Resource, Default)]
pub(crate) struct Displaced(Vec<Entity>);

/// Walkers go with a map whose cells lie elsewhere, in the frame in which it is moved.
pub(crate) fn shift(
    mut maps: Query<(Entity, &mut NavMap)>,
    mut steps: Query<&mut Step, With<Walker>>,
    mut shifted: Local<Vec<(Entity, GridTransform)>>,
) {
    shifted.clear();
    for (entity, mut map) in &mut maps {
        let now = map.grid();
        if let Some(live) = &mut map.bypass_change_detection().live
            && live.grid != now
        {
            shifted.push((entity, live.grid));
            live.grid = now;
        }
    }
    if shifted.is_empty() {
        return;
    }
    for mut step in &mut steps {
        let Some(home) = step.home else {
            continue;
        };
        let Some((_, before)) = shifted.iter().find(|(map, _)| *map == home.map) else {
            continue;
        };
        let live = maps
            .get(home.map)
            .ok()
            .and_then(|(_, map)| map.live.as_ref());
        if let Some(live) = live
            && let Some(squad) = live.squad_of(home)
            && let Some(seen) = squad.seen.get(place(home.unit))
        {
            let to = standing(&live.grid, seen.cell, squad.size);
            step.shift(to, before, &live.grid);
        }
    }
}

/// Transforms of walkers, for when they were written alone.
type Written<'w, 's> = Query<'w, 's, (Entity, Ref<'static, Transform>), With<Walker>>;

/// Walkers that the game has put more than a cell away, to a place on their map, join it again there. Those of whom the last frame has seen it, and
/// those whose transform was written since.
pub(crate) fn displace(
    mut displaced: ResMut<Displaced>,
    written: Written,
    clock: Res<Clock>,
    now: SystemChangeTick,
    mut walkers: Query<(&mut Walker, &mut Step, &Transform)>,
    mut maps: Maps,
    mut joining: ResMut<Joining>,
) {
    note_written(&written, (clock.moved_at, now.this_run()), &mut displaced.0);
    for entity in displaced.0.drain(..) {
        let Ok((mut walker, mut step, transform)) = walkers.get_mut(entity) else {
            continue;
        };
        step.is_displaced = false;
        let map = step.home.and_then(|home| maps.get(home.map).ok());
        let Some(map) = map else {
            continue;
        };
        let (grid, size) = (map.grid(), map.size());
        let here = grid.flatten(transform.translation);
        let cell = grid.cell(transform.translation);
        let is_on_map = cell.is_some_and(|cell| cell.cmplt(size).all());
        if is_on_map && cells_between(&grid, here, step.at) > 1.0 {
            let walker = (&mut *walker, &mut *step);
            join_again(entity, true, walker, &mut maps, &mut joining);
        }
    }
}

/// Notes those whose transform was written since a tick of Bevy's. Of everybody else nothing but when that was is looked at.
fn note_written(written: &Written, (since, now): (Tick, Tick), into: &mut Vec<Entity>) {
    let Ok(tables) = written.contiguous_iter() else {
        let is_new = |at: &Ref<Transform>| at.last_changed().is_newer_than(since, now);
        let new = written.iter().filter(|(_, at)| is_new(at));
        into.extend(new.map(|(entity, _)| entity));
        return;
    };
    for (entities, transforms) in tables {
        let changed = transforms.changed_ticks_slice().iter().zip(entities);
        let new = changed.filter(|(tick, _)| tick.is_newer_than(since, now));
        into.extend(new.map(|(_, entity)| *entity));
    }
}

/// Moves transforms between the last tick and this one. Those of walkers that stand are left alone, and so is one that the game has put elsewhere, until
/// the next tick has looked at it.
pub(crate) fn interpolate(
    mut walkers: Query<(Entity, &mut Step, &mut Transform), With<Walker>>,
    maps: Query<&NavMap, Allow<Disabled>>,
    mut clock: ResMut<Clock>,
    now: SystemChangeTick,
    fixed: Option<Res<Time<Fixed>>>,
    mut displaced: ResMut<Displaced>,
) {
    clock.moved_at = now.this_run();
    let part = match (clock.interpolates, fixed) {
        (true, Some(fixed)) => fixed.overstep_fraction(),
        _ => 1.0,
    };
    for (entity, mut step, mut transform) in &mut walkers {
        let step = step.bypass_change_detection();
        // What this system wrote the last time is no change to it.
        if transform.is_changed() && is_elsewhere(&transform, step, &maps) {
            if !std::mem::replace(&mut step.is_displaced, true) {
                displaced.0.push(entity);
            }
            continue;
        }
        if !step.goes_on || step.is_displaced {
            continue;
        }
        let ticks = clock.ticks.wrapping_sub(step.tick) as f32 + part;
        step.goes_on = step.part(ticks) < 1.0;
        step.at = match step.goes_on {
            true => step.place(ticks),
            false => step.to,
        };
        transform.translation = step.plane.lift(step.at, transform.translation);
    }
}

/// Whether a transform is more than a cell away from where it was last put. Lesser moves are the game's, and last until the next step.
fn is_elsewhere(
    transform: &Transform,
    step: &Step,
    maps: &Query<&NavMap, Allow<Disabled>>,
) -> bool {
    let here = step.plane.flatten(transform.translation);
    if here == step.at {
        return false;
    }
    let map = step.home.and_then(|home| maps.get(home.map).ok());
    map.is_some_and(|map| cells_between(&map.grid(), here, step.at) > 1.0)
}
