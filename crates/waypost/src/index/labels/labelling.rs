//! Pruned landmark labelling (Akiba, Iwata, Yoshida, SIGMOD 2013) on the corner graph, with weights: one Dijkstra per
//! hub that does not go on from corners whose distance the hubs before it know already.

use super::graph::CornerGraph;
use crate::cost::Cost;
use crate::progress::Progress;
use std::cmp::Reverse;
use std::collections::BinaryHeap;

/// What a corner knows of a hub.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Label {
    /// The hub's rank: its place in the order.
    pub hub: u32,
    /// The cost to the hub.
    pub distance: Cost,
    /// The next corner on the way to the hub; the corner itself where it is the hub.
    pub next: u32,
}

/// The labels of every corner, each list in the order of ranks. `None` once they pass `most_labels`.
pub fn label(
    graph: &CornerGraph,
    order: &[u32],
    most_labels: u64,
    progress: &dyn Progress,
) -> Result<Vec<Vec<Label>>, LabelsPassed> {
    let mut builder = Builder {
        labels: vec![Vec::new(); graph.len()],
        known: vec![Cost::MAX; graph.len()],
        distance: vec![Cost::MAX; graph.len()],
        next: vec![0; graph.len()],
        touched: Vec::new(),
        open: BinaryHeap::new(),
        count: 0,
    };
    progress.begin("labels", order.len() as u64);
    for (rank, &hub) in order.iter().enumerate() {
        builder.add_hub(graph, rank as u32, hub);
        if builder.count > most_labels {
            return Err(LabelsPassed {
                hubs: rank + 1,
                labels: builder.count,
            });
        }
        progress.advance(1);
    }
    Ok(builder.labels)
}

/// There are more labels than allowed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct LabelsPassed {
    /// Hubs done.
    pub hubs: usize,
    /// Labels so far.
    pub labels: u64,
}

struct Builder {
    labels: Vec<Vec<Label>>,
    /// Distances of the current hub to the hubs before it, by rank.
    known: Vec<Cost>,
    distance: Vec<Cost>,
    next: Vec<u32>,
    touched: Vec<u32>,
    open: BinaryHeap<Reverse<u64>>,
    count: u64,
}

impl Builder {
    fn add_hub(&mut self, graph: &CornerGraph, rank: u32, hub: u32) {
        for label in &self.labels[hub as usize] {
            self.known[label.hub as usize] = label.distance;
        }
        self.reach(hub, 0, hub);
        while let Some(Reverse(entry)) = self.open.pop() {
            let (distance, id) = ((entry >> 32) as Cost, entry as u32);
            if distance != self.distance[id as usize] || self.is_known(id, distance) {
                continue;
            }
            self.labels[id as usize].push(Label {
                hub: rank,
                distance,
                next: self.next[id as usize],
            });
            self.count += 1;
            for arc in graph.arcs(id) {
                self.reach(arc.target, distance.saturating_add(arc.cost), id);
            }
        }
        for id in self.touched.drain(..) {
            self.distance[id as usize] = Cost::MAX;
        }
        for label in &self.labels[hub as usize] {
            self.known[label.hub as usize] = Cost::MAX;
        }
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

    /// Do the hubs so far give a path that is as short?
    #[inline]
    fn is_known(&self, id: u32, distance: Cost) -> bool {
        self.labels[id as usize]
            .iter()
            .any(|label| self.known[label.hub as usize].saturating_add(label.distance) <= distance)
    }
}
