//! A still life, a fleet and a heap, for exact pictures.

use base::number::{sin_cos, sqrt};
use base::{Pcg, Quat, Random, StringId, Vec2, Vec3};
use view::instance::look;
use view::{Blend, Decal, Light, Rect, RibbonPoint, Shape, ShapeMesh};

use crate::scenes::scene::Scene;

/// The colours of teams.
const TEAMS: [u32; 4] = [0xf2_a5_41, 0x41_b8_d5, 0x6f_c2_5a, 0xc9_5f_c0];

/// A few shapes on a floor with everything that can be drawn: for exact pictures.
pub fn still_life(size: [u32; 2]) -> Scene {
    let mut scene = Scene::new(size, Vec3::new(-9.0, -4.0, 4.5), Vec3::new(0.0, 0.0, 1.0));
    scene.add(Shape::Box { half: Vec3::new(10.0, 10.0, 0.25) }, Vec3::new(0.0, 0.0, -0.25), 0x8a_90_98);
    scene.add(Shape::Sphere { radius: 1.0 }, Vec3::new(-1.0, 1.5, 1.0), TEAMS[0]);
    scene.add(Shape::Capsule { radius: 0.5, length: 1.2 }, Vec3::new(0.5, -1.0, 1.1), TEAMS[1]);
    let turned = scene.add(Shape::Box { half: Vec3::new(0.8, 0.6, 0.5) }, Vec3::new(-3.0, -1.2, 0.5), TEAMS[2]);
    turned.orientation = Quat::from_axis_angle(Vec3::Z, 0.6);
    turned.look = look::SELECTED;
    let marker = scene.add(Shape::Marker { radius: 0.7 }, Vec3::new(-2.0, 0.6, 2.6), TEAMS[3]);
    marker.orientation = Quat::from_axis_angle(Vec3::Z, -2.2);
    let name = StringId::new("tetrahedron");
    let points = vec![Vec3::ZERO, Vec3::new(1.4, 0.0, 0.0), Vec3::new(0.7, 1.3, 0.0), Vec3::new(0.7, 0.5, 1.6)];
    let triangles = vec![[0, 2, 1], [0, 1, 3], [1, 2, 3], [2, 0, 3]];
    scene.catalogue.meshes.insert(name, ShapeMesh { points, triangles });
    scene.add(Shape::Mesh { name }, Vec3::new(2.0, 1.5, 0.0), 0xd8_d2_c0).look = look::HOVERED;
    scene.glow(Vec3::new(1.5, -2.5, 0.9), 0.9, [5.0, 2.2, 0.6, 0.8], Blend::Additive);
    scene.glow(Vec3::new(1.7, -2.3, 1.8), 1.1, [0.12, 0.12, 0.13, 0.6], Blend::Alpha);
    let lit = Light {
        position: Vec3::new(1.2, -2.4, 1.0),
        direction: Vec3::ZERO,
        intensity: Vec3::new(7.0, 3.0, 0.9),
        range: 6.0,
        cone: -1.0,
    };
    scene.visuals.lights.push(lit);
    scene.visuals.decals.push(Decal {
        position: Vec3::new(-4.0, 1.5, 0.0),
        orientation: Quat::IDENTITY,
        half: Vec3::new(1.0, 1.0, 0.5),
        bitmap: StringId::NONE,
        colour: [0.3, 0.25, 0.2, 0.9],
    });
    scene.ribbon((0..24).map(|step| {
        let part = step as f32 / 23.0;
        let (sine, cosine) = sin_cos(part * 5.0);
        let position = Vec3::new(-1.0 + cosine * 1.9, 1.5 + sine * 1.9, 0.6 + part * 1.6);
        RibbonPoint { position, width: 0.08 * part + 0.02, colour: [0.4, 1.6, 2.6, part] }
    }));
    for corner in 0..4 {
        let at = |corner: i32| {
            let (sine, cosine) = sin_cos(corner as f32 * 1.570_796_4);
            Vec3::new(-3.0 + cosine * 1.3, -1.2 + sine * 1.3, 0.05)
        };
        scene.frame.drawing.push(view::Line::new(view::Kind::Velocity, 0, at(corner), at(corner + 1)));
    }
    let rect = Rect { min: Vec2::new(12.0, 12.0), max: Vec2::new(212.0, 64.0) };
    scene.label(rect, "Still life · 1234 öß", 15.0);
    scene
}

/// A fleet before a planet: thousands of instances, trails and explosions. The count is that of the ships.
pub fn fleet(size: [u32; 2], ships: u32) -> Scene {
    let mut random = Pcg::new(2024, 5);
    let mut unit = move || (random.next_u32() >> 8) as f32 / 16_777_216.0;
    let mut scene = Scene::new(size, Vec3::new(-95.0, -42.0, 26.0), Vec3::new(10.0, 4.0, 0.0));
    scene.add(Shape::Sphere { radius: 320.0 }, Vec3::new(620.0, 420.0, -210.0), 0x6f_7f_92);
    scene.add(Shape::Sphere { radius: 34.0 }, Vec3::new(300.0, -160.0, 120.0), 0xa8_9a_86);
    for index in 0..ships {
        let team = (index % 2) as usize;
        let side = if team == 0 { -1.0 } else { 1.0 };
        let spread = sqrt(unit()) * 90.0;
        let (sine, cosine) = sin_cos(unit() * base::number::TAU);
        let height = (unit() - 0.5) * (36.0 - spread * 0.25);
        let position = Vec3::new(side * 14.0 + cosine * spread, sine * spread, height);
        let shape = match index % 7 {
            0 => Shape::Box { half: Vec3::new(1.5, 0.5, 0.35) },
            1 => Shape::Capsule { radius: 0.35, length: 1.4 },
            2 => Shape::Sphere { radius: 0.45 },
            _ => Shape::Marker { radius: 0.9 },
        };
        let turn = Quat::from_euler(Vec3::new((unit() - 0.5) * 0.8, (unit() - 0.5) * 0.5, unit() * 1.2 + side));
        let instance = scene.add(shape, position, TEAMS[team]);
        instance.orientation = turn;
        instance.team = team as u8;
        if index % 5 == 0 {
            let back = turn.rotate(-Vec3::X);
            let colour = if team == 0 { [3.0, 1.4, 0.5] } else { [0.5, 1.5, 3.0] };
            scene.ribbon((0..10).map(|step| {
                let part = step as f32 / 9.0;
                let position = position + back * (0.8 + 6.0 * part) + Vec3::new(0.0, 0.0, part * part * 0.6);
                RibbonPoint {
                    position,
                    width: 0.16 * (1.0 - part),
                    colour: [colour[0], colour[1], colour[2], 1.0 - part],
                }
            }));
        }
    }
    for _ in 0..14 {
        let centre = Vec3::new((unit() - 0.5) * 70.0, (unit() - 0.5) * 80.0, (unit() - 0.5) * 18.0);
        for _ in 0..40 {
            let offset = Vec3::new(unit() - 0.5, unit() - 0.5, unit() - 0.5) * 5.0;
            let heat = unit();
            scene.glow(
                centre + offset,
                0.5 + unit() * 1.4,
                [2.6, 0.5 + heat * 0.7, 0.08 + heat * 0.2, 0.16],
                Blend::Additive,
            );
        }
        scene.visuals.lights.push(Light {
            position: centre,
            direction: Vec3::ZERO,
            intensity: Vec3::new(160.0, 80.0, 26.0),
            range: 26.0,
            cone: -1.0,
        });
    }
    scene
}

/// A heap of boxes and balls on a floor, as physics makes them: thousands of instances.
pub fn heap(size: [u32; 2], count: u32) -> Scene {
    let mut random = Pcg::new(77, 5);
    let mut unit = move || (random.next_u32() >> 8) as f32 / 16_777_216.0;
    let mut scene = Scene::new(size, Vec3::new(-24.0, -15.0, 13.0), Vec3::new(2.0, 1.0, 0.5));
    scene.add(Shape::Box { half: Vec3::new(60.0, 60.0, 0.5) }, Vec3::new(0.0, 0.0, -0.5), 0x9a_9c_a0).look =
        look::FIXED;
    for index in 0..count {
        let spread = sqrt(unit()) * 14.0;
        let (sine, cosine) = sin_cos(unit() * base::number::TAU);
        let height = 0.35 + unit() * (14.0 - spread) * 0.5;
        let position = Vec3::new(cosine * spread, sine * spread, height);
        let shape = match index % 3 {
            0 => Shape::Sphere { radius: 0.35 },
            1 => Shape::Box { half: Vec3::new(0.45, 0.35, 0.3) },
            _ => Shape::Capsule { radius: 0.22, length: 0.6 },
        };
        let instance = scene.add(shape, position, TEAMS[(index / 3 % 4) as usize]);
        instance.orientation = Quat::from_euler(Vec3::new(unit() * 6.0, unit() * 1.4, unit() * 6.0));
    }
    scene
}
