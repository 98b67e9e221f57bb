//! Grids and other spaces as searches see them.

use super::best_first::Surface;
use crate::cost::Cost;
use crate::grid::pruning::{NO_ARRIVAL, Pruning, Relief, SuccessorTable};
use crate::grid::{Cell, Direction, Grid, MoveRules, Neighbourhood, Point, Rows, Surroundings};
use crate::heuristic::GridHeuristic;
use crate::map::Map;
use crate::space::Space;
use crate::terrain::{Ground, TerrainMoves};

/// Where the passability of the cells around a cell comes from.
pub trait Neighbourhoods {
    /// Which of the eight cells around a passable cell are passable.
    fn around(&self, cell: Cell) -> Neighbourhood;
}

/// From the grid's rows of bits, each time.
impl Neighbourhoods for Rows<'_> {
    #[inline]
    fn around(&self, cell: Cell) -> Neighbourhood {
        self.neighbourhood(cell)
    }
}

/// From a byte per cell.
impl Neighbourhoods for &Surroundings {
    #[inline]
    fn around(&self, cell: Cell) -> Neighbourhood {
        Surroundings::around(self, cell)
    }
}

/// One or the other, by a branch.
#[derive(Clone, Copy)]
pub enum RowsOrCached<'a> {
    /// The grid's rows of bits.
    Rows(Rows<'a>),
    /// A byte per cell.
    Cached(&'a Surroundings),
}

impl Neighbourhoods for RowsOrCached<'_> {
    #[inline]
    fn around(&self, cell: Cell) -> Neighbourhood {
        match self {
            RowsOrCached::Rows(rows) => rows.neighbourhood(cell),
            RowsOrCached::Cached(cached) => cached.around(cell),
        }
    }
}

/// A move as the loop needs it.
#[derive(Clone, Copy, Debug)]
struct Step {
    /// What it adds to a cell's id.
    offset: u32,
    /// What it adds to the coordinates, modulo 2^32.
    dx: u32,
    dy: u32,
    length: Cost,
}

/// What steps cost, and which successors are left out.
pub trait Footing {
    /// What is known of a cell while its successors are generated.
    type Here: Copy;

    /// Whether costs are numbers so large that open lists should round them.
    const ROUNDS: bool = false;

    /// The least cost of a step, where that is so.
    fn least(&self) -> Cost {
        0
    }

    /// Looks at a cell that was reached over `arrival`: what is known of it, and its successors, from a table of them or otherwise.
    fn look(
        &self,
        cell: Cell,
        arrival: u8,
        around: &impl Neighbourhoods,
        table: &SuccessorTable,
    ) -> (Self::Here, u8);

    /// The cost of a step of this length to a neighbour.
    fn cost(&self, here: Self::Here, next: Cell, length: Cost) -> Cost;
}

/// Every step costs its length.
#[derive(Clone, Copy)]
pub struct Plain;

impl Footing for Plain {
    type Here = ();

    #[inline]
    fn look(
        &self,
        cell: Cell,
        arrival: u8,
        around: &impl Neighbourhoods,
        table: &SuccessorTable,
    ) -> ((), u8) {
        ((), table[entry(arrival, around.around(cell))])
    }

    #[inline]
    fn cost(&self, (): (), _next: Cell, length: Cost) -> Cost {
        length
    }
}

/// Steps cost what the ground says, and what is left out depends on the relief.
#[derive(Clone, Copy)]
pub struct OnGround<'a> {
    ground: &'a Ground,
    /// By the number of the relief.
    tables: [&'a SuccessorTable; 4],
}

impl Footing for OnGround<'_> {
    type Here = Cost;

    const ROUNDS: bool = true;

    fn least(&self) -> Cost {
        self.ground.least().straight
    }

    #[inline]
    fn look(
        &self,
        cell: Cell,
        arrival: u8,
        around: &impl Neighbourhoods,
        _table: &SuccessorTable,
    ) -> (Cost, u8) {
        let table = self.tables[self.ground.relief(cell) as usize];
        let kept = table[entry(arrival, around.around(cell))];
        (self.ground.units(cell), kept)
    }

    #[inline]
    fn cost(&self, here: Cost, next: Cell, length: Cost) -> Cost {
        length * (here + self.ground.units(next))
    }
}

/// The same with the moves that are worth making known cell by cell.
#[derive(Clone, Copy)]
pub struct OnMoves<'a> {
    moves: &'a TerrainMoves,
    least: Cost,
}

impl Footing for OnMoves<'_> {
    type Here = Cost;

    const ROUNDS: bool = true;

    fn least(&self) -> Cost {
        self.least
    }

    #[inline]
    fn look(
        &self,
        cell: Cell,
        arrival: u8,
        _around: &impl Neighbourhoods,
        _table: &SuccessorTable,
    ) -> (Cost, u8) {
        self.moves.after(cell, arrival)
    }

    #[inline]
    fn cost(&self, here: Cost, next: Cell, length: Cost) -> Cost {
        length * (here + self.moves.units(next))
    }
}

/// Where a table has the successors for an arrival and a neighbourhood.
#[inline]
fn entry(arrival: u8, around: Neighbourhood) -> usize {
    usize::from(arrival & 15) << 8 | usize::from(around.0)
}

/// A map: links are arrival directions, successors come from neighbourhoods and a table.
#[derive(Clone, Copy)]
pub struct GridSurface<'a, H, N = Rows<'a>, F = Plain> {
    grid: &'a Grid,
    neighbourhoods: N,
    heuristic: H,
    footing: F,
    pruning: Pruning,
    table: &'a SuccessorTable,
    steps: [Step; 8],
    growth: Cost,
}

impl<'a, H: GridHeuristic> GridSurface<'a, H> {
    /// A map with an estimate towards the goal. Steps cost their length: see [`GridSurface::on_ground`].
    pub fn new(map: &'a Map, heuristic: H, pruning: Pruning) -> GridSurface<'a, H> {
        let rules = map.rules();
        GridSurface {
            grid: map.grid(),
            neighbourhoods: map.grid().rows(),
            growth: heuristic.growth(map.max_step_cost()),
            heuristic,
            footing: Plain,
            pruning,
            table: pruning.table(rules.corners),
            steps: Direction::ALL.map(|d| Step {
                offset: map.grid().neighbour(Cell(0), d).0,
                dx: d.dx() as u32,
                dy: d.dy() as u32,
                length: rules.cost(d),
            }),
        }
    }

    /// The same with neighbourhoods from elsewhere.
    pub fn with<N>(self, neighbourhoods: N) -> GridSurface<'a, H, N> {
        GridSurface {
            grid: self.grid,
            neighbourhoods,
            heuristic: self.heuristic,
            footing: self.footing,
            pruning: self.pruning,
            table: self.table,
            steps: self.steps,
            growth: self.growth,
        }
    }
}

impl<'a, H, N> GridSurface<'a, H, N> {
    /// The same with the costs of a map's ground.
    pub fn on_ground(
        self,
        ground: &'a Ground,
        rules: MoveRules,
    ) -> GridSurface<'a, H, N, OnGround<'a>> {
        let tables = match self.pruning {
            Pruning::Dominated => [Relief::Steep, Relief::Gentle, Relief::High, Relief::Level]
                .map(|relief| relief.table(rules.corners)),
            Pruning::None | Pruning::Parent => [self.table; 4],
        };
        self.standing_on(ground, OnGround { ground, tables })
    }

    /// The same, and dominated moves are left out cell by cell; what is known of neighbourhoods is not asked.
    pub fn on_moves(
        self,
        ground: &'a Ground,
        moves: &'a TerrainMoves,
    ) -> GridSurface<'a, H, N, OnMoves<'a>> {
        let least = ground.least().straight;
        self.standing_on(ground, OnMoves { moves, least })
    }

    fn standing_on<F>(self, ground: &Ground, footing: F) -> GridSurface<'a, H, N, F> {
        let scale = ground.scale();
        let mut steps = self.steps;
        for (number, step) in steps.iter_mut().enumerate() {
            step.length = [scale.straight, scale.diagonal][number & 1];
        }
        GridSurface {
            grid: self.grid,
            neighbourhoods: self.neighbourhoods,
            heuristic: self.heuristic,
            footing,
            pruning: self.pruning,
            table: self.table,
            steps,
            growth: self.growth,
        }
    }
}

impl<H: GridHeuristic, N: Neighbourhoods, F: Footing> Surface for GridSurface<'_, H, N, F> {
    type Link = u8;
    type Place = Point;

    const CONSISTENT: bool = H::CONSISTENT;
    const ROUNDS: bool = F::ROUNDS;

    fn start_link(&self) -> u8 {
        NO_ARRIVAL
    }

    #[inline]
    fn place(&self, cell: Cell) -> Point {
        self.grid.point(cell)
    }

    #[inline]
    fn estimate(&self, cell: Cell, point: Point) -> Cost {
        self.heuristic.estimate(cell, point)
    }

    #[inline]
    fn for_each_successor(
        &self,
        cell: Cell,
        arrival: u8,
        mut visit: impl FnMut(Cell, Cost, u8, Point),
    ) {
        let (here, mut left) = self
            .footing
            .look(cell, arrival, &self.neighbourhoods, self.table);
        let point = self.grid.point(cell);
        while left != 0 {
            let number = left.trailing_zeros() as u8;
            left &= left - 1;
            let step = &self.steps[usize::from(number & 7)];
            let place = Point {
                x: point.x.wrapping_add(step.dx),
                y: point.y.wrapping_add(step.dy),
            };
            let next = Cell(cell.0.wrapping_add(step.offset));
            let cost = self.footing.cost(here, next, step.length);
            visit(next, cost, number, place);
        }
    }

    #[inline]
    fn parent(&self, cell: Cell, arrival: u8) -> Option<Cell> {
        (arrival != NO_ARRIVAL).then(|| {
            let back = Direction::from_number(arrival).opposite();
            self.grid.neighbour(cell, back)
        })
    }

    fn id_bound(&self) -> usize {
        self.grid.id_bound()
    }

    fn growth(&self) -> Cost {
        self.growth
    }

    /// A quarter of a step: ways that differ by less are rare, and so are nodes that are expanded twice.
    fn most_rounding(&self) -> u32 {
        if self.heuristic.overestimates() {
            return 0;
        }
        (self.footing.least() / 4).max(1).ilog2()
    }
}

/// Any other space: links are parents, which are not stepped back to.
pub struct SpaceSurface<'a, S> {
    space: &'a S,
    goal: Option<Cell>,
}

impl<'a, S: Space> SpaceSurface<'a, S> {
    /// A space with the goal that its heuristic estimates towards, or none.
    pub fn new(space: &'a S, goal: Option<Cell>) -> SpaceSurface<'a, S> {
        SpaceSurface { space, goal }
    }
}

impl<S: Space> Surface for SpaceSurface<'_, S> {
    type Link = Cell;
    type Place = ();

    fn start_link(&self) -> Cell {
        Cell::NONE
    }

    fn place(&self, _cell: Cell) {}

    #[inline]
    fn estimate(&self, cell: Cell, _place: ()) -> Cost {
        self.goal.map_or(0, |goal| self.space.heuristic(cell, goal))
    }

    #[inline]
    fn for_each_successor(
        &self,
        cell: Cell,
        parent: Cell,
        mut visit: impl FnMut(Cell, Cost, Cell, ()),
    ) {
        self.space.for_each_neighbour(cell, |next, cost| {
            if next != parent {
                visit(next, cost, cell, ());
            }
        });
    }

    #[inline]
    fn parent(&self, _cell: Cell, parent: Cell) -> Option<Cell> {
        (parent != Cell::NONE).then_some(parent)
    }

    fn id_bound(&self) -> usize {
        self.space.id_bound()
    }

    fn growth(&self) -> Cost {
        self.space.max_edge_cost().saturating_mul(2)
    }
}
