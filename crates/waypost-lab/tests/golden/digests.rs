//! The records of a small suite, as one line with a digest for each: every algorithm on three maps. Times are left out; all
//! else is the same on every 64-bit platform, with any number of threads, in every build.

use waypost_lab::lab::places::Source;
use waypost_lab::lab::records::Records;
use waypost_lab::lab::run::run;
use waypost_lab::lab::suite::Suite;
use waypost_lab::lab::trial::{Measured, Outcome, Times, TrialRecord};
use xxhash_rust::xxh3::xxh3_64;

const SUITE: &str = r#"
every_algorithm = true

[problems]
count = 6
seed = 5

[limits]
times_optimal = 300

[[maps]]
name = "rooms"
kind = "rooms"
width = 60
height = 48
seed = 1

[[maps]]
name = "caves"
kind = "caves"
width = 56
height = 60
seed = 2

[[maps]]
name = "maze"
kind = "maze"
width = 41
height = 41
seed = 3

[[algorithms]]
name = "kNN LRTA*(40)"
spec = "knn-lrta:records=40"

[[algorithms]]
name = "kNN LRTA*(40) of 2009"
spec = "knn-lrta-2009:records=40"
"#;

/// All lines; the file of records is made in a folder and removed.
pub fn digests(folder: &std::path::Path) -> Vec<String> {
    let suite = Suite::parse(SUITE, "golden", false).expect("a good suite");
    let sources = suite.maps.iter().cloned().map(Source::Recipe).collect();
    let file = folder.join(format!("waypost-golden-{}.jsonl", std::process::id()));
    let mut records = Records::open(&file).expect("a file of records");
    let grounds = run(&suite, sources, &mut records, "golden", &()).expect("a run");
    drop(records);
    let _ = std::fs::remove_file(&file);
    grounds
        .into_iter()
        .flat_map(|ground| ground.trials)
        .map(line)
        .collect()
}

fn line(mut record: TrialRecord) -> String {
    if let Outcome::Measured(measured) = &mut record.outcome {
        without_times(measured);
    }
    let text = serde_json::to_string(&record).expect("a record is JSON");
    let digest = xxh3_64(text.as_bytes());
    format!("record {} {} {digest:016x}", record.map, record.spec)
}

fn without_times(measured: &mut Measured) {
    measured.move_histogram.clear();
    measured.index.build_seconds = 0.0;
    measured.index.build_cpu_seconds = 0.0;
    for problem in &mut measured.problems {
        problem.times = Times::default();
    }
}
