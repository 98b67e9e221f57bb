//! Maps for the tests of this module.

use crate::grid::{Corners, Grid, MoveRules};
use crate::map::Map;
use waypost_testkit::{Corner, Rules, TestMap, shapes};

pub fn engine_map(test: &TestMap, rules: MoveRules) -> Map {
    let grid = Grid::from_fn(test.width(), test.height(), |p| test.is_open_at((p.x, p.y)));
    Map::new(grid.expect("a legal size"), rules)
}

pub fn oracle_rules(rules: MoveRules) -> Rules {
    Rules {
        corner: match rules.corners {
            Corners::Never => Corner::Never,
            Corners::One => Corner::One,
            Corners::Always => Corner::Always,
            Corners::NoDiagonals => Corner::NoDiagonals,
        },
        straight: rules.costs.straight().into(),
        diagonal: rules.costs.diagonal().into(),
    }
}

/// A small map of any shape; the seed picks the rules too.
pub fn random_map(seed: u64, least: u32, most: u32) -> (TestMap, Map) {
    let test = shapes::any(seed, least, most);
    let rules = MoveRules::ALL[(seed % 6) as usize];
    let map = engine_map(&test, rules);
    (test, map)
}
