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
use identity::folder_of;
use std::fs::{DirEntry, File};
use std::io::{ErrorKind, Read};
use std::path::{Path, PathBuf};
use waypost::artifact::Artifact;
use waypost::generate::Kind;
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
    let file = open(path, Wanted::Input)?;
    let about = file.metadata().with_context(named)?;
    if about.is_file() && about.len() > 0 {
        return read_file(file, about.len(), &named());
    }
    read_stream(file, &named())
}

/// Opens a file; where there is none, says what was probably meant, or what makes such a file.
fn open(path: &Path, wanted: Wanted) -> Result<File> {
    let error = match File::open(path) {
        Ok(file) => return Ok(file),
        Err(error) => error,
    };
    let name = path.display();
    if error.kind() != ErrorKind::NotFound {
        return Err(error).with_context(|| name.to_string());
    }
    let folder = folder_of(path);
    if !folder.is_dir() {
        bail!(
            "{name}: there is no folder {}; give the path from the folder in which you are",
            folder.display()
        );
    }
    if let Some(near) = neighbour(path, wanted) {
        bail!(
            "{name}: there is no such file; did you mean `{}`?",
            near.display()
        );
    }
    let remedy = match ending(path) {
        Some("map") => {
            let look = look_named(path).name();
            format!("`waypost gen {look} -o {name}` makes a map")
        }
        Some("scen") => format!("`waypost scen MAP -o {name}` makes problems for a map"),
        Some(kind) if Family::named(kind) == Some(Family::Index) => {
            format!("`waypost build {kind} MAP -o {name}` builds the index of a map")
        }
        _ => "give the path from the folder in which you are".to_string(),
    };
    bail!("{name}: there is no such file; {remedy}");
}

/// What a file is opened as.
#[derive(Clone, Copy, PartialEq)]
enum Wanted {
    /// A map, problems, a graph: anything but an index.
    Input,
    Index,
}

/// Files that can stand in for each other, by how their names end.
#[derive(Clone, Copy, PartialEq)]
enum Family {
    Map,
    Problems,
    Index,
}

impl Family {
    fn named(ending: &str) -> Option<Family> {
        match ending {
            "map" | "png" | "tmx" | "tmj" | "ldtk" => Some(Family::Map),
            "scen" => Some(Family::Problems),
            kind if INDEX_TYPES.iter().any(|known| known.kind.name() == kind) => {
                Some(Family::Index)
            }
            _ => None,
        }
    }

    fn of(path: &Path) -> Option<Family> {
        ending(path).and_then(Family::named)
    }
}

fn ending(path: &Path) -> Option<&str> {
    path.extension().and_then(|extension| extension.to_str())
}

/// The kind of map that a name begins with; an arena where it names none.
fn look_named(path: &Path) -> Kind {
    let stem = path.file_stem().unwrap_or_default().to_string_lossy();
    let named = Kind::ALL
        .into_iter()
        .find(|kind| stem.starts_with(kind.name()));
    named.unwrap_or(Kind::Arena)
}

/// A file of the same folder whose name is nearly the same, and which may hold what is wanted.
fn neighbour(path: &Path, wanted: Wanted) -> Option<PathBuf> {
    let family = Family::of(path);
    let fits = |entry: &DirEntry| {
        let other = Family::of(&entry.path());
        let alike = family.is_none() || other.is_none() || family == other;
        alike && other.is_none_or(|other| (other == Family::Index) == (wanted == Wanted::Index))
    };
    let wanted = path.file_name()?.to_str()?;
    let entries = std::fs::read_dir(folder_of(path)).ok()?.flatten();
    let files = entries.filter(|entry| entry.path().is_file() && fits(entry));
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
    let file = open(path, Wanted::Index)?;
    if file.metadata().with_context(named)?.len() == 0 {
        // Nothing can be mapped; the artifact's own check says what is wrong.
        return Artifact::open([]).with_context(named);
    }
    Artifact::open(mapped::open(&file).with_context(named)?).with_context(named)
}
