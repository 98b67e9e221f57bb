//! Records of any other space (JAIR 2010, section 11): the same method without the kd-tree, which needs coordinates that
//! agree with the heuristic.

use super::build::{CaseSource, make_records};
use super::{Draw, Records, SubgoalParameters};
use crate::grid::Cell;
use crate::index::{BuildError, IndexKind};
use crate::progress::Progress;
use crate::rng::Rng;
use crate::search::{GraphSearch, PathSearch, hill_climb};
use crate::space::Space;

/// Builds the records of a graph, in the order drawn. Paths are those of [`GraphSearch`].
///
/// Pairs are drawn from all nodes and drawn again where they are not connected: larger components get more records,
/// whatever the parameters say of components.
pub fn build_on_graph<S: Space>(
    space: &S,
    parameters: &SubgoalParameters,
    progress: &dyn Progress,
) -> Result<Records, BuildError> {
    if parameters.draw != Draw::Random {
        return Err(BuildError::Unsuitable {
            index: IndexKind::Subgoals.name(),
            reason: "coverage needs a grid; use draw=random on graphs".to_string(),
        });
    }
    let cases = GraphCases { space };
    let list = make_records(&cases, parameters, 0..parameters.records, progress)?;
    Ok(list.finish())
}

struct GraphCases<'a, S> {
    space: &'a S,
}

impl<S: Space> CaseSource for GraphCases<'_, S> {
    type Memory = GraphSearch;

    fn memory(&self) -> GraphSearch {
        GraphSearch::new()
    }

    fn draw(&self, rng: &mut Rng, _number: u32, _attempt: u32) -> Option<(Cell, Cell)> {
        let bound = u32::try_from(self.space.id_bound())
            .ok()
            .filter(|&b| b > 0)?;
        Some((Cell(rng.below(bound)), Cell(rng.below(bound))))
    }

    fn is_worth_solving(&self, from: Cell, goal: Cell) -> bool {
        // An edge may be dearer than a way round it, so neighbours are worth a search here.
        from != goal && self.space.connected(from, goal)
    }

    fn solve(&self, search: &mut GraphSearch, from: Cell, goal: Cell, path: &mut Vec<Cell>) {
        path.clear();
        search.begin(self.space, from, goal);
        search.advance(self.space, u64::MAX);
        let _ = search.path_into(self.space, path);
    }

    fn reachable(&self, from: Cell, to: Cell) -> bool {
        hill_climb::climb(self.space, from, to, u32::MAX, |_| {}).reached
    }
}
