//! All that a game needs, in one import: `use waypost::prelude::*;`.

pub use crate::crowd::Ticket;
pub use crate::crowd::{Formation, Hindrance, Status};
pub use crate::grid::{Corners, Direction, Grid, GridPatch as Patch, MoveRules, Point};
pub use crate::index::IndexKind;
pub use crate::index::slot::{IndexState, RebuildJob};
pub use crate::map::Map;
pub use crate::navigator::{
    BuildOptions, BuiltUnitType, Crowd, CrowdOptions, CrowdSnapshot, DistanceField, Error, Event,
    FileChoice, Goal, Inspection, Navigator, Path, PathBatch, PathRequests, Request, SmoothPath,
    TickReport, Tile, Transform, Unit, UnitId, UnitType, UnitTypeJob,
};
pub use crate::progress::{NoProgress, Progress};
pub use crate::terrain::{Class, Factor, Footing, Footings};
