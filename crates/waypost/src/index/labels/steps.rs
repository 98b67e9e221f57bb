//! The ways to the hubs in two bytes a label: every label knows the arc that leads on, and where the list of the corner beyond has its label of the
//! same hub, which knows the next.
//!
//! Trees ([`super::trees`]) take ten bytes and are followed faster, through memory that lies side by side. Of both numbers here 8 bits are kept. Where a
//! list is longer than that, the places that agree in these bits are tried in turn until the hub is found; where a corner has more arcs, the first
//! whose corner is nearer to the hub by what the arc costs leads on. So every way has exactly the cost that its label says.

use super::FOLLOWED;
use super::graph::{Arc, CornerGraph};
use super::lists::{ListsView, PAGE};
use super::ways::{AHEAD, LookedDown};
use crate::artifact::Array;
use crate::cost::Cost;

/// Numbers that are so far apart agree in the bits that are kept: 8 of them, but in tests, whose small maps would not show the difference.
const KEPT: usize = if cfg!(test) { 1 << 2 } else { 1 << 8 };

/// By label: the lowest bits of the number of an arc, and above them those of a place in the list of the corner beyond.
#[derive(Clone, Debug)]
pub struct Steps(Array<u16>);

/// A corner on the way to a hub, and its label of it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Stand {
    pub corner: u32,
    pub label: u32,
}

impl Steps {
    /// The steps of labels in these lists, of which the lowest 8 bits of the numbers of arcs are given.
    pub fn derive(graph: &CornerGraph, lists: ListsView, arcs: &[u8]) -> Steps {
        let mut steps = Vec::with_capacity(lists.count());
        for corner in 0..graph.len() as u32 {
            let labels = lists.hubs(corner).zip(lists.labels(corner));
            steps.extend(labels.map(|((hub, distance), label)| {
                let rest_of = |arc: &Arc| {
                    let label = lists.find(arc.target, hub)?;
                    Some(lists.distance(label))
                };
                let next = next_arc(graph.arcs(corner), arcs[label], distance, rest_of);
                let Some((number, arc)) = next else {
                    return 0;
                };
                let page = lists.page_labels(arc.target, hub / PAGE);
                let label = lists.find(arc.target, hub);
                let place = label.map_or(0, |label| label - page.start);
                ((number % KEPT) | ((place % KEPT) << 8)) as u16
            }));
        }
        Steps(Array::from_vec(steps))
    }

    /// Steps of a file, to be checked ([`StepsView::longest_chain`]).
    pub fn of_file(steps: Array<u16>) -> Steps {
        Steps(steps)
    }

    /// As files hold them.
    pub fn numbers(&self) -> &[u16] {
        &self.0
    }
}

/// The arc that leads on from a corner that is so far from its hub, of which the lowest bits of its number are known: the first of those that agree
/// in them whose corner, from which it is so far as `rest_of` says, is nearer by what the arc costs.
pub fn next_arc(
    arcs: &[Arc],
    lowest_bits: u8,
    distance: Cost,
    rest_of: impl Fn(&Arc) -> Option<Cost>,
) -> Option<(usize, &Arc)> {
    let numbered = arcs.iter().enumerate().skip(usize::from(lowest_bits));
    numbered
        .step_by(1 << u8::BITS)
        .find(|(_, arc)| rest_of(arc).and_then(|rest| rest.checked_add(arc.cost)) == Some(distance))
}

/// The ways of some labels.
#[derive(Clone, Copy)]
pub struct StepsView<'a> {
    pub steps: &'a Steps,
    pub lists: ListsView<'a>,
    /// The arcs that they lead along.
    pub graph: &'a CornerGraph,
    /// By rank: the hub's corner.
    pub hubs: &'a [u32],
}

impl<'a> StepsView<'a> {
    /// The ways to the hub of a rank.
    #[inline]
    pub fn to(self, hub: usize) -> StepsTo<'a> {
        StepsTo {
            numbers: &self.steps.0,
            lists: self.lists,
            graph: self.graph,
            page: hub / PAGE,
            rank: (hub % PAGE) as u16,
            hub: self.hubs[hub],
        }
    }

    /// The most corners on the way from a corner to one of its hubs. Says what is wrong where a label does not lead to its hub at its cost.
    pub fn longest_chain(self) -> Result<u64, String> {
        if self.steps.0.len() != self.lists.count() {
            return Err("the steps to hubs do not fit their labels".to_string());
        }
        // By label, 0 where that is not known yet.
        let mut lengths = vec![0u16; self.lists.count()];
        let mut longest = 0;
        let mut chain = Vec::new();
        for corner in 0..self.graph.len() as u32 {
            for ((hub, _), label) in self.lists.hubs(corner).zip(self.lists.labels(corner)) {
                let label = label as u32;
                let mut at = Stand { corner, label };
                while lengths[at.label as usize] == 0 {
                    chain.push(at.label);
                    let next = self.checked_next(at, hub);
                    let wrong = || format!("hub {hub} of corner {corner} leads elsewhere");
                    match next.ok_or_else(wrong)? {
                        Some(next) => at = next,
                        None => break,
                    }
                }
                let mut length = lengths[at.label as usize];
                for label in chain.drain(..).rev() {
                    length = length.saturating_add(1);
                    lengths[label as usize] = length;
                }
                longest = longest.max(length);
            }
        }
        // No way leads over a corner twice.
        Ok(match longest {
            u16::MAX => self.graph.len() as u64,
            longest => u64::from(longest),
        })
    }

    /// The next corner on the way to a hub, nothing at the hub; `None` where the label does not lead there at its cost.
    fn checked_next(self, at: Stand, hub: usize) -> Option<Option<Stand>> {
        let distance = self.lists.distance(at.label as usize);
        let is_hub = *self.hubs.get(hub)? == at.corner;
        if is_hub || distance == 0 {
            return (is_hub && distance == 0).then_some(None);
        }
        let next = self.to(hub).next(at)?;
        let labels = self.lists.page_labels(next.corner, hub / PAGE);
        if !labels.contains(&(next.label as usize)) {
            return None;
        }
        let arcs = self.graph.arcs(at.corner);
        let arc = arcs.binary_search_by_key(&next.corner, |arc| arc.target);
        let rest = self.lists.distance(next.label as usize);
        (rest.checked_add(arcs[arc.ok()?].cost) == Some(distance)).then_some(Some(next))
    }
}

/// The ways to one hub.
#[derive(Clone, Copy)]
pub struct StepsTo<'a> {
    numbers: &'a [u16],
    lists: ListsView<'a>,
    graph: &'a CornerGraph,
    page: usize,
    rank: u16,
    hub: u32,
}

impl StepsTo<'_> {
    /// The next corner on the way to the hub; `None` at the hub.
    #[inline(always)]
    pub fn next(&self, at: Stand) -> Option<Stand> {
        if at.corner == self.hub {
            return None;
        }
        let number = usize::from(self.numbers[at.label as usize]);
        let (arc, place) = (number & 0xff, number >> 8);
        let arcs = self.graph.arcs(at.corner);
        let corner = arcs.get(arc)?.target;
        let label = self.lists.page_start(corner, self.page) + place;
        // Nearly always the first of both.
        if arcs.len() <= KEPT && self.lists.hub(label) == Some(self.rank) {
            let label = label as u32;
            return Some(Stand { corner, label });
        }
        self.search(at, arc, place)
    }

    /// The labels of the next corners on the way from one down to another that it is on the way of, the next one last.
    pub fn look_down(&self, from: Stand, target: Stand, ahead: &mut [u32; AHEAD]) -> LookedDown {
        let (mut at, mut count) = (target, 0);
        while at.label != from.label {
            // The last ones of the way up are kept.
            ahead[count % AHEAD] = at.label;
            count += 1;
            let Some(next) = self.next(at) else {
                return LookedDown::default();
            };
            at = next;
        }
        // The one at `count - 1` is next.
        ahead.rotate_left(if count > AHEAD { count % AHEAD } else { 0 });
        LookedDown {
            corners: count.min(AHEAD),
            operations: FOLLOWED * count as u64,
        }
    }

    #[cold]
    fn search(&self, at: Stand, arc: usize, place: usize) -> Option<Stand> {
        let distance = self.lists.distance(at.label as usize);
        let arcs = self.graph.arcs(at.corner);
        arcs.iter().skip(arc).step_by(KEPT).find_map(|arc| {
            let labels = self.lists.page_labels(arc.target, self.page);
            let mut places = labels.skip(place).step_by(KEPT);
            let label = places.find(|&label| self.lists.hub(label) == Some(self.rank))?;
            let rest = self.lists.distance(label).checked_add(arc.cost);
            (rest == Some(distance)).then_some(Stand {
                corner: arc.target,
                label: label as u32,
            })
        })
    }
}
