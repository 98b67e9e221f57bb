//! Holes 8 and 9: numbers and streams without an end meet declared limits.

use crate::support::{Place, assert_says};

fn scenario(place: &Place, frame: &str) {
    place.write(
        "walls.patch",
        "type patch\npatches 1\npatch 0\nheight 1\nwidth 1\nmap\n@\n",
    );
    place.write(
        "d.scen",
        format!(
            "version 2\nheight 8\nwidth 12\ncost 1 octile\npatch walls.patch\ncommands\nQ {frame} 0 1 11 1 11\n"
        ),
    );
}

#[test]
fn hole_08_frames_have_a_limit() {
    let place = Place::new();
    for frame in ["1000001", "2000000000", "4294967295", "99999999999"] {
        scenario(&place, frame);
        assert_says(&place.refused("crowd d.scen"), &["d.scen", "line 7", frame]);
    }
    scenario(&place, "1000000");
    let run = place.json("crowd d.scen --algo astar");
    assert_eq!(run["arrived"], 1);
    assert_eq!(run["replay"]["frames"], 1_000_001);
}

#[test]
fn hole_09_agents_have_a_limit() {
    let place = Place::with_map();
    for agents in ["4294967295", "16777217", "99999999999999999999"] {
        let error = place.refused(&format!("crowd m.map --ticks 1 --agents {agents}"));
        assert_says(&error, &["--agents", agents]);
    }
}

#[test]
fn problems_have_a_limit() {
    let place = Place::with_map();
    for (count, said) in [
        ("10000001", "10,000,001"),
        ("9223372036854775808", "9223372036854775808"),
        ("18446744073709551615", "18446744073709551615"),
    ] {
        let error = place.refused(&format!("scen m.map --count {count}"));
        assert_says(&error, &[said, "at most 10,000,000"]);
    }
}

#[cfg(target_os = "linux")]
#[test]
fn hole_09_streams_without_an_end_are_refused() {
    use crate::support::{Ran, binary};
    use std::process::Command;
    let place = Place::with_map();
    // A limit on the whole address space shows that no more than the declared bytes are taken.
    let limited = |arguments: &str| {
        let script = format!("ulimit -v 3000000; exec '{}' {arguments}", binary());
        Ran::of(
            Command::new("sh")
                .args(["-c", &script])
                .current_dir(place.path(".")),
        )
    };
    for (arguments, word) in [
        ("info /dev/zero", "/dev/zero"),
        ("info - < /dev/zero", "standard input"),
        ("check m.map /dev/zero", "/dev/zero"),
        ("verify /dev/zero", "/dev/zero"),
    ] {
        let ran = limited(arguments);
        assert!(
            matches!(ran.code, Some(1 | 2)),
            "{arguments}: {:?}",
            ran.code
        );
        assert_says(&ran.stderr, &["error: ", word]);
        assert_eq!(ran.stderr.lines().count(), 1, "{}", ran.stderr);
    }
    place.write(
        "m.tmx",
        "<map orientation=\"orthogonal\" width=\"1\" height=\"1\" tilewidth=\"8\" tileheight=\"8\" infinite=\"0\">\
         <tileset firstgid=\"1\" source=\"/dev/zero\"/>\
         <layer name=\"l\" width=\"1\" height=\"1\"><data encoding=\"csv\">1</data></layer></map>",
    );
    limited("info m.tmx").assert_refused("a tileset without an end");
    let huge = std::fs::File::create(place.path("huge.map")).expect("a file");
    if huge.set_len(5 << 30).is_ok() {
        assert_says(
            &limited("info huge.map").stderr,
            &["huge.map", "expected up to"],
        );
    }
}
