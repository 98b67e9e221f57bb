//! Transforms: walkers' follow their steps and their maps, and walkers follow what the game does to them.

use crate::GridTransform;
use crate::coming::join_again;
use crate::joining::{Joining, Maps, cells_between};
use crate::live::place;
use crate::map::NavMap;
use crate::settings::Clock;
use crate::step::{Step, standing};
use crate::walker::Walker;
use bevy_ecs::prelude::*;
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
            && let Some(squad) = live.squads.get(home.squad as usize)
            && let Some(seen) = squad.seen.get(place(home.unit))
        {
            let to = standing(&live.grid, seen.cell, squad.size);
            step.shift(to, before, &live.grid);
        }
    }
}

/// Walkers that the game has put more than a cell away, to a place on their map, join it again there.
pub(crate) fn displace(
    mut displaced: ResMut<Displaced>,
    mut walkers: Query<(&mut Walker, &mut Step, &Transform)>,
    mut maps: Maps,
    mut joining: ResMut<Joining>,
) {
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

/// Moves transforms between the last tick and this one. Those of walkers that stand are left alone, and so is one that the game has put elsewhere, until
/// the next tick has looked at it.
pub(crate) fn interpolate(
    mut walkers: Query<(Entity, &mut Step, &mut Transform), With<Walker>>,
    clock: Res<Clock>,
    fixed: Option<Res<Time<Fixed>>>,
    mut displaced: ResMut<Displaced>,
) {
    let part = match (clock.interpolates, fixed) {
        (true, Some(fixed)) => fixed.overstep_fraction(),
        _ => 1.0,
    };
    for (entity, mut step, mut transform) in &mut walkers {
        let step = step.bypass_change_detection();
        // What this system wrote the last time is no change to it.
        if transform.is_changed()
            && step.home.is_some()
            && step.plane.flatten(transform.translation) != step.at
        {
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
