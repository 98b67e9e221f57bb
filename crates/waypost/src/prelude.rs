//! All that a game needs, in one import: `use waypost::prelude::*;`.

pub use crate::crowd::{Formation, Status};
pub use crate::grid::{Corners, Direction, GridPatch as Patch, MoveRules, Point};
pub use crate::index::slot::{IndexState, RebuildJob};
pub use crate::map::Map;
pub use crate::navigator::{
    BuildOptions, Crowd, CrowdOptions, CrowdSnapshot, Event, FileChoice, Goal, Navigator, Path,
    PathBatch, TickReport, Tile, Transform, Unit, UnitId, UnitType,
};
pub use crate::terrain::{Class, Factor, Footing};
