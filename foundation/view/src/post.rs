//! The numbers of a post effect, and what they do to a displayed colour: one definition for all renderers.
//!
//! Laws
//! 1. [`PostValues::NONE`] changes no colour.
//! 2. Colours stay between 0 and 1, whatever the numbers are.

use base::number::{clamp, sqrt};

/// The numbers of a post effect.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct PostValues {
    /// The factor of the light before the tone curve.
    pub light: f32,
    /// 0: greys; 1: as it is.
    pub saturation: f32,
    /// 1: as it is.
    pub contrast: f32,
    /// The factor of each colour.
    pub tint: [f32; 3],
    /// The colour of the edges as it is displayed, and how much of it they take.
    pub vignette: ([f32; 3], f32),
    /// The colour of the veil as it is displayed, and how much of it the picture takes.
    pub fade: ([f32; 3], f32),
}

/// The weights of the displayed colours in a grey.
pub const POST_GREY: [f32; 3] = [0.2126, 0.7152, 0.0722];
/// The part of the way from the middle to a corner at which a vignette begins.
pub const VIGNETTE_START: f32 = 0.35;

impl Default for PostValues {
    fn default() -> PostValues {
        PostValues::NONE
    }
}

impl PostValues {
    /// Changes nothing.
    pub const NONE: PostValues = PostValues {
        light: 1.0,
        saturation: 1.0,
        contrast: 1.0,
        tint: [1.0; 3],
        vignette: ([0.0; 3], 0.0),
        fade: ([0.0; 3], 0.0),
    };

    /// What becomes of a displayed colour at a place of the view, from 0 to 1 across and down.
    #[inline]
    pub fn apply(&self, colour: [f32; 3], at: [f32; 2]) -> [f32; 3] {
        let grey = colour[0] * POST_GREY[0] + colour[1] * POST_GREY[1] + colour[2] * POST_GREY[2];
        let (x, y) = (at[0] * 2.0 - 1.0, at[1] * 2.0 - 1.0);
        let away = sqrt((x * x + y * y) * 0.5);
        let part = clamp((away - VIGNETTE_START) / (1.0 - VIGNETTE_START), 0.0, 1.0);
        let edge = part * part * (3.0 - 2.0 * part) * self.vignette.1;
        core::array::from_fn(|channel| {
            let vivid = grey + (colour[channel] - grey) * self.saturation;
            let spread = ((vivid - 0.5) * self.contrast + 0.5) * self.tint[channel];
            let spread = clamp(spread, 0.0, 1.0);
            let framed = spread + (self.vignette.0[channel] - spread) * edge;
            clamp(framed + (self.fade.0[channel] - framed) * self.fade.1, 0.0, 1.0)
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn is_near(one: [f32; 3], other: [f32; 3]) -> bool {
        (0..3).all(|channel| base::number::abs(one[channel] - other[channel]) < 1e-6)
    }

    #[test]
    fn none_changes_nothing() {
        for colour in [[0.0; 3], [1.0; 3], [0.2, 0.9, 0.4]] {
            assert!(is_near(PostValues::NONE.apply(colour, [0.0, 1.0]), colour));
        }
    }

    #[test]
    fn edges_darken_greys_have_no_colour_and_a_veil_hides_everything() {
        let vignette = PostValues { vignette: ([0.5, 0.0, 0.0], 1.0), ..PostValues::NONE };
        assert!(is_near(vignette.apply([0.2, 0.9, 0.4], [0.5, 0.5]), [0.2, 0.9, 0.4]));
        assert!(is_near(vignette.apply([0.2, 0.9, 0.4], [0.0, 0.0]), [0.5, 0.0, 0.0]));
        let grey = PostValues { saturation: 0.0, ..PostValues::NONE }.apply([0.2, 0.9, 0.4], [0.5, 0.5]);
        assert!(grey[0] == grey[1] && grey[1] == grey[2] && grey[0] > 0.6, "{grey:?}");
        let veil = PostValues { fade: ([0.1, 0.2, 0.3], 1.0), ..PostValues::NONE };
        assert!(is_near(veil.apply([0.2, 0.9, 0.4], [0.1, 0.7]), [0.1, 0.2, 0.3]));
        let wild = PostValues { contrast: 4.0, tint: [4.0; 3], saturation: 4.0, ..PostValues::NONE };
        assert!(wild.apply([0.2, 0.9, 0.4], [0.5, 0.5]).iter().all(|part| (0.0..=1.0).contains(part)));
    }
}
