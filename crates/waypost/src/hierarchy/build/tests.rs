use super::*;
use crate::grid::{Cell, Corners, Grid, MoveRules, Point};
use crate::hierarchy::quick_path::QuickPath;
use crate::hierarchy::testing::test_map;
use crate::rng::Rng;
use crate::space::Space;
use waypost_testkit::{TestRng, shapes};

#[test]
fn every_kind_of_map_gets_a_sound_hierarchy() {
    for seed in 0..300 {
        let rules = MoveRules::ALL[seed as usize % 6];
        let map = test_map(seed, 1, 48, rules);
        let hierarchy = Hierarchy::build(&map);
        if let Err(flaw) = hierarchy.check(&map) {
            panic!("{flaw}; seed {seed}, {rules}");
        }
        for level in 1..=hierarchy.height() {
            assert!(
                hierarchy.level_size(level) < hierarchy.level_size(level - 1),
                "level {level} is not smaller, seed {seed}, {rules}"
            );
        }
    }
}

#[test]
fn cliques_orphans_and_what_lies_between() {
    let drawn = "..@@\n..@@\n@...\n@@..\n@@.@";
    let rows: Vec<&[u8]> = drawn.lines().map(str::as_bytes).collect();
    let grid = Grid::from_fn(4, 5, |p| rows[p.y as usize][p.x as usize] == b'.');
    let map = Map::new(grid.expect("a legal size"), MoveRules::default());
    let hierarchy = Hierarchy::build(&map);
    let node = |x, y| {
        let cell = map.grid().cell(Point { x, y }).expect("inside");
        hierarchy.parent(Place {
            level: 0,
            id: cell.0,
        })
    };
    assert_eq!(hierarchy.check(&map), Ok(()));
    // The square above, the square below with the orphan at its foot, and between them a cell of two ways.
    assert_eq!(node(0, 0), node(1, 1));
    assert_eq!(node(2, 2), node(3, 3));
    assert_eq!(node(2, 4), node(2, 2));
    assert_ne!(node(1, 2), node(0, 0));
    assert_eq!(hierarchy.level_size(1), 3);
    assert_eq!(
        hierarchy.position(
            &map,
            Place {
                level: 1,
                id: node(0, 0)
            }
        ),
        [8, 8]
    );
}

#[test]
fn a_cut_corner_is_no_clique() {
    let grid = Grid::from_fn(2, 2, |p| p != Point { x: 1, y: 1 }).expect("a legal size");
    for corners in Corners::ALL {
        let rules = MoveRules {
            corners,
            ..MoveRules::default()
        };
        let map = Map::new(grid.clone(), rules);
        let hierarchy = Hierarchy::build(&map);
        assert_eq!(hierarchy.height(), 1, "{corners:?}");
        let mut members = Vec::new();
        hierarchy.children(0, &mut members);
        // Under `never` it is a pair and an orphan, else a clique: three cells in both.
        assert_eq!(members.len(), 3);
    }
}

#[test]
fn meeting_levels_measure_distance() {
    let grid = Grid::from_fn(200, 200, |_| true).expect("a legal size");
    let map = Map::new(grid, MoveRules::default());
    let hierarchy = Hierarchy::build(&map);
    let cell = |x| map.grid().cell(Point { x, y: 7 }).expect("inside");
    let level = |x| hierarchy.meeting_level(&map, cell(0), cell(x));
    assert_eq!(level(0), Some(0));
    assert_eq!(level(1), Some(0));
    assert!(level(4) <= level(40) && level(40) < level(199));
}

fn walk_quick_path(map: &Map, hierarchy: &Hierarchy, from: Cell, to: Cell) -> Option<Vec<Cell>> {
    let mut quick = QuickPath::new();
    if !quick.start(hierarchy, from, to) {
        return None;
    }
    let mut path = vec![from];
    while let Some(next) = quick.next_cell(hierarchy, map) {
        path.push(next);
    }
    Some(path)
}

#[test]
fn quick_paths_are_legal_and_arrive() {
    for seed in 0..200 {
        let rules = MoveRules::ALL[seed as usize % 6];
        let map = test_map(seed, 2, 40, rules);
        let hierarchy = Hierarchy::build(&map);
        let cells: Vec<Cell> = map.grid().cells().collect();
        let mut rng = Rng::new(seed);
        for _ in 0..20.min(cells.len()) {
            let [from, to] = [(); 2].map(|()| cells[rng.below(cells.len() as u32) as usize]);
            let path = walk_quick_path(&map, &hierarchy, from, to);
            assert_eq!(path.is_some(), map.connected(from, to), "seed {seed}");
            if let Some(path) = path {
                assert_eq!(path.last(), Some(&to), "seed {seed}");
                assert!(map.path_length(&path).is_some(), "seed {seed}");
            }
        }
    }
}

#[test]
fn building_twice_gives_the_same_bytes() {
    let mut rng = TestRng::new(4);
    let drawn = shapes::noise(90, 70, 30, &mut rng);
    let grid = Grid::from_fn(90, 70, |p| drawn.is_open_at((p.x, p.y))).expect("a legal size");
    let map = Map::new(grid, MoveRules::default());
    let [a, b] = [(); 2].map(|()| Hierarchy::build(&map));
    assert_eq!(a.cell_parents, b.cell_parents);
    assert_eq!(a.nodes, b.nodes);
    assert_eq!(a.edges.entries(), b.edges.entries());
}
