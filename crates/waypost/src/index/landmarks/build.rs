//! Builds landmarks.

use super::place::{farthest, rim, row, shares};
use super::{Landmarks, MAX_PIVOTS, MAX_STATES, NO_STATE, Nearest, Placing};
use crate::artifact::{Array, Header};
use crate::cost::{Cost, UNREACHED};
use crate::grid::ranks::Ranks;
use crate::grid::{Cell, Point};
use crate::index::{BuildError, Index, IndexKind, IndexRequest, Shard};
use crate::map::Map;
use crate::parallel::prelude::*;
use crate::progress::Progress;
use crate::search::Dijkstra;
use std::collections::BTreeMap;
use std::sync::Arc;

/// Distances from one cell to all passable cells, by rank.
pub(super) type Row = Vec<Cost>;

/// The most bytes that a build may take for distances.
const MAX_BYTES: u64 = 8 << 30;

/// What to build.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Parameters {
    /// How many pivots, for differential heuristics. Given points count themselves.
    pub pivots: usize,
    /// Where they stand.
    pub placing: Placing,
    /// How many canonical states, each as far as possible from the others.
    pub states: usize,
}

impl Parameters {
    fn of(request: &IndexRequest) -> Result<Parameters, BuildError> {
        let at: String =
            request.value("at", String::new(), "points such as 12:3/40:5", |_| true)?;
        let given = points(&at).ok_or_else(|| BuildError::BadParameter {
            index: IndexKind::Landmarks.name(),
            key: "at".to_string(),
            value: at.clone(),
            expected: "points such as 12:3/40:5".to_string(),
        })?;
        let expected = "farthest, rim or given (with `at`)";
        let fits = |name: &String| match name.as_str() {
            "farthest" | "rim" => given.is_empty(),
            "given" => !given.is_empty(),
            _ => false,
        };
        let default = if given.is_empty() {
            "farthest"
        } else {
            "given"
        };
        let place = request.value("place", default.to_string(), expected, fits)?;
        let pivots = request.value("count", 10, "a number from 0 to 64", |&n| n <= MAX_PIVOTS)?;
        let states = request.value("canonical", 0, "a number from 0 to 2048", |&n| {
            n <= MAX_STATES
        })?;
        Ok(Parameters {
            pivots: if place == "given" {
                given.len()
            } else {
                pivots
            },
            placing: match place.as_str() {
                "rim" => Placing::Rim,
                "given" => Placing::Given(given),
                _ => Placing::Farthest,
            },
            states,
        })
    }

    fn texts(&self) -> BTreeMap<String, String> {
        let mut texts = BTreeMap::new();
        texts.insert("count".to_string(), self.pivots.to_string());
        texts.insert("canonical".to_string(), self.states.to_string());
        let place = match &self.placing {
            Placing::Farthest => "farthest",
            Placing::Rim => "rim",
            Placing::Given(points) => {
                let points: Vec<_> = points.iter().map(|p| format!("{}:{}", p.x, p.y)).collect();
                texts.insert("at".to_string(), points.join("/"));
                "given"
            }
        };
        texts.insert("place".to_string(), place.to_string());
        texts
    }
}

fn points(text: &str) -> Option<Vec<Point>> {
    text.split('/')
        .filter(|part| !part.is_empty())
        .map(|part| {
            let (x, y) = part.split_once(':')?;
            Some(Point {
                x: x.trim().parse().ok()?,
                y: y.trim().parse().ok()?,
            })
        })
        .collect::<Option<Vec<_>>>()
        .filter(|points| points.len() <= MAX_PIVOTS)
}

/// The build function of the index type.
pub(super) fn build(
    map: &Map,
    request: &IndexRequest,
    _shard: Shard,
    progress: &dyn Progress,
) -> Result<Arc<dyn Index>, BuildError> {
    let parameters = Parameters::of(request)?;
    Ok(Arc::new(Landmarks::build(map, &parameters, progress)?))
}

impl Landmarks {
    /// Builds pivots and canonical states with their distances.
    pub fn build(
        map: &Map,
        parameters: &Parameters,
        progress: &dyn Progress,
    ) -> Result<Landmarks, BuildError> {
        let unsuitable = |reason: String| BuildError::Unsuitable {
            index: IndexKind::Landmarks.name(),
            reason,
        };
        let ranks = Ranks::of(map.grid());
        let bytes = ranks.passable() as u64 * (parameters.pivots as u64 * 8 + 8);
        if bytes > MAX_BYTES {
            return Err(unsuitable(format!(
                "{} pivots on {} cells take {bytes} bytes while they are built; ask for fewer",
                parameters.pivots,
                ranks.passable()
            )));
        }
        let (pivots, rows) = place(map, parameters, progress).map_err(unsuitable)?;
        let (states, nearest, between) = canonical(map, parameters.states, progress);
        let radius = nearest.iter().filter(|n| n.state != NO_STATE);
        Ok(Landmarks {
            header: Header::of(IndexKind::Landmarks, map, parameters.texts()),
            state: map.fingerprint(),
            pivots: Array::from_slice(&pivots),
            distances: Array::from_slice(&rows.concat()),
            radius: radius.map(|n| n.distance).max().unwrap_or(0),
            states: Array::from_slice(&states),
            nearest: Array::from_slice(&nearest),
            between: Array::from_slice(&between),
            ranks,
        })
    }
}

/// Pivots and the distances from each. Fewer than asked for where the map has fewer cells.
fn place(
    map: &Map,
    parameters: &Parameters,
    progress: &dyn Progress,
) -> Result<(Vec<Cell>, Vec<Row>), String> {
    progress.begin("distances to pivots", parameters.pivots as u64);
    let cells = match &parameters.placing {
        Placing::Farthest => {
            return Ok(spread_farthest(map, parameters.pivots, progress));
        }
        Placing::Rim => shares(map, parameters.pivots)
            .into_iter()
            .flat_map(|(component, count)| rim(map, component, count))
            .collect(),
        Placing::Given(points) => {
            let cell = |point: &Point| {
                map.passable_cell(*point)
                    .ok_or_else(|| format!("the pivot at {point} is not a passable cell"))
            };
            points.iter().map(cell).collect::<Result<Vec<_>, _>>()?
        }
    };
    let spread = |dijkstra: &mut Dijkstra, &cell: &Cell| {
        dijkstra.spread(map, cell);
        progress.advance(1);
        row(map, dijkstra)
    };
    let rows = cells.par_iter().map_init(Dijkstra::new, spread).collect();
    Ok((cells, rows))
}

fn spread_farthest(map: &Map, count: usize, progress: &dyn Progress) -> (Vec<Cell>, Vec<Row>) {
    let (mut cells, mut rows) = (Vec::new(), Vec::new());
    let mut dijkstra = Dijkstra::new();
    for (component, count) in shares(map, count) {
        farthest(map, &mut dijkstra, component, count, |cell, spread| {
            cells.push(cell);
            rows.push(row(map, spread));
            progress.advance(1);
        });
    }
    (cells, rows)
}

/// Canonical states, every cell's nearest one, and the distances between all of them.
fn canonical(
    map: &Map,
    count: usize,
    progress: &dyn Progress,
) -> (Vec<Cell>, Vec<Nearest>, Vec<Cost>) {
    if count == 0 {
        return Default::default();
    }
    progress.begin("canonical states", count as u64);
    let none = Nearest {
        state: NO_STATE,
        distance: UNREACHED,
    };
    let mut nearest = vec![none; map.grid().passable_count() as usize];
    let mut states: Vec<Cell> = Vec::new();
    let mut dijkstra = Dijkstra::new();
    // Distances to the states placed before; the matrix is symmetric.
    let mut halves: Vec<Vec<Cost>> = Vec::new();
    for (component, count) in shares(map, count) {
        farthest(map, &mut dijkstra, component, count, |cell, spread| {
            let state = states.len() as u32;
            halves.push(states.iter().map(|&other| spread.cost_to(other)).collect());
            states.push(cell);
            for (nearest, cell) in nearest.iter_mut().zip(map.grid().cells()) {
                let distance = spread.cost_to(cell);
                if distance < nearest.distance {
                    *nearest = Nearest { state, distance };
                }
            }
            progress.advance(1);
        });
    }
    let mut between = vec![0; states.len() * states.len()];
    for (a, half) in halves.iter().enumerate() {
        for (b, &distance) in half.iter().enumerate() {
            between[a * states.len() + b] = distance;
            between[b * states.len() + a] = distance;
        }
    }
    (states, nearest, between)
}
