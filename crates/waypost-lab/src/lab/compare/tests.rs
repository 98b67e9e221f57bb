use super::*;
use crate::lab::places::Source;
use crate::lab::published::Published;
use crate::lab::trial::{Counts, IndexRecord, ProblemRecord, Times, TrialRecord};
use waypost::{Grid, Map, MoveRules};

/// An algorithm that took `us` a path and was `longer` percent longer; not measured without them.
type Row = (&'static str, Option<(f64, f64)>);

fn ground(name: &str, rows: &[Row]) -> Ground {
    let grid = Grid::from_fn(8, 8, |_| true).expect("a legal size");
    let trials = rows.iter().map(|&(algorithm, values)| TrialRecord {
        key: String::new(),
        format: 0,
        commit: String::new(),
        map: name.to_string(),
        fingerprint: String::new(),
        cells: 64,
        algorithm: algorithm.to_string(),
        spec: String::new(),
        outcome: match values {
            None => Outcome::Refused("too large".to_string()),
            Some((us, longer)) => Outcome::Measured(Box::new(measured(us, longer))),
        },
    });
    Ground {
        source: Source::File(name.into()),
        name: name.to_string(),
        map: Map::new(grid, MoveRules::default()),
        skipped: None,
        trials: trials.collect(),
    }
}

fn measured(us: f64, longer: f64) -> Measured {
    Measured {
        problems: vec![ProblemRecord {
            optimal: 10.0,
            counts: Counts {
                solved: true,
                length: 10.0 + longer / 10.0,
                moves: 10,
                ..Counts::default()
            },
            times: Times {
                cpu_ns: (us * 1e3) as u64,
                first_move_ns: 0,
                path_ns: None,
            },
            ..ProblemRecord::default()
        }],
        index: IndexRecord::default(),
        ..Measured::default()
    }
}

fn published() -> Published {
    let text = r#"
title = "t"
[[tables]]
id = "one"
title = "One"
columns = [
  { measure = "query-us", title = "time", relative_to = "a", tolerance = 1.5 },
  { measure = "suboptimality", title = "longer", tolerance = 2 },
]
rows = [{ algorithm = "a", values = [100, 0] }, { algorithm = "b", values = [50, 9] }, { algorithm = "c", values = [1, nan] }]
[[claims]]
text = "b is longer than a"
measure = "suboptimality"
left = "b"
is = ">"
right = "a"
[[claims]]
text = "c is a hundred times as fast as a"
measure = "query-us"
left = "c"
factor = 100
threshold = "ours"
is = "<"
right = "a"
[[claims]]
text = "d is there"
measure = "solved"
left = "d"
is = ">"
value = 0
threshold = "ours"
[[claims]]
text = "b is shorter than 90"
measure = "suboptimality"
left = "b"
is = "<"
value = 90
threshold = "ours"
[[claims]]
text = "a takes no memory"
measure = "online-kb"
left = "a"
is = "<="
value = 0
threshold = "ours"
by_definition = "it keeps nothing"
"#;
    Published::parse(text, "test").expect("good")
}

#[test]
fn values_are_compared_as_they_should_be() {
    let grounds = [
        ground(
            "m",
            &[
                ("a", Some((8.0, 0.0))),
                ("b", Some((5.0, 10.0))),
                ("c", None),
            ],
        ),
        ground(
            "n",
            &[
                ("a", Some((4.0, 0.0))),
                ("b", Some((1.0, 90.0))),
                ("c", Some((1.0, 0.0))),
            ],
        ),
    ];
    let results = Results::new(&grounds);
    let published = published();
    let verdicts: Vec<Verdict> = check_all(&results, &published)
        .iter()
        .map(|c| c.verdict)
        .collect();
    assert_eq!(
        verdicts,
        [
            Verdict::Pass,
            Verdict::Fail,
            Verdict::NotChecked,
            Verdict::Pass,
            Verdict::ByDefinition
        ]
    );
    // c ran on one map alone: it is compared with a there, 1 with 4, not with a's mean.
    let quotient = results.quotient("c", "a", Aggregate::QueryUs, None, 0.0);
    assert_eq!(quotient, Some(Reading::exact(0.25)));
    let mut agreement = Agreement::default();
    let sheet = results.table(&published.tables[0], &mut agreement);
    assert_eq!(sheet.rows[2][0].text, "c (1 of 2 maps)");
    // b takes half of a's time, there and here; it is 50% longer, not 9.
    assert_eq!(sheet.rows[1][3].text, "1");
    assert_eq!(sheet.rows[1][6].tone, Tone::Bad);
    // a's time over itself is no agreement.
    assert_eq!((agreement.compared, agreement.within), (4, 2), "{sheet:?}");
    assert_eq!(agreement.definitions, 1);
    let front = results.front(
        &["a", "b", "c"],
        &[Aggregate::QueryUs, Aggregate::Suboptimality],
    );
    assert_eq!(front, [true, true, false], "c did not run everywhere");
    let front = results.front(&["a", "b"], &[Aggregate::Suboptimality]);
    assert_eq!(front, [true, false]);
}

/// The walks of `b` on the second map are given up.
fn with_walks_given_up() -> [Ground; 1] {
    let mut ground = ground("m", &[("a", Some((8.0, 20.0))), ("b", Some((5.0, 10.0)))]);
    let Outcome::Measured(measured) = &mut ground.trials[1].outcome else {
        panic!("measured");
    };
    measured.problems[0].counts.solved = false;
    [ground]
}

#[test]
fn a_lower_bound_on_the_left_cannot_pass() {
    let grounds = with_walks_given_up();
    let results = Results::new(&grounds);
    let published = published();
    let checked = check_all(&results, &published);
    // b's 10% are a lower bound: neither "longer than a's 20%" nor "shorter than 90%" is decided.
    for (i, number) in [(0, "≥ 10"), (3, "≥ 10")] {
        assert_eq!(checked[i].verdict, Verdict::Undecided, "{:?}", checked[i]);
        assert!(checked[i].reason.contains("1 walk was given up"));
        assert!(checked[i].numbers.starts_with(number), "{:?}", checked[i]);
        assert!(checked[i].numbers.ends_with('%'), "{:?}", checked[i]);
    }
    let mut agreement = Agreement::default();
    let sheet = results.table(&published.tables[0], &mut agreement);
    assert!(sheet.to_csv().contains("longer: ours: is a lower bound"));
    assert_eq!(agreement.undecided, 2, "b's time and length");
}

#[test]
fn what_other_problems_might_turn_round_is_undecided() {
    // b is better on most problems, and far worse on one: the means differ by what one problem makes.
    let mut ground = ground("m", &[("a", Some((1.0, 0.0))), ("b", Some((1.0, 0.0)))]);
    for (i, trial) in ground.trials.iter_mut().enumerate() {
        let Outcome::Measured(all) = &mut trial.outcome else {
            panic!("measured");
        };
        let problem = all.problems[0];
        all.problems = (0..40)
            .map(|number| {
                let mut problem = problem;
                problem.counts.length = match (i, number) {
                    (0, _) => 11.0,
                    (_, 0) => 70.0,
                    _ => 10.0,
                };
                problem
            })
            .collect();
    }
    let grounds = [ground];
    let results = Results::new(&grounds);
    let checked = results.check(&published().claims[0]);
    assert_eq!(checked.verdict, Verdict::Undecided, "{checked:?}");
    let (low, high) = checked.difference.expect("drawn again");
    assert!(low < 0.0 && high > 0.0, "{low} {high}");
    // Problem by problem there is no doubt who is better on most of them, which is another question.
    let pairs = checked.pairs.expect("means of two algorithms");
    assert_eq!(
        (pairs.less, pairs.more, pairs.equal, pairs.open),
        (39, 1, 0, 0)
    );
    assert!(pairs.likelihood() < 1e-6);
}

#[test]
fn two_lower_bounds_are_compared_problem_by_problem() {
    // Three seeds of records on the left and one on the right; a walk of each side was given up, on other problems.
    let mut ground = ground("m", &[("a", Some((1.0, 50.0))), ("b", Some((1.0, 0.0)))]);
    for (i, trial) in ground.trials.iter_mut().enumerate() {
        let Outcome::Measured(all) = &mut trial.outcome else {
            panic!("measured");
        };
        let seeds = [1, 3][i];
        let mut problems = vec![all.problems[0]; 12 * seeds];
        let lost = &mut problems[[3, 5 + 12][i]];
        (lost.counts.solved, lost.counts.length) = (false, 3000.0);
        all.problems = problems;
        all.record_seeds = seeds;
    }
    let grounds = [ground];
    let results = Results::new(&grounds);
    let published = claim("suboptimality", "right = \"a\"");
    let checked = results.check(&published.claims[0]);
    assert_eq!(checked.verdict, Verdict::Undecided, "{checked:?}");
    let pairs = checked.pairs.expect("means of two algorithms");
    // One of b's three walks of a problem is without end: more than a's 50% for certain.
    assert_eq!(
        (pairs.less, pairs.more, pairs.equal, pairs.open),
        (11, 1, 0, 0)
    );
    let csv = claims_csv(&[checked]);
    assert!(csv.contains("sign test, p"), "{csv}");
}

/// A claim about `b` and `a`, with whatever else it says.
fn claim(measure: &str, rest: &str) -> Published {
    let text = format!(
        "title = \"t\"\n[[claims]]\ntext = \"c\"\nmeasure = \"{measure}\"\nleft = \"b\"\nis = \">\"\n{rest}\n"
    );
    Published::parse(&text, "test").expect("good")
}

#[test]
fn times_that_are_nearly_equal_decide_nothing() {
    let verdict = |us: f64| {
        let grounds = [ground(
            "m",
            &[("a", Some((8.0, 0.0))), ("b", Some((us, 0.0)))],
        )];
        let published = claim("query-us", "right = \"a\"");
        Results::new(&grounds).check(&published.claims[0]).verdict
    };
    assert_eq!(verdict(8.3), Verdict::Undecided);
    assert_eq!(verdict(7.7), Verdict::Undecided);
    assert_eq!(verdict(8.6), Verdict::Pass);
    assert_eq!(verdict(7.5), Verdict::Fail);
}

#[test]
fn moves_of_walks_that_were_given_up_decide_nothing() {
    let grounds = with_walks_given_up();
    let published = claim("expansions-per-move", "value = -1\nthreshold = \"ours\"");
    let checked = Results::new(&grounds).check(&published.claims[0]);
    assert_eq!(checked.verdict, Verdict::Undecided, "{checked:?}");
    assert!(checked.reason.starts_with("100%"), "{}", checked.reason);
}

#[test]
fn what_can_be_so_is_not_refuted_by_problems_that_do_not_show_it() {
    let grounds = [ground("m", &[("b", Some((8.0, 20.0)))])];
    let verdict = |value: u32, possible: bool| {
        let rest = format!("value = {value}\nthreshold = \"paper\"\npossible = {possible}");
        let published = claim("suboptimality-max", &rest);
        Results::new(&grounds).check(&published.claims[0]).verdict
    };
    assert_eq!(verdict(10, true), Verdict::Pass);
    assert_eq!(verdict(90, true), Verdict::Undecided);
    assert_eq!(verdict(90, false), Verdict::Fail);
}

#[test]
fn a_factor_is_shown_apart_from_what_was_measured() {
    let grounds = [ground(
        "m",
        &[("a", Some((8.0, 0.0))), ("b", Some((2.0, 0.0)))],
    )];
    let published = claim(
        "query-us",
        "factor = 30\nright = \"a\"\nthreshold = \"ours\"",
    );
    let checked = Results::new(&grounds).check(&published.claims[0]);
    assert_eq!(checked.numbers, "30 × 2 > 8 µs a path");
    assert_eq!(checked.verdict, Verdict::Pass);
    let csv = claims_csv(&[checked]);
    assert!(csv.contains(",µs a path,30,2,8,"), "{csv}");
}

#[test]
fn what_some_draws_have_no_value_of_is_undecided() {
    // One problem in forty makes a's memory larger than b's: draws without it have no number of agents that break even.
    let mut ground = ground("m", &[("a", Some((1.0, 0.0))), ("b", Some((1.0, 0.0)))]);
    for (i, trial) in ground.trials.iter_mut().enumerate() {
        let Outcome::Measured(all) = &mut trial.outcome else {
            panic!("measured");
        };
        all.problems = vec![all.problems[0]; 40];
        for (number, problem) in all.problems.iter_mut().enumerate() {
            problem.counts.online_bytes = [if number == 0 { 4000 } else { 0 }, 10][i];
        }
    }
    let grounds = [ground];
    let published = claim(
        "break-even",
        "against = \"a\"\nvalue = 0\nthreshold = \"ours\"",
    );
    let checked = Results::new(&grounds).check(&published.claims[0]);
    assert_eq!(checked.sides.map(|(left, _)| left.value), Some(1.0));
    assert_eq!(checked.verdict, Verdict::Undecided, "{checked:?}");
    assert!(checked.reason.contains("every draw"), "{}", checked.reason);
}
