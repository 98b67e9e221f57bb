use super::*;
use crate::agent::Scratch;
use crate::grid::{Grid, GridPatch, MoveRules, Point};
use crate::index::{self, Shard};
use crate::progress::NoProgress;
use crate::rng::Rng;
use crate::run::{Outcome, walk};
use crate::search::PathSearch;
use crate::spec::AgentSpec;

fn agents(map: &Map, spec: &str, count: usize) -> Vec<Box<dyn Agent<Map>>> {
    let spec = AgentSpec::parse(spec).expect("a good spec");
    let mut indexes = Indexes::new();
    for request in spec.needs() {
        let index = index::build(map, &request, Shard::WHOLE, &NoProgress);
        indexes.add(index.expect("an index"));
    }
    (0..count)
        .map(|_| spec.build(map, &indexes).expect("an agent"))
        .collect()
}

#[test]
fn agents_walk_optimal_paths_while_the_map_changes() {
    for seed in 0..40 {
        let mut rng = Rng::for_item(31, seed);
        let rules = MoveRules::ALL[seed as usize % 6];
        let walls = rng.below(60);
        let grid = Grid::from_fn(30, 25, |_| !rng.percent(walls)).expect("a legal size");
        let mut map = Map::new(grid, rules);
        let mut scratch = Scratch::new();
        for spec in ["jps", "jump-graph"] {
            let mut agents = agents(&map, spec, 2);
            for _ in 0..4 {
                let random_point = |rng: &mut Rng| Point {
                    x: rng.below(30),
                    y: rng.below(25),
                };
                let (a, b) = (random_point(&mut rng), random_point(&mut rng));
                let (Some(from), Some(to)) = (map.passable_cell(a), map.passable_cell(b)) else {
                    continue;
                };
                let best = AStar::new().distance(&map, from, to);
                for agent in &mut agents {
                    for operations in [u64::MAX, 3] {
                        let mut context = Context::new(&map, &mut scratch);
                        context.budget = Budget { operations };
                        let walked = walk(&mut **agent, &mut context, from, to, 100_000, &mut ())
                            .expect("legal moves");
                        let cost = (walked.outcome == Outcome::Arrived).then_some(walked.cost);
                        assert_eq!(cost, best.map(u64::from), "seed {seed} {spec} {a} -> {b}");
                        let most = if operations == 3 { 4 } else { u64::MAX };
                        assert!(walked.operations_per_move_max <= most);
                    }
                }
                let patch = GridPatch::new().block(random_point(&mut rng));
                let patch = patch.open(random_point(&mut rng));
                map.apply(&patch);
            }
        }
    }
}

#[test]
fn dense_maps_are_searched_by_cells() {
    let mut rng = Rng::new(4);
    let noise = Grid::from_fn(60, 60, |_| !rng.percent(30)).expect("a legal size");
    let graph = JumpGraph::build(&Map::new(noise, MoveRules::default()));
    assert!(graph.is_too_dense(), "{}", graph.density_percent());
    let rooms = Grid::from_fn(60, 60, |p| {
        (p.x % 12 != 0 || p.y % 12 == 5) && p.y % 15 != 0
    });
    let graph = JumpGraph::build(&Map::new(
        rooms.expect("a legal size"),
        MoveRules::default(),
    ));
    assert!(!graph.is_too_dense(), "{}", graph.density_percent());
}
