//! `solve`: answers, pictures, traces.

use crate::support::{Place, assert_says};

/// Two rooms; the right one has no door. A pillar stands in the left one.
const ROOMS: &str = "\
type octile
height 5
width 9
map
.....@...
..@..@...
..@..@...
.....@...
.....@...
";

fn rooms() -> Place {
    let place = Place::new();
    place.write("m.map", ROOMS);
    place
}

#[test]
fn a_path_is_legal_and_its_length_counted() {
    let place = rooms();
    for algo in ["astar", "dijkstra", "lrta", "waypost"] {
        let answer = place.json(&format!("solve m.map --from 0,1 --to 4,1 --algo {algo}"));
        assert_eq!(answer["status"], "arrived", "{algo}");
        let path = answer["path"].as_array().expect("a path");
        assert_eq!(path.first(), Some(&serde_json::json!([0, 1])));
        assert_eq!(path.last(), Some(&serde_json::json!([4, 1])));
        assert_eq!(answer["moves"], path.len() - 1);
        let optimal = 2.0 + 2.0 * std::f64::consts::SQRT_2;
        assert_eq!(answer["optimal_cost"], optimal, "{algo}");
        assert!(answer["cost"].as_f64() >= Some(optimal));
    }
    let papers = place.json("solve m.map --from 0,1 --to 4,1 --algo astar --costs 1.4");
    assert_eq!(papers["cost"], 2.0 + 2.0 * 1.4);
    let cutting = place.json("solve m.map --from 1,1 --to 3,1 --algo astar --corners always");
    assert_eq!(cutting["cost"], 2.0 * std::f64::consts::SQRT_2);
}

#[test]
fn random_places_are_connected_and_follow_the_seed() {
    let place = rooms();
    let solve = |rest: &str| place.json(&format!("solve m.map --algo astar {rest}"));
    let mut paths = std::collections::BTreeSet::new();
    for seed in 0..8 {
        let any = format!("--from random --to random --seed {seed}");
        let answer = solve(&any);
        assert_eq!(answer["status"], "arrived");
        assert_eq!(answer["path"], solve(&any)["path"]);
        paths.insert(answer["path"].to_string());
    }
    assert!(paths.len() > 4, "{paths:?}");
    let right = solve("--from random --to 8,4")["path"][0].clone();
    assert!(
        right[0].as_u64() >= Some(6),
        "the room of the goal: {right}"
    );
}

#[test]
fn what_was_done_and_written_is_said() {
    let place = rooms();
    let line = "solve m.map --from 0,1 --to 4,1 --png p.png --trace t.yaml";
    let said = place.done(line).stdout;
    assert_says(
        &said,
        &[
            "length",
            "operations",
            "time",
            "first move",
            "the least of ",
            " walks, warm;",
            "the first time, with memory and caches cold and the search recorded",
            "index",
            "p.png, t.yaml",
        ],
    );
}

#[test]
fn start_equals_goal_is_a_path_of_length_0() {
    let answer = rooms().json("solve m.map --from 3,3 --to 3,3 --algo astar");
    assert_eq!(answer["status"], "arrived");
    assert_eq!(
        (&answer["cost"], &answer["moves"]),
        (&0.0.into(), &0.into())
    );
    assert_eq!(answer["path"], serde_json::json!([[3, 3]]));
}

#[test]
fn an_unreachable_goal_is_a_negative_answer() {
    let place = rooms();
    let ran = place.run("solve m.map --from 0,0 --to 8,4 --algo astar");
    assert_eq!(ran.code, Some(1));
    assert_says(&ran.stdout, &["unreachable", "0,0", "8,4"]);
    let json = place.run("solve m.map --from 0,0 --to 8,4 --algo astar --json --png no.png");
    assert_eq!(json.code, Some(1));
    assert_eq!(json.json()["status"], "unreachable");
    assert_eq!(json.json()["path"], serde_json::json!([]));
    assert_eq!(&place.read("no.png")[1..4], b"PNG");
}

#[test]
fn walls_and_places_outside_are_refused() {
    let place = rooms();
    assert_says(
        &place.refused("solve m.map --from 2,1 --to 0,0"),
        &["--from", "2,1", "wall", "2,0", "--nearest"],
    );
    let near = place.json("solve m.map --from 2,1 --to 5,4 --nearest --algo astar");
    assert_eq!(near["path"][0], serde_json::json!([2, 0]));
    assert_eq!(near["status"], "arrived");
    assert_says(
        &place.refused("solve m.map --from 0,0 --to 9,0"),
        &["--to", "9,0", "outside", "0 to 8"],
    );
    assert_says(
        &place.refused("solve m.map --from 0,0 --to 1,99999999999"),
        &["99999999999"],
    );
}

#[test]
fn pictures_and_traces_show_the_search() {
    let place = rooms();
    place.done("solve m.map --from 0,1 --to 4,1 --algo astar --png p.png --trace t.json");
    assert_eq!(&place.read("p.png")[1..4], b"PNG");
    let trace: serde_json::Value = serde_json::from_slice(&place.read("t.json")).expect("JSON");
    let kinds: Vec<&str> = trace["events"]
        .as_array()
        .expect("events")
        .iter()
        .map(|event| event["type"].as_str().expect("a type"))
        .collect();
    assert_eq!(kinds[..2], ["source", "destination"]);
    assert!(kinds.contains(&"expanding"));
    assert_eq!(kinds.iter().filter(|kind| **kind == "end").count(), 4);
    place.done("solve m.map --from 0,1 --to 4,1 --algo astar --trace t.yaml");
    let yaml = String::from_utf8(place.read("t.yaml")).expect("text");
    assert_says(&yaml, &["version: 1.4.0\n", "events:\n", "\"expanding\""]);
}

/// A square with a long way round and a shortcut, and an island.
const GRAPH: &str = "\
waypost-graph 1
node 0 0
node 10 0
node 10 10
node 0 10
node 500 500
edge 0 1
edge 1 2
edge 2 3
edge 0 3 90
";

#[test]
fn graphs_are_solved_too() {
    let place = Place::new();
    place.write("g.graph", GRAPH);
    for algo in ["astar", "lrta", "tba"] {
        let answer = place.json(&format!("solve g.graph --from 0 --to 3 --algo {algo}"));
        assert_eq!(answer["status"], "arrived", "{algo}");
        assert_eq!(answer["optimal_cost"], 30);
        assert!(answer["cost"].as_u64() >= Some(30));
    }
    // Where nothing is said it is an algorithm that walks on graphs.
    let said = place.done("solve g.graph --from 0 --to 3").stdout;
    assert_says(
        &said,
        &[
            "with astar",
            "operations",
            "expansions",
            "time",
            " walks, warm;",
        ],
    );
    let best = place.json("solve g.graph --from 0 --to 3 --algo astar");
    assert_eq!(best["path"], serde_json::json!([0, 1, 2, 3]));
    let island = place.run("solve g.graph --from 0 --to 4 --algo astar");
    assert_eq!(island.code, Some(1));
    assert_says(&island.stdout, &["unreachable"]);
    for (line, words) in [
        (
            "--from 0 --to 5 --algo astar",
            &["--to 5", "not in the graph"][..],
        ),
        ("--from 0,0 --to 3 --algo astar", &["--from 0,0", "node"]),
        ("--from 0 --to 3 --algo sectors", &["sectors", "grids"]),
        (
            "--from 0 --to 3 --algo astar --png p.png",
            &["--png", "maps"],
        ),
    ] {
        assert_says(&place.refused(&format!("solve g.graph {line}")), words);
    }
    assert_says(&place.refused("info g.graph"), &["g.graph", "graph", "map"]);
    place.write("bad.graph", "waypost-graph 1\nnode 0\n");
    assert_says(
        &place.refused("solve bad.graph --from 0 --to 0"),
        &["bad.graph", "line 2"],
    );
}
