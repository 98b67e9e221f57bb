//! Debug drawing with Bevy's gizmos: where walkers are going, what the index knows, where crowds are. Feature `gizmos`.

use crate::{GridTransform, NavMap, Walker};
use bevy_app::prelude::*;
use bevy_color::Color;
use bevy_ecs::prelude::*;
use bevy_gizmos::AppGizmoBuilder;
use bevy_gizmos::config::{GizmoConfigGroup, GizmoConfigStore};
use bevy_gizmos::gizmos::{GizmoBuffer, Gizmos};
use bevy_math::{UVec2, Vec2, Vec3};
use bevy_reflect::Reflect;
use bevy_reflect::prelude::ReflectDefault;
use std::collections::BTreeMap;

/// Cells on a side of a square of the crowd's heat.
const HEAT_SIDE: u32 = 8;

/// What is drawn. A group of gizmos, so that line widths and the like are set as for any other:
/// `store.config_mut::<NavGizmos>()`.
#[derive(Clone, Debug, Reflect, GizmoConfigGroup)]
#[reflect(Default)]
pub struct NavGizmos {
    /// The ways that walkers are going to go, as far as they are planned.
    pub paths: bool,
    /// The corners that paths bend at, larger the more hubs they have; on maps with corner labels.
    pub corners: bool,
    /// The borders of sectors and the cells that stand for their regions; on maps with sectors.
    pub sectors: bool,
    /// Squares of 8 x 8 cells, coloured by how many walkers are in them.
    pub heat: bool,
    /// Height above the map.
    pub height: f32,
}

impl Default for NavGizmos {
    fn default() -> NavGizmos {
        NavGizmos {
            paths: true,
            corners: false,
            sectors: false,
            heat: false,
            height: 0.0,
        }
    }
}

/// Draws [`NavGizmos`]. Needs Bevy's own `GizmoPlugin`.
#[derive(Clone, Copy, Debug, Default)]
pub struct NavGizmosPlugin;

impl Plugin for NavGizmosPlugin {
    fn build(&self, app: &mut App) {
        app.init_gizmo_group::<NavGizmos>()
            .add_systems(PostUpdate, (draw_walkers, draw_maps));
    }
}

/// Lines of the group.
type Lines = GizmoBuffer<NavGizmos, ()>;

/// What of an index is drawn, kept until there is another index.
#[derive(Default)]
struct Drawn {
    corners: Vec<(UVec2, usize)>,
    sectors: Option<(u32, Vec<UVec2>)>,
}

fn draw_walkers(
    mut gizmos: Gizmos<NavGizmos>,
    store: Res<GizmoConfigStore>,
    maps: Query<(Entity, &NavMap)>,
    walkers: Query<&Walker>,
) {
    let settings = store.config::<NavGizmos>().1;
    for (id, map) in &maps {
        let here = || walkers.iter().filter(|walker| walker.map() == Some(id));
        let place = Place::new(map, settings);
        if settings.paths {
            for walker in here() {
                let live = map.live.as_ref().zip(walker.home);
                let size = live.map_or(1, |(live, home)| live.size_of(home));
                path(&mut gizmos, &place, &map.path_ahead(walker), size);
            }
        }
        if settings.heat {
            heat(&mut gizmos, &place, here().map(Walker::cell));
        }
    }
}

fn draw_maps(
    mut gizmos: Gizmos<NavGizmos>,
    store: Res<GizmoConfigStore>,
    maps: Query<(Entity, &NavMap)>,
    mut kept: Local<BTreeMap<Entity, (u64, Drawn)>>,
) {
    let settings = store.config::<NavGizmos>().1;
    if !settings.corners && !settings.sectors {
        kept.clear();
        return;
    }
    kept.retain(|map, _| maps.contains(*map));
    for (id, map) in &maps {
        let Some(version) = map.index_version() else {
            continue;
        };
        if kept.get(&id).is_none_or(|(known, _)| *known != version) {
            kept.insert(id, (version, drawn(map)));
        }
        let place = Place::new(map, settings);
        let drawn = &kept[&id].1;
        if settings.corners {
            corners(&mut gizmos, &place, &drawn.corners);
        }
        if let Some((side, regions)) = drawn.sectors.as_ref().filter(|_| settings.sectors) {
            sectors(&mut gizmos, &place, map.size(), *side, regions);
        }
    }
}

/// What the index of a map knows.
fn drawn(map: &NavMap) -> Drawn {
    let Some(nav) = map.navigator() else {
        return Drawn::default();
    };
    let inspection = nav.inspect();
    let corners = inspection.corners().into_iter();
    let sectors = inspection.sectors();
    Drawn {
        corners: corners
            .map(|c| (UVec2::new(c.at.x, c.at.y), c.hubs))
            .collect(),
        sectors: sectors.map(|(side, regions)| {
            let regions = regions.iter().map(|r| UVec2::new(r.at.x, r.at.y));
            (side, regions.collect())
        }),
    }
}

/// Where things are drawn.
struct Place {
    grid: GridTransform,
    height: f32,
}

impl Place {
    fn new(map: &NavMap, settings: &NavGizmos) -> Place {
        Place {
            grid: map.grid(),
            height: settings.height,
        }
    }

    /// A point of the plane, counted in cells.
    fn at(&self, cells: Vec2) -> Vec3 {
        let height = self.grid.origin + Vec3::splat(self.height);
        self.grid.lift(self.grid.place(cells), height)
    }

    /// The outline of a rectangle of cells.
    fn outline(&self, corner: Vec2, size: Vec2) -> [Vec3; 5] {
        let (x, y) = (Vec2::new(size.x, 0.0), Vec2::new(0.0, size.y));
        [corner, corner + x, corner + size, corner + y, corner].map(|point| self.at(point))
    }
}

/// The way of the middle of a walker of so many cells on a side.
fn path(lines: &mut Lines, place: &Place, cells: &[UVec2], size: u32) {
    if cells.len() > 1 {
        let half = size as f32 / 2.0;
        let points = cells.iter().map(|cell| place.at(cell.as_vec2() + half));
        lines.linestrip(points, Color::srgb(0.2, 0.8, 1.0));
    }
}

fn corners(lines: &mut Lines, place: &Place, corners: &[(UVec2, usize)]) {
    for &(cell, hubs) in corners {
        let side = 0.2 + 0.6 * (hubs as f32 / 64.0).min(1.0);
        let corner = cell.as_vec2() + 0.5 - side / 2.0;
        let outline = place.outline(corner, Vec2::splat(side));
        lines.linestrip(outline, Color::srgb(1.0, 0.7, 0.1));
    }
}

fn sectors(lines: &mut Lines, place: &Place, size: UVec2, side: u32, regions: &[UVec2]) {
    let (end, grey) = (size.as_vec2(), Color::srgb(0.5, 0.5, 0.6));
    for x in (0..=size.x).step_by(side.max(1) as usize) {
        let x = x as f32;
        lines.line(
            place.at(Vec2::new(x, 0.0)),
            place.at(Vec2::new(x, end.y)),
            grey,
        );
    }
    for y in (0..=size.y).step_by(side.max(1) as usize) {
        let y = y as f32;
        lines.line(
            place.at(Vec2::new(0.0, y)),
            place.at(Vec2::new(end.x, y)),
            grey,
        );
    }
    for &cell in regions {
        let outline = place.outline(cell.as_vec2() + 0.25, Vec2::splat(0.5));
        lines.linestrip(outline, Color::srgb(0.4, 1.0, 0.5));
    }
}

fn heat(lines: &mut Lines, place: &Place, cells: impl Iterator<Item = UVec2>) {
    let mut squares: BTreeMap<[u32; 2], u32> = BTreeMap::new();
    for cell in cells {
        *squares.entry((cell / HEAT_SIDE).to_array()).or_default() += 1;
    }
    for (square, walkers) in squares {
        let corner = Vec2::new(square[0] as f32, square[1] as f32) * HEAT_SIDE as f32;
        let warm = walkers as f32 / (HEAT_SIDE * HEAT_SIDE) as f32;
        let colour = Color::srgb(warm.min(1.0), 1.0 - warm.min(1.0), 0.2);
        let inset = corner + 0.25;
        let side = HEAT_SIDE as f32 - 0.5;
        lines.linestrip(place.outline(inset, Vec2::splat(side)), colour);
        // One stripe for each eighth of full.
        for stripe in 0..(warm * 8.0).ceil().min(8.0) as u32 {
            let y = inset.y + side * (stripe as f32 + 0.5) / 8.0;
            let (left, right) = (Vec2::new(inset.x, y), Vec2::new(inset.x + side, y));
            lines.line(place.at(left), place.at(right), colour);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn place() -> Place {
        Place {
            grid: GridTransform::ground(Vec3::new(10.0, 0.0, 0.0), 2.0),
            height: 0.5,
        }
    }

    #[test]
    fn paths_are_strips_through_the_middles_of_cells() {
        let mut lines = Lines::default();
        path(
            &mut lines,
            &place(),
            &[UVec2::new(0, 0), UVec2::new(1, 0), UVec2::new(2, 1)],
            1,
        );
        let drawn: Vec<Vec3> = lines
            .strip_positions
            .iter()
            .copied()
            .filter(|p| p.is_finite())
            .collect();
        let expected = [
            Vec3::new(11.0, 0.5, 1.0),
            Vec3::new(13.0, 0.5, 1.0),
            Vec3::new(15.0, 0.5, 3.0),
        ];
        assert_eq!(drawn, expected);
        let mut large = Lines::default();
        path(&mut large, &place(), &[UVec2::ZERO, UVec2::ONE], 2);
        let middle = Vec3::new(12.0, 0.5, 2.0);
        assert_eq!(large.strip_positions[0], middle, "of both columns and rows");
        let mut lines = Lines::default();
        path(&mut lines, &place(), &[UVec2::ZERO], 1);
        assert!(lines.strip_positions.is_empty(), "who stands has no way");
    }

    #[test]
    fn sectors_are_a_grid_and_heat_counts() {
        let mut lines = Lines::default();
        sectors(
            &mut lines,
            &place(),
            UVec2::new(64, 32),
            16,
            &[UVec2::new(5, 5)],
        );
        assert_eq!(lines.list_positions.len(), 2 * (5 + 3));
        let mut lines = Lines::default();
        let crowded = (0..64).map(|i| UVec2::new(i % 8, i / 8));
        heat(&mut lines, &place(), crowded.chain([UVec2::new(20, 20)]));
        assert_eq!(
            lines.list_positions.len(),
            2 * (8 + 1),
            "full, and an eighth begun"
        );
        let mut lines = Lines::default();
        corners(
            &mut lines,
            &place(),
            &[(UVec2::new(3, 3), 1), (UVec2::new(4, 4), 500)],
        );
        let inside = lines.strip_positions.iter().filter(|p| p.is_finite());
        assert_eq!(inside.count(), 10);
    }
}
