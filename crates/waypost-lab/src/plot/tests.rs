use super::scale::number;
use super::*;

fn plot(values: &[(f64, f64)], log: bool) -> Plot {
    let axis = |label: &str| Axis {
        label: label.to_string(),
        log,
    };
    let points = values.iter().map(|&(x, y)| Point {
        x,
        y,
        label: format!("{x}"),
        strong: false,
    });
    Plot {
        x: axis("moves < 3"),
        y: axis("time (µs)"),
        series: vec![Series {
            name: "a & b".to_string(),
            points: points.collect(),
            ..Series::default()
        }],
    }
}

#[test]
fn points_stand_where_axes_say() {
    let scale = Scale::of([1.0, 100.0].into_iter(), true, 0.0, 100.0);
    let (low, middle, high) = (scale.place(1.0), scale.place(10.0), scale.place(100.0));
    assert!((middle - (low + high) / 2.0).abs() < 1e-9);
    assert!(low > 0.0 && high < 100.0);
    let scale = Scale::of([0.0, 1.0, 100.0].into_iter(), true, 0.0, 100.0);
    assert!(scale.place(0.0) < scale.place(1.0));
    let scale = Scale::of([0.0, 50.0].into_iter(), false, 0.0, 100.0);
    assert_eq!(scale.place(0.0), 0.0);
}

#[test]
fn strange_values_make_a_picture_too() {
    for values in [
        &[][..],
        &[(0.0, 0.0)],
        &[(5.0, 5.0), (5.0, 5.0)],
        &[(f64::NAN, 1.0), (f64::INFINITY, 2.0), (3.0, -4.0)],
        &[(1e-9, 1e15), (1e9, 1e-15)],
    ] {
        for log in [false, true] {
            let svg = plot(values, log).to_svg("a \"plot\"");
            assert!(svg.contains("moves &lt; 3") && svg.contains("a &amp; b"));
            assert!(!svg.contains("NaN") && !svg.contains("inf"), "{svg}");
        }
    }
}

#[test]
fn numbers_on_axes_are_short() {
    let texts = [0.0, 20.0, 0.5, 10_000.0, 2e6, 1e-5, 0.25].map(number);
    assert_eq!(texts, ["0", "20", "0.5", "10k", "2M", "1e-5", "0.25"]);
}

#[test]
fn a_broken_axis_shows_it() {
    let broken = plot(&[(0.0, 1.0), (5.0, 0.0), (90.0, 7.0)], true).to_svg("broken");
    assert_eq!(broken.matches("class=\"break\"").count(), 2);
    let whole = plot(&[(1.0, 1.0), (90.0, 7.0)], true).to_svg("whole");
    assert_eq!(whole.matches("class=\"break\"").count(), 0);
}

fn placed(marks: &[(f64, f64)], width: f64, curves: &[geometry::Segment]) -> Vec<Placed> {
    let marks: Vec<_> = marks
        .iter()
        .map(|&spot| labels::Mark { spot, radius: 5.0 })
        .collect();
    let room = Room::around(marks.iter().copied(), curves.to_vec());
    let wanted: Vec<_> = marks.iter().map(|&mark| (mark, width)).collect();
    let places = room.place(&wanted).into_iter();
    places.map(|place| place.expect("room")).collect()
}

#[test]
fn labels_stand_at_their_marks_or_at_the_end_of_a_line() {
    let marks = [(400.0, 300.0), (200.0, 200.0), (201.0, 203.0)];
    let places = placed(&marks, 60.0, &[]);
    assert!(places[0].line.is_none() && places[0].spot.distance(marks[0]) < 12.0);
    for (mark, place) in marks.iter().zip(&places).skip(1) {
        let (from, to) = place.line.expect("its neighbour is as near");
        assert!((from.0 - mark.0).hypot(from.1 - mark.1) <= 5.01);
        assert!(place.spot.distance(to) < 1.6);
    }
}

#[test]
fn labels_keep_clear_of_the_lines_between_marks() {
    let marks = [(200.0, 200.0), (500.0, 200.0)];
    let curve = (marks[0], marks[1]);
    for place in placed(&marks, 60.0, &[curve]) {
        assert!(!place.spot.is_crossed_by(curve));
    }
    // Without the line it would stand on the right of the first mark.
    assert!(placed(&marks, 60.0, &[])[0].spot.is_crossed_by(curve));
}

/// A step in the line beside a crowd of marks, as it is in the plot of memory.
#[test]
fn labels_of_a_crowd_at_a_step_of_the_front_stay_clear_of_it_and_near() {
    let marks = [
        (112.0, 37.0),
        (128.0, 86.0),
        (149.0, 135.0),
        (151.0, 139.0),
        (160.0, 133.0),
        (168.0, 123.0),
        (170.0, 120.0),
        (149.0, 222.0),
        (170.0, 386.0),
    ];
    let front = [marks[1], (149.0, 86.0), marks[7], (170.0, 222.0), marks[8]];
    let curves: Vec<_> = front.windows(2).map(|pair| (pair[0], pair[1])).collect();
    let places = placed(&marks, 84.0, &curves);
    for (i, place) in places.iter().enumerate() {
        let crossed = curves.iter().any(|c| place.spot.is_crossed_by(*c));
        assert!(!crossed, "{i} is cut: {place:?}");
        let away = place.spot.distance(marks[i]);
        assert!(away < 60.0, "{i} is {away} from its mark: {place:?}");
        for (j, other) in places.iter().enumerate().skip(i + 1) {
            if let (Some(a), Some(b)) = (place.line, other.line) {
                assert!(!geometry::cross(a, b), "{i} and {j}: {place:?} {other:?}");
            }
        }
    }
}

#[test]
fn lines_to_labels_run_through_no_label() {
    // Marks on top of each other, on a curve that goes through all of them.
    let heap = [(300.0, 60.0), (300.0, 60.0), (300.5, 60.0), (360.0, 58.0)];
    let row: Vec<(f64, f64)> = (0..9)
        .map(|i| (150.0 + 14.0 * f64::from(i), 380.0))
        .collect();
    let all = [&heap[..], &row].concat();
    let curves: Vec<_> = heap.windows(2).map(|pair| (pair[0], pair[1])).collect();
    let places = placed(&all, 96.0, &curves);
    for (i, place) in places.iter().enumerate() {
        for (j, other) in places.iter().enumerate().filter(|(j, _)| *j != i) {
            assert!(!place.spot.touches(&other.spot), "{i} covers {j}");
            let through = place
                .line
                .is_some_and(|line| other.spot.is_crossed_by(line));
            assert!(!through, "the line to {i} runs through {j}");
        }
    }
}

#[test]
fn a_line_that_only_touches_a_corner_is_told_from_one_that_misses() {
    let spot = geometry::Box4::around(0.0, 0.0, 10.0, 5.0);
    assert!(spot.is_crossed_by(((-20.0, 0.0), (20.0, 1.0))));
    assert!(spot.is_crossed_by(((0.0, 0.0), (1.0, 1.0))));
    assert!(!spot.is_crossed_by(((-20.0, 0.0), (-10.5, 0.0))));
    assert!(!spot.is_crossed_by(((-20.0, 0.0), (0.0, 20.0))));
    assert!(spot.is_crossed_by(((5.0, -9.0), (5.0, 9.0))));
}

#[test]
fn labels_keep_clear_of_each_other() {
    let near: Vec<(f64, f64)> = (0..12).map(|i| (100.0 + f64::from(i), 50.0)).collect();
    let svg = plot(&near, false).to_svg("near");
    assert_eq!(svg.matches("stroke-linejoin").count(), 12);
}

#[test]
fn marks_that_fall_together_are_nested() {
    let at = |style: usize, strong: bool| Series {
        points: vec![Point {
            x: 5.0,
            y: 5.0,
            strong,
            ..Point::default()
        }],
        style,
        ..Series::default()
    };
    // All three are circles of the same series number but one: the radius tells them apart, the largest is drawn first.
    let svg = Plot {
        series: vec![at(0, false), at(6, false), at(0, true)],
        ..Plot::default()
    }
    .to_svg("three");
    let radius = |line: &str| -> Option<f64> {
        let own = line.strip_prefix("<circle")?.split(" r=\"").nth(1)?;
        let is_white = line.contains("stroke=\"#fff\"");
        own.split('"').next()?.parse().ok().filter(|_| !is_white)
    };
    let radii: Vec<f64> = svg.lines().filter_map(radius).collect();
    assert_eq!(radii.len(), 3, "{svg}");
    assert!(
        radii.windows(2).all(|pair| pair[0] > pair[1] + 2.0),
        "{radii:?}"
    );
    assert_eq!(
        svg.matches("stroke-width=\"3.5\"").count(),
        2,
        "white between them"
    );
}

#[test]
fn labels_have_the_colour_of_their_series_and_a_gap_between_them() {
    let mut plot = plot(&[(1.0, 1.0), (9.0, 9.0)], false);
    plot.series[0].style = 2;
    assert_eq!(
        plot.to_svg("labels")
            .matches(&format!("fill=\"{}\"", INKS[2]))
            .count(),
        2
    );
    let row: Vec<(f64, f64)> = (0..6)
        .map(|i| (150.0 + 62.0 * f64::from(i), 300.0))
        .collect();
    let places = placed(&row, 60.0, &[]);
    for (i, one) in places.iter().enumerate() {
        for other in &places[i + 1..] {
            let beside = one.spot.top < other.spot.bottom && other.spot.top < one.spot.bottom;
            let gap = (other.spot.left - one.spot.right).max(one.spot.left - other.spot.right);
            assert!(!beside || gap >= 5.0, "{one:?} {other:?}");
        }
    }
}
