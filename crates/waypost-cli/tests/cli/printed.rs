//! Every `waypost` command that is printed anywhere runs as it is printed: in README and docs, in help texts, in the catalogue,
//! in messages.
//!
//! Documents: the commands of a file's `sh` blocks run one after the other in one empty folder. A command that cannot (it installs,
//! serves, runs for minutes or needs files of the reader's) has the mark `<!-- covered by TEST: why -->` on the line before its
//! block, which names a test that covers it; the list of these is printed. `<!-- page covered by TEST: why -->` is the same for a
//! whole page. Commands within sentences, and all with words in capitals, are forms: the words are filled in, and they run beside a
//! map.
//!
//! The lists are written to standard error.

use crate::crowd::scenario;
use crate::documents::{documents, files_below, links_of, top};
use crate::support::{Place, binary, listed};
use std::collections::BTreeSet;
use std::io::Write;
use std::path::Path;
use std::process::Command;

/// Prints what is not run and why, also where the output of tests is held back.
macro_rules! say {
    ($($words:tt)*) => {
        // A reader that has gone away needs no list.
        let _ = writeln!(std::io::stderr(), $($words)*);
    };
}

/// Runs a line as a shell does, with the binary in the place of any `waypost`, and gives what it said on standard error.
fn shell(place: &Place, line: &str) -> Result<String, String> {
    let bin = Path::new(binary()).parent().expect("a folder");
    let old = std::env::var("PATH").unwrap_or_default();
    let output = Command::new("sh")
        .args(["-c", line])
        .current_dir(place.path(""))
        .env("PATH", format!("{}:{old}", bin.display()))
        .env("HOME", place.path(""))
        .output()
        .expect("a shell");
    let said = String::from_utf8_lossy(&output.stderr);
    match output.status.success() {
        true => Ok(said.into_owned()),
        false => Err(format!("{line}\n  {}: {}", output.status, said.trim_end())),
    }
}

/// Runs a line that is complete as it is printed: an index that it gives shows the index at work.
fn as_printed(place: &Place, line: &str) -> Result<(), String> {
    let said = shell(place, line)?;
    match said.contains("is not used") {
        true => Err(format!("{line}\n  {}", said.trim_end())),
        false => Ok(()),
    }
}

/// Commands of a document, in order.
enum Printed {
    /// Runs where the ones before it ran.
    Run(String),
    /// A test covers it.
    Covered {
        line: String,
        test: String,
        why: String,
    },
    /// A form in a sentence.
    Form(String),
}

/// The commands of a Markdown text.
fn commands_of(text: &str) -> Vec<Printed> {
    let mut printed = Vec::new();
    let (mut block, mut mark): (Option<bool>, Option<(String, String)>) = (None, None);
    let mut prose = String::new();
    for line in text.lines() {
        let trimmed = line.trim();
        if let Some(language) = trimmed.strip_prefix("```") {
            match block.take() {
                Some(_) => mark = None,
                None => block = Some(["sh", "console", "text", ""].contains(&language)),
            }
            continue;
        }
        match block {
            Some(true) => printed.extend(command_in(trimmed).map(|line| match &mark {
                None if is_form(&line) => Printed::Form(line),
                None => Printed::Run(line),
                Some((test, why)) => Printed::Covered {
                    line,
                    test: test.clone(),
                    why: why.clone(),
                },
            })),
            Some(false) => {}
            None => {
                if let Some(rest) = trimmed.strip_prefix("<!-- covered by ") {
                    let (test, why) = rest.split_once(':').expect("covered by TEST: why");
                    let why = why.trim_end_matches("-->").trim();
                    mark = Some((test.trim().to_string(), why.to_string()));
                }
                prose += line;
                prose.push('\n');
            }
        }
    }
    printed.extend(forms_in(&prose).into_iter().map(Printed::Form));
    let page = prose.split("<!-- page covered by ").nth(1);
    let Some((test, why)) = page.and_then(|mark| mark.split("-->").next()?.split_once(':')) else {
        return printed;
    };
    let covered = |command| match command {
        Printed::Run(line) | Printed::Form(line) => Printed::Covered {
            line,
            test: test.trim().to_string(),
            why: why.trim().to_string(),
        },
        covered => covered,
    };
    printed.into_iter().map(covered).collect()
}

/// Whether a command has words that the reader fills in.
fn is_form(line: &str) -> bool {
    let capitals = |word: &str| {
        word.len() > 1 && word.chars().all(|c| c.is_ascii_uppercase()) || word == "X,Y"
    };
    line.split(' ')
        .any(|word| capitals(word) || word.starts_with("MAP."))
}

/// A line of a block without the prompt and the comment at its end; none where it is no command of ours.
fn command_in(line: &str) -> Option<String> {
    let line = line.strip_prefix("$ ").unwrap_or(line);
    let line = line.split("  #").next().unwrap_or(line).trim();
    let line = match line.strip_prefix("cargo run --release -- ") {
        Some(rest) => format!("waypost {rest}"),
        None => line.to_string(),
    };
    let is_ours = line
        .strip_prefix("waypost ")
        .is_some_and(|rest| rest.starts_with(|c: char| c.is_ascii_lowercase()));
    let others = ["printf ", "cargo install "];
    let beside = others.iter().any(|word| line.starts_with(word));
    (is_ours || beside).then_some(line)
}

/// What stands between backticks and begins with the program's name.
fn forms_in(text: &str) -> Vec<String> {
    let parts = text.split('`').skip(1).step_by(2);
    let forms = parts.filter(|part| part.starts_with("waypost "));
    forms
        .map(|form| form.split_whitespace().collect::<Vec<_>>().join(" "))
        .collect()
}

/// Fills in what the reader would: words in capitals, and what a sentence leaves out.
fn filled(form: &str) -> String {
    let form = form.replace(" ...", " --from random --to random");
    let form = form.replace("=N", "=20");
    let mut words: Vec<String> = form.split(' ').map(str::to_string).collect();
    for i in 0..words.len() {
        let before = if i > 0 { words[i - 1].as_str() } else { "" };
        let filled = match words[i].as_str() {
            "MAP" => "m.map",
            "SCEN" | "MAP.scen" => "m.scen",
            "X,Y" => "random",
            "FILE" if before == "verify" || before == "--index" => "m.sectors",
            "FILE" if before == "graph" => "g.graph",
            "FILE" if before == "crowd" => "d.scen",
            "FILE" if before == "--scen" => "m.scen",
            "FILE" | "OUT" => "out.file",
            "KIND" if before == "gen" => "caves",
            "KIND" | "NAME" if before == "build" || before == "indexes" => "sectors",
            "NAME" if before == "lab" => "list",
            "NAME" => "tba",
            "EXPERIMENT" => "list",
            "SPEC" => "astar",
            "NODE" => "0",
            "COMMAND" => "solve",
            "I/N" => "1/2",
            "DIR" => ".",
            _ => continue,
        };
        words[i] = filled.to_string();
    }
    let line = words.join(" ");
    let has = |word: &str| words.iter().any(|w| w == word);
    let command = words.get(1).map_or("", String::as_str);
    match (command, words.len()) {
        // The command's name alone is a name; its help exists.
        (_, 2) if !["algorithms", "indexes"].contains(&command) => format!("{line} --help"),
        ("build", _) if !line.contains("m.map") => format!("{line} m.map -o out.file"),
        ("build", _) if !has("-o") => format!("{line} -o out.file"),
        ("scen", _) if !has("-o") => format!("{line} -o out.file"),
        ("lab", _) if !has("list") => format!("{line} --print-suite"),
        _ => line,
    }
}

/// A folder with what forms are about.
fn place_for_forms() -> Place {
    let place = Place::with_map();
    place.done("scen m.map --count 5 -o m.scen");
    place.done("build sectors m.map -o m.sectors");
    place.write("g.graph", "waypost-graph 1\nnode 0 0\nnode 3 4\nedge 0 1\n");
    scenario(&place);
    place
}

/// The names of all tests of the workspace.
fn names_of_tests() -> BTreeSet<String> {
    let mut names = BTreeSet::new();
    for path in files_below(&top().join("crates"), "rs") {
        let text = std::fs::read_to_string(&path).expect("a source file");
        let after = text.split("#[test]").skip(1);
        let names_in = after.filter_map(|t| t.split_once("fn ")?.1.split('(').next());
        names.extend(names_in.map(|name| name.trim().to_string()));
    }
    names
}

#[test]
fn commands_of_documents_run_in_the_order_printed() {
    let tests = names_of_tests();
    let (mut ran, mut failed) = (0, Vec::new());
    for document in documents() {
        let text = std::fs::read_to_string(&document).expect("a document");
        let name = document
            .strip_prefix(top())
            .unwrap_or(&document)
            .display()
            .to_string();
        let (place, forms) = (Place::new(), std::cell::OnceCell::new());
        for command in commands_of(&text) {
            let result = match command {
                Printed::Run(line) => as_printed(&place, &line),
                Printed::Form(form) => {
                    shell(forms.get_or_init(place_for_forms), &filled(&form)).map(drop)
                }
                Printed::Covered { line, test, why } => {
                    say!("{name}: not run: {line}\n    covered by {test}: {why}");
                    match tests.contains(&test) {
                        true => Ok(()),
                        false => Err(format!("{line}\n  there is no test `{test}`")),
                    }
                }
            };
            ran += 1;
            failed.extend(result.err().map(|why| format!("{name}: {why}")));
        }
    }
    say!("{ran} commands in documents");
    assert!(failed.is_empty(), "{}", failed.join("\n"));
    assert!(ran > 30, "{ran} commands: were they found?");
}

/// README and the guide, read from the first page to the last by somebody who stays in one folder, the catalogue after that.
#[test]
fn readme_and_guide_can_be_followed_in_one_folder() {
    let source = top().join("docs/guide/src");
    let contents = std::fs::read_to_string(source.join("SUMMARY.md")).expect("the contents");
    let chapters = links_of(&contents)
        .into_iter()
        .map(|name| source.join(name));
    let pages: Vec<_> = std::iter::once(top().join("README.md"))
        .chain(chapters)
        .collect();
    let place = Place::new();
    let (mut ran, mut failed) = (0, Vec::new());
    for page in &pages {
        let text = std::fs::read_to_string(page).expect("a page");
        for command in commands_of(&text) {
            let Printed::Run(line) = command else {
                continue;
            };
            // The tour has a test of its own, and takes no file of the folder.
            if line.starts_with("waypost demo") {
                continue;
            }
            ran += 1;
            let failure = as_printed(&place, &line).err();
            failed.extend(failure.map(|why| format!("{}: {why}", page.display())));
        }
    }
    for what in ["algorithms tables", "indexes sectors"] {
        let page = place.done(what).stdout;
        ran += run_examples(what, &place, &page, &mut failed);
    }
    say!("{ran} commands of README and guide in one folder");
    assert!(failed.is_empty(), "{}", failed.join("\n"));
    assert!(ran > 30, "{ran} commands: were they found?");
}

/// The commands of a help text: the lines below `Example:` or `Examples`.
fn examples_in(help: &str) -> Vec<String> {
    let lines = help.lines().skip_while(|line| !line.starts_with("Example"));
    let indented = lines
        .skip(1)
        .take_while(|line| line.starts_with("  ") || line.is_empty());
    indented
        .map(|line| line.trim().to_string())
        .filter(|line| !line.is_empty())
        .collect()
}

/// Names of all commands, from the help.
fn commands(place: &Place) -> Vec<String> {
    let help = place.done("--help").stdout;
    let lines = help.lines().skip_while(|line| *line != "Commands:").skip(1);
    lines
        .take_while(|line| !line.is_empty())
        .filter_map(|line| line.split_whitespace().next())
        .filter(|name| *name != "help")
        .map(str::to_string)
        .collect()
}

/// Examples that serve, run for minutes or need the reader's maps, and the tests that cover them.
const COVERED_EXAMPLES: &[(&str, &str)] = &[
    (
        "waypost lab knn-lrta-2009",
        "every_small_form_makes_a_whole_report",
    ),
    (
        "waypost lab all-methods",
        "every_small_form_makes_a_whole_report",
    ),
    (
        "waypost lab all --quick",
        "every_small_form_makes_a_whole_report",
    ),
    (
        "waypost lab case-based-2010 --suite",
        "every_small_form_makes_a_whole_report",
    ),
    ("waypost demo", "the_tour_ends_with_a_command_that_runs"),
    ("waypost play", "the_playground_serves_and_ends"),
];

fn run_examples(name: &str, place: &Place, help: &str, failed: &mut Vec<String>) -> usize {
    let tests = names_of_tests();
    let examples = examples_in(help);
    for line in &examples {
        let covered = COVERED_EXAMPLES
            .iter()
            .find(|(begin, _)| line.starts_with(begin));
        if let Some((_, test)) = covered {
            say!("{name}: not run: {line}\n    covered by {test}");
            assert!(tests.contains(*test), "there is no test `{test}`");
            continue;
        }
        failed.extend(
            as_printed(place, line)
                .err()
                .map(|why| format!("{name}: {why}")),
        );
    }
    examples.len()
}

/// In an empty folder, as they are printed, one after the other.
#[test]
fn examples_of_help_texts_run() {
    let (place, forms) = (Place::new(), place_for_forms());
    let (mut ran, mut failed) = (0, Vec::new());
    for command in commands(&place) {
        for flag in ["-h", "--help"] {
            let help = place.done(&format!("{command} {flag}")).stdout;
            ran += run_examples(&command, &Place::new(), &help, &mut failed);
            for form in forms_in(&help) {
                let result = shell(&forms, &filled(&form));
                failed.extend(result.err().map(|why| format!("{command}: {why}")));
            }
        }
    }
    say!("{ran} examples of help texts");
    assert!(failed.is_empty(), "{}", failed.join("\n"));
    assert!(ran > 25, "{ran} examples: were they found?");
}

/// The examples of the whole program, in an empty folder, one after the other.
#[test]
fn examples_of_the_main_help_run_one_after_the_other() {
    let place = Place::new();
    let help = place.done("--help").stdout;
    let mut failed = Vec::new();
    let ran = run_examples("waypost", &place, &help, &mut failed);
    assert!(failed.is_empty(), "{}", failed.join("\n"));
    assert!(ran > 5, "{ran} examples: were they found?");
}

#[test]
fn examples_of_the_catalogue_run() {
    let place = Place::new();
    let (mut ran, mut failed) = (0, Vec::new());
    for what in ["algorithms", "indexes"] {
        for name in listed(&place, what) {
            let page = place.done(&format!("{what} {name}")).stdout;
            ran += run_examples(&name, &Place::new(), &page, &mut failed);
        }
    }
    assert!(failed.is_empty(), "{}", failed.join("\n"));
    assert!(ran > 80, "{ran} examples: were they found?");
}

/// Commands in the texts of the sources: messages, notes, help.
#[test]
fn commands_in_messages_run() {
    let mut forms = BTreeSet::new();
    for source in ["waypost", "waypost-lab", "waypost-play", "waypost-cli"] {
        for path in files_below(&top().join("crates").join(source).join("src"), "rs") {
            let text = std::fs::read_to_string(&path).expect("a source file");
            let spoken = text
                .lines()
                .filter(|line| !line.trim_start().starts_with("//"));
            spoken.for_each(|line| forms.extend(forms_in(line)));
        }
    }
    // Words that the program fills in itself.
    let forms: Vec<String> = forms
        .into_iter()
        .map(|f| {
            f.replace("{command}", "solve")
                .replace("{name}{with}", "sectors")
                .replace("{kind} MAP -o {name}", "jump MAP -o FILE")
                .replace("{meant}", "astar;tba")
                .replace("gen {look} -o {name}", "gen caves -o out.map")
                .replace("build auto {name}", "build auto MAP")
                .replace("{named}", "tba")
        })
        .collect();
    say!("{} commands in messages: {forms:#?}", forms.len());
    let place = place_for_forms();
    let results = forms.iter().map(|form| shell(&place, &filled(form)));
    let failed: Vec<String> = results.filter_map(Result::err).collect();
    assert!(failed.is_empty(), "{}", failed.join("\n"));
    assert!(forms.len() > 8, "{forms:?}: were they found?");
}

#[test]
fn the_short_help_fits_a_screen() {
    let place = Place::new();
    let mut names = commands(&place);
    names.push(String::new());
    for command in names {
        let help = place.done(&format!("{command} -h")).stdout;
        let lines = help.lines().count();
        let most = if command.is_empty() { 45 } else { 40 };
        assert!(lines <= most, "waypost {command} -h has {lines} lines");
        let widest = help.lines().map(|line| line.chars().count()).max();
        assert!(
            widest <= Some(100),
            "waypost {command} -h is {widest:?} wide"
        );
    }
    // No line of prose is broken before it is full: it was broken twice then.
    for command in ["lab", "scen", "check", "verify", "graph", "bench"] {
        let help = place.done(&format!("{command} -h")).stdout;
        let prose = help
            .lines()
            .skip_while(|l| !l.starts_with("  -h, --help"))
            .skip(1);
        let prose: Vec<&str> = prose.filter(|l| !l.starts_with(' ')).collect();
        for pair in prose
            .windows(2)
            .filter(|pair| !pair.iter().any(|l| l.is_empty()))
        {
            let word = pair[1].split(' ').next().unwrap_or("");
            let full = pair[0].chars().count() + 1 + word.chars().count() > 100;
            let ends = pair[0].ends_with(['.', ':']);
            assert!(full || ends, "waypost {command} -h: {pair:?}");
        }
    }
    for page in [
        "algorithms",
        "indexes",
        "algorithms knn-lrta",
        "indexes cpd",
    ] {
        let lines = place.done(page).stdout.lines().count();
        assert!(lines <= 50, "waypost {page} has {lines} lines");
    }
}

#[test]
fn the_tour_ends_with_a_command_that_runs() {
    let place = Place::new();
    let ran = place.done("demo --out my-demo");
    // The name of the program of the tests is longer than the one that people have.
    let lines = ran.stdout.replace(binary(), "waypost");
    for line in lines.lines().chain(ran.stderr.lines()) {
        assert!(line.chars().count() < 100, "{line}");
    }
    let table: Vec<&str> = ran
        .stdout
        .lines()
        .take_while(|line| !line.is_empty())
        .collect();
    assert_eq!(table.len(), 8, "a heading, a rule and six rows: {table:?}");
    assert!(
        table.iter().all(|line| line.chars().count() < 100),
        "{table:?}"
    );
    let next = ran
        .stdout
        .lines()
        .find_map(|line| line.strip_prefix("Next: "));
    shell(&place, next.expect("what to do next")).expect("it runs as printed");
    assert_eq!(&place.read("path.png")[1..4], b"PNG");
    let film = place.read("my-demo/crowd.gif");
    assert_eq!(&film[..3], b"GIF");
    let shown = std::fs::read(top().join("docs/crowd.gif")).expect("the film of the README");
    assert!(
        film == shown,
        "the README's film is not today's: draw it with `cargo xtask pictures`, and look at it"
    );
    let page = String::from_utf8(place.read("my-demo/report.html")).expect("text");
    let at = |words: &str| {
        page.find(words)
            .unwrap_or_else(|| panic!("`{words}` is missing"))
    };
    assert!(at("class=\"summary\"") < at("data:image/gif"));
    assert!(
        at("data:image/gif") < at("<table>"),
        "pictures come before tables"
    );
    assert!(
        page.contains("<tr class=\"default\">"),
        "the default is highlighted"
    );
}
