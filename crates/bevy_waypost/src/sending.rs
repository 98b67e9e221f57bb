//! Goals: from what the game says to what crowds understand.

use crate::GridTransform;
use crate::aim::{Aim, Short, Target};
use crate::goal::Goal;
use crate::joining::Maps;
use crate::live::{Live, Near};
use crate::map::NavMap;
use crate::space::point;
use crate::step::{Home, Said, Step};
use crate::walker::{Unreachable, Walker, WalkerStatus};
use bevy_ecs::entity_disabling::Disabled;
use bevy_ecs::prelude::*;
use bevy_ecs::query::Allow;
use bevy_ecs::system::SystemParam;
use bevy_math::UVec2;
use bevy_transform::components::Transform;
use bevy_transform::helper::TransformHelper;
use waypost::navigator::Goal as CrowdGoal;
use waypost::prelude::Point;

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
    maps: Maps<'w, 's>,
    unreachable: MessageWriter<'w, Unreachable>,
    commands: Commands<'w, 's>,
}

/// Whether a walker is looked after in the ticks to come.
#[derive(Clone, Copy, Debug, PartialEq)]
enum Care {
    None,
    Attended,
    /// This tick had no time for it.
    Late,
}

/// Sends walkers whose goal has changed.
pub(crate) fn send(mut changed: Written, mut sending: Sending, mut attended: ResMut<Attended>) {
    for (entity, goal, mut aim) in &mut changed {
        let aim = aim.bypass_change_detection();
        if sending.direct(entity, *goal, aim, true) != Care::None && !aim.is_attended {
            aim.is_attended = true;
            attended.0.push(entity);
        }
    }
}

/// Sends those who follow an entity after it, and those whose goal has moved when it is time. The next tick begins with the first for whom this one had
/// no time.
pub(crate) fn attend(
    mut attended: ResMut<Attended>,
    mut aims: Query<(Option<&Goal>, &mut Aim), Allow<Disabled>>,
    mut sending: Sending,
) {
    let (mut place, mut late) = (0, None);
    attended.0.retain(|&entity| {
        let Ok((goal, mut aim)) = aims.get_mut(entity) else {
            return false;
        };
        let aim = aim.bypass_change_detection();
        let care = goal.map_or(Care::None, |goal| sending.direct(entity, *goal, aim, false));
        if care == Care::Late {
            late = late.or(Some(place));
        }
        aim.is_attended = care != Care::None;
        place += usize::from(aim.is_attended);
        aim.is_attended
    });
    attended.0.rotate_left(late.unwrap_or(0));
}

/// A walker whose goal is taken away stands still.
pub(crate) fn goal_taken(
    event: On<Remove<Goal>>,
    mut walkers: Query<(&mut Walker, &mut Step, &mut Aim)>,
    mut maps: Maps,
) {
    if let Ok((mut walker, mut step, mut aim)) = walkers.get_mut(event.entity)
        && let Some(home) = step.home
        && let Ok(mut map) = maps.get_mut(home.map)
        && let Some(live) = &mut map.bypass_change_detection().live
    {
        live.stop(home);
        walker.status = WalkerStatus::Idle;
        (aim.told, aim.goal, aim.short) = (None, None, None);
        (step.is_short, step.said) = (false, Said::Nothing);
    }
}

impl Sending<'_, '_> {
    /// Sends a walker to its goal, unless it is on its way there.
    fn direct(&mut self, entity: Entity, goal: Goal, aim: &mut Aim, is_new: bool) -> Care {
        let Some((home, status, at)) = self.whereabouts(entity) else {
            return Care::None;
        };
        let Some(grid) = self.maps.get(home.map).ok().map(NavMap::grid) else {
            return Care::None;
        };
        let target = self.target(goal, home, &grid);
        let follows = matches!(goal, Goal::Follow(_));
        let care = match follows {
            true => Care::Attended,
            false => Care::None,
        };
        let before = aim.told.filter(|told| told.0 == home).map(|told| told.1);
        let Ok(mut map) = self.maps.get_mut(home.map) else {
            return Care::None;
        };
        let Some(live) = &mut map.bypass_change_detection().live else {
            return Care::None;
        };
        let has_moved = !follows && before.is_some_and(|before| before != target);
        let is_other = aim.goal.replace(goal) != Some(goal) || has_moved;
        let mut is_pushed = false;
        if before == Some(target) {
            // Who was within an area and has been pushed out of it is idle.
            is_pushed = is_new && status == WalkerStatus::Idle && target != Target::Nothing;
            let changes = aim.short.map(|short| short.changes);
            let may_have_way = changes.is_some_and(|changes| changes != live.changes);
            if !is_pushed && !may_have_way {
                return care;
            }
        }
        let walker = self.walkers.get_mut(entity);
        let Ok((mut walker, mut step)) = walker else {
            return Care::None;
        };
        step.follows = follows;
        if is_other || is_pushed {
            step.said = Said::Nothing;
        }
        let is_moving = status == WalkerStatus::Moving;
        let is_short = aim.short.is_some();
        if is_moving && before.is_some_and(|before| target.is_on_the_way(before, at)) {
            return Care::Attended;
        }
        if target == Target::Outside && !is_new {
            // It waits at the edge for the one that it follows.
            return Care::Attended;
        }
        let heads_for = before.and(aim.short).map(|short| short.nearest);
        let sent = tell(live, home, target, heads_for);
        if sent == Sent::Late {
            return Care::Late;
        }
        aim.told = Some((home, target));
        aim.short = match sent {
            Sent::Near(nearest) => Some(Short {
                changes: live.changes,
                nearest,
            }),
            _ => None,
        };
        step.is_short = aim.short.is_some();
        match (sent, target) {
            (Sent::There, Target::Nothing) => walker.status = WalkerStatus::Idle,
            // There is a way by now.
            (Sent::There, Target::Near(_)) if is_short => step.said = Said::Nothing,
            (Sent::There | Sent::Near(_) | Sent::Late, _) => {}
            // Whom it followed is gone: it stands still.
            (Sent::Nowhere, Target::Gone) if !is_new => walker.status = WalkerStatus::Idle,
            (Sent::Nowhere, _) => {
                walker.status = WalkerStatus::Unreachable;
                if step.says(Said::Unreachable) {
                    let nearest = None;
                    let news = Unreachable { entity, nearest };
                    self.unreachable.write(news);
                    self.commands.trigger(news);
                }
            }
        }
        care
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
    Near(Point),
    Nowhere,
    /// Not yet: the tick has no time for it.
    Late,
}

/// Tells a crowd where one of its walkers goes. Who cannot go there stands still. One that heads already for the cell that is as near as can be is
/// left alone.
fn tell(live: &mut Live, home: Home, target: Target, heads_for: Option<Point>) -> Sent {
    let (goal, sent) = match target {
        Target::Nothing => {
            live.stop(home);
            return Sent::There;
        }
        Target::Outside | Target::Gone => (None, Sent::Nowhere),
        Target::Cell(cell) => (Some(CrowdGoal::Cell(point(cell))), Sent::There),
        Target::Cells(goal) => (Some(goal), Sent::There),
        Target::Unit(unit) => (Some(CrowdGoal::Unit(unit)), Sent::There),
        Target::Near(cell) => match live.near(home, point(cell)) {
            Near::There => (Some(CrowdGoal::Cell(point(cell))), Sent::There),
            Near::Short(nearest) if heads_for == Some(nearest) => return Sent::Near(nearest),
            Near::Short(nearest) => (Some(CrowdGoal::Cell(nearest)), Sent::Near(nearest)),
            Near::Later => return Sent::Late,
        },
    };
    match goal.map(|goal| live.send(home, goal)) {
        Some(Ok(())) => sent,
        _ => {
            live.stop(home);
            Sent::Nowhere
        }
    }
}
