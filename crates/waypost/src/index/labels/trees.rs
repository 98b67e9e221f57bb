//! The ways to the hubs: for every hub the tree of shortest paths to it, over the corners that have a label of it.
//!
//! The trees stand one after the other, each from its hub on: a corner is followed by the part of the tree that most corners
//! beyond it belong to, then by the other parts. So the way from a corner to the hub leads mostly from one place to
//! the one before it, through memory that is at hand; only where a lesser part joins a greater one it leads further
//! back, and that happens at most as often as a number of corners can be halved.

use super::FOLLOWED;
use super::graph::{Arc, CornerGraph};
use super::lists::ListsView;
use super::steps::next_arc;
use super::ways::{AHEAD, LookedDown};
use crate::artifact::{Array, Artifact, ArtifactError, ArtifactWriter};
use crate::cost::Cost;
use crate::grid::Direction;
use crate::grid::scan::{Walk, moved};
use crate::parallel::prelude::*;

const PLACES: u32 = 8;
const WALKS: u32 = 9;
const BACK: u32 = 10;
const FAR_STEPS: u32 = 11;
const LONG_WALKS: u32 = 12;

/// A step back that 16 bits do not hold stands in a list of its own.
const FAR: u16 = u16::MAX;

/// Places side by side that are passed over in the time of reading a label.
pub const PASSED_AN_OPERATION: u64 = 16;

/// The trees of all hubs.
#[derive(Clone, Debug)]
pub struct HubTrees {
    /// By label: its place in the trees.
    places: Array<u32>,
    /// By place: the walk to the next corner.
    walks: Array<u32>,
    /// By place: how many places before it the next corner stands; 0 at the hub.
    back: Array<u16>,
    /// Place and step of those too far for 16 bits, in the order of places, two numbers each.
    far: Array<u32>,
    /// The same of walks that are too long: place, diagonal steps above straight ones.
    long: Array<u32>,
}

/// A walk to the next corner in 32 bits, from above: is it too long for them? (1), which of the two straight parts of its
/// diagonal it goes on in (1), the diagonal (2), diagonal steps (14), straight steps (14).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct PackedWalk(u32);

const STEP_BITS: u32 = 14;
const MAX_STEPS: u32 = (1 << STEP_BITS) - 1;
const LONG: u32 = 1 << 31;

impl PackedWalk {
    fn new(walk: Walk) -> PackedWalk {
        // A walk without steps of a kind has any direction of that kind beside the other.
        let diagonal = if walk.diagonal_steps == 0 {
            (walk.straight as u32 + 1) & 7
        } else {
            walk.diagonal as u32
        };
        let right = walk.straight_steps > 0 && walk.straight as u32 == (diagonal + 1) & 7;
        let shape = u32::from(right) << 30 | diagonal >> 1 << 28;
        if walk.diagonal_steps.max(walk.straight_steps) > MAX_STEPS {
            return PackedWalk(LONG | shape);
        }
        PackedWalk(shape | walk.diagonal_steps << STEP_BITS | walk.straight_steps)
    }

    fn is_long(self) -> bool {
        self.0 & LONG != 0
    }

    /// The walk, but for the steps of a long one.
    #[inline]
    fn walk(self) -> Walk {
        let diagonal = (self.0 >> 27) as u8 & 6 | 1;
        let straight = (diagonal - 1).wrapping_add((self.0 >> 29) as u8 & 2);
        Walk {
            diagonal: Direction::from_number(diagonal),
            diagonal_steps: self.0 >> STEP_BITS & MAX_STEPS,
            straight: Direction::from_number(straight),
            straight_steps: self.0 & MAX_STEPS,
        }
    }
}

/// Memory of laying out one tree, by corner.
struct Layout {
    size: Vec<u32>,
    /// The child with the largest part of the tree.
    heir: Vec<u32>,
    place: Vec<u32>,
    /// Where the next of the other children goes.
    free: Vec<u32>,
}

impl Layout {
    /// Places the corners of a tree, given in the order of distance with their parents, from `first` on.
    fn arrange(&mut self, nodes: &[(Cost, u32, u32)], first: u32) {
        for &(_, id, _) in nodes {
            (self.size[id as usize], self.heir[id as usize]) = (1, id);
        }
        for &(_, id, parent) in nodes.iter().rev() {
            if parent != id {
                let size = self.size[id as usize];
                self.size[parent as usize] += size;
                let heir = self.heir[parent as usize];
                // Of equals the one farthest away.
                if heir == parent || size > self.size[heir as usize] {
                    self.heir[parent as usize] = id;
                }
            }
        }
        for &(_, id, parent) in nodes {
            let place = if parent == id {
                first
            } else if self.heir[parent as usize] == id {
                self.place[parent as usize] + 1
            } else {
                let free = self.free[parent as usize];
                self.free[parent as usize] += self.size[id as usize];
                free
            };
            self.place[id as usize] = place;
            let heir = self.heir[id as usize];
            let beside = if heir == id {
                0
            } else {
                self.size[heir as usize]
            };
            self.free[id as usize] = place + 1 + beside;
        }
    }
}

/// Memory of planting one tree after the other.
struct Planting {
    layout: Layout,
    /// Distance, corner and the next one on the way to the hub.
    nodes: Vec<(Cost, u32, u32)>,
    /// By corner: its distance, where it belongs to the tree.
    distances: Vec<Cost>,
}

/// The tree of one hub: what stands at its places, from the first on.
#[derive(Default)]
struct Planted {
    walks: Vec<u32>,
    back: Vec<u16>,
    /// Label and place.
    places: Vec<(u32, u32)>,
    far: Vec<[u32; 2]>,
    long: Vec<[u32; 2]>,
}

impl Planting {
    fn new(corners: usize) -> Planting {
        let blank = || vec![0; corners];
        Planting {
            layout: Layout {
                size: blank(),
                heir: blank(),
                place: blank(),
                free: blank(),
            },
            nodes: Vec::new(),
            distances: vec![Cost::MAX; corners],
        }
    }

    /// The tree of a hub, of which the corners and labels are given, from the place `first` on.
    fn plant(
        &mut self,
        (graph, lists, arcs): (&CornerGraph, ListsView, &[u8]),
        labels: &[(u32, u32)],
        first: u32,
    ) -> Planted {
        let (nodes, distances) = (&mut self.nodes, &mut self.distances);
        nodes.clear();
        for &(id, at) in labels {
            distances[id as usize] = lists.distance(at as usize);
        }
        for &(id, at) in labels {
            let distance = distances[id as usize];
            let rest_of = |arc: &Arc| Some(distances[arc.target as usize]);
            let next = next_arc(graph.arcs(id), arcs[at as usize], distance, rest_of);
            // The hub has none.
            nodes.push((distance, id, next.map_or(id, |(_, arc)| arc.target)));
        }
        for &(id, _) in labels {
            distances[id as usize] = Cost::MAX;
        }
        nodes.sort_unstable();
        self.layout.arrange(nodes, first);
        let place = |id: u32| self.layout.place[id as usize];
        let mut tree = Planted {
            walks: vec![0; nodes.len()],
            back: vec![0; nodes.len()],
            places: labels.iter().map(|&(id, at)| (at, place(id))).collect(),
            ..Planted::default()
        };
        for &(_, id, parent) in &*nodes {
            let (place, step) = (place(id), place(id) - place(parent));
            let (from, to) = (graph.points().point(id), graph.points().point(parent));
            let walk = Walk::between(from, to);
            let packed = PackedWalk::new(walk);
            let at = (place - first) as usize;
            tree.walks[at] = packed.0;
            tree.back[at] = step.min(u32::from(FAR)) as u16;
            if packed.is_long() {
                let steps = walk.diagonal_steps << 16 | walk.straight_steps;
                tree.long.push([place, steps]);
            }
            if step >= u32::from(FAR) {
                tree.far.push([place, step]);
            }
        }
        tree.long.sort_unstable();
        tree.far.sort_unstable();
        tree
    }
}

impl HubTrees {
    /// The trees of the labels in these lists, of which the lowest bits of the numbers of arcs are given.
    pub fn plant(graph: &CornerGraph, lists: ListsView, arcs: &[u8]) -> HubTrees {
        let count = lists.count();
        let mut by_hub = ByHub::new(graph.len(), lists);
        let mut places = vec![0; count];
        let (mut walks, mut back) = (Vec::with_capacity(count), Vec::with_capacity(count));
        let (mut far, mut long) = (Vec::new(), Vec::new());
        while by_hub.order_next(lists) {
            let begun = walks.len() as u32;
            let trees: Vec<Planted> = (0..by_hub.hubs.len())
                .into_par_iter()
                .map_init(
                    || Planting::new(graph.len()),
                    |planting, hub| {
                        let first = begun + by_hub.first[hub];
                        planting.plant((graph, lists, arcs), by_hub.labels(hub), first)
                    },
                )
                .collect();
            for tree in trees {
                walks.extend_from_slice(&tree.walks);
                back.extend_from_slice(&tree.back);
                far.extend(tree.far.into_iter().flatten());
                long.extend(tree.long.into_iter().flatten());
                for (label, place) in tree.places {
                    places[label as usize] = place;
                }
            }
        }
        HubTrees {
            places: Array::from_vec(places),
            walks: Array::from_vec(walks),
            back: Array::from_vec(back),
            far: Array::from_vec(far),
            long: Array::from_vec(long),
        }
    }

    /// Trees from a file, to be checked.
    pub fn from_sections(artifact: &Artifact) -> Result<HubTrees, ArtifactError> {
        Ok(HubTrees {
            places: artifact.section(PLACES)?,
            walks: artifact.section(WALKS)?,
            back: artifact.section(BACK)?,
            far: artifact.section(FAR_STEPS)?,
            long: artifact.section(LONG_WALKS)?,
        })
    }

    /// Adds the trees to a file.
    pub fn write_sections<'a>(&'a self, writer: ArtifactWriter<'a>) -> ArtifactWriter<'a> {
        writer
            .section::<u32>(PLACES, &self.places)
            .section::<u32>(WALKS, &self.walks)
            .section::<u16>(BACK, &self.back)
            .section::<u32>(FAR_STEPS, &self.far)
            .section::<u32>(LONG_WALKS, &self.long)
    }

    /// Numbers of 32 bits in the lists of far steps and of long walks.
    pub fn exceptions(&self) -> [u64; 2] {
        [self.far.len() as u64, self.long.len() as u64]
    }

    /// Bytes in memory and in files.
    pub fn bytes(&self) -> usize {
        let exceptions = self.far.len() + self.long.len();
        self.places.len() * 4 + self.walks.len() * 6 + exceptions * 4
    }

    /// The trees as plain slices: taken once per query.
    #[inline]
    pub fn view(&self) -> TreesView<'_> {
        TreesView {
            places: &self.places,
            walks: &self.walks,
            back: &self.back,
            far: pairs(&self.far),
            long: pairs(&self.long),
        }
    }

    /// The most corners on the way from a corner to one of its hubs.
    pub fn longest_chain(&self) -> u64 {
        let view = self.view();
        let mut depth: Vec<u32> = Vec::with_capacity(view.walks.len());
        for place in 0..view.walks.len() as u32 {
            let next = view.towards_hub(place);
            depth.push(next.map_or(1, |next| depth[next as usize] + 1));
        }
        u64::from(depth.into_iter().max().unwrap_or(0))
    }

    /// Says what is wrong with trees that stand beside these lists.
    ///
    /// What passes leads from every label along arcs of the graph to the label's hub, at the label's cost.
    pub fn check(&self, graph: &CornerGraph, lists: ListsView) -> Result<(), String> {
        let view = self.view();
        let count = view.walks.len();
        let in_order = |pairs: &[[u32; 2]]| pairs.is_sorted_by(|a, b| a[0] < b[0]);
        let whole = [&self.far, &self.long]
            .iter()
            .all(|p| p.len().is_multiple_of(2));
        let fit = view.back.len() == count && view.places.len() == lists.count();
        if !fit || !whole || !in_order(view.far) || !in_order(view.long) {
            return Err("the trees of hubs do not fit their labels".to_string());
        }
        let corners = places_of_corners(graph, lists, view)?;
        // By place: the cost to the hub, and the hub's place.
        let mut known: Vec<(Cost, u32)> = Vec::with_capacity(count);
        for place in 0..count {
            let next = view
                .next(place)
                .ok_or_else(|| format!("place {place} of the trees leads nowhere"))?;
            known.push(if next == place {
                (0, place as u32)
            } else {
                let walk = view.walk(place as u32);
                let cost = arc_cost(graph, corners[place], corners[next], walk);
                let (distance, root) = known[next];
                let cost = cost.and_then(|cost| distance.checked_add(cost));
                let cost = cost.ok_or_else(|| format!("place {place} of the trees has no arc"))?;
                (cost, root)
            });
        }
        check_labels(graph, lists, view, &known)
    }
}

/// The corner of every place, of which there must be one.
fn places_of_corners(
    graph: &CornerGraph,
    lists: ListsView,
    trees: TreesView,
) -> Result<Vec<u32>, String> {
    let mut corners = vec![u32::MAX; trees.walks.len()];
    for corner in 0..graph.len() as u32 {
        for label in lists.labels(corner) {
            match corners.get_mut(trees.places[label] as usize) {
                Some(free) if *free == u32::MAX => *free = corner,
                _ => return Err(format!("label {label} has no place of its own")),
            }
        }
    }
    match corners.iter().position(|&corner| corner == u32::MAX) {
        Some(place) => Err(format!("place {place} of the trees has no label")),
        None => Ok(corners),
    }
}

/// Whether every label stands in the tree of its own hub, at its own cost.
fn check_labels(
    graph: &CornerGraph,
    lists: ListsView,
    trees: TreesView,
    known: &[(Cost, u32)],
) -> Result<(), String> {
    let mut root_of = vec![u32::MAX; graph.len()];
    for corner in 0..graph.len() as u32 {
        for ((hub, distance), label) in lists.hubs(corner).zip(lists.labels(corner)) {
            let (cost, root) = known[trees.places[label] as usize];
            let own_root = &mut root_of[hub];
            if *own_root == u32::MAX {
                *own_root = root;
            }
            if cost != distance || *own_root != root {
                return Err(format!("hub {hub} of corner {corner} leads elsewhere"));
            }
        }
    }
    Ok(())
}

/// The cost of the arc between two corners, if there is one and this is its walk.
fn arc_cost(graph: &CornerGraph, from: u32, to: u32, walk: Walk) -> Option<Cost> {
    let arcs = graph.arcs(from);
    let at = arcs.binary_search_by_key(&to, |arc| arc.target).ok()?;
    let turn = moved(
        graph.points().point(from),
        walk.diagonal,
        walk.diagonal_steps,
    );
    let end = moved(turn, walk.straight, walk.straight_steps);
    (end == graph.points().point(to)).then_some(arcs[at].cost)
}

/// Labels in the order of hubs, those of some hubs at a time.
struct ByHub {
    /// By hub: how many labels it has.
    counts: Vec<u32>,
    /// By corner: the first label that has not been among them.
    next_label: Vec<u32>,
    /// The hubs whose labels these are.
    hubs: std::ops::Range<usize>,
    /// By hub of these, and one more.
    first: Vec<u32>,
    /// Corner and label.
    labels: Vec<(u32, u32)>,
}

/// Labels are put in order so many times, a part of them each time.
const PARTS: usize = 16;

impl ByHub {
    fn new(corners: usize, lists: ListsView) -> ByHub {
        let mut counts = vec![0; corners];
        let all = (0..corners as u32).flat_map(|corner| lists.hubs(corner));
        all.for_each(|(hub, _)| counts[hub] += 1);
        let starts = (0..corners as u32).map(|corner| lists.labels(corner).start as u32);
        ByHub {
            counts,
            next_label: starts.collect(),
            hubs: 0..0,
            first: Vec::new(),
            labels: Vec::new(),
        }
    }

    /// The corners and labels of one of these hubs.
    fn labels(&self, at: usize) -> &[(u32, u32)] {
        &self.labels[self.first[at] as usize..self.first[at + 1] as usize]
    }

    /// Puts the labels of the hubs that come next in order; false where there are no more hubs.
    fn order_next(&mut self, lists: ListsView) -> bool {
        let (from, most) = (self.hubs.end, (lists.count() / PARTS) as u32);
        self.first.clear();
        self.first.push(0);
        let (mut to, mut sum) = (from, 0);
        while to < self.counts.len() && (to == from || sum + self.counts[to] <= most) {
            sum += self.counts[to];
            self.first.push(sum);
            to += 1;
        }
        self.hubs = from..to;
        self.labels.clear();
        self.labels.resize(sum as usize, (0, 0));
        let mut free = self.first.clone();
        for (corner, next) in self.next_label.iter_mut().enumerate() {
            let corner = corner as u32;
            let labels = *next as usize..lists.labels(corner).end;
            for label in labels {
                let hub = lists.rank(corner, label);
                if hub >= to {
                    break;
                }
                let free = &mut free[hub - from];
                self.labels[*free as usize] = (corner, label as u32);
                (*free, *next) = (*free + 1, label as u32 + 1);
            }
        }
        to > from
    }
}

/// Numbers two by two.
fn pairs(numbers: &[u32]) -> &[[u32; 2]] {
    numbers.as_chunks().0
}

/// What stands beside a place in a list in the order of places.
#[inline]
fn found(list: &[[u32; 2]], place: u32) -> Option<u32> {
    let at = list.binary_search_by_key(&place, |pair| pair[0]).ok()?;
    Some(list[at][1])
}

/// Slices of the trees.
#[derive(Clone, Copy)]
pub struct TreesView<'a> {
    places: &'a [u32],
    walks: &'a [u32],
    back: &'a [u16],
    far: &'a [[u32; 2]],
    long: &'a [[u32; 2]],
}

impl TreesView<'_> {
    /// The place of a label.
    #[inline]
    pub fn place(self, label: usize) -> u32 {
        self.places[label]
    }

    /// The walk from the corner at a place to the next, diagonal steps first. At the hub it means nothing.
    #[inline]
    pub fn walk(self, place: u32) -> Walk {
        let packed = PackedWalk(self.walks[place as usize]);
        let mut walk = packed.walk();
        if packed.is_long()
            && let Some(steps) = found(self.long, place)
        {
            (walk.diagonal_steps, walk.straight_steps) = (steps >> 16, steps & 0xffff);
        }
        walk
    }

    /// The place that leads on to the hub; the hub's is its own. `None` where a file is wrong.
    #[inline]
    fn next(self, place: usize) -> Option<usize> {
        let step = match self.back[place] {
            FAR => found(self.far, place as u32)? as usize,
            step => usize::from(step),
        };
        place.checked_sub(step)
    }

    /// How many places there are.
    #[inline]
    pub fn places(self) -> u32 {
        self.walks.len() as u32
    }

    /// The next places on the way from one down to another that it is on the way of, the next one last.
    ///
    /// The way up from the other leads through parts that lie side by side, so that most of it is passed over sixteen places at a time.
    pub fn look_down(self, from: u32, target: u32, ahead: &mut [u32; AHEAD]) -> LookedDown {
        let mut looked = LookedDown::default();
        // The part that has been looked along ends at `last`; what comes below it begins at `below`.
        let (mut last, mut below) = (target, None);
        while last > from {
            let top = self.top_of_part(from, last);
            looked.operations += FOLLOWED + u64::from(last - top) / PASSED_AN_OPERATION;
            if top == from {
                break;
            }
            let Some(parent) = self.towards_hub(top) else {
                return LookedDown::default();
            };
            (last, below) = (parent, Some(top));
        }
        if last < from {
            return LookedDown::default();
        }
        let beside = (from + 1..=last).chain(below).take(AHEAD);
        for place in beside {
            ahead[looked.corners] = place;
            looked.corners += 1;
        }
        ahead[..looked.corners].reverse();
        looked
    }

    /// The first place, or `from`, from which each leads to the one before it down to `last`.
    #[inline]
    fn top_of_part(self, from: u32, last: u32) -> u32 {
        let part = &self.back[from as usize + 1..=last as usize];
        let (rest, chunks) = part.as_rchunks::<AHEAD>();
        let mut beside = 0;
        for chunk in chunks.iter().rev() {
            // All of them at once.
            if chunk.iter().fold(0, |differ, step| differ | (step ^ 1)) != 0 {
                let at = chunk.iter().rposition(|&step| step != 1).unwrap_or(0);
                return last - (beside + (AHEAD - 1 - at)) as u32;
            }
            beside += AHEAD;
        }
        match rest.iter().rposition(|&step| step != 1) {
            Some(at) => last - (beside + (rest.len() - 1 - at)) as u32,
            None => from,
        }
    }

    /// The place that leads on to the hub; `None` at the hub.
    #[inline]
    pub fn towards_hub(self, place: u32) -> Option<u32> {
        let next = self.next(place as usize).map_or(place, |next| next as u32);
        (next != place).then_some(next)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::grid::Point;

    #[test]
    fn a_tree_keeps_its_largest_part_beside_it() {
        // 0 is the hub; 1 leads to 3 and 4, 2 to nothing: distance, corner, parent.
        let nodes = [(0, 0, 0), (4, 2, 0), (5, 1, 0), (8, 3, 1), (9, 4, 1)];
        let blank = || vec![0; 5];
        let mut layout = Layout {
            size: blank(),
            heir: blank(),
            place: blank(),
            free: blank(),
        };
        layout.arrange(&nodes, 10);
        assert_eq!(layout.place, [10, 11, 14, 13, 12]);
    }

    #[test]
    fn far_steps_and_long_walks_are_found() {
        let count = 70_000;
        let mut back = vec![1u16; count];
        (back[0], back[65_000], back[69_999]) = (0, 64_999, FAR);
        let mut walks = vec![0; count];
        let origin = Point { x: 0, y: 0 };
        let ends = [(60_000, 9), (7, 7), (0, 16_383), (50_000, 20_000)];
        let walk_to = |(x, y)| Walk::between(origin, Point { x, y });
        for (walk, &end) in walks.iter_mut().zip(&ends) {
            *walk = PackedWalk::new(walk_to(end)).0;
        }
        let trees = HubTrees {
            places: Array::from_slice(&[]),
            walks: Array::from_vec(walks),
            back: Array::from_vec(back),
            far: Array::from_slice(&[69_999, 69_998]),
            long: Array::from_slice(&[0, 9 << 16 | 59_991, 3, 20_000 << 16 | 30_000]),
        };
        let view = trees.view();
        assert_eq!(view.towards_hub(69_999), Some(1));
        assert_eq!(view.towards_hub(65_000), Some(1));
        assert_eq!(view.towards_hub(1), Some(0));
        assert_eq!(view.towards_hub(0), None);
        for (place, &end) in ends.iter().enumerate() {
            let walk = view.walk(place as u32);
            let turn = moved(origin, walk.diagonal, walk.diagonal_steps);
            let there = moved(turn, walk.straight, walk.straight_steps);
            assert_eq!((there.x, there.y), end);
        }
    }

    #[test]
    fn walks_in_every_direction_come_back() {
        let centre = Point { x: 100, y: 100 };
        for y in 90..110 {
            for x in 90..110 {
                let to = Point { x, y };
                let walk = PackedWalk::new(Walk::between(centre, to)).walk();
                let turn = moved(centre, walk.diagonal, walk.diagonal_steps);
                assert_eq!(moved(turn, walk.straight, walk.straight_steps), to);
            }
        }
    }
}
