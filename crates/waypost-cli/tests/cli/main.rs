//! The real binary, as a newcomer and as a script use it.

mod crowd;
mod damage;
mod determinism;
mod documents;
mod files;
mod graphs;
mod lab;
mod measuring;
mod printed;
mod real_maps;
mod solving;
mod support;
mod usage;
