//! Points that bear together: what a blow at one does at the others is a symmetric matrix, taken apart once into factors with which
//! it is then turned round cheaply.
//!
//! Laws
//! 1. No point comes first: but for rounding, the blows do not depend on the order of the points.
//! 2. A point that is not there (a row of zeros) stays without effect.

use crate::lanes::{Wide, each};
use crate::limits::POINTS_MAX;

/// How many factors there are for all points: one for each of the diagonal, and one for each below it.
pub const FACTORS: usize = POINTS_MAX * (POINTS_MAX + 1) / 2;

/// Four points in one plane are one too many to be told apart. So much is added to the diagonal, as a part of it, that the load is
/// shared out evenly among them.
const EVENLY: f32 = 1.0e-3;

/// How often points that let go are asked whether that was too early.
const LATE_LOOKS: u32 = 4;

/// How far each point goes at once when all go together. Two points can be one twice over, so more than one would swing.
const GENTLY: f32 = 0.6;
/// How often they do.
const GENTLE_LOOKS: u32 = 4;

/// Takes the matrix apart. What is on the diagonal is kept as one over it.
#[inline(always)]
pub fn factors<const POINTS: usize, const COUNT: usize>(matrix: impl Fn(usize, usize) -> Wide) -> [Wide; COUNT] {
    if POINTS == 1 {
        return [matrix(0, 0).inverse(); COUNT];
    }
    take_apart::<POINTS, COUNT>(|row, column| {
        let entry = matrix(row, column);
        if row == column { entry + entry * Wide::splat(EVENLY) } else { entry }
    })
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

/// What is left of `kept` without the blows that together give these speeds, where nothing may pull. Those that hold are worked out
/// together; whoever pulls lets go, and the others are worked out anew, until none pulls.
#[inline(never)]
pub fn solve_pushing<const POINTS: usize, const COUNT: usize>(
    factors: &[Wide; COUNT],
    speeds: &[Wide; POINTS],
    kept: &[Wide; POINTS],
    mut holds: [Wide; POINTS],
) -> [Wide; POINTS] {
    let one = Wide::splat(1.0);
    let matrix = put_together::<POINTS, COUNT>(factors);
    let entry = |row: usize, column: usize| matrix[place(row.max(column), row.min(column))];
    let mut found = [Wide::ZERO; POINTS];
    for _ in 1..POINTS {
        let wanted: [Wide; POINTS] = each(Wide::ZERO, |row| {
            let mut sum = speeds[row];
            for column in 0..POINTS {
                sum = sum - entry(row, column) * (kept[column] * (one - holds[column]));
            }
            sum * holds[row]
        });
        let parts = take_apart::<POINTS, COUNT>(|row, column| entry(row, column) * (holds[row] * holds[column]));
        let blows = solve(&parts, &wanted);
        for index in 0..POINTS {
            found[index] = (kept[index] - blows[index]) * holds[index];
            holds[index] = (-found[index]).if_positive(Wide::ZERO, holds[index]);
        }
    }
    // Whoever let go too early takes part again. Nothing changes where nobody did.
    for _ in 0..LATE_LOOKS {
        for index in 0..POINTS {
            let mut speed = speeds[index];
            for other in 0..POINTS {
                speed = speed + entry(index, other) * (found[other] - kept[other]);
            }
            found[index] = (found[index] - speed * entry(index, index).inverse()).max(Wide::ZERO);
        }
    }
    found
}

/// The same step by step: each point gives way to what it feels, all at once, a few times over. Not exact, but what it finds is near
/// to what was there before, so that what rests does not twitch.
#[inline(always)]
pub fn solve_gently<const POINTS: usize, const COUNT: usize>(
    factors: &[Wide; COUNT],
    speeds: &[Wide; POINTS],
    kept: &[Wide; POINTS],
) -> [Wide; POINTS] {
    let matrix = put_together::<POINTS, COUNT>(factors);
    let entry = |row: usize, column: usize| matrix[place(row.max(column), row.min(column))];
    let steps: [Wide; POINTS] = each(Wide::ZERO, |index| entry(index, index).inverse() * Wide::splat(GENTLY));
    let mut found: [Wide; POINTS] = each(Wide::ZERO, |index| kept[index].max(Wide::ZERO));
    for _ in 0..GENTLE_LOOKS {
        let changes: [Wide; POINTS] = each(Wide::ZERO, |index| found[index] - kept[index]);
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
fn take_apart<const POINTS: usize, const COUNT: usize>(matrix: impl Fn(usize, usize) -> Wide) -> [Wide; COUNT] {
    let mut factors = [Wide::ZERO; COUNT];
    let mut diagonal = [Wide::ZERO; POINTS];
    for row in 0..POINTS {
        for column in 0..row {
            let mut sum = matrix(row, column);
            for inner in 0..column {
                sum = sum - factors[place(row, inner)] * factors[place(column, inner)] * diagonal[inner];
            }
            factors[place(row, column)] = sum * factors[place(column, column)];
        }
        let mut sum = matrix(row, row);
        for inner in 0..row {
            let factor = factors[place(row, inner)];
            sum = sum - factor * factor * diagonal[inner];
        }
        diagonal[row] = sum;
        factors[place(row, row)] = sum.inverse();
    }
    factors
}

/// The matrix that was taken apart.
#[inline(always)]
fn put_together<const POINTS: usize, const COUNT: usize>(factors: &[Wide; COUNT]) -> [Wide; COUNT] {
    let diagonal: [Wide; POINTS] = each(Wide::ZERO, |index| factors[place(index, index)].inverse());
    let mut matrix = [Wide::ZERO; COUNT];
    for row in 0..POINTS {
        for column in 0..=row {
            let mut sum = if row == column { diagonal[row] } else { factors[place(row, column)] * diagonal[column] };
            for inner in 0..column {
                sum = sum + factors[place(row, inner)] * factors[place(column, inner)] * diagonal[inner];
            }
            matrix[place(row, column)] = sum;
        }
    }
    matrix
}

#[inline(always)]
const fn place(row: usize, column: usize) -> usize {
    row * (row + 1) / 2 + column
}

#[cfg(test)]
mod tests {
    use super::*;

    const MATRIX: [[f32; 4]; 4] =
        [[4.0, 1.0, -2.0, 1.0], [1.0, 5.0, 1.0, -2.0], [-2.0, 1.0, 6.0, 1.0], [1.0, -2.0, 1.0, 4.5]];

    fn parts() -> [Wide; FACTORS] {
        factors::<POINTS_MAX, FACTORS>(|row, column| Wide::splat(MATRIX[row][column]))
    }

    fn speed_of(row: usize, blows: [f32; 4]) -> f32 {
        let sum: f32 = (0..4).map(|column| MATRIX[row][column] * blows[column]).sum();
        sum + MATRIX[row][row] * EVENLY * blows[row]
    }

    #[test]
    fn what_was_taken_apart_is_turned_round() {
        let blows = [1.0, 2.0, 0.5, -1.0_f32];
        let speeds = core::array::from_fn(|row| Wide::splat(speed_of(row, blows)));
        let found: [Wide; POINTS_MAX] = solve(&parts(), &speeds);
        for (found, expected) in found.iter().zip(blows) {
            assert!((found.0[2] - expected).abs() < 1e-4, "{found:?} {expected}");
        }
    }

    #[test]
    fn what_was_taken_apart_is_put_together() {
        let matrix = put_together::<POINTS_MAX, FACTORS>(&parts());
        for row in 0..4 {
            for column in 0..row {
                assert!((matrix[place(row, column)].0[1] - MATRIX[row][column]).abs() < 1e-5, "{row} {column}");
            }
            assert!((matrix[place(row, row)].0[1] - MATRIX[row][row] * (1.0 + EVENLY)).abs() < 1e-5, "{row}");
        }
    }

    /// Whoever pushes stops what comes nearer, and whoever does not is left alone.
    #[test]
    fn nothing_pulls_and_what_pushes_stops() {
        let mut random = base::Pcg::new(7, 7);
        for _ in 0..500 {
            let mut number = || base::Random::between(&mut random, -1.0, 1.0);
            let speeds: [f32; 4] = core::array::from_fn(|_| number());
            let kept: [f32; 4] = core::array::from_fn(|_| number().abs());
            let (wide, kept_wide) = (speeds.map(Wide::splat), kept.map(Wide::splat));
            let blows: [Wide; POINTS_MAX] = solve(&parts(), &wide);
            let holds = core::array::from_fn(|index| {
                (blows[index] - kept_wide[index]).if_positive(Wide::ZERO, Wide::splat(1.0))
            });
            let found = solve_pushing(&parts(), &wide, &kept_wide, holds).map(|found| found.0[3]);
            let change = core::array::from_fn(|index| found[index] - kept[index]);
            for index in 0..4 {
                let speed = speeds[index] + speed_of(index, change);
                assert!(found[index] >= 0.0, "{found:?}");
                assert!(speed > -0.05, "{index} comes nearer with {speed}: {speeds:?} {kept:?} {found:?}");
                assert!(
                    found[index] == 0.0 || speed < 0.05,
                    "{index} is pushed too far, {speed}: {speeds:?} {found:?}"
                );
            }
        }
    }
}
