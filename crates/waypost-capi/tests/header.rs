//! The header is made from the source and checked in: `WAYPOST_UPDATE_HEADER=1 cargo test -p waypost-capi --test header` renews it.

use std::path::Path;

/// In the order in which the header shows them.
const SOURCES: [&str; 22] = [
    "types",
    "about",
    "allocator",
    "transform",
    "world",
    "map",
    "map_contents",
    "terrain",
    "unit_types",
    "build",
    "type_jobs",
    "paths",
    "questions",
    "fields",
    "requests",
    "nav",
    "upkeep",
    "inspect",
    "goals",
    "crowd",
    "units",
    "snapshot",
];

const PREAMBLE: &str = "/* Waypost: pathfinding for game maps in which every unit gets its next move within a fixed amount of work.
 *
 * - Handles are opaque. Each is freed once by its own function; the order does not matter.
 * - Results are written into the caller's arrays. Where one is too small, WAYPOST_TOO_SMALL comes with the number that is needed.
 * - Functions return a waypost_status; waypost_last_error says in words what went wrong in this thread.
 * - Structs of options begin with their own size: fill them with zeros and set it.
 * - Each function says from which threads it may be called. There is no global state but the
 *   message of a thread, the threads that builds share and, where the program sets one before all else, its allocator.
 * - A process that forks has none of these threads: build and open before fork, or exec after it.
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
    let numbers = [
        "waypost_corners",
        "waypost_costs",
        "waypost_goal_kind",
        "waypost_formation",
        "waypost_index_kind",
    ];
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
fn every_function_is_in_all_languages() {
    let home = Path::new(env!("CARGO_MANIFEST_DIR"));
    let read = |name: &str| std::fs::read_to_string(home.join(name)).expect("a source");
    let places = [
        made(),
        read("include/waypost.hpp"),
        read("csharp/Waypost.cs"),
    ];
    let mut functions = 0;
    for file in std::fs::read_dir(home.join("src")).expect("the sources") {
        let source = std::fs::read_to_string(file.expect("a file").path()).expect("a source");
        for function in source.split("extern \"C\" fn ").skip(1) {
            let name = function.split('(').next().unwrap_or_default();
            if !name.starts_with("waypost_") {
                continue;
            }
            functions += 1;
            for (text, language) in places.iter().zip(["C", "C++", "C#"]) {
                let mut uses = text.match_indices(name);
                let is_whole = |end: usize| matches!(text.as_bytes()[end], b'(' | b',');
                assert!(
                    uses.any(|(at, _)| is_whole(at + name.len())),
                    "{name} is not there in {language}"
                );
            }
        }
    }
    assert!(functions > 50, "{functions} functions were found");
}
