//! The nearest cell of a component to any point, without a flood.

use super::Components;
use crate::cost::{Cost, StepCosts};
use crate::grid::{Cell, Grid, MAX_SIDE, Point};

struct Search<'a> {
    components: &'a Components,
    grid: &'a Grid,
    costs: StepCosts,
    component: u32,
    to: Point,
    /// The first and the last point of the rectangle that is searched.
    area: (Point, Point),
    best: Option<(Cost, Cell)>,
}

impl Components {
    /// The cell of a component with the least octile distance to a point, the lowest id of equals (the upper one, then
    /// the left one). The point may be blocked, or outside the map.
    ///
    /// Looks at rows outwards from the point's own and stops as soon as no further row can hold a nearer cell; in a row it
    /// looks at runs outwards from the point's column, as far as the best cell so far allows. Allocates nothing.
    pub fn nearest(
        &self,
        grid: &Grid,
        costs: StepCosts,
        component: u32,
        to: Point,
    ) -> Option<Cell> {
        let last = Point {
            x: grid.width() - 1,
            y: grid.height() - 1,
        };
        let area = (Point { x: 0, y: 0 }, last);
        self.nearest_in(grid, costs, component, to, area)
    }

    /// The same among the cells of a rectangle, by its first and its last point, which are on the map.
    pub fn nearest_in(
        &self,
        grid: &Grid,
        costs: StepCosts,
        component: u32,
        to: Point,
        area: (Point, Point),
    ) -> Option<Cell> {
        let far = 2 * MAX_SIDE;
        let mut search = Search {
            components: self,
            grid,
            costs,
            component,
            // Points further out than any map is long are all equally far: this keeps costs within 32 bits.
            to: Point {
                x: to.x.min(far),
                y: to.y.min(far),
            },
            area,
            best: None,
        };
        search.run();
        search.best.map(|(_, cell)| cell)
    }
}

impl Search<'_> {
    fn run(&mut self) {
        let (middle, first, last) = (self.to.y, self.area.0.y, self.area.1.y);
        let farthest = middle.abs_diff(first).max(middle.abs_diff(last));
        for dy in 0..=farthest {
            if self.is_beyond(0, dy) {
                break;
            }
            if middle >= first + dy && middle - dy <= last {
                self.row(middle - dy);
            }
            if dy > 0 && middle + dy >= first && middle + dy <= last {
                self.row(middle + dy);
            }
        }
    }

    /// Whether a cell at this distance is worse than the best one.
    fn is_beyond(&self, dx: u32, dy: u32) -> bool {
        self.best
            .is_some_and(|(cost, _)| self.costs.octile(dx, dy) > cost)
    }

    fn row(&mut self, y: u32) {
        let runs = &self.components.runs;
        let row = y as usize + 1;
        let row_start = row as u32 * self.grid.stride();
        let [left, right] = [self.area.0, self.area.1].map(|corner| row_start + corner.x + 1);
        let column = row_start + self.to.x.clamp(self.area.0.x, self.area.1.x) + 1;
        for run in runs.runs_touching(row, column, right + 1) {
            let nearest = run.start.max(column);
            if self.is_worse(nearest) || self.offer(run.slot, nearest) {
                break;
            }
        }
        let mut at = column;
        while let Some(run) = runs.run_before(row, at) {
            let nearest = run.end.min(at) - 1;
            if nearest < left {
                break;
            }
            if self.is_worse(nearest) || self.offer(run.slot, nearest) {
                break;
            }
            at = run.start;
        }
    }

    fn cost(&self, id: u32) -> Cost {
        let (dx, dy) = self.grid.point(Cell(id)).distances(self.to);
        self.costs.octile(dx, dy)
    }

    fn is_worse(&self, id: u32) -> bool {
        self.best
            .is_some_and(|best| (self.cost(id), Cell(id)) > best)
    }

    /// Takes a cell if its run is in the component.
    fn offer(&mut self, slot: usize, id: u32) -> bool {
        let label = self.components.runs.label(slot);
        let is_wanted = self.components.pieces[label as usize].component == self.component;
        if is_wanted {
            self.best = Some((self.cost(id), Cell(id)));
        }
        is_wanted
    }
}
