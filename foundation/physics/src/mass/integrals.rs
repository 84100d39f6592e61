//! Volume integrals of a body: volume, first and second moments, and their principal axes by the Jacobi eigenvalue method (1846).

use base::number::double;

use crate::vector64::{Vector64, add, cross, dot};

/// Limit of Jacobi sweeps over all three off-diagonal elements. Six are enough for double precision.
const JACOBI_SWEEPS_MAX: u32 = 16;

#[derive(Clone, Copy, Default)]
pub(super) struct MassIntegrals {
    pub volume: f64,
    /// The integral of the position.
    first_moments: Vector64,
    /// The integrals of products of coordinates.
    second_moments: [Vector64; 3],
}

impl MassIntegrals {
    /// Of a body symmetric about all axes through its center, from the integrals of its squared coordinates.
    pub(super) fn symmetric(volume: f64, squares: Vector64) -> MassIntegrals {
        let second_moments = [[squares[0], 0.0, 0.0], [0.0, squares[1], 0.0], [0.0, 0.0, squares[2]]];
        MassIntegrals { volume, first_moments: [0.0; 3], second_moments }
    }

    /// Adds the signed tetrahedron between the origin and a triangle.
    pub(super) fn add_tetrahedron(&mut self, [a, b, c]: [Vector64; 3]) {
        let six_volumes = dot(a, cross(b, c));
        let sum = add(add(a, b), c);
        self.volume += six_volumes / 6.0;
        for i in 0..3 {
            self.first_moments[i] += six_volumes / 24.0 * sum[i];
            for j in 0..3 {
                self.second_moments[i][j] +=
                    six_volumes / 120.0 * (sum[i] * sum[j] + a[i] * a[j] + b[i] * b[j] + c[i] * c[j]);
            }
        }
    }

    /// Adds a body by its mass, center of mass and principal moments.
    pub(super) fn add_rigid_part(
        &mut self,
        mass: f64,
        center_of_mass: Vector64,
        principal_moments: Vector64,
        axes: [Vector64; 3],
    ) {
        self.volume += mass;
        // Half the sum of all moments minus one of them is the second moment along its axis.
        let half = (principal_moments[0] + principal_moments[1] + principal_moments[2]) * 0.5;
        for i in 0..3 {
            self.first_moments[i] += mass * center_of_mass[i];
            for j in 0..3 {
                self.second_moments[i][j] += mass * center_of_mass[i] * center_of_mass[j];
                for (axis, moment) in axes.iter().zip(principal_moments) {
                    self.second_moments[i][j] += (half - moment) * axis[i] * axis[j];
                }
            }
        }
    }

    pub(super) fn center_of_mass(&self) -> Vector64 {
        self.first_moments.map(|moment| moment / self.volume)
    }

    /// The principal moments about the center of mass and their axes: right-handed, of unit length.
    pub(super) fn principal_moments(&self) -> (Vector64, [Vector64; 3]) {
        let center_of_mass = self.center_of_mass();
        let mut second_moments = self.second_moments;
        for i in 0..3 {
            for j in 0..3 {
                second_moments[i][j] -= self.volume * center_of_mass[i] * center_of_mass[j];
            }
        }
        let (squares, axes) = diagonalize(second_moments);
        let sum = squares[0] + squares[1] + squares[2];
        (squares.map(|square| sum - square), axes)
    }
}

/// Diagonalizes a symmetric matrix by Jacobi rotations. The eigenvectors are right-handed.
fn diagonalize(mut matrix: [Vector64; 3]) -> (Vector64, [Vector64; 3]) {
    let mut axes = [[1.0, 0.0, 0.0], [0.0, 1.0, 0.0], [0.0, 0.0, 1.0]];
    for _ in 0..JACOBI_SWEEPS_MAX {
        let mut is_diagonal = true;
        for (p, q) in [(0, 1), (0, 2), (1, 2)] {
            let off_diagonal = matrix[p][q];
            // Relative to the diagonal this is rounding.
            if off_diagonal.abs() <= 1e-12 * (matrix[p][p].abs() + matrix[q][q].abs()) {
                continue;
            }
            is_diagonal = false;
            let ratio = (matrix[q][q] - matrix[p][p]) / (2.0 * off_diagonal);
            let size = 1.0 / (ratio.abs() + double::sqrt(ratio * ratio + 1.0));
            let tangent = if ratio < 0.0 { -size } else { size };
            let cosine = 1.0 / double::sqrt(tangent * tangent + 1.0);
            let sine = tangent * cosine;
            for row in &mut matrix {
                (row[p], row[q]) = (cosine * row[p] - sine * row[q], sine * row[p] + cosine * row[q]);
            }
            rotate_rows(&mut matrix, [p, q], cosine, sine);
            rotate_rows(&mut axes, [p, q], cosine, sine);
        }
        if is_diagonal {
            break;
        }
    }
    ([matrix[0][0], matrix[1][1], matrix[2][2]], axes)
}

fn rotate_rows(matrix: &mut [Vector64; 3], [p, q]: [usize; 2], cosine: f64, sine: f64) {
    let (first, second) = (matrix[p], matrix[q]);
    matrix[p] = core::array::from_fn(|part| cosine * first[part] - sine * second[part]);
    matrix[q] = core::array::from_fn(|part| sine * first[part] + cosine * second[part]);
}
