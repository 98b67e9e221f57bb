//! How many labels a file of a given length has room for: counted as the file is written, header, table and gaps included.

use super::graph::CornerGraph;
use super::labelling::{self, Label};
use super::lists::Lists;
use super::trees::HubTrees;
use super::{BuildError, IndexKind};
use crate::artifact::{Header, file_bytes};
use crate::progress::Progress;

/// The most bytes that lie between the sections of a file and after them.
const GAPS: u64 = 9 * 64;

/// What the file of labels takes beside them.
pub struct Room<'a> {
    header: &'a Header,
    corners: usize,
}

impl<'a> Room<'a> {
    /// The room of labels for this many corners.
    pub fn new(header: &'a Header, corners: usize) -> Room<'a> {
        Room { header, corners }
    }

    /// Bytes of the file of so many labels; `far` and `long` are the numbers that the trees keep in lists of their own.
    fn bytes(&self, labels: u64, [far, long]: [u64; 2]) -> u64 {
        let lists = [2, 4].map(|width| width * labels);
        let trees = [4, 4, 2].map(|width| width * labels);
        let first = Lists::bytes_without_labels(self.corners);
        let lengths = [&[first][..], &lists, &trees, &[4 * far, 4 * long]].concat();
        file_bytes(self.header, &lengths)
    }

    /// Bytes of the file of lists and trees.
    pub fn bytes_of(&self, lists: &Lists, trees: &HubTrees) -> u64 {
        self.bytes(lists.count() as u64, trees.exceptions())
    }

    /// The most labels whose file takes no more than this, but for what trees keep in lists of their own; `None` where the file of none takes more.
    pub fn labels(&self, bytes: u64) -> Option<u64> {
        let rest = bytes.checked_sub(self.bytes(0, [0; 2]))?;
        // Labels may lie where the file of none has gaps.
        let most = rest.saturating_add(GAPS) / super::LABEL_BYTES;
        let fits = |labels: &u64| self.bytes(*labels, [0; 2]) <= bytes;
        (0..=most.min(u64::from(u32::MAX))).rev().find(fits)
    }

    /// The labels of as many hubs as a file of this length has room for, but for what trees keep in lists of their own ([`Room::cut`]), and how
    /// many hubs those are.
    pub fn fill(
        &self,
        graph: &CornerGraph,
        order: &[u32],
        bytes: u64,
        progress: &dyn Progress,
    ) -> Result<(Vec<Vec<Label>>, usize), BuildError> {
        let most = self.labels(bytes);
        match labelling::label(graph, order, most.unwrap_or(0), progress) {
            Ok(labels) if most.is_some() => Ok((labels, order.len())),
            Ok(_) => Err(refused(bytes, self.bytes(0, [0; 2]))),
            Err(passed) if passed.hubs > 0 => Ok((passed.labels, passed.hubs)),
            Err(passed) => Err(refused(bytes, self.bytes(passed.count, [0; 2]))),
        }
    }

    /// Leaves the labels of as many hubs as a file of this length has room for, of those of so many hubs that take more; how many those are.
    pub fn cut(
        &self,
        graph: &CornerGraph,
        labels: &mut [Vec<Label>],
        hubs: usize,
        bytes: u64,
    ) -> Result<usize, BuildError> {
        let bytes_of = |hubs: usize| {
            let mut few = labels.to_vec();
            keep(&mut few, hubs);
            let count: usize = few.iter().map(Vec::len).sum();
            self.bytes(count as u64, HubTrees::plant(graph, &few).exceptions())
        };
        let (mut fitting, mut too_many) = (0, hubs);
        while too_many - fitting > 1 {
            let middle = fitting.midpoint(too_many);
            match bytes_of(middle) <= bytes {
                true => fitting = middle,
                false => too_many = middle,
            }
        }
        if fitting == 0 {
            return Err(refused(bytes, bytes_of(1)));
        }
        keep(labels, fitting);
        Ok(fitting)
    }
}

fn refused(bytes: u64, needed: u64) -> BuildError {
    BuildError::Unsuitable {
        index: IndexKind::Labels.name(),
        reason: format!(
            "labels cannot fit {bytes} bytes: those of one hub take {needed}; raise fit-bytes, or use jump-graph"
        ),
    }
}

/// Leaves the labels of the first hubs.
pub fn keep(labels: &mut [Vec<Label>], hubs: usize) {
    for list in labels {
        list.truncate(list.partition_point(|label| (label.hub as usize) < hubs));
    }
}
