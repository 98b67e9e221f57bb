//! Files that are wrong, each in its own way, and a word of what the loader must say about them.

use crate::Loader;
use crate::good::{TMJ, tmx};

/// A file that must be refused.
pub struct Bad {
    /// Who refuses it.
    pub loader: Loader,
    /// What is wrong with it.
    pub name: &'static str,
    /// The file.
    pub bytes: Vec<u8>,
    /// Part of the message.
    pub says: &'static str,
}

/// The whole corpus.
pub fn all() -> Vec<Bad> {
    let mut all = Vec::new();
    let mut add = |loader, cases: &[(&'static str, &str, &'static str)]| {
        for &(name, text, says) in cases {
            all.push(Bad {
                loader,
                name,
                bytes: text.as_bytes().to_vec(),
                says,
            });
        }
    };
    add(Loader::Map, MAPS);
    add(Loader::Scen, SCENARIOS);
    add(Loader::DynamicScen, DYNAMIC);
    add(Loader::Patches, PATCHES);
    add(Loader::Tiled, TILED);
    all.extend(images());
    all.extend(large());
    all
}

const MAPS: &[(&str, &str, &str)] = &[
    ("empty map", "", "empty"),
    ("blank map", " \n\t\r\n", "empty"),
    ("no header", "....\n....\n", "`type octile`"),
    ("another file", "version 1\n", "expected a map"),
    (
        "type of another format",
        "type tile\nheight 1\nwidth 1\nmap\n.\n",
        "`tile`",
    ),
    (
        "type without a value",
        "type\nheight 1\nwidth 1\nmap\n.\n",
        "line 1",
    ),
    ("header alone", "type octile\n", "end of the file"),
    (
        "no map line",
        "type octile\nheight 1\nwidth 1\n.\n",
        "`map`",
    ),
    ("no width", "type octile\nheight 1\nmap\n.\n", "`width`"),
    (
        "height twice",
        "type octile\nheight 1\nheight 1\nmap\n.\n",
        "`width`",
    ),
    (
        "width 0",
        "type octile\nheight 1\nwidth 0\nmap\n\n",
        "from 1 to 65535",
    ),
    (
        "height 0",
        "type octile\nheight 0\nwidth 1\nmap\n",
        "from 1 to 65535",
    ),
    (
        "negative width",
        "type octile\nheight 1\nwidth -1\nmap\n.\n",
        "`-1`",
    ),
    (
        "width in letters",
        "type octile\nheight 1\nwidth one\nmap\n.\n",
        "`one`",
    ),
    (
        "width with decimals",
        "type octile\nheight 1\nwidth 1.0\nmap\n.\n",
        "`1.0`",
    ),
    (
        "width over the limit",
        "type octile\nheight 1\nwidth 65536\nmap\n.\n",
        "`65536`",
    ),
    (
        "width over 64 bits",
        "type octile\nheight 1\nwidth 99999999999999999999\nmap\n.\n",
        "99999",
    ),
    (
        "area over the body",
        "type octile\nheight 60000\nwidth 60000\nmap\n.....\n",
        "60000",
    ),
    (
        "area over the limit",
        "type octile\nheight 65535\nwidth 65535\nmap\n",
        "65535",
    ),
    (
        "no rows",
        "type octile\nheight 2\nwidth 2\nmap\n",
        "0 of 2 rows",
    ),
    (
        "row too short",
        "type octile\nheight 2\nwidth 3\nmap\n...\n..\n",
        "line 6, column 3",
    ),
    (
        "row too long",
        "type octile\nheight 2\nwidth 3\nmap\n....\n...\n",
        "line 5, column 4",
    ),
    (
        "row missing",
        "type octile\nheight 3\nwidth 3\nmap\n...\n...\n",
        "2 of 3 rows",
    ),
    (
        "row too many",
        "type octile\nheight 1\nwidth 3\nmap\n...\n...\n",
        "line 6",
    ),
    (
        "unknown letter",
        "type octile\nheight 1\nwidth 3\nmap\n.x.\n",
        "line 5, column 2",
    ),
    (
        "zero byte",
        "type octile\nheight 1\nwidth 3\nmap\n.\0.\n",
        "column 2",
    ),
    (
        "letter beyond ASCII",
        "type octile\nheight 1\nwidth 3\nmap\n.é\n",
        "column 2",
    ),
    (
        "lone carriage returns",
        "type octile\rheight 1\rwidth 1\rmap\r.\r",
        "line 1",
    ),
];

const SCENARIOS: &[(&str, &str, &str)] = &[
    ("empty scenario", "", "empty"),
    (
        "scenario without a version",
        "0\ta\t5\t5\t0\t0\t1\t1\t1\n",
        "`version 1`",
    ),
    ("scenario of a later version", "version 7\n", "`version 1`"),
    ("dynamic scenario", "version 2\nheight 5\n", "map changes"),
    (
        "line cut short",
        "version 1\n0\ta\t5\t5\t0\t0\t1\n",
        "line 2, column 14",
    ),
    ("word for a line", "version 1\n\nhello\n", "line 3"),
    (
        "negative start",
        "version 1\n0\ta\t5\t5\t-1\t0\t1\t1\t1\n",
        "`-1`",
    ),
    (
        "start outside",
        "version 1\n0\ta\t5\t5\t5\t0\t1\t1\t1\n",
        "start 5,0",
    ),
    (
        "goal outside",
        "version 1\n0\ta\t5\t5\t0\t0\t1\t5\t1\n",
        "goal 1,5",
    ),
    (
        "map without cells",
        "version 1\n0\ta\t0\t0\t0\t0\t0\t0\t0\n",
        "outside",
    ),
    (
        "length in letters",
        "version 1\n0\ta\t5\t5\t0\t0\t1\t1\tlong\n",
        "`long`",
    ),
    (
        "length nan",
        "version 1\n0\ta\t5\t5\t0\t0\t1\t1\tnan\n",
        "`nan`",
    ),
    (
        "negative length",
        "version 1\n0\ta\t5\t5\t0\t0\t1\t1\t-4\n",
        "`-4`",
    ),
    (
        "endless length",
        "version 1\n0\ta\t5\t5\t0\t0\t1\t1\t1e400\n",
        "`1e400`",
    ),
    (
        "bucket over 32 bits",
        "version 1\n4294967296\ta\t5\t5\t0\t0\t1\t1\t1\n",
        "bucket",
    ),
];

const DYNAMIC: &[(&str, &str, &str)] = &[
    ("empty dynamic scenario", "", "`version 2`"),
    ("static scenario", "version 1\n", "`version 2`"),
    ("dynamic header alone", "version 2\nheight 5\n", "`width`"),
    (
        "query outside",
        "version 2\nheight 5\nwidth 5\ncost 1 octile\npatch a\ncommands\nQ 0 0 0 5 0 5\n",
        "outside",
    ),
];

const PATCHES: &[(&str, &str, &str)] = &[
    ("empty patches", "", "`type patch`"),
    (
        "patches that never come",
        "type patch\npatches 4294967295\n",
        "cut short",
    ),
    (
        "patch of four milliard cells",
        "type patch\npatches 1\npatch 0\nheight 65535\nwidth 65535\nmap\n",
        "cut short",
    ),
];

const TILED: &[(&str, &str, &str)] = &[
    ("empty Tiled map", "", "cannot be read"),
    ("XML cut short", "<map width=\"3\"", "cannot be read"),
    ("other XML", "<svg/>", "`svg`"),
    ("JSON cut short", "{\"width\":3,", "cannot be read"),
    (
        "JSON of another kind",
        "{\"width\":\"wide\"}",
        "cannot be read",
    ),
    (
        "XML entities",
        "<!DOCTYPE a [<!ENTITY b \"bb\">]><map>&b;</map>",
        "DTD",
    ),
    ("unclosed tags", "<map><a><a><a><a>", "cannot be read"),
];

/// A PNG file of one 8-bit grey image, with any claim in its header. The checksums are right.
fn png(width: u32, height: u32, depth: u8, color: u8, data: &[u8]) -> Vec<u8> {
    let mut header = [width.to_be_bytes(), height.to_be_bytes()].concat();
    header.extend([depth, color, 0, 0, 0]);
    let mut bytes = b"\x89PNG\r\n\x1a\n".to_vec();
    for (kind, body) in [(b"IHDR", &header[..]), (b"IDAT", data), (b"IEND", &[])] {
        bytes.extend((body.len() as u32).to_be_bytes());
        bytes.extend(kind);
        bytes.extend(body);
        bytes.extend((!kind.iter().chain(body).fold(u32::MAX, crc)).to_be_bytes());
    }
    bytes
}

fn crc(crc: u32, byte: &u8) -> u32 {
    (0..8).fold(crc ^ u32::from(*byte), |crc, _| {
        crc >> 1 ^ (0xedb8_8320 & (crc & 1).wrapping_neg())
    })
}

fn images() -> Vec<Bad> {
    let bad = |name, bytes, says| Bad {
        loader: Loader::Png,
        name,
        bytes,
        says,
    };
    let claim = png(60_000, 60_000, 8, 0, &[0; 40]);
    assert!(claim.len() <= 100);
    let mut wrong_sum = png(4, 4, 8, 0, &[0; 10]);
    wrong_sum[29] ^= 1;
    vec![
        bad(
            "100 bytes that claim 60,000 x 60,000",
            claim,
            "60000 x 60000",
        ),
        bad(
            "100 bytes that claim 40,000 x 40,000",
            png(40_000, 40_000, 1, 0, &[0; 40]),
            "cannot hold",
        ),
        bad(
            "image wider than any map",
            png(70_000, 1, 8, 0, &[0; 99]),
            "too large",
        ),
        bad(
            "image of 4 milliard columns",
            png(u32::MAX, u32::MAX, 16, 6, &[0; 99]),
            "",
        ),
        bad(
            "image without columns",
            png(0, 4, 8, 0, &[0; 10]),
            "cannot be read",
        ),
        bad(
            "image of no known colour",
            png(4, 4, 8, 5, &[0; 10]),
            "cannot be read",
        ),
        bad(
            "image of no known depth",
            png(4, 4, 9, 0, &[0; 10]),
            "cannot be read",
        ),
        bad(
            "palette image without a palette",
            png(4, 4, 8, 3, &[0; 10]),
            "cannot be read",
        ),
        bad(
            "image whose data is no deflate",
            png(4, 4, 8, 0, &[0xff; 10]),
            "cannot be read",
        ),
        bad("image with a wrong checksum", wrong_sum, "cannot be read"),
        bad("empty image", Vec::new(), "cannot be read"),
        bad(
            "signature alone",
            b"\x89PNG\r\n\x1a\n".to_vec(),
            "cannot be read",
        ),
        bad(
            "JPEG",
            b"\xff\xd8\xff\xe0\0\x10JFIF\0".to_vec(),
            "cannot be read",
        ),
    ]
}

/// Files that are long, or nest deeply, or say more than they hold.
fn large() -> Vec<Bad> {
    let bad = |loader, name, bytes: Vec<u8>, says| Bad {
        loader,
        name,
        bytes,
        says,
    };
    let zlib = |width: &str| {
        tmx("base64", "zlib", "eNpjZGBgYAJiRgYIgLEBAHwACA==").replace("width=\"3\"", width)
    };
    vec![
        bad(
            Loader::Map,
            "a megabyte on one line",
            vec![b'.'; 1 << 20],
            "`type octile`",
        ),
        bad(
            Loader::Map,
            "a megabyte of line ends",
            vec![b'\n'; 1 << 20],
            "empty",
        ),
        bad(
            Loader::Map,
            "rows that never end",
            [
                b"type octile\nheight 9\nwidth 9\nmap\n".as_slice(),
                &[b'.'; 1 << 20],
            ]
            .concat(),
            "line 5, column 10",
        ),
        bad(
            Loader::Scen,
            "a megabyte of fields",
            [b"version 1\n".as_slice(), &b"1 ".repeat(1 << 19)].concat(),
            "outside",
        ),
        bad(
            Loader::Scen,
            "short lines before a wrong one",
            [
                b"version 1\n".as_slice(),
                &b"0 a 1 1 0 0 0 0 0\n".repeat(50_000),
                b"x\n",
            ]
            .concat(),
            "line 50002",
        ),
        bad(
            Loader::Tiled,
            "tags in tags",
            b"<a>".repeat(100_000),
            "cannot be read",
        ),
        bad(
            Loader::Tiled,
            "lists in lists",
            b"{\"layers\":[".repeat(100_000),
            "cannot be read",
        ),
        bad(
            Loader::Tiled,
            "tiny elements",
            [b"<map>".as_slice(), &b"<a/>".repeat(200_000), b"</map>"].concat(),
            "cannot be read",
        ),
        bad(
            Loader::Tiled,
            "layer wider than its data",
            zlib("width=\"60000\"").into_bytes(),
            "tiles",
        ),
        bad(
            Loader::Tiled,
            "map without columns",
            zlib("width=\"0\"").into_bytes(),
            "from 1 to 65535",
        ),
        bad(
            Loader::Tiled,
            "JSON layer longer than its map",
            TMJ.replace("1,0,2,1]", "1,0,2,1,1]").into_bytes(),
            "expected 6 tiles, got 7",
        ),
        bad(
            Loader::Tiled,
            "text that is not UTF-8",
            b"<map \xff/>".to_vec(),
            "cannot be read",
        ),
    ]
}
