//! Everybody knows the exact distance to its goal from every cell.

use super::Contender;
use super::inherit::{Inheritance, Taste};
use waypost::grid::{Cell, ChangeSet};
use waypost::{Map, Space};

/// More than the most expensive move, a power of two.
const RING: usize = 2048;

/// Walkers with fields of distances.
pub struct Fields {
    traffic: Inheritance,
    goals: Vec<Cell>,
    atlas: Atlas,
    sweep: Sweep,
    plans: u64,
}

/// The distances of all walkers, over the passable cells alone and without their upper bits: cells are only compared with
/// neighbours, whose distances differ by one move.
struct Atlas {
    /// Numbers of the passable cells.
    numbers: Vec<u32>,
    fields: Vec<Vec<u16>>,
}

impl Fields {
    /// Walkers at these places.
    pub fn new(map: &Map, places: &[Cell]) -> Fields {
        let mut numbers = vec![u32::MAX; map.grid().id_bound()];
        for (number, cell) in map.grid().cells().enumerate() {
            numbers[cell.index()] = number as u32;
        }
        let cells = map.grid().passable_count() as usize;
        Fields {
            traffic: Inheritance::new(map, places),
            goals: vec![Cell::NONE; places.len()],
            atlas: Atlas {
                numbers,
                fields: vec![vec![0; cells]; places.len()],
            },
            sweep: Sweep::default(),
            plans: 0,
        }
    }

    fn find(&mut self, map: &Map, walker: usize) {
        self.plans += 1;
        self.sweep.run(map, self.goals[walker]);
        let field = &mut self.atlas.fields[walker];
        for (&number, &cost) in self.atlas.numbers.iter().zip(&self.sweep.costs) {
            if number != u32::MAX {
                field[number as usize] = cost as u16;
            }
        }
    }
}

impl Taste for Atlas {
    fn value(&self, _map: &Map, walker: u32, cell: Cell) -> i64 {
        let field = &self.fields[walker as usize];
        field[self.numbers[cell.index()] as usize].into()
    }
}

/// Puts the upper bits back: values near each other stay near.
struct Near<'a> {
    atlas: &'a Atlas,
    at: &'a [Cell],
}

impl Taste for Near<'_> {
    fn value(&self, map: &Map, walker: u32, cell: Cell) -> i64 {
        let here = self.atlas.value(map, walker, self.at[walker as usize]) as u16;
        let there = self.atlas.value(map, walker, cell) as u16;
        i64::from(there.wrapping_sub(here) as i16)
    }
}

impl Contender for Fields {
    fn send(&mut self, map: &Map, walker: usize, goal: Cell) {
        self.goals[walker] = goal;
        self.find(map, walker);
    }

    fn tick(&mut self, map: &Map, ages: &[u32]) {
        let at = self.traffic.at.clone();
        let near = Near {
            atlas: &self.atlas,
            at: &at,
        };
        self.traffic.tick(map, ages, &near);
    }

    fn places(&self) -> &[Cell] {
        &self.traffic.at
    }

    fn map_changed(&mut self, map: &Map, _changes: &ChangeSet) {
        for walker in 0..self.goals.len() {
            if map.grid().is_passable(self.goals[walker]) {
                self.find(map, walker);
            }
        }
    }

    fn plans(&self) -> u64 {
        self.plans
    }
}

/// A search from a goal over the whole map.
#[derive(Default)]
struct Sweep {
    costs: Vec<u32>,
    ring: Vec<Vec<(u32, Cell)>>,
}

impl Sweep {
    fn run(&mut self, map: &Map, goal: Cell) {
        self.costs.clear();
        self.costs.resize(map.grid().id_bound(), u32::MAX);
        self.ring.resize(RING, Vec::new());
        self.costs[goal.index()] = 0;
        self.ring[0].push((0, goal));
        let (mut waiting, mut slot) = (1usize, 0usize);
        while waiting > 0 {
            while let Some((cost, cell)) = self.ring[slot].pop() {
                waiting -= 1;
                if self.costs[cell.index()] < cost {
                    continue;
                }
                let (costs, ring) = (&mut self.costs, &mut self.ring);
                map.for_each_neighbour(cell, |next, step| {
                    let reached = cost + step;
                    if reached < costs[next.index()] {
                        costs[next.index()] = reached;
                        ring[reached as usize % RING].push((reached, next));
                        waiting += 1;
                    }
                });
            }
            slot = (slot + 1) % RING;
        }
    }
}
