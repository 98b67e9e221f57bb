//! The distances between one target and all sources of a tile, and the moves that they make optimal.

use super::corners::{CornerGraph, Edge, FAR};
use super::tile::{CHUNK, Tile};
use crate::cost::{Cost, CostPair};
use crate::grid::{Cell, Direction, Point};
use crate::map::Map;
use std::ops::Range;

/// How distances are added and compared, many at a time. Without instructions beyond the oldest 64-bit processors' the least of
/// two integers takes four of them and the least of two floats one; sums of integers below 2^24 are exact in both.
pub(super) trait Distance: Copy {
    fn of(distance: i32) -> Self;
    fn plus(self, cost: Self) -> Self;
    fn minus(self, other: Self) -> Self;
    fn least(self, other: Self) -> Self;
    /// As an integer; large ones may be rounded.
    fn rounded(self) -> i32;
    fn low_bits(self) -> u16;
}

impl Distance for i32 {
    #[inline(always)]
    fn of(distance: i32) -> i32 {
        distance
    }

    #[inline(always)]
    fn plus(self, cost: i32) -> i32 {
        self + cost
    }

    #[inline(always)]
    fn minus(self, other: i32) -> i32 {
        self - other
    }

    #[inline(always)]
    fn least(self, other: i32) -> i32 {
        self.min(other)
    }

    fn rounded(self) -> i32 {
        self
    }

    #[inline(always)]
    fn low_bits(self) -> u16 {
        self as u16
    }
}

impl Distance for f32 {
    #[inline(always)]
    fn of(distance: i32) -> f32 {
        distance as f32
    }

    #[inline(always)]
    fn plus(self, cost: f32) -> f32 {
        self + cost
    }

    #[inline(always)]
    fn minus(self, other: f32) -> f32 {
        self - other
    }

    fn rounded(self) -> i32 {
        self as i32
    }

    // Not `f32::min`, which takes care of values that are no numbers: there are none.
    #[inline(always)]
    fn least(self, other: f32) -> f32 {
        if other < self { other } else { self }
    }

    #[inline(always)]
    fn low_bits(self) -> u16 {
        // A float that fits needs no rounding: the bits of its integer are those of the sum with 2^23.
        (self + FIRST_INEXACT as f32).to_bits() as u16
    }
}

/// Sums of distances up to here are exact as floats.
const FIRST_INEXACT: i32 = 1 << 23;

/// The optimal moves of all sources of a tile towards one target, and what they are found from.
pub(super) struct Field<'a, D> {
    map: &'a Map,
    graph: &'a CornerGraph,
    tile: &'a Tile,
    /// By corner, then lane.
    from_corners: Vec<D>,
    /// By lane: 0 for cells, much for walls.
    walls: Vec<D>,
    /// By lane: the lowest 16 bits of the distance.
    low: Vec<u16>,
    /// By lane: the optimal moves.
    found: Vec<u16>,
    /// By corner, then lane: the optimal moves towards whatever is nearest by way of that corner; empty where nobody has asked.
    by_corner: Vec<Vec<u16>>,
    /// The corner whose moves are those of the target at hand.
    only_corner: Option<u32>,
    /// Rows of points that the tile covers.
    point_rows: Range<u32>,
    /// The corners worth looking at for the target at hand.
    edges: Vec<Edge>,
    /// Those of the target before.
    edges_before: Vec<Edge>,
    /// Whether the distances at hand come from corners alone.
    is_composed: bool,
    /// By corner, then corner: how much nearer the first is to every source, at least.
    leads: Vec<Vec<i32>>,
    corners: usize,
}

const UNKNOWN: i32 = i32::MIN;

impl<'a, D: Distance> Field<'a, D> {
    pub fn new(map: &'a Map, graph: &'a CornerGraph, tile: &'a Tile) -> Field<'a, D> {
        let rows = &tile.all_rows;
        let corners = tile.from_corners.len() / tile.lanes;
        Field {
            map,
            graph,
            tile,
            from_corners: tile.from_corners.iter().map(|&d| D::of(d)).collect(),
            walls: tile.walls.iter().map(|&d| D::of(d)).collect(),
            low: vec![0; tile.lanes],
            found: vec![0; tile.lanes],
            by_corner: vec![Vec::new(); corners],
            only_corner: None,
            point_rows: rows.start.saturating_sub(1)..rows.end.saturating_sub(1),
            edges: Vec::new(),
            edges_before: Vec::new(),
            is_composed: false,
            leads: vec![Vec::new(); corners],
            corners,
        }
    }

    /// The optimal moves of all sources towards the target at hand.
    pub fn moves(&self) -> &[u16] {
        match self.only_corner {
            Some(corner) => &self.by_corner[corner as usize],
            None => &self.found,
        }
    }

    /// Goes on to a target. `false` where its distances differ from those of the target before by the same for all lanes, so that
    /// the same moves are optimal.
    pub fn find(&mut self, target: Cell) -> bool {
        let is_direct = self.graph.reaches_directly(target, self.tile);
        std::mem::swap(&mut self.edges, &mut self.edges_before);
        self.choose_edges(target);
        let was_composed = std::mem::replace(&mut self.is_composed, !is_direct);
        if was_composed && !is_direct && self.is_as_before() {
            return false;
        }
        let costs = self.map.rules().costs;
        self.only_corner = match self.edges[..] {
            [only] if !is_direct => Some(only.corner),
            _ => None,
        };
        if let Some(corner) = self.only_corner {
            // How far it is beyond the corner does not matter.
            if self.by_corner[corner as usize].is_empty() {
                self.measure();
                let mut moves = vec![0; self.tile.lanes];
                find_moves(self.tile, &self.low, costs, &mut moves);
                self.by_corner[corner as usize] = moves;
            }
            return true;
        }
        self.measure();
        if is_direct {
            self.fill_direct(target);
        }
        find_moves(self.tile, &self.low, costs, &mut self.found);
        true
    }

    /// Finds the distances by way of corners.
    fn measure(&mut self) {
        let (lanes, edges) = (self.tile.lanes, &self.edges);
        for (i, low) in self.low.chunks_exact_mut(CHUNK).enumerate() {
            let mut best = [D::of(FAR); CHUNK];
            for edge in edges {
                let cost = D::of(edge.cost);
                let row = &self.from_corners[edge.corner as usize * lanes + i * CHUNK..][..CHUNK];
                for k in 0..CHUNK {
                    best[k] = best[k].least(row[k].plus(cost));
                }
            }
            for k in 0..CHUNK {
                low[k] = best[k].low_bits();
            }
        }
    }

    /// Whether the corners are those of the target before, each nearer or farther by the same.
    fn is_as_before(&self) -> bool {
        let (Some(first), Some(before)) = (self.edges.first(), self.edges_before.first()) else {
            return false;
        };
        let by = first.cost - before.cost;
        self.edges.len() == self.edges_before.len()
            && self
                .edges
                .iter()
                .zip(&self.edges_before)
                .all(|(e, b)| e.corner == b.corner && e.cost - b.cost == by)
    }

    /// Leaves out corners that are nowhere in the tile nearer than another one. Tried as the better one are the best at the
    /// first, the middle and the last source.
    fn choose_edges(&mut self, target: Cell) {
        self.edges.clear();
        self.edges.extend_from_slice(self.graph.edges_of(target));
        if self.edges.len() < 2 {
            return;
        }
        let (tile, lanes, walls) = (self.tile, self.tile.lanes, &self.walls);
        let row = |corner: u32| &self.from_corners[corner as usize * lanes..][..lanes];
        for lane in tile.probes {
            let through = |e: &Edge| tile.from_corners[e.corner as usize * lanes + lane] + e.cost;
            let Some(&best) = self.edges.iter().min_by_key(|e| through(e)) else {
                return;
            };
            let leads = &mut self.leads[best.corner as usize];
            if leads.is_empty() {
                leads.resize(self.corners, UNKNOWN);
            }
            self.edges.retain(|e| {
                let lead = &mut leads[e.corner as usize];
                if *lead == UNKNOWN {
                    *lead = least_lead(row(best.corner), row(e.corner), walls);
                }
                e.corner == best.corner || e.cost + *lead < best.cost
            });
        }
    }

    /// Overwrites what is met without a corner: there the octile distance is the distance.
    fn fill_direct(&mut self, target: Cell) {
        let (tile, low) = (self.tile, &mut self.low);
        let costs = self.map.rules().costs;
        let rows = self.point_rows.clone();
        self.graph
            .for_each_direct(self.map, target, rows, |from, d, steps, cost| {
                fill_piece(tile, low, costs, from, d, steps, cost);
            });
    }
}

/// How much nearer one corner is than another to every cell of a tile, at least.
fn least_lead<D: Distance>(near: &[D], far: &[D], walls: &[D]) -> i32 {
    let mut least = [D::of(FAR); CHUNK];
    let rows = near.chunks_exact(CHUNK).zip(far.chunks_exact(CHUNK));
    for ((near, far), walls) in rows.zip(walls.chunks_exact(CHUNK)) {
        for k in 0..CHUNK {
            least[k] = least[k].least(far[k].minus(near[k]).plus(walls[k]));
        }
    }
    let least = least.into_iter().reduce(D::least);
    least.map_or(FAR, D::rounded)
}

/// Writes the distances of a straight piece: of its first cell where it has no steps, of the cells after it otherwise.
fn fill_piece(
    tile: &Tile,
    low: &mut [u16],
    costs: CostPair,
    from: Point,
    d: Direction,
    steps: u32,
    cost: Cost,
) {
    // Columns and rows of the layout: one more than those of points.
    let (x, y) = (from.x as i64 + 1, from.y as i64 + 1);
    if steps == 0 {
        if let Some(lane) = tile.lane(x as u32, y as u32) {
            low[lane] = cost as u16;
        }
        return;
    }
    // The steps that lie in the tile, with its halo.
    let (at, sign, within) = if d.dy() == 0 {
        let columns = &tile.all_groups;
        if !tile.all_rows.contains(&(y as u32)) {
            return;
        }
        (
            x,
            i64::from(d.dx()),
            i64::from(columns.start) * 8..i64::from(columns.end) * 8,
        )
    } else {
        if !tile.all_groups.contains(&(x as u32 / 8)) {
            return;
        }
        let rows = &tile.all_rows;
        (
            y,
            i64::from(d.dy()),
            i64::from(rows.start)..i64::from(rows.end),
        )
    };
    let (first, last) = if sign > 0 {
        (within.start - at, within.end - 1 - at)
    } else {
        (at - (within.end - 1), at - within.start)
    };
    let (first, last) = (first.max(1), last.min(i64::from(steps)));
    if first > last {
        return;
    }
    let straight = costs.straight();
    let mut value = cost.wrapping_add(straight.wrapping_mul(first as u32)) as u16;
    if d.dy() == 0 {
        let Some(lane) = tile.lane((x + sign * first) as u32, y as u32) else {
            return;
        };
        for i in 0..=(last - first) {
            low[(lane as i64 + sign * i) as usize] = value;
            value = value.wrapping_add(straight as u16);
        }
    } else {
        for step in first..=last {
            if let Some(lane) = tile.lane(x as u32, (y + sign * step) as u32) {
                low[lane] = value;
            }
            value = value.wrapping_add(straight as u16);
        }
    }
}

/// A group of lanes with one more at either end.
#[inline(always)]
fn with_neighbours(low: &[u16], lane: u32) -> &[u16; 10] {
    let first = lane as usize - 1;
    low[first..first + 10].try_into().expect("ten lanes")
}

/// Finds, for every source of a tile, the moves that get nearer to the target by their cost. One plain loop over arrays of
/// known size, which the compiler turns into vector instructions.
fn find_moves(tile: &Tile, low: &[u16], costs: CostPair, moves: &mut [u16]) {
    let (straight, diagonal) = (costs.straight() as u16, costs.diagonal() as u16);
    for group in &tile.work {
        let lane = group.lane as usize;
        let up = with_neighbours(low, group.above);
        let here = with_neighbours(low, group.lane);
        let down = with_neighbours(low, group.below);
        let legal: &[u16; 8] = tile.legal[lane..lane + 8].try_into().expect("eight lanes");
        let out: &mut [u16; 8] = (&mut moves[lane..lane + 8])
            .try_into()
            .expect("eight lanes");
        for k in 0..8 {
            let s = here[k + 1].wrapping_sub(straight);
            let d = here[k + 1].wrapping_sub(diagonal);
            let bit = |near: u16, wanted: u16, bit: u16| if near == wanted { bit } else { 0 };
            let found = bit(up[k + 1], s, 1)
                | bit(up[k + 2], d, 2)
                | bit(here[k + 2], s, 4)
                | bit(down[k + 2], d, 8)
                | bit(down[k + 1], s, 16)
                | bit(down[k], d, 32)
                | bit(here[k], s, 64)
                | bit(up[k], d, 128);
            out[k] = found & legal[k];
        }
    }
}

/// Whether all distances are so short that floats hold them exactly.
pub(super) fn is_short(tile: &Tile, graph: &CornerGraph) -> bool {
    let longest = |distances: &[i32]| distances.iter().copied().filter(|&d| d < FAR).max();
    let (to_corner, edge) = (longest(&tile.from_corners), graph.max_edge_cost());
    to_corner.unwrap_or(0).saturating_add(edge) < FIRST_INEXACT
}
