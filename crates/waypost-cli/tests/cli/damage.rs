//! Damaged artifacts, full disks, killed programs.

use crate::support::{Place, Ran, assert_says, binary};
use std::process::{Command, Stdio};
use std::time::Duration;

#[test]
fn damaged_artifacts_are_refused() {
    let place = Place::with_map();
    place.done("scen m.map --count 2 -o m.scen");
    place.done("build jump m.map -o good");
    let good = place.read("good");
    place.done("verify good");
    let verified = place.json("verify good --map m.map");
    assert_eq!(verified["valid"], true);
    assert_eq!(verified["index"], "jump");

    let mut flipped = good.clone();
    let middle = flipped.len() / 2;
    flipped[middle] ^= 4;
    let mut longer = good.clone();
    longer.push(0);
    let cases: [(&str, Vec<u8>, &str); 6] = [
        ("empty", Vec::new(), "not an index file of Waypost"),
        (
            "text",
            b"hello there".to_vec(),
            "not an index file of Waypost",
        ),
        ("cut", good[..good.len() - 9].to_vec(), "cut off"),
        ("stub", good[..20].to_vec(), "cut off"),
        ("flipped", flipped, "checksum"),
        ("longer", longer, "damaged"),
    ];
    for (name, bytes, word) in cases {
        place.write(name, bytes);
        let ran = place.run(&format!("verify {name}"));
        assert_eq!(ran.code, Some(1), "{name}: {}", ran.stderr);
        assert_says(&ran.stderr, &["error: ", name, word]);
        assert_eq!(ran.stderr.lines().count(), 1);
        let error = place.refused(&format!(
            "bench m.map --scen m.scen --algo astar --index {name}"
        ));
        assert_says(&error, &[name, word]);
        place.refused(&format!("merge {name} -o whole"));
    }
    assert_says(&place.refused("verify none"), &["none"]);
}

#[test]
fn artifacts_of_other_maps_and_rules_are_refused() {
    let place = Place::with_map();
    place.done("gen caves --width 60 --height 40 --seed 6 -o other.map");
    place.done("build jump m.map -o m.jump");
    let wrong_map = place.run("verify m.jump --map other.map");
    assert_eq!(wrong_map.code, Some(1));
    assert_says(&wrong_map.stderr, &["another map", "rebuild"]);
    place.write("m.scen", "version 1\n0 m.map 60 40 1 1 1 1 0\n");
    let bench = "bench m.map --scen m.scen --algo astar --index m.jump";
    assert_says(
        &place.refused(&format!("{bench} --costs 1.4")),
        &["m.jump", "rules", "rebuild"],
    );
}

/// A limit on the size of files stands for a full disk: writing fails half way.
#[cfg(unix)]
#[test]
fn a_full_disk_leaves_the_old_file() {
    let place = Place::with_map();
    place.write("out.map", "precious");
    let script = format!(
        "trap '' XFSZ; ulimit -f 8; exec '{}' gen arena --width 900 --height 900 -o out.map",
        binary()
    );
    let ran = Ran::of(
        Command::new("sh")
            .args(["-c", &script])
            .current_dir(place.path(".")),
    );
    if ran.code == Some(0) {
        println!("skipped: this system does not limit the size of files");
        return;
    }
    ran.assert_refused("a full disk");
    assert_says(&ran.stderr, &["out.map", "kept"]);
    assert_eq!(place.read("out.map"), b"precious");
    assert_eq!(place.names(), ["m.map", "out.map"]);
}

/// Devices are written to, never replaced.
#[cfg(target_os = "linux")]
#[test]
fn a_device_that_is_full_says_so() {
    let place = Place::new();
    let error = place.refused("gen maze --width 20 --height 20 -o /dev/full");
    assert_says(&error, &["/dev/full"]);
    place.done("gen maze --width 20 --height 20 -o /dev/null");
    use std::os::unix::fs::FileTypeExt;
    for device in ["/dev/full", "/dev/null"] {
        let kind = std::fs::metadata(device).expect("a device").file_type();
        assert!(kind.is_char_device(), "{device}");
    }
}

/// The old index, or the whole new one: never something between.
#[test]
fn a_killed_build_leaves_no_broken_file() {
    let place = Place::new();
    place.done("gen arena --width 300 --height 300 --seed 3 -o m.map");
    let build = [
        "build",
        "subgoals",
        "m.map",
        "--records",
        "3000",
        "-o",
        "m.db",
    ];
    let arguments = |records: &str| {
        build.map(|word| {
            if word == "3000" {
                records.to_string()
            } else {
                word.to_string()
            }
        })
    };
    assert!(Ran::of(&mut place.command(arguments("50"))).code == Some(0));
    let old = place.read("m.db");
    for milliseconds in [1, 5, 20, 60, 150, 400] {
        let mut child = place
            .command(arguments("3000"))
            .stdout(Stdio::null())
            .stderr(Stdio::null())
            .spawn()
            .expect("the binary runs");
        std::thread::sleep(Duration::from_millis(milliseconds));
        child.kill().expect("killed or done");
        child.wait().expect("ended");
        let now = place.read("m.db");
        if now != old {
            place.done("verify m.db --map m.map");
        }
    }
}
