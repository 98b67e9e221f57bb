//! Labels in two arrays: a 64-bit word with the hub and the distance, which queries read, and a 32-bit link, which paths read.
//!
//! A link says which of the corner's arcs leads to the hub, and where in the list of the next corner the same hub stands, so
//! that a path is followed without a search. How its bits are shared between the two follows from the map and stands in the
//! artifact.

use super::graph::CornerGraph;
use super::labelling::Label;
use crate::cost::Cost;

/// A word: the hub's rank above, the distance below. Lists are in the order of words.
#[inline]
pub fn word(hub: u32, distance: Cost) -> u64 {
    u64::from(hub) << 32 | u64::from(distance)
}

/// The hub's rank.
#[inline]
pub fn hub(word: u64) -> usize {
    (word >> 32) as usize
}

/// The cost to the hub.
#[inline]
pub fn distance(word: u64) -> Cost {
    word as Cost
}

/// How links are read: the number of bits of the position.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Links {
    position_bits: u32,
}

impl Links {
    /// Links that hold the largest values; `None` where they do not fit in 32 bits together.
    pub fn for_values(arcs: usize, labels: usize) -> Option<Links> {
        let width = |value: usize| usize::BITS - value.leading_zeros();
        let position_bits = width(labels);
        (width(arcs) + position_bits <= 32 && position_bits < 32).then_some(Links { position_bits })
    }

    /// The number of bits of the position, as it stands in the artifact.
    pub fn to_number(self) -> u32 {
        self.position_bits
    }

    /// Links of an artifact; `None` where the number is impossible.
    pub fn from_number(position_bits: u32) -> Option<Links> {
        (position_bits < 32).then_some(Links { position_bits })
    }

    fn pack(self, arc: usize, position: usize) -> u32 {
        (arc << self.position_bits | position) as u32
    }

    /// The arc towards the hub.
    #[inline]
    pub fn arc(self, link: u32) -> usize {
        (link >> self.position_bits) as usize
    }

    /// Where the hub stands among the next corner's labels.
    #[inline]
    pub fn position(self, link: u32) -> usize {
        (link & ((1 << self.position_bits) - 1)) as usize
    }
}

/// All lists in one.
pub struct PackedLabels {
    pub links_form: Links,
    pub first: Vec<u32>,
    pub words: Vec<u64>,
    pub links: Vec<u32>,
}

/// Packs the labels of all corners; `None` where a link does not fit.
pub fn pack(graph: &CornerGraph, labels: &[Vec<Label>]) -> Option<PackedLabels> {
    let longest = labels.iter().map(Vec::len).max().unwrap_or(0);
    let count = labels.iter().map(Vec::len).sum();
    let mut packed = PackedLabels {
        links_form: Links::for_values(graph.most_arcs(), longest)?,
        first: Vec::with_capacity(labels.len() + 1),
        words: Vec::with_capacity(count),
        links: Vec::with_capacity(count),
    };
    for (id, list) in labels.iter().enumerate() {
        packed.first.push(u32::try_from(packed.words.len()).ok()?);
        let arcs = graph.arcs(id as u32);
        for label in list {
            let (mut arc, mut position) = (0, 0);
            if label.next as usize != id {
                arc = arcs.binary_search_by_key(&label.next, |a| a.target).ok()?;
                position = labels[label.next as usize]
                    .binary_search_by_key(&label.hub, |l| l.hub)
                    .ok()?;
            }
            packed.words.push(word(label.hub, label.distance));
            packed.links.push(packed.links_form.pack(arc, position));
        }
    }
    packed.first.push(u32::try_from(packed.words.len()).ok()?);
    Some(packed)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn fields_come_back() {
        let w = word(65_999, 8_765_432);
        assert_eq!((hub(w), distance(w)), (65_999, 8_765_432));
        let links = Links::for_values(40, 300).expect("they fit");
        let link = links.pack(33, 299);
        assert_eq!((links.arc(link), links.position(link)), (33, 299));
        assert_eq!(Links::from_number(links.to_number()), Some(links));
        assert_eq!(Links::for_values(1 << 20, 1 << 20), None);
        assert_eq!(Links::from_number(32), None);
    }
}
