//! The report as one page of HTML that needs nothing beside it: styles, plots and pictures are inside.

use super::Report;
use crate::document::Sheet;
use crate::lab::compare::claims_sheet;
use crate::plot::escape;

const STYLE: &str = "\
body { font: 15px/1.5 Georgia, 'Times New Roman', serif; color: #222; background: #fff; max-width: 960px;
  margin: 2em auto 4em; padding: 0 1em; }
h1, h2 { font-family: Helvetica, Arial, sans-serif; line-height: 1.2; }
h1 { font-size: 1.7em; } h2 { font-size: 1.2em; margin-top: 2.2em; }
.paper { color: #555; font-style: italic; } .note { color: #555; font-size: .92em; }
.summary { background: #f4f1ea; border-left: 4px solid #0072b2; padding: .6em 1em; }
.wide { overflow-x: auto; }
table { border-collapse: collapse; font: 13px/1.35 Helvetica, Arial, sans-serif; }
th { cursor: pointer; text-align: left; border-bottom: 2px solid #444; padding: .3em .7em .3em 0; vertical-align: bottom; }
td { border-bottom: 1px solid #e4e4e4; padding: .25em .7em .25em 0; vertical-align: top; }
th[data-sorted=up]::after { content: ' ▲'; } th[data-sorted=down]::after { content: ' ▼'; }
tr.default { background: #eef6fb; font-weight: bold; }
.n { text-align: right; } td.n { white-space: nowrap; } td.w:first-child { min-width: 9em; }
.good { color: #00704f; } .bad { color: #b3261e; font-weight: bold; } .faint { color: #999; }
figure { margin: 1em 0; } figure svg { max-width: 100%; height: auto; }
.maps { margin-top: 2em; display: flex; flex-wrap: wrap; gap: 1em; } .maps figure { margin: 0; font-size: .85em; }
.maps img { max-width: 290px; border: 1px solid #ccc; }
.lead figure { margin: 1.5em 0; } .lead img { width: 100%; image-rendering: auto; border: 1px solid #ccc; }
";

/// The page.
pub fn page(report: &Report) -> String {
    let mut html = format!(
        "<!DOCTYPE html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n\
         <meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n\
         <title>Waypost: {}</title>\n<style>\n{STYLE}</style>\n</head>\n<body>\n<h1>{}</h1>\n",
        escape(&report.experiment),
        escape(&report.title)
    );
    if !report.paper.is_empty() {
        html += &format!("<p class=\"paper\">{}</p>\n", escape(&report.paper));
    }
    for paragraph in report.about.split("\n\n").filter(|p| !p.is_empty()) {
        html += &format!("<p>{}</p>\n", escape(paragraph));
    }
    if !report.summary.is_empty() {
        html += "<div class=\"summary\">\n";
        for line in &report.summary {
            html += &format!("<div>{}</div>\n", escape(line));
        }
        html += "</div>\n";
    }
    for (_, caption, bytes) in &report.lead {
        html += &format!("<div class=\"lead\">{}</div>\n", picture(caption, bytes));
    }
    for figure in &report.figures {
        html += &format!(
            "<h2>{}</h2>\n<figure>\n{}</figure>\n{}",
            escape(&figure.title),
            figure.svg,
            note(&figure.note)
        );
    }
    if report.lead.is_empty() {
        html += &claims(report);
    }
    report
        .tables
        .iter()
        .for_each(|sheet| html += &section(sheet));
    if !report.lead.is_empty() {
        html += &claims(report);
    }
    report
        .setup
        .iter()
        .for_each(|sheet| html += &section(sheet));
    html += "<div class=\"maps\">\n";
    for (name, png) in &report.pictures {
        html += &format!("{}\n", picture(name, png));
    }
    html + "</div>\n<script>\n" + SORT + "</script>\n</body>\n</html>\n"
}

/// A click on a heading sorts a table by that column, a second one the other way round; cells without a number stay last.
/// The page is whole without it.
const SORT: &str = "\
const value = cell => {
  const number = parseFloat(cell.textContent.replace(/[^0-9.eE-]/g, ''));
  return cell.classList.contains('n') && Number.isFinite(number) ? number : cell.textContent;
};
const order = (a, b, turned) =>
  typeof a === typeof b ? turned * (a < b ? -1 : a > b ? 1 : 0) : (typeof a === 'number' ? -1 : 1);
document.querySelectorAll('th').forEach(heading => heading.addEventListener('click', () => {
  const column = heading.cellIndex;
  const turned = heading.dataset.sorted === 'up' ? -1 : 1;
  heading.parentNode.querySelectorAll('th').forEach(other => delete other.dataset.sorted);
  heading.dataset.sorted = turned === 1 ? 'up' : 'down';
  const body = heading.closest('table').tBodies[0];
  [...body.rows]
    .sort((a, b) => order(value(a.cells[column]), value(b.cells[column]), turned))
    .forEach(row => body.append(row));
}));
";

/// What was claimed comes before the tables, unless the report opens with pictures of its own: then it comes last.
fn claims(report: &Report) -> String {
    match report.claims.is_empty() {
        true => String::new(),
        false => section(&claims_sheet(&report.claims)),
    }
}

fn picture(caption: &str, bytes: &[u8]) -> String {
    let kind = if bytes.starts_with(b"GIF") {
        "gif"
    } else {
        "png"
    };
    let caption = escape(caption);
    format!(
        "<figure><img alt=\"{caption}\" src=\"data:image/{kind};base64,{}\"><figcaption>{caption}</figcaption></figure>",
        base64(bytes)
    )
}

fn section(sheet: &Sheet) -> String {
    format!(
        "<h2>{}</h2>\n{}{}",
        escape(&sheet.title),
        sheet.to_html(),
        note(&sheet.note)
    )
}

fn note(text: &str) -> String {
    match text.trim() {
        "" => String::new(),
        text => format!("<p class=\"note\">{}</p>\n", escape(text)),
    }
}

/// Bytes in the letters that web pages can carry.
fn base64(bytes: &[u8]) -> String {
    const LETTERS: &[u8; 64] = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    let mut text = String::with_capacity(bytes.len().div_ceil(3) * 4);
    for group in bytes.chunks(3) {
        let byte = |i: usize| u32::from(group.get(i).copied().unwrap_or(0));
        let bits = byte(0) << 16 | byte(1) << 8 | byte(2);
        for i in 0..4 {
            if i <= group.len() {
                let six = bits >> (18 - 6 * i) & 63;
                text.push(char::from(LETTERS[six as usize]));
            } else {
                text.push('=');
            }
        }
    }
    text
}

#[cfg(test)]
mod tests {
    use super::base64;

    #[test]
    fn bytes_become_letters() {
        assert_eq!(base64(b""), "");
        assert_eq!(base64(b"M"), "TQ==");
        assert_eq!(base64(b"Ma"), "TWE=");
        assert_eq!(base64(b"Man"), "TWFu");
        assert_eq!(base64(&[255, 254, 0, 1]), "//4AAQ==");
    }
}
