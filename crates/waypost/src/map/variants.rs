//! The same level for other units, under other rules, with other walls: its ground and its doors go along.

use super::{Doors, Map};
use crate::grid::{Grid, MoveRules, Point};
use crate::terrain::{Class, Classes, Footings, Ground, LETTERS, TerrainError};
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

    /// The map of units that make something of their own of some classes of ground. Cells whose class becomes a wall are
    /// blocked, doors too, and those whose class is none any more are opened, closed doors aside. Letters that maps may have and this one
    /// has not are taken; other names are refused.
    pub fn with_footings(&self, footings: &Footings) -> Result<Map, TerrainError> {
        let (width, height) = (self.grid.width(), self.grid.height());
        let before = match &self.classes {
            Some(classes) => classes.clone(),
            None => Arc::new(Classes::plain(width, height)),
        };
        let classes = before.with(footings, &LETTERS)?;
        let shaped = |grid: &Grid| {
            let mut shaped = grid.clone();
            let is_door = |at: Point| self.doors().is_some_and(|doors| doors.has_at(at));
            classes.shape(&before, &mut shaped, is_door);
            shaped
        };
        let open = shaped(self.with_doors_open().grid());
        let ground = ground_of(&open, self.rules, Some(&classes), self.unit_size)?;
        let mut map = Map::new(shaped(&self.grid), self.rules).on_ground(ground);
        map.classes = Some(Arc::new(classes));
        map.unit_size = self.unit_size;
        let Some(doors) = self.doors() else {
            return Ok(map);
        };
        let mut own = Doors::none(&open);
        for door in doors.cells().filter(|&door| open.is_passable(door)) {
            own.add(open.point(door));
        }
        Ok(map.with_door_cells(own))
    }

    /// The class of ground at a point, where the level tells several apart.
    pub fn class_at(&self, point: Point) -> Option<&Class> {
        let classes = self.classes.as_deref()?;
        classes.kinds().get(usize::from(classes.at(point)))
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
