//! The map and the problems that everyone solves, with their optimal costs.

use anyhow::{Context as _, bail};
use std::path::Path;
use waypost::formats::{Reading, map, scen};
use waypost::grid::Corners;
use waypost::search::{AStar, PathSearch};
use waypost::terrain::Footings;
use waypost::{Cell, Map, MoveRules, Point};
use waypost_testkit::{Corner, Mover, Rules, TestMap};

/// A point as the peers and the checker write it.
pub type Place = (u32, u32);

/// One problem.
pub struct Query {
    pub from: Place,
    pub to: Place,
    /// In units of [`Costs`]; without terrain, and eight ways, the length printed in the scenario file has been compared with it.
    pub optimal: u64,
}

/// What moves cost, in integers that everyone adds up alike.
pub struct Costs {
    pub straight: u32,
    pub diagonal: u32,
    /// Units of every cell's factor, row by row: a move costs its length times the sum of both. `None` without terrain.
    pub factors: Option<Vec<u32>>,
}

impl Costs {
    /// The costs of a map.
    pub fn of(map: &Map) -> Costs {
        let Some(ground) = map.ground() else {
            return Costs {
                straight: 985,
                diagonal: 1393,
                factors: None,
            };
        };
        let (scale, grid) = (ground.scale(), map.grid());
        let points = (0..grid.height()).flat_map(|y| (0..grid.width()).map(move |x| (x, y)));
        let factors = points.map(|at| scale.units(ground.hundredths(cell(map, at))));
        Costs {
            straight: scale.straight,
            diagonal: scale.diagonal,
            factors: Some(factors.collect()),
        }
    }
}

/// A map and its problems.
pub struct Queries {
    pub map: Map,
    pub all: Vec<Query>,
    test_map: TestMap,
    rules: Rules,
    factors: Option<Vec<u64>>,
}

impl Queries {
    /// Reads a map and at most `limit` solvable problems of at least this length, evenly from the file.
    pub fn load(
        map_file: &Path,
        scen_file: &Path,
        terrain: Option<&Footings>,
        rules: MoveRules,
        limit: Option<usize>,
        least_length: f64,
    ) -> anyhow::Result<Queries> {
        let read = |file: &Path| {
            std::fs::read(file).with_context(|| format!("{} cannot be read", file.display()))
        };
        let reading = Reading {
            footings: terrain.cloned().unwrap_or_default(),
            ..Reading::default()
        };
        let level = map::parse_level(&read(map_file)?, &reading)
            .with_context(|| map_file.display().to_string())?;
        let problems =
            scen::parse(&read(scen_file)?).with_context(|| scen_file.display().to_string())?;
        scen::check_size(&problems, &level.grid)
            .with_context(|| scen_file.display().to_string())?;
        let map = level.map(rules, 1)?;
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
            // Files know lengths of eight ways.
            if terrain.is_none()
                && rules.has_diagonals()
                && !problem.agrees_with(map.length(length))
            {
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
        let costs = Costs::of(&map);
        Ok(Queries {
            test_map: copy(&map),
            map,
            all,
            rules: Rules {
                corner: match rules.corners {
                    Corners::NoDiagonals => Corner::NoDiagonals,
                    _ => Corner::Never,
                },
                straight: costs.straight.into(),
                diagonal: costs.diagonal.into(),
            },
            factors: costs
                .factors
                .map(|factors| factors.into_iter().map(u64::from).collect()),
        })
    }

    /// The cost of a path from a query's start to its goal if every move of it is legal, by the checker's own sums.
    pub fn legal_cost(&self, query: &Query, path: &[Place]) -> Option<u64> {
        if path.first() != Some(&query.from) || path.last() != Some(&query.to) {
            return None;
        }
        let mover = Mover {
            map: &self.test_map,
            rules: self.rules,
            size: 1,
            factors: self.factors.as_deref(),
        };
        mover.walk(path).map(|walked| walked.cost)
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
