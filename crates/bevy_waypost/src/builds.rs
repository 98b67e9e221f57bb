//! From sources to worlds: builds are begun and taken over between frames, and files that change are built again.

use crate::assets::{NavIndex, NavLevel};
use crate::background::Workers;
use crate::joining::{Joining, send_back};
use crate::map::{FileId, Files, NavMap};
use crate::news::{NavMapFailed, NavMapReady};
use crate::walker::Walker;
use bevy_asset::{AssetEvent, AssetServer, Assets, Handle, LoadState};
use bevy_ecs::prelude::*;

/// Files as far as they are loaded; none where the app has no assets.
type Levels<'w> = Option<Res<'w, Assets<NavLevel>>>;
type Indexes<'w> = Option<Res<'w, Assets<NavIndex>>>;

/// Begins what is wanted.
pub(crate) fn begin_builds(
    mut maps: Query<(Entity, &mut NavMap)>,
    workers: Res<Workers>,
    levels: Levels,
    indexes: Indexes,
    server: Option<Res<AssetServer>>,
    mut failed: MessageWriter<NavMapFailed>,
) {
    let failure =
        |handle: &bevy_asset::UntypedHandle| match server.as_ref()?.get_load_state(handle)? {
            LoadState::Failed(error) => Some(error.to_string()),
            _ => None,
        };
    let level = |handle: &Handle<NavLevel>| Some(levels.as_ref()?.get(handle)?.map.clone());
    let index = |handle: &Handle<NavIndex>| {
        if let Some(index) = indexes.as_ref().and_then(|all| all.get(handle)) {
            return Some(Some(index.bytes.clone()));
        }
        // An index that is not there is done without.
        failure(&handle.clone().untyped()).map(|_| None)
    };
    let files = Files {
        level: &level,
        index: &index,
    };
    for (entity, mut map) in &mut maps {
        let begun = map.bypass_change_detection().begin(&workers, &files);
        if begun {
            map.set_changed();
        } else if let Some(reason) = map
            .wanted_level()
            .and_then(|level| failure(&level.untyped()))
        {
            map.fail(reason.clone());
            failed.write(NavMapFailed {
                map: entity,
                reason,
            });
        }
    }
}

/// Takes over what is built: walkers of the world that was there before join the new one where they stand.
pub(crate) fn finish_builds(
    mut maps: Query<(Entity, &mut NavMap)>,
    mut walkers: Query<&mut Walker>,
    mut joining: ResMut<Joining>,
    workers: Res<Workers>,
    mut ready: MessageWriter<NavMapReady>,
    mut failed: MessageWriter<NavMapFailed>,
) {
    for (entity, mut map) in &mut maps {
        let Some(finished) = map.bypass_change_detection().finish() else {
            continue;
        };
        map.set_changed();
        match finished {
            Ok(before) => {
                for walker in before.iter().flat_map(|live| live.everybody()) {
                    let cell = walkers.get(walker).ok().map(|walker| walker.cell());
                    send_back(&mut walkers, &mut joining, walker, cell);
                }
                workers.let_go(before);
                ready.write(NavMapReady { map: entity });
            }
            Err(reason) => {
                failed.write(NavMapFailed {
                    map: entity,
                    reason,
                });
            }
        }
    }
}

/// Builds maps again whose files have changed.
pub(crate) fn notice_files(
    mut levels: MessageReader<AssetEvent<NavLevel>>,
    mut indexes: MessageReader<AssetEvent<NavIndex>>,
    mut maps: Query<&mut NavMap>,
) {
    let levels = levels.read().filter_map(|event| match event {
        AssetEvent::Modified { id } => Some(FileId::Level(*id)),
        _ => None,
    });
    let indexes = indexes.read().filter_map(|event| match event {
        AssetEvent::Modified { id } => Some(FileId::Index(*id)),
        _ => None,
    });
    for file in levels.chain(indexes) {
        for mut map in &mut maps {
            if map.uses(&file) {
                map.renew();
            }
        }
    }
}
