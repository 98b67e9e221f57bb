//! Tower defence in a window: a click places a wall, if every enemy keeps a way to the gate; a click on a wall takes it away. P shows the
//! enemies' ways, H where they crowd, S the sectors and C the corners that the index knows.

use bevy::prelude::*;
use bevy_waypost::gizmos::{NavGizmos, NavGizmosPlugin};
use bevy_waypost::prelude::*;

const SIZE: UVec2 = UVec2::new(48, 32);
const GATE: UVec2 = UVec2::new(47, 16);
const ENTRIES: [UVec2; 3] = [UVec2::new(0, 4), UVec2::new(0, 16), UVec2::new(0, 28)];
const CELL: f32 = 20.0;

#[derive(Component)]
struct Enemy;

fn main() {
    App::new()
        .add_plugins(DefaultPlugins)
        .add_plugins((WaypostPlugin::default(), NavGizmosPlugin))
        .insert_resource(Time::<Fixed>::from_hz(10.0))
        .add_systems(Startup, start)
        .add_systems(FixedUpdate, send_enemies.before(WaypostSystems::Prepare))
        .add_systems(Update, (place_walls, choose_gizmos, enemies_at_the_gate))
        .run();
}

fn start(mut commands: Commands) {
    commands.spawn(Camera2d);
    let map = Map::from_fn(SIZE.x, SIZE.y, |_| true).expect("a map of this size");
    let grid = GridTransform::flat(Vec2::ZERO, CELL).centred(SIZE);
    commands.spawn(NavMap::new(map).exclusive().with_transform(grid));
    for (cell, colour) in ENTRIES.map(|entry| (entry, Color::srgb(0.6, 0.2, 0.2))) {
        commands.spawn(square(&grid, cell, colour));
    }
    commands.spawn(square(&grid, GATE, Color::srgb(0.2, 0.6, 0.2)));
}

fn square(grid: &GridTransform, cell: UVec2, colour: Color) -> (Sprite, Transform) {
    let at = Transform::from_translation(grid.position(cell));
    (Sprite::from_color(colour, Vec2::splat(CELL)), at)
}

fn send_enemies(map: Single<&NavMap>, mut commands: Commands) {
    if !map.is_ready() || !map.ticks().is_multiple_of(5) {
        return;
    }
    let entry = ENTRIES[(map.ticks() / 5) as usize % ENTRIES.len()];
    let (mut sprite, mut at) = square(&map.transform, entry, Color::srgb(1.0, 0.8, 0.2));
    sprite.custom_size = Some(Vec2::splat(CELL * 0.6));
    at.translation.z = 1.0;
    let goal = Goal::Within {
        cell: GATE,
        cells: 1,
    };
    commands.spawn((Enemy, Walker::default(), sprite, at, goal));
}

fn place_walls(
    buttons: Res<ButtonInput<MouseButton>>,
    window: Single<&Window>,
    camera: Single<(&Camera, &GlobalTransform)>,
    map: Single<&NavMap>,
    walls: Query<(Entity, &Covered)>,
    enemies: Query<&Walker, With<Enemy>>,
    mut commands: Commands,
) {
    let (camera, eye) = *camera;
    let at = window.cursor_position();
    let at = at.and_then(|at| camera.viewport_to_world_2d(eye, at).ok());
    let cell = at.and_then(|at| map.transform.cell(at.extend(0.0)));
    let Some(cell) = cell.filter(|cell| cell.cmplt(SIZE).all()) else {
        return;
    };
    if !buttons.just_pressed(MouseButton::Left) {
        return;
    }
    if let Some((wall, _)) = walls.iter().find(|(_, c)| c.cells().contains(&cell)) {
        commands.entity(wall).despawn();
        return;
    }
    // Nobody is walled in, and every enemy and every entry keeps a way to the gate.
    let joined = enemies.iter().filter(|enemy| enemy.map().is_some());
    let cells: Vec<UVec2> = joined.map(Walker::cell).chain(ENTRIES).collect();
    let ends: Vec<_> = cells.iter().map(|&from| (from, GATE)).collect();
    let patch = Patch::new().block((cell.x, cell.y));
    if !cells.contains(&cell) && map.stays_connected(&patch, &ends) {
        let wall = square(&map.transform, cell, Color::srgb(0.5, 0.5, 0.6));
        commands.spawn((Obstacle::default(), wall));
    }
}

fn choose_gizmos(keys: Res<ButtonInput<KeyCode>>, mut store: ResMut<GizmoConfigStore>) {
    let drawn = store.config_mut::<NavGizmos>().1;
    drawn.paths ^= keys.just_pressed(KeyCode::KeyP);
    drawn.heat ^= keys.just_pressed(KeyCode::KeyH);
    drawn.sectors ^= keys.just_pressed(KeyCode::KeyS);
    drawn.corners ^= keys.just_pressed(KeyCode::KeyC);
}

fn enemies_at_the_gate(mut arrived: MessageReader<Arrived>, mut commands: Commands) {
    for news in arrived.read() {
        commands.entity(news.entity).despawn();
    }
}
