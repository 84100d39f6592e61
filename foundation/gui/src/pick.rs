//! Picking: from points of the world to points on the screen and back, and the objects under a pointer or in a box.
//!
//! Cost: each search visits every instance of a frame once.

use alloc::vec::Vec;

use base::number::{HALF_PI, abs, clamp, max, min, tan};
use base::{Vec2, Vec3};
use view::{CameraView, Frame, Instance, Rect, Shape, instance::look};

use crate::geometry::{holds, nearest, point, rect, size};

/// A point of the world on the screen.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Projection {
    /// Where it is, in the units of the screen's size. A point behind the camera is where the line through it meets the picture.
    pub place: Vec2,
    /// How far it is in front of the camera, in metres; negative: it is behind.
    pub depth: f32,
    /// The size of a metre there.
    pub metre: f32,
}

/// A ray from the camera.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Ray {
    /// Where it begins.
    pub from: Vec3,
    /// Its direction, of length 1.
    pub direction: Vec3,
}

/// The smallest distance at which a thing is picked, in logical pixels: small and distant things can be hit too.
pub const PICK_DISTANCE: f32 = 12.0;

/// The part of the screen that a camera fills.
pub fn viewport(view: &CameraView, screen: Vec2) -> Rect {
    let [left, top, right, bottom] = view.viewport;
    let corner = Vec2::new(left, top).times(screen);
    rect(corner, Vec2::new(right, bottom).times(screen) - corner)
}

/// Half the height of the picture at a distance of one metre.
fn slope(view: &CameraView) -> f32 {
    tan(clamp(view.fov * 0.5, 0.001, HALF_PI - 0.001))
}

/// Where a point of the world is on a screen of this size. None if it is in the plane of the camera or nothing is finite.
pub fn project(view: &CameraView, screen: Vec2, place: Vec3) -> Option<Projection> {
    let local = view.orientation.rotate_back(place - view.position);
    let area = viewport(view, screen);
    let half = size(area) * 0.5;
    if !local.is_finite() || abs(local.x) < 1e-6 || half.y <= 0.0 {
        return None;
    }
    let metre = half.y / (slope(view) * abs(local.x));
    let way = Vec2::new(-local.y, -local.z) * (half.y / (slope(view) * local.x));
    let place = point(area, Vec2::splat(0.5)) + way;
    place.is_finite().then_some(Projection { place, depth: local.x, metre })
}

/// The ray through a point of the screen.
pub fn ray(view: &CameraView, screen: Vec2, at: Vec2) -> Ray {
    let area = viewport(view, screen);
    let half = max(size(area).y * 0.5, 1e-3);
    let way = (at - point(area, Vec2::splat(0.5))) * (slope(view) / half);
    let local = Vec3::new(1.0, -way.x, -way.y).normal_or(Vec3::X);
    Ray { from: view.position, direction: view.orientation.rotate(local) }
}

/// Where a ray meets the plane through a point, across the up direction. None if it does not within a million metres.
pub fn on_plane(ray: Ray, through: Vec3, up: Vec3) -> Option<Vec3> {
    let fall = ray.direction.dot(up);
    let way = (through - ray.from).dot(up) / if abs(fall) < 1e-6 { return None } else { fall };
    (way > 0.0 && way < 1e6).then(|| ray.from + ray.direction * way)
}

/// The radius of the sphere around an instance.
pub fn radius(instance: &Instance) -> f32 {
    let radius = match instance.shape {
        Shape::Marker { radius } | Shape::Sphere { radius } => radius,
        Shape::Capsule { radius, length } => radius + length * 0.5,
        Shape::Box { half } => half.length(),
        Shape::None | Shape::Mesh { .. } => 1.0,
    };
    max(radius * abs(instance.scale), 0.0)
}

/// The object under a point of the screen: the nearest to the camera of those that lie there, else the one that lies least
/// beside it. `ahead` is the time since the frame, in seconds. Hidden things, and those that `filter` refuses, are left out.
pub fn pick_at(
    frame: &Frame,
    ahead: f32,
    (view, screen): (&CameraView, Vec2),
    at: Vec2,
    filter: impl Fn(&Instance) -> bool,
) -> Option<u32> {
    if !holds(viewport(view, screen), at) {
        return None;
    }
    let mut best: Option<(f32, f32, u32)> = None;
    for (instance, shown) in pickable(frame, ahead, view, screen, &filter) {
        let beside = max(shown.place.distance(at) - radius(instance) * shown.metre, 0.0);
        let found = (beside, shown.depth, instance.object);
        let is_better = best.is_none_or(|(least, depth, _)| (beside, shown.depth) < (least, depth));
        if beside <= PICK_DISTANCE && is_better {
            best = Some(found);
        }
    }
    best.map(|(.., object)| object)
}

/// The objects whose centre lies in a box on the screen, in the order of the frame.
pub fn pick_box(
    frame: &Frame,
    ahead: f32,
    (view, screen): (&CameraView, Vec2),
    corners: [Vec2; 2],
    filter: impl Fn(&Instance) -> bool,
) -> Vec<u32> {
    let [one, other] = corners;
    let corner = Vec2::new(min(one.x, other.x), min(one.y, other.y));
    let area = Rect { min: corner, max: one + other - corner };
    let seen = viewport(view, screen);
    let found = pickable(frame, ahead, view, screen, &filter);
    found.filter(|(_, shown)| holds(area, shown.place) && holds(seen, shown.place)).map(|(it, _)| it.object).collect()
}

/// The instances of objects that a camera can see, and where they are on the screen.
fn pickable<'a>(
    frame: &'a Frame,
    ahead: f32,
    view: &'a CameraView,
    screen: Vec2,
    filter: &'a impl Fn(&Instance) -> bool,
) -> impl Iterator<Item = (&'a Instance, Projection)> {
    let shown = frame.instances.iter().filter(|it| it.object != 0 && it.look & look::HIDDEN == 0 && filter(it));
    shown.filter_map(move |instance| {
        let place = instance.position + instance.velocity * ahead;
        project(view, screen, place).filter(|found| found.depth > view.near).map(|found| (instance, found))
    })
}

/// Where a marker of a point is: at its place, or at the edge of an area with the direction in which the point lies.
pub fn mark(view: &CameraView, screen: Vec2, place: Vec3, edge: Option<Rect>) -> Option<(Vec2, Option<Vec2>)> {
    let found = project(view, screen, place)?;
    let is_in_front = found.depth > view.near;
    match edge {
        None => is_in_front.then_some((found.place, None)),
        Some(area) if is_in_front && holds(area, found.place) => Some((found.place, None)),
        Some(area) => {
            let middle = point(area, Vec2::splat(0.5));
            // What lies behind appears on the opposite side of the picture.
            let way = if is_in_front { found.place - middle } else { middle - found.place };
            let way = way.normal_or(Vec2::new(0.0, 1.0));
            let half = size(area) * 0.5;
            let reach = |way: f32, half: f32| if abs(way) > 1e-6 { half / abs(way) } else { f32::MAX };
            let length = min(reach(way.x, half.x), reach(way.y, half.y));
            Some((nearest(area, middle + way * length), Some(way)))
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use base::{Quat, StringId};
    use view::{Colour, Span};

    const SCREEN: Vec2 = Vec2::new(1600.0, 800.0);

    fn camera() -> CameraView {
        let position = Vec3::new(-10.0, 0.0, 0.0);
        CameraView {
            position,
            orientation: Quat::IDENTITY,
            fov: HALF_PI,
            near: 0.1,
            viewport: [0.0, 0.0, 1.0, 1.0],
            post: view::PostValues::NONE,
        }
    }

    fn thing(object: u32, place: [f32; 3]) -> Instance {
        Instance {
            object,
            parent: 0,
            model: StringId::NONE,
            shape: Shape::Sphere { radius: 0.5 },
            position: Vec3::from_array(place),
            orientation: Quat::IDENTITY,
            velocity: Vec3::ZERO,
            angular_velocity: Vec3::ZERO,
            scale: 1.0,
            colour: Colour::default(),
            team: 0,
            look: 0,
            pose: Span::default(),
            clips: Span::default(),
            parameters: Span::default(),
        }
    }

    fn frame(things: &[Instance]) -> Frame {
        let mut frame = Frame::new(0);
        frame.instances.extend(things);
        frame
    }

    #[test]
    fn a_point_is_projected_and_its_ray_leads_back() {
        let camera = camera();
        let shown = project(&camera, SCREEN, Vec3::ZERO).unwrap();
        assert_eq!((shown.place, shown.depth), (Vec2::new(800.0, 400.0), 10.0));
        let left_and_up = project(&camera, SCREEN, Vec3::new(0.0, 5.0, 5.0)).unwrap();
        assert!(left_and_up.place.distance(Vec2::new(600.0, 200.0)) < 0.01, "{left_and_up:?}");
        let back = ray(&camera, SCREEN, left_and_up.place);
        let met = on_plane(back, Vec3::ZERO, Vec3::X).unwrap();
        assert!(met.distance(Vec3::new(0.0, 5.0, 5.0)) < 0.001, "{met:?}");
        assert_eq!(on_plane(back, Vec3::new(-20.0, 0.0, 0.0), Vec3::X), None, "behind the camera");
    }

    #[test]
    fn the_nearest_thing_under_the_pointer_is_picked() {
        let frame = frame(&[thing(1, [5.0, 0.0, 0.0]), thing(2, [0.0, 0.1, 0.0]), thing(3, [0.0, 6.0, 0.0])]);
        let pick = |x, y| pick_at(&frame, 0.0, (&camera(), SCREEN), Vec2::new(x, y), |_| true);
        assert_eq!(pick(800.0, 400.0), Some(2), "it covers the other");
        assert_eq!(pick(560.0, 400.0), Some(3));
        assert_eq!(pick(100.0, 100.0), None);
        let of_one = pick_at(&frame, 0.0, (&camera(), SCREEN), Vec2::new(800.0, 400.0), |it| it.object == 1);
        assert_eq!(of_one, Some(1));
    }

    #[test]
    fn a_box_takes_what_lies_in_it_and_is_shown() {
        let hidden = Instance { look: look::HIDDEN, ..thing(4, [0.0, 0.0, 0.0]) };
        let behind = thing(5, [-20.0, 0.0, 0.0]);
        let things = [thing(1, [0.0, 0.0, 0.0]), thing(2, [0.0, 2.0, 0.0]), thing(3, [0.0, 9.0, 0.0]), hidden, behind];
        let frame = frame(&things);
        let picked = |one: Vec2, other: Vec2| pick_box(&frame, 0.0, (&camera(), SCREEN), [one, other], |_| true);
        assert_eq!(picked(Vec2::new(900.0, 500.0), Vec2::new(700.0, 300.0)), [1, 2], "corners in any order");
        assert_eq!(picked(Vec2::new(0.0, 0.0), SCREEN), [1, 2, 3]);
    }

    #[test]
    fn a_marker_stays_at_the_edge_or_vanishes() {
        let edge = Some(rect(Vec2::new(100.0, 100.0), Vec2::new(1400.0, 600.0)));
        let seen = |place: Vec3, edge| mark(&camera(), SCREEN, place, edge);
        assert_eq!(seen(Vec3::ZERO, edge), Some((Vec2::new(800.0, 400.0), None)));
        let (place, arrow) = seen(Vec3::new(0.0, 100.0, 0.0), edge).unwrap();
        assert_eq!((place, arrow), (Vec2::new(100.0, 400.0), Some(Vec2::new(-1.0, 0.0))));
        assert_eq!(seen(Vec3::new(-20.0, 3.0, 0.0), None), None, "behind the camera");
        let (place, _) = seen(Vec3::new(-20.0, 3.0, 0.0), edge).unwrap();
        assert_eq!(place.x, 100.0, "what is behind and to the left stays at the left");
    }
}
