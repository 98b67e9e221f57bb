//! Builds the database: one Dijkstra search for every region, in parallel, over corners where they are few ([`super::ways`]).

use super::partition::Partition;
use super::ways::{WaySearch, Ways};
use super::{Entries, MAX_ENTRIES, RegionDatabase};
use crate::artifact::{Array, Header};
use crate::cost::{Cost, UNREACHED};
use crate::grid::Cell;
use crate::hierarchy::Hierarchy;
use crate::index::desks::ScratchPool;
use crate::index::{BuildError, IndexKind};
use crate::map::Map;
use crate::parallel::prelude::*;
use crate::progress::Progress;
use std::collections::BTreeMap;

/// Levels are chosen so that there are at most this many regions, where nobody says otherwise.
const DEFAULT_REGIONS: u32 = 512;

impl RegionDatabase {
    /// Builds the database of a map for a level of its hierarchy, or for the lowest with few regions.
    pub fn build(
        map: &Map,
        level: Option<u32>,
        progress: &dyn Progress,
    ) -> Result<RegionDatabase, BuildError> {
        RegionDatabase::build_with(map, level, Entries::default(), progress)
    }

    /// Builds the database with entries of one kind or the other.
    pub fn build_with(
        map: &Map,
        level: Option<u32>,
        entries: Entries,
        progress: &dyn Progress,
    ) -> Result<RegionDatabase, BuildError> {
        let hierarchy = Hierarchy::watched(map, progress).ok_or(BuildError::Cancelled)?;
        let level = choose_level(&hierarchy, level)?;
        let partition =
            Partition::of(map, &hierarchy, level).map_err(|error| unsuitable(error.to_string()))?;
        drop(hierarchy);
        let sizes = partition.component_starts.windows(2).map(|w| w[1] - w[0]);
        let pairs: u64 = sizes.map(|size| u64::from(size) * u64::from(size)).sum();
        if pairs > MAX_ENTRIES {
            return Err(unsuitable(format!(
                "level {level} has {} regions and {pairs} pairs of them; expected at most {MAX_ENTRIES} pairs: choose a higher level",
                partition.representatives.len()
            )));
        }
        let parameters = BTreeMap::from([
            ("level".to_string(), level.to_string()),
            ("entries".to_string(), entries.name().to_string()),
        ]);
        let header = Header::of(IndexKind::Regions, map, parameters);
        let mut database = RegionDatabase::assemble(header, level, partition)
            .map_err(|error| unsuitable(error.to_string()))?;
        database.entries = Array::from_slice(&find_entries(map, &database, entries, progress)?);
        Ok(database)
    }
}

fn unsuitable(reason: String) -> BuildError {
    BuildError::Unsuitable {
        index: IndexKind::Regions.name(),
        reason,
    }
}

fn choose_level(hierarchy: &Hierarchy, level: Option<u32>) -> Result<u32, BuildError> {
    let height = hierarchy.height();
    match level {
        Some(level) if level > height => Err(BuildError::BadParameter {
            index: IndexKind::Regions.name(),
            key: "level".to_string(),
            value: level.to_string(),
            expected: format!("at most {height}: the hierarchy of this map is no higher"),
        }),
        Some(level) => Ok(level),
        None => Ok((1..=height)
            .find(|&level| hierarchy.level_size(level) <= DEFAULT_REGIONS)
            .unwrap_or(height)),
    }
}

/// The table, component by component; inside one a row for each target with an entry for each source.
fn find_entries(
    map: &Map,
    database: &RegionDatabase,
    entries: Entries,
    progress: &dyn Progress,
) -> Result<Vec<Cell>, BuildError> {
    let regions = database.representatives.len() as u32;
    progress.begin("regions", u64::from(regions));
    let ways = Ways::new(map, &database.representatives, progress)?;
    let desks = ScratchPool::new();
    let rows: Vec<Vec<Cell>> = (0..regions)
        .into_par_iter()
        .map(|target| {
            let row = desks.work(WaySearch::default, |search| {
                if database.component_of(target).len() > 1 {
                    ways.search(target, search, progress)?;
                }
                Ok(row_of(map, database, entries, &ways, target, search))
            });
            progress.advance(1);
            row
        })
        .collect::<Result<_, BuildError>>()?;
    Ok(rows.concat())
}

/// For every source region of a target's component: where the shortest path between the representatives first comes into
/// another region, or into one that is nearer to the target. For the target itself, its representative. The search is the
/// target's.
fn row_of(
    map: &Map,
    database: &RegionDatabase,
    entries: Entries,
    ways: &Ways,
    target: u32,
    search: &WaySearch,
) -> Vec<Cell> {
    let sources = database.component_of(target);
    if sources.len() == 1 {
        return vec![database.representatives[target as usize]];
    }
    let costs: Vec<Cost> = sources
        .clone()
        .map(|source| ways.cost([source, target], search))
        .collect();
    let rank = |region: u32| {
        let number = region.wrapping_sub(sources.start) as usize;
        (costs.get(number).copied().unwrap_or(UNREACHED), region)
    };
    sources
        .clone()
        .map(|source| {
            if source == target {
                return database.representatives[target as usize];
            }
            let enters = |cell: Cell| {
                let region = database.region(map, cell).0;
                match entries {
                    Entries::Next => region != source,
                    Entries::Nearer => rank(region) < rank(source),
                }
            };
            ways.exit([source, target], search, enters)
        })
        .collect()
}
