//! Unit types at the door: sizes and ground together, under patches, in files and in crowds.

mod common;

use waypost::prelude::*;
use waypost::search::{AStar, PathSearch};
use waypost::terrain::{Footing, Footings};
use waypost::{Grid, navigator::Error};
use waypost_testkit::TestRng;

const LETTERS: &[u8] = b"....SGWT@";

/// Rows of letters in patches, so that there are ways of every kind.
fn letters(rng: &mut TestRng) -> Vec<Vec<u8>> {
    let (width, height) = (rng.between(6, 24), rng.between(6, 20));
    let mut rows = vec![vec![b'.'; width as usize]; height as usize];
    for _ in 0..rng.between(4, 14) {
        let letter = LETTERS[rng.below(LETTERS.len() as u32) as usize];
        let (x, y) = (rng.below(width), rng.below(height));
        let (w, h) = (rng.between(1, 8), rng.between(1, 5));
        for row in rows.iter_mut().skip(y as usize).take(h as usize) {
            row.iter_mut()
                .skip(x as usize)
                .take(w as usize)
                .for_each(|cell| *cell = letter);
        }
    }
    rows
}

fn text(rows: &[Vec<u8>]) -> String {
    let (width, height) = (rows[0].len(), rows.len());
    let mut text = format!("type octile\nheight {height}\nwidth {width}\nmap\n");
    for row in rows {
        text.push_str(std::str::from_utf8(row).expect("letters"));
        text.push('\n');
    }
    text
}

fn usual_wall(letter: u8) -> bool {
    matches!(letter, b'W' | b'T' | b'@')
}

/// What a type of unit can stand on, kept by the rules of the door's documents and nothing else.
struct Model {
    unit: UnitType,
    rows: Vec<Vec<u8>>,
    free: Vec<Vec<bool>>,
}

impl Model {
    fn new(unit: UnitType, rows: &[Vec<u8>]) -> Model {
        let mut model = Model {
            unit,
            rows: rows.to_vec(),
            free: Vec::new(),
        };
        let free = |row: &Vec<u8>| row.iter().map(|&l| !model.wall(l)).collect();
        model.free = rows.iter().map(free).collect();
        model
    }

    fn wall(&self, letter: u8) -> bool {
        match self.unit.footings().get(&char::from(letter).to_string()) {
            Some(footing) => footing == Footing::Wall,
            None => usual_wall(letter),
        }
    }

    fn edit(&mut self, (x, y): (u32, u32), (w, h): (u32, u32), open: bool) {
        for y in y as usize..(y + h) as usize {
            for x in x as usize..(x + w) as usize {
                let Some(&letter) = self.rows.get(y).and_then(|row| row.get(x)) else {
                    continue;
                };
                let closed_to_it_alone = self.wall(letter) && !usual_wall(letter);
                if !open || !closed_to_it_alone {
                    self.free[y][x] = open;
                }
            }
        }
    }

    /// The places where the whole unit fits.
    fn places(&self) -> Grid {
        let (width, height) = (self.rows[0].len(), self.rows.len());
        let size = self.unit.cells() as usize;
        Grid::from_fn(width as u32, height as u32, |p| {
            let (x, y) = (p.x as usize, p.y as usize);
            x + size <= width
                && y + size <= height
                && (y..y + size).all(|y| (x..x + size).all(|x| self.free[y][x]))
        })
        .expect("a legal size")
    }
}

fn random_type(rng: &mut TestRng, number: usize) -> UnitType {
    let mut footings = Footings::new();
    for letter in ["S", "G", "W", "T", "."] {
        match rng.below(4) {
            0 => footings.set(letter, Footing::Wall),
            1 => {
                let one = Footings::parse(&format!("{letter}={}.5", rng.between(1, 9)));
                let footing = one.expect("in range").get(letter).expect("named");
                footings.set(letter, footing);
            }
            _ => {}
        }
    }
    UnitType::new(format!("type {number}"))
        .size(rng.between(1, 4))
        .terrain(footings)
}

/// Paths at the door are those of a search on the map that the type sees, which other tests judge by the oracle.
fn paths_are_shortest(nav: &Navigator, rng: &mut TestRng) -> usize {
    let map = nav.map().clone();
    let cells: Vec<_> = map.grid().cells().collect();
    let mut steps = 0;
    for _ in 0..if cells.is_empty() { 0 } else { 6 } {
        let [from, goal] = [(); 2].map(|()| cells[rng.below(cells.len() as u32) as usize]);
        let best = AStar::new().shortest_path(&map, from, goal);
        let path = nav.path(map.grid().point(from), map.grid().point(goal));
        assert_eq!(
            best.as_ref().map(|p| p.cost),
            path.as_ref().ok().map(Path::cost)
        );
        steps += path.map_or(0, |path| path.steps());
    }
    steps
}

#[test]
fn every_type_sees_its_own_ground_and_all_patches() {
    let mut steps = 0;
    for seed in 0..60 {
        let mut rng = TestRng::new(seed);
        let rows = letters(&mut rng);
        let map = Map::from_movingai(&text(&rows)).expect("a legal map");
        let nav = Navigator::build(map.clone()).expect("a small map");
        let mut models = vec![Model::new(UnitType::new("unit"), &rows)];
        for number in 0..3 {
            let unit = random_type(&mut rng, number);
            nav.add_unit_type(unit.clone()).expect("it fits");
            models.push(Model::new(unit, &rows));
        }
        let file = nav.save().expect("indexes");
        let opened = Navigator::open(map, file.clone()).expect("the same map");
        assert_eq!(opened.unit_types(), nav.unit_types(), "seed {seed}");
        assert_eq!(opened.save().expect("indexes"), file, "seed {seed}");
        let fork = nav.fork().expect("the same world");
        for round in 0..4 {
            for model in &models {
                for world in [&nav, &opened] {
                    let seen = world.for_unit(model.unit.name()).expect("known");
                    let (got, expected) = (seen.map().grid().clone(), model.places());
                    assert_eq!(
                        got.words(),
                        expected.words(),
                        "seed {seed} round {round} {:?}",
                        model.unit
                    );
                    steps += paths_are_shortest(&seen, &mut rng);
                }
            }
            let (x, y) = (rng.below(24), rng.below(20));
            let (size, open) = ((rng.between(1, 6), rng.between(1, 6)), rng.percent(50));
            let mut patch = Patch::new();
            patch.set_rect((x, y), size, open);
            nav.patch(&patch);
            opened.patch(&patch);
            models.iter_mut().for_each(|m| m.edit((x, y), size, open));
        }
        // The fork has seen none of it.
        for model in &models {
            let fresh = Model::new(model.unit.clone(), &rows);
            let seen = fork.for_unit(model.unit.name()).expect("known");
            assert_eq!(seen.map().grid().words(), fresh.places().words());
        }
    }
    assert!(steps > 10_000, "{steps}");
}

#[test]
fn doors_that_stand_on_ground_of_others_stay_shut() {
    let map = Map::from_movingai("type octile\nheight 2\nwidth 5\nmap\nWWWWW\n.....\n");
    let map = map.expect("legal").and_doors([(2, 1)]);
    let nav = Navigator::build(map).expect("small");
    let boat = UnitType::new("boat")
        .blocked(".")
        .factor("W", 1.0)
        .expect("in range");
    let boat = nav.add_unit_type(boat).expect("it fits");
    let none: [(u32, u32); 0] = [];
    for _ in 0..2 {
        assert!(nav.path((0, 1), (4, 1)).is_ok() && boat.path((0, 0), (4, 0)).is_ok());
        assert!(!boat.is_free((2, 1)));
        nav.set_doors(none, [(2, 1)]).expect("a door");
        assert!(nav.path((0, 1), (4, 1)).is_err() && boat.path((0, 0), (4, 0)).is_ok());
        nav.set_doors([(2, 1)], none).expect("a door");
    }
}

#[test]
fn ground_that_cannot_be_is_refused() {
    let map = Map::from_movingai("type octile\nheight 2\nwidth 5\nmap\n..S..\n.....\n");
    let nav = Navigator::build(map.expect("legal")).expect("small");
    for factor in [0.0, -1.0, f64::NAN, f64::INFINITY, 100.01, 0.099, 2.345] {
        let error = UnitType::new("cart")
            .factor("S", factor)
            .expect_err("refused")
            .to_string();
        assert!(error.contains("0.1 to 100"), "{error}");
        // Of the same words as the text of the command line.
        let text = format!("S={factor}");
        let of_text = Footings::parse(&text).expect_err("refused").to_string();
        assert_eq!(error, of_text);
    }
    let unknown = UnitType::new("cart").blocked("lava");
    let error = nav.add_unit_type(unknown).expect_err("refused").to_string();
    assert!(error.contains("lava") && error.contains('S'), "{error}");
    // A letter of the format that this map has not is no mistake: unit types serve many levels.
    assert!(
        nav.add_unit_type(UnitType::new("cart").blocked("W"))
            .is_ok()
    );
    let factors = |value: f64| Map::from_factors(3, 2, |p| (p.x != 1).then_some(value));
    assert!(factors(2.5).is_ok());
    for value in [0.0, -3.0, f64::NAN, 101.0] {
        let error = factors(value).expect_err("refused").to_string();
        assert!(
            error.contains("0,0") && error.contains("0.1 to 100"),
            "{error}"
        );
    }
    // Numbers of an array may be computed: they are rounded to what is nearest.
    let rounded = factors(2.345).expect("rounded");
    assert_eq!(
        rounded.fingerprint(),
        factors(2.35).expect("legal").fingerprint()
    );
    let many = Map::from_factors(40, 40, |p| Some(1.0 + f64::from(p.y * 40 + p.x) / 100.0));
    assert!(many.expect_err("refused").to_string().contains("255"));
}

#[test]
fn crowds_hold_units_of_several_types() {
    let map = Map::from_fn(40, 30, |p| p.x != 20 || p.y / 3 == 2).expect("legal");
    let nav = Navigator::build(map).expect("small");
    nav.add_unit_type(UnitType::new("tank").size(3))
        .expect("it fits");
    let mut crowd = nav.crowd(CrowdOptions::default()).expect("a crowd");
    let scout = crowd.spawn((3, 4)).expect("free");
    let tank = crowd.spawn_type("tank", (3, 14)).expect("free");
    let guard = crowd.spawn((5, 5)).expect("free");
    assert!(matches!(
        crowd.spawn_type("boat", (3, 4)),
        Err(Error::NoSuchUnitType { .. })
    ));
    assert!(
        crowd.spawn_type("tank", (38, 4)).is_err(),
        "it would reach beyond the map"
    );
    let ids: Vec<UnitId> = crowd.units().map(|unit| unit.id()).collect();
    assert_eq!(ids, [scout, guard, tank]);
    crowd.send(tank, (35, 20)).expect("there");
    crowd.send(scout, Goal::Unit(tank)).expect("there");
    crowd.set_pace(tank, 2).expect("possible");
    crowd.hold(guard, true).expect("there");
    crowd.send(guard, (6, 5)).expect("there");
    for _ in 0..200 {
        crowd.tick();
        let at = crowd.position(tank).expect("there");
        assert!(nav.for_unit("tank").expect("known").is_free(at));
    }
    assert_eq!(crowd.position(tank).expect("there"), (35, 20).into());
    assert_eq!(crowd.position(scout).expect("there"), (35, 20).into());
    assert_eq!(crowd.position(guard).expect("there"), (5, 5).into());
    crowd.despawn(tank).expect("there");
    assert!(crowd.position(tank).is_err());
    crowd.tick();
    assert_eq!(crowd.unit(scout).expect("there").status(), Status::Idle);
    assert!(
        crowd
            .send_group(&[scout, guard], (10, 10), Formation::Close)
            .is_ok()
    );
    let exclusive = || CrowdOptions {
        exclusive: true,
        ..CrowdOptions::default()
    };
    let tanks = nav.for_unit("tank").expect("known");
    let error = tanks.crowd(exclusive()).err().expect("refused").to_string();
    assert!(error.contains("exclusive"), "{error}");
    assert!(
        nav.crowd(exclusive())
            .expect("a crowd")
            .spawn_type("tank", (3, 14))
            .is_err()
    );
}

/// Carries upkeep on to its end: no repair goes on for ever.
fn settled(nav: &Navigator, what: &str) -> bool {
    for job in nav.rebuild_jobs() {
        job.run(&waypost::progress::NoProgress);
    }
    for _ in 0..200 {
        nav.advance(1 << 24);
    }
    let mut states = nav.index_states().into_iter().map(|(_, _, state)| state);
    let ends = |state| matches!(state, IndexState::Current | IndexState::Stale);
    assert!(states.all(ends), "{what}: {:?}", nav.index_states());
    let mut states = nav.index_states().into_iter().map(|(_, _, state)| state);
    states.all(|state| state == IndexState::Current)
}

#[test]
fn repairs_beside_doors_end_and_files_are_of_the_map() {
    for seed in 0..250 {
        let mut rng = TestRng::new(9_000 + seed);
        let (width, height) = (rng.between(8, 40), rng.between(8, 40));
        let wall = rng.between(2, width - 3);
        let muddy = rng.percent(70);
        let map = Map::from_factors(width, height, |p| {
            let is_free = p.x != wall || rng.percent(30);
            is_free.then_some(if muddy && (p.x + p.y) % 9 == 0 {
                3.0
            } else {
                1.0
            })
        });
        let gate = |rng: &mut TestRng| Point {
            x: wall,
            y: rng.below(height),
        };
        let doors: Vec<Point> = (0..rng.between(1, 4)).map(|_| gate(&mut rng)).collect();
        let map = map.expect("a map").and_doors(doors.clone());
        let tank = UnitType::new("tank").size(rng.between(2, 3));
        let options = BuildOptions::default().threads(1).unit_type(tank);
        let nav = Navigator::build_with(map, options).expect("a world");
        for step in 0..6 {
            let what = format!("seed {seed}, step {step}");
            for &door in &doors {
                let is_open = rng.percent(50);
                let (open, close) = if is_open {
                    ([door].to_vec(), vec![])
                } else {
                    (vec![], [door].to_vec())
                };
                // A wall may have been put in the place of the door.
                let _ = nav.set_doors(open, close);
            }
            let mut patch = Patch::new();
            for _ in 0..rng.between(1, 3) {
                let near = Point {
                    x: (wall + rng.below(3)).saturating_sub(1),
                    y: rng.below(height),
                };
                patch = if rng.percent(60) {
                    patch.block(near)
                } else {
                    patch.open(near)
                };
            }
            nav.patch(&patch);
            if settled(&nav, &what) {
                let file = nav.save().expect("a file");
                let now = Map::clone(&nav.map());
                let opened = Navigator::open(now, file);
                assert!(opened.is_ok(), "{what}: {:?}", opened.err());
            }
        }
    }
}
