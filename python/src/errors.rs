//! What goes wrong, in words, before it becomes an exception: work without the interpreter has to say it too.

use pyo3::PyErr;
use pyo3::exceptions::{PyKeyboardInterrupt, PyOSError, PyRuntimeError, PyTypeError, PyValueError};
use std::fmt::Display;
use std::path::Path;

/// Why a call failed.
#[derive(Debug)]
pub enum Failure {
    /// A value that cannot be: `ValueError`.
    Value(String),
    /// A value of another type: `TypeError`.
    Type(String),
    /// A file: `OSError` of its own kind.
    Os(std::io::Error, String),
    /// Stopped from outside: `KeyboardInterrupt`, unless the caller knows better.
    Cancelled,
    /// A handle in use, or a mistake of ours: `RuntimeError`.
    State(String),
}

/// What a call gives.
pub type Outcome<T> = Result<T, Failure>;

impl Failure {
    /// A value that cannot be.
    pub fn value(error: impl Display) -> Failure {
        Failure::Value(error.to_string())
    }

    /// What is wrong with a file's contents.
    pub fn of_file(path: &Path, error: impl Display) -> Failure {
        Failure::Value(format!("{}: {error}", path.display()))
    }
}

impl From<Failure> for PyErr {
    fn from(failure: Failure) -> PyErr {
        match failure {
            Failure::Value(text) => PyValueError::new_err(text),
            Failure::Type(text) => PyTypeError::new_err(text),
            Failure::State(text) => PyRuntimeError::new_err(text),
            Failure::Cancelled => PyKeyboardInterrupt::new_err("the work was cancelled"),
            Failure::Os(error, path) => {
                let number = error.raw_os_error();
                let text = error.to_string();
                // With number and name Python makes it a FileNotFoundError, a PermissionError and so on.
                match number {
                    Some(number) => PyOSError::new_err((number, text, path)),
                    None => PyOSError::new_err(format!("{path}: {text}")),
                }
            }
        }
    }
}

impl From<waypost::Error> for Failure {
    fn from(error: waypost::Error) -> Failure {
        match error {
            waypost::Error::Cancelled => Failure::Cancelled,
            other => Failure::value(other),
        }
    }
}

impl From<waypost::index::BuildError> for Failure {
    fn from(error: waypost::index::BuildError) -> Failure {
        match error {
            waypost::index::BuildError::Cancelled => Failure::Cancelled,
            other => Failure::value(other),
        }
    }
}

/// The bytes of a file.
pub fn read(path: &Path) -> Outcome<Vec<u8>> {
    std::fs::read(path).map_err(|error| Failure::Os(error, path.display().to_string()))
}

/// Refuses what cannot be the place of a file: a folder, or one in a folder that is not there. Said before the work, not after it.
pub fn can_write(path: &Path) -> Outcome<()> {
    let refused = |kind: std::io::ErrorKind, number: i32, at: &Path| {
        let error = match cfg!(unix) {
            true => std::io::Error::from_raw_os_error(number),
            false => kind.into(),
        };
        Err(Failure::Os(error, at.display().to_string()))
    };
    let folder = path
        .parent()
        .filter(|folder| !folder.as_os_str().is_empty());
    match folder.filter(|folder| !folder.is_dir()) {
        Some(folder) => refused(std::io::ErrorKind::NotFound, 2, folder),
        None if path.is_dir() => refused(std::io::ErrorKind::IsADirectory, 21, path),
        None => Ok(()),
    }
}

/// Writes a file whole or not at all: beside its place first.
pub fn write(path: &Path, bytes: &[u8]) -> Outcome<()> {
    let mut beside = path.as_os_str().to_owned();
    beside.push(format!(".{}.tmp", std::process::id()));
    let beside = Path::new(&beside);
    let written = std::fs::write(beside, bytes).and_then(|()| std::fs::rename(beside, path));
    written.map_err(|error| {
        let _ = std::fs::remove_file(beside);
        Failure::Os(error, path.display().to_string())
    })
}
