//! Words of bits: finding the next bit, flooding along a row, turning blocks over.

/// The first set bit at `from` or after it. There must be one: planes end in a word of ones.
#[inline]
pub(super) fn next_set(words: &[u64], from: usize) -> usize {
    let mut at = from >> 6;
    let first = words[at] >> (from & 63);
    if first != 0 {
        return from + first.trailing_zeros() as usize;
    }
    loop {
        at += 1;
        let word = words[at];
        if word != 0 {
            return at * 64 + word.trailing_zeros() as usize;
        }
    }
}

/// The last set bit at `from` or before it. There must be one: every line of a plane begins with a border bit.
#[inline]
pub(super) fn previous_set(words: &[u64], from: usize) -> usize {
    let mut at = from >> 6;
    let first = words[at] << (63 - (from & 63));
    if first != 0 {
        return from - first.leading_zeros() as usize;
    }
    loop {
        at -= 1;
        let word = words[at];
        if word != 0 {
            return at * 64 + 63 - word.leading_zeros() as usize;
        }
    }
}

/// Calls `visit` with every set bit from `from` to `to`, both included.
#[inline]
pub(super) fn for_each_set(words: &[u64], from: usize, to: usize, mut visit: impl FnMut(usize)) {
    let mut mask = u64::MAX << (from & 63);
    let mut base = from & !63;
    while base <= to {
        let mut bits = words[base >> 6] & mask;
        if to - base < 63 {
            bits &= (2 << (to - base)) - 1;
        }
        while bits != 0 {
            visit(base + bits.trailing_zeros() as usize);
            bits &= bits - 1;
        }
        mask = u64::MAX;
        base += 64;
    }
}

/// The bit at a position.
#[inline]
pub(super) fn bit(words: &[u64], at: usize) -> bool {
    words[at >> 6] >> (at & 63) & 1 != 0
}

/// Writes the bit at a position.
#[inline]
pub(super) fn put_bit(words: &mut [u64], at: usize, value: bool) {
    let mask = 1u64 << (at & 63);
    if value {
        words[at >> 6] |= mask;
    } else {
        words[at >> 6] &= !mask;
    }
}

/// The 64 bits that begin at a position; what lies beyond the slice reads as 0.
#[inline]
pub(super) fn bits_from(words: &[u64], from: usize) -> u64 {
    let (at, shift) = (from >> 6, from & 63);
    let low = words.get(at).copied().unwrap_or(0) >> shift;
    let high = words.get(at + 1).copied().unwrap_or(0);
    // Two shifts keep the amount below 64 when `shift` is 0.
    low | high << 1 << (63 - shift)
}

/// Every bit of `through` from which `sources` is reached by moving to higher bits through `through`, sources included.
#[inline]
pub(super) fn flood_down(sources: u64, through: u64) -> u64 {
    let (mut reached, mut open) = (sources, through);
    for shift in [1, 2, 4, 8, 16, 32] {
        reached |= open & (reached >> shift);
        open &= open >> shift;
    }
    reached
}

/// The same for moving to lower bits.
#[inline]
pub(super) fn flood_up(sources: u64, through: u64) -> u64 {
    let (mut reached, mut open) = (sources, through);
    for shift in [1, 2, 4, 8, 16, 32] {
        reached |= open & (reached << shift);
        open &= open << shift;
    }
    reached
}

/// Turns a block of 64 rows of 64 bits over: bit `j` of row `i` becomes bit `i` of row `j`.
pub(super) fn transpose(block: &mut [u64; 64]) {
    let mut width = 32;
    let mut mask = 0x0000_0000_ffff_ffffu64;
    while width != 0 {
        let mut row = 0;
        while row < 64 {
            let swap = (block[row] >> width ^ block[row + width]) & mask;
            block[row] ^= swap << width;
            block[row + width] ^= swap;
            row = (row + width + 1) & !width;
        }
        width /= 2;
        mask ^= mask << width;
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::rng::Rng;

    #[test]
    fn transposed_blocks_swap_rows_and_columns() {
        let mut rng = Rng::new(5);
        let block: [u64; 64] = std::array::from_fn(|_| rng.next_u64());
        let mut turned = block;
        transpose(&mut turned);
        for (i, row) in block.iter().enumerate() {
            for (j, column) in turned.iter().enumerate() {
                assert_eq!(row >> j & 1, column >> i & 1, "{i} {j}");
            }
        }
    }

    #[test]
    fn neighbouring_set_bits_are_found() {
        let mut rng = Rng::new(6);
        for _ in 0..200 {
            let mut words = [0u64; 5];
            words[0] = 1;
            words[4] = u64::MAX;
            for _ in 0..rng.below(6) {
                put_bit(&mut words, rng.below(320) as usize, true);
            }
            let from = rng.below(320) as usize;
            let next = (from..320).find(|&i| bit(&words, i));
            let previous = (0..=from).rev().find(|&i| bit(&words, i));
            assert_eq!(Some(next_set(&words, from)), next);
            assert_eq!(Some(previous_set(&words, from)), previous);
            let to = from + rng.below(320 - from as u32) as usize;
            let mut between = Vec::new();
            for_each_set(&words, from, to, |at| between.push(at));
            let expected: Vec<usize> = (from..=to).filter(|&i| bit(&words, i)).collect();
            assert_eq!(between, expected);
            for_each_set(&words, from + 1, from, |at| {
                panic!("{at} in an empty range")
            });
        }
    }

    #[test]
    fn floods_run_through_open_bits_only() {
        let mut rng = Rng::new(7);
        for _ in 0..500 {
            let through = rng.next_u64() | rng.next_u64();
            let sources = through & rng.next_u64() & rng.next_u64() & rng.next_u64();
            let (mut down, mut up) = (sources, sources);
            for _ in 0..64 {
                down |= through & (down >> 1);
                up |= through & (up << 1);
            }
            assert_eq!(flood_down(sources, through), down);
            assert_eq!(flood_up(sources, through), up);
        }
    }
}
