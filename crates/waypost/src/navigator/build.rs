//! How a world is built: limits, progress, cancelling.

use super::profile::{Dams, Profile};
use super::{Error, FIRST_UNIT_TYPE, Navigator, UnitType};
use crate::index::{BuildError, Index, IndexKind, IndexRequest, Shard, build};
use crate::map::Map;
use crate::parallel;
use crate::progress::{NoProgress, Progress};
use std::sync::Arc;

/// How the indexes of a world are built.
///
/// ```
/// use waypost::prelude::*;
/// # fn main() -> Result<(), waypost::Error> {
/// let map = Map::from_fn(64, 64, |p| p.x % 9 != 4 || p.y % 7 == 3)?;
/// let options = BuildOptions::default().max_bytes(4_000_000).unit_type(UnitType::new("tank").size(2));
/// let nav = Navigator::build_with(map, options)?;
/// assert_eq!(nav.unit_types().len(), 2);
/// # Ok(())
/// # }
/// ```
#[derive(Clone)]
pub struct BuildOptions {
    max_bytes: Option<u64>,
    fit_bytes: Option<u64>,
    max_seconds: Option<f64>,
    threads: Option<usize>,
    units: Vec<UnitType>,
    progress: Arc<dyn Progress + Send>,
}

impl Default for BuildOptions {
    fn default() -> BuildOptions {
        BuildOptions {
            max_bytes: None,
            fit_bytes: None,
            max_seconds: None,
            threads: None,
            units: Vec::new(),
            progress: Arc::new(NoProgress),
        }
    }
}

impl BuildOptions {
    /// The most memory that an index may take (16 bytes a passable cell, at least 67 MB, unless told).
    pub fn max_bytes(mut self, bytes: u64) -> BuildOptions {
        self.max_bytes = Some(bytes);
        self
    }

    /// Cuts labels to this many bytes. Paths stay shortest ones: a search finds what the labels do not know, the longer the fewer there are.
    pub fn fit_bytes(mut self, bytes: u64) -> BuildOptions {
        self.fit_bytes = Some(bytes);
        self
    }

    /// The most time that labels may take, by an estimate that is the same on every machine (60, unless told).
    pub fn max_seconds(mut self, seconds: f64) -> BuildOptions {
        self.max_seconds = Some(seconds);
        self
    }

    /// Builds on this many threads of the build's own (on all of the current rayon pool, unless told). What is built does not depend on it.
    pub fn threads(mut self, threads: usize) -> BuildOptions {
        self.threads = Some(threads);
        self
    }

    /// Builds for one more type of unit, by a name that no other type has; `unit` is that of the first one.
    pub fn unit_type(mut self, unit: UnitType) -> BuildOptions {
        self.units.push(unit);
        self
    }

    /// Told how far a build is, from any thread; asked whether to go on ([`Progress::is_cancelled`]).
    pub fn progress(mut self, progress: impl Progress + Send + 'static) -> BuildOptions {
        self.progress = Arc::new(progress);
        self
    }

    /// Refuses an index that was opened and is larger than one may be.
    pub(super) fn check(&self, index: Arc<dyn Index>) -> Result<Arc<dyn Index>, Error> {
        if self.progress.is_cancelled() {
            return Err(Error::Cancelled);
        }
        let bytes = index.memory_bytes() as u64;
        match self.max_bytes.filter(|&most| bytes > most) {
            None => Ok(index),
            Some(most) => Err(Error::Build(BuildError::Unsuitable {
                index: index.kind().name(),
                reason: format!(
                    "the one in the file takes {bytes} bytes, and at most {most} are wanted; allow more, or build the file again with this limit"
                ),
            })),
        }
    }

    /// The types of units that a file does not have, to be built; refuses one that it has otherwise.
    pub(super) fn units_beside<'a>(
        &'a self,
        known: &'a [UnitType],
    ) -> Result<Vec<&'a UnitType>, Error> {
        let mut missing: Vec<&UnitType> = Vec::new();
        for unit in &self.units {
            if known.contains(unit) || missing.contains(&unit) {
                continue;
            }
            if known.iter().any(|other| other.name() == unit.name()) {
                return Err(Error::BadUnitType {
                    name: unit.name().to_string(),
                    reason: "the file has a type of this name with another size or other ground; build the file again, or choose another name".to_string(),
                });
            }
            unit.check_name(known.iter().chain(missing.iter().copied()))?;
            missing.push(unit);
        }
        Ok(missing)
    }

    /// The index for one type of unit.
    pub(super) fn build(&self, map: &Map) -> Result<Arc<dyn Index>, Error> {
        let mut request = IndexRequest::new(IndexKind::Auto);
        if let Some(bytes) = self.max_bytes {
            request = request.with("max-bytes", bytes);
        }
        if let Some(bytes) = self.fit_bytes {
            request = request.with("fit-bytes", bytes);
        }
        if let Some(seconds) = self.max_seconds {
            request = request.with("max-seconds", seconds);
        }
        let work = || build(map, &request, Shard::WHOLE, &*self.progress);
        let built = match self.threads {
            Some(threads) => parallel::on_threads(threads, work),
            None => work(),
        };
        built.map_err(|error| match error {
            BuildError::Cancelled => Error::Cancelled,
            other => Error::Build(other),
        })
    }
}

impl Navigator {
    /// [`Navigator::build`] with limits, more types of units, progress or a way to stop.
    pub fn build_with(map: Map, options: BuildOptions) -> Result<Navigator, Error> {
        for (i, unit) in options.units.iter().enumerate() {
            unit.check_name(options.units[..i].iter())?;
        }
        let (first, dams) = (UnitType::new(FIRST_UNIT_TYPE), Dams::default());
        let mut profiles = Vec::new();
        for unit in std::iter::once(&first).chain(&options.units) {
            profiles.push(Profile::build(&map, &dams, unit.clone(), &options)?);
        }
        Navigator::of(profiles, dams, options)
    }
}
