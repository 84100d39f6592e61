//! The block solver of a manifold: the normal constraints of up to four points form a small linear complementarity problem (LCP)
//! with a symmetric matrix, the inverse effective mass of the block. It is factored once per step (LDLᵀ). If no solution of the
//! linear system pulls, it is the solution of the LCP; otherwise projected Jacobi iterations or, for impacts, an active-set method
//! with projected Gauss-Seidel iterations follow.
//!
//! Laws
//! 1. Up to rounding, impulses do not depend on the order of the points.
//! 2. A missing point (a row of zeros) has no effect.

use crate::lanes::{Wide, each};
use crate::limits::POINTS_MAX;

/// The entries of a packed lower triangle.
pub const FACTORS: usize = POINTS_MAX * (POINTS_MAX + 1) / 2;

/// Four points in a plane make the matrix singular. This fraction is added to the diagonal, which also shares the load evenly.
const REGULARIZATION: f32 = 1.0e-3;

/// Iterations that reactivate points which were released too early.
const GAUSS_SEIDEL_ITERATIONS: u32 = 4;

/// The relaxation factor: two coincident points would make the plain Jacobi iteration diverge.
const JACOBI_RELAXATION: f32 = 0.6;
/// The iteration diverges where the relaxation factor times the sum of a row exceeds two of its diagonal, as for four points on a
/// body that can only turn about a hinge. Beyond this many the sum of the row is the step.
const JACOBI_STEP_MAX: f32 = 1.8;
/// Jacobi iterations.
const JACOBI_ITERATIONS: u32 = 4;

/// The factors of the regularized matrix. The diagonal is stored as its reciprocal.
#[inline(always)]
pub fn factorize<const POINTS: usize, const COUNT: usize>(matrix: impl Fn(usize, usize) -> Wide) -> [Wide; COUNT] {
    if POINTS == 1 {
        return [matrix(0, 0).inverse(); COUNT];
    }
    factorize_ldlt::<POINTS, COUNT>(|row, column| {
        let entry = matrix(row, column);
        if row == column { entry + entry * Wide::splat(REGULARIZATION) } else { entry }
    })
}

/// Solves the linear system: the impulses that cause these velocity changes.
#[inline(always)]
pub fn solve<const POINTS: usize, const COUNT: usize>(
    factors: &[Wide; COUNT],
    speeds: &[Wide; POINTS],
) -> [Wide; POINTS] {
    let mut impulses = *speeds;
    for row in 0..POINTS {
        for column in 0..row {
            impulses[row] = impulses[row] - factors[entry_index(row, column)] * impulses[column];
        }
    }
    for row in 0..POINTS {
        impulses[row] = impulses[row] * factors[entry_index(row, row)];
    }
    for row in (0..POINTS).rev() {
        for below in row + 1..POINTS {
            impulses[row] = impulses[row] - factors[entry_index(below, row)] * impulses[below];
        }
    }
    impulses
}

/// Solves the LCP directly by an active set: the accumulated impulses after the change, none negative. Points with a negative impulse
/// leave the set, and the rest is solved again.
#[inline(never)]
pub fn solve_direct<const POINTS: usize, const COUNT: usize>(
    factors: &[Wide; COUNT],
    speeds: &[Wide; POINTS],
    previous: &[Wide; POINTS],
    mut active: [Wide; POINTS],
) -> [Wide; POINTS] {
    let one = Wide::splat(1.0);
    let matrix = reconstruct::<POINTS, COUNT>(factors);
    let entry = |row: usize, column: usize| matrix[entry_index(row.max(column), row.min(column))];
    let mut found = [Wide::ZERO; POINTS];
    for _ in 1..POINTS {
        let wanted: [Wide; POINTS] = each(Wide::ZERO, |row| {
            let mut sum = speeds[row];
            for column in 0..POINTS {
                sum = sum - entry(row, column) * (previous[column] * (one - active[column]));
            }
            sum * active[row]
        });
        let parts = factorize_ldlt::<POINTS, COUNT>(|row, column| entry(row, column) * (active[row] * active[column]));
        let impulses = solve(&parts, &wanted);
        for index in 0..POINTS {
            found[index] = (previous[index] - impulses[index]) * active[index];
            active[index] = (-found[index]).if_positive(Wide::ZERO, active[index]);
        }
    }
    // Projected Gauss-Seidel: points that left the set too early come back. A solution is a fixed point.
    for _ in 0..GAUSS_SEIDEL_ITERATIONS {
        for index in 0..POINTS {
            let mut speed = speeds[index];
            for other in 0..POINTS {
                speed = speed + entry(index, other) * (found[other] - previous[other]);
            }
            found[index] = (found[index] - speed * entry(index, index).inverse()).max(Wide::ZERO);
        }
    }
    found
}

/// Solves the LCP approximately by projected Jacobi iterations. The result stays near the previous impulses, so resting contacts do
/// not jitter.
#[inline(always)]
pub fn solve_projected_jacobi<const POINTS: usize, const COUNT: usize>(
    factors: &[Wide; COUNT],
    speeds: &[Wide; POINTS],
    previous: &[Wide; POINTS],
) -> [Wide; POINTS] {
    let matrix = reconstruct::<POINTS, COUNT>(factors);
    let entry = |row: usize, column: usize| matrix[entry_index(row.max(column), row.min(column))];
    let steps: [Wide; POINTS] = each(Wide::ZERO, |index| {
        let row = (0..POINTS).fold(Wide::ZERO, |sum, other| sum + entry(index, other).max(-entry(index, other)));
        let excess = row * Wide::splat(JACOBI_RELAXATION) - entry(index, index) * Wide::splat(JACOBI_STEP_MAX);
        excess.if_positive(row.inverse(), entry(index, index).inverse() * Wide::splat(JACOBI_RELAXATION))
    });
    let mut found: [Wide; POINTS] = each(Wide::ZERO, |index| previous[index].max(Wide::ZERO));
    for _ in 0..JACOBI_ITERATIONS {
        let changes: [Wide; POINTS] = each(Wide::ZERO, |index| found[index] - previous[index]);
        found = each(Wide::ZERO, |index| {
            let mut speed = speeds[index];
            for (other, change) in changes.iter().enumerate() {
                speed = speed + entry(index, other) * *change;
            }
            (found[index] - speed * steps[index]).max(Wide::ZERO)
        });
    }
    found
}

#[inline(always)]
fn factorize_ldlt<const POINTS: usize, const COUNT: usize>(matrix: impl Fn(usize, usize) -> Wide) -> [Wide; COUNT] {
    let mut factors = [Wide::ZERO; COUNT];
    let mut diagonal = [Wide::ZERO; POINTS];
    for row in 0..POINTS {
        for column in 0..row {
            let mut sum = matrix(row, column);
            for inner in 0..column {
                sum = sum - factors[entry_index(row, inner)] * factors[entry_index(column, inner)] * diagonal[inner];
            }
            factors[entry_index(row, column)] = sum * factors[entry_index(column, column)];
        }
        let mut sum = matrix(row, row);
        for inner in 0..row {
            let factor = factors[entry_index(row, inner)];
            sum = sum - factor * factor * diagonal[inner];
        }
        diagonal[row] = sum;
        factors[entry_index(row, row)] = sum.inverse();
    }
    factors
}

/// The matrix from its factors.
#[inline(always)]
fn reconstruct<const POINTS: usize, const COUNT: usize>(factors: &[Wide; COUNT]) -> [Wide; COUNT] {
    let diagonal: [Wide; POINTS] = each(Wide::ZERO, |index| factors[entry_index(index, index)].inverse());
    let mut matrix = [Wide::ZERO; COUNT];
    for row in 0..POINTS {
        for column in 0..=row {
            let mut sum =
                if row == column { diagonal[row] } else { factors[entry_index(row, column)] * diagonal[column] };
            for inner in 0..column {
                sum = sum + factors[entry_index(row, inner)] * factors[entry_index(column, inner)] * diagonal[inner];
            }
            matrix[entry_index(row, column)] = sum;
        }
    }
    matrix
}

#[inline(always)]
const fn entry_index(row: usize, column: usize) -> usize {
    row * (row + 1) / 2 + column
}

#[cfg(test)]
mod tests {
    use super::*;

    const MATRIX: [[f32; 4]; 4] =
        [[4.0, 1.0, -2.0, 1.0], [1.0, 5.0, 1.0, -2.0], [-2.0, 1.0, 6.0, 1.0], [1.0, -2.0, 1.0, 4.5]];

    fn parts() -> [Wide; FACTORS] {
        factorize::<POINTS_MAX, FACTORS>(|row, column| Wide::splat(MATRIX[row][column]))
    }

    fn speed_of(row: usize, impulses: [f32; 4]) -> f32 {
        let sum: f32 = (0..4).map(|column| MATRIX[row][column] * impulses[column]).sum();
        sum + MATRIX[row][row] * REGULARIZATION * impulses[row]
    }

    #[test]
    fn factors_solve_the_linear_system() {
        let impulses = [1.0, 2.0, 0.5, -1.0_f32];
        let speeds = core::array::from_fn(|row| Wide::splat(speed_of(row, impulses)));
        let found: [Wide; POINTS_MAX] = solve(&parts(), &speeds);
        for (found, expected) in found.iter().zip(impulses) {
            assert!((found.0[2] - expected).abs() < 1e-4, "{found:?} {expected}");
        }
    }

    #[test]
    fn factors_reconstruct_the_matrix() {
        let matrix = reconstruct::<POINTS_MAX, FACTORS>(&parts());
        for row in 0..4 {
            for column in 0..row {
                assert!((matrix[entry_index(row, column)].0[1] - MATRIX[row][column]).abs() < 1e-5, "{row} {column}");
            }
            assert!(
                (matrix[entry_index(row, row)].0[1] - MATRIX[row][row] * (1.0 + REGULARIZATION)).abs() < 1e-5,
                "{row}"
            );
        }
    }

    /// Four points on a hinged body: each of them alone stops it.
    #[test]
    fn points_that_depend_on_one_another_share_the_impulse() {
        let factors =
            factorize::<POINTS_MAX, FACTORS>(|row, column| Wide::splat(if row == column { 1.001 } else { 1.0 }));
        let found = solve_projected_jacobi(&factors, &[Wide::splat(-3.0); POINTS_MAX], &[Wide::ZERO; POINTS_MAX]);
        let sum = found.iter().fold(0.0, |sum, found| sum + found.0[0]);
        assert!((sum - 3.0).abs() < 0.05, "{found:?}");
    }

    /// Complementarity: an impulse or a separating velocity, not both.
    #[test]
    fn the_direct_solution_is_complementary() {
        let mut random = base::Pcg::new(7, 7);
        for _ in 0..500 {
            let mut number = || base::Random::between(&mut random, -1.0, 1.0);
            let speeds: [f32; 4] = core::array::from_fn(|_| number());
            let previous: [f32; 4] = core::array::from_fn(|_| number().abs());
            let (wide, kept_wide) = (speeds.map(Wide::splat), previous.map(Wide::splat));
            let impulses: [Wide; POINTS_MAX] = solve(&parts(), &wide);
            let active = core::array::from_fn(|index| {
                (impulses[index] - kept_wide[index]).if_positive(Wide::ZERO, Wide::splat(1.0))
            });
            let found = solve_direct(&parts(), &wide, &kept_wide, active).map(|found| found.0[3]);
            let change = core::array::from_fn(|index| found[index] - previous[index]);
            for index in 0..4 {
                let speed = speeds[index] + speed_of(index, change);
                assert!(found[index] >= 0.0, "{found:?}");
                assert!(speed > -0.05, "point {index} approaches with {speed}: {speeds:?} {previous:?} {found:?}");
                assert!(
                    found[index] == 0.0 || speed < 0.05,
                    "point {index} has an impulse and separates with {speed}: {speeds:?} {found:?}"
                );
            }
        }
    }
}
