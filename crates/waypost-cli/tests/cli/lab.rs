//! `lab`: every experiment in its small form, reports, resuming, bad input. And the tour, which is one of them.

use crate::kept_reports::assert_columns_are_told_apart;
use crate::support::{Place, Ran, assert_says};
use serde_json::Value;

/// A suite of two maps and two algorithms that runs in no time.
const SMALL: &str = r#"
[problems]
count = 5
seed = 3
[[maps]]
kind = "rooms"
width = 40
height = 30
[[maps]]
kind = "caves"
width = 50
height = 40
[[algorithms]]
name = "A*"
spec = "astar"
[[algorithms]]
name = "sectors"
spec = "sectors"
"#;

fn experiments(place: &Place) -> Vec<String> {
    let listed = place.json("lab list");
    let names = listed["experiments"].as_array().expect("a list");
    names
        .iter()
        .map(|entry| entry["name"].as_str().expect("a name").to_string())
        .collect()
}

fn text(place: &Place, name: &str) -> String {
    String::from_utf8(place.read(name)).unwrap_or_else(|error| panic!("{name}: {error}"))
}

fn lines(place: &Place, name: &str) -> usize {
    text(place, name).lines().count()
}

#[test]
fn all_experiments_are_listed() {
    let place = Place::new();
    let names = experiments(&place);
    for name in [
        "all-methods",
        "knn-lrta-2009",
        "case-based-2010",
        "pra-2005",
        "cpd-2011",
        "game-ai-pro-17",
        "unknown-maps",
    ] {
        assert!(names.iter().any(|listed| listed == name), "{names:?}");
    }
    let suite = place.done("lab pra-2005 --print-suite").stdout;
    place.write("own.toml", suite);
    place.done("lab pra-2005 --quick --suite own.toml --problems 3 --out out");
}

/// All small forms, one after the other, as in CI.
#[test]
fn every_small_form_makes_a_whole_report() {
    let place = Place::new();
    let begun = std::time::Instant::now();
    let answers = place.json("lab all --quick --out .");
    println!("lab all --quick: {:.1} s", begun.elapsed().as_secs_f64());
    let answers = answers["experiments"].as_array().expect("a list");
    let names = experiments(&place);
    assert_eq!(answers.len(), names.len());
    for (name, answer) in names.iter().zip(answers) {
        assert_eq!(answer["experiment"], name.as_str());
        let tables = answer["tables"].as_array().expect("tables");
        let claims = answer["claims"].as_array().expect("claims");
        assert!(!tables.is_empty() && !claims.is_empty(), "{name}");
        let known = ["pass", "fail", "undecided", "by definition", "not checked"];
        let verdict = |claim: &Value| known.contains(&claim["verdict"].as_str().unwrap_or(""));
        assert!(claims.iter().all(verdict), "{name}");
        for table in tables {
            let file = format!("{name}/tables/{}.csv", table["id"].as_str().expect("an id"));
            let rows = table["rows"].as_array().expect("rows").len();
            assert_eq!(lines(&place, &file), rows + 1, "{file}");
            assert_columns_are_told_apart(&place.path(&file));
        }
        check_page(&place, name);
        assert!(lines(&place, &format!("{name}/records.jsonl")) > 5);
        let markdown = text(&place, &format!("{name}/report.md"));
        for picture in markdown
            .split("](")
            .skip(1)
            .filter_map(|rest| rest.split(')').next())
        {
            place.read(&format!("{name}/{picture}"));
        }
    }
}

/// The page needs nothing beside it and holds everything.
fn check_page(place: &Place, name: &str) {
    let page = text(place, &format!("{name}/report.html"));
    for part in [
        "<style>",
        "<table>",
        "<svg",
        "data:image/png;base64,",
        "machine",
        "seed",
    ] {
        assert!(page.contains(part), "{name}: no `{part}`");
    }
    let command = format!("waypost lab {name} --quick");
    assert!(page.contains(&command), "{name}: no `{command}`");
    for outside in ["<script ", "<link", "src=\"http", "href=", "url("] {
        assert!(!page.contains(outside), "{name}: `{outside}`");
    }
    assert!(!page.contains("NaN") && !page.contains(">inf"), "{name}");
    let folder = place.path("").display().to_string();
    assert!(
        !page.contains(folder.trim_end_matches('/')),
        "{name} names a folder"
    );
}

#[test]
fn stopped_runs_go_on_and_changed_suites_run_what_changed() {
    let place = Place::new();
    place.write("s.toml", SMALL);
    let run = "lab all-methods --suite s.toml --out out";
    place.done(run);
    let (records, page) = (
        text(&place, "out/records.jsonl"),
        text(&place, "out/report.html"),
    );
    assert_eq!(records.lines().count(), 4);
    place.done(run);
    assert_eq!(
        text(&place, "out/records.jsonl"),
        records,
        "nothing was run again"
    );
    assert_eq!(
        text(&place, "out/report.html"),
        page,
        "the same records, the same report"
    );
    // Killed in the middle of writing the last record.
    place.write("out/records.jsonl", &records[..records.len() - 40]);
    place.done(run);
    let again = text(&place, "out/records.jsonl");
    assert_eq!(again.lines().count(), 4);
    let kept: Vec<&str> = records.lines().take(3).collect();
    assert!(again.lines().take(3).eq(kept), "whole records are kept");
    // One algorithm more: two trials more. Another number of problems: everything.
    place.write(
        "s.toml",
        format!("{SMALL}[[algorithms]]\nspec = \"lrta\"\n"),
    );
    place.done(run);
    assert_eq!(lines(&place, "out/records.jsonl"), 6);
    place.done(&format!("{run} --problems 6"));
    assert_eq!(lines(&place, "out/records.jsonl"), 12);
    place.done(&format!("{run} --fresh"));
    assert_eq!(lines(&place, "out/records.jsonl"), 6);
    place.done(&format!("{run} --seed 5"));
    assert_eq!(
        lines(&place, "out/records.jsonl"),
        12,
        "other seeds, other maps"
    );
}

#[test]
fn suites_run_on_terrain_four_ways_and_with_large_units() {
    let place = Place::new();
    let strewn = SMALL.replace("height = 40", "height = 40\nterrain = true");
    let suites = [
        (strewn.clone(), "where it is strewn"),
        (
            format!("[rules]\nterrain = \".=3\"\n{SMALL}"),
            "terrain .=3",
        ),
        (
            format!("[rules]\nmoves = 4\nsize = 2\n{strewn}"),
            "units of 2 x 2 cells",
        ),
    ];
    for (number, (suite, said)) in suites.iter().enumerate() {
        place.write(&format!("{number}.toml"), suite);
        place.done(&format!(
            "lab all-methods --suite {number}.toml --out out{number} --threads 1"
        ));
        let report = text(&place, &format!("out{number}/report.md"));
        assert!(report.contains(said), "{said}: {report}");
        assert_eq!(lines(&place, &format!("out{number}/records.jsonl")), 4);
    }
    let bad = format!("[rules]\nterrain = \"Q=2\"\n{SMALL}");
    place.write("bad.toml", bad);
    let error = place.refused("lab all-methods --suite bad.toml --out bad");
    assert_says(&error, &["rooms-40x30-0", "no class `Q`"]);
}

#[test]
fn counts_do_not_depend_on_threads() {
    let place = Place::new();
    place.write("s.toml", SMALL);
    let counts = |threads: u32| -> Vec<Value> {
        let run = format!("lab all-methods --suite s.toml --threads {threads} --out t{threads}");
        place.done(&run);
        let records = text(&place, &format!("t{threads}/records.jsonl"));
        let parsed = records.lines().map(|line| {
            let record: Value = serde_json::from_str(line).expect("a record");
            let problems = record["outcome"]["measured"]["problems"]
                .as_array()
                .expect("problems")
                .clone();
            problems
                .into_iter()
                .map(|problem| problem["counts"].clone())
                .collect()
        });
        parsed.collect()
    };
    assert_eq!(counts(1), counts(3));
}

#[test]
fn folders_of_maps_are_taken_with_their_problems() {
    let place = Place::new();
    std::fs::create_dir(place.path("maps")).expect("a folder");
    place.done("gen rooms --width 40 --height 30 --seed 2 -o maps/b.map");
    place.done("gen caves --width 40 --height 30 --seed 2 -o maps/a.map");
    place.done("scen maps/a.map --count 9 -o maps/a.map.scen");
    place.write(
        "s.toml",
        SMALL.replace("seed = 3", "seed = 3\nscenarios = true"),
    );
    place.done("lab all-methods --suite s.toml --maps maps --out out");
    let maps = text(&place, "out/tables/maps.csv");
    assert_says(&maps, &["a,file a.map", "b,file b.map"]);
    // A map without problems of that length is left out, and said so; without any map left there is nothing to do.
    place.write(
        "far.toml",
        SMALL.replace("seed = 3", "least = 55\nmost = 90"),
    );
    place.done("gen rooms --width 70 --height 70 --seed 2 -o maps/c.map");
    let said = place
        .done("lab all-methods --suite far.toml --maps maps --out far")
        .stdout;
    assert_says(&said, &["b was left out"]);
    place.write("never.toml", SMALL.replace("seed = 3", "least = 5000"));
    let error = place.refused("lab all-methods --suite never.toml --out never");
    assert_says(&error, &["no map has problems"]);
}

#[test]
fn bad_input_is_named() {
    let place = Place::new();
    assert_says(
        &place.refused("lab all-method"),
        &["all-method", "did you mean `all-methods`?"],
    );
    assert_says(&place.refused("lab xyzzy"), &["xyzzy", "cpd-2011", "list"]);
    std::fs::create_dir(place.path("empty")).expect("a folder");
    assert_says(
        &place.refused("lab all-methods --maps empty"),
        &["empty", "no .map files"],
    );
    assert_says(
        &place.refused("lab all-methods --maps nowhere"),
        &["nowhere"],
    );
    place.write("empty/bad.map", "type octile\nheight x\n");
    assert_says(&place.refused("lab all-methods --maps empty"), &["bad.map"]);
    for (good, bad, line, word) in [
        ("count = 5", "cuont = 5", "line 3", "cuont"),
        ("\"astar\"", "\"astra\"", "line 15", "astra"),
        ("kind = \"rooms\"", "kind = \"roms\"", "line 6", "roms"),
    ] {
        place.write("typo.toml", SMALL.replace(good, bad));
        let error = place.refused("lab all-methods --suite typo.toml");
        assert_says(&error, &["typo.toml", line, word]);
    }
    assert_says(
        &place.refused("lab all-methods --suite none.toml"),
        &["none.toml"],
    );
    assert_says(&place.refused("lab all-methods --problems 0"), &["--count"]);
    place.write("file", "");
    assert_says(
        &place.refused("lab all-methods --quick --out file/deeper"),
        &["file/deeper"],
    );
}

/// A limit on the size of files stands for a full disk: the record that does not fit is cut off, those before it stay.
#[cfg(unix)]
#[test]
fn a_full_disk_leaves_the_records_so_far() {
    let place = Place::new();
    place.write("s.toml", SMALL.replace("count = 5", "count = 40"));
    let run = "lab all-methods --suite s.toml --out out";
    let script = format!(
        "trap '' XFSZ; ulimit -f 48; exec '{}' {run}",
        crate::support::binary()
    );
    let mut shell = std::process::Command::new("sh");
    shell.args(["-c", &script]).current_dir(place.path(""));
    let ran = Ran::of(&mut shell);
    ran.assert_refused("a full disk");
    assert_says(&ran.stderr, &["records.jsonl", "are kept"]);
    let kept = text(&place, "out/records.jsonl");
    assert!(
        kept.ends_with('\n') && (1..4).contains(&kept.lines().count()),
        "{}",
        kept.len()
    );
    place.done(run);
    assert_eq!(lines(&place, "out/records.jsonl"), 4);
    assert!(text(&place, "out/records.jsonl").starts_with(&kept));
}

#[test]
fn claims_decide_the_exit_code_only_where_asked() {
    let place = Place::new();
    // With one record, kNN LRTA* cannot do what the paper says of 60,000.
    let suite = SMALL.replace(
        "name = \"sectors\"\nspec = \"sectors\"",
        "name = \"kNN LRTA*(60000)\"\nspec = \"knn-lrta:records=1\"",
    );
    place.write("s.toml", suite);
    let run = "lab case-based-2010 --suite s.toml --out out";
    place.done(run);
    let checked = place.run(&format!("{run} --check"));
    assert!(matches!(checked.code, Some(0 | 1)), "{}", checked.stderr);
    let failed = checked.stdout.lines().any(|l| l.starts_with("  fail "));
    assert_eq!(checked.code == Some(1), failed, "{}", checked.stdout);
    // Tables too wide for a terminal are named; what is printed of the others fits.
    assert_says(&checked.stdout, &["Table 1", "columns, in the report"]);
    let wide = |line: &&str| line.starts_with("---") && line.chars().count() > 120;
    assert_eq!(checked.stdout.lines().find(wide), None);
}
