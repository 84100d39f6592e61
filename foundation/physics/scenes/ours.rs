//! A described scene in our physics: the same bodies, shapes and settings in tests and in benchmarks.

use ::base::{Quat, Vec3};
use ::physics::mass::Weight;
use ::physics::{Body, Mass, Settings, Shape};

use super::description::{Form, Placed, SECONDS, SceneDescription};

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
