//! The size that a file says its map has, found before the map is read: a small file may hold a large map.

use serde::Deserialize;
use waypost::formats::FileKind;

/// Columns and rows.
pub type Size = (u32, u32);

/// The size that a file announces; none where it announces none, which its reader then says. What lies far apart, and what is turned when it
/// is read, counts with all that is between.
pub fn size(bytes: &[u8]) -> Result<Option<Size>, String> {
    let text = bytes.strip_prefix(b"\xef\xbb\xbf").unwrap_or(bytes);
    match FileKind::of(bytes) {
        FileKind::Png => Ok(image(bytes)),
        FileKind::Letters => Ok(letters(text)),
        FileKind::Ldtk => ldtk(text),
        FileKind::Tiled if text.trim_ascii_start().starts_with(b"{") => tmj(text),
        FileKind::Tiled => tmx(text),
        FileKind::Graph => Ok(None),
    }
}

fn image(bytes: &[u8]) -> Option<Size> {
    let sizes = bytes.strip_prefix(b"\x89PNG\r\n\x1a\n")?.get(8..16)?;
    let number = |bytes: &[u8]| bytes.try_into().map(u32::from_be_bytes).ok();
    Some((number(&sizes[..4])?, number(&sizes[4..])?))
}

/// Of the lines before `map`.
fn letters(text: &[u8]) -> Option<Size> {
    let side = |name: &str| {
        let lines = text.split(|&byte| byte == b'\n').take(4);
        let mut words = lines.filter_map(|line| std::str::from_utf8(line).ok());
        words.find_map(|line| line.trim().strip_prefix(name)?.trim().parse().ok())
    };
    Some((side("width")?, side("height")?))
}

/// What is announced by a map of the Tiled editor, as it is read piece by piece.
#[derive(Default)]
struct Tiled {
    width: u32,
    height: u32,
    is_infinite: bool,
    is_staggered: bool,
    has_staggered_columns: bool,
    /// The least and the most columns and rows of the parts of an infinite map.
    area: Option<[i64; 4]>,
}

impl Tiled {
    fn add(&mut self, [x, y, width, height]: [i64; 4]) {
        let (right, bottom) = (x.saturating_add(width), y.saturating_add(height));
        let [x0, y0, x1, y1] = self.area.unwrap_or([x, y, right, bottom]);
        self.area = Some([x0.min(x), y0.min(y), x1.max(right), y1.max(bottom)]);
    }

    fn size(&self) -> Size {
        let side =
            |low: i64, high: i64| u32::try_from(high.saturating_sub(low)).unwrap_or(u32::MAX);
        let (width, height) = match self.area.filter(|_| self.is_infinite) {
            Some([x0, y0, x1, y1]) => (side(x0, x1), side(y0, y1)),
            None if self.is_infinite => (0, 0),
            None => (self.width, self.height),
        };
        let turned = match self.has_staggered_columns {
            true => height.saturating_add(width / 2).saturating_add(1),
            false => width.saturating_add(height / 2).saturating_add(1),
        };
        match self.is_staggered && width.min(height) > 0 {
            true => (turned, turned),
            false => (width, height),
        }
    }

    /// None where the reader has to say what is wrong: there is no side, or no part.
    fn announced(&self) -> Option<Size> {
        Some(self.size()).filter(|(width, height)| *width > 0 && *height > 0)
    }
}

#[derive(Deserialize)]
struct TmjMap {
    #[serde(default)]
    width: u32,
    #[serde(default)]
    height: u32,
    #[serde(default)]
    infinite: bool,
    #[serde(default)]
    orientation: String,
    #[serde(default)]
    staggeraxis: String,
    #[serde(default)]
    layers: Vec<TmjLayer>,
}

#[derive(Deserialize)]
struct TmjLayer {
    #[serde(default)]
    width: u32,
    #[serde(default)]
    height: u32,
    #[serde(default)]
    chunks: Vec<TmjChunk>,
    #[serde(default)]
    layers: Vec<TmjLayer>,
}

#[derive(Deserialize)]
struct TmjChunk {
    x: i32,
    y: i32,
    width: u32,
    height: u32,
}

fn tmj(text: &[u8]) -> Result<Option<Size>, String> {
    let map: TmjMap = serde_json::from_slice(text).map_err(unreadable)?;
    let mut tiled = Tiled {
        width: map.width,
        height: map.height,
        is_infinite: map.infinite,
        is_staggered: map.orientation == "staggered",
        has_staggered_columns: map.staggeraxis == "x",
        area: None,
    };
    let mut layers = map.layers;
    while let Some(layer) = layers.pop() {
        if layer.chunks.is_empty() {
            tiled.add([0, 0, layer.width.into(), layer.height.into()]);
        }
        for chunk in layer.chunks {
            let (width, height) = (chunk.width.into(), chunk.height.into());
            tiled.add([chunk.x.into(), chunk.y.into(), width, height]);
        }
        layers.extend(layer.layers);
    }
    Ok(tiled.announced())
}

fn unreadable(error: serde_json::Error) -> String {
    let words: String = error.to_string().chars().take(200).collect();
    format!("its size cannot be read: {words}")
}

fn tmx(text: &[u8]) -> Result<Option<Size>, String> {
    let mut tiled = Tiled::default();
    // Of a layer that has had no chunk yet.
    let mut layer = None;
    let tags = Tags { rest: text };
    for tag in tags {
        match tag.name() {
            b"map" => {
                let side = |name: &[u8]| -> Result<u32, String> {
                    Ok(u32::try_from(tag.number(name)?).unwrap_or(u32::MAX))
                };
                (tiled.width, tiled.height) = (side(b"width")?, side(b"height")?);
                tiled.is_infinite = tag.word(b"infinite")? == b"1";
                tiled.is_staggered = tag.word(b"orientation")? == b"staggered";
                tiled.has_staggered_columns = tag.word(b"staggeraxis")? == b"x";
            }
            b"layer" => {
                layer
                    .take()
                    .into_iter()
                    .for_each(|before| tiled.add(before));
                layer = Some([0, 0, tag.number(b"width")?, tag.number(b"height")?]);
            }
            b"chunk" => {
                layer = None;
                let [x, y] = [tag.number(b"x")?, tag.number(b"y")?];
                tiled.add([x, y, tag.number(b"width")?, tag.number(b"height")?]);
            }
            _ => {}
        }
    }
    layer.into_iter().for_each(|last| tiled.add(last));
    Ok(tiled.announced())
}

/// The opening tags of an XML file, in order; comments and the like are passed over. Of a file that is no XML, anything.
struct Tags<'a> {
    rest: &'a [u8],
}

/// A tag between its angles.
struct Tag<'a>(&'a [u8]);

impl<'a> Iterator for Tags<'a> {
    type Item = Tag<'a>;

    fn next(&mut self) -> Option<Tag<'a>> {
        loop {
            let start = self.rest.iter().position(|&byte| byte == b'<')?;
            self.rest = &self.rest[start + 1..];
            let closed_by: &[u8] = match self.rest {
                [b'!', b'-', b'-', ..] => b"-->",
                [b'!', b'[', ..] => b"]]>",
                [b'?', ..] => b"?>",
                [b'!' | b'/', ..] => b">",
                _ => break,
            };
            let end = find(self.rest, closed_by)?;
            self.rest = &self.rest[end + closed_by.len()..];
        }
        let mut quote = None;
        let end = self.rest.iter().position(|&byte| {
            match quote {
                None if byte == b'"' || byte == b'\'' => quote = Some(byte),
                None => return byte == b'>',
                Some(mark) if mark == byte => quote = None,
                Some(_) => {}
            }
            false
        })?;
        let tag = Tag(&self.rest[..end]);
        self.rest = &self.rest[end + 1..];
        Some(tag)
    }
}

impl<'a> Tag<'a> {
    /// Its name, without that of its namespace.
    fn name(&self) -> &'a [u8] {
        let is_end = |byte: &u8| byte.is_ascii_whitespace() || *byte == b'/';
        let name = self.0.split(is_end).next().unwrap_or_default();
        name.rsplit(|&byte| byte == b':').next().unwrap_or_default()
    }

    /// The value of an attribute as it is written; empty where there is none. One that is written in numbers of characters is refused.
    fn word(&self, name: &[u8]) -> Result<&'a [u8], String> {
        let mut rest = self.0;
        while let Some(equals) = rest.iter().position(|&byte| byte == b'=') {
            let before = rest[..equals].trim_ascii_end();
            let key =
                before.rsplit(|byte| byte.is_ascii_whitespace() || *byte == b'"' || *byte == b'\'');
            let is_it = key.into_iter().next() == Some(name);
            let [mark, value @ ..] = rest[equals + 1..].trim_ascii_start() else {
                break;
            };
            let Some(end) = value.iter().position(|byte| byte == mark) else {
                break;
            };
            match is_it {
                true if value[..end].contains(&b'&') => {
                    return Err("its size cannot be read; write it in digits".to_string());
                }
                true => return Ok(value[..end].trim_ascii()),
                false => rest = &value[end + 1..],
            }
        }
        Ok(b"")
    }

    /// The number that an attribute is; 0 where it is none, which the reader says.
    fn number(&self, name: &[u8]) -> Result<i64, String> {
        let word = std::str::from_utf8(self.word(name)?);
        Ok(word.ok().and_then(|word| word.parse().ok()).unwrap_or(0))
    }
}

fn find(text: &[u8], what: &[u8]) -> Option<usize> {
    text.windows(what.len()).position(|window| window == what)
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct LdtkFile {
    #[serde(default)]
    levels: Vec<LdtkLevel>,
    #[serde(default)]
    worlds: Vec<LdtkWorld>,
    layer_instances: Option<Vec<LdtkLayer>>,
}

#[derive(Deserialize)]
struct LdtkWorld {
    #[serde(default)]
    levels: Vec<LdtkLevel>,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct LdtkLevel {
    layer_instances: Option<Vec<LdtkLayer>>,
}

#[derive(Deserialize)]
struct LdtkLayer {
    #[serde(default, rename = "__cWid")]
    width: u32,
    #[serde(default, rename = "__cHei")]
    height: u32,
}

/// The largest of all layers.
fn ldtk(text: &[u8]) -> Result<Option<Size>, String> {
    let file: LdtkFile = serde_json::from_slice(text).map_err(unreadable)?;
    let worlds = file.worlds.into_iter().flat_map(|world| world.levels);
    let levels = file.levels.into_iter().chain(worlds);
    let layers = levels.filter_map(|level| level.layer_instances);
    let layers = layers.chain(file.layer_instances).flatten();
    let sizes = layers.map(|layer| (layer.width, layer.height));
    Ok(sizes.max_by_key(|(width, height)| u64::from(*width) * u64::from(*height)))
}

#[cfg(test)]
mod tests;
