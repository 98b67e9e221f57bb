//! Hole 11: index files that somebody made up, with a right checksum, are refused where the lie can be seen in the file.
//! `waypost-attack` forges at random and walks with what still opens.

use std::time::{Duration, Instant};
use waypost::artifact::Artifact;
use waypost::generate::{Kind, generate};
use waypost::index::{self, IndexKind, IndexRequest, Shard};
use waypost::progress::NoProgress;
use waypost::{Grid, Map, MoveRules};
use xxhash_rust::xxh3::xxh3_64;

/// A file whose words can be changed.
struct Forgery {
    map: Map,
    bytes: Vec<u8>,
}

impl Forgery {
    fn of(map: Map, kind: IndexKind) -> Forgery {
        let request = IndexRequest::new(kind);
        let built = index::build(&map, &request, Shard::WHOLE, &NoProgress).expect("an index");
        let bytes = built.to_bytes().as_ref().to_vec();
        Forgery { map, bytes }
    }

    fn word(&self, at: usize) -> u32 {
        let bytes = &self.bytes[at..at + 4];
        u32::from_le_bytes(bytes.try_into().expect("four bytes"))
    }

    /// Where a section's words lie.
    fn section(&self, tag: u32) -> Vec<usize> {
        let sections = self.word(40) as usize;
        let entry = (0..sections)
            .map(|i| 72 + 24 * i)
            .find(|&at| self.word(at) == tag)
            .expect("the section is there");
        let (offset, length) = (
            self.word(entry + 8) as usize,
            self.word(entry + 16) as usize,
        );
        (offset..offset + length).step_by(4).collect()
    }

    /// Opens the file with some words changed; says whether it was taken.
    fn opens_with(&self, changes: &[(usize, u32)]) -> bool {
        let mut bytes = self.bytes.clone();
        for &(at, word) in changes {
            bytes[at..at + 4].copy_from_slice(&word.to_le_bytes());
        }
        let end = bytes.len() - 8;
        let sum = xxh3_64(&bytes[..end]);
        bytes[end..].copy_from_slice(&sum.to_le_bytes());
        let artifact = Artifact::open(bytes).expect("a right checksum");
        index::open(&artifact, &self.map).is_ok()
    }
}

fn rooms() -> Map {
    let grid = generate(Kind::Rooms, 64, 48, 5).expect("a legal size");
    Map::new(grid, MoveRules::default())
}

#[test]
fn hole_11_a_hub_of_labels_is_one_corner() {
    let forgery = Forgery::of(rooms(), IndexKind::Labels);
    assert!(forgery.opens_with(&[]));
    // A word of a label is its distance, then its hub. Nearer than it is: at the hub itself.
    let words = forgery.section(3);
    let distances = words.iter().step_by(2).filter(|&&at| forgery.word(at) > 0);
    let mut tried = 0;
    for &at in distances.step_by(7) {
        assert!(!forgery.opens_with(&[(at, 0)]), "the word at {at}");
        tried += 1;
    }
    assert!(tried > 50);
}

#[test]
fn hole_11_runs_of_regions_are_counted_by_the_map() {
    let open = Grid::from_fn(40, 30, |_| true).expect("a legal size");
    let forgery = Forgery::of(
        Map::new(open, MoveRules::default()),
        IndexKind::ClimbRegions,
    );
    let rows = forgery.section(3);
    let begun = Instant::now();
    for end in [41 * 30, 1 << 20, u32::MAX] {
        let last = *rows.last().expect("rows");
        assert!(!forgery.opens_with(&[(last, end)]), "{end} runs");
    }
    // 2^32 runs took half a minute; this is no measure of speed.
    assert!(begun.elapsed() < Duration::from_secs(10));
}

#[test]
fn hole_11_hops_between_regions_lead_somewhere() {
    let forgery = Forgery::of(rooms(), IndexKind::ClimbRegions);
    assert!(forgery.opens_with(&[]));
    let hops = forgery.section(10);
    // The same neighbour for every target cannot lead to all of them.
    let all: Vec<(usize, u32)> = hops.iter().map(|&at| (at, 0)).collect();
    assert!(!forgery.opens_with(&all));
}

#[test]
fn hole_11_edges_of_sectors_lead_beside_them() {
    let forgery = Forgery::of(rooms(), IndexKind::Sectors);
    assert!(forgery.opens_with(&[]));
    let (representatives, edges) = (forgery.section(4), forgery.section(6));
    let last = representatives.len() as u32 - 1;
    assert!(!forgery.opens_with(&[(edges[0], last)]), "a far region");
    let [first, end] = [representatives[0], representatives[last as usize]];
    let swapped = [(first, forgery.word(end)), (end, forgery.word(first))];
    assert!(!forgery.opens_with(&swapped), "a cell elsewhere");
    let runs = forgery.section(9);
    let slot = forgery.word(runs[0]) | 127;
    assert!(!forgery.opens_with(&[(runs[0], slot)]), "no such edge");
}

#[test]
fn hole_11_hierarchies_are_those_of_the_map() {
    let forgery = Forgery::of(rooms(), IndexKind::Hierarchy);
    assert!(forgery.opens_with(&[]));
    let parents = forgery.section(2);
    let has_parent = |&&at: &&usize| forgery.word(at) != u32::MAX;
    let cells: Vec<usize> = parents.iter().filter(has_parent).copied().collect();
    for pair in cells.chunks(40).take(20) {
        let [a, b] = [pair[0], pair[pair.len() - 1]];
        let (first, second) = (forgery.word(a), forgery.word(b));
        let swapped = [(a, second), (b, first)];
        assert!(
            first == second || !forgery.opens_with(&swapped),
            "the words at {a} and {b}"
        );
    }
}
