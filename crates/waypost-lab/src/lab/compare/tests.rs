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
            },
            slowdowns: None,
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
is = "<"
right = "a"
[[claims]]
text = "d is there"
measure = "solved"
left = "d"
is = ">"
value = 0
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
        [Verdict::Pass, Verdict::Fail, Verdict::NotChecked]
    );
    // c ran on one map alone: it is compared with a there, 1 with 4, not with a's mean.
    assert_eq!(
        results.pair("c", "a", Aggregate::QueryUs, None, 0.0),
        Some((1.0, 4.0))
    );
    let mut agreement = Agreement::default();
    let sheet = results.table(&published.tables[0], &mut agreement);
    assert_eq!(sheet.rows[2][0].text, "c (1 of 2 maps)");
    // b takes half of a's time, there and here; it is 50% longer, not 9.
    assert_eq!(sheet.rows[1][3].text, "1");
    assert_eq!(sheet.rows[1][6].tone, Tone::Bad);
    assert_eq!((agreement.compared, agreement.within), (5, 3), "{sheet:?}");
    let front = results.front(
        &["a", "b", "c"],
        &[Aggregate::QueryUs, Aggregate::Suboptimality],
    );
    assert_eq!(front, [true, true, false], "c did not run everywhere");
    let front = results.front(&["a", "b"], &[Aggregate::Suboptimality]);
    assert_eq!(front, [true, false]);
}
