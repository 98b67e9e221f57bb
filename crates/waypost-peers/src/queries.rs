//! The map and the problems that everyone solves, with their optimal costs.

use anyhow::{Context as _, bail};
use std::path::Path;
use waypost::formats::{map, scen};
use waypost::search::{AStar, PathSearch};
use waypost::{Cell, Map, MoveRules, Point};
use waypost_testkit::TestMap;

/// A point as the peers and the checker write it.
pub type Place = (u32, u32);

/// One problem.
pub struct Query {
    pub from: Place,
    pub to: Place,
    /// In units of 985 and 1393; the length printed in the scenario file has been compared with it.
    pub optimal: u64,
}

/// A map and its problems.
pub struct Queries {
    pub map: Map,
    pub test_map: TestMap,
    pub all: Vec<Query>,
}

impl Queries {
    /// Reads a map and at most `limit` solvable problems of at least this length, evenly from the file.
    pub fn load(
        map_file: &Path,
        scen_file: &Path,
        limit: Option<usize>,
        least_length: f64,
    ) -> anyhow::Result<Queries> {
        let read = |file: &Path| {
            std::fs::read(file).with_context(|| format!("{} cannot be read", file.display()))
        };
        let grid = map::parse(&read(map_file)?).with_context(|| map_file.display().to_string())?;
        let problems =
            scen::parse(&read(scen_file)?).with_context(|| scen_file.display().to_string())?;
        scen::check_size(&problems, &grid).with_context(|| scen_file.display().to_string())?;
        let map = Map::new(grid, MoveRules::default());
        let solvable: Vec<_> = problems
            .iter()
            .filter(|problem| problem.length >= least_length)
            .filter_map(|problem| {
                let (from, to) = problem.ends(map.grid()).ok()?;
                map.components()
                    .connected(from, to)
                    .then_some((problem, from, to))
            })
            .collect();
        if solvable.is_empty() {
            bail!(
                "{}: no problem of length {least_length} or more can be solved on this map",
                scen_file.display()
            );
        }
        let count = limit.unwrap_or(solvable.len()).clamp(1, solvable.len());
        let mut search = AStar::new();
        let mut all = Vec::with_capacity(count);
        for i in 0..count {
            let (problem, from, to) = solvable[i * solvable.len() / count];
            let path = search
                .shortest_path(&map, from, to)
                .context("connected cells")?;
            let length = map.path_length(&path.cells).context("a legal path")?;
            if !problem.agrees_with(map.length(length)) {
                eprintln!(
                    "note: {} to {}: the file says {}, the search {}",
                    problem.start,
                    problem.goal,
                    problem.length,
                    map.length(length)
                );
            }
            all.push(Query {
                from: (problem.start.x, problem.start.y),
                to: (problem.goal.x, problem.goal.y),
                optimal: u64::from(path.cost),
            });
        }
        Ok(Queries {
            test_map: copy(&map),
            map,
            all,
        })
    }
}

/// The map as the checker, which shares no code with the engine, sees it.
fn copy(map: &Map) -> TestMap {
    let (width, height) = (map.grid().width(), map.grid().height());
    let mut copy = TestMap::filled(width, height, false);
    for y in 0..height {
        for x in 0..width {
            if map.passable_cell(Point { x, y }).is_some() {
                copy.set(x, y, true);
            }
        }
    }
    copy
}

/// The cell at a place of the map.
pub fn cell(map: &Map, (x, y): Place) -> Cell {
    map.grid().cell(Point { x, y }).unwrap_or(Cell::NONE)
}
