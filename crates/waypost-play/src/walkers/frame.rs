//! Frames of units: a head of 64 bytes, the cells of all units, what the followed one is going to walk, the latest ticks, and a byte of
//! state for every unit. Ten thousand units take 53 kB.

use super::Walkers;
use crate::protocol::tell::{Kind, head};
use waypost::Point;
use waypost::crowd::Status;
use waypost::navigator::Unit;

/// Bytes before the cells.
pub const HEAD: usize = 64;
/// The most cells of the followed unit's way.
const MAX_AHEAD: usize = 512;

/// An empty frame with room for its head.
pub fn begin(units: usize) -> Vec<u8> {
    let mut frame = Vec::with_capacity(HEAD + units * 5 + MAX_AHEAD * 4 + 1024);
    frame.extend_from_slice(&head(Kind::Units));
    frame.resize(HEAD, 0);
    frame
}

/// Adds where a unit stands: its cell, counted row by row.
#[inline]
pub fn add_cell(frame: &mut Vec<u8>, at: Point, width: u32) {
    frame.extend_from_slice(&(at.y * width + at.x).to_le_bytes());
}

/// What a unit is doing (bits 4 to 6) and the direction of its last step (bits 0 to 3; 8 for none).
#[inline]
pub fn state(unit: &Unit) -> u8 {
    let status = match unit.status() {
        Status::Idle => 0,
        Status::Moving => 1,
        Status::Arrived => 2,
        Status::Unreachable { .. } => 3,
        Status::Blocked => 4,
        Status::Holding => 5,
        Status::Waiting { .. } => 6,
        Status::Stuck { .. } => 7,
    };
    let heading = unit.heading().map_or(8, |direction| direction as u8);
    status << 4 | heading
}

impl Walkers {
    /// Fills the head in and adds what follows the cells, but for the history.
    pub(super) fn finish(&mut self, mut frame: Vec<u8>) -> Vec<u8> {
        let ahead = self.cells_ahead();
        let units = self.states.len() as u64;
        let bound = self.bound.map_or(0.0, |bound| bound as f64 * units as f64);
        let mut put = |at: usize, bytes: &[u8]| frame[at..at + bytes.len()].copy_from_slice(bytes);
        put(2, &(units as u16).to_le_bytes());
        put(4, &self.epoch.to_le_bytes());
        put(8, &self.ticks.to_le_bytes());
        put(16, &self.gauge.efficiency().to_le_bytes());
        put(20, &(self.arrivals as u32).to_le_bytes());
        put(24, &(self.last.waits as u32).to_le_bytes());
        put(28, &(self.last.provisional as u32).to_le_bytes());
        put(32, &(self.crowd.planning() as u32).to_le_bytes());
        put(36, &(self.last.moves as u32).to_le_bytes());
        put(40, &bound.to_le_bytes());
        put(48, &(self.plan_operations as u32).to_le_bytes());
        put(52, &self.mean_micros().to_le_bytes());
        put(56, &(ahead.len() as u32).to_le_bytes());
        let followed = self.followed.map_or(u32::MAX, u32::from);
        put(60, &followed.to_le_bytes());
        for cell in ahead {
            frame.extend_from_slice(&cell.to_le_bytes());
        }
        frame
    }

    /// Adds the latest ticks, and the states as the last and least aligned of all.
    pub(super) fn with_history(&mut self, mut frame: Vec<u8>) -> Vec<u8> {
        frame[12..16].copy_from_slice(&(self.history.len() as u32).to_le_bytes());
        for (micros, operations) in self.history.drain(..) {
            frame.extend_from_slice(&micros.to_le_bytes());
            frame.extend_from_slice(&operations.to_le_bytes());
        }
        frame.extend_from_slice(&self.states);
        frame
    }

    fn mean_micros(&self) -> f32 {
        (self.spent.0 / self.spent.1.max(1) as f64) as f32
    }

    fn cells_ahead(&self) -> Vec<u32> {
        let unit = self
            .followed
            .and_then(|unit| self.ids.get(usize::from(unit)));
        let ahead = unit.and_then(|&unit| self.crowd.path_ahead(unit).ok());
        let ahead = ahead.unwrap_or_default().into_iter().take(MAX_AHEAD);
        ahead.map(|at| at.y * self.width + at.x).collect()
    }
}
