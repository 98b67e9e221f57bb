//! Requests for whole paths: two lanes, a budget a tick, tickets that never name another request.

mod common;

use common::{cell, engine_map};
use waypost::crowd::{PathQueue, RequestState};
use waypost_testkit::{Rules, TestMap};

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
