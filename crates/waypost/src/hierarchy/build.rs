//! Builds all levels, the lowest first.

use super::grouping::{CliqueFinder, LARGEST_CLIQUE};
use super::{EdgePool, Hierarchy, NO_NODE, Node, Place};
use crate::map::Map;
use crate::progress::{NoProgress, Progress};
use std::ops::Range;

impl Hierarchy {
    /// Builds the hierarchy of a map. O(n) on one thread.
    pub fn build(map: &Map) -> Hierarchy {
        match Hierarchy::watched(map, &NoProgress) {
            Some(hierarchy) => hierarchy,
            None => unreachable!("nobody cancels it"),
        }
    }

    /// The same; `None` where whoever watches wants no more of it.
    pub(crate) fn watched(map: &Map, progress: &dyn Progress) -> Option<Hierarchy> {
        let grid = map.grid();
        let mut hierarchy = Hierarchy {
            stride: grid.stride(),
            cell_parents: vec![NO_NODE; grid.id_bound()],
            nodes: Vec::new(),
            weights: Vec::new(),
            edges: EdgePool::default(),
            unused: Vec::new(),
            level_sizes: vec![grid.passable_count() as u32],
            largest_groups: Vec::new(),
            state: map.fingerprint(),
        };
        let mut below = 0..0;
        for level in 0.. {
            let first = hierarchy.nodes.len() as u32;
            if level == 0 {
                hierarchy.group_level(map, 0, || grid.cells().map(|cell| cell.0), progress)?;
            } else {
                let order = hierarchy.by_degree(below.clone());
                hierarchy.group_level(map, level, || order.iter().copied(), progress)?;
            }
            let above = first..hierarchy.nodes.len() as u32;
            if above.is_empty() {
                break;
            }
            hierarchy.number_by_first_child(map, level, below.clone(), above.clone());
            hierarchy.join_level(map, above.clone(), progress)?;
            hierarchy.level_sizes.push(above.len() as u32);
            below = above;
        }
        hierarchy.measure_groups();
        Some(hierarchy)
    }

    /// The nodes of a level by rising degree: a counting sort. Degrees above 63, which no game map has, count as 63.
    fn by_degree(&self, nodes: Range<u32>) -> Vec<u32> {
        let degree = |id: u32| self.nodes[id as usize].edge_count.min(63) as usize;
        let mut starts = [0u32; 65];
        for id in nodes.clone() {
            starts[degree(id) + 1] += 1;
        }
        for i in 1..starts.len() {
            starts[i] += starts[i - 1];
        }
        let mut order = vec![0; nodes.len()];
        for id in nodes {
            let start = &mut starts[degree(id)];
            order[*start as usize] = id;
            *start += 1;
        }
        order
    }

    /// Gives every node of a level that has neighbours a parent.
    fn group_level<I>(
        &mut self,
        map: &Map,
        level: u32,
        nodes: impl Fn() -> I,
        progress: &dyn Progress,
    ) -> Option<()>
    where
        I: Iterator<Item = u32>,
    {
        let mut finder = CliqueFinder::default();
        for size in (2..=LARGEST_CLIQUE).rev() {
            for (number, id) in nodes().enumerate() {
                look(number, progress)?;
                if self.parent(Place { level, id }) != NO_NODE {
                    continue;
                }
                if let Some(clique) = finder.find(self, map, level, id, size) {
                    let parent = self.push_node(level + 1);
                    for &member in clique {
                        self.set_parent(Place { level, id: member }, parent);
                    }
                }
            }
        }
        for (number, id) in nodes().enumerate() {
            look(number, progress)?;
            let place = Place { level, id };
            if self.parent(place) == NO_NODE {
                match self.few_neighbours(map, place) {
                    0 => {}
                    1 => self.join_only_neighbour(map, place),
                    _ => {
                        let parent = self.push_node(level + 1);
                        self.set_parent(place, parent);
                    }
                }
            }
        }
        Some(())
    }

    /// An orphan joins the group of its neighbour, which has one: two free neighbours would have been paired.
    pub(super) fn join_only_neighbour(&mut self, map: &Map, place: Place) {
        let mut neighbour = NO_NODE;
        self.for_each_neighbour(map, place, |next| neighbour = next);
        let parent = self.parent(Place {
            level: place.level,
            id: neighbour,
        });
        self.set_parent(place, parent);
    }

    fn push_node(&mut self, level: u32) -> u32 {
        self.nodes.push(Node {
            level,
            ..Node::UNUSED
        });
        self.nodes.len() as u32 - 1
    }

    #[inline]
    pub(super) fn set_parent(&mut self, place: Place, parent: u32) {
        if place.level == 0 {
            self.cell_parents[place.id as usize] = parent;
        } else {
            self.nodes[place.id as usize].parent = parent;
        }
    }

    /// Renumbers the new nodes of a level in the order of their first children, which keeps what is near near in
    /// memory, and links and places them.
    fn number_by_first_child(
        &mut self,
        map: &Map,
        level: u32,
        below: Range<u32>,
        above: Range<u32>,
    ) {
        let mut number = vec![NO_NODE; above.len()];
        let mut sums = vec![([0u64; 2], 0u64); above.len()];
        let mut last_child = vec![NO_NODE; above.len()];
        let mut next = above.start;
        let mut link = |hierarchy: &mut Hierarchy, place: Place| {
            let old = hierarchy.parent(place);
            if old == NO_NODE {
                return;
            }
            let slot = &mut number[(old - above.start) as usize];
            if *slot == NO_NODE {
                *slot = next;
                hierarchy.nodes[next as usize].first_child = place.id;
                next += 1;
            }
            let new = *slot;
            hierarchy.set_parent(place, new);
            let i = (new - above.start) as usize;
            let position = hierarchy.position(map, place);
            sums[i].0[0] += u64::from(position[0]);
            sums[i].0[1] += u64::from(position[1]);
            sums[i].1 += 1;
            if place.level > 0 {
                if last_child[i] != NO_NODE {
                    hierarchy.nodes[last_child[i] as usize].next_sibling = place.id;
                }
                last_child[i] = place.id;
            }
        };
        if level == 0 {
            for cell in map.grid().cells() {
                link(self, Place { level, id: cell.0 });
            }
        } else {
            for id in below {
                link(self, Place { level, id });
            }
        }
        for (i, (sum, count)) in sums.into_iter().enumerate() {
            let node = &mut self.nodes[above.start as usize + i];
            [node.x, node.y] = sum.map(|s| (s / count) as u32);
        }
        self.weigh(map, above);
    }

    /// Finds the edges of all nodes of a new level.
    fn join_level(&mut self, map: &Map, above: Range<u32>, progress: &dyn Progress) -> Option<()> {
        let mut members = Vec::new();
        let mut list = Vec::new();
        for (number, node) in above.enumerate() {
            look(number, progress)?;
            self.collect_edges(map, node, &mut members, &mut list);
            self.set_edges(node, &list);
        }
        Some(())
    }

    pub(super) fn set_edges(&mut self, node: u32, list: &[u32]) {
        let entry = &mut self.nodes[node as usize];
        let stored = self.edges.replace(entry.edges(), list);
        entry.edge_start = stored.start;
        entry.edge_count = stored.count;
    }

    /// The neighbours that a node should have: the other parents of its children's neighbours, sorted.
    pub(super) fn collect_edges(
        &self,
        map: &Map,
        node: u32,
        members: &mut Vec<u32>,
        list: &mut Vec<u32>,
    ) {
        members.clear();
        list.clear();
        self.children(node, members);
        let level = self.nodes[node as usize].level - 1;
        for &id in members.iter() {
            self.for_each_neighbour(map, Place { level, id }, |next| {
                let parent = self.parent(Place { level, id: next });
                if parent != node && list.last() != Some(&parent) {
                    list.push(parent);
                }
            });
        }
        list.sort_unstable();
        list.dedup();
    }

    /// The mean of the children's positions.
    pub(super) fn mean_position(&self, map: &Map, node: u32, members: &mut Vec<u32>) -> [u32; 2] {
        members.clear();
        self.children(node, members);
        let level = self.nodes[node as usize].level - 1;
        let mut sum = [0u64; 2];
        for &id in members.iter() {
            let position = self.position(map, Place { level, id });
            sum[0] += u64::from(position[0]);
            sum[1] += u64::from(position[1]);
        }
        sum.map(|s| (s / members.len().max(1) as u64) as u32)
    }
}

/// Looks at every so many nodes whether to go on.
#[inline]
fn look(nodes: usize, progress: &dyn Progress) -> Option<()> {
    let is_over = nodes.is_multiple_of(4096) && progress.is_cancelled();
    (!is_over).then_some(())
}

#[cfg(test)]
mod tests;
