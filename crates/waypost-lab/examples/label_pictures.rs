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
    let grid = generate(Kind::Caves, 96, 72, 5).expect("a legal size");
    let map = Map::new(grid, MoveRules::default());
    let settings = Settings::default();
    let labels = CornerLabels::build(&map, settings, &NoProgress).expect("few corners");
    let cell = |at: Point| map.grid().cell(at).expect("inside");
    let corners: Vec<Cell> = labels.graph().points().iter().map(cell).collect();
    let (from, to) = far_pair(&map);
    let folder = Path::new(&folder);

    let mut picture = Picture::of(map.grid());
    picture.dots("corner", corners.iter().copied(), 0);
    save(&picture, &folder.join("labels-corners.png"));

    let mut picture = Picture::of(map.grid());
    let mut query = LabelQuery::new();
    let mut way = |from: Cell, to: Point| -> Vec<Cell> {
        let mut cells = Vec::new();
        if let Some(path) = query.path(&labels, map.grid().point(from), to) {
            path.write_cells(map.grid(), &mut cells);
        }
        cells
    };
    let hubs = hubs_of(&labels, map.grid().point(from));
    let ways: Vec<Vec<Cell>> = hubs.iter().map(|&hub| way(from, hub)).collect();
    picture.bundles(&[("shortest ways to hubs", slices(&ways))]);
    picture.dots("hub", hubs.iter().map(|&hub| cell(hub)), 1);
    picture.ends(from, from);
    save(&picture, &folder.join("labels-hubs.png"));

    let mut picture = Picture::of(map.grid());
    let mut fan = |end: Cell| -> Vec<Vec<Cell>> {
        let corners = seen(&labels, map.grid().point(end));
        corners.into_iter().map(|at| way(end, at)).collect()
    };
    let (first, last) = (fan(from), fan(to));
    let path = way(from, map.grid().point(to));
    picture.bundles(&[
        ("the path", vec![&path]),
        ("corners seen from the start", slices(&first)),
        ("corners seen from the goal", slices(&last)),
    ]);
    picture.ends(from, to);
    save(&picture, &folder.join("labels-query.png"));
    println!(
        "{} corners, {} labels, {} hubs of the start",
        labels.corners(),
        labels.label_count(),
        hubs.len()
    );
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

fn save(picture: &Picture, file: &Path) {
    let written = picture
        .to_png()
        .map_err(|error| error.to_string())
        .and_then(|bytes| std::fs::write(file, bytes).map_err(|error| error.to_string()));
    if let Err(error) = written {
        eprintln!("error: {}: {error}", file.display());
        std::process::exit(2);
    }
}
