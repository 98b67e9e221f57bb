//! The experiments of AAAI 2005 (PRA*): quality and speed by path length, and execution in the frame model.
//!
//! Each problem is solved by A* and by PRA* with several `k`. Planning is timed with the clock of this machine, and also
//! with the paper's: "one micro second of execution time on average corresponds to 2.2 expanded nodes", which makes the
//! frame model independent of the machine and its load.

use crate::stats::sorted_percentile;
use crate::table::{Align, Table, short};
use cpu_time::ThreadTime;
use waypost::agent::Scratch;
use waypost::cost::Length;
use waypost::grid::Cell;
use waypost::hierarchy::Hierarchy;
use waypost::methods::pra::PraParams;
use waypost::methods::pra::frames::{FrameModel, MoveSequence};
use waypost::methods::pra::planner::{Planning, PraPlanner};
use waypost::methods::pra::workspace::Workspace;
use waypost::search::{AStar, PathSearch};
use waypost::{Agent, Context, Decision, Map, Meter};

/// Expansions in a millisecond of the paper's machine.
pub const EXPANSIONS_PER_MS_IN_2005: f64 = 2200.0;

/// How one method solved one problem.
#[derive(Clone, Debug, PartialEq)]
pub struct Solved {
    /// The length of the path.
    pub length: f64,
    /// Every planning step: its time on this machine, the nodes it expanded, and the length of the moves it gave.
    pub steps: Vec<Step>,
}

/// One planning step.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Step {
    /// Milliseconds on this machine.
    pub ms: f64,
    /// Nodes expanded.
    pub expansions: u64,
    /// The length of the moves planned.
    pub length: f64,
}

impl Solved {
    /// Milliseconds on this machine.
    pub fn ms(&self) -> f64 {
        self.steps.iter().map(|step| step.ms).sum()
    }

    /// Nodes expanded.
    pub fn expansions(&self) -> u64 {
        self.steps.iter().map(|step| step.expansions).sum()
    }

    /// Keeps the lesser time of each step: the steps are the same in every run.
    fn keep_least_times(&mut self, again: &Solved) {
        for (step, again) in self.steps.iter_mut().zip(&again.steps) {
            step.ms = step.ms.min(again.ms);
        }
    }

    /// The move sequences of the frame model, on the paper's clock or on this machine's.
    pub fn sequences(&self, clock: Clock) -> Vec<MoveSequence> {
        let sequence = |step: &Step| MoveSequence {
            planning_ms: match clock {
                Clock::ThisMachine => step.ms,
                Clock::Paper => step.expansions as f64 / EXPANSIONS_PER_MS_IN_2005,
            },
            length: step.length,
        };
        self.steps.iter().map(sequence).collect()
    }
}

/// What time planning takes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Clock {
    /// As measured.
    ThisMachine,
    /// Expansions at the paper's rate.
    Paper,
}

/// One problem, solved by all methods.
#[derive(Clone, Debug, PartialEq)]
pub struct Trial {
    /// A*: its length is optimal.
    pub astar: Solved,
    /// PRA* with each of the parameters asked for.
    pub pra: Vec<Solved>,
}

/// Solves problems by A* and by PRA*. Problems without a path are left out.
pub struct Bench<'a> {
    map: &'a Map,
    hierarchy: &'a Hierarchy,
    astar: AStar,
    planners: Vec<PraPlanner>,
    workspace: Workspace,
    path: Vec<Cell>,
    repeats: u32,
}

impl<'a> Bench<'a> {
    /// A bench for a map and its hierarchy.
    pub fn new(map: &'a Map, hierarchy: &'a Hierarchy, params: &[PraParams]) -> Bench<'a> {
        Bench {
            map,
            hierarchy,
            astar: AStar::new(),
            planners: params.iter().copied().map(PraPlanner::new).collect(),
            workspace: Workspace::default(),
            path: Vec::new(),
            repeats: 1,
        }
    }

    /// Solves every problem so many times and keeps the least time of each step: what other programs take away.
    pub fn repeating(self, repeats: u32) -> Bench<'a> {
        Bench { repeats, ..self }
    }

    /// Solves one problem; `None` where there is no path.
    pub fn run(&mut self, from: Cell, goal: Cell) -> Option<Trial> {
        let mut best = self.run_once(from, goal)?;
        for _ in 1..self.repeats {
            let again = self.run_once(from, goal)?;
            best.astar.keep_least_times(&again.astar);
            for (best, again) in best.pra.iter_mut().zip(&again.pra) {
                best.keep_least_times(again);
            }
        }
        Some(best)
    }

    fn run_once(&mut self, from: Cell, goal: Cell) -> Option<Trial> {
        let begun = ThreadTime::now();
        self.astar.begin(self.map, from, goal);
        self.astar.advance(self.map, u64::MAX);
        self.astar.path_into(self.map, &mut self.path)?;
        let ms = begun.elapsed().as_secs_f64() * 1e3;
        let length = length_of(self.map, &self.path);
        let astar = Solved {
            length,
            steps: vec![Step {
                ms,
                expansions: self.astar.expansions(),
                length,
            }],
        };
        let pra = (0..self.planners.len())
            .map(|i| self.run_pra(i, from, goal))
            .collect::<Option<Vec<_>>>()?;
        Some(Trial { astar, pra })
    }

    fn run_pra(&mut self, planner: usize, from: Cell, goal: Cell) -> Option<Solved> {
        let planner = &mut self.planners[planner];
        let mut steps = Vec::new();
        let mut total = Length::default();
        let mut at = from;
        let mut begun = ThreadTime::now();
        planner.start(self.hierarchy, self.map, from, goal);
        loop {
            let mut meter = Meter::default();
            let planning = planner.advance(
                self.hierarchy,
                self.map,
                &mut self.workspace,
                &mut meter,
                u64::MAX,
            );
            let ms = begun.elapsed().as_secs_f64() * 1e3;
            match planning {
                Planning::Segment => {}
                Planning::Complete => break,
                Planning::Unfinished | Planning::NoPath => return None,
            }
            self.path.clear();
            self.path.push(at);
            self.path.extend_from_slice(planner.segment());
            let moves = self.map.path_length(&self.path)?;
            total += moves;
            at = planner.planned_to();
            steps.push(Step {
                ms,
                expansions: meter.expansions,
                length: self.map.length(moves),
            });
            begun = ThreadTime::now();
        }
        let length = self.map.length(total);
        Some(Solved { length, steps })
    }
}

/// How an agent that plans whole paths solves a problem: its first move is all of its work. `None` where there is no path.
pub fn solve_at_once(
    agent: &mut dyn Agent<Map>,
    map: &Map,
    scratch: &mut Scratch,
    from: Cell,
    goal: Cell,
) -> Option<Solved> {
    let mut context = Context::new(map, scratch);
    let begun = ThreadTime::now();
    agent.start(&mut context, from, goal);
    let mut decision = agent.next_move(&mut context, from);
    let ms = begun.elapsed().as_secs_f64() * 1e3;
    let expansions = context.meter.expansions;
    let mut path = vec![from];
    while let Decision::Step(to) = decision {
        path.push(to);
        decision = agent.next_move(&mut context, to);
    }
    let length = length_of(map, &path);
    (decision == Decision::Arrived).then(|| Solved {
        length,
        steps: vec![Step {
            ms,
            expansions,
            length,
        }],
    })
}

fn length_of(map: &Map, path: &[Cell]) -> f64 {
    let moves = map.path_length(path).unwrap_or_default();
    map.length(moves)
}

/// The value below which `percent` of the values lie (the nearest rank); NaN for none.
pub fn percentile(mut values: Vec<f64>, percent: f64) -> f64 {
    values.sort_by(f64::total_cmp);
    sorted_percentile(&values, percent)
}

/// Trials in buckets of optimal length, each `width` cells wide; empty ones are left out.
pub fn by_length(trials: &[Trial], width: f64) -> Vec<(String, Vec<&Trial>)> {
    let mut buckets: Vec<Vec<&Trial>> = Vec::new();
    for trial in trials {
        let bucket = (trial.astar.length / width) as usize;
        if buckets.len() <= bucket {
            buckets.resize(bucket + 1, Vec::new());
        }
        buckets[bucket].push(trial);
    }
    let named = buckets.into_iter().enumerate().map(|(i, trials)| {
        let low = i as f64 * width;
        (format!("{low:.0} to {:.0}", low + width), trials)
    });
    named.filter(|(_, trials)| !trials.is_empty()).collect()
}

/// How much longer than optimal the paths of one method are, as ratios.
pub fn ratios(trials: &[&Trial], method: usize) -> Vec<f64> {
    let ratio = |trial: &&Trial| {
        if trial.astar.length == 0.0 {
            return 1.0;
        }
        trial.pra[method].length / trial.astar.length
    };
    trials.iter().map(ratio).collect()
}

/// The share of values that are at most a bound, in percent.
pub fn share_within(values: &[f64], bound: f64) -> f64 {
    let within = values.iter().filter(|&&value| value <= bound).count();
    100.0 * within as f64 / values.len().max(1) as f64
}

/// PRA* against A* by path length: time, expansions and the ratio of lengths (figures 5c and 6a).
pub fn speed_table(trials: &[Trial], method: usize, width: f64) -> Table {
    let columns = [
        "length",
        "problems",
        "A* µs",
        "PRA* µs",
        "times as fast",
        "A* nodes",
        "PRA* nodes",
        "within 1%",
        "p98 ratio",
        "worst ratio",
    ];
    let mut table = Table::new(&columns.map(|name| (name, Align::Right)));
    let mut rows = by_length(trials, width);
    rows.push(("all".to_string(), trials.iter().collect()));
    for (name, trials) in rows {
        let sum = |of: &dyn Fn(&Trial) -> f64| trials.iter().map(|t| of(t)).sum::<f64>();
        let count = trials.len() as f64;
        let (astar, pra) = (sum(&|t| t.astar.ms()), sum(&|t| t.pra[method].ms()));
        let ratios = ratios(&trials, method);
        table.row([
            name,
            trials.len().to_string(),
            short(astar / count * 1e3),
            short(pra / count * 1e3),
            format!("{:.1}", astar / pra),
            short(sum(&|t| t.astar.expansions() as f64) / count),
            short(sum(&|t| t.pra[method].expansions() as f64) / count),
            format!("{:.1}%", share_within(&ratios, 1.01)),
            format!("{:.4}", percentile(ratios.clone(), 98.0)),
            format!("{:.3}", percentile(ratios, 100.0)),
        ]);
    }
    table
}

/// What settings trade: the share of paths within 1% of optimal, and how many times as fast as A* by path length.
pub fn frontier_table(trials: &[Trial], methods: &[(String, usize)], width: f64) -> Table {
    let rows = by_length(trials, width);
    let names = rows
        .iter()
        .map(|(name, trials)| format!("{name} ({})", trials.len()));
    let mut columns = vec![("setting".to_string(), Align::Left)];
    columns
        .extend(["within 1%", "p98 ratio", "nodes", "all"].map(|name| (name.into(), Align::Right)));
    columns.extend(names.map(|name| (name, Align::Right)));
    let columns: Vec<(&str, Align)> = columns
        .iter()
        .map(|(name, a)| (name.as_str(), *a))
        .collect();
    let mut table = Table::new(&columns);
    let all: Vec<&Trial> = trials.iter().collect();
    let gain = |trials: &[&Trial], method: usize| {
        let astar: f64 = trials.iter().map(|t| t.astar.ms()).sum();
        let pra: f64 = trials.iter().map(|t| t.pra[method].ms()).sum();
        format!("{:.2}", astar / pra)
    };
    for (name, method) in methods {
        let ratios = ratios(&all, *method);
        let nodes: u64 = all.iter().map(|t| t.pra[*method].expansions()).sum();
        let mut row = vec![
            name.clone(),
            format!("{:.1}%", share_within(&ratios, 1.01)),
            format!("{:.4}", percentile(ratios, 98.0)),
            short(nodes as f64 / all.len().max(1) as f64),
            gain(&all, *method),
        ];
        row.extend(rows.iter().map(|(_, trials)| gain(trials, *method)));
        table.row(row);
    }
    table
}

/// The 98th percentile of the ratio of lengths for several methods by path length (figure 6b).
pub fn quality_table(trials: &[Trial], methods: &[(&str, usize)], width: f64) -> Table {
    let mut columns = vec![("length", Align::Right), ("problems", Align::Right)];
    columns.extend(methods.iter().map(|&(name, _)| (name, Align::Right)));
    let mut table = Table::new(&columns);
    let mut rows = by_length(trials, width);
    rows.push(("all".to_string(), trials.iter().collect()));
    for (name, trials) in rows {
        let mut row = vec![name, trials.len().to_string()];
        row.extend(
            methods
                .iter()
                .map(|&(_, method)| format!("{:.4}", percentile(ratios(&trials, method), 98.0))),
        );
        table.row(row);
    }
    table
}

/// The 98th percentile of execution time over the time that walking an optimal path takes (figure 7). s-A* comes first.
pub fn frame_table(
    trials: &[Trial],
    methods: &[(&str, usize)],
    model: FrameModel,
    clock: Clock,
    width: f64,
) -> Table {
    let mut columns = vec![
        ("length", Align::Right),
        ("problems", Align::Right),
        ("s-A*", Align::Right),
    ];
    columns.extend(methods.iter().map(|&(name, _)| (name, Align::Right)));
    let mut table = Table::new(&columns);
    for (name, trials) in by_length(trials, width) {
        let mut row = vec![name, trials.len().to_string()];
        row.push(slowdown_text(&trials, model, clock, |t| &t.astar));
        row.extend(
            methods
                .iter()
                .map(|&(_, i)| slowdown_text(&trials, model, clock, |t| &t.pra[i])),
        );
        table.row(row);
    }
    table
}

fn slowdown_text(
    trials: &[&Trial],
    model: FrameModel,
    clock: Clock,
    of: impl Fn(&Trial) -> &Solved,
) -> String {
    let slowdowns = trials
        .iter()
        .map(|trial| slowdown(trial, of(trial), model, clock))
        .collect();
    format!("{:.4}", percentile(slowdowns, 98.0))
}

/// Frames from the order to the arrival, over the frames that walking the same sequences takes: the ratio as the paper
/// words it, "disregarding thinking time in (1)". It leaves out how long the path is.
pub fn delay(solved: &Solved, model: FrameModel, clock: Clock) -> f64 {
    let sequences = solved.sequences(clock);
    let walking = model.frames_without_thought(&sequences).max(1);
    model.frames(&sequences) as f64 / walking as f64
}

/// Frames from the order to the arrival, over the frames that walking an optimal path takes: what a player sees. Besides
/// thought it holds detours, and up to a frame for each sequence, for equation 1 rounds each of them up.
pub fn slowdown(trial: &Trial, solved: &Solved, model: FrameModel, clock: Clock) -> f64 {
    let ideal = model.walking(trial.astar.length).max(1);
    model.frames(&solved.sequences(clock)) as f64 / ideal as f64
}

#[cfg(test)]
mod tests {
    use super::*;
    use waypost::{Grid, MoveRules, Point};

    #[test]
    fn trials_add_up() {
        let grid = Grid::from_fn(120, 90, |p| p.x % 17 != 16 || p.y % 30 == 4);
        let map = Map::new(grid.expect("a legal size"), MoveRules::default());
        let hierarchy = Hierarchy::build(&map);
        let params = [Some(2), Some(16), None].map(PraParams::of_the_paper);
        let mut bench = Bench::new(&map, &hierarchy, &params);
        let cell = |x, y| map.passable_cell(Point { x, y }).expect("passable");
        let trial = bench.run(cell(0, 0), cell(117, 88)).expect("a path");
        for (solved, params) in trial.pra.iter().zip(params) {
            assert!(solved.length >= trial.astar.length - 1e-9);
            let walked: f64 = solved.steps.iter().map(|step| step.length).sum();
            assert!((walked - solved.length).abs() < 1e-6);
            assert_eq!(solved.steps.len() == 1, params.k.is_none());
        }
        let model = FrameModel::with_planning_ms(1.0);
        let frames = slowdown(&trial, &trial.astar, model, Clock::Paper);
        assert!(frames >= 1.0, "{frames}");
        let delayed = delay(&trial.astar, model, Clock::Paper);
        assert!(delayed > 1.0 && delayed <= frames, "{delayed}");
        let trials = [trial];
        assert_eq!(by_length(&trials, 64.0).len(), 1);
        let text = speed_table(&trials, 2, 64.0).to_markdown();
        assert!(text.contains("times as fast"), "{text}");
    }

    #[test]
    fn percentiles_are_nearest_ranks() {
        let values: Vec<f64> = (1..=100).map(f64::from).collect();
        assert_eq!(percentile(values.clone(), 98.0), 98.0);
        assert_eq!(percentile(values, 100.0), 100.0);
        assert!(percentile(Vec::new(), 50.0).is_nan());
        assert_eq!(share_within(&[1.0, 1.5, 2.0, 3.0], 2.0), 75.0);
    }
}
