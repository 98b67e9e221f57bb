//! `waypost play`.

use crate::arguments::footings;
use crate::files;
use crate::report::{self, Report};
use anyhow::{Context, Result, anyhow};
use clap::Args;
use serde_json::json;
use std::io::Write;
use std::net::IpAddr;
use std::path::PathBuf;
use std::process::{Command, Stdio};
use waypost::terrain::Footings;
use waypost_play::server::{Options, play};

const EXAMPLES: &str = "\
Without MAP the page has a gallery of maps. Ctrl-C ends the server.

Examples:
  waypost play
  waypost gen caves
  waypost play caves.map --port 8080 --no-open";

/// Opens the playground: searches, crowds and walls drawn under their feet, in the browser.
#[derive(Args)]
#[command(after_help = EXAMPLES)]
pub struct PlayArgs {
    /// The map: a MovingAI .map file, a PNG image, a Tiled map or an LDtk project.
    map: Option<PathBuf>,

    /// Cost factors of letters of a .map file, or # for walls: S=2,W=4.5,T=#.
    #[arg(long, value_name = "KIND=FACTOR,...", requires = "map", value_parser = footings)]
    terrain: Option<Footings>,

    /// The port; 0 for any that is free.
    #[arg(long, value_name = "P", default_value_t = 0)]
    port: u16,

    /// Print the address and open no browser.
    #[arg(long)]
    no_open: bool,

    /// The address to listen on. Others than 127.0.0.1 let everybody in who knows the token.
    #[arg(long, value_name = "ADDRESS", default_value = "127.0.0.1")]
    listen: IpAddr,
}

/// Serves until Ctrl-C.
pub fn run(args: &PlayArgs, json: bool) -> Result<Report> {
    let mut options = Options {
        listen: args.listen,
        port: args.port,
        ..Options::default()
    };
    if let Some(path) = &args.map {
        let name = path.file_name().unwrap_or_default().to_string_lossy();
        let costs = args.terrain.as_ref().map(Footings::to_string);
        let opened = options.open(&name, &files::read(path)?, &costs.unwrap_or_default());
        opened.map_err(|words| anyhow!("{}: {words}", path.display()))?;
    }
    if !args.listen.is_loopback() {
        report::note("everybody who can reach this machine and knows the token is let in");
    }
    let place = format!("{} port {}", args.listen, args.port);
    let served = play(options, |url| {
        let mut out = std::io::stdout().lock();
        let line = match json {
            true => json!({ "address": url }).to_string(),
            false => url.to_string(),
        };
        // A reader that has gone away wants no address.
        let _ = writeln!(out, "{line}").and_then(|()| out.flush());
        if !args.no_open && !open(url) {
            report::note("no browser could be opened; open the address above yourself");
        }
    });
    served.with_context(|| {
        format!(
            "{place}: expected an address of this machine and a free port; leave --port out for any"
        )
    })?;
    Ok(Report::said())
}

/// Asks the system to open an address in the browser.
fn open(url: &str) -> bool {
    let programs: &[(&str, &[&str])] = match () {
        () if cfg!(target_os = "macos") => &[("open", &[])],
        () if cfg!(windows) => &[("rundll32", &["url.dll,FileProtocolHandler"])],
        () => &[
            ("xdg-open", &[]),
            ("gio", &["open"]),
            ("x-www-browser", &[]),
        ],
    };
    programs.iter().any(|(program, arguments)| {
        let mut command = Command::new(program);
        command.args(*arguments).arg(url);
        let quiet = command.stdin(Stdio::null()).stdout(Stdio::null());
        quiet.stderr(Stdio::null()).spawn().is_ok()
    })
}
