//! Search traces in the format of Posthoc, the visualiser of searches (format 1.4.0): a view that draws each event as a
//! coloured cell, and the events with id, parent, costs and place. A YAML file, or JSON where that is asked for.

use serde::Serialize;
use serde_json::json;
use waypost::Map;
use waypost::grid::Cell;
use waypost::trace::{Event, Trace};

const VERSION: &str = "1.4.0";

/// An event as Posthoc names it.
#[derive(Serialize)]
struct Line {
    #[serde(rename = "type")]
    kind: &'static str,
    id: u32,
    #[serde(rename = "pId", skip_serializing_if = "Option::is_none")]
    parent: Option<u32>,
    #[serde(skip_serializing_if = "Option::is_none")]
    g: Option<f64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    f: Option<f64>,
    x: u32,
    y: u32,
}

/// Which of the two texts.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Form {
    /// One event a line.
    Yaml,
    /// One document.
    Json,
}

/// The trace of a walk from `from` to `goal`.
pub fn write(map: &Map, from: Cell, goal: Cell, trace: &Trace, form: Form) -> String {
    let lines = lines(map, from, goal, trace);
    let view = json!([{
        "$": "rect", "fill": "${{ color[$.type] }}", "width": 1, "height": 1, "x": "${{ $.x }}", "y": "${{ $.y }}",
    }]);
    let pivot = json!({ "x": "${{ $.x + 0.5 }}", "y": "${{ $.y + 0.5 }}", "scale": 1 });
    match form {
        Form::Json => {
            json!({ "version": VERSION, "views": { "main": view }, "pivot": pivot, "events": lines }).to_string()
        }
        Form::Yaml => {
            // A JSON value is a YAML value, so each event stands on its line as it is.
            let mut text = format!("version: {VERSION}\nviews:\n  main: {view}\npivot: {pivot}\nevents:\n");
            for line in lines {
                text += &format!("  - {}\n", json!(line));
            }
            text
        }
    }
}

fn lines(map: &Map, from: Cell, goal: Cell, trace: &Trace) -> Vec<Line> {
    let line = |kind, cell: Cell| {
        let point = map.grid().point(cell);
        Line {
            kind,
            id: cell.0,
            parent: None,
            g: None,
            f: None,
            x: point.x,
            y: point.y,
        }
    };
    let mut lines = vec![line("source", from), line("destination", goal)];
    let mut at = from;
    for &event in trace.events() {
        lines.push(match event {
            Event::Expanded { cell, parent, g, f } => Line {
                parent: (parent != Cell::NONE).then_some(parent.0),
                g: Some(map.approximate_length(g)),
                f: Some(map.approximate_length(f)),
                ..line("expanding", cell)
            },
            Event::Stepped { to } => {
                let before = std::mem::replace(&mut at, to);
                Line {
                    parent: Some(before.0),
                    ..line("end", to)
                }
            }
        });
    }
    lines
}

#[cfg(test)]
mod tests {
    use super::*;
    use waypost::grid::{Grid, MoveRules, Point};

    #[test]
    fn both_forms_hold_the_same_events() {
        let grid = Grid::from_fn(3, 1, |_| true).expect("a legal size");
        let map = Map::new(grid, MoveRules::default());
        let cell = |x| map.grid().cell(Point { x, y: 0 }).expect("inside");
        let mut trace = Trace::with_limit(10);
        trace.record(Event::Expanded {
            cell: cell(0),
            parent: Cell::NONE,
            g: 0,
            f: 1970,
        });
        trace.record(Event::Stepped { to: cell(1) });
        let json = write(&map, cell(0), cell(2), &trace, Form::Json);
        let parsed: serde_json::Value = serde_json::from_str(&json).expect("JSON");
        let events = parsed["events"].as_array().expect("a list");
        assert_eq!(events[2]["type"], "expanding");
        assert_eq!(events[2]["f"], 2.0);
        assert_eq!(events[3]["pId"], cell(0).0);
        let yaml = write(&map, cell(0), cell(2), &trace, Form::Yaml);
        let below = yaml.lines().skip_while(|l| *l != "events:").skip(1);
        let same: Vec<serde_json::Value> = below
            .map(|l| serde_json::from_str(l.trim_start_matches("  - ")).expect("an event"))
            .collect();
        assert_eq!(&same, events);
    }
}
