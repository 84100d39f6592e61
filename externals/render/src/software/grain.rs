//! The grain of scenery without a material: noise of three sizes over its place in the world.

use base::Vec3;

use crate::colour::within_unit;
use crate::software::whole::whole;

/// The factor of the colour at a place; features smaller than a pixel of this width are left out.
#[inline]
pub fn grain(place: Vec3, width: f32) -> Vec3 {
    let broad = noise(place * 0.21) - 0.5;
    let clear = within_unit(1.0 - width * 2.0);
    let clear_fine = within_unit(1.0 - width * 14.0);
    let mut bright = 1.0 + broad * 0.24;
    let mut warm = broad * 0.4;
    if clear > 0.0 {
        let coarse = (noise(place * 1.3) - 0.5) * 0.7 + (noise(place * 3.1 + Vec3::splat(17.0)) - 0.5) * 0.35;
        bright += coarse * 0.4 * clear;
        warm += coarse * 0.6 * clear;
    }
    if clear_fine > 0.0 {
        bright += (noise(place * 9.0) - 0.5) * 0.27 * clear_fine;
    }
    Vec3::new(bright * (1.0 + warm * 0.18), bright, bright * (1.0 - warm * 0.22))
}

/// Value noise with a smooth derivative, from 0 to 1.
#[inline]
fn noise(place: Vec3) -> f32 {
    let cell = place.to_array().map(|value| whole(limited(value)));
    let part: [f32; 3] = std::array::from_fn(|axis| limited(place[axis]) - cell[axis] as f32);
    let [x, y, z] = part.map(|part| part * part * (3.0 - 2.0 * part));
    let [a, b, c] = cell.map(i32::cast_unsigned);
    let corner = |i: u32, j: u32, k: u32| {
        (hash(a.wrapping_add(i), b.wrapping_add(j), c.wrapping_add(k)) >> 8) as f32 * (1.0 / 16_777_216.0)
    };
    let mix = |from: f32, to: f32, part: f32| from + (to - from) * part;
    let row = |j: u32, k: u32| mix(corner(0, j, k), corner(1, j, k), x);
    mix(mix(row(0, 0), row(1, 0), y), mix(row(0, 1), row(1, 1), y), z)
}

/// Far beyond any level, so that cells have numbers.
fn limited(value: f32) -> f32 {
    if value.is_finite() { base::number::clamp(value, -1e6, 1e6) } else { 0.0 }
}

#[inline]
fn hash(a: u32, b: u32, c: u32) -> u32 {
    let mut value = a.wrapping_mul(0x9e37_79b1) ^ b.wrapping_mul(0x85eb_ca77) ^ c.wrapping_mul(0xc2b2_ae3d);
    value = (value ^ value >> 15).wrapping_mul(0x2c1b_3c6d);
    value = (value ^ value >> 12).wrapping_mul(0x297a_2d39);
    value ^ value >> 15
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn noise_is_continuous_over_the_edges_of_cells() {
        for axis in 0..3 {
            let (mut below, mut above) = (Vec3::new(3.4, -2.6, 7.7), Vec3::new(3.4, -2.6, 7.7));
            (below[axis], above[axis]) = (-5.0001, -4.9999);
            assert!((noise(below) - noise(above)).abs() < 1e-3, "{axis}");
        }
    }

    #[test]
    fn grain_is_bounded_whatever_the_place() {
        for value in [f32::NAN, f32::INFINITY, -1e30, 1e9, 0.0, 12.34] {
            for width in [f32::NAN, 0.0, 0.01, 1e9] {
                let factor = grain(Vec3::new(value, 1.0, value), width);
                assert!(factor.to_array().iter().all(|part| (0.3..2.0).contains(part)), "{value} {width} {factor:?}");
            }
        }
    }
}
