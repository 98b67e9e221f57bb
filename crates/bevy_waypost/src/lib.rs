//! Pathfinding and crowds for Bevy: spawn a map, spawn walkers, give them goals.
//!
//! ```
//! # use bevy_app::{App, TaskPoolPlugin}; use bevy_ecs::prelude::*; use bevy_math::prelude::*; use bevy_transform::prelude::*;
//! use bevy_waypost::prelude::*;
//!
//! let mut app = App::new();
//! # app.add_plugins((TaskPoolPlugin::default(), bevy_time::TimePlugin));
//! # app.insert_resource(bevy_time::TimeUpdateStrategy::FixedTimesteps(1));
//! app.add_plugins(WaypostPlugin::default());
//! let map = Map::from_fn(60, 40, |cell| cell.x != 30 || cell.y > 35)?;
//! app.world_mut().spawn(NavMap::new(map)); // its index is built beside the game
//! let (start, goal) = (Transform::from_xyz(2.5, -2.5, 0.0), Goal::Cell(UVec2::new(57, 2)));
//! let walker = app.world_mut().spawn((Walker::default(), start, goal)).id();
//! while !app.world().get::<Walker>(walker).is_some_and(Walker::has_arrived) {
//!     app.update();
//! }
//! # Ok::<(), waypost::Error>(())
//! ```
//!
//! The guide has a chapter on it (`docs/guide/src/bevy.md`): when what happens, levels that change, files, three dimensions, and how to
//! come from bevy_northstar. Examples: `minimal`, `bevy_doors`, `ten_thousand`, `tower_defence`.
//!
//! **Promises.** No index is built in a frame or waited for. Nothing is inserted into or removed from a walker in a tick. All walkers of all
//! maps plan under one budget. The same calls give the same walks, on any number of threads.

mod aim;
mod announcing;
mod assets;
mod background;
mod builds;
mod coming;
mod covers;
mod footprint;
#[cfg(feature = "gizmos")]
pub mod gizmos;
mod goal;
mod joining;
mod live;
mod map;
mod moving;
mod nearest_free;
mod news;
mod obstacle;
mod options;
mod plugin;
mod room;
mod sending;
mod settings;
mod space;
mod step;
mod ticking;
mod walker;

pub use assets::{NavIndex, NavIndexLoader, NavLevel, NavLevelLoader, NavLevelSettings};
pub use background::BuildProgress;
pub use goal::Goal;
pub use map::{NavMap, NavState};
pub use news::{IndexRenewed, NavMapFailed, NavMapReady};
pub use obstacle::{Covered, Footprint, Obstacle};
pub use plugin::{WaypostPlugin, WaypostSystems};
pub use settings::NavSettings;
pub use space::{GridTransform, Plane};
pub use walker::{
    Arrived, Blocked, Freed, InMap, NavProfile, Stuck, Unreachable, Waiting, Walker, WalkerStatus,
};
pub use waypost;

/// All that a game needs, in one import.
pub mod prelude {
    pub use crate::{
        Arrived, Blocked, Covered, Footprint, Freed, Goal, GridTransform, InMap, IndexRenewed,
        NavIndex, NavLevel, NavMap, NavMapFailed, NavMapReady, NavProfile, NavSettings, NavState,
        Obstacle, Plane, Stuck, Unreachable, Waiting, Walker, WalkerStatus, WaypostPlugin,
        WaypostSystems,
    };
    pub use waypost::prelude::{Map, Patch};
}

/// The examples of the guide are tests.
#[cfg(doctest)]
#[doc = include_str!("../../../docs/guide/src/bevy.md")]
struct Guide;
