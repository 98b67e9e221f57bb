//! D LRTA* on explicit graphs: regions are the nodes of a level of the clique abstraction.
//!
//! As JAIR 2010 has it in section 5: every region has a representative, the node nearest to its middle; for every pair of regions the
//! first node beyond the region on a shortest path between representatives is stored, the entry of the next region. The agent walks by
//! LRTA* to the entry that its region has for the goal's region, and within that to the goal. The paper does not say why this would end,
//! and it need not: here a subgoal is kept until it is reached, and a region that comes up twice leaves the rest to LRTA*, which always
//! arrives.

use crate::agent::lrta::{Lrta, LrtaParams};
use crate::agent::{Agent, BYTES_PER_STATE, Context, Decision, WEIGHTS};
use crate::grid::Cell;
use crate::hierarchy::graph_levels::GraphLevels;
use crate::map::News;
use crate::space::{ExplicitGraph, Space};
use std::cmp::Reverse;
use std::collections::BinaryHeap;
use std::sync::Arc;

/// Regions are those of the lowest level with at most so many, unless a level is named.
const USUAL_REGIONS: usize = 512;
const NONE: u32 = u32::MAX;

/// Regions of a graph and the entries between them.
#[derive(Clone, Debug)]
pub struct GraphRegions {
    of_node: Vec<u32>,
    count: usize,
    /// From each region to each: the first node of the next region; [`NONE`] where there is no way.
    entries: Vec<u32>,
}

impl GraphRegions {
    /// The regions of a level, or of the highest where there is none so high.
    pub fn of(graph: &ExplicitGraph, level: Option<u32>) -> GraphRegions {
        let levels = GraphLevels::of(graph);
        let all = levels.levels();
        let small = || all.iter().position(|l| l.nodes() <= USUAL_REGIONS);
        let highest = all.len() - 1;
        let level = level.map_or_else(|| small().unwrap_or(highest), |l| l as usize);
        let level = level.min(highest);
        // Nodes that have no parent on the way up are regions of their own, behind those of the level.
        let mut count = all[level].nodes();
        let of_node = (0..graph.len() as u32).map(|n| {
            let line = levels.ancestors(Cell(n));
            (line.get(level).copied(), line[line.len() - 1], line.len())
        });
        let mut alone: Vec<(u32, usize)> = Vec::new();
        let mut numbers = Vec::with_capacity(graph.len());
        for (region, top, height) in of_node {
            numbers.push(region.unwrap_or_else(|| {
                let place = alone.iter().position(|&known| known == (top, height));
                let place = place.unwrap_or_else(|| {
                    alone.push((top, height));
                    alone.len() - 1
                });
                (count + place) as u32
            }));
        }
        count += alone.len();
        let mut regions = GraphRegions {
            of_node: numbers,
            count,
            entries: vec![NONE; count * count],
        };
        regions.find_entries(graph);
        regions
    }

    /// How many regions there are.
    pub fn len(&self) -> usize {
        self.count
    }

    /// Whether the graph has no nodes.
    pub fn is_empty(&self) -> bool {
        self.count == 0
    }

    fn find_entries(&mut self, graph: &ExplicitGraph) {
        let representatives = self.representatives(graph);
        for (to, &target) in representatives.iter().enumerate() {
            let Some(target) = target else { continue };
            let nearer = towards(graph, target);
            for (from, &start) in representatives.iter().enumerate() {
                let Some(start) = start else { continue };
                let on = |&node: &u32| Some(nearer[node as usize]).filter(|&next| next != NONE);
                let mut path = std::iter::successors(Some(start), on);
                let entry = path.find(|&node| self.of_node[node as usize] != from as u32);
                self.entries[from * self.count + to] = entry.unwrap_or(NONE);
            }
        }
    }

    /// Of each region the node nearest to the mean of its nodes.
    fn representatives(&self, graph: &ExplicitGraph) -> Vec<Option<u32>> {
        let mut sums = vec![[0i64; 3]; self.count];
        let nodes = || (0..graph.len() as u32).zip(&self.of_node);
        for (node, &region) in nodes() {
            let [x, y] = graph.position(Cell(node)).map(i64::from);
            let sum = &mut sums[region as usize];
            *sum = [sum[0] + x, sum[1] + y, sum[2] + 1];
        }
        let mut best: Vec<Option<(u128, u32)>> = vec![None; self.count];
        for (node, &region) in nodes() {
            let [x, y, count] = sums[region as usize];
            let position = graph.position(Cell(node)).map(i64::from);
            let off = |sum: i64, at: i64| u128::from((at * count).abs_diff(sum)).pow(2);
            let mine = (off(x, position[0]) + off(y, position[1]), node);
            let kept = &mut best[region as usize];
            if kept.is_none_or(|other| mine < other) {
                *kept = Some(mine);
            }
        }
        best.into_iter().map(|best| best.map(|(_, n)| n)).collect()
    }
}

/// From every node the next one on a shortest path to a target.
fn towards(graph: &ExplicitGraph, target: u32) -> Vec<u32> {
    let mut costs = vec![u64::MAX; graph.len()];
    let mut next = vec![NONE; graph.len()];
    let mut open = BinaryHeap::new();
    costs[target as usize] = 0;
    open.push(Reverse((0u64, target)));
    while let Some(Reverse((cost, node))) = open.pop() {
        if cost > costs[node as usize] {
            continue;
        }
        for &(beyond, step) in graph.edges_of(Cell(node)) {
            let cost = cost + u64::from(step);
            if cost < costs[beyond.index()] {
                costs[beyond.index()] = cost;
                next[beyond.index()] = node;
                open.push(Reverse((cost, beyond.0)));
            }
        }
    }
    next
}

/// The agent.
#[derive(Clone, Debug)]
pub struct GraphDLrta {
    regions: Arc<GraphRegions>,
    walker: Lrta,
    goal: Cell,
    /// Regions that a subgoal was selected in.
    selected: Vec<u32>,
    seen: u64,
}

impl GraphDLrta {
    /// An agent that shares the regions of its graph.
    pub fn new(regions: Arc<GraphRegions>, lrta: LrtaParams) -> GraphDLrta {
        GraphDLrta {
            regions,
            walker: Lrta::new(lrta),
            goal: Cell::NONE,
            selected: Vec::new(),
            seen: 0,
        }
    }

    /// The entry of the next region, or the goal.
    fn select(&mut self, at: Cell) -> Cell {
        let [here, there] = [at, self.goal].map(|cell| self.regions.of_node[cell.index()]);
        let entry = self.regions.entries[here as usize * self.regions.count + there as usize];
        if here == there || entry == NONE || entry == at.0 || self.selected.contains(&here) {
            return self.goal;
        }
        self.selected.push(here);
        Cell(entry)
    }
}

impl Agent<ExplicitGraph> for GraphDLrta {
    fn start(&mut self, context: &mut Context<ExplicitGraph>, from: Cell, goal: Cell) {
        self.walker.start(context, goal);
        self.goal = goal;
        self.selected.clear();
        if context.space.connected(from, goal) {
            let first = self.select(from);
            self.walker.set_goal(first);
        }
    }

    fn decide(&mut self, context: &mut Context<ExplicitGraph>, at: Cell) -> Decision {
        if let Some(end) = Decision::at_once(context.space, at, self.goal) {
            return end;
        }
        if at == self.walker.goal() {
            let next = self.select(at);
            self.walker.set_goal(next);
        }
        match self.walker.step(context, at) {
            Some(next) => Decision::Step(next),
            None => Decision::Unreachable,
        }
    }

    fn seen(&mut self) -> &mut u64 {
        &mut self.seen
    }

    fn changed(&mut self, context: &mut Context<ExplicitGraph>, news: News) {
        self.walker.changed(context, news);
    }

    fn memory_bytes(&self) -> usize {
        (self.walker.states_in_memory() + self.selected.len()) * BYTES_PER_STATE
    }

    fn reserved_bytes(&self) -> usize {
        self.walker.reserved_bytes() + self.selected.capacity() * size_of::<u32>()
    }

    fn learned_bytes(&self) -> usize {
        self.walker.reserved_bytes() - size_of::<Lrta>()
    }

    fn operations_bound(&self, space: &ExplicitGraph) -> Option<u64> {
        Some(self.walker.operations_bound(space) + 1)
    }

    fn weighted_bound(&self, space: &ExplicitGraph) -> Option<u64> {
        Some(self.walker.weighted_bound(space) + WEIGHTS.look_ups)
    }
}
