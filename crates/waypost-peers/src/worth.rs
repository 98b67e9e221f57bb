//! What each optimisation of the chapter is worth: A* with one switch turned at a time, and the way up from the textbook.

use crate::contender::Builder;
use crate::ours::{Search, jumps};
use std::sync::Arc;
use waypost::Map;
use waypost::grid::pruning::Pruning;
use waypost::heuristic::{Heuristic, Weight};
use waypost::index::jump::JumpGraph;
use waypost::index::landmarks::{Landmarks, Parameters, Placing};
use waypost::open_list::Ties;
use waypost::progress::NoProgress;
use waypost::search::jps::Jps;
use waypost::search::{MemoryChoice, OpenChoice, SearchOptions, Successors};

/// One switch of the options.
type Switch = fn(&mut SearchOptions);

/// What is changed in the options.
type Change = Box<dyn Fn(&Map, &mut SearchOptions)>;

/// All rows, the default first.
pub fn builders() -> Vec<Builder> {
    let mut rows = vec![row("astar", SearchOptions::default, Box::new(|_, _| {}))];
    rows.extend(heuristics());
    rows.push(jumps("17.4 jump points, on-line (jps)", Jps::new));
    rows.push(jumps(
        "17.4 jump points, stored (jump-graph)",
        JumpGraph::build,
    ));
    rows.extend(one_at_a_time());
    rows.extend(from_the_textbook());
    rows
}

fn row(name: &str, base: fn() -> SearchOptions, change: Change) -> Builder {
    Builder {
        name: name.to_string(),
        build: Box::new(move |map| {
            let mut options = base();
            change(map, &mut options);
            Ok(Box::new(Search::new(map, options.build())))
        }),
    }
}

fn change(name: &str, change: impl Fn(&mut SearchOptions) + 'static) -> Builder {
    let change = move |_: &Map, options: &mut SearchOptions| change(options);
    row(name, SearchOptions::default, Box::new(change))
}

/// Landmarks of a map; a game builds them off-line.
fn landmarks(map: &Map, pivots: usize, placing: Placing, states: usize) -> Arc<Landmarks> {
    let parameters = Parameters {
        pivots,
        placing,
        states,
    };
    match Landmarks::build(map, &parameters, &NoProgress) {
        Ok(built) => Arc::new(built),
        Err(error) => {
            eprintln!("error: {error}");
            std::process::exit(2);
        }
    }
}

fn heuristics() -> Vec<Builder> {
    let differential = |name: &str, pivots: usize, placing: Placing| {
        let change = move |map: &Map, options: &mut SearchOptions| {
            let built = landmarks(map, pivots, placing.clone(), 0);
            options.heuristic = Heuristic::Differential(built);
        };
        row(name, SearchOptions::default, Box::new(change))
    };
    let canonical = |map: &Map, options: &mut SearchOptions| {
        options.heuristic = Heuristic::Canonical(landmarks(map, 0, Placing::Farthest, 200));
        options.open = OpenChoice::Heap;
    };
    vec![
        differential("17.3 landmarks=10", 10, Placing::Farthest),
        differential("17.3 landmarks=10, round the rim", 10, Placing::Rim),
        differential("17.3 landmarks=32, round the rim", 32, Placing::Rim),
        differential("17.3 landmarks=3", 3, Placing::Farthest),
        row(
            "17.3 canonical=200 (heap)",
            SearchOptions::default,
            Box::new(canonical),
        ),
    ]
}

fn one_at_a_time() -> Vec<Builder> {
    let weight = |ratio: f64| Weight::new(ratio).unwrap_or_default();
    vec![
        change("17.5 memory=fresh", |o| o.memory = MemoryChoice::Fresh),
        change("17.5 memory=hash", |o| o.memory = MemoryChoice::Hash),
        change("17.6 weight=1.1", move |o| o.weight = weight(1.1)),
        change("17.6 weight=1.5", move |o| o.weight = weight(1.5)),
        change("17.7 heuristic=euclid", |o| o.heuristic = Heuristic::Euclid),
        change("17.7 heuristic=chebyshev", |o| {
            o.heuristic = Heuristic::Chebyshev;
        }),
        change("17.7 heuristic=zero", |o| o.heuristic = Heuristic::Zero),
        change("17.8 open=heap", |o| o.open = OpenChoice::Heap),
        change("17.8 open=heap, front=on", |o| {
            o.open = OpenChoice::Heap;
            o.front = true;
        }),
        change("17.8 open=heap, ties=off", |o| {
            o.open = OpenChoice::Heap;
            o.ties = Ties::Unbroken;
        }),
        change("17.8 open=array", |o| o.open = OpenChoice::Array),
        change("17.9 prune=parent", |o| o.pruning = Pruning::Parent),
        change("17.9 prune=none", |o| o.pruning = Pruning::None),
        change("17.10 successors=rows", |o| o.successors = Successors::Rows),
    ]
}

/// One optimisation after another, each on top of those before.
fn from_the_textbook() -> Vec<Builder> {
    let steps: [(&str, Switch); 8] = [
        ("textbook", |_| {}),
        ("textbook + octile", |o| o.heuristic = Heuristic::Octile),
        ("... + ties to larger g", |o| o.ties = Ties::LargerG),
        ("... + stamped memory", |o| o.memory = MemoryChoice::Stamped),
        ("... + not back to the parent", |o| {
            o.pruning = Pruning::Parent;
        }),
        ("... + buckets", |o| o.open = OpenChoice::Buckets),
        ("... + dominated successors pruned", |o| {
            o.pruning = Pruning::Dominated;
        }),
        ("... + cached successors", |o| {
            o.successors = Successors::Cached
        }),
    ];
    (0..steps.len())
        .map(|last| {
            let change = move |_: &Map, options: &mut SearchOptions| {
                steps[..=last].iter().for_each(|(_, step)| step(options));
            };
            row(steps[last].0, SearchOptions::textbook, Box::new(change))
        })
        .collect()
}
