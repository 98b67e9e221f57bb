//! The C interface of Waypost: a thin view of [`waypost::Navigator`] and its crowds for C, C++, C# and whatever calls C.
//!
//! The header `include/waypost.h` is made from this source (`cargo xtask capi --header`) and tells all rules where they apply.
//! Handles are opaque, results go into the caller's arrays, failures are a status and a message of the thread, and no panic
//! crosses the border. The only state beside handles is that message, and the allocator of the program that may be set before all else.
// Comments are the header's: C has arrays in them, not links.
#![allow(rustdoc::broken_intra_doc_links)]
#![allow(non_camel_case_types)]

mod about;
mod allocator;
mod border;
mod build;
mod crowd;
mod failure;
mod fields;
mod goals;
mod inspect;
mod map;
mod map_contents;
mod nav;
mod paths;
mod progress;
mod questions;
mod requests;
mod snapshot;
mod terrain;
mod transform;
mod type_jobs;
mod types;
mod unit_types;
mod units;
mod upkeep;
mod world;

pub use about::*;
pub use allocator::*;
pub use build::*;
pub use crowd::*;
pub use fields::*;
pub use goals::*;
pub use inspect::*;
pub use map::*;
pub use map_contents::*;
pub use nav::*;
pub use paths::*;
pub use questions::*;
pub use requests::*;
pub use snapshot::*;
pub use terrain::*;
pub use transform::*;
pub use type_jobs::*;
pub use types::*;
pub use unit_types::*;
pub use units::*;
pub use upkeep::*;
pub use world::*;
