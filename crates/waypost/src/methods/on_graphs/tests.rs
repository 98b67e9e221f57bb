use crate::agent::{Context, Scratch};
use crate::grid::Cell;
use crate::rng::Rng;
use crate::run::{Outcome, Walk, walk};
use crate::search::{GraphSearch, PathSearch};
use crate::space::{ExplicitGraph, Space};
use crate::spec::AgentSpec;

/// Waypoints strewn over a square, each joined to those near it; some are islands.
fn strewn(seed: u64, nodes: u32) -> ExplicitGraph {
    let mut rng = Rng::new(seed);
    let side = 40 * nodes.isqrt();
    let positions: Vec<[i32; 2]> = (0..nodes)
        .map(|_| [0; 2].map(|_| rng.below(side) as i32))
        .collect();
    let mut edges = Vec::new();
    for a in 0..nodes as usize {
        for b in 0..a {
            let [p, q] = [positions[a], positions[b]];
            let square = (p[0] - q[0]).pow(2) + (p[1] - q[1]).pow(2);
            if square < 3600 && rng.percent(80) {
                let length = square.unsigned_abs().isqrt() + 1;
                edges.push((a as u32, b as u32, length + rng.below(length)));
            }
        }
    }
    ExplicitGraph::new(positions, &edges).expect("a good graph")
}

fn walked(spec: &str, graph: &ExplicitGraph, ends: [Cell; 2]) -> Walk {
    let spec = AgentSpec::parse(spec).unwrap_or_else(|error| panic!("{spec}: {error}"));
    let mut agent = spec.build_on_graph(graph).expect("works on graphs");
    let mut scratch = Scratch::new();
    let mut context = Context::new(graph, &mut scratch);
    walk(
        agent.as_mut(),
        &mut context,
        ends[0],
        ends[1],
        1_000_000,
        &mut (),
    )
    .expect("legal moves")
}

const SPECS: [&str; 6] = [
    "pra:k=inf",
    "pra:k=4",
    "pra:k=1",
    "quickpath",
    "d-lrta",
    "d-lrta:level=2",
];

#[test]
fn all_arrive_on_graphs_and_pra_walks_the_shortest_of_them() {
    let mut sums = [0u64; SPECS.len()];
    let mut best = 0;
    for seed in 0..12 {
        let graph = strewn(seed, 200);
        let mut rng = Rng::new(seed);
        for _ in 0..10 {
            let ends = [0; 2].map(|_| Cell(rng.below(200)));
            let mut search = GraphSearch::new();
            let optimal = search.distance(&graph, ends[0], ends[1]);
            best += optimal.map_or(0, u64::from);
            for (spec, sum) in SPECS.iter().zip(&mut sums) {
                let walk = walked(spec, &graph, ends);
                let what = format!("{spec}, seed {seed}, {ends:?}");
                let expected = match graph.connected(ends[0], ends[1]) {
                    true => Outcome::Arrived,
                    false => Outcome::Unreachable,
                };
                assert_eq!(walk.outcome, expected, "{what}");
                if let Some(optimal) = optimal {
                    assert!(walk.cost >= u64::from(optimal), "{what}");
                    *sum += walk.cost;
                }
            }
        }
    }
    let [whole, four, one, quick, ..] = sums;
    assert!(best <= whole && whole < quick, "{best} {sums:?}");
    assert!(whole * 100 < best * 125, "{best} {sums:?}");
    assert!(four <= one * 2 && one < quick * 2, "{best} {sums:?}");
}

#[test]
fn a_level_beyond_the_highest_is_the_highest() {
    let graph = strewn(1, 30);
    let ends = [Cell(0), Cell(29)];
    let [high, all] = ["d-lrta:level=40", "d-lrta:level=9"].map(|spec| walked(spec, &graph, ends));
    assert_eq!(high.path, all.path);
}
