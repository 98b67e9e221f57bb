//! What a command has to say, and how it ends.

use serde_json::Value;
use std::io::{ErrorKind, Write};
use std::process::ExitCode;

/// Exit code of a negative answer: no path, a check failed.
const NEGATIVE: u8 = 1;
/// Exit code of bad usage and bad input.
pub const BAD_INPUT: u8 = 2;

/// The result of a command, for people and for scripts.
pub struct Report {
    /// `None` where all was said already.
    json: Option<Value>,
    text: String,
    negative: bool,
}

impl Report {
    /// A command that did what it was asked.
    pub fn done(json: Value, text: impl Into<String>) -> Report {
        Report {
            json: Some(json),
            text: text.into(),
            negative: false,
        }
    }

    /// A command that has said all that it had to say.
    pub fn said() -> Report {
        Report {
            json: None,
            text: String::new(),
            negative: false,
        }
    }

    /// A command whose answer is no where `negative` is true.
    pub fn answer(json: Value, text: impl Into<String>, negative: bool) -> Report {
        Report {
            negative,
            ..Report::done(json, text)
        }
    }

    /// Prints one of the two forms and gives the exit code. A reader that has gone away is no error.
    pub fn print(self, json: bool) -> anyhow::Result<ExitCode> {
        let mut text = if json {
            self.json.map_or(String::new(), |json| json.to_string())
        } else {
            self.text
        };
        if !text.is_empty() && !text.ends_with('\n') {
            text.push('\n');
        }
        let mut out = std::io::stdout().lock();
        match out.write_all(text.as_bytes()).and_then(|()| out.flush()) {
            Err(error) if error.kind() != ErrorKind::BrokenPipe => {
                anyhow::bail!("standard output: {error}")
            }
            _ => Ok(ExitCode::from(if self.negative { NEGATIVE } else { 0 })),
        }
    }
}

/// A message without line breaks.
pub fn one_line(message: &str) -> String {
    let parts: Vec<&str> = message.lines().map(str::trim).collect();
    parts.join(" ").trim().to_string()
}

/// A note for people on standard error.
pub fn note(message: &str) {
    eprintln!("note: {message}");
}
