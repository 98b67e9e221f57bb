//! What a method is to the rest: a name with keys, and a factory of agents and crowds ([`AgentFactory`]).

use crate::agent::Agent;
use crate::agent::whole_path::{Planner, WholePath};
use crate::crowd::{MadeCrowd, Options};
use crate::index::{IndexRequest, Indexes};
use crate::map::Map;
use crate::names;
use crate::space::ExplicitGraph;
use crate::world::World;
use std::sync::Arc;
use thiserror::Error;

/// Why a spec could not be used.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
pub enum SpecError {
    /// No algorithm has this name.
    #[error("unknown algorithm `{name}`; {expected}")]
    UnknownName {
        /// The name given.
        name: String,
        /// The names that there are.
        expected: String,
    },
    /// The algorithm has no such key.
    #[error("`{name}` has no key `{key}`; {expected}")]
    UnknownKey {
        /// The algorithm.
        name: String,
        /// The key given.
        key: String,
        /// The keys that it has.
        expected: String,
    },
    /// What is no key with a value.
    #[error("`{item}` in `{name}`: expected KEY=VALUE")]
    NoValue {
        /// The algorithm.
        name: String,
        /// What stands there.
        item: String,
    },
    /// A key without a value, or a value of the wrong kind.
    #[error("`{key}={value}` in `{name}`: expected {expected}")]
    BadValue {
        /// The algorithm.
        name: String,
        /// The key.
        key: String,
        /// The value given.
        value: String,
        /// What would do.
        expected: String,
    },
    /// The agent cannot be built: rules that it does not support, or an index that is missing or does not fit.
    #[error("`{name}` cannot run here: {reason}")]
    Unusable {
        /// The algorithm.
        name: String,
        /// Why, and what to do.
        reason: String,
    },
}

/// The raw form of a spec: a name and its keys, each of which must be taken by the algorithm.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SpecText {
    name: String,
    pairs: Vec<(String, String)>,
}

impl SpecText {
    /// Splits a text at its colon, commas and equal signs.
    pub fn split(text: &str) -> Result<SpecText, SpecError> {
        let (name, rest) = text.split_once(':').unwrap_or((text, ""));
        let name = name.trim().to_string();
        let mut pairs: Vec<(String, String)> = Vec::new();
        for item in rest.split(',').map(str::trim).filter(|i| !i.is_empty()) {
            let Some((key, value)) = item.split_once('=') else {
                return Err(SpecError::NoValue {
                    name,
                    item: item.to_string(),
                });
            };
            let bad = |expected: &str| SpecError::BadValue {
                name: name.clone(),
                key: key.trim().to_string(),
                value: value.trim().to_string(),
                expected: expected.to_string(),
            };
            if value.trim().is_empty() {
                return Err(bad("a value after `=`"));
            }
            if pairs.iter().any(|(k, _)| k == key.trim()) {
                return Err(bad("each key once"));
            }
            pairs.push((key.trim().to_string(), value.trim().to_string()));
        }
        Ok(SpecText { name, pairs })
    }

    /// A name without keys.
    pub fn bare(name: &str) -> SpecText {
        SpecText {
            name: name.to_string(),
            pairs: Vec::new(),
        }
    }

    /// The algorithm's name.
    pub fn name(&self) -> &str {
        &self.name
    }

    /// Fails on the first key that is not in the list.
    pub fn allow(&self, keys: &[&str]) -> Result<(), SpecError> {
        match self.pairs.iter().find(|(k, _)| !keys.contains(&k.as_str())) {
            None => Ok(()),
            Some((key, _)) => Err(SpecError::UnknownKey {
                name: self.name.clone(),
                key: key.clone(),
                expected: names::expected(key, keys),
            }),
        }
    }

    /// Whether it is a name without keys.
    pub(crate) fn is_bare(&self) -> bool {
        self.pairs.is_empty()
    }

    /// The error for a key whose value cannot be used.
    pub(crate) fn bad_value(&self, key: &str, expected: &str) -> SpecError {
        SpecError::BadValue {
            name: self.name.clone(),
            key: key.to_string(),
            value: self.text(key).unwrap_or("").to_string(),
            expected: expected.to_string(),
        }
    }

    /// The text of a key.
    pub fn text(&self, key: &str) -> Option<&str> {
        self.pairs
            .iter()
            .find(|(k, _)| k == key)
            .map(|(_, v)| v.as_str())
    }

    /// A key's value as any type that parses, checked by `fits`, or the default where the key is absent.
    pub fn value<T: std::str::FromStr>(
        &self,
        key: &str,
        default: T,
        expected: &str,
        fits: impl Fn(&T) -> bool,
    ) -> Result<T, SpecError> {
        let Some(text) = self.text(key) else {
            return Ok(default);
        };
        text.parse()
            .ok()
            .filter(|value| fits(value))
            .ok_or_else(|| SpecError::BadValue {
                name: self.name.clone(),
                key: key.to_string(),
                value: text.to_string(),
                expected: expected.to_string(),
            })
    }

    /// `on` or `off` (also `true`/`false`, `yes`/`no`, `1`/`0`).
    pub fn switch(&self, key: &str, default: bool) -> Result<bool, SpecError> {
        match self.text(key) {
            None => Ok(default),
            Some("on" | "true" | "yes" | "1") => Ok(true),
            Some("off" | "false" | "no" | "0") => Ok(false),
            Some(other) => Err(SpecError::BadValue {
                name: self.name.clone(),
                key: key.to_string(),
                value: other.to_string(),
                expected: "on or off".to_string(),
            }),
        }
    }
}

impl std::fmt::Display for SpecText {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(&self.name)?;
        for (i, (key, value)) in self.pairs.iter().enumerate() {
            write!(f, "{}{key}={value}", if i == 0 { ":" } else { "," })?;
        }
        Ok(())
    }
}

/// An algorithm that specs can name. Each is described in the file that implements it.
pub struct Algorithm {
    /// The name in specs.
    pub name: &'static str,
    /// One line for people.
    pub about: &'static str,
    /// The keys that it takes, each with one line for people.
    pub keys: &'static [(&'static str, &'static str)],
    /// Checks the values of the keys.
    pub parse: fn(&SpecText) -> Result<Box<dyn AgentFactory>, SpecError>,
}

/// Checked parameters of an algorithm: makes its agents.
pub trait AgentFactory: Send + Sync {
    /// The indexes that the agent needs, with their parameters.
    fn needs(&self) -> Vec<IndexRequest> {
        Vec::new()
    }

    /// Does the method work where moves go four ways or cost more on some cells? Those that rest on jump points and corners
    /// do not.
    fn needs_uniform_moves(&self) -> bool {
        let needs = self.needs();
        needs
            .iter()
            .any(|request| request.kind.needs_uniform_moves())
    }

    /// Makes an agent for a map, or says why it cannot run there.
    fn build(&self, map: &Map, indexes: &Indexes) -> Result<Box<dyn Agent<Map>>, String>;

    /// Whether its agents look at the slots of their indexes themselves; others are made again when an index is replaced.
    fn reads_slots(&self) -> bool {
        false
    }

    /// What finds whole shortest paths, for methods that do that and follow them. The walkers of a crowd share such planners and
    /// keep a few runs of their paths each.
    fn planner(&self, map: &Map, indexes: &Indexes) -> PlannerResult {
        let _ = (map, indexes);
        Ok(None)
    }

    /// An agent that plans with [`AgentFactory::planner`].
    fn whole_paths(&self, map: &Map, indexes: &Indexes) -> Result<Box<dyn Agent<Map>>, String> {
        let planner = self.planner(map, indexes)?;
        let planner = planner.ok_or("it does not plan whole paths")?;
        Ok(Box::new(WholePath::new(planner)))
    }

    /// A crowd of such agents, laid out by their own type; `None` where there is no better layout than a box for each.
    fn crowd(&self, world: &Arc<World>, options: Options) -> MadeCrowd {
        let _ = (world, options);
        Ok(None)
    }

    /// Makes an agent for an explicit graph; `None` where the method works on grids alone.
    fn build_on_graph(&self, graph: &ExplicitGraph) -> Option<Box<dyn Agent<ExplicitGraph>>> {
        let _ = graph;
        None
    }
}

/// A planner of whole shortest paths, none where a method is not one of whole paths, or why there cannot be one.
pub type PlannerResult = Result<Option<Box<dyn Planner<Map>>>, String>;
