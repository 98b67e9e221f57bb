//! Graph files.
#![no_main]

use libfuzzer_sys::fuzz_target;
use waypost::formats::graph;

fuzz_target!(|bytes: &[u8]| {
    let _ = graph::parse(bytes);
});
