//! Records that a patch has made unusable: those with a climb that does not arrive any more.
//!
//! A climb from one state of a record to the next stays nearer to the latter than it began. So only records with a state
//! near a change are climbed again, the others are as they were; and those that had been marked before, because walls
//! may be gone. The work is cut into slices: until it is done agents go on with the old marks, and find out by climbing.

use super::SubgoalDatabase;
use crate::grid::{ChangeSet, Point};
use crate::index::Index;
use crate::index::slot::RepairJob;
use crate::map::Map;
use crate::search::climb;
use crate::space::Space;
use std::sync::Arc;

/// Which records are unusable, one bit each.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Marks(Vec<u64>);

impl Marks {
    /// Is the record unusable? False where nothing was marked.
    #[inline]
    pub fn contains(&self, record: u32) -> bool {
        let word = self.0.get(record as usize / 64);
        word.is_some_and(|word| word >> (record % 64) & 1 != 0)
    }

    /// How many are.
    pub fn len(&self) -> usize {
        self.0.iter().map(|word| word.count_ones() as usize).sum()
    }

    /// Whether there is none at all.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    fn set(&mut self, records: usize, record: u32, unusable: bool) {
        if unusable {
            self.0.resize(records.div_ceil(64), 0);
        }
        if let Some(word) = self.0.get_mut(record as usize / 64) {
            let bit = 1 << (record % 64);
            *word = if unusable { *word | bit } else { *word & !bit };
        }
    }
}

/// Marks the records that a patch has touched.
#[derive(Clone)]
pub(super) struct Marking {
    database: Arc<SubgoalDatabase>,
    /// The rectangles of the patches that this pass is about.
    touched: Vec<(Point, Point)>,
    /// Those that came while it was under way: the next pass.
    later: Vec<(Point, Point)>,
    marks: Marks,
    next: u32,
}

impl Marking {
    pub fn new(database: Arc<SubgoalDatabase>, map: &Map, changes: &ChangeSet) -> Marking {
        let mut marking = Marking {
            marks: database.records.marks().clone(),
            database,
            touched: Vec::new(),
            later: Vec::new(),
            next: 0,
        };
        marking.map_changed(map, changes);
        marking
    }

    /// Climbs a record again if a change may matter to it; counts operations.
    fn check(&mut self, map: &Map, record: u32) -> u64 {
        let records = self.database.records.clone();
        let slices = records.slices();
        let states = slices.state_count(record);
        let marked = self.marks.contains(record);
        let mut operations = u64::from(states);
        let mut usable = true;
        for i in 1..states {
            let (from, to) = (slices.state(record, i - 1), slices.state(record, i));
            if !marked && !self.may_matter(map, from, to) {
                continue;
            }
            let passable = map.grid().is_passable(from) && map.grid().is_passable(to);
            let climb = passable.then(|| climb::climb_on(map, from, to, u32::MAX));
            operations += climb.map_or(1, |climb| u64::from(climb.steps));
            usable = climb.is_some_and(|climb| climb.reached);
            if !usable {
                break;
            }
        }
        self.marks.set(records.len(), record, !usable);
        operations
    }

    /// Whether a change lies as near to `to` as `from` does, or next to such a cell.
    fn may_matter(&self, map: &Map, from: crate::grid::Cell, to: crate::grid::Cell) -> bool {
        let costs = map.least_steps();
        let reach = map.heuristic(from, to) + map.max_step_cost();
        let at = map.grid().point(to);
        self.touched.iter().any(|&(least, most)| {
            let beside =
                |v: u32, least: u32, most: u32| least.saturating_sub(v).max(v.saturating_sub(most));
            let dx = beside(at.x, least.x, most.x);
            let dy = beside(at.y, least.y, most.y);
            costs.octile(dx, dy) <= reach
        })
    }
}

impl RepairJob for Marking {
    fn fork(&self) -> Box<dyn RepairJob> {
        Box::new(self.clone())
    }

    fn map_changed(&mut self, map: &Map, changes: &ChangeSet) {
        let points = changes.blocked.iter().chain(&changes.opened);
        let points = points.map(|&cell| map.grid().point(cell));
        let around = points.fold(None, |around: Option<(Point, Point)>, p| {
            let (least, most) = around.unwrap_or((p, p));
            let least = Point {
                x: least.x.min(p.x),
                y: least.y.min(p.y),
            };
            let most = Point {
                x: most.x.max(p.x),
                y: most.y.max(p.y),
            };
            Some((least, most))
        });
        if self.next == 0 {
            self.touched.extend(around);
        } else {
            self.later.extend(around);
        }
    }

    fn is_done(&self) -> bool {
        self.touched.is_empty()
    }

    fn advance(&mut self, map: &Map, operations: u64) -> Option<Arc<dyn Index>> {
        let mut spent = 0;
        let records = self.database.records.len() as u32;
        while self.next < records {
            if spent >= operations {
                return None;
            }
            spent += self.check(map, self.next);
            self.next += 1;
        }
        self.database = Arc::new(self.database.with_marks(self.marks.clone()));
        self.touched = std::mem::take(&mut self.later);
        self.next = 0;
        Some(self.database.clone())
    }
}
