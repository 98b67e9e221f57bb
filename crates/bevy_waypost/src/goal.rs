//! Where walkers are sent.

use bevy_ecs::entity::{EntityMapper, MapEntities};
use bevy_ecs::prelude::*;
use bevy_ecs::reflect::{ReflectComponent, ReflectMapEntities};
use bevy_math::{UVec2, Vec3};
use bevy_reflect::Reflect;
use bevy_reflect::prelude::{ReflectDefault, ReflectDeserialize, ReflectSerialize};
use serde::{Deserialize, Serialize};

/// Where a [`Walker`](crate::Walker) goes. Change it to send the walker elsewhere; setting it costs no archetype move, because every walker has
/// one. To write what it says already changes nothing and is no news, so it may be written in every tick; a goal that moves by little beside
/// the way to it is followed without planning anew in every tick. A walker whose goal is removed stands still.
#[derive(Component, Clone, Copy, Debug, Default, PartialEq, Reflect, Serialize, Deserialize)]
#[reflect(Component, MapEntities, Default, Serialize, Deserialize)]
#[component(map_entities)]
pub enum Goal {
    /// It stands still.
    #[default]
    None,
    /// To a cell.
    Cell(UVec2),
    /// To the cell at a position in the world.
    Position(Vec3),
    /// To any cell of a rectangle.
    Area {
        /// Its top left cell.
        corner: UVec2,
        /// Its columns and rows.
        size: UVec2,
    },
    /// To any cell up to so many cells from one.
    Within {
        /// The cell.
        cell: UVec2,
        /// Cells, also diagonally.
        cells: u32,
    },
    /// To wherever another entity is: a walker, or anything with a [`Transform`](bevy_transform::components::Transform), also on another map or below other entities.
    Follow(Entity),
}

impl MapEntities for Goal {
    fn map_entities<M: EntityMapper>(&mut self, mapper: &mut M) {
        if let Goal::Follow(leader) = self {
            *leader = mapper.get_mapped(*leader);
        }
    }
}
