//! Many paths at once, in flat arrays.
//!
//! Paths are found as runs, a few bytes each; when all are known the array of their points is made once, as long as it will be, and
//! every thread writes its part of it. Memory that a program has not touched yet is what batches of long paths take most time for, so it is
//! touched once, by all threads; who has better memory than the engine can ask for writes the points there ([`FoundPaths`]).

use super::{Navigator, NoPath};
use crate::agent::{Context, Scratch};
use crate::grid::Point;
use crate::parallel::{map_with, prelude::*};
use crate::search::jps::Run;

/// Paths that a thread finds in one go.
const PART: usize = 64;
/// How often the paths that a patch has overtaken are found again.
const MAX_ROUNDS: usize = 8;

/// Many paths in flat arrays: what bindings hand over without a second copy.
#[derive(Clone, Debug, PartialEq)]
pub struct PathBatch {
    /// The points of all paths, one after the other.
    pub points: Vec<Point>,
    /// Path `i` is `points[offsets[i]..offsets[i + 1]]`; an empty one where there is none.
    pub offsets: Vec<usize>,
    /// The length of each; infinite where there is none.
    pub lengths: Vec<f64>,
}

impl Navigator {
    /// Many paths at once, on all cores; ends that cannot be stood on have no path. All are of one state of
    /// the map, unless patches from other threads come faster than paths can be found.
    pub fn paths(&self, ends: &[(Point, Point)]) -> PathBatch {
        self.paths_between(ends.len(), |i| ends[i])
    }

    /// [`Navigator::paths`] for ends that lie in arrays of the caller's own: `ends` gives those of a path by its number.
    pub fn paths_between(
        &self,
        count: usize,
        ends: impl Fn(usize) -> (Point, Point) + Sync,
    ) -> PathBatch {
        self.find_paths(count, ends).into()
    }

    /// [`Navigator::paths_between`] whose points are written where the caller wants them.
    pub fn find_paths(
        &self,
        count: usize,
        ends: impl Fn(usize) -> (Point, Point) + Sync,
    ) -> FoundPaths {
        let some = |scratch: &mut Scratch, &first: &usize| {
            let some: Vec<_> = (first..count.min(first + PART)).map(&ends).collect();
            // Held for a part alone: a thread that waits for others may be given any task of the game's meanwhile, a patch too.
            let map = self.live_map();
            let mut part = Part::default();
            for (from, goal) in some {
                let length = NoPath::ends(&map, from, goal).ok().and_then(|ends| {
                    let mut context = Context::new(&*map, scratch);
                    let exact = self.profile.exact();
                    exact.length(&mut context, ends, |run| part.runs.push(run))
                });
                part.end_path(from, length);
            }
            part.map = map.fingerprint();
            part
        };
        let mut firsts: Vec<usize> = (0..count).step_by(PART).collect();
        let (lend, keep) = (|| self.borrow_scratch(), |s| self.give_back(s));
        let mut parts = map_with(&firsts, lend, some, keep);
        // Those that a patch has overtaken are found again, so that all are of one map.
        for _ in 0..MAX_ROUNDS {
            let now = self.live_map().fingerprint();
            firsts.retain(|&first| parts[first / PART].map != now);
            if firsts.is_empty() {
                break;
            }
            let again = map_with(&firsts, lend, some, keep);
            for (&first, part) in firsts.iter().zip(again) {
                parts[first / PART] = part;
            }
            firsts = (0..count).step_by(PART).collect();
        }
        FoundPaths { parts }
    }
}

/// Many paths whose points have not been written yet.
pub struct FoundPaths {
    parts: Vec<Part>,
}

/// Some paths as runs.
#[derive(Default)]
struct Part {
    runs: Vec<Run>,
    paths: Vec<FoundPath>,
    /// How many points all of them have.
    points: usize,
    /// The map that they were found on.
    map: u64,
}

struct FoundPath {
    start: Point,
    /// Infinite where there is none.
    length: f64,
    /// Where its runs end.
    runs_end: usize,
    /// None where there is no path.
    points: usize,
}

impl Part {
    /// Ends a path whose runs have been added; `None` where there is none.
    fn end_path(&mut self, start: Point, length: Option<f64>) {
        let begin = self.paths.last().map_or(0, |path| path.runs_end);
        let steps = self.runs[begin..].iter().map(|run| run.steps as usize);
        let points = length.map_or(0, |_| 1 + steps.sum::<usize>());
        self.points += points;
        self.paths.push(FoundPath {
            start,
            length: length.unwrap_or(f64::INFINITY),
            runs_end: self.runs.len(),
            points,
        });
    }

    /// Writes the points of all paths, which are as many as there are places.
    fn write(&self, mut places: &mut [Point]) {
        let mut begin = 0;
        for path in &self.paths {
            let (mine, others) = places.split_at_mut(path.points);
            path.write(&self.runs[begin..path.runs_end], mine);
            (places, begin) = (others, path.runs_end);
        }
    }
}

impl FoundPath {
    fn write(&self, runs: &[Run], places: &mut [Point]) {
        let Some((first, mut rest)) = places.split_first_mut() else {
            return;
        };
        let mut at = self.start;
        *first = at;
        for run in runs {
            let (mine, others) = rest.split_at_mut(run.steps as usize);
            for place in mine {
                at = crate::grid::scan::moved(at, run.direction, 1);
                *place = at;
            }
            rest = others;
        }
    }
}

impl FoundPaths {
    /// How many points all paths have.
    pub fn points(&self) -> usize {
        self.parts.iter().map(|part| part.points).sum()
    }

    fn paths(&self) -> impl Iterator<Item = &FoundPath> {
        self.parts.iter().flat_map(|part| &part.paths)
    }

    /// Where the points of each path begin among all, and where the last ends.
    pub fn offsets(&self) -> impl Iterator<Item = usize> {
        let ends = self.paths().scan(0, |end, path| {
            *end += path.points;
            Some(*end)
        });
        std::iter::once(0).chain(ends)
    }

    /// The length of each; infinite where there is none.
    pub fn lengths(&self) -> impl Iterator<Item = f64> {
        self.paths().map(|path| path.length)
    }

    /// Writes the points of all paths, one after the other, on all cores.
    ///
    /// # Panics
    /// Where `places` is not as long as there are points.
    pub fn write_points(&self, places: &mut [Point]) {
        let mut jobs = Vec::with_capacity(self.parts.len());
        let mut rest = places;
        for part in &self.parts {
            let (mine, others) = rest.split_at_mut(part.points);
            jobs.push((part, mine));
            rest = others;
        }
        assert!(rest.is_empty(), "{} places too many", rest.len());
        jobs.into_par_iter()
            .for_each(|(part, mine)| part.write(mine));
    }
}

impl From<FoundPaths> for PathBatch {
    fn from(found: FoundPaths) -> PathBatch {
        // Fresh from the system, nobody has touched it yet.
        let mut points: Vec<Point> = bytemuck::zeroed_vec(found.points());
        found.write_points(&mut points);
        PathBatch {
            offsets: found.offsets().collect(),
            lengths: found.lengths().collect(),
            points,
        }
    }
}

impl PathBatch {
    /// How many there are.
    pub fn len(&self) -> usize {
        self.lengths.len()
    }

    /// Whether there are none.
    pub fn is_empty(&self) -> bool {
        self.lengths.is_empty()
    }

    /// The points of one of them; empty where there is no path.
    pub fn path(&self, index: usize) -> &[Point] {
        &self.points[self.offsets[index]..self.offsets[index + 1]]
    }
}
