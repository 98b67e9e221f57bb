//! Places on the command line: `X,Y`, the number of a graph's node, or `random`.

use anyhow::{Context, Result, bail};
use clap::Args;
use std::str::FromStr;
use waypost::Map;
use waypost::grid::{Cell, Point};
use waypost::rng::Rng;
use waypost::space::ExplicitGraph;

/// Where a path begins or ends.
#[derive(Clone, Copy, Debug)]
enum Place {
    /// A cell of a map.
    Point(Point),
    /// A node of a graph.
    Node(u32),
    /// Any place that suits the other end.
    Random,
}

impl FromStr for Place {
    type Err = String;

    fn from_str(text: &str) -> Result<Place, String> {
        let number = |text: &str| {
            text.trim().parse::<u32>().map_err(|_| {
                format!("`{text}` is not a whole number from 0 on; expected X,Y or `random`")
            })
        };
        match text.split_once(',') {
            _ if text.trim() == "random" => Ok(Place::Random),
            _ if text.trim().eq_ignore_ascii_case("random") => {
                Err("did you mean `random`?".to_string())
            }
            Some((x, y)) => Ok(Place::Point(Point {
                x: number(x)?,
                y: number(y)?,
            })),
            None => match with_comma(text) {
                Some(point) => Err(format!("expected a comma between X and Y: {point}")),
                None => Ok(Place::Node(number(text)?)),
            },
        }
    }
}

/// A point as it was meant, where something else than a comma stands between two numbers.
fn with_comma(text: &str) -> Option<String> {
    let is_digit = |c: char| c.is_ascii_digit();
    let text = text.trim().trim_matches(['(', ')', '[', ']']);
    let (x, rest) = text.split_at(text.find(|c| !is_digit(c))?);
    let y = &rest[rest.find(is_digit)?..];
    let between = rest[..rest.len() - y.len()].trim();
    let parted = matches!(between, "" | ";" | ":" | "x" | "X" | "/" | "|" | ".");
    (parted && !x.is_empty() && y.chars().all(is_digit)).then(|| format!("{x},{y}"))
}

impl std::fmt::Display for Place {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Place::Point(point) => point.fmt(f),
            Place::Node(node) => node.fmt(f),
            Place::Random => f.write_str("random"),
        }
    }
}

/// Where a path begins, and how places are chosen.
#[derive(Args, Debug)]
pub struct StartArgs {
    /// Where to start: a cell X,Y, `random`, or a node's number on a graph.
    #[arg(long, value_name = "X,Y", allow_hyphen_values = true)]
    from: Place,

    /// Take the nearest passable cell where a place is on a wall.
    #[arg(long)]
    nearest: bool,

    /// The seed of random places.
    #[arg(long, value_name = "S", default_value_t = 0)]
    seed: u64,
}

/// Both ends of a path.
#[derive(Args, Debug)]
pub struct EndArgs {
    #[command(flatten)]
    start: StartArgs,

    /// Where to go: the same. Given several times, the place that is nearest by cost is chosen.
    #[arg(long, value_name = "X,Y", allow_hyphen_values = true, required = true)]
    to: Vec<Place>,
}

/// Both ends of a path on a graph.
#[derive(Args, Debug)]
pub struct NodeArgs {
    /// Where to start: the number of a node, or `random`.
    #[arg(long, value_name = "NODE", allow_hyphen_values = true)]
    from: Place,

    /// Where to go: the same.
    #[arg(long, value_name = "NODE", allow_hyphen_values = true)]
    to: Place,

    /// The seed of random places.
    #[arg(long, value_name = "S", default_value_t = 0)]
    seed: u64,
}

impl NodeArgs {
    /// The nodes.
    pub fn nodes(&self, graph: &ExplicitGraph) -> Result<(Cell, Cell)> {
        let mut rng = Rng::new(self.seed);
        let from = node(graph, self.from, "--from", &mut rng)?;
        Ok((from, node(graph, self.to, "--to", &mut rng)?))
    }
}

impl EndArgs {
    /// The cells on a map, one or several to go to. Random ones are connected with the other end, or lie in the largest component.
    pub fn cells(&self, map: &Map) -> Result<(Cell, Vec<Cell>)> {
        let mut rng = Rng::new(self.start.seed);
        let from = self.start.cell(map, self.start.from, "--from")?;
        let goals = self.to.iter().map(|&to| self.start.cell(map, to, "--to"));
        let goals = goals.collect::<Result<Vec<Option<Cell>>>>()?;
        let from = match from {
            Some(from) => from,
            None => random_beside(map, goals.iter().flatten().next().copied(), &mut rng)?,
        };
        let goals = goals.into_iter().map(|goal| match goal {
            Some(goal) => Ok(goal),
            None => random_beside(map, Some(from), &mut rng),
        });
        Ok((from, goals.collect::<Result<_>>()?))
    }

    /// The nodes of a graph.
    pub fn nodes(&self, graph: &ExplicitGraph) -> Result<(Cell, Cell)> {
        if self.start.nearest {
            bail!("--nearest is for maps; leave it out for a graph");
        }
        let [to] = self.to[..] else {
            bail!("several goals are for maps; give --to once for a graph");
        };
        let ends = NodeArgs {
            from: self.start.from,
            to,
            seed: self.start.seed,
        };
        ends.nodes(graph)
    }
}

impl StartArgs {
    /// The cell on a map where a path begins. A random one lies in the largest component.
    pub fn start(&self, map: &Map) -> Result<Cell> {
        match self.cell(map, self.from, "--from")? {
            Some(from) => Ok(from),
            None => random_beside(map, None, &mut Rng::new(self.seed)),
        }
    }

    /// The cell at a place; none where any will do.
    fn cell(&self, map: &Map, place: Place, flag: &str) -> Result<Option<Cell>> {
        let grid = map.grid();
        let point = match place {
            Place::Random => return Ok(None),
            Place::Point(point) => point,
            Place::Node(_) => {
                bail!("{flag} {place}: expected X,Y, two whole numbers with a comma between them")
            }
        };
        let Some(cell) = grid.cell(point) else {
            bail!(
                "{flag} {point} is outside the map; expected X from 0 to {} and Y from 0 to {}",
                grid.width() - 1,
                grid.height() - 1
            );
        };
        if grid.is_passable(cell) {
            return Ok(Some(cell));
        }
        let wrong = match map.unit_size() {
            1 => "is on a wall".to_string(),
            size => format!("has no room for a unit of {size} x {size} cells"),
        };
        let nearest = nearest(map, point);
        match nearest.map(|cell| grid.point(cell)) {
            None => bail!("{flag} {point} {wrong}, like every cell of the map"),
            Some(_) if self.nearest => Ok(nearest),
            Some(free) => bail!(
                "{flag} {point} {wrong}; the nearest passable cell is {free}: give {flag} {free}, or add --nearest"
            ),
        }
    }
}

/// The passable cell nearest to a point, of whatever component: rows outwards from the point's own, as far as one can hold a
/// nearer cell. Of equals the upper one, then the left one.
fn nearest(map: &Map, to: Point) -> Option<Cell> {
    let grid = map.grid();
    let mut best: Option<(u64, Point)> = None;
    let squared = |p: Point| {
        let (dx, dy) = (u64::from(p.x.abs_diff(to.x)), u64::from(p.y.abs_diff(to.y)));
        dx * dx + dy * dy
    };
    let rows = |dy: u32| [to.y.checked_sub(dy), to.y.checked_add(dy)];
    for dy in 0..grid.height() {
        if best.is_some_and(|(least, _)| u64::from(dy) * u64::from(dy) > least) {
            break;
        }
        for y in rows(dy)
            .into_iter()
            .flatten()
            .filter(|&y| y < grid.height())
        {
            // The first free cell on either side of the column is the row's nearest.
            let left = (0..=to.x).rev();
            let right = to.x + 1..grid.width();
            let free = |x: &u32| grid.passable_cell(Point { x: *x, y }).is_some();
            for x in left
                .into_iter()
                .find(free)
                .into_iter()
                .chain(right.into_iter().find(free))
            {
                let found = Point { x, y };
                let candidate = (squared(found), found);
                let key = |(distance, p): (u64, Point)| (distance, p.y, p.x);
                if best.is_none_or(|best| key(candidate) < key(best)) {
                    best = Some(candidate);
                }
            }
        }
    }
    grid.cell(best?.1)
}

/// A random cell that is connected with another, or lies in the largest component.
fn random_beside(map: &Map, other: Option<Cell>, rng: &mut Rng) -> Result<Cell> {
    let component = other.and_then(|cell| map.components().of(cell));
    let Some(component) = component.or_else(|| map.components().largest()) else {
        match map.unit_size() {
            1 => bail!("the map has no passable cell; expected a start and a goal"),
            size => bail!(
                "a unit of {size} x {size} cells fits nowhere on the map; give a smaller --size"
            ),
        }
    };
    random_cell(map, component, rng)
}

/// A cell of a component, every one as likely as another.
fn random_cell(map: &Map, component: u32, rng: &mut Rng) -> Result<Cell> {
    let size = u32::try_from(map.components().size(component)).unwrap_or(u32::MAX);
    let mut cells = map.grid().cells();
    cells
        .by_ref()
        .filter(|&cell| map.components().of(cell) == Some(component))
        .nth(rng.below(size.max(1)) as usize)
        .context("the map has no passable cell; expected a start and a goal")
}

fn node(graph: &ExplicitGraph, place: Place, flag: &str, rng: &mut Rng) -> Result<Cell> {
    let nodes = u32::try_from(graph.len()).unwrap_or(u32::MAX);
    let node = match place {
        Place::Random if nodes > 0 => rng.below(nodes),
        Place::Random => bail!("{flag} random: the graph has no nodes"),
        Place::Node(node) => node,
        Place::Point(_) => {
            bail!("{flag} {place}: expected the number of a node, the file is a graph")
        }
    };
    if node >= nodes {
        bail!(
            "{flag} {node} is not in the graph; expected a node from 0 to {}",
            nodes.saturating_sub(1)
        );
    }
    Ok(Cell(node))
}

#[cfg(test)]
mod tests {
    use super::*;
    use waypost::MoveRules;
    use waypost::grid::Grid;

    #[test]
    fn the_nearest_free_cell_is_found_in_every_direction() {
        for (x, y) in [(0, 0), (9, 0), (0, 7), (9, 7), (4, 3), (6, 5)] {
            let grid = Grid::from_fn(10, 8, |p| (p.x, p.y) == (x, y)).expect("a legal size");
            let map = Map::new(grid, MoveRules::default());
            for from in [(0, 0), (9, 7), (5, 4), (2, 6)] {
                let to = Point {
                    x: from.0,
                    y: from.1,
                };
                let found = nearest(&map, to).expect("there is one");
                assert_eq!(map.grid().point(found), Point { x, y });
            }
        }
        let walls = Grid::from_fn(4, 4, |_| false).expect("a legal size");
        let map = Map::new(walls, MoveRules::default());
        assert_eq!(nearest(&map, Point { x: 1, y: 1 }), None);
    }

    #[test]
    fn points_without_a_comma_are_explained() {
        let wrong = |text: &str| text.parse::<Place>().expect_err("no place");
        for text in ["10 12", "10;12", "10x12", "10:12", "10 : 12", "(10 12)"] {
            assert_eq!(
                wrong(text),
                "expected a comma between X and Y: 10,12",
                "{text}"
            );
        }
        assert_eq!(wrong("Random"), "did you mean `random`?");
        assert!(wrong("10 1a2").contains("`10 1a2` is not a whole number"));
        assert!(matches!("10,12".parse(), Ok(Place::Point(_))));
        assert!(matches!("1012".parse(), Ok(Place::Node(1012))));
    }

    #[test]
    fn of_equally_near_cells_the_upper_left_is_taken() {
        let grid = Grid::from_fn(5, 5, |p| p.x.abs_diff(2).max(p.y.abs_diff(2)) == 2);
        let map = Map::new(grid.expect("a legal size"), MoveRules::default());
        let found = nearest(&map, Point { x: 2, y: 2 }).expect("there is one");
        assert_eq!(map.grid().point(found), Point { x: 2, y: 0 });
    }
}
