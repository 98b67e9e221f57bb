//! The page that keeps tables: `docs/measurements/peers.md`.

use crate::report::Report;
use anyhow::Context as _;
use std::path::Path;

/// What a section begins with, before map and ways.
const HEADING: &str = "## ";

/// The heading of a map's section.
fn heading(map: &str, ways: u8) -> String {
    format!("{HEADING}{map}, {ways} ways")
}

/// Puts a table on a page, in the place of the one of the same map and ways, or at its end.
pub fn keep(page: &Path, report: &Report, ways: u8, options: &str) -> anyhow::Result<()> {
    let text = std::fs::read_to_string(page)
        .with_context(|| format!("{} cannot be read", page.display()))?;
    let map = report.map();
    let section = format!(
        "{}\n\n`cargo run --release -p waypost-peers -- {map} --scen {map}.scen{options} --page FILE`\n\n{}",
        heading(map, ways),
        report.table()
    );
    let text = with_section(&text, &heading(map, ways), &section);
    std::fs::write(page, text).with_context(|| format!("{} cannot be written", page.display()))
}

/// The text with a section in the place of the one with this heading, or at the end.
fn with_section(text: &str, heading: &str, section: &str) -> String {
    let mut parts = sections(text);
    let section = format!("{}\n", section.trim_end());
    match parts
        .iter_mut()
        .find(|part| part.lines().next() == Some(heading))
    {
        Some(part) => *part = section,
        None => parts.push(section),
    }
    let parts: Vec<&str> = parts.iter().map(|part| part.trim_end()).collect();
    format!("{}\n", parts.join("\n\n"))
}

/// What comes before the first heading, then every section with its heading.
fn sections(text: &str) -> Vec<String> {
    let mut parts = vec![String::new()];
    for line in text.lines() {
        if line.starts_with(HEADING) {
            parts.push(String::new());
        }
        if let Some(part) = parts.last_mut() {
            part.push_str(line);
            part.push('\n');
        }
    }
    parts
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::report::{HEAD, RULE};
    use crate::{condor, others, ours};

    /// Every table of the page is one that this program prints: its head, its contenders, its columns.
    #[test]
    fn the_page_has_what_the_command_prints() {
        let text = include_str!("../../../docs/measurements/peers.md");
        let mut known = ours::builders();
        known.extend(others::builders(0));
        known.extend(condor::builders());
        let parts = sections(text);
        let tables: Vec<_> = parts.iter().filter(|part| part.contains(HEAD)).collect();
        assert!(tables.len() >= 4, "{} tables", tables.len());
        for part in tables {
            let title = part.lines().next().unwrap_or_default();
            let (map, ways) = title[HEADING.len()..].rsplit_once(", ").expect("map, ways");
            assert!(ways == "8 ways" || ways == "4 ways", "{title}");
            let command =
                format!("cargo run --release -p waypost-peers -- {map} --scen {map}.scen");
            assert!(part.contains(&command), "{title} has no command");
            let (_, rows) = part.split_once(&format!("{HEAD}{RULE}")).expect("a rule");
            let mut count = 0;
            for row in rows.lines().take_while(|line| line.starts_with('|')) {
                let cells: Vec<_> = row.trim_matches('|').split('|').map(str::trim).collect();
                assert_eq!(cells.len(), HEAD.matches('|').count() - 1, "{title}: {row}");
                let name = cells[0];
                assert!(known.iter().any(|b| b.name == name), "{title}: {name}");
                count += 1;
            }
            assert!(count >= 4, "{title}");
        }
    }

    #[test]
    fn a_table_takes_the_place_of_the_one_before() {
        let text = "# Peers\n\nWords.\n\n## a.map, 8 ways\n\nold\n\n## b.map, 8 ways\n\nother\n";
        let once = with_section(text, "## a.map, 8 ways", "## a.map, 8 ways\n\nnew\n");
        assert_eq!(
            once,
            "# Peers\n\nWords.\n\n## a.map, 8 ways\n\nnew\n\n## b.map, 8 ways\n\nother\n"
        );
        assert_eq!(
            with_section(&once, "## a.map, 8 ways", "## a.map, 8 ways\n\nnew\n"),
            once
        );
        let more = with_section(&once, "## a.map, 4 ways", "## a.map, 4 ways\n\nfour\n");
        assert!(more.ends_with("other\n\n## a.map, 4 ways\n\nfour\n"));
    }
}
