//! The crates that a Rust user would pick instead, each used as its documentation shows.

use crate::contender::{Builder, Contender};
use crate::queries::{Costs, Place};
use fast_paths::{FastGraph, InputGraph, PathCalculator};
use grid_pathfinding::PathingGrid;
use grid_util::grid::ValueGrid;
use hierarchical_pathfinding::prelude::{Neighborhood, PathCache, PathCacheConfig};
use std::sync::Arc;
use waypost::{Map, Point};

/// All of them. Contraction hierarchies are left out above `prepare_limit` passable cells.
pub fn builders(prepare_limit: u64) -> Vec<Builder> {
    let builder = |name: &str, build: BuildFunction| Builder {
        name: name.to_string(),
        build: Box::new(build),
    };
    vec![
        builder("pathfinding::astar", |map| {
            Ok(Box::new(ClosureAStar(Cells::of(map))))
        }),
        builder("grid_pathfinding (JPS)", |map| {
            without_terrain(map)?;
            eight_ways(map).map(|()| Box::new(jps(map)) as Box<dyn Contender>)
        }),
        builder("hierarchical_pathfinding (32)", |map| {
            without_terrain(map).map(|()| Box::new(Hierarchical::new(map)) as Box<dyn Contender>)
        }),
        Builder {
            name: "fast_paths (CH)".to_string(),
            build: Box::new(move |map| {
                let passable = map.grid().passable_count();
                if passable > prepare_limit {
                    return Err(format!(
                        "preparing {passable} nodes takes too long; raise --prepare-limit to try"
                    ));
                }
                Ok(Box::new(Contraction::new(map)))
            }),
        },
    ]
}

type BuildFunction = fn(&Map) -> Result<Box<dyn Contender + '_>, String>;

/// Peers that price cells, or nothing, cannot have the costs of moves.
pub fn without_terrain(map: &Map) -> Result<(), String> {
    match map.ground() {
        None => Ok(()),
        Some(_) => Err("it has no costs of moves".to_string()),
    }
}

fn eight_ways(map: &Map) -> Result<(), String> {
    match map.rules().has_diagonals() {
        true => Ok(()),
        false => Err("it is asked for eight ways".to_string()),
    }
}

/// A byte per cell: what a program without a grid library would have.
#[derive(Clone, Debug)]
pub struct Cells {
    pub width: u32,
    pub height: u32,
    open: Vec<bool>,
    straight: u32,
    diagonal: u32,
    /// By cell, what a move pays for each of its two; empty without terrain.
    factors: Vec<u32>,
    /// Twice the least of them.
    least: u32,
    has_diagonals: bool,
}

impl Cells {
    pub fn of(map: &Map) -> Cells {
        let (width, height) = (map.grid().width(), map.grid().height());
        let open = (0..height).flat_map(|y| (0..width).map(move |x| Point { x, y }));
        let open: Vec<bool> = open.map(|p| map.passable_cell(p).is_some()).collect();
        let costs = Costs::of(map);
        let factors = costs.factors.unwrap_or_default();
        let of_open = factors.iter().zip(&open).filter(|(_, open)| **open);
        Cells {
            width,
            height,
            least: 2 * of_open.map(|(factor, _)| *factor).min().unwrap_or(0),
            open,
            straight: costs.straight,
            diagonal: costs.diagonal,
            factors,
            has_diagonals: map.rules().has_diagonals(),
        }
    }

    #[inline]
    pub fn is_open(&self, x: u32, y: u32) -> bool {
        x < self.width && y < self.height && self.open[(y * self.width + x) as usize]
    }

    /// The legal moves from a cell: neighbours and costs.
    #[inline]
    fn moves(&self, (x, y): Place) -> impl Iterator<Item = (Place, u32)> + '_ {
        const STEPS: [(i32, i32); 8] = [
            (0, -1),
            (1, 0),
            (0, 1),
            (-1, 0),
            (1, -1),
            (1, 1),
            (-1, 1),
            (-1, -1),
        ];
        let ways = if self.has_diagonals { 8 } else { 4 };
        STEPS.into_iter().take(ways).filter_map(move |(dx, dy)| {
            let (nx, ny) = (x.wrapping_add_signed(dx), y.wrapping_add_signed(dy));
            let diagonal = dx != 0 && dy != 0;
            let legal =
                self.is_open(nx, ny) && (!diagonal || self.is_open(nx, y) && self.is_open(x, ny));
            legal.then(|| {
                let length = if diagonal {
                    self.diagonal
                } else {
                    self.straight
                };
                ((nx, ny), length * self.ground((x, y), (nx, ny)))
            })
        })
    }

    /// By how much a move between two cells costs more than its length.
    #[inline]
    fn ground(&self, a: Place, b: Place) -> u32 {
        let factor = |(x, y): Place| self.factors[(y * self.width + x) as usize];
        match self.factors.is_empty() {
            true => 1,
            false => factor(a) + factor(b),
        }
    }

    /// The octile distance at the least factor; that of four ways where there are no more.
    #[inline]
    fn octile(&self, a: Place, b: Place) -> u32 {
        let (dx, dy) = (a.0.abs_diff(b.0), a.1.abs_diff(b.1));
        let length = match self.has_diagonals {
            true => dx.max(dy) * self.straight + dx.min(dy) * (self.diagonal - self.straight),
            false => (dx + dy) * self.straight,
        };
        length * self.least.max(1)
    }
}

/// `pathfinding::astar` with an octile heuristic.
struct ClosureAStar(Cells);

impl Contender for ClosureAStar {
    fn find(&mut self, from: Place, to: Place, path: &mut Vec<Place>) -> bool {
        let cells = &self.0;
        let found = pathfinding::directed::astar::astar(
            &from,
            |&at| cells.moves(at),
            |&at| cells.octile(at, to),
            |&at| at == to,
        );
        let Some((cells, _)) = found else {
            return false;
        };
        path.extend(cells);
        true
    }
}

/// `grid_pathfinding`: its JPS knows no rule against cutting corners.
struct JumpPoints(PathingGrid);

fn jps(map: &Map) -> JumpPoints {
    let cells = Cells::of(map);
    let mut grid = PathingGrid::new(cells.width as usize, cells.height as usize, true);
    for y in 0..cells.height {
        for x in 0..cells.width {
            if cells.is_open(x, y) {
                grid.set(x as i32, y as i32, false);
            }
        }
    }
    grid.generate_components();
    JumpPoints(grid)
}

impl Contender for JumpPoints {
    fn find(&mut self, from: Place, to: Place, path: &mut Vec<Place>) -> bool {
        let point = |(x, y): Place| grid_util::point::Point::new(x as i32, y as i32);
        match self.0.get_path_single_goal(point(from), point(to), false) {
            Some(points) => {
                path.extend(points.iter().map(|p| (p.x as u32, p.y as u32)));
                true
            }
            None => false,
        }
    }
}

/// The eight neighbours without cut corners. All moves cost the same: the crate prices cells, not moves.
#[derive(Clone, Debug)]
struct NoCutCorners(Arc<Cells>);

impl Neighborhood for NoCutCorners {
    fn get_all_neighbors(&self, (x, y): (usize, usize), target: &mut Vec<(usize, usize)>) {
        let moves = self.0.moves((x as u32, y as u32));
        target.extend(moves.map(|((x, y), _)| (x as usize, y as usize)));
    }

    fn heuristic(&self, a: (usize, usize), b: (usize, usize)) -> usize {
        let (dx, dy) = (a.0.abs_diff(b.0), a.1.abs_diff(b.1));
        match self.0.has_diagonals {
            true => dx.max(dy),
            false => dx + dy,
        }
    }
}

/// `hierarchical_pathfinding` with chunks of 32.
struct Hierarchical {
    cells: Arc<Cells>,
    cache: PathCache<NoCutCorners>,
}

impl Hierarchical {
    fn new(map: &Map) -> Hierarchical {
        let cells = Arc::new(Cells::of(map));
        let cache = PathCache::new(
            (cells.width as usize, cells.height as usize),
            |at| price(&cells, at),
            NoCutCorners(cells.clone()),
            PathCacheConfig::with_chunk_size(32),
        );
        Hierarchical { cells, cache }
    }
}

fn price(cells: &Cells, (x, y): (usize, usize)) -> isize {
    if cells.is_open(x as u32, y as u32) {
        1
    } else {
        -1
    }
}

impl Contender for Hierarchical {
    fn find(&mut self, from: Place, to: Place, path: &mut Vec<Place>) -> bool {
        let point = |(x, y): Place| (x as usize, y as usize);
        let cells = &self.cells;
        let found = self
            .cache
            .find_path(point(from), point(to), |at| price(cells, at));
        let Some(found) = found else {
            return false;
        };
        path.push(from);
        path.extend(found.map(|(x, y)| (x as u32, y as u32)));
        true
    }
}

/// `fast_paths`: contraction hierarchies on the grid's graph.
struct Contraction {
    width: u32,
    node_of: Vec<u32>,
    place_of: Vec<Place>,
    graph: FastGraph,
    calculator: PathCalculator,
}

impl Contraction {
    fn new(map: &Map) -> Contraction {
        let cells = Cells::of(map);
        let mut node_of = vec![u32::MAX; cells.open.len()];
        let mut place_of = Vec::new();
        for (i, _) in cells.open.iter().enumerate().filter(|(_, open)| **open) {
            node_of[i] = place_of.len() as u32;
            place_of.push((i as u32 % cells.width, i as u32 / cells.width));
        }
        let mut input = InputGraph::new();
        for (node, &place) in place_of.iter().enumerate() {
            for ((x, y), cost) in cells.moves(place) {
                let to = node_of[(y * cells.width + x) as usize] as usize;
                input.add_edge(node, to, cost as usize);
            }
        }
        input.freeze();
        let graph = fast_paths::prepare(&input);
        Contraction {
            width: cells.width,
            calculator: fast_paths::create_calculator(&graph),
            node_of,
            place_of,
            graph,
        }
    }
}

impl Contender for Contraction {
    fn find(&mut self, from: Place, to: Place, path: &mut Vec<Place>) -> bool {
        let node = |(x, y): Place| self.node_of[(y * self.width + x) as usize] as usize;
        let (from, to) = (node(from), node(to));
        match self.calculator.calc_path(&self.graph, from, to) {
            Some(found) => {
                let places = &self.place_of;
                path.extend(found.get_nodes().iter().map(|&node| places[node]));
                true
            }
            None => false,
        }
    }
}
