//! What a wall on the path costs the default agent: `cargo run --release -p waypost-lab --example change_costs -- MAP [PROBLEMS [SEED]]`
//!
//! A block of 10 x 10 cells is put on the path of each problem, in the middle of the walk; problems whose path it blocks count.
//! Prints Markdown rows: the costliest move before and after the wall in weighted operations ([`waypost::agent::WEIGHTS`]), the
//! published bounds, and how much longer than the shortest the rest of the walk is. Then a crowd of 10,000 and its costliest
//! tick.

use cpu_time::ThreadTime;
use std::sync::Arc;
use waypost::agent::Scratch;
use waypost::crowd::Options;
use waypost::index::{self, IndexKind, IndexRequest, Indexes, Shard};
use waypost::progress::NoProgress;
use waypost::rng::Rng;
use waypost::run::walk;
use waypost::spec::AgentSpec;
use waypost::{
    Agent, Cell, Context, Decision, GridPatch, Map, Meter, MoveRules, Point, World, formats,
};

type Result<T> = std::result::Result<T, Box<dyn std::error::Error>>;

/// Cells on a side of a wall.
const SIDE: u32 = 10;
/// Operations of upkeep a move, where the world is kept up.
const UPKEEP: u64 = 20_000;
const WALKERS: usize = 10_000;
const MAX_MOVES: u64 = 1_000_000;

fn main() -> Result<()> {
    let mut words = std::env::args().skip(1);
    let path = words
        .next()
        .ok_or("usage: change_costs MAP [PROBLEMS [SEED]]")?;
    let problems: usize = words.next().map_or(Ok(1000), |text| text.parse())?;
    let seed: u64 = words.next().map_or(Ok(1), |text| text.parse())?;
    let grid = formats::map::parse(&std::fs::read(&path)?)?;
    let map = Map::new(grid, MoveRules::default());
    let begun = ThreadTime::now();
    let index = index::build(
        &map,
        &IndexRequest::new(IndexKind::Auto),
        Shard::WHOLE,
        &NoProgress,
    )?;
    println!(
        "{path}: {} cells, {} records, built in {:.2} s of this thread; a rebuild stands for {} operations\n",
        map.grid().passable_count(),
        index.records(),
        begun.elapsed().as_secs_f64(),
        index.rebuild_operations(&map),
    );
    let mut indexes = Indexes::new();
    indexes.add(index);
    println!(
        "| wall | problems blocked | costliest before | after | bound before | after | mean longer | p99 longer |"
    );
    println!("|---|---|---|---|---|---|---|---|");
    for kind in [Kind::Untold, Kind::Told, Kind::CutOff] {
        let mut trials = Trials::new(map.clone(), &indexes, seed)?;
        for _ in 0..problems {
            trials.run(kind)?;
        }
        trials.print(kind);
    }
    crowd_row(&map, &indexes, seed)
}

/// How a wall comes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Kind {
    /// Nobody is told, and nothing is kept up beside the moves.
    Untold,
    /// The world is kept up beside the moves.
    Told,
    /// The wall closes the goal in.
    CutOff,
}

#[derive(Default)]
struct Found {
    blocked: u64,
    costliest: [u64; 2],
    bound: [u64; 2],
    longer: Vec<f64>,
}

struct Trials {
    map: Map,
    indexes: Indexes,
    agent: Box<dyn Agent<Map>>,
    exact: Box<dyn Agent<Map>>,
    scratch: Scratch,
    cells: Vec<Cell>,
    rng: Rng,
    found: Found,
}

impl Trials {
    fn new(map: Map, indexes: &Indexes, seed: u64) -> Result<Trials> {
        let indexes = indexes.fork();
        Ok(Trials {
            agent: AgentSpec::default().build(&map, &indexes)?,
            exact: AgentSpec::parse("jps")?.build(&map, &indexes)?,
            cells: map.grid().cells().collect(),
            map,
            indexes,
            scratch: Scratch::new(),
            rng: Rng::for_item(seed, 0),
            found: Found::default(),
        })
    }

    fn any_cell(&mut self) -> Cell {
        self.cells[self.rng.below(self.cells.len() as u32) as usize]
    }

    /// One problem: the walk on the map as it is, and again with a wall put up on its way.
    fn run(&mut self, kind: Kind) -> Result<()> {
        let (from, goal) = (self.any_cell(), self.any_cell());
        let mut context = Context::new(&self.map, &mut self.scratch);
        let before = walk(
            &mut *self.agent,
            &mut context,
            from,
            goal,
            MAX_MOVES,
            &mut (),
        )?;
        if before.path.len() < 40 || before.path.last() != Some(&goal) {
            return Ok(());
        }
        self.agent
            .start(&mut Context::new(&self.map, &mut self.scratch), from, goal);
        let mut at = from;
        for _ in 0..before.path.len() / 3 {
            let (decision, meter) = self.ask(at);
            self.found.costliest[0] = self.found.costliest[0].max(meter.weighted());
            if let Decision::Step(next) = decision {
                at = next;
            }
        }
        self.found.bound[0] = self.bound();
        let wall = match kind {
            Kind::CutOff => self.ring(goal),
            _ => self.block(before.path[before.path.len() * 2 / 3]),
        };
        let mut patch = GridPatch::new();
        for &point in &wall {
            patch.block(point);
        }
        self.map.apply(&patch);
        let rest = self.rest(kind, at, goal);
        let mut back = GridPatch::new();
        for &point in &wall {
            back.open(point);
        }
        self.map.apply(&back);
        self.indexes.advance(&self.map, u64::MAX, true);
        rest
    }

    fn bound(&self) -> u64 {
        self.agent.weighted_bound(&self.map).unwrap_or(u64::MAX)
    }

    fn ask(&mut self, at: Cell) -> (Decision, Meter) {
        let mut context = Context::new(&self.map, &mut self.scratch);
        let decision = self.agent.next_move(&mut context, at);
        (decision, context.meter)
    }

    /// The rest of the walk on the map with the wall.
    fn rest(&mut self, kind: Kind, mut at: Cell, goal: Cell) -> Result<()> {
        let mut context = Context::new(&self.map, &mut self.scratch);
        let best = walk(&mut *self.exact, &mut context, at, goal, MAX_MOVES, &mut ())?;
        let reachable = best.path.last() == Some(&goal);
        if !self.map.grid().is_passable(at) || reachable == (kind == Kind::CutOff) {
            return Ok(());
        }
        self.found.blocked += 1;
        self.found.bound[1] = self.found.bound[1].max(self.bound());
        let mut cost = 0u64;
        for _ in 0..MAX_MOVES {
            if kind == Kind::Told {
                self.indexes.advance(&self.map, UPKEEP, true);
            }
            let (decision, meter) = self.ask(at);
            self.found.costliest[1] = self.found.costliest[1].max(meter.weighted());
            match decision {
                Decision::Step(next) => {
                    let step = self.map.legal_step(at, next).ok_or("an illegal step")?;
                    cost += u64::from(self.map.rules().cost(step));
                    at = next;
                }
                Decision::Thinking => {}
                Decision::Arrived | Decision::Unreachable => break,
            }
        }
        if kind != Kind::CutOff {
            if at != goal {
                return Err("the agent did not arrive".into());
            }
            let longer = cost as f64 / best.cost.max(1) as f64 - 1.0;
            self.found.longer.push(longer);
        }
        Ok(())
    }

    /// A square round a cell.
    fn block(&self, centre: Cell) -> Vec<Point> {
        let at = self.map.grid().point(centre);
        let (left, top) = (at.x.saturating_sub(SIDE / 2), at.y.saturating_sub(SIDE / 2));
        let all = (top..top + SIDE).flat_map(|y| (left..left + SIDE).map(move |x| Point { x, y }));
        all.filter(|&point| self.map.passable_cell(point).is_some())
            .collect()
    }

    /// The cells round a goal.
    fn ring(&self, goal: Cell) -> Vec<Point> {
        let mut cells = self.block(goal);
        let at = self.map.grid().point(goal);
        cells.retain(|&point| point != at);
        cells
    }

    fn print(&mut self, kind: Kind) {
        let found = &mut self.found;
        found.longer.sort_by(f64::total_cmp);
        let count = found.longer.len().max(1);
        let mean = found.longer.iter().sum::<f64>() / count as f64;
        let p99 = found.longer.get(count * 99 / 100).copied().unwrap_or(0.0);
        println!(
            "| {kind:?} | {} | {} | {} | {} | {} | {:.2}% | {:.2}% |",
            found.blocked,
            found.costliest[0],
            found.costliest[1],
            found.bound[0],
            found.bound[1],
            100.0 * mean,
            100.0 * p99,
        );
    }
}

/// A crowd that walks, and a wall of 10 x 10 cells every fourth tick.
fn crowd_row(map: &Map, indexes: &Indexes, seed: u64) -> Result<()> {
    let world: Arc<World> = World::new(map.clone(), indexes);
    let mut crowd = AgentSpec::default().crowd_in(&world, Options::default())?;
    let mut rng = Rng::for_item(seed, 1);
    let cells: Vec<Cell> = map.grid().cells().collect();
    let any = |rng: &mut Rng| {
        map.grid()
            .point(cells[rng.below(cells.len() as u32) as usize])
    };
    let mut ids = Vec::new();
    while ids.len() < WALKERS {
        let id = crowd.add(any(&mut rng))?;
        crowd.send(id, any(&mut rng))?;
        ids.push(id);
    }
    let mut costliest = [0u64; 2];
    for tick in 0..400u64 {
        let after = tick >= 200;
        if after && tick % 4 == 0 {
            let at = any(&mut rng);
            let mut patch = GridPatch::new();
            for y in at.y..at.y + SIDE {
                for x in at.x..at.x + SIDE {
                    patch.block(Point { x, y });
                }
            }
            crowd.patch(&patch);
        }
        for _ in 0..20 {
            let id = ids[rng.below(WALKERS as u32) as usize];
            let goal = any(&mut rng);
            // A goal under a wall is refused, which is as it should be.
            let _ = crowd.send(id, goal);
        }
        let tick = crowd.tick();
        let worst = &mut costliest[usize::from(after)];
        *worst = (*worst).max(tick.meter.weighted());
    }
    println!(
        "| crowd of {WALKERS}, tick | | {} | {} | | | | |",
        costliest[0], costliest[1]
    );
    Ok(())
}
