//! Hole 7: an output never destroys an input or another output, keeps modes, follows links, and adds to streams.
#![cfg(unix)]

use crate::support::{Place, Ran, assert_says, binary};
use std::os::unix::fs::{PermissionsExt, symlink};
use std::process::Command;

/// A folder with a map, problems, a scenario of its own, an image, a Tiled map, an index, and other names of them.
fn furnished() -> Place {
    let place = Place::with_map();
    place.done("scen m.map --count 3 -o m.scen");
    place.done("build jump m.map -o m.jump");
    place.done("build subgoals m.map --records 20 --shard 1/2 -o part1");
    place.done("build subgoals m.map --records 20 --shard 2/2 -o part2");
    symlink("m.map", place.path("link.map")).expect("a link");
    std::fs::hard_link(place.path("m.map"), place.path("hard.map")).expect("a hard link");
    std::fs::create_dir(place.path("sub")).expect("a folder");
    place.write(
        "tiles.tsx",
        "<tileset name=\"t\" tilewidth=\"8\" tileheight=\"8\" tilecount=\"2\" columns=\"2\"><tile id=\"1\"><properties>\
         <property name=\"blocked\" type=\"bool\" value=\"true\"/></properties></tile></tileset>",
    );
    place.write(
        "m.tmx",
        "<map orientation=\"orthogonal\" width=\"3\" height=\"1\" tilewidth=\"8\" tileheight=\"8\" infinite=\"0\">\
         <tileset firstgid=\"1\" source=\"tiles.tsx\"/>\
         <layer name=\"l\" width=\"3\" height=\"1\"><data encoding=\"csv\">1,2,1</data></layer></map>",
    );
    place
}

/// The ends of the first problem, as arguments.
fn somewhere(place: &Place) -> String {
    let scenario = String::from_utf8(place.read("m.scen")).expect("text");
    let line = scenario.lines().nth(1).expect("a problem");
    let fields: Vec<&str> = line.split('\t').collect();
    format!(
        "--from {},{} --to {},{}",
        fields[4], fields[5], fields[6], fields[7]
    )
}

#[test]
fn hole_07_an_output_is_never_an_input() {
    let place = furnished();
    for (file, link) in [
        ("m.map", "map.png"),
        ("m.map", "map.gif"),
        ("m.jump", "jump.png"),
        ("m.jump", "jump.gif"),
    ] {
        symlink(file, place.path(link)).expect("a link");
    }
    let before: Vec<Vec<u8>> = place.files().iter().map(|name| place.read(name)).collect();
    let from = somewhere(&place);
    for line in [
        "build sectors m.map -o m.map".to_string(),
        "build sectors m.map -o ./sub/../m.map".to_string(),
        "build sectors m.map -o link.map".to_string(),
        "build sectors link.map -o m.map".to_string(),
        "build sectors m.map -o hard.map".to_string(),
        "build jump m.tmx -o tiles.tsx".to_string(),
        "scen m.map --count 3 -o m.map".to_string(),
        "scale m.map 2 -o link.map".to_string(),
        "merge part1 part2 -o part2".to_string(),
        format!("solve m.map {from} --png map.png"),
        format!("solve m.map {from} --trace hard.map"),
        format!("solve m.map {from} --index m.jump --png jump.png"),
        "crowd m.map --agents 2 --ticks 2 --gif map.gif".to_string(),
        "crowd m.map --agents 2 --ticks 2 --index m.jump --gif jump.gif".to_string(),
    ] {
        let error = place.refused(&line);
        assert!(
            error.contains("the same file") || error.contains("tiles.tsx"),
            "{line}: {error}"
        );
        for (name, old) in place.files().iter().zip(&before) {
            assert_eq!(place.read(name), *old, "{line} changed {name}");
        }
    }
}

#[test]
fn hole_07_two_outputs_are_never_one_file() {
    let place = furnished();
    symlink("later.png", place.path("dangling.png")).expect("a link");
    for (png, trace) in [
        ("out.png", "out.png"),
        ("out.png", "./out.png"),
        ("out.png", "sub/../out.png"),
        ("dangling.png", "later.png"),
    ] {
        let from = somewhere(&place);
        let error = place.refused(&format!("solve m.map {from} --png {png} --trace {trace}"));
        assert_says(&error, &["the same file", "two outputs"]);
    }
}

#[test]
fn hole_07_the_lab_spares_its_own_inputs() {
    let place = Place::new();
    std::fs::create_dir(place.path("out")).expect("a folder");
    let suite = place.done("lab all-methods --print-suite").stdout;
    place.write("out/records.jsonl", &suite);
    let error = place.refused(
        "lab all-methods --quick --fresh --suite out/records.jsonl --out out --problems 1",
    );
    assert_says(&error, &["the same file"]);
    assert_eq!(place.read("out/records.jsonl"), suite.as_bytes());
}

#[test]
fn hole_07_standard_input_counts_as_its_file() {
    let place = Place::with_map();
    let map = place.read("m.map");
    let script = format!("'{}' scale - 2 -o m.map < m.map", binary());
    let ran = shell(&place, &script);
    ran.assert_refused(&script);
    assert_eq!(place.read("m.map"), map);
}

#[test]
fn hole_07_files_keep_their_mode_and_links_stay_links() {
    let place = Place::with_map();
    let mode = |name: &str| {
        let about = std::fs::metadata(place.path(name)).expect("a file");
        about.permissions().mode() & 0o7777
    };
    for kept in [0o600, 0o640, 0o666, 0o755] {
        let path = place.write("out.map", "old");
        std::fs::set_permissions(&path, PermissionsExt::from_mode(kept)).expect("a mode");
        place.done("scale m.map 2 -o out.map");
        assert_eq!(mode("out.map"), kept);
        std::fs::remove_file(path).expect("it was there");
    }
    let path = place.write("new", "");
    let usual = mode("new");
    std::fs::remove_file(path).expect("it was there");
    place.done("scale m.map 2 -o new");
    assert_eq!(mode("new"), usual, "a new file has the mode of any other");

    std::fs::create_dir(place.path("sub")).expect("a folder");
    symlink("sub/real.map", place.path("first.map")).expect("a link");
    symlink("first.map", place.path("second.map")).expect("a link");
    for round in ["dangling", "leading to a file"] {
        place.done("scale m.map 2 -o second.map");
        for link in ["first.map", "second.map"] {
            let about = std::fs::symlink_metadata(place.path(link)).expect("a link");
            assert!(about.is_symlink(), "{link}, {round}");
        }
        assert!(!place.read("sub/real.map").is_empty(), "{round}");
        std::fs::write(place.path("sub/real.map"), "old").expect("written");
    }
    symlink("nowhere/x.map", place.path("lost.map")).expect("a link");
    assert_says(
        &place.refused("scale m.map 2 -o lost.map"),
        &["nowhere", "does not exist"],
    );
    symlink("loop.map", place.path("loop.map")).expect("a link");
    place.refused("scale m.map 2 -o loop.map");
}

#[test]
fn hole_07_standard_output_is_added_to_and_pipes_are_written() {
    let place = Place::with_map();
    let scaled = {
        place.done("scale m.map 1 -o copy.map");
        place.read("copy.map")
    };
    place.write("log", "first line\n");
    let waypost = binary();
    for out in ["/dev/stdout", "/dev/fd/1", "/proc/self/fd/1"] {
        place.write("log", "first line\n");
        let script = format!("'{waypost}' scale m.map 1 -o {out} >> log");
        assert_eq!(shell(&place, &script).code, Some(0), "{script}");
        let log = place.read("log");
        let rest = log.strip_prefix(b"first line\n").expect("the log is kept");
        assert!(rest.starts_with(&scaled), "{script}");
    }
    let script = format!("'{waypost}' scale m.map 1 -o /dev/fd/3 3>> log");
    place.write("log", "first line\n");
    assert_eq!(shell(&place, &script).code, Some(0), "{script}");
    assert_eq!(place.read("log")[11..], scaled);
    let script = format!(
        "mkfifo pipe; cat pipe > got & '{waypost}' scale m.map 1 -o pipe > note; wait; [ -p pipe ]"
    );
    assert_eq!(shell(&place, &script).code, Some(0), "{script}");
    assert_eq!(place.read("got"), scaled);
}

#[test]
fn hole_07_a_file_that_may_not_be_written_is_kept() {
    let place = Place::with_map();
    let path = place.write("out.map", "precious");
    std::fs::set_permissions(&path, PermissionsExt::from_mode(0o444)).expect("a mode");
    if std::fs::File::options().append(true).open(&path).is_ok() {
        println!("skipped: this user may write anything");
        return;
    }
    assert_says(
        &place.refused("scale m.map 2 -o out.map"),
        &["out.map", "writable"],
    );
    assert_eq!(place.read("out.map"), b"precious");
}

fn shell(place: &Place, script: &str) -> Ran {
    Ran::of(
        Command::new("sh")
            .args(["-c", script])
            .current_dir(place.path(".")),
    )
}
