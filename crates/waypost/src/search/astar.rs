//! A* on grids: the fast one. See [`super::best_first`] for the loop and [`super::pruning`] for what it leaves out.

use super::PathSearch;
use super::best_first::{BestFirst, Status};
use super::nodes::Stamped;
use super::pruning::Pruning;
use super::surface::GridSurface;
use crate::cost::{Cost, UNREACHED};
use crate::grid::Cell;
use crate::heuristic::Octile;
use crate::map::Map;
use crate::open_list::Buckets;
use crate::space::Space;
use crate::trace::Event;

/// The question that a search answers.
#[derive(Clone, Copy, Debug)]
struct Problem {
    from: Cell,
    to: Cell,
    limit: Cost,
    revision: u64,
}

/// A* with the octile heuristic. Keep one per thread: its memory is reused, and a search allocates nothing once the
/// memory has grown to the map.
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
#[derive(Clone, Debug, Default)]
pub struct AStar {
    search: BestFirst<Stamped<u8>, Buckets>,
    problem: Option<Problem>,
}

impl AStar {
    /// A search without memory yet.
    pub fn new() -> AStar {
        AStar::default()
    }

    /// Begins a search for a path that costs at most `limit`.
    pub fn begin_within(&mut self, map: &Map, from: Cell, to: Cell, limit: Cost) {
        self.problem = Some(Problem {
            from,
            to,
            limit: limit.min(UNREACHED - 1),
            revision: map.grid().revision(),
        });
        if map.connected(from, to) {
            let surface = surface(map, to);
            self.search.begin(&surface, from, Some(to), limit);
        } else {
            self.search.refuse();
        }
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

impl PathSearch<Map> for AStar {
    fn begin(&mut self, map: &Map, from: Cell, to: Cell) {
        self.begin_within(map, from, to, UNREACHED - 1);
    }

    /// If the map has changed since the search began, it begins again.
    fn advance(&mut self, map: &Map, most_expansions: u64) -> Status {
        let Some(problem) = self.problem else {
            return Status::NotFound;
        };
        if problem.revision != map.grid().revision() {
            self.begin_within(map, problem.from, problem.to, problem.limit);
        }
        if self.search.status() != Status::Running {
            return self.search.status();
        }
        self.search
            .advance(&surface(map, problem.to), most_expansions)
    }

    fn path_into(&self, map: &Map, cells: &mut Vec<Cell>) -> Option<Cost> {
        let (cost, problem) = (self.search.cost()?, self.problem?);
        self.search
            .trace(&surface(map, problem.to), problem.to, cells);
        Some(cost)
    }

    fn cost(&self) -> Option<Cost> {
        self.search.cost()
    }

    fn expansions(&self) -> u64 {
        self.search.expansions()
    }

    fn last_expanded(&self, map: &Map) -> Option<Event> {
        let problem = self.problem?;
        self.search.last_expanded(&surface(map, problem.to))
    }

    fn used_bytes(&self) -> usize {
        self.search.used_bytes()
    }
}

fn surface(map: &Map, to: Cell) -> GridSurface<'_, Octile> {
    let octile = Octile::new(map.grid().point(to), map.rules().costs);
    GridSurface::new(map, octile, Pruning::Dominated)
}
