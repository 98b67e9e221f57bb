//! Pictures of maps: walls, the cells that searches touched, paths. Small maps are drawn large enough to be seen, large ones
//! small enough.

mod canvas;
mod doors;
mod font;
mod ground;
mod legend;
mod palette;

pub(crate) use canvas::{Canvas, Spot};
pub(crate) use font::{width as width_of, write as letters};
pub(crate) use ground::colours as ground_colours;
pub(crate) use legend::{Symbol, strip};
pub(crate) use palette::{CLOSED, COLOURS, DOOR, FLOOR, INK, OPEN_DOOR, OPENED, PAPER, WALL, mix};

use image::{ExtendedColorType, ImageEncoder, ImageError, Rgb, RgbImage};
use palette::{SEARCHED_FIRST, SEARCHED_LAST};
use waypost::Map;
use waypost::grid::{Cell, Grid, Point};
use waypost::rng::Rng;

/// Small maps grow to at most this many pixels on their longer side.
const GROW_TO: u32 = 1280;
/// Large maps shrink to at most this many.
const SHRINK_TO: u32 = 1600;
/// Where several paths share cells, they take turns of squares with so many cells, or pixels, on a side.
const TURN: u32 = 5;

/// How many pixels a cell takes, or how many cells a pixel.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Scale {
    Up(u32),
    Down(u32),
}

/// A picture of a map that can be drawn on.
#[derive(Clone)]
pub struct Picture<'a> {
    grid: &'a Grid,
    /// Cells along a side of the unit whose places the grid has.
    unit: u32,
    scale: Scale,
    canvas: Canvas,
    /// The pixels that show a passable cell: lines keep to them.
    floor: Vec<bool>,
    /// Doors, and whether they are open.
    doors: Vec<(Cell, bool)>,
    legend: Vec<legend::Entry>,
}

impl<'a> Picture<'a> {
    /// The walls and floors of a map. Where one pixel stands for many cells, it shows their mixture.
    pub fn of(grid: &'a Grid) -> Picture<'a> {
        Picture::fitted(grid, 1, (GROW_TO, SHRINK_TO))
    }

    /// The same with the doors of a map, its ground in colours, greener where it costs more, and drawn to the scale of its unit:
    /// floor is what the unit covers anywhere, and paths run through its middle.
    pub fn of_map(map: &'a Map) -> Picture<'a> {
        let mut picture = Picture::fitted(map.grid(), map.unit_size(), (GROW_TO, SHRINK_TO));
        picture.ground(map);
        picture.doors(map);
        picture
    }

    /// The same with at most so many pixels on the longer side.
    pub fn small(grid: &'a Grid, side: u32) -> Picture<'a> {
        Picture::fitted(grid, 1, (side, side))
    }

    fn fitted(grid: &'a Grid, unit: u32, (grow_to, shrink_to): (u32, u32)) -> Picture<'a> {
        let longer = grid.width().max(grid.height());
        let scale = if longer > shrink_to {
            Scale::Down(longer.div_ceil(shrink_to))
        } else {
            Scale::Up((grow_to / longer).clamp(1, 24))
        };
        let (width, height) = match scale {
            Scale::Up(by) => (grid.width() * by, grid.height() * by),
            Scale::Down(by) => (grid.width().div_ceil(by), grid.height().div_ceil(by)),
        };
        let mut picture = Picture {
            grid,
            unit,
            scale,
            canvas: Canvas::new(width, height, WALL),
            floor: Vec::with_capacity(width as usize * height as usize),
            doors: Vec::new(),
            legend: Vec::new(),
        };
        picture.draw_floor();
        picture
    }

    fn draw_floor(&mut self) {
        let (width, height) = self.canvas.image.dimensions();
        let grid = self.grid;
        let reach = self.unit - 1;
        let passable = |x: u32, y: u32| {
            let ys = y.saturating_sub(reach)..=y;
            let mut places = ys.flat_map(|y| (x.saturating_sub(reach)..=x).map(move |x| (x, y)));
            places.any(|(x, y)| grid.passable_cell(Point { x, y }).is_some())
        };
        for py in 0..height {
            for px in 0..width {
                let share = match self.scale {
                    Scale::Up(by) => f32::from(u8::from(passable(px / by, py / by))),
                    Scale::Down(by) => {
                        let xs = px * by..(px * by + by).min(grid.width());
                        let ys = py * by..(py * by + by).min(grid.height());
                        let cells = (xs.len() * ys.len()) as f32;
                        let open = ys
                            .flat_map(|y| xs.clone().map(move |x| (x, y)))
                            .filter(|&(x, y)| passable(x, y))
                            .count();
                        open as f32 / cells
                    }
                };
                self.floor.push(share > 0.0);
                self.canvas.image.put_pixel(px, py, mix(WALL, FLOOR, share));
            }
        }
    }

    /// Colours the cells that a search expanded, the later the darker.
    pub fn searched(&mut self, cells: &[Cell]) {
        self.shaded(cells, "searched, the later the darker");
    }

    /// Colours the cells that can be reached, the farther the darker.
    pub fn reached(&mut self, cells: &[Cell]) {
        self.shaded(cells, "within reach, the farther the darker");
    }

    fn shaded(&mut self, cells: &[Cell], words: &str) {
        let last = cells.len().max(2) as f32 - 1.0;
        for (i, &cell) in cells.iter().enumerate() {
            let colour = mix(SEARCHED_FIRST, SEARCHED_LAST, i as f32 / last);
            self.fill(cell, colour);
        }
        self.draw_doors();
        if !cells.is_empty() {
            self.explain(Symbol::Searched, words);
        }
    }

    /// Draws named paths as lines through the middles of their cells, the first on top. Where paths share cells they take
    /// turns, so that all of them are seen.
    pub fn paths(&mut self, paths: &[(&str, &[Cell])]) {
        let bundles: Vec<_> = paths
            .iter()
            .map(|&(name, path)| (name, vec![path]))
            .collect();
        self.bundles(&bundles);
    }

    /// The same with several paths under one name and in one colour.
    pub fn bundles(&mut self, bundles: &[(&str, Vec<&[Cell]>)]) {
        let bundles = &bundles[..bundles.len().min(COLOURS.len())];
        let mut users = vec![0u8; self.grid.id_bound()];
        for (number, (_, paths)) in bundles.iter().enumerate() {
            for cell in paths.iter().copied().flatten() {
                users[cell.0 as usize] |= 1 << number;
            }
        }
        let radius = self.line_radius();
        // All outlines first: none of them covers another path.
        for outline in [true, false] {
            for (number, (_, paths)) in bundles.iter().enumerate().rev() {
                let (radius, colour) = match outline {
                    true => (radius + 1, PAPER),
                    false => (radius, COLOURS[number]),
                };
                for step in paths.iter().flat_map(|path| path.windows(2)) {
                    self.step((step[0], step[1]), radius, colour, |picture, cell| {
                        picture.is_its_turn(cell, number, &users)
                    });
                }
            }
        }
        for (number, (name, _)) in bundles.iter().enumerate() {
            self.explain(Symbol::Line(COLOURS[number]), name);
        }
    }

    /// Draws straight lines from waypoint to waypoint, in the colour with this number, over what is there.
    pub fn waypoints(&mut self, name: &str, waypoints: &[Cell], colour: usize) {
        let (radius, colour) = (self.line_radius(), COLOURS[colour % COLOURS.len()]);
        for (radius, colour) in [(radius + 1, PAPER), (radius, colour)] {
            for ends in waypoints.windows(2) {
                let line = (self.middle(ends[0]), self.middle(ends[1]));
                self.line(line, radius, colour);
            }
        }
        self.explain(Symbol::Line(colour), name);
    }

    /// The halves of a step that lie in cells which are to be drawn.
    fn step(
        &mut self,
        (from, to): (Cell, Cell),
        radius: i64,
        colour: Rgb<u8>,
        is_drawn: impl Fn(&Picture, Cell) -> bool,
    ) {
        let (start, end) = (self.middle(from), self.middle(to));
        let middle = ((start.0 + end.0) / 2, (start.1 + end.1) / 2);
        for (cell, spot) in [(from, start), (to, end)] {
            if is_drawn(self, cell) {
                self.line((spot, middle), radius, colour);
            }
        }
    }

    /// Marks cells with dots in the colour with this number, a little wider than lines and with a rim.
    pub fn dots(&mut self, name: &str, cells: impl IntoIterator<Item = Cell>, colour: usize) {
        let colour = COLOURS[colour % COLOURS.len()];
        let radius = self.line_radius() + 1;
        for cell in cells {
            let middle = self.middle(cell);
            self.canvas.disc(middle, radius + 1, PAPER);
            self.canvas.disc(middle, radius, colour);
        }
        self.explain(Symbol::Dot(colour), name);
    }

    /// Whether a path is the one to be seen in a cell, of all that lead over it.
    fn is_its_turn(&self, cell: Cell, number: usize, users: &[u8]) -> bool {
        let here = users[cell.0 as usize];
        let before = (here & ((1 << number) - 1)).count_ones();
        let point = self.grid.point(cell);
        let turn = match self.scale {
            Scale::Up(_) => TURN,
            Scale::Down(by) => TURN * by,
        };
        (point.x / turn + point.y / turn) % here.count_ones().max(1) == before
    }

    /// A line that keeps to the floor, whatever its width.
    fn line(&mut self, (from, to): (Spot, Spot), radius: i64, colour: Rgb<u8>) {
        let width = i64::from(self.canvas.image.width());
        for middle in canvas::line(from, to) {
            for (x, y) in canvas::disc(middle, radius) {
                let inside = (0..width).contains(&x) && y >= 0;
                let pixel = usize::try_from(y * width + x).unwrap_or(usize::MAX);
                if inside && self.floor.get(pixel) == Some(&true) {
                    self.canvas.dot((x, y), colour);
                }
            }
        }
    }

    /// Marks start and goal; the start alone where they are one. Around a large unit stands the square that it covers.
    pub fn ends(&mut self, from: Cell, goal: Cell) {
        let radius = (self.line_radius() * 2 + 4).min(12);
        let (start, end) = (self.middle(from), self.middle(goal));
        self.covered(goal, palette::GOAL);
        self.covered(from, palette::START);
        if from != goal {
            legend::goal(&mut self.canvas, end, radius + 1);
        }
        legend::start(&mut self.canvas, start, radius);
        self.explain(Symbol::Start, "start");
        if from != goal {
            self.explain(Symbol::Goal, "goal");
        }
    }

    /// The outline of what a unit of several cells covers.
    fn covered(&mut self, at: Cell, colour: Rgb<u8>) {
        let (Scale::Up(by), 2..) = (self.scale, self.unit) else {
            return;
        };
        let (x, y) = self.corner(at);
        let (x, y, side) = (i64::from(x), i64::from(y), i64::from(self.unit * by));
        for (corner, sides) in [
            ((x, y), (side, 2)),
            ((x, y + side - 2), (side, 2)),
            ((x, y), (2, side)),
            ((x + side - 2, y), (2, side)),
        ] {
            self.canvas.rectangle(corner, sides, colour);
        }
    }

    fn explain(&mut self, symbol: Symbol, text: &str) {
        self.legend.push((symbol, text.to_string()));
    }

    /// Colours the cells of each numbered part (a region, a component) alike; parts get clearly different colours.
    pub fn parts(&mut self, part_of: impl Fn(Cell) -> Option<u32>) {
        let grid = self.grid;
        for cell in grid.cells() {
            let Some(part) = part_of(cell) else { continue };
            let mut rng = Rng::for_item(17, u64::from(part));
            let mut channel = || 110 + rng.below(130) as u8;
            let colour = Rgb([channel(), channel(), channel()]);
            self.fill(cell, colour);
        }
    }

    /// The pixels: the map, and the legend below it where there is anything to explain.
    pub fn image(&self) -> RgbImage {
        if self.legend.is_empty() {
            return self.canvas.image.clone();
        }
        legend::below(&self.canvas.image, &self.legend, self.scale_bar())
    }

    /// A round number of cells that takes about a tenth of the picture: its pixels, and the cells.
    fn scale_bar(&self) -> (u32, u32) {
        let tenth = (self.grid.width() / 10).max(1);
        let power = 10u32.pow(tenth.ilog10());
        let cells = [5, 2, 1].map(|digit| digit * power);
        let cells = cells.into_iter().find(|&cells| cells <= tenth).unwrap_or(1);
        match self.scale {
            Scale::Up(by) => (cells * by, cells),
            Scale::Down(by) => (cells.div_ceil(by).max(1), cells),
        }
    }

    /// The picture as a PNG file.
    pub fn to_png(&self) -> Result<Vec<u8>, ImageError> {
        let image = self.image();
        let mut bytes = Vec::new();
        image::codecs::png::PngEncoder::new_with_quality(
            &mut bytes,
            image::codecs::png::CompressionType::Best,
            image::codecs::png::FilterType::Adaptive,
        )
        .write_image(
            image.as_raw(),
            image.width(),
            image.height(),
            ExtendedColorType::Rgb8,
        )?;
        Ok(bytes)
    }

    fn line_radius(&self) -> i64 {
        match self.scale {
            Scale::Up(by) => i64::from(by / 2).clamp(1, 3),
            Scale::Down(_) => 1,
        }
    }

    /// The top left pixel of a cell.
    fn corner(&self, cell: Cell) -> (u32, u32) {
        let point = self.grid.point(cell);
        match self.scale {
            Scale::Up(by) => (point.x * by, point.y * by),
            Scale::Down(by) => (point.x / by, point.y / by),
        }
    }

    fn middle(&self, cell: Cell) -> (i64, i64) {
        let (x, y) = self.corner(cell);
        // The middle of the unit.
        let half = match self.scale {
            Scale::Up(by) => i64::from(self.unit * by / 2),
            Scale::Down(by) => i64::from(self.unit / 2 / by),
        };
        (i64::from(x) + half, i64::from(y) + half)
    }

    fn fill(&mut self, cell: Cell, colour: Rgb<u8>) {
        let (x, y) = self.corner(cell);
        let side = match self.scale {
            Scale::Up(by) => i64::from(by),
            Scale::Down(_) => 1,
        };
        let corner = (i64::from(x), i64::from(y));
        self.canvas.rectangle(corner, (side, side), colour);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn size(width: u32, height: u32) -> (u32, u32) {
        let grid = Grid::from_fn(width, height, |_| true).expect("a legal size");
        Picture::of(&grid).image().dimensions()
    }

    #[test]
    fn pictures_can_be_seen_whatever_the_size_of_the_map() {
        assert_eq!(size(1, 1), (24, 24));
        assert_eq!(size(50, 20), (1200, 480));
        assert_eq!(size(1600, 3), (1600, 3));
        assert_eq!(size(5000, 3000), (1250, 750));
        assert_eq!(size(65_535, 1), (1599, 1));
    }

    #[test]
    fn what_is_drawn_is_there() {
        let grid = Grid::from_fn(10, 10, |p| p.x != 5).expect("a legal size");
        let mut picture = Picture::of(&grid);
        let cell = |x, y| grid.cell(Point { x, y }).expect("inside");
        picture.searched(&[cell(1, 1)]);
        picture.paths(&[("a", &[cell(2, 2), cell(3, 3)])]);
        let image = picture.image();
        let middle = |x: u32, y: u32| *image.get_pixel(x * 24 + 12, y * 24 + 12);
        assert_eq!(middle(5, 0), WALL);
        assert_eq!(middle(8, 8), FLOOR);
        assert_eq!(middle(1, 1), SEARCHED_FIRST);
        assert_eq!(middle(2, 2), COLOURS[0]);
        assert!(image.height() > 240, "there is a legend below");
        assert_eq!(&picture.to_png().expect("a PNG")[1..4], b"PNG");
    }

    /// Paths of several colours over the same cells, along a wall and round its end.
    #[test]
    fn lines_keep_to_the_floor_and_all_are_seen() {
        for scale in [GROW_TO, 60] {
            let grid = Grid::from_fn(120, 80, |p| p.x != 60 || p.y > 70).expect("a legal size");
            let cell = |x, y| grid.cell(Point { x, y }).expect("inside");
            let down = (2..75).map(|y| cell(59, y));
            let across = (59..110).map(|x| cell(x, 75));
            let path: Vec<Cell> = down.chain(across.skip(1)).collect();
            let bare = Picture::small(&grid, scale);
            let mut drawn = bare.clone();
            drawn.paths(&[("a", &path), ("b", &path), ("c", &path)]);
            let pixels = bare.canvas.image.pixels().zip(drawn.canvas.image.pixels());
            let over_walls = pixels.filter(|(was, is)| **was == WALL && was != is);
            assert_eq!(over_walls.count(), 0);
            for colour in &COLOURS[..3] {
                let count = drawn.canvas.image.pixels().filter(|p| *p == colour).count();
                assert!(count > 20, "{colour:?}: {count} pixels");
            }
        }
    }
}
