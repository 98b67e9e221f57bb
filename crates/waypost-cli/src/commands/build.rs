//! `waypost build`.

use crate::arguments::{MapArgs, ThreadArgs};
use crate::bar::Bar;
use crate::files::Output;
use crate::memory;
use crate::report::{self, Report};
use crate::words;
use anyhow::{Context, Result, bail};
use clap::{Arg, ArgMatches, Args, Command, FromArgMatches};
use serde_json::json;
use std::path::{Path, PathBuf};
use std::str::FromStr;
use std::time::Instant;
use waypost::index::{INDEX_TYPES, Index, IndexKind, IndexRequest, IndexType, Shard};
use waypost::names;
use waypost_lab::table::{bytes, grouped};

const EXAMPLES: &str = "\
`waypost indexes` lists the kinds; `waypost indexes NAME` has the parameters of one.

Examples:
  waypost gen caves
  waypost build auto caves.map -o caves.auto
  waypost build sectors caves.map --side 32 -o caves.sectors";

/// Builds an index.
#[derive(Args)]
#[command(after_help = EXAMPLES)]
pub struct BuildArgs {
    /// The kind of index: `auto` picks the one that suits the map.
    #[arg(value_parser = kind)]
    index: IndexKind,

    #[command(flatten)]
    map: MapArgs,

    /// The index file to write.
    #[arg(short, long, alias = "output", value_name = "FILE")]
    out: PathBuf,

    /// Build part I of N, to be joined by `waypost merge`.
    #[arg(long, value_name = "I/N")]
    shard: Option<ShardText>,

    /// A parameter of the index; the same as --KEY VALUE.
    #[arg(long, value_name = "KEY=VALUE")]
    set: Vec<Setting>,

    #[command(flatten)]
    threads: ThreadArgs,

    #[command(flatten)]
    parameters: Parameters,
}

fn kind(name: &str) -> Result<IndexKind, String> {
    IndexKind::from_name(name)
        .filter(|kind| IndexType::of(*kind).is_some())
        .ok_or_else(|| {
            let path = Path::new(name);
            if path.exists() || path.extension().is_some() {
                return format!(
                    "the kind of index comes first and the map after it: `waypost build auto {name} -o FILE`"
                );
            }
            let known: Vec<_> = INDEX_TYPES.iter().map(|t| t.kind.name()).collect();
            names::expected(name, &known)
        })
}

#[derive(Clone, Copy)]
struct ShardText(Shard);

impl FromStr for ShardText {
    type Err = String;

    fn from_str(text: &str) -> Result<ShardText, String> {
        let numbers = text.split_once('/').and_then(|(index, count)| {
            Some((index.parse::<u32>().ok()?, count.parse::<u32>().ok()?))
        });
        match numbers {
            Some((index, count)) if (1..=count).contains(&index) => {
                Ok(ShardText(Shard { index, count }))
            }
            _ => Err("expected I/N with I from 1 to N, such as 2/4".to_string()),
        }
    }
}

#[derive(Clone)]
struct Setting(String, String);

impl FromStr for Setting {
    type Err = String;

    fn from_str(text: &str) -> Result<Setting, String> {
        match text.split_once('=') {
            Some((key, value)) if !key.trim().is_empty() && !value.trim().is_empty() => {
                Ok(Setting(key.trim().to_string(), value.trim().to_string()))
            }
            _ => Err("expected KEY=VALUE".to_string()),
        }
    }
}

/// The parameters of all kinds of index, each as a flag of its own.
struct Parameters(Vec<Setting>);

/// Every kind has a seed on the command line, though only some use it.
const SEED: &str = "seed";

impl Parameters {
    /// Every key with what it means for each kind that has it.
    fn keys() -> Vec<(&'static str, String)> {
        let mut keys = vec![(SEED, String::from("The seed of random choices"))];
        for index in INDEX_TYPES {
            for &(key, about) in index.keys {
                let about = format!("{}: {about}", index.kind.name());
                match keys.iter_mut().find(|(known, _)| *known == key) {
                    Some((_, text)) => *text += &format!("; {about}"),
                    None => keys.push((key, about)),
                }
            }
        }
        keys
    }
}

impl Args for Parameters {
    fn augment_args(command: Command) -> Command {
        Parameters::keys()
            .into_iter()
            .fold(command, |command, (key, about)| {
                let flag = Arg::new(key)
                    .long(key)
                    .value_name("VALUE")
                    .help(about)
                    .help_heading("Parameters of indexes")
                    .hide_short_help(true);
                command.arg(flag)
            })
    }

    fn augment_args_for_update(command: Command) -> Command {
        Parameters::augment_args(command)
    }
}

impl FromArgMatches for Parameters {
    fn from_arg_matches(matches: &ArgMatches) -> Result<Parameters, clap::Error> {
        let given = Parameters::keys().into_iter().filter_map(|(key, _)| {
            let value = matches.get_one::<String>(key)?;
            Some(Setting(key.to_string(), value.clone()))
        });
        Ok(Parameters(given.collect()))
    }

    fn update_from_arg_matches(&mut self, matches: &ArgMatches) -> Result<(), clap::Error> {
        *self = Parameters::from_arg_matches(matches)?;
        Ok(())
    }
}

impl BuildArgs {
    /// The parameters given, each once and known to the kind.
    fn request(&self, index_type: &IndexType) -> Result<IndexRequest> {
        let mut request = IndexRequest::new(self.index);
        for Setting(key, value) in self.parameters.0.iter().chain(&self.set) {
            if !index_type.keys.iter().any(|(known, _)| known == key) {
                if key == SEED {
                    report::note(&format!(
                        "`{}` makes no random choices: --seed changes nothing",
                        self.index.name()
                    ));
                    continue;
                }
                let keys: Vec<_> = index_type.keys.iter().map(|(key, _)| *key).collect();
                bail!(
                    "index `{}` has no parameter `{key}`; {}",
                    self.index.name(),
                    names::expected(key, &keys)
                );
            }
            if request.parameters.contains_key(key) {
                bail!("`{key}` is given twice; expected each parameter once");
            }
            request = request.with(key, value);
        }
        Ok(request)
    }
}

/// Builds the index and writes it.
pub fn run(args: &BuildArgs) -> Result<Report> {
    let index_type = IndexType::of(args.index).context("this kind cannot be built")?;
    let request = args.request(index_type)?;
    let output = Output::at(&args.out)?;
    let map = args.map.load()?;
    memory::announce(&map, &request)?;
    let shard = args.shard.map_or(Shard::WHOLE, |shard| shard.0);
    let begun = Instant::now();
    let index = args.threads.run(|| {
        let bar = Bar::default();
        Ok(waypost::trial::build(&map, &request, shard, &bar)?)
    })?;
    let build_seconds = begun.elapsed().as_secs_f64();
    let file = index.to_bytes();
    output.write(file.as_ref())?;
    Ok(describe(
        index.as_ref(),
        &output,
        file.as_ref().len(),
        build_seconds,
    ))
}

fn describe(index: &dyn Index, output: &Output, length: usize, build_seconds: f64) -> Report {
    let json = json!({
        "index": index.kind().name(),
        "file": output.path().display().to_string(),
        "bytes": length,
        "build_seconds": build_seconds,
        "records": index.records(),
        "parameters": index.parameters(),
    });
    let mut text = format!(
        "{}: index `{}`, {} records, a file of {}, {} in memory, built in {build_seconds:.2} s\n",
        output.path().display(),
        index.kind().name(),
        grouped(index.records() as i64),
        bytes(length as u64),
        bytes(index.memory_bytes() as u64),
    );
    for (key, value) in index.parameters() {
        text += &format!("  {key} = {}\n", words::fact(key, value));
    }
    Report::done(json, text)
}
