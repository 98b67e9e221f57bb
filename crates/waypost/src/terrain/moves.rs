//! Which moves a search on terrain goes on with, cell by cell and by the direction in which a cell was entered.
//!
//! The eight cells around a cell form a ring, and a *way round* leads over the ring from the cell before, the parent, to the next one
//! without the cell between. All that it costs is known from nine factors and nine bits. A move is left out
//! - where a way round is cheaper: no optimal path has such a move;
//! - where the move is diagonal and a way round that ends with a straight move costs the same.
//!
//! No optimal cost is lost by the second rule, though one parent per cell is kept. Let `n` be the node of least optimal cost that is missed.
//! None of its optimal predecessors dropped it by the first rule, so each did by the second one, from an optimal parent; the way round
//! from there ends with a straight move into `n`, out of a cell that is an optimal predecessor itself, cheaper than `n` and so not missed.
//! Straight moves are not dropped by the second rule, so that cell did not drop `n`.
//!
//! Where all cells around have the cell's own factor the tables of plain ground say the same ([`Pruning::Dominated`]).
//!
//! Few lists of moves are different from each other (1,400 on a map of 110,000 cells whose third part lies beside another factor): a
//! cell has the number of its list, and beside it, in the same word, the units of its factor, which are needed at the same time.

use super::Ground;
use crate::cost::{Cost, UNREACHED};
use crate::grid::pruning::{NO_ARRIVAL, Pruning, Relief, SuccessorTable};
use crate::grid::{Cell, ChangeSet, Corners, Direction, Grid, MoveRules, Neighbourhood};
use std::collections::HashMap;

/// The moves that are left after each arrival; nine of the sixteen exist, and a masked index needs no check.
pub type Kept = [u8; 16];

/// Lists of moves that are made for cells beyond this many are the coarser ones of [`Relief::Steep`], of which there are 256.
const MOST_LISTS: usize = (1 << 16) - 256;

/// The moves worth making on the ground of a grid: four bytes a passable or blocked cell.
#[derive(Clone, Debug)]
pub struct TerrainMoves {
    /// The number of the list in the upper half, the units of the factor in the lower one. The lists of walls mean nothing.
    cells: Vec<u32>,
    lists: Vec<Kept>,
    numbers: HashMap<Kept, u16>,
}

impl TerrainMoves {
    /// Looks at every passable cell once.
    pub fn of(grid: &Grid, rules: MoveRules, ground: &Ground) -> TerrainMoves {
        let cells = (0..grid.id_bound() as u32).map(|id| ground.units(Cell(id)));
        let mut moves = TerrainMoves {
            cells: cells.collect(),
            lists: Vec::new(),
            numbers: HashMap::new(),
        };
        let mut seen = Seen::default();
        for cell in grid.cells() {
            moves.look_at(grid, rules, ground, cell, &mut seen);
        }
        moves
    }

    /// Brings the cells around changed ones up to date.
    pub fn repair(&mut self, grid: &Grid, rules: MoveRules, ground: &Ground, changes: &ChangeSet) {
        let mut seen = Seen::default();
        for &cell in changes.blocked.iter().chain(&changes.opened) {
            let around = Direction::ALL.map(|d| grid.neighbour(cell, d));
            for near in around.into_iter().chain([cell]) {
                if grid.is_passable(near) {
                    self.look_at(grid, rules, ground, near, &mut seen);
                }
            }
        }
    }

    fn look_at(
        &mut self,
        grid: &Grid,
        rules: MoveRules,
        ground: &Ground,
        cell: Cell,
        seen: &mut Seen,
    ) {
        let around = grid.neighbourhood(cell);
        let place = Place {
            around,
            here: ground.units(cell),
            // Beyond the border there may be no cell.
            ring: Direction::ALL.map(|d| match around.is_passable(d) {
                true => ground.units(grid.neighbour(cell, d)),
                false => 0,
            }),
        };
        let number = match seen.number(&place) {
            Some(number) => number,
            None => {
                let number = self.number_of(&place, rules, ground);
                seen.note(place, number);
                number
            }
        };
        let word = &mut self.cells[cell.index()];
        *word = *word & 0xffff | u32::from(number) << 16;
    }

    /// The number of the list of a place, which may be a new one.
    fn number_of(&mut self, place: &Place, rules: MoveRules, ground: &Ground) -> u16 {
        let around = place.around;
        let list = if place.is_level() {
            listed(Pruning::Dominated.table(rules.corners), around)
        } else if self.lists.len() < MOST_LISTS {
            let scale = ground.scale();
            place.kept(rules, [scale.straight, scale.diagonal])
        } else {
            listed(Relief::Steep.table(rules.corners), around)
        };
        let next = self.lists.len() as u16;
        let number = *self.numbers.entry(list).or_insert(next);
        if number == next {
            self.lists.push(list);
        }
        number
    }

    /// The units of a cell's factor.
    #[inline]
    pub fn units(&self, cell: Cell) -> Cost {
        self.cells[cell.index()] & 0xffff
    }

    /// The units of a passable cell's factor, and a bit for every direction that is worth going on in after this arrival.
    #[inline]
    pub fn after(&self, cell: Cell, arrival: u8) -> (Cost, u8) {
        let word = self.cells[cell.index()];
        let kept = self.lists[(word >> 16) as usize][usize::from(arrival & 15)];
        (word & 0xffff, kept)
    }
}

/// What a table of plain ground has for a neighbourhood.
fn listed(table: &SuccessorTable, around: Neighbourhood) -> Kept {
    std::array::from_fn(|arrival| table[arrival << 8 | usize::from(around.0)])
}

/// Places of a map look alike: what is found out about one serves for the others.
#[derive(Default)]
struct Seen {
    /// Numbers of the lists of level places, by their neighbourhoods.
    level: Vec<Option<u16>>,
    others: HashMap<Place, u16>,
}

/// No more places are remembered.
const MOST_SEEN: usize = 1 << 15;

impl Seen {
    fn number(&self, place: &Place) -> Option<u16> {
        match place.is_level() {
            true => *self.level.get(usize::from(place.around.0))?,
            false => self.others.get(place).copied(),
        }
    }

    fn note(&mut self, place: Place, number: u16) {
        if place.is_level() {
            self.level.resize(256, None);
            self.level[usize::from(place.around.0)] = Some(number);
        } else if self.others.len() < MOST_SEEN {
            self.others.insert(place, number);
        }
    }
}

/// A passable cell with the cells around it; nothing is known of the ground of walls.
#[derive(PartialEq, Eq, Hash)]
struct Place {
    around: Neighbourhood,
    here: Cost,
    ring: [Cost; 8],
}

/// What ways round cost from one cell of the ring to all of it.
struct WaysRound {
    least: [Cost; 8],
    /// Those that end with a straight move.
    straight: [Cost; 8],
}

impl Place {
    fn is_passable(&self, number: usize) -> bool {
        self.around
            .is_passable(Direction::from_number(number as u8))
    }

    /// Have all passable cells around the cell's own factor?
    fn is_level(&self) -> bool {
        (0..8).all(|d| self.ring[d] == self.here || !self.is_passable(d))
    }

    fn kept(&self, rules: MoveRules, [straight, diagonal]: [Cost; 2]) -> Kept {
        let legal = rules.legal(self.around).0;
        // Along the ring from each cell to the next, and from each straight neighbour past a corner to the next one.
        let step: [Cost; 8] = std::array::from_fn(|a| {
            let b = (a + 1) & 7;
            let free = self.is_passable(a) && self.is_passable(b);
            cost_if(free, straight * (self.ring[a] + self.ring[b]))
        });
        let chord: [Cost; 8] = std::array::from_fn(|a| {
            let b = (a + 2) & 7;
            let passes = match rules.corners {
                Corners::Never => self.is_passable((a + 1) & 7),
                // The cell in the middle is the free one.
                Corners::One | Corners::Always => true,
                Corners::NoDiagonals => false,
            };
            let free = a & 1 == 0 && passes && self.is_passable(a) && self.is_passable(b);
            cost_if(free, diagonal * (self.ring[a] + self.ring[b]))
        });
        let spoke: [Cost; 8] =
            std::array::from_fn(|d| [straight, diagonal][d & 1] * (self.here + self.ring[d]));
        let mut kept = [0; 16];
        kept[usize::from(NO_ARRIVAL)] = legal;
        for (arrival, left) in kept.iter_mut().enumerate().take(8) {
            let parent = (arrival + 4) & 7;
            if !self.is_passable(parent) {
                continue;
            }
            let ways = ways_round(parent, &step, &chord);
            let is_kept = |&d: &usize| {
                let through = spoke[parent] + spoke[d];
                let is_tie = d & 1 != 0 && ways.straight[d] <= through;
                d != parent && legal >> d & 1 != 0 && ways.least[d] >= through && !is_tie
            };
            *left = (0..8).filter(is_kept).map(|d| 1 << d).sum();
        }
        kept
    }
}

fn cost_if(free: bool, cost: Cost) -> Cost {
    if free { cost } else { UNREACHED }
}

/// Both ways round the ring: a cheapest way never turns back.
fn ways_round(parent: usize, step: &[Cost; 8], chord: &[Cost; 8]) -> WaysRound {
    let mut ways = WaysRound {
        least: [UNREACHED; 8],
        straight: [UNREACHED; 8],
    };
    for clockwise in [true, false] {
        // The costs of the last cell and of the one before that.
        let (mut last, mut before): (Cost, Cost) = (0, UNREACHED);
        for turn in 1..8 {
            let (at, step, chord) = match clockwise {
                true => (
                    (parent + turn) & 7,
                    step[(parent + turn + 7) & 7],
                    chord[(parent + turn + 6) & 7],
                ),
                false => {
                    let at = (parent + 8 - turn) & 7;
                    (at, step[at], chord[at])
                }
            };
            let straight = last.saturating_add(step);
            let least = straight.min(before.saturating_add(chord));
            ways.straight[at] = ways.straight[at].min(straight);
            ways.least[at] = ways.least[at].min(least);
            (before, last) = (last, least);
        }
    }
    ways
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::grid::{GridPatch, Point};
    use crate::map::Map;
    use crate::rng::Rng;
    use crate::terrain::{Class, Classes, Factor, Footing};

    fn random_map(rng: &mut Rng, corners: Corners) -> Map {
        let (width, height) = (2 + rng.below(9), 2 + rng.below(9));
        let kinds = [50, 100, 141, 142, 241, 242, 800].map(|hundredths| Class {
            name: hundredths.to_string(),
            footing: Footing::Factor(Factor::from_hundredths(hundredths).expect("in range")),
        });
        let cells = (0..width * height).map(|_| rng.below(7) as u8).collect();
        let classes = Classes::new(width, height, kinds.into(), cells).expect("as many cells");
        let grid = Grid::from_fn(width, height, |_| !rng.percent(25)).expect("a legal size");
        let rules = MoveRules {
            corners,
            ..MoveRules::default()
        };
        Map::for_unit(&grid, rules, Some(&classes), 1).expect("costs fit")
    }

    const ALL: [Corners; 4] = [
        Corners::Never,
        Corners::One,
        Corners::Always,
        Corners::NoDiagonals,
    ];

    /// The least cost between two neighbours of a cell over its other neighbours, and the least with a straight last move, by going
    /// over all moves until nothing improves.
    fn relaxed(map: &Map, middle: Cell, from: Cell, to: Cell) -> (Cost, Cost) {
        let ring = Direction::ALL.map(|d| map.grid().neighbour(middle, d));
        let mut costs = [UNREACHED; 8];
        let start = ring.iter().position(|&c| c == from).expect("on the ring");
        costs[start] = 0;
        let mut straight = UNREACHED;
        for _ in 0..8 {
            for a in 0..8 {
                if costs[a] == UNREACHED || !map.grid().is_passable(ring[a]) {
                    continue;
                }
                for d in map.legal(ring[a]) {
                    let next = map.grid().neighbour(ring[a], d);
                    let Some(b) = ring.iter().position(|&c| c == next) else {
                        continue;
                    };
                    let cost = costs[a] + map.step_cost(ring[a], d);
                    costs[b] = costs[b].min(cost);
                    if next == to && !d.is_diagonal() {
                        straight = straight.min(cost);
                    }
                }
            }
        }
        let end = ring.iter().position(|&c| c == to).expect("on the ring");
        (costs[end], straight)
    }

    #[test]
    fn exactly_the_moves_that_no_way_round_is_as_good_as_are_kept() {
        let mut rng = Rng::new(5);
        let (mut kept, mut dropped) = (0, 0);
        for round in 0..400 {
            let map = random_map(&mut rng, ALL[round % 4]);
            let ground = map.ground().expect("terrain");
            let moves = TerrainMoves::of(map.grid(), map.rules(), ground);
            for cell in map.grid().cells() {
                let legal = map.legal(cell);
                assert_eq!(moves.after(cell, NO_ARRIVAL), (ground.units(cell), legal.0));
                let around = Direction::ALL.map(|d| map.grid().neighbour(cell, d));
                let near = around.into_iter().filter(|&c| map.grid().is_passable(c));
                if near.clone().all(|c| ground.units(c) == ground.units(cell)) {
                    continue; // the tables of plain ground
                }
                for parent in near {
                    let Some(arrival) = map.legal_step(parent, cell) else {
                        continue;
                    };
                    let (_, after) = moves.after(cell, arrival as u8);
                    for d in legal {
                        let next = map.grid().neighbour(cell, d);
                        if next == parent {
                            assert_eq!(after >> (d as u8) & 1, 0);
                            continue;
                        }
                        let through = map.step_cost(parent, arrival) + map.step_cost(cell, d);
                        let (least, straight) = relaxed(&map, cell, parent, next);
                        let needless = least < through || d.is_diagonal() && straight <= through;
                        assert_eq!(after >> (d as u8) & 1 == 0, needless, "{round}: {cell:?}");
                        kept += u32::from(!needless);
                        dropped += u32::from(needless);
                    }
                }
            }
        }
        assert!(kept > 10_000 && dropped > 10_000, "{kept} {dropped}");
    }

    #[test]
    fn patches_leave_what_a_new_map_would_have() {
        let mut rng = Rng::new(6);
        for round in 0..80 {
            let mut map = random_map(&mut rng, ALL[round % 4]);
            let ground = map.ground().expect("terrain").clone();
            map.terrain_moves(&ground);
            for _ in 0..6 {
                let mut patch = GridPatch::new();
                for _ in 0..4 {
                    let (width, height) = (map.grid().width(), map.grid().height());
                    let (x, y) = (rng.below(width), rng.below(height));
                    patch.set(Point { x, y }, rng.below(2) != 0);
                }
                map.apply(&patch);
                let new = TerrainMoves::of(map.grid(), map.rules(), &ground);
                for cell in map.grid().cells() {
                    for arrival in 0..=NO_ARRIVAL {
                        let repaired = map.terrain_moves(&ground).after(cell, arrival);
                        assert_eq!(repaired, new.after(cell, arrival), "{round}: {cell:?}");
                    }
                }
            }
        }
    }
}
