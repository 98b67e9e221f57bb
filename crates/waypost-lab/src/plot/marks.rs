//! Lines and marks of series.

use super::geometry::Spot;
use super::labels::Mark;
use super::scale::Scale;
use super::{COLOURS, Join, Point, Series};
use std::fmt::Write;

pub(super) fn push(svg: &mut String, line: std::fmt::Arguments) {
    // Writing to a string cannot fail.
    let _ = writeln!(svg, "{line}");
}

pub(super) fn dash(join: Join) -> &'static str {
    match join {
        Join::Dashes => " stroke-dasharray=\"5 4\"",
        _ => "",
    }
}

pub(super) fn draw_line(svg: &mut String, series: &Series, x: &Scale, y: &Scale) {
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

/// A mark with its series and how large it is drawn.
pub(super) struct Sized<'a> {
    spot: Spot,
    pub series: &'a Series,
    pub point: &'a Point,
    size: f64,
    /// Whether it lies on another one.
    on_top: bool,
}

impl Sized<'_> {
    /// As labels see it.
    pub fn as_mark(&self) -> Mark {
        Mark {
            spot: self.spot,
            radius: REACH * self.size,
        }
    }
}

/// The marks of all series in the order in which they are drawn, the later on top. Where marks fall together each that is covered is
/// larger than the one on top of it, so that all of them are seen; those that a plot is about are large, and lie below.
pub(super) fn sized_marks<'a>(all: &'a [Series], x: &Scale, y: &Scale) -> Vec<Sized<'a>> {
    let mut marks = Vec::new();
    for series in all.iter().filter(|series| series.join != Join::Bare) {
        for point in &series.points {
            if let (Some(px), Some(py)) = (x.place_of(point.x), y.place_of(point.y)) {
                marks.push(((px, py), series, point));
            }
        }
    }
    marks.sort_by_key(|(_, _, point)| !point.strong);
    let sized = |(i, &(spot, series, point)): (usize, &(Spot, &'a Series, &'a Point))| {
        let falls_here = |at: Spot| (at.0 - spot.0).hypot(at.1 - spot.1) < TOGETHER;
        let above = marks[i + 1..].iter().filter(|(at, _, _)| falls_here(*at));
        let covered = above.count().min(MOST_NESTED) as f64 * STEP;
        Sized {
            spot,
            series,
            point,
            size: if point.strong { 1.7 } else { 1.0 } + covered,
            on_top: marks[..i].iter().any(|(at, _, _)| falls_here(*at)),
        }
    };
    marks.iter().enumerate().map(sized).collect()
}

pub(super) fn draw_marks(svg: &mut String, marks: &[Sized]) {
    for one in marks {
        if one.on_top {
            rim(svg, one.spot, one.series, one.size);
        }
        mark(svg, one.spot, one.series, one.size);
    }
}

/// How far a mark of size 1 reaches, whatever its shape.
const REACH: f64 = 5.0;
/// Marks that are nearer than this cover each other.
const TOGETHER: f64 = 2.0;
/// How much larger a mark is than the one on top of it, and how often.
const STEP: f64 = 0.6;
const MOST_NESTED: usize = 4;

/// Circles, squares, triangles, diamonds, triangles on their heads, bars.
pub(super) fn mark(svg: &mut String, spot: Spot, series: &Series, size: f64) {
    let colour = COLOURS[series.style % COLOURS.len()];
    let fill = if series.hollow { "#fff" } else { colour };
    let paint = format!("fill=\"{fill}\" stroke=\"{colour}\" stroke-width=\"1.5\"");
    draw(svg, spot, series, size, &paint);
}

/// White round a mark that lies on another one.
fn rim(svg: &mut String, spot: Spot, series: &Series, size: f64) {
    let paint = "fill=\"#fff\" stroke=\"#fff\" stroke-width=\"3.5\"";
    draw(svg, spot, series, size, paint);
}

fn draw(svg: &mut String, (x, y): Spot, series: &Series, size: f64, paint: &str) {
    let shape = |corners: &[(f64, f64)]| {
        let places: Vec<String> = corners
            .iter()
            .map(|(dx, dy)| format!("{:.1},{:.1}", x + dx * size, y + dy * size))
            .collect();
        format!("<polygon points=\"{}\" {paint}/>", places.join(" "))
    };
    let drawn = match series.style % 6 {
        0 => format!(
            "<circle cx=\"{x:.1}\" cy=\"{y:.1}\" r=\"{:.1}\" {paint}/>",
            4.2 * size
        ),
        1 => shape(&[(-4.0, -4.0), (4.0, -4.0), (4.0, 4.0), (-4.0, 4.0)]),
        2 => shape(&[(-4.8, 4.0), (4.8, 4.0), (0.0, -4.8)]),
        3 => shape(&[(0.0, -5.4), (5.4, 0.0), (0.0, 5.4), (-5.4, 0.0)]),
        4 => shape(&[(-4.8, -4.0), (4.8, -4.0), (0.0, 4.8)]),
        _ => shape(&[(-6.0, -2.6), (6.0, -2.6), (6.0, 2.6), (-6.0, 2.6)]),
    };
    push(svg, format_args!("{drawn}"));
}
