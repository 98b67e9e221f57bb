//! Goes through all targets of a component and gathers the rows of all sources of a tile.

use super::super::encoding::RowEncoder;
use super::super::heuristic_move::side;
use super::super::order::NodeOrder;
use super::super::rows::RowBatch;
use super::super::run_lengths::{self, WILD, record};
use super::corners::CornerGraph;
use super::field::{Distance, Field, is_short};
use super::tile::Tile;
use crate::grid::Cell;
use crate::index::{BuildError, unless_cancelled};
use crate::map::Map;
use crate::progress::Progress;
use std::ops::Range;

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
}

/// Targets between two looks at whether to go on: some milliseconds.
const TARGETS_BETWEEN_LOOKS: u32 = 64;

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
                run_lengths::write(*record, &mut rows.data);
            }
        }
        rows
    }
}

/// Run-length rows of a tile.
pub(super) fn runs(
    map: &Map,
    order: &NodeOrder,
    graph: &CornerGraph,
    tile: &Tile,
    component: Range<u32>,
    progress: &dyn Progress,
) -> Result<RowBatch, BuildError> {
    if is_short(tile, graph) {
        runs_with::<f32>(map, order, graph, tile, component, progress)
    } else {
        runs_with::<i32>(map, order, graph, tile, component, progress)
    }
}

fn runs_with<D: Distance>(
    map: &Map,
    order: &NodeOrder,
    graph: &CornerGraph,
    tile: &Tile,
    component: Range<u32>,
    progress: &dyn Progress,
) -> Result<RowBatch, BuildError> {
    let stride = map.grid().stride();
    let mut field: Field<D> = Field::new(map, graph, tile);
    let mut runs = OpenRuns {
        tile,
        wild: tile.wild.clone(),
        open: vec![WILD; tile.lanes],
        starts: vec![component.start; tile.lanes],
        done: Vec::new(),
        mixed: vec![0; tile.lanes],
    };
    let mut side_before = None;
    for rank in component {
        if rank.is_multiple_of(TARGETS_BETWEEN_LOOKS) {
            unless_cancelled(progress)?;
        }
        let target = order.cells[rank as usize];
        let (x, y) = (target.0 % stride, target.0 / stride);
        let side = tile.side_of(x, y);
        // What has narrowed all runs narrows them no further.
        if !field.find(target) && side.is_some() && side == side_before {
            continue;
        }
        side_before = side;
        // A source itself is right with every move.
        let own = tile.lane(x, y);
        if let Some(lane) = own {
            runs.wild[lane] = WILD;
        }
        runs.go_on(field.moves(), x, y, rank);
        if let Some(lane) = own {
            runs.wild[lane] = tile.wild[lane];
        }
    }
    Ok(runs.finish())
}

/// Rows of a tile in an encoding that wants bitmaps of the whole component for each source.
pub(super) fn bitmaps(
    map: &Map,
    order: &NodeOrder,
    graph: &CornerGraph,
    tile: &Tile,
    component: Range<u32>,
    records: (&mut RowEncoder, usize),
    progress: &dyn Progress,
) -> Result<RowBatch, BuildError> {
    if is_short(tile, graph) {
        bitmaps_with::<f32>(map, order, graph, tile, component, records, progress)
    } else {
        bitmaps_with::<i32>(map, order, graph, tile, component, records, progress)
    }
}

fn bitmaps_with<D: Distance>(
    map: &Map,
    order: &NodeOrder,
    graph: &CornerGraph,
    tile: &Tile,
    component: Range<u32>,
    (encoder, record_bytes): (&mut RowEncoder, usize),
    progress: &dyn Progress,
) -> Result<RowBatch, BuildError> {
    let mut field: Field<D> = Field::new(map, graph, tile);
    let mut targets = order.cells[component.start as usize..component.end as usize].to_vec();
    targets.sort_unstable();
    let target_groups: Vec<&[Cell]> = targets.chunk_by(|a, b| a.0 / 8 == b.0 / 8).collect();
    // For every source and group of targets, eight bytes: one per direction, one bit per target.
    let mut bits = vec![0u64; tile.sources.len() * target_groups.len()];
    let mut moves = vec![0u8; 8 * tile.lanes];
    for (i, group) in target_groups.iter().enumerate() {
        unless_cancelled(progress)?;
        moves.fill(0);
        for &target in *group {
            field.find(target);
            let moves = &mut moves[(target.0 % 8) as usize * tile.lanes..][..tile.lanes];
            for (byte, &found) in moves.iter_mut().zip(field.moves()) {
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
        unless_cancelled(progress)?;
        encoder.set_planes(&first_groups, bits);
        let before = rows.data.len();
        encoder.encode_planes(source, &mut rows.data);
        rows.close_row(source, before, record_bytes);
    }
    Ok(rows)
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
