//! Colours. Those of paths and walkers are apart from each other for every kind of colour vision.

use image::Rgb;

pub const WALL: Rgb<u8> = Rgb([52, 58, 68]);
pub const FLOOR: Rgb<u8> = Rgb([246, 243, 236]);
/// Ground that costs less than its length.
pub const ROAD: Rgb<u8> = Rgb([222, 190, 130]);
/// The most expensive ground.
pub const ROUGH: Rgb<u8> = Rgb([104, 148, 112]);
pub const PAPER: Rgb<u8> = Rgb([255, 255, 255]);
pub const INK: Rgb<u8> = Rgb([34, 34, 34]);
pub const SEARCHED_FIRST: Rgb<u8> = Rgb([214, 230, 240]);
pub const SEARCHED_LAST: Rgb<u8> = Rgb([112, 160, 196]);
pub const START: Rgb<u8> = Rgb([0, 158, 115]);
pub const GOAL: Rgb<u8> = Rgb([34, 34, 34]);
/// A closed door, and the frame of an open one.
pub const DOOR: Rgb<u8> = Rgb([150, 98, 42]);
/// An open door where a cell has no room for a frame.
pub const OPEN_DOOR: Rgb<u8> = Rgb([214, 186, 152]);
/// Cells that a patch has blocked.
pub const CLOSED: Rgb<u8> = Rgb([204, 51, 17]);
/// Cells that a patch has opened.
pub const OPENED: Rgb<u8> = Rgb([240, 228, 66]);

/// Colours of paths and walkers, by their numbers.
pub const COLOURS: [Rgb<u8>; 6] = [
    Rgb([213, 94, 0]),
    Rgb([0, 114, 178]),
    Rgb([0, 158, 115]),
    Rgb([178, 69, 139]),
    Rgb([230, 159, 0]),
    Rgb([86, 180, 233]),
];

/// A colour between two.
pub fn mix(from: Rgb<u8>, to: Rgb<u8>, share: f32) -> Rgb<u8> {
    let channel = |i: usize| {
        let (a, b) = (f32::from(from.0[i]), f32::from(to.0[i]));
        (a + (b - a) * share.clamp(0.0, 1.0)).round() as u8
    };
    Rgb([channel(0), channel(1), channel(2)])
}
