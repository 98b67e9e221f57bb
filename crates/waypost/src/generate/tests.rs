use super::*;

#[test]
fn names_come_back() {
    for kind in Kind::ALL {
        assert_eq!(Kind::from_name(kind.name()), Some(kind));
    }
    assert_eq!(Kind::from_name("castle"), None);
}

#[test]
fn maps_are_mostly_one_piece_and_neither_empty_nor_full() {
    for kind in Kind::ALL {
        for seed in 0..12 {
            let (width, height) = (100 + 37 * seed as u32, 320 - 17 * seed as u32);
            let grid = generate(kind, width, height, seed).expect("a legal size");
            let components = Components::find(&grid, Corners::Never);
            let largest = components.largest().map_or(0, |c| components.size(c));
            let passable = grid.passable_count();
            assert!(
                largest * 10 >= passable * 9,
                "{kind:?} of seed {seed}: {largest} of {passable}"
            );
            let area = u64::from(width) * u64::from(height);
            let share = passable * 100 / area;
            assert!(
                (15..=95).contains(&share),
                "{kind:?} of seed {seed}: {share}% passable"
            );
        }
    }
}

#[test]
fn every_size_gives_a_map_with_a_passable_cell() {
    for kind in Kind::ALL {
        for (width, height) in [
            (1, 1),
            (2, 1),
            (1, 9),
            (3, 3),
            (7, 5),
            (4, 80),
            (300, 2),
            (65, 64),
        ] {
            for seed in 0..3 {
                let grid = generate(kind, width, height, seed).expect("a legal size");
                assert_eq!((grid.width(), grid.height()), (width, height));
                assert!(grid.passable_count() > 0, "{kind:?} {width} x {height}");
            }
        }
        assert!(generate(kind, 0, 5, 1).is_err());
        assert!(generate(kind, 70_000, 5, 1).is_err());
    }
}

#[test]
fn seeds_decide_and_nothing_else() {
    for kind in Kind::ALL {
        let map = |seed| generate(kind, 150, 110, seed).expect("a legal size");
        assert_eq!(map(3), map(3));
        assert_ne!(map(3), map(4));
    }
}

#[test]
fn an_arena_is_the_same_level_at_every_resolution() {
    let small = generate(Kind::Arena, 256, 192, 9).expect("a legal size");
    let large = generate(Kind::Arena, 1024, 768, 9).expect("a legal size");
    let same = (0..192u32)
        .flat_map(|y| (0..256u32).map(move |x| (x, y)))
        .filter(|&(x, y)| {
            let centre = Point {
                x: 4 * x + 2,
                y: 4 * y + 2,
            };
            small.passable_cell(Point { x, y }).is_some() == large.passable_cell(centre).is_some()
        })
        .count();
    assert!(
        same * 100 >= 256 * 192 * 95,
        "{same} cells of {} agree",
        256 * 192
    );
}
