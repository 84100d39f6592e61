//! Thousands of things, for measurements.

use base::Vec3;
use view::Shape;

use crate::scenes::dice::Dice;
use crate::scenes::meshes::fighter;
use crate::scenes::scene::Scene;

const AMBER: u32 = 0xf2_a5_41;
const HULL: u32 = 0xaa_b0_b8;

/// Rows of spheres, boxes and capsules that drift and turn, for measurements: `count` of them.
pub fn crowd(count: u32) -> Scene {
    let side = base::number::ceil(base::number::sqrt(count as f32)) as u32;
    let reach = side as f32 * 3.0;
    let mut scene = Scene::with_tags(
        &[],
        Vec3::new(-reach * 0.35, -reach * 0.2, reach * 0.22),
        Vec3::new(reach * 0.3, reach * 0.35, 0.0),
        1.0,
    );
    let mut dice = Dice(3);
    let fighter = scene.mesh("fighter", fighter());
    for index in 0..count {
        let place = Vec3::new((index % side) as f32 * 3.0, (index / side) as f32 * 3.0, dice.between(-2.0, 2.0));
        let shape = match index % 4 {
            0 => Shape::Sphere { radius: 0.8 },
            1 => Shape::Box { half: Vec3::new(0.9, 0.5, 0.4) },
            2 => Shape::Capsule { radius: 0.4, length: 1.2 },
            _ => fighter,
        };
        let turn = dice.turn();
        let (velocity, spin) = (dice.within(Vec3::ONE), dice.within(Vec3::ONE));
        let shown = scene.add(shape, place, if index % 3 == 0 { AMBER } else { HULL });
        shown.orientation = turn;
        (shown.velocity, shown.angular_velocity) = (velocity, spin);
    }
    scene
}
