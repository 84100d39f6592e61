//! The heavy and the odd ships of Fleet: a dreadnought, a flak frigate, a bomber, a freighter, a builder and a tug.

use astrarium::base::Vec3;
use astrarium::base::number::{cos, sin};

use crate::mesh::{Mesh, Paint, matt};
use crate::ships::{DARK, HULL, TEAM, TRIM, WINDOW, engine, fighter, frigate};
use crate::solids::{blade, chamfered_box, cylinder, loft, section, sphere};

const TURN: f32 = core::f32::consts::TAU;
const LENS: Paint = Paint { emissive: [1.0, 1.0, 1.0], strength: 5.0, ..matt("lens", [0.9, 0.9, 0.9], 0.0, 0.2) };
const CARGO: Paint = matt("cargo", [0.34, 0.16, 0.06], 0.2, 0.7);

const fn at(x: f32, y: f32, z: f32) -> Vec3 {
    Vec3::new(x, y, z)
}

/// A ring about the x axis, of straight pieces.
fn ring_along(mesh: &mut Mesh, paint: usize, x: f32, radius: f32, half: Vec3, pieces: usize) {
    let corner = |number: usize, radius: f32, x: f32| {
        let angle = TURN * number as f32 / pieces as f32;
        at(x, cos(angle) * radius, sin(angle) * radius)
    };
    let (inner, outer) = (radius - half.y, radius + half.y);
    for piece in 0..pieces {
        let next = piece + 1;
        let quad = |a: (f32, f32), b: (f32, f32)| {
            [
                corner(piece, a.0, x + a.1),
                corner(next, a.0, x + a.1),
                corner(next, b.0, x + b.1),
                corner(piece, b.0, x + b.1),
            ]
        };
        let faces = [
            quad((outer, half.x), (outer, -half.x)),
            quad((outer, -half.x), (inner, -half.x)),
            quad((inner, -half.x), (inner, half.x)),
            quad((inner, half.x), (outer, half.x)),
        ];
        faces.iter().for_each(|face| mesh.face(paint, face));
    }
}

/// A spine with a ring: what the beam comes from stands open, before a long keel.
pub fn dreadnought() -> Mesh {
    let mut mesh = Mesh::default();
    let (hull, team, trim, dark, window, lens) =
        (mesh.paint(HULL), mesh.paint(TEAM), mesh.paint(TRIM), mesh.paint(DARK), mesh.paint(WINDOW), mesh.paint(LENS));
    let spine = [
        section(46.0, 0.0, 0.5, 0.5, 0.3),
        section(40.0, 0.0, 1.7, 1.5, 0.3),
        section(16.0, 0.0, 2.3, 2.2, 0.3),
        section(12.0, 0.0, 4.2, 3.4, 0.3),
        section(-6.0, 0.0, 4.8, 4.0, 0.3),
        section(-12.0, 0.0, 3.0, 3.0, 0.3),
        section(-22.0, 0.0, 3.2, 3.2, 0.3),
        section(-26.0, 0.0, 6.4, 4.6, 0.3),
        section(-38.0, 0.0, 5.6, 4.2, 0.3),
        section(-42.0, 0.0, 3.6, 3.0, 0.3),
    ];
    loft(&mut mesh, &spine, |stretch, side| match (stretch, side) {
        (1 | 3 | 7, 1 | 3) => team,
        (_, 5..=7) => trim,
        _ => hull,
    });
    // The ring, on four arms, and the lamps on it.
    ring_along(&mut mesh, hull, 24.0, 13.0, at(2.6, 1.5, 0.0), 32);
    ring_along(&mut mesh, team, 24.0, 13.0, at(0.6, 1.66, 0.0), 32);
    ring_along(&mut mesh, lens, 25.4, 11.35, at(0.5, 0.25, 0.0), 32);
    for arm in 0..4 {
        let angle = TURN * (arm as f32 + 0.5) / 4.0;
        let way = at(0.0, cos(angle), sin(angle));
        cylinder(
            &mut mesh,
            (trim, trim),
            (at(18.0, 0.0, 0.0) + way * 2.0, at(24.0, 0.0, 0.0) + way * 11.8),
            [1.1, 0.8],
            6,
        );
        chamfered_box(&mut mesh, trim, at(24.0, 0.0, 0.0) + way * 14.8, at(3.6, 1.3, 1.3), 0.4);
        cylinder(
            &mut mesh,
            (dark, lens),
            (at(26.6, 0.0, 0.0) + way * 13.0, at(29.4, 0.0, 0.0) + way * 12.2),
            [0.8, 0.3],
            6,
        );
    }
    // Ribs of the spine between the block and the engines.
    for rib in 0..5 {
        let x = -13.2 - rib as f32 * 2.0;
        chamfered_box(&mut mesh, dark, at(x, 0.0, 0.0), at(0.5, 4.1, 3.5), 0.3);
    }
    let first = mesh.triangles.len();
    chamfered_box(&mut mesh, hull, at(2.0, 6.2, -0.4), at(8.0, 1.8, 1.5), 0.4);
    chamfered_box(&mut mesh, team, at(3.0, 8.06, -0.2), at(5.0, 0.1, 0.4), 0.2);
    for gun in 0..3 {
        let x = 7.0 - gun as f32 * 5.0;
        cylinder(&mut mesh, (dark, dark), (at(x, 6.4, 1.1), at(x, 6.4, 1.8)), [0.9, 0.8], 8);
        cylinder(&mut mesh, (dark, dark), (at(x + 0.4, 6.4, 1.6), at(x + 3.0, 6.4, 1.9)), [0.22, 0.16], 6);
    }
    for deck in 0..8 {
        chamfered_box(&mut mesh, window, at(9.0 - deck as f32 * 1.9, 4.72, 1.2), at(0.5, 0.06, 0.14), 0.2);
    }
    blade(
        &mut mesh,
        hull,
        [at(-27.0, 5.6, 0.0), at(-38.0, 5.4, 0.0)],
        [at(-33.0, 13.0, 3.4), at(-41.0, 13.0, 3.4)],
        at(0.0, -0.2, 0.5),
    );
    blade(
        &mut mesh,
        team,
        [at(-33.0, 13.0, 3.4), at(-41.0, 13.0, 3.4)],
        [at(-35.0, 14.6, 4.2), at(-41.6, 14.6, 4.2)],
        at(0.0, -0.1, 0.22),
    );
    engine(&mut mesh, "engine_left", at(-41.0, 3.0, 0.4), 2.0);
    mesh.mirror_from(first);
    mesh.marker("engine_right", at(-43.8, -3.0, 0.4), -Vec3::X);
    engine(&mut mesh, "engine_middle", at(-41.6, 0.0, -1.4), 1.7);
    // The bridge.
    chamfered_box(&mut mesh, hull, at(-1.0, 0.0, 4.9), at(4.4, 2.4, 1.3), 0.4);
    chamfered_box(&mut mesh, hull, at(-2.0, 0.0, 7.0), at(2.4, 1.7, 1.0), 0.4);
    chamfered_box(&mut mesh, window, at(0.42, 0.0, 7.2), at(0.1, 1.3, 0.26), 0.3);
    cylinder(&mut mesh, (dark, dark), (at(-3.0, 0.8, 7.8), at(-3.0, 0.8, 12.5)), [0.14, 0.04], 6);
    sphere(&mut mesh, lens, 1, true, |point| point * 1.2 + at(46.0, 0.0, 0.0));
    mesh.marker("nose", at(47.0, 0.0, 0.0), Vec3::X);
    mesh
}

/// A frigate whose back is full of guns.
pub fn flak_frigate() -> Mesh {
    let mut mesh = frigate();
    let (hull, team, dark) = (mesh.paint(HULL), mesh.paint(TEAM), mesh.paint(DARK));
    for x in [4.6f32, 1.4, -4.6] {
        for (z, up) in [(1.55f32, 1.0f32), (-1.15, -1.0)] {
            cylinder(&mut mesh, (dark, hull), (at(x, 0.0, z), at(x, 0.0, z + 0.55 * up)), [0.85, 0.7], 8);
            for side in [-0.34f32, 0.34] {
                let root = at(x + 0.2, side, z + 0.4 * up);
                cylinder(&mut mesh, (dark, dark), (root, root + at(1.9, side * 0.3, 0.7 * up)), [0.13, 0.09], 6);
            }
        }
    }
    for side in [-1.0f32, 1.0] {
        chamfered_box(&mut mesh, hull, at(-0.8, side * 2.6, 0.2), at(1.6, 0.5, 0.5), 0.4);
        chamfered_box(&mut mesh, team, at(-0.8, side * 3.12, 0.2), at(1.2, 0.06, 0.2), 0.2);
        for x in [-1.6f32, 0.0] {
            let root = at(x, side * 2.6, 0.6);
            cylinder(&mut mesh, (dark, dark), (root, root + at(1.5, side * 0.5, 0.7)), [0.14, 0.09], 6);
        }
    }
    mesh
}

/// A wide wing with torpedoes under it.
pub fn bomber() -> Mesh {
    let mut mesh = fighter();
    let (hull, team, dark, lens) = (mesh.paint(HULL), mesh.paint(TEAM), mesh.paint(DARK), mesh.paint(LENS));
    let first = mesh.triangles.len();
    blade(
        &mut mesh,
        hull,
        [at(0.9, 0.3, 0.0), at(-1.6, 0.3, 0.0)],
        [at(-0.6, 4.0, 0.1), at(-1.7, 4.0, 0.1)],
        at(0.0, 0.0, 0.12),
    );
    blade(
        &mut mesh,
        team,
        [at(-0.6, 4.0, 0.1), at(-1.7, 4.0, 0.1)],
        [at(-1.1, 4.5, -0.3), at(-1.9, 4.5, -0.3)],
        at(0.0, 0.03, 0.03),
    );
    for y in [1.3f32, 2.6] {
        cylinder(&mut mesh, (dark, dark), (at(-1.0, y, -0.3), at(0.8, y, -0.3)), [0.2, 0.2], 8);
        cylinder(&mut mesh, (dark, lens), (at(0.8, y, -0.3), at(1.1, y, -0.3)), [0.2, 0.06], 8);
    }
    mesh.mirror_from(first);
    mesh
}

/// A keel with drums of cargo.
pub fn freighter() -> Mesh {
    let mut mesh = Mesh::default();
    let (hull, team, trim, dark, window, cargo) =
        (mesh.paint(HULL), mesh.paint(TEAM), mesh.paint(TRIM), mesh.paint(DARK), mesh.paint(WINDOW), mesh.paint(CARGO));
    chamfered_box(&mut mesh, trim, at(0.0, 0.0, 0.0), at(9.0, 0.7, 0.7), 0.3);
    chamfered_box(&mut mesh, hull, at(9.6, 0.0, 0.5), at(2.2, 1.7, 1.5), 0.5);
    chamfered_box(&mut mesh, window, at(11.85, 0.0, 0.9), at(0.1, 1.1, 0.25), 0.3);
    chamfered_box(&mut mesh, hull, at(-9.4, 0.0, 0.0), at(1.8, 2.4, 1.8), 0.5);
    let first = mesh.triangles.len();
    for drum in 0..4 {
        let x = 5.6 - drum as f32 * 3.8;
        cylinder(&mut mesh, (cargo, dark), (at(x - 1.6, 2.2, 0.0), at(x + 1.6, 2.2, 0.0)), [1.6, 1.6], 10);
        cylinder(&mut mesh, (team, team), (at(x - 0.3, 2.2, 0.0), at(x + 0.3, 2.2, 0.0)), [1.64, 1.64], 10);
    }
    engine(&mut mesh, "engine_left", at(-11.0, 1.2, 0.0), 0.8);
    mesh.mirror_from(first);
    mesh.marker("engine_right", at(-12.0, -1.2, 0.0), -Vec3::X);
    mesh.marker("nose", at(12.0, 0.0, 0.0), Vec3::X);
    mesh
}

/// Two long arms with light between them: it puts things together.
pub fn builder() -> Mesh {
    let mut mesh = Mesh::default();
    let (hull, team, trim, dark, window, lens) =
        (mesh.paint(HULL), mesh.paint(TEAM), mesh.paint(TRIM), mesh.paint(DARK), mesh.paint(WINDOW), mesh.paint(LENS));
    chamfered_box(&mut mesh, hull, at(-1.4, 0.0, 0.2), at(2.4, 1.5, 1.2), 0.4);
    chamfered_box(&mut mesh, team, at(-1.4, 0.0, 1.44), at(1.6, 0.5, 0.08), 0.2);
    chamfered_box(&mut mesh, window, at(1.05, 0.0, 0.7), at(0.1, 0.9, 0.25), 0.3);
    let first = mesh.triangles.len();
    cylinder(&mut mesh, (trim, trim), (at(0.2, 1.6, -0.2), at(3.2, 2.9, -0.4)), [0.36, 0.26], 6);
    cylinder(&mut mesh, (dark, lens), (at(3.2, 2.9, -0.4), at(6.0, 1.6, -0.2)), [0.26, 0.1], 6);
    chamfered_box(&mut mesh, trim, at(-2.2, 2.3, -0.2), at(1.4, 0.6, 0.7), 0.4);
    engine(&mut mesh, "engine", at(-3.7, 0.8, 0.1), 0.5);
    mesh.mirror_from(first);
    mesh.marker("nose", at(5.6, 0.0, 0.0), Vec3::X);
    mesh
}

/// A short engine with a net of claws: it hauls wrecks.
pub fn tug() -> Mesh {
    let mut mesh = Mesh::default();
    let (hull, team, dark, window, trim) =
        (mesh.paint(HULL), mesh.paint(TEAM), mesh.paint(DARK), mesh.paint(WINDOW), mesh.paint(TRIM));
    sphere(&mut mesh, hull, 2, true, |point| at(point.x * 1.7, point.y * 1.4, point.z * 1.2));
    cylinder(&mut mesh, (team, team), (at(-0.6, 0.0, 0.0), at(0.0, 0.0, 0.0)), [1.36, 1.42], 12);
    chamfered_box(&mut mesh, window, at(1.3, 0.0, 0.5), at(0.3, 0.5, 0.2), 0.4);
    for claw in 0..4 {
        let angle = TURN * (claw as f32 + 0.5) / 4.0;
        let out = |x: f32, far: f32| at(x, cos(angle) * far, sin(angle) * far);
        cylinder(&mut mesh, (trim, trim), (out(-0.4, 1.2), out(-2.8, 2.3)), [0.24, 0.18], 6);
        cylinder(&mut mesh, (dark, dark), (out(-2.8, 2.3), out(-4.6, 1.4)), [0.18, 0.06], 6);
    }
    engine(&mut mesh, "engine", at(-1.4, 0.0, 0.0), 0.7);
    mesh.marker("nose", at(1.9, 0.0, 0.0), Vec3::X);
    mesh
}
