//! What happens in a tick, system by system.

use crate::background::Workers;
use crate::builds::NavMapFailed;
use crate::live::{Live, Seen, place};
use crate::map::{NavMap, point};
use crate::plugin::{Clock, NavSettings};
use crate::walker::*;
use crate::{GridTransform, InMap};
use bevy_ecs::prelude::*;
use bevy_ecs::system::SystemParam;
use bevy_math::{UVec2, Vec2};
use bevy_time::{Fixed, Time};
use bevy_transform::components::Transform;
use waypost::crowd::Tick;
use waypost::navigator::{Event as CrowdEvent, Goal as CrowdGoal};

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
    pub fn push(&mut self, entity: Entity, cell: Option<UVec2>) {
        self.queue.push(Candidate {
            entity,
            cell,
            is_refused: false,
        });
    }
}

/// Walkers that follow an entity which is not in their squad: who, whom, and where that was.
#[derive(Resource, Default)]
pub(crate) struct Chases(Vec<(Entity, Entity, Option<UVec2>)>);

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

/// A walker has come: it joins its map in the next tick.
pub(crate) fn walker_came(event: On<Insert<Walker>>, mut joining: ResMut<Joining>) {
    joining.push(event.entity, None);
}

/// A walker goes, also while it plans: its unit is taken off the map.
pub(crate) fn walker_goes(
    event: On<Discard<Walker>>,
    walkers: Query<&Walker>,
    mut maps: Query<&mut NavMap>,
) {
    let home = walkers.get(event.entity).ok().and_then(|walker| walker.home);
    if let Some(home) = home {
        take_off(&mut maps, home);
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
        walker.status = WalkerStatus::Joining;
        joining.push(entity, None);
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

/// A map goes: its walkers wait for another one.
pub(crate) fn map_goes(
    event: On<Discard<NavMap>>,
    maps: Query<&NavMap>,
    mut walkers: Query<&mut Walker>,
    mut joining: ResMut<Joining>,
) {
    let Some(live) = maps.get(event.entity).ok().and_then(|map| map.live.as_ref()) else {
        return;
    };
    for entity in live.everybody() {
        send_back(&mut walkers, &mut joining, entity, None);
    }
}

fn take_off(maps: &mut Query<&mut NavMap>, home: Home) {
    if let Ok(mut map) = maps.get_mut(home.map)
        && let Some(live) = &mut map.bypass_change_detection().live
    {
        live.leave(home);
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
        walker.home = None;
        walker.status = WalkerStatus::Joining;
        joining.push(entity, cell);
    }
}

/// A walker that joins: all that says where.
type Comer = (
    &'static mut Walker,
    &'static mut Transform,
    Option<&'static InMap>,
    Option<&'static NavProfile>,
);

/// Puts walkers on their maps, as soon as these are ready and have room.
pub(crate) fn join(
    mut joining: ResMut<Joining>,
    mut comers: Query<Comer>,
    mut goals: Query<&mut Goal>,
    mut maps: Query<&mut NavMap>,
    levels: Levels,
    workers: Res<Workers>,
    clock: Res<Clock>,
    mut failed: MessageWriter<NavMapFailed>,
) {
    if joining.queue.is_empty() {
        return;
    }
    joining.queue.retain_mut(|candidate| {
        let Ok((mut walker, mut transform, in_map, profile)) = comers.get_mut(candidate.entity) else {
            return false;
        };
        if walker.home.is_some() {
            return false;
        }
        let Some(id) = levels.of(in_map) else {
            return true;
        };
        let Ok(mut map) = maps.get_mut(id) else {
            return true;
        };
        let grid = map.transform;
        let Some(live) = &mut map.bypass_change_detection().live else {
            return true;
        };
        let squad = match live.squad_for(profile, &workers) {
            Ok(Some(squad)) => squad,
            Ok(None) => return true,
            Err(reason) => {
                if !std::mem::replace(&mut candidate.is_refused, true) {
                    failed.write(NavMapFailed { map: id, reason });
                }
                return true;
            }
        };
        let size = live.squads[squad as usize].size;
        let wish = candidate.cell.unwrap_or_else(|| wish(&grid, &transform, size));
        let Some((unit, cell)) = live.join(squad, candidate.entity, wish) else {
            return true;
        };
        let home = Home { map: id, squad, unit };
        walker.home = Some(home);
        walker.status = WalkerStatus::Idle;
        walker.cell = cell;
        walker.told = (1, false);
        let at = standing(&grid, cell, size);
        walker.step = Step {
            from: at,
            to: at,
            tick: clock.ticks,
            direction: [0, 0],
            plane: grid.plane,
        };
        transform.translation = grid.lift(at, transform.translation);
        if let Ok(mut goal) = goals.get_mut(candidate.entity) {
            goal.set_changed();
        }
        false
    });
}

/// The cell that a walker wants to begin at: where its transform is, at the edge of the map where that is outside.
fn wish(grid: &GridTransform, transform: &Transform, size: u32) -> UVec2 {
    let middle = (grid.flatten(transform.translation) - grid.flatten(grid.origin)) / grid.cell;
    let corner = middle - (size - 1) as f32 / 2.0;
    corner.max(Vec2::ZERO).floor().as_uvec2()
}

/// Where the middle of a walker is in the plane.
fn standing(grid: &GridTransform, cell: UVec2, size: u32) -> Vec2 {
    grid.place(cell.as_vec2() + size as f32 / 2.0)
}

/// Sends walkers whose goal has changed.
pub(crate) fn send(
    changed: Query<(Entity, &Goal), (Changed<Goal>, With<Walker>)>,
    mut walkers: Query<&mut Walker>,
    transforms: Query<&Transform>,
    mut maps: Query<&mut NavMap>,
    mut chases: ResMut<Chases>,
    mut unreachable: MessageWriter<Unreachable>,
    mut commands: Commands,
) {
    for (entity, goal) in &changed {
        let Some(home) = walkers.get(entity).ok().and_then(|walker| walker.home) else {
            continue;
        };
        chases.0.retain(|chase| chase.0 != entity);
        let Ok(mut map) = maps.get_mut(home.map) else {
            continue;
        };
        let grid = map.transform;
        let Some(live) = &mut map.bypass_change_detection().live else {
            continue;
        };
        let sent = match crowd_goal(*goal, home, &grid, &walkers.as_readonly()) {
            Aim::Nowhere => {
                live.stop(home);
                if let Ok(mut walker) = walkers.get_mut(entity) {
                    walker.status = WalkerStatus::Idle;
                }
                true
            }
            Aim::At(goal) => live.send(home, goal).is_ok(),
            Aim::Outside => false,
            Aim::Chase(leader) => {
                let cell = cell_of(leader, &grid, &walkers.as_readonly(), &transforms);
                chases.0.push((entity, leader, cell));
                cell.is_some_and(|cell| live.send(home, CrowdGoal::Within(point(cell), 0)).is_ok())
            }
        };
        if !sent {
            live.stop(home);
            let news = Unreachable {
                entity,
                nearest: None,
            };
            unreachable.write(news);
            commands.trigger(news);
        }
    }
}

/// What a goal means to a crowd.
enum Aim {
    Nowhere,
    Outside,
    At(CrowdGoal),
    /// After an entity that the crowd does not know.
    Chase(Entity),
}

fn crowd_goal(goal: Goal, home: Home, grid: &GridTransform, walkers: &Query<&Walker>) -> Aim {
    match goal {
        Goal::None => Aim::Nowhere,
        Goal::Cell(cell) => Aim::At(CrowdGoal::Cell(point(cell))),
        Goal::Position(position) => match grid.cell(position) {
            Some(cell) => Aim::At(CrowdGoal::Cell(point(cell))),
            None => Aim::Outside,
        },
        Goal::Area { corner, size } => {
            Aim::At(CrowdGoal::Area(point(corner), (size.x.max(1), size.y.max(1))))
        }
        Goal::Within { cell, cells } => Aim::At(CrowdGoal::Within(point(cell), cells)),
        Goal::Follow(leader) => {
            let other = walkers.get(leader).ok().and_then(|walker| walker.home);
            match other {
                Some(other) if (other.map, other.squad) == (home.map, home.squad) => {
                    Aim::At(CrowdGoal::Unit(other.unit))
                }
                _ => Aim::Chase(leader),
            }
        }
    }
}

/// The cell of a walker, or of any entity with a transform.
fn cell_of(
    entity: Entity,
    grid: &GridTransform,
    walkers: &Query<&Walker>,
    transforms: &Query<&Transform>,
) -> Option<UVec2> {
    match walkers.get(entity) {
        Ok(walker) if walker.home.is_some() => Some(walker.cell),
        _ => grid.cell(transforms.get(entity).ok()?.translation),
    }
}

/// Sends those who follow entities of other kinds after them. One whose leader is gone stands still.
pub(crate) fn chase(
    mut chases: ResMut<Chases>,
    walkers: Query<&Walker>,
    transforms: Query<&Transform>,
    mut maps: Query<&mut NavMap>,
) {
    chases.0.retain_mut(|(entity, leader, known)| {
        let Some(home) = walkers.get(*entity).ok().and_then(|walker| walker.home) else {
            return false;
        };
        let Ok(mut map) = maps.get_mut(home.map) else {
            return false;
        };
        let grid = map.transform;
        let Some(live) = &mut map.bypass_change_detection().live else {
            return false;
        };
        let Ok(_) = transforms.get(*leader) else {
            live.stop(home);
            return false;
        };
        let cell = cell_of(*leader, &grid, &walkers, &transforms);
        if cell != *known
            && let Some(cell) = cell
        {
            *known = Some(cell);
            // What cannot be reached is told by the next tick.
            let _ = live.send(home, CrowdGoal::Within(point(cell), 0));
        }
        true
    });
}

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
        tick_crowds(live, &settings, planning, repair);
        if settings.renew_indexes {
            live.renew_indexes(&workers);
        }
    }
}

fn tick_crowds(live: &mut Live, settings: &NavSettings, planning: u64, repair: u64) {
    let mut counts = Tick::default();
    for squad in &mut live.squads {
        let share = match planning {
            0 => settings.plan_operations,
            all => {
                let part = u128::from(settings.plan_operations) * squad.crowd_mut().planning() as u128;
                (part / u128::from(all)) as u64
            }
        };
        counts.add(&squad.tick(share, repair));
    }
    live.counts = counts;
    live.ticks += 1;
    live.has_ticked = true;
}

/// Tells walkers what the tick has made of them.
pub(crate) fn report(
    mut walkers: Query<(Entity, &mut Walker)>,
    mut maps: Query<&mut NavMap>,
    settings: Res<NavSettings>,
    clock: Res<Clock>,
    mut waiting: MessageWriter<Waiting>,
    mut gaits: Local<Vec<(Home, Entity)>>,
) {
    let mut known: Option<View> = None;
    for (entity, mut walker) in &mut walkers {
        let Some(home) = walker.home else {
            continue;
        };
        if known.as_ref().is_none_or(|view| (view.map, view.squad) != (home.map, home.squad)) {
            known = View::of(&maps, home);
        }
        let Some(view) = known.as_ref().filter(|view| view.has_ticked) else {
            continue;
        };
        let Some(seen) = view.seen.get(place(home.unit)) else {
            continue;
        };
        if walker.told != (walker.pace.max(1), walker.holds) {
            gaits.push((home, entity));
        }
        if seen.waited == settings.waiting_ticks && seen.waited > 0 {
            waiting.write(Waiting {
                entity,
                cell: seen.cell,
            });
        }
        let moved = seen.cell != walker.cell;
        // Who has arrived and was told to stand has still arrived.
        let stays = seen.status == WalkerStatus::Idle && walker.status == WalkerStatus::Arrived;
        if moved || seen.status != walker.status && !stays {
            update(&mut walker, seen, view, clock.ticks, moved);
        }
    }
    for (home, entity) in gaits.drain(..) {
        if let (Ok(mut map), Ok((_, mut walker))) = (maps.get_mut(home.map), walkers.get_mut(entity))
            && let Some(live) = &mut map.bypass_change_detection().live
        {
            live.set_gait(home, &walker);
            walker.told = (walker.pace.max(1), walker.holds);
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
    has_ticked: bool,
}

impl<'a> View<'a> {
    fn of(maps: &'a Query<&mut NavMap>, home: Home) -> Option<View<'a>> {
        let map = maps.get(home.map).ok()?;
        let live = map.live.as_ref()?;
        let squad = live.squads.get(home.squad as usize)?;
        Some(View {
            map: home.map,
            squad: home.squad,
            seen: &squad.seen,
            size: squad.size,
            grid: map.transform,
            has_ticked: live.has_ticked,
        })
    }
}

#[inline]
fn update(walker: &mut Walker, seen: &Seen, view: &View, tick: u32, moved: bool) {
    walker.status = seen.status;
    if !moved {
        return;
    }
    let step = seen.cell.as_ivec2() - walker.cell.as_ivec2();
    walker.step = Step {
        from: walker.step.to,
        to: standing(&view.grid, seen.cell, view.size),
        tick,
        direction: [step.x as i8, step.y as i8],
        plane: view.grid.plane,
    };
    walker.cell = seen.cell;
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

/// An index was repaired or built again and serves from now on.
#[derive(Message, Clone, Copy, Debug, PartialEq, Eq)]
pub struct IndexRenewed {
    /// The map.
    pub map: Entity,
    /// Whether it came after the tick that it was due at.
    pub late: bool,
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

/// Moves transforms between the last tick and this one.
pub(crate) fn interpolate(
    mut walkers: Query<(&Walker, &mut Transform)>,
    clock: Res<Clock>,
    fixed: Option<Res<Time<Fixed>>>,
) {
    let part = match (clock.interpolates, fixed) {
        (true, Some(fixed)) => fixed.overstep_fraction(),
        _ => 1.0,
    };
    for (walker, mut transform) in &mut walkers {
        let since = clock.ticks.wrapping_sub(walker.step.tick) as f32 + part;
        let part = (since / f32::from(walker.pace.max(1))).min(1.0);
        let at = walker.step.from + (walker.step.to - walker.step.from) * part;
        let now = walker.step.plane.lift(at, transform.translation);
        if walker.home.is_some() && transform.translation != now {
            transform.translation = now;
        }
    }
}
