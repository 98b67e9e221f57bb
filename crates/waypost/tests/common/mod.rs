//! From the test kit's maps to the engine's, for the tests that need both.
#![allow(dead_code, reason = "each test binary uses a part of this")]

pub mod crowd;
pub mod lone;
pub mod terrain;

use waypost::index::Indexes;
use waypost::spec::AgentSpec;
use waypost::{Cell, Corners, CostPair, Grid, Map, MoveRules, Point};
use waypost_testkit::{Corner, Rules, TestMap};

/// The engine's form of the test kit's rules.
pub fn engine_rules(rules: Rules) -> MoveRules {
    MoveRules {
        corners: match rules.corner {
            Corner::Never => Corners::Never,
            Corner::One => Corners::One,
            Corner::Always => Corners::Always,
            Corner::NoDiagonals => Corners::NoDiagonals,
        },
        costs: if rules.straight == 5 {
            CostPair::OnePointFour
        } else {
            CostPair::Sqrt2
        },
    }
}

/// The engine's form of a test map.
pub fn engine_map(map: &TestMap, rules: Rules) -> Map {
    let grid = Grid::from_fn(map.width(), map.height(), |p| map.is_open_at((p.x, p.y)));
    Map::new(grid.expect("a legal size"), engine_rules(rules))
}

/// The cell at a point inside the map.
pub fn cell(map: &Map, (x, y): (u32, u32)) -> Cell {
    map.grid().cell(Point { x, y }).expect("inside the map")
}

/// Cells as points.
pub fn points(map: &Map, cells: &[Cell]) -> Vec<(u32, u32)> {
    let point = |&cell| {
        let p = map.grid().point(cell);
        (p.x, p.y)
    };
    cells.iter().map(point).collect()
}

/// The indexes that a spec needs, built for a map.
pub fn indexes_for(spec: &AgentSpec, map: &Map) -> Indexes {
    lone::try_indexes(spec, map).unwrap_or_else(|error| panic!("{spec}: {error}"))
}

/// How many random maps a test goes through: `default`, or what `WAYPOST_TEST_MAPS` says.
pub fn map_count(default: u64) -> u64 {
    std::env::var("WAYPOST_TEST_MAPS")
        .ok()
        .and_then(|text| text.parse().ok())
        .unwrap_or(default)
}

/// Every real-time agent without an index, in settings that take different ways through its code.
pub const REAL_TIME_SPECS: &[&str] = &[
    "lrta",
    "lrta:weight=2",
    "lrta:gmax=2.5",
    "lrta:gmax=4.3",
    "lss-lrta:lookahead=1",
    "lss-lrta:lookahead=7",
    "lss-lrta:lookahead=40,weight=3",
    "lss-lrta:lookahead=1,avoid=raised",
    "lss-lrta:lookahead=7,avoid=marked",
    "lss-lrta:lookahead=12,weight=2,avoid=raised",
    "rtaa:lookahead=1",
    "rtaa:lookahead=7",
    "rtaa:lookahead=40,weight=1.7",
    "rtaa:lookahead=1,avoid=marked",
    "rtaa:lookahead=7,avoid=raised",
    "rtaa:lookahead=3,weight=5,avoid=marked",
    "lrts",
    "lrts:gmax=3.5",
    "tba:slice=2",
    "tba:slice=5",
    "tba:slice=10,idle=back",
    "tba:slice=100",
    "tba:slice=5,weight=2",
    "tba:slice=30,weight=10",
];

/// LRTS whose backtracking takes many moves: for small maps.
pub const BACKTRACKING_SPECS: [&str; 2] =
    ["lrts:gmax=3.5,quota=0", "lrts:gmax=4.3,quota=25,weight=1.5"];
