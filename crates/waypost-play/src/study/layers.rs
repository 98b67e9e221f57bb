//! Layers: what indexes know, in numbers that the page draws.

use super::Desk;
use crate::protocol::ask::LayerName;
use crate::protocol::tell::{Kind, with_numbers};
use serde_json::{Value, json};
use std::sync::atomic::Ordering;
use waypost::grid::Direction;
use waypost::index::{IndexKind, IndexRequest};
use waypost::navigator::{Corner, Inspection};
use waypost::prelude::*;

/// Marks of one kind that are shown at once.
const MAX_MARKS: usize = 20_000;
/// Cells on a side of what a layer of cells shows at once.
const MAX_WINDOW: u32 = 640;
/// Cells of a map whose groups are shown: they are found for the whole map at once.
const MAX_GROUPED: u64 = 4_000_000;

/// A layer that is asked for.
#[derive(Clone, Debug)]
pub struct LayerWish {
    /// Which.
    pub layer: LayerName,
    /// The cell that it is about.
    pub at: Point,
    /// The goal that it is about.
    pub goal: Point,
    /// Of the clique abstraction.
    pub level: u32,
    /// What can be seen: a corner of it, columns and rows.
    pub window: [u32; 4],
    /// Its turn among all.
    pub turn: u32,
}

/// What was found for earlier wishes and serves for the next ones, until the map changes.
#[derive(Default)]
pub struct Layers {
    corners: Option<(Inspection, Vec<Corner>)>,
    groups: Option<(u32, Vec<Vec<Option<u32>>>)>,
    moves: Option<(Point, Vec<(Point, Direction)>)>,
}

impl Layers {
    /// The map has changed.
    pub fn forget(&mut self) {
        *self = Layers::default();
    }
}

/// What is told of a layer: facts and numbers.
type Shown = Result<(Value, Vec<u32>), String>;

impl Desk {
    pub(super) fn layer(&mut self, wish: &LayerWish) {
        let made = match wish.layer {
            LayerName::Corners => self.corners(wish),
            LayerName::Sectors => self.sectors(wish),
            LayerName::Record => self.record(wish),
            LayerName::Cliques => self.cliques(wish),
            LayerName::FirstMoves => self.first_moves(wish),
        };
        match made {
            Ok((facts, numbers)) => self
                .outbox
                .tell(with_numbers(Kind::Layer, &facts, &numbers)),
            // Who looks at another layer does not ask what became of this one.
            Err(_) if self.latest.looked_at.load(Ordering::Relaxed) != 1 + wish.layer as u32 => {}
            Err(words) => self.trouble(words),
        }
    }

    fn inspect(&self, kind: IndexKind) -> Result<Inspection, String> {
        let chosen = self.nav.inspect();
        if chosen.kind() == kind.name() {
            return Ok(chosen);
        }
        self.provide_layer(IndexRequest::new(kind))?;
        let inspection = self.nav.inspect_kind(kind);
        inspection.map_err(|error| error.to_string())
    }

    /// A cell's number, row by row.
    fn number(&self, at: Point) -> u32 {
        at.y * self.nav.world().map().grid().width() + at.x
    }

    fn numbers(&self, points: &[Point]) -> Vec<u32> {
        let width = self.nav.world().map().grid().width();
        points.iter().map(|at| at.y * width + at.x).collect()
    }

    /// Corners in the window with the sizes of their labels; those that a cell sees; the hubs of these.
    fn corners(&mut self, wish: &LayerWish) -> Shown {
        if self.layers.corners.is_none() {
            let labels = self.inspect(IndexKind::Labels)?;
            let corners = labels.corners();
            self.layers.corners = Some((labels, corners));
        }
        let Some((labels, corners)) = &self.layers.corners else {
            return Err("no labels".to_string());
        };
        let shown = corners
            .iter()
            .filter(|corner| is_in(wish.window, corner.at));
        let shown: Vec<&Corner> = shown.take(MAX_MARKS).collect();
        let seen = labels.corners_seen(wish.at);
        let mut hubs: Vec<Point> = seen
            .iter()
            .flat_map(|&corner| labels.hubs(corner))
            .collect();
        hubs.sort_by_key(|at| (at.y, at.x));
        hubs.dedup();
        let facts = json!({
            "layer": "corners", "corners": shown.len(), "seen": seen.len(), "hubs": hubs.len(),
            "all": corners.len(), "at": [wish.at.x, wish.at.y],
        });
        let mut numbers = Vec::new();
        for corner in &shown {
            numbers.extend([self.number(corner.at), corner.hubs as u32]);
        }
        let seen: Vec<Point> = seen.iter().map(|&corner| corners[corner].at).collect();
        numbers.extend(self.numbers(&seen));
        numbers.extend(self.numbers(&hubs));
        Ok((facts, numbers))
    }

    /// Regions in the window by the cells that stand for them, and the chain from the cell to the goal.
    fn sectors(&self, wish: &LayerWish) -> Shown {
        let sectors = self.inspect(IndexKind::Sectors)?;
        let (side, regions) = sectors.sectors().ok_or("no sectors")?;
        let all = regions.len();
        let shown = regions.iter().map(|region| region.at);
        let shown = shown.filter(|&at| is_in(wish.window, at));
        let shown: Vec<Point> = shown.take(MAX_MARKS).collect();
        let chain = sectors.chain(wish.at, wish.goal);
        let facts = json!({
            "layer": "sectors", "side": side, "regions": shown.len(), "chain": chain.len(), "all": all,
        });
        let numbers = [self.numbers(&shown), self.numbers(&chain)].concat();
        Ok((facts, numbers))
    }

    /// The record that kNN LRTA* chooses for the cell and the goal.
    fn record(&self, wish: &LayerWish) -> Shown {
        let subgoals = self.inspect(IndexKind::Subgoals)?;
        let chosen = subgoals.chosen_record(&self.nav.world().map(), wish.at, wish.goal);
        let record = chosen.map_or(Vec::new(), |number| subgoals.record(number));
        let facts = json!({
            "layer": "record", "record": record.len(), "number": chosen, "all": subgoals.record_count(),
        });
        Ok((facts, self.numbers(&record)))
    }

    /// The group of every cell in the window.
    fn cliques(&mut self, wish: &LayerWish) -> Shown {
        let cells = {
            let map = self.nav.world().map();
            u64::from(map.grid().width()) * u64::from(map.grid().height())
        };
        if cells > MAX_GROUPED {
            return Err(format!(
                "cliques are shown on maps of up to {MAX_GROUPED} cells; this one has {cells}"
            ));
        }
        let levels = self.inspect(IndexKind::Hierarchy)?;
        let level = wish.level.clamp(1, levels.height().max(1));
        if self
            .layers
            .groups
            .as_ref()
            .is_none_or(|(of, _)| *of != level)
        {
            self.layers.groups = Some((level, levels.groups(level)));
        }
        let groups = self
            .layers
            .groups
            .as_ref()
            .map_or(&[][..], |(_, groups)| groups);
        let window = self.cut(wish.window);
        let [x, y, width, height] = window.map(|number| number as usize);
        let numbers = groups.iter().skip(y).take(height).flat_map(|row| {
            let row = row.iter().skip(x).take(width);
            row.map(|group| group.unwrap_or(u32::MAX))
        });
        let numbers = numbers.collect();
        let facts = json!({ "layer": "cliques", "window": window, "level": level, "height": levels.height() });
        Ok((facts, numbers))
    }

    /// The first move from every cell in the window to the goal, as a direction's number; 255 where there is none.
    fn first_moves(&mut self, wish: &LayerWish) -> Shown {
        let database = self.inspect(IndexKind::Cpd)?;
        if self
            .layers
            .moves
            .as_ref()
            .is_none_or(|(goal, _)| *goal != wish.goal)
        {
            self.layers.moves = Some((wish.goal, database.first_moves(wish.goal)));
        }
        let moves = self
            .layers
            .moves
            .as_ref()
            .map_or(&[][..], |(_, moves)| moves);
        let window = self.cut(wish.window);
        let [x, y, width, height] = window;
        let mut numbers = vec![255; width as usize * height as usize];
        for (at, direction) in moves.iter().filter(|(at, _)| is_in(window, *at)) {
            numbers[((at.y - y) * width + at.x - x) as usize] = *direction as u32;
        }
        let facts =
            json!({ "layer": "first-moves", "window": window, "goal": [wish.goal.x, wish.goal.y] });
        Ok((facts, numbers))
    }

    /// A window as far as the map goes, and no larger than is shown at once.
    fn cut(&self, [x, y, width, height]: [u32; 4]) -> [u32; 4] {
        let map = self.nav.world().map();
        let (columns, rows) = (map.grid().width(), map.grid().height());
        let (x, y) = (x.min(columns), y.min(rows));
        [
            x,
            y,
            width.min(columns - x).min(MAX_WINDOW),
            height.min(rows - y).min(MAX_WINDOW),
        ]
    }
}

fn is_in([x, y, width, height]: [u32; 4], at: Point) -> bool {
    at.x >= x && at.x - x < width && at.y >= y && at.y - y < height
}
