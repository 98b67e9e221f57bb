//! Everything that must be true of a hierarchy, checked against the map. O(n) times the height.

use super::{Hierarchy, NO_NODE, Place};
use crate::grid::Cell;
use crate::map::Map;
use thiserror::Error;

/// Something that must not be in a hierarchy.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
#[error("node {id} of level {level}: {what}")]
pub struct Flaw {
    /// The level, 0 for cells.
    pub level: u32,
    /// The node or cell.
    pub id: u32,
    /// What is wrong with it.
    pub what: &'static str,
}

fn require(fine: bool, place: Place, what: &'static str) -> Result<(), Flaw> {
    if fine {
        return Ok(());
    }
    Err(Flaw {
        level: place.level,
        id: place.id,
        what,
    })
}

impl Hierarchy {
    /// Checks all invariants:
    ///
    /// - a cell or node has a parent, one level up, exactly where it has neighbours;
    /// - children are a clique of up to four with orphans, hence connected;
    /// - neighbours are exactly the parents of the children's neighbours, so by induction two nodes are joined exactly
    ///   where a ground move leads from one to the other;
    /// - positions are means of the children's positions;
    /// - no two neighbours are both alone in their parents, so every level is smaller than the one below;
    /// - two cells have the same top exactly where they are connected.
    pub fn check(&self, map: &Map) -> Result<(), Flaw> {
        let mut with_parents = vec![0u64; self.level_sizes.len() + 1];
        for id in 0..self.cell_parents.len() as u32 {
            let place = Place { level: 0, id };
            let moves = map.grid().is_passable(Cell(id)) && !map.legal(Cell(id)).is_empty();
            self.check_parent(place, moves)?;
            with_parents[0] += u64::from(moves);
        }
        let mut children_seen = vec![0u64; self.level_sizes.len() + 1];
        let mut sizes = vec![0u32; self.level_sizes.len()];
        sizes[0] = map.grid().passable_count() as u32;
        let mut buffers = (Vec::new(), Vec::new());
        for id in 0..self.nodes.len() as u32 {
            let level = self.node(id).level;
            if level == 0 {
                continue;
            }
            let place = Place { level, id };
            require(
                (level as usize) < sizes.len(),
                place,
                "above the highest level",
            )?;
            sizes[level as usize] += 1;
            let joined = !self.edges(id).is_empty();
            self.check_parent(place, joined)?;
            with_parents[level as usize] += u64::from(joined);
            self.check_node(map, place, &mut buffers)?;
            let most = self.largest_group(level);
            require(
                buffers.0.len() <= most,
                place,
                "more children than the largest group",
            )?;
            children_seen[level as usize - 1] += buffers.0.len() as u64;
        }
        let ground = Place { level: 0, id: 0 };
        require(sizes == self.level_sizes, ground, "levels miscounted")?;
        require(children_seen == with_parents, ground, "children lost")?;
        self.check_tops(map)
    }

    fn check_parent(&self, place: Place, wanted: bool) -> Result<(), Flaw> {
        let parent = self.parent(place);
        require(
            wanted == (parent != NO_NODE),
            place,
            "a parent and no neighbour, or no parent and a neighbour",
        )?;
        let fits = parent == NO_NODE
            || self
                .nodes
                .get(parent as usize)
                .is_some_and(|node| node.level == place.level + 1);
        require(fits, place, "its parent is not one level up")
    }

    fn check_node(
        &self,
        map: &Map,
        place: Place,
        (members, list): &mut (Vec<u32>, Vec<u32>),
    ) -> Result<(), Flaw> {
        let (id, level) = (place.id, place.level - 1);
        require(self.node(id).first_child != NO_NODE, place, "no children")?;
        let position = self.mean_position(map, id, members);
        require(
            position == self.position(map, place),
            place,
            "not at the mean of its children",
        )?;
        self.collect_edges(map, id, members, list);
        require(list == self.edges(id), place, "wrong neighbours")?;
        let adopted = members
            .iter()
            .all(|&child| self.parent(Place { level, id: child }) == id);
        require(adopted, place, "a child of another parent")?;
        require(
            self.is_group(map, level, members),
            place,
            "its children are not a clique with orphans",
        )?;
        if let [only] = members[..] {
            let mut lonely = false;
            self.for_each_neighbour(map, Place { level, id: only }, |next| {
                let other = self.parent(Place { level, id: next });
                let mut siblings = Vec::new();
                self.children(other, &mut siblings);
                lonely |= siblings.len() == 1;
            });
            require(!lonely, place, "two neighbours alone in their parents")?;
        }
        Ok(())
    }

    fn check_tops(&self, map: &Map) -> Result<(), Flaw> {
        let mut top_of = vec![None; map.components().count()];
        let mut tops = Vec::new();
        for cell in map.grid().cells() {
            let place = Place {
                level: 0,
                id: cell.0,
            };
            let top = self.top(cell);
            let component = map.components().of(cell);
            let Some(seen) = component.and_then(|c| top_of.get_mut(c as usize)) else {
                return require(false, place, "a cell without a component");
            };
            if seen.is_none() {
                *seen = Some(top);
                tops.push(top);
            }
            require(*seen == Some(top), place, "two tops in one component")?;
        }
        tops.sort_unstable();
        let twice = tops.windows(2).find(|pair| pair[0] == pair[1]);
        match twice {
            Some(pair) => require(false, pair[0], "one top for two components"),
            None => Ok(()),
        }
    }
}
