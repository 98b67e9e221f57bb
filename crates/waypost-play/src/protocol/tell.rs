//! What the server tells.

use super::VERSION;
use serde::Serialize;
use serde_json::json;

/// Kinds of frames to the page.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(u8)]
pub enum Kind {
    /// A note as JSON.
    Note = 0,
    /// A tile of the map.
    Tile = 1,
    /// The units after a tick.
    Units = 2,
    /// A path with its search.
    Found = 3,
    /// A layer.
    Layer = 4,
    /// A file to save.
    File = 5,
}

/// The beginning of a frame.
pub fn head(kind: Kind) -> [u8; 2] {
    [VERSION, kind as u8]
}

/// A note: an object whose key `tell` says what it is.
pub fn note(what: &str, mut facts: serde_json::Value) -> Vec<u8> {
    facts["tell"] = what.into();
    let mut frame = head(Kind::Note).to_vec();
    frame.extend_from_slice(facts.to_string().as_bytes());
    frame
}

/// Words for people about something that did not work.
pub fn trouble(words: impl Into<String>) -> Vec<u8> {
    note("trouble", json!({ "words": words.into() }))
}

/// A frame of JSON and numbers.
pub fn with_numbers(kind: Kind, facts: &impl Serialize, numbers: &[u32]) -> Vec<u8> {
    let mut frame = with_facts(kind, facts);
    frame.reserve(numbers.len() * 4);
    for number in numbers {
        frame.extend_from_slice(&number.to_le_bytes());
    }
    frame
}

/// A frame of JSON and bytes.
pub fn with_bytes(kind: Kind, facts: &impl Serialize, bytes: &[u8]) -> Vec<u8> {
    let mut frame = with_facts(kind, facts);
    frame.extend_from_slice(bytes);
    frame
}

/// The head is made four bytes long, so that numbers stand where browsers can look at them in place.
fn with_facts(kind: Kind, facts: &impl Serialize) -> Vec<u8> {
    let facts = serde_json::to_vec(facts).unwrap_or_default();
    let mut frame = head(kind).to_vec();
    frame.extend_from_slice(&[0, 0]);
    frame.extend_from_slice(&(facts.len() as u32).to_le_bytes());
    frame.extend_from_slice(&facts);
    frame.resize(frame.len().next_multiple_of(4), 0);
    frame
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_are_aligned() {
        for facts in ["", "a", "ab", "abc"] {
            let frame = with_numbers(Kind::Layer, &facts, &[1, 0x0403_0201]);
            assert_eq!(frame.len() % 4, 0);
            assert_eq!(frame[frame.len() - 4..], [1, 2, 3, 4]);
            assert_eq!(frame[..2], [VERSION, 4]);
        }
        assert!(note("x", json!({})).ends_with(br#"{"tell":"x"}"#));
    }
}
