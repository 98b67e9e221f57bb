//! Fills the tables.

use super::{MAX_CELLS, MAX_SIDE, NO_STEP, Tables};
use crate::artifact::{Array, Header};
use crate::cost::{Cost, UNREACHED};
use crate::grid::ranks::Ranks;
use crate::grid::{Cell, Point};
use crate::index::{BuildError, Index, IndexKind, IndexRequest, Shard};
use crate::map::Map;
use crate::parallel::prelude::*;
use crate::progress::Progress;
use crate::search::Dijkstra;
use std::sync::Arc;

/// The build function of the index type.
pub(super) fn build(
    map: &Map,
    request: &IndexRequest,
    _shard: Shard,
    progress: &dyn Progress,
) -> Result<Arc<dyn Index>, BuildError> {
    let expected = "0 for a single table, or the side of a zone from 2 to 20";
    let side = request.value("zone", 0, expected, |&side| {
        side == 0 || (2..=MAX_SIDE).contains(&side)
    })?;
    Ok(Arc::new(Tables::build(map, side, progress)?))
}

/// The cells of every zone, and how many zones are in a row.
pub(super) struct Layout {
    pub columns: u32,
    pub zones: Vec<Vec<Cell>>,
}

impl Layout {
    pub fn of(map: &Map, side: u32) -> Layout {
        let grid = map.grid();
        if side == 0 {
            return Layout {
                columns: 1,
                zones: vec![grid.cells().collect()],
            };
        }
        let columns = grid.width().div_ceil(side);
        let rows = grid.height().div_ceil(side);
        let mut zones = vec![Vec::new(); columns as usize * rows as usize];
        for cell in grid.cells() {
            let Point { x, y } = grid.point(cell);
            zones[(y / side * columns + x / side) as usize].push(cell);
        }
        Layout { columns, zones }
    }
}

/// Distances and next steps of a zone, by target and source.
type Table = (Vec<Cost>, Vec<u8>);

impl Tables {
    /// Builds the table of a whole map (`side` 0), or of its zones.
    pub fn build(map: &Map, side: u32, progress: &dyn Progress) -> Result<Tables, BuildError> {
        let unsuitable = |reason| BuildError::Unsuitable {
            index: IndexKind::Tables.name(),
            reason,
        };
        let ranks = Ranks::of(map.grid());
        if side == 0 && ranks.passable() > MAX_CELLS {
            return Err(unsuitable(format!(
                "{} cells are too many for one table; expected at most {MAX_CELLS}; ask for zones, such as zone=8, or use `cpd`",
                ranks.passable()
            )));
        }
        let layout = Layout::of(map, side);
        let tables: Vec<Table> = if side == 0 {
            progress.begin("all pairs", ranks.passable() as u64);
            vec![by_dijkstra(map, &layout.zones[0], progress)]
        } else {
            progress.begin("zones", layout.zones.len() as u64);
            let fill = |cells: &Vec<Cell>| {
                progress.advance(1);
                roy_floyd_warshall(map, cells)
            };
            layout.zones.par_iter().map(fill).collect()
        };
        let mut locals = vec![0; ranks.passable()];
        for cells in &layout.zones {
            for (local, &cell) in cells.iter().enumerate() {
                locals[ranks.view().rank(cell)] = local as u32;
            }
        }
        let sizes: Vec<u32> = layout.zones.iter().map(|zone| zone.len() as u32).collect();
        let distances: Vec<Cost> = tables.iter().flat_map(|t| &t.0).copied().collect();
        let steps: Vec<u8> = tables.iter().flat_map(|t| &t.1).copied().collect();
        let parameters = [("zone".to_string(), side.to_string())].into();
        let mut built = Tables {
            header: Header::of(IndexKind::Tables, map, parameters),
            state: map.fingerprint(),
            ranks,
            side,
            columns: layout.columns,
            locals: Array::from_slice(&locals),
            sizes: Array::from_slice(&sizes),
            first_pair: Vec::new(),
            distances: Array::from_slice(&distances),
            steps: Array::from_slice(&steps),
            portals: Vec::new(),
            highest: 0,
        };
        built.derive(map, &layout);
        Ok(built)
    }

    /// What is not stored: places of tables, cells at which zones touch, the most expensive edge of a search over them.
    pub(super) fn derive(&mut self, map: &Map, layout: &Layout) {
        let mut place = 0;
        self.first_pair.clear();
        for &size in self.sizes.iter() {
            self.first_pair.push(place);
            place += size as usize * size as usize;
        }
        let leaves = |cell: &Cell| {
            let zone = self.zone(map.grid().point(*cell));
            map.legal(*cell).any(|d| {
                let next = map.grid().neighbour(*cell, d);
                self.zone(map.grid().point(next)) != zone
            })
        };
        let portals = |cells: &Vec<Cell>| cells.iter().copied().filter(leaves).collect();
        self.portals = layout.zones.iter().map(portals).collect();
        let inside = self.distances.iter().filter(|&&cost| cost != UNREACHED);
        let highest = inside.copied().max().unwrap_or(0);
        self.highest = highest.max(map.max_step_cost());
    }
}

/// Roy, Floyd and Warshall: a way by any cell between is tried for every pair, one cell after another.
pub(crate) fn roy_floyd_warshall(map: &Map, cells: &[Cell]) -> Table {
    let count = cells.len();
    // Half of the largest number: two of them still add up.
    const FAR: Cost = UNREACHED / 2;
    let mut costs = vec![FAR; count * count];
    let number = |cell: Cell| cells.binary_search(&cell).ok();
    for (from, &cell) in cells.iter().enumerate() {
        costs[from * count + from] = 0;
        for direction in map.legal(cell) {
            if let Some(to) = number(map.grid().neighbour(cell, direction)) {
                costs[from * count + to] = map.step_cost(cell, direction);
            }
        }
    }
    let mut between_row = vec![0; count];
    for between in 0..count {
        between_row.copy_from_slice(&costs[between * count..][..count]);
        for row in costs.chunks_exact_mut(count) {
            let first = row[between];
            for (cost, &second) in row.iter_mut().zip(&between_row) {
                *cost = (*cost).min(first + second);
            }
        }
    }
    let mut steps = vec![NO_STEP; count * count];
    for (from, &cell) in cells.iter().enumerate() {
        for direction in map.legal(cell) {
            let Some(next) = number(map.grid().neighbour(cell, direction)) else {
                continue;
            };
            for to in 0..count {
                let on_the_way = map.step_cost(cell, direction) + costs[next * count + to];
                // Costs are symmetric: row and column may change places.
                let step = &mut steps[to * count + from];
                if *step == NO_STEP && from != to && on_the_way == costs[from * count + to] {
                    *step = direction as u8;
                }
            }
        }
    }
    costs
        .iter_mut()
        .filter(|cost| **cost >= FAR)
        .for_each(|cost| *cost = UNREACHED);
    (costs, steps)
}

/// The same table by a run of Dijkstra's algorithm from every target; only for a zone that is the whole map.
pub(crate) fn by_dijkstra(map: &Map, cells: &[Cell], progress: &dyn Progress) -> Table {
    let row = |dijkstra: &mut Dijkstra, &target: &Cell| {
        dijkstra.spread(map, target);
        progress.advance(1);
        let costs: Vec<Cost> = cells.iter().map(|&cell| dijkstra.cost_to(cell)).collect();
        let back = |&cell: &Cell| {
            let arrival = dijkstra.arrival(cell);
            arrival.map_or(NO_STEP, |direction| direction.opposite() as u8)
        };
        let steps: Vec<u8> = cells.iter().map(back).collect();
        (costs, steps)
    };
    let rows: Vec<Table> = cells.par_iter().map_init(Dijkstra::new, row).collect();
    (
        rows.iter().flat_map(|row| &row.0).copied().collect(),
        rows.iter().flat_map(|row| &row.1).copied().collect(),
    )
}
