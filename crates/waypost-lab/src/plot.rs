//! Plots as SVG texts: points and lines on linear or logarithmic axes, a legend beside the plot, labels that keep clear of
//! each other. Text is not measured: widths are estimated from the number of letters, so no font is needed.
//!
//! On a logarithmic axis zero has a place of its own at the lower end, marked `0`, below a gap.

use std::fmt::Write;

const WIDTH: f64 = 860.0;
const LEFT: f64 = 84.0;
const RIGHT: f64 = 620.0;
const TOP: f64 = 18.0;
const BOTTOM: f64 = 398.0;
const HEIGHT: f64 = 456.0;
const LEGEND: f64 = RIGHT + 22.0;
const LETTER: f64 = 6.4;
const LABEL_HEIGHT: f64 = 12.0;

/// Colours that people with any kind of colour vision tell apart.
const COLOURS: [&str; 8] = [
    "#0072b2", "#d55e00", "#009e73", "#b2458b", "#c78a00", "#3f9fd8", "#222222", "#7a6f5d",
];

/// An axis.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Axis {
    /// What it shows, with the unit.
    pub label: String,
    /// Logarithmic?
    pub log: bool,
}

/// A point.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Point {
    /// To the right.
    pub x: f64,
    /// Upwards.
    pub y: f64,
    /// Written beside it; may be empty.
    pub label: String,
}

/// How the points of a series are joined.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Join {
    /// Not at all.
    #[default]
    Nothing,
    /// By a line.
    Line,
    /// By dashes.
    Dashes,
    /// By a line without marks at the points.
    Bare,
}

/// Points that belong together.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Series {
    /// The name in the legend; none where it is empty.
    pub name: String,
    /// Its points.
    pub points: Vec<Point>,
    /// The number of its colour and of its mark.
    pub style: usize,
    /// Are the marks hollow?
    pub hollow: bool,
    /// How points are joined.
    pub join: Join,
}

/// A plot.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Plot {
    /// The horizontal axis.
    pub x: Axis,
    /// The vertical axis.
    pub y: Axis,
    /// What is drawn, the later on top.
    pub series: Vec<Series>,
}

impl Plot {
    /// Is there nothing to draw?
    pub fn is_empty(&self) -> bool {
        self.series.iter().all(|series| series.points.is_empty())
    }

    /// The picture. `alt` describes it for those who cannot see it.
    pub fn to_svg(&self, alt: &str) -> String {
        let points = || self.series.iter().flat_map(|series| &series.points);
        let x = Scale::of(points().map(|p| p.x), self.x.log, LEFT, RIGHT);
        let y = Scale::of(points().map(|p| p.y), self.y.log, BOTTOM, TOP);
        let legend_rows = self.series.iter().filter(|s| !s.name.is_empty()).count();
        let height = HEIGHT.max(TOP + legend_rows as f64 * 20.0 + 24.0);
        let mut svg = format!(
            "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 {WIDTH} {height}\" width=\"{WIDTH}\" height=\"{height}\" \
             font-family=\"Helvetica, Arial, sans-serif\" font-size=\"12\" fill=\"#222\" role=\"img\">\n\
             <title>{}</title>\n<rect width=\"{WIDTH}\" height=\"{height}\" fill=\"#fff\"/>\n",
            escape(alt)
        );
        self.draw_axes(&mut svg, &x, &y);
        for series in &self.series {
            draw_line(&mut svg, series, &x, &y);
        }
        for series in &self.series {
            draw_marks(&mut svg, series, &x, &y);
        }
        self.draw_labels(&mut svg, &x, &y);
        self.draw_legend(&mut svg);
        svg.push_str("</svg>\n");
        svg
    }

    fn draw_axes(&self, svg: &mut String, x: &Scale, y: &Scale) {
        for tick in y.ticks() {
            let at = y.place(tick.value);
            let shade = if tick.text.is_empty() {
                "#f1f1f1"
            } else {
                "#ddd"
            };
            push(
                svg,
                format_args!(
                    "<line x1=\"{LEFT}\" x2=\"{RIGHT}\" y1=\"{at:.1}\" y2=\"{at:.1}\" stroke=\"{shade}\"/>"
                ),
            );
            push(
                svg,
                format_args!(
                    "<text x=\"{:.1}\" y=\"{:.1}\" text-anchor=\"end\">{}</text>",
                    LEFT - 8.0,
                    at + 4.0,
                    escape(&tick.text)
                ),
            );
        }
        for tick in x.ticks() {
            let at = x.place(tick.value);
            let shade = if tick.text.is_empty() {
                "#f1f1f1"
            } else {
                "#ddd"
            };
            push(
                svg,
                format_args!(
                    "<line y1=\"{TOP}\" y2=\"{BOTTOM}\" x1=\"{at:.1}\" x2=\"{at:.1}\" stroke=\"{shade}\"/>"
                ),
            );
            push(
                svg,
                format_args!(
                    "<text x=\"{at:.1}\" y=\"{:.1}\" text-anchor=\"middle\">{}</text>",
                    BOTTOM + 18.0,
                    escape(&tick.text)
                ),
            );
        }
        push(
            svg,
            format_args!(
                "<rect x=\"{LEFT}\" y=\"{TOP}\" width=\"{}\" height=\"{}\" fill=\"none\" stroke=\"#444\"/>",
                RIGHT - LEFT,
                BOTTOM - TOP
            ),
        );
        push(
            svg,
            format_args!(
                "<text x=\"{}\" y=\"{}\" text-anchor=\"middle\" font-size=\"13\">{}</text>",
                (LEFT + RIGHT) / 2.0,
                BOTTOM + 42.0,
                escape(&self.x.label)
            ),
        );
        let middle = (TOP + BOTTOM) / 2.0;
        push(
            svg,
            format_args!(
                "<text transform=\"translate(18 {middle}) rotate(-90)\" text-anchor=\"middle\" font-size=\"13\">{}</text>",
                escape(&self.y.label)
            ),
        );
    }

    /// Each label goes to the first place around its point where it covers neither points nor other labels.
    fn draw_labels(&self, svg: &mut String, x: &Scale, y: &Scale) {
        let places = || {
            self.series
                .iter()
                .flat_map(|series| &series.points)
                .filter_map(|p| Some((x.place_of(p.x)?, y.place_of(p.y)?, p.label.as_str())))
        };
        let mut taken: Vec<Box4> = places()
            .map(|(px, py, _)| Box4::around(px, py, 6.0, 6.0))
            .collect();
        for (px, py, label) in places().filter(|(_, _, label)| !label.is_empty()) {
            let width = label.chars().count() as f64 * LETTER;
            let fits = |b: &Box4| b.inside() && taken.iter().all(|other| !other.touches(b));
            let Some((spot, far)) = spots(px, py, width).find(|(spot, _)| fits(spot)) else {
                continue;
            };
            if far {
                push(
                    svg,
                    format_args!(
                        "<line x1=\"{px:.1}\" y1=\"{py:.1}\" x2=\"{:.1}\" y2=\"{:.1}\" stroke=\"#999\" stroke-width=\"0.7\"/>",
                        px.clamp(spot.left, spot.right),
                        py.clamp(spot.top, spot.bottom)
                    ),
                );
            }
            push(
                svg,
                format_args!(
                    "<text x=\"{:.1}\" y=\"{:.1}\" font-size=\"11\" text-anchor=\"middle\" paint-order=\"stroke\" stroke=\"#fff\" \
                 stroke-width=\"2.5\">{}</text>",
                    (spot.left + spot.right) / 2.0,
                    spot.bottom - 2.5,
                    escape(label)
                ),
            );
            taken.push(spot);
        }
    }

    fn draw_legend(&self, svg: &mut String) {
        let mut at = TOP + 8.0;
        for series in self.series.iter().filter(|series| !series.name.is_empty()) {
            let colour = COLOURS[series.style % COLOURS.len()];
            if series.join != Join::Nothing {
                let dashes = dash(series.join);
                push(
                    svg,
                    format_args!(
                        "<line x1=\"{LEGEND}\" x2=\"{}\" y1=\"{at}\" y2=\"{at}\" stroke=\"{colour}\" stroke-width=\"1.6\"{dashes}/>",
                        LEGEND + 26.0
                    ),
                );
            }
            if series.join != Join::Bare {
                mark(svg, LEGEND + 13.0, at, series);
            }
            push(
                svg,
                format_args!(
                    "<text x=\"{}\" y=\"{}\">{}</text>",
                    LEGEND + 34.0,
                    at + 4.0,
                    escape(&series.name)
                ),
            );
            at += 20.0;
        }
    }
}

fn push(svg: &mut String, line: std::fmt::Arguments) {
    // Writing to a string cannot fail.
    let _ = writeln!(svg, "{line}");
}

fn dash(join: Join) -> &'static str {
    match join {
        Join::Dashes => " stroke-dasharray=\"5 4\"",
        _ => "",
    }
}

fn draw_line(svg: &mut String, series: &Series, x: &Scale, y: &Scale) {
    if series.join == Join::Nothing {
        return;
    }
    let places: Vec<String> = series
        .points
        .iter()
        .filter_map(|p| Some(format!("{:.1},{:.1}", x.place_of(p.x)?, y.place_of(p.y)?)))
        .collect();
    push(
        svg,
        format_args!(
            "<polyline points=\"{}\" fill=\"none\" stroke=\"{}\" stroke-width=\"1.6\"{}/>",
            places.join(" "),
            COLOURS[series.style % COLOURS.len()],
            dash(series.join)
        ),
    );
}

fn draw_marks(svg: &mut String, series: &Series, x: &Scale, y: &Scale) {
    if series.join == Join::Bare {
        return;
    }
    for point in &series.points {
        if let (Some(px), Some(py)) = (x.place_of(point.x), y.place_of(point.y)) {
            mark(svg, px, py, series);
        }
    }
}

/// Circles, squares, triangles, diamonds, triangles on their heads.
fn mark(svg: &mut String, x: f64, y: f64, series: &Series) {
    let colour = COLOURS[series.style % COLOURS.len()];
    let fill = if series.hollow { "#fff" } else { colour };
    let paint = format!("fill=\"{fill}\" stroke=\"{colour}\" stroke-width=\"1.5\"");
    let shape = |corners: &[(f64, f64)]| {
        let places: Vec<String> = corners
            .iter()
            .map(|(dx, dy)| format!("{:.1},{:.1}", x + dx, y + dy))
            .collect();
        format!("<polygon points=\"{}\" {paint}/>", places.join(" "))
    };
    let drawn = match series.style % 5 {
        0 => format!("<circle cx=\"{x:.1}\" cy=\"{y:.1}\" r=\"4.2\" {paint}/>"),
        1 => shape(&[(-4.0, -4.0), (4.0, -4.0), (4.0, 4.0), (-4.0, 4.0)]),
        2 => shape(&[(-4.8, 4.0), (4.8, 4.0), (0.0, -4.8)]),
        3 => shape(&[(0.0, -5.4), (5.4, 0.0), (0.0, 5.4), (-5.4, 0.0)]),
        _ => shape(&[(-4.8, -4.0), (4.8, -4.0), (0.0, 4.8)]),
    };
    push(svg, format_args!("{drawn}"));
}

/// A rectangle in the picture.
#[derive(Clone, Copy)]
struct Box4 {
    left: f64,
    top: f64,
    right: f64,
    bottom: f64,
}

impl Box4 {
    fn around(x: f64, y: f64, half_width: f64, half_height: f64) -> Box4 {
        Box4 {
            left: x - half_width,
            right: x + half_width,
            top: y - half_height,
            bottom: y + half_height,
        }
    }

    fn touches(&self, other: &Box4) -> bool {
        self.left < other.right
            && other.left < self.right
            && self.top < other.bottom
            && other.top < self.bottom
    }

    fn inside(&self) -> bool {
        self.left >= LEFT && self.right <= RIGHT && self.top >= TOP && self.bottom <= BOTTOM
    }
}

/// Places for a label, the nearest first, and whether a line must show where it belongs.
fn spots(x: f64, y: f64, width: f64) -> impl Iterator<Item = (Box4, bool)> {
    let rings = [0.0, 12.0, 26.0, 42.0, 60.0, 84.0, 110.0];
    rings.into_iter().flat_map(move |out| {
        let (dx, dy) = (width / 2.0 + 8.0 + out, LABEL_HEIGHT / 2.0 + 8.0 + out);
        let flat = LABEL_HEIGHT / 2.0;
        [
            (dx, 0.0),
            (-dx, 0.0),
            (0.0, -dy),
            (0.0, dy),
            (dx, -dy),
            (dx, dy),
            (-dx, -dy),
            (-dx, dy),
        ]
        .map(move |(dx, dy)| (Box4::around(x + dx, y + dy, width / 2.0, flat), out > 0.0))
    })
}

/// Where values stand on an axis.
struct Scale {
    log: bool,
    low: f64,
    high: f64,
    /// Where `low` and `high` stand.
    from: f64,
    to: f64,
    /// Where zero stands on a logarithmic axis that has to show one.
    zero: Option<f64>,
}

struct Tick {
    value: f64,
    text: String,
}

/// The part of a logarithmic axis that is left free between zero and the rest.
const ZERO_GAP: f64 = 0.08;

impl Scale {
    fn of(values: impl Iterator<Item = f64>, log: bool, from: f64, to: f64) -> Scale {
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

    fn place(&self, value: f64) -> f64 {
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

    fn place_of(&self, value: f64) -> Option<f64> {
        value.is_finite().then(|| self.place(value))
    }

    fn ticks(&self) -> Vec<Tick> {
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

    fn linear_ticks(&self) -> Vec<Tick> {
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
    fn log_ticks(&self) -> Vec<Tick> {
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

fn padded(low: f64, high: f64) -> (f64, f64) {
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

fn padded_log(low: f64, high: f64) -> (f64, f64) {
    let high = if high > low * 1.5 { high } else { low * 1.5 };
    let pad = (high / low).powf(0.06);
    (low / pad, high * pad)
}

/// A step of 1, 2 or 5 times a power of ten.
fn nice(step: f64) -> f64 {
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
fn number(value: f64) -> String {
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

/// A text within SVG or HTML.
pub fn escape(text: &str) -> String {
    let mut escaped = String::with_capacity(text.len());
    for letter in text.chars() {
        match letter {
            '&' => escaped.push_str("&amp;"),
            '<' => escaped.push_str("&lt;"),
            '>' => escaped.push_str("&gt;"),
            '"' => escaped.push_str("&quot;"),
            other => escaped.push(other),
        }
    }
    escaped
}

#[cfg(test)]
mod tests {
    use super::*;

    fn plot(values: &[(f64, f64)], log: bool) -> Plot {
        let axis = |label: &str| Axis {
            label: label.to_string(),
            log,
        };
        let points = values.iter().map(|&(x, y)| Point {
            x,
            y,
            label: format!("{x}"),
        });
        Plot {
            x: axis("moves < 3"),
            y: axis("time (µs)"),
            series: vec![Series {
                name: "a & b".to_string(),
                points: points.collect(),
                ..Series::default()
            }],
        }
    }

    #[test]
    fn points_stand_where_axes_say() {
        let scale = Scale::of([1.0, 100.0].into_iter(), true, 0.0, 100.0);
        let (low, middle, high) = (scale.place(1.0), scale.place(10.0), scale.place(100.0));
        assert!((middle - (low + high) / 2.0).abs() < 1e-9);
        assert!(low > 0.0 && high < 100.0);
        let scale = Scale::of([0.0, 1.0, 100.0].into_iter(), true, 0.0, 100.0);
        assert!(scale.place(0.0) < scale.place(1.0));
        let scale = Scale::of([0.0, 50.0].into_iter(), false, 0.0, 100.0);
        assert_eq!(scale.place(0.0), 0.0);
    }

    #[test]
    fn strange_values_make_a_picture_too() {
        for values in [
            &[][..],
            &[(0.0, 0.0)],
            &[(5.0, 5.0), (5.0, 5.0)],
            &[(f64::NAN, 1.0), (f64::INFINITY, 2.0), (3.0, -4.0)],
            &[(1e-9, 1e15), (1e9, 1e-15)],
        ] {
            for log in [false, true] {
                let svg = plot(values, log).to_svg("a \"plot\"");
                assert!(svg.contains("moves &lt; 3") && svg.contains("a &amp; b"));
                assert!(!svg.contains("NaN") && !svg.contains("inf"), "{svg}");
            }
        }
    }

    #[test]
    fn numbers_on_axes_are_short() {
        let texts = [0.0, 20.0, 0.5, 10_000.0, 2e6, 1e-5, 0.25].map(number);
        assert_eq!(texts, ["0", "20", "0.5", "10k", "2M", "1e-5", "0.25"]);
    }

    #[test]
    fn labels_keep_clear_of_each_other() {
        let near: Vec<(f64, f64)> = (0..12).map(|i| (100.0 + f64::from(i), 50.0)).collect();
        let svg = plot(&near, false).to_svg("near");
        assert_eq!(svg.matches("paint-order").count(), 12);
    }
}
