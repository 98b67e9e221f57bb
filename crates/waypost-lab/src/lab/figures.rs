//! The figures of a paper, drawn from records.

use super::compare::{DEFAULT, Reading, Results};
use super::families::Family;
use super::measures::Aggregate;
use super::published::{Axis, Figure, FigureKind, Published, Series as SeriesText};
use super::run::Ground;
use super::sample::{MapSample, Sample};
use super::trial::Measured;
use crate::plot::{Axis as PlotAxis, COLOURS, Join, Plot, Point, Series};
use crate::refinement::percentile;
use std::collections::BTreeMap;

/// The number of the front's colour: none of a family.
const FRONT_STYLE: usize = 7;

/// Buckets with fewer problems are not drawn: a percentile of a handful says nothing.
const FEWEST_IN_BUCKET: usize = 3;

/// Draws a figure.
pub fn plot(figure: &Figure, results: &Results, published: &Published) -> Plot {
    let series = match figure.kind {
        FigureKind::Points if figure.series.is_empty() => all_points(figure, results),
        FigureKind::Points => point_series(figure, results, published),
        FigureKind::Curves => curves(figure, results),
        FigureKind::Maps => maps(figure, results),
    };
    let mut plot = Plot {
        x: axis(&figure.x),
        y: axis(&figure.y),
        series,
    };
    let first_style = plot.series.iter().map(|s| s.style + 1).max().unwrap_or(0);
    for (i, marks) in figure.marks.iter().enumerate() {
        plot.series.push(Series {
            name: marks.name.clone(),
            points: marks.points.iter().map(|&[x, y]| point(x, y)).collect(),
            style: first_style + i,
            hollow: true,
            join: Join::Nothing,
        });
    }
    plot
}

fn axis(text: &Axis) -> PlotAxis {
    PlotAxis {
        label: text.label.clone(),
        log: text.log,
    }
}

fn point(x: f64, y: f64) -> Point {
    Point {
        x,
        y,
        ..Point::default()
    }
}

/// What both axes show of an algorithm, by `value`; its label says where an axis shows a lower bound.
fn place(
    figure: &Figure,
    label: &str,
    value: impl Fn(Aggregate) -> Option<Reading>,
) -> Option<Point> {
    let (x, y) = (value(figure.x.measure?)?, value(figure.y.measure?)?);
    let mark = if x.lower_bound || y.lower_bound {
        " (≥)"
    } else {
        ""
    };
    Some(Point {
        label: format!("{label}{mark}"),
        ..point(x.value, y.value)
    })
}

/// Every algorithm with its name beside it, in the colour of its family; hollow marks are not on the front.
fn all_points(figure: &Figure, results: &Results) -> Vec<Series> {
    let names = results.algorithms();
    let measures: Vec<Aggregate> = [figure.x.measure, figure.y.measure]
        .into_iter()
        .flatten()
        .collect();
    let front = results.front(&names, &measures);
    let points: Vec<(Family, bool, Point)> = names
        .iter()
        .zip(front)
        .filter_map(|(name, on_front)| {
            let value = |measure| results.value(name, measure, None, 0.0);
            let mut point = place(figure, name, value)?;
            let spec = results.spec_of(name);
            point.strong = spec == DEFAULT;
            Some((Family::of(spec), on_front, point))
        })
        .collect();
    let mut all = Vec::new();
    if figure.front {
        let best = points.iter().filter(|(_, on_front, _)| *on_front);
        let mut best: Vec<Point> = best.map(|(_, _, point)| point.clone()).collect();
        best.sort_by(|a, b| a.x.total_cmp(&b.x));
        all.push(Series {
            name: "front (filled marks)".to_string(),
            points: stairs(&best),
            style: FRONT_STYLE,
            join: Join::Bare,
            ..Series::default()
        });
    }
    for (style, family) in Family::ALL.into_iter().enumerate() {
        let of = |wanted: bool| -> Vec<Point> {
            let members = points
                .iter()
                .filter(|(f, on, _)| *f == family && *on == wanted);
            members.map(|(_, _, point)| point.clone()).collect()
        };
        let mut name = family.name().to_string();
        for (points, hollow) in [(of(true), false), (of(false), true)] {
            if !points.is_empty() {
                all.push(Series {
                    name: std::mem::take(&mut name),
                    points,
                    style,
                    hollow,
                    join: Join::Nothing,
                });
            }
        }
    }
    all
}

/// The corner points between the points of a front, from left to right.
fn stairs(front: &[Point]) -> Vec<Point> {
    let mut corners = Vec::new();
    for (i, p) in front.iter().enumerate() {
        if i > 0 {
            corners.push(point(p.x, front[i - 1].y));
        }
        corners.push(point(p.x, p.y));
    }
    corners
}

/// The algorithms of each series, and the paper's points for them.
fn point_series(figure: &Figure, results: &Results, published: &Published) -> Vec<Series> {
    let mut all = Vec::new();
    let styles = styles(published);
    for (number, text) in figure.series.iter().enumerate() {
        let style = styles.get(text.name.as_str()).copied().unwrap_or(number);
        let points = |value: &dyn Fn(&str, Aggregate) -> Option<Reading>| -> Vec<Point> {
            let places = text
                .algorithms
                .iter()
                .filter_map(|name| place(figure, parameter(name), |measure| value(name, measure)));
            places.collect()
        };
        let ours = points(&|name, measure| results.value(name, measure, None, 0.0));
        let mut paper = points(&|name, measure| published.value(name, measure).map(Reading::exact));
        paper.iter_mut().for_each(|point| point.label.clear());
        let join = |points: &[Point], join| {
            if points.len() > 1 {
                join
            } else {
                Join::Nothing
            }
        };
        if !paper.is_empty() {
            all.push(Series {
                name: format!("{}, paper", text.name),
                style,
                hollow: true,
                join: join(&paper, Join::Dashes),
                points: paper,
            });
        }
        all.push(Series {
            name: text.name.clone(),
            style,
            hollow: false,
            join: join(&ours, Join::Line),
            points: ours,
        });
    }
    all
}

/// A method has one colour in all figures of a paper; none is fixed where there are more methods than colours.
fn styles(published: &Published) -> BTreeMap<&str, usize> {
    let mut styles = BTreeMap::new();
    let points = published.figures.iter();
    let points = points.filter(|figure| figure.kind == FigureKind::Points);
    for series in points.flat_map(|figure| &figure.series) {
        let next = styles.len();
        styles.entry(series.name.as_str()).or_insert(next);
    }
    if styles.len() > COLOURS.len() {
        styles.clear();
    }
    styles
}

/// What stands in parentheses, or the whole name.
fn parameter(name: &str) -> &str {
    name.split_once('(')
        .and_then(|(_, rest)| rest.split_once(')'))
        .map_or(name, |(inside, _)| inside)
}

/// Problems in buckets of optimal length.
fn curves(figure: &Figure, results: &Results) -> Vec<Series> {
    let mut all = Vec::new();
    for (style, text) in figure.series.iter().enumerate() {
        let mut buckets: BTreeMap<u64, Vec<f64>> = BTreeMap::new();
        for ground in results.grounds() {
            collect(text, figure.bucket, ground, results, &mut buckets);
        }
        let names = text.algorithm.iter().chain(&text.over);
        let given_up: usize = names.map(|name| results.sample(name, 0.0).given_up()).sum();
        let points = buckets
            .into_iter()
            .filter(|(_, values)| values.len() >= FEWEST_IN_BUCKET)
            .map(|(bucket, values)| {
                let middle = (bucket as f64 + 0.5) * figure.bucket;
                point(middle, summary(values, text.percentile) * text.scale)
            });
        all.push(Series {
            name: match given_up {
                0 => text.name.clone(),
                walks => format!("{} ({walks} walks given up)", text.name),
            },
            points: points.collect(),
            style,
            hollow: false,
            join: Join::Line,
        });
    }
    all
}

fn collect<'a>(
    text: &SeriesText,
    width: f64,
    ground: &'a Ground,
    results: &Results<'a>,
    buckets: &mut BTreeMap<u64, Vec<f64>>,
) {
    let measured = |name: &Option<String>| -> Option<&'a Measured> {
        results.on_map(ground, name.as_deref()?)
    };
    let (Some(of), Some(left)) = (text.of, measured(&text.algorithm)) else {
        return;
    };
    let right = measured(&text.over);
    for (i, problem) in left.problems.iter().enumerate() {
        let value = match (&text.over, right) {
            (None, _) => of.of(problem),
            (Some(_), Some(right)) => right
                .problems
                .get(i % right.problems.len().max(1))
                .and_then(|other| Some(of.of(problem)? / of.of(other)?)),
            (Some(_), None) => None,
        };
        if let Some(value) = value.filter(|value| value.is_finite()) {
            let bucket = (problem.optimal / width) as u64;
            buckets.entry(bucket).or_default().push(value);
        }
    }
}

fn summary(values: Vec<f64>, percent: Option<f64>) -> f64 {
    match percent {
        Some(percent) => percentile(values, percent),
        None => values.iter().sum::<f64>() / values.len() as f64,
    }
}

/// A point for each map.
fn maps(figure: &Figure, results: &Results) -> Vec<Series> {
    let mut all = Vec::new();
    for (style, text) in figure.series.iter().enumerate() {
        let mut points: Vec<Point> = results
            .grounds()
            .iter()
            .filter_map(|ground| map_point(figure, text, ground, results))
            .collect();
        points.sort_by(|a, b| a.x.total_cmp(&b.x));
        all.push(Series {
            name: text.name.clone(),
            points,
            style,
            hollow: false,
            join: Join::Nothing,
        });
    }
    all
}

fn map_point(
    figure: &Figure,
    text: &SeriesText,
    ground: &Ground,
    results: &Results,
) -> Option<Point> {
    let cells = ground.map.grid().passable_count();
    let measured = results.on_map(ground, text.algorithm.as_deref()?)?;
    let sample = Sample {
        maps: vec![MapSample::new(cells, measured, 0.0)],
    };
    let x = match figure.x.measure {
        None => cells as f64,
        Some(measure) => measure.of(&sample, None)?,
    };
    Some(point(x, text.measure?.of(&sample, None)? * text.scale))
}
