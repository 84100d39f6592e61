//! Heights over a grid: ground.
//!
//! The grid lies in the plane of x and y and starts at the origin; heights go along z. Each cell is two triangles, cut from its least to
//! its greatest corner, and may be a hole. Triangles are made when they are asked for: only heights are kept.
//!
//! Laws
//! 1. A triangle's number is twice that of its cell, plus one for the one on the side of y. Cells are counted along x first.
//! 2. Neighbours share corners to the last bit, so nothing falls or looks through between them.
//! 3. All heights and lengths are finite and within the limits; everything else is refused when the field is made.

use alloc::vec;
use alloc::vec::Vec;
use core::fmt;

use base::{Vec2, Vec3, number};

use crate::bounds::{Bounds, Line};
use crate::facet::{Edge, Facet, Surface};
use crate::limits::{FIELD_SIDE_MAX, SIZE_MOST};
use crate::tree::Tree;

#[cfg(test)]
mod tests;

/// Heights over a grid, with a tree over blocks of cells.
#[derive(Clone, Debug)]
pub struct Field {
    columns: u32,
    rows: u32,
    spacing: Vec2,
    heights: Vec<f32>,
    /// One bit per cell; nothing if there are no holes.
    holes: Vec<u64>,
    tree: Tree,
}

/// Why there is no field.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum FieldError {
    /// A side has fewer than two samples or more than [`FIELD_SIDE_MAX`].
    Side,
    /// The distance between samples is no number above zero, or so large that the field reaches farther than [`SIZE_MOST`].
    Spacing,
    /// There are not as many heights as samples.
    Heights,
    /// This height is no number, or higher than [`SIZE_MOST`].
    Height(u32),
}

/// The two samples at one side of a cell, or a cell: column and row.
type Place = (u32, u32);

/// How many cells a block has along a side.
const BLOCK: u32 = 8;
/// Distances between samples below this are refused: areas would vanish.
const SPACING_LEAST: f32 = 1e-6;

impl Field {
    /// From samples, row after row: `columns` heights along x in each row, at distances of `spacing`. `is_hole` is asked for each cell
    /// by column and row.
    pub fn new(
        columns: usize,
        heights: &[f32],
        spacing: Vec2,
        is_hole: impl Fn(u32, u32) -> bool,
    ) -> Result<Field, FieldError> {
        let rows = heights.len().checked_div(columns).unwrap_or(0);
        if !(2..=FIELD_SIDE_MAX).contains(&columns) || !(2..=FIELD_SIDE_MAX).contains(&rows) {
            return Err(FieldError::Side);
        }
        if columns * rows != heights.len() {
            return Err(FieldError::Heights);
        }
        let is_sound = |spacing: f32, count: usize| spacing >= SPACING_LEAST && spacing * count as f32 <= SIZE_MOST;
        if !is_sound(spacing.x, columns) || !is_sound(spacing.y, rows) {
            return Err(FieldError::Spacing);
        }
        let is_sound = |height: f32| height.is_finite() && number::abs(height) <= SIZE_MOST;
        if let Some(bad) = heights.iter().position(|&height| !is_sound(height)) {
            return Err(FieldError::Height(bad as u32));
        }
        let heights = heights.iter().map(|&height| number::canonical(height)).collect();
        let (columns, rows) = (columns as u32, rows as u32);
        let mut field = Field { columns, rows, spacing, heights, holes: Vec::new(), tree: Tree::default() };
        field.holes = field.bits_of(is_hole);
        field.tree = Tree::new(&field.blocks());
        Ok(field)
    }

    /// How many samples there are along x and along y.
    pub fn sides(&self) -> [u32; 2] {
        [self.columns, self.rows]
    }

    /// How far the samples are apart along x and along y.
    pub fn spacing(&self) -> Vec2 {
        self.spacing
    }

    /// The height over a point of the plane, on the triangle there; none beside the field and over holes.
    pub fn height_at(&self, x: f32, y: f32) -> Option<f32> {
        let (along_x, along_y) = (x / self.spacing.x, y / self.spacing.y);
        let is_inside = along_x >= 0.0 && along_y >= 0.0;
        if !is_inside || along_x > (self.columns - 1) as f32 || along_y > (self.rows - 1) as f32 {
            return None;
        }
        let cell = ((along_x as u32).min(self.columns - 2), (along_y as u32).min(self.rows - 2));
        if self.is_hole(cell) {
            return None;
        }
        let (part_x, part_y) = (along_x - cell.0 as f32, along_y - cell.1 as f32);
        let [low, x_side, y_side, high] = self.heights_of(cell);
        let rise = |part_first: f32, middle: f32, part_second: f32| {
            low + (middle - low) * part_first + (high - middle) * part_second
        };
        Some(if part_x >= part_y { rise(part_x, x_side, part_y) } else { rise(part_y, y_side, part_x) })
    }

    /// A sample, by column and row.
    ///
    /// # Panics
    /// If there is none.
    pub fn sample(&self, (column, row): (u32, u32)) -> Vec3 {
        assert!(column < self.columns, "column {column} is one of {}", self.columns);
        self.place(column, row, self.heights[(row * self.columns + column) as usize])
    }

    /// Whether a cell is a hole, by column and row.
    #[inline]
    pub fn is_hole(&self, cell: (u32, u32)) -> bool {
        let number = cell.1 * (self.columns - 1) + cell.0;
        self.holes.get(number as usize / 64).is_some_and(|word| word >> (number % 64) & 1 != 0)
    }

    fn bits_of(&self, is_hole: impl Fn(u32, u32) -> bool) -> Vec<u64> {
        let (across, count) = (self.columns - 1, (self.columns - 1) * (self.rows - 1));
        let mut bits = vec![0u64; (count as usize).div_ceil(64)];
        for cell in (0..count).filter(|cell| is_hole(cell % across, cell / across)) {
            bits[cell as usize / 64] |= 1 << (cell % 64);
        }
        if bits.iter().any(|&word| word != 0) { bits } else { Vec::new() }
    }

    fn blocks(&self) -> Vec<Bounds> {
        let across = self.blocks_across();
        let count = across * (self.rows - 1).div_ceil(BLOCK);
        (0..count)
            .map(|block| {
                self.cells_of(block).fold(Bounds::EMPTY, |bounds, cell| match self.is_hole(cell) {
                    true => bounds,
                    false => bounds.with(&self.bounds_of(cell)),
                })
            })
            .collect()
    }

    fn blocks_across(&self) -> u32 {
        (self.columns - 1).div_ceil(BLOCK)
    }

    /// The cells of a block, in order.
    #[inline]
    fn cells_of(&self, block: u32) -> impl Iterator<Item = Place> + use<> {
        let (column, row) = (block % self.blocks_across() * BLOCK, block / self.blocks_across() * BLOCK);
        let columns = column..(column + BLOCK).min(self.columns - 1);
        let rows = row..(row + BLOCK).min(self.rows - 1);
        rows.flat_map(move |row| columns.clone().map(move |column| (column, row)))
    }

    /// At its least corner, along x from there, along y from there, and at its greatest.
    #[inline]
    fn heights_of(&self, (column, row): Place) -> [f32; 4] {
        let low = (row * self.columns + column) as usize;
        let high = low + self.columns as usize;
        [self.heights[low], self.heights[low + 1], self.heights[high], self.heights[high + 1]]
    }

    #[inline]
    fn bounds_of(&self, cell: Place) -> Bounds {
        let heights = self.heights_of(cell);
        let least = heights.into_iter().fold(f32::INFINITY, number::min);
        let most = heights.into_iter().fold(f32::NEG_INFINITY, number::max);
        Bounds { least: self.place(cell.0, cell.1, least), most: self.place(cell.0 + 1, cell.1 + 1, most) }
    }

    #[inline]
    fn place(&self, column: u32, row: u32, height: f32) -> Vec3 {
        Vec3::new(column as f32 * self.spacing.x, row as f32 * self.spacing.y, height)
    }

    #[inline]
    fn cell_of(&self, triangle: u32) -> Place {
        (triangle / 2 % (self.columns - 1), triangle / 2 / (self.columns - 1))
    }

    /// The first triangle of a cell.
    #[inline]
    fn number_of(&self, cell: Place) -> u32 {
        (cell.1 * (self.columns - 1) + cell.0) * 2
    }

    /// The normal of the triangle of a cell that lies along x (`false`) or along y (`true`) from its least corner.
    #[inline]
    fn normal(&self, cell: Place, is_second: bool) -> Vec3 {
        let [low, x_side, y_side, high] = self.heights_of(cell);
        let (rise_x, rise_y) = if is_second { (high - y_side, y_side - low) } else { (x_side - low, high - x_side) };
        let (x, y) = (self.spacing.x, self.spacing.y);
        // Multiplied out, so that nothing overflows where the ground is steep and the grid fine.
        Vec3::new(-rise_x * y, -rise_y * x, x * y).normal_or(Vec3::Z)
    }

    /// The triangle beyond an edge, if there is one: its normal and the corner that is not shared.
    fn beyond(&self, cell: Place, is_second: bool, edge: usize) -> Option<(Vec3, Vec3)> {
        let own = cell;
        let (column, row) = cell;
        let (column, row, other) = match (is_second, edge) {
            (false, 0) => (Some(column), row.checked_sub(1), true),
            (false, 1) => (Some(column + 1), Some(row), true),
            (true, 1) => (Some(column), Some(row + 1), false),
            (true, 2) => (column.checked_sub(1), Some(row), false),
            _ => (Some(column), Some(row), !is_second),
        };
        let cell = (column.filter(|&at| at + 1 < self.columns)?, row.filter(|&at| at + 1 < self.rows)?);
        if self.is_hole(cell) {
            return None;
        }
        let points = self.points(self.number_of(cell) + u32::from(other));
        // Beyond the diagonal it is the corner at the side, else the one opposite to it.
        let apex = match (other, cell == own) {
            (false, true) => points[1],
            (true, true) => points[2],
            (true, false) => points[if edge == 0 { 0 } else { 1 }],
            (false, false) => points[if edge == 1 { 2 } else { 0 }],
        };
        Some((self.normal(cell, other), apex))
    }

    /// Whether the box of a triangle is of any use: it is, with its cell's.
    fn triangles_of(&self, cell: Place) -> [u32; 2] {
        let first = self.number_of(cell);
        [first, first + 1]
    }
}

impl Surface for Field {
    fn bounds(&self) -> Bounds {
        self.tree.bounds()
    }

    #[inline]
    fn points(&self, triangle: u32) -> [Vec3; 3] {
        let cell = self.cell_of(triangle);
        let (column, row) = cell;
        let [low, x_side, y_side, high] = self.heights_of(cell);
        let (low, high) = (self.place(column, row, low), self.place(column + 1, row + 1, high));
        if triangle.is_multiple_of(2) {
            [low, self.place(column + 1, row, x_side), high]
        } else {
            [low, high, self.place(column, row + 1, y_side)]
        }
    }

    fn facet(&self, triangle: u32) -> Facet {
        let (cell, is_second) = (self.cell_of(triangle), triangle % 2 == 1);
        let normal = self.normal(cell, is_second);
        let points = self.points(triangle);
        let mut facet =
            Facet { points, normal, edges: [Edge::Open; 3], across: [normal; 3], apexes: points, rims: [false; 3] };
        for edge in 0..3 {
            if let Some((across, apex)) = self.beyond(cell, is_second, edge) {
                facet.edges[edge] = Edge::between(normal, across, facet.outward(edge));
                (facet.across[edge], facet.apexes[edge]) = (across, apex);
            }
        }
        facet
    }

    #[inline]
    fn each_in(&self, bounds: &Bounds, mut visit: impl FnMut(u32) -> bool) -> bool {
        self.tree.each_in(bounds, |block| {
            let met = |cell: &Place| !self.is_hole(*cell) && self.bounds_of(*cell).touches(bounds);
            self.cells_of(block).filter(met).all(|cell| self.triangles_of(cell).into_iter().all(&mut visit))
        })
    }

    #[inline]
    fn each_along(&self, line: &Line, length: f32, mut visit: impl FnMut(u32, f32) -> f32) {
        let mut length = length;
        self.tree.each_along(line, length, |block, _| {
            for cell in self.cells_of(block).filter(|cell| !self.is_hole(*cell)) {
                let bounds = self.bounds_of(cell);
                for triangle in self.triangles_of(cell) {
                    if length >= 0.0
                        && let Some(near) = line.enters(bounds.least, bounds.most, length)
                    {
                        length = visit(triangle, near);
                    }
                }
            }
            length
        });
    }

    #[inline]
    fn each_near(&self, bounds: &Bounds, distance: f32, mut visit: impl FnMut(u32) -> f32) {
        let mut distance = distance;
        self.tree.each_near(bounds, distance, |block| {
            for cell in self.cells_of(block).filter(|cell| !self.is_hole(*cell)) {
                for triangle in self.triangles_of(cell) {
                    let is_near = self.bounds_of(cell).distance_squared(bounds) <= distance * distance;
                    if is_near && distance >= 0.0 {
                        distance = visit(triangle);
                    }
                }
            }
            distance
        });
    }
}

impl fmt::Display for FieldError {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            FieldError::Side => {
                write!(out, "expected from 2 to {FIELD_SIDE_MAX} samples along each side, found another number")
            }
            FieldError::Spacing => {
                write!(out, "expected a distance between samples, found one that is none or too large")
            }
            FieldError::Heights => write!(out, "expected a height for each sample, found a row that is not complete"),
            FieldError::Height(index) => {
                write!(out, "expected heights within {SIZE_MOST} m, found another at sample {index}")
            }
        }
    }
}

impl core::error::Error for FieldError {}
