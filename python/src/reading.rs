//! Map files of every kind, and the rules of movement by name.

use crate::arrays::shown;
use crate::errors::{Failure, Outcome, read};
use pyo3::prelude::*;
use std::path::Path;
use waypost::formats::tiled::Blocking;
use waypost::formats::{self, FileKind, Level, Reading};
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

/// How images and files of editors become maps.
#[derive(Default)]
pub struct Files {
    /// PNG: pixels at least this bright are passable.
    pub threshold: Option<u8>,
    /// Tiled: every tile of this layer is a wall; LDtk: the layer of integers.
    pub blocked_layer: Option<String>,
    /// Tiled: tiles with this property are walls.
    pub blocked_property: Option<String>,
    /// LDtk: the level of this name.
    pub level: Option<String>,
}

impl Files {
    /// What was said that is not for files of this kind.
    fn misplaced(&self, format: FileKind, reading: &Reading) -> Option<&'static str> {
        let is_editors = matches!(format, FileKind::Tiled | FileKind::Ldtk);
        if self.threshold.is_some() && format != FileKind::Png {
            Some("threshold= is for PNG images")
        } else if self.blocked_layer.is_some() && !is_editors {
            Some("blocked_layer= is for Tiled maps and LDtk projects")
        } else if self.blocked_property.is_some() && format != FileKind::Tiled {
            Some("blocked_property= is for Tiled maps")
        } else if self.level.is_some() && format != FileKind::Ldtk {
            Some("level= is for LDtk projects")
        } else if !reading.door_letters.is_empty() && format != FileKind::Letters {
            Some(
                "doors= as letters is for .map files; give a boolean array, or in Tiled the property `door`",
            )
        } else {
            None
        }
    }
}

/// Reads a level; the kind of the file is seen from its contents.
pub fn level(path: &Path, files: &Files, reading: &Reading) -> Outcome<Level> {
    let bytes = read(path)?;
    let named = |error: &dyn std::fmt::Display| Failure::of_file(path, error);
    let format = FileKind::of_file(path, &bytes);
    if let Some(text) = files.misplaced(format, reading) {
        return Err(named(&text));
    }
    match format {
        FileKind::Png => {
            let threshold = files.threshold.unwrap_or(formats::png::DEFAULT_THRESHOLD);
            let level = formats::png::parse_level(&bytes, threshold, &reading.footings);
            level.map_err(|error| named(&error))
        }
        FileKind::Tiled | FileKind::Ldtk => of_editor(format, path, &bytes, files, reading),
        FileKind::Graph => Err(named(&"this is a graph; expected a map")),
        FileKind::Letters => movingai(&bytes, reading)?.map_err(|error| named(&error)),
    }
}

/// Makes doors of the bright pixels of an image as large as the map.
pub fn door_mask(level: &mut Level, path: &Path) -> Outcome<()> {
    let mask = formats::png::parse(&read(path)?, formats::png::DEFAULT_THRESHOLD);
    let mask = mask.map_err(|error| Failure::of_file(path, error))?;
    match level.add_doors(&mask) {
        true => Ok(()),
        false => Err(Failure::Value(format!(
            "{} has {} x {} pixels and the map {} x {} cells; give a mask as large as the map",
            path.display(),
            mask.width(),
            mask.height(),
            level.grid.width(),
            level.grid.height()
        ))),
    }
}

/// Letters are kept as classes of ground for unit types to name, where there are any.
fn movingai(bytes: &[u8], reading: &Reading) -> Outcome<Result<Level, formats::MapError>> {
    let named_plain = Reading {
        footings: Footings::parse(".=1").map_err(Failure::value)?,
        door_letters: reading.door_letters.clone(),
    };
    let reading = match reading.footings.is_empty() && has_letters(bytes) {
        true => &named_plain,
        false => reading,
    };
    Ok(formats::map::parse_level(bytes, reading))
}

/// Has a `.map` file letters beyond plain ground and walls?
fn has_letters(bytes: &[u8]) -> bool {
    let body = bytes
        .windows(5)
        .position(|word| word == b"\nmap\n" || word == b"\nmap\r");
    body.is_some_and(|body| bytes[body + 5..].iter().any(|byte| b"GSWTO".contains(byte)))
}

/// Tilesets and levels in files of their own lie where the file says, seen from it.
fn of_editor(
    format: FileKind,
    path: &Path,
    bytes: &[u8],
    files: &Files,
    reading: &Reading,
) -> Outcome<Level> {
    let folder = path.parent().unwrap_or(Path::new(""));
    let mut unreadable = None;
    let mut beside = |name: &str| {
        let file = folder.join(name);
        let bytes = file.exists().then(|| read(&file))?;
        bytes.map_err(|error| unreadable = Some(error)).ok()
    };
    let level = match format {
        FileKind::Ldtk => {
            let choice = formats::ldtk::Choice {
                level: files.level.clone(),
                layer: files.blocked_layer.clone(),
                walls: Vec::new(),
            };
            let level = formats::ldtk::parse_level(bytes, &choice, reading, &mut beside);
            level.map_err(|error| Failure::of_file(path, error))
        }
        _ => {
            let blocking = match (&files.blocked_layer, &files.blocked_property) {
                (Some(layer), _) => Blocking::Layer(layer.clone()),
                (None, Some(property)) => Blocking::Property(property.clone()),
                (None, None) => Blocking::Auto,
            };
            let level = formats::tiled::parse_level(bytes, &blocking, reading, &mut beside);
            level.map_err(|error| Failure::of_file(path, error))
        }
    };
    // One that is not there may not matter; one that may not be read does.
    match unreadable {
        Some(error) => Err(error),
        None => level,
    }
}
