//! Maps as PNG images: one pixel a cell, dark is wall. Feature `png`.
//!
//! Every kind of PNG is read: grey, colour, palette, any depth, interlaced or not. A pixel counts as bright as it would
//! look on black paper, so what is transparent is wall: where nothing is drawn, there is nothing to stand on.
//!
//! An image may be far smaller than its pixels, but not by more than deflate can press: a header that claims more than
//! the file can hold is refused at once. The image is decoded row by row and twice, first to see that it is whole, then to
//! fill the grid, so that a broken file never costs the memory of the map that it claims to be.

use super::level::Level;
use crate::grid::{Grid, GridError, MAX_CELLS, MAX_SIDE};
use crate::terrain::{Class, Classes, Factor, Footing, Footings, TerrainError};
use png::{BitDepth, ColorType, Decoder, DecodingError, Limits, Transformations};
use std::io::Cursor;
use thiserror::Error;

/// The brightness from which a pixel is passable, unless the caller says otherwise.
pub const DEFAULT_THRESHOLD: u8 = 128;

/// Deflate writes at most this many bytes for one that it reads.
const MAX_PER_BYTE: u64 = 1032;

/// What the decoder may allocate: rows of the widest map in 16-bit colour, twice over.
const DECODER_BYTES: usize = 4 * MAX_SIDE as usize * 8;

/// Why an image was refused.
#[derive(Debug, Error)]
pub enum PngError {
    /// It is not a PNG, or broken.
    #[error("the image cannot be read: {0}; expected a whole PNG file, save it again")]
    Broken(#[from] DecodingError),
    /// It is larger than a map may be.
    #[error(
        "an image of {width} x {height} pixels is too large; expected at most {MAX_SIDE} on a side and {MAX_CELLS} pixels in all"
    )]
    TooLarge {
        /// The image's width.
        width: u32,
        /// The image's height.
        height: u32,
    },
    /// It claims more pixels than its bytes can hold.
    #[error(
        "the image claims {width} x {height} pixels, which {bytes} bytes cannot hold; is the file cut short?"
    )]
    TooShort {
        /// The width that the header claims.
        width: u32,
        /// The height that the header claims.
        height: u32,
        /// The bytes of the file.
        bytes: usize,
    },
    /// A class of terrain that is no colour.
    #[error(
        "the terrain of an image is named by colours, and `{0}` is none; expected RRGGBB, such as 2f6b3a=2.5"
    )]
    NoColour(String),
    /// A colour that the image does not have.
    #[error("the image has no pixel of the colour {0}; check the colours with an image editor")]
    NoPixel(String),
    /// Classes that cannot be used.
    #[error(transparent)]
    Terrain(#[from] TerrainError),
    /// It has no pixels.
    #[error("the image is empty: {0}")]
    Empty(#[from] GridError),
}

/// Reads a map from an image: pixels at least as bright as `threshold` (0 to 255) are passable.
pub fn parse(bytes: &[u8], threshold: u8) -> Result<Grid, PngError> {
    let size = decode(bytes, |_| {})?;
    let mut grid = Grid::blocked(size.width, size.height)?;
    let mut bits = vec![0u64; (size.width as usize).div_ceil(64)];
    decode(bytes, |row| {
        if row.first == 0 && row.step == 1 {
            bits.fill(0);
            for (x, pixel) in row.pixels().enumerate() {
                bits[x / 64] |= u64::from(pixel >= threshold) << (x % 64);
            }
            grid.set_row_bits(row.y, &bits);
        } else {
            for (i, pixel) in row.pixels().enumerate() {
                let x = row.first + i as u32 * row.step;
                grid.set_run(row.y, x..x + 1, pixel >= threshold);
            }
        }
    })?;
    Ok(grid)
}

/// Reads a level from an image: colours that are named (`RRGGBB`) are ground of that factor, or walls; the other pixels are
/// plain ground where they are at least as bright as `threshold`.
pub fn parse_level(bytes: &[u8], threshold: u8, footings: &Footings) -> Result<Level, PngError> {
    let mut grid = parse(bytes, threshold)?;
    if footings.is_empty() {
        return Ok(Level::plain(grid));
    }
    let mut kinds = vec![Class {
        name: "other colours".to_string(),
        footing: Footing::Factor(Factor::ONE),
    }];
    let mut colours = Vec::new();
    for (name, footing) in footings.iter().take(254) {
        let number = u32::from_str_radix(name, 16);
        let colour = number.ok().filter(|_| name.len() == 6);
        let [_, r, g, b] = colour
            .ok_or_else(|| PngError::NoColour(name.to_string()))?
            .to_be_bytes();
        colours.push(([r, g, b], false));
        kinds.push(Class {
            name: name.to_string(),
            footing,
        });
    }
    let width = grid.width();
    let mut cells = vec![0; width as usize * grid.height() as usize];
    decode(bytes, |row| {
        for (i, colour) in row.colours().enumerate() {
            let Some(at) = colours.iter().position(|(named, _)| *named == colour) else {
                continue;
            };
            colours[at].1 = true;
            let x = row.first + i as u32 * row.step;
            cells[(row.y * width + x) as usize] = at as u8 + 1;
            let wall = kinds[at + 1].footing == Footing::Wall;
            grid.set_run(row.y, x..x + 1, !wall);
        }
    })?;
    if let Some(at) = colours.iter().position(|(_, seen)| !seen) {
        return Err(PngError::NoPixel(kinds[at + 1].name.clone()));
    }
    let classes = Classes::new(width, grid.height(), kinds, cells)?;
    Ok(Level {
        classes: Some(classes),
        ..Level::plain(grid)
    })
}

/// Writes a map as an image of black and white pixels, one bit each.
pub fn write(grid: &Grid) -> Result<Vec<u8>, png::EncodingError> {
    let mut bytes = Vec::new();
    let mut encoder = png::Encoder::new(&mut bytes, grid.width(), grid.height());
    encoder.set_color(ColorType::Grayscale);
    encoder.set_depth(BitDepth::One);
    let mut writer = encoder.write_header()?;
    let mut stream = writer.stream_writer()?;
    let words = grid.words_per_row();
    let mut row = vec![0u8; (grid.width() as usize).div_ceil(8)];
    for y in 1..=grid.height() as usize {
        let bits = &grid.words()[y * words..(y + 1) * words];
        for (i, byte) in row.iter_mut().enumerate() {
            // Bit 0 of a row is the border, so column 8 i is bit 8 i + 1; PNG counts bits from the left.
            let at = i * 8 + 1;
            let low = bits[at / 64] >> (at % 64);
            let high = bits
                .get(at / 64 + 1)
                .map_or(0, |next| next << 1 << (63 - at % 64));
            *byte = ((low | high) as u8).reverse_bits();
        }
        std::io::Write::write_all(&mut stream, &row)?;
    }
    stream.finish()?;
    writer.finish()?;
    Ok(bytes)
}

#[derive(Clone, Copy)]
struct Size {
    width: u32,
    height: u32,
}

/// Pixels that lie in one row of the image: all of them, or every so many in a pass of an interlaced image.
struct PixelRow<'a> {
    y: u32,
    first: u32,
    step: u32,
    color: ColorType,
    samples: &'a [u8],
}

impl PixelRow<'_> {
    /// The colour of each pixel, whatever its transparency.
    fn colours(&self) -> impl Iterator<Item = [u8; 3]> {
        let color = self.color;
        self.samples
            .chunks_exact(color.samples())
            .map(move |pixel| match (color, pixel) {
                (ColorType::Grayscale | ColorType::GrayscaleAlpha, [grey, ..]) => [*grey; 3],
                (_, [r, g, b, ..]) => [*r, *g, *b],
                _ => [0; 3],
            })
    }

    /// The brightness of each pixel on black paper.
    fn pixels(&self) -> impl Iterator<Item = u8> {
        let color = self.color;
        self.samples
            .chunks_exact(color.samples())
            .map(move |pixel| {
                let (grey, alpha) = match color {
                    ColorType::Grayscale => return pixel[0],
                    ColorType::GrayscaleAlpha => (u32::from(pixel[0]), pixel[1]),
                    ColorType::Rgb => (luminance(pixel), 255),
                    // Palettes are expanded to colours, so this is colour with alpha.
                    _ => (luminance(pixel), pixel.get(3).copied().unwrap_or(255)),
                };
                (grey * u32::from(alpha) / 255) as u8
            })
    }
}

/// Brightness as the eye weighs colours (ITU-R BT.601), in integers.
fn luminance(pixel: &[u8]) -> u32 {
    match pixel {
        [r, g, b, ..] => (u32::from(*r) * 299 + u32::from(*g) * 587 + u32::from(*b) * 114) / 1000,
        _ => 0,
    }
}

/// First pixel and step, across and down, of the passes of an interlaced image.
const PASSES: [[u32; 4]; 7] = [
    [0, 8, 0, 8],
    [4, 8, 0, 8],
    [0, 4, 4, 8],
    [2, 4, 0, 4],
    [0, 2, 2, 4],
    [1, 2, 0, 2],
    [0, 1, 1, 2],
];

/// Decodes an image row by row.
fn decode(bytes: &[u8], mut visit: impl FnMut(PixelRow)) -> Result<Size, PngError> {
    let mut decoder = Decoder::new_with_limits(
        Cursor::new(bytes),
        Limits {
            bytes: DECODER_BYTES,
        },
    );
    decoder.set_transformations(Transformations::EXPAND | Transformations::STRIP_16);
    decoder.set_ignore_text_chunk(true);
    decoder.set_ignore_iccp_chunk(true);
    let header = decoder.read_header_info()?;
    let (size, is_interlaced) = (
        Size {
            width: header.width,
            height: header.height,
        },
        header.interlaced,
    );
    check_size(size, header.bits_per_pixel() as u64, bytes.len())?;
    let mut reader = decoder.read_info()?;
    let (color, _) = reader.output_color_type();
    let passes: &[[u32; 4]] = if is_interlaced {
        &PASSES
    } else {
        &[[0, 1, 0, 1]]
    };
    for &[first, step, top, down] in passes {
        if first >= size.width {
            continue;
        }
        for y in (top..size.height).step_by(down as usize) {
            let Some(row) = reader.next_row()? else {
                return Err(PngError::TooShort {
                    width: size.width,
                    height: size.height,
                    bytes: bytes.len(),
                });
            };
            visit(PixelRow {
                y,
                first,
                step,
                color,
                samples: row.data(),
            });
        }
    }
    // Checksums and the end of the image.
    reader.finish()?;
    Ok(size)
}

fn check_size(size: Size, bits_per_pixel: u64, bytes: usize) -> Result<(), PngError> {
    let Size { width, height } = size;
    if width > MAX_SIDE || height > MAX_SIDE || u64::from(width) * u64::from(height) > MAX_CELLS {
        return Err(PngError::TooLarge { width, height });
    }
    let row = (u64::from(width) * bits_per_pixel).div_ceil(8) + 1;
    if (bytes as u64).saturating_mul(MAX_PER_BYTE) < row * u64::from(height) {
        return Err(PngError::TooShort {
            width,
            height,
            bytes,
        });
    }
    Ok(())
}

#[cfg(test)]
mod tests;
