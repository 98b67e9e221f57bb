//! Arguments: typos, missing ones, help, completions.

use crate::support::{Place, assert_says};

#[test]
fn typos_get_one_line_with_a_suggestion() {
    let place = Place::new();
    assert_says(
        &place.refused("sovle m.map"),
        &["sovle", "'solve'", "--help"],
    );
    assert_says(
        &place.refused("solve m.map --frm 1,1 --to 2,2"),
        &["--frm", "'--from'", "waypost solve --help"],
    );
    assert_says(
        &place.refused("info m.map --corners nevr"),
        &["nevr", "never", "always"],
    );
    assert_says(
        &place.refused("gen cave --width 5 --height 5 -o m.map"),
        &["cave", "caves", "arena"],
    );
    assert_says(
        &place.refused("build sectrs m.map -o x"),
        &["sectrs", "subgoals"],
    );
    assert_says(
        &place.refused("solve m.map --from rnd --to random"),
        &["rnd", "`random`", "waypost solve --help"],
    );
    assert_says(
        &place.refused("solve m.map --from random --to random --algo A*"),
        &["`A*`", "`astar`"],
    );
}

#[test]
fn what_is_there_already_and_what_changes_nothing_is_said() {
    let place = Place::with_map();
    place.done("gen caves --width 20 --height 20");
    let same = place.done("gen caves --width 20 --height 20");
    assert_eq!(same.stderr, "note: caves.map is there already, the same\n");
    assert_says(&same.stdout, &["caves.map: caves of 20 x 20"]);
    let kept = place.read("caves.map");
    assert_says(
        &place.refused("gen caves --width 20 --height 21"),
        &["there already", "another one", "as it is", "-o caves.map"],
    );
    assert_eq!(place.read("caves.map"), kept);
    let ran = place.done("solve m.map --from random --to random --doors XY");
    assert_says(&ran.stderr, &["note: --doors XY", "no cell"]);
    let gates = "type octile\nheight 1\nwidth 3\nmap\n.d.\n";
    place.write("gates.map", gates);
    let ran = place.done("solve gates.map --from 0,0 --to 2,0 --doors d");
    assert_eq!(ran.stderr, "");
}

#[test]
fn missing_and_bad_arguments_are_named() {
    let place = Place::new();
    assert_says(&place.refused("solve"), &["required", "--from", "--to"]);
    assert_says(&place.refused("solve m.map --from 1; --to 2,2"), &["X,Y"]);
    assert_says(
        &place.refused("solve m.map --from 1,x --to 2,2"),
        &["`x`", "whole number"],
    );
    assert_says(
        &place.refused("solve m.map --from -1,3 --to 2,2"),
        &["`-1`", "whole number"],
    );
    assert_says(
        &place.refused("gen caves --width 0 --height 5 -o m.map"),
        &["0 x 5", "at least 1 x 1"],
    );
    assert_says(
        &place.refused("gen caves --width 70000 --height 5 -o m.map"),
        &["70000 x 5", "65,535"],
    );
    assert_says(
        &place.refused("gen caves --width wide --height 5 -o m.map"),
        &["wide"],
    );
    assert_says(&place.refused("info m.map --threads 2"), &["--threads"]);
    assert_says(
        &place.refused("build jump m.map -o x --shard 3/2"),
        &["I/N", "3/2"],
    );
}

#[test]
fn files_that_are_not_there_get_a_remedy() {
    let place = Place::with_map();
    let refused = |command: &str, parts: &[&str]| {
        assert_says(&place.refused(command), parts);
    };
    refused("info mm.map", &["mm.map: there is no such file", "`m.map`"]);
    refused("info level.map", &["`waypost gen arena -o level.map`"]);
    refused(
        "check m.map level.scen",
        &["`waypost scen MAP -o level.scen`"],
    );
    refused(
        "verify level.sectors",
        &["`waypost build sectors MAP -o level.sectors`"],
    );
    refused(
        "verify nowhere/thing",
        &["nowhere/thing", "no folder nowhere"],
    );
    // What is proposed fits what is asked for: its kind, and a folder that is there.
    place.write("arena.auto", "");
    refused("info arena.map", &["`waypost gen arena -o arena.map`"]);
    refused("info arena", &["no such file; give the path"]);
    refused("verify m.mpa", &["no such file; give the path"]);
    refused("info caves.map", &["`waypost gen caves -o caves.map`"]);
    refused("info maze-2.map", &["`waypost gen maze -o maze-2.map`"]);
    refused(
        "info nowhere/arena.map",
        &["no folder nowhere; give the path"],
    );
    refused(
        "lab all-methods --maps nowhere",
        &[
            "nowhere",
            "no such folder; expected a folder of MovingAI maps",
        ],
    );
}

#[test]
fn what_stands_in_the_place_of_something_else_is_explained() {
    let place = Place::with_map();
    place.done("scen m.map --count 3");
    let refused = |command: &str, parts: &[&str]| {
        assert_says(&place.refused(command), parts);
    };
    refused(
        "solve m.map --from random --to random --algo tba=50",
        &[
            "expected `:` and a key",
            "tba:KEY=VALUE, such as tba:slice=",
        ],
    );
    refused(
        "solve m.map --from random --to random --algo tba=slice=50",
        &["expected `:` before the keys: --algo tba:slice=50"],
    );
    refused("algorithms tba:slice=50", &["`waypost algorithms tba`"]);
    refused(
        "build m.map auto -o x",
        &["comes first", "`waypost build auto m.map -o FILE`"],
    );
    for command in ["gen caves", "scale m.map 2"] {
        refused(
            &format!("{command} -o x.tmx"),
            &["ends in .tmx; expected .map"],
        );
    }
    assert!(!place.path("x.tmx").exists());
    for command in ["crowd m.scen", "info m.scen", "play m.scen --no-open"] {
        refused(
            command,
            &["m.scen", "these are problems for a map", "expected a map"],
        );
    }
    place.write("d.scen", "version 2\nheight 5\nwidth 6\n");
    for command in ["solve d.scen --from 1,1 --to 2,2", "play d.scen --no-open"] {
        refused(command, &["d.scen", "`waypost crowd FILE` runs it"]);
    }
    refused(
        "solve m.map --from random --to random --algo tba:50",
        &["`50` in `tba`: expected KEY=VALUE"],
    );
    refused(
        "solve m.map --from random --to random --algo tbx:50",
        &["did you mean `tba`?"],
    );
}

#[test]
fn help_has_help() {
    let place = Place::new();
    for line in ["help -h", "help --help"] {
        assert_says(
            &place.done(line).stdout,
            &["Usage: waypost help", "[COMMAND]"],
        );
    }
    for (help, flag) in [("help", "--help"), ("help solve", "solve --help")] {
        assert_eq!(place.done(help).stdout, place.done(flag).stdout, "{help}");
    }
    assert_says(&place.refused("help slove"), &["`slove`", "`solve`"]);
}

#[test]
fn a_sample_of_nothing_has_no_mean() {
    let place = Place::with_map();
    let built = place.done("build auto m.map --sample 0 -o m.auto").stdout;
    assert_says(&built, &["sample-problems = 0"]);
    assert!(!built.contains("percent"), "{built}");
}

#[test]
fn mistakes_name_what_to_do() {
    let place = Place::with_map();
    let refused = |command: &str, parts: &[&str]| {
        assert_says(&place.refused(command), parts);
    };
    refused("lab", &["<EXPERIMENT>", "`waypost lab list`"]);
    refused("scale m.map 0 -o big.map", &["error: the factor is 0"]);
    refused(
        "scen m.map --count 3 --min-cost 90000 -o far.scen",
        &["of 90000 and more", "widen the range"],
    );
    refused(
        "graph m.map --from 0 --to 1",
        &["expected `waypost-graph 1`, found `type octile`"],
    );
    place.done("build jump m.map -o m.jump");
    refused("merge m.jump -o all.jump", &["m.jump", "--shard I/N"]);
    let none = place.done("scen m.map --count 0 -o none.scen").stdout;
    assert_says(&none, &["none.scen: no problems"]);
    let built = place.done("build subgoals m.map --records 2000 -o m.subgoals");
    assert_says(&built.stdout, &["method = 2010", "records = 2,000"]);
}

#[test]
fn unknown_algorithms_and_keys_list_the_known_ones() {
    let place = Place::with_map();
    let solve = "solve m.map --from 1,1 --to 2,2 --algo";
    assert_says(
        &place.refused(&format!("{solve} astra")),
        &["`astra`", "astar", "lrta"],
    );
    assert_says(
        &place.refused(&format!("{solve} lrta:speed=9")),
        &["`speed`", "gmax"],
    );
    assert_says(
        &place.refused(&format!("{solve} lrta:gmax=no")),
        &["gmax=no"],
    );
    assert_says(
        &place.refused("build subgoals m.map -o x --set speed=9"),
        &["`speed`", "records"],
    );
    assert_says(
        &place.refused("build jump m.map -o x --records 9"),
        &["`jump`", "`records`"],
    );
    assert_says(
        &place.refused("build subgoals m.map -o x --records 9 --set records=9"),
        &["`records`", "twice"],
    );
    assert_says(
        &place.refused("bench m.map --scen m.scen --algo ;"),
        &["--algo", "no algorithm"],
    );
}

#[test]
fn every_command_has_help_with_an_example() {
    let place = Place::new();
    let help = place.done("--help").stdout;
    assert_says(&help, &["Examples:", "Exit codes"]);
    let commands: Vec<&str> = help
        .lines()
        .skip_while(|line| *line != "Commands:")
        .skip(1)
        .take_while(|line| !line.is_empty())
        .filter_map(|line| line.split_whitespace().next())
        .filter(|name| *name != "help")
        .collect();
    assert!(commands.len() >= 13, "{commands:?}");
    for command in &commands {
        let help = place.done(&format!("{command} --help")).stdout;
        assert_says(&help, &["Usage:", "--json"]);
    }
    assert_says(
        &place.done("solve --help").stdout,
        &["waypost algorithms", "Examples:"],
    );
    assert_says(&place.done("algorithms").stdout, &["astar", "lrta"]);
    assert_says(
        &place.done("algorithms lrta").stdout,
        &["gmax", "Examples:"],
    );
    assert_says(&place.refused("algorithms lrat"), &["`lrat`", "lrta"]);
    assert_says(&place.refused("indexes sectros"), &["`sectros`", "sectors"]);
    assert_says(
        &place.done("build --help").stdout,
        &["subgoals", "--records", "--shard", "--set"],
    );
    let bare = place.run("");
    assert_eq!(bare.code, Some(2));
    assert_says(&bare.stderr, &["Usage:", "Commands:"]);
}

#[test]
fn commas_between_algorithms_are_explained() {
    let place = Place::with_map();
    place.done("scen m.map --count 3");
    assert_says(
        &place.refused("bench m.map --scen m.scen --algo astar,tba:slice=50"),
        &["`;` between algorithms", "'astar;tba:slice=50'"],
    );
    for algo in ["astar;tba", "astar,tba"] {
        for command in ["solve m.map --from random --to random", "crowd m.map"] {
            assert_says(
                &place.refused(&format!("{command} --algo {algo}")),
                &["one algorithm", "waypost bench", "--algo 'astar;tba'"],
            );
        }
    }
    assert_says(
        &place.refused("bench m.map --scen m.scen --algo astar tba"),
        &["`;` between algorithms", "--algo 'astar;tba'"],
    );
}

#[test]
fn other_separators_are_explained() {
    let place = Place::with_map();
    place.done("scen m.map --count 3");
    for command in [
        "solve m.map --from random --to random",
        "bench m.map --scen m.scen",
        "crowd m.map",
    ] {
        for (algo, words) in [
            ("tba:slice:50", ["expected `=`", "--algo tba:slice=50"]),
            ("tba,slice=50", ["expected `:`", "--algo tba:slice=50"]),
            (
                "tba:slice=50;idle=back",
                ["parted by commas", "--algo tba:slice=50,idle=back"],
            ),
            (
                "tba:slice=1,000",
                ["without commas", "--algo tba:slice=1000"],
            ),
        ] {
            assert_says(&place.refused(&format!("{command} --algo {algo}")), &words);
        }
    }
    assert_says(
        &place.refused("crowd m.map --agents 1,000"),
        &["'1,000'", "without commas: 1000"],
    );
    for from in ["10;12", "10x12", "10:12"] {
        assert_says(
            &place.refused(&format!("solve m.map --from {from} --to random")),
            &["expected a comma between X and Y: 10,12"],
        );
    }
    assert_says(
        &place.refused("solve m.map --from Random --to random"),
        &["did you mean `random`?"],
    );
}

#[test]
fn an_index_that_nothing_uses_is_named() {
    let place = Place::with_map();
    place.done("build sectors m.map -o m.sectors");
    let solve = "solve m.map --from random --to random --index m.sectors";
    let unused = place.done(&format!("{solve} --algo waypost")).stderr;
    assert_says(
        &unused,
        &[
            "note:",
            "m.sectors",
            "`sectors`",
            "not used",
            "--algo sectors",
        ],
    );
    let used = place.done(&format!("{solve} --algo sectors")).stderr;
    assert_eq!(used, "");
    place.done("build subgoals m.map --records 20 -o m.subgoals");
    let solve = "solve m.map --from random --to random --index m.subgoals";
    assert_says(
        &place.done(&format!("{solve} --algo knn-lrta-2009")).stderr,
        &["not used; built with method=2010; knn-lrta-2009 asks for method=2009"],
    );
    assert_eq!(place.done(&format!("{solve} --algo knn-lrta")).stderr, "");
    // An algorithm that asks for such an index with a key is named with the key, and the words that are printed work.
    for count in [10, 3] {
        let file = format!("m{count}.landmarks");
        place.done(&format!("build landmarks m.map --count {count} -o {file}"));
        let solve = format!("solve m.map --from random --to random --index {file}");
        let unused = place.done(&format!("{solve} --algo astar")).stderr;
        let spec = format!("astar:landmarks={count}");
        assert_says(&unused, &[&format!("--algo {spec} ")]);
        assert_eq!(place.done(&format!("{solve} --algo {spec}")).stderr, "");
    }
    let page = place.done("indexes landmarks").stdout;
    assert_says(&page, &["Used by --algo astar:landmarks=10"]);
    let page = place.done("algorithms astar").stdout;
    assert_says(&page, &["Index: `landmarks` with astar:landmarks=10"]);
    assert_says(&place.done("algorithms lrta").stdout, &["Index: none."]);
    let solve = "solve m.map --from random --to random --index m.subgoals";
    let twice = place.done(&format!("{solve} --index m.subgoals --algo knn-lrta"));
    assert_says(&twice.stderr, &["another file comes before it"]);
}

#[test]
fn makers_have_defaults_and_take_no_other_files_place() {
    let place = Place::new();
    assert_says(&place.done("gen rooms").stdout, &["rooms.map", "400 x 300"]);
    assert_says(&place.refused("gen rooms --seed 2"), &["rooms.map", "-o"]);
    assert_says(
        &place.done("scen rooms.map").stdout,
        &["rooms.scen", "200 problems"],
    );
    assert_says(
        &place.refused("scen rooms.map --seed 2"),
        &["rooms.scen", "-o"],
    );
    assert_says(&place.done("scen rooms.map").stderr, &["the same"]);
    place.done("gen rooms --output other.map");
    assert_eq!(place.read("other.map"), place.read("rooms.map"));
}

#[test]
fn numbers_names_and_files_that_cannot_be_are_explained() {
    let place = Place::with_map();
    place.done("scen m.map --count 3");
    assert_says(
        &place.refused("bench m.map --scen m.scen --limit 0"),
        &["--limit", "expected 1 or more"],
    );
    assert_says(
        &place.refused("solve m.map --from random --to random --png path.gif"),
        &["path.gif", "expected .png"],
    );
    assert_says(
        &place.refused("range m.map --from random --cost 3 --png r.jpg"),
        &["r.jpg", "expected .png"],
    );
    assert_says(
        &place.refused("crowd m.map --agents 3 --ticks 3 --gif crowd.png"),
        &["crowd.png", "expected .gif"],
    );
    assert_says(
        &place.refused("demo --out m.map"),
        &["m.map", "is a file", "expected a folder"],
    );
    let missing = place.refused("info nix.map");
    assert_says(&missing, &["nix.map: "]);
    assert!(!missing.contains("os error"), "{missing}");
    place.write("empty.png", "");
    let empty = place.refused("info empty.png");
    assert_eq!(empty.matches("unexpected end").count(), 1, "{empty}");
    let size = place.refused("gen caves --size 100");
    assert_says(&size, &["--size", "--width and --height"]);
    assert!(!size.contains("as a value"), "{size}");
    assert_says(
        &place
            .done("gen random --width 1 --height 1 -o one.map")
            .stdout,
        &["1 passable cell"],
    );
    assert_says(
        &place.refused("build labels m.map --max-bytes 1 -o m.labels"),
        &[",", "bytes"],
    );
}

#[test]
fn graphs_are_asked_for_by_their_nodes() {
    let place = Place::new();
    place.write("g.graph", "waypost-graph 1\nnode 0 0\nnode 3 4\nedge 0 1\n");
    let help = place.done("graph -h").stdout;
    assert_says(&help, &["--from <NODE>", "--to <NODE>"]);
    assert!(!help.contains("--nearest"), "{help}");
    let said = place.done("graph g.graph --from 0 --to 1").stdout;
    assert_says(&said, &["1 move, cost 5 (0.00% above the least, 5)"]);
}

#[test]
fn completions_know_commands_and_parameters() {
    let place = Place::new();
    for shell in ["bash", "zsh", "fish", "powershell", "elvish"] {
        let script = place.done(&format!("completions {shell}")).stdout;
        assert_says(&script, &["solve", "records", "corners"]);
    }
}

#[test]
fn a_reader_that_goes_away_is_no_error() {
    use std::process::Stdio;
    let place = Place::new();
    let mut child = place
        .command(["completions", "bash"])
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .expect("the binary runs");
    drop(child.stdout.take());
    let output = child.wait_with_output().expect("it ends");
    assert_eq!(String::from_utf8_lossy(&output.stderr), "");
}
