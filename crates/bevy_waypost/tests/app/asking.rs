//! What a wall would cut off: asked before it is placed.

use crate::stage::*;
use bevy_math::UVec2;
use bevy_waypost::prelude::*;

fn cells(pairs: [((u32, u32), (u32, u32)); 1]) -> [(UVec2, UVec2); 1] {
    pairs.map(|(from, to)| (from.into(), to.into()))
}

#[test]
fn obstacles_count_from_when_they_are_spawned() {
    let mut app = app_between_ticks();
    let map = Map::from_fn(21, 11, |p| p.x != 10 || p.y == 2 || p.y == 8).expect("a map");
    let map = app.world_mut().spawn(NavMap::new(map)).id();
    wait_until_ready(&mut app, map);
    let entity = walker(&mut app, (0, 2), (20, 2));
    (0..8).for_each(|_| app.update());
    let mut placed = Vec::new();
    // Two frames of one tick.
    for gap in [(10, 2), (10, 8)] {
        let ends = [(look(&app, entity).cell(), UVec2::new(20, 2))];
        let wall = Patch::new().block(gap);
        if nav_map(&mut app, map).stays_connected(wall, &ends) {
            let wall = (Obstacle::default(), at(gap.0, gap.1));
            placed.push(app.world_mut().spawn(wall).id());
        }
        app.update();
    }
    assert_eq!(placed.len(), 1, "the second would cut it off");
    // Ticks wait for the index that is renewed beside the game.
    wait_until(&mut app, |world| {
        world.get::<Walker>(entity).is_some_and(Walker::has_arrived)
    });
    // One that has gone again before the map has heard of it is none.
    app.world_mut().despawn(placed[0]);
    let wall = (Obstacle::default(), at(10, 8));
    let wall = app.world_mut().spawn(wall).id();
    let ends = cells([((0, 2), (20, 2))]);
    let patch = Patch::new().block((10, 2));
    assert!(!nav_map(&mut app, map).stays_connected(&patch, &ends));
    app.world_mut().despawn(wall);
    assert!(nav_map(&mut app, map).stays_connected(&patch, &ends));
}

#[test]
fn large_walkers_are_not_cut_off_either() {
    let cart = NavProfile::new("cart", 2);
    let map = Map::from_fn(21, 11, |p| p.x != 10 || p.y == 2 || p.y == 3).expect("a map");
    let (mut app, map) = on_map(NavMap::new(map).with_profile(cart.clone()));
    let map = nav_map(&mut app, map);
    let (ends, wall) = (cells([((2, 2), (18, 2))]), Patch::new().block((10, 2)));
    assert!(!map.stays_connected(&wall, &ends), "the cart has no way");
    assert!(map.stays_connected_for(None, &wall, &ends));
    assert!(!map.stays_connected_for(Some(&cart), &wall, &ends));
    assert!(map.stays_connected_for(Some(&cart), Patch::new(), &ends));
    let unknown = NavProfile::new("ship", 1);
    assert!(!map.stays_connected_for(Some(&unknown), Patch::new(), &ends));
    // Where the cart cannot go now it has nothing to lose: the last column is too narrow for it.
    let ends = cells([((2, 2), (20, 2))]);
    assert!(map.stays_connected(&wall, &ends));
    let both = Patch::new().block_rect((10, 2), (1, 2));
    assert!(!map.stays_connected(both, &ends));
    // A pair that nobody can go has to be opened.
    let ends = cells([((2, 2), (10, 7))]);
    assert!(!map.stays_connected(Patch::new(), &ends));
    assert!(map.stays_connected(Patch::new().open((10, 7)), &ends));
}
