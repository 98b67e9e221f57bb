//! Builds climbing regions: partition, chains between neighbours, next regions.

use super::chains::{Chains, Neighbours};
use super::hops::RegionGraph;
use super::partition::{Partition, partition};
use super::{ClimbRegions, Cut, MAX_HOP_BYTES, sector_cut};
use crate::artifact::{Array, ArtifactError, Header};
use crate::grid::Cell;
use crate::index::cell_regions::CellRegions;
use crate::index::exact_paths::ExactPaths;
use crate::index::packed::{Packed, bits_below};
use crate::index::region_pairs::RegionPairs;
use crate::index::{BuildError, IndexKind};
use crate::map::Map;
use crate::progress::Progress;

impl ClimbRegions {
    /// Builds the regions of a map on all threads of the current rayon pool.
    pub fn build(map: &Map, cut: Cut, progress: &dyn Progress) -> Result<ClimbRegions, BuildError> {
        let internal = |error: ArtifactError| unsuitable(error.to_string());
        let paths = ExactPaths::new(map);
        let climbs = |from, to, cap| paths.climbs(from, to, cap);
        let parts = match cut {
            Cut::Climbs { seed } => partition(map, map.grid().cells().collect(), climbs, seed),
            Cut::Sectors { side, .. } => sector_cut::cut(map, side),
        };
        let (parts, starts) = by_component(map, parts);
        let count = parts.seeds.len();
        let pairs = RegionPairs::new(Array::from_slice(&starts), count).map_err(internal)?;
        check_size(count, pairs.entries(), 2)?;
        let region = |cell: Cell| parts.regions[cell.index()];
        let neighbours = Neighbours::of(map, count, region).up_to(cut.levels());
        let most = u64::from(neighbours.most());
        check_size(count, pairs.entries(), most)?;
        let chains = Chains::of(map, &paths, &parts.seeds, &neighbours, progress);
        if u32::try_from(chains.subgoals.len()).is_err() {
            return Err(unsuitable(
                "it would hold more than 4 billion subgoals".to_string(),
            ));
        }
        let hops = RegionGraph::new(&neighbours, &chains).hops(&pairs, progress);
        Ok(ClimbRegions {
            header: Header::of(IndexKind::ClimbRegions, map, cut.parameters()),
            cells: CellRegions::new(map, count, region).map_err(internal)?,
            seeds: Array::from_slice(&parts.seeds),
            hops: Packed::new(Array::from_slice(&hops), pairs.entries() as usize, most)
                .map_err(internal)?,
            pairs,
            first_edge: Array::from_slice(&neighbours.first),
            targets: Array::from_slice(&neighbours.targets),
            first_subgoal: Array::from_slice(&chains.first),
            subgoals: Array::from_slice(&chains.subgoals),
        })
    }
}

fn unsuitable(reason: String) -> BuildError {
    BuildError::Unsuitable {
        index: IndexKind::ClimbRegions.name(),
        reason,
    }
}

/// Refuses tables beyond the limit, before they are made.
fn check_size(regions: usize, pairs: u64, most_neighbours: u64) -> Result<(), BuildError> {
    let bytes = pairs.saturating_mul(u64::from(bits_below(most_neighbours))) / 8;
    if bytes <= MAX_HOP_BYTES {
        return Ok(());
    }
    Err(unsuitable(format!(
        "this map is cut into {regions} regions, and the next region for each of {pairs} pairs would take {} MB or more; expected at most {} MB: use `sectors`, whose tables stay small",
        bytes / 1_000_000,
        MAX_HOP_BYTES / 1_000_000
    )))
}

/// Numbers regions component by component, in the order of their making within one; gives the first of each too.
fn by_component(map: &Map, parts: Partition) -> (Partition, Vec<u32>) {
    let component = |region: u32| map.components().of(parts.seeds[region as usize]);
    let mut order: Vec<u32> = (0..parts.seeds.len() as u32).collect();
    order.sort_by_key(|&region| component(region));
    let mut numbers = vec![0; order.len()];
    let mut starts = Vec::new();
    for (number, &region) in order.iter().enumerate() {
        numbers[region as usize] = number as u32;
        if number == 0 || component(order[number - 1]) != component(region) {
            starts.push(number as u32);
        }
    }
    starts.push(order.len() as u32);
    let renumber = |&region: &u32| numbers.get(region as usize).copied().unwrap_or(region);
    let parts = Partition {
        seeds: order.iter().map(|&r| parts.seeds[r as usize]).collect(),
        regions: parts.regions.iter().map(renumber).collect(),
    };
    (parts, starts)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn tables_beyond_the_limit_are_refused_with_an_estimate() {
        assert!(check_size(10_000, 100_000_000, 9).is_ok());
        let error = check_size(40_000, 1_600_000_000, 9).expect_err("800 MB");
        let message = error.to_string();
        assert!(message.contains("40000 regions"), "{message}");
        assert!(message.contains("800 MB"), "{message}");
        assert!(message.contains("use `sectors`"), "{message}");
    }
}
