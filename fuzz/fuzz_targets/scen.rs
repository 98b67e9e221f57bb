//! Scenarios of both kinds, and patches.
#![no_main]

use libfuzzer_sys::fuzz_target;
use waypost::formats::{gppc, scen};

fuzz_target!(|bytes: &[u8]| {
    if let Ok(problems) = scen::parse(bytes) {
        let again = scen::parse(&scen::write(&problems)).expect("what is written is read");
        assert_eq!(problems.len(), again.len());
        for (a, b) in problems.iter().zip(&again) {
            assert_eq!((a.bucket, a.width, a.height, a.start, a.goal), (b.bucket, b.width, b.height, b.start, b.goal));
        }
    }
    let _ = gppc::parse_scenario(bytes);
    let _ = gppc::parse_patches(bytes);
});
