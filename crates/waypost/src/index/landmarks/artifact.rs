//! Landmarks as artifacts.

use super::build::build;
use super::{Landmarks, MAX_PIVOTS, MAX_STATES, NO_STATE, Nearest};
use crate::artifact::{AlignedBytes, Artifact, ArtifactError, ArtifactWriter, Identity};
use crate::grid::Cell;
use crate::grid::ranks::Ranks;
use crate::index::{Index, IndexKind, IndexType};
use crate::map::Map;
use std::collections::BTreeMap;
use std::sync::Arc;

const PIVOTS: u32 = 1;
const STATES: u32 = 3;
const NEAREST: u32 = 4;
const BETWEEN: u32 = 5;
/// Pivot by pivot; files that have them cell by cell have another number for them.
const DISTANCES: u32 = 6;

/// Differential and canonical heuristics.
pub(crate) static LANDMARKS: IndexType = IndexType {
    kind: IndexKind::Landmarks,
    about: "distances to pivots and between canonical states: better heuristics for A*",
    keys: &[
        ("count", "pivots of the differential heuristic; default 10"),
        (
            "place",
            "where they stand: farthest (from each other), rim or given; default farthest",
        ),
        ("at", "the points of place=given, as 12:3/40:5"),
        (
            "canonical",
            "states of the canonical heuristic; default 0, none",
        ),
    ],
    build,
    open,
    merge: None,
};

impl Index for Landmarks {
    fn kind(&self) -> IndexKind {
        IndexKind::Landmarks
    }

    fn identity(&self) -> Identity {
        self.header.identity()
    }

    fn parameters(&self) -> &BTreeMap<String, String> {
        &self.header.parameters
    }

    fn to_bytes(&self) -> AlignedBytes {
        ArtifactWriter::new(self.header.clone())
            .section(PIVOTS, &self.pivots)
            .section(DISTANCES, &self.distances)
            .section(STATES, &self.states)
            .section(NEAREST, &self.nearest)
            .section(BETWEEN, &self.between)
            .finish()
    }

    fn memory_bytes(&self) -> usize {
        (self.pivots.len() + self.states.len()) * size_of::<Cell>()
            + (self.distances.len() + self.between.len()) * 4
            + self.nearest.len() * size_of::<Nearest>()
            + self.ranks.memory_bytes()
    }

    fn records(&self) -> u64 {
        (self.pivots.len() + self.states.len()) as u64
    }

    fn facts(&self) -> Vec<(String, String)> {
        vec![
            ("pivots".to_string(), self.pivots.len().to_string()),
            (
                "canonical states".to_string(),
                self.states.len().to_string(),
            ),
        ]
    }
}

fn open(artifact: &Artifact, map: &Map) -> Result<Arc<dyn Index>, ArtifactError> {
    artifact.check(IndexKind::Landmarks, map)?;
    let ranks = Ranks::of(map.grid());
    let passable = ranks.passable();
    let mut index = Landmarks {
        header: artifact.header().clone(),
        state: map.fingerprint(),
        pivots: artifact.section(PIVOTS)?,
        distances: artifact.section(DISTANCES)?,
        states: artifact.section(STATES)?,
        nearest: artifact.section(NEAREST)?,
        between: artifact.section(BETWEEN)?,
        radius: 0,
        ranks,
    };
    let expect = |what: &str, right: bool| {
        right
            .then_some(())
            .ok_or_else(|| ArtifactError::malformed(format!("landmarks: {what}")))
    };
    let all_passable = |cells: &[Cell]| cells.iter().all(|&cell| map.grid().is_passable(cell));
    let (pivots, states) = (index.pivots.len(), index.states.len());
    expect("too many pivots", pivots <= MAX_PIVOTS)?;
    expect("too many canonical states", states <= MAX_STATES)?;
    expect("a pivot in a wall", all_passable(&index.pivots))?;
    expect("a state in a wall", all_passable(&index.states))?;
    expect(
        "distances for another number of cells",
        index.distances.len() == passable * pivots,
    )?;
    expect(
        "nearest states for another number of cells",
        index.nearest.len() == if states == 0 { 0 } else { passable },
    )?;
    expect(
        "a matrix of another size",
        index.between.len() == states * states,
    )?;
    for nearest in index.nearest.iter() {
        if nearest.state != NO_STATE {
            expect(
                "a state that is not there",
                (nearest.state as usize) < states,
            )?;
            index.radius = index.radius.max(nearest.distance);
        }
    }
    Ok(Arc::new(index))
}
