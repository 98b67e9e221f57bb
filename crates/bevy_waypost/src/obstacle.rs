//! Obstacles: entities that block the cells that they stand on.

use crate::joining::{Levels, Maps};
use crate::live::Live;
use crate::space::point;
use crate::{GridTransform, InMap};
use bevy_ecs::entity_disabling::Disabled;
use bevy_ecs::prelude::*;
use bevy_ecs::query::Allow;
use bevy_ecs::reflect::ReflectComponent;
use bevy_math::{UVec2, Vec2, Vec3};
use bevy_reflect::Reflect;
use bevy_reflect::prelude::{ReflectDefault, ReflectDeserialize, ReflectSerialize};
use bevy_transform::components::{GlobalTransform, Transform};
use bevy_transform::helper::TransformHelper;
use serde::{Deserialize, Serialize};

/// Half of the longest side that is reckoned with: longer ones, and endless ones, reach beyond any map all the same.
const MAX_HALF: f32 = 1e12;

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

impl Footprint {
    /// The cells of a map that it covers, row by row.
    fn cells(self, at: &GlobalTransform, grid: &GridTransform, size: UVec2) -> Vec<UVec2> {
        let middle = grid.cell(at.translation());
        let inverse = at.affine().inverse();
        let local = |cell: UVec2| {
            let position = grid.lift(grid.flatten(grid.position(cell)), at.translation());
            grid.flatten(inverse.transform_point3(position))
        };
        let half = match self {
            Footprint::Cell => Vec2::ZERO,
            Footprint::Rectangle(sides) => {
                let (column, row) = (local(UVec2::X), local(UVec2::Y));
                thicken(
                    sides.abs() / 2.0,
                    column - local(UVec2::ZERO),
                    row - local(UVec2::ZERO),
                )
            }
            Footprint::Disc(radius) => Vec2::splat(radius.abs()),
        };
        let half = half.min(Vec2::splat(MAX_HALF));
        let is_covered = |cell: UVec2| {
            let local = local(cell);
            match self {
                Footprint::Cell => false,
                Footprint::Rectangle(_) => local.abs().cmple(half).all(),
                Footprint::Disc(_) => local.length_squared() <= half.x * half.x,
            }
        };
        let Some((first, last)) = bounds(half, at, grid, size) else {
            return Vec::new();
        };
        let rows =
            (first.y..=last.y).flat_map(|y| (first.x..=last.x).map(move |x| UVec2::new(x, y)));
        rows.filter(|&cell| Some(cell) == middle || is_covered(cell))
            .collect()
    }
}

/// Half the sides of a rectangle, at least as long as it takes to hold the middle of a cell in every row or in every column that it crosses. A
/// column and a row are given as it measures them.
fn thicken(half: Vec2, column: Vec2, row: Vec2) -> Vec2 {
    // A little more, so that a middle on the very edge is not lost to rounding.
    let least = column.abs().max(row.abs()) * 0.501;
    match least.is_finite() {
        true => half.max(least),
        false => half,
    }
}

/// The cells that a turned rectangle can reach, cut to the map.
fn bounds(
    half: Vec2,
    at: &GlobalTransform,
    grid: &GridTransform,
    size: UVec2,
) -> Option<(UVec2, UVec2)> {
    let (mut least, mut most) = (Vec2::INFINITY, Vec2::NEG_INFINITY);
    for corner in [
        half,
        -half,
        Vec2::new(half.x, -half.y),
        Vec2::new(-half.x, half.y),
    ] {
        let world = at.transform_point(grid.lift(corner, Vec3::ZERO));
        let cells = (grid.flatten(world) - grid.flatten(grid.origin)) / grid.cell;
        (least, most) = (least.min(cells), most.max(cells));
    }
    let end = size.as_vec2() - 1.0;
    let (least, most) = (least.floor().max(Vec2::ZERO), most.floor().min(end));
    let is_on_map = least.cmple(most).all();
    is_on_map.then(|| (least.as_uvec2(), most.as_uvec2()))
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

/// Moves footprints to where their obstacles are.
pub(crate) fn move_obstacles(
    mut obstacles: ParamSet<(Query<Standing>, Query<&mut Covered>)>,
    transforms: TransformHelper,
    mut maps: Maps,
    levels: Levels,
    mut moved: Local<Vec<(Entity, Held, Vec<UVec2>)>>,
) {
    moved.clear();
    let mut known: Option<(Entity, Held, UVec2)> = None;
    for (entity, at, obstacle, covered, in_map, is_child) in &obstacles.p0() {
        let (held, is_named) = (covered.held.as_ref(), in_map.is_some());
        // Who named no map stays on the one that it is on.
        let before = held.filter(|held| !held.is_named).and_then(|held| held.map);
        let map = levels.of(in_map, before);
        if known.as_ref().map(|known| known.0) != map {
            known = map.and_then(|map| world_of(&maps, map));
        }
        let Some((_, world, size)) = known else {
            // It has left the map that it was on, and the next one is not there.
            if held.is_some_and(|held| held.map != map) && !covered.cells.is_empty() {
                moved.push((entity, Held::default(), Vec::new()));
            }
            continue;
        };
        let place = match is_child {
            true => transforms.compute_global_transform(entity).ok(),
            false => Some(GlobalTransform::from(*at)),
        };
        let Some(place) = place else {
            continue;
        };
        let next = Held {
            is_named,
            place,
            ..world
        };
        if held == Some(&next) && !obstacle.is_changed() {
            continue;
        }
        let cells = obstacle.footprint.cells(&place, &next.grid, size);
        moved.push((entity, next, cells));
    }
    let mut obstacles = obstacles.p1();
    for (entity, next, cells) in moved.drain(..) {
        if let Ok(mut covered) = obstacles.get_mut(entity) {
            // Taken first, so that a cell that is held before and after does not count as free in between.
            for_each_cell(&mut maps, &next, &cells, |live, cell| {
                live.covers.take(cell, || live.nav.is_free(point(cell)));
            });
            let cells = std::mem::replace(&mut covered.cells, cells);
            if let Some(before) = covered.held.replace(next) {
                for_each_cell(&mut maps, &before, &cells, |live, cell| {
                    live.covers.release(cell);
                });
            }
        }
    }
    tell_maps(&mut maps);
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
    let map = held.map.and_then(|map| maps.get_mut(map).ok());
    let Some(mut map) = map else {
        return;
    };
    let live = map.bypass_change_detection().live.as_mut();
    if let Some(live) = live.filter(|live| live.generation == held.generation) {
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
