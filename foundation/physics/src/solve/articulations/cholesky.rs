//! Cholesky decomposition of small symmetric positive semi-definite matrices.
//!
//! Laws
//! 1. Only the lower triangle is stored, packed row by row. The diagonal of the factor is stored inverted.
//! 2. A row that is linearly dependent on the rows before it, or zero, gets a zero on the diagonal: its unknown is zero
//!    in every solution.

use base::number::sqrt;

/// The number of elements in the packed lower triangle of a matrix with this many rows.
pub const fn triangle(rows: usize) -> usize {
    rows * (rows + 1) / 2
}

/// A pivot below this part of its original diagonal element is rounding: the row is linearly dependent.
const RANK_TOLERANCE: f32 = 1.0e-6;

/// Works with a constant in place of the usual numbers of rows: loops of a constant length are unrolled, without bounds
/// checks.
macro_rules! by_rows {
    ($count:expr, $rows:ident => $work:expr) => {
        by_rows!($count, $rows => $work, 0 1 2 3 4 5 6 7 8)
    };
    ($count:expr, $rows:ident => $work:expr, $($number:literal)*) => {
        match $count {
            $($number => {
                let $rows = $number;
                $work
            })*
            $rows => $work,
        }
    };
}

/// Decomposes a matrix with this many rows, in place.
///
/// # Panics
/// If the matrix has fewer rows.
pub fn decompose(matrix: &mut [f32], rows: usize) {
    by_rows!(rows, rows => decompose_rows(&mut matrix[..triangle(rows)], rows))
}

/// Forward substitution: solves with the lower triangle. Panics like [`decompose`].
pub fn forward_substitute(factor: &[f32], values: &mut [f32]) {
    by_rows!(values.len(), rows => forward_rows(&factor[..triangle(rows)], &mut values[..rows]))
}

/// Backward substitution: solves with its transpose. Panics like [`decompose`].
pub fn backward_substitute(factor: &[f32], values: &mut [f32]) {
    by_rows!(values.len(), rows => backward_rows(&factor[..triangle(rows)], &mut values[..rows]))
}

/// The same for the six rows of a body.
#[inline(always)]
pub fn forward_substitute_six(factor: &[f32; triangle(6)], values: &mut [f32; 6]) {
    forward_rows(factor, values);
}

/// See above.
#[inline(always)]
pub fn backward_substitute_six(factor: &[f32; triangle(6)], values: &mut [f32; 6]) {
    backward_rows(factor, values);
}

#[inline(always)]
fn decompose_rows(matrix: &mut [f32], rows: usize) {
    for row in 0..rows {
        let start = triangle(row);
        for column in 0..row {
            let other = triangle(column);
            let mut sum = matrix[start + column];
            for inner in 0..column {
                sum -= matrix[start + inner] * matrix[other + inner];
            }
            matrix[start + column] = sum * matrix[other + column];
        }
        let own = matrix[start + row];
        let mut sum = own;
        for inner in 0..row {
            sum -= matrix[start + inner] * matrix[start + inner];
        }
        matrix[start + row] = if sum > own * RANK_TOLERANCE { 1.0 / sqrt(sum) } else { 0.0 };
    }
}

#[inline(always)]
fn forward_rows(factor: &[f32], values: &mut [f32]) {
    for row in 0..values.len() {
        let start = triangle(row);
        let mut sum = values[row];
        for column in 0..row {
            sum -= factor[start + column] * values[column];
        }
        values[row] = sum * factor[start + row];
    }
}

#[inline(always)]
fn backward_rows(factor: &[f32], values: &mut [f32]) {
    for row in (0..values.len()).rev() {
        let mut sum = values[row];
        for below in row + 1..values.len() {
            sum -= factor[triangle(below) + row] * values[below];
        }
        values[row] = sum * factor[triangle(row) + row];
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(matrix: [[f32; 4]; 4], answer: [f32; 4]) {
        let mut packed = [0.0; triangle(4)];
        for row in 0..4 {
            packed[triangle(row)..triangle(row) + row + 1].copy_from_slice(&matrix[row][..=row]);
        }
        decompose(&mut packed, 4);
        let mut found: [f32; 4] =
            core::array::from_fn(|row| (0..4).map(|column| matrix[row][column] * answer[column]).sum());
        forward_substitute(&packed, &mut found);
        backward_substitute(&packed, &mut found);
        for (found, answer) in found.iter().zip(answer) {
            assert!((found - answer).abs() < 1e-4, "{found} {answer}");
        }
    }

    #[test]
    fn a_decomposed_matrix_is_solved() {
        let (one, two) = ([4.0, 1.0, -2.0, 1.0], [1.0, 5.0, 1.0, -2.0]);
        check([one, two, [-2.0, 1.0, 6.0, 1.0], [1.0, -2.0, 1.0, 4.5]], [1.0, 2.0, 0.5, -1.0]);
    }

    #[test]
    fn an_unrolled_matrix_has_the_bits_of_a_long_one() {
        for rows in 1..=8 {
            let mut matrix = [0.0; triangle(12)];
            for (number, value) in matrix.iter_mut().enumerate() {
                *value = ((number * 37 + 11) % 64) as f32 / 64.0;
            }
            (0..12).for_each(|row| matrix[triangle(row) + row] += 9.0);
            let mut values: [f32; 12] = core::array::from_fn(|row| row as f32 - 3.5);
            let (mut long, mut long_values) = (matrix, values);
            decompose(&mut matrix, rows);
            decompose_rows(&mut long, core::hint::black_box(rows));
            assert_eq!(matrix.map(f32::to_bits), long.map(f32::to_bits));
            forward_substitute(&matrix, &mut values[..rows]);
            backward_substitute(&matrix, &mut values[..rows]);
            forward_rows(&long, &mut long_values[..core::hint::black_box(rows)]);
            backward_rows(&long, &mut long_values[..core::hint::black_box(rows)]);
            assert_eq!(values.map(f32::to_bits), long_values.map(f32::to_bits));
        }
    }

    #[test]
    fn dependent_rows_have_zero_unknowns() {
        let (one, none) = ([4.0, 0.0, 4.0, 0.0], [0.0; 4]);
        check([one, none, [4.0, 0.0, 4.0, 0.0], [0.0, 0.0, 0.0, 2.0]], [1.5, 0.0, 0.0, -1.0]);
    }
}
