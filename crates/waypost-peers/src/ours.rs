//! Waypost's exact methods.

use crate::contender::{Builder, Contender};
use crate::queries::{Place, cell};
use waypost::agent::Scratch;
use waypost::index::cpd::PathDatabase;
use waypost::index::jump::JumpGraph;
use waypost::index::labels::{CornerLabels, LabelQuery, Settings};
use waypost::index::{Index, IndexKind, IndexRequest, Indexes, Shard, build};
use waypost::progress::NoProgress;
use waypost::search::jps::{Jps, JumpSearch, JumpSpace};
use waypost::search::{AStar, Dijkstra, PathSearch};
use waypost::spec::AgentSpec;
use waypost::{Agent, Cell, Context, Decision, Map, Navigator, Point};

/// All of them: searches called directly, and what the registry names beyond those as agents that walk their path.
pub fn builders() -> Vec<Builder> {
    let mut builders = vec![
        search::<AStar>("waypost astar"),
        search::<Dijkstra>("waypost dijkstra"),
        jumps("waypost jps", Jps::new),
        jumps("waypost jump-graph", JumpGraph::build),
        labels("waypost labels", 1),
        labels("waypost labels, 1/2", 2),
        labels("waypost labels, 1/4", 4),
        labels("waypost labels, 1/10", 10),
        navigator(),
        path_database(),
    ];
    let specs = ["astar:landmarks=10", "tables"];
    builders.extend(specs.into_iter().filter_map(agent));
    builders
}

/// Writes cells as the points that callers of all contenders get.
fn write(map: &Map, cells: &[Cell], path: &mut Vec<Place>) {
    path.extend(cells.iter().map(|&cell| {
        let point = map.grid().point(cell);
        (point.x, point.y)
    }));
}

/// A search called directly.
pub struct Search<'a, R: ?Sized> {
    map: &'a Map,
    search: Box<R>,
    cells: Vec<Cell>,
}

impl<'a, R: ?Sized> Search<'a, R> {
    /// A search on a map.
    pub fn new(map: &'a Map, search: Box<R>) -> Search<'a, R> {
        Search {
            map,
            search,
            cells: Vec::new(),
        }
    }
}

impl<R: PathSearch<Map> + ?Sized> Contender for Search<'_, R> {
    fn find(&mut self, from: Place, to: Place, path: &mut Vec<Place>) -> bool {
        let (from, to) = (cell(self.map, from), cell(self.map, to));
        self.search.begin(self.map, from, to);
        self.search.advance(self.map, u64::MAX);
        let found = self.search.path_into(self.map, &mut self.cells).is_some();
        if found {
            write(self.map, &self.cells, path);
        }
        found
    }

    fn expansions(&self) -> Option<u64> {
        Some(self.search.expansions())
    }
}

fn search<R: PathSearch<Map> + Default + 'static>(name: &str) -> Builder {
    Builder {
        name: name.to_string(),
        build: Box::new(|map| Ok(Box::new(Search::new(map, Box::new(R::default()))))),
    }
}

/// Jump point search, on-line or over a stored graph.
struct Jumps<'a, J> {
    map: &'a Map,
    space: J,
    search: JumpSearch,
}

impl<J: JumpSpace> Contender for Jumps<'_, J> {
    fn find(&mut self, from: Place, to: Place, path: &mut Vec<Place>) -> bool {
        let point = |(x, y): Place| Point { x, y };
        let (from, to) = (point(from), point(to));
        let Some(runs) = self.search.shortest(&self.space, self.map, from, to) else {
            return false;
        };
        runs.extend_points(path, |point| (point.x, point.y));
        true
    }

    fn expansions(&self) -> Option<u64> {
        Some(self.search.expansions())
    }
}

pub fn jumps<J: JumpSpace + 'static>(name: &str, prepare: fn(&Map) -> J) -> Builder {
    Builder {
        name: name.to_string(),
        build: Box::new(move |map| {
            if map.ground().is_some() {
                return Err("jump points need moves that cost the same everywhere".to_string());
            }
            if !map.rules().has_diagonals() {
                return Err("jump points are those of eight ways".to_string());
            }
            Ok(Box::new(Jumps {
                map,
                space: prepare(map),
                search: JumpSearch::new(),
            }))
        }),
    }
}

/// Corner labels, asked for whole paths.
struct Labels {
    labels: CornerLabels,
    query: LabelQuery,
}

impl Contender for Labels {
    fn find(&mut self, from: Place, to: Place, path: &mut Vec<Place>) -> bool {
        let point = |(x, y): Place| Point { x, y };
        let Some(runs) = self.query.path(&self.labels, point(from), point(to)) else {
            return false;
        };
        runs.extend_points(path, |point| (point.x, point.y));
        true
    }
}

/// The front door, with whatever `auto` has chosen.
struct Door(Navigator);

impl Contender for Door {
    fn find(&mut self, from: Place, to: Place, path: &mut Vec<Place>) -> bool {
        let Ok(found) = self.0.path(from, to) else {
            return false;
        };
        path.extend(found.points().iter().map(|point| (point.x, point.y)));
        true
    }
}

fn navigator() -> Builder {
    Builder {
        name: "waypost Navigator::path".to_string(),
        build: Box::new(|map| {
            let built = Navigator::build(map.clone());
            built
                .map(|navigator| Box::new(Door(navigator)) as Box<dyn Contender>)
                .map_err(|error| error.to_string())
        }),
    }
}

/// Labels that are to fit this part of what all of them take.
fn labels(name: &str, part: u64) -> Builder {
    Builder {
        name: name.to_string(),
        build: Box::new(move |map| {
            if !map.rules().has_diagonals() {
                return Err("corners are those of eight ways".to_string());
            }
            let build = |settings| {
                CornerLabels::build(map, settings, &NoProgress).map_err(|error| error.to_string())
            };
            let mut labels = build(Settings::default())?;
            if part > 1 {
                labels = build(Settings {
                    fit_bytes: Some(labels.to_bytes().as_ref().len() as u64 / part),
                    ..Settings::default()
                })?;
            }
            Ok(Box::new(Labels {
                labels,
                query: LabelQuery::new(),
            }))
        }),
    }
}

/// A compressed path database, asked for whole paths.
struct DatabasePaths<'a> {
    map: &'a Map,
    database: PathDatabase,
    cells: Vec<Cell>,
}

impl Contender for DatabasePaths<'_> {
    fn find(&mut self, from: Place, to: Place, path: &mut Vec<Place>) -> bool {
        let (from, to) = (cell(self.map, from), cell(self.map, to));
        let found = self.database.path_into(from, to, &mut self.cells);
        write(self.map, &self.cells, path);
        found.is_some()
    }
}

fn path_database() -> Builder {
    Builder {
        name: "waypost cpd".to_string(),
        build: Box::new(|map| {
            let request = IndexRequest::new(IndexKind::Cpd);
            let database = PathDatabase::build(map, &request, &NoProgress)
                .map_err(|error| error.to_string())?;
            Ok(Box::new(DatabasePaths {
                map,
                database,
                cells: Vec::new(),
            }))
        }),
    }
}

/// Any algorithm of the registry, asked for one move after another until it arrives.
struct Walker<'a> {
    map: &'a Map,
    agent: Box<dyn Agent<Map>>,
    scratch: Scratch,
    cells: Vec<Cell>,
    expansions: u64,
}

impl Contender for Walker<'_> {
    fn find(&mut self, from: Place, to: Place, path: &mut Vec<Place>) -> bool {
        let (from, to) = (cell(self.map, from), cell(self.map, to));
        let mut context = Context::new(self.map, &mut self.scratch);
        self.cells.clear();
        self.cells.push(from);
        self.agent.start(&mut context, from, to);
        let mut at = from;
        let most_moves = self.map.grid().passable_count();
        let mut last = Decision::Thinking;
        while (self.cells.len() as u64) <= most_moves {
            last = self.agent.next_move(&mut context, at);
            let Decision::Step(next) = last else {
                break;
            };
            self.cells.push(next);
            at = next;
        }
        write(self.map, &self.cells, path);
        self.expansions = context.meter.expansions;
        last == Decision::Arrived
    }

    fn expansions(&self) -> Option<u64> {
        Some(self.expansions)
    }
}

/// `None` where this version has no such algorithm.
fn agent(spec: &'static str) -> Option<Builder> {
    AgentSpec::parse(spec).ok()?;
    Some(Builder {
        name: format!("waypost {spec}"),
        build: Box::new(move |map| {
            let spec = AgentSpec::parse(spec).map_err(|error| error.to_string())?;
            let mut indexes = Indexes::new();
            for request in spec.needs() {
                let index = build(map, &request, Shard::WHOLE, &NoProgress);
                indexes.add(index.map_err(|error| error.to_string())?);
            }
            let agent = spec
                .build(map, &indexes)
                .map_err(|error| error.to_string())?;
            Ok(Box::new(Walker {
                map,
                agent,
                scratch: Scratch::new(),
                cells: Vec::new(),
                expansions: 0,
            }))
        }),
    })
}
