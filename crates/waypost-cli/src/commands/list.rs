//! `waypost algorithms` and `waypost indexes`.

use crate::report::Report;
use crate::usage;
use anyhow::Result;
use serde_json::{Value, json};
use waypost::index::INDEX_TYPES;
use waypost::spec::ALGORITHMS;

/// Lists the algorithms.
pub fn algorithms() -> Result<Report> {
    let list: Vec<Value> = ALGORITHMS
        .iter()
        .map(|a| entry(a.name, a.about, a.keys))
        .collect();
    Ok(Report::done(
        json!({ "algorithms": list }),
        usage::algorithms(),
    ))
}

/// Lists the kinds of index.
pub fn indexes() -> Result<Report> {
    let list: Vec<Value> = INDEX_TYPES
        .iter()
        .map(|t| entry(t.kind.name(), t.about, t.keys))
        .collect();
    Ok(Report::done(json!({ "indexes": list }), usage::indexes()))
}

fn entry(name: &str, about: &str, keys: &[(&str, &str)]) -> Value {
    let keys: serde_json::Map<_, _> = keys
        .iter()
        .map(|(key, about)| (key.to_string(), json!(about)))
        .collect();
    json!({ "name": name, "about": about, "keys": keys })
}
