//! The hierarchy as sections of an artifact.

use super::edges::slot_size;
use super::{EdgePool, Hierarchy, NO_NODE, Node, POSITION_SCALE};
use crate::artifact::{Artifact, ArtifactError, ArtifactWriter};
use crate::grid::{Cell, MAX_SIDE};
use crate::map::Map;

const LEVEL_SIZES: u32 = 1;
const CELL_PARENTS: u32 = 2;
const NODES: u32 = 3;
const EDGES: u32 = 4;

/// Adds the sections of a hierarchy.
pub(crate) fn write<'a>(
    hierarchy: &'a Hierarchy,
    writer: ArtifactWriter<'a>,
) -> ArtifactWriter<'a> {
    writer
        .section(LEVEL_SIZES, &hierarchy.level_sizes)
        .section(CELL_PARENTS, &hierarchy.cell_parents)
        .section(NODES, &hierarchy.nodes)
        .section(EDGES, hierarchy.edges.entries())
}

/// Reads a hierarchy, and checks that no id leads outside, that no chain or list goes on for ever, and that it describes the
/// map: a file that somebody made up would send those who refine it round in circles.
pub(crate) fn open(artifact: &Artifact, map: &Map) -> Result<Hierarchy, ArtifactError> {
    let hierarchy = Hierarchy {
        stride: map.grid().stride(),
        level_sizes: artifact.section::<u32>(LEVEL_SIZES)?.to_vec(),
        cell_parents: artifact.section::<u32>(CELL_PARENTS)?.to_vec(),
        nodes: artifact.section::<Node>(NODES)?.to_vec(),
        weights: Vec::new(),
        edges: EdgePool::from_entries(artifact.section::<u32>(EDGES)?.to_vec()),
        unused: Vec::new(),
        largest_groups: Vec::new(),
        state: map.fingerprint(),
    };
    let hierarchy = hierarchy.validated(map)?;
    let flaw = hierarchy.check(map).err();
    flaw.map_or(Ok(hierarchy), |flaw| {
        Err(ArtifactError::malformed(flaw.to_string()))
    })
}

impl Hierarchy {
    fn validated(mut self, map: &Map) -> Result<Hierarchy, ArtifactError> {
        let malformed = |what: &str| Err(ArtifactError::malformed(what));
        if self.cell_parents.len() != map.grid().id_bound() {
            return malformed("the hierarchy has parents for another number of cells");
        }
        let sizes = self.level_sizes.len();
        if sizes == 0 || self.level_sizes[0] as u64 != map.grid().passable_count() {
            return malformed("the hierarchy counts other cells than the map has");
        }
        let cells_fit = self.cell_parents.iter().enumerate().all(|(cell, &id)| {
            id == NO_NODE || self.is_at(id, 1) && map.grid().is_passable(Cell(cell as u32))
        });
        if !cells_fit {
            return malformed("a cell has a parent that is not there");
        }
        let mut counted = vec![0u32; sizes];
        counted[0] = self.level_sizes[0];
        for id in 0..self.nodes.len() {
            let node = self.nodes[id];
            if node.level == 0 {
                self.unused.push(id as u32);
                continue;
            }
            if node.level as usize >= sizes || !self.is_sound(id as u32, &node) {
                return malformed("a node of the hierarchy leads outside");
            }
            counted[node.level as usize] += 1;
        }
        if counted != self.level_sizes {
            return malformed("the hierarchy miscounts its levels");
        }
        if !self.lists_end() {
            return malformed("a list of children does not end");
        }
        self.measure_groups();
        let mut nodes: Vec<u32> = (0..self.nodes.len() as u32).collect();
        nodes.retain(|&id| self.level_of(id) > 0);
        nodes.sort_by_key(|&id| self.level_of(id));
        self.weigh(map, nodes.into_iter());
        Ok(self)
    }

    fn is_at(&self, id: u32, level: u32) -> bool {
        self.nodes
            .get(id as usize)
            .is_some_and(|node| node.level == level)
    }

    fn is_sound(&self, id: u32, node: &Node) -> bool {
        let entries = self.edges.entries().len() as u64;
        // A count near the limit has no slot size in 32 bits.
        let slot_fits = u64::from(node.edge_count) <= entries
            && u64::from(node.edge_start) + u64::from(slot_size(node.edge_count)) <= entries;
        let first = if node.level == 1 {
            self.cell_parents.get(node.first_child as usize) == Some(&id)
        } else {
            self.is_at(node.first_child, node.level - 1)
        };
        let sibling = node.next_sibling == NO_NODE || self.is_at(node.next_sibling, node.level);
        slot_fits
            && first
            && sibling
            && (node.parent == NO_NODE || self.is_at(node.parent, node.level + 1))
            && node.x.max(node.y) < MAX_SIDE * POSITION_SCALE
            && self
                .edges
                .list(node.edges())
                .iter()
                .all(|&next| self.is_at(next, node.level))
    }

    /// Every node is at most once in a list of children, that of its parent: then all lists end.
    fn lists_end(&self) -> bool {
        let mut seen = vec![false; self.nodes.len()];
        for (id, node) in self.nodes.iter().enumerate() {
            let mut child = if node.level > 1 {
                node.first_child
            } else {
                NO_NODE
            };
            while child != NO_NODE {
                let entry = &self.nodes[child as usize];
                let twice = std::mem::replace(&mut seen[child as usize], true);
                if twice || entry.parent != id as u32 {
                    return false;
                }
                child = entry.next_sibling;
            }
        }
        true
    }
}
