//! Tables as reports have them: shown as text, Markdown, HTML and CSV alike.

use crate::plot::escape;
use crate::table::{Align, Table};

/// What a cell says beyond its text.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Tone {
    /// Nothing.
    #[default]
    Plain,
    /// As it should be.
    Good,
    /// Not as it should be.
    Bad,
    /// Not to be looked at first.
    Faint,
}

/// A cell.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Entry {
    /// For people.
    pub text: String,
    /// For programs; the same as the text where it is missing.
    pub raw: Option<String>,
    /// Whether it is good.
    pub tone: Tone,
    /// The number is a lower bound.
    pub lower_bound: bool,
    /// The first cell of the row that a reader looks for.
    pub is_default: bool,
}

impl Entry {
    /// A text.
    pub fn text(text: impl Into<String>) -> Entry {
        Entry {
            text: text.into(),
            ..Entry::default()
        }
    }

    /// A number with three digits for people and all of them for programs; nothing where there is none.
    pub fn number(value: Option<f64>) -> Entry {
        match value {
            None => Entry::default(),
            Some(value) => Entry {
                text: figure(value),
                raw: Some(value.to_string()),
                ..Entry::default()
            },
        }
    }

    /// What programs read.
    pub fn plain(&self) -> &str {
        self.raw.as_deref().unwrap_or(&self.text)
    }

    /// In another tone.
    pub fn toned(mut self, tone: Tone) -> Entry {
        self.tone = tone;
        self
    }

    /// A number that the true one is not below, if so.
    pub fn bounded(mut self, lower_bound: bool) -> Entry {
        if lower_bound && !self.text.is_empty() {
            self.text.insert_str(0, "≥ ");
            self.lower_bound = true;
        }
        self
    }

    /// With something after its text.
    pub fn followed_by(mut self, after: &str) -> Entry {
        self.text += after;
        self
    }
}

/// The heading of a column.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Heading {
    /// For people.
    pub text: String,
    /// What the column belongs to, for programs: several columns of a table may say `ours`.
    pub group: String,
    /// Numbers stand to the right.
    pub is_number: bool,
}

/// A table of a report.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Sheet {
    /// The name of its CSV file.
    pub id: String,
    /// Its title.
    pub title: String,
    /// A remark.
    pub note: String,
    /// Headings.
    pub columns: Vec<Heading>,
    /// Cells.
    pub rows: Vec<Vec<Entry>>,
}

impl Sheet {
    /// An empty table.
    pub fn new(id: &str, title: &str, note: &str) -> Sheet {
        Sheet {
            id: id.to_string(),
            title: title.to_string(),
            note: note.to_string(),
            ..Sheet::default()
        }
    }

    /// One more column of words.
    pub fn words(&mut self, heading: &str) {
        self.column("", heading, false);
    }

    /// One more column of numbers.
    pub fn numbers(&mut self, heading: &str) {
        self.column("", heading, true);
    }

    /// One more column of numbers, one of a group.
    pub fn numbers_of(&mut self, group: &str, heading: &str) {
        self.column(group, heading, true);
    }

    fn column(&mut self, group: &str, heading: &str, is_number: bool) {
        self.columns.push(Heading {
            text: heading.to_string(),
            group: group.to_string(),
            is_number,
        });
    }

    /// For terminals and Markdown pages.
    pub fn to_table(&self) -> Table {
        let columns: Vec<(&str, Align)> = self
            .columns
            .iter()
            .map(|heading| {
                let align = match heading.is_number {
                    true => Align::Right,
                    false => Align::Left,
                };
                (heading.text.as_str(), align)
            })
            .collect();
        let mut table = Table::new(&columns);
        for row in &self.rows {
            table.row(row.iter().map(|entry| entry.text.clone()));
        }
        table
    }

    /// For Markdown pages: upright lines in cells would end them.
    pub fn to_markdown(&self) -> String {
        let mut safe = self.clone();
        let cells = safe.rows.iter_mut().flatten();
        cells.for_each(|entry| entry.text = entry.text.replace('|', "\\|"));
        safe.to_table().to_markdown()
    }

    /// For other programs, with all digits.
    pub fn to_csv(&self) -> String {
        let line = |cells: &[String]| {
            let quoted: Vec<String> = cells.iter().map(|cell| csv(cell)).collect();
            quoted.join(",") + "\n"
        };
        let (headings, rows) = self.for_programs();
        line(&headings) + &rows.iter().map(|row| line(row)).collect::<String>()
    }

    /// Headings, no two of them alike, and cells with all digits. A column with lower bounds has one behind it that marks them.
    pub fn for_programs(&self) -> (Vec<String>, Vec<Vec<String>>) {
        let bounded = |column: usize| {
            let mut cells = self.rows.iter().filter_map(|row| row.get(column));
            cells.any(|entry| entry.lower_bound)
        };
        let mut headings: Vec<String> = Vec::new();
        for (i, heading) in self.columns.iter().enumerate() {
            let name = match heading.group.as_str() {
                "" => heading.text.clone(),
                group => format!("{group}: {}", heading.text),
            };
            let alike = headings.iter().filter(|other| **other == name).count();
            let name = match alike {
                0 => name,
                _ => format!("{name} (column {})", i + 1),
            };
            let mark = format!("{name}: is a lower bound");
            headings.push(name);
            headings.extend(bounded(i).then_some(mark));
        }
        let cells = |row: &Vec<Entry>| {
            let mut cells = Vec::new();
            for (i, entry) in row.iter().enumerate() {
                cells.push(entry.plain().to_string());
                if bounded(i) {
                    cells.push(if entry.lower_bound { "yes" } else { "no" }.to_string());
                }
            }
            cells
        };
        (headings, self.rows.iter().map(cells).collect())
    }

    /// For web pages.
    pub fn to_html(&self) -> String {
        let mut html = String::from("<div class=\"wide\"><table>\n<thead><tr>");
        let class = |right: bool| if right { " class=\"n\"" } else { "" };
        for heading in &self.columns {
            let class = class(heading.is_number);
            html += &format!("<th{class}>{}</th>", escape(&heading.text));
        }
        html += "</tr></thead>\n<tbody>\n";
        for row in &self.rows {
            let is_default = row.first().is_some_and(|entry| entry.is_default);
            html += if is_default {
                "<tr class=\"default\">"
            } else {
                "<tr>"
            };
            for (entry, heading) in row.iter().zip(&self.columns) {
                let tone = match entry.tone {
                    Tone::Plain => "",
                    Tone::Good => " good",
                    Tone::Bad => " bad",
                    Tone::Faint => " faint",
                };
                let side = if heading.is_number { "n" } else { "w" };
                html += &format!("<td class=\"{side}{tone}\">{}</td>", escape(&entry.text));
            }
            html += "</tr>\n";
        }
        html + "</tbody></table></div>\n"
    }
}

fn csv(text: &str) -> String {
    if text.contains([',', '"', '\n', '\r']) {
        format!("\"{}\"", text.replace('"', "\"\""))
    } else {
        text.to_string()
    }
}

/// A number with three significant digits and commas between thousands: `0.00308`, `12.8`, `6,852`.
pub fn figure(value: f64) -> String {
    if value == 0.0 || !value.is_finite() {
        return value.to_string();
    }
    let size = value.abs();
    if size >= 1000.0 {
        return crate::table::grouped(value.round() as i64);
    }
    if size < 1e-6 {
        return format!("{value:.1e}");
    }
    if value.fract() == 0.0 {
        return format!("{value}");
    }
    let digits = (2 - size.log10().floor() as i32).max(0) as usize;
    format!("{value:.digits$}")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn one_table_in_four_forms() {
        let mut sheet = Sheet::new("t", "Title", "");
        sheet.words("name, or so");
        sheet.numbers("value");
        sheet.rows.push(vec![
            Entry::text("a|b <c>"),
            Entry::number(Some(1234.5678)).toned(Tone::Bad),
        ]);
        sheet
            .rows
            .push(vec![Entry::text("none"), Entry::number(None)]);
        assert_eq!(
            sheet.to_csv(),
            "\"name, or so\",value\na|b <c>,1234.5678\nnone,\n"
        );
        assert!(sheet.to_markdown().contains("| a\\|b <c> | 1,235 |"));
        assert!(sheet.to_html().contains("<td class=\"n bad\">1,235</td>"));
        assert!(sheet.to_html().contains("a|b &lt;c&gt;"));
    }

    #[test]
    fn programs_get_headings_of_their_own_and_marks_of_bounds() {
        let mut sheet = Sheet::new("t", "Title", "");
        sheet.numbers_of("time", "ours");
        sheet.numbers_of("length", "ours");
        sheet.numbers("twice");
        sheet.numbers("twice");
        let number = |value| Entry::number(Some(value));
        sheet.rows.push(vec![
            number(1.0),
            number(2.5).bounded(true),
            number(3.0),
            number(4.0),
        ]);
        assert_eq!(
            sheet.to_csv(),
            "time: ours,length: ours,length: ours: is a lower bound,twice,twice (column 4)\n1,2.5,yes,3,4\n"
        );
        assert!(sheet.to_html().contains("≥ 2.50"));
    }

    #[test]
    fn figures_have_three_digits() {
        let texts = [0.00308, 12.77, 6851.62, 0.5, 100.0, 1.0, -3.1462].map(figure);
        assert_eq!(
            texts,
            ["0.00308", "12.8", "6,852", "0.500", "100", "1", "-3.15"]
        );
        assert_eq!(figure(0.0), "0");
    }
}
