//! Tables with an entry for every ordered pair of regions of a component.
//!
//! Regions are numbered component by component. The table of a component has a row for each target, and the tables lie one
//! after the other.

use crate::artifact::{Array, ArtifactError};
use std::ops::Range;

/// Where the entry of a pair lies.
#[derive(Clone, Debug)]
pub(super) struct RegionPairs {
    /// The first region of each component, and at the end the number of regions.
    component_starts: Array<u32>,
    /// Where the table of each region's component begins, and that component.
    tables: Vec<(u64, u32)>,
    entries: u64,
}

impl RegionPairs {
    /// Of this many regions; fails where components do not add up.
    pub fn new(component_starts: Array<u32>, regions: usize) -> Result<RegionPairs, ArtifactError> {
        let starts: &[u32] = &component_starts;
        let sound = starts.first() == Some(&0)
            && starts.last().map(|&end| end as usize) == Some(regions)
            && starts.windows(2).all(|w| w[0] < w[1]);
        let empty = regions == 0 && starts.len() <= 1;
        if !(sound || empty) {
            let what = "components of regions do not add up";
            return Err(ArtifactError::malformed(what));
        }
        let (mut tables, mut entries) = (Vec::with_capacity(regions), 0u64);
        for (component, pair) in starts.windows(2).enumerate() {
            let size = pair[1] - pair[0];
            tables.extend((0..size).map(|_| (entries, component as u32)));
            entries += u64::from(size) * u64::from(size);
        }
        Ok(RegionPairs {
            component_starts,
            tables,
            entries,
        })
    }

    /// The first region of each component, and at the end the number of regions.
    pub fn component_starts(&self) -> &[u32] {
        &self.component_starts
    }

    /// Entries of all tables.
    pub fn entries(&self) -> u64 {
        self.entries
    }

    /// The regions of the same component; none where there is no such region.
    pub fn component_of(&self, region: u32) -> Range<u32> {
        let Some(&(_, component)) = self.tables.get(region as usize) else {
            return 0..0;
        };
        let component = component as usize;
        self.component_starts[component]..self.component_starts[component + 1]
    }

    /// Where the entry of a pair lies; `None` where the two are not connected, or are the same.
    #[inline]
    pub fn place(&self, from: u32, to: u32) -> Option<usize> {
        let &(table, component) = self.tables.get(from as usize)?;
        let (first, end) = (
            self.component_starts[component as usize],
            self.component_starts[component as usize + 1],
        );
        if from == to || !(first..end).contains(&to) {
            return None;
        }
        let row = u64::from(to - first) * u64::from(end - first);
        Some((table + row + u64::from(from - first)) as usize)
    }

    /// Bytes in memory.
    pub fn bytes(&self) -> usize {
        self.component_starts.len() * 4 + self.tables.len() * size_of::<(u64, u32)>()
    }
}
