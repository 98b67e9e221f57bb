//! The same as on the page, elsewhere: the command, and the lines of Rust and Python.

use crate::source::Seeded;
use serde::Serialize;
use waypost::Point;
use waypost::generate::terrain;

/// What is to be done again.
#[derive(Clone, Debug)]
pub struct Scene<'a> {
    /// The file's name.
    pub name: &'a str,
    /// The seed of a map that was made, as long as nobody has drawn on it.
    pub seeded: Option<&'a Seeded>,
    /// Whether the map has doors.
    pub doors: bool,
    /// The search: method, start and goal.
    pub search: Option<(&'a str, Point, Point)>,
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

impl Scene<'_> {
    /// Writes them.
    pub fn lines(&self) -> Lines {
        Lines {
            command: self.command(),
            rust: self.rust(),
            python: self.python(),
        }
    }

    fn has_costs(&self) -> bool {
        self.seeded.is_some_and(|seeded| seeded.terrain)
    }

    /// A name that no shell reads as more than one word.
    fn file(&self) -> String {
        let plain = |c: char| c.is_ascii_alphanumeric() || "._-".contains(c);
        let name: String = self.name.chars().filter(|&c| plain(c)).collect();
        match name.trim_start_matches('-') {
            "" => "level.map".to_string(),
            name => name.to_string(),
        }
    }

    fn command(&self) -> String {
        let file = self.file();
        let mut lines = Vec::new();
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
        if self.has_costs() {
            rules += &format!(" --terrain {}", terrain::footings());
        }
        if self.doors && self.seeded.is_none() {
            rules += &format!(" --doors {}", crate::source::DOOR_LETTERS);
        }
        if let Some((spec, from, goal)) = self.search {
            lines.push(format!(
                "waypost solve {file}{rules} --from {},{} --to {},{} --algo {spec} --png path.png",
                from.x, from.y, goal.x, goal.y
            ));
        }
        if let Some((units, spec, exclusive, seed)) = self.crowd {
            let exclusive = if exclusive { " --exclusive" } else { "" };
            lines.push(format!(
                "waypost crowd {file}{rules} --agents {units} --ticks 600 --algo {spec}{exclusive} --seed {seed} --gif crowd.gif"
            ));
        }
        lines.join("\n")
    }

    fn rust(&self) -> String {
        let mut text = String::from(
            "use waypost::prelude::*;\n\nfn main() -> Result<(), Box<dyn std::error::Error>> {\n",
        );
        text += &format!(
            "    let map = Map::from_bytes(&std::fs::read(\"{}\")?)?;\n",
            self.file()
        );
        text += "    let nav = Navigator::build(map)?;\n";
        if let Some((_, from, goal)) = self.search {
            text += &format!(
                "    let path = nav.path(({}, {}), ({}, {}))?;\n    println!(\"{{:.1}} long\", path.length());\n",
                from.x, from.y, goal.x, goal.y
            );
        }
        if let Some((_, spec, exclusive, _)) = self.crowd {
            let (from, goal) = self.ends();
            text += &format!(
                "    let options = CrowdOptions {{ method: \"{spec}\".into(), exclusive: {exclusive}, ..CrowdOptions::default() }};\n"
            );
            text += &format!(
                "    let mut crowd = nav.crowd(options)?;\n    let unit = crowd.spawn(({}, {}))?;\n    crowd.send(unit, ({}, {}))?;\n",
                from.x, from.y, goal.x, goal.y
            );
            text += "    while !crowd.all_arrived() {\n        crowd.tick();\n    }\n";
        }
        text + "    Ok(())\n}\n"
    }

    fn python(&self) -> String {
        let mut text = format!(
            "import waypost\n\nm = waypost.Map.load(\"{}\")\nnav = waypost.Navigator(m)\n",
            self.file()
        );
        if let Some((_, from, goal)) = self.search {
            text += &format!(
                "path = nav.path(({}, {}), ({}, {}))\nprint(path.cost, path.points[:5])\n",
                from.x, from.y, goal.x, goal.y
            );
        }
        if let Some((_, _, exclusive, _)) = self.crowd {
            let (from, goal) = self.ends();
            let exclusive = if exclusive { "True" } else { "False" };
            text += &format!(
                "crowd = nav.crowd(exclusive={exclusive})\nids = crowd.spawn([({}, {})])\ncrowd.send(ids, [({}, {})])\n",
                from.x, from.y, goal.x, goal.y
            );
            text += "for _ in range(600):\n    crowd.tick()\nprint(crowd.positions())\n";
        }
        text
    }

    /// Start and goal of the search, or places that the reader will change.
    fn ends(&self) -> (Point, Point) {
        let anywhere = (Point { x: 1, y: 1 }, Point { x: 2, y: 2 });
        self.search.map_or(anywhere, |(_, from, goal)| (from, goal))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_stay_words() {
        let scene = Scene {
            name: "--my level; rm -rf *.map",
            seeded: None,
            doors: true,
            search: Some(("waypost", Point { x: 1, y: 2 }, Point { x: 3, y: 4 })),
            crowd: None,
        };
        assert_eq!(
            scene.lines().command,
            "waypost solve mylevelrm-rf.map --doors dD --from 1,2 --to 3,4 --algo waypost --png path.png"
        );
    }
}
