//! The ground of a map in colours.

use super::palette::{FLOOR, ROAD, ROUGH};
use super::{Picture, Symbol, mix};
use image::Rgb;
use std::collections::BTreeSet;
use waypost::{Cell, Map, Point};

/// Of at most this many kinds of ground each is explained.
const MAX_TOLD: usize = 6;

impl Picture<'_> {
    /// Colours every cell by its factor, on a scale of ratios, and explains them.
    pub(super) fn ground(&mut self, map: &Map) {
        let Some((colours, legend)) = colours(map) else {
            return;
        };
        for (cell, _) in covered(map) {
            self.fill(cell, colours[cell.index()]);
        }
        for (symbol, text) in legend {
            self.explain(symbol, &text);
        }
    }
}

/// What symbols of a picture mean.
type Legend = Vec<(Symbol, String)>;

/// All cells that the unit covers from some place, with the least factor, in hundredths, of these places: a large unit pays at a place for the
/// most expensive cell under it, so this is the cell's own factor wherever the unit can stand on its kind of ground alone.
fn covered(map: &Map) -> impl Iterator<Item = (Cell, u32)> + '_ {
    let (grid, ground, reach) = (map.grid(), map.ground(), map.unit_size() - 1);
    let points = (0..grid.height()).flat_map(|y| (0..grid.width()).map(move |x| Point { x, y }));
    points.filter_map(move |point| {
        let ys = point.y.saturating_sub(reach)..=point.y;
        let xs = point.x.saturating_sub(reach)..=point.x;
        let places = ys.flat_map(|y| xs.clone().map(move |x| Point { x, y }));
        let places = places.filter_map(|place| map.passable_cell(place));
        let factors = places.filter_map(|place| Some(ground?.hundredths(place)));
        Some((grid.cell(point)?, factors.min()?))
    })
}

/// The colours of all cells by their numbers, and what they mean; none where all ground is the same.
pub(crate) fn colours(map: &Map) -> Option<(Vec<Rgb<u8>>, Legend)> {
    let ground = map.ground()?;
    let factors = map.grid().cells().map(|cell| ground.hundredths(cell));
    let mut kinds: BTreeSet<u32> = factors.collect();
    kinds.insert(100);
    let highest = kinds.last().copied().unwrap_or(100);
    let mut colours = Vec::new();
    for (cell, factor) in covered(map) {
        // Cells come in the order of their numbers.
        colours.resize(cell.index(), FLOOR);
        colours.push(colour(factor, highest));
    }
    // Where there are many kinds, the ends of the scale say enough.
    let is_end = |&kind: &u32| Some(&kind) == kinds.first() || kind == highest;
    let told = kinds.iter().copied().filter(|kind| *kind != 100);
    let told = told.filter(|kind| kinds.len() <= MAX_TOLD || is_end(kind));
    let legend = told.map(|factor| {
        let text = format!("costs {}", f64::from(factor) / 100.0);
        (Symbol::Cells(colour(factor, highest)), text)
    });
    Some((colours, legend.collect()))
}

/// The colour of a factor, in hundredths, where this is the highest.
fn colour(hundredths: u32, highest: u32) -> Rgb<u8> {
    let factor = hundredths as f32 / 100.0;
    if factor < 1.0 {
        return mix(FLOOR, ROAD, -factor.ln());
    }
    let most = (highest as f32 / 100.0).ln().max(0.01);
    mix(FLOOR, ROUGH, factor.ln() / most)
}

#[cfg(test)]
mod tests {
    use super::*;
    use waypost::grid::{Grid, MoveRules};
    use waypost::terrain::{Class, Classes, Factor, Footing};

    #[test]
    fn ground_is_seen_and_explained() {
        let grid = Grid::from_fn(6, 4, |_| true).expect("a legal size");
        let class = |name: &str, factor| Class {
            name: name.to_string(),
            footing: Footing::Factor(Factor::parse(factor).expect("a factor")),
        };
        let kinds = vec![class(".", "1"), class("S", "4"), class("R", "0.5")];
        let cells = (0..24).map(|at| (at % 6) / 2).collect();
        let classes = Classes::new(6, 4, kinds, cells).expect("a class for each cell");
        let map = Map::for_unit(&grid, MoveRules::default(), Some(&classes), 1).expect("fits");
        let image = Picture::of_map(&map).image();
        let at = |x: u32| *image.get_pixel(x * 24 + 12, 12);
        assert_eq!(at(0), FLOOR);
        assert_eq!(at(2), ROUGH);
        assert_eq!(at(4), colour(50, 400));
        assert!(image.height() > 4 * 24, "there is a legend below");
        let plain = Map::new(grid, MoveRules::default());
        assert_eq!(Picture::of_map(&plain).image().height(), 4 * 24);
    }

    #[test]
    fn the_ground_is_coloured_under_all_of_a_large_unit() {
        let grid = Grid::from_fn(6, 4, |point| point.y < 3).expect("a legal size");
        let class = |name: &str, factor| Class {
            name: name.to_string(),
            footing: Footing::Factor(Factor::parse(factor).expect("a factor")),
        };
        let kinds = vec![class(".", "1"), class("S", "4")];
        let cells = (0..24).map(|at| u8::from(at % 6 >= 3)).collect();
        let classes = Classes::new(6, 4, kinds, cells).expect("a class for each cell");
        let map = Map::for_unit(&grid, MoveRules::default(), Some(&classes), 3).expect("fits");
        let image = Picture::of_map(&map).image();
        for (x, y) in (0..6).flat_map(|x| (0..3).map(move |y| (x, y))) {
            let expected = if x < 3 { FLOOR } else { ROUGH };
            assert_eq!(
                *image.get_pixel(x * 24 + 2, y * 24 + 2),
                expected,
                "{x},{y}"
            );
        }
        let wall = *image.get_pixel(2, 3 * 24 + 2);
        assert!(wall != FLOOR && wall != ROUGH);
    }
}
