//! `waypost crowd`: its fields, its flags, scenarios with map changes, and what it refuses.

use crate::support::{Place, assert_says};
use std::path::PathBuf;

/// What a run tells apart from time.
fn without_times(mut run: serde_json::Value) -> serde_json::Value {
    let fields = run.as_object_mut().expect("an object");
    fields.retain(|name, _| !name.ends_with("_us") && !name.ends_with("_ns"));
    for name in ["ratio_to_climbing", "tick_histogram"] {
        fields.remove(name).expect("a field");
    }
    run
}

#[test]
fn the_fields_of_the_contract_are_there_and_sound() {
    let place = Place::with_map();
    for options in [
        "",
        "--exclusive",
        "--patch-every 10 --patch-cells 9",
        "--rush-every 20",
    ] {
        let run = place.json(&format!(
            "crowd m.map --agents 30 --ticks 60 --algo waypost {options}"
        ));
        for field in ["mean", "p50", "p99", "p999", "max"] {
            assert!(run["tick_us"][field].is_number() && run["move_ns"][field].is_number());
        }
        assert_eq!((&run["agents"], &run["ticks"]), (&30.into(), &60.into()));
        assert_eq!(run["illegal_moves"], 0, "{options}: {run}");
        assert!(run["moves_total"].as_u64() > Some(30), "{options}: {run}");
        assert!(run["arrived"].as_u64() > Some(0), "{options}: {run}");
        let memory = &run["memory_bytes"];
        assert!(memory["shared"].is_number());
        assert!(
            memory["per_agent"].as_u64() <= Some(208),
            "{options}: {memory}"
        );
        let checked = if options == "--exclusive" { 60 } else { 0 };
        assert_eq!(run["collisions_checked"], checked, "{options}");
        assert_eq!(run["collisions"], 0, "{options}");
        // Where cells are not shared, a neighbour may be in the way.
        assert!(
            options == "--exclusive" || run["slow_starts"] == 0,
            "{options}"
        );
        let patches = if options.starts_with("--patch") { 6 } else { 0 };
        assert_eq!(run["patches"], patches, "{options}");
    }
}

#[test]
fn quality_is_one_where_everybody_plans_at_once_and_nobody_is_in_the_way() {
    let place = Place::with_map();
    for options in ["", "--rush-every 25"] {
        let run = place.json(&format!(
            "crowd m.map --agents 40 --ticks 120 --algo labels --set-up 100000000 --quality {options}"
        ));
        for field in ["efficiency", "throughput"] {
            let value = run[field].as_f64().expect("a number");
            assert!((value - 1.0).abs() < 1e-9, "{options} {field}: {run}");
        }
        assert_eq!(run["arrived"], run["ideal_arrivals"], "{options}");
        assert!(run["arrived"].as_u64() > Some(100), "{options}: {run}");
    }
    // What a patch does to distances is no progress: nobody gains more than it walks.
    let run = place.json(
        "crowd m.map --agents 40 --ticks 200 --algo jump-graph --set-up 100000000 --repair 100000000 \
         --patch-every 7 --patch-cells 25 --quality",
    );
    let [efficiency, throughput] =
        ["efficiency", "throughput"].map(|field| run[field].as_f64().expect("a number"));
    assert!((0.9..=1.0).contains(&efficiency), "{run}");
    assert!((0.9..1.1).contains(&throughput), "{run}");
    let plain = place.json("crowd m.map --agents 40 --ticks 10");
    assert!(plain["efficiency"].is_null(), "only where asked for");
}

#[test]
fn quality_is_measured_on_terrain_and_four_ways() {
    let place = Place::new();
    place.done("gen rooms --width 40 --height 30 --terrain -o m.map");
    let measured = |options: &str| {
        let run = place.json(&format!(
            "crowd m.map --agents 20 --ticks 60 --algo astar --set-up 100000000 --quality {options}"
        ));
        let of = |field: &str| run[field].as_f64().expect("a number");
        let efficiency = of("efficiency");
        assert!((efficiency - 1.0).abs() < 1e-9, "{options}: {run}");
        [of("walked"), of("progress")]
    };
    measured("--terrain G=0.5,S=2,T=8,W=4.5");
    measured("--moves 4");
    measured("--moves 4 --size 2 --terrain S=2");
    // All ground four times as expensive: the same walks at four times the cost.
    let (plain, fourfold) = (measured(""), measured("--terrain .=4,G=4,S=4"));
    for (plain, fourfold) in plain.into_iter().zip(fourfold) {
        assert!(
            (fourfold / plain / 4.0 - 1.0).abs() < 1e-3,
            "{fourfold} is not four times {plain}"
        );
    }
}

#[test]
fn peers_walk_the_same_problems_without_faults() {
    let place = Place::with_map();
    let run = place.json(
        "crowd m.map --agents 60 --ticks 150 --exclusive --quality --peers --patch-every 40 --patch-cells 16",
    );
    let peers = run["peers"].as_array().expect("a list");
    let names: Vec<_> = peers
        .iter()
        .filter_map(|peer| peer["name"].as_str())
        .collect();
    assert_eq!(
        names,
        [
            "exact distances",
            "path only, look 1",
            "path only, look 2",
            "path only, look 4"
        ]
    );
    for peer in peers {
        assert_eq!(peer["faults"], 0, "{peer}");
        assert!(peer["throughput"].as_f64() > Some(0.3), "{peer}");
    }
    assert_eq!(run["exchanges"], 0);
    let refused = place.refused("crowd m.map --agents 20 --ticks 30 --peers");
    assert_says(&refused, &["--exclusive"]);
}

#[test]
fn hole_12_a_run_and_its_memory_are_the_same_on_one_thread_and_on_two() {
    let place = Place::with_map();
    for algo in ["waypost", "knn-lrta:records=100", "sectors:side=8", "lrta"] {
        let line = format!(
            "crowd m.map --agents 700 --ticks 40 --algo {algo} --patch-every 9 --set-up 5000"
        );
        let run = |threads: u32| without_times(place.json(&format!("{line} --threads {threads}")));
        let one = run(1);
        assert_eq!(one, run(2), "{algo}");
        assert_eq!(one, run(1), "{algo}");
    }
}

#[test]
fn a_film_is_a_gif_of_the_run() {
    let place = Place::with_map();
    place.done("crowd m.map --agents 20 --ticks 30 --gif film.gif --exclusive");
    let film = place.read("film.gif");
    assert!(film.starts_with(b"GIF89a") && film.len() > 2000);
    let refused = place.refused("crowd m.map --agents 20 --ticks 30 --gif no/such/folder/film.gif");
    assert_says(&refused, &["no/such/folder"]);
}

/// A room, a wall that comes in frame 1 and one of two gaps in it that closes in frame 2.
pub fn scenario(place: &Place) {
    place.write(
        "walls.patch",
        "type patch\npatches 2\npatch 0\nheight 8\nwidth 1\nmap\n@\n.\n@\n@\n@\n@\n.\n@\npatch 1\nheight 1\nwidth 1\nmap\n@\n",
    );
    place.write(
        "d.scen",
        "version 2\nheight 8\nwidth 12\ncost 1 octile\npatch walls.patch\ncommands\n\
         Q 0 0 1 11 1 11\nP 1 0 5 0\nQ 1 0 1 11 1 11\nQ 1 4 3 6 3 6\nP 2 1 5 1\nQ 2 0 1 11 1 16\n",
    );
}

#[test]
fn scenarios_with_map_changes_are_walked() {
    let place = Place::new();
    scenario(&place);
    for algo in ["astar", "labels", "waypost", "jump-graph", "pra"] {
        let run = place.json(&format!("crowd d.scen --algo {algo}"));
        let replay = &run["replay"];
        assert_eq!(
            (&replay["queries"], &replay["frames"]),
            (&4.into(), &3.into())
        );
        assert_eq!(
            (&run["arrived"], &run["illegal_moves"]),
            (&4.into(), &0.into()),
            "{algo}: {run}"
        );
        assert_eq!(
            (&run["patches"], &replay["under_way"]),
            (&2.into(), &0.into())
        );
    }
    // Searches on the map of the frame walk the lengths that are written, which are right.
    let run = place.json("crowd d.scen --algo astar");
    let longer = run["replay"]["suboptimality_pct"]
        .as_f64()
        .expect("a number");
    assert!(longer.abs() < 12.0, "{longer}");
    // The map changes under those who walk; nobody steps on a wall.
    for options in ["--frame-ticks 3", "--frame-ticks 3 --exclusive"] {
        let run = place.json(&format!("crowd d.scen --algo waypost {options}"));
        assert_eq!(run["illegal_moves"], 0, "{run}");
        // One may stand where the gap closes: it waits there in the wall.
        let (arrived, left) = (&run["arrived"], &run["replay"]["under_way"]);
        assert!(
            arrived.as_u64() >= Some(3) && left.as_u64() <= Some(1),
            "{run}"
        );
    }
}

#[test]
fn what_cannot_run_is_refused_with_a_remedy() {
    let place = Place::with_map();
    scenario(&place);
    for (line, words) in [
        ("crowd m.map --agents 0", vec!["--agents"]),
        ("crowd m.map --ticks 0", vec!["--ticks"]),
        ("crowd m.map --agents many", vec!["many"]),
        ("crowd m.map --algo astra", vec!["astra", "astar"]),
        ("crowd m.map --algo lrta:gmaks=2", vec!["gmaks", "gmax"]),
        (
            "crowd m.map --agents 100000 --exclusive --ticks 1",
            vec!["room for", "fewer"],
        ),
        ("crowd m.map --frame-ticks 3", vec!["--frame-ticks"]),
        ("crowd nowhere.map", vec!["nowhere.map"]),
        ("crowd d.scen --agents 5", vec!["--agents"]),
        ("crowd d.scen --patch-every 5", vec!["--patch-every"]),
    ] {
        let ran = place.run(line);
        assert_eq!(ran.code, Some(2), "{line}: {}", ran.stdout);
        assert_says(&ran.stderr, &words);
    }
    place.write(
        "walls.patch",
        "type patch\npatches 1\npatch 0\nheight 9\nwidth 1\nmap\n@\n@\n@\n@\n@\n@\n@\n@\n@\n",
    );
    assert_says(&place.refused("crowd d.scen"), &["d.scen", "patch"]);
    std::fs::remove_file(place.path("walls.patch")).expect("it was there");
    assert_says(&place.refused("crowd d.scen"), &["walls.patch"]);
}

#[test]
fn the_dynamic_scenario_of_the_competition_is_walked() {
    let scenario = std::env::var_os("WAYPOST_MAPS")
        .map(|folder| PathBuf::from(folder).join("dynamic/dao_arena2.scen"))
        .filter(|path| path.is_file());
    let Some(path) = scenario else {
        println!("skipped: WAYPOST_MAPS names no folder with dynamic/dao_arena2.scen");
        return;
    };
    let place = Place::new();
    let run = place.json(&format!("crowd {} --algo jump-graph", path.display()));
    assert_eq!(
        (&run["arrived"], &run["illegal_moves"]),
        (&2000.into(), &0.into())
    );
    let longer = run["replay"]["suboptimality_pct"]
        .as_f64()
        .expect("a number");
    assert!(
        longer < 3.0,
        "{longer}% longer: only provisional steps may be"
    );
    let run = place.json(&format!(
        "crowd {} --frame-ticks 10 --algo waypost",
        path.display()
    ));
    // Frames come before all have arrived, so walls come down on walkers and cut them off. Nobody is lost: those that are
    // still under way when nothing moves any more stand in walls.
    assert_eq!(run["illegal_moves"], 0);
    let count = |value: &serde_json::Value| value.as_u64().expect("a count");
    let under_way = count(&run["replay"]["under_way"]);
    let all = count(&run["arrived"]) + count(&run["unreachable"]) + under_way;
    assert_eq!(all + count(&run["replay"]["refused"]), 2000, "{run}");
    assert!(under_way < 200, "{under_way} never arrive");
}
