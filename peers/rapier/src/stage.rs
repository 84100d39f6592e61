//! A scene in rapier.

use rapier3d::math::Rotation;
use rapier3d::prelude::{
    ColliderBuilder, GenericJoint, GenericJointBuilder, JointAxesMask, JointAxis, MotorModel, PhysicsWorld, Pose,
    RigidBodyBuilder, RigidBodyHandle, Vector,
};

use crate::scene::{Form, Hold, Joined, Moving, SECONDS, Scene, Tally};

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
        let (mut all, mut moving) = (Vec::new(), Vec::new());
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
            all.push(handle);
            if placed.density > 0.0 {
                moving.push(handle);
            }
        }
        for joined in &scene.joints {
            let [first, second] = joined.bodies.map(|index| all[index]);
            let centers = joined.bodies.map(|index| scene.bodies[index].position);
            world.insert_impulse_joint(first, second, joint(joined, centers));
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

/// A joint between bodies with these centers, which are not rotated.
fn joint(joined: &Joined, centers: [[f32; 3]; 2]) -> GenericJoint {
    // The first axis of a joint's frame: x becomes the axis of the cone, of the hinge or of the axle.
    let turn = match joined.hold {
        Hold::Cone { axis_z, .. } => Rotation::from_rotation_arc(Vector::X, Vector::Z * axis_z),
        Hold::Hinge { .. } | Hold::Wheel { .. } => Rotation::from_rotation_arc(Vector::X, Vector::Y),
    };
    let frame = |center: [f32; 3]| {
        Pose::from_parts(Vector::from_array(joined.point) - Vector::from_array(center), turn)
    };
    let locked = JointAxesMask::LIN_AXES;
    let built = match joined.hold {
        // rapier has no cone: the swing is limited about two axes.
        Hold::Cone { swing, twist, .. } => GenericJointBuilder::new(locked)
            .limits(JointAxis::AngX, [-twist, twist])
            .limits(JointAxis::AngY, [-swing, swing])
            .limits(JointAxis::AngZ, [-swing, swing]),
        Hold::Hinge { lower, upper } => {
            GenericJointBuilder::new(locked | JointAxesMask::ANG_Y | JointAxesMask::ANG_Z)
                .limits(JointAxis::AngX, [lower, upper])
        }
        // A spring per unit of mass along z, and a motor about the axle.
        Hold::Wheel { limits, hertz, damping_ratio, speed, torque } => {
            let omega = core::f32::consts::TAU * hertz;
            let locked = JointAxesMask::LIN_X | JointAxesMask::LIN_Y | JointAxesMask::ANG_Y | JointAxesMask::ANG_Z;
            GenericJointBuilder::new(locked)
                .limits(JointAxis::LinZ, limits)
                .motor_model(JointAxis::LinZ, MotorModel::ForceBased)
                .motor_position(JointAxis::LinZ, 0.0, WHEEL_LOAD * omega * omega, 2.0 * WHEEL_LOAD * damping_ratio * omega)
                .motor_velocity(JointAxis::AngX, speed, 1.0)
                .motor_max_force(JointAxis::AngX, torque)
        }
    };
    built.local_frame1(frame(centers[0])).local_frame2(frame(centers[1])).contacts_enabled(false).build()
}

/// The mass that a wheel carries, in kilograms: a quarter of the hull.
const WHEEL_LOAD: f32 = 300.0;

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
