//! Transformations of nodes.

use base::number::{max, sqrt};
use base::{Mat3, Quat, Vec3};

use super::UpAxis;

/// Translation, rotation and scale.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Transform {
    /// The translation.
    pub position: Vec3,
    /// The rotation, a unit quaternion.
    pub rotation: Quat,
    /// The scale along the axes.
    pub scale: Vec3,
}

/// Axes and an origin.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Affine {
    /// The images of the unit vectors.
    pub axes: [Vec3; 3],
    /// The image of the origin.
    pub origin: Vec3,
}

impl Default for Transform {
    fn default() -> Transform {
        Transform { position: Vec3::ZERO, rotation: Quat::IDENTITY, scale: Vec3::splat(1.0) }
    }
}

impl Transform {
    /// The rotation and scale of a matrix, and whether that is all it does: shear is lost.
    #[must_use]
    pub fn of(affine: &Affine) -> (Transform, bool) {
        let [x, y, z] = affine.axes;
        let sign = if affine.is_mirrored() { -1.0 } else { 1.0 };
        let scale = Vec3::new(x.length() * sign, y.length(), z.length());
        // An axis of no length is restored from the others, so that the rotation is one.
        let z = z.normal_or(x.cross(y).normal_or(Vec3::Z) * sign);
        let x = (x * sign).normal_or(y.cross(z).normal_or(z.perpendicular()));
        let x = (x - z * x.dot(z)).normal_or(z.perpendicular());
        let rotation = Quat::from_matrix(Mat3::from_columns(x, z.cross(x), z));
        let transform = Transform { position: affine.origin, rotation, scale };
        let size = max(max(affine.axes[0].length(), affine.axes[1].length()), affine.axes[2].length());
        let again = Affine::from(&transform);
        let is_exact = (0..3).all(|axis| again.axes[axis].distance(affine.axes[axis]) <= size * 1e-3);
        (transform, is_exact)
    }

    /// In other axes and units.
    #[must_use]
    pub fn converted(&self, turn: &impl Fn(Vec3) -> Vec3, scale: f32) -> Transform {
        Transform {
            position: turn(self.position) * scale,
            rotation: Quat::from_parts(turn(self.rotation.axis_part()), self.rotation.w),
            scale: turn(self.scale),
        }
    }

    /// Whether all its numbers are finite.
    #[must_use]
    pub fn is_finite(&self) -> bool {
        self.position.is_finite() && self.rotation.is_finite() && self.scale.is_finite()
    }
}

impl From<&Transform> for Affine {
    fn from(transform: &Transform) -> Affine {
        let [x, y, z] = transform.rotation.matrix().columns;
        let scale = transform.scale;
        Affine { axes: [x * scale.x, y * scale.y, z * scale.z], origin: transform.position }
    }
}

impl Affine {
    /// The identity.
    pub const IDENTITY: Affine = Affine { axes: [Vec3::X, Vec3::Y, Vec3::Z], origin: Vec3::ZERO };

    /// The composition with an inner transformation.
    #[must_use]
    pub fn then(&self, inner: &Affine) -> Affine {
        Affine { axes: inner.axes.map(|axis| self.direction(axis)), origin: self.point(inner.origin) }
    }

    /// Transforms a point.
    #[must_use]
    pub fn point(&self, point: Vec3) -> Vec3 {
        self.direction(point) + self.origin
    }

    /// Transforms a direction, with its length.
    #[must_use]
    pub fn direction(&self, direction: Vec3) -> Vec3 {
        let [x, y, z] = self.axes;
        x * direction.x + y * direction.y + z * direction.z
    }

    /// Whether it mirrors, so that the winding of triangles is reversed.
    #[must_use]
    pub fn is_mirrored(&self) -> bool {
        let [x, y, z] = self.axes;
        x.cross(y).dot(z) < 0.0
    }

    /// The most by which it stretches lengths, or a little more: the Frobenius norm.
    #[must_use]
    pub fn stretch(&self) -> f32 {
        sqrt(self.axes.iter().fold(0.0, |sum, axis| sum + axis.length_squared()))
    }

    /// Whether all its numbers are finite.
    #[must_use]
    pub fn is_finite(&self) -> bool {
        self.origin.is_finite() && self.axes.iter().all(|axis| axis.is_finite())
    }

    /// In other axes and units: the same between converted points.
    #[must_use]
    pub fn converted(&self, up: UpAxis, scale: f32) -> Affine {
        let turn = |vector: Vec3| match up {
            UpAxis::Y => Vec3::new(vector.z, vector.x, vector.y),
            UpAxis::Z => vector,
        };
        let [x, y, z] = self.axes.map(turn);
        let axes = match up {
            UpAxis::Y => [z, x, y],
            UpAxis::Z => [x, y, z],
        };
        Affine { axes, origin: turn(self.origin) * scale }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_matrix_is_taken_apart_and_put_together() {
        for scale in [Vec3::new(1.0, 2.0, 3.0), Vec3::new(-1.0, 2.0, 0.5)] {
            let rotation = Quat::from_axis_angle(Vec3::new(1.0, 2.0, 3.0), 1.1);
            let affine = Affine::from(&Transform { position: Vec3::X, rotation, scale });
            let (found, is_exact) = Transform::of(&affine);
            assert!(is_exact);
            let again = Affine::from(&found);
            assert!((0..3).all(|axis| again.axes[axis].distance(affine.axes[axis]) < 1e-5), "{found:?}");
        }
        let sheared = Affine { axes: [Vec3::X, Vec3::new(1.0, 1.0, 0.0), Vec3::Z], origin: Vec3::ZERO };
        assert!(!Transform::of(&sheared).1);
        let flat = Affine { axes: [Vec3::X, Vec3::Y, Vec3::ZERO], origin: Vec3::ZERO };
        let (found, is_exact) = Transform::of(&flat);
        assert!(is_exact && found.is_finite(), "{found:?}");
    }

    #[test]
    fn conversion_commutes_with_transformation() {
        let rotation = Quat::from_axis_angle(Vec3::new(1.0, -2.0, 0.5), 0.7);
        let transform = Transform { position: Vec3::new(1.0, 2.0, 3.0), rotation, scale: Vec3::new(1.0, 2.0, 3.0) };
        let turn = |vector: Vec3| Vec3::new(vector.z, vector.x, vector.y);
        let point = Vec3::new(0.3, -0.4, 0.5);
        let expected = turn(Affine::from(&transform).point(point)) * 2.0;
        let found = Affine::from(&transform.converted(&turn, 2.0)).point(turn(point) * 2.0);
        assert!(found.distance(expected) < 1e-5, "{found:?} {expected:?}");
        let found = Affine::from(&transform).converted(UpAxis::Y, 2.0).point(turn(point) * 2.0);
        assert!(found.distance(expected) < 1e-5, "{found:?} {expected:?}");
    }
}
