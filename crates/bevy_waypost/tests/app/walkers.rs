//! Walkers over thousands of frames.

use crate::stage::*;
use bevy_ecs::prelude::*;
use bevy_math::{IVec2, UVec2};
use bevy_waypost::prelude::*;
use waypost_testkit::{TestMap, TestRng};

fn random_cell(map: &TestMap, rng: &mut TestRng) -> (u32, u32) {
    map.random_open_cell(rng).expect("an open cell")
}

#[test]
fn walkers_arrive_and_no_archetype_changes() {
    for exclusive in [false, true] {
        let level = noise(120, 7);
        let mut nav_map = NavMap::new(map_of(&level));
        if exclusive {
            nav_map = nav_map.exclusive();
        }
        let (mut app, map) = on_map(nav_map);
        let mut rng = TestRng::new(3);
        let mut crowd = Vec::new();
        for _ in 0..300 {
            let (from, goal) = (random_cell(&level, &mut rng), random_cell(&level, &mut rng));
            crowd.push(walker(&mut app, from, goal));
        }
        app.update();
        let archetypes = app.world().archetypes().len();
        let places = |app: &bevy_app::App| -> Vec<_> {
            let location = |&e: &Entity| app.world().entity(e).location().archetype_id;
            crowd.iter().map(location).collect()
        };
        let before = places(&app);
        let mut cells: Vec<UVec2> = crowd.iter().map(|&e| look(&app, e).cell()).collect();
        let (mut arrivals, mut steps) = (0, 0);
        for frame in 0..2_000 {
            app.update();
            for (&entity, known) in crowd.iter().zip(&mut cells) {
                let now = look(&app, entity).cell();
                let step: IVec2 = now.as_ivec2() - known.as_ivec2();
                assert!(
                    step.abs().max_element() <= 1,
                    "frame {frame}: a step of {step}"
                );
                assert!(
                    level.is_open_at(now.into()),
                    "frame {frame}: {now} is a wall"
                );
                // No corner is cut.
                assert!(level.is_open_at((known.x, now.y)) && level.is_open_at((now.x, known.y)));
                steps += u32::from(step != IVec2::ZERO);
                *known = now;
            }
            if exclusive {
                let mut taken = cells.clone();
                taken.sort_by_key(|cell| (cell.y, cell.x));
                taken.dedup();
                assert_eq!(taken.len(), cells.len(), "frame {frame}: a cell is shared");
            }
            for news in read::<Arrived>(&mut app) {
                arrivals += 1;
                assert_eq!(look(&app, news.entity).cell(), news.cell);
                assert!(look(&app, news.entity).has_arrived());
                let goal = random_cell(&level, &mut rng);
                send(
                    &mut app,
                    news.entity,
                    Goal::Cell(UVec2::new(goal.0, goal.1)),
                );
            }
            for news in read::<Unreachable>(&mut app) {
                let goal = random_cell(&level, &mut rng);
                send(
                    &mut app,
                    news.entity,
                    Goal::Cell(UVec2::new(goal.0, goal.1)),
                );
            }
        }
        assert!(arrivals > 2_000, "{arrivals} arrivals in {steps} steps");
        assert_eq!(app.world().archetypes().len(), archetypes);
        assert_eq!(places(&app), before, "no walker has changed its archetype");
        let nav_map = app.world().get::<NavMap>(map).expect("a map");
        assert_eq!((nav_map.walkers(), nav_map.state()), (300, NavState::Ready));
    }
}
