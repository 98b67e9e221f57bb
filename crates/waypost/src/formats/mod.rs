//! Files of others: bytes in, bytes out. The engine opens no file; the caller reads and writes.
//!
//! Every loader here keeps three promises, which the tests hold it to: no bytes make it panic, its memory stays within a
//! small multiple of the bytes given (a header is never believed before the body is seen to hold what it says), and an
//! error names the line, what was expected, what was found and what to do.

pub mod gppc;
pub mod graph;
mod kind;
#[cfg(feature = "ldtk")]
pub mod ldtk;
mod level;
pub mod map;
#[cfg(feature = "png")]
pub mod png;
pub mod scen;
mod text;
#[cfg(feature = "tiled")]
pub mod tiled;

pub use graph::GraphTextError;
pub use kind::FileKind;
pub use level::{Door, Level, Reading};
pub use map::MapError;
pub use scen::{Problem, ScenError};
