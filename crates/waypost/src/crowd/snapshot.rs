//! Snapshots: all of a crowd at one moment, to go back to or to go on from elsewhere.
//!
//! A [`Snapshot`] holds the walkers with their plans, who waits for a turn, who comes first, what agents have learned, and a [`Mark`] of
//! the world: its map and how far repairs are. Indexes are not in it. Within the process they are shared; bytes
//! ([`Snapshot::to_bytes`]) name the map and the indexes that they belong to, and are refused with others. After a restore the run
//! goes on as it did, byte for byte, on any machine.
//!
//! The world comes back with the crowd: others that walk in it have to be restored too.

use super::review::Review;
use super::traffic::{Knot, Track, Traffic, Watch};
use super::turns::Turns;
use super::walker::Walker;
use super::{Crowd, scratch_for};
use crate::agent::guide::Memo;
use crate::agent::{Agent, Context};
use crate::map::Map;
use crate::stream::{Reader, Writer};
use crate::world::{Mark, MarkError};
use thiserror::Error;
use xxhash_rust::xxh3::xxh3_64;

/// The first bytes of every snapshot.
const MAGIC: [u8; 8] = *b"WAYPSNP\n";
/// The format that this version writes, and the only one that it reads.
pub const VERSION: u32 = 8;
const CHECKSUM: usize = 8;
/// About what a walker takes.
const WALKER_BYTES: usize = 192;

/// Why a snapshot cannot be taken or restored.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
pub enum SnapshotError {
    /// The method's agents cannot be written down.
    #[error(
        "crowds of `{method}` have no snapshots; those of waypost, labels, sectors and of methods that plan whole paths have"
    )]
    NotOffered {
        /// The method.
        method: String,
    },
    /// Not a snapshot at all.
    #[error(
        "not a snapshot of a Waypost crowd: expected it to begin with \"WAYPSAV\" (a crowd of a world) or \"WAYPSNP\" (a crowd alone)"
    )]
    NotASnapshot,
    /// Written by another version.
    #[error("snapshot format {found} is not the one that this program reads ({VERSION})")]
    OtherVersion {
        /// The version of the bytes.
        found: u32,
    },
    /// Bytes are missing or have changed.
    #[error("the snapshot is damaged or cut off: {what}")]
    Damaged {
        /// What does not fit.
        what: &'static str,
    },
    /// It is of a crowd of another kind.
    #[error("the snapshot is of another crowd: {found}, and this one is {expected}")]
    OtherCrowd {
        /// What this crowd is.
        expected: String,
        /// What the snapshot says.
        found: String,
    },
    /// Map and indexes cannot be brought there.
    #[error("{0}")]
    World(#[from] MarkError),
}

/// A crowd and its world at one moment.
#[derive(Clone)]
pub struct Snapshot {
    pub(super) mark: Mark,
    /// The method, the rules and whether cells are shared.
    pub(super) kind: String,
    pub(super) walkers: Vec<u8>,
    pub(super) memo: Memo,
    /// Whether it was taken in this process.
    pub(super) is_own: bool,
}

impl std::fmt::Debug for Snapshot {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Snapshot")
            .field("kind", &self.kind)
            .field("bytes", &self.walkers.len())
            .finish_non_exhaustive()
    }
}

impl Snapshot {
    /// The snapshot for files and other machines.
    pub fn to_bytes(&self) -> Vec<u8> {
        let mut out = Writer::with_capacity(self.walkers.len() + self.memo.bytes.len() + 1024);
        out.raw(&MAGIC);
        out.u32(VERSION);
        out.text(&self.kind);
        self.mark.save(&mut out);
        for part in [&self.walkers, &self.memo.bytes] {
            out.u64(part.len() as u64);
            out.raw(part);
        }
        let mut bytes = out.into_bytes();
        let checksum = xxh3_64(&bytes);
        bytes.extend(checksum.to_le_bytes());
        bytes
    }

    /// Reads what [`Snapshot::to_bytes`] gave. That it belongs to a crowd is seen when it is restored.
    pub fn from_bytes(bytes: &[u8]) -> Result<Snapshot, SnapshotError> {
        let damaged = |what| SnapshotError::Damaged { what };
        let mut from = Reader::new(bytes);
        if from.raw(MAGIC.len()) != Some(&MAGIC) {
            return Err(SnapshotError::NotASnapshot);
        }
        let found = from.u32().ok_or(damaged("it ends in its head"))?;
        if found != VERSION {
            return Err(SnapshotError::OtherVersion { found });
        }
        let (body, sum) = bytes.split_at(bytes.len() - CHECKSUM.min(bytes.len()));
        if xxh3_64(body).to_le_bytes() != *sum {
            return Err(damaged("the checksum is wrong"));
        }
        let mut from = Reader::new(&body[MAGIC.len() + 4..]);
        let read = |from: &mut Reader| {
            let kind = from.text()?.to_string();
            let mark = Mark::load(from)?;
            let mut part = || {
                let length = from.count(1)?;
                Some(from.raw(length)?.to_vec())
            };
            let (walkers, bytes) = (part()?, part()?);
            let shared = None;
            let memo = Memo { bytes, shared };
            from.is_at_end().then_some(Snapshot {
                mark,
                kind,
                walkers,
                memo,
                is_own: false,
            })
        };
        read(&mut from).ok_or(damaged("a length inside is wrong"))
    }

    /// Bytes that it holds, what it shares with the crowd aside.
    pub fn memory_bytes(&self) -> usize {
        size_of::<Snapshot>() + self.walkers.capacity() + self.memo.bytes.capacity()
    }
}

impl<A: Agent<Map>> Crowd<A> {
    /// Writes down walkers and agents; `None` where the agents cannot be.
    pub(super) fn save(&self) -> Option<Vec<u8>> {
        let mut out = Writer::with_capacity(WALKER_BYTES * self.walkers.len() + 256);
        out.u64(self.seen);
        out.u64(self.ticks);
        out.u32(self.orders);
        out.u64(self.options.set_up_operations);
        out.u64(self.options.repair_operations);
        out.u64(self.walkers.len() as u64);
        for walker in &self.walkers {
            walker.save(&mut out);
        }
        out.u32s(self.free.iter().copied());
        out.u32s(self.followers.iter().copied());
        self.turns.save(&mut out);
        self.review.save(&mut out);
        if let Some(traffic) = &self.traffic {
            traffic.save(&mut out);
        }
        for agent in self.agents.iter().flatten() {
            if !agent.save(&mut out) {
                return None;
            }
        }
        Some(out.into_bytes())
    }

    /// Takes walkers and agents from what [`Crowd::save`] gave, on the map that they were on. Where that is no such thing the crowd
    /// stays as it is.
    pub(super) fn load(
        &mut self,
        map: &Map,
        from: &mut Reader,
        make: &mut impl FnMut(&Map) -> Result<A, String>,
    ) -> Result<(), &'static str> {
        let cut_off = "the list of walkers is cut off";
        let mut head = || {
            let (seen, ticks, orders) = (from.u64()?, from.u64()?, from.u32()?);
            Some((seen, ticks, orders, from.u64()?, from.u64()?))
        };
        let (seen, ticks, orders, set_up, repair) = head().ok_or(cut_off)?;
        let count = from.count(Walker::BYTES).ok_or(cut_off)?;
        let walkers: Option<Vec<Walker>> = (0..count).map(|_| Walker::load(map, from)).collect();
        let walkers = walkers.ok_or("a walker stands outside the map")?;
        let slots = |from: &mut Reader| {
            let slots = from.u32s()?;
            slots
                .iter()
                .all(|&slot| (slot as usize) < count)
                .then_some(slots)
        };
        let free = slots(from).ok_or("a place of a walker is wrong")?;
        let gone = |slot: &u32| !walkers[*slot as usize].is_there();
        let there = walkers.iter().filter(|walker| walker.is_there()).count();
        if !free.iter().all(gone) || free.len() + there != count {
            return Err("a place of a walker is free and taken");
        }
        let followers = slots(from).ok_or("a place of a walker is wrong")?;
        let turns = Turns::load(from, count).ok_or("the queues are wrong")?;
        let review = Review::load(from, count).ok_or("who is looked at next is wrong")?;
        let traffic = match &self.traffic {
            Some(_) => Some(Traffic::load(map, from, &walkers).ok_or("two walkers share a cell")?),
            None => None,
        };
        for (slot, walker) in walkers.iter().enumerate() {
            let track = traffic.as_ref().map(|traffic| traffic.tracks[slot].end());
            if walker.is_there() && !walker.leg_is_on(map, track.unwrap_or(walker.at)) {
                return Err("a walker walks off the map");
            }
        }
        // What this process has written down is sure to load: then the agents that are there will do.
        let mut agents = match from.is_own() {
            true => std::mem::take(&mut self.agents),
            false => Vec::with_capacity(count),
        };
        let loaded = self.load_agents(map, &walkers, from, make, &mut agents);
        if loaded.is_err() && from.is_own() {
            self.agents = agents;
            return loaded;
        }
        loaded?;
        if !from.is_at_end() {
            return Err("something follows its end");
        }
        (self.seen, self.ticks, self.orders) = (seen, ticks, orders);
        self.set_budget(set_up, repair);
        (self.walkers, self.agents, self.traffic) = (walkers, agents, traffic);
        (self.free, self.followers, self.turns) = (free, followers, turns);
        self.review = review;
        Ok(())
    }

    /// Loads the agents of these walkers; those that are missing are made first.
    fn load_agents(
        &mut self,
        map: &Map,
        walkers: &[Walker],
        from: &mut Reader,
        make: &mut impl FnMut(&Map) -> Result<A, String>,
        agents: &mut Vec<Option<A>>,
    ) -> Result<(), &'static str> {
        for (slot, _) in walkers.iter().enumerate().filter(|(_, w)| w.is_there()) {
            if agents.len() <= slot {
                agents.resize_with(slot + 1, || None);
            }
            if agents[slot].is_none() {
                let made = make(map).map_err(|_| "its agents cannot be made")?;
                agents[slot] = Some(made);
            }
        }
        agents.resize_with(walkers.len(), || None);
        let mut context = Context::new(map, scratch_for(&mut self.scratch, 0));
        for (agent, walker) in agents.iter_mut().zip(walkers) {
            match agent {
                Some(agent) if walker.is_there() => {
                    let loaded = agent.load(&mut context, from);
                    loaded.ok_or("an agent's plan is wrong")?;
                }
                _ => *agent = None,
            }
        }
        Ok(())
    }
}

impl Traffic {
    fn save(&self, out: &mut Writer) {
        out.u32s(self.order.iter().copied());
        out.u64(self.tracks.len() as u64);
        self.tracks.iter().for_each(|track| track.save(out));
        self.watches.iter().for_each(|watch| watch.save(out));
        out.u8(self.knot.is_some().into());
        if let Some(knot) = &self.knot {
            knot.save(out);
        }
    }

    fn load(map: &Map, from: &mut Reader, walkers: &[Walker]) -> Option<Traffic> {
        let mut traffic = Traffic::new(map);
        for slot in from.u32s()? {
            let walker = walkers.get(slot as usize).filter(|w| w.is_there())?;
            if !traffic.enter(slot, walker.at) {
                return None;
            }
        }
        let there = walkers.iter().filter(|walker| walker.is_there()).count();
        let tracks = from.count(Track::BYTES)?;
        if traffic.order.len() != there || tracks != walkers.len() {
            return None;
        }
        let tracks: Option<_> = (0..tracks).map(|_| Track::load(map, from)).collect();
        traffic.tracks = tracks?;
        let bound = map.grid().id_bound();
        let watches = walkers.iter().map(|_| Watch::load(bound, from));
        traffic.watches = watches.collect::<Option<_>>()?;
        traffic.knot = match from.u8()? {
            0 => None,
            _ => Some(Box::new(Knot::load(map, from, walkers)?)),
        };
        Some(traffic)
    }
}
