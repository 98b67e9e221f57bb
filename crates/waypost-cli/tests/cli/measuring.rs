//! `bench`: every algorithm, every field of the contract.

use crate::support::{Place, assert_says, listed};
use serde_json::Value;

fn place_with_problems() -> Place {
    let place = Place::with_map();
    place.done("scen m.map --count 12 --seed 2 -o m.scen");
    place
}

#[test]
fn every_algorithm_solves_every_problem() {
    let place = place_with_problems();
    for algo in listed(&place, "algorithms") {
        let measured = place.json(&format!("bench m.map --scen m.scen --algo {algo}"));
        let result = &measured["results"][0];
        assert_eq!(result["solved"], 12, "{algo}: {result}");
        assert_eq!(result["failed"], 0, "{algo}");
        let least = result["suboptimality_pct"]["mean"]
            .as_f64()
            .expect("a number");
        assert!(least >= 0.0, "{algo}: shorter than the shortest path");
    }
}

#[test]
fn without_a_name_the_default_agent_runs() {
    let place = place_with_problems();
    let measured = place.json("bench m.map --scen m.scen");
    assert_eq!(measured["results"][0]["algo"], "waypost");
    assert_eq!(measured["results"][0]["solved"], 12);
}

#[test]
fn the_fields_that_scripts_read_are_there() {
    let place = place_with_problems();
    let measured = place.json("bench m.map --scen m.scen --algo astar;sectors --limit 5");
    assert_eq!(measured["problems"], 5);
    assert_eq!(measured["rules"]["costs"], "sqrt2");
    let results = measured["results"].as_array().expect("a list");
    assert_eq!(results.len(), 2);
    for result in results {
        for field in [
            "solved",
            "failed",
            "cost_total",
            "optimal_total",
            "moves_total",
            "expansions_total",
            "revisits_total",
            "ops_per_move_max",
            "index_bytes",
            "build_seconds",
        ] {
            assert!(result[field].is_number(), "{field}: {result}");
        }
        for field in ["query_us", "move_ns", "first_move_ns"] {
            for part in ["mean", "p50", "p99", "p999", "max"] {
                assert!(result[field][part].is_number(), "{field}.{part}: {result}");
            }
        }
        for part in ["mean", "p50", "p95", "max"] {
            assert!(result["suboptimality_pct"][part].as_f64() >= Some(0.0));
        }
        assert!(result["online_bytes"]["max"].is_number());
    }
    assert_eq!(results[0]["suboptimality_pct"]["max"], 0.0, "A* is exact");
    assert_eq!(results[0]["cost_total"], results[0]["optimal_total"]);
    assert!(results[1]["index_bytes"].as_u64() > Some(0));
    assert!(results[1]["build_seconds"].as_f64() > Some(0.0));
}

#[test]
fn an_index_from_a_file_costs_no_build_time() {
    let place = place_with_problems();
    place.done("build sectors m.map -o m.sectors");
    let measured = place.json("bench m.map --scen m.scen --algo sectors --index m.sectors");
    assert_eq!(measured["results"][0]["build_seconds"], 0.0);
    assert_eq!(measured["results"][0]["failed"], 0);
}

#[test]
fn problems_without_a_solution_are_left_out_and_failures_are_negative() {
    let place = Place::new();
    place.write("m.map", "type octile\nheight 1\nwidth 5\nmap\n...@.\n");
    place.write(
        "m.scen",
        "version 1\n0 m 5 1 0 0 2 0 2\n0 m 5 1 0 0 4 0 0\n0 m 5 1 0 0 3 0 3\n",
    );
    let measured = place.json("bench m.map --scen m.scen --algo astar");
    assert_eq!(
        (&measured["problems"], &measured["unsolvable"]),
        (&1.into(), &2.into())
    );
    let short = place.run("bench m.map --scen m.scen --algo astar --max-moves 1 --json");
    assert_eq!(short.code, Some(1));
    assert_eq!(short.json()["results"][0]["failed"], 1);
    assert_says(
        &short.stderr,
        &["astar gave up 1 of 1 problems", "--max-moves"],
    );
}

#[test]
fn the_table_has_a_line_for_each_algorithm() {
    let place = place_with_problems();
    let table = place
        .done("bench m.map --scen m.scen --algo astar --algo lrta:gmax=5")
        .stdout;
    assert_says(
        &table,
        &["algorithm", "\nastar ", "\nlrta:gmax=5 ", "12 problems"],
    );
}

/// Everything but the times.
#[test]
fn tables_fit_a_terminal() {
    let place = place_with_problems();
    let said = place
        .done("bench m.map --scen m.scen --algo astar;knn-lrta:records=1000;lrta --trials 3")
        .stdout;
    for line in said.lines() {
        assert!(line.chars().count() < 100, "{line}");
    }
    for heading in [
        "longer % mean",
        "build s",
        "move ns mean",
        "ops/move max",
        "trials mean",
    ] {
        assert!(said.contains(heading), "{said}");
    }
    // Columns stand under their headings: rules are as long as the widest cell.
    let mut lines = said.lines().skip_while(|line| !line.starts_with("---"));
    let (rule, row) = (lines.next().expect("a rule"), lines.next().expect("a row"));
    assert_eq!(rule.chars().count(), row.chars().count(), "{said}");
}

fn counts(measured: &Value) -> Value {
    let mut counts = measured.clone();
    for result in counts["results"].as_array_mut().expect("a list") {
        let result = result.as_object_mut().expect("an object");
        for time in [
            "query_us",
            "move_ns",
            "first_move_ns",
            "move_cpu_ns",
            "build_seconds",
            "setup_seconds",
        ] {
            result.remove(time).expect(time);
        }
    }
    counts
}

#[test]
fn counts_depend_on_nothing_but_the_input() {
    let place = place_with_problems();
    let algorithms = listed(&place, "algorithms").join(";");
    let bench = format!("bench m.map --scen m.scen --algo {algorithms}");
    let first = counts(&place.json(&bench));
    assert_eq!(first, counts(&place.json(&bench)));
    assert_eq!(first, counts(&place.json(&format!("{bench} --threads 1"))));
    assert_eq!(first, counts(&place.json(&format!("{bench} --threads 2"))));
}
