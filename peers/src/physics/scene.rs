//! The scenes of the benchmark, which are those of our tests, and the measurements printed while they are played.

#[path = "../../../foundation/physics/scenes/description.rs"]
pub mod description;

pub use description::SceneDescription as Scene;
pub use description::*;

/// A body as it moves.
#[derive(Clone, Copy, Debug, Default)]
pub struct Moving {
    /// Where its middle is.
    pub position: [f32; 3],
    /// How fast it is.
    pub velocity: [f32; 3],
    /// How it is turned: x, y, z and w of a quaternion.
    pub orientation: [f32; 4],
}

/// How near two surfaces are that touch.
pub const TOUCHING: f32 = 0.005;

/// How deep bodies overlap.
#[derive(Clone, Copy, Debug, Default)]
pub struct Overlaps {
    /// How many pairs touch.
    pub touching: u32,
    /// How deep they overlap on average, in metres.
    pub mean: f64,
    /// How deep the two do that overlap most.
    pub deepest: f64,
}

/// What can be told of a scene, whoever plays it.
#[derive(Clone, Copy, Debug, Default)]
pub struct Tally {
    /// How many pairs of bodies its solver was given; some are given it before they touch.
    pub pairs: u32,
    /// All of what moves and turns, in joules.
    pub energy: f64,
    /// How high the bodies are on average, above the lowest one can be.
    pub height: f64,
}

impl Scene {
    /// The same number for the same places, to the last bit.
    pub fn hash(bodies: &[Moving]) -> u64 {
        bodies.iter().flat_map(Moving::numbers).fold(0xcbf2_9ce4_8422_2325, |hash, number| {
            (hash ^ u64::from(number.to_bits())).wrapping_mul(0x0000_0100_0000_01b3).rotate_left(23)
        })
    }
}

impl Moving {
    /// All its numbers in a row.
    pub fn numbers(&self) -> impl Iterator<Item = f32> + use<> {
        self.position.into_iter().chain(self.velocity).chain(self.orientation)
    }

    /// Bodies from all their numbers in a row.
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
