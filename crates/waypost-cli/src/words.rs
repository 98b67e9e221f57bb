//! Numbers and errors in words of people.

use waypost_lab::table::grouped;

/// So many of something, which is one or many.
pub fn count(number: u64, what: &str) -> String {
    let end = if number == 1 { "" } else { "s" };
    format!("{} {what}{end}", grouped(number as i64))
}

/// A length or a cost, with four decimals.
pub fn length(value: f64) -> String {
    let text = format!("{value:.4}");
    match text.split_once('.') {
        Some((whole, decimals)) => match whole.parse() {
            Ok(whole) => format!("{}.{decimals}", grouped(whole)),
            Err(_) => text,
        },
        None => text,
    }
}

/// What texts of the engine count.
const COUNTED: [&str; 11] = [
    "agents", "bytes", "cells", "corners", "frames", "moves", "on", "passable", "pixels",
    "problems", "records",
];

/// A text of the engine with its large numbers in groups: those that count something, not those that name a port, a line or a seed, nor those of
/// sizes, flags and commands.
pub fn with_groups(text: &str) -> String {
    let words: Vec<&str> = text.split(' ').collect();
    let mut quoted = false;
    let shown = words.iter().enumerate().map(|(at, word)| {
        let before = at.checked_sub(1).map_or("", |at| words[at]);
        let after = words.get(at + 1).copied().unwrap_or("");
        quoted ^= word.matches('`').count() % 2 == 1;
        let is_other = quoted || before.starts_with("--") || before == "x" || after == "x";
        let number = word.trim_end_matches([',', ';', ':', '.', ')']);
        let digits = number.bytes().all(|b| b.is_ascii_digit());
        let counts = COUNTED.contains(&after) || ["most", "about"].contains(&before);
        match number.parse() {
            Ok(value) if digits && counts && !is_other => grouped(value) + &word[number.len()..],
            _ => word.to_string(),
        }
    });
    shown.collect::<Vec<_>>().join(" ")
}

/// Parameters of indexes that are numbers and count nothing: a year, the seed of a generator.
const NAMED: [&str; 2] = ["method", "seed"];

/// The value of a parameter or a fact of an index: a number in groups where it counts something, or a text with groups in it.
pub fn fact(key: &str, value: &str) -> String {
    let counts = value.bytes().all(|b| b.is_ascii_digit()) && !NAMED.contains(&key);
    match value.parse() {
        Ok(number) if counts => grouped(number),
        _ => with_groups(value),
    }
}

/// An error with its causes in one line: no cause twice, no numbers of the operating system's.
pub fn error(error: &anyhow::Error) -> String {
    let mut line = String::new();
    for cause in error.chain() {
        let cause = cause.to_string();
        let cause = without_number(&cause);
        if line.contains(cause) {
            continue;
        }
        if !line.is_empty() {
            line += ": ";
        }
        line += cause;
    }
    with_groups(&line)
}

/// The message of the operating system without its number.
fn without_number(message: &str) -> &str {
    match message.rsplit_once(" (os error ") {
        Some((words, rest)) if rest.ends_with(')') => words,
        _ => message,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_are_grouped_where_they_are_numbers() {
        assert_eq!(count(1, "passable cell"), "1 passable cell");
        assert_eq!(count(69_299, "passable cell"), "69,299 passable cells");
        assert_eq!(fact("records", "2434"), "2,434");
        assert_eq!(fact("chosen", "labels"), "labels");
        assert_eq!(fact("method", "2010"), "2010", "a year");
        assert_eq!(fact("seed", "12345"), "12345");
        assert_eq!(length(1166.97093), "1,166.9709");
        assert_eq!(length(5.0), "5.0000");
        for (given, grouped) in [
            (
                "2434 corners on 69299 cells stay within 67108864 bytes",
                "2,434 corners on 69,299 cells stay within 67,108,864 bytes",
            ),
            ("expected at most 8192; ask", "expected at most 8,192; ask"),
            ("level12345.map: 12345x12345", "level12345.map: 12345x12345"),
            ("build it with `x --records 60000 -o y 70000` again", ""),
            ("give --max-bytes 50000000 or less", ""),
            ("expected 2009 or 2010", ""),
            ("a map of 70000 x 5 cells", ""),
            ("127.0.0.1 port 33221: expected a free port", ""),
            ("line 12345: expected a row", ""),
        ] {
            let expected = if grouped.is_empty() { given } else { grouped };
            assert_eq!(with_groups(given), expected);
        }
    }

    #[test]
    fn errors_say_nothing_twice() {
        let cause = std::io::Error::from_raw_os_error(2);
        let missing = anyhow::Error::from(cause).context("nix.map");
        let said = error(&missing);
        assert!(said.starts_with("nix.map: "), "{said}");
        assert!(!said.contains("os error"), "{said}");
        let twice =
            anyhow::anyhow!("the end").context("e.png: cannot be read: the end; save it again");
        assert_eq!(
            error(&twice),
            "e.png: cannot be read: the end; save it again"
        );
    }
}
