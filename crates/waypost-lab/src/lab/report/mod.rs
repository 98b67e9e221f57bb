//! The report of a run: tables, plots, verdicts, maps and set-up, as a page of HTML that needs nothing beside it, as
//! Markdown with pictures beside it, and as CSV files.

mod html;
mod markdown;

use super::compare::{Agreement, Checked, Results, Verdict, check_all, claims_csv};
use super::figures;
use super::published::Published;
use super::run::Ground;
use super::suite::{Suite, Unit};
use super::trial::Outcome;
use crate::document::{Entry, Sheet, figure};
use crate::journey::Conditions;
use crate::map_measures::{MapMeasures, measure};
use crate::picture::Picture;
use crate::table::grouped;
use std::collections::BTreeSet;
use waypost::generate::terrain::footings;
use waypost::progress::NoProgress;

/// A map's picture has at most this many pixels on its longer side.
const PICTURE_SIDE: u32 = 360;
/// The most maps that have a column each in the table of all maps.
const MAX_MAPS_ACROSS: usize = 12;

/// Pairs of cells that a map is measured by.
const MEASURED_PAIRS: usize = 100;

/// What a report is about, besides the measurements.
pub struct Setup<'a> {
    /// The experiment's name.
    pub experiment: &'a str,
    /// The suite that was run.
    pub suite: &'a Suite,
    /// What to compare with.
    pub published: &'a Published,
    /// Whether it is the small form.
    pub quick: bool,
    /// The machine in a few words.
    pub machine: &'a str,
    /// The program's version, commit and its day.
    pub program: &'a str,
    /// The command that makes the report again.
    pub command: &'a str,
}

/// A finished report, before it becomes files.
pub struct Report {
    /// The experiment's name.
    pub experiment: String,
    /// Its title.
    pub title: String,
    /// The paper; empty where there is none.
    pub paper: String,
    /// What is compared and how.
    pub about: String,
    /// The most important things in a few lines.
    pub summary: Vec<String>,
    /// The claims.
    pub claims: Vec<Checked>,
    /// Tables.
    pub tables: Vec<Sheet>,
    /// Name, title, remark and SVG text of each figure.
    pub figures: Vec<FigureShown>,
    /// Pictures and films that the report opens with: name of the file, caption, bytes.
    pub lead: Vec<(&'static str, String, Vec<u8>)>,
    /// Name and PNG file of each map.
    pub pictures: Vec<(String, Vec<u8>)>,
    /// Maps, algorithms and everything else that a run depends on.
    pub setup: Vec<Sheet>,
}

/// A figure of a report.
pub struct FigureShown {
    /// The name of its file.
    pub id: String,
    /// Its caption.
    pub title: String,
    /// A remark.
    pub note: String,
    /// The picture.
    pub svg: String,
}

/// Puts a report together.
pub fn report(setup: &Setup, grounds: &[Ground]) -> Report {
    let results = Results::new(grounds);
    let published = setup.published;
    let mut agreement = Agreement::default();
    let mut tables: Vec<Sheet> = published
        .tables
        .iter()
        .map(|table| results.table(table, &mut agreement))
        .collect();
    let ratios = published.ratios.iter();
    tables.extend(ratios.map(|table| results.ratios(table, &mut agreement)));
    // With many maps the table would be wider than any page.
    let maps = results.grounds().len();
    let detail = (2..=MAX_MAPS_ACROSS)
        .contains(&maps)
        .then(|| results.by_map());
    let claims = check_all(&results, published);
    let shown = published.figures.iter().map(|figure| {
        let plot = figures::plot(figure, &results, published);
        FigureShown {
            id: figure.id.clone(),
            title: figure.title.clone(),
            note: figure.note.clone(),
            svg: match plot.is_empty() {
                true => String::new(),
                false => plot.to_svg(&figure.title),
            },
        }
    });
    Report {
        experiment: setup.experiment.to_string(),
        title: published.title.clone(),
        paper: published.paper.clone(),
        about: published.about.trim().to_string(),
        summary: summary(setup, grounds, &claims, &agreement),
        tables,
        figures: shown.filter(|figure| !figure.svg.is_empty()).collect(),
        claims,
        lead: Vec::new(),
        pictures: pictures(grounds),
        setup: detail
            .into_iter()
            .chain([
                results.problems(&published.problems),
                setup_sheet(setup, grounds),
                maps_sheet(grounds),
                algorithms_sheet(setup, grounds),
            ])
            .collect(),
    }
}

fn summary(
    setup: &Setup,
    grounds: &[Ground],
    claims: &[Checked],
    agreement: &Agreement,
) -> Vec<String> {
    let mut lines = Vec::new();
    if setup.quick {
        lines.push(
            "This is the small form: a few problems on small maps, to show that everything runs. The claims and tables are \
             about the full form."
                .to_string(),
        );
    }
    if !setup.quick {
        if !claims.is_empty() {
            lines.push(
                match claims.iter().all(|claim| claim.verdict == Verdict::Pass) {
                    true => format!("All {} claims hold.", claims.len()),
                    false => format!("Claims: {}.", counted(claims)),
                },
            );
        }
        lines.extend(agreement.summary());
        lines.extend(difficulty(grounds, setup.published));
    }
    for ground in grounds {
        if let Some(reason) = &ground.skipped {
            lines.push(format!("The map {} was left out: {reason}.", ground.name));
        }
    }
    lines
}

/// How hard the problems are, beside the paper's.
fn difficulty(grounds: &[Ground], published: &Published) -> Option<String> {
    let paper = published.problems.difficulty;
    let ours = Results::new(grounds).difficulty()?;
    let (mean, median) = (paper.mean?, paper.median?);
    Some(format!(
        "Difficulty, states that A* expands for each move of the path: mean {}, median {} (the paper: {}, {}).",
        figure(ours.mean),
        figure(ours.median),
        figure(mean),
        figure(median)
    ))
}

/// How many claims came out how, in words.
pub fn counted(claims: &[Checked]) -> String {
    let count = |verdict| claims.iter().filter(|c| c.verdict == verdict).count();
    let named = Verdict::ALL.map(|verdict| format!("{} {}", count(verdict), verdict.name()));
    named.join(", ")
}

fn setup_sheet(setup: &Setup, grounds: &[Ground]) -> Sheet {
    let mut sheet = Sheet::new("setup", "Set-up", "");
    sheet.words("what");
    sheet.words("value");
    let suite = setup.suite;
    let commits: BTreeSet<&str> = grounds
        .iter()
        .flat_map(|ground| &ground.trials)
        .map(|trial| trial.commit.as_str())
        .collect();
    let most = suite
        .problems
        .most
        .map_or("any".to_string(), |most| most.to_string());
    let problems = format!(
        "{} for each map, optimal lengths from {} to {most}, difficulty {}, {}{}",
        suite.problems.count,
        suite.problems.least,
        match suite.problems.difficulty() {
            any if any.is_any() => "any".to_string(),
            range if suite.problems.difficulty_cuts.is_empty() => range.to_string(),
            range => {
                let cuts = suite.problems.difficulty_cuts.iter().map(f64::to_string);
                let cuts = cuts.collect::<Vec<_>>().join(", ");
                format!("{range} with as many in each part, cut at {cuts}")
            }
        },
        match suite.problems.seeds[..] {
            [] => format!("seed {}", suite.problems.seed),
            ref several => {
                let seeds = several.iter().map(u64::to_string);
                format!("seeds {}", seeds.collect::<Vec<_>>().join(", "))
            }
        },
        if suite.problems.scenarios {
            "; from the map's .scen file where there is one"
        } else {
            ""
        }
    );
    let rows = [
        ("program", setup.program.to_string()),
        ("command", setup.command.to_string()),
        ("machine", setup.machine.to_string()),
        ("rules", rules(suite)),
        ("problems", problems),
        ("conditions", conditions(suite.conditions)),
        (
            "given up",
            format!(
                "after {} times the moves of an optimal path; what was walked until then counts, so such values are lower bounds (≥)",
                suite.limits.times_optimal
            ),
        ),
        (
            "times",
            "processor time of one thread; tails and first moves by the clock; builds on all threads".to_string(),
        ),
        ("records made by", commits.into_iter().collect::<Vec<_>>().join(", ")),
    ];
    for (what, value) in rows {
        sheet.rows.push(vec![Entry::text(what), Entry::text(value)]);
    }
    sheet
}

/// How units move, what ground costs them, and how large they are.
fn rules(suite: &Suite) -> String {
    let mut text = suite.rules.to_string();
    let Unit { terrain, size } = &suite.unit;
    if !terrain.is_empty() {
        text += &format!("; terrain {terrain}");
    }
    if suite.maps.iter().any(|map| map.strewn) && terrain.is_empty() {
        text += &format!("; terrain {} where it is strewn", footings());
    }
    if *size > 1 {
        text += &format!("; units of {size} x {size} cells");
    }
    text
}

/// In words.
fn conditions(conditions: Conditions) -> String {
    let map = match conditions.sensor {
        None => "the map is known".to_string(),
        Some(cells) => format!("the map is free of walls until they are seen, {cells} cells away"),
    };
    let trials = match conditions.trials {
        1 => "one walk".to_string(),
        trials => format!("up to {trials} trials, until three are the same"),
    };
    format!("{map}; {trials}")
}

/// Maps and how hard they are for real-time search, over [`MEASURED_PAIRS`] random pairs of connected cells.
fn maps_sheet(grounds: &[Ground]) -> Sheet {
    let note = format!(
        "How hard a map is (Huntley and Bulitko 2013), over {MEASURED_PAIRS} random pairs of connected cells."
    );
    let mut sheet = Sheet::new("maps", "Maps", &note);
    sheet.words("map");
    sheet.words("from");
    for heading in ["width", "height", "passable cells"] {
        sheet.numbers(heading);
    }
    sheet.words("fingerprint");
    sheet.words("used");
    for heading in [
        "climbing arrives %",
        "climbs an optimal path",
        "states of A* a move",
        "octile distance too short %",
    ] {
        sheet.numbers(heading);
    }
    for ground in grounds {
        let measures = measure(&ground.map, MEASURED_PAIRS, &NoProgress).ok();
        let number = |value: fn(&MapMeasures) -> f64| Entry::number(measures.as_ref().map(value));
        let grid = ground.map.grid();
        let whole = |value: u64| Entry {
            text: grouped(value as i64),
            raw: Some(value.to_string()),
            ..Entry::default()
        };
        sheet.rows.push(vec![
            Entry::text(&ground.name),
            Entry::text(ground.source.origin().replace('`', "")),
            whole(u64::from(grid.width())),
            whole(u64::from(grid.height())),
            whole(grid.passable_count()),
            Entry::text(format!("{:016x}", grid.fingerprint())),
            Entry::text(if ground.skipped.is_some() {
                "no"
            } else {
                "yes"
            }),
            number(|m| m.climbable_pct),
            number(|m| m.subgoals),
            number(|m| m.difficulty),
            number(|m| m.estimate_error_pct),
        ]);
    }
    sheet
}

fn algorithms_sheet(setup: &Setup, grounds: &[Ground]) -> Sheet {
    let mut sheet = Sheet::new("algorithms", "Algorithms", "");
    sheet.words("algorithm");
    sheet.words("spec");
    sheet.words("form");
    sheet.words("seeds of records");
    sheet.words("left out");
    for algorithm in &setup.suite.algorithms {
        let refusals = grounds.iter().filter_map(|ground| {
            let trials = ground.trials.iter();
            let trial = trials.into_iter().find(|t| t.algorithm == algorithm.name)?;
            match &trial.outcome {
                Outcome::Refused(reason) => Some(format!("{}: {reason}", ground.name)),
                Outcome::Measured(_) => None,
            }
        });
        let seeds: Vec<String> = algorithm.seeds.iter().map(u64::to_string).collect();
        sheet.rows.push(vec![
            Entry::text(&algorithm.name),
            Entry::text(&algorithm.spec),
            Entry::text(algorithm.form.name()),
            Entry::text(seeds.join(", ")),
            Entry::text(refusals.collect::<Vec<_>>().join("; ")),
        ]);
    }
    sheet
}

/// Small pictures of the maps. One that cannot be drawn is left out: a report does not fail for it.
fn pictures(grounds: &[Ground]) -> Vec<(String, Vec<u8>)> {
    let drawn = grounds.iter().filter_map(|ground| {
        let picture = Picture::small(ground.map.grid(), PICTURE_SIDE);
        Some((ground.name.clone(), picture.to_png().ok()?))
    });
    drawn.collect()
}

impl Report {
    /// Every file of the report: its path below the report's folder, and its bytes.
    pub fn files(&self) -> Vec<(String, Vec<u8>)> {
        let mut files = vec![
            ("report.html".to_string(), html::page(self).into_bytes()),
            ("report.md".to_string(), markdown::page(self).into_bytes()),
            (
                "tables/claims.csv".to_string(),
                claims_csv(&self.claims).into_bytes(),
            ),
        ];
        for sheet in self.tables.iter().chain(&self.setup) {
            files.push((
                format!("tables/{}.csv", sheet.id),
                sheet.to_csv().into_bytes(),
            ));
        }
        for figure in &self.figures {
            files.push((
                format!("figures/{}.svg", figure.id),
                figure.svg.clone().into_bytes(),
            ));
        }
        for (name, _, bytes) in &self.lead {
            files.push((name.to_string(), bytes.clone()));
        }
        for (name, png) in &self.pictures {
            files.push((format!("maps/{}.png", file_name(name)), png.clone()));
        }
        files
    }

    /// For terminals: tables that fit, claims and the summary.
    pub fn to_text(&self) -> String {
        let mut text = format!("{}\n", self.title);
        for sheet in &self.tables {
            let table = sheet.to_table().to_string();
            let widest = table.lines().map(|line| line.chars().count()).max();
            text += &match widest.unwrap_or(0) <= WIDEST {
                true => format!("\n{}\n\n{table}", sheet.title),
                false => {
                    let columns = sheet.rows.first().map_or(0, Vec::len);
                    let rows = sheet.rows.len();
                    format!(
                        "\n{}: {rows} rows of {columns} columns, in the report\n",
                        sheet.title
                    )
                }
            };
        }
        if !self.claims.is_empty() {
            text += "\nClaims\n\n";
            for claim in &self.claims {
                let numbers = match claim.numbers.is_empty() {
                    true => String::new(),
                    false => format!(" ({})", claim.numbers),
                };
                text += &format!("  {:<13}  {}{numbers}\n", claim.verdict.name(), claim.text);
                if claim.verdict == Verdict::Undecided {
                    text += &format!("  {:<13}  {}\n", "", claim.reason);
                }
            }
        }
        text.push('\n');
        for line in &self.summary {
            text += &format!("{line}\n");
        }
        text
    }
}

/// The widest table that a terminal is given, in letters.
const WIDEST: usize = 120;

/// A name without letters that file systems or web addresses treat in a special way.
fn file_name(name: &str) -> String {
    let safe = |letter: char| {
        if letter.is_ascii_alphanumeric() || "-_.".contains(letter) {
            letter
        } else {
            '-'
        }
    };
    name.chars().map(safe).collect()
}
