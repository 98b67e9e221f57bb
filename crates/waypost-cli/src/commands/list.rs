//! `waypost algorithms` and `waypost indexes`.

use crate::catalogue;
use crate::report::Report;
use anyhow::Result;
use clap::Args;
use serde_json::{Value, json};
use waypost::index::{INDEX_TYPES, IndexType};
use waypost::spec::{ALGORITHMS, Algorithm};

/// Lists algorithms.
#[derive(Args)]
#[command(after_help = "Examples:\n  waypost algorithms\n  waypost algorithms tba")]
pub struct AlgorithmsArgs {
    /// Show the keys of this one, and examples.
    name: Option<String>,
}

/// Lists kinds of index.
#[derive(Args)]
#[command(after_help = "Examples:\n  waypost indexes\n  waypost indexes labels")]
pub struct IndexesArgs {
    /// Show the parameters of this one, and examples.
    name: Option<String>,
}

/// Lists the algorithms, or shows one.
pub fn algorithms(args: &AlgorithmsArgs) -> Result<Report> {
    let shown = |list: &[&Algorithm], text: String| {
        let list: Vec<Value> = list
            .iter()
            .map(|a| {
                let mut entry = entry(a.name, a.about, a.keys);
                entry["index"] = json!(catalogue::index_of(a.name).map(|kind| kind.name()));
                entry["examples"] = json!(catalogue::algorithm_examples(a));
                entry
            })
            .collect();
        Report::done(json!({ "algorithms": list }), text)
    };
    let Some(name) = &args.name else {
        return Ok(shown(ALGORITHMS, catalogue::algorithms()));
    };
    let algorithm = catalogue::algorithm(name)?;
    Ok(shown(&[algorithm], catalogue::algorithm_page(algorithm)))
}

/// Lists the kinds of index, or shows one.
pub fn indexes(args: &IndexesArgs) -> Result<Report> {
    let shown = |list: &[&IndexType], text: String| {
        let list: Vec<Value> = list
            .iter()
            .map(|t| {
                let mut entry = entry(t.kind.name(), t.about, t.keys);
                entry["algorithms"] = json!(catalogue::takers_of_type(t));
                entry["examples"] = json!(catalogue::index_examples(t));
                entry
            })
            .collect();
        Report::done(json!({ "indexes": list }), text)
    };
    let Some(name) = &args.name else {
        return Ok(shown(INDEX_TYPES, catalogue::indexes()));
    };
    let index = catalogue::index(name)?;
    Ok(shown(&[index], catalogue::index_page(index)))
}

fn entry(name: &str, about: &str, keys: &[(&str, &str)]) -> Value {
    let keys: serde_json::Map<_, _> = keys
        .iter()
        .map(|(key, about)| (key.to_string(), json!(about)))
        .collect();
    json!({ "name": name, "about": about, "keys": keys })
}
