//! Random numbers of scenes, the same on every machine.

use base::{Quat, Vec3};

/// Random numbers of a scene.
pub struct Dice(pub u32);

impl Dice {
    /// From 0 to 1.
    pub fn unit(&mut self) -> f32 {
        self.0 = self.0.wrapping_mul(747_796_405).wrapping_add(2_891_336_453);
        let word = ((self.0 >> ((self.0 >> 28) + 4)) ^ self.0).wrapping_mul(277_803_737);
        ((word >> 22) ^ word) as f32 / 4_294_967_296.0
    }

    /// Between two numbers.
    pub fn between(&mut self, low: f32, high: f32) -> f32 {
        low + (high - low) * self.unit()
    }

    /// In a box of half this size.
    pub fn within(&mut self, reach: Vec3) -> Vec3 {
        Vec3::new(self.between(-reach.x, reach.x), self.between(-reach.y, reach.y), self.between(-reach.z, reach.z))
    }

    /// Any rotation.
    pub fn turn(&mut self) -> Quat {
        let axis = self.within(Vec3::ONE).normal_or(Vec3::Z);
        Quat::from_axis_angle(axis, self.between(-3.0, 3.0))
    }
}
