//! Records where they are missing (JAIR 2010, section 10: "some small, but difficult to reach, regions of the space may
//! never get a suitable record while some easy to reach regions may get multiple redundant records").
//!
//! Records are drawn in [`ROUNDS`] rounds. The first is random; in every later one a pair for which the records of the
//! rounds before serve is drawn again, up to [`TRIES`] times. "Serve" is what an agent with default parameters means by it: climbing
//! reaches the goal, or one of the ten most similar records can be entered and left by climbing within 250 steps.
//!
//! What a record is depends on its seed, its number and the rounds before, so threads and shards make no difference; but
//! a shard has to make all rounds before its own, and so saves less.

use super::RecordList;
use super::build::{CaseSource, make_records};
use super::tree::{Candidate, Query, Similarity, nearest, tree_order};
use super::{Draw, SubgoalParameters};
use crate::grid::Cell;
use crate::index::BuildError;
use crate::map::Map;
use crate::progress::Progress;
use std::ops::Range;

const ROUNDS: u32 = 4;
/// Pairs drawn again for one record before a covered one is taken.
pub(super) const TRIES: u32 = 32;
/// What agents try by default.
const CANDIDATES: usize = 10;
const CLIMB: u32 = 250;
const VISITS: u32 = 4096;

/// Makes the records with these numbers, and for rounds that build on others those too. `guided` is told the records
/// that the next round builds on.
pub(super) fn make_in_rounds<C: CaseSource>(
    source: &mut C,
    parameters: &SubgoalParameters,
    numbers: Range<u32>,
    progress: &dyn Progress,
    mut guided: impl FnMut(&mut C, &RecordList),
) -> Result<RecordList, BuildError> {
    if parameters.draw != Draw::Uncovered {
        return make_records(source, parameters, numbers, progress);
    }
    let boundary =
        |round: u32| (u64::from(parameters.records) * u64::from(round) / u64::from(ROUNDS)) as u32;
    let (mut known, mut wanted) = (RecordList::default(), RecordList::default());
    for round in (0..ROUNDS).map(|round| boundary(round)..boundary(round + 1)) {
        if round.start >= numbers.end {
            break;
        }
        guided(source, &known);
        let inside = |number: u32| number.clamp(round.start, round.end);
        let mine = inside(numbers.start)..inside(numbers.end);
        // Rounds after this one build on all of it; where none is asked for, what is not asked for is left out.
        let goes_on = round.end < numbers.end;
        let pieces = [
            (round.start..mine.start, goes_on),
            (mine.clone(), true),
            (mine.end..round.end, goes_on),
        ];
        for (piece, needed) in pieces {
            if needed && !piece.is_empty() {
                let made = make_records(source, parameters, piece.clone(), progress)?;
                if piece == mine {
                    wanted.append(made.clone());
                }
                known.append(made);
            }
        }
    }
    Ok(wanted)
}

/// The records of the rounds before, as a tree.
pub(super) struct Guide {
    ends: Vec<[Cell; 2]>,
}

impl Guide {
    /// `None` where there is no record yet.
    pub fn new(map: &Map, records: &RecordList) -> Option<Guide> {
        let ends = records.ends();
        let order = tree_order(ends, |cell| map.grid().point(cell));
        (!ends.is_empty()).then(|| Guide {
            ends: order.iter().map(|&record| ends[record as usize]).collect(),
        })
    }

    /// Whether an agent would find a way without a search.
    pub fn covers(
        &self,
        map: &Map,
        climbs: impl Fn(Cell, Cell, u32) -> bool,
        [from, goal]: [Cell; 2],
        best: &mut Vec<Candidate>,
    ) -> bool {
        let grid = map.grid();
        if climbs(from, goal, CLIMB) {
            return true;
        }
        let query = Query {
            from: grid.point(from),
            goal: grid.point(goal),
            costs: map.least_steps(),
            similarity: Similarity::Larger,
            wanted: CANDIDATES,
            visits: VISITS,
        };
        nearest(&self.ends, |cell| grid.point(cell), &query, best);
        best.iter().any(|candidate| {
            let [start, end] = self.ends[candidate.record as usize];
            climbs(from, start, CLIMB) && climbs(end, goal, CLIMB)
        })
    }
}
