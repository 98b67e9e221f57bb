//! Sectors on terrain: near goals, starts and goals on dear ground, and the walkers of a crowd.

use waypost::agent::Scratch;
use waypost::crowd::{Options, Status};
use waypost::formats::{Reading, map};
use waypost::generate::{Kind, generate, terrain};
use waypost::index::{Indexes, Shard, build};
use waypost::progress::NoProgress;
use waypost::rng::Rng;
use waypost::run::{Outcome, walk};
use waypost::search::{AStar, PathSearch};
use waypost::spec::AgentSpec;
use waypost::terrain::Footings;
use waypost::{Cell, Context, Map, MoveRules, Point};

/// What `waypost gen --terrain` prints, and factors a thousand times apart.
const STREWN: &str = "G=0.5,S=2,T=8,W=4.5";
const FAR_APART: &str = ".=0.1,G=0.3,S=10,W=100,T=33.33";

/// The aim, in per cent above the optimum.
const AIM: u64 = 40;

/// A generated map with terrain.
fn strewn(kind: Kind, (width, height): (u32, u32), seed: u64, factors: &str) -> Map {
    let grid = generate(kind, width, height, seed).expect("a legal size");
    let bytes = map::write_level(&terrain::strew(&grid, seed)).expect("letters for all classes");
    read(&bytes, factors)
}

fn read(bytes: &[u8], factors: &str) -> Map {
    let reading = Reading {
        footings: Footings::parse(factors).expect("factors"),
        ..Reading::default()
    };
    let level = map::parse_level(bytes, &reading).expect("a map");
    level.map(MoveRules::default(), 1).expect("costs fit")
}

fn sectors(map: &Map) -> (AgentSpec, Indexes) {
    let spec = AgentSpec::parse("sectors").expect("a spec");
    let mut indexes = Indexes::new();
    for request in spec.needs() {
        indexes.add(build(map, &request, Shard::WHOLE, &NoProgress).expect("suits every map"));
    }
    (spec, indexes)
}

fn cell(map: &Map, (x, y): (u32, u32)) -> Cell {
    map.passable_cell(Point { x, y }).expect("passable")
}

/// The cost of a walk and of a shortest path, which must be within the agent's bound.
fn walked(map: &Map, pairs: &[(Cell, Cell)]) -> Vec<(u64, u64)> {
    let (spec, indexes) = sectors(map);
    let mut agent = spec.build(map, &indexes).expect("its index is there");
    let bound = agent.operations_bound(map).expect("bounded");
    let (mut scratch, mut search) = (Scratch::new(), AStar::new());
    let mut costs = Vec::new();
    for &(from, to) in pairs {
        let best = search.shortest_path(map, from, to).expect("connected");
        let mut context = Context::new(map, &mut scratch);
        let walk = walk(&mut *agent, &mut context, from, to, 1_000_000, &mut ());
        let walk = walk.expect("legal moves");
        assert_eq!(walk.outcome, Outcome::Arrived);
        let most = walk.operations_per_move_max;
        assert!(most <= bound, "{most} operations, bound {bound}");
        costs.push((walk.cost, u64::from(best.cost)));
    }
    costs
}

#[test]
fn walks_that_were_twice_as_long_as_need_be_are_near_optimal() {
    let known = [
        (Kind::City, (160, 128), 3, STREWN, (51, 56), (7, 26)),
        (Kind::Random, (160, 128), 4, STREWN, (158, 63), (109, 14)),
        (Kind::Rooms, (250, 200), 6, STREWN, (44, 13), (52, 86)),
        (Kind::Random, (250, 200), 6, FAR_APART, (45, 98), (51, 55)),
        (Kind::Random, (250, 200), 6, FAR_APART, (64, 43), (9, 126)),
        (Kind::Random, (250, 200), 6, FAR_APART, (1, 125), (74, 26)),
        (Kind::Rooms, (250, 200), 5, FAR_APART, (194, 38), (26, 103)),
        (Kind::Rooms, (250, 200), 33, FAR_APART, (156, 40), (223, 56)),
    ];
    for (kind, size, seed, factors, from, to) in known {
        let map = strewn(kind, size, seed, factors);
        let pair = (cell(&map, from), cell(&map, to));
        let (cost, best) = walked(&map, &[pair])[0];
        assert!(
            100 * cost <= (100 + AIM) * best,
            "{from:?} to {to:?} on {kind:?}: {cost}, optimum {best}"
        );
    }
}

#[test]
fn walks_on_generated_maps_keep_the_aims() {
    let kinds = [Kind::Caves, Kind::City, Kind::Rooms, Kind::Random];
    for (kind, factors) in kinds
        .into_iter()
        .flat_map(|k| [(k, STREWN), (k, FAR_APART)])
    {
        let map = strewn(kind, (120, 90), 17, factors);
        let cells: Vec<Cell> = map.grid().cells().collect();
        let mut rng = Rng::for_item(17, 0);
        let mut any = || cells[rng.below(cells.len() as u32) as usize];
        let pairs: Vec<(Cell, Cell)> = (0..60).map(|_| (any(), any())).collect();
        let costs = walked(&map, &pairs);
        let mut sum = 0.0;
        for (&(cost, best), (from, to)) in costs.iter().zip(&pairs) {
            let ends = [from, to].map(|&cell| map.grid().point(cell));
            assert!(
                100 * cost <= (100 + AIM) * best.max(1),
                "{ends:?} on {kind:?} with {factors}: {cost}, optimum {best}"
            );
            sum += cost as f64 / best.max(1) as f64 - 1.0;
        }
        let percent = 100.0 * sum / pairs.len() as f64;
        assert!(percent <= 1.0, "{percent}% in the mean on {kind:?}");
    }
}

/// Narrow roads through ground a hundred times as expensive, which covers all that `is_road` leaves.
fn roads((width, height): (u32, u32), has_better: bool, is_road: impl Fn(u32, u32) -> bool) -> Map {
    let mut text = format!("type octile\nheight {height}\nwidth {width}\nmap\n");
    for y in 0..height {
        // Every fifth road is ten times as good as the others.
        let letter = |x: u32| match is_road(x, y) {
            true if has_better && y % 20 == 0 => 'G',
            true => '.',
            false => 'T',
        };
        text.extend((0..width).map(letter));
        text.push('\n');
    }
    read(text.as_bytes(), "T=100,G=0.1")
}

#[test]
fn narrow_roads_side_by_side_are_told_apart() {
    let size = (120, 96);
    let link = |y: u32, every: u32| (y / every * 37 + 11) % size.0;
    let edge = |x: u32, y: u32| x.min(y).min(size.0 - 1 - x).min(size.1 - 1 - y);
    let turn = |y: u32| {
        if (y / 3).is_multiple_of(2) {
            size.0 - 1
        } else {
            0
        }
    };
    let maps = [
        (
            "rows, one link each",
            roads(size, false, |x, y| y % 4 == 0 || x == link(y, 4)),
        ),
        (
            "good roads and better ones",
            roads(size, true, |x, y| y % 4 == 0 || x == link(y, 4)),
        ),
        (
            "narrow rows, one link each",
            roads(size, false, |x, y| y % 2 == 0 || x == link(y, 2)),
        ),
        ("rows without links", roads(size, false, |_, y| y % 3 == 0)),
        (
            "diagonal",
            roads(size, false, |x, y| (x + 3 * size.1 - y) % 3 == 0),
        ),
        ("rings", roads(size, false, |x, y| edge(x, y) % 2 == 0)),
        (
            "rings, one link each",
            roads(size, false, |x, y| {
                edge(x, y) % 4 == 0 || x == y && y % 8 < 4
            }),
        ),
        (
            "one that winds",
            roads(size, false, |x, y| y % 3 == 0 || x == turn(y)),
        ),
    ];
    for (name, map) in maps {
        let on_roads: Vec<Cell> = map
            .grid()
            .cells()
            .filter(|&cell| is_cheap(&map, cell))
            .collect();
        let all: Vec<Cell> = map.grid().cells().collect();
        let mut rng = Rng::for_item(20, 0);
        let mut any = |cells: &[Cell]| cells[rng.below(cells.len() as u32) as usize];
        let mut pairs: Vec<(Cell, Cell)> = Vec::new();
        for _ in 0..40 {
            pairs.push((any(&on_roads), any(&on_roads)));
            pairs.push((any(&all), any(&all)));
        }
        let costs = walked(&map, &pairs);
        let mut sum = 0.0;
        for (&(cost, best), (from, to)) in costs.iter().zip(&pairs) {
            let ends = [from, to].map(|&cell| map.grid().point(cell));
            assert!(
                100 * cost <= (100 + AIM) * best.max(1),
                "{ends:?}, {name}: {cost}, optimum {best}"
            );
            sum += cost as f64 / best.max(1) as f64 - 1.0;
        }
        let percent = 100.0 * sum / pairs.len() as f64;
        assert!(percent <= 1.0, "{percent}% in the mean, {name}");
    }
}

fn is_cheap(map: &Map, cell: Cell) -> bool {
    let ground = map.ground().expect("terrain");
    ground.hundredths(cell) <= 100
}

/// Who starts in the hedge between two roads is on the one that the goal is beside, wherever its own region lies; and who starts and ends
/// in one sector does not walk round by the next link.
#[test]
fn who_stands_between_two_roads_takes_that_of_the_goal() {
    let size = (240, 160);
    let map = roads(size, false, |_, y| y % 4 == 0);
    let linked = roads(size, false, |x, y| y % 4 == 0 || x == 200);
    let known = [
        (&map, (105, 138), (193, 140)),
        (&map, (44, 34), (157, 35)),
        (&map, (44, 38), (157, 37)),
        (&linked, (15, 130), (9, 134)),
        (&linked, (14, 134), (10, 130)),
    ];
    for (map, from, to) in known {
        let pair = (cell(map, from), cell(map, to));
        let (cost, best) = walked(map, &[pair])[0];
        assert!(
            100 * cost <= 110 * best,
            "{from:?} to {to:?}: {cost}, optimum {best}"
        );
    }
}

/// The cost that one walker of a crowd walks for.
fn walked_in_crowd(map: &Map, from: Point, to: Point) -> u64 {
    let (spec, indexes) = sectors(map);
    let crowd = spec.crowd(map, &indexes, Options::default());
    let mut crowd = crowd.expect("its index is there");
    let id = crowd.add(from).expect("free");
    crowd.send(id, to).expect("passable");
    let (mut at, mut cost) = (from, 0);
    for _ in 0..100_000 {
        crowd.tick();
        let next = crowd.position(id).expect("it is there");
        if next != at {
            let ends = [at, next].map(|p| map.passable_cell(p).expect("passable"));
            let direction = map.legal_step(ends[0], ends[1]).expect("legal");
            cost += u64::from(map.step_cost(ends[0], direction));
            at = next;
        }
        if crowd.status(id).expect("it is there") == Status::Arrived {
            return cost;
        }
    }
    panic!("{from} to {to}: it never arrives");
}

#[test]
fn a_walker_does_not_walk_straight_through_woods() {
    let (width, height) = (96, 64);
    let mut text = format!("type octile\nheight {height}\nwidth {width}\nmap\n");
    for y in 0..height {
        let woods = |x: u32| (20..76).contains(&x) && (8..56).contains(&y);
        text.extend((0..width).map(|x| if woods(x) { 'T' } else { '.' }));
        text.push('\n');
    }
    let map = read(text.as_bytes(), "T=8");
    let (from, to) = (Point { x: 10, y: 20 }, Point { x: 86, y: 20 });
    let ends = [from, to].map(|p| map.passable_cell(p).expect("passable"));
    let best = AStar::new().shortest_path(&map, ends[0], ends[1]);
    let best = u64::from(best.expect("connected").cost);
    let cost = walked_in_crowd(&map, from, to);
    assert!(10 * cost <= 13 * best, "{cost}, optimum {best}");
}

#[test]
fn walkers_of_a_crowd_are_near_optimal_on_dear_ground() {
    for (kind, factors) in [(Kind::Random, STREWN), (Kind::Caves, FAR_APART)] {
        let map = strewn(kind, (120, 90), 23, factors);
        let cells: Vec<Cell> = map.grid().cells().collect();
        let mut rng = Rng::for_item(23, 0);
        let mut any = || cells[rng.below(cells.len() as u32) as usize];
        let (mut sum, mut search) = (0.0, AStar::new());
        for _ in 0..25 {
            let (from, to) = (any(), any());
            let best = search.shortest_path(&map, from, to).expect("connected");
            let [from, to] = [from, to].map(|cell| map.grid().point(cell));
            let cost = walked_in_crowd(&map, from, to);
            sum += cost as f64 / f64::from(best.cost.max(1)) - 1.0;
        }
        let percent = 100.0 * sum / 25.0;
        assert!(percent <= 6.0, "{percent}% in the mean on {kind:?}");
    }
}
