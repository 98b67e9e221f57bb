//! `waypost merge`.

use crate::files::{Output, open_artifact};
use crate::report::Report;
use anyhow::{Context, Result, bail};
use clap::Args;
use serde_json::json;
use std::path::PathBuf;
use waypost::index::IndexType;
use waypost_lab::table::bytes;

/// Joins shards.
#[derive(Args)]
#[command(
    after_help = "Examples:\n  waypost gen caves --width 60 --height 40\n  waypost build subgoals caves.map --shard 1/2 -o part1\n  waypost build subgoals caves.map --shard 2/2 -o part2\n  waypost merge part1 part2 -o caves.subgoals"
)]
pub struct MergeArgs {
    /// All shards of one build, in any order.
    #[arg(required = true, value_name = "SHARD")]
    shards: Vec<PathBuf>,

    /// The index file to write.
    #[arg(short, long, alias = "output", value_name = "FILE")]
    out: PathBuf,
}

/// Opens the shards, joins them, writes the whole.
pub fn run(args: &MergeArgs) -> Result<Report> {
    let output = Output::at(&args.out)?;
    let mut artifacts = Vec::with_capacity(args.shards.len());
    for path in &args.shards {
        artifacts.push(open_artifact(path)?);
    }
    let kind = artifacts[0].kind();
    for (artifact, path) in artifacts.iter().zip(&args.shards) {
        if artifact.kind() != kind {
            bail!(
                "{} is a `{}` index, {} a `{}` index; expected shards of one build",
                args.shards[0].display(),
                kind.name(),
                path.display(),
                artifact.kind().name()
            );
        }
    }
    let merge = IndexType::of(kind)
        .and_then(|index_type| index_type.merge)
        .with_context(|| {
            format!(
                "{}: `{}` indexes are not built in shards; give files that `waypost build subgoals MAP --shard I/N -o FILE` made",
                args.shards[0].display(),
                kind.name()
            )
        })?;
    let file = merge(&artifacts)?;
    output.write(file.as_ref())?;
    let length = file.as_ref().len();
    let json = json!({
        "index": kind.name(),
        "file": output.path().display().to_string(),
        "bytes": length,
        "shards": args.shards.len(),
    });
    let text = format!(
        "{}: index `{}` from {} shards, {}",
        output.path().display(),
        kind.name(),
        args.shards.len(),
        bytes(length as u64)
    );
    Ok(Report::done(json, text))
}
