//! Attached objects follow their parents, and report trigger volumes like all others.

use crate::common;

use base::{Handle, Vec3};
use common::Scene;
use common::stage::{Request, puppets};
use script::value::Value;
use state::Settings;
use world::Object;
use world::object::VELOCITY;

fn at(x: f32, y: f32, z: f32) -> Vec3 {
    Vec3::new(x, y, z)
}

/// A parent at the origin, a child beside it, attached.
fn family() -> (Scene, Handle<Object>, Handle<Object>) {
    let mut scene = puppets(&[(1, Vec3::ZERO, 1), (2, at(5.0, 0.0, 0.0), 2)], 16.0, Settings::default());
    scene.run(1);
    let (parent, child) = (scene.one("b.puppet"), scene.one("c.doll"));
    tell(&mut scene, "attach", child, parent, Vec3::ZERO);
    (scene, parent, child)
}

fn tell(scene: &mut Scene, name: &'static str, who: Handle<Object>, other: Handle<Object>, place: Vec3) {
    scene.request(Request { name, who, other, place, number: 0 });
    scene.run(2);
}

fn object(scene: &Scene, handle: Handle<Object>) -> Object {
    *scene.rules.parts.objects.get(&scene.world, handle)
}

fn assert_near(one: Vec3, other: Vec3) {
    assert!((one - other).length() < 1e-4, "{one:?} is not {other:?}");
}

#[test]
fn attached_objects_rotate_with_a_parent_that_turns_in_place() {
    let (mut scene, parent, child) = family();
    tell(&mut scene, "face", parent, Handle::NONE, at(0.0, 3.0, 0.0));
    assert_near(object(&scene, parent).facing, Vec3::Y);
    assert_near(object(&scene, child).facing, Vec3::Y);
    assert_near(scene.get(child, "facing").as_vector().expect("a vector"), Vec3::Y);
}

#[test]
fn an_attached_object_that_turns_keeps_its_relative_rotation() {
    let (mut scene, parent, child) = family();
    tell(&mut scene, "face", parent, Handle::NONE, Vec3::Y);
    tell(&mut scene, "face", child, Handle::NONE, Vec3::X);
    assert_near(object(&scene, child).facing, Vec3::X);
    tell(&mut scene, "go", parent, Handle::NONE, at(10.0, 0.0, 0.0));
    assert_near(object(&scene, child).facing, Vec3::X);
    assert_near(object(&scene, child).position, at(10.0, 0.0, 0.0));
    tell(&mut scene, "face", parent, Handle::NONE, Vec3::X);
    assert_near(object(&scene, child).facing, at(0.0, -1.0, 0.0));
}

#[test]
fn a_variable_that_is_not_canonical_is_read_from_the_row() {
    let (mut scene, parent, _) = family();
    let objects = scene.rules.parts.objects;
    let odd = Value::vector(Vec3::new(-0.0, 1.0, 0.0));
    scene.world.set_up(|world| {
        objects.edit_both(world, parent, |_, values| values[VELOCITY] = odd);
        objects.set_awake(world, parent, true);
    });
    scene.run(2);
    assert_eq!(scene.get(parent, "velocity"), odd);
    assert_eq!(object(&scene, parent).known("velocity".into()), None);
    scene.assert_containers_hold();
}

#[test]
fn a_detached_object_moves_on_by_itself() {
    let (mut scene, _, child) = family();
    tell(&mut scene, "speed", child, Handle::NONE, at(100.0, 0.0, 0.0));
    scene.run(20);
    assert!(!scene.rules.parts.objects.is_awake(&scene.world, child), "an attached object does not move by itself");
    assert_near(object(&scene, child).position, Vec3::ZERO);
    tell(&mut scene, "detach", child, Handle::NONE, Vec3::ZERO);
    scene.run(10);
    assert!(object(&scene, child).position.x > 9.0, "{:?}", object(&scene, child).position);
    scene.assert_containers_hold();
}

#[test]
fn an_object_moves_on_by_itself_when_its_parent_is_destroyed() {
    let (mut scene, parent, child) = family();
    tell(&mut scene, "speed", child, Handle::NONE, at(100.0, 0.0, 0.0));
    tell(&mut scene, "end", parent, Handle::NONE, Vec3::ZERO);
    scene.run(10);
    assert!(object(&scene, child).parent.is_none());
    assert!(object(&scene, child).position.x > 5.0, "{:?}", object(&scene, child).position);
    scene.assert_containers_hold();
}

#[test]
fn many_attachments_to_one_parent_cost_little() {
    let placed: Vec<_> = (0..200).map(|number| (2, at(number as f32, 0.0, 0.0), 1)).collect();
    let mut scene = puppets(&placed, 16.0, Settings::default());
    scene.run(1);
    let dolls = scene.all("c.doll");
    for doll in &dolls[1..] {
        scene.request(Request { name: "attach", who: *doll, other: dolls[0], place: Vec3::ZERO, number: 0 });
    }
    scene.run(2);
    scene.assert_containers_hold();
    tell(&mut scene, "go", dolls[0], Handle::NONE, at(1.0, 2.0, 3.0));
    assert!(dolls.iter().all(|doll| object(&scene, *doll).position == at(1.0, 2.0, 3.0)), "{:?}", scene.conditions());
    scene.assert_containers_hold();
}
