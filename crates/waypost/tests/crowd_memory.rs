//! What a walker takes, by an allocator that counts: at most 128 bytes where it is not learning, whatever the method and the
//! crowd's size.

use waypost::crowd::{AnyCrowd, Options, Status, WalkerId};
use waypost::index::{self, Indexes, Shard};
use waypost::progress::NoProgress;
use waypost::rng::Rng;
use waypost::spec::{ALGORITHMS, AgentSpec};
use waypost::{Grid, Map, MoveRules, Point};
use waypost_testkit::allocations::{Counting, measure};

#[global_allocator]
static ALLOCATOR: Counting = Counting;

/// Methods whose walkers hold what they search with, by their nature: open and closed lists, lanes, trails, a way across a sector.
const HOLD_THEIR_SEARCH: [&str; 5] = ["lrts", "tba", "pra", "quickpath", "dba"];

/// Pillars on open ground: paths have corners, and climbing gets by.
fn pillars(side: u32) -> Map {
    let open = |p: Point| p.x % 16 != 8 || p.y % 16 != 8;
    let grid = Grid::from_fn(side, side, open).expect("a legal size");
    Map::new(grid, MoveRules::default())
}

fn random_point(map: &Map, rng: &mut Rng) -> Point {
    loop {
        let point = Point {
            x: rng.below(map.grid().width()),
            y: rng.below(map.grid().height()),
        };
        if map.passable_cell(point).is_some() {
            return point;
        }
    }
}

/// Fills a crowd, and walks it for a while.
fn walk(crowd: &mut dyn AnyCrowd, walkers: usize, ticks: u64) -> Vec<WalkerId> {
    let mut rng = Rng::new(7);
    crowd.reserve(walkers);
    let mut ids = Vec::with_capacity(walkers);
    for _ in 0..walkers {
        let from = random_point(&crowd.map(), &mut rng);
        let to = random_point(&crowd.map(), &mut rng);
        let id = crowd.add(from).expect("a passable cell");
        crowd.send(id, to).expect("on the map");
        ids.push(id);
    }
    for _ in 0..ticks {
        crowd.tick();
    }
    ids
}

fn indexes_for(spec: &AgentSpec, map: &Map) -> Indexes {
    let mut indexes = Indexes::new();
    for request in spec.needs() {
        let built = index::build(map, &request, Shard::WHOLE, &NoProgress);
        indexes.add(built.expect("a small map"));
    }
    indexes
}

/// The allocator counts for each thread apart.
fn on_one_thread<T: Send>(work: impl FnOnce() -> T + Send) -> T {
    let pool = rayon::ThreadPoolBuilder::new().num_threads(1).build();
    pool.expect("a pool").install(work)
}

/// Bytes held by a crowd of so many walkers, what they share included, and what of them was learned.
fn held(
    spec: &AgentSpec,
    map: &Map,
    indexes: &Indexes,
    walkers: usize,
    options: Options,
    ticks: u64,
) -> (u64, u64) {
    let ((crowd, ids), used) = on_one_thread(|| {
        measure(|| {
            let mut crowd = spec.crowd(map, indexes, options).expect("it can run here");
            let ids = walk(&mut *crowd, walkers, ticks);
            (crowd, ids)
        })
    });
    let said = crowd.memory();
    let moving = |&&id: &&WalkerId| crowd.status(id) == Ok(Status::Moving);
    let under_way = ids.iter().filter(moving).count();
    assert!(under_way * 2 > walkers, "{spec}: most have arrived already");
    let list = (ids.capacity() * size_of::<WalkerId>()) as u64;
    (used.held_bytes - list, said.learned as u64)
}

#[test]
fn a_walker_takes_at_most_128_bytes_and_a_hundred_thousand_fit_in_64_mb() {
    let map = pillars(320);
    for text in [
        "labels",
        "waypost",
        "knn-lrta:records=200",
        "sectors",
        "hcdps",
    ] {
        let spec = AgentSpec::parse(text).expect("a right spec");
        let indexes = indexes_for(&spec, &map);
        let options = Options::default();
        let (few, learned) = held(&spec, &map, &indexes, 10_000, options, 20);
        assert_eq!(learned, 0, "{text}: nobody has to learn here");
        let (many, _) = held(&spec, &map, &indexes, 100_000, options, 20);
        let each = (many - few) / 90_000;
        assert!(each <= 128, "{text}: {each} bytes");
        assert!(many <= 64_000_000, "{text}: {many} bytes");
        println!("{text}: {each} bytes a walker, {many} for 100,000");
    }
}

/// Every method there is, with everybody's plan made: what walkers have learned aside.
#[test]
fn no_method_takes_more_than_128_bytes_a_walker_that_is_not_learning() {
    let map = pillars(90);
    let options = Options {
        set_up_operations: u64::MAX,
        ..Options::default()
    };
    for algorithm in ALGORITHMS {
        let spec = AgentSpec::parse(algorithm.name).expect("a name alone");
        let indexes = indexes_for(&spec, &map);
        // What all crowds of a spec share is made once.
        held(&spec, &map, &indexes, 500, options, 20);
        let (few, few_learned) = held(&spec, &map, &indexes, 500, options, 20);
        let (many, many_learned) = held(&spec, &map, &indexes, 1500, options, 20);
        let learned = (many_learned - few_learned) / 1000;
        let each = (many - few) / 1000;
        println!("{spec}: {each} bytes a walker, {learned} of them learned");
        let holds_search = HOLD_THEIR_SEARCH.contains(&algorithm.name);
        // Tables of learned values have empty slots, as many as the thread that they come from has needed before: walkers that
        // learn are not what this is about.
        assert!(
            learned > 0 || (each > 128) == holds_search,
            "{spec}: {each} bytes"
        );
    }
}
