//! A walker crosses a level.
use bevy_app::{ScheduleRunnerPlugin, TaskPoolPlugin, prelude::*};
use bevy_ecs::prelude::*;
use bevy_math::prelude::*;
use bevy_time::TimePlugin;
use bevy_transform::prelude::*;
use bevy_waypost::prelude::*;

fn main() {
    let mut app = App::new();
    // In a game with a window: `DefaultPlugins`, and `use bevy::prelude::*;` above.
    app.add_plugins((TaskPoolPlugin::default(), TimePlugin));
    app.add_plugins((ScheduleRunnerPlugin::default(), WaypostPlugin::default()));
    app.add_systems(Startup, start).add_systems(Update, arrive);
    app.run();
}

fn start(mut commands: Commands) {
    let map = Map::from_fn(60, 40, |cell| cell.x != 30 || cell.y > 35).expect("a map");
    commands.spawn(NavMap::new(map));
    let (start, goal) = (Transform::from_xyz(2.5, -2.5, 0.0), UVec2::new(57, 2));
    commands.spawn((Walker::default(), start, Goal::Cell(goal)));
}

fn arrive(mut arrived: MessageReader<Arrived>, mut exit: MessageWriter<AppExit>) {
    for news in arrived.read() {
        println!("{} arrived at {}", news.entity, news.cell);
        exit.write(AppExit::Success);
    }
}
