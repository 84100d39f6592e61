//! Scenes for pictures, tests and measurements: a battle in space, and a quarry.

use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use base::{Quat, StringId, Vec2, Vec3};
use tags::library::Ready;
use tags::{Bulk, Classes, Key, Library, TagPath};
use view::instance::look;
use view::{
    Blend, BulkKind, BulkSource, CameraView, Canvas, CanvasItem, Colour, Decal, Frame, Instance, Light, Overlay,
    PartState, Picture, Rect, Rgba, Ribbon, RibbonPoint, Shape, ShapeCatalogue, ShapeMesh, Span, Sprite, TextStyle,
    Visuals,
};

/// Everything a picture refers to.
pub struct DrawnScene {
    pub frame: Frame,
    pub catalogue: ShapeCatalogue,
    pub visuals: Visuals,
    pub views: Vec<CameraView>,
    pub canvas: Canvas,
    pub overlay: Overlay,
    pub content: Library,
    pub ahead: f32,
}

/// Bulk data that nobody has.
pub struct NoBulk;

impl BulkSource for NoBulk {
    fn part(&self, _: &Bulk, _: u32, _: BulkKind) -> PartState {
        PartState::Failed
    }
}

impl DrawnScene {
    /// The picture of the scene at a size.
    pub fn picture(&self, size: [u32; 2]) -> Picture<'_> {
        Picture {
            size,
            frame: &self.frame,
            ahead: self.ahead,
            catalogue: &self.catalogue,
            visuals: &self.visuals,
            views: &self.views,
            canvas: &self.canvas,
            overlay: &self.overlay,
        }
    }

    /// An empty scene with these tags, seen from a place towards another.
    pub fn new(tags: &[(&str, &str)], eye: Vec3, target: Vec3, fov: f32) -> DrawnScene {
        DrawnScene {
            frame: Frame::new(1024),
            catalogue: ShapeCatalogue { version: 1, ..ShapeCatalogue::default() },
            visuals: Visuals::default(),
            views: vec![camera(eye, target, fov)],
            canvas: Canvas { size: Vec2::new(320.0, 180.0), scale: 1.0, ..Canvas::default() },
            overlay: Overlay::default(),
            content: library(tags),
            ahead: 0.0,
        }
    }

    /// Adds an instance that does not move, and returns it.
    pub fn add(&mut self, shape: Shape, position: Vec3, colour: Colour) -> &mut Instance {
        let object = self.frame.instances.len() as u32 + 1;
        self.frame.instances.push(Instance {
            object,
            parent: 0,
            model: StringId::NONE,
            shape,
            position,
            orientation: Quat::IDENTITY,
            velocity: Vec3::ZERO,
            angular_velocity: Vec3::ZERO,
            scale: 1.0,
            colour,
            team: 0,
            look: 0,
            clips: Span::default(),
            pose: Span::default(),
            parameters: Span::default(),
        });
        self.frame.instances.last_mut().expect("it was added above")
    }

    fn mesh(&mut self, name: &str, mesh: ShapeMesh) -> Shape {
        let name = StringId::from(name);
        self.catalogue.meshes.insert(name, mesh);
        Shape::Mesh { name }
    }
}

/// A camera at a place that looks at another, z up.
pub fn camera(eye: Vec3, target: Vec3, fov: f32) -> CameraView {
    let forward = (target - eye).normal_or(Vec3::X);
    let left = Vec3::Z.cross(forward).normal_or(Vec3::Y);
    let up = forward.cross(left);
    let orientation = Quat::from_matrix(base::Mat3::from_columns(forward, left, up));
    CameraView { position: eye, orientation, fov, near: 0.1, viewport: [0.0, 0.0, 1.0, 1.0] }
}

/// The versions of tags that were made.
static VERSIONS: AtomicU64 = AtomicU64::new(1);

/// A library of tags given as text.
pub fn library(tags: &[(&str, &str)]) -> Library {
    let classes = Arc::new(view::classes::add_to(Classes::new()));
    let mut library = Library::with_classes(Arc::clone(&classes));
    library.apply(tags.iter().map(|(path, text)| {
        let path = TagPath::new(path).expect("a path of a scene");
        let made = classes.get(path.class()).expect("a class of a scene").pack_text(text);
        assert!(made.reports.is_empty(), "{:?}", made.reports);
        // A number of its own for each version, as a hash of all that it was made of would be.
        let mut key = Key::default();
        key.0[..8].copy_from_slice(&VERSIONS.fetch_add(1, Ordering::Relaxed).to_le_bytes());
        Ready { path, key, packed: Arc::new(made.packed) }
    }));
    library
}

/// Random numbers of a scene.
struct Dice(u32);

impl Dice {
    /// From 0 to 1.
    fn unit(&mut self) -> f32 {
        self.0 = self.0.wrapping_mul(747_796_405).wrapping_add(2_891_336_453);
        let word = ((self.0 >> ((self.0 >> 28) + 4)) ^ self.0).wrapping_mul(277_803_737);
        ((word >> 22) ^ word) as f32 / 4_294_967_296.0
    }

    fn between(&mut self, low: f32, high: f32) -> f32 {
        low + (high - low) * self.unit()
    }

    fn within(&mut self, reach: Vec3) -> Vec3 {
        Vec3::new(self.between(-reach.x, reach.x), self.between(-reach.y, reach.y), self.between(-reach.z, reach.z))
    }

    fn turn(&mut self) -> Quat {
        let axis = self.within(Vec3::ONE).normal_or(Vec3::Z);
        Quat::from_axis_angle(axis, self.between(-3.0, 3.0))
    }
}

const AMBER: Colour = Colour::of(0xf2a541);
const CYAN: Colour = Colour::of(0x4fc0e8);
const HULL: Colour = Colour::of(0xaab0b8);
const DARK: Colour = Colour::of(0x565c66);

/// A battle in space: capital ships, fighters with trails, shots, an explosion and rocks.
pub fn space() -> DrawnScene {
    let mut scene = DrawnScene::new(&[], Vec3::new(-46.0, -30.0, 13.0), Vec3::new(10.0, 8.0, 2.0), 0.85);
    scene.frame.moment.cycle_seconds = 0.01;
    let mut dice = Dice(7);
    let hull = scene.mesh("hull", hull(60.0, 9.0, 6.0));
    let fighter = scene.mesh("fighter", hull_small());
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
        let shown = scene.add(shape, position, Colour::of(0x7a6f66));
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

fn capital(scene: &mut DrawnScene, hull: Shape, position: Vec3, heading: f32, team: Colour) {
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

/// The sky of the quarry: a low warm sun and haze.
pub const QUARRY_SKY: &str = "@sky\n!set kind \"day\"\n!set sun_direction vec(-0.62, 0.68, 0.42)\n!set sun_colour \"#ffdcae\"\n\
    !set sun_strength 7.5\n!set zenith \"#4f7fb8\"\n!set horizon \"#d9c8ae\"\n!set sky_ambient \"#7d95b8\"\n\
    !set ground_ambient \"#6b5b48\"\n!set ambient_strength 0.6\n!set fog_colour \"#cdbfa8\"\n!set fog_density 0.004\n";

/// A quarry in the evening: terraces, heaps of stone, a machine, dust.
pub fn quarry() -> DrawnScene {
    let tags = [("skies/evening.sky", QUARRY_SKY)];
    let mut scene = DrawnScene::new(&tags, Vec3::new(-19.0, -14.0, 6.2), Vec3::new(4.0, 5.0, 0.6), 0.9);
    scene.frame.sky = StringId::from("skies/evening.sky");
    let mut dice = Dice(11);
    let tones = [0xb39a7c, 0xa48a6c, 0xc2aa88, 0x8f7d68].map(Colour::of);
    let ground =
        scene.add(Shape::Box { half: Vec3::new(400.0, 400.0, 1.0) }, Vec3::new(0.0, 0.0, -1.0), Colour::of(0xa99170));
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

fn machine(scene: &mut DrawnScene, place: Vec3) {
    let yellow = Colour::of(0xf0b020);
    let parts = [
        (Vec3::new(0.0, 0.0, 1.5), Vec3::new(1.9, 1.2, 0.7), yellow),
        (Vec3::new(-0.5, 0.3, 2.6), Vec3::new(0.8, 0.7, 0.7), Colour::of(0x2c3138)),
        (Vec3::new(0.0, 1.3, 0.55), Vec3::new(2.2, 0.35, 0.5), Colour::of(0x2a2826)),
        (Vec3::new(0.0, -1.3, 0.55), Vec3::new(2.2, 0.35, 0.5), Colour::of(0x2a2826)),
    ];
    for (offset, half, colour) in parts {
        scene.add(Shape::Box { half }, place + offset, colour);
    }
    let arm = scene.add(Shape::Box { half: Vec3::new(2.0, 0.22, 0.28) }, place + Vec3::new(2.8, 0.0, 3.0), yellow);
    arm.orientation = Quat::from_axis_angle(Vec3::Y, -0.5);
    let arm = scene.add(Shape::Box { half: Vec3::new(1.5, 0.18, 0.22) }, place + Vec3::new(5.2, 0.0, 2.7), yellow);
    arm.orientation = Quat::from_axis_angle(Vec3::Y, 0.95);
    let bucket = scene.add(
        Shape::Box { half: Vec3::new(0.5, 0.6, 0.45) },
        place + Vec3::new(6.2, 0.0, 1.2),
        Colour::of(0x3a3734),
    );
    bucket.look = look::HOVERED;
    scene.add(Shape::Sphere { radius: 0.5 }, place + Vec3::new(-3.4, -2.4, 0.5), Colour::of(0xc43d2e));
}

/// Rows of spheres, boxes and capsules that drift and turn, for measurements: `count` of them.
pub fn crowd(count: u32) -> DrawnScene {
    let side = base::number::ceil(base::number::sqrt(count as f32)) as u32;
    let reach = side as f32 * 3.0;
    let mut scene = DrawnScene::new(
        &[],
        Vec3::new(-reach * 0.35, -reach * 0.2, reach * 0.22),
        Vec3::new(reach * 0.3, reach * 0.35, 0.0),
        1.0,
    );
    let mut dice = Dice(3);
    let fighter = scene.mesh("fighter", hull_small());
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

/// A long hull of eight-sided sections.
fn hull(length: f32, width: f32, height: f32) -> ShapeMesh {
    let sections = [(-0.5, 0.55), (-0.42, 0.95), (-0.1, 1.0), (0.1, 0.86), (0.32, 0.62), (0.46, 0.3), (0.5, 0.12)];
    let outline =
        [(1.0, 0.25), (0.72, 0.8), (0.3, 1.0), (-0.3, 1.0), (-0.72, 0.8), (-1.0, 0.25), (-0.8, -0.7), (0.8, -0.7)];
    let mut mesh = ShapeMesh::default();
    for (along, size) in sections {
        let ring = outline.map(|(y, z)| Vec3::new(along * length, y * width * 0.5 * size, z * height * 0.5 * size));
        mesh.points.extend(ring);
    }
    close(&mut mesh, sections.len() as u32, outline.len() as u32);
    mesh
}

fn hull_small() -> ShapeMesh {
    let corners = [
        (1.3, 0.0, 0.0),
        (-0.9, 1.1, 0.0),
        (-0.6, 0.3, 0.32),
        (-0.6, -0.3, 0.32),
        (-0.9, -1.1, 0.0),
        (-0.7, 0.0, -0.22),
        (0.3, 0.22, 0.12),
        (0.3, -0.22, 0.12),
    ];
    let points = corners.map(|(x, y, z)| Vec3::new(x, y, z)).to_vec();
    let triangles = vec![
        [0, 6, 7],
        [6, 2, 3],
        [6, 3, 7],
        [0, 1, 6],
        [1, 2, 6],
        [0, 7, 4],
        [7, 3, 4],
        [0, 5, 1],
        [0, 4, 5],
        [1, 5, 2],
        [2, 5, 3],
        [3, 5, 4],
    ];
    ShapeMesh { points, triangles }
}

/// Joins rings of points, and closes both ends.
fn close(mesh: &mut ShapeMesh, rings: u32, around: u32) {
    for ring in 0..rings - 1 {
        for side in 0..around {
            let next = (side + 1) % around;
            let (a, b) = (ring * around + side, ring * around + next);
            let (c, d) = (a + around, b + around);
            mesh.triangles.push([a, b, c]);
            mesh.triangles.push([b, d, c]);
        }
    }
    for side in 1..around - 1 {
        mesh.triangles.push([0, side + 1, side]);
        let last = (rings - 1) * around;
        mesh.triangles.push([last, last + side, last + side + 1]);
    }
}

/// A lump of stone: a sphere of triangles, dented by a few planes and some noise.
fn rock(seed: u32, divisions: u32, roughness: f32) -> ShapeMesh {
    let mut dice = Dice(seed.wrapping_mul(977).wrapping_add(5));
    let cuts: Vec<(Vec3, f32)> =
        (0..9).map(|_| (dice.within(Vec3::ONE).normal_or(Vec3::X), dice.between(0.6, 0.95))).collect();
    let steps = 4 * divisions;
    let around = steps * 2;
    let mut mesh = ShapeMesh::default();
    for ring in 0..=steps {
        let (sine, cosine) = base::number::sin_cos(ring as f32 / steps as f32 * base::number::PI);
        for side in 0..around {
            let (y, x) = base::number::sin_cos(side as f32 / around as f32 * base::number::TAU);
            let direction = Vec3::new(x * sine, y * sine, cosine);
            let bump = 1.0 + roughness * 0.25 * (dice.unit() - 0.5) * sine;
            let mut point = direction * bump;
            for (normal, distance) in &cuts {
                let over = point.dot(*normal) - distance;
                if over > 0.0 {
                    point -= *normal * (over * 0.92);
                }
            }
            mesh.points.push(point);
        }
    }
    for ring in 0..steps {
        for side in 0..around {
            let next = (side + 1) % around;
            let (a, b) = (ring * around + side, ring * around + next);
            let (c, d) = (a + around, b + around);
            mesh.triangles.push([a, c, b]);
            mesh.triangles.push([b, c, d]);
        }
    }
    mesh
}
