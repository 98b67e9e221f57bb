//! The page, its scripts and its style, as they are in the program.

/// A file of the page.
pub struct Asset {
    /// Its name below the token.
    pub name: &'static str,
    /// Its type.
    pub kind: &'static str,
    /// Its contents.
    pub bytes: &'static [u8],
}

macro_rules! assets {
    ($($name:literal => $kind:literal),* $(,)?) => {
        &[$(Asset {
            name: $name,
            kind: $kind,
            bytes: include_bytes!(concat!("../web/", $name)),
        }),*]
    };
}

/// All files; the first is the page.
pub const ASSETS: &[Asset] = assets![
    "index.html" => "text/html; charset=utf-8",
    "style.css" => "text/css; charset=utf-8",
    "icon.svg" => "image/svg+xml",
    "main.js" => "text/javascript; charset=utf-8",
    "app.js" => "text/javascript; charset=utf-8",
    "camera.js" => "text/javascript; charset=utf-8",
    "colours.js" => "text/javascript; charset=utf-8",
    "connection.js" => "text/javascript; charset=utf-8",
    "crowd.js" => "text/javascript; charset=utf-8",
    "export.js" => "text/javascript; charset=utf-8",
    "film.js" => "text/javascript; charset=utf-8",
    "gif.js" => "text/javascript; charset=utf-8",
    "layers.js" => "text/javascript; charset=utf-8",
    "link.js" => "text/javascript; charset=utf-8",
    "methods.js" => "text/javascript; charset=utf-8",
    "maps.js" => "text/javascript; charset=utf-8",
    "plot.js" => "text/javascript; charset=utf-8",
    "search.js" => "text/javascript; charset=utf-8",
    "tiles.js" => "text/javascript; charset=utf-8",
    "tools.js" => "text/javascript; charset=utf-8",
    "units.js" => "text/javascript; charset=utf-8",
];

/// The file of a name; no name is the page.
pub fn asset(name: &str) -> Option<&'static Asset> {
    match name {
        "" => ASSETS.first(),
        name => ASSETS.iter().find(|asset| asset.name == name),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_file_of_the_page_is_embedded_and_asks_no_other_host() {
        let folder = concat!(env!("CARGO_MANIFEST_DIR"), "/web");
        let files = std::fs::read_dir(folder).expect("the folder");
        for file in files.flatten() {
            let name = file.file_name().to_string_lossy().into_owned();
            let asset = asset(&name).unwrap_or_else(|| panic!("{name} is not embedded"));
            let text = String::from_utf8_lossy(asset.bytes);
            let foreign = text.match_indices("://").filter(|(at, _)| {
                let rest = &text[at + 3..];
                !rest.starts_with("www.w3.org/2000/svg") && !rest.starts_with("${location.host}")
            });
            assert_eq!(foreign.count(), 0, "{name} names another host");
        }
        assert_eq!(asset("").map(|asset| asset.name), Some("index.html"));
        assert!(asset("../Cargo.toml").is_none() && asset("x").is_none());
    }
}
