//! What an app without a window draws.

use crate::stage::*;
use bevy_app::{App, TaskPoolPlugin};
use bevy_asset::{AssetPlugin, Assets};
use bevy_gizmos::config::GizmoConfigStore;
use bevy_gizmos::{GizmoAsset, GizmoPlugin};
use bevy_time::{TimePlugin, TimeUpdateStrategy};
use bevy_waypost::gizmos::{NavGizmos, NavGizmosPlugin};
use bevy_waypost::prelude::*;

fn app_that_draws() -> App {
    let mut app = App::new();
    app.add_plugins((
        TaskPoolPlugin::default(),
        TimePlugin,
        AssetPlugin::default(),
        GizmoPlugin,
        WaypostPlugin::default(),
        NavGizmosPlugin,
    ));
    app.insert_resource(TimeUpdateStrategy::FixedTimesteps(1));
    app
}

/// Points of strips and of single lines after a tick.
fn drawn(app: &mut App, choose: impl FnOnce(&mut NavGizmos)) -> (usize, usize) {
    let mut store = app.world_mut().resource_mut::<GizmoConfigStore>();
    let group = store.config_mut::<NavGizmos>().1;
    *group = NavGizmos {
        paths: false,
        ..NavGizmos::default()
    };
    choose(group);
    // What was drawn before is let go of by the second.
    (0..2).for_each(|_| ticks(app, 1));
    let assets = app.world().resource::<Assets<GizmoAsset>>();
    let buffers = assets.iter().map(|(_, asset)| asset.buffer());
    buffers.fold((0, 0), |(strips, lines), buffer| {
        let points = buffer.strip_positions.iter().filter(|p| p.is_finite());
        (strips + points.count(), lines + buffer.list_positions.len())
    })
}

#[test]
fn an_app_draws_what_it_is_told_to() {
    let mut app = app_that_draws();
    // One with labels, and one with sectors.
    let plain = Map::from_fn(40, 40, |p| p.x % 7 > 1 || p.y % 9 > 2).expect("a map");
    let labels = app.world_mut().spawn(NavMap::new(plain)).id();
    let dense = map_of(&noise(200, 3));
    let dense = app.world_mut().spawn(NavMap::new(dense)).id();
    for map in [labels, dense] {
        wait_until_ready(&mut app, map);
    }
    assert_eq!(drawn(&mut app, |_| {}), (0, 0));
    let entity = walker(&mut app, (3, 3), (39, 39));
    app.world_mut().entity_mut(entity).insert(InMap(labels));
    let (strips, lines) = drawn(&mut app, |group| group.paths = true);
    assert!(
        (30..=60).contains(&strips) && lines == 0,
        "{strips} {lines}"
    );
    let (strips, lines) = drawn(&mut app, |group| group.heat = true);
    assert_eq!((strips, lines), (5, 2), "an outline and a stripe");
    let (strips, lines) = drawn(&mut app, |group| group.corners = true);
    let nav = app
        .world()
        .get::<NavMap>(labels)
        .and_then(NavMap::navigator);
    let corners = nav.expect("ready").inspect().corners().len();
    assert!(corners > 0);
    assert_eq!((strips, lines), (5 * corners, 0));
    let (strips, lines) = drawn(&mut app, |group| group.sectors = true);
    assert!(strips > 0 && lines > 0, "{strips} {lines}");
}
