//! After the first search of a map, searches allocate nothing.

use waypost::heuristic::{Heuristic, Weight};
use waypost::index::landmarks::{Landmarks, Parameters, Placing};
use waypost::progress::NoProgress;
use waypost::search::{AStar, Dijkstra, GraphSearch, Guide, PathSearch};
use waypost::space::ExplicitGraph;
use waypost::{Cell, Grid, Map, MoveRules, Space};
use waypost_testkit::allocations::{self, Counting};
use waypost_testkit::{TestRng, shapes};

#[global_allocator]
static ALLOCATOR: Counting = Counting;

fn map(seed: u64) -> Map {
    let mut rng = TestRng::new(seed);
    let test_map = shapes::noise(90, 70, 25, &mut rng);
    let grid = Grid::from_fn(90, 70, |p| test_map.is_open_at((p.x, p.y)));
    Map::new(
        grid.expect("a legal size"),
        MoveRules::ALL[seed as usize % 6],
    )
}

fn pairs<S: Space>(space: &S, count: usize, rng: &mut TestRng) -> Vec<(Cell, Cell)> {
    let nodes: Vec<Cell> = (0..space.id_bound() as u32)
        .map(Cell)
        .filter(|&cell| space.contains(cell))
        .collect();
    let mut node = || nodes[rng.below(nodes.len() as u32) as usize];
    (0..count).map(|_| (node(), node())).collect()
}

/// Two passes over the same problems: the first grows the memory, the second must not.
fn check<S: Space>(what: &str, space: &S, search: &mut impl PathSearch<S>) {
    let mut rng = TestRng::new(11);
    let pairs = pairs(space, 60, &mut rng);
    let mut path = Vec::with_capacity(space.id_bound());
    let mut pass = || {
        for &(from, to) in &pairs {
            search.begin(space, from, to);
            search.advance(space, u64::MAX);
            search.path_into(space, &mut path);
        }
    };
    pass();
    let ((), used) = allocations::measure(pass);
    assert_eq!((used.count, used.bytes), (0, 0), "{what}");
}

#[test]
fn searches_allocate_nothing_after_the_first_pass() {
    assert!(allocations::is_counting());
    for seed in 0..6 {
        let map = map(seed);
        check("astar", &map, &mut AStar::new());
        check("dijkstra", &map, &mut Dijkstra::new());
        check("graph search on a map", &map, &mut GraphSearch::new());
        let mut hurried = AStar::new();
        hurried.steer(Guide {
            weight: Weight::new(1.5).expect("in range"),
            ..Guide::default()
        });
        check("weighted astar", &map, &mut hurried);
        let parameters = Parameters {
            pivots: 6,
            placing: Placing::Farthest,
            states: 0,
        };
        let landmarks = Landmarks::build(&map, &parameters, &NoProgress).expect("a small map");
        let mut guided = AStar::new();
        guided.steer(Guide {
            heuristic: Heuristic::Differential(landmarks.into()),
            ..Guide::default()
        });
        check("astar with landmarks", &map, &mut guided);
    }
}

#[test]
fn waypoint_graphs_are_searched_without_allocating() {
    let mut rng = TestRng::new(5);
    let positions: Vec<[i32; 2]> = (0..300)
        .map(|_| [rng.below(1000) as i32, rng.below(1000) as i32])
        .collect();
    let edges: Vec<(u32, u32, u32)> = (0..900)
        .map(|_| (rng.below(300), rng.below(300), 2000 + rng.below(5000)))
        .collect();
    let graph = ExplicitGraph::new(positions, &edges).expect("a good graph");
    check("graph", &graph, &mut GraphSearch::new());
}
