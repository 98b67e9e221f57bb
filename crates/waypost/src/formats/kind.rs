//! What kind of file some bytes are: the one place that tells them apart.

use std::path::Path;

/// Kinds of files that maps come in.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum FileKind {
    /// An image.
    Png,
    /// A map of the Tiled editor, XML or JSON.
    Tiled,
    /// A project or level of the LDtk editor.
    Ldtk,
    /// An explicit graph ([`graph`](super::graph)).
    Graph,
    /// A map of letters ([`map`](super::map)), or nothing that is known.
    Letters,
}

impl FileKind {
    /// The kind of a file, seen from its contents: names lie.
    pub fn of(bytes: &[u8]) -> FileKind {
        let text = text(bytes);
        match text {
            [b'<', ..] => FileKind::Tiled,
            // Both editors write JSON; only one of them has such a key.
            [b'{', ..] if holds(text, b"\"layerInstances\"") => FileKind::Ldtk,
            [b'{', ..] => FileKind::Tiled,
            _ if bytes.starts_with(b"\x89PNG") => FileKind::Png,
            _ if text.starts_with(b"waypost-graph") => FileKind::Graph,
            _ => FileKind::Letters,
        }
    }

    /// The same where the file has a name: it decides which reader says what is wrong with contents that tell nothing.
    pub fn of_file(path: &Path, bytes: &[u8]) -> FileKind {
        let seen = FileKind::of(bytes);
        let extension = path.extension().unwrap_or_default().to_ascii_lowercase();
        match (seen, extension.to_str()) {
            (FileKind::Letters, Some("png")) => FileKind::Png,
            (FileKind::Letters, Some("tmx" | "tmj")) => FileKind::Tiled,
            (FileKind::Letters, Some("ldtk" | "ldtkl")) => FileKind::Ldtk,
            // A project without levels is JSON without the key, and Tiled's maps have another.
            (FileKind::Tiled, Some("ldtk" | "ldtkl"))
                if !text(bytes).starts_with(b"<") && !holds(bytes, b"\"layers\"") =>
            {
                FileKind::Ldtk
            }
            _ => seen,
        }
    }
}

/// What the file says behind the mark of its encoding and blanks.
fn text(bytes: &[u8]) -> &[u8] {
    let text = bytes.strip_prefix(b"\xef\xbb\xbf").unwrap_or(bytes);
    text.trim_ascii_start()
}

fn holds(text: &[u8], key: &[u8]) -> bool {
    text.windows(key.len()).any(|window| window == key)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn kinds_are_seen_from_contents() {
        let kinds: [(&[u8], FileKind); 9] = [
            (b"", FileKind::Letters),
            (b"type octile\n", FileKind::Letters),
            (b"\x89PNG\r\n", FileKind::Png),
            (b" <map>", FileKind::Tiled),
            (b"\xef\xbb\xbf<?xml", FileKind::Tiled),
            (b"\xef\xbb\xbf {\"layers\":", FileKind::Tiled),
            (b"{\"layerInstances\": []}", FileKind::Ldtk),
            (b"\xef\xbb\xbf{\"layerInstances\": []}", FileKind::Ldtk),
            (b"waypost-graph 1", FileKind::Graph),
        ];
        for (bytes, kind) in kinds {
            assert_eq!(FileKind::of(bytes), kind, "{bytes:?}");
        }
        let named = |name: &str, bytes| FileKind::of_file(Path::new(name), bytes);
        assert_eq!(named("level.PNG", b"no image"), FileKind::Png);
        assert_eq!(named("level.png", b"<map>"), FileKind::Tiled);
        assert_eq!(named("level.map", b"type octile"), FileKind::Letters);
        assert_eq!(named("a.ldtk", b"{\"levels\": []}"), FileKind::Ldtk);
        assert_eq!(named("a.ldtk", b"{\"layers\": []}"), FileKind::Tiled);
        assert_eq!(named("a.ldtk", b"<map>"), FileKind::Tiled);
    }
}
