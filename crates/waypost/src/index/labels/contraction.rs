//! The order of a contraction hierarchy (Geisberger, Sanders, Schultes, Delling 2008): corners are taken out of the graph one by
//! one, the least needed first, with shortcuts in their place; the one that goes last becomes the first hub.
//!
//! How much a corner is needed: shortcuts that its removal would add less arcs that it would take away, plus how many of its
//! neighbours have gone before it, which spreads the removals over the map. Corners of open ground see hundreds of others,
//! and a graph without its outer corners grows denser with every removal, so work is bounded: when the limit of arcs
//! looked at is reached, what is left keeps the order of its degrees and goes to the front.

use super::graph::CornerGraph;
use crate::cost::Cost;
use std::cmp::Reverse;
use std::collections::BinaryHeap;

/// Arcs looked at in all, for each arc of the graph.
const WORK_PER_ARC: u64 = 2_000;
/// Corners settled by a search for a witness before it gives up and the shortcut is added: that is never wrong.
const MAX_SETTLED: usize = 40;

struct Remaining {
    /// Target and cost, in the order of targets.
    arcs: Vec<Vec<(u32, Cost)>>,
    gone_beside: Vec<i64>,
    distance: Vec<Cost>,
    touched: Vec<u32>,
    work: u64,
}

/// The corners of a graph, the first hub first.
pub(crate) fn arrange(graph: &CornerGraph) -> Vec<u32> {
    let count = graph.len() as u32;
    let mut remaining = Remaining {
        arcs: (0..count)
            .map(|id| graph.arcs(id).iter().map(|a| (a.target, a.cost)).collect())
            .collect(),
        gone_beside: vec![0; count as usize],
        distance: vec![Cost::MAX; count as usize],
        touched: Vec::new(),
        work: 0,
    };
    let most_work = graph.arc_count() as u64 * WORK_PER_ARC;
    let mut shortcuts = Vec::new();
    let mut queue: BinaryHeap<Reverse<(i64, u32)>> = (0..count)
        .map(|id| Reverse((remaining.need(id, &mut shortcuts), id)))
        .collect();
    let mut gone = vec![false; count as usize];
    let mut order = Vec::with_capacity(count as usize);
    while let Some(Reverse((need, id))) = queue.pop() {
        if remaining.work > most_work {
            queue.push(Reverse((need, id)));
            break;
        }
        // Needs change as neighbours go: a corner whose need has grown waits its turn again.
        let now = remaining.need(id, &mut shortcuts);
        if queue.peek().is_some_and(|&Reverse(next)| (now, id) > next) && now > need {
            queue.push(Reverse((now, id)));
            continue;
        }
        remaining.take_out(id, &shortcuts);
        gone[id as usize] = true;
        order.push(id);
    }
    let mut left: Vec<u32> = (0..count).filter(|&id| !gone[id as usize]).collect();
    left.sort_by_key(|&id| (remaining.arcs[id as usize].len(), Reverse(id)));
    order.extend(left);
    order.reverse();
    order
}

impl Remaining {
    /// How much a corner is needed; lists the shortcuts that would stand in for it.
    fn need(&mut self, id: u32, shortcuts: &mut Vec<(u32, u32, Cost)>) -> i64 {
        shortcuts.clear();
        let arcs = std::mem::take(&mut self.arcs[id as usize]);
        for (i, &(from, cost)) in arcs.iter().enumerate() {
            let Some(farthest) = arcs[i + 1..].iter().map(|arc| arc.1).max() else {
                break;
            };
            self.search_round(from, id, cost.saturating_add(farthest));
            for &(to, second) in &arcs[i + 1..] {
                let through = cost.saturating_add(second);
                if self.distance[to as usize] > through {
                    shortcuts.push((from, to, through));
                }
            }
            for id in self.touched.drain(..) {
                self.distance[id as usize] = Cost::MAX;
            }
        }
        let need = shortcuts.len() as i64 - arcs.len() as i64 + 2 * self.gone_beside[id as usize];
        self.arcs[id as usize] = arcs;
        need
    }

    /// Distances from a corner to those near it, without going over `round`.
    fn search_round(&mut self, from: u32, round: u32, limit: Cost) {
        let mut open = BinaryHeap::from([Reverse((0, from))]);
        self.distance[from as usize] = 0;
        self.touched.push(from);
        let mut settled = 0;
        while let Some(Reverse((distance, id))) = open.pop() {
            if distance > self.distance[id as usize] {
                continue;
            }
            settled += 1;
            if settled > MAX_SETTLED || distance > limit {
                break;
            }
            self.work += self.arcs[id as usize].len() as u64;
            for &(next, cost) in &self.arcs[id as usize] {
                let known = &mut self.distance[next as usize];
                let cost = distance.saturating_add(cost);
                if next != round && cost < *known {
                    if *known == Cost::MAX {
                        self.touched.push(next);
                    }
                    *known = cost;
                    open.push(Reverse((cost, next)));
                }
            }
        }
    }

    fn take_out(&mut self, id: u32, shortcuts: &[(u32, u32, Cost)]) {
        for (neighbour, _) in std::mem::take(&mut self.arcs[id as usize]) {
            self.gone_beside[neighbour as usize] += 1;
            self.arcs[neighbour as usize].retain(|arc| arc.0 != id);
        }
        for &(a, b, cost) in shortcuts {
            self.join(a, b, cost);
            self.join(b, a, cost);
        }
    }

    fn join(&mut self, from: u32, to: u32, cost: Cost) {
        let arcs = &mut self.arcs[from as usize];
        match arcs.binary_search_by_key(&to, |arc| arc.0) {
            Ok(at) => arcs[at].1 = arcs[at].1.min(cost),
            Err(at) => arcs.insert(at, (to, cost)),
        }
    }
}
