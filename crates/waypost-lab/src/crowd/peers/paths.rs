//! Everybody knows one shortest path. After every tick a walker finds its place on it again: the nearest of the cells from two
//! behind to six ahead. It likes a cell by the least of the distance over free ground to a path cell up to `look` ahead and
//! what is left from there, and plans again only when it is more than four cells off.

use super::Contender;
use super::inherit::{Inheritance, Taste};
use crate::crowd::exact::{ExactPaths, ExactSearch};
use waypost::grid::{Cell, ChangeSet};
use waypost::{Map, Space};

const BEHIND: usize = 2;
const AHEAD: usize = 6;
/// Straight steps off the path that are too many.
const OFF: u32 = 4;

/// Walkers with paths.
pub struct Paths {
    traffic: Inheritance,
    goals: Vec<Cell>,
    routes: Routes,
    paths: ExactPaths,
    search: ExactSearch,
    plans: u64,
}

struct Routes {
    look: usize,
    routes: Vec<Route>,
}

/// A path cell by cell with what is left from each, and the walker's place on it.
#[derive(Clone, Default)]
struct Route {
    cells: Vec<(Cell, u32)>,
    place: usize,
}

impl Paths {
    /// Walkers at these places.
    pub fn new(map: &Map, places: &[Cell], look: usize) -> Paths {
        Paths {
            traffic: Inheritance::new(map, places),
            goals: vec![Cell::NONE; places.len()],
            routes: Routes {
                look,
                routes: vec![Route::default(); places.len()],
            },
            paths: ExactPaths::new(map),
            search: ExactSearch::default(),
            plans: 0,
        }
    }

    fn plan(&mut self, map: &Map, walker: usize) {
        let (at, goal) = (self.traffic.at[walker], self.goals[walker]);
        let mut runs = Vec::new();
        let found = self.search.path(&self.paths, map, (at, goal), &mut runs);
        self.plans += 1;
        let route = &mut self.routes.routes[walker];
        route.place = 0;
        route.cells.clear();
        let Some(mut left) = found else {
            return;
        };
        let mut cell = at;
        route.cells.push((cell, left));
        for run in runs.iter().rev() {
            for _ in 0..run.steps {
                let next = map.grid().neighbour(cell, run.direction);
                left -= map.edge_cost(cell, next).unwrap_or(0);
                cell = next;
                route.cells.push((cell, left));
            }
        }
    }
}

impl Route {
    /// Finds a walker's place again; false where it is too far off.
    fn follow(&mut self, map: &Map, at: Cell) -> bool {
        let first = self.place.saturating_sub(BEHIND);
        let last = (self.place + AHEAD + 1).min(self.cells.len());
        let cells = self.cells[first..last].iter().enumerate();
        let nearest = cells.map(|(i, &(cell, _))| (map.heuristic(at, cell), first + i));
        // Of equally near ones the last.
        let nearest = nearest.min_by_key(|&(off, place)| (off, std::cmp::Reverse(place)));
        let Some((off, place)) = nearest else {
            return false;
        };
        self.place = place;
        off <= OFF * map.rules().costs.straight()
    }
}

impl Taste for Routes {
    fn value(&self, map: &Map, walker: u32, cell: Cell) -> i64 {
        let route = &self.routes[walker as usize];
        let ahead = route.cells.iter().skip(route.place).take(self.look + 1);
        let values = ahead.map(|&(there, left)| map.heuristic(cell, there) + left);
        values.min().unwrap_or(0).into()
    }
}

impl Contender for Paths {
    fn send(&mut self, map: &Map, walker: usize, goal: Cell) {
        self.goals[walker] = goal;
        self.plan(map, walker);
    }

    fn tick(&mut self, map: &Map, ages: &[u32]) {
        self.traffic.tick(map, ages, &self.routes);
        for walker in 0..self.goals.len() {
            let at = self.traffic.at[walker];
            if at != self.goals[walker] && !self.routes.routes[walker].follow(map, at) {
                self.plan(map, walker);
            }
        }
    }

    fn places(&self) -> &[Cell] {
        &self.traffic.at
    }

    fn map_changed(&mut self, map: &Map, changes: &ChangeSet) {
        self.paths.map_changed(map);
        for walker in 0..self.goals.len() {
            let route = &self.routes.routes[walker];
            let ahead = &route.cells[route.place.min(route.cells.len())..];
            let legal = |step: &[(Cell, u32)]| map.legal_step(step[0].0, step[1].0).is_some();
            if !changes.opened.is_empty() || !ahead.windows(2).all(legal) {
                self.plan(map, walker);
            }
        }
    }

    fn plans(&self) -> u64 {
        self.plans
    }
}
