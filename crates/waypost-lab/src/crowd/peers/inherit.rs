//! Priority inheritance with backtracking, as published (Okumura, Machida, Défago and Tamura 2022): in the order of precedence each
//! walker takes the best neighbouring cell, making whoever stands there move first; where that fails it tries the next best, and
//! at last stays.

use waypost::grid::Cell;
use waypost::{Map, Space};

const NOBODY: u32 = u32::MAX;

/// Who stands where and who goes where.
pub struct Inheritance {
    pub at: Vec<Cell>,
    next: Vec<Cell>,
    /// By cell: who stands there, and who will.
    holder: Vec<u32>,
    taker: Vec<u32>,
    order: Vec<u32>,
}

/// How much a walker likes a cell; less is better.
pub trait Taste {
    /// Of a walker's own cell or a neighbour of it.
    fn value(&self, map: &Map, walker: u32, cell: Cell) -> i64;
}

impl Inheritance {
    /// Walkers at these places, each in a cell of its own.
    pub fn new(map: &Map, places: &[Cell]) -> Inheritance {
        let mut holder = vec![NOBODY; map.grid().id_bound()];
        for (walker, at) in places.iter().enumerate() {
            holder[at.index()] = walker as u32;
        }
        Inheritance {
            at: places.to_vec(),
            next: vec![Cell::NONE; places.len()],
            taker: vec![NOBODY; holder.len()],
            holder,
            order: (0..places.len() as u32).collect(),
        }
    }

    /// Moves everybody by one step at most.
    pub fn tick(&mut self, map: &Map, ages: &[u32], taste: &impl Taste) {
        let mut order = std::mem::take(&mut self.order);
        order.sort_unstable_by_key(|&walker| (std::cmp::Reverse(ages[walker as usize]), walker));
        self.next.fill(Cell::NONE);
        for &walker in &order {
            if self.next[walker as usize] == Cell::NONE {
                self.decide(map, walker, Cell::NONE, taste);
            }
        }
        self.order = order;
        for at in &self.at {
            self.holder[at.index()] = NOBODY;
        }
        for (walker, &next) in self.next.iter().enumerate() {
            self.holder[next.index()] = walker as u32;
            self.taker[next.index()] = NOBODY;
        }
        self.at.copy_from_slice(&self.next);
    }

    /// Decides where a walker goes, not to its pusher's place; false where it stays.
    fn decide(&mut self, map: &Map, walker: u32, pusher: Cell, taste: &impl Taste) -> bool {
        let at = self.at[walker as usize];
        let (mut ways, mut count) = ([(0, false, Cell::NONE); 9], 0);
        let mut add = |cell: Cell| {
            let taken = cell != at && self.holder[cell.index()] != NOBODY;
            ways[count] = (taste.value(map, walker, cell), taken, cell);
            count += 1;
        };
        add(at);
        map.for_each_neighbour(at, |cell, _| add(cell));
        ways[..count].sort_unstable();
        for &(_, _, cell) in &ways[..count] {
            if cell == pusher || self.taker[cell.index()] != NOBODY {
                continue;
            }
            self.taker[cell.index()] = walker;
            self.next[walker as usize] = cell;
            let holder = self.holder[cell.index()];
            let undecided =
                holder != NOBODY && holder != walker && self.next[holder as usize] == Cell::NONE;
            if !undecided || self.decide(map, holder, at, taste) {
                return cell != at;
            }
        }
        self.taker[at.index()] = walker;
        self.next[walker as usize] = at;
        false
    }
}
