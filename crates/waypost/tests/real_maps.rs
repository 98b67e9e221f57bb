//! Real maps and scenarios: every file in the folder `WAYPOST_MAPS` is read, written, and read again. Without the
//! variable the test says so and passes.

use std::path::{Path, PathBuf};
use waypost::formats::{gppc, map, scen};
use waypost::grid::{Components, Corners};
use waypost::questions::{smooth, turns};
use waypost::search::{AStar, PathSearch};
use waypost::{Map, MoveRules};

/// All files under the folder with an ending, sorted.
fn files(folder: &Path, ending: &str) -> Vec<PathBuf> {
    let mut found = Vec::new();
    let mut folders = vec![folder.to_owned()];
    while let Some(folder) = folders.pop() {
        for entry in std::fs::read_dir(&folder).expect("a readable folder") {
            let path = entry.expect("a readable entry").path();
            if path.is_dir() {
                folders.push(path);
            } else if path
                .extension()
                .is_some_and(|extension| extension == ending)
            {
                found.push(path);
            }
        }
    }
    found.sort();
    found
}

fn folder() -> Option<PathBuf> {
    let folder = std::env::var_os("WAYPOST_MAPS").map(PathBuf::from);
    let folder = folder.filter(|folder| folder.is_dir());
    if folder.is_none() {
        println!("skipped: WAYPOST_MAPS names no folder with maps");
    }
    folder
}

fn read(path: &Path) -> Vec<u8> {
    std::fs::read(path).unwrap_or_else(|error| panic!("{}: {error}", path.display()))
}

#[test]
fn maps_come_back_from_writing() {
    let Some(folder) = folder() else { return };
    for path in files(&folder, "map") {
        let name = path.display();
        let grid = map::parse(&read(&path)).unwrap_or_else(|error| panic!("{name}: {error}"));
        let again = map::parse(&map::write(&grid)).expect("what we write we read");
        assert_eq!(grid, again, "{name}");
        let components = Components::find(&grid, Corners::Never);
        let cells = u64::from(grid.width()) * u64::from(grid.height());
        println!(
            "{name}: {} x {}, {} passable, {} components, grid {:.3} and components {:.3} bytes a cell",
            grid.width(),
            grid.height(),
            grid.passable_count(),
            components.count(),
            grid.memory_bytes() as f64 / cells as f64,
            components.memory_bytes() as f64 / cells as f64,
        );
        // Rows are padded to words: on narrow maps that is more than 0.15 bytes a cell.
        assert!(
            grid.width() < 500 || grid.memory_bytes() as u64 * 100 <= cells * 15,
            "{name}"
        );
    }
}

#[test]
fn scenarios_come_back_from_writing() {
    let Some(folder) = folder() else { return };
    for path in files(&folder, "scen") {
        let name = path.display();
        let bytes = read(&path);
        if bytes.starts_with(b"version 2") {
            dynamic(&path, &bytes);
            continue;
        }
        let problems = scen::parse(&bytes).unwrap_or_else(|error| panic!("{name}: {error}"));
        let mut again = scen::parse(&scen::write(&problems)).expect("what we write we read");
        for (problem, again) in problems.iter().zip(&mut again) {
            again.tolerance = problem.tolerance;
        }
        assert_eq!(problems, again, "{name}");
        let coarsest = problems.iter().map(|p| p.tolerance).fold(0.0, f64::max);
        println!(
            "{name}: {} problems, lengths to within {coarsest:.1e}",
            problems.len()
        );
        let map_path = path.with_extension("");
        if map_path.is_file() {
            let grid =
                map::parse(&read(&map_path)).unwrap_or_else(|error| panic!("{name}: {error}"));
            assert_eq!(scen::check_size(&problems, &grid), Ok(()), "{name}");
            let on_walls = problems.iter().filter(|p| p.ends(&grid).is_err()).count();
            println!("{name}: {on_walls} problems begin or end on walls");
        }
    }
}

fn dynamic(path: &Path, bytes: &[u8]) {
    let name = path.display();
    let scenario = gppc::parse_scenario(bytes).unwrap_or_else(|error| panic!("{name}: {error}"));
    let patch_path = path.with_file_name(&scenario.patch_name);
    let patches = gppc::parse_patches(&read(&patch_path));
    let patches = patches.unwrap_or_else(|error| panic!("{}: {error}", patch_path.display()));
    assert_eq!(scenario.check_patches(&patches), Ok(()), "{name}");
    let mut grid = scenario.first_map().expect("a legal size");
    let mut components = Components::find(&grid, Corners::Never);
    let (mut queries, mut changes) = (0, 0);
    for command in &scenario.commands {
        match command {
            gppc::Command::Patch { patch, at, .. } => {
                let changed = grid.apply(&patches[*patch as usize].placed(*at));
                components.repair(&grid, &changed);
                changes += 1;
            }
            gppc::Command::Query(query) => {
                let cell = |point| {
                    grid.passable_cell(point)
                        .unwrap_or_else(|| panic!("{name}: {query:?}"))
                };
                assert!(
                    components.connected(cell(query.start), cell(query.goal)),
                    "{name}: {query:?}"
                );
                queries += 1;
            }
        }
    }
    assert_eq!(
        components.count(),
        Components::find(&grid, Corners::Never).count()
    );
    println!(
        "{name}: {queries} queries, {changes} changes with {} patches",
        patches.len()
    );
}

/// Maps of games among those of the folder: the others are cities, or were made for benchmarks.
const OF_GAMES: [&str; 16] = [
    "AR0011SR",
    "AR0300SR",
    "AcrosstheCape",
    "Aftershock",
    "TheFrozenSea",
    "arena",
    "brc202d",
    "den312d",
    "ht_chantry",
    "icecrown",
    "lak303d",
    "orz103d",
    "orz300d",
    "orz900d",
    "ost100d",
    "w_woundedcoast",
];

#[test]
fn straightening_leaves_fewer_than_half_of_the_turns_on_game_maps() {
    let Some(folder) = folder() else { return };
    for name in OF_GAMES {
        let path = folder.join(format!("{name}.map"));
        if !path.is_file() {
            continue;
        }
        let grid = map::parse(&read(&path)).expect("a map");
        let problems = scen::parse(&read(&folder.join(format!("{name}.map.scen")))).expect("good");
        let map = Map::new(grid, MoveRules::default());
        let mut search = AStar::new();
        let (mut before, mut after) = (0, 0);
        for problem in problems.iter().step_by(problems.len().div_ceil(150)) {
            let ends = [problem.start, problem.goal].map(|point| map.passable_cell(point));
            let [Some(from), Some(to)] = ends else {
                continue;
            };
            let Some(found) = search.shortest_path(&map, from, to) else {
                continue;
            };
            let straight = smooth(&map, &found.cells);
            let length = map.length(map.path_length(&found.cells).expect("legal"));
            assert!(straight.length <= length * (1.0 + 1e-9), "{name}");
            before += turns(&map, &found.cells);
            after += straight.waypoints.len().saturating_sub(2);
        }
        println!("{name}: {after} of {before} turns are left");
        assert!(2 * after < before, "{name}: {after} of {before}");
    }
}
