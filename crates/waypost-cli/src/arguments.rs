//! Arguments that several commands share.

use crate::files;
use anyhow::{Context, Result, bail};
use clap::{Args, ValueEnum};
use std::path::{Path, PathBuf};
use std::str::FromStr;
use waypost::formats;
use waypost::formats::tiled::Blocking;
use waypost::grid::{Cell, Corners, Grid, MoveRules, Point};
use waypost::index::Indexes;
use waypost::space::ExplicitGraph;
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

/// How many ways moves go.
#[derive(Clone, Copy, Debug, ValueEnum)]
enum Ways {
    /// Straight and diagonally.
    #[value(name = "8")]
    Eight,
    /// Straight alone.
    #[value(name = "4")]
    Four,
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

    /// Eight ways, or four: without diagonal moves, so that costs are Manhattan distances.
    #[arg(
        long,
        value_enum,
        default_value = "8",
        value_name = "WAYS",
        help_heading = "Rules"
    )]
    moves: Ways,
}

impl RuleArgs {
    /// The rules asked for.
    pub fn rules(&self) -> MoveRules {
        MoveRules {
            corners: match (self.moves, self.corners) {
                (Ways::Four, _) => Corners::NoDiagonals,
                (Ways::Eight, CornerRule::Never) => Corners::Never,
                (Ways::Eight, CornerRule::One) => Corners::One,
                (Ways::Eight, CornerRule::Always) => Corners::Always,
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
    /// The map: a MovingAI .map file, a PNG image, a Tiled map, or `-` for standard input.
    pub map: PathBuf,

    #[command(flatten)]
    reading: ReadingArgs,
}

/// How images and Tiled maps become maps.
#[derive(Args, Debug)]
pub struct ReadingArgs {
    /// PNG: pixels at least this bright are passable, from 0 to 255 [default: 128].
    #[arg(long, value_name = "N", help_heading = "Images and Tiled maps")]
    threshold: Option<u8>,

    /// Tiled: every tile on this layer is a wall.
    #[arg(long, value_name = "NAME", help_heading = "Images and Tiled maps")]
    blocked_layer: Option<String>,

    /// Tiled: tiles with this property set to true are walls [default: blocked].
    #[arg(
        long,
        value_name = "NAME",
        help_heading = "Images and Tiled maps",
        conflicts_with = "blocked_layer"
    )]
    blocked_property: Option<String>,
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
        self.reading.load(&self.map)
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

    /// The map in a file's bytes.
    pub fn parse(&self, bytes: &[u8]) -> Result<Map> {
        Ok(self.with_rules(self.grid.reading.parse(self.path(), bytes)?))
    }

    /// A grid under the rules that were asked for.
    pub fn with_rules(&self, grid: Grid) -> Map {
        Map::new(grid, self.rules.rules())
    }

    /// Reads the map, or the graph where the file holds one.
    pub fn load_any(&self) -> Result<Loaded> {
        let path = self.path();
        let bytes = files::read(path)?;
        if bytes.starts_with(GRAPH_MAGIC) {
            let graph =
                formats::graph::parse(&bytes).with_context(|| path.display().to_string())?;
            return Ok(Loaded::Graph(graph));
        }
        Ok(Loaded::Map(Map::new(
            self.grid.reading.parse(path, &bytes)?,
            self.rules.rules(),
        )))
    }

    /// The name of the file.
    pub fn path(&self) -> &Path {
        &self.grid.map
    }
}

/// How graph files begin.
const GRAPH_MAGIC: &[u8] = b"waypost-graph";

/// What a file holds.
pub enum Loaded {
    /// A grid map.
    Map(Map),
    /// An explicit graph.
    Graph(ExplicitGraph),
}

/// How PNG files begin.
const PNG_MAGIC: &[u8] = b"\x89PNG";

impl ReadingArgs {
    /// Reads a grid from a file of any kind that maps come in.
    pub fn load(&self, path: &Path) -> Result<Grid> {
        self.parse(path, &files::read(path)?)
    }

    /// The kind is seen from the contents: names of files lie.
    fn parse(&self, path: &Path, bytes: &[u8]) -> Result<Grid> {
        let named = || path.display().to_string();
        let is_png = bytes.starts_with(PNG_MAGIC) || has_extension(path, &["png"]);
        let is_tiled = matches!(bytes.trim_ascii_start().first(), Some(b'<' | b'{'))
            || has_extension(path, &["tmx", "tmj"]);
        if bytes.starts_with(GRAPH_MAGIC) {
            bail!("{}: this is a graph; expected a map", path.display());
        }
        if self.threshold.is_some() && !is_png {
            bail!("--threshold is for PNG images, and {} is none", named());
        }
        let tiled_flag = self.blocked_layer.is_some() || self.blocked_property.is_some();
        if tiled_flag && !is_tiled {
            bail!(
                "--blocked-layer and --blocked-property are for Tiled maps, and {} is none",
                named()
            );
        }
        if is_png {
            let threshold = self.threshold.unwrap_or(formats::png::DEFAULT_THRESHOLD);
            return formats::png::parse(bytes, threshold).with_context(named);
        }
        if is_tiled {
            return self.parse_tiled(path, bytes).with_context(named);
        }
        formats::map::parse(bytes).with_context(named)
    }

    /// Tilesets in files of their own lie where the map says, seen from the map.
    fn parse_tiled(&self, path: &Path, bytes: &[u8]) -> Result<Grid> {
        let blocking = match (&self.blocked_layer, &self.blocked_property) {
            (Some(layer), _) => Blocking::Layer(layer.clone()),
            (None, Some(property)) => Blocking::Property(property.clone()),
            (None, None) => Blocking::Property("blocked".to_string()),
        };
        let folder = path.parent().unwrap_or(Path::new(""));
        let mut tileset = |name: &str| std::fs::read(folder.join(name)).ok();
        let grid = formats::tiled::parse(bytes, &blocking, &mut tileset);
        grid.context("--blocked-layer NAME or --blocked-property NAME say what is a wall")
    }
}

fn has_extension(path: &Path, extensions: &[&str]) -> bool {
    path.extension()
        .is_some_and(|e| extensions.iter().any(|known| e.eq_ignore_ascii_case(known)))
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
    /// Is there any?
    pub fn is_given(&self) -> bool {
        !self.files.is_empty()
    }

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

/// `X,Y` on the command line, or the number of a graph's node.
#[derive(Clone, Copy, Debug)]
pub enum Place {
    /// A cell of a map.
    Point(Point),
    /// A node of a graph.
    Node(u32),
}

impl FromStr for Place {
    type Err = String;

    fn from_str(text: &str) -> Result<Place, String> {
        let number = |text: &str| {
            text.trim()
                .parse::<u32>()
                .map_err(|_| format!("`{text}` is not a whole number from 0 on; expected X,Y"))
        };
        match text.split_once(',') {
            Some((x, y)) => Ok(Place::Point(Point {
                x: number(x)?,
                y: number(y)?,
            })),
            None => Ok(Place::Node(number(text)?)),
        }
    }
}

impl std::fmt::Display for Place {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Place::Point(point) => point.fmt(f),
            Place::Node(node) => node.fmt(f),
        }
    }
}

impl Place {
    /// The node with this number. `flag` names the argument in the error.
    pub fn node(self, graph: &ExplicitGraph, flag: &str) -> Result<Cell> {
        let Place::Node(node) = self else {
            bail!("{flag} {self}: expected the number of a node, the file is a graph");
        };
        if node as usize >= graph.len() {
            bail!(
                "{flag} {node} is not in the graph; expected a node from 0 to {}",
                graph.len().saturating_sub(1)
            );
        }
        Ok(Cell(node))
    }

    /// The passable cell at this place. `flag` names the argument in the error.
    pub fn cell(self, map: &Map, flag: &str) -> Result<Cell> {
        let grid = map.grid();
        let Place::Point(point) = self else {
            bail!("{flag} {self}: expected X,Y, two whole numbers with a comma between them");
        };
        let Some(cell) = grid.cell(point) else {
            bail!(
                "{flag} {point} is outside the map; expected X from 0 to {} and Y from 0 to {}",
                grid.width() - 1,
                grid.height() - 1
            );
        };
        if !grid.is_passable(cell) {
            bail!("{flag} {point} is on a wall; expected a passable cell");
        }
        Ok(cell)
    }
}
