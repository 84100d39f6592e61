//! Eight-lane floats, vectors and symmetric matrices (structure of arrays). Lanes never mix, so results do not depend on the SIMD
//! width of the machine.

use core::ops::{Add, AddAssign, Mul, Neg, Sub, SubAssign};

use base::Vec3;

use crate::limits::LANES;

/// Eight floats.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
#[repr(C, align(32))]
pub struct Wide(pub [f32; LANES]);

/// Eight vectors.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
#[repr(C)]
pub struct WideVector {
    /// The x components.
    pub x: Wide,
    /// The y components.
    pub y: Wide,
    /// The z components.
    pub z: Wide,
}

/// Eight symmetric matrices.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
#[repr(C)]
pub struct WideMatrix {
    /// The diagonal: xx, yy, zz.
    pub diagonal: WideVector,
    /// Off the diagonal: xy, xz, yz.
    pub off_diagonal: WideVector,
}

/// An array filled by a loop. Unlike `array::from_fn`, the closure is always inlined.
#[inline(always)]
pub fn each<T: Copy, const COUNT: usize>(nothing: T, mut make: impl FnMut(usize) -> T) -> [T; COUNT] {
    let mut all = [nothing; COUNT];
    for (index, place) in all.iter_mut().enumerate() {
        *place = make(index);
    }
    all
}

/// An expression for each lane, unrolled by hand: as loops, unrolling them took the compiler most of its time.
macro_rules! in_each {
    ($lane:ident, $made:expr) => {
        Wide([
            in_each!(0, $lane, $made),
            in_each!(1, $lane, $made),
            in_each!(2, $lane, $made),
            in_each!(3, $lane, $made),
            in_each!(4, $lane, $made),
            in_each!(5, $lane, $made),
            in_each!(6, $lane, $made),
            in_each!(7, $lane, $made),
        ])
    };
    ($number:literal, $lane:ident, $made:expr) => {{
        let $lane = $number;
        $made
    }};
}

impl Wide {
    /// Zeros.
    pub const ZERO: Wide = Wide([0.0; LANES]);

    /// The same in every lane.
    #[inline(always)]
    pub fn splat(value: f32) -> Wide {
        Wide([value; LANES])
    }

    /// Made lane by lane.
    #[inline(always)]
    pub fn from_lanes(number: impl Fn(usize) -> f32) -> Wide {
        in_each!(lane, number(lane))
    }

    /// The minimum in each lane.
    #[inline(always)]
    #[must_use]
    pub fn min(self, other: Wide) -> Wide {
        in_each!(lane, if self.0[lane] < other.0[lane] { self.0[lane] } else { other.0[lane] })
    }

    /// The maximum in each lane.
    #[inline(always)]
    #[must_use]
    pub fn max(self, other: Wide) -> Wide {
        in_each!(lane, if self.0[lane] > other.0[lane] { self.0[lane] } else { other.0[lane] })
    }

    /// Where `self` is above zero, `then`; elsewhere `otherwise`.
    #[inline(always)]
    #[must_use]
    pub fn if_positive(self, then: Wide, otherwise: Wide) -> Wide {
        in_each!(lane, if self.0[lane] > 0.0 { then.0[lane] } else { otherwise.0[lane] })
    }

    /// The reciprocal where positive, elsewhere zero.
    #[inline(always)]
    #[must_use]
    pub fn inverse(self) -> Wide {
        self.if_positive(in_each!(lane, 1.0 / self.0[lane]), Wide::ZERO)
    }

    /// The square root in each lane.
    #[inline(always)]
    #[must_use]
    pub fn sqrt(self) -> Wide {
        in_each!(lane, base::number::sqrt(self.0[lane]))
    }

    /// Whether some lane is not zero.
    #[inline(always)]
    pub fn any_nonzero(self) -> bool {
        self.0 != [0.0; LANES]
    }
}

impl WideMatrix {
    /// Zeros.
    pub const ZERO: WideMatrix = WideMatrix { diagonal: WideVector::ZERO, off_diagonal: WideVector::ZERO };
}

impl WideVector {
    /// Zeros.
    pub const ZERO: WideVector = WideVector { x: Wide::ZERO, y: Wide::ZERO, z: Wide::ZERO };

    /// Puts a vector into a lane.
    #[inline(always)]
    pub fn put(&mut self, lane: usize, vector: Vec3) {
        (self.x.0[lane], self.y.0[lane], self.z.0[lane]) = (vector.x, vector.y, vector.z);
    }

    /// Eight vectors, lane by lane.
    #[inline(always)]
    pub fn from_lanes(vector: impl Fn(usize) -> Vec3) -> WideVector {
        let all: [Vec3; LANES] = each(Vec3::ZERO, vector);
        WideVector { x: in_each!(lane, all[lane].x), y: in_each!(lane, all[lane].y), z: in_each!(lane, all[lane].z) }
    }

    /// The vector of a lane.
    #[inline(always)]
    pub fn lane(&self, lane: usize) -> Vec3 {
        Vec3::new(self.x.0[lane], self.y.0[lane], self.z.0[lane])
    }

    /// These where `sign` is above zero, and the others elsewhere.
    #[inline(always)]
    #[must_use]
    pub fn where_positive(self, sign: Wide, other: WideVector) -> WideVector {
        WideVector {
            x: sign.if_positive(self.x, other.x),
            y: sign.if_positive(self.y, other.y),
            z: sign.if_positive(self.z, other.z),
        }
    }

    /// The dot products.
    #[inline(always)]
    pub fn dot(self, other: WideVector) -> Wide {
        self.x * other.x + self.y * other.y + self.z * other.z
    }

    /// The cross products.
    #[inline(always)]
    #[must_use]
    pub fn cross(self, other: WideVector) -> WideVector {
        WideVector {
            x: self.y * other.z - self.z * other.y,
            y: self.z * other.x - self.x * other.z,
            z: self.x * other.y - self.y * other.x,
        }
    }
}

impl Mul<WideVector> for WideMatrix {
    type Output = WideVector;

    #[inline(always)]
    fn mul(self, vector: WideVector) -> WideVector {
        let (d, b) = (self.diagonal, self.off_diagonal);
        WideVector {
            x: d.x * vector.x + b.x * vector.y + b.y * vector.z,
            y: b.x * vector.x + d.y * vector.y + b.z * vector.z,
            z: b.y * vector.x + b.z * vector.y + d.z * vector.z,
        }
    }
}

macro_rules! lane_by_lane {
    ($($operator:ident $method:ident $sign:tt),*) => {$(
        impl $operator for Wide {
            type Output = Wide;

            #[inline(always)]
            fn $method(self, other: Wide) -> Wide {
                in_each!(lane, self.0[lane] $sign other.0[lane])
            }
        }
    )*};
}
lane_by_lane!(Add add +, Sub sub -, Mul mul *);

impl Neg for Wide {
    type Output = Wide;

    #[inline(always)]
    fn neg(self) -> Wide {
        in_each!(lane, -self.0[lane])
    }
}

impl Add for WideVector {
    type Output = WideVector;

    #[inline(always)]
    fn add(self, other: WideVector) -> WideVector {
        WideVector { x: self.x + other.x, y: self.y + other.y, z: self.z + other.z }
    }
}

impl Sub for WideVector {
    type Output = WideVector;

    #[inline(always)]
    fn sub(self, other: WideVector) -> WideVector {
        WideVector { x: self.x - other.x, y: self.y - other.y, z: self.z - other.z }
    }
}

impl Mul<Wide> for WideVector {
    type Output = WideVector;

    #[inline(always)]
    fn mul(self, by: Wide) -> WideVector {
        WideVector { x: self.x * by, y: self.y * by, z: self.z * by }
    }
}

impl AddAssign for WideVector {
    #[inline(always)]
    fn add_assign(&mut self, other: WideVector) {
        *self = *self + other;
    }
}

impl SubAssign for WideVector {
    #[inline(always)]
    fn sub_assign(&mut self, other: WideVector) {
        *self = *self - other;
    }
}
