//! Questions about places: what can be seen, reached and stood on.

use super::Navigator;
use crate::arrays::{inside, pair, standing};
use crate::errors::Outcome;
use pyo3::prelude::*;

#[pymethods]
impl Navigator {
    /// Whether a straight line between two points touches no wall, for the whole of the unit.
    #[pyo3(signature = (start, goal, *, unit=None))]
    fn sees(
        &self,
        start: &Bound<'_, PyAny>,
        goal: &Bound<'_, PyAny>,
        unit: Option<&str>,
    ) -> PyResult<bool> {
        let nav = self.seen_by(unit)?;
        let place =
            |value: &Bound<'_, PyAny>, name| inside(&nav.world().map(), pair(value, name)?, name);
        let (start, goal) = (place(start, "start")?, place(goal, "goal")?);
        Ok(nav.sees(start, goal))
    }

    /// The cell nearest to a goal that can be reached from a point: the goal itself where it can be. The goal may be a wall.
    #[pyo3(signature = (start, goal, *, unit=None))]
    fn nearest_reachable(
        &self,
        py: Python<'_>,
        start: &Bound<'_, PyAny>,
        goal: &Bound<'_, PyAny>,
        unit: Option<&str>,
    ) -> PyResult<Option<(u32, u32)>> {
        let (start, goal) = (pair(start, "start")?, pair(goal, "goal")?);
        let nav = self.seen_by(unit)?;
        let found = py.detach(|| -> Outcome<_> {
            let (start, goal) = {
                let map = nav.world().map();
                (
                    standing(&nav, &map, start, "start")?,
                    inside(&map, goal, "goal")?,
                )
            };
            Ok(nav.nearest_reachable(start, goal))
        })?;
        Ok(found.map(|p| (p.x, p.y)))
    }

    /// The cell nearest to a point that can be stood on; None where no cell can.
    #[pyo3(signature = (point, *, unit=None))]
    fn nearest_free(
        &self,
        py: Python<'_>,
        point: &Bound<'_, PyAny>,
        unit: Option<&str>,
    ) -> PyResult<Option<(u32, u32)>> {
        let point = pair(point, "point")?;
        let nav = self.seen_by(unit)?;
        let found = py.detach(|| -> Outcome<_> {
            let point = inside(&nav.world().map(), point, "point")?;
            Ok(nav.nearest_free(point))
        })?;
        Ok(found.map(|p| (p.x, p.y)))
    }

    /// Whether a unit may stand there.
    #[pyo3(signature = (point, *, unit=None))]
    fn is_free(&self, point: &Bound<'_, PyAny>, unit: Option<&str>) -> PyResult<bool> {
        let nav = self.seen_by(unit)?;
        let point = inside(&nav.world().map(), pair(point, "point")?, "point")?;
        Ok(nav.is_free(point))
    }
}
