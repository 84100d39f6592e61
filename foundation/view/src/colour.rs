//! RGB colours.

use base::number;

/// A colour: red, green and blue from 0 to 255.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord)]
pub struct Colour {
    /// Red.
    pub red: u8,
    /// Green.
    pub green: u8,
    /// Blue.
    pub blue: u8,
}

impl Colour {
    /// The colour of six hexadecimal digits, as in `0xff8000`.
    pub const fn of(digits: u32) -> Colour {
        let [_, red, green, blue] = digits.to_be_bytes();
        Colour { red, green, blue }
    }

    /// The six hexadecimal digits.
    pub const fn digits(self) -> u32 {
        u32::from_be_bytes([0, self.red, self.green, self.blue])
    }

    /// The colour of linear light, red, green and blue from 0 to 1, by the transfer function of sRGB (IEC 61966-2-1). What is not
    /// a number is dark.
    pub fn from_linear(light: [f32; 3]) -> Colour {
        let [red, green, blue] = light.map(|part| {
            let part = number::clamp(if part.is_finite() { part } else { 0.0 }, 0.0, 1.0);
            let encoded = if part <= 0.003_130_8 { part * 12.92 } else { 1.055 * number::pow(part, 1.0 / 2.4) - 0.055 };
            number::round(encoded * 255.0) as u8
        });
        Colour { red, green, blue }
    }

    /// Its linear light, red, green and blue from 0 to 1.
    pub fn to_linear(self) -> [f32; 3] {
        [self.red, self.green, self.blue].map(|part| {
            let part = f32::from(part) / 255.0;
            if part <= 0.040_45 { part / 12.92 } else { number::pow((part + 0.055) / 1.055, 2.4) }
        })
    }

    /// Interpolates towards another colour: 0 is this one, 255 the other.
    #[must_use]
    pub fn towards(self, other: Colour, part: u8) -> Colour {
        let mix = |from: u8, to: u8| {
            let (from, to, part) = (u32::from(from), u32::from(to), u32::from(part));
            ((from * (255 - part) + to * part + 127) / 255) as u8
        };
        Colour { red: mix(self.red, other.red), green: mix(self.green, other.green), blue: mix(self.blue, other.blue) }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn digits_round_trip() {
        let colour = Colour::of(0x12_80_ff);
        assert_eq!((colour.red, colour.green, colour.blue), (0x12, 0x80, 0xff));
        assert_eq!(colour.digits(), 0x12_80_ff);
    }

    #[test]
    fn linear_light_is_encoded_as_srgb() {
        assert_eq!(Colour::from_linear([0.0, 1.0, 0.214_041_14]), Colour::of(0x00_ff_80));
        assert_eq!(Colour::from_linear([f32::NAN, -1.0, 9.0]), Colour::of(0x00_00_ff));
        for digits in [0, 0xff_ff_ff, 0x01_0a_0b, 0x80_40_c0] {
            assert_eq!(Colour::from_linear(Colour::of(digits).to_linear()), Colour::of(digits));
        }
    }

    #[test]
    fn interpolation_includes_both_colours() {
        let (black, white) = (Colour::of(0), Colour::of(0xff_ff_ff));
        assert_eq!(black.towards(white, 0), black);
        assert_eq!(black.towards(white, 255), white);
        assert_eq!(black.towards(white, 128), Colour::of(0x80_80_80));
    }
}
