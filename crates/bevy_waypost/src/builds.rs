//! From sources to worlds: builds are begun and taken over between frames, and files that change are built again.

use crate::assets::{NavIndex, NavLevel};
use crate::background::{Workers, let_go};
use crate::joining::{Joining, Walkers};
use crate::map::{FileId, Files, NavMap};
use crate::news::{NavMapFailed, NavMapReady};
use bevy_asset::{AssetEvent, AssetLoadFailedEvent, AssetServer, Assets, Handle, LoadState};
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
            LoadState::Failed(error) => Some(told(&error)),
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
            && map.fail(&reason)
        {
            failed.write(NavMapFailed {
                map: entity,
                reason,
            });
        }
    }
}

/// What went wrong with a file, without the places of the program that Bevy may add.
fn told(error: &dyn std::fmt::Display) -> String {
    let text = error.to_string();
    text.lines().next().unwrap_or_default().to_string()
}

/// Takes over what is built: walkers of the world that was there before join the new one in their cells, or, where these have another size,
/// where they stand.
pub(crate) fn finish_builds(
    mut maps: Query<(Entity, &mut NavMap)>,
    mut walkers: Walkers,
    mut joining: ResMut<Joining>,
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
                if let Some(live) = &before {
                    let keeps_cells = live.grid.cell == map.transform.cell;
                    for (id, cell) in live.everybody() {
                        if let Ok((mut walker, mut step)) = walkers.get_mut(id) {
                            let (map, cell) = (Some(entity), keeps_cells.then_some(cell));
                            joining.push(id, map, cell, (&mut walker, &mut step));
                        }
                    }
                }
                let_go(before);
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

/// Builds maps again whose files have changed, or are there at last, and says which files could not be loaded.
pub(crate) fn notice_files(
    mut levels: MessageReader<AssetEvent<NavLevel>>,
    mut indexes: MessageReader<AssetEvent<NavIndex>>,
    mut broken: MessageReader<AssetLoadFailedEvent<NavLevel>>,
    mut maps: Query<(Entity, &mut NavMap)>,
    mut failed: MessageWriter<NavMapFailed>,
) {
    for event in levels.read() {
        let (id, is_new) = match event {
            AssetEvent::Modified { id } => (id, false),
            AssetEvent::Added { id } => (id, true),
            _ => continue,
        };
        for (_, mut map) in &mut maps {
            match map.uses(&FileId::Level(*id)) {
                true if is_new => map.bypass_change_detection().retry(),
                true => map.renew(),
                false => {}
            }
        }
    }
    for event in indexes.read() {
        if let AssetEvent::Modified { id } = event {
            for (_, mut map) in &mut maps {
                if map.uses(&FileId::Index(*id)) {
                    map.renew();
                }
            }
        }
    }
    // Last: a file that was added and then broke within a frame is broken.
    for news in broken.read() {
        for (map, mut nav_map) in &mut maps {
            if nav_map.uses(&FileId::Level(news.id)) || nav_map.is_from(&news.path) {
                let reason = told(&news.error);
                if nav_map.note_broken(&reason) {
                    failed.write(NavMapFailed { map, reason });
                }
            }
        }
    }
}
