//! Repairs a hierarchy after a patch, level by level, at a cost that follows the patch.
//!
//! The paper promises O(log n) an update and leaves the method out. Here, on each level:
//!
//! 1. nodes whose edges changed name the *suspects*, their parents. A suspect that still has the shape of a group (a
//!    clique with orphans) stays; the others, and every suspect with a single child, are dissolved and their children
//!    become free, together with new nodes and with tops that have found a neighbour;
//! 2. small groups next to free nodes are dissolved too: single ones always, so that no two neighbours are ever alone in
//!    their parents (which makes every level smaller than the one below), pairs where they touch the first free nodes;
//! 3. free nodes are grouped by the rules of building; those left over join a clique that they complete. A new group
//!    takes the id of a dissolved parent of one of its members, so that the levels above see few changes;
//! 4. edges and positions of the groups concerned are recomputed from their children. Parents whose edge lists
//!    came out different are the changed nodes of the next level.
//!
//! The groups differ from those of a fresh build, but not what they mean: on every level edges are exactly where ground
//! moves lead, children are connected, and the nodes of one component end in one top ([`Hierarchy::check`]).
//! How much a repair touches is bounded by the neighbourhood of the change on each level, not by the map.

use super::grouping::{CliqueFinder, LARGEST_CLIQUE};
use super::{Hierarchy, NO_NODE, Node, Place};
use crate::grid::{Cell, ChangeSet, Direction};
use crate::map::Map;

/// What a repair took.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Repair {
    /// Levels with changes, the ground included.
    pub levels: u32,
    /// Nodes whose edges were computed again.
    pub nodes: u64,
}

/// A repair in progress on one level.
struct Level<'a> {
    hierarchy: &'a mut Hierarchy,
    map: &'a Map,
    level: u32,
    /// Free nodes of this level, with the parents that they had.
    free: Vec<(u32, u32)>,
    /// Parents that lost all children: their ids wait for a new group.
    dissolved: Vec<u32>,
    /// Parents that may have other edges or positions now.
    concerned: Vec<u32>,
    members: Vec<u32>,
}

/// What one level hands to the next.
#[derive(Default)]
struct Upward {
    /// Nodes that are new or whose edges changed.
    changed: Vec<u32>,
    /// Nodes two levels up that lost a child.
    bereft: Vec<u32>,
    /// Nodes whose position changed.
    moved: Vec<u32>,
}

impl Hierarchy {
    /// Follows a patch that has been applied to the map. Change sets must come in the order of their revisions.
    pub fn repair(&mut self, map: &Map, changes: &ChangeSet) -> Repair {
        let mut report = Repair::default();
        self.state = map.fingerprint();
        self.level_sizes[0] += changes.opened.len() as u32;
        self.level_sizes[0] -= changes.blocked.len() as u32;
        let mut up = self.ground_changes(map, changes);
        let mut level = 0;
        while !(up.changed.is_empty() && up.bereft.is_empty() && up.moved.is_empty()) {
            up = self.repair_level(map, level, up, &mut report);
            level += 1;
            report.levels = level;
        }
        while self.level_sizes.len() > 1 && self.level_sizes.last() == Some(&0) {
            self.level_sizes.pop();
        }
        report
    }

    /// Cells whose moves may have changed: those around the changed cells. Corner rules reach no further.
    fn ground_changes(&self, map: &Map, changes: &ChangeSet) -> Upward {
        let mut up = Upward::default();
        for &cell in changes.blocked.iter().chain(&changes.opened) {
            up.changed.push(cell.0);
            for d in Direction::ALL {
                up.changed.push(map.grid().neighbour(cell, d).0);
            }
        }
        for &cell in &changes.blocked {
            up.bereft.push(self.cell_parents[cell.index()]);
        }
        up.changed.retain(|&id| map.grid().is_passable(Cell(id)));
        sort_unique(&mut up.changed);
        up
    }

    fn repair_level(&mut self, map: &Map, level: u32, up: Upward, report: &mut Repair) -> Upward {
        let mut work = Level {
            hierarchy: self,
            map,
            level,
            free: Vec::new(),
            dissolved: Vec::new(),
            concerned: Vec::new(),
            members: Vec::new(),
        };
        work.dissolve_suspects(&up);
        work.dissolve_small_neighbours();
        work.group();
        report.nodes += (work.concerned.len() + work.dissolved.len()) as u64;
        work.settle(&up.moved)
    }
}

impl Level<'_> {
    fn place(&self, id: u32) -> Place {
        Place {
            level: self.level,
            id,
        }
    }

    fn parent(&self, id: u32) -> u32 {
        self.hierarchy.parent(self.place(id))
    }

    /// The living children of a parent. On the ground, cells that are walls now are still linked to it: drops them.
    fn living_children(&mut self, parent: u32) {
        self.members.clear();
        self.hierarchy.children(parent, &mut self.members);
        if self.level == 0 {
            for &id in &self.members {
                if !self.map.grid().is_passable(Cell(id)) {
                    self.hierarchy.cell_parents[id as usize] = NO_NODE;
                }
            }
            let map = self.map;
            self.members.retain(|&id| map.grid().is_passable(Cell(id)));
            let first = self.members.first().copied().unwrap_or(NO_NODE);
            self.hierarchy.nodes[parent as usize].first_child = first;
        }
    }

    fn dissolve_suspects(&mut self, up: &Upward) {
        let mut suspects = up.bereft.clone();
        suspects.extend(up.changed.iter().map(|&id| self.parent(id)));
        suspects.retain(|&parent| parent != NO_NODE);
        sort_unique(&mut suspects);
        for parent in suspects {
            self.living_children(parent);
            let keeps = self.members.len() > 1
                && self.hierarchy.is_group(self.map, self.level, &self.members);
            if keeps {
                self.concerned.push(parent);
            } else {
                self.dissolve(parent);
            }
        }
        for &id in &up.changed {
            if self.parent(id) == NO_NODE {
                self.free.push((id, NO_NODE));
            }
        }
        // A dissolved child that changed too is there twice: its former parent sorts first and stays.
        self.free.sort_unstable();
        self.free.dedup_by_key(|&mut (id, _)| id);
    }

    /// Frees the children, which are in `members`.
    fn dissolve(&mut self, parent: u32) {
        for i in 0..self.members.len() {
            let id = self.members[i];
            self.hierarchy.set_parent(self.place(id), NO_NODE);
            if self.level > 0 {
                self.hierarchy.nodes[id as usize].next_sibling = NO_NODE;
            }
            self.free.push((id, parent));
        }
        self.hierarchy.nodes[parent as usize].first_child = NO_NODE;
        self.dissolved.push(parent);
    }

    fn dissolve_small_neighbours(&mut self) {
        let first_round = self.free.len();
        let mut near = Vec::new();
        let mut i = 0;
        while i < self.free.len() {
            let most = if i < first_round { 2 } else { 1 };
            near.clear();
            let place = self.place(self.free[i].0);
            self.hierarchy
                .for_each_neighbour(self.map, place, |next| near.push(next));
            for &next in &near {
                let parent = self.parent(next);
                if parent == NO_NODE {
                    continue;
                }
                self.members.clear();
                self.hierarchy.children(parent, &mut self.members);
                if self.members.len() <= most {
                    self.dissolve(parent);
                }
            }
            i += 1;
        }
    }

    fn group(&mut self) {
        self.free.sort_unstable();
        let mut order: Vec<u32> = self.free.iter().map(|&(id, _)| id).collect();
        if self.level > 0 {
            order.sort_by_key(|&id| self.hierarchy.node(id).edge_count);
        }
        let mut finder = CliqueFinder::default();
        for size in (2..=LARGEST_CLIQUE).rev() {
            for &id in &order {
                if self.parent(id) != NO_NODE {
                    continue;
                }
                if size == 2 && self.complete_a_clique(id) {
                    continue;
                }
                if let Some(clique) = finder.find(self.hierarchy, self.map, self.level, id, size) {
                    let parent = self.id_for(clique);
                    self.adopt(parent, clique);
                }
            }
        }
        for &id in &order {
            let place = self.place(id);
            if self.parent(id) != NO_NODE {
                continue;
            }
            match self.hierarchy.few_neighbours(self.map, place) {
                0 => {}
                1 => self.join_neighbour(place),
                _ => {
                    let parent = self.id_for(&[place.id]);
                    self.adopt(parent, &[place.id]);
                }
            }
        }
        let hierarchy = &*self.hierarchy;
        let childless = |&id: &u32| hierarchy.node(id).first_child == NO_NODE;
        self.dissolved.retain(childless);
        self.concerned.retain(|id| !childless(id));
        sort_unique(&mut self.dissolved);
        sort_unique(&mut self.concerned);
    }

    /// A free node joins a group of up to three that forms a clique with it.
    fn complete_a_clique(&mut self, id: u32) -> bool {
        let mut parents = Vec::new();
        self.hierarchy
            .for_each_neighbour(self.map, self.place(id), |next| {
                parents.push(self.hierarchy.parent(self.place(next)));
            });
        for parent in parents {
            if parent == NO_NODE {
                continue;
            }
            self.members.clear();
            self.hierarchy.children(parent, &mut self.members);
            self.members.push(id);
            let fits = self.members.len() <= LARGEST_CLIQUE
                && self
                    .hierarchy
                    .is_clique(self.map, self.level, &self.members);
            if fits {
                self.adopt(parent, &[id]);
                return true;
            }
        }
        false
    }

    fn join_neighbour(&mut self, place: Place) {
        let mut parent = NO_NODE;
        self.hierarchy
            .for_each_neighbour(self.map, place, |next| parent = self.parent(next));
        self.adopt(parent, &[place.id]);
    }

    /// An id for a new group: that of a dissolved parent of one of its members, or a new one.
    fn id_for(&mut self, members: &[u32]) -> u32 {
        for &id in members {
            let had = self.free.partition_point(|&(f, _)| f < id);
            let parent = self.free[had].1;
            if parent != NO_NODE && self.hierarchy.node(parent).first_child == NO_NODE {
                return parent;
            }
        }
        self.hierarchy.new_node(self.level + 1)
    }

    fn adopt(&mut self, parent: u32, members: &[u32]) {
        for &id in members {
            self.hierarchy.set_parent(self.place(id), parent);
            let node = &mut self.hierarchy.nodes[parent as usize];
            if self.level == 0 {
                if node.first_child == NO_NODE {
                    node.first_child = id;
                }
            } else {
                let first = std::mem::replace(&mut node.first_child, id);
                self.hierarchy.nodes[id as usize].next_sibling = first;
            }
        }
        self.concerned.push(parent);
    }

    /// Recomputes edges and positions of the parents concerned, and removes dissolved ones that found no use.
    fn settle(mut self, moved: &[u32]) -> Upward {
        let mut up = Upward::default();
        let mut list = Vec::new();
        for i in 0..self.concerned.len() {
            let node = self.concerned[i];
            self.hierarchy
                .collect_edges(self.map, node, &mut self.members, &mut list);
            let children = self.members.len() as u32;
            self.hierarchy.note_group(self.level + 1, children);
            self.replace_edges(node, &list, &mut up);
        }
        for i in 0..self.dissolved.len() {
            let node = self.dissolved[i];
            self.replace_edges(node, &[], &mut up);
            let parent = self.hierarchy.remove_node(node);
            up.bereft.push(parent);
        }
        let dissolved = std::mem::take(&mut self.dissolved);
        up.changed.retain(|id| dissolved.binary_search(id).is_err());
        sort_unique(&mut up.changed);
        up.bereft.retain(|&id| id != NO_NODE);
        sort_unique(&mut up.bereft);
        self.place_parents(moved, &mut up);
        up
    }

    fn replace_edges(&mut self, node: u32, list: &[u32], up: &mut Upward) {
        let old = self.hierarchy.edges(node).to_vec();
        let own = |id: &u32| {
            self.concerned.binary_search(id).is_ok() || self.dissolved.binary_search(id).is_ok()
        };
        let lost: Vec<u32> = difference(&old, list).filter(|id| !own(id)).collect();
        let gained: Vec<u32> = difference(list, &old).filter(|id| !own(id)).collect();
        for &other in lost.iter().chain(&gained) {
            self.hierarchy.toggle_edge(other, node);
            up.changed.push(other);
        }
        // A new node without edges is a top: nothing above needs to know of it.
        if old != list {
            self.hierarchy.set_edges(node, list);
            up.changed.push(node);
        }
    }

    fn place_parents(&mut self, moved: &[u32], up: &mut Upward) {
        let mut parents: Vec<u32> = moved.iter().map(|&id| self.parent(id)).collect();
        parents.extend_from_slice(&self.concerned);
        parents.retain(|&id| id != NO_NODE);
        sort_unique(&mut parents);
        for node in parents {
            let position = self
                .hierarchy
                .mean_position(self.map, node, &mut self.members);
            let weighed = self.map.ground().is_some() && {
                let members = &mut self.members;
                let weight = self.hierarchy.mean_weight(self.map, node, members);
                std::mem::replace(&mut self.hierarchy.weights[node as usize], weight) != weight
            };
            let entry = &mut self.hierarchy.nodes[node as usize];
            if [entry.x, entry.y] != position || weighed {
                [entry.x, entry.y] = position;
                up.moved.push(node);
            }
        }
    }
}

impl Hierarchy {
    fn new_node(&mut self, level: u32) -> u32 {
        if self.level_sizes.len() <= level as usize {
            self.level_sizes.resize(level as usize + 1, 0);
        }
        self.level_sizes[level as usize] += 1;
        let node = Node {
            level,
            ..Node::UNUSED
        };
        match self.unused.pop() {
            Some(id) => {
                self.nodes[id as usize] = node;
                id
            }
            None => {
                self.nodes.push(node);
                if !self.weights.is_empty() {
                    self.weights.push(0);
                }
                self.nodes.len() as u32 - 1
            }
        }
    }

    /// Removes a node that has neither children nor edges any more, and tells its parent's id.
    fn remove_node(&mut self, node: u32) -> u32 {
        let entry = self.nodes[node as usize];
        self.level_sizes[entry.level as usize] -= 1;
        if entry.parent != NO_NODE {
            let mut at = self.nodes[entry.parent as usize].first_child;
            if at == node {
                self.nodes[entry.parent as usize].first_child = entry.next_sibling;
            }
            while at != NO_NODE {
                let next = self.nodes[at as usize].next_sibling;
                if next == node {
                    self.nodes[at as usize].next_sibling = entry.next_sibling;
                }
                at = next;
            }
        }
        self.nodes[node as usize] = Node::UNUSED;
        self.unused.push(node);
        entry.parent
    }

    /// Adds or removes one neighbour.
    fn toggle_edge(&mut self, node: u32, neighbour: u32) {
        let mut list = self.edges(node).to_vec();
        match list.binary_search(&neighbour) {
            Ok(at) => {
                list.remove(at);
            }
            Err(at) => list.insert(at, neighbour),
        }
        self.set_edges(node, &list);
    }
}

fn sort_unique(ids: &mut Vec<u32>) {
    ids.sort_unstable();
    ids.dedup();
}

/// The elements of one sorted list that are not in another.
fn difference<'a>(of: &'a [u32], without: &'a [u32]) -> impl Iterator<Item = u32> + 'a {
    of.iter()
        .copied()
        .filter(|id| without.binary_search(id).is_err())
}

#[cfg(test)]
mod tests;
