//! A level of the hierarchy as the search loop sees it: nodes inside a corridor, and where to go.

use super::workspace::Marks;
use crate::cost::{Cost, StepCosts};
use crate::grid::Cell;
use crate::hierarchy::{Hierarchy, NO_NODE, POSITION_SCALE, Place, position_heuristic};
use crate::map::Map;
use crate::search::best_first::Surface;

/// What a search on one level looks for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Aim {
    /// This node.
    Node(u32),
    /// Any child of this node of the level above, with as little left to this position as can be: the paper's early exit.
    Inside { parent: u32, towards: [u32; 2] },
}

/// One level, restricted to what lies below marked nodes.
#[derive(Clone, Copy)]
pub(super) struct Corridor<'a> {
    pub hierarchy: &'a Hierarchy,
    pub map: &'a Map,
    pub level: u32,
    /// Marked nodes of a higher level, and that level; `None` for no restriction.
    pub inside: Option<(u32, &'a Marks)>,
    pub aim: Aim,
    costs: StepCosts,
    towards: [u32; 2],
}

impl<'a> Corridor<'a> {
    pub fn new(
        hierarchy: &'a Hierarchy,
        map: &'a Map,
        level: u32,
        inside: Option<(u32, &'a Marks)>,
        aim: Aim,
    ) -> Corridor<'a> {
        let towards = match aim {
            Aim::Node(id) => hierarchy.position(map, Place { level, id }),
            Aim::Inside { towards, .. } => towards,
        };
        Corridor {
            hierarchy,
            map,
            level,
            inside,
            aim,
            costs: map.least_steps(),
            towards,
        }
    }

    /// The node that ends the search: the one aimed at, or one that does not exist and is next to every child wanted.
    pub fn end(&self) -> Cell {
        match self.aim {
            Aim::Node(id) => Cell(id),
            Aim::Inside { .. } => Cell(self.ids() as u32),
        }
    }

    fn ids(&self) -> usize {
        if self.level == 0 {
            self.map.grid().id_bound()
        } else {
            self.hierarchy.node_bound()
        }
    }

    #[inline]
    fn parent(&self, id: u32) -> u32 {
        let level = self.level;
        self.hierarchy.parent(Place { level, id })
    }

    #[inline]
    fn admits(&self, id: u32) -> bool {
        self.inside
            .is_none_or(|(above, marked)| self.is_below(above, marked, self.parent(id)))
    }

    /// Whether a node one level up is a marked one, or below one.
    #[inline]
    fn is_below(&self, above: u32, marked: &Marks, mut id: u32) -> bool {
        for level in self.level + 1..above {
            id = self.hierarchy.parent(Place { level, id });
        }
        marked.contains(id)
    }

    #[inline]
    fn ground_successors(&self, cell: Cell, mut visit: impl FnMut(Cell, Cost, Cell, [u32; 2])) {
        let grid = self.map.grid();
        let point = grid.point(cell);
        // Neighbours often have the same parent: asking once for a run of them is enough.
        let (mut last_parent, mut last_answer) = (NO_NODE, self.inside.is_none());
        for d in self.map.legal(cell) {
            let next = grid.neighbour(cell, d);
            if let Some((above, marked)) = self.inside {
                let parent = self.parent(next.0);
                if parent != last_parent {
                    last_parent = parent;
                    last_answer = self.is_below(above, marked, parent);
                }
            }
            if last_answer {
                let position = [
                    shifted(point.x, d.dx()) * POSITION_SCALE,
                    shifted(point.y, d.dy()) * POSITION_SCALE,
                ];
                visit(next, self.map.step_cost(cell, d), cell, position);
            }
        }
    }
}

#[inline]
fn shifted(coordinate: u32, by: i32) -> u32 {
    coordinate.wrapping_add_signed(by)
}

impl Surface for Corridor<'_> {
    type Link = Cell;
    type Place = [u32; 2];

    fn start_link(&self) -> Cell {
        Cell::NONE
    }

    #[inline]
    fn place(&self, cell: Cell) -> [u32; 2] {
        let (level, id) = (self.level, cell.0);
        self.hierarchy.position(self.map, Place { level, id })
    }

    #[inline]
    fn estimate(&self, _cell: Cell, position: [u32; 2]) -> Cost {
        position_heuristic(self.costs, position, self.towards)
    }

    #[inline]
    fn for_each_successor(
        &self,
        cell: Cell,
        _link: Cell,
        mut visit: impl FnMut(Cell, Cost, Cell, [u32; 2]),
    ) {
        if let Aim::Inside { parent, towards } = self.aim
            && self.parent(cell.0) == parent
        {
            // What is left counts as walked, so that the best of all children ends the search.
            let left = self.estimate(cell, self.place(cell));
            visit(self.end(), left, cell, towards);
            return;
        }
        if self.level == 0 {
            self.ground_successors(cell, visit);
            return;
        }
        let here = self.place(cell);
        for &next in self.hierarchy.edges(cell.0) {
            if self.admits(next) {
                let there = self.place(Cell(next));
                visit(
                    Cell(next),
                    self.hierarchy
                        .edge_cost(self.map, [cell.0, next], [here, there]),
                    cell,
                    there,
                );
            }
        }
    }

    #[inline]
    fn parent(&self, _cell: Cell, link: Cell) -> Option<Cell> {
        (link != Cell::NONE).then_some(link)
    }

    fn id_bound(&self) -> usize {
        self.ids() + 1
    }

    fn growth(&self) -> Cost {
        if self.level == 0 {
            2 * self.map.max_step_cost()
        } else {
            Cost::MAX
        }
    }
}
