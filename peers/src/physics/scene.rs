//! The scenes, as plain numbers, from which every contender builds its world.
//!
//! | name | content |
//! |---|---|
//! | `pile COUNT` | balls and cubes in turn, on a grid in a closed box, fall into a heap |
//! | `gas COUNT` | the same without gravity, friction and loss, and faster |
//! | `tower COUNT DENSITY` | unit cubes on each other; the top one has this density, the others 1 |
//! | `crooked COUNT OFFSET` | the same, all of density 1, each shifted sideways by up to this offset |
//! | `bounce` | a ball with restitution 1 falls from 5 m |
//! | `shot SPEED` | a ball with a radius of 5 cm flies against a wall of 2 cm; both have restitution 1 |
//! | `shot SPEED unlimited` | the same, with speed limits disabled |
//!
//! Lengths are in metres, a step is a sixtieth of a second, gravity is along −z, and no body sleeps.

/// The length of a step in seconds.
pub const SECONDS: f32 = 1.0 / 60.0;

/// The gravity of scenes that have it.
pub const GRAVITY: f32 = 9.81;

/// The initial distance between the center of the ball of a shot and the center of the wall.
pub const SHOT_FROM: f32 = 5.0;

/// That distance when they touch.
pub const SHOT_TOUCHES: f32 = BALL + WALL_HALF;

const BALL: f32 = 0.05;
const WALL_HALF: f32 = 0.01;

/// The initial height of the lowest point of the ball of a bounce.
pub const BOUNCE_HEIGHT: f32 = 5.0;

/// The radius of that ball.
pub const BOUNCE_RADIUS: f32 = 0.5;

/// The initial state.
#[derive(Clone, Debug)]
pub struct Scene {
    /// The gravity along −z.
    pub gravity: f32,
    /// All bodies, static ones first.
    pub bodies: Vec<Placed>,
    /// Whether bodies are fast enough to tunnel: then contenders enable continuous collision detection.
    pub is_fast: bool,
    /// Whether speed limits are disabled.
    pub is_unlimited: bool,
}

/// A body at the start.
#[derive(Clone, Copy, Debug)]
pub struct Placed {
    /// Its shape.
    pub form: Form,
    /// Its density in kilograms per cubic metre. Zero: static.
    pub density: f32,
    /// The position of its center.
    pub position: [f32; 3],
    /// Its velocity.
    pub velocity: [f32; 3],
    /// Its coefficient of restitution.
    pub restitution: f32,
    /// Its friction coefficient.
    pub friction: f32,
}

/// The shape of a body.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Form {
    /// A ball with this radius.
    Ball(f32),
    /// A box with these half extents.
    Cuboid([f32; 3]),
}

/// The state of a moving body.
#[derive(Clone, Copy, Debug, Default)]
pub struct Moving {
    /// The position of its center.
    pub position: [f32; 3],
    /// Its velocity.
    pub velocity: [f32; 3],
    /// Its rotation: x, y, z and w of a quaternion.
    pub orientation: [f32; 4],
}

/// The distance up to which surfaces count as touching.
pub const TOUCHING: f32 = 0.005;

/// Penetration depths.
#[derive(Clone, Copy, Debug, Default)]
pub struct Overlaps {
    /// The number of touching pairs.
    pub touching: u32,
    /// Their mean penetration, in metres.
    pub mean: f64,
    /// The greatest penetration, in metres.
    pub deepest: f64,
}

/// A summary of a scene, for any contender.
#[derive(Clone, Copy, Debug, Default)]
pub struct Tally {
    /// The number of pairs in the solver, including speculative ones.
    pub pairs: u32,
    /// The kinetic energy, in joules.
    pub energy: f64,
    /// The mean height of bodies above the lowest possible one.
    pub height: f64,
}

impl Scene {
    /// The scene of this name.
    pub fn named(name: &str) -> Option<Scene> {
        let words: Vec<&str> = name.split_whitespace().collect();
        match words[..] {
            ["pile", count] => Some(crowd(count.parse().ok()?, false)),
            ["gas", count] => Some(crowd(count.parse().ok()?, true)),
            ["tower", count, density] => Some(tower(count.parse().ok()?, density.parse().ok()?, 0.0)),
            ["crooked", count, offset] => Some(tower(count.parse().ok()?, 1.0, offset.parse().ok()?)),
            ["bounce"] => Some(bounce()),
            ["shot", speed] => Some(shot(speed.parse().ok()?)),
            ["shot", speed, "unlimited"] => Some(Scene { is_unlimited: true, ..shot(speed.parse().ok()?) }),
            _ => None,
        }
    }

    /// The number of moving bodies.
    pub fn moving(&self) -> usize {
        self.bodies.iter().filter(|body| body.density > 0.0).count()
    }

    /// A hash of the positions, bit by bit.
    pub fn hash(bodies: &[Moving]) -> u64 {
        bodies.iter().flat_map(Moving::numbers).fold(0xcbf2_9ce4_8422_2325, |hash, number| {
            (hash ^ u64::from(number.to_bits())).wrapping_mul(0x0000_0100_0000_01b3).rotate_left(23)
        })
    }
}

impl Moving {
    /// All its numbers, flattened.
    pub fn numbers(&self) -> impl Iterator<Item = f32> + use<> {
        self.position.into_iter().chain(self.velocity).chain(self.orientation)
    }

    /// Bodies from their flattened numbers.
    pub fn of_numbers(numbers: &[f32]) -> Vec<Moving> {
        let bodies = numbers.as_chunks().0.iter();
        bodies
            .map(|[x, y, z, vx, vy, vz, i, j, k, w]| Moving {
                position: [*x, *y, *z],
                velocity: [*vx, *vy, *vz],
                orientation: [*i, *j, *k, *w],
            })
            .collect()
    }
}

/// Balls and cubes in turn, on a grid in a closed box: a pile with gravity, a gas without.
fn crowd(count: u32, is_gas: bool) -> Scene {
    let across = if count > 1000 { 16 } else { 10 };
    let layers = count.div_ceil(across * across);
    let half = 0.6 * across.max(layers) as f32 + 0.6;
    let (restitution, friction, speed) = if is_gas { (1.0, 0.0, 5.0) } else { (0.3, 0.5, 1.0) };
    let mut bodies: Vec<Placed> = walls(half)
        .map(|(position, half)| fixed(half, position))
        .map(|body| Placed { restitution, friction, ..body })
        .collect();
    let mut seed = 1;
    for index in 0..count {
        let cell = [index % across, index / across % across, index / (across * across)];
        let [x, y, z] = cell.map(|at| (at as f32 + 0.5) * 1.2);
        let middle = 0.6 * across as f32;
        bodies.push(Placed {
            form: if index % 2 == 0 { Form::Ball(0.45) } else { Form::Cuboid([0.4; 3]) },
            density: 1.0,
            position: [x - middle, y - middle, z - half],
            velocity: [(); 3].map(|()| draw(&mut seed) * speed),
            restitution,
            friction,
        });
    }
    Scene { gravity: if is_gas { 0.0 } else { GRAVITY }, bodies, is_fast: false, is_unlimited: false }
}

/// Six walls around a cube of this half extent, each twice as large: positions and half extents.
fn walls(half: f32) -> impl Iterator<Item = ([f32; 3], [f32; 3])> {
    (0..3).flat_map(|axis| [(axis, -1.0), (axis, 1.0)]).map(move |(axis, side)| {
        let (mut position, mut size) = ([0.0; 3], [half * 2.0; 3]);
        (position[axis], size[axis]) = (side * half * 2.0, half);
        (position, size)
    })
}

fn tower(count: u32, density_of_top: f32, offset: f32) -> Scene {
    let mut seed = 40;
    let mut aside = || draw(&mut seed) * offset;
    let mut bodies = vec![fixed([50.0, 50.0, 1.0], [0.0, 0.0, -1.0])];
    bodies.extend((0..count).map(|number| Placed {
        form: Form::Cuboid([0.5; 3]),
        density: if number + 1 == count { density_of_top } else { 1.0 },
        ..fixed([0.5; 3], [aside(), aside(), 0.5 + number as f32])
    }));
    Scene { gravity: GRAVITY, bodies, is_fast: false, is_unlimited: false }
}

fn bounce() -> Scene {
    let ground = fixed([50.0, 50.0, 1.0], [0.0, 0.0, -1.0]);
    let ball = Placed {
        form: Form::Ball(BOUNCE_RADIUS),
        density: 1.0,
        ..fixed([0.0; 3], [0.0, 0.0, BOUNCE_HEIGHT + BOUNCE_RADIUS])
    };
    Scene { gravity: GRAVITY, bodies: elastic([ground, ball]), is_fast: false, is_unlimited: false }
}

fn shot(speed: f32) -> Scene {
    let wall = fixed([WALL_HALF, 5.0, 5.0], [0.0; 3]);
    let ball = Placed {
        form: Form::Ball(BALL),
        density: 1000.0,
        velocity: [speed, 0.0, 0.0],
        ..fixed([0.0; 3], [-SHOT_FROM, 0.0, 0.0])
    };
    Scene { gravity: 0.0, bodies: elastic([wall, ball]), is_fast: true, is_unlimited: false }
}

/// Bodies with restitution 1 and no friction.
fn elastic(bodies: [Placed; 2]) -> Vec<Placed> {
    bodies.map(|body| Placed { restitution: 1.0, ..body }).to_vec()
}

/// A static box.
fn fixed(half: [f32; 3], position: [f32; 3]) -> Placed {
    Placed { form: Form::Cuboid(half), density: 0.0, position, velocity: [0.0; 3], restitution: 0.0, friction: 0.5 }
}

/// A pseudo-random number from −1 to 1.
fn draw(seed: &mut u64) -> f32 {
    *seed = seed.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
    (*seed >> 40) as f32 / (1u64 << 23) as f32 - 1.0
}
