//! Texels from the formats of graphics processors, as people look at them.

use view::classes::bitmap::TexelFormat;
use view::texels;

use crate::bitmap::transfer::SRGB;

/// The texels of a layer as 8-bit codes for a screen. A single channel is shown as grey, the third component of normals
/// is computed, and floats are mapped by x ∕ (1 + x), so that every brightness is seen. `None` if the bytes are not those
/// of that many texels.
#[must_use]
pub fn decompress(bytes: &[u8], width: u32, height: u32, format: TexelFormat) -> Option<Vec<[u8; 4]>> {
    if texels::is_float(format) {
        return Some(texels::decode_floats(bytes, width, height, format)?.into_iter().map(mapped).collect());
    }
    texels::decode(bytes, width, height, format)
}

fn mapped([red, green, blue, alpha]: [f32; 4]) -> [u8; 4] {
    // Infinity over infinity is not a number; it is the brightest value.
    let code = |value: f32| SRGB.code(if value.is_infinite() { 1.0 } else { value / (1.0 + value) });
    [code(red), code(green), code(blue), (alpha * 255.0 + 0.5) as u8]
}
