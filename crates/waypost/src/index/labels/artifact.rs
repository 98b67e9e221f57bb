//! The `labels` artifact.
//!
//! Corners, arcs and bitmaps follow from the map and are made again when a file is opened, in milliseconds. The file holds
//! the lists of labels and the ways to the hubs, as trees or as steps. Opening checks every label: that its tree or its steps
//! lead from it along arcs to the hub at exactly the label's cost. What passes leads along free walks to its hub in finitely
//! many steps, so contents that nobody built can at worst give a detour, never an illegal path, a wrong cost for a path, or
//! a query without end.

use super::bounds::CornerBounds;
use super::graph::CornerGraph;
use super::lists::Lists;
use super::order::HubOrder;
use super::rest::Rest;
use super::steps::{Steps, StepsView};
use super::trees::HubTrees;
use super::ways::Ways;
use super::{CornerLabels, Measures, Settings};
use crate::artifact::{AlignedBytes, Artifact, ArtifactError, ArtifactWriter, Header, Identity};
use crate::index::jump::JumpGraph;
use crate::index::{BuildError, Index, IndexKind, IndexRequest, IndexType, Prepared, Shard};
use crate::map::Map;
use crate::progress::Progress;
use crate::search::jps::jump_scans;
use std::collections::BTreeMap;
use std::sync::Arc;

/// The `labels` index.
pub(crate) static INDEX_TYPE: IndexType = IndexType {
    kind: IndexKind::Labels,
    about: "hub labels on corners: optimal paths in microseconds; refuses maps with too many corners",
    keys: &[
        (
            "order",
            "order of hubs: coverage (default), contraction, betweenness or degree",
        ),
        (
            "max-bytes",
            "refuse where the file of labels would take more (default 134217728, 134 MB)",
        ),
        (
            "fit-bytes",
            "labels packed closely, of as many hubs as a file of so many bytes has room for; a search finds what they do not know (default: of all)",
        ),
    ],
    build,
    open,
    merge: None,
};

/// A section of files that earlier versions wrote.
const EARLIER_LINKS: u32 = 4;
const FIRST_LABEL: u32 = 5;
const HUBS: u32 = 6;
const DISTANCES: u32 = 7;
/// Beside trees, whose sections have the numbers between.
const STEPS: u32 = 13;

/// The parameter of labels of some hubs alone.
const FIT_BYTES: &str = "fit-bytes";

/// The parameters as artifacts record them.
pub(super) fn parameters(settings: Settings) -> BTreeMap<String, String> {
    let mut texts = BTreeMap::from([
        ("order".to_string(), settings.order.name().to_string()),
        ("max-bytes".to_string(), settings.max_bytes.to_string()),
    ]);
    if let Some(bytes) = settings.fit_bytes {
        texts.insert(FIT_BYTES.to_string(), bytes.to_string());
    }
    texts
}

fn build(
    map: &Map,
    request: &IndexRequest,
    _shard: Shard,
    progress: &dyn Progress,
) -> Result<Arc<dyn Index>, BuildError> {
    let default = Settings::default();
    let order = request.value(
        "order",
        default.order.name().to_string(),
        "coverage, contraction, betweenness or degree",
        |name: &String| HubOrder::from_name(name).is_some(),
    )?;
    let fit_bytes = request.value(FIT_BYTES, 0, "a number of bytes above 0", |b| *b > 0)?;
    let settings = Settings {
        fit_bytes: (fit_bytes > 0).then_some(fit_bytes),
        order: HubOrder::from_name(&order).unwrap_or(default.order),
        max_bytes: request.value(
            "max-bytes",
            default.max_bytes.max(fit_bytes),
            "a number of bytes",
            |_| true,
        )?,
    };
    Ok(Arc::new(CornerLabels::build(map, settings, progress)?))
}

fn open(artifact: &Artifact, map: &Map) -> Result<Arc<dyn Index>, ArtifactError> {
    if artifact.section::<u32>(EARLIER_LINKS).is_ok() {
        return Err(ArtifactError::malformed(
            "its labels have the form of an earlier version",
        ));
    }
    let scans = jump_scans(map);
    let graph = CornerGraph::new(map);
    let distances = artifact.section(DISTANCES)?;
    let first = match artifact.section(FIRST_LABEL) {
        Err(_) if artifact.section::<u16>(STEPS).is_ok() => Lists::firsts(&distances),
        first => first?,
    };
    let ranks = artifact.section(HUBS)?;
    let lists =
        Lists::checked(graph.len(), first, ranks, distances).map_err(ArtifactError::malformed)?;
    let parameters = &artifact.header().parameters;
    let some = parameters.contains_key(FIT_BYTES);
    let hubs = hubs(&graph, &lists, some).map_err(ArtifactError::malformed)?;
    let rest = Rest::of(&graph, &hubs);
    let (ways, longest_chain) = match artifact.section(STEPS) {
        Ok(steps) => {
            let steps = Steps::of_file(steps);
            let view = StepsView {
                steps: &steps,
                lists: lists.view(),
                graph: &graph,
                hubs: &hubs,
            };
            let longest = view.longest_chain().map_err(ArtifactError::malformed)?;
            (Ways::Steps(steps), longest)
        }
        Err(_) => {
            let trees = HubTrees::from_sections(artifact)?;
            let checked = trees.check(&graph, lists.view());
            checked.map_err(ArtifactError::malformed)?;
            let longest = trees.longest_chain();
            (Ways::Trees(trees), longest)
        }
    };
    Ok(Arc::new(CornerLabels {
        header: Header::of(IndexKind::Labels, map, artifact.header().parameters.clone()),
        measures: Measures::new(&scans, &graph, &lists, (&ways, longest_chain), &rest),
        bounds: CornerBounds::new(&graph, &lists, hubs.len()),
        hubs,
        rest,
        lists,
        ways,
        scans,
        graph,
        state: map.fingerprint(),
    }))
}

/// The hub of every rank: the corner that is no way from it. All corners must be hubs, or only `some`, the first of all ranks.
fn hubs(graph: &CornerGraph, lists: &Lists, some: bool) -> Result<Vec<u32>, String> {
    let mut hubs = vec![None; graph.len()];
    let (mut count, mut ranks) = (0, 0);
    for corner in 0..graph.len() as u32 {
        let own = lists.view().hubs(corner).find(|&(_, cost)| cost == 0);
        match own.and_then(|(hub, _)| hubs.get_mut(hub)) {
            Some(hub) => (*hub, count) = (Some(corner), count + 1),
            None if some => {}
            None => return Err(format!("corner {corner} is not its own hub")),
        }
        let last = lists.view().hubs(corner).last();
        ranks = ranks.max(last.map_or(0, |(hub, _)| hub + 1));
    }
    hubs.truncate(ranks);
    let all: Option<Vec<u32>> = hubs.into_iter().collect();
    all.filter(|all| all.len() == count)
        .ok_or_else(|| "two corners are the same hub".to_string())
}

impl Index for CornerLabels {
    fn kind(&self) -> IndexKind {
        IndexKind::Labels
    }

    fn identity(&self) -> Identity {
        self.header.identity()
    }

    fn parameters(&self) -> &BTreeMap<String, String> {
        &self.header.parameters
    }

    fn to_bytes(&self) -> AlignedBytes {
        let (first, hubs, distances) = self.lists.arrays();
        let mut writer = ArtifactWriter::new(self.header.clone());
        let is_packed = matches!(self.ways, Ways::Steps(_));
        if !(is_packed && self.lists.ends_are_marked(self.hubs.len())) {
            writer = writer.section(FIRST_LABEL, first);
        }
        writer = writer.section(HUBS, hubs).section(DISTANCES, distances);
        let writer = match &self.ways {
            Ways::Trees(trees) => trees.write_sections(writer),
            Ways::Steps(steps) => writer.section(STEPS, steps.numbers()),
        };
        writer.finish()
    }

    fn memory_bytes(&self) -> usize {
        self.scans.memory_bytes()
            + self.graph.memory_bytes()
            + self.label_bytes()
            + self.hubs.len() * 4
            + self.rest.memory_bytes()
            + self.bounds.memory_bytes()
    }

    fn records(&self) -> u64 {
        self.label_count() as u64
    }

    fn rebuild_operations(&self, map: &Map) -> u64 {
        super::estimated_operations(self.corners() as u64, map.grid().passable_count())
    }

    /// The jump-point graph, which is searched round what changes.
    fn prepared(&self, open_map: &Map) -> Option<Prepared> {
        let graph = JumpGraph::of_scans(open_map, self.scans.clone());
        Some(Box::new(graph))
    }

    fn facts(&self) -> Vec<(String, String)> {
        let measures = self.measures;
        let per_corner = self.label_count() as f64 / self.corners().max(1) as f64;
        [
            ("corners", self.corners().to_string()),
            ("arcs", self.graph.arc_count().to_string()),
            ("hubs", self.hubs.len().to_string()),
            ("labels", self.label_count().to_string()),
            ("labels per corner", format!("{per_corner:.1}")),
            ("largest label", measures.largest_label.to_string()),
            (
                "labels of the corners seen from a cell, at most",
                measures.most_seen.to_string(),
            ),
            ("longest chain to a hub", measures.longest_chain.to_string()),
            (
                "operations per query, at most",
                measures.operations_bound().to_string(),
            ),
        ]
        .map(|(name, value)| (name.to_string(), value))
        .to_vec()
    }
}
