//! Quadrics: the weighted sum of squared distances from planes (Garland and Heckbert 1997).

/// A symmetric quadratic form of a point.
#[derive(Clone, Copy, Debug, Default)]
pub struct Quadric {
    xx: f64,
    yy: f64,
    zz: f64,
    xy: f64,
    xz: f64,
    yz: f64,
    x: f64,
    y: f64,
    z: f64,
    one: f64,
}

impl Quadric {
    /// The squared distance from the plane through a point with a unit normal, times a weight.
    pub fn plane(normal: [f64; 3], point: [f64; 3], weight: f64) -> Quadric {
        let [a, b, c] = normal;
        let d = -dot(normal, point);
        Quadric {
            xx: a * a * weight,
            yy: b * b * weight,
            zz: c * c * weight,
            xy: a * b * weight,
            xz: a * c * weight,
            yz: b * c * weight,
            x: a * d * weight,
            y: b * d * weight,
            z: c * d * weight,
            one: d * d * weight,
        }
    }

    /// The sum with another.
    pub fn plus(&self, other: &Quadric) -> Quadric {
        Quadric {
            xx: self.xx + other.xx,
            yy: self.yy + other.yy,
            zz: self.zz + other.zz,
            xy: self.xy + other.xy,
            xz: self.xz + other.xz,
            yz: self.yz + other.yz,
            x: self.x + other.x,
            y: self.y + other.y,
            z: self.z + other.z,
            one: self.one + other.one,
        }
    }

    /// Its value at a point; never negative.
    pub fn at(&self, [x, y, z]: [f64; 3]) -> f64 {
        let square = self.xx * x * x + self.yy * y * y + self.zz * z * z;
        let mixed = self.xy * x * y + self.xz * x * z + self.yz * y * z;
        let linear = self.x * x + self.y * y + self.z * z;
        let value = square + 2.0 * (mixed + linear) + self.one;
        if value > 0.0 { value } else { 0.0 }
    }
}

/// The dot product.
pub fn dot(one: [f64; 3], other: [f64; 3]) -> f64 {
    one[0] * other[0] + one[1] * other[1] + one[2] * other[2]
}

/// The difference.
pub fn minus(one: [f64; 3], other: [f64; 3]) -> [f64; 3] {
    [one[0] - other[0], one[1] - other[1], one[2] - other[2]]
}

/// The cross product.
pub fn cross(one: [f64; 3], other: [f64; 3]) -> [f64; 3] {
    [
        one[1] * other[2] - one[2] * other[1],
        one[2] * other[0] - one[0] * other[2],
        one[0] * other[1] - one[1] * other[0],
    ]
}

/// The squared distance of a point from a triangle (after Ericson 2005, section 5.1.5).
pub fn distance_squared(point: [f64; 3], [a, b, c]: [[f64; 3]; 3]) -> f64 {
    let (ab, ac, ap) = (minus(b, a), minus(c, a), minus(point, a));
    let along = |from: [f64; 3], way: [f64; 3], part: f64| {
        minus(point, [from[0] + way[0] * part, from[1] + way[1] * part, from[2] + way[2] * part])
    };
    let squared = |vector: [f64; 3]| dot(vector, vector);
    let (d1, d2) = (dot(ab, ap), dot(ac, ap));
    if d1 <= 0.0 && d2 <= 0.0 {
        return squared(ap);
    }
    let bp = minus(point, b);
    let (d3, d4) = (dot(ab, bp), dot(ac, bp));
    if d3 >= 0.0 && d4 <= d3 {
        return squared(bp);
    }
    let vc = d1 * d4 - d3 * d2;
    if vc <= 0.0 && d1 >= 0.0 && d3 <= 0.0 && d1 > d3 {
        return squared(along(a, ab, d1 / (d1 - d3)));
    }
    let cp = minus(point, c);
    let (d5, d6) = (dot(ab, cp), dot(ac, cp));
    if d6 >= 0.0 && d5 <= d6 {
        return squared(cp);
    }
    let vb = d5 * d2 - d1 * d6;
    if vb <= 0.0 && d2 >= 0.0 && d6 <= 0.0 && d2 > d6 {
        return squared(along(a, ac, d2 / (d2 - d6)));
    }
    let va = d3 * d6 - d5 * d4;
    let (toward_b, toward_c) = (d4 - d3, d5 - d6);
    if va <= 0.0 && toward_b >= 0.0 && toward_c >= 0.0 && toward_b + toward_c > 0.0 {
        return squared(along(b, minus(c, b), toward_b / (toward_b + toward_c)));
    }
    let sum = va + vb + vc;
    if sum <= 0.0 {
        return squared(ap);
    }
    let (v, w) = (vb / sum, vc / sum);
    let inside = [0, 1, 2].map(|axis| a[axis] + ab[axis] * v + ac[axis] * w);
    squared(minus(point, inside))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_quadric_measures_the_distance_from_its_planes() {
        let floor = Quadric::plane([0.0, 0.0, 1.0], [5.0, 5.0, 1.0], 2.0);
        assert_eq!(floor.at([9.0, -3.0, 4.0]), 18.0);
        let wall = Quadric::plane([1.0, 0.0, 0.0], [0.0; 3], 1.0);
        assert_eq!(floor.plus(&wall).at([3.0, 0.0, 1.0]), 9.0);
    }

    #[test]
    fn the_distance_from_a_triangle_is_that_of_its_nearest_point() {
        let triangle = [[0.0, 0.0, 0.0], [4.0, 0.0, 0.0], [0.0, 4.0, 0.0]];
        for (point, expected) in [
            ([1.0, 1.0, 3.0], 9.0),
            ([-3.0, -4.0, 0.0], 25.0),
            ([2.0, -2.0, 0.0], 4.0),
            ([4.0, 4.0, 0.0], 8.0),
            ([7.0, 0.0, 0.0], 9.0),
            ([0.0, 9.0, 0.0], 25.0),
            ([-2.0, 1.0, 0.0], 4.0),
        ] {
            assert!((distance_squared(point, triangle) - expected).abs() < 1e-9, "{point:?}");
        }
        let flat = [[0.0, 0.0, 0.0], [1.0, 0.0, 0.0], [2.0, 0.0, 0.0]];
        assert!(distance_squared([1.0, 3.0, 0.0], flat).is_finite());
    }
}
