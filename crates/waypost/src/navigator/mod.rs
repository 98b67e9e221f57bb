//! The front door: one object from a level to moving units.
//!
//! A [`Navigator`] is one world: its map, doors, unit types, indexes, scratch memory and their upkeep have one owner. Paths are
//! asked for by `&self`, from any thread, also while crowds walk; [`Navigator::patch`] changes the world, and paths see that at
//! once, crowds at their next tick. [`Navigator::fork`] makes another world, equal until one of them changes. Handles are cheap to
//! clone and name the same world.

mod batch;
mod build;
mod crowd;
mod error;
mod exact;
mod field;
mod file;
mod inspect;
mod level;
mod no_path;
mod path;
mod profile;
mod questions;
mod requests;
mod transform;
mod units;
mod upkeep;

pub use batch::{FoundPaths, PathBatch};
pub use build::BuildOptions;
pub use crowd::{Crowd, CrowdOptions, CrowdSnapshot, Event, Goal, TickReport, Unit, UnitId};
pub use error::Error;
pub use field::DistanceField;
pub use inspect::{Corner, Inspection, Region};
pub use level::{FileChoice, Tile};
pub use no_path::NoPath;
pub use path::Path;
pub use questions::SmoothPath;
pub use requests::{PathRequests, Request};
pub use transform::Transform;
pub use units::{BuiltUnitType, FIRST_UNIT_TYPE, UnitType, UnitTypeJob};

use crate::agent::Context;
use crate::agent::Scratch;
use crate::grid::{Cell, GridPatch, Point};
use crate::index::IndexKind;
use crate::index::slot::{IndexState, Published, RebuildJob};
use crate::map::Map;
use crate::search::jps::Run;
use crate::world::World;
use profile::{Dams, Profile};
use std::borrow::Borrow;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError, RwLock};

/// One world, as one type of unit sees it.
#[derive(Clone)]
pub struct Navigator {
    shared: Arc<Shared>,
    /// The unit type that questions are asked for.
    profile: Arc<Profile>,
}

struct Shared {
    /// All unit types; the first is the one of one cell.
    profiles: RwLock<Vec<Arc<Profile>>>,
    /// Held by whoever changes the world or takes it down whole, so that all unit types are at the same change.
    changes: Mutex<Dams>,
    options: BuildOptions,
    /// Memory of searches that no thread is at.
    scratch: Mutex<Vec<Scratch>>,
    /// Memory for runs of paths that nobody visits.
    runs: Mutex<Vec<Vec<Run>>>,
}

impl Shared {
    /// Keeps others from changing the world.
    fn hold(&self) -> MutexGuard<'_, Dams> {
        self.changes.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Navigator {
    /// Chooses the index that suits the map and builds it, on all cores.
    pub fn build(map: Map) -> Result<Navigator, Error> {
        Navigator::build_with(map, BuildOptions::default())
    }

    /// Another world, equal to this one until either changes. Repairs of indexes that are under way are under way there too;
    /// rebuilds stay with this one, and the other one's indexes are stale until it has rebuilt them itself.
    pub fn fork(&self) -> Result<Navigator, Error> {
        let dams = self.shared.hold();
        let profiles: Result<Vec<_>, Error> = self.profiles().iter().map(|p| p.fork()).collect();
        let options = self.shared.options.clone();
        let forked = Navigator::of(profiles?, dams.clone(), options)?;
        forked.for_unit(self.profile.unit().name())
    }

    fn of(
        profiles: Vec<Arc<Profile>>,
        dams: Dams,
        options: BuildOptions,
    ) -> Result<Navigator, Error> {
        let first = profiles.first().cloned();
        let profile = first.ok_or_else(|| Error::Map("a world without unit types".to_string()))?;
        Ok(Navigator {
            shared: Arc::new(Shared {
                profiles: RwLock::new(profiles),
                changes: Mutex::new(dams),
                options,
                scratch: Mutex::default(),
                runs: Mutex::default(),
            }),
            profile,
        })
    }

    fn profiles(&self) -> Vec<Arc<Profile>> {
        let profiles = self.shared.profiles.read();
        profiles.unwrap_or_else(PoisonError::into_inner).clone()
    }

    /// The map as it is now for this unit type, to hold on to: a copy that stays as it is, made once for every state of the map that
    /// is asked for.
    pub fn map(&self) -> Arc<Map> {
        self.profile.world().map_now()
    }

    /// The map as it is, for as long as a call takes: not for calls that lead out of the door.
    fn live_map(&self) -> Arc<Map> {
        self.profile.world().map()
    }

    /// The world below the door as this unit type sees it, for agents by name and other methods. What is patched there is not patched for
    /// other types: [`Navigator::patch`] changes the world for all.
    pub fn world(&self) -> &Arc<World> {
        self.profile.world()
    }

    /// Changes the world for all unit types, and says how many cells that changed for the first of them. Paths see it at once,
    /// crowds at their next tick. Patches from several threads are made one after the other, the same for all types.
    ///
    /// ```
    /// use waypost::prelude::*;
    /// # fn main() -> Result<(), waypost::Error> {
    /// let nav = Navigator::build(Map::from_fn(40, 30, |p| p.x != 20 || p.y == 7)?)?;
    /// assert_eq!(nav.patch(Patch::new().block((20, 7)).open_rect((20, 9), (1, 2))), 3);
    /// let again = Patch::new().open((20, 7)); // or by reference, to keep it
    /// assert_eq!((nav.patch(&again), nav.patch(&again)), (1, 0));
    /// # Ok(())
    /// # }
    /// ```
    pub fn patch(&self, patch: impl Borrow<GridPatch>) -> usize {
        let patch = patch.borrow();
        let mut dams = self.shared.hold();
        let profiles = self.profiles();
        let first = profiles[0].world();
        dams.note(&first.map(), patch);
        let changes = first.patch(patch);
        for profile in &profiles[1..] {
            profile.follow(&first.map(), &dams, patch, &changes);
        }
        changes.len()
    }

    /// Opens or closes one door, and says how many cells that changed.
    pub fn set_door(&self, at: impl Into<Point>, open: bool) -> Result<usize, Error> {
        let at = at.into();
        match open {
            true => self.set_doors([at], []),
            false => self.set_doors([], [at]),
        }
    }

    /// Opens and closes doors: a patch of cells that are doors of the map ([`Map::and_doors`]). Fails at the first point that is none,
    /// and changes nothing then.
    pub fn set_doors<P: Into<Point>>(
        &self,
        open: impl IntoIterator<Item = P>,
        close: impl IntoIterator<Item = P>,
    ) -> Result<usize, Error> {
        let patch = self.door_patch(open, close)?;
        Ok(self.patch(&patch))
    }

    /// Opens these doors; says how many cells that changed.
    pub fn open_doors<P: Into<Point>>(
        &self,
        doors: impl IntoIterator<Item = P>,
    ) -> Result<usize, Error> {
        self.set_doors(doors, [])
    }

    /// Closes these doors; says how many cells that changed.
    pub fn close_doors<P: Into<Point>>(
        &self,
        doors: impl IntoIterator<Item = P>,
    ) -> Result<usize, Error> {
        self.set_doors([], doors)
    }

    /// All doors in the order of cells, and whether each is open.
    ///
    /// ```
    /// use waypost::prelude::*;
    /// # fn main() -> Result<(), waypost::Error> {
    /// let map = Map::from_fn(40, 30, |p| p.x != 20 || p.y == 7)?;
    /// let nav = Navigator::build(map.and_doors([(20, 7)]))?;
    /// nav.set_door((20, 7), false)?;
    /// assert_eq!(nav.doors(), [((20, 7).into(), false)]);
    /// # Ok(())
    /// # }
    /// ```
    pub fn doors(&self) -> Vec<(Point, bool)> {
        let world = self.profiles()[0].world().clone();
        let map = world.map();
        let cells = map.doors().into_iter().flat_map(|doors| doors.cells());
        cells
            .map(|cell| (map.grid().point(cell), map.grid().is_passable(cell)))
            .collect()
    }

    /// The patch that [`set_doors`](Navigator::set_doors) makes, for those who change more with it.
    pub fn door_patch<P: Into<Point>>(
        &self,
        open: impl IntoIterator<Item = P>,
        close: impl IntoIterator<Item = P>,
    ) -> Result<GridPatch, Error> {
        let mut patch = GridPatch::new();
        let world = self.profiles()[0].world().clone();
        let map = world.map();
        let points = open.into_iter().map(|p| (p.into(), true));
        for (point, opens) in points.chain(close.into_iter().map(|p| (p.into(), false))) {
            let cell = map.grid().cell(point).ok_or(outside(&map, point))?;
            if !map.doors().is_some_and(|doors| doors.contains(cell)) {
                return Err(Error::NotADoor { point });
            }
            patch.set(point, opens);
        }
        Ok(patch)
    }

    /// A shortest path. An error says why there is none.
    ///
    /// ```
    /// use waypost::prelude::*;
    /// # fn main() -> Result<(), waypost::Error> {
    /// let nav = Navigator::build(Map::from_fn(40, 30, |p| p.x != 20 || p.y == 7)?)?;
    /// let path = nav.path((3, 4), (35, 28))?;
    /// assert_eq!(path.points()[0], (3, 4).into());
    /// assert!(path.length() > 40.0);
    /// # Ok(())
    /// # }
    /// ```
    pub fn path(&self, from: impl Into<Point>, goal: impl Into<Point>) -> Result<Path, Error> {
        let (from, goal) = (from.into(), goal.into());
        let map = self.live_map();
        let ends = NoPath::ends(&map, from, goal).map_err(|why| why.explained(&map))?;
        let mut scratch = self.borrow_scratch();
        let mut context = Context::new(&*map, &mut scratch);
        let path = self.profile.exact().path(&mut context, ends);
        self.give_back(scratch);
        path.ok_or_else(|| unreachable(&map, ends.0, from, goal))
    }

    /// [`Navigator::path`] without memory of its own: visits the runs of a shortest path, first to last, for callers that write
    /// paths where they need them, and says how long it is.
    ///
    /// ```
    /// use waypost::prelude::*;
    /// # fn main() -> Result<(), waypost::Error> {
    /// let nav = Navigator::build(Map::from_fn(40, 30, |p| p.x != 20 || p.y == 7)?)?;
    /// let mut steps = 0;
    /// let length = nav.path_runs((3, 4), (35, 28), |run| steps += run.steps as usize)?;
    /// assert_eq!((steps, length), (nav.path((3, 4), (35, 28))?.steps(), nav.distance((3, 4), (35, 28))?));
    /// # Ok(())
    /// # }
    /// ```
    pub fn path_runs(
        &self,
        from: impl Into<Point>,
        goal: impl Into<Point>,
        visit: impl FnMut(Run),
    ) -> Result<f64, Error> {
        self.runs_or(from.into(), goal.into(), visit, NoPath::explained)
    }

    /// The runs of a shortest path and its length, or what is made of its not being there.
    fn runs_or<E>(
        &self,
        from: Point,
        goal: Point,
        visit: impl FnMut(Run),
        refused: impl FnOnce(NoPath, &Map) -> E,
    ) -> Result<f64, E> {
        let spare = self.shared.runs.lock();
        let spare = spare.unwrap_or_else(PoisonError::into_inner).pop();
        let mut runs = spare.unwrap_or_default();
        runs.clear();
        let length = self.length_or(from, goal, |run| runs.push(run), refused);
        // The map is left to others by now.
        if length.is_ok() {
            runs.iter().copied().for_each(visit);
        }
        let spare = self.shared.runs.lock();
        spare.unwrap_or_else(PoisonError::into_inner).push(runs);
        length
    }

    /// The length of a shortest path whose runs are visited while the map stays as it is.
    fn length_or<E>(
        &self,
        from: Point,
        goal: Point,
        visit: impl FnMut(Run),
        refused: impl FnOnce(NoPath, &Map) -> E,
    ) -> Result<f64, E> {
        let map = self.live_map();
        let ends = match NoPath::ends(&map, from, goal) {
            Ok(ends) => ends,
            Err(why) => return Err(refused(why, &map)),
        };
        let mut scratch = self.borrow_scratch();
        let mut context = Context::new(&*map, &mut scratch);
        let length = self.profile.exact().length(&mut context, ends, visit);
        self.give_back(scratch);
        length.ok_or_else(|| refused(NoPath::Unreachable(from, goal), &map))
    }

    /// How long a shortest path is, a straight step being 1; on terrain what it costs.
    pub fn distance(&self, from: impl Into<Point>, goal: impl Into<Point>) -> Result<f64, Error> {
        self.length_or(from.into(), goal.into(), |_| {}, NoPath::explained)
    }

    /// Every cell whose cheapest path is at most so long, with its cost, row by row: where a unit can go this turn.
    ///
    /// ```
    /// use waypost::prelude::*;
    /// # fn main() -> Result<(), waypost::Error> {
    /// let nav = Navigator::build(Map::from_fn(40, 30, |p| p.x != 20 || p.y == 7)?)?;
    /// let near = nav.range((3, 4), 1.0)?;
    /// assert_eq!(near.len(), 5);
    /// assert_eq!(near[2], ((3, 4).into(), 0.0));
    /// # Ok(())
    /// # }
    /// ```
    pub fn range(&self, from: impl Into<Point>, cost: f64) -> Result<Vec<(Point, f64)>, Error> {
        let map = self.live_map();
        let from = standing(&map, from.into())?;
        let mut scratch = self.borrow_scratch();
        let reached = crate::questions::range(&map, &mut scratch.dijkstra, from, cost);
        self.give_back(scratch);
        let place =
            |r: &crate::questions::Reached| (map.grid().point(r.cell), map.length(r.length));
        Ok(reached.iter().map(place).collect())
    }

    /// The cell nearest to a goal that can be reached from a point: the goal itself where it can be. The goal may be a wall or
    /// outside the map.
    pub fn nearest_reachable(
        &self,
        from: impl Into<Point>,
        goal: impl Into<Point>,
    ) -> Option<Point> {
        let map = self.live_map();
        let from = map.passable_cell(from.into())?;
        let nearest = map.nearest_reachable(from, goal.into())?;
        Some(map.grid().point(nearest))
    }

    /// The cell nearest to a point that can be stood on, whatever can be reached from it.
    pub fn nearest_free(&self, point: impl Into<Point>) -> Option<Point> {
        nearest_free(&self.live_map(), point.into())
    }

    /// Whether a unit may stand there.
    pub fn is_free(&self, point: impl Into<Point>) -> bool {
        self.live_map().passable_cell(point.into()).is_some()
    }

    /// The states of the indexes of all unit types: name of the type, kind of index, state.
    pub fn index_states(&self) -> Vec<(String, IndexKind, IndexState)> {
        let states = |profile: &Arc<Profile>| {
            let name = profile.unit().name().to_string();
            let states: Vec<_> = profile.world().indexes().states().collect();
            states
                .into_iter()
                .map(move |(kind, state)| (name.clone(), kind, state))
        };
        self.profiles().iter().flat_map(states).collect()
    }

    /// Jobs that build again what is stale, to be run on threads of the game's own. What they have built is published by
    /// [`Navigator::advance`] or the ticks of crowds, in lockstep with them.
    pub fn rebuild_jobs(&self) -> Vec<RebuildJob> {
        let profiles = self.profiles();
        let jobs = profiles.iter().flat_map(|p| p.world().rebuild_jobs());
        jobs.collect()
    }

    /// Carries repairs and rebuilds of all unit types on for about this many operations each, and says what was published. Crowds
    /// do this with every tick; a world without crowds does it here.
    pub fn advance(&self, operations: u64) -> Vec<Published> {
        let profiles = self.profiles();
        let advanced = profiles.iter();
        advanced
            .filter_map(|p| p.world().keep_up(operations, true))
            .collect()
    }

    fn borrow_scratch(&self) -> Scratch {
        let free = self.shared.scratch.lock();
        let free = free.unwrap_or_else(PoisonError::into_inner).pop();
        free.unwrap_or_default()
    }

    fn give_back(&self, scratch: Scratch) {
        let free = self.shared.scratch.lock();
        free.unwrap_or_else(PoisonError::into_inner).push(scratch);
    }
}

impl std::fmt::Debug for Navigator {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let map = self.live_map();
        f.debug_struct("Navigator")
            .field("width", &map.grid().width())
            .field("height", &map.grid().height())
            .field("unit", &self.profile.unit().name())
            .finish_non_exhaustive()
    }
}

fn outside(map: &Map, point: Point) -> Error {
    Error::Outside {
        point,
        width: map.grid().width(),
        height: map.grid().height(),
    }
}

/// The cell at a point that can be stood on.
fn standing(map: &Map, point: Point) -> Result<Cell, Error> {
    let cell = map.grid().cell(point).ok_or_else(|| outside(map, point))?;
    if map.grid().is_passable(cell) {
        return Ok(cell);
    }
    let nearest = nearest_free(map, point);
    Err(Error::Wall { point, nearest })
}

fn unreachable(map: &Map, at: Cell, from: Point, goal: Point) -> Error {
    let nearest = map.nearest_reachable(at, goal);
    Error::Unreachable {
        from,
        goal,
        nearest: nearest.map(|cell| map.grid().point(cell)),
    }
}

/// The nearest cell that can be stood on, row by row outwards from the point.
fn nearest_free(map: &Map, point: Point) -> Option<Point> {
    let grid = map.grid();
    let costs = map.rules().costs;
    let clamp = |value: u32, side: u32| value.min(side - 1);
    let near = Point {
        x: clamp(point.x, grid.width()),
        y: clamp(point.y, grid.height()),
    };
    let mut best: Option<(u32, Point)> = None;
    let reach = grid.width().max(grid.height());
    for away in 0..reach {
        if best.is_some_and(|(cost, _)| cost <= away * costs.straight()) {
            break;
        }
        let (left, right) = (
            near.x.saturating_sub(away),
            (near.x + away).min(grid.width() - 1),
        );
        let (top, bottom) = (
            near.y.saturating_sub(away),
            (near.y + away).min(grid.height() - 1),
        );
        let ring = (left..=right)
            .flat_map(|x| [Point { x, y: top }, Point { x, y: bottom }])
            .chain((top..=bottom).flat_map(|y| [Point { x: left, y }, Point { x: right, y }]));
        for at in ring.filter(|&at| map.passable_cell(at).is_some()) {
            let (dx, dy) = at.distances(near);
            let cost = costs.octile(dx, dy);
            if best.is_none_or(|(least, known)| (cost, at.y, at.x) < (least, known.y, known.x)) {
                best = Some((cost, at));
            }
        }
    }
    best.map(|(_, at)| at)
}
