//! The indexes that algorithms need: given ones where they fit, the others built here and timed.

use cpu_time::ProcessTime;
use std::time::Instant;
use waypost::Map;
use waypost::index::{BuildError, IndexRequest, Indexes, Shard, build};
use waypost::progress::Progress;
use waypost::spec::AgentSpec;

/// Indexes at hand, with what building them took.
#[derive(Debug, Default)]
pub struct Workbench {
    indexes: Indexes,
    built: Vec<(IndexRequest, f64)>,
    /// Processor time of each build, all threads together.
    cpu_seconds: Vec<f64>,
}

impl Workbench {
    /// Starts from indexes that were opened from files: they cost no build time.
    pub fn new(given: Indexes) -> Workbench {
        Workbench {
            indexes: given,
            built: Vec::new(),
            cpu_seconds: Vec::new(),
        }
    }

    /// Builds whatever the algorithm needs and is not there. Each index is built once.
    pub fn prepare(
        &mut self,
        map: &Map,
        spec: &AgentSpec,
        progress: &dyn Progress,
    ) -> Result<(), BuildError> {
        for request in spec.needs() {
            if self.indexes.has(&request) {
                continue;
            }
            let (begun, cpu) = (Instant::now(), ProcessTime::now());
            let index = build(map, &request, Shard::WHOLE, progress)?;
            self.indexes.add_built(request.clone(), index);
            self.built.push((request, begun.elapsed().as_secs_f64()));
            self.cpu_seconds.push(cpu.elapsed().as_secs_f64());
        }
        Ok(())
    }

    /// All indexes.
    pub fn indexes(&self) -> &Indexes {
        &self.indexes
    }

    /// Every index built here and its seconds, in the order of building.
    pub fn built(&self) -> &[(IndexRequest, f64)] {
        &self.built
    }

    /// The bytes of the indexes that an algorithm uses, and the seconds that building them took.
    pub fn price_of(&self, spec: &AgentSpec) -> (u64, f64) {
        let (mut bytes, mut seconds) = (0, 0.0);
        for request in spec.needs() {
            bytes += self
                .indexes
                .get(&request)
                .map_or(0, |index| index.memory_bytes() as u64);
            seconds += self
                .built
                .iter()
                .find(|(built, _)| *built == request)
                .map_or(0.0, |(_, seconds)| *seconds);
        }
        (bytes, seconds)
    }

    /// The processor seconds that building an algorithm's indexes took, all threads together.
    pub fn build_cpu_seconds(&self, spec: &AgentSpec) -> f64 {
        let needs = spec.needs();
        let built = self.built.iter().zip(&self.cpu_seconds);
        built
            .filter(|((request, _), _)| needs.contains(request))
            .fold(0.0, |sum, (_, seconds)| sum + seconds)
    }
}
