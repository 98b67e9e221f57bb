//! Random terrain for the engine and for the oracle.

use super::engine_rules;
use waypost::terrain::{Class, Classes, Factor, Footing};
use waypost::{Grid, Map, Point};
use waypost_testkit::{Rules, TestMap, TestRng};

/// Patches of up to five classes with random factors over a map.
pub fn random_classes(test_map: &TestMap, seed: u64) -> Classes {
    let mut rng = TestRng::new(seed + 77);
    let factors: &[&[u32]] = &[
        &[100, 200, 450],
        &[100, 150, 300, 1000],
        &[10, 100, 10_000],
        &[125, 275, 350, 400, 775],
        &[100, 101],
        &[300],
    ];
    let factors = factors[rng.below(factors.len() as u32) as usize];
    let kinds = factors.iter().enumerate().map(|(i, &hundredths)| Class {
        name: i.to_string(),
        footing: Footing::Factor(Factor::from_hundredths(hundredths).expect("in range")),
    });
    let (width, height) = (test_map.width(), test_map.height());
    let mut cells = vec![0; (width * height) as usize];
    for _ in 0..rng.below(12) {
        let class = rng.below(factors.len() as u32) as u8;
        let (x, y) = (rng.below(width), rng.below(height));
        let (w, h) = (rng.between(1, 9), rng.between(1, 9));
        for (dx, dy) in (0..h).flat_map(|dy| (0..w).map(move |dx| (dx, dy))) {
            if x + dx < width && y + dy < height {
                cells[((y + dy) * width + x + dx) as usize] = class;
            }
        }
    }
    Classes::new(width, height, kinds.collect(), cells).expect("as many cells as the map has")
}

/// The map of a unit on random terrain, with the oracle's rules and factors for it.
pub fn unit_map(test_map: &TestMap, rules: Rules, size: u32, seed: u64) -> (Map, Rules, Vec<u64>) {
    let classes = random_classes(test_map, seed);
    let (width, height) = (test_map.width(), test_map.height());
    let grid = Grid::from_fn(width, height, |p| test_map.is_open_at((p.x, p.y)));
    let grid = grid.expect("a legal size");
    let map = Map::for_unit(&grid, engine_rules(rules), Some(&classes), size);
    let map = map.expect("costs fit");
    let scale = map.ground().map(|ground| ground.scale());
    let hundredths = classes.kinds().iter().map(|class| match class.footing {
        Footing::Factor(factor) => factor.hundredths(),
        Footing::Wall => 0,
    });
    let hundredths: Vec<u32> = hundredths.collect();
    let unit = scale.map_or(1, |scale| scale.unit);
    let of_cell = |i: u32| {
        let class = classes.at(Point {
            x: i % width,
            y: i / width,
        });
        u64::from(hundredths[usize::from(class)] / unit)
    };
    let factors = (0..width * height).map(of_cell).collect();
    let rules = Rules {
        straight: scale.map_or(rules.straight, |s| s.straight.into()),
        diagonal: scale.map_or(rules.diagonal, |s| s.diagonal.into()),
        ..rules
    };
    (map, rules, factors)
}
