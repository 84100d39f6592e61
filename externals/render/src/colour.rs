//! Colours that both renderers share: the sRGB transfer function and the tone curve.
//!
//! The tone curve is AgX (Sobotka 2022) with the polynomial approximation of its contrast by Wrensch (2023): bright saturated
//! light goes to white without a change of hue. The shaders of the graphics processor take the same constants.

use std::sync::LazyLock;

use base::number::double;
use view::Colour;

/// The matrix into the space of the curve, row by row.
pub const AGX_INSET: [[f32; 3]; 3] = [
    [0.842_479_06, 0.078_433_6, 0.079_223_745],
    [0.042_328_242, 0.878_468_64, 0.079_166_13],
    [0.042_375_654, 0.078_433_6, 0.879_143],
];
/// The matrix back from the space of the curve, row by row.
pub const AGX_OUTSET: [[f32; 3]; 3] = [
    [1.196_879, -0.098_020_88, -0.099_029_74],
    [-0.052_896_85, 1.151_903_1, -0.098_961_18],
    [-0.052_971_635, -0.098_043_45, 1.151_073_7],
];
/// The binary logarithm of the darkest light that is distinguished.
pub const AGX_STOPS_MIN: f32 = -12.473_93;
/// The binary logarithm of the brightest light that is distinguished.
pub const AGX_STOPS_MAX: f32 = 4.026_069;
/// The coefficients of the contrast curve, from the power 6 down to the constant.
pub const AGX_CURVE: [f32; 7] = [15.5, -40.14, 31.96, -6.868, 0.4298, 0.1191, -0.002_32];
/// The factor of saturation after the curve.
pub const AGX_SATURATION: f32 = 1.12;
/// The strength `k` of the contrast after the curve: `c + 4·k·c·(c − ½)·(1 − c)`, which leaves black, middle grey and white.
pub const AGX_CONTRAST: f32 = 0.18;

/// The luminance of linear red, green and blue (Rec. 709).
pub const LUMINANCE: [f32; 3] = [0.2126, 0.7152, 0.0722];

/// The linear light of each sRGB code.
pub static LINEAR_FROM_SRGB: LazyLock<[f32; 256]> = LazyLock::new(|| {
    std::array::from_fn(|code| {
        let value = code as f64 / 255.0;
        let linear = if value <= 0.040_45 { value / 12.92 } else { double::pow((value + 0.055) / 1.055, 2.4) };
        linear as f32
    })
});

/// A colour of a frame in linear light.
pub fn linear(colour: Colour) -> [f32; 3] {
    [colour.red, colour.green, colour.blue].map(|code| LINEAR_FROM_SRGB[usize::from(code)])
}

/// The displayed colour of linear light, from 0 to 1 in the sRGB encoding: the tone curve. Cost: some 70 operations.
#[inline]
pub fn tone_mapped(light: [f32; 3]) -> [f32; 3] {
    tone_map_lanes(light.map(|value| [value])).map(|[value]| value)
}

/// The tone curve of several colours at once: red, green and blue of all. The lanes do not depend on one another, so the
/// compiler may compute them together.
#[inline]
pub fn tone_map_lanes<const N: usize>(light: [[f32; N]; 3]) -> [[f32; N]; 3] {
    const RANGE: f32 = 1.0 / (AGX_STOPS_MAX - AGX_STOPS_MIN);
    let [c6, c5, c4, c3, c2, c1, c0] = AGX_CURVE;
    let curve = |value: f32| {
        let value = if value > 1e-6 { value } else { 1e-6 };
        let x = within_unit((fast_log2(value) - AGX_STOPS_MIN) * RANGE);
        (((((c6 * x + c5) * x + c4) * x + c3) * x + c2) * x + c1) * x + c0
    };
    let mut curved = product_lanes(&AGX_INSET, &light);
    for channel in &mut curved {
        for value in channel.iter_mut() {
            *value = curve(*value);
        }
    }
    let mut vivid = curved;
    for lane in 0..N {
        let grey = curved[0][lane] * LUMINANCE[0] + curved[1][lane] * LUMINANCE[1] + curved[2][lane] * LUMINANCE[2];
        for channel in &mut vivid {
            let value = grey + (channel[lane] - grey) * AGX_SATURATION;
            channel[lane] = value + 4.0 * AGX_CONTRAST * value * (value - 0.5) * (1.0 - value);
        }
    }
    let mut shown = product_lanes(&AGX_OUTSET, &vivid);
    for channel in &mut shown {
        for value in channel.iter_mut() {
            *value = within_unit(*value);
        }
    }
    shown
}

#[inline]
fn product_lanes<const N: usize>(matrix: &[[f32; 3]; 3], colours: &[[f32; N]; 3]) -> [[f32; N]; 3] {
    matrix.map(|row| {
        let mut sums = [0.0; N];
        for lane in 0..N {
            sums[lane] = row[0] * colours[0][lane] + row[1] * colours[1][lane] + row[2] * colours[2][lane];
        }
        sums
    })
}

/// The binary logarithm, to 0.0002: enough for 8 bits, and the same on every machine.
#[inline]
pub fn fast_log2(value: f32) -> f32 {
    let bits = value.to_bits();
    let exponent = (bits >> 23) as i32 - 127;
    let mantissa = f32::from_bits(bits & 0x007f_ffff | 0x3f80_0000);
    // A minimax polynomial of log2 on 1…2.
    let fraction = (((-0.081_614_49 * mantissa + 0.645_142_4) * mantissa - 2.120_674_6) * mantissa + 4.070_091)
        * mantissa
        - 2.512_854_6;
    exponent as f32 + fraction
}

/// Clamped to 0…1; not a number is 0.
#[inline]
pub fn within_unit(value: f32) -> f32 {
    if value >= 1.0 {
        1.0
    } else if value > 0.0 {
        value
    } else {
        0.0
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_fast_logarithm_is_close() {
        for step in 1..4000 {
            let value = step as f32 * 0.01;
            let difference = fast_log2(value) - base::number::log2(value);
            assert!(base::number::abs(difference) < 6e-4, "{value}: {difference}");
        }
    }

    #[test]
    fn the_tone_curve_rises_and_stays_within_bounds() {
        let mut last = -1.0;
        for step in 0..200 {
            let [red, green, blue] = tone_mapped([step as f32 * 0.05; 3]);
            assert!(red >= last && red <= 1.0, "{step}: {red}");
            assert!((red - green).abs() < 0.01 && (red - blue).abs() < 0.01);
            last = red;
        }
        assert_eq!(tone_mapped([f32::NAN; 3]), tone_mapped([0.0; 3]));
        assert!(tone_mapped([0.0; 3])[0] < 0.01);
        assert!(tone_mapped([f32::INFINITY; 3])[0] > 0.9);
    }
}
