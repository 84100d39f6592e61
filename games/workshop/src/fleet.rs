//! The things of Fleet that the skirmish does not have: a silhouette for each role, rocks, wrecks and relays.

use astrarium::base::number::{cos, max, sin};
use astrarium::base::{Pcg, Vec3};

use crate::Product;
use crate::glb;
use crate::heavies::{bomber, builder, dreadnought, flak_frigate, freighter, tug};
use crate::mesh::{Mesh, Paint, matt};
use crate::ships::{DARK, HULL, TEAM, TRIM, WINDOW, carrier, corvette, engine, fighter, flak, frigate, mine};
use crate::solids::{Noise, blade, chamfered_box, cylinder, loft, section, sphere};

const TURN: f32 = core::f32::consts::TAU;
const ROCK: Paint =
    Paint { texture: Some("rock.png"), texture_size: 9.0, ..matt("rock", [0.30, 0.25, 0.21], 0.0, 0.95) };
const ORE: Paint = Paint { emissive: [1.0, 0.42, 0.10], strength: 0.35, ..matt("ore", [0.40, 0.19, 0.05], 0.6, 0.35) };
const CUT: Paint = Paint { emissive: [1.0, 0.32, 0.06], strength: 3.0, ..matt("cut", [0.10, 0.03, 0.01], 0.2, 0.8) };
const FLAME: Paint = Paint { emissive: [1.0, 0.9, 0.7], strength: 9.0, ..matt("flame", [0.1, 0.1, 0.1], 0.0, 0.8) };

/// All models of Fleet.
pub fn all() -> Vec<Product> {
    let models: Vec<(&str, Mesh, f32)> = vec![
        ("scout", scout(), 1.6),
        ("corvette", corvette(), 2.5),
        ("frigate", frigate(), 4.0),
        ("fighter", fighter(), 1.2),
        ("carrier", carrier(), 10.0),
        ("dreadnought", dreadnought(), 12.0),
        ("flak", flak_frigate(), 4.0),
        ("bomber", bomber(), 1.2),
        ("freighter", freighter(), 4.0),
        ("builder", builder(), 2.0),
        ("tug", tug(), 2.0),
        ("mine", mine(), 1.2),
        ("miner", miner(), 2.0),
        ("station", station(), 12.0),
        ("turret", turret(), 4.0),
        ("relay", relay(), 6.0),
        ("missile", missile(), 0.0),
        ("rock_a", rock(1, 1.0), 0.0),
        ("rock_b", rock(2, 0.8), 0.0),
        ("rock_c", rock(3, 1.25), 0.0),
        ("wreck_bow", wreck(true), 3.0),
        ("wreck_stern", wreck(false), 3.0),
    ];
    let file = |(name, mesh, reach): &(&str, Mesh, f32)| {
        (format!("fleet/data/models/{name}.glb"), glb::write(mesh, name, *reach))
    };
    models.iter().map(file).collect()
}

const fn at(x: f32, y: f32, z: f32) -> Vec3 {
    Vec3::new(x, y, z)
}

/// A ring about the z axis, of straight pieces.
fn ring(mesh: &mut Mesh, paint: usize, radius: f32, thickness: f32, height: f32, pieces: usize) {
    let corner = |number: usize, radius: f32, z: f32| {
        let angle = TURN * number as f32 / pieces as f32;
        at(cos(angle) * radius, sin(angle) * radius, z)
    };
    let (inner, outer, half) = (radius - thickness, radius + thickness, height);
    for piece in 0..pieces {
        let next = piece + 1;
        let quad = |a: (f32, f32), b: (f32, f32)| {
            [corner(piece, a.0, a.1), corner(next, a.0, a.1), corner(next, b.0, b.1), corner(piece, b.0, b.1)]
        };
        let faces = [
            quad((outer, -half), (outer, half)),
            quad((outer, half), (inner, half)),
            quad((inner, half), (inner, -half)),
            quad((inner, -half), (outer, -half)),
        ];
        faces.iter().for_each(|face| mesh.face(paint, face));
    }
}

/// A dart: long nose, wings swept far back.
fn scout() -> Mesh {
    let mut mesh = Mesh::default();
    let (hull, team, window, dark) = (mesh.paint(HULL), mesh.paint(TEAM), mesh.paint(WINDOW), mesh.paint(DARK));
    loft(
        &mut mesh,
        &[
            section(5.2, 0.0, 0.04, 0.04, 0.4),
            section(2.0, 0.0, 0.30, 0.22, 0.4),
            section(-1.2, 0.05, 0.48, 0.34, 0.4),
            section(-2.4, 0.05, 0.34, 0.26, 0.4),
        ],
        |stretch, side| if stretch == 0 && matches!(side, 1..=3) { team } else { hull },
    );
    let first = mesh.triangles.len();
    blade(
        &mut mesh,
        hull,
        [at(0.6, 0.3, 0.0), at(-1.6, 0.4, 0.0)],
        [at(-3.0, 2.6, 0.3), at(-3.7, 2.6, 0.3)],
        at(0.0, 0.0, 0.1),
    );
    blade(
        &mut mesh,
        team,
        [at(-3.0, 2.6, 0.3), at(-3.7, 2.6, 0.3)],
        [at(-3.6, 3.2, 0.42), at(-4.2, 3.2, 0.42)],
        at(0.0, 0.0, 0.05),
    );
    mesh.mirror_from(first);
    cylinder(&mut mesh, (dark, hull), (at(-0.6, 0.0, 0.4), at(-0.6, 0.0, 0.75)), [0.10, 0.10], 6);
    cylinder(&mut mesh, (hull, dark), (at(-0.6, 0.0, 0.75), at(-0.6, 0.0, 0.95)), [0.25, 0.75], 10);
    engine(&mut mesh, "engine", at(-2.3, 0.0, 0.05), 0.36);
    chamfered_box(&mut mesh, window, at(1.5, 0.0, 0.26), at(0.5, 0.14, 0.08), 0.7);
    mesh.marker("nose", at(5.2, 0.0, 0.0), Vec3::X);
    mesh
}

/// Claws in front of a round hold.
fn miner() -> Mesh {
    let mut mesh = Mesh::default();
    let (hull, team, window, dark, trim, ore) =
        (mesh.paint(HULL), mesh.paint(TEAM), mesh.paint(WINDOW), mesh.paint(DARK), mesh.paint(TRIM), mesh.paint(ORE));
    cylinder(&mut mesh, (hull, dark), (at(-3.2, 0.0, 0.0), at(0.4, 0.0, 0.0)), [1.5, 1.7], 12);
    cylinder(&mut mesh, (team, team), (at(-1.4, 0.0, 0.0), at(-0.9, 0.0, 0.0)), [1.72, 1.74], 12);
    cylinder(&mut mesh, (ore, ore), (at(-2.5, 0.0, 0.0), at(-2.2, 0.0, 0.0)), [1.64, 1.66], 12);
    chamfered_box(&mut mesh, trim, at(0.9, 0.0, 0.6), at(0.8, 0.8, 0.5), 0.5);
    chamfered_box(&mut mesh, window, at(1.6, 0.0, 0.75), at(0.12, 0.55, 0.18), 0.3);
    for claw in 0..3 {
        let angle = TURN * (claw as f32 / 3.0 + 0.25);
        let (y, z) = (cos(angle), sin(angle));
        let out = |x: f32, far: f32| at(x, y * far, z * far);
        cylinder(&mut mesh, (hull, hull), (out(0.3, 1.3), out(2.6, 2.2)), [0.32, 0.24], 6);
        cylinder(&mut mesh, (dark, dark), (out(2.6, 2.2), out(4.4, 0.9)), [0.24, 0.08], 6);
    }
    let first = mesh.triangles.len();
    engine(&mut mesh, "engine", at(-3.1, 0.8, 0.0), 0.5);
    mesh.mirror_from(first);
    mesh.marker("nose", at(4.0, 0.0, 0.0), Vec3::X);
    mesh
}

/// Two rings about a spindle, with docks between them.
fn station() -> Mesh {
    let mut mesh = Mesh::default();
    let (hull, team, trim, dark, window) =
        (mesh.paint(HULL), mesh.paint(TEAM), mesh.paint(TRIM), mesh.paint(DARK), mesh.paint(WINDOW));
    cylinder(&mut mesh, (hull, dark), (at(0.0, 0.0, -16.0), at(0.0, 0.0, 10.0)), [4.2, 5.0], 12);
    cylinder(&mut mesh, (trim, trim), (at(0.0, 0.0, 10.0), at(0.0, 0.0, 15.0)), [6.4, 4.0], 12);
    cylinder(&mut mesh, (hull, dark), (at(0.0, 0.0, 15.0), at(0.0, 0.0, 25.0)), [1.6, 0.5], 8);
    cylinder(&mut mesh, (team, team), (at(0.0, 0.0, 11.4), at(0.0, 0.0, 12.4)), [6.0, 5.6], 12);
    cylinder(&mut mesh, (trim, dark), (at(0.0, 0.0, -24.0), at(0.0, 0.0, -16.0)), [1.6, 4.6], 12);
    ring(&mut mesh, hull, 24.0, 2.6, 2.2, 32);
    ring(&mut mesh, team, 24.0, 2.75, 0.45, 32);
    ring(&mut mesh, window, 21.2, 0.15, 0.5, 32);
    for spoke in 0..4 {
        let angle = TURN * spoke as f32 / 4.0;
        let way = at(cos(angle), sin(angle), 0.0);
        cylinder(&mut mesh, (trim, trim), (way * 4.0, way * 22.0), [1.1, 1.1], 6);
    }
    let first = mesh.triangles.len();
    // Two docks, open to the front.
    chamfered_box(&mut mesh, hull, at(10.0, 13.0, -8.5), at(9.0, 4.4, 2.6), 0.3);
    chamfered_box(&mut mesh, dark, at(19.1, 13.0, -8.5), at(0.15, 3.6, 2.0), 0.2);
    chamfered_box(&mut mesh, window, at(19.3, 13.0, -6.9), at(0.1, 3.2, 0.14), 0.2);
    chamfered_box(&mut mesh, team, at(8.0, 17.5, -8.0), at(6.0, 0.12, 0.5), 0.2);
    cylinder(&mut mesh, (trim, trim), (at(0.0, 3.0, -8.5), at(4.0, 10.0, -8.5)), [1.2, 1.2], 6);
    mesh.mirror_from(first);
    for lamp in 0..12 {
        let angle = TURN * lamp as f32 / 12.0;
        chamfered_box(&mut mesh, window, at(cos(angle) * 24.0, sin(angle) * 24.0, 2.3), at(0.7, 0.7, 0.12), 0.3);
    }
    for deck in 0..5 {
        let z = -13.0 + deck as f32 * 4.6;
        for side in 0..6 {
            let angle = TURN * (side as f32 + 0.5) / 6.0;
            let place = at(cos(angle) * 4.55, sin(angle) * 4.55, z);
            chamfered_box(&mut mesh, window, place, at(0.35, 0.35, 0.5), 0.3);
        }
    }
    mesh.marker("nose", at(0.0, 0.0, 25.0), Vec3::Z);
    mesh.marker("dock", at(22.0, 0.0, -8.5), Vec3::X);
    mesh
}

/// A drum with a gun.
fn turret() -> Mesh {
    let mut mesh = flak();
    let (hull, team, dark, trim) = (mesh.paint(HULL), mesh.paint(TEAM), mesh.paint(DARK), mesh.paint(TRIM));
    cylinder(&mut mesh, (hull, dark), (at(0.0, 0.0, -2.6), at(0.0, 0.0, -0.5)), [1.9, 2.3], 10);
    cylinder(&mut mesh, (trim, dark), (at(0.0, 0.0, -4.4), at(0.0, 0.0, -2.6)), [0.5, 1.4], 10);
    cylinder(&mut mesh, (team, team), (at(0.0, 0.0, -1.5), at(0.0, 0.0, -1.1)), [2.26, 2.30], 10);
    for panel in 0..3 {
        let angle = TURN * (panel as f32 + 0.5) / 3.0;
        let way = at(cos(angle), sin(angle), 0.0);
        cylinder(
            &mut mesh,
            (trim, trim),
            (way * 1.8 + at(0.0, 0.0, -1.8), way * 4.2 + at(0.0, 0.0, -2.4)),
            [0.22, 0.12],
            6,
        );
        chamfered_box(&mut mesh, dark, way * 4.6 + at(0.0, 0.0, -2.4), at(0.9, 0.9, 0.08), 0.2);
    }
    mesh
}

/// A gate of light: a broken ring on a spire. Its colour is that of the side that holds it.
fn relay() -> Mesh {
    let mut mesh = Mesh::default();
    let (hull, team, trim, dark) = (mesh.paint(HULL), mesh.paint(TEAM), mesh.paint(TRIM), mesh.paint(DARK));
    let beacon =
        mesh.paint(Paint { emissive: [1.0, 1.0, 1.0], strength: 1.0, ..matt("beacon", [0.9, 0.9, 0.9], 0.0, 0.4) });
    ring(&mut mesh, trim, 13.0, 1.1, 1.5, 24);
    ring(&mut mesh, team, 13.0, 1.25, 0.5, 24);
    ring(&mut mesh, dark, 8.6, 0.35, 0.35, 24);
    cylinder(&mut mesh, (hull, dark), (at(0.0, 0.0, -15.0), at(0.0, 0.0, -1.0)), [0.2, 1.9], 8);
    cylinder(&mut mesh, (hull, dark), (at(0.0, 0.0, 1.0), at(0.0, 0.0, 17.0)), [1.9, 0.2], 8);
    sphere(&mut mesh, beacon, 1, true, |point| point * 2.6);
    for arm in 0..3 {
        let angle = TURN * arm as f32 / 3.0;
        let way = at(cos(angle), sin(angle), 0.0);
        cylinder(&mut mesh, (hull, hull), (way * 2.4, way * 12.4), [0.7, 0.45], 6);
        chamfered_box(&mut mesh, hull, way * 14.6, at(1.7, 1.7, 2.6), 0.4);
    }
    mesh.marker("nose", at(0.0, 0.0, 17.0), Vec3::Z);
    mesh
}

/// A short stick with a flame.
fn missile() -> Mesh {
    let mut mesh = Mesh::default();
    let (hull, team, flame) = (mesh.paint(HULL), mesh.paint(TEAM), mesh.paint(FLAME));
    cylinder(&mut mesh, (hull, hull), (at(-0.8, 0.0, 0.0), at(0.7, 0.0, 0.0)), [0.16, 0.14], 8);
    cylinder(&mut mesh, (team, team), (at(0.7, 0.0, 0.0), at(1.2, 0.0, 0.0)), [0.14, 0.02], 8);
    cylinder(&mut mesh, (flame, flame), (at(-1.1, 0.0, 0.0), at(-0.8, 0.0, 0.0)), [0.2, 0.13], 8);
    let first = mesh.triangles.len();
    blade(
        &mut mesh,
        hull,
        [at(-0.3, 0.1, 0.0), at(-0.8, 0.1, 0.0)],
        [at(-0.7, 0.5, 0.0), at(-0.95, 0.5, 0.0)],
        at(0.0, 0.0, 0.03),
    );
    mesh.mirror_from(first);
    mesh.marker("engine", at(-1.0, 0.0, 0.0), -Vec3::X);
    mesh
}

/// A rock of about eight metres, with veins of ore where it is hollow.
fn rock(seed: u64, stretch: f32) -> Mesh {
    let mut mesh = Mesh::default();
    let (stone, ore) = (mesh.paint(ROCK), mesh.paint(ORE));
    let mut random = Pcg::new(seed, 77);
    let noise = Noise::new(&mut random, 4, 0.28);
    let shape = |point: Vec3| {
        let bumps = max(noise.at(point * 2.0), -1.1);
        at(point.x * stretch, point.y, point.z * 0.82) * (8.0 * (1.0 + 0.24 * bumps))
    };
    sphere(&mut mesh, stone, 3, false, shape);
    for triangle in &mut mesh.triangles {
        let middle = (triangle.corners[0] + triangle.corners[1] + triangle.corners[2]) * (1.0 / 3.0);
        let way = middle.normal_or(Vec3::X);
        if noise.at(way * 2.0 + at(3.0, 1.0, 2.0)) > 1.15 {
            triangle.paint = ore;
        }
    }
    mesh
}

/// Half of a hull, torn off: plates that stand out of the edge, the ends of girders, and what glows between them.
fn wreck(is_bow: bool) -> Mesh {
    let mut mesh = Mesh::default();
    let (hull, trim, dark, cut) = (mesh.paint(HULL), mesh.paint(TRIM), mesh.paint(DARK), mesh.paint(CUT));
    // The torn end is at x = 0 and looks along `way`.
    let way = if is_bow { -1.0 } else { 1.0 };
    let mut sections = if is_bow {
        vec![
            section(6.4, -0.1, 0.12, 0.1, 0.5),
            section(4.9, 0.0, 0.5, 0.34, 0.45),
            section(3.1, 0.1, 0.9, 0.62, 0.4),
            section(2.9, 0.1, 0.82, 0.55, 0.4),
            section(2.6, 0.1, 0.82, 0.55, 0.4),
            section(2.4, 0.1, 0.98, 0.7, 0.4),
            section(0.0, 0.0, 1.05, 0.8, 0.35),
        ]
    } else {
        vec![
            section(4.4, 0.0, 0.7, 0.62, 0.5),
            section(4.0, 0.0, 0.98, 0.85, 0.4),
            section(2.6, 0.05, 1.1, 0.85, 0.4),
            section(2.45, 0.05, 0.95, 0.7, 0.4),
            section(2.15, 0.05, 0.95, 0.7, 0.4),
            section(2.0, 0.05, 1.1, 0.85, 0.4),
            section(0.0, 0.0, 1.05, 0.8, 0.35),
        ]
    };
    if !is_bow {
        // Sections run from the front to the back.
        sections.iter_mut().for_each(|one| one.x = -one.x);
        sections.reverse();
    }
    let grooves = if is_bow { 3 } else { 2 };
    loft(&mut mesh, &sections, |stretch, side| match (stretch, side) {
        (stretch, _) if stretch == grooves => dark,
        (_, 2) => trim,
        (_, 5..=7) => dark,
        _ => hull,
    });
    // Inside the torn end.
    chamfered_box(&mut mesh, cut, at(0.02 * way, 0.0, 0.0), at(0.1, 0.8, 0.55), 0.4);
    chamfered_box(&mut mesh, cut, at(0.3 * way, 0.25, -0.1), at(0.28, 0.22, 0.16), 0.4);
    chamfered_box(&mut mesh, dark, at(0.16 * way, 0.0, 0.08), at(0.12, 0.84, 0.05), 0.2);
    chamfered_box(&mut mesh, dark, at(0.16 * way, -0.3, 0.0), at(0.12, 0.05, 0.6), 0.2);
    for (number, (y, z, length)) in
        [(0.55, 0.42, 1.5), (-0.62, 0.3, 0.9), (0.2, -0.5, 1.2), (-0.4, -0.46, 0.6), (-0.1, 0.52, 0.8)]
            .into_iter()
            .enumerate()
    {
        let bend = (number % 3) as f32 * 0.22 - 0.2;
        let ends = (at(-0.4 * way, y, z), at(length * way, y * (1.0 + bend), z * (1.0 - bend)));
        cylinder(&mut mesh, (dark, cut), ends, [0.07, 0.045], 5);
    }
    // Plates around the edge, torn to different lengths and bent outwards.
    for plate in 0..10 {
        let angle = TURN * (plate as f32 + 0.3 * (plate % 3) as f32) / 10.0;
        let (y, z) = (cos(angle), sin(angle));
        let (long, wide) = (0.35 + 0.5 * ((plate * 7 % 10) as f32) / 10.0, 0.2 + 0.05 * (plate % 4) as f32);
        let edge =
            |along: f32, out: f32, turn: f32| at(along * way, (y - z * turn) * 1.0 * out, (z + y * turn) * 0.76 * out);
        let (root, tip) = (
            [edge(-0.3, 0.99, wide), edge(-0.3, 0.99, -wide)],
            [edge(long, 1.12, wide * 0.7), edge(long * 0.6, 1.16, -wide)],
        );
        blade(&mut mesh, if plate % 3 == 0 { trim } else { hull }, root, tip, at(0.0, y, z) * 0.05);
    }
    // Armour and machines on the hull.
    let along = |x: f32| -x * way;
    for (x, y, z, half) in [
        (1.0, 0.45, 0.8, at(0.5, 0.28, 0.07)),
        (1.4, -0.4, 0.8, at(0.34, 0.3, 0.09)),
        (1.7, 1.0, 0.1, at(0.42, 0.09, 0.3)),
        (0.9, -1.02, 0.05, at(0.55, 0.09, 0.26)),
        (1.2, 0.1, -0.78, at(0.6, 0.45, 0.1)),
    ] {
        chamfered_box(&mut mesh, if z > 0.5 { hull } else { dark }, at(along(x), y, z), half, 0.3);
    }
    blade(
        &mut mesh,
        hull,
        [at(along(0.9), 0.9, 0.0), at(along(2.6), 0.9, 0.0)],
        [at(along(1.7), 2.0, 0.42), at(along(2.4), 1.7, 0.34)],
        at(0.0, 0.0, 0.1),
    );
    if !is_bow {
        // Dead engines.
        for y in [-0.5, 0.5] {
            cylinder(&mut mesh, (dark, dark), (at(-4.3, y, 0.0), at(-4.9, y, 0.0)), [0.3, 0.38], 10);
        }
    }
    // The body of a wreck is a box about its middle.
    let middle = at(if is_bow { -2.8 } else { 2.1 }, 0.0, 0.0);
    for triangle in &mut mesh.triangles {
        triangle.corners = triangle.corners.map(|corner| corner + middle);
    }
    mesh
}
