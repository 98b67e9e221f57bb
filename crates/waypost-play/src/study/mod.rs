//! What takes long and must not keep the crowd waiting: searches, layers, traces. A thread does it on a fork of the world, to which
//! all patches are sent too.

mod layers;
mod search;

pub use layers::LayerWish;
pub use search::SearchWish;

use crate::limits::Limits;
use crate::outbox::Outbox;
use crate::protocol::tell;
use crate::reporter::Reporter;
use layers::Layers;
use search::Found;
use std::sync::Arc;
use std::sync::atomic::{AtomicU32, Ordering};
use std::sync::mpsc::{Receiver, SyncSender, TrySendError, sync_channel};
use waypost::grid::GridPatch;
use waypost::index::IndexRequest;
use waypost::prelude::*;

/// Tasks that may wait.
const MAX_TASKS: usize = 512;
/// Operations of repair that are done before a search: an index in step gives the better paths.
const REPAIR: u64 = 2_000_000;

/// What the thread is asked for.
pub enum Task {
    /// The map has changed.
    Patch(GridPatch),
    /// A search; of several for one place the latest is done.
    Search(SearchWish),
    /// A layer; of several the latest is made.
    Layer(LayerWish),
    /// The last search as a trace for Posthoc; of several that wait the latest is written. The number is its turn, which the study gives.
    Trace(u32),
}

/// The world's end.
pub struct Study {
    tasks: SyncSender<Task>,
    latest: Arc<Latest>,
}

/// The numbers of the latest wishes: older ones need not be granted.
#[derive(Default)]
struct Latest {
    searches: [AtomicU32; 2],
    layers: AtomicU32,
    traces: AtomicU32,
    /// The layer that is looked at, counted from 1; 0 for none.
    looked_at: Arc<AtomicU32>,
}

impl Latest {
    fn is_superseded(&self, slot: u8, turn: u32) -> bool {
        self.searches[usize::from(slot)].load(Ordering::Relaxed) != turn
    }
}

/// The tasks of a world that are full: too much is asked for at once.
#[derive(Debug)]
pub struct Overwhelmed;

impl Study {
    /// Begins with a fork of the world.
    pub fn begin(fork: Navigator, outbox: Outbox, limits: Limits) -> Study {
        let (tasks, queue) = sync_channel(MAX_TASKS);
        let latest = Arc::new(Latest::default());
        let desk = Desk {
            nav: fork,
            outbox,
            limits,
            latest: latest.clone(),
            found: [None, None],
            layers: Layers::default(),
        };
        let thread = std::thread::Builder::new().name("study".to_string());
        // Without a thread every task is refused: the queue has no other end.
        let _ = thread.spawn(move || desk.work(queue));
        Study { tasks, latest }
    }

    /// Asks for something.
    pub fn ask(&self, mut task: Task) -> Result<(), Overwhelmed> {
        match &mut task {
            Task::Search(wish) => {
                let [first, second] = &self.latest.searches;
                let place = if wish.slot == 0 { first } else { second };
                wish.turn = 1 + place.fetch_add(1, Ordering::Relaxed);
                if wish.slot == 0 {
                    // The page asks for the second after the first, or not at all.
                    second.fetch_add(1, Ordering::Relaxed);
                }
            }
            Task::Layer(wish) => {
                wish.turn = 1 + self.latest.layers.fetch_add(1, Ordering::Relaxed);
                let layer = 1 + wish.layer as u32;
                self.latest.looked_at.store(layer, Ordering::Relaxed);
            }
            Task::Trace(turn) => {
                *turn = 1 + self.latest.traces.fetch_add(1, Ordering::Relaxed);
            }
            Task::Patch(_) => {}
        }
        match self.tasks.try_send(task) {
            Ok(()) => Ok(()),
            Err(TrySendError::Full(_) | TrySendError::Disconnected(_)) => Err(Overwhelmed),
        }
    }
}

impl Study {
    /// No layer is looked at any more.
    pub fn forget_layers(&self) {
        self.latest.layers.fetch_add(1, Ordering::Relaxed);
        self.latest.looked_at.store(0, Ordering::Relaxed);
    }
}

/// The thread's end.
struct Desk {
    nav: Navigator,
    outbox: Outbox,
    limits: Limits,
    latest: Arc<Latest>,
    found: [Option<Found>; 2],
    layers: Layers,
}

impl Desk {
    fn work(mut self, queue: Receiver<Task>) {
        while let Ok(task) = queue.recv() {
            if self.outbox.has_ended() {
                return;
            }
            match task {
                Task::Patch(patch) => {
                    self.nav.patch(&patch);
                    self.layers.forget();
                }
                Task::Search(wish) => {
                    if !self.is_superseded(&wish) {
                        self.nav.advance(REPAIR);
                        self.search(wish);
                    }
                }
                Task::Layer(wish) => {
                    if self.latest.layers.load(Ordering::Relaxed) == wish.turn {
                        self.layer(&wish);
                    }
                }
                Task::Trace(turn) => {
                    if self.latest.traces.load(Ordering::Relaxed) == turn {
                        self.trace();
                    }
                }
            }
        }
    }

    /// Whether a later search for the same place is asked for, or none for it any more.
    fn is_superseded(&self, wish: &SearchWish) -> bool {
        self.latest.is_superseded(wish.slot, wish.turn)
    }

    /// Makes sure that the indexes of a search are there, or says why they cannot be; given up when the search is superseded.
    fn provide(&self, requests: &[IndexRequest], wish: &SearchWish) -> Result<(), String> {
        let (latest, slot, turn) = (self.latest.clone(), wish.slot, wish.turn);
        let stop = move || latest.is_superseded(slot, turn);
        provide(&self.nav, requests, &self.outbox, &self.limits, stop)
    }

    /// The same for the layer that is looked at; given up when another is, or none.
    fn provide_layer(&self, request: IndexRequest) -> Result<(), String> {
        let looked_at = self.latest.looked_at.clone();
        let layer = looked_at.load(Ordering::Relaxed);
        let stop = move || looked_at.load(Ordering::Relaxed) != layer;
        provide(&self.nav, &[request], &self.outbox, &self.limits, stop)
    }
}

/// Builds the indexes that are missing in a world, within the limits, until it is to stop.
pub fn provide(
    nav: &Navigator,
    requests: &[IndexRequest],
    outbox: &Outbox,
    limits: &Limits,
    stop: impl Fn() -> bool + Clone + Send + Sync + 'static,
) -> Result<(), String> {
    for request in requests {
        let (known, bytes) = {
            let indexes = nav.world().indexes();
            let bytes: usize = indexes.iter().map(|index| index.memory_bytes()).sum();
            (indexes.has(request), bytes as u64)
        };
        if known {
            continue;
        }
        if bytes > limits.index_bytes {
            return Err(format!(
                "the indexes of this map take {bytes} bytes already, of {} that they may; open the map again to begin without",
                limits.index_bytes
            ));
        }
        let name = request.kind.name();
        let what = format!("index `{name}`");
        let reporter = Reporter::new(outbox, what, Some(limits.build)).until(stop.clone());
        let built = nav.world().provide_watched(request, &reporter);
        if built.is_err() && reporter.is_late() {
            return Err(format!(
                "the index `{name}` of this map takes longer than {} s to build; choose a smaller map, or build it once with `waypost build`",
                limits.build.as_secs()
            ));
        }
        built.map_err(|error| error.to_string())?;
    }
    Ok(())
}

impl Desk {
    fn trouble(&self, words: impl Into<String>) {
        self.outbox.tell(tell::trouble(words));
    }
}
