//! A battle in space.

use base::{Quat, StringId, Vec2, Vec3};
use view::instance::look;
use view::{
    Blend, Canvas, CanvasItem, Light, Rect, Rgba, Ribbon, RibbonPoint, Shape, Span, Sprite, TextStyle, Visuals,
};

use crate::scenes::dice::Dice;
use crate::scenes::meshes::{fighter, hull, rock};
use crate::scenes::scene::Scene;

const AMBER: u32 = 0xf2a541;
const CYAN: u32 = 0x4fc0e8;
const HULL: u32 = 0xaab0b8;
const DARK: u32 = 0x565c66;

/// A battle in space: capital ships, fighters with trails, shots, an explosion and rocks.
pub fn space() -> Scene {
    let mut scene = Scene::with_tags(&[], Vec3::new(-46.0, -30.0, 13.0), Vec3::new(10.0, 8.0, 2.0), 0.85);
    scene.frame.moment.cycle_seconds = 0.01;
    let mut dice = Dice(7);
    let hull = scene.mesh("hull", hull(60.0, 9.0, 6.0));
    let fighter = scene.mesh("fighter", fighter());
    let rocks: Vec<Shape> = (0..4).map(|seed| scene.mesh(&format!("rock {seed}"), rock(seed, 3, 0.34))).collect();
    capital(&mut scene, hull, Vec3::new(14.0, 4.0, 0.0), 0.0, AMBER);
    capital(&mut scene, hull, Vec3::new(70.0, 60.0, -12.0), 2.7, CYAN);
    capital(&mut scene, hull, Vec3::new(120.0, -30.0, 20.0), -2.4, CYAN);
    for index in 0..36 {
        let is_ours = index % 2 == 0;
        let home = if is_ours { Vec3::new(0.0, -4.0, 5.0) } else { Vec3::new(55.0, 25.0, 2.0) };
        let position = home + dice.within(Vec3::new(32.0, 24.0, 9.0));
        let heading = if is_ours { dice.between(-0.5, 0.9) } else { dice.between(2.2, 3.6) };
        let turn = Quat::from_axis_angle(Vec3::Z, heading) * Quat::from_axis_angle(Vec3::X, dice.between(-0.9, 0.9));
        let colour = if is_ours { AMBER } else { CYAN };
        let shown = scene.add(fighter, position, colour);
        shown.orientation = turn;
        shown.velocity = turn.rotate(Vec3::X) * 20.0;
        if index == 0 {
            (shown.position, shown.look) = (Vec3::new(-30.0, -20.0, 9.0), look::SELECTED);
        }
        let position = shown.position;
        trail(&mut scene.visuals, position, turn, if is_ours { [1.0, 0.45, 0.12] } else { [0.2, 0.6, 1.0] });
    }
    for _ in 0..70 {
        let position = Vec3::new(90.0, 20.0, -34.0) + dice.within(Vec3::new(120.0, 100.0, 14.0));
        let shape = rocks[(dice.unit() * 3.99) as usize];
        let turn = dice.turn();
        let scale = dice.between(1.0, 5.0);
        let shown = scene.add(shape, position, 0x7a6f66);
        (shown.orientation, shown.scale) = (turn, scale);
    }
    for _ in 0..14 {
        let from = Vec3::new(20.0, 6.0, 3.0) + dice.within(Vec3::new(20.0, 6.0, 2.0));
        let to = Vec3::new(70.0, 55.0, -10.0) + dice.within(Vec3::new(14.0, 14.0, 4.0));
        let part = dice.between(0.1, 0.8);
        beam(&mut scene.visuals, from.lerp(to, part), from.lerp(to, part + 0.09), 0.16, [3.0, 0.9, 0.25]);
    }
    explosion(&mut scene.visuals, Vec3::new(28.0, 20.0, 5.0), &mut dice);
    interface(&mut scene.canvas);
    scene
}

fn capital(scene: &mut Scene, hull: Shape, position: Vec3, heading: f32, team: u32) {
    let turn = Quat::from_axis_angle(Vec3::Z, heading);
    scene.add(hull, position, HULL).orientation = turn;
    let boxes = [
        (Vec3::new(-14.0, 0.0, 3.6), Vec3::new(6.0, 2.2, 2.4), HULL),
        (Vec3::new(-16.0, 0.0, 6.6), Vec3::new(2.4, 3.4, 0.8), team),
        (Vec3::new(4.0, 0.0, 3.2), Vec3::new(8.0, 1.2, 0.9), DARK),
        (Vec3::new(-24.0, 6.4, 0.0), Vec3::new(8.0, 1.5, 1.6), DARK),
        (Vec3::new(-24.0, -6.4, 0.0), Vec3::new(8.0, 1.5, 1.6), DARK),
        (Vec3::new(10.0, 3.6, 1.4), Vec3::new(5.0, 0.5, 0.5), team),
        (Vec3::new(10.0, -3.6, 1.4), Vec3::new(5.0, 0.5, 0.5), team),
        (Vec3::new(-2.0, 0.0, 3.4), Vec3::new(1.6, 2.6, 0.7), team),
    ];
    for (offset, half, colour) in boxes {
        scene.add(Shape::Box { half }, position + turn.rotate(offset), colour).orientation = turn;
    }
    for index in 0..6 {
        let place = Vec3::new(16.0 - index as f32 * 5.5, 0.0, 3.4);
        scene.add(Shape::Sphere { radius: 0.9 }, position + turn.rotate(place), DARK);
        let barrel = position + turn.rotate(place + Vec3::new(1.4, 0.0, 0.4));
        let shown = scene.add(Shape::Capsule { radius: 0.2, length: 2.4 }, barrel, DARK);
        shown.orientation = turn * Quat::from_axis_angle(Vec3::Y, 1.35);
    }
    for side in [-6.4, 6.4] {
        let engine = position + turn.rotate(Vec3::new(-32.6, side, 0.0));
        let sprite = |size: f32, colour: [f32; 4]| Sprite {
            position: engine,
            size,
            rotation: 0.0,
            stretch: Vec3::ZERO,
            colour,
            bitmap: StringId::NONE,
            frame: 0.0,
            blend: Blend::Additive,
        };
        scene.visuals.sprites.push(sprite(3.4, [1.6, 2.8, 6.0, 0.7]));
        scene.visuals.sprites.push(sprite(1.3, [6.0, 8.0, 9.0, 1.0]));
        scene.visuals.lights.push(Light {
            position: engine,
            direction: Vec3::ZERO,
            intensity: Vec3::new(20.0, 45.0, 90.0),
            range: 22.0,
            cone: -1.0,
        });
    }
}

fn trail(visuals: &mut Visuals, position: Vec3, turn: Quat, [red, green, blue]: [f32; 3]) {
    let first = visuals.ribbon_points.len() as u32;
    let back = turn.rotate(-Vec3::X);
    for index in 0..16 {
        let age = index as f32 / 15.0;
        let fade = (1.0 - age) * (1.0 - age);
        let curl = turn.rotate(Vec3::Y) * (age * age * 1.6);
        visuals.ribbon_points.push(RibbonPoint {
            position: position + back * (0.9 + age * 9.0) + curl,
            width: 0.16 + 0.1 * age,
            colour: [red * 3.5, green * 3.5, blue * 3.5, fade * 0.8],
        });
    }
    visuals.ribbons.push(Ribbon { points: Span { first, count: 16 }, bitmap: StringId::NONE, blend: Blend::Additive });
    visuals.sprites.push(Sprite {
        position: position + back * 0.9,
        size: 0.5,
        rotation: 0.0,
        stretch: Vec3::ZERO,
        colour: [red * 6.0 + 1.0, green * 6.0 + 1.0, blue * 6.0 + 1.0, 0.9],
        bitmap: StringId::NONE,
        frame: 0.0,
        blend: Blend::Additive,
    });
}

fn beam(visuals: &mut Visuals, from: Vec3, to: Vec3, width: f32, [red, green, blue]: [f32; 3]) {
    let first = visuals.ribbon_points.len() as u32;
    let colour = [red * 3.0, green * 3.0, blue * 3.0, 1.0];
    visuals.ribbon_points.extend([from, to].map(|position| RibbonPoint { position, width, colour }));
    visuals.ribbons.push(Ribbon { points: Span { first, count: 2 }, bitmap: StringId::NONE, blend: Blend::Additive });
}

fn explosion(visuals: &mut Visuals, place: Vec3, dice: &mut Dice) {
    let sprite = |position, size, colour, blend, stretch| Sprite {
        position,
        size,
        rotation: 0.0,
        stretch,
        colour,
        bitmap: StringId::NONE,
        frame: 0.0,
        blend,
    };
    visuals.sprites.push(sprite(place, 6.0, [5.0, 2.4, 0.8, 0.55], Blend::Additive, Vec3::ZERO));
    visuals.sprites.push(sprite(place, 2.2, [14.0, 10.0, 6.0, 1.0], Blend::Additive, Vec3::ZERO));
    for _ in 0..14 {
        let away = dice.within(Vec3::ONE).normal_or(Vec3::Z);
        let distance = dice.between(2.0, 7.0);
        visuals.sprites.push(sprite(place + away * distance, 0.09, [9.0, 4.0, 1.0, 1.0], Blend::Additive, away * 0.7));
        let smoke = place + dice.within(Vec3::splat(2.6));
        visuals.sprites.push(sprite(smoke, 2.0, [0.05, 0.045, 0.045, 0.35], Blend::Alpha, Vec3::ZERO));
    }
    visuals.lights.push(Light {
        position: place,
        direction: Vec3::ZERO,
        intensity: Vec3::new(900.0, 420.0, 140.0),
        range: 60.0,
        cone: -1.0,
    });
}

fn interface(canvas: &mut Canvas) {
    let rect = |left: f32, top: f32, right: f32, bottom: f32| Rect {
        min: Vec2::new(left, top),
        max: Vec2::new(right, bottom),
    };
    let colour = |red, green, blue, alpha| Rgba { red, green, blue, alpha };
    canvas.items.push(CanvasItem::Quad {
        rect: rect(8.0, 148.0, 118.0, 172.0),
        fill: colour(12, 18, 28, 190),
        border: colour(242, 165, 65, 220),
        border_width: 1.0,
        radius: 5.0,
    });
    canvas.items.push(CanvasItem::Quad {
        rect: rect(14.0, 163.0, 96.0, 167.0),
        fill: colour(120, 220, 90, 255),
        border: Rgba::default(),
        border_width: 0.0,
        radius: 2.0,
    });
    let style = TextStyle { font: StringId::NONE, size: 10.0, align: 0.0, wraps: false };
    canvas.text(rect(14.0, 150.0, 118.0, 162.0), "Corvette · hull 86 %", style, colour(240, 240, 235, 255));
    canvas.items.push(CanvasItem::Line {
        from: Vec2::new(290.0, 10.0),
        to: Vec2::new(310.0, 30.0),
        width: 1.5,
        colour: colour(242, 165, 65, 255),
    });
}
