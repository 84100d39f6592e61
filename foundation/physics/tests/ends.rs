//! The index from bodies to joints finds exactly the joints of a body.

use crate::common;

use base::{Handle, Vec3};
use common::Scene;
use physics::{Body, Joint, JointDefinition, Shape};
use proptest::prelude::*;

const WORLD: Handle<Body> = Handle::NONE;

#[derive(Clone, Debug)]
enum Action {
    Add,
    Remove(usize),
    Join(usize, usize, bool),
    RemoveJoint(usize),
    /// Joins another body instead.
    Change(usize, usize),
    Step,
    SaveAndLoad,
}

fn action() -> impl Strategy<Value = Action> {
    let which = 0..40_usize;
    prop_oneof![
        2 => Just(Action::Add),
        1 => which.clone().prop_map(Action::Remove),
        6 => (which.clone(), which.clone(), any::<bool>()).prop_map(|(one, other, weak)| Action::Join(one, other, weak)),
        2 => which.clone().prop_map(Action::RemoveJoint),
        1 => (which.clone(), which).prop_map(|(joint, body)| Action::Change(joint, body)),
        2 => Just(Action::Step),
        1 => Just(Action::SaveAndLoad),
    ]
}

/// The reference: a scan of all joints.
fn scan(scene: &Scene, body: Handle<Body>, from: u32) -> Vec<Handle<Joint>> {
    let all = scene.physics.parts.joints.iterate(&scene.world);
    let own = all.filter(|(_, joint)| joint.first == body || joint.second == body);
    own.map(|(handle, _)| handle).filter(|handle| u32::from(handle.slot()) >= from).collect()
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 60, ..ProptestConfig::default() })]

    #[test]
    fn the_index_finds_the_same_joints_as_a_scan(actions in prop::collection::vec(action(), 1..60)) {
        let mut scene = Scene::new(24, 9.81);
        let (mut bodies, mut joints) = (vec![WORLD], Vec::new());
        for action in actions {
            let Scene { physics, world, .. } = &mut scene;
            match action {
                Action::Add if bodies.len() < 20 => {
                    let place = Vec3::new(3.0 * bodies.len() as f32, 0.0, 0.0);
                    bodies.push(scene.add(Shape::Sphere(0.5), 1.0, place, |_| {}));
                }
                Action::Add => {}
                Action::Remove(which) => world.set_up(|world| physics.remove(world, bodies[which % bodies.len()])),
                Action::Join(one, other, is_weak) => {
                    let [one, other] = [one, other].map(|which| bodies[which % bodies.len()]);
                    let definition = JointDefinition::ball(one, other, Vec3::ZERO).with_break_limits(f32::from(u8::from(is_weak)) * 0.1, 0.0);
                    joints.extend(world.set_up(|world| physics.add_joint(world, &definition)));
                }
                Action::RemoveJoint(which) if !joints.is_empty() => {
                    world.set_up(|world| physics.remove_joint(world, joints[which % joints.len()]));
                }
                Action::Change(which, body) if !joints.is_empty() => {
                    let (joint, body) = (joints[which % joints.len()], bodies[body % bodies.len()]);
                    world.set_up(|world| physics.edit_joint(world, joint, |joint| joint.second = body));
                }
                Action::RemoveJoint(_) | Action::Change(..) => {}
                Action::Step => scene.step(),
                Action::SaveAndLoad => {
                    let bytes = world.bytes().to_vec();
                    world.adopt(&bytes).expect("the bytes come from this world");
                }
            }
            for body in &bodies {
                for from in [0, 1, 3, 100] {
                    let found = scene.physics.parts.joints_of(&scene.world, *body, from);
                    let found: Vec<Handle<Joint>> = found.map(|(handle, _)| handle).collect();
                    prop_assert_eq!(found, scan(&scene, *body, from));
                }
            }
            let ends_max = scene.physics.parts.joints.count(&scene.world) * 2;
            prop_assert!(scene.physics.parts.ends.count(&scene.world) <= ends_max, "an end without a joint is left");
        }
    }
}
