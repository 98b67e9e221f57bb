//! The same level for other units, under other rules, with other walls: its ground and its doors go along.

use super::{Doors, Map};
use crate::grid::{Grid, MoveRules};
use crate::terrain::{Classes, Ground, TerrainError};
use std::sync::Arc;

impl Map {
    /// The map of a unit of `size` x `size` cells, whose places are its top left cells, on terrain if there is any.
    pub fn for_unit(
        grid: &Grid,
        rules: MoveRules,
        classes: Option<&Classes>,
        size: u32,
    ) -> Result<Map, TerrainError> {
        let grid = grid.eroded(size);
        let classes = classes.cloned().map(Arc::new);
        let ground = ground_of(&grid, rules, classes.as_deref(), size)?;
        let mut map = Map::new(grid, rules).on_ground(ground);
        map.classes = classes;
        map.unit_size = size;
        Ok(map)
    }

    /// The map of a unit that covers `size` x `size` places of this one's. Its doors are the places that some door opens and closes.
    pub fn enlarged(&self, size: u32) -> Result<Map, TerrainError> {
        let open = self.with_doors_open().grid().eroded(size);
        let mut map = Map::new(self.grid.eroded(size), self.rules);
        map.classes = self.classes.clone();
        map.unit_size = self.unit_size + size - 1;
        // What steps cost is made for the map with all doors open, as indexes are.
        let ground = ground_of(&open, self.rules, self.classes.as_deref(), map.unit_size)?;
        let map = map.on_ground(ground);
        let Some(doors) = self.doors() else {
            return Ok(map);
        };
        let closed = doors.closed(&self.grid).eroded(size);
        let mut mask = Doors::none(&open);
        for place in open.cells().filter(|&cell| !closed.is_passable(cell)) {
            mask.add(open.point(place));
        }
        Ok(map.with_door_cells(mask))
    }

    /// The same map under other rules.
    pub fn with_rules(&self, rules: MoveRules) -> Result<Map, TerrainError> {
        let open = self.with_doors_open();
        let classes = self.classes.as_deref();
        let ground = ground_of(open.grid(), rules, classes, self.unit_size)?;
        let mut map = Map::new(self.grid.clone(), rules).on_ground(ground);
        map.classes = self.classes.clone();
        map.unit_size = self.unit_size;
        Ok(match self.doors() {
            None => map,
            Some(doors) => map.with_door_cells(doors.clone()),
        })
    }

    /// The same rules and ground on a grid of the same size with other walls; without doors.
    pub fn with_grid(&self, grid: Grid) -> Map {
        let mut map = Map::new(grid, self.rules).on_ground(self.ground.clone());
        map.classes = self.classes.clone();
        map.unit_size = self.unit_size;
        map
    }
}

/// What steps cost on a grid, where classes of ground make a difference.
fn ground_of(
    grid: &Grid,
    rules: MoveRules,
    classes: Option<&Classes>,
    size: u32,
) -> Result<Option<Arc<Ground>>, TerrainError> {
    let classes = classes.filter(|classes| classes.matter());
    let ground = classes.map(|classes| Ground::new(grid, rules, classes, size));
    Ok(ground.transpose()?.map(Arc::new))
}
