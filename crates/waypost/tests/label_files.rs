//! Files of labels keep to the bytes that they were given: `fit-bytes` has the most hubs that they hold, `max-bytes` refuses a byte more.

use waypost::generate::{Kind, generate};
use waypost::grid::{Grid, MoveRules};
use waypost::index::{BuildError, Index, IndexKind, IndexRequest, Shard, build};
use waypost::progress::NoProgress;
use waypost::{Map, Point};

use std::sync::Arc;

fn labels(map: &Map, key: &str, bytes: u64) -> Result<Arc<dyn Index>, BuildError> {
    let request = IndexRequest::new(IndexKind::Labels).with(key, bytes);
    build(map, &request, Shard::WHOLE, &NoProgress)
}

fn length(index: &Arc<dyn Index>) -> u64 {
    index.to_bytes().as_ref().len() as u64
}

fn hubs(index: &Arc<dyn Index>) -> usize {
    let facts = index.facts();
    let hubs = facts.iter().find(|(name, _)| name == "hubs");
    hubs.and_then(|(_, count)| count.parse().ok())
        .expect("hubs")
}

fn rooms() -> Map {
    let grid = generate(Kind::Rooms, 120, 100, 1).expect("a legal size");
    Map::new(grid, MoveRules::default())
}

/// A hall so long that steps between its corners are kept in a list of their own: pillars at both ends, and walls in the middle of a row.
fn hall() -> Map {
    let is_pillar = |p: Point| p.y % 4 == 2 && (p.x % 3 == 1) && !(12..19_988).contains(&p.x);
    let grid = Grid::from_fn(20_000, 13, |p| !is_pillar(p)).expect("a legal size");
    Map::new(grid, MoveRules::default())
}

/// Every file fits, and one that would just fit with a hub more has it.
fn fits(map: &Map, lengths: impl Iterator<Item = u64>) {
    let mut known: Vec<(u64, u64, usize)> = Vec::new();
    for bytes in lengths {
        let Ok(index) = labels(map, "fit-bytes", bytes) else {
            continue;
        };
        assert!(length(&index) <= bytes, "{} of {bytes}", length(&index));
        known.push((bytes, length(&index), hubs(&index)));
    }
    assert!(known.len() > 3, "{known:?}");
    for &(bytes, _, hubs) in &known {
        let better = known
            .iter()
            .find(|other| other.1 <= bytes && other.2 > hubs);
        assert_eq!(better, None, "{bytes} bytes have {hubs} hubs");
    }
}

#[test]
fn labels_of_some_hubs_fit_their_file() {
    let map = rooms();
    let (first, whole) = (
        20_000,
        length(&labels(&map, "max-bytes", 1 << 27).expect("labels")),
    );
    assert!(whole > 250_000, "{whole}");
    fits(
        &map,
        (first..whole)
            .step_by(9_973)
            .chain([279_885, 301_654, whole - 1, whole]),
    );
}

#[test]
fn steps_in_lists_of_their_own_are_counted() {
    let map = hall();
    let whole = length(&labels(&map, "max-bytes", 1 << 27).expect("labels"));
    fits(&map, (2_000..whole + 8).step_by(397));
}

#[test]
fn files_that_pass_the_limit_are_refused() {
    let open = Grid::from_fn(40, 30, |_| true).expect("a legal size");
    for map in [rooms(), hall(), Map::new(open, MoveRules::default())] {
        let whole = length(&labels(&map, "max-bytes", 999_999).expect("labels"));
        let exact = labels(&map, "max-bytes", whole).expect("so many bytes");
        assert_eq!(length(&exact), whole);
        for bytes in [1, whole - 1] {
            let refused = labels(&map, "max-bytes", bytes).map(|index| length(&index));
            let text = refused.expect_err("too few").to_string();
            assert!(text.contains(&bytes.to_string()), "{text}");
            let refused = labels(&map, "fit-bytes", bytes).map(|index| length(&index));
            assert!(refused.is_err() || refused.is_ok_and(|length| length <= bytes));
        }
    }
}
