//! Connected components: "is there a way?" in constant time.

use super::{Cell, Corners, Direction, Grid};

/// The component of every passable cell.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Components {
    labels: Vec<u32>,
    sizes: Vec<u64>,
}

const NO_COMPONENT: u32 = u32::MAX;

impl Components {
    /// Finds the components of a grid. Corner rules `never` and `one` connect cells through their sides alone.
    pub fn find(grid: &Grid, corners: Corners) -> Components {
        let mut labels = vec![NO_COMPONENT; grid.id_bound()];
        let mut sizes = Vec::new();
        let mut stack = Vec::new();
        for start in grid.cells() {
            if labels[start.index()] != NO_COMPONENT {
                continue;
            }
            let label = sizes.len() as u32;
            let mut size = 0;
            labels[start.index()] = label;
            stack.push(start);
            while let Some(cell) = stack.pop() {
                size += 1;
                for d in Direction::ALL {
                    let next = grid.neighbour(cell, d);
                    if (corners.connects_diagonally() || !d.is_diagonal())
                        && grid.is_passable(next)
                        && labels[next.index()] == NO_COMPONENT
                    {
                        labels[next.index()] = label;
                        stack.push(next);
                    }
                }
            }
            sizes.push(size);
        }
        Components { labels, sizes }
    }

    /// Is there a path between the two cells? False where either is blocked.
    #[inline]
    pub fn connected(&self, a: Cell, b: Cell) -> bool {
        self.of(a).is_some_and(|label| Some(label) == self.of(b))
    }

    /// The number of the component that a passable cell belongs to.
    #[inline]
    pub fn of(&self, cell: Cell) -> Option<u32> {
        self.labels
            .get(cell.index())
            .copied()
            .filter(|&label| label != NO_COMPONENT)
    }

    /// How many components there are.
    pub fn count(&self) -> usize {
        self.sizes.len()
    }

    /// The number of cells in a component.
    pub fn size(&self, component: u32) -> u64 {
        self.sizes.get(component as usize).copied().unwrap_or(0)
    }

    /// The component with the most cells, the first of equals; `None` on a map of walls.
    pub fn largest(&self) -> Option<u32> {
        (0..self.sizes.len() as u32).max_by_key(|&c| (self.size(c), std::cmp::Reverse(c)))
    }
}
