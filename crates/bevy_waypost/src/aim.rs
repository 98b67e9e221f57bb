//! Where walkers go, as crowds understand it.

use crate::goal::Goal;
use crate::step::Home;
use bevy_ecs::prelude::*;
use bevy_math::UVec2;
use waypost::navigator::{Goal as CrowdGoal, UnitId};
use waypost::prelude::Point;

/// A walker under way whose goal moves is sent anew when the goal has moved away from where it heads for by more than a part of the way to
/// it: whoever were sent in every tick would never have a plan.
const STALE_PART: u32 = 4;

/// What the crowd was last told of where a walker goes.
#[derive(Component, Debug, Default)]
#[component(clone_behavior = Ignore)]
pub(crate) struct Aim {
    pub told: Option<(Home, Target)>,
    /// The goal of the game's that this was about.
    pub goal: Option<Goal>,
    /// Where it goes instead while there is no way to the entity that it follows.
    pub short: Option<Short>,
    /// Whether it is among those who are looked after in every tick.
    pub is_attended: bool,
}

/// As near as can be.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Short {
    /// The changes of the map up to which there is no way.
    pub changes: u32,
    pub nearest: Point,
}

/// What a goal means to a crowd.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) enum Target {
    Nothing,
    /// Outside the map.
    Outside,
    /// An entity that is nowhere.
    Gone,
    Cell(UVec2),
    /// Any of several cells.
    Cells(CrowdGoal),
    /// A walker of the same crowd.
    Unit(UnitId),
    /// As near as can be to the cell of an entity that the crowd does not know.
    Near(UVec2),
}

impl Target {
    /// The cell that it stands for, if it is one.
    fn cell(self) -> Option<UVec2> {
        match self {
            Target::Cell(cell) | Target::Near(cell) => Some(cell),
            _ => None,
        }
    }

    /// Whether a walker that heads for another target goes the right way all the same.
    pub fn is_on_the_way(self, before: Target, at: UVec2) -> bool {
        let away = |a: UVec2, b: UVec2| (a.max(b) - a.min(b)).max_element();
        match (before.cell(), self.cell()) {
            (Some(before), Some(now)) => {
                u64::from(away(before, now)) * u64::from(STALE_PART) < u64::from(away(now, at))
            }
            _ => false,
        }
    }
}
