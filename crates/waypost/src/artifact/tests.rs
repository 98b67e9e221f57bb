use super::*;
use crate::grid::Grid;

fn map() -> Map {
    let grid = Grid::from_fn(9, 5, |p| p.x != 4 || p.y == 2).expect("a legal size");
    Map::new(grid, MoveRules::default())
}

fn sample() -> AlignedBytes {
    let parameters = [("records".to_string(), "3".to_string())].into();
    ArtifactWriter::new(Header::of(IndexKind::Subgoals, &map(), parameters))
        .section(1, &[1u32, 2, 3])
        .section(2, &[7u64])
        .section(3, &[0u8; 0])
        .finish()
}

#[test]
fn sections_come_back() {
    let artifact = Artifact::open(sample()).expect("a good artifact");
    artifact
        .check(IndexKind::Subgoals, &map())
        .expect("its own map");
    assert_eq!(&*artifact.section::<u32>(1).expect("section 1"), &[1, 2, 3]);
    assert_eq!(&*artifact.section::<u64>(2).expect("section 2"), &[7]);
    assert!(artifact.section::<u8>(3).expect("section 3").is_empty());
    assert_eq!(artifact.header().parameters["records"], "3");
    assert!(artifact.section::<u32>(4).is_err());
    assert!(artifact.section::<u64>(1).is_err());
}

#[test]
fn every_flipped_bit_and_every_cut_is_found() {
    let good = sample();
    let bytes = good.as_ref();
    for at in 0..bytes.len() {
        for bit in 0..8 {
            let mut bad = bytes.to_vec();
            bad[at] ^= 1 << bit;
            assert!(Artifact::open(bad).is_err(), "bit {bit} of byte {at}");
        }
        assert!(Artifact::open(bytes[..at].to_vec()).is_err(), "cut at {at}");
    }
    let mut longer = bytes.to_vec();
    longer.push(0);
    assert!(Artifact::open(longer).is_err());
}

#[test]
fn absurd_headers_with_a_right_checksum_are_refused() {
    let good = sample();
    let body = good.as_ref().len() - CHECKSUM_BYTES;
    for at in (8..HEADER_BYTES + 3 * TABLE_ENTRY_BYTES).step_by(4) {
        for value in [u32::MAX, 0x8000_0000, 77] {
            let mut bad = good.as_ref().to_vec();
            bad[at..at + 4].copy_from_slice(&value.to_le_bytes());
            let checksum = xxh3_64(&bad[..body]);
            bad[body..].copy_from_slice(&checksum.to_le_bytes());
            if let Ok(artifact) = Artifact::open(bad) {
                let _ = (artifact.section::<u32>(1), artifact.section::<u64>(2));
                let _ = artifact.check(IndexKind::Subgoals, &map());
            }
        }
    }
}

#[test]
fn other_maps_and_rules_are_refused() {
    let artifact = Artifact::open(sample()).expect("a good artifact");
    let other_rules = MoveRules {
        corners: Corners::Always,
        ..MoveRules::default()
    };
    let same_grid = Map::new(map().grid().clone(), other_rules);
    assert!(matches!(
        artifact.check_map(&same_grid),
        Err(ArtifactError::WrongRules { .. })
    ));
    let other = Grid::from_fn(9, 5, |p| p.x != 4 || p.y == 3).expect("a legal size");
    assert!(matches!(
        artifact.check_map(&Map::new(other, MoveRules::default())),
        Err(ArtifactError::WrongMap { .. })
    ));
    assert!(matches!(
        artifact.check(IndexKind::Cpd, &map()),
        Err(ArtifactError::WrongKind { .. })
    ));
}

/// Random bytes, and good files with random edits and a repaired checksum and length: opening never panics, and every
/// section that it grants can be read.
#[test]
fn no_bytes_cause_a_panic() {
    let good = sample();
    let mut opened = 0;
    for seed in 0..30_000 {
        let mut rng = crate::rng::Rng::for_item(17, seed);
        let mut bytes = good.as_ref().to_vec();
        for _ in 0..rng.between(1, 4) {
            let at = rng.below(bytes.len() as u32) as usize;
            match rng.below(6) {
                0 => bytes[at] = rng.next_u64() as u8,
                1 => bytes[at] = bytes[at].wrapping_add(1),
                2 => bytes[at & !3..][..4].copy_from_slice(&rng.below(200).to_le_bytes()),
                3 => bytes[at & !7..][..8].copy_from_slice(&u64::MAX.to_le_bytes()),
                4 => bytes[at & !7..][..8].copy_from_slice(&(1u64 << rng.below(64)).to_le_bytes()),
                _ => bytes.truncate((at & !7).max(16)),
            }
        }
        let mut resealed = bytes.clone();
        if resealed.len() >= HEADER_BYTES + CHECKSUM_BYTES {
            let body = resealed.len() - CHECKSUM_BYTES;
            let total = resealed.len() as u64;
            resealed[56..64].copy_from_slice(&total.to_le_bytes());
            let checksum = xxh3_64(&resealed[..body]);
            resealed[body..].copy_from_slice(&checksum.to_le_bytes());
        }
        // The last one lies at an odd address and has to be copied.
        let shifted = OddBytes([&[0], &resealed[..]].concat());
        let results = [
            Artifact::open(bytes),
            Artifact::open(resealed),
            Artifact::open(shifted),
        ];
        for artifact in results.into_iter().flatten() {
            opened += 1;
            for (tag, length) in artifact.sections() {
                let lengths = [
                    artifact.section::<u8>(tag).map(|s| s.iter().count()),
                    artifact.section::<u32>(tag).map(|s| s.iter().count() * 4),
                    artifact.section::<u64>(tag).map(|s| s.iter().count() * 8),
                ];
                assert!(lengths.iter().flatten().all(|&bytes| bytes == length));
            }
            let _ = artifact.check(IndexKind::Subgoals, &map());
        }
    }
    assert!(
        opened > 1000,
        "only {opened} opened: the test tries too little"
    );
}

struct OddBytes(Vec<u8>);

impl AsRef<[u8]> for OddBytes {
    fn as_ref(&self) -> &[u8] {
        &self.0[1..]
    }
}

#[test]
fn odd_parameters_and_sections_are_refused_or_made_harmless() {
    let parameters = [("key".to_string(), "a\nb=c\r".to_string())].into();
    let header = Header::of(IndexKind::Subgoals, &map(), parameters);
    let written = ArtifactWriter::new(header).section(1, &[1u32]);
    let artifact = Artifact::open(written.finish()).expect("control letters are not written");
    assert_eq!(artifact.header().parameters["key"], "a b=c ");

    let header = artifact.header().clone();
    let twice = ArtifactWriter::new(header)
        .section(1, &[1u32])
        .section(1, &[2u32]);
    assert!(Artifact::open(twice.finish()).is_err());
}
