//! How exactly a printed length says what it says.
//!
//! Sets print lengths in different ways: six significant digits with trailing zeros dropped (`6.24264`, `760.938`, `6`),
//! two decimals (`244.95`), eight (`2.00000000`). A file shows the first way when no line has more than six digits and
//! lines with different numbers of digits before the point have all six: then every line is good to half a unit of its
//! sixth digit. Otherwise a number with decimals is good to half a unit of its last one. A whole number is the hard case:
//! it is read as exactly as the least exact other line of its file; where no line has decimals, as six digits.

/// The digits of a printed length.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(in crate::formats) struct Digits {
    /// Digits behind the point; negative where an exponent moves the last digit before it.
    decimals: i32,
    /// Digits before the point, at least 1.
    whole: i32,
}

/// How a whole file prints lengths.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(in crate::formats) struct Style {
    /// The fewest decimals of any line that has some.
    coarsest: Option<i32>,
    /// Six significant digits throughout.
    is_six_digits: bool,
}

/// Significant digits of C++ streams and `%g`.
const USUAL_DIGITS: i32 = 6;

/// The published sets were summed with the root of 2 as a 32-bit number, which is short by 1.7 parts in 10^8: 262.7645020
/// stands as 262.764 in them, though it should be rounded up.
const SHORT_ROOT: f64 = 2e-8;

/// Reads a length: decimal digits with a point and an exponent at most. No sign, no `inf`, no `nan`.
pub(in crate::formats) fn length(bytes: &[u8]) -> Option<(f64, Digits)> {
    let text = std::str::from_utf8(bytes).ok()?;
    let (mantissa, exponent) = match text.split_once(['e', 'E']) {
        Some((mantissa, exponent)) => (mantissa, exponent.parse::<i16>().ok()?),
        None => (text, 0),
    };
    let (whole, decimals) = mantissa.split_once('.').unwrap_or((mantissa, ""));
    let only_digits = |part: &str| part.bytes().all(|byte| byte.is_ascii_digit());
    if whole.len() + decimals.len() == 0 || !only_digits(whole) || !only_digits(decimals) {
        return None;
    }
    let value: f64 = text.parse().ok()?;
    // Longer mantissas than this say nothing more: the lengths below are clamped, not trusted.
    let count = |part: &str| part.len().min(1000) as i32;
    let digits = Digits {
        decimals: count(decimals) - i32::from(exponent),
        whole: (count(whole) + i32::from(exponent)).max(1),
    };
    value.is_finite().then_some((value, digits))
}

impl Digits {
    /// How a file prints, by all its lines.
    pub fn style(lines: &[Digits]) -> Style {
        let decimals = lines.iter().map(|digits| digits.decimals);
        let all = |digits: &&Digits| digits.whole + digits.decimals == USUAL_DIGITS;
        let mut full = lines.iter().filter(all).map(|digits| digits.whole);
        let first = full.next();
        Style {
            coarsest: decimals.filter(|&decimals| decimals > 0).min(),
            is_six_digits: full.any(|whole| Some(whole) != first)
                && lines
                    .iter()
                    .all(|d| d.decimals >= 0 && d.whole + d.decimals <= USUAL_DIGITS),
        }
    }

    /// How far the true length may lie from the printed one.
    pub fn tolerance(self, length: f64, style: Style) -> f64 {
        let six_digits = (USUAL_DIGITS - self.whole).max(0);
        let decimals = if style.is_six_digits {
            six_digits
        } else if self.decimals != 0 {
            self.decimals
        } else {
            style
                .coarsest
                .map_or(six_digits, |least| least.min(six_digits))
        };
        0.5 * 10f64.powi(-decimals.clamp(-300, 300)) + length * SHORT_ROOT
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn digits(text: &str) -> Digits {
        length(text.as_bytes()).expect(text).1
    }

    /// The tolerance of a length among other lengths of its file.
    fn tolerance(text: &str, others: &[&str]) -> f64 {
        let lines: Vec<Digits> = others
            .iter()
            .chain([&text])
            .map(|text| digits(text))
            .collect();
        digits(text).tolerance(0.0, Digits::style(&lines))
    }

    #[test]
    fn tolerance_follows_the_digits() {
        let near = |found: f64, expected: f64| (found - expected).abs() < 1e-5 * expected;
        assert!(near(tolerance("244.95", &["2.83", "1001.72"]), 0.005));
        assert!(near(tolerance("2.00000000", &["369.44574280"]), 5e-9));
        assert!(near(tolerance("1.5e2", &[]), 5.0));
        assert!(near(tolerance("6", &["12.3456789", "0.125"]), 0.000_5));
        assert!(near(tolerance("6", &["7"]), 0.000_005));
        assert!(near(tolerance("123456", &["12345.6", "12345.67"]), 0.5));
    }

    #[test]
    fn six_significant_digits_are_recognised() {
        let near = |found: f64, expected: f64| (found - expected).abs() < 1e-5 * expected;
        let others = ["6.24264", "760.938", "12.5"];
        assert!(near(tolerance("1482.4", &others), 0.005));
        assert!(near(tolerance("6", &others), 0.000_005));
        assert!(near(tolerance("123456", &others), 0.5));
        let printed = digits("262.764").tolerance(262.764, Digits::style(&others.map(digits)));
        assert!((262.764_501_99 - 262.764) < printed && printed < 0.000_51);
        // Two decimals throughout may have six digits too, but only before one place of the point.
        assert!(near(tolerance("2.83", &["1482.37", "244.95"]), 0.005));
    }

    #[test]
    fn lengths_are_plain_numbers() {
        let value = |text: &str| length(text.as_bytes()).map(|found| found.0);
        assert_eq!(value("4.82843"), Some(4.82843));
        assert_eq!(value("1e3"), Some(1000.0));
        assert_eq!(value(".5"), Some(0.5));
        for bad in [
            "", ".", "-1", "+1", "nan", "inf", "1e999", "1e99999", "1,5", "0x10", "1 ",
        ] {
            assert_eq!(value(bad), None, "{bad:?}");
        }
    }
}
