//! A map in use: a grid, the rules on it, its ground where that matters, its components, who it is and what happened to it
//! lately, all kept in step.
//!
//! **Identity.** A map is who it is by its size, by which of its cells are passable and by what steps cost there
//! ([`Map::fingerprint`]): two clones of one map are the same until one of them changes, and the same again if it is changed
//! back. Whatever was found out about a map is kept under that number, so it can serve every map that it is right for and none
//! other.
//!
//! **Change.** Nobody is told of a patch. Whoever keeps something compares fingerprints when it is used, and asks the map
//! what has happened since ([`Map::news_since`], [`Map::changes_since`]).

mod doors;
mod journal;
mod variants;

pub use crate::space::News;
pub use doors::Doors;
pub(crate) use journal::Journal;

use crate::cost::{Cost, Length, StepCosts};
use crate::grid::pruning::{NO_ARRIVAL, Relief};
use crate::grid::{
    Cell, ChangeSet, Components, Direction, Directions, Grid, GridPatch, MoveRules, Point,
    Surroundings, mix,
};
use crate::space::Space;
use crate::terrain::{Classes, Ground, TerrainMoves};
use std::borrow::Cow;
use std::sync::{Arc, OnceLock};

/// What searches, indexes and agents work on.
#[derive(Clone, Debug)]
pub struct Map {
    grid: Grid,
    rules: MoveRules,
    /// What steps cost where they do not cost the same everywhere.
    ground: Option<Arc<Ground>>,
    /// The kinds of ground of all cells, where the level tells several apart.
    classes: Option<Arc<Classes>>,
    /// Cells along a side of the unit that it is for.
    unit_size: u32,
    components: Components,
    surroundings: OnceLock<Surroundings>,
    terrain_moves: OnceLock<TerrainMoves>,
    fingerprint: u64,
    journal: Journal,
    doors: Option<DoorState>,
    world: World,
}

/// Tells a map from its clones, which may go other ways.
#[derive(Debug, Default)]
struct World(Arc<()>);

impl Clone for World {
    fn clone(&self) -> World {
        World::default()
    }
}

/// The doors of a map, and what identifies it with all of them open.
#[derive(Clone, Debug)]
struct DoorState {
    doors: Arc<Doors>,
    open_fingerprint: u64,
}

impl Map {
    /// Finds the components of a grid under the rules.
    pub fn new(grid: Grid, rules: MoveRules) -> Map {
        let components = Components::find(&grid, rules.corners);
        Map {
            fingerprint: grid.fingerprint().wrapping_add(rules.digest()),
            grid,
            rules,
            ground: None,
            classes: None,
            unit_size: 1,
            components,
            surroundings: OnceLock::new(),
            terrain_moves: OnceLock::new(),
            journal: Journal::default(),
            doors: None,
            world: World::default(),
        }
    }

    /// A map with doors, open where the grid is passable and closed where it is not.
    pub fn with_doors(grid: Grid, rules: MoveRules, doors: Doors) -> Map {
        Map::new(grid, rules).with_door_cells(doors)
    }

    /// The same with these doors and no others, open where it is passable and closed where it is not.
    pub(crate) fn with_door_cells(mut self, doors: Doors) -> Map {
        self.set_door_cells(doors);
        self
    }

    fn set_door_cells(&mut self, doors: Doors) {
        self.doors = None;
        if !doors.is_empty() {
            let open = doors.opened(&self.grid).fingerprint();
            self.doors = Some(DoorState {
                open_fingerprint: open
                    .wrapping_add(self.terrain_digest())
                    .wrapping_add(self.rules.digest()),
                doors: Arc::new(doors),
            });
        }
    }

    /// Makes doors of those of these cells that are none, and none of those that are. Passes once over the map.
    pub(crate) fn toggle_doors(&mut self, cells: &[Cell]) {
        let mut doors = match self.doors() {
            Some(doors) => doors.clone(),
            None => Doors::none(&self.grid),
        };
        cells.iter().for_each(|&cell| doors.toggle(cell));
        self.set_door_cells(doors);
    }

    /// Its doors, if it has any.
    pub fn doors(&self) -> Option<&Doors> {
        self.doors.as_ref().map(|state| &*state.doors)
    }

    /// The map that indexes are built for: the same with all doors open, or itself where it has none.
    pub fn with_doors_open(&self) -> Cow<'_, Map> {
        match &self.doors {
            None => Cow::Borrowed(self),
            Some(_) if self.has_all_doors_open() => Cow::Borrowed(self),
            Some(state) => {
                let mut open = self.with_grid(state.doors.opened(&self.grid));
                open.doors = self.doors.clone();
                Cow::Owned(open)
            }
        }
    }

    fn has_all_doors_open(&self) -> bool {
        let state = self.doors.as_ref();
        state.is_none_or(|state| state.open_fingerprint == self.fingerprint)
    }

    /// A copy that goes on as this map: what is kept in step with this one is kept in step with the copy.
    pub(crate) fn successor(&self) -> Map {
        let mut next = self.clone();
        next.world = World(self.world.0.clone());
        next
    }

    /// Names this map among its clones: what is kept in step with one of them is kept under it.
    pub(crate) fn world(&self) -> &Arc<()> {
        &self.world.0
    }

    /// Identifies the map as it is: its size, which cells are passable, its rules and what steps cost. Constant time.
    #[inline]
    pub fn fingerprint(&self) -> u64 {
        self.fingerprint
    }

    /// Identifies the map with all its doors open: what an index of it knows the lengths of paths on. The fingerprint itself
    /// where there are no doors.
    #[inline]
    pub fn open_fingerprint(&self) -> u64 {
        let state = self.doors.as_ref();
        state.map_or(self.fingerprint, |state| state.open_fingerprint)
    }

    /// Identifies the map in files: with all doors open, and by which cells are doors.
    pub fn file_fingerprint(&self) -> u64 {
        // Files name the rules beside it, so that errors can tell other rules from another map.
        let without_rules = |fingerprint: u64| fingerprint.wrapping_sub(self.rules.digest());
        match &self.doors {
            None => without_rules(self.fingerprint),
            Some(state) => {
                mix(without_rules(state.open_fingerprint) ^ mix(state.doors.fingerprint()))
            }
        }
    }

    /// Identifies which cells are doors: 0 where none is.
    pub(crate) fn doors_fingerprint(&self) -> u64 {
        let state = self.doors.as_ref();
        state.map_or(0, |state| state.doors.fingerprint())
    }

    /// What can have become wrong since the map had this fingerprint; `None` where it has it still.
    #[inline]
    pub fn news_since(&self, fingerprint: u64) -> Option<News> {
        (fingerprint != self.fingerprint).then(|| self.journal.news(fingerprint))
    }

    /// Whether walls and nothing else have come since the map had this fingerprint, or had it with all doors open: what were
    /// lengths of paths are lower bounds still.
    pub(crate) fn has_but_walls_since(&self, fingerprint: u64) -> bool {
        fingerprint == self.open_fingerprint()
            || self
                .news_since(fingerprint)
                .is_none_or(|news| news == News::Walls)
    }

    /// The patches since the map had this fingerprint, each as it was made; `None` where that is not remembered, or where they have changed
    /// more cells than this.
    pub(crate) fn few_patches_since(
        &self,
        fingerprint: u64,
        most_cells: usize,
    ) -> Option<impl Iterator<Item = &ChangeSet>> {
        self.journal.few_since(fingerprint, most_cells)
    }

    /// What has changed since the map had this fingerprint, in all; `None` where that is not remembered. The map with all
    /// doors open counts as one that it had.
    pub fn changes_since(&self, fingerprint: u64) -> Option<ChangeSet> {
        if fingerprint == self.fingerprint {
            return Some(ChangeSet::default());
        }
        let state = self.doors.as_ref();
        match state.filter(|state| state.open_fingerprint == fingerprint) {
            None => self.journal.changes(fingerprint),
            Some(state) => {
                let closed = |cell: &Cell| !self.grid.is_passable(*cell);
                Some(ChangeSet {
                    blocked: state.doors.cells().filter(closed).collect(),
                    opened: Vec::new(),
                })
            }
        }
    }

    /// Its latest patches.
    pub(crate) fn journal(&self) -> &Journal {
        &self.journal
    }

    /// It has come to what it is by these patches.
    pub(crate) fn set_journal(&mut self, journal: Journal) {
        self.journal = journal;
    }

    /// Cells along a side of the unit that the map is for.
    pub fn unit_size(&self) -> u32 {
        self.unit_size
    }

    /// The same with ground of different costs, which was made for a grid of the same size and these rules.
    pub fn on_ground(mut self, ground: Option<Arc<Ground>>) -> Map {
        let digest = |ground: &Option<Arc<Ground>>| ground.as_ref().map_or(0, |g| g.digest());
        let change = digest(&ground).wrapping_sub(digest(&self.ground));
        self.fingerprint = self.fingerprint.wrapping_add(change);
        if let Some(state) = &mut self.doors {
            state.open_fingerprint = state.open_fingerprint.wrapping_add(change);
        }
        self.ground = ground;
        self.terrain_moves = OnceLock::new();
        self
    }

    /// What steps cost, where they do not cost the same everywhere.
    #[inline]
    pub fn ground(&self) -> Option<&Arc<Ground>> {
        self.ground.as_ref()
    }

    /// Identifies the costs of steps beyond the rules: 0 where there is no terrain.
    pub fn terrain_digest(&self) -> u64 {
        self.ground.as_ref().map_or(0, |ground| ground.digest())
    }

    /// The grid.
    #[inline]
    pub fn grid(&self) -> &Grid {
        &self.grid
    }

    /// The rules.
    #[inline]
    pub fn rules(&self) -> MoveRules {
        self.rules
    }

    /// The least costs of a straight and of a diagonal move.
    #[inline]
    pub fn least_steps(&self) -> StepCosts {
        match &self.ground {
            None => self.rules.steps(),
            Some(ground) => ground.least(),
        }
    }

    /// The cost of the most expensive move.
    #[inline]
    pub fn max_step_cost(&self) -> Cost {
        if let Some(ground) = &self.ground {
            ground.highest()
        } else if self.rules.has_diagonals() {
            self.rules.costs.diagonal()
        } else {
            self.rules.costs.straight()
        }
    }

    /// What one legal move from a cell costs.
    #[inline]
    pub fn step_cost(&self, from: Cell, direction: Direction) -> Cost {
        match &self.ground {
            None => self.rules.cost(direction),
            Some(ground) => ground.cost(from, self.grid.neighbour(from, direction), direction),
        }
    }

    /// Do moves go eight ways and cost the same everywhere? Jump points, corners and the legs of climbs rely on it.
    #[inline]
    pub(crate) fn is_uniform(&self) -> bool {
        self.rules.has_diagonals() && self.ground.is_none()
    }

    /// The connected components.
    #[inline]
    pub fn components(&self) -> &Components {
        &self.components
    }

    /// The neighbourhoods of all cells, a byte each: made when first asked for, kept in step with the grid from then on.
    pub fn surroundings(&self) -> &Surroundings {
        self.surroundings
            .get_or_init(|| Surroundings::of(&self.grid))
    }

    /// The moves worth making on its ground: made when first asked for, kept in step with the grid from then on.
    pub(crate) fn terrain_moves(&self, ground: &Ground) -> &TerrainMoves {
        self.terrain_moves
            .get_or_init(|| TerrainMoves::of(&self.grid, self.rules, ground))
    }

    /// Makes what A* reads of a map, if nobody has asked for it yet.
    pub(crate) fn prepare_search(&self) {
        match &self.ground {
            Some(ground) => _ = self.terrain_moves(ground),
            None => _ = self.surroundings(),
        }
    }

    /// The legal moves from a passable cell.
    #[inline]
    pub fn legal(&self, cell: Cell) -> Directions {
        self.rules.legal(self.grid.neighbourhood(cell))
    }

    /// The cell at a point, if it can be stood on.
    pub fn passable_cell(&self, point: Point) -> Option<Cell> {
        self.grid.passable_cell(point)
    }

    /// The direction of a legal move between two cells; `None` where the move is illegal.
    pub fn legal_step(&self, from: Cell, to: Cell) -> Option<Direction> {
        if !self.grid.is_passable(from) {
            return None;
        }
        let direction = self.grid.direction_between(from, to)?;
        self.legal(from).contains(direction).then_some(direction)
    }

    /// Counts the moves of a path of neighbouring cells; `None` where a move is illegal. On terrain a move counts as the sum of
    /// its two cells' factors in hundredths: [`Map::length`] makes a number of it that people read.
    pub fn path_length(&self, path: &[Cell]) -> Option<Length> {
        let mut length = Length::default();
        for step in path.windows(2) {
            let direction = self.legal_step(step[0], step[1])?;
            let part = match &self.ground {
                None => 1,
                Some(ground) => u64::from(ground.hundredths(step[0]) + ground.hundredths(step[1])),
            };
            if direction.is_diagonal() {
                length.diagonal += part;
            } else {
                length.straight += part;
            }
        }
        Some(length)
    }

    /// The sum of the integer costs of a path's steps; `None` where a move is illegal.
    pub fn path_cost(&self, path: &[Cell]) -> Option<u64> {
        let step = |step: &[Cell]| {
            let direction = self.legal_step(step[0], step[1])?;
            Some(u64::from(self.step_cost(step[0], direction)))
        };
        path.windows(2).map(step).sum()
    }

    /// The length of a path, or on terrain its cost, as people read it.
    pub fn length(&self, moves: Length) -> f64 {
        let length = self.rules.costs.length(moves);
        match &self.ground {
            None => length,
            Some(_) => length / 200.0,
        }
    }

    /// An integer cost as an approximate length: for thresholds and estimates, not for reports of a path.
    pub fn approximate_length(&self, cost: Cost) -> f64 {
        match &self.ground {
            None => self.rules.costs.approximate_length(cost),
            Some(ground) => ground.scale().approximate_length(cost),
        }
    }

    /// Changes the grid and repairs what is known of it.
    pub fn apply(&mut self, patch: &GridPatch) -> ChangeSet {
        let changes = self.grid.apply(patch);
        if changes.is_empty() {
            return changes;
        }
        self.note(&changes);
        self.components.repair(&self.grid, &changes);
        if let Some(surroundings) = self.surroundings.get_mut() {
            surroundings.repair(&self.grid, &changes);
        }
        if let (Some(moves), Some(ground)) = (self.terrain_moves.get_mut(), &self.ground) {
            moves.repair(&self.grid, self.rules, ground, &changes);
        }
        changes
    }

    /// Keeps fingerprints and journal in step with changes that were just made.
    fn note(&mut self, changes: &ChangeSet) {
        self.journal.add(self.fingerprint, changes);
        let mut cells: Vec<Cell> = [&changes.blocked[..], &changes.opened].concat();
        cells.sort_unstable();
        let change = self.grid.fingerprint_change(&cells, None);
        self.fingerprint = self.fingerprint.wrapping_add(change);
        if let Some(DoorState {
            doors,
            open_fingerprint,
        }) = &mut self.doors
        {
            let change = self.grid.fingerprint_change(&cells, Some(doors.mask()));
            *open_fingerprint = open_fingerprint.wrapping_add(change);
        }
    }

    /// The cell nearest to `goal` that can be reached from `from`: the goal itself where it can be reached, else the cell
    /// of least octile distance to it, the lowest id of equals (the upper one, then the left one). `None` where `from` is
    /// blocked. The goal may be a wall or outside the map. Searches rows around the goal, never the map.
    pub fn nearest_reachable(&self, from: Cell, goal: Point) -> Option<Cell> {
        let component = self.components.of(from)?;
        self.components
            .nearest(&self.grid, self.rules.steps(), component, goal)
    }

    /// The same among the cells of a rectangle, by its first and its last point, which are on the map: `None` where none of them
    /// can be reached.
    pub(crate) fn nearest_reachable_in(
        &self,
        from: Cell,
        goal: Point,
        area: (Point, Point),
    ) -> Option<Cell> {
        let component = self.components.of(from)?;
        self.components
            .nearest_in(&self.grid, self.rules.steps(), component, goal, area)
    }
}

impl Space for Map {
    fn id_bound(&self) -> usize {
        self.grid.id_bound()
    }

    #[inline]
    fn contains(&self, cell: Cell) -> bool {
        self.grid.is_passable(cell)
    }

    #[inline]
    fn for_each_neighbour(&self, cell: Cell, mut visit: impl FnMut(Cell, Cost)) {
        let Some(ground) = &self.ground else {
            for d in self.legal(cell) {
                visit(self.grid.neighbour(cell, d), self.rules.cost(d));
            }
            return;
        };
        for d in self.legal(cell) {
            let next = self.grid.neighbour(cell, d);
            visit(next, ground.cost(cell, next, d));
        }
    }

    /// Leaves out dominated moves: see [`crate::grid::pruning`].
    #[inline]
    fn for_each_successor(&self, cell: Cell, parent: Cell, mut visit: impl FnMut(Cell, Cost)) {
        let arrival = Direction::ALL
            .into_iter()
            .find(|&d| self.grid.neighbour(parent, d) == cell)
            .map_or(NO_ARRIVAL, |d| d as u8);
        let relief = self.ground.as_ref().map(|ground| ground.relief(cell));
        let table = relief.unwrap_or(Relief::Level).table(self.rules.corners);
        let around = self.grid.neighbourhood(cell);
        for d in Directions(table[usize::from(arrival) << 8 | usize::from(around.0)]) {
            visit(self.grid.neighbour(cell, d), self.step_cost(cell, d));
        }
    }

    #[inline]
    fn heuristic(&self, from: Cell, to: Cell) -> Cost {
        let (dx, dy) = self.grid.point(from).distances(self.grid.point(to));
        self.least_steps().octile(dx, dy)
    }

    #[inline]
    fn connected(&self, a: Cell, b: Cell) -> bool {
        self.components.connected(a, b)
    }

    #[inline]
    fn state(&self) -> u64 {
        self.fingerprint
    }

    #[inline]
    fn news_since(&self, state: u64) -> Option<News> {
        Map::news_since(self, state)
    }

    fn most_neighbours(&self) -> u32 {
        self.rules.ways()
    }

    /// Three of four ways, and after a diagonal step five of eight.
    fn most_new_neighbours(&self) -> u32 {
        self.rules.ways().div_ceil(2) + 1
    }

    fn cheapest_edge(&self) -> Cost {
        self.least_steps().straight
    }

    /// The cells within `cost` on a map without walls.
    fn most_within(&self, cost: Cost) -> u64 {
        let StepCosts { straight, diagonal } = self.least_steps();
        let shorter = diagonal - straight;
        (0..=cost / straight)
            .map(|dx| {
                let dy = if dx.saturating_mul(diagonal) <= cost {
                    (cost - dx * shorter) / straight
                } else {
                    (cost - dx * straight) / shorter
                };
                (1 + 2 * u64::from(dy)) * if dx == 0 { 1 } else { 2 }
            })
            .sum()
    }

    fn max_edge_cost(&self) -> Cost {
        self.max_step_cost()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn patches_change_what_is_reachable() {
        let grid = Grid::from_fn(9, 5, |_| true).expect("a legal size");
        let mut map = Map::new(grid, MoveRules::default());
        let at = |x, y| Point { x, y };
        let (left, right) = (
            map.passable_cell(at(0, 2)).expect("passable"),
            map.passable_cell(at(8, 2)).expect("passable"),
        );
        let mut wall = GridPatch::new();
        for y in 0..5 {
            wall.set(at(4, y), false);
        }
        assert_eq!(map.apply(&wall).blocked.len(), 5);
        assert!(!map.components().connected(left, right));
        assert_eq!(
            map.nearest_reachable(left, at(8, 2)),
            map.passable_cell(at(3, 2))
        );
        assert_eq!(
            map.nearest_reachable(right, at(4, 0)),
            map.passable_cell(at(5, 0))
        );
        assert_eq!(
            map.nearest_reachable(left, at(1, 1)),
            map.passable_cell(at(1, 1))
        );
        assert_eq!(map.nearest_reachable(Cell::NONE, at(1, 1)), None);
        let door = GridPatch::new().open(at(4, 3));
        map.apply(&door);
        assert!(map.components().connected(left, right));
    }
}
