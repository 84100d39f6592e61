//! Solids that meshes are made of: lofts through cross-sections, boxes, cylinders, spheres.

use astrarium::base::number::{cos, max, min, sin};
use astrarium::base::{Random, Vec3};

use crate::mesh::Mesh;

const TURN: f32 = core::f32::consts::TAU;

/// A cross-section of a hull at one place along x: a box with chamfered edges.
#[derive(Clone, Copy, Debug)]
pub struct Section {
    /// Where along x.
    pub x: f32,
    /// The centre.
    pub z: f32,
    /// Half the width.
    pub width: f32,
    /// Half the height.
    pub height: f32,
    /// The part of the edges that is cut off, from 0 to 1.
    pub chamfer: f32,
}

/// A section.
pub const fn section(x: f32, z: f32, width: f32, height: f32, chamfer: f32) -> Section {
    Section { x, z, width, height, chamfer }
}

impl Section {
    /// Its eight corners, counter-clockwise seen from the front.
    fn corners(&self) -> [Vec3; 8] {
        let (w, h) = (self.width, self.height);
        let (cw, ch) = (w * (1.0 - self.chamfer), h * (1.0 - self.chamfer));
        let at = |y: f32, z: f32| Vec3::new(self.x, y, self.z + z);
        [at(w, -ch), at(w, ch), at(cw, h), at(-cw, h), at(-w, ch), at(-w, -ch), at(-cw, -h), at(cw, -h)]
    }
}

/// Adds a hull through cross-sections, from the front to the back. `paint` is given the number of the stretch and of the
/// side: 0 left, 1 upper left, 2 top, 3 upper right, 4 right, 5 lower right, 6 bottom, 7 lower left.
pub fn loft(mesh: &mut Mesh, sections: &[Section], paint: impl Fn(usize, usize) -> usize) {
    for (stretch, pair) in sections.windows(2).enumerate() {
        let (front, back) = (pair[0].corners(), pair[1].corners());
        for side in 0..8 {
            let next = (side + 1) % 8;
            mesh.face(paint(stretch, side), &[front[side], back[side], back[next], front[next]]);
        }
    }
    if let (Some(first), Some(last)) = (sections.first(), sections.last()) {
        mesh.face(paint(0, 2), &first.corners());
        let mut back = last.corners();
        back.reverse();
        mesh.face(paint(sections.len().saturating_sub(2), 2), &back);
    }
}

/// Adds a box with chamfered edges along x.
pub fn chamfered_box(mesh: &mut Mesh, paint: usize, centre: Vec3, half: Vec3, chamfer: f32) {
    let first = mesh.triangles.len();
    let cut = chamfer * min(min(half.x, half.y), half.z);
    let ends = [(half.x, 1.0 - cut / max(half.y, 1e-6), 1.0 - cut / max(half.z, 1e-6)), (half.x - cut, 1.0, 1.0)];
    let at = |x: f32, wide: f32, high: f32| section(x, 0.0, half.y * wide, half.z * high, chamfer * 0.5);
    let sections = [
        at(ends[0].0, ends[0].1, ends[0].2),
        at(ends[1].0, 1.0, 1.0),
        at(-ends[1].0, 1.0, 1.0),
        at(-ends[0].0, ends[0].1, ends[0].2),
    ];
    loft(mesh, &sections, |_, _| paint);
    for triangle in &mut mesh.triangles[first..] {
        triangle.corners = triangle.corners.map(|corner| corner + centre);
    }
}

/// A thin blade: a wing or a fin. `root` and `tip` are the front and back of its edges, in order.
pub fn blade(mesh: &mut Mesh, paint: usize, root: [Vec3; 2], tip: [Vec3; 2], thickness: Vec3) {
    let [root_front, root_back] = root;
    let [tip_front, tip_back] = tip;
    let middle = |front: Vec3, back: Vec3| front * 0.4 + back * 0.6;
    let (root_ridge, tip_ridge) = (middle(root_front, root_back), middle(tip_front, tip_back));
    let thin = thickness * 0.35;
    let above = [root_ridge + thickness, tip_ridge + thin];
    let below = [root_ridge - thickness, tip_ridge - thin];
    let centre = (root_ridge + tip_ridge) * 0.5;
    let faces = [
        [root_front, above[0], above[1], tip_front],
        [above[0], root_back, tip_back, above[1]],
        [tip_front, below[1], below[0], root_front],
        [below[1], tip_back, root_back, below[0]],
        [tip_front, above[1], tip_back, below[1]],
    ];
    for mut face in faces {
        // Which way round a face goes depends on where the tip is.
        let normal = (face[1] - face[0]).cross(face[2] - face[0]);
        if normal.dot(face[0] + face[2] - centre * 2.0) < 0.0 {
            face.reverse();
        }
        mesh.face(paint, &face);
    }
}

/// Adds a cylinder or cone along an axis, from `from` to `to`, open or closed by paints of its own.
pub fn cylinder(
    mesh: &mut Mesh,
    (side, caps): (usize, usize),
    (from, to): (Vec3, Vec3),
    radii: [f32; 2],
    corners: usize,
) {
    let axis = (to - from).normal_or(Vec3::X);
    let across = if axis.z.abs() < 0.9 { axis.cross(Vec3::Z) } else { axis.cross(Vec3::X) }.normal_or(Vec3::Y);
    let up = axis.cross(across);
    let point = |place: Vec3, radius: f32, corner: usize| {
        let angle = TURN * corner as f32 / corners as f32;
        place + across * (cos(angle) * radius) + up * (sin(angle) * radius)
    };
    for corner in 0..corners {
        let next = corner + 1;
        let quad = [
            point(from, radii[0], corner),
            point(from, radii[0], next),
            point(to, radii[1], next),
            point(to, radii[1], corner),
        ];
        let slope = (radii[0] - radii[1]) / max((to - from).length(), 1e-6);
        let normal = |corner: usize| {
            let angle = TURN * corner as f32 / corners as f32;
            (across * cos(angle) + up * sin(angle) + axis * slope).normal_or(Vec3::X)
        };
        let (one, two) = (normal(corner), normal(next));
        mesh.smooth(side, [quad[0], quad[1], quad[2]], [one, two, two]);
        mesh.smooth(side, [quad[0], quad[2], quad[3]], [one, two, one]);
    }
    let ring =
        |place: Vec3, radius: f32| -> Vec<Vec3> { (0..corners).map(|corner| point(place, radius, corner)).collect() };
    let (mut near, far) = (ring(from, radii[0]), ring(to, radii[1]));
    near.reverse();
    mesh.face(caps, &near);
    mesh.face(caps, &far);
}

/// A unit sphere from an icosahedron, each face divided twice `depth` times; `shape` moves its points.
pub fn sphere(mesh: &mut Mesh, paint: usize, depth: u32, is_smooth: bool, shape: impl Fn(Vec3) -> Vec3) {
    let phi = 1.618_034;
    let points: Vec<Vec3> = [(0.0, 1.0, phi), (0.0, -1.0, phi), (0.0, 1.0, -phi), (0.0, -1.0, -phi)]
        .iter()
        .flat_map(|(a, b, c)| [Vec3::new(*a, *b, *c), Vec3::new(*b, *c, *a), Vec3::new(*c, *a, *b)])
        .map(|point| point.normal_or(Vec3::X))
        .collect();
    let mut faces: Vec<[Vec3; 3]> = Vec::new();
    for (i, a) in points.iter().enumerate() {
        for (j, b) in points.iter().enumerate().skip(i + 1) {
            for c in points.iter().skip(j + 1) {
                let near = |one: &Vec3, two: &Vec3| (*one - *two).length() < 1.06;
                if near(a, b) && near(b, c) && near(a, c) {
                    let outward = (*b - *a).cross(*c - *a).dot(*a) > 0.0;
                    faces.push(if outward { [*a, *b, *c] } else { [*a, *c, *b] });
                }
            }
        }
    }
    for _ in 0..depth {
        let half = |a: Vec3, b: Vec3| (a + b).normal_or(a);
        faces = faces
            .iter()
            .flat_map(|[a, b, c]| {
                let (ab, bc, ca) = (half(*a, *b), half(*b, *c), half(*c, *a));
                [[*a, ab, ca], [ab, *b, bc], [ca, bc, *c], [ab, bc, ca]]
            })
            .collect();
    }
    // The normal of a shape at a point, by differences.
    let normal_at = |point: Vec3| {
        let side = if point.z.abs() < 0.9 { point.cross(Vec3::Z) } else { point.cross(Vec3::X) }.normal_or(Vec3::Y);
        let other = point.cross(side);
        let step = 0.02;
        let at = |offset: Vec3| shape((point + offset).normal_or(point));
        let normal = (at(side * step) - at(side * -step)).cross(at(other * step) - at(other * -step));
        normal.normal_or(point)
    };
    for face in faces {
        let corners = face.map(&shape);
        if is_smooth {
            mesh.smooth(paint, corners, face.map(normal_at));
        } else {
            mesh.face(paint, &corners);
        }
    }
}

/// Smooth noise of a point, about −1 to 1: a few random waves.
pub struct Noise {
    waves: Vec<(Vec3, f32, f32)>,
}

impl Noise {
    /// Noise of this many octaves, the first with this many waves per metre.
    pub fn new(random: &mut impl Random, octaves: u32, frequency: f32) -> Noise {
        let mut waves = Vec::new();
        let mut height = 1.0;
        let mut scale = frequency * TURN;
        for _ in 0..octaves {
            for _ in 0..6 {
                let mut part = || random.between(-1.0, 1.0);
                let direction = Vec3::new(part(), part(), part()).normal_or(Vec3::X);
                waves.push((direction * scale, random.between(0.0, TURN), height / 3.0));
            }
            height *= 0.55;
            scale *= 1.9;
        }
        Noise { waves }
    }

    /// The noise at a point.
    pub fn at(&self, point: Vec3) -> f32 {
        self.waves.iter().map(|(wave, phase, height)| sin(wave.dot(point) + phase) * height).sum()
    }
}
