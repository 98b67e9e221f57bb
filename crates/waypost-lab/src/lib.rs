//! Experiments on Waypost: problems with known optimal lengths, measurements, tables, pictures.

pub mod bench;
pub mod crowd;
pub mod difficulty;
pub mod document;
pub mod journey;
pub mod lab;
pub mod make;
pub mod map_measures;
pub mod measure;
pub mod move_clock;
pub mod optimal;
pub mod picture;
pub mod plot;
pub mod posthoc;
pub mod problems;
pub mod refinement;
pub mod spaces;
pub mod stats;
pub mod table;
pub mod workbench;
