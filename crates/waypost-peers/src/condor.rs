//! `condor-pathfinding-grid`: its searches and prepared maps, which move four ways at unit costs.

use crate::contender::{Builder, Contender};
use crate::others::{Cells, without_terrain};
use crate::queries::Place;
use condor_grid::{
    AStar, Cell, Grid, HPAStarBuilder, JpsPlusBuilder, JumpPointSearch, Path, Pathfinder, Point,
    PreparedGridSearch, PreprocessedGridBuilder, SearchRequest, SubgoalGraphBuilder,
};
use waypost::Map;

/// Those that take one map for many queries, and its two on-line searches. Left out where moves go eight ways.
pub fn builders() -> Vec<Builder> {
    vec![
        search("condor astar", AStar),
        search("condor jump point search", JumpPointSearch),
        prepared("condor JPS+", JpsPlusBuilder::default),
        prepared("condor subgoal graph", SubgoalGraphBuilder::default),
        prepared("condor HPA*", HPAStarBuilder::default),
    ]
}

/// The map as the crate has it.
fn grid_of(map: &Map) -> Result<Grid, String> {
    without_terrain(map)?;
    if map.rules().has_diagonals() {
        return Err("it moves four ways; try --moves 4".to_string());
    }
    let cells = Cells::of(map);
    let (width, height) = (cells.width as usize, cells.height as usize);
    let mut grid = Grid::new(width, height).map_err(|error| error.to_string())?;
    for y in 0..cells.height {
        for x in 0..cells.width {
            if !cells.is_open(x, y) {
                let point = Point::new(x as usize, y as usize);
                let set = grid.set_cell(point, Cell::Blocked);
                set.map_err(|error| error.to_string())?;
            }
        }
    }
    grid.index_reachability();
    Ok(grid)
}

fn request(from: Place, to: Place) -> SearchRequest {
    let point = |(x, y): Place| Point::new(x as usize, y as usize);
    SearchRequest::new(point(from), point(to))
}

/// Writes a path that was found.
fn write(found: Option<&Path>, path: &mut Vec<Place>) -> bool {
    let Some(found) = found else {
        return false;
    };
    path.extend(found.steps().iter().map(|p| (p.x as u32, p.y as u32)));
    true
}

struct Search<P> {
    grid: Grid,
    search: P,
}

impl<P: Pathfinder> Contender for Search<P> {
    fn find(&mut self, from: Place, to: Place, path: &mut Vec<Place>) -> bool {
        let found = self.search.search(&self.grid, request(from, to));
        write(found.as_ref().ok().and_then(|found| found.path()), path)
    }
}

fn search<P: Pathfinder + Copy + 'static>(name: &str, search: P) -> Builder {
    Builder {
        name: name.to_string(),
        build: Box::new(move |map| {
            let grid = grid_of(map)?;
            Ok(Box::new(Search { grid, search }))
        }),
    }
}

struct Prepared<M>(M);

impl<M: PreparedGridSearch> Contender for Prepared<M> {
    fn find(&mut self, from: Place, to: Place, path: &mut Vec<Place>) -> bool {
        let found = self.0.search(request(from, to));
        write(found.as_ref().ok().and_then(|found| found.path()), path)
    }
}

fn prepared<B: PreprocessedGridBuilder + 'static>(name: &str, builder: fn() -> B) -> Builder
where
    B::Map: 'static,
{
    Builder {
        name: name.to_string(),
        build: Box::new(move |map| {
            let made = builder().preprocess(&grid_of(map)?);
            let made = made.map_err(|error| error.to_string())?;
            Ok(Box::new(Prepared(made)))
        }),
    }
}
