//! Plots as SVG texts: points and lines on linear or logarithmic axes, a legend beside the plot, labels that keep clear of
//! each other. Text is not measured: widths are estimated from the number of letters, so no font is needed.
//!
//! On a logarithmic axis zero has a place of its own at the lower end, marked `0`, below a gap; two slanted strokes show that the
//! axis is broken there.

mod geometry;
mod labels;
mod marks;
mod scale;

use geometry::text_width;
use labels::{Anchor, Placed, Room};
use marks::{Sized, dash, draw_line, draw_marks, mark, push, sized_marks};
use scale::Scale;

const WIDTH: f64 = 860.0;
const LEFT: f64 = 84.0;
const RIGHT: f64 = 620.0;
const TOP: f64 = 18.0;
const BOTTOM: f64 = 398.0;
const HEIGHT: f64 = 456.0;
const LEGEND: f64 = RIGHT + 22.0;
const LABEL_FONT: f64 = 11.0;
const LABEL_HEIGHT: f64 = 12.0;

/// Colours that people with any kind of colour vision tell apart.
pub(crate) const COLOURS: [&str; 8] = [
    "#0072b2", "#d55e00", "#009e73", "#b2458b", "#c78a00", "#3f9fd8", "#222222", "#7a6f5d",
];

/// The same, dark enough for small letters on white.
const INKS: [&str; 8] = [
    "#005a8e", "#a34700", "#00694c", "#8a2f6a", "#7d5600", "#1f6ca6", "#222222", "#5c5346",
];

/// An axis.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Axis {
    /// What it shows, with the unit.
    pub label: String,
    /// Whether it is logarithmic.
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
    /// Is this the point that the plot is about? Its mark is larger and its label bold.
    pub strong: bool,
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
    /// Whether the marks are hollow.
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
    /// Whether there is nothing to draw.
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
        x.draw_break(&mut svg, |at| (at, BOTTOM));
        y.draw_break(&mut svg, |at| (LEFT, at));
        for series in &self.series {
            draw_line(&mut svg, series, &x, &y);
        }
        let marks = sized_marks(&self.series, &x, &y);
        draw_marks(&mut svg, &marks);
        self.draw_labels(&mut svg, &marks, &x, &y);
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

    /// Each label goes where it covers neither points, nor other labels, nor lines between points or to labels, as near to its
    /// point as that allows, in the colour of its series. A line leads to it where it had to go away, or where another point is as near.
    fn draw_labels(&self, svg: &mut String, marks: &[Sized], x: &Scale, y: &Scale) {
        let place = |p: &Point| Some((x.place_of(p.x)?, y.place_of(p.y)?));
        let mut curves = Vec::new();
        for series in self.series.iter().filter(|s| s.join != Join::Nothing) {
            let spots: Vec<(f64, f64)> = series.points.iter().filter_map(place).collect();
            curves.extend(spots.windows(2).map(|pair| (pair[0], pair[1])));
        }
        let room = Room::around(marks.iter().map(Sized::as_mark), curves);
        let named = marks.iter().filter(|mark| !mark.point.label.is_empty());
        let ink = |mark: &Sized| INKS[mark.series.style % INKS.len()];
        let wanted: Vec<_> = named.map(|m| (m.as_mark(), m.point, ink(m))).collect();
        let sizes = wanted.iter().map(|(mark, point, _)| {
            let bold = if point.strong { 1.08 } else { 1.0 };
            (*mark, text_width(&point.label, LABEL_FONT * bold))
        });
        let placed = room.place(&sizes.collect::<Vec<_>>());
        // Lines first: no label is below a line.
        for ((_, _, ink), placed) in wanted.iter().zip(&placed) {
            let Some(((x1, y1), (x2, y2))) = placed.and_then(|placed| placed.line) else {
                continue;
            };
            push(
                svg,
                format_args!(
                    "<line class=\"leader\" x1=\"{x1:.1}\" y1=\"{y1:.1}\" x2=\"{x2:.1}\" y2=\"{y2:.1}\" stroke=\"{ink}\" stroke-width=\"0.8\"/>"
                ),
            );
        }
        for ((_, point, ink), placed) in wanted.iter().zip(&placed) {
            let Some(Placed { spot, anchor, .. }) = placed else {
                continue;
            };
            let weight = match point.strong {
                true => " font-weight=\"bold\"",
                false => "",
            };
            let (at, anchor) = match anchor {
                Anchor::Start => (spot.left, "start"),
                Anchor::Middle => ((spot.left + spot.right) / 2.0, "middle"),
                Anchor::End => (spot.right, "end"),
            };
            // White round the letters, then the letters: not every program knows `paint-order`.
            let around = " stroke=\"#fff\" stroke-width=\"2.5\" stroke-linejoin=\"round\" aria-hidden=\"true\"";
            let letters = format!(" fill=\"{ink}\"");
            for paint in [around, &letters] {
                push(
                    svg,
                    format_args!(
                        "<text x=\"{:.1}\" y=\"{:.1}\" font-size=\"{LABEL_FONT}\" text-anchor=\"{anchor}\"{paint}{weight}>{}</text>",
                        at,
                        spot.bottom - 2.5,
                        escape(&point.label)
                    ),
                );
            }
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
                mark(svg, (LEGEND + 13.0, at), series, 1.0);
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
mod tests;
