//! A scene in rapier.

use rapier3d::prelude::{ColliderBuilder, PhysicsWorld, RigidBodyBuilder, RigidBodyHandle, Vector};

use crate::scene::{Form, Moving, SECONDS, Scene, Tally};

/// A running scene.
pub struct Stage {
    world: PhysicsWorld,
    /// The moving bodies, in the order of the scene.
    moving: Vec<RigidBodyHandle>,
    /// The lowest possible height.
    lowest: f64,
}

impl Stage {
    /// A scene at its start. All settings are the defaults, except that sleeping is disabled.
    pub fn new(scene: &Scene, threads: usize) -> Stage {
        let mut world = PhysicsWorld::new();
        world.gravity = Vector::new(0.0, 0.0, -scene.gravity);
        world.integration_parameters.dt = SECONDS;
        if scene.is_unlimited {
            // By default speeds are limited to 400 m/s.
            world.integration_parameters.normalized_max_linear_velocity = f32::MAX;
        }
        let mut moving = Vec::new();
        for placed in &scene.bodies {
            let ([x, y, z], [vx, vy, vz]) = (placed.position, placed.velocity);
            let body = match placed.density {
                0.0 => RigidBodyBuilder::fixed(),
                _ => RigidBodyBuilder::dynamic().linvel(Vector::new(vx, vy, vz)).ccd_enabled(scene.is_fast),
            };
            let collider = match placed.form {
                Form::Ball(radius) => ColliderBuilder::ball(radius),
                Form::Cuboid([x, y, z]) => ColliderBuilder::cuboid(x, y, z),
            };
            let (handle, _) = world.insert(
                body.translation(Vector::new(x, y, z)).can_sleep(false),
                collider.density(placed.density).restitution(placed.restitution).friction(placed.friction),
            );
            if placed.density > 0.0 {
                moving.push(handle);
            }
        }
        share_out(&mut world, threads);
        let lowest = scene.bodies.iter().filter(|body| body.density > 0.0).map(|body| f64::from(body.position[2]));
        Stage { world, moving, lowest: lowest.fold(f64::INFINITY, f64::min) }
    }

    /// One step.
    pub fn step(&mut self) {
        self.world.step();
    }

    /// The states of the moving bodies.
    pub fn bodies(&self) -> Vec<Moving> {
        let bodies = self.moving.iter().map(|handle| &self.world.bodies[*handle]);
        bodies
            .map(|body| Moving {
                position: body.translation().to_array(),
                velocity: body.linvel().to_array(),
                orientation: body.rotation().to_array(),
            })
            .collect()
    }

    /// The summary of its state.
    pub fn tally(&self) -> Tally {
        let pairs = self.world.contact_pairs().filter(|pair| pair.has_any_active_contact()).count();
        let bodies = self.moving.iter().map(|handle| &self.world.bodies[*handle]);
        let energy = bodies.clone().map(|body| f64::from(body.kinetic_energy())).sum();
        let height: f64 = bodies.map(|body| f64::from(body.translation().z) - self.lowest).sum();
        Tally { pairs: pairs as u32, energy, height: height / self.moving.len() as f64 }
    }

    /// The whole world as bytes, as rapier's documentation recommends for saving.
    pub fn save(&self) -> Vec<u8> {
        bincode::serialize(&self.world).expect("every part of a world can be serialized")
    }

    /// Replaces the world by the one in the bytes.
    pub fn restore(&mut self, bytes: &[u8]) {
        self.world = bincode::deserialize(bytes).expect("the bytes are those of a world");
    }

    /// A clone of every part that the bytes would hold.
    pub fn copy(&self) -> PhysicsWorld {
        let mut copy = PhysicsWorld::new();
        copy.gravity = self.world.gravity;
        copy.integration_parameters = self.world.integration_parameters;
        copy.islands = self.world.islands.clone();
        copy.broad_phase = self.world.broad_phase.clone();
        copy.narrow_phase = self.world.narrow_phase.clone();
        copy.bodies = self.world.bodies.clone();
        copy.colliders = self.world.colliders.clone();
        copy.impulse_joints = self.world.impulse_joints.clone();
        copy.multibody_joints = self.world.multibody_joints.clone();
        copy
    }

    /// Replaces the world by a clone of this copy.
    pub fn put_back(&mut self, copy: &PhysicsWorld) {
        let world = &mut self.world;
        world.islands = copy.islands.clone();
        world.broad_phase = copy.broad_phase.clone();
        world.narrow_phase = copy.narrow_phase.clone();
        world.bodies = copy.bodies.clone();
        world.colliders = copy.colliders.clone();
        world.impulse_joints = copy.impulse_joints.clone();
        world.multibody_joints = copy.multibody_joints.clone();
    }
}

/// Sets the number of threads of the following steps.
#[cfg(feature = "parallel")]
fn share_out(world: &mut PhysicsWorld, threads: usize) {
    world.configure_thread_pool(threads).expect("a thread pool can be created");
}

/// This build has one thread.
#[cfg(not(feature = "parallel"))]
fn share_out(_: &mut PhysicsWorld, threads: usize) {
    assert_eq!(threads, 1, "this is built for one thread");
}
