//! What a player prefers about pictures.

use base::number::clamp;
use tags::Names;

/// How much work goes into pictures.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Names)]
pub enum Quality {
    /// Little: no ambient occlusion, no bloom, no smoothing, few and coarse shadows, a third of the particles.
    Low,
    /// Some: no ambient occlusion, shadows at half the resolution, two thirds of the particles.
    Medium,
    /// Much.
    #[default]
    High,
    /// All: shadows at twice the resolution, the finest levels of detail.
    Ultra,
}

/// A kind of colour vision.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Names)]
pub enum ColourVision {
    /// The usual one.
    #[default]
    Usual,
    /// Without red cones.
    Protanopia,
    /// Without green cones.
    Deuteranopia,
    /// Without blue cones.
    Tritanopia,
    /// Without colours.
    Greys,
}

/// What a renderer follows. The default changes nothing.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct PictureSettings {
    /// How much work goes into pictures.
    pub quality: Quality,
    /// The factor on the resolution in which the world is drawn; the interface keeps that of the screen.
    pub render_scale: f32,
    /// The factor on all light of the world before the tone curve.
    pub brightness: f32,
    /// The colours of the whole picture are changed for this kind of colour vision.
    pub colour_vision: ColourVision,
}

/// The least and the greatest factor on the resolution.
pub const RENDER_SCALE: (f32, f32) = (0.25, 2.0);
/// The least and the greatest brightness.
pub const BRIGHTNESS: (f32, f32) = (0.5, 2.0);

impl Default for PictureSettings {
    fn default() -> PictureSettings {
        PictureSettings {
            quality: Quality::default(),
            render_scale: 1.0,
            brightness: 1.0,
            colour_vision: ColourVision::default(),
        }
    }
}

impl PictureSettings {
    /// With every number within its range; what is not a number is 1.
    #[must_use]
    pub fn sound(self) -> PictureSettings {
        let sound = |value: f32, (min, max)| if value.is_finite() { clamp(value, min, max) } else { 1.0 };
        PictureSettings {
            render_scale: sound(self.render_scale, RENDER_SCALE),
            brightness: sound(self.brightness, BRIGHTNESS),
            ..self
        }
    }

    /// The size in which the world is drawn for a part of a picture of this size; a side is at most `side_max`.
    pub fn drawn_size(&self, size: [u32; 2], side_max: u32) -> [u32; 2] {
        size.map(|side| base::number::round(side as f32 * self.render_scale) as u32).map(|side| side.clamp(1, side_max))
    }
}

impl ColourVision {
    /// All kinds for which colours are changed.
    pub const ALL_BUT_USUAL: [ColourVision; 4] =
        [ColourVision::Protanopia, ColourVision::Deuteranopia, ColourVision::Tritanopia, ColourVision::Greys];
}

impl Quality {
    /// The part of the particles of effects that is shown.
    pub fn particles(self) -> f32 {
        match self {
            Quality::Low => 0.35,
            Quality::Medium => 0.7,
            Quality::High | Quality::Ultra => 1.0,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_are_brought_into_their_ranges() {
        let wild = PictureSettings { render_scale: f32::NAN, brightness: 9.0, ..PictureSettings::default() };
        assert_eq!(wild.sound(), PictureSettings { brightness: 2.0, ..PictureSettings::default() });
        let half = PictureSettings { render_scale: 0.5, ..PictureSettings::default() };
        assert_eq!(half.drawn_size([1920, 1081], 8192), [960, 541]);
        assert_eq!(half.drawn_size([1, 1], 8192), [1, 1]);
        let double = PictureSettings { render_scale: 2.0, ..half };
        assert_eq!(double.drawn_size([8192, 100], 8192), [8192, 200]);
    }
}
