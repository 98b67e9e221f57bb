//! Walls of 10 x 10 cells on the paths of single agents: what the costliest moves before and after take, how long the walks become, and
//! the replay of the costliest ones for callgrind.

use super::{MAX_MOVES, Result, SIDE, UPKEEP};
use std::collections::BTreeSet;
use waypost::agent::Scratch;
use waypost::index::Indexes;
use waypost::rng::Rng;
use waypost::run::walk;
use waypost::spec::AgentSpec;
use waypost::{Agent, Cell, Context, Decision, GridPatch, Map, Point};

/// How a wall comes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kind {
    /// Nobody is told, and nothing is kept up beside the moves.
    Untold,
    /// The world is kept up beside the moves.
    Told,
    /// As untold, three cells ahead of the agent.
    MidLeg,
    /// As untold, round the goal.
    CutOff,
    /// As told, and the walk goes on when the renewed index has arrived.
    Renewed,
}

/// One of the costliest moves before the wall: a name that callgrind can tell, in a function that is not the same as the other.
#[inline(never)]
fn costly_before(agent: &mut dyn Agent<Map>, context: &mut Context<Map>, at: Cell) -> Decision {
    std::hint::black_box(1u8);
    agent.next_move(context, at)
}

/// One of the costliest moves after it.
#[inline(never)]
fn costly_after(agent: &mut dyn Agent<Map>, context: &mut Context<Map>, at: Cell) -> Decision {
    std::hint::black_box(2u64);
    agent.next_move(context, at)
}

/// A move: which problem, whether after the wall, which of its moves.
type Place = (usize, bool, usize);

/// The moves that are done again, or all of them with their costs.
#[derive(Default)]
struct Moves {
    problem: usize,
    number: usize,
    costs: Vec<(u64, Place)>,
    /// Where there are any, problems without them are left out.
    again: BTreeSet<Place>,
}

/// Moves that are kept of each side.
const COSTLY: usize = 10;

#[derive(Default)]
pub struct Found {
    blocked: u64,
    pub costliest: [u64; 2],
    pub bound: [u64; 2],
    waits: Vec<f64>,
    longer: Vec<f64>,
}

pub struct Trials {
    pub map: Map,
    pub indexes: Indexes,
    pub agent: Box<dyn Agent<Map>>,
    exact: Box<dyn Agent<Map>>,
    pub scratch: Scratch,
    cells: Vec<Cell>,
    rng: Rng,
    moves: Moves,
    pub found: Found,
}

impl Trials {
    pub fn new(map: Map, indexes: &Indexes, seed: u64) -> Result<Trials> {
        let indexes = indexes.fork();
        Ok(Trials {
            agent: AgentSpec::default().build(&map, &indexes)?,
            exact: AgentSpec::parse("jps")?.build(&map, &indexes)?,
            cells: map.grid().cells().collect(),
            map,
            indexes,
            scratch: Scratch::new(),
            rng: Rng::for_item(seed, 0),
            moves: Moves::default(),
            found: Found::default(),
        })
    }

    pub fn any_cell(&mut self) -> Cell {
        self.cells[self.rng.below(self.cells.len() as u32) as usize]
    }

    /// One problem: a third of the walk on the map as it is, the rest with a wall on its way.
    pub fn run(&mut self, kind: Kind) -> Result<()> {
        let (from, goal) = (self.any_cell(), self.any_cell());
        (self.moves.problem, self.moves.number) = (self.moves.problem + 1, 0);
        let again = &self.moves.again;
        if !again.is_empty() && !again.iter().any(|place| place.0 == self.moves.problem) {
            return Ok(());
        }
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
        if kind == Kind::Renewed {
            self.renew();
        }
        let rest = self.rest(kind, at, goal);
        self.patch(&wall, true);
        self.indexes.advance(&self.map, u64::MAX, true);
        if kind == Kind::Renewed {
            self.renew();
        }
        rest
    }

    /// Builds what is stale again, and publishes it.
    fn renew(&self) {
        for slot in self.indexes.slots() {
            slot.rebuild_when_due(&self.map);
            // The first ends the work, the second publishes it where its tick comes after.
            slot.advance(&self.map, u64::MAX, true);
            slot.advance(&self.map, u64::MAX, true);
        }
    }

    pub fn patch(&mut self, points: &[Point], open: bool) {
        let mut patch = GridPatch::new();
        for &point in points {
            patch.set(point, open);
        }
        self.map.apply(&patch);
    }

    /// A shortest path and its cost; nothing where there is none.
    pub fn best(&mut self, from: Cell, goal: Cell) -> Result<Option<(Vec<Cell>, u64)>> {
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
    pub fn ask(&mut self, after: bool, at: Cell) -> Result<Decision> {
        let mut context = Context::new(&self.map, &mut self.scratch);
        let agent = &mut *self.agent;
        self.moves.number += 1;
        let place = (self.moves.problem, after, self.moves.number);
        let decision = match (self.moves.again.contains(&place), after) {
            (true, true) => costly_after(agent, &mut context, at),
            (true, false) => costly_before(agent, &mut context, at),
            (false, _) => agent.next_move(&mut context, at),
        };
        let meter = context.meter;
        self.moves.costs.push((meter.weighted(), place));
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
    fn rest(&mut self, kind: Kind, at: Cell, goal: Cell) -> Result<()> {
        let best = self.best(at, goal)?;
        if best.is_some() == (kind == Kind::CutOff) {
            return Ok(());
        }
        self.found.blocked += 1;
        let is_kept_up = matches!(kind, Kind::Told | Kind::Renewed);
        let (cost, waits) = self.follow(is_kept_up, at, goal)?;
        if let Some((_, best)) = best {
            self.found.waits.push(f64::from(waits));
            self.found
                .longer
                .push(100.0 * (cost as f64 / best.max(1) as f64 - 1.0));
        }
        Ok(())
    }

    /// The agent's walk from here to the goal: its cost, and the moves that were no steps.
    fn follow(&mut self, told: bool, mut at: Cell, goal: Cell) -> Result<(u64, u32)> {
        let (mut cost, mut waits) = (0u64, 0);
        for _ in 0..MAX_MOVES {
            if told {
                self.indexes.advance(&self.map, UPKEEP, true);
            }
            match self.ask(true, at)? {
                Decision::Step(next) => {
                    let step = self.map.legal_step(at, next).ok_or("an illegal step")?;
                    cost += u64::from(self.map.rules().cost(step));
                    at = next;
                }
                Decision::Thinking => waits += 1,
                Decision::Unreachable => return Ok((cost, waits)),
                Decision::Arrived => break,
            }
        }
        if at != goal {
            return Err("the agent did not arrive".into());
        }
        Ok((cost, waits))
    }

    /// A whole walk of the agent while the world is kept up.
    pub fn walk_on(&mut self, from: Cell, goal: Cell) -> Result<(u64, u32)> {
        let mut context = Context::new(&self.map, &mut self.scratch);
        self.agent.start(&mut context, from, goal);
        self.follow(true, from, goal)
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

    /// The moves of a list that [`Trials::print_costly`] has printed will be done again, and no others.
    pub fn replay(&mut self, list: &str) -> Result<()> {
        for word in list.split(',') {
            let mut parts = word.split('/');
            let mut part = || parts.next().ok_or("a list is PROBLEM/before/MOVE,...");
            let (problem, side, number) = (part()?.parse()?, part()? == "after", part()?.parse()?);
            self.moves.again.insert((problem, side, number));
        }
        Ok(())
    }

    /// The costliest moves before the wall and after it.
    pub fn print_costly(&mut self) {
        let mut list = Vec::new();
        for after in [false, true] {
            let mut costs = self.moves.costs.clone();
            costs.retain(|&(_, place)| place.1 == after);
            costs.sort_unstable_by(|a, b| b.cmp(a));
            costs.truncate(COSTLY);
            let all: u64 = costs.iter().map(|&(cost, _)| cost).sum();
            let side = if after { "after" } else { "before" };
            let mean = all / costs.len().max(1) as u64;
            eprintln!(
                "{side}: {} moves, {mean} weighted operations each",
                costs.len()
            );
            list.extend(
                costs
                    .iter()
                    .map(|(_, (problem, _, number))| format!("{problem}/{side}/{number}")),
            );
        }
        println!("{}", list.join(","));
    }

    pub fn print(&mut self, name: &str, kind: Kind) {
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
    let mean = values.iter().fold(0.0, |sum, value| sum + value) / count as f64;
    (mean, values.get(count * 99 / 100).copied().unwrap_or(0.0))
}
