//! The copy that one writes by hand for an ECS: a list for each part, filled column by column.

use astrarium::base::{hash, plain};

use super::scene::{Mind, Motion, Transform, Vitals};

/// The parts of all objects; equal places belong to one object.
#[derive(Default)]
pub struct Columns {
    pub transforms: Vec<Transform>,
    pub motions: Vec<Motion>,
    pub vitals: Vec<Vitals>,
    pub minds: Vec<Mind>,
}

impl Columns {
    /// Forgets everything but keeps the memory.
    pub fn clear(&mut self) {
        self.transforms.clear();
        self.motions.clear();
        self.vitals.clear();
        self.minds.clear();
    }

    /// A number that stands for all of it.
    pub fn hash(&self) -> u64 {
        let columns = [
            hash::hash(plain::cast_slice(&self.transforms)),
            hash::hash(plain::cast_slice(&self.motions)),
            hash::hash(plain::cast_slice(&self.vitals)),
            hash::hash(plain::cast_slice(&self.minds)),
        ];
        hash::hash(plain::cast_slice(&columns))
    }

    /// All four parts of an object.
    pub fn row(&self, row: usize) -> (Transform, Motion, Vitals, Mind) {
        (self.transforms[row], self.motions[row], self.vitals[row], self.minds[row])
    }
}
