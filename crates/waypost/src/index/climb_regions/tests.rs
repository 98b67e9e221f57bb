use super::partition::CLIMB;
use super::*;
use crate::artifact::MAGIC;
use crate::grid::MoveRules;
use crate::hierarchy::testing::{arrives, cells_of, test_map, two_cells};
use crate::methods::hcdps::{Hcdps, HcdpsParams};
use crate::progress::NoProgress;
use crate::rng::Rng;
use crate::search::hill_climb::climb;
use crate::space::Space;
use xxhash_rust::xxh3::xxh3_64;

fn built(map: &Map, seed: u64) -> ClimbRegions {
    ClimbRegions::build(map, Cut::Climbs { seed }, &NoProgress).expect("a small map")
}

fn by_sectors(map: &Map, side: u32, levels: u32) -> ClimbRegions {
    let cut = Cut::Sectors { side, levels };
    ClimbRegions::build(map, cut, &NoProgress).expect("a small map")
}

/// What climbing from cell to cell costs; every climb must arrive within the cap.
fn climbed(map: &Map, cells: &[Cell], what: &str) -> u64 {
    let mut path = vec![cells[0]];
    for pair in cells.windows(2) {
        let end = climb(map, pair[0], pair[1], CLIMB, |cell| path.push(cell));
        assert!(end.reached, "{what}: {:?} to {:?}", pair[0], pair[1]);
    }
    let (moves, costs) = (map.path_length(&path).expect("legal"), map.rules().costs);
    moves.straight * u64::from(costs.straight()) + moves.diagonal * u64::from(costs.diagonal())
}

#[test]
fn every_cell_and_its_seed_climb_to_each_other() {
    for seed in 0..60 {
        let map = test_map(seed, 2, 60, MoveRules::ALL[seed as usize % 6]);
        let regions = built(&map, seed);
        for cell in map.grid().cells() {
            let (region, looks) = regions.region(&map, cell);
            assert!(u64::from(looks) <= regions.most_looks());
            let root = regions.seed(region).expect("a region");
            climbed(&map, &[cell, root, cell], &format!("seed {seed}"));
        }
    }
}

/// The parts of a sector that its own cells connect, each with one of its cells in the middle.
#[test]
fn regions_of_sectors_are_connected_within_them() {
    for seed in 0..60 {
        let map = test_map(seed, 2, 60, MoveRules::ALL[seed as usize % 6]);
        let side = [4, 7, 16][seed as usize % 3];
        let regions = by_sectors(&map, side, 1);
        for cell in map.grid().cells() {
            let region = |cell| regions.region(&map, cell).0;
            let middle = regions.seed(region(cell)).expect("a region");
            let sector = sector_cut::sector_of(&map, cell, side);
            let what = format!("seed {seed}, {cell:?}");
            assert_eq!(region(middle), region(cell), "{what}");
            assert_eq!(sector_cut::sector_of(&map, middle, side), sector, "{what}");
            for direction in map.legal(cell) {
                let next = map.grid().neighbour(cell, direction);
                let inside = sector_cut::sector_of(&map, next, side) == sector;
                assert_eq!(region(next) == region(cell), inside, "{what}");
            }
        }
    }
}

/// Chains lead to all regions within so many steps from region to region, and to no others.
#[test]
fn levels_reach_as_many_regions_away() {
    let map = test_map(11, 40, 60, MoveRules::default());
    let [near, far] = [1, 2].map(|levels| by_sectors(&map, 8, levels));
    let of = |regions: &ClimbRegions, region: u32| {
        let edges = regions.edges(region);
        regions.targets[edges.start as usize..edges.end as usize].to_vec()
    };
    for region in 0..near.region_count() as u32 {
        let mut expected = of(&near, region);
        for next in of(&near, region) {
            expected.extend(of(&near, next));
        }
        expected.sort_unstable();
        expected.dedup();
        expected.retain(|&to| to != region);
        assert_eq!(of(&far, region), expected);
    }
}

/// Hops against all pairs by the textbook's three loops over the costs of chains.
#[test]
fn routes_are_the_cheapest_that_chains_make() {
    for seed in 0..40 {
        let map = test_map(seed, 2, 36, MoveRules::ALL[seed as usize % 6]);
        let regions = match seed % 3 {
            0 => by_sectors(&map, 8, 1 + seed as u32 % 2),
            _ => built(&map, seed),
        };
        let count = regions.region_count();
        let what = format!("seed {seed}");
        let mut best = vec![vec![u64::MAX / 4; count]; count];
        for (from, row) in best.iter_mut().enumerate() {
            row[from] = 0;
            for edge in regions.edges(from as u32) {
                let to = regions.targets[edge as usize] as usize;
                let mut cells = vec![regions.seeds[from]];
                cells.extend(regions.chain(edge as usize));
                cells.push(regions.seeds[to]);
                row[to] = climbed(&map, &cells, &what);
            }
        }
        let edges = best.clone();
        for middle in 0..count {
            for from in 0..count {
                for to in 0..count {
                    let over = best[from][middle] + best[middle][to];
                    best[from][to] = best[from][to].min(over);
                }
            }
        }
        for (from, row) in best.iter().enumerate() {
            for (to, &cheapest) in row.iter().enumerate() {
                let linked = map.connected(regions.seeds[from], regions.seeds[to]);
                let hop = regions.hop(from as u32, to as u32);
                assert_eq!(
                    hop.is_some(),
                    linked && from != to,
                    "{what}: {from} to {to}"
                );
                if let Some((next, _)) = hop {
                    let through = edges[from][next as usize] + best[next as usize][to];
                    assert_eq!(through, cheapest, "{what}: {from} to {to}");
                }
            }
        }
    }
}

/// Every pair of neighbouring cells of two regions makes them neighbours.
#[test]
fn regions_that_touch_are_neighbours() {
    let map = test_map(11, 40, 60, MoveRules::default());
    let regions = built(&map, 5);
    for cell in map.grid().cells() {
        let from = regions.region(&map, cell).0;
        for direction in map.legal(cell) {
            let to = regions
                .region(&map, map.grid().neighbour(cell, direction))
                .0;
            let edges = regions.edges(from);
            let list = &regions.targets[edges.start as usize..edges.end as usize];
            assert_eq!(from != to, list.contains(&to));
        }
    }
}

#[test]
fn artifacts_come_back_the_same_on_any_number_of_threads() {
    let map = test_map(7, 60, 90, MoveRules::default());
    let bytes = [1, 2, 5].map(|threads| {
        let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build();
        pool.expect("a pool").install(|| built(&map, 3).to_bytes())
    });
    assert!(bytes.iter().all(|other| other == &bytes[0]));
    assert_ne!(built(&map, 4).to_bytes(), bytes[0]);
    let artifact = Artifact::open(bytes[0].clone()).expect("a good artifact");
    let opened = crate::index::open(&artifact, &map).expect("the same map");
    assert_eq!(opened.to_bytes(), bytes[0]);
    let other = test_map(8, 60, 90, MoveRules::default());
    let error = crate::index::open(&artifact, &other).expect_err("another map");
    assert!(matches!(error, ArtifactError::WrongMap { .. }), "{error}");
}

#[test]
fn every_flipped_byte_is_refused() {
    let map = test_map(5, 20, 30, MoveRules::default());
    let good = built(&map, 1).to_bytes();
    for at in 0..good.as_ref().len() {
        let mut bytes = good.clone();
        bytes.as_mut()[at] ^= 0x41;
        assert!(Artifact::open(bytes).is_err(), "byte {at}");
    }
}

/// Damage with a right checksum: whatever opens must be usable, and agents on it must arrive.
#[test]
fn damaged_contents_are_refused_or_harmless() {
    let map = test_map(5, 30, 40, MoveRules::default());
    let good = built(&map, 1).to_bytes();
    let cells = cells_of(&map);
    let mut rng = Rng::new(8);
    let mut refused = 0;
    for round in 0..600 {
        let mut bytes = good.clone();
        let raw = bytes.as_mut();
        let body = raw.len() - 8;
        let at = MAGIC.len() + rng.below((body - MAGIC.len()) as u32) as usize;
        raw[at] = raw[at].wrapping_add(1 + rng.below(255) as u8);
        let checksum = xxh3_64(&raw[..body]);
        raw[body..].copy_from_slice(&checksum.to_le_bytes());
        let opened = Artifact::open(bytes).and_then(|a| ClimbRegions::open(&a, &map));
        let Ok(regions) = opened else {
            refused += 1;
            continue;
        };
        let mut agent = Hcdps::new(Arc::new(regions), HcdpsParams::default());
        let ends = two_cells(&mut rng, &cells);
        arrives(&map, &mut agent, ends, u64::MAX, &format!("round {round}"));
    }
    assert!(refused > 50, "{refused} refused");
}
