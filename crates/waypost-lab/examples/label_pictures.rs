//! The pictures of `docs/guide/src/methods/labels.md`: corners, the labels of one cell, a query.
//!
//! ```sh
//! cargo run --release -p waypost-lab --example label_pictures -- docs/guide/src/methods/images
//! ```

use std::path::Path;
use waypost::generate::{Kind, generate};
use waypost::index::labels::{CornerLabels, LabelQuery, Settings};
use waypost::progress::NoProgress;
use waypost::{Cell, Map, MoveRules, Point};
use waypost_lab::picture::Picture;

fn main() {
    let folder = std::env::args()
        .nth(1)
        .unwrap_or_else(|| "docs/guide/src/methods/images".to_string());
    for (name, bytes) in draw() {
        let file = Path::new(&folder).join(name);
        if let Err(error) = std::fs::write(&file, bytes) {
            eprintln!("error: {}: {error}", file.display());
            std::process::exit(2);
        }
    }
}

/// The files with their bytes.
pub fn draw() -> Vec<(&'static str, Vec<u8>)> {
    let grid = generate(Kind::Caves, 96, 72, 5).expect("a legal size");
    let map = Map::new(grid, MoveRules::default());
    let settings = Settings::default();
    let labels = CornerLabels::build(&map, settings, &NoProgress).expect("few corners");
    let stage = Stage {
        ends: far_pair(&map),
        map: &map,
        labels: &labels,
    };
    vec![
        ("labels-corners.png", stage.corners()),
        ("labels-hubs.png", stage.hubs()),
        ("labels-query.png", stage.query()),
    ]
}

/// A map, its labels, and two cells far apart.
struct Stage<'a> {
    map: &'a Map,
    labels: &'a CornerLabels,
    ends: (Cell, Cell),
}

impl Stage<'_> {
    fn cell(&self, at: Point) -> Cell {
        self.map.grid().cell(at).expect("inside")
    }

    fn corners(&self) -> Vec<u8> {
        let mut picture = Picture::of(self.map.grid());
        let points = self.labels.graph().points();
        picture.dots("corner", points.iter().map(|at| self.cell(at)), 0);
        png(&picture)
    }

    fn hubs(&self) -> Vec<u8> {
        let from = self.ends.0;
        let mut picture = Picture::of(self.map.grid());
        let hubs = hubs_of(self.labels, self.map.grid().point(from));
        let ways: Vec<Vec<Cell>> = hubs.iter().map(|&hub| self.way(from, hub)).collect();
        picture.bundles(&[("shortest ways to hubs", slices(&ways))]);
        picture.dots("hub", hubs.iter().map(|&hub| self.cell(hub)), 1);
        picture.ends(from, from);
        png(&picture)
    }

    fn query(&self) -> Vec<u8> {
        let (from, to) = self.ends;
        let mut picture = Picture::of(self.map.grid());
        let fan = |end: Cell| -> Vec<Vec<Cell>> {
            let corners = seen(self.labels, self.map.grid().point(end));
            corners.into_iter().map(|at| self.way(end, at)).collect()
        };
        let (first, last) = (fan(from), fan(to));
        let path = self.way(from, self.map.grid().point(to));
        picture.bundles(&[
            ("the path", vec![&path]),
            ("to corners seen from the start", slices(&first)),
            ("to corners seen from the goal", slices(&last)),
        ]);
        picture.ends(from, to);
        png(&picture)
    }

    /// The cells of a shortest path.
    fn way(&self, from: Cell, to: Point) -> Vec<Cell> {
        let grid = self.map.grid();
        let mut cells = Vec::new();
        if let Some(path) = LabelQuery::new().path(self.labels, grid.point(from), to) {
            path.write_cells(grid, &mut cells);
        }
        cells
    }
}

fn png(picture: &Picture) -> Vec<u8> {
    picture.to_png().expect("a picture of this size")
}

fn slices(paths: &[Vec<Cell>]) -> Vec<&[Cell]> {
    paths.iter().map(Vec::as_slice).collect()
}

/// The corners that a cell sees.
fn seen(labels: &CornerLabels, at: Point) -> Vec<Point> {
    let mut corners = Vec::new();
    let scans = labels.scans();
    scans.for_each_stop(at, scans.moves(at, None), |stop| corners.push(stop.at));
    corners
}

/// Where the hubs of the corners that a cell sees are: the label of a hub at distance 0 names its corner.
fn hubs_of(labels: &CornerLabels, at: Point) -> Vec<Point> {
    let points = labels.graph().points();
    let mut place = vec![None; labels.corners()];
    for corner in 0..labels.corners() as u32 {
        for (hub, distance) in labels.hubs(corner) {
            if distance == 0 {
                place[hub] = Some(points.point(corner));
            }
        }
    }
    let mut hubs: Vec<Point> = seen(labels, at)
        .into_iter()
        .filter_map(|corner| points.marked(corner))
        .flat_map(|corner| labels.hubs(corner))
        .filter_map(|(hub, _)| place[hub])
        .collect();
    hubs.sort_unstable();
    hubs.dedup();
    hubs
}

/// Two cells of the largest component, near opposite corners of the map.
fn far_pair(map: &Map) -> (Cell, Cell) {
    let largest = map.components().largest();
    let inside = || {
        map.grid()
            .cells()
            .filter(|&c| map.components().of(c) == largest)
    };
    let sum = |cell: Cell| map.grid().point(cell).x + map.grid().point(cell).y;
    let from = inside().min_by_key(|&c| sum(c)).expect("a passable cell");
    let to = inside().max_by_key(|&c| sum(c)).expect("a passable cell");
    (from, to)
}
