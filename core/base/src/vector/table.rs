//! The operations of vectors of every size, written once.

macro_rules! define_vector {
    ($(#[$page:meta])* $name:ident { $first:ident $first_index:literal $(, $rest:ident $rest_index:literal)* }) => {
        $(#[$page])*
        #[derive(Clone, Copy, Debug, Default, PartialEq, Plain)]
        #[repr(C)]
        pub struct $name {
            #[doc = concat!("Component ", $first_index, ".")]
            pub $first: f32,
            $(
                #[doc = concat!("Component ", $rest_index, ".")]
                pub $rest: f32,
            )*
        }

        impl $name {
            /// All components zero.
            pub const ZERO: $name = $name::splat(0.0);
            /// All components one.
            pub const ONE: $name = $name::splat(1.0);
            /// The number of components.
            pub const COUNT: usize = [$first_index $(, $rest_index)*].len();

            /// From its components.
            #[inline]
            pub const fn new($first: f32 $(, $rest: f32)*) -> $name {
                $name { $first $(, $rest)* }
            }

            /// The same number in every component.
            #[inline]
            pub const fn splat(value: f32) -> $name {
                $name { $first: value $(, $rest: value)* }
            }

            /// From an array, first component first.
            #[inline]
            pub const fn from_array(array: [f32; $name::COUNT]) -> $name {
                $name { $first: array[$first_index] $(, $rest: array[$rest_index])* }
            }

            /// As an array, first component first.
            #[inline]
            pub const fn to_array(self) -> [f32; $name::COUNT] {
                [self.$first $(, self.$rest)*]
            }

            /// The dot product, summed from left to right.
            #[inline]
            pub const fn dot(self, other: $name) -> f32 {
                self.$first * other.$first $(+ self.$rest * other.$rest)*
            }

            /// The dot product with itself. Overflows beyond a length of 1.8e19.
            #[inline]
            pub const fn length_squared(self) -> f32 {
                self.dot(self)
            }

            /// Its length. Infinite beyond 1.8e19, zero below 1e-23.
            #[inline]
            pub fn length(self) -> f32 {
                number::sqrt(self.length_squared())
            }

            /// The squared distance between two points.
            #[inline]
            pub const fn distance_squared(self, other: $name) -> f32 {
                let way = $name { $first: self.$first - other.$first $(, $rest: self.$rest - other.$rest)* };
                way.length_squared()
            }

            /// The distance between two points.
            #[inline]
            pub fn distance(self, other: $name) -> f32 {
                number::sqrt(self.distance_squared(other))
            }

            /// Normalised; zero if it is degenerate.
            ///
            /// That is: for zero, for lengths below 1.1e-19 or above 1.8e19, and if a component is infinite or NaN.
            #[inline]
            pub fn normal(self) -> $name {
                self.normal_or($name::ZERO)
            }

            /// [`normal`](Self::normal), with a fallback instead of zero.
            #[inline]
            pub fn normal_or(self, otherwise: $name) -> $name {
                let squared = self.length_squared();
                if squared.is_normal() { self / number::sqrt(squared) } else { otherwise }
            }

            /// The component-wise product.
            #[inline]
            pub const fn times(self, other: $name) -> $name {
                $name { $first: self.$first * other.$first $(, $rest: self.$rest * other.$rest)* }
            }

            /// The component-wise [`number::min`].
            #[inline]
            pub const fn min(self, other: $name) -> $name {
                $name {
                    $first: number::min(self.$first, other.$first)
                    $(, $rest: number::min(self.$rest, other.$rest))*
                }
            }

            /// The component-wise [`number::max`].
            #[inline]
            pub const fn max(self, other: $name) -> $name {
                $name {
                    $first: number::max(self.$first, other.$first)
                    $(, $rest: number::max(self.$rest, other.$rest))*
                }
            }

            /// The component-wise [`number::clamp`].
            #[inline]
            pub const fn clamp(self, lower: $name, upper: $name) -> $name {
                self.max(lower).min(upper)
            }

            /// The component-wise absolute value.
            #[inline]
            pub const fn abs(self) -> $name {
                $name { $first: self.$first.abs() $(, $rest: self.$rest.abs())* }
            }

            /// The smallest component.
            #[inline]
            pub const fn min_component(self) -> f32 {
                let smallest = self.$first;
                $( let smallest = number::min(smallest, self.$rest); )*
                smallest
            }

            /// The largest component.
            #[inline]
            pub const fn max_component(self) -> f32 {
                let largest = self.$first;
                $( let largest = number::max(largest, self.$rest); )*
                largest
            }

            /// The component-wise [`number::lerp`].
            #[inline]
            pub const fn lerp(self, to: $name, part: f32) -> $name {
                $name {
                    $first: number::lerp(self.$first, to.$first, part)
                    $(, $rest: number::lerp(self.$rest, to.$rest, part))*
                }
            }

            /// Clamped to a length of `length_max`; to zero beyond a length of 1.8e19.
            #[inline]
            pub fn limit_length(self, length_max: f32) -> $name {
                if self.length_squared() > length_max * length_max { self.normal() * length_max } else { self }
            }

            /// A step of at most `distance` towards `target`; exactly `target` once that is enough.
            #[inline]
            pub fn move_towards(self, target: $name, distance: f32) -> $name {
                let way = target - self;
                let length = way.length();
                if length > distance && length > 0.0 { self + way * (distance / length) } else { target }
            }

            /// The projection onto `direction`, of any length. Zero for a zero direction.
            #[inline]
            pub fn project_on(self, direction: $name) -> $name {
                let squared = direction.length_squared();
                if squared.is_normal() { direction * (self.dot(direction) / squared) } else { $name::ZERO }
            }

            /// Reflected at the plane (or line) with this unit normal.
            #[inline]
            pub fn reflect(self, normal: $name) -> $name {
                self - normal * (2.0 * self.dot(normal))
            }

            /// Whether all components are finite.
            #[inline]
            pub const fn is_finite(self) -> bool {
                self.$first.is_finite() $(&& self.$rest.is_finite())*
            }

            /// Canonical: see [`number::canonical`].
            #[inline]
            pub const fn canonical(self) -> $name {
                $name { $first: number::canonical(self.$first) $(, $rest: number::canonical(self.$rest))* }
            }
        }

        impl Neg for $name {
            type Output = $name;

            #[inline]
            fn neg(self) -> $name {
                $name { $first: -self.$first $(, $rest: -self.$rest)* }
            }
        }

        impl Add for $name {
            type Output = $name;

            #[inline]
            fn add(self, other: $name) -> $name {
                $name { $first: self.$first + other.$first $(, $rest: self.$rest + other.$rest)* }
            }
        }

        impl Sub for $name {
            type Output = $name;

            #[inline]
            fn sub(self, other: $name) -> $name {
                $name { $first: self.$first - other.$first $(, $rest: self.$rest - other.$rest)* }
            }
        }

        impl Mul<f32> for $name {
            type Output = $name;

            #[inline]
            fn mul(self, factor: f32) -> $name {
                $name { $first: self.$first * factor $(, $rest: self.$rest * factor)* }
            }
        }

        impl Mul<$name> for f32 {
            type Output = $name;

            #[inline]
            fn mul(self, vector: $name) -> $name {
                vector * self
            }
        }

        impl Div<f32> for $name {
            type Output = $name;

            #[inline]
            fn div(self, divisor: f32) -> $name {
                $name { $first: self.$first / divisor $(, $rest: self.$rest / divisor)* }
            }
        }

        impl AddAssign for $name {
            #[inline]
            fn add_assign(&mut self, other: $name) {
                *self = *self + other;
            }
        }

        impl SubAssign for $name {
            #[inline]
            fn sub_assign(&mut self, other: $name) {
                *self = *self - other;
            }
        }

        impl MulAssign<f32> for $name {
            #[inline]
            fn mul_assign(&mut self, factor: f32) {
                *self = *self * factor;
            }
        }

        impl DivAssign<f32> for $name {
            #[inline]
            fn div_assign(&mut self, divisor: f32) {
                *self = *self / divisor;
            }
        }

        /// Panics if the index is out of range.
        impl Index<usize> for $name {
            type Output = f32;

            #[inline]
            fn index(&self, index: usize) -> &f32 {
                match index {
                    $first_index => &self.$first,
                    $( $rest_index => &self.$rest, )*
                    _ => panic!("component {index} of a {}", stringify!($name)),
                }
            }
        }

        /// Panics if the index is out of range.
        impl IndexMut<usize> for $name {
            #[inline]
            fn index_mut(&mut self, index: usize) -> &mut f32 {
                match index {
                    $first_index => &mut self.$first,
                    $( $rest_index => &mut self.$rest, )*
                    _ => panic!("component {index} of a {}", stringify!($name)),
                }
            }
        }
    };
}
