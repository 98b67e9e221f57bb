//! Suites: which maps, problems, rules and algorithms an experiment runs. A strict TOML file: an unknown key, a missing one
//! or a bad value is an error that names the key and the line.

use super::SuiteError;
use crate::difficulty::Range;
use crate::journey::{Conditions, MAX_SENSOR, MAX_TRIALS};
use serde::Deserialize;
use toml::Spanned;
use waypost::cost::CostPair;
use waypost::generate::Kind;
use waypost::grid::{Corners, MoveRules};
use waypost::names;
use waypost::spec::{ALGORITHMS, AgentSpec};
use waypost::terrain::Footings;

/// A checked suite.
#[derive(Clone, Debug, PartialEq)]
pub struct Suite {
    /// The rules of movement.
    pub rules: MoveRules,
    /// Who moves: what ground costs it, and how large it is.
    pub unit: Unit,
    /// Which problems each map gets.
    pub problems: ProblemSet,
    /// When a walk is given up.
    pub limits: Limits,
    /// What is measured.
    pub measuring: Measuring,
    /// How problems are put to agents.
    pub conditions: Conditions,
    /// The maps to make where no folder of maps is given.
    pub maps: Vec<MapRecipe>,
    /// The algorithms.
    pub algorithms: Vec<Algorithm>,
}

/// What ground costs a unit, and how many cells it covers on a side.
#[derive(Clone, Debug, PartialEq)]
pub struct Unit {
    /// What is named of the kinds of ground, as `--terrain` takes it.
    pub terrain: Footings,
    /// Cells on a side.
    pub size: u32,
}

impl Default for Unit {
    fn default() -> Unit {
        Unit {
            terrain: Footings::new(),
            size: 1,
        }
    }
}

/// What is measured of each problem.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Measuring {
    /// Agents walk from start to goal, move by move.
    #[default]
    Agents,
    /// The planning steps of A* and PRA*, for the frame model of 2005.
    Frames,
}

/// Which problems a map gets.
#[derive(Clone, Debug, PartialEq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct ProblemSet {
    /// How many for each map.
    pub count: usize,
    /// The least optimal length.
    #[serde(default)]
    pub least: f64,
    /// The greatest optimal length.
    pub most: Option<f64>,
    /// The least difficulty: states that A* expands for each move of the path.
    pub min_difficulty: Option<f64>,
    /// The greatest difficulty.
    pub max_difficulty: Option<f64>,
    /// Cuts the difficulties in parts, each of which gets as many problems: the paper's median here gives the paper's median.
    #[serde(default)]
    pub difficulty_cuts: Vec<f64>,
    /// The seed.
    #[serde(default)]
    pub seed: u64,
    /// Several seeds in its place, each for as many of the problems.
    #[serde(default)]
    pub seeds: Vec<u64>,
    /// Take them from `MAP.scen` where such a file lies beside a map, evenly from the whole file.
    #[serde(default)]
    pub scenarios: bool,
}

impl ProblemSet {
    /// How hard they are to be.
    pub fn difficulty(&self) -> Range {
        Range::new(self.min_difficulty, self.max_difficulty)
    }

    /// The seeds to draw them with, and how many with each.
    pub fn draws(&self) -> Vec<(u64, usize)> {
        let seeds = match self.seeds[..] {
            [] => std::slice::from_ref(&self.seed),
            ref several => several,
        };
        let (each, more) = (self.count / seeds.len(), self.count % seeds.len());
        let counts = (0..seeds.len()).map(|i| each + usize::from(i < more));
        let draws = seeds.iter().copied().zip(counts);
        draws.filter(|&(_, count)| count > 0).collect()
    }

    /// The parts of that, each for as many problems.
    pub fn difficulty_parts(&self) -> Vec<Range> {
        let whole = self.difficulty();
        let starts = [whole.least]
            .into_iter()
            .chain(self.difficulty_cuts.clone());
        let ends = self.difficulty_cuts.iter().copied().chain([whole.most]);
        let parts = starts.zip(ends);
        parts.map(|(least, most)| Range { least, most }).collect()
    }
}

/// When a walk is given up.
#[derive(Clone, Copy, Debug, PartialEq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Limits {
    /// After so many times the moves of an optimal path.
    pub times_optimal: f64,
}

impl Default for Limits {
    fn default() -> Limits {
        Limits {
            times_optimal: 1000.0,
        }
    }
}

/// A map to make.
#[derive(Clone, Debug, PartialEq)]
pub struct MapRecipe {
    /// Its name in reports.
    pub name: String,
    /// What it looks like.
    pub kind: Kind,
    /// Its width before scaling.
    pub width: u32,
    /// Its height before scaling.
    pub height: u32,
    /// What chance draws from.
    pub seed: u64,
    /// Each cell becomes so many cells on a side.
    pub scale: u32,
    /// Whether roads, swamps, woods and water are strewn over it.
    pub strewn: bool,
}

/// An algorithm of the experiment.
#[derive(Clone, Debug, PartialEq)]
pub struct Algorithm {
    /// As the paper writes it.
    pub name: String,
    /// How Waypost writes it; known to parse.
    pub spec: String,
    /// Leave it out on maps with more passable cells.
    pub most_cells: Option<u64>,
    /// Run it with each of these seeds of its records, and judge all walks together; as the spec says where there are none.
    pub seeds: Vec<u64>,
    /// How it relates to what the paper prints.
    pub form: Form,
}

/// How a row relates to what the paper prints.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Form {
    /// Nothing is said.
    #[default]
    Unstated,
    /// The paper's text to the letter.
    Printed,
    /// The paper's text but for a correction without which it does not end; the experiment's README names it.
    Corrected,
    /// With changes of ours.
    Improved,
}

impl Form {
    /// In words.
    pub fn name(self) -> &'static str {
        match self {
            Form::Unstated => "",
            Form::Printed => "as printed",
            Form::Corrected => "as printed, corrected",
            Form::Improved => "improved",
        }
    }
}

impl Algorithm {
    /// What one trial each runs: the algorithm with one seed of its records.
    pub fn trials(&self) -> Vec<Algorithm> {
        if self.seeds.is_empty() {
            return vec![self.clone()];
        }
        let with_seed = |&seed: &u64| Algorithm {
            spec: with_key(&self.spec, "seed", seed),
            seeds: Vec::new(),
            ..self.clone()
        };
        self.seeds.iter().map(with_seed).collect()
    }
}

/// A spec with one more key.
fn with_key(spec: &str, key: &str, value: impl std::fmt::Display) -> String {
    let mark = if spec.contains(':') { ',' } else { ':' };
    format!("{spec}{mark}{key}={value}")
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct SuiteText {
    #[serde(default)]
    rules: RulesText,
    problems: ProblemSet,
    #[serde(default)]
    limits: Limits,
    #[serde(default)]
    measuring: Measuring,
    #[serde(default)]
    conditions: Conditions,
    /// Also every algorithm of the registry that the list below does not name, with its defaults.
    #[serde(default)]
    every_algorithm: bool,
    maps: Vec<MapText>,
    #[serde(default)]
    algorithms: Vec<AlgorithmText>,
    #[serde(default)]
    quick: QuickText,
}

/// What the small form has instead. Algorithms are named; the others are left out.
#[derive(Default, Deserialize)]
#[serde(deny_unknown_fields)]
struct QuickText {
    problems: Option<ProblemSet>,
    limits: Option<Limits>,
    maps: Option<Vec<MapText>>,
    algorithms: Option<Vec<AlgorithmText>>,
}

#[derive(Default, Deserialize)]
#[serde(deny_unknown_fields)]
struct RulesText {
    costs: Option<Spanned<String>>,
    corners: Option<Spanned<String>>,
    moves: Option<Spanned<u32>>,
    terrain: Option<Spanned<String>>,
    size: Option<Spanned<u32>>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct MapText {
    name: Option<String>,
    kind: Spanned<String>,
    width: Spanned<u32>,
    height: Spanned<u32>,
    #[serde(default)]
    seed: u64,
    scale: Option<Spanned<u32>>,
    #[serde(default)]
    terrain: bool,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct AlgorithmText {
    name: Option<String>,
    spec: Spanned<String>,
    most_cells: Option<u64>,
    #[serde(default)]
    seeds: Vec<u64>,
    #[serde(default)]
    form: Form,
}

impl Suite {
    /// Reads a suite, in its full or in its small form. `file` names it in errors.
    pub fn parse(text: &str, file: &str, quick: bool) -> Result<Suite, SuiteError> {
        let reader = Reader { text, file };
        let mut whole: SuiteText =
            toml::from_str(text).map_err(|error| reader.toml_error(&error))?;
        if quick {
            let small = std::mem::take(&mut whole.quick);
            whole.problems = small.problems.unwrap_or(whole.problems);
            whole.limits = small.limits.unwrap_or(whole.limits);
            whole.maps = small.maps.unwrap_or(whole.maps);
            whole.algorithms = small.algorithms.unwrap_or(whole.algorithms);
        }
        let suite = Suite {
            rules: reader.rules(&whole.rules)?,
            unit: reader.unit(&whole.rules)?,
            problems: whole.problems,
            limits: whole.limits,
            measuring: whole.measuring,
            conditions: whole.conditions,
            maps: reader.maps(&whole.maps)?,
            algorithms: reader.algorithms(&whole.algorithms, whole.every_algorithm)?,
        };
        reader.check(&suite)?;
        Ok(suite)
    }

    /// Moves every seed of maps and problems by the same amount.
    pub fn shift_seeds(&mut self, by: u64) {
        let problems = &mut self.problems;
        for seed in problems.seeds.iter_mut().chain([&mut problems.seed]) {
            *seed = seed.wrapping_add(by);
        }
        for map in &mut self.maps {
            map.seed = map.seed.wrapping_add(by);
        }
    }
}

/// The text of a suite, for errors with lines.
struct Reader<'a> {
    text: &'a str,
    file: &'a str,
}

impl Reader<'_> {
    fn toml_error(&self, error: &toml::de::Error) -> SuiteError {
        SuiteError {
            file: self.file.to_string(),
            line: error.span().map(|span| self.line(span.start)),
            message: error.message().replace('\n', " "),
        }
    }

    fn error<T>(&self, at: &Spanned<T>, message: String) -> SuiteError {
        SuiteError {
            file: self.file.to_string(),
            line: Some(self.line(at.span().start)),
            message,
        }
    }

    fn whole(&self, message: &str) -> SuiteError {
        SuiteError {
            file: self.file.to_string(),
            line: None,
            message: message.to_string(),
        }
    }

    fn line(&self, position: usize) -> usize {
        let before = &self.text.as_bytes()[..position.min(self.text.len())];
        before.iter().filter(|&&byte| byte == b'\n').count() + 1
    }

    fn rules(&self, text: &RulesText) -> Result<MoveRules, SuiteError> {
        let mut rules = MoveRules::default();
        if let Some(costs) = &text.costs {
            rules.costs = match costs.get_ref().as_str() {
                "sqrt2" => CostPair::Sqrt2,
                "1.4" => CostPair::OnePointFour,
                other => {
                    let message = format!("`costs = \"{other}\"`: expected \"sqrt2\" or \"1.4\"");
                    return Err(self.error(costs, message));
                }
            };
        }
        if let Some(corners) = &text.corners {
            rules.corners = match corners.get_ref().as_str() {
                "never" => Corners::Never,
                "one" => Corners::One,
                "always" => Corners::Always,
                "no diagonals" => Corners::NoDiagonals,
                other => {
                    let message = format!(
                        "`corners = \"{other}\"`: expected \"never\", \"one\", \"always\" or \"no diagonals\""
                    );
                    return Err(self.error(corners, message));
                }
            };
        }
        if let Some(moves) = &text.moves {
            match moves.get_ref() {
                8 => {}
                4 => rules.corners = Corners::NoDiagonals,
                other => {
                    return Err(self.error(moves, format!("`moves = {other}`: expected 8 or 4")));
                }
            }
        }
        Ok(rules)
    }

    fn unit(&self, text: &RulesText) -> Result<Unit, SuiteError> {
        let mut unit = Unit::default();
        if let Some(terrain) = &text.terrain {
            unit.terrain = Footings::parse(terrain.get_ref())
                .map_err(|error| self.error(terrain, error.to_string()))?;
        }
        if let Some(size) = &text.size {
            unit.size = *size.get_ref();
            if unit.size == 0 {
                return Err(self.error(size, "`size = 0`: expected at least 1".to_string()));
            }
        }
        Ok(unit)
    }

    fn maps(&self, texts: &[MapText]) -> Result<Vec<MapRecipe>, SuiteError> {
        let mut maps: Vec<MapRecipe> = Vec::new();
        for text in texts {
            let kind = Kind::from_name(text.kind.get_ref()).ok_or_else(|| {
                let given = text.kind.get_ref();
                let expected = names::expected(given, &Kind::ALL.map(Kind::name));
                self.error(&text.kind, format!("`kind = \"{given}\"`: {expected}"))
            })?;
            let scale = text.scale.as_ref().map_or(1, |scale| *scale.get_ref());
            for (key, side) in [("width", &text.width), ("height", &text.height)] {
                let side_after = u64::from(*side.get_ref()) * u64::from(scale);
                if side_after == 0 || side_after > MAX_SIDE {
                    let message =
                        format!("`{key}` times scale is {side_after}: expected 1 to {MAX_SIDE}");
                    return Err(self.error(side, message));
                }
            }
            let name = text.name.clone().unwrap_or_else(|| {
                let (width, height) = (text.width.get_ref() * scale, text.height.get_ref() * scale);
                format!("{}-{width}x{height}-{}", kind.name(), text.seed)
            });
            if maps.iter().any(|map| map.name == name) {
                let message = format!("two maps are called `{name}`; give each a `name`");
                return Err(self.error(&text.kind, message));
            }
            maps.push(MapRecipe {
                name,
                kind,
                width: *text.width.get_ref(),
                height: *text.height.get_ref(),
                seed: text.seed,
                scale,
                strewn: text.terrain,
            });
        }
        Ok(maps)
    }

    fn algorithms(
        &self,
        texts: &[AlgorithmText],
        every: bool,
    ) -> Result<Vec<Algorithm>, SuiteError> {
        let mut algorithms: Vec<Algorithm> = Vec::new();
        for text in texts {
            let spec = AgentSpec::parse(text.spec.get_ref())
                .map_err(|error| self.error(&text.spec, error.to_string()))?;
            let name = text.name.clone().unwrap_or_else(|| spec.to_string());
            if algorithms.iter().any(|algorithm| algorithm.name == name) {
                let message = format!("two algorithms are called `{name}`; give each a `name`");
                return Err(self.error(&text.spec, message));
            }
            let algorithm = Algorithm {
                name,
                spec: spec.to_string(),
                most_cells: text.most_cells,
                seeds: text.seeds.clone(),
                form: text.form,
            };
            for trial in algorithm.trials() {
                AgentSpec::parse(&trial.spec)
                    .map_err(|error| self.error(&text.spec, format!("`seeds`: {error}")))?;
            }
            algorithms.push(algorithm);
        }
        if every {
            let named = |name: &str| {
                algorithms
                    .iter()
                    .any(|a| a.spec.split(':').next() == Some(name))
            };
            let missing: Vec<Algorithm> = ALGORITHMS
                .iter()
                .filter(|algorithm| !named(algorithm.name))
                .map(|algorithm| Algorithm {
                    name: algorithm.name.to_string(),
                    spec: algorithm.name.to_string(),
                    most_cells: None,
                    seeds: Vec::new(),
                    form: Form::Unstated,
                })
                .collect();
            algorithms.extend(missing);
        }
        Ok(algorithms)
    }

    fn check(&self, suite: &Suite) -> Result<(), SuiteError> {
        let problems = &suite.problems;
        if problems.count == 0 {
            return Err(self.whole("`problems.count` is 0: expected at least 1"));
        }
        let most = problems.most.unwrap_or(f64::INFINITY);
        // Written so that a NaN is refused too.
        if !(problems.least >= 0.0 && problems.least <= most) {
            return Err(self.whole(
                "`problems.least` and `problems.most` are no range: expected 0 <= least <= most",
            ));
        }
        if !problems.difficulty_parts().iter().all(Range::is_sound) {
            return Err(self.whole(
                "`problems.min_difficulty`, `.difficulty_cuts` and `.max_difficulty` are no ranges: expected 0 <= min <= cuts <= max, in order",
            ));
        }
        let times = suite.limits.times_optimal;
        if times.is_nan() || times < 1.0 {
            return Err(self.whole("`limits.times_optimal` is too small: expected at least 1"));
        }
        let conditions = suite.conditions;
        if !(1..=MAX_SENSOR).contains(&conditions.sensor.unwrap_or(1)) {
            return Err(self.whole("`conditions.sensor` is no radius: expected 1 to 1000"));
        }
        if !(1..=MAX_TRIALS).contains(&conditions.trials) {
            return Err(self.whole("`conditions.trials` is no number: expected 1 to 100000"));
        }
        if suite.measuring == Measuring::Frames && conditions != Conditions::default() {
            return Err(self.whole("`measuring = \"frames\"` has no `conditions`"));
        }
        if suite.maps.is_empty() {
            return Err(self.whole("there are no `maps`: expected at least one"));
        }
        if suite.algorithms.is_empty() {
            return Err(self.whole("there are no `algorithms`: expected at least one"));
        }
        let planned = |spec: &str| matches!(spec.split(':').next(), Some("astar" | "pra"));
        if suite.measuring == Measuring::Frames
            && let Some(other) = suite.algorithms.iter().find(|a| !planned(&a.spec))
        {
            let message = format!(
                "`measuring = \"frames\"` knows the specs `astar...` and `pra:...`, not `{}`",
                other.spec
            );
            return Err(self.whole(&message));
        }
        Ok(())
    }
}

/// The longest side of a map that a suite may ask for.
const MAX_SIDE: u64 = 16_384;

#[cfg(test)]
mod tests {
    use super::*;

    const GOOD: &str = r#"
[rules]
costs = "1.4"
[problems]
count = 20
least = 10
most = 50.5
[[maps]]
kind = "caves"
width = 60
height = 40
[[algorithms]]
name = "A*"
spec = "astar"
[[algorithms]]
spec = "tba:slice=5"
[quick]
problems = { count = 3 }
"#;

    #[test]
    fn a_good_suite_is_read_in_both_forms() {
        let full = Suite::parse(GOOD, "suite.toml", false).expect("a good suite");
        assert_eq!(full.problems.count, 20);
        assert_eq!(full.rules.costs, CostPair::OnePointFour);
        assert_eq!(full.algorithms[1].name, "tba:slice=5");
        assert_eq!(full.maps[0].name, "caves-60x40-0");
        let quick = Suite::parse(GOOD, "suite.toml", true).expect("a good suite");
        assert_eq!(quick.problems.count, 3);
        assert_eq!(quick.algorithms, full.algorithms);
    }

    #[test]
    fn several_seeds_share_the_problems() {
        let text = GOOD.replace("count = 20", "count = 20\nseed = 9\nseeds = [4, 5, 6]");
        let mut suite = Suite::parse(&text, "suite.toml", false).expect("a good suite");
        assert_eq!(suite.problems.draws(), [(4, 7), (5, 7), (6, 6)]);
        suite.shift_seeds(10);
        suite.problems.count = 2;
        assert_eq!(suite.problems.draws(), [(14, 1), (15, 1)]);
        suite.problems.seeds.clear();
        assert_eq!(suite.problems.draws(), [(19, 2)]);
    }

    #[test]
    fn conditions_are_read_and_checked() {
        let with = |text: &str| {
            let text = GOOD.replace("[[maps]]", &format!("[conditions]\n{text}\n[[maps]]"));
            Suite::parse(&text, "suite.toml", false)
        };
        let suite = with("sensor = 10\ntrials = 7").expect("a good suite");
        let expected = Conditions {
            sensor: Some(10),
            trials: 7,
        };
        assert_eq!(suite.conditions, expected);
        for (bad, named) in [
            ("sensor = 0", "sensor"),
            ("trials = 0", "trials"),
            ("trail = 2", "trail"),
        ] {
            let error = with(bad).expect_err("a bad suite");
            assert!(error.to_string().contains(named), "{error}");
        }
    }

    #[test]
    fn terrain_sizes_and_four_ways_are_read() {
        let text = GOOD.replace(
            "costs = \"1.4\"",
            "moves = 4\nterrain = \"S=2,T=#\"\nsize = 2",
        );
        let suite = Suite::parse(&text, "suite.toml", false).expect("a good suite");
        assert_eq!(suite.rules.corners, Corners::NoDiagonals);
        assert_eq!(suite.unit.terrain.to_string(), "S=2,T=#");
        assert_eq!(suite.unit.size, 2);
    }

    #[test]
    fn mistakes_name_their_key_and_line() {
        let cases = [
            ("count = 20", "cuont = 20", 5, "cuont"),
            ("costs = \"1.4\"", "costs = \"1.5\"", 3, "costs"),
            ("kind = \"caves\"", "kind = \"cave\"", 9, "caves"),
            ("\"astar\"", "\"astra\"", 14, "astra"),
            ("\"tba:slice=5\"", "\"tba:slize=5\"", 16, "slize"),
            ("\"astar\"", "\"astar\"\nseeds = [1]", 14, "seed"),
            ("width = 60", "width = 0", 10, "width"),
            ("width = 60", "width = \"60\"", 10, "u32"),
            ("least = 10", "least = 10 10", 6, ""),
            ("costs = \"1.4\"", "moves = 6", 3, "moves"),
            ("costs = \"1.4\"", "size = 0", 3, "size"),
            ("costs = \"1.4\"", "terrain = \"S=0\"", 3, "S=0"),
        ];
        for (good, bad, line, names) in cases {
            let text = GOOD.replacen(good, bad, 1);
            let error = Suite::parse(&text, "my.toml", false).expect_err(bad);
            assert_eq!(error.line, Some(line), "{bad}: {error}");
            assert!(error.to_string().contains(names), "{bad}: {error}");
            assert!(error.to_string().starts_with("my.toml"), "{bad}: {error}");
        }
        for (good, bad) in [
            ("count = 20", "count = 0"),
            ("least = 10", "least = 99"),
            ("least = 10", "max_difficulty = -1"),
        ] {
            let text = GOOD.replacen(good, bad, 1);
            assert!(Suite::parse(&text, "my.toml", false).is_err(), "{bad}");
        }
    }

    #[test]
    fn every_algorithm_is_added_once() {
        let text = format!("every_algorithm = true\n{GOOD}");
        let suite = Suite::parse(&text, "suite.toml", false).expect("a good suite");
        assert_eq!(suite.algorithms.len(), ALGORITHMS.len());
    }
}
