//! What the border costs: the same work from Rust and through C, in turns, in one run. `cargo run --release -p waypost-capi --example overhead`

use std::ptr::null;
use std::time::Instant;
use waypost::navigator::{Crowd, CrowdOptions};
use waypost::{Map, Navigator, Point};
use waypost_capi::*;

const SIDE: u32 = 256;
const UNITS: u32 = 10_000;

fn is_free(x: u32, y: u32) -> bool {
    x % 32 != 16 || y % 40 < 6
}

fn median(mut values: Vec<f64>) -> f64 {
    values.sort_by(f64::total_cmp);
    values[values.len() / 2]
}

/// A world through the border.
fn c_world() -> *mut waypost_nav {
    let cells: Vec<u8> = (0..SIDE * SIDE)
        .map(|at| u8::from(is_free(at % SIDE, at / SIDE)))
        .collect();
    let (mut map, mut nav) = (std::ptr::null_mut(), std::ptr::null_mut());
    // SAFETY: the array is as long as told; the map is freed once.
    unsafe {
        waypost_map_from_cells(SIDE, SIDE, cells.as_ptr(), cells.len(), &mut map);
        assert_eq!(
            waypost_nav_build(map, null(), &mut nav),
            waypost_status::WAYPOST_OK
        );
        waypost_map_free(map);
    }
    nav
}

/// Nanoseconds of a query: from Rust into memory of its own, and through C into an array.
fn queries(rust: &Navigator, c: *mut waypost_nav) -> (f64, f64) {
    let place = |i: u32| ((i * 7919 % 251) & !31, i * 104_729 % SIDE);
    let mut points = vec![waypost_point::default(); 4096];
    let (mut ours, mut theirs) = (Vec::new(), Vec::new());
    for round in 0..40 {
        let ends: Vec<_> = (0..250)
            .map(|i| (place(i + round), place(i * 3 + 1)))
            .collect();
        let begun = Instant::now();
        for &(from, goal) in &ends {
            std::hint::black_box(rust.path(from, goal).expect("a path"));
        }
        ours.push(begun.elapsed().as_nanos() as f64 / ends.len() as f64);
        let begun = Instant::now();
        for &(from, goal) in &ends {
            let at = |(x, y)| waypost_point { x, y };
            let (mut count, mut length) = (0, 0.0);
            let out = points.as_mut_ptr();
            // SAFETY: the array is as long as told.
            let status = unsafe {
                waypost_nav_path(c, at(from), at(goal), out, 4096, &mut count, &mut length)
            };
            assert_eq!(status, waypost_status::WAYPOST_OK);
        }
        theirs.push(begun.elapsed().as_nanos() as f64 / ends.len() as f64);
    }
    (median(ours), median(theirs))
}

fn start_and_goal(i: u32) -> ((u32, u32), (u32, u32)) {
    let at = (i % 16, i / 16 % SIDE);
    (at, (SIDE - 1 - at.0, (at.1 * 7 + i) % SIDE))
}

fn rust_crowd(nav: &Navigator) -> Crowd {
    let mut crowd = nav.crowd(CrowdOptions::default()).expect("a crowd");
    for i in 0..UNITS {
        let (at, goal) = start_and_goal(i);
        let unit = crowd.spawn(at).expect("a free cell");
        crowd.send(unit, goal).expect("a unit");
    }
    crowd
}

fn c_crowd(nav: *mut waypost_nav) -> *mut waypost_crowd {
    let mut crowd = std::ptr::null_mut();
    // SAFETY: all pointers are of this function.
    unsafe {
        waypost_crowd_new(nav, null(), &mut crowd);
        for i in 0..UNITS {
            let (at, goal) = start_and_goal(i);
            let goal = waypost_goal {
                at: waypost_point {
                    x: goal.0,
                    y: goal.1,
                },
                ..waypost_goal::default()
            };
            let mut unit = 0;
            waypost_crowd_spawn(crowd, waypost_point { x: at.0, y: at.1 }, &mut unit);
            waypost_crowd_send(crowd, unit, &goal);
        }
    }
    crowd
}

/// Microseconds of a tick with all positions written: from Rust, through C. Every crowd does the same work tick by tick, so
/// that the least time of each tick over several crowds is free of what other programs did meanwhile.
fn ticks(rust: &Navigator, c: *mut waypost_nav) -> (f64, f64) {
    const TICKS: usize = 200;
    let mut here = vec![Point { x: 0, y: 0 }; UNITS as usize];
    let mut there = vec![waypost_point::default(); UNITS as usize];
    let mut best = vec![[f64::INFINITY; 2]; TICKS];
    for _ in 0..9 {
        let (mut ours, crowd) = (rust_crowd(rust), c_crowd(c));
        for best in &mut best {
            let begun = Instant::now();
            ours.tick();
            ours.positions(&mut here);
            best[0] = best[0].min(begun.elapsed().as_nanos() as f64 / 1e3);
            let begun = Instant::now();
            let mut report = waypost_tick::default();
            // SAFETY: the array is as long as told.
            unsafe { waypost_crowd_tick(crowd, there.as_mut_ptr(), there.len(), &mut report) };
            best[1] = best[1].min(begun.elapsed().as_nanos() as f64 / 1e3);
            assert!(
                here.iter()
                    .zip(&there)
                    .all(|(a, b)| (a.x, a.y) == (b.x, b.y))
            );
        }
        // SAFETY: freed once.
        unsafe { waypost_crowd_free(crowd) };
    }
    let mean = |side: usize| best.iter().map(|times| times[side]).sum::<f64>() / TICKS as f64;
    (mean(0), mean(1))
}

fn main() {
    let map = Map::from_fn(SIDE, SIDE, |p| is_free(p.x, p.y)).expect("a legal size");
    let (rust, c) = (Navigator::build(map).expect("a world"), c_world());
    let (ours, theirs) = queries(&rust, c);
    println!(
        "path:  {ours:8.0} ns from Rust, {theirs:8.0} ns through C, {:+8.0} ns",
        theirs - ours
    );
    let (ours, theirs) = ticks(&rust, c);
    println!(
        "tick:  {ours:8.1} us from Rust, {theirs:8.1} us through C, {:+8.1} us",
        theirs - ours
    );
    // SAFETY: freed once.
    unsafe { waypost_nav_free(c) };
}
