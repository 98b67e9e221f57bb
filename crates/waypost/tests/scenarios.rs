//! Every scenario length in the folder that `WAYPOST_MAPS` names: a sample of each file, or with `WAYPOST_ALL_SCENARIOS` set
//! all of them.

use std::path::{Path, PathBuf};
use waypost::formats::{map, scen};
use waypost::search::{AStar, PathSearch};
use waypost::{Map, MoveRules};

/// Problems per file without `WAYPOST_ALL_SCENARIOS`.
const SAMPLE: usize = 12;

fn scenario_files(folder: &Path) -> Vec<(PathBuf, PathBuf)> {
    let entries = std::fs::read_dir(folder).expect("WAYPOST_MAPS names a readable folder");
    let mut files: Vec<_> = entries
        .filter_map(|entry| Some(entry.ok()?.path()))
        .filter(|path| path.extension().is_some_and(|e| e == "map"))
        .map(|path| {
            let scen = path.with_extension("map.scen");
            (path, scen)
        })
        .filter(|(_, scen)| scen.is_file())
        .collect();
    files.sort();
    files
}

#[test]
fn astar_agrees_with_every_scenario_length() {
    let Ok(folder) = std::env::var("WAYPOST_MAPS") else {
        println!("skipped: set WAYPOST_MAPS to a folder of .map and .map.scen files");
        return;
    };
    let all = std::env::var_os("WAYPOST_ALL_SCENARIOS").is_some();
    let mut search = AStar::new();
    let (mut checked, mut wrong) = (0, Vec::new());
    for (map_file, scen_file) in scenario_files(Path::new(&folder)) {
        let read = |path: &Path| std::fs::read(path).expect("a readable file");
        let grid = map::parse(&read(&map_file)).expect("a good map");
        let problems = scen::parse(&read(&scen_file)).expect("a good scenario file");
        let map = Map::new(grid, MoveRules::default());
        let step = if all {
            1
        } else {
            problems.len().div_ceil(SAMPLE).max(1)
        };
        for problem in problems.iter().step_by(step) {
            let found = problem
                .ends(map.grid())
                .ok()
                .and_then(|(from, to)| search.shortest_path(&map, from, to));
            let length = found.map(|path| {
                let moves = map.path_length(&path.cells).expect("a legal path");
                map.length(moves)
            });
            let agrees = match length {
                Some(length) => problem.agrees_with(length),
                None => problem.claims_unreachable() || problem.ends(map.grid()).is_err(),
            };
            checked += 1;
            if !agrees {
                wrong.push(format!(
                    "{}: {} to {}: expected {}, got {length:?}",
                    scen_file.display(),
                    problem.start,
                    problem.goal,
                    problem.length
                ));
            }
        }
    }
    println!("{checked} problems checked");
    assert!(checked > 0, "no scenario file in {folder}");
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}
