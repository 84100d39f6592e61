//! Values of keys as three 16-bit numbers.
//!
//! A rotation is stored as the three smallest components of its quaternion, 15 bits each, and the index of the largest in
//! the highest bits of the first two: 47 bits.

use base::number::{abs, clamp, max, round, sqrt};
use base::{Quat, Vec3};
use view::classes::animation::ChannelTarget;

use super::curve::Sample;

/// The largest value of a component that is not the largest: 1/√2.
const COMPONENT_MAX: f32 = std::f32::consts::FRAC_1_SQRT_2;
const STEPS: f32 = 32767.0;

/// How the values of a channel are quantised.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Range {
    /// What it moves.
    pub target: ChannelTarget,
    /// The value of the number 0.
    pub min: Vec3,
    /// What is added to it for 65,535.
    pub size: Vec3,
}

impl Range {
    /// The range of some samples.
    pub(super) fn of(target: ChannelTarget, samples: &[Sample]) -> Range {
        let mut values = samples.iter().map(|sample| vector(sample.value));
        let first = values.next().unwrap_or_default();
        let (min, most) = values.fold((first, first), |(min, most), value| (min.min(value), most.max(value)));
        Range { target, min, size: most - min }
    }

    /// The numbers of a value.
    #[must_use]
    pub fn encode(&self, value: [f32; 4]) -> [u16; 3] {
        if self.target == ChannelTarget::Rotation {
            return encode_rotation(Quat::new(value[0], value[1], value[2], value[3]));
        }
        [0, 1, 2].map(|axis| {
            let part = if self.size[axis] > 0.0 { (value[axis] - self.min[axis]) / self.size[axis] } else { 0.0 };
            round(clamp(part, 0.0, 1.0) * 65535.0) as u16
        })
    }

    /// The value of some numbers.
    #[must_use]
    pub fn decode(&self, numbers: [u16; 3]) -> [f32; 4] {
        if self.target == ChannelTarget::Rotation {
            return decode_rotation(numbers).to_vector().to_array();
        }
        let [x, y, z] = [0, 1, 2].map(|axis| self.min[axis] + self.size[axis] * (f32::from(numbers[axis]) / 65535.0));
        [x, y, z, 0.0]
    }
}

/// A unit quaternion in 47 bits.
#[must_use]
pub fn encode_rotation(rotation: Quat) -> [u16; 3] {
    let parts = rotation.to_vector().to_array();
    let largest = (1..4).fold(0, |best, at| if abs(parts[at]) > abs(parts[best]) { at } else { best });
    let sign = if parts[largest] < 0.0 { -1.0 } else { 1.0 };
    let mut numbers = [0_u16; 3];
    let others = (0..4).filter(|at| *at != largest);
    for (number, at) in numbers.iter_mut().zip(others) {
        let part = clamp(parts[at] * sign / COMPONENT_MAX, -1.0, 1.0);
        *number = round((part * 0.5 + 0.5) * STEPS) as u16;
    }
    numbers[0] |= ((largest >> 1) as u16) << 15;
    numbers[1] |= ((largest & 1) as u16) << 15;
    numbers
}

/// The rotation of 47 bits.
#[must_use]
pub fn decode_rotation(numbers: [u16; 3]) -> Quat {
    let largest = usize::from(numbers[0] >> 15) << 1 | usize::from(numbers[1] >> 15);
    let part = |number: u16| (f32::from(number & 0x7fff) / STEPS * 2.0 - 1.0) * COMPONENT_MAX;
    let small = numbers.map(part);
    let rest = small.iter().fold(1.0, |rest, part| rest - part * part);
    let mut parts = [0.0; 4];
    let mut others = small.into_iter();
    for (at, slot) in parts.iter_mut().enumerate() {
        *slot = if at == largest { sqrt(max(rest, 0.0)) } else { others.next().unwrap_or(0.0) };
    }
    Quat::new(parts[0], parts[1], parts[2], parts[3]).normal()
}

/// The first three numbers.
pub(super) fn vector(value: [f32; 4]) -> Vec3 {
    Vec3::new(value[0], value[1], value[2])
}

#[cfg(test)]
mod tests {
    use super::*;
    use base::{Pcg, Random};

    #[test]
    fn rotations_survive_47_bits() {
        let mut random = Pcg::new(5, 1);
        let mut worst = 0.0_f32;
        for _ in 0..10_000 {
            let rotation = Quat::from_axis_angle(random.on_sphere(), random.between(-3.0, 3.0));
            worst = max(worst, rotation.angle_to(decode_rotation(encode_rotation(rotation))));
        }
        println!("largest error of a quantised rotation: {worst} rad");
        assert!(worst < 1.5e-4, "{worst}");
    }
}
