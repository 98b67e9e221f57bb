//! Maps are opened, indexed and indexed again.

use super::{CALM, Command, LOOK, Sandbox, Stage, Upload};
use crate::announced::{self, Size};
use crate::limits::Share;
use crate::protocol::tell;
use crate::reporter::Reporter;
use crate::source::{self, Opened, Seeded};
use crate::strokes::Strokes;
use crate::study::Study;
use crate::tiles::{self, Scene};
use serde_json::json;
use std::sync::Arc;
use std::sync::atomic::Ordering;
use std::time::Instant;
use waypost::World;
use waypost::index::Indexes;
use waypost::prelude::*;

impl Sandbox {
    /// The map of the command line, or the first of the gallery.
    pub(super) fn open_given(&mut self) {
        match self.given.clone() {
            Some(given) => self.open(Ok((*given).clone())),
            None => self.open_seeded(source::gallery()[0].1.clone()),
        }
    }

    pub(super) fn open_seeded(&mut self, seeded: Seeded) {
        let room = self.room((seeded.width, seeded.height));
        let opened = room.and_then(|_room| Opened::of_seed(&seeded));
        self.open(opened);
    }

    /// Room for a map that is only announced, held while it is made or read.
    fn room(&self, (width, height): Size) -> Result<Share, String> {
        source::check_size(width, height)?;
        self.ledger.cells(width, height)
    }

    pub(super) fn open_upload(&mut self, upload: Upload) {
        let most = self.ledger.limits.upload_bytes;
        let Upload {
            name,
            bytes,
            packed,
            costs,
            share: _share,
        } = upload;
        let bytes = match packed {
            true => source::unpack(&bytes, most),
            false => Ok(bytes),
        };
        let opened = bytes.and_then(|bytes| {
            let announced = announced::size(&bytes);
            let announced = announced.map_err(|words| format!("{name}: {words}"))?;
            let mut room = announced.map(|size| self.room(size)).transpose()?;
            let opened = source::read_file_if(&name, &bytes, &costs, |level| {
                room = None;
                let stretches = source::stretches(&level.grid) + level.doors.len() as u64;
                let size = (level.grid.width(), level.grid.height());
                room = Some(self.ledger.map(size, stretches)?);
                Ok(())
            });
            drop(room);
            let opened = opened.map_err(|words| format!("{name}: {words}"))?;
            Ok(Opened {
                is_linked: packed,
                ..opened
            })
        });
        self.open(opened);
    }

    /// Shows a map at once and begins to index it.
    fn open(&mut self, opened: Result<Opened, String>) {
        let room = opened.and_then(|opened| {
            let grid = opened.map.grid();
            if grid.passable_count() == 0 {
                return Err(format!(
                    "{}: no cell of the map can be stood on",
                    opened.name
                ));
            }
            let size = (grid.width(), grid.height());
            let share = self.ledger.map(size, source::stretches(grid))?;
            Ok((opened, Arc::new(share)))
        });
        let (opened, cells) = match room {
            Ok(room) => room,
            Err(words) => return self.trouble(words),
        };
        self.generation += 1;
        (self.walkers, self.wish, self.last_searches) = (None, None, [None, None]);
        if let Some(before) = self.stage.take() {
            before.stop.store(true, Ordering::Relaxed);
        }
        let world = World::new(opened.map.clone(), &Indexes::default());
        let scene = Scene::new(world, opened.classes.clone(), opened.doors.clone());
        let stage = Stage {
            generation: self.generation,
            scene: Arc::new(scene),
            strokes: Strokes::default(),
            is_drawn_on: false,
            nav: None,
            study: None,
            is_providing: false,
            is_rebuilding: false,
            version: 0,
            index_state: "",
            last_stroke: Instant::now(),
            waiting: Vec::new(),
            is_exporting: Arc::default(),
            stop: Arc::default(),
            _cells: cells,
            opened,
        };
        self.shared.set(stage.scene.clone());
        self.tell_map(&stage);
        if let Some(first) = stage.opened.missing.first() {
            let first: String = first.chars().take(100).collect();
            self.trouble(format!(
                "{}: it names the file `{first}`, which is not there, so that walls may be missing; embed the tileset (Tiled: Tileset > Embed Tileset)",
                stage.opened.name
            ));
        }
        self.index(&stage);
        self.stage = Some(stage);
    }

    fn tell_map(&self, stage: &Stage) {
        let map = &stage.opened.map;
        let largest = map.components().largest();
        let largest = largest.map_or(0, |part| map.components().size(part));
        let ends = two_places(map);
        let facts = json!({
            "name": stage.opened.name,
            "width": map.grid().width(), "height": map.grid().height(),
            "passable": map.grid().passable_count(),
            "components": map.components().count(), "largest": largest,
            "terrain": map.ground().is_some(), "seeded": stage.opened.seeded,
            "grounds": stage.opened.classes.as_deref().map_or_else(Vec::new, |classes| tiles::grounds(map, classes)),
            "doors": stage.opened.doors.as_ref().map_or(0, |doors| doors.passable_count()),
            "from": [ends.0.x, ends.0.y], "goal": [ends.1.x, ends.1.y],
        });
        self.outbox.tell(tell::note("map", facts));
    }

    fn index(&self, stage: &Stage) {
        let (map, sender, generation) = (
            stage.opened.map.clone(),
            self.sender.clone(),
            stage.generation,
        );
        let (cells, outbox) = (stage._cells.clone(), self.outbox.clone());
        let reporter = Reporter::new(&outbox, "index", None)
            .until({
                let stop = stage.stop.clone();
                move || stop.load(Ordering::Relaxed)
            })
            .kept();
        let most = self.ledger.limits.index_bytes;
        let build = move || {
            let options = BuildOptions::default().progress(reporter);
            let passable = map.grid().passable_count();
            let usual = (16 * passable).max(64 << 20);
            let built = Navigator::build_with(map, options.max_bytes(usual.min(most)));
            // Who has gone on does not listen.
            let _ = sender.send(Command::Built(generation, built.map_err(|e| e.to_string())));
            drop(cells);
        };
        let thread = std::thread::Builder::new().name("index".to_string());
        if thread.spawn(build).is_err() {
            self.trouble("the system gives no more threads; close some tabs");
        }
    }

    pub(super) fn built(&mut self, result: Result<Navigator, String>) {
        let nav = match result {
            Ok(nav) => nav,
            Err(words) => return self.trouble(format!("the map has no index: {words}")),
        };
        let Some(stage) = &mut self.stage else {
            return;
        };
        let doors = stage.scene.doors();
        let scene = Scene::new(nav.world().clone(), stage.opened.classes.clone(), doors);
        stage.scene = Arc::new(scene);
        self.shared.set(stage.scene.clone());
        let known = nav.inspect();
        let facts = json!({
            "kind": known.kind(), "reason": known.reason, "facts": known.facts,
            "bytes": known.memory_bytes,
        });
        stage.nav = Some(nav);
        self.outbox.tell(tell::note("ready", facts));
        self.begin_study();
        self.draw_what_waits();
        if let Some(wish) = self.wish.take() {
            self.provide_crowd(wish);
        }
    }

    /// A fork of the world for what takes long; none where the world cannot be forked.
    pub(super) fn begin_study(&mut self) {
        let (outbox, limits) = (self.outbox.clone(), self.ledger.limits);
        let Some(stage) = &mut self.stage else {
            return;
        };
        let nav = stage.nav.as_ref();
        stage.version = nav.map_or(0, |nav| nav.world().indexes().version());
        let fork = nav.and_then(|nav| nav.fork().ok());
        stage.study = fork.map(|fork| Study::begin(fork, outbox, limits));
    }

    /// Now and then: gives the study an index that has been renewed, and builds stale ones again.
    pub(super) fn look_at_indexes(&mut self) {
        if self.looked.elapsed() < LOOK {
            return;
        }
        self.looked = Instant::now();
        let Some(stage) = &mut self.stage else {
            return;
        };
        let Some(nav) = stage.nav.as_ref().filter(|_| stage.is_drawn_on) else {
            return;
        };
        let version = nav.world().indexes().version();
        let state = nav
            .index_states()
            .first()
            .map_or("", |state| state.2.name());
        if state != stage.index_state {
            stage.index_state = state;
            self.outbox
                .tell(tell::note("index", json!({ "state": state })));
        }
        if version != stage.version {
            self.begin_study();
            self.outbox.tell(tell::note("renewed", json!({})));
        }
        self.rebuild_if_calm();
    }

    /// Builds stale indexes again when nobody draws, beside the crowd that walks.
    fn rebuild_if_calm(&mut self) {
        let (sender, outbox) = (self.sender.clone(), self.outbox.clone());
        let Some(stage) = &mut self.stage else {
            return;
        };
        if stage.is_rebuilding || !stage.is_drawn_on || stage.last_stroke.elapsed() < CALM {
            return;
        }
        let Some(nav) = stage.nav.as_ref().filter(|_| !stage.is_providing) else {
            return;
        };
        if self.walkers.is_none() {
            nav.advance(1_000_000);
        }
        let states = nav.index_states();
        if !states
            .iter()
            .any(|(_, _, state)| *state == IndexState::Stale)
        {
            return;
        }
        let (jobs, generation) = (nav.rebuild_jobs(), stage.generation);
        if jobs.is_empty() {
            return;
        }
        stage.is_rebuilding = true;
        let stop = stage.stop.clone();
        let build = move || {
            let reporter = Reporter::new(&outbox, "index, again", None)
                .until(move || stop.load(Ordering::Relaxed));
            jobs.into_iter().for_each(|job| job.run(&reporter));
            let _ = sender.send(Command::Rebuilt(generation));
        };
        let thread = std::thread::Builder::new().name("rebuild".to_string());
        if thread.spawn(build).is_err() {
            stage.is_rebuilding = false;
        }
    }
}

/// Two places far from each other that a way leads between, to begin with.
fn two_places(map: &Map) -> (Point, Point) {
    let (width, height) = (map.grid().width(), map.grid().height());
    let largest = map.components().largest();
    let is_inside = |at: Point| {
        let cell = map.passable_cell(at);
        cell.is_some_and(|cell| map.components().of(cell) == largest)
    };
    let near = |x: u32, y: u32| {
        let rings = (0..width.max(height)).flat_map(|away| {
            let away = away as i64;
            (-away..=away).flat_map(move |d| [(d, -away), (d, away), (-away, d), (away, d)])
        });
        let mut places = rings.filter_map(|(dx, dy)| {
            let at = Point {
                x: u32::try_from(i64::from(x) + dx).ok()?,
                y: u32::try_from(i64::from(y) + dy).ok()?,
            };
            is_inside(at).then_some(at)
        });
        places.next().unwrap_or(Point { x: 0, y: 0 })
    };
    (
        near(width / 8, height / 2),
        near(width - width / 8, height / 2),
    )
}
