//! What can go wrong at the door, in one type.

use crate::artifact::ArtifactError;
use crate::crowd::{CrowdError, SnapshotError};
use crate::grid::{GridError, Point};
use crate::index::BuildError;
use crate::index::slot::ReplaceError;
use crate::spec::SpecError;
use crate::terrain::TerrainError;
use thiserror::Error;

/// Why something could not be done, and what to do about it.
#[derive(Debug, Error)]
pub enum Error {
    /// A point outside the map.
    #[error("{point} is outside the map of {width} x {height} cells; give 0,0 to {},{}", width - 1, height - 1)]
    Outside {
        /// The point.
        point: Point,
        /// The map's columns.
        width: u32,
        /// The map's rows.
        height: u32,
    },
    /// A point that cannot be stood on.
    #[error("{point} is a wall{}; `nearest_reachable` and `nearest_free` find a free cell", nearest.map_or(String::new(), |p| format!(", the nearest free cell is {p}")))]
    Wall {
        /// The point.
        point: Point,
        /// The nearest cell that can be stood on.
        nearest: Option<Point>,
    },
    /// A door that is none.
    #[error(
        "{point} is no door of this map; `Map::and_doors` says which cells are doors, `patch` changes others"
    )]
    NotADoor {
        /// The point.
        point: Point,
    },
    /// There is no way.
    #[error("there is no way from {from} to {goal}{}", nearest.map_or(String::new(), |p| format!("; the nearest cell that can be reached is {p}")))]
    Unreachable {
        /// Where the way would begin.
        from: Point,
        /// Where it would end.
        goal: Point,
        /// The cell nearest to the goal that can be reached.
        nearest: Option<Point>,
    },
    /// None of several goals can be reached.
    #[error("none of the {goals} goals can be reached from {from}")]
    NoGoal {
        /// Where the way would begin.
        from: Point,
        /// How many goals were given.
        goals: usize,
    },
    /// No unit type has this name.
    #[error("no unit type is called `{name}`; there are: {known}")]
    NoSuchUnitType {
        /// The name given.
        name: String,
        /// Those that there are.
        known: String,
    },
    /// A unit type that cannot be.
    #[error("unit type `{name}`: {reason}")]
    BadUnitType {
        /// Its name.
        name: String,
        /// What is wrong, and what would do.
        reason: String,
    },
    /// The build was stopped by its progress.
    #[error("the build was cancelled")]
    Cancelled,
    /// A size that no map can have.
    #[error(transparent)]
    Size(#[from] GridError),
    /// A map that could not be read.
    #[error("the map could not be read: {0}")]
    Map(String),
    /// Ground that does not fit the map.
    #[error(transparent)]
    Terrain(#[from] TerrainError),
    /// An index that could not be built.
    #[error(transparent)]
    Build(#[from] BuildError),
    /// Bytes that are no `.nav` file.
    #[error("{0}")]
    NoNavFile(String),
    /// A file that could not be used.
    #[error(transparent)]
    File(#[from] ArtifactError),
    /// An index that cannot take another's place.
    #[error(transparent)]
    Replace(#[from] ReplaceError),
    /// A method that cannot run here.
    #[error(transparent)]
    Method(#[from] SpecError),
    /// A unit that could not be spawned or sent.
    #[error(transparent)]
    Crowd(#[from] CrowdError),
    /// A snapshot that could not be taken or restored.
    #[error(transparent)]
    Snapshot(#[from] SnapshotError),
    /// The caller's own reading or writing of a file.
    #[error(transparent)]
    Io(#[from] std::io::Error),
}
