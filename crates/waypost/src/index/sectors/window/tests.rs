use super::*;
use crate::grid::{Corners, Grid, MoveRules};
use crate::rng::Rng;

/// Costs from a cell to all others over cells of a window, relaxed until nothing changes.
fn costs_by_relaxing(map: &Map, window: &Window, from: Cell) -> Vec<(Cell, Cost)> {
    let (width, height) = (map.grid().width(), map.grid().height());
    let all = (0..height).flat_map(|y| (0..width).map(move |x| Point { x, y }));
    let inside = all.filter(|&point| window.index(point).is_some());
    let cells = inside.filter_map(|point| map.passable_cell(point));
    let mut known: Vec<(Cell, Cost)> = cells
        .map(|cell| (cell, if cell == from { 0 } else { UNREACHED }))
        .collect();
    loop {
        let mut changed = false;
        for i in 0..known.len() {
            let (cell, cost) = known[i];
            if cost == UNREACHED {
                continue;
            }
            for direction in map.legal(cell) {
                let next = map.grid().neighbour(cell, direction);
                let through = cost + map.step_cost(cell, direction);
                if let Some(entry) = known.iter_mut().find(|(other, _)| *other == next)
                    && through < entry.1
                {
                    entry.1 = through;
                    changed = true;
                }
            }
        }
        if !changed {
            return known;
        }
    }
}

#[test]
fn windows_of_any_shape_are_searched_exactly() {
    let mut random = Rng::new(5);
    for round in 0..120u64 {
        let walls = random.below(45);
        let (width, height) = (20 + random.below(20), 18 + random.below(14));
        let grid = Grid::from_fn(width, height, |_| random.below(100) >= walls);
        let rules = match round % 7 {
            6 => MoveRules {
                corners: Corners::NoDiagonals,
                ..MoveRules::ALL[0]
            },
            i => MoveRules::ALL[i as usize],
        };
        let map = Map::new(grid.expect("a legal size"), rules);
        let layout = Layout::new(map.grid(), 3);
        let mut window = Window::new(layout, 7, 4);
        window.clear((0, 0));
        for _ in 0..10 {
            window.include((random.below(4), random.below(4)));
        }
        let free: Vec<Point> = (0..height)
            .flat_map(|y| (0..width).map(move |x| Point { x, y }))
            .filter(|&p| window.index(p).is_some() && map.passable_cell(p).is_some())
            .collect();
        let Some(&from) = free.get(random.below(free.len().max(1) as u32) as usize) else {
            continue;
        };
        let from = map.passable_cell(from).expect("free");
        let known = costs_by_relaxing(&map, &window, from);
        window.begin(&map, from, None);
        window.advance(&map, u64::MAX);
        for &(cell, cost) in &known {
            let found = window.settled_cost(&map, cell).unwrap_or(UNREACHED);
            assert_eq!(found, cost, "round {round}");
        }
        let (goal, cost) = known[random.below(known.len() as u32) as usize];
        window.clear((0, 0));
        let places: Vec<(u32, u32)> = known
            .iter()
            .map(|&(cell, _)| layout.place(map.grid().point(cell)))
            .collect();
        places.iter().for_each(|&place| window.include(place));
        window.begin(&map, from, Some(goal));
        window.advance(&map, u64::MAX);
        let found = window.settled_cost(&map, goal).unwrap_or(UNREACHED);
        assert_eq!(found, cost, "to a goal, round {round}");
    }
}
