//! Terrain for generated maps: grass, swamps, water and woods in patches, and roads.
//!
//! Letters are those of the `.map` format, so that the map opens with and without factors. Without factors water and woods
//! are walls; what they would cut off is joined again by fords and clearings.

use super::noise::{Field, TOP};
use crate::formats::Level;
use crate::grid::{Cell, Components, Corners, Grid, Point};
use crate::rng::Rng;
use crate::terrain::{Class, Classes, Factor, Footing, Footings};
use std::collections::VecDeque;

/// Letters and hundredths: ground, road, swamp, woods, water.
const KINDS: [(&str, u32); 5] = [(".", 100), ("G", 50), ("S", 200), ("T", 800), ("W", 450)];
const ROAD: u8 = 1;
const SWAMP: u8 = 2;
const WOODS: u8 = 3;
const WATER: u8 = 4;
/// Cells across a patch.
const PITCH: u32 = 24;

/// The factors that fit strewn maps: the text that `--terrain` takes.
pub fn footings() -> Footings {
    let mut all = Footings::new();
    for (name, hundredths) in &KINDS[1..] {
        if let Some(factor) = Factor::from_hundredths(*hundredths) {
            all.set(name, Footing::Factor(factor));
        }
    }
    all
}

/// Strews terrain over the largest component of a grid and fills the others with wall. The level is connected with the factors
/// and without them.
pub fn strew(grid: &Grid, seed: u64) -> Level {
    let mut grid = grid.clone();
    super::tidy(&mut grid, 0);
    let mut cells = patches(&grid, seed);
    join(&grid, &mut cells);
    let kinds = KINDS.iter().map(|(name, hundredths)| Class {
        name: name.to_string(),
        footing: Factor::from_hundredths(*hundredths).map_or(Footing::Wall, Footing::Factor),
    });
    let classes = Classes::new(grid.width(), grid.height(), kinds.collect(), cells);
    Level {
        classes: classes.ok(),
        ..Level::plain(grid)
    }
}

/// Classes by two fields of hills: one is wet or woody at its heights and depths, the other has roads along its contours.
fn patches(grid: &Grid, seed: u64) -> Vec<u8> {
    let width = grid.width() as usize;
    let mut rng = Rng::for_item(seed, 0x7e44_a117);
    let mut fields = [PITCH, PITCH / 3, 2 * PITCH].map(|pitch| Field::new(rng.next_u64(), pitch));
    let mut cells = Vec::with_capacity(width * grid.height() as usize);
    for y in 0..grid.height() {
        let (mut hills, mut roads) = (vec![0; width], vec![0; width]);
        fields[0].add_row(y, TOP * 3 / 4, &mut hills);
        fields[1].add_row(y, TOP / 4, &mut hills);
        fields[2].add_row(y, TOP, &mut roads);
        for (x, (hill, road)) in (0..grid.width()).zip(hills.into_iter().zip(roads)) {
            let kind = match hill * 100 / TOP {
                ..28 => WATER,
                28..36 => SWAMP,
                70.. => WOODS,
                _ if (road - TOP / 2).abs() < TOP / 48 => ROAD,
                _ => 0,
            };
            let passable = grid.passable_cell(Point { x, y }).is_some();
            cells.push(if passable { kind } else { 0 });
        }
    }
    cells
}

/// Makes swamp of the water and woods between parts that only they connect, and of all where there is nothing else.
fn join(grid: &Grid, cells: &mut [u8]) {
    let width = grid.width();
    let at = |cell: Cell| {
        let p = grid.point(cell);
        (p.y * width + p.x) as usize
    };
    let is_dry = |class: u8| class != WATER && class != WOODS;
    let mut dry = grid.clone();
    for cell in grid.cells().filter(|&cell| !is_dry(cells[at(cell)])) {
        dry.set(grid.point(cell), false);
    }
    let Some(start) = dry.cells().next() else {
        grid.cells().for_each(|cell| cells[at(cell)] = SWAMP);
        return;
    };
    let components = Components::find(&dry, Corners::Never);
    // Everything is reached over as few wet cells as possible, row by row and column by column.
    let mut before = vec![Cell::NONE; grid.id_bound()];
    let mut crossings = vec![u32::MAX; grid.id_bound()];
    let mut joined = vec![false; components.count()];
    let mut queue = VecDeque::from([start]);
    crossings[start.index()] = 0;
    while let Some(cell) = queue.pop_front() {
        if let Some(part) = components.of(cell)
            && !std::mem::replace(&mut joined[part as usize], true)
        {
            let mut back = before[cell.index()];
            while back != Cell::NONE && !is_dry(cells[at(back)]) {
                cells[at(back)] = SWAMP;
                back = before[back.index()];
            }
        }
        for d in crate::grid::Direction::ALL.into_iter().step_by(2) {
            let next = grid.neighbour(cell, d);
            if !grid.is_passable(next) {
                continue;
            }
            let wet = u32::from(!dry.is_passable(next));
            let through = crossings[cell.index()] + wet;
            if through < crossings[next.index()] {
                (crossings[next.index()], before[next.index()]) = (through, cell);
                match wet {
                    0 => queue.push_front(next),
                    _ => queue.push_back(next),
                }
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::formats::{Reading, map};
    use crate::generate::{Kind, generate};

    #[test]
    fn strewn_maps_are_connected_with_and_without_their_factors() {
        let sizes = [(150, 110), (31, 40), (5, 5), (90, 2), (1, 1)];
        for (kind, seed) in Kind::ALL
            .into_iter()
            .flat_map(|k| (0..4).map(move |s| (k, s)))
        {
            for (width, height) in sizes {
                let grid = generate(kind, width, height, seed).expect("a legal size");
                let level = strew(&grid, seed);
                assert_eq!(level, strew(&grid, seed));
                let bytes = map::write_level(&level).expect("letters");
                let reading = Reading {
                    footings: footings(),
                    ..Reading::default()
                };
                let with = map::parse_level(&bytes, &reading).expect("good");
                assert!(with.is_same(&level), "{kind:?} {seed}");
                let without = map::parse(&bytes).expect("good");
                for grid in [&with.grid, &without] {
                    let parts = Components::find(grid, Corners::Never).count();
                    assert_eq!(parts, 1, "{kind:?} {seed} {width} x {height}");
                }
                let kinds = with.classes.map_or(1, |classes| classes.kinds().len());
                assert!(
                    width < 150 || kinds >= 3,
                    "{kind:?} {seed}: {kinds} classes"
                );
            }
        }
    }
}
