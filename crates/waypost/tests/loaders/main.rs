//! No bytes make a loader panic, hang, or take memory beyond a small multiple of them.
//!
//! Three sources of bytes: a corpus of files that are wrong in every way we know (`corpus.rs`), good files cut off
//! everywhere, and good files with random damage. Memory is measured by the test kit's allocator. Larger counts for a
//! long night: set `WAYPOST_MUTATIONS` to the damaged copies of each file (100 unless told).

mod corpus;
mod good;

use corpus::Bad;
use waypost_testkit::allocations::{self, Counting};
use waypost_testkit::{TestRng, damage};

#[global_allocator]
static ALLOCATOR: Counting = Counting;

/// A kind of file and its loader.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Loader {
    /// MovingAI maps.
    Map,
    /// MovingAI scenarios.
    Scen,
    /// Dynamic scenarios.
    DynamicScen,
    /// Patches of dynamic scenarios.
    Patches,
    /// PNG images.
    Png,
    /// Tiled maps.
    Tiled,
}

impl Loader {
    const ALL: [Loader; 6] = [
        Loader::Map,
        Loader::Scen,
        Loader::DynamicScen,
        Loader::Patches,
        Loader::Png,
        Loader::Tiled,
    ];

    /// Loads bytes and gives the error's message, if there is one.
    fn load(self, bytes: &[u8]) -> Result<(), String> {
        use waypost::formats::{gppc, map, png, scen, tiled};
        let text = |error: &dyn std::fmt::Display| error.to_string();
        match self {
            Loader::Map => map::parse(bytes).map(drop).map_err(|e| text(&e)),
            Loader::Scen => scen::parse(bytes).map(drop).map_err(|e| text(&e)),
            Loader::DynamicScen => gppc::parse_scenario(bytes).map(drop).map_err(|e| text(&e)),
            Loader::Patches => gppc::parse_patches(bytes).map(drop).map_err(|e| text(&e)),
            Loader::Png => png::parse(bytes, png::DEFAULT_THRESHOLD)
                .map(drop)
                .map_err(|e| text(&e)),
            Loader::Tiled => {
                let layer = tiled::Blocking::Layer("walls".to_owned());
                let property = tiled::Blocking::Property("blocked".to_owned());
                let mut sets = |_: &str| None;
                let by_layer = tiled::parse(bytes, &layer, &mut sets);
                tiled::parse(bytes, &property, &mut sets)
                    .and(by_layer)
                    .map(drop)
                    .map_err(|e| text(&e))
            }
        }
    }

    /// How many bytes of memory a byte of the file may cost, beyond a constant for decoders and buffers.
    fn memory_factor(self) -> u64 {
        match self {
            // A map one cell wide takes a word of the grid for two bytes of the file.
            Loader::Map => 6,
            // The shortest line of a problem is 18 bytes; lists double when they grow.
            Loader::Scen | Loader::DynamicScen | Loader::Patches => 16,
            // A grid has an eighth of a byte for a pixel, and deflate packs 1,032 bytes into one.
            Loader::Png => 140,
            // The tree of an XML document.
            Loader::Tiled => 40,
        }
    }
}

/// Decoders' windows, rows, error messages.
const CONSTANT_BYTES: u64 = 1 << 20;

/// Loads and measures: memory must follow the bytes given. Gives what the loader said.
fn load_measured(loader: Loader, bytes: &[u8], what: &dyn Fn() -> String) -> Result<(), String> {
    let (result, used) = allocations::measure(|| loader.load(bytes));
    let allowed = loader.memory_factor() * bytes.len() as u64 + CONSTANT_BYTES;
    assert!(
        used.peak_bytes <= allowed,
        "{}: {} bytes made {loader:?} take {} bytes",
        what(),
        bytes.len(),
        used.peak_bytes
    );
    if let Err(message) = &result {
        assert!(
            message.len() < 1000,
            "{}: a message of {} bytes",
            what(),
            message.len()
        );
    }
    result
}

#[test]
fn the_allocator_is_counting() {
    assert!(allocations::is_counting());
}

#[test]
fn good_files_are_loaded() {
    for loader in Loader::ALL {
        for (name, bytes) in good::files(loader) {
            let result = load_measured(loader, &bytes, &|| name.clone());
            assert_eq!(result, Ok(()), "{name}");
        }
    }
}

#[test]
fn the_corpus_is_refused() {
    for Bad {
        loader,
        name,
        bytes,
        says,
    } in corpus::all()
    {
        let message = load_measured(loader, &bytes, &|| name.to_owned()).expect_err(name);
        assert!(
            message.contains(says),
            "{name}: `{message}` does not say `{says}`"
        );
    }
}

#[test]
fn no_loader_minds_the_files_of_another() {
    for loader in Loader::ALL {
        for other in Loader::ALL {
            for (name, bytes) in good::files(other) {
                let result = load_measured(loader, &bytes, &|| name.clone());
                assert_eq!(result.is_ok(), loader == other, "{loader:?} on {name}");
            }
        }
    }
}

#[test]
fn files_cut_off_anywhere_do_no_harm() {
    for loader in Loader::ALL {
        for (name, bytes) in good::files(loader) {
            let step = bytes.len() / 300 + 1;
            for end in (0..bytes.len()).step_by(step) {
                let _ = load_measured(loader, &bytes[..end], &|| format!("{name} cut at {end}"));
            }
        }
    }
}

#[test]
fn damaged_files_do_no_harm() {
    let copies: u64 = std::env::var("WAYPOST_MUTATIONS")
        .ok()
        .and_then(|count| count.parse().ok())
        .unwrap_or(100);
    for loader in Loader::ALL {
        for (name, bytes) in good::files(loader) {
            for seed in 0..copies {
                let mut damaged = bytes.clone();
                damage(&mut damaged, &mut TestRng::new(seed));
                let what = || format!("{name} damaged with seed {seed}");
                let _ = load_measured(loader, &damaged, &what);
            }
        }
    }
}
