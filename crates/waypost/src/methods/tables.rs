//! Paths from tables, and the agent `tables`.

use super::astar::OptionsPlanner;
use crate::agent::whole_path::{Planned, Planner, SearchPlanner, advance};
use crate::agent::{Agent, Context};
use crate::cost::Cost;
use crate::grid::Cell;
use crate::heuristic::tables::NO_STEP;
use crate::heuristic::{Heuristic, Tables};
use crate::index::tables::MAX_SIDE;
use crate::index::{IndexKind, IndexRequest, Indexes};
use crate::map::Map;
use crate::method::{AgentFactory, Algorithm, PlannerResult, SpecError, SpecText};
use crate::search::{AStar, GraphSearch, PathSearch, SearchOptions, Status};
use crate::space::Space;
use crate::trace::Trace;
use std::sync::Arc;

/// The cells at which zones touch, start and goal, with look-ups as edges.
struct ZoneSpace<'a> {
    tables: &'a Tables,
    map: &'a Map,
    goal: Cell,
}

impl Space for ZoneSpace<'_> {
    fn id_bound(&self) -> usize {
        self.map.grid().id_bound()
    }

    fn contains(&self, cell: Cell) -> bool {
        self.map.contains(cell)
    }

    fn for_each_neighbour(&self, cell: Cell, mut visit: impl FnMut(Cell, Cost)) {
        let (tables, grid) = (self.tables, self.map.grid());
        let zone = tables.zone(grid.point(cell));
        let mut inside = |other: Cell| {
            let pair = tables.pair(zone, cell, other);
            if tables.steps[pair] != NO_STEP {
                visit(other, tables.distances[pair]);
            }
        };
        tables.portals[zone].iter().for_each(|&other| inside(other));
        if tables.zone(grid.point(self.goal)) == zone {
            inside(self.goal);
        }
        for direction in self.map.legal(cell) {
            let next = grid.neighbour(cell, direction);
            if tables.zone(grid.point(next)) != zone {
                visit(next, self.map.step_cost(cell, direction));
            }
        }
    }

    fn heuristic(&self, from: Cell, to: Cell) -> Cost {
        self.map.heuristic(from, to)
    }

    fn connected(&self, a: Cell, b: Cell) -> bool {
        self.map.connected(a, b)
    }

    fn most_neighbours(&self) -> u32 {
        let most = self.tables.portals.iter().map(Vec::len).max();
        most.unwrap_or(0) as u32 + 9
    }

    fn cheapest_edge(&self) -> Cost {
        self.map.cheapest_edge()
    }

    fn max_edge_cost(&self) -> Cost {
        self.tables.highest
    }
}

/// Finds optimal paths with tables. Keep one per thread: its memory is reused.
#[derive(Clone, Debug, Default)]
pub struct ZoneSearch {
    search: GraphSearch,
    portals: Vec<Cell>,
}

impl ZoneSearch {
    /// A search without memory yet.
    pub fn new() -> ZoneSearch {
        ZoneSearch::default()
    }

    /// Writes the cells of an optimal path, start first, and returns its cost; `None` where there is no path or the tables
    /// belong to another map.
    pub fn path_into(
        &mut self,
        tables: &Tables,
        map: &Map,
        from: Cell,
        to: Cell,
        path: &mut Vec<Cell>,
    ) -> Option<Cost> {
        self.path_traced(tables, map, (from, to), path, None)
    }

    /// The same, with every expansion recorded where there is a trace.
    fn path_traced(
        &mut self,
        tables: &Tables,
        map: &Map,
        (from, to): (Cell, Cell),
        path: &mut Vec<Cell>,
        trace: Option<&mut Trace>,
    ) -> Option<Cost> {
        path.clear();
        if !tables.fits(map) || !map.connected(from, to) {
            return None;
        }
        path.push(from);
        if tables.is_whole() {
            follow(tables, map, to, path);
            return tables.distance(map, from, to);
        }
        let space = ZoneSpace {
            tables,
            map,
            goal: to,
        };
        self.search.begin(&space, from, to);
        if advance(&mut self.search, &space, u64::MAX, trace) != Status::Found {
            return None;
        }
        let cost = self.search.path_into(&space, &mut self.portals)?;
        for &next in self.portals.iter().skip(1) {
            follow(tables, map, next, path);
        }
        Some(cost)
    }

    /// Nodes expanded by the last search; 0 where a look-up was enough.
    pub fn expansions(&self) -> u64 {
        PathSearch::<ZoneSpace>::expansions(&self.search)
    }

    /// What the last search used of its memory.
    pub(crate) fn used_bytes(&self) -> usize {
        PathSearch::<ZoneSpace>::used_bytes(&self.search)
    }
}

/// Extends a path by steps of the tables; a cell of another zone is a neighbour.
fn follow(tables: &Tables, map: &Map, to: Cell, path: &mut Vec<Cell>) {
    while let Some(&at) = path.last() {
        match tables.step(map, at, to) {
            Some(direction) => path.push(map.grid().neighbour(at, direction)),
            None if at == to => break,
            None => {
                path.push(to);
                break;
            }
        }
    }
}

/// Plans with tables.
pub struct TablePlanner {
    tables: Arc<Tables>,
    search: ZoneSearch,
    /// For maps that have changed since: a table of the whole map guides A* where walls alone have gone up.
    guided: OptionsPlanner,
    /// For tables that lie: they know no way where there is one.
    cells: SearchPlanner<AStar>,
}

impl TablePlanner {
    /// Plans with these.
    pub fn new(tables: Arc<Tables>) -> TablePlanner {
        let heuristic = Heuristic::Table(tables.clone());
        TablePlanner {
            tables,
            search: ZoneSearch::new(),
            guided: OptionsPlanner::new(SearchOptions {
                heuristic,
                ..SearchOptions::default()
            }),
            cells: SearchPlanner::new(|scratch| &mut scratch.astar),
        }
    }
}

impl Planner<Map> for TablePlanner {
    fn plan(
        &mut self,
        context: &mut Context<Map>,
        from: Cell,
        goal: Cell,
        path: &mut Vec<Cell>,
    ) -> Planned {
        if !self.tables.fits(context.space) {
            return self.guided.plan(context, from, goal, path);
        }
        let trace = context.trace.as_deref_mut();
        let ends = (from, goal);
        let found = self
            .search
            .path_traced(&self.tables, context.space, ends, path, trace);
        if !self.tables.is_whole() {
            context.meter.expansions += self.search.expansions();
        }
        context.meter.look_ups += path.len() as u64;
        match found {
            Some(_) => Planned::Path,
            None if context.space.components().connected(from, goal) => {
                self.cells.plan(context, from, goal, path)
            }
            None => Planned::NoPath,
        }
    }

    fn memory_bytes(&self) -> usize {
        if self.tables.is_whole() {
            0
        } else {
            self.search.used_bytes()
        }
    }
}

/// `tables`.
pub(crate) static ALGORITHM: Algorithm = Algorithm {
    name: "tables",
    about: "all-pairs tables: optimal paths by look-ups on small maps, zone by zone on larger ones",
    keys: &[(
        "zone",
        "the side of a zone from 2 to 20, or 0 for one table of the whole map; default 0",
    )],
    parse: |text: &SpecText| -> Result<Box<dyn AgentFactory>, SpecError> {
        let expected = "0, or a side from 2 to 20";
        let zone = text.value("zone", 0u32, expected, |&side| {
            side == 0 || (2..=MAX_SIDE).contains(&side)
        })?;
        Ok(Box::new(Factory { zone }))
    },
};

struct Factory {
    zone: u32,
}

impl Factory {
    fn request(&self) -> IndexRequest {
        IndexRequest::new(IndexKind::Tables).with("zone", self.zone)
    }
}

impl AgentFactory for Factory {
    fn needs(&self) -> Vec<IndexRequest> {
        vec![self.request()]
    }

    fn build(&self, map: &Map, indexes: &Indexes) -> Result<Box<dyn Agent<Map>>, String> {
        self.whole_paths(map, indexes)
    }

    fn planner(&self, map: &Map, indexes: &Indexes) -> PlannerResult {
        let tables = indexes.find(map, &self.request())?;
        Ok(Some(Box::new(TablePlanner::new(tables))))
    }
}

#[cfg(test)]
#[path = "tables_tests.rs"]
mod tests;
