//! What lies under the pointer: an object, and a place in the world.

use base::number::{max, sqrt, tan};
use base::{Vec2, Vec3};
use tags::Library;
use view::classes::Model;
use view::instance::look;
use view::{CameraView, Frame, Instance, Shape};

/// The radius around an object within which it is hit, in parts of its distance: a dot can be pointed at, too.
const TOLERANCE: f32 = 0.008;

/// The farthest place on the ground that is pointed at, in metres.
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

/// What lies under a point of a view's part.
pub fn point_at(frame: &Frame, content: &Library, view: &CameraView, at: Vec2, aspect: f32) -> Pointed {
    let direction = direction(view, at, aspect);
    let mut nearest: Option<(f32, u32)> = None;
    for instance in frame.instances.iter().filter(|instance| instance.object != 0 && instance.look & look::HIDDEN == 0)
    {
        let (centre, radius) = ball_of(instance, content);
        let way = centre - view.position;
        let along = way.dot(direction);
        if along <= view.near {
            continue;
        }
        let reach = max(radius, along * TOLERANCE);
        let beside = way.length_squared() - along * along;
        if beside > reach * reach {
            continue;
        }
        let distance = max(along - sqrt(max(radius * radius - beside, 0.0)), 0.0);
        if nearest.is_none_or(|(least, _)| distance < least) {
            nearest = Some((distance, instance.object));
        }
    }
    if let Some((distance, object)) = nearest {
        return Pointed { object, place: Some(view.position + direction * distance), direction };
    }
    let up = frame.up.normal_or(Vec3::Z);
    let (height, fall) = (view.position.dot(up), direction.dot(up));
    let distance = if fall == 0.0 { -1.0 } else { -height / fall };
    let place = (distance > 0.0 && distance < FAR).then(|| view.position + direction * distance);
    Pointed { object: 0, place, direction }
}

/// The ball around an instance.
fn ball_of(instance: &Instance, content: &Library) -> (Vec3, f32) {
    let of_shape = match instance.shape {
        Shape::None | Shape::Mesh { .. } => 1.0,
        Shape::Marker { radius } | Shape::Sphere { radius } => radius,
        Shape::Capsule { radius, length } => radius + length * 0.5,
        Shape::Box { half } => half.length(),
    };
    match content.get_as::<Model>(instance.model) {
        Some(model) => {
            let centre = instance.orientation.rotate(model.bounds.centre * instance.scale);
            (instance.position + centre, model.bounds.radius * instance.scale)
        }
        None => (instance.position, of_shape * instance.scale),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::viewpoint::fixed;

    #[test]
    fn the_nearest_object_under_the_pointer_is_found_and_the_ground_behind() {
        let mut frame = Frame::new(0);
        let ball = |object, x: f32| Instance::new(object, Shape::Sphere { radius: 1.0 }, Vec3::new(x, 0.0, 0.0));
        frame.instances = vec![ball(7, 20.0), ball(8, 10.0), ball(9, -10.0)];
        let content = Library::new();
        let view = fixed(Vec3::ZERO, Vec3::X, Vec3::Z);
        let middle = point_at(&frame, &content, &view, Vec2::new(0.5, 0.5), 1.6);
        assert_eq!((middle.object, middle.place), (8, Some(Vec3::X * 9.0)));
        let aside = point_at(&frame, &content, &view, Vec2::new(0.9, 0.5), 1.6);
        assert_eq!((aside.object, aside.place), (0, None));
        assert!(aside.direction.y < 0.0, "to the right");
        let above = fixed(Vec3::Z * 50.0 + Vec3::X, Vec3::X, Vec3::Y);
        let ground = point_at(&Frame::new(0), &content, &above, Vec2::new(0.5, 0.5), 1.0);
        assert!(ground.place.is_some_and(|place| place.distance(Vec3::X) < 1e-3));
    }
}
