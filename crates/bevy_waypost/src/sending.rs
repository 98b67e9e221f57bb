//! Goals: from what the game says to what crowds understand.

use crate::GridTransform;
use crate::map::NavMap;
use crate::space::point;
use crate::walker::{Goal, Home, Unreachable, Walker, WalkerStatus};
use bevy_ecs::prelude::*;
use bevy_math::UVec2;
use bevy_transform::components::Transform;
use waypost::navigator::Goal as CrowdGoal;

/// Walkers that follow an entity which is not in their squad: who, whom, and where that was.
#[derive(Resource, Default)]
pub(crate) struct Chases(Vec<(Entity, Entity, Option<UVec2>)>);

/// Walkers whose goal has changed.
type Sent<'w, 's> = Query<'w, 's, (Entity, &'static Goal), (Changed<Goal>, With<Walker>)>;

/// Sends walkers whose goal has changed.
pub(crate) fn send(
    changed: Sent,
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
                cell.is_some_and(|cell| live.send_near(home, point(cell)).is_ok())
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
        Goal::Area { corner, size } => Aim::At(CrowdGoal::Area(
            point(corner),
            (size.x.max(1), size.y.max(1)),
        )),
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
            let _ = live.send_near(home, point(cell));
        }
        true
    });
}
