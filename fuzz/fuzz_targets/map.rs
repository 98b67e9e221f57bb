//! `.map` files: what is read comes back from writing.
#![no_main]

use libfuzzer_sys::fuzz_target;
use waypost::formats::map;

fuzz_target!(|bytes: &[u8]| {
    if let Ok(grid) = map::parse(bytes) {
        assert_eq!(map::parse(&map::write(&grid)), Ok(grid));
    }
});
