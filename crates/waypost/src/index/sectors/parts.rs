//! Regions on terrain: where a piece of a sector is dear to cross, it is cut into parts.
//!
//! Chains of hops lead to a region's representative. On plain ground every cell of a region is near it; on terrain there may be
//! water or woods in between, and the way to a goal beyond them leads round, through other sectors. So parts are added, each
//! begun at the cell that is most expensive to reach, until every cell is within reach of its part's beginning. Roads come
//! first, cells that are far for ground as cheap as theirs: two that run side by side through costly ground are two parts, however few
//! their cells are.

use super::layout::Layout;
use super::sector_regions::{keeps_within, middle};
use crate::cost::{Cost, UNREACHED};
use crate::grid::Cell;
use crate::map::Map;
use crate::terrain::Ground;
use std::cmp::Reverse;
use std::collections::BinaryHeap;

/// Every cell is to be within the cost of this many tenths of the side of a sector over the piece's cheap ground.
const REACH_TENTHS: Cost = 20;
/// The same where even the piece's cheap ground is dear on this map: the way to a cell on the other side of such a piece is the larger
/// part of many paths. Less than a side: who stands at one edge is to be apart from who stands at the other.
const DEAR_REACH_TENTHS: Cost = 9;
/// The ground that this part of a piece's cells is cheaper than counts as its cheap ground.
const CHEAP_PART: usize = 10;
/// A piece is cut into no more parts.
const MAX_PARTS: u16 = 6;

/// Cuts connected pieces of sectors. Keeps its memory.
#[derive(Default)]
pub struct Parting {
    /// By offset: the cost from the nearest beginning of a part.
    best: Vec<Cost>,
    /// By offset: the cost from the beginning of the part at hand.
    reached: Vec<Cost>,
    queue: BinaryHeap<Reverse<(Cost, Cell)>>,
    hundredths: Vec<u32>,
}

impl Parting {
    /// Cuts a piece whose cells all have the label `first`: gives the cells of other parts the labels that follow, and the
    /// representatives of all parts.
    pub fn cut(
        &mut self,
        (map, ground): (&Map, &Ground),
        (layout, sector): (Layout, usize),
        members: &[Cell],
        (labels, first): (&mut [u16], u16),
    ) -> Vec<Cell> {
        let grid = map.grid();
        let offset = |cell: Cell| layout.offset(grid.point(cell));
        self.hundredths.clear();
        self.hundredths
            .extend(members.iter().map(|&cell| ground.hundredths(cell)));
        let cheap_rank = members.len() / CHEAP_PART;
        let (_, &mut cheap, _) = self.hundredths.select_nth_unstable(cheap_rank);
        let straight = 2 * ground.scale().units(cheap) * ground.scale().straight;
        let tenths = match ground.is_dear(straight) {
            true => DEAR_REACH_TENTHS,
            false => REACH_TENTHS,
        };
        let reach = layout.side() * straight * tenths / 10;
        // No more straight roads have room in a sector with ground between them.
        let max_roads = (layout.side() / 2) as u16;
        // The steps on its own ground that a cell lies from the nearest beginning, as costs; a road is reached by its own cells.
        let on_its_own = |best: Cost, cell: Cell| u64::from(best) / u64::from(ground.units(cell));
        let road_reach = layout.side() * 2 * ground.scale().straight * REACH_TENTHS / 10;

        self.best.clear();
        self.best.resize(layout.area(), UNREACHED);
        let mut begin = cheap_middle(map, ground, members);
        let mut parts = 0;
        loop {
            self.spread(map, (layout, sector), begin);
            for &cell in members {
                let at = offset(cell);
                if self.reached[at] < self.best[at] {
                    self.best[at] = self.reached[at];
                    labels[at] = first + parts;
                }
            }
            parts += 1;
            let best = |cell: Cell| self.best[offset(cell)];
            let all = members.iter().copied();
            let far = |cell: &Cell| (on_its_own(best(*cell), *cell), Reverse(*cell));
            let road = all.clone().max_by_key(far).filter(|&cell| {
                on_its_own(best(cell), cell) > u64::from(road_reach) && parts < max_roads
            });
            let farthest = all
                .max_by_key(|&cell| (best(cell), Reverse(cell)))
                .filter(|&cell| best(cell) > reach && parts < MAX_PARTS);
            match road.or(farthest) {
                Some(cell) => begin = cell,
                None => break,
            }
        }
        let of_part = |part: u16| {
            let own = |cell: &Cell| labels[offset(*cell)] == first + part;
            let own: Vec<Cell> = members.iter().copied().filter(own).collect();
            cheap_middle(map, ground, &own)
        };
        (0..parts).map(of_part).collect()
    }

    /// What it costs from a cell to all others of its sector that can be reached within it.
    fn spread(&mut self, map: &Map, (layout, sector): (Layout, usize), from: Cell) {
        let grid = map.grid();
        let offset = |cell: Cell| layout.offset(grid.point(cell));
        self.reached.clear();
        self.reached.resize(layout.area(), UNREACHED);
        self.reached[offset(from)] = 0;
        self.queue.push(Reverse((0, from)));
        while let Some(Reverse((cost, cell))) = self.queue.pop() {
            if cost > self.reached[offset(cell)] {
                continue;
            }
            for direction in map.legal(cell) {
                if !keeps_within(map, layout, sector, cell, direction) {
                    continue;
                }
                let next = grid.neighbour(cell, direction);
                let through = cost + map.step_cost(cell, direction);
                if through < self.reached[offset(next)] {
                    self.reached[offset(next)] = through;
                    self.queue.push(Reverse((through, next)));
                }
            }
        }
    }
}

/// Of the cells of least factor the one nearest to the middle of all.
fn cheap_middle(map: &Map, ground: &Ground, members: &[Cell]) -> Cell {
    let factors = members.iter().map(|&cell| ground.hundredths(cell));
    let least = factors.min();
    middle(map.grid(), members, |cell| {
        Some(ground.hundredths(cell)) == least
    })
}
