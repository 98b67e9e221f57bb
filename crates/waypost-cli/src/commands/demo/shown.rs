//! What the terminal shows of the tour: six methods, and what follows.

use super::{EXPERIMENT, PROBLEMS};
use crate::bar::Bar;
use anyhow::Result;
use std::sync::Arc;
use waypost::Map;
use waypost::agent::{Context, Decision, Meter, Scratch};
use waypost::formats::scen;
use waypost::index::{Index, Indexes};
use waypost::run::{Watch, walk};
use waypost::spec::AgentSpec;
use waypost_lab::lab::report;
use waypost_lab::table::{Align, Table, grouped};
use waypost_lab::workbench::Workbench;

/// The methods that the terminal shows, by their names in the report, as they are written here, and as specs; the report has all.
const SHOWN: [(&str, &str, &str); 6] = [
    ("waypost", "waypost", "waypost"),
    ("sectors", "sectors", "sectors"),
    ("A*", "A*", "astar"),
    ("jps", "JPS", "jps"),
    ("TBA*(50)", "TBA*(50)", "tba:slice=50"),
    ("LRTA*", "LRTA*", "lrta"),
];
/// Headings of the report's tables, and what the terminal calls them.
const LONGER: &str = "longer %, mean";
const COLUMNS: [(&str, &str); 4] = [
    (LONGER, "longer %"),
    ("µs a move, mean", "µs a move"),
    ("µs a path, mean", "µs a path"),
    ("index kB", "index kB"),
];
/// A walk of this many moves has shown what its moves cost.
const ENOUGH_MOVES: u64 = 5_000;

/// The most weighted operations of any move: of the methods that are shown, in their order.
pub struct Work([MostOfMove; SHOWN.len()]);

/// The most that a move of a method took, and whether the method publishes a bound.
#[derive(Clone, Copy, Default)]
struct MostOfMove {
    weighted: u64,
    bounded: bool,
}

impl Watch for MostOfMove {
    fn after(&mut self, _: Decision, meter: &Meter) {
        self.weighted = self.weighted.max(meter.weighted());
    }
}

impl Work {
    /// Walks the problems with each of them.
    pub fn of(map: &Map, problems: &[scen::Problem], index: Arc<dyn Index>) -> Result<Work> {
        let mut indexes = Indexes::new();
        indexes.add(index);
        let mut bench = Workbench::new(indexes);
        let mut work = Work([MostOfMove::default(); SHOWN.len()]);
        for ((_, _, spec), most) in SHOWN.iter().zip(&mut work.0) {
            let spec = AgentSpec::parse(spec)?;
            bench.prepare(map, &spec, &Bar::default())?;
            let mut agent = spec.build(map, bench.indexes())?;
            let mut scratch = Scratch::new();
            let mut context = Context::new(map, &mut scratch);
            most.bounded = agent.weighted_bound(map).is_some();
            for problem in problems {
                let (from, goal) = problem.ends(map.grid())?;
                walk(
                    agent.as_mut(),
                    &mut context,
                    from,
                    goal,
                    ENOUGH_MOVES,
                    &mut *most,
                )?;
            }
        }
        Ok(work)
    }

    /// Of a method, by its name in the report.
    fn most(&self, name: &str) -> MostOfMove {
        let at = SHOWN.iter().position(|(reported, ..)| *reported == name);
        at.map_or(MostOfMove::default(), |at| self.0[at])
    }
}

/// What the report's tables say of an algorithm under a heading: for people, and as a number.
fn figure(report: &report::Report, algorithm: &str, heading: &str) -> Option<(String, f64)> {
    report.tables.iter().find_map(|sheet| {
        let column = sheet.columns.iter().position(|c| c.text == heading)?;
        let row = sheet.rows.iter().find(|row| row[0].plain() == algorithm)?;
        let entry = row.get(column)?;
        Some((entry.text.clone(), entry.plain().parse().ok()?))
    })
}

/// Six methods, the shortest paths first and the fastest of these.
pub fn six_rows(report: &report::Report, work: &Work) -> Table {
    let mut columns = vec![("method", Align::Left)];
    columns.extend(COLUMNS.map(|(_, title)| (title, Align::Right)));
    columns.insert(2, ("most work of a move", Align::Right));
    let mut table = Table::new(&columns);
    let mut shown = SHOWN.to_vec();
    let value = |name: &str, heading| figure(report, name, heading).map_or(f64::MAX, |f| f.1);
    shown.sort_by(|a, b| {
        let key = |name: &str| [value(name, LONGER), value(name, COLUMNS[2].0)];
        let (a, b) = (key(a.0), key(b.0));
        a[0].total_cmp(&b[0]).then(a[1].total_cmp(&b[1]))
    });
    for (name, written, _) in shown {
        let cells = COLUMNS.map(|(heading, _)| figure(report, name, heading));
        let mut texts = cells
            .map(|cell| cell.map_or(String::new(), |(text, _)| text))
            .to_vec();
        let most = work.most(name);
        texts.insert(
            1,
            match most.bounded {
                true => grouped(most.weighted as i64),
                false => "no bound".to_string(),
            },
        );
        table.row([written.to_string()].into_iter().chain(texts));
    }
    table
}

/// What the report opens with: what the tour has shown, and on how little.
pub fn opening(report: &report::Report, work: &Work) -> Option<String> {
    let shown = conclusion(report, work)?;
    Some(format!(
        "{shown} The tables below count operations without weights. All figures are from {PROBLEMS} problems on one small map; waypost lab {EXPERIMENT} runs the same methods on six kinds of map."
    ))
}

/// What the tour has shown, in a few words.
pub fn conclusion(report: &report::Report, work: &Work) -> Option<String> {
    let own = figure(report, "waypost", LONGER)?;
    let paths = match own.1 {
        0.0 => "walked shortest paths".to_string(),
        _ => format!("walked paths {}% longer than the shortest", own.0),
    };
    let most = |name: &str| grouped(work.most(name).weighted as i64);
    Some(format!(
        "waypost {paths} with up to {} weighted operations for any move;\n\
         A* takes up to {} before its first move, and LRTA*, with up to {} for a move,\n\
         walks {}% farther than it must. (Work is weighted operations: about nanoseconds.)",
        most("waypost"),
        most("A*"),
        most("LRTA*"),
        figure(report, "LRTA*", LONGER)?.0.replace('≥', "at least"),
    ))
}
