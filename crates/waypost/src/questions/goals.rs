//! Which of several goals is nearest.

use crate::agent::Scratch;
use crate::cost::{Cost, UNREACHED};
use crate::grid::Cell;
use crate::map::Map;
use crate::search::Dijkstra;
use crate::space::Space;

/// Up to this many goals are searched for one by one, the most promising first, no further than the best so far.
const FEW: usize = 8;

/// The goal that costs least to reach and its cost, the first of equals; `None` where none can be reached. Allocates a list of the
/// goals; the searches work in the scratch memory.
///
/// ```
/// use waypost::questions::nearest_goal;
/// use waypost::agent::Scratch;
/// use waypost::{Grid, Map, MoveRules, Point};
///
/// let map = Map::new(Grid::from_fn(9, 3, |p| p.x != 5 || p.y == 2).unwrap(), MoveRules::default());
/// let cell = |x, y| map.passable_cell(Point { x, y }).unwrap();
/// let goals = [cell(6, 0), cell(0, 0)];
/// let (goal, _) = nearest_goal(&map, &mut Scratch::new(), cell(4, 0), &goals).unwrap();
/// assert_eq!(goal, cell(0, 0));
/// ```
pub fn nearest_goal(
    map: &Map,
    scratch: &mut Scratch,
    from: Cell,
    goals: &[Cell],
) -> Option<(Cell, Cost)> {
    let reachable = goals.iter().filter(|&&goal| map.connected(from, goal));
    let mut reachable: Vec<(Cost, usize, Cell)> = reachable
        .enumerate()
        .map(|(i, &goal)| (map.heuristic(from, goal), i, goal))
        .collect();
    if reachable.len() > FEW {
        return nearest_of_many(map, &mut scratch.dijkstra, from, &reachable);
    }
    reachable.sort_unstable();
    let mut best: Option<(Cost, usize, Cell)> = None;
    for (estimate, i, goal) in reachable {
        let limit = best.map_or(UNREACHED - 1, |(cost, ..)| cost);
        if estimate > limit {
            break;
        }
        if let Some(cost) = scratch.astar.distance_within(map, from, goal, limit)
            && best.is_none_or(|(known, first, _)| (cost, i) < (known, first))
        {
            best = Some((cost, i, goal));
        }
    }
    best.map(|(cost, _, goal)| (goal, cost))
}

/// One search in all directions, as far as the nearest goal may be, then twice as far, and so on.
fn nearest_of_many(
    map: &Map,
    search: &mut Dijkstra,
    from: Cell,
    goals: &[(Cost, usize, Cell)],
) -> Option<(Cell, Cost)> {
    let least = goals.iter().map(|(estimate, ..)| *estimate).min()?;
    let mut limit = least.max(map.least_steps().straight);
    loop {
        search.spread_within(map, from, limit);
        let costs = goals
            .iter()
            .map(|&(_, i, goal)| (search.cost_to(goal), i, goal));
        let best = costs.filter(|(cost, ..)| *cost <= limit).min();
        if let Some((cost, _, goal)) = best {
            return Some((goal, cost));
        }
        if limit >= UNREACHED - 1 {
            return None;
        }
        limit = limit.saturating_mul(2).min(UNREACHED - 1);
    }
}
