use super::*;
use waypost_testkit::shapes;

const SMALL: &str = "type octile\nheight 2\nwidth 3\nmap\n..@\nTGS\n";

fn error(text: &str) -> MapError {
    parse(text.as_bytes()).expect_err(text)
}

#[test]
fn every_variation_gives_the_same_grid() {
    let grid = parse(SMALL.as_bytes()).expect("a good map");
    let variations = [
        SMALL.replace('\n', "\r\n"),
        SMALL.trim_end().to_owned(),
        SMALL.replace('\n', "\r\n").trim_end().to_owned(),
        format!("{SMALL}\n\r\n  \n"),
        SMALL.replace("height 2\nwidth 3", "width 3\nheight 2"),
        SMALL.replace("height 2", "height\t 2 "),
        SMALL.replace("map\n", "map \n"),
        SMALL.replace("..@\n", "..@ \t\n"),
        format!("\u{feff}{SMALL}"),
    ];
    for text in variations {
        assert_eq!(parse(text.as_bytes()), Ok(grid.clone()), "{text:?}");
    }
    assert_eq!(
        write(&grid),
        b"type octile\nheight 2\nwidth 3\nmap\n..@\n@..\n"
    );
}

#[test]
fn written_maps_are_read_back() {
    for seed in 0..200 {
        let map = shapes::any(seed, 1, 150);
        let grid = parse(map.to_movingai().as_bytes()).expect("a good map");
        for (x, y) in map.open_cells() {
            assert!(grid.passable_cell(Point { x, y }).is_some());
        }
        assert_eq!(grid.passable_count(), map.open_cells().len() as u64);
        assert_eq!(
            String::from_utf8(write(&grid)),
            Ok(map.to_movingai()),
            "seed {seed}"
        );
    }
}

#[test]
fn headers_are_checked() {
    assert_eq!(error(""), MapError::Empty);
    assert_eq!(error(" \r\n \n"), MapError::Empty);
    let header = |line, column, expected, got: &str| MapError::Header {
        line,
        column,
        expected,
        got: got.to_owned(),
    };
    assert_eq!(
        error("height 2\n"),
        header(1, 1, "`type octile`", "`height 2`")
    );
    assert_eq!(
        error(&SMALL.replace("width 3\n", "")),
        header(3, 1, "`width` and a number", "`map`")
    );
    assert_eq!(
        error(&SMALL.replace("height 2\n", "")),
        header(3, 1, "`height` and a number", "`map`")
    );
    assert_eq!(
        error("type octile\nheight 2\nwidth 3"),
        header(4, 1, "`map`", "the end of the file")
    );
    assert_eq!(
        error(&SMALL.replace("width 3", "width 3 4")),
        header(3, 1, "`width` and a number", "`width 3 4`")
    );
    assert_eq!(
        error(&SMALL.replace("width 3", "height 3")),
        header(3, 1, "`width` and a number", "`height 3`")
    );
    assert_eq!(
        error(&SMALL.replace("octile", "tile")),
        MapError::Type {
            line: 1,
            column: 6,
            got: "`tile`".to_owned()
        }
    );
    assert!(matches!(error("\u{89}PNG\r\n"), MapError::Header { .. }));
    for (text, words) in [
        ("version 1\n", "problems"),
        ("version 2\nheight 5\n", "waypost crowd"),
        ("WAYPOST\u{1}", "index file"),
        ("waypost-graph 1\n", "graph"),
    ] {
        let error = error(text);
        assert!(matches!(error, MapError::Other { .. }), "{error}");
        assert!(error.to_string().contains(words), "{error}");
    }
}

#[test]
fn sides_are_checked() {
    for bad in ["0", "-3", "x", "3.0", "65536", "99999999999999999999"] {
        let text = SMALL.replace("width 3", &format!("width {bad}"));
        assert_eq!(
            error(&text),
            MapError::Side {
                line: 3,
                column: 7,
                field: "width",
                got: format!("`{bad}`")
            }
        );
        let text = SMALL.replace("height 2", &format!("height {bad}"));
        assert!(matches!(error(&text), MapError::Side { line: 2, .. }));
    }
}

#[test]
fn bodies_are_checked() {
    let row_length = |line, column, expected, got| MapError::RowLength {
        line,
        column,
        expected,
        got,
    };
    assert_eq!(error(&SMALL.replace("..@", "..")), row_length(5, 3, 3, 2));
    assert_eq!(error(&SMALL.replace("..@", "..@@")), row_length(5, 4, 3, 4));
    assert_eq!(error(&SMALL.replace("..@", "")), row_length(5, 1, 3, 0));
    assert_eq!(
        error(&SMALL.replace("..@", "..x")),
        MapError::Terrain {
            line: 5,
            column: 3,
            got: "`x`".to_owned()
        }
    );
    assert_eq!(
        error(&SMALL.replace("height 2", "height 3")),
        MapError::MissingRows {
            line: 6,
            expected: 3,
            got: 2
        }
    );
    assert!(matches!(
        error(&format!(
            "{}\n\n\n\n\n",
            SMALL.replace("height 2", "height 3")
        )),
        MapError::MissingRows {
            expected: 3,
            got: 2,
            ..
        }
    ));
    assert_eq!(
        error(&SMALL.replace("height 2", "height 1")),
        MapError::ExtraRows {
            line: 6,
            expected: 1,
            got: "`TGS`".to_owned()
        }
    );
}

#[test]
fn a_claim_is_not_believed_before_the_body_is_seen() {
    let text = "type octile\nheight 60000\nwidth 60000\nmap\n.....\n";
    assert!(matches!(error(text), MapError::RowLength { line: 5, .. }));
    let text = "type octile\nheight 65535\nwidth 65535\nmap\n";
    assert!(matches!(error(text), MapError::MissingRows { .. }));
}

#[test]
fn messages_say_where_what_and_how() {
    let text = error(&SMALL.replace("..@", "..x")).to_string();
    assert_eq!(
        text,
        "line 5, column 3: unknown terrain `x`; expected `.`, `G` or `S` (passable), `@`, `O`, `T` or `W` (blocked)"
    );
}

#[test]
fn written_levels_are_read_back_or_refused() {
    let mut rng = crate::rng::Rng::new(7);
    let mut refused = 0;
    for _ in 0..600 {
        let (width, height) = (1 + rng.below(9), 1 + rng.below(7));
        let names = [".", "S", "T", "@", "x", "W", "G", "O", "sand"];
        let mut kinds: Vec<Class> = Vec::new();
        for name in &names[..1 + rng.below(9) as usize] {
            let factor = [100, 100, 250][rng.below(3) as usize];
            let footing = Factor::from_hundredths(factor).map_or(Footing::Wall, Footing::Factor);
            let is_wall = rng.below(4) == 0 && !kinds.is_empty();
            kinds.push(Class {
                name: name.to_string(),
                footing: if is_wall { Footing::Wall } else { footing },
            });
        }
        let mut footings = crate::terrain::Footings::new();
        let cells = (0..width * height).map(|_| rng.below(kinds.len() as u32) as u8);
        let classes = Classes::new(width, height, kinds.clone(), cells.collect()).expect("good");
        let walls = rng.below(3);
        let grid = Grid::from_fn(width, height, |_| walls == 0 || rng.below(5) >= walls);
        let mut level = Level {
            classes: Some(classes),
            ..Level::plain(grid.expect("a legal size"))
        };
        if rng.below(2) == 0 {
            let doors = Grid::from_fn(width, height, |_| rng.below(9) == 0).expect("a legal size");
            assert!(level.add_doors(&doors));
        }
        let Ok(bytes) = write_level(&level) else {
            refused += 1;
            continue;
        };
        let text = String::from_utf8_lossy(&bytes).into_owned();
        let body = text.split_once("map\n").map_or("", |(_, body)| body);
        for class in &kinds {
            if body.contains(&class.name) || LETTERS.contains(&&*class.name) {
                footings.set(&class.name, class.footing);
            }
        }
        let reading = Reading {
            footings,
            door_letters: DOOR_LETTERS.to_string(),
        };
        let again = parse_level(&bytes, &reading).expect("what we write we read");
        assert!(again.is_same(&level), "{level:?}\n{text}");
        let rules = crate::grid::MoveRules::default();
        let maps = [&level, &again].map(|level| level.map(rules, 1).expect("a map"));
        // A class that no cell has can make a map one with terrain, and is not in the file.
        let matter = |level: &Level| level.classes.as_ref().is_some_and(Classes::matter);
        if matter(&level) == matter(&again) {
            assert_eq!(maps[0].file_fingerprint(), maps[1].file_fingerprint());
        }
    }
    assert!((20..150).contains(&refused), "{refused} of 600");
}

#[test]
fn doors_and_walls_stand_on_ground_of_their_own() {
    let text =
        "type octile\nheight 2\nwidth 5\nmap\n.dDS@\nSSS@@\nground 1 0 2 S\nground 3 1 2 S\n";
    let reading = Reading {
        footings: crate::terrain::Footings::parse("S=2").expect("good"),
        door_letters: DOOR_LETTERS.to_string(),
    };
    let read = |text: &str| parse_level(text.as_bytes(), &reading);
    let level = read(text).expect("a level");
    let classes = level.classes.as_ref().expect("classes");
    let name = |x, y| &*classes.kinds()[usize::from(classes.at(Point { x, y }))].name;
    assert_eq!(
        [(1, 0), (2, 0), (4, 0), (4, 1)].map(|(x, y)| name(x, y)),
        ["S", "S", "@", "S"]
    );
    assert_eq!(
        String::from_utf8(write_level(&level).expect("letters")).as_deref(),
        Ok(text)
    );
    // Who asks for walls alone may have the file too.
    let walls = SMALL.to_string() + "ground 2 0 1 S\n\nground 0 1 1 G\n";
    assert_eq!(parse(walls.as_bytes()), parse(SMALL.as_bytes()));
    for bad in [
        "ground 0 0 1 S", // floor
        "ground 2 0 1 x", // no letter of the map
        "ground 2 0 1 d", // a door
        "ground 2 0 0 S",
        "ground 2 0 3 S", // beyond the row
        "ground 2 2 1 S",
        "ground 2 0 1",
        "ground 2 0 1 S S",
        "ground 2 0 1 SS",
        "ground 3 1 1 S\nground 2 0 1 S",
        "ground 3 1 2 S\nground 4 1 1 S",
    ] {
        let rows = &text[..text.find("ground").expect("it has some")];
        let error = read(&format!("{rows}{bad}\n")).expect_err(bad);
        assert!(
            matches!(error, MapError::Ground { line: 7 | 8, .. }),
            "{bad}: {error}"
        );
    }
}
