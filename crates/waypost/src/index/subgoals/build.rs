//! Draws and compresses records (JAIR 2010, figures 5 and 6), on all cores.
//!
//! Every record has a generator of its own, seeded by the database's seed and the record's number, so it does not matter
//! which thread or machine makes it, or when.

use super::compress::{compress, first_subgoal};
use super::coverage::TRIES;
use super::records::{MAX_INNER, RecordList};
use super::{Method, Store, SubgoalParameters};
use crate::grid::Cell;
use crate::index::desks::ScratchPool;
use crate::index::{BuildError, IndexKind, unless_cancelled};
use crate::parallel::prelude::*;
use crate::progress::Progress;
use crate::rng::Rng;
use std::ops::Range;

/// Records that a thread makes before it looks for more work.
const CHUNK: u32 = 32;
/// Pairs drawn for one record before the map counts as unsuitable.
const MAX_DRAWS: u32 = 100_000;

/// What records are made from: a grid or a graph, with an exact search and climbing on it.
pub(super) trait CaseSource: Sync {
    /// Memory of a search, one per thread.
    type Memory: Send;

    /// Memory for another thread.
    fn memory(&self) -> Self::Memory;

    /// A pair of cells for the record with this number, another at each attempt; `None` where there are none.
    fn draw(&self, rng: &mut Rng, number: u32, attempt: u32) -> Option<(Cell, Cell)>;

    /// Is there a path of at least three states between them? Constant time.
    fn is_worth_solving(&self, from: Cell, goal: Cell) -> bool;

    /// An optimal path, always the same one, both ends included; empty where there is none.
    fn solve(&self, memory: &mut Self::Memory, from: Cell, goal: Cell, path: &mut Vec<Cell>);

    /// Whether climbing reaches `to`.
    fn reachable(&self, from: Cell, to: Cell) -> bool;

    /// Whether the records made before serve this pair already.
    fn is_covered(&self, memory: &mut Self::Memory, from: Cell, goal: Cell) -> bool {
        let _ = (memory, from, goal);
        false
    }
}

/// Memory of a thread: of its search, a path, a record.
struct Desk<M> {
    search: M,
    path: Vec<Cell>,
    record: Vec<Cell>,
}

/// Makes the records with these numbers, in the order of their numbers.
pub(super) fn make_records<C: CaseSource>(
    source: &C,
    parameters: &SubgoalParameters,
    numbers: Range<u32>,
    progress: &dyn Progress,
) -> Result<RecordList, BuildError> {
    progress.begin("records", u64::from(numbers.len() as u32));
    let desks = ScratchPool::new();
    let desk = || Desk {
        search: source.memory(),
        path: Vec::new(),
        record: Vec::new(),
    };
    let chunks: Vec<u32> = numbers.clone().step_by(CHUNK as usize).collect();
    let parts: Vec<RecordList> = chunks
        .into_par_iter()
        .map(|first| {
            unless_cancelled(progress)?;
            let last = first.saturating_add(CHUNK).min(numbers.end);
            let mut part = RecordList::default();
            desks.work(desk, |desk| {
                (first..last).try_for_each(|number| {
                    make_record(source, parameters, number, desk)?;
                    part.push(&desk.record);
                    Ok(())
                })
            })?;
            progress.advance(u64::from(last - first));
            Ok(part)
        })
        .collect::<Result<_, BuildError>>()?;
    let mut all = RecordList::default();
    parts.into_iter().for_each(|part| all.append(part));
    if all.is_too_large() {
        return Err(unsuitable(
            "it would hold more than 4 billion states; ask for fewer records",
        ));
    }
    Ok(all)
}

/// Draws pairs until one makes a record. Paths of fewer than three states are refused (figure 5, line 5), and so are
/// records too long for their count, which take a labyrinth with 65,537 turns.
fn make_record<C: CaseSource>(
    source: &C,
    parameters: &SubgoalParameters,
    number: u32,
    desk: &mut Desk<C::Memory>,
) -> Result<(), BuildError> {
    let mut rng = Rng::for_item(parameters.seed, u64::from(number));
    let mut covered = 0;
    for attempt in 0..MAX_DRAWS {
        let Some((from, goal)) = source.draw(&mut rng, number, attempt) else {
            break;
        };
        if !source.is_worth_solving(from, goal) {
            continue;
        }
        if covered < TRIES && source.is_covered(&mut desk.search, from, goal) {
            covered += 1;
            continue;
        }
        source.solve(&mut desk.search, from, goal, &mut desk.path);
        if desk.path.len() < 3 {
            continue;
        }
        let reachable = |from, to| source.reachable(from, to);
        match parameters.method {
            Method::Jair2010 => compress(&desk.path, &mut desk.record, reachable),
            Method::Aiide2009 => first_subgoal(&desk.path, &mut desk.record, reachable),
        }
        // Start, subgoal, goal: where the last two are the same, climbing reached the whole path.
        let easy =
            parameters.method == Method::Aiide2009 && desk.record.get(1) == desk.record.get(2);
        if easy && parameters.store == Store::Failures {
            continue;
        }
        if desk.record.len() <= MAX_INNER + 2 {
            return Ok(());
        }
    }
    Err(unsuitable(
        "no two cells more than one move apart were found; use a larger map or records=0",
    ))
}

fn unsuitable(reason: &str) -> BuildError {
    BuildError::Unsuitable {
        index: IndexKind::Subgoals.name(),
        reason: reason.to_string(),
    }
}
