//! Explicit graphs as text: waypoints and the ways between them.
//!
//! ```text
//! waypost-graph 1
//! # Two houses and the bridge between them.
//! node 10 20          a node at x 10, y 20; nodes are numbered from 0 in the order of the file
//! node 400 35
//! node 395 210
//! edge 0 1 391        an edge between nodes 0 and 1 that costs 391, both ways
//! edge 1 2            without a cost: the distance between the two, rounded up
//! ```
//!
//! A line is a word and whole numbers; what follows a `#` is a comment, empty lines count for nothing. Positions serve the
//! heuristic (see [`crate::space::ExplicitGraph`]); where a graph has none, put every node at `0 0` and give all costs.

use super::text::{Line, Lines, quote};
use crate::cost::Cost;
use crate::space::{ExplicitGraph, GraphError};
use std::fmt::Write;
use thiserror::Error;

/// The first line of a file.
const HEADER: &str = "waypost-graph 1";

/// Why a graph was refused.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
pub enum GraphTextError {
    /// The first line is not the header.
    #[error("line 1: expected `{HEADER}`, found {found}")]
    Header {
        /// What stands there.
        found: String,
    },
    /// A line that is neither a node nor an edge, or has the wrong number of fields.
    #[error("line {line}: expected `node X Y` or `edge A B [COST]`, found {found}")]
    Line {
        /// The line's number.
        line: usize,
        /// What stands there.
        found: String,
    },
    /// A field that is no number, or too large a one.
    #[error("line {line}, column {column}: expected {expected}, found {found}")]
    Number {
        /// The line's number.
        line: usize,
        /// Where in the line.
        column: usize,
        /// What would do.
        expected: &'static str,
        /// What stands there.
        found: String,
    },
    /// The nodes and edges do not make a graph.
    #[error(transparent)]
    Graph(#[from] GraphError),
}

/// Reads a graph.
pub fn parse(bytes: &[u8]) -> Result<ExplicitGraph, GraphTextError> {
    let mut lines = Lines::new(bytes);
    let header = lines.next().map_or(&[][..], |line| line.bytes);
    if header.trim_ascii() != HEADER.as_bytes() {
        return Err(GraphTextError::Header {
            found: quote(header),
        });
    }
    let (mut positions, mut edges) = (Vec::new(), Vec::new());
    for line in lines {
        parse_line(line, &mut positions, &mut edges)?;
    }
    let nodes = positions.len() as u32;
    let priced = edges
        .iter()
        .map(|&(a, b, cost): &(u32, u32, Option<Cost>)| {
            let cost = match (positions.get(a as usize), positions.get(b as usize)) {
                _ if cost.is_some() => cost.unwrap_or(0),
                (Some(&from), Some(&to)) => distance(from, to),
                _ => {
                    return Err(GraphError::NoSuchNode {
                        from: a,
                        to: b,
                        nodes,
                    });
                }
            };
            Ok((a, b, cost))
        });
    let priced = priced.collect::<Result<Vec<_>, _>>()?;
    Ok(ExplicitGraph::new(positions, &priced)?)
}

fn parse_line(
    line: Line,
    positions: &mut Vec<[i32; 2]>,
    edges: &mut Vec<(u32, u32, Option<Cost>)>,
) -> Result<(), GraphTextError> {
    let end = line.bytes.iter().position(|&byte| byte == b'#');
    let content = Line {
        number: line.number,
        bytes: &line.bytes[..end.unwrap_or(line.bytes.len())],
    };
    let mut fields = content.fields();
    let Some(word) = fields.next() else {
        return Ok(());
    };
    let mut numbers = [None; 3];
    for number in &mut numbers {
        *number = fields.next();
    }
    match (word.bytes, numbers, fields.next()) {
        (b"node", [Some(x), Some(y), None], None) => {
            let place = "a whole number of 32 bits";
            positions.push([number(line, x, place)?, number(line, y, place)?]);
        }
        (b"edge", [Some(a), Some(b), cost], None) => {
            let node = "the number of a node";
            let cost = cost.map(|cost| number(line, cost, "a cost from 1 to 4294967295"));
            edges.push((
                number(line, a, node)?,
                number(line, b, node)?,
                cost.transpose()?,
            ));
        }
        _ => {
            return Err(GraphTextError::Line {
                line: line.number,
                found: quote(line.bytes),
            });
        }
    }
    Ok(())
}

fn number<T: std::str::FromStr>(
    line: Line,
    field: super::text::Field,
    expected: &'static str,
) -> Result<T, GraphTextError> {
    std::str::from_utf8(field.bytes)
        .ok()
        .and_then(|text| text.parse().ok())
        .ok_or_else(|| GraphTextError::Number {
            line: line.number,
            column: field.column,
            expected,
            found: quote(field.bytes),
        })
}

/// The distance rounded up, and at least 1: an edge costs something.
fn distance(a: [i32; 2], b: [i32; 2]) -> Cost {
    let (dx, dy) = (
        u128::from(a[0].abs_diff(b[0])),
        u128::from(a[1].abs_diff(b[1])),
    );
    let square = dx * dx + dy * dy;
    let root = square.isqrt();
    let up = root + u128::from(root * root < square);
    up.clamp(1, u128::from(Cost::MAX)) as Cost
}

/// Writes a graph as [`parse`] reads it.
pub fn write(graph: &ExplicitGraph) -> String {
    let mut text = format!("{HEADER}\n");
    let nodes = (0..graph.len() as u32).map(crate::grid::Cell);
    for cell in nodes.clone() {
        let [x, y] = graph.position(cell);
        let _ = writeln!(text, "node {x} {y}");
    }
    for cell in nodes {
        for &(next, cost) in graph.edges_of(cell).iter().filter(|(next, _)| *next > cell) {
            let _ = writeln!(text, "edge {} {} {cost}", cell.0, next.0);
        }
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::grid::Cell;
    use crate::rng::Rng;
    use crate::space::Space;

    const EXAMPLE: &str = "waypost-graph 1\r\n# houses\n\nnode 0 0\nnode 30 40 # the well\nnode -5 7\nedge 0 1 60\nedge 1 2\n";

    #[test]
    fn the_example_is_read_and_written() {
        let graph = parse(EXAMPLE.as_bytes()).expect("a good graph");
        assert_eq!(graph.len(), 3);
        assert_eq!(graph.edge_cost(Cell(1), Cell(0)), Some(60));
        assert_eq!(graph.edge_cost(Cell(1), Cell(2)), Some(49));
        let again = write(&graph);
        assert_eq!(
            write(&parse(again.as_bytes()).expect("its own text")),
            again
        );
    }

    #[test]
    fn errors_name_the_place_and_the_remedy() {
        let message = |text: &str| parse(text.as_bytes()).expect_err("bad").to_string();
        assert!(message("").contains("expected `waypost-graph 1`"));
        assert!(message("waypost-graph 1\nnode 1\n").starts_with("line 2: expected `node X Y`"));
        assert!(message("waypost-graph 1\nnode 1 x\n").starts_with("line 2, column 8: expected"));
        assert!(message("waypost-graph 1\nnode 1 1\nedge 0 5\n").contains("below 1"));
        assert!(message("waypost-graph 1\nnode 1 1\nedge 0 5 7\n").contains("below 1"));
        assert!(message("waypost-graph 1\nnode 1 1\nnode 1 2\nedge 0 1 0\n").contains("positive"));
        assert!(message("waypost-graph 1\nedge 0 1 2 3\n").starts_with("line 2"));
    }

    #[test]
    fn no_bytes_make_it_panic() {
        let mut rng = Rng::new(5);
        for _ in 0..3000 {
            let mut bytes = EXAMPLE.as_bytes().to_vec();
            for _ in 0..=rng.below(6) {
                let at = rng.below(bytes.len() as u32) as usize;
                match rng.below(3) {
                    0 => bytes[at] = rng.below(256) as u8,
                    1 => bytes.truncate(at.max(1)),
                    _ => bytes.insert(at, b"0123456789 -\n#nodeedge"[rng.below(22) as usize]),
                }
            }
            let _ = parse(&bytes);
        }
    }
}
