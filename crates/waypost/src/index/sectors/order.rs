//! The order of columns: regions as a depth-first walk of the region graph meets them.

use super::graph::RegionGraph;
use std::ops::Range;

/// A depth-first walk, cheapest edges first, components one after the other. It can stop after any step.
#[derive(Clone, Debug)]
pub struct DepthFirst {
    /// The regions met so far.
    pub order: Vec<u32>,
    /// The place of each region in the order.
    pub column: Vec<u32>,
    /// The region that the walk of each region's component began with.
    pub component: Vec<u32>,
    /// How many regions each component has, by the region that it begins with.
    pub size: Vec<u32>,
    /// Does an edge lead from one component to another? Not in a graph whose ways all lead back as well.
    pub leads_out: bool,
    met: Vec<u64>,
    stack: Vec<u32>,
    start: u32,
    next_start: u32,
}

/// What a step came to.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Step {
    /// A region was met for the first time.
    Met(u32),
    /// Nothing new.
    Nothing,
    /// All regions are in the order.
    Done,
}

impl DepthFirst {
    /// A walk that has met nothing.
    pub fn new(graph: &RegionGraph) -> DepthFirst {
        let count = graph.len();
        DepthFirst {
            order: Vec::with_capacity(count),
            column: vec![0; count],
            component: vec![0; count],
            size: vec![0; count],
            leads_out: false,
            met: vec![0; count.div_ceil(64)],
            stack: Vec::with_capacity(graph.to.len()),
            start: 0,
            next_start: 0,
        }
    }

    /// The whole walk.
    pub fn run(graph: &RegionGraph) -> DepthFirst {
        let mut walk = DepthFirst::new(graph);
        while walk.step(graph) != Step::Done {}
        walk
    }

    /// Takes one step, which looks at the edges of one region at most.
    pub fn step(&mut self, graph: &RegionGraph) -> Step {
        let region = match self.stack.pop() {
            Some(region) => region,
            None if self.next_start as usize == graph.len() => return Step::Done,
            None => {
                self.start = self.next_start;
                self.next_start += 1;
                self.start
            }
        };
        if self.has_met(region) {
            return Step::Nothing;
        }
        self.met[region as usize / 64] |= 1 << (region % 64);
        self.component[region as usize] = self.start;
        self.column[region as usize] = self.order.len() as u32;
        self.size[self.start as usize] += 1;
        self.order.push(region);
        for &to in graph.targets(region).iter().rev() {
            if !self.has_met(to) {
                self.stack.push(to);
            } else if self.component[to as usize] != self.start {
                self.leads_out = true;
            }
        }
        Step::Met(region)
    }

    /// The columns of a region's component, where all that the region reaches stands; all columns where edges lead out.
    pub fn columns_from(&self, region: u32) -> Range<usize> {
        if self.leads_out {
            return 0..self.order.len();
        }
        self.columns_of_component(region)
    }

    /// The columns of a region's component.
    pub fn columns_of_component(&self, region: u32) -> Range<usize> {
        let start = self.component[region as usize] as usize;
        let first = self.column[start] as usize;
        first..first + self.size[start] as usize
    }

    /// Whether the region is in the order already.
    pub fn has_met(&self, region: u32) -> bool {
        self.met[region as usize / 64] >> (region % 64) & 1 != 0
    }
}
