//! Doors of a map: closed ones are filled, open ones are frames.

use super::palette::{DOOR, OPEN_DOOR};
use super::{Canvas, Picture, Scale, Spot, Symbol};
use waypost::Map;

/// Cells of fewer pixels on a side have no room for a frame.
const LEAST_FRAMED: i64 = 4;

impl Picture<'_> {
    /// Draws the doors of a map and explains them. The doors of a large unit are places whose cells say nothing: they are left out.
    pub(super) fn doors(&mut self, map: &Map) {
        let Some(doors) = map.doors().filter(|_| map.unit_size() == 1) else {
            return;
        };
        let is_open = |cell| map.grid().is_passable(cell);
        self.doors = doors.cells().map(|cell| (cell, is_open(cell))).collect();
        self.draw_doors();
        for (open, words) in [(true, "door, open"), (false, "door, closed")] {
            if self.doors.iter().any(|door| door.1 == open) {
                self.explain(Symbol::Door { open }, words);
            }
        }
    }

    /// Draws them over what was drawn since.
    pub(super) fn draw_doors(&mut self) {
        let side = match self.scale {
            Scale::Up(by) => i64::from(by),
            Scale::Down(_) => 1,
        };
        for &(cell, open) in &self.doors {
            let (x, y) = self.corner(cell);
            let corner = (i64::from(x), i64::from(y));
            door(&mut self.canvas, corner, (side, side), open);
        }
    }
}

/// A door with its upper left corner here.
pub(super) fn door(canvas: &mut Canvas, corner: Spot, (width, height): Spot, open: bool) {
    if !open {
        canvas.rectangle(corner, (width, height), DOOR);
        return;
    }
    if width.min(height) < LEAST_FRAMED {
        canvas.rectangle(corner, (width, height), OPEN_DOOR);
        return;
    }
    let thick = (width.min(height) / 6).max(1);
    let (x, y) = corner;
    for (at, size) in [
        ((x, y), (width, thick)),
        ((x, y + height - thick), (width, thick)),
        ((x, y), (thick, height)),
        ((x + width - thick, y), (thick, height)),
    ] {
        canvas.rectangle(at, size, DOOR);
    }
}

#[cfg(test)]
mod tests {
    use super::super::FLOOR;
    use super::*;
    use waypost::MoveRules;
    use waypost::grid::{Grid, Point};
    use waypost::map::Doors;

    /// The second cell of three is an open door, or a closed one.
    fn drawn(open: bool, side: u32) -> image::RgbImage {
        let grid = Grid::from_fn(side, 3, |p| open || p.x != 1).expect("a legal size");
        let mut doors = Doors::none(&grid);
        doors.add(Point { x: 1, y: 1 });
        let map = Map::with_doors(grid, MoveRules::default(), doors);
        let cells: Vec<_> = map.grid().cells().collect();
        let mut picture = Picture::of_map(&map);
        picture.reached(&cells);
        picture.image()
    }

    #[test]
    fn both_states_are_seen_and_explained() {
        let (open, closed) = (drawn(true, 3), drawn(false, 3));
        let at = |image: &image::RgbImage, x, y| *image.get_pixel(x, y);
        assert_eq!(at(&open, 25, 25), DOOR, "the frame, over searched cells");
        assert_ne!(at(&open, 36, 36), DOOR, "its middle is floor");
        assert_eq!(at(&closed, 36, 36), DOOR);
        assert!(open.height() > 72 && closed.height() > 72, "legends");
        let small = drawn(true, 1500);
        assert_eq!(at(&small, 1, 1), OPEN_DOOR);
        assert_ne!(at(&small, 0, 1), FLOOR, "what is reached is shaded");
    }
}
