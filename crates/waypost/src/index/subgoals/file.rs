//! Subgoal databases as artifacts: whole ones in the order of the tree, shards in the order of their numbers.

use super::records::{RecordList, Records};
use super::tree::{is_tree, tree_order};
use super::{Method, SHARD_KEY, SubgoalDatabase, SubgoalParameters};
use crate::artifact::{AlignedBytes, Artifact, ArtifactError, ArtifactWriter};
use crate::grid::{Cell, Grid, Point};
use crate::index::Shard;
use crate::map::Map;
use std::collections::BTreeMap;
use std::ops::Range;

const ENDS: u32 = 1;
const INNER: u32 = 2;
const COUNTS: u32 = 3;
const BLOCKS: u32 = 4;

/// The numbers of the records in a shard.
pub(super) fn numbers_of(records: u32, shard: Shard) -> Range<u32> {
    let part = |i: u32| (u64::from(records) * u64::from(i) / u64::from(shard.count)) as u32;
    part(shard.index - 1)..part(shard.index)
}

/// The bytes of a database.
pub(super) fn to_bytes(database: &SubgoalDatabase) -> AlignedBytes {
    let records = database.records.slices();
    ArtifactWriter::new(database.header.clone())
        .section(ENDS, records.ends)
        .section(INNER, records.inner)
        .section(COUNTS, records.counts)
        .section(BLOCKS, records.blocks)
        .finish()
}

/// Opens a database and checks everything that an agent relies on: that records lie within their arrays, that all their
/// states are passable and connected, and that their order is the tree's.
pub(super) fn open(artifact: &Artifact, map: &Map) -> Result<SubgoalDatabase, ArtifactError> {
    let database = read(artifact)?;
    let components = map.components();
    let slices = database.records.slices();
    for record in 0..database.records.len() as u32 {
        let [start, end] = slices.ends[record as usize];
        let component = components.of(start);
        let good = component.is_some()
            && components.of(end) == component
            && slices
                .inner_of(record)
                .iter()
                .all(|&state| components.of(state) == component);
        if !good {
            return Err(ArtifactError::malformed(format!(
                "record {record} leads through cells that are not connected"
            )));
        }
    }
    let point = |cell| map.grid().point(cell);
    if database.shard() == Shard::WHOLE && !is_tree(slices.ends, &point) {
        return Err(ArtifactError::malformed(
            "the records are not in the order of their tree",
        ));
    }
    Ok(database)
}

/// Reads the arrays and parameters; checks them against each other, but not against a map.
fn read(artifact: &Artifact) -> Result<SubgoalDatabase, ArtifactError> {
    let header = artifact.header().clone();
    let (parameters, shard) = parameters_of(&header.parameters)?;
    let records = Records::from_arrays(
        artifact.section(ENDS)?,
        artifact.section(INNER)?,
        artifact.section(COUNTS)?,
        artifact.section(BLOCKS)?,
    )?;
    let expected = numbers_of(parameters.records, shard).len();
    if records.len() != expected {
        return Err(ArtifactError::malformed(format!(
            "{} records, expected {expected}",
            records.len()
        )));
    }
    let slices = records.slices();
    let singles = (0..records.len() as u32).all(|record| slices.state_count(record) == 3);
    let stands_still = |record: u32| {
        let [start, end] = slices.ends[record as usize];
        let inner = slices.inner_of(record);
        match (inner.first(), inner.last()) {
            (Some(&first), Some(&last)) => {
                first == start || last == end || inner.windows(2).any(|pair| pair[0] == pair[1])
            }
            _ => start == end,
        }
    };
    if parameters.method == Method::Jair2010 && (0..records.len() as u32).any(stands_still) {
        return Err(ArtifactError::malformed(
            "a record with the same state twice in a row",
        ));
    }
    if parameters.method == Method::Aiide2009 && !singles {
        return Err(ArtifactError::malformed(
            "a record of the 2009 method without exactly one subgoal",
        ));
    }
    Ok(SubgoalDatabase::new(header, records, shard))
}

fn parameters_of(
    texts: &BTreeMap<String, String>,
) -> Result<(SubgoalParameters, Shard), ArtifactError> {
    let mut own = texts.clone();
    let shard = match own.remove(SHARD_KEY) {
        None => Shard::WHOLE,
        Some(text) => {
            parse_shard(&text).ok_or_else(|| ArtifactError::malformed(format!("shard `{text}`")))?
        }
    };
    let parameters = SubgoalParameters::from_texts(&own)
        .filter(|parameters| parameters.texts() == own)
        .ok_or_else(|| ArtifactError::malformed(format!("parameters {texts:?}")))?;
    Ok((parameters, shard))
}

/// `2/4`. One part of one is no shard.
fn parse_shard(text: &str) -> Option<Shard> {
    let (index, count) = text.split_once('/')?;
    let shard = Shard {
        index: index.parse().ok()?,
        count: count.parse().ok()?,
    };
    (1 <= shard.index && shard.index <= shard.count && shard.count > 1).then_some(shard)
}

/// Joins all shards of a build, in any order: byte for byte the file of a build in one go.
pub(super) fn merge(artifacts: &[Artifact]) -> Result<AlignedBytes, ArtifactError> {
    let mut shards = artifacts.iter().map(read).collect::<Result<Vec<_>, _>>()?;
    shards.sort_by_key(|shard| shard.shard().index);
    let first = shards
        .first()
        .ok_or_else(|| ArtifactError::malformed("no shards to merge"))?;
    let (header, count) = (first.whole_header(), first.shard().count);
    for (shard, wanted) in shards.iter().zip(1..) {
        if shard.whole_header() != header || shard.shard().count != count {
            return Err(ArtifactError::malformed(
                "the shards are not of one build: map, rules, parameters and number of shards must agree",
            ));
        }
        // In order: one below its place is the one before it again.
        let index = shard.shard().index;
        if index != wanted {
            return Err(ArtifactError::malformed(match index < wanted {
                true => format!("shard {index}/{count} is given twice"),
                false => format!("shard {wanted}/{count} is missing"),
            }));
        }
    }
    if shards.len() != count as usize {
        return Err(ArtifactError::malformed(format!(
            "shard {}/{count} is missing",
            shards.len() + 1
        )));
    }
    let mut list = RecordList::default();
    for shard in &shards {
        list.append_records(&shard.records);
    }
    if list.is_too_large() {
        return Err(ArtifactError::malformed(
            "the shards hold more than 4 billion states",
        ));
    }
    let stride = Grid::stride_of(header.width);
    let records = in_tree_order(list, |cell| point_at(cell, stride));
    Ok(to_bytes(&SubgoalDatabase::new(
        header,
        records,
        Shard::WHOLE,
    )))
}

/// Where a cell is, known from the grid's stride alone: merging needs no map.
fn point_at(cell: Cell, stride: u32) -> Point {
    Point {
        x: (cell.0 % stride).wrapping_sub(1),
        y: (cell.0 / stride).wrapping_sub(1),
    }
}

/// Finishes records in the order that makes the tree.
pub(super) fn in_tree_order(list: RecordList, point: impl Fn(Cell) -> Point) -> Records {
    let order = tree_order(list.ends(), point);
    list.finish_in(&order)
}
