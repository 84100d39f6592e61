//! A quarry in the evening.

use base::{Quat, StringId, Vec3};
use view::instance::look;
use view::{Blend, Decal, Shape, Sprite};

use crate::scenes::dice::Dice;
use crate::scenes::meshes::rock;
use crate::scenes::scene::Scene;

/// The sky of the quarry: a low warm sun and haze.
pub const QUARRY_SKY: &str = "@sky\n!set kind \"day\"\n!set sun_direction vec(-0.62, 0.68, 0.42)\n!set sun_colour \"#ffdcae\"\n\
    !set sun_strength 7.5\n!set zenith \"#4f7fb8\"\n!set horizon \"#d9c8ae\"\n!set sky_ambient \"#7d95b8\"\n\
    !set ground_ambient \"#6b5b48\"\n!set ambient_strength 0.6\n!set fog_colour \"#cdbfa8\"\n!set fog_density 0.004\n";

/// A quarry in the evening: terraces, heaps of stone, a machine, dust.
pub fn quarry() -> Scene {
    let tags = [("skies/evening.sky", QUARRY_SKY)];
    let mut scene = Scene::with_tags(&tags, Vec3::new(-19.0, -14.0, 6.2), Vec3::new(4.0, 5.0, 0.6), 0.9);
    scene.frame.sky = StringId::from("skies/evening.sky");
    let mut dice = Dice(11);
    let tones = [0xb39a7c, 0xa48a6c, 0xc2aa88, 0x8f7d68];
    let ground = scene.add(Shape::Box { half: Vec3::new(400.0, 400.0, 1.0) }, Vec3::new(0.0, 0.0, -1.0), 0xa99170);
    ground.look = look::FIXED;
    for level in 0..5_u8 {
        let step = f32::from(level);
        for index in 0..18_u8 {
            let angle = 0.2 + f32::from(index) * 0.105;
            let distance = 34.0 + step * 8.0;
            let position = Vec3::new(base::number::cos(angle), base::number::sin(angle), 0.0) * distance;
            let half = Vec3::new(5.0 + dice.between(-0.6, 0.8), 2.6 + dice.between(-0.3, 0.4), 2.2 + step * 2.0);
            let tone = tones[(dice.unit() * 3.99) as usize];
            let turn = Quat::from_axis_angle(Vec3::Z, angle + dice.between(-0.06, 0.06));
            let shown = scene.add(Shape::Box { half }, position + Vec3::new(0.0, 0.0, half.z - 0.4), tone);
            (shown.orientation, shown.look) = (turn, look::FIXED);
        }
    }
    let rocks: Vec<Shape> = (0..5).map(|seed| scene.mesh(&format!("stone {seed}"), rock(seed + 40, 2, 0.42))).collect();
    for _ in 0..240 {
        let heap = [Vec3::new(3.0, 8.0, 0.0), Vec3::new(12.0, -3.0, 0.0), Vec3::new(-6.0, 14.0, 0.0)]
            [(dice.unit() * 2.99) as usize];
        let spread = base::number::sqrt(dice.unit());
        let away = dice.within(Vec3::new(5.5, 5.5, 0.0)) * spread;
        let size = 0.2 + 0.95 * dice.unit() * dice.unit();
        let height = size * 0.42 + (1.0 - away.length() / 6.5).max(0.0) * dice.between(0.0, 1.9);
        let turn = dice.turn();
        let tone = tones[(dice.unit() * 3.99) as usize];
        let shape = rocks[(dice.unit() * 4.99) as usize];
        let shown = scene.add(shape, heap + away + Vec3::new(0.0, 0.0, height), tone);
        (shown.orientation, shown.scale) = (turn, size);
    }
    machine(&mut scene, Vec3::new(-4.0, -2.0, 0.0));
    for _ in 0..26 {
        let place = Vec3::new(3.0, 8.0, 1.4) + dice.within(Vec3::new(5.0, 5.0, 1.2));
        let size = dice.between(0.8, 2.4);
        scene.visuals.sprites.push(Sprite {
            position: place,
            size,
            rotation: dice.between(0.0, 6.0),
            stretch: Vec3::ZERO,
            colour: [0.62, 0.52, 0.40, 0.10],
            bitmap: StringId::NONE,
            frame: 0.0,
            blend: Blend::Alpha,
        });
    }
    scene.visuals.decals.push(Decal {
        position: Vec3::new(-9.0, -5.0, 0.0),
        orientation: Quat::IDENTITY,
        half: Vec3::new(2.4, 1.6, 0.6),
        bitmap: StringId::NONE,
        colour: [1.0, 0.9, 0.8, 0.75],
    });
    scene
}

fn machine(scene: &mut Scene, place: Vec3) {
    let yellow = 0xf0b020;
    let parts = [
        (Vec3::new(0.0, 0.0, 1.5), Vec3::new(1.9, 1.2, 0.7), yellow),
        (Vec3::new(-0.5, 0.3, 2.6), Vec3::new(0.8, 0.7, 0.7), 0x2c3138),
        (Vec3::new(0.0, 1.3, 0.55), Vec3::new(2.2, 0.35, 0.5), 0x2a2826),
        (Vec3::new(0.0, -1.3, 0.55), Vec3::new(2.2, 0.35, 0.5), 0x2a2826),
    ];
    for (offset, half, colour) in parts {
        scene.add(Shape::Box { half }, place + offset, colour);
    }
    let arm = scene.add(Shape::Box { half: Vec3::new(2.0, 0.22, 0.28) }, place + Vec3::new(2.8, 0.0, 3.0), yellow);
    arm.orientation = Quat::from_axis_angle(Vec3::Y, -0.5);
    let arm = scene.add(Shape::Box { half: Vec3::new(1.5, 0.18, 0.22) }, place + Vec3::new(5.2, 0.0, 2.7), yellow);
    arm.orientation = Quat::from_axis_angle(Vec3::Y, 0.95);
    let bucket = scene.add(Shape::Box { half: Vec3::new(0.5, 0.6, 0.45) }, place + Vec3::new(6.2, 0.0, 1.2), 0x3a3734);
    bucket.look = look::HOVERED;
    scene.add(Shape::Sphere { radius: 0.5 }, place + Vec3::new(-3.4, -2.4, 0.5), 0xc43d2e);
}
