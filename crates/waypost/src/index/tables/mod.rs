//! All-pairs tables: the next step and the distance for every pair of cells (Game AI Pro, chapter 17.3.1).
//!
//! Roy, Floyd and Warshall's table answers any query by look-ups alone; it takes memory with the square of the number of
//! cells, five bytes a pair here. A small map gets one table. A larger one is cut into square zones, as the chapter advises,
//! with a table each for moves inside the zone; a search over the cells at which zones touch, whose edges are look-ups, is
//! exact ([`crate::methods::tables::ZoneSearch`]): every path is a chain of pieces inside zones and moves between them.
//!
//! Zones are filled as the inventors did it, by trying every cell between every pair. A whole map has too many cells for a
//! cube of steps: there the same table comes from Dijkstra's algorithm, once per cell.
//!
//! The lossless compression of such tables is the `cpd` index, the lossy one `landmarks`.

mod artifact;
pub(crate) mod build;

pub use crate::heuristic::{TableRow, Tables};
pub(crate) use artifact::TABLES;

use crate::heuristic::tables::NO_STEP;

/// The most cells of a map with a single table: 8,192 squared times five bytes are a third of a gigabyte.
pub const MAX_CELLS: usize = 8192;
/// The longest side of a zone.
pub const MAX_SIDE: u32 = 20;
