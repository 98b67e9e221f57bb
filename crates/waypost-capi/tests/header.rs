//! The header is made from the source and checked in: `WAYPOST_UPDATE_HEADER=1 cargo test -p waypost-capi --test header` renews it.

use std::path::Path;

/// In the order in which the header shows them.
const SOURCES: [&str; 9] = [
    "types", "about", "map", "build", "paths", "nav", "upkeep", "goals", "crowd",
];

const PREAMBLE: &str = "/* Waypost: pathfinding for game maps in which every unit gets its next move within a fixed amount of work.
 *
 * - Handles are opaque. Each is freed once by its own function; the order does not matter.
 * - Results are written into the caller's arrays. Where one is too small, WAYPOST_TOO_SMALL comes with the number that is needed.
 * - Functions return a waypost_status; waypost_last_error says in words what went wrong in this thread.
 * - Structs of options begin with their own size: fill them with zeros and set it.
 * - Each function says from which threads it may be called. There is no global state.
 *
 * Made from the source of waypost-capi; do not edit. */";

fn made() -> String {
    let source = Path::new(env!("CARGO_MANIFEST_DIR")).join("src");
    let mut config = cbindgen::Config {
        language: cbindgen::Language::C,
        header: Some(PREAMBLE.to_string()),
        include_guard: Some("WAYPOST_H".to_string()),
        cpp_compat: true,
        usize_is_size_t: true,
        documentation_style: cbindgen::DocumentationStyle::C,
        style: cbindgen::Style::Both,
        sort_by: cbindgen::SortKey::None,
        no_includes: true,
        sys_includes: vec!["stddef.h".to_string(), "stdint.h".to_string()],
        ..cbindgen::Config::default()
    };
    config.function.sort_by = Some(cbindgen::SortKey::None);
    config.enumeration.enum_class = false;
    // Functions take these as plain numbers, so that a wrong one can be refused.
    let numbers = ["waypost_corners", "waypost_costs", "waypost_goal_kind"];
    config.export.include = numbers.map(String::from).to_vec();
    let mut builder = cbindgen::Builder::new().with_config(config);
    for name in SOURCES {
        builder = builder.with_src(source.join(format!("{name}.rs")));
    }
    let mut text = Vec::new();
    builder.generate().expect("a header").write(&mut text);
    let text = String::from_utf8(text).expect("UTF-8");
    text.replace(" # Safety\n", " Pointers:\n")
}

#[test]
fn the_header_is_current() {
    let file = Path::new(env!("CARGO_MANIFEST_DIR")).join("include/waypost.h");
    let made = made();
    if std::env::var_os("WAYPOST_UPDATE_HEADER").is_some() {
        std::fs::write(&file, &made).expect("the header can be written");
    }
    let found = std::fs::read_to_string(&file).unwrap_or_default();
    assert!(
        found == made,
        "include/waypost.h is not what the source says; renew it with WAYPOST_UPDATE_HEADER=1"
    );
}

#[test]
fn every_function_is_in_it() {
    let header = made();
    for name in SOURCES {
        let file = Path::new(env!("CARGO_MANIFEST_DIR")).join(format!("src/{name}.rs"));
        let source = std::fs::read_to_string(file).expect("a source");
        let functions = source.split("extern \"C\" fn ").skip(1);
        for function in functions.filter(|f| f.starts_with("waypost_")) {
            let name = function.split('(').next().unwrap_or_default();
            assert!(header.contains(&format!("{name}(")), "{name}");
        }
    }
}
