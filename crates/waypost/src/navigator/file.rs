//! `.nav` files: all that a world knows about its map, in one file to ship with it.
//!
//! ```text
//! magic "WAYPNAV\n" | version | number of unit types | for each: name, size, ground, where its index lies
//! indexes, each an artifact of its own at a multiple of 64 bytes | xxh3 checksum of everything before it
//! ```
//!
//! Ground is a text as the command line takes it, from version 2 on; from version 3 on commas, percent signs and white space of names are written
//! as their numbers. The map itself is not in it: an index is checked against the map and the doors that it is opened with, and refused for others.
//! **Compatibility**: a file says its version; newer ones are refused with the remedy, older ones are read as long as their
//! indexes are. Fields are only ever added, in versions of their own.

use super::profile::{Dams, Profile};
use super::{BuildOptions, Error, FIRST_UNIT_TYPE, Navigator, UnitType};
use crate::artifact::{Artifact, ArtifactError};
use crate::index::{self, Index};
use crate::map::Map;
use crate::terrain::Footings;
use std::ops::Range;
use std::sync::Arc;
use xxhash_rust::xxh3::xxh3_64;

const MAGIC: [u8; 8] = *b"WAYPNAV\n";
/// The version that is written, and the newest that is read.
pub const VERSION: u32 = 3;
const ALIGNMENT: usize = 64;
const MAX_UNITS: u32 = 1_000;
const CHECKSUM: usize = 8;

/// Bytes of a file that several indexes look into.
type Bytes = Arc<dyn AsRef<[u8]> + Send + Sync>;

/// A part of a file.
struct Part {
    bytes: Bytes,
    range: Range<usize>,
}

impl AsRef<[u8]> for Part {
    fn as_ref(&self) -> &[u8] {
        &(*self.bytes).as_ref()[self.range.clone()]
    }
}

/// Reads numbers and texts one after the other.
struct Cursor<'a> {
    bytes: &'a [u8],
    at: usize,
}

impl<'a> Cursor<'a> {
    fn take(&mut self, length: usize) -> Result<&'a [u8], ArtifactError> {
        let end = self
            .at
            .checked_add(length)
            .filter(|&end| end <= self.bytes.len());
        let end =
            end.ok_or_else(|| ArtifactError::malformed("the list of unit types is cut off"))?;
        let taken = &self.bytes[self.at..end];
        self.at = end;
        Ok(taken)
    }

    fn number(&mut self) -> Result<u32, ArtifactError> {
        let bytes = self.take(4)?;
        Ok(u32::from_le_bytes([bytes[0], bytes[1], bytes[2], bytes[3]]))
    }

    fn text(&mut self) -> Result<&'a str, ArtifactError> {
        let length = self.number()? as usize;
        let text = std::str::from_utf8(self.take(length)?);
        text.map_err(|_| ArtifactError::malformed("a name of a unit type or a class is no text"))
    }

    fn long(&mut self) -> Result<usize, ArtifactError> {
        let (low, high) = (self.number()?, self.number()?);
        let value = u64::from(high) << 32 | u64::from(low);
        usize::try_from(value).map_err(|_| ArtifactError::malformed("a length beyond memory"))
    }
}

impl Navigator {
    /// The file to ship with the map: all unit types and their indexes, of one map. That is the map as it is (doors aside) where all indexes are
    /// current, and the map that the world was built or opened with where one is not, as after a patch: repaired and rebuilt indexes
    /// ([`Navigator::rebuild_jobs`], [`Navigator::advance`]) make the file one of the patched map. An index that there is none of for
    /// that map, because its type was added to a patched world or it was repaired while doors were closed, is built again.
    pub fn save(&self) -> Result<Vec<u8>, Error> {
        let profiles = self.profiles();
        let indexes: Vec<_> = self
            .indexes_to_save(&profiles)?
            .iter()
            .map(|index| index.to_bytes())
            .collect();
        let texts = profiles.iter().map(|p| texts_of(p.unit()));
        let texts: Vec<[String; 2]> = texts.collect();
        let lengths: usize = texts.iter().flatten().map(String::len).sum();
        let list = MAGIC.len() + 8 + 28 * profiles.len() + lengths;
        let mut at = list.next_multiple_of(ALIGNMENT);
        let mut file = MAGIC.to_vec();
        file.extend(VERSION.to_le_bytes());
        file.extend((profiles.len() as u32).to_le_bytes());
        let mut places = Vec::new();
        for ((profile, index), [name, ground]) in profiles.iter().zip(&indexes).zip(&texts) {
            let length = index.as_ref().len();
            push_text(&mut file, name);
            file.extend(profile.unit().cells().to_le_bytes());
            push_text(&mut file, ground);
            file.extend((at as u64).to_le_bytes());
            file.extend((length as u64).to_le_bytes());
            places.push(at);
            at = (at + length).next_multiple_of(ALIGNMENT);
        }
        for (index, at) in indexes.iter().zip(places) {
            file.resize(at, 0);
            file.extend_from_slice(index.as_ref());
        }
        let checksum = xxh3_64(&file);
        file.extend(checksum.to_le_bytes());
        Ok(file)
    }

    /// An index for each unit type, all of the same map.
    fn indexes_to_save(&self, profiles: &[Arc<Profile>]) -> Result<Vec<Arc<dyn Index>>, Error> {
        let base = {
            let dams = self.shared.hold();
            let world = profiles[0].world();
            // Whoever opens the file knows nothing of dams, which types with ground of their own see.
            let has_dams = !dams.is_empty() && profiles.iter().any(|p| p.has_own_ground());
            match !has_dams && profiles.iter().all(|profile| profile.is_current()) {
                true => Map::clone(&world.map()),
                false => world.first_map(),
            }
        };
        let of_base = |profile: &Arc<Profile>| {
            let (map, _) = profile.unit().map_of(&base, &Dams::default())?;
            let known = [profile.newest_index(), profile.first_index()];
            let mut known = known.into_iter().flatten();
            // One that was repaired beside closed doors is of no map that a file could be for.
            match known.find(|index| index.identity().check(&map).is_ok()) {
                Some(index) => Ok(index),
                None => self.shared.options.build(&map),
            }
        };
        profiles.iter().map(of_base).collect()
    }

    /// Opens a file that [`Navigator::save`] gave, for the same map. The bytes are kept, not copied, where they lie at a multiple of
    /// 8, as memory maps do. Refused for another map, other doors or other rules.
    pub fn open(
        map: Map,
        bytes: impl AsRef<[u8]> + Send + Sync + 'static,
    ) -> Result<Navigator, Error> {
        Navigator::open_with(map, bytes, BuildOptions::default())
    }

    /// [`Navigator::open`] with the options of a build: an index beyond the limits is refused, and types of units that the file does not have are
    /// built. Limits, threads and progress hold for what is built for this world later, too.
    ///
    /// ```
    /// use waypost::prelude::*;
    /// # fn main() -> Result<(), Error> {
    /// let map = Map::from_fn(64, 64, |p| p.x % 9 != 4 || p.y % 7 == 3)?;
    /// let file = Navigator::build(map.clone())?.save()?;
    /// let options = BuildOptions::default().threads(2).unit_type(UnitType::new("tank").size(2));
    /// let nav = Navigator::open_with(map, file, options)?;
    /// assert_eq!(nav.unit_types().len(), 2);
    /// # Ok(())
    /// # }
    /// ```
    pub fn open_with(
        map: Map,
        bytes: impl AsRef<[u8]> + Send + Sync + 'static,
        options: BuildOptions,
    ) -> Result<Navigator, Error> {
        let bytes: Bytes = Arc::new(bytes);
        let units = list_units((*bytes).as_ref())?;
        let known: Vec<UnitType> = units.iter().map(|(unit, _)| unit.clone()).collect();
        let missing = options.units_beside(&known)?;
        let dams = Dams::default();
        let mut profiles = Vec::new();
        for (unit, range) in units {
            let part = Part {
                bytes: bytes.clone(),
                range,
            };
            let open = |map: &Map| options.check(index::open(&Artifact::open(part)?, map)?);
            profiles.push(Profile::open(&map, &dams, unit, open)?);
        }
        for unit in missing {
            profiles.push(Profile::build(&map, &dams, unit.clone(), &options)?);
        }
        Navigator::of(profiles, dams, options)
    }
}

/// The texts that a file keeps of a unit type: its name, and what it makes of classes of ground.
fn texts_of(unit: &UnitType) -> [String; 2] {
    let mut ground = Footings::new();
    for (class, footing) in unit.footings().iter() {
        ground.set(&escaped(class), footing);
    }
    [unit.name().to_string(), ground.to_string()]
}

/// A name without the letters that part names in a text: these as `%` and their number up to `;`. A name of no letters is `%;`.
fn escaped(name: &str) -> String {
    let letter = |c: char| match c == ',' || c == '%' || c.is_whitespace() {
        true => format!("%{:x};", u32::from(c)),
        false => c.to_string(),
    };
    match name.is_empty() {
        true => "%;".to_string(),
        false => name.chars().map(letter).collect(),
    }
}

/// The name that [`escaped`] was given; `None` where it was given none.
fn unescaped(text: &str) -> Option<String> {
    let mut parts = text.split('%');
    let mut name = parts.next()?.to_string();
    for part in parts {
        let (number, rest) = part.split_once(';')?;
        if !number.is_empty() {
            name.push(char::from_u32(u32::from_str_radix(number, 16).ok()?)?);
        }
        name.push_str(rest);
    }
    Some(name)
}

/// What a unit type makes of ground, as a file of a version has it.
fn footings_of(text: &str, version: u32) -> Result<Footings, Error> {
    if text.is_empty() {
        return Ok(Footings::new());
    }
    let found = Footings::parse(text)?;
    if version < 3 {
        return Ok(found);
    }
    let mut named = Footings::new();
    for (class, footing) in found.iter() {
        let class = unescaped(class)
            .ok_or_else(|| ArtifactError::malformed("a name of a class of ground is damaged"))?;
        named.set(&class, footing);
    }
    Ok(named)
}

fn push_text(file: &mut Vec<u8>, text: &str) {
    file.extend((text.len() as u32).to_le_bytes());
    file.extend(text.as_bytes());
}

/// Checks a file and lists its unit types with the places of their indexes.
fn list_units(bytes: &[u8]) -> Result<Vec<(UnitType, Range<usize>)>, Error> {
    if bytes.len() < 16 + CHECKSUM || bytes[..8] != MAGIC {
        return Err(Error::NoNavFile(
            "these bytes are no `.nav` file; give what a world was saved as".to_string(),
        ));
    }
    let (content, end) = bytes.split_at(bytes.len() - CHECKSUM);
    let mut cursor = Cursor {
        bytes: content,
        at: 8,
    };
    let found = cursor.number()?;
    if found == 0 || found > VERSION {
        return Err(Error::NoNavFile(format!(
            "this `.nav` file has format {found}, and this program reads 1 to {VERSION}; save the world again with this version of Waypost, or take a newer one"
        )));
    }
    let expected = u64::from_le_bytes(end.try_into().unwrap_or_default());
    let checksum = xxh3_64(content);
    if checksum != expected {
        return Err(ArtifactError::WrongChecksum {
            expected,
            found: checksum,
        }
        .into());
    }
    let count = cursor.number()?;
    if count == 0 || count > MAX_UNITS {
        return Err(ArtifactError::malformed(format!("{count} unit types")).into());
    }
    let mut units = Vec::new();
    for _ in 0..count {
        let unit = UnitType::new(cursor.text()?).size(cursor.number()?);
        let ground = if found < 2 { "" } else { cursor.text()? };
        let unit = unit.terrain(footings_of(ground, found)?);
        let (at, length) = (cursor.long()?, cursor.long()?);
        let end = at.checked_add(length).filter(|&end| end <= content.len());
        let end = end.ok_or_else(|| ArtifactError::malformed("an index lies outside the file"))?;
        units.push((unit, at..end));
    }
    let first = UnitType::new(FIRST_UNIT_TYPE);
    if units[0].0 != first {
        return Err(
            ArtifactError::malformed("its first unit type is not the one of one cell").into(),
        );
    }
    for (i, (unit, _)) in units.iter().enumerate().skip(1) {
        unit.check_name(units[..i].iter().map(|(known, _)| known))?;
    }
    // Every index is opened with a map of its own: a short file must not ask for many of them.
    let mut places: Vec<_> = units.iter().map(|(_, range)| range.clone()).collect();
    places.sort_by_key(|range| (range.start, range.end));
    if places.windows(2).any(|two| two[0].end > two[1].start) {
        return Err(ArtifactError::malformed("two unit types share an index").into());
    }
    Ok(units)
}
