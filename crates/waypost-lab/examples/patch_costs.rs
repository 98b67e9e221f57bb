//! What a patch of 100 cells costs each structure: `cargo run --release -p waypost-lab --example patch_costs -- MAP [PATCHES [STRUCTURE]]`
//!
//! Squares of 10 x 10 cells are blocked and opened again by turns, then 100 cells scattered over the map. Prints a Markdown row for
//! each structure: the thread's time for a patch, mean and worst, in milliseconds. Structures that repair themselves a
//! slice a tick are given the operations of a tick ([`Options::repair_operations`]) until they are done; their row says how
//! many ticks that took and what the most expensive one cost.

use cpu_time::ThreadTime;
use std::time::Duration;
use waypost::crowd::Options;
use waypost::grid::ChangeSet;
use waypost::hierarchy::Hierarchy;
use waypost::index::jump::JumpGraph;
use waypost::index::slot::{IndexState, Slot};
use waypost::index::{self, IndexKind, IndexRequest, Shard};
use waypost::progress::NoProgress;
use waypost::rng::Rng;
use waypost::search::jps::Jps;
use waypost::{Cell, GridPatch, Map, MoveRules, Point, formats};

type Result<T> = std::result::Result<T, Box<dyn std::error::Error>>;

fn main() -> Result<()> {
    let mut words = std::env::args().skip(1);
    let path = words.next().ok_or("usage: patch_costs MAP [PATCHES]")?;
    let patches: u64 = words.next().map_or(Ok(40), |text| text.parse())?;
    let grid = formats::map::parse(&std::fs::read(&path)?)?;
    let map = Map::new(grid, MoveRules::default());
    let only = words.next();
    let wanted = |name: &str| only.as_ref().is_none_or(|only| only == name);
    println!("| structure | patch | mean ms | worst ms | |\n|---|---|---|---|---|");
    for shape in [Shape::Square, Shape::Scattered] {
        if wanted("map") {
            let mut bare = map.clone();
            row("map and components", shape, &map, patches, |patch| {
                bare.apply(patch);
            });
        }
        if wanted("jump") {
            let mut graph = JumpGraph::build(&map);
            mended("jump", shape, &map, patches, |map, changes, operations| {
                if changes.is_some() {
                    graph.queue_repair(map);
                }
                graph.advance_repair(map, operations)
            });
            let mut graph = JumpGraph::build(&map);
            repaired("jump, in one call", shape, &map, patches, |map, _| {
                graph.repair(map)
            });
        }
        if wanted("jps") {
            let mut jps = Jps::new(&map);
            mended(
                "bitmaps of `jps`",
                shape,
                &map,
                patches,
                |map, changes, operations| {
                    if changes.is_some() {
                        jps.queue_repair(map);
                    }
                    jps.advance_repair(map, operations)
                },
            );
            let mut jps = Jps::new(&map);
            repaired(
                "bitmaps of `jps`, in one call",
                shape,
                &map,
                patches,
                |map, _| {
                    jps.repair(map);
                },
            );
        }
        if wanted("hierarchy") {
            let mut hierarchy = Hierarchy::build(&map);
            repaired("hierarchy", shape, &map, patches, |map, changes| {
                hierarchy.repair(map, changes);
            });
        }
        for kind in [IndexKind::Subgoals, IndexKind::Sectors] {
            if wanted(kind.name()) {
                sliced(kind, shape, &map, patches.div_ceil(8))?;
            }
        }
    }
    Ok(())
}

/// Where the cells of a patch are.
#[derive(Clone, Copy)]
enum Shape {
    Square,
    Scattered,
}

/// Patches that block 100 open cells and open them again by turns.
struct Patches {
    rng: Rng,
    cells: Vec<Cell>,
    standing: Vec<Point>,
    shape: Shape,
}

impl Patches {
    fn new(map: &Map, shape: Shape) -> Patches {
        Patches {
            rng: Rng::new(9),
            cells: map.grid().cells().collect(),
            standing: Vec::new(),
            shape,
        }
    }

    fn next(&mut self, map: &Map) -> GridPatch {
        let mut patch = GridPatch::new();
        if !self.standing.is_empty() {
            for point in self.standing.drain(..) {
                patch.set(point, true);
            }
            return patch;
        }
        let any = |rng: &mut Rng, cells: &[Cell]| {
            map.grid()
                .point(cells[rng.below(cells.len() as u32) as usize])
        };
        let points: Vec<Point> = match self.shape {
            Shape::Square => {
                let corner = any(&mut self.rng, &self.cells);
                let side = |i: u32| (corner.x + i % 10, corner.y + i / 10);
                (0..100).map(side).map(|(x, y)| Point { x, y }).collect()
            }
            Shape::Scattered => (0..100).map(|_| any(&mut self.rng, &self.cells)).collect(),
        };
        for point in points {
            if map.passable_cell(point).is_some() {
                patch.set(point, false);
                self.standing.push(point);
            }
        }
        patch
    }
}

fn print(name: &str, shape: Shape, times: &[Duration], note: &str) {
    let milliseconds = |time: Duration| time.as_secs_f64() * 1e3;
    let total: Duration = times.iter().sum();
    let worst = times.iter().max().copied().unwrap_or_default();
    let shape = match shape {
        Shape::Square => "square",
        Shape::Scattered => "scattered",
    };
    println!(
        "| {name} | {shape} | {:.3} | {:.3} | {note} |",
        milliseconds(total) / times.len().max(1) as f64,
        milliseconds(worst),
    );
}

fn row(name: &str, shape: Shape, map: &Map, patches: u64, mut work: impl FnMut(&GridPatch)) {
    let mut source = Patches::new(map, shape);
    let times: Vec<_> = (0..patches)
        .map(|_| {
            let patch = source.next(map);
            let begun = ThreadTime::now();
            work(&patch);
            begun.elapsed()
        })
        .collect();
    print(name, shape, &times, "");
}

/// A structure that is repaired at once.
fn repaired(
    name: &str,
    shape: Shape,
    map: &Map,
    patches: u64,
    mut repair: impl FnMut(&Map, &ChangeSet),
) {
    let mut source = Patches::new(map, shape);
    let mut changing = map.clone();
    let times: Vec<_> = (0..patches)
        .map(|_| {
            let changes = changing.apply(&source.next(map));
            let begun = ThreadTime::now();
            repair(&changing, &changes);
            begun.elapsed()
        })
        .collect();
    print(name, shape, &times, "");
}

/// The times of repairs in slices.
struct Slices {
    /// Of hearing of each patch.
    at_once: Vec<Duration>,
    /// Of each slice.
    ticks: Vec<Duration>,
    /// The most slices for a patch.
    most: u64,
}

impl Slices {
    /// Times `patches` patches. `advance` takes the changes of a new patch, or goes on with its repair, and says whether that is
    /// done.
    fn of(
        shape: Shape,
        map: &Map,
        patches: u64,
        mut advance: impl FnMut(&Map, Option<&ChangeSet>) -> bool,
    ) -> Slices {
        let mut source = Patches::new(map, shape);
        let mut changing = map.clone();
        let (mut at_once, mut ticks, mut most) = (Vec::new(), Vec::new(), 0);
        let mut timed = |map: &Map, changes: Option<&ChangeSet>| {
            let begun = ThreadTime::now();
            let ready = advance(map, changes);
            (begun.elapsed(), ready)
        };
        for _ in 0..patches {
            let changes = changing.apply(&source.next(map));
            let (time, mut ready) = timed(&changing, Some(&changes));
            at_once.push(time);
            let before = ticks.len();
            while !ready {
                let (time, now_ready) = timed(&changing, None);
                ticks.push(time);
                ready = now_ready;
            }
            most = most.max((ticks.len() - before) as u64);
        }
        Slices {
            at_once,
            ticks,
            most,
        }
    }

    /// The shorter of two times of the same work, call for call.
    fn shorter(mut self, again: &Slices) -> Slices {
        let both = |times: &mut [Duration], again: &[Duration]| {
            let pairs = times.iter_mut().zip(again);
            pairs.for_each(|(time, again)| *time = (*time).min(*again));
        };
        both(&mut self.at_once, &again.at_once);
        both(&mut self.ticks, &again.ticks);
        self
    }

    fn print(&self, name: &str, shape: Shape) {
        print(&format!("{name}, at once"), shape, &self.at_once, "");
        let note = format!("up to {} ticks", self.most);
        print(&format!("{name}, a tick"), shape, &self.ticks, &note);
    }
}

/// What the planners of a crowd share: a first slice at once, the others a tick each.
fn mended(
    name: &str,
    shape: Shape,
    map: &Map,
    patches: u64,
    mut advance: impl FnMut(&Map, Option<&ChangeSet>, u64) -> bool,
) {
    let operations = Options::default().repair_operations;
    let slices = Slices::of(shape, map, patches, |map, changes| {
        advance(map, changes, operations)
    });
    slices.print(name, shape);
}

/// An index that is repaired a slice a tick. All is done twice, which is the same work call for call, and the shorter time
/// counts: what the machine did in between does not.
fn sliced(kind: IndexKind, shape: Shape, map: &Map, patches: u64) -> Result<()> {
    let built = index::build(map, &IndexRequest::new(kind), Shard::WHOLE, &NoProgress)?;
    let operations = Options::default().repair_operations;
    let times = || {
        let slot = Slot::new(map, built.clone(), IndexRequest::new(kind))?;
        Ok::<_, waypost::artifact::ArtifactError>(Slices::of(
            shape,
            map,
            patches,
            |map, changes| {
                match changes {
                    Some(_) => slot.follow(map),
                    None => {
                        slot.advance(map, operations, true);
                    }
                }
                slot.index_state() != IndexState::Repairing
            },
        ))
    };
    times()?.shorter(&times()?).print(kind.name(), shape);
    Ok(())
}
