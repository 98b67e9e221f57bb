use super::*;
use crate::agent::Scratch;
use crate::grid::{Grid, GridPatch, MoveRules, Point};
use crate::index::labels::Settings;
use crate::progress::NoProgress;
use crate::rng::Rng;
use crate::run::{Outcome, walk};
use crate::search::{AStar, PathSearch};
use crate::spec::AgentSpec;

fn random_map(rng: &mut Rng, rules: MoveRules) -> Map {
    let walls = rng.below(40);
    let grid = Grid::from_fn(30, 25, |_| !rng.percent(walls)).expect("a legal size");
    Map::new(grid, rules)
}

fn build(map: &Map) -> Arc<CornerLabels> {
    Arc::new(CornerLabels::build(map, Settings::default(), &NoProgress).expect("few corners"))
}

fn slot_of(map: &Map) -> Arc<Slot> {
    let request = IndexRequest::new(IndexKind::Labels);
    Slot::new(map, build(map), request).expect("labels of this map")
}

fn random_point(rng: &mut Rng) -> Point {
    Point {
        x: rng.below(30),
        y: rng.below(25),
    }
}

/// Walks between random points and compares with A*. Returns the most operations of a move.
fn check_walks(agent: &mut dyn Agent<Map>, map: &Map, rng: &mut Rng, exact: bool) -> u64 {
    let mut scratch = Scratch::new();
    let mut most = 0;
    for _ in 0..6 {
        let (a, b) = (random_point(rng), random_point(rng));
        let (Some(from), Some(to)) = (map.passable_cell(a), map.passable_cell(b)) else {
            continue;
        };
        let best = AStar::new().distance(map, from, to).map(u64::from);
        let mut context = Context::new(map, &mut scratch);
        let walked = walk(agent, &mut context, from, to, 5_000, &mut ()).expect("legal moves");
        let cost = (walked.outcome == Outcome::Arrived).then_some(walked.cost);
        assert_eq!(cost.is_some(), best.is_some(), "{a} -> {b}");
        assert!(!exact || cost == best, "{a} -> {b}: {cost:?}, {best:?}");
        most = most.max(walked.operations_per_move_max);
    }
    most
}

#[test]
fn moves_are_optimal_and_within_the_bound() {
    for seed in 0..30 {
        let mut rng = Rng::for_item(51, seed);
        let map = random_map(&mut rng, MoveRules::ALL[seed as usize % 6]);
        let mut agent = label_agent(&slot_of(&map), &map).expect("labels");
        let most = check_walks(&mut *agent, &map, &mut rng, true);
        assert!(
            most <= agent.operations_bound(&map).expect("a bound"),
            "seed {seed}"
        );
    }
}

#[test]
fn changes_are_survived_and_new_labels_taken_over() {
    for seed in 0..30 {
        let mut rng = Rng::for_item(52, seed);
        let mut map = random_map(&mut rng, MoveRules::ALL[seed as usize % 6]);
        let slot = slot_of(&map);
        let mut agent = label_agent(&slot, &map).expect("labels");
        for round in 0..4 {
            let patch = GridPatch::new().block(random_point(&mut rng));
            let patch = patch.open(random_point(&mut rng));
            map.apply(&patch);
            // Where nobody sees to the jump points, agents repair them in their moves, and what they walk meanwhile may be in vain.
            if round != 1 {
                slot.advance(&map, u64::MAX, true);
            }
            let most = check_walks(&mut *agent, &map, &mut rng, round != 1);
            assert!(most <= agent.operations_bound(&map).expect("a bound"));
            if round == 2 {
                slot.replace(&map, build(&map)).expect("labels of this map");
                check_walks(&mut *agent, &map, &mut rng, true);
            }
        }
    }
}

#[test]
fn specs_say_what_they_need() {
    let spec = AgentSpec::parse("labels:order=degree,max-bytes=5000").expect("a good spec");
    let needs = spec.needs();
    assert_eq!(needs[0].parameters["order"], "degree");
    assert_eq!(needs[0].parameters["max-bytes"], "5000");
    assert!(AgentSpec::parse("labels:order=best").is_err());
    assert!(AgentSpec::parse("labels:max-bytes=many").is_err());
}
