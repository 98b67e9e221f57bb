//! What the plugin keeps of a walker, out of the game's reach: where it is kept, and the step that its transform is in.

use crate::{GridTransform, Plane};
use bevy_ecs::prelude::*;
use bevy_math::{UVec2, Vec2};
use waypost::crowd::MAX_MOVE_TICKS;
use waypost::navigator::UnitId;

/// The step that a walker's transform is in, in the two coordinates of the map's plane. Apart from the walker, so that moving transforms
/// touches little memory and that another value of the walker, or a copy of the entity, has nothing to do with it.
#[derive(Component, Debug, Default)]
#[component(clone_behavior = Ignore)]
pub(crate) struct Step {
    pub from: Vec2,
    pub to: Vec2,
    /// Where the transform was last put.
    pub at: Vec2,
    /// The tick that it was made in.
    pub tick: u32,
    /// Ticks that it takes.
    pub pace: u8,
    pub plane: Plane,
    /// Whether the transform has not got to its end yet.
    pub goes_on: bool,
    /// Whether the game has put the transform elsewhere and nobody has looked at that yet.
    pub is_displaced: bool,
    /// Whether it goes as near as can be to where there is no way.
    pub is_short: bool,
    /// Whether it goes to wherever an entity is.
    pub follows: bool,
    /// What was last told of its goal.
    pub said: Said,
    /// Whether the walker is among those who wait to be let in.
    pub is_queued: bool,
    /// What the crowd was last told of its pace and of whether it holds its ground.
    pub gait: (u8, bool),
    pub home: Option<Home>,
}

/// What is told of a walker's goal, once until the goal is another or what was told is no longer so.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub(crate) enum Said {
    #[default]
    Nothing,
    Arrived,
    Unreachable,
    Stuck,
}

/// Where a walker is kept.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Home {
    pub map: Entity,
    /// Which of the worlds that there have been.
    pub world: u32,
    pub squad: u32,
    pub unit: UnitId,
}

impl Step {
    /// Where the transform is, so many ticks after the one that the step was made in.
    #[inline]
    pub fn place(&self, ticks: f32) -> Vec2 {
        self.from + (self.to - self.from) * self.part(ticks)
    }

    #[inline]
    pub fn part(&self, ticks: f32) -> f32 {
        match self.pace > 1 {
            true => (ticks / f32::from(self.pace)).min(1.0),
            false => ticks.min(1.0),
        }
    }

    /// Notes that something is told of the goal; whether it is news.
    pub fn says(&mut self, said: Said) -> bool {
        std::mem::replace(&mut self.said, said) != said
    }

    /// It goes on to its goal: what was said may be said again, of a way that there was and is no more, or of somebody who is caught up with. Who makes
    /// way for others on its goal and comes back has not arrived anew.
    pub fn sets_out(&mut self) {
        let is_over = match self.said {
            Said::Arrived => self.follows,
            Said::Unreachable => !self.is_short,
            Said::Nothing | Said::Stuck => false,
        };
        if is_over {
            self.said = Said::Nothing;
        }
    }

    /// Begins a step to a place, in a tick, from wherever the one before it has got to.
    #[inline]
    pub fn begin(&mut self, to: Vec2, plane: Plane, tick: u32) {
        self.from = self.place(tick.wrapping_sub(self.tick) as f32);
        (self.to, self.plane) = (to, plane);
        (self.tick, self.pace) = (tick, self.gait.0);
        self.goes_on = true;
    }

    /// Goes on from another place.
    pub fn reset(&mut self, from: Vec2, to: Vec2, plane: Plane, tick: u32) {
        (self.from, self.to, self.at) = (from, to, from);
        (self.tick, self.pace, self.plane) = (tick, self.gait.0, plane);
        self.goes_on = from != to;
        self.is_displaced = false;
    }

    /// The map lies elsewhere: the step goes on there.
    pub fn shift(&mut self, to: Vec2, before: &GridTransform, now: &GridTransform) {
        let moved = |place: Vec2| to + (place - self.to) / before.cell * now.cell;
        (self.from, self.at) = (moved(self.from), moved(self.at));
        (self.to, self.plane, self.goes_on) = (to, now.plane, true);
    }
}

/// A pace that a crowd takes.
pub(crate) fn cut_pace(ticks: u8) -> u8 {
    u32::from(ticks).clamp(1, MAX_MOVE_TICKS) as u8
}

/// Where the middle of a walker is in the plane.
pub(crate) fn standing(grid: &GridTransform, cell: UVec2, size: u32) -> Vec2 {
    grid.place(cell.as_vec2() + size as f32 / 2.0)
}
