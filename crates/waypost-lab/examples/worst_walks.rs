//! The walks of the default agent that are longest beside the optimum: `cargo run --release -p waypost-lab --example worst_walks --
//! MAP TERRAIN SCEN...`
//!
//! TERRAIN is what `--terrain` takes, or `-`. Prints regions and bytes of the sector index, and for each scenario file the mean, the
//! worst and the number of walks beyond 40% above the optimum; then the worst walks of all files.

use waypost::agent::Scratch;
use waypost::formats::{Reading, map, scen};
use waypost::index::{IndexKind, IndexRequest, Indexes, Shard, build};
use waypost::progress::NoProgress;
use waypost::run::walk;
use waypost::search::{AStar, PathSearch};
use waypost::spec::AgentSpec;
use waypost::terrain::Footings;
use waypost::{Context, MoveRules};

type Result<T> = std::result::Result<T, Box<dyn std::error::Error>>;

/// The aim, in per cent above the optimum.
const AIM: f64 = 40.0;
/// How many walks are listed.
const LISTED: usize = 10;

fn main() -> Result<()> {
    let mut words = std::env::args().skip(1);
    let usage = "usage: worst_walks MAP TERRAIN SCEN...";
    let (file, terrain) = (words.next().ok_or(usage)?, words.next().ok_or(usage)?);
    let footings = match terrain.as_str() {
        "-" => Footings::default(),
        text => Footings::parse(text)?,
    };
    let reading = Reading {
        footings,
        ..Reading::default()
    };
    let level = map::parse_level(&std::fs::read(&file)?, &reading)?;
    let map = level.map(MoveRules::default(), 1)?;
    let request = IndexRequest::new(IndexKind::Sectors);
    let index = build(&map, &request, Shard::WHOLE, &NoProgress)?;
    println!(
        "{file}: {} regions, {:.2} bytes a cell",
        index.records(),
        index.memory_bytes() as f64 / map.grid().passable_count() as f64
    );
    let mut indexes = Indexes::new();
    indexes.add(index);
    let mut agent = AgentSpec::parse("sectors")?.build(&map, &indexes)?;
    let (mut scratch, mut search) = (Scratch::new(), AStar::new());
    let mut all = Vec::new();
    for file in words {
        let (mut sum, mut worst, mut beyond, mut count) = (0.0, 0.0f64, 0, 0);
        for problem in scen::parse(&std::fs::read(&file)?)? {
            let Ok((from, to)) = problem.ends(map.grid()) else {
                continue;
            };
            let Some(best) = search.shortest_path(&map, from, to) else {
                continue;
            };
            let mut context = Context::new(&map, &mut scratch);
            let most_moves = 100 * map.grid().passable_count();
            let walked = walk(&mut *agent, &mut context, from, to, most_moves, &mut ())?;
            let excess = 100.0 * (walked.cost as f64 / f64::from(best.cost.max(1)) - 1.0);
            sum += excess;
            worst = worst.max(excess);
            beyond += u32::from(excess > AIM);
            count += 1;
            all.push((excess, best.cost, problem.start, problem.goal));
        }
        let mean = sum / f64::from(count.max(1));
        println!(
            "{file}: {count} walks, mean {mean:.2}%, worst {worst:.1}%, {beyond} beyond {AIM}%"
        );
    }
    all.sort_by(|a, b| b.0.total_cmp(&a.0));
    for (excess, cost, start, goal) in all.into_iter().take(LISTED) {
        let length = map.approximate_length(cost);
        println!("{excess:6.1}% above {length:.1}: {start} to {goal}");
    }
    Ok(())
}
