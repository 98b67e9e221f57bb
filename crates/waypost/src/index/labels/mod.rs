//! Corner labels: optimal paths in microseconds after a second of preparation.
//!
//! **Corners** are the cells round which shortest paths bend ([`StopAt::Corners`](crate::grid::scan::StopAt::Corners)). Two corners are joined where a walk of
//! diagonal, then straight steps leads from one to the other without meeting a third ([`graph`]). On this small graph
//! pruned landmark labelling ([`labelling`]) gives every corner a short list of hubs with their distances, such that any
//! two corners have a hub of a shortest path between them in common. A query ([`query`]) first tests the direct walk; if it
//! is blocked, it scans for the corners that each end may turn at, and takes the cheapest meeting of their lists. Every label
//! knows the next corner on the way to its hub, so the path follows by reading (`ways.rs`).
//!
//! **Why it is optimal.** Take two cells with no shortest path between them over a corner in between. Then a shortest path
//! contains no straight step before a diagonal one: swapping the two is possible unless a wall is in the way, and such a
//! wall makes the cell between them a corner. Nor does it change octant: a shorter way would be open, or again a
//! corner lies there. So the diagonal-first walk is free, has the least cost, and meets no corner. Cut any shortest path at the corners
//! of a shortest path that has as many as possible: each piece is such a pair. The scans find each piece from either end,
//! therefore the graph keeps the distances between corners, the ends see the first and last corner, and labels keep the
//! distances of the graph. The argument holds for all three corner rules, each with its own corners, and for every cost pair with
//! diagonal < 2 straight. The page `docs/guide/src/methods/labels.md` tells it at length.
//!
//! **Sources and deviations.** Corners and the graph are those of simple subgoal graphs (Uras, Koenig, Hernandez, ICAPS
//! 2013), found here by word scans; labelling is Akiba, Iwata and Yoshida (SIGMOD 2013). Putting the two together, keeping
//! only arcs seen from both ends, and the bound on operations are ours.
//!
//! **In a given memory** ([`Settings::fit_bytes`]) labels take half of the bytes (`steps.rs`), and where that is not enough the first hubs alone keep
//! theirs. These give the cheapest path over any of
//! them; a search of the corners between the hubs (`rest`) finds what is cheaper without, where there is such a path.
//!
//! **Limits.** Labels grow with the number of corners to the power of 1.5: noise has too many. [`CornerLabels::build`] refuses
//! such maps and says what to use instead. A changed map needs new labels; agents fall back to the jump-point graph until
//! they are there.

mod artifact;
mod bounds;
pub mod contraction;
pub(super) mod ends;
mod goal;
pub mod graph;
pub mod labelling;
mod lists;
pub mod order;
pub mod query;
mod rest;
mod room;
mod route;
mod slices;
mod steps;
mod table;
mod trees;
mod ways;

pub(crate) use artifact::INDEX_TYPE;
pub use goal::WaysTo;
pub use order::HubOrder;
pub use query::LabelQuery;
pub(crate) use route::Mark;
pub use route::{Route, RouteRuns};
pub(crate) use slices::{Slice, Unfinished};

use crate::artifact::Header;
use crate::cost::{Cost, CostPair};
use crate::grid::Point;
use crate::grid::scan::Scans;
use crate::index::{BuildError, IndexKind, NOT_UNIFORM, unless_cancelled};
use crate::map::Map;
use crate::progress::Progress;
use crate::search::jps::jump_scans;
use bounds::CornerBounds;
use ends::Ground;
use graph::CornerGraph;
use lists::Lists;
use rest::Rest;
use room::{Form, Room};
use steps::{Steps, StepsView};
use trees::HubTrees;
use ways::Ways;

/// Hub labels on the corners of a map.
#[derive(Clone, Debug)]
pub struct CornerLabels {
    header: Header,
    scans: Scans,
    graph: CornerGraph,
    lists: Lists,
    ways: Ways,
    bounds: CornerBounds,
    /// By rank: the hub's corner. All corners are hubs, unless labels were to fit a given memory.
    hubs: Vec<u32>,
    rest: Rest,
    measures: Measures,
    state: u64,
}

/// What bounds the work of a query.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Measures {
    /// What the corners that any cell sees take at most: their labels, and `CORNER` each.
    pub most_seen: u64,
    /// The longest list of labels.
    pub largest_label: u64,
    /// The most corners on the way from a corner to one of its hubs.
    pub longest_chain: u64,
    /// What a search of the corners that are no hubs takes at most.
    pub search: u64,
    /// What the corners that any cell sees take at most beside their labels: `CORNER` each.
    pub most_corners: u64,
    /// The most steps of a scan in one direction.
    pub longest_run: u64,
    /// Whether the ways to the hubs are kept in trees, where they lie side by side.
    pub is_in_trees: bool,
}

impl Measures {
    fn new(
        scans: &Scans,
        graph: &CornerGraph,
        lists: &Lists,
        (ways, longest_chain): (&Ways, u64),
        rest: &Rest,
    ) -> Measures {
        let most_seen = most_seen(scans, graph, lists);
        Measures {
            most_seen,
            largest_label: lists.longest() as u64,
            longest_chain,
            search: rest.operations_bound(graph),
            // On small maps slices would not be smaller.
            most_corners: match most_seen {
                0..SLICED_FROM => most_seen,
                _ => scans.most_seen(|_| CORNER),
            },
            longest_run: scans.longest_run().into(),
            is_in_trees: matches!(ways, Ways::Trees(_)),
        }
    }

    /// The most operations of a query: corners seen from both ends, walks tested, labels read, corners followed.
    pub fn operations_bound(self) -> u64 {
        // The most promising target's list may be read twice, and that of the target of the path once more.
        // A corner sees itself, and nothing else.
        let end = self.most_seen.max(u64::from(CORNER) + self.largest_label);
        let laid_out = 2 * FOLLOWED * (self.longest_chain + 2);
        self.begun() + 2 * end + 2 * self.largest_label + laid_out + self.search
    }

    /// The most operations of a query that reads so many labels at a time, with a piece of the path of so many operations
    /// beside the last of its legs.
    pub fn slice_bound(self, labels: u64, piece: u64) -> u64 {
        let corners = self.most_corners.max(u64::from(CORNER));
        // The parts of a way down from a hub are fewer than a number can be halved.
        let passed = self.longest_chain / trees::PASSED_AN_OPERATION;
        let look_down = u64::from(u32::BITS) * FOLLOWED + passed;
        let sliced = 2 * (corners + corners.div_ceil(u64::from(CORNER)) * 3 * SOUGHT) + labels;
        let slice = self.begun() + sliced + piece + 3 * FOLLOWED + look_down;
        // Searches, and ways that do not lie side by side, are not cut.
        let is_cut = self.search == 0 && self.is_in_trees;
        self.operations_bound()
            .min(if is_cut { slice } else { u64::MAX })
    }

    /// Operations that a query takes beside what it reads, sees and follows: to begin, and for its scans.
    pub(crate) fn begun(self) -> u64 {
        BEGUN + self.longest_run / STEPS_AN_OPERATION
    }
}

/// What a query takes beyond the operations that it counts, in operations: to begin, and for so many steps of the longest scan one more.
const BEGUN: u64 = 400;
const STEPS_AN_OPERATION: u64 = 16;
/// Where the corners that a cell sees take less with their labels, they are not counted without.
const SLICED_FROM: u64 = 2_048;

/// An operation of a query is the reading of one label. A corner that an end sees takes as long as so many of them (it is found by a
/// scan), and one that a path is followed over as so many: `docs/measurements/change.md` has the fit.
const SEEN: u64 = 40;
const FOLLOWED: u64 = 8;
/// Operations of a look for a hub in a list.
const SOUGHT: u64 = 8;
/// Operations for a corner at an end of a query beside the reading of its list: it is seen, the walk from it is tested, and it is
/// looked whether the path leads over it.
const CORNER: u32 = SEEN as u32 + 2;

/// What the corners that any cell sees take at most.
fn most_seen(scans: &Scans, graph: &CornerGraph, lists: &Lists) -> u64 {
    let (corners, lists) = (graph.points(), lists.view());
    scans.most_seen(|at| CORNER + lists.labels(corners.id(at)).len() as u32)
}

/// How labels are built.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Settings {
    /// The order of hubs.
    pub order: HubOrder,
    /// The most bytes that the file of labels may take: a build that would take more is refused.
    pub max_bytes: u64,
    /// Bytes that the file of labels is to fit: they are packed more closely, and the hubs that there is room for keep theirs. At least those of one
    /// hub.
    pub fit_bytes: Option<u64>,
}

impl Default for Settings {
    fn default() -> Settings {
        Settings {
            order: HubOrder::Coverage,
            max_bytes: 1 << 27,
            fit_bytes: None,
        }
    }
}

/// Bytes of a label: six of its list, ten of the way to its hub in a tree.
pub(crate) const LABEL_BYTES: u64 = 16;

/// About how many bytes the labels of this many corners take: the maps measured in `docs/measurements/labels.md` with more than 2,000
/// corners lie between half and one and a half times this.
pub(crate) fn estimated_bytes(corners: usize) -> u64 {
    let n = corners as f64;
    (LABEL_BYTES as f64 * n * n.sqrt()) as u64
}

/// About how many weighted operations labelling takes at most, which are nanoseconds on one core of a common machine: the
/// power 1.5 of the corners, and a scan of the cells. On eight maps of 800 to 22,900 corners the CPU time was 0.2 to 0.9 of it
/// (16,144 corners of a city 2.6 s of 3.2; 22,912 of an island map 1.7 s of 5.3; 5,320 corners on 2.4 million cells 0.6 s of
/// 0.8).
pub(crate) fn estimated_operations(corners: u64, passable: u64) -> u64 {
    let n = corners as f64;
    (1.5e3 * n * n.sqrt() + 1e2 * passable as f64) as u64
}

impl CornerLabels {
    /// Builds the labels of a map. Refuses maps on which they would pass `max_bytes`, unless they are to fit fewer.
    pub fn build(
        map: &Map,
        settings: Settings,
        progress: &dyn Progress,
    ) -> Result<CornerLabels, BuildError> {
        if !map.is_uniform() {
            return Err(BuildError::Unsuitable {
                index: IndexKind::Labels.name(),
                reason: NOT_UNIFORM.to_string(),
            });
        }
        let scans = jump_scans(map);
        unless_cancelled(progress)?;
        let graph = CornerGraph::watched(map, progress)?;
        let refuse = |what: String| BuildError::Unsuitable {
            index: IndexKind::Labels.name(),
            reason: format!(
                "{what}, and at most {} bytes are allowed; use jump-graph (or astar on noise), or allow more (max-bytes)",
                settings.max_bytes
            ),
        };
        if let Some(fit) = settings.fit_bytes.filter(|fit| *fit > settings.max_bytes) {
            let most = settings.max_bytes;
            return Err(BuildError::Unsuitable {
                index: IndexKind::Labels.name(),
                reason: format!(
                    "labels cannot fit {fit} bytes (fit-bytes) where at most {most} are allowed (max-bytes)"
                ),
            });
        }
        let fits = settings.fit_bytes.is_some();
        if graph.len() > labelling::MAX_CORNERS {
            return Err(refuse(format!("there are {} corners", graph.len())));
        }
        let estimate = estimated_bytes(graph.len());
        let too_many =
            estimate / 4 > settings.max_bytes || estimate > 2 * settings.max_bytes.max(50_000_000);
        if too_many && !fits {
            return Err(refuse(format!(
                "{} corners among {} passable cells need about {estimate} bytes of labels",
                graph.len(),
                map.grid().passable_count(),
            )));
        }
        let mut order = settings.order.arrange(&graph, progress)?;
        let header = Header::of(IndexKind::Labels, map, artifact::parameters(settings));
        let room = Room::new(&header, graph.len());
        let labels = match settings.fit_bytes {
            Some(bytes) => {
                let (labels, hubs) = room.fill(&graph, &order, bytes, progress)?;
                order.truncate(hubs);
                labels
            }
            None => {
                let most = room.labels(settings.max_bytes, Form::Trees).unwrap_or(0);
                labelling::label(&graph, &order, most, progress).map_err(|passed| {
                    refuse(format!(
                        "after {} of {} hubs there are {} bytes of labels, in all about {estimate} were expected",
                        passed.hubs + 1,
                        order.len(),
                        passed.count * LABEL_BYTES
                    ))
                })?
            }
        };
        unless_cancelled(progress)?;
        let (lists, arcs) = Lists::pack(labels)
            .ok_or_else(|| refuse("there are more labels than 32 bits count".to_string()))?;
        let count = lists.count() as u64;
        let fit = settings.fit_bytes.unwrap_or(u64::MAX);
        let trees = (room.bytes(count, Form::Trees, [0; 2]) <= fit)
            .then(|| HubTrees::plant(&graph, lists.view(), &arcs))
            .filter(|trees| room.bytes(count, Form::Trees, trees.exceptions()) <= fit);
        let (ways, bytes, longest_chain) = match trees {
            Some(trees) => {
                let bytes = room.bytes(count, Form::Trees, trees.exceptions());
                let longest = trees.longest_chain();
                (Ways::Trees(trees), bytes, longest)
            }
            None => {
                let form = match lists.ends_are_marked(order.len()) {
                    true => Form::StepsOfAll,
                    false => Form::Steps,
                };
                let steps = Steps::derive(&graph, lists.view(), &arcs);
                let view = StepsView {
                    steps: &steps,
                    lists: lists.view(),
                    graph: &graph,
                    hubs: &order,
                };
                let longest = view.longest_chain().unwrap_or(graph.len() as u64);
                (Ways::Steps(steps), room.bytes(count, form, [0; 2]), longest)
            }
        };
        drop(arcs);
        if bytes > settings.max_bytes {
            return Err(refuse(format!("the labels take a file of {bytes} bytes")));
        }
        let rest = Rest::of(&graph, &order);
        unless_cancelled(progress)?;
        Ok(CornerLabels {
            measures: Measures::new(&scans, &graph, &lists, (&ways, longest_chain), &rest),
            bounds: CornerBounds::new(&graph, &lists, order.len()),
            hubs: order,
            rest,
            lists,
            ways,
            scans,
            graph,
            header,
            state: map.fingerprint(),
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
        self.lists.count()
    }

    /// Whether all corners are hubs: labels alone give every path.
    pub fn knows_all(&self) -> bool {
        self.rest.is_empty()
    }

    /// What bounds the work of a query.
    pub fn measures(&self) -> Measures {
        self.measures
    }

    /// Bytes of labels: what the artifact holds beyond the map.
    pub fn label_bytes(&self) -> usize {
        self.lists.bytes() + self.ways.bytes()
    }

    /// The hubs of a corner and its costs to them, in the order of ranks.
    pub fn hubs(&self, corner: u32) -> impl Iterator<Item = (usize, Cost)> + '_ {
        self.lists.view().hubs(corner)
    }

    /// The hub of a rank.
    #[inline]
    pub(crate) fn hub_point(&self, rank: usize) -> Point {
        self.graph.points().point(self.hubs[rank])
    }

    #[inline]
    fn lists(&self) -> &Lists {
        &self.lists
    }

    #[inline]
    fn costs(&self) -> CostPair {
        self.header.rules.costs
    }

    #[inline]
    fn ground(&self) -> Ground<'_> {
        Ground {
            scans: &self.scans,
            corners: self.graph.points(),
            costs: self.costs(),
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

#[cfg(test)]
mod tests;
