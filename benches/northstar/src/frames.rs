//! Frames of a headless app with walkers that get a new goal whenever they arrive.

use crate::paths::{Peer, peer_grid};
use crate::{Scene, connected};
use bevy_app::{App, FixedUpdate, TaskPoolPlugin, Update};
use bevy_ecs::prelude::*;
use bevy_math::{UVec2, UVec3};
use bevy_northstar::prelude::*;
use bevy_time::{TimePlugin, TimeUpdateStrategy};
use bevy_transform::components::Transform;
use bevy_waypost::{GridTransform, NavMap, Walker, WaypostPlugin, WaypostSystems};
use cpu_time::ProcessTime;
use std::time::Duration;
use waypost::Map;
use waypost::rng::Rng;

#[derive(Resource)]
struct Goals {
    map: Map,
    rng: Rng,
    arrivals: u64,
    moves: u64,
}

impl Goals {
    fn next(&mut self) -> UVec2 {
        self.arrivals += 1;
        connected(&self.map, &mut self.rng).1
    }
}

fn app(scene: &Scene) -> App {
    let mut app = App::new();
    app.add_plugins((TaskPoolPlugin::default(), TimePlugin));
    app.insert_resource(TimeUpdateStrategy::FixedTimesteps(1));
    app.insert_resource(Goals {
        map: scene.map.clone(),
        rng: Rng::new(9),
        arrivals: 0,
        moves: 0,
    });
    app
}

/// Where walkers begin, and where they go first.
fn starts(scene: &Scene) -> Vec<(UVec2, UVec2)> {
    let mut rng = Rng::new(4);
    (0..scene.walkers)
        .map(|_| connected(&scene.map, &mut rng))
        .collect()
}

fn run(scene: &Scene, mut app: App, name: &str) {
    let (mut took, mut longest) = (Duration::ZERO, Duration::ZERO);
    for _ in 0..scene.frames {
        let begun = ProcessTime::now();
        app.update();
        let frame = begun.elapsed();
        took += frame;
        longest = longest.max(frame);
    }
    let goals = app.world().resource::<Goals>();
    println!(
        "| {name} | {:.3} ms | {:.3} ms | {} | {} |",
        took.as_secs_f64() * 1e3 / scene.frames as f64,
        longest.as_secs_f64() * 1e3,
        goals.moves,
        goals.arrivals
    );
}

pub fn compare(scene: &Scene) {
    println!("{} walkers, {} frames:\n", scene.walkers, scene.frames);
    println!("| plugin | mean frame | worst frame | steps made | goals reached |");
    println!("|---|---|---|---|---|");
    run(scene, ours(scene), "bevy_waypost");
    for agents in [128, usize::MAX] {
        let name = match agents {
            usize::MAX => "bevy_northstar 0.8, no limit of agents a frame".to_string(),
            agents => format!("bevy_northstar 0.8, {agents} agents a frame (its default)"),
        };
        run(scene, theirs(scene, agents), &name);
    }
}

fn ours(scene: &Scene) -> App {
    let mut app = app(scene);
    app.add_plugins(WaypostPlugin::default());
    let map = app.world_mut().spawn(NavMap::new(scene.map.clone())).id();
    while !app.world().get::<NavMap>(map).is_some_and(NavMap::is_ready) {
        app.update();
        std::thread::sleep(Duration::from_millis(1));
    }
    app.add_systems(FixedUpdate, renew_ours.after(WaypostSystems::Report));
    for (from, goal) in starts(scene) {
        let place = Transform::from_translation(GridTransform::default().position(from));
        app.world_mut()
            .spawn((Walker::default(), place, bevy_waypost::Goal::Cell(goal)));
    }
    app
}

fn renew_ours(
    mut arrived: MessageReader<bevy_waypost::Arrived>,
    mut walkers: Query<&mut bevy_waypost::Goal>,
    maps: Single<&NavMap>,
    mut goals: ResMut<Goals>,
) {
    goals.moves += maps.last_tick().moves;
    for news in arrived.read() {
        if let Ok(mut goal) = walkers.get_mut(news.entity) {
            *goal = bevy_waypost::Goal::Cell(goals.next());
        }
    }
}

fn theirs(scene: &Scene, agents: usize) -> App {
    let mut app = app(scene);
    app.add_plugins(NorthstarPlugin::<OrdinalNeighborhood>::default());
    let mut settings = app.world_mut().resource_mut::<NorthstarPluginSettings>();
    settings.max_pathfinding_agents_per_frame = agents;
    settings.max_collision_avoidance_agents_per_frame = agents;
    let grid: Peer = peer_grid(scene);
    let grid = app.world_mut().spawn(grid).id();
    app.add_systems(Update, walk.after(PathingSet));
    app.update();
    for (from, goal) in starts(scene) {
        app.world_mut().spawn((
            AgentOfGrid(grid),
            AgentPos(from.extend(0)),
            Transform::default(),
            Pathfind::new_2d(goal.x, goal.y),
        ));
    }
    app
}

/// Takes the next position, as its examples do, and asks for another path on arrival.
fn walk(
    mut commands: Commands,
    mut walkers: Query<(Entity, &mut AgentPos, &NextPos, &mut Transform, &Pathfind)>,
    mut goals: ResMut<Goals>,
) {
    for (entity, mut at, next, mut transform, pathfind) in &mut walkers {
        at.0 = next.0;
        transform.translation = at.0.as_vec3();
        goals.moves += 1;
        let mut entity = commands.entity(entity);
        entity.remove::<NextPos>();
        if at.0 == pathfind.goal {
            let goal: UVec3 = goals.next().extend(0);
            entity.insert(Pathfind::new(goal));
        }
    }
}
