//! `astar` and `dijkstra`: whole optimal paths by search. The keys of `astar` are the switches of
//! [`SearchOptions`]; without any it is the fastest A* there is here.

use crate::agent::whole_path::{PlanProgress, Planned, Planner, SearchPlanner, WholePath, Work};
use crate::agent::{Agent, Budget, Context};
use crate::grid::Cell;
use crate::grid::pruning::Pruning;
use crate::heuristic::{Heuristic, Weight};
use crate::index::{IndexKind, IndexRequest, Indexes};
use crate::map::Map;
use crate::method::{AgentFactory, Algorithm, PlannerResult, SpecError, SpecText};
use crate::open_list::Ties;
use crate::search::{MemoryChoice, OpenChoice, PathSearch, SearchOptions, Successors};
use crate::space::ExplicitGraph;

/// `astar`.
pub static ASTAR: Algorithm = Algorithm {
    name: "astar",
    about: "A*: plans the whole optimal path on its first move and follows it",
    keys: &[
        ("landmarks", "differential heuristic with so many pivots"),
        ("canonical", "canonical heuristic with so many states"),
        (
            "heuristic",
            "octile, euclid, chebyshev, zero or table; default octile",
        ),
        (
            "weight",
            "multiplies the estimate; paths cost at most so many times the optimum; default 1",
        ),
        ("open", "open list: buckets, heap or array; default buckets"),
        (
            "front",
            "keep the best of the last pushed nodes in front of a heap or array; default off",
        ),
        ("ties", "a heap or array prefers larger g; default on"),
        ("memory", "stamped, fresh or hash; default stamped"),
        (
            "prune",
            "successors left out: dominated, parent or none; default dominated",
        ),
        (
            "successors",
            "cached (a byte per cell) or rows (from the bit rows); default cached",
        ),
        (
            "base",
            "what the other keys change: fast, or textbook with everything off; default fast",
        ),
    ],
    parse: |text| Ok(Box::new(Factory::parse(text)?)),
};

/// Where a built heuristic comes from.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Built {
    Nothing,
    Landmarks(usize),
    Canonical(usize),
    Table,
}

struct Factory {
    options: SearchOptions,
    built: Built,
    plain: bool,
}

/// The item of a list whose name a key gives.
fn named<T: Clone>(
    text: &SpecText,
    key: &str,
    default: T,
    names: &[(&str, T)],
) -> Result<T, SpecError> {
    let known: Vec<_> = names.iter().map(|(name, _)| *name).collect();
    let expected = known.join(", ");
    let name = text.value(key, String::new(), &expected, |value| {
        known.contains(&value.as_str())
    })?;
    let found = names.iter().find(|(known, _)| *known == name);
    Ok(found.map_or(default, |(_, value)| value.clone()))
}

impl Factory {
    fn parse(text: &SpecText) -> Result<Factory, SpecError> {
        let bases = [("fast", false), ("textbook", true)];
        let base = if named(text, "base", false, &bases)? {
            SearchOptions::textbook()
        } else {
            SearchOptions::default()
        };
        let built = built(text)?;
        let heuristics = [
            ("octile", Heuristic::Octile),
            ("euclid", Heuristic::Euclid),
            ("chebyshev", Heuristic::Chebyshev),
            ("zero", Heuristic::Zero),
            ("table", Heuristic::Octile),
        ];
        let weight = text.value("weight", 1.0f64, "a number from 0 to 1000", |&ratio| {
            Weight::new(ratio).is_some()
        })?;
        let weight = Weight::new(weight).unwrap_or_default();
        let opens = [
            ("buckets", OpenChoice::Buckets),
            ("heap", OpenChoice::Heap),
            ("array", OpenChoice::Array),
        ];
        // Keys of a canonical heuristic or a heavy weight leave the window of a ring of buckets.
        let wide =
            matches!(built, Built::Canonical(_)) || weight > Weight::new(64.0).unwrap_or_default();
        let default_open = if wide { OpenChoice::Heap } else { base.open };
        let open = named(text, "open", default_open, &opens)?;
        let ties = text.switch("ties", base.ties == Ties::LargerG)?;
        let options = SearchOptions {
            heuristic: named(text, "heuristic", base.heuristic, &heuristics)?,
            weight,
            open,
            front: text.switch("front", base.front)?,
            ties: if ties { Ties::LargerG } else { Ties::Unbroken },
            memory: named(
                text,
                "memory",
                base.memory,
                &[
                    ("stamped", MemoryChoice::Stamped),
                    ("fresh", MemoryChoice::Fresh),
                    ("hash", MemoryChoice::Hash),
                ],
            )?,
            pruning: named(
                text,
                "prune",
                base.pruning,
                &[
                    ("dominated", Pruning::Dominated),
                    ("parent", Pruning::Parent),
                    ("none", Pruning::None),
                ],
            )?,
            successors: named(
                text,
                "successors",
                base.successors,
                &[("cached", Successors::Cached), ("rows", Successors::Rows)],
            )?,
        };
        check_open(text, &options)?;
        Ok(Factory {
            options,
            built,
            plain: text.is_bare(),
        })
    }

    fn request(&self) -> Option<IndexRequest> {
        match self.built {
            Built::Nothing => None,
            Built::Landmarks(count) => {
                Some(IndexRequest::new(IndexKind::Landmarks).with("count", count))
            }
            Built::Canonical(count) => {
                Some(IndexRequest::new(IndexKind::Landmarks).with("canonical", count))
            }
            Built::Table => Some(IndexRequest::new(IndexKind::Tables).with("zone", 0)),
        }
    }

    fn heuristic(&self, map: &Map, indexes: &Indexes) -> Result<Heuristic, String> {
        let Some(request) = self.request() else {
            return Ok(self.options.heuristic.clone());
        };
        Ok(match self.built {
            Built::Landmarks(_) => Heuristic::Differential(indexes.find(map, &request)?),
            Built::Canonical(_) => Heuristic::Canonical(indexes.find(map, &request)?),
            _ => Heuristic::Table(indexes.find(map, &request)?),
        })
    }
}

/// The built heuristic that the keys ask for.
fn built(text: &SpecText) -> Result<Built, SpecError> {
    let number = |key: &str, most: usize, expected: &str| {
        text.value(key, 0, expected, |&n| (1..=most).contains(&n))
    };
    let landmarks = number("landmarks", 64, "a number from 1 to 64")?;
    let canonical = number("canonical", 2048, "a number from 1 to 2048")?;
    let table = text.text("heuristic") == Some("table");
    let asked = [
        landmarks > 0,
        canonical > 0,
        text.text("heuristic").is_some(),
    ];
    if asked.iter().filter(|&&asked| asked).count() > 1 {
        return Err(text.bad_value(
            "heuristic",
            "only one of heuristic, landmarks and canonical",
        ));
    }
    Ok(match (landmarks, canonical, table) {
        (1.., _, _) => Built::Landmarks(landmarks),
        (_, 1.., _) => Built::Canonical(canonical),
        (_, _, true) => Built::Table,
        _ => Built::Nothing,
    })
}

/// Buckets have neither a front nor another order of ties.
fn check_open(text: &SpecText, options: &SearchOptions) -> Result<(), SpecError> {
    if options.open != OpenChoice::Buckets {
        return Ok(());
    }
    for (key, set) in [
        ("front", options.front),
        ("ties", options.ties == Ties::Unbroken),
    ] {
        if set && text.text(key).is_some() {
            return Err(text.bad_value(key, "open=heap or open=array with it: buckets are stacks"));
        }
    }
    Ok(())
}

impl AgentFactory for Factory {
    fn needs(&self) -> Vec<IndexRequest> {
        self.request().into_iter().collect()
    }

    fn build(&self, map: &Map, indexes: &Indexes) -> Result<Box<dyn Agent<Map>>, String> {
        if self.plain {
            let planner = SearchPlanner::new(|scratch| &mut scratch.astar);
            return Ok(Box::new(WholePath::new(planner)));
        }
        let mut options = self.options.clone();
        options.heuristic = self.heuristic(map, indexes)?;
        Ok(Box::new(WholePath::new(OptionsPlanner::new(options))))
    }

    /// Not with a weight: pieces of several paths that are not shortest need not lead to the goal.
    fn planner(&self, map: &Map, indexes: &Indexes) -> PlannerResult {
        if self.plain {
            let planner = SearchPlanner::new(|scratch| &mut scratch.astar);
            return Ok(Some(Box::new(planner)));
        }
        if self.options.weight > Weight::default() {
            return Ok(None);
        }
        let mut options = self.options.clone();
        options.heuristic = self.heuristic(map, indexes)?;
        Ok(Some(Box::new(OptionsPlanner::new(options))))
    }

    fn build_on_graph(&self, _graph: &ExplicitGraph) -> Option<Box<dyn Agent<ExplicitGraph>>> {
        let planner = SearchPlanner::new(|scratch| &mut scratch.graph);
        self.plain
            .then(|| Box::new(WholePath::new(planner)) as Box<dyn Agent<ExplicitGraph>>)
    }
}

/// Plans with a search as options describe it. Where only the guide differs from plain A* it works in the memory that the
/// thread shares.
pub struct OptionsPlanner {
    options: SearchOptions,
    own: Option<Box<dyn PathSearch<Map>>>,
    progress: PlanProgress,
}

impl OptionsPlanner {
    /// A planner without memory yet.
    pub fn new(options: SearchOptions) -> OptionsPlanner {
        OptionsPlanner {
            options,
            own: None,
            progress: PlanProgress::default(),
        }
    }
}

impl Planner<Map> for OptionsPlanner {
    fn plan(
        &mut self,
        context: &mut Context<Map>,
        from: Cell,
        goal: Cell,
        path: &mut Vec<Cell>,
    ) -> Planned {
        let map = context.space;
        let unlimited = context.budget == Budget::UNLIMITED;
        let search: &mut dyn PathSearch<Map> = if unlimited && !self.options.needs_own_search() {
            context.scratch.guided.steer(self.options.guide());
            &mut context.scratch.guided
        } else {
            &mut **self.own.get_or_insert_with(|| self.options.build())
        };
        let work = Work {
            space: map,
            budget: context.budget,
            meter: &mut context.meter,
            trace: context.trace.as_deref_mut(),
        };
        self.progress.drive(search, work, from, goal, path)
    }

    fn memory_bytes(&self) -> usize {
        self.progress.used_bytes
    }
}

/// `dijkstra`.
pub(crate) static DIJKSTRA: Algorithm = Algorithm {
    name: "dijkstra",
    about: "Dijkstra's algorithm: as astar, without a heuristic",
    keys: &[],
    parse: |_| Ok(Box::new(DijkstraFactory)),
};

struct DijkstraFactory;

impl AgentFactory for DijkstraFactory {
    fn build(&self, map: &Map, indexes: &Indexes) -> Result<Box<dyn Agent<Map>>, String> {
        self.whole_paths(map, indexes)
    }

    fn planner(&self, _map: &Map, _indexes: &Indexes) -> PlannerResult {
        let planner = SearchPlanner::new(|scratch| &mut scratch.dijkstra);
        Ok(Some(Box::new(planner)))
    }
}
