//! What jump points are worth on terrain (Carlson, Moghadam, Harabor, Stuckey and Ebrahimi, AAAI 2023): one search loop on a map
//! with costs, whose successors are single steps, straight jumps, or straight and diagonal jumps. Jumps go over cells whose
//! neighbours all have one factor and stop wherever factors differ.
//!
//! `cargo run --release -p waypost-lab --example weighted_jumps -- MAP TERRAIN SCEN [PROBLEMS]`

use cpu_time::ThreadTime;
use waypost::formats::{Reading, map, scen};
use waypost::grid::pruning::{NO_ARRIVAL, Relief, SuccessorTable};
use waypost::search::{AStar, PathSearch};
use waypost::terrain::Footings;
use waypost::{Cell, Direction, Map, MoveRules, Point};

type Result<T> = std::result::Result<T, Box<dyn std::error::Error>>;

/// How far successors reach.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Reach {
    Steps,
    Straight,
    All,
}

/// A map in arrays by cell id.
struct Field<'a> {
    map: &'a Map,
    around: Vec<u8>,
    units: Vec<u32>,
    tables: Vec<&'static SuccessorTable>,
    level: Vec<bool>,
    lengths: [u32; 2],
    least: [u32; 2],
}

impl<'a> Field<'a> {
    fn new(map: &'a Map) -> Result<Field<'a>> {
        let ground = map.ground().ok_or("a map with terrain is needed")?;
        let (grid, scale) = (map.grid(), ground.scale());
        let lengths = [scale.straight, scale.diagonal];
        let bound = grid.id_bound();
        let mut field = Field {
            map,
            around: vec![0; bound],
            units: vec![0; bound],
            tables: vec![Relief::Steep.table(map.rules().corners); bound],
            level: vec![false; bound],
            lengths,
            least: [ground.least().straight, ground.least().diagonal],
        };
        for y in 0..grid.height() {
            for x in 0..grid.width() {
                let Some(cell) = grid.cell(Point { x, y }) else {
                    continue;
                };
                field.units[cell.index()] = scale.units(ground.hundredths(cell));
            }
        }
        for cell in grid.cells() {
            let here = field.units[cell.index()];
            let near = Direction::ALL.map(|d| field.units[grid.neighbour(cell, d).index()]);
            // Beyond the border there is nothing.
            let near = near.into_iter().filter(|&u| u > 0);
            let range = near.fold((here, here), |(a, b), u| (a.min(u), b.max(u)));
            let relief = Relief::of(here, range, lengths);
            field.level[cell.index()] = relief == Relief::Level;
            field.tables[cell.index()] = relief.table(map.rules().corners);
            field.around[cell.index()] = grid.neighbourhood(cell).0;
        }
        Ok(field)
    }

    fn moves(&self, cell: Cell, arrival: u8) -> u8 {
        let around = usize::from(self.around[cell.index()]);
        self.tables[cell.index()][usize::from(arrival) << 8 | around]
    }

    fn step(&self, from: Cell, to: Cell, d: u8) -> u32 {
        self.lengths[usize::from(d & 1)] * (self.units[from.index()] + self.units[to.index()])
    }

    fn next(&self, cell: Cell, d: u8) -> Cell {
        self.map
            .grid()
            .neighbour(cell, Direction::from_number(d & 7))
    }

    fn estimate(&self, cell: Cell, goal: Cell) -> u32 {
        let grid = self.map.grid();
        let (dx, dy) = grid.point(cell).distances(grid.point(goal));
        let (long, short) = (dx.max(dy), dx.min(dy));
        (long - short) * self.least[0] + short * self.least[1]
    }

    /// Where a run in one direction stops and what it costs; `None` where it ends at a wall and nothing was worth stopping for.
    fn jump(
        &self,
        from: Cell,
        d: u8,
        goal: Cell,
        reach: Reach,
        scanned: &mut u64,
    ) -> Option<(Cell, u32)> {
        let mut at = self.next(from, d);
        let mut cost = self.step(from, at, d);
        let natural = match d & 1 {
            0 => 1u8 << d,
            _ => 1 << d | 1 << ((d + 1) & 7) | 1 << ((d + 7) & 7),
        };
        loop {
            *scanned += 1;
            let stays = at == goal || !self.level[at.index()];
            if stays || reach == Reach::Steps || (reach == Reach::Straight && d & 1 != 0) {
                return Some((at, cost));
            }
            let left = self.moves(at, d);
            if left & !natural != 0 {
                return Some((at, cost));
            }
            let aside = [(d + 1) & 7, (d + 7) & 7].into_iter();
            let mut aside = aside.filter(|&s| s & 1 == 0 && left >> s & 1 != 0);
            if aside.any(|s| self.jump(at, s, goal, reach, scanned).is_some()) {
                return Some((at, cost));
            }
            if left >> d & 1 == 0 {
                return None;
            }
            let next = self.next(at, d);
            cost += self.step(at, next, d);
            at = next;
        }
    }
}

/// One loop for all: buckets of keys rounded by 5 bits.
#[derive(Default)]
struct Search {
    g: Vec<u32>,
    arrival: Vec<u8>,
    closed: Vec<bool>,
    touched: Vec<Cell>,
    buckets: Vec<Vec<Cell>>,
    expansions: u64,
    pushes: u64,
    scanned: u64,
}

const BITS: u32 = 5;

impl Search {
    fn reach(&mut self, cell: Cell, g: u32, arrival: u8, f: u32) {
        let known = &mut self.g[cell.index()];
        if *known <= g {
            return;
        }
        if *known == u32::MAX {
            self.touched.push(cell);
        }
        *known = g;
        self.arrival[cell.index()] = arrival;
        self.closed[cell.index()] = false;
        let slot = (f >> BITS) as usize;
        if self.buckets.len() <= slot {
            self.buckets.resize(slot + 1, Vec::new());
        }
        self.buckets[slot].push(cell);
        self.pushes += 1;
    }

    fn cost(&mut self, field: &Field, from: Cell, goal: Cell, reach: Reach) -> Option<u32> {
        let bound = field.map.grid().id_bound();
        self.g.resize(bound, u32::MAX);
        self.arrival.resize(bound, 0);
        self.closed.resize(bound, false);
        for cell in std::mem::take(&mut self.touched) {
            self.g[cell.index()] = u32::MAX;
        }
        self.buckets.iter_mut().for_each(Vec::clear);
        let first = field.estimate(from, goal);
        self.reach(from, 0, NO_ARRIVAL, first);
        let mut slot = (first >> BITS) as usize;
        while slot < self.buckets.len() {
            let Some(cell) = self.buckets[slot].pop() else {
                if self.g[goal.index()] != u32::MAX && self.closed[goal.index()] {
                    return Some(self.g[goal.index()]);
                }
                slot += 1;
                continue;
            };
            if std::mem::replace(&mut self.closed[cell.index()], true) || cell == goal {
                continue;
            }
            let g = self.g[cell.index()];
            if self.closed[goal.index()] && g + field.estimate(cell, goal) >= self.g[goal.index()] {
                continue;
            }
            self.expansions += 1;
            let mut left = field.moves(cell, self.arrival[cell.index()]);
            while left != 0 {
                let d = left.trailing_zeros() as u8;
                left &= left - 1;
                if let Some((to, cost)) = field.jump(cell, d, goal, reach, &mut self.scanned) {
                    let f = g + cost + field.estimate(to, goal);
                    self.reach(to, g + cost, d, f);
                }
            }
        }
        None
    }
}

fn main() -> Result<()> {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let [map_file, terrain, scen_file, rest @ ..] = arguments.as_slice() else {
        return Err("expected MAP TERRAIN SCEN [PROBLEMS]".into());
    };
    let reading = Reading {
        footings: Footings::parse(terrain)?,
        ..Reading::default()
    };
    let level = map::parse_level(&std::fs::read(map_file)?, &reading)?;
    let map = level.map(MoveRules::default(), 1)?;
    let problems = scen::parse(&std::fs::read(scen_file)?)?;
    let count: usize = rest.first().map_or(Ok(100), |text| text.parse())?;
    let field = Field::new(&map)?;
    let ends: Vec<_> = problems
        .iter()
        .filter_map(|p| p.ends(map.grid()).ok())
        .collect();
    let uneven = map.grid().cells().filter(|c| !field.level[c.index()]);
    let share = 100.0 * uneven.count() as f64 / map.grid().passable_count() as f64;
    println!("{map_file}, {share:.1}% of the cells beside another factor\n");
    println!("| successors | expansions | pushes | cells scanned | µs |");
    println!("|---|---|---|---|---|");
    let mut engine = AStar::new();
    for (name, reach) in [
        ("single steps", Reach::Steps),
        ("straight jumps", Reach::Straight),
        ("all jumps", Reach::All),
    ] {
        let mut search = Search::default();
        let chosen = || ends.iter().step_by((ends.len() / count).max(1)).take(count);
        let mut best = f64::INFINITY;
        for round in 0..3 {
            (search.expansions, search.pushes, search.scanned) = (0, 0, 0);
            let begun = ThreadTime::now();
            let costs: Vec<_> = chosen()
                .map(|&(a, b)| search.cost(&field, a, b, reach))
                .collect();
            best = best.min(begun.elapsed().as_secs_f64() * 1e6);
            for (&(a, b), cost) in chosen().zip(costs).take(if round == 0 { count } else { 0 }) {
                let right = engine.shortest_path(&map, a, b).map(|path| path.cost);
                assert_eq!(right, cost, "{name}");
            }
        }
        let mean = |sum: u64| sum as f64 / chosen().count() as f64;
        println!(
            "| {name} | {:.0} | {:.0} | {:.0} | {:.0} |",
            mean(search.expansions),
            mean(search.pushes),
            mean(search.scanned),
            best / chosen().count() as f64
        );
    }
    Ok(())
}
