//! Requests for whole paths: two lanes, a budget a tick, tickets that never name another request.

mod common;

use common::{cell, engine_map, points};
use waypost::crowd::{PathQueue, RequestState, Ticket};
use waypost::{Cell, GridPatch, Point};
use waypost_testkit::{Rules, TestMap, TestRng, check_path, optimal_cost, shapes};

/// A ticket and the ends of its request.
type Held = (Ticket, (u32, u32), (u32, u32));

#[test]
fn short_requests_overtake_long_ones_and_none_is_dropped() {
    let test_map = TestMap::filled(300, 300, true);
    let mut blocked = test_map.clone();
    blocked.set_rectangle(150, 0, 1, 299, false);
    let map = engine_map(&blocked, Rules::all()[0]);
    let mut queue = PathQueue::new(20 * 985);
    let at = |x, y| cell(&map, (x, y));
    let long = queue.request(&map, at(0, 0), at(299, 0));
    let shared = queue.request(&map, at(0, 0), at(299, 0));
    assert_eq!(long, shared);
    let short: Vec<_> = (0..10)
        .map(|i| queue.request(&map, at(i, 5), at(i + 8, 9)))
        .collect();
    let mut ticks = 0;
    while short
        .iter()
        .any(|&t| !matches!(queue.state(t), RequestState::Found(_)))
    {
        assert!(queue.tick(&map, 100) <= 110);
        ticks += 1;
        assert!(ticks < 100);
    }
    assert!(matches!(queue.state(long), RequestState::Searching));
    while queue.waiting() > 0 {
        queue.tick(&map, 1_000);
    }
    let RequestState::Found(path) = queue.close(long) else {
        panic!("the first holder gets the answer");
    };
    assert_eq!(
        (path[0], path.last().copied()),
        (at(0, 0), Some(at(299, 0)))
    );
    assert!(matches!(queue.close(shared), RequestState::Found(_)));
    assert_eq!(queue.close(long), RequestState::Unknown);
    let cancelled = queue.request(&map, at(0, 0), at(299, 7));
    assert_eq!(queue.close(cancelled), RequestState::Cancelled);
    assert_eq!(queue.waiting(), 0);
}

/// Requests, cancellations and patches at random: every ticket is answered or says that it was cancelled, answers are shortest
/// paths of the map as it was when they were given, and no ticket ever names another request.
#[test]
fn every_ticket_is_answered_under_patches_and_cancellations() {
    for seed in 0..20 {
        let mut rng = TestRng::new(seed);
        let rules = Rules::all()[seed as usize % 6];
        let mut test_map = shapes::noise(40, 30, 20, &mut rng);
        let mut map = engine_map(&test_map, rules);
        let mut queue = PathQueue::new(12 * rules.straight as u32);
        let (mut held, mut closed): (Vec<Held>, Vec<Ticket>) = Default::default();
        let (mut found, mut cancelled) = (0, 0);
        for tick in 0..300 {
            for _ in 0..rng.between(0, 3) {
                let [from, to] =
                    [(); 2].map(|()| test_map.random_open_cell(&mut rng).expect("open cells"));
                let ticket = queue.request(&map, cell(&map, from), cell(&map, to));
                assert!(
                    !closed.contains(&ticket),
                    "seed {seed}: a closed ticket names {from:?} {to:?}"
                );
                held.push((ticket, from, to));
            }
            if tick % 11 == 5 {
                let (x, y, open) = (rng.below(40), rng.below(30), rng.percent(70));
                test_map.set(x, y, open);
                let mut patch = GridPatch::new();
                let at = Point { x, y };
                if open {
                    patch.set(at, true);
                } else {
                    patch.set(at, false);
                };
                map.apply(&patch);
            }
            queue.tick(&map, 60);
            if rng.percent(10) && !held.is_empty() {
                let (ticket, ..) = held.swap_remove(rng.below(held.len() as u32) as usize);
                let answer = queue.close(ticket);
                cancelled += u32::from(answer == RequestState::Cancelled);
                if held.iter().all(|other| other.0 != ticket) {
                    closed.push(ticket);
                    assert_eq!(*queue.state(ticket), RequestState::Unknown);
                }
            }
            held.retain(|&(ticket, from, to)| {
                let answer = match queue.state(ticket) {
                    RequestState::Waiting | RequestState::Searching => return true,
                    _ => queue.close(ticket),
                };
                let best = optimal_cost(&test_map, rules, from, to);
                match answer {
                    RequestState::Found(path) => {
                        found += 1;
                        let checked = check_path(&test_map, rules, &points(&map, &path));
                        let cost = checked.unwrap_or_else(|e| panic!("seed {seed}: {e}")).cost;
                        assert_eq!(Some(cost), best, "seed {seed} {from:?} -> {to:?}");
                    }
                    RequestState::NoPath => assert_eq!(best, None, "seed {seed}"),
                    other => panic!("seed {seed}: {other:?}"),
                }
                false
            });
        }
        assert!(
            found > 50,
            "seed {seed}: {found} found, {cancelled} cancelled"
        );
    }
}

#[test]
fn cells_that_are_not_of_the_map_have_no_path() {
    let map = engine_map(&TestMap::filled(9, 9, true), Rules::all()[0]);
    let mut queue = PathQueue::new(1000);
    let inside = cell(&map, (3, 3));
    for outside in [Cell::NONE, Cell(0), Cell(u32::MAX - 1), Cell(100_000)] {
        for (from, to) in [(inside, outside), (outside, inside), (outside, outside)] {
            let ticket = queue.request(&map, from, to);
            queue.tick(&map, 100);
            assert_eq!(queue.close(ticket), RequestState::NoPath);
        }
    }
}
