//! The native part of the Python package `waypost`: the front door of the engine, with numpy arrays in and out.
//!
//! What comes in is copied before anything looks at it (`arrays.rs`), so that no other thread can change it under a call. Work
//! is done with the interpreter released; what may take long is done by a thread of its own, while the caller's looks for Ctrl-C
//! and draws the bar (`long.rs`). The files beside these two are a class or a group of functions each.

mod agent;
mod arrays;
mod bench;
mod crowd;
mod errors;
mod events;
mod ids;
mod index;
mod json;
mod lab;
mod long;
mod map;
mod members;
mod navigator;
mod numbers;
mod path;
mod pickle;
mod pool;
mod questions;
mod reading;
mod requests;
mod snapshot;
mod solve;
mod terrain;
mod timing;
mod units;
mod whole;

use pyo3::prelude::*;

/// The native part of the package.
#[pymodule]
mod _native {
    #[pymodule_export]
    use super::agent::Agent;
    #[pymodule_export]
    use super::bench::{bench, read_scenario, scenario};
    #[pymodule_export]
    use super::crowd::Crowd;
    #[pymodule_export]
    use super::events::{Event, Tick};
    #[pymodule_export]
    use super::index::{Shards, build, check_shard, index_kinds, merge, verify};
    #[pymodule_export]
    use super::lab::{experiments, lab};
    #[pymodule_export]
    use super::map::Map;
    #[pymodule_export]
    use super::navigator::Navigator;
    #[pymodule_export]
    use super::path::{Path, Smoothed};
    #[pymodule_export]
    use super::requests::Requests;
    #[pymodule_export]
    use super::snapshot::Snapshot;
    #[pymodule_export]
    use super::solve::solve;
    #[pymodule_export]
    use super::timing::{rust_paths_seconds, rust_tick_seconds};
    use super::*;

    #[pymodule_init]
    fn init(module: &Bound<'_, PyModule>) -> PyResult<()> {
        pool::note_process();
        module.add("__version__", env!("CARGO_PKG_VERSION"))?;
        let names = waypost::spec::ALGORITHMS.iter().map(|a| a.name);
        module.add("algorithms", names.collect::<Vec<_>>())
    }
}
