//! Pruned landmark labelling (Akiba, Iwata, Yoshida, SIGMOD 2013) on the corner graph, with weights: one Dijkstra per
//! hub that does not go on from corners whose distance the hubs before it know already.

use super::graph::CornerGraph;
use super::room::keep;
use crate::cost::Cost;
use crate::parallel::{prelude::*, threads};
use crate::progress::Progress;
use std::cmp::Reverse;
use std::collections::BinaryHeap;

/// What a corner knows of a hub, in eight bytes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Label {
    /// The hub's rank, which is its place in the order, above the lowest bits of the number of the arc that leads on to it.
    hub_and_arc: u32,
    /// The cost to the hub.
    pub distance: Cost,
}

/// Bits that are kept of the number of an arc ([`super::steps::next_arc`]).
const ARC_BITS: u32 = 8;
/// Corners that labels have numbers for.
pub const MAX_CORNERS: usize = 1 << (u32::BITS - ARC_BITS);

impl Label {
    /// The label of a hub at this cost, to which the arc of this number leads.
    pub fn new(hub: u32, distance: Cost, arc: usize) -> Label {
        Label {
            hub_and_arc: hub << ARC_BITS | u32::from(arc as u8),
            distance,
        }
    }

    /// The hub's rank.
    #[inline]
    pub fn hub(self) -> usize {
        (self.hub_and_arc >> ARC_BITS) as usize
    }

    /// The lowest bits of the number of the arc that leads on to the hub; of no meaning at the hub itself.
    pub fn arc(self) -> u8 {
        self.hub_and_arc as u8
    }
}

/// Hubs whose searches run side by side. Part of the result's definition, so it does not depend on the number of threads.
const BATCH: usize = 16;
/// Of the hubs before them at most so many go at once: the first ones label nearly everything and prune each other most.
const BATCH_PART: usize = 4;

/// The labels of every corner, each list in the order of ranks. An error once they pass `most_labels`, with those of the hubs before;
/// fewer of them where whoever watches wants no more, to be asked afterwards.
///
/// Hubs go in batches. The searches of a batch see the labels of the batches before, not those of each other, so
/// they find some labels too many; those that an earlier hub of the same batch makes needless are then left out, one hub
/// after the other, as if each search had seen all hubs before it. What is left out takes everything beyond it on its search
/// tree along: a path over a corner that an earlier hub covers is covered too. So every label that stays leads on to one.
pub fn label(
    graph: &CornerGraph,
    order: &[u32],
    most_labels: u64,
    progress: &dyn Progress,
) -> Result<Vec<Vec<Label>>, LabelsPassed> {
    let mut labels: Vec<Vec<Label>> = vec![Vec::new(); graph.len()];
    let mut count = 0;
    let mut rank = 0;
    progress.begin("labels", order.len() as u64);
    while rank < order.len() && !progress.is_cancelled() {
        let size = (rank / BATCH_PART).clamp(1, BATCH);
        let hubs = &order[rank..order.len().min(rank + size)];
        let found: Vec<Vec<(u32, Label)>> = hubs
            .par_iter()
            .enumerate()
            .map_init(
                || Search::new(graph.len()),
                |search, (i, &hub)| search.labels_of(graph, &labels, (rank + i) as u32, hub),
            )
            .collect();
        for (i, added) in add(&mut labels, hubs, &found, rank).into_iter().enumerate() {
            count += added;
            if count > most_labels {
                let hubs = rank + i;
                keep(&mut labels, hubs);
                return Err(LabelsPassed {
                    hubs,
                    count,
                    labels,
                });
            }
        }
        rank += hubs.len();
        progress.advance(hubs.len() as u64);
    }
    Ok(labels)
}

/// Adds what the searches of a batch have found to the lists, but for what an earlier hub of the batch covers: how many labels of each hub.
fn add(
    labels: &mut [Vec<Label>],
    hubs: &[u32],
    found: &[Vec<(u32, Label)>],
    rank: usize,
) -> Vec<u64> {
    let between = distances_within(hubs, found, rank);
    let share = labels.len().div_ceil(threads()).max(1);
    let pieces: Vec<[u64; BATCH]> = labels
        .par_chunks_mut(share)
        .enumerate()
        .map(|(piece, lists)| {
            let corners = piece * share..piece * share + lists.len();
            let mut added = [0; BATCH];
            for ((found, known), added) in found.iter().zip(&between).zip(&mut added) {
                for &(id, label) in found.iter().filter(|f| corners.contains(&(f.0 as usize))) {
                    let list = &mut lists[id as usize - corners.start];
                    // Labels of earlier batches were compared with already.
                    let newer = list.partition_point(|label| label.hub() < rank);
                    if !covers(&list[newer..], rank, known, label.distance) {
                        // Lists that double would be half empty.
                        if list.len() == list.capacity() {
                            list.reserve_exact((list.len() / 8).max(4));
                        }
                        list.push(label);
                        *added += 1;
                    }
                }
            }
            added
        })
        .collect();
    let of_hub = |i: usize| pieces.iter().map(|added| added[i]).sum();
    (0..hubs.len()).map(of_hub).collect()
}

/// How far the hubs of a batch are from those before them in it, where none of the earlier ones covers that.
fn distances_within(
    hubs: &[u32],
    found: &[Vec<(u32, Label)>],
    rank: usize,
) -> [[Cost; BATCH]; BATCH] {
    let mut between = [[Cost::MAX; BATCH]; BATCH];
    for (i, found) in found.iter().enumerate() {
        for (j, &hub) in hubs.iter().enumerate().skip(i + 1) {
            let Some((_, label)) = found.iter().find(|(id, _)| *id == hub) else {
                continue;
            };
            let earlier = (0..i).map(|k| between[i][k].saturating_add(between[j][k]));
            if earlier.min().is_none_or(|covered| covered > label.distance) {
                between[j][label.hub() - rank] = label.distance;
            }
        }
    }
    between
}

/// Lays the distances of a hub to the hubs before it out by rank, and takes them back.
fn with_known(known: &mut [Cost], labels: &[Label], use_them: impl FnOnce(&[Cost])) {
    for label in labels {
        known[label.hub()] = label.distance;
    }
    use_them(known);
    for label in labels {
        known[label.hub()] = Cost::MAX;
    }
}

/// Whether these labels give a path that is as short; `known` are distances by rank, from the first one on.
#[inline]
fn covers(labels: &[Label], first: usize, known: &[Cost], distance: Cost) -> bool {
    labels
        .iter()
        .any(|label| known[label.hub() - first].saturating_add(label.distance) <= distance)
}

/// There are more labels than allowed.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct LabelsPassed {
    /// Hubs whose labels are not too many.
    pub hubs: usize,
    /// Labels, with those of the hub after them.
    pub count: u64,
    /// The labels of these hubs.
    pub labels: Vec<Vec<Label>>,
}

/// Memory of one search.
struct Search {
    known: Vec<Cost>,
    distance: Vec<Cost>,
    next: Vec<u32>,
    touched: Vec<u32>,
    open: BinaryHeap<Reverse<u64>>,
}

impl Search {
    fn new(corners: usize) -> Search {
        Search {
            known: vec![Cost::MAX; corners],
            distance: vec![Cost::MAX; corners],
            next: vec![0; corners],
            touched: Vec::new(),
            open: BinaryHeap::new(),
        }
    }

    /// The labels that a hub gives, in the order of distance.
    fn labels_of(
        &mut self,
        graph: &CornerGraph,
        labels: &[Vec<Label>],
        rank: u32,
        hub: u32,
    ) -> Vec<(u32, Label)> {
        let mut known = std::mem::take(&mut self.known);
        let mut found = Vec::new();
        with_known(&mut known, &labels[hub as usize], |known| {
            self.reach(hub, 0, hub);
            while let Some(Reverse(entry)) = self.open.pop() {
                let (distance, id) = ((entry >> 32) as Cost, entry as u32);
                if distance != self.distance[id as usize]
                    || covers(&labels[id as usize], 0, known, distance)
                {
                    continue;
                }
                let next = self.next[id as usize];
                let arcs = graph.arcs(id);
                let arc = arcs.binary_search_by_key(&next, |arc| arc.target);
                found.push((id, Label::new(rank, distance, arc.unwrap_or(0))));
                for arc in graph.arcs(id) {
                    self.reach(arc.target, distance.saturating_add(arc.cost), id);
                }
            }
        });
        self.known = known;
        for id in self.touched.drain(..) {
            self.distance[id as usize] = Cost::MAX;
        }
        found
    }

    #[inline]
    fn reach(&mut self, id: u32, distance: Cost, next: u32) {
        let best = &mut self.distance[id as usize];
        if distance < *best {
            if *best == Cost::MAX {
                self.touched.push(id);
            }
            *best = distance;
            self.next[id as usize] = next;
            self.open
                .push(Reverse(u64::from(distance) << 32 | u64::from(id)));
        }
    }
}
