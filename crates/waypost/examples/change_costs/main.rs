//! What a change of the map costs the default agent:
//! `cargo run --release -p waypost --example change_costs -- PART MAP [PROBLEMS [SEED]]`
//!
//! Parts: `walls` (a block of 10 x 10 cells on the path of every problem), `crowd` (the costliest tick of 10,000 walkers), `doors`
//! (200 doors, 90% of them closed at once), `restless` (one of 200 doors opens or closes with every move), `agents` (100 agents and one
//! patch) and `bounds` (bounds beside the worst moves seen).
//! Prints rows of Markdown. Costs are weighted operations ([`waypost::agent::WEIGHTS`]); every move is checked: legal, and within
//! both published bounds. The parts `untold`, `told`, `mid-leg` and `cut-off` are `walls` with one kind of wall alone; in `renewed` the index is
//! built again before the agent goes on. `MAX_BYTES`, where it is set, is what labels may take.
//!
//! `costly KIND MAP PROBLEMS SEED` prints which moves before and after the wall were the ten costliest of a kind of wall, as a list that
//! `replay KIND MAP PROBLEMS SEED LIST` does again, these moves in functions that callgrind can tell (`docs/measurements/change.md`).

mod others;
mod searches;
mod walls;

use std::sync::Arc;
use walls::{Kind, Trials};
use waypost::index::{self, Index, IndexKind, IndexRequest, Indexes, Shard};
use waypost::progress::NoProgress;
use waypost::{Map, MoveRules, formats};

type Result<T> = std::result::Result<T, Box<dyn std::error::Error>>;

/// Cells on a side of a wall.
const SIDE: u32 = 10;
/// Operations of upkeep a move, where the world is kept up: what crowds spend a tick.
const UPKEEP: u64 = 20_000;
const WALKERS: usize = 10_000;
const MAX_MOVES: u64 = 1_000_000;

fn main() -> Result<()> {
    let mut words = std::env::args().skip(1).peekable();
    let usage = "usage: change_costs [costly|replay] PART MAP [PROBLEMS [SEED [LIST]]]";
    let mode = words.next_if(|word| word == "costly" || word == "replay");
    let (part, path) = (words.next().ok_or(usage)?, words.next().ok_or(usage)?);
    let problems: usize = words.next().map_or(Ok(1000), |text| text.parse())?;
    let seed: u64 = words.next().map_or(Ok(1), |text| text.parse())?;
    let grid = formats::map::parse(&std::fs::read(&path)?)?;
    let name = path.rsplit('/').next().unwrap_or(&path);
    let map = Map::new(grid, MoveRules::default());
    let kinds: &[Kind] = match part.as_str() {
        "walls" => &[Kind::Untold, Kind::Told, Kind::MidLeg, Kind::CutOff],
        "untold" => &[Kind::Untold],
        "told" => &[Kind::Told],
        "mid-leg" => &[Kind::MidLeg],
        "cut-off" => &[Kind::CutOff],
        "renewed" => &[Kind::Renewed],
        "crowd" => return others::crowd(name, &map, seed),
        "doors" => return others::doors(name, map, problems, seed),
        "restless" => return others::restless(name, map, problems, seed),
        "agents" => return others::agents(name, &map, seed),
        "bounds" => return others::bounds(name, &map, problems, seed),
        "searches" => return searches::searches(name, map, problems, seed),
        _ => return Err(usage.into()),
    };
    let indexes = built(&map)?;
    for &kind in kinds {
        let mut trials = Trials::new(map.clone(), &indexes, seed)?;
        if mode.as_deref() == Some("replay") {
            trials.replay(&words.next().ok_or(usage)?)?;
        }
        for _ in 0..problems {
            trials.run(kind)?;
        }
        match mode.as_deref() {
            None => trials.print(name, kind),
            Some(_) => trials.print_costly(),
        }
    }
    Ok(())
}

fn build(map: &Map) -> Result<Arc<dyn Index>> {
    let mut request = IndexRequest::new(IndexKind::Auto);
    if let Ok(bytes) = std::env::var("MAX_BYTES") {
        request = request.with("max-bytes", bytes);
    }
    Ok(index::build(map, &request, Shard::WHOLE, &NoProgress)?)
}

fn built(map: &Map) -> Result<Indexes> {
    let mut indexes = Indexes::new();
    indexes.add(build(map)?);
    Ok(indexes)
}
