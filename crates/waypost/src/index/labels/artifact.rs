//! The `labels` artifact.
//!
//! Corners, arcs and bitmaps follow from the map and are made again when a file is opened, in milliseconds. The file holds
//! the labels. Opening checks every one of them: its hub, its arc, and that the label it refers to belongs to the same hub and
//! is nearer by exactly the arc's cost. What passes leads along free walks to its hub in finitely many steps, so contents
//! that nobody built can at worst give a detour, never an illegal path, a wrong cost for a path, or a query without end.

use super::graph::CornerGraph;
use super::order::HubOrder;
use super::packed::{Links, distance, hub};
use super::{CornerLabels, Measures, Settings};
use crate::artifact::{AlignedBytes, Artifact, ArtifactError, ArtifactWriter, Header, Identity};
use crate::index::{BuildError, Index, IndexKind, IndexRequest, IndexType, Shard};
use crate::map::Map;
use crate::progress::Progress;
use crate::search::jps::jump_scans;
use std::collections::BTreeMap;
use std::sync::Arc;

/// The `labels` index.
pub static INDEX_TYPE: IndexType = IndexType {
    kind: IndexKind::Labels,
    about: "hub labels on corners: optimal paths in microseconds; refuses maps with too many corners",
    keys: &[
        (
            "order",
            "order of hubs: coverage (default), contraction, betweenness or degree",
        ),
        (
            "max-bytes",
            "refuse where the labels would take more (default 100000000)",
        ),
    ],
    build,
    open,
    merge: None,
};

const LINKS_FORM: u32 = 1;
const FIRST_LABEL: u32 = 2;
const LABELS: u32 = 3;
const LINKS: u32 = 4;

/// The parameters as artifacts record them.
pub(super) fn parameters(settings: Settings) -> BTreeMap<String, String> {
    BTreeMap::from([
        ("order".to_string(), settings.order.name().to_string()),
        ("max-bytes".to_string(), settings.max_bytes.to_string()),
    ])
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
    let settings = Settings {
        order: HubOrder::from_name(&order).unwrap_or(default.order),
        max_bytes: request.value("max-bytes", default.max_bytes, "a number of bytes", |_| {
            true
        })?,
    };
    Ok(Arc::new(CornerLabels::build(map, settings, progress)?))
}

fn open(artifact: &Artifact, map: &Map) -> Result<Arc<dyn Index>, ArtifactError> {
    let scans = jump_scans(map);
    let graph = CornerGraph::new(map);
    let links_form = match &*artifact.section::<u32>(LINKS_FORM)? {
        &[position_bits] => Links::from_number(position_bits),
        _ => None,
    }
    .ok_or_else(|| ArtifactError::malformed("impossible form of links"))?;
    let mut index = CornerLabels {
        header: Header::of(IndexKind::Labels, map, artifact.header().parameters.clone()),
        links_form,
        links: artifact.section(LINKS)?,
        first_label: artifact.section(FIRST_LABEL)?,
        labels: artifact.section(LABELS)?,
        measures: Measures {
            most_seen: scans.most_stops(),
            largest_label: 0,
            longest_chain: 0,
        },
        scans,
        graph,
        state: map.fingerprint(),
    };
    check(&index).map_err(ArtifactError::malformed)?;
    let first: &[u32] = &index.first_label;
    let largest = first.windows(2).map(|pair| pair[1] - pair[0]).max();
    index.measures.largest_label = u64::from(largest.unwrap_or(0));
    index.measures.longest_chain = longest_chain(&index);
    Ok(Arc::new(index))
}

/// Says what is wrong with the labels of a file.
fn check(index: &CornerLabels) -> Result<(), String> {
    let (first, words): (&[u32], &[u64]) = (&index.first_label, &index.labels);
    let lists_fit = index.links.len() == words.len()
        && first.len() == index.corners() + 1
        && first.first() == Some(&0)
        && first.last().map(|&end| end as usize) == Some(words.len())
        && first.windows(2).all(|pair| pair[0] <= pair[1]);
    if !lists_fit {
        return Err(format!(
            "the lists of labels do not fit {} corners",
            index.corners()
        ));
    }
    for corner in 0..index.corners() as u32 {
        let list = index.view().list(corner);
        let hubs = list.iter().map(|&word| hub(word));
        if !hubs.clone().is_sorted_by(|a, b| a < b)
            || hubs.max().is_some_and(|h| h >= index.corners())
        {
            return Err(format!("the hubs of corner {corner} are not in order"));
        }
        let start = first[corner as usize] as usize;
        if let Some(bad) = (0..list.len()).find(|&i| !leads_on(index, corner, start + i)) {
            return Err(format!("label {bad} of corner {corner} leads nowhere"));
        }
    }
    Ok(())
}

/// Does a label end at its hub or refer to one of the same hub that is nearer by the cost of the arc?
fn leads_on(index: &CornerLabels, corner: u32, at: usize) -> bool {
    let view = index.view();
    let (word, link) = (view.words[at], view.links[at]);
    if distance(word) == 0 {
        return true;
    }
    let Some(arc) = index.graph.arcs(corner).get(view.links_form.arc(link)) else {
        return false;
    };
    let list = view.list(arc.target);
    list.get(view.links_form.position(link))
        .is_some_and(|&next| {
            hub(next) == hub(word)
                && u64::from(distance(next)) + u64::from(arc.cost) == u64::from(distance(word))
        })
}

/// The most corners on the way from a corner to one of its hubs.
pub(super) fn longest_chain(index: &CornerLabels) -> u64 {
    let (first, words): (&[u32], &[u64]) = (&index.first_label, &index.labels);
    let view = index.view();
    // Length of the chain that begins at each label; 0 = not known yet.
    let mut length = vec![0u32; words.len()];
    let mut pending = Vec::new();
    for corner in 0..index.corners() as u32 {
        for label in first[corner as usize]..first[corner as usize + 1] {
            let (mut at, mut here) = (label as usize, corner);
            while length[at] == 0 {
                if distance(words[at]) == 0 {
                    length[at] = 1;
                    break;
                }
                pending.push(at);
                let link = view.links[at];
                here = index.graph.arcs(here)[view.links_form.arc(link)].target;
                at = first[here as usize] as usize + view.links_form.position(link);
            }
            let mut known = length[at];
            while let Some(before) = pending.pop() {
                known += 1;
                length[before] = known;
            }
        }
    }
    u64::from(length.into_iter().max().unwrap_or(0))
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
        let form = [self.links_form.to_number()];
        ArtifactWriter::new(self.header.clone())
            .section(LINKS_FORM, &form)
            .section::<u32>(FIRST_LABEL, &self.first_label)
            .section::<u64>(LABELS, &self.labels)
            .section::<u32>(LINKS, &self.links)
            .finish()
    }

    fn memory_bytes(&self) -> usize {
        self.scans.memory_bytes() + self.graph.memory_bytes() + self.label_bytes()
    }

    fn records(&self) -> u64 {
        self.labels.len() as u64
    }

    fn facts(&self) -> Vec<(String, String)> {
        let measures = self.measures;
        let per_corner = self.labels.len() as f64 / self.corners().max(1) as f64;
        [
            ("corners", self.corners().to_string()),
            ("arcs", self.graph.arc_count().to_string()),
            ("labels", self.labels.len().to_string()),
            ("labels per corner", format!("{per_corner:.1}")),
            ("largest label", measures.largest_label.to_string()),
            (
                "most corners seen from a cell",
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
