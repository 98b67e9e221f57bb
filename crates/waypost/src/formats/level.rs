//! What a file of a game's level holds beyond walls: ground of different kinds, and doors.

use crate::grid::{Grid, MoveRules, Point};
use crate::map::{Doors, Map};
use crate::terrain::{Classes, Footing, Footings, TerrainError};

/// A cell that opens and closes while the game runs.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Door {
    /// Where it is.
    pub at: Point,
    /// Whether it is open at first.
    pub is_open: bool,
}

/// A level as a file describes it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Level {
    /// Walls; doors are open or closed as they are at first.
    pub grid: Grid,
    /// The kinds of ground, where the file or the caller tells several apart.
    pub classes: Option<Classes>,
    /// Doors, row by row.
    pub doors: Vec<Door>,
    /// What was decided while reading and nobody has said, for people.
    pub notes: Vec<String>,
}

/// What the caller says about a file.
#[derive(Clone, Debug, Default)]
pub struct Reading {
    /// What classes cost; none where terrain does not matter.
    pub footings: Footings,
    /// The letters of doors in `.map` files: open at first where they are in lower case, else closed.
    pub door_letters: String,
}

impl Level {
    /// Walls alone.
    pub fn plain(grid: Grid) -> Level {
        Level {
            grid,
            classes: None,
            doors: Vec::new(),
            notes: Vec::new(),
        }
    }

    /// The map of a unit of `size` x `size` cells. The doors of a large unit are the places that some door opens and closes.
    pub fn map(&self, rules: MoveRules, size: u32) -> Result<Map, TerrainError> {
        if self.doors.is_empty() {
            return Map::for_unit(&self.grid, rules, self.classes.as_ref(), size);
        }
        // What steps cost is made for the map with all doors open, as indexes are.
        let open = Map::for_unit(&self.all_open(), rules, self.classes.as_ref(), 1)?;
        let mut doors = Doors::none(&self.grid);
        for door in &self.doors {
            doors.add(door.at);
        }
        let map = open.with_grid(self.grid.clone()).with_door_cells(doors);
        match size {
            1 => Ok(map),
            size => map.enlarged(size),
        }
    }

    /// Makes doors of the cells that a mask of the same size marks: open where the level is passable there, else closed. False
    /// where the sizes differ.
    pub fn add_doors(&mut self, mask: &Grid) -> bool {
        if (mask.width(), mask.height()) != (self.grid.width(), self.grid.height()) {
            return false;
        }
        for cell in mask.cells() {
            self.doors.push(Door {
                at: mask.point(cell),
                is_open: self.grid.is_passable(cell),
            });
        }
        self.doors.sort_by_key(|door| (door.at.y, door.at.x));
        self.doors.dedup_by_key(|door| door.at);
        true
    }

    /// Whether two levels are the same to those who walk in them: walls, doors, what every cell costs, and the names of ground. Under walls
    /// and doors only the cost counts; numbers of classes and notes do not.
    pub fn is_same(&self, other: &Level) -> bool {
        if self.grid != other.grid || self.doors != other.doors {
            return false;
        }
        let (mine, theirs) = (&self.classes, &other.classes);
        if mine == theirs {
            return true;
        }
        let plain = Classes::plain(self.grid.width(), self.grid.height());
        let [mine, theirs] = [mine, theirs].map(|c| c.as_ref().unwrap_or(&plain));
        let costs = [mine, theirs].map(Classes::hundredths);
        let mut named = self.grid.clone();
        self.doors.iter().for_each(|door| named.set(door.at, false));
        let rows = 0..named.height();
        let mut points = rows.flat_map(|y| (0..named.width()).map(move |x| Point { x, y }));
        points.all(|at| {
            let [a, b] = [mine, theirs].map(|classes| usize::from(classes.at(at)));
            let [of_a, of_b] = [&mine.kinds()[a], &theirs.kinds()[b]];
            // Ground of a class that is a wall was opened.
            let has_name = named.passable_cell(at).is_some()
                && [of_a, of_b]
                    .iter()
                    .all(|class| class.footing != Footing::Wall);
            costs[0][a] == costs[1][b] && (!has_name || of_a.name == of_b.name)
        })
    }

    /// The grid with every door open: what indexes are built for.
    pub fn all_open(&self) -> Grid {
        let mut grid = self.grid.clone();
        for door in &self.doors {
            grid.set(door.at, true);
        }
        grid
    }
}
