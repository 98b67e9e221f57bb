//! Building, memory, and time per path.

use crate::{Built, Scene, build};
use bevy_math::{UVec2, UVec3};
use bevy_northstar::filter::NoCornerCutting;
use bevy_northstar::prelude::*;
use cpu_time::ProcessTime;
use std::time::Duration;
use waypost::{Navigator, Point};

pub type Peer = Grid<OrdinalNeighborhood>;

/// The other's grid of the same level, under the same rule about corners.
pub fn peer_grid(scene: &Scene) -> Peer {
    let (width, height) = (scene.map.grid().width(), scene.map.grid().height());
    let settings = GridSettingsBuilder::new_2d(width, height)
        .chunk_size(16)
        .add_neighbor_filter(NoCornerCutting)
        .build();
    let mut grid = Peer::new(&settings);
    for y in 0..height {
        for x in 0..width {
            if scene.map.passable_cell(Point { x, y }).is_none() {
                grid.set_nav(UVec3::new(x, y, 0), Nav::Impassable);
            }
        }
    }
    grid.build();
    grid
}

/// What queries came to.
#[derive(Default)]
struct Answers {
    took: Duration,
    longest: Duration,
    /// The length of each path, where one was found.
    lengths: Vec<Option<f64>>,
}

impl Answers {
    fn ask(scene: &Scene, mut path: impl FnMut(UVec2, UVec2) -> Option<Vec<UVec2>>) -> Answers {
        let mut answers = Answers::default();
        for &(from, goal) in &scene.queries {
            let begun = ProcessTime::now();
            let path = path(from, goal);
            let took = begun.elapsed();
            answers.took += took;
            answers.longest = answers.longest.max(took);
            let length = path.map(|path| length(from, &path));
            answers.lengths.push(length);
        }
        answers
    }

    fn print(&self, name: &str, best: &Answers, built: Option<(Duration, i64)>) {
        let found = self.lengths.iter().flatten().count();
        let millis = |time: Duration| time.as_secs_f64() * 1e3;
        let (build, memory) = match built {
            Some((took, bytes)) => (
                format!("{:.2} s", took.as_secs_f64()),
                format!("{:.1} MB", bytes as f64 / 1e6),
            ),
            None => ("the same".into(), "the same".into()),
        };
        println!(
            "| {name} | {found} | {:.4} ms | {:.3} ms | {:.1}% | {build} | {memory} |",
            millis(self.took) / self.lengths.len().max(1) as f64,
            millis(self.longest),
            self.longer_than(best) * 100.0
        );
    }

    /// How much longer its paths are, over the queries that both have answered.
    fn longer_than(&self, best: &Answers) -> f64 {
        let both = self.lengths.iter().zip(&best.lengths);
        let both = both.filter_map(|(own, best)| own.zip(*best));
        let (own, best) = both.fold((0.0, 0.0), |(a, b), (own, best)| (a + own, b + best));
        if best > 0.0 { own / best - 1.0 } else { 0.0 }
    }
}

/// How long a path is, a straight step being 1.
fn length(from: UVec2, path: &[UVec2]) -> f64 {
    let mut at = from;
    let mut sum = 0.0;
    for &next in path {
        let (dx, dy) = (next.x.abs_diff(at.x), next.y.abs_diff(at.y));
        let (short, long) = (dx.min(dy), dx.max(dy));
        sum += f64::from(long - short) + f64::from(short) * std::f64::consts::SQRT_2;
        at = next;
    }
    sum
}

pub fn compare(scene: &Scene) {
    println!(
        "| method | paths of {} | mean | longest | longer than the best | build | memory |",
        scene.queries.len()
    );
    println!("|---|---|---|---|---|---|---|");
    let ours: Built<Navigator> = build(|| Navigator::build(scene.map.clone()).expect("an index"));
    let nav = &ours.what;
    let best = Answers::ask(scene, |from, goal| {
        let path = nav.path((from.x, from.y), (goal.x, goal.y)).ok()?;
        Some(path.points().iter().map(|p| UVec2::new(p.x, p.y)).collect())
    });
    best.print(
        &format!("bevy_waypost, {}", nav.inspect().kind()),
        &best,
        Some((ours.took, ours.bytes)),
    );
    let theirs = build(|| peer_grid(scene));
    let mut built = Some((theirs.took, theirs.bytes));
    for (name, mode) in [
        (
            "bevy_northstar 0.8, refined (its default)",
            PathfindMode::Refined,
        ),
        ("bevy_northstar 0.8, coarse", PathfindMode::Coarse),
        ("bevy_northstar 0.8, A*", PathfindMode::AStar),
    ] {
        let answers = Answers::ask(scene, |from, goal| {
            let mut request = PathfindArgs::new(from.extend(0), goal.extend(0)).mode(mode);
            let path = theirs.what.pathfind(&mut request)?;
            Some(path.path().iter().map(|p| p.truncate()).collect())
        });
        answers.print(name, &best, built.take());
    }
    println!();
}
