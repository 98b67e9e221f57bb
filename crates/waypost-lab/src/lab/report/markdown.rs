//! The report as Markdown, with the figures and maps in files beside it.

use super::{Report, file_name};
use crate::lab::compare::claims_sheet;

/// The page.
pub fn page(report: &Report) -> String {
    let mut text = format!("# {}\n\n", report.title);
    if !report.paper.is_empty() {
        text += &format!("{}\n\n", report.paper);
    }
    if !report.about.is_empty() {
        text += &format!("{}\n\n", report.about);
    }
    for line in &report.summary {
        text += &format!("- {line}\n");
    }
    for (name, caption, _) in &report.lead {
        text += &format!("\n![{caption}]({name})\n");
    }
    if report.lead.is_empty() {
        text += &claims(report);
    }
    for sheet in &report.tables {
        text += &format!("\n## {}\n\n{}", sheet.title, sheet.to_markdown());
        if !sheet.note.is_empty() {
            text += &format!("\n{}\n", sheet.note.trim());
        }
    }
    for figure in &report.figures {
        text += &format!(
            "\n## {}\n\n![{}](figures/{}.svg)\n",
            figure.title, figure.title, figure.id
        );
        if !figure.note.is_empty() {
            text += &format!("\n{}\n", figure.note.trim());
        }
    }
    if !report.lead.is_empty() {
        text += &claims(report);
    }
    for sheet in &report.setup {
        text += &format!("\n## {}\n\n{}", sheet.title, sheet.to_markdown());
    }
    text.push('\n');
    for (name, _) in &report.pictures {
        text += &format!("![{name}](maps/{}.png)\n", file_name(name));
    }
    text
}

/// What was claimed comes first, unless the report opens with pictures.
fn claims(report: &Report) -> String {
    match report.claims.is_empty() {
        true => String::new(),
        false => format!(
            "\n## Claims\n\n{}",
            claims_sheet(&report.claims).to_markdown()
        ),
    }
}
