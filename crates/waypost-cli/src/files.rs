//! Files in and out. Outputs appear whole or not at all: they are written beside their place, forced to disk and renamed, so
//! that a full disk or a killed program leaves the old file as it was.

use crate::mapped;
use anyhow::{Context, Result, bail};
use std::fs::File;
use std::io::{Read, Write};
use std::path::{Path, PathBuf};
use waypost::artifact::Artifact;
use waypost::formats;
use waypost::grid::Grid;

/// The bytes of a file, or of standard input for `-`.
pub fn read(path: &Path) -> Result<Vec<u8>> {
    if path == Path::new("-") {
        let mut bytes = Vec::new();
        std::io::stdin()
            .read_to_end(&mut bytes)
            .context("standard input")?;
        return Ok(bytes);
    }
    let folder = path.is_dir();
    if folder {
        bail!("{}: expected a file, got a folder", path.display());
    }
    std::fs::read(path).with_context(|| path.display().to_string())
}

/// Opens an artifact in place and checks it.
pub fn open_artifact(path: &Path) -> Result<Artifact> {
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

/// An output file that appears when it is finished.
pub struct Output {
    /// As the user gave it.
    path: PathBuf,
    /// Where links lead.
    place: PathBuf,
    /// A device or a pipe: there is nothing to keep, and nothing to rename over.
    is_stream: bool,
}

impl Output {
    /// Checks that the file can be written, so that no hour's work is lost at its end.
    pub fn at(path: &Path) -> Result<Output> {
        if path.is_dir() {
            bail!("{}: expected a file name, got a folder", path.display());
        }
        let place = path.canonicalize().unwrap_or_else(|_| path.to_path_buf());
        let output = Output {
            path: path.to_path_buf(),
            is_stream: place.exists() && !place.is_file(),
            place,
        };
        if output.is_stream {
            return Ok(output);
        }
        let folder = output.folder();
        if !folder.is_dir() {
            bail!(
                "{}: the folder {} does not exist; create it first",
                path.display(),
                folder.display()
            );
        }
        // Creating the temporary file shows whether the folder can be written; it is removed at once.
        output.temporary()?;
        Ok(output)
    }

    /// The file that the user named, or one with a name that follows from the input. The latter takes no other file's place.
    pub fn named_or(given: Option<&Path>, named: &Path) -> Result<Output> {
        if let Some(given) = given {
            return Output::at(given);
        }
        if named.exists() {
            bail!(
                "{} is there already; name the file to write with -o",
                named.display()
            );
        }
        Output::at(named)
    }

    /// Writes the file.
    pub fn write(&self, bytes: &[u8]) -> Result<()> {
        if self.is_stream {
            return File::options()
                .write(true)
                .open(&self.place)
                .and_then(|mut stream| stream.write_all(bytes))
                .with_context(|| format!("{}: cannot be written", self.path.display()));
        }
        let named = || {
            format!(
                "{}: cannot be written, what was there is kept",
                self.path.display()
            )
        };
        let mut file = self.temporary()?;
        file.write_all(bytes).with_context(named)?;
        file.as_file().sync_all().with_context(named)?;
        file.persist(&self.place)
            .map_err(|error| error.error)
            .with_context(named)?;
        // The rename itself has to reach the disk too. Not every system can do that to a folder, and the data are safe.
        if let Ok(folder) = File::open(self.folder()) {
            let _ = folder.sync_all();
        }
        Ok(())
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

    fn folder(&self) -> &Path {
        match self.place.parent() {
            Some(folder) if folder != Path::new("") => folder,
            _ => Path::new("."),
        }
    }

    fn temporary(&self) -> Result<tempfile::NamedTempFile> {
        let mut builder = tempfile::Builder::new();
        builder.prefix(".waypost-").suffix(".part");
        #[cfg(unix)]
        {
            use std::os::unix::fs::PermissionsExt;
            // What any program's new file gets: all that the user's mask leaves.
            builder.permissions(std::fs::Permissions::from_mode(0o666));
        }
        builder.tempfile_in(self.folder()).with_context(|| {
            format!(
                "{}: the folder {} cannot be written",
                self.path.display(),
                self.folder().display()
            )
        })
    }
}
