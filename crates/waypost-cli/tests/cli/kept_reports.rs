//! The reports that the repository keeps, and the pages that speak of them.

use crate::documents::{files_below, top};
use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

/// The folders of all experiments.
fn experiments() -> Vec<PathBuf> {
    let entries = std::fs::read_dir(top().join("experiments")).expect("a folder");
    let mut folders: Vec<PathBuf> = entries
        .map(|entry| entry.expect("an entry").path())
        .collect();
    folders.retain(|path| path.is_dir());
    folders.sort();
    folders
}

fn text(path: &Path) -> String {
    std::fs::read_to_string(path).unwrap_or_else(|error| panic!("{}: {error}", path.display()))
}

/// The columns of a line of CSV.
pub fn columns(line: &str) -> Vec<String> {
    let (mut all, mut column, mut quoted) = (Vec::new(), String::new(), false);
    for letter in line.chars() {
        match letter {
            '"' => quoted = !quoted,
            ',' if !quoted => all.push(std::mem::take(&mut column)),
            other => column.push(other),
        }
    }
    all.push(column);
    all
}

/// No two columns of a table have one name.
pub fn assert_columns_are_told_apart(path: &Path) {
    let table = text(path);
    let columns = columns(table.lines().next().unwrap_or_default());
    let names: BTreeSet<&String> = columns.iter().collect();
    assert_eq!(
        names.len(),
        columns.len(),
        "{}: {columns:?}",
        path.display()
    );
    assert!(
        !names.contains(&String::new()),
        "{}: {columns:?}",
        path.display()
    );
}

#[test]
fn every_experiment_keeps_a_report_that_says_where_it_comes_from() {
    assert!(experiments().len() >= 7);
    for folder in experiments() {
        let name = folder.file_name().expect("a name").to_string_lossy();
        let generated = folder.join("generated");
        let report = text(&generated.join("report.md"));
        let setup = |what: &str| {
            let row = report
                .lines()
                .find(|line| line.starts_with(&format!("| {what} |")));
            row.unwrap_or_else(|| panic!("{name}: no {what}"))
                .to_string()
        };
        assert!(
            setup("program").contains(" of 20"),
            "{name}: the day of the code"
        );
        assert!(
            setup("command").contains(&format!("waypost lab {name} |")),
            "{name}"
        );
        assert!(setup("machine").contains(" core"), "{name}");
        assert!(setup("records made by").len() > 25, "{name}");
        for picture in report
            .split("](")
            .skip(1)
            .filter_map(|rest| rest.split(')').next())
        {
            assert!(generated.join(picture).exists(), "{name}: {picture}");
        }
        assert!(generated.join("report.html").exists(), "{name}");
        let tables = files_below(&generated.join("tables"), "csv");
        assert!(tables.len() > 4, "{name}");
        tables
            .iter()
            .for_each(|table| assert_columns_are_told_apart(table));
    }
}

/// All numbers of a text, with their texts.
fn numbers(text: &str) -> Vec<(&str, f64)> {
    let is_part = |c: char| c.is_ascii_digit() || c == '.' || c == ',';
    let words = text.split(|c: char| !is_part(c));
    let words = words.map(|word| word.trim_matches(['.', ',']));
    words
        .filter_map(|word| Some((word, word.replace(',', "").parse().ok()?)))
        .collect()
}

/// What a cell that is a number, and perhaps a lower bound, says.
fn number_of(cell: &str) -> Option<(&str, f64)> {
    let cell = cell.trim().trim_start_matches("≥ ");
    let is_number = cell.starts_with(|c: char| c.is_ascii_digit());
    let only = cell
        .chars()
        .all(|c| c.is_ascii_digit() || c == '.' || c == ',');
    (is_number && only).then(|| numbers(cell)[0])
}

/// The referee's pages show numbers of the report beside them, rounded, turned into "times as fast", or the paper's.
#[test]
fn figures_of_the_referees_pages_are_in_their_reports() {
    let mut seen = 0;
    for folder in experiments() {
        let report = text(&folder.join("generated/report.md"));
        let published = text(&folder.join("published.toml"));
        let measured = numbers(&report).into_iter().chain(numbers(&published));
        let mut known: Vec<f64> = measured.map(|(_, value)| value).collect();
        known.extend(known.clone().iter().filter(|v| **v > 0.0).map(|v| 1.0 / v));
        let page = text(&folder.join("README.md"));
        let cells = page.lines().filter(|line| line.starts_with('|'));
        for cell in cells.flat_map(|line| line.split('|')) {
            let Some((word, value)) = number_of(cell) else {
                continue;
            };
            let decimals = word.split_once('.').map_or(0, |(_, part)| part.len());
            let half = 0.5001 * 10f64.powi(-(decimals as i32));
            let is_there = known.iter().any(|known| (known - value).abs() <= half);
            assert!(
                is_there,
                "{}: {word} is in no row of its report",
                folder.display()
            );
            seen += 1;
        }
    }
    assert!(seen > 300, "{seen} figures: were they found?");
}

#[test]
fn the_referees_pages_are_short_and_count_as_their_reports_do() {
    for folder in experiments() {
        let page = text(&folder.join("README.md"));
        let lines = page.lines().count();
        assert!(
            lines <= 100,
            "{}: {lines} lines are more than two screens",
            folder.display()
        );
        let claims = text(&folder.join("generated/tables/claims.csv"));
        let mut rows = claims.lines();
        let heads = columns(rows.next().expect("heads"));
        let verdict = heads
            .iter()
            .position(|head| head == "verdict")
            .expect("verdicts");
        let passed = rows
            .clone()
            .filter(|row| columns(row)[verdict] == "pass")
            .count();
        let all = rows.count();
        let said = [
            format!("{passed} of {all} claims"),
            format!("{passed} claims of {all}"),
            format!("All {all} claims"),
        ];
        let flat = page.split_whitespace().collect::<Vec<_>>().join(" ");
        let is_said = said.iter().any(|words| flat.contains(words.as_str()));
        assert!(is_said, "{}: {} is not said", folder.display(), said[0]);
    }
}
