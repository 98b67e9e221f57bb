//! Algorithm specs: `name[:key=value,...]`, the text by which the command line, the lab and bindings name agents.
//!
//! [`AgentSpec::parse`] checks names, keys and values; [`AgentSpec::needs`] says which indexes the agent wants;
//! [`AgentSpec::build`] makes the agent.

use crate::agent::planner_guide::PlannerGuide;
pub use crate::method::{AgentFactory, Algorithm, PlannerResult, SpecError, SpecText};

use crate::agent::Agent;
use crate::crowd::{AnyCrowd, Options, boxed_crowd, guided_crowd};
use crate::index::{IndexRequest, Indexes, NOT_UNIFORM};
use crate::map::Map;
use crate::methods::Renewing;
use crate::names;
use crate::space::ExplicitGraph;
use crate::world::World;
use std::sync::Arc;

/// Every algorithm, in the order that help texts list them.
pub static ALGORITHMS: &[&Algorithm] = &[
    &crate::methods::astar::ASTAR,
    &crate::methods::astar::DIJKSTRA,
    &crate::methods::jump::JPS,
    &crate::methods::jump::JUMP_GRAPH,
    &crate::methods::labels::LABELS,
    &crate::methods::tables::ALGORITHM,
    &crate::methods::lrta::LRTA,
    &crate::methods::lss_lrta::LSS_LRTA,
    &crate::methods::lss_lrta::RTAA,
    &crate::methods::lrts::LRTS,
    &crate::methods::sectors::SECTORS_AGENT,
    &crate::methods::tba::TBA,
    &crate::methods::default::WAYPOST,
    &crate::methods::pra::PRA,
    &crate::methods::quickpath::QUICKPATH,
    &crate::methods::knn_lrta::KNN_LRTA,
    &crate::methods::knn_lrta::version_2009::KNN_LRTA_2009,
    &crate::methods::d_lrta::D_LRTA,
    &crate::methods::hcdps::HCDPS,
    &crate::methods::dba::DBA,
    &crate::methods::cpd::CPD,
];

/// A checked spec.
pub struct AgentSpec {
    text: SpecText,
    factory: Arc<dyn AgentFactory>,
}

impl AgentSpec {
    /// Checks a spec.
    pub fn parse(text: &str) -> Result<AgentSpec, SpecError> {
        let name = text.split(':').next().unwrap_or(text).trim();
        let Some(algorithm) = ALGORITHMS.iter().find(|a| a.name == name) else {
            let known: Vec<_> = ALGORITHMS.iter().map(|a| a.name).collect();
            return Err(SpecError::UnknownName {
                name: name.to_string(),
                expected: names::expected(name, &known),
            });
        };
        let text = SpecText::split(text)?;
        let keys: Vec<_> = algorithm.keys.iter().map(|(key, _)| *key).collect();
        text.allow(&keys)?;
        let factory = Arc::from((algorithm.parse)(&text)?);
        Ok(AgentSpec { text, factory })
    }

    /// The algorithm's name.
    pub fn name(&self) -> &str {
        self.text.name()
    }

    /// The indexes that the agent needs, with their parameters.
    pub fn needs(&self) -> Vec<IndexRequest> {
        self.factory.needs()
    }

    /// Makes the agent. Fails where an index is missing or the rules do not suit the method.
    pub fn build(&self, map: &Map, indexes: &Indexes) -> Result<Box<dyn Agent<Map>>, SpecError> {
        self.check_moves(map)?;
        let unusable = |reason| self.unusable(reason);
        if self.needs().is_empty() || self.factory.reads_slots() {
            return self.factory.build(map, indexes).map_err(unusable);
        }
        let agent = Renewing::new(self.factory.clone(), map, indexes).map_err(unusable)?;
        Ok(Box::new(agent))
    }

    /// Fails where the moves of a map do not suit the method.
    pub fn check_moves(&self, map: &Map) -> Result<(), SpecError> {
        if self.factory.needs_uniform_moves() && !map.is_uniform() {
            return Err(self.unusable(format!("{NOT_UNIFORM}; use waypost, sectors, cpd or astar")));
        }
        Ok(())
    }

    /// Makes a crowd of such agents on a world of its own, which begins as a copy of this map.
    pub fn crowd(
        &self,
        map: &Map,
        indexes: &Indexes,
        options: Options,
    ) -> Result<Box<dyn AnyCrowd>, SpecError> {
        self.crowd_in(&World::new(map.clone(), indexes), options)
    }

    /// Makes a crowd of such agents in a world, which others may share.
    pub fn crowd_in(
        &self,
        world: &Arc<World>,
        options: Options,
    ) -> Result<Box<dyn AnyCrowd>, SpecError> {
        self.check_moves(&world.map())?;
        let mut crowd = self
            .try_crowd(world, options)
            .map_err(|reason| self.unusable(reason))?;
        crowd.set_method(self.to_string());
        Ok(crowd)
    }

    fn try_crowd(&self, world: &Arc<World>, options: Options) -> Result<Box<dyn AnyCrowd>, String> {
        if let Some(crowd) = self.factory.crowd(world, options)? {
            return Ok(crowd);
        }
        let factory = self.factory.clone();
        let planner = factory.planner(&world.map(), &world.indexes())?;
        if planner.is_none() {
            let make = move |map: &Map, indexes: &Indexes| factory.build(map, indexes);
            return boxed_crowd(world, options, make);
        }
        let make = move |map: &Map, world: &World| {
            let planner = factory.planner(map, &world.indexes())?;
            planner.ok_or_else(|| "it does not plan whole paths".to_string())
        };
        let guide = PlannerGuide::new(world, Box::new(make))?;
        Ok(guided_crowd(world, options, Arc::new(guide)))
    }

    /// Makes the agent for an explicit graph.
    pub fn build_on_graph(
        &self,
        graph: &ExplicitGraph,
    ) -> Result<Box<dyn Agent<ExplicitGraph>>, SpecError> {
        self.factory.build_on_graph(graph).ok_or_else(|| {
            self.unusable(
                "it works on grids alone; on graphs use astar, lrta, tba or pra".to_string(),
            )
        })
    }

    fn unusable(&self, reason: String) -> SpecError {
        SpecError::Unusable {
            name: self.name().to_string(),
            reason,
        }
    }
}

/// The default agent: exact labels where the map allows them, sectors otherwise ([`crate::methods::default`]).
impl Default for AgentSpec {
    fn default() -> AgentSpec {
        AgentSpec {
            text: SpecText::bare(crate::methods::default::WAYPOST.name),
            factory: crate::methods::default::factory().into(),
        }
    }
}

impl std::fmt::Display for AgentSpec {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        self.text.fmt(f)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn specs_are_split_and_checked() {
        let text = SpecText::split("lrta:gmax=3, weight=2").expect("a good spec");
        assert_eq!(text.name(), "lrta");
        assert_eq!(text.value("gmax", 1u32, "a number", |_| true), Ok(3));
        assert_eq!(text.value("other", 7u32, "a number", |_| true), Ok(7));
        assert!(text.allow(&["gmax"]).is_err());
        assert!(SpecText::split("lrta:gmax").is_err());
        assert!(SpecText::split("lrta:gmax=1,gmax=2").is_err());
        assert_eq!(text.to_string(), "lrta:gmax=3,weight=2");
    }

    #[test]
    fn the_default_is_what_its_name_gives() {
        let (default, named) = (AgentSpec::default(), AgentSpec::parse("waypost"));
        let named = named.expect("the default has a name");
        assert_eq!(default.to_string(), named.to_string());
        assert_eq!(default.needs(), named.needs());
    }

    #[test]
    fn unknown_names_list_the_known_ones() {
        assert!(matches!(
            AgentSpec::parse("astra"),
            Err(SpecError::UnknownName { .. })
        ));
    }
}
