//! The lists of labels: for every corner its hubs in the order of ranks, and the cost to each.
//!
//! Queries read these two arrays and nothing else until they know where the ends meet. A hub's rank is kept in 16 bits.
//! Where there are more corners than that, ranks are cut into **pages** of 65,536: every corner has a list for each page.

use super::labelling::Label;
use crate::artifact::Array;
use crate::cost::Cost;
use std::ops::Range;

/// Ranks of a page.
pub const PAGE: usize = 1 << 16;

/// How many pages the ranks of this many corners take.
pub fn pages(corners: usize) -> usize {
    corners.div_ceil(PAGE).max(1)
}

/// The lists of all corners in one.
#[derive(Clone, Debug)]
pub struct Lists {
    pages: usize,
    /// By corner and page, and one more.
    first: Array<u32>,
    hubs: Array<u16>,
    distances: Array<Cost>,
}

impl Lists {
    /// Lays the labels of all corners out, and what they keep of the numbers of arcs beside them; `None` where there are more than 32 bits count.
    pub fn pack(labels: Vec<Vec<Label>>) -> Option<(Lists, Vec<u8>)> {
        let pages = pages(labels.len());
        let count = labels.iter().map(Vec::len).sum();
        u32::try_from(count).ok()?;
        let mut first = Vec::with_capacity(labels.len() * pages + 1);
        let mut hubs = Vec::with_capacity(count);
        let mut distances = Vec::with_capacity(count);
        let mut arcs = Vec::with_capacity(count);
        for list in labels {
            let mut from = 0;
            for page in 1..=pages {
                first.push((hubs.len() + from) as u32);
                from = list.partition_point(|label| label.hub() < page * PAGE);
            }
            hubs.extend(list.iter().map(|label| label.hub() as u16));
            distances.extend(list.iter().map(|label| label.distance));
            arcs.extend(list.iter().map(|label| label.arc()));
        }
        first.push(count as u32);
        let lists = Lists {
            pages,
            first: Array::from_vec(first),
            hubs: Array::from_vec(hubs),
            distances: Array::from_vec(distances),
        };
        Some((lists, arcs))
    }

    /// Lists from a file; says what is wrong with them.
    pub fn checked(
        corners: usize,
        first: Array<u32>,
        hubs: Array<u16>,
        distances: Array<Cost>,
    ) -> Result<Lists, String> {
        let pages = pages(corners);
        let fit = hubs.len() == distances.len()
            && first.len() == corners * pages + 1
            && first.first() == Some(&0)
            && first.last().map(|&end| end as usize) == Some(hubs.len())
            && first.windows(2).all(|pair| pair[0] <= pair[1]);
        if !fit {
            return Err(format!("the lists of labels do not fit {corners} corners"));
        }
        let ranks: &[u16] = &hubs;
        for list in 0..corners * pages {
            let ranks = &ranks[first[list] as usize..first[list + 1] as usize];
            let last = ranks.last().map_or(0, |&rank| usize::from(rank));
            if !ranks.is_sorted_by(|a, b| a < b) || list % pages * PAGE + last >= corners.max(1) {
                let corner = list / pages;
                return Err(format!("the hubs of corner {corner} are not in order"));
            }
        }
        Ok(Lists {
            pages,
            first,
            hubs,
            distances,
        })
    }

    /// Whether every list ends with a cost of 0 and has no other, there being so many hubs: where each of these is a corner's own label, which comes
    /// last.
    pub fn ends_are_marked(&self, hubs: usize) -> bool {
        self.pages == 1 && self.first.len() == hubs + 1
    }

    /// Where lists begin that end with a cost of 0 each.
    pub fn firsts(distances: &[Cost]) -> Array<u32> {
        let ends = (1..).zip(distances).filter(|&(_, &cost)| cost == 0);
        Array::from_vec([0].into_iter().chain(ends.map(|(end, _)| end)).collect())
    }

    /// The lists as plain slices: taken once per query.
    #[inline]
    pub fn view(&self) -> ListsView<'_> {
        ListsView {
            pages: self.pages,
            first: &self.first,
            hubs: &self.hubs,
            distances: &self.distances,
        }
    }

    /// How many labels.
    pub fn count(&self) -> usize {
        self.hubs.len()
    }

    /// The longest list.
    pub fn longest(&self) -> usize {
        let view = self.view();
        let corners = (view.first.len() - 1) / self.pages;
        (0..corners as u32)
            .map(|corner| view.labels(corner).len())
            .max()
            .unwrap_or(0)
    }

    /// Bytes of the lists of this many corners beside their labels.
    pub fn bytes_without_labels(corners: usize) -> u64 {
        (corners * pages(corners) + 1) as u64 * 4
    }

    /// Bytes in memory and in files.
    pub fn bytes(&self) -> usize {
        self.first.len() * 4 + self.count() * 6
    }

    /// The arrays, as files hold them.
    pub fn arrays(&self) -> (&[u32], &[u16], &[Cost]) {
        (&self.first, &self.hubs, &self.distances)
    }
}

/// Some labels of a page: their hubs, less the page's first, and the costs to them.
pub type Part<'a> = (&'a [u16], &'a [Cost]);

/// Slices of the lists.
#[derive(Clone, Copy)]
pub struct ListsView<'a> {
    pub pages: usize,
    first: &'a [u32],
    hubs: &'a [u16],
    distances: &'a [Cost],
}

impl<'a> ListsView<'a> {
    /// How many labels in all.
    pub fn count(self) -> usize {
        self.hubs.len()
    }

    /// The places of a corner's labels.
    #[inline]
    pub fn labels(self, corner: u32) -> Range<usize> {
        let from = corner as usize * self.pages;
        self.first[from] as usize..self.first[from + self.pages] as usize
    }

    /// The hubs of one page in a corner's list, less the page's first, and the costs to them.
    #[inline]
    pub fn page(self, corner: u32, page: usize) -> Part<'a> {
        let labels = self.page_labels(corner, page);
        (&self.hubs[labels.clone()], &self.distances[labels])
    }

    /// Those of the ranks of a page in a range, less the page's first.
    #[inline]
    pub fn part(self, corner: u32, page: usize, ranks: Range<usize>) -> Part<'a> {
        let (hubs, distances) = self.page(corner, page);
        let before = |rank: usize| hubs.partition_point(|&hub| usize::from(hub) < rank);
        let labels = before(ranks.start)..before(ranks.end);
        (&hubs[labels.clone()], &distances[labels])
    }

    /// The labels of one page in a corner's list.
    #[inline]
    pub fn page_labels(self, corner: u32, page: usize) -> Range<usize> {
        let list = corner as usize * self.pages + page;
        self.first[list] as usize..self.first[list + 1] as usize
    }

    /// A corner's hubs and the costs to them, in the order of ranks.
    pub fn hubs(self, corner: u32) -> impl Iterator<Item = (usize, Cost)> + 'a {
        (0..self.pages).flat_map(move |page| {
            let (hubs, distances) = self.page(corner, page);
            let ranks = hubs.iter().map(move |&hub| page * PAGE + usize::from(hub));
            ranks.zip(distances.iter().copied())
        })
    }

    /// The rank of a label's hub.
    pub fn rank(self, corner: u32, label: usize) -> usize {
        let in_page = |&page: &usize| label < self.page_labels(corner, page).end;
        let page = (0..self.pages).find(in_page).unwrap_or(0);
        page * PAGE + usize::from(self.hubs[label])
    }

    /// The corner whose list holds a label.
    pub fn corner_of(self, label: usize) -> Option<u32> {
        let list = self.first.partition_point(|&first| first as usize <= label);
        let corner = list.checked_sub(1)? / self.pages;
        (label < self.count()).then_some(corner as u32)
    }

    /// The cost of a label.
    #[inline]
    pub fn distance(self, label: usize) -> Cost {
        self.distances[label]
    }

    /// The first of them.
    #[inline]
    pub fn page_start(self, corner: u32, page: usize) -> usize {
        self.first[corner as usize * self.pages + page] as usize
    }

    /// The hub of a label, less the first of its page.
    #[inline]
    pub fn hub(self, label: usize) -> Option<u16> {
        self.hubs.get(label).copied()
    }

    /// The label of a hub in a corner's list.
    #[inline]
    pub fn find(self, corner: u32, hub: usize) -> Option<usize> {
        let labels = self.page_labels(corner, hub / PAGE);
        let (hubs, hub) = (&self.hubs[labels.clone()], (hub % PAGE) as u16);
        let at = hubs.partition_point(|&other| other < hub);
        (hubs.get(at) == Some(&hub)).then_some(labels.start + at)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn hubs_of_every_page_come_back() {
        let count = PAGE + 300;
        let label = |hub, distance| Label::new(hub, distance, 300);
        let mut labels = vec![Vec::new(); count];
        let lists: [&[(u32, Cost)]; 3] = [
            &[(0, 7), (65_535, 8), (65_536, 9), (65_835, 1 << 31)],
            &[(65_700, 3)],
            &[],
        ];
        for (list, hubs) in labels.iter_mut().zip(lists) {
            list.extend(hubs.iter().map(|&(hub, distance)| label(hub, distance)));
        }
        let (packed, arcs) = Lists::pack(labels).expect("few labels");
        assert_eq!(arcs, [44; 5]);
        let view = packed.view();
        for (corner, hubs) in lists.into_iter().enumerate() {
            let found: Vec<_> = view.hubs(corner as u32).collect();
            let expected: Vec<_> = hubs.iter().map(|&(h, d)| (h as usize, d)).collect();
            assert_eq!(found, expected);
            for &(hub, distance) in hubs {
                let label = view.find(corner as u32, hub as usize).expect("it is there");
                assert_eq!(view.distance(label), distance);
            }
            assert_eq!(view.find(corner as u32, 70), None);
        }
        let (first, hubs, distances) = packed.arrays();
        let again = |first: &[u32], hubs: &[u16]| {
            let arrays = (Array::from_slice(first), Array::from_slice(hubs));
            Lists::checked(count, arrays.0, arrays.1, Array::from_slice(distances))
        };
        assert!(again(first, hubs).is_ok());
        assert!(again(&first[1..], hubs).is_err());
        let mut beyond = hubs.to_vec();
        beyond[3] = 300;
        assert!(again(first, &beyond).is_err(), "rank {count} is none");
    }
}
