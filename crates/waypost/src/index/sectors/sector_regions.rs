//! Regions: the connected pieces inside each sector, on terrain parts of these, each with a representative cell near its middle.

use super::layout::Layout;
use super::parts::Parting;
use crate::grid::{Cell, Direction, Grid, Point};
use crate::index::{BuildError, unless_cancelled};
use crate::map::Map;
use crate::parallel::prelude::*;
use crate::progress::Progress;

/// A sector with one region needs no labels.
const NO_LABELS: u32 = u32::MAX;

/// All regions of a map, in flat arrays. Regions are numbered sector by sector.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Regions {
    /// The first region of each sector; one more entry closes the last.
    pub first: Vec<u32>,
    /// Where the labels of each sector begin, in words; all ones where it has at most one region.
    pub labels_at: Vec<u32>,
    /// Labels of the sectors with several regions, as few bits a cell as do.
    pub labels: Vec<u64>,
    /// Each region's cell nearest its centre of gravity, on terrain of those of least factor.
    pub representatives: Vec<Cell>,
}

/// The regions of one sector.
#[derive(Clone, Debug)]
pub struct SectorRegions {
    /// Region of each offset, if there are several.
    labels: Vec<u16>,
    /// Each region's cell nearest its centre of gravity.
    pub representatives: Vec<Cell>,
}

impl Regions {
    /// Finds the regions of every sector, each a part of the stage under way.
    pub fn find(map: &Map, layout: Layout, progress: &dyn Progress) -> Result<Regions, BuildError> {
        let sectors = (0..layout.count())
            .into_par_iter()
            .with_min_len(64)
            .map_init(Parting::default, |parting, sector| {
                unless_cancelled(progress)?;
                progress.advance(1);
                Ok(SectorRegions::find(map, layout, sector, parting))
            })
            .collect::<Result<Vec<_>, BuildError>>()?;
        Ok(Regions::gather(sectors.into_iter()))
    }

    /// Puts the regions of all sectors together, given in order.
    pub fn gather(sectors: impl Iterator<Item = SectorRegions>) -> Regions {
        let mut regions = Regions::with_capacity(0, 0, 0);
        sectors.for_each(|sector| regions.push(&sector));
        regions.first.shrink_to_fit();
        regions.labels_at.shrink_to_fit();
        regions.labels.shrink_to_fit();
        regions.representatives.shrink_to_fit();
        regions
    }

    /// No regions yet, and room for those of this many sectors.
    pub fn with_capacity(sectors: usize, words: usize, regions: usize) -> Regions {
        let mut first = Vec::with_capacity(sectors + 1);
        first.push(0);
        Regions {
            first,
            labels_at: Vec::with_capacity(sectors),
            labels: Vec::with_capacity(words),
            representatives: Vec::with_capacity(regions),
        }
    }

    /// Adds the regions of the next sector.
    pub fn push(&mut self, sector: &SectorRegions) {
        self.push_representatives(&sector.representatives);
        if sector.representatives.len() > 1 {
            let bits = label_bits(sector.representatives.len());
            pack(&sector.labels, bits, &mut self.labels);
        }
    }

    /// Adds the regions of the next sector as another index holds them.
    pub fn push_stored(&mut self, labels: &[u64], representatives: &[Cell]) {
        self.push_representatives(representatives);
        self.labels.extend_from_slice(labels);
    }

    fn push_representatives(&mut self, representatives: &[Cell]) {
        self.labels_at.push(match representatives.len() {
            0 | 1 => NO_LABELS,
            _ => self.labels.len() as u32,
        });
        self.representatives.extend_from_slice(representatives);
        self.first.push(self.representatives.len() as u32);
    }

    /// The representatives of a sector's regions.
    pub fn of_sector(&self, sector: usize) -> &[Cell] {
        &self.representatives[self.first[sector] as usize..self.first[sector + 1] as usize]
    }
}

impl SectorRegions {
    /// Finds the regions of a sector.
    pub fn find(map: &Map, layout: Layout, sector: usize, parting: &mut Parting) -> SectorRegions {
        let grid = map.grid();
        let mut found = SectorRegions {
            labels: vec![u16::MAX; layout.area()],
            representatives: Vec::new(),
        };
        let mut stack = Vec::new();
        let mut members = Vec::new();
        for (offset, cell) in layout.cells(grid, sector) {
            if found.labels[offset] != u16::MAX {
                continue;
            }
            let label = found.representatives.len() as u16;
            found.labels[offset] = label;
            stack.push(cell);
            members.clear();
            while let Some(cell) = stack.pop() {
                members.push(cell);
                for direction in map.legal(cell) {
                    let next = grid.neighbour(cell, direction);
                    let point = grid.point(next);
                    if keeps_within(map, layout, sector, cell, direction)
                        && found.labels[layout.offset(point)] == u16::MAX
                    {
                        found.labels[layout.offset(point)] = label;
                        stack.push(next);
                    }
                }
            }
            match map.ground() {
                None => found.representatives.push(middle(grid, &members, |_| true)),
                Some(ground) => found.representatives.extend(parting.cut(
                    (map, ground),
                    (layout, sector),
                    &members,
                    (&mut found.labels, label),
                )),
            }
        }
        found
    }
}

/// The region of a passable point, from the arrays of [`Regions`].
#[inline]
pub fn region_at(
    layout: Layout,
    first: &[u32],
    labels_at: &[u32],
    labels: &[u64],
    point: Point,
) -> Option<u32> {
    let sector = layout.sector(point);
    let (base, count) = (first[sector], first[sector + 1] - first[sector]);
    let label = match labels_at[sector] {
        NO_LABELS => 0,
        at => unpack(
            &labels[at as usize..],
            label_bits(count as usize),
            layout.offset(point),
        ),
    };
    (label < count).then_some(base + label)
}

/// Words that the labels of a sector with `count` regions take: none where there is nothing to tell apart.
pub fn label_words(layout: Layout, count: usize) -> usize {
    if count <= 1 {
        return 0;
    }
    (layout.area() / fields_per_word(label_bits(count))).max(1)
}

/// Bits a label, a power of two so that no label lies across two words.
fn label_bits(count: usize) -> u32 {
    (usize::BITS - (count - 1).leading_zeros()).next_power_of_two()
}

fn fields_per_word(bits: u32) -> usize {
    (64 / bits) as usize
}

fn pack(values: &[u16], bits: u32, out: &mut Vec<u64>) {
    let per_word = fields_per_word(bits);
    let mask = (1u64 << bits) - 1;
    out.extend(values.chunks(per_word).map(|chunk| {
        chunk.iter().enumerate().fold(0, |word, (i, &v)| {
            word | (u64::from(v) & mask) << (i as u32 * bits)
        })
    }));
}

#[inline]
fn unpack(words: &[u64], bits: u32, at: usize) -> u32 {
    let per_word = fields_per_word(bits);
    let mask = (1u64 << bits) - 1;
    (words[at / per_word] >> ((at % per_word) as u32 * bits) & mask) as u32
}

/// Whether a legal move stays in its sector, so that no cell outside is needed for it.
pub(super) fn keeps_within(
    map: &Map,
    layout: Layout,
    sector: usize,
    cell: Cell,
    direction: Direction,
) -> bool {
    layout.sector(map.grid().point(map.grid().neighbour(cell, direction))) == sector
}

/// The eligible member nearest to the mean of all; the first in the order of ids among equals.
pub(super) fn middle(grid: &Grid, members: &[Cell], eligible: impl Fn(Cell) -> bool) -> Cell {
    let count = members.len() as i64;
    let (mut sum_x, mut sum_y) = (0, 0);
    for &cell in members {
        let point = grid.point(cell);
        sum_x += i64::from(point.x);
        sum_y += i64::from(point.y);
    }
    let distance = |cell: Cell| {
        let point = grid.point(cell);
        let (dx, dy) = (
            i64::from(point.x) * count - sum_x,
            i64::from(point.y) * count - sum_y,
        );
        dx * dx + dy * dy
    };
    members
        .iter()
        .copied()
        .filter(|&cell| eligible(cell))
        .min_by_key(|&cell| (distance(cell), cell))
        .expect("a region has at least the cell that it was found from")
}
