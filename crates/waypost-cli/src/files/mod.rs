//! Files in and out.
//!
//! What is read is limited, so that a device without an end takes no more memory than a file. What is read is never
//! written by the same command: [`identity`] compares the files themselves, whatever names lead to them. Outputs appear
//! whole or not at all ([`output`]).

mod identity;
mod output;
mod signals;
mod temporary;

pub use identity::{Use, note_use};
pub use output::Output;

use crate::mapped;
use anyhow::{Context, Result, bail};
use std::fs::File;
use std::io::{ErrorKind, Read};
use std::path::{Path, PathBuf};
use waypost::artifact::Artifact;
use waypost::index::INDEX_TYPES;
use waypost::names::nearest;

/// The longest file that is read into memory: the text of the largest map with long line ends, and some.
pub const MAX_FILE_BYTES: u64 = 4_000_000_000;
/// The most bytes read from standard input, a pipe or a device, which do not say how long they are.
pub const MAX_STREAM_BYTES: u64 = 512_000_000;

/// The bytes of a file, or of standard input for `-`.
pub fn read(path: &Path) -> Result<Vec<u8>> {
    note_use(path, Use::Read)?;
    let named = || name_of(path);
    if path == Path::new("-") {
        return read_stream(std::io::stdin().lock(), &named());
    }
    if path.is_dir() {
        bail!("{}: expected a file, got a folder", path.display());
    }
    let file = open(path)?;
    let about = file.metadata().with_context(named)?;
    if about.is_file() && about.len() > 0 {
        return read_file(file, about.len(), &named());
    }
    read_stream(file, &named())
}

/// Opens a file; where there is none, says what was probably meant, or what makes such a file.
fn open(path: &Path) -> Result<File> {
    let error = match File::open(path) {
        Ok(file) => return Ok(file),
        Err(error) => error,
    };
    let name = path.display();
    if error.kind() != ErrorKind::NotFound {
        return Err(error).with_context(|| name.to_string());
    }
    if let Some(near) = neighbour(path) {
        bail!(
            "{name}: there is no such file; did you mean `{}`?",
            near.display()
        );
    }
    let remedy = match path.extension().and_then(|extension| extension.to_str()) {
        Some("map") => format!("`waypost gen arena -o {name}` makes a map"),
        Some("scen") => format!("`waypost scen MAP -o {name}` makes problems for a map"),
        Some(kind) if INDEX_TYPES.iter().any(|known| known.kind.name() == kind) => {
            format!("`waypost build {kind} MAP -o {name}` builds the index of a map")
        }
        _ => "give the path from the folder in which you are".to_string(),
    };
    bail!("{name}: there is no such file; {remedy}");
}

/// A file of the same folder whose name is nearly the same.
fn neighbour(path: &Path) -> Option<PathBuf> {
    let wanted = path.file_name()?.to_str()?;
    let folder = match path.parent() {
        Some(parent) if parent != Path::new("") => parent,
        _ => Path::new("."),
    };
    let entries = std::fs::read_dir(folder).ok()?.flatten();
    let files = entries.filter(|entry| entry.path().is_file());
    let mut names: Vec<String> = files
        .filter_map(|entry| entry.file_name().into_string().ok())
        .collect();
    names.sort_unstable();
    let known: Vec<&str> = names.iter().map(String::as_str).collect();
    nearest(wanted, &known).map(|name| path.with_file_name(name))
}

/// How errors name an input.
fn name_of(path: &Path) -> String {
    if path == Path::new("-") {
        return "standard input".to_string();
    }
    path.display().to_string()
}

fn read_file(file: File, length: u64, name: &str) -> Result<Vec<u8>> {
    if length > MAX_FILE_BYTES {
        bail!(
            "{name}: a file of {length} bytes; expected up to {MAX_FILE_BYTES}, which is more than the largest map takes"
        );
    }
    let mut bytes = Vec::new();
    bytes
        .try_reserve_exact(length as usize + 1)
        .with_context(|| format!("{name}: not enough memory for its {length} bytes"))?;
    file.take(MAX_FILE_BYTES)
        .read_to_end(&mut bytes)
        .with_context(|| name.to_string())?;
    Ok(bytes)
}

fn read_stream(stream: impl Read, name: &str) -> Result<Vec<u8>> {
    let mut bytes = Vec::new();
    stream
        .take(MAX_STREAM_BYTES + 1)
        .read_to_end(&mut bytes)
        .with_context(|| name.to_string())?;
    if bytes.len() as u64 > MAX_STREAM_BYTES {
        bail!(
            "{name}: more than {MAX_STREAM_BYTES} bytes and no end; save it as a file first, and give the file"
        );
    }
    Ok(bytes)
}

/// Opens an artifact in place and checks it.
pub fn open_artifact(path: &Path) -> Result<Artifact> {
    note_use(path, Use::Read)?;
    let named = || path.display().to_string();
    if path.is_dir() {
        bail!("{}: expected an index file, got a folder", path.display());
    }
    let file = open(path)?;
    if file.metadata().with_context(named)?.len() == 0 {
        // Nothing can be mapped; the artifact's own check says what is wrong.
        return Artifact::open([]).with_context(named);
    }
    Artifact::open(mapped::open(&file).with_context(named)?).with_context(named)
}
