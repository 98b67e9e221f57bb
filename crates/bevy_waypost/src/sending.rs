//! Goals: from what the game says to what crowds understand.

use crate::GridTransform;
use crate::aim::{Aim, Target};
use crate::live::Live;
use crate::map::NavMap;
use crate::space::point;
use crate::step::{Home, Step};
use crate::walker::{Goal, Unreachable, Walker, WalkerStatus};
use bevy_ecs::entity_disabling::Disabled;
use bevy_ecs::prelude::*;
use bevy_ecs::query::Allow;
use bevy_ecs::system::SystemParam;
use bevy_math::UVec2;
use bevy_transform::components::Transform;
use bevy_transform::helper::TransformHelper;
use waypost::navigator::Goal as CrowdGoal;

/// Walkers that are looked after in every tick: they follow an entity, or their goal has moved by a little.
#[derive(Resource, Default)]
pub(crate) struct Attended(Vec<Entity>);

/// Walkers whose goal has changed.
type Written<'w, 's> =
    Query<'w, 's, (Entity, &'static Goal, &'static mut Aim), (Changed<Goal>, With<Walker>)>;

/// What it takes to send somebody.
#[derive(SystemParam)]
pub(crate) struct Sending<'w, 's> {
    walkers: Query<'w, 's, (&'static mut Walker, &'static mut Step)>,
    things: Query<'w, 's, (&'static Transform, Has<ChildOf>)>,
    transforms: TransformHelper<'w, 's>,
    maps: Query<'w, 's, &'static mut NavMap>,
    unreachable: MessageWriter<'w, Unreachable>,
    commands: Commands<'w, 's>,
}

/// Sends walkers whose goal has changed.
pub(crate) fn send(mut changed: Written, mut sending: Sending, mut attended: ResMut<Attended>) {
    for (entity, goal, mut aim) in &mut changed {
        let aim = aim.bypass_change_detection();
        if sending.direct(entity, *goal, aim, true) && !aim.is_attended {
            aim.is_attended = true;
            attended.0.push(entity);
        }
    }
}

/// Sends those who follow an entity after it, and those whose goal has moved when it is time.
pub(crate) fn attend(
    mut attended: ResMut<Attended>,
    mut aims: Query<(Option<&Goal>, &mut Aim), Allow<Disabled>>,
    mut sending: Sending,
) {
    attended.0.retain(|&entity| {
        let Ok((goal, mut aim)) = aims.get_mut(entity) else {
            return false;
        };
        let aim = aim.bypass_change_detection();
        aim.is_attended = goal.is_some_and(|goal| sending.direct(entity, *goal, aim, false));
        aim.is_attended
    });
}

/// A walker whose goal is taken away stands still.
pub(crate) fn goal_taken(
    event: On<Remove<Goal>>,
    mut walkers: Query<(&mut Walker, &mut Step, &mut Aim)>,
    mut maps: Query<&mut NavMap>,
) {
    if let Ok((mut walker, mut step, mut aim)) = walkers.get_mut(event.entity)
        && let Some(home) = step.home
        && let Ok(mut map) = maps.get_mut(home.map)
        && let Some(live) = &mut map.bypass_change_detection().live
    {
        live.stop(home);
        walker.status = WalkerStatus::Idle;
        (aim.told, aim.is_short_since, step.is_short) = (None, None, false);
    }
}

impl Sending<'_, '_> {
    /// Sends a walker to its goal, unless it is on its way there; whether it is to be looked after in the ticks to come.
    fn direct(&mut self, entity: Entity, goal: Goal, aim: &mut Aim, is_new: bool) -> bool {
        let Some((home, status, at)) = self.whereabouts(entity) else {
            return false;
        };
        let Some(grid) = self.maps.get(home.map).ok().map(NavMap::grid) else {
            return false;
        };
        let target = self.target(goal, home, &grid);
        let follows = matches!(goal, Goal::Follow(_));
        let before = aim.told.filter(|told| told.0 == home).map(|told| told.1);
        let Ok(mut map) = self.maps.get_mut(home.map) else {
            return false;
        };
        let Some(live) = &mut map.bypass_change_detection().live else {
            return false;
        };
        if before == Some(target) {
            // Who was within an area and has been pushed out of it is idle.
            let is_pushed = is_new && status == WalkerStatus::Idle && target != Target::Nothing;
            let may_have_way = aim
                .is_short_since
                .is_some_and(|since| since != live.changes);
            if !is_pushed && !may_have_way {
                return follows;
            }
        }
        let is_moving = status == WalkerStatus::Moving;
        if is_moving && before.is_some_and(|before| target.is_on_the_way(before, at)) {
            return true;
        }
        if target == Target::Outside && !is_new {
            // It waits at the edge for the one that it follows.
            return true;
        }
        aim.told = Some((home, target));
        let sent = tell(live, home, target);
        let is_short = sent == Sent::Near;
        aim.is_short_since = is_short.then_some(live.changes);
        if let Ok((mut walker, mut step)) = self.walkers.get_mut(entity) {
            step.is_short = is_short;
            match (sent, target) {
                (Sent::There, Target::Nothing) => walker.status = WalkerStatus::Idle,
                (Sent::There | Sent::Near, _) => {}
                // Whom it followed is gone: it stands still.
                (Sent::Nowhere, Target::Gone) if !is_new => walker.status = WalkerStatus::Idle,
                (Sent::Nowhere, _) => {
                    walker.status = WalkerStatus::Unreachable;
                    let nearest = None;
                    let news = Unreachable { entity, nearest };
                    self.unreachable.write(news);
                    self.commands.trigger(news);
                }
            }
        }
        follows
    }

    /// Where a walker is kept, what it is doing, and where it is.
    fn whereabouts(&self, entity: Entity) -> Option<(Home, WalkerStatus, UVec2)> {
        let (walker, step) = self.walkers.get(entity).ok()?;
        Some((step.home?, walker.status, walker.cell))
    }

    fn target(&self, goal: Goal, home: Home, grid: &GridTransform) -> Target {
        match goal {
            Goal::None => Target::Nothing,
            Goal::Cell(cell) => Target::Cell(cell),
            Goal::Position(position) => {
                let cell = grid.cell(position);
                cell.map_or(Target::Outside, Target::Cell)
            }
            Goal::Area { corner, size } => {
                let size = (size.x.max(1), size.y.max(1));
                Target::Cells(CrowdGoal::Area(point(corner), size))
            }
            Goal::Within { cell, cells } => Target::Cells(CrowdGoal::Within(point(cell), cells)),
            Goal::Follow(leader) => self.after(leader, home, grid),
        }
    }

    /// Where one goes who follows an entity: after the unit in the same crowd, else to where it is on the map.
    fn after(&self, leader: Entity, home: Home, grid: &GridTransform) -> Target {
        match self.whereabouts(leader) {
            Some((other, ..)) if (other.map, other.squad) == (home.map, home.squad) => {
                return Target::Unit(other.unit);
            }
            Some((other, _, cell)) if other.map == home.map => return Target::Near(cell),
            _ => {}
        }
        let Ok((transform, is_child)) = self.things.get(leader) else {
            return Target::Gone;
        };
        let place = match is_child {
            true => self.transforms.compute_global_transform(leader).ok(),
            false => Some((*transform).into()),
        };
        let cell = place.and_then(|place| grid.cell(place.translation()));
        cell.map_or(Target::Outside, Target::Near)
    }
}

/// What became of an order.
#[derive(Clone, Copy, Debug, PartialEq)]
enum Sent {
    There,
    /// As near as can be: there is no way.
    Near,
    Nowhere,
}

/// Tells a crowd where one of its walkers goes. Who cannot go there stands still.
fn tell(live: &mut Live, home: Home, target: Target) -> Sent {
    let sent = match target {
        Target::Nothing => {
            live.stop(home);
            return Sent::There;
        }
        Target::Outside | Target::Gone => Ok(false),
        Target::Cell(cell) => live.send(home, CrowdGoal::Cell(point(cell))).map(|()| true),
        Target::Cells(goal) => live.send(home, goal).map(|()| true),
        Target::Unit(unit) => live.send(home, CrowdGoal::Unit(unit)).map(|()| true),
        Target::Near(cell) => match live.send_near(home, point(cell)) {
            Ok(false) => return Sent::Near,
            sent => sent,
        },
    };
    match sent {
        Ok(true) => Sent::There,
        _ => {
            live.stop(home);
            Sent::Nowhere
        }
    }
}
