//! What an index knows, for debug views and curious people.

use super::{Error, Navigator};
use crate::agent::{Agent, Context, Scratch};
use crate::grid::{Cell, Direction, Grid, Point};
use crate::index::cpd::PathDatabase;
use crate::index::hierarchy::HierarchyIndex;
use crate::index::labels::CornerLabels;
use crate::index::sectors::SectorIndex;
use crate::index::subgoals::SubgoalDatabase;
use crate::index::{Index, IndexKind, IndexRequest};
use crate::map::Map;
use crate::methods::knn_lrta::{KnnLrta, KnnParams};
use std::any::Any;
use std::sync::Arc;

/// A corner of the map and how many hubs its label has.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Corner {
    /// Where it is.
    pub at: Point,
    /// Hubs in its label.
    pub hubs: usize,
}

/// A region of a sector.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Region {
    /// Its number.
    pub number: u32,
    /// The cell that stands for it.
    pub at: Point,
}

/// What the index of a world is, and what can be drawn of it.
#[derive(Clone, Debug)]
pub struct Inspection {
    index: Arc<dyn Index>,
    /// Why the index was chosen, in one line.
    pub reason: String,
    /// Facts for people: name and value.
    pub facts: Vec<(String, String)>,
    /// Bytes in memory, beyond the map.
    pub memory_bytes: usize,
}

impl Navigator {
    /// What the index of this unit type knows.
    pub fn inspect(&self) -> Inspection {
        let slots = self.world().indexes().slots().next().cloned();
        match slots {
            Some(slot) => Inspection::of(slot.index()),
            None => unreachable!("a navigator has an index"),
        }
    }

    /// What an index of this kind knows of the map. It is built where the world has none.
    ///
    /// ```
    /// use waypost::index::IndexKind;
    /// use waypost::prelude::*;
    /// # fn main() -> Result<(), waypost::Error> {
    /// let nav = Navigator::build(Map::from_fn(40, 30, |p| p.x != 20 || p.y == 7)?)?;
    /// let levels = nav.inspect_kind(IndexKind::Hierarchy)?;
    /// assert!(levels.height() > 2);
    /// assert!(levels.groups(1).iter().flatten().count() > 1000);
    /// # Ok(())
    /// # }
    /// ```
    pub fn inspect_kind(&self, kind: IndexKind) -> Result<Inspection, Error> {
        let request = IndexRequest::new(kind);
        self.world().provide(&request)?;
        let slot = self.world().slot(&request).map_err(Error::Map)?;
        Ok(Inspection::of(slot.index()))
    }
}

impl Inspection {
    fn of(chosen: Arc<dyn Index>) -> Inspection {
        let reason = chosen.parameters().get("reason").cloned();
        let index = chosen.inner().unwrap_or(chosen);
        Inspection {
            reason: reason.unwrap_or_default(),
            facts: index.facts(),
            memory_bytes: index.memory_bytes(),
            index,
        }
    }

    /// The name of the kind of index, such as `labels` or `sectors`.
    pub fn kind(&self) -> &'static str {
        self.index_kind().name()
    }

    /// The kind of index.
    pub fn index_kind(&self) -> IndexKind {
        self.index.kind()
    }

    fn as_type<T: Index>(&self) -> Option<Arc<T>> {
        (self.index.clone() as Arc<dyn Any + Send + Sync>)
            .downcast()
            .ok()
    }

    fn point(&self, cell: Cell) -> Point {
        let stride = Grid::stride_of(self.index.identity().width);
        Point {
            x: cell.0 % stride - 1,
            y: cell.0 / stride - 1,
        }
    }

    fn cell(&self, point: Point) -> Option<Cell> {
        let identity = self.index.identity();
        let inside = point.x < identity.width && point.y < identity.height;
        inside.then(|| Cell((point.y + 1) * Grid::stride_of(identity.width) + point.x + 1))
    }

    /// The corners that paths bend at, with the size of their labels; empty where the index is not one of labels.
    pub fn corners(&self) -> Vec<Corner> {
        let Some(labels) = self.as_type::<CornerLabels>() else {
            return Vec::new();
        };
        let points = labels.graph().points();
        (0..labels.corners() as u32)
            .map(|corner| Corner {
                at: points.point(corner),
                hubs: labels.hubs(corner).count(),
            })
            .collect()
    }

    /// The hubs in the label of a corner, by its place in [`Inspection::corners`]; empty where there is no such corner.
    pub fn hubs(&self, corner: usize) -> Vec<Point> {
        let labels = self.as_type::<CornerLabels>();
        let Some(labels) = labels.filter(|labels| corner < labels.corners()) else {
            return Vec::new();
        };
        let hubs = labels.hubs(corner as u32);
        hubs.map(|(rank, _)| labels.hub_point(rank)).collect()
    }

    /// The corners that a point sees, by their places in [`Inspection::corners`]: those at which a path from there may turn first.
    /// Empty where the index is not one of labels or the point is a wall.
    pub fn corners_seen(&self, from: impl Into<Point>) -> Vec<usize> {
        let from = from.into();
        let labels = self.as_type::<CornerLabels>();
        let labels = labels.filter(|_| self.cell(from).is_some());
        let Some(labels) = labels.filter(|labels| labels.scans().is_passable(from)) else {
            return Vec::new();
        };
        let (points, scans) = (labels.graph().points(), labels.scans());
        if let Some(corner) = points.marked(from) {
            return vec![corner as usize];
        }
        let mut seen = Vec::new();
        scans.for_each_stop(from, scans.moves(from, None), |stop| {
            seen.extend(points.marked(stop.at).map(|corner| corner as usize));
        });
        seen
    }

    /// The chain of regions that leads from a point to another, by the cells that stand for them. Empty where the index is not
    /// one of sectors or there is no way.
    pub fn chain(&self, from: impl Into<Point>, goal: impl Into<Point>) -> Vec<Point> {
        let Some(sectors) = self.as_type::<SectorIndex>() else {
            return Vec::new();
        };
        let region = |point: Point| self.cell(point).and_then(|_| sectors.region(point));
        let ends = region(from.into()).zip(region(goal.into()));
        let Some((mut at, goal)) = ends.filter(|&(a, b)| sectors.connected(a, b)) else {
            return Vec::new();
        };
        let mut chain = vec![self.point(sectors.representative(at))];
        while at != goal && chain.len() <= sectors.region_count() {
            let Some(next) = sectors.next_hop(at, goal).0 else {
                break;
            };
            at = next;
            chain.push(self.point(sectors.representative(at)));
        }
        chain
    }

    /// The side of a sector in cells and all regions; `None` where the index is not one of sectors.
    pub fn sectors(&self) -> Option<(u32, Vec<Region>)> {
        let sectors = self.as_type::<SectorIndex>()?;
        let regions = (0..sectors.region_count() as u32).map(|number| Region {
            number,
            at: self.point(sectors.representative(number)),
        });
        Some((sectors.layout().side(), regions.collect()))
    }

    /// How many records there are; 0 where the index is not one of subgoals.
    pub fn record_count(&self) -> usize {
        let subgoals = self.as_type::<SubgoalDatabase>();
        subgoals.map_or(0, |subgoals| subgoals.cases().len())
    }

    /// The start, subgoals and goal of a record; empty where there is no such record.
    pub fn record(&self, number: usize) -> Vec<Point> {
        let subgoals = self.as_type::<SubgoalDatabase>();
        let Some(subgoals) = subgoals.filter(|s| number < s.cases().len()) else {
            return Vec::new();
        };
        let (records, number) = (subgoals.cases().slices(), number as u32);
        let states = 0..records.state_count(number);
        states
            .map(|position| self.point(records.state(number, position)))
            .collect()
    }

    /// The record that kNN LRTA\* chooses with the parameters of its paper, for [`Inspection::record`]; `None` where it goes
    /// without one, or the index is not one of subgoals for this map.
    pub fn chosen_record(
        &self,
        map: &Map,
        from: impl Into<Point>,
        goal: impl Into<Point>,
    ) -> Option<usize> {
        let subgoals = self.as_type::<SubgoalDatabase>()?;
        let (from, goal) = (
            map.passable_cell(from.into())?,
            map.passable_cell(goal.into())?,
        );
        let identity = self.index.identity();
        if (identity.width, identity.height) != (map.grid().width(), map.grid().height()) {
            return None;
        }
        let mut agent = KnnLrta::new(subgoals.cases().clone(), KnnParams::default());
        let mut scratch = Scratch::new();
        let mut context = Context::new(map, &mut scratch);
        agent.start(&mut context, from, goal);
        agent.next_move(&mut context, from);
        agent.record().map(|record| record as usize)
    }

    /// Levels of the clique abstraction above the cells; 0 where the index is another one.
    pub fn height(&self) -> u32 {
        let index = self.as_type::<HierarchyIndex>();
        index.map_or(0, |index| index.hierarchy().height())
    }

    /// By row and column: the number of the group that a cell belongs to at a level (from 1) of the clique abstraction,
    /// `None` for walls and cells without a move. Empty where the index is another one.
    pub fn groups(&self, level: u32) -> Vec<Vec<Option<u32>>> {
        let Some(index) = self.as_type::<HierarchyIndex>() else {
            return Vec::new();
        };
        let (identity, hierarchy) = (self.index.identity(), index.hierarchy());
        let group = |x: u32, y: u32| {
            let place = hierarchy.ancestor(self.cell(Point { x, y })?, level);
            // Walls and cells without a move belong to no group.
            (place.level > 0).then_some(place.id)
        };
        let row = |y: u32| (0..identity.width).map(|x| group(x, y)).collect();
        (0..identity.height).map(row).collect()
    }

    /// The first step of a shortest path from every point to a goal, as the path database has it: points and directions, row by
    /// row. Empty where the index is another one or the goal is a wall.
    pub fn first_moves(&self, goal: impl Into<Point>) -> Vec<(Point, Direction)> {
        let database = self.as_type::<PathDatabase>();
        let known = database.zip(self.cell(goal.into()));
        let known = known.and_then(|(database, goal)| {
            let target = database.target(goal)?;
            Some((database, target))
        });
        let Some((database, target)) = known else {
            return Vec::new();
        };
        let cells = database.grid().cells();
        cells
            .filter_map(|cell| Some((self.point(cell), database.first_move(cell, &target)?)))
            .collect()
    }
}
