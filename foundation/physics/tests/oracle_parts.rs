//! Rays, sweeps and distances compared with parry, for shapes of every kind.

use std::sync::Arc;

use base::{Pcg, Quat, Random, Vec2, Vec3};
use parry3d::math::{Pose as TheirPose, Rotation, Vector};
use parry3d::query::{self, Ray, ShapeCastOptions};
use parry3d::shape::{Ball, Capsule, Compound as TheirCompound, ConvexPolyhedron, Cuboid, SharedShape, TriMesh};
use physics::closest_points::closest_points;
use physics::height_field::HeightField;
use physics::mesh::Mesh;
use physics::pose::Pose;
use physics::ray::cast;
use physics::shape::{Compound, Shape};
use physics::surface::{Surface, closest_point_on_triangle};
use physics::sweep::{Motion, sweep};

fn vector(vector: Vec3) -> Vector {
    Vector::new(vector.x, vector.y, vector.z)
}

fn in_cube(random: &mut Pcg) -> Vec3 {
    Vec3::new(random.between(-1.0, 1.0), random.between(-1.0, 1.0), random.between(-1.0, 1.0))
}

fn turn(random: &mut Pcg) -> Quat {
    if random.below(4) == 0 { Quat::IDENTITY } else { Quat::from_rotation_vector(in_cube(random) * 3.0) }
}

fn poses(position: Vec3, turn: Quat) -> (Pose, TheirPose) {
    let rotation = Rotation::from_xyzw(turn.x, turn.y, turn.z, turn.w);
    (Pose::new(position, turn), TheirPose::from_parts(vector(position), rotation))
}

/// A closed bumpy mesh: rings of vertices at random distances from the origin, and two poles.
fn potato(random: &mut Pcg) -> Mesh {
    let (rings, around) = (3 + random.below(6), 4 + random.below(8));
    let mut vertices = vec![Vec3::Z * random.between(0.5, 1.5)];
    for ring in 1..=rings {
        let (sine, cosine) = base::number::sin_cos(ring as f32 / (rings + 1) as f32 * base::number::PI);
        for at in 0..around {
            let (y, x) = base::number::sin_cos(at as f32 / around as f32 * base::number::TAU);
            vertices.push(Vec3::new(x * sine, y * sine, cosine) * random.between(0.6, 1.4));
        }
    }
    vertices.push(Vec3::Z * -random.between(0.5, 1.5));
    let last = vertices.len() as u32 - 1;
    let at = |ring: u32, at: u32| 1 + (ring - 1) * around + at % around;
    let mut triangles = Vec::new();
    for side in 0..around {
        triangles.push([0, at(1, side), at(1, side + 1)]);
        triangles.push([last, at(rings, side + 1), at(rings, side)]);
        for ring in 1..rings {
            let [a, b, c, d] = [at(ring, side), at(ring + 1, side), at(ring + 1, side + 1), at(ring, side + 1)];
            triangles.extend([[a, b, c], [a, c, d]]);
        }
    }
    let mesh = Mesh::new(&vertices, &triangles).expect("the generated mesh is valid");
    assert!(mesh.is_closed());
    mesh
}

fn their_mesh(triangles: impl Iterator<Item = [Vec3; 3]>) -> SharedShape {
    let corners: Vec<Vector> = triangles.flatten().map(vector).collect();
    let triangles = (0..corners.len() as u32 / 3).map(|at| [at * 3, at * 3 + 1, at * 3 + 2]).collect();
    SharedShape(Arc::new(TriMesh::new(corners, triangles).expect("parry accepts the same mesh")))
}

fn convex(random: &mut Pcg) -> (Shape, SharedShape) {
    let kind = random.below(4);
    let mut length = || random.between(0.1, 1.0);
    match kind {
        0 => {
            let radius = length();
            (Shape::Sphere(radius), SharedShape(Arc::new(Ball::new(radius))))
        }
        1 => {
            let (half, radius) = (length(), length());
            let theirs = Capsule::new(Vector::new(0.0, 0.0, -half), Vector::new(0.0, 0.0, half), radius);
            (Shape::Capsule { half, radius }, SharedShape(Arc::new(theirs)))
        }
        2 => {
            let half = Vec3::new(length(), length(), length());
            (Shape::Box(half), SharedShape(Arc::new(Cuboid::new(vector(half)))))
        }
        _ => loop {
            let points: Vec<Vec3> = (0..4 + random.below(28)).map(|_| in_cube(random)).collect();
            let Ok(Shape::Hull(hull)) = Shape::hull(&points) else { continue };
            let corners: Vec<Vector> = hull.vertices().iter().map(|&vertex| vector(vertex)).collect();
            let Some(theirs) = ConvexPolyhedron::from_convex_hull(&corners) else { continue };
            break (Shape::Hull(hull), SharedShape(Arc::new(theirs)));
        },
    }
}

/// A shape with triangles or children.
fn parts(random: &mut Pcg) -> (Shape, SharedShape) {
    match random.below(3) {
        0 => {
            let mesh = potato(random);
            let theirs = their_mesh(mesh.triangles());
            (Shape::Mesh(Arc::new(mesh)), theirs)
        }
        1 => {
            let columns = 2 + random.below(12) as usize;
            let rows = 2 + random.below(12) as usize;
            let heights: Vec<f32> = (0..columns * rows).map(|_| random.between(-0.5, 0.5)).collect();
            let is_hole = |x, y| (x * 3 + y) % 7 == 5;
            let field =
                HeightField::new(columns, &heights, Vec2::new(0.3, 0.4), is_hole).expect("a valid height field");
            let mut triangles = Vec::new();
            field.visit_overlapping(&field.aabb(), |number| {
                triangles.push(field.triangle_vertices(number));
                true
            });
            (Shape::HeightField(Arc::new(field)), their_mesh(triangles.into_iter()))
        }
        _ => {
            let (mut ours, mut theirs) = (Vec::new(), Vec::new());
            for _ in 0..1 + random.below(6) {
                let (shape, their_shape) = convex(random);
                let (pose, their_pose) = poses(in_cube(random) * 2.0, turn(random));
                ours.push((pose, shape));
                theirs.push((their_pose, their_shape));
            }
            (
                Shape::Compound(Arc::new(Compound::new(ours).expect("shapes are a compound"))),
                SharedShape(Arc::new(TheirCompound::new(theirs))),
            )
        }
    }
}

fn any(random: &mut Pcg) -> (Shape, SharedShape) {
    if random.below(2) == 0 { convex(random) } else { parts(random) }
}

#[test]
fn ray_hits_match_parry() {
    let mut random = Pcg::new(11, 1);
    let (mut met, mut missed, mut grazing) = (0, 0, 0);
    for _ in 0..4000 {
        let (shape, theirs) = any(&mut random);
        let (pose, their_pose) = poses(in_cube(&mut random) * 3.0, turn(&mut random));
        for _ in 0..4 {
            let from = pose.position + in_cube(&mut random) * 5.0;
            let aim = pose.position + in_cube(&mut random);
            let direction = (aim - from).normal();
            let length = random.between(2.0, 12.0);
            let found = cast(&shape, &pose, from, direction, length);
            let ray = Ray::new(vector(from), vector(direction));
            let expected = theirs.cast_ray_and_get_normal(&their_pose, &ray, length, true);
            match (found, expected) {
                (Some(found), Some(expected)) if (found.distance - expected.time_of_impact).abs() < 2e-3 => {
                    met += 1;
                    let normal = expected.normal;
                    let normal = Vec3::new(normal.x, normal.y, normal.z);
                    let is_inside = found.distance == 0.0;
                    grazing += u32::from(!is_inside && found.normal.distance(normal) > 0.02);
                }
                (None, None) => missed += 1,
                // Parry hits back faces too: only its front-face hits count.
                (_, Some(expected)) if is_from_behind(&shape, &pose, from, direction, expected.time_of_impact) => {}
                _ => {
                    // Along an edge, or at the very end of the ray.
                    grazing += 1;
                    let near = |distance: f32| (distance - length).abs() < 1e-3;
                    let end = found.map(|found| found.distance).or(expected.map(|expected| expected.time_of_impact));
                    assert!(
                        grazing < 40 || end.is_some_and(near),
                        "{shape:?} {pose:?} {from:?} {direction:?} {found:?} {expected:?}"
                    );
                }
            }
        }
    }
    println!("{met} met, {missed} missed, {grazing} grazing");
    assert!(met > 3000 && missed > 2000 && grazing < 40, "{met} {missed} {grazing}");
}

fn is_from_behind(shape: &Shape, pose: &Pose, from: Vec3, direction: Vec3, distance: f32) -> bool {
    let place = pose.local_point(from + direction * distance);
    let direction = pose.local_direction(direction);
    match shape {
        Shape::Mesh(mesh) => is_at_back_face(&**mesh, place, direction),
        Shape::HeightField(field) => is_at_back_face(&**field, place, direction),
        _ => false,
    }
}

fn is_at_back_face(surface: &impl Surface, place: Vec3, direction: Vec3) -> bool {
    !surface.visit_overlapping(&surface.aabb(), |number| {
        let is_near = closest_point_on_triangle(&surface.triangle_vertices(number), place).distance(place) < 1e-3;
        let is_back = surface.triangle(number).normal.dot(direction) > -1e-3;
        !(is_near && is_back)
    })
}

#[test]
fn no_ray_passes_through_the_edges_of_a_closed_mesh() {
    let mut random = Pcg::new(12, 1);
    for _ in 0..200 {
        let mesh = potato(&mut random);
        let shape = Shape::Mesh(Arc::new(mesh.clone()));
        for triangle in mesh.triangles().take(60) {
            // Through a point of an edge or a vertex towards the center there is always a front face.
            for aim in [triangle[0], triangle[0].lerp(triangle[1], random.between(0.0, 1.0))] {
                let from = aim.normal() * 5.0;
                assert!(cast(&shape, &Pose::IDENTITY, from, -from, 5.0).is_some(), "{from:?}");
            }
        }
    }
}

#[test]
fn distances_of_surfaces_and_compounds_match_parry() {
    let mut random = Pcg::new(13, 1);
    let (mut apart, mut unlike) = (0, 0);
    for _ in 0..1500 {
        let ((a, their_a), (b, their_b)) = (parts(&mut random), any(&mut random));
        let (pose_a, their_pose_a) = poses(Vec3::ZERO, turn(&mut random));
        let (pose_b, their_pose_b) = poses(in_cube(&mut random) * 6.0, turn(&mut random));
        let Ok(expected) = query::distance(&their_pose_a, &*their_a, &their_pose_b, &*their_b) else { continue };
        let expected = expected.distance;
        let found = closest_points(&a, &pose_a, &b, &pose_b, 100.0).unwrap();
        let turned = closest_points(&b, &pose_b, &a, &pose_a, 100.0).unwrap();
        assert!((found.distance - turned.distance).abs() < 1e-4);
        // Parry sometimes stops early and reports too large a distance.
        let is_like = (found.distance - expected).abs() < 2e-3 * (1.0 + expected);
        unlike += u32::from(!is_like);
        assert!(found.distance < expected + 2e-3, "{} {expected} {a:?} {b:?}", found.distance);
        apart += u32::from(found.distance > 0.01);
        assert_eq!(closest_points(&a, &pose_a, &b, &pose_b, found.distance * 0.99 - 1e-3), None);
    }
    println!("{apart} apart, {unlike} unlike");
    assert!(apart > 500 && unlike < 15, "{apart} {unlike}");
}

#[test]
fn times_of_impact_match_parry() {
    let mut random = Pcg::new(14, 1);
    let (mut met, mut missed, mut unlike) = (0, 0, 0);
    for _ in 0..3000 {
        let ((a, their_a), (b, their_b)) = (convex(&mut random), any(&mut random));
        let (pose_a, their_pose_a) = poses(in_cube(&mut random) * 5.0, turn(&mut random));
        let (pose_b, their_pose_b) = poses(in_cube(&mut random) * 2.0, turn(&mut random));
        let displacement = (in_cube(&mut random) - pose_a.position) * random.between(0.3, 2.0);
        let start = closest_points(&a, &pose_a, &b, &pose_b, 100.0).unwrap().distance;
        // Parry hits back faces too.
        let is_from_above = pose_b.local_point(pose_a.position).z > 0.6 && pose_b.local_direction(displacement).z < 0.0;
        if start < 0.01 || matches!(b, Shape::HeightField(_)) && !is_from_above {
            continue;
        }
        let options = ShapeCastOptions::with_max_time_of_impact(1.0);
        let still = Vector::new(0.0, 0.0, 0.0);
        let cast = query::cast_shapes(
            &their_pose_a,
            vector(displacement),
            &*their_a,
            &their_pose_b,
            still,
            &*their_b,
            options,
        );
        let expected = cast.unwrap().map(|hit| hit.time_of_impact);
        let motion = Motion { translation: displacement, ..Motion::at_rest(pose_a) };
        let found = sweep(&a, &motion, &b, &Motion::at_rest(pose_b));
        let other_way = sweep(&b, &Motion::at_rest(pose_b), &a, &motion);
        let slack = 4e-3 / displacement.length();
        match (found, expected) {
            (Some(found), Some(expected)) if (found.time - expected).abs() < slack + 1e-3 => met += 1,
            (None, None) => missed += 1,
            _ => {
                unlike += 1;
                println!("ours {:?}, theirs {expected:?}", found.map(|found| found.time));
                let apart = |time: f32| closest_points(&a, &motion.at(time), &b, &pose_b, 100.0).unwrap().distance;
                let ours = found.map_or(1.0, |found| found.time);
                // Whatever parry reports: the shapes are separated until our time of impact, unless the ground is hit from behind.
                let is_apart = (0..200).all(|step| apart(ours * step as f32 / 200.0) > 0.0);
                let is_field = matches!(b, Shape::HeightField(_));
                assert!(is_apart || is_field, "{a:?} {b:?} {found:?} {expected:?}");
                if let Some(found) = found {
                    assert!(apart(found.time) < 2e-3, "{} {found:?} {expected:?}", apart(found.time));
                }
            }
        }
        let times = (found.map(|found| found.time), other_way.map(|found| found.time));
        match times {
            (Some(one), Some(other)) => assert!((one - other).abs() < slack, "{times:?}"),
            (None, None) => {}
            _ => unlike += 1,
        }
    }
    println!("{met} met, {missed} missed, {unlike} unlike");
    assert!(met > 800 && missed > 300 && unlike < 30, "{met} {missed} {unlike}");
}
