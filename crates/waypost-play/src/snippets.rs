//! The same as on the page, elsewhere: the command, and the lines of Rust and Python.

use crate::source::{DOOR_LETTERS, Seeded};
use serde::Serialize;
use std::fmt::Write;
use waypost::Point;
use waypost::terrain::{Footing, Footings};

/// What is to be done again.
#[derive(Clone, Debug)]
pub struct Scene<'a> {
    /// The file's name.
    pub name: &'a str,
    /// The seed of a map that was made, as long as nobody has drawn on it.
    pub seeded: Option<&'a Seeded>,
    /// Whether the file is the one that the page saves: somebody has drawn on the map, or it comes from a link.
    pub is_drawn_on: bool,
    /// Of a `.map` file: what its letters cost, as `--terrain` takes it.
    pub costs: Option<&'a str>,
    /// Whether the map has doors.
    pub doors: bool,
    /// The searches: method, start and goal.
    pub searches: Vec<(&'a str, Point, Point)>,
    /// The crowd: units, method, whether it is exclusive, seed.
    pub crowd: Option<(u32, &'a str, bool, u64)>,
}

/// The texts.
#[derive(Debug, PartialEq, Eq, Serialize)]
pub struct Lines {
    /// Commands, a line each.
    pub command: String,
    /// A program.
    pub rust: String,
    /// A program.
    pub python: String,
}

/// The method that a navigator's own paths have.
const USUAL: &str = "waypost";

/// A word of a shell, whatever is in it.
fn shell_word(text: &str) -> String {
    let is_plain = |c: char| c.is_ascii_alphanumeric() || "._-,=:/".contains(c);
    let start = if text.starts_with('-') { "./" } else { "" };
    match text.chars().all(is_plain) {
        true => format!("{start}{text}"),
        false => format!("{start}'{}'", text.replace('\'', r"'\''")),
    }
}

impl Scene<'_> {
    /// Writes them, for a map whose letters say what ground it has.
    pub fn lines(&self) -> Lines {
        self.lines_on(self.costs().is_some())
    }

    /// The same for a map that has ground of several costs, or not. Where it has, the method of the page and a navigator's own paths differ.
    pub fn lines_on(&self, has_ground: bool) -> Lines {
        Lines {
            command: self.command().join("\n"),
            rust: self.rust(has_ground),
            python: self.python(has_ground),
        }
    }

    fn costs(&self) -> Option<&str> {
        self.costs.filter(|costs| !costs.is_empty())
    }

    /// Letters of doors; other files than `.map` know their doors themselves.
    fn door_letters(&self) -> Option<&str> {
        (self.doors && self.costs.is_some()).then_some(DOOR_LETTERS)
    }

    /// What has to be done first, in words.
    fn first(&self, comment: &str) -> Option<String> {
        let words = "first save the map, with \"Map (.map)\"";
        self.is_drawn_on.then(|| format!("{comment} {words}"))
    }

    fn command(&self) -> Vec<String> {
        let file = shell_word(self.name);
        let mut lines: Vec<String> = self.first("#").into_iter().collect();
        if let Some(seeded) = self.seeded {
            let Seeded {
                kind,
                width,
                height,
                seed,
                ..
            } = seeded;
            let ground = if seeded.terrain { " --terrain" } else { "" };
            lines.push(format!(
                "waypost gen {kind} --width {width} --height {height} --seed {seed}{ground} -o {file}"
            ));
        }
        let mut rules = String::new();
        if let Some(costs) = self.costs() {
            rules += &format!(" --terrain {}", shell_word(costs));
        }
        if let Some(letters) = self.door_letters() {
            rules += &format!(" --doors {letters}");
        }
        for (i, (spec, from, goal)) in self.searches.iter().enumerate() {
            let picture = ["path.png", "path-2.png"][i.min(1)];
            lines.push(format!(
                "waypost solve {file}{rules} --from {},{} --to {},{} --algo {} --png {picture}",
                from.x,
                from.y,
                goal.x,
                goal.y,
                shell_word(spec)
            ));
        }
        if let Some((units, spec, exclusive, seed)) = self.crowd {
            let exclusive = if exclusive { " --exclusive" } else { "" };
            lines.push(format!(
                "waypost crowd {file}{rules} --agents {units} --ticks 600 --algo {}{exclusive} --seed {seed} --gif crowd.gif",
                shell_word(spec)
            ));
        }
        lines
    }

    fn rust(&self, has_ground: bool) -> String {
        let is_usual = |spec: &str| spec == USUAL && !has_ground;
        let others = self.searches.iter().any(|(spec, ..)| !is_usual(spec));
        let has_letters = self.costs().is_some() || self.door_letters().is_some();
        let mut text = String::new();
        text += if others {
            "use waypost::agent::{Context, Scratch};\n"
        } else {
            ""
        };
        text += "use waypost::prelude::*;\n";
        text += if others {
            "use waypost::run::walk;\nuse waypost::spec::AgentSpec;\n"
        } else {
            ""
        };
        text += "\nfn main() -> Result<(), Box<dyn std::error::Error>> {\n";
        if let Some(words) = self.first("//") {
            text += &format!("    {words}\n");
        }
        text += &format!("    let file = std::fs::read({:?})?;\n", self.name);
        text += match has_letters {
            true => "    let mut reading = waypost::formats::Reading::default();\n",
            false => "    let map = Map::from_bytes(&file)?;\n",
        };
        if let Some(costs) = self.costs() {
            text +=
                &format!("    reading.footings = waypost::terrain::Footings::parse({costs:?})?;\n");
        }
        if let Some(letters) = self.door_letters() {
            text += &format!("    reading.door_letters = {letters:?}.to_string();\n");
        }
        if has_letters {
            text += "    let level = waypost::formats::map::parse_level(&file, &reading)?;\n    let map = Map::from_level(&level)?;\n";
        }
        text += "    let nav = Navigator::build(map)?;\n";
        for (spec, from, goal) in &self.searches {
            text += &rust_search(spec, is_usual(spec), *from, *goal);
        }
        if let Some((units, spec, exclusive, seed)) = self.crowd {
            text += &rust_crowd(units, spec, exclusive, seed);
        }
        text + "    Ok(())\n}\n"
    }

    fn python(&self, has_ground: bool) -> String {
        let is_usual = |spec: &str| spec == USUAL && !has_ground;
        let others = self.searches.iter().any(|(spec, ..)| !is_usual(spec));
        let mut text = String::new();
        text += if self.crowd.is_some() {
            "import random\n"
        } else {
            ""
        };
        text += "import waypost\n\n";
        if let Some(words) = self.first("#") {
            text += &format!("{words}\n");
        }
        let mut rules = String::new();
        if let Some(costs) = self.costs().and_then(|costs| Footings::parse(costs).ok()) {
            let costs = costs.iter().map(|(letter, footing)| match footing {
                Footing::Factor(factor) => format!("{letter:?}: {factor}"),
                Footing::Wall => format!("{letter:?}: None"),
            });
            rules += &format!(", terrain={{{}}}", costs.collect::<Vec<_>>().join(", "));
        }
        if let Some(letters) = self.door_letters() {
            rules += &format!(", doors={letters:?}");
        }
        let name = serde_json::to_string(self.name).unwrap_or_default();
        text += &format!("map = waypost.Map.load({name}{rules})\n");
        if self.crowd.is_some() || !others || self.searches.iter().any(|(spec, ..)| is_usual(spec))
        {
            text += "nav = waypost.Navigator(map)\n";
        }
        for (spec, from, goal) in &self.searches {
            let ends = format!("({}, {}), ({}, {})", from.x, from.y, goal.x, goal.y);
            text += &match is_usual(spec) {
                true => {
                    format!("path = nav.path({ends})\nprint(path.cost if path else \"no way\")\n")
                }
                false => format!(
                    "agent = waypost.Agent(map, {spec:?})\nagent.start({ends})\nprint(agent.walk(), len(agent.path) - 1, \"moves\")\n"
                ),
            };
        }
        if let Some((units, spec, exclusive, seed)) = self.crowd {
            text += &python_crowd(units, spec, exclusive, seed);
        }
        text
    }
}

fn rust_search(spec: &str, is_usual: bool, from: Point, goal: Point) -> String {
    let mut text = String::new();
    // Writing to a string does not fail.
    let _ = match is_usual {
        true => writeln!(
            text,
            "    let path = nav.path(({}, {}), ({}, {}))?;\n    println!(\"{{:.2}} long\", path.length());",
            from.x, from.y, goal.x, goal.y
        ),
        false => writeln!(
            text,
            "    {{
        let spec = AgentSpec::parse({spec:?})?;
        spec.needs().iter().try_for_each(|index| nav.world().provide(index))?;
        let (map, mut scratch) = (nav.world().map(), Scratch::new());
        let mut agent = spec.build(&map, &nav.world().indexes())?;
        let cell = |x, y| map.passable_cell(Point {{ x, y }}).ok_or(\"a wall\");
        let (from, goal) = (cell({}, {})?, cell({}, {})?);
        let mut context = Context::new(&*map, &mut scratch);
        let walked = walk(agent.as_mut(), &mut context, from, goal, 10_000_000, &mut ())?;
        let length = map.path_length(&walked.path).map_or(f64::NAN, |moves| map.length(moves));
        println!(\"{{:?}}, {{length:.2}} long\", walked.outcome);
    }}",
            from.x, from.y, goal.x, goal.y
        ),
    };
    text
}

fn rust_crowd(units: u32, spec: &str, exclusive: bool, seed: u64) -> String {
    format!(
        "    // Places and goals by a seed, as on the page, but others than there.
    let options = CrowdOptions {{ method: {spec:?}.into(), exclusive: {exclusive}, ..CrowdOptions::default() }};
    let (mut crowd, mut rng) = (nav.crowd(options)?, waypost::rng::Rng::new({seed}));
    let (width, height) = (nav.world().map().grid().width(), nav.world().map().grid().height());
    while crowd.len() < {units} {{
        let [at, goal] = [(); 2].map(|()| Point {{ x: rng.below(width), y: rng.below(height) }});
        let Ok(unit) = crowd.spawn(at) else {{ continue }};
        if let Some(goal) = nav.nearest_reachable(at, goal) {{
            crowd.send(unit, goal)?;
        }}
    }}
    for _ in 0..600 {{
        crowd.tick();
    }}
    println!(\"all are there: {{}}\", crowd.all_arrived());
"
    )
}

fn python_crowd(units: u32, spec: &str, exclusive: bool, seed: u64) -> String {
    let (exclusive, drawn) = match exclusive {
        true => ("True", "sample"),
        false => ("False", "choices"),
    };
    format!(
        "# Places and goals by a seed, as on the page, but others than there.
crowd = nav.crowd(method={spec:?}, exclusive={exclusive})
chance = random.Random({seed})
free = [(x, y) for y in range(map.height) for x in range(map.width) if nav.is_free((x, y))]
starts = chance.{drawn}(free, k={units})
ids = crowd.spawn(starts)
crowd.send(ids, [nav.nearest_reachable(start, chance.choice(free)) for start in starts])
for _ in range(600):
    crowd.tick()
print(crowd.positions())
"
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_stay_words() {
        let scene = |name| Scene {
            name,
            seeded: None,
            is_drawn_on: false,
            costs: Some(""),
            doors: true,
            searches: vec![("waypost", Point { x: 1, y: 2 }, Point { x: 3, y: 4 })],
            crowd: None,
        };
        for (name, word) in [
            ("a.map", "a.map"),
            ("-a.map", "./-a.map"),
            ("größe (1).map", "'größe (1).map'"),
            ("it's; rm -rf *.map", r"'it'\''s; rm -rf *.map'"),
        ] {
            assert_eq!(
                scene(name).lines().command,
                format!(
                    "waypost solve {word} --doors dD --from 1,2 --to 3,4 --algo waypost --png path.png"
                )
            );
        }
        assert!(
            scene("a\"b.map")
                .lines()
                .rust
                .contains(r#"read("a\"b.map")"#)
        );
    }

    #[test]
    fn programs_name_the_method_the_ground_and_all_units() {
        let (from, goal) = (Point { x: 1, y: 2 }, Point { x: 3, y: 4 });
        let scene = Scene {
            name: "a.map",
            seeded: None,
            is_drawn_on: true,
            costs: Some("S=2,T=8"),
            doors: true,
            searches: vec![("waypost", from, goal), ("lrta", from, goal)],
            crowd: Some((209, "tba:slice=25", true, 7)),
        };
        let lines = scene.lines();
        for text in [&lines.command, &lines.rust, &lines.python] {
            for words in ["save the map", "lrta", "tba:slice=25", "209", "dD", "7"] {
                assert!(text.contains(words), "{words} in {text}");
            }
        }
        // On ground of several costs a navigator's own path is not what the page has shown.
        assert!(!lines.rust.contains("nav.path") && !lines.python.contains("nav.path"));
        let plain = scene.lines_on(false);
        assert!(plain.rust.contains("nav.path") && plain.python.contains("nav.path"));
        assert!(lines.rust.contains("Footings::parse(\"S=2,T=8\")"));
        assert!(lines.python.contains("terrain={\"S\": 2, \"T\": 8}"));
    }
}
