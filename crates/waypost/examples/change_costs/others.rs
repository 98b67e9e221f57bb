//! Crowds under walls, doors that close, a hundred agents and one patch, bounds beside the worst moves seen.

use super::walls::Trials;
use super::{MAX_MOVES, Result, SIDE, UPKEEP, WALKERS, built};
use cpu_time::ThreadTime;
use std::sync::Arc;
use waypost::agent::Scratch;
use waypost::crowd::Options;
use waypost::index::Indexes;
use waypost::map::Doors;
use waypost::rng::Rng;
use waypost::run::walk;
use waypost::spec::AgentSpec;
use waypost::{Cell, Context, Decision, GridPatch, Map, Meter, MoveRules, Point, World};

/// A crowd that walks among new goals, then the same with a wall of 10 x 10 cells every fourth tick.
pub fn crowd(name: &str, map: &Map, seed: u64) -> Result<()> {
    let world: Arc<World> = World::new(map.clone(), &built(map)?);
    let mut crowd = AgentSpec::default().crowd_in(&world, Options::default())?;
    let mut rng = Rng::for_item(seed, 1);
    let cells: Vec<Cell> = map.grid().cells().collect();
    let any = |rng: &mut Rng| {
        map.grid()
            .point(cells[rng.below(cells.len() as u32) as usize])
    };
    let mut ids = Vec::new();
    while ids.len() < WALKERS {
        let id = crowd.add(any(&mut rng))?;
        crowd.send(id, any(&mut rng))?;
        ids.push(id);
    }
    let mut costliest = [0u64; 3];
    for tick in 0..900u64 {
        // The rush of the first goals, then the ticks that come after it, then walls.
        let phase = (tick / 300) as usize;
        if phase == 2 && tick % 4 == 0 {
            let at = any(&mut rng);
            let mut patch = GridPatch::new();
            for y in at.y..at.y + SIDE {
                for x in at.x..at.x + SIDE {
                    patch.set(Point { x, y }, false);
                }
            }
            crowd.patch(&patch);
        }
        for _ in 0..20 {
            let id = ids[rng.below(WALKERS as u32) as usize];
            let goal = any(&mut rng);
            // A goal under a wall is refused, which is as it should be.
            let _ = crowd.send(id, goal);
        }
        let weighted = crowd.tick().meter.weighted();
        costliest[phase] = costliest[phase].max(weighted);
    }
    let [rush, before, after] = costliest;
    println!("| {name} | {WALKERS} | {rush} | {before} | {after} |");
    Ok(())
}

/// The map with up to 200 doors: cells with walls on two opposite sides.
fn with_doors(map: Map, seed: u64) -> (Map, Vec<Point>) {
    let grid = map.grid().clone();
    let free = |x: u32, y: u32| {
        grid.cell(Point { x, y })
            .is_some_and(|c| grid.is_passable(c))
    };
    let mut narrow: Vec<Point> = Vec::new();
    for at in grid.cells().map(|cell| grid.point(cell)) {
        let sides = [(at.x.wrapping_sub(1), at.y), (at.x + 1, at.y)].map(|(x, y)| free(x, y));
        let ends = [(at.x, at.y.wrapping_sub(1)), (at.x, at.y + 1)].map(|(x, y)| free(x, y));
        let is_door = |a: [bool; 2], b: [bool; 2]| !a[0] && !a[1] && b[0] && b[1];
        if is_door(sides, ends) || is_door(ends, sides) {
            narrow.push(at);
        }
    }
    let mut rng = Rng::for_item(seed, 2);
    let mut doors = Doors::none(&grid);
    let mut chosen = Vec::new();
    while chosen.len() < 200 && !narrow.is_empty() {
        let at = narrow.swap_remove(rng.below(narrow.len() as u32) as usize);
        doors.add(at);
        chosen.push(at);
    }
    (Map::with_doors(grid, MoveRules::default(), doors), chosen)
}

/// Most doors close at once.
pub fn doors(name: &str, map: Map, problems: usize, seed: u64) -> Result<()> {
    let (map, chosen) = with_doors(map, seed);
    let indexes = built(&map)?;
    let mut trials = Trials::new(map, &indexes, seed)?;
    let version = trials.indexes.version();
    let closed = chosen.len() * 9 / 10;
    trials.patch(&chosen[..closed], false);
    for _ in 0..20 {
        trials.indexes.advance(&trials.map, UPKEEP, true);
    }
    let (mut reachable, mut exact, mut most_waits) = (0, 0, 0);
    for _ in 0..problems {
        let (from, goal) = (trials.any_cell(), trials.any_cell());
        let Some((_, best)) = trials.best(from, goal)? else {
            continue;
        };
        reachable += 1;
        let (cost, waits) = trials.walk_on(from, goal)?;
        exact += u64::from(cost == best);
        most_waits = most_waits.max(waits);
    }
    println!(
        "| {name} | {} | {closed} | {reachable} | {exact} | {most_waits} | {} |",
        chosen.len(),
        trials.indexes.version() - version,
    );
    Ok(())
}

/// A world that never rests: half of the doors are closed, and with every move one of them opens or closes.
pub fn restless(name: &str, map: Map, problems: usize, seed: u64) -> Result<()> {
    let (map, chosen) = with_doors(map, seed);
    let indexes = built(&map)?;
    // A* finds the shortest path again after every change, whatever that takes.
    for (spec, upkeep) in [("waypost", 0), ("waypost", UPKEEP), ("astar", 0)] {
        let (mut map, indexes) = (map.clone(), indexes.fork());
        let mut rng = Rng::for_item(seed, 4);
        let toggle = |map: &mut Map, door: Point| {
            let mut patch = GridPatch::new();
            patch.set(door, map.passable_cell(door).is_none());
            map.apply(&patch);
        };
        chosen
            .iter()
            .step_by(2)
            .for_each(|&at| toggle(&mut map, at));
        let mut agent = AgentSpec::parse(spec)?.build(&map, &indexes)?;
        let open = map.with_doors_open().into_owned();
        let mut exact = AgentSpec::parse("astar")?.build(&open, &Indexes::new())?;
        let cells: Vec<Cell> = map.grid().cells().collect();
        let mut scratch = Scratch::new();
        let (mut tried, mut arrived, mut moves, mut least, mut costliest) = (0, 0, 0u64, 0u64, 0);
        for _ in 0..problems {
            let [from, goal] = [(); 2].map(|()| cells[rng.below(cells.len() as u32) as usize]);
            let way = walk(
                &mut *exact,
                &mut Context::new(&open, &mut scratch),
                from,
                goal,
                MAX_MOVES,
                &mut (),
            )?;
            if way.path.last() != Some(&goal) {
                continue;
            }
            let least_moves = way.path.len() as u64 - 1;
            tried += 1;
            let mut at = from;
            agent.start(&mut Context::new(&map, &mut scratch), from, goal);
            let mut made = 0;
            while at != goal && made < 100 * least_moves {
                toggle(&mut map, chosen[rng.below(chosen.len() as u32) as usize]);
                indexes.advance(&map, upkeep, true);
                let mut context = Context::new(&map, &mut scratch);
                let decision = agent.next_move(&mut context, at);
                costliest = costliest.max(context.meter.weighted());
                match decision {
                    Decision::Step(to) => at = to,
                    // Doors that are closed leave no way: to wait for them is right.
                    Decision::Unreachable => continue,
                    _ => {}
                }
                made += 1;
            }
            if at == goal {
                (arrived, moves, least) = (arrived + 1, moves + made, least + least_moves);
            }
        }
        let part = moves as f64 / least.max(1) as f64;
        println!(
            "| {name} | {spec} | {} | {upkeep} | {tried} | {arrived} | {part:.2} | {costliest} |",
            chosen.len()
        );
    }
    Ok(())
}

/// One agent and a hundred on a map that gets a wall: what they hold and do.
pub fn agents(name: &str, map: &Map, seed: u64) -> Result<()> {
    let indexes = built(map)?;
    for count in [1, 10, 100] {
        let (mut map, indexes) = (map.clone(), indexes.fork());
        let cells: Vec<Cell> = map.grid().cells().collect();
        let mut rng = Rng::for_item(seed, 3);
        let mut scratch = Scratch::new();
        let mut all = Vec::new();
        for _ in 0..count {
            let [from, goal] = [(); 2].map(|()| cells[rng.below(cells.len() as u32) as usize]);
            let mut agent = AgentSpec::default().build(&map, &indexes)?;
            agent.start(&mut Context::new(&map, &mut scratch), from, goal);
            all.push((agent, from));
        }
        let centre = map.grid().point(all[0].1);
        let mut patch = GridPatch::new();
        for y in centre.y + 2..centre.y + 2 + SIDE {
            for x in centre.x + 2..centre.x + 2 + SIDE {
                patch.set(Point { x, y }, false);
            }
        }
        let begun = ThreadTime::now();
        map.apply(&patch);
        indexes.advance(&map, u64::MAX, true);
        let told = begun.elapsed();
        let begun = ThreadTime::now();
        let mut meter = Meter::default();
        for (agent, at) in &mut all {
            let mut context = Context::new(&map, &mut scratch);
            for _ in 0..64 {
                if let Decision::Step(next) = agent.next_move(&mut context, *at) {
                    *at = next;
                }
            }
            meter.add(&context.meter);
        }
        let bytes: usize = all.iter().map(|(agent, _)| agent.reserved_bytes()).sum();
        println!(
            "| {name} | {count} | {:.1} | {:.0} | {} | {} |",
            told.as_secs_f64() * 1e6,
            begun.elapsed().as_secs_f64() * 1e6 / count as f64,
            meter.weighted() / count,
            bytes as u64 / count,
        );
    }
    Ok(())
}

/// The published bounds beside the worst moves seen: of random problems, and between cells whose first moves are expensive.
pub fn bounds(name: &str, map: &Map, problems: usize, seed: u64) -> Result<()> {
    let indexes = built(map)?;
    let mut trials = Trials::new(map.clone(), &indexes, seed)?;
    let first_move = |trials: &mut Trials, from: Cell, goal: Cell| -> Result<u64> {
        let mut context = Context::new(&trials.map, &mut trials.scratch);
        trials.agent.start(&mut context, from, goal);
        let before = trials.found.costliest[0];
        trials.found.costliest[0] = 0;
        trials.ask(false, from)?;
        let cost = std::mem::replace(&mut trials.found.costliest[0], before);
        trials.found.costliest[0] = before.max(cost);
        Ok(cost)
    };
    let mut costs = Vec::new();
    for _ in 0..problems {
        let (from, goal) = (trials.any_cell(), trials.any_cell());
        costs.push((first_move(&mut trials, from, goal)?, from, goal));
    }
    let random = trials.found.costliest[0];
    costs.sort_by_key(|&(cost, ..)| std::cmp::Reverse(cost));
    let mut ends: Vec<Cell> = costs.iter().take(30).flat_map(|c| [c.1, c.2]).collect();
    ends.dedup();
    for &from in &ends {
        for &goal in &ends {
            first_move(&mut trials, from, goal)?;
        }
    }
    let [worst, bound] = [trials.found.costliest[0], trials.found.bound[0]];
    println!(
        "| {name} | {bound} | {random} | {:.1} | {worst} | {:.1} |",
        bound as f64 / random.max(1) as f64,
        bound as f64 / worst.max(1) as f64,
    );
    Ok(())
}
