//! What the tests of the hierarchy, of region databases and of the agents on them have in common.

use crate::agent::Scratch;
use crate::agent::{Agent, Budget, Context};
use crate::grid::{Cell, Grid, GridPatch, MoveRules, Point};
use crate::map::Map;
use crate::rng::Rng;
use crate::run::{Outcome, Walk, walk};
use crate::space::Space;
use crate::spec::AgentSpec;
use waypost_testkit::shapes;

/// One of all kinds of maps, with sides between two bounds.
pub(crate) fn test_map(seed: u64, least: u32, most: u32, rules: MoveRules) -> Map {
    let drawn = shapes::any(seed, least, most);
    let grid = Grid::from_fn(drawn.width(), drawn.height(), |p| {
        drawn.is_open_at((p.x, p.y))
    });
    Map::new(grid.expect("a legal size"), rules)
}

pub(crate) fn cells_of(map: &Map) -> Vec<Cell> {
    map.grid().cells().collect()
}

pub(crate) fn two_cells(rng: &mut Rng, cells: &[Cell]) -> [Cell; 2] {
    [(); 2].map(|()| cells[rng.below(cells.len() as u32) as usize])
}

/// Random cells that become walls or floor, but never one that an agent stands on or the goal.
pub(crate) fn patch_beside(rng: &mut Rng, map: &Map, at: &[Cell], goal: Cell) -> GridPatch {
    let mut patch = GridPatch::new();
    for _ in 0..rng.between(1, 8) {
        let point = Point {
            x: rng.below(map.grid().width()),
            y: rng.below(map.grid().height()),
        };
        let cell = map.grid().cell(point).expect("inside");
        if rng.percent(50) {
            patch.set(point, true);
        } else if cell != goal && !at.contains(&cell) {
            patch.set(point, false);
        }
    }
    patch
}

/// Walks with a budget for each move. The walk must arrive exactly where there is a path.
pub(crate) fn arrives(
    map: &Map,
    agent: &mut dyn Agent<Map>,
    [from, goal]: [Cell; 2],
    budget: u64,
    what: &str,
) -> Walk {
    let mut scratch = Scratch::new();
    let mut context = Context::new(map, &mut scratch);
    context.budget = Budget { operations: budget };
    let walk = walk(agent, &mut context, from, goal, 3_000_000, &mut ()).expect("legal");
    let expected = if map.connected(from, goal) {
        Outcome::Arrived
    } else {
        Outcome::Unreachable
    };
    assert_eq!(walk.outcome, expected, "{from:?} to {goal:?}, {what}");
    walk
}

/// Each of these specs must be refused with a message that says this.
pub(crate) fn specs_are_refused(specs: &[(&str, &str)]) {
    for (spec, part) in specs {
        let message = match AgentSpec::parse(spec) {
            Ok(_) => panic!("`{spec}` was taken"),
            Err(error) => error.to_string(),
        };
        assert!(message.contains(part), "{message}");
    }
}
