//! A hand-written copy for an ECS: a list for each component, filled column by column.

use astrarium::base::{hash, plain};

use super::scene::{Mind, Motion, Transform, Vitals};

/// The components of all objects; equal indices belong to one object.
#[derive(Default)]
pub struct Columns {
    pub transforms: Vec<Transform>,
    pub motions: Vec<Motion>,
    pub vitals: Vec<Vitals>,
    pub minds: Vec<Mind>,
}

impl Columns {
    /// Clears all lists but keeps their memory.
    pub fn clear(&mut self) {
        self.transforms.clear();
        self.motions.clear();
        self.vitals.clear();
        self.minds.clear();
    }

    /// A hash of all columns.
    pub fn hash(&self) -> u64 {
        let columns = [
            hash::hash(plain::cast_slice(&self.transforms)),
            hash::hash(plain::cast_slice(&self.motions)),
            hash::hash(plain::cast_slice(&self.vitals)),
            hash::hash(plain::cast_slice(&self.minds)),
        ];
        hash::hash(plain::cast_slice(&columns))
    }

    /// All four components of an object.
    pub fn row(&self, row: usize) -> (Transform, Motion, Vitals, Mind) {
        (self.transforms[row], self.motions[row], self.vitals[row], self.minds[row])
    }
}
