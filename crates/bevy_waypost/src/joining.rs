//! Who is let in where: walkers that have no place wait for their map, and for room on it.

use crate::GridTransform;
use crate::background::Workers;
use crate::goal::Goal;
use crate::live::Live;
use crate::map::NavMap;
use crate::news::NavMapFailed;
use crate::settings::Clock;
use crate::step::{Home, Step, standing};
use crate::walker::{InMap, NavProfile, Walker, WalkerStatus};
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
    all: Query<'w, 's, Entity, (With<NavMap>, Allow<Disabled>)>,
}

impl Levels<'_, '_> {
    /// The map that is named, else the one that it was on, also while that is disabled, else the only one.
    pub fn of(&self, named: Option<&InMap>, before: Option<Entity>) -> Option<Entity> {
        let before = || before.filter(|&map| self.all.contains(map));
        match named {
            Some(in_map) => Some(in_map.0),
            None => before().or_else(|| self.maps.single().ok()),
        }
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
