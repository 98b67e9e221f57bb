//! Runs the binary in a folder of its own.

use serde_json::Value;
use std::ffi::OsStr;
use std::path::{Path, PathBuf};
use std::process::Command;

/// What a run of the binary left behind.
pub struct Ran {
    pub code: Option<i32>,
    pub stdout: String,
    pub stderr: String,
}

/// A folder that is removed with all files in it.
pub struct Place {
    folder: tempfile::TempDir,
}

/// The binary under test.
pub fn binary() -> &'static str {
    env!("CARGO_BIN_EXE_waypost")
}

impl Place {
    pub fn new() -> Place {
        Place {
            folder: tempfile::tempdir().expect("a temporary folder"),
        }
    }

    pub fn path(&self, name: &str) -> PathBuf {
        self.folder.path().join(name)
    }

    pub fn write(&self, name: &str, bytes: impl AsRef<[u8]>) -> PathBuf {
        let path = self.path(name);
        std::fs::write(&path, bytes).expect("a file in the temporary folder");
        path
    }

    pub fn read(&self, name: &str) -> Vec<u8> {
        std::fs::read(self.path(name)).unwrap_or_else(|error| panic!("{name}: {error}"))
    }

    /// The names of all files, sorted.
    pub fn names(&self) -> Vec<String> {
        let mut names: Vec<String> = std::fs::read_dir(self.folder.path())
            .expect("the temporary folder")
            .map(|entry| {
                entry
                    .expect("an entry")
                    .file_name()
                    .into_string()
                    .expect("a name")
            })
            .collect();
        names.sort();
        names
    }

    /// The names of those that are no folders, sorted.
    pub fn files(&self) -> Vec<String> {
        let mut names = self.names();
        names.retain(|name| self.path(name).is_file());
        names
    }

    /// The command in this folder, ready to run.
    pub fn command<S: AsRef<OsStr>>(&self, arguments: impl IntoIterator<Item = S>) -> Command {
        let mut command = Command::new(binary());
        command.args(arguments).current_dir(self.folder.path());
        command
    }

    /// Runs with arguments split at spaces.
    pub fn run(&self, line: &str) -> Ran {
        Ran::of(&mut self.command(line.split_whitespace()))
    }

    /// Runs and expects success.
    pub fn done(&self, line: &str) -> Ran {
        let ran = self.run(line);
        assert_eq!(ran.code, Some(0), "waypost {line}\n{}", ran.stderr);
        ran
    }

    /// Runs with `--json`, expects success, and reads the document.
    pub fn json(&self, line: &str) -> Value {
        self.done(&format!("{line} --json")).json()
    }

    /// Runs and expects exit code 2, nothing on standard output and one line on standard error.
    pub fn refused(&self, line: &str) -> String {
        let ran = self.run(line);
        ran.assert_refused(line);
        ran.stderr.trim_end().to_string()
    }

    /// A small cave map with walls, nooks and one component, `m.map`.
    pub fn with_map() -> Place {
        let place = Place::new();
        place.done("gen caves --width 60 --height 40 --seed 5 -o m.map");
        place
    }
}

impl Ran {
    pub fn of(command: &mut Command) -> Ran {
        let output = command.output().expect("the binary runs");
        Ran {
            code: output.status.code(),
            stdout: String::from_utf8(output.stdout).expect("text"),
            stderr: String::from_utf8(output.stderr).expect("text"),
        }
    }

    pub fn json(&self) -> Value {
        serde_json::from_str(&self.stdout)
            .unwrap_or_else(|error| panic!("{error}: {}", self.stdout))
    }

    pub fn assert_refused(&self, what: &str) {
        assert_eq!(self.code, Some(2), "{what}\n{}{}", self.stdout, self.stderr);
        assert_eq!(self.stdout, "", "{what}");
        assert!(
            self.stderr.starts_with("error: "),
            "{what}\n{}",
            self.stderr
        );
        assert_eq!(self.stderr.lines().count(), 1, "{what}\n{}", self.stderr);
    }
}

/// Whether the text holds all of these.
#[track_caller]
pub fn assert_says(text: &str, words: &[&str]) {
    for word in words {
        assert!(text.contains(word), "`{word}` is missing in: {text}");
    }
}

/// The names in a list that `algorithms` or `indexes` prints.
pub fn listed(place: &Place, what: &str) -> Vec<String> {
    let names: Vec<String> = place.json(what)[what]
        .as_array()
        .expect("a list")
        .iter()
        .map(|entry| entry["name"].as_str().expect("a name").to_string())
        .collect();
    assert!(!names.is_empty());
    names
}

/// The length of a file.
pub fn length_of(path: &Path) -> u64 {
    std::fs::metadata(path).map_or(0, |metadata| metadata.len())
}
