//! Goes through all targets of a component and finds the first-move sets of all sources of a tile.

use super::super::encoding::RowEncoder;
use super::super::heuristic_move::side;
use super::super::order::NodeOrder;
use super::super::rows::RowBatch;
use super::super::runs::{WILD, record};
use super::corners::{CornerGraph, FAR};
use super::tile::{CHUNK, Group, Tile};
use crate::cost::{Cost, CostPair};
use crate::grid::{Cell, Direction, Point};
use crate::map::Map;
use std::ops::Range;

/// The lowest 16 bits of the distances between one target and all lanes of a tile.
struct Field<'a> {
    map: &'a Map,
    graph: &'a CornerGraph,
    tile: &'a Tile,
    low: Vec<u16>,
    /// Rows of points that the tile covers.
    point_rows: Range<u32>,
}

impl<'a> Field<'a> {
    fn new(map: &'a Map, graph: &'a CornerGraph, tile: &'a Tile) -> Field<'a> {
        let rows = &tile.all_rows;
        Field {
            map,
            graph,
            tile,
            low: vec![0; tile.lanes],
            point_rows: rows.start.saturating_sub(1)..rows.end.saturating_sub(1),
        }
    }

    fn find(&mut self, target: Cell) {
        let lanes = self.tile.lanes;
        let edges = self.graph.edges_of(target);
        for (i, low) in self.low.chunks_exact_mut(CHUNK).enumerate() {
            let mut best = [FAR; CHUNK];
            for edge in edges {
                let row =
                    &self.tile.from_corners[edge.corner as usize * lanes + i * CHUNK..][..CHUNK];
                for k in 0..CHUNK {
                    best[k] = best[k].min(row[k] + edge.cost);
                }
            }
            for k in 0..CHUNK {
                low[k] = best[k] as u16;
            }
        }
        if self.graph.reaches_directly(target, self.tile) {
            self.fill_direct(target);
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

/// The moves of eight sources that get nearer to the target by their cost.
#[inline(always)]
fn optimal(low: &[u16], group: &Group, straight: u16, diagonal: u16) -> [u16; 8] {
    let window = |lane: u32| -> &[u16; 10] {
        low[lane as usize - 1..lane as usize + 9]
            .try_into()
            .expect("ten lanes")
    };
    let (up, here, down) = (window(group.above), window(group.lane), window(group.below));
    let mut moves = [0; 8];
    for k in 0..8 {
        let (s, d) = (
            here[k + 1].wrapping_sub(straight),
            here[k + 1].wrapping_sub(diagonal),
        );
        moves[k] = u16::from(up[k + 1] == s)
            | u16::from(up[k + 2] == d) << 1
            | u16::from(here[k + 2] == s) << 2
            | u16::from(down[k + 2] == d) << 3
            | u16::from(down[k + 1] == s) << 4
            | u16::from(down[k] == d) << 5
            | u16::from(here[k] == s) << 6
            | u16::from(up[k] == d) << 7;
    }
    moves
}

/// Groups that see the target on one side, or the group in the target's column, whose lanes see it on three.
enum Stretch<'a> {
    OneSide(&'a [Group], usize),
    Column(&'a Group, i32),
}

/// Cuts the groups with sources into stretches for a target at a column and row of the layout.
fn for_each_stretch(tile: &Tile, x: u32, y: u32, mut visit: impl FnMut(Stretch)) {
    let column = x / 8;
    let (first, last) = (&tile.work_columns.start, tile.work_columns.end);
    let dx = match () {
        () if column < *first => Some(-1),
        () if column >= last => Some(1),
        () => None,
    };
    let (top, bottom) = (tile.work_rows.first(), tile.work_rows.last());
    let dy = match () {
        () if top.is_some_and(|row| y < row.y) => Some(-1),
        () if bottom.is_some_and(|row| y > row.y) => Some(1),
        () => None,
    };
    if let (Some(dx), Some(dy)) = (dx, dy) {
        visit(Stretch::OneSide(&tile.work, side(dx, dy) as usize));
        return;
    }
    for row in &tile.work_rows {
        let groups = &tile.work[row.groups.clone()];
        let dy = (y as i32 - row.y as i32).signum();
        let before = groups.partition_point(|g| g.column < column);
        let after = before + usize::from(groups.get(before).is_some_and(|g| g.column == column));
        visit(Stretch::OneSide(&groups[..before], side(1, dy) as usize));
        if before < after {
            visit(Stretch::Column(&groups[before], dy));
        }
        visit(Stretch::OneSide(&groups[after..], side(-1, dy) as usize));
    }
}

/// The open runs of all sources of a tile.
struct OpenRuns<'a> {
    tile: &'a Tile,
    straight: u16,
    diagonal: u16,
    wild: Vec<u16>,
    moves: Vec<u16>,
    starts: Vec<u32>,
    /// Lane and record of finished runs.
    done: Vec<(u32, u32)>,
}

impl OpenRuns<'_> {
    /// Goes on to the target of a field.
    fn go_on(&mut self, low: &[u16], x: u32, y: u32, rank: u32) {
        let tile = self.tile;
        for_each_stretch(tile, x, y, |stretch| match stretch {
            Stretch::OneSide(groups, side) => {
                let heuristic = &tile.heuristic[side];
                for group in groups {
                    let lane = group.lane as usize;
                    let heuristic = heuristic[lane..lane + 8].try_into().expect("eight");
                    self.group(low, group, heuristic, rank);
                }
            }
            Stretch::Column(group, dy) => {
                let heuristic = std::array::from_fn(|k| {
                    let dx = (x % 8) as i32 - k as i32;
                    tile.heuristic[side(dx, dy) as usize][group.lane as usize + k]
                });
                self.group(low, group, &heuristic, rank);
            }
        });
    }

    #[inline(always)]
    fn group(&mut self, low: &[u16], group: &Group, heuristic: &[u16; 8], rank: u32) {
        let lane = group.lane as usize;
        let optimal = optimal(low, group, self.straight, self.diagonal);
        let legal: &[u16; 8] = self.tile.legal[lane..lane + 8].try_into().expect("eight");
        let wild: &[u16; 8] = self.wild[lane..lane + 8].try_into().expect("eight");
        let open: &mut [u16; 8] = (&mut self.moves[lane..lane + 8]).try_into().expect("eight");
        let before = *open;
        let mut moves = [0; 8];
        let mut cuts = 0;
        for k in 0..8 {
            let legal = optimal[k] & legal[k];
            let by_heuristic = u16::from(legal & heuristic[k] != 0) << 8;
            moves[k] = legal | by_heuristic | wild[k];
            open[k] = before[k] & moves[k];
            cuts |= u16::from(open[k] == 0);
        }
        if cuts != 0 {
            self.cut(lane, before, moves, rank);
        }
    }

    /// Closes the runs of a group that have no move left, and opens new ones.
    #[inline(never)]
    fn cut(&mut self, lane: usize, before: [u16; 8], moves: [u16; 8], rank: u32) {
        for k in (0..8).filter(|&k| before[k] & moves[k] == 0) {
            let at = lane + k;
            self.done
                .push((at as u32, record(self.starts[at], before[k])));
            self.starts[at] = rank;
            self.moves[at] = moves[k];
        }
    }

    /// All rows, in the order of sources.
    fn finish(mut self) -> RowBatch {
        for &(lane, _) in &self.tile.sources {
            let last = record(self.starts[lane as usize], self.moves[lane as usize]);
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
                rows.data.extend_from_slice(&record.to_le_bytes());
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
) -> RowBatch {
    let (stride, costs) = (map.grid().stride(), map.rules().costs);
    let mut field = Field::new(map, graph, tile);
    let mut open = OpenRuns {
        tile,
        straight: costs.straight() as u16,
        diagonal: costs.diagonal() as u16,
        wild: tile.wild.clone(),
        moves: vec![WILD; tile.lanes],
        starts: vec![component.start; tile.lanes],
        done: Vec::new(),
    };
    for rank in component {
        let target = order.cells[rank as usize];
        let (x, y) = (target.0 % stride, target.0 / stride);
        field.find(target);
        // A source itself is right with every move.
        let own = tile.lane(x, y);
        if let Some(lane) = own {
            open.wild[lane] = WILD;
        }
        open.go_on(&field.low, x, y, rank);
        if let Some(lane) = own {
            open.wild[lane] = tile.wild[lane];
        }
    }
    open.finish()
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
    let costs = map.rules().costs;
    let (straight, diagonal) = (costs.straight() as u16, costs.diagonal() as u16);
    let mut field = Field::new(map, graph, tile);
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
            let moves = &mut moves[(target.0 % 8) as usize * tile.lanes..][..tile.lanes];
            for group in &tile.work {
                let lane = group.lane as usize;
                let optimal = optimal(&field.low, group, straight, diagonal);
                for k in 0..8 {
                    moves[lane + k] = (optimal[k] & tile.legal[lane + k]) as u8;
                }
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
