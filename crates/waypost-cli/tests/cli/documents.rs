//! Documents: links lead somewhere, and the guide's contents are whole.

use std::path::{Path, PathBuf};

/// The top of the repository.
pub fn top() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../..")
}

/// All Markdown files that people read, but for the reports of runs.
pub fn documents() -> Vec<PathBuf> {
    let mut found: Vec<PathBuf> = ["README", "ARCHITECTURE", "CONTRIBUTING", "CHANGELOG"]
        .map(|name| top().join(name).with_extension("md"))
        .to_vec();
    for folder in ["docs", "experiments"] {
        found.extend(files_below(&top().join(folder), "md"));
    }
    found.retain(|path| path.file_name().is_some_and(|name| name != "report.md"));
    found.sort();
    found
}

/// All files with this extension in a folder and those within it.
pub fn files_below(folder: &Path, extension: &str) -> Vec<PathBuf> {
    let mut found = Vec::new();
    let mut folders = vec![folder.to_path_buf()];
    while let Some(folder) = folders.pop() {
        for entry in std::fs::read_dir(&folder).expect("a folder") {
            let path = entry.expect("an entry").path();
            if path.is_dir() {
                folders.push(path);
            } else if path.extension().is_some_and(|e| e == extension) {
                found.push(path);
            }
        }
    }
    found
}

/// The places that a document links to, without those on the web.
pub fn links_of(text: &str) -> Vec<&str> {
    let links = text
        .split("](")
        .skip(1)
        .filter_map(|rest| rest.split(')').next());
    links
        .filter(|link| !link.contains("://") && !link.contains(char::is_whitespace))
        .collect()
}

#[test]
fn links_lead_to_files_and_headings() {
    let (mut seen, mut broken) = (0, Vec::new());
    for document in documents() {
        let text = std::fs::read_to_string(&document).expect("a document");
        let folder = document.parent().expect("a folder");
        for link in links_of(&text) {
            let (path, heading) = link.split_once('#').unwrap_or((link, ""));
            let target = match path {
                "" => document.clone(),
                path => folder.join(path),
            };
            seen += 1;
            let whole = target.exists() && (heading.is_empty() || has_heading(&target, heading));
            if !whole {
                broken.push(format!("{}: {link}", document.display()));
            }
        }
    }
    assert!(broken.is_empty(), "{}", broken.join("\n"));
    assert!(seen > 50, "{seen} links: were they found?");
}

fn has_heading(document: &Path, wanted: &str) -> bool {
    let text = std::fs::read_to_string(document).unwrap_or_default();
    let headings = text.lines().filter(|line| line.starts_with('#'));
    let mut anchors = headings.map(|line| {
        let words = line.trim_start_matches('#').trim().to_lowercase();
        let kept = words
            .chars()
            .filter(|c| c.is_alphanumeric() || " -_".contains(*c));
        kept.collect::<String>().replace(' ', "-")
    });
    anchors.any(|anchor| anchor == wanted)
}

/// A site that is made of the guide holds what is below its source: pictures from elsewhere would be missing.
#[test]
fn the_guide_has_its_pictures_beside_it() {
    let source = top().join("docs/guide/src").canonicalize();
    let source = source.expect("the guide");
    let mut seen = 0;
    for chapter in files_below(&source, "md") {
        let text = std::fs::read_to_string(&chapter).expect("a chapter");
        for picture in text
            .split("![")
            .skip(1)
            .flat_map(|rest| links_of(rest).into_iter().take(1))
        {
            let place = chapter
                .parent()
                .expect("a folder")
                .join(picture)
                .canonicalize();
            let place = place.unwrap_or_else(|error| panic!("{picture}: {error}"));
            assert!(
                place.starts_with(&source),
                "{}: {picture}",
                chapter.display()
            );
            seen += 1;
        }
    }
    assert!(seen > 2, "{seen} pictures: were they found?");
}

#[test]
fn the_guide_lists_all_of_its_chapters() {
    let source = top().join("docs/guide/src");
    let contents = std::fs::read_to_string(source.join("SUMMARY.md")).expect("the contents");
    for chapter in files_below(&source, "md") {
        let name = chapter.strip_prefix(&source).expect("below the guide");
        let name = name.display().to_string().replace('\\', "/");
        let listed = name == "SUMMARY.md" || contents.contains(&format!("({name})"));
        assert!(listed, "{name} is not in SUMMARY.md");
    }
}
