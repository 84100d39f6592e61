//! Worlds drawn from a seed: ground of every kind, walls or none, bodies of every shape, and what happens to them on the way.
//!
//! Laws
//! 1. All of a world follows from its seed: equal seeds, equal worlds, equal fates.
//! 2. A world is *sane* (settings as somebody would choose them) or *odd* (any numbers at all, some of them none).
//! 3. A body is *guarded* if nothing gives it leave to get out: it began within closed walls and clear of the ground, meets both,
//!    nothing that nobody can stop drives it, and nothing was put where others were. Joints give no leave.

use base::{Handle, Pcg, Quat, Random, Vec2, Vec3, number};
use physics::field::Field;
use physics::hull::Hull;
use physics::mass::Weight;
use physics::mesh::Mesh;
use physics::pose::Pose;
use physics::shape::Compound;
use physics::{Body, Capacities, Draft, Joint, Mass, Settings, Shape, flag, joint};
use std::sync::Arc;

use super::Scene;

/// A world, and what was drawn for it.
pub struct Drawn {
    pub scene: Scene,
    pub seed: u64,
    pub room: Room,
    /// Bodies that may not get out.
    pub guarded: Vec<Handle<Body>>,
    /// All bodies that move.
    pub bodies: Vec<Handle<Body>>,
    pub joints: Vec<Handle<Joint>>,
    /// What bodies are made of, with their masses.
    pub kit: Vec<(u32, Shape, Mass)>,
    /// Whether nothing puts energy in: no motors, no springs, nothing driven, nothing overlapping, nobody who meddles, no upright body
    /// that turns, no joint that begins where it may not be.
    pub is_closed: bool,
    /// Whether those that are put in are guarded as well.
    is_guarding: bool,
    pub is_odd: bool,
    pub is_meddled_with: bool,
    /// Whether a joint begins where it may not be.
    is_strained: bool,
    /// Whether a joint has a motor or a spring.
    pub is_powered: bool,
    pub steps: u32,
}

/// The room they are in: from zero up to a height, so far to each side.
#[derive(Clone, Copy, Debug)]
pub struct Room {
    pub half: f32,
    pub height: f32,
    pub wall: f32,
    pub floor: f32,
    pub has_walls: bool,
    pub ground: Ground,
}

/// What the ground is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Ground {
    Box,
    Field,
    Mesh,
    Compound,
    Hull,
}

/// How high the ground rises at most, where it is not flat.
const HILLS: f32 = 1.0;
const CELLS: u32 = 12;

impl Drawn {
    /// The world of a seed. One of 64 is a crowd, so that there is something to share out.
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

    /// What happens to it before a step: bodies come and go, are hit and pulled, joints are made and taken away.
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
                    other.centre().distance(body.centre()) > other.reach + body.reach + 0.05
                });
                // What lies in another may drive it out.
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
                let at = body.centre() + random.in_sphere() * body.reach;
                let mass = if body.inverse_mass > 0.0 { 1.0 / body.inverse_mass } else { 0.0 };
                body.add_impulse_at(speed * mass, at);
            }),
            4 => self.change(&mut random, |body, random| {
                let mass = if body.inverse_mass > 0.0 { 1.0 / body.inverse_mass } else { 0.0 };
                body.add_force(random.on_sphere() * (spread(random, 0.1, 100.0) * mass));
                body.add_torque(random.on_sphere() * (mass * body.reach * body.reach));
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

    /// Whether a body is outside: its middle is beyond the far side of a wall, or below the lowest ground.
    pub fn is_out(&self, body: &Body) -> bool {
        let (room, at) = (&self.room, body.centre());
        let beyond = room.wall + 0.1;
        at.x.abs() > room.half + beyond
            || at.y.abs() > room.half + beyond
            || at.z > room.height + beyond
            || at.z < -0.1 - if room.is_thick() { room.floor } else { 0.0 }
    }

    /// The energy of all that moves, in joules.
    pub fn energy(&self) -> f64 {
        self.scene.bodies().iter().map(|body| self.energy_of(body)).sum()
    }

    /// The energy of one: that of its height, of its speed and of its spin.
    pub fn energy_of(&self, body: &Body) -> f64 {
        if body.inverse_mass <= 0.0 || body.is(flag::FIXED) {
            return 0.0;
        }
        let mass = 1.0 / f64::from(body.inverse_mass);
        let turn = (body.orientation * body.inertia_turn).rotate_back(body.spin).to_array();
        let inverse = body.inverse_inertia.to_array();
        let spin: f64 = turn.iter().zip(inverse).map(|(turn, inverse)| squared(*turn) / f64::from(inverse)).sum();
        let pull = self.scene.settings.sound().gravity * body.gravity;
        let (at, velocity) = (body.centre().to_array(), body.velocity.to_array());
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
            let mut body = Body::fixed((number, &shape), at, Quat::IDENTITY);
            (body.friction, body.restitution) = (rough, bounce);
            scene.put(body).expect("there is room");
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
                taken.iter().all(|(at, reach)| at.distance(body.centre()) > reach + body.reach + 0.05)
            };
            let mut looks = 0;
            while !overlaps && !is_clear(&body, &taken) && looks < 30 {
                self.move_within(&mut body, random);
                looks += 1;
            }
            if !overlaps && !is_clear(&body, &taken) {
                continue;
            }
            taken.push((body.centre(), body.reach));
            self.give_a_role(&mut body, has_driven, random);
            let meets_room = body.meets & 1 != 0 && body.layers & 1 != 0 && body.group == 0;
            let is_plain = body.inverse_mass > 0.0 && !body.is(flag::TRIGGER) && !body.is(flag::FIXED);
            let handle = self.scene.put(body).expect("there is room");
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
        // What turns and is upright is stopped by nobody, and may give to others as much as it likes.
        let is_turning = |handle: &Handle<Body>| {
            let body = self.scene.body(*handle);
            body.is(flag::UPRIGHT) && body.spin != Vec3::ZERO
        };
        let is_turned = self.bodies.iter().any(is_turning);
        let is_worked = is_turned || self.is_strained || self.is_powered;
        self.is_closed = !overlaps && !has_driven && !is_worked && !self.is_meddled_with;
    }

    /// From now on, nobody is guarded.
    fn let_go(&mut self) {
        self.guarded.clear();
        self.is_guarding = false;
    }

    /// Whether a body's reach is within the room, clear of ground and walls, and it is not too thin for them: through walls of less
    /// than 10 cm nobody gets whose middle is at least 5 cm below its surface, and through ground that has no far side nobody whose
    /// middle is 2 mm below it.
    fn fits(&self, body: &Body) -> bool {
        if number::min(self.room.wall, self.room.floor) < 0.1 && body.inner < 0.05 {
            return false;
        }
        if !self.room.is_thick() && body.inner < 0.002 {
            return false;
        }
        let (at, reach, room) = (body.centre(), body.reach, &self.room);
        let across = number::max(number::abs(at.x), number::abs(at.y));
        across + reach < room.half && at.z + reach < room.height && at.z - reach > HILLS + 0.01
    }

    fn draw_body(&self, random: &mut Pcg, fastest: f32) -> Body {
        let (number, shape, mass) = random.pick(&self.kit).expect("there is a shape");
        let turn = Quat::from_rotation_vector(random.in_sphere() * 3.0);
        let mut body = Body::new((*number, shape), mass, Vec3::ZERO, turn);
        self.move_within(&mut body, random);
        body.velocity = random.on_sphere() * (spread(random, 0.01, 1.0) * fastest);
        let tip = [0.0, 1.0, 10.0, 100.0][random.below(4) as usize];
        body.spin = random.in_sphere() * (tip / body.reach);
        body.friction = random.between(0.0, 1.2);
        body.restitution = if random.chance(0.5) { random.unit() } else { 0.0 };
        body.rolling = if random.chance(0.3) { 0.1 * body.reach * random.unit() } else { 0.0 };
        if random.chance(0.2) {
            (body.damping, body.spin_damping) = (random.unit(), random.unit());
        }
        body.gravity = if random.chance(0.1) { random.between(-1.0, 2.0) } else { 1.0 };
        body
    }

    fn move_within(&self, body: &mut Body, random: &mut Pcg) {
        let room = &self.room;
        let across = number::max(room.half - body.reach - 0.1, 0.1);
        let (low, high) = (HILLS + 0.05 + body.reach, number::max(room.height - body.reach - 0.1, HILLS + 0.1));
        let at = Vec3::new(random.between(-across, across), random.between(-across, across), random.between(low, high));
        body.position = at - body.orientation.rotate(body.centre);
        body.last_position = body.position;
    }

    fn give_a_role(&self, body: &mut Body, has_driven: bool, random: &mut Pcg) {
        match random.below(24) {
            0 => body.flags |= flag::TRIGGER,
            1 => body.flags |= flag::UPRIGHT,
            2 => body.flags |= flag::RESTLESS,
            3 => body.flags |= flag::POINT,
            4 => (body.layers, body.meets) = (2, 0b11),
            5 => (body.layers, body.meets) = (4, 0b100),
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

    /// A chain of bodies that lie side by side in the list, sometimes closed to a ring, sometimes held by the world.
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
                    .get_untrusted(&self.scene.world, handle.raw())
                    .map(|(_, body)| body.centre())
            };
            let second = place(pair[1]).unwrap_or(Vec3::ZERO);
            let draft =
                draw_joint(kind, [pair[0], pair[1]], place(pair[0]).unwrap_or(second + Vec3::Z), second, random);
            let joint = draft.lay(None, None);
            self.is_strained |= joint.is(joint::flag::LIMITED) && joint.most < joint.way;
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
                let field = Field::new(side, &heights, Vec2::new(spacing, spacing), |_, _| false);
                (Shape::Field(Arc::new(field.expect("sound ground"))), corner)
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
                (Shape::Mesh(Arc::new(Mesh::new(&points, &triangles).expect("sound ground"))), corner)
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
                (Shape::Compound(Arc::new(Compound::new(parts).expect("sound ground"))), corner)
            }
            Ground::Hull => {
                let corners: Vec<Vec3> = (0..8_u32)
                    .map(|index| {
                        let side = |bit: u32| if index & bit == 0 { -wide } else { wide };
                        let top = heights[index as usize % 2];
                        Vec3::new(side(1), side(2), if index & 4 == 0 { -self.floor } else { top })
                    })
                    .collect();
                (Shape::hull(&corners).expect("sound ground"), Vec3::ZERO)
            }
        }
    }
}

fn squared(number: f32) -> f64 {
    f64::from(number) * f64::from(number)
}

/// From the least to the most, each decade as likely as any other.
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

/// Every number from anywhere, some of them not numbers.
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
    let [bounce_speed_least, sleep_speed, sleep_seconds, speed_max] = [any(), any(), any(), any()];
    Settings {
        gravity,
        seconds,
        substeps: random.below(12),
        margin,
        slop,
        contact_hertz,
        contact_damping,
        push_speed_max,
        joint_hertz,
        joint_damping,
        bounce_speed_least,
        sleep_speed,
        sleep_seconds,
        speed_max,
        impacts_max: random.below(40),
    }
}

/// A shape of one centimetre to five metres, with a mass, if what was drawn is a body.
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

fn draw_joint(kind: u32, [first, second]: [Handle<Body>; 2], at: Vec3, to: Vec3, random: &mut Pcg) -> Draft {
    let (middle, axis, ends) = ((at + to) * 0.5, random.on_sphere(), [at, to]);
    let draft = match kind {
        0 => Draft::fixed(first, second, middle),
        1 => Draft::hinge(first, second, middle, axis),
        2 => Draft::slider(first, second, middle, axis),
        3 => Draft::ball(first, second, middle),
        4 => Draft::cone(first, second, middle, axis, (random.between(0.0, 3.0), random.between(0.0, 3.0))),
        5 => Draft::rope(first, second, ends, at.distance(to) * random.between(0.5, 1.5)),
        6 => Draft::rod(first, second, ends),
        7 => Draft::spring(first, second, ends, random.between(0.1, 20.0), random.between(0.0, 2.0)),
        8 => Draft::wheel(first, second, middle, axis, random.on_sphere()),
        _ => Draft::hinge(first, second, middle, axis).limited(-random.unit(), random.unit()),
    };
    let draft =
        if random.chance(0.2) { draft.driven(random.between(-10.0, 10.0), spread(random, 0.1, 1e4)) } else { draft };
    let draft =
        if random.chance(0.2) { draft.sprung(random.between(0.1, 30.0), random.between(0.0, 2.0)) } else { draft };
    let draft =
        if random.chance(0.1) { draft.breaking(spread(random, 1.0, 1e5), spread(random, 1.0, 1e5)) } else { draft };
    if random.chance(0.1) { draft.colliding() } else { draft }
}
