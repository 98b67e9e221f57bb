//! Rows as tables: one move per target, four bits each, nothing compressed (the paper's UPD). For small maps, and to
//! measure compression against.

use super::planes::Planes;
use crate::grid::{Cell, Direction, Directions};

/// Bytes of a row in a component of this size.
pub(crate) fn row_bytes(component_size: usize) -> usize {
    component_size.div_ceil(2)
}

/// Appends a row: targets in the order of their ranks. The source itself has the entry 8, which no look-up asks for.
pub(crate) fn encode(planes: &Planes, targets: &[Cell], out: &mut Vec<u8>) {
    let entry = |cell: Cell| planes.set(cell).0.trailing_zeros() as u8;
    for pair in targets.chunks(2) {
        let high = pair.get(1).map_or(0, |&cell| entry(cell));
        out.push(entry(pair[0]) | high << 4);
    }
}

/// The entry of the target with this number in its component.
#[inline]
pub(crate) fn look_up(row: &[u8], number: u32) -> Option<u32> {
    let byte = u32::from(*row.get((number / 2) as usize)?);
    Some(byte >> (4 * (number & 1)) & 15).filter(|&entry| entry < 8)
}

/// Whether this is the row of the source with this number, with legal moves for all other targets.
pub(crate) fn is_valid(row: &[u8], component_size: usize, number: u32, legal: Directions) -> bool {
    row.len() == row_bytes(component_size)
        && (0..component_size as u32).all(|target| match look_up(row, target) {
            Some(entry) => target != number && legal.contains(Direction::from_number(entry as u8)),
            None => target == number,
        })
}
