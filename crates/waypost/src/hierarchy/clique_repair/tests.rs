use super::*;
use crate::grid::{Corners, Grid, GridPatch, MoveRules, Point};
use crate::rng::Rng;
use crate::space::Space;

fn random_map(rng: &mut Rng, width: u32, height: u32, walls: u32, rules: MoveRules) -> Map {
    let grid = Grid::from_fn(width, height, |_| !rng.percent(walls)).expect("a legal size");
    Map::new(grid, rules)
}

/// For each cell the least cell whose ancestors at this level are connected to its own.
fn components_at(hierarchy: &Hierarchy, map: &Map, level: u32) -> Vec<u32> {
    let mut label = std::collections::BTreeMap::new();
    let mut stack = Vec::new();
    let mut of_cell = Vec::new();
    for cell in map.grid().cells() {
        let start = hierarchy.ancestor(cell, level);
        label.entry(start).or_insert_with(|| {
            stack.push(start);
            cell.0
        });
        while let Some(place) = stack.pop() {
            hierarchy.for_each_neighbour(map, place, |id| {
                let next = Place {
                    level: place.level,
                    id,
                };
                label.entry(next).or_insert_with(|| {
                    stack.push(next);
                    cell.0
                });
            });
        }
        of_cell.push(label[&start]);
    }
    of_cell
}

fn assert_same_connectivity(repaired: &Hierarchy, map: &Map, what: &str) {
    let fresh = Hierarchy::build(map);
    for level in 0..=repaired.height().max(fresh.height()) {
        assert_eq!(
            components_at(repaired, map, level),
            components_at(&fresh, map, level),
            "level {level}, {what}"
        );
    }
    assert!(
        repaired.height() <= fresh.height() + 3,
        "height {} against {} fresh, {what}",
        repaired.height(),
        fresh.height()
    );
}

fn random_patch(rng: &mut Rng, map: &Map) -> GridPatch {
    let (width, height) = (map.grid().width(), map.grid().height());
    let mut patch = GridPatch::new();
    let (x, y) = (rng.below(width), rng.below(height));
    let (w, h) = match rng.below(4) {
        0 => (rng.between(1, 6), rng.between(1, 6)),
        _ => (1, 1),
    };
    let open = rng.percent(55);
    for point in (y..y + h).flat_map(|y| (x..x + w).map(move |x| Point { x, y })) {
        patch.set(point, open);
    }
    patch
}

#[test]
fn thousands_of_patches_leave_a_sound_hierarchy() {
    for (seed, rules) in MoveRules::ALL.into_iter().enumerate() {
        let mut rng = Rng::for_item(6, seed as u64);
        let mut map = random_map(&mut rng, 37, 29, 30, rules);
        let mut hierarchy = Hierarchy::build(&map);
        for round in 0..1000 {
            let patch = random_patch(&mut rng, &map);
            let changes = map.apply(&patch);
            hierarchy.repair(&map, &changes);
            let what = format!("seed {seed}, {rules}, round {round}");
            if let Err(flaw) = hierarchy.check(&map) {
                panic!("{flaw}; {what}");
            }
            if round % 50 == 0 {
                assert_same_connectivity(&hierarchy, &map, &what);
            }
        }
        assert_same_connectivity(&hierarchy, &map, &format!("seed {seed}, {rules}, the end"));
    }
}

#[test]
fn whole_maps_can_be_closed_and_opened_again() {
    let mut rng = Rng::new(9);
    let mut map = random_map(&mut rng, 50, 40, 10, MoveRules::default());
    let mut hierarchy = Hierarchy::build(&map);
    for open in [false, true, false] {
        let mut patch = GridPatch::new();
        for point in (0..40).flat_map(|y| (0..50).map(move |x| Point { x, y })) {
            patch.set(point, open);
        }
        let changes = map.apply(&patch);
        hierarchy.repair(&map, &changes);
        assert_eq!(hierarchy.check(&map), Ok(()));
        assert_eq!(hierarchy.height() == 0, !open);
    }
    assert_eq!(hierarchy.node_count(), 0);
}

#[test]
fn a_repair_costs_what_the_patch_touches_and_not_the_map() {
    let mut most = [0; 2];
    for (i, side) in [128, 512].into_iter().enumerate() {
        let mut rng = Rng::new(3);
        let mut map = random_map(&mut rng, side, side, 15, MoveRules::default());
        let mut hierarchy = Hierarchy::build(&map);
        for _ in 0..300 {
            let point = Point {
                x: rng.below(side),
                y: rng.below(side),
            };
            let mut patch = GridPatch::new();
            patch.set(point, map.grid().passable_cell(point).is_none());
            let changes = map.apply(&patch);
            most[i] = most[i].max(hierarchy.repair(&map, &changes).nodes);
        }
        assert_eq!(hierarchy.check(&map), Ok(()));
    }
    // Sixteen times the cells is two or three levels more.
    assert!(most[1] < 2 * most[0], "nodes visited at most: {most:?}");
    assert!(most[1] < 600, "nodes visited at most: {most:?}");
}

#[test]
fn joining_and_parting_components_moves_the_tops() {
    let grid = Grid::from_fn(64, 9, |p| p.x != 31).expect("a legal size");
    let rules = MoveRules {
        corners: Corners::Always,
        ..MoveRules::default()
    };
    let mut map = Map::new(grid, rules);
    let mut hierarchy = Hierarchy::build(&map);
    let ends = [Point { x: 0, y: 0 }, Point { x: 63, y: 8 }]
        .map(|p| map.passable_cell(p).expect("passable"));
    assert!(!hierarchy.connected(ends[0], ends[1]));
    for open in [true, false, true] {
        let mut patch = GridPatch::new();
        patch.set(Point { x: 31, y: 4 }, open);
        let changes = map.apply(&patch);
        hierarchy.repair(&map, &changes);
        assert_eq!(hierarchy.check(&map), Ok(()));
        assert_eq!(hierarchy.connected(ends[0], ends[1]), open);
        assert_eq!(map.connected(ends[0], ends[1]), open);
    }
}
