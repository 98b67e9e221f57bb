use super::*;
use crate::agent::Scratch;
use crate::grid::{Grid, GridPatch, MoveRules, Point};
use crate::progress::NoProgress;
use crate::rng::Rng;
use crate::run::{Outcome, walk};

fn database(map: &Map, encoding: Encoding) -> Arc<PathDatabase> {
    let request = IndexRequest::new(IndexKind::Cpd).with("encoding", encoding.name());
    Arc::new(PathDatabase::build(map, &request, &NoProgress).expect("a small map"))
}

fn room(text: &str) -> Map {
    let rows: Vec<_> = text.split_whitespace().map(str::as_bytes).collect();
    let grid = Grid::from_fn(rows[0].len() as u32, rows.len() as u32, |p| {
        rows[p.y as usize][p.x as usize] == b'.'
    });
    Map::new(grid.expect("a legal size"), MoveRules::default())
}

fn at(map: &Map, x: u32, y: u32) -> Cell {
    map.passable_cell(Point { x, y }).expect("passable")
}

#[test]
fn every_move_is_one_look_up_and_the_walk_is_optimal() {
    for encoding in Encoding::ALL {
        let map = room(".....@.. .@@.@... .@...@@. .@.@.... ...@@.@. ");
        let mut agent = DatabaseAgent::new(database(&map, encoding), Repair::AtOnce);
        let mut scratch = Scratch::new();
        for from in map.grid().cells() {
            for goal in map.grid().cells() {
                let mut context = Context::new(&map, &mut scratch);
                let done = walk(&mut agent, &mut context, from, goal, 100, &mut ()).expect("legal");
                let best = context.scratch.astar.distance(&map, from, goal);
                assert_eq!(done.outcome == Outcome::Arrived, best.is_some());
                assert_eq!(done.cost, u64::from(best.unwrap_or(0)));
                assert!(done.operations_per_move_max <= 1);
                assert_eq!(done.meter.expansions, 0);
            }
        }
    }
}

/// A corridor with a way round; the straight way is blocked and opened while the agent walks.
#[test]
fn obstacles_that_vanish_restore_the_path() {
    let plain = room(
        "............
         .@@@@@@@@@@.
         ............",
    );
    let base = database(&plain, Encoding::Runs);
    for repair in [Repair::AtOnce, Repair::WalkUp] {
        let mut map = plain.clone();
        let mut agent = DatabaseAgent::new(base.clone(), repair);
        let mut scratch = Scratch::new();
        let (from, goal) = (at(&map, 0, 2), at(&map, 11, 2));
        let mut here = from;
        agent.start(&mut Context::new(&map, &mut scratch), from, goal);
        for tick in 0..11 {
            let patch = match tick {
                2 => GridPatch::new().block(Point { x: 8, y: 2 }),
                4 => GridPatch::new().open(Point { x: 8, y: 2 }),
                _ => GridPatch::new(),
            };
            map.apply(&patch);
            let mut context = Context::new(&map, &mut scratch);
            let Decision::Step(next) = agent.next_move(&mut context, here) else {
                panic!("{repair:?}: no step at tick {tick}");
            };
            assert!(map.legal_step(here, next).is_some());
            // At once turns back when the way is blocked; the other goes on up to the obstacle.
            assert_eq!(
                agent.is_on_detour(),
                repair == Repair::AtOnce && (2..4).contains(&tick),
                "{repair:?} tick {tick}"
            );
            here = next;
        }
        if repair == Repair::WalkUp {
            assert_eq!(
                here, goal,
                "walking up loses nothing when the obstacle goes away"
            );
        }
    }
}

#[test]
fn a_way_that_the_database_does_not_know_is_found_by_search() {
    let mut map = room("...@...");
    let mut agent = DatabaseAgent::new(database(&map, Encoding::Runs), Repair::AtOnce);
    let mut scratch = Scratch::new();
    let (from, goal) = (at(&map, 0, 0), at(&map, 6, 0));
    let mut context = Context::new(&map, &mut scratch);
    let done = walk(&mut agent, &mut context, from, goal, 9, &mut ()).expect("legal");
    assert_eq!(done.outcome, Outcome::Unreachable);
    let patch = GridPatch::new().open(Point { x: 3, y: 0 });
    map.apply(&patch);
    let mut context = Context::new(&map, &mut scratch);
    let done = walk(&mut agent, &mut context, from, goal, 9, &mut ()).expect("legal");
    assert_eq!((done.outcome, done.path.len()), (Outcome::Arrived, 7));
}

/// Maps that change at random while the agent walks: every move legal, every goal that stays reachable reached.
#[test]
fn agents_on_maps_that_change_at_random_arrive() {
    for seed in 0..60 {
        let mut rng = Rng::for_item(77, seed);
        let rules = MoveRules::ALL[(seed % 6) as usize];
        let walls = rng.below(30);
        let grid = Grid::from_fn(24, 24, |_| !rng.percent(walls)).expect("a legal size");
        let mut map = Map::new(grid, rules);
        let encoding = Encoding::ALL[(seed % 4) as usize];
        let repair = [Repair::AtOnce, Repair::WalkUp][(seed % 2) as usize];
        let mut agent = DatabaseAgent::new(database(&map, encoding), repair);
        let cells: Vec<_> = map.grid().cells().collect();
        let any = |rng: &mut Rng| cells[rng.below(cells.len() as u32) as usize];
        let (from, goal) = (any(&mut rng), any(&mut rng));
        let mut scratch = Scratch::new();
        let mut here = from;
        agent.start(&mut Context::new(&map, &mut scratch), from, goal);
        let mut quiet = 0;
        for tick in 0.. {
            // The map changes for 60 ticks, then stays; from then on a path of at most all cells is left.
            if tick < 60 && rng.percent(40) {
                let mut patch = GridPatch::new();
                for _ in 0..6 {
                    let point = Point {
                        x: rng.below(24),
                        y: rng.below(24),
                    };
                    let cell = map.grid().cell(point);
                    if cell != Some(here) && cell != Some(goal) {
                        if rng.percent(50) {
                            patch.set(point, false);
                        } else {
                            patch.set(point, true);
                        };
                    }
                }
                map.apply(&patch);
            }
            let mut context = Context::new(&map, &mut scratch);
            let reachable = map.components().connected(here, goal);
            match agent.next_move(&mut context, here) {
                Decision::Step(next) => {
                    assert!(reachable, "seed {seed}");
                    assert!(
                        map.legal_step(here, next).is_some(),
                        "seed {seed} tick {tick}"
                    );
                    here = next;
                }
                Decision::Arrived => {
                    assert_eq!(here, goal);
                    break;
                }
                Decision::Unreachable => {
                    assert!(!reachable, "seed {seed} tick {tick}: gave up");
                    if tick >= 60 {
                        break;
                    }
                }
                Decision::Thinking => panic!("seed {seed}: nothing to think about"),
            }
            quiet += u32::from(tick >= 60);
            assert!(quiet < 600, "seed {seed}: did not arrive");
        }
    }
}
