//! Quality of the sector index on scenario files.
use std::sync::Arc;
use std::time::Instant;
use waypost::agent::{Agent, Context};
use waypost::index::{Index, IndexKind, IndexRequest, sectors::SectorIndex};
use waypost::{Map, MoveRules};

fn main() {
    for path in std::env::args().skip(1) {
        let grid = waypost::formats::map::parse(&std::fs::read(&path).unwrap()).unwrap();
        let map = Map::new(grid, MoveRules::default());
        let scen =
            waypost::formats::scen::parse(&std::fs::read(format!("{path}.scen")).unwrap()).unwrap();
        let begin = Instant::now();
        let index = Arc::new(
            SectorIndex::build(
                &map,
                &{
                    let mut r = IndexRequest::new(IndexKind::Sectors);
                    for (k, v) in std::env::vars() {
                        if let Some(k) = k.strip_prefix("P_") {
                            r = r.with(k, v);
                        }
                    }
                    r
                },
                &waypost::progress::NoProgress,
            )
            .unwrap(),
        );
        let build = begin.elapsed().as_secs_f64();
        let mut agent = waypost::agent::sectors::SectorsAgent::new(index.clone());
        let mut scratch = waypost::search::Scratch::new();
        let mut context = Context::new(&map, &mut scratch);
        let (mut subopt, mut revisits, mut ops, mut failed, mut moves) = (vec![], 0, 0, 0, 0u64);
        let begin = Instant::now();
        let problems = scen.iter().step_by(3);
        for p in problems {
            let (Some(from), Some(goal)) = (map.passable_cell(p.start), map.passable_cell(p.goal))
            else {
                continue;
            };
            let walk = waypost::run::walk(&mut agent, &mut context, from, goal, 1_000_000, &mut ())
                .unwrap();
            if walk.outcome != waypost::run::Outcome::Arrived {
                failed += 1;
                continue;
            }
            moves += walk.path.len() as u64;
            let length = map
                .rules()
                .costs
                .length(map.path_length(&walk.path).unwrap());
            if p.length > 0.0 {
                subopt.push((length / p.length - 1.0) * 100.0);
            }
            revisits += walk.revisits;
            ops = ops.max(walk.operations_per_move_max);
        }
        let time = begin.elapsed().as_secs_f64();
        subopt.sort_by(f64::total_cmp);
        let n = subopt.len();
        println!("{:?} label words etc", index.facts());
        println!(
            "{:28} regions {:6} build {:6.2}s bytes/cell {:.2} n {} failed {} mean {:.2} p99 {:.1} max {:.1} revisits {:.2} ops {} bound {:?} ns/move {:.0}",
            path.rsplit('/').next().unwrap(),
            index.region_count(),
            build,
            index.memory_bytes() as f64 / map.grid().passable_count() as f64,
            n,
            failed,
            subopt.iter().sum::<f64>() / n as f64,
            subopt[n * 99 / 100],
            subopt[n - 1],
            revisits as f64 / n as f64,
            ops,
            agent.operations_bound(&map),
            time * 1e9 / moves as f64,
        );
    }
}
