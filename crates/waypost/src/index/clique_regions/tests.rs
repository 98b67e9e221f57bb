use super::*;
use crate::artifact::MAGIC;
use crate::grid::{Corners, Grid, MoveRules};
use crate::hierarchy::Hierarchy;
use crate::hierarchy::testing::test_map;
use crate::progress::NoProgress;
use crate::rng::Rng;
use crate::search::{AStar, PathSearch};
use crate::space::Space;
use xxhash_rust::xxh3::xxh3_64;

#[test]
fn regions_are_the_nodes_of_the_level() {
    for seed in 0..60 {
        let rules = MoveRules::ALL[seed as usize % 6];
        let map = test_map(seed, 3, 50, rules);
        let hierarchy = Hierarchy::build(&map);
        for level in 1..=hierarchy.height() {
            let database = RegionDatabase::build(&map, Some(level), &NoProgress).expect("built");
            let mut node_of = vec![None; database.region_count()];
            for cell in map.grid().cells() {
                let region = database.region(&map, cell).0;
                let node = hierarchy.ancestor(cell, level);
                let known = node_of[region as usize].get_or_insert(node);
                assert_eq!(*known, node, "seed {seed}, level {level}, {cell:?}");
                let looks = database.region(&map, cell).1;
                assert!(u64::from(looks) <= database.most_looks());
            }
            let mut nodes: Vec<_> = node_of.into_iter().map(|n| n.expect("used")).collect();
            nodes.sort_unstable();
            assert!(nodes.windows(2).all(|w| w[0] != w[1]), "seed {seed}");
            for region in 0..database.region_count() as u32 {
                let cell = database.representative(region);
                assert_eq!(database.region(&map, cell).0, region, "seed {seed}");
            }
        }
    }
}

#[test]
fn entries_are_where_a_shortest_path_leaves_the_region() {
    let mut astar = AStar::new();
    for seed in 0..25 {
        let rules = MoveRules::ALL[seed as usize % 6];
        let map = test_map(seed, 10, 30, rules);
        let Ok(database) = RegionDatabase::build(&map, Some(2), &NoProgress) else {
            continue;
        };
        let count = database.region_count() as u32;
        for (from, to) in (0..count).flat_map(|a| (0..count).map(move |b| (a, b))) {
            let [start, end] = [from, to].map(|r| database.representative(r));
            let entry = database.entry(from, to);
            assert_eq!(entry.is_some(), from != to && map.connected(start, end));
            let Some(entry) = entry else { continue };
            assert_ne!(database.region(&map, entry).0, from, "seed {seed}");
            let mut distance = |a, b| u64::from(astar.distance(&map, a, b).expect("connected"));
            let through = distance(start, entry) + distance(entry, end);
            assert_eq!(through, distance(start, end), "seed {seed}, {from} to {to}");
        }
    }
}

#[test]
fn artifacts_come_back_the_same_on_any_number_of_threads() {
    let map = test_map(7, 40, 60, MoveRules::default());
    let bytes = [1, 4].map(|threads| {
        let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build();
        pool.expect("a pool").install(|| {
            RegionDatabase::build(&map, None, &NoProgress)
                .expect("built")
                .to_bytes()
        })
    });
    assert_eq!(bytes[0], bytes[1]);
    let artifact = Artifact::open(bytes[0].clone()).expect("a good artifact");
    let opened = crate::index::open(&artifact, &map).expect("the same map");
    assert_eq!(opened.to_bytes(), bytes[0]);
}

#[test]
fn other_maps_rules_and_levels_are_refused() {
    let map = test_map(2, 30, 40, MoveRules::default());
    let bytes = RegionDatabase::build(&map, Some(2), &NoProgress)
        .expect("built")
        .to_bytes();
    let artifact = Artifact::open(bytes).expect("a good artifact");
    let other = test_map(3, 30, 40, MoveRules::default());
    let error = crate::index::open(&artifact, &other).expect_err("another map");
    assert!(matches!(error, ArtifactError::WrongMap { .. }), "{error}");
    let rules = MoveRules {
        corners: Corners::One,
        ..MoveRules::default()
    };
    let error = crate::index::open(&artifact, &Map::new(map.grid().clone(), rules));
    assert!(matches!(error, Err(ArtifactError::WrongRules { .. })));
    let error = RegionDatabase::build(&map, Some(40), &NoProgress).expect_err("too high");
    assert!(error.to_string().contains("`level=40`"), "{error}");
    assert!(error.to_string().contains("expected at most"), "{error}");
}

#[test]
fn tables_beyond_the_limit_are_refused() {
    let grid = Grid::from_fn(300, 300, |_| true).expect("a legal size");
    let map = Map::new(grid, MoveRules::default());
    let error = RegionDatabase::build(&map, Some(1), &NoProgress).expect_err("too many");
    assert!(
        error.to_string().contains("choose a higher level"),
        "{error}"
    );
}

/// Damage with a right checksum: whatever opens must be usable without a panic.
#[test]
fn damaged_contents_are_refused_or_harmless() {
    let map = test_map(5, 30, 40, MoveRules::default());
    let good = RegionDatabase::build(&map, Some(2), &NoProgress)
        .expect("built")
        .to_bytes();
    let mut rng = Rng::new(8);
    let mut refused = 0;
    for _ in 0..1000 {
        let mut bytes = good.clone();
        let raw = bytes.as_mut();
        let body = raw.len() - 8;
        let at = MAGIC.len() + rng.below((body - MAGIC.len()) as u32) as usize;
        raw[at] = raw[at].wrapping_add(1 + rng.below(255) as u8);
        let checksum = xxh3_64(&raw[..body]);
        raw[body..].copy_from_slice(&checksum.to_le_bytes());
        let opened = Artifact::open(bytes).and_then(|a| RegionDatabase::open(&a, &map));
        let Ok(database) = opened else {
            refused += 1;
            continue;
        };
        for cell in map.grid().cells() {
            let region = database.region(&map, cell).0;
            let _ = database.entry(region, 0);
        }
    }
    assert!(refused > 100, "{refused} refused");
}
