//! Tables for terminals: columns as wide as their widest cell, numbers to the right.

/// Where the cells of a column stand.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Align {
    /// Words.
    Left,
    /// Numbers.
    Right,
}

/// Rows of texts under headings.
#[derive(Clone, Debug)]
pub struct Table {
    columns: Vec<(String, Align)>,
    rows: Vec<Vec<String>>,
}

impl Table {
    /// A table with these headings and no rows.
    pub fn new(columns: &[(&str, Align)]) -> Table {
        Table {
            columns: columns.iter().map(|(h, a)| (h.to_string(), *a)).collect(),
            rows: Vec::new(),
        }
    }

    /// Adds a row; missing cells are empty.
    pub fn row(&mut self, cells: impl IntoIterator<Item = String>) {
        let mut row: Vec<String> = cells.into_iter().take(self.columns.len()).collect();
        row.resize(self.columns.len(), String::new());
        self.rows.push(row);
    }

    /// The same table for a Markdown page.
    pub fn to_markdown(&self) -> String {
        let line = |cells: Vec<&str>| format!("| {} |\n", cells.join(" | "));
        let mut text = line(self.columns.iter().map(|(h, _)| h.as_str()).collect());
        text += &line(
            self.columns
                .iter()
                .map(|(_, align)| match align {
                    Align::Left => "---",
                    Align::Right => "--:",
                })
                .collect(),
        );
        for row in &self.rows {
            text += &line(row.iter().map(String::as_str).collect());
        }
        text
    }
}

impl std::fmt::Display for Table {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let widths: Vec<usize> = (0..self.columns.len())
            .map(|c| {
                let cells = self.rows.iter().map(|row| row[c].chars().count());
                cells
                    .chain([self.columns[c].0.chars().count()])
                    .max()
                    .unwrap_or(0)
            })
            .collect();
        let mut line = |cells: Vec<&str>| {
            let mut text = String::new();
            for (c, cell) in cells.into_iter().enumerate() {
                let gap = " ".repeat(widths[c] - cell.chars().count());
                if c > 0 {
                    text += "  ";
                }
                match self.columns[c].1 {
                    Align::Left => text += &format!("{cell}{gap}"),
                    Align::Right => text += &format!("{gap}{cell}"),
                }
            }
            writeln!(f, "{}", text.trim_end())
        };
        line(self.columns.iter().map(|(h, _)| h.as_str()).collect())?;
        let rules: Vec<String> = widths.iter().map(|&width| "-".repeat(width)).collect();
        line(rules.iter().map(String::as_str).collect())?;
        for row in &self.rows {
            line(row.iter().map(String::as_str).collect())?;
        }
        Ok(())
    }
}

/// A number with about three significant digits and no more: `0.12`, `3.4`, `56`, `7,890`.
pub fn short(value: f64) -> String {
    match value.abs() {
        0.0 => "0".to_string(),
        v if v < 1.0 => format!("{value:.2}"),
        v if v < 100.0 => format!("{value:.1}"),
        _ => grouped(value.round() as i64),
    }
}

/// A whole number with commas between thousands.
pub fn grouped(value: i64) -> String {
    let digits = value.unsigned_abs().to_string();
    let mut text = String::new();
    for (i, digit) in digits.chars().enumerate() {
        if i > 0 && (digits.len() - i).is_multiple_of(3) {
            text.push(',');
        }
        text.push(digit);
    }
    if value < 0 { format!("-{text}") } else { text }
}

/// Bytes as people read them: `812 B`, `4.1 kB`, `23 MB`.
pub fn bytes(value: u64) -> String {
    let units = ["B", "kB", "MB", "GB", "TB"];
    let mut amount = value as f64;
    let mut unit = 0;
    while amount >= 1000.0 && unit + 1 < units.len() {
        amount /= 1000.0;
        unit += 1;
    }
    let digits = usize::from(unit > 0 && amount < 10.0);
    format!("{amount:.digits$} {}", units[unit])
}

/// A time as people read it: `812 ns`, `4.1 µs`, `23 ms`, `1.5 s`.
pub fn time(value: std::time::Duration) -> String {
    let units = ["ns", "µs", "ms", "s"];
    let mut amount = value.as_nanos() as f64;
    let mut unit = 0;
    while amount >= 1000.0 && unit + 1 < units.len() {
        amount /= 1000.0;
        unit += 1;
    }
    let digits = usize::from(unit > 0 && amount < 10.0);
    match amount < 1000.0 {
        true => format!("{amount:.digits$} {}", units[unit]),
        false => format!("{} {}", grouped(amount.round() as i64), units[unit]),
    }
}

/// A percentile of so many samples, or a dash where too few of them lie beyond it: the value would be chance.
pub fn tail(value: f64, percent: f64, samples: u64) -> String {
    match has_tail(percent, samples) {
        true => short(value),
        false => "-".to_string(),
    }
}

/// Whether at least five of `count` samples lie beyond a percentile.
pub fn has_tail(percent: f64, samples: u64) -> bool {
    samples as f64 * (100.0 - percent) / 100.0 + 1e-9 >= 5.0
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn columns_line_up() {
        let mut table = Table::new(&[("name", Align::Left), ("n", Align::Right)]);
        table.row(["a".to_string(), "1,000".to_string()]);
        table.row(["longer".to_string(), "7".to_string()]);
        assert_eq!(
            table.to_string(),
            "name        n\n------  -----\na       1,000\nlonger      7\n"
        );
        assert!(
            table
                .to_markdown()
                .starts_with("| name | n |\n| --- | --: |\n")
        );
    }

    #[test]
    fn numbers_are_short() {
        assert_eq!(short(0.1234), "0.12");
        assert_eq!(short(12.34), "12.3");
        assert_eq!(short(1234.5), "1,235");
        assert_eq!(grouped(-1234567), "-1,234,567");
        assert_eq!(bytes(812), "812 B");
        assert_eq!(bytes(4096), "4.1 kB");
        assert_eq!(bytes(23_000_000), "23 MB");
        let times = [812, 4_100, 23_000_000, 1_500_000_000, 2_000_000_000_000];
        let texts = times.map(|ns| time(std::time::Duration::from_nanos(ns)));
        assert_eq!(texts, ["812 ns", "4.1 µs", "23 ms", "1.5 s", "2,000 s"]);
    }

    #[test]
    fn tails_of_few_samples_are_not_shown() {
        assert_eq!(tail(7.0, 95.0, 99), "-");
        assert_eq!(tail(7.0, 95.0, 100), "7.0");
        assert_eq!(tail(7.0, 99.0, 499), "-");
        assert_eq!(tail(7.0, 99.9, 5_000), "7.0");
    }
}
