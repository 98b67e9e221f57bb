//! Problems under other conditions than a known map and one walk.
//!
//! **A map that is not known at first.** The agent begins with a map without walls (the freespace assumption) and sees the cells that
//! are at most `sensor` columns and rows away from where it stands. What it sees is told to its map as a patch before it is
//! asked for a move; what it has seen it knows. Indexes are built of the map without walls. Seeing at least the next cells, it
//! never makes a move that walls forbid. The time that the map takes to change is the world's, not the agent's.
//!
//! **Trials.** An agent that has arrived is put back to its start, with all that it has learned and seen, again and again, until it
//! has walked the same way [`SAME_IN_A_ROW`] times or has had its trials. Methods that learn get better from trial to trial
//! and settle; the sum of all walks is what settling costs.

use serde::Deserialize;
use waypost::Map;
use waypost::agent::{Agent, Context, Scratch};
use waypost::cost::Length;
use waypost::grid::{Cell, Grid, GridPatch, Point};
use waypost::run::{IllegalMove, Outcome, Walk, Watch};

/// The farthest that a sensor sees.
pub const MAX_SENSOR: u32 = 1000;
/// The most trials of a problem.
pub const MAX_TRIALS: u32 = 100_000;
/// A walk has settled when it was the same so many times.
pub const SAME_IN_A_ROW: u32 = 3;

/// How problems are put to an agent.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct Conditions {
    /// How many columns and rows away the agent sees, from 1 to [`MAX_SENSOR`]; it knows the whole map where there is none.
    pub sensor: Option<u32>,
    /// The most trials of a problem, from 1 to [`MAX_TRIALS`].
    pub trials: u32,
}

/// A known map and one walk.
impl Default for Conditions {
    fn default() -> Conditions {
        Conditions {
            sensor: None,
            trials: 1,
        }
    }
}

impl Conditions {
    /// The map as an agent knows it before its first move, where that is not the map as it is.
    pub fn unknown(self, map: &Map) -> Option<Map> {
        self.sensor?;
        let grid = Grid::from_fn(map.grid().width(), map.grid().height(), |_| true).ok()?;
        Some(Map::new(grid, map.rules()))
    }

    /// Why problems cannot be put like this on a map.
    pub fn unsuitable(self, map: &Map) -> Option<&'static str> {
        (self.sensor.is_some() && map.ground().is_some()).then_some(
            "a map that is not known at first has no terrain; leave the sensor or the terrain out",
        )
    }
}

/// What all trials of a problem came to.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Repeats {
    /// How many there were.
    pub trials: u32,
    /// The last ones were the same.
    pub settled: bool,
    /// The moves of the last.
    pub last: Length,
    /// The moves of all together.
    pub travelled: Length,
}

/// A map that an agent gets to know.
#[derive(Clone, Debug)]
struct Known<'a> {
    truth: &'a Map,
    map: Map,
    sensor: Option<u32>,
}

impl Known<'_> {
    /// Sees what is near.
    fn look(&mut self, at: Cell) {
        let Some(radius) = self.sensor else {
            return;
        };
        let (grid, truth) = (self.map.grid(), self.truth.grid());
        let here = truth.point(at);
        let columns = here.x.saturating_sub(radius)..=(here.x + radius).min(truth.width() - 1);
        let rows = here.y.saturating_sub(radius)..=(here.y + radius).min(truth.height() - 1);
        let mut patch = GridPatch::new();
        let mut news = false;
        for y in rows {
            for x in columns.clone() {
                let point = Point { x, y };
                if grid.passable_cell(point).is_some() && truth.passable_cell(point).is_none() {
                    patch.set(point, false);
                    news = true;
                }
            }
        }
        if news {
            self.map.apply(&patch);
        }
    }
}

/// Puts a problem to an agent that has been made for the map as it knows it: the first walk, and what all trials came to.
pub fn journey(
    agent: &mut dyn Agent<Map>,
    scratch: &mut Scratch,
    truth: &Map,
    (from, goal): (Cell, Cell),
    conditions: Conditions,
    limit: u64,
    watch: &mut impl Watch,
) -> Result<(Walk, Repeats), IllegalMove> {
    let mut known = Known {
        truth,
        map: conditions.unknown(truth).unwrap_or_else(|| truth.clone()),
        sensor: conditions.sensor,
    };
    let first = trial(agent, scratch, &mut known, (from, goal), true, limit, watch)?;
    let length = |walk: &Walk| truth.path_length(&walk.path).unwrap_or_default();
    let mut repeats = Repeats {
        trials: 1,
        settled: false,
        last: length(&first),
        travelled: length(&first),
    };
    let (mut path, mut same) = (first.path.clone(), 1);
    let mut arrived = first.outcome == Outcome::Arrived;
    while arrived && same < SAME_IN_A_ROW && repeats.trials < conditions.trials {
        let mut unmeasured = Unmeasured(watch);
        let again = &mut unmeasured;
        let next = trial(
            agent,
            scratch,
            &mut known,
            (from, goal),
            false,
            limit,
            again,
        )?;
        repeats.trials += 1;
        repeats.last = length(&next);
        repeats.travelled += repeats.last;
        arrived = next.outcome == Outcome::Arrived;
        same = if next.path == path { same + 1 } else { 1 };
        path = next.path;
    }
    repeats.settled = arrived && same >= SAME_IN_A_ROW;
    Ok((first, repeats))
}

/// Asks a watch whether a walk goes on, and tells it nothing.
struct Unmeasured<'a, W>(&'a W);

impl<W: Watch> Watch for Unmeasured<'_, W> {
    fn goes_on(&self) -> bool {
        self.0.goes_on()
    }
}

/// One walk, the first of a problem or a later one.
fn trial(
    agent: &mut dyn Agent<Map>,
    scratch: &mut Scratch,
    known: &mut Known,
    (from, goal): (Cell, Cell),
    first: bool,
    limit: u64,
    watch: &mut impl Watch,
) -> Result<Walk, IllegalMove> {
    let mut walk = Walk::from(from);
    let mut at = from;
    while walk.decisions < limit && watch.goes_on() {
        known.look(at);
        let mut context = Context::new(&known.map, scratch);
        watch.before();
        if first && walk.decisions == 0 {
            agent.start(&mut context, from, goal);
        }
        let decision = agent.next_move(&mut context, at);
        watch.after(decision, &context.meter);
        let bytes = agent.memory_bytes();
        match walk.take(known.truth, at, decision, &context.meter, bytes)? {
            Some(next) => at = next,
            None => break,
        }
    }
    Ok(walk.finished())
}

#[cfg(test)]
mod tests {
    use super::*;
    use waypost::Space;
    use waypost::generate::{Kind, generate};
    use waypost::grid::MoveRules;
    use waypost::index::Indexes;
    use waypost::rng::Rng;
    use waypost::search::{AStar, PathSearch};
    use waypost::spec::AgentSpec;

    fn map_of(kind: Kind, seed: u64) -> Map {
        let grid = generate(kind, 40, 30, seed).expect("a legal size");
        Map::new(grid, MoveRules::default())
    }

    /// Two connected cells.
    fn ends(map: &Map, rng: &mut Rng) -> (Cell, Cell) {
        let cells: Vec<Cell> = map.grid().cells().collect();
        loop {
            let [from, goal] = [(); 2].map(|()| cells[rng.below(cells.len() as u32) as usize]);
            if from != goal && map.connected(from, goal) {
                return (from, goal);
            }
        }
    }

    fn walked(
        spec: &str,
        map: &Map,
        ends: (Cell, Cell),
        conditions: Conditions,
    ) -> (Walk, Repeats) {
        let unknown = conditions.unknown(map);
        let known = unknown.as_ref().unwrap_or(map);
        let spec = AgentSpec::parse(spec).expect("a good spec");
        let mut agent = spec
            .build(known, &Indexes::new())
            .expect("it needs no index");
        let mut scratch = Scratch::new();
        journey(
            agent.as_mut(),
            &mut scratch,
            map,
            ends,
            conditions,
            1_000_000,
            &mut (),
        )
        .expect("legal moves")
    }

    fn shortest(map: &Map, (from, goal): (Cell, Cell)) -> Length {
        let (mut search, mut path) = (AStar::default(), Vec::new());
        search.begin(map, from, goal);
        search.advance(map, u64::MAX);
        let _ = search.path_into(map, &mut path);
        map.path_length(&path).expect("a legal path")
    }

    /// Whatever the agent takes the map to be, its steps are legal on the map as it is, and it arrives.
    #[test]
    fn agents_arrive_on_maps_that_they_do_not_know() {
        let mut rng = Rng::new(3);
        let (mut longer, mut blind) = (0, 0);
        for seed in 0..20 {
            let map = map_of([Kind::Rooms, Kind::Random][seed as usize % 2], seed);
            let ends = ends(&map, &mut rng);
            let optimal = shortest(&map, ends);
            for spec in [
                "lrta",
                "rtaa:lookahead=9,avoid=raised",
                "tba:slice=9",
                "jps",
                "astar",
            ] {
                for sensor in [1, 4, 100] {
                    let conditions = Conditions {
                        sensor: Some(sensor),
                        trials: 1,
                    };
                    let (walk, _) = walked(spec, &map, ends, conditions);
                    assert_eq!(walk.outcome, Outcome::Arrived, "{spec}, seed {seed}");
                    let length = map.path_length(&walk.path).expect("legal on the map");
                    // Who sees everything at once knows the map.
                    let exact = spec == "jps" || spec == "astar";
                    if exact && sensor == 100 {
                        assert_eq!(map.length(length), map.length(optimal), "{spec}");
                    }
                    blind += u32::from(exact && sensor == 1);
                    longer +=
                        u32::from(exact && sensor == 1 && map.length(length) > map.length(optimal));
                }
            }
        }
        assert!(
            4 * longer > blind,
            "walls that are not seen cost nothing: {longer} of {blind}"
        );
    }

    /// What LRTA* learns from trial to trial leads it to shortest paths in the end; a search that knows the map is there at once.
    #[test]
    fn trials_settle_on_short_walks() {
        let conditions = Conditions {
            sensor: None,
            trials: 20_000,
        };
        let mut rng = Rng::new(4);
        let mut learned = 0;
        for seed in 0..20 {
            let map = map_of([Kind::Rooms, Kind::Random][seed as usize % 2], seed);
            let ends = ends(&map, &mut rng);
            let optimal = map.length(shortest(&map, ends));
            for spec in ["lrta", "lss-lrta:lookahead=5", "rtaa:lookahead=5"] {
                let (first, repeats) = walked(spec, &map, ends, conditions);
                assert!(repeats.settled, "{spec}, seed {seed}: {repeats:?}");
                let last = map.length(repeats.last);
                assert!((last - optimal).abs() < 1e-9, "{spec}, seed {seed}: {last}");
                let first = map.length(map.path_length(&first.path).unwrap_or_default());
                learned += u32::from(first > last);
                assert!(map.length(repeats.travelled) >= first + last);
            }
            let (_, repeats) = walked("astar", &map, ends, conditions);
            assert_eq!((repeats.trials, repeats.settled), (SAME_IN_A_ROW, true));
        }
        assert!(learned > 20, "only {learned} walks got better");
    }
}
