//! bevy_waypost beside bevy_northstar: the same map, the same queries, the same walkers, one headless run. Processor time of all
//! threads, so that a busy machine does not distort it.
//!
//! `waypost-northstar [SIDE] [QUERIES] [WALKERS] [FRAMES]`

mod frames;
mod paths;

use bevy_math::UVec2;
use cpu_time::ProcessTime;
use std::time::Duration;
use waypost::generate::{Kind, generate};
use waypost::rng::Rng;
use waypost::{Map, MoveRules, Point};
use waypost_testkit::allocations::held_by_all_threads;

#[global_allocator]
static ALLOCATOR: waypost_testkit::allocations::Counting = waypost_testkit::allocations::Counting;

/// The level and what is asked of it.
pub struct Scene {
    pub map: Map,
    pub queries: Vec<(UVec2, UVec2)>,
    pub walkers: usize,
    pub frames: usize,
}

/// What was built, in which time, and the bytes that it holds.
pub struct Built<T> {
    pub what: T,
    pub took: Duration,
    pub bytes: i64,
}

pub fn build<T>(make: impl FnOnce() -> T) -> Built<T> {
    let (held, begun) = (held_by_all_threads(), ProcessTime::now());
    let what = make();
    Built {
        what,
        took: begun.elapsed(),
        bytes: held_by_all_threads() - held,
    }
}

fn main() {
    let mut numbers = std::env::args().skip(1).map(|text| {
        text.parse::<u32>().unwrap_or_else(|_| panic!("`{text}` is no number; usage: waypost-northstar [SIDE] [QUERIES] [WALKERS] [FRAMES]"))
    });
    let mut number = |usual| numbers.next().unwrap_or(usual);
    let (side, queries) = (number(512), number(200));
    let (walkers, frames) = (number(1_000), number(300));
    let grid = generate(Kind::Arena, side, side, 1).expect("an arena");
    let map = Map::new(grid, MoveRules::default());
    let mut rng = Rng::new(3);
    let queries = (0..queries).map(|_| connected(&map, &mut rng)).collect();
    let scene = Scene {
        map,
        queries,
        walkers: walkers as usize,
        frames: frames as usize,
    };
    println!(
        "arena of {side} x {side} cells, {} of them free\n",
        scene.map.grid().passable_count()
    );
    paths::compare(&scene);
    frames::compare(&scene);
}

/// Two cells with a way between them.
fn connected(map: &Map, rng: &mut Rng) -> (UVec2, UVec2) {
    loop {
        let mut point = || Point {
            x: rng.below(map.grid().width()),
            y: rng.below(map.grid().height()),
        };
        let (from, goal) = (point(), point());
        let cells = map.passable_cell(from).zip(map.passable_cell(goal));
        if cells.is_some_and(|(a, b)| a != b && map.components().connected(a, b)) {
            return (UVec2::new(from.x, from.y), UVec2::new(goal.x, goal.y));
        }
    }
}
