//! What the documents promise of the source itself: no module of a crate depends on itself by way of others, and the files and
//! modules that ARCHITECTURE.md names are there.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::{Path, PathBuf};

fn root() -> PathBuf {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).parent();
    root.expect("xtask lies in the repository").to_path_buf()
}

fn sources(folder: &Path) -> Vec<PathBuf> {
    let mut found = Vec::new();
    let entries = fs::read_dir(folder).map(|entries| entries.flatten().collect());
    let entries: Vec<fs::DirEntry> = entries.unwrap_or_default();
    for path in entries.iter().map(fs::DirEntry::path) {
        if path.is_dir() {
            found.extend(sources(&path));
        } else if path.extension().is_some_and(|end| end == "rs") {
            found.push(path);
        }
    }
    found.sort();
    found
}

/// The code of a file, without comments and without the tests at its end.
fn code(path: &Path) -> String {
    let text = fs::read_to_string(path).unwrap_or_default();
    let text = text.split("#[cfg(test)]\nmod tests {").next();
    let lines = text.unwrap_or_default().lines();
    let bare = lines.map(|line| line.split("//").next().unwrap_or_default());
    bare.collect::<Vec<_>>().join("\n")
}

/// The names that follow `crate::` in a text, those in braces too.
fn named_modules(code: &str) -> BTreeSet<String> {
    let word = |text: &str| -> String {
        let end = text.find(|c: char| !c.is_alphanumeric() && c != '_');
        text[..end.unwrap_or(text.len())].to_string()
    };
    let mut names = BTreeSet::new();
    for rest in code.split("crate::").skip(1) {
        let Some(list) = rest.strip_prefix('{') else {
            names.insert(word(rest));
            continue;
        };
        let mut depth = 0;
        let mut start = true;
        for (i, c) in list.char_indices() {
            match c {
                '{' => depth += 1,
                '}' if depth == 0 => break,
                '}' => depth -= 1,
                ',' if depth == 0 => start = true,
                c if start && !c.is_whitespace() => {
                    names.insert(word(&list[i..]));
                    start = false;
                }
                _ => {}
            }
        }
    }
    names
}

type Uses = BTreeMap<String, BTreeSet<String>>;

/// Which modules at the top of a crate use which others.
fn uses(source: &Path) -> Uses {
    let mut uses = Uses::new();
    for path in sources(source) {
        let inside = path.strip_prefix(source).expect("found there");
        let name = path
            .file_name()
            .and_then(|n| n.to_str())
            .unwrap_or_default();
        let top = inside.components().next().expect("a file");
        let top = top.as_os_str().to_string_lossy().replace(".rs", "");
        if ["lib", "main"].contains(&top.as_str()) || name.contains("test") {
            continue;
        }
        let of_top = uses.entry(top.clone()).or_default();
        of_top.extend(named_modules(&code(&path)));
        of_top.remove(&top);
    }
    let known: BTreeSet<String> = uses.keys().cloned().collect();
    for used in uses.values_mut() {
        used.retain(|module| known.contains(module));
    }
    uses
}

/// What is left when modules that use none of the others are taken away, again and again: those on cycles, and what uses them.
fn cyclic(mut uses: Uses) -> Uses {
    while let Some(free) = uses.iter().find(|(_, used)| used.is_empty()) {
        let free = free.0.clone();
        uses.remove(&free);
        uses.values_mut().for_each(|used| _ = used.remove(&free));
    }
    uses
}

#[test]
fn no_module_depends_on_itself_by_way_of_others() {
    let crates = fs::read_dir(root().join("crates")).expect("the crates");
    let mut checked = 0;
    for folder in crates.flatten().map(|entry| entry.path().join("src")) {
        let uses = uses(&folder);
        checked += uses.len();
        let left = cyclic(uses);
        assert!(left.is_empty(), "{}: {left:#?}", folder.display());
    }
    assert!(checked > 60, "{checked} modules");
}

#[test]
fn cycles_are_found() {
    let text = "use crate::{a::{X, y}, b};\nlet z = crate::c::d;";
    let names: Vec<_> = named_modules(text).into_iter().collect();
    assert_eq!(names, ["a", "b", "c"]);
    let graph = |edges: &[(&str, &[&str])]| -> Uses {
        let set = |used: &[&str]| used.iter().map(|m| m.to_string()).collect();
        edges
            .iter()
            .map(|(m, used)| (m.to_string(), set(used)))
            .collect()
    };
    let chain = graph(&[("a", &["b", "c"]), ("b", &["c"]), ("c", &[])]);
    assert!(cyclic(chain).is_empty());
    let ring = graph(&[("a", &["b"]), ("b", &["c"]), ("c", &["a"]), ("d", &[])]);
    assert_eq!(cyclic(ring).len(), 3);
}

/// Whether a text in code marks is a place in the repository.
fn is_place(text: &str) -> bool {
    let path = text.ends_with(".rs") || text.ends_with(".md") || text.ends_with('/');
    path && !text.contains([' ', '*', ':'])
}

#[test]
fn what_the_architecture_names_is_there() {
    let text = fs::read_to_string(root().join("ARCHITECTURE.md")).expect("the document");
    let files: Vec<String> = ["crates", "python", "xtask", "docs", "experiments"]
        .iter()
        .flat_map(|folder| {
            let folder = root().join(folder);
            let mut paths = all_paths(&folder);
            paths.push(folder.to_string_lossy().into_owned());
            paths
        })
        .collect();
    let mut places = 0;
    for (number, marked) in text.split('`').enumerate() {
        if number % 2 == 0 || !is_place(marked) {
            continue;
        }
        places += 1;
        let end = format!("/{}", marked.trim_end_matches('/'));
        assert!(
            files.iter().any(|file| file.ends_with(&end)),
            "`{marked}` is not there"
        );
    }
    assert!(places >= 10, "{places} places");
    let table = text.split("## The engine, module by module").nth(1);
    let table = table
        .and_then(|rest| rest.split("\n\n**").next())
        .expect("the table");
    let engine = root().join("crates/waypost/src");
    let mut named = BTreeSet::new();
    for line in table.lines().filter(|line| line.starts_with("| `")) {
        let first = line.split('|').nth(1).unwrap_or_default();
        for module in first.split('`').skip(1).step_by(2) {
            let there =
                engine.join(module).is_dir() || engine.join(format!("{module}.rs")).is_file();
            assert!(there, "module `{module}` is not there");
            named.insert(module.to_string());
        }
    }
    for module in uses(&engine).keys() {
        assert!(
            named.contains(module),
            "module `{module}` is not in the table"
        );
    }
}

fn all_paths(folder: &Path) -> Vec<String> {
    let entries = fs::read_dir(folder).map(|entries| entries.flatten().collect());
    let entries: Vec<fs::DirEntry> = entries.unwrap_or_default();
    let mut paths = Vec::new();
    for path in entries.iter().map(fs::DirEntry::path) {
        paths.push(path.to_string_lossy().into_owned());
        if path.is_dir() {
            paths.extend(all_paths(&path));
        }
    }
    paths
}
