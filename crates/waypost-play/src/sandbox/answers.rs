//! Searches, crowds and exports: asked for here, done where there is time for them.

use super::{Command, Sandbox};
use crate::protocol::ask::Export;
use crate::protocol::tell::{self, Kind, with_bytes};
use crate::snippets;
use crate::source;
use crate::study::{self, SearchWish, Task};
use crate::walkers::{Walkers, Wish};
use serde_json::json;
use std::sync::atomic::Ordering;
use waypost::spec::AgentSpec;

/// Free cells of a map that a link may hold: more would not fit an address.
const MAX_LINKED: u64 = 2_000_000;

impl Sandbox {
    /// Hands a task to the study; where it is overwhelmed or has lost track of the map, it begins again.
    pub(super) fn study(&mut self, task: Task) {
        let Some(stage) = &self.stage else {
            return;
        };
        if stage.nav.is_none() {
            return;
        }
        if stage.study.is_none() {
            self.begin_study();
        }
        let study = self.stage.as_ref().and_then(|stage| stage.study.as_ref());
        if study.is_none_or(|study| study.ask(task).is_err()) {
            self.trouble("too much is asked for at once; wait a moment");
        }
    }

    pub(super) fn search(&mut self, wish: SearchWish) {
        self.last_searches[usize::from(wish.slot)] = Some(wish.clone());
        if wish.slot == 0 {
            // The page asks for the second after the first, or not at all.
            self.last_searches[1] = None;
        }
        self.study(Task::Search(wish));
    }

    /// Makes a crowd, once the indexes that its method needs are there.
    pub(super) fn provide_crowd(&mut self, wish: Wish) {
        let most = self.ledger.limits.units;
        if wish.units > most {
            return self.trouble(format!(
                "a crowd of {} units; the playground takes up to {most}",
                wish.units
            ));
        }
        if wish.units == 0 {
            (self.walkers, self.wish) = (None, None);
            let facts = json!({ "units": 0, "epoch": self.epoch, "spec": wish.spec });
            return self.outbox.tell(tell::note("crowd", facts));
        }
        let spec = match AgentSpec::parse(&wish.spec) {
            Ok(spec) => spec,
            Err(error) => return self.trouble(error.to_string()),
        };
        let Some(stage) = &mut self.stage else {
            return;
        };
        let Some(nav) = stage.nav.clone() else {
            // It comes when the index is there.
            self.wish = Some(wish);
            return;
        };
        if stage.is_providing {
            return self.trouble("another index is being built; wait for it");
        }
        let needs = spec.needs();
        if needs
            .iter()
            .all(|request| nav.world().indexes().has(request))
        {
            return self.make_crowd(wish);
        }
        stage.is_providing = true;
        let (generation, cells) = (stage.generation, stage._cells.clone());
        let (sender, outbox, limits) =
            (self.sender.clone(), self.outbox.clone(), self.ledger.limits);
        let build = move || {
            let result = study::provide(&nav, &needs, &outbox, &limits, || false);
            let _ = sender.send(Command::Provided(generation, wish, result));
            drop(cells);
        };
        let thread = std::thread::Builder::new().name("provide".to_string());
        if thread.spawn(build).is_err() {
            stage.is_providing = false;
            self.trouble("the system gives no more threads; close some tabs");
        }
    }

    pub(super) fn make_crowd(&mut self, wish: Wish) {
        let nav = self.stage.as_ref().and_then(|stage| stage.nav.as_ref());
        let Some(nav) = nav else {
            return;
        };
        self.epoch += 1;
        match Walkers::new(nav, &wish, self.epoch) {
            Ok(mut walkers) => {
                let facts = json!({
                    "units": walkers.len(), "asked": wish.units, "epoch": self.epoch, "spec": walkers.spec,
                    "exclusive": walkers.exclusive,
                });
                self.outbox.tell(tell::note("crowd", facts));
                self.outbox.show_units(walkers.show());
                (self.walkers, self.wish) = (Some(walkers), Some(wish));
                self.due = std::time::Instant::now();
            }
            Err(words) => self.trouble(words),
        }
    }

    pub(super) fn export(&mut self, what: Export) {
        match what {
            Export::Trace => self.study(Task::Trace(0)),
            Export::Lines => self.tell_lines(),
            Export::Map | Export::Link => self.export_map(what == Export::Link),
        }
    }

    /// The map as a file, or packed for a link; on a thread of its own, one at a time.
    fn export_map(&self, packed: bool) {
        let Some(stage) = &self.stage else {
            return;
        };
        let classes = stage.opened.classes.as_deref();
        let name = source::saved_name(&stage.opened.name, classes);
        let costs = classes.map(source::costs_of).unwrap_or_default();
        // A seed says it all where nobody has drawn.
        let seeded = stage.opened.seeded.as_ref();
        let seeded = seeded.filter(|_| packed && !stage.is_drawn_on);
        let kind = if packed { "link" } else { "text/plain" };
        let facts = json!({ "name": name, "type": kind, "seeded": seeded, "costs": costs });
        if seeded.is_some() {
            return self.outbox.tell(with_bytes(Kind::File, &facts, &[]));
        }
        let cells = stage.scene.world.map().grid().passable_count();
        if packed && cells > MAX_LINKED {
            return self.trouble(format!(
                "a map of {cells} free cells is too large for a link; save it as a file"
            ));
        }
        if stage.is_exporting.swap(true, Ordering::Relaxed) {
            return self.trouble("the map is being written already; wait for it");
        }
        let (scene, outbox, is_exporting) = (
            stage.scene.clone(),
            self.outbox.clone(),
            stage.is_exporting.clone(),
        );
        let write = move || {
            let doors = scene.doors();
            let classes = scene.classes.as_deref();
            let file = source::to_file(scene.world.map().grid(), doors.as_ref(), classes);
            let bytes = if packed { source::pack(&file) } else { file };
            is_exporting.store(false, Ordering::Relaxed);
            outbox.tell(with_bytes(Kind::File, &facts, &bytes));
        };
        let thread = std::thread::Builder::new().name("export".to_string());
        if thread.spawn(write).is_err() {
            self.trouble("the system gives no more threads; close some tabs");
        }
    }

    fn tell_lines(&self) {
        let Some(stage) = &self.stage else {
            return;
        };
        let (opened, doors) = (&stage.opened, stage.scene.doors());
        let classes = opened.classes.as_deref();
        let is_drawn_on = stage.is_drawn_on || opened.is_linked;
        let saved = source::saved_name(&opened.name, classes);
        // Where somebody has drawn, and where a link was opened, the file is the one that the page saves.
        let costs = match is_drawn_on {
            true => Some(classes.map(source::costs_of).unwrap_or_default()),
            false => opened.letters.clone(),
        };
        let crowd = self.walkers.as_ref().zip(self.wish.as_ref());
        let searches = self.last_searches.iter().flatten();
        let scene = snippets::Scene {
            name: if is_drawn_on { &saved } else { &opened.name },
            seeded: opened.seeded.as_ref().filter(|_| !is_drawn_on),
            is_drawn_on,
            costs: costs.as_deref(),
            doors: doors.is_some_and(|doors| doors.passable_count() > 0),
            searches: searches
                .map(|s| (s.spec.as_str(), s.from, s.goal))
                .collect(),
            crowd: crowd.map(|(walkers, wish)| {
                let units = walkers.len() as u32;
                (units, wish.spec.as_str(), wish.exclusive, wish.seed)
            }),
        };
        self.outbox.tell(tell::note(
            "lines",
            json!({ "lines": scene.lines_on(opened.map.ground().is_some()) }),
        ));
    }
}
