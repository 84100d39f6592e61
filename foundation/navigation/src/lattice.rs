//! The lattice of a map: where its cells are, and their numbers.

use base::{Vec3, number};

use crate::limits::{CELLS_MAX, SIDE_MAX};

/// Why there is no lattice.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum LatticeError {
    /// A bound is not finite, or the least corner is not below the most.
    Bounds,
    /// The side of a cell is not finite or not positive.
    Cell,
    /// There are more cells than [`CELLS_MAX`], or more than [`SIDE_MAX`] along a side.
    TooMany,
}

impl core::fmt::Display for LatticeError {
    fn fmt(&self, to: &mut core::fmt::Formatter<'_>) -> core::fmt::Result {
        to.write_str(match self {
            LatticeError::Bounds => "the bounds of the map are empty or not finite",
            LatticeError::Cell => "the side of a cell must be a positive number",
            LatticeError::TooMany => "the map has more than 4194304 cells, or more than 4096 along a side",
        })
    }
}

/// Cells of one size in a box. A flat lattice has one layer of them, as high as the box.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Lattice {
    least: Vec3,
    top: f32,
    cell: f32,
    size: [u32; 3],
}

impl Lattice {
    /// One layer of cells.
    pub fn flat(least: Vec3, most: Vec3, cell: f32) -> Result<Lattice, LatticeError> {
        Lattice::new(least, most, cell, true)
    }

    /// Cells in three dimensions.
    pub fn solid(least: Vec3, most: Vec3, cell: f32) -> Result<Lattice, LatticeError> {
        Lattice::new(least, most, cell, false)
    }

    fn new(least: Vec3, most: Vec3, cell: f32, is_flat: bool) -> Result<Lattice, LatticeError> {
        let sides = most - least;
        let is_box = least.is_finite() && sides.is_finite() && sides.x > 0.0 && sides.y > 0.0 && sides.z > 0.0;
        if !is_box {
            return Err(LatticeError::Bounds);
        }
        if !(cell.is_finite() && cell > 0.0) {
            return Err(LatticeError::Cell);
        }
        let count = |side: f32| {
            let cells = number::ceil(side / cell);
            if cells <= SIDE_MAX as f32 { Ok((cells as u32).max(1)) } else { Err(LatticeError::TooMany) }
        };
        let size = [count(sides.x)?, count(sides.y)?, if is_flat { 1 } else { count(sides.z)? }];
        let cells = size.iter().try_fold(1_u32, |product, side| product.checked_mul(*side));
        if cells.is_none_or(|cells| cells > CELLS_MAX) {
            return Err(LatticeError::TooMany);
        }
        Ok(Lattice { least, top: most.z, cell, size })
    }

    /// The number of cells.
    pub fn cells(&self) -> u32 {
        self.size[0] * self.size[1] * self.size[2]
    }

    /// The number of cells along each axis.
    pub fn size(&self) -> [u32; 3] {
        self.size
    }

    /// The side of a cell.
    pub fn cell(&self) -> f32 {
        self.cell
    }

    /// The least corner of the box.
    pub fn least(&self) -> Vec3 {
        self.least
    }

    /// The height at which the box ends.
    pub fn top(&self) -> f32 {
        self.top
    }

    /// The number of the cell at a position in the lattice. Panics outside it.
    #[inline]
    pub fn number(&self, [x, y, z]: [u32; 3]) -> u32 {
        assert!(x < self.size[0] && y < self.size[1] && z < self.size[2], "a position in the lattice");
        x + self.size[0] * (y + self.size[1] * z)
    }

    /// The position of a cell in the lattice.
    #[inline]
    pub fn position(&self, cell: u32) -> [u32; 3] {
        let (row, x) = (cell / self.size[0], cell % self.size[0]);
        [x, row % self.size[1], row / self.size[1]]
    }

    /// The cell at an offset from a position, if it is in the lattice.
    #[inline]
    pub fn beside(&self, position: [u32; 3], offset: [i32; 3]) -> Option<u32> {
        let mut found = position;
        for axis in 0..3 {
            found[axis] = position[axis].checked_add_signed(offset[axis]).filter(|at| *at < self.size[axis])?;
        }
        Some(self.number(found))
    }

    /// The position of the cell that holds a place; none outside the box.
    pub fn holding(&self, place: Vec3) -> Option<[u32; 3]> {
        let nearest = self.nearest(place)?;
        let away = place - self.least;
        let is_in = |away: f32, axis: usize| away >= 0.0 && away <= self.size[axis] as f32 * self.cell;
        let is_level = self.size[2] == 1 || is_in(away.z, 2);
        (is_in(away.x, 0) && is_in(away.y, 1) && is_level).then_some(nearest)
    }

    /// The position of the cell nearest to a place; none if the place is not finite.
    pub fn nearest(&self, place: Vec3) -> Option<[u32; 3]> {
        if !place.is_finite() {
            return None;
        }
        let away = place - self.least;
        let at = |away: f32, axis: usize| {
            let cells = number::floor(away / self.cell);
            // The comparison is false for NaN, from an overflow.
            if cells > 0.0 {
                if cells < self.size[axis] as f32 { cells as u32 } else { self.size[axis] - 1 }
            } else {
                0
            }
        };
        Some([at(away.x, 0), at(away.y, 1), at(away.z, 2)])
    }

    /// The centre of a cell. In a flat lattice its height is that of the bottom of the box.
    pub fn centre(&self, cell: u32) -> Vec3 {
        let [x, y, z] = self.position(cell);
        let middle = |index: u32| (index as f32 + 0.5) * self.cell;
        let height = if self.size[2] == 1 { 0.0 } else { middle(z) };
        self.least + Vec3::new(middle(x), middle(y), height)
    }

    /// The cells along one axis that a stretch of the world touches, grown by a margin of cells: from, to (excluded). Empty for a
    /// stretch that is not a number or outside.
    pub fn touched(&self, axis: usize, low: f32, high: f32, margin: u32) -> [u32; 2] {
        let side = self.size[axis];
        let at = |value: f32| number::floor((value - self.least[axis]) / self.cell);
        let (low, high) = (at(low), at(high));
        if !(low <= high && high >= -(margin as f32) && low <= (side + margin) as f32) {
            return [0, 0];
        }
        let clamp = |value: f32| if value > 0.0 { if value < side as f32 { value as u32 } else { side } } else { 0 };
        [clamp(low).saturating_sub(margin), if high < 0.0 { margin } else { clamp(high) + 1 + margin }.min(side)]
    }
}
