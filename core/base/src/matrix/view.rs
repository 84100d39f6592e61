//! The matrices of a viewer. Nothing in a world needs them.

use super::{Mat3, Mat4};
use crate::number;
use crate::vector::{Vec3, Vec4};

impl Mat4 {
    /// A perspective view with an angle of `height_radians` from bottom to top. Depth is 0 at `near` and 1 at `far`.
    ///
    /// The angle lies between 0 and π, the aspect (width over height) is positive, and 0 < near < far.
    pub fn perspective(height_radians: f32, aspect: f32, near: f32, far: f32) -> Mat4 {
        let focus = 1.0 / number::tan(height_radians / 2.0);
        Mat4::from_columns(
            Vec4::new(focus / aspect, 0.0, 0.0, 0.0),
            Vec4::new(0.0, focus, 0.0, 0.0),
            Vec4::new(0.0, 0.0, far / (near - far), -1.0),
            Vec4::new(0.0, 0.0, near * far / (near - far), 0.0),
        )
    }

    /// The same without an end: depth is 1 at `near` and goes to 0 with the distance, where floats have most to give.
    pub fn perspective_reversed(height_radians: f32, aspect: f32, near: f32) -> Mat4 {
        let focus = 1.0 / number::tan(height_radians / 2.0);
        Mat4::from_columns(
            Vec4::new(focus / aspect, 0.0, 0.0, 0.0),
            Vec4::new(0.0, focus, 0.0, 0.0),
            Vec4::new(0.0, 0.0, 0.0, -1.0),
            Vec4::new(0.0, 0.0, near, 0.0),
        )
    }

    /// A view without perspective, `width` by `height` around the middle. Depth is 0 at `near` and 1 at `far`.
    pub fn orthographic(width: f32, height: f32, near: f32, far: f32) -> Mat4 {
        Mat4::from_columns(
            Vec4::new(2.0 / width, 0.0, 0.0, 0.0),
            Vec4::new(0.0, 2.0 / height, 0.0, 0.0),
            Vec4::new(0.0, 0.0, 1.0 / (near - far), 0.0),
            Vec4::new(0.0, 0.0, near / (near - far), 1.0),
        )
    }

    /// From the world to a viewer at `eye` who looks at `target` and holds the head towards `up`.
    ///
    /// If target and eye are the same, the view is along −z; if up points along the view, some side is chosen, always
    /// the same.
    pub fn look_at(eye: Vec3, target: Vec3, up: Vec3) -> Mat4 {
        let forward = (target - eye).normal_or(-Vec3::Z);
        let side = forward.cross(up).normal_or(forward.perpendicular());
        let head = side.cross(forward);
        let turn = Mat3::from_columns(side, head, -forward).transpose();
        turn.with_position(-(turn * eye))
    }
}
