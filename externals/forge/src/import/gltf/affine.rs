//! The affine transformation of a glTF node.

use base::{Quat, Vec3};
use serde_json::Value;

use super::list;

/// Axes and an origin.
#[derive(Clone, Copy, Debug)]
pub struct Affine {
    axes: [Vec3; 3],
    origin: Vec3,
}

impl Affine {
    /// The identity.
    pub const IDENTITY: Affine = Affine { axes: [Vec3::X, Vec3::Y, Vec3::Z], origin: Vec3::ZERO };

    /// The transformation of a node: a matrix, or translation, rotation and scale.
    pub fn of(node: &Value) -> Result<Affine, String> {
        let numbers = |name: &str, otherwise: &[f32]| -> Result<Vec<f32>, String> {
            let Some(list) = node.get(name).map(list) else { return Ok(otherwise.to_vec()) };
            let found: Vec<f32> = list.iter().filter_map(|number| Some(number.as_f64()? as f32)).collect();
            let is_sound = found.len() == otherwise.len() && found.iter().all(|number| number.is_finite());
            let wrong = || format!("expected {} numbers as the {name} of a node", otherwise.len());
            is_sound.then_some(found).ok_or_else(wrong)
        };
        let vector = |numbers: &[f32]| Vec3::new(numbers[0], numbers[1], numbers[2]);
        if node.get("matrix").is_some() {
            let found = numbers("matrix", &[0.0; 16])?;
            let column = |index: usize| vector(&found[4 * index..]);
            return Ok(Affine { axes: [column(0), column(1), column(2)], origin: column(3) });
        }
        let turn = numbers("rotation", &[0.0, 0.0, 0.0, 1.0])?;
        let turn = Quat::new(turn[0], turn[1], turn[2], turn[3]).normal();
        let scale = numbers("scale", &[1.0; 3])?;
        let [x, y, z] = turn.matrix().columns;
        let origin = vector(&numbers("translation", &[0.0; 3])?);
        Ok(Affine { axes: [x * scale[0], y * scale[1], z * scale[2]], origin })
    }

    /// The composition with an inner transformation.
    pub fn then(&self, inner: &Affine) -> Affine {
        Affine { axes: inner.axes.map(|axis| self.direction(axis)), origin: self.point(inner.origin) }
    }

    /// Transforms a point.
    pub fn point(&self, point: Vec3) -> Vec3 {
        self.direction(point) + self.origin
    }

    /// Whether it mirrors, so that the winding of triangles is reversed.
    pub fn is_mirrored(&self) -> bool {
        let [x, y, z] = self.axes;
        x.cross(y).dot(z) < 0.0
    }

    fn direction(&self, direction: Vec3) -> Vec3 {
        let [x, y, z] = self.axes;
        x * direction.x + y * direction.y + z * direction.z
    }
}
