//! The default agent: whatever the chooser ([`crate::index::auto`]) found best for the map.

use crate::agent::Agent;
use crate::crowd::{MadeCrowd, Options};
use crate::index::auto::AutoIndex;
use crate::index::{IndexKind, IndexRequest, Indexes};
use crate::map::Map;
use crate::spec::{AgentFactory, AgentSpec, Algorithm};

/// `waypost` in specs.
pub static WAYPOST: Algorithm = Algorithm {
    name: "waypost",
    about: "the default: exact corner labels where the map allows them, sectors otherwise",
    keys: &[
        (
            "max-bytes",
            "the most memory that the index may take (default: 16 bytes a passable cell, at least 64 MB)",
        ),
        (
            "max-seconds",
            "the most time that labels may take, by an estimate that is the same on every machine (default: 60)",
        ),
    ],
    parse: |text| {
        let mut request = IndexRequest::new(IndexKind::Auto);
        for key in ["max-bytes", "max-seconds"] {
            let value = text.value(key, 0.0, "a number above 0", |v: &f64| *v > 0.0)?;
            if let (true, Some(given)) = (value > 0.0, text.text(key)) {
                request = request.with(key, given);
            }
        }
        Ok(Box::new(Parameters { request }))
    },
};

/// The default without limits of its own.
pub(crate) fn factory() -> Box<dyn AgentFactory> {
    Box::new(Parameters {
        request: IndexRequest::new(IndexKind::Auto),
    })
}

struct Parameters {
    request: IndexRequest,
}

impl AgentFactory for Parameters {
    fn needs(&self) -> Vec<IndexRequest> {
        vec![self.request.clone()]
    }

    fn build(&self, map: &Map, indexes: &Indexes) -> Result<Box<dyn Agent<Map>>, String> {
        let (spec, chosen) = self.chosen(indexes)?;
        spec.build(map, &chosen).map_err(|error| error.to_string())
    }

    fn crowd(&self, map: &Map, indexes: &Indexes, options: Options) -> MadeCrowd {
        let (spec, chosen) = self.chosen(indexes)?;
        let crowd = spec.crowd(map, &chosen, options);
        crowd.map(Some).map_err(|error| error.to_string())
    }
}

impl Parameters {
    /// The agent of the index that was chosen, and that index.
    fn chosen(&self, indexes: &Indexes) -> Result<(AgentSpec, Indexes), String> {
        let index = indexes
            .find::<AutoIndex>(&self.request)
            .ok_or("it needs an `auto` index; build one with `waypost build auto`")?;
        let mut chosen = Indexes::new();
        chosen.add(index.chosen().clone());
        let spec = AgentSpec::parse(index.chosen().kind().name());
        Ok((spec.map_err(|error| error.to_string())?, chosen))
    }
}
