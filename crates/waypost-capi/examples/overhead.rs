//! What the border costs: the same work from Rust and through C, in turns, in one run; the least time of each piece of work over several
//! rounds is free of what other programs did meanwhile. `cargo xtask capi --overhead` runs it, and counts instructions with `overhead NAME`.

use std::hint::black_box;
use std::ptr::{null, null_mut};
use std::time::Instant;
use waypost::navigator::{Crowd, CrowdOptions};
use waypost::{Map, Navigator, Point};
use waypost_capi::*;

const SIDE: u32 = 256;
const UNITS: u32 = 10_000;
const QUERIES: u32 = 2_000;
const TICKS: usize = 100;
/// A cell inside a wall.
const WALL: (u32, u32) = (16, 20);

fn is_free(x: u32, y: u32) -> bool {
    x % 32 != 16 || y % 40 < 6
}

fn point((x, y): (u32, u32)) -> waypost_point {
    waypost_point { x, y }
}

/// The same world, from Rust and through the border.
struct Worlds {
    rust: Navigator,
    c: *mut waypost_nav,
}

impl Worlds {
    fn new() -> Worlds {
        let map = Map::from_fn(SIDE, SIDE, |p| is_free(p.x, p.y)).expect("a legal size");
        let cells: Vec<u8> = (0..SIDE * SIDE)
            .map(|at| u8::from(is_free(at % SIDE, at / SIDE)))
            .collect();
        let (mut map_of_c, mut c) = (null_mut(), null_mut());
        // SAFETY: the array is as long as told; the map is freed once.
        unsafe {
            waypost_map_from_cells(SIDE, SIDE, cells.as_ptr(), cells.len(), &mut map_of_c);
            let status = waypost_nav_build(map_of_c, null(), &mut c);
            assert_eq!(status, waypost_status::WAYPOST_OK);
            waypost_map_free(map_of_c);
        }
        let rust = Navigator::build(map).expect("a world");
        Worlds { rust, c }
    }
}

impl Drop for Worlds {
    fn drop(&mut self) {
        // SAFETY: freed once.
        unsafe { waypost_nav_free(self.c) };
    }
}

type Ends = ((u32, u32), (u32, u32));

fn ends(query: u32) -> Ends {
    let place = |i: u32| ((i * 7919 % 251) & !31, i * 104_729 % SIDE);
    (place(query), place(query * 3 + 1))
}

/// A path with memory of its own.
#[inline(never)]
fn measured_path_rust(worlds: &Worlds, (from, goal): Ends) -> f64 {
    let path = worlds.rust.path(from, goal).expect("a path");
    black_box(path.points());
    path.length()
}

/// A path into the caller's array, as C gets it.
#[inline(never)]
fn measured_path_array(worlds: &Worlds, (from, goal): Ends, out: &mut [Point]) -> f64 {
    let mut at = Point::from(from);
    let mut count = 1;
    out[0] = at;
    let length = worlds.rust.path_runs(from, goal, |run| {
        for _ in 0..run.steps {
            at.x = at.x.wrapping_add_signed(run.direction.dx());
            at.y = at.y.wrapping_add_signed(run.direction.dy());
            if let Some(place) = out.get_mut(count) {
                *place = at;
            }
            count += 1;
        }
    });
    black_box(count);
    length.expect("a path")
}

#[inline(never)]
fn measured_path_c(worlds: &Worlds, (from, goal): Ends, out: &mut [waypost_point]) -> f64 {
    let (mut count, mut length, place) = (0, 0.0, out.as_mut_ptr());
    // SAFETY: the array is as long as told.
    let status = unsafe {
        waypost_nav_path(
            worlds.c,
            point(from),
            point(goal),
            place,
            out.len(),
            &mut count,
            &mut length,
        )
    };
    assert_eq!(status, waypost_status::WAYPOST_OK);
    black_box(count);
    length
}

/// A question whose goal is a wall.
#[inline(never)]
fn refused_rust(worlds: &Worlds, (from, _): Ends) {
    let refused = worlds.rust.try_path_runs(from, WALL, |_| {});
    assert!(black_box(refused).is_err());
}

#[inline(never)]
fn refused_c(worlds: &Worlds, (from, _): Ends, out: &mut [waypost_point]) {
    let (mut count, place) = (0, out.as_mut_ptr());
    // SAFETY: the array is as long as told.
    let status = unsafe {
        let (from, wall) = (point(from), point(WALL));
        waypost_nav_path(
            worlds.c,
            from,
            wall,
            place,
            out.len(),
            &mut count,
            null_mut(),
        )
    };
    assert_eq!(status, waypost_status::WAYPOST_WALL);
}

/// Two crowds that walk the same ways, and arrays for their positions.
struct Crowds {
    rust: Crowd,
    c: *mut waypost_crowd,
    of_rust: Vec<Point>,
    of_c: Vec<waypost_point>,
}

impl Crowds {
    fn new(worlds: &Worlds) -> Crowds {
        let rust = worlds.rust.crowd(CrowdOptions::default());
        let (mut rust, mut c) = (rust.expect("a crowd"), null_mut());
        // SAFETY: all pointers are of this function.
        unsafe { waypost_crowd_new(worlds.c, null(), &mut c) };
        for i in 0..UNITS {
            let at = (i % 16, i / 16 % SIDE);
            let to = (SIDE - 1 - at.0, (at.1 * 7 + i) % SIDE);
            let unit = rust.spawn(at).expect("a free cell");
            rust.send(unit, to).expect("a unit");
            let goal = waypost_goal {
                at: point(to),
                ..waypost_goal::default()
            };
            let mut unit = 0;
            // SAFETY: all pointers are of this function.
            unsafe {
                waypost_crowd_spawn(c, point(at), &mut unit);
                waypost_crowd_send(c, unit, &goal);
            }
        }
        Crowds {
            rust,
            c,
            of_rust: vec![Point { x: 0, y: 0 }; UNITS as usize],
            of_c: vec![waypost_point::default(); UNITS as usize],
        }
    }

    fn agree(&self) -> bool {
        let mut both = self.of_rust.iter().zip(&self.of_c);
        both.all(|(a, b)| (a.x, a.y) == (b.x, b.y))
    }
}

impl Drop for Crowds {
    fn drop(&mut self) {
        // SAFETY: freed once.
        unsafe { waypost_crowd_free(self.c) };
    }
}

#[inline(never)]
fn measured_tick_rust(crowds: &mut Crowds) {
    let mut places = crowds.of_rust.iter_mut();
    let report = crowds.rust.tick_and_visit(|unit| {
        if let Some(place) = places.next() {
            *place = unit.position();
        }
    });
    black_box(report.counts);
}

#[inline(never)]
fn measured_tick_c(crowds: &mut Crowds) {
    let (mut report, place) = (waypost_tick::default(), crowds.of_c.as_mut_ptr());
    // SAFETY: the array is as long as told.
    unsafe { waypost_crowd_tick(crowds.c, place, crowds.of_c.len(), &mut report) };
    black_box(report);
}

/// Seconds of a piece of work, if less than before.
fn least(best: &mut f64, work: impl FnOnce()) {
    let begun = Instant::now();
    work();
    *best = best.min(begun.elapsed().as_secs_f64());
}

fn times(worlds: &Worlds) {
    const BATCH: u32 = 50;
    let batches = QUERIES / BATCH;
    let mut best = vec![[f64::INFINITY; 5]; batches as usize];
    let mut points = vec![waypost_point::default(); 4096];
    let mut plain = vec![Point { x: 0, y: 0 }; 4096];
    for _ in 0..15 {
        for (batch, best) in (0..).zip(&mut best) {
            let queries = || (batch * BATCH..(batch + 1) * BATCH).map(ends);
            least(&mut best[0], || {
                queries().for_each(|q| {
                    black_box(measured_path_rust(worlds, q));
                });
            });
            least(&mut best[1], || {
                queries().for_each(|q| {
                    black_box(measured_path_array(worlds, q, &mut plain));
                });
            });
            least(&mut best[2], || {
                queries().for_each(|q| {
                    black_box(measured_path_c(worlds, q, &mut points));
                });
            });
            least(&mut best[3], || {
                queries().for_each(|q| refused_rust(worlds, q));
            });
            least(&mut best[4], || {
                queries().for_each(|q| refused_c(worlds, q, &mut points));
            });
        }
    }
    let mean = |best: &[[f64; 5]], side: usize, parts: f64| {
        best.iter().map(|times| times[side]).sum::<f64>() / parts
    };
    let [own, array, c] = [0, 1, 2].map(|side| mean(&best, side, f64::from(QUERIES)) * 1e9);
    println!(
        "path: {own:.0} ns from Rust with memory of its own, {array:.0} ns into an array, {c:.0} ns through C"
    );
    println!("      {:+.0} and {:+.0} ns", c - own, c - array);
    let [rust, c] = [3, 4].map(|side| mean(&best, side, f64::from(QUERIES)) * 1e9);
    println!("refused: {rust:.0} ns from Rust, {c:.0} ns through C");
    let mut best = vec![[f64::INFINITY; 5]; TICKS];
    for _ in 0..9 {
        let mut crowds = Crowds::new(worlds);
        for best in &mut best {
            least(&mut best[0], || measured_tick_rust(&mut crowds));
            least(&mut best[1], || measured_tick_c(&mut crowds));
            assert!(crowds.agree());
        }
    }
    let [rust, c] = [0, 1].map(|side| mean(&best, side, TICKS as f64) * 1e6);
    println!(
        "tick of {UNITS}: {rust:.1} us from Rust, {c:.1} us through C, {:+.1} us",
        c - rust
    );
}

/// Does one kind of work, for callgrind to count; says how many pieces it was.
fn count(worlds: &Worlds, name: &str) -> u32 {
    let mut points = vec![waypost_point::default(); 4096];
    let mut plain = vec![Point { x: 0, y: 0 }; 4096];
    let queries = || (0..QUERIES).map(ends);
    match name {
        "path_rust" => queries().for_each(|q| {
            black_box(measured_path_rust(worlds, q));
        }),
        "path_array" => {
            queries().for_each(|q| {
                black_box(measured_path_array(worlds, q, &mut plain));
            });
        }
        "path_c" => {
            queries().for_each(|q| {
                black_box(measured_path_c(worlds, q, &mut points));
            });
        }
        _ => {
            let mut crowds = Crowds::new(worlds);
            for _ in 0..TICKS {
                match name {
                    "tick_rust" => measured_tick_rust(&mut crowds),
                    _ => measured_tick_c(&mut crowds),
                }
            }
            return TICKS as u32;
        }
    }
    QUERIES
}

fn main() {
    let worlds = Worlds::new();
    match std::env::args().nth(1) {
        Some(name) => println!("{}", count(&worlds, &name)),
        None => times(&worlds),
    }
}
