use super::*;
use crate::grid::{GridPatch, MoveRules};
use crate::rng::Rng;

fn random_grid(rng: &mut Rng) -> Grid {
    let (width, height) = (rng.between(1, 90), rng.between(1, 90));
    let walls = rng.below(45);
    Grid::from_fn(width, height, |_| !rng.percent(walls)).expect("a legal size")
}

fn plain_run(grid: &Grid, corners: Corners, mut at: Point, d: Direction) -> u32 {
    let rules = MoveRules {
        corners,
        ..MoveRules::default()
    };
    let mut steps = 0;
    loop {
        let cell = grid.cell(at).expect("inside");
        if !rules.legal(grid.neighbourhood(cell)).contains(d) {
            return steps;
        }
        at = moved(at, d, 1);
        steps += 1;
    }
}

/// A stop by the definition: something other than the natural moves is worth trying.
fn plain_stop(grid: &Grid, corners: Corners, at: Point, d: Direction) -> bool {
    let around = grid.neighbourhood(grid.cell(at).expect("inside"));
    canonical::after(corners, d, around).0 & !canonical::natural(d).0 != 0
}

#[test]
fn scans_equal_walks_cell_by_cell() {
    for seed in 0..60 {
        let mut rng = Rng::for_item(11, seed);
        let grid = random_grid(&mut rng);
        for corners in Corners::ALL {
            let scans = Scans::new(&grid, corners, StopAt::JumpPoints);
            for cell in grid.cells() {
                let at = grid.point(cell);
                assert!(scans.is_passable(at));
                for d in Direction::ALL {
                    let run = plain_run(&grid, corners, at, d);
                    assert_eq!(scans.run(at, d), run, "seed {seed} {corners:?} {at} {d:?}");
                    if d.is_diagonal() {
                        continue;
                    }
                    let steps = (1..=run).find(|&k| plain_stop(&grid, corners, moved(at, d, k), d));
                    let expected = Jump {
                        steps: steps.unwrap_or(run),
                        stop: steps.is_some(),
                    };
                    assert_eq!(
                        scans.jump(at, d),
                        expected,
                        "seed {seed} {corners:?} {at} {d:?}"
                    );
                }
            }
        }
    }
}

#[test]
fn diagonal_scans_find_every_turn() {
    for seed in 0..40 {
        let mut rng = Rng::for_item(12, seed);
        let grid = random_grid(&mut rng);
        for (corners, kind) in Corners::ALL
            .into_iter()
            .flat_map(|c| [(c, StopAt::JumpPoints), (c, StopAt::Corners)])
        {
            let scans = Scans::new(&grid, corners, kind);
            for cell in grid.cells() {
                let at = grid.point(cell);
                for d in [1, 3, 5, 7].map(Direction::from_number) {
                    let mut expected = Vec::new();
                    for k in 1..=plain_run(&grid, corners, at, d) {
                        let turn = moved(at, d, k);
                        if scans.is_stop(turn, d) {
                            expected.push((turn, d));
                            break;
                        }
                        for side in [7, 1].map(|t| Direction::from_number(d as u8 + t)) {
                            let jump = scans.jump(turn, side);
                            if jump.stop {
                                expected.push((moved(turn, side, jump.steps), side));
                            }
                        }
                    }
                    let mut found = Vec::new();
                    scans.for_each_stop(at, Directions::NONE.with(d), |s| {
                        found.push((s.at, s.arrival))
                    });
                    found.sort();
                    expected.sort();
                    assert_eq!(found, expected, "seed {seed} {corners:?} {at} {d:?}");
                }
            }
        }
    }
}

#[test]
fn stops_obey_the_canonical_table() {
    for seed in 0..40 {
        let mut rng = Rng::for_item(13, seed);
        let grid = random_grid(&mut rng);
        for corners in Corners::ALL {
            let scans = Scans::new(&grid, corners, StopAt::JumpPoints);
            for cell in grid.cells() {
                let at = grid.point(cell);
                for d in Direction::ALL {
                    // The table speaks of cells that can be entered in this direction.
                    if plain_run(&grid, corners, at, d.opposite()) > 0 {
                        assert_eq!(
                            scans.is_stop(at, d),
                            plain_stop(&grid, corners, at, d),
                            "seed {seed} {corners:?} {at} {d:?}"
                        );
                    }
                }
            }
        }
    }
}

#[test]
fn no_cell_sees_more_than_the_bound() {
    for seed in 0..40 {
        let mut rng = Rng::for_item(16, seed);
        let grid = random_grid(&mut rng);
        let (mut most_seen, mut bounds) = (0, 0);
        for (corners, kind) in Corners::ALL
            .into_iter()
            .flat_map(|c| [(c, StopAt::JumpPoints), (c, StopAt::Corners)])
        {
            let scans = Scans::new(&grid, corners, kind);
            let weight = |at: Point| 1 + (at.x * 7 + at.y * 13) % 50;
            let bound = scans.most_seen(weight);
            for cell in grid.cells() {
                let mut seen = 0;
                let at = grid.point(cell);
                scans.for_each_stop(at, scans.moves(at, None), |stop| {
                    seen += u64::from(weight(stop.at));
                });
                assert!(seen <= bound, "seed {seed} {corners:?} {at}");
                most_seen = most_seen.max(seen);
            }
            bounds = bounds.max(bound);
        }
        assert!(
            bounds <= most_seen + most_seen / 2,
            "seed {seed}: {bounds} for {most_seen}"
        );
    }
}

#[test]
fn repaired_scans_equal_new_ones() {
    for seed in 0..60 {
        let mut rng = Rng::for_item(14, seed);
        let mut grid = random_grid(&mut rng);
        for kind in [StopAt::JumpPoints, StopAt::Corners] {
            let corners = Corners::ALL[rng.below(3) as usize];
            let mut scans = Scans::new(&grid, corners, kind);
            for round in 0..4 {
                let mut patch = GridPatch::new();
                for _ in 0..rng.between(1, 6) {
                    let at = Point {
                        x: rng.below(grid.width()),
                        y: rng.below(grid.height()),
                    };
                    patch.set(at, !rng.percent(50));
                }
                let changes = grid.apply(&patch);
                scans.repair(&grid, &changes);
                assert!(
                    scans == Scans::new(&grid, corners, kind),
                    "seed {seed} round {round} {corners:?} {kind:?}: {patch:?}"
                );
            }
        }
    }
}

#[test]
fn walks_are_free_where_every_step_is() {
    for seed in 0..60 {
        let mut rng = Rng::for_item(15, seed);
        let grid = random_grid(&mut rng);
        let cells: Vec<_> = grid.cells().collect();
        if cells.is_empty() {
            continue;
        }
        for corners in Corners::ALL {
            let scans = Scans::new(&grid, corners, StopAt::Corners);
            for _ in 0..300 {
                let [from, to] =
                    [(); 2].map(|_| grid.point(cells[rng.below(cells.len() as u32) as usize]));
                let (diagonal, straight) = legs(from, to);
                let mut at = from;
                let mut free = true;
                for (d, steps) in diagonal.into_iter().chain(straight) {
                    free &= plain_run(&grid, corners, at, d) >= steps;
                    if !free {
                        break;
                    }
                    at = moved(at, d, steps);
                }
                let answers = [
                    scans.walk_is_free(from, to),
                    scans.reaches(from, &scans.approach(to)),
                ];
                assert_eq!(answers, [free; 2], "seed {seed} {from} {to}");
                assert!(!free || at == to);
            }
        }
    }
}
