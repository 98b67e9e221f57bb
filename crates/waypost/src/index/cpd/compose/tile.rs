//! A tile of sources: where they are in arrays of lanes, and how far they are from every corner.
//!
//! Lanes come in groups of eight neighbouring cells of a row; groups without a cell of the component are left out. One
//! row above and below the sources and one group to either side belong to the tile too, since the moves of a source
//! depend on the distances of its neighbours.

use super::super::heuristic_move::{HeuristicMoves, TOWARDS_SIDES, side};
use super::super::order::NodeOrder;
use super::super::run_lengths::WILD;
use super::TilePlan;
use super::corners::{CornerGraph, FAR};
use crate::grid::{Cell, Corners};
use crate::index::{BuildError, unless_cancelled};
use crate::map::Map;
use crate::progress::Progress;
use std::borrow::Cow;
use std::collections::BTreeMap;
use std::ops::Range;

/// Arrays of lanes are a multiple of this long.
pub(super) const CHUNK: usize = 32;
/// Two groups that stand for "no group" come first: a lane before theirs is still a lane.
const NO_GROUP: u32 = 8;
const FIRST_LANE: usize = 16;

/// The groups of one row.
#[derive(Clone, Debug)]
pub(super) struct TileRow {
    pub y: u32,
    pub groups: Range<usize>,
}

/// A group of eight lanes.
#[derive(Clone, Copy, Debug)]
pub(super) struct Group {
    /// Its first lane.
    pub lane: u32,
    /// The first lanes of the groups above and below.
    pub above: u32,
    pub below: u32,
    /// Its column in groups.
    pub column: u32,
}

/// See the module's documentation.
#[derive(Debug)]
pub(super) struct Tile {
    pub lanes: usize,
    groups: Vec<Group>,
    rows: Vec<TileRow>,
    /// The groups that hold sources, row by row.
    pub work: Vec<Group>,
    pub work_rows: Vec<TileRow>,
    /// Their columns.
    work_columns: Range<u32>,
    /// The lanes of three sources.
    pub probes: [usize; 3],
    /// By lane: 0 for cells, much for walls.
    pub walls: Vec<i32>,
    /// By lane: the legal moves of sources; nothing for other lanes.
    pub legal: Vec<u16>,
    /// By lane: every symbol for lanes that are no sources.
    pub wild: Vec<u16>,
    /// By side and lane: the bit of the heuristic move.
    pub heuristic: [Vec<u16>; 9],
    pub sources: Vec<(u32, Cell)>,
    /// By corner, then lane: the distance.
    pub from_corners: Vec<i32>,
    /// The first lane of every group of the rectangle, or 0.
    lane_of_group: Vec<u32>,
    /// Rows and group columns with the halo.
    pub all_rows: Range<u32>,
    pub all_groups: Range<u32>,
    stride: u32,
}

impl Tile {
    pub fn new(
        map: &Map,
        order: &NodeOrder,
        graph: &CornerGraph,
        plan: &TilePlan,
        progress: &dyn Progress,
    ) -> Result<Tile, BuildError> {
        let grid = map.grid();
        let stride = grid.stride();
        let all_rows =
            plan.rows.start.saturating_sub(1)..(plan.rows.end + 1).min(grid.height() + 2);
        let all_groups = plan.groups.start.saturating_sub(1)..(plan.groups.end + 1).min(stride / 8);
        let width = all_groups.len();
        let mut tile = Tile {
            lanes: 0,
            groups: Vec::new(),
            rows: Vec::new(),
            work: Vec::new(),
            work_rows: Vec::new(),
            work_columns: plan.groups.clone(),
            probes: [0; 3],
            walls: Vec::new(),
            legal: Vec::new(),
            wild: Vec::new(),
            heuristic: Default::default(),
            sources: Vec::new(),
            from_corners: Vec::new(),
            lane_of_group: vec![0; width * all_rows.len()],
            all_rows,
            all_groups,
            stride,
        };
        let label = map
            .components()
            .of(order.cells[order.starts[plan.component] as usize]);
        let cells = tile.place_groups(map, label);
        tile.lanes = (FIRST_LANE + 8 * tile.groups.len() + 8).next_multiple_of(CHUNK);
        tile.link_groups();
        tile.add_sources(map, plan, &cells);
        tile.measure(graph, plan.component, &cells, progress)?;
        tile.walls = vec![FAR; tile.lanes];
        for &(lane, _) in &cells {
            tile.walls[lane as usize] = 0;
        }
        let lane = |i: usize| tile.sources[i].0 as usize;
        let last = tile.sources.len().saturating_sub(1);
        if !tile.sources.is_empty() {
            tile.probes = [lane(0), lane(last / 2), lane(last)];
        }
        Ok(tile)
    }

    /// The side on which all sources see a target at a column and row of the layout, if it is one side.
    pub fn side_of(&self, x: u32, y: u32) -> Option<usize> {
        let (first, last) = (self.work_rows.first()?, self.work_rows.last()?);
        let dx = match x / 8 {
            column if column < self.work_columns.start => -1,
            column if column >= self.work_columns.end => 1,
            _ => return None,
        };
        let dy = match y {
            y if y < first.y => -1,
            y if y > last.y => 1,
            y if first.y == last.y => y as i32 - first.y as i32,
            _ => return None,
        };
        Some(side(dx, dy) as usize)
    }

    /// Gives every group with cells of the component its lanes; returns these cells with their lanes.
    fn place_groups(&mut self, map: &Map, label: Option<u32>) -> Vec<(u32, Cell)> {
        let mut cells = Vec::new();
        for y in self.all_rows.clone() {
            let first = self.groups.len();
            for column in self.all_groups.clone() {
                let lane = (FIRST_LANE + 8 * self.groups.len()) as u32;
                let first_cell = Cell(y * self.stride + column * 8);
                let is_ours = |cell| map.components().of(cell).is_some_and(|c| Some(c) == label);
                let before = cells.len();
                for k in 0..8 {
                    let cell = Cell(first_cell.0 + k);
                    if is_ours(cell) {
                        cells.push((lane + k, cell));
                    }
                }
                // Where corners may be cut, a diagonal move can lead past a group of walls into the group beside it.
                let beside = map.rules().corners != Corners::Never
                    && (is_ours(Cell(first_cell.0.wrapping_sub(1)))
                        || is_ours(Cell(first_cell.0 + 8)));
                if cells.len() > before || beside {
                    let at = self.group_index(y, column);
                    self.lane_of_group[at] = lane;
                    self.groups.push(Group {
                        lane,
                        above: NO_GROUP,
                        below: NO_GROUP,
                        column,
                    });
                }
            }
            self.rows.push(TileRow {
                y,
                groups: first..self.groups.len(),
            });
        }
        cells
    }

    fn group_index(&self, y: u32, column: u32) -> usize {
        (y - self.all_rows.start) as usize * self.all_groups.len()
            + (column - self.all_groups.start) as usize
    }

    fn link_groups(&mut self) {
        for row in self.rows.clone() {
            for i in row.groups {
                let column = self.groups[i].column;
                let lane_at = |y: u32| {
                    let lane = self.lane_of_group[self.group_index(y, column)];
                    if lane == 0 { NO_GROUP } else { lane }
                };
                let first = row.y == self.all_rows.start;
                let last = row.y + 1 == self.all_rows.end;
                let above = if first { NO_GROUP } else { lane_at(row.y - 1) };
                let below = if last { NO_GROUP } else { lane_at(row.y + 1) };
                self.groups[i].above = above;
                self.groups[i].below = below;
            }
        }
    }

    fn add_sources(&mut self, map: &Map, plan: &TilePlan, cells: &[(u32, Cell)]) {
        self.legal = vec![0; self.lanes];
        self.wild = vec![WILD; self.lanes];
        self.heuristic = std::array::from_fn(|_| vec![0; self.lanes]);
        let mut has_sources = vec![false; self.groups.len()];
        for &(lane, cell) in cells {
            let (y, column) = (cell.0 / self.stride, cell.0 % self.stride / 8);
            if !plan.rows.contains(&y) || !plan.groups.contains(&column) {
                continue;
            }
            let legal = map.legal(cell);
            let moves = HeuristicMoves::of(legal);
            self.legal[lane as usize] = u16::from(legal.0);
            self.wild[lane as usize] = 0;
            for side in 0..TOWARDS_SIDES {
                self.heuristic[side][lane as usize] = 1 << moves.towards(side as u32) as u16;
            }
            has_sources[(lane as usize - FIRST_LANE) / 8] = true;
            self.sources.push((lane, cell));
        }
        for row in &self.rows {
            let first = self.work.len();
            let groups = row.groups.clone().filter(|&i| has_sources[i]);
            self.work.extend(groups.map(|i| self.groups[i]));
            if self.work.len() > first {
                self.work_rows.push(TileRow {
                    y: row.y,
                    groups: first..self.work.len(),
                });
            }
        }
    }

    /// Fills [`Tile::from_corners`], a group at a time.
    fn measure(
        &mut self,
        graph: &CornerGraph,
        component: usize,
        cells: &[(u32, Cell)],
        progress: &dyn Progress,
    ) -> Result<(), BuildError> {
        let count = graph.corners_of(component).len();
        self.from_corners = vec![FAR; count * self.lanes];
        let mut rows: BTreeMap<u32, Cow<[i32]>> = BTreeMap::new();
        let mut near = vec![FAR; 8 * count];
        for group in cells.chunk_by(|a, b| a.0 / 8 == b.0 / 8) {
            near.fill(FAR);
            for &(lane, cell) in group {
                let near = &mut near[(lane & 7) as usize * count..][..count];
                for edge in graph.edges_of(cell) {
                    unless_cancelled(progress)?;
                    let row = rows
                        .entry(edge.corner)
                        .or_insert_with(|| graph.distances_from(component, edge.corner));
                    for (best, &rest) in near.iter_mut().zip(row.iter()) {
                        *best = (*best).min(edge.cost + rest);
                    }
                }
                if let Some(number) = graph.corner_number(cell) {
                    near[number as usize] = 0;
                }
            }
            let lane = (group[0].0 & !7) as usize;
            for corner in 0..count {
                let out = &mut self.from_corners[corner * self.lanes + lane..][..8];
                for (k, value) in out.iter_mut().enumerate() {
                    *value = near[k * count + corner];
                }
            }
        }
        Ok(())
    }

    /// The lane of a cell of the layout's column and row, if the tile holds its group.
    #[inline]
    pub fn lane(&self, x: u32, y: u32) -> Option<usize> {
        let column = x / 8;
        if !self.all_rows.contains(&y) || !self.all_groups.contains(&column) {
            return None;
        }
        let lane = self.lane_of_group[self.group_index(y, column)];
        (lane != 0).then_some((lane + x % 8) as usize)
    }
}
