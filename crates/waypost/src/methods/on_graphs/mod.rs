//! Methods of the clique abstraction on explicit graphs: PRA* and QuickPath here, D LRTA* in [`d_lrta`].
//!
//! AAAI 2005 abstracts "a general graph" in its figure 2 and JAIR 2010 states all its methods for graphs in section 2; grids have
//! their own, faster ways of doing the same ([`super::pra`], [`super::quickpath`], [`super::d_lrta`]). The abstraction is made with
//! the agent, and planning allocates: these are for graphs of waypoints, which are small.

pub mod d_lrta;

use crate::agent::{Agent, Context, Decision};
use crate::grid::Cell;
use crate::hierarchy::graph_levels::{GraphLevel, GraphLevels};
use crate::map::News;
use crate::search::{GraphSearch, PathSearch};
use crate::space::{ExplicitGraph, Space};
use std::cmp::Reverse;
use std::collections::BinaryHeap;
use std::sync::Arc;

/// How paths are made of the levels.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Refinement {
    /// PRA*: A* on a level in between, and below only through children of the path above.
    Search {
        /// Where to start, in hundredths of the level at which both ends come together.
        start_percent: u32,
        /// Nodes of each level to refine at a time; `None` for all.
        k: Option<u32>,
    },
    /// QuickPath: no search, any way through the children.
    Quick,
}

/// Plans through the levels of a graph and walks what it planned; plans again where a partial path ends.
#[derive(Clone, Debug)]
pub struct LevelsAgent {
    levels: Arc<GraphLevels>,
    refinement: Refinement,
    goal: Cell,
    path: Vec<Cell>,
    /// Where on the path the agent stands.
    position: usize,
    /// Where it has planned from in this problem. From the same node twice it plans the whole path, so that every walk ends.
    planned_from: Vec<Cell>,
    search: GraphSearch,
    seen: u64,
}

impl LevelsAgent {
    /// An agent that shares the levels of its graph.
    pub fn new(levels: Arc<GraphLevels>, refinement: Refinement) -> LevelsAgent {
        LevelsAgent {
            levels,
            refinement,
            goal: Cell::NONE,
            path: Vec::new(),
            position: 0,
            planned_from: Vec::new(),
            search: GraphSearch::new(),
            seen: 0,
        }
    }

    fn plan(&mut self, context: &mut Context<ExplicitGraph>, from: Cell) {
        let again = self.planned_from.contains(&from);
        self.planned_from.push(from);
        let ancestors = [from, self.goal].map(|cell| self.levels.ancestors(cell));
        let [start, goal] = &ancestors;
        let met = start.iter().zip(goal).take_while(|(a, b)| a != b).count();
        let path = match self.refinement {
            Refinement::Quick => self.quick(context, start, goal, met),
            Refinement::Search { start_percent, k } => {
                let first = (met as u32 * start_percent / 100).min(met as u32);
                let k = k.filter(|_| !again);
                self.refined(context, [start, goal], first as usize, k)
            }
        };
        self.path = path.into_iter().map(Cell).collect();
        self.position = 0;
    }

    /// From the node that stands for both down to the ground: through the children of each node on, by fewest edges.
    fn quick(
        &self,
        context: &mut Context<ExplicitGraph>,
        start: &[u32],
        goal: &[u32],
        met: usize,
    ) -> Vec<u32> {
        let mut path = vec![start[met]];
        for l in (0..met).rev() {
            let (level, above) = (&self.levels.levels()[l], &self.levels.levels()[l + 1]);
            let mut refined = vec![start[l]];
            for (i, &group) in path.iter().enumerate() {
                let at = refined[refined.len() - 1];
                let children = above.children(group);
                let next = path.get(i + 1).copied();
                let exit = |node: u32| match next {
                    None => (node == goal[l]).then_some(node),
                    Some(next) => {
                        let mut beyond = level.edges[node as usize].iter().copied();
                        beyond.find(|&n| level.parents[n as usize] == next)
                    }
                };
                let (way, out) = through(level, children, at, exit);
                context.meter.expansions += way.len() as u64 + 1;
                refined.extend(way);
                if next.is_some() {
                    refined.push(out);
                }
            }
            path = refined;
        }
        path
    }

    /// Searches on the first level, then on every level below through children of the path above.
    fn refined(
        &mut self,
        context: &mut Context<ExplicitGraph>,
        [start, goal]: [&[u32]; 2],
        first: usize,
        k: Option<u32>,
    ) -> Vec<u32> {
        let levels = self.levels.clone();
        let mut above: Option<Vec<bool>> = None;
        let mut end_above = None;
        for l in (0..=first).rev() {
            let level = &levels.levels()[l];
            let allowed = |node: u32| match &above {
                None => true,
                Some(on) => on[level.parents[node as usize] as usize],
            };
            // The tail of a path that was cut short stands for wherever it is entered.
            let is_goal = |node: u32| match end_above {
                Some(tail) => level.parents[node as usize] == tail,
                None => node == goal[l],
            };
            let toward = goal[l];
            let mut path = match l {
                0 => ground(context, start[0], Cell(toward), &allowed, &is_goal),
                _ => abstract_path(context, level, [start[l], toward], &allowed, &is_goal),
            };
            if path.is_empty() {
                // No level can be without a way; the graph itself is asked all the same.
                return self.whole(context, start[0], goal[0]);
            }
            if let Some(k) = k.filter(|&k| path.len() > k as usize + 1 && l > 0) {
                path.truncate(k as usize + 1);
            }
            let tail = path[path.len() - 1];
            end_above = (l > 0 && tail != goal[l]).then_some(tail);
            if l == 0 {
                return path;
            }
            let mut on = vec![false; level.nodes()];
            path.iter().for_each(|&node| on[node as usize] = true);
            above = Some(on);
        }
        Vec::new()
    }

    fn whole(&mut self, context: &mut Context<ExplicitGraph>, from: u32, goal: u32) -> Vec<u32> {
        let found = self
            .search
            .shortest_path(context.space, Cell(from), Cell(goal));
        found.map_or_else(Vec::new, |path| path.cells.iter().map(|c| c.0).collect())
    }
}

/// The way from a node through these children to the nearest for which `exit` has an answer, without the node itself, and that answer.
fn through(
    level: &GraphLevel,
    children: &[u32],
    from: u32,
    exit: impl Fn(u32) -> Option<u32>,
) -> (Vec<u32>, u32) {
    let mut reached = vec![(from, usize::MAX)];
    let mut i = 0;
    while i < reached.len() {
        let node = reached[i].0;
        if let Some(out) = exit(node) {
            let back = |&at: &usize| Some(reached[at].1).filter(|&parent| parent != usize::MAX);
            let steps = std::iter::successors(Some(i), back).map(|at| reached[at].0);
            let mut way: Vec<u32> = steps.collect();
            way.pop();
            way.reverse();
            return (way, out);
        }
        for &next in &level.edges[node as usize] {
            if children.contains(&next) && reached.iter().all(|(seen, _)| *seen != next) {
                reached.push((next, i));
            }
        }
        i += 1;
    }
    (Vec::new(), from)
}

/// A* on an abstract level: lines between positions, rounded up as costs and down as estimates.
fn abstract_path(
    context: &mut Context<ExplicitGraph>,
    level: &GraphLevel,
    [from, toward]: [u32; 2],
    allowed: &dyn Fn(u32) -> bool,
    is_goal: &dyn Fn(u32) -> bool,
) -> Vec<u32> {
    let estimate = |node: u32| level.line(node, toward);
    let edges = |node: u32, visit: &mut dyn FnMut(u32, u64)| {
        for &next in &level.edges[node as usize] {
            visit(next, level.line(node, next) + 1);
        }
    };
    best_first(
        context,
        level.nodes(),
        from,
        &estimate,
        &edges,
        allowed,
        is_goal,
    )
}

/// A* on the graph itself.
fn ground(
    context: &mut Context<ExplicitGraph>,
    from: u32,
    toward: Cell,
    allowed: &dyn Fn(u32) -> bool,
    is_goal: &dyn Fn(u32) -> bool,
) -> Vec<u32> {
    let graph = context.space;
    let estimate = |node: u32| u64::from(graph.heuristic(Cell(node), toward));
    let edges = |node: u32, visit: &mut dyn FnMut(u32, u64)| {
        for &(next, cost) in graph.edges_of(Cell(node)) {
            visit(next.0, u64::from(cost));
        }
    };
    best_first(
        context,
        graph.len(),
        from,
        &estimate,
        &edges,
        allowed,
        is_goal,
    )
}

/// Calls with every edge of a node and its cost.
type Edges<'a> = &'a dyn Fn(u32, &mut dyn FnMut(u32, u64));

fn best_first(
    context: &mut Context<ExplicitGraph>,
    nodes: usize,
    from: u32,
    estimate: &dyn Fn(u32) -> u64,
    edges: Edges,
    allowed: &dyn Fn(u32) -> bool,
    is_goal: &dyn Fn(u32) -> bool,
) -> Vec<u32> {
    let mut costs = vec![u64::MAX; nodes];
    let mut parents = vec![u32::MAX; nodes];
    let mut open = BinaryHeap::new();
    costs[from as usize] = 0;
    open.push(Reverse((estimate(from), Reverse(0), from)));
    while let Some(Reverse((_, Reverse(cost), node))) = open.pop() {
        if cost > costs[node as usize] {
            continue;
        }
        context.meter.expansions += 1;
        if is_goal(node) {
            let back = |&node: &u32| Some(parents[node as usize]).filter(|&p| p != u32::MAX);
            let mut path: Vec<u32> = std::iter::successors(Some(node), back).collect();
            path.reverse();
            return path;
        }
        edges(node, &mut |next, step| {
            if allowed(next) && cost + step < costs[next as usize] {
                costs[next as usize] = cost + step;
                parents[next as usize] = node;
                let f = cost + step + estimate(next);
                open.push(Reverse((f, Reverse(cost + step), next)));
            }
        });
    }
    Vec::new()
}

impl Agent<ExplicitGraph> for LevelsAgent {
    fn start(&mut self, _context: &mut Context<ExplicitGraph>, _from: Cell, goal: Cell) {
        self.goal = goal;
        self.path.clear();
        self.position = 0;
        self.planned_from.clear();
    }

    fn decide(&mut self, context: &mut Context<ExplicitGraph>, at: Cell) -> Decision {
        if let Some(end) = Decision::at_once(context.space, at, self.goal) {
            return end;
        }
        if self.path.get(self.position + 1) == Some(&at) {
            self.position += 1;
        }
        let stands = self.path.get(self.position) == Some(&at);
        if !stands || self.position + 1 == self.path.len() {
            self.plan(context, at);
        }
        match self.path.get(self.position + 1) {
            Some(&next) => Decision::Step(next),
            None => Decision::Unreachable,
        }
    }

    fn seen(&mut self) -> &mut u64 {
        &mut self.seen
    }

    fn changed(&mut self, _context: &mut Context<ExplicitGraph>, _news: News) {
        self.path.clear();
        self.position = 0;
    }

    fn memory_bytes(&self) -> usize {
        (self.path.len() + self.planned_from.len()) * size_of::<Cell>()
    }

    fn operations_bound(&self, _space: &ExplicitGraph) -> Option<u64> {
        None
    }
}

#[cfg(test)]
#[path = "tests.rs"]
mod tests;
