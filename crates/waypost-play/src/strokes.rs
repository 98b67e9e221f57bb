//! Walls, floor and doors drawn on a map, with undo and redo.

use crate::protocol::ask::{Paint, Place, point};
use crate::source::no_cells;
use crate::tiles::Scene;
use std::sync::PoisonError;
use waypost::grid::GridPatch;
use waypost::{Map, Point};

/// Strokes that can be taken back.
const MAX_STROKES: usize = 200;
/// Cells of strokes that can be taken back.
const MAX_CHANGES: usize = 4_000_000;
/// Cells that a part of a stroke may come to: as many as the widest brush does from end to end of the largest map.
const MAX_DABBED: i64 = 10_000_000;
/// Cells of a door that open together.
const MAX_DOOR: usize = 4_000_000;

/// What a cell is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Look {
    is_open: bool,
    is_door: bool,
}

/// A cell that a stroke has changed.
#[derive(Clone, Copy, Debug)]
struct Change {
    at: Point,
    before: Look,
    after: Look,
}

#[derive(Debug)]
struct Stroke {
    number: Option<u32>,
    changes: Vec<Change>,
}

/// The strokes of a map.
#[derive(Debug, Default)]
pub struct Strokes {
    done: Vec<Stroke>,
    undone: Vec<Stroke>,
}

/// What a stroke does to the map: its corners and the patch.
pub struct Drawn {
    /// To be given to whoever has a copy of the map.
    pub patch: GridPatch,
    /// Least and most columns and rows of what has another look now.
    pub least: Point,
    /// See `least`.
    pub most: Point,
    /// Whether it was too much for one stroke, and its end is left out.
    pub is_cut: bool,
}

impl Strokes {
    /// How many strokes can be taken back, and made again.
    pub fn counts(&self) -> (usize, usize) {
        (self.done.len(), self.undone.len())
    }

    /// Draws from point to point; nothing where that changes nothing.
    pub fn draw(
        &mut self,
        scene: &Scene,
        number: u32,
        paint: Paint,
        brush: u32,
        points: &[Place],
    ) -> Option<Drawn> {
        let after = match paint {
            Paint::Wall => (false, false),
            Paint::Floor => (true, false),
            Paint::Door => (true, true),
        };
        let after = Look {
            is_open: after.0,
            is_door: after.1,
        };
        let mut changes = Vec::new();
        let is_whole = {
            let map = scene.world.map();
            let doors = scene.doors.read().unwrap_or_else(PoisonError::into_inner);
            let look = |at: Point| Look {
                is_open: map.passable_cell(at).is_some(),
                is_door: doors
                    .as_ref()
                    .is_some_and(|d| d.passable_cell(at).is_some()),
            };
            for_each_cell(&map, brush, points, |at| {
                let before = look(at);
                if before != after {
                    changes.push(Change { at, before, after });
                }
            })
        };
        changes.sort_by_key(|change| (change.at.y, change.at.x));
        changes.dedup_by_key(|change| change.at);
        let drawn = self.make(scene, Some(number), changes)?;
        let is_cut = !is_whole;
        Some(Drawn { is_cut, ..drawn })
    }

    /// Opens or closes the door at a place; makes one where there is none.
    pub fn door(&mut self, scene: &Scene, number: u32, brush: u32, at: Place) -> Option<Drawn> {
        let is_door = {
            let doors = scene.doors.read().unwrap_or_else(PoisonError::into_inner);
            let doors = doors.as_ref();
            doors.is_some_and(|doors| doors.passable_cell(point(at)).is_some())
        };
        match is_door {
            true => self.toggle(scene, at),
            false => self.draw(scene, number, Paint::Door, brush, &[at]),
        }
    }

    /// Opens or closes the door at a place; nothing where there is none.
    fn toggle(&mut self, scene: &Scene, at: Place) -> Option<Drawn> {
        let mut doors = scene.doors()?;
        let first = point(at);
        doors.passable_cell(first)?;
        let is_open = scene.world.map().passable_cell(first).is_some();
        // Doors that have been come to are taken from the mask.
        doors.set(first, false);
        let mut cells = vec![first];
        let mut next = 0;
        while next < cells.len() && cells.len() < MAX_DOOR {
            let Point { x, y } = cells[next];
            next += 1;
            for (x, y) in [
                (x.wrapping_sub(1), y),
                (x + 1, y),
                (x, y.wrapping_sub(1)),
                (x, y + 1),
            ] {
                let at = Point { x, y };
                if doors.passable_cell(at).is_some() {
                    doors.set(at, false);
                    cells.push(at);
                }
            }
        }
        let is_cut = next < cells.len();
        let map = scene.world.map();
        let changes = cells.into_iter().map(|at| Change {
            at,
            before: Look {
                is_open: map.passable_cell(at).is_some(),
                is_door: true,
            },
            after: Look {
                is_open: !is_open,
                is_door: true,
            },
        });
        let changes = changes.collect();
        drop(map);
        let drawn = self.make(scene, None, changes)?;
        Some(Drawn { is_cut, ..drawn })
    }

    fn make(&mut self, scene: &Scene, number: Option<u32>, changes: Vec<Change>) -> Option<Drawn> {
        let drawn = apply(scene, &changes, |change| change.after)?;
        self.undone.clear();
        match self.done.last_mut() {
            Some(last) if number.is_some() && last.number == number => last.changes.extend(changes),
            _ => self.done.push(Stroke { number, changes }),
        }
        while self.done.len() > MAX_STROKES || self.changes() > MAX_CHANGES && self.done.len() > 1 {
            self.done.remove(0);
        }
        Some(drawn)
    }

    fn changes(&self) -> usize {
        self.done.iter().map(|stroke| stroke.changes.len()).sum()
    }

    /// Takes the last stroke back; where one is named, only that one.
    pub fn undo(&mut self, scene: &Scene, named: Option<u32>) -> Option<Drawn> {
        if named.is_some() && self.done.last()?.number != named {
            return None;
        }
        let mut stroke = self.done.pop()?;
        stroke.changes.reverse();
        let drawn = apply(scene, &stroke.changes, |change| change.before);
        stroke.changes.reverse();
        self.undone.push(stroke);
        drawn
    }

    /// Makes the last stroke that was taken back again.
    pub fn redo(&mut self, scene: &Scene) -> Option<Drawn> {
        let stroke = self.undone.pop()?;
        let drawn = apply(scene, &stroke.changes, |change| change.after);
        self.done.push(stroke);
        drawn
    }
}

/// Changes the doors of a scene and says what becomes of its map; later changes of a cell win.
fn apply(scene: &Scene, changes: &[Change], look: impl Fn(&Change) -> Look) -> Option<Drawn> {
    let first = changes.first()?.at;
    let mut drawn = Drawn {
        patch: GridPatch::new(),
        least: first,
        most: first,
        is_cut: false,
    };
    let map = scene.world.map();
    let mut doors = scene.doors.write().unwrap_or_else(PoisonError::into_inner);
    for change in changes {
        let (at, now) = (change.at, look(change));
        drawn.patch.set(at, now.is_open);
        if now.is_door || doors.is_some() {
            doors
                .get_or_insert_with(|| no_cells(&map))
                .set(at, now.is_door);
        }
        (drawn.least.x, drawn.least.y) = (drawn.least.x.min(at.x), drawn.least.y.min(at.y));
        (drawn.most.x, drawn.most.y) = (drawn.most.x.max(at.x), drawn.most.y.max(at.y));
    }
    Some(drawn)
}

/// The cells that a brush comes to on its way along some points; false where these are too many, and the last are left out.
fn for_each_cell(map: &Map, brush: u32, points: &[Place], mut visit: impl FnMut(Point)) -> bool {
    let (width, height) = (map.grid().width() as i64, map.grid().height() as i64);
    let brush = i64::from(brush);
    let back = (brush - 1) / 2;
    let mut left = MAX_DABBED;
    // The cells from one corner up to another.
    let mut fill = |(x0, y0): (i64, i64), (x1, y1): (i64, i64)| {
        left -= (x1 - x0) * (y1 - y0);
        if left < 0 {
            return false;
        }
        for y in y0.max(0)..y1.min(height) {
            for x in x0.max(0)..x1.min(width) {
                visit(Point {
                    x: x as u32,
                    y: y as u32,
                });
            }
        }
        true
    };
    // Places beyond the map are drawn to no further than a step from it.
    let near = |[x, y]: Place| (i64::from(x).min(width), i64::from(y).min(height));
    let mut at = near(points[0]);
    let (x, y) = (at.0 - back, at.1 - back);
    if !fill((x, y), (x + brush, y + brush)) {
        return false;
    }
    let mut corner = (x, y);
    for &to in &points[1..] {
        let (from, to) = (at, near(to));
        let steps = (to.0 - from.0).abs().max((to.1 - from.1).abs());
        for step in 1..=steps {
            let along = |a: i64, b: i64| a + ((b - a) * step * 2 + steps).div_euclid(steps * 2);
            let (x, y) = (along(from.0, to.0) - back, along(from.1, to.1) - back);
            // A step brings a new column, a new row, or both.
            let is_filled = match x - corner.0 {
                0 => true,
                dx if dx > 0 => fill((x + brush - 1, y), (x + brush, y + brush)),
                _ => fill((x, y), (x + 1, y + brush)),
            } && match y - corner.1 {
                0 => true,
                dy if dy > 0 => fill((x, y + brush - 1), (x + brush, y + brush)),
                _ => fill((x, y), (x + brush, y + 1)),
            };
            if !is_filled {
                return false;
            }
            corner = (x, y);
        }
        at = to;
    }
    true
}

#[cfg(test)]
mod tests {
    use super::*;
    use waypost::World;
    use waypost::index::Indexes;

    fn scene() -> Scene {
        let map = Map::from_fn(40, 30, |_| true).expect("legal");
        Scene::new(World::new(map, &Indexes::default()), None, None)
    }

    fn apply_to(scene: &Scene, drawn: Option<Drawn>) -> usize {
        drawn.map_or(0, |drawn| scene.world.patch(&drawn.patch).len())
    }

    #[test]
    fn strokes_are_lines_and_can_be_taken_back() {
        let (scene, mut strokes) = (scene(), Strokes::default());
        let before = scene.world.map().fingerprint();
        let drawn = strokes.draw(&scene, 1, Paint::Wall, 1, &[[5, 5], [15, 5]]);
        assert_eq!(apply_to(&scene, drawn), 11);
        let drawn = strokes.draw(&scene, 1, Paint::Wall, 3, &[[15, 5], [15, 20]]);
        assert!(apply_to(&scene, drawn) > 40);
        assert!(strokes.draw(&scene, 2, Paint::Wall, 1, &[[7, 5]]).is_none());
        let after = scene.world.map().fingerprint();
        assert_eq!(strokes.counts(), (1, 0));
        let drawn = strokes.undo(&scene, None);
        apply_to(&scene, drawn);
        assert_eq!(scene.world.map().fingerprint(), before);
        let drawn = strokes.redo(&scene);
        apply_to(&scene, drawn);
        assert_eq!(scene.world.map().fingerprint(), after);
        assert!(strokes.redo(&scene).is_none());
        // Far beyond the map.
        let far = [[u32::MAX, 0], [0, u32::MAX]];
        strokes.draw(&scene, 3, Paint::Wall, 64, &far);
    }

    #[test]
    fn doors_open_and_close_together() {
        let (scene, mut strokes) = (scene(), Strokes::default());
        let drawn = strokes.draw(&scene, 1, Paint::Door, 1, &[[5, 5], [5, 8]]);
        assert_eq!(apply_to(&scene, drawn), 0, "open doors are floor");
        let drawn = strokes.door(&scene, 2, 1, [5, 7]);
        assert_eq!(apply_to(&scene, drawn), 4);
        let drawn = strokes.undo(&scene, None);
        assert_eq!(apply_to(&scene, drawn), 4);
        let drawn = strokes.undo(&scene, None);
        apply_to(&scene, drawn);
        assert_eq!(scene.doors().map(|doors| doors.passable_count()), Some(0));
        // Where there is no door, one is made; the next click closes it. A stroke that is named is taken back only if it is the last.
        for (number, closed) in [(3, 0), (4, 1)] {
            let drawn = strokes.door(&scene, number, 1, [9, 9]);
            assert_eq!(apply_to(&scene, drawn), closed);
        }
        let drawn = strokes.draw(&scene, 5, Paint::Wall, 1, &[[1, 1]]);
        apply_to(&scene, drawn);
        assert!(strokes.undo(&scene, Some(3)).is_none());
        let drawn = strokes.undo(&scene, Some(5));
        assert_eq!(apply_to(&scene, drawn), 1);
        assert_eq!(strokes.counts(), (2, 1));
    }

    #[test]
    fn wide_strokes_and_large_doors_are_whole() {
        let map = Map::from_fn(3000, 200, |_| true).expect("legal");
        let scene = Scene::new(World::new(map, &Indexes::default()), None, None);
        let mut strokes = Strokes::default();
        // A brush of 64 cells begins 31 cells before its place and ends 32 after it.
        let drawn = strokes.draw(&scene, 1, Paint::Door, 64, &[[40, 100], [2900, 100]]);
        assert!(!drawn.as_ref().expect("drawn").is_cut);
        apply_to(&scene, drawn);
        let cells = 64 * (2860 + 64);
        assert_eq!(
            scene.doors().map(|doors| doors.passable_count()),
            Some(cells)
        );
        let drawn = strokes.door(&scene, 2, 1, [50, 100]);
        assert_eq!(apply_to(&scene, drawn), cells as usize);
        // Aslant, forth and back: each cell that the brush has covered.
        let points = [[500, 10], [560, 190], [490, 20]];
        let mut passed = no_cells(&scene.world.map());
        for_each_cell(&scene.world.map(), 5, &points, |at| passed.set(at, true));
        let mut covered = no_cells(&scene.world.map());
        for pair in points.windows(2) {
            for_each_cell(&scene.world.map(), 1, pair, |at| {
                for (x, y) in (0..25).map(|i| (i % 5, i / 5)) {
                    let (x, y) = (at.x + x - 2, at.y + y - 2);
                    covered.set(Point { x, y }, true);
                }
            });
        }
        assert_eq!(passed, covered);
        // What is too long is cut, and that is said.
        let far: Vec<Place> = (0..4000)
            .map(|i| [if i % 2 == 0 { 0 } else { 2999 }, 5])
            .collect();
        let drawn = strokes.draw(&scene, 3, Paint::Wall, 9, &far);
        assert!(drawn.expect("drawn").is_cut);
    }
}
