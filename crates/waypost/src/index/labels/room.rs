//! How many labels a file of a given length has room for: counted as the file is written, header, table and gaps included.

use super::graph::CornerGraph;
use super::labelling::{self, Label};
use super::lists::{self, Lists};
use super::{BuildError, IndexKind};
use crate::artifact::{Header, file_bytes};
use crate::progress::Progress;

/// The most bytes that lie between the sections of a file and after them.
const GAPS: u64 = 9 * 64;

/// How the ways to hubs are kept.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Form {
    /// In trees.
    Trees,
    /// In steps.
    Steps,
    /// In steps, and every corner is a hub: lists end where a cost is 0, so that the file need not say where they begin.
    StepsOfAll,
}

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

    /// Bytes of the file of so many labels; `far` and `long` are the numbers that trees keep in lists of their own.
    pub fn bytes(&self, labels: u64, form: Form, [far, long]: [u64; 2]) -> u64 {
        let first = Lists::bytes_without_labels(self.corners);
        let lists = [first, 2 * labels, 4 * labels];
        let trees = [4 * labels, 4 * labels, 2 * labels, 4 * far, 4 * long];
        let lengths = match form {
            Form::Trees => [&lists[..], &trees].concat(),
            Form::Steps => [&lists[..], &[2 * labels]].concat(),
            Form::StepsOfAll => [&lists[1..], &[2 * labels]].concat(),
        };
        file_bytes(self.header, &lengths)
    }

    /// The most labels whose file takes no more than this, but for what trees keep in lists of their own; `None` where the file of none takes more.
    pub fn labels(&self, bytes: u64, form: Form) -> Option<u64> {
        let rest = bytes.checked_sub(self.bytes(0, form, [0; 2]))?;
        let each = match form {
            Form::Trees => super::LABEL_BYTES,
            Form::Steps | Form::StepsOfAll => 8,
        };
        // Labels may lie where the file of none has gaps.
        let most = rest.saturating_add(GAPS) / each;
        let fits = |labels: &u64| self.bytes(*labels, form, [0; 2]) <= bytes;
        (0..=most.min(u64::from(u32::MAX))).rev().find(fits)
    }

    /// The labels of as many hubs as a file of this length has room for with steps, and how many hubs those are.
    pub fn fill(
        &self,
        graph: &CornerGraph,
        order: &[u32],
        bytes: u64,
        progress: &dyn Progress,
    ) -> Result<(Vec<Vec<Label>>, usize), BuildError> {
        let few = self.labels(bytes, Form::Steps).unwrap_or(0);
        let all = match lists::pages(self.corners) {
            1 => self.labels(bytes, Form::StepsOfAll),
            _ => self.labels(bytes, Form::Steps),
        };
        let needed = |labels| refused(bytes, self.bytes(labels, Form::Steps, [0; 2]));
        match labelling::label(graph, order, all.unwrap_or(0), progress) {
            Ok(labels) if all.is_some() => Ok((labels, order.len())),
            Ok(_) => Err(needed(0)),
            // Where some hubs are left out, the file says where lists begin.
            Err(mut passed) => {
                let mut count: u64 = passed.labels.iter().map(|list| list.len() as u64).sum();
                let mut hubs = passed.hubs;
                while hubs > 0 && count > few {
                    hubs -= 1;
                    let last = |list: &&Vec<Label>| list.last().is_some_and(|l| l.hub() == hubs);
                    count -= passed.labels.iter().filter(last).count() as u64;
                    keep(&mut passed.labels, hubs);
                }
                match hubs {
                    0 => Err(needed(passed.count)),
                    hubs => Ok((passed.labels, hubs)),
                }
            }
        }
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
        list.truncate(list.partition_point(|label| label.hub() < hubs));
    }
}
