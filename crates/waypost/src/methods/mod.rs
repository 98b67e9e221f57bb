//! The published methods and the default: each an [`Agent`](crate::agent::Agent) with its name and keys for specs.
//!
//! What a game ships is below: maps, searches, indexes, the follower of paths and crowds know nothing of this room.

pub mod astar;
pub mod climber;
pub mod cpd;
pub mod d_lrta;
pub mod dba;
pub mod default;
pub mod hcdps;
pub mod jump;
pub mod knn_lrta;
pub mod labels;
pub mod lrta;
pub mod lrts;
pub mod lss_lrta;
pub mod on_graphs;
mod one_index;
pub mod pra;
pub mod quickpath;
mod renewing;
pub mod sectors;
pub mod tables;
pub mod tba;

pub(crate) use renewing::Renewing;
