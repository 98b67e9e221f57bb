//! Searches that overestimate (Game AI Pro, section 17.6): one weight, a weight found for each area of a map, and the optimistic
//! search that the chapter refers to (Thayer and Ruml 2008).

use super::{Found, GridSpace, SearchSpace, distances_from, search_weighted};
use std::cmp::Reverse;
use std::collections::BinaryHeap;
use waypost::grid::{Cell, Point};
use waypost::rng::Rng;
use waypost::{Cost, Map};

/// Searches with twice the permitted overestimate, and then shows that what it found is within the bound, or finds better. The bound is in
/// hundredths of the optimum.
pub fn optimistic(space: &mut impl SearchSpace, start: u32, bound: u32) -> Found {
    let bound = u64::from(bound);
    let weight = 2 * bound - 100;
    let mut costs = vec![u64::MAX; space.nodes()];
    let mut parents = vec![u32::MAX; space.nodes()];
    let mut expanded = vec![u64::MAX; space.nodes()];
    let mut found = Found::default();
    let mut hopeful = BinaryHeap::new();
    let mut certain = BinaryHeap::new();
    costs[start as usize] = 0;
    let h = space.estimate(start);
    hopeful.push(Reverse((h * weight, Reverse(0u64), start)));
    certain.push(Reverse((h, Reverse(0u64), start)));
    let mut best: Option<(u64, u32)> = None;
    let mut edges = Vec::new();
    loop {
        let fresh =
            |cost: u64, node: u32| cost == costs[node as usize] && expanded[node as usize] > cost;
        while let Some(&Reverse((_, Reverse(cost), node))) = certain.peek()
            && !fresh(cost, node)
        {
            certain.pop();
        }
        while let Some(&Reverse((_, Reverse(cost), node))) = hopeful.peek()
            && !fresh(cost, node)
        {
            hopeful.pop();
        }
        let (Some(&Reverse((least, ..))), Some(&Reverse((hope, ..)))) =
            (certain.peek(), hopeful.peek())
        else {
            break;
        };
        let next = match best {
            // Every path costs at least what the certain list begins with.
            Some((cost, _)) if least * bound >= cost * 100 => break,
            Some((cost, _)) if hope >= cost * 100 => certain.pop(),
            _ => hopeful.pop(),
        };
        let Some(Reverse((_, Reverse(cost), node))) = next else {
            break;
        };
        expanded[node as usize] = cost;
        found.expansions += 1;
        if space.is_goal(node) {
            best = Some((cost, node));
            continue;
        }
        edges.clear();
        space.for_each(node, &mut |next, step| edges.push((next, cost + step)));
        for &(next, cost) in &edges {
            if cost < costs[next as usize] {
                costs[next as usize] = cost;
                parents[next as usize] = node;
                let h = space.estimate(next);
                hopeful.push(Reverse((cost * 100 + h * weight, Reverse(cost), next)));
                certain.push(Reverse((cost + h, Reverse(cost), next)));
            }
        }
    }
    if let Some((cost, goal)) = best {
        let back = |&node: &u32| Some(parents[node as usize]).filter(|&p| p != u32::MAX);
        found.nodes = std::iter::successors(Some(goal), back).collect();
        found.nodes.reverse();
        found.cost = cost;
    }
    found
}

/// A weight in hundredths for each area of a map: the largest whose paths to the area were longer by no more than a tolerance in the mean.
pub struct AreaWeights {
    side: u32,
    columns: u32,
    weights: Vec<u32>,
}

/// Weights that are tried, the largest first.
const TRIED: [u32; 7] = [300, 200, 150, 130, 120, 110, 105];

impl AreaWeights {
    /// Tries weights on `samples` paths to each area of `side` by `side` cells. The tolerance is in percent.
    pub fn learn(map: &Map, side: u32, tolerance: f64, samples: usize, seed: u64) -> AreaWeights {
        let grid = map.grid();
        let (columns, rows) = (grid.width().div_ceil(side), grid.height().div_ceil(side));
        let mut found = AreaWeights {
            side,
            columns,
            weights: vec![100; (columns * rows) as usize],
        };
        let cells: Vec<Cell> = grid.cells().collect();
        let mut inside = vec![Vec::new(); found.weights.len()];
        for &cell in &cells {
            inside[found.area(grid.point(cell))].push(cell);
        }
        let mut rng = Rng::new(seed);
        for (area, goals) in inside.iter().enumerate().filter(|(_, all)| !all.is_empty()) {
            let goal = goals[rng.below(goals.len() as u32) as usize];
            let optimal = distances_from(map, &[goal]);
            let mut starts = Vec::new();
            for _ in 0..samples * 4 {
                let from = cells[rng.below(cells.len() as u32) as usize];
                let reached = ![0, Cost::MAX].contains(&optimal[from.index()]);
                if reached && starts.len() < samples {
                    starts.push(from);
                }
            }
            let longer = |weight: u32| {
                let excess = starts.iter().map(|&from| {
                    let path = search_weighted(&mut GridSpace { map, goal }, from.0, weight);
                    path.cost as f64 / f64::from(optimal[from.index()]) - 1.0
                });
                excess.sum::<f64>() / starts.len().max(1) as f64 * 100.0
            };
            let fits = |&weight: &u32| longer(weight) <= tolerance;
            found.weights[area] = TRIED.into_iter().find(fits).unwrap_or(100);
        }
        found
    }

    fn area(&self, point: Point) -> usize {
        (point.y / self.side * self.columns + point.x / self.side) as usize
    }

    /// The weight for paths to a cell.
    pub fn of(&self, map: &Map, goal: Cell) -> u32 {
        self.weights[self.area(map.grid().point(goal))]
    }

    /// The mean of all weights, in hundredths.
    pub fn mean(&self) -> f64 {
        let sum: u32 = self.weights.iter().sum();
        f64::from(sum) / self.weights.len().max(1) as f64
    }
}
