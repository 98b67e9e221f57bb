//! A scene for films and tours: walkers go to and fro between the two sides of a map, and the busiest door on their ways closes
//! and opens again.

use super::{CrowdRunError, Film};
use crate::workbench::Workbench;
use std::time::Instant;
use waypost::crowd::{AnyCrowd, Options, Status, WalkerId};
use waypost::grid::{Cell, GridPatch, Point};
use waypost::rng::Rng;
use waypost::search::{AStar, PathSearch};
use waypost::spec::AgentSpec;
use waypost::{Map, Space};

/// The widest passage that counts as a door, in cells.
const MAX_DOOR: u32 = 12;
/// Ways that are looked at to find the busiest door.
const WAYS: usize = 60;
/// Doors that are tried: the busiest one that leaves a way round is taken.
const TRIED: usize = 200;

/// What happens.
#[derive(Clone, Copy, Debug)]
pub struct DoorScene {
    /// How many walkers.
    pub walkers: usize,
    /// How many ticks.
    pub ticks: u64,
    /// The tick at which the door closes.
    pub closes: u64,
    /// The tick at which it opens again.
    pub opens: u64,
    /// The seed of starts and goals.
    pub seed: u64,
}

/// What was seen.
#[derive(Clone, Debug)]
pub struct DoorRun {
    /// The cells of the door; none where the map has no door with a way round.
    pub door: Vec<Point>,
    /// Goals reached.
    pub arrived: u64,
    /// Moves made.
    pub moves: u64,
    /// Moves that the rules forbid.
    pub illegal_moves: u64,
    /// The time of the slowest tick, in microseconds.
    pub slowest_tick_us: f64,
}

/// Plays the scene.
pub fn run_door(
    map: &Map,
    spec: &AgentSpec,
    bench: &Workbench,
    scene: &DoorScene,
    film: &mut Film,
) -> Result<DoorRun, CrowdRunError> {
    let sides = Sides::of(map);
    let mut rng = Rng::new(scene.seed);
    let ways: Vec<(Cell, Cell)> = (0..WAYS).map(|i| sides.way(i, &mut rng)).collect();
    let mut stage = Stage {
        crowd: spec.crowd(map, bench.indexes(), Options::default())?,
        map: map.clone(),
        walkers: Vec::with_capacity(scene.walkers),
        run: DoorRun {
            door: busiest_door(map, &ways),
            arrived: 0,
            moves: 0,
            illegal_moves: 0,
            slowest_tick_us: 0.0,
        },
    };
    for i in 0..scene.walkers {
        let (from, goal) = sides.way(i, &mut rng);
        let id = stage.crowd.add(map.grid().point(from))?;
        stage.walkers.push((id, i));
        stage.send(id, goal, film)?;
    }
    for tick in 0..scene.ticks {
        if (scene.closes..scene.opens).contains(&tick) {
            stage.close_door(film);
        } else if tick == scene.opens {
            stage.open_door(film);
        }
        stage.tick(tick, film)?;
        stage.send_back(&sides, &mut rng, film)?;
    }
    Ok(stage.run)
}

struct Stage {
    crowd: Box<dyn AnyCrowd>,
    /// A copy of the map that judges the steps.
    map: Map,
    /// Each with how often it has been sent, which says the side that it goes to next.
    walkers: Vec<(WalkerId, usize)>,
    run: DoorRun,
}

impl Stage {
    fn send(&mut self, id: WalkerId, goal: Cell, film: &mut Film) -> Result<(), CrowdRunError> {
        self.crowd.send(id, self.map.grid().point(goal))?;
        film.aim(id.index(), goal);
        Ok(())
    }

    fn places(&self) -> Result<Vec<Cell>, CrowdRunError> {
        let cell = |&(id, _): &(WalkerId, usize)| {
            let point = self.crowd.position(id)?;
            Ok(self.map.grid().cell(point).unwrap_or(Cell::NONE))
        };
        self.walkers.iter().map(cell).collect()
    }

    /// Closes what is open of the door and has nobody in it: no walker is walled in.
    fn close_door(&mut self, film: &mut Film) {
        let taken = self.places().unwrap_or_default();
        let grid = self.map.grid();
        let door = self.run.door.iter();
        let free = door.filter(|&&point| {
            grid.passable_cell(point)
                .is_some_and(|c| !taken.contains(&c))
        });
        let mut patch = GridPatch::new();
        free.for_each(|&point| {
            patch.set(point, false);
        });
        self.patch(&patch, film);
    }

    fn open_door(&mut self, film: &mut Film) {
        let mut patch = GridPatch::new();
        self.run.door.iter().for_each(|&point| {
            patch.set(point, true);
        });
        self.patch(&patch, film);
    }

    fn patch(&mut self, patch: &GridPatch, film: &mut Film) {
        let changes = self.map.apply(patch);
        if !changes.blocked.is_empty() || !changes.opened.is_empty() {
            self.crowd.patch(patch);
            film.show_map(self.map.grid());
        }
    }

    fn tick(&mut self, tick: u64, film: &mut Film) -> Result<(), CrowdRunError> {
        let before = self.places()?;
        let begun = Instant::now();
        let done = self.crowd.tick();
        let spent = begun.elapsed().as_nanos() as f64 / 1000.0;
        self.run.slowest_tick_us = self.run.slowest_tick_us.max(spent);
        self.run.moves += done.moves;
        let after = self.places()?;
        for (&from, &to) in before.iter().zip(&after) {
            let legal = from == to || self.map.legal_step(from, to).is_some();
            self.run.illegal_moves += u64::from(!legal);
        }
        let numbers = self.walkers.iter().map(|(id, _)| id.index());
        let seen: Vec<(usize, Cell)> = numbers.zip(after).collect();
        film.watch(self.map.grid(), tick, &seen);
        Ok(())
    }

    fn send_back(
        &mut self,
        sides: &Sides,
        rng: &mut Rng,
        film: &mut Film,
    ) -> Result<(), CrowdRunError> {
        for i in 0..self.walkers.len() {
            let (id, sent) = self.walkers[i];
            match self.crowd.status(id)? {
                Status::Arrived => self.run.arrived += 1,
                Status::Unreachable { .. } => {}
                _ => continue,
            }
            self.walkers[i].1 = sent + 1;
            let (_, goal) = sides.way(sent + 1, rng);
            self.send(id, goal, film)?;
        }
        Ok(())
    }
}

/// The cells of the left and of the right quarter of a map, those of its largest component.
struct Sides {
    left: Vec<Cell>,
    right: Vec<Cell>,
}

impl Sides {
    fn of(map: &Map) -> Sides {
        let grid = map.grid();
        let largest = map.components().largest();
        let cells = grid.cells().filter(|&c| map.components().of(c) == largest);
        let cells: Vec<Cell> = cells.collect();
        let part = |wanted: &dyn Fn(u32) -> bool| -> Vec<Cell> {
            let inside = cells.iter().copied().filter(|&c| wanted(grid.point(c).x));
            let inside: Vec<Cell> = inside.collect();
            // A map with an empty side has its walkers everywhere.
            if inside.is_empty() {
                cells.clone()
            } else {
                inside
            }
        };
        Sides {
            left: part(&|x| x < grid.width() / 4),
            right: part(&|x| x >= grid.width() - grid.width() / 4),
        }
    }

    /// A way from one side to the other: to the right where the number is even.
    fn way(&self, number: usize, rng: &mut Rng) -> (Cell, Cell) {
        let mut any = |cells: &[Cell]| match cells.is_empty() {
            true => Cell::NONE,
            false => cells[rng.below(cells.len() as u32) as usize],
        };
        let (left, right) = (any(&self.left), any(&self.right));
        match number % 2 {
            0 => (left, right),
            _ => (right, left),
        }
    }
}

/// The passage between two walls that most of these ways lead through and that leaves all of them another way when it is
/// closed.
fn busiest_door(map: &Map, ways: &[(Cell, Cell)]) -> Vec<Point> {
    let grid = map.grid();
    let mut visits = vec![0u32; grid.id_bound()];
    let mut search = AStar::new();
    for &(from, goal) in ways.iter().filter(|(from, _)| *from != Cell::NONE) {
        let path = search.shortest_path(map, from, goal);
        for cell in path.into_iter().flat_map(|path| path.cells) {
            visits[cell.0 as usize] += 1;
        }
    }
    let mut doors: Vec<(u32, Vec<Point>)> = Vec::new();
    for cell in grid.cells().filter(|cell| visits[cell.0 as usize] > 0) {
        for (dx, dy) in [(1, 0), (0, 1)] {
            let Some(gap) = gap(map, grid.point(cell), dx, dy) else {
                continue;
            };
            let used = gap.iter().filter_map(|&p| grid.cell(p));
            let used: u32 = used.map(|c| visits[c.0 as usize]).sum();
            doors.push((used, gap));
        }
    }
    doors.sort_by(|a, b| (b.0, a.1[0].y, a.1[0].x).cmp(&(a.0, b.1[0].y, b.1[0].x)));
    doors.dedup();
    let leaves_a_way = |door: &[Point]| {
        let mut closed = map.clone();
        let mut patch = GridPatch::new();
        door.iter().for_each(|&point| {
            patch.set(point, false);
        });
        closed.apply(&patch);
        ways.iter()
            .all(|&(from, goal)| closed.connected(from, goal))
    };
    let mut tried = doors.into_iter().take(TRIED).map(|(_, door)| door);
    tried.find(|door| leaves_a_way(door)).unwrap_or_default()
}

/// The passable cells in a line through a point from wall to wall, where they are few.
fn gap(map: &Map, at: Point, dx: u32, dy: u32) -> Option<Vec<Point>> {
    let free = |p: Point| map.grid().passable_cell(p).is_some();
    let mut cells = vec![at];
    loop {
        let first = cells[0];
        match (first.x.checked_sub(dx), first.y.checked_sub(dy)) {
            (Some(x), Some(y)) if free(Point { x, y }) => cells.insert(0, Point { x, y }),
            _ => break,
        }
        if cells.len() > MAX_DOOR as usize {
            return None;
        }
    }
    loop {
        let last = cells[cells.len() - 1];
        let next = Point {
            x: last.x + dx,
            y: last.y + dy,
        };
        if !free(next) {
            break;
        }
        cells.push(next);
        if cells.len() > MAX_DOOR as usize {
            return None;
        }
    }
    Some(cells)
}
