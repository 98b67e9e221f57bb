//! `graph`: agents on waypoints.

use crate::support::{Place, assert_says};

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
