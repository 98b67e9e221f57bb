//! Doors: narrow places between long walls, where a cell is scarce and whoever stands in one keeps others waiting.

use super::track::moved;
use crate::grid::{Cell, Direction};
use crate::map::Map;

/// The most cells of floor from one wall to the other.
const MOST_FLOOR: u32 = 5;
/// How many cells each wall goes on at least, in line with the floor between: between obstacles that are strewn about
/// there is another way round.
const LEAST_WALL: u32 = 10;

/// Whether a cell is in a door that leads north and south or east and west. Looked at where it stands: walls come and go.
pub(super) fn is_in_door(map: &Map, cell: Cell) -> bool {
    let lines = [
        [Direction::North, Direction::South],
        [Direction::West, Direction::East],
    ];
    lines
        .into_iter()
        .any(|line| is_between_walls(map, cell, line))
}

fn is_between_walls(map: &Map, cell: Cell, line: [Direction; 2]) -> bool {
    let grid = map.grid();
    let (mut floor, mut ends) = (1, [cell; 2]);
    for (end, direction) in ends.iter_mut().zip(line) {
        *end = grid.neighbour(*end, direction);
        while grid.is_passable(*end) {
            floor += 1;
            if floor > MOST_FLOOR {
                return false;
            }
            *end = grid.neighbour(*end, direction);
        }
    }
    ends.into_iter().zip(line).all(|(end, direction)| {
        let mut point = grid.point(end);
        (1..LEAST_WALL).all(|_| {
            point = moved(point, direction);
            grid.passable_cell(point).is_none()
        })
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::grid::{Grid, MoveRules, Point};

    /// A wall of one cell with a hole in it: from `above` cells of wall down to `below` cells of wall.
    fn doors(hole: u32, above: u32, below: u32) -> usize {
        let wall = |p: Point| {
            p.x == 20
                && (20 - above..20 + hole + below).contains(&p.y)
                && !(20..20 + hole).contains(&p.y)
        };
        let grid = Grid::from_fn(41, 60, |p| !wall(p)).expect("a legal size");
        let map = Map::new(grid, MoveRules::default());
        let cells = map.grid().cells();
        let found: Vec<Cell> = cells.filter(|&cell| is_in_door(&map, cell)).collect();
        let is_in_hole = |&cell: &Cell| map.grid().point(cell).x == 20;
        assert!(found.iter().all(is_in_hole));
        found.len()
    }

    #[test]
    fn a_door_is_narrow_and_its_walls_are_long() {
        assert_eq!(doors(1, 10, 10), 1);
        assert_eq!(doors(5, 10, 10), 5);
        assert_eq!(doors(6, 10, 10), 0);
        assert_eq!(doors(4, 9, 10), 0);
        assert_eq!(doors(4, 10, 9), 0);
    }

    #[test]
    fn beyond_the_map_is_wall() {
        let grid = Grid::from_fn(30, 5, |_| true).expect("a legal size");
        let map = Map::new(grid, MoveRules::default());
        assert!(map.grid().cells().all(|cell| is_in_door(&map, cell)));
    }
}
