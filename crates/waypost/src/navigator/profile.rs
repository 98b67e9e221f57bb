//! A unit type with the world as it sees it.
//!
//! What a type sees follows from the map of all units, from the ground and from [`Dams`]. So types that are added late, brought back or forked see
//! the same as those that were there from the start.

use super::exact::ExactPaths;
use super::{BuildOptions, Error, UnitType};
use crate::grid::{Cell, ChangeSet, Edit, Grid, GridPatch, Point};
use crate::index::slot::IndexState;
use crate::index::{Index, IndexKind, IndexRequest, Indexes};
use crate::map::Map;
use crate::terrain::Footing;
use crate::world::World;
use std::collections::BTreeSet;
use std::sync::{Arc, Mutex, PoisonError};

/// Walls that patches have put up where the ground is a wall to the first type anyway, as a dam in water: its map does not tell
/// them from that ground, and they are walls to those who can pass it.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct Dams(BTreeSet<Cell>);

impl Dams {
    /// Those at these cells.
    pub fn new(cells: impl IntoIterator<Item = Cell>) -> Dams {
        Dams(cells.into_iter().collect())
    }

    /// Their cells, in order.
    pub fn cells(&self) -> impl ExactSizeIterator<Item = Cell> + '_ {
        self.0.iter().copied()
    }

    /// Whether there are none.
    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// A patch is made on the map of all units.
    pub fn note(&mut self, map: &Map, patch: &GridPatch) {
        let grid = map.grid();
        if map.class_at(Point { x: 0, y: 0 }).is_none() {
            return;
        }
        // A layer says what the first type sees: to it, dams and the ground under them are the same.
        let told = patch.edits().iter();
        for edit in told.filter(|edit| edit.passable || !edit.is_layer) {
            for (y, xs) in rows_of(grid, edit) {
                let cells = xs.filter_map(|x| grid.cell(Point { x, y }));
                for cell in cells.filter(|&cell| is_wall_ground(map, grid.point(cell))) {
                    match edit.passable {
                        true => self.0.remove(&cell),
                        false => self.0.insert(cell),
                    };
                }
            }
        }
    }

    /// The patch that puts them up.
    pub fn patch(&self, grid: &Grid) -> GridPatch {
        let mut patch = GridPatch::new();
        for &cell in &self.0 {
            patch.set(grid.point(cell), false);
        }
        patch
    }

    /// Adds the cells in which these differ from others to those that a patch touches.
    pub fn touch_changes(&self, others: &Dams, grid: &Grid, touched: &mut GridPatch) {
        for &cell in self.0.symmetric_difference(&others.0) {
            touched.set(grid.point(cell), false);
        }
    }
}

/// Whether the ground at a point is a wall to the units of a map.
fn is_wall_ground(map: &Map, at: Point) -> bool {
    map.class_at(at)
        .is_some_and(|class| class.footing == Footing::Wall)
}

/// The rows of a rectangle with their columns, as far as they are on a grid.
fn rows_of(grid: &Grid, edit: &Edit) -> impl Iterator<Item = (u32, std::ops::Range<u32>)> + use<> {
    let end = |first: u32, length: u32, side: u32| first.saturating_add(length).min(side);
    let right = end(edit.at.x, edit.width, grid.width());
    let (left, top) = (edit.at.x, edit.at.y);
    let bottom = end(top, edit.height, grid.height());
    (top..bottom).map(move |y| (y, left..right))
}

/// A unit type with the world as it sees it.
pub(super) struct Profile {
    unit: UnitType,
    world: Arc<World>,
    exact: ExactPaths,
    /// Which single cells are free, where this type makes something of its own of classes of ground.
    cells: Option<Mutex<Grid>>,
}

impl Profile {
    /// Builds the index for a unit type on the map of one cell.
    pub fn build(
        map: &Map,
        dams: &Dams,
        unit: UnitType,
        options: &BuildOptions,
    ) -> Result<Arc<Profile>, Error> {
        Profile::open(map, dams, unit, |map| options.build(map))
    }

    /// The same with an index that is opened for the map as the unit sees it.
    pub fn open(
        map: &Map,
        dams: &Dams,
        unit: UnitType,
        open: impl FnOnce(&Map) -> Result<Arc<dyn Index>, Error>,
    ) -> Result<Arc<Profile>, Error> {
        let (map, cells) = unit.map_of(map, dams)?;
        let mut indexes = Indexes::new();
        indexes.add(open(&map)?);
        Profile::of(unit, World::new(map, &indexes), cells)
    }

    fn of(unit: UnitType, world: Arc<World>, cells: Option<Grid>) -> Result<Arc<Profile>, Error> {
        let exact = ExactPaths::new(&world)?;
        Ok(Arc::new(Profile {
            unit,
            world,
            exact,
            cells: cells.map(Mutex::new),
        }))
    }

    /// Whether the type makes something of its own of classes of ground.
    pub fn has_own_ground(&self) -> bool {
        self.cells.is_some()
    }

    /// The index that serves at the moment.
    pub fn newest_index(&self) -> Option<Arc<dyn Index>> {
        self.world.indexes().slots().next().map(|slot| slot.index())
    }

    /// Whether that is of the map as it is, doors aside.
    pub fn is_current(&self) -> bool {
        let indexes = self.world.indexes();
        let mut states = indexes.slots().map(|slot| slot.index_state());
        states.next() == Some(IndexState::Current)
    }

    /// The index that the type began with.
    pub fn first_index(&self) -> Option<Arc<dyn Index>> {
        let request = IndexRequest::new(IndexKind::Auto);
        self.world.indexes().get(&request).cloned()
    }

    pub fn fork(&self) -> Result<Arc<Profile>, Error> {
        Profile::of(self.unit.clone(), self.world.fork(), self.cells())
    }

    fn cells(&self) -> Option<Grid> {
        let cells = self.cells.as_ref();
        cells.map(|cells| cells.lock().unwrap_or_else(PoisonError::into_inner).clone())
    }

    pub fn unit(&self) -> &UnitType {
        &self.unit
    }

    pub fn world(&self) -> &Arc<World> {
        &self.world
    }

    pub fn exact(&self) -> &ExactPaths {
        &self.exact
    }

    /// Takes over what has changed on the map of all units: `touched` names the cells that may be different to some type, whatever
    /// it says of them, and `changes` those that are different to all.
    pub fn follow(&self, base: &Map, dams: &Dams, touched: &GridPatch, changes: &ChangeSet) {
        let (seen, doors) = match &self.cells {
            None => (
                self.seen_patch(base, changes),
                self.door_changes(base, base.grid(), changes),
            ),
            Some(cells) => {
                let mut cells = cells.lock().unwrap_or_else(PoisonError::into_inner);
                let changes = cells.apply(&self.own_part(base, dams, touched));
                let room = self.world.map();
                (
                    cells.eroded_patch(room.grid(), &changes, self.unit.cells()),
                    self.door_changes(base, &cells, &changes),
                )
            }
        };
        self.world.toggle_doors(&doors);
        self.world.patch(&seen);
    }

    /// The places that have become doors of this type, or none, by a change of walls. A door is a place that has room when all doors are open, and
    /// covers one; so where a wall beside a door is opened the index has to know, and not when the door opens. `cells` are the
    /// single cells as they are now.
    fn door_changes(&self, base: &Map, cells: &Grid, changes: &ChangeSet) -> Vec<Cell> {
        let (size, map) = (self.unit.cells(), self.world.map());
        let Some(doors) = base.doors().filter(|_| size > 1) else {
            return Vec::new();
        };
        let is_door =
            |at: Point| doors.has_at(at) && (is_wall_ground(base, at) || !is_wall_ground(&map, at));
        let is_place = |at: Point| {
            let (right, bottom) = (at.x + size, at.y + size);
            let square = (at.y..bottom).flat_map(|y| (at.x..right).map(move |x| Point { x, y }));
            let has_room = |at: Point| cells.passable_cell(at).is_some() || is_door(at);
            right <= cells.width()
                && bottom <= cells.height()
                && square.clone().any(is_door)
                && square.clone().all(has_room)
        };
        let changed = changes.blocked.iter().chain(&changes.opened);
        let walls = changed.map(|&cell| cells.point(cell));
        let mut toggled = Vec::new();
        for wall in walls.filter(|&wall| !is_door(wall)) {
            for y in wall.y.saturating_sub(size - 1)..=wall.y {
                for x in wall.x.saturating_sub(size - 1)..=wall.x {
                    let at = Point { x, y };
                    let is_known = map.doors().is_some_and(|known| known.has_at(at));
                    if is_place(at) != is_known {
                        toggled.extend(cells.cell(at));
                    }
                }
            }
        }
        toggled.sort_unstable();
        toggled.dedup();
        toggled
    }

    /// The world of this type has been brought back by itself: what it keeps beside it follows.
    pub fn bring_back(&self, base: &Map, dams: &Dams, touched: &GridPatch) {
        if let Some(cells) = &self.cells {
            let own = self.own_part(base, dams, touched);
            let mut cells = cells.lock().unwrap_or_else(PoisonError::into_inner);
            cells.apply(&own);
        }
    }

    /// The map as this type would see it.
    pub fn map_after(
        &self,
        base: &Map,
        dams: &Dams,
        touched: &GridPatch,
        changes: &ChangeSet,
    ) -> Map {
        let seen = match self.cells() {
            None => self.seen_patch(base, changes),
            Some(mut cells) => self.own_patch(base, dams, touched, &mut cells),
        };
        let mut map = Map::clone(&self.world.map());
        map.apply(&seen);
        map
    }

    fn seen_patch(&self, base: &Map, changes: &ChangeSet) -> GridPatch {
        let (grid, size) = (base.grid(), self.unit.cells());
        grid.eroded_patch(self.world.map().grid(), changes, size)
    }

    fn own_patch(
        &self,
        base: &Map,
        dams: &Dams,
        touched: &GridPatch,
        cells: &mut Grid,
    ) -> GridPatch {
        let changes = cells.apply(&self.own_part(base, dams, touched));
        cells.eroded_patch(self.world.map().grid(), &changes, self.unit.cells())
    }

    /// What the cells that a patch touches are to this type, run by run.
    fn own_part(&self, base: &Map, dams: &Dams, touched: &GridPatch) -> GridPatch {
        let (mut own, map) = (GridPatch::new(), self.world.map());
        for edit in touched.edits() {
            for (y, xs) in rows_of(base.grid(), edit) {
                let mut x = xs.start;
                while x < xs.end {
                    let is_free = |x| is_free(base, &map, dams, Point { x, y });
                    let first = is_free(x);
                    let end = (x..xs.end).find(|&x| is_free(x) != first);
                    let end = end.unwrap_or(xs.end);
                    own.set_rect((x, y), (end - x, 1), first);
                    x = end;
                }
            }
        }
        own
    }
}

/// Whether a cell is free to units that make something of their own of classes of ground, `map` being theirs: what is a wall to them alone stays
/// one, ground that is a wall to others is free unless there is a dam, doors open and close for all.
fn is_free(base: &Map, map: &Map, dams: &Dams, at: Point) -> bool {
    let is_door = || base.doors().is_some_and(|doors| doors.has_at(at));
    match (is_wall_ground(base, at), is_wall_ground(map, at)) {
        (false, true) => false,
        (true, false) if !is_door() => base
            .grid()
            .cell(at)
            .is_some_and(|cell| !dams.0.contains(&cell)),
        _ => base.passable_cell(at).is_some(),
    }
}
