//! Typing errors in the separators of specs: what was probably meant, and what is wrong.
//!
//! A spec is `NAME:KEY=VALUE,KEY=VALUE`, several have `;` between them. Whatever stands between the words of a text, names of algorithms
//! and keys say how it was meant.

use waypost::spec::{ALGORITHMS, AgentSpec, Algorithm};

/// A text of specs with its separators put right.
#[derive(Debug, PartialEq, Eq)]
pub struct Mended {
    /// As it was meant.
    pub text: String,
    /// How many algorithms it names.
    pub algorithms: usize,
    /// What was wrong first.
    wrong: &'static str,
}

const BETWEEN_ALGORITHMS: &str =
    "a comma parts the keys of one algorithm; expected `;` between algorithms";
const BEFORE_KEYS: &str = "expected `:` before the keys";
const BETWEEN_KEYS: &str = "keys are parted by commas";
const BEFORE_VALUE: &str = "expected `=` between key and value";
const IN_NUMBER: &str = "write numbers without commas";

impl Mended {
    /// What was probably meant by a text; none where its separators are right, or where putting them right does not help.
    pub fn of(text: &str) -> Option<Mended> {
        let mut mending = Mending::default();
        for (separators, word) in words(text) {
            mending.take(separators, word)?;
        }
        let wrong = mending.wrong?;
        let mut specs = mending.text.split(';');
        specs
            .all(|spec| AgentSpec::parse(spec).is_ok())
            .then_some(Mended {
                text: mending.text,
                algorithms: mending.algorithms,
                wrong,
            })
    }

    /// The error that says so.
    pub fn error(text: &str) -> Option<anyhow::Error> {
        let Mended {
            text: meant, wrong, ..
        } = Mended::of(text)?;
        let quoted = match meant.contains(';') {
            true => format!("'{meant}'"),
            false => meant,
        };
        Some(anyhow::anyhow!("--algo {text}: {wrong}: --algo {quoted}"))
    }
}

/// The words of a text, each with the separators before it.
fn words(text: &str) -> impl Iterator<Item = (&str, &str)> {
    let is_separator = |c: char| ":,;=".contains(c) || c.is_whitespace();
    let mut rest = text;
    std::iter::from_fn(move || {
        let begin = rest.find(|c| !is_separator(c))?;
        let end = rest[begin..]
            .find(is_separator)
            .map_or(rest.len(), |at| begin + at);
        let found = (rest[..begin].trim(), &rest[begin..end]);
        rest = &rest[end..];
        Some(found)
    })
}

/// What the word before was.
#[derive(Clone, Copy, Default, PartialEq)]
enum Before {
    #[default]
    Nothing,
    Name,
    Key,
    Value,
}

#[derive(Default)]
struct Mending {
    text: String,
    algorithm: Option<&'static Algorithm>,
    algorithms: usize,
    before: Before,
    wrong: Option<&'static str>,
}

impl Mending {
    /// Takes the next word; none where it is neither a name, nor a key, nor a value.
    fn take(&mut self, separators: &str, word: &str) -> Option<()> {
        let key = |algorithm: &Algorithm| algorithm.keys.iter().any(|(key, _)| *key == word);
        let named = ALGORITHMS.iter().find(|a| a.name == word);
        match (self.before, named) {
            (Before::Key, _) => self.put(separators, "=", BEFORE_VALUE, Before::Value),
            (Before::Nothing, Some(_)) => self.before = Before::Name,
            (Before::Name | Before::Value, _) if self.algorithm.is_some_and(key) => {
                let is_first = self.before == Before::Name;
                let (expected, wrong) = match is_first {
                    true => (":", BEFORE_KEYS),
                    false => (",", BETWEEN_KEYS),
                };
                self.put(separators, expected, wrong, Before::Key);
            }
            (Before::Name | Before::Value, Some(_)) => {
                self.put(separators, ";", BETWEEN_ALGORITHMS, Before::Name);
            }
            (Before::Value, None) if separators == "," && self.is_grouped(word) => {
                self.wrong = self.wrong.or(Some(IN_NUMBER));
            }
            _ => return None,
        }
        if let Some(algorithm) = named.filter(|_| self.before == Before::Name) {
            self.algorithm = Some(algorithm);
            self.algorithms += 1;
        }
        self.text += word;
        Some(())
    }

    fn put(&mut self, separators: &str, expected: &str, wrong: &'static str, before: Before) {
        // Separators that stand for nothing, such as `,,`, do no harm.
        if !separators.contains(expected) || separators.len() > 1 {
            self.wrong = self.wrong.or(Some(wrong));
        }
        self.text += expected;
        self.before = before;
    }

    /// Whether a word is the next three digits of the number before it.
    fn is_grouped(&self, word: &str) -> bool {
        let digits = |text: &str| text.chars().all(|c| c.is_ascii_digit());
        self.text.ends_with(|c: char| c.is_ascii_digit()) && word.len() == 3 && digits(word)
    }
}

/// A number as it was meant, where it is written in groups with commas.
pub fn ungrouped(text: &str) -> Option<String> {
    let mut groups = text.split(',');
    let digits = |group: &str| !group.is_empty() && group.chars().all(|c| c.is_ascii_digit());
    let first = groups
        .next()
        .filter(|first| digits(first) && first.len() <= 3)?;
    let rest: Vec<&str> = groups.collect();
    let whole = !rest.is_empty() && rest.iter().all(|group| digits(group) && group.len() == 3);
    whole.then(|| format!("{first}{}", rest.concat()))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn meant(text: &str) -> Option<(String, &'static str)> {
        Mended::of(text).map(|mended| (mended.text, mended.wrong))
    }

    #[test]
    fn separators_are_put_right() {
        for (given, text, wrong) in [
            ("astar,tba", "astar;tba", BETWEEN_ALGORITHMS),
            ("astar tba", "astar;tba", BETWEEN_ALGORITHMS),
            (
                "tba:slice=50,lrta:gmax=2,weight=1, astar",
                "tba:slice=50;lrta:gmax=2,weight=1;astar",
                BETWEEN_ALGORITHMS,
            ),
            ("tba:slice:50", "tba:slice=50", BEFORE_VALUE),
            ("tba,slice=50", "tba:slice=50", BEFORE_KEYS),
            ("tba slice=50", "tba:slice=50", BEFORE_KEYS),
            (
                "tba:slice=50;idle=back",
                "tba:slice=50,idle=back",
                BETWEEN_KEYS,
            ),
            (
                "tba:slice=50 idle=back",
                "tba:slice=50,idle=back",
                BETWEEN_KEYS,
            ),
            ("tba:slice=1,000", "tba:slice=1000", IN_NUMBER),
        ] {
            assert_eq!(meant(given), Some((text.to_string(), wrong)), "{given}");
        }
    }

    #[test]
    fn what_is_right_or_cannot_be_mended_is_left_alone() {
        for text in [
            "tba",
            "astar;tba:slice=50",
            "astra,tba",
            "tba:slice=50,speed=2",
            "tba:slice",
            "",
        ] {
            assert_eq!(meant(text), None, "{text}");
        }
    }

    #[test]
    fn grouped_numbers_are_known() {
        assert_eq!(ungrouped("1,000").as_deref(), Some("1000"));
        assert_eq!(ungrouped("16,777,216").as_deref(), Some("16777216"));
        for text in ["1000", "1,00", "10,12", "a,000", ",000", "1234,000", ""] {
            assert_eq!(ungrouped(text), None, "{text}");
        }
    }
}
