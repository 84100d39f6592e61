//! Decals: pictures projected onto the surfaces within a box.

use std::sync::Arc;

use base::number::{abs, max};
use base::{Vec2, Vec3};
use view::Decal;

use crate::colour::within_unit;
use crate::software::draws::CLAMPED;
use crate::software::texture::SampledTexture;

/// A decal relative to the eye.
pub struct PlacedDecal {
    /// The centre of its box.
    pub centre: Vec3,
    /// The radius of a sphere around the box.
    pub radius: f32,
    /// Its axes, divided by the half extents.
    axes: [Vec3; 3],
    /// The direction of its z axis.
    facing: Vec3,
    colour: [f32; 4],
    texture: Option<Arc<SampledTexture>>,
}

impl PlacedDecal {
    /// A decal relative to an eye. None if it has no size or numbers that are not finite.
    pub fn of(decal: &Decal, eye: Vec3, texture: Option<Arc<SampledTexture>>) -> Option<PlacedDecal> {
        let is_sound = decal.position.is_finite()
            && decal.orientation.is_finite()
            && decal.half.is_finite()
            && decal.half.to_array().iter().all(|side| *side > 1e-6)
            && decal.colour.iter().all(|part| part.is_finite());
        if !is_sound {
            return None;
        }
        let columns = decal.orientation.normal().matrix().columns;
        let half = decal.half.to_array();
        Some(PlacedDecal {
            centre: decal.position - eye,
            radius: decal.half.length(),
            axes: [0, 1, 2].map(|axis| columns[axis] * (1.0 / half[axis])),
            facing: columns[2],
            colour: decal.colour,
            texture,
        })
    }

    /// Covers the base colour of a point with it.
    pub fn apply(&self, position: Vec3, normal: Vec3, base: &mut Vec3) {
        let offset = position - self.centre;
        let [x, y, z] = self.axes.map(|axis| offset.dot(axis));
        if abs(x) >= 1.0 || abs(y) >= 1.0 || abs(z) >= 1.0 {
            return;
        }
        // It fades on surfaces that it grazes, and towards the ends of its box.
        let facing = within_unit(normal.dot(self.facing) * 3.0);
        let fade = facing * within_unit((1.0 - abs(z)) * 4.0);
        let [red, green, blue, opacity] = self.colour;
        let (colour, cover) = match &self.texture {
            Some(texture) => {
                let [r, g, b, a] = texture.sample(Vec2::new(x * 0.5 + 0.5, 0.5 - y * 0.5), CLAMPED, 0.0, 0, true);
                (Vec3::new(r * red, g * green, b * blue), a)
            }
            None => {
                let disc = max(1.0 - (x * x + y * y), 0.0);
                (Vec3::new(red, green, blue) * 0.05, disc * (2.0 - disc))
            }
        };
        *base = *base + (colour - *base) * within_unit(cover * opacity * fade);
    }
}
