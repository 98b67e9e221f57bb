//! The table that lists meet in: by hub, the cost from one end of a query.

use super::lists::{ListsView, PAGE, Part};
use crate::cost::Cost;

/// The entry of no query: larger than any, and any distance may be added to it.
const NEVER: u64 = (u32::MAX as u64) << 32;

/// Costs from one end by hub. Entries are told from those of earlier queries by their upper half, the complement of the
/// query's number, so nothing is cleared: older entries are larger than newer ones by more than any cost.
#[derive(Clone, Debug, Default)]
pub struct HubCosts {
    entries: Vec<u64>,
    number: u32,
}

impl HubCosts {
    /// Forgets all costs; there are so many hubs.
    pub fn renew(&mut self, hubs: usize) {
        if self.entries.len() < hubs {
            self.entries.resize(hubs, NEVER);
        }
        self.number += 1;
        if self.number == u32::MAX {
            self.entries.fill(NEVER);
            self.number = 1;
        }
    }

    #[inline]
    fn base(&self) -> u64 {
        u64::from(!self.number) << 32
    }

    /// Lays out the list of a corner that is `walk` away from the end; gives the labels read.
    #[inline]
    pub fn lay_out(&mut self, lists: ListsView, corner: u32, walk: Cost) -> usize {
        let base = self.base() + u64::from(walk);
        let mut read = 0;
        for page in 0..lists.pages {
            let (hubs, distances) = lists.page(corner, page);
            read += hubs.len();
            let entries = &mut self.entries[page * PAGE..];
            for (&hub, &distance) in hubs.iter().zip(distances) {
                let entry = &mut entries[usize::from(hub)];
                *entry = (*entry).min(base + u64::from(distance));
            }
        }
        read
    }

    /// The least cost between the end and a corner over any hub; at least `u32::MAX` where they have none in common.
    #[inline]
    pub fn least(&self, lists: ListsView, corner: u32) -> u64 {
        let mut least = u64::MAX;
        for page in 0..lists.pages {
            let (hubs, distances) = lists.page(corner, page);
            let entries = &self.entries[page * PAGE..];
            let over = |hub: u16, distance: Cost| entries[usize::from(hub)] + u64::from(distance);
            // Two at a time: neither waits for the comparison of the other.
            let (pairs, last) = hubs.as_chunks::<2>();
            let (distance_pairs, last_distance) = distances.as_chunks::<2>();
            let (mut even, mut odd) = (least, u64::MAX);
            for (hub, distance) in pairs.iter().zip(distance_pairs) {
                even = even.min(over(hub[0], distance[0]));
                odd = odd.min(over(hub[1], distance[1]));
            }
            if let (&[hub], &[distance]) = (last, last_distance) {
                even = even.min(over(hub, distance));
            }
            least = even.min(odd);
        }
        // Entries of older queries lie above the base by more than any cost.
        least.wrapping_sub(self.base())
    }

    /// Lays out some labels of a page, less the page's first rank, of a corner that is `walk` away from the end.
    #[inline]
    pub fn lay_out_part(&mut self, page: usize, (hubs, distances): Part, walk: Cost) {
        let base = self.base() + u64::from(walk);
        let entries = &mut self.entries[page * PAGE..];
        for (&hub, &distance) in hubs.iter().zip(distances) {
            let entry = &mut entries[usize::from(hub)];
            *entry = (*entry).min(base + u64::from(distance));
        }
    }

    /// The least cost between the end and a corner over any hub of these labels of it, and that hub.
    #[inline]
    pub fn least_of_part(&self, page: usize, (hubs, distances): Part) -> Option<(u64, usize)> {
        let entries = &self.entries[page * PAGE..];
        let over = |(&hub, &distance): (&u16, &Cost)| {
            let sum = entries[usize::from(hub)] + u64::from(distance);
            (sum, usize::from(hub))
        };
        let (least, hub) = hubs.iter().zip(distances).map(over).min()?;
        Some((least.wrapping_sub(self.base()), page * PAGE + hub))
    }

    /// The first hub over which the end and a corner are this far apart, and the corner's label of it.
    pub fn meeting(&self, lists: ListsView, corner: u32, cost: u64) -> Option<(usize, usize)> {
        let sum = self.base() + cost;
        let mut label = lists.labels(corner).start;
        for page in 0..lists.pages {
            let (hubs, distances) = lists.page(corner, page);
            let entries = &self.entries[page * PAGE..];
            let meets = |(&hub, &distance): (&u16, &Cost)| {
                entries[usize::from(hub)] + u64::from(distance) == sum
            };
            if let Some(at) = hubs.iter().zip(distances).position(meets) {
                return Some((page * PAGE + usize::from(hubs[at]), label + at));
            }
            label += hubs.len();
        }
        None
    }

    /// The cost to a hub that has been laid out.
    #[inline]
    pub fn cost(&self, hub: usize) -> u64 {
        self.entries[hub] - self.base()
    }

    /// Bytes of memory.
    pub fn memory_bytes(&self) -> usize {
        self.entries.capacity() * 8
    }
}
