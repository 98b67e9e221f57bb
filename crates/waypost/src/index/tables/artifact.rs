//! Tables as artifacts.

use super::build::{Layout, build};
use super::{MAX_CELLS, MAX_SIDE, NO_STEP, Tables};
use crate::artifact::{AlignedBytes, Artifact, ArtifactError, ArtifactWriter, Identity};
use crate::grid::ranks::Ranks;
use crate::grid::{Cell, Direction};
use crate::index::{Index, IndexKind, IndexType};
use crate::map::Map;
use std::collections::BTreeMap;
use std::sync::Arc;

const LOCALS: u32 = 1;
const SIZES: u32 = 2;
const DISTANCES: u32 = 3;
const STEPS: u32 = 4;

/// The next step and the distance for every pair of cells.
pub(crate) static TABLES: IndexType = IndexType {
    kind: IndexKind::Tables,
    about: "next step and distance for every pair of cells of a small map, or of each zone of a larger one",
    keys: &[(
        "zone",
        "the side of a zone from 2 to 20, or 0 for one table of the whole map; default 0",
    )],
    build,
    open,
    merge: None,
};

impl Index for Tables {
    fn kind(&self) -> IndexKind {
        IndexKind::Tables
    }

    fn identity(&self) -> Identity {
        self.header.identity()
    }

    fn parameters(&self) -> &BTreeMap<String, String> {
        &self.header.parameters
    }

    fn to_bytes(&self) -> AlignedBytes {
        ArtifactWriter::new(self.header.clone())
            .section(LOCALS, &self.locals)
            .section(SIZES, &self.sizes)
            .section(DISTANCES, &self.distances)
            .section(STEPS, &self.steps)
            .finish()
    }

    fn memory_bytes(&self) -> usize {
        let portals: usize = self.portals.iter().map(Vec::len).sum();
        self.ranks.memory_bytes()
            + (self.locals.len() + self.sizes.len() + self.distances.len() + portals) * 4
            + self.steps.len()
            + self.first_pair.len() * 8
    }

    fn records(&self) -> u64 {
        self.steps.len() as u64
    }

    fn facts(&self) -> Vec<(String, String)> {
        let portals: usize = self.portals.iter().map(Vec::len).sum();
        vec![
            ("zones".to_string(), self.sizes.len().to_string()),
            ("pairs".to_string(), self.steps.len().to_string()),
            (
                "cells at which zones touch".to_string(),
                portals.to_string(),
            ),
        ]
    }
}

fn malformed(what: &str) -> ArtifactError {
    ArtifactError::malformed(format!("tables: {what}"))
}

fn open(artifact: &Artifact, map: &Map) -> Result<Arc<dyn Index>, ArtifactError> {
    artifact.check(IndexKind::Tables, map)?;
    let ranks = Ranks::of(map.grid());
    let zone = artifact.header().parameters.get("zone");
    let side: u32 = zone
        .and_then(|text| text.parse().ok())
        .filter(|&side| side == 0 || (2..=MAX_SIDE).contains(&side))
        .ok_or_else(|| malformed("no usable side of a zone"))?;
    if side == 0 && ranks.passable() > MAX_CELLS {
        return Err(malformed("too many cells for one table"));
    }
    let layout = Layout::of(map, side);
    let mut tables = Tables {
        header: artifact.header().clone(),
        state: map.fingerprint(),
        side,
        columns: layout.columns,
        locals: artifact.section(LOCALS)?,
        sizes: artifact.section(SIZES)?,
        first_pair: Vec::new(),
        distances: artifact.section(DISTANCES)?,
        steps: artifact.section(STEPS)?,
        portals: Vec::new(),
        highest: 0,
        ranks,
    };
    let pairs: usize = layout
        .zones
        .iter()
        .map(|zone| zone.len() * zone.len())
        .sum();
    let sizes = layout.zones.iter().map(|zone| zone.len() as u32);
    if !sizes.eq(tables.sizes.iter().copied()) || tables.locals.len() != tables.ranks.passable() {
        return Err(malformed("zones of another size"));
    }
    if tables.distances.len() != pairs || tables.steps.len() != pairs {
        return Err(malformed("another number of pairs"));
    }
    for cells in &layout.zones {
        let numbered = |(local, &cell): (usize, &Cell)| tables.local(cell) == local;
        if !cells.iter().enumerate().all(numbered) {
            return Err(malformed("cells with wrong numbers"));
        }
    }
    tables.derive(map, &layout);
    check_steps(&tables, map, &layout)?;
    Ok(Arc::new(tables))
}

/// Every step must be legal, stay in its zone and lead nearer: then paths end, whatever else the bytes say.
fn check_steps(tables: &Tables, map: &Map, layout: &Layout) -> Result<(), ArtifactError> {
    for (zone, cells) in layout.zones.iter().enumerate() {
        let size = cells.len();
        let first = tables.first_pair[zone];
        for (to, from) in (0..size).flat_map(|to| (0..size).map(move |from| (to, from))) {
            let at = first + to * size + from;
            let step = tables.steps[at];
            if step == NO_STEP {
                continue;
            }
            let direction = Direction::from_number(step);
            let next = map.grid().neighbour(cells[from], direction);
            let inside = step < 8
                && map.legal(cells[from]).contains(direction)
                && tables.zone(map.grid().point(next)) == zone;
            if !inside {
                return Err(malformed("a step that leaves its zone"));
            }
            let after = first + to * size + tables.local(next);
            let good = (next == cells[to] || tables.steps[after] != NO_STEP)
                && tables.distances[after].checked_add(map.step_cost(cells[from], direction))
                    == Some(tables.distances[at]);
            if !good {
                return Err(malformed("a step that leads nowhere"));
            }
        }
    }
    Ok(())
}
