//! Several shards of one build in one process.

use super::{BuildError, Index, IndexKind, IndexRequest, Shard, build, checked, cpd};
use crate::map::Map;
use crate::progress::Progress;
use std::sync::{Arc, Mutex, PoisonError};

/// Builds shards of one index one after the other, or beside each other in a pool of threads each: what they share is found once. Each is
/// byte for byte the shard that [`build`] gives.
///
/// ```
/// use waypost::index::{IndexKind, IndexRequest, Shard, ShardBuilder, build};
/// use waypost::progress::NoProgress;
/// # fn main() -> Result<(), Box<dyn std::error::Error>> {
/// let map = waypost::Map::from_fn(20, 20, |p| p.x != 9 || p.y == 3)?;
/// let request = IndexRequest::new(IndexKind::Cpd);
/// let shards = ShardBuilder::new(map.clone(), request.clone());
/// for index in 1..=3 {
///     let shard = Shard { index, count: 3 };
///     let alone = build(&map, &request, shard, &NoProgress)?;
///     assert_eq!(shards.build(shard, &NoProgress)?.to_bytes().as_ref(), alone.to_bytes().as_ref());
/// }
/// # Ok(())
/// # }
/// ```
pub struct ShardBuilder {
    map: Map,
    request: IndexRequest,
    /// What databases of paths share; nothing before the first shard.
    prepared: Mutex<Option<Arc<cpd::Preparation>>>,
}

impl ShardBuilder {
    /// Nothing is built yet.
    pub fn new(map: Map, request: IndexRequest) -> ShardBuilder {
        ShardBuilder {
            map,
            request,
            prepared: Mutex::new(None),
        }
    }

    /// Builds a shard.
    pub fn build(
        &self,
        shard: Shard,
        progress: &dyn Progress,
    ) -> Result<Arc<dyn Index>, BuildError> {
        if self.request.kind != IndexKind::Cpd {
            return build(&self.map, &self.request, shard, progress);
        }
        checked(&self.map, &self.request, shard)?;
        let map = self.map.with_doors_open();
        self.prepared(&map, progress)?.build(&map, shard, progress)
    }

    /// What shards share; whoever comes while it is being found waits.
    fn prepared(
        &self,
        map: &Map,
        progress: &dyn Progress,
    ) -> Result<Arc<cpd::Preparation>, BuildError> {
        let mut prepared = self.prepared.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(known) = &*prepared {
            return Ok(known.clone());
        }
        let found = Arc::new(cpd::Preparation::new(map, &self.request, progress)?);
        *prepared = Some(found.clone());
        Ok(found)
    }
}
