//! Goes through all targets of a component and finds the first-move sets of all sources of a tile.

use super::super::encoding::RowEncoder;
use super::super::heuristic_move::side;
use super::super::order::NodeOrder;
use super::super::rows::RowBatch;
use super::super::runs::{self, WILD, record};
use super::corners::{CornerGraph, Edge, FAR};
use super::tile::{CHUNK, Tile};
use crate::cost::{Cost, CostPair};
use crate::grid::{Cell, Direction, Point};
use crate::map::Map;
use std::ops::Range;

/// How distances are added and compared, many at a time. Without instructions beyond the oldest 64-bit processors' the least of
/// two integers takes four of them and the least of two floats one; sums of integers below 2^24 are exact in both.
trait Distance: Copy {
    fn of(distance: i32) -> Self;
    fn plus(self, cost: Self) -> Self;
    fn least(self, other: Self) -> Self;
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
    fn least(self, other: i32) -> i32 {
        self.min(other)
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

/// The lowest 16 bits of the distances between one target and all lanes of a tile.
struct Field<'a, D> {
    map: &'a Map,
    graph: &'a CornerGraph,
    tile: &'a Tile,
    /// By corner, then lane.
    from_corners: Vec<D>,
    low: Vec<u16>,
    /// Rows of points that the tile covers.
    point_rows: Range<u32>,
    /// The corners worth looking at for the target at hand.
    edges: Vec<Edge>,
    /// By corner, then corner: how much nearer the first is to every source, at least.
    leads: Vec<Vec<i32>>,
    corners: usize,
}

const UNKNOWN: i32 = i32::MIN;

impl<'a, D: Distance> Field<'a, D> {
    fn new(map: &'a Map, graph: &'a CornerGraph, tile: &'a Tile) -> Field<'a, D> {
        let rows = &tile.all_rows;
        let corners = tile.from_corners.len() / tile.lanes;
        Field {
            map,
            graph,
            tile,
            from_corners: tile.from_corners.iter().map(|&d| D::of(d)).collect(),
            low: vec![0; tile.lanes],
            point_rows: rows.start.saturating_sub(1)..rows.end.saturating_sub(1),
            edges: Vec::new(),
            leads: vec![Vec::new(); corners],
            corners,
        }
    }

    fn find(&mut self, target: Cell) {
        let lanes = self.tile.lanes;
        self.choose_edges(target);
        let edges = &self.edges;
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
        if self.graph.reaches_directly(target, self.tile) {
            self.fill_direct(target);
        }
    }

    /// Leaves out corners that are nowhere in the tile nearer than another one. Tried as the better one are the best at the
    /// first, the middle and the last source.
    fn choose_edges(&mut self, target: Cell) {
        self.edges.clear();
        self.edges.extend_from_slice(self.graph.edges_of(target));
        if self.edges.len() < 2 {
            return;
        }
        let (tile, lanes) = (self.tile, self.tile.lanes);
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
                    *lead = tile.least_lead(best.corner, e.corner);
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

/// The open runs of all sources of a tile.
struct OpenRuns<'a> {
    tile: &'a Tile,
    wild: Vec<u16>,
    /// The moves that are optimal for all targets of the open run.
    open: Vec<u16>,
    starts: Vec<u32>,
    /// Lane and record of finished runs.
    done: Vec<(u32, u32)>,
    /// The bits of the heuristic move where sources see the target on several sides.
    mixed: Vec<u16>,
    record_bytes: usize,
}

/// Lanes between two looks at whether a run was cut.
const LOOK: usize = 64;

impl OpenRuns<'_> {
    /// Goes on to a target for which the sources have these optimal moves.
    fn go_on(&mut self, moves: &[u16], x: u32, y: u32, rank: u32) {
        let tile = self.tile;
        if let Some(side) = tile.side_of(x, y) {
            self.narrow(moves, &tile.heuristic[side], rank);
            return;
        }
        let mut mixed = std::mem::take(&mut self.mixed);
        for row in &tile.work_rows {
            let groups = &tile.work[row.groups.clone()];
            let dy = y as i32 - row.y as i32;
            let before = groups.partition_point(|g| g.column < x / 8);
            for (i, group) in groups.iter().enumerate() {
                let lane = group.lane as usize;
                let out = &mut mixed[lane..lane + 8];
                if i == before && group.column == x / 8 {
                    for (k, bit) in out.iter_mut().enumerate() {
                        let dx = (x % 8) as i32 - k as i32;
                        *bit = tile.heuristic[side(dx, dy) as usize][lane + k];
                    }
                } else {
                    let dx = if i < before { 1 } else { -1 };
                    out.copy_from_slice(&tile.heuristic[side(dx, dy) as usize][lane..lane + 8]);
                }
            }
        }
        self.narrow(moves, &mixed, rank);
        self.mixed = mixed;
    }

    /// Intersects the open runs with the moves of a target.
    fn narrow(&mut self, moves: &[u16], heuristic: &[u16], rank: u32) {
        let mut both = [0; LOOK];
        for first in (0..moves.len()).step_by(LOOK) {
            let length = LOOK.min(moves.len() - first);
            let moves = &moves[first..][..length];
            let heuristic = &heuristic[first..][..length];
            let wild = &self.wild[first..][..length];
            let open = &mut self.open[first..][..length];
            let both = &mut both[..length];
            let mut cuts = 0;
            for k in 0..length {
                let by_heuristic = if moves[k] & heuristic[k] == 0 {
                    0
                } else {
                    0x100
                };
                both[k] = open[k] & (moves[k] | by_heuristic | wild[k]);
                cuts |= if both[k] == 0 { 1u16 } else { 0 };
            }
            if cuts == 0 {
                open.copy_from_slice(both);
            } else {
                self.cut(first, moves, heuristic, rank);
            }
        }
    }

    /// Narrows runs one by one; closes those that have no move left and opens new ones.
    #[inline(never)]
    fn cut(&mut self, first: usize, moves: &[u16], heuristic: &[u16], rank: u32) {
        for k in 0..moves.len() {
            let lane = first + k;
            let by_heuristic = u16::from(moves[k] & heuristic[k] != 0) << 8;
            let all = moves[k] | by_heuristic | self.wild[lane];
            if self.open[lane] & all != 0 {
                self.open[lane] &= all;
                continue;
            }
            self.done
                .push((lane as u32, record(self.starts[lane], self.open[lane])));
            self.starts[lane] = rank;
            self.open[lane] = all;
        }
    }

    /// All rows, in the order of sources.
    fn finish(mut self) -> RowBatch {
        for &(lane, _) in &self.tile.sources {
            let last = record(self.starts[lane as usize], self.open[lane as usize]);
            self.done.push((lane, last));
        }
        // Stable: the runs of a lane stay in order.
        self.done.sort_by_key(|&(lane, _)| lane);
        let mut rows = RowBatch::default();
        let runs = self.done.chunk_by(|a, b| a.0 == b.0);
        for (&(_, source), runs) in self.tile.sources.iter().zip(runs) {
            rows.sources.push(source);
            rows.counts.push(runs.len() as u32);
            for (_, record) in runs {
                runs::write(*record, self.record_bytes, &mut rows.data);
            }
        }
        rows
    }
}

/// Are all distances so short that floats hold them exactly?
fn is_short(tile: &Tile, graph: &CornerGraph) -> bool {
    let longest = |distances: &[i32]| distances.iter().copied().filter(|&d| d < FAR).max();
    let (to_corner, edge) = (longest(&tile.from_corners), graph.dearest_edge());
    to_corner.unwrap_or(0).saturating_add(edge) < FIRST_INEXACT
}

/// Run-length rows of a tile.
pub(super) fn runs(
    map: &Map,
    order: &NodeOrder,
    graph: &CornerGraph,
    tile: &Tile,
    component: Range<u32>,
) -> RowBatch {
    if is_short(tile, graph) {
        runs_with::<f32>(map, order, graph, tile, component)
    } else {
        runs_with::<i32>(map, order, graph, tile, component)
    }
}

fn runs_with<D: Distance>(
    map: &Map,
    order: &NodeOrder,
    graph: &CornerGraph,
    tile: &Tile,
    component: Range<u32>,
) -> RowBatch {
    let (stride, costs) = (map.grid().stride(), map.rules().costs);
    let mut field: Field<D> = Field::new(map, graph, tile);
    let mut moves = vec![0; tile.lanes];
    let mut runs = OpenRuns {
        tile,
        wild: tile.wild.clone(),
        open: vec![WILD; tile.lanes],
        starts: vec![component.start; tile.lanes],
        done: Vec::new(),
        mixed: vec![0; tile.lanes],
        record_bytes: runs::record_bytes(map.grid()),
    };
    for rank in component {
        let target = order.cells[rank as usize];
        let (x, y) = (target.0 % stride, target.0 / stride);
        field.find(target);
        find_moves(tile, &field.low, costs, &mut moves);
        // A source itself is right with every move.
        let own = tile.lane(x, y);
        if let Some(lane) = own {
            runs.wild[lane] = WILD;
        }
        runs.go_on(&moves, x, y, rank);
        if let Some(lane) = own {
            runs.wild[lane] = tile.wild[lane];
        }
    }
    runs.finish()
}

/// Rows of a tile in an encoding that wants bitmaps of the whole component for each source.
pub(super) fn bitmaps(
    map: &Map,
    order: &NodeOrder,
    graph: &CornerGraph,
    tile: &Tile,
    component: Range<u32>,
    encoder: &mut RowEncoder,
    record_bytes: usize,
) -> RowBatch {
    if is_short(tile, graph) {
        bitmaps_with::<f32>(map, order, graph, tile, component, encoder, record_bytes)
    } else {
        bitmaps_with::<i32>(map, order, graph, tile, component, encoder, record_bytes)
    }
}

fn bitmaps_with<D: Distance>(
    map: &Map,
    order: &NodeOrder,
    graph: &CornerGraph,
    tile: &Tile,
    component: Range<u32>,
    encoder: &mut RowEncoder,
    record_bytes: usize,
) -> RowBatch {
    let costs = map.rules().costs;
    let mut field: Field<D> = Field::new(map, graph, tile);
    let mut found = vec![0; tile.lanes];
    let mut targets = order.cells[component.start as usize..component.end as usize].to_vec();
    targets.sort_unstable();
    let target_groups: Vec<&[Cell]> = targets.chunk_by(|a, b| a.0 / 8 == b.0 / 8).collect();
    // For every source and group of targets, eight bytes: one per direction, one bit per target.
    let mut bits = vec![0u64; tile.sources.len() * target_groups.len()];
    let mut moves = vec![0u8; 8 * tile.lanes];
    for (i, group) in target_groups.iter().enumerate() {
        moves.fill(0);
        for &target in *group {
            field.find(target);
            find_moves(tile, &field.low, costs, &mut found);
            let moves = &mut moves[(target.0 % 8) as usize * tile.lanes..][..tile.lanes];
            for (byte, &found) in moves.iter_mut().zip(&found) {
                *byte = found as u8;
            }
        }
        for (source, &(lane, _)) in tile.sources.iter().enumerate() {
            let bytes = std::array::from_fn(|k| moves[k * tile.lanes + lane as usize]);
            bits[source * target_groups.len() + i] = transposed(u64::from_le_bytes(bytes));
        }
    }
    let first_groups: Vec<u32> = target_groups.iter().map(|g| g[0].0 / 8).collect();
    let mut rows = RowBatch::default();
    for (&(_, source), bits) in tile.sources.iter().zip(bits.chunks(target_groups.len())) {
        encoder.set_planes(&first_groups, bits);
        let before = rows.data.len();
        encoder.encode_planes(source, &mut rows.data);
        rows.close_row(source, before, record_bytes);
    }
    rows
}

/// Turns eight bytes of eight bits over: bit `i` of byte `j` becomes bit `j` of byte `i`.
fn transposed(mut x: u64) -> u64 {
    for (shift, mask) in [
        (7, 0x00aa_00aa_00aa_00aa),
        (14, 0x0000_cccc_0000_cccc),
        (28, 0x0000_0000_f0f0_f0f0),
    ] {
        let swap = (x ^ (x >> shift)) & mask;
        x ^= swap ^ (swap << shift);
    }
    x
}

#[cfg(test)]
mod tests {
    use super::transposed;

    #[test]
    fn bits_are_turned_over() {
        for i in 0..8 {
            for j in 0..8 {
                assert_eq!(transposed(1 << (8 * j + i)), 1 << (8 * i + j));
            }
        }
    }
}
