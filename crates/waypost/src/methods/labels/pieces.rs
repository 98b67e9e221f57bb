//! The next piece of a path from labels of the map as it is: the way is found once, and laid out as it is walked.
//!
//! A follower keeps a few numbers of its way ([`Carry`]): how far a query in slices has come, or where its route goes on at the end of the
//! trail. So no move lays out more of a path than a piece, and none but the first ones of a walk asks for a distance.

use crate::agent::guide::{Ask, Carry, Effort};
use crate::agent::trail::Trail;
use crate::agent::{Context, Meter};
use crate::index::labels::{CornerLabels, Mark, RouteRuns, Slice, Unfinished};
use crate::map::Map;
use crate::search::jps::Run;

/// Labels that a query of an agent alone reads in a move: longer ones go on with the next. Few queries are, but on the largest maps; in tests many.
pub(super) const LABELS_A_MOVE: u64 = if cfg!(test) { 24 } else { 4_096 };
/// Operations of a piece of an agent alone: it ends with the leg that reaches them.
pub(super) const PIECE: u64 = if cfg!(test) { 24 } else { 512 };

/// Above the sign of the labels: what is kept.
const KIND: u32 = 6;
const ASKING: u8 = 1;
const UP: u8 = 2;
const DOWN: u8 = 3;

/// What is kept of a way.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Kept {
    Nothing,
    /// Of the query.
    Query(Unfinished),
    /// Where the route goes on.
    Route(Mark),
}

/// Tells labels from others, beside which what is kept of a way means nothing: a few bits that stand with it, and a number that it is masked by, so that
/// with other labels it says nothing that there is.
fn sign_of(labels: &CornerLabels) -> (u8, u32) {
    let measures = labels.measures();
    let lists = measures.most_seen << 24 ^ measures.largest_label << 48;
    let mixed = labels.state() ^ lists ^ labels.label_count() as u64;
    let mixed = mixed.wrapping_mul(0x9e37_79b9_7f4a_7c15);
    ((mixed >> (u64::BITS - KIND)) as u8, (mixed >> 16) as u32)
}

impl Kept {
    fn of(ask: &Ask, labels: &CornerLabels) -> Kept {
        let Carry { numbers, kind } = ask.carry;
        let (sign, mask) = sign_of(labels);
        let [first, second] = numbers.map(|number| number ^ mask);
        let mark = |is_down| Mark {
            here: first,
            target: second,
            is_down,
        };
        match kind >> KIND {
            _ if kind & ((1 << KIND) - 1) != sign => Kept::Nothing,
            ASKING => {
                Unfinished::from_numbers([first, second], labels).map_or(Kept::Nothing, Kept::Query)
            }
            UP => Kept::Route(mark(false)),
            DOWN => Kept::Route(mark(true)),
            _ => Kept::Nothing,
        }
    }

    /// Puts it down for the next piece.
    fn keep(self, ask: &mut Ask, labels: &CornerLabels) {
        let (numbers, kind) = match self {
            Kept::Nothing => {
                ask.carry = Carry::default();
                return;
            }
            Kept::Query(query) => (query.numbers(), ASKING),
            Kept::Route(mark) => {
                let kind = if mark.is_down { DOWN } else { UP };
                ([mark.here, mark.target], kind)
            }
        };
        let (sign, mask) = sign_of(labels);
        ask.carry = Carry {
            numbers: numbers.map(|number: u32| number ^ mask),
            kind: sign | kind << KIND,
        };
    }
}

/// What came of asking for a piece.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Piece {
    /// It is on the trail.
    Laid,
    /// The query goes on with the next move.
    Later,
    /// The labels know no way.
    NoWay,
}

/// Puts the next piece of the way behind the trail: as much as there is room for, or as a move of an agent alone may lay out.
pub(super) fn next_piece<T: Trail>(
    context: &mut Context<Map>,
    labels: &CornerLabels,
    ask: &mut Ask,
    trail: &mut T,
) -> Piece {
    let grid = context.space.grid();
    let (from, goal) = (grid.point(ask.from), grid.point(ask.goal));
    let (most_labels, most_laid) = match ask.effort {
        Effort::Slice => (LABELS_A_MOVE, PIECE),
        Effort::Whole => (u64::MAX, u64::MAX),
    };
    let kept = Kept::of(ask, labels);
    Kept::Nothing.keep(ask, labels);
    ask.note = 0;
    let going_on = match kept {
        Kept::Route(mark) => labels.resume(mark, from, goal),
        _ => None,
    };
    let mut runs = match going_on {
        Some(runs) => runs,
        None => {
            let query = &mut context.scratch.labels;
            let slice = match kept {
                Kept::Query(query_so_far) => {
                    query.go_on(labels, (from, goal), query_so_far, most_labels)
                }
                _ => query.route_in_slices(labels, (from, goal), most_labels),
            };
            context.meter.look_ups += query.operations() + labels.measures().begun();
            match slice {
                Slice::NoPath => return Piece::NoWay,
                Slice::Unfinished(query) => {
                    Kept::Query(query).keep(ask, labels);
                    return Piece::Later;
                }
                Slice::Found(route) => route.into_runs(),
            }
        }
    };
    if let Some(mark) = lay_out(&mut runs, labels, most_laid, trail, &mut context.meter) {
        Kept::Route(mark).keep(ask, labels);
    }
    Piece::Laid
}

/// Puts legs of a route behind the trail; where it goes on after them.
fn lay_out<T: Trail>(
    runs: &mut RouteRuns,
    labels: &CornerLabels,
    most_laid: u64,
    trail: &mut T,
    meter: &mut Meter,
) -> Option<Mark> {
    let mut last: Option<Run> = None;
    let mut rest = None;
    loop {
        let begin = runs.mark();
        if begin.is_some() && runs.operations() >= most_laid {
            (rest, _) = (begin, trail.set_more(true));
            break;
        }
        let Some((first, second)) = runs.next_leg(labels) else {
            break;
        };
        let has_room = match last {
            Some(last) => trail.has_room(&[last, first, second]),
            None => trail.has_room(&[first, second]),
        };
        if !has_room {
            (rest, _) = (begin, trail.set_more(true));
            break;
        }
        for run in [first, second].into_iter().filter(|run| run.steps > 0) {
            match &mut last {
                // One run over a corner that it does not turn at.
                Some(last) if last.direction == run.direction => last.steps += run.steps,
                last => {
                    let before = last.replace(run);
                    trail.extend(before);
                }
            }
        }
    }
    trail.extend(last);
    meter.look_ups += runs.operations();
    rest
}
