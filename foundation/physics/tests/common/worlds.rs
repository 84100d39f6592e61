//! Random worlds from a seed: ground of every kind, walls or none, bodies of every shape, and interventions on the way.
//!
//! Laws
//! 1. A world is a function of its seed, and so is everything that happens in it.
//! 2. A world is *sane* (plausible settings) or *odd* (arbitrary numbers, some of them not finite).
//! 3. A body is *guarded* if nothing can let it escape: it starts within closed walls and clear of the ground, collides with
//!    both, no kinematic body drives it, and nothing was added inside others. Joints are no excuse.

use base::{Handle, Pcg, Quat, Random, Vec2, Vec3, number};
use physics::height_field::HeightField;
use physics::hull::Hull;
use physics::mass::Weight;
use physics::mesh::Mesh;
use physics::pose::Pose;
use physics::shape::Compound;
use physics::{Body, Capacities, Joint, JointDefinition, Mass, Settings, Shape, flag, joint};
use std::sync::Arc;

use super::Scene;

/// A random world and what was drawn for it.
pub struct Drawn {
    pub scene: Scene,
    pub seed: u64,
    pub room: Room,
    /// Bodies that must not escape.
    pub guarded: Vec<Handle<Body>>,
    /// All moving bodies.
    pub bodies: Vec<Handle<Body>>,
    pub joints: Vec<Handle<Joint>>,
    /// The shapes that bodies are made of, with their mass properties.
    pub kit: Vec<(u32, Shape, Mass)>,
    /// Whether nothing adds energy: no motors, springs, kinematic bodies, initial overlaps, interventions, rotating upright
    /// bodies or joints that start beyond their limits.
    pub is_closed: bool,
    /// Whether bodies added later are guarded too.
    is_guarding: bool,
    pub is_odd: bool,
    pub is_meddled_with: bool,
    /// Whether a joint starts beyond its limits.
    is_strained: bool,
    /// Whether a joint has a motor or a spring.
    pub is_powered: bool,
    pub steps: u32,
}

/// The arena: from zero up to a height, and this far to each side.
#[derive(Clone, Copy, Debug)]
pub struct Room {
    pub half: f32,
    pub height: f32,
    pub wall: f32,
    pub floor: f32,
    pub has_walls: bool,
    pub ground: Ground,
}

/// The kind of ground.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Ground {
    Box,
    Field,
    Mesh,
    Compound,
    Hull,
}

/// Greatest height of ground that is not flat.
const HILLS: f32 = 1.0;
const CELLS: u32 = 12;

impl Drawn {
    /// The world of a seed. One in 64 is a crowd, so that there is work to share.
    pub fn new(seed: u64) -> Drawn {
        let mut random = Pcg::new(seed, 6);
        let is_odd = random.chance(0.25);
        let is_crowd = seed % 64 == 63;
        let count = if is_crowd { 120 + random.below(120) } else { 2 + random.below(39) };
        let capacities = Capacities { joints: 64, ..Capacities::for_bodies(count + 24) };
        let mut scene = Scene::with(capacities, 0.0, state::world::Settings::default());
        scene.settings = if is_odd { odd_settings(&mut random) } else { sane_settings(&mut random) };
        let room = Room {
            half: if is_crowd { 16.0 } else { 10.0 },
            height: 20.0,
            wall: spread(&mut random, 0.02, 2.0),
            floor: spread(&mut random, 0.02, 2.0),
            has_walls: random.chance(0.7),
            ground: [Ground::Box, Ground::Field, Ground::Mesh, Ground::Compound, Ground::Hull]
                [random.below(5) as usize],
        };
        let mut drawn = Drawn {
            scene,
            seed,
            room,
            guarded: Vec::new(),
            bodies: Vec::new(),
            joints: Vec::new(),
            kit: Vec::new(),
            is_closed: false,
            is_guarding: false,
            is_odd,
            is_meddled_with: random.chance(0.4),
            is_strained: false,
            is_powered: false,
            steps: if is_crowd { 20 } else { 30 + random.below(30) },
        };
        drawn.build_room(&mut random);
        drawn.people(&mut random, count);
        drawn
    }

    /// Interventions before a step: bodies are added, removed, hit and pulled, joints are added and removed.
    pub fn meddle(&mut self, step: u32) {
        if !self.is_meddled_with {
            return;
        }
        let mut random = Pcg::new(self.seed, 1000 + u64::from(step));
        match random.below(12) {
            0 => {
                let body = self.draw_body(&mut random, 1.0);
                let is_clear = self.bodies.iter().all(|other| {
                    let other = self.scene.body(*other);
                    other.world_center_of_mass().distance(body.world_center_of_mass())
                        > other.bounding_radius + body.bounding_radius + 0.05
                });
                // A body that starts inside another may push it out.
                if !is_clear {
                    self.let_go();
                }
                if let Some(handle) = self.scene.put(body) {
                    self.bodies.push(handle);
                    if self.is_guarding && self.fits(&body) {
                        self.guarded.push(handle);
                    }
                }
            }
            1 if self.bodies.len() > 2 => {
                let gone = self.bodies.remove(random.below(self.bodies.len() as u32) as usize);
                self.guarded.retain(|body| *body != gone);
                self.scene.remove(gone);
            }
            2 | 3 => self.change(&mut random, |body, random| {
                let speed = random.on_sphere() * spread(random, 0.1, 100.0);
                let at = body.world_center_of_mass() + random.in_sphere() * body.bounding_radius;
                let mass = if body.inverse_mass > 0.0 { 1.0 / body.inverse_mass } else { 0.0 };
                body.add_impulse_at(speed * mass, at);
            }),
            4 => self.change(&mut random, |body, random| {
                let mass = if body.inverse_mass > 0.0 { 1.0 / body.inverse_mass } else { 0.0 };
                body.add_force(random.on_sphere() * (spread(random, 0.1, 100.0) * mass));
                body.add_torque(random.on_sphere() * (mass * body.bounding_radius * body.bounding_radius));
            }),
            5 if self.bodies.len() >= 2 => self.join_some(&mut random),
            6 if !self.joints.is_empty() => {
                let gone = self.joints.remove(random.below(self.joints.len() as u32) as usize);
                let physics = &self.scene.physics;
                self.scene.world.set_up(|world| physics.remove_joint(world, gone));
            }
            _ => {}
        }
    }

    /// Whether a body escaped: its center is beyond the far side of a wall, or below the lowest ground.
    pub fn is_out(&self, body: &Body) -> bool {
        let (room, at) = (&self.room, body.world_center_of_mass());
        let beyond = room.wall + 0.1;
        at.x.abs() > room.half + beyond
            || at.y.abs() > room.half + beyond
            || at.z > room.height + beyond
            || at.z < -0.1 - if room.is_thick() { room.floor } else { 0.0 }
    }

    /// The energy of all bodies, in joules.
    pub fn energy(&self) -> f64 {
        self.scene.bodies().iter().map(|body| self.energy_of(body)).sum()
    }

    /// The potential and kinetic energy of a body.
    pub fn energy_of(&self, body: &Body) -> f64 {
        if body.inverse_mass <= 0.0 || body.is(flag::STATIC) {
            return 0.0;
        }
        let mass = 1.0 / f64::from(body.inverse_mass);
        let turn = (body.rotation * body.principal_axes).rotate_back(body.angular_velocity).to_array();
        let inverse = body.inverse_inertia.to_array();
        let spin: f64 = turn.iter().zip(inverse).map(|(turn, inverse)| squared(*turn) / f64::from(inverse)).sum();
        let pull = self.scene.settings.sanitized().gravity * body.gravity_scale;
        let (at, velocity) = (body.world_center_of_mass().to_array(), body.velocity.to_array());
        let height: f64 = pull.to_array().iter().zip(at).map(|(pull, at)| -f64::from(*pull) * f64::from(at)).sum();
        let straight: f64 = velocity.iter().map(|part| squared(*part)).sum();
        0.5 * (mass * straight + spin) + mass * height
    }

    fn build_room(&mut self, random: &mut Pcg) {
        let room = self.room;
        let rough = random.between(0.0, 1.0);
        let bounce = if random.chance(0.3) { random.unit() } else { 0.0 };
        let place = |shape: Shape, at: Vec3, scene: &mut Scene| {
            let number = scene.know(shape.clone());
            let mut body = Body::new_static((number, &shape), at, Quat::IDENTITY);
            (body.friction, body.restitution) = (rough, bounce);
            scene.put(body).expect("the capacity suffices");
        };
        let (ground, at) = room.ground_shape(random);
        place(ground, at, &mut self.scene);
        if !room.has_walls {
            return;
        }
        let (half, wall, height) = (room.half, room.wall * 0.5, room.height * 0.5);
        // From below the ground to above the ceiling, and around the corners.
        for (axis, side) in [(0, -1.0), (0, 1.0), (1, -1.0), (1, 1.0)] {
            let mut at = [0.0, 0.0, height];
            let mut size = [half + 2.0, half + 2.0, height + 2.5];
            (at[axis], size[axis]) = (side * (half + wall), wall);
            place(Shape::Box(Vec3::from_array(size)), Vec3::from_array(at), &mut self.scene);
        }
        let ceiling = Vec3::new(half + 2.0, half + 2.0, wall);
        place(Shape::Box(ceiling), Vec3::new(0.0, 0.0, room.height + wall), &mut self.scene);
    }

    fn people(&mut self, random: &mut Pcg, count: u32) {
        let kinds = 1 + random.below(6);
        while self.kit.len() < kinds as usize {
            if let Some((shape, mass)) = draw_shape(random) {
                self.kit.push((self.scene.know(shape.clone()), shape, mass));
            }
        }
        let overlaps = random.chance(0.2);
        let has_driven = random.chance(0.15);
        let has_joints = random.chance(0.4);
        let fastest = [1.0, 10.0, 100.0, 10_000.0][random.below(4) as usize];
        let mut taken: Vec<(Vec3, f32)> = Vec::new();
        let mut guarded = Vec::new();
        for _ in 0..count {
            let mut body = self.draw_body(random, fastest);
            let is_clear = |body: &Body, taken: &[(Vec3, f32)]| {
                taken
                    .iter()
                    .all(|(at, reach)| at.distance(body.world_center_of_mass()) > reach + body.bounding_radius + 0.05)
            };
            let mut attempts = 0;
            while !overlaps && !is_clear(&body, &taken) && attempts < 30 {
                self.move_within(&mut body, random);
                attempts += 1;
            }
            if !overlaps && !is_clear(&body, &taken) {
                continue;
            }
            taken.push((body.world_center_of_mass(), body.bounding_radius));
            self.give_a_role(&mut body, has_driven, random);
            let meets_room = body.mask & 1 != 0 && body.layers & 1 != 0 && body.group == 0;
            let is_plain = body.inverse_mass > 0.0 && !body.is(flag::TRIGGER) && !body.is(flag::STATIC);
            let handle = self.scene.put(body).expect("the capacity suffices");
            self.bodies.push(handle);
            if is_plain && meets_room && self.fits(&body) {
                guarded.push(handle);
            }
        }
        self.is_guarding = self.room.has_walls && !has_driven;
        if self.is_guarding {
            self.guarded = guarded;
        }
        if has_joints && self.bodies.len() >= 2 {
            (0..1 + random.below(3)).for_each(|_| self.join_some(random));
        }
        // A rotating upright body has infinite inertia and may give others any amount of energy.
        let is_turning = |handle: &Handle<Body>| {
            let body = self.scene.body(*handle);
            body.is(flag::FIXED_ROTATION) && body.angular_velocity != Vec3::ZERO
        };
        let is_turned = self.bodies.iter().any(is_turning);
        let is_worked = is_turned || self.is_strained || self.is_powered;
        self.is_closed = !overlaps && !has_driven && !is_worked && !self.is_meddled_with;
    }

    /// No body is guarded from now on.
    fn let_go(&mut self) {
        self.guarded.clear();
        self.is_guarding = false;
    }

    /// Whether a body's bounding sphere is inside the arena, clear of ground and walls, and the body is not too thin: a body with
    /// an inscribed radius of at least 5 cm does not pass through walls of less than 10 cm, nor one of at least 2 mm through
    /// ground without a far side.
    fn fits(&self, body: &Body) -> bool {
        if number::min(self.room.wall, self.room.floor) < 0.1 && body.inscribed_radius < 0.05 {
            return false;
        }
        if !self.room.is_thick() && body.inscribed_radius < 0.002 {
            return false;
        }
        let (at, reach, room) = (body.world_center_of_mass(), body.bounding_radius, &self.room);
        let across = number::max(number::abs(at.x), number::abs(at.y));
        across + reach < room.half && at.z + reach < room.height && at.z - reach > HILLS + 0.01
    }

    fn draw_body(&self, random: &mut Pcg, fastest: f32) -> Body {
        let (number, shape, mass) = random.pick(&self.kit).expect("the kit has shapes");
        let turn = Quat::from_rotation_vector(random.in_sphere() * 3.0);
        let mut body = Body::new((*number, shape), mass, Vec3::ZERO, turn);
        self.move_within(&mut body, random);
        body.velocity = random.on_sphere() * (spread(random, 0.01, 1.0) * fastest);
        let tip = [0.0, 1.0, 10.0, 100.0][random.below(4) as usize];
        body.angular_velocity = random.in_sphere() * (tip / body.bounding_radius);
        body.friction = random.between(0.0, 1.2);
        body.restitution = if random.chance(0.5) { random.unit() } else { 0.0 };
        body.rolling_resistance = if random.chance(0.3) { 0.1 * body.bounding_radius * random.unit() } else { 0.0 };
        if random.chance(0.2) {
            (body.linear_damping, body.angular_damping) = (random.unit(), random.unit());
        }
        body.gravity_scale = if random.chance(0.1) { random.between(-1.0, 2.0) } else { 1.0 };
        body
    }

    fn move_within(&self, body: &mut Body, random: &mut Pcg) {
        let room = &self.room;
        let across = number::max(room.half - body.bounding_radius - 0.1, 0.1);
        let (low, high) =
            (HILLS + 0.05 + body.bounding_radius, number::max(room.height - body.bounding_radius - 0.1, HILLS + 0.1));
        let at = Vec3::new(random.between(-across, across), random.between(-across, across), random.between(low, high));
        body.position = at - body.rotation.rotate(body.center_of_mass);
        body.last_position = body.position;
    }

    fn give_a_role(&self, body: &mut Body, has_driven: bool, random: &mut Pcg) {
        match random.below(24) {
            0 => body.flags |= flag::TRIGGER,
            1 => body.flags |= flag::FIXED_ROTATION,
            2 => body.flags |= flag::NEVER_SLEEPS,
            3 => body.flags |= flag::POINT,
            4 => (body.layers, body.mask) = (2, 0b11),
            5 => (body.layers, body.mask) = (4, 0b100),
            6 => body.group = 1 + random.below(2),
            7 | 8 if has_driven => {
                (body.inverse_mass, body.inverse_inertia) = (0.0, Vec3::ZERO);
                body.velocity = body.velocity.limit_length(20.0);
            }
            _ => {}
        }
    }

    fn change(&mut self, random: &mut Pcg, change: impl FnOnce(&mut Body, &mut Pcg)) {
        if let Some(handle) = random.pick(&self.bodies).copied() {
            self.scene.edit(handle, |body| change(body, random));
        }
    }

    /// A chain of consecutive bodies, sometimes closed to a loop, sometimes attached to the world.
    fn join_some(&mut self, random: &mut Pcg) {
        let length = (2 + random.below(8)).min(self.bodies.len() as u32);
        let first = random.below(self.bodies.len() as u32 - length + 1) as usize;
        let mut chain: Vec<Handle<Body>> = self.bodies[first..first + length as usize].to_vec();
        match random.below(4) {
            0 => chain.push(chain[0]),
            1 => chain.insert(0, Handle::NONE),
            _ => {}
        }
        let kind = random.below(10);
        for pair in chain.windows(2) {
            let place = |handle: Handle<Body>| {
                self.scene
                    .physics
                    .parts
                    .bodies
                    .find_raw(&self.scene.world, handle.raw())
                    .map(|(_, body)| body.world_center_of_mass())
            };
            let second = place(pair[1]).unwrap_or(Vec3::ZERO);
            let draft =
                draw_joint(kind, [pair[0], pair[1]], place(pair[0]).unwrap_or(second + Vec3::Z), second, random);
            let joint = draft.resolve(None, None);
            self.is_strained |= joint.is(joint::flag::LIMITED) && joint.upper < joint.coordinate;
            self.is_powered |= joint.motor_force > 0.0 || joint.hertz > 0.0;
            let physics = &self.scene.physics;
            self.joints.extend(self.scene.world.set_up(|world| physics.add_joint(world, &draft)));
        }
    }
}

impl Room {
    /// Whether the ground has a far side.
    fn is_thick(&self) -> bool {
        !matches!(self.ground, Ground::Field | Ground::Mesh)
    }

    fn ground_shape(&self, random: &mut Pcg) -> (Shape, Vec3) {
        let (wide, thick) = (self.half + 2.0, self.floor * 0.5);
        let spacing = 2.0 * wide / CELLS as f32;
        let side = CELLS as usize + 1;
        let heights: Vec<f32> = (0..side * side).map(|_| random.between(0.0, HILLS)).collect();
        let corner = Vec3::new(-wide, -wide, 0.0);
        match self.ground {
            Ground::Box => (Shape::Box(Vec3::new(wide, wide, thick)), Vec3::new(0.0, 0.0, -thick)),
            Ground::Field => {
                let field = HeightField::new(side, &heights, Vec2::new(spacing, spacing), |_, _| false);
                (Shape::HeightField(Arc::new(field.expect("valid ground"))), corner)
            }
            Ground::Mesh => {
                let point = |index: usize| {
                    let (x, y) = ((index % side) as f32, (index / side) as f32);
                    Vec3::new(x * spacing, y * spacing, heights[index])
                };
                let points: Vec<Vec3> = (0..side * side).map(point).collect();
                let cells = (0..side * (side - 1)).filter(|index| index % side + 1 < side);
                let triangles: Vec<[u32; 3]> = cells
                    .flat_map(|index| {
                        let [low, x, y, high] = [index, index + 1, index + side, index + side + 1].map(|at| at as u32);
                        [[low, x, high], [low, high, y]]
                    })
                    .collect();
                (Shape::Mesh(Arc::new(Mesh::new(&points, &triangles).expect("valid ground"))), corner)
            }
            Ground::Compound => {
                let tile = 2.0 * wide / 4.0;
                let parts = (0..16_u32).map(|index| {
                    let (x, y) = ((index % 4) as f32 + 0.5, (index / 4) as f32 + 0.5);
                    let top = heights[index as usize];
                    let half = Vec3::new(tile * 0.5, tile * 0.5, (top + self.floor) * 0.5);
                    let at = Vec3::new(x * tile, y * tile, (top - self.floor) * 0.5);
                    (Pose::new(at, Quat::IDENTITY), Shape::Box(half))
                });
                (Shape::Compound(Arc::new(Compound::new(parts).expect("valid ground"))), corner)
            }
            Ground::Hull => {
                let corners: Vec<Vec3> = (0..8_u32)
                    .map(|index| {
                        let side = |bit: u32| if index & bit == 0 { -wide } else { wide };
                        let top = heights[index as usize % 2];
                        Vec3::new(side(1), side(2), if index & 4 == 0 { -self.floor } else { top })
                    })
                    .collect();
                (Shape::hull(&corners).expect("valid ground"), Vec3::ZERO)
            }
        }
    }
}

fn squared(number: f32) -> f64 {
    f64::from(number) * f64::from(number)
}

/// Log-uniform between two values.
pub fn spread(random: &mut Pcg, least: f32, most: f32) -> f32 {
    least * number::exp(random.unit() * number::ln(most / least))
}

fn sane_settings(random: &mut Pcg) -> Settings {
    let pull = [0.0, 1.6, 9.81, 30.0][random.below(4) as usize];
    let down = if random.chance(0.8) { -Vec3::Z } else { random.on_sphere() };
    Settings {
        gravity: down * pull,
        seconds: [0.005, 0.01, 1.0 / 60.0, 1.0 / 30.0][random.below(4) as usize],
        substeps: 2 + random.below(5),
        sleep_seconds: if random.chance(0.5) { 0.5 } else { 0.0 },
        impacts_max: 1 + random.below(8),
        ..Settings::default()
    }
}

/// Arbitrary settings, some of them not finite.
fn odd_settings(random: &mut Pcg) -> Settings {
    let mut any = || match random.below(8) {
        0 => f32::NAN,
        1 => f32::INFINITY,
        2 => 0.0,
        3 => -spread(random, 1e-6, 1e6),
        _ => spread(random, 1e-6, 1e6),
    };
    let gravity = Vec3::new(any() * 1e-4, any() * 1e-4, any() * 1e-4);
    let [seconds, margin, slop, contact_hertz] = [any(), any() * 1e-4, any() * 1e-4, any()];
    let [contact_damping, push_speed_max, joint_hertz, joint_damping] = [any(), any(), any(), any()];
    let [restitution_threshold, sleep_speed, sleep_seconds, speed_max] = [any(), any(), any(), any()];
    Settings {
        gravity,
        seconds,
        substeps: random.below(12),
        speculative_margin: margin,
        slop,
        contact_hertz,
        contact_damping,
        push_speed_max,
        joint_hertz,
        joint_damping,
        restitution_threshold,
        sleep_speed,
        sleep_seconds,
        speed_max,
        impacts_max: random.below(40),
    }
}

/// A shape of one centimetre to five metres with its mass properties, if it is valid.
fn draw_shape(random: &mut Pcg) -> Option<(Shape, Mass)> {
    let size = if random.chance(0.8) { spread(random, 0.1, 1.0) } else { spread(random, 0.01, 5.0) };
    let kind = random.below(6);
    let shape = match kind {
        5 => {
            let part = |random: &mut Pcg| {
                let turn = Quat::from_rotation_vector(random.in_sphere() * 3.0);
                let kind = random.below(4);
                Some((Pose::new(random.in_sphere() * (size * 0.4), turn), simple(kind, size * 0.5, random)?))
            };
            let parts: Vec<_> = (0..1 + random.below(4)).filter_map(|_| part(random)).collect();
            Shape::Compound(Arc::new(Compound::new(parts).ok()?))
        }
        kind => simple(kind, size, random)?,
    };
    let density = spread(random, 1.0, 1e4);
    let mass = Mass::of(&shape, Weight::Density(density)).ok()?;
    Some((shape, mass))
}

fn simple(kind: u32, size: f32, random: &mut Pcg) -> Option<Shape> {
    let half = size * 0.5;
    let mut length = || half * random.between(0.1, 1.0);
    Some(match kind {
        0 => Shape::Sphere(half),
        1 => Shape::Capsule { half: length(), radius: length() },
        2 => Shape::Box(Vec3::new(length(), length(), length())),
        kind => {
            let points: Vec<Vec3> = (0..4 + random.below(16)).map(|_| random.in_sphere() * half).collect();
            let hull = Hull::new(&points).ok()?;
            if kind == 3 { Shape::Hull(Arc::new(hull)) } else { Shape::Mesh(Arc::new(mesh_of(&hull)?)) }
        }
    })
}

/// The closed surface of a hull.
pub fn mesh_of(hull: &Hull) -> Option<Mesh> {
    let corners: Vec<Vec3> = hull.triangles().flatten().collect();
    let triangles: Vec<[u32; 3]> =
        (0..corners.len() as u32 / 3).map(|index| [0, 1, 2].map(|at| index * 3 + at)).collect();
    Mesh::new(&corners, &triangles).ok()
}

fn draw_joint(kind: u32, [first, second]: [Handle<Body>; 2], at: Vec3, to: Vec3, random: &mut Pcg) -> JointDefinition {
    let (middle, axis, ends) = ((at + to) * 0.5, random.on_sphere(), [at, to]);
    let draft = match kind {
        0 => JointDefinition::fixed(first, second, middle),
        1 => JointDefinition::hinge(first, second, middle, axis),
        2 => JointDefinition::slider(first, second, middle, axis),
        3 => JointDefinition::ball(first, second, middle),
        4 => JointDefinition::cone(first, second, middle, axis, (random.between(0.0, 3.0), random.between(0.0, 3.0))),
        5 => JointDefinition::rope(first, second, ends, at.distance(to) * random.between(0.5, 1.5)),
        6 => JointDefinition::rod(first, second, ends),
        7 => JointDefinition::spring(first, second, ends, random.between(0.1, 20.0), random.between(0.0, 2.0)),
        8 => JointDefinition::wheel(first, second, middle, axis, random.on_sphere()),
        _ => JointDefinition::hinge(first, second, middle, axis).with_limits(-random.unit(), random.unit()),
    };
    let draft = if random.chance(0.2) {
        draft.with_motor(random.between(-10.0, 10.0), spread(random, 0.1, 1e4))
    } else {
        draft
    };
    let draft =
        if random.chance(0.2) { draft.with_spring(random.between(0.1, 30.0), random.between(0.0, 2.0)) } else { draft };
    let draft = if random.chance(0.1) {
        draft.with_break_limits(spread(random, 1.0, 1e5), spread(random, 1.0, 1e5))
    } else {
        draft
    };
    if random.chance(0.1) { draft.with_collision() } else { draft }
}
