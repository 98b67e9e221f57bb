//! A tick: crowds move, walkers and the game are told.

use crate::GridTransform;
use crate::background::Workers;
use crate::joining::Maps;
use crate::live::{Live, Seen, place};
use crate::map::NavMap;
use crate::settings::{Clock, NavSettings};
use crate::step::{Home, Step, standing};
use crate::walker::*;
use bevy_ecs::entity_disabling::Disabled;
use bevy_ecs::prelude::*;
use bevy_ecs::query::Allow;
use bevy_math::{UVec2, Vec2};
use waypost::crowd::Tick;

/// Lets every crowd make its tick, all under one budget. What a map gets of it depends on nothing that takes as long as the machine lets it:
/// not on whether another map is ready, nor on what its walkers are doing.
pub(crate) fn tick(
    mut maps: Query<(&mut NavMap, Has<Disabled>), Allow<Disabled>>,
    settings: Res<NavSettings>,
    workers: Res<Workers>,
    mut clock: ResMut<Clock>,
) {
    clock.ticks = clock.ticks.wrapping_add(1);
    let (mut all, mut inhabited) = (0, 0);
    for (map, is_disabled) in &maps {
        let has_walkers = map.expects_walkers || map.walkers() > 0;
        all += u64::from(!is_disabled);
        inhabited += u64::from(has_walkers && !is_disabled);
    }
    let plan = settings.plan_operations / inhabited.max(1);
    for (mut map, is_disabled) in &mut maps {
        let is_held = map.is_held();
        let is_lockstep = map.is_lockstep();
        let Some(live) = &mut map.bypass_change_detection().live else {
            continue;
        };
        if is_disabled {
            live.has_ticked = false;
            continue;
        }
        live.advance_profiles(&workers);
        let repair = settings.repair_operations / (all * live.squads.len().max(1) as u64);
        if is_held || is_lockstep && (live.awaits_profile() || live.would_wait(repair)) {
            live.has_ticked = false;
            continue;
        }
        tick_crowds(live, plan, repair);
        if settings.renew_indexes {
            live.renew_indexes(&workers);
        }
    }
}

/// Every crowd gets its share of the map's budget, by the number of walkers in it that wait for a plan.
fn tick_crowds(live: &mut Live, plan: u64, repair: u64) {
    let (planning, squads) = (live.planning() as u64, live.squads.len() as u64);
    let share = |squad: u64| match planning {
        0 => plan / squads.max(1),
        all => (u128::from(plan) * u128::from(squad) / u128::from(all)) as u64,
    };
    let mut counts = Tick::default();
    for squad in &mut live.squads {
        let plan = share(squad.crowd_mut().planning() as u64);
        counts.add(&squad.tick(plan, repair));
    }
    live.counts = counts;
    live.ticks += 1;
    live.has_ticked = true;
}

/// Walkers that the game has written to, noted while all of them are looked at: their pace is another, or whether they hold their ground.
#[derive(Resource, Default)]
pub(crate) struct Written(Vec<Entity>);

/// Tells walkers what the tick has made of them.
pub(crate) fn report(
    mut walkers: Query<(Entity, &mut Walker, &mut Step)>,
    maps: Query<&NavMap, Allow<Disabled>>,
    settings: Res<NavSettings>,
    clock: Res<Clock>,
    mut waiting: MessageWriter<Waiting>,
    mut written: ResMut<Written>,
) {
    let mut known: Option<View> = None;
    for (entity, mut walker, mut step) in &mut walkers {
        // What this system wrote the last time is no change to it.
        let is_written = walker.is_changed();
        let is_foreign = is_written && walker.home != step.home;
        if is_foreign {
            walker.home = step.home;
        }
        let Some(home) = walker.home else {
            if is_written && walker.status != WalkerStatus::Joining {
                walker.status = WalkerStatus::Joining;
            }
            continue;
        };
        if known
            .as_ref()
            .is_none_or(|view| (view.world, view.squad) != (home.world, home.squad))
        {
            known = View::of(&maps, home);
        }
        let Some(view) = known.as_ref() else {
            continue;
        };
        let Some(seen) = view.seen.get(place(home.unit)) else {
            continue;
        };
        if is_written {
            if step.gait != walker.gait() {
                written.0.push(entity);
            }
            let cell = view.cell_at(step.to);
            if is_foreign || walker.cell != cell {
                (walker.cell, walker.status) = (cell, seen.status);
            }
        }
        if !view.has_ticked {
            continue;
        }
        let waits = seen.status == WalkerStatus::Waiting;
        if waits && seen.waited == settings.waiting_ticks {
            waiting.write(Waiting {
                entity,
                cell: seen.cell,
            });
        }
        let moved = seen.cell != walker.cell;
        if seen.status != walker.status {
            let status = match (seen.status, step.is_short) {
                (WalkerStatus::Arrived, true) => WalkerStatus::Unreachable,
                (status, _) => status,
            };
            if status != walker.status && !stays(walker.status, status, moved) {
                walker.status = status;
                if matches!(status, WalkerStatus::Moving | WalkerStatus::Waiting) {
                    step.sets_out();
                }
            }
        }
        if moved {
            let way = seen.cell.as_ivec2() - walker.cell.as_ivec2();
            walker.heading = [way.x as i8, way.y as i8];
            walker.cell = seen.cell;
            let to = standing(&view.grid, seen.cell, view.size);
            step.begin(to, view.grid.plane, clock.ticks);
        }
    }
}

/// Whether a walker that was told to stand is still what it was: who has arrived in an area, and who was sent outside the map.
fn stays(status: WalkerStatus, seen: WalkerStatus, moved: bool) -> bool {
    seen == WalkerStatus::Idle
        && match status {
            WalkerStatus::Arrived => !moved,
            WalkerStatus::Unreachable => true,
            _ => false,
        }
}

/// Tells crowds what the game has written.
pub(crate) fn take_over(
    mut written: ResMut<Written>,
    mut walkers: Query<(&Walker, &mut Step)>,
    mut maps: Maps,
) {
    for entity in written.0.drain(..) {
        if let Ok((walker, mut step)) = walkers.get_mut(entity)
            && let Some(home) = step.home
            && let Ok(mut map) = maps.get_mut(home.map)
            && let Some(live) = &mut map.bypass_change_detection().live
        {
            live.set_gait(home, walker, &mut step);
        }
    }
}

/// What a squad has seen in the last tick.
struct View<'a> {
    world: u32,
    squad: u32,
    seen: &'a [Seen],
    size: u32,
    grid: GridTransform,
    has_ticked: bool,
}

impl<'a> View<'a> {
    fn of(maps: &'a Query<&NavMap, Allow<Disabled>>, home: Home) -> Option<View<'a>> {
        let live = maps.get(home.map).ok()?.live.as_ref()?;
        let squad = live.squad_of(home)?;
        Some(View {
            world: home.world,
            squad: home.squad,
            seen: &squad.seen,
            size: squad.size,
            grid: live.grid,
            has_ticked: live.has_ticked,
        })
    }

    /// The cell of a walker that stands in a place.
    fn cell_at(&self, place: Vec2) -> UVec2 {
        let cells = (place - self.grid.flatten(self.grid.origin)) / self.grid.cell;
        (cells - self.size as f32 / 2.0).round().as_uvec2()
    }
}
