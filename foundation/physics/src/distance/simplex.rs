//! Up to four points, and which of them hold the one nearest to the origin.

use base::Vec3;

/// Three numbers in double precision.
pub(super) type Wide = [f64; 3];

/// Points of the difference of two shapes, each with the points that it is the difference of.
#[derive(Default)]
pub(super) struct Simplex {
    points: [Wide; 4],
    from: [[Wide; 2]; 4],
    weights: [f64; 4],
    count: usize,
}

/// The nearest point of some: its distance squared, and how much each counts.
#[derive(Clone, Copy)]
struct Nearest {
    squared: f64,
    weights: [f64; 4],
}

impl Simplex {
    /// Whether a point is there already.
    pub(super) fn knows(&self, point: Wide) -> bool {
        self.points[..self.count].contains(&point)
    }

    /// Whether the origin is within all four.
    pub(super) fn is_full(&self) -> bool {
        self.count == 4
    }

    /// Adds a point. There are three at most before, since [`reduce`](Simplex::reduce) leaves no more unless it is the end.
    pub(super) fn push(&mut self, point: Wide, from: [Wide; 2]) {
        if self.count < 4 {
            self.points[self.count] = point;
            self.from[self.count] = from;
            self.count += 1;
        }
    }

    /// Finds the nearest point to the origin and forgets what it does not need. Four are left only if the origin is within.
    pub(super) fn reduce(&mut self) -> Wide {
        let nearest = match self.count {
            0 | 1 => Nearest { squared: 0.0, weights: [1.0, 0.0, 0.0, 0.0] },
            2 => self.on_line([0, 1]),
            3 => self.on_triangle([0, 1, 2]),
            _ => self.in_four(),
        };
        let mut kept = 0;
        for index in 0..self.count {
            if nearest.weights[index] > 0.0 {
                self.points[kept] = self.points[index];
                self.from[kept] = self.from[index];
                self.weights[kept] = nearest.weights[index];
                kept += 1;
            }
        }
        self.count = kept;
        self.mixed(|simplex, index| simplex.points[index])
    }

    /// The points of both shapes that the nearest point is the difference of.
    pub(super) fn witnesses(&self) -> [Wide; 2] {
        [0, 1].map(|which| self.mixed(|simplex, index| simplex.from[index][which]))
    }

    fn mixed(&self, of: impl Fn(&Simplex, usize) -> Wide) -> Wide {
        let mut sum = [0.0; 3];
        for index in 0..self.count {
            let point = of(self, index);
            for (sum, part) in sum.iter_mut().zip(point) {
                *sum += part * self.weights[index];
            }
        }
        sum
    }

    fn told(&self, weights: [f64; 4]) -> Nearest {
        let mut sum = [0.0; 3];
        for (point, weight) in self.points.iter().zip(weights) {
            for (sum, part) in sum.iter_mut().zip(point) {
                *sum += part * weight;
            }
        }
        Nearest { squared: dot(sum, sum), weights }
    }

    fn on_line(&self, [a, b]: [usize; 2]) -> Nearest {
        let along = minus(self.points[b], self.points[a]);
        let squared = dot(along, along);
        let part = if squared > 0.0 { -dot(self.points[a], along) / squared } else { 0.0 };
        let part = if part > 0.0 { if part < 1.0 { part } else { 1.0 } } else { 0.0 };
        let mut weights = [0.0; 4];
        weights[a] = 1.0 - part;
        weights[b] = part;
        self.told(weights)
    }

    /// Within the triangle, or on one of its sides.
    fn on_triangle(&self, [a, b, c]: [usize; 3]) -> Nearest {
        let (first, second) = (minus(self.points[b], self.points[a]), minus(self.points[c], self.points[a]));
        let normal = cross(first, second);
        let squared = dot(normal, normal);
        let from = scaled(self.points[a], -1.0);
        // Where the origin falls on the plane, as parts of the two sides.
        let part_b = dot(cross(from, second), normal);
        let part_c = dot(cross(first, from), normal);
        if squared > 0.0 && part_b > 0.0 && part_c > 0.0 && part_b + part_c < squared {
            let mut weights = [0.0; 4];
            weights[b] = part_b / squared;
            weights[c] = part_c / squared;
            weights[a] = 1.0 - weights[b] - weights[c];
            if weights[a] > 0.0 {
                return self.told(weights);
            }
        }
        [[a, b], [b, c], [c, a]].map(|line| self.on_line(line)).into_iter().reduce(nearer).expect("there are three")
    }

    /// Within, or on one of the four sides that the origin is outside of.
    fn in_four(&self) -> Nearest {
        let mut best: Option<Nearest> = None;
        for [a, b, c, inner] in [[0, 1, 2, 3], [0, 1, 3, 2], [0, 2, 3, 1], [1, 2, 3, 0]] {
            let corner = self.points[a];
            let normal = cross(minus(self.points[b], corner), minus(self.points[c], corner));
            let origin = -dot(corner, normal);
            let fourth = dot(minus(self.points[inner], corner), normal);
            // Flat fours have no inside.
            let flat = fourth * fourth <= 1e-24 * dot(normal, normal) * dot(corner, corner);
            if flat || origin * fourth < 0.0 {
                let side = self.on_triangle([a, b, c]);
                best = Some(best.map_or(side, |best| nearer(best, side)));
            }
        }
        best.unwrap_or(Nearest { squared: 0.0, weights: [0.25; 4] })
    }
}

fn nearer(first: Nearest, second: Nearest) -> Nearest {
    if second.squared < first.squared { second } else { first }
}

#[inline]
pub(super) fn wide(vector: Vec3) -> Wide {
    vector.to_array().map(f64::from)
}

#[inline]
pub(super) fn narrow(vector: Wide) -> Vec3 {
    Vec3::from_array(vector.map(|part| part as f32))
}

#[inline]
pub(super) fn dot(a: Wide, b: Wide) -> f64 {
    a[0] * b[0] + a[1] * b[1] + a[2] * b[2]
}

#[inline]
pub(super) fn minus(a: Wide, b: Wide) -> Wide {
    [a[0] - b[0], a[1] - b[1], a[2] - b[2]]
}

#[inline]
pub(super) fn scaled(a: Wide, by: f64) -> Wide {
    a.map(|part| part * by)
}

#[inline]
pub(super) fn cross(a: Wide, b: Wide) -> Wide {
    [a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0]]
}
