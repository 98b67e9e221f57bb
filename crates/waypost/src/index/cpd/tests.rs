use super::packed_runs::{PackedRuns, Width};
use super::testing::{engine_map, oracle_rules, random_map};
use super::*;
use crate::artifact::Artifact;
use crate::grid::{Cell, Grid, MoveRules};
use crate::index::{Index, IndexRequest, Shard, build, open};
use crate::progress::NoProgress;
use crate::rng::Rng;
use waypost_testkit::{TestMap, TestRng, check_path, distances};

fn request(encoding: Encoding) -> IndexRequest {
    IndexRequest::new(IndexKind::Cpd).with(PARAMETER_ENCODING, encoding.name())
}

fn built(map: &Map, encoding: Encoding) -> PathDatabase {
    PathDatabase::build(map, &request(encoding), &NoProgress).expect("a small map")
}

/// The engine's answer to every pair of cells must cost what the oracle says, and every move must get nearer by its cost.
fn check_every_pair(what: &str, test: &TestMap, map: &Map, database: &PathDatabase) {
    let rules = oracle_rules(map.rules());
    let mut path = Vec::new();
    for from in map.grid().cells() {
        let source = map.grid().point(from);
        let costs = distances(test, rules, (source.x, source.y));
        for to in map.grid().cells() {
            let point = map.grid().point(to);
            let expected = costs[(point.y * test.width() + point.x) as usize];
            let length = database.path_into(from, to, &mut path);
            let cost = length.map(|l| l.straight * rules.straight + l.diagonal * rules.diagonal);
            assert_eq!(
                cost,
                expected,
                "{what} {source} to {point}\n{}",
                test.to_text()
            );
            assert_eq!(
                database.distance(from, to).map(u64::from),
                expected,
                "{what}"
            );
            if expected.is_some() {
                let cells: Vec<_> = path.iter().map(|&c| map.grid().point(c)).collect();
                let cells: Vec<_> = cells.iter().map(|p| (p.x, p.y)).collect();
                let walked = check_path(test, rules, &cells).expect("legal moves");
                assert_eq!(Some(walked.cost), expected, "{what}");
            }
        }
    }
}

#[test]
fn every_pair_costs_what_the_oracle_says() {
    for seed in 0..60 {
        let (test, map) = random_map(seed, 1, 14);
        for encoding in Encoding::ALL {
            let database = built(&map, encoding);
            check_every_pair(&format!("seed {seed} {encoding:?}"), &test, &map, &database);
        }
    }
}

/// A test map in the corner of a grid of walls.
fn framed(test: &TestMap, side: u32, rules: MoveRules) -> Map {
    let grid = Grid::from_fn(side, side, |p| {
        p.x < test.width() && p.y < test.height() && test.is_open_at((p.x, p.y))
    });
    Map::new(grid.expect("a legal size"), rules)
}

/// The records as a builder hands them over.
fn data_of(database: &PathDatabase) -> Vec<u8> {
    let runs = match &database.records {
        database::Records::Table(bytes) | database::Records::Rectangles(_, bytes) => {
            return bytes.to_vec();
        }
        database::Records::Quadtree(words) => return bytemuck::cast_slice(words).to_vec(),
        database::Records::Runs(runs) => runs,
    };
    let mut data = Vec::new();
    for cell in database.grid().cells() {
        let first = database.first_rank_for(cell);
        for (start, symbol) in runs.view().records(database.row(cell)) {
            run_lengths::write((first + start) << 4 | symbol, &mut data);
        }
    }
    data
}

/// The same database with its runs in another width.
fn in_width(database: &PathDatabase, width: Width) -> PathDatabase {
    let database::Records::Runs(runs) = &database.records else {
        panic!("runs were asked for");
    };
    let mut data = Vec::new();
    for (start, symbol) in runs.view().records(0..database.records() as usize) {
        run_lengths::write(start << 4 | symbol, &mut data);
    }
    let mut other = database.clone();
    other.records = database::Records::Runs(PackedRuns::in_width(width, &database.counts(), &data));
    other
}

fn check_framed(what: &str, test: &TestMap, map: &Map, database: &PathDatabase) {
    for from in map.grid().cells() {
        let source = map.grid().point(from);
        let costs = distances(test, oracle_rules(map.rules()), (source.x, source.y));
        for to in map.grid().cells() {
            let goal = map.grid().point(to);
            assert_eq!(
                database.distance(from, to).map(u64::from),
                costs[(goal.y * test.width() + goal.x) as usize],
                "{what} {source} to {goal}\n{}",
                test.to_text()
            );
        }
    }
}

/// Run records take two, two and a half or four bytes: as built, as merged from shards and opened, and as patched, they answer as the
/// oracle does.
#[test]
fn run_records_of_every_width_answer_alike() {
    for seed in 0..12 {
        let (test, small) = random_map(7000 + seed, 6, 14);
        let mut after = test.clone();
        changed_map(&mut after, small.rules(), &mut TestRng::new(seed), 3);
        for (side, width) in [(64, Width::Short), (65, Width::Split), (257, Width::Long)] {
            let what = format!("seed {seed} {width:?}");
            let map = framed(&test, side, small.rules());
            let whole = built(&map, Encoding::Runs);
            let database::Records::Runs(runs) = &whole.records else {
                panic!("runs were asked for");
            };
            assert_eq!(runs.width(), Width::Short, "{what}");
            let wide = in_width(&whole, width);
            assert_eq!(wide.record_bytes() as u64, width.bytes(whole.records()));
            check_framed(&what, &test, &map, &wide);
            let artifact = Artifact::open(wide.to_bytes()).expect("just written");
            let wide = PathDatabase::open(&artifact, &map).expect("just written");
            check_framed(&what, &test, &map, &wide);
            let changed = framed(&after, side, small.rules());
            let patched = wide.patched(&changed, &NoProgress).expect("a small map");
            check_framed(&what, &after, &changed, &patched.database);
            let shards = [1, 2].map(|index| {
                let shard = Shard { index, count: 2 };
                let part = build(&map, &request(Encoding::Runs), shard, &NoProgress);
                Artifact::open(part.expect("a small map").to_bytes()).expect("just written")
            });
            let merged = file::merge(&shards).expect("all of them");
            assert_eq!(merged, whole.to_bytes(), "{what}");
            let artifact = Artifact::open(merged).expect("just written");
            let opened = PathDatabase::open(&artifact, &map).expect("just written");
            let map = framed(&after, side, small.rules());
            let patched = opened.patched(&map, &NoProgress).expect("a small map");
            check_framed(&what, &after, &map, &patched.database);
        }
    }
}

#[test]
fn redundancy_counts_rows_that_are_alike() {
    for seed in 0..12 {
        let map = random_map(8000 + seed, 4, 20).1;
        let database = built(&map, Encoding::Runs);
        let found = database.redundancy().expect("runs");
        let database::Records::Runs(runs) = &database.records else {
            panic!("runs were asked for");
        };
        let rows: Vec<Vec<_>> = map
            .grid()
            .cells()
            .map(|cell| runs.view().records(database.row(cell)).collect())
            .collect();
        let distinct: std::collections::BTreeSet<_> = rows.iter().collect();
        assert_eq!(found.rows, rows.len() as u64);
        assert_eq!(found.distinct_rows, distinct.len() as u64, "seed {seed}");
        let records: usize = distinct.iter().map(|row| row.len()).sum();
        assert_eq!(found.distinct_records, records as u64);
        assert!(found.as_differences <= found.records && found.as_one_difference <= found.records);
        assert!(found.as_a_neighbour <= found.rows - found.distinct_rows);
    }
    let map = random_map(1, 5, 9).1;
    assert_eq!(built(&map, Encoding::Table).redundancy(), None);
}

/// The composed builder and the one by definition must agree on every byte of every row.
#[test]
fn composed_rows_are_those_of_the_search() {
    for seed in 0..40 {
        let (test, map) = random_map(1000 + seed, 1, 26);
        let order = order::NodeOrder::depth_first(&map);
        for encoding in Encoding::ALL {
            let record_bytes = encoding.record_bytes(map.grid()).expect("a small map");
            let batches: Vec<_> = order
                .components()
                .map(|c| {
                    super::build::rows_by_search(&map, &order, encoding, c.clone(), c, &NoProgress)
                        .expect("a small map")
                })
                .collect();
            let expected = rows::RowBatch::join(&batches, record_bytes);
            let database = built(&map, encoding);
            let text = || format!("seed {seed} {encoding:?}\n{}", test.to_text());
            assert!(database.counts() == expected.counts, "{}", text());
            assert!(data_of(&database) == expected.data, "{}", text());
            // Tiles of another size change nothing.
            let graph =
                compose::CornerGraph::of(&map, &order, &NoProgress).expect("nobody cancels it");
            let tiles = compose::tiles(&map, &order, &graph, encoding, 64);
            let batches: Vec<_> = tiles
                .iter()
                .map(|t| {
                    compose::rows_of_tile(
                        &map,
                        &order,
                        &graph,
                        encoding,
                        record_bytes,
                        t,
                        &NoProgress,
                    )
                    .expect("nobody cancels it")
                })
                .collect();
            let tiled = rows::RowBatch::join(&batches, record_bytes);
            assert!(tiled == expected, "{}", text());
        }
    }
}

/// A map, some of its cells changed, at the same state count as a patch would leave it.
fn changed_map(test: &mut TestMap, rules: MoveRules, rng: &mut TestRng, cells: u32) -> Map {
    for _ in 0..cells {
        let (x, y) = (rng.below(test.width()), rng.below(test.height()));
        let open = test.is_open_at((x, y));
        test.set(x, y, !open);
    }
    engine_map(test, rules)
}

#[test]
fn patched_databases_answer_as_new_ones_do() {
    let mut kept = 0;
    for seed in 0..80 {
        let (mut test, map) = random_map(3000 + seed, 2, 16);
        let mut rng = TestRng::new(seed);
        let encoding = Encoding::ALL[(seed % 4) as usize];
        let mut database = built(&map, encoding);
        for round in 0..2 {
            let cells = 1 + rng.below(3);
            let map = changed_map(&mut test, map.rules(), &mut rng, cells);
            let patched = database.patched(&map, &NoProgress).expect("a small map");
            let what = format!("seed {seed} round {round} {encoding:?} patched");
            check_every_pair(&what, &test, &map, &patched.database);
            kept += map.grid().passable_count() - patched.rebuilt;
            // Rows that were built again, and all rows of tables, are those of a new build in the same order.
            let order = patched.database.order.clone();
            let record_bytes = encoding.record_bytes(map.grid()).expect("a small map");
            let batches: Vec<_> = order
                .components()
                .map(|c| {
                    super::build::rows_by_search(&map, &order, encoding, c.clone(), c, &NoProgress)
                        .expect("small")
                })
                .collect();
            let fresh = rows::RowBatch::join(&batches, record_bytes);
            if encoding == Encoding::Table {
                assert!(
                    data_of(&patched.database) == fresh.data,
                    "{what}\n{}",
                    test.to_text()
                );
            }
            // The file holds the order.
            let artifact = Artifact::open(patched.database.to_bytes()).expect("just written");
            database = PathDatabase::open(&artifact, &map).expect("just written");
            check_every_pair(&what, &test, &map, &database);
        }
    }
    assert!(kept > 0, "some rows are kept");
}

#[test]
fn a_patch_leaves_other_components_and_far_rooms_alone() {
    // Two islands; a cell of the left one is blocked.
    let test = TestMap::from_text("......@....\n......@....\n......@....\n......@....\n");
    let map = engine_map(&test, MoveRules::default());
    let mut after = test.clone();
    after.set(2, 2, false);
    let after_map = engine_map(&after, MoveRules::default());
    for encoding in Encoding::ALL {
        let patched = built(&map, encoding)
            .patched(&after_map, &NoProgress)
            .expect("a small map");
        assert!(patched.rebuilt <= 23, "{encoding:?} {}", patched.rebuilt);
        let same = patched
            .database
            .patched(&after_map, &NoProgress)
            .expect("no change");
        assert_eq!(same.rebuilt, 0);
        assert_eq!(same.database.to_bytes(), patched.database.to_bytes());
    }
}

#[test]
fn shards_merge_to_the_bytes_of_one_build_whatever_the_threads() {
    for seed in 0..3 {
        let map = random_map(40 + seed, 66, 76).1;
        for encoding in [Encoding::Runs, Encoding::Rectangles] {
            let request = request(encoding);
            let whole = build(&map, &request, Shard::WHOLE, &NoProgress).expect("a small map");
            let one_thread = rayon::ThreadPoolBuilder::new()
                .num_threads(1)
                .build()
                .expect("a pool");
            let alone = one_thread
                .install(|| build(&map, &request, Shard::WHOLE, &NoProgress))
                .expect("a small map");
            assert_eq!(whole.to_bytes(), alone.to_bytes(), "seed {seed}");
            let mut shards: Vec<_> = (1..=3)
                .map(|index| {
                    let shard = Shard { index, count: 3 };
                    let part = build(&map, &request, shard, &NoProgress).expect("a small map");
                    Artifact::open(part.to_bytes()).expect("just written")
                })
                .collect();
            for shard in &shards {
                let opened = open(shard, &map).expect("a shard opens as a shard");
                assert_eq!(opened.to_bytes().as_ref().len(), shard.len());
            }
            assert!(file::merge(&shards[..2]).is_err());
            shards.rotate_left(1);
            assert_eq!(file::merge(&shards).expect("all of them"), whole.to_bytes());
        }
        if seed == 0 {
            let bad = Shard { index: 4, count: 3 };
            assert!(build(&map, &request(Encoding::Runs), bad, &NoProgress).is_err());
        }
    }
}

#[test]
fn what_would_not_fit_is_refused_with_its_estimate() {
    let map = random_map(7, 40, 40).1;
    for encoding in Encoding::ALL {
        let request = request(encoding).with(PARAMETER_MAX_BYTES, 100);
        let error = PathDatabase::build(&map, &request, &NoProgress).expect_err("too large");
        let text = error.to_string();
        assert!(
            text.contains("would take about") && text.contains("max-bytes=100"),
            "{text}"
        );
    }
    let bad = IndexRequest::new(IndexKind::Cpd).with(PARAMETER_ENCODING, "zip");
    assert!(PathDatabase::build(&map, &bad, &NoProgress).is_err());
}

#[test]
fn estimates_are_near_the_truth_and_auto_takes_the_smallest() {
    for seed in 0..8 {
        let map = random_map(60 + seed, 20, 50).1;
        let order = order::NodeOrder::depth_first(&map);
        for encoding in Encoding::ALL {
            let estimate =
                estimate::bytes(&map, &order, encoding, &NoProgress).expect("a small map");
            let real = built(&map, encoding).to_bytes().as_ref().len() as u64;
            assert!(
                estimate < 2 * real + 1000,
                "seed {seed} {encoding:?}: {estimate} {real}"
            );
            assert!(
                real < 2 * estimate + 1000,
                "seed {seed} {encoding:?}: {estimate} {real}"
            );
        }
        let auto = PathDatabase::build(&map, &IndexRequest::new(IndexKind::Cpd), &NoProgress);
        let auto = auto.expect("a small map").to_bytes().as_ref().len();
        let runs = built(&map, Encoding::Runs).to_bytes().as_ref().len();
        assert!(auto <= runs + runs / 4, "seed {seed}: {auto} {runs}");
    }
}

/// Damaged bytes are refused by the checksum; bytes that were damaged and then sealed again must be refused or answer
/// with legal moves, and never panic or loop.
#[test]
fn corrupt_artifacts_are_refused_or_harmless() {
    for seed in 0..24 {
        let map = random_map(900 + seed, 3, 12).1;
        let encoding = Encoding::ALL[(seed % 4) as usize];
        let mut database = built(&map, encoding);
        if encoding == Encoding::Runs {
            let widths = [Width::Short, Width::Split, Width::Long];
            database = in_width(&database, widths[(seed / 4 % 3) as usize]);
        }
        let bytes = database.to_bytes();
        let mut rng = Rng::new(seed);
        for _ in 0..60 {
            let mut damaged = bytes.clone();
            let length = damaged.as_ref().len();
            let at = rng.below(length as u32) as usize;
            damaged.as_mut()[at] ^= 1 << rng.below(8);
            assert!(
                Artifact::open(damaged.clone()).is_err(),
                "seed {seed} byte {at}"
            );
            let body = length - 8;
            let sum = xxhash_rust::xxh3::xxh3_64(&damaged.as_ref()[..body]);
            damaged.as_mut()[body..].copy_from_slice(&sum.to_le_bytes());
            let Ok(artifact) = Artifact::open(damaged) else {
                continue;
            };
            let Ok(database) = PathDatabase::open(&artifact, &map) else {
                continue;
            };
            let mut path = Vec::new();
            for from in map.grid().cells() {
                for to in map.grid().cells() {
                    database.path_into(from, to, &mut path);
                    assert!(
                        map.path_length(&path).is_some(),
                        "seed {seed}: an illegal move"
                    );
                }
            }
        }
    }
}

/// Larger maps: sampled sources against the oracle, every stored move in the optimal set.
#[test]
fn samples_of_larger_maps_are_exact() {
    for seed in 0..5 {
        let (test, map) = random_map(seed, 60, 80);
        for encoding in [Encoding::Runs, Encoding::Rectangles] {
            check_samples(&format!("seed {seed}"), &test, &map, encoding, 12);
        }
    }
}

fn check_samples(what: &str, test: &TestMap, map: &Map, encoding: Encoding, samples: u32) {
    let database = built(map, encoding);
    let cells: Vec<_> = map.grid().cells().collect();
    let mut rng = Rng::new(1);
    let rules = oracle_rules(map.rules());
    for _ in 0..samples.min(cells.len() as u32) {
        let to = cells[rng.below(cells.len() as u32) as usize];
        let target = database.target(to).expect("passable");
        let point = map.grid().point(to);
        // Distances are the same both ways: one search from the target serves all sources.
        let costs = distances(test, rules, (point.x, point.y));
        let cost = |cell: Cell| {
            let p = map.grid().point(cell);
            costs[(p.y * test.width() + p.x) as usize]
        };
        for &from in &cells {
            let expected = cost(from);
            let found = database.first_move(from, &target);
            assert_eq!(found.is_some(), expected.is_some_and(|c| c > 0), "{what}");
            if let Some(d) = found {
                assert!(map.legal(from).contains(d), "{what}");
                let next = cost(map.grid().neighbour(from, d)).expect("a legal move");
                assert_eq!(
                    Some(next + u64::from(map.step_cost(from, d))),
                    expected,
                    "{what}"
                );
            }
        }
    }
}

/// Real maps, where `WAYPOST_MAPS` names a folder of them: the smaller ones, in the default encoding.
#[test]
fn real_maps_are_exact() {
    let Ok(folder) = std::env::var("WAYPOST_MAPS") else {
        eprintln!("skipped: set WAYPOST_MAPS to a folder of .map files");
        return;
    };
    for name in ["arena", "den312d", "lak303d"] {
        let Ok(bytes) = std::fs::read(format!("{folder}/{name}.map")) else {
            eprintln!("skipped: {name}.map is not there");
            continue;
        };
        let grid = crate::formats::map::parse(&bytes).expect("a map");
        let mut test = TestMap::filled(grid.width(), grid.height(), false);
        for cell in grid.cells() {
            let p = grid.point(cell);
            test.set(p.x, p.y, true);
        }
        let map = Map::new(grid, MoveRules::default());
        check_samples(name, &test, &map, Encoding::Runs, 20);
    }
}

/// Wants no more from the beginning, and notes what is begun all the same.
#[derive(Default)]
struct Stopped(std::sync::Mutex<Vec<String>>);

impl crate::progress::Progress for Stopped {
    fn begin(&self, stage: &str, _total: u64) {
        self.0.lock().expect("no panic").push(stage.to_string());
    }

    fn advance(&self, _parts: u64) {}

    fn is_cancelled(&self) -> bool {
        true
    }
}

#[test]
fn what_is_stopped_gets_no_further_than_its_first_look() {
    let (_, map) = random_map(3, 20, 30);
    for kind in [IndexKind::Cpd, IndexKind::Regions] {
        let stopped = Stopped::default();
        let built = build(&map, &IndexRequest::new(kind), Shard::WHOLE, &stopped);
        assert!(matches!(built, Err(BuildError::Cancelled)), "{kind:?}");
        let begun = stopped.0.into_inner().expect("no panic");
        assert_eq!(begun, Vec::<String>::new(), "{kind:?}");
    }
}

/// A map beyond what rows can be built for is refused before anything of its size is looked at, with a remedy.
#[test]
fn a_map_of_too_many_cells_is_refused_at_once() {
    let map = Map::new(
        Grid::from_fn(4097, 4097, |_| true).expect("a legal size"),
        MoveRules::default(),
    );
    let error = PathDatabase::build(&map, &request(Encoding::Runs), &NoProgress)
        .expect_err("more than 2^24 cells")
        .to_string();
    assert!(error.contains("expected at most 16777216"), "{error}");
    assert!(error.contains("use `labels` or `sectors`"), "{error}");
}

/// Distances that the builder cannot tell apart are refused, not guessed: one corridor of a million cells, folded up.
#[test]
fn a_map_of_too_long_paths_is_refused() {
    let side = 1501;
    let grid = Grid::from_fn(side, side, |p| {
        let turn = if p.y / 2 % 2 == 0 { side - 1 } else { 0 };
        p.y % 2 == 0 || p.x == turn
    });
    let map = Map::new(grid.expect("a legal size"), MoveRules::default());
    let order = order::NodeOrder::depth_first(&map);
    let error = compose::CornerGraph::of(&map, &order, &NoProgress)
        .expect_err("paths of more than 500,000 moves")
        .to_string();
    assert!(error.contains("use `labels` or `sectors`"), "{error}");
}
