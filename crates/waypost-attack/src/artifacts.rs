//! Index files whose contents somebody made up, with a right checksum. A file that opens is walked with by every agent that
//! uses its kind: each step must be legal, each move within the bound that the agent publishes, and the agent must arrive.

use crate::adapter::{self, Walker};
use crate::scene::Scene;
use crate::{Arena, Verdict, Work};
use std::sync::OnceLock;
use waypost::artifact::Artifact;
use waypost::crowd::{Options, Status};
use waypost::index::{self, INDEX_TYPES, IndexRequest, Indexes};
use waypost::spec::AgentSpec;
use waypost::{Decision, Point};
use waypost_testkit::{Rules, TestRng, damage_words, shapes};

/// A file as it was built, and who walks with it.
struct Good {
    scene: usize,
    name: &'static str,
    bytes: Vec<u8>,
    users: Vec<AgentSpec>,
    /// The other indexes that the users need.
    others: Indexes,
}

/// Ways to walk, found once for each map.
const WAYS: usize = 64;
type Way = ((u32, u32), (u32, u32));

struct Goods {
    scenes: Vec<Scene>,
    ways: Vec<Vec<Way>>,
    files: Vec<Good>,
}

fn goods() -> &'static Goods {
    static GOODS: OnceLock<Goods> = OnceLock::new();
    GOODS.get_or_init(|| {
        let scenes: Vec<Scene> = (0..12).map(scene).collect();
        let mut files = Vec::new();
        for (scene, place) in scenes.iter().enumerate() {
            for kind in INDEX_TYPES {
                // A table holds every pair of cells: one of a large map takes as long to read as a hundred others.
                if kind.kind.name() != "tables" || is_small(scene) {
                    files.extend(good(scene, place, kind));
                }
            }
        }
        let mut rng = TestRng::new(96);
        let ways_of = |scene: &Scene| {
            let mut way = || scene.connected_pair(&mut rng);
            (0..WAYS).filter_map(|_| way()).collect()
        };
        Goods {
            ways: scenes.iter().map(ways_of).collect(),
            scenes,
            files,
        }
    })
}

/// The first half of the maps is small.
fn is_small(scene: usize) -> bool {
    scene < 6
}

fn scene(number: usize) -> Scene {
    let mut rng = TestRng::new(90 + number as u64);
    let (width, height) = if is_small(number) { (11, 9) } else { (28, 22) };
    let map = match number % 3 {
        0 => shapes::any(u64::from(rng.next()), height, width),
        1 => shapes::noise(width, height, 25, &mut rng),
        _ => shapes::noise(width, height, 8, &mut rng),
    };
    Scene::of(map, Rules::all()[number % 6])
}

fn good(scene: usize, place: &Scene, kind: &index::IndexType) -> Option<Good> {
    let specs = adapter::specs();
    let needs = |spec: &AgentSpec| spec.needs().into_iter().find(|r| r.kind == kind.kind);
    let users: Vec<AgentSpec> = specs.into_iter().filter(|s| needs(s).is_some()).collect();
    let request = users
        .first()
        .and_then(needs)
        .unwrap_or_else(|| IndexRequest::new(kind.kind));
    let built = adapter::build(&place.map, &request)?;
    let mut others = Indexes::new();
    for other in users.iter().flat_map(AgentSpec::needs) {
        if other.kind != kind.kind && !others.has(&other) {
            others.add_built(other.clone(), adapter::build(&place.map, &other)?);
        }
    }
    Some(Good {
        scene,
        name: kind.kind.name(),
        bytes: built.to_bytes().as_ref().to_vec(),
        users,
        others,
    })
}

/// A forged file, opened, and agents that walk with it.
pub fn case(_: &Arena, seed: u64) -> Verdict {
    let mut rng = TestRng::new(seed);
    let goods = goods();
    let good = &goods.files[rng.below(goods.files.len() as u32) as usize];
    let mut bytes = good.bytes.clone();
    forge(&mut bytes, &mut rng);
    let mut work = Work {
        executions: 1,
        moves: 0,
    };
    let (scene, ways) = (&goods.scenes[good.scene], &goods.ways[good.scene]);
    let Ok(artifact) = Artifact::open(bytes) else {
        return Ok(work);
    };
    let Ok(opened) = index::open(&artifact, &scene.map) else {
        return Ok(work);
    };
    // Whatever it is, it can be written again and told about.
    let _ = (opened.facts(), opened.memory_bytes(), opened.to_bytes());
    let mut indexes = good.others.fork();
    indexes.add(opened);
    for spec in &good.users {
        let Ok(mut walker) = Walker::new(spec, &scene.map, &indexes) else {
            continue;
        };
        for _ in 0..2 {
            let way = ways[rng.below(ways.len() as u32) as usize];
            let walked = walk(&mut walker, scene, way);
            work.moves += walked.map_err(|wrong| format!("{}, {spec}: {wrong}", good.name))?;
        }
        if rng.percent(10) {
            let ways: Vec<Way> = (0..WALKERS)
                .map(|_| ways[rng.below(ways.len() as u32) as usize])
                .collect();
            let walked = walk_together(spec, &indexes, scene, &ways);
            let wrong = |wrong| format!("{}, a crowd of {spec}: {wrong}", good.name);
            work.moves += walked.map_err(wrong)?;
        }
    }
    Ok(work)
}

/// Walkers of a crowd with a forged index.
const WALKERS: usize = 4;

/// A crowd that shares cells: everybody arrives.
fn walk_together(
    spec: &AgentSpec,
    indexes: &Indexes,
    scene: &Scene,
    ways: &[Way],
) -> Result<u64, String> {
    let Ok(mut crowd) = adapter::crowd(spec, &scene.map, indexes, Options::default()) else {
        return Ok(0);
    };
    let point = |(x, y): (u32, u32)| Point { x, y };
    let mut places = Vec::new();
    for &(from, goal) in ways {
        let Ok(id) = crowd.add(point(from)) else {
            return Ok(0);
        };
        crowd
            .send(id, point(goal))
            .map_err(|error| error.to_string())?;
        places.push((id, from));
    }
    let mut moves = 0;
    for _ in 0..MOVES {
        crowd.tick();
        let mut arrived = 0;
        for (id, at) in &mut places {
            let walker = crowd.view(*id).map_err(|error| error.to_string())?;
            let to = (walker.at.x, walker.at.y);
            if *at != to && !scene.is_step(*at, to) {
                return Err(format!("an illegal step from {at:?} to {to:?}"));
            }
            moves += u64::from(*at != to);
            *at = to;
            arrived += usize::from(walker.status == Status::Arrived);
        }
        if arrived == places.len() {
            return Ok(moves);
        }
    }
    let views: Vec<_> = places.iter().map(|(id, _)| crowd.view(*id)).collect();
    Err(format!(
        "not everybody arrives in {MOVES} ticks: {ways:?}, {views:?}\n{}",
        scene.judge
    ))
}

/// The first bytes are magic, version, kind, map and rules; most damage is done behind them.
const HEADER: usize = 72;

fn forge(bytes: &mut [u8], rng: &mut TestRng) {
    let end = bytes.len() - 8;
    let from = if rng.percent(95) { HEADER.min(end) } else { 0 };
    // A file is long where its tables are; its short lists matter as much.
    let part = match rng.below(4) {
        0 => from..(from + 600).min(end),
        1 => end.saturating_sub(400).max(from) & !3..end,
        _ => from..end,
    };
    damage_words(&mut bytes[part], rng);
    let sum = xxhash_rust::xxh3::xxh3_64(&bytes[..end]);
    bytes[end..].copy_from_slice(&sum.to_le_bytes());
}

/// Moves that the slowest learner needs on maps of this size, and many times more.
const MOVES: u64 = 100_000;

fn walk(walker: &mut Walker, scene: &Scene, (from, goal): Way) -> Result<u64, String> {
    walker.start(&scene.map, scene.cell(from), scene.cell(goal));
    let mut at = from;
    for moves in 0..MOVES {
        let said = walker.step(&scene.map, scene.cell(at));
        if let Some(bound) = said.bound
            && said.operations > bound
        {
            return Err(format!("{} operations, bound {bound}", said.operations));
        }
        match said.decision {
            Decision::Step(to) => {
                let to = scene.point(to);
                if !scene.is_step(at, to) {
                    return Err(format!("an illegal step from {at:?} to {to:?}"));
                }
                at = to;
            }
            Decision::Thinking => {}
            Decision::Arrived if at == goal => return Ok(moves),
            Decision::Arrived => return Err(format!("arrived at {at:?}, the goal is {goal:?}")),
            Decision::Unreachable => {
                return Err(format!("{from:?} to {goal:?} is said to be unreachable"));
            }
        }
    }
    Err(format!(
        "{from:?} to {goal:?} takes more than {MOVES} moves"
    ))
}
