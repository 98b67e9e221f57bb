//! Commands that are printed for the user to run.

use std::path::Path;

/// How this program was called: its name, or the way to it where it lies in no folder that the shell searches.
pub fn program() -> String {
    let called = std::env::args_os()
        .next()
        .unwrap_or_else(|| "waypost".into());
    let called = Path::new(&called);
    let here = std::env::current_dir().unwrap_or_default();
    word(called.strip_prefix(&here).unwrap_or(called))
}

/// A path as one word of a command.
pub fn word(path: &Path) -> String {
    let text = path.display().to_string();
    let plain = |c: char| c.is_ascii_alphanumeric() || "_-./:=,+@%".contains(c) || !c.is_ascii();
    match !text.is_empty() && text.chars().all(plain) {
        true => text,
        false => format!("'{}'", text.replace('\'', r"'\''")),
    }
}

#[cfg(test)]
mod tests {
    use super::word;
    use std::path::Path;

    #[test]
    fn words_survive_the_shell() {
        let words = ["a/b.map", "my maps", "it's", ""].map(|text| word(Path::new(text)));
        assert_eq!(words, ["a/b.map", "'my maps'", r"'it'\''s'", "''"]);
    }
}
