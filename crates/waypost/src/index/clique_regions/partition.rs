//! Cuts a map into the regions of one level of its hierarchy.

use crate::artifact::ArtifactError;
use crate::grid::Cell;
use crate::hierarchy::{Hierarchy, Place};
use crate::index::cell_regions::{CellRegions, NO_REGION};
use crate::map::Map;

/// Regions, numbered component by component and inside by their first cells.
pub(super) struct Partition {
    /// The cell that stands for each region: of its cells the one nearest to their mean position.
    pub representatives: Vec<Cell>,
    /// The first region of each component, and at the end the number of regions.
    pub component_starts: Vec<u32>,
    /// The region of each cell.
    pub cells: CellRegions,
}

impl Partition {
    pub fn of(map: &Map, hierarchy: &Hierarchy, level: u32) -> Result<Partition, ArtifactError> {
        let (numbers, component_starts) = number_regions(map, hierarchy, level);
        let region = |cell: Cell| numbers.of(hierarchy.ancestor(cell, level));
        let representatives = find_representatives(map, component_starts.last(), region);
        Ok(Partition {
            cells: CellRegions::new(map, representatives.len(), region)?,
            representatives,
            component_starts,
        })
    }
}

/// Numbers of regions by the node that each is made of; cells without moves are regions of their own.
struct Numbers {
    of_node: Vec<u32>,
    /// Sorted by cell.
    of_lone_cell: Vec<(u32, u32)>,
}

impl Numbers {
    fn of(&self, place: Place) -> u32 {
        if place.level > 0 {
            return self.of_node[place.id as usize];
        }
        match self
            .of_lone_cell
            .binary_search_by_key(&place.id, |&(cell, _)| cell)
        {
            Ok(at) => self.of_lone_cell[at].1,
            Err(_) => NO_REGION,
        }
    }
}

fn number_regions(map: &Map, hierarchy: &Hierarchy, level: u32) -> (Numbers, Vec<u32>) {
    let mut numbers = Numbers {
        of_node: vec![NO_REGION; hierarchy.node_bound()],
        of_lone_cell: Vec::new(),
    };
    let mut seen = vec![false; hierarchy.node_bound()];
    // Regions in the order of their first cells, sorted by component afterwards: the sort is stable.
    let mut found: Vec<(u32, Place)> = Vec::new();
    for cell in map.grid().cells() {
        let place = hierarchy.ancestor(cell, level);
        let first = place.level == 0 || !std::mem::replace(&mut seen[place.id as usize], true);
        if first {
            found.push((map.components().of(cell).unwrap_or(0), place));
        }
    }
    found.sort_by_key(|&(component, _)| component);
    let mut starts = Vec::new();
    for (number, &(component, place)) in found.iter().enumerate() {
        if number == 0 || found[number - 1].0 != component {
            starts.push(number as u32);
        }
        if place.level > 0 {
            numbers.of_node[place.id as usize] = number as u32;
        } else {
            numbers.of_lone_cell.push((place.id, number as u32));
        }
    }
    starts.push(found.len() as u32);
    numbers.of_lone_cell.sort_unstable();
    (numbers, starts)
}

fn find_representatives(map: &Map, count: Option<&u32>, region: impl Fn(Cell) -> u32) -> Vec<Cell> {
    let count = count.copied().unwrap_or(0) as usize;
    let mut sums = vec![[0u64; 3]; count];
    for cell in map.grid().cells() {
        let point = map.grid().point(cell);
        let sum = &mut sums[region(cell) as usize];
        sum[0] += u64::from(point.x);
        sum[1] += u64::from(point.y);
        sum[2] += 1;
    }
    let mut best = vec![(u64::MAX, Cell::NONE); count];
    for cell in map.grid().cells() {
        let point = map.grid().point(cell);
        let number = region(cell) as usize;
        let [x, y, cells] = sums[number];
        // Compared in sixteenths: exact enough, and far from overflow.
        let dx = (16 * x / cells).abs_diff(16 * u64::from(point.x));
        let dy = (16 * y / cells).abs_diff(16 * u64::from(point.y));
        let candidate = (dx * dx + dy * dy, cell);
        if candidate < best[number] {
            best[number] = candidate;
        }
    }
    best.into_iter().map(|(_, cell)| cell).collect()
}
