//! What old labels save the search round new walls: jump points expanded with them as lower bounds and without.

use super::{Result, SIDE};
use cpu_time::ThreadTime;
use std::sync::Arc;
use waypost::index::jump::JumpGraph;
use waypost::index::labels::{CornerLabels, LabelQuery, Settings, WaysTo};
use waypost::progress::NoProgress;
use waypost::rng::Rng;
use waypost::search::jps::JumpSearch;
use waypost::{Cell, GridPatch, Map, Point};

/// Blocks of 10 x 10 cells that go up.
const BLOCKS: usize = 40;

/// Random problems whose path by the old labels is blocked, searched both ways.
pub fn searches(name: &str, mut map: Map, problems: usize, seed: u64) -> Result<()> {
    let labels = CornerLabels::build(&map, Settings::default(), &NoProgress)?;
    let labels = Arc::new(labels);
    let mut rng = Rng::for_item(seed, 5);
    let cells: Vec<Cell> = map.grid().cells().collect();
    let grid = map.grid().clone();
    let any = |rng: &mut Rng| grid.point(cells[rng.below(cells.len() as u32) as usize]);
    let mut patch = GridPatch::new();
    for _ in 0..BLOCKS {
        let corner = any(&mut rng);
        for y in corner.y..corner.y + SIDE {
            for x in corner.x..corner.x + SIDE {
                patch.set(Point { x, y }, false);
            }
        }
    }
    map.apply(&patch);
    let graph = JumpGraph::plain(&map);
    let (mut query, mut search) = (LabelQuery::new(), JumpSearch::new());
    let mut blocked = 0u64;
    let mut expanded = [0u64; 2];
    let mut micros = [0f64; 2];
    while blocked < problems as u64 {
        let (from, goal) = (any(&mut rng), any(&mut rng));
        let joined = map
            .passable_cell(from)
            .zip(map.passable_cell(goal))
            .is_some_and(|(from, goal)| map.components().connected(from, goal));
        if !joined {
            continue;
        }
        let Some(old) = query.distance(&labels, from, goal) else {
            continue;
        };
        let begun = ThreadTime::now();
        search.begin(&graph, &map, from, goal);
        search.advance(&graph, u64::MAX);
        micros[0] += begun.elapsed().as_secs_f64() * 1e6;
        let plain = search
            .found_path(&graph)
            .map(|path| path.cost(map.rules().costs));
        let count = search.expansions();
        if plain == Some(old) {
            micros[0] -= begun.elapsed().as_secs_f64() * 1e6;
            continue;
        }
        blocked += 1;
        expanded[0] += count;
        let begun = ThreadTime::now();
        let known = WaysTo::new(&labels, goal, &mut query).ok_or("a goal in a wall")?;
        search.begin_with(&graph, &map, (from, goal), &known);
        search.advance_with(&graph, u64::MAX, &known);
        micros[1] += begun.elapsed().as_secs_f64() * 1e6;
        expanded[1] += search.expansions();
        let aimed = search
            .found_path(&graph)
            .map(|path| path.cost(map.rules().costs));
        if aimed != plain {
            return Err(format!("{from} to {goal}: {plain:?} and {aimed:?}").into());
        }
    }
    let mean = |all: [f64; 2]| all.map(|sum| sum / blocked as f64);
    let [plain, aimed] = mean(expanded.map(|count| count as f64));
    let [plain_time, aimed_time] = mean(micros);
    println!(
        "| {name} | {blocked} | {plain:.0} | {aimed:.0} | {plain_time:.1} | {aimed_time:.1} |"
    );
    Ok(())
}
