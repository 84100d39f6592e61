//! Scenes shared by the tests.
#![allow(dead_code, reason = "each test uses a part of it")]

#[path = "../../scenes/description.rs"]
pub mod description;
pub mod machines;
#[path = "../../scenes/ours.rs"]
mod ours;
pub mod worlds;

use base::{Handle, Quat, Vec3};
use description::SceneDescription;
use physics::mass::Weight;
use physics::{Body, Capacities, Joint, JointDefinition, Mass, Physics, Settings, Shape, Shapes, flag};
use state::{Alone, Heap, Layout, Workers, World};

/// A world with physics alone.
pub struct Scene {
    pub world: World,
    pub physics: Physics,
    pub shapes: Shapes,
    pub settings: Settings,
    list: Vec<Option<Shape>>,
}

impl Scene {
    /// With capacity for this many bodies, at sixty steps per second.
    pub fn new(bodies: u32, gravity: f32) -> Scene {
        Scene::with(Capacities::for_bodies(bodies), gravity, state::world::Settings::default())
    }

    pub fn with(capacities: Capacities, gravity: f32, checks: state::world::Settings) -> Scene {
        let mut layout = Layout::of_world("scene");
        layout.system("physics");
        let physics = Physics::new(&mut layout, capacities);
        let plan = layout.finish();
        let world = World::new(&plan, &Heap, checks, 1);
        let settings = Settings { gravity: Vec3::new(0.0, 0.0, -gravity), seconds: 1.0 / 60.0, ..Settings::default() };
        Scene { world, physics, shapes: Shapes::default(), settings, list: Vec::new() }
    }

    /// A scene that the benchmarks play too, with capacity for this many bodies.
    pub fn of(description: &SceneDescription, bodies: u32) -> Scene {
        let joints = Capacities::for_bodies(bodies).joints.max(description.joints.len() as u32);
        let capacities = Capacities { joints, ..Capacities::for_bodies(bodies) };
        let mut scene = Scene::with(capacities, description.gravity, state::world::Settings::default());
        scene.settings = ours::settings(description);
        let mut handles = Vec::new();
        scene.list = ours::build(description, |body| handles.push(scene.put(body).expect("the capacity suffices")));
        scene.shapes = Shapes::new(scene.list.clone());
        for joint in ours::joints(description, &handles) {
            scene.join(joint);
        }
        scene
    }

    /// Adds a body with a shape and a density; with density zero it is static. `change` sets the rest.
    pub fn add(&mut self, shape: Shape, density: f32, position: Vec3, change: impl FnOnce(&mut Body)) -> Handle<Body> {
        let known = self.list.iter().position(|other| format!("{other:?}") == format!("{:?}", Some(&shape)));
        let number = known.unwrap_or(self.list.len()) as u32;
        let mut body = if density > 0.0 {
            let mass = Mass::of(&shape, Weight::Density(density)).expect("a valid shape");
            Body::new((number, &shape), &mass, position, Quat::IDENTITY)
        } else {
            Body::new_static((number, &shape), position, Quat::IDENTITY)
        };
        if known.is_none() {
            self.list.push(Some(shape));
            self.shapes = Shapes::new(self.list.clone());
        }
        change(&mut body);
        let physics = &self.physics;
        self.world.set_up(|world| physics.add(world, body)).expect("the capacity suffices")
    }

    /// Adds a shape to the content, even if it is there already, and returns its number.
    pub fn know(&mut self, shape: Shape) -> u32 {
        self.list.push(Some(shape));
        self.shapes = Shapes::new(self.list.clone());
        self.list.len() as u32 - 1
    }

    /// Adds a body as it is; none beyond the capacity.
    pub fn put(&mut self, body: Body) -> Option<Handle<Body>> {
        let physics = &self.physics;
        self.world.set_up(|world| physics.add(world, body))
    }

    pub fn remove(&mut self, handle: Handle<Body>) {
        let physics = &self.physics;
        self.world.set_up(|world| physics.remove(world, handle));
    }

    /// Six walls around a cube of this half extent, each as thick as that.
    pub fn walls(&mut self, half: f32, change: impl Fn(&mut Body)) {
        for axis in 0..3 {
            for side in [-1.0, 1.0] {
                let mut at = [0.0; 3];
                at[axis] = side * half * 2.0;
                let size = half * 2.0;
                let mut wall = [size; 3];
                wall[axis] = half;
                self.add(Shape::Box(Vec3::from_array(wall)), 0.0, Vec3::from_array(at), &change);
            }
        }
    }

    pub fn body(&self, handle: Handle<Body>) -> &Body {
        self.physics.parts.bodies.get(&self.world, handle)
    }

    pub fn edit(&mut self, handle: Handle<Body>, change: impl FnOnce(&mut Body)) {
        let bodies = self.physics.parts.bodies;
        self.world.set_up(|world| change(&mut bodies.get_mut(world, handle)));
    }

    /// Sets the friction of all static bodies.
    pub fn edit_fixed_friction(&mut self, friction: f32) {
        let bodies = self.physics.parts.bodies;
        let fixed: Vec<_> = bodies.iterate(&self.world).filter(|(_, body)| body.is(flag::STATIC)).collect();
        let fixed: Vec<_> = fixed.into_iter().map(|(handle, _)| handle).collect();
        fixed.into_iter().for_each(|handle| self.edit(handle, |body| body.friction = friction));
    }

    pub fn join(&mut self, draft: JointDefinition) -> Handle<Joint> {
        let physics = &self.physics;
        self.world.set_up(|world| physics.add_joint(world, &draft)).expect("the capacity suffices")
    }

    pub fn edit_joint(&mut self, handle: Handle<Joint>, change: impl FnOnce(&mut Joint)) {
        let physics = &self.physics;
        self.world.set_up(|world| physics.edit_joint(world, handle, change));
    }

    pub fn joint(&self, handle: Handle<Joint>) -> Joint {
        *self.physics.parts.joints.get(&self.world, handle)
    }

    pub fn step(&mut self) {
        self.step_with(&Alone);
    }

    pub fn step_with(&mut self, workers: &dyn Workers) {
        self.world.simulate(workers, &[]);
        self.physics.step(&mut self.world, &self.shapes, &self.settings, workers);
        self.world.rest();
    }

    pub fn run(&mut self, steps: u32) {
        (0..steps).for_each(|_| self.step());
    }

    pub fn bodies(&self) -> Vec<Body> {
        self.physics.parts.bodies.iterate(&self.world).map(|(_, body)| *body).collect()
    }
}

/// A pile with gravity, or a gas without.
pub fn crowd(count: u32, is_gas: bool) -> Scene {
    Scene::of(&description::crowd(count, is_gas), count + 8)
}

/// The kinetic energy of a body, in joules.
pub fn kinetic(body: &Body) -> f64 {
    if body.inverse_mass <= 0.0 {
        return 0.0;
    }
    let straight = f64::from(body.velocity.length_squared()) / f64::from(body.inverse_mass);
    let turn = (body.rotation * body.principal_axes).rotate_back(body.angular_velocity);
    let inverse = body.inverse_inertia.to_array();
    let parts = turn.to_array().into_iter().zip(inverse);
    let spin: f64 = parts.map(|(turn, inverse)| f64::from(turn) * f64::from(turn) / f64::from(inverse)).sum();
    0.5 * (straight + spin)
}
