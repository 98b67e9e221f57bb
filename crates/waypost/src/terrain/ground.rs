//! Terrain in use: what steps cost on one map for one unit type.

use super::{Classes, Scale, TerrainError};
use crate::cost::{Cost, StepCosts};
use crate::grid::pruning::Relief;
use crate::grid::{Cell, Direction, Grid, MoveRules, Point};
use xxhash_rust::xxh3::Xxh3;

/// Four bytes a cell and a small table. Patches change walls, not the ground under them, so it never changes.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Ground {
    scale: Scale,
    /// The class of every cell id.
    classes: Vec<u8>,
    /// By class: the factor in hundredths.
    hundredths: Vec<u32>,
    /// By cell id: the factor in units of the scale.
    units: Vec<u16>,
    /// What a step costs for each unit, straight and diagonally.
    lengths: [Cost; 2],
    /// By cell id: how the factors around compare with the cell's.
    relief: Vec<Relief>,
    least: StepCosts,
    highest: Cost,
    digest: u64,
}

/// Ground is dear beyond this many times the least factor in use.
const DEAR_TIMES: Cost = 4;

impl Ground {
    /// The ground of a grid for a unit of `size` x `size` cells.
    pub fn new(
        grid: &Grid,
        rules: MoveRules,
        classes: &Classes,
        size: u32,
    ) -> Result<Ground, TerrainError> {
        let cells = u64::from(grid.width()) * u64::from(grid.height());
        if (classes.width, classes.height) != (grid.width(), grid.height()) {
            return Err(TerrainError::WrongSize {
                expected: cells,
                found: classes.cells.len() as u64,
            });
        }
        let hundredths = classes.hundredths();
        let of_cells = largest_covered(grid, classes, &hundredths, size);
        let mut used = vec![false; hundredths.len()];
        of_cells.iter().for_each(|&c| used[usize::from(c)] = true);
        let in_use = hundredths.iter().zip(&used).filter(|(_, used)| **used);
        let in_use: Vec<u32> = in_use.map(|(hundredths, _)| *hundredths).collect();
        let scale = Scale::fit(rules.costs, &in_use, most_moves(grid, rules))?;
        let units = |&class: &u8| scale.units(hundredths[usize::from(class)]) as u16;
        let least = in_use.iter().min().map_or(1, |&h| scale.units(h));
        let most = in_use.iter().max().map_or(1, |&h| scale.units(h));
        let diagonal = match rules.has_diagonals() {
            true => scale.diagonal,
            false => 2 * scale.straight,
        };
        let mut ground = Ground {
            scale,
            relief: reliefs(grid, &of_cells, &hundredths, scale),
            units: of_cells.iter().map(units).collect(),
            classes: of_cells,
            lengths: [scale.straight, scale.diagonal],
            least: StepCosts {
                straight: 2 * least * scale.straight,
                diagonal: 2 * least * diagonal,
            },
            highest: 2
                * most
                * if rules.has_diagonals() {
                    scale.diagonal
                } else {
                    scale.straight
                },
            hundredths,
            digest: 0,
        };
        ground.digest = ground.digest_of(grid);
        Ok(ground)
    }

    /// What a step between two neighbouring cells costs.
    #[inline]
    pub fn cost(&self, from: Cell, to: Cell, direction: Direction) -> Cost {
        self.lengths[usize::from(direction.is_diagonal())] * (self.units(from) + self.units(to))
    }

    /// The factor of a place in units of the scale.
    #[inline]
    pub(crate) fn units(&self, cell: Cell) -> Cost {
        Cost::from(self.units[cell.index()])
    }

    /// How the factors of the eight cells around a cell, walls included, compare with its own.
    #[inline]
    pub(crate) fn relief(&self, cell: Cell) -> Relief {
        self.relief[cell.index()]
    }

    /// The factor of a place in hundredths.
    #[inline]
    pub fn hundredths(&self, cell: Cell) -> u32 {
        self.hundredths[usize::from(self.classes[cell.index()])]
    }

    /// The units that costs are counted in.
    pub fn scale(&self) -> Scale {
        self.scale
    }

    /// The least costs of a straight and of a diagonal step.
    #[inline]
    pub fn least(&self) -> StepCosts {
        self.least
    }

    /// Does a straight step of this cost lead over dear ground: several times as dear as the cheapest?
    #[inline]
    pub(crate) fn is_dear(&self, straight_step: Cost) -> bool {
        straight_step > DEAR_TIMES * self.least.straight
    }

    /// The cost of the most expensive step.
    #[inline]
    pub fn highest(&self) -> Cost {
        self.highest
    }

    /// Identifies factors and scale: part of the identity of an index.
    pub fn digest(&self) -> u64 {
        self.digest
    }

    /// Bytes that it takes.
    pub fn memory_bytes(&self) -> usize {
        size_of::<Ground>()
            + self.classes.len()
            + self.units.len() * 2
            + self.relief.len()
            + self.hundredths.len() * 4
    }

    fn digest_of(&self, grid: &Grid) -> u64 {
        let mut hash = Xxh3::new();
        hash.update(&self.scale.straight.to_le_bytes());
        hash.update(&self.scale.diagonal.to_le_bytes());
        let mut row = Vec::with_capacity(grid.width() as usize * 2);
        for y in 0..grid.height() {
            row.clear();
            for x in 0..grid.width() {
                let cell = grid.cell(Point { x, y }).unwrap_or(Cell::NONE);
                let hundredths = self.hundredths(cell) as u16;
                row.extend_from_slice(&hundredths.to_le_bytes());
            }
            hash.update(&row);
        }
        // 0 stands for no terrain in files.
        hash.digest().max(1)
    }
}

/// For every place the class of largest factor among the cells that a unit covers there.
fn largest_covered(grid: &Grid, classes: &Classes, hundredths: &[u32], size: u32) -> Vec<u8> {
    let (width, height) = (grid.width() as usize, grid.height() as usize);
    let larger = |a: u8, b: u8| {
        if hundredths[usize::from(b)] > hundredths[usize::from(a)] {
            b
        } else {
            a
        }
    };
    let mut cells = classes.cells.clone();
    for _ in 1..size {
        // Each round reaches a column and a row further.
        for row in cells.chunks_exact_mut(width) {
            for x in 0..width - 1 {
                row[x] = larger(row[x], row[x + 1]);
            }
        }
        for at in 0..(height - 1) * width {
            cells[at] = larger(cells[at], cells[at + width]);
        }
    }
    let mut of_ids = vec![0; grid.id_bound()];
    for (y, row) in cells.chunks_exact(width).enumerate() {
        let first = (y + 1) * grid.stride() as usize + 1;
        of_ids[first..first + width].copy_from_slice(row);
    }
    of_ids
}

/// What every cell is among its eight neighbours, walls included: those may be opened.
fn reliefs(grid: &Grid, classes: &[u8], hundredths: &[u32], scale: Scale) -> Vec<Relief> {
    let mut reliefs = vec![Relief::Steep; grid.id_bound()];
    let units = |cell: Cell| scale.units(hundredths[usize::from(classes[cell.index()])]);
    for y in 0..grid.height() {
        for x in 0..grid.width() {
            let Some(cell) = grid.cell(Point { x, y }) else {
                continue;
            };
            let around = |d: Direction| {
                let point = Point {
                    x: x.wrapping_add_signed(d.dx()),
                    y: y.wrapping_add_signed(d.dy()),
                };
                grid.cell(point).map(units)
            };
            let here = units(cell);
            let range = Direction::ALL.into_iter().filter_map(around);
            let range = range.fold((here, here), |(least, most), u| (least.min(u), most.max(u)));
            let lengths = [scale.straight, scale.diagonal];
            reliefs[cell.index()] = Relief::of(here, range, lengths);
        }
    }
    reliefs
}

/// At least the moves of any shortest path: twice the depth of a search by moves from one cell of each component, or the number
/// of passable cells if that is less; and never less than the map is long.
fn most_moves(grid: &Grid, rules: MoveRules) -> u64 {
    let mut seen = vec![false; grid.id_bound()];
    let (mut layer, mut next) = (Vec::new(), Vec::new());
    let mut deepest = 0;
    for start in grid.cells() {
        if std::mem::replace(&mut seen[start.index()], true) {
            continue;
        }
        layer.push(start);
        let mut depth = 0;
        while !layer.is_empty() {
            for cell in layer.drain(..) {
                for d in rules.legal(grid.neighbourhood(cell)) {
                    let to = grid.neighbour(cell, d);
                    if !std::mem::replace(&mut seen[to.index()], true) {
                        next.push(to);
                    }
                }
            }
            depth += u64::from(!next.is_empty());
            std::mem::swap(&mut layer, &mut next);
        }
        deepest = deepest.max(depth);
    }
    let sides = u64::from(grid.width()) + u64::from(grid.height());
    (2 * deepest).min(grid.passable_count()).max(sides)
}
