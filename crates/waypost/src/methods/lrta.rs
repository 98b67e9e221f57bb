//! `lrta` by name, and the keys that all methods share that walk by LRTA* ([`crate::agent::lrta`]).

use crate::agent::Agent;
use crate::agent::learned::Weight;
use crate::agent::lrta::{Frontier, LrtaAgent, LrtaParams};
use crate::index::Indexes;
use crate::map::Map;
use crate::method::{AgentFactory, Algorithm, SpecError, SpecText};
use crate::space::ExplicitGraph;

/// `lrta` in specs.
pub static LRTA: Algorithm = Algorithm {
    name: "lrta",
    about: "LRTA*: looks ahead up to a cost, learns one value, makes one step",
    keys: &[
        (
            "gmax",
            "lookahead in straight moves (default 1: the neighbours)",
        ),
        ("weight", "multiplies the initial heuristic (default 1)"),
        FRONTIER,
    ],
    parse: |text| Ok(Box::new(parse_lrta(text)?)),
};

/// The key `frontier` and what it says.
pub(crate) const FRONTIER: (&str, &str) = (
    "frontier",
    "values states at the end of the lookahead by the largest `g + h` on the `path` to them, or at the `end` as printed: it may \
     swing for ever (default path)",
);

/// The keys `gmax`, `weight` and `frontier` of a spec, for all methods that walk by LRTA*.
pub(crate) fn parse_lrta(text: &SpecText) -> Result<LrtaParams, SpecError> {
    let default = LrtaParams::default();
    Ok(LrtaParams {
        gmax: text.value("gmax", default.gmax, "a number from 1 to 100", |gmax| {
            (1.0..=LrtaParams::MAX_GMAX).contains(gmax)
        })?,
        weight: parse_weight(text)?,
        frontier: parse_frontier(text)?,
    })
}

/// The key `frontier` of a spec.
pub(crate) fn parse_frontier(text: &SpecText) -> Result<Frontier, SpecError> {
    text.value("frontier", Frontier::default(), "path or end", |_| true)
}

/// The key `weight` of a spec.
pub(crate) fn parse_weight(text: &SpecText) -> Result<Weight, SpecError> {
    text.value("weight", Weight::ONE, "a number from 1 to 1000", |_| true)
}

impl AgentFactory for LrtaParams {
    fn build(&self, _map: &Map, _indexes: &Indexes) -> Result<Box<dyn Agent<Map>>, String> {
        Ok(Box::new(LrtaAgent::new(*self)))
    }

    fn build_on_graph(&self, _graph: &ExplicitGraph) -> Option<Box<dyn Agent<ExplicitGraph>>> {
        Some(Box::new(LrtaAgent::new(*self)))
    }
}
