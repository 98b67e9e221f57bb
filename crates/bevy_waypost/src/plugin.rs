//! The plugin: which systems run when.

use crate::announcing::announce;
use crate::assets::{NavIndex, NavIndexLoader, NavLevel, NavLevelLoader};
use crate::background::Workers;
use crate::builds::{begin_builds, finish_builds, notice_files};
use crate::coming::*;
use crate::goal::Goal;
use crate::joining::{Joining, join};
use crate::moving::{Displaced, displace, interpolate, shift};
use crate::news::{IndexRenewed, NavMapFailed, NavMapReady};
use crate::obstacle::*;
use crate::sending::{Attended, attend, goal_taken, send};
use crate::settings::{Clock, NavSettings};
use crate::ticking::*;
use crate::walker::*;
use crate::{GridTransform, NavState, Plane};
use bevy_app::prelude::*;
use bevy_app::{
    FixedFirst, FixedLast, FixedPostUpdate, FixedPreUpdate, RunFixedMainLoop,
    RunFixedMainLoopSystems,
};
use bevy_asset::{AssetApp, AssetServer};
use bevy_ecs::change_detection::Tick;
use bevy_ecs::intern::Interned;
use bevy_ecs::prelude::*;
use bevy_ecs::schedule::ScheduleLabel;

/// Walkers, maps and obstacles for an app.
///
/// A tick is made in [`FixedUpdate`], and transforms are interpolated between ticks; [`WaypostPlugin::in_schedule`] takes
/// another schedule. Add it after `AssetPlugin` where maps are loaded from files.
#[derive(Clone, Copy, Debug)]
pub struct WaypostPlugin {
    schedule: Interned<dyn ScheduleLabel>,
}

impl Default for WaypostPlugin {
    fn default() -> WaypostPlugin {
        WaypostPlugin::in_schedule(FixedUpdate)
    }
}

impl WaypostPlugin {
    /// Makes a tick whenever this schedule runs. Transforms are interpolated where it is one of the fixed time step.
    pub fn in_schedule(schedule: impl ScheduleLabel) -> WaypostPlugin {
        WaypostPlugin {
            schedule: schedule.intern(),
        }
    }

    fn is_fixed(&self) -> bool {
        let fixed: [Interned<dyn ScheduleLabel>; 5] = [
            FixedFirst.intern(),
            FixedPreUpdate.intern(),
            FixedUpdate.intern(),
            FixedPostUpdate.intern(),
            FixedLast.intern(),
        ];
        fixed.contains(&self.schedule)
    }
}

/// The parts of a frame and of a tick, in this order. Systems that send walkers run before [`WaypostSystems::Prepare`], those that read what became of them
/// after [`WaypostSystems::Report`].
#[derive(SystemSet, Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum WaypostSystems {
    /// What is wanted is begun, and what is built is taken over: in `PreUpdate`, once a frame.
    Build,
    /// Walkers join, obstacles move, goals are taken.
    Prepare,
    /// Crowds make their tick.
    Tick,
    /// Walkers and messages are written.
    Report,
    /// Transforms are moved, once a frame where the time step is fixed.
    Interpolate,
}

impl Plugin for WaypostPlugin {
    fn build(&self, app: &mut App) {
        register(app);
        app.init_resource::<NavSettings>()
            .init_resource::<Joining>()
            .init_resource::<Attended>()
            .init_resource::<Displaced>()
            .init_resource::<Written>()
            .init_resource::<Worlds>()
            .insert_resource(Clock {
                ticks: 0,
                interpolates: self.is_fixed(),
                moved_at: Tick::new(0),
            })
            .init_resource::<Workers>()
            .add_observer(walker_came)
            .add_observer(walker_goes)
            .add_observer(walker_disabled)
            .add_observer(walker_enabled)
            .add_observer(map_forgotten)
            .add_observer(profile_taken)
            .add_observer(goal_taken)
            .add_observer(map_goes)
            .add_observer(obstacle_came)
            .add_observer(obstacle_goes)
            .add_observer(cover_goes)
            .add_observer(obstacle_disabled);
        if app.world().contains_resource::<AssetServer>() {
            app.init_asset::<NavLevel>()
                .init_asset::<NavIndex>()
                .register_asset_loader(NavLevelLoader)
                .register_asset_loader(NavIndexLoader)
                .add_systems(
                    PreUpdate,
                    notice_files
                        .before(begin_builds)
                        .in_set(WaypostSystems::Build),
                );
        }
        // A map that is ready has its obstacles.
        let obstacles = move_obstacles.run_if(on_message::<NavMapReady>);
        let builds = (begin_builds, finish_builds, obstacles).chain();
        app.add_systems(PreUpdate, builds.in_set(WaypostSystems::Build));
        self.add_tick(app);
    }
}

impl WaypostPlugin {
    fn add_tick(&self, app: &mut App) {
        use WaypostSystems::{Interpolate, Prepare, Report, Tick};
        app.configure_sets(self.schedule, (Prepare, Tick, Report, Interpolate).chain());
        app.add_systems(
            self.schedule,
            (
                // Obstacles first, so that nobody is let in below one.
                (
                    notice_worlds,
                    shift,
                    displace,
                    change,
                    move_obstacles,
                    join,
                    send,
                    attend,
                )
                    .chain()
                    .in_set(Prepare),
                tick.in_set(Tick),
                (report, take_over, announce).chain().in_set(Report),
            ),
        );
        let interpolate = (shift, interpolate).chain().in_set(Interpolate);
        match self.is_fixed() {
            true => app.add_systems(
                RunFixedMainLoop,
                interpolate.in_set(RunFixedMainLoopSystems::AfterFixedMainLoop),
            ),
            false => app.add_systems(self.schedule, interpolate),
        };
    }
}

fn register(app: &mut App) {
    app.register_type::<Walker>()
        .register_type::<WalkerStatus>()
        .register_type::<Goal>()
        .register_type::<InMap>()
        .register_type::<NavProfile>()
        .register_type::<Obstacle>()
        .register_type::<Covered>()
        .register_type::<Footprint>()
        .register_type::<GridTransform>()
        .register_type::<Plane>()
        .register_type::<NavState>()
        .register_type::<NavSettings>()
        .register_type::<Arrived>()
        .register_type::<Unreachable>()
        .register_type::<Waiting>()
        .register_type::<Blocked>()
        .register_type::<Freed>()
        .register_type::<Stuck>()
        .register_type::<IndexRenewed>()
        .register_type::<NavMapReady>()
        .register_type::<NavMapFailed>()
        .add_message::<Arrived>()
        .add_message::<Unreachable>()
        .add_message::<Waiting>()
        .add_message::<Blocked>()
        .add_message::<Freed>()
        .add_message::<Stuck>()
        .add_message::<IndexRenewed>()
        .add_message::<NavMapReady>()
        .add_message::<NavMapFailed>();
}
