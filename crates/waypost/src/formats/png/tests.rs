use super::*;
use crate::grid::Point;
use waypost_testkit::shapes;

/// An image of the given kind; `samples` are its rows without filter bytes.
fn image(size: (u32, u32), color: ColorType, depth: BitDepth, samples: &[u8]) -> Vec<u8> {
    let mut bytes = Vec::new();
    let mut encoder = png::Encoder::new(&mut bytes, size.0, size.1);
    encoder.set_color(color);
    encoder.set_depth(depth);
    if color == ColorType::Indexed {
        encoder.set_palette(vec![0, 0, 0, 255, 255, 255, 90, 90, 90]);
    }
    let mut writer = encoder.write_header().expect("a good header");
    writer.write_image_data(samples).expect("enough samples");
    writer.finish().expect("a whole image");
    bytes
}

fn rows(grid: &Grid) -> String {
    let cell = |x, y| {
        if grid.passable_cell(Point { x, y }).is_some() {
            '.'
        } else {
            '@'
        }
    };
    let row = |y| {
        (0..grid.width())
            .map(|x| cell(x, y))
            .chain(['\n'])
            .collect::<String>()
    };
    (0..grid.height()).map(row).collect()
}

#[test]
fn written_images_are_read_back() {
    for seed in 0..60 {
        let map = shapes::any(seed, 1, 150);
        let grid = Grid::from_fn(map.width(), map.height(), |p| map.is_open_at((p.x, p.y)));
        let grid = grid.expect("a legal size");
        let bytes = write(&grid).expect("memory cannot be full");
        let back = parse(&bytes, DEFAULT_THRESHOLD).expect("a good image");
        assert_eq!(rows(&back), map.to_text(), "seed {seed}");
    }
}

#[test]
fn every_kind_of_pixel_has_a_brightness() {
    let read = |color, depth, samples: &[u8]| {
        rows(
            &parse(&image((3, 1), color, depth, samples), DEFAULT_THRESHOLD).expect("a good image"),
        )
    };
    assert_eq!(
        read(ColorType::Grayscale, BitDepth::Eight, &[127, 128, 255]),
        "@..\n"
    );
    assert_eq!(
        read(
            ColorType::Grayscale,
            BitDepth::Sixteen,
            &[127, 255, 128, 0, 9, 9]
        ),
        "@.@\n"
    );
    assert_eq!(
        read(ColorType::Grayscale, BitDepth::Two, &[0b0010_1100]),
        "@..\n"
    );
    assert_eq!(
        read(ColorType::Indexed, BitDepth::Two, &[0b0001_1000]),
        "@.@\n"
    );
    let rgb = [255, 0, 0, 0, 255, 0, 255, 255, 255];
    assert_eq!(read(ColorType::Rgb, BitDepth::Eight, &rgb), "@..\n");
    // White that cannot be seen is wall.
    let rgba = [255, 255, 255, 0, 255, 255, 255, 200, 0, 0, 0, 255];
    assert_eq!(read(ColorType::Rgba, BitDepth::Eight, &rgba), "@.@\n");
    assert_eq!(
        read(
            ColorType::GrayscaleAlpha,
            BitDepth::Eight,
            &[255, 10, 255, 255, 130, 255]
        ),
        "@..\n"
    );
}

#[test]
fn thresholds_decide() {
    let bytes = image(
        (3, 1),
        ColorType::Grayscale,
        BitDepth::Eight,
        &[0, 100, 255],
    );
    let passable = |threshold| {
        parse(&bytes, threshold)
            .expect("a good image")
            .passable_count()
    };
    assert_eq!(
        [passable(0), passable(1), passable(101), passable(255)],
        [3, 2, 1, 1]
    );
}

#[test]
fn interlaced_images_are_put_together() {
    // The encoder writes no interlaced images, so the passes are laid out here and packed as one plain image is.
    let (width, height) = (11u32, 9u32);
    let is_open = |x: u32, y: u32| !(x * 5 + y * 3).is_multiple_of(4);
    let mut raw = Vec::new();
    for [first, step, top, down] in PASSES {
        for y in (top..height).step_by(down as usize) {
            raw.push(0);
            for x in (first..width).step_by(step as usize) {
                raw.push(if is_open(x, y) { 255 } else { 0 });
            }
        }
    }
    let bytes = raw_image(width, height, 1, &raw);
    let grid = parse(&bytes, DEFAULT_THRESHOLD).expect("a good image");
    let expected = Grid::from_fn(width, height, |p| is_open(p.x, p.y)).expect("a legal size");
    assert_eq!(grid, expected);
}

/// A PNG of 8-bit grey, put together by hand with deflate's uncompressed blocks.
fn raw_image(width: u32, height: u32, interlace: u8, raw: &[u8]) -> Vec<u8> {
    let mut header = Vec::new();
    header.extend(width.to_be_bytes());
    header.extend(height.to_be_bytes());
    header.extend([8, 0, 0, 0, interlace]);
    let length = raw.len() as u16;
    let mut data = vec![0x78, 0x01, 1];
    data.extend(length.to_le_bytes());
    data.extend((!length).to_le_bytes());
    data.extend(raw);
    let (mut a, mut b) = (1u32, 0u32);
    for &byte in raw {
        a = (a + u32::from(byte)) % 65_521;
        b = (b + a) % 65_521;
    }
    data.extend((b << 16 | a).to_be_bytes());
    let mut bytes = b"\x89PNG\r\n\x1a\n".to_vec();
    for (kind, body) in [(b"IHDR", &header[..]), (b"IDAT", &data[..]), (b"IEND", &[])] {
        bytes.extend((body.len() as u32).to_be_bytes());
        bytes.extend(kind);
        bytes.extend(body);
        let mut crc = u32::MAX;
        for &byte in kind.iter().chain(body) {
            crc ^= u32::from(byte);
            for _ in 0..8 {
                crc = crc >> 1 ^ (0xedb8_8320 & (crc & 1).wrapping_neg());
            }
        }
        bytes.extend((!crc).to_be_bytes());
    }
    bytes
}

#[test]
fn a_small_file_cannot_claim_a_large_image() {
    let bytes = raw_image(60_000, 33_000, 0, &[0; 60]);
    assert!(bytes.len() < 160);
    assert!(matches!(
        parse(&bytes, 1),
        Err(PngError::TooShort { width: 60_000, .. })
    ));
    let bytes = raw_image(60_000, 60_000, 0, &[0; 60]);
    assert!(matches!(parse(&bytes, 1), Err(PngError::TooLarge { .. })));
    let bytes = raw_image(70_000, 1, 0, &[0; 60]);
    assert!(matches!(parse(&bytes, 1), Err(PngError::TooLarge { .. })));
}

#[test]
fn broken_images_are_refused() {
    let good = raw_image(5, 4, 0, &[0; 24]);
    assert!(parse(&good, 1).is_ok());
    for end in 0..good.len() {
        assert!(parse(&good[..end], 1).is_err(), "cut at {end}");
    }
    for bad in [&b""[..], b"type octile\n", b"\x89PNG\r\n\x1a\n"] {
        assert!(matches!(parse(bad, 1), Err(PngError::Broken(_))));
    }
    assert!(parse(&raw_image(0, 4, 0, &[]), 1).is_err());
}
