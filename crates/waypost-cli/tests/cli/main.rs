//! The real binary, as a newcomer and as a script use it.

mod attack;
mod crowd;
mod damage;
mod determinism;
mod documents;
mod files;
mod graphs;
mod kept_reports;
mod lab;
mod limits;
mod measuring;
mod outputs;
mod play;
mod printed;
mod real_maps;
mod signals;
mod solving;
mod support;
mod usage;
