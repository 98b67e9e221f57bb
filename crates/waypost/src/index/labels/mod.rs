//! Corner labels: optimal paths in microseconds after a second of preparation.
//!
//! **Corners** are the cells round which shortest paths bend ([`StopAt::Corners`](crate::grid::scan::StopAt::Corners)). Two corners are joined where a walk of
//! diagonal, then straight steps leads from one to the other without meeting a third ([`graph`]). On this small graph
//! pruned landmark labelling ([`labelling`]) gives every corner a short list of hubs with their distances, such that any
//! two corners have a hub of a shortest path between them in common. A query ([`query`]) first tests the direct walk; if it
//! is blocked, it scans for the corners that each end may turn at, and takes the cheapest meeting of their lists. Every label
//! knows the next corner on the way to its hub, so the path follows by reading.
//!
//! **Why it is optimal.** Take two cells with no shortest path between them over a corner in between. Then a shortest path
//! contains no straight step before a diagonal one: swapping the two is possible unless a wall is in the way, and such a
//! wall makes the cell between them a corner. Nor does it change octant: a shorter way would be open, or again a
//! corner lies there. So the diagonal-first walk is free, has the least cost, and meets no corner. Cut any shortest path at the corners
//! of a shortest path that has as many as possible: each piece is such a pair. The scans find each piece from either end,
//! therefore the graph keeps the distances between corners, the ends see the first and last corner, and labels keep the
//! distances of the graph. The argument holds for all three corner rules, each with its own corners, and for every cost pair with
//! diagonal < 2 straight. The page `docs/labels.md` tells it at length.
//!
//! **Sources and deviations.** Corners and the graph are those of simple subgoal graphs (Uras, Koenig, Hernandez, ICAPS
//! 2013), found here by word scans; labelling is Akiba, Iwata and Yoshida (SIGMOD 2013). Putting the two together, keeping
//! only arcs seen from both ends, and the bound on operations are ours.
//!
//! **Limits.** Labels grow with the number of corners to the power of 1.5: noise has too many. [`CornerLabels::build`] refuses
//! such maps and says what to use instead. A changed map needs new labels; agents fall back to the jump-point graph until
//! they are there.

mod artifact;
mod contraction;
pub mod graph;
pub mod labelling;
pub mod order;
mod packed;
pub mod query;

pub use artifact::INDEX_TYPE;
pub use order::HubOrder;
pub use query::LabelQuery;

use crate::artifact::{Array, Header};
use crate::cost::CostPair;
use crate::grid::Point;
use crate::grid::scan::Scans;
use crate::index::{BuildError, IndexKind};
use crate::map::Map;
use crate::progress::Progress;
use crate::search::jps::jump_scans;
use graph::CornerGraph;
use packed::Links;

/// Hub labels on the corners of a map.
#[derive(Clone, Debug)]
pub struct CornerLabels {
    header: Header,
    scans: Scans,
    graph: CornerGraph,
    first_label: Array<u32>,
    labels: Array<u64>,
    links: Array<u32>,
    links_form: Links,
    measures: Measures,
    state: u64,
}

/// What bounds the work of a query.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Measures {
    /// The most corners that any cell sees.
    pub most_seen: u64,
    /// The longest list of labels.
    pub largest_label: u64,
    /// The most corners on the way from a corner to one of its hubs.
    pub longest_chain: u64,
}

impl Measures {
    /// The most operations of a query: corners seen from both ends, walks tested, labels read, corners followed.
    pub fn operations_bound(self) -> u64 {
        // The most promising target's list may be read twice.
        let lists = 2 * self.most_seen + 1;
        3 * self.most_seen + lists * self.largest_label + 2 * self.longest_chain
    }
}

/// How labels are built.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Settings {
    /// The order of hubs.
    pub order: HubOrder,
    /// The most bytes that the labels may take.
    pub max_bytes: u64,
}

impl Default for Settings {
    fn default() -> Settings {
        Settings {
            order: HubOrder::Coverage,
            max_bytes: 100_000_000,
        }
    }
}

/// Bytes of a label: its word and its link.
pub const LABEL_BYTES: u64 = 12;

/// About how many bytes the labels of so many corners take: the maps measured in `docs/labels.md` with more than 2,000
/// corners lie between half and one and a half times this.
pub fn estimated_bytes(corners: usize) -> u64 {
    let n = corners as f64;
    (LABEL_BYTES as f64 * n * n.sqrt()) as u64
}

impl CornerLabels {
    /// Builds the labels of a map. Refuses maps on which they would pass `max_bytes`.
    pub fn build(
        map: &Map,
        settings: Settings,
        progress: &dyn Progress,
    ) -> Result<CornerLabels, BuildError> {
        let scans = jump_scans(map);
        let graph = CornerGraph::new(map);
        let refuse = |what: String| BuildError::Unsuitable {
            index: IndexKind::Labels.name(),
            reason: format!(
                "{what}, and at most {} bytes are allowed; use jump-graph (or astar on noise), or raise max-bytes",
                settings.max_bytes
            ),
        };
        let estimate = estimated_bytes(graph.len());
        if estimate / 4 > settings.max_bytes || estimate > 2 * settings.max_bytes.max(50_000_000) {
            return Err(refuse(format!(
                "{} corners among {} passable cells need about {estimate} bytes of labels",
                graph.len(),
                map.grid().passable_count(),
            )));
        }
        let order = settings.order.arrange(&graph);
        let labels = labelling::label(&graph, &order, settings.max_bytes / LABEL_BYTES, progress).map_err(
            |passed| {
                refuse(format!(
                    "after {} of {} hubs there are {} bytes of labels, in all about {estimate} were expected",
                    passed.hubs,
                    order.len(),
                    passed.labels * LABEL_BYTES
                ))
            },
        )?;
        let packed = packed::pack(&graph, &labels).ok_or_else(|| {
            refuse("a corner has too many arcs and labels for a 32-bit link".to_string())
        })?;
        let mut index = CornerLabels {
            header: Header::of(IndexKind::Labels, map, artifact::parameters(settings)),
            links: Array::from_slice(&packed.links),
            links_form: packed.links_form,
            first_label: Array::from_slice(&packed.first),
            labels: Array::from_slice(&packed.words),
            measures: Measures {
                most_seen: scans.most_stops(),
                largest_label: labels
                    .iter()
                    .map(|list| list.len() as u64)
                    .max()
                    .unwrap_or(0),
                longest_chain: 0,
            },
            scans,
            graph,
            state: map.fingerprint(),
        };
        index.measures.longest_chain = artifact::longest_chain(&index);
        Ok(index)
    }

    /// The labels for a map that has changed, if the change left the corner graph as it was. Otherwise they must be built
    /// again.
    pub fn rebind(&self, map: &Map) -> Option<CornerLabels> {
        let scans = jump_scans(map);
        let graph = CornerGraph::new(map);
        (map.rules() == self.header.rules && graph == self.graph).then(|| CornerLabels {
            header: Header::of(IndexKind::Labels, map, self.header.parameters.clone()),
            measures: Measures {
                most_seen: scans.most_stops(),
                ..self.measures
            },
            scans,
            state: map.fingerprint(),
            ..self.clone()
        })
    }

    /// The state of the map that the labels belong to.
    pub fn state(&self) -> u64 {
        self.state
    }

    /// The corner graph.
    pub fn graph(&self) -> &CornerGraph {
        &self.graph
    }

    /// The scans that find the corners at which a path from a cell may turn: its jump points.
    pub fn scans(&self) -> &Scans {
        &self.scans
    }

    /// How many corners.
    pub fn corners(&self) -> usize {
        self.graph.len()
    }

    /// How many labels.
    pub fn label_count(&self) -> usize {
        self.labels.len()
    }

    /// What bounds the work of a query.
    pub fn measures(&self) -> Measures {
        self.measures
    }

    /// Bytes of labels: what the artifact holds beyond the map.
    pub fn label_bytes(&self) -> usize {
        self.labels.len() * LABEL_BYTES as usize + self.first_label.len() * 4
    }

    /// The hubs of a corner and its costs to them, in the order of ranks.
    pub fn hubs(&self, corner: u32) -> impl Iterator<Item = (usize, u32)> + '_ {
        let (first, words): (&[u32], &[u64]) = (&self.first_label, &self.labels);
        words[first[corner as usize] as usize..first[corner as usize + 1] as usize]
            .iter()
            .map(|&word| (packed::hub(word), packed::distance(word)))
    }

    #[inline]
    fn costs(&self) -> CostPair {
        self.header.rules.costs
    }

    /// The labels as plain slices: taken once per query.
    #[inline]
    fn view(&self) -> View<'_> {
        View {
            first: &self.first_label,
            words: &self.labels,
            links: &self.links,
            links_form: self.links_form,
            graph: &self.graph,
        }
    }

    #[inline]
    fn is_passable(&self, at: Point) -> bool {
        at.x < self.header.width && at.y < self.header.height && self.scans.is_passable(at)
    }

    /// Is the walk between two cells free? `None` where either cannot be stood on.
    #[inline]
    fn is_direct(&self, from: Point, to: Point) -> Option<bool> {
        (self.is_passable(from) && self.is_passable(to)).then(|| self.scans.walk_is_free(from, to))
    }
}

/// Slices of the labels.
#[derive(Clone, Copy)]
struct View<'a> {
    first: &'a [u32],
    words: &'a [u64],
    links: &'a [u32],
    links_form: Links,
    graph: &'a CornerGraph,
}

impl<'a> View<'a> {
    #[inline]
    fn list(self, corner: u32) -> &'a [u64] {
        let (from, to) = (self.first[corner as usize], self.first[corner as usize + 1]);
        &self.words[from as usize..to as usize]
    }

    /// Where a hub stands in a corner's list.
    #[inline]
    fn find(self, corner: u32, hub: usize) -> Option<usize> {
        let words = self.list(corner);
        let at = words.partition_point(|&word| packed::hub(word) < hub);
        (at < words.len() && packed::hub(words[at]) == hub).then_some(at)
    }

    /// Calls `visit` with every corner on the way from a corner to the hub of its `label`-th label, the corner first.
    #[inline]
    fn for_each_to_hub(self, mut corner: u32, label: usize, mut visit: impl FnMut(Point)) {
        let mut at = self.first[corner as usize] as usize + label;
        loop {
            visit(self.graph.points().point(corner));
            if packed::distance(self.words[at]) == 0 {
                return;
            }
            let link = self.links[at];
            corner = self.graph.arcs(corner)[self.links_form.arc(link)].target;
            at = self.first[corner as usize] as usize + self.links_form.position(link);
        }
    }
}

#[cfg(test)]
mod tests;
