//! Near goals on terrain: one window that holds the whole chain to the goal.
//!
//! A representative on the other side of woods costs as much as a short way does. So where the blocks round all regions of the chain
//! fit into the sectors that a window may have, the goal itself is searched for, in these and in as many sectors around them as
//! there is room for. That window depends on the chain alone and holds the window that would be searched otherwise, so
//! a path is in it wherever one was, and the rest of that path too if the walker has to ask again with the same chain.

use super::SectorsAgent;
use super::windows::WindowBuffers;
use crate::agent::Context;
use crate::grid::Cell;
use crate::index::sectors::{Layout, SectorIndex};
use crate::map::Map;

/// The most hops to a goal that counts as near. On terrain sectors have several regions, so hops are short.
pub(super) const NEAR_HOPS: usize = 12;

/// A sector, by column and row.
type Place = (u32, u32);

/// A rectangle of sectors: its first and its last one.
#[derive(Clone, Copy)]
struct Rectangle {
    first: Place,
    last: Place,
}

impl Rectangle {
    /// The blocks round some places.
    fn of_blocks(layout: Layout, places: &[Place]) -> Rectangle {
        let around = |bounds: Rectangle, &(column, row): &Place| Rectangle {
            first: (bounds.first.0.min(column), bounds.first.1.min(row)),
            last: (bounds.last.0.max(column), bounds.last.1.max(row)),
        };
        let none = Rectangle {
            first: (u32::MAX, u32::MAX),
            last: (0, 0),
        };
        places.iter().fold(none, around).grown(layout)
    }

    /// With the sectors around it that are on the map.
    fn grown(self, layout: Layout) -> Rectangle {
        Rectangle {
            first: (
                self.first.0.saturating_sub(1),
                self.first.1.saturating_sub(1),
            ),
            last: (
                (self.last.0 + 1).min(layout.columns() - 1),
                (self.last.1 + 1).min(layout.rows() - 1),
            ),
        }
    }

    fn longer_side(self) -> u32 {
        (self.last.0 - self.first.0).max(self.last.1 - self.first.1) + 1
    }

    fn for_each(self, mut visit: impl FnMut(Place)) {
        for row in self.first.1..=self.last.1 {
            (self.first.0..=self.last.0).for_each(|column| visit((column, row)));
        }
    }
}

/// Whether a sector is in the block round another one.
pub(super) fn is_beside(one: Place, other: Place) -> bool {
    one.0.abs_diff(other.0) <= 1 && one.1.abs_diff(other.1) <= 1
}

impl SectorsAgent {
    /// Fills the window with the blocks round a start and a goal that lie beside each other.
    pub(super) fn fill_window_beside(
        &self,
        context: &Context<Map>,
        room: &mut WindowBuffers,
        from: Cell,
    ) {
        let (layout, grid) = (self.index.index().layout(), context.space.grid());
        let places = [from, self.goal].map(|cell| layout.place(grid.point(cell)));
        room.window
            .clear(Rectangle::of_blocks(layout, &places).first);
        for place in places.into_iter().flat_map(|place| layout.block(place)) {
            room.window.include(place);
        }
    }

    /// Fills the window with all that the way to a near goal needs; false where the goal is not near.
    pub(super) fn fill_near_window(
        &self,
        context: &mut Context<Map>,
        room: &mut WindowBuffers,
    ) -> bool {
        if context.space.ground().is_none() {
            return false;
        }
        let (index, hops) = (self.index.index(), u32::from(self.hops));
        let (layout, most_side) = (index.layout(), SectorIndex::window_box(hops));
        let grid = context.space.grid();
        let mut places = [(0, 0); NEAR_HOPS + 1];
        let known = usize::from(self.chain_length);
        places[..known].copy_from_slice(&room.places[..known]);
        let (mut region, mut count) = (self.chain[known - 1], known);
        while region != self.goal_region {
            if count == places.len() {
                return false;
            }
            let (next, looks) = self.next_region(region);
            context.meter.look_ups += looks;
            let Some(next) = next else {
                return false;
            };
            places[count] = layout.place(grid.point(index.representative(next)));
            (region, count) = (next, count + 1);
        }
        let places = &places[..count];
        let bounds = Rectangle::of_blocks(layout, places);
        let mut needed = 0;
        if bounds.longer_side() <= most_side {
            bounds.for_each(|place| {
                needed += usize::from(places.iter().any(|&p| is_beside(p, place)))
            });
        }
        if needed == 0 || needed > SectorIndex::window_sectors(hops) {
            return false;
        }
        let around = (most_side - bounds.longer_side()) / 2;
        room.window.clear((
            bounds.first.0.saturating_sub(around),
            bounds.first.1.saturating_sub(around),
        ));
        for &place in places {
            let block = layout.block(place);
            block.for_each(|place| room.window.include(place));
        }
        let mut bounds = bounds;
        bounds.for_each(|place| room.window.include(place));
        for _ in 0..around {
            bounds = bounds.grown(layout);
            bounds.for_each(|place| room.window.include(place));
        }
        true
    }
}
