//! Methods whose agents are made of one index and their parameters, and are laid out by their own type in crowds.

use crate::agent::Agent;
use crate::crowd::{MadeCrowd, Options, renewed_crowd};
use crate::index::{IndexRequest, Indexes};
use crate::map::Map;
use crate::method::AgentFactory;
use crate::space::ExplicitGraph;
use crate::world::World;
use std::sync::Arc;

/// The parameters of such a method.
pub(super) trait OneIndex: Clone + Send + Sync + 'static {
    /// Its agents.
    type Agent: Agent<Map> + Clone + 'static;

    /// The index that they are made of.
    fn request(&self) -> IndexRequest;

    /// Makes one, or says why it cannot run there.
    fn agent(&self, map: &Map, indexes: &Indexes) -> Result<Self::Agent, String>;

    /// Makes one for an explicit graph; `None` where the method works on grids alone.
    fn on_graph(&self, graph: &ExplicitGraph) -> Option<Box<dyn Agent<ExplicitGraph>>> {
        let _ = graph;
        None
    }
}

impl<P: OneIndex> AgentFactory for P {
    fn needs(&self) -> Vec<IndexRequest> {
        vec![self.request()]
    }

    fn build(&self, map: &Map, indexes: &Indexes) -> Result<Box<dyn Agent<Map>>, String> {
        Ok(Box::new(self.agent(map, indexes)?))
    }

    fn build_on_graph(&self, graph: &ExplicitGraph) -> Option<Box<dyn Agent<ExplicitGraph>>> {
        self.on_graph(graph)
    }

    /// Agents that share their index.
    fn crowd(&self, world: &Arc<World>, options: Options) -> MadeCrowd {
        let params = self.clone();
        let make = move |map: &Map, indexes: &Indexes| params.agent(map, indexes);
        renewed_crowd(world, options, make).map(Some)
    }
}
