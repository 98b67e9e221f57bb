//! Repair of a jump-point graph after a change of the map.

use super::{Edge, JumpGraph};
use crate::artifact::Header;
use crate::grid::scan::moved;
use crate::grid::{ChangeSet, Direction, Point};
use crate::index::IndexKind;
use crate::map::Map;
use crate::search::jps::JumpPoints;

/// With more changed cells than this, testing every point against every cell costs more than deriving all edges anew.
const MOST_CELLS: usize = 24;

impl JumpGraph {
    /// Brings the graph up to date with a map that `changes` have been made to; the result equals a new build.
    ///
    /// A point's edges depend on the cells of the walks that leave it and on the neighbours of those. Up to the first
    /// cell that is next to a change such a walk is the same before and after, so a point needs new edges only where a
    /// free walk leads from it to a neighbour of a changed cell. All other edges are kept and renumbered.
    pub fn repair(&mut self, map: &Map, changes: &ChangeSet) {
        if changes.is_empty() {
            return;
        }
        self.header = Header::of(IndexKind::Jump, map, Default::default());
        self.scans.repair(map.grid(), changes);
        self.revision = map.grid().revision();
        self.passable = map.grid().passable_count();
        let old_points =
            std::mem::replace(&mut self.points, JumpPoints::new(map.grid(), &self.scans));
        let old_first = std::mem::take(&mut self.first_edge);
        let old_edges = std::mem::take(&mut self.edges);
        let changed = changes.blocked.len() + changes.opened.len();
        let near: Vec<Point> = if changed <= MOST_CELLS {
            near_cells(map, changes)
        } else {
            Vec::new()
        };
        let new_number: Vec<u32> = old_points
            .iter()
            .map(|at| self.points.marked(at).unwrap_or(u32::MAX))
            .collect();
        for id in 0..self.points.len() as u32 {
            let at = self.points.point(id);
            let kept = old_points.marked(at).filter(|_| {
                changed <= MOST_CELLS
                    && !near
                        .iter()
                        .any(|&cell| cell == at || self.scans.walk_is_free(at, cell))
            });
            match kept {
                None => self.derive_edges(id),
                Some(old) => {
                    for state in old as usize * 8..old as usize * 8 + 8 {
                        self.first_edge.push(self.edges.len() as u32);
                        let range = old_first[state] as usize..old_first[state + 1] as usize;
                        self.edges.extend(old_edges[range].iter().map(|edge| Edge {
                            target: new_number[edge.target as usize],
                            ..*edge
                        }));
                    }
                }
            }
        }
        self.first_edge.push(self.edges.len() as u32);
    }
}

/// Changed cells and their neighbours, as far as they are passable now.
fn near_cells(map: &Map, changes: &ChangeSet) -> Vec<Point> {
    let grid = map.grid();
    let mut near = Vec::new();
    for &cell in changes.blocked.iter().chain(&changes.opened) {
        let at = grid.point(cell);
        near.push(at);
        near.extend(Direction::ALL.map(|d| moved(at, d, 1)));
    }
    near.retain(|&at| grid.passable_cell(at).is_some());
    near.sort_unstable();
    near.dedup();
    near
}
