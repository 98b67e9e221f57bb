//! Images: what is read comes back from writing.
#![no_main]

use libfuzzer_sys::fuzz_target;
use waypost::formats::png;

fuzz_target!(|bytes: &[u8]| {
    if let Ok(grid) = png::parse(bytes, png::DEFAULT_THRESHOLD) {
        let written = png::write(&grid).expect("memory");
        assert_eq!(png::parse(&written, png::DEFAULT_THRESHOLD).expect("what is written is read"), grid);
    }
});
