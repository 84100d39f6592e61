//! Ways end where something solid begins, and whatever is asked, the answer is sound.

use alloc::vec;
use alloc::vec::Vec;

use base::Quat;

use super::*;
use crate::catalogue::ShapeMesh;

fn fixed(object: u32, shape: Shape, x: f32) -> Instance {
    Instance { look: look::FIXED, ..Instance::new(object, shape, Vec3::X * x) }
}

fn free(instances: &[Instance], radius: f32) -> f32 {
    let mut frame = Frame::new(0);
    frame.instances = instances.to_vec();
    let meshes = ObstacleMeshes::default();
    Obstacles { frame: &frame, meshes: &meshes, except: 9 }.free_distance(Vec3::ZERO, Vec3::X * 3.0, 10.0, radius)
}

#[test]
fn a_way_ends_at_the_first_solid_thing() {
    let ball = Shape::Sphere { radius: 1.0 };
    let cube = Shape::Box { half: Vec3::splat(1.0) };
    let pole = Shape::Capsule { radius: 1.0, length: 4.0 };
    for shape in [ball, cube, pole] {
        assert!((free(&[fixed(1, shape, 8.0), fixed(2, shape, 5.0)], 0.0) - 4.0).abs() < 1e-5, "{shape:?}");
        assert!((free(&[fixed(1, shape, 5.0)], 0.5) - 3.5).abs() < 1e-5, "{shape:?} for a ball");
        assert_eq!(free(&[fixed(1, shape, 0.5)], 0.5), 10.0, "{shape:?} holds the beginning");
        assert_eq!(free(&[fixed(1, shape, 50.0), fixed(1, shape, -5.0)], 0.5), 10.0);
    }
    let lying = Instance { orientation: Quat::from_axis_angle(Vec3::Y, 1.570_796_4), ..fixed(1, pole, 5.0) };
    assert!((free(&[lying], 0.0) - 2.0).abs() < 1e-3, "a capsule along the way");
}

#[test]
fn small_moving_things_hidden_ones_triggers_and_the_own_object_are_not_in_the_way() {
    let ball = |radius| Shape::Sphere { radius };
    assert_eq!(free(&[Instance::new(1, ball(1.0), Vec3::X * 5.0)], 0.0), 10.0);
    assert_eq!(free(&[Instance::new(1, ball(3.0), Vec3::X * 5.0)], 0.0), 2.0, "a large one is");
    for look in [look::HIDDEN, look::PASSABLE] {
        assert_eq!(free(&[Instance { look: look | look::FIXED, ..fixed(1, ball(1.0), 5.0) }], 0.0), 10.0);
    }
    assert_eq!(free(&[fixed(9, ball(1.0), 5.0), Instance { parent: 9, ..fixed(3, ball(1.0), 6.0) }], 0.0), 10.0);
    assert_eq!(free(&[fixed(1, Shape::Marker { radius: 4.0 }, 5.0)], 0.0), 10.0);
}

#[test]
fn meshes_are_met_from_both_sides_also_by_the_side_of_a_ball() {
    let name = StringId::from("wall.geometry");
    // A wall at x = 0 of 40 × 40 squares, with z from 0 to 4.
    let mut mesh = ShapeMesh::default();
    for row in 0..=40_u32 {
        mesh.points.extend((0..=40_u32).map(|column| Vec3::new(0.0, column as f32 * 0.1 - 2.0, row as f32 * 0.1)));
    }
    for (row, column) in (0..40).flat_map(|row| (0..40).map(move |column| (row, column))) {
        let at = |row: u32, column: u32| row * 41 + column;
        let [a, b, c, d] = [at(row, column), at(row, column + 1), at(row + 1, column + 1), at(row + 1, column)];
        mesh.triangles.extend([[a, b, c], [a, c, d]]);
    }
    mesh.triangles.push([0, 1, 9_999_999]);
    let catalogue = ShapeCatalogue { meshes: [(name, mesh)].into(), version: 1 };
    let mut meshes = ObstacleMeshes::default();
    meshes.update(&catalogue);
    let mut frame = Frame::new(0);
    frame.instances = vec![Instance { scale: 2.0, ..fixed(1, Shape::Mesh { name }, 5.0) }];
    let obstacles = Obstacles { frame: &frame, meshes: &meshes, except: 0 };
    let up = Vec3::Z;
    assert!((obstacles.free_distance(up, Vec3::X, 10.0, 0.0) - 5.0).abs() < 1e-4);
    assert!((obstacles.free_distance(up + Vec3::X * 9.0, -Vec3::X, 10.0, 0.5) - 3.5).abs() < 1e-4);
    assert_eq!(obstacles.free_distance(up * 9.0, Vec3::X, 10.0, 0.5), 10.0, "above it");
    assert!(obstacles.free_distance(up * 8.3, Vec3::X, 10.0, 0.5) < 5.0, "the lower side of the ball");
    assert!(!obstacles.sees(up, up + Vec3::X * 6.0) && obstacles.sees(up, up + Vec3::X * 4.0));
}

#[test]
fn numbers_that_make_no_sense_give_sound_answers() {
    let wild = [f32::NAN, f32::INFINITY, -1.0, 0.0, 1e30];
    let mut instances: Vec<Instance> = Vec::new();
    for number in wild {
        instances.push(fixed(1, Shape::Box { half: Vec3::splat(number) }, 5.0));
        instances.push(Instance { scale: number, ..fixed(1, Shape::Sphere { radius: 1.0 }, number) });
    }
    let mut frame = Frame::new(0);
    frame.instances = instances;
    let meshes = ObstacleMeshes::default();
    let obstacles = Obstacles { frame: &frame, meshes: &meshes, except: 0 };
    for (number, other) in wild.iter().flat_map(|one| wild.map(|other| (*one, other))) {
        let found = obstacles.free_distance(Vec3::splat(number), Vec3::new(other, 1.0, 0.0), 10.0, other);
        assert!((0.0..=10.0).contains(&found), "{found}");
        assert!(obstacles.free_distance(Vec3::ZERO, Vec3::X, number, 0.1) >= 0.0);
    }
}
