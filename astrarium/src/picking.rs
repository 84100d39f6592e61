//! What lies under the pointer: an object, and a place in the world.

use base::number::tan;
use base::{Vec2, Vec3};
use view::{CameraView, PointingRay, Surfaces};

/// The farthest place that is pointed at, in metres.
const FAR: f32 = 1e6;

/// What lies under the pointer.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Pointed {
    /// The raw handle of the object; 0 if there is none.
    pub object: u32,
    /// The place: on the object, or else on the ground through the level's origin; none beside both.
    pub place: Option<Vec3>,
    /// The direction of the ray.
    pub direction: Vec3,
}

/// The direction of the ray through a point of a picture, from 0 to 1 from the top left corner of the view's part. `aspect` is
/// width through height of that part.
pub fn direction(view: &CameraView, at: Vec2, aspect: f32) -> Vec3 {
    let half = tan(view.fov * 0.5);
    let (right, down) = (at.x * 2.0 - 1.0, at.y * 2.0 - 1.0);
    let seen = Vec3::new(1.0, -right * half * aspect, -down * half);
    view.orientation.rotate(seen).normal_or(Vec3::X)
}

/// What lies under a point of a view's part: the first surface of an object, or else the ground through the level's origin.
pub fn point_at(surfaces: &Surfaces<'_>, view: &CameraView, at: Vec2, aspect: f32) -> Pointed {
    let direction = direction(view, at, aspect);
    let ray = PointingRay { from: view.position, direction, near: view.near, far: FAR };
    if let Some(met) = surfaces.first(&ray) {
        return Pointed { object: met.object, place: Some(view.position + direction * met.distance), direction };
    }
    let up = surfaces.frame.up.normal_or(Vec3::Z);
    let (height, fall) = (view.position.dot(up), direction.dot(up));
    let distance = if fall == 0.0 { -1.0 } else { -height / fall };
    let place = (distance > 0.0 && distance < FAR).then(|| view.position + direction * distance);
    Pointed { object: 0, place, direction }
}

#[cfg(test)]
mod tests {
    use tags::Library;
    use view::{Frame, Instance, ObstacleMeshes, Shape};

    use super::*;
    use crate::viewpoint::fixed;

    #[test]
    fn the_nearest_object_under_the_pointer_is_found_and_the_ground_behind() {
        let mut frame = Frame::new(0);
        let ball = |object, x: f32| Instance::new(object, Shape::Sphere { radius: 1.0 }, Vec3::new(x, 0.0, 0.0));
        frame.instances = vec![ball(7, 20.0), ball(8, 10.0), ball(9, -10.0)];
        let (content, meshes) = (Library::new(), ObstacleMeshes::default());
        let of = |frame| Surfaces { frame, meshes: &meshes, content: &content };
        let view = fixed(Vec3::ZERO, Vec3::X, Vec3::Z);
        let middle = point_at(&of(&frame), &view, Vec2::new(0.5, 0.5), 1.6);
        assert_eq!((middle.object, middle.place), (8, Some(Vec3::X * 9.0)));
        let aside = point_at(&of(&frame), &view, Vec2::new(0.9, 0.5), 1.6);
        assert_eq!((aside.object, aside.place), (0, None));
        assert!(aside.direction.y < 0.0, "to the right");
        let above = fixed(Vec3::Z * 50.0 + Vec3::X, Vec3::X, Vec3::Y);
        let ground = point_at(&of(&Frame::new(0)), &above, Vec2::new(0.5, 0.5), 1.0);
        assert!(ground.place.is_some_and(|place| place.distance(Vec3::X) < 1e-3));
    }
}
