//! Which files a command reads and writes, known by what they are and not by their names: a link, another spelling of the
//! path or a redirection leads to the same file.

use anyhow::{Result, bail};
use std::fs::Metadata;
use std::path::{Path, PathBuf};
use std::sync::Mutex;

/// What a command does with a file.
#[derive(Clone, Copy, PartialEq, Eq)]
pub enum Use {
    /// It is an input.
    Read,
    /// It is an output.
    Write,
}

/// A file, whatever it is called.
#[derive(Clone, Debug, PartialEq, Eq)]
enum Identity {
    /// Device and number within it.
    #[cfg(unix)]
    Number(u64, u64),
    /// Where it is, or will be: links resolved as far as there is something.
    Path(PathBuf),
}

/// One process is one command: the files that it uses, as they were given.
static USED: Mutex<Vec<(Identity, Use, PathBuf)>> = Mutex::new(Vec::new());

/// Notes that a file is used; refuses an output that is an input, or another output.
pub fn note_use(path: &Path, role: Use) -> Result<()> {
    let Some(identity) = identity_of(path) else {
        return Ok(());
    };
    let mut used = USED.lock().unwrap_or_else(|poisoned| poisoned.into_inner());
    let clash = used
        .iter()
        .find(|(other, other_role, _)| *other == identity && (role, *other_role) != BOTH_READ);
    if let Some((_, other_role, other)) = clash {
        let outputs = role == Use::Write && *other_role == Use::Write;
        let what = if outputs {
            "two outputs of one command"
        } else {
            "an input and an output of one command"
        };
        bail!(
            "{} and {} are the same file, and {what}; write to another file",
            other.display(),
            path.display()
        );
    }
    used.push((identity, role, path.to_path_buf()));
    Ok(())
}

const BOTH_READ: (Use, Use) = (Use::Read, Use::Read);

/// `None` for devices and pipes: they keep nothing that could be lost.
fn identity_of(path: &Path) -> Option<Identity> {
    let place = if path == Path::new("-") {
        Path::new("/dev/stdin")
    } else {
        path
    };
    match std::fs::metadata(place) {
        Ok(about) => about.is_file().then(|| of_file(place, &about)),
        Err(_) => Some(Identity::Path(resolved(place))),
    }
}

#[cfg(unix)]
fn of_file(_: &Path, about: &Metadata) -> Identity {
    use std::os::unix::fs::MetadataExt;
    Identity::Number(about.dev(), about.ino())
}

#[cfg(not(unix))]
fn of_file(path: &Path, _: &Metadata) -> Identity {
    Identity::Path(resolved(path))
}

/// The most links that lead from one to the next.
pub const MAX_LINKS: usize = 40;

/// Where a path leads, a last link that leads to nothing yet included.
pub fn resolved(path: &Path) -> PathBuf {
    let mut place = path.to_path_buf();
    for _ in 0..MAX_LINKS {
        let folder = folder_of(&place);
        let folder = folder.canonicalize().unwrap_or(folder);
        if let Some(name) = place.file_name() {
            place = folder.join(name);
        }
        match place.read_link() {
            Ok(target) => place = folder.join(target),
            Err(_) => break,
        }
    }
    place
}

/// The folder that holds a file.
pub fn folder_of(path: &Path) -> PathBuf {
    match path.parent() {
        Some(folder) if folder != Path::new("") => folder.to_path_buf(),
        _ => PathBuf::from("."),
    }
}
