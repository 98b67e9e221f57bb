//! Indexes as files: built whole or in shards, merged, verified.

use crate::arrays::shown;
use crate::errors::{Failure, Outcome, can_write, read, write};
use crate::json::to_python;
use crate::long::{Watcher, watched};
use crate::map::given;
use crate::numbers;
use cpu_time::ThreadTime;
use pyo3::prelude::*;
use pyo3::types::{PyBytes, PyDict, PyList};
use serde_json::json;
use std::path::PathBuf;
use std::time::{Duration, Instant};
use waypost::artifact::Artifact;
use waypost::index::{INDEX_TYPES, IndexKind, IndexRequest, IndexType, Shard, ShardBuilder};
use waypost::names;

/// The kinds of index that there are: dicts with `name`, `about`, `shards` (whether it can be built in parts) and `parameters`.
#[pyfunction]
pub fn index_kinds(py: Python<'_>) -> PyResult<Bound<'_, PyList>> {
    let rows: Vec<_> = INDEX_TYPES
        .iter()
        .map(|index| {
            let keys = index
                .keys
                .iter()
                .map(|(key, about)| (key.to_string(), json!(about)));
            json!({
                "name": index.kind.name(),
                "about": index.about,
                "shards": index.merge.is_some(),
                "parameters": keys.collect::<serde_json::Map<_, _>>(),
            })
        })
        .collect();
    crate::json::rows(py, &rows)
}

fn kind_of(name: &str) -> Outcome<IndexKind> {
    let known = || INDEX_TYPES.iter().map(|index| index.kind.name());
    let kind = IndexKind::from_name(name).filter(|kind| IndexType::of(*kind).is_some());
    kind.ok_or_else(|| {
        let expected = names::expected(name, &known().collect::<Vec<_>>());
        Failure::Value(format!("no index is called `{name}`; {expected}"))
    })
}

fn shard_of(shard: Option<(u32, u32)>) -> Outcome<Shard> {
    match shard {
        None => Ok(Shard::WHOLE),
        Some((index, count)) if (1..=count).contains(&index) => Ok(Shard { index, count }),
        Some((index, count)) => Err(Failure::Value(format!(
            "shard is ({index}, {count}); give (i, n) with i from 1 to n"
        ))),
    }
}

/// The parameters of a build as keywords, with `_` for `-`.
fn request_of(kind: IndexKind, parameters: Option<&Bound<'_, PyDict>>) -> PyResult<IndexRequest> {
    let mut request = IndexRequest::new(kind);
    for (key, value) in parameters.into_iter().flat_map(|given| given.iter()) {
        let key = key.extract::<String>()?.replace('_', "-");
        let value = match value.extract::<bool>() {
            Ok(true) => "true".to_string(),
            Ok(false) => "false".to_string(),
            Err(_) => value.str()?.to_string_lossy().into_owned(),
        };
        request = request.with(&key, value);
    }
    Ok(request)
}

/// Builds an index of a map: the bytes of its file, or with `out` the file itself.
///
/// `shard=(i, n)` builds part i of n, to be joined by `merge`. Parameters are keywords, as `index_kinds` lists them.
///
/// >>> import waypost
/// >>> m = waypost.Map.generate("rooms", 48, 32, seed=1)
/// >>> parts = [waypost.build(m, "subgoals", records=40, shard=(i, 2)) for i in (2, 1)]
/// >>> waypost.merge(parts) == waypost.build(m, "subgoals", records=40)
/// True
#[pyfunction]
#[pyo3(signature = (map, kind, out=None, *, shard=None, threads=None, progress=None, **parameters))]
pub fn build<'py>(
    map: &Bound<'py, PyAny>,
    kind: &str,
    out: Option<PathBuf>,
    #[pyo3(from_py_with = numbers::shard)] shard: Option<(u32, u32)>,
    #[pyo3(from_py_with = numbers::threads)] threads: Option<usize>,
    progress: Option<&Bound<'py, PyAny>>,
    parameters: Option<&Bound<'py, PyDict>>,
) -> PyResult<Option<Bound<'py, PyBytes>>> {
    let py = map.py();
    let map = given(map)?;
    let map = &map.get().map;
    let request = request_of(kind_of(kind)?, parameters)?;
    let shard = shard_of(shard)?;
    if let Some(path) = &out {
        can_write(path)?;
    }
    let watcher = Watcher::default();
    let bytes = watched(py, &watcher, progress, threads, || {
        Ok(waypost::index::build(map, &request, shard, &watcher)?.to_bytes())
    })?;
    // When `progress` has had its last word: what it stops leaves no file.
    match out {
        None => Ok(Some(PyBytes::new(py, bytes.as_ref()))),
        Some(path) => {
            py.detach(|| write(&path, bytes.as_ref()))?;
            Ok(None)
        }
    }
}

/// Shards of one index for the tasks of a cluster: those that one process builds share what they can.
#[pyclass(frozen, module = "waypost")]
pub struct Shards(ShardBuilder);

#[pymethods]
impl Shards {
    #[new]
    #[pyo3(signature = (map, kind, **parameters))]
    fn new(
        map: &Bound<'_, PyAny>,
        kind: &str,
        parameters: Option<&Bound<'_, PyDict>>,
    ) -> PyResult<Shards> {
        let map = given(map)?;
        let request = request_of(kind_of(kind)?, parameters)?;
        Ok(Shards(ShardBuilder::new((*map.get().map).clone(), request)))
    }

    /// A shard or, without one, the whole index: its bytes, and the seconds that it took by the clock and of processors.
    #[pyo3(signature = (shard, threads, progress=None))]
    fn build<'py>(
        &self,
        py: Python<'py>,
        #[pyo3(from_py_with = numbers::shard)] shard: Option<(u32, u32)>,
        #[pyo3(from_py_with = numbers::threads)] threads: usize,
        progress: Option<&Bound<'py, PyAny>>,
    ) -> PyResult<(Bound<'py, PyBytes>, f64, f64)> {
        let shard = shard_of(shard)?;
        let watcher = Watcher::default();
        let (bytes, seconds, cpu) = watched(py, &watcher, progress, Some(threads), || {
            let begun = Instant::now();
            let bytes = self.0.build(shard, &watcher)?.to_bytes();
            // A worker may have several tasks at once; the threads of this one are new, and its own.
            let own = rayon::broadcast(|_| ThreadTime::now().as_duration());
            let cpu: Duration = own.into_iter().sum();
            Ok((bytes, begun.elapsed().as_secs_f64(), cpu.as_secs_f64()))
        })?;
        Ok((PyBytes::new(py, bytes.as_ref()), seconds, cpu))
    }
}

/// An index as it was given: its bytes, or its file.
fn artifact(value: &Bound<'_, PyAny>) -> PyResult<Artifact> {
    if let Ok(bytes) = value.extract::<Vec<u8>>() {
        return Ok(Artifact::open(bytes).map_err(Failure::value)?);
    }
    let path: PathBuf = value.extract().map_err(|_| {
        Failure::Type(format!(
            "{} is no index; give its bytes or the path of its file",
            shown(value)
        ))
    })?;
    let opened = value.py().detach(|| -> Outcome<Artifact> {
        Artifact::open(read(&path)?).map_err(|error| Failure::of_file(&path, error))
    });
    Ok(opened?)
}

/// Joins all shards of a build, in any order: byte for byte the file of a build in one go. Bytes, or with `out` a file.
#[pyfunction]
#[pyo3(signature = (shards, out=None))]
pub fn merge<'py>(
    shards: &Bound<'py, PyAny>,
    out: Option<PathBuf>,
) -> PyResult<Option<Bound<'py, PyBytes>>> {
    let py = shards.py();
    let mut artifacts = Vec::new();
    for shard in shards.try_iter()? {
        artifacts.push(artifact(&shard?)?);
    }
    let bytes = py.detach(|| -> Outcome<_> {
        let first = artifacts.first().map(Artifact::kind);
        let kind = first.ok_or_else(|| Failure::value("no shards to merge"))?;
        if let Some(other) = artifacts.iter().find(|artifact| artifact.kind() != kind) {
            let (kind, other) = (kind.name(), other.kind().name());
            return Err(Failure::Value(format!(
                "one is a `{kind}` index, another a `{other}` index; give the shards of one build"
            )));
        }
        let merge = IndexType::of(kind).and_then(|index| index.merge);
        let merge = merge.ok_or_else(|| {
            Failure::Value(format!("`{}` indexes are not built in shards", kind.name()))
        })?;
        let bytes = merge(&artifacts).map_err(Failure::value)?;
        match &out {
            Some(path) => write(path, bytes.as_ref()).map(|()| None),
            None => Ok(Some(bytes)),
        }
    })?;
    Ok(bytes.map(|bytes| PyBytes::new(py, bytes.as_ref())))
}

/// Checks an index: checksum, version and lengths, and with `map` that it belongs to the map and every structure inside. Gives what it is;
/// ValueError says what is wrong.
#[pyfunction]
#[pyo3(signature = (index, map=None))]
pub fn verify<'py>(
    index: &Bound<'py, PyAny>,
    map: Option<&Bound<'py, PyAny>>,
) -> PyResult<Bound<'py, PyAny>> {
    let py = index.py();
    let artifact = artifact(index)?;
    let mut records = None;
    if let Some(map) = map {
        let map = given(map)?;
        let map = &map.get().map;
        let opened = py.detach(|| waypost::index::open(&artifact, map));
        records = Some(opened.map_err(Failure::value)?.records());
    }
    let header = artifact.header();
    let row = json!({
        "index": header.kind.name(),
        "bytes": artifact.len(),
        "width": header.width,
        "height": header.height,
        "fingerprint": format!("{:016x}", header.fingerprint),
        "corners": header.rules.corners.name(),
        "costs": header.rules.costs.name(),
        "moves": header.rules.ways(),
        "terrain": header.terrain != 0,
        "parameters": header.parameters,
        "records": records,
    });
    to_python(py, &row)
}

/// Refuses bytes that are not this shard of this build of this map, with ValueError.
#[pyfunction]
pub fn check_shard(
    data: &Bound<'_, PyBytes>,
    map: &Bound<'_, PyAny>,
    kind: &str,
    #[pyo3(from_py_with = numbers::shard)] shard: (u32, u32),
) -> PyResult<()> {
    let map = given(map)?;
    let map = &map.get().map;
    let kind = kind_of(kind)?;
    let wanted = shard_of(Some(shard))?;
    let bytes = data.as_bytes().to_vec();
    Ok(data.py().detach(|| -> Outcome<()> {
        let artifact = Artifact::open(bytes).map_err(Failure::value)?;
        artifact.check(kind, map).map_err(Failure::value)?;
        let said = artifact.header().parameters.get("shard").cloned();
        let expected = format!("{}/{}", wanted.index, wanted.count);
        let is_whole = wanted == Shard::WHOLE && said.is_none();
        if !is_whole && said.as_deref() != Some(&expected) {
            let said = said.unwrap_or_else(|| "no shard".to_string());
            return Err(Failure::Value(format!(
                "expected shard {expected}, got {said}"
            )));
        }
        Ok(())
    })?)
}
