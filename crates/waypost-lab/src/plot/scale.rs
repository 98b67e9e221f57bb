//! Axes: where values stand, and which of them get a tick.

/// Where values stand on an axis.
pub(super) struct Scale {
    pub log: bool,
    pub low: f64,
    pub high: f64,
    /// Where `low` and `high` stand.
    pub from: f64,
    pub to: f64,
    /// Where zero stands on a logarithmic axis that has to show one.
    pub zero: Option<f64>,
}

pub(super) struct Tick {
    pub value: f64,
    pub text: String,
}

/// The part of a logarithmic axis that is left free between zero and the rest.
pub(super) const ZERO_GAP: f64 = 0.08;

impl Scale {
    pub fn of(values: impl Iterator<Item = f64>, log: bool, from: f64, to: f64) -> Scale {
        let values: Vec<f64> = values.filter(|value| value.is_finite()).collect();
        let shown = |value: &&f64| !log || **value > 0.0;
        let low = values
            .iter()
            .filter(shown)
            .copied()
            .fold(f64::INFINITY, f64::min);
        let high = values
            .iter()
            .filter(shown)
            .copied()
            .fold(f64::NEG_INFINITY, f64::max);
        let (low, high) = if low.is_finite() {
            (low, high)
        } else {
            (1.0, 10.0)
        };
        let has_zero = log && values.iter().any(|&value| value <= 0.0);
        let (low, high) = if log {
            padded_log(low, high)
        } else {
            padded(low, high)
        };
        let start = if has_zero {
            from + (to - from) * ZERO_GAP
        } else {
            from
        };
        Scale {
            log,
            low,
            high,
            from: start,
            to,
            zero: has_zero.then_some(from + (to - from) * ZERO_GAP * 0.4),
        }
    }

    pub fn place(&self, value: f64) -> f64 {
        if self.log && value <= 0.0 {
            return self.zero.unwrap_or(self.from);
        }
        let share = if self.log {
            (value / self.low).ln() / (self.high / self.low).ln()
        } else {
            (value - self.low) / (self.high - self.low)
        };
        self.from + (self.to - self.from) * share
    }

    /// Two slanted strokes where the axis is broken between zero and the rest; `on_axis` gives the spot on the frame.
    pub fn draw_break(&self, svg: &mut String, on_axis: impl Fn(f64) -> (f64, f64)) {
        let Some(zero) = self.zero else { return };
        let (x, y) = on_axis((zero + self.from) / 2.0);
        super::push(
            svg,
            format_args!(
                "<g class=\"break\"><rect x=\"{:.1}\" y=\"{:.1}\" width=\"6\" height=\"6\" fill=\"#fff\"/>",
                x - 3.0,
                y - 3.0
            ),
        );
        for shift in [-3.0, 3.0] {
            // Across an upright axis the strokes lie above each other, across a level one beside each other.
            let (dx, dy) = match on_axis(0.0).0 == x {
                true => (0.0, shift),
                false => (shift, 0.0),
            };
            super::push(
                svg,
                format_args!(
                    "<line x1=\"{:.1}\" y1=\"{:.1}\" x2=\"{:.1}\" y2=\"{:.1}\" stroke=\"#444\" stroke-width=\"1.2\"/>",
                    x + dx - 5.0,
                    y + dy + 3.0,
                    x + dx + 5.0,
                    y + dy - 3.0
                ),
            );
        }
        svg.push_str("</g>\n");
    }

    pub fn place_of(&self, value: f64) -> Option<f64> {
        value.is_finite().then(|| self.place(value))
    }

    pub fn ticks(&self) -> Vec<Tick> {
        let mut ticks = if self.log {
            self.log_ticks()
        } else {
            self.linear_ticks()
        };
        if self.zero.is_some() {
            ticks.push(Tick {
                value: 0.0,
                text: "0".to_string(),
            });
        }
        ticks
    }

    pub fn linear_ticks(&self) -> Vec<Tick> {
        let step = nice((self.high - self.low) / 6.0);
        let first = (self.low / step - 1e-9).ceil() as i64;
        let last = (self.high / step + 1e-9).floor() as i64;
        let tick = |i: i64| Tick {
            value: i as f64 * step,
            text: number(i as f64 * step),
        };
        (first..=last.min(first + 40)).map(tick).collect()
    }

    /// Powers of ten with a text each; the others have one only where there are few powers.
    pub fn log_ticks(&self) -> Vec<Tick> {
        let decades = (self.high / self.low).log10();
        let every = (decades / 7.0).ceil().max(1.0) as i32;
        let mut ticks = Vec::new();
        let first = self.low.log10().floor() as i32;
        let last = self.high.log10().ceil() as i32;
        for power in first..=last {
            for digit in 1..10 {
                let value = f64::from(digit) * 10f64.powi(power);
                let outside = value < self.low * 0.999 || value > self.high * 1.001;
                if outside || (digit > 1 && decades > 5.0) {
                    continue;
                }
                let named = match digit {
                    1 => (power - first) % every == 0,
                    2 | 5 => decades < 2.0,
                    _ => decades < 0.5,
                };
                let text = if named { number(value) } else { String::new() };
                ticks.push(Tick { value, text });
            }
        }
        ticks
    }
}

pub(super) fn padded(low: f64, high: f64) -> (f64, f64) {
    let range = if high > low {
        high - low
    } else {
        high.abs().max(1.0)
    };
    let base = if low >= 0.0 && low < range {
        0.0
    } else {
        low - range * 0.05
    };
    (base, high + range * 0.06)
}

pub(super) fn padded_log(low: f64, high: f64) -> (f64, f64) {
    let high = if high > low * 1.5 { high } else { low * 1.5 };
    let pad = (high / low).powf(0.06);
    (low / pad, high * pad)
}

/// A step of 1, 2 or 5 times a power of ten.
pub(super) fn nice(step: f64) -> f64 {
    let power = 10f64.powf(step.log10().floor());
    let digit = step / power;
    power
        * if digit <= 1.0 {
            1.0
        } else if digit <= 2.0 {
            2.0
        } else if digit <= 5.0 {
            5.0
        } else {
            10.0
        }
}

/// A number on an axis: `20`, `0.5`, `10k`, `2M`, `1e-5`.
pub(super) fn number(value: f64) -> String {
    let size = value.abs();
    let plain = |value: f64| {
        let text = format!("{value:.6}");
        text.trim_end_matches('0').trim_end_matches('.').to_string()
    };
    if size == 0.0 {
        "0".to_string()
    } else if !(1e-4..1e12).contains(&size) {
        format!("{value:e}")
    } else if size >= 1e9 {
        plain(value / 1e9) + "G"
    } else if size >= 1e6 {
        plain(value / 1e6) + "M"
    } else if size >= 1e4 {
        plain(value / 1e3) + "k"
    } else {
        plain(value)
    }
}
