//! What walks: components that a game spawns, and what it is told of them.

use crate::aim::Aim;
use crate::goal::Goal;
use crate::step::{Home, Step, cut_pace};
use bevy_ecs::entity::{EntityMapper, MapEntities};
use bevy_ecs::prelude::*;
use bevy_ecs::reflect::{ReflectComponent, ReflectMapEntities};
use bevy_math::{IVec2, UVec2};
use bevy_reflect::Reflect;
use bevy_reflect::prelude::{ReflectDefault, ReflectDeserialize, ReflectSerialize};
use bevy_transform::components::Transform;
use serde::{Deserialize, Serialize};
use std::borrow::Cow;
use waypost::Error;
use waypost::crowd::Hindrance;
use waypost::navigator::{UnitId, UnitType};

/// An entity that walks on a [`NavMap`](crate::NavMap): it begins where its [`Transform`] is, and goes where its [`Goal`] says.
///
/// The plugin writes this component in every tick and the transform while it moves, and inserts or removes nothing. A transform that the game
/// sets more than a cell away, to a place on the map, moves the walker there before the next tick; lesser moves last until the walker's next step. Another value
/// in the place of this one, also one that was copied from another walker or kept from earlier, changes `pace` and `holds` and nothing else.
/// While it is disabled (Bevy's `Disabled`), it is not on its map.
#[derive(Component, Clone, Debug, Default, Reflect, Serialize, Deserialize)]
#[reflect(Component, Default, Serialize, Deserialize)]
#[require(Goal, Transform, Step, Aim)]
#[serde(default)]
pub struct Walker {
    /// Ticks of a step, 1 to 16; 0 is taken as 1. As `holds`, it counts from when the walker joins; a change is heard after the tick that
    /// follows it.
    pub pace: u8,
    /// Whether it stands where it is and keeps its goal.
    pub holds: bool,
    pub(crate) status: WalkerStatus,
    pub(crate) cell: UVec2,
    /// Columns and rows of the last step.
    #[reflect(ignore)]
    #[serde(skip)]
    pub(crate) heading: [i8; 2],
    /// A copy of what its [`Step`] knows, for the game to read.
    #[reflect(ignore)]
    #[serde(skip)]
    pub(crate) home: Option<Home>,
}

impl Walker {
    /// A walker whose steps take so many ticks each, 1 to 16.
    pub fn slow(pace: u8) -> Walker {
        Walker {
            pace,
            ..Walker::default()
        }
    }

    /// A walker that holds its ground: it gives way to nobody, and keeps its goal for later.
    pub fn holding() -> Walker {
        Walker {
            holds: true,
            ..Walker::default()
        }
    }

    /// Pace and whether ground is held, as a crowd takes them.
    pub(crate) fn gait(&self) -> (u8, bool) {
        (cut_pace(self.pace), self.holds)
    }

    /// The cell that it stands in; of a large one the cell at its top left. Before it has joined a map, 0, 0.
    pub fn cell(&self) -> UVec2 {
        self.cell
    }

    /// What it is doing.
    pub fn status(&self) -> WalkerStatus {
        self.status
    }

    /// Whether it stands on its goal.
    pub fn has_arrived(&self) -> bool {
        self.status == WalkerStatus::Arrived
    }

    /// The columns and rows of its last step; zero where there was none.
    pub fn heading(&self) -> IVec2 {
        let [x, y] = self.heading;
        IVec2::new(x.into(), y.into())
    }

    /// The map that it walks on, once it has joined it.
    pub fn map(&self) -> Option<Entity> {
        self.home.map(|home| home.map)
    }

    /// What the map's crowd calls it.
    pub fn unit(&self) -> Option<UnitId> {
        self.home.map(|home| home.unit)
    }
}

/// What a walker is doing.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Reflect, Serialize, Deserialize)]
#[reflect(Default, Serialize, Deserialize)]
pub enum WalkerStatus {
    /// It is not on a map yet: the map is being built, or there is no room for it.
    #[default]
    Joining,
    /// It has no goal.
    Idle,
    /// It is on its way.
    Moving,
    /// Its next cell is taken by another walker.
    Waiting,
    /// It stands still because it was told to hold its ground.
    Holding,
    /// It stands on its goal.
    Arrived,
    /// There is no way to its goal.
    Unreachable,
    /// The cell that it stands in has become a wall.
    Blocked,
    /// Others are in its way and cannot all have their goals: it makes way for them ([`Stuck`]).
    Stuck,
}

/// Names the [`NavMap`](crate::NavMap) that a walker or an obstacle belongs to. Not needed where there is only one, nor by those who are on a
/// map already when the next one is spawned: they stay. Who comes without a name while there are several waits.
#[derive(Component, Clone, Copy, Debug, PartialEq, Eq, Reflect, Serialize, Deserialize)]
#[reflect(Component, MapEntities, Serialize, Deserialize)]
#[component(map_entities)]
pub struct InMap(pub Entity);

impl MapEntities for InMap {
    fn map_entities<M: EntityMapper>(&mut self, mapper: &mut M) {
        self.0 = mapper.get_mapped(self.0);
    }
}

/// A type of walkers, with an index of its own: put it on a walker that is larger than a cell, or to which the ground means something
/// else. Maps build the index with their own where they know the profile ([`NavMap::with_profile`](crate::NavMap::with_profile)),
/// else in the background when the first walker of it comes.
///
/// ```
/// use bevy_waypost::NavProfile;
/// let cart = NavProfile::new("cart", 2).factor("mud", 3.0).blocked("water");
/// ```
#[derive(Component, Clone, Debug, PartialEq, Reflect, Serialize, Deserialize)]
#[reflect(Component, Serialize, Deserialize)]
pub struct NavProfile {
    /// Its name: walkers of one name are of one type.
    pub name: Cow<'static, str>,
    /// Cells on a side; a walker's cell is its top left one.
    pub size: u32,
    /// Kinds of ground and how many times its length a step on them costs, 0.1 to 100.
    pub factors: Vec<(String, f32)>,
    /// Kinds of ground that are walls to it.
    pub blocked: Vec<String>,
}

impl NavProfile {
    /// A type of walkers of so many cells on a side.
    pub fn new(name: impl Into<Cow<'static, str>>, size: u32) -> NavProfile {
        NavProfile {
            name: name.into(),
            size,
            factors: Vec::new(),
            blocked: Vec::new(),
        }
    }

    /// A step on this kind of ground costs so many times its length.
    pub fn factor(mut self, ground: impl Into<String>, factor: f32) -> NavProfile {
        self.factors.push((ground.into(), factor));
        self
    }

    /// This kind of ground is a wall to it.
    pub fn blocked(mut self, ground: impl Into<String>) -> NavProfile {
        self.blocked.push(ground.into());
        self
    }

    pub(crate) fn unit_type(&self) -> Result<UnitType, Error> {
        let mut unit = UnitType::new(self.name.clone()).size(self.size);
        for (ground, factor) in &self.factors {
            unit = unit.factor(ground, f64::from(*factor))?;
        }
        let walls = self.blocked.iter();
        Ok(walls.fold(unit, |unit, ground| unit.blocked(ground)))
    }
}

/// A walker stands on its goal. Read as a message, or observed (`On<Arrived>`), for all walkers or for one entity. Sent once for each goal, though it
/// steps aside for others and comes back; again for an entity that it follows and has caught up with, and where the game has put it elsewhere.
#[derive(Message, EntityEvent, Clone, Copy, Debug, PartialEq, Eq, Reflect)]
pub struct Arrived {
    /// The walker.
    pub entity: Entity,
    /// Where it stands.
    pub cell: UVec2,
}

/// There is no way to a walker's goal. A message and an event of the entity, as [`Arrived`]; sent once, until the goal is another or a way has been
/// there meanwhile.
#[derive(Message, EntityEvent, Clone, Copy, Debug, PartialEq, Eq, Reflect)]
pub struct Unreachable {
    /// The walker.
    pub entity: Entity,
    /// The cell nearest to the goal that it can reach.
    pub nearest: Option<UVec2>,
}

/// A walker has waited for others for [`NavSettings::waiting_ticks`](crate::NavSettings::waiting_ticks) ticks. Sent once, until it has got
/// away from there or is sent elsewhere: to step back and come again is still to wait. A message only: crowds have many.
#[derive(Message, Clone, Copy, Debug, PartialEq, Eq, Reflect)]
pub struct Waiting {
    /// The walker.
    pub entity: Entity,
    /// Where it stands.
    pub cell: UVec2,
}

/// There is a way to a walker's goal, but others are in it and cannot all have theirs. A message and an event of the entity, as [`Arrived`]; sent
/// once for each goal.
#[derive(Message, EntityEvent, Clone, Copy, Debug, PartialEq, Eq, Reflect)]
pub struct Stuck {
    /// The walker.
    pub entity: Entity,
    /// Why.
    #[reflect(ignore, default = "Stuck::no_room")]
    pub why: Hindrance,
}

impl Stuck {
    fn no_room() -> Hindrance {
        Hindrance::NoRoom
    }
}

/// The cell of a walker has become a wall. A message and an event of the entity, as [`Arrived`].
#[derive(Message, EntityEvent, Clone, Copy, Debug, PartialEq, Eq, Reflect)]
pub struct Blocked {
    /// The walker.
    pub entity: Entity,
}

/// The cell of a walker is free again. A message and an event of the entity, as [`Arrived`].
#[derive(Message, EntityEvent, Clone, Copy, Debug, PartialEq, Eq, Reflect)]
pub struct Freed {
    /// The walker.
    pub entity: Entity,
}
