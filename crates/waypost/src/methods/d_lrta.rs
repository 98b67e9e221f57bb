//! D LRTA* (JAIR 32, 2008; JAIR 39, 2010, section 4): LRTA* towards subgoals of a region database.
//!
//! In the goal's region the subgoal is the goal; elsewhere it is the entry state stored for the agent's region and the
//! goal's ([`crate::index::clique_regions`]). LRTA* does the walking; what it learns is kept for each subgoal apart and never
//! lowered. As printed (figure 1 of JAIR 2010, line 3; `patience=0`) a subgoal is kept until it is reached. Here it is selected
//! again as well when the agent comes into another region, which makes paths shorter, up to [`DLrtaParams::patience`] times in each.
//!
//! # Why it arrives
//! Entry states were computed from representatives and the agent is elsewhere, so two regions may send it back and
//! forth for ever; the papers do not say what happens then. Here the database stores entries into regions that are nearer to the
//! target only, and selections are counted for each region:
//! - up to [`DLrtaParams::patience`] selections in a region: subgoals are selected again in every region that the agent comes into;
//! - then, as printed, the subgoal is kept until it is reached, whatever regions the agent comes through. This ends the swinging
//!   at ragged borders, where crossing to and fro resets the subgoal before it can be reached;
//! - after 255 selections in one region the agent gives subgoals up and goes for its goal by LRTA* alone. On the map that the
//!   database was made for only unlucky crossings lead there; after changes of the map nothing else may help.
//!
//! With `patience=0` nothing is counted, and with `patience=off` neither: both may circle.
//!
//! Towards a fixed subgoal LRTA* arrives after finitely many steps, there are finitely many regions and so finitely many
//! selections, and LRTA* towards the goal arrives too: the agent is complete. A subgoal that is a wall by now or cannot
//! be reached (after map changes) counts as none, and the agent goes for its goal.

use super::lrta::{FRONTIER, parse_lrta};
use super::on_graphs::d_lrta::{GraphDLrta, GraphRegions};
use super::one_index::OneIndex;
use crate::agent::lrta::{Lrta, LrtaParams};
use crate::agent::{Agent, BYTES_PER_STATE, Context, Decision, WEIGHTS};
use crate::grid::Cell;
use crate::index::clique_regions::{Entries, RegionDatabase};
use crate::index::{IndexKind, IndexRequest, Indexes};
use crate::map::{Map, News};
use crate::method::{Algorithm, SpecError, SpecText};
use crate::space::{ExplicitGraph, Space};
use std::sync::Arc;

/// The parameters of D LRTA*.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct DLrtaParams {
    /// The level of the regions; `None` takes what is at hand, or the index's default.
    pub level: Option<u32>,
    /// How often a region may select subgoals before they are kept until they are reached; 0 to keep all of them, as printed, and never
    /// give up; `None` to select again in every region for ever.
    pub patience: Option<u8>,
    /// Which entry states the database holds; `None` takes what is at hand, or the index's default.
    pub entries: Option<Entries>,
    /// The walker's.
    pub lrta: LrtaParams,
}

impl Default for DLrtaParams {
    fn default() -> DLrtaParams {
        DLrtaParams {
            level: None,
            patience: Some(8),
            entries: None,
            lrta: LrtaParams::default(),
        }
    }
}

/// How subgoals are treated.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Mode {
    /// Nothing is selected.
    Idle,
    /// Selected in this region: select again elsewhere.
    Selected(u32),
    /// Keep the subgoal until it is reached.
    HeldOn,
    /// The goal itself, for good.
    GivenUp,
}

/// The agent.
#[derive(Clone, Debug)]
pub struct DLrtaAgent {
    database: Arc<RegionDatabase>,
    walker: Lrta,
    /// What the agent has learned about regions on this problem. In a box: walkers of a crowd wait for their first goal without.
    selections: Option<Box<Selections>>,
    goal: Cell,
    goal_region: u32,
    mode: Mode,
    patience: Option<u8>,
    /// The state of the map that it looked at last.
    seen: u64,
}

/// How often regions have sent the agent on.
#[derive(Clone, Debug, Default)]
struct Selections {
    /// By region of the component.
    counts: Vec<u8>,
    first_region: u32,
}

impl DLrtaAgent {
    /// An agent on the regions of its map.
    pub fn new(database: Arc<RegionDatabase>, params: DLrtaParams) -> DLrtaAgent {
        DLrtaAgent {
            seen: 0,
            walker: Lrta::new(params.lrta),
            database,
            selections: None,
            goal: Cell::NONE,
            goal_region: 0,
            mode: Mode::Idle,
            patience: params.patience,
        }
    }

    fn region(&self, context: &mut Context<Map>, cell: Cell) -> u32 {
        let (region, looks) = self.database.region(context.space, cell);
        context.meter.look_ups += u64::from(looks);
        region
    }

    /// Selects a subgoal where that is due.
    fn select(&mut self, context: &mut Context<Map>, at: Cell) {
        match self.mode {
            Mode::GivenUp => return,
            Mode::HeldOn if self.walker.goal() != at => return,
            _ => {}
        }
        let region = self.region(context, at);
        if self.mode == Mode::Selected(region) && self.walker.goal() != at {
            return;
        }
        let subgoal = if region == self.goal_region {
            Some(self.goal)
        } else {
            context.meter.look_ups += 1;
            self.database.entry(region, self.goal_region)
        };
        let reachable = subgoal.filter(|&to| to != at && context.space.connected(at, to));
        let count = self.selections.as_mut().and_then(|selections| {
            let number = region.wrapping_sub(selections.first_region) as usize;
            selections.counts.get_mut(number)
        });
        let uncounted = match self.patience {
            None => Some(Mode::Selected(region)),
            Some(0) => Some(Mode::HeldOn),
            Some(_) => None,
        };
        match (reachable, count) {
            (Some(subgoal), Some(_)) if let Some(mode) = uncounted => {
                self.mode = mode;
                self.walker.set_goal(subgoal);
            }
            (Some(subgoal), Some(count)) if *count < u8::MAX => {
                *count += 1;
                self.mode = if Some(*count) <= self.patience {
                    Mode::Selected(region)
                } else {
                    Mode::HeldOn
                };
                self.walker.set_goal(subgoal);
            }
            _ => {
                self.mode = Mode::GivenUp;
                self.walker.set_goal(self.goal);
            }
        }
    }
}

impl Agent<Map> for DLrtaAgent {
    fn start(&mut self, context: &mut Context<Map>, from: Cell, goal: Cell) {
        self.goal = goal;
        self.mode = Mode::Idle;
        self.walker.start(context, goal);
        let selections = self.selections.get_or_insert_default();
        selections.counts.clear();
        if context.space.connected(from, goal) {
            self.goal_region = self.region(context, goal);
            let component = self.database.component_of(self.goal_region);
            let selections = self.selections.get_or_insert_default();
            selections.first_region = component.start;
            selections.counts.resize(component.len(), 0);
        }
    }

    fn decide(&mut self, context: &mut Context<Map>, at: Cell) -> Decision {
        if let Some(end) = Decision::at_once(context.space, at, self.goal) {
            return end;
        }
        self.select(context, at);
        match self.walker.step(context, at) {
            Some(next) => Decision::Step(next),
            None => Decision::Unreachable,
        }
    }

    fn seen(&mut self) -> &mut u64 {
        &mut self.seen
    }

    fn changed(&mut self, context: &mut Context<Map>, news: News) {
        self.walker.changed(context, news);
        // Subgoals may be walls now: they are looked up and tried again, with the counts as they are.
        if self.mode != Mode::GivenUp {
            self.mode = Mode::Idle;
        }
    }

    fn memory_bytes(&self) -> usize {
        self.walker.states_in_memory() * BYTES_PER_STATE
    }

    fn reserved_bytes(&self) -> usize {
        size_of::<DLrtaAgent>() + self.learned_bytes()
    }

    fn learned_bytes(&self) -> usize {
        let counts = |s: &Selections| size_of::<Selections>() + s.counts.capacity();
        self.walker.reserved_bytes() - size_of::<Lrta>()
            + self.selections.as_deref().map_or(0, counts)
    }

    fn operations_bound(&self, map: &Map) -> Option<u64> {
        let looks = self.most_looks();
        Some(self.walker.operations_bound(map).saturating_add(looks))
    }

    fn weighted_bound(&self, map: &Map) -> Option<u64> {
        let walking = self.walker.weighted_bound(map);
        Some(walking.saturating_add(self.most_looks() * WEIGHTS.look_ups))
    }
}

impl DLrtaAgent {
    /// The first move looks up the goal's region too.
    fn most_looks(&self) -> u64 {
        2 * self.database.most_looks() + 1
    }
}

/// `d-lrta` in specs.
pub(crate) static D_LRTA: Algorithm = Algorithm {
    name: "d-lrta",
    about: "D LRTA*: LRTA* towards entry states of the next region of the clique abstraction",
    keys: &[
        (
            "level",
            "level of the regions (default: what is at hand, or the lowest with at most 512)",
        ),
        (
            "patience",
            "selections in a region before subgoals are kept until they are reached; 0 as printed, `off` to select in every region: both may circle (default 8)",
        ),
        (
            "entries",
            "entry states of a region `nearer` to the target, or of the `next` one as printed (default: what is at hand, or nearer)",
        ),
        ("gmax", "lookahead in straight moves (default 1)"),
        ("weight", "multiplies the initial heuristic (default 1)"),
        FRONTIER,
    ],
    parse: |text| Ok(Box::new(parse(text)?)),
};

fn parse(text: &SpecText) -> Result<DLrtaParams, SpecError> {
    let level = text.value("level", 0u32, "a whole number from 1", |&level| level > 0)?;
    Ok(DLrtaParams {
        level: (level > 0).then_some(level),
        patience: match text.text("patience") {
            Some("off") => None,
            _ => Some(text.value(
                "patience",
                8u8,
                "a whole number from 0 to 127, or off",
                |&p| p <= 127,
            )?),
        },
        entries: match text.text("entries") {
            None => None,
            Some(_) => Some(text.value("entries", Entries::default(), "nearer or next", |_| true)?),
        },
        lrta: parse_lrta(text)?,
    })
}

impl OneIndex for DLrtaParams {
    type Agent = DLrtaAgent;

    fn request(&self) -> IndexRequest {
        let mut request = IndexRequest::new(IndexKind::Regions);
        if let Some(level) = self.level {
            request = request.with("level", level);
        }
        match self.entries {
            Some(entries) => request.with("entries", entries.name()),
            None => request,
        }
    }

    fn agent(&self, map: &Map, indexes: &Indexes) -> Result<DLrtaAgent, String> {
        let database = indexes.find::<RegionDatabase>(map, &self.request())?;
        Ok(DLrtaAgent::new(database, *self))
    }

    fn on_graph(&self, graph: &ExplicitGraph) -> Option<Box<dyn Agent<ExplicitGraph>>> {
        let regions = GraphRegions::of(graph, self.level);
        Some(Box::new(GraphDLrta::new(Arc::new(regions), self.lrta)))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::agent::Scratch;
    use crate::agent::{Agent, Context};
    use crate::grid::MoveRules;
    use crate::hierarchy::testing::{
        arrives, cells_of, patch_beside, specs_are_refused, test_map, two_cells,
    };
    use crate::progress::NoProgress;
    use crate::rng::Rng;
    use crate::spec::AgentSpec;

    #[test]
    fn it_arrives_on_every_map_with_every_patience() {
        for seed in 0..80 {
            let rules = MoveRules::ALL[seed as usize % 6];
            let map = test_map(seed, 2, 40, rules);
            let cells = cells_of(&map);
            let mut rng = Rng::new(seed);
            if cells.is_empty() {
                continue;
            }
            let level = rng.between(1, 4);
            let Ok(database) = RegionDatabase::build(&map, Some(level), &NoProgress) else {
                continue;
            };
            let database = Arc::new(database);
            for patience in [1, 8, 127] {
                let params = DLrtaParams {
                    patience: Some(patience),
                    ..DLrtaParams::default()
                };
                let mut agent = DLrtaAgent::new(database.clone(), params);
                let bound = agent.operations_bound(&map).expect("it has one");
                for _ in 0..4 {
                    let ends = two_cells(&mut rng, &cells);
                    let what = format!("seed {seed}, patience {patience}");
                    let walk = arrives(&map, &mut agent, ends, u64::MAX, &what);
                    assert!(walk.operations_per_move_max <= bound, "{what}");
                }
            }
        }
    }

    #[test]
    fn subgoals_that_are_selected_in_every_region_circle_far_more_often_than_those_kept_as_printed()
    {
        let mut circles = [0u32; 2];
        for seed in 0..40 {
            let map = test_map(seed, 20, 40, MoveRules::default());
            let cells = cells_of(&map);
            let mut rng = Rng::new(seed);
            let built = RegionDatabase::build_with(&map, Some(2), Entries::Next, &NoProgress);
            let (Ok(database), false) = (built, cells.is_empty()) else {
                continue;
            };
            let database = Arc::new(database);
            for _ in 0..20 {
                let [from, goal] = two_cells(&mut rng, &cells);
                if !map.connected(from, goal) {
                    continue;
                }
                for (patience, circles) in [Some(0), None].into_iter().zip(&mut circles) {
                    let params = DLrtaParams {
                        patience,
                        ..DLrtaParams::default()
                    };
                    let mut agent = DLrtaAgent::new(database.clone(), params);
                    let mut scratch = Scratch::new();
                    let mut context = Context::new(&map, &mut scratch);
                    let walked =
                        crate::run::walk(&mut agent, &mut context, from, goal, 20_000, &mut ());
                    let walked = walked.expect("legal steps");
                    *circles += u32::from(walked.outcome != crate::run::Outcome::Arrived);
                }
            }
        }
        let [kept, selected_again] = circles;
        assert!(selected_again > 0, "two regions send it back and forth");
        assert!(
            kept < selected_again / 4,
            "a subgoal that is kept is reached: {kept} of {selected_again}"
        );
    }

    #[test]
    fn it_survives_walls_on_its_subgoals() {
        for seed in 0..20 {
            let mut map = test_map(seed, 15, 40, MoveRules::default());
            let mut rng = Rng::new(seed);
            let cells = cells_of(&map);
            if cells.is_empty() {
                continue;
            }
            let database = RegionDatabase::build(&map, Some(1), &NoProgress);
            let Ok(database) = database else { continue };
            let mut agent = DLrtaAgent::new(Arc::new(database), DLrtaParams::default());
            let [mut at, goal] = two_cells(&mut rng, &cells);
            let mut scratch = Scratch::new();
            agent.start(&mut Context::new(&map, &mut scratch), at, goal);
            for round in 0..100_000 {
                if round < 200 && rng.percent(30) {
                    let patch = patch_beside(&mut rng, &map, &[at], goal);
                    map.apply(&patch);
                }
                match agent.next_move(&mut Context::new(&map, &mut scratch), at) {
                    Decision::Step(to) => {
                        assert!(map.legal_step(at, to).is_some(), "seed {seed}");
                        at = to;
                    }
                    Decision::Arrived => break,
                    Decision::Unreachable => assert!(!map.connected(at, goal), "seed {seed}"),
                    Decision::Thinking => {}
                }
            }
            assert!(at == goal || !map.connected(at, goal), "seed {seed}");
        }
    }

    #[test]
    fn bad_specs_say_what_would_do() {
        specs_are_refused(&[
            ("d-lrta:level=0", "a whole number from 1"),
            ("d-lrta:patience=128", "from 0 to 127"),
            ("d-lrta:k=3", "expected one of: level"),
        ]);
        let map = test_map(1, 5, 9, MoveRules::default());
        let spec = AgentSpec::parse("d-lrta:level=2").expect("a good spec");
        let missing = spec.build(&map, &Indexes::new()).err().expect("no index");
        assert!(
            missing.to_string().contains("waypost build regions"),
            "{missing}"
        );
    }
}
