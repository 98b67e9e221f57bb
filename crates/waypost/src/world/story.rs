//! What has become of a world, so that it can be brought back: [`World::mark`] and [`World::return_to`].
//!
//! Half-made repairs are not copied. They follow from what was done since the indexes were in step with the map last, and no
//! map or index has to be copied for that moment either: a map is known by the cells in which it differs from the one that the world
//! began with, and indexes are shared. So a mark is that moment and the **deeds** since, which are done again on return. A
//! mark that is taken while all is in step, as nearly always, has no deeds.
//!
//! A mark read from bytes has no indexes to share: those that the world began with are brought in step again, which gives the
//! same ones, because a finished repair equals a build. Where an index was replaced or rebuilt it does not, and the mark is refused.

use super::World;
use crate::grid::{Cell, ChangeSet};
use crate::index::Index;
use crate::map::{Journal, Map};
use crate::stream::{Reader, Writer};
use std::collections::BTreeSet;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

/// Deeds that are remembered, and the cells of all patches among them. A world that is out of step for longer cannot be marked until
/// it is in step again.
const MAX_DEEDS: usize = 1 << 16;
const MAX_CELLS: usize = 1 << 20;

/// Something that was done to a world.
#[derive(Clone, Debug)]
enum Deed {
    Patch(Arc<ChangeSet>),
    /// Upkeep of so many operations, so many times in a row.
    Upkeep(u64, u32),
}

/// The moment when all was in step last, and what was done since.
#[derive(Clone, Debug)]
struct Story {
    /// The map that the world began with.
    base: u64,
    /// Cells in which the map differs from that: at the moment, and now.
    then: Arc<BTreeSet<Cell>>,
    now: BTreeSet<Cell>,
    /// The indexes of the moment, in the order of slots; none before it came for the first time.
    indexes: Option<Vec<Kept>>,
    deeds: Vec<Deed>,
    cells: usize,
    is_in_step: bool,
    /// Whether something was done that cannot be done again, or too much.
    is_lost: bool,
}

/// The index of a slot.
#[derive(Clone, Debug)]
struct Kept {
    kind: u32,
    /// The map that it says it is of.
    fingerprint: u64,
    records: u64,
    /// Shared within the process.
    index: Option<(Arc<dyn Index>, bool)>,
}

/// A state of a world to return to.
#[derive(Clone, Debug)]
pub struct Mark {
    story: Story,
    /// The map of the moment that the mark was made at.
    fingerprint: u64,
    journal: Journal,
    /// Ids of its cells are below this bound.
    id_bound: usize,
}

/// Why a world cannot be marked or returned to a mark.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum MarkError {
    /// An index is being rebuilt or was replaced, or repairs have lagged behind patches for too long.
    #[error(
        "the indexes cannot be brought back to where they are now: one is being rebuilt or was replaced, or patches have come faster than repairs for long; try again when all indexes are current"
    )]
    OutOfStep,
    /// It is of a world that began with another map.
    #[error(
        "it belongs to another map: that world began with {found:016x}, this one with {expected:016x}"
    )]
    OtherMap {
        /// The map that this world began with.
        expected: u64,
        /// That of the mark.
        found: u64,
    },
    /// Its indexes are not those of this world.
    #[error(
        "it was made with other indexes than this world has; open the world with the same file"
    )]
    OtherIndexes,
    /// The deeds do not lead to the map that it says.
    #[error("it is damaged: its changes lead to another map than it says")]
    Damaged,
}

/// The story of a world under its lock.
#[derive(Debug)]
pub(super) struct Book(Mutex<Story>);

impl Book {
    pub fn new(map: &Map) -> Book {
        Book(Mutex::new(Story {
            base: map.fingerprint(),
            then: Arc::default(),
            now: BTreeSet::new(),
            indexes: None,
            deeds: Vec::new(),
            cells: 0,
            is_in_step: false,
            is_lost: false,
        }))
    }

    fn story(&self) -> MutexGuard<'_, Story> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// A patch was made.
    pub fn patched(&self, changes: &ChangeSet) {
        let mut story = self.story();
        toggle(&mut story.now, changes);
        story.is_in_step = false;
        story.cells += changes.len();
        story.add(Deed::Patch(Arc::new(changes.clone())));
    }

    /// Upkeep was done; `is_lost` says whether it cannot be done again.
    pub fn kept_up(&self, operations: u64, is_lost: bool) {
        let mut story = self.story();
        if is_lost {
            story.lose();
        } else if !story.is_in_step {
            match story.deeds.last_mut() {
                Some(Deed::Upkeep(same, times)) if *same == operations && *times < u32::MAX => {
                    *times += 1;
                }
                _ => story.add(Deed::Upkeep(operations, 1)),
            }
        }
    }
}

impl Story {
    fn add(&mut self, deed: Deed) {
        if self.is_lost {
            return;
        }
        self.deeds.push(deed);
        if self.deeds.len() > MAX_DEEDS || self.cells > MAX_CELLS {
            self.lose();
        }
    }

    fn lose(&mut self) {
        (self.is_lost, self.is_in_step, self.cells) = (true, false, 0);
        self.deeds = Vec::new();
    }
}

impl World {
    /// All that follows the map is in step with it: says a crowd after its upkeep.
    pub(crate) fn note_in_step(&self) {
        let indexes = self.indexes();
        let mut story = self.book.story();
        if story.is_in_step || indexes.slots().any(|slot| slot.is_busy()) {
            return;
        }
        let kept = indexes.slots().map(|slot| Kept::of(&slot.kept()));
        *story = Story {
            base: story.base,
            then: Arc::new(story.now.clone()),
            now: std::mem::take(&mut story.now),
            indexes: Some(kept.collect()),
            deeds: Vec::new(),
            cells: 0,
            is_in_step: true,
            is_lost: false,
        };
    }

    /// An index was replaced by hand: until all is in step again the world cannot be marked.
    pub(super) fn note_replaced(&self) {
        self.book.story().lose();
    }

    /// The state of map and indexes, to return to.
    pub fn mark(&self) -> Result<Mark, MarkError> {
        let (map, indexes) = (self.map(), self.indexes());
        let story = self.book.story();
        if story.is_lost || indexes.slots().any(|slot| slot.is_rebuilding()) {
            return Err(MarkError::OutOfStep);
        }
        Ok(Mark {
            story: Story {
                now: BTreeSet::new(),
                ..story.clone()
            },
            fingerprint: map.fingerprint(),
            journal: map.journal().clone(),
            id_bound: map.grid().id_bound(),
        })
    }

    /// Brings map and indexes back to a mark of this world, or of another that began with the same map and indexes. `keep_up` carries
    /// on what else follows the map, each time that upkeep is done: what it did then, it does again.
    pub(crate) fn return_to(
        &self,
        mark: &Mark,
        keep_up: &mut dyn FnMut(&Map, u64),
    ) -> Result<(), MarkError> {
        let (story, expected) = (&mark.story, self.book.story().base);
        if story.base != expected || mark.id_bound != self.map().grid().id_bound() {
            return Err(MarkError::OtherMap {
                expected,
                found: story.base,
            });
        }
        if self.is_at(mark) {
            return Ok(());
        }
        let indexes = story.indexes.as_deref();
        let shared: Option<Vec<_>> =
            indexes.and_then(|kept| kept.iter().map(|kept| kept.index.clone()).collect());
        // Those that the world began with where there are none to share.
        let begins_anew = shared.is_none();
        if begins_anew {
            self.become_map(&BTreeSet::new());
            self.indexes().restart(&self.map());
        }
        self.become_map(&story.then);
        if let Some(shared) = shared {
            self.indexes().put_back(&self.map(), shared);
        }
        if indexes.is_some() || !begins_anew {
            while self.indexes().slots().any(|slot| slot.is_busy()) {
                self.indexes().advance(&self.map(), u64::MAX, true);
            }
        }
        self.indexes().catch_up(&self.map());
        keep_up(&self.map(), u64::MAX);
        if let Some(kept) = indexes {
            let now: Vec<Kept> = self
                .indexes()
                .slots()
                .map(|s| Kept::of(&s.kept()))
                .collect();
            let same = |(a, b): (&Kept, &Kept)| a.is_like(b);
            if kept.len() > now.len() || !kept.iter().zip(&now).all(same) {
                return Err(MarkError::OtherIndexes);
            }
        }
        for deed in &story.deeds {
            match deed {
                Deed::Patch(changes) => {
                    let patch = changes.to_patch(self.map().grid());
                    self.patch(&patch);
                }
                Deed::Upkeep(operations, times) => {
                    for _ in 0..*times {
                        self.advance(*operations, true);
                        keep_up(&self.map(), *operations);
                    }
                }
            }
        }
        let mut map = self.map.write().unwrap_or_else(PoisonError::into_inner);
        map.set_journal(mark.journal.clone());
        drop(map);
        if self.map().fingerprint() != mark.fingerprint {
            return Err(MarkError::Damaged);
        }
        let mut now = (*story.then).clone();
        for deed in &story.deeds {
            if let Deed::Patch(changes) = deed {
                toggle(&mut now, changes);
            }
        }
        *self.book.story() = Story {
            now,
            ..story.clone()
        };
        Ok(())
    }

    /// Whether nothing has changed since the mark was made in this very world.
    fn is_at(&self, mark: &Mark) -> bool {
        let (map, indexes) = (self.map(), self.indexes());
        let story = self.book.story();
        let same = |kept: &Vec<Kept>| {
            let now = indexes.slots().map(|slot| slot.kept().0);
            kept.iter().zip(now).all(|(kept, now)| {
                kept.index
                    .as_ref()
                    .is_some_and(|(then, _)| Arc::ptr_eq(then, &now))
            })
        };
        story.is_in_step
            && mark.story.is_in_step
            && map.fingerprint() == mark.fingerprint
            && mark.story.indexes.as_ref().is_some_and(same)
            && *map.journal() == mark.journal
    }

    /// Makes the map differ from the one that the world began with in these cells and no others.
    fn become_map(&self, cells: &BTreeSet<Cell>) {
        let now = self.book.story().now.clone();
        let mut changes = ChangeSet::default();
        let map = self.map();
        for &cell in now.symmetric_difference(cells) {
            match map.grid().is_passable(cell) {
                true => changes.blocked.push(cell),
                false => changes.opened.push(cell),
            }
        }
        let patch = changes.to_patch(map.grid());
        drop(map);
        self.patch(&patch);
    }
}

fn toggle(cells: &mut BTreeSet<Cell>, changes: &ChangeSet) {
    for &cell in changes.blocked.iter().chain(&changes.opened) {
        if !cells.remove(&cell) {
            cells.insert(cell);
        }
    }
}

impl Kept {
    fn of((index, is_stale): &(Arc<dyn Index>, bool)) -> Kept {
        Kept {
            kind: index.kind() as u32,
            fingerprint: index.identity().fingerprint,
            records: index.records(),
            index: Some((index.clone(), *is_stale)),
        }
    }

    /// Whether both can be taken for the same: builds and finished repairs of one map are.
    fn is_like(&self, other: &Kept) -> bool {
        (self.kind, self.fingerprint, self.records)
            == (other.kind, other.fingerprint, other.records)
    }
}

impl Mark {
    /// Writes it down for another process; indexes are named, not written.
    pub(crate) fn save(&self, out: &mut Writer) {
        let story = &self.story;
        out.u64(self.id_bound as u64);
        out.u64(story.base);
        out.u64(self.fingerprint);
        out.u32s(story.then.iter().map(|cell| cell.0));
        out.u8(u8::from(story.is_in_step));
        out.u8(u8::from(story.indexes.is_some()));
        let kept = story.indexes.as_deref().unwrap_or_default();
        out.u64(kept.len() as u64);
        for kept in kept {
            out.u32(kept.kind);
            out.u64(kept.fingerprint);
            out.u64(kept.records);
        }
        out.u64(story.deeds.len() as u64);
        for deed in &story.deeds {
            match deed {
                Deed::Patch(changes) => {
                    out.u8(0);
                    out.cells(&changes.blocked);
                    out.cells(&changes.opened);
                }
                Deed::Upkeep(operations, times) => {
                    out.u8(1);
                    out.u64(*operations);
                    out.u32(*times);
                }
            }
        }
        self.journal.save(out);
    }

    /// Reads what [`Mark::save`] wrote; `None` where it is none.
    pub(crate) fn load(from: &mut Reader) -> Option<Mark> {
        let id_bound = usize::try_from(from.u64()?).ok()?;
        let (base, fingerprint) = (from.u64()?, from.u64()?);
        let then = from.cells(id_bound)?.into_iter().collect();
        let (is_in_step, has_indexes) = (from.u8()? != 0, from.u8()? != 0);
        let mut indexes = Vec::new();
        for _ in 0..from.count(20)? {
            indexes.push(Kept {
                kind: from.u32()?,
                fingerprint: from.u64()?,
                records: from.u64()?,
                index: None,
            });
        }
        let (mut deeds, mut cells) = (Vec::new(), 0);
        for _ in 0..from.count(13)? {
            deeds.push(match from.u8()? {
                0 => {
                    let blocked = from.cells(id_bound)?;
                    let opened = from.cells(id_bound)?;
                    cells += blocked.len() + opened.len();
                    Deed::Patch(Arc::new(ChangeSet { blocked, opened }))
                }
                1 => Deed::Upkeep(from.u64()?, from.u32()?),
                _ => return None,
            });
        }
        Some(Mark {
            story: Story {
                base,
                then: Arc::new(then),
                now: BTreeSet::new(),
                indexes: has_indexes.then_some(indexes),
                deeds,
                cells,
                is_in_step,
                is_lost: false,
            },
            fingerprint,
            journal: Journal::load(from, id_bound)?,
            id_bound,
        })
    }
}
