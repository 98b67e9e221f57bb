//! First-move sets by definition: one Dijkstra search per source that carries the sets along.
//!
//! This is the paper's own builder, with ties kept. It is what sampled estimates use, and what the composed builder
//! ([`super::build`]) is tested against. O(n log n) per source.

use crate::cost::{Cost, UNREACHED};
use crate::grid::{Cell, Directions};
use crate::index::{BuildError, unless_cancelled};
use crate::map::Map;
use crate::progress::Progress;
use std::cmp::Reverse;
use std::collections::BinaryHeap;

/// Cells of a search between two looks at whether to go on: some milliseconds.
const POPS_BETWEEN_LOOKS: u32 = 1 << 14;

/// The set of optimal first moves from one source to every target.
#[derive(Clone, Debug, Default)]
pub(crate) struct FirstMoves {
    sets: Vec<Directions>,
    costs: Vec<Cost>,
    heap: BinaryHeap<Reverse<(Cost, u32)>>,
}

impl FirstMoves {
    /// Finds the sets of a passable source; gives up where whoever watches wants no more of it.
    pub fn find(
        &mut self,
        map: &Map,
        source: Cell,
        progress: &dyn Progress,
    ) -> Result<(), BuildError> {
        let grid = map.grid();
        self.sets.clear();
        self.sets.resize(grid.id_bound(), Directions::NONE);
        self.costs.clear();
        self.costs.resize(grid.id_bound(), UNREACHED);
        self.costs[source.index()] = 0;
        self.heap.clear();
        self.heap.push(Reverse((0, source.0)));
        let mut pops = 0u32;
        while let Some(Reverse((g, id))) = self.heap.pop() {
            let cell = Cell(id);
            if pops.is_multiple_of(POPS_BETWEEN_LOOKS) {
                unless_cancelled(progress)?;
            }
            pops = pops.wrapping_add(1);
            if g > self.costs[cell.index()] {
                continue;
            }
            // Every predecessor was popped before, since edges cost something: the set is complete.
            for d in map.legal(cell) {
                let next = grid.neighbour(cell, d);
                let through = g + map.step_cost(cell, d);
                let moves = if cell == source {
                    Directions::NONE.with(d)
                } else {
                    self.sets[cell.index()]
                };
                let known = self.costs[next.index()];
                if through < known {
                    self.costs[next.index()] = through;
                    self.sets[next.index()] = moves;
                    self.heap.push(Reverse((through, next.0)));
                } else if through == known {
                    self.sets[next.index()].0 |= moves.0;
                }
            }
        }
        Ok(())
    }

    /// The optimal first moves to a target; empty for the source itself and where there is no path.
    #[inline]
    pub fn towards(&self, target: Cell) -> Directions {
        self.sets[target.index()]
    }
}
