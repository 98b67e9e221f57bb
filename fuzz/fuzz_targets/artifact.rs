//! Index files of every kind with damaged contents and a right checksum: they open or are refused.
//!
//! The first byte of the input chooses the kind; every five bytes after it are a place and a new byte.
#![no_main]

use libfuzzer_sys::fuzz_target;
use std::sync::OnceLock;
use waypost::artifact::Artifact;
use waypost::index::{self, INDEX_TYPES, IndexRequest, Shard};
use waypost::progress::NoProgress;
use waypost::{Map, MoveRules, generate};

struct Seeds {
    map: Map,
    files: Vec<Vec<u8>>,
}

fn seeds() -> &'static Seeds {
    static SEEDS: OnceLock<Seeds> = OnceLock::new();
    SEEDS.get_or_init(|| {
        let grid = generate::generate(generate::Kind::Rooms, 24, 20, 1).expect("a legal size");
        let map = Map::new(grid, MoveRules::default());
        let files = INDEX_TYPES
            .iter()
            .filter_map(|kind| {
                let mut request = IndexRequest::new(kind.kind);
                if kind.keys.iter().any(|(key, _)| *key == "records") {
                    request = request.with("records", 40);
                }
                let built = index::build(&map, &request, Shard::WHOLE, &NoProgress).ok()?;
                Some(built.to_bytes().as_ref().to_vec())
            })
            .collect();
        Seeds { map, files }
    })
}

fuzz_target!(|bytes: &[u8]| {
    let Some((&kind, damage)) = bytes.split_first() else {
        return;
    };
    let seeds = seeds();
    let mut file = seeds.files[usize::from(kind) % seeds.files.len()].clone();
    let end = file.len() - 8;
    for change in damage.chunks_exact(5) {
        let place = u32::from_le_bytes([change[0], change[1], change[2], change[3]]);
        file[place as usize % end] = change[4];
    }
    let sum = xxhash_rust::xxh3::xxh3_64(&file[..end]);
    file[end..].copy_from_slice(&sum.to_le_bytes());
    if let Ok(artifact) = Artifact::open(file) {
        let _ = index::open(&artifact, &seeds.map);
    }
});
