//! Bounds in weighted operations are no fig leaves: for each method that publishes one, the costliest move seen on a few maps is not far
//! below it. The settings are small, so that maps of a hundred cells square use them up.

mod common;

use common::{cell, engine_map, lone::try_indexes};
use waypost::agent::Scratch;
use waypost::spec::AgentSpec;
use waypost::{Agent, Context, Decision, Map, Meter};
use waypost_testkit::shapes::Shape;
use waypost_testkit::{Rules, TestMap, TestRng};

/// A method, and how many times its costliest move its bound may be: what was measured, and a quarter more.
const MOST: &[(&str, f64)] = &[
    ("waypost", 2.7),
    ("labels", 2.7),
    ("sectors", 1.9),
    ("cpd", 1.3),
    ("tba", 1.3),
    ("lrta", 1.3),
    ("lss-lrta", 1.4),
    ("rtaa", 1.3),
    ("lrts", 6.4),
    ("d-lrta", 1.3),
    ("quickpath", 2.0),
    ("hcdps:climb=20", 2.2),
    ("dba:side=8,climb=20", 3.5),
    ("knn-lrta-2009:records=400", 2.9),
    ("knn-lrta:records=400,climb=20,visits=128,effort=200", 2.2),
];

const SIDE: u32 = 100;
const WALKS: u32 = 60;
const MOVES: u32 = 3000;

/// The smallest ratio of bound to costliest move on any of the maps; none where the method publishes no bound.
fn worth(name: &str) -> Option<f64> {
    let spec = AgentSpec::parse(name).expect("a good spec");
    let mut least: Option<f64> = None;
    let shapes = [Shape::Noise, Shape::Rooms, Shape::Caves, Shape::Maze];
    for (seed, shape) in (0..).zip(shapes) {
        let mut rng = TestRng::new(seed);
        let test_map = shape.make(SIDE, SIDE, &mut rng);
        let map = engine_map(&test_map, Rules::all()[0]);
        let Ok(indexes) = try_indexes(&spec, &map) else {
            continue;
        };
        let mut agent = spec.build(&map, &indexes).expect("its index is there");
        let bound = agent.weighted_bound(&map)?;
        let worst = costliest(agent.as_mut(), &map, &test_map, &mut rng);
        assert!(worst <= bound, "{name}: {worst} beyond {bound}");
        let ratio = bound as f64 / worst.max(1) as f64;
        least = Some(least.map_or(ratio, |least| least.min(ratio)));
    }
    least
}

/// The most weighted operations of any move of some walks.
fn costliest(agent: &mut dyn Agent<Map>, map: &Map, test_map: &TestMap, rng: &mut TestRng) -> u64 {
    let open: Vec<(u32, u32)> = (0..SIDE * SIDE)
        .map(|at| (at % SIDE, at / SIDE))
        .filter(|&(x, y)| test_map.is_open(x.into(), y.into()))
        .collect();
    let mut any = || cell(map, open[rng.below(open.len() as u32) as usize]);
    let mut scratch = Scratch::new();
    let mut most = 0;
    for _ in 0..WALKS {
        let (mut at, goal) = (any(), any());
        let mut context = Context::new(map, &mut scratch);
        agent.start(&mut context, at, goal);
        for _ in 0..MOVES {
            context.meter = Meter::default();
            let decision = agent.next_move(&mut context, at);
            most = most.max(context.meter.weighted());
            match decision {
                Decision::Step(to) => at = to,
                Decision::Thinking => {}
                _ => break,
            }
        }
    }
    most
}

#[test]
fn bounds_in_weighted_operations_are_near_the_costliest_moves() {
    for &(name, most) in MOST {
        let ratio = worth(name).expect("it publishes a bound");
        println!("{name}: {ratio:.2}");
        assert!(ratio <= most, "{name}: {ratio:.2} times the costliest move");
    }
}
