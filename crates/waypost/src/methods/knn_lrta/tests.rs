use super::*;
use crate::agent::Scratch;
use crate::agent::lrta::{LrtaAgent, LrtaParams};
use crate::grid::{Grid, GridPatch, MoveRules, Point};
use crate::index::subgoals::{
    Draw, Method, Scope, SubgoalDatabase, SubgoalParameters, build_on_graph,
};
use crate::index::{Indexes, Shard};
use crate::map::Map;
use crate::methods::knn_lrta::version_2009::{Knn2009, Knn2009Params};
use crate::progress::NoProgress;
use crate::rng::Rng;
use crate::run::{Outcome, Walk, Watch, walk};
use crate::space::ExplicitGraph;
use crate::spec::AgentSpec;
use waypost_testkit::{TestMap, shapes};

#[path = "theorems.rs"]
mod theorems;

fn map_of(picture: &TestMap, rules: MoveRules) -> Map {
    let grid = Grid::from_fn(picture.width(), picture.height(), |p| {
        picture.is_open_at((p.x, p.y))
    });
    Map::new(grid.expect("a legal size"), rules)
}

fn database(map: &Map, records: u32, method: Method) -> Option<Arc<SubgoalDatabase>> {
    let parameters = SubgoalParameters {
        records,
        seed: 3,
        scope: Scope::All,
        method,
        draw: Draw::Random,
        ..SubgoalParameters::default()
    };
    SubgoalDatabase::build(map, &parameters, Shard::WHOLE, &NoProgress)
        .ok()
        .map(Arc::new)
}

fn pair(map: &Map, rng: &mut Rng) -> Option<(Cell, Cell)> {
    let cells: Vec<Cell> = map.grid().cells().collect();
    let mut draw = || cells.get(rng.below(cells.len() as u32) as usize).copied();
    Some((draw()?, draw()?))
}

fn walked<S: Space>(agent: &mut dyn Agent<S>, space: &S, from: Cell, goal: Cell) -> Walk {
    let mut scratch = Scratch::new();
    let mut context = Context::new(space, &mut scratch);
    walk(agent, &mut context, from, goal, 2_000_000, &mut ()).expect("legal moves")
}

/// Settings of all kinds: every enhancement off and on, alone and together.
fn settings(number: u32) -> KnnParams {
    let bit = |i: u32| number >> i & 1 == 0;
    KnnParams {
        candidates: if bit(0) { 10 } else { u32::MAX },
        climb: if bit(1) { 250 } else { 6 },
        effort: if bit(12) { 1000 } else { 15 },
        lookup: if bit(2) {
            Lookup::Tree { visits: 4096 }
        } else {
            Lookup::Scan
        },
        quota: if bit(3) { 3.0 } else { 0.0 },
        goal_first: bit(4),
        first_subgoal: bit(5),
        last_subgoal: bit(6),
        learn_always: !bit(7),
        choose: if bit(8) {
            Choice::Similarity
        } else {
            Choice::Cost
        },
        join: if bit(9) { Join::Ends } else { Join::Any },
        neighbours: if bit(10) { 1 } else { 3 },
        aware: if bit(11) { 0 } else { 2 },
    }
}

fn check_walk<S: Space>(
    agent: &mut dyn Agent<S>,
    space: &S,
    from: Cell,
    goal: Cell,
    problem: &str,
) {
    let bound = agent.operations_bound(space).expect("a bound");
    let walk = walked(agent, space, from, goal);
    let expected = if space.connected(from, goal) {
        Outcome::Arrived
    } else {
        Outcome::Unreachable
    };
    assert_eq!(walk.outcome, expected, "{problem}");
    let most = walk.operations_per_move_max;
    assert!(most <= bound, "{problem}: {most} of {bound}");
}

/// Records cover small maps well, so nearly all problems are solved without a search.
#[test]
fn lrta_and_climbing_make_the_same_moves() {
    let mut compared = 0;
    for seed in 0..60 {
        let picture = shapes::any(seed, 20, 40);
        let map = map_of(&picture, MoveRules::ALL[seed as usize % 6]);
        let Some(database) = database(&map, 400, Method::Jair2010) else {
            continue;
        };
        let mut rng = Rng::new(seed);
        for _ in 0..10 {
            let Some((from, goal)) = pair(&map, &mut rng) else {
                continue;
            };
            let agent = |learn_always, lookup| {
                let params = KnnParams {
                    learn_always,
                    lookup,
                    ..KnnParams::default()
                };
                KnnLrta::new(database.cases().clone(), params)
            };
            let tree = Lookup::Tree { visits: 4096 };
            let mut climbing = agent(false, tree);
            let walk = walked(&mut climbing, &map, from, goal);
            let scanned = walked(&mut agent(false, Lookup::Scan), &map, from, goal);
            assert_eq!(walk.path, scanned.path, "seed {seed}\n{picture}");
            if !climbing.climber.has_learned() {
                let by_lrta = walked(&mut agent(true, tree), &map, from, goal);
                assert_eq!(walk.path, by_lrta.path, "seed {seed}\n{picture}");
                compared += 1;
            }
        }
    }
    assert!(compared > 300, "{compared}");
}

#[test]
fn an_agent_is_small_until_it_learns() {
    assert!(size_of::<KnnLrta>() <= 128, "{}", size_of::<KnnLrta>());
    let map = map_of(&TestMap::filled(30, 30, true), MoveRules::default());
    let both = [Method::Jair2010, Method::Aiide2009].map(|m| database(&map, 50, m));
    let [Some(new), Some(old)] = both else {
        panic!("open ground is suitable");
    };
    let mut agents: [Box<dyn Agent<Map>>; 2] = [
        Box::new(KnnLrta::new(new.cases().clone(), KnnParams::default())),
        Box::new(Knn2009::new(
            &map,
            old.cases().clone(),
            Knn2009Params::default(),
        )),
    ];
    let mut scratch = Scratch::new();
    let mut context = Context::new(&map, &mut scratch);
    let cell = |x, y| map.passable_cell(Point { x, y }).expect("passable");
    for agent in &mut agents {
        agent.start(&mut context, cell(2, 3), cell(25, 9));
        assert!(agent.reserved_bytes() <= 128, "{}", agent.reserved_bytes());
    }
    // On open ground nothing is ever learned.
    let walk = walk(
        &mut *agents[0],
        &mut context,
        cell(2, 3),
        cell(25, 9),
        100,
        &mut (),
    );
    assert_eq!(walk.map(|walk| walk.outcome), Ok(Outcome::Arrived));
    assert!(agents[0].reserved_bytes() <= 128);
}

/// Counts the moves that asked the database.
#[derive(Default)]
struct Selections(u32);

impl Watch for Selections {
    fn after(&mut self, _decision: Decision, meter: &crate::agent::Meter) {
        self.0 += u32::from(meter.look_ups > 0);
    }
}

#[test]
fn the_quota_allows_one_more_selection_and_no_third() {
    // A comb in front of the goal: LRTA* has much to learn, and climbs of one step find no record.
    let picture = TestMap::from_text(
        "..........
         .@@@@@@@@.
         .@......@.
         .@.@@@@.@.
         .@.@....@.
         .@.@@@@@@.
         .@........
         .@@@@@@@@@
         ..........",
    );
    let map = map_of(&picture, MoveRules::default());
    let database = database(&map, 3, Method::Jair2010).expect("a suitable map");
    let cell = |x, y| map.passable_cell(Point { x, y }).expect("passable");
    let selections = |quota| {
        let params = KnnParams {
            quota,
            climb: 1,
            ..KnnParams::default()
        };
        let mut agent = KnnLrta::new(database.cases().clone(), params);
        let mut scratch = Scratch::new();
        let mut context = Context::new(&map, &mut scratch);
        let mut watch = Selections::default();
        let (from, goal) = (cell(4, 4), cell(0, 8));
        let end = walk(&mut agent, &mut context, from, goal, 100_000, &mut watch);
        assert_eq!(end.map(|walk| walk.outcome), Ok(Outcome::Arrived));
        watch.0
    };
    assert_eq!(selections(0.0), 1);
    assert_eq!(selections(3.0), 2);
}

/// Somebody is in the way every third time, and sometimes the agent is pushed aside: it arrives all the same, and waiting
/// alone makes it select nothing again.
#[test]
fn waiting_costs_no_selection_and_pushes_do_no_harm() {
    let picture = shapes::any(21, 30, 40);
    let map = map_of(&picture, MoveRules::default());
    let database = database(&map, 400, Method::Jair2010).expect("a suitable map");
    let mut rng = Rng::new(9);
    for round in 0..60 {
        let Some((from, goal)) = pair(&map, &mut rng).filter(|&(a, b)| map.connected(a, b)) else {
            continue;
        };
        let params = KnnParams {
            goal_first: false,
            ..KnnParams::default()
        };
        let mut agent = KnnLrta::new(database.cases().clone(), params);
        let undisturbed = walked(&mut agent, &map, from, goal);
        let mut scratch = Scratch::new();
        let mut context = Context::new(&map, &mut scratch);
        agent.start(&mut context, from, goal);
        let (mut at, mut selections, mut cost, pushed) = (from, 0, 0, round % 2 == 1);
        for tick in 0.. {
            assert!(tick < 100_000, "round {round}: no end\n{picture}");
            context.meter = Default::default();
            let Decision::Step(to) = agent.next_move(&mut context, at) else {
                break;
            };
            selections += u32::from(context.meter.look_ups > 0);
            assert!(map.legal_step(at, to).is_some());
            if rng.percent(66) {
                cost += u64::from(map.edge_cost(at, to).unwrap_or(0));
                at = to;
            } else if pushed && tick < 300 && rng.percent(20) {
                let mut aside = at;
                map.for_each_neighbour(at, |cell, _| aside = cell);
                at = aside;
            }
        }
        assert_eq!(at, goal);
        if !pushed && !agent.climber.has_learned() {
            assert_eq!(cost, undisturbed.cost, "round {round}\n{picture}");
            assert!(selections <= 1, "round {round}: {selections} selections");
        }
    }
}

/// Walls appear and vanish under the agents' feet, half of the time without a word.
#[test]
fn agents_survive_changes_of_the_map() {
    for seed in 0..60u64 {
        let mut rng = Rng::new(seed);
        let mut map = map_of(
            &shapes::any(seed, 14, 30),
            MoveRules::ALL[seed as usize % 6],
        );
        let both = [Method::Jair2010, Method::Aiide2009].map(|m| database(&map, 80, m));
        let [Some(new), Some(old)] = both else {
            continue;
        };
        let Some((from, goal)) = pair(&map, &mut rng) else {
            continue;
        };
        let agents: [Box<dyn Agent<Map>>; 2] = [
            Box::new(KnnLrta::new(new.cases().clone(), KnnParams::default())),
            Box::new(Knn2009::new(
                &map,
                old.cases().clone(),
                Knn2009Params::default(),
            )),
        ];
        for mut agent in agents {
            let mut scratch = Scratch::new();
            let mut at = from;
            agent.start(&mut Context::new(&map, &mut scratch), from, goal);
            for tick in 0..100_000 {
                let mut context = Context::new(&map, &mut scratch);
                match agent.next_move(&mut context, at) {
                    Decision::Step(to) => {
                        assert!(map.legal_step(at, to).is_some(), "seed {seed}");
                        at = to;
                    }
                    Decision::Thinking => {}
                    Decision::Arrived => break,
                    Decision::Unreachable => {
                        assert!(!map.connected(at, goal), "seed {seed}");
                        break;
                    }
                }
                if tick < 200 && rng.percent(20) {
                    let mut patch = GridPatch::new();
                    for _ in 0..3 {
                        let (x, y) = (
                            rng.below(map.grid().width()),
                            rng.below(map.grid().height()),
                        );
                        let point = Point { x, y };
                        let cell = map.grid().cell(point);
                        if cell != Some(at) && cell != Some(goal) {
                            patch.set(point, !rng.percent(50));
                        }
                    }
                    map.apply(&patch);
                }
                assert!(tick < 99_000, "seed {seed}: no end");
            }
        }
    }
}

/// Section 11: rings of nodes joined by spokes, edges a little dearer than their lengths; nothing here is a grid.
#[test]
fn graphs_are_walked_by_a_scan_and_their_own_heuristic() {
    let mut rng = Rng::new(4);
    let (rings, around) = (9u32, 24u32);
    let position = |ring: u32, i: u32| {
        let angle = f64::from(i) / f64::from(around) * std::f64::consts::TAU;
        let radius = f64::from(100 + 60 * ring);
        [(radius * angle.cos()) as i32, (radius * angle.sin()) as i32]
    };
    let positions: Vec<[i32; 2]> = (0..rings * around)
        .map(|n| position(n / around, n % around))
        .collect();
    let mut edges = Vec::new();
    let mut join = |rng: &mut Rng, a: u32, b: u32| {
        let [from, to] = [a, b].map(|n| positions[n as usize]);
        let square = (0..2).map(|i| (from[i] - to[i]).pow(2)).sum::<i32>();
        let length = square.unsigned_abs().isqrt();
        edges.push((a, b, 10 * length + rng.below(3 * length)));
    };
    for n in 0..rings * around {
        let (ring, i) = (n / around, n % around);
        if !rng.percent(10) {
            join(&mut rng, n, ring * around + (i + 1) % around);
        }
        if ring + 1 < rings && rng.percent(35) {
            join(&mut rng, n, n + around);
        }
    }
    let graph = ExplicitGraph::new(positions, &edges).expect("a good graph");
    let parameters = SubgoalParameters {
        records: 1000,
        ..SubgoalParameters::default()
    };
    let cases = Arc::new(build_on_graph(&graph, &parameters, &NoProgress).expect("records"));
    let old = SubgoalParameters {
        method: Method::Aiide2009,
        ..parameters
    };
    let old_cases = Arc::new(build_on_graph(&graph, &old, &NoProgress).expect("records"));
    let (mut with, mut without) = (0, 0);
    for _ in 0..200 {
        let [from, goal] = [0; 2].map(|_| Cell(rng.below(rings * around)));
        let mut knn = KnnLrta::new(cases.clone(), KnnParams::default());
        check_walk(&mut knn, &graph, from, goal, "rings");
        let mut first = Knn2009::new(&graph, old_cases.clone(), Knn2009Params::default());
        check_walk(&mut first, &graph, from, goal, "rings, 2009");
        with += walked(&mut knn, &graph, from, goal).cost;
        let mut lrta = LrtaAgent::new(LrtaParams::default());
        without += walked(&mut lrta, &graph, from, goal).cost;
    }
    assert!(with * 2 < without, "{with} with records, {without} without");
    let spec = AgentSpec::parse("knn-lrta:records=40").expect("a good spec");
    let mut agent = spec.build_on_graph(&graph).expect("an agent");
    check_walk(&mut *agent, &graph, Cell(0), Cell(100), "by spec");
}

#[test]
fn specs_name_every_switch_and_find_their_database() {
    let map = map_of(&shapes::any(5, 20, 40), MoveRules::default());
    let spec = AgentSpec::parse(
        "knn-lrta:records=25,seed=3,component=all,candidates=all,climb=40,goal-first=off,first-subgoal=off,\
         last-subgoal=off,lookup=scan,visits=9,quota=2.5,fragments=on,learn=always,draw=uncovered,\
         choose=cost,join=any,k=3,landmarks=2",
    )
    .expect("a good spec");
    let mut indexes = Indexes::new();
    assert!(spec.build(&map, &indexes).is_err());
    for request in spec.needs() {
        let built = crate::index::build(&map, &request, Shard::WHOLE, &NoProgress);
        indexes.add(built.expect("a suitable map"));
    }
    assert!(spec.build(&map, &indexes).is_ok());
    // Any database will do for a spec that names none, but not one of the other method, or a shard.
    assert!(
        AgentSpec::parse("knn-lrta")
            .and_then(|s| s.build(&map, &indexes))
            .is_ok()
    );
    assert!(
        AgentSpec::parse("knn-lrta-2009")
            .and_then(|s| s.build(&map, &indexes))
            .is_err()
    );
    let shard = Shard { index: 1, count: 2 };
    let request = spec.needs().remove(0).with("records", 26);
    let part = crate::index::build(&map, &request, shard, &NoProgress).expect("a suitable map");
    indexes.add(part);
    let refused = AgentSpec::parse("knn-lrta:records=26").and_then(|s| s.build(&map, &indexes));
    assert!(refused.is_err_and(|e| e.to_string().contains("merge")));
    for bad in [
        "knn-lrta:candidates=0",
        "knn-lrta:records=99999999",
        "knn-lrta:lookup=magic",
        "knn-lrta:quota=-1",
        "knn-lrta:component=none",
        "knn-lrta-2009:lookahead=0",
    ] {
        assert!(AgentSpec::parse(bad).is_err(), "{bad}");
    }
}
