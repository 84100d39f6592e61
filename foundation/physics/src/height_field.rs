//! A height field: heights over a regular grid, as ground.
//!
//! The grid lies in the xy plane and starts at the origin; heights are along z. Each cell is two triangles, split along the
//! diagonal from its minimum to its maximum corner, and may be a hole. Triangles are generated on demand: only heights are
//! stored, and a BVH over blocks of 8×8 cells.
//!
//! Laws
//! 1. A triangle's index is twice that of its cell, plus one for the triangle on the y side. Cells are counted along x first.
//! 2. Neighbours share vertices to the last bit, so that neither bodies nor rays pass between them.
//! 3. All heights and lengths are finite and within the limits; anything else is refused at construction.

use alloc::vec;
use alloc::vec::Vec;
use core::fmt;

use base::{Vec2, Vec3, number};

use crate::aabb::{Aabb, SweptAabb};
use crate::bvh::Bvh;
use crate::limits::{HEIGHT_FIELD_SIDE_MAX, SIZE_MAX};
use crate::surface::{EdgeKind, Surface, SurfaceTriangle};

#[cfg(test)]
mod tests;

/// Heights over a grid, with a BVH over blocks of cells.
#[derive(Clone, Debug)]
pub struct HeightField {
    columns: u32,
    rows: u32,
    spacing: Vec2,
    heights: Vec<f32>,
    /// One bit per cell; empty if there are no holes.
    holes: Vec<u64>,
    bvh: Bvh,
}

/// Why a height field was refused.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum HeightFieldError {
    /// A side has fewer than two samples or more than [`HEIGHT_FIELD_SIDE_MAX`].
    Side,
    /// The spacing is not a positive number, or the field extends beyond [`SIZE_MAX`].
    Spacing,
    /// The number of heights is not a multiple of the number of columns.
    Heights,
    /// This height is not finite or exceeds [`SIZE_MAX`].
    Height(u32),
}

/// A cell of the grid, or the sample at its minimum corner.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Cell {
    column: u32,
    row: u32,
}

/// Cells per side of a BVH block.
const BLOCK_CELLS: u32 = 8;
/// Smaller spacings are refused: triangle areas would underflow.
const SPACING_MIN: f32 = 1e-6;

impl HeightField {
    /// From samples in rows: `columns` heights along x per row, `spacing` apart. `is_hole` is called with the column and row of
    /// each cell.
    pub fn new(
        columns: usize,
        heights: &[f32],
        spacing: Vec2,
        is_hole: impl Fn(u32, u32) -> bool,
    ) -> Result<HeightField, HeightFieldError> {
        let rows = heights.len().checked_div(columns).unwrap_or(0);
        if !(2..=HEIGHT_FIELD_SIDE_MAX).contains(&columns) || !(2..=HEIGHT_FIELD_SIDE_MAX).contains(&rows) {
            return Err(HeightFieldError::Side);
        }
        if columns * rows != heights.len() {
            return Err(HeightFieldError::Heights);
        }
        let is_sound = |spacing: f32, count: usize| spacing >= SPACING_MIN && spacing * count as f32 <= SIZE_MAX;
        if !is_sound(spacing.x, columns) || !is_sound(spacing.y, rows) {
            return Err(HeightFieldError::Spacing);
        }
        let is_sound = |height: f32| height.is_finite() && number::abs(height) <= SIZE_MAX;
        if let Some(bad) = heights.iter().position(|&height| !is_sound(height)) {
            return Err(HeightFieldError::Height(bad as u32));
        }
        let heights = heights.iter().map(|&height| number::canonical(height)).collect();
        let (columns, rows) = (columns as u32, rows as u32);
        let mut field = HeightField { columns, rows, spacing, heights, holes: Vec::new(), bvh: Bvh::default() };
        field.holes = field.hole_bits(is_hole);
        field.bvh = Bvh::new(&field.block_aabbs());
        Ok(field)
    }

    /// The numbers of samples along x and along y.
    pub fn sides(&self) -> [u32; 2] {
        [self.columns, self.rows]
    }

    /// The distances between samples along x and along y.
    pub fn spacing(&self) -> Vec2 {
        self.spacing
    }

    /// The height of the surface over a point of the xy plane; none outside the grid and over holes.
    pub fn height_at(&self, x: f32, y: f32) -> Option<f32> {
        let (along_x, along_y) = (x / self.spacing.x, y / self.spacing.y);
        let is_inside = along_x >= 0.0 && along_y >= 0.0;
        if !is_inside || along_x > (self.columns - 1) as f32 || along_y > (self.rows - 1) as f32 {
            return None;
        }
        let cell = Cell { column: (along_x as u32).min(self.columns - 2), row: (along_y as u32).min(self.rows - 2) };
        if self.is_hole_cell(cell) {
            return None;
        }
        let (fraction_x, fraction_y) = (along_x - cell.column as f32, along_y - cell.row as f32);
        let [low, x_side, y_side, high] = self.corner_heights(cell);
        let rise = |part_first: f32, side_height: f32, part_second: f32| {
            low + (side_height - low) * part_first + (high - side_height) * part_second
        };
        Some(if fraction_x >= fraction_y {
            rise(fraction_x, x_side, fraction_y)
        } else {
            rise(fraction_y, y_side, fraction_x)
        })
    }

    /// A sample, by column and row.
    ///
    /// # Panics
    /// If there is none.
    pub fn sample(&self, column: u32, row: u32) -> Vec3 {
        let is_inside = column < self.columns && row < self.rows;
        assert!(is_inside, "sample {column}, {row} of a height field of {} by {}", self.columns, self.rows);
        self.vertex(column, row, self.heights[(row * self.columns + column) as usize])
    }

    /// Whether a cell is a hole, by column and row.
    #[inline]
    pub fn is_hole(&self, column: u32, row: u32) -> bool {
        self.is_hole_cell(Cell { column, row })
    }

    #[inline]
    fn is_hole_cell(&self, cell: Cell) -> bool {
        let is_inside = cell.column + 1 < self.columns && cell.row + 1 < self.rows;
        debug_assert!(is_inside, "cell {cell:?} of a height field of {} by {} samples", self.columns, self.rows);
        let number = cell.row * (self.columns - 1) + cell.column;
        self.holes.get(number as usize / 64).is_some_and(|word| word >> (number % 64) & 1 != 0)
    }

    fn hole_bits(&self, is_hole: impl Fn(u32, u32) -> bool) -> Vec<u64> {
        let (per_row, count) = (self.columns - 1, (self.columns - 1) * (self.rows - 1));
        let mut bits = vec![0u64; (count as usize).div_ceil(64)];
        for cell in (0..count).filter(|cell| is_hole(cell % per_row, cell / per_row)) {
            bits[cell as usize / 64] |= 1 << (cell % 64);
        }
        if bits.iter().any(|&word| word != 0) { bits } else { Vec::new() }
    }

    fn block_aabbs(&self) -> Vec<Aabb> {
        let per_row = self.blocks_per_row();
        let count = per_row * (self.rows - 1).div_ceil(BLOCK_CELLS);
        (0..count)
            .map(|block| {
                self.cells_of(block).fold(Aabb::EMPTY, |aabb, cell| match self.is_hole_cell(cell) {
                    true => aabb,
                    false => aabb.union(&self.cell_aabb(cell)),
                })
            })
            .collect()
    }

    fn blocks_per_row(&self) -> u32 {
        (self.columns - 1).div_ceil(BLOCK_CELLS)
    }

    /// The cells of a block, row by row.
    #[inline]
    fn cells_of(&self, block: u32) -> impl Iterator<Item = Cell> + use<> {
        let (column, row) = (block % self.blocks_per_row() * BLOCK_CELLS, block / self.blocks_per_row() * BLOCK_CELLS);
        let columns = column..(column + BLOCK_CELLS).min(self.columns - 1);
        let rows = row..(row + BLOCK_CELLS).min(self.rows - 1);
        rows.flat_map(move |row| columns.clone().map(move |column| Cell { column, row }))
    }

    /// Heights at the minimum corner, at the next along x, at the next along y, and at the maximum corner.
    #[inline]
    fn corner_heights(&self, Cell { column, row }: Cell) -> [f32; 4] {
        let low = (row * self.columns + column) as usize;
        let high = low + self.columns as usize;
        [self.heights[low], self.heights[low + 1], self.heights[high], self.heights[high + 1]]
    }

    #[inline]
    fn cell_aabb(&self, cell: Cell) -> Aabb {
        let heights = self.corner_heights(cell);
        let min = heights.into_iter().fold(f32::INFINITY, number::min);
        let max = heights.into_iter().fold(f32::NEG_INFINITY, number::max);
        Aabb { min: self.vertex(cell.column, cell.row, min), max: self.vertex(cell.column + 1, cell.row + 1, max) }
    }

    #[inline]
    fn vertex(&self, column: u32, row: u32, height: f32) -> Vec3 {
        Vec3::new(column as f32 * self.spacing.x, row as f32 * self.spacing.y, height)
    }

    #[inline]
    fn cell_of_triangle(&self, triangle: u32) -> Cell {
        Cell { column: triangle / 2 % (self.columns - 1), row: triangle / 2 / (self.columns - 1) }
    }

    /// The index of a cell's first triangle.
    #[inline]
    fn first_triangle(&self, cell: Cell) -> u32 {
        (cell.row * (self.columns - 1) + cell.column) * 2
    }

    /// The normal of a cell's triangle: the one on the x side, or the second, on the y side.
    #[inline]
    fn normal(&self, cell: Cell, is_second: bool) -> Vec3 {
        let [low, x_side, y_side, high] = self.corner_heights(cell);
        let (rise_x, rise_y) = if is_second { (high - y_side, y_side - low) } else { (x_side - low, high - x_side) };
        let (x, y) = (self.spacing.x, self.spacing.y);
        // Multiplied by both spacings instead of divided, so that steep ground on a fine grid does not overflow.
        Vec3::new(-rise_x * y, -rise_y * x, x * y).normal_or(Vec3::Z)
    }

    /// The normal and the unshared vertex of the triangle beyond an edge, if there is one.
    fn neighbour(&self, cell: Cell, is_second: bool, edge: usize) -> Option<(Vec3, Vec3)> {
        let own = cell;
        let Cell { column, row } = cell;
        let (column, row, other) = match (is_second, edge) {
            (false, 0) => (Some(column), row.checked_sub(1), true),
            (false, 1) => (Some(column + 1), Some(row), true),
            (true, 1) => (Some(column), Some(row + 1), false),
            (true, 2) => (column.checked_sub(1), Some(row), false),
            _ => (Some(column), Some(row), !is_second),
        };
        let column = column.filter(|&column| column + 1 < self.columns)?;
        let cell = Cell { column, row: row.filter(|&row| row + 1 < self.rows)? };
        if self.is_hole_cell(cell) {
            return None;
        }
        let vertices = self.triangle_vertices(self.first_triangle(cell) + u32::from(other));
        // Across the diagonal the apex is the vertex at the side, otherwise the opposite one.
        let apex = match (other, cell == own) {
            (false, true) => vertices[1],
            (true, true) => vertices[2],
            (true, false) => vertices[if edge == 0 { 0 } else { 1 }],
            (false, false) => vertices[if edge == 1 { 2 } else { 0 }],
        };
        Some((self.normal(cell, other), apex))
    }

    fn triangles_of_cell(&self, cell: Cell) -> [u32; 2] {
        let first = self.first_triangle(cell);
        [first, first + 1]
    }
}

impl Surface for HeightField {
    fn aabb(&self) -> Aabb {
        self.bvh.aabb()
    }

    #[inline]
    fn triangle_vertices(&self, triangle: u32) -> [Vec3; 3] {
        let cell = self.cell_of_triangle(triangle);
        let Cell { column, row } = cell;
        let [low, x_side, y_side, high] = self.corner_heights(cell);
        let (low, high) = (self.vertex(column, row, low), self.vertex(column + 1, row + 1, high));
        if triangle.is_multiple_of(2) {
            [low, self.vertex(column + 1, row, x_side), high]
        } else {
            [low, high, self.vertex(column, row + 1, y_side)]
        }
    }

    fn triangle(&self, triangle: u32) -> SurfaceTriangle {
        let (cell, is_second) = (self.cell_of_triangle(triangle), triangle % 2 == 1);
        let normal = self.normal(cell, is_second);
        let vertices = self.triangle_vertices(triangle);
        let mut triangle = SurfaceTriangle {
            vertices,
            normal,
            edges: [EdgeKind::Open; 3],
            neighbour_normals: [normal; 3],
            neighbour_apexes: vertices,
            neighbour_has_exposed_edge: [false; 3],
        };
        for edge in 0..3 {
            if let Some((neighbour_normal, apex)) = self.neighbour(cell, is_second, edge) {
                triangle.edges[edge] = EdgeKind::classify(normal, neighbour_normal, triangle.edge_normal(edge));
                (triangle.neighbour_normals[edge], triangle.neighbour_apexes[edge]) = (neighbour_normal, apex);
            }
        }
        triangle
    }

    #[inline]
    fn visit_overlapping(&self, aabb: &Aabb, mut visit: impl FnMut(u32) -> bool) -> bool {
        self.bvh.visit_overlapping(aabb, |block| {
            let overlaps = |cell: &Cell| !self.is_hole_cell(*cell) && self.cell_aabb(*cell).overlaps(aabb);
            self.cells_of(block).filter(overlaps).all(|cell| self.triangles_of_cell(cell).into_iter().all(&mut visit))
        })
    }

    #[inline]
    fn visit_swept(&self, swept: &SweptAabb, length: f32, mut visit: impl FnMut(u32, f32) -> f32) {
        let mut length = length;
        self.bvh.visit_swept(swept, length, |block, _| {
            for cell in self.cells_of(block).filter(|cell| !self.is_hole_cell(*cell)) {
                let aabb = self.cell_aabb(cell);
                for triangle in self.triangles_of_cell(cell) {
                    if length >= 0.0
                        && let Some(entry) = swept.enter(aabb.min, aabb.max, length)
                    {
                        length = visit(triangle, entry);
                    }
                }
            }
            length
        });
    }

    #[inline]
    fn visit_within(&self, aabb: &Aabb, distance: f32, mut visit: impl FnMut(u32) -> f32) {
        let mut distance = distance;
        self.bvh.visit_within(aabb, distance, |block| {
            for cell in self.cells_of(block).filter(|cell| !self.is_hole_cell(*cell)) {
                for triangle in self.triangles_of_cell(cell) {
                    let is_near = self.cell_aabb(cell).distance_squared(aabb) <= distance * distance;
                    if is_near && distance >= 0.0 {
                        distance = visit(triangle);
                    }
                }
            }
            distance
        });
    }
}

impl fmt::Display for HeightFieldError {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            HeightFieldError::Side => write!(out, "expected 2 to {HEIGHT_FIELD_SIDE_MAX} samples along each side"),
            HeightFieldError::Spacing => {
                write!(out, "expected a spacing of at least {SPACING_MIN} m and sides within {SIZE_MAX} m")
            }
            HeightFieldError::Heights => {
                write!(out, "expected a height for each sample, found an incomplete row")
            }
            HeightFieldError::Height(index) => {
                write!(out, "expected heights within {SIZE_MAX} m, found a larger or non-finite one at sample {index}")
            }
        }
    }
}

impl core::error::Error for HeightFieldError {}
