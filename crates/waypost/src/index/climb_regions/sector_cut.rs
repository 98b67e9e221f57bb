//! Regions as DBA* has them (Lee and Lawrence 2013): a map is cut into square sectors, and what is connected within a sector
//! is a region. The cell nearest to the mean of a region's cells stands for it.

use super::partition::Partition;
use crate::grid::Cell;
use crate::index::cell_regions::NO_REGION;
use crate::map::Map;

/// The sector of a cell, by its column and row, where sectors are so many cells wide.
#[inline]
pub(crate) fn sector_of(map: &Map, cell: Cell, side: u32) -> (u32, u32) {
    let point = map.grid().point(cell);
    (point.x / side, point.y / side)
}

/// Cuts a map into the connected parts of its sectors. Regions are numbered in the order of their first cells.
pub(super) fn cut(map: &Map, side: u32) -> Partition {
    let grid = map.grid();
    let mut regions = vec![NO_REGION; grid.id_bound()];
    let (mut seeds, mut members) = (Vec::new(), Vec::new());
    for first in grid.cells() {
        if regions[first.index()] != NO_REGION {
            continue;
        }
        let number = seeds.len() as u32;
        let sector = sector_of(map, first, side);
        regions[first.index()] = number;
        members.clear();
        members.push(first);
        let mut done = 0;
        while let Some(&at) = members.get(done) {
            done += 1;
            for direction in map.legal(at) {
                let next = grid.neighbour(at, direction);
                let waits = regions[next.index()] == NO_REGION;
                if waits && sector_of(map, next, side) == sector {
                    regions[next.index()] = number;
                    members.push(next);
                }
            }
        }
        seeds.push(middle(map, &members));
    }
    Partition { seeds, regions }
}

/// The cell nearest to the mean of some; of several the first.
fn middle(map: &Map, cells: &[Cell]) -> Cell {
    let points = cells.iter().map(|&cell| map.grid().point(cell));
    let (x, y) = points.fold((0, 0), |sum, point| {
        (sum.0 + u64::from(point.x), sum.1 + u64::from(point.y))
    });
    let count = cells.len() as u64;
    // Distances are multiplied by the number of cells, so that they stay whole.
    let away = |cell: Cell| {
        let point = map.grid().point(cell);
        let [dx, dy] = [(point.x, x), (point.y, y)]
            .map(|(own, sum)| u128::from((u64::from(own) * count).abs_diff(sum)));
        dx * dx + dy * dy
    };
    let nearest = cells.iter().copied().min_by_key(|&cell| (away(cell), cell));
    nearest.unwrap_or(Cell::NONE)
}
