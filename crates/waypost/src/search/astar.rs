//! A* on grids. See [`super::best_first`] for the loop and [`super::pruning`] for what it leaves out.

use super::PathSearch;
use super::best_first::{BestFirst, Status};
use super::nodes::{NodeMemory, Stamped};
use super::surface::{GridSurface, RowsOrCached};
use crate::cost::{Cost, UNREACHED};
use crate::grid::Cell;
use crate::grid::pruning::Pruning;
use crate::heuristic::{GridHeuristic, Heuristic, Octile, Weight, Weighted, Zero};
use crate::map::Map;
use crate::open_list::{Buckets, OpenList};
use crate::space::Space;
use crate::trace::Event;

/// The question that a search answers.
#[derive(Clone, Copy, Debug)]
struct Problem {
    from: Cell,
    to: Cell,
    limit: Cost,
    state: u64,
    /// The estimate's keys grow by more than the open list can hold: the octile distance serves instead.
    plain: bool,
}

/// Where a search reads which of the cells around a cell are passable.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Default)]
pub enum Successors {
    /// In the map's [`crate::grid::Surroundings`], a byte per cell.
    #[default]
    Cached,
    /// In the rows of bits.
    Rows,
}

/// What steers a search on a grid, beyond the problem.
#[derive(Clone, Debug, Default)]
pub struct Guide {
    /// What is left is estimated with this.
    pub heuristic: Heuristic,
    /// And multiplied by this.
    pub weight: Weight,
    /// Which successors are left out.
    pub pruning: Pruning,
    /// Where the passability of the cells around a cell is read.
    pub successors: Successors,
}

impl Guide {
    /// Whether there is no weight.
    fn is_light(&self, plain: bool) -> bool {
        plain || self.weight == Weight::ONE
    }

    /// Whether dominated moves are left out as far as what is kept with a map knows them.
    fn prunes_cached(&self) -> bool {
        self.pruning == Pruning::Dominated && self.successors == Successors::Cached
    }

    fn neighbourhoods<'a>(&self, map: &'a Map) -> RowsOrCached<'a> {
        match self.successors {
            Successors::Cached => RowsOrCached::Cached(map.surroundings()),
            Successors::Rows => RowsOrCached::Rows(map.grid().rows()),
        }
    }

    fn heuristic_on(&self, map: &Map, plain: bool) -> &Heuristic {
        if plain {
            &Heuristic::Octile
        } else {
            self.heuristic.for_map(map)
        }
    }

    /// The most by which a successor's key exceeds its parent's.
    fn growth(&self, map: &Map, from: Cell, to: Cell) -> Cost {
        let weighted = Weighted {
            estimate: self.heuristic.for_map(map).between(map, from, to),
            weight: self.weight,
        };
        weighted.growth(map.max_step_cost())
    }
}

/// A* on grids, generic over its memory and its open list. [`AStar`] is the one to use; the others exist so that the worth
/// of each choice can be measured ([`super::SearchOptions`]).
#[derive(Clone, Debug, Default)]
pub struct GridSearch<M, O> {
    search: BestFirst<M, O>,
    guide: Guide,
    problem: Option<Problem>,
}

/// A* on grids. Keep one per thread: its memory is reused, and a search allocates nothing once the memory has grown to the
/// map.
///
/// ```
/// use waypost::search::{AStar, PathSearch, Status};
/// use waypost::{Grid, Map, MoveRules, Point};
///
/// let map = Map::new(Grid::from_fn(8, 8, |p| p.x != 4 || p.y == 7).unwrap(), MoveRules::default());
/// let from = map.passable_cell(Point { x: 0, y: 0 }).unwrap();
/// let to = map.passable_cell(Point { x: 7, y: 0 }).unwrap();
///
/// let mut search = AStar::new();
/// let path = search.shortest_path(&map, from, to).unwrap();
/// assert_eq!(path.cells.len(), 17);
///
/// // The same search in slices of ten nodes.
/// search.begin(&map, from, to);
/// while search.advance(&map, 10) == Status::Running {}
/// assert_eq!(search.cost(), Some(path.cost));
/// ```
pub type AStar = GridSearch<Stamped<u8>, Buckets>;

impl AStar {
    /// A search without memory yet, steered by the octile distance.
    pub fn new() -> AStar {
        AStar::default()
    }
}

/// The same on terrain: the octile distance with the default memory and open list is compiled apart.
macro_rules! on_ground {
    ($search:expr, $guide:expr, $map:expr, $ground:expr, $heuristic:expr, $problem:expr, $method:ident($($argument:expr),*)) => {{
        let Problem { from, to, plain, .. } = $problem;
        match $heuristic {
            Heuristic::Octile
                if M::FAVOURED
                    && O::FAVOURED
                    && $guide.is_light(plain)
                    && $guide.prunes_cached() =>
            {
                let octile = Octile::new($map.grid().point(to), $map.least_steps());
                let surface = GridSurface::new($map, octile, $guide.pruning);
                let surface = surface.on_moves($ground, $map.terrain_moves($ground));
                $search.$method(&surface, $($argument),*)
            }
            heuristic
                if M::FAVOURED && O::FAVOURED && $guide.prunes_cached() =>
            {
                let estimate = Weighted {
                    estimate: heuristic.between($map, from, to),
                    weight: if plain { Weight::ONE } else { $guide.weight },
                };
                let surface = GridSurface::new($map, estimate, $guide.pruning);
                let surface = surface.on_moves($ground, $map.terrain_moves($ground));
                $search.$method(&surface, $($argument),*)
            }
            heuristic => {
                let estimate = Weighted {
                    estimate: heuristic.between($map, from, to),
                    weight: if plain { Weight::ONE } else { $guide.weight },
                };
                let surface = GridSurface::new($map, estimate, $guide.pruning);
                let surface = surface.with($guide.neighbourhoods($map));
                $search.$method(&surface.on_ground($ground, $map.rules()), $($argument),*)
            }
        }
    }};
}

/// Calls a method of the search with the surface that the guide asks for. With the default memory and open list the octile
/// distance, on cached neighbourhoods or bit rows, and landmarks on cached ones are compiled apart; everything else shares one
/// surface that decides by branches.
macro_rules! with_surface {
    ($search:expr, $guide:expr, $map:expr, $problem:expr, $method:ident($($argument:expr),*)) => {{
        let (guide, map): (&Guide, &Map) = ($guide, $map);
        let Problem { from, to, plain, .. } = $problem;
        match (guide.heuristic_on(map, plain), map.ground()) {
            (heuristic, Some(ground)) => {
                on_ground!($search, guide, map, ground, heuristic, $problem, $method($($argument),*))
            }
            (Heuristic::Octile, _) if M::FAVOURED && O::FAVOURED && guide.is_light(plain) => {
                let octile = Octile::new(map.grid().point(to), map.least_steps());
                let surface = GridSurface::new(map, octile, guide.pruning);
                match guide.neighbourhoods(map) {
                    RowsOrCached::Cached(cached) => {
                        $search.$method(&surface.with(cached), $($argument),*)
                    }
                    RowsOrCached::Rows(_) => $search.$method(&surface, $($argument),*),
                }
            }
            (Heuristic::Differential(landmarks), _)
                if M::FAVOURED
                    && O::FAVOURED
                    && guide.is_light(plain)
                    && guide.successors == Successors::Cached =>
            {
                let estimate = landmarks.differential(map, from, to);
                let surface = GridSurface::new(map, estimate, guide.pruning);
                let surface = surface.with(map.surroundings());
                $search.$method(&surface, $($argument),*)
            }
            (heuristic, _) => {
                let estimate = Weighted {
                    estimate: heuristic.between(map, from, to),
                    weight: if plain { Weight::ONE } else { guide.weight },
                };
                let surface = GridSurface::new(map, estimate, guide.pruning);
                let surface = surface.with(guide.neighbourhoods(map));
                $search.$method(&surface, $($argument),*)
            }
        }
    }};
}

impl<M: NodeMemory<Link = u8>, O: OpenList> GridSearch<M, O> {
    /// A search with an open list of the caller's.
    pub(crate) fn with_open(open: O) -> GridSearch<M, O> {
        GridSearch {
            search: BestFirst::with_open(open),
            guide: Guide::default(),
            problem: None,
        }
    }

    /// Steers the searches that begin from now on. The one under way, if any, is dropped.
    pub fn steer(&mut self, guide: Guide) {
        self.guide = guide;
        self.problem = None;
        self.search.refuse();
    }

    /// Begins a search for a path that costs at most `limit`.
    pub(crate) fn begin_within(&mut self, map: &Map, from: Cell, to: Cell, limit: Cost) {
        let mut problem = Problem {
            from,
            to,
            limit: limit.min(UNREACHED - 1),
            state: map.fingerprint(),
            plain: false,
        };
        if map.connected(from, to) {
            problem.plain = self.guide.growth(map, from, to) > O::MAX_GROWTH;
            with_surface!(
                self.search,
                &self.guide,
                map,
                problem,
                begin(from, Some(to), problem.limit)
            );
        } else {
            self.search.refuse();
        }
        self.problem = Some(problem);
    }

    /// Bytes of reused memory.
    pub fn memory_bytes(&self) -> usize {
        self.search.memory_bytes()
    }

    /// The cost of the cheapest path between two cells if it is at most `limit`; searches no further than that.
    pub fn distance_within(
        &mut self,
        map: &Map,
        from: Cell,
        to: Cell,
        limit: Cost,
    ) -> Option<Cost> {
        self.begin_within(map, from, to, limit);
        self.advance(map, u64::MAX);
        self.cost()
    }
}

impl<M: NodeMemory<Link = u8>, O: OpenList> PathSearch<Map> for GridSearch<M, O> {
    fn begin(&mut self, map: &Map, from: Cell, to: Cell) {
        self.begin_within(map, from, to, UNREACHED - 1);
    }

    /// If the map has changed since the search began, it begins again.
    fn advance(&mut self, map: &Map, most_expansions: u64) -> Status {
        let Some(problem) = self.problem else {
            return Status::NotFound;
        };
        if problem.state != map.fingerprint() {
            self.begin_within(map, problem.from, problem.to, problem.limit);
        }
        if self.search.status() != Status::Running {
            return self.search.status();
        }
        with_surface!(
            self.search,
            &self.guide,
            map,
            problem,
            advance(most_expansions)
        )
    }

    fn path_into(&self, map: &Map, cells: &mut Vec<Cell>) -> Option<Cost> {
        let (cost, problem) = (self.search.cost()?, self.problem?);
        self.search.trace(&backwards(map), problem.to, cells);
        Some(cost)
    }

    fn cost(&self) -> Option<Cost> {
        self.search.cost()
    }

    fn expansions(&self) -> u64 {
        self.search.expansions()
    }

    fn last_expanded(&self, map: &Map) -> Option<Event> {
        self.search.last_expanded(&backwards(map))
    }

    fn used_bytes(&self) -> usize {
        self.search.used_bytes()
    }
}

/// Knows the way back from a link, which no estimate has a part in.
fn backwards(map: &Map) -> GridSurface<'_, Zero> {
    GridSurface::new(map, Zero, Pruning::None)
}
