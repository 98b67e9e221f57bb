//! The theorems of JAIR 2010 as property tests.

use super::*;
use crate::cost::CostPair;
use crate::grid::Corners;
use crate::search::hill_climb;

#[test]
fn theorem_5_lrta_walks_the_climb_and_visits_nothing_twice() {
    let mut climbs = 0;
    for seed in 0..300 {
        let picture = shapes::any(seed, 4, 30);
        let map = map_of(&picture, MoveRules::ALL[seed as usize % 6]);
        let mut rng = Rng::new(seed);
        for _ in 0..20 {
            let Some((from, goal)) = pair(&map, &mut rng) else {
                continue;
            };
            let mut path = vec![from];
            if !hill_climb::climb(&map, from, goal, u32::MAX, |cell| path.push(cell)).reached {
                continue;
            }
            climbs += 1;
            let lrta = walked(&mut LrtaAgent::new(LrtaParams::default()), &map, from, goal);
            assert_eq!(lrta.path, path, "seed {seed}\n{picture}");
            assert_eq!(lrta.revisits, 0);
            // With the goal first, kNN LRTA* walks it too, and learns nothing.
            let empty = database(&map, 0, Method::Jair2010).expect("no records are always there");
            let params = KnnParams {
                climb: u32::MAX,
                ..KnnParams::default()
            };
            let mut agent = KnnLrta::new(empty.cases().clone(), params);
            assert_eq!(walked(&mut agent, &map, from, goal).path, path);
            assert!(!agent.climber.has_learned());
        }
    }
    assert!(climbs > 1000);
}

/// Figure 10 with its costs: climbing walks 16.4 along the wall where 15 is enough, whichever of two equal neighbours it prefers.
/// Diagonals cut corners here: of straight walls that forbid it none with this pair of costs was found.
#[test]
fn figure_10_climbing_costs_16_4_where_15_is_enough() {
    let mut picture = TestMap::filled(10, 16, true);
    picture.set_rectangle(7, 2, 1, 8, false);
    for corners in [Corners::One, Corners::Always] {
        let rules = MoveRules {
            costs: CostPair::OnePointFour,
            corners,
        };
        let map = map_of(&picture, rules);
        let cell = |x, y| map.passable_cell(Point { x, y }).expect("passable");
        let (from, goal) = (cell(2, 14), cell(8, 2));
        let climb = hill_climb::climb(&map, from, goal, u32::MAX, |_| {});
        assert!(climb.reached, "{corners:?}");
        let lrta = walked(&mut LrtaAgent::new(LrtaParams::default()), &map, from, goal);
        let mut search = crate::search::AStar::new();
        let optimal = crate::search::PathSearch::distance(&mut search, &map, from, goal);
        let straight = u64::from(rules.costs.straight());
        assert_eq!(lrta.cost * 10, 164 * straight, "{corners:?}");
        assert_eq!(optimal.map(u64::from), Some(15 * straight));
    }
}

/// Theorem 6: climbing hugs the wall, though the way round its other end is shorter.
#[test]
fn theorem_6_climbing_need_not_be_optimal() {
    let mut picture = TestMap::filled(14, 8, true);
    picture.set_rectangle(2, 3, 9, 1, false);
    let map = map_of(&picture, MoveRules::default());
    let cell = |x, y| map.passable_cell(Point { x, y }).expect("passable");
    let mut worse = 0;
    for (from, goal) in (0..14).flat_map(|x| (0..14).map(move |gx| (x, gx))) {
        let (from, goal) = (cell(from, 4), cell(goal, 0));
        let mut agent = LrtaAgent::new(LrtaParams::default());
        if hill_climb::climb(&map, from, goal, u32::MAX, |_| {}).reached {
            let cost = walked(&mut agent, &map, from, goal).cost;
            let mut search = crate::search::AStar::new();
            let optimal = crate::search::PathSearch::distance(&mut search, &map, from, goal);
            worse += u32::from(cost > optimal.map_or(0, u64::from));
        }
    }
    assert!(worse > 0);
}

#[test]
fn theorem_7_every_goal_is_reached_with_any_database_and_settings() {
    for seed in 0..150u32 {
        let picture = shapes::any(seed.into(), 4, 26);
        let map = map_of(&picture, MoveRules::ALL[seed as usize % 6]);
        let mut rng = Rng::new(seed.into());
        for records in [0, 1, 60] {
            let Some(database) = database(&map, records, Method::Jair2010) else {
                continue;
            };
            for round in 0..6 {
                let Some((from, goal)) = pair(&map, &mut rng) else {
                    continue;
                };
                let params = settings(seed.wrapping_mul(11) + round * 411);
                let agent = KnnLrta::new(database.cases().clone(), params);
                let extras = CaseExtras {
                    fragments: (round == 5).then(|| database.fragments(&map).expect("few parts")),
                    costs: Some(database.costs(&map)),
                    landmarks: None,
                };
                let mut agent = agent.with_extras(Arc::new(extras));
                check_walk(
                    &mut agent,
                    &map,
                    from,
                    goal,
                    &format!("seed {seed} {params:?}"),
                );
            }
        }
    }
}

#[test]
fn theorem_7_for_the_2009_version() {
    for seed in 0..90u32 {
        let picture = shapes::any(seed.into(), 4, 22);
        let map = map_of(&picture, MoveRules::ALL[seed as usize % 6]);
        let mut rng = Rng::new(seed.into());
        for records in [0, 1, 60] {
            let Some(database) = database(&map, records, Method::Aiide2009) else {
                continue;
            };
            for round in 0..3 {
                let Some((from, goal)) = pair(&map, &mut rng) else {
                    continue;
                };
                let params = Knn2009Params {
                    climb: [25, 3][round % 2],
                    lookahead: [3, 1, 2][round],
                    ..Knn2009Params::default()
                };
                let mut agent = Knn2009::new(&map, database.cases().clone(), params);
                check_walk(
                    &mut agent,
                    &map,
                    from,
                    goal,
                    &format!("seed {seed} {params:?}"),
                );
            }
        }
    }
}
