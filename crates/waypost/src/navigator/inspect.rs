//! What an index knows, for debug views and curious people.

use super::Navigator;
use crate::grid::Point;
use crate::index::Index;
use crate::index::labels::CornerLabels;
use crate::index::sectors::SectorIndex;
use std::any::Any;
use std::sync::Arc;

/// A corner of the map and how many hubs its label has.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Corner {
    /// Where it is.
    pub at: Point,
    /// Hubs in its label.
    pub hubs: usize,
}

/// A region of a sector.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Region {
    /// Its number.
    pub number: u32,
    /// The cell that stands for it.
    pub at: Point,
}

/// What the index of a world is, and what can be drawn of it.
#[derive(Clone, Debug)]
pub struct Inspection {
    index: Arc<dyn Index>,
    /// Why the index was chosen, in one line.
    pub reason: String,
    /// Facts for people: name and value.
    pub facts: Vec<(String, String)>,
    /// Bytes in memory, beyond the map.
    pub memory_bytes: usize,
}

impl Navigator {
    /// What the index of this unit type knows.
    pub fn inspect(&self) -> Inspection {
        let slots = self.world().indexes().slots().next().cloned();
        let chosen = slots.map(|slot| slot.index());
        let reason = chosen
            .as_ref()
            .and_then(|i| i.parameters().get("reason").cloned());
        let index = chosen.map(|index| index.inner().unwrap_or(index));
        match index {
            Some(index) => Inspection {
                reason: reason.unwrap_or_default(),
                facts: index.facts(),
                memory_bytes: index.memory_bytes(),
                index,
            },
            None => unreachable!("a navigator has an index"),
        }
    }
}

impl Inspection {
    /// The kind of index: `labels` or `sectors`.
    pub fn kind(&self) -> &'static str {
        self.index.kind().name()
    }

    fn as_type<T: Index>(&self) -> Option<Arc<T>> {
        (self.index.clone() as Arc<dyn Any + Send + Sync>)
            .downcast()
            .ok()
    }

    /// The corners that paths bend at, with the size of their labels; empty where the index is another one.
    pub fn corners(&self) -> Vec<Corner> {
        let Some(labels) = self.as_type::<CornerLabels>() else {
            return Vec::new();
        };
        let points = labels.graph().points();
        (0..labels.corners() as u32)
            .map(|corner| Corner {
                at: points.point(corner),
                hubs: labels.hubs(corner).count(),
            })
            .collect()
    }

    /// The side of a sector in cells and all regions; `None` where the index is another one.
    pub fn sectors(&self) -> Option<(u32, Vec<Region>)> {
        let sectors = self.as_type::<SectorIndex>()?;
        let grid_width = sectors.identity().width;
        let stride = crate::grid::Grid::stride_of(grid_width);
        let regions = (0..sectors.region_count() as u32).map(|number| {
            let cell = sectors.representative(number).0;
            Region {
                number,
                at: Point {
                    x: cell % stride - 1,
                    y: cell / stride - 1,
                },
            }
        });
        Some((sectors.layout().side(), regions.collect()))
    }
}
