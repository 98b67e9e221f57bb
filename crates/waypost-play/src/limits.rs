//! What connections may hold of the machine, counted in one place.
//!
//! A [`Share`] is a part of an amount that is there once for all connections; it comes back when the share is dropped.

use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Duration;
use waypost_lab::table::grouped;

/// Cells that a stretch of floor in a row counts as.
pub const CELLS_PER_STRETCH: u64 = 8;

/// What the server gives at most.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Limits {
    /// Worlds at once, one a tab.
    pub worlds: u64,
    /// Cells of one map.
    pub cells: u64,
    /// Cells of all maps together.
    pub all_cells: u64,
    /// Bytes of an uploaded file.
    pub upload_bytes: u64,
    /// Bytes of all uploads under way.
    pub all_upload_bytes: u64,
    /// Units of a crowd.
    pub units: u32,
    /// The time of one search.
    pub search: Duration,
    /// The time of building an index that a method or a layer needs.
    pub build: Duration,
    /// Bytes of all indexes of one world.
    pub index_bytes: u64,
}

impl Default for Limits {
    fn default() -> Limits {
        Limits {
            worlds: 16,
            cells: 100_000_000,
            all_cells: 220_000_000,
            upload_bytes: 128_000_000,
            all_upload_bytes: 256_000_000,
            units: 10_000,
            search: Duration::from_secs(8),
            build: Duration::from_secs(120),
            index_bytes: 4_000_000_000,
        }
    }
}

/// An amount that is there once.
#[derive(Debug)]
struct Pool {
    left: AtomicU64,
}

/// A part of an amount.
#[derive(Debug)]
pub struct Share {
    pool: Arc<Pool>,
    size: u64,
}

impl Share {
    /// Takes more to it; false where there is not so much left.
    pub fn grow(&mut self, more: u64) -> bool {
        let taken = take(&self.pool, more);
        self.size += if taken { more } else { 0 };
        taken
    }
}

impl Drop for Share {
    fn drop(&mut self) {
        self.pool.left.fetch_add(self.size, Ordering::Relaxed);
    }
}

fn take(pool: &Pool, size: u64) -> bool {
    let rest = |left: u64| left.checked_sub(size);
    let updated = pool
        .left
        .fetch_update(Ordering::Relaxed, Ordering::Relaxed, rest);
    updated.is_ok()
}

/// The limits and what is left of them.
#[derive(Clone, Debug)]
pub struct Ledger {
    /// The limits.
    pub limits: Limits,
    worlds: Arc<Pool>,
    cells: Arc<Pool>,
    uploads: Arc<Pool>,
}

impl Ledger {
    /// Nothing is taken yet.
    pub fn new(limits: Limits) -> Ledger {
        let pool = |size: u64| {
            Arc::new(Pool {
                left: AtomicU64::new(size),
            })
        };
        Ledger {
            limits,
            worlds: pool(limits.worlds),
            cells: pool(limits.all_cells),
            uploads: pool(limits.all_upload_bytes),
        }
    }

    fn share(pool: &Arc<Pool>, size: u64) -> Option<Share> {
        take(pool, size).then(|| Share {
            pool: pool.clone(),
            size,
        })
    }

    /// A world of a connection.
    pub fn world(&self) -> Option<Share> {
        Ledger::share(&self.worlds, 1)
    }

    /// The cells of a map, or why it cannot be had.
    pub fn cells(&self, width: u32, height: u32) -> Result<Share, String> {
        let cells = u64::from(width) * u64::from(height);
        let most = self.limits.cells;
        if cells > most {
            return Err(format!(
                "the map has {width} x {height} cells; the playground takes up to {}",
                grouped(most as i64)
            ));
        }
        Ledger::share(&self.cells, cells).ok_or_else(|| {
            format!(
                "all tabs together have room for {} cells, and the others leave less than {width} x {height}; close one of them",
                self.limits.all_cells
            )
        })
    }

    /// The same for a map whose rows have so many stretches of floor and doors, each of which counts as [`CELLS_PER_STRETCH`] cells: a
    /// map of many parts takes more memory than one of few.
    pub fn map(&self, (width, height): (u32, u32), stretches: u64) -> Result<Share, String> {
        let cells = u64::from(width) * u64::from(height);
        let weight = stretches.saturating_mul(CELLS_PER_STRETCH);
        let most = self.limits.cells;
        if cells <= most && weight > most {
            return Err(format!(
                "the map of {width} x {height} cells has {stretches} stretches of floor and doors; the playground takes up to {}",
                most / CELLS_PER_STRETCH
            ));
        }
        let mut share = self.cells(width, height)?;
        match share.grow(weight.saturating_sub(cells)) {
            true => Ok(share),
            false => Err(format!(
                "all tabs together have room for {} cells, and the others leave less than this map takes; close one of them",
                self.limits.all_cells
            )),
        }
    }

    /// Room for an upload, which grows as its bytes come in; or why it is refused.
    pub fn upload(&self, bytes: u64) -> Result<Share, String> {
        let most = self.limits.upload_bytes;
        if bytes > most {
            return Err(format!(
                "the file has {bytes} bytes; the playground takes up to {most} bytes"
            ));
        }
        Ledger::share(&self.uploads, 0).ok_or_else(|| "no room for uploads".to_string())
    }

    /// Worlds, cells and bytes of uploads that are taken.
    pub fn taken(&self) -> [u64; 3] {
        let left = |pool: &Pool| pool.left.load(Ordering::Relaxed);
        [
            self.limits.worlds - left(&self.worlds),
            self.limits.all_cells - left(&self.cells),
            self.limits.all_upload_bytes - left(&self.uploads),
        ]
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn shares_come_back() {
        let ledger = Ledger::new(Limits {
            worlds: 2,
            cells: 100,
            all_cells: 150,
            ..Limits::default()
        });
        let first = ledger.world();
        let second = ledger.world();
        assert!(first.is_some() && second.is_some() && ledger.world().is_none());
        drop(first);
        assert!(ledger.world().is_some());
        assert!(ledger.cells(11, 10).is_err());
        let some = ledger.cells(10, 10).expect("there is room");
        assert!(ledger.cells(10, 10).is_err());
        drop(some);
        // A map of many parts weighs more than its cells.
        assert!(ledger.map((10, 10), 13).is_err());
        let some = ledger.map((9, 9), 12).expect("there is room");
        assert_eq!(ledger.taken()[1], 96);
        assert!(ledger.map((5, 5), 7).is_err());
        drop(some);
        let mut upload = ledger.upload(5).expect("small");
        assert!(upload.grow(5) && ledger.taken()[2] == 5);
        drop(upload);
        assert!(ledger.upload(u64::MAX).is_err());
        drop(second);
        assert_eq!(ledger.taken(), [0, 0, 0]);
    }
}
