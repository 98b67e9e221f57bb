//! Where the moves of kNN LRTA* (2009) go: on the way to subgoals that climbing reached when they were selected, to
//! subgoals that it did not reach (the paper checks the way to the record's start alone), or to the global goal because no
//! record served.
//!
//! ```text
//! cargo run --release -p waypost --example knn_2009_tail -- MAP [RECORDS] [PROBLEMS]
//! ```
//!
//! Rules and lengths are the paper's: diagonals of 1.4 that may cut corners, problems of cost 100 to 150.

use waypost::agent::Scratch;
use waypost::formats;
use waypost::index::Shard;
use waypost::index::subgoals::{Method, SubgoalDatabase, SubgoalParameters};
use waypost::methods::knn_lrta::version_2009::{Knn2009, Knn2009Params};
use waypost::progress::NoProgress;
use waypost::rng::Rng;
use waypost::search::hill_climb::climb;
use waypost::search::{AStar, PathSearch};
use waypost::{Agent, Cell, Context, Corners, CostPair, Decision, Map, MoveRules, Space};

/// Moves by what they were made for.
#[derive(Clone, Copy, Default)]
struct Moves {
    to_goal_in_sight: u64,
    to_subgoal_in_sight: u64,
    to_subgoal_out_of_sight: u64,
    without_record: u64,
    /// Subgoals selected, and the most moves that one of those in sight took.
    selections: u64,
    longest_in_sight: u64,
}

impl Moves {
    fn all(&self) -> u64 {
        self.to_goal_in_sight
            + self.to_subgoal_in_sight
            + self.to_subgoal_out_of_sight
            + self.without_record
    }
}

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let Some(path) = arguments.first() else {
        return Err("usage: knn_2009_tail MAP [RECORDS] [PROBLEMS]".into());
    };
    let number = |i: usize, default: u32| arguments.get(i).map_or(Ok(default), |text| text.parse());
    let (records, problems) = (number(1, 10_000)?, number(2, 128)?);
    let rules = MoveRules {
        corners: Corners::Always,
        costs: CostPair::OnePointFour,
    };
    let map = Map::new(formats::map::parse(&std::fs::read(path)?)?, rules);
    let pairs = problems_of_the_paper(&map, problems);
    for seed in 1..=4 {
        let parameters = SubgoalParameters {
            records,
            seed,
            method: Method::Aiide2009,
            ..SubgoalParameters::default()
        };
        let database = SubgoalDatabase::build(&map, &parameters, Shard::WHOLE, &NoProgress)?;
        let mut agent = Knn2009::new(&map, database.cases().clone(), Knn2009Params::default());
        report(&map, &mut agent, &pairs, seed);
    }
    Ok(())
}

/// Random pairs of cost 100 to 150, with their costs.
fn problems_of_the_paper(map: &Map, count: u32) -> Vec<(Cell, Cell, u64)> {
    let cells: Vec<Cell> = map.grid().cells().collect();
    let straight = map.rules().costs.straight();
    let (mut rng, mut search, mut pairs) = (Rng::new(5), AStar::new(), Vec::new());
    for _ in 0..200 * count {
        let [from, goal] = [0; 2].map(|_| cells[rng.below(cells.len() as u32) as usize]);
        let cost = search.distance(map, from, goal);
        if let Some(cost) = cost.filter(|cost| (100..=150).contains(&(cost / straight))) {
            pairs.push((from, goal, u64::from(cost)));
        }
        if pairs.len() == count as usize {
            break;
        }
    }
    pairs
}

fn report(map: &Map, agent: &mut Knn2009, pairs: &[(Cell, Cell, u64)], seed: u64) {
    let mut scratch = Scratch::new();
    let (mut all, mut worst, mut percents) = (Moves::default(), Moves::default(), Vec::new());
    for &(from, goal, optimal) in pairs {
        let mut context = Context::new(map, &mut scratch);
        let (cost, moves) = walk(map, agent, &mut context, from, goal);
        percents.push((cost as f64 / optimal as f64 - 1.0) * 100.0);
        add(&mut all, &moves);
        if moves.all() > worst.all() {
            worst = moves;
        }
    }
    percents.sort_by(f64::total_cmp);
    let mean = percents.iter().sum::<f64>() / percents.len().max(1) as f64;
    let above = percents.iter().filter(|&&p| p > 100.0).count();
    println!(
        "seed {seed}: mean {mean:.1}%, median {:.1}%, {above} of {} above 100%; moves: {} to goals and {} to subgoals \
         in sight, {} to subgoals out of sight, {} without a record; worst problem: {} moves, {} of them to subgoals out of sight, {} \
         selections, at most {} moves to a subgoal in sight",
        percents.get(percents.len() / 2).unwrap_or(&0.0),
        percents.len(),
        all.to_goal_in_sight,
        all.to_subgoal_in_sight,
        all.to_subgoal_out_of_sight,
        all.without_record,
        worst.all(),
        worst.to_subgoal_out_of_sight,
        worst.selections,
        worst.longest_in_sight,
    );
}

fn add(sum: &mut Moves, more: &Moves) {
    sum.to_goal_in_sight += more.to_goal_in_sight;
    sum.to_subgoal_in_sight += more.to_subgoal_in_sight;
    sum.to_subgoal_out_of_sight += more.to_subgoal_out_of_sight;
    sum.without_record += more.without_record;
}

fn walk(
    map: &Map,
    agent: &mut Knn2009,
    context: &mut Context<Map>,
    from: Cell,
    goal: Cell,
) -> (u64, Moves) {
    agent.start(context, from, goal);
    let (mut at, mut cost, mut moves) = (from, 0, Moves::default());
    let (mut target, mut in_sight, mut since) = (Cell::NONE, false, 0);
    for _ in 0..1_000_000 {
        let Decision::Step(to) = agent.next_move(context, at) else {
            break;
        };
        if agent.target() != target {
            target = agent.target();
            moves.selections += 1;
            since = 0;
            in_sight = climb(map, at, target, u32::MAX, |_| {}).reached;
        }
        since += 1;
        if in_sight {
            moves.longest_in_sight = moves.longest_in_sight.max(since);
        }
        *match (target == goal, in_sight) {
            (true, true) => &mut moves.to_goal_in_sight,
            (true, false) => &mut moves.without_record,
            (false, true) => &mut moves.to_subgoal_in_sight,
            (false, false) => &mut moves.to_subgoal_out_of_sight,
        } += 1;
        cost += u64::from(map.edge_cost(at, to).unwrap_or(0));
        at = to;
    }
    (cost, moves)
}
