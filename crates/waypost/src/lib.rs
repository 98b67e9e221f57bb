//! Pathfinding for game maps: the default agent, crowds and all real-time agents get their next move within a fixed, published amount of work.
//!
//! Bounded ([`Agent::operations_bound`] and [`Agent::weighted_bound`] say by how much, before, during and after changes of the map): `waypost`, `labels`,
//! `sectors`, `cpd`, `lrta`, `lss-lrta`, `rtaa`, `lrts`, `tba`, `knn-lrta`, `knn-lrta-2009`, `d-lrta`, `hcdps`, `dba` and `quickpath`. Not bounded: a whole path at once
//! ([`Navigator::path`]), and the agents that think before their first move, `astar`, `dijkstra`, `jps`, `jump-graph`, `tables` and `pra`.
//!
//! **Start here**: [`Navigator`] is one world, from a level to moving units, and [`prelude`] is the one import.
//!
//! ```
//! use waypost::prelude::*;
//!
//! fn main() -> Result<(), Error> {
//!     let map = Map::from_fn(60, 40, |p| p.x != 30 || p.y > 35)?; // or from_movingai, from_png, from_tiled, from_bytes
//!     let nav = Navigator::build(map)?;                            // chooses and builds the index
//!     let file = nav.save()?;                                       // to ship; `Navigator::open(map, file)` in the game
//!     let path = nav.path((2, 2), (57, 2))?;                       // exact
//!     assert!(path.length() > 80.0 && !file.is_empty());
//!
//!     let mut crowd = nav.crowd(CrowdOptions::default())?;         // many units under one budget a tick
//!     let unit = crowd.spawn((2, 2))?;
//!     crowd.send(unit, (57, 2))?;
//!     crowd.patch(Patch::new().open((30, 2)));                     // a shorter way opens
//!     while !crowd.all_arrived() {
//!         for event in crowd.tick().events() {
//!             match event {
//!                 Event::Arrived(unit) => println!("{unit:?} is there"),
//!                 Event::Unreachable(unit, nearest) => println!("{unit:?} could go to {nearest:?}"),
//!                 other => println!("{other:?}"),                  // blocked, freed, index renewed
//!             }
//!         }
//!     }
//!     Ok(())
//! }
//! ```
//!
//! | to do this | use |
//! |---|---|
//! | load a level | [`Map::from_bytes`] (a file of any kind), [`Map::from_text`] (drawn as text; [`Map::find_in_text`] finds its letters), [`Map::from_fn`] |
//! | make doors, open and close them | [`Map::and_doors`], [`Navigator::open_doors`](navigator::Navigator::open_doors), `close_doors`, `set_door` |
//! | one path, many paths, a distance | [`Navigator::path`], [`Navigator::paths`], [`Navigator::distance`] |
//! | all cells within a cost; how far it is from everywhere; where to flee | [`Navigator::range`], [`Navigator::field`] |
//! | paths spread over frames | [`Navigator::requests`](navigator::Navigator::requests) |
//! | move many units | [`Navigator::crowd`](navigator::Navigator::crowd) |
//! | change the world | [`Navigator::patch`]: `Patch::new().block((3, 4)).open((5, 6))` |
//! | units larger than a cell | `nav.add_unit_type(UnitType::new("tank").size(2))?`, `crowd.spawn_type("tank", (3, 4))?` |
//! | ground that some units avoid | [`Map::from_classes`], [`UnitType::factor`](navigator::UnitType::factor) |
//! | chase another unit, gather round a place | `crowd.send(unit, other)?`, [`Goal`](navigator::Goal)`::Within(place, cells)`, [`Crowd::send_group`](navigator::Crowd::send_group) |
//! | see who is near, and act on events | [`Crowd::units_near`](navigator::Crowd::units_near), `for event in crowd.tick().into_events()` |
//! | draw where a unit is going | [`Crowd::path_ahead`](navigator::Crowd::path_ahead) |
//! | look ahead in another world | [`Navigator::fork`] |
//! | ship an index, open it | [`Navigator::save`](navigator::Navigator::save), [`Navigator::open`](navigator::Navigator::open), `open_with` |
//! | a published method by name, one move per tick | [`spec::AgentSpec`], [`Agent`] |
//!
//! Examples to run: `cargo run --example hello` (also `crowd`, `doors`, `ship_index`, `world`, `game`).
//!
//! The engine opens no file, reads no clock, prints nothing, keeps no global state and has no unsafe code. Costs are integers, and
//! results depend on inputs and seeds alone.
//!
//! **Features**: `parallel` (on by default) builds indexes and moves crowds on all threads of the current rayon pool; without it
//! everything works on the caller's thread, also on targets that have no threads, and gives the same results. `png` and `tiled` read
//! levels from images and Tiled maps.
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
pub mod method;
pub mod methods;
pub mod names;
pub mod navigator;
pub mod open_list;
mod parallel;
pub mod prelude;
pub mod progress;
pub mod questions;
pub mod rng;
pub mod run;
pub mod search;
pub mod space;
pub mod spec;
pub mod stream;
pub mod terrain;
pub mod trace;
pub mod trial;
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
mod guide {
    macro_rules! chapters {
        ($($name:ident $file:literal),* $(,)?) => {
            $(
                #[doc = include_str!(concat!("../../../docs/guide/src/", $file))]
                struct $name;
            )*
        };
    }

    chapters! {
        FirstPath "first-path.md",
        OwnMap "own-map.md",
        CrowdOfUnits "crowd.md",
        DoorsAndWalls "doors.md",
        Terrain "terrain.md",
        Labels "methods/labels.md",
    }
}

/// And the programs of the folder `examples`, each as a whole.
#[cfg(doctest)]
mod examples {
    macro_rules! programs {
        ($($name:ident $file:literal),* $(,)?) => {
            $(
                #[doc = concat!("```\n", include_str!(concat!("../examples/", $file)), "\n```")]
                struct $name;
            )*
        };
    }

    programs! {
        Hello "hello.rs",
        CrowdOfUnits "crowd.rs",
        Doors "doors.rs",
        ShipIndex "ship_index.rs",
        World "world.rs",
        Game "game.rs",
    }
}
