//! Smooth random fields in integers: values at the corners of a lattice, blended in between.

use crate::rng::Rng;

/// Values of a field run from 0 to this, with its middle as the mean.
pub(super) const TOP: i32 = 1 << 16;

/// A field of hills and dales about `pitch` cells across.
#[derive(Clone, Debug)]
pub(super) struct Field {
    seed: u64,
    pitch: u32,
    /// The weight of the far corner at each distance from the near one.
    blend: Vec<i32>,
    /// Lattice values of the current row, blended from the lattice rows above and below.
    columns: Vec<i32>,
}

impl Field {
    pub fn new(seed: u64, pitch: u32) -> Field {
        let pitch = pitch.max(1);
        let blend = (0..pitch)
            .map(|i| {
                // 3t^2 - 2t^3, so that no edge of the lattice shows.
                let t = (u64::from(i) << 16) / u64::from(pitch);
                let square = (t * t) >> 16;
                ((3 * square) as i64 - (2 * ((square * t) >> 16)) as i64) as i32
            })
            .collect();
        Field {
            seed,
            pitch,
            blend,
            columns: Vec::new(),
        }
    }

    /// Adds `weight` parts of the field's row `y` to `row`, in 65536ths.
    pub fn add_row(&mut self, y: u32, weight: i32, row: &mut [i32]) {
        let columns = row.len() as u32 / self.pitch + 2;
        let (top, down) = (y / self.pitch, self.blend[(y % self.pitch) as usize]);
        self.columns.clear();
        for column in 0..columns {
            let (a, b) = (self.corner(column, top), self.corner(column, top + 1));
            self.columns.push(mix(a, b, down));
        }
        for (chunk, corners) in row
            .chunks_mut(self.pitch as usize)
            .zip(self.columns.windows(2))
        {
            for (value, &across) in chunk.iter_mut().zip(&self.blend) {
                let field = mix(corners[0], corners[1], across);
                *value += ((i64::from(field) * i64::from(weight)) >> 16) as i32;
            }
        }
    }

    fn corner(&self, x: u32, y: u32) -> i32 {
        let item = u64::from(y) << 32 | u64::from(x);
        (Rng::for_item(self.seed, item).next_u64() >> 48) as i32
    }
}

fn mix(a: i32, b: i32, weight: i32) -> i32 {
    a + ((i64::from(b - a) * i64::from(weight)) >> 16) as i32
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn fields_are_smooth_and_centred() {
        let mut field = Field::new(5, 32);
        let mut sum = 0i64;
        for y in 0..256 {
            let mut row = vec![0; 256];
            field.add_row(y, TOP, &mut row);
            assert!(row.iter().all(|value| (0..=TOP).contains(value)));
            let steepest = row.windows(2).map(|pair| (pair[0] - pair[1]).abs()).max();
            assert!(steepest < Some(TOP / 16), "row {y}: {steepest:?}");
            sum += row.iter().map(|&value| i64::from(value)).sum::<i64>();
        }
        let mean = sum / (256 * 256);
        assert!(
            (i64::from(TOP) * 4 / 10..i64::from(TOP) * 6 / 10).contains(&mean),
            "{mean}"
        );
    }
}
