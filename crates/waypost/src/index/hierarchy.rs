//! The clique abstraction as an index: `waypost build hierarchy`.

use super::{BuildError, Index, IndexKind, IndexRequest, IndexType, Shard};
use crate::artifact::{AlignedBytes, Artifact, ArtifactError, ArtifactWriter, Header, Identity};
use crate::grid::ChangeSet;
use crate::hierarchy::{self, Hierarchy};
use crate::index::slot::{Companion, Repair};
use crate::map::Map;
use crate::progress::Progress;
use std::collections::BTreeMap;
use std::sync::{Arc, Mutex, PoisonError, Weak};

/// The hierarchy of a map as it was built, and the repaired versions that agents are using.
#[derive(Debug)]
pub struct HierarchyIndex {
    header: Header,
    hierarchy: Arc<Hierarchy>,
    repaired: Mutex<Vec<(u64, Weak<Hierarchy>)>>,
}

/// A hierarchy that follows its map. Agents whose maps have the same fingerprint share one.
#[derive(Clone, Debug)]
pub struct LiveHierarchy {
    index: Arc<HierarchyIndex>,
    hierarchy: Arc<Hierarchy>,
}

impl HierarchyIndex {
    /// Builds the hierarchy of a map.
    pub fn build(map: &Map) -> HierarchyIndex {
        HierarchyIndex::of(
            Header::of(IndexKind::Hierarchy, map, BTreeMap::new()),
            Hierarchy::build(map),
        )
    }

    fn of(header: Header, hierarchy: Hierarchy) -> HierarchyIndex {
        HierarchyIndex {
            header,
            hierarchy: Arc::new(hierarchy),
            repaired: Mutex::new(Vec::new()),
        }
    }

    /// The hierarchy of the unchanged map.
    pub fn hierarchy(&self) -> &Arc<Hierarchy> {
        &self.hierarchy
    }
}

impl LiveHierarchy {
    /// The hierarchy of the map as it was indexed.
    pub fn new(index: Arc<HierarchyIndex>) -> LiveHierarchy {
        LiveHierarchy {
            hierarchy: index.hierarchy.clone(),
            index,
        }
    }

    /// The hierarchy of the map as it is.
    #[inline]
    pub fn get(&self) -> &Hierarchy {
        &self.hierarchy
    }

    /// Follows the map. An agent alone repairs its hierarchy in place; among many, the first one copies and repairs it and the
    /// others take over what it made. Does nothing where the hierarchy is of the map as it is.
    pub fn follow(&mut self, map: &Map) {
        if self.hierarchy.state() == map.fingerprint() {
            return;
        }
        let changes = map.changes_since(self.hierarchy.state());
        self.take_version(map, |hierarchy| match changes {
            Some(changes) => {
                Arc::make_mut(hierarchy).repair(map, &changes);
            }
            None => *hierarchy = Arc::new(Hierarchy::build(map)),
        });
    }

    /// Takes the version that others have made for the map as it is; whether there is one.
    pub fn take_over(&mut self, map: &Map) -> bool {
        if self.hierarchy.state() != map.fingerprint() {
            let repaired = self.index.repaired.lock();
            let repaired = repaired.unwrap_or_else(PoisonError::into_inner);
            let mut versions = repaired.iter();
            let known = versions.find(|(of, _)| *of == map.fingerprint());
            if let Some(version) = known.and_then(|(_, version)| version.upgrade()) {
                self.hierarchy = version;
            }
        }
        self.hierarchy.state() == map.fingerprint()
    }

    /// Takes the version that others use on this map, or makes one and shows it to the others.
    fn take_version(&mut self, map: &Map, make: impl FnOnce(&mut Arc<Hierarchy>)) {
        let fingerprint = map.fingerprint();
        let repaired = self.index.repaired.lock();
        let mut repaired = repaired.unwrap_or_else(PoisonError::into_inner);
        let known = repaired
            .iter()
            .find(|(of, _)| *of == fingerprint)
            .and_then(|(_, version)| version.upgrade());
        match known {
            Some(version) => self.hierarchy = version,
            None => {
                // Also drops the weak pointer to the version at hand, which would force a copy.
                let own = Arc::as_ptr(&self.hierarchy);
                repaired.retain(|(_, v)| v.strong_count() > 0 && v.as_ptr() != own);
                make(&mut self.hierarchy);
                repaired.push((fingerprint, Arc::downgrade(&self.hierarchy)));
            }
        }
    }
}

/// Keeps a hierarchy in step with the map of a world, outside of moves, for the agents that may not repair it in theirs.
#[derive(Debug)]
pub struct HierarchyKeeper(Mutex<LiveHierarchy>);

impl HierarchyKeeper {
    /// Keeps a version of this index.
    pub fn new(index: Arc<HierarchyIndex>) -> HierarchyKeeper {
        HierarchyKeeper(Mutex::new(LiveHierarchy::new(index)))
    }
}

impl Companion for HierarchyKeeper {
    /// Repairs all at once: what a change takes grows with the change.
    fn follow(&self, map: &Map, _operations: u64) -> bool {
        let mut live = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        live.follow(map);
        true
    }
}

impl Index for HierarchyIndex {
    fn kind(&self) -> IndexKind {
        IndexKind::Hierarchy
    }

    fn identity(&self) -> Identity {
        self.header.identity()
    }

    fn parameters(&self) -> &BTreeMap<String, String> {
        &self.header.parameters
    }

    fn to_bytes(&self) -> AlignedBytes {
        let writer = ArtifactWriter::new(self.header.clone());
        hierarchy::write(&self.hierarchy, writer).finish()
    }

    fn memory_bytes(&self) -> usize {
        self.hierarchy.memory_bytes()
    }

    fn records(&self) -> u64 {
        self.hierarchy.node_count() as u64
    }

    /// The first agent that is told of the change repairs it, the others share that.
    fn repair(self: Arc<Self>, _map: &Map, _changes: &ChangeSet) -> Repair {
        Repair::NotNeeded
    }

    fn facts(&self) -> Vec<(String, String)> {
        let sizes: Vec<String> = (0..=self.hierarchy.height())
            .map(|level| self.hierarchy.level_size(level).to_string())
            .collect();
        vec![
            ("levels".to_string(), self.hierarchy.height().to_string()),
            ("nodes by level".to_string(), sizes.join(" ")),
        ]
    }
}

/// The index type `hierarchy`.
pub(crate) static HIERARCHY: IndexType = IndexType {
    kind: IndexKind::Hierarchy,
    about: "the clique abstraction, for pra and quickpath",
    keys: &[],
    build: build_index,
    open: open_index,
    merge: None,
};

fn build_index(
    map: &Map,
    _request: &IndexRequest,
    _shard: Shard,
    progress: &dyn Progress,
) -> Result<Arc<dyn Index>, BuildError> {
    progress.begin("hierarchy", 1);
    let hierarchy = Hierarchy::watched(map, progress).ok_or(BuildError::Cancelled)?;
    progress.advance(1);
    let header = Header::of(IndexKind::Hierarchy, map, BTreeMap::new());
    Ok(Arc::new(HierarchyIndex::of(header, hierarchy)))
}

fn open_index(artifact: &Artifact, map: &Map) -> Result<Arc<dyn Index>, ArtifactError> {
    let hierarchy = hierarchy::open(artifact, map)?;
    Ok(Arc::new(HierarchyIndex::of(
        artifact.header().clone(),
        hierarchy,
    )))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::artifact::MAGIC;
    use crate::grid::{Corners, Grid, GridPatch, MoveRules, Point};
    use crate::rng::Rng;
    use xxhash_rust::xxh3::xxh3_64;

    fn map(seed: u64) -> Map {
        let mut rng = Rng::new(seed);
        let grid = Grid::from_fn(60, 45, |_| !rng.percent(25)).expect("a legal size");
        Map::new(grid, MoveRules::default())
    }

    #[test]
    fn artifacts_come_back_the_same() {
        let map = map(1);
        let built = HierarchyIndex::build(&map);
        let bytes = built.to_bytes();
        let artifact = Artifact::open(bytes.clone()).expect("a good artifact");
        let opened = crate::index::open(&artifact, &map).expect("the same map");
        assert_eq!(opened.to_bytes(), bytes);
        assert_eq!(opened.records(), built.records());
        let hierarchy = hierarchy::open(&artifact, &map).expect("the same map");
        assert_eq!(hierarchy.check(&map), Ok(()));
    }

    #[test]
    fn other_maps_and_rules_are_refused() {
        let bytes = HierarchyIndex::build(&map(1)).to_bytes();
        let artifact = Artifact::open(bytes).expect("a good artifact");
        let other = crate::index::open(&artifact, &map(2)).expect_err("another map");
        assert!(matches!(other, ArtifactError::WrongMap { .. }), "{other}");
        let rules = MoveRules {
            corners: Corners::Always,
            ..MoveRules::default()
        };
        let same_grid = Map::new(map(1).grid().clone(), rules);
        let other = crate::index::open(&artifact, &same_grid).expect_err("other rules");
        assert!(matches!(other, ArtifactError::WrongRules { .. }), "{other}");
    }

    /// Damage with a right checksum: whatever opens must be usable without a panic or an endless loop.
    #[test]
    fn damaged_contents_are_refused_or_harmless() {
        let map = map(3);
        let good = HierarchyIndex::build(&map).to_bytes();
        let mut rng = Rng::new(8);
        let (mut refused, mut opened) = (0, 0);
        for _ in 0..2000 {
            let mut bytes = good.clone();
            let raw = bytes.as_mut();
            let body = raw.len() - 8;
            let at = MAGIC.len() + rng.below((body - MAGIC.len()) as u32) as usize;
            raw[at] = raw[at].wrapping_add(1 + rng.below(255) as u8);
            let checksum = xxh3_64(&raw[..body]);
            raw[body..].copy_from_slice(&checksum.to_le_bytes());
            let Ok(artifact) = Artifact::open(bytes) else {
                refused += 1;
                continue;
            };
            match hierarchy::open(&artifact, &map) {
                Err(_) => refused += 1,
                Ok(hierarchy) => {
                    opened += 1;
                    let _ = hierarchy.check(&map);
                }
            }
        }
        assert!(
            refused > 500 && opened > 0,
            "{refused} refused, {opened} opened"
        );
    }

    #[test]
    fn agents_with_one_fingerprint_share_one_repaired_hierarchy() {
        let mut map = map(5);
        let index = Arc::new(HierarchyIndex::build(&map));
        let mut agents = [(); 3].map(|()| LiveHierarchy::new(index.clone()));
        for x in 0..40 {
            let patch = GridPatch::new()
                .block(Point { x, y: 20 })
                .open(Point { x, y: 21 });
            map.apply(&patch);
            for agent in &mut agents {
                agent.follow(&map);
            }
            assert_eq!(agents[0].get().check(&map), Ok(()));
            assert!(
                agents
                    .iter()
                    .all(|a| Arc::ptr_eq(&a.hierarchy, &agents[0].hierarchy))
            );
        }
        let mut alone = agents[0].clone();
        drop(agents);
        alone.follow(&map);
        let before = Arc::as_ptr(&alone.hierarchy);
        map.apply(&GridPatch::new().open(Point { x: 3, y: 20 }));
        alone.follow(&map);
        assert_eq!(before, Arc::as_ptr(&alone.hierarchy), "repaired in place");
        assert_eq!(alone.get().check(&map), Ok(()));
    }
}
