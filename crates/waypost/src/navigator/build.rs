//! How a world is built: limits, progress, cancelling.

use super::profile::{Dams, Profile};
use super::{Error, FIRST_UNIT_TYPE, Navigator, UnitType};
use crate::index::{BuildError, Index, IndexKind, IndexRequest, Shard, build};
use crate::map::Map;
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
    units: Vec<UnitType>,
    progress: Arc<dyn Progress + Send>,
}

impl Default for BuildOptions {
    fn default() -> BuildOptions {
        BuildOptions {
            max_bytes: None,
            fit_bytes: None,
            max_seconds: None,
            units: Vec::new(),
            progress: Arc::new(NoProgress),
        }
    }
}

impl BuildOptions {
    /// The most memory that an index may take (16 bytes a passable cell, at least 64 MB, unless told).
    pub fn max_bytes(mut self, bytes: u64) -> BuildOptions {
        self.max_bytes = Some(bytes);
        self
    }

    /// Cuts labels to so many bytes. Paths stay shortest ones: a search finds what the labels do not know, the longer the fewer there are.
    pub fn fit_bytes(mut self, bytes: u64) -> BuildOptions {
        self.fit_bytes = Some(bytes);
        self
    }

    /// The most time that labels may take, by an estimate that is the same on every machine (60, unless told).
    pub fn max_seconds(mut self, seconds: f64) -> BuildOptions {
        self.max_seconds = Some(seconds);
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
        let built = build(map, &request, Shard::WHOLE, &*self.progress);
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
