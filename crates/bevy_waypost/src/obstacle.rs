//! Obstacles: entities that block the cells that they stand on.

use crate::joining::{Levels, Maps};
use crate::live::Live;
use crate::map::NavMap;
use crate::space::point;
use crate::{GridTransform, InMap};
use bevy_ecs::entity_disabling::Disabled;
use bevy_ecs::prelude::*;
use bevy_ecs::query::Allow;
use bevy_ecs::reflect::ReflectComponent;
use bevy_ecs::system::SystemParam;
use bevy_math::{UVec2, Vec2};
use bevy_reflect::Reflect;
use bevy_reflect::prelude::{ReflectDefault, ReflectDeserialize, ReflectSerialize};
use bevy_transform::components::{GlobalTransform, Transform};
use bevy_transform::helper::TransformHelper;
use serde::{Deserialize, Serialize};

/// Blocks the cells of its footprint for as long as it exists and is not disabled, and moves with its [`Transform`], turned and scaled by it,
/// also below other entities. Where several obstacles stand on a cell, it is free again when the last of them has left.
#[derive(Component, Clone, Debug, Default, Reflect, Serialize, Deserialize)]
#[reflect(Component, Default, Serialize, Deserialize)]
#[require(Transform, Covered)]
pub struct Obstacle {
    /// What it covers.
    pub footprint: Footprint,
}

/// The cells that an [`Obstacle`] blocks now: written by the plugin, and there with every obstacle. Apart from it, so that neither a copy of the
/// entity nor another value of the obstacle has to do with what is blocked.
#[derive(Component, Debug, Default, Reflect)]
#[reflect(Component, Default)]
#[component(clone_behavior = Ignore)]
pub struct Covered {
    cells: Vec<UVec2>,
    #[reflect(ignore)]
    held: Option<Held>,
}

impl Covered {
    /// The cells, row by row.
    pub fn cells(&self) -> &[UVec2] {
        &self.cells
    }

    fn release(&mut self, maps: &mut Maps) {
        let cells = std::mem::take(&mut self.cells);
        if let Some(held) = self.held.take() {
            for_each_cell(maps, &held, &cells, |live, cell| live.covers.release(cell));
            tell_maps(maps);
        }
    }
}

/// What an [`Obstacle`] covers, around its position: every cell whose middle lies in the shape, and the cell of its own middle. A rectangle that is
/// thinner than a cell counts as thick as one, so that a thin wall is a wall, however it is turned. What reaches beyond the map is cut.
#[derive(Clone, Copy, Debug, Default, PartialEq, Reflect, Serialize, Deserialize)]
#[reflect(Default, Serialize, Deserialize)]
pub enum Footprint {
    /// The cell that it stands on.
    #[default]
    Cell,
    /// A rectangle of these sides, in the units of its transform.
    Rectangle(Vec2),
    /// A disc of this radius, in the units of its transform.
    Disc(f32),
}

/// The world whose cells an obstacle blocks, and what decided which.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub(crate) struct Held {
    map: Option<Entity>,
    generation: u32,
    grid: GridTransform,
    is_named: bool,
    place: GlobalTransform,
}

impl Obstacle {
    /// A rectangle.
    pub fn rectangle(width: f32, height: f32) -> Obstacle {
        Obstacle::of(Footprint::Rectangle(Vec2::new(width, height)))
    }

    /// A disc.
    pub fn disc(radius: f32) -> Obstacle {
        Obstacle::of(Footprint::Disc(radius))
    }

    fn of(footprint: Footprint) -> Obstacle {
        Obstacle { footprint }
    }
}

/// An obstacle, where it is and what it belongs to.
type Standing = (
    Entity,
    &'static Transform,
    Ref<'static, Obstacle>,
    &'static Covered,
    Option<&'static InMap>,
    Has<ChildOf>,
);

type StandingItem<'a> = (
    Entity,
    &'a Transform,
    Ref<'a, Obstacle>,
    &'a Covered,
    Option<&'a InMap>,
    bool,
);

/// What says where an obstacle stands.
#[derive(SystemParam)]
pub(crate) struct Ground<'w, 's> {
    transforms: TransformHelper<'w, 's>,
    maps: Maps<'w, 's>,
    levels: Levels<'w, 's>,
}

/// An obstacle, and what it holds from now on.
type Moved = (Entity, Held, Vec<UVec2>);

/// All obstacles, to look at and to write to.
type Obstacles<'w, 's> = ParamSet<
    'w,
    's,
    (
        Query<'static, 'static, Standing>,
        Query<'static, 'static, &'static mut Covered>,
    ),
>;

/// Moves footprints to where their obstacles are.
pub(crate) fn move_obstacles(
    mut obstacles: Obstacles,
    mut ground: Ground,
    mut moved: Local<Vec<Moved>>,
) {
    moved.clear();
    let mut known = None;
    for obstacle in &obstacles.p0() {
        moved.extend(ground.moved(obstacle, &mut known));
    }
    let mut covers = obstacles.p1();
    for moved in moved.drain(..) {
        ground.hold(moved, &mut covers);
    }
    tell_maps(&mut ground.maps);
}

/// An obstacle has come. Its cells are held from now on, so that who asks what a wall would cut off reckons with it; the map hears of it in the
/// next tick, with all others.
pub(crate) fn obstacle_came(
    event: On<Insert<Obstacle>>,
    mut obstacles: Obstacles,
    mut ground: Ground,
) {
    let moved = match obstacles.p0().get(event.entity) {
        Ok(obstacle) => ground.moved(obstacle, &mut None),
        Err(_) => None,
    };
    if let Some(moved) = moved {
        ground.hold(moved, &mut obstacles.p1());
    }
}

impl Ground<'_, '_> {
    /// What an obstacle holds, where that is not what it has held. The world that was looked at last is known.
    fn moved(
        &self,
        (entity, at, obstacle, covered, in_map, is_child): StandingItem,
        known: &mut Option<(Entity, Held, UVec2)>,
    ) -> Option<Moved> {
        let (held, is_named) = (covered.held.as_ref(), in_map.is_some());
        // Who named no map stays on the one that it is on.
        let before = held.filter(|held| !held.is_named).and_then(|held| held.map);
        let map = self.levels.of(in_map, before);
        if known.as_ref().map(|known| known.0) != map {
            *known = map.and_then(|map| world_of(&self.maps, map));
        }
        let Some((_, world, size)) = *known else {
            // The world that it was in is not there any more, or not its own.
            let holds = held.is_some() && !covered.cells.is_empty();
            return holds.then(|| (entity, Held::default(), Vec::new()));
        };
        let place = match is_child {
            true => self.transforms.compute_global_transform(entity).ok()?,
            false => GlobalTransform::from(*at),
        };
        let next = Held {
            is_named,
            place,
            ..world
        };
        if held == Some(&next) && !obstacle.is_changed() {
            return None;
        }
        let cells = obstacle.footprint.cells(&place, &next.grid, size);
        Some((entity, next, cells))
    }

    /// Lets an obstacle hold other cells.
    fn hold(&mut self, (entity, next, cells): Moved, covers: &mut Query<&mut Covered>) {
        if let Ok(mut covered) = covers.get_mut(entity) {
            // Taken first, so that a cell that is held before and after does not count as free in between.
            for_each_cell(&mut self.maps, &next, &cells, |live, cell| {
                live.covers.take(cell, || live.nav.is_free(point(cell)));
            });
            let cells = std::mem::replace(&mut covered.cells, cells);
            if let Some(before) = covered.held.replace(next) {
                for_each_cell(&mut self.maps, &before, &cells, |live, cell| {
                    live.covers.release(cell);
                });
            }
        }
    }
}

/// What obstacles on a map hold, and its size; `None` where it is not ready.
fn world_of(maps: &Maps, map: Entity) -> Option<(Entity, Held, UVec2)> {
    let nav_map = maps.get(map).ok()?;
    let held = Held {
        map: Some(map),
        generation: nav_map.live.as_ref()?.generation,
        grid: nav_map.grid(),
        ..Held::default()
    };
    Some((map, held, nav_map.size()))
}

fn for_each_cell(
    maps: &mut Maps,
    held: &Held,
    cells: &[UVec2],
    mut change: impl FnMut(&mut Live, UVec2),
) {
    // The world may be that of another map by now.
    let is_held = |map: &Mut<NavMap>| map.world() == Some(held.generation);
    if let Some(mut map) = maps.iter_mut().find(is_held)
        && let Some(live) = &mut map.bypass_change_detection().live
    {
        cells.iter().for_each(|&cell| change(live, cell));
    }
}

/// One patch for all that has moved.
fn tell_maps(maps: &mut Maps) {
    for mut map in maps {
        if let Some(live) = &mut map.bypass_change_detection().live {
            let patch = live.covers.settle();
            if !patch.is_empty() {
                live.patch(&patch);
            }
        }
    }
}

/// All obstacles, disabled ones too.
type Covers<'w, 's> = Query<'w, 's, &'static mut Covered, Allow<Disabled>>;

/// An obstacle goes, or another takes its place: its cells are free.
pub(crate) fn obstacle_goes(event: On<Discard<Obstacle>>, mut covers: Covers, mut maps: Maps) {
    if let Ok(mut covered) = covers.get_mut(event.entity) {
        covered.release(&mut maps);
    }
}

/// What is known of its cells goes, or is overwritten.
pub(crate) fn cover_goes(event: On<Discard<Covered>>, mut covers: Covers, mut maps: Maps) {
    if let Ok(mut covered) = covers.get_mut(event.entity) {
        covered.release(&mut maps);
    }
}

/// A disabled obstacle blocks nothing.
pub(crate) fn obstacle_disabled(event: On<Insert<Disabled>>, mut covers: Covers, mut maps: Maps) {
    if let Ok(mut covered) = covers.get_mut(event.entity) {
        covered.release(&mut maps);
    }
}
