//! The competition entry under its runner, with lengths from the independent oracle. `cargo xtask gppc --check` does it on real maps.

mod libraries;

use libraries::{SANITIZED, STRICT, SYSTEM, folder, has, home, libraries, run};
use std::path::{Path, PathBuf};
use std::process::Command;
use waypost_testkit::{Corner, Moves, TestMap, TestRng, optimal_moves, shapes};

/// The runner with the entry linked into it.
fn runner(out: &Path) -> PathBuf {
    with_entry(&home().join("gppc/runner.cpp"), out, &[])
}

/// A program with the entry linked into it.
fn with_entry(main: &Path, out: &Path, more: &[&str]) -> PathBuf {
    let (source, program) = (home().join("gppc"), out.join("program"));
    let object = out.join("dynamic.o");
    let mut c = Command::new("gcc");
    c.args(STRICT).args(["-O2", "-g", "-std=c99", "-c", "-I"]);
    c.arg(home().join("include")).arg(source.join("dynamic.c"));
    run(c.args(more).arg("-o").arg(&object));
    let mut cpp = Command::new("g++");
    cpp.args(STRICT).args(["-O2", "-g", "-std=c++17"]);
    cpp.args(more)
        .args([&source.join("classic.cpp"), main, &object]);
    cpp.arg(libraries().join("libwaypost_capi.a")).args(SYSTEM);
    run(cpp.arg("-o").arg(&program));
    program
}

#[test]
fn the_entry_takes_calls_in_any_order() {
    if !has(&["gcc", "g++", "valgrind"], "the competition entry") {
        return;
    }
    let main = home().join("tests/programs/entry.cpp");
    let answered = "the entry answered\n";
    let out = folder("gppc-order");
    let program = with_entry(&main, &out, &[]);
    let mut valgrind = Command::new("valgrind");
    valgrind.args(["--quiet", "--error-exitcode=9", "--leak-check=full"]);
    valgrind.args(["--show-leak-kinds=definite,indirect"]);
    valgrind.args(["--errors-for-leak-kinds=definite,indirect"]);
    assert_eq!(
        run(valgrind.arg(&program).current_dir(&out)),
        answered,
        "under valgrind"
    );
    let out = folder("gppc-order-asan");
    let sanitized = with_entry(&main, &out, &SANITIZED);
    assert_eq!(run(Command::new(sanitized).current_dir(&out)), answered);
}

#[test]
fn the_entry_shows_its_functions_alone() {
    if !has(&["gcc", "g++", "nm"], "the symbols of the entry") {
        return;
    }
    let (source, out) = (home().join("gppc"), folder("gppc-symbols"));
    let (object, entry) = (out.join("dynamic.o"), out.join("libGPPCentry.so"));
    let mut c = Command::new("gcc");
    c.args(["-O2", "-std=c99", "-fPIC", "-c", "-I"]);
    c.arg(home().join("include")).arg(source.join("dynamic.c"));
    run(c.arg("-o").arg(&object));
    let mut cpp = Command::new("g++");
    cpp.args(["-O2", "-std=c++17", "-fPIC", "-shared", "-o"]);
    cpp.arg(&entry).arg(source.join("classic.cpp")).arg(&object);
    let exports = source.join("exports.map");
    cpp.arg(format!("-Wl,--version-script={}", exports.display()));
    cpp.args(["-Wl,--gc-sections", "-Wl,--strip-debug"]);
    run(cpp.arg(libraries().join("libwaypost_capi.a")).args(SYSTEM));
    let mut nm = Command::new("nm");
    let shown = run(nm.args(["-D", "-C", "--defined-only"]).arg(&entry));
    let names = shown
        .lines()
        .filter_map(|line| line.splitn(3, ' ').nth(2)?.split(['(', '[']).next());
    let mut names: Vec<&str> = names.collect();
    names.sort_unstable();
    let expected = [
        "GetName",
        "GetPath",
        "GetPath",
        "PrepareForSearch",
        "PreprocessMap",
        "gppc_free_data",
        "gppc_get_name",
        "gppc_get_path",
        "gppc_map_change",
        "gppc_preprocess_init_map",
        "gppc_search_init",
    ];
    assert_eq!(names, expected, "{shown}");
}

/// Two cells and the length of a shortest path, 0 where there is none.
fn problem(map: &TestMap, rng: &mut TestRng) -> ((u32, u32), (u32, u32), f64) {
    let from = map.random_open_cell(rng).expect("a free cell");
    let goal = map.random_open_cell(rng).expect("a free cell");
    let moves = optimal_moves(map, Corner::Never, from);
    let length = |m: Moves| m.straight as f64 + m.diagonal as f64 * std::f64::consts::SQRT_2;
    let found = moves[(goal.1 * map.width() + goal.0) as usize];
    (from, goal, found.map_or(0.0, length))
}

#[test]
fn every_path_of_the_entry_is_shortest() {
    if !has(&["gcc", "g++"], "the competition entry") {
        return;
    }
    let out = folder("gppc");
    let runner = runner(&out);
    let mut rng = TestRng::new(5);
    let map = shapes::noise(120, 90, 22, &mut rng);
    let (file, index, scenario) = (out.join("a.map"), out.join("a.nav"), out.join("a.scen"));
    std::fs::write(&file, map.to_movingai()).expect("written");
    let mut lines = "version 1\n".to_string();
    for _ in 0..60 {
        let ((sx, sy), (gx, gy), length) = problem(&map, &mut rng);
        lines += &format!("0\ta.map\t120\t90\t{sx}\t{sy}\t{gx}\t{gy}\t{length:.8}\n");
    }
    std::fs::write(&scenario, &lines).expect("written");
    // Nothing but the file is between the two processes: it is written elsewhere, and moved.
    let written = folder("gppc-elsewhere").join("b.nav");
    run(Command::new(&runner).arg("-pre").args([&file, &written]));
    std::fs::rename(&written, &index).expect("moved");
    let check = |scenario: &Path| {
        let mut command = Command::new(&runner);
        command.arg("-check").args([&file, &index]).arg(scenario);
        command.output().expect("the runner starts")
    };
    let checked = check(&scenario);
    let said = String::from_utf8_lossy(&checked.stdout);
    assert!(
        checked.status.success() && said.contains("60 queries    0 wrong"),
        "{said}"
    );
    // A length that is none of a shortest path is found out.
    let ((sx, sy), (gx, gy), length) = problem(&map, &mut rng);
    let length = length + 1.0;
    let wrong = format!("{lines}0\ta.map\t120\t90\t{sx}\t{sy}\t{gx}\t{gy}\t{length:.8}\n");
    std::fs::write(&scenario, wrong).expect("written");
    assert!(
        !check(&scenario).status.success(),
        "a wrong length was taken"
    );
}

#[test]
fn paths_follow_changes_of_the_map() {
    if !has(&["gcc", "g++"], "the competition entry") {
        return;
    }
    let out = folder("gppc-dynamic");
    let runner = runner(&out);
    let mut rng = TestRng::new(6);
    let mut map = TestMap::filled(90, 70, true);
    let mut commands = String::new();
    let mut patches = "type patch\npatches 12\n".to_string();
    // It begins with a patch, which is part of the first map.
    for frame in 0..12 {
        for _ in 0..8 * frame.min(1) {
            let ((sx, sy), (gx, gy), length) = problem(&map, &mut rng);
            // As the competition writes it.
            let no_way = length == 0.0 && (sx, sy) != (gx, gy);
            let length = if no_way { -1.0 } else { length };
            commands += &format!("Q {frame} {sx} {sy} {gx} {gy} {length:.9}\n");
        }
        if frame > 0 {
            let (x, y) = map.random_open_cell(&mut rng).expect("a free cell");
            commands += &format!("Q {frame} {x} {y} {x} {y} 0\n");
        }
        let (x, y) = (rng.below(60), rng.below(50));
        patches += &format!("patch {frame}\nheight 20\nwidth 30\nmap\n");
        for row in 0..20 {
            for column in 0..30 {
                let is_free = rng.percent(75);
                patches.push(if is_free { '.' } else { '@' });
                map.set(x + column, y + row, is_free);
            }
            patches.push('\n');
        }
        commands += &format!("P {frame} {frame} {x} {y}\n");
    }
    let (scenario, patch, index) = (out.join("a.scen"), out.join("a.patch"), out.join("a.nav"));
    let head = "version 2\nheight 70\nwidth 90\ncost 1 octile\npatch a.patch\ncommands\n";
    std::fs::write(&scenario, format!("{head}{commands}")).expect("written");
    std::fs::write(&patch, patches).expect("written");
    run(Command::new(&runner)
        .arg("-pre-dynamic")
        .args([&scenario, &patch, &index]));
    let mut check = Command::new(&runner);
    let said = run(check
        .arg("-check-dynamic")
        .args([&scenario, &patch, &index]));
    assert!(said.contains("99 queries    0 wrong"), "{said}");
}
