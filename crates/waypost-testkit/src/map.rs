//! The test kit's own map: a rectangle of open and blocked cells.

use crate::TestRng;
use std::fmt;

/// A rectangle of cells; `true` is open.
#[derive(Clone, PartialEq, Eq)]
pub struct TestMap {
    width: u32,
    height: u32,
    open: Vec<bool>,
}

impl TestMap {
    /// A map with every cell open or every cell blocked.
    pub fn filled(width: u32, height: u32, open: bool) -> TestMap {
        TestMap {
            width,
            height,
            open: vec![open; width as usize * height as usize],
        }
    }

    /// A map from rows of text: `.` is open, `@` is blocked; blanks around the rows are ignored.
    ///
    /// # Panics
    /// Where rows differ in length or hold other letters: the mistake is in the test.
    pub fn from_text(text: &str) -> TestMap {
        let rows: Vec<&str> = text
            .lines()
            .map(str::trim)
            .filter(|row| !row.is_empty())
            .collect();
        let width = rows.first().map_or(0, |row| row.len());
        let mut open = Vec::new();
        for row in &rows {
            assert_eq!(row.len(), width, "rows differ in length:\n{text}");
            open.extend(row.chars().map(|letter| match letter {
                '.' => true,
                '@' => false,
                other => panic!("unknown letter {other:?} in:\n{text}"),
            }));
        }
        TestMap {
            width: width as u32,
            height: rows.len() as u32,
            open,
        }
    }

    /// The number of columns.
    pub fn width(&self) -> u32 {
        self.width
    }

    /// The number of rows.
    pub fn height(&self) -> u32 {
        self.height
    }

    /// Whether the cell is inside the map and open.
    pub fn is_open(&self, x: i64, y: i64) -> bool {
        let inside = x >= 0 && y >= 0 && x < i64::from(self.width) && y < i64::from(self.height);
        inside && self.open[y as usize * self.width as usize + x as usize]
    }

    /// Whether the point is inside the map and open.
    pub fn is_open_at(&self, (x, y): (u32, u32)) -> bool {
        self.is_open(i64::from(x), i64::from(y))
    }

    /// Opens or blocks a cell; outside nothing happens.
    pub fn set(&mut self, x: u32, y: u32, open: bool) {
        if x < self.width && y < self.height {
            self.open[y as usize * self.width as usize + x as usize] = open;
        }
    }

    /// Opens or blocks a rectangle; what lies outside is ignored.
    pub fn set_rectangle(&mut self, x: u32, y: u32, width: u32, height: u32, open: bool) {
        for row in y..y + height {
            for column in x..x + width {
                self.set(column, row, open);
            }
        }
    }

    /// All open cells, row by row from the top.
    pub fn open_cells(&self) -> Vec<(u32, u32)> {
        (0..self.height)
            .flat_map(|y| (0..self.width).map(move |x| (x, y)))
            .filter(|&cell| self.is_open_at(cell))
            .collect()
    }

    /// An open cell, each equally likely; `None` on a map of walls.
    pub fn random_open_cell(&self, rng: &mut TestRng) -> Option<(u32, u32)> {
        let cells = self.open_cells();
        cells.get(rng.below(cells.len() as u32) as usize).copied()
    }

    /// The rows as text, `.` and `@`, one line each.
    pub fn to_text(&self) -> String {
        let mut text = String::new();
        for y in 0..self.height {
            for x in 0..self.width {
                text.push(if self.is_open_at((x, y)) { '.' } else { '@' });
            }
            text.push('\n');
        }
        text
    }

    /// The map as a MovingAI `.map` file.
    pub fn to_movingai(&self) -> String {
        format!(
            "type octile\nheight {}\nwidth {}\nmap\n{}",
            self.height,
            self.width,
            self.to_text()
        )
    }
}

impl fmt::Display for TestMap {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.to_text())
    }
}

/// A failing assertion prints the map as a picture.
impl fmt::Debug for TestMap {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "map {} x {}:\n{}", self.width, self.height, self)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn text_comes_back() {
        let text = "..@\n@..\n";
        let map = TestMap::from_text(text);
        assert_eq!((map.width(), map.height()), (3, 2));
        assert_eq!(map.to_text(), text);
        assert_eq!(map.open_cells(), [(0, 0), (1, 0), (1, 1), (2, 1)]);
        assert!(!map.is_open(-1, 0) && !map.is_open(3, 0) && !map.is_open(0, 2));
    }
}
