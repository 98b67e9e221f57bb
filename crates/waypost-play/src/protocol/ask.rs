//! What the page asks.

use super::VERSION;
use serde::Deserialize;
use waypost::Point;

/// The most bytes of a part of an upload.
pub const MAX_PART: usize = 256 << 10;
/// The most bytes of a frame from the page.
pub const MAX_FRAME: usize = MAX_PART + 1024;
/// The most points of a stroke in one frame.
pub const MAX_POINTS: usize = 4096;

/// A frame from the page.
#[derive(Debug)]
pub enum Frame {
    /// Something is asked for.
    Ask(Ask),
    /// A part of an upload.
    Part(Vec<u8>),
}

/// A place on the map: column and row.
pub type Place = [u32; 2];

/// A place as the engine names it.
pub fn point([x, y]: Place) -> Point {
    Point { x, y }
}

/// What a stroke leaves behind.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Paint {
    /// Walls.
    Wall,
    /// Floor, also where doors were.
    Floor,
    /// Doors, open at first.
    Door,
}

/// A layer of what indexes know.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum LayerName {
    /// The corners that paths bend at; those that a cell sees, and the hubs of their labels.
    Corners,
    /// Sectors, their regions, and the chain of regions from start to goal.
    Sectors,
    /// The record that kNN LRTA* chose, with its subgoals.
    Record,
    /// A level of the clique abstraction.
    Cliques,
    /// The first moves of the path database to the goal.
    FirstMoves,
}

/// What is made for the browser to save.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Export {
    /// The map as a `.map` file.
    Map,
    /// The map packed for a link.
    Link,
    /// The last search as a trace for Posthoc.
    Trace,
    /// The command, and the lines of Rust and Python, that do the same.
    Lines,
}

/// What the page asks for. The answers are in [`super::tell`].
#[derive(Debug, Deserialize)]
#[serde(
    tag = "ask",
    rename_all = "kebab-case",
    rename_all_fields = "kebab-case",
    deny_unknown_fields
)]
pub enum Ask {
    /// The map that the server was started with; without one, the first of the gallery.
    Given {},
    /// A map from a seed.
    Generate {
        /// Its kind, as `waypost gen` names it.
        kind: String,
        /// Cells from left to right.
        width: u32,
        /// Cells from top to bottom.
        height: u32,
        /// The seed.
        seed: u64,
        /// Whether roads, swamps, woods and water are strewn over it.
        terrain: bool,
    },
    /// A file of so many bytes follows.
    Upload {
        /// Its name, for people.
        name: String,
        /// Its bytes.
        bytes: u64,
        /// Whether it is a map packed for a link.
        #[serde(default)]
        packed: bool,
        /// What the letters of a `.map` file cost, as `--terrain` takes it; what the name says where this is empty.
        #[serde(default)]
        costs: String,
    },
    /// A tile of the map.
    Tile {
        /// Each pixel shows 2^zoom x 2^zoom cells.
        zoom: u8,
        /// Which tile of the row.
        x: u32,
        /// Which row of tiles.
        y: u32,
    },
    /// A part of a stroke: straight from point to point.
    Draw {
        /// Parts of one stroke are undone together.
        stroke: u32,
        /// What it leaves behind.
        paint: Paint,
        /// Cells on a side of the brush.
        brush: u32,
        /// The points.
        points: Vec<Place>,
    },
    /// Opens or closes the door at a place, and those joined to it; makes one where there is none.
    Door {
        /// As of a stroke.
        stroke: u32,
        /// Cells on a side of the brush that makes one.
        brush: u32,
        /// The place.
        at: Place,
    },
    /// Takes the last stroke back.
    Undo {
        /// Only where it is this one.
        #[serde(default)]
        stroke: Option<u32>,
    },
    /// Makes the stroke that was taken back again.
    Redo {},
    /// One search, on a map whose index is there (`ready`): before that it is not answered.
    Search {
        /// The page's number of it, given back with the answer.
        number: u32,
        /// Which of the two methods.
        slot: u8,
        /// The method with its keys.
        spec: String,
        /// The start.
        from: Place,
        /// The goal.
        goal: Place,
    },
    /// A crowd in the place of the one that is there; without units, none.
    Crowd {
        /// How many units.
        units: u32,
        /// The method with its keys.
        spec: String,
        /// Whether only one unit may stand in a cell.
        exclusive: bool,
        /// The seed of places and goals.
        seed: u64,
    },
    /// Sends units to a place.
    Send {
        /// The crowd that is meant.
        epoch: u32,
        /// Places of units in the frames; all where there are none.
        units: Vec<u16>,
        /// Where to.
        goal: Place,
    },
    /// Lets all units wander from goal to goal again.
    Wander {},
    /// How fast ticks follow each other.
    Pace {
        /// Whether they do.
        paused: bool,
        /// Ticks a second; 0 for as many as there can be.
        rate: u32,
    },
    /// One tick.
    Step {},
    /// Shows what a unit is going to walk.
    Follow {
        /// The crowd that is meant.
        epoch: u32,
        /// The place of the unit in the frames; none for nobody.
        unit: Option<u16>,
    },
    /// A layer.
    Layer {
        /// Which.
        layer: LayerName,
        /// The cell that it is about.
        at: Place,
        /// The goal that it is about.
        goal: Place,
        /// Of the clique abstraction.
        level: u32,
        /// What can be seen: a corner of it, columns and rows.
        window: [u32; 4],
    },
    /// No layer is looked at any more: what is being built for one is given up.
    NoLayer {},
    /// Something to save.
    Export {
        /// What.
        what: Export,
    },
}

/// Reads a frame, or says what is wrong with it.
pub fn read(bytes: &[u8]) -> Result<Frame, String> {
    let (&[version, kind], body) = bytes
        .split_first_chunk()
        .ok_or_else(|| format!("a frame of {} bytes; expected 2 or more", bytes.len()))?;
    if version != VERSION {
        return Err(format!(
            "version {version} of the protocol; expected {VERSION}: reload the page"
        ));
    }
    match kind {
        0 => {
            let ask: Ask = serde_json::from_slice(body).map_err(|error| error.to_string())?;
            ask.check()?;
            Ok(Frame::Ask(ask))
        }
        1 if body.is_empty() || body.len() > MAX_PART => Err(format!(
            "a part of {} bytes; expected 1 to {MAX_PART}",
            body.len()
        )),
        1 => Ok(Frame::Part(body.to_vec())),
        _ => Err(format!("a frame of kind {kind}; expected 0 or 1")),
    }
}

impl Ask {
    /// What no page of ours would send.
    fn check(&self) -> Result<(), String> {
        let wrong = |what: &str| Err(format!("{what}, which no page sends"));
        match self {
            Ask::Draw { points, brush, .. } => match (points.len(), *brush) {
                (1..=MAX_POINTS, 1..=64) => Ok(()),
                _ => {
                    wrong("a stroke without points, with too many, or with a brush beyond 64 cells")
                }
            },
            Ask::Door { brush, .. } if !(1..=64).contains(brush) => {
                wrong("a brush beyond 64 cells")
            }
            Ask::Search { slot: 2.., .. } => wrong("a search in a third place"),
            Ask::Send { units, .. } if units.len() > 10_000 => wrong("more units than there are"),
            Ask::Tile { zoom: 17.., .. } => wrong("a tile of more than 65,536 cells a pixel"),
            _ => Ok(()),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn framed(kind: u8, body: &str) -> Vec<u8> {
        [&[VERSION, kind], body.as_bytes()].concat()
    }

    #[test]
    fn asks_are_read() {
        let ask = read(&framed(0, r#"{"ask":"tile","zoom":3,"x":1,"y":2}"#));
        assert!(matches!(
            ask,
            Ok(Frame::Ask(Ask::Tile {
                zoom: 3,
                x: 1,
                y: 2
            }))
        ));
        let ask = read(&framed(
            0,
            r#"{"ask":"layer","layer":"first-moves","at":[1,2],"goal":[3,4],"level":1,"window":[0,0,9,9]}"#,
        ));
        assert!(matches!(ask, Ok(Frame::Ask(Ask::Layer { .. }))));
        assert!(read(&framed(0, r#"{"ask":"undo"}"#)).is_ok());
    }

    #[test]
    fn other_frames_are_refused() {
        for bytes in [
            &b""[..],
            &[VERSION],
            &[VERSION + 1, 0],
            &[VERSION, 9],
            &[VERSION, 1],
            &framed(0, "{}"),
            &framed(0, r#"{"ask":"undo","more":1}"#),
            &framed(0, r#"{"ask":"tile","zoom":-3,"x":1,"y":2}"#),
            &framed(0, r#"{"ask":"tile","zoom":40,"x":1,"y":2}"#),
            &framed(
                0,
                r#"{"ask":"draw","stroke":1,"paint":"wall","brush":1,"points":[]}"#,
            ),
            &framed(0, "\u{0}"),
        ] {
            assert!(read(bytes).is_err(), "{bytes:?}");
        }
    }
}
