//! Hashing of results, and comparison with the golden values.

use base::bytes::ByteWriter;
use base::hash::Hasher;
use base::matrix::Mat3;
use base::number;
use base::quaternion::Quat;
use base::random::{Pcg, Random};
use base::vector::{Vec2, Vec3, Vec4};

/// The number of inputs of every function.
pub const COUNT: usize = 4_096;

/// A result whose bits can be hashed.
pub trait Record {
    fn record(self, hasher: &mut Hasher);
}

macro_rules! record_integers {
    ($($integer:ident),*) => {$(
        impl Record for $integer {
            fn record(self, hasher: &mut Hasher) {
                hasher.put(&self.to_le_bytes());
            }
        }
    )*};
}

record_integers!(u8, u32, u64, i32, i64);

impl Record for bool {
    fn record(self, hasher: &mut Hasher) {
        hasher.write_u8(u8::from(self));
    }
}

impl Record for f32 {
    fn record(self, hasher: &mut Hasher) {
        hasher.write_u32(if self.is_nan() { number::NAN.to_bits() } else { self.to_bits() });
    }
}

impl Record for f64 {
    fn record(self, hasher: &mut Hasher) {
        hasher.write_u64(if self.is_nan() { number::double::NAN.to_bits() } else { self.to_bits() });
    }
}

impl<T: Record> Record for Option<T> {
    fn record(self, hasher: &mut Hasher) {
        self.is_some().record(hasher);
        if let Some(value) = self {
            value.record(hasher);
        }
    }
}

impl<T: Record, const LENGTH: usize> Record for [T; LENGTH] {
    fn record(self, hasher: &mut Hasher) {
        self.into_iter().for_each(|value| value.record(hasher));
    }
}

impl<T: Record> Record for Vec<T> {
    fn record(self, hasher: &mut Hasher) {
        self.into_iter().for_each(|value| value.record(hasher));
    }
}

impl<A: Record, B: Record> Record for (A, B) {
    fn record(self, hasher: &mut Hasher) {
        self.0.record(hasher);
        self.1.record(hasher);
    }
}

macro_rules! record_structs {
    ($($name:ident { $($field:ident),* })*) => {$(
        impl Record for $name {
            fn record(self, hasher: &mut Hasher) {
                $( self.$field.record(hasher); )*
            }
        }
    )*};
}

record_structs! {
    Vec2 { x, y }
    Vec3 { x, y, z }
    Vec4 { x, y, z, w }
    Quat { x, y, z, w }
    Mat3 { columns }
}

/// The hashes found, by name.
#[derive(Default)]
pub struct Found {
    hashes: Vec<(&'static str, u64)>,
}

impl Found {
    /// Runs a function with its own stream of inputs and hashes its results.
    pub fn run<T: Record>(&mut self, name: &'static str, function: impl Fn(&mut Pcg) -> T) {
        // A separate stream per name, so that a new function does not change the others.
        let mut inputs = Pcg::new(2026, base::hash::hash(name.as_bytes()));
        let mut hasher = Hasher::new();
        for _ in 0..COUNT {
            function(&mut inputs).record(&mut hasher);
        }
        self.hashes.push((name, hasher.finish()));
    }

    /// Compares with the hashes of the first machine; prints the whole table if one differs.
    pub fn compare(self, expected: &[(&str, u64)]) {
        let different: Vec<&str> = self
            .hashes
            .iter()
            .filter(|(name, hash)| !expected.contains(&(*name, *hash)))
            .map(|(name, _)| *name)
            .collect();
        let table: String = self.hashes.iter().map(|(name, hash)| format!("    ({name:?}, {hash:#018x}),\n")).collect();
        assert!(
            different.is_empty() && self.hashes.len() == expected.len(),
            "not as on the first machine: {different:?}. Found:\n{table}"
        );
    }
}

/// A float: sometimes arbitrary bits, mostly of a magnitude common in worlds.
pub fn float(inputs: &mut Pcg) -> f32 {
    match inputs.below(8) {
        0 => f32::from_bits(inputs.next_u32()),
        1 => [0.0, -0.0, 1.0, -1.0, 0.5, f32::MIN_POSITIVE, f32::INFINITY, f32::NAN][inputs.below(8) as usize],
        2 | 3 => inputs.between(-1.0, 1.0),
        4 | 5 => inputs.between(-10.0, 10.0),
        _ => inputs.between(-10_000.0, 10_000.0),
    }
}

/// The same for doubles.
pub fn double(inputs: &mut Pcg) -> f64 {
    match inputs.below(4) {
        0 => f64::from_bits(inputs.next_u64()),
        1 => f64::from(float(inputs)),
        2 => inputs.unit_f64() * 2.0 - 1.0,
        _ => (inputs.unit_f64() - 0.5) * 1_000.0,
    }
}

/// A vector: mostly an ordinary one.
pub fn vector(inputs: &mut Pcg) -> Vec3 {
    match inputs.below(8) {
        0 => Vec3::new(float(inputs), float(inputs), float(inputs)),
        1 => [Vec3::ZERO, Vec3::X, -Vec3::Y, Vec3::Z][inputs.below(4) as usize],
        2 | 3 => inputs.on_sphere(),
        _ => inputs.in_sphere() * 100.0,
    }
}

/// A rotation: mostly of length one.
pub fn rotation(inputs: &mut Pcg) -> Quat {
    match inputs.below(8) {
        0 => Quat::from_vector(vector(inputs).with_w(float(inputs))),
        1 => Quat::from_parts(inputs.on_sphere(), 0.0),
        _ => Quat::from_rotation_vector(inputs.in_sphere() * 6.0),
    }
}
