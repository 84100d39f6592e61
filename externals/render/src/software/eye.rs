//! An eye: one view of a picture as a projection onto pixels.

use base::Vec3;
use base::number::{clamp, tan};
use view::CameraView;

/// A view as a projection. Positions are relative to the eye.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Eye {
    /// Its position in the world.
    pub position: Vec3,
    /// To the right in the picture, of unit length.
    pub right: Vec3,
    /// Up in the picture.
    pub up: Vec3,
    /// Into the picture.
    pub forward: Vec3,
    /// Pixels per unit of the tangent.
    pub focal: f32,
    /// The pixel coordinates of the axis of view.
    pub centre: [f32; 2],
    /// The nearest depth.
    pub near: f32,
    /// The pixels it fills: left, top, right, bottom.
    pub area: [u32; 4],
    /// The normals of the four side planes, which point inwards.
    sides: [Vec3; 4],
}

impl Eye {
    /// The eye of a view. None if the view has no pixels or numbers that are not finite.
    pub fn of(view: &CameraView, size: [u32; 2]) -> Option<Eye> {
        let is_finite = view.position.is_finite()
            && view.orientation.is_finite()
            && view.fov.is_finite()
            && view.near.is_finite()
            && view.viewport.iter().all(|side| side.is_finite());
        if !is_finite {
            return None;
        }
        let pixel = |part: f32, side: u32| clamp(part * side as f32 + 0.5, 0.0, side as f32) as u32;
        let [left, top, right, bottom] = view.viewport;
        let area = [pixel(left, size[0]), pixel(top, size[1]), pixel(right, size[0]), pixel(bottom, size[1])];
        let [x0, y0, x1, y1] = area;
        if x1 <= x0 || y1 <= y0 {
            return None;
        }
        let (width, height) = ((x1 - x0) as f32, (y1 - y0) as f32);
        let half = tan(clamp(view.fov, 0.01, 3.0) * 0.5);
        let focal = height * 0.5 / half;
        let turn = view.orientation.normal();
        let (forward, right, up) = (turn.rotate(Vec3::X), -turn.rotate(Vec3::Y), turn.rotate(Vec3::Z));
        let (tangent_x, tangent_y) = (width * 0.5 / focal, height * 0.5 / focal);
        let side = |axis: Vec3, tangent: f32| (axis + forward * tangent).normal_or(forward);
        Some(Eye {
            position: view.position,
            right,
            up,
            forward,
            focal,
            centre: [x0 as f32 + width * 0.5, y0 as f32 + height * 0.5],
            near: clamp(view.near, 1e-4, 1e6),
            area,
            sides: [side(right, tangent_x), side(-right, tangent_x), side(up, tangent_y), side(-up, tangent_y)],
        })
    }

    /// Right, up and depth of a point relative to the eye.
    #[inline]
    pub fn view_of(&self, point: Vec3) -> Vec3 {
        Vec3::new(point.dot(self.right), point.dot(self.up), point.dot(self.forward))
    }

    /// The pixel coordinates of right, up and depth, which is positive.
    #[inline]
    pub fn pixel_of(&self, seen: Vec3) -> [f32; 2] {
        let scale = self.focal / seen.z;
        [self.centre[0] + seen.x * scale, self.centre[1] - seen.y * scale]
    }

    /// The direction through a pixel coordinate, of depth 1: not of unit length.
    #[inline]
    pub fn ray(&self, x: f32, y: f32) -> Vec3 {
        let across = (x - self.centre[0]) / self.focal;
        let down = (y - self.centre[1]) / self.focal;
        self.forward + self.right * across - self.up * down
    }

    /// Whether a sphere, relative to the eye, may be seen.
    #[inline]
    pub fn sees(&self, centre: Vec3, radius: f32) -> bool {
        centre.dot(self.forward) + radius > self.near && self.sides.iter().all(|side| centre.dot(*side) + radius > 0.0)
    }
}
