//! The path ahead of a follower, as runs: all of it for an agent alone, as many as fit in 32 bytes for a walker of a
//! crowd, which asks again where they end.

use crate::grid::{Cell, Direction, Grid};
use crate::search::jps::Run;
use crate::stream::{Reader, Writer};

/// Runs ahead of a follower, and whether the path goes on after them.
pub trait Trail: Default + Send + std::fmt::Debug + 'static {
    /// Nothing is known of the path.
    fn forget(&mut self);

    /// Puts a run after the others; `false` where there is no room for all of it, and then the path goes on after them.
    fn push(&mut self, run: Run) -> bool;

    /// The `at`-th run ahead.
    fn get(&self, at: usize) -> Option<Run>;

    /// This many steps of the next run have been walked.
    fn walked(&mut self, steps: u32);

    /// Keeps the first so many runs ahead and so many steps of the one after them.
    fn cut(&mut self, runs: usize, steps: u32);

    /// Whether the path goes on after the runs.
    fn has_more(&self) -> bool;

    /// The path goes on after the runs, or does not.
    fn set_more(&mut self, more: bool);

    /// Bytes beyond its own size.
    fn heap_bytes(&self) -> usize;

    /// Makes room for this many runs.
    fn reserve(&mut self, runs: usize) {
        let _ = runs;
    }

    /// Whether it has room for runs of any number and length.
    const HOLDS_ALL: bool = false;

    /// Whether there is room for these runs, some of which may be without steps.
    fn has_room(&self, runs: &[Run]) -> bool {
        let _ = runs;
        true
    }

    /// Steps of the next run that are known to be legal on the map as it is.
    #[inline]
    fn clear(&self) -> u32 {
        0
    }

    /// Notes down [`Trail::clear`], where there is room for that.
    #[inline]
    fn set_clear(&mut self, steps: u32) {
        let _ = steps;
    }

    /// Writes down the runs ahead and whether the path goes on.
    fn save(&self, out: &mut Writer) {
        out.u8(u8::from(self.has_more()));
        out.u64(self.ahead().count() as u64);
        for run in self.ahead() {
            out.u8(run.direction as u8);
            out.u32(run.steps);
        }
    }

    /// Takes what [`Trail::save`] wrote in the place of what was known; `None` where it is no such thing.
    fn load(&mut self, from: &mut Reader) -> Option<()> {
        let more = from.u8()? != 0;
        self.forget();
        for _ in 0..from.count(5)? {
            let (direction, steps) = (from.u8()?, from.u32()?);
            let direction = Direction::from_number(direction);
            if !self.push(Run { direction, steps }) {
                return None;
            }
        }
        self.set_more(more);
        Some(())
    }

    /// The next run.
    fn first(&self) -> Option<Run> {
        self.get(0)
    }

    /// Whether no run is ahead.
    fn is_empty(&self) -> bool {
        self.get(0).is_none()
    }

    /// The runs ahead.
    fn ahead(&self) -> impl Iterator<Item = Run> + '_ {
        (0..).map_while(|at| self.get(at))
    }

    /// Takes the runs of a path in the place of what was known, as many as there is room for.
    fn keep(&mut self, runs: impl IntoIterator<Item = Run>) {
        self.forget();
        self.set_more(false);
        self.extend(runs);
    }

    /// Puts runs after the others, as many as there is room for.
    fn extend(&mut self, runs: impl IntoIterator<Item = Run>) {
        for run in runs {
            if !self.push(run) {
                return;
            }
        }
    }

    /// [`Trail::extend`] for a path given cell by cell, its first cell included. Says how many steps are ahead now.
    fn extend_by_cells(&mut self, grid: &Grid, path: impl Iterator<Item = Cell>) -> usize {
        self.extend(runs_of(grid, path));
        self.ahead().map(|run| run.steps as usize).sum()
    }
}

/// The runs of a path given cell by cell.
fn runs_of(grid: &Grid, path: impl Iterator<Item = Cell>) -> impl Iterator<Item = Run> {
    let mut path = path.peekable();
    let steps = std::iter::from_fn(move || {
        let from = path.next()?;
        let offset = path.peek()?.0.wrapping_sub(from.0);
        Direction::ALL
            .into_iter()
            .find(|&d| grid.neighbour(from, d).0.wrapping_sub(from.0) == offset)
    });
    let mut steps = steps.peekable();
    std::iter::from_fn(move || {
        let direction = steps.next()?;
        let mut run = Run {
            direction,
            steps: 1,
        };
        while run.steps < MAX_STEPS && steps.next_if_eq(&direction).is_some() {
            run.steps += 1;
        }
        Some(run)
    })
}

/// All runs of a path.
#[derive(Clone, Debug, Default)]
pub struct LongTrail {
    runs: Vec<Run>,
    next: usize,
    more: bool,
    clear: u32,
}

impl Trail for LongTrail {
    fn forget(&mut self) {
        self.runs.clear();
        (self.next, self.more, self.clear) = (0, true, 0);
    }

    fn push(&mut self, run: Run) -> bool {
        self.runs.push(run);
        true
    }

    fn get(&self, at: usize) -> Option<Run> {
        self.runs.get(self.next + at).copied()
    }

    fn walked(&mut self, steps: u32) {
        if let Some(run) = self.runs.get_mut(self.next) {
            run.steps = run.steps.saturating_sub(steps);
            self.next += usize::from(run.steps == 0);
        }
        self.clear = self.clear.saturating_sub(steps);
    }

    fn cut(&mut self, runs: usize, steps: u32) {
        self.clear = 0;
        let keep = self.next + runs;
        if let Some(run) = self.runs.get_mut(keep) {
            run.steps = steps;
            self.runs.truncate(keep + usize::from(steps > 0));
        }
    }

    fn has_more(&self) -> bool {
        self.more
    }

    fn set_more(&mut self, more: bool) {
        self.more = more;
    }

    fn heap_bytes(&self) -> usize {
        self.runs.capacity() * size_of::<Run>()
    }

    fn reserve(&mut self, runs: usize) {
        self.runs.reserve(runs.saturating_sub(self.runs.len()));
    }

    const HOLDS_ALL: bool = true;

    #[inline]
    fn clear(&self) -> u32 {
        self.clear
    }

    #[inline]
    fn set_clear(&mut self, steps: u32) {
        self.clear = steps;
    }
}

/// Bytes that a walker holds of its path.
const BYTES: usize = 32;
/// Bits of them for runs. The last one says whether the path goes on.
const BITS: u32 = 8 * BYTES as u32 - 1;
/// The longest run in one piece.
pub(crate) const MAX_STEPS: u32 = (1 << 13) - 1;

/// The next runs of a path, as many as fit: where it bends often they are short, and then as many as sixty.
///
/// A run is three bits for its direction and, in Elias' gamma code, its steps: as many zeros as the number has bits after the
/// first, then the number from its highest bit on. So one step takes four bits, two or three take six, a hundred take sixteen.
#[derive(Clone, Copy, Debug, Default)]
pub struct ShortTrail {
    bytes: [u8; BYTES],
    /// The bits where the next run begins and where the last one ends.
    next: u8,
    end: u8,
}

/// Bits of a run of this many steps.
const fn run_bits(steps: u32) -> u32 {
    3 + 2 * steps.ilog2() + 1
}

impl ShortTrail {
    /// 32 bits from this one on, the first one lowest.
    #[inline]
    fn peek(&self, bit: u32) -> u32 {
        let first = (bit / 8) as usize;
        let mut eight = [0; 8];
        let last = BYTES.min(first + 8);
        eight[..last - first].copy_from_slice(&self.bytes[first..last]);
        (u64::from_le_bytes(eight) >> (bit % 8)) as u32
    }

    /// The run that begins at a bit, and where it ends.
    #[inline]
    fn run_at(&self, bit: u32) -> (Run, u32) {
        let word = self.peek(bit);
        let zeros = (word >> 3).trailing_zeros().min(13);
        let steps = (word >> (3 + zeros)).reverse_bits() >> (31 - zeros);
        let direction = Direction::from_number(word as u8);
        let length = 3 + 2 * zeros + 1;
        (Run { direction, steps }, bit + length)
    }

    /// Writes a run at a bit.
    fn write(&mut self, bit: u32, run: Run) {
        let zeros = run.steps.ilog2();
        let steps = (run.steps << (31 - zeros)).reverse_bits();
        let code = u64::from(run.direction as u8) | u64::from(steps) << (3 + zeros);
        for i in 0..run_bits(run.steps) {
            let (byte, mask) = (((bit + i) / 8) as usize, 1u8 << ((bit + i) % 8));
            match code >> i & 1 {
                0 => self.bytes[byte] &= !mask,
                _ => self.bytes[byte] |= mask,
            }
        }
    }

    /// Where the run begins that comes after this many others.
    fn place_of(&self, runs: usize) -> Option<u32> {
        let mut bit = u32::from(self.next);
        for _ in 0..runs {
            if bit >= self.end.into() {
                return None;
            }
            bit = self.run_at(bit).1;
        }
        (bit < self.end.into()).then_some(bit)
    }
}

impl Trail for ShortTrail {
    fn has_room(&self, runs: &[Run]) -> bool {
        let bits = |run: &Run| match (run.steps / MAX_STEPS, run.steps % MAX_STEPS) {
            (whole, 0) => whole * run_bits(MAX_STEPS),
            (whole, rest) => whole * run_bits(MAX_STEPS) + run_bits(rest),
        };
        u32::from(self.end) + runs.iter().map(bits).sum::<u32>() <= BITS
    }

    fn forget(&mut self) {
        (self.next, self.end) = (0, 0);
        self.set_more(true);
    }

    fn push(&mut self, run: Run) -> bool {
        let mut left = run.steps;
        while left > 0 {
            let steps = left.min(MAX_STEPS);
            let end = u32::from(self.end) + run_bits(steps);
            if end > BITS {
                self.set_more(true);
                return false;
            }
            let direction = run.direction;
            self.write(self.end.into(), Run { direction, steps });
            self.end = end as u8;
            left -= steps;
        }
        true
    }

    fn get(&self, at: usize) -> Option<Run> {
        self.place_of(at).map(|bit| self.run_at(bit).0)
    }

    #[inline]
    fn first(&self) -> Option<Run> {
        (self.next < self.end).then(|| self.run_at(self.next.into()).0)
    }

    #[inline]
    fn is_empty(&self) -> bool {
        self.next >= self.end
    }

    fn ahead(&self) -> impl Iterator<Item = Run> + '_ {
        let mut bit = u32::from(self.next);
        std::iter::from_fn(move || {
            let (run, next) = (bit < self.end.into()).then(|| self.run_at(bit))?;
            bit = next;
            Some(run)
        })
    }

    fn walked(&mut self, steps: u32) {
        let Some(run) = self.first() else {
            return;
        };
        let end = u32::from(self.next) + run_bits(run.steps);
        self.next = end as u8;
        if steps < run.steps {
            // What is left takes no more bits: it is put where the run ended.
            let left = run.steps - steps;
            let begin = end - run_bits(left);
            self.write(begin, Run { steps: left, ..run });
            self.next = begin as u8;
        }
    }

    fn cut(&mut self, runs: usize, steps: u32) {
        let Some(bit) = self.place_of(runs) else {
            return;
        };
        let run = self.run_at(bit).0;
        self.end = bit as u8;
        if steps > 0 {
            self.write(bit, Run { steps, ..run });
            self.end = (bit + run_bits(steps)) as u8;
        }
    }

    #[inline]
    fn has_more(&self) -> bool {
        self.bytes[BYTES - 1] >> 7 != 0
    }

    fn set_more(&mut self, more: bool) {
        let last = &mut self.bytes[BYTES - 1];
        *last = *last & 0x7f | u8::from(more) << 7;
    }

    fn heap_bytes(&self) -> usize {
        0
    }

    fn save(&self, out: &mut Writer) {
        out.raw(&self.bytes);
        out.u8(self.next);
        out.u8(self.end);
    }

    fn load(&mut self, from: &mut Reader) -> Option<()> {
        self.bytes.copy_from_slice(from.raw(BYTES)?);
        (self.next, self.end) = (from.u8()?, from.u8()?);
        if from.is_own() {
            return Some(());
        }
        // Whatever the bits are, they are runs; the last one has to end where they end.
        let mut bit = u32::from(self.next);
        while bit < self.end.into() {
            let (run, end) = self.run_at(bit);
            if run.steps == 0 || end > BITS {
                return None;
            }
            bit = end;
        }
        (bit == u32::from(self.end)).then_some(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::grid::Point;

    #[test]
    fn runs_come_back_step_by_step_and_say_when_there_is_more() {
        let grid = Grid::from_fn(90, 60, |_| true).expect("a legal size");
        let cell = |x, y| grid.cell(Point { x, y }).expect("inside");
        // Stairs: 20 steps east, then one south, again and again.
        let mut path = vec![cell(0, 0)];
        for row in 0..2 {
            path.extend((1..=20).map(|x| cell(x + 20 * row, row)));
            path.push(cell(20 * (row + 1), row + 1));
        }
        let mut runs = ShortTrail::default();
        assert_eq!(runs.extend_by_cells(&grid, path.iter().copied()), 42);
        assert!(!runs.has_more());
        let steps: Vec<u32> = runs.ahead().map(|run| run.steps).collect();
        assert_eq!(steps, [20, 1, 20, 1]);
        runs.walked(15);
        assert_eq!(runs.first().map(|run| run.steps), Some(5));
        runs.walked(5);
        runs.walked(1);
        assert_eq!(runs.ahead().count(), 2);
        // More turns than there is room for: a run of one step takes four bits.
        let zigzag = (0..90).map(|x| cell(x, x % 2));
        runs.keep([]);
        assert_eq!(runs.extend_by_cells(&grid, zigzag), BITS as usize / 4);
        assert!(runs.has_more());
        // A run longer than fits in one piece.
        runs.keep([Run {
            direction: Direction::West,
            steps: MAX_STEPS + 3,
        }]);
        let steps: Vec<u32> = runs.ahead().map(|run| run.steps).collect();
        assert_eq!(steps, [MAX_STEPS, 3]);
    }

    /// Both kinds of trail, given the same runs and walked, cut and asked alike, say the same.
    #[test]
    fn a_short_trail_is_a_long_one_as_far_as_it_reaches() {
        let mut rng = crate::rng::Rng::new(5);
        for _ in 0..500 {
            let (mut short, mut long) = (ShortTrail::default(), LongTrail::default());
            let longest = 1 << rng.below(14);
            for _ in 0..rng.below(70) {
                let run = Run {
                    direction: Direction::from_number(rng.below(8) as u8),
                    steps: 1 + rng.below(longest).min(MAX_STEPS - 1),
                };
                let has_room = short.has_room(&[run, Run { steps: 0, ..run }]);
                assert_eq!(short.push(run), has_room);
                if !has_room {
                    break;
                }
                long.push(run);
            }
            while let Some(run) = long.first() {
                assert!(short.ahead().eq(long.ahead()));
                let at = rng.below(4) as usize;
                assert_eq!(short.get(at), long.get(at));
                if let (0, Some(other)) = (rng.below(10), long.get(at)) {
                    let kept = rng.below(other.steps + 1);
                    short.cut(at, kept);
                    long.cut(at, kept);
                    continue;
                }
                let steps = 1 + rng.below(run.steps);
                short.walked(steps);
                long.walked(steps);
            }
            assert!(short.is_empty());
        }
    }
}
