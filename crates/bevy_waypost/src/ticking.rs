//! A tick: crowds move, walkers and the game are told, transforms follow.

use crate::GridTransform;
use crate::background::Workers;
use crate::joining::{Joining, forget, standing};
use crate::live::{Live, Seen, place};
use crate::map::NavMap;
use crate::news::IndexRenewed;
use crate::settings::{Clock, NavSettings};
use crate::walker::*;
use bevy_ecs::prelude::*;
use bevy_ecs::system::SystemParam;
use bevy_math::{UVec2, Vec2};
use bevy_time::{Fixed, Time};
use bevy_transform::components::Transform;
use waypost::crowd::Tick;
use waypost::navigator::Event as CrowdEvent;

/// Lets every crowd make its tick, all under one budget.
pub(crate) fn tick(
    mut maps: Query<&mut NavMap>,
    settings: Res<NavSettings>,
    workers: Res<Workers>,
    mut clock: ResMut<Clock>,
) {
    clock.ticks = clock.ticks.wrapping_add(1);
    let (mut planning, mut squads) = (0, 0);
    for live in maps.iter().filter_map(|map| map.live.as_ref()) {
        planning += live.planning() as u64;
        squads += live.squads.len() as u64;
    }
    let repair = settings.repair_operations / squads.max(1);
    for mut map in &mut maps {
        let is_held = map.is_held();
        let is_lockstep = map.is_lockstep();
        let Some(live) = &mut map.bypass_change_detection().live else {
            continue;
        };
        live.advance_profiles(&workers);
        if is_held || is_lockstep && (live.awaits_profile() || live.would_wait(repair)) {
            live.has_ticked = false;
            continue;
        }
        let share = |squad: u64| match planning {
            0 => settings.plan_operations / squads.max(1),
            all => {
                let part = u128::from(settings.plan_operations) * u128::from(squad);
                (part / u128::from(all)) as u64
            }
        };
        tick_crowds(live, share, repair);
        if settings.renew_indexes {
            live.renew_indexes(&workers);
        }
    }
}

/// Every crowd gets its share of the budget, by the number of walkers in it that wait for a plan.
fn tick_crowds(live: &mut Live, share: impl Fn(u64) -> u64, repair: u64) {
    let mut counts = Tick::default();
    for squad in &mut live.squads {
        let plan = share(squad.crowd_mut().planning() as u64);
        counts.add(&squad.tick(plan, repair));
    }
    live.counts = counts;
    live.ticks += 1;
    live.has_ticked = true;
}

/// Walkers that the game has written to, noted while all of them are looked at.
#[derive(Resource, Default)]
pub(crate) struct Written {
    /// Their pace is another, or whether they hold their ground.
    gaits: Vec<(Home, Entity)>,
    /// Another walker is in their place.
    reset: Vec<Entity>,
}

/// Tells walkers what the tick has made of them.
pub(crate) fn report(
    mut walkers: Query<(Entity, &mut Walker, &mut Step)>,
    maps: Query<&NavMap>,
    settings: Res<NavSettings>,
    clock: Res<Clock>,
    mut waiting: MessageWriter<Waiting>,
    mut written: ResMut<Written>,
) {
    let mut known: Option<View> = None;
    for (entity, mut walker, mut step) in &mut walkers {
        let Some(home) = walker.home else {
            if !walker.is_queued {
                written.reset.push(entity);
            }
            continue;
        };
        if known
            .as_ref()
            .is_none_or(|view| (view.map, view.squad) != (home.map, home.squad))
        {
            known = View::of(&maps, home);
        }
        let Some(view) = known.as_ref().filter(|view| view.has_ticked) else {
            continue;
        };
        let Some(seen) = view.seen.get(place(home.unit)) else {
            continue;
        };
        if walker.told != (walker.pace.max(1), walker.holds) {
            written.gaits.push((home, entity));
        }
        let waits = seen.status == WalkerStatus::Waiting;
        if waits && seen.waited == settings.waiting_ticks {
            waiting.write(Waiting {
                entity,
                cell: seen.cell,
            });
        }
        let moved = seen.cell != walker.cell;
        // Who has arrived and was told to stand has still arrived.
        let stays = seen.status == WalkerStatus::Idle && walker.status == WalkerStatus::Arrived;
        if moved || seen.status != walker.status && !stays {
            walker.status = seen.status;
        }
        if moved {
            advance(&mut walker, &mut step, seen.cell, view, clock.ticks);
        }
        if view.has_shifted {
            shift(&walker, &mut step, view, clock.ticks);
        }
    }
}

/// Tells crowds what the game has written, and remembers where maps lie.
pub(crate) fn take_over(
    mut written: ResMut<Written>,
    mut walkers: Query<&mut Walker>,
    mut maps: Query<&mut NavMap>,
    mut joining: ResMut<Joining>,
) {
    for (home, entity) in written.gaits.drain(..) {
        if let (Ok(mut map), Ok(mut walker)) = (maps.get_mut(home.map), walkers.get_mut(entity))
            && let Some(live) = &mut map.bypass_change_detection().live
        {
            live.set_gait(home, &walker);
            walker.told = (walker.pace.max(1), walker.holds);
        }
    }
    for mut map in &mut maps {
        let grid = map.transform;
        let live = map.bypass_change_detection().live.as_mut();
        if let Some(live) = live.filter(|live| live.has_ticked) {
            live.grid = Some(grid);
        }
    }
    for entity in written.reset.drain(..) {
        forget(&mut maps, entity);
        if let Ok(mut walker) = walkers.get_mut(entity) {
            joining.push(entity, None, &mut walker);
        }
    }
}

/// What a squad has seen in the last tick.
struct View<'a> {
    map: Entity,
    squad: u32,
    seen: &'a [Seen],
    size: u32,
    grid: GridTransform,
    /// Whether the cells lie elsewhere than in the last tick.
    has_shifted: bool,
    has_ticked: bool,
}

impl<'a> View<'a> {
    fn of(maps: &'a Query<&NavMap>, home: Home) -> Option<View<'a>> {
        let map = maps.get(home.map).ok()?;
        let live = map.live.as_ref()?;
        let squad = live.squads.get(home.squad as usize)?;
        Some(View {
            map: home.map,
            squad: home.squad,
            seen: &squad.seen,
            size: squad.size,
            grid: map.transform,
            has_shifted: live.grid.is_some_and(|grid| grid != map.transform),
            has_ticked: live.has_ticked,
        })
    }
}

/// A walker has made a step.
#[inline]
fn advance(walker: &mut Walker, step: &mut Step, cell: UVec2, view: &View, tick: u32) {
    let way = cell.as_ivec2() - walker.cell.as_ivec2();
    walker.heading = [way.x as i8, way.y as i8];
    walker.cell = cell;
    *step = Step {
        from: step.to,
        to: standing(&view.grid, cell, view.size),
        tick,
        pace: walker.pace.max(1),
        plane: view.grid.plane,
        goes_on: true,
    };
}

/// The map lies elsewhere: the step under way goes on there.
fn shift(walker: &Walker, step: &mut Step, view: &View, tick: u32) {
    let [x, y] = walker.heading.map(f32::from);
    let to = standing(&view.grid, walker.cell, view.size);
    let is_under_way = tick.wrapping_sub(step.tick) < u32::from(step.pace);
    step.from = match is_under_way {
        true => to - view.grid.cell * Vec2::new(x, y),
        false => to,
    };
    (step.to, step.plane, step.goes_on) = (to, view.grid.plane, true);
}

/// Writers of all that happens to walkers.
#[derive(SystemParam)]
pub(crate) struct News<'w, 's> {
    arrived: MessageWriter<'w, Arrived>,
    unreachable: MessageWriter<'w, Unreachable>,
    blocked: MessageWriter<'w, Blocked>,
    freed: MessageWriter<'w, Freed>,
    renewed: MessageWriter<'w, IndexRenewed>,
    commands: Commands<'w, 's>,
}

/// Tells the game what happened.
pub(crate) fn announce(maps: Query<(Entity, &NavMap)>, mut news: News) {
    for (map, nav_map) in &maps {
        let Some(live) = nav_map.live.as_ref().filter(|live| live.has_ticked) else {
            continue;
        };
        for squad in &live.squads {
            for event in squad.crowd().events() {
                news.tell(map, *event, |unit| {
                    let entity = squad.entity(unit)?;
                    Some((entity, squad.seen.get(place(unit))?.cell))
                });
            }
        }
    }
}

impl News<'_, '_> {
    fn tell(
        &mut self,
        map: Entity,
        event: CrowdEvent,
        who: impl Fn(waypost::navigator::UnitId) -> Option<(Entity, UVec2)>,
    ) {
        match event {
            CrowdEvent::Arrived(unit) => {
                if let Some((entity, cell)) = who(unit) {
                    let news = Arrived { entity, cell };
                    self.arrived.write(news);
                    self.commands.trigger(news);
                }
            }
            CrowdEvent::Unreachable(unit, nearest) => {
                if let Some((entity, _)) = who(unit) {
                    let nearest = nearest.map(|p| UVec2::new(p.x, p.y));
                    let news = Unreachable { entity, nearest };
                    self.unreachable.write(news);
                    self.commands.trigger(news);
                }
            }
            CrowdEvent::Blocked(unit) => {
                if let Some((entity, _)) = who(unit) {
                    self.blocked.write(Blocked { entity });
                    self.commands.trigger(Blocked { entity });
                }
            }
            CrowdEvent::Freed(unit) => {
                if let Some((entity, _)) = who(unit) {
                    self.freed.write(Freed { entity });
                    self.commands.trigger(Freed { entity });
                }
            }
            CrowdEvent::IndexRenewed { late, .. } => {
                self.renewed.write(IndexRenewed { map, late });
            }
        }
    }
}

/// Moves transforms between the last tick and this one. Those of walkers that stand are left alone.
pub(crate) fn interpolate(
    mut walkers: Query<(&mut Step, &mut Transform)>,
    clock: Res<Clock>,
    fixed: Option<Res<Time<Fixed>>>,
) {
    let part = match (clock.interpolates, fixed) {
        (true, Some(fixed)) => fixed.overstep_fraction(),
        _ => 1.0,
    };
    for (mut step, mut transform) in &mut walkers {
        if !step.goes_on {
            continue;
        }
        let mut part = clock.ticks.wrapping_sub(step.tick) as f32 + part;
        if step.pace > 1 {
            part /= f32::from(step.pace);
        }
        if part >= 1.0 {
            part = 1.0;
            step.bypass_change_detection().goes_on = false;
        }
        let at = step.from + (step.to - step.from) * part;
        transform.translation = step.plane.lift(at, transform.translation);
    }
}
