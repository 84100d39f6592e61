//! What is pointed at is the first surface, not the first sphere.

use alloc::sync::Arc;
use alloc::vec::Vec;

use base::StringId;
use base::number::HALF_PI;
use tags::library::Ready;
use tags::pack::Prepared;
use tags::{Key, Tag, TagPath};

use super::*;
use crate::catalogue::{ShapeCatalogue, ShapeMesh};

fn ray(from: Vec3, to: Vec3) -> PointingRay {
    PointingRay { from, direction: (to - from).normal_or(Vec3::X), near: 0.1, far: 1e6 }
}

fn first(instances: &[Instance], content: &Library, ray: PointingRay) -> Option<(u32, Vec3)> {
    let mut frame = Frame::new(0);
    frame.instances = instances.to_vec();
    let meshes = ObstacleMeshes::default();
    let met = Surfaces { frame: &frame, meshes: &meshes, content }.first(&ray)?;
    Some((met.object, ray.from + ray.direction * met.distance))
}

#[track_caller]
fn check(instances: &[Instance], ray: PointingRay, object: u32, place: Vec3) {
    let (found, at) = first(instances, &Library::new(), ray).unwrap();
    assert_eq!(found, object);
    assert!(at.distance(place) < 1e-3, "{at:?} instead of {place:?}");
}

/// A slab whose sphere holds the eye, and a small tower on it.
fn slab() -> Instance {
    Instance::new(1, Shape::Box { half: Vec3::new(60.0, 40.0, 1.0) }, Vec3::new(0.0, 0.0, -1.0))
}

#[test]
fn a_wide_ground_is_met_where_the_ray_meets_it_though_the_eye_is_in_its_sphere() {
    let eye = Vec3::new(0.0, -38.0, 46.0);
    for place in [Vec3::ZERO, Vec3::new(20.0, 10.0, 0.0), Vec3::new(-30.0, 30.0, 0.0)] {
        check(&[slab()], ray(eye, place), 1, place);
    }
}

#[test]
fn a_tower_on_the_ground_is_met_before_the_ground() {
    let tower = Instance::new(2, Shape::Box { half: Vec3::new(1.0, 1.0, 2.0) }, Vec3::new(20.0, 10.0, 2.0));
    let eye = Vec3::new(20.0, -38.0, 46.0);
    check(&[slab(), tower], ray(eye, Vec3::new(20.0, 10.0, 4.0)), 2, Vec3::new(20.0, 10.0, 4.0));
    check(&[slab(), tower], ray(eye, Vec3::new(10.0, 10.0, 0.0)), 1, Vec3::new(10.0, 10.0, 0.0));
}

#[test]
fn shapes_turned_and_scaled_are_met_at_their_surfaces() {
    let pole = Shape::Capsule { radius: 0.5, length: 4.0 };
    let lying = Instance {
        orientation: Quat::from_axis_angle(Vec3::Y, HALF_PI),
        scale: 2.0,
        ..Instance::new(3, pole, Vec3::ZERO)
    };
    let end = ray(Vec3::new(-20.0, 0.0, 0.0), Vec3::ZERO);
    check(&[lying], end, 3, Vec3::new(-5.0, 0.0, 0.0));
    let above = ray(Vec3::new(3.0, 0.0, 20.0), Vec3::new(3.0, 0.0, 0.0));
    check(&[lying], above, 3, Vec3::new(3.0, 0.0, 1.0));
    // Beside it, though within its sphere.
    let aside = ray(Vec3::new(0.0, 3.0, 20.0), Vec3::new(0.0, 3.0, 0.0));
    assert_eq!(first(&[lying], &Library::new(), aside), None);
}

#[test]
fn a_mesh_is_met_at_its_triangles() {
    let name = StringId::from("hill.geometry");
    let points = [[-9.0, -9.0, 0.0], [9.0, -9.0, 0.0], [0.0, 9.0, 0.0]].map(Vec3::from_array);
    let mut catalogue = ShapeCatalogue { version: 1, ..ShapeCatalogue::default() };
    catalogue.meshes.insert(name, ShapeMesh { points: points.to_vec(), triangles: [[0, 1, 2]].to_vec() });
    let mut meshes = ObstacleMeshes::default();
    meshes.update(&catalogue);
    let mut frame = Frame::new(0);
    frame.instances.push(Instance { scale: 2.0, ..Instance::new(4, Shape::Mesh { name }, Vec3::Z) });
    let surfaces = Surfaces { frame: &frame, meshes: &meshes, content: &Library::new() };
    let met = surfaces.first(&ray(Vec3::new(0.0, 0.0, 8.0), Vec3::ZERO)).unwrap();
    assert!(met.object == 4 && (met.distance - 7.0).abs() < 1e-4, "{met:?}");
    assert_eq!(surfaces.first(&ray(Vec3::new(-16.0, 16.0, 8.0), Vec3::new(-16.0, 16.0, 0.0))), None);
}

#[test]
fn a_small_distant_thing_is_met_a_little_beside_it_and_hidden_things_never() {
    let dot = Instance::new(5, Shape::Sphere { radius: 0.1 }, Vec3::X * 100.0);
    let beside = ray(Vec3::ZERO, Vec3::new(100.0, 0.5, 0.0));
    assert_eq!(first(&[dot], &Library::new(), beside).map(|found| found.0), Some(5));
    assert_eq!(first(&[dot], &Library::new(), ray(Vec3::ZERO, Vec3::new(100.0, 2.0, 0.0))), None);
    let hidden = Instance { look: look::HIDDEN, ..dot };
    assert_eq!(first(&[hidden], &Library::new(), beside), None);
}

#[test]
fn a_model_without_a_body_is_met_at_the_boxes_of_its_posed_meshes() {
    let box_of = |low: f32, high: f32| {
        let (low, high) = (Vec3::splat(low), Vec3::splat(high));
        alloc::format!(
            "bounds {{ min vec({}, {}, {}), max vec({}, {}, {}), radius {} }}",
            low.x,
            low.y,
            low.z,
            high.x,
            high.y,
            high.z,
            high.length()
        )
    };
    let mesh = |name: &str| alloc::format!("{{ name \"{name}\", {} }}", box_of(-1.0, 1.0));
    let text = alloc::format!(
        "@model\n!set {}\n!set nodes [{{ name \"root\", mesh_count 1 }}, {{ name \"arm\", parent 0, position vec(0, 0, 10), scale vec(2, 1, 1), \
         first_mesh 1, mesh_count 1 }}]\n!set meshes [{}, {}]\n",
        box_of(-12.0, 12.0),
        mesh("base"),
        mesh("arm")
    );
    let mut content = Library::new();
    let packed = Prepared::new(Model::class()).pack_text(&text);
    assert!(packed.reports.is_empty(), "{:?}", packed.reports);
    let (path, packed) = (TagPath::new("crane.model").unwrap(), Arc::new(packed.packed));
    content.apply([Ready { path, key: Key::default(), packed }]);
    let marker = Shape::Marker { radius: 1.0 };
    let crane = Instance { model: StringId::new("crane.model"), ..Instance::new(6, marker, Vec3::ZERO) };
    let at = |y: f32, z: f32| first(&[crane], &content, ray(Vec3::new(-50.0, y, z), Vec3::new(0.0, y, z)));
    let places: Vec<Option<f32>> = [0.0, 10.0, 5.0].map(|z| at(0.0, z).map(|(_, at)| at.x)).to_vec();
    assert!((places[0].unwrap() + 1.0).abs() < 1e-3, "the base: {places:?}");
    assert!((places[1].unwrap() + 2.0).abs() < 1e-3, "the arm, twice as long: {places:?}");
    assert_eq!(places[2], None, "between both");
}
