//! Arguments that several commands share.

use crate::files;
use anyhow::{Context, Result, bail};
use clap::{Args, ValueEnum};
use std::path::{Path, PathBuf};
use std::str::FromStr;
use waypost::formats;
use waypost::grid::{Cell, Corners, Grid, MoveRules, Point};
use waypost::index::Indexes;
use waypost::{CostPair, Map};

/// Costs of straight and diagonal moves.
#[derive(Clone, Copy, Debug, ValueEnum)]
enum Costs {
    /// 1 and the square root of 2.
    Sqrt2,
    /// 1 and 1.4, as in the papers on real-time search.
    #[value(name = "1.4")]
    OnePointFour,
}

/// What a diagonal move asks of the two cells that it passes between.
#[derive(Clone, Copy, Debug, ValueEnum)]
enum CornerRule {
    /// Both must be free.
    Never,
    /// One must be free.
    One,
    /// Neither matters.
    Always,
}

/// The rules of movement.
#[derive(Args, Debug)]
pub struct RuleArgs {
    /// What moves cost: 1 straight and this diagonally.
    #[arg(long, value_enum, default_value = "sqrt2", help_heading = "Rules")]
    costs: Costs,

    /// May diagonal moves cut corners? `never` needs both neighbours free, `one` at least one.
    #[arg(long, value_enum, default_value = "never", help_heading = "Rules")]
    corners: CornerRule,
}

impl RuleArgs {
    /// The rules asked for.
    pub fn rules(&self) -> MoveRules {
        MoveRules {
            corners: match self.corners {
                CornerRule::Never => Corners::Never,
                CornerRule::One => Corners::One,
                CornerRule::Always => Corners::Always,
            },
            costs: match self.costs {
                Costs::Sqrt2 => CostPair::Sqrt2,
                Costs::OnePointFour => CostPair::OnePointFour,
            },
        }
    }
}

/// A map file.
#[derive(Args, Debug)]
pub struct GridArgs {
    /// The map: a MovingAI .map file, a PNG, or `-` for a .map on standard input.
    pub map: PathBuf,
}

/// A map file and the rules on it.
#[derive(Args, Debug)]
pub struct MapArgs {
    #[command(flatten)]
    grid: GridArgs,

    #[command(flatten)]
    rules: RuleArgs,
}

impl GridArgs {
    /// Reads the grid.
    pub fn load(&self) -> Result<Grid> {
        load_grid(&self.map)
    }

    /// The name of the file.
    pub fn path(&self) -> &Path {
        &self.map
    }
}

impl MapArgs {
    /// Reads the map.
    pub fn load(&self) -> Result<Map> {
        Ok(Map::new(self.grid.load()?, self.rules.rules()))
    }

    /// The name of the file.
    pub fn path(&self) -> &Path {
        &self.grid.map
    }
}

/// Reads a grid from a file of any kind that maps come in.
pub fn load_grid(path: &Path) -> Result<Grid> {
    let bytes = files::read(path)?;
    formats::map::parse(&bytes).with_context(|| path.display().to_string())
}

/// How many threads to use.
#[derive(Args, Debug)]
pub struct ThreadArgs {
    /// How many threads to use [default: all cores]. Results do not depend on it.
    #[arg(long, value_name = "T")]
    threads: Option<std::num::NonZeroU16>,
}

impl ThreadArgs {
    /// Runs work on a pool of that many threads.
    pub fn run<R: Send>(&self, work: impl FnOnce() -> Result<R> + Send) -> Result<R> {
        let threads = self.threads.map_or(0, |t| usize::from(t.get()));
        rayon::ThreadPoolBuilder::new()
            .num_threads(threads)
            .build()
            .context("threads could not be started; give a smaller --threads")?
            .install(work)
    }
}

/// Index files.
#[derive(Args, Debug)]
pub struct IndexArgs {
    /// An index made by `waypost build` for this map and these rules; may be given several times.
    #[arg(long = "index", value_name = "FILE")]
    files: Vec<PathBuf>,
}

impl IndexArgs {
    /// Opens all of them for a map.
    pub fn open(&self, map: &Map) -> Result<Indexes> {
        let mut indexes = Indexes::new();
        for path in &self.files {
            let artifact = files::open_artifact(path)?;
            let index =
                waypost::index::open(&artifact, map).with_context(|| path.display().to_string())?;
            indexes.add(index);
        }
        Ok(indexes)
    }
}

/// `X,Y` on the command line.
#[derive(Clone, Copy, Debug)]
pub struct Place(pub Point);

impl FromStr for Place {
    type Err = String;

    fn from_str(text: &str) -> Result<Place, String> {
        let (x, y) = text
            .split_once(',')
            .ok_or("expected X,Y: two whole numbers with a comma between them")?;
        let number = |text: &str| {
            text.trim()
                .parse::<u32>()
                .map_err(|_| format!("`{text}` is not a whole number from 0 on; expected X,Y"))
        };
        Ok(Place(Point {
            x: number(x)?,
            y: number(y)?,
        }))
    }
}

impl Place {
    /// The passable cell at this place. `flag` names the argument in the error.
    pub fn cell(self, map: &Map, flag: &str) -> Result<Cell> {
        let grid = map.grid();
        let Some(cell) = grid.cell(self.0) else {
            bail!(
                "{flag} {} is outside the map; expected X from 0 to {} and Y from 0 to {}",
                self.0,
                grid.width() - 1,
                grid.height() - 1
            );
        };
        if !grid.is_passable(cell) {
            bail!("{flag} {} is on a wall; expected a passable cell", self.0);
        }
        Ok(cell)
    }
}
