//! `graph`: agents on waypoints.

use crate::support::{Place, assert_says, listed};

/// A ring of five nodes with one expensive edge, and an island.
const RING: &str = "\
waypost-graph 1
node 0 0
node 10 0   # the well
node 20 0
node 20 10
node 0 10
node 90 90
edge 0 1
edge 1 2
edge 2 3
edge 3 4 25
edge 4 0
";

#[test]
fn agents_walk_on_a_graph_from_a_file() {
    let place = Place::new();
    place.write("ring.graph", RING);
    let learning = ["astar", "lrta", "lss-lrta", "rtaa", "lrts", "tba"];
    let abstracted = ["pra", "pra:k=inf", "quickpath", "d-lrta"];
    for algo in learning.into_iter().chain(abstracted) {
        let answer = place.json(&format!("graph ring.graph --from 0 --to 3 --algo {algo}"));
        assert_eq!(answer["status"], "arrived", "{algo}");
        assert_eq!(answer["optimal_cost"], 30, "{algo}");
        assert!(answer["cost"].as_u64() >= Some(30), "{algo}");
    }
    let best = place.json("graph ring.graph --from 0 --to 3");
    assert_eq!(best["path"], serde_json::json!([0, 1, 2, 3]));
}

#[test]
fn islands_bad_nodes_and_bad_files_are_answered() {
    let place = Place::new();
    place.write("ring.graph", RING);
    let island = place.run("graph ring.graph --from 0 --to 5 --algo tba --json");
    assert_eq!(island.code, Some(1));
    assert_eq!(island.json()["status"], "unreachable");
    let outside = place.run("graph ring.graph --from 0 --to 6");
    assert_eq!(outside.code, Some(2));
    assert_says(&outside.stderr, &["error:", "--to 6", "from 0 to 5"]);
    place.write("bad.graph", "waypost-graph 1\nnode 1 2\nedge 0 9\n");
    let bad = place.run("graph bad.graph --from 0 --to 0");
    assert_eq!(bad.code, Some(2));
    assert_says(&bad.stderr, &["error:", "bad.graph", "edge 0-9"]);
    let grids_alone = place.run("graph ring.graph --from 0 --to 1 --algo jps");
    assert_eq!(grids_alone.code, Some(2));
    assert_says(&grids_alone.stderr, &["error:", "jps", "grids alone"]);
}

/// The help names the algorithms that walk on graphs: these, and no others.
#[test]
fn help_knows_which_algorithms_walk_on_graphs() {
    let place = Place::new();
    let mut graph = "waypost-graph 1\n".to_string();
    let nodes = (0..64).map(|n| format!("node {} {}\n", n % 8 * 10, n / 8 * 10));
    graph.extend(nodes);
    let right = (0..64).filter(|n| n % 8 < 7).map(|n| (n, n + 1));
    let down = (0..56).map(|n| (n, n + 8));
    graph.extend(right.chain(down).map(|(a, b)| format!("edge {a} {b}\n")));
    place.write("grid.graph", graph);
    let help = place.done("graph --help").stdout;
    let (_, named) = help.split_once("On graphs: ").expect("a list");
    let named = named.split_once("\n\n").map_or(named, |(list, _)| list);
    let named: Vec<&str> = named
        .split([',', '.', ' ', '\n'])
        .filter(|name| !name.is_empty())
        .take_while(|name| !name.starts_with('['))
        .collect();
    for name in listed(&place, "algorithms") {
        let ran = place.run(&format!("solve grid.graph --from 0 --to 63 --algo {name}"));
        let walks = named.contains(&name.as_str());
        assert_eq!(
            ran.code,
            Some(if walks { 0 } else { 2 }),
            "{name}: {named:?}"
        );
        if walks {
            assert!(
                ran.stdout.contains(&format!("with {name}\n  operations")),
                "{}",
                ran.stdout
            );
        } else {
            assert!(ran.stderr.contains("on graphs use"), "{}", ran.stderr);
        }
    }
    assert!(named.len() > 8, "{named:?}");
}
