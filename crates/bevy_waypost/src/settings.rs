//! What all maps share, and the clock of their ticks.

use bevy_ecs::change_detection::Tick;
use bevy_ecs::prelude::*;
use bevy_ecs::reflect::ReflectResource;
use bevy_reflect::Reflect;
use bevy_reflect::prelude::{ReflectDefault, ReflectDeserialize, ReflectSerialize};
use serde::{Deserialize, Serialize};

/// What all maps share.
#[derive(Resource, Clone, Debug, PartialEq, Eq, Reflect, Serialize, Deserialize)]
#[reflect(Resource, Default, Serialize, Deserialize)]
#[serde(default)]
pub struct NavSettings {
    /// Operations of a tick for the plans of all walkers on all maps. Maps that have walkers, or have them waiting to be let in, get equal
    /// parts, so that walks on one do not depend on when another is ready. In each crowd at least one walker plans all the same.
    pub plan_operations: u64,
    /// Operations of a tick for repairs and rebuilds of all indexes, in equal parts for all maps.
    pub repair_operations: u64,
    /// Whether indexes that changes have made stale are built again beside the game.
    pub renew_indexes: bool,
    /// Ticks of waiting for others in one place after which [`Waiting`](crate::Waiting) is sent; 0 for never.
    pub waiting_ticks: u32,
}

impl Default for NavSettings {
    fn default() -> NavSettings {
        let crowd = waypost::navigator::CrowdOptions::default();
        NavSettings {
            plan_operations: crowd.plan_operations,
            repair_operations: crowd.repair_operations,
            renew_indexes: true,
            waiting_ticks: 8,
        }
    }
}

/// Counts the ticks of the plugin.
#[derive(Resource)]
pub(crate) struct Clock {
    pub ticks: u32,
    /// Whether transforms lie between two ticks.
    pub interpolates: bool,
    /// When the plugin last wrote to transforms, as Bevy counts changes.
    pub moved_at: Tick,
}
