//! Pathfinding for game maps in which every agent gets its next move within a fixed, published amount of work.
#![deny(missing_docs)]

pub mod agent;
pub mod artifact;
pub mod cost;
pub mod crowd;
pub mod formats;
pub mod generate;
pub mod grid;
pub mod heuristic;
pub mod hierarchy;
pub mod index;
pub mod map;
pub mod names;
pub mod navigator;
pub mod open_list;
mod parallel;
pub mod prelude;
pub mod progress;
pub mod rng;
pub mod run;
pub mod search;
pub mod space;
pub mod spec;
pub mod trace;
pub mod world;

pub use agent::{Agent, Budget, Context, Decision, Meter};
pub use cost::{Cost, CostPair, Length};
pub use grid::{
    Cell, ChangeSet, Corners, Direction, Directions, Grid, GridPatch, GridPatch as Patch,
    MoveRules, Point,
};
pub use map::Map;
pub use navigator::{Error, Navigator};
pub use space::Space;
pub use world::World;

/// The examples of the README are tests.
#[cfg(doctest)]
#[doc = include_str!("../../../README.md")]
struct ReadMe;

/// So are those of the guide.
#[cfg(doctest)]
#[doc = include_str!("../../../docs/guide/src/methods/labels.md")]
struct Guide;
