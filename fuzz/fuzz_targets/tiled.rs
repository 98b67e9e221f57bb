//! Tiled maps; the input serves as every tileset that it asks for, too.
#![no_main]

use libfuzzer_sys::fuzz_target;
use waypost::formats::tiled::{Blocking, parse};

fuzz_target!(|bytes: &[u8]| {
    let mut tileset = |_: &str| Some(bytes.to_vec());
    let _ = parse(bytes, &Blocking::Layer("walls".to_owned()), &mut tileset);
    let _ = parse(bytes, &Blocking::Property("blocked".to_owned()), &mut tileset);
});
