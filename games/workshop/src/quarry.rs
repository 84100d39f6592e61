//! The things of the quarry: stone, timber, iron, and a yellow machine.

use astrarium::base::number::{clamp, cos, max, sin, sqrt};
use astrarium::base::{Pcg, Vec3};

use crate::Product;
use crate::glb;
use crate::mesh::{Mesh, Paint, Triangle, matt};
use crate::solids::{Noise, chamfered_box, cylinder, loft, section, sphere};

const STONE: Paint =
    Paint { texture: Some("stone.png"), texture_size: 1.6, ..matt("stone", [0.50, 0.45, 0.39], 0.0, 0.92) };
const DARK_STONE: Paint =
    Paint { texture: Some("stone.png"), texture_size: 1.6, ..matt("dark_stone", [0.26, 0.25, 0.25], 0.0, 0.95) };
const GROUND: Paint =
    Paint { texture: Some("ground.png"), texture_size: 9.0, ..matt("ground", [0.50, 0.42, 0.33], 0.0, 0.97) };
const TIMBER: Paint =
    Paint { texture: Some("timber.png"), texture_size: 0.8, ..matt("timber", [0.52, 0.34, 0.18], 0.0, 0.8) };
const DARK_TIMBER: Paint =
    Paint { texture: Some("timber.png"), texture_size: 0.5, ..matt("dark_timber", [0.30, 0.18, 0.10], 0.0, 0.8) };
const IRON: Paint = matt("iron", [0.20, 0.20, 0.21], 0.8, 0.5);
const RUST: Paint = matt("rust", [0.34, 0.13, 0.06], 0.2, 0.85);
const BLUE: Paint = matt("blue", [0.06, 0.16, 0.34], 0.1, 0.5);
const YELLOW: Paint = matt("yellow", [0.85, 0.50, 0.03], 0.05, 0.45);
const RUBBER: Paint = matt("rubber", [0.025, 0.025, 0.028], 0.0, 0.9);
const GLASS: Paint = matt("glass", [0.03, 0.05, 0.07], 0.0, 0.08);
const LAMP: Paint = Paint { emissive: [1.0, 0.85, 0.55], strength: 5.0, ..matt("lamp", [0.1, 0.1, 0.1], 0.0, 0.3) };
const SHOT: Paint = Paint { emissive: [1.0, 0.45, 0.1], strength: 12.0, ..matt("shot", [0.1, 0.05, 0.02], 0.0, 0.5) };
const CLOTH: Paint = matt("cloth", [0.42, 0.10, 0.07], 0.0, 0.9);
const TROUSERS: Paint = matt("trousers", [0.10, 0.13, 0.20], 0.0, 0.9);
const SKIN: Paint = matt("skin", [0.62, 0.40, 0.28], 0.0, 0.7);
const HELMET: Paint = matt("helmet", [0.86, 0.62, 0.05], 0.0, 0.35);
const SEA: Paint = matt("sea", [0.04, 0.12, 0.22], 0.0, 0.35);

/// All models of the quarry.
pub fn all() -> Vec<Product> {
    let models: Vec<(&str, Mesh, f32)> = vec![
        ("crate", timber_crate(), 0.4),
        ("plank", plank(), 0.2),
        ("block", block(), 0.6),
        ("ball", ball(), 0.4),
        ("barrel", barrel(), 0.3),
        ("gun", gun(), 0.6),
        ("shot", shot(), 0.1),
        ("ram", ram(), 0.8),
        ("atom", atom(), 0.4),
        ("grain", grain(), 0.4),
        ("moon", moon(), 0.0),
        ("planet", planet(), 0.0),
        ("floor", floor(), 0.0),
        ("truck", truck(), 0.8),
        ("trailer", trailer(), 0.8),
        ("wheel", wheel(), 0.3),
        ("head", head(), 0.2),
        ("chest", limb("cloth", 0.14, 0.2, 1.25), 0.2),
        ("pelvis", limb("trousers", 0.13, 0.12, 1.2), 0.2),
        ("upper_arm", limb("cloth", 0.055, 0.22, 1.0), 0.1),
        ("lower_arm", limb("skin", 0.045, 0.2, 1.0), 0.1),
        ("thigh", limb("trousers", 0.08, 0.3, 1.0), 0.1),
        ("shin", limb("trousers", 0.06, 0.3, 1.0), 0.1),
    ];
    let file = |(name, mesh, reach): &(&str, Mesh, f32)| {
        (format!("quarry/data/models/{name}.glb"), glb::write(mesh, name, *reach))
    };
    models.iter().map(file).collect()
}

fn timber_crate() -> Mesh {
    let mut mesh = Mesh::default();
    let (timber, dark, iron) = (mesh.paint(TIMBER), mesh.paint(DARK_TIMBER), mesh.paint(IRON));
    chamfered_box(&mut mesh, timber, Vec3::ZERO, Vec3::splat(0.37), 0.05);
    let (edge, reach) = (0.05, 0.35);
    for one in [-reach, reach] {
        for two in [-reach, reach] {
            chamfered_box(&mut mesh, dark, Vec3::new(0.0, one, two), Vec3::new(0.40, edge, edge), 0.3);
            chamfered_box(&mut mesh, dark, Vec3::new(one, 0.0, two), Vec3::new(edge, 0.40, edge), 0.3);
            chamfered_box(&mut mesh, dark, Vec3::new(one, two, 0.0), Vec3::new(edge, edge, 0.40), 0.3);
            for three in [-0.37f32, 0.37] {
                chamfered_box(&mut mesh, iron, Vec3::new(one, two, three), Vec3::splat(0.062), 0.4);
            }
        }
    }
    for side in [-0.375f32, 0.375] {
        for step in 0..3 {
            let along = -0.2 + step as f32 * 0.2;
            chamfered_box(&mut mesh, timber, Vec3::new(along, side, 0.0), Vec3::new(0.08, 0.016, 0.31), 0.3);
            chamfered_box(&mut mesh, timber, Vec3::new(side, along, 0.0), Vec3::new(0.016, 0.08, 0.31), 0.3);
        }
    }
    mesh
}

fn plank() -> Mesh {
    let mut mesh = Mesh::default();
    let timber = mesh.paint(TIMBER);
    chamfered_box(&mut mesh, timber, Vec3::ZERO, Vec3::new(0.5, 0.12, 0.04), 0.3);
    mesh
}

fn block() -> Mesh {
    let mut mesh = Mesh::default();
    let (stone, dark) = (mesh.paint(STONE), mesh.paint(DARK_STONE));
    chamfered_box(&mut mesh, stone, Vec3::ZERO, Vec3::splat(0.5), 0.16);
    for side in [-0.495f32, 0.495] {
        chamfered_box(&mut mesh, dark, Vec3::new(0.0, side, 0.0), Vec3::new(0.28, 0.008, 0.28), 0.2);
        chamfered_box(&mut mesh, dark, Vec3::new(side, 0.0, 0.0), Vec3::new(0.008, 0.28, 0.28), 0.2);
    }
    mesh
}

/// A ball with a stripe and a cap, so that one sees it roll. Its rings lie along the edges of both.
fn ball() -> Mesh {
    const RADIUS: f32 = 0.45;
    const SEGMENTS: usize = 24;
    /// The heights of the rings, as parts of the radius.
    const RINGS: [f32; 12] = [-1.0, -0.95, -0.8, -0.58, -0.2, 0.0, 0.2, 0.45, 0.7, 0.88, 0.965, 1.0];
    let mut mesh = Mesh::default();
    let (blue, stripe) = (mesh.paint(BLUE), mesh.paint(matt("stripe", [0.75, 0.72, 0.65], 0.0, 0.5)));
    let at = |height: f32, segment: usize| {
        let turn = segment as f32 / SEGMENTS as f32 * std::f32::consts::TAU;
        let round = sqrt(max(1.0 - height * height, 0.0));
        Vec3::new(cos(turn) * round, sin(turn) * round, height)
    };
    for pair in RINGS.windows(2) {
        let middle = (pair[0] + pair[1]) * 0.5;
        let paint = if middle.abs() < 0.2 || middle > 0.88 { stripe } else { blue };
        for segment in 0..SEGMENTS {
            let [a, b] = [at(pair[0], segment), at(pair[0], segment + 1)];
            let [c, d] = [at(pair[1], segment + 1), at(pair[1], segment)];
            for corners in [[a, b, c], [a, c, d]] {
                let is_flat = corners[0] == corners[1] || corners[1] == corners[2] || corners[0] == corners[2];
                if !is_flat {
                    mesh.smooth(paint, corners.map(|corner| corner * RADIUS), corners);
                }
            }
        }
    }
    mesh
}

/// A barrel within a capsule along z: radius 0.35, segment 0.5.
fn barrel() -> Mesh {
    let mut mesh = Mesh::default();
    let (rust, iron) = (mesh.paint(RUST), mesh.paint(IRON));
    let rings = [(-0.56, 0.22), (-0.50, 0.30), (-0.28, 0.345), (0.0, 0.352), (0.28, 0.345), (0.50, 0.30), (0.56, 0.22)];
    for pair in rings.windows(2) {
        let (low, high) = (Vec3::new(0.0, 0.0, pair[0].0), Vec3::new(0.0, 0.0, pair[1].0));
        cylinder(&mut mesh, (rust, rust), (low, high), [pair[0].1, pair[1].1], 16);
    }
    for z in [-0.36f32, -0.12, 0.12, 0.36] {
        let radius = 0.36 - z.abs() * 0.05;
        cylinder(
            &mut mesh,
            (iron, iron),
            (Vec3::new(0.0, 0.0, z - 0.03), Vec3::new(0.0, 0.0, z + 0.03)),
            [radius; 2],
            16,
        );
    }
    mesh
}

fn gun() -> Mesh {
    let mut mesh = Mesh::default();
    let (yellow, iron, dark) = (mesh.paint(YELLOW), mesh.paint(IRON), mesh.paint(RUBBER));
    let at = Vec3::new;
    cylinder(&mut mesh, (dark, dark), (at(0.0, 0.0, -0.9), at(0.0, 0.0, -0.2)), [0.8, 0.45], 12);
    chamfered_box(&mut mesh, yellow, at(0.1, 0.0, 0.1), at(0.55, 0.4, 0.35), 0.4);
    cylinder(&mut mesh, (iron, dark), (at(-0.3, 0.0, 0.2), at(-1.9, 0.0, 0.45)), [0.16, 0.12], 12);
    cylinder(&mut mesh, (yellow, iron), (at(-0.3, 0.0, 0.2), at(-0.9, 0.0, 0.29)), [0.24, 0.2], 12);
    mesh.marker("muzzle", at(-1.95, 0.0, 0.46), -Vec3::X);
    mesh
}

fn shot() -> Mesh {
    let mut mesh = Mesh::default();
    let paint = mesh.paint(SHOT);
    sphere(&mut mesh, paint, 1, true, |point| point * 0.09);
    mesh
}

/// A heavy ball of iron on rings.
fn ram() -> Mesh {
    let mut mesh = Mesh::default();
    let iron = mesh.paint(IRON);
    sphere(&mut mesh, iron, 3, true, |point| point);
    let yellow = mesh.paint(YELLOW);
    for (axis, way) in [(0.0f32, Vec3::X), (0.0, Vec3::Z)] {
        let half = way * (0.07 + axis);
        cylinder(&mut mesh, (yellow, yellow), (-half, half), [1.012, 1.012], 28);
    }
    mesh
}

fn atom() -> Mesh {
    let mut mesh = Mesh::default();
    let paint = mesh.paint(matt("atom", [0.10, 0.42, 0.50], 0.1, 0.3));
    sphere(&mut mesh, paint, 3, true, |point| point * 0.45);
    mesh
}

fn grain() -> Mesh {
    let mut mesh = Mesh::default();
    let paint = mesh.paint(matt("grain", [0.62, 0.22, 0.10], 0.1, 0.4));
    chamfered_box(&mut mesh, paint, Vec3::ZERO, Vec3::splat(0.4), 0.2);
    mesh
}

/// A point on a cratered ball.
fn cratered(point: Vec3, noise: &Noise, craters: &[(Vec3, f32)], radius: f32, roughness: f32) -> Vec3 {
    let mut height = noise.at(point) * roughness;
    for (centre, size) in craters {
        let away = (point - *centre).length() / size;
        if away < 1.4 {
            let bowl = if away < 1.0 { (away * away - 1.0) * 0.35 } else { (1.4 - away) * 0.25 };
            height += bowl * size;
        }
    }
    point * (radius * (1.0 + height))
}

fn craters(seed: u64, count: usize, sizes: (f32, f32)) -> Vec<(Vec3, f32)> {
    use astrarium::base::Random;
    let mut random = Pcg::new(seed, 7);
    (0..count)
        .map(|_| {
            let mut part = || random.between(-1.0, 1.0);
            let centre = Vec3::new(part(), part(), part()).normal_or(Vec3::X);
            let size = sizes.0 + (sizes.1 - sizes.0) * random.unit() * random.unit();
            (centre, size)
        })
        .collect()
}

fn moon() -> Mesh {
    let mut mesh = Mesh::default();
    let paint = mesh.paint(DARK_STONE);
    let noise = Noise::new(&mut Pcg::new(4, 1), 3, 0.5);
    let craters = craters(11, 26, (0.12, 0.45));
    sphere(&mut mesh, paint, 3, true, |point| cratered(point, &noise, &craters, 2.0, 0.02));
    mesh
}

/// A planet of twenty metres, with seas, land and snow; its body is a perfect sphere, so heights are small.
fn planet() -> Mesh {
    let mut mesh = Mesh::default();
    let (ground, stone, snow, sea) =
        (mesh.paint(GROUND), mesh.paint(STONE), mesh.paint(matt("snow", [0.85, 0.87, 0.9], 0.0, 0.7)), mesh.paint(SEA));
    let grass = mesh.paint(Paint {
        texture: Some("ground.png"),
        texture_size: 9.0,
        ..matt("grass", [0.20, 0.30, 0.10], 0.0, 0.95)
    });
    let noise = Noise::new(&mut Pcg::new(9, 1), 4, 0.25);
    let height = |point: Vec3| noise.at(point);
    let mut round = Mesh::default();
    let paint = round.paint(GROUND);
    sphere(&mut round, paint, 4, true, |point| point * (20.0 + clamp(height(point), -0.1, 1.0) * 0.12));
    let value = |point: Vec3| {
        let point = point.normal_or(Vec3::Z);
        let pole = max(point.z.abs() - 0.72, 0.0) * 2.2;
        // The snow of the poles lies over everything.
        height(point) + pole * 4.0
    };
    // Coasts and borders lie where the height is that of the border, not along triangles.
    let mut left = round.triangles;
    for (border, below) in [(-0.1, sea), (0.25, grass), (0.6, ground), (0.95, stone)] {
        let mut above = Vec::new();
        for triangle in left {
            let (lower, higher) = divided(&triangle, &value, border);
            lower.into_iter().for_each(|part| mesh.smooth(below, part.corners, part.normals));
            above.extend(higher);
        }
        left = above;
    }
    left.into_iter().for_each(|part| mesh.smooth(snow, part.corners, part.normals));
    mesh
}

/// The parts of a triangle on both sides of a border: where a value is below it, and where it is above.
fn divided(triangle: &Triangle, value: &impl Fn(Vec3) -> f32, border: f32) -> (Vec<Triangle>, Vec<Triangle>) {
    type Corner = (Vec3, Vec3);
    let corners: [Corner; 3] = std::array::from_fn(|corner| (triangle.corners[corner], triangle.normals[corner]));
    let values = corners.map(|(place, _)| value(place) - border);
    let side = |is_above: bool| {
        let mut ring: Vec<Corner> = Vec::new();
        for corner in 0..3 {
            let next = (corner + 1) % 3;
            if (values[corner] >= 0.0) == is_above {
                ring.push(corners[corner]);
            }
            if (values[corner] >= 0.0) != (values[next] >= 0.0) {
                let part = values[corner] / (values[corner] - values[next]);
                let (from, to) = (corners[corner], corners[next]);
                ring.push((from.0.lerp(to.0, part), from.1.lerp(to.1, part).normal_or(from.1)));
            }
        }
        let fan = (1..ring.len().max(2) - 1).map(|at| [ring[0], ring[at], ring[at + 1]]);
        fan.map(|three| Triangle {
            corners: three.map(|it| it.0),
            normals: three.map(|it| it.1),
            paint: triangle.paint,
        })
        .collect()
    };
    (side(false), side(true))
}

/// The floor of the quarry, which a square of 120 metres fits into, with three terraces around it and the land above.
fn floor() -> Mesh {
    const SIDES: usize = 112;
    /// How far out a ring lies, how high, and how rough it is.
    const RINGS: [(f32, f32, f32); 12] = [
        (24.0, 0.0, 0.0),
        (70.0, 0.0, 0.0),
        (72.5, 5.0, 1.4),
        (79.0, 5.3, 1.0),
        (81.5, 11.0, 1.8),
        (90.0, 11.4, 1.2),
        (93.5, 17.0, 2.2),
        (104.0, 18.0, 3.0),
        (135.0, 20.0, 5.0),
        (190.0, 17.0, 7.0),
        (290.0, 23.0, 12.0),
        (520.0, 8.0, 16.0),
    ];
    let mut mesh = Mesh::default();
    let (ground, stone, dark) = (mesh.paint(GROUND), mesh.paint(STONE), mesh.paint(DARK_STONE));
    let clay = mesh.paint(Paint {
        texture: Some("stone.png"),
        texture_size: 2.4,
        ..matt("clay", [0.46, 0.27, 0.16], 0.0, 0.95)
    });
    let noise = Noise::new(&mut Pcg::new(21, 3), 3, 0.5);
    let at = |ring: usize, side: usize| {
        let (out, up, rough) = RINGS[ring];
        let turn = (side % SIDES) as f32 / SIDES as f32 * std::f32::consts::TAU;
        let way = Vec3::new(cos(turn), sin(turn), 0.0);
        // Between a circle and a square.
        let fourth = |part: f32| part * part * part * part;
        let square = 1.0 / sqrt(sqrt(fourth(way.x) + fourth(way.y)));
        let bump = Vec3::new(way.x * 7.0, way.y * 7.0, ring as f32 * 0.9);
        let (near, far) = (noise.at(bump), noise.at(bump * 2.7 + Vec3::splat(9.0)));
        let high = up + if rough > 0.0 { rough * (far * 0.55 - 0.1) } else { 0.0 };
        way * (out * square + rough * near) + Vec3::new(0.0, 0.0, 1.0 + high)
    };
    // Towards the middle each ring has half the sides of the one around it, or its triangles would be needles.
    let mut sides = SIDES;
    let inner = |halvings: usize, side: usize| {
        let (edge, part) = (at(0, side << halvings), 1.0 / (1 << halvings) as f32);
        Vec3::new(edge.x * part, edge.y * part, edge.z)
    };
    for halvings in 0..4 {
        sides /= 2;
        for side in 0..sides {
            let [near, next] = [inner(halvings + 1, side), inner(halvings + 1, side + 1)];
            let [first, middle, last] = [0, 1, 2].map(|step| inner(halvings, side * 2 + step));
            mesh.face(ground, &[near, first, middle]);
            mesh.face(ground, &[near, middle, next]);
            mesh.face(ground, &[next, middle, last]);
        }
    }
    for side in 0..sides {
        mesh.face(ground, &[Vec3::Z, inner(4, side), inner(4, side + 1)]);
    }
    for ring in 1..RINGS.len() {
        for side in 0..SIDES {
            let is_dark = noise.at(Vec3::new(side as f32 * 0.31, ring as f32, 4.0)) > 0.28;
            let paint = match ring {
                2 | 6 if is_dark => dark,
                2 | 6 => stone,
                4 if is_dark => stone,
                4 => clay,
                _ => ground,
            };
            let [a, b, c, d] = [at(ring - 1, side), at(ring, side), at(ring, side + 1), at(ring - 1, side + 1)];
            mesh.face(paint, &[a, b, c]);
            mesh.face(paint, &[a, c, d]);
        }
    }
    mesh
}

fn truck() -> Mesh {
    let mut mesh = Mesh::default();
    let (yellow, iron, rubber, glass, lamp) =
        (mesh.paint(YELLOW), mesh.paint(IRON), mesh.paint(RUBBER), mesh.paint(GLASS), mesh.paint(LAMP));
    let at = Vec3::new;
    chamfered_box(&mut mesh, iron, at(0.0, 0.0, -0.12), at(2.0, 0.62, 0.14), 0.2);
    loft(
        &mut mesh,
        &[
            section(2.05, 0.15, 0.72, 0.30, 0.2),
            section(1.95, 0.25, 0.78, 0.42, 0.2),
            section(1.30, 0.32, 0.80, 0.50, 0.2),
            section(1.15, 0.52, 0.80, 0.72, 0.2),
            section(0.35, 0.55, 0.80, 0.76, 0.2),
            section(0.25, 0.50, 0.78, 0.70, 0.2),
        ],
        |stretch, side| if stretch == 2 && matches!(side, 1..=3) { glass } else { yellow },
    );
    for side in [-0.81f32, 0.81] {
        chamfered_box(&mut mesh, glass, at(0.72, side, 0.82), at(0.30, 0.02, 0.22), 0.2);
        chamfered_box(&mut mesh, lamp, at(2.06, side * 0.68, 0.12), at(0.03, 0.14, 0.09), 0.2);
    }
    // The bed, with walls.
    chamfered_box(&mut mesh, yellow, at(-0.95, 0.0, 0.10), at(1.08, 0.82, 0.08), 0.2);
    for side in [-0.78f32, 0.78] {
        chamfered_box(&mut mesh, yellow, at(-0.95, side, 0.38), at(1.08, 0.06, 0.26), 0.3);
        for rib in 0..4 {
            chamfered_box(&mut mesh, iron, at(-1.75 + rib as f32 * 0.54, side * 1.06, 0.36), at(0.05, 0.03, 0.27), 0.2);
        }
    }
    chamfered_box(&mut mesh, yellow, at(0.08, 0.0, 0.45), at(0.06, 0.80, 0.34), 0.3);
    chamfered_box(&mut mesh, yellow, at(-1.98, 0.0, 0.34), at(0.05, 0.80, 0.22), 0.3);
    chamfered_box(&mut mesh, rubber, at(2.10, 0.0, -0.10), at(0.07, 0.74, 0.10), 0.3);
    cylinder(&mut mesh, (iron, rubber), (at(0.20, 0.6, 0.9), at(0.20, 0.6, 1.7)), [0.06, 0.06], 8);
    mesh.marker("exhaust", at(0.20, 0.6, 1.72), Vec3::Z);
    mesh
}

fn trailer() -> Mesh {
    let mut mesh = Mesh::default();
    let (timber, iron) = (mesh.paint(TIMBER), mesh.paint(IRON));
    let at = Vec3::new;
    chamfered_box(&mut mesh, iron, at(0.0, 0.0, -0.12), at(1.6, 0.6, 0.12), 0.2);
    chamfered_box(&mut mesh, timber, at(0.0, 0.0, 0.06), at(1.6, 0.8, 0.07), 0.2);
    for side in [-0.78f32, 0.78] {
        for board in 0..2 {
            chamfered_box(&mut mesh, timber, at(0.0, side, 0.24 + board as f32 * 0.24), at(1.58, 0.03, 0.10), 0.3);
        }
        for post in 0..4 {
            chamfered_box(&mut mesh, iron, at(-1.5 + post as f32, side, 0.32), at(0.04, 0.05, 0.30), 0.3);
        }
    }
    cylinder(&mut mesh, (iron, iron), (at(1.5, 0.0, -0.1), at(2.25, 0.0, -0.1)), [0.07, 0.05], 8);
    mesh
}

/// A wheel that turns about y.
fn wheel() -> Mesh {
    let mut mesh = Mesh::default();
    let (rubber, iron, yellow) = (mesh.paint(RUBBER), mesh.paint(IRON), mesh.paint(YELLOW));
    let at = |y: f32| Vec3::new(0.0, y, 0.0);
    cylinder(&mut mesh, (rubber, rubber), (at(-0.14), at(0.14)), [0.4, 0.4], 20);
    cylinder(&mut mesh, (rubber, rubber), (at(0.14), at(0.18)), [0.4, 0.34], 20);
    cylinder(&mut mesh, (rubber, rubber), (at(-0.18), at(-0.14)), [0.34, 0.4], 20);
    cylinder(&mut mesh, (yellow, yellow), (at(-0.19), at(0.19)), [0.22, 0.22], 12);
    for bolt in 0..5 {
        let angle = core::f32::consts::TAU * bolt as f32 / 5.0;
        let place = Vec3::new(cos(angle) * 0.14, 0.0, sin(angle) * 0.14);
        cylinder(&mut mesh, (iron, iron), (place + at(-0.205), place + at(0.205)), [0.03, 0.03], 6);
    }
    for lug in 0..16 {
        let angle = core::f32::consts::TAU * lug as f32 / 16.0;
        let out = Vec3::new(cos(angle), 0.0, sin(angle));
        let half = out * 0.012 + Vec3::new(0.0, 0.13, 0.0);
        cylinder(&mut mesh, (rubber, rubber), (out * 0.4 - half, out * 0.4 + half), [0.03, 0.03], 4);
    }
    mesh
}

fn head() -> Mesh {
    let mut mesh = Mesh::default();
    let (skin, helmet) = (mesh.paint(SKIN), mesh.paint(HELMET));
    sphere(&mut mesh, skin, 2, true, |point| Vec3::new(point.x * 0.115, point.y * 0.10, point.z * 0.13));
    sphere(&mut mesh, helmet, 2, true, |point| {
        let low = max(point.z, 0.15);
        Vec3::new(point.x * 0.135, point.y * 0.125, 0.02 + low * 0.13)
    });
    mesh
}

/// A limb within a capsule along z, thicker in the middle.
fn limb(paint: &'static str, radius: f32, length: f32, breadth: f32) -> Mesh {
    let mut mesh = Mesh::default();
    let paint = mesh.paint(match paint {
        "cloth" => CLOTH,
        "skin" => SKIN,
        _ => TROUSERS,
    });
    sphere(&mut mesh, paint, 2, true, |point| {
        let end = if point.z > 0.0 { length * 0.5 } else { -length * 0.5 };
        let flat = sqrt(point.x * point.x + point.y * point.y);
        let taper = 1.0 - 0.12 * (1.0 - flat);
        Vec3::new(
            point.x * radius * taper,
            point.y * radius * breadth * taper,
            point.z * radius + end * (1.0 - flat * flat * 0.1),
        )
    });
    mesh
}
