//! `Snapshot`: a crowd and its world at one moment.

use crate::errors::{Failure, Outcome};
use crate::members::Members;
use pyo3::prelude::*;
use pyo3::types::PyBytes;
use waypost::navigator::{CrowdSnapshot, UnitId};
use xxhash_rust::xxh3::xxh3_64;

/// The first bytes of every snapshot: the last is its version.
const MAGIC: [u8; 8] = *b"WAYPPYS\x01";
const CHECKSUM: usize = 8;

/// A crowd and its world at one moment, by `Crowd.snapshot`, for `Crowd.restore`.
///
/// Within the process it is for rollback. `to_bytes` gives the saved game: it goes on in another process, in a world of the same map
/// and file. It can be pickled.
///
/// >>> import numpy, waypost
/// >>> level = waypost.Map.from_array(numpy.ones((30, 40), dtype=bool))
/// >>> crowd = waypost.Navigator(level).crowd()
/// >>> crowd.send(crowd.spawn([(0, 0), (0, 5)]), (20, 0))
/// >>> tick = crowd.tick()
/// >>> saved = crowd.snapshot().to_bytes()
/// >>> other = waypost.Navigator(level).crowd()                # in another process
/// >>> other.restore(waypost.Snapshot.from_bytes(saved))
/// >>> other.ids().tolist(), other.positions().tolist() == crowd.positions().tolist()
/// ([0, 1], True)
#[pyclass(frozen, module = "waypost")]
pub struct Snapshot {
    pub taken: CrowdSnapshot,
    pub members: Members,
    /// Whether it comes from bytes, so that nobody knows yet whether it is one.
    pub is_read: bool,
}

#[pymethods]
impl Snapshot {
    /// The snapshot for files and other machines.
    fn to_bytes<'py>(&self, py: Python<'py>) -> Bound<'py, PyBytes> {
        let bytes = py.detach(|| {
            let living = self.members.living();
            let mut bytes = MAGIC.to_vec();
            let head = [self.members.next(), living.len() as u64];
            let units = living
                .iter()
                .flat_map(|(number, unit)| [*number, unit.to_bits()]);
            bytes.extend(head.into_iter().chain(units).flat_map(u64::to_le_bytes));
            bytes.extend(self.taken.to_bytes());
            bytes.extend(xxh3_64(&bytes).to_le_bytes());
            bytes
        });
        PyBytes::new(py, &bytes)
    }

    /// Reads what `to_bytes` gave; other bytes are refused with ValueError.
    #[staticmethod]
    fn from_bytes(py: Python<'_>, data: Vec<u8>) -> PyResult<Snapshot> {
        Ok(py.detach(|| read(&data))?)
    }

    fn __reduce__<'py>(slf: &Bound<'py, Self>) -> PyResult<(Bound<'py, PyAny>, (Py<PyBytes>,))> {
        let read = slf.get_type().getattr("from_bytes")?;
        Ok((read, (slf.get().to_bytes(slf.py()).unbind(),)))
    }

    fn __repr__(&self) -> String {
        format!("Snapshot(units={})", self.members.living().len())
    }
}

fn read(data: &[u8]) -> Outcome<Snapshot> {
    let refused = |why: &str| Failure::Value(format!("these bytes are no snapshot: {why}"));
    let (body, sum) = data.split_at(data.len() - CHECKSUM.min(data.len()));
    let Some(mut rest) = body.strip_prefix(&MAGIC) else {
        return Err(refused("they begin otherwise, or are of another version"));
    };
    if xxh3_64(body).to_le_bytes() != *sum {
        return Err(refused("the checksum is wrong"));
    }
    let mut number = || {
        let (first, after) = rest.split_first_chunk::<8>()?;
        rest = after;
        Some(u64::from_le_bytes(*first))
    };
    let mut members = || {
        let (next, count) = (number()?, number()?);
        let pair = |_| Some((number()?, UnitId::from_bits(number()?)));
        let living: Option<Vec<_>> = (0..count).map(pair).collect();
        Members::of(living?, next)
    };
    let members = members().ok_or_else(|| refused("the numbers of its units are wrong"))?;
    Ok(Snapshot {
        taken: CrowdSnapshot::from_bytes(rest)?,
        members,
        is_read: true,
    })
}
