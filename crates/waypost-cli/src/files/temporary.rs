//! Files that are not finished: `.waypost-NUMBER.part` beside the place where they will be.
//!
//! None of them outlives its program. It is removed when it is given up, and on the signals that end programs
//! (`signals.rs`). A program that is killed without a word leaves its file; the next one that writes to the folder removes
//! it. To know that nobody is writing it any more, that next one tries the lock that every writer holds on its file: the
//! system lets go of it when a program ends, in whatever way, and no number of a process has to be believed. Where a file
//! system has no locks nothing is removed but by its owner.

use super::identity::folder_of;
use super::signals;
use std::fs::File;
use std::hash::{BuildHasher, RandomState};
use std::io::{Error, ErrorKind, Result, Write};
use std::path::{Path, PathBuf};
use std::sync::{Mutex, MutexGuard};

const PREFIX: &str = ".waypost-";
const SUFFIX: &str = ".part";
/// Tries for a name that nobody has.
const TRIES: u32 = 100;

/// The unfinished files of this program. Whoever holds the lock may make, rename and remove them.
static UNFINISHED: Mutex<Vec<PathBuf>> = Mutex::new(Vec::new());

fn unfinished() -> MutexGuard<'static, Vec<PathBuf>> {
    UNFINISHED
        .lock()
        .unwrap_or_else(|poisoned| poisoned.into_inner())
}

/// Removes all unfinished files of this program, which is about to end: `end` is called before anything else can be
/// written.
pub fn remove_all_and(end: impl FnOnce()) {
    let mut files = unfinished();
    for path in files.drain(..) {
        let _ = std::fs::remove_file(path);
    }
    end();
}

/// A file that is being written. It vanishes where it is not finished.
pub struct Temporary {
    file: File,
    path: PathBuf,
    place: PathBuf,
}

impl Temporary {
    /// A new file beside its place, with the mode that it will have there. Removes what killed programs left in the folder.
    pub fn beside(place: &Path) -> Result<Temporary> {
        signals::watch();
        let folder = folder_of(place);
        remove_orphans(&folder);
        for _ in 0..TRIES {
            let number = RandomState::new().hash_one(place);
            let path = folder.join(format!("{PREFIX}{number:016x}{SUFFIX}"));
            let mut files = unfinished();
            match File::options().write(true).create_new(true).open(&path) {
                Ok(file) => {
                    files.push(path.clone());
                    drop(files);
                    let temporary = Temporary {
                        file,
                        path,
                        place: place.to_path_buf(),
                    };
                    if temporary.is_claimed() {
                        temporary.take_after(place);
                        return Ok(temporary);
                    }
                }
                Err(error) if error.kind() == ErrorKind::AlreadyExists => {}
                Err(error) => return Err(error),
            }
        }
        Err(Error::other("no name for a temporary file is free"))
    }

    /// Takes the lock. Another program may have taken this file for an orphan before.
    fn is_claimed(&self) -> bool {
        match self.file.try_lock() {
            Err(std::fs::TryLockError::WouldBlock) => false,
            _ => self.path.exists(),
        }
    }

    /// Mode, group and owner of the file that will be replaced, as far as this user may give them.
    #[cfg(unix)]
    fn take_after(&self, place: &Path) {
        use std::fs::Permissions;
        use std::os::unix::fs::{MetadataExt, PermissionsExt, fchown};
        let Ok(about) = std::fs::metadata(place) else {
            return;
        };
        let mode = about.permissions().mode();
        let set = |mode| self.file.set_permissions(Permissions::from_mode(mode));
        // Nobody may read for a moment what the old file did not show.
        let _ = set(mode & 0o700);
        let _ = fchown(&self.file, None, Some(about.gid()));
        let _ = fchown(&self.file, Some(about.uid()), None);
        let _ = set(mode & 0o7777);
    }

    #[cfg(not(unix))]
    fn take_after(&self, _: &Path) {}

    /// Writes to it.
    pub fn write(&mut self, bytes: &[u8]) -> Result<()> {
        self.file.write_all(bytes)
    }

    /// Forces it to disk and puts it in its place.
    pub fn persist(self) -> Result<()> {
        self.file.sync_all()?;
        let mut files = unfinished();
        std::fs::rename(&self.path, &self.place)?;
        files.retain(|path| *path != self.path);
        drop(files);
        // The rename itself has to reach the disk too. Not every system can do that to a folder, and the data are safe.
        if let Ok(folder) = File::open(folder_of(&self.place)) {
            let _ = folder.sync_all();
        }
        Ok(())
    }
}

impl Drop for Temporary {
    fn drop(&mut self) {
        let mut files = unfinished();
        if files.contains(&self.path) {
            let _ = std::fs::remove_file(&self.path);
            files.retain(|path| *path != self.path);
        }
    }
}

/// Removes unfinished files whose program has ended. What cannot be read, opened or removed stays.
fn remove_orphans(folder: &Path) {
    let Ok(entries) = std::fs::read_dir(folder) else {
        return;
    };
    for entry in entries.flatten() {
        let name = entry.file_name();
        let is_ours = name
            .to_str()
            .and_then(|name| name.strip_prefix(PREFIX)?.strip_suffix(SUFFIX))
            .is_some_and(|number| number.chars().all(|c| c.is_ascii_alphanumeric()));
        // Pipes and links of that name are none of ours; opening a pipe would wait.
        if !is_ours || !entry.file_type().is_ok_and(|kind| kind.is_file()) {
            continue;
        }
        if let Ok(file) = File::open(entry.path())
            && file.try_lock().is_ok()
        {
            let _ = std::fs::remove_file(entry.path());
        }
    }
}
