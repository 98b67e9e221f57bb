//! `waypost verify`.

use crate::arguments::{ReadingArgs, TerrainArgs};
use crate::files;
use crate::report::{self, Report};
use crate::words;
use anyhow::Result;
use clap::Args;
use serde_json::json;
use std::path::PathBuf;
use waypost::artifact::{Artifact, ArtifactError};
use waypost_lab::table::bytes;

/// Checks an index file.
#[derive(Args)]
#[command(
    after_help = "Without --map the file itself is checked: magic, version, lengths, checksum. With --map also that it belongs to the map, and every structure inside.\n\nExamples:\n  waypost gen caves\n  waypost build sectors caves.map -o caves.sectors\n  waypost verify caves.sectors --map caves.map"
)]
pub struct VerifyArgs {
    /// The index file.
    file: PathBuf,

    /// The map that it was built for.
    #[arg(long)]
    map: Option<PathBuf>,

    #[command(flatten)]
    reading: ReadingArgs,

    #[command(flatten)]
    terrain: TerrainArgs,
}

/// Opens the file as an agent would and says what is in it.
pub fn run(args: &VerifyArgs) -> Result<Report> {
    let artifact = match files::open_artifact(&args.file) {
        Ok(artifact) => artifact,
        Err(error) if error.downcast_ref::<ArtifactError>().is_some() => {
            return Ok(refuse(args, &words::error(&error)));
        }
        Err(error) => return Err(error),
    };
    let mut facts = Vec::new();
    if let Some(path) = &args.map {
        let map = args
            .reading
            .load_map(path, &args.terrain, artifact.header().rules)?;
        match waypost::index::open(&artifact, &map) {
            Ok(index) => {
                facts.push(("records".to_string(), index.records().to_string()));
                facts.extend(index.facts());
            }
            Err(error) => return Ok(refuse(args, &format!("{}: {error}", args.file.display()))),
        }
    }
    Ok(describe(args, &artifact, &facts))
}

/// The file is no good: the answer, not an accident of the command.
fn refuse(args: &VerifyArgs, reason: &str) -> Report {
    eprintln!("error: {}", report::one_line(reason));
    let json = json!({
        "file": args.file.display().to_string(),
        "valid": false,
        "problem": reason,
    });
    Report::answer(json, "", true)
}

fn describe(args: &VerifyArgs, artifact: &Artifact, facts: &[(String, String)]) -> Report {
    let header = artifact.header();
    let fingerprint = format!("{:016x}", header.fingerprint);
    let facts_json: serde_json::Map<_, _> = facts
        .iter()
        .map(|(name, value)| (name.clone(), json!(value)))
        .collect();
    let json = json!({
        "file": args.file.display().to_string(),
        "valid": true,
        "index": header.kind.name(),
        "bytes": artifact.len(),
        "width": header.width,
        "height": header.height,
        "fingerprint": fingerprint,
        "corners": header.rules.corners.name(),
        "costs": header.rules.costs.name(),
        "moves": header.rules.ways(),
        "terrain": header.terrain != 0,
        "parameters": header.parameters,
        "map_checked": args.map.is_some(),
        "facts": facts_json,
    });
    let checked = match args.map {
        Some(_) => "checked",
        None => "give --map to check it",
    };
    let (width, height) = (header.width, header.height);
    let map = format!("{width} x {height}, fingerprint {fingerprint} ({checked})");
    let mut rows = vec![("map", map), ("rules", header.rules.to_string())];
    let said = |key, value: &String| (key, words::fact(key, value));
    rows.extend(header.parameters.iter().map(|(k, v)| said(k.as_str(), v)));
    // What a parameter says already is not said again.
    let news = facts
        .iter()
        .filter(|(k, v)| header.parameters.get(k) != Some(v));
    rows.extend(news.map(|(k, v)| said(k.as_str(), v)));
    let names = rows.iter().map(|(key, _)| key.len());
    let widest = names.filter(|long| *long <= 32).max().unwrap_or(0);
    let mut text = format!(
        "{}: a sound `{}` index, {}\n",
        args.file.display(),
        header.kind.name(),
        bytes(artifact.len() as u64),
    );
    for (key, value) in rows {
        text += &format!("  {key:<widest$}  {value}\n");
    }
    Report::done(json, text)
}
