//! The strip below a picture: what its marks mean, and how long so many cells are.

use super::canvas::{Canvas, Spot};
use super::{doors, font, palette};
use image::{GenericImage, Rgb, RgbImage};

const ENLARGED: u32 = 2;
const MARGIN: u32 = 12;
const SYMBOL: u32 = 34;
const ROW: u32 = 26;
/// Narrow maps get so much paper beside them, that entries stand beside each other.
const NARROWEST: u32 = 420;
/// The space between an entry and the next.
const GAP: u32 = 22;

/// A mark of the picture.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Symbol {
    /// A path.
    Line(Rgb<u8>),
    /// A walker.
    Dot(Rgb<u8>),
    /// Where a path begins.
    Start,
    /// Where it ends.
    Goal,
    /// Searched cells, from the first to the last.
    Searched,
    /// Cells of one colour.
    Cells(Rgb<u8>),
    /// A door.
    Door {
        /// Whether units can pass.
        open: bool,
    },
    /// The goal of a walker.
    Aim(Rgb<u8>),
    /// So many pixels, which the text gives in cells.
    Scale(u32),
}

/// A mark and what it means.
pub type Entry = (Symbol, String);

/// The picture of a map with its legend below. The scale says how many pixels so many cells take.
pub fn below(map: &RgbImage, entries: &[Entry], scale: (u32, u32)) -> RgbImage {
    let strip = strip(map.width(), entries, Some(scale));
    let height = map.height() + strip.height();
    let mut canvas = Canvas::new(strip.width(), height, palette::PAPER);
    // Both fit: the canvas was made for them.
    let _ = canvas.image.copy_from(map, 0, 0);
    let _ = canvas.image.copy_from(&strip, 0, map.height());
    canvas.image
}

/// A legend for a picture of this width; it is wider where that leaves no room for words.
pub fn strip(width: u32, entries: &[Entry], scale: Option<(u32, u32)>) -> RgbImage {
    let mut entries = entries.to_vec();
    entries.extend(scale.map(|(pixels, cells)| (Symbol::Scale(pixels), scale_text(cells))));
    let widest = entries.iter().map(wide).max().unwrap_or(0);
    let width = width.max(NARROWEST).max(widest + 2 * MARGIN);
    let places = places(&entries, width);
    let rows = places.last().map_or(0, |place| place.1 + 1);
    let mut canvas = Canvas::new(width, 2 * MARGIN + rows * ROW, palette::PAPER);
    for ((symbol, text), (x, row)) in entries.iter().zip(places) {
        let at = (i64::from(x), i64::from(MARGIN + row * ROW));
        draw(&mut canvas, (at.0 + 14, at.1 + 9), *symbol);
        let words = (at.0 + i64::from(symbol.width()), at.1 + 1);
        font::write(&mut canvas, words, text, ENLARGED, palette::INK);
    }
    canvas.image
}

impl Symbol {
    /// The room that it takes beside its text.
    fn width(self) -> u32 {
        match self {
            Symbol::Scale(pixels) => pixels + 8,
            _ => SYMBOL,
        }
    }
}

fn scale_text(cells: u32) -> String {
    match cells {
        1 => "1 cell".to_string(),
        cells => format!("{cells} cells"),
    }
}

/// Where each entry stands: its left side and the number of its row.
fn places(entries: &[Entry], width: u32) -> Vec<(u32, u32)> {
    let (mut x, mut row) = (MARGIN, 0);
    let mut places = Vec::with_capacity(entries.len());
    for entry in entries {
        let wide = wide(entry);
        if x > MARGIN && x + wide + MARGIN > width {
            (x, row) = (MARGIN, row + 1);
        }
        places.push((x, row));
        x += wide + GAP;
    }
    places
}

/// The pixels that an entry takes.
fn wide((symbol, text): &Entry) -> u32 {
    symbol.width() + font::width(text, ENLARGED)
}

fn draw_scale(canvas: &mut Canvas, (x, y): Spot, length: i64) {
    canvas.rectangle((x, y + 8), (length, 2), palette::INK);
    for end in [x, x + length - 2] {
        canvas.rectangle((end, y + 3), (2, 12), palette::INK);
    }
}

/// A mark around a place.
pub fn draw(canvas: &mut Canvas, (x, y): Spot, symbol: Symbol) {
    match symbol {
        Symbol::Line(colour) => canvas.rectangle((x - 13, y - 2), (27, 5), colour),
        Symbol::Dot(colour) => canvas.disc((x, y), 5, colour),
        Symbol::Start => start(canvas, (x, y), 7),
        Symbol::Goal => goal(canvas, (x, y), 8),
        Symbol::Aim(colour) => {
            canvas.hollow_diamond((x, y), 6, colour);
            canvas.hollow_diamond((x, y), 5, colour);
        }
        Symbol::Door { open } => doors::door(canvas, (x - 9, y - 9), (18, 18), open),
        Symbol::Cells(colour) => canvas.rectangle((x - 9, y - 7), (18, 14), colour),
        Symbol::Scale(pixels) => draw_scale(canvas, (x - 14, y - 9), i64::from(pixels)),
        Symbol::Searched => {
            for dx in 0..27 {
                let (first, last) = (palette::SEARCHED_FIRST, palette::SEARCHED_LAST);
                let colour = palette::mix(first, last, dx as f32 / 26.0);
                canvas.rectangle((x - 13 + dx, y - 7), (1, 14), colour);
            }
        }
    }
}

/// The mark of a start: a circle.
pub fn start(canvas: &mut Canvas, at: Spot, radius: i64) {
    canvas.disc(at, radius + 2, palette::PAPER);
    canvas.disc(at, radius, palette::START);
}

/// The mark of a goal: a square on its corner with a light heart.
pub fn goal(canvas: &mut Canvas, at: Spot, radius: i64) {
    canvas.diamond(at, radius + 4, palette::PAPER);
    canvas.diamond(at, radius + 1, palette::GOAL);
    canvas.diamond(at, radius / 3, palette::PAPER);
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn no_words_are_cut_off() {
        let words = "within reach, the farther the darker";
        let entries = [
            (Symbol::Searched, words.to_string()),
            (Symbol::Start, "start".to_string()),
        ];
        for width in [24, 216, 420, 500, 1280] {
            let strip = strip(width, &entries, Some((24, 1)));
            let needed = SYMBOL + font::width(words, ENLARGED) + 2 * MARGIN;
            assert!(strip.width() >= needed.max(width), "{width}");
            let margin = strip.width() - MARGIN..strip.width();
            let ink = margin.flat_map(|x| (0..strip.height()).map(move |y| (x, y)));
            let ink = ink.filter(|&(x, y)| *strip.get_pixel(x, y) != palette::PAPER);
            assert_eq!(ink.count(), 0, "{width}: words reach into the margin");
        }
    }
}
