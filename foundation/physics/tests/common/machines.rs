//! Machines of several bodies: ragdolls, cars, stairs and bridges.

use base::{Handle, Quat, Vec3};
use physics::{Body, Capacities, Joint, JointDefinition, Shape};

use super::Scene;

/// The world as a body of a joint.
pub const WORLD: Handle<Body> = Handle::NONE;

/// A scene with capacity for this many bodies and joints, and ground at z = 0.
pub fn with_ground(bodies: u32, joints: u32) -> Scene {
    let capacities = Capacities { joints, ..Capacities::for_bodies(bodies) };
    let mut scene = Scene::with(capacities, 9.81, state::world::Settings::default());
    scene.add(Shape::Box(Vec3::new(200.0, 200.0, 1.0)), 0.0, Vec3::new(0.0, 0.0, -1.0), |body| body.friction = 0.8);
    scene
}

/// A person of thirteen bodies, about 1.8 m tall and 75 kg, standing at a position.
pub struct Ragdoll {
    pub bodies: Vec<Handle<Body>>,
    pub joints: Vec<Handle<Joint>>,
}

impl Ragdoll {
    pub fn new(scene: &mut Scene, at: Vec3) -> Ragdoll {
        let mut bodies = Vec::new();
        let mut part = |scene: &mut Scene, half: [f32; 3], place: [f32; 3], mass: f32| {
            let half = Vec3::from_array(half);
            // Long parts are capsules.
            let (radius, is_long) = (half.x, half.z > 1.2 * half.y);
            let round = core::f32::consts::PI * radius * radius * (2.0 * (half.z - radius) + 4.0 / 3.0 * radius);
            let shape = if is_long { Shape::Capsule { half: half.z - radius, radius } } else { Shape::Box(half) };
            let density = mass / if is_long { round } else { 8.0 * half.x * half.y * half.z };
            let body = scene.add(shape, density, at + Vec3::from_array(place), |body| body.angular_damping = 0.3);
            bodies.push(body);
            body
        };
        let pelvis = part(scene, [0.10, 0.16, 0.10], [0.0, 0.0, 0.95], 12.0);
        let chest = part(scene, [0.11, 0.18, 0.22], [0.0, 0.0, 1.27], 25.0);
        let head = part(scene, [0.09, 0.08, 0.12], [0.0, 0.0, 1.63], 5.0);
        let mut limbs = Vec::new();
        for side in [-1.0, 1.0] {
            let upper_arm = part(scene, [0.05, 0.05, 0.14], [0.0, 0.24 * side, 1.31], 2.5);
            let lower_arm = part(scene, [0.04, 0.04, 0.14], [0.0, 0.24 * side, 1.02], 1.8);
            let thigh = part(scene, [0.07, 0.07, 0.20], [0.0, 0.10 * side, 0.64], 7.5);
            let shin = part(scene, [0.055, 0.055, 0.18], [0.0, 0.10 * side, 0.26], 3.5);
            let foot = part(scene, [0.12, 0.05, 0.035], [0.05, 0.10 * side, 0.04], 1.2);
            limbs.push((side, upper_arm, lower_arm, thigh, shin, foot));
        }
        let point = |x: f32, y: f32, z: f32| at + Vec3::new(x, y, z);
        let (up, down) = (Vec3::Z, -Vec3::Z);
        let mut joints = Vec::new();
        // Flesh damps the limbs.
        let mut join = |scene: &mut Scene, draft: JointDefinition| joints.push(scene.join(draft.with_drag(3.0)));
        join(scene, JointDefinition::cone(pelvis, chest, point(0.0, 0.0, 1.05), up, (0.4, 0.4)));
        join(scene, JointDefinition::cone(chest, head, point(0.0, 0.0, 1.50), up, (0.5, 0.7)));
        for (side, upper_arm, lower_arm, thigh, shin, foot) in limbs {
            let y = 0.24 * side;
            join(scene, JointDefinition::cone(chest, upper_arm, point(0.0, y, 1.45), down, (1.4, 0.8)));
            let elbow = JointDefinition::hinge(upper_arm, lower_arm, point(0.0, y, 1.165), Vec3::Y);
            join(scene, elbow.with_limits(-2.3, 0.05));
            let y = 0.10 * side;
            join(scene, JointDefinition::cone(pelvis, thigh, point(0.0, y, 0.84), down, (0.9, 0.4)));
            let knee = JointDefinition::hinge(thigh, shin, point(0.0, y, 0.44), Vec3::Y);
            join(scene, knee.with_limits(-0.05, 2.3));
            join(scene, JointDefinition::cone(shin, foot, point(0.0, y, 0.07), down, (0.5, 0.2)));
        }
        Ragdoll { bodies, joints }
    }

    /// Rotates the whole ragdoll about its pelvis, and throws it.
    pub fn throw(&self, scene: &mut Scene, turn: Quat, velocity: Vec3, spin: Vec3) {
        let middle = scene.body(self.bodies[0]).position;
        for body in &self.bodies {
            scene.edit(*body, |body| {
                let arm = turn.rotate(body.position - middle);
                (body.position, body.rotation) = (middle + arm, (turn * body.rotation).normal());
                (body.velocity, body.angular_velocity) = (velocity + spin.cross(arm), spin);
            });
        }
    }

    /// The largest violation of a limit, in radians.
    pub fn beyond(&self, scene: &Scene) -> f32 {
        let one = |handle: &Handle<Joint>| {
            let joint = scene.joint(*handle);
            let (first, second) = (scene.body(joint.first), scene.body(joint.second));
            let axis = |body: &Body, turn: Quat| (body.rotation * turn).rotate(Vec3::X);
            let swing = axis(first, joint.first_rotation).angle_to(axis(second, joint.second_rotation));
            let swing =
                if joint.kind == physics::joint::JointKind::Hinge as u32 { swing } else { swing - joint.swing_max };
            [joint.lower - joint.coordinate, joint.coordinate - joint.upper, swing]
                .into_iter()
                .fold(0.0, base::number::max)
        };
        self.joints.iter().map(one).fold(0.0, base::number::max)
    }

    /// The largest distance between the anchors of a joint, in metres.
    pub fn apart(&self, scene: &Scene) -> f32 {
        self.joints.iter().map(|handle| apart(scene, *handle)).fold(0.0, base::number::max)
    }
}

/// The distance between the anchors of a joint.
pub fn apart(scene: &Scene, handle: Handle<Joint>) -> f32 {
    let joint = scene.joint(handle);
    let place = |body: Handle<Body>, anchor: Vec3| {
        if body.is_none() {
            return anchor;
        }
        let body = scene.body(body);
        body.position + body.rotation.rotate(anchor)
    };
    place(joint.first, joint.first_anchor).distance(place(joint.second, joint.second_anchor))
}

/// Stairs with steps 0.25 m high and 0.3 m deep, descending along x.
pub fn stairs(scene: &mut Scene, count: u32) {
    for step in 0..count {
        let height = 0.25 * (count - step) as f32;
        let half = Vec3::new(0.15, 3.0, height * 0.5);
        let at = Vec3::new(0.3 * step as f32, 0.0, height * 0.5);
        scene.add(Shape::Box(half), 0.0, at, |body| body.friction = 0.6);
    }
}

/// Whether a point is inside stairs with this many steps.
pub fn is_in_stairs(place: Vec3, count: u32) -> bool {
    let step = base::number::floor((place.x + 0.15) / 0.3);
    let is_there = step >= 0.0 && step < count as f32 && base::number::abs(place.y) < 3.0;
    is_there && place.z < 0.25 * (count as f32 - step)
}

/// A car of 1200 kg with four-wheel drive, steered by its front wheels, facing along x.
pub struct Car {
    pub hull: Handle<Body>,
    pub wheels: Vec<Handle<Body>>,
    pub joints: Vec<Handle<Joint>>,
}

impl Car {
    pub fn new(scene: &mut Scene, at: Vec3) -> Car {
        let half = Vec3::new(2.0, 0.8, 0.25);
        let density = 1200.0 / (8.0 * half.x * half.y * half.z);
        let hull = scene.add(Shape::Box(half), density, at + Vec3::new(0.0, 0.0, 0.75), |_| {});
        let (mut wheels, mut joints) = (Vec::new(), Vec::new());
        for (x, y) in [(1.4, -0.8), (1.4, 0.8), (-1.4, -0.8), (-1.4, 0.8)] {
            let place = at + Vec3::new(x, y, 0.35);
            let volume = 4.0 / 3.0 * core::f32::consts::PI * 0.35 * 0.35 * 0.35;
            let wheel = scene.add(Shape::Sphere(0.35), 20.0 / volume, place, |body| body.friction = 1.0);
            let draft = JointDefinition::wheel(hull, wheel, place, Vec3::Z, Vec3::Y).with_limits(-0.15, 0.2);
            wheels.push(wheel);
            joints.push(scene.join(draft));
        }
        Car { hull, wheels, joints }
    }

    /// Drives all wheels at an angular speed, with a torque each.
    pub fn drive(&self, scene: &mut Scene, speed: f32, torque: f32) {
        for joint in &self.joints {
            scene.edit_joint(*joint, |joint| joint.drive(speed, torque));
        }
    }

    pub fn steer(&self, scene: &mut Scene, angle: f32) {
        for joint in &self.joints[..2] {
            scene.edit_joint(*joint, |joint| joint.steering = angle);
        }
    }
}

/// Planks of 0.5 m that hang in a shallow arc along x, anchored at both ends.
pub fn bridge(scene: &mut Scene, count: u32, height: f32) -> (Vec<Handle<Body>>, Vec<Handle<Joint>>) {
    let half = Vec3::new(0.24, 0.6, 0.05);
    let density = 10.0 / (8.0 * half.x * half.y * half.z);
    let mut end = Vec3::new(count as f32 * -0.25, 0.0, height);
    let (mut planks, mut ends) = (Vec::new(), vec![end]);
    for number in 0..count {
        // Slopes down first, then up.
        let slope = 0.4 * (number as f32 + 0.5 - count as f32 * 0.5) / (count as f32 * 0.5);
        let turn = Quat::from_axis_angle(Vec3::Y, -slope);
        let along = turn.rotate(Vec3::new(0.5, 0.0, 0.0));
        planks.push(scene.add(Shape::Box(half), density, end + along * 0.5, |body| body.rotation = turn));
        end += along;
        ends.push(end);
    }
    let mut joints = Vec::new();
    for (number, end) in ends.iter().enumerate() {
        let first = if number == 0 { WORLD } else { planks[number - 1] };
        let second = planks.get(number).copied().unwrap_or(WORLD);
        // Friction in the hinges: a bridge soon comes to rest.
        joints.push(scene.join(JointDefinition::hinge(first, second, *end, Vec3::Y).with_drag(6.0)));
    }
    (planks, joints)
}
