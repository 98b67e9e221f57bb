//! Map files of every kind, and the rules of movement by name.

use crate::arrays::shown;
use crate::errors::{Failure, Outcome, read};
use pyo3::prelude::*;
use std::path::Path;
use waypost::formats::tiled::Blocking;
use waypost::formats::{self, Level, Reading};
use waypost::terrain::Footings;
use waypost::{Corners, CostPair, MoveRules};

/// Rules by the names of the command line.
pub fn rules(corners: &str, costs: &Bound<'_, PyAny>, moves: u32) -> PyResult<MoveRules> {
    let corners = match (moves, corners) {
        (4, "never" | "one" | "always") => Corners::NoDiagonals,
        (8, "never") => Corners::Never,
        (8, "one") => Corners::One,
        (8, "always") => Corners::Always,
        (4 | 8, _) => {
            let text = format!("corners is {corners:?}; give \"never\", \"one\" or \"always\"");
            return Err(Failure::Value(text).into());
        }
        _ => return Err(Failure::Value(format!("moves is {moves}; give 8 or 4")).into()),
    };
    let is_sqrt2 = costs.extract::<&str>().is_ok_and(|text| text == "sqrt2");
    let is_decimal = costs.extract::<f64>().is_ok_and(|number| number == 1.4)
        || costs.extract::<&str>().is_ok_and(|text| text == "1.4");
    let costs = match (is_sqrt2, is_decimal) {
        (true, _) => CostPair::Sqrt2,
        (_, true) => CostPair::OnePointFour,
        _ => {
            let text = format!("costs is {}; give \"sqrt2\" or 1.4", shown(costs));
            return Err(Failure::Value(text).into());
        }
    };
    Ok(MoveRules { corners, costs })
}

/// How images and Tiled maps become maps.
#[derive(Default)]
pub struct Files {
    /// PNG: pixels at least this bright are passable.
    pub threshold: Option<u8>,
    /// Tiled: every tile of this layer is a wall.
    pub blocked_layer: Option<String>,
    /// Tiled: tiles with this property are walls.
    pub blocked_property: Option<String>,
}

/// Reads a level; the kind of the file is seen from its contents.
pub fn level(path: &Path, files: &Files, reading: &Reading) -> Outcome<Level> {
    let bytes = read(path)?;
    let named = |error: &dyn std::fmt::Display| Failure::of_file(path, error);
    let has = |extension: &str| {
        path.extension()
            .is_some_and(|e| e.eq_ignore_ascii_case(extension))
    };
    let is_png = bytes.starts_with(b"\x89PNG") || has("png");
    let first = bytes.trim_ascii_start().first();
    let is_tiled = matches!(first, Some(b'<' | b'{')) || has("tmx") || has("tmj");
    if bytes.starts_with(b"waypost-graph") {
        return Err(named(&"this is a graph; expected a map"));
    }
    if files.threshold.is_some() && !is_png {
        return Err(named(&"threshold= is for PNG images"));
    }
    if (files.blocked_layer.is_some() || files.blocked_property.is_some()) && !is_tiled {
        return Err(named(
            &"blocked_layer= and blocked_property= are for Tiled maps",
        ));
    }
    if !reading.door_letters.is_empty() && (is_png || is_tiled) {
        return Err(named(
            &"doors= as letters is for .map files; give a boolean array, or in Tiled the property `door`",
        ));
    }
    if is_png {
        let threshold = files.threshold.unwrap_or(formats::png::DEFAULT_THRESHOLD);
        let level = formats::png::parse_level(&bytes, threshold, &reading.footings);
        return level.map_err(|error| named(&error));
    }
    if is_tiled {
        return tiled(path, &bytes, files, reading);
    }
    // Letters are kept as classes of ground for unit types to name, where there are any.
    let named_plain = Reading {
        footings: Footings::parse(".=1").map_err(Failure::value)?,
        door_letters: reading.door_letters.clone(),
    };
    let reading = match reading.footings.is_empty() && has_letters(&bytes) {
        true => &named_plain,
        false => reading,
    };
    formats::map::parse_level(&bytes, reading).map_err(|error| named(&error))
}

/// Has a `.map` file letters beyond plain ground and walls?
fn has_letters(bytes: &[u8]) -> bool {
    let body = bytes
        .windows(5)
        .position(|word| word == b"\nmap\n" || word == b"\nmap\r");
    body.is_some_and(|body| bytes[body + 5..].iter().any(|byte| b"GSWTO".contains(byte)))
}

/// Tilesets in files of their own lie where the map says, seen from the map.
fn tiled(path: &Path, bytes: &[u8], files: &Files, reading: &Reading) -> Outcome<Level> {
    let blocking = match (&files.blocked_layer, &files.blocked_property) {
        (Some(layer), _) => Blocking::Layer(layer.clone()),
        (None, Some(property)) => Blocking::Property(property.clone()),
        (None, None) => Blocking::Auto,
    };
    let folder = path.parent().unwrap_or(Path::new(""));
    let mut unreadable = None;
    let mut tileset = |name: &str| {
        let file = folder.join(name);
        let bytes = file.exists().then(|| read(&file))?;
        bytes.map_err(|error| unreadable = Some(error)).ok()
    };
    let level = formats::tiled::parse_level(bytes, &blocking, reading, &mut tileset);
    // One that is not there may not matter; one that may not be read does.
    match unreadable {
        Some(error) => Err(error),
        None => level.map_err(|error| Failure::of_file(path, error)),
    }
}
