//! What has become of a world, so that it can be brought back: [`World::mark`] and [`World::return_to`].
//!
//! Half-made repairs are not copied. They follow from what was done since the indexes were in step with the map last, and no
//! map or index has to be copied for that moment either: a map is known by the cells in which it differs from the one that the world
//! began with, and indexes are shared. So a mark is that moment and the **deeds** since, which are done again on return. A
//! mark that is taken while all is in step, as nearly always, has no deeds.
//!
//! A mark read from bytes has no indexes to share: those that the world began with are brought in step again, which gives the
//! same ones, because a finished repair equals a build, and those that were rebuilt are built again for the map that they were built for. Where an index
//! was replaced by hand it is not the same, and the mark is refused.

use super::World;
use crate::grid::{Cell, ChangeSet, GridPatch};
use crate::index::slot::{Held, Slot};
use crate::map::{Journal, Map};
use crate::progress::NoProgress;
use std::collections::BTreeSet;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

mod mark;

/// Deeds that are remembered, and the cells of all patches among them. A world that is out of step for longer cannot be marked until
/// it is in step again.
const MAX_DEEDS: usize = 1 << 16;
const MAX_CELLS: usize = 1 << 20;

/// Maps whose rebuilds may be under way at a time.
const MAX_UNDER_WAY: usize = 64;

/// Marks a cell in a difference of maps as one that is a door in one of them alone. Ids of cells are below it.
const IS_DOOR: u32 = 1 << 31;

/// Something that was done to a world.
#[derive(Clone, Debug)]
enum Deed {
    Patch(Arc<ChangeSet>),
    /// Cells became doors, or none.
    Doors(Arc<[Cell]>),
    /// Upkeep of this many operations, this many times in a row.
    Upkeep(u64, u32),
}

/// The moment when all was in step last, and what was done since.
#[derive(Clone, Debug)]
struct Story {
    /// The map that the world began with.
    base: u64,
    /// Cells in which the map differs from that, doors marked by [`IS_DOOR`]: at the moment, and now.
    then: Arc<BTreeSet<Cell>>,
    now: BTreeSet<Cell>,
    /// The indexes of the moment, in the order of slots; none before it came for the first time.
    indexes: Option<Vec<Kept>>,
    deeds: Vec<Deed>,
    cells: usize,
    /// The maps that rebuilds were begun for: what identifies each in files, and the cells in which it differs from the first.
    rebuilt: Vec<(u64, Arc<BTreeSet<Cell>>)>,
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
    /// The map that it was built for, before repairs.
    built_for: u64,
    records: u64,
    /// Shared within the process.
    index: Option<Held>,
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
            rebuilt: Vec::new(),
            is_in_step: false,
            is_lost: false,
        }))
    }

    fn story(&self) -> MutexGuard<'_, Story> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// A rebuild is begun for the map as it is; the maps that indexes were built for are `built_for`.
    pub fn rebuilds(&self, map: &Map, built_for: &[u64]) {
        let (mut story, name) = (self.story(), map.file_fingerprint());
        // Of maps that no index here is of, and none that is being built, nobody will ask.
        let in_story = story.indexes.iter().flatten().map(|kept| kept.built_for);
        let asked_for: Vec<u64> = in_story.chain(built_for.iter().copied()).collect();
        let old = story.rebuilt.len().saturating_sub(MAX_UNDER_WAY);
        let mut at = 0;
        story.rebuilt.retain(|(map, _)| {
            at += 1;
            at > old || asked_for.contains(map)
        });
        if story.rebuilt.iter().all(|(known, _)| *known != name) {
            let cells = Arc::new(story.now.clone());
            story.rebuilt.push((name, cells));
        }
    }

    /// A patch was made.
    pub fn patched(&self, changes: &ChangeSet) {
        let mut story = self.story();
        toggle(&mut story.now, changes);
        story.is_in_step = false;
        story.cells += changes.len();
        story.add(Deed::Patch(Arc::new(changes.clone())));
    }

    /// Cells became doors, or none.
    pub(crate) fn doors_toggled(&self, cells: &[Cell]) {
        let mut story = self.story();
        toggle_doors(&mut story.now, cells);
        story.is_in_step = false;
        story.cells += cells.len();
        story.add(Deed::Doors(cells.into()));
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

impl Clone for Book {
    fn clone(&self) -> Book {
        Book(Mutex::new(self.story().clone()))
    }
}

impl World {
    /// The map that the world began with.
    pub(crate) fn first_map(&self) -> Map {
        let mut map = Map::clone(&self.map());
        let changed = self.book.story().now.clone();
        let (patch, doors) = flips(&map, changed.iter());
        map.toggle_doors(&doors);
        map.apply(&patch);
        map
    }

    /// All that follows the map is in step with it: says a crowd after its upkeep.
    pub(crate) fn note_in_step(&self) {
        let indexes = self.indexes();
        let mut story = self.book.story();
        if story.is_in_step || indexes.slots().any(|slot| slot.is_busy()) {
            return;
        }
        let kept: Vec<Kept> = indexes.slots().map(|slot| Kept::of(slot.kept())).collect();
        let mut rebuilt = std::mem::take(&mut story.rebuilt);
        rebuilt.retain(|(map, _)| kept.iter().any(|kept| kept.built_for == *map));
        *story = Story {
            base: story.base,
            then: Arc::new(story.now.clone()),
            now: std::mem::take(&mut story.now),
            indexes: Some(kept),
            rebuilt,
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

    /// Refuses a mark of a world that began with another map.
    pub(crate) fn fits(&self, mark: &Mark) -> Result<(), MarkError> {
        let (expected, found) = (self.book.story().base, mark.story.base);
        if found != expected || mark.id_bound != self.map().grid().id_bound() {
            return Err(MarkError::OtherMap { expected, found });
        }
        Ok(())
    }

    /// Brings map and indexes back to a mark of this world, or of another that began with the same map and indexes. `keep_up` carries
    /// on what else follows the map, each time that upkeep is done: what it did then, it does again.
    pub(crate) fn return_to(
        &self,
        mark: &Mark,
        keep_up: &mut dyn FnMut(&Map, u64),
    ) -> Result<(), MarkError> {
        self.fits(mark)?;
        let story = &mark.story;
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
            self.rebuild_as(story);
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
            let now = self
                .indexes()
                .slots()
                .map(|slot| Kept::of(slot.kept()))
                .collect::<Vec<_>>();
            if !pairs(kept, &now).all(|(then, now)| then.is_like(now)) {
                return Err(MarkError::OtherIndexes);
            }
        }
        for deed in &story.deeds {
            match deed {
                Deed::Patch(changes) => {
                    let patch = changes.to_patch(self.map().grid());
                    self.patch(&patch);
                }
                Deed::Doors(cells) => self.toggle_doors(cells),
                Deed::Upkeep(operations, times) => {
                    for _ in 0..*times {
                        self.advance(*operations, true);
                        keep_up(&self.map(), *operations);
                    }
                }
            }
        }
        self.change(|map| map.set_journal(mark.journal.clone()));
        if self.map().fingerprint() != mark.fingerprint {
            return Err(MarkError::Damaged);
        }
        let mut now = (*story.then).clone();
        for deed in &story.deeds {
            match deed {
                Deed::Patch(changes) => toggle(&mut now, changes),
                Deed::Doors(cells) => toggle_doors(&mut now, cells),
                Deed::Upkeep(..) => {}
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
            let now = indexes.slots().map(|slot| slot.kept().index);
            kept.iter().zip(now).all(|(kept, now)| {
                kept.index
                    .as_ref()
                    .is_some_and(|then| Arc::ptr_eq(&then.index, &now))
            })
        };
        story.is_in_step
            && mark.story.is_in_step
            && map.fingerprint() == mark.fingerprint
            && mark.story.indexes.as_ref().is_some_and(same)
            && *map.journal() == mark.journal
    }

    /// Builds again, for the maps that they are of, the indexes that were rebuilt.
    fn rebuild_as(&self, story: &Story) {
        let slots: Vec<Arc<Slot>> = self.indexes().slots().cloned().collect();
        let now: Vec<Kept> = slots.iter().map(|slot| Kept::of(slot.kept())).collect();
        let kept = story.indexes.as_deref().unwrap_or_default();
        let places: Vec<usize> = places(kept, &now).collect();
        for (&place, kept) in places.iter().zip(kept) {
            let Some(slot) = slots.get(place) else {
                continue;
            };
            let is_of = |(map, _): &&(u64, _)| *map == kept.built_for;
            let Some((_, cells)) = story.rebuilt.iter().find(is_of) else {
                continue;
            };
            self.become_map(cells);
            let map = self.map();
            if let Some(job) = slot.rebuild_job(&map, true) {
                job.run(&NoProgress);
            }
            while slot.is_busy() {
                slot.advance(&map, u64::MAX, true);
            }
        }
    }

    /// Makes the map differ from the one that the world began with in these cells and no others.
    fn become_map(&self, cells: &BTreeSet<Cell>) {
        let now = self.book.story().now.clone();
        let (patch, doors) = flips(&self.map(), now.symmetric_difference(cells));
        self.toggle_doors(&doors);
        self.patch(&patch);
    }
}

/// Where among the indexes of now each of then is: the same number of its kind. One that nobody here uses is nowhere.
fn places<'a>(then: &'a [Kept], now: &'a [Kept]) -> impl Iterator<Item = usize> + 'a {
    then.iter().enumerate().map(|(i, kept)| {
        let before = then[..i].iter().filter(|other| other.kind == kept.kind);
        let mut alike = now.iter().enumerate().filter(|(_, o)| o.kind == kept.kind);
        alike
            .nth(before.count())
            .map_or(usize::MAX, |(place, _)| place)
    })
}

/// The indexes of then that are there now, with those of now.
fn pairs<'a>(then: &'a [Kept], now: &'a [Kept]) -> impl Iterator<Item = (&'a Kept, &'a Kept)> {
    let places = places(then, now).zip(then);
    places.filter_map(|(place, then)| Some((then, now.get(place)?)))
}

/// The patch that makes these cells what they are not, and those that are to be doors or none.
fn flips<'a>(map: &Map, cells: impl Iterator<Item = &'a Cell>) -> (GridPatch, Vec<Cell>) {
    let (mut changes, mut doors) = (ChangeSet::default(), Vec::new());
    for &cell in cells {
        if cell.0 & IS_DOOR != 0 {
            doors.push(Cell(cell.0 & !IS_DOOR));
            continue;
        }
        match map.grid().is_passable(cell) {
            true => changes.blocked.push(cell),
            false => changes.opened.push(cell),
        }
    }
    (changes.to_patch(map.grid()), doors)
}

fn toggle(cells: &mut BTreeSet<Cell>, changes: &ChangeSet) {
    let changed = changes.blocked.iter().chain(&changes.opened);
    toggle_each(cells, changed.copied());
}

fn toggle_doors(cells: &mut BTreeSet<Cell>, doors: &[Cell]) {
    toggle_each(cells, doors.iter().map(|cell| Cell(cell.0 | IS_DOOR)));
}

fn toggle_each(cells: &mut BTreeSet<Cell>, changed: impl Iterator<Item = Cell>) {
    for cell in changed {
        if !cells.remove(&cell) {
            cells.insert(cell);
        }
    }
}

impl Kept {
    fn of(held: Held) -> Kept {
        Kept {
            kind: held.index.kind() as u32,
            fingerprint: held.index.identity().fingerprint,
            built_for: held.built_for,
            records: held.index.records(),
            index: Some(held),
        }
    }

    /// Whether both can be taken for the same: builds and finished repairs of one map are.
    fn is_like(&self, other: &Kept) -> bool {
        (self.kind, self.fingerprint, self.records)
            == (other.kind, other.fingerprint, other.records)
    }
}
