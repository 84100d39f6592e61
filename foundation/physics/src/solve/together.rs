//! Four points that bear together: what a blow at one does at the others is a symmetric matrix, taken apart once into factors
//! with which it is then turned round cheaply.

use crate::lanes::Wide;
use crate::limits::POINTS_MAX;

/// How many factors there are: one for each of the diagonal, and one for each below it.
pub const FACTORS: usize = POINTS_MAX * (POINTS_MAX + 1) / 2;

/// Four points in one plane are one too many to be told apart. So much is added to the diagonal, as a part of it, that the load is
/// shared out evenly among them.
const EVENLY: f32 = 1.0e-3;

/// Takes the matrix apart. What is on the diagonal is kept as one over it; a row of zeros stays without effect.
pub fn factors(matrix: impl Fn(usize, usize) -> Wide) -> [Wide; FACTORS] {
    let mut factors = [Wide::ZERO; FACTORS];
    let mut diagonal = [Wide::ZERO; POINTS_MAX];
    for row in 0..POINTS_MAX {
        for column in 0..row {
            let mut sum = matrix(row, column);
            for inner in 0..column {
                sum = sum - factors[place(row, inner)] * factors[place(column, inner)] * diagonal[inner];
            }
            factors[place(row, column)] = sum * factors[place(column, column)];
        }
        let own = matrix(row, row);
        let mut sum = own + own * Wide::splat(EVENLY);
        for inner in 0..row {
            let factor = factors[place(row, inner)];
            sum = sum - factor * factor * diagonal[inner];
        }
        diagonal[row] = sum;
        factors[place(row, row)] = sum.inverse();
    }
    factors
}

/// Which blows together give these speeds.
#[inline(always)]
pub fn solve<const POINTS: usize, const COUNT: usize>(
    factors: &[Wide; COUNT],
    speeds: &[Wide; POINTS],
) -> [Wide; POINTS] {
    let mut blows = *speeds;
    for row in 0..POINTS {
        for column in 0..row {
            blows[row] = blows[row] - factors[place(row, column)] * blows[column];
        }
    }
    for row in 0..POINTS {
        blows[row] = blows[row] * factors[place(row, row)];
    }
    for row in (0..POINTS).rev() {
        for below in row + 1..POINTS {
            blows[row] = blows[row] - factors[place(below, row)] * blows[below];
        }
    }
    blows
}

#[inline(always)]
fn place(row: usize, column: usize) -> usize {
    row * (row + 1) / 2 + column
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_was_taken_apart_is_turned_round() {
        let matrix = [[4.0, 1.0, -2.0, 1.0], [1.0, 5.0, 1.0, -2.0], [-2.0, 1.0, 6.0, 1.0], [1.0, -2.0, 1.0, 4.5_f32]];
        let factors = factors(|row, column| Wide::splat(matrix[row][column]));
        let blows = [1.0, 2.0, 0.5, -1.0_f32];
        let speed = |row: usize| {
            let sum: f32 = (0..4).map(|column| matrix[row][column] * blows[column]).sum();
            Wide::splat(sum + matrix[row][row] * EVENLY * blows[row])
        };
        let found = solve(&factors, &[speed(0), speed(1), speed(2), speed(3)]);
        for (found, expected) in found.iter().zip(blows) {
            assert!((found.0[2] - expected).abs() < 1e-4, "{found:?} {expected}");
        }
    }
}
