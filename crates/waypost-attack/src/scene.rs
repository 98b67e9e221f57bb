//! Maps that the engine and the test kit both know.

use waypost::{Cell, Corners, CostPair, Grid, Map, MoveRules, Point};
use waypost_testkit::{Corner, Rules, TestMap, TestRng, check_path, component_numbers, shapes};

/// A map twice: as the engine has it, and as the judge has it.
#[derive(Clone)]
pub struct Scene {
    pub judge: TestMap,
    pub rules: Rules,
    pub map: Map,
}

impl Scene {
    /// A map of any shape with sides within a range, under any rules.
    pub fn any(rng: &mut TestRng, least: u32, most: u32) -> Scene {
        let judge = shapes::any(u64::from(rng.next()), least, most);
        let rules = Rules::all()[rng.below(6) as usize];
        Scene::of(judge, rules)
    }

    /// A map under rules.
    pub fn of(judge: TestMap, rules: Rules) -> Scene {
        let open = |p: Point| judge.is_open_at((p.x, p.y));
        let grid = Grid::from_fn(judge.width(), judge.height(), open).expect("a legal size");
        let map = Map::new(grid, engine_rules(rules));
        Scene { judge, rules, map }
    }

    pub fn cell(&self, (x, y): (u32, u32)) -> Cell {
        self.map.grid().cell(Point { x, y }).unwrap_or(Cell::NONE)
    }

    pub fn point(&self, cell: Cell) -> (u32, u32) {
        let point = self.map.grid().point(cell);
        (point.x, point.y)
    }

    /// Is a step legal? The judge says.
    pub fn is_step(&self, from: (u32, u32), to: (u32, u32)) -> bool {
        check_path(&self.judge, self.rules, &[from, to]).is_ok()
    }

    /// Any point of the map, walls included.
    pub fn any_point(&self, rng: &mut TestRng) -> (u32, u32) {
        (
            rng.below(self.judge.width()),
            rng.below(self.judge.height()),
        )
    }

    /// Any open point; `None` where luck finds none.
    pub fn any_open(&self, rng: &mut TestRng) -> Option<(u32, u32)> {
        (0..60)
            .map(|_| self.any_point(rng))
            .find(|&point| self.judge.is_open_at(point))
    }

    /// Two open cells with a way between them; `None` on maps of single cells.
    pub fn connected_pair(&self, rng: &mut TestRng) -> Option<((u32, u32), (u32, u32))> {
        let numbers = component_numbers(&self.judge, self.rules.corner);
        let width = self.judge.width() as usize;
        let number = |(x, y): (u32, u32)| numbers[y as usize * width + x as usize];
        for _ in 0..40 {
            let from = self.judge.random_open_cell(rng)?;
            let to = self.judge.random_open_cell(rng)?;
            if from != to && number(from) == number(to) {
                return Some((from, to));
            }
        }
        None
    }
}

/// The engine's form of the test kit's rules.
pub fn engine_rules(rules: Rules) -> MoveRules {
    MoveRules {
        corners: match rules.corner {
            Corner::Never => Corners::Never,
            Corner::One => Corners::One,
            Corner::Always => Corners::Always,
            Corner::NoDiagonals => Corners::NoDiagonals,
        },
        costs: if rules.straight == 5 {
            CostPair::OnePointFour
        } else {
            CostPair::Sqrt2
        },
    }
}
