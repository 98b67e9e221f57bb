//! Compressed path databases: optimal moves without search (Botea, "Ultra-fast Optimal Pathfinding without Runtime
//! Search", AIIDE 2011, and its successors).
//!
//! For every pair of cells an optimal first move is worked out off-line and stored compressed; on-line a move is one
//! look-up, and a path is a look-up per move. Nothing is searched, so nothing depends on how hard a problem is.
//!
//! - [`PathDatabase`]: look-ups, whole paths, first moves, distances.
//! - [`Encoding`]: how rows are stored; `runs` is the default where it is the smallest.
//! - [`PathDatabase::patched`]: the rows that a permanent change of the map can have touched, built again.
//! - [`PathDatabase::redundancy`]: how much rows have in common, the paper's open question.
//! - [`flow`]: one reverse row, computed on demand, for many agents that go to one goal.
//! - [`crate::methods::cpd`]: the agent, with the paper's repair of paths on maps that change.
//!
//! # Where this differs from the paper
//!
//! Costs are exact integers and ties are kept as *sets* of optimal moves until a row is encoded; the paper breaks ties
//! while it searches. Rows are composed from distances between corners instead of one Dijkstra search each
//! (`compose/mod.rs` has the argument). Unconnected pairs are decided by components; the paper's maps have one.

mod build;
mod compose;
mod database;
mod encoding;
mod estimate;
mod file;
pub mod flow;
mod heuristic_move;
mod order;
mod packed_runs;
mod patch;
mod planes;
mod quadtree;
mod rectangles;
mod redundancy;
mod rows;
mod run_lengths;
mod sets;
mod table;
#[cfg(test)]
mod testing;
#[cfg(test)]
mod tests;
mod walk;

pub(in crate::index) use build::Preparation;
pub use database::{Moves, PathDatabase, Target};
pub use encoding::Encoding;
pub use file::DatabaseShard;
pub use patch::Patched;
pub use redundancy::Redundancy;

use super::{BuildError, IndexKind, IndexRequest, IndexType};
use crate::artifact::{Artifact, ArtifactError};
use crate::map::Map;
use crate::progress::Progress;

const INDEX_NAME: &str = "cpd";
const PARAMETER_ENCODING: &str = "encoding";
const PARAMETER_MAX_BYTES: &str = "max-bytes";
const PARAMETER_FORMAT: &str = "format";
const PARAMETER_SHARD: &str = "shard";
/// The version of rows: of their encodings, of the order of ranks and of the heuristic move.
const FORMAT: &str = "3";

/// How the registry sees compressed path databases.
pub(crate) static CPD: IndexType = IndexType {
    kind: IndexKind::Cpd,
    about: "Compressed path database: an optimal move for every pair of cells, by look-up",
    keys: &[
        (
            PARAMETER_ENCODING,
            "table, rectangles, quadtree, runs, or auto for the smallest by a sample (default auto)",
        ),
        (
            PARAMETER_MAX_BYTES,
            "refuse to build what would be larger (default 4294967296, 4.3 GB)",
        ),
    ],
    build: build::build_index,
    open: file::open,
    merge: Some(file::merge),
};

impl PathDatabase {
    /// Builds a database in one go.
    pub fn build(
        map: &Map,
        request: &IndexRequest,
        progress: &dyn Progress,
    ) -> Result<PathDatabase, BuildError> {
        Preparation::new(map, request, progress)?.whole(map, progress)
    }

    /// Opens a database from a checked artifact.
    pub fn open(artifact: &Artifact, map: &Map) -> Result<PathDatabase, ArtifactError> {
        artifact.check(IndexKind::Cpd, map)?;
        file::open_database(artifact, map)
    }
}
