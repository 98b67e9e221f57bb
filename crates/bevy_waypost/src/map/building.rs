//! From what a map is made from to its world.

use super::{NavMap, Source, Stage};
use crate::NavProfile;
use crate::assets::{NavIndex, NavLevel};
use crate::background::{Watch, Workers, let_go};
use crate::live::Live;
use crate::options::MapOptions;
use bevy_asset::{AssetPath, Handle};
use std::sync::Arc;
use waypost::Error;
use waypost::navigator::{BuildOptions, Navigator};
use waypost::prelude::Map;

/// The bytes of an index; `None` where it could not be loaded and is done without.
type IndexBytes = Option<Arc<[u8]>>;

/// Files of a map, as far as they are loaded.
pub(crate) struct Files<'a> {
    pub level: &'a dyn Fn(&Handle<NavLevel>) -> Option<Arc<Map>>,
    /// `None` while it is being loaded.
    pub index: &'a dyn Fn(&Handle<NavIndex>) -> Option<IndexBytes>,
}

impl NavMap {
    /// Builds again from what it is made from.
    pub(crate) fn renew(&mut self) {
        self.told = None;
        if let Stage::Building { watch, .. } = &self.stage {
            watch.cancel();
        }
        self.stage = Stage::Wanted;
    }

    /// A file of its has been added to the assets: what could not be built without it is tried again.
    pub(crate) fn retry(&mut self) {
        if matches!(self.stage, Stage::Failed(_)) {
            self.renew();
        }
    }

    /// Whether it is made from this file, or from a part of it.
    pub(crate) fn is_from(&self, file: &AssetPath) -> bool {
        match &self.source {
            Source::Level { level, .. } => {
                let path = level.path().map(AssetPath::without_label);
                path.is_some_and(|path| path == file.without_label())
            }
            Source::Map(_) => false,
        }
    }

    /// Whether it is made from this file.
    pub(crate) fn uses(&self, file: &FileId) -> bool {
        match (&self.source, file) {
            (Source::Level { level, .. }, FileId::Level(id)) => level.id() == *id,
            (Source::Level { index, .. }, FileId::Index(id)) => {
                index.as_ref().is_some_and(|index| index.id() == *id)
            }
            _ => false,
        }
    }

    /// Begins to build where it is wanted and its files are there; whether it has.
    pub(crate) fn begin(&mut self, workers: &Workers, files: &Files) -> bool {
        if !matches!(self.stage, Stage::Wanted) {
            return false;
        }
        let (map, index) = match &self.source {
            Source::Map(map) => (Some(map.clone()), Some(None)),
            Source::Level { level, index } => {
                let bytes = index.as_ref().map_or(Some(None), |i| (files.index)(i));
                ((files.level)(level), bytes)
            }
        };
        let (Some(map), Some(index)) = (map, index) else {
            return false;
        };
        let (watch, options) = (Watch::default(), self.options.clone());
        let watched = watch.clone();
        let task = workers.spawn(move || build(&map, index, &options, watched));
        self.stage = Stage::Building { task, watch };
        true
    }

    /// The file that it waits for.
    pub(crate) fn wanted_level(&self) -> Option<Handle<NavLevel>> {
        match (&self.stage, &self.source) {
            (Stage::Wanted, Source::Level { level, .. }) => Some(level.clone()),
            _ => None,
        }
    }

    /// Notes that its files could not be loaded, and that there are none that it could be built from; whether that is news.
    pub(crate) fn fail(&mut self, reason: &str) -> bool {
        self.stage = Stage::Failed(reason.to_string());
        self.note_broken(reason)
    }

    /// Notes that its files could not be loaded; whether that is news. What is wanted or being built of them as they were goes on.
    pub(crate) fn note_broken(&mut self, reason: &str) -> bool {
        if matches!(self.stage, Stage::Done | Stage::Failed(_)) {
            self.stage = Stage::Failed(reason.to_string());
        }
        let told = self.told.replace(reason.to_string());
        told.as_deref() != Some(reason)
    }

    /// Takes what was built, if it is ready: the world that was there before, or why there is none.
    pub(crate) fn finish(&mut self) -> Option<Result<Option<Live>, String>> {
        let Stage::Building { task, .. } = &mut self.stage else {
            return None;
        };
        match bevy_tasks::futures::check_ready(task)? {
            Ok(mut live) => {
                self.stage = Stage::Done;
                live.grid = self.transform;
                Some(Ok(self.live.replace(live)))
            }
            Err(error) => {
                let reason = error.to_string();
                self.stage = Stage::Failed(reason.clone());
                Some(Err(reason))
            }
        }
    }
}

impl Drop for NavMap {
    fn drop(&mut self) {
        if let Stage::Building { watch, .. } = &self.stage {
            watch.cancel();
        }
        if let Some(live) = self.live.take() {
            let_go(live);
        }
    }
}

/// A file that a map can be made from.
pub(crate) enum FileId {
    Level(bevy_asset::AssetId<NavLevel>),
    Index(bevy_asset::AssetId<NavIndex>),
}

/// Builds or opens a world, beside the game.
fn build(map: &Map, index: IndexBytes, options: &MapOptions, watch: Watch) -> Result<Live, Error> {
    // An index of another map, of other doors or of other types of walkers is done without.
    let opened = index.and_then(|bytes| Navigator::open(map.clone(), bytes).ok());
    let opened = opened.filter(|nav| knows_no_other(nav, &options.profiles));
    let nav = match opened {
        Some(nav) => {
            let known = nav.unit_types();
            for profile in &options.profiles {
                let unit = profile.unit_type()?;
                if !known.contains(&unit) {
                    nav.add_unit_type(unit)?;
                }
            }
            nav
        }
        None => {
            let mut build = BuildOptions::default().progress(watch);
            if let Some(bytes) = options.max_bytes {
                build = build.max_bytes(bytes);
            }
            for profile in &options.profiles {
                build = build.unit_type(profile.unit_type()?);
            }
            Navigator::build_with(map.clone(), build)?
        }
    };
    Live::new(nav, options)
}

/// Whether no type of a world has the name of a profile and is another.
fn knows_no_other(nav: &Navigator, profiles: &[NavProfile]) -> bool {
    let known = nav.unit_types();
    profiles.iter().all(|profile| {
        let unit = profile.unit_type();
        unit.is_ok_and(|unit| known.iter().all(|k| k.name() != unit.name() || *k == unit))
    })
}
