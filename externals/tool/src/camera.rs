//! A perspective camera: projects points and lines of a view onto a picture.
//!
//! Laws
//! 1. The arithmetic is that of the world: a picture of the same view is the same on every machine.
//! 2. Lines are clipped at the near plane and at the edges of the picture.

use base::Vec3;
use base::number::{max, min, sin_cos};
use view::Drawing;

/// A camera.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Camera {
    /// Its position.
    pub eye: Vec3,
    /// Its target: the middle of the picture.
    pub at: Vec3,
    /// The width and height of the picture.
    pub size: [f32; 2],
    right: Vec3,
    up: Vec3,
    ahead: Vec3,
    near: f32,
}

/// A point on a picture, from its upper left corner.
pub type Spot = [f32; 2];

/// A projected line.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Seen {
    /// The start.
    pub from: Spot,
    /// The end.
    pub to: Spot,
    /// The depth of its midpoint.
    pub depth: f32,
}

/// The requested position and target of a camera. A missing one is derived from the drawing.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Wish {
    /// The position.
    pub eye: Option<Vec3>,
    /// The target.
    pub at: Option<Vec3>,
}

/// The cotangent of half the vertical field of view: 20 degrees.
const FOCAL: f32 = 2.747_477;
/// The near plane, as a fraction of the distance to the target.
const NEAR: f32 = 1e-3;
/// The size of a picture relative to its subject.
const ROOM: f32 = 1.08;
/// The number of points of a thousand that may lie outside a picture on each side, so that a few distant shots do not
/// make everything else small.
const BEYOND: usize = 40;
/// The number of points on the outline of a sphere.
const RIM_SPOTS: u32 = 32;

impl Camera {
    /// A camera at a position, with a target. None if both are the same, or not finite.
    pub fn new(eye: Vec3, at: Vec3, up: Vec3, size: [f32; 2]) -> Option<Camera> {
        let (way, distance) = (at - eye, (at - eye).length());
        if !(eye.is_finite() && at.is_finite() && distance.is_finite() && distance > 0.0) {
            return None;
        }
        let ahead = way / distance;
        let level = ahead.cross(up);
        let right = if level.length() > 1e-4 { level.normal() } else { ahead.perpendicular().normal() };
        Some(Camera { eye, at, size, right, up: right.cross(ahead), ahead, near: NEAR * distance })
    }

    /// A camera that shows the contents of a drawing, unless a position or a target is requested.
    pub fn of(drawing: &Drawing, wish: Wish, size: [f32; 2]) -> Option<Camera> {
        let (least, most) = extent(drawing);
        let at = wish.at.unwrap_or((least + most) * 0.5);
        let eye = wish.eye.unwrap_or_else(|| {
            let side = drawing.up().perpendicular().normal();
            let back = (side * 0.62 + drawing.up().cross(side) * -0.7 + drawing.up() * 0.42).normal();
            at + back * distance(at, back, drawing.up(), (least, most), size)
        });
        Camera::new(eye, at, drawing.up(), size)
    }

    /// A projected line; none if it is outside the picture.
    pub fn see(&self, from: Vec3, to: Vec3) -> Option<Seen> {
        let (from, to) = (self.inner(from), self.inner(to));
        let depth = (max(from.z, self.near) + max(to.z, self.near)) * 0.5;
        let (from, to) = cut(from, to, self.near)?;
        let (from, to) = cut_to_rim(self.spot(from), self.spot(to), self.size)?;
        Some(Seen { from, to, depth })
    }

    /// The projection of a point and its depth; none if it is nearer than the near plane.
    pub fn spot_of(&self, place: Vec3) -> Option<(Spot, f32)> {
        let inner = self.inner(place);
        (inner.z > self.near).then(|| (self.spot(inner), inner.z))
    }

    /// Points on the outline of a sphere; none where it crosses the near plane.
    pub fn ball(&self, middle: Vec3, radius: f32) -> impl Iterator<Item = Spot> + '_ {
        let way = middle - self.eye;
        let far = way.length();
        // The visible outline is nearer than the center, and a smaller circle.
        let is_beyond = far > radius;
        let nearer = if is_beyond { radius * radius / far } else { 0.0 };
        let reach = base::number::sqrt(max(radius * radius - nearer * nearer, 0.0));
        let ahead = way.normal_or(self.ahead);
        let across = ahead.cross(self.up).normal_or(self.right);
        let (centre, above) = (middle - ahead * nearer, across.cross(ahead));
        (0..RIM_SPOTS).filter(move |_| is_beyond).filter_map(move |index| {
            let (sine, cosine) = sin_cos(index as f32 / RIM_SPOTS as f32 * core::f32::consts::TAU);
            Some(self.spot_of(centre + (across * cosine + above * sine) * reach)?.0)
        })
    }

    /// A point in camera space: right, up, ahead.
    fn inner(&self, place: Vec3) -> Vec3 {
        let way = place - self.eye;
        Vec3::new(self.right.dot(way), self.up.dot(way), self.ahead.dot(way))
    }

    fn spot(&self, inner: Vec3) -> Spot {
        let [width, height] = self.size;
        let scale = FOCAL * height * 0.5 / inner.z;
        [width * 0.5 + inner.x * scale, height * 0.5 - inner.y * scale]
    }
}

/// The center of the subject.
pub fn middle(drawing: &Drawing) -> Vec3 {
    let (least, most) = extent(drawing);
    (least + most) * 0.5
}

/// The bounding box of the subject: bodies that can move, if there are any; otherwise everything.
fn extent(drawing: &Drawing) -> (Vec3, Vec3) {
    let solid = drawing.solids().iter().flat_map(|solid| drawing.lines_of(*solid));
    let mut places: Vec<Vec3> = solid.map(|line| (line.from + line.to) * 0.5).collect();
    if places.is_empty() {
        places = drawing.lines().iter().flat_map(|line| [line.from, line.to]).collect();
    }
    if places.is_empty() {
        return (Vec3::splat(-1.0), Vec3::splat(1.0));
    }
    let mut numbers: Vec<f32> = Vec::with_capacity(places.len());
    let mut ends = |axis: fn(&Vec3) -> f32| {
        numbers.clear();
        numbers.extend(places.iter().map(axis));
        numbers.sort_unstable_by(f32::total_cmp);
        let beyond = numbers.len() * BEYOND / 1000;
        (numbers[beyond], numbers[numbers.len() - 1 - beyond])
    };
    let (x, y, z) = (ends(|place| place.x), ends(|place| place.y), ends(|place| place.z));
    (Vec3::new(x.0, y.0, z.0), Vec3::new(x.1, y.1, z.1))
}

/// The distance at which a camera sees a whole box.
fn distance(at: Vec3, back: Vec3, up: Vec3, (least, most): (Vec3, Vec3), [width, height]: [f32; 2]) -> f32 {
    let Some(camera) = Camera::new(at + back, at, up, [width, height]) else { return 1.0 };
    let sides = FOCAL * height / width;
    let mut far = max((most - least).length() * 0.1, 0.1);
    for corner in 0..8_u32 {
        let pick = |axis: u32, least: f32, most: f32| if corner >> axis & 1 == 1 { most } else { least };
        let place = Vec3::new(pick(0, least.x, most.x), pick(1, least.y, most.y), pick(2, least.z, most.z));
        // As seen from a camera one metre away.
        let seen = camera.inner(place);
        let needed = max(seen.x.abs() * sides, seen.y.abs() * FOCAL) * ROOM - (seen.z - 1.0);
        far = max(far, needed);
    }
    far
}

/// The part of a line beyond the near plane.
fn cut(from: Vec3, to: Vec3, near: f32) -> Option<(Vec3, Vec3)> {
    let at_plane = |inside: Vec3, outside: Vec3| {
        let part = (inside.z - near) / (inside.z - outside.z);
        let place = inside + (outside - inside) * part;
        Vec3::new(place.x, place.y, near)
    };
    match (from.z >= near, to.z >= near) {
        (true, true) => Some((from, to)),
        (true, false) => Some((from, at_plane(from, to))),
        (false, true) => Some((at_plane(to, from), to)),
        (false, false) => None,
    }
}

/// The part of a line inside the picture.
fn cut_to_rim(from: Spot, to: Spot, size: [f32; 2]) -> Option<(Spot, Spot)> {
    let (mut first, mut last) = (0.0_f32, 1.0_f32);
    for axis in 0..2 {
        let (start, way) = (from[axis], to[axis] - from[axis]);
        for (way, room) in [(-way, start), (way, size[axis] - start)] {
            if way == 0.0 && room < 0.0 {
                return None;
            }
            if way < 0.0 {
                first = max(first, room / way);
            } else if way > 0.0 {
                last = min(last, room / way);
            }
        }
    }
    let at = |part: f32| [0, 1].map(|axis| from[axis] + (to[axis] - from[axis]) * part);
    let ends = (at(first), at(last));
    let is_sound = first <= last && [ends.0, ends.1].as_flattened().iter().all(|number| number.is_finite());
    is_sound.then_some(ends)
}

#[cfg(test)]
mod tests {
    use super::*;
    use view::{Kind, Line};

    const SIZE: [f32; 2] = [200.0, 100.0];

    fn camera() -> Camera {
        Camera::new(Vec3::new(0.0, -10.0, 0.0), Vec3::ZERO, Vec3::Z, SIZE).unwrap()
    }

    fn check(from: [f32; 3], to: [f32; 3], expected: Option<[Spot; 2]>) {
        let seen = camera().see(Vec3::from_array(from), Vec3::from_array(to));
        let is_near = |one: Spot, other: Spot| (one[0] - other[0]).abs() < 0.1 && (one[1] - other[1]).abs() < 0.1;
        match (seen, expected) {
            (None, None) => {}
            (Some(seen), Some([from, to])) if is_near(seen.from, from) && is_near(seen.to, to) => {}
            _ => panic!("{from:?} to {to:?}: {seen:?} instead of {expected:?}"),
        }
    }

    #[test]
    fn a_line_is_projected() {
        check([0.0; 3], [0.0, 0.0, 1.0], Some([[100.0, 50.0], [100.0, 36.26]]));
        check([0.0; 3], [1.0, 0.0, 0.0], Some([[100.0, 50.0], [113.74, 50.0]]));
        // At twice the distance, half the size.
        check([0.0, 10.0, 0.0], [1.0, 10.0, 0.0], Some([[100.0, 50.0], [106.87, 50.0]]));
    }

    #[test]
    fn lines_behind_or_beside_the_camera_are_invisible() {
        check([0.0, -11.0, 0.0], [0.0, -20.0, 0.0], None);
        check([50.0, 0.0, 0.0], [60.0, 0.0, 0.0], None);
        check([-50.0, 0.0, 40.0], [60.0, 0.0, 40.0], None);
    }

    #[test]
    fn lines_are_clipped_at_the_edges_of_the_picture() {
        check([-50.0, 0.0, 0.0], [0.0, 0.0, 0.0], Some([[0.0, 50.0], [100.0, 50.0]]));
        check([0.0, 0.0, -90.0], [0.0, 0.0, 90.0], Some([[100.0, 100.0], [100.0, 0.0]]));
        // It passes the camera on the right and ends behind it.
        let seen = camera().see(Vec3::new(1.0, 0.0, 0.0), Vec3::new(1.0, -30.0, 0.0)).unwrap();
        assert!((seen.to[0] - 200.0).abs() < 0.1, "{seen:?}");
    }

    #[test]
    fn a_camera_without_a_direction_is_none() {
        assert_eq!(Camera::new(Vec3::X, Vec3::X, Vec3::Z, SIZE), None);
        assert_eq!(Camera::new(Vec3::splat(f32::NAN), Vec3::X, Vec3::Z, SIZE), None);
        assert!(Camera::new(Vec3::Z, Vec3::ZERO, Vec3::Z, SIZE).is_some(), "from straight above");
    }

    #[test]
    fn a_camera_without_requests_sees_everything() {
        let mut drawing = Drawing::new(100);
        for (from, to) in [([3.0, 4.0, 5.0], [9.0, 4.0, 5.0]), ([5.0, -8.0, 1.0], [5.0, 9.0, 7.0])] {
            drawing.push(Line::new(Kind::Awake, 0, Vec3::from_array(from), Vec3::from_array(to)));
        }
        let camera = Camera::of(&drawing, Wish::default(), SIZE).unwrap();
        for line in drawing.lines() {
            for place in [line.from, line.to] {
                let ([x, y], _) = camera.spot_of(place).expect("it is ahead");
                assert!((0.0..=SIZE[0]).contains(&x) && (0.0..=SIZE[1]).contains(&y), "{place:?}: {x} {y}");
            }
        }
        assert!(Camera::of(&Drawing::new(0), Wish::default(), SIZE).is_some(), "of nothing, too");
    }
}
