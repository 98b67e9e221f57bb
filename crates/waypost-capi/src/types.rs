//! Numbers and plain structs of the border. Numbers never change their meaning; new ones are added at the end.

use std::ffi::{c_char, c_void};
use waypost::Point;
use waypost::index::IndexKind;

/// What a call came to. Every call but those that free or cannot fail returns one; 0 is success.
#[repr(i32)]
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum waypost_status {
    /// Done.
    WAYPOST_OK = 0,
    /// A pointer that is needed is NULL.
    WAYPOST_NULL = 1,
    /// A value that cannot be, such as an unknown number or a wrong size.
    WAYPOST_BAD_VALUE = 2,
    /// The caller's array is too small: its count says how many elements there are; those that fit were written.
    WAYPOST_TOO_SMALL = 3,
    /// A point outside the map.
    WAYPOST_OUTSIDE = 4,
    /// A point that cannot be stood on.
    WAYPOST_WALL = 5,
    /// There is no way.
    WAYPOST_UNREACHABLE = 6,
    /// No unit type has this name.
    WAYPOST_NO_SUCH_UNIT_TYPE = 7,
    /// A unit type that cannot be.
    WAYPOST_BAD_UNIT_TYPE = 8,
    /// The build was stopped by its progress callback.
    WAYPOST_CANCELLED = 9,
    /// A map that could not be read or used.
    WAYPOST_BAD_MAP = 10,
    /// An index that could not be built.
    WAYPOST_BUILD_FAILED = 11,
    /// A file that could not be used: damaged, of another version or of another map.
    WAYPOST_BAD_FILE = 12,
    /// A method of walking that is not known or cannot run here.
    WAYPOST_BAD_METHOD = 13,
    /// No unit has this id: it was removed, or never was.
    WAYPOST_NO_SUCH_UNIT = 14,
    /// Another unit stands there.
    WAYPOST_TAKEN = 15,
    /// Another thread is using a handle that one thread at a time may use. Nothing was done.
    WAYPOST_BUSY = 16,
    /// A mistake inside Waypost. The handle that was used for it can only be freed.
    WAYPOST_PANIC = 17,
    /// An allocator that was set after memory had been asked for. Nothing was done.
    WAYPOST_TOO_LATE = 18,
}

/// A cell: column and row, from 0,0 at the top left.
#[repr(C)]
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct waypost_point {
    /// The column.
    pub x: u32,
    /// The row.
    pub y: u32,
}

impl From<Point> for waypost_point {
    fn from(point: Point) -> waypost_point {
        waypost_point {
            x: point.x,
            y: point.y,
        }
    }
}

impl From<waypost_point> for Point {
    fn from(point: waypost_point) -> Point {
        Point {
            x: point.x,
            y: point.y,
        }
    }
}

/// Two ends of a path.
#[repr(C)]
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct waypost_query {
    /// Where it begins.
    pub from: waypost_point,
    /// Where it ends.
    pub goal: waypost_point,
}

/// A rectangle that becomes free or a wall.
#[repr(C)]
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct waypost_edit {
    /// Its top left cell.
    pub at: waypost_point,
    /// Its columns.
    pub width: u32,
    /// Its rows.
    pub height: u32,
    /// Not 0 where it becomes free.
    pub passable: u32,
}

/// What a diagonal step asks of the two cells that it passes between.
#[repr(u32)]
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum waypost_corners {
    /// Both must be free (the default).
    WAYPOST_CORNERS_NEVER = 0,
    /// One must be free.
    WAYPOST_CORNERS_ONE = 1,
    /// Neither matters.
    WAYPOST_CORNERS_ALWAYS = 2,
    /// There are no diagonal steps: four ways instead of eight.
    WAYPOST_CORNERS_NO_DIAGONALS = 3,
}

/// How long a diagonal step is.
#[repr(u32)]
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum waypost_costs {
    /// The square root of 2 (the default).
    WAYPOST_COSTS_SQRT2 = 0,
    /// 1.4.
    WAYPOST_COSTS_ONE_POINT_FOUR = 1,
}

/// What an index is; the same numbers as in its file.
#[repr(u32)]
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum waypost_index_kind {
    /// Solved problems compressed to subgoals.
    WAYPOST_INDEX_SUBGOALS = 1,
    /// Regions of the clique abstraction with an entry for every pair.
    WAYPOST_INDEX_REGIONS = 2,
    /// A path database: the first move of a shortest path for every pair of cells.
    WAYPOST_INDEX_CPD = 3,
    /// Distances to landmarks.
    WAYPOST_INDEX_LANDMARKS = 4,
    /// The clique abstraction.
    WAYPOST_INDEX_HIERARCHY = 5,
    /// The jump-point graph.
    WAYPOST_INDEX_JUMP = 6,
    /// Hub labels on corners.
    WAYPOST_INDEX_LABELS = 7,
    /// Sectors with next hops.
    WAYPOST_INDEX_SECTORS = 8,
    /// Whichever of the others was chosen.
    WAYPOST_INDEX_AUTO = 9,
    /// Next steps and distances for every pair of cells of a small map.
    WAYPOST_INDEX_TABLES = 10,
    /// Regions that climbing crosses.
    WAYPOST_INDEX_CLIMB_REGIONS = 11,
}

impl From<IndexKind> for waypost_index_kind {
    fn from(kind: IndexKind) -> waypost_index_kind {
        match kind {
            IndexKind::Subgoals => waypost_index_kind::WAYPOST_INDEX_SUBGOALS,
            IndexKind::Regions => waypost_index_kind::WAYPOST_INDEX_REGIONS,
            IndexKind::Cpd => waypost_index_kind::WAYPOST_INDEX_CPD,
            IndexKind::Landmarks => waypost_index_kind::WAYPOST_INDEX_LANDMARKS,
            IndexKind::Hierarchy => waypost_index_kind::WAYPOST_INDEX_HIERARCHY,
            IndexKind::Jump => waypost_index_kind::WAYPOST_INDEX_JUMP,
            IndexKind::Labels => waypost_index_kind::WAYPOST_INDEX_LABELS,
            IndexKind::Sectors => waypost_index_kind::WAYPOST_INDEX_SECTORS,
            IndexKind::Auto => waypost_index_kind::WAYPOST_INDEX_AUTO,
            IndexKind::Tables => waypost_index_kind::WAYPOST_INDEX_TABLES,
            IndexKind::ClimbRegions => waypost_index_kind::WAYPOST_INDEX_CLIMB_REGIONS,
        }
    }
}

/// How an index stands to the map.
#[repr(u32)]
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum waypost_index_state {
    /// It is of the map as it is, doors aside.
    WAYPOST_INDEX_CURRENT = 0,
    /// Its repair is under way.
    WAYPOST_INDEX_REPAIRING = 1,
    /// A new one is being built.
    WAYPOST_INDEX_REBUILDING = 2,
    /// It is of an older map and waits for a rebuild. Paths stay shortest all the same.
    WAYPOST_INDEX_STALE = 3,
}

/// Told how far a build is: the stage in words, the parts done and those in all. Not 0 stops the build. Called from threads of
/// Waypost's own, never by two at once, and never after the call that it was given to has returned. `stage` is valid during
/// the call. It must not call the library: the thread that it is called on may have to wait for it.
pub type waypost_progress = Option<
    unsafe extern "C" fn(user: *mut c_void, stage: *const c_char, done: u64, total: u64) -> i32,
>;

/// Told that memory lent to `waypost_nav_open` is no longer looked at. Called once, from whichever thread lets go last.
pub type waypost_release =
    Option<unsafe extern "C" fn(user: *mut c_void, bytes: *const u8, length: usize)>;
