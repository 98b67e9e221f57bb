//! `.nav` files that somebody made up: the list of unit types or an index in it is forged, and all checksums are right. What
//! opens is asked for paths, which the judge walks, and leads a crowd.

use crate::scene::Scene;
use crate::{Arena, Verdict, Work};
use std::sync::OnceLock;
use waypost::Point;
use waypost::prelude::{BuildOptions, CrowdOptions, Navigator, Status, UnitType};
use waypost_testkit::{Rules, TestRng, check_path, damage_words, shapes};

/// A file as it was saved, and where the indexes in it lie.
struct Good {
    scene: Scene,
    bytes: Vec<u8>,
    indexes: Vec<std::ops::Range<usize>>,
    ways: Vec<((u32, u32), (u32, u32))>,
}

fn goods() -> &'static [Good] {
    static GOODS: OnceLock<Vec<Good>> = OnceLock::new();
    GOODS.get_or_init(|| (0..8).filter_map(good).collect())
}

fn good(number: u64) -> Option<Good> {
    let mut rng = TestRng::new(300 + number);
    let map = match number % 2 {
        0 => shapes::any(u64::from(rng.next()), 10, 24),
        _ => shapes::noise(22, 18, 15, &mut rng),
    };
    let scene = Scene::of(map, Rules::all()[number as usize % 6]);
    let mut options = BuildOptions::default();
    if number % 4 > 1 {
        // Labels do not fit: sectors.
        options = options.max_bytes(1);
    }
    let options = options.unit_type(UnitType::new("cart").size(2));
    let built = Navigator::build_with(scene.map.clone(), options).ok()?;
    let bytes = built.save().ok()?;
    let ways = (0..40).filter_map(|_| scene.connected_pair(&mut rng));
    Some(Good {
        indexes: places(&bytes),
        ways: ways.collect(),
        scene,
        bytes,
    })
    .filter(|good| !good.ways.is_empty())
}

/// Where the indexes lie, as the list at the beginning says: for each unit type its name and what it makes of ground, both with their
/// lengths before them, its size between, a place and a length.
fn places(bytes: &[u8]) -> Vec<std::ops::Range<usize>> {
    let number = |at: usize| {
        let word = bytes[at..at + 4].try_into().unwrap_or_default();
        u32::from_le_bytes(word) as usize
    };
    let mut at = 16;
    let mut places = Vec::new();
    for _ in 0..number(12) {
        at += 4 + number(at) + 4;
        at += 4 + number(at);
        let (place, length) = (number(at), number(at + 8));
        places.push(place..place + length);
        at += 16;
    }
    places
}

/// A forged file, opened and used.
pub fn case(_: &Arena, seed: u64) -> Verdict {
    let mut rng = TestRng::new(seed);
    let goods = goods();
    let good = &goods[rng.below(goods.len() as u32) as usize];
    let mut bytes = good.bytes.clone();
    forge(&mut bytes, &good.indexes, &mut rng);
    let mut work = Work {
        executions: 1,
        moves: 0,
    };
    let Ok(navigator) = Navigator::open(good.scene.map.clone(), bytes) else {
        return Ok(work);
    };
    // Only units of one cell walk by the judge's rules.
    let unit = navigator.unit_types().into_iter().find(|u| u.cells() == 1);
    let Some(navigator) = unit.and_then(|unit| navigator.for_unit(unit.name()).ok()) else {
        return Ok(work);
    };
    for _ in 0..3 {
        let way = good.ways[rng.below(good.ways.len() as u32) as usize];
        work.moves += path(&navigator, &good.scene, way)?;
    }
    if rng.percent(20) {
        work.moves += crowd(&navigator, good, &mut rng)?;
    }
    Ok(work)
}

fn forge(bytes: &mut [u8], indexes: &[std::ops::Range<usize>], rng: &mut TestRng) {
    let sum = |bytes: &mut [u8]| {
        let end = bytes.len() - 8;
        let sum = xxhash_rust::xxh3::xxh3_64(&bytes[..end]);
        bytes[end..].copy_from_slice(&sum.to_le_bytes());
    };
    if rng.percent(25) {
        let end = indexes[0].start;
        damage_words(&mut bytes[8..end], rng);
    } else {
        let index = &mut bytes[indexes[rng.below(indexes.len() as u32) as usize].clone()];
        let end = index.len() - 8;
        damage_words(&mut index[72..end], rng);
        sum(index);
    }
    sum(bytes);
}

/// A path is legal from end to end, or refused.
fn path(
    navigator: &Navigator,
    scene: &Scene,
    (from, goal): ((u32, u32), (u32, u32)),
) -> Result<u64, String> {
    let point = |(x, y): (u32, u32)| Point { x, y };
    let Ok(path) = navigator.path(point(from), point(goal)) else {
        return Ok(0);
    };
    let cells: Vec<(u32, u32)> = path.points().iter().map(|p| (p.x, p.y)).collect();
    if cells.first() != Some(&from) || cells.last() != Some(&goal) {
        return Err(format!("a path from {from:?} to {goal:?} has other ends"));
    }
    match check_path(&scene.judge, scene.rules, &cells) {
        Ok(_) => Ok(cells.len() as u64 - 1),
        Err(wrong) => Err(format!("from {from:?} to {goal:?}: {wrong}")),
    }
}

/// Ticks in which the slowest walker of a crowd arrives, and many times more.
const TICKS: u32 = 100_000;

fn crowd(navigator: &Navigator, good: &Good, rng: &mut TestRng) -> Result<u64, String> {
    let Ok(mut crowd) = navigator.crowd(CrowdOptions::default()) else {
        return Ok(0);
    };
    let mut units = Vec::new();
    for _ in 0..3 {
        let (from, goal) = good.ways[rng.below(good.ways.len() as u32) as usize];
        let (start, end) = (Point::from(from), Point::from(goal));
        if let Ok(unit) = crowd.spawn(start) {
            crowd.send(unit, end).map_err(|error| error.to_string())?;
            units.push((unit, from));
        }
    }
    let mut moves = 0;
    for _ in 0..TICKS {
        crowd.tick();
        let mut under_way = 0;
        for (unit, at) in &mut units {
            let unit = crowd.unit(*unit).map_err(|error| error.to_string())?;
            let to = (unit.position().x, unit.position().y);
            if *at != to && !good.scene.is_step(*at, to) {
                return Err(format!("an illegal step from {at:?} to {to:?}"));
            }
            moves += u64::from(*at != to);
            *at = to;
            under_way += u32::from(unit.status() != Status::Arrived);
        }
        if under_way == 0 {
            return Ok(moves);
        }
    }
    Err(format!("not everybody arrives in {TICKS} ticks"))
}
