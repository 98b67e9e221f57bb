use super::*;

const TABS: &str = "version 1\n\
    1\tmaps/rooms/32room_000.map\t512\t400\t479\t146\t477\t142\t4.82843\n\
    190\tmaps/rooms/32room_000.map\t512\t400\t13\t369\t443\t4\t760.938\n";

fn error(text: &str) -> ScenError {
    parse(text.as_bytes()).expect_err(text)
}

fn with_line(line: &str) -> String {
    format!("version 1\n{line}\n")
}

#[test]
fn tabs_spaces_and_line_ends_make_no_difference() {
    let problems = parse(TABS.as_bytes()).expect("a good file");
    assert_eq!(problems.len(), 2);
    let first = &problems[0];
    assert_eq!((first.bucket, first.width, first.height), (1, 512, 400));
    assert_eq!(
        (first.start, first.goal),
        (point(479, 146), point(477, 142))
    );
    assert_eq!(&*first.map_name, "maps/rooms/32room_000.map");
    assert!(first.agrees_with(2.0 + 2.0 * std::f64::consts::SQRT_2));
    assert!(!first.agrees_with(4.8285));
    assert!(Arc::ptr_eq(&first.map_name, &problems[1].map_name));
    for text in [
        TABS.replace('\t', " "),
        TABS.replace('\n', "\r\n"),
        TABS.trim_end().to_owned(),
        format!("{TABS}\n\n"),
        TABS.replace("version 1", "version 1.0"),
        TABS.replace("version 1", "version\t1 "),
    ] {
        assert_eq!(parse(text.as_bytes()), Ok(problems.clone()), "{text:?}");
    }
    assert_eq!(parse(b"version 1\n"), Ok(vec![]));
}

#[test]
fn names_may_hold_spaces() {
    for separator in ["\t", " "] {
        let line = ["0", "my maps/a b  c.map", "8", "8", "0", "0", "1", "0", "1"].join(separator);
        let problems = parse(with_line(&line).as_bytes()).expect("a good file");
        assert_eq!(&*problems[0].map_name, "my maps/a b  c.map");
        assert_eq!(problems[0].length, 1.0);
    }
}

#[test]
fn written_files_are_read_back() {
    let mut problems = parse(TABS.as_bytes()).expect("a good file");
    let written = parse(&write(&problems)).expect("a good file");
    for (problem, written) in problems.iter_mut().zip(&written) {
        assert!(written.tolerance < 1e-4);
        problem.tolerance = written.tolerance;
    }
    assert_eq!(problems, written);
    problems[0].map_name = "a\tb\nc".into();
    assert_eq!(
        &*parse(&write(&problems)).expect("a good file")[0].map_name,
        "a b c"
    );
}

#[test]
fn versions_are_checked() {
    assert_eq!(error(""), ScenError::Empty);
    assert_eq!(error("\r\n\n"), ScenError::Empty);
    for bad in [
        "1\ta.map\t8\t8\t0\t0\t1\t0\t1\n",
        "version 3\n",
        "version\n",
        "version 1 2\n",
    ] {
        assert!(
            matches!(error(bad), ScenError::Version { line: 1, .. }),
            "{bad}"
        );
    }
    assert!(
        error("version 2\nheight 3\n")
            .to_string()
            .contains("waypost crowd")
    );
}

#[test]
fn lines_are_checked() {
    let good = "0\ta.map\t8\t6\t1\t2\t3\t4\t2.83";
    assert!(parse(with_line(good).as_bytes()).is_ok());
    assert_eq!(
        error(&with_line("0\ta.map\t8\t6\t1\t2\t3\t4")),
        ScenError::Fields {
            line: 2,
            column: 20,
            got: 8
        }
    );
    assert!(matches!(
        error(&with_line("0")),
        ScenError::Fields { got: 1, .. }
    ));
    let number = |text: &str| match error(&with_line(text)) {
        ScenError::Number {
            column, expected, ..
        } => (column, expected),
        other => panic!("{other}"),
    };
    assert_eq!(
        number(&good.replace("0\ta", "x\ta")),
        (1, "a bucket number")
    );
    assert_eq!(number(&good.replace("\t8\t", "\t-8\t")), (9, "width"));
    assert_eq!(number(&good.replace("\t3\t", "\t3.5\t")), (17, "goal x"));
    assert_eq!(number(&good.replace("2.83", "nan")), (21, "a length"));
    assert_eq!(number(&good.replace("2.83", "-2.83")), (21, "a length"));
}

#[test]
fn ends_must_lie_inside() {
    let outside = |text: &str| match error(&with_line(text)) {
        ScenError::Outside {
            column, end, point, ..
        } => (column, end, point),
        other => panic!("{other}"),
    };
    let start = (13, End::Start, point(8, 2));
    assert_eq!(outside("0\ta.map\t8\t6\t8\t2\t3\t4\t2.83"), start);
    let goal = (17, End::Goal, point(3, 6));
    assert_eq!(outside("0\ta.map\t8\t6\t1\t2\t3\t6\t2.83"), goal);
}

#[test]
fn problems_meet_their_map() {
    let mut grid = Grid::blocked(8, 6).expect("a legal size");
    let text = with_line("0\ta.map\t8\t6\t1\t2\t3\t4\t0");
    let problems = parse(text.as_bytes()).expect("a good file");
    assert!(problems[0].claims_unreachable());
    assert_eq!(check_size(&problems, &grid), Ok(()));
    let blocked = |end, point| Err(ScenError::Blocked { end, point });
    assert_eq!(problems[0].ends(&grid), blocked(End::Start, point(1, 2)));
    grid.set(point(1, 2), true);
    assert_eq!(problems[0].ends(&grid), blocked(End::Goal, point(3, 4)));
    grid.set(point(3, 4), true);
    assert!(problems[0].ends(&grid).is_ok());
    let other = Grid::blocked(6, 8).expect("a legal size");
    let message = check_size(&problems, &other)
        .expect_err("other size")
        .to_string();
    assert!(
        message.contains("8 x 6") && message.contains("6 x 8"),
        "{message}"
    );
}
