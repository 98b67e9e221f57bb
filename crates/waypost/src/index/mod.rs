//! Indexes: built off-line from a map, saved as artifacts, opened again with their map checked, shared by all agents.

pub mod auto;
mod cell_regions;
pub mod climb_regions;
pub mod clique_regions;
pub mod cpd;
mod desks;
mod exact_paths;
pub mod hierarchy;
pub mod jump;
pub mod labels;
pub mod landmarks;
mod packed;
mod region_pairs;
pub mod sectors;
mod shards;
pub mod slot;
pub mod subgoals;
pub mod tables;

pub use crate::artifact::IndexKind;
pub use shards::ShardBuilder;

use crate::artifact::{AlignedBytes, Artifact, ArtifactError, Identity};
use crate::grid::ChangeSet;
use crate::map::Map;
use crate::progress::Progress;
use slot::{IndexState, Published, Repair, ReplaceError, Slot};
use std::any::Any;
use std::collections::BTreeMap;
use std::sync::{Arc, OnceLock};
use thiserror::Error;

/// An index to build: its kind and parameters as `key=value` texts in the order of keys, as artifacts record them.
#[derive(Clone, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct IndexRequest {
    /// What to build.
    pub kind: IndexKind,
    /// With which parameters; absent ones have their defaults.
    pub parameters: BTreeMap<String, String>,
}

/// Why an index could not be built.
#[derive(Debug, Error)]
pub enum BuildError {
    /// A parameter is unknown or has a bad value.
    #[error("`{key}={value}` for index `{index}`: expected {expected}")]
    BadParameter {
        /// The index.
        index: &'static str,
        /// The parameter.
        key: String,
        /// Its value.
        value: String,
        /// What would do.
        expected: String,
    },
    /// The map or its rules do not suit this index, or a limit would be passed.
    #[error("index `{index}` cannot be built here: {reason}")]
    Unsuitable {
        /// The index.
        index: &'static str,
        /// Why, and what to do instead.
        reason: String,
    },
    /// Whoever watched the progress wanted no more of it.
    #[error("the build was cancelled")]
    Cancelled,
}

/// A part of a build that is spread over machines: the `index`-th of `count`, counted from 1.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Shard {
    /// Which part, from 1.
    pub index: u32,
    /// Of how many.
    pub count: u32,
}

impl Shard {
    /// The build in one go.
    pub const WHOLE: Shard = Shard { index: 1, count: 1 };

    /// Which of this many pieces of work it takes.
    pub(crate) fn part_of(self, pieces: usize) -> std::ops::Range<usize> {
        let bound = |i: u32| (pieces as u64 * u64::from(i) / u64::from(self.count)) as usize;
        bound(self.index - 1)..bound(self.index)
    }
}

/// An index that is built or opened: immutable, shared by all agents of all threads.
pub trait Index: Any + Send + Sync + std::fmt::Debug {
    /// What kind it is.
    fn kind(&self) -> IndexKind;

    /// Which map it is of.
    fn identity(&self) -> Identity;

    /// All parameters that it was built with, defaults included.
    fn parameters(&self) -> &BTreeMap<String, String>;

    /// The artifact's bytes: the same for the same map and parameters, whatever the number of threads.
    fn to_bytes(&self) -> AlignedBytes;

    /// Bytes in memory, beyond the map.
    fn memory_bytes(&self) -> usize;

    /// How many records, rows, labels or regions it holds.
    fn records(&self) -> u64;

    /// Facts for people: `waypost verify` prints them.
    fn facts(&self) -> Vec<(String, String)> {
        Vec::new()
    }

    /// The index that this one has chosen, where it is a choice.
    fn inner(&self) -> Option<Arc<dyn Index>> {
        None
    }

    /// The kind of index that agents use: its own, or that of the one that it has chosen.
    fn used_kind(&self) -> IndexKind {
        self.inner().map_or(self.kind(), |inner| inner.kind())
    }

    /// How many operations of upkeep a rebuild stands for: after so many it is published. An estimate that is the same on
    /// every machine, in the weights of [`crate::agent::Meter`].
    fn rebuild_operations(&self, map: &Map) -> u64 {
        map.grid().passable_count() * 1_000
    }

    /// What agents need beside it, made by the thread that builds it, so that no move has to: for its map with all doors open.
    fn prepared(&self, open_map: &Map) -> Option<Prepared> {
        let _ = open_map;
        None
    }

    /// What to do about a change of its map: see [`slot`]. The index itself stays as it is.
    fn repair(self: Arc<Self>, map: &Map, changes: &ChangeSet) -> Repair {
        let _ = (map, changes);
        Repair::Rebuild
    }
}

/// What an index has prepared for those that will use it ([`Index::prepared`]).
pub type Prepared = Box<dyn Any + Send>;

/// Builds an index of one kind.
pub type BuildFunction =
    fn(&Map, &IndexRequest, Shard, &dyn Progress) -> Result<Arc<dyn Index>, BuildError>;
/// Opens an index of one kind.
pub type OpenFunction = fn(&Artifact, &Map) -> Result<Arc<dyn Index>, ArtifactError>;
/// Joins the shards of one build.
pub type MergeFunction = fn(&[Artifact]) -> Result<AlignedBytes, ArtifactError>;

/// A kind of index that can be built and opened. Each is described in the file that implements it.
pub struct IndexType {
    /// What kind it is.
    pub kind: IndexKind,
    /// One line for people.
    pub about: &'static str,
    /// The parameters that a build takes, each with one line for people that names its default.
    pub keys: &'static [(&'static str, &'static str)],
    /// Builds it. Kinds that cannot be sharded refuse every shard but [`Shard::WHOLE`].
    pub build: BuildFunction,
    /// Opens it from a checked artifact of its kind, whose map has been checked too.
    pub open: OpenFunction,
    /// Joins all shards of one build, given in any order; `None` where the kind cannot be sharded.
    pub merge: Option<MergeFunction>,
}

/// Every kind that this version can build.
// One a line, so that lists merge.
#[rustfmt::skip]
pub static INDEX_TYPES: &[&IndexType] = &[
    &subgoals::SUBGOALS,
    &jump::INDEX_TYPE,
    &labels::INDEX_TYPE,
    &sectors::SECTORS,
    &auto::AUTO,
    &hierarchy::HIERARCHY,
    &clique_regions::REGIONS,
    &landmarks::LANDMARKS,
    &tables::TABLES,
    &cpd::CPD,
    &climb_regions::CLIMB_REGIONS,
];

impl IndexType {
    /// The type of a kind.
    pub fn of(kind: IndexKind) -> Option<&'static IndexType> {
        INDEX_TYPES.iter().find(|t| t.kind == kind).copied()
    }
}

impl IndexRequest {
    /// An index with default parameters.
    pub fn new(kind: IndexKind) -> IndexRequest {
        IndexRequest {
            kind,
            parameters: BTreeMap::new(),
        }
    }

    /// With one more parameter.
    pub fn with(mut self, key: &str, value: impl ToString) -> IndexRequest {
        self.parameters.insert(key.to_string(), value.to_string());
        self
    }

    /// A parameter's value, or the default where it is absent.
    pub fn value<T: std::str::FromStr>(
        &self,
        key: &str,
        default: T,
        expected: &str,
        fits: impl Fn(&T) -> bool,
    ) -> Result<T, BuildError> {
        let Some(text) = self.parameters.get(key) else {
            return Ok(default);
        };
        let value = text.parse().ok().filter(|value| fits(value));
        value.ok_or_else(|| self.bad(key, text, expected))
    }

    fn bad(&self, key: &str, value: &str, expected: &str) -> BuildError {
        BuildError::BadParameter {
            index: self.kind.name(),
            key: key.to_string(),
            value: value.to_string(),
            expected: expected.to_string(),
        }
    }
}

/// Builds an index after checking that its kind has all the parameters asked for.
pub fn build(
    map: &Map,
    request: &IndexRequest,
    shard: Shard,
    progress: &dyn Progress,
) -> Result<Arc<dyn Index>, BuildError> {
    let index_type = checked(map, request, shard)?;
    let built = (index_type.build)(&map.with_doors_open(), request, shard, progress);
    if progress.is_cancelled() {
        return Err(BuildError::Cancelled);
    }
    built
}

/// The type of an index, where it can be built with these parameters for this map.
fn checked(
    map: &Map,
    request: &IndexRequest,
    shard: Shard,
) -> Result<&'static IndexType, BuildError> {
    let unsuitable = |reason: &str| BuildError::Unsuitable {
        index: request.kind.name(),
        reason: reason.to_string(),
    };
    let index_type =
        IndexType::of(request.kind).ok_or_else(|| unsuitable("this kind is not there yet"))?;
    for (key, value) in &request.parameters {
        if !index_type.keys.iter().any(|(known, _)| known == key) {
            let known: Vec<_> = index_type.keys.iter().map(|(known, _)| *known).collect();
            return Err(request.bad(key, value, &format!("one of: {}", known.join(", "))));
        }
    }
    if index_type.merge.is_none() && shard != Shard::WHOLE {
        return Err(unsuitable("it is built in one go; leave --shard out"));
    }
    if request.kind.needs_uniform_moves() && !map.is_uniform() {
        return Err(unsuitable(&format!(
            "{NOT_UNIFORM}; build `sectors`, `cpd` or `landmarks`"
        )));
    }
    Ok(index_type)
}

/// For the pieces of a build: an error where whoever watches wants no more of it. The first one ends the others.
pub(crate) fn unless_cancelled(progress: &dyn Progress) -> Result<(), BuildError> {
    match progress.is_cancelled() {
        true => Err(BuildError::Cancelled),
        false => Ok(()),
    }
}

/// Why jump points, corners and labels are refused on a map.
pub(crate) const NOT_UNIFORM: &str = "jump points and corners need moves that go eight ways and cost the same everywhere, \
    and this map has four ways or terrain";

/// Opens an artifact of any kind for a map.
pub fn open(artifact: &Artifact, map: &Map) -> Result<Arc<dyn Index>, ArtifactError> {
    artifact.check_map(map)?;
    if artifact.kind().needs_uniform_moves() && !map.is_uniform() {
        return Err(ArtifactError::malformed(NOT_UNIFORM));
    }
    let index_type = IndexType::of(artifact.kind()).ok_or_else(|| {
        ArtifactError::malformed(format!(
            "this version cannot open `{}`",
            artifact.kind().name()
        ))
    })?;
    (index_type.open)(artifact, &map.with_doors_open())
}

/// The indexes at hand for agents. Cloning shares them, and with them what becomes of them as the map changes.
#[derive(Clone, Debug, Default)]
pub struct Indexes {
    given: Vec<Arc<Entry>>,
    /// Each with the request that it was built for.
    built: Vec<(IndexRequest, Arc<Entry>)>,
}

/// An index as it was added, and its slot once something on a map uses it.
#[derive(Debug)]
struct Entry {
    index: Arc<dyn Index>,
    slot: OnceLock<Arc<Slot>>,
}

impl Entry {
    fn new(index: Arc<dyn Index>) -> Arc<Entry> {
        let slot = OnceLock::new();
        Arc::new(Entry { index, slot })
    }

    fn fork(&self) -> Arc<Entry> {
        let forked = OnceLock::new();
        if let Some(slot) = self.slot.get() {
            let _ = forked.set(slot.fork());
        }
        Arc::new(Entry {
            index: self.index.clone(),
            slot: forked,
        })
    }
}

impl Indexes {
    /// None yet.
    pub fn new() -> Indexes {
        Indexes::default()
    }

    /// Adds one that somebody has chosen: it serves every request whose parameters it has. Later ones come first when an
    /// agent looks for its index.
    pub fn add(&mut self, index: Arc<dyn Index>) {
        self.given.push(Entry::new(index));
    }

    /// Adds one that was built because this request was not served: it serves the same request and no other, so that what
    /// an agent gets does not depend on what else is asked for.
    pub fn add_built(&mut self, request: IndexRequest, index: Arc<dyn Index>) {
        self.built.push((request, Entry::new(index)));
    }

    /// The same indexes for another world: what becomes of them there does not concern this one.
    pub fn fork(&self) -> Indexes {
        let built = self.built.iter();
        Indexes {
            given: self.given.iter().map(|entry| entry.fork()).collect(),
            built: built.map(|(r, entry)| (r.clone(), entry.fork())).collect(),
        }
    }

    fn entry(&self, request: &IndexRequest) -> Option<&Arc<Entry>> {
        let built = self.built.iter().find(|(for_this, _)| for_this == request);
        let given = self.given.iter().rev();
        given
            .chain(built.map(|(_, entry)| entry))
            .find(|entry| fits(entry.index.as_ref(), request))
    }

    /// The index, as it was added, whose parameters agree with all that the request names.
    pub fn get(&self, request: &IndexRequest) -> Option<&Arc<dyn Index>> {
        self.entry(request).map(|entry| &entry.index)
    }

    /// The slot of the index whose parameters agree with all that the request names, for use on a map; refused where the index is
    /// of another map.
    pub fn slot(&self, map: &Map, request: &IndexRequest) -> Result<Arc<Slot>, String> {
        let name = request.kind.name();
        let entry = self.entry(request).ok_or_else(|| {
            let parameters = request.parameters.iter();
            let with: String = parameters
                .map(|(key, value)| format!(" --{key} {value}"))
                .collect();
            format!("it needs a `{name}` index; build one with `waypost build {name}{with}`")
        })?;
        if let Some(slot) = entry.slot.get() {
            slot.check(map).map_err(|error| error.to_string())?;
            return Ok(slot.clone());
        }
        let slot = Slot::new(map, entry.index.clone(), request.clone());
        let slot = slot.map_err(|error| error.to_string())?;
        Ok(entry.slot.get_or_init(|| slot).clone())
    }

    /// The index of the moment in that slot, as its own type `T`.
    pub fn find<T: Index>(&self, map: &Map, request: &IndexRequest) -> Result<Arc<T>, String> {
        let index = self.slot(map, request)?.index() as Arc<dyn Any + Send + Sync>;
        index
            .downcast()
            .map_err(|_| format!("the `{}` index is of another type", request.kind.name()))
    }

    /// Whether there is an index that fits the request.
    pub fn has(&self, request: &IndexRequest) -> bool {
        self.get(request).is_some()
    }

    /// All of them, as they were added.
    pub fn iter(&self) -> impl Iterator<Item = &Arc<dyn Index>> {
        self.entries().map(|entry| &entry.index)
    }

    fn entries(&self) -> impl Iterator<Item = &Arc<Entry>> {
        self.given
            .iter()
            .chain(self.built.iter().map(|(_, entry)| entry))
    }

    /// The slots of those that something uses.
    pub fn slots(&self) -> impl Iterator<Item = &Arc<Slot>> {
        self.entries().filter_map(|entry| entry.slot.get())
    }

    /// Counts the replacements of all indexes together.
    #[inline]
    pub fn version(&self) -> u64 {
        self.slots().map(|slot| slot.version()).sum()
    }

    /// The states of the indexes that are used.
    pub fn states(&self) -> impl Iterator<Item = (IndexKind, IndexState)> + '_ {
        self.slots().map(|slot| (slot.kind(), slot.index_state()))
    }

    /// Lets every slot look at the map ([`Slot::follow`]).
    pub fn follow(&self, map: &Map) {
        self.slots().for_each(|slot| slot.follow(map));
    }

    /// Carries repairs and rebuilds of every slot on for about this many operations; says what was published last.
    pub fn advance(&self, map: &Map, operations: u64, lockstep: bool) -> Option<Published> {
        let advanced = self
            .slots()
            .map(|slot| slot.advance(map, operations, lockstep));
        advanced.fold(None, |last, published| published.or(last))
    }

    /// Begins again with the indexes as they were added, for the map that they are of, doors aside.
    pub(crate) fn restart(&self, map: &Map) {
        for entry in self.entries() {
            if let Some(slot) = entry.slot.get() {
                slot.restart(map, entry.index.clone());
            }
        }
    }

    /// Puts into the slots what they had when the map was last as it is now.
    pub(crate) fn put_back(&self, map: &Map, kept: Vec<slot::Held>) {
        for (slot, kept) in self.slots().zip(kept) {
            slot.put_back(map, kept);
        }
    }

    /// Brings what is kept beside the indexes in step with the map.
    pub(crate) fn catch_up(&self, map: &Map) {
        self.slots().for_each(|slot| slot.catch_up(map));
    }

    /// Takes an index that was built for the map as it is in the place of the one of its kind; an error where nothing uses one.
    pub fn replace(&self, map: &Map, index: Arc<dyn Index>) -> Result<(), ReplaceError> {
        let of_kind = || self.slots().filter(|slot| slot.kind() == index.kind());
        let is_like_it = |slot: &&Arc<Slot>| slot.index().parameters() == index.parameters();
        let mut slots: Vec<&Arc<Slot>> = of_kind().collect();
        if slots.len() > 1 {
            slots.retain(is_like_it);
            if slots.is_empty() {
                return Err(ReplaceError::OtherParameters {
                    kind: index.kind().name(),
                });
            }
        }
        if slots.is_empty() {
            return Err(ReplaceError::OtherKind {
                found: index.kind().name(),
                expected: self
                    .slots()
                    .next()
                    .map_or("none", |slot| slot.kind().name()),
            });
        }
        let mut slots = slots.into_iter();
        slots.try_for_each(|slot| slot.replace(map, index.clone()))
    }
}

/// What to ask for to get such an index again, for another map: the parameters that it was built with, named in the request or not.
pub(crate) fn request_again(index: &dyn Index, request: &IndexRequest) -> IndexRequest {
    let mut again = request.clone();
    let keys = IndexType::of(index.kind()).map_or(&[][..], |index_type| index_type.keys);
    for (key, value) in index.parameters() {
        if keys.iter().any(|(known, _)| known == key) {
            again.parameters.insert(key.clone(), value.clone());
        }
    }
    again
}

pub(crate) fn fits(index: &dyn Index, request: &IndexRequest) -> bool {
    index.kind() == request.kind
        && request
            .parameters
            .iter()
            .all(|(key, value)| index.parameters().get(key) == Some(value))
}
