//! Jump searches and corner labels: scenario lengths of real maps, and no allocation once their memory has grown.

use std::path::Path;
use waypost::formats::{map, scen};
use waypost::index::jump::JumpGraph;
use waypost::index::labels::{CornerLabels, LabelQuery, Settings};
use waypost::progress::NoProgress;
use waypost::search::jps::{Jps, JumpSearch, PathRuns};
use waypost::{Cell, Grid, Map, MoveRules, Point};
use waypost_testkit::allocations::{self, Counting};
use waypost_testkit::{TestRng, shapes};

#[global_allocator]
static ALLOCATOR: Counting = Counting;

/// Everything that answers whole paths, on one map.
struct Methods {
    map: Map,
    jps: Jps,
    graph: JumpGraph,
    labels: Option<CornerLabels>,
    search: JumpSearch,
    query: LabelQuery,
    cells: Vec<Cell>,
}

impl Methods {
    fn new(map: Map) -> Methods {
        Methods {
            jps: Jps::new(&map),
            graph: JumpGraph::build(&map),
            labels: CornerLabels::build(&map, Settings::default(), &NoProgress).ok(),
            search: JumpSearch::new(),
            query: LabelQuery::new(),
            cells: Vec::new(),
            map,
        }
    }

    /// Calls `check` with each method's name, its path, and the cells of it.
    fn solve(
        &mut self,
        from: Point,
        to: Point,
        mut check: impl FnMut(&'static str, Option<PathRuns>, &[Cell]),
    ) {
        let (map, cells) = (&self.map, &mut self.cells);
        let mut emit = |name, path: Option<PathRuns>| {
            cells.clear();
            if let Some(path) = path {
                path.write_cells(map.grid(), cells);
            }
            check(name, path, cells);
        };
        emit("jps", self.search.shortest(&self.jps, map, from, to));
        emit(
            "jump-graph",
            self.search.shortest(&self.graph, map, from, to),
        );
        if let Some(labels) = &self.labels {
            emit("labels", self.query.path(labels, from, to));
        }
    }
}

#[test]
fn lengths_agree_with_every_scenario() {
    let Ok(folder) = std::env::var("WAYPOST_MAPS") else {
        println!("skipped: set WAYPOST_MAPS to a folder of .map and .map.scen files");
        return;
    };
    let all = std::env::var_os("WAYPOST_ALL_SCENARIOS").is_some();
    let entries = std::fs::read_dir(&folder).expect("WAYPOST_MAPS names a readable folder");
    let mut files: Vec<_> = entries
        .filter_map(|entry| Some(entry.ok()?.path()))
        .filter(|path| path.extension().is_some_and(|e| e == "map"))
        .filter(|path| path.with_extension("map.scen").is_file())
        .collect();
    files.sort();
    let read = |path: &Path| std::fs::read(path).expect("a readable file");
    let (mut checked, mut with_labels) = (0, 0);
    for file in files {
        let grid = map::parse(&read(&file)).expect("a good map");
        // The two maps whose labels take seconds are left to runs over everything.
        if !all && grid.passable_count() > 500_000 {
            continue;
        }
        let problems = scen::parse(&read(&file.with_extension("map.scen"))).expect("good lines");
        let costs = MoveRules::default().costs;
        let mut methods = Methods::new(Map::new(grid, MoveRules::default()));
        let map = methods.map.clone();
        with_labels += usize::from(methods.labels.is_some());
        let step = if all {
            1
        } else {
            problems.len().div_ceil(150).max(1)
        };
        for problem in problems.iter().step_by(step) {
            methods.solve(problem.start, problem.goal, |name, path, cells| {
                let what = format!("{}: {} {}", file.display(), problem.start, problem.goal);
                match path {
                    Some(path) => {
                        assert_eq!(map.path_length(cells), Some(path.length()), "{name} {what}");
                        let length = costs.length(path.length());
                        assert!(problem.agrees_with(length), "{name} {what}: {length}");
                    }
                    None => assert!(
                        problem.claims_unreachable() || problem.ends(map.grid()).is_err(),
                        "{name} {what}: no path"
                    ),
                }
                checked += 1;
            });
        }
    }
    println!("{checked} paths checked, labels on {with_labels} maps");
    assert!(checked > 0, "no scenario file in {folder}");
}

#[test]
fn nothing_is_allocated_after_the_first_pass() {
    assert!(allocations::is_counting());
    for seed in 0..6 {
        let mut rng = TestRng::new(seed);
        let test_map = shapes::noise(90, 70, 20, &mut rng);
        let grid = Grid::from_fn(90, 70, |p| test_map.is_open_at((p.x, p.y)));
        let rules = MoveRules::ALL[seed as usize % 6];
        let mut methods = Methods::new(Map::new(grid.expect("a legal size"), rules));
        let pairs: Vec<_> = (0..60)
            .filter_map(|_| {
                let (a, b) = (
                    test_map.random_open_cell(&mut rng)?,
                    test_map.random_open_cell(&mut rng)?,
                );
                Some((Point { x: a.0, y: a.1 }, Point { x: b.0, y: b.1 }))
            })
            .collect();
        let mut total = [0usize; 2];
        let mut pass = |total: &mut usize| {
            for &(from, to) in &pairs {
                methods.solve(from, to, |_, _, cells| *total += cells.len());
            }
        };
        pass(&mut total[0]);
        let ((), used) = allocations::measure(|| pass(&mut total[1]));
        assert_eq!((used.count, used.bytes), (0, 0), "seed {seed}");
        assert_eq!(total[0], total[1]);
    }
}
