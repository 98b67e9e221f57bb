//! Marks as bytes.

use super::{Deed, IS_DOOR, Kept, Mark, Story};
use crate::grid::{Cell, ChangeSet};
use crate::map::Journal;
use crate::stream::{Reader, Writer};
use std::collections::BTreeSet;
use std::sync::Arc;

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
            out.u64(kept.built_for);
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
                Deed::Doors(cells) => {
                    out.u8(2);
                    out.cells(cells);
                }
                Deed::Upkeep(operations, times) => {
                    out.u8(1);
                    out.u64(*operations);
                    out.u32(*times);
                }
            }
        }
        out.u64(story.rebuilt.len() as u64);
        for (map, cells) in &story.rebuilt {
            out.u64(*map);
            out.u32s(cells.iter().map(|cell| cell.0));
        }
        self.journal.save(out);
    }

    /// Reads what [`Mark::save`] wrote; `None` where it is none.
    pub(crate) fn load(from: &mut Reader) -> Option<Mark> {
        let id_bound = usize::try_from(from.u64()?).ok()?;
        let (base, fingerprint) = (from.u64()?, from.u64()?);
        let then = differences(from, id_bound)?;
        let (is_in_step, has_indexes) = (from.u8()? != 0, from.u8()? != 0);
        let mut indexes = Vec::new();
        for _ in 0..from.count(28)? {
            indexes.push(Kept {
                kind: from.u32()?,
                fingerprint: from.u64()?,
                built_for: from.u64()?,
                records: from.u64()?,
                index: None,
            });
        }
        let (mut deeds, mut cells) = (Vec::new(), 0);
        for _ in 0..from.count(9)? {
            deeds.push(match from.u8()? {
                0 => {
                    let blocked = from.cells(id_bound)?;
                    let opened = from.cells(id_bound)?;
                    cells += blocked.len() + opened.len();
                    Deed::Patch(Arc::new(ChangeSet { blocked, opened }))
                }
                1 => Deed::Upkeep(from.u64()?, from.u32()?),
                2 => {
                    let doors = from.cells(id_bound)?;
                    cells += doors.len();
                    Deed::Doors(doors.into())
                }
                _ => return None,
            });
        }
        let mut rebuilt = Vec::new();
        for _ in 0..from.count(16)? {
            let map = from.u64()?;
            rebuilt.push((map, Arc::new(differences(from, id_bound)?)));
        }
        Some(Mark {
            story: Story {
                base,
                then: Arc::new(then),
                now: BTreeSet::new(),
                indexes: has_indexes.then_some(indexes),
                deeds,
                cells,
                rebuilt,
                is_in_step,
                is_lost: false,
            },
            fingerprint,
            journal: Journal::load(from, id_bound)?,
            id_bound,
        })
    }
}

/// The cells in which two maps of ids below this bound differ.
fn differences(from: &mut Reader, id_bound: usize) -> Option<BTreeSet<Cell>> {
    let cells: BTreeSet<Cell> = from.u32s()?.into_iter().map(Cell).collect();
    let are_known = cells
        .iter()
        .all(|cell| ((cell.0 & !IS_DOOR) as usize) < id_bound);
    are_known.then_some(cells)
}
