//! A described scene in our physics: the same bodies, shapes and settings in tests and in benchmarks.

use ::base::{Handle, Quat, Vec3};
use ::physics::mass::Weight;
use ::physics::{Body, Capacities, JointDefinition, Mass, Settings, Shape};

use super::description::{Form, Hold, Joined, Placed, SECONDS, SceneDescription};

/// The settings of a scene: the defaults, but its gravity and step, and no sleep.
pub fn settings(scene: &SceneDescription) -> Settings {
    let gravity = Vec3::new(0.0, 0.0, -scene.gravity);
    Settings { gravity, seconds: SECONDS, sleep_seconds: 0.0, ..Settings::default() }
}

/// Passes on the bodies of a scene, and returns their shapes by number.
pub fn build(scene: &SceneDescription, mut add: impl FnMut(Body)) -> Vec<Option<Shape>> {
    let mut forms: Vec<Form> = Vec::new();
    for placed in &scene.bodies {
        let number = forms.iter().position(|form| *form == placed.form).unwrap_or_else(|| {
            forms.push(placed.form);
            forms.len() - 1
        });
        add(body(number as u32, placed));
    }
    forms.into_iter().map(|form| Some(shape(form))).collect()
}

/// The capacities for a scene.
pub fn capacities(scene: &SceneDescription) -> Capacities {
    let usual = Capacities::for_bodies(scene.bodies.len() as u32);
    Capacities { joints: usual.joints.max(scene.joints.len() as u32), ..usual }
}

/// The joints of a scene, between these bodies.
pub fn joints(scene: &SceneDescription, bodies: &[Handle<Body>]) -> Vec<JointDefinition> {
    scene.joints.iter().map(|joined| joint(joined, joined.bodies.map(|index| bodies[index]))).collect()
}

fn joint(joined: &Joined, [first, second]: [Handle<Body>; 2]) -> JointDefinition {
    let point = Vec3::from_array(joined.point);
    match joined.hold {
        Hold::Cone { axis_z, swing, twist } => {
            JointDefinition::cone(first, second, point, Vec3::Z * axis_z, (swing, twist))
        }
        Hold::Hinge { lower, upper } => JointDefinition::hinge(first, second, point, Vec3::Y).with_limits(lower, upper),
        Hold::Wheel { limits: [lower, upper], hertz, damping_ratio, speed, torque } => {
            JointDefinition::wheel(first, second, point, Vec3::Z, Vec3::Y)
                .with_limits(lower, upper)
                .with_spring(hertz, damping_ratio)
                .with_motor(speed, torque)
        }
    }
}

fn body(number: u32, placed: &Placed) -> Body {
    let (shape, position) = (shape(placed.form), Vec3::from_array(placed.position));
    let body = match placed.density {
        0.0 => Body::new_static((number, &shape), position, Quat::IDENTITY),
        density => {
            let mass = Mass::of(&shape, Weight::Density(density)).expect("spheres and boxes have a mass");
            Body::new((number, &shape), &mass, position, Quat::IDENTITY)
        }
    };
    let (restitution, friction) = (placed.restitution, placed.friction);
    Body { velocity: Vec3::from_array(placed.velocity), restitution, friction, ..body }
}

fn shape(form: Form) -> Shape {
    match form {
        Form::Ball(radius) => Shape::Sphere(radius),
        Form::Cuboid(half) => Shape::Box(Vec3::from_array(half)),
    }
}
