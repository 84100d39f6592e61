//! The ships of the skirmish: a silhouette for each role, grey hulls, one accent in the colour of the side.

use astrarium::base::Vec3;

use crate::Product;
use crate::glb;
use crate::mesh::{Mesh, Paint, matt};
use crate::solids::{Section, blade, chamfered_box, cylinder, loft, section, sphere};

pub const HULL: Paint =
    Paint { texture: Some("hull.png"), texture_size: 6.0, ..matt("hull", [0.34, 0.36, 0.40], 0.55, 0.48) };
pub const DARK: Paint = matt("dark", [0.045, 0.05, 0.06], 0.4, 0.6);
pub const TRIM: Paint =
    Paint { texture: Some("hull.png"), texture_size: 3.0, ..matt("trim", [0.13, 0.14, 0.16], 0.7, 0.4) };
pub const TEAM: Paint = Paint { emissive: [0.45, 0.45, 0.45], ..matt("team", [0.9, 0.9, 0.9], 0.1, 0.45) };
const GLOW: Paint = Paint { emissive: [1.0, 1.0, 1.0], strength: 6.0, ..matt("glow", [0.02, 0.02, 0.02], 0.0, 0.9) };
pub const WINDOW: Paint =
    Paint { emissive: [1.0, 0.86, 0.6], strength: 2.5, ..matt("window", [0.02, 0.02, 0.02], 0.0, 0.2) };
const WARNING: Paint =
    Paint { emissive: [1.0, 0.12, 0.05], strength: 8.0, ..matt("warning", [0.05, 0.01, 0.01], 0.0, 0.4) };

/// All models of the skirmish.
pub fn all() -> Vec<Product> {
    let models: [(&str, Mesh, f32); 7] = [
        ("corvette", corvette(), 2.5),
        ("frigate", frigate(), 4.0),
        ("fighter", fighter(), 1.2),
        ("hostile", hostile(), 2.0),
        ("carrier", carrier(), 10.0),
        ("flak", flak(), 1.5),
        ("mine", mine(), 1.2),
    ];
    let file = |(name, mesh, reach): &(&str, Mesh, f32)| {
        (format!("skirmish/data/models/{name}.glb"), glb::write(mesh, name, *reach))
    };
    models.iter().map(file).collect()
}

/// An engine: a bell with light in it, pointing backwards, and a marker for its trail.
pub fn engine(mesh: &mut Mesh, marker: &'static str, place: Vec3, radius: f32) {
    let (dark, glow) = (mesh.paint(DARK), mesh.paint(GLOW));
    let back = Vec3::new(-radius * 1.3, 0.0, 0.0);
    cylinder(mesh, (dark, dark), (place, place + back), [radius * 0.75, radius], 10);
    let inside = place + back + Vec3::new(-0.02, 0.0, 0.0);
    cylinder(mesh, (glow, glow), (inside - Vec3::new(0.03, 0.0, 0.0), inside), [radius * 0.78, radius * 0.78], 10);
    mesh.marker(marker, place + back * 1.1, -Vec3::X);
}

/// A hull with a stripe in the colour of the side along its upper edges.
fn striped(mesh: &mut Mesh, sections: &[Section], stripes: &[usize]) {
    let (hull, team, trim) = (mesh.paint(HULL), mesh.paint(TEAM), mesh.paint(TRIM));
    loft(mesh, sections, |stretch, side| match side {
        1 | 3 if stripes.contains(&stretch) => team,
        5..=7 => trim,
        _ => hull,
    });
}

/// A blade that circles its target.
pub fn corvette() -> Mesh {
    let mut mesh = Mesh::default();
    striped(
        &mut mesh,
        &[
            section(5.4, -0.05, 0.10, 0.06, 0.4),
            section(3.4, 0.0, 0.42, 0.30, 0.4),
            section(1.0, 0.05, 0.80, 0.55, 0.4),
            section(-1.4, 0.10, 1.05, 0.72, 0.4),
            section(-3.2, 0.10, 1.00, 0.66, 0.4),
            section(-4.2, 0.08, 0.72, 0.48, 0.4),
        ],
        &[1, 2],
    );
    let (hull, team, window, dark) = (mesh.paint(HULL), mesh.paint(TEAM), mesh.paint(WINDOW), mesh.paint(DARK));
    let first = mesh.triangles.len();
    let at = Vec3::new;
    blade(
        &mut mesh,
        hull,
        [at(1.2, 0.75, 0.0), at(-3.4, 0.9, 0.0)],
        [at(-2.4, 3.3, -0.35), at(-4.4, 3.3, -0.35)],
        at(0.0, 0.0, 0.16),
    );
    blade(
        &mut mesh,
        team,
        [at(-2.4, 3.3, -0.35), at(-4.4, 3.3, -0.35)],
        [at(-3.4, 3.9, -0.42), at(-4.8, 3.9, -0.42)],
        at(0.0, 0.0, 0.06),
    );
    cylinder(&mut mesh, (dark, dark), (at(-1.2, 2.0, -0.2), at(1.9, 2.0, -0.2)), [0.13, 0.09], 6);
    engine(&mut mesh, "engine_left", at(-4.0, 0.55, 0.08), 0.42);
    mesh.mirror_from(first);
    mesh.marker("engine_right", at(-4.6, -0.55, 0.08), -Vec3::X);
    blade(
        &mut mesh,
        hull,
        [at(-1.6, 0.0, 0.7), at(-3.9, 0.0, 0.6)],
        [at(-3.3, 0.0, 2.0), at(-4.4, 0.0, 2.0)],
        at(0.0, 0.09, 0.0),
    );
    chamfered_box(&mut mesh, dark, at(1.3, 0.0, 0.62), at(0.95, 0.36, 0.16), 0.6);
    chamfered_box(&mut mesh, window, at(1.75, 0.0, 0.66), at(0.40, 0.30, 0.13), 0.6);
    mesh.marker("nose", at(5.4, 0.0, -0.05), Vec3::X);
    mesh
}

/// A long bow that keeps its distance.
pub fn frigate() -> Mesh {
    let mut mesh = Mesh::default();
    striped(
        &mut mesh,
        &[
            section(9.6, 0.0, 0.25, 0.30, 0.35),
            section(8.8, 0.0, 0.55, 0.70, 0.35),
            section(3.2, 0.0, 0.75, 0.95, 0.35),
            section(2.2, 0.0, 1.35, 1.25, 0.35),
            section(-3.4, 0.1, 1.60, 1.45, 0.35),
            section(-4.4, 0.1, 1.05, 1.10, 0.35),
            section(-6.6, 0.1, 1.30, 1.25, 0.35),
            section(-7.6, 0.1, 0.95, 0.95, 0.35),
        ],
        &[1, 3],
    );
    let (hull, team, trim, dark, window) =
        (mesh.paint(HULL), mesh.paint(TEAM), mesh.paint(TRIM), mesh.paint(DARK), mesh.paint(WINDOW));
    let at = Vec3::new;
    let first = mesh.triangles.len();
    chamfered_box(&mut mesh, trim, at(-0.8, 1.95, 0.1), at(2.3, 0.45, 0.75), 0.5);
    for row in 0..3 {
        for column in 0..2 {
            let place = at(1.0 - row as f32 * 1.2, 1.75 + column as f32 * 0.42, 0.86);
            cylinder(&mut mesh, (dark, dark), (place, place + at(0.12, 0.0, 0.28)), [0.16, 0.16], 6);
        }
    }
    blade(
        &mut mesh,
        hull,
        [at(-4.2, 1.2, 0.0), at(-7.2, 1.1, 0.0)],
        [at(-6.4, 3.4, 1.2), at(-7.9, 3.4, 1.2)],
        at(0.0, -0.05, 0.14),
    );
    blade(
        &mut mesh,
        team,
        [at(-6.4, 3.4, 1.2), at(-7.9, 3.4, 1.2)],
        [at(-7.0, 4.0, 1.5), at(-8.2, 4.0, 1.5)],
        at(0.0, -0.02, 0.06),
    );
    engine(&mut mesh, "engine_left", at(-7.4, 0.5, 0.45), 0.46);
    mesh.mirror_from(first);
    mesh.marker("engine_right", at(-8.0, -0.5, 0.45), -Vec3::X);
    engine(&mut mesh, "engine_middle", at(-7.4, 0.0, -0.4), 0.52);
    chamfered_box(&mut mesh, hull, at(-1.6, 0.0, 1.75), at(1.5, 0.7, 0.45), 0.5);
    chamfered_box(&mut mesh, hull, at(-2.0, 0.0, 2.3), at(0.8, 0.5, 0.25), 0.5);
    chamfered_box(&mut mesh, window, at(-0.25, 0.0, 1.82), at(0.2, 0.55, 0.10), 0.2);
    chamfered_box(&mut mesh, window, at(-1.25, 0.0, 2.36), at(0.1, 0.38, 0.07), 0.2);
    cylinder(&mut mesh, (dark, dark), (at(-2.6, 0.25, 2.5), at(-2.6, 0.25, 4.2)), [0.06, 0.02], 5);
    mesh.marker("nose", at(9.7, 0.0, 0.0), Vec3::X);
    mesh.marker("launcher", at(-0.5, 1.9, 1.1), Vec3::X);
    mesh
}

/// A triangle that dives.
pub fn fighter() -> Mesh {
    let mut mesh = Mesh::default();
    let (hull, team, window, dark) = (mesh.paint(HULL), mesh.paint(TEAM), mesh.paint(WINDOW), mesh.paint(DARK));
    loft(
        &mut mesh,
        &[
            section(2.6, 0.0, 0.06, 0.05, 0.4),
            section(1.2, 0.05, 0.28, 0.22, 0.4),
            section(-0.8, 0.05, 0.42, 0.30, 0.4),
            section(-1.8, 0.05, 0.34, 0.24, 0.4),
        ],
        |_, side| if side == 2 { dark } else { hull },
    );
    let at = Vec3::new;
    let first = mesh.triangles.len();
    blade(
        &mut mesh,
        hull,
        [at(1.3, 0.2, 0.0), at(-1.6, 0.3, 0.0)],
        [at(-1.2, 1.7, -0.1), at(-2.0, 1.7, -0.1)],
        at(0.0, 0.0, 0.09),
    );
    blade(
        &mut mesh,
        team,
        [at(-1.2, 1.7, -0.1), at(-2.0, 1.7, -0.1)],
        [at(-1.8, 1.9, 0.55), at(-2.3, 1.9, 0.55)],
        at(0.0, 0.03, 0.02),
    );
    engine(&mut mesh, "engine_left", at(-1.6, 0.22, 0.05), 0.2);
    mesh.mirror_from(first);
    mesh.marker("engine_right", at(-1.9, -0.22, 0.05), -Vec3::X);
    chamfered_box(&mut mesh, window, at(0.75, 0.0, 0.26), at(0.36, 0.13, 0.09), 0.7);
    mesh.marker("nose", at(2.6, 0.0, 0.0), Vec3::X);
    mesh
}

/// A ship that means harm: broken symmetry, thorns.
fn hostile() -> Mesh {
    let mut mesh = Mesh::default();
    let (hull, team, warning) = (mesh.paint(TRIM), mesh.paint(TEAM), mesh.paint(WARNING));
    sphere(&mut mesh, hull, 1, false, |point| Vec3::new(point.x * 2.2, point.y * 1.3, point.z * 0.9));
    let at = Vec3::new;
    let first = mesh.triangles.len();
    blade(
        &mut mesh,
        hull,
        [at(1.0, 0.6, 0.0), at(-1.0, 0.8, 0.0)],
        [at(4.0, 1.9, 0.3), at(2.2, 2.2, 0.3)],
        at(0.0, 0.0, 0.2),
    );
    blade(
        &mut mesh,
        team,
        [at(-0.4, 0.9, 0.2), at(-1.6, 0.7, 0.2)],
        [at(-3.4, 2.4, 1.2), at(-3.9, 2.2, 1.2)],
        at(0.0, 0.0, 0.14),
    );
    mesh.mirror_from(first);
    chamfered_box(&mut mesh, warning, at(1.7, 0.0, 0.42), at(0.25, 0.5, 0.08), 0.4);
    engine(&mut mesh, "engine_left", at(-1.9, 0.0, 0.0), 0.5);
    mesh.marker("nose", at(2.3, 0.0, 0.0), Vec3::X);
    mesh
}

/// A slab with bays.
pub fn carrier() -> Mesh {
    let mut mesh = Mesh::default();
    striped(
        &mut mesh,
        &[
            section(34.0, 0.0, 2.2, 1.2, 0.3),
            section(30.0, 0.0, 5.0, 2.6, 0.3),
            section(12.0, 0.0, 7.4, 3.4, 0.25),
            section(10.0, 0.0, 6.2, 3.0, 0.25),
            section(-8.0, 0.0, 6.6, 3.2, 0.25),
            section(-10.0, 0.0, 8.4, 3.8, 0.25),
            section(-26.0, 0.0, 8.0, 3.6, 0.25),
            section(-31.0, 0.0, 5.6, 2.8, 0.3),
        ],
        &[1, 5],
    );
    let (hull, team, trim, dark, window) =
        (mesh.paint(HULL), mesh.paint(TEAM), mesh.paint(TRIM), mesh.paint(DARK), mesh.paint(WINDOW));
    let at = Vec3::new;
    let first = mesh.triangles.len();
    // Two long bays, lit inside.
    chamfered_box(&mut mesh, trim, at(1.0, 8.6, -0.6), at(9.5, 2.0, 1.9), 0.3);
    chamfered_box(&mut mesh, dark, at(10.45, 8.6, -0.6), at(0.15, 1.6, 1.4), 0.2);
    chamfered_box(&mut mesh, window, at(10.55, 8.6, 0.55), at(0.1, 1.4, 0.10), 0.2);
    for deck in 0..7 {
        let x = 8.0 - deck as f32 * 2.6;
        chamfered_box(&mut mesh, window, at(x, 10.62, -0.2), at(0.7, 0.05, 0.12), 0.2);
    }
    for rib in 0..5 {
        let x = -12.0 - rib as f32 * 3.0;
        chamfered_box(&mut mesh, trim, at(x, 8.0, 0.0), at(0.6, 0.9, 3.1), 0.4);
    }
    for row in 0..9 {
        let x = 26.0 - row as f32 * 1.9;
        chamfered_box(&mut mesh, window, at(x, 4.6 + row as f32 * 0.25, 1.35), at(0.45, 0.6, 0.08), 0.2);
    }
    engine(&mut mesh, "engine_left", at(-30.0, 3.6, 0.6), 1.7);
    engine(&mut mesh, "engine_outer_left", at(-27.0, 7.0, -0.6), 1.2);
    mesh.mirror_from(first);
    mesh.marker("engine_right", at(-32.4, -3.6, 0.6), -Vec3::X);
    engine(&mut mesh, "engine_middle", at(-30.4, 0.0, -0.6), 1.8);
    // The tower.
    chamfered_box(&mut mesh, hull, at(-16.0, 0.0, 5.0), at(6.0, 3.2, 1.6), 0.4);
    chamfered_box(&mut mesh, hull, at(-17.0, 0.0, 7.4), at(3.4, 2.2, 1.2), 0.4);
    chamfered_box(&mut mesh, team, at(-18.6, 0.0, 9.2), at(1.4, 0.35, 1.0), 0.4);
    chamfered_box(&mut mesh, window, at(-13.55, 0.0, 7.6), at(0.15, 1.7, 0.3), 0.3);
    chamfered_box(&mut mesh, window, at(-9.95, 0.0, 5.3), at(0.15, 2.4, 0.3), 0.3);
    cylinder(&mut mesh, (dark, dark), (at(-19.0, 0.9, 8.4), at(-19.0, 0.9, 13.5)), [0.14, 0.04], 6);
    cylinder(&mut mesh, (dark, dark), (at(-20.0, -0.9, 8.4), at(-20.0, -0.9, 12.0)), [0.12, 0.04], 6);
    // A runway between the lights.
    chamfered_box(&mut mesh, dark, at(6.0, 0.0, 3.05), at(13.0, 2.6, 0.25), 0.3);
    for light in 0..8 {
        for side in [-2.2f32, 2.2] {
            let place = at(17.0 - light as f32 * 3.2, side, 3.34);
            chamfered_box(&mut mesh, window, place, at(0.5, 0.08, 0.04), 0.2);
        }
    }
    mesh.marker("bow", at(20.0, 0.0, 4.0), Vec3::X);
    mesh.marker("stern", at(-20.0, 0.0, 4.0), Vec3::X);
    mesh.marker("hangar", at(0.0, 0.0, -6.0), Vec3::X);
    mesh
}

/// A drum with two barrels.
pub fn flak() -> Mesh {
    let mut mesh = Mesh::default();
    let (hull, team, dark) = (mesh.paint(HULL), mesh.paint(TEAM), mesh.paint(DARK));
    let at = Vec3::new;
    cylinder(&mut mesh, (dark, dark), (at(0.0, 0.0, -0.5), at(0.0, 0.0, 0.2)), [1.5, 1.3], 12);
    chamfered_box(&mut mesh, hull, at(-0.2, 0.0, 0.8), at(1.1, 0.9, 0.65), 0.6);
    chamfered_box(&mut mesh, team, at(-0.3, 0.0, 1.5), at(0.6, 0.5, 0.10), 0.4);
    for side in [-0.45f32, 0.45] {
        cylinder(&mut mesh, (dark, dark), (at(0.6, side, 0.85), at(3.2, side, 1.0)), [0.16, 0.12], 8);
        cylinder(&mut mesh, (hull, hull), (at(0.6, side, 0.85), at(1.6, side, 0.91)), [0.24, 0.2], 8);
    }
    mesh.marker("muzzle", at(3.2, 0.0, 1.0), Vec3::X);
    mesh
}

/// A ball with spikes and a red eye.
pub fn mine() -> Mesh {
    let mut mesh = Mesh::default();
    let (trim, dark, warning) = (mesh.paint(TRIM), mesh.paint(DARK), mesh.paint(WARNING));
    sphere(&mut mesh, trim, 2, true, |point| point * 1.0);
    let ways = [Vec3::X, Vec3::Y, Vec3::Z, -Vec3::X, -Vec3::Y, -Vec3::Z];
    let corners = [
        (1.0f32, 1.0f32, 1.0f32),
        (1.0, 1.0, -1.0),
        (1.0, -1.0, 1.0),
        (-1.0, 1.0, 1.0),
        (-1.0, -1.0, 1.0),
        (-1.0, 1.0, -1.0),
        (1.0, -1.0, -1.0),
        (-1.0, -1.0, -1.0),
    ];
    for way in ways.into_iter().chain(corners.iter().map(|(x, y, z)| Vec3::new(*x, *y, *z).normal_or(Vec3::X))) {
        cylinder(&mut mesh, (dark, warning), (way * 0.9, way * 1.55), [0.2, 0.07], 6);
    }
    cylinder(&mut mesh, (warning, warning), (Vec3::new(0.0, 0.0, -0.09), Vec3::new(0.0, 0.0, 0.09)), [1.04, 1.04], 20);
    mesh
}
