use super::*;
use crate::cost::CostPair;
use crate::grid::{ChangeSet, GridPatch, Point};
use waypost_testkit::{Corner, TestMap, TestRng, component_numbers, shapes};

const CORNERS: [(Corners, Corner); 3] = [
    (Corners::Never, Corner::Never),
    (Corners::One, Corner::One),
    (Corners::Always, Corner::Always),
];

fn grid_of(map: &TestMap) -> Grid {
    Grid::from_fn(map.width(), map.height(), |p| map.is_open_at((p.x, p.y))).expect("a legal size")
}

/// Checks that the components are the partition that the oracle finds, with its sizes, and numbered without gaps.
fn assert_right(components: &Components, grid: &Grid, map: &TestMap, corner: Corner, what: &str) {
    let expected = component_numbers(map, corner);
    let count = expected
        .iter()
        .flatten()
        .max()
        .map_or(0, |&last| last as usize + 1);
    let mut number_of = vec![None; count];
    let mut sizes = vec![0; count];
    for y in 0..map.height() {
        for x in 0..map.width() {
            let cell = grid.cell(Point { x, y }).expect("inside");
            let found = components.of(cell);
            let Some(class) = expected[(y * map.width() + x) as usize] else {
                assert_eq!(
                    found, None,
                    "{what}: the wall {x},{y} has a component\n{map}"
                );
                continue;
            };
            let number = found.unwrap_or_else(|| panic!("{what}: {x},{y} has no component\n{map}"));
            sizes[class as usize] += 1;
            let first = *number_of[class as usize].get_or_insert(number);
            assert_eq!(
                first, number,
                "{what}: {x},{y} is apart from its component\n{map}"
            );
        }
    }
    assert_eq!(components.count(), count, "{what}\n{map}");
    let mut seen = vec![false; count];
    for (class, number) in number_of.into_iter().enumerate() {
        let number = number.expect("every class has a cell");
        assert!(
            !std::mem::replace(&mut seen[number as usize], true),
            "{what}: two are one\n{map}"
        );
        assert_eq!(components.size(number), sizes[class], "{what}: size\n{map}");
    }
}

#[test]
fn found_components_are_the_oracles() {
    for seed in 0..150 {
        let map = shapes::any(seed, 1, 140);
        let grid = grid_of(&map);
        for (corners, corner) in CORNERS {
            let components = Components::find(&grid, corners);
            assert_right(
                &components,
                &grid,
                &map,
                corner,
                &format!("seed {seed}, {corners:?}"),
            );
        }
    }
}

#[test]
fn fresh_numbers_follow_first_cells() {
    let grid = grid_of(&TestMap::from_text(
        ".@.@.
         .@...
         @@@@@
         ..@..",
    ));
    let components = Components::find(&grid, Corners::Never);
    let at = |x, y| components.of(grid.cell(Point { x, y }).expect("inside"));
    assert_eq!(
        [at(0, 0), at(2, 0), at(4, 0), at(0, 3), at(3, 3)],
        [0, 1, 1, 2, 3].map(Some)
    );
    assert_eq!(components.largest(), Some(1));
    assert_eq!((components.size(1), components.size(9)), (5, 0));
    assert_eq!(
        Components::find(&Grid::blocked(3, 3).expect("legal"), Corners::One).largest(),
        None
    );
}

#[test]
fn ids_outside_belong_to_nothing() {
    let grid = Grid::from_fn(64, 3, |_| true).expect("a legal size");
    let components = Components::find(&grid, Corners::Never);
    for id in [
        0,
        1,
        grid.stride(),
        grid.id_bound() as u32 - 1,
        grid.id_bound() as u32,
        u32::MAX,
    ] {
        assert_eq!(components.of(Cell(id)), None, "{id}");
    }
}

/// Applies a patch to both maps and repairs.
fn patch(
    map: &mut TestMap,
    grid: &mut Grid,
    components: &mut Components,
    edits: &[(u32, u32, bool)],
) -> ChangeSet {
    let mut patch = GridPatch::new();
    for &(x, y, open) in edits {
        map.set(x, y, open);
        patch.set(Point { x, y }, open);
    }
    let changes = grid.apply(&patch);
    components.repair(grid, &changes);
    changes
}

/// Single cells, walls across, blocks, and doors.
fn random_edits(map: &TestMap, rng: &mut TestRng) -> Vec<(u32, u32, bool)> {
    let (width, height) = (map.width(), map.height());
    let (x, y) = (rng.below(width), rng.below(height));
    let flip = |x: u32, y: u32| (x, y, !map.is_open_at((x, y)));
    match rng.below(6) {
        0 | 1 => vec![flip(x, y)],
        2 => {
            let open = rng.percent(50);
            let length = rng.between(1, 12);
            (x..(x + length).min(width)).map(|x| (x, y, open)).collect()
        }
        3 => {
            let open = rng.percent(50);
            let length = rng.between(1, 8);
            (y..(y + length).min(height))
                .map(|y| (x, y, open))
                .collect()
        }
        4 => {
            let open = rng.percent(40);
            let (w, h) = (rng.between(1, 5), rng.between(1, 4));
            let rows = y..(y + h).min(height);
            rows.flat_map(|y| (x..(x + w).min(width)).map(move |x| (x, y, open)))
                .collect()
        }
        _ => (0..rng.between(2, 6))
            .map(|_| {
                let (x, y) = (rng.below(width), rng.below(height));
                (x, y, rng.percent(50))
            })
            .collect(),
    }
}

#[test]
fn thousands_of_patches_leave_the_components_right() {
    for seed in 0..60 {
        let start = shapes::any(seed, 6, 70);
        for (corners, corner) in CORNERS {
            let mut rng = TestRng::new(seed + 1000);
            let (mut map, mut grid) = (start.clone(), grid_of(&start));
            let mut components = Components::find(&grid, corners);
            for step in 0..40 {
                let edits = random_edits(&map, &mut rng);
                patch(&mut map, &mut grid, &mut components, &edits);
                let what = format!("seed {seed}, {corners:?}, step {step}, {edits:?}");
                assert_right(&components, &grid, &map, corner, &what);
            }
        }
    }
}

#[test]
fn wear_ends_in_a_fresh_build() {
    let mut map = TestMap::filled(40, 40, true);
    let (mut grid, mut most) = (grid_of(&map), 0);
    let mut components = Components::find(&grid, Corners::Never);
    for step in 0..3000 {
        // A wall with a door that is shut and opened: two contests a turn.
        let edits: Vec<_> = (0..40).map(|x| (x, 20, step % 2 == 1 && x == 7)).collect();
        patch(&mut map, &mut grid, &mut components, &edits);
        most = most.max(components.pieces.len());
        assert_eq!(components.count(), 2 - step % 2);
    }
    assert_right(&components, &grid, &map, Corner::Never, "after wear");
    assert!(most < 2 * SPARE, "{most} pieces");
}

/// More than the pieces that are kept before a fresh build.
const SPARE: usize = 1200;

#[test]
fn the_nearest_cell_is_the_nearest() {
    for seed in 0..80 {
        let map = shapes::any(seed, 3, 60);
        let grid = grid_of(&map);
        let components = Components::find(&grid, Corners::Never);
        let mut rng = TestRng::new(seed);
        for component in 0..components.count().min(6) as u32 {
            let to = Point {
                x: rng.below(map.width() + 9),
                y: rng.below(map.height() + 9),
            };
            let costs = CostPair::OnePointFour;
            let expected = grid
                .cells()
                .filter(|&cell| components.of(cell) == Some(component))
                .min_by_key(|&cell| {
                    let (dx, dy) = grid.point(cell).distances(to);
                    (costs.octile(dx, dy), cell)
                });
            let found = components.nearest(&grid, costs.steps(), component, to);
            assert_eq!(
                found, expected,
                "seed {seed}, component {component} to {to}\n{map}"
            );
        }
        let far = Point {
            x: u32::MAX,
            y: u32::MAX,
        };
        let corner = components
            .largest()
            .and_then(|c| components.nearest(&grid, CostPair::Sqrt2.steps(), c, far));
        assert_eq!(corner.is_some(), components.count() > 0);
    }
}
