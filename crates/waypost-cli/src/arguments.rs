//! Arguments that several commands share.

use crate::catalogue;
use crate::files;
use crate::report;
use anyhow::{Context, Result, bail};
use clap::{Args, ValueEnum};
use std::path::{Path, PathBuf};
use std::sync::Arc;
use waypost::formats;
use waypost::formats::tiled::Blocking;
use waypost::formats::{FileKind, Level, Reading};
use waypost::grid::{Corners, Grid, MAX_SIZE, MoveRules};
use waypost::index::{Index, IndexRequest, Indexes};
use waypost::space::ExplicitGraph;
use waypost::spec::AgentSpec;
use waypost::terrain::{Footings, TerrainError};
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
    /// What a diagonal move costs: sqrt2 or 1.4.
    ///
    /// A straight move costs 1; 1.4 is that of the papers on real-time search.
    #[arg(
        long,
        value_enum,
        default_value = "sqrt2",
        hide_possible_values = true,
        help_heading = "Rules"
    )]
    costs: Costs,

    /// When diagonals may cut corners: never, one or always.
    ///
    /// Of the two cells that a diagonal move passes between, `never` wants both free, `one` at least one, `always` neither.
    #[arg(
        long,
        value_enum,
        default_value = "never",
        hide_possible_values = true,
        help_heading = "Rules"
    )]
    corners: CornerRule,

    /// How many ways moves go: 8, or 4 without diagonal moves.
    #[arg(
        long,
        value_enum,
        default_value = "8",
        hide_possible_values = true,
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
    /// The map: a MovingAI .map file, PNG image, Tiled map or LDtk project; `-` is standard input.
    pub map: PathBuf,

    #[command(flatten)]
    reading: ReadingArgs,
}

/// How images, Tiled maps and LDtk projects become maps.
#[derive(Args, Debug)]
pub struct ReadingArgs {
    /// PNG: pixels at least this bright are passable, from 0 to 255 [default: 128].
    #[arg(
        long,
        value_name = "N",
        help_heading = "Images, Tiled maps and LDtk projects",
        hide_short_help = true
    )]
    threshold: Option<u8>,

    /// Tiled: every tile on this layer is a wall; LDtk: the layer of integers that is read.
    #[arg(
        long,
        value_name = "NAME",
        help_heading = "Images, Tiled maps and LDtk projects",
        hide_short_help = true
    )]
    blocked_layer: Option<String>,

    /// Tiled: tiles with this property set to true are walls [default: what the map says, see `docs/guide/src/own-map.md`].
    #[arg(
        long,
        value_name = "NAME",
        help_heading = "Images, Tiled maps and LDtk projects",
        hide_short_help = true,
        conflicts_with = "blocked_layer"
    )]
    blocked_property: Option<String>,
}

/// What lies on a map, and what walks there.
#[derive(Args, Debug)]
pub struct TerrainArgs {
    /// Cost factors of kinds of ground, or # for walls: S=2,W=4.5,T=#.
    ///
    /// Factors F are 0.1 to 100. Kinds are letters of .map files, values of the property `terrain` of tiles, colours of images
    /// (RRGGBB). A step costs its length times the mean of both cells' factors.
    #[arg(
        long,
        value_name = "KIND=F,...",
        help_heading = "Rules",
        value_parser = footings
    )]
    terrain: Option<Footings>,

    /// Cells that open and close: letters of .map files, or an image.
    ///
    /// Letters in lower case are open at first, in upper case closed. The image is as large as the map, its bright pixels are
    /// doors, open at first where the map is passable.
    #[arg(long, value_name = "LETTERS|PNG", help_heading = "Rules")]
    doors: Option<String>,

    /// Units of N x N cells; their place is the upper left one.
    #[arg(
        long,
        value_name = "N",
        default_value_t = 1,
        allow_negative_numbers = true,
        value_parser = clap::value_parser!(u32).range(1..=i64::from(MAX_SIZE)),
        help_heading = "Rules"
    )]
    size: u32,
}

pub fn footings(text: &str) -> Result<Footings, TerrainError> {
    Footings::parse(text)
}

impl TerrainArgs {
    /// Whether there is a mask of doors.
    fn mask(&self) -> Option<&Path> {
        let doors = self.doors.as_deref().map(Path::new);
        let is_image = |path: &&Path| {
            let extension = path.extension();
            extension.is_some_and(|extension| extension.eq_ignore_ascii_case("png"))
        };
        doors.filter(is_image)
    }

    /// What to look for in a file.
    fn reading(&self) -> Reading {
        let letters = self.doors.as_ref().filter(|_| self.mask().is_none());
        Reading {
            footings: self.terrain.clone().unwrap_or_default(),
            door_letters: letters.cloned().unwrap_or_default(),
        }
    }

    fn is_given(&self) -> bool {
        self.terrain.is_some() || self.doors.is_some() || self.size > 1
    }

    /// The map of the unit on a level.
    pub fn map(&self, mut level: Level, rules: MoveRules) -> Result<Map> {
        for note in &level.notes {
            report::note(note);
        }
        if let Some(path) = self.mask() {
            let mask = formats::png::parse(&files::read(path)?, formats::png::DEFAULT_THRESHOLD)
                .with_context(|| path.display().to_string())?;
            if !level.add_doors(&mask) {
                bail!(
                    "{} has {} x {} pixels and the map {} x {} cells; expected a mask as large as the map",
                    path.display(),
                    mask.width(),
                    mask.height(),
                    level.grid.width(),
                    level.grid.height()
                );
            }
        }
        if let Some(doors) = self.doors.as_ref().filter(|_| level.doors.is_empty()) {
            let why = match self.mask() {
                Some(_) => "the image has no bright pixel",
                None => "no cell of the map has such a letter",
            };
            report::note(&format!("--doors {doors} makes no doors; {why}"));
        }
        let (width, height) = (level.grid.width(), level.grid.height());
        if self.size > width.min(height) {
            bail!(
                "--size {0}: a unit of {0} x {0} cells is larger than the map of {width} x {height}",
                self.size
            );
        }
        let map = level.map(rules, self.size)?;
        if let Some(scale) = map.ground().map(|ground| ground.scale())
            && !scale.is_exact
        {
            report::note(&format!(
                "paths of this map are so long that factors are rounded to the nearest multiples of {0}, those below to {0}: paths are \
                 shortest by these, lengths are those by the factors given",
                f64::from(scale.unit) / 100.0
            ));
        }
        Ok(map)
    }
}

/// A map file and the rules on it.
#[derive(Args, Debug)]
pub struct MapArgs {
    #[command(flatten)]
    grid: GridArgs,

    #[command(flatten)]
    terrain: TerrainArgs,

    #[command(flatten)]
    rules: RuleArgs,
}

impl GridArgs {
    /// Reads the grid.
    pub fn load(&self) -> Result<Grid> {
        let level = self.reading.load(&self.map, &Reading::default())?;
        Ok(level.grid)
    }

    /// The name of the file.
    pub fn path(&self) -> &Path {
        &self.map
    }
}

impl MapArgs {
    /// Reads the map.
    pub fn load(&self) -> Result<Map> {
        self.parse(&files::read(self.path())?)
    }

    /// The map in a file's bytes.
    pub fn parse(&self, bytes: &[u8]) -> Result<Map> {
        let reading = self.terrain.reading();
        let level = self.grid.reading.parse(self.path(), bytes, &reading)?;
        self.terrain.map(level, self.rules.rules())
    }

    /// The grid of a scenario under the rules that were asked for.
    pub fn with_rules(&self, grid: Grid) -> Result<Map> {
        if self.terrain.is_given() {
            bail!(
                "--terrain, --doors and --size are not for scenarios with map changes; leave them out"
            );
        }
        Ok(Map::new(grid, self.rules.rules()))
    }

    /// Reads the map, or the graph where the file holds one.
    pub fn load_any(&self) -> Result<Loaded> {
        let path = self.path();
        let bytes = files::read(path)?;
        if FileKind::of(&bytes) == FileKind::Graph {
            let graph =
                formats::graph::parse(&bytes).with_context(|| path.display().to_string())?;
            return Ok(Loaded::Graph(graph));
        }
        Ok(Loaded::Map(Box::new(self.parse(&bytes)?)))
    }

    /// The name of the file.
    pub fn path(&self) -> &Path {
        &self.grid.map
    }
}

/// What a file holds.
pub enum Loaded {
    /// A grid map.
    Map(Box<Map>),
    /// An explicit graph.
    Graph(ExplicitGraph),
}

impl ReadingArgs {
    /// Reads a level from a file of any kind that maps come in.
    fn load(&self, path: &Path, reading: &Reading) -> Result<Level> {
        self.parse(path, &files::read(path)?, reading)
    }

    /// Reads the map of a unit.
    pub fn load_map(&self, path: &Path, terrain: &TerrainArgs, rules: MoveRules) -> Result<Map> {
        terrain.map(self.load(path, &terrain.reading())?, rules)
    }

    /// The kind is seen from the contents: names of files lie.
    fn parse(&self, path: &Path, bytes: &[u8], reading: &Reading) -> Result<Level> {
        let named = || path.display().to_string();
        let kind = FileKind::of_file(path, bytes);
        let [is_png, is_tiled, is_ldtk] =
            [FileKind::Png, FileKind::Tiled, FileKind::Ldtk].map(|other| kind == other);
        if kind == FileKind::Graph {
            bail!("{}: this is a graph; expected a map", path.display());
        }
        if self.threshold.is_some() && !is_png {
            bail!("--threshold is for PNG images, and {} is none", named());
        }
        if self.blocked_layer.is_some() && !is_tiled && !is_ldtk {
            bail!(
                "--blocked-layer is for Tiled and LDtk maps, and {} is none",
                named()
            );
        }
        if self.blocked_property.is_some() && !is_tiled {
            bail!(
                "--blocked-property is for Tiled maps, and {} is none",
                named()
            );
        }
        if !reading.door_letters.is_empty() && (is_png || is_tiled || is_ldtk) {
            bail!(
                "--doors LETTERS is for .map files; give a mask.png, or in Tiled the property `door`"
            );
        }
        if is_png {
            let threshold = self.threshold.unwrap_or(formats::png::DEFAULT_THRESHOLD);
            return formats::png::parse_level(bytes, threshold, &reading.footings)
                .with_context(named);
        }
        if is_ldtk {
            return self.parse_ldtk(path, bytes, reading).with_context(named);
        }
        if is_tiled {
            return self.parse_tiled(path, bytes, reading).with_context(named);
        }
        formats::map::parse_level(bytes, reading).with_context(named)
    }

    /// Levels in files of their own lie where the project says, seen from it.
    fn parse_ldtk(&self, path: &Path, bytes: &[u8], reading: &Reading) -> Result<Level> {
        let choice = formats::ldtk::Choice {
            layer: self.blocked_layer.clone(),
            ..formats::ldtk::Choice::default()
        };
        let folder = path.parent().unwrap_or(Path::new(""));
        let mut unreadable = None;
        let mut file = |name: &str| {
            let read = files::read(&folder.join(name));
            read.map_err(|error| unreadable = Some(error)).ok()
        };
        let level = formats::ldtk::parse_level(bytes, &choice, reading, &mut file);
        match unreadable {
            Some(error) => Err(error),
            None => Ok(level?),
        }
    }

    /// Tilesets in files of their own lie where the map says, seen from the map.
    fn parse_tiled(&self, path: &Path, bytes: &[u8], reading: &Reading) -> Result<Level> {
        let blocking = match (&self.blocked_layer, &self.blocked_property) {
            (Some(layer), _) => Blocking::Layer(layer.clone()),
            (None, Some(property)) => Blocking::Property(property.clone()),
            (None, None) => Blocking::Auto,
        };
        let folder = path.parent().unwrap_or(Path::new(""));
        let mut unreadable = None;
        let mut tileset = |name: &str| {
            let file = folder.join(name);
            let read = file.exists().then(|| files::read(&file))?;
            read.map_err(|error| unreadable = Some(error)).ok()
        };
        let level = formats::tiled::parse_level(bytes, &blocking, reading, &mut tileset);
        // One that is not there may not matter; one that may not be read does.
        if let Some(error) = unreadable {
            return Err(error);
        }
        Ok(level?)
    }
}

/// How many threads to use.
#[derive(Args, Debug)]
pub struct ThreadArgs {
    /// How many threads to use [default: all cores]; results are the same.
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
    /// A file of `waypost build`; may be given several times.
    ///
    /// It is refused where it was built for another map or other rules.
    #[arg(long = "index", value_name = "FILE")]
    files: Vec<PathBuf>,
}

impl IndexArgs {
    /// Whether there is any.
    pub fn is_given(&self) -> bool {
        !self.files.is_empty()
    }

    /// Opens all of them for a map. A note names those that none of the algorithms uses.
    pub fn open<'a>(
        &self,
        map: &Map,
        specs: impl IntoIterator<Item = &'a AgentSpec>,
    ) -> Result<Indexes> {
        let mut indexes = Indexes::new();
        let mut opened = Vec::with_capacity(self.files.len());
        for path in &self.files {
            let artifact = files::open_artifact(path)?;
            let index =
                waypost::index::open(&artifact, map).with_context(|| path.display().to_string())?;
            indexes.add(index.clone());
            opened.push((path, index));
        }
        let needs = specs.into_iter().flat_map(|spec| {
            let needs = spec.needs().into_iter();
            needs.map(|need| (spec.name().to_string(), need))
        });
        let needs: Vec<(String, IndexRequest)> = needs.collect();
        let used: Vec<_> = needs.iter().filter_map(|(_, n)| indexes.get(n)).collect();
        for (path, index) in &opened {
            if !used.iter().any(|used| Arc::ptr_eq(used, index)) {
                report::note(&unused(path, index.as_ref(), &needs));
            }
        }
        Ok(indexes)
    }
}

/// What to say of an index that was given and that nothing asks for.
fn unused(path: &Path, index: &dyn Index, needs: &[(String, IndexRequest)]) -> String {
    let kind = index.kind();
    let same_kind: Vec<_> = needs.iter().filter(|(_, need)| need.kind == kind).collect();
    let differing = same_kind
        .iter()
        .find_map(|(name, need)| differing(index, name, need));
    let advice = match (same_kind.is_empty(), differing) {
        (_, Some(differing)) => differing,
        (false, None) => "another file comes before it".to_string(),
        (true, None) => {
            let takers = catalogue::takers(kind, index.parameters());
            format!("--algo {} uses such an index", takers.join(" or "))
        }
    };
    format!(
        "--index {} (kind `{}`) is not used; {advice}",
        path.display(),
        kind.name()
    )
}

/// The first parameter in which an index is not what an algorithm asks for.
fn differing(index: &dyn Index, name: &str, need: &IndexRequest) -> Option<String> {
    let (key, wanted) = need
        .parameters
        .iter()
        .find(|(key, value)| index.parameters().get(*key) != Some(value))?;
    let built = match index.parameters().get(key) {
        Some(value) => format!("with {key}={value}"),
        None => format!("without {key}"),
    };
    Some(format!("built {built}; {name} asks for {key}={wanted}"))
}
