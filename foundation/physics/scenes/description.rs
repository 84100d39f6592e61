//! Scenes as plain numbers, shared by the tests of physics and by the benchmarks, also those of other engines: whoever
//! plays a scene builds its world from these numbers and from nothing else. So this file uses no crate.
//!
//! | name | scene |
//! |---|---|
//! | `pile COUNT` | spheres and cubes alternate on a grid in a closed box, and fall into a heap |
//! | `gas COUNT` | the same without gravity and friction, with restitution 1, and faster |
//! | `tower COUNT DENSITY` | a stack of unit cubes; the top one has this density, the others 1 |
//! | `crooked COUNT OFFSET` | a stack of unit cubes of density 1, each shifted sideways by at most this much |
//! | `bounce` | a ball with restitution 1 falls from 5 m |
//! | `shot SPEED` | a ball with a radius of 5 cm flies against a wall of 2 cm, both with restitution 1 |
//! | `shot SPEED unlimited` | the same, and engines with a speed limit lift it |
//! | `crowd RAGDOLLS CARS` | ragdolls of thirteen boxes fall onto a plain among cars of five bodies that drive over it |
//! | `ball` | one ball rolls over a plain |
//!
//! Lengths are in metres, a step is 1/60 s, gravity acts along −z, and no body sleeps.

/// The length of a step in seconds.
pub const SECONDS: f32 = 1.0 / 60.0;

/// The gravitational acceleration of scenes with gravity.
pub const GRAVITY: f32 = 9.81;

/// The distance of the centre of a shot's ball from the centre of the wall, at the start.
pub const SHOT_FROM: f32 = 5.0;

/// The same distance when they touch.
pub const SHOT_TOUCHES: f32 = BALL + WALL_HALF;

const BALL: f32 = 0.05;
const WALL_HALF: f32 = 0.01;

/// The height of the lowest point of a bounce's ball, at the start.
pub const BOUNCE_HEIGHT: f32 = 5.0;

/// The radius of that ball.
pub const BOUNCE_RADIUS: f32 = 0.5;

/// A scene at its start.
#[derive(Clone, Debug)]
pub struct SceneDescription {
    /// The gravitational acceleration along −z.
    pub gravity: f32,
    /// All bodies, static ones first.
    pub bodies: Vec<Placed>,
    /// The joints between them.
    pub joints: Vec<Joined>,
    /// Whether bodies are so fast that they need continuous collision detection, in engines where it is an option.
    pub is_fast: bool,
    /// Whether engines with a speed limit lift it.
    pub is_unlimited: bool,
}

/// A body at the start.
#[derive(Clone, Copy, Debug)]
pub struct Placed {
    /// Its shape.
    pub form: Form,
    /// In kilograms per cubic metre; zero for a static body.
    pub density: f32,
    /// The position of its centre.
    pub position: [f32; 3],
    /// Its velocity.
    pub velocity: [f32; 3],
    /// The coefficient of restitution.
    pub restitution: f32,
    /// The coefficient of friction.
    pub friction: f32,
}

/// A joint at the start. Its bodies do not collide with each other.
#[derive(Clone, Copy, Debug)]
pub struct Joined {
    /// The indices of both bodies.
    pub bodies: [usize; 2],
    /// The position of the joint.
    pub point: [f32; 3],
    /// Its kind.
    pub hold: Hold,
}

/// The kind of a joint.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Hold {
    /// A ball joint: the axis, which is along ±z, swings by at most this angle, and twists by at most that one.
    Cone { axis_z: f32, swing: f32, twist: f32 },
    /// Rotation about y between two angles.
    Hinge { lower: f32, upper: f32 },
    /// A wheel that rotates about y and translates along z on a spring of this frequency and damping ratio, between two limits; a
    /// motor drives it at a speed with at most a torque.
    Wheel { limits: [f32; 2], hertz: f32, damping_ratio: f32, speed: f32, torque: f32 },
}

/// The shape of a body.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Form {
    /// A sphere with this radius.
    Ball(f32),
    /// A box with these half extents.
    Cuboid([f32; 3]),
}

/// A scene without bodies.
const EMPTY: SceneDescription =
    SceneDescription { gravity: 0.0, bodies: Vec::new(), joints: Vec::new(), is_fast: false, is_unlimited: false };

impl SceneDescription {
    /// The scene of this name.
    pub fn named(name: &str) -> Option<SceneDescription> {
        let words: Vec<&str> = name.split_whitespace().collect();
        match words[..] {
            ["pile", count] => Some(crowd(count.parse().ok()?, false)),
            ["gas", count] => Some(crowd(count.parse().ok()?, true)),
            ["tower", count, density] => Some(tower(count.parse().ok()?, density.parse().ok()?, 0.0)),
            ["crooked", count, offset] => Some(tower(count.parse().ok()?, 1.0, offset.parse().ok()?)),
            ["crowd", ragdolls, cars] => Some(machines(ragdolls.parse().ok()?, cars.parse().ok()?)),
            ["ball"] => Some(rolling_ball()),
            ["bounce"] => Some(bounce()),
            ["shot", speed] => Some(shot(speed.parse().ok()?)),
            ["shot", speed, "unlimited"] => Some(SceneDescription { is_unlimited: true, ..shot(speed.parse().ok()?) }),
            _ => None,
        }
    }

    /// The number of bodies that are not static.
    pub fn moving(&self) -> usize {
        self.bodies.iter().filter(|body| body.density > 0.0).count()
    }
}

/// Spheres and cubes alternate on a grid in a closed box: a pile with gravity, a gas without.
pub fn crowd(count: u32, is_gas: bool) -> SceneDescription {
    let across = if count > 1000 { 16 } else { 10 };
    let layers = count.div_ceil(across * across);
    let half = 0.6 * across.max(layers) as f32 + 0.6;
    let (restitution, friction, speed) = if is_gas { (1.0, 0.0, 5.0) } else { (0.3, 0.5, 1.0) };
    let mut bodies: Vec<Placed> =
        walls(half).map(|(position, half)| Placed { restitution, friction, ..fixed(half, position) }).collect();
    let mut random = Pcg::new(1, 1);
    for index in 0..count {
        let cell = [index % across, index / across % across, index / (across * across)];
        let [x, y, z] = cell.map(|at| (at as f32 + 0.5) * 1.2);
        let middle = 0.6 * across as f32;
        bodies.push(Placed {
            form: if index % 2 == 0 { Form::Ball(0.45) } else { Form::Cuboid([0.4; 3]) },
            density: 1.0,
            position: [x - middle, y - middle, z - half],
            velocity: [(); 3].map(|()| random.within(speed)),
            restitution,
            friction,
        });
    }
    SceneDescription { gravity: if is_gas { 0.0 } else { GRAVITY }, bodies, ..EMPTY }
}

/// Unit cubes on each other and on the ground, each shifted sideways by at most `offset`.
pub fn tower(count: u32, density_of_top: f32, offset: f32) -> SceneDescription {
    let mut random = Pcg::new(40, 1);
    let mut bodies = vec![ground()];
    bodies.extend((0..count).map(|number| Placed {
        form: Form::Cuboid([0.5; 3]),
        density: if number + 1 == count { density_of_top } else { 1.0 },
        ..fixed([0.5; 3], [random.within(offset), random.within(offset), 0.5 + number as f32])
    }));
    SceneDescription { gravity: GRAVITY, bodies, ..EMPTY }
}

/// A ball with restitution 1 above the ground.
pub fn bounce() -> SceneDescription {
    let ball = Placed {
        form: Form::Ball(BOUNCE_RADIUS),
        density: 1.0,
        ..fixed([0.0; 3], [0.0, 0.0, BOUNCE_HEIGHT + BOUNCE_RADIUS])
    };
    SceneDescription { gravity: GRAVITY, bodies: elastic([ground(), ball]), ..EMPTY }
}

/// A fast ball in front of a thin wall.
pub fn shot(speed: f32) -> SceneDescription {
    let wall = fixed([WALL_HALF, 5.0, 5.0], [0.0; 3]);
    let ball = Placed {
        form: Form::Ball(BALL),
        density: 1000.0,
        velocity: [speed, 0.0, 0.0],
        ..fixed([0.0; 3], [-SHOT_FROM, 0.0, 0.0])
    };
    SceneDescription { gravity: 0.0, bodies: elastic([wall, ball]), is_fast: true, ..EMPTY }
}

/// A ball that rolls over a plain.
pub fn rolling_ball() -> SceneDescription {
    let ball =
        Placed { form: Form::Ball(0.5), density: 1.0, velocity: [1.0, 0.0, 0.0], ..fixed([0.0; 3], [0.0, 0.0, 0.5]) };
    SceneDescription { gravity: GRAVITY, bodies: vec![ground(), ball], ..EMPTY }
}

/// Ragdolls fall onto a plain, cars drive over it.
pub fn machines(ragdolls: u32, cars: u32) -> SceneDescription {
    let mut scene = SceneDescription {
        gravity: GRAVITY,
        bodies: vec![Placed { friction: 0.8, ..fixed([400.0, 400.0, 1.0], [0.0, 0.0, -1.0]) }],
        ..EMPTY
    };
    for number in 0..ragdolls {
        let [column, row] = [number % 10, number / 10].map(|at| at as f32);
        scene.add_ragdoll([column * 1.2, row * 1.2, 0.2 + 0.05 * column]);
    }
    for number in 0..cars {
        let [column, row] = [number % 5, number / 5].map(|at| at as f32);
        scene.add_car([-8.0 - column * 6.0, row * 3.0, 0.0]);
    }
    scene
}

impl SceneDescription {
    /// A person of thirteen boxes, about 1.8 m tall and 75 kg, standing at a position.
    fn add_ragdoll(&mut self, at: [f32; 3]) {
        let place = |[x, y, z]: [f32; 3]| [at[0] + x, at[1] + y, at[2] + z];
        let bodies = &mut self.bodies;
        let mut part = |half: [f32; 3], position: [f32; 3], mass: f32| {
            let density = mass / (8.0 * half[0] * half[1] * half[2]);
            bodies.push(Placed { density, ..fixed(half, place(position)) });
            bodies.len() - 1
        };
        let pelvis = part([0.10, 0.16, 0.10], [0.0, 0.0, 0.95], 12.0);
        let chest = part([0.11, 0.18, 0.22], [0.0, 0.0, 1.27], 25.0);
        let head = part([0.09, 0.08, 0.12], [0.0, 0.0, 1.63], 5.0);
        let limbs = [-1.0_f32, 1.0].map(|side| {
            let upper_arm = part([0.05, 0.05, 0.14], [0.0, 0.24 * side, 1.31], 2.5);
            let lower_arm = part([0.04, 0.04, 0.14], [0.0, 0.24 * side, 1.02], 1.8);
            let thigh = part([0.07, 0.07, 0.20], [0.0, 0.10 * side, 0.64], 7.5);
            let shin = part([0.055, 0.055, 0.18], [0.0, 0.10 * side, 0.26], 3.5);
            let foot = part([0.12, 0.05, 0.035], [0.05, 0.10 * side, 0.04], 1.2);
            (side, [upper_arm, lower_arm, thigh, shin, foot])
        });
        let joints = &mut self.joints;
        let mut join =
            |bodies: [usize; 2], point: [f32; 3], hold: Hold| joints.push(Joined { bodies, point: place(point), hold });
        let cone = |axis_z: f32, swing: f32, twist: f32| Hold::Cone { axis_z, swing, twist };
        join([pelvis, chest], [0.0, 0.0, 1.05], cone(1.0, 0.4, 0.4));
        join([chest, head], [0.0, 0.0, 1.50], cone(1.0, 0.5, 0.7));
        for (side, [upper_arm, lower_arm, thigh, shin, foot]) in limbs {
            let (arm, leg) = (0.24 * side, 0.10 * side);
            join([chest, upper_arm], [0.0, arm, 1.45], cone(-1.0, 1.4, 0.8));
            join([upper_arm, lower_arm], [0.0, arm, 1.165], Hold::Hinge { lower: -2.3, upper: 0.05 });
            join([pelvis, thigh], [0.0, leg, 0.84], cone(-1.0, 0.9, 0.4));
            join([thigh, shin], [0.0, leg, 0.44], Hold::Hinge { lower: -0.05, upper: 2.3 });
            join([shin, foot], [0.0, leg, 0.07], cone(-1.0, 0.5, 0.2));
        }
    }

    /// A car of 1280 kg that drives along −x, away from the ragdolls.
    fn add_car(&mut self, at: [f32; 3]) {
        let half = [2.0, 0.8, 0.25];
        let hull = self.bodies.len();
        let density = 1200.0 / (8.0 * half[0] * half[1] * half[2]);
        self.bodies.push(Placed { density, ..fixed(half, [at[0], at[1], at[2] + 0.75]) });
        for (x, y) in [(1.4, -0.8), (1.4, 0.8), (-1.4, -0.8), (-1.4, 0.8)] {
            let (radius, position) = (0.35_f32, [at[0] + x, at[1] + y, at[2] + 0.35]);
            let density = 20.0 / (4.0 / 3.0 * core::f32::consts::PI * radius * radius * radius);
            let wheel = Placed { form: Form::Ball(radius), density, friction: 1.0, ..fixed([0.0; 3], position) };
            self.bodies.push(wheel);
            let hold =
                Hold::Wheel { limits: [-0.15, 0.2], hertz: 2.0, damping_ratio: 0.7, speed: -20.0, torque: 100.0 };
            self.joints.push(Joined { bodies: [hull, self.bodies.len() - 1], point: position, hold });
        }
    }
}

/// Six walls around a cube of this half extent, each as thick as the cube: position and half extents.
fn walls(half: f32) -> impl Iterator<Item = ([f32; 3], [f32; 3])> {
    (0..3).flat_map(|axis| [(axis, -1.0), (axis, 1.0)]).map(move |(axis, side)| {
        let (mut position, mut size) = ([0.0; 3], [half * 2.0; 3]);
        (position[axis], size[axis]) = (side * half * 2.0, half);
        (position, size)
    })
}

fn ground() -> Placed {
    fixed([50.0, 50.0, 1.0], [0.0, 0.0, -1.0])
}

/// These bodies with restitution 1.
fn elastic(bodies: [Placed; 2]) -> Vec<Placed> {
    bodies.map(|body| Placed { restitution: 1.0, ..body }).to_vec()
}

/// A static box.
fn fixed(half: [f32; 3], position: [f32; 3]) -> Placed {
    Placed { form: Form::Cuboid(half), density: 0.0, position, velocity: [0.0; 3], restitution: 0.0, friction: 0.5 }
}

/// The generator of `base::Pcg` (O'Neill 2014), which this file cannot use. The hashes in the tests of physics show that
/// both give the same numbers.
struct Pcg {
    state: u64,
    increment: u64,
}

impl Pcg {
    const MULTIPLIER: u64 = 6_364_136_223_846_793_005;

    fn new(seed: u64, stream: u64) -> Pcg {
        let increment = stream << 1 | 1;
        let state = increment.wrapping_add(seed).wrapping_mul(Pcg::MULTIPLIER).wrapping_add(increment);
        Pcg { state, increment }
    }

    /// A number from −`limit` to `limit`.
    fn within(&mut self, limit: f32) -> f32 {
        let before = self.state;
        self.state = before.wrapping_mul(Pcg::MULTIPLIER).wrapping_add(self.increment);
        let bits = (((before >> 18) ^ before) >> 27) as u32;
        let bits = bits.rotate_right((before >> 59) as u32);
        let part = (bits >> 8) as f32 * (1.0 / 16_777_216.0);
        if part < 0.5 { -limit + 2.0 * limit * part } else { limit - 2.0 * limit * (1.0 - part) }
    }
}
