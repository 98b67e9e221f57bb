use super::*;
use crate::artifact::{AlignedBytes, Artifact, ArtifactError};
use crate::grid::{Cell, Grid, MoveRules};
use crate::index::{self, open};
use crate::progress::NoProgress;
use crate::rng::Rng;
use crate::search::hill_climb::climb;
use crate::space::{ExplicitGraph, Space};
use waypost_testkit::{TestMap, shapes};
use xxhash_rust::xxh3::xxh3_64;

fn map_of(picture: &TestMap, rules: MoveRules) -> Map {
    let grid = Grid::from_fn(picture.width(), picture.height(), |p| {
        picture.is_open_at((p.x, p.y))
    });
    Map::new(grid.expect("a legal size"), rules)
}

fn request(records: u32) -> IndexRequest {
    IndexRequest::new(IndexKind::Subgoals)
        .with("records", records)
        .with("seed", 7)
}

fn built(map: &Map, request: &IndexRequest) -> Result<Arc<dyn Index>, BuildError> {
    index::build(map, request, Shard::WHOLE, &NoProgress)
}

fn states_of(records: &Records, record: u32) -> Vec<Cell> {
    let slices = records.slices();
    (0..slices.state_count(record))
        .map(|position| slices.state(record, position))
        .collect()
}

#[test]
fn climbing_leads_from_state_to_state_of_every_record() {
    for seed in 0..60 {
        let picture = shapes::any(seed, 4, 50);
        let map = map_of(&picture, MoveRules::ALL[seed as usize % 6]);
        for method in [Method::Jair2010, Method::Aiide2009] {
            let parameters = SubgoalParameters {
                records: 40,
                seed,
                scope: Scope::All,
                method,
                draw: [Draw::Random, Draw::Uncovered, Draw::Regions][seed as usize / 6 % 3],
                ..SubgoalParameters::default()
            };
            // Maps of crumbs have no path of three states.
            let Ok(database) = SubgoalDatabase::build(&map, &parameters, Shard::WHOLE, &NoProgress)
            else {
                continue;
            };
            for record in 0..40 {
                let states = states_of(database.cases(), record);
                let last = match method {
                    Method::Jair2010 => states.len(),
                    Method::Aiide2009 => states.len() - 1,
                };
                let (start, end) = (states[0], states[states.len() - 1]);
                assert!(map.connected(start, end) && map.legal_step(start, end).is_none());
                for step in states[..last].windows(2) {
                    let climb = climb(&map, step[0], step[1], u32::MAX, |_| {});
                    assert!(climb.reached, "seed {seed}, {states:?}\n{picture}");
                }
            }
        }
    }
}

#[test]
fn threads_and_shards_do_not_change_a_byte() {
    for (seed, method, draw) in [
        (3, "2010", "random"),
        (4, "2009", "random"),
        (5, "2010", "random"),
        (5, "2010", "uncovered"),
        (6, "2010", "regions"),
    ] {
        let map = map_of(&shapes::any(seed, 40, 90), MoveRules::default());
        let request = request(301).with("method", method).with("draw", draw);
        let with_threads = |threads| {
            let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build();
            let build = || built(&map, &request).expect("a suitable map").to_bytes();
            pool.expect("threads").install(build)
        };
        let whole = with_threads(1);
        assert_eq!(whole, with_threads(2));
        for count in [2, 4, 7] {
            let mut shards: Vec<Artifact> = (1..=count)
                .map(|index| {
                    let shard = Shard { index, count };
                    let part = index::build(&map, &request, shard, &NoProgress);
                    Artifact::open(part.expect("a suitable map").to_bytes()).expect("readable")
                })
                .collect();
            for shard in &shards {
                open(shard, &map).expect("a shard can be opened and checked");
            }
            Rng::new(count.into()).shuffle(&mut shards);
            assert_eq!(file::merge(&shards).as_ref(), Ok(&whole), "{count} shards");
            assert!(file::merge(&shards[1..]).is_err());
            let double = [&shards[..], &shards[..1]].concat();
            assert!(file::merge(&double).is_err());
        }
        let alone = Artifact::open(whole.clone()).expect("readable");
        assert_eq!(file::merge(&[alone]), Ok(whole));
    }
}

#[test]
fn shards_of_different_builds_are_refused() {
    let map = map_of(&shapes::any(3, 40, 60), MoveRules::default());
    let part = |seed: u64, index| {
        let shard = Shard { index, count: 2 };
        let request = request(20).with("seed", seed);
        let part = index::build(&map, &request, shard, &NoProgress).expect("a suitable map");
        Artifact::open(part.to_bytes()).expect("readable")
    };
    assert!(file::merge(&[part(1, 1), part(1, 2)]).is_ok());
    assert!(file::merge(&[part(1, 1), part(2, 2)]).is_err());
    assert!(file::merge(&[]).is_err());
}

#[test]
fn a_file_gives_back_the_database() {
    let map = map_of(&shapes::any(8, 30, 60), MoveRules::default());
    for records in [0, 1, 33, 200] {
        let database = built(&map, &request(records)).expect("a suitable map");
        let bytes = database.to_bytes();
        let artifact = Artifact::open(bytes.clone()).expect("readable");
        let opened = open(&artifact, &map).expect("its own map");
        assert_eq!(opened.to_bytes(), bytes);
        assert_eq!(opened.records(), u64::from(records));
        assert_eq!(opened.parameters(), database.parameters());
        assert_eq!(opened.facts(), database.facts());
    }
}

#[test]
fn databases_take_little_more_than_four_bytes_a_state() {
    // On open ground records have two states, the least there can be.
    let open = map_of(&TestMap::filled(40, 40, true), MoveRules::default());
    let maze = map_of(&shapes::any(8, 60, 90), MoveRules::default());
    for map in [open, maze] {
        let parameters = SubgoalParameters::default();
        let database = SubgoalDatabase::build(&map, &parameters, Shard::WHOLE, &NoProgress)
            .expect("a suitable map");
        let file = database.to_bytes().as_ref().len();
        let states = database.cases().states();
        assert!(
            file * 10 <= states * 4 * 13,
            "{file} bytes, {states} states"
        );
    }
}

#[test]
fn unsuitable_maps_and_values_are_refused() {
    let crumbs = TestMap::from_text("..@.\n@@@@\n.@..");
    let map = map_of(&crumbs, MoveRules::default());
    for component in ["largest", "all"] {
        let refused = built(&map, &request(5).with("component", component));
        assert!(matches!(refused, Err(BuildError::Unsuitable { .. })));
    }
    assert!(built(&map, &request(0)).is_ok());
    let walls = map_of(&TestMap::filled(4, 4, false), MoveRules::default());
    assert!(built(&walls, &request(1)).is_err());
    for (key, value) in [
        ("records", "-1"),
        ("records", "16777217"),
        ("component", "small"),
        ("method", "2011"),
        ("draw", "lots"),
        ("colour", "red"),
    ] {
        let refused = built(&map, &request(0).with(key, value));
        assert!(
            matches!(refused, Err(BuildError::BadParameter { .. })),
            "{key}={value}"
        );
    }
    for (index, count) in [(0, 1), (2, 1), (3, 2), (0, 0)] {
        let shard = Shard { index, count };
        assert!(index::build(&map, &request(0), shard, &NoProgress).is_err());
    }
}

#[test]
fn records_come_from_the_components_asked_for() {
    let mut picture = TestMap::filled(30, 20, true);
    picture.set_rectangle(20, 0, 1, 20, false);
    let map = map_of(&picture, MoveRules::default());
    let largest = map.components().largest();
    let in_largest = |component: &str| {
        let parameters = SubgoalParameters::of(&request(200).with("component", component));
        let parameters = parameters.expect("good values");
        let database = SubgoalDatabase::build(&map, &parameters, Shard::WHOLE, &NoProgress);
        let records = database.expect("a suitable map").cases().clone();
        let ends = records.slices().ends;
        ends.iter()
            .filter(|pair| map.components().of(pair[0]) == largest)
            .count()
    };
    assert_eq!(in_largest("largest"), 200);
    // (20 * 20)^2 pairs against (9 * 20)^2: five in six.
    assert!((140..190).contains(&in_largest("all")));
}

/// A small artifact in which every bit is flipped and which is cut at every length.
#[test]
fn no_damage_goes_unnoticed() {
    let map = map_of(&shapes::any(2, 12, 20), MoveRules::default());
    let good = built(&map, &request(3)).expect("a suitable map").to_bytes();
    let bytes = good.as_ref();
    let opens = |bytes: Vec<u8>| Artifact::open(bytes).and_then(|a| open(&a, &map)).is_ok();
    assert!(opens(bytes.to_vec()));
    for at in 0..bytes.len() {
        for bit in 0..8 {
            let mut bad = bytes.to_vec();
            bad[at] ^= 1 << bit;
            assert!(!opens(bad), "bit {bit} of byte {at}");
        }
        assert!(!opens(bytes[..at].to_vec()), "cut at {at}");
    }
}

/// Damage with a right checksum: whatever still opens can be used to the last state.
#[test]
fn forged_files_never_cause_a_panic() {
    let map = map_of(&shapes::any(2, 12, 20), MoveRules::default());
    let good = built(&map, &request(40))
        .expect("a suitable map")
        .to_bytes();
    let (mut opened, mut refused) = (0, 0);
    for seed in 0..20_000 {
        let mut rng = Rng::for_item(99, seed);
        let mut forged = good.as_ref().to_vec();
        for _ in 0..rng.between(1, 3) {
            let at = rng.below(forged.len() as u32 / 2) as usize * 2;
            let value = match rng.below(5) {
                0 => 0,
                1 => u16::MAX,
                2 => rng.below(4) as u16,
                3 => u16::from_le_bytes([forged[at], forged[at + 1]]).wrapping_add(1),
                _ => rng.next_u64() as u16,
            };
            forged[at..at + 2].copy_from_slice(&value.to_le_bytes());
        }
        let body = forged.len() - 8;
        let checksum = xxh3_64(&forged[..body]);
        forged[body..].copy_from_slice(&checksum.to_le_bytes());
        let outcome = Artifact::open(forged).and_then(|artifact| {
            let _ = file::merge(std::slice::from_ref(&artifact));
            file_open(&artifact, &map)
        });
        let Ok(database) = outcome else {
            refused += 1;
            continue;
        };
        opened += 1;
        for record in 0..database.cases().len() as u32 {
            let states = states_of(database.cases(), record);
            assert!(states.iter().all(|&state| map.contains(state)));
            assert!(
                states
                    .windows(2)
                    .all(|pair| map.connected(pair[0], pair[1]))
            );
        }
    }
    assert!(
        opened > 50 && refused > 5000,
        "{opened} opened, {refused} refused"
    );
}

fn file_open(artifact: &Artifact, map: &Map) -> Result<SubgoalDatabase, ArtifactError> {
    artifact.check(IndexKind::Subgoals, map)?;
    file::open(artifact, map)
}

#[test]
fn other_maps_and_rules_are_refused() {
    let picture = shapes::any(2, 12, 20);
    let map = map_of(&picture, MoveRules::default());
    let bytes: AlignedBytes = built(&map, &request(3)).expect("a suitable map").to_bytes();
    let artifact = Artifact::open(bytes).expect("readable");
    let other_rules = map_of(&picture, MoveRules::ALL[4]);
    assert!(matches!(
        open(&artifact, &other_rules),
        Err(ArtifactError::WrongRules { .. })
    ));
    let other_map = map_of(&shapes::any(3, 12, 20), MoveRules::default());
    assert!(matches!(
        open(&artifact, &other_map),
        Err(ArtifactError::WrongMap { .. })
    ));
}

#[test]
fn graphs_have_records_too() {
    let mut rng = Rng::new(12);
    let positions: Vec<[i32; 2]> = (0..120)
        .map(|_| [0; 2].map(|_| rng.below(1000) as i32))
        .collect();
    let edges: Vec<(u32, u32, u32)> = (0..400)
        .map(|_| (rng.below(120), rng.below(120), rng.between(500, 3000)))
        .collect();
    let graph = ExplicitGraph::new(positions, &edges).expect("a good graph");
    let parameters = SubgoalParameters {
        records: 100,
        ..SubgoalParameters::default()
    };
    let records = build_on_graph(&graph, &parameters, &NoProgress).expect("connected pairs");
    assert_eq!(records.len(), 100);
    for record in 0..100 {
        for step in states_of(&records, record).windows(2) {
            let neighbours = graph.edge_cost(step[0], step[1]).is_some();
            assert!(neighbours || climb(&graph, step[0], step[1], u32::MAX, |_| {}).reached);
        }
    }
}

/// A field with chambers whose doors face away from it: few random problems begin or end in one.
fn chambers() -> TestMap {
    let mut picture = TestMap::filled(122, 80, true);
    for left in (1..120).step_by(12) {
        picture.set_rectangle(left, 68, 9, 9, false);
        picture.set_rectangle(left + 1, 69, 7, 7, true);
        picture.set(left + 4, 76, true);
    }
    picture
}

#[test]
fn guided_records_leave_fewer_problems_uncovered() {
    let map = map_of(&chambers(), MoveRules::default());
    let uncovered = |draw| {
        let parameters = SubgoalParameters {
            records: 300,
            draw,
            ..SubgoalParameters::default()
        };
        let database = SubgoalDatabase::build(&map, &parameters, Shard::WHOLE, &NoProgress)
            .expect("a suitable map");
        let mut list = RecordList::default();
        list.append_records(database.cases());
        let guide = coverage::Guide::new(&map, &list).expect("records");
        let cells: Vec<Cell> = map.grid().cells().collect();
        let (mut rng, mut best) = (Rng::new(77), Vec::new());
        let climbs = |from, to, cap| climb(&map, from, to, cap, |_| {}).reached;
        (0..2000)
            .filter(|_| {
                let ends = [0; 2].map(|_| cells[rng.below(cells.len() as u32) as usize]);
                map.connected(ends[0], ends[1]) && !guide.covers(&map, climbs, ends, &mut best)
            })
            .count()
    };
    let (random, guided) = (uncovered(Draw::Random), uncovered(Draw::Uncovered));
    assert!(guided * 5 < random * 4, "{guided} guided, {random} random");
}

/// Every cell climbs to the seed of some region and back, and with room for all pairs of seeds each of them has a record.
#[test]
fn regions_cover_the_map_and_their_pairs_have_records() {
    let map = map_of(&chambers(), MoveRules::default());
    let climbs = |from, to, cap| climb(&map, from, to, cap, |_| {}).reached;
    let cells: Vec<Cell> = map.grid().cells().collect();
    let seeds =
        crate::index::climb_regions::partition::partition(&map, cells.clone(), climbs, 5).seeds;
    assert!(seeds.len() > 10, "{} regions", seeds.len());
    for &cell in &cells {
        let covered = seeds
            .iter()
            .any(|&seed| climbs(cell, seed, 250) && climbs(seed, cell, 250));
        assert!(covered, "{cell:?}");
    }
    let pairs = (seeds.len() * (seeds.len() - 1)) as u64;
    let mut rng = Rng::new(1);
    let mut drawn: Vec<_> = (0..pairs)
        .filter_map(|number| pairs::pair_of(&seeds, number, pairs, &mut rng))
        .collect();
    drawn.sort_unstable();
    drawn.dedup();
    assert_eq!(drawn.len() as u64, pairs);
    assert!(drawn.iter().all(|(from, to)| from != to));
}

#[test]
fn figure_4_of_2009_stores_failures_alone() {
    let picture = shapes::any(3, 30, 50);
    let map = map_of(&picture, MoveRules::default());
    let easy = |store| {
        let parameters = SubgoalParameters {
            records: 60,
            method: Method::Aiide2009,
            store,
            ..SubgoalParameters::default()
        };
        let database = SubgoalDatabase::build(&map, &parameters, Shard::WHOLE, &NoProgress);
        let database = database.expect("the map has paths");
        let records = database.cases().slices();
        (0..60)
            .filter(|&record| {
                let last = records.state_count(record) - 1;
                records.state(record, 1) == records.state(record, last)
            })
            .count()
    };
    assert!(
        easy(Store::Farthest) > 0,
        "the text's rule stores goals too"
    );
    assert_eq!(easy(Store::Failures), 0);
}
