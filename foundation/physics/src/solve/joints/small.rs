//! Small symmetric matrices, taken apart into a triangle and its mirror image, with which they are turned round.
//!
//! Laws
//! 1. Only what lies on and below the diagonal is kept, row by row. On the diagonal of the factor is one over it.
//! 2. A row that says what the rows before it say already (or nothing) is *dead*: its part of every answer is zero.

use base::number::sqrt;

/// How many numbers a triangle of so many rows has.
pub const fn triangle(rows: usize) -> usize {
    rows * (rows + 1) / 2
}

/// Below this part of what it was, what is left of a row on the diagonal is rounding.
const DEAD: f32 = 1.0e-6;

/// Takes a matrix of so many rows apart, in place.
#[inline]
pub fn factor(matrix: &mut [f32], rows: usize) {
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
        matrix[start + row] = if sum > own * DEAD { 1.0 / sqrt(sum) } else { 0.0 };
    }
}

/// The first half of turning round: through the triangle.
#[inline]
pub fn forward(factor: &[f32], values: &mut [f32]) {
    for row in 0..values.len() {
        let start = triangle(row);
        let mut sum = values[row];
        for column in 0..row {
            sum -= factor[start + column] * values[column];
        }
        values[row] = sum * factor[start + row];
    }
}

/// The second half: through its mirror image.
#[inline]
pub fn backward(factor: &[f32], values: &mut [f32]) {
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
        factor(&mut packed, 4);
        let mut found: [f32; 4] =
            core::array::from_fn(|row| (0..4).map(|column| matrix[row][column] * answer[column]).sum());
        forward(&packed, &mut found);
        backward(&packed, &mut found);
        for (found, answer) in found.iter().zip(answer) {
            assert!((found - answer).abs() < 1e-4, "{found} {answer}");
        }
    }

    #[test]
    fn what_was_taken_apart_is_turned_round() {
        let (one, two) = ([4.0, 1.0, -2.0, 1.0], [1.0, 5.0, 1.0, -2.0]);
        check([one, two, [-2.0, 1.0, 6.0, 1.0], [1.0, -2.0, 1.0, 4.5]], [1.0, 2.0, 0.5, -1.0]);
    }

    #[test]
    fn rows_that_say_nothing_new_are_dead() {
        let (one, none) = ([4.0, 0.0, 4.0, 0.0], [0.0; 4]);
        check([one, none, [4.0, 0.0, 4.0, 0.0], [0.0, 0.0, 0.0, 2.0]], [1.5, 0.0, 0.0, -1.0]);
    }
}
