use super::frame::HEAD;
use super::*;
use waypost::grid::GridPatch;

fn nav() -> Navigator {
    let map = Map::from_fn(120, 90, |p| p.x % 30 != 15 || p.y % 20 < 4).expect("legal");
    Navigator::build(map).expect("small")
}

fn wish(units: u32, exclusive: bool) -> Wish {
    Wish {
        units,
        spec: "waypost".to_string(),
        exclusive,
        seed: 5,
    }
}

fn number(frame: &[u8], at: usize) -> u32 {
    u32::from_le_bytes(frame[at..at + 4].try_into().expect("four bytes"))
}

#[test]
fn frames_hold_what_units_do() {
    let nav = nav();
    let mut walkers = Walkers::new(&nav, &wish(300, false), 7).expect("a crowd");
    assert_eq!(walkers.len(), 300);
    walkers.followed = Some(4);
    for tick in 1..400u32 {
        let frame = walkers.tick(tick % 3 == 0);
        assert_eq!(frame.is_some(), tick % 3 == 0);
        let Some(frame) = frame else { continue };
        assert_eq!((number(&frame, 4), number(&frame, 8)), (7, tick));
        let (history, ahead) = (number(&frame, 12) as usize, number(&frame, 56) as usize);
        assert_eq!(history, 3);
        assert_eq!(frame.len(), HEAD + 300 * 5 + ahead * 4 + history * 8);
        for unit in 0..300 {
            let cell = number(&frame, HEAD + unit * 4);
            let at = walkers.crowd.position(walkers.ids[unit]).expect("there");
            assert_eq!(cell, at.y * 120 + at.x);
            assert!(nav.is_free(at));
        }
    }
    assert!(walkers.arrivals > 100, "they wander on");
    let efficiency = walkers.gauge.efficiency();
    assert!((0.9..=1.001).contains(&efficiency), "{efficiency}");
}

#[test]
fn ten_thousand_units_fit_a_frame_of_60_kilobytes() {
    let map = Map::from_fn(300, 300, |_| true).expect("legal");
    let nav = Navigator::build(map).expect("small");
    let mut walkers = Walkers::new(&nav, &wish(10_000, true), 1).expect("a crowd");
    assert_eq!(walkers.len(), 10_000);
    walkers.followed = Some(9_999);
    for _ in 0..MAX_HISTORY {
        walkers.tick(false);
    }
    let frame = walkers.tick(true).expect("asked for");
    assert!(frame.len() <= 60_000, "{} bytes", frame.len());
    assert_eq!(walkers.show().len() % 4, 0);
}

#[test]
fn units_go_where_they_are_sent_and_stay() {
    let nav = nav();
    let mut walkers = Walkers::new(&nav, &wish(40, true), 1).expect("a crowd");
    // A wall: the nearest cell is meant.
    let sent = walkers.send(&[1, 2, 3, 9_999], Point { x: 15, y: 10 });
    assert_eq!(sent, Ok(()));
    for _ in 0..600 {
        walkers.tick(false);
    }
    for unit in 1..=3 {
        let at = walkers.crowd.position(walkers.ids[unit]).expect("there");
        let (dx, dy) = at.distances(Point { x: 15, y: 10 });
        assert!(dx.max(dy) <= 4, "{at}");
    }
    assert!(walkers.send(&[9_999], Point { x: 1, y: 1 }).is_err());
    assert!(walkers.send(&[], Point { x: 1, y: 1 }).is_ok());
    walkers.wander_all();
    assert!(walkers.wanders.iter().all(|&wanders| wanders));
}

#[test]
fn no_room_means_fewer_units() {
    let nav = Navigator::build(Map::from_fn(6, 6, |_| true).expect("legal")).expect("small");
    let walkers = Walkers::new(&nav, &wish(500, true), 1).expect("a crowd");
    assert!(walkers.len() <= 36 && walkers.len() > 20);
}

#[test]
fn who_is_walled_in_does_not_stop_the_others() {
    let map = Map::from_fn(60, 40, |p| p.x != 8 && p.x != 30).expect("legal");
    let nav = Navigator::build(map).expect("small");
    for exclusive in [false, true] {
        let mut walkers = Walkers::new(&nav, &wish(30, exclusive), 1).expect("a crowd");
        let inside = walkers.crowd.spawn(Point { x: 3, y: 3 }).expect("free");
        // The first of those that are sent is the one that is walled in.
        walkers.ids[0] = inside;
        let goal = Point { x: 45, y: 20 };
        assert_eq!(walkers.send(&[], goal), Ok(()));
        for _ in 0..200 {
            walkers.crowd.tick();
        }
        let at = |unit: usize| walkers.crowd.position(walkers.ids[unit]).expect("there");
        assert!(at(0).x <= 7, "{}", at(0));
        for unit in 1..30 {
            let (dx, dy) = at(unit).distances(goal);
            assert!(dx.max(dy) <= 6, "{}", at(unit));
        }
    }
}

#[test]
fn the_bound_is_that_of_the_map_as_it_is() {
    let nav = nav();
    let mut walkers = Walkers::new(&nav, &wish(20, false), 1).expect("a crowd");
    for y in 0..40 {
        let mut patch = GridPatch::new();
        patch.set(Point { x: 40, y }, false);
        nav.patch(&patch);
        walkers.map_changed();
        walkers.tick(true);
        assert_eq!(walkers.bound, walkers.crowd.unit_bound(), "row {y}");
    }
}
