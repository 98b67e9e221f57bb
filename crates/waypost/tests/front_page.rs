//! What somebody tries who has read the front page alone, and the answers to mistakes.

use waypost::Error;
use waypost::prelude::*;

const LEVEL: &str = "
##########
#P...+..T#
#.##.#.###
#........#
##########
";

fn level() -> Map {
    let tile = |letter| match letter {
        '#' => Tile::Wall,
        '+' => Tile::ClosedDoor,
        '-' => Tile::OpenDoor,
        _ => Tile::Free,
    };
    Map::from_text(LEVEL, tile).expect("a good level")
}

#[test]
fn levels_drawn_as_text_have_walls_and_doors() {
    let nav = Navigator::build(level()).expect("it builds");
    let round = nav.distance((1, 1), (8, 1)).expect("round the door");
    assert_eq!(nav.set_door((5, 1), true).expect("a door"), 1);
    let through = nav.distance((1, 1), (8, 1)).expect("through the door");
    assert!(through < round && through == 7.0, "{through} {round}");
    let mut crowd = nav.crowd(CrowdOptions::default()).expect("a crowd");
    assert_eq!(crowd.set_door((5, 1), false).expect("a door"), 1);
    assert_eq!(crowd.set_doors([(5, 1)], []).expect("a door"), 1);
    // Lines of several lengths, and no line at all.
    let ragged = Map::from_text("..\n....\n.", |_| Tile::Free).expect("three rows");
    assert_eq!((ragged.grid().width(), ragged.grid().height()), (4, 3));
    assert_eq!(ragged.grid().passable_count(), 7);
    assert!(Map::from_text("\n\n", |_| Tile::Free).is_err());
}

#[test]
fn levels_drawn_as_text_have_ground_of_several_kinds() {
    let tile = |letter| match letter {
        '#' => Tile::Wall,
        '+' => Tile::ClosedDoor,
        's' => Tile::Ground("swamp", 4.0),
        _ => Tile::Free,
    };
    let nav = Navigator::build(Map::from_text(".ss.\n##+#\n....", tile).expect("a level"));
    let nav = nav.expect("it builds");
    assert_eq!(nav.distance((0, 0), (3, 0)).expect("a way"), 9.0);
    assert!(nav.path((0, 0), (0, 2)).is_err());
    nav.set_door((2, 1), true).expect("a door");
    assert_eq!(nav.distance((0, 0), (2, 2)).expect("a way"), 10.0);
    let heron = UnitType::new("heron").factor("swamp", 1.0).expect("fine");
    let heron = nav.add_unit_type(heron).expect("it builds");
    assert_eq!(heron.distance((0, 0), (3, 0)).expect("a way"), 3.0);
    let twice = |letter| match letter {
        's' => Tile::Ground("swamp", 4.0),
        _ => Tile::Ground("swamp", 5.0),
    };
    let error = Map::from_text("s.", twice).expect_err("two factors");
    assert!(error.to_string().contains("swamp"), "{error}");
    assert!(Map::from_text("s", |_| Tile::Ground("bog", 0.0)).is_err());
}

#[test]
fn mistakes_are_answered_with_what_to_do() {
    let nav = Navigator::build(level()).expect("it builds");
    let mut crowd = nav.crowd(CrowdOptions::default()).expect("a crowd");
    let unit = crowd.spawn((1, 1)).expect("a free cell");
    crowd.despawn(unit).expect("it was there");
    let other = Navigator::build(Map::from_fn(10, 6, |_| true).expect("a map")).expect("it builds");
    let said = |result: Result<String, Error>| result.expect_err("a mistake").to_string();
    let text = |what: &dyn std::fmt::Debug| format!("{what:?}");
    let answers = [
        (
            said(nav.path((1, 1), (0, 0)).map(|p| text(&p))),
            "0,0 is a wall, the nearest free cell is 1,1",
        ),
        (said(crowd.spawn((0, 0)).map(|p| text(&p))), "0,0"),
        (
            said(nav.set_door((2, 1), true).map(|p| text(&p))),
            "2,1 is no door of this map; `Map::and_doors`",
        ),
        (
            said(crowd.send(unit, (8, 1)).map(|p| text(&p))),
            "no walker has this id",
        ),
        (
            said(Navigator::open(level(), b"nothing of the sort".to_vec()).map(|_| String::new())),
            "no `.nav` file",
        ),
        (
            said(
                other
                    .save()
                    .and_then(|file| Navigator::open(level(), file))
                    .map(|_| String::new()),
            ),
            "map",
        ),
    ];
    for (answer, words) in answers {
        assert!(answer.contains(words), "{answer}: {words}");
    }
}

/// A small game is small: its level, its rules and all that moves.
#[test]
fn the_game_has_at_most_sixty_lines() {
    let game = include_str!("../examples/game.rs");
    assert!(game.lines().count() <= 60, "{}", game.lines().count());
}
