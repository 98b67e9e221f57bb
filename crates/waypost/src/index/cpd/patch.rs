//! Permanent changes of a map: only the rows that can have changed are built again.
//!
//! A row depends on the distances of its source and of the source's neighbours to all targets. If a patch changes the
//! distance between `s` and `t`, take a best path of the map on which it is shorter and the last cell or move on it that
//! the other map lacks: the cell `y` right after it is a neighbour of a changed cell, the rest of the path exists on both maps,
//! so the distance between `s` and `y` has changed too. It is therefore enough to search from the neighbours of
//! changed cells, on both maps, and to compare: a source none of whose distances to them differ, nor those of its
//! neighbours, keeps its row. A cell that became passable is a new target: a row is kept only if it happens to answer it
//! with an optimal move, which one more search from that cell tells.
//!
//! Run-length rows are renumbered: ranks of cells that are gone are closed up, new cells are ranked behind a neighbour.
//! That order is no longer depth-first, so the file stores it. Kept rows may have a run more than newly built ones; their
//! answers are as good.

use super::build::{rows_by_search, unsuitable};
use super::compose::{self, CornerGraph};
use super::database::{PathDatabase, Records};
use super::encoding::Encoding;
use super::order::NodeOrder;
use super::rows::{RowBatch, database_of, records_of};
use super::run_lengths;
use super::{quadtree, rectangles, table};
use crate::cost::{Cost, UNREACHED};
use crate::grid::{Cell, Direction, Directions};
use crate::index::BuildError;
use crate::map::Map;
use crate::parallel::prelude::*;
use crate::progress::Progress;
use crate::search::Dijkstra;

/// Tiles with fewer rows to build than this are built source by source.
const FEW_ROWS: usize = 6;

/// Beyond this many changed cells all rows are built again.
const MAX_CHANGES: usize = 64;

/// A database for the changed map, and what it took.
#[derive(Clone, Debug)]
pub struct Patched {
    /// The database for the changed map.
    pub database: PathDatabase,
    /// Rows that were built again; the others were kept.
    pub rebuilt: u64,
}

impl PathDatabase {
    /// The database of a map that has changed since this one was built: the same size and rules, other walls.
    pub fn patched(&self, map: &Map, progress: &dyn Progress) -> Result<Patched, BuildError> {
        let (old, new) = (&self.grid, map.grid());
        if (old.width(), old.height()) != (new.width(), new.height())
            || self.rules != map.rules()
            || !self.has_ground_of(map)
        {
            return Err(unsuitable(
                "a patch changes walls, not the size of the map, its rules or its terrain; build a new database",
            ));
        }
        let before = map.with_grid(old.clone());
        let changed = Changed::find(&before, map);
        let order = self.patched_order(map);
        let mut rebuild = changed.rows(&before, map);
        let mut kept = RowBatch::default();
        let record_bytes = self.encoding().record_bytes(new).map_err(unsuitable)?;
        let renumbering = Renumbering::of(self, &order, map);
        for (rank, &source) in order.cells.iter().enumerate() {
            if rebuild[source.index()] {
                continue;
            }
            let data_before = kept.data.len();
            let component = order.component_of(rank as u32);
            self.keep_row(
                source,
                &order,
                component,
                &renumbering,
                &changed,
                map,
                &mut kept.data,
            );
            let row = &kept.data[data_before..];
            if self.answers_new_targets(source, row, &renumbering, &changed, map) {
                kept.close_row(source, data_before, record_bytes);
            } else {
                kept.data.truncate(data_before);
                rebuild[source.index()] = true;
            }
        }
        let rebuilt = self.rebuild(map, &order, &rebuild, record_bytes, progress)?;
        let count = rebuilt.iter().map(|batch| batch.sources.len() as u64).sum();
        let mut batches = rebuilt;
        batches.push(kept);
        let rows = RowBatch::join(&batches, record_bytes);
        let records = records_of(self.encoding(), map, &rows)
            .ok_or_else(|| unsuitable("the map is too large for this encoding"))?;
        let stored = order != NodeOrder::depth_first(map);
        let database = database_of(
            map,
            order,
            stored,
            rows.counts.into_iter(),
            records,
            self.parameters.clone(),
        );
        Ok(Patched {
            database: database.ok_or_else(|| unsuitable("it would have more than 2^32 records"))?,
            rebuilt: count,
        })
    }

    /// Old cells in their old order, new ones behind their first neighbour, component by component.
    pub(super) fn patched_order(&self, map: &Map) -> NodeOrder {
        let rank_of = |cell: Cell| {
            self.grid
                .is_passable(cell)
                .then(|| self.ranks[self.slots.of_cell(cell)])
        };
        let mut keyed: Vec<(u32, u32, u32, Cell)> = map
            .grid()
            .cells()
            .map(|cell| {
                let component = map.components().of(cell).unwrap_or(0);
                let (rank, is_new) = match rank_of(cell) {
                    Some(rank) => (rank, 0),
                    None => {
                        let neighbours = map.legal(cell).map(|d| map.grid().neighbour(cell, d));
                        (neighbours.filter_map(rank_of).min().unwrap_or(u32::MAX), 1)
                    }
                };
                (component, rank, is_new, cell)
            })
            .collect();
        keyed.sort_unstable();
        let mut order = NodeOrder {
            cells: Vec::with_capacity(keyed.len()),
            starts: Vec::new(),
        };
        for group in keyed.chunk_by(|a, b| a.0 == b.0) {
            order.starts.push(order.cells.len() as u32);
            order.cells.extend(group.iter().map(|entry| entry.3));
        }
        order.starts.push(order.cells.len() as u32);
        order
    }

    pub(super) fn row(&self, source: Cell) -> std::ops::Range<usize> {
        let slot = self.slots.of_cell(source);
        self.heads[slot].first as usize..self.heads[slot + 1].first as usize
    }

    /// The first rank of a cell's component.
    pub(super) fn first_rank_for(&self, cell: Cell) -> u32 {
        let rank = self.ranks[self.slots.of_cell(cell)];
        self.order.component_of(rank).start
    }

    /// Appends an old row in the new numbering.
    #[allow(clippy::too_many_arguments)]
    fn keep_row(
        &self,
        source: Cell,
        order: &NodeOrder,
        component: std::ops::Range<u32>,
        renumbering: &Renumbering,
        changed: &Changed,
        map: &Map,
        out: &mut Vec<u8>,
    ) {
        let row = self.row(source);
        match &self.records {
            Records::Runs(records) => {
                let first = self.first_rank_for(source);
                let mut last: Option<(u32, u32)> = None;
                for (start, symbol_here) in records.view().records(row) {
                    let start = renumbering.new_rank[(first + start) as usize];
                    // A run all of whose cells are gone is overtaken by the next one.
                    if let Some((at, symbol)) = last
                        && at != start
                    {
                        run_lengths::write(at << 4 | symbol, out);
                    }
                    last = (start < component.end).then_some((start, symbol_here));
                }
                if let Some((at, symbol)) = last {
                    run_lengths::write(at << 4 | symbol, out);
                }
            }
            Records::Rectangles(shape, records) => {
                out.extend_from_slice(&records[row.start * shape.bytes..row.end * shape.bytes]);
            }
            Records::Quadtree(records) => {
                out.extend_from_slice(bytemuck::cast_slice(&records[row]));
            }
            Records::Table(records) => {
                let old_row = &records[row];
                let first = self.first_rank_for(source);
                let entry = |cell: Cell| -> u8 {
                    if self.grid.is_passable(cell) {
                        let number = self.ranks[self.slots.of_cell(cell)] - first;
                        return table::look_up(old_row, number).map_or(8, |entry| entry as u8);
                    }
                    let moves = changed.moves_to_new(map, source, cell);
                    moves.0.trailing_zeros() as u8
                };
                let targets = &order.cells[component.start as usize..component.end as usize];
                for pair in targets.chunks(2) {
                    let high = pair.get(1).map_or(0, |&cell| entry(cell));
                    out.push(entry(pair[0]) | high << 4);
                }
            }
        }
    }

    /// Whether a kept row answers every new target with an optimal move.
    fn answers_new_targets(
        &self,
        source: Cell,
        row: &[u8],
        renumbering: &Renumbering,
        changed: &Changed,
        map: &Map,
    ) -> bool {
        let from = map.grid().point(source);
        changed.opened.iter().all(|(target, _)| {
            if !map.components().connected(source, *target) {
                return true;
            }
            let to = map.grid().point(*target);
            let symbol = match &self.records {
                Records::Runs(_) => run_lengths::look_up(row, renumbering.rank_of_new(*target)),
                Records::Quadtree(_) => {
                    let code = quadtree::code(to.x, to.y);
                    let words = row.as_chunks().0.iter().map(|b| u32::from_le_bytes(*b));
                    quadtree::look_up(&words.collect::<Vec<_>>(), code)
                }
                Records::Rectangles(shape, _) => {
                    rectangles::look_up(*shape, row, to.x, to.y).map(|found| u32::from(found.0))
                }
                Records::Table(_) => return true,
            };
            let Some(symbol) = symbol else {
                return false;
            };
            let slot = self.slots.of_cell(source);
            let direction = if symbol == super::heuristic_move::SYMBOL {
                let (dx, dy) = (to.x as i32 - from.x as i32, to.y as i32 - from.y as i32);
                self.heads[slot]
                    .heuristic
                    .towards(super::heuristic_move::side(dx, dy))
            } else {
                Direction::from_number(symbol as u8)
            };
            changed
                .moves_to_new(map, source, *target)
                .contains(direction)
        })
    }

    fn rebuild(
        &self,
        map: &Map,
        order: &NodeOrder,
        rebuild: &[bool],
        record_bytes: usize,
        progress: &dyn Progress,
    ) -> Result<Vec<RowBatch>, BuildError> {
        let encoding: Encoding = self.encoding();
        let wanted = order.cells.iter().filter(|cell| rebuild[cell.index()]);
        let count = wanted.count();
        progress.begin("changed rows", count as u64);
        if count == 0 {
            return Ok(Vec::new());
        }
        if !map.is_uniform() {
            let searched = |(rank, cell): (usize, &Cell)| {
                let (rank, component) = (rank as u32, order.component_of(rank as u32));
                rebuild[cell.index()].then(|| {
                    progress.advance(1);
                    rows_by_search(map, order, encoding, component, rank..rank + 1, progress)
                })
            };
            let cells = order.cells.par_iter().enumerate();
            return cells.filter_map(searched).collect();
        }
        let graph = CornerGraph::of(map, order, progress)?;
        let tiles = compose::tiles(map, order, &graph, encoding, compose::MAX_SOURCES);
        let mut ranks = vec![0; map.grid().id_bound()];
        for (rank, cell) in order.cells.iter().enumerate() {
            ranks[cell.index()] = rank as u32;
        }
        tiles
            .par_iter()
            .map(|tile| {
                let cells = tile.cells(map, order);
                let wanted: Vec<Cell> = cells.into_iter().filter(|c| rebuild[c.index()]).collect();
                progress.advance(wanted.len() as u64);
                if wanted.is_empty() {
                    return Ok(RowBatch::default());
                }
                if wanted.len() >= FEW_ROWS {
                    let all = compose::rows_of_tile(
                        map,
                        order,
                        &graph,
                        encoding,
                        record_bytes,
                        tile,
                        progress,
                    )?;
                    return Ok(all.only(&wanted, record_bytes));
                }
                let component = order.starts[tile.component]..order.starts[tile.component + 1];
                let rows = wanted
                    .iter()
                    .map(|cell| {
                        let rank = ranks[cell.index()];
                        rows_by_search(
                            map,
                            order,
                            encoding,
                            component.clone(),
                            rank..rank + 1,
                            progress,
                        )
                    })
                    .collect::<Result<Vec<_>, _>>()?;
                Ok(RowBatch::join(&rows, record_bytes))
            })
            .collect()
    }
}

/// Old ranks in the new order.
struct Renumbering {
    /// By old rank: the new rank of the first cell at or after it that is left of its component.
    new_rank: Vec<u32>,
    /// New cells and their ranks, sorted.
    new_cells: Vec<(Cell, u32)>,
}

impl Renumbering {
    fn of(old: &PathDatabase, order: &NodeOrder, map: &Map) -> Renumbering {
        let mut new_rank = vec![u32::MAX; old.order.cells.len()];
        let mut new_cells = Vec::new();
        for (rank, &cell) in order.cells.iter().enumerate() {
            if old.grid.is_passable(cell) {
                new_rank[old.ranks[old.slots.of_cell(cell)] as usize] = rank as u32;
            } else {
                new_cells.push((cell, rank as u32));
            }
        }
        new_cells.sort_unstable();
        for component in old.order.components() {
            let mut next = u32::MAX;
            for rank in component.rev() {
                if map.grid().is_passable(old.order.cells[rank as usize]) {
                    next = new_rank[rank as usize];
                }
                new_rank[rank as usize] = next;
            }
        }
        Renumbering {
            new_rank,
            new_cells,
        }
    }

    fn rank_of_new(&self, cell: Cell) -> u32 {
        self.new_cells
            .binary_search_by_key(&cell, |entry| entry.0)
            .map_or(0, |i| self.new_cells[i].1)
    }
}

/// What a patch changed.
struct Changed {
    /// By cell id: whether the distance to a neighbour of a changed cell differs.
    distances: Vec<bool>,
    /// Cells that became passable, with the distances to them.
    opened: Vec<(Cell, Vec<Cost>)>,
}

impl Changed {
    fn find(before: &Map, after: &Map) -> Changed {
        let (old, new) = (before.grid(), after.grid());
        let mut near: Vec<Cell> = Vec::new();
        let mut opened = Vec::new();
        let differing = old.words().iter().zip(new.words()).enumerate();
        for (i, (a, b)) in differing.filter(|(_, (a, b))| a != b) {
            for bit in (0..64).filter(|bit| (a ^ b) >> bit & 1 != 0) {
                let cell = Cell(i as u32 * 64 + bit);
                near.extend(Direction::ALL.map(|d| new.neighbour(cell, d)));
                if new.is_passable(cell) {
                    opened.push(cell);
                }
            }
        }
        if opened.len().max(near.len() / 8) > MAX_CHANGES {
            return Changed {
                distances: vec![true; new.id_bound()],
                opened: Vec::new(),
            };
        }
        near.sort_unstable();
        near.dedup();
        near.retain(|&cell| old.is_passable(cell) && new.is_passable(cell));
        let costs_from = |map: &Map, cell: Cell| {
            let (mut search, mut costs) = (Dijkstra::new(), Vec::new());
            search.spread(map, cell);
            search.costs_into(map, &mut costs);
            costs
        };
        let distances = near
            .par_iter()
            .map(|&cell| {
                let (a, b) = (costs_from(before, cell), costs_from(after, cell));
                a.iter().zip(&b).map(|(a, b)| a != b).collect::<Vec<bool>>()
            })
            .reduce_with(|mut a, b| {
                a.iter_mut().zip(b).for_each(|(a, b)| *a |= b);
                a
            })
            .unwrap_or_else(|| vec![false; new.id_bound()]);
        let opened = opened
            .into_par_iter()
            .map(|cell| (cell, costs_from(after, cell)))
            .collect();
        Changed { distances, opened }
    }

    /// By cell id: whether the row must be built again, new targets aside.
    fn rows(&self, before: &Map, after: &Map) -> Vec<bool> {
        let grid = after.grid();
        let mut rebuild = vec![false; grid.id_bound()];
        for cell in grid.cells() {
            rebuild[cell.index()] = !before.grid().is_passable(cell)
                || before.legal(cell) != after.legal(cell)
                || self.distances[cell.index()]
                || after
                    .legal(cell)
                    .any(|d| self.distances[grid.neighbour(cell, d).index()]);
        }
        rebuild
    }

    /// The optimal first moves to a cell that became passable.
    fn moves_to_new(&self, map: &Map, source: Cell, target: Cell) -> Directions {
        let Some((_, costs)) = self.opened.iter().find(|(cell, _)| *cell == target) else {
            return Directions::NONE;
        };
        let here = costs[source.index()];
        map.legal(source)
            .filter(|&d| {
                let next = costs[map.grid().neighbour(source, d).index()];
                here < UNREACHED && next < UNREACHED && next + map.step_cost(source, d) == here
            })
            .fold(Directions::NONE, Directions::with)
    }
}
