//! The joints of a body are told without a look at those of others, and they are all of them.

mod common;

use base::{Handle, Vec3};
use common::Scene;
use physics::{Body, Draft, Joint, Shape};
use proptest::prelude::*;

const WORLD: Handle<Body> = Handle::NONE;

#[derive(Clone, Debug)]
enum Deed {
    Add,
    Take(usize),
    Join(usize, usize, bool),
    Part(usize),
    /// It holds another from now on.
    Change(usize, usize),
    Step,
    SaveAndLoad,
}

fn deed() -> impl Strategy<Value = Deed> {
    let which = 0..40_usize;
    prop_oneof![
        2 => Just(Deed::Add),
        1 => which.clone().prop_map(Deed::Take),
        6 => (which.clone(), which.clone(), any::<bool>()).prop_map(|(one, other, weak)| Deed::Join(one, other, weak)),
        2 => which.clone().prop_map(Deed::Part),
        1 => (which.clone(), which).prop_map(|(joint, body)| Deed::Change(joint, body)),
        2 => Just(Deed::Step),
        1 => Just(Deed::SaveAndLoad),
    ]
}

/// Those there are, by a look at all.
fn looked_up(scene: &Scene, body: Handle<Body>, from: u32) -> Vec<Handle<Joint>> {
    let all = scene.physics.parts.joints.iterate(&scene.world);
    let own = all.filter(|(_, joint)| joint.first == body || joint.second == body);
    own.map(|(handle, _)| handle).filter(|handle| u32::from(handle.slot()) >= from).collect()
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 60, ..ProptestConfig::default() })]

    #[test]
    fn the_joints_of_a_body_are_those_that_a_look_at_all_finds(deeds in prop::collection::vec(deed(), 1..60)) {
        let mut scene = Scene::new(24, 9.81);
        let (mut bodies, mut joints) = (vec![WORLD], Vec::new());
        for deed in deeds {
            let Scene { physics, world, .. } = &mut scene;
            match deed {
                Deed::Add if bodies.len() < 20 => {
                    let place = Vec3::new(3.0 * bodies.len() as f32, 0.0, 0.0);
                    bodies.push(scene.add(Shape::Sphere(0.5), 1.0, place, |_| {}));
                }
                Deed::Add => {}
                Deed::Take(which) => world.set_up(|world| physics.remove(world, bodies[which % bodies.len()])),
                Deed::Join(one, other, is_weak) => {
                    let [one, other] = [one, other].map(|which| bodies[which % bodies.len()]);
                    let draft = Draft::ball(one, other, Vec3::ZERO).breaking(f32::from(u8::from(is_weak)) * 0.1, 0.0);
                    joints.extend(world.set_up(|world| physics.add_joint(world, &draft)));
                }
                Deed::Part(which) if !joints.is_empty() => {
                    world.set_up(|world| physics.remove_joint(world, joints[which % joints.len()]));
                }
                Deed::Change(which, body) if !joints.is_empty() => {
                    let (joint, body) = (joints[which % joints.len()], bodies[body % bodies.len()]);
                    world.set_up(|world| physics.edit_joint(world, joint, |joint| joint.second = body));
                }
                Deed::Part(_) | Deed::Change(..) => {}
                Deed::Step => scene.step(),
                Deed::SaveAndLoad => {
                    let bytes = world.bytes().to_vec();
                    world.adopt(&bytes).expect("our own bytes add up");
                }
            }
            for body in &bodies {
                for from in [0, 1, 3, 100] {
                    let told = scene.physics.parts.joints_of(&scene.world, *body, from);
                    let told: Vec<Handle<Joint>> = told.map(|(handle, _)| handle).collect();
                    prop_assert_eq!(told, looked_up(&scene, *body, from));
                }
            }
            let most = scene.physics.parts.joints.count(&scene.world) * 2;
            prop_assert!(scene.physics.parts.ends.count(&scene.world) <= most, "none is left behind");
        }
    }
}
