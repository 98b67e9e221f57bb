//! Repair after patches: the touched sectors and what depends on them, as many operations at a time as a tick can spare.
//!
//! A repair goes over the index in **passes**. A pass takes the sectors touched so far and
//!
//! 1. cuts them into regions again, searches for the edges of all regions within three sectors of them, and chooses among
//!    those within two ([`near`]): all that a patch can change in the graph, and all that needs the map;
//! 2. puts the new regions and edges in place between the old ones ([`gather`]);
//! 3. finds the order of columns, and with it the components of the region graph that are as they were ([`kept`]): their rows
//!    are copied. Where a patch leaves the graph as it was, as a quarter of changes of one cell do, those are all rows;
//! 4. searches for and writes the other rows, and gives the index.
//!
//! Every step can stop after any region, sector or block of memory, so no call does more than the operations that it is given and
//! one such unit, however large the map; beginning a repair and hearing of a patch cost as much as the patch has cells. Nothing is
//! copied at the end: the arrays that the pass has filled are the index.
//!
//! **Patches that come during a pass** wait for the next one, and never stop or restart the one under way. So every pass
//! ends, and under any stream of patches an index is given after each. A pass looks at the map as it is when it looks;
//! what it has seen of a sector before a patch and after it may not fit together, but then the sector is touched, and
//! the next pass looks again. The last pass has seen no patch: by induction over passes, what it did not look at is as a
//! fresh build finds it, so its index is that of a fresh build, byte for byte. An index given while patches wait is of
//! no map, carries no map's fingerprint, and is as safe as an old one:
//!
//! **Meanwhile** agents go on with the last index. Windows are searched on the map as it is, so moves are legal; chains end,
//! because rows are always those of one graph, and where an edge leads one way only, its way back seen after another patch,
//! the regions that it leads to and not from count as components of their own; and an agent whose window holds no path
//! any more walks by LRTA* ([`crate::methods::sectors`]).
//!
//! **Why not fewer rows.** Every row of a component has the touched regions among its targets, and the distances to them change
//! with their representatives. Runs are greedy over sets of serving edges that the index does not hold, nor the
//! distances that they follow from (a number for each pair of regions: hundreds of megabytes where the rows take two);
//! to find out which targets of a row can have changed takes the search that writes it. So rows of a touched component are
//! written again, and that is nearly all of the work: 4 s of a thread on a map of 8.6 million cells and 9,831 regions, in 10,000
//! slices of 0.4 ms; `docs/measurements/sectors.md` has more maps.

mod gather;
mod kept;
mod near;

use super::SectorIndex;
use super::allowance::Allowance;
use super::build::Parts;
use super::row::KeptRow;
use super::rows::RowBuilder;
use super::sector_regions::Regions;
use crate::grid::ChangeSet;
use crate::index::Index;
use crate::index::slot::RepairJob;
use crate::map::Map;
use gather::Gathering;
use kept::Ordering;
use near::NearPatch;
use std::collections::BTreeSet;
use std::sync::Arc;

/// The fingerprint of an index that is of no map.
const NO_MAP: u64 = 0;

/// A repair under way.
#[derive(Clone)]
pub struct SectorRepair {
    /// What was given last, or what the repair began with.
    index: Arc<SectorIndex>,
    /// The sectors that the next pass is about.
    touched: BTreeSet<usize>,
    stage: Stage,
    operations: u64,
}

/// How far a pass is.
#[derive(Clone)]
enum Stage {
    /// No pass is under way.
    Idle,
    Near(NearPatch),
    Gather(Gathering),
    Order(Regions, Ordering),
    Rows(Regions, RowBuilder),
}

impl SectorRepair {
    /// Begins a repair of an index whose map has been changed.
    pub fn begin(index: Arc<SectorIndex>, map: &Map, changes: &ChangeSet) -> SectorRepair {
        let mut repair = SectorRepair {
            index,
            touched: BTreeSet::new(),
            stage: Stage::Idle,
            operations: 0,
        };
        repair.map_changed(map, changes);
        repair
    }

    /// The map has changed again.
    pub fn map_changed(&mut self, map: &Map, changes: &ChangeSet) {
        let layout = self.index.layout();
        let cells = changes.blocked.iter().chain(&changes.opened);
        for &cell in cells {
            self.touched.insert(layout.sector(map.grid().point(cell)));
            self.operations += 1;
        }
    }

    /// Goes on for about this many operations; gives an index at the end of a pass.
    pub fn advance(&mut self, map: &Map, operations: u64) -> Option<Arc<SectorIndex>> {
        let mut allowance = Allowance::of_operations(operations.max(1));
        let mut given = None;
        while given.is_none() && !allowance.is_spent() && !self.is_done() {
            given = self.go_on(map, &mut allowance);
        }
        self.operations += allowance.operations_spent();
        if let Some(index) = &given {
            self.index = index.clone();
        }
        given
    }

    /// Whether the last index given is that of the map as it is.
    pub fn is_done(&self) -> bool {
        matches!(self.stage, Stage::Idle) && self.touched.is_empty()
    }

    /// The operations that all calls together have taken: each about 30 ns.
    pub fn operations(&self) -> u64 {
        self.operations
    }

    /// Goes on with the stage under way, and to the next one where that is done.
    fn go_on(&mut self, map: &Map, allowance: &mut Allowance) -> Option<Arc<SectorIndex>> {
        let index = &*self.index;
        let stage = std::mem::replace(&mut self.stage, Stage::Idle);
        self.stage = match stage {
            Stage::Idle => Stage::Near(NearPatch::new(std::mem::take(&mut self.touched))),
            Stage::Near(mut near) => {
                if near.advance(index, map, allowance) {
                    allowance.spend(near.touches());
                    Stage::Gather(Gathering::new(index, near))
                } else {
                    Stage::Near(near)
                }
            }
            Stage::Gather(mut gathering) => {
                if gathering.advance(index, map, allowance) {
                    let (regions, ordering) = gathering.finish();
                    Stage::Order(regions, ordering)
                } else {
                    Stage::Gather(gathering)
                }
            }
            Stage::Order(regions, mut ordering) => {
                if ordering.advance(index, map, &regions, allowance) {
                    Stage::Rows(regions, ordering.finish(index.slack))
                } else {
                    Stage::Order(regions, ordering)
                }
            }
            Stage::Rows(regions, mut rows) => {
                let old = |region| kept::old_number(index, map, &regions, region);
                let kept = |region, column: u32| KeptRow {
                    runs: index.row(old(region)),
                    shift: column.wrapping_sub(index.column[old(region) as usize]),
                };
                if rows.advance(allowance, kept) {
                    let (graph, rows) = rows.finish();
                    let parts = Parts {
                        layout: index.layout,
                        slack: index.slack,
                        regions,
                        graph,
                        rows,
                    };
                    let all_open = map.fingerprint() == map.open_fingerprint();
                    let fingerprint = if self.touched.is_empty() && all_open {
                        map.file_fingerprint()
                    } else {
                        NO_MAP
                    };
                    return Some(Arc::new(parts.assemble(map, fingerprint)));
                }
                Stage::Rows(regions, rows)
            }
        };
        None
    }
}

impl RepairJob for SectorRepair {
    fn map_changed(&mut self, map: &Map, changes: &ChangeSet) {
        self.map_changed(map, changes);
    }

    fn advance(&mut self, map: &Map, operations: u64) -> Option<Arc<dyn Index>> {
        let given = self.advance(map, operations)?;
        Some(given)
    }

    fn is_done(&self) -> bool {
        self.is_done()
    }

    fn fork(&self) -> Box<dyn RepairJob> {
        Box::new(self.clone())
    }
}
