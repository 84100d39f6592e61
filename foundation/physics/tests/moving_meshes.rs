//! Triangle meshes that move: they slide, stack and sleep as other bodies of the same form.

use base::{Handle, Quat, Vec3, number};
use physics::mesh::Mesh;
use physics::{Body, Shape, flag};

use crate::common::Scene;

fn mesh(points: &[[f32; 3]], triangles: &[[u32; 3]]) -> Shape {
    let points: Vec<Vec3> = points.iter().copied().map(Vec3::from_array).collect();
    Shape::Mesh(Mesh::new(&points, triangles).expect("a mesh").into())
}

/// A prism over a polygon in the plane of x and z, given counter-clockwise with its triangles, from y = -depth to depth.
pub fn prism(outline: &[[f32; 2]], fan: &[[u32; 3]], depth: f32) -> Shape {
    let count = outline.len() as u32;
    let side = |y: f32| outline.iter().map(move |[x, z]| [*x, y, *z]);
    let points: Vec<[f32; 3]> = side(-depth).chain(side(depth)).collect();
    let mut triangles: Vec<[u32; 3]> = fan.to_vec();
    triangles.extend(fan.iter().map(|[a, b, c]| [a + count, c + count, b + count]));
    for (a, b) in (0..count).map(|index| (index, (index + 1) % count)) {
        triangles.extend([[a, a + count, b], [b, a + count, b + count]]);
    }
    mesh(&points, &triangles)
}

fn cube() -> Shape {
    prism(&[[-0.5, -0.5], [0.5, -0.5], [0.5, 0.5], [-0.5, 0.5]], &[[0, 1, 2], [0, 2, 3]], 0.5)
}

/// An L of a metre, with arms of half a metre: twenty triangles.
fn ell() -> Shape {
    let outline = [[-0.5, -0.5], [0.5, -0.5], [0.5, 0.0], [0.0, 0.0], [0.0, 0.5], [-0.5, 0.5]];
    prism(&outline, &[[0, 1, 3], [1, 2, 3], [0, 3, 5], [3, 4, 5]], 0.5)
}

/// Ground of triangles: a grid with gentle bumps, or flat.
fn ground(side: u32, cell: f32, bump: f32) -> Shape {
    let at = |x: u32, y: u32| {
        let (u, v) = (x as f32 - side as f32 * 0.5, y as f32 - side as f32 * 0.5);
        [u * cell, v * cell, bump * number::sin_cos(u * 0.7).0 * number::sin_cos(v * 0.5).1]
    };
    let points: Vec<[f32; 3]> = (0..=side).flat_map(|y| (0..=side).map(move |x| at(x, y))).collect();
    let mut triangles = Vec::new();
    for (x, y) in (0..side).flat_map(|y| (0..side).map(move |x| (x, y))) {
        let corner = y * (side + 1) + x;
        let (right, up, both) = (corner + 1, corner + side + 1, corner + side + 2);
        triangles.extend([[corner, right, both], [corner, both, up]]);
    }
    mesh(&points, &triangles)
}

fn floor(scene: &mut Scene, is_mesh: bool, friction: f32) {
    let shape = if is_mesh { ground(20, 2.0, 0.0) } else { Shape::Box(Vec3::new(50.0, 50.0, 1.0)) };
    let depth = if is_mesh { 0.0 } else { -1.0 };
    scene.add(shape, 0.0, Vec3::new(0.0, 0.0, depth), |body| body.friction = friction);
}

/// How far a body slides at this speed, and whether it sleeps in the end.
fn slide(shape: Shape, speed: f32, is_mesh: bool) -> (f32, bool) {
    let mut scene = Scene::new(4, 9.81);
    scene.settings.seconds = 0.01;
    floor(&mut scene, is_mesh, 0.6);
    let start = Vec3::new(-8.0, 0.3, 0.5);
    let body = scene.add(shape, 100.0, start, |body| (body.friction, body.velocity.x) = (0.6, speed));
    scene.run(500);
    let body = scene.body(body);
    assert!((body.position.z - 0.5).abs() < 0.01, "{body:?}");
    (body.position.x - start.x, body.is(flag::ASLEEP))
}

#[test]
fn a_mesh_slides_as_far_as_a_box() {
    for speed in [2.0, 6.0, 12.0] {
        let expected = speed * speed / (2.0 * 0.6 * 9.81);
        for is_mesh in [false, true] {
            let found = [Shape::Box(Vec3::splat(0.5)), cube(), ell()].map(|shape| slide(shape, speed, is_mesh));
            for (way, is_asleep) in found {
                assert!(
                    (way - expected).abs() < 0.05 * expected,
                    "{speed} m/s, mesh {is_mesh}: {found:?}, not {expected}"
                );
                assert!(is_asleep, "{found:?}");
            }
        }
    }
}

#[test]
fn a_mesh_of_many_dents_falls_and_sleeps_in_parts_or_as_triangles() {
    let shape = urchin(10, 0.36);
    let Shape::Mesh(mesh) = &shape else { unreachable!("a mesh") };
    let triangles: Vec<Vec3> = mesh.triangles().flatten().collect();
    let indices: Vec<[u32; 3]> =
        (0..triangles.len() as u32 / 3).map(|index| [0, 1, 2].map(|at| index * 3 + at)).collect();
    let whole = Shape::Mesh(Mesh::fixed(&triangles, &indices).expect("a mesh").into());
    assert!(!mesh.parts().is_empty() && mesh.half_thickness() > 0.05, "{}", mesh.half_thickness());
    for shape in [shape, whole] {
        fall_and_sleep(&shape);
    }
}

fn fall_and_sleep(shape: &Shape) {
    let mut scene = Scene::new(8, 9.81);
    floor(&mut scene, true, 0.6);
    let bodies: Vec<_> = (0..3)
        .map(|number| {
            scene.add(shape.clone(), 100.0, Vec3::new(0.0, 0.3, 0.7 + 1.3 * number as f32), |body| {
                (body.friction, body.rolling_resistance) = (0.6, 0.05);
            })
        })
        .collect();
    scene.run(900);
    for body in bodies {
        let body = scene.body(body);
        assert!(body.position.z > 0.3 && body.position.z < 3.0, "{body:?}");
        assert!(body.is(flag::ASLEEP), "{body:?}");
    }
}

/// A ring with a round section: `rings` sections of `sides` points.
fn ring(rings: u32, sides: u32) -> Shape {
    let point = |ring: u32, side: u32| {
        let (y, x) = number::sin_cos(ring as f32 / rings as f32 * number::TAU);
        let (height, out) = number::sin_cos(side as f32 / sides as f32 * number::TAU);
        let radius = 0.5 + 0.2 * out;
        [radius * x, radius * y, 0.2 * height]
    };
    let points: Vec<[f32; 3]> = (0..rings).flat_map(|ring| (0..sides).map(move |side| point(ring, side))).collect();
    let at = |ring: u32, side: u32| ring % rings * sides + side % sides;
    let mut triangles = Vec::new();
    for (ring, side) in (0..rings).flat_map(|ring| (0..sides).map(move |side| (ring, side))) {
        let [a, b, c, d] = [at(ring, side), at(ring + 1, side), at(ring, side + 1), at(ring + 1, side + 1)];
        triangles.extend([[a, b, d], [a, d, c]]);
    }
    mesh(&points, &triangles)
}

/// Boxes that touch, as people model a chair.
fn chair() -> Shape {
    let mut boxes = vec![([0.0, 0.0, 0.45], [0.25, 0.25, 0.03]), ([-0.22, 0.0, 0.75], [0.03, 0.25, 0.27])];
    for (x, y) in [(-0.22, -0.22), (0.22, -0.22), (-0.22, 0.22), (0.22, 0.22)] {
        boxes.push(([x, y, 0.21], [0.03, 0.03, 0.21]));
    }
    let (mut points, mut triangles) = (Vec::new(), Vec::new());
    for (center, half) in boxes {
        let first = points.len() as u32;
        for corner in 0..8_usize {
            points.push(
                [0, 1, 2].map(|axis| center[axis] + half[axis] * if corner >> axis & 1 == 1 { 1.0 } else { -1.0 }),
            );
        }
        for [a, b, c, d] in [[0, 2, 3, 1], [4, 5, 7, 6], [0, 1, 5, 4], [2, 6, 7, 3], [0, 4, 6, 2], [1, 3, 7, 5]] {
            triangles.extend([[a, b, c].map(|at| first + at), [a, c, d].map(|at| first + at)]);
        }
    }
    mesh(&points, &triangles)
}

/// A bowl of `rings` rings around its wall, which is six centimetres thick, with its opening above.
fn bowl(rings: u32, sides: u32) -> Shape {
    let wall = |radius: f32, part: u32| {
        let (sine, cosine) = number::sin_cos(part as f32 / rings as f32 * number::TAU * 0.25);
        [radius * sine, 0.5 - radius * cosine]
    };
    let profile: Vec<[f32; 2]> =
        (1..=rings).map(|part| wall(0.5, part)).chain((1..=rings).rev().map(|part| wall(0.44, part))).collect();
    let (mut points, mut triangles) = (vec![[0.0, 0.0, 0.0], [0.0, 0.0, 0.06]], Vec::new());
    for [radius, height] in &profile {
        for side in 0..sides {
            let (y, x) = number::sin_cos(side as f32 / sides as f32 * number::TAU);
            points.push([radius * x, radius * y, *height]);
        }
    }
    let at = |row: u32, side: u32| 2 + row * sides + side % sides;
    let last = profile.len() as u32 - 1;
    for side in 0..sides {
        triangles.extend([[0, at(0, side + 1), at(0, side)], [1, at(last, side), at(last, side + 1)]]);
        for row in 0..last {
            let [a, b, c, d] = [at(row, side), at(row, side + 1), at(row + 1, side), at(row + 1, side + 1)];
            triangles.extend([[a, b, d], [a, d, c]]);
        }
    }
    mesh(&points, &triangles)
}

/// They have too many reflex edges to be cut along each, or so many triangles that it would take too long.
#[test]
fn a_ring_of_thousands_of_triangles_and_a_chair_slide_as_far_as_a_box() {
    for (name, shape, low) in [("ring", ring(48, 24), 0.2), ("chair", chair(), 0.0)] {
        let Shape::Mesh(mesh) = &shape else { unreachable!("a mesh") };
        assert!((2..=32).contains(&mesh.parts().len()), "{name}: {} parts", mesh.parts().len());
        for is_mesh in [false, true] {
            let mut scene = Scene::new(4, 9.81);
            scene.settings.seconds = 0.01;
            floor(&mut scene, is_mesh, 0.6);
            let start = Vec3::new(-8.0, 0.3, low);
            let body = scene.add(shape.clone(), 100.0, start, |body| (body.friction, body.velocity.x) = (0.6, 6.0));
            scene.run(500);
            let (body, expected) = (scene.body(body), 36.0 / (2.0 * 0.6 * 9.81));
            let way = body.position.x - start.x;
            assert!((way - expected).abs() < 0.05 * expected, "{name}, mesh {is_mesh}: {way}, not {expected}");
            assert!(body.is(flag::ASLEEP), "{name}: {body:?}");
        }
    }
}

/// As triangles they flew off: bowls at 50 metres per second.
#[test]
fn bowls_fall_onto_one_another_and_gain_no_speed() {
    let shape = bowl(8, 24);
    for is_mesh in [false, true] {
        let mut scene = Scene::new(16, 9.81);
        scene.settings.seconds = 0.01;
        floor(&mut scene, is_mesh, 0.6);
        let bowls: Vec<_> = (0..6)
            .map(|number| {
                let turn = Quat::from_rotation_vector(Vec3::new(0.5 * number as f32, 0.3, 0.2 * number as f32));
                let at = Vec3::new(0.2 * number as f32, 0.1, 1.0 + 1.2 * number as f32);
                scene.add(shape.clone(), 600.0, at, |body| (body.rotation, body.friction) = (turn, 0.6))
            })
            .collect();
        for _ in 0..600 {
            scene.step();
            for bowl in &bowls {
                let body = scene.body(*bowl);
                let height = body.world_center_of_mass().z;
                assert!(body.velocity.length() < 15.0 && height > 0.0 && height < 8.0, "{body:?}");
            }
        }
    }
}

/// A sphere of half a metre of which every second point lies lower, `rings` by twice as many cells.
fn urchin(rings: u32, low: f32) -> Shape {
    let columns = rings * 2;
    let mut points = vec![[0.0, 0.0, -0.5]];
    for ring in 1..rings {
        for column in 0..columns {
            let (sine, cosine) = number::sin_cos(ring as f32 / columns as f32 * number::TAU);
            let (y, x) = number::sin_cos(column as f32 / columns as f32 * number::TAU);
            let radius = if (ring + column) % 2 == 0 { 0.5 } else { low };
            points.push([radius * sine * x, radius * sine * y, -radius * cosine]);
        }
    }
    points.push([0.0, 0.0, 0.5]);
    let at = |ring: u32, column: u32| 1 + (ring - 1) * columns + column % columns;
    let (bottom, top) = (0, points.len() as u32 - 1);
    let mut triangles = Vec::new();
    for column in 0..columns {
        triangles.push([bottom, at(1, column + 1), at(1, column)]);
        triangles.push([top, at(rings - 1, column), at(rings - 1, column + 1)]);
        for ring in 1..rings - 1 {
            let [a, b] = [at(ring, column), at(ring, column + 1)];
            let [c, d] = [at(ring + 1, column), at(ring + 1, column + 1)];
            triangles.extend([[a, b, d], [a, d, c]]);
        }
    }
    mesh(&points, &triangles)
}

#[test]
fn two_concave_meshes_stack_and_sleep() {
    for is_mesh in [false, true] {
        let mut scene = Scene::new(4, 9.81);
        floor(&mut scene, is_mesh, 0.6);
        let lower = scene.add(ell(), 100.0, Vec3::new(0.0, 0.0, 0.5), |_| {});
        // The upper one lies on its side in the corner of the lower one's arms.
        let upper = scene.add(ell(), 100.0, Vec3::new(0.0, 0.0, 2.0), |_| {});
        scene.run(360);
        let [lower, upper] = [lower, upper].map(|body| *scene.body(body));
        assert!((lower.position.z - 0.5).abs() < 0.02, "{lower:?}");
        assert!(upper.position.distance(lower.position) > 0.45, "{upper:?} on {lower:?}");
        assert!(lower.is(flag::ASLEEP) && upper.is(flag::ASLEEP), "{lower:?} {upper:?}");
        assert!(depth(&ell(), &[lower, upper]) < 0.02);
    }
}

/// How deep two bodies of a shape overlap, by the deepest contact of their parts.
fn depth(shape: &Shape, [one, other]: &[Body; 2]) -> f32 {
    let parts = shape.moving().expect("it has parts");
    let mut found = physics::manifold::Manifolds::default();
    let pose = |body: &Body| physics::pose::Pose::new(body.position, body.rotation);
    physics::narrow::collide(&parts, &pose(one), &parts, &pose(other), 0.0, &mut found);
    found.as_slice().iter().map(|manifold| -manifold.min_separation()).fold(0.0, number::max)
}

/// The scene of the budget: concave meshes and simple bodies fall on bumpy ground of triangles.
fn field() -> (Scene, Vec<Handle<Body>>) {
    let mut scene = Scene::new(300, 9.81);
    scene.settings.seconds = 0.01;
    scene.add(ground(20, 2.0, 0.15), 0.0, Vec3::ZERO, |body| body.friction = 0.6);
    let place =
        |number: usize, z: f32| Vec3::new((number % 10) as f32 * 1.7 - 8.0, (number / 10 % 10) as f32 * 1.7 - 8.0, z);
    let mut all = Vec::new();
    for number in 0..60 {
        let turn = Quat::from_rotation_vector(Vec3::new(number as f32, 0.3 * number as f32, 0.1));
        all.push(scene.add(ell(), 100.0, place(number, 1.5), |body| body.rotation = turn));
    }
    for number in 0..100 {
        all.push(scene.add(Shape::Box(Vec3::splat(0.3)), 100.0, place(number, 3.0), |_| {}));
        let ball = place(number, 4.2) + Vec3::new(0.4, 0.3, 0.0);
        all.push(scene.add(Shape::Sphere(0.3), 100.0, ball, |body| body.rolling_resistance = 0.02));
    }
    (scene, all)
}

#[test]
fn concave_meshes_among_others_come_to_rest_on_ground_of_triangles() {
    let (mut scene, all) = field();
    scene.run(1200);
    let lost = all.iter().filter(|body| scene.body(**body).position.z < -0.3).count();
    let awake = all.iter().filter(|body| !scene.body(**body).is(flag::ASLEEP)).count();
    assert_eq!(lost, 0, "none sinks into the ground");
    assert!(awake < 30, "{awake} of 260 are awake after twelve seconds");
}

#[test]
fn a_mesh_is_cut_into_convex_parts_of_its_volume() {
    let parts = |shape: &Shape| match shape {
        Shape::Mesh(mesh) => (mesh.parts().len(), mesh.half_thickness()),
        _ => (0, 0.0),
    };
    assert_eq!(parts(&cube()), (1, 0.5));
    assert_eq!(parts(&ell()), (2, 0.25));
    // A U: the cut above its base leaves two arms.
    let u = [[-1.0, 0.0], [1.0, 0.0], [1.0, 1.0], [0.5, 1.0], [0.5, 0.3], [-0.5, 0.3], [-0.5, 1.0], [-1.0, 1.0]];
    let fan = [[0, 1, 4], [0, 4, 5], [1, 2, 4], [2, 3, 4], [0, 5, 7], [5, 6, 7]];
    assert_eq!(parts(&prism(&u, &fan, 0.2)).0, 3);
    // A plus.
    let plus = [
        [-1.5, -0.5],
        [-0.5, -0.5],
        [-0.5, -1.5],
        [0.5, -1.5],
        [0.5, -0.5],
        [1.5, -0.5],
        [1.5, 0.5],
        [0.5, 0.5],
        [0.5, 1.5],
        [-0.5, 1.5],
        [-0.5, 0.5],
        [-1.5, 0.5],
    ];
    let fan = [
        [0, 1, 10],
        [0, 10, 11],
        [1, 2, 3],
        [1, 3, 4],
        [4, 5, 6],
        [4, 6, 7],
        [7, 8, 9],
        [7, 9, 10],
        [1, 4, 7],
        [1, 7, 10],
    ];
    assert_eq!(parts(&prism(&plus, &fan, 0.3)).0, 3);
    // A ball with shallow dents is its hull.
    assert_eq!(parts(&urchin(12, 0.48)).0, 1);
    // An open surface has no inside.
    assert_eq!(parts(&ground(4, 1.0, 0.0)), (0, 0.0));
}
