//! What a patch changes in regions and edges: nothing but what lies near it.

use crate::cost::Cost;
use crate::grid::Cell;
use crate::index::sectors::SectorIndex;
use crate::index::sectors::allowance::Allowance;
use crate::index::sectors::graph::{self, BlockSearch};
use crate::index::sectors::layout::Layout;
use crate::index::sectors::parts::Parting;
use crate::index::sectors::sector_regions::SectorRegions;
use crate::map::Map;
use std::collections::{BTreeMap, BTreeSet};

/// How far, in sectors, a change reaches: edges are searched in 3 x 3 sectors, and an edge is dropped where two others
/// replace it, whose ends lie one sector further.
const EDGES_SEARCHED: u32 = 3;
const EDGES_CHOSEN: u32 = 2;

/// A region by its sector and its number there: a name that does not change when regions elsewhere come and go.
pub type Name = (u32, u32);
/// Edges of a region, cheapest first.
pub type Edges = Vec<(Cost, Name)>;

/// What work comes to, in touches: for each cell of a sector that is cut, each cell that a search expands, each cell of
/// memory that a search clears (eight at a time), each edge found, and each sector near the change.
const CUT_CELL: usize = 6;
const EXPANSION: usize = 22;
const EDGE_FOUND: usize = 8;
const NEAR_SECTOR: usize = 32;
/// Giving back what a region's edges took.
const GIVE_BACK: usize = 32;

/// Regions and edges near a change, found again.
#[derive(Clone, Debug)]
pub struct NearPatch {
    to_cut: BTreeSet<usize>,
    to_search: BTreeSet<usize>,
    to_choose: BTreeSet<usize>,
    /// The sectors cut again.
    pub cut: BTreeMap<usize, SectorRegions>,
    /// All edges of the regions of sectors near the change, before any is dropped.
    searched: BTreeMap<usize, Vec<Edges>>,
    /// Those that stay.
    pub chosen: BTreeMap<usize, Vec<Edges>>,
    search: Option<BlockSearch>,
    /// Whether the search for the next region's edges is under way.
    begun: bool,
}

impl NearPatch {
    /// All is still to be done about these sectors.
    pub fn new(touched: BTreeSet<usize>) -> NearPatch {
        NearPatch {
            to_cut: touched,
            to_search: BTreeSet::new(),
            to_choose: BTreeSet::new(),
            cut: BTreeMap::new(),
            searched: BTreeMap::new(),
            chosen: BTreeMap::new(),
            search: None,
            begun: false,
        }
    }

    /// Goes on; true once all is done.
    pub fn advance(&mut self, index: &SectorIndex, map: &Map, allowance: &mut Allowance) -> bool {
        while !allowance.is_spent() {
            if let Some(sector) = self.to_cut.pop_first() {
                self.cut(index.layout, map, sector, allowance);
            } else if let Some(&sector) = self.to_search.first() {
                self.search_some(index, map, sector, allowance);
            } else if let Some(&sector) = self.to_choose.first() {
                self.choose_some(index, sector, allowance);
            } else if let Some((_, edges)) = self.searched.pop_first() {
                allowance.spend(NEAR_SECTOR + GIVE_BACK * edges.len());
            } else {
                return true;
            }
        }
        false
    }

    fn cut(&mut self, layout: Layout, map: &Map, sector: usize, allowance: &mut Allowance) {
        let regions = SectorRegions::find(map, layout, sector, &mut Parting::default());
        // On terrain every part of a piece takes a search of the sector.
        let searches = map.ground().map_or(0, |_| regions.representatives.len());
        self.cut.insert(sector, regions);
        allowance.spend((CUT_CELL + searches * EXPANSION) * layout.area());
        for (near, distance) in [
            (&mut self.to_search, EDGES_SEARCHED),
            (&mut self.to_choose, EDGES_CHOSEN),
        ] {
            for sector in around(layout, sector, distance) {
                near.insert(sector);
                allowance.spend(NEAR_SECTOR);
            }
        }
    }

    /// Goes on with the search for a sector's edges.
    fn search_some(
        &mut self,
        index: &SectorIndex,
        map: &Map,
        sector: usize,
        allowance: &mut Allowance,
    ) {
        let found = self.searched.entry(sector).or_default().len();
        let of_sector = |sector: usize| representatives(&self.cut, index, sector);
        let Some(&from) = of_sector(sector).get(found) else {
            allowance.spend(NEAR_SECTOR);
            self.to_search.remove(&sector);
            return;
        };
        let search = self
            .search
            .get_or_insert_with(|| BlockSearch::new(index.layout));
        if !self.begun {
            self.begun = true;
            search.begin(map, sector, from);
            allowance.spend(9 * index.layout.area() / 8);
        }
        let most = allowance.left().div_ceil(EXPANSION) as u64;
        allowance.spend(search.advance(map, most) as usize * EXPANSION);
        if search.is_done() {
            self.begun = false;
            let edges = search.edges(map, of_sector, |s, i| (s as u32, i as u32));
            allowance.spend(EDGE_FOUND * (9 + edges.len()));
            self.searched.entry(sector).or_default().push(edges);
        }
    }

    /// Chooses among the edges of one more region of a sector.
    fn choose_some(&mut self, index: &SectorIndex, sector: usize, allowance: &mut Allowance) {
        let chosen = self.chosen.entry(sector).or_default();
        if chosen.len() == representatives(&self.cut, index, sector).len() {
            allowance.spend(NEAR_SECTOR);
            self.to_choose.remove(&sector);
            return;
        }
        let all = |(sector, i): Name| {
            let edges = self.searched.get(&(sector as usize));
            edges.map_or(&[][..], |of_sector| &of_sector[i as usize])
        };
        let mut looks = 0;
        let region = (sector as u32, chosen.len() as u32);
        chosen.push(graph::without_detours(all, region, &mut looks));
        allowance.spend(NEAR_SECTOR + looks);
    }

    /// What it takes to look through all that was found, in touches.
    pub fn touches(&self) -> usize {
        NEAR_SECTOR * (self.cut.len() + self.chosen.len())
    }

    /// Gives memory back, some sectors at a time; true once there is none left.
    pub fn clear(&mut self, allowance: &mut Allowance) -> bool {
        while !allowance.is_spent() {
            if let Some((_, edges)) = self.chosen.pop_first() {
                allowance.spend(NEAR_SECTOR + GIVE_BACK * edges.len());
            } else if self.cut.pop_first().is_some() {
                allowance.spend(NEAR_SECTOR + GIVE_BACK);
            } else {
                return true;
            }
        }
        false
    }
}

/// The representatives of a sector's regions, as they are now.
pub fn representatives<'a>(
    cut: &'a BTreeMap<usize, SectorRegions>,
    index: &'a SectorIndex,
    sector: usize,
) -> &'a [Cell] {
    match cut.get(&sector) {
        Some(regions) => &regions.representatives,
        None => index.sector_representatives(sector),
    }
}

/// The sectors within a distance of one.
fn around(layout: Layout, sector: usize, distance: u32) -> impl Iterator<Item = usize> {
    let (column, row) = layout.place_of(sector);
    let rows = row.saturating_sub(distance)..(row + distance + 1).min(layout.rows());
    let first = column.saturating_sub(distance);
    let end = (column + distance + 1).min(layout.columns());
    rows.flat_map(move |r| (first..end).map(move |c| (r * layout.columns() + c) as usize))
}
