//! Obstacles: entities that block the cells that they stand on.

use crate::joining::Levels;
use crate::live::Live;
use crate::map::NavMap;
use crate::space::point;
use crate::{GridTransform, InMap};
use bevy_ecs::prelude::*;
use bevy_ecs::reflect::ReflectComponent;
use bevy_math::{UVec2, Vec2, Vec3};
use bevy_reflect::Reflect;
use bevy_reflect::prelude::{ReflectDefault, ReflectDeserialize, ReflectSerialize};
use bevy_transform::components::{GlobalTransform, Transform};
use bevy_transform::helper::TransformHelper;
use serde::{Deserialize, Serialize};

/// Cells on a side of the largest footprint.
const MAX_SIDE: u32 = 1 << 12;

/// Blocks the cells of its footprint for as long as it exists, and moves with its [`Transform`], turned and scaled by it. Where
/// several obstacles stand on a cell, it is free again when the last of them has left.
#[derive(Component, Clone, Debug, Default, Reflect, Serialize, Deserialize)]
#[reflect(Component, Default, Serialize, Deserialize)]
#[require(Transform, Covered)]
pub struct Obstacle {
    /// What it covers.
    pub footprint: Footprint,
}

/// The cells that an [`Obstacle`] blocks now: written by the plugin, and there with every obstacle. Apart from it, so that neither a copy of the
/// entity nor another value of the obstacle has to do with what is blocked.
#[derive(Component, Debug, Default)]
pub struct Covered {
    held: Option<Held>,
}

impl Covered {
    /// The cells, row by row.
    pub fn cells(&self) -> &[UVec2] {
        self.held.as_ref().map_or(&[], |held| &held.cells)
    }
}

/// What an [`Obstacle`] covers, around its position: every cell whose middle lies in the shape, and the cell of its own middle.
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

/// Cells of a world that an obstacle blocks.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Held {
    map: Entity,
    generation: u32,
    grid: GridTransform,
    cells: Vec<UVec2>,
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
        let half = match self {
            Footprint::Cell => Vec2::ZERO,
            Footprint::Rectangle(sides) => sides.abs() / 2.0,
            Footprint::Disc(radius) => Vec2::splat(radius.abs()),
        };
        let inverse = at.affine().inverse();
        let is_covered = |cell: UVec2| {
            let position = grid.lift(grid.flatten(grid.position(cell)), at.translation());
            let local = grid.flatten(inverse.transform_point3(position));
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
    if !(least.cmple(most).all() && (most - least).max_element() < MAX_SIDE as f32) {
        return None;
    }
    Some((least.as_uvec2(), most.as_uvec2()))
}

/// An obstacle, where it is and what it belongs to.
type Standing = (
    Entity,
    Ref<'static, Transform>,
    Ref<'static, Obstacle>,
    &'static Covered,
    Option<&'static InMap>,
    Has<ChildOf>,
);

/// Moves footprints to where their obstacles are.
pub(crate) fn move_obstacles(
    mut obstacles: ParamSet<(Query<Standing>, Query<&mut Covered>)>,
    transforms: TransformHelper,
    mut maps: Query<&mut NavMap>,
    levels: Levels,
    mut moved: Local<Vec<(Entity, Held)>>,
) {
    moved.clear();
    for (entity, at, obstacle, covered, in_map, is_child) in &obstacles.p0() {
        let named = levels.of(in_map);
        let held = covered.held.as_ref();
        let Some((map, nav_map, live)) = named.and_then(|map| {
            let nav_map = maps.get(map).ok()?;
            Some((map, nav_map, nav_map.live.as_ref()?))
        }) else {
            // It has left the map that it was on, and the next one is not there.
            let left = held.filter(|held| Some(held.map) != named && !held.cells.is_empty());
            if let Some(left) = left {
                let nothing = Held {
                    cells: Vec::new(),
                    // Of no world: it settles again wherever it comes to.
                    generation: 0,
                    ..*left
                };
                moved.push((entity, nothing));
            }
            continue;
        };
        let grid = nav_map.transform;
        let settled =
            held.is_some_and(|h| (h.map, h.generation, h.grid) == (map, live.generation, grid));
        if settled && !is_child && !at.is_changed() && !obstacle.is_changed() {
            continue;
        }
        let place = match is_child {
            true => transforms.compute_global_transform(entity).ok(),
            false => Some(GlobalTransform::from(*at)),
        };
        let Some(place) = place else {
            continue;
        };
        let cells = obstacle.footprint.cells(&place, &grid, nav_map.size());
        let next = Held {
            map,
            generation: live.generation,
            grid,
            cells,
        };
        if held != Some(&next) {
            moved.push((entity, next));
        }
    }
    let mut obstacles = obstacles.p1();
    for (entity, next) in moved.drain(..) {
        if let Ok(mut covered) = obstacles.get_mut(entity) {
            let held = &mut covered.held;
            // Taken first, so that a cell that is held before and after does not count as free in between.
            for_each_cell(&mut maps, &next, |live, cell| {
                live.covers.take(cell, || live.nav.is_free(point(cell)));
            });
            if let Some(before) = held.replace(next) {
                for_each_cell(&mut maps, &before, |live, cell| live.covers.release(cell));
            }
        }
    }
    tell_maps(&mut maps);
}

fn for_each_cell(
    maps: &mut Query<&mut NavMap>,
    held: &Held,
    mut change: impl FnMut(&mut Live, UVec2),
) {
    let Ok(mut map) = maps.get_mut(held.map) else {
        return;
    };
    let live = map.bypass_change_detection().live.as_mut();
    if let Some(live) = live.filter(|live| live.generation == held.generation) {
        held.cells.iter().for_each(|&cell| change(live, cell));
    }
}

/// One patch for all that has moved.
fn tell_maps(maps: &mut Query<&mut NavMap>) {
    for mut map in maps {
        if let Some(live) = &mut map.bypass_change_detection().live {
            let patch = live.covers.settle();
            if !patch.is_empty() {
                live.nav.patch(&patch);
            }
        }
    }
}

/// An obstacle goes, or another takes its place: its cells are free.
pub(crate) fn release_obstacle(
    event: On<Discard<Obstacle>>,
    mut obstacles: Query<&mut Covered>,
    mut maps: Query<&mut NavMap>,
) {
    let Ok(mut covered) = obstacles.get_mut(event.entity) else {
        return;
    };
    if let Some(held) = covered.held.take() {
        for_each_cell(&mut maps, &held, |live, cell| live.covers.release(cell));
        tell_maps(&mut maps);
    }
}
