//! Distances from one region to all.

use super::allowance::Allowance;
use super::graph::RegionGraph;
use crate::cost::{Cost, UNREACHED};

/// Dijkstra's search on the region graph, which can stop after any region. Buckets are at most as wide as the cheapest edge,
/// so no edge leads from a bucket into the same one and its members may be expanded in any order.
#[derive(Clone, Debug)]
pub struct DistanceSearch {
    /// Everything is unreached between searches.
    distance: Vec<Cost>,
    /// A ring of buckets, a power of two of them.
    buckets: Vec<Vec<u32>>,
    /// A bucket is as wide as a power of two.
    width_bits: u32,
    /// How many regions wait in buckets.
    waiting: usize,
    level: u32,
    /// What is left of the bucket of this level.
    members: Vec<u32>,
}

/// What a region and an edge of it take, in touches: about 45 ns for a region with 8 edges.
const REGION_TOUCHES: usize = 4;
const EDGE_TOUCHES: usize = 1;
/// Regions that are prepared or collected at once.
const BLOCK: usize = 1024;

impl DistanceSearch {
    /// For a graph; [`DistanceSearch::prepare`] comes next.
    pub fn new(graph: &RegionGraph) -> DistanceSearch {
        let (least, most) = graph.costs();
        let width_bits = least.max(1).ilog2();
        let slots = ((most >> width_bits) as usize + 2).next_power_of_two();
        DistanceSearch {
            distance: Vec::with_capacity(graph.len()),
            buckets: vec![Vec::new(); slots],
            width_bits,
            waiting: 0,
            level: 0,
            members: Vec::new(),
        }
    }

    /// Fills memory; true once that is done.
    pub fn prepare(&mut self, graph: &RegionGraph, allowance: &mut Allowance) -> bool {
        while self.distance.len() < graph.len() && !allowance.is_spent() {
            let end = graph.len().min(self.distance.len() + BLOCK);
            self.distance.resize(end, UNREACHED);
            allowance.spend(BLOCK / 16);
        }
        self.distance.len() == graph.len()
    }

    /// Begins a search.
    pub fn begin(&mut self, source: u32) {
        self.distance[source as usize] = 0;
        self.members.push(source);
        self.level = 0;
    }

    /// Goes on; true once all that can be reached is.
    pub fn advance(&mut self, graph: &RegionGraph, allowance: &mut Allowance) -> bool {
        let mask = self.buckets.len() - 1;
        loop {
            while let Some(region) = self.members.pop() {
                self.expand(graph, region, mask);
                allowance.spend(REGION_TOUCHES + EDGE_TOUCHES * graph.degree(region));
                if allowance.is_spent() {
                    return false;
                }
            }
            if self.waiting == 0 {
                return true;
            }
            self.level += 1;
            allowance.spend(1);
            let slot = self.level as usize & mask;
            std::mem::swap(&mut self.members, &mut self.buckets[slot]);
            self.waiting -= self.members.len();
        }
    }

    #[inline]
    fn expand(&mut self, graph: &RegionGraph, region: u32, mask: usize) {
        let distance = self.distance[region as usize];
        // Left behind when the region was found to be nearer.
        if distance >> self.width_bits != self.level {
            return;
        }
        for (to, cost) in graph.edges(region) {
            let farther = distance.saturating_add(cost);
            if farther < self.distance[to as usize] {
                self.distance[to as usize] = farther;
                self.buckets[(farther >> self.width_bits) as usize & mask].push(to);
                self.waiting += 1;
            }
        }
    }

    /// Appends the distances to the regions of `order` that are not in `out` yet, and forgets them; true once all are there.
    pub fn collect(
        &mut self,
        order: &[u32],
        out: &mut Vec<Cost>,
        allowance: &mut Allowance,
    ) -> bool {
        if out.is_empty() {
            out.reserve_exact(order.len());
        }
        while out.len() < order.len() && !allowance.is_spent() {
            let block = &order[out.len()..order.len().min(out.len() + BLOCK)];
            let distance = &mut self.distance;
            let take = |&to: &u32| std::mem::replace(&mut distance[to as usize], UNREACHED);
            out.extend(block.iter().map(take));
            allowance.spend(block.len() / 2);
        }
        out.len() == order.len()
    }

    /// A whole search: the distances in the order given.
    pub fn run(&mut self, graph: &RegionGraph, source: u32, order: &[u32], out: &mut Vec<Cost>) {
        let mut unlimited = Allowance::unlimited();
        self.prepare(graph, &mut unlimited);
        self.begin(source);
        self.advance(graph, &mut unlimited);
        out.clear();
        self.collect(order, out, &mut unlimited);
    }
}
