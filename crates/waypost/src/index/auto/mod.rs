//! The chooser: measures a map, picks the index that serves it best, and says why.
//!
//! Corner labels answer exactly and in microseconds wherever a map's corners allow them; sectors serve every map, in
//! bounded work, at a fraction of a per cent above the optimum. So the choice is: labels where they fit the limits of
//! memory and of build time, sectors otherwise. The time of a build is estimated from what was counted on the map (corners
//! and cells) and never measured, because the choice must be the same on every machine. The limit is one of labels: sectors are
//! what every map can have, and are built whatever it says (1 to 4 microseconds a cell; up to 20 in a maze). What was chosen, the reason, and the quality on a sample of problems that
//! no part of the build has seen are recorded in the artifact, which holds the chosen index whole.

use crate::artifact::{
    AlignedBytes, Array, Artifact, ArtifactError, ArtifactWriter, Header, Identity,
};
use crate::grid::ChangeSet;
use crate::index::labels::estimated_operations;
use crate::index::slot::{Repair, RepairJob};
use crate::index::{
    BuildError, Index, IndexKind, IndexRequest, IndexType, NOT_UNIFORM, Prepared, Shard, build,
    open, unless_cancelled,
};
use crate::map::Map;
use crate::progress::Progress;
use crate::search::jps::{JumpPoints, jump_scans};
use std::collections::BTreeMap;
use std::sync::Arc;

/// The `auto` index.
pub(crate) static AUTO: IndexType = IndexType {
    kind: IndexKind::Auto,
    about: "measures the map and picks the best index within the limits: exact labels, or sectors",
    keys: &[
        (
            "max-bytes",
            "the most memory that the index may take (default: 16 bytes a passable cell, at least 67 MB)",
        ),
        (
            "fit-bytes",
            "cut labels to so many bytes: exact still, by a search for what they do not know (default: whole labels or none)",
        ),
        (
            "max-seconds",
            "the most time that labels may take, by an estimate that is the same on every machine (default: 60)",
        ),
        (
            "sample",
            "problems that the choice is tried on when it is made, 0 to 100000 (default: 200)",
        ),
    ],
    build: |map, request, _, progress| Ok(Arc::new(AutoIndex::build(map, request, progress)?)),
    open: |artifact, map| Ok(Arc::new(AutoIndex::open(artifact, map)?)),
    merge: None,
};

const INNER: u32 = 1;

/// A chosen index, with the reason of the choice.
#[derive(Debug)]
pub struct AutoIndex {
    header: Header,
    inner: Arc<dyn Index>,
}

impl AutoIndex {
    /// Chooses and builds.
    pub fn build(
        map: &Map,
        request: &IndexRequest,
        progress: &dyn Progress,
    ) -> Result<AutoIndex, BuildError> {
        let facts = MapFacts::measure(map);
        let fit_bytes = request.value("fit-bytes", 0, "a number of bytes above 0", |b| *b > 0)?;
        let most_bytes = request.value(
            "max-bytes",
            facts.default_bytes().max(fit_bytes),
            "a number of bytes",
            |b| *b > 0,
        )?;
        let most_seconds =
            request.value("max-seconds", 60.0, "a number above 0", |s: &f64| *s > 0.0)?;
        sample_of(request)?;
        unless_cancelled(progress)?;
        let limits = Limits {
            most_bytes,
            most_seconds,
            fit_bytes: (fit_bytes > 0).then_some(fit_bytes),
            memory_is_given: fit_bytes > 0 || request.parameters.contains_key("max-bytes"),
        };
        let (inner, reason) = choose(map, &facts, &limits, progress)?;
        let mut parameters = request.parameters.clone();
        parameters.insert("chosen".into(), inner.kind().name().into());
        parameters.insert("reason".into(), reason);
        Ok(AutoIndex {
            header: Header::of(IndexKind::Auto, map, parameters),
            inner,
        })
    }

    /// Opens it without copying.
    pub fn open(artifact: &Artifact, map: &Map) -> Result<AutoIndex, ArtifactError> {
        artifact.check(IndexKind::Auto, map)?;
        let inner: Array<u8> = artifact.section(INNER)?;
        let inner = Artifact::open(inner)?;
        if inner.kind() == IndexKind::Auto {
            return Err(ArtifactError::malformed("a choice within a choice"));
        }
        Ok(AutoIndex {
            header: artifact.header().clone(),
            inner: open(&inner, map)?,
        })
    }

    /// The same choice with its index repaired.
    fn with(&self, inner: Arc<dyn Index>) -> Arc<dyn Index> {
        let mut header = self.header.clone();
        header.fingerprint = inner.identity().fingerprint;
        Arc::new(AutoIndex { header, inner })
    }

    /// How many problems the choice is to be tried on ([`crate::trial`]).
    pub fn sample(&self) -> u64 {
        let request = IndexRequest {
            kind: IndexKind::Auto,
            parameters: self.header.parameters.clone(),
        };
        sample_of(&request).unwrap_or(0)
    }

    /// The same with figures that a trial has shown.
    pub(crate) fn with_figures(&self, figures: BTreeMap<String, String>) -> AutoIndex {
        let mut header = self.header.clone();
        header.parameters.extend(figures);
        AutoIndex {
            header,
            inner: self.inner.clone(),
        }
    }

    /// The index that was chosen.
    pub fn chosen(&self) -> &Arc<dyn Index> {
        &self.inner
    }

    /// Why, in one line.
    pub fn reason(&self) -> &str {
        self.header
            .parameters
            .get("reason")
            .map_or("", String::as_str)
    }
}

/// Problems that a choice is to be tried on.
fn sample_of(request: &IndexRequest) -> Result<u64, BuildError> {
    request.value("sample", 200, "0 to 100000", |n| *n <= 100_000)
}

/// What the choice rests on.
struct MapFacts {
    passable: u64,
    corners: u64,
}

impl MapFacts {
    fn measure(map: &Map) -> MapFacts {
        let corners = map.is_uniform().then(|| {
            let scans = jump_scans(map);
            JumpPoints::new(map.grid(), &scans).len() as u64
        });
        MapFacts {
            passable: map.grid().passable_count(),
            corners: corners.unwrap_or(0),
        }
    }

    fn default_bytes(&self) -> u64 {
        (self.passable * 16).max(64 << 20)
    }

    /// Corners in a hundred passable cells.
    fn density(&self) -> u64 {
        self.corners * 100 / self.passable.max(1)
    }

    /// Seconds that labelling takes at most, on one core of a common machine.
    fn labelling_seconds(&self) -> f64 {
        estimated_operations(self.corners, self.passable) as f64 * 1e-9
    }
}

/// What a choice must keep to.
struct Limits {
    most_bytes: u64,
    most_seconds: f64,
    fit_bytes: Option<u64>,
    /// Whether somebody has said how much memory labels may take.
    memory_is_given: bool,
}

/// Above this many corners in a hundred cells a map is noise, and labels take more memory than they are worth to those
/// who did not say how much they may take.
const NOISE_PERCENT: u64 = 25;

fn choose(
    map: &Map,
    facts: &MapFacts,
    limits: &Limits,
    progress: &dyn Progress,
) -> Result<(Arc<dyn Index>, String), BuildError> {
    let Limits {
        most_bytes,
        most_seconds,
        fit_bytes,
        memory_is_given,
    } = *limits;
    let MapFacts {
        passable, corners, ..
    } = *facts;
    let seconds = facts.labelling_seconds();
    let against = if !map.is_uniform() {
        NOT_UNIFORM.to_string()
    } else if facts.density() >= NOISE_PERCENT && !memory_is_given {
        format!(
            "noise: {corners} corners on {passable} cells are too dense for labels, unless a size is named for them (max-bytes)"
        )
    } else if seconds > most_seconds {
        format!(
            "labels of {corners} corners would take about {seconds:.2} s, over the limit of {most_seconds} s"
        )
    } else {
        let mut request = IndexRequest::new(IndexKind::Labels).with("max-bytes", most_bytes);
        if let Some(bytes) = fit_bytes {
            request = request.with("fit-bytes", bytes);
        }
        match build(map, &request, Shard::WHOLE, progress) {
            Ok(labels) => {
                let within = fit_bytes.map_or_else(
                    || format!("{most_bytes} bytes"),
                    |bytes| format!("{most_bytes} bytes, cut to fit {bytes}"),
                );
                // What they take in memory differs between platforms, and the file holds this text.
                let reason = format!(
                    "exact labels: those of {corners} corners on {passable} cells stay within {within}"
                );
                return Ok((labels, reason));
            }
            Err(BuildError::Unsuitable { reason, .. }) => reason,
            Err(other) => return Err(other),
        }
    };
    let sectors = build(
        map,
        &IndexRequest::new(IndexKind::Sectors),
        Shard::WHOLE,
        progress,
    )?;
    let bytes = sectors.to_bytes().as_ref().len() as u64;
    if bytes > most_bytes {
        return Err(BuildError::Unsuitable {
            index: IndexKind::Auto.name(),
            reason: format!(
                "{against}; and sectors take {bytes} bytes, over the limit of {most_bytes}; allow more (max-bytes)"
            ),
        });
    }
    Ok((sectors, format!("sectors, since {against}")))
}

impl Index for AutoIndex {
    fn kind(&self) -> IndexKind {
        IndexKind::Auto
    }

    fn identity(&self) -> Identity {
        self.header.identity()
    }

    fn parameters(&self) -> &BTreeMap<String, String> {
        &self.header.parameters
    }

    fn to_bytes(&self) -> AlignedBytes {
        let inner = self.inner.to_bytes();
        ArtifactWriter::new(self.header.clone())
            .section(INNER, inner.as_ref())
            .finish()
    }

    fn memory_bytes(&self) -> usize {
        self.inner.memory_bytes()
    }

    fn records(&self) -> u64 {
        self.inner.records()
    }

    fn facts(&self) -> Vec<(String, String)> {
        self.inner.facts()
    }

    fn inner(&self) -> Option<Arc<dyn Index>> {
        Some(self.inner.clone())
    }

    fn rebuild_operations(&self, map: &Map) -> u64 {
        self.inner.rebuild_operations(map)
    }

    fn prepared(&self, open_map: &Map) -> Option<Prepared> {
        self.inner.prepared(open_map)
    }

    fn repair(self: Arc<Self>, map: &Map, changes: &ChangeSet) -> Repair {
        match self.inner.clone().repair(map, changes) {
            Repair::Done(inner) => Repair::Done(self.with(inner)),
            Repair::Sliced(job) => Repair::Sliced(Box::new(InnerRepair { auto: self, job })),
            Repair::NotNeeded => Repair::NotNeeded,
            Repair::Rebuild => Repair::Rebuild,
        }
    }
}

/// The repair of what was chosen.
struct InnerRepair {
    auto: Arc<AutoIndex>,
    job: Box<dyn RepairJob>,
}

impl RepairJob for InnerRepair {
    fn map_changed(&mut self, map: &Map, changes: &ChangeSet) {
        self.job.map_changed(map, changes);
    }

    fn advance(&mut self, map: &Map, operations: u64) -> Option<Arc<dyn Index>> {
        let inner = self.job.advance(map, operations)?;
        Some(self.auto.with(inner))
    }

    fn is_done(&self) -> bool {
        self.job.is_done()
    }

    fn fork(&self) -> Box<dyn RepairJob> {
        Box::new(InnerRepair {
            auto: self.auto.clone(),
            job: self.job.fork(),
        })
    }
}
