//! Where pictures are taken from when no player's camera says so: an overview of all that moves, a fixed eye, and a free camera
//! that a person flies.
//!
//! Laws
//! 1. A viewpoint follows from its frame and its own numbers; no clock is read.
//! 2. Any frame, also an empty one, gives a camera whose numbers are finite.

use base::number::{clamp, max, min, sin_cos, tan};
use base::{Mat3, Quat, Vec3};
use view::instance::look;
use view::{CameraView, Frame, Instance, PostValues, Shape};

/// The angle of view from top to bottom, in radians.
const FOV: f32 = 0.9;

/// How far from the origin an overview looks, in metres.
const FAR: f32 = 1e9;

/// The whole picture.
pub const WHOLE: [f32; 4] = [0.0, 0.0, 1.0, 1.0];

/// The part of the instances that an overview leaves out on either side: one lost shot does not make all others dots.
const OUTLIERS: f32 = 0.02;

/// The rotation of an eye that looks along a direction.
pub fn orientation_towards(direction: Vec3, up: Vec3) -> Quat {
    let ahead = direction.normal_or(Vec3::X);
    let left = up.cross(ahead).normal_or(ahead.perpendicular().normal_or(Vec3::Y));
    Quat::from_matrix(Mat3::from_columns(ahead, left, ahead.cross(left)))
}

/// A camera at a point that looks at another.
pub fn fixed(eye: Vec3, at: Vec3, up: Vec3) -> CameraView {
    let distance = eye.distance(at);
    let near = clamp(distance * 0.005, 0.01, 10.0);
    CameraView {
        position: eye,
        orientation: orientation_towards(at - eye, up),
        fov: FOV,
        near,
        viewport: WHOLE,
        post: PostValues::NONE,
    }
}

/// The middle of what a frame shows, and the radius around it.
pub fn extent(frame: &Frame) -> (Vec3, f32) {
    let is_meant = |instance: &&Instance| instance.look & (look::HIDDEN | look::FIXED) == 0;
    let mut meant: Vec<&Instance> = frame.instances.iter().filter(is_meant).collect();
    if meant.is_empty() {
        meant = frame.instances.iter().filter(|instance| instance.look & look::HIDDEN == 0).collect();
    }
    if meant.is_empty() {
        return (Vec3::ZERO, 10.0);
    }
    let range = |of: fn(Vec3) -> f32| {
        let mut places: Vec<f32> = meant.iter().map(|instance| clamp(of(instance.position), -FAR, FAR)).collect();
        places.sort_unstable_by(f32::total_cmp);
        let left_out = (places.len() as f32 * OUTLIERS) as usize;
        (places[left_out], places[places.len() - 1 - left_out])
    };
    let (x, y, z) = (range(|at| at.x), range(|at| at.y), range(|at| at.z));
    let (least, most) = (Vec3::new(x.0, y.0, z.0), Vec3::new(x.1, y.1, z.1));
    let largest = meant.iter().map(|instance| radius_of(instance)).fold(0.0, max);
    ((least + most) * 0.5, max(least.distance(most) * 0.5 + min(largest, 200.0), 1.0))
}

/// A camera that sees everything that moves, from above and aside.
pub fn overview(frame: &Frame) -> CameraView {
    let (middle, radius) = extent(frame);
    let up = frame.up.normal_or(Vec3::Z);
    let side = up.perpendicular().normal_or(Vec3::X);
    let back = (side * 0.62 + up.cross(side) * -0.7 + up * 0.42).normal_or(Vec3::X);
    let distance = radius / max(tan(FOV * 0.5), 0.1) * 1.05;
    fixed(middle + back * distance, middle, up)
}

/// About how large an instance is, without its model.
fn radius_of(instance: &Instance) -> f32 {
    let own = match instance.shape {
        Shape::None | Shape::Mesh { .. } => 1.0,
        Shape::Marker { radius } | Shape::Sphere { radius } => radius,
        Shape::Capsule { radius, length } => radius + length * 0.5,
        Shape::Box { half } => half.length(),
    };
    let size = own * instance.scale;
    if size.is_finite() { size } else { 0.0 }
}

/// A camera that circles the first object of a frame, or the origin.
pub fn turntable(frame: &Frame, radius: f32, seconds: f64) -> CameraView {
    let up = frame.up.normal_or(Vec3::Z);
    let side = up.perpendicular().normal_or(Vec3::X);
    let turns = (seconds / 12.0).fract() as f32;
    let (sine, cosine) = sin_cos(turns * core::f32::consts::TAU + 0.7);
    let around = side * cosine + up.cross(side) * sine;
    let distance = max(radius, 0.05) / max(tan(FOV * 0.5), 0.1) * 1.05;
    let middle = frame.instances.iter().find(|instance| instance.object != 0).map_or(Vec3::ZERO, |it| it.position);
    fixed(middle + (around * 0.92 + up * 0.38).normal_or(Vec3::X) * distance, middle, up)
}

/// A camera that a person flies, while the world is paused or no player is chosen.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct FreeCamera {
    view: CameraView,
    /// Metres per second.
    speed: f32,
}

/// What a person does to a free camera in a frame.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Flight {
    /// Ahead, left and up, each from −1 to 1.
    pub way: Vec3,
    /// How far it turns to the left and up, in radians.
    pub turn: (f32, f32),
    /// Steps of the wheel: each makes it a quarter faster or slower.
    pub faster: f32,
    /// The machine time of the frame, in seconds.
    pub seconds: f32,
}

impl FreeCamera {
    /// A free camera that begins where another one is. Its speed fits the size of what is shown.
    pub fn new(view: CameraView, frame: &Frame) -> FreeCamera {
        let (_, radius) = extent(frame);
        FreeCamera { view, speed: clamp(radius * 0.4, 2.0, 20_000.0) }
    }

    /// Flies on.
    pub fn fly(&mut self, flight: &Flight, up: Vec3) {
        let Flight { way, turn: (left, above), faster, seconds } = *flight;
        let is_sound = way.is_finite() && left.is_finite() && above.is_finite() && faster.is_finite();
        if !is_sound || !seconds.is_finite() {
            return;
        }
        self.speed = clamp(self.speed * (1.0 + clamp(faster, -4.0, 4.0) * 0.25).max(0.2), 0.05, 100_000.0);
        let up = up.normal_or(Vec3::Z);
        let around = Quat::from_axis_angle(up, left);
        let ahead = around.rotate(self.view.orientation.rotate(Vec3::X));
        let side = up.cross(ahead).normal_or(self.view.orientation.rotate(Vec3::Y));
        let raised = Quat::from_axis_angle(side, -above).rotate(ahead);
        // Straight up and down have no left: the camera stops before.
        let ahead = if raised.dot(up).abs() < 0.995 { raised } else { ahead };
        let orientation = orientation_towards(ahead, up);
        let step = orientation.rotate(Vec3::X) * way.x + orientation.rotate(Vec3::Y) * way.y + up * way.z;
        let position = self.view.position + step * (self.speed * clamp(seconds, 0.0, 0.2));
        if position.is_finite() && orientation.is_finite() {
            (self.view.position, self.view.orientation) = (position, orientation);
        }
    }

    /// The camera.
    pub fn view(&self) -> CameraView {
        self.view
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn sees(view: &CameraView, place: Vec3) -> bool {
        let seen = view.orientation.rotate_back(place - view.position);
        seen.x > view.near && seen.y.abs() / seen.x < tan(view.fov * 0.5) && seen.z.abs() / seen.x < tan(view.fov * 0.5)
    }

    #[test]
    fn an_eye_looks_at_what_it_is_told_and_stays_upright() {
        let view = fixed(Vec3::new(3.0, -7.0, 2.0), Vec3::new(1.0, 1.0, 1.0), Vec3::Z);
        let ahead = (Vec3::new(1.0, 1.0, 1.0) - view.position).normal_or(Vec3::X);
        assert!(view.orientation.rotate(Vec3::X).distance(ahead) < 1e-5);
        assert!(view.orientation.rotate(Vec3::Z).z > 0.0 && view.orientation.rotate(Vec3::Y).z.abs() < 1e-5);
        let above = fixed(Vec3::Z * 9.0, Vec3::ZERO, Vec3::Z);
        assert!(above.orientation.is_finite() && above.orientation.rotate(Vec3::X).distance(-Vec3::Z) < 1e-5);
        assert!(fixed(Vec3::X, Vec3::X, Vec3::Z).orientation.is_finite());
    }

    #[test]
    fn an_overview_sees_everything_that_moves() {
        let mut frame = Frame::new(0);
        assert!(overview(&frame).position.is_finite());
        let instance = |position| Instance::new(1, Shape::None, position);
        let places = [Vec3::new(100.0, 3.0, 5.0), Vec3::new(-80.0, 40.0, -20.0), Vec3::new(0.0, -60.0, 30.0)];
        frame.instances = places.map(instance).to_vec();
        let view = overview(&frame);
        assert!(places.iter().all(|place| sees(&view, *place)), "{view:?}");
    }

    #[test]
    fn a_free_camera_flies_where_it_looks_and_survives_nonsense() {
        let frame = Frame::new(0);
        let mut free = FreeCamera::new(fixed(-Vec3::X, Vec3::ZERO, Vec3::Z), &frame);
        let ahead = Flight { way: Vec3::X, seconds: 0.1, ..Flight::default() };
        free.fly(&ahead, Vec3::Z);
        assert!(free.view().position.x > -1.0);
        free.fly(&Flight { turn: (core::f32::consts::FRAC_PI_2, 0.0), ..Flight::default() }, Vec3::Z);
        let before = free.view().position;
        free.fly(&ahead, Vec3::Z);
        assert!(free.view().position.y > before.y + 0.1);
        for _ in 0..100 {
            free.fly(&Flight { turn: (0.3, 9.0), faster: 5.0, ..ahead }, Vec3::Z);
            free.fly(&Flight { turn: (f32::NAN, 0.0), way: Vec3::splat(f32::INFINITY), ..ahead }, Vec3::Z);
        }
        assert!(free.view().position.is_finite() && free.view().orientation.is_finite());
    }
}
