//! Labels as 64-bit words: hub, distance, arc and position, from the highest bits to the lowest.
//!
//! The widths of the fields follow from the map and stand in the artifact. A word says at which hub a corner is how far,
//! which of the corner's arcs leads there, and where in the list of the next corner the same hub stands, so that a path is
//! followed without a search.

use super::graph::CornerGraph;
use super::labelling::Label;
use crate::cost::Cost;

/// The widths of the lower three fields; the hub has the rest.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Fields {
    distance_bits: u32,
    arc_bits: u32,
    position_bits: u32,
}

impl Fields {
    /// Widths that hold the largest values; `None` where they do not fit in a word together.
    pub fn for_values(corners: u64, distance: u64, arcs: u64, labels: u64) -> Option<Fields> {
        let width = |value: u64| 64 - value.leading_zeros();
        let fields = Fields {
            distance_bits: width(distance),
            arc_bits: width(arcs),
            position_bits: width(labels),
        };
        (fields.distance_bits <= 32
            && fields.arc_bits <= 32
            && fields.position_bits <= 32
            && width(corners) + fields.lower_bits() <= 64
            && fields.lower_bits() < 64)
            .then_some(fields)
    }

    /// The widths as they stand in the artifact.
    pub fn to_numbers(self) -> [u32; 3] {
        [self.distance_bits, self.arc_bits, self.position_bits]
    }

    /// Widths from an artifact; `None` where they are impossible.
    pub fn from_numbers(numbers: &[u32]) -> Option<Fields> {
        let &[distance_bits, arc_bits, position_bits] = numbers else {
            return None;
        };
        let fields = Fields {
            distance_bits,
            arc_bits,
            position_bits,
        };
        (numbers.iter().all(|&bits| bits <= 32) && fields.lower_bits() < 64).then_some(fields)
    }

    #[inline]
    fn lower_bits(self) -> u32 {
        self.distance_bits + self.arc_bits + self.position_bits
    }

    fn pack(self, hub: u32, distance: Cost, arc: u32, position: u32) -> u64 {
        let mut word = u64::from(hub) << self.distance_bits | u64::from(distance);
        word = word << self.arc_bits | u64::from(arc);
        word << self.position_bits | u64::from(position)
    }

    /// The hub's rank.
    #[inline]
    pub fn hub(self, word: u64) -> usize {
        (word >> self.lower_bits()) as usize
    }

    /// The cost to the hub.
    #[inline]
    pub fn distance(self, word: u64) -> u64 {
        word >> (self.arc_bits + self.position_bits) & ((1 << self.distance_bits) - 1)
    }

    /// The arc towards the hub.
    #[inline]
    pub fn arc(self, word: u64) -> usize {
        (word >> self.position_bits) as usize & ((1 << self.arc_bits) - 1)
    }

    /// Where the hub stands among the next corner's labels.
    #[inline]
    pub fn position(self, word: u64) -> usize {
        word as usize & ((1 << self.position_bits) - 1)
    }

    /// The least word of a hub: words of a list are in the order of hubs.
    #[inline]
    pub fn first_of(self, hub: usize) -> u64 {
        (hub as u64) << self.lower_bits()
    }
}

/// All lists in one.
pub struct PackedLabels {
    pub fields: Fields,
    pub first: Vec<u32>,
    pub words: Vec<u64>,
}

/// Packs the labels of all corners; `None` where the fields do not fit.
pub fn pack(graph: &CornerGraph, labels: &[Vec<Label>]) -> Option<PackedLabels> {
    let all = || labels.iter().flatten();
    let fields = Fields::for_values(
        graph.len() as u64,
        all().map(|l| u64::from(l.distance)).max().unwrap_or(0),
        graph.most_arcs() as u64,
        labels
            .iter()
            .map(|list| list.len() as u64)
            .max()
            .unwrap_or(0),
    )?;
    let mut packed = PackedLabels {
        fields,
        first: Vec::with_capacity(labels.len() + 1),
        words: Vec::with_capacity(all().count()),
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
            packed
                .words
                .push(fields.pack(label.hub, label.distance, arc as u32, position as u32));
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
        let fields = Fields::for_values(70_000, 9_000_000, 40, 300).expect("they fit");
        let word = fields.pack(65_999, 8_765_432, 33, 299);
        assert_eq!(fields.hub(word), 65_999);
        assert_eq!(fields.distance(word), 8_765_432);
        assert_eq!(fields.arc(word), 33);
        assert_eq!(fields.position(word), 299);
        assert!(fields.first_of(65_999) <= word && word < fields.first_of(66_000));
        assert_eq!(Fields::from_numbers(&fields.to_numbers()), Some(fields));
        assert_eq!(Fields::for_values(1 << 30, 1 << 31, 1 << 10, 1 << 10), None);
        assert_eq!(Fields::from_numbers(&[33, 0, 0]), None);
        assert_eq!(Fields::from_numbers(&[32, 32, 0]), None);
        assert_eq!(Fields::from_numbers(&[1, 2]), None);
    }
}
