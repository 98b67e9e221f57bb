//! What a walker takes, by an allocator that counts: at most 128 bytes where it is not learning, whatever the crowd's size.

use waypost::crowd::{AnyCrowd, Options};
use waypost::index::{self, Indexes, Shard};
use waypost::progress::NoProgress;
use waypost::rng::Rng;
use waypost::spec::AgentSpec;
use waypost::{Grid, Map, MoveRules, Point};
use waypost_testkit::allocations::{Counting, measure};

#[global_allocator]
static ALLOCATOR: Counting = Counting;

/// Pillars on open ground: paths have corners, and climbing gets by.
fn pillars() -> Map {
    let open = |p: Point| p.x % 16 != 8 || p.y % 16 != 8;
    let grid = Grid::from_fn(320, 320, open).expect("a legal size");
    Map::new(grid, MoveRules::default())
}

/// Fills a crowd and walks it for a while.
fn walk(crowd: &mut dyn AnyCrowd, walkers: usize) {
    let mut rng = Rng::new(7);
    let mut any = |crowd: &dyn AnyCrowd| loop {
        let point = Point {
            x: rng.below(320),
            y: rng.below(320),
        };
        if crowd.map().passable_cell(point).is_some() {
            return point;
        }
    };
    crowd.reserve(walkers);
    for _ in 0..walkers {
        let (from, to) = (any(crowd), any(crowd));
        let id = crowd.add(from).expect("a passable cell");
        crowd.send(id, to).expect("on the map");
    }
    for _ in 0..20 {
        crowd.tick();
    }
}

/// Bytes held by a crowd of so many walkers, scratch memory included.
fn held(spec: &AgentSpec, map: &Map, indexes: &Indexes, walkers: usize) -> u64 {
    let (crowd, used) = measure(|| {
        let mut crowd = spec
            .crowd(map, indexes, Options::default())
            .expect("it can run here");
        walk(&mut *crowd, walkers);
        crowd
    });
    let said = crowd.memory();
    assert_eq!(said.learned, 0, "{spec}: nobody has to learn here");
    let each = (said.walkers as u64).div_ceil(walkers as u64);
    assert!(each <= 128, "{spec}: {each} bytes by the crowd's own word");
    used.held_bytes
}

#[test]
fn a_walker_takes_at_most_128_bytes_and_a_hundred_thousand_fit_in_64_mb() {
    let map = pillars();
    for text in ["labels", "waypost", "knn-lrta:records=200"] {
        let spec = AgentSpec::parse(text).expect("a right spec");
        let mut indexes = Indexes::new();
        for request in spec.needs() {
            let built = index::build(&map, &request, Shard::WHOLE, &NoProgress);
            indexes.add(built.expect("a small map"));
        }
        let few = held(&spec, &map, &indexes, 10_000);
        let many = held(&spec, &map, &indexes, 100_000);
        let each = (many - few) / 90_000;
        assert!(each <= 128, "{text}: {each} bytes");
        assert!(many <= 64_000_000, "{text}: {many} bytes");
        println!("{text}: {each} bytes a walker, {many} for 100,000");
    }
}
