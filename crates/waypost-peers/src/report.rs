//! What is printed.

use crate::queries::Queries;
use serde::Serialize;
use std::fmt::Write as _;
use std::path::Path;

/// Microseconds.
#[derive(Serialize)]
pub struct Times {
    pub mean: f64,
    pub p50: f64,
    pub p99: f64,
    pub max: f64,
}

impl Times {
    /// The summary of at least one time.
    pub fn of(mut times: Vec<f64>) -> Times {
        times.sort_by(f64::total_cmp);
        let at = |share: f64| times[((times.len() - 1) as f64 * share).round() as usize];
        Times {
            mean: times.iter().sum::<f64>() / times.len() as f64,
            p50: at(0.5),
            p99: at(0.99),
            max: at(1.0),
        }
    }
}

/// How a contender did.
#[derive(Serialize)]
pub struct Outcome {
    pub name: String,
    pub queries: usize,
    /// Paths from start to goal without an illegal move.
    pub legal: usize,
    /// Legal paths of least cost.
    pub optimal: usize,
    /// How much longer than optimal the legal paths are, on average.
    pub suboptimality_pct: f64,
    pub query_us: Times,
    pub build_seconds: f64,
    /// What the preparation left allocated, beyond the map.
    pub memory_bytes: u64,
    /// Where the method counts them.
    pub expansions_per_query: Option<f64>,
    pub allocations_per_query: f64,
}

/// The first two lines of a table.
pub const HEAD: &str = "| method | legal | optimal | longer % | mean µs | p50 | p99 | max | build s | MB | allocations | expansions | times as fast |\n";
pub const RULE: &str = "|---|---|---|---|---|---|---|---|---|---|---|---|---|\n";

/// The whole comparison.
#[derive(Serialize)]
pub struct Report {
    map: String,
    passable: u64,
    results: Vec<Outcome>,
}

impl Report {
    /// Names the map by its file.
    pub fn new(map: &Path, queries: &Queries, results: Vec<Outcome>) -> Report {
        Report {
            map: map
                .file_name()
                .unwrap_or_default()
                .to_string_lossy()
                .into_owned(),
            passable: queries.map.grid().passable_count(),
            results,
        }
    }

    /// The name of the map's file.
    pub fn map(&self) -> &str {
        &self.map
    }

    /// For people; the last column compares with `pathfinding::astar` in the same run, or with the first row.
    pub fn table(&self) -> String {
        let mut results = self.results.iter();
        let base = results.find(|r| r.name == "pathfinding::astar");
        let base = base.or(self.results.first());
        let mut text = format!("{}, {} passable cells\n\n", self.map, self.passable);
        text += HEAD;
        text += RULE;
        for r in &self.results {
            let expansions = r
                .expansions_per_query
                .map_or(String::new(), |n| format!("{n:.0}"));
            let faster = base.map_or(String::new(), |base| {
                format!("{:.2}", base.query_us.mean / r.query_us.mean)
            });
            let _ = writeln!(
                text,
                "| {} | {}/{} | {} | {:.2} | {:.1} | {:.1} | {:.1} | {:.1} | {:.3} | {:.1} | {:.1} | {} | {} |",
                r.name,
                r.legal,
                r.queries,
                r.optimal,
                r.suboptimality_pct,
                r.query_us.mean,
                r.query_us.p50,
                r.query_us.p99,
                r.query_us.max,
                r.build_seconds,
                r.memory_bytes as f64 / 1e6,
                r.allocations_per_query,
                expansions,
                faster
            );
        }
        text
    }
}
