//! The records of trials: one JSON line each, appended and forced to disk as the trial ends.
//!
//! A killed run leaves at most one torn line at the end. Opening the file cuts it off, and goes on behind the last whole one.
//! A line that does not parse, or is of another format, is as if it were not there: its trial is run again.

use super::trial::{FORMAT, TrialRecord};
use std::collections::BTreeMap;
use std::fs::{File, TryLockError};
use std::io::{Read, Seek, SeekFrom, Write};
use std::path::{Path, PathBuf};
use thiserror::Error;

/// Why records could not be read or kept.
#[derive(Debug, Error)]
pub enum RecordsError {
    /// The file system said no. What is in the file stays.
    #[error("{path}: {error}; the {kept} records so far are kept, the same command goes on from there", path = .path.display())]
    File {
        /// The file.
        path: PathBuf,
        /// What it said.
        error: std::io::Error,
        /// Records in the file.
        kept: usize,
    },
    /// Another run appends to the same file.
    #[error("{path}: another run is writing its records here; wait for it or give another folder", path = .path.display())]
    InUse {
        /// The file.
        path: PathBuf,
    },
}

/// The file of records.
#[derive(Debug)]
pub struct Records {
    path: PathBuf,
    file: File,
    length: u64,
    by_key: BTreeMap<String, TrialRecord>,
}

impl Records {
    /// Opens or makes the file and reads what is there.
    pub fn open(path: &Path) -> Result<Records, RecordsError> {
        let failed = |error| RecordsError::File {
            path: path.to_path_buf(),
            error,
            kept: 0,
        };
        let mut file = File::options()
            .read(true)
            .write(true)
            .create(true)
            .truncate(false)
            .open(path)
            .map_err(failed)?;
        match file.try_lock() {
            Ok(()) => {}
            Err(TryLockError::WouldBlock) => {
                return Err(RecordsError::InUse {
                    path: path.to_path_buf(),
                });
            }
            // Some file systems have no locks: better no lock than no records.
            Err(TryLockError::Error(_)) => {}
        }
        let mut bytes = Vec::new();
        file.read_to_end(&mut bytes).map_err(failed)?;
        let whole = bytes
            .iter()
            .rposition(|&byte| byte == b'\n')
            .map_or(0, |at| at + 1);
        if whole < bytes.len() {
            file.set_len(whole as u64).map_err(failed)?;
        }
        let by_key = bytes[..whole]
            .split(|&byte| byte == b'\n')
            .filter_map(|line| serde_json::from_slice::<TrialRecord>(line).ok())
            .filter(|record| record.format == FORMAT)
            .map(|record| (record.key.clone(), record))
            .collect();
        Ok(Records {
            path: path.to_path_buf(),
            file,
            length: whole as u64,
            by_key,
        })
    }

    /// The record of a trial.
    pub fn get(&self, key: &str) -> Option<&TrialRecord> {
        self.by_key.get(key)
    }

    /// How many there are.
    pub fn len(&self) -> usize {
        self.by_key.len()
    }

    /// Whether there is none.
    pub fn is_empty(&self) -> bool {
        self.by_key.is_empty()
    }

    /// Keeps a record. On a full disk the torn line is cut off again, so that the file holds whole records alone.
    pub fn add(&mut self, record: TrialRecord) -> Result<(), RecordsError> {
        let mut line = serde_json::to_vec(&record).unwrap_or_default();
        line.push(b'\n');
        let written = self
            .file
            .seek(SeekFrom::Start(self.length))
            .and_then(|_| self.file.write_all(&line))
            .and_then(|()| self.file.sync_data());
        if let Err(error) = written {
            let _ = self.file.set_len(self.length);
            return Err(RecordsError::File {
                path: self.path.clone(),
                error,
                kept: self.by_key.len(),
            });
        }
        self.length += line.len() as u64;
        self.by_key.insert(record.key.clone(), record);
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::lab::trial::{Outcome, TrialRecord};

    fn record(key: &str) -> TrialRecord {
        TrialRecord {
            key: key.to_string(),
            format: FORMAT,
            commit: "test".to_string(),
            map: "m".to_string(),
            fingerprint: "0".to_string(),
            cells: 10,
            algorithm: "A*".to_string(),
            spec: "astar".to_string(),
            outcome: Outcome::Refused("no".to_string()),
        }
    }

    #[test]
    fn records_survive_a_torn_line() {
        let folder = std::env::temp_dir().join(format!("waypost-records-{}", std::process::id()));
        std::fs::create_dir_all(&folder).expect("a folder");
        let path = folder.join("records.jsonl");
        let _ = std::fs::remove_file(&path);
        {
            let mut records = Records::open(&path).expect("a new file");
            records.add(record("a")).expect("room on the disk");
            records.add(record("b")).expect("room on the disk");
            assert!(
                matches!(Records::open(&path), Err(RecordsError::InUse { .. })),
                "two runs at once"
            );
        }
        let whole = std::fs::read(&path).expect("the file");
        for cut in [1, 10, whole.len() / 2 - 1] {
            std::fs::write(&path, &whole[..whole.len() - cut]).expect("written");
            let mut records = Records::open(&path).expect("a torn file");
            assert_eq!(records.len(), 1, "cut {cut}");
            assert!(records.get("a").is_some() && records.get("b").is_none());
            records.add(record("b")).expect("room on the disk");
            drop(records);
            assert_eq!(std::fs::read(&path).expect("the file"), whole, "cut {cut}");
        }
        std::fs::write(&path, b"{\"key\": 3}\nnonsense\n").expect("written");
        assert!(Records::open(&path).expect("strange lines").is_empty());
        let _ = std::fs::remove_dir_all(&folder);
    }
}
