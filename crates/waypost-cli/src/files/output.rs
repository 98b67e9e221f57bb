//! Output files. They appear whole or not at all: they are written beside their place, forced to disk and renamed, so that
//! a full disk or a killed program leaves the old file as it was. A file that was there keeps its mode; links are
//! followed; standard output, devices and pipes are written to.

use super::identity::{self, Use, folder_of};
use super::temporary::Temporary;
use crate::report;
use anyhow::{Context, Result, bail};
use std::fs::File;
use std::io::Write;
use std::path::{Path, PathBuf};
use waypost::formats;
use waypost::grid::Grid;

/// An output file that appears when it is finished.
pub struct Output {
    /// As the user gave it.
    path: PathBuf,
    place: Place,
}

/// Where an output goes.
enum Place {
    /// A file that is replaced or made: where links lead.
    File(PathBuf),
    /// What the program's standard output (1), standard error (2) or another descriptor leads to.
    Descriptor(u32),
    /// A device or a pipe: there is nothing to keep, and nothing to rename over.
    Stream,
    /// A file that is there and that nobody named: it stays, and what is written must be what it holds.
    Kept,
}

impl Output {
    /// Checks that the file can be written, so that no hour's work is lost at its end, and that nothing that this command
    /// reads or writes is the same file.
    pub fn at(path: &Path) -> Result<Output> {
        if path.is_dir() {
            bail!("{}: expected a file name, got a folder", path.display());
        }
        identity::note_use(path, Use::Write)?;
        let output = Output {
            path: path.to_path_buf(),
            place: place_of(path),
        };
        if let Place::File(place) = &output.place {
            output.try_out(place)?;
        }
        Ok(output)
    }

    /// The same for an image of one kind; a name that promises another kind is refused.
    pub fn image(path: &Path, kind: &str) -> Result<Output> {
        expect_ending(path, &[kind], &format!(".{kind}, which --{kind} writes"))?;
        Output::at(path)
    }

    /// Refuses names that promise anything else than what [`Output::write_grid`] writes.
    pub fn check_name_of_map(path: &Path) -> Result<()> {
        expect_ending(path, &["map", "png"], ".map, or .png for an image")
    }

    /// Whether there is a folder, and it and the file may be written.
    fn try_out(&self, place: &Path) -> Result<()> {
        let folder = folder_of(place);
        if place.is_symlink() {
            bail!(
                "{}: its links lead in circles; remove them or give another name",
                self.path.display()
            );
        }
        if !folder.is_dir() {
            bail!(
                "{}: the folder {} does not exist; create it first",
                self.path.display(),
                folder.display()
            );
        }
        if place.exists() {
            // Renaming over a file asks nothing of the file itself; people who take its write permission away do.
            File::options().append(true).open(place).with_context(|| {
                format!(
                    "{}: cannot be written; give another name or make it writable",
                    self.path.display()
                )
            })?;
        }
        self.temporary(place).map(drop)
    }

    fn temporary(&self, place: &Path) -> Result<Temporary> {
        Temporary::beside(place).with_context(|| {
            format!(
                "{}: the folder {} cannot be written",
                self.path.display(),
                folder_of(place).display()
            )
        })
    }

    /// The file that the user named, or one with a name that follows from the input. The latter takes no other file's place: where there
    /// is one, writing the same again is fine, and writing anything else is refused.
    pub fn named_or(given: Option<&Path>, named: &Path) -> Result<Output> {
        if let Some(given) = given {
            return Output::at(given);
        }
        if !named.is_file() {
            return Output::at(named);
        }
        identity::note_use(named, Use::Write)?;
        Ok(Output {
            path: named.to_path_buf(),
            place: Place::Kept,
        })
    }

    /// Writes the file.
    pub fn write(&self, bytes: &[u8]) -> Result<()> {
        let written = match &self.place {
            Place::File(place) => return self.replace(place, bytes),
            Place::Kept => return self.keep(bytes),
            Place::Descriptor(number) => write_descriptor(*number, &self.path, bytes),
            Place::Stream => File::options()
                .write(true)
                .open(&self.path)
                .and_then(|mut stream| stream.write_all(bytes)),
        };
        written.with_context(|| format!("{}: cannot be written", self.path.display()))
    }

    /// Says that the file is there, where it holds these bytes.
    fn keep(&self, bytes: &[u8]) -> Result<()> {
        let shown = self.path.display();
        let named = || shown.to_string();
        let length = std::fs::metadata(&self.path).with_context(named)?.len();
        let same =
            length == bytes.len() as u64 && std::fs::read(&self.path).with_context(named)? == bytes;
        if !same {
            bail!(
                "{shown} is there already, and is another one: use it as it is, write it again with `-o {shown}`, or name another file with -o"
            );
        }
        report::note(&format!("{shown} is there already, the same"));
        Ok(())
    }

    fn replace(&self, place: &Path, bytes: &[u8]) -> Result<()> {
        let mut file = self.temporary(place)?;
        file.write(bytes)
            .and_then(|()| file.persist())
            .with_context(|| {
                format!(
                    "{}: cannot be written, what was there is kept",
                    self.path.display()
                )
            })
    }

    /// Writes a map: as an image where the name says so.
    pub fn write_grid(&self, grid: &Grid) -> Result<()> {
        let is_png = self
            .path
            .extension()
            .is_some_and(|e| e.eq_ignore_ascii_case("png"));
        if is_png {
            return self.write(&formats::png::write(grid)?);
        }
        self.write(&formats::map::write(grid))
    }

    /// Where the file appears.
    pub fn path(&self) -> &Path {
        &self.path
    }
}

/// Refuses a name that ends in anything else; one without an ending promises nothing.
fn expect_ending(path: &Path, known: &[&str], expected: &str) -> Result<()> {
    let Some(extension) = path.extension().map(|e| e.to_string_lossy()) else {
        return Ok(());
    };
    if !known
        .iter()
        .any(|kind| extension.eq_ignore_ascii_case(kind))
    {
        bail!(
            "{}: a name that ends in .{extension}; expected {expected}",
            path.display()
        );
    }
    Ok(())
}

/// Standard output goes through the program's own, so that it adds to what is there and keeps its place.
fn write_descriptor(number: u32, path: &Path, bytes: &[u8]) -> std::io::Result<()> {
    match number {
        1 => {
            let mut out = std::io::stdout().lock();
            out.write_all(bytes).and_then(|()| out.flush())
        }
        2 => std::io::stderr().write_all(bytes),
        _ => File::options()
            .append(true)
            .open(path)
            .and_then(|mut stream| stream.write_all(bytes)),
    }
}

fn place_of(path: &Path) -> Place {
    if let Some(number) = descriptor(path) {
        return Place::Descriptor(number);
    }
    let place = identity::resolved(path);
    match std::fs::metadata(&place) {
        Ok(about) if !about.is_file() => Place::Stream,
        _ => Place::File(place),
    }
}

/// The number of the program's own descriptor that a path such as `/dev/stdout` names, links on the way followed.
#[cfg(unix)]
fn descriptor(path: &Path) -> Option<u32> {
    let mut place = path.to_path_buf();
    for _ in 0..identity::MAX_LINKS {
        let folder = folder_of(&place).canonicalize().ok()?;
        let own = Path::new("/proc").join(std::process::id().to_string());
        if folder == own.join("fd") || folder == Path::new("/dev/fd") {
            return place.file_name()?.to_str()?.parse().ok();
        }
        let target = place.read_link().ok()?;
        place = folder.join(target);
    }
    None
}

#[cfg(not(unix))]
fn descriptor(_: &Path) -> Option<u32> {
    None
}
