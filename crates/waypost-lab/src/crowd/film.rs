//! Films of crowds: the map at a size that fits a page, agents as dots with fading trails, their goals, doors, the cells that patches
//! have changed, and the tick. A film is a function of the run: it shows no measured times.

use crate::picture::{
    CLOSED, COLOURS, Canvas, DOOR, FLOOR, INK, OPEN_DOOR, OPENED, PAPER, Spot, Symbol, WALL,
    ground_colours, letters, mix, strip, width_of,
};
use crate::table::grouped;
use gif::{DisposalMethod, Encoder, EncodingError, Frame, Repeat};
use image::{GenericImage, Rgb, RgbImage, Rgba, RgbaImage};
use waypost::Map;
use waypost::grid::{Cell, Grid, Point};
use waypost::map::Doors;

/// The longest side of a film, in pixels.
const SIDE: u32 = 640;
/// Cells are enlarged to this many pixels at least, where the film's longest side stays within the other.
const LEAST_ENLARGED: u32 = 2;
const LONGEST_SIDE: u32 = 1000;
/// About how many frames a film has at most.
const FRAMES: u64 = 150;
/// How long a picture is shown at most, in hundredths of a second: films of long runs go faster than a game, and say so.
const MOST_HUNDREDTHS: f64 = 10.0;
/// How fast colours are chosen (1 to 30).
const SPEED: i32 = 20;
/// The height of the line with the tick, and the space to its left.
const LINE: u32 = 26;
const MARGIN: i64 = 12;
/// Ticks of a game's second, for the clock below the picture.
const TICKS_PER_SECOND: f64 = 30.0;
/// Trails fade in so many ticks.
const TRAIL: u64 = 36;
/// How strong a trail is, from its young end to its old one.
const FADING: [f32; 3] = [0.55, 0.34, 0.17];
/// More goals than this are not shown: they would hide the map.
const MAX_GOALS: usize = 60;
/// Crowds up to this size have dots as large as their cells.
const SMALL_CROWD: usize = 400;

/// A pixel that somebody has walked over.
#[derive(Clone, Copy, Default)]
struct Trodden {
    /// The tick after which it happened; 0 for never.
    after: u64,
    colour: u8,
}

/// A run as pictures.
pub struct Film {
    /// The map as it was at first: what differs from it is a patch.
    first: Grid,
    base: Canvas,
    /// The colours of the ground, cell by cell; empty where all is floor. And what they mean.
    ground: Vec<Rgb<u8>>,
    ground_legend: Vec<(Symbol, String)>,
    trails: Vec<Trodden>,
    goals: Vec<Cell>,
    doors: Option<Doors>,
    /// How many agents have been seen at once.
    crowd: usize,
    legend: RgbImage,
    /// Whether cells have been closed, and opened.
    patched: [bool; 2],
    /// Pixels of a cell's side, or, where that is 1, cells of a pixel's side.
    enlarged: u32,
    reduced: u32,
    ticks: u64,
    every: u64,
    last: Option<RgbImage>,
    frames: Vec<RgbaImage>,
}

impl Film {
    /// A film of a run of so many ticks.
    pub fn new(grid: &Grid, ticks: u64) -> Film {
        let longer = grid.width().max(grid.height()).max(1);
        let (mut enlarged, mut reduced) = ((SIDE / longer).clamp(1, 16), longer.div_ceil(SIDE));
        if enlarged < LEAST_ENLARGED && longer * LEAST_ENLARGED <= LONGEST_SIDE {
            (enlarged, reduced) = (LEAST_ENLARGED, 1);
        }
        let size = |side: u32| (side * enlarged).div_ceil(reduced).max(1);
        let (width, height) = (size(grid.width()), size(grid.height()));
        let mut film = Film {
            first: grid.clone(),
            base: Canvas::new(width, height, WALL),
            ground: Vec::new(),
            ground_legend: Vec::new(),
            trails: vec![Trodden::default(); width as usize * height as usize],
            goals: Vec::new(),
            doors: None,
            crowd: 0,
            legend: RgbImage::new(0, 0),
            patched: [false; 2],
            enlarged,
            reduced,
            ticks,
            every: ticks.div_ceil(FRAMES).max(1),
            last: None,
            frames: Vec::new(),
        };
        film.show_map(grid);
        film
    }

    /// The same with the doors of a map and its ground in colours.
    pub fn of_map(map: &Map, ticks: u64) -> Film {
        let mut film = Film::new(map.grid(), ticks);
        if let Some((colours, legend)) = ground_colours(map) {
            film.ground = colours;
            film.ground_legend = legend;
        }
        film.doors = map.doors().filter(|_| map.unit_size() == 1).cloned();
        film.show_map(map.grid());
        film
    }

    /// Draws the map as it is now; cells that patches have changed are marked.
    pub fn show_map(&mut self, grid: &Grid) {
        let (width, height) = self.base.image.dimensions();
        let mut changed: Option<(Spot, Spot)> = None;
        for y in 0..height {
            for x in 0..width {
                let colour = self.colour_at(grid, x, y);
                self.base.image.put_pixel(x, y, colour);
                let kinds = [colour == CLOSED, colour == OPENED];
                if kinds != [false; 2] {
                    self.patched[0] |= kinds[0];
                    self.patched[1] |= kinds[1];
                    let (x, y) = (i64::from(x), i64::from(y));
                    let (from, to) = changed.unwrap_or(((x, y), (x, y)));
                    let (left, right) = (from.0.min(x), to.0.max(x));
                    changed = Some(((left, from.1), (right, y)));
                }
            }
        }
        if let Some((from, to)) = changed {
            self.frame_patch(from, to);
        }
        self.legend = strip(width, &self.legend_entries(), None);
    }

    /// What the marks mean.
    fn legend_entries(&self) -> Vec<(Symbol, String)> {
        let goal = match self.crowd > MAX_GOALS {
            true => format!("goal ({MAX_GOALS} of {} shown)", grouped(self.crowd as i64)),
            false => "its goal".to_string(),
        };
        let mut entries = vec![
            (Symbol::Dot(COLOURS[1]), "agent".to_string()),
            (Symbol::Aim(COLOURS[1]), goal),
        ];
        let kinds = [(CLOSED, "closed"), (OPENED, "opened")];
        for ((colour, name), seen) in kinds.into_iter().zip(self.patched) {
            if seen {
                entries.push((Symbol::Cells(colour), name.to_string()));
            }
        }
        if self.doors.is_some() {
            let kinds = [(OPEN_DOOR, "door, open"), (DOOR, "door, closed")];
            entries.extend(kinds.map(|(colour, name)| (Symbol::Cells(colour), name.to_string())));
        }
        entries.extend(self.ground_legend.iter().cloned());
        entries
    }

    /// Frames a small patch, which would not be seen otherwise.
    fn frame_patch(&mut self, from: Spot, to: Spot) {
        const AWAY: i64 = 5;
        let (wide, high) = (to.0 - from.0 + 2 * AWAY, to.1 - from.1 + 2 * AWAY);
        if wide.max(high) > i64::from(SIDE) / 6 {
            return;
        }
        let corner = (from.0 - AWAY, from.1 - AWAY);
        for (at, size) in [
            (corner, (wide, 2)),
            ((corner.0, corner.1 + high), (wide + 2, 2)),
            (corner, (2, high)),
            ((corner.0 + wide, corner.1), (2, high)),
        ] {
            self.base.rectangle(at, size, CLOSED);
        }
    }

    /// The colour of a pixel. A few cells stand for all that it covers.
    fn colour_at(&self, grid: &Grid, x: u32, y: u32) -> Rgb<u8> {
        let step = self.reduced.div_ceil(4) as usize;
        let (mut open, mut all) = (0u32, 0u32);
        let (mut patch, mut floor) = (None, FLOOR);
        for dy in (0..self.reduced).step_by(step) {
            for dx in (0..self.reduced).step_by(step) {
                let point = Point {
                    x: x / self.enlarged * self.reduced + dx,
                    y: y / self.enlarged * self.reduced + dy,
                };
                let cell = grid.passable_cell(point);
                let is = cell.is_some();
                let was = self.first.passable_cell(point).is_some();
                let at = grid.cell(point);
                let doors = self.doors.as_ref();
                if doors.is_some_and(|doors| at.is_some_and(|cell| doors.contains(cell))) {
                    patch = Some(if is { OPEN_DOOR } else { DOOR });
                } else if is != was {
                    patch = Some(if was { CLOSED } else { OPENED });
                }
                let ground = cell.and_then(|cell| self.ground.get(cell.index()));
                floor = ground.copied().unwrap_or(floor);
                open += u32::from(is);
                all += 1;
            }
        }
        patch.unwrap_or(mix(WALL, floor, open as f32 / all as f32))
    }

    /// A walker has a new goal.
    pub fn aim(&mut self, number: usize, goal: Cell) {
        if number >= self.goals.len() {
            self.goals.resize(number + 1, Cell::NONE);
        }
        self.goals[number] = goal;
    }

    /// Sees where walkers are after a tick, and adds a picture where this tick is to be in the film.
    pub fn watch(&mut self, grid: &Grid, tick: u64, walkers: &[(usize, Cell)]) {
        if walkers.len() > self.crowd {
            self.crowd = walkers.len();
            self.legend = strip(self.base.image.width(), &self.legend_entries(), None);
        }
        for &(number, cell) in walkers.iter().filter(|(_, cell)| *cell != Cell::NONE) {
            self.tread(self.corner(grid, cell), number, tick + 1);
        }
        if tick.is_multiple_of(self.every) {
            let picture = self.picture(grid, tick, walkers);
            self.shoot(picture);
        }
    }

    fn tread(&mut self, (x, y): Spot, number: usize, after: u64) {
        let width = i64::from(self.base.image.width());
        let side = i64::from(self.enlarged);
        for py in y..y + side {
            for px in x..(x + side).min(width) {
                let pixel = self.trails.get_mut((py * width + px) as usize);
                if let Some(pixel) = pixel {
                    let colour = (number % COLOURS.len()) as u8;
                    *pixel = Trodden { after, colour };
                }
            }
        }
    }

    /// The upper left pixel of a cell.
    fn corner(&self, grid: &Grid, cell: Cell) -> Spot {
        let at = grid.point(cell);
        let place = |v: u32| i64::from(v * self.enlarged / self.reduced);
        (place(at.x), place(at.y))
    }

    fn middle(&self, grid: &Grid, cell: Cell) -> Spot {
        let (x, y) = self.corner(grid, cell);
        let half = i64::from(self.enlarged / 2);
        (x + half, y + half)
    }

    fn picture(&self, grid: &Grid, tick: u64, walkers: &[(usize, Cell)]) -> RgbImage {
        let (width, height) = self.base.image.dimensions();
        let wide = width.max(self.legend.width());
        let tall = height + LINE + self.legend.height();
        let mut canvas = Canvas::new(wide, tall, PAPER);
        // Both fit: the canvas was made for them.
        let _ = canvas.image.copy_from(&self.base.image, 0, 0);
        let _ = canvas.image.copy_from(&self.legend, 0, height + LINE);
        self.draw_trails(&mut canvas, tick + 1);
        self.draw_walkers(&mut canvas, grid, walkers);
        let (words, enlarged) = caption(tick, self.ticks, self.faster(), wide);
        let at = (MARGIN, i64::from(height) + 8);
        letters(&mut canvas, at, &words, enlarged, INK);
        canvas.image
    }

    fn draw_trails(&self, canvas: &mut Canvas, now: u64) {
        let width = self.base.image.width() as usize;
        for (i, trodden) in self.trails.iter().enumerate() {
            let age = now - trodden.after;
            if trodden.after == 0 || age >= TRAIL {
                continue;
            }
            let (x, y) = (i % width, i / width);
            let under = *self.base.image.get_pixel(x as u32, y as u32);
            if under == CLOSED || under == WALL {
                continue;
            }
            let strength = FADING[(age * FADING.len() as u64 / TRAIL) as usize];
            let spot = (x as i64, y as i64);
            let colour = COLOURS[usize::from(trodden.colour)];
            let plain = self.ground.is_empty() && under != OPEN_DOOR;
            let floor = if plain { FLOOR } else { under };
            canvas.dot(spot, mix(floor, colour, strength));
        }
    }

    fn draw_walkers(&self, canvas: &mut Canvas, grid: &Grid, walkers: &[(usize, Cell)]) {
        let radius = self.radius(walkers.len());
        for &(number, _) in walkers.iter().take(MAX_GOALS) {
            let goal = self.goals.get(number).filter(|goal| **goal != Cell::NONE);
            let Some(&goal) = goal else { continue };
            let colour = COLOURS[number % COLOURS.len()];
            for ring in 0..2 {
                canvas.hollow_diamond(self.middle(grid, goal), radius + 2 + ring, colour);
            }
        }
        for &(number, cell) in walkers.iter().filter(|(_, cell)| *cell != Cell::NONE) {
            let at = self.middle(grid, cell);
            if radius > 1 {
                canvas.disc(at, radius + 1, PAPER);
            }
            canvas.disc(at, radius, COLOURS[number % COLOURS.len()]);
        }
    }

    /// The radius of dots: as large as leaves something of the map to be seen.
    fn radius(&self, walkers: usize) -> i64 {
        if walkers <= SMALL_CROWD {
            return i64::from(self.enlarged / 2).max(2);
        }
        let (width, height) = self.base.image.dimensions();
        let pixels = u64::from(width) * u64::from(height);
        // With its rim a dot is a pixel wider on either side.
        let room = |radius: &i64| walkers as u64 * ((2 * radius + 3) as u64).pow(2) <= pixels;
        [2, 1].into_iter().find(room).unwrap_or(0)
    }

    /// How many times as fast as a game the film is: 1 where a picture stands for few ticks.
    fn faster(&self) -> f64 {
        (hundredths(self.every) / MOST_HUNDREDTHS).max(1.0)
    }

    /// How long a picture is shown, in hundredths of a second: what is rounded of one is made good by the next.
    fn pause(&self, number: u64) -> u16 {
        let end = |pictures: u64| hundredths(pictures * self.every) / self.faster();
        (end(number + 1).round() - end(number).round()) as u16
    }

    /// Adds a picture: what has not changed since the one before is left clear, so that the file stays small.
    fn shoot(&mut self, picture: RgbImage) {
        let same_size = |last: &&RgbImage| last.dimensions() == picture.dimensions();
        let last = self.last.as_ref().filter(same_size);
        let frame = RgbaImage::from_fn(picture.width(), picture.height(), |x, y| {
            let pixel = picture.get_pixel(x, y);
            let Rgb([r, g, b]) = *pixel;
            match last.is_some_and(|last| last.get_pixel(x, y) == pixel) {
                true => Rgba([0, 0, 0, 0]),
                false => Rgba([r, g, b, 255]),
            }
        });
        self.frames.push(frame);
        self.last = Some(picture);
    }

    /// The film as an animated GIF that repeats.
    pub fn to_gif(mut self) -> Result<Vec<u8>, EncodingError> {
        let mut bytes = Vec::new();
        // No picture is larger than the longest side and the lines below it.
        let size = |picture: &RgbaImage| (picture.width() as u16, picture.height() as u16);
        let (width, height) = self.frames.first().map_or((1, 1), size);
        let mut encoder = Encoder::new(&mut bytes, width, height, &[])?;
        encoder.set_repeat(Repeat::Infinite)?;
        for (number, picture) in std::mem::take(&mut self.frames).into_iter().enumerate() {
            let (width, height) = size(&picture);
            let mut pixels = picture.into_raw();
            let mut frame = Frame::from_rgba_speed(width, height, &mut pixels, SPEED);
            frame.delay = self.pause(number as u64);
            // What a picture leaves clear is what the one before showed.
            frame.dispose = DisposalMethod::Keep;
            encoder.write_frame(&frame)?;
        }
        drop(encoder);
        Ok(bytes)
    }
}

/// Hundredths of a second of a game's ticks.
fn hundredths(ticks: u64) -> f64 {
    100.0 * ticks as f64 / TICKS_PER_SECOND
}

/// The line with the tick: as much of it as fits below a film of this width at every tick, and how much it is enlarged. The clock is the
/// game's; a film that is faster says how much.
fn caption(tick: u64, ticks: u64, faster: f64, width: u32) -> (String, u32) {
    let line = |tick: u64| format!("tick {tick} of {ticks}");
    let clock = |tick: u64| format!("{}   {:.1} s", line(tick), hundredths(tick) / 100.0);
    let forms = |tick: u64| {
        let (long, short) = match faster > 1.0 {
            true => (
                format!("{}, played {faster:.1} times as fast", clock(tick)),
                format!("{}, {faster:.1}x", clock(tick)),
            ),
            false => (
                format!("{} at {TICKS_PER_SECOND} ticks a second", clock(tick)),
                clock(tick),
            ),
        };
        [long, short, line(tick)]
    };
    let fits = |form: &String| MARGIN + i64::from(width_of(form, 2)) <= i64::from(width);
    match forms(ticks).iter().position(fits) {
        Some(form) => (forms(tick)[form].clone(), 2),
        None => (tick.to_string(), 1),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use waypost::grid::MoveRules;
    use waypost::terrain::{Class, Classes, Factor, Footing};

    #[test]
    fn the_line_with_the_tick_fits() {
        let words = |width| caption(80, 300, 1.0, width);
        assert_eq!(words(640).0, "tick 80 of 300   2.7 s at 30 ticks a second");
        assert_eq!(words(420).0, "tick 80 of 300   2.7 s");
        assert_eq!(words(200).0, "tick 80 of 300");
        assert_eq!(words(90), ("80".to_string(), 1));
        assert_eq!(
            caption(80, 1000, 7.0 / 3.0, 640).0,
            "tick 80 of 1000   2.7 s, played 2.3 times as fast"
        );
        assert_eq!(
            caption(80, 1000, 7.0 / 3.0, 420).0,
            "tick 80 of 1000   2.7 s, 2.3x"
        );
    }

    #[test]
    fn films_run_by_their_clock() {
        let grid = Grid::from_fn(9, 3, |_| true).expect("a legal size");
        for (ticks, faster) in [(100, 1.0), (300, 1.0), (420, 1.0), (1000, 7.0 / 3.0)] {
            let film = Film::new(&grid, ticks);
            let pictures = ticks / film.every;
            let played: u64 = (0..pictures).map(|n| u64::from(film.pause(n))).sum();
            let game = hundredths(pictures * film.every);
            assert!((film.faster() - faster).abs() < 1e-9, "{ticks} ticks");
            let off = (played as f64 * faster - game).abs();
            assert!(off <= faster, "{ticks} ticks: {played} for {game}");
        }
    }

    #[test]
    fn films_of_narrow_maps_have_a_whole_caption() {
        let grid = Grid::from_fn(9, 3, |_| true).expect("a legal size");
        let mut film = Film::new(&grid, 300);
        let cell = grid.cell(Point { x: 0, y: 0 }).expect("inside");
        film.watch(&grid, 0, &[(0, cell)]);
        let wide = film.last.as_ref().expect("a picture").width();
        assert!(wide >= 400, "the legend is wider than the map: {wide}");
        assert_eq!(
            caption(19, 300, 1.0, wide),
            ("tick 19 of 300   0.6 s".to_string(), 2)
        );
    }

    #[test]
    fn agents_of_larger_crowds_are_seen() {
        let grid = Grid::from_fn(400, 300, |_| true).expect("a legal size");
        let mut film = Film::new(&grid, 100);
        assert_eq!((film.enlarged, film.reduced), (2, 1));
        let cell = |i: usize| {
            let point = Point {
                x: (i % 50) as u32 * 8,
                y: (i / 50) as u32 * 20,
            };
            grid.cell(point).expect("inside")
        };
        let walkers: Vec<(usize, Cell)> = (0..500).map(|i| (i, cell(i))).collect();
        film.watch(&grid, 0, &walkers);
        let texts: Vec<String> = film.legend_entries().into_iter().map(|e| e.1).collect();
        assert_eq!(texts, ["agent", "goal (60 of 500 shown)"]);
        let last = film.last.as_ref().expect("a picture");
        let middle = film.middle(&grid, cell(60));
        let at = |dx: i64| *last.get_pixel((middle.0 + dx) as u32, middle.1 as u32);
        for dx in -2..=2 {
            assert_eq!(at(dx), COLOURS[60 % COLOURS.len()], "{dx}");
        }
        assert_eq!((at(-3), at(3)), (PAPER, PAPER), "a rim");
        assert_eq!([film.radius(10_000), film.radius(1_000_000)], [1, 0]);
    }

    #[test]
    fn doors_are_seen() {
        let grid = Grid::from_fn(20, 10, |p| p.x != 9).expect("a legal size");
        let mut doors = Doors::none(&grid);
        doors.add(Point { x: 9, y: 4 });
        let map = Map::with_doors(grid, MoveRules::default(), doors);
        let mut film = Film::of_map(&map, 10);
        let colour = |film: &Film| *film.base.image.get_pixel(9 * 16 + 8, 4 * 16 + 8);
        assert_eq!(colour(&film), DOOR);
        let mut opened = map.grid().clone();
        opened.set(Point { x: 9, y: 4 }, true);
        film.show_map(&opened);
        assert_eq!(colour(&film), OPEN_DOOR);
    }

    #[test]
    fn ground_is_seen() {
        let grid = Grid::from_fn(20, 10, |_| true).expect("a legal size");
        let class = |name: &str, factor| Class {
            name: name.to_string(),
            footing: Footing::Factor(Factor::parse(factor).expect("a factor")),
        };
        let kinds = vec![class(".", "1"), class("S", "4")];
        let cells = (0..200).map(|at| (at % 20) / 10).collect();
        let classes = Classes::new(20, 10, kinds, cells).expect("a class for each cell");
        let map = Map::for_unit(&grid, MoveRules::default(), Some(&classes), 1).expect("fits");
        let film = Film::of_map(&map, 10);
        let colour = |x: u32| *film.base.image.get_pixel(x * 16 + 8, 8);
        assert_eq!(colour(5), FLOOR);
        assert_ne!(colour(15), FLOOR);
        assert_eq!(film.ground_legend.len(), 1);
    }

    #[test]
    fn walkers_goals_trails_and_patches_are_seen() {
        let mut grid = Grid::from_fn(60, 40, |_| true).expect("a legal size");
        let cell = |grid: &Grid, x, y| grid.cell(Point { x, y }).expect("inside");
        let mut film = Film::new(&grid, 100);
        film.aim(1, cell(&grid, 50, 20));
        for tick in 0..20 {
            let at = cell(&grid, 5 + tick as u32, 20);
            film.watch(&grid, tick, &[(1, at)]);
        }
        grid.set(Point { x: 30, y: 5 }, false);
        film.show_map(&grid);
        film.watch(&grid, 20, &[(1, cell(&grid, 25, 20))]);
        let last = film.last.clone().expect("a picture");
        let colour = |x: u32, y: u32| *last.get_pixel(x * 10 + 5, y * 10 + 5);
        assert_eq!(colour(25, 20), COLOURS[1], "the walker");
        assert_eq!(colour(30, 5), CLOSED, "the patch");
        assert_eq!(colour(24, 20), mix(FLOOR, COLOURS[1], FADING[0]));
        assert_eq!(colour(40, 30), FLOOR);
        let goal = last.get_pixel(505 + 7, 205);
        assert_eq!(*goal, COLOURS[1], "the goal's mark");
        assert!(last.height() > 400, "there is a legend below");
        let bytes = film.to_gif().expect("a GIF");
        let mut film = gif::DecodeOptions::new()
            .read_info(&bytes[..])
            .expect("a film");
        let mut pictures = 0;
        while let Some(frame) = film.read_next_frame().expect("a picture") {
            assert_eq!(frame.dispose, DisposalMethod::Keep);
            assert_eq!(frame.transparent.is_some(), pictures > 0);
            pictures += 1;
        }
        assert!(pictures > 1);
    }
}
