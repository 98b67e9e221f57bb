//! The `jump` artifact.
//!
//! The file holds the edges; points, bitmaps and distances to landmarks follow from the map. Since building takes milliseconds, opening builds
//! the graph again and compares: whatever else stands in the file is refused, checksum or not.

use super::JumpGraph;
use crate::artifact::{AlignedBytes, Artifact, ArtifactError, ArtifactWriter, Identity};
use crate::grid::ChangeSet;
use crate::index::slot::Repair;
use crate::index::{BuildError, Index, IndexKind, IndexRequest, IndexType, Shard};
use crate::map::Map;
use crate::progress::Progress;
use std::collections::BTreeMap;
use std::sync::Arc;

/// The `jump` index.
pub(crate) static INDEX_TYPE: IndexType = IndexType {
    kind: IndexKind::Jump,
    about: "the jump-point graph with distances to landmarks: exact search, built in milliseconds, repaired after changes",
    keys: &[],
    build,
    open,
    merge: None,
};

const FIRST_EDGE: u32 = 1;
const EDGES: u32 = 2;

fn build(
    map: &Map,
    _request: &IndexRequest,
    _shard: Shard,
    progress: &dyn Progress,
) -> Result<Arc<dyn Index>, BuildError> {
    progress.begin("jump points", 1);
    let graph = JumpGraph::build(map);
    progress.advance(1);
    Ok(Arc::new(graph))
}

fn open(artifact: &Artifact, map: &Map) -> Result<Arc<dyn Index>, ArtifactError> {
    let graph = JumpGraph::build(map);
    let (first_edge, edges) = graph.compact_edges();
    let same = *artifact.section::<u32>(FIRST_EDGE)? == *first_edge
        && *artifact.section::<super::Edge>(EDGES)? == *edges;
    if !same {
        return Err(ArtifactError::malformed(
            "its edges are not those of this map",
        ));
    }
    Ok(Arc::new(graph))
}

impl Index for JumpGraph {
    fn kind(&self) -> IndexKind {
        IndexKind::Jump
    }

    fn identity(&self) -> Identity {
        self.header.identity()
    }

    fn parameters(&self) -> &BTreeMap<String, String> {
        &self.header.parameters
    }

    fn to_bytes(&self) -> AlignedBytes {
        let (first_edge, edges) = self.compact_edges();
        let mut header = self.header.clone();
        header.fingerprint = self.scans.fingerprint();
        ArtifactWriter::new(header)
            .section(FIRST_EDGE, &first_edge)
            .section(EDGES, &edges)
            .finish()
    }

    fn memory_bytes(&self) -> usize {
        self.scans.memory_bytes()
            + self.points.memory_bytes()
            + self.marks.memory_bytes()
            + self.lists.memory_bytes()
            + self.bounds.memory_bytes()
    }

    fn records(&self) -> u64 {
        self.points.len() as u64
    }

    /// The first agent that is told of the change repairs it, the others share that.
    fn repair(self: Arc<Self>, _map: &Map, _changes: &ChangeSet) -> Repair {
        Repair::NotNeeded
    }

    fn facts(&self) -> Vec<(String, String)> {
        vec![
            ("jump points".to_string(), self.points.len().to_string()),
            ("edges".to_string(), self.edge_count().to_string()),
            (
                "jump points in 100 passable cells".to_string(),
                self.density_percent().to_string(),
            ),
        ]
    }
}
