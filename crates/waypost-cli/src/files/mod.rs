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
use std::io::Read;
use std::path::Path;
use waypost::artifact::Artifact;

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
    let file = File::open(path).with_context(named)?;
    let about = file.metadata().with_context(named)?;
    if about.is_file() && about.len() > 0 {
        return read_file(file, about.len(), &named());
    }
    read_stream(file, &named())
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
    let file = File::open(path).with_context(named)?;
    if file.metadata().with_context(named)?.len() == 0 {
        // Nothing can be mapped; the artifact's own check says what is wrong.
        return Artifact::open([]).with_context(named);
    }
    Artifact::open(mapped::open(&file).with_context(named)?).with_context(named)
}
