//! What a change of the map costs the default agent:
//! `cargo run --release -p waypost --example change_costs -- PART MAP [PROBLEMS [SEED]]`
//!
//! Parts: `walls` (a block of 10 x 10 cells on the path of every problem), `crowd` (the costliest tick of 10,000 walkers), `doors`
//! (200 doors, 90% of them closed at once), `agents` (100 agents and one patch) and `bounds` (bounds beside the worst moves seen).
//! Prints rows of Markdown. Costs are weighted operations ([`waypost::agent::WEIGHTS`]); every move is checked: legal, and within
//! both published bounds. The parts `untold`, `told` and `mid-leg` are `walls` with one kind of wall alone: instructions are
//! counted by callgrind, which can tell the functions `move_before` and `move_after` (`docs/measurements/change.md`).

use cpu_time::ThreadTime;
use std::sync::Arc;
use waypost::agent::Scratch;
use waypost::crowd::Options;
use waypost::index::{self, Index, IndexKind, IndexRequest, Indexes, Shard};
use waypost::map::Doors;
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
/// Operations of upkeep a move, where the world is kept up: what crowds spend a tick.
const UPKEEP: u64 = 20_000;
const WALKERS: usize = 10_000;
const MAX_MOVES: u64 = 1_000_000;

fn main() -> Result<()> {
    let mut words = std::env::args().skip(1);
    let usage = "usage: change_costs PART MAP [PROBLEMS [SEED]]";
    let (part, path) = (words.next().ok_or(usage)?, words.next().ok_or(usage)?);
    let problems: usize = words.next().map_or(Ok(1000), |text| text.parse())?;
    let seed: u64 = words.next().map_or(Ok(1), |text| text.parse())?;
    let grid = formats::map::parse(&std::fs::read(&path)?)?;
    let name = path.rsplit('/').next().unwrap_or(&path);
    let map = Map::new(grid, MoveRules::default());
    let kinds: &[Kind] = match part.as_str() {
        "walls" => &[Kind::Untold, Kind::Told, Kind::MidLeg, Kind::CutOff],
        "untold" => &[Kind::Untold],
        "told" => &[Kind::Told],
        "mid-leg" => &[Kind::MidLeg],
        "crowd" => return crowd(name, &map, seed),
        "doors" => return doors(name, map, problems, seed),
        "agents" => return agents(name, &map, seed),
        "bounds" => return bounds(name, &map, problems, seed),
        _ => return Err(usage.into()),
    };
    let indexes = built(&map)?;
    for &kind in kinds {
        let mut trials = Trials::new(map.clone(), &indexes, seed)?;
        for _ in 0..problems {
            trials.run(kind)?;
        }
        trials.print(name, kind);
    }
    Ok(())
}

fn build(map: &Map) -> Result<Arc<dyn Index>> {
    let request = IndexRequest::new(IndexKind::Auto);
    Ok(index::build(map, &request, Shard::WHOLE, &NoProgress)?)
}

fn built(map: &Map) -> Result<Indexes> {
    let mut indexes = Indexes::new();
    indexes.add(build(map)?);
    Ok(indexes)
}

/// How a wall comes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Kind {
    /// Nobody is told, and nothing is kept up beside the moves.
    Untold,
    /// The world is kept up beside the moves.
    Told,
    /// As untold, three cells ahead of the agent.
    MidLeg,
    /// As untold, round the goal.
    CutOff,
}

/// A move before the wall: a name that callgrind can tell, in a function that is not the same as the other.
#[inline(never)]
fn move_before(agent: &mut dyn Agent<Map>, context: &mut Context<Map>, at: Cell) -> Decision {
    std::hint::black_box(1u8);
    agent.next_move(context, at)
}

/// A move after it.
#[inline(never)]
fn move_after(agent: &mut dyn Agent<Map>, context: &mut Context<Map>, at: Cell) -> Decision {
    std::hint::black_box(2u64);
    agent.next_move(context, at)
}

#[derive(Default)]
struct Found {
    blocked: u64,
    costliest: [u64; 2],
    bound: [u64; 2],
    waits: Vec<f64>,
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

    /// One problem: a third of the walk on the map as it is, the rest with a wall on its way.
    fn run(&mut self, kind: Kind) -> Result<()> {
        let (from, goal) = (self.any_cell(), self.any_cell());
        let Some((path, _)) = self.best(from, goal)? else {
            return Ok(());
        };
        if path.len() < 40 {
            return Ok(());
        }
        self.agent
            .start(&mut Context::new(&self.map, &mut self.scratch), from, goal);
        let mut at = from;
        let mut ahead = Vec::new();
        for i in 0..path.len() {
            let decision = self.ask(false, at)?;
            if let Decision::Step(next) = decision {
                at = next;
            }
            if i >= path.len() / 3 {
                break;
            }
        }
        // The agent's own path may be another one of the same length.
        if let Some((rest, _)) = self.own_way(at, goal)? {
            ahead = rest;
        }
        if ahead.len() < 20 {
            return Ok(());
        }
        let wall = match kind {
            Kind::CutOff => self.ring(goal),
            Kind::MidLeg => self.block(ahead[3 + SIDE as usize / 2]),
            _ => self.block(ahead[ahead.len() / 2]),
        };
        let wall: Vec<Point> = wall
            .into_iter()
            .filter(|&point| Some(at) != self.map.grid().cell(point))
            .collect();
        self.patch(&wall, false);
        let rest = self.rest(kind, at, goal);
        self.patch(&wall, true);
        self.indexes.advance(&self.map, u64::MAX, true);
        rest
    }

    fn patch(&mut self, points: &[Point], open: bool) {
        let mut patch = GridPatch::new();
        for &point in points {
            match open {
                true => patch.open(point),
                false => patch.block(point),
            };
        }
        self.map.apply(&patch);
    }

    /// A shortest path and its cost; nothing where there is none.
    fn best(&mut self, from: Cell, goal: Cell) -> Result<Option<(Vec<Cell>, u64)>> {
        let mut context = Context::new(&self.map, &mut self.scratch);
        let best = walk(
            &mut *self.exact,
            &mut context,
            from,
            goal,
            MAX_MOVES,
            &mut (),
        )?;
        let arrived = best.path.last() == Some(&goal);
        Ok(arrived.then_some((best.path, best.cost)))
    }

    /// The way that another agent of the same kind would take from here.
    fn own_way(&mut self, from: Cell, goal: Cell) -> Result<Option<(Vec<Cell>, u64)>> {
        let mut other = AgentSpec::default().build(&self.map, &self.indexes)?;
        let mut context = Context::new(&self.map, &mut self.scratch);
        let way = walk(&mut *other, &mut context, from, goal, MAX_MOVES, &mut ())?;
        let arrived = way.path.last() == Some(&goal);
        Ok(arrived.then_some((way.path, way.cost)))
    }

    /// One move: legal, and within the bounds.
    fn ask(&mut self, after: bool, at: Cell) -> Result<Decision> {
        let mut context = Context::new(&self.map, &mut self.scratch);
        let agent = &mut *self.agent;
        let decision = match after {
            true => move_after(agent, &mut context, at),
            false => move_before(agent, &mut context, at),
        };
        let meter = context.meter;
        let bounds = [
            self.agent.operations_bound(&self.map),
            self.agent.weighted_bound(&self.map),
        ];
        let [Some(bound), Some(weighted)] = bounds else {
            return Err("the bound is gone".into());
        };
        if meter.operations() > bound || meter.weighted() > weighted {
            return Err(format!("{meter:?} passes {bound} or {weighted}").into());
        }
        if let Decision::Step(next) = decision {
            self.map.legal_step(at, next).ok_or("an illegal step")?;
        }
        let which = usize::from(after);
        let found = &mut self.found;
        found.costliest[which] = found.costliest[which].max(meter.weighted());
        found.bound[which] = found.bound[which].max(weighted);
        Ok(decision)
    }

    /// The rest of the walk on the map with the wall.
    fn rest(&mut self, kind: Kind, mut at: Cell, goal: Cell) -> Result<()> {
        let best = self.best(at, goal)?;
        if best.is_some() == (kind == Kind::CutOff) {
            return Ok(());
        }
        self.found.blocked += 1;
        let (mut cost, mut waits) = (0u64, 0);
        for _ in 0..MAX_MOVES {
            if kind == Kind::Told {
                self.indexes.advance(&self.map, UPKEEP, true);
            }
            match self.ask(true, at)? {
                Decision::Step(next) => {
                    let step = self.map.legal_step(at, next).ok_or("an illegal step")?;
                    cost += u64::from(self.map.rules().cost(step));
                    at = next;
                }
                Decision::Thinking => waits += 1,
                Decision::Arrived | Decision::Unreachable => break,
            }
        }
        if let Some((_, best)) = best {
            if at != goal {
                return Err("the agent did not arrive".into());
            }
            self.found.waits.push(f64::from(waits));
            self.found
                .longer
                .push(100.0 * (cost as f64 / best.max(1) as f64 - 1.0));
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

    fn print(&mut self, name: &str, kind: Kind) {
        let found = &mut self.found;
        let [before, after] = found.costliest;
        let [bound_before, bound_after] = found.bound;
        let (mean, p99) = mean_and_p99(&mut found.longer);
        let (wait, wait_p99) = mean_and_p99(&mut found.waits);
        println!(
            "| {name} | {kind:?} | {} | {before} | {after} | {:.2} | {bound_before} | {bound_after} | {:.2} | {mean:.2}% | {p99:.2}% | {wait:.1} | {wait_p99} |",
            found.blocked,
            after as f64 / before.max(1) as f64,
            bound_after as f64 / bound_before.max(1) as f64,
        );
    }
}

fn mean_and_p99(values: &mut [f64]) -> (f64, f64) {
    values.sort_by(f64::total_cmp);
    let count = values.len().max(1);
    let mean = values.iter().sum::<f64>() / count as f64;
    (mean, values.get(count * 99 / 100).copied().unwrap_or(0.0))
}

/// A crowd that walks among new goals, then the same with a wall of 10 x 10 cells every fourth tick.
fn crowd(name: &str, map: &Map, seed: u64) -> Result<()> {
    let world: Arc<World> = World::new(map.clone(), &built(map)?);
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
    let mut costliest = [0u64; 3];
    for tick in 0..900u64 {
        // The rush of the first goals, then the ticks that come after it, then walls.
        let phase = (tick / 300) as usize;
        if phase == 2 && tick % 4 == 0 {
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
        let weighted = crowd.tick().meter.weighted();
        costliest[phase] = costliest[phase].max(weighted);
    }
    let [rush, before, after] = costliest;
    println!("| {name} | {WALKERS} | {rush} | {before} | {after} |");
    Ok(())
}

/// Cells with walls on two opposite sides, taken as doors, most of which close at once.
fn doors(name: &str, map: Map, problems: usize, seed: u64) -> Result<()> {
    let grid = map.grid().clone();
    let free = |x: u32, y: u32| {
        grid.cell(Point { x, y })
            .is_some_and(|c| grid.is_passable(c))
    };
    let mut narrow: Vec<Point> = Vec::new();
    for at in grid.cells().map(|cell| grid.point(cell)) {
        let sides = [(at.x.wrapping_sub(1), at.y), (at.x + 1, at.y)].map(|(x, y)| free(x, y));
        let ends = [(at.x, at.y.wrapping_sub(1)), (at.x, at.y + 1)].map(|(x, y)| free(x, y));
        let is_door = |a: [bool; 2], b: [bool; 2]| !a[0] && !a[1] && b[0] && b[1];
        if is_door(sides, ends) || is_door(ends, sides) {
            narrow.push(at);
        }
    }
    let mut rng = Rng::for_item(seed, 2);
    let mut doors = Doors::none(&grid);
    let mut chosen = Vec::new();
    while chosen.len() < 200 && !narrow.is_empty() {
        let at = narrow.swap_remove(rng.below(narrow.len() as u32) as usize);
        doors.add(at);
        chosen.push(at);
    }
    let map = Map::with_doors(grid, MoveRules::default(), doors);
    let indexes = built(&map)?;
    let mut trials = Trials::new(map, &indexes, seed)?;
    let version = trials.indexes.version();
    let closed = chosen.len() * 9 / 10;
    trials.patch(&chosen[..closed], false);
    for _ in 0..20 {
        trials.indexes.advance(&trials.map, UPKEEP, true);
    }
    let (mut reachable, mut exact, mut most_waits) = (0, 0, 0);
    for _ in 0..problems {
        let (from, goal) = (trials.any_cell(), trials.any_cell());
        let Some((_, best)) = trials.best(from, goal)? else {
            continue;
        };
        reachable += 1;
        let mut context = Context::new(&trials.map, &mut trials.scratch);
        let walked = walk(
            &mut *trials.agent,
            &mut context,
            from,
            goal,
            MAX_MOVES,
            &mut (),
        )?;
        exact += u64::from(walked.cost == best);
        let waits = walked.decisions - walked.path.len() as u64;
        most_waits = most_waits.max(waits);
    }
    println!(
        "| {name} | {} | {closed} | {reachable} | {exact} | {most_waits} | {} |",
        chosen.len(),
        trials.indexes.version() - version,
    );
    Ok(())
}

/// One agent and a hundred on a map that gets a wall: what they hold and do.
fn agents(name: &str, map: &Map, seed: u64) -> Result<()> {
    let indexes = built(map)?;
    for count in [1, 10, 100] {
        let (mut map, indexes) = (map.clone(), indexes.fork());
        let cells: Vec<Cell> = map.grid().cells().collect();
        let mut rng = Rng::for_item(seed, 3);
        let mut scratch = Scratch::new();
        let mut all = Vec::new();
        for _ in 0..count {
            let [from, goal] = [(); 2].map(|()| cells[rng.below(cells.len() as u32) as usize]);
            let mut agent = AgentSpec::default().build(&map, &indexes)?;
            agent.start(&mut Context::new(&map, &mut scratch), from, goal);
            all.push((agent, from));
        }
        let centre = map.grid().point(all[0].1);
        let mut patch = GridPatch::new();
        for y in centre.y + 2..centre.y + 2 + SIDE {
            for x in centre.x + 2..centre.x + 2 + SIDE {
                patch.block(Point { x, y });
            }
        }
        let begun = ThreadTime::now();
        map.apply(&patch);
        indexes.advance(&map, u64::MAX, true);
        let told = begun.elapsed();
        let begun = ThreadTime::now();
        let mut meter = Meter::default();
        for (agent, at) in &mut all {
            let mut context = Context::new(&map, &mut scratch);
            for _ in 0..64 {
                if let Decision::Step(next) = agent.next_move(&mut context, *at) {
                    *at = next;
                }
            }
            meter.add(&context.meter);
        }
        let bytes: usize = all.iter().map(|(agent, _)| agent.reserved_bytes()).sum();
        println!(
            "| {name} | {count} | {:.1} | {:.0} | {} | {} |",
            told.as_secs_f64() * 1e6,
            begun.elapsed().as_secs_f64() * 1e6 / count as f64,
            meter.weighted() / count,
            bytes as u64 / count,
        );
    }
    Ok(())
}

/// The published bounds beside the worst moves seen: of random problems, and between cells whose first moves are expensive.
fn bounds(name: &str, map: &Map, problems: usize, seed: u64) -> Result<()> {
    let indexes = built(map)?;
    let mut trials = Trials::new(map.clone(), &indexes, seed)?;
    let first_move = |trials: &mut Trials, from: Cell, goal: Cell| -> Result<u64> {
        let mut context = Context::new(&trials.map, &mut trials.scratch);
        trials.agent.start(&mut context, from, goal);
        let before = trials.found.costliest[0];
        trials.found.costliest[0] = 0;
        trials.ask(false, from)?;
        let cost = std::mem::replace(&mut trials.found.costliest[0], before);
        trials.found.costliest[0] = before.max(cost);
        Ok(cost)
    };
    let mut costs = Vec::new();
    for _ in 0..problems {
        let (from, goal) = (trials.any_cell(), trials.any_cell());
        costs.push((first_move(&mut trials, from, goal)?, from, goal));
    }
    let random = trials.found.costliest[0];
    costs.sort_by_key(|&(cost, ..)| std::cmp::Reverse(cost));
    let mut ends: Vec<Cell> = costs.iter().take(30).flat_map(|c| [c.1, c.2]).collect();
    ends.dedup();
    for &from in &ends {
        for &goal in &ends {
            first_move(&mut trials, from, goal)?;
        }
    }
    let [worst, bound] = [trials.found.costliest[0], trials.found.bound[0]];
    println!(
        "| {name} | {bound} | {random} | {:.1} | {worst} | {:.1} |",
        bound as f64 / random.max(1) as f64,
        bound as f64 / worst.max(1) as f64,
    );
    Ok(())
}
