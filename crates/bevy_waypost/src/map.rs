//! Maps that walkers walk on.

mod asking;
mod building;

pub(crate) use building::{FileId, Files};

use crate::assets::{NavIndex, NavLevel};
use crate::background::{BuildProgress, Watch};
use crate::live::Live;
use crate::options::MapOptions;
use crate::space::point;
use crate::{GridTransform, NavProfile};
use bevy_asset::Handle;
use bevy_ecs::prelude::*;
use bevy_math::UVec2;
use bevy_reflect::Reflect;
use bevy_tasks::Task;
use serde::{Deserialize, Serialize};
use std::borrow::Borrow;
use std::sync::Arc;
use waypost::crowd::Tick;
use waypost::navigator::Navigator;
use waypost::prelude::{IndexState, Map, Patch};
use waypost::{Error, index::IndexKind};

/// A level: its map, its indexes and everybody who walks on it. Spawn one for each level; where there is only one, walkers and
/// obstacles find it by themselves, else [`InMap`](crate::InMap) names it.
///
/// Indexes are built beside the game: [`NavMap::state`] says how far that is, and walkers join when it is done.
#[derive(Component)]
pub struct NavMap {
    /// Where the cells lie in the world. Walkers go with them in the next frame. Cells of another size that are set while the map's next source is
    /// being built are those of that one, and lie so when it takes over.
    pub transform: GridTransform,
    options: MapOptions,
    source: Source,
    stage: Stage,
    pub(crate) live: Option<Live>,
    /// Why its files could not be loaded, as the game was told.
    told: Option<String>,
    /// Whether walkers wait to be let in, also before it is ready.
    pub(crate) expects_walkers: bool,
}

/// What a map is made from.
#[derive(Clone)]
enum Source {
    Map(Arc<Map>),
    Level {
        level: Handle<NavLevel>,
        index: Option<Handle<NavIndex>>,
    },
}

/// How far it is with its newest source.
enum Stage {
    /// Nothing has been done about it yet: its files may not be there.
    Wanted,
    Building {
        task: Task<Result<Live, Error>>,
        watch: Watch,
    },
    Done,
    Failed(String),
}

/// How a [`NavMap`] stands.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, Reflect, Serialize, Deserialize)]
pub enum NavState {
    /// Its files are being loaded.
    #[default]
    Loading,
    /// Its indexes are being built or opened: see [`NavMap::progress`].
    Building,
    /// Walkers walk, and every index is of the map as it is.
    Ready,
    /// Walkers walk; an index is being repaired or built again after a change. Or the map's next source is being loaded and built: then they stand
    /// still until it takes over, unless the map is without lockstep.
    Renewing,
    /// It could not be built: see [`NavMap::error`]. Walkers go on on the map that was there before, if any.
    Failed,
}

impl NavMap {
    /// A map that the game has made.
    pub fn new(map: Map) -> NavMap {
        NavMap::of(Source::Map(Arc::new(map)))
    }

    /// A map from a file: MovingAI, PNG, Tiled or LDtk.
    pub fn load(level: Handle<NavLevel>) -> NavMap {
        NavMap::of(Source::Level { level, index: None })
    }

    fn of(source: Source) -> NavMap {
        NavMap {
            transform: GridTransform::default(),
            options: MapOptions {
                lockstep: true,
                ..MapOptions::default()
            },
            source,
            stage: Stage::Wanted,
            live: None,
            told: None,
            expects_walkers: false,
        }
    }

    /// With an index that was shipped with the level ([`Navigator::save`]), so that none has to be built. One that does not fit
    /// is done without. For maps from files.
    pub fn with_index(mut self, file: Handle<NavIndex>) -> NavMap {
        if let Source::Level { index, .. } = &mut self.source {
            *index = Some(file);
        }
        self
    }

    /// With its cells elsewhere.
    pub fn with_transform(mut self, transform: GridTransform) -> NavMap {
        self.transform = transform;
        self
    }

    /// With one more type of walkers, whose index is built with the map's own.
    pub fn with_profile(mut self, profile: NavProfile) -> NavMap {
        self.options.profiles.push(profile);
        self
    }

    /// With one walker of a type in a cell: walkers give way to each other. Those of different types do not, not even where both are of one cell:
    /// types take no room from each other. Walkers of more than a cell share cells all the same.
    pub fn exclusive(mut self) -> NavMap {
        self.options.exclusive = true;
        self
    }

    /// With indexes that take over when they are ready, and not at ticks that depend on nothing but the game's calls. The usual
    /// way is reproducible: where an index is due and not there yet, walkers stand still, and the game goes on.
    pub fn without_lockstep(mut self) -> NavMap {
        self.options.lockstep = false;
        self
    }

    /// With indexes of up to so many bytes.
    pub fn with_max_bytes(mut self, bytes: u64) -> NavMap {
        self.options.max_bytes = Some(bytes);
        self
    }

    /// Another map in the place of this one, built beside the game while walkers stand still ([`NavMap::without_lockstep`] lets them
    /// walk on). They stay in their cells, or go to the nearest free ones; where cells
    /// have another size ([`NavMap::transform`]), they stay where they are in the world.
    pub fn replace(&mut self, map: Map) {
        self.set_source(Source::Map(Arc::new(map)));
    }

    /// The same from files.
    pub fn replace_by_level(&mut self, level: Handle<NavLevel>, index: Option<Handle<NavIndex>>) {
        self.set_source(Source::Level { level, index });
    }

    fn set_source(&mut self, source: Source) {
        self.source = source;
        self.renew();
    }

    /// How it stands.
    pub fn state(&self) -> NavState {
        match (&self.stage, &self.live) {
            (Stage::Failed(_), _) => NavState::Failed,
            (Stage::Wanted, None) => NavState::Loading,
            (Stage::Building { .. }, None) => NavState::Building,
            (Stage::Wanted | Stage::Building { .. }, Some(_)) => NavState::Renewing,
            (Stage::Done, Some(live)) if live.is_current() => NavState::Ready,
            (Stage::Done, _) => NavState::Renewing,
        }
    }

    /// Whether walkers can walk.
    pub fn is_ready(&self) -> bool {
        self.live.is_some()
    }

    /// How far the build is; `None` where none is under way.
    pub fn progress(&self) -> Option<BuildProgress> {
        match &self.stage {
            Stage::Building { watch, .. } => Some(watch.progress()),
            _ => None,
        }
    }

    /// Why it could not be built.
    pub fn error(&self) -> Option<&str> {
        match &self.stage {
            Stage::Failed(reason) => Some(reason),
            _ => None,
        }
    }

    /// How the indexes stand: name of the unit type, kind of index, state.
    pub fn index_states(&self) -> Vec<(String, IndexKind, IndexState)> {
        let live = self.live.as_ref();
        live.map_or(Vec::new(), |live| live.nav.index_states())
    }

    /// The world below: paths, distances, questions. `None` before it is ready. Change it through [`NavMap::patch`], lest
    /// obstacles are forgotten.
    pub fn navigator(&self) -> Option<&Navigator> {
        self.live.as_ref().map(|live| &live.nav)
    }

    /// Columns and rows; zero before it is ready.
    pub fn size(&self) -> UVec2 {
        self.navigator().map_or(UVec2::ZERO, |nav| {
            let map = nav.world().map();
            UVec2::new(map.grid().width(), map.grid().height())
        })
    }

    /// Changes cells, and says how many that changed; none before the map is ready. What an obstacle covers stays blocked until
    /// it leaves.
    pub fn patch(&mut self, patch: impl Borrow<Patch>) -> usize {
        let live = self.live.as_mut();
        live.map_or(0, |live| {
            let patch = live.covers.edit(patch.borrow());
            live.patch(&patch)
        })
    }

    /// Opens and closes doors: cells that the map has as doors. Fails at the first that is none, and changes nothing then.
    pub fn set_doors(
        &mut self,
        open: impl IntoIterator<Item = UVec2>,
        close: impl IntoIterator<Item = UVec2>,
    ) -> Result<usize, Error> {
        let nav = self.navigator().ok_or_else(not_ready)?;
        let points = |doors: Vec<UVec2>| doors.into_iter().map(point);
        let patch = nav.door_patch(
            points(open.into_iter().collect()),
            points(close.into_iter().collect()),
        )?;
        Ok(self.patch(&patch))
    }

    /// How many walkers are on it.
    pub fn walkers(&self) -> usize {
        self.live.as_ref().map_or(0, Live::walkers)
    }

    /// The cells that a walker is going to walk, as far as its plan reaches, its own first; empty where it is not here.
    pub fn path_ahead(&self, walker: &crate::Walker) -> Vec<UVec2> {
        let path = self.live.as_ref().zip(walker.home);
        let path = path.map(|(live, home)| live.path_ahead(home));
        path.unwrap_or_default()
    }

    /// Ticks that its walkers have made.
    pub fn ticks(&self) -> u64 {
        self.live.as_ref().map_or(0, |live| live.ticks)
    }

    /// What all crowds on it did in the last tick: steps, arrivals, plans, waits, operations.
    pub fn last_tick(&self) -> Tick {
        self.live
            .as_ref()
            .map_or(Tick::default(), |live| live.counts)
    }

    /// Changes whenever an index does.
    #[cfg(feature = "gizmos")]
    pub(crate) fn index_version(&self) -> Option<u64> {
        let live = self.live.as_ref()?;
        let version = live.nav.world().indexes().version();
        Some(u64::from(live.generation) << 32 | version & 0xffff_ffff)
    }

    /// Where its cells lie: those of the next source are not there yet.
    pub(crate) fn grid(&self) -> GridTransform {
        match &self.live {
            Some(live) if self.is_pending() && live.grid.cell != self.transform.cell => live.grid,
            _ => self.transform,
        }
    }

    /// Which of the worlds that there have been it has now.
    pub(crate) fn world(&self) -> Option<u32> {
        self.live.as_ref().map(|live| live.generation)
    }

    /// A tick begins in which walkers may join.
    pub(crate) fn begin_joining(&mut self) {
        self.expects_walkers = false;
        if let Some(live) = &mut self.live {
            live.begin_joining();
        }
    }

    fn is_pending(&self) -> bool {
        matches!(self.stage, Stage::Wanted | Stage::Building { .. })
    }

    pub(crate) fn is_lockstep(&self) -> bool {
        self.options.lockstep
    }

    /// Whether its walkers stand still because its next source is being built.
    pub(crate) fn is_held(&self) -> bool {
        self.options.lockstep && self.is_pending()
    }
}

fn not_ready() -> Error {
    Error::Map("the map is not ready: wait for `NavMapReady`, or ask `NavMap::is_ready`".into())
}
