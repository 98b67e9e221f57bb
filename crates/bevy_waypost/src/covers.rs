//! Cells that obstacles cover, and what the map is told of them.

use crate::space::point;
use bevy_math::UVec2;
use std::collections::HashMap;
use waypost::prelude::Patch;

/// How often cells are covered. Never iterated over in its own order, so that hashing decides nothing.
#[derive(Default)]
pub(crate) struct Covers {
    cells: HashMap<UVec2, Cover>,
    /// Cells that were taken or released since the map was last told.
    touched: Vec<UVec2>,
}

#[derive(Clone, Copy)]
struct Cover {
    obstacles: u32,
    /// Whether the map has been told.
    blocks: bool,
    /// Whether the cell opens when the last of them has left.
    opens: bool,
}

impl Covers {
    pub fn take(&mut self, cell: UVec2, is_free: impl Fn() -> bool) {
        let cover = self.cells.entry(cell).or_insert_with(|| Cover {
            obstacles: 0,
            blocks: false,
            opens: is_free(),
        });
        cover.obstacles += 1;
        self.touched.push(cell);
    }

    pub fn release(&mut self, cell: UVec2) {
        if let Some(cover) = self.cells.get_mut(&cell) {
            cover.obstacles = cover.obstacles.saturating_sub(1);
            self.touched.push(cell);
        }
    }

    /// What the map is to be told of cells that were taken and released.
    pub fn settle(&mut self) -> Patch {
        let mut patch = Patch::new();
        for cell in self.touched.drain(..) {
            match self.cells.get_mut(&cell) {
                Some(cover) if cover.obstacles == 0 => {
                    if cover.opens && cover.blocks {
                        patch.set(point(cell), true);
                    }
                    self.cells.remove(&cell);
                }
                Some(cover) if !cover.blocks => {
                    cover.blocks = true;
                    patch.set(point(cell), false);
                }
                _ => {}
            }
        }
        patch
    }

    /// A patch of the game's, with what is covered left blocked; what it says of covered cells is remembered.
    pub fn edit(&mut self, patch: &Patch) -> Patch {
        let mut whole = patch.clone();
        for edit in patch.edits() {
            self.covered_in(edit, |cell, cover| {
                cover.opens = edit.passable;
                if edit.passable {
                    whole.set(point(cell), false);
                }
            });
        }
        whole
    }

    /// The same without remembering, and with what the map has not been told yet: what it would be like after the patch.
    pub fn after(&self, patch: &Patch) -> Patch {
        let mut covers = Covers {
            cells: self.cells.clone(),
            touched: Vec::new(),
        };
        let mut whole = covers.edit(patch);
        for cell in &self.touched {
            let cover = self.cells.get(cell);
            if cover.is_some_and(|cover| cover.obstacles > 0) {
                whole.set(point(*cell), false);
            }
        }
        whole
    }

    /// Calls with every covered cell of a rectangle; goes over whichever is smaller, the rectangle or what is covered.
    fn covered_in(
        &mut self,
        edit: &waypost::grid::Edit,
        mut change: impl FnMut(UVec2, &mut Cover),
    ) {
        let area = u64::from(edit.width) * u64::from(edit.height);
        let (first, size) = (
            UVec2::new(edit.at.x, edit.at.y),
            UVec2::new(edit.width, edit.height),
        );
        if area > self.cells.len() as u64 {
            let mut within: Vec<UVec2> = self.cells.keys().copied().collect();
            within.retain(|c| c.cmpge(first).all() && (*c - first).cmplt(size).all());
            within.sort_by_key(|c| (c.y, c.x));
            for cell in within {
                if let Some(cover) = self.cells.get_mut(&cell) {
                    change(cell, cover);
                }
            }
            return;
        }
        for y in 0..size.y {
            for x in 0..size.x {
                let cell = UVec2::new(first.x.saturating_add(x), first.y.saturating_add(y));
                if let Some(cover) = self.cells.get_mut(&cell) {
                    change(cell, cover);
                }
            }
        }
    }
}
