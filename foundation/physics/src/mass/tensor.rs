//! Integrals over a body: its volume, that of its places, and that of the products of their coordinates.

use base::number::double;

/// Three numbers in double precision.
pub(super) type Wide = [f64; 3];

/// How often all three pairs of axes are turned at most, until none disturbs another. Six is enough for double precision.
const TURNS_MAX: u32 = 16;

#[derive(Clone, Copy, Default)]
pub(super) struct Tensor {
    pub volume: f64,
    /// The integral of places.
    places: Wide,
    /// The integrals of products of coordinates: rows and columns are axes.
    products: [Wide; 3],
}

impl Tensor {
    /// Of a body that is even about all axes through its centre, by the integrals of the squares of its coordinates.
    pub(super) fn even(volume: f64, squares: Wide) -> Tensor {
        let products = [[squares[0], 0.0, 0.0], [0.0, squares[1], 0.0], [0.0, 0.0, squares[2]]];
        Tensor { volume, places: [0.0; 3], products }
    }

    /// Adds what is between the origin and a triangle.
    pub(super) fn add_corner(&mut self, [a, b, c]: [Wide; 3]) {
        let six = dot(a, cross(b, c));
        let sum = plus(plus(a, b), c);
        self.volume += six / 6.0;
        for i in 0..3 {
            self.places[i] += six / 24.0 * sum[i];
            for j in 0..3 {
                self.products[i][j] += six / 120.0 * (sum[i] * sum[j] + a[i] * a[j] + b[i] * b[j] + c[i] * c[j]);
            }
        }
    }

    /// Adds a body by its mass, centre and moments along axes.
    pub(super) fn add_part(&mut self, mass: f64, centre: Wide, moments: Wide, axes: [Wide; 3]) {
        self.volume += mass;
        // Half of all moments less one of them is the integral of the square along its axis.
        let half = (moments[0] + moments[1] + moments[2]) * 0.5;
        for i in 0..3 {
            self.places[i] += mass * centre[i];
            for j in 0..3 {
                self.products[i][j] += mass * centre[i] * centre[j];
                for (axis, moment) in axes.iter().zip(moments) {
                    self.products[i][j] += (half - moment) * axis[i] * axis[j];
                }
            }
        }
    }

    pub(super) fn centre(&self) -> Wide {
        self.places.map(|place| place / self.volume)
    }

    /// The three moments about the centre, and the axes they are about: right-handed, of length one.
    pub(super) fn moments(&self) -> (Wide, [Wide; 3]) {
        let centre = self.centre();
        let mut products = self.products;
        for i in 0..3 {
            for j in 0..3 {
                products[i][j] -= self.volume * centre[i] * centre[j];
            }
        }
        let (squares, axes) = turned(products);
        let sum = squares[0] + squares[1] + squares[2];
        (squares.map(|square| sum - square), axes)
    }
}

/// Turns a symmetric matrix by pairs of axes until only its diagonal is left: Jacobi's method. The axes are right-handed.
fn turned(mut matrix: [Wide; 3]) -> (Wide, [Wide; 3]) {
    let mut axes = [[1.0, 0.0, 0.0], [0.0, 1.0, 0.0], [0.0, 0.0, 1.0]];
    for _ in 0..TURNS_MAX {
        let mut still = true;
        for (p, q) in [(0, 1), (0, 2), (1, 2)] {
            let off = matrix[p][q];
            // What is lost in the last bits of both does not disturb.
            if off.abs() <= 1e-12 * (matrix[p][p].abs() + matrix[q][q].abs()) {
                continue;
            }
            still = false;
            let ratio = (matrix[q][q] - matrix[p][p]) / (2.0 * off);
            let size = 1.0 / (ratio.abs() + double::sqrt(ratio * ratio + 1.0));
            let tangent = if ratio < 0.0 { -size } else { size };
            let cosine = 1.0 / double::sqrt(tangent * tangent + 1.0);
            let sine = tangent * cosine;
            for row in &mut matrix {
                (row[p], row[q]) = (cosine * row[p] - sine * row[q], sine * row[p] + cosine * row[q]);
            }
            turn_rows(&mut matrix, [p, q], cosine, sine);
            turn_rows(&mut axes, [p, q], cosine, sine);
        }
        if still {
            break;
        }
    }
    ([matrix[0][0], matrix[1][1], matrix[2][2]], axes)
}

fn turn_rows(matrix: &mut [Wide; 3], [p, q]: [usize; 2], cosine: f64, sine: f64) {
    let (first, second) = (matrix[p], matrix[q]);
    matrix[p] = core::array::from_fn(|part| cosine * first[part] - sine * second[part]);
    matrix[q] = core::array::from_fn(|part| sine * first[part] + cosine * second[part]);
}

pub(super) fn dot(a: Wide, b: Wide) -> f64 {
    a[0] * b[0] + a[1] * b[1] + a[2] * b[2]
}

pub(super) fn plus(a: Wide, b: Wide) -> Wide {
    [a[0] + b[0], a[1] + b[1], a[2] + b[2]]
}

pub(super) fn minus(a: Wide, b: Wide) -> Wide {
    [a[0] - b[0], a[1] - b[1], a[2] - b[2]]
}

pub(super) fn cross(a: Wide, b: Wide) -> Wide {
    [a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0]]
}
