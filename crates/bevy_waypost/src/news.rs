//! What the game is told of its maps.

use bevy_ecs::prelude::*;
use bevy_reflect::Reflect;

/// A map is ready for the first time, or its next source is: walkers join in the next tick.
#[derive(Message, Clone, Copy, Debug, PartialEq, Eq, Reflect)]
pub struct NavMapReady {
    /// The map.
    pub map: Entity,
}

/// A map could not be built, or a type of walkers on it, or its file was loaded again and could not be read.
#[derive(Message, Clone, Debug, PartialEq, Eq, Reflect)]
pub struct NavMapFailed {
    /// The map.
    pub map: Entity,
    /// Why, and what to do.
    pub reason: String,
}

/// An index was repaired or built again and serves from now on.
#[derive(Message, Clone, Copy, Debug, PartialEq, Eq, Reflect)]
pub struct IndexRenewed {
    /// The map.
    pub map: Entity,
    /// Whether it came after the tick that it was due at.
    pub late: bool,
}
