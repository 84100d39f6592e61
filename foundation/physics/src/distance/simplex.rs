//! GJK's simplex: up to four points, reduced to the face closest to the origin.

use crate::vector64::{Vector64, cross, dot, scale, subtract};

/// Points of the Minkowski difference, each with the points of both shapes that it comes from.
#[derive(Default)]
pub(super) struct Simplex {
    points: [Vector64; 4],
    witness_points: [[Vector64; 2]; 4],
    weights: [f64; 4],
    count: usize,
}

/// A closest point: its squared distance and barycentric weights.
#[derive(Clone, Copy)]
struct SimplexPoint {
    squared: f64,
    weights: [f64; 4],
}

impl Simplex {
    /// Whether it contains a point already.
    pub(super) fn contains(&self, point: Vector64) -> bool {
        self.points[..self.count].contains(&point)
    }

    /// Whether it is a tetrahedron, which then contains the origin.
    pub(super) fn is_tetrahedron(&self) -> bool {
        self.count == 4
    }

    /// Adds a point. There are at most three before, since [`reduce`](Simplex::reduce) leaves four only at the end.
    pub(super) fn push(&mut self, point: Vector64, witness_points: [Vector64; 2]) {
        debug_assert!(self.count < 4, "GJK continued after its tetrahedron contained the origin");
        if self.count < 4 {
            self.points[self.count] = point;
            self.witness_points[self.count] = witness_points;
            self.count += 1;
        }
    }

    /// Finds the point closest to the origin and drops vertices without weight. Four are left only if the origin is inside.
    pub(super) fn reduce(&mut self) -> Vector64 {
        let closest = match self.count {
            0 | 1 => SimplexPoint { squared: 0.0, weights: [1.0, 0.0, 0.0, 0.0] },
            2 => self.closest_on_segment([0, 1]),
            3 => self.closest_on_triangle([0, 1, 2]),
            _ => self.closest_on_tetrahedron(),
        };
        let mut kept = 0;
        for index in 0..self.count {
            if closest.weights[index] > 0.0 {
                self.points[kept] = self.points[index];
                self.witness_points[kept] = self.witness_points[index];
                self.weights[kept] = closest.weights[index];
                kept += 1;
            }
        }
        self.count = kept;
        self.combine(|simplex, index| simplex.points[index])
    }

    /// The points of both shapes whose difference is the closest point.
    pub(super) fn witnesses(&self) -> [Vector64; 2] {
        [0, 1].map(|which| self.combine(|simplex, index| simplex.witness_points[index][which]))
    }

    fn combine(&self, of: impl Fn(&Simplex, usize) -> Vector64) -> Vector64 {
        let mut sum = [0.0; 3];
        for index in 0..self.count {
            let point = of(self, index);
            for (sum, fraction) in sum.iter_mut().zip(point) {
                *sum += fraction * self.weights[index];
            }
        }
        sum
    }

    fn evaluate(&self, weights: [f64; 4]) -> SimplexPoint {
        let mut sum = [0.0; 3];
        for (point, weight) in self.points.iter().zip(weights) {
            for (sum, fraction) in sum.iter_mut().zip(point) {
                *sum += fraction * weight;
            }
        }
        SimplexPoint { squared: dot(sum, sum), weights }
    }

    fn closest_on_segment(&self, [a, b]: [usize; 2]) -> SimplexPoint {
        let along = subtract(self.points[b], self.points[a]);
        let squared = dot(along, along);
        let fraction = if squared > 0.0 { -dot(self.points[a], along) / squared } else { 0.0 };
        let fraction = if fraction > 0.0 { if fraction < 1.0 { fraction } else { 1.0 } } else { 0.0 };
        let mut weights = [0.0; 4];
        weights[a] = 1.0 - fraction;
        weights[b] = fraction;
        self.evaluate(weights)
    }

    /// Inside the triangle, or on one of its edges.
    fn closest_on_triangle(&self, [a, b, c]: [usize; 3]) -> SimplexPoint {
        let (first, second) = (subtract(self.points[b], self.points[a]), subtract(self.points[c], self.points[a]));
        let normal = cross(first, second);
        let squared = dot(normal, normal);
        let witness_points = scale(self.points[a], -1.0);
        // Barycentric coordinates of the projected origin.
        let weight_b = dot(cross(witness_points, second), normal);
        let weight_c = dot(cross(first, witness_points), normal);
        if squared > 0.0 && weight_b > 0.0 && weight_c > 0.0 && weight_b + weight_c < squared {
            let mut weights = [0.0; 4];
            weights[b] = weight_b / squared;
            weights[c] = weight_c / squared;
            weights[a] = 1.0 - weights[b] - weights[c];
            if weights[a] > 0.0 {
                return self.evaluate(weights);
            }
        }
        [[a, b], [b, c], [c, a]]
            .map(|segment| self.closest_on_segment(segment))
            .into_iter()
            .reduce(closer)
            .expect("there are three")
    }

    /// Inside, or on one of the faces that the origin is outside of.
    fn closest_on_tetrahedron(&self) -> SimplexPoint {
        let mut best: Option<SimplexPoint> = None;
        for [a, b, c, opposite] in [[0, 1, 2, 3], [0, 1, 3, 2], [0, 2, 3, 1], [1, 2, 3, 0]] {
            let vertex = self.points[a];
            let normal = cross(subtract(self.points[b], vertex), subtract(self.points[c], vertex));
            let origin = -dot(vertex, normal);
            let fourth = dot(subtract(self.points[opposite], vertex), normal);
            // A flat tetrahedron has no inside.
            let flat = fourth * fourth <= 1e-24 * dot(normal, normal) * dot(vertex, vertex);
            if flat || origin * fourth < 0.0 {
                let face = self.closest_on_triangle([a, b, c]);
                best = Some(best.map_or(face, |best| closer(best, face)));
            }
        }
        best.unwrap_or(SimplexPoint { squared: 0.0, weights: [0.25; 4] })
    }
}

fn closer(first: SimplexPoint, second: SimplexPoint) -> SimplexPoint {
    if second.squared < first.squared { second } else { first }
}
