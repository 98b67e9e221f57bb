//! Map and scenario files, good and bad, and where outputs go.

use crate::support::{Place, assert_says};

const TINY: &str = "type octile\nheight 2\nwidth 3\nmap\n...\n.@.\n";

#[test]
fn bad_maps_are_refused_with_the_place_of_the_fault() {
    let place = Place::new();
    place.write("good.map", TINY);
    for (name, text, words) in [
        ("empty.map", "", &["empty"][..]),
        ("blank.map", "\n\n \n", &["empty"]),
        ("prose.map", "hello\n", &["line 1", "type octile"]),
        (
            "type.map",
            "type hex\nheight 1\nwidth 1\nmap\n.\n",
            &["line 1", "octile"],
        ),
        (
            "zero.map",
            "type octile\nheight 0\nwidth 1\nmap\n",
            &["line 2", "height"],
        ),
        (
            "minus.map",
            "type octile\nheight -2\nwidth 1\nmap\n",
            &["line 2", "-2"],
        ),
        (
            "word.map",
            "type octile\nheight two\nwidth 1\nmap\n",
            &["line 2", "two"],
        ),
        (
            "huge.map",
            "type octile\nheight 65535\nwidth 65535\nmap\n.\n",
            &["huge.map"],
        ),
        (
            "short.map",
            "type octile\nheight 2\nwidth 3\nmap\n...\n",
            &["rows"],
        ),
        (
            "narrow.map",
            "type octile\nheight 2\nwidth 3\nmap\n..\n...\n",
            &["line 5", "3 cells"],
        ),
        (
            "long.map",
            "type octile\nheight 1\nwidth 3\nmap\n...\n...\n",
            &["line 6"],
        ),
        (
            "letter.map",
            "type octile\nheight 1\nwidth 3\nmap\n.x.\n",
            &["line 5, column 2", "x"],
        ),
    ] {
        place.write(name, text);
        let error = place.refused(&format!("info {name}"));
        assert_says(&error, &[name]);
        assert_says(&error, words);
    }
    assert_says(&place.refused("info none.map"), &["none.map"]);
    assert_says(&place.refused("info ."), &["folder"]);
    assert_eq!(place.json("info good.map")["passable"], 5);
}

#[test]
fn bad_scenarios_are_refused() {
    let place = Place::new();
    place.write("m.map", TINY);
    let line = |rest: &str| format!("version 1\n0\tm.map\t3\t2\t{rest}\n");
    for (text, words) in [
        (String::new(), &["empty"][..]),
        ("version 9\n".to_string(), &["version"]),
        (line("0\t0\t2"), &["line 2", "9 fields"]),
        (line("0\t0\t2\t9\t2.0"), &["line 2", "outside"]),
        (line("0\t0\t2\tx\t2.0"), &["line 2", "`x`"]),
        (
            "version 1\n0\tm.map\t30\t20\t0\t0\t2\t0\t2.0\n".to_string(),
            &["30 x 20", "3 x 2"],
        ),
    ] {
        place.write("m.scen", &text);
        let error = place.refused("check m.map m.scen");
        assert_says(&error, &["m.scen"]);
        assert_says(&error, words);
        place.refused("bench m.map --scen m.scen --algo astar");
    }
}

#[test]
fn check_counts_right_wrong_and_unsolvable() {
    let place = Place::new();
    place.write(
        "m.map",
        "type octile\nheight 2\nwidth 5\nmap\n...@.\n.@.@.\n",
    );
    let scen = |lengths: &[(&str, &str)]| {
        let mut text = String::from("version 1\n");
        for (ends, length) in lengths {
            text += &format!("0 m.map 5 2 {ends} {length}\n");
        }
        text
    };
    place.write(
        "good.scen",
        scen(&[("0 0 2 1", "3.00000000"), ("0 0 0 0", "0")]),
    );
    let good = place.json("check m.map good.scen");
    assert_eq!((&good["problems"], &good["wrong"]), (&2.into(), &0.into()));

    place.write(
        "mixed.scen",
        scen(&[
            ("0 0 2 1", "3.0"),
            ("0 0 2 1", "3.5"),
            ("0 0 4 1", "7.0"),
            ("0 0 3 0", "3.0"),
            ("0 0 4 0", "0"),
            ("0 0 2 0", "0"),
        ]),
    );
    let ran = place.run("check m.map mixed.scen --json");
    assert_eq!(ran.code, Some(1), "{}", ran.stderr);
    let mixed = ran.json();
    assert_eq!(mixed["problems"], 6);
    assert_eq!(mixed["wrong"], 2, "{mixed}");
    assert_eq!(mixed["unsolvable"], 3, "{mixed}");
    assert_eq!(mixed["wrong_problems"][0]["problem"], 2);
    assert_eq!(mixed["wrong_problems"][0]["found"], 3.0);
    let text = place.run("check m.map mixed.scen");
    assert_says(
        &text.stdout,
        &["6 problems, 2 wrong, 3 unsolvable", "problem 2"],
    );
    let cutting = place.run("check m.map good.scen --corners always --json");
    assert_eq!(cutting.code, Some(1));
    assert_eq!(cutting.json()["wrong"], 1, "shorter round the corner");
}

#[test]
fn maps_come_from_standard_input_too() {
    use std::io::Write;
    use std::process::Stdio;
    let place = Place::new();
    let mut child = place
        .command(["info", "-", "--json"])
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .spawn()
        .expect("the binary runs");
    let mut stdin = child.stdin.take().expect("a pipe");
    stdin.write_all(TINY.as_bytes()).expect("written");
    drop(stdin);
    let output = child.wait_with_output().expect("it ends");
    let json: serde_json::Value = serde_json::from_slice(&output.stdout).expect("JSON");
    assert_eq!(json["width"], 3);
}

#[test]
fn outputs_need_a_folder_and_leave_nothing_else_behind() {
    let place = Place::new();
    let error = place.refused("gen maze --width 20 --height 20 -o none/m.map");
    assert_says(&error, &["none/m.map", "does not exist", "create it"]);
    assert_says(
        &place.refused("gen maze --width 20 --height 20 -o ."),
        &["folder"],
    );
    assert_eq!(place.names(), Vec::<String>::new());
    place.done("gen maze --width 20 --height 20 -o m.map");
    place.done("scale m.map 3 -o big.map");
    place.done("build jump m.map -o m.jump");
    assert_eq!(place.names(), ["big.map", "m.jump", "m.map"]);
    let (small, big) = (place.json("info m.map"), place.json("info big.map"));
    assert_eq!(big["width"], 60);
    assert_eq!(
        big["passable"].as_u64(),
        small["passable"].as_u64().map(|n| n * 9)
    );
    assert_says(&place.refused("scale m.map 0 -o x.map"), &["0"]);
    assert_says(&place.refused("scale m.map 9999 -o x.map"), &["65,535"]);
}

#[test]
fn inputs_are_checked_before_outputs_are_touched() {
    let place = Place::with_map();
    place.write("out.map", "precious");
    place.write("bad.map", "not a map");
    place.refused("scale bad.map 2 -o out.map");
    place.refused("scen bad.map --count 5 -o out.map");
    place.refused("build jump bad.map -o out.map");
    place.refused("scen m.map --count 5 --min-cost 90000 --max-cost 90001 -o out.map");
    assert_eq!(place.read("out.map"), b"precious");
}

#[test]
fn images_are_maps_too() {
    let place = Place::with_map();
    place.done("scale m.map 1 -o m.png");
    let (map, image) = (place.json("info m.map"), place.json("info m.png"));
    assert_eq!(map["fingerprint"], image["fingerprint"]);
    let dark = place.json("info m.png --threshold 0");
    assert_eq!(dark["passable"], 60 * 40);
    assert_says(
        &place.refused("info m.map --threshold 9"),
        &["--threshold", "m.map", "PNG"],
    );
    let whole = place.read("m.png");
    place.write("cut.png", &whole[..whole.len() / 2]);
    assert_says(&place.refused("info cut.png"), &["cut.png"]);
    place.write("empty.png", "");
    assert_says(&place.refused("info empty.png"), &["empty.png"]);
    let mut claims = whole[..60].to_vec();
    claims[16..24].copy_from_slice(&[0, 0, 0xea, 0x60, 0, 0, 0xea, 0x60]);
    place.write("bomb.png", claims);
    assert_says(&place.refused("info bomb.png"), &["bomb.png"]);
}

#[test]
fn tiled_maps_are_maps_too() {
    let place = Place::new();
    let tmx = |data: &str| {
        format!(
            "<map orientation=\"orthogonal\" width=\"3\" height=\"2\" tilewidth=\"8\" tileheight=\"8\" infinite=\"0\">\
             <tileset firstgid=\"1\" name=\"t\" tilewidth=\"8\" tileheight=\"8\" tilecount=\"2\" columns=\"2\">\
             <tile id=\"1\"><properties><property name=\"blocked\" type=\"bool\" value=\"true\"/></properties></tile>\
             </tileset><layer name=\"walls\" width=\"3\" height=\"2\"><data encoding=\"csv\">{data}</data></layer></map>"
        )
    };
    place.write("m.tmx", tmx("1,2,0,\n0,2,0"));
    assert_eq!(place.json("info m.tmx")["passable"], 4);
    assert_eq!(
        place.json("info m.tmx --blocked-layer walls")["passable"],
        3
    );
    assert_says(
        &place.refused("info m.tmx --blocked-layer floor"),
        &["m.tmx", "floor", "walls"],
    );
    assert_says(
        &place.refused("info m.tmx --blocked-property solid"),
        &["solid", "--blocked-layer"],
    );
    place.write("bad.tmx", tmx("1,2"));
    assert_says(&place.refused("info bad.tmx"), &["bad.tmx"]);
}
