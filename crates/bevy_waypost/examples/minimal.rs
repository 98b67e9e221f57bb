//! A walker crosses a level. In a game `use bevy::prelude::*;` and `DefaultPlugins` take the place of the first imports and plugins.

use bevy_app::{ScheduleRunnerPlugin, TaskPoolPlugin, prelude::*};
use bevy_ecs::prelude::*;
use bevy_math::prelude::*;
use bevy_time::TimePlugin;
use bevy_transform::prelude::*;
use bevy_waypost::prelude::*;

fn main() {
    App::new()
        .add_plugins((TaskPoolPlugin::default(), TimePlugin, ScheduleRunnerPlugin::default()))
        .add_plugins(WaypostPlugin::default())
        .add_systems(Startup, start)
        .add_systems(Update, arrive)
        .run();
}

fn start(mut commands: Commands) {
    let map = Map::from_fn(60, 40, |cell| cell.x != 30 || cell.y > 35).expect("a map of this size");
    commands.spawn(NavMap::new(map));
    commands.spawn((Walker::default(), Transform::from_xyz(2.5, -2.5, 0.0), Goal::Cell(UVec2::new(57, 2))));
}

fn arrive(mut arrived: MessageReader<Arrived>, walkers: Query<&Transform>, mut exit: MessageWriter<AppExit>) {
    for news in arrived.read() {
        println!("arrived at {}, {:?}", news.cell, walkers.get(news.entity).map(|at| at.translation));
        exit.write(AppExit::Success);
    }
}
