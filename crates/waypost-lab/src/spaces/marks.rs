//! Landmarks in the same plain A* as the other spaces: distances from a few cells far apart, which bound every other distance by the
//! difference.

use super::{SearchSpace, distances_from};
use waypost::grid::Cell;
use waypost::{Cost, Map, Space};

/// Distances from landmarks.
pub struct Marks {
    distances: Vec<Vec<Cost>>,
}

impl Marks {
    /// So many landmarks, each the farthest from those before it, the first from the first cell.
    pub fn of(map: &Map, count: usize) -> Marks {
        let mut marks = Marks {
            distances: Vec::new(),
        };
        let Some(first) = map.grid().cells().next() else {
            return marks;
        };
        let mut nearest = distances_from(map, &[first]);
        for number in 0..count {
            let reached = map.grid().cells();
            let reached = reached.filter(|cell| nearest[cell.index()] != Cost::MAX);
            let Some(farthest) = reached.max_by_key(|cell| nearest[cell.index()]) else {
                break;
            };
            let found = distances_from(map, &[farthest]);
            match number {
                0 => nearest.clone_from(&found),
                _ => {
                    let pairs = nearest.iter_mut().zip(&found);
                    pairs.for_each(|(near, &found)| *near = (*near).min(found));
                }
            }
            marks.distances.push(found);
        }
        marks
    }

    /// Bytes of the distances.
    pub fn bytes(&self) -> usize {
        self.distances
            .iter()
            .map(|d| d.len() * size_of::<Cost>())
            .sum()
    }
}

/// The grid with estimates from landmarks, towards one goal.
pub struct MarkedSpace<'a> {
    /// The map.
    pub map: &'a Map,
    /// Its landmarks.
    pub marks: &'a Marks,
    /// Where to.
    pub goal: Cell,
}

impl SearchSpace for MarkedSpace<'_> {
    fn nodes(&self) -> usize {
        self.map.id_bound()
    }

    fn estimate(&self, node: u32) -> u64 {
        let straight = self.map.heuristic(Cell(node), self.goal);
        let bounds = self.marks.distances.iter().map(|from| {
            let [here, there] = [from[node as usize], from[self.goal.index()]];
            match here == Cost::MAX || there == Cost::MAX {
                true => 0,
                false => here.abs_diff(there),
            }
        });
        u64::from(bounds.max().unwrap_or(0).max(straight))
    }

    fn is_goal(&self, node: u32) -> bool {
        Cell(node) == self.goal
    }

    fn for_each(&mut self, node: u32, visit: &mut dyn FnMut(u32, u64)) {
        self.map
            .for_each_neighbour(Cell(node), |next, cost| visit(next.0, u64::from(cost)));
    }
}
