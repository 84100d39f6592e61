//! Loops over columns. They are plain, their inputs and outputs never overlap, and their lengths are known: that is what
//! the compiler needs to make vector instructions of them.

use base::Vec3;

use super::LANES;
use super::step::Comparison;

/// The bits of a value in every lane.
pub(super) type Column = [u64; LANES];
/// What vectors and handles have beyond their bits.
pub(super) type Extra = [u32; LANES];
/// A claim about every lane: 0 or 1.
type Claims = [u8; LANES];

/// A function of one column.
#[inline(always)]
pub(super) fn one(out: &mut Column, from: &Column, work: impl Fn(u64) -> u64) {
    for lane in 0..LANES {
        out[lane] = work(from[lane]);
    }
}

/// A function of two columns.
#[inline(always)]
pub(super) fn two(out: &mut Column, left: &Column, right: &Column, work: impl Fn(u64, u64) -> u64) {
    for lane in 0..LANES {
        out[lane] = work(left[lane], right[lane]);
    }
}

/// A function of three columns of numbers.
#[inline(always)]
pub(super) fn three(out: &mut Column, from: [&Column; 3], work: impl Fn(f64, f64, f64) -> f64) {
    for lane in 0..LANES {
        let [first, second, third] = from.map(|column| f64::from_bits(column[lane]));
        out[lane] = work(first, second, third).to_bits();
    }
}

/// A function of numbers.
#[inline(always)]
pub(super) fn number(work: impl Fn(f64) -> f64) -> impl Fn(u64) -> u64 {
    move |bits| work(f64::from_bits(bits)).to_bits()
}

/// A function of two numbers.
#[inline(always)]
pub(super) fn numbers(work: impl Fn(f64, f64) -> f64) -> impl Fn(u64, u64) -> u64 {
    move |left, right| work(f64::from_bits(left), f64::from_bits(right)).to_bits()
}

/// A function of two identifiers.
#[inline(always)]
pub(super) fn identifiers(work: impl Fn(i32, i32) -> i32) -> impl Fn(u64, u64) -> u64 {
    move |left, right| u64::from(work(identifier(left), identifier(right)).cast_unsigned())
}

/// The identifier that bits are.
#[inline(always)]
pub(super) fn identifier(bits: u64) -> i32 {
    (bits as u32).cast_signed()
}

/// The vector in a lane.
#[inline(always)]
pub(super) fn vector(bits: u64, extra: u32) -> Vec3 {
    Vec3::new(f32::from_bits(bits as u32), f32::from_bits((bits >> 32) as u32), f32::from_bits(extra))
}

/// A vector for each lane.
#[inline(always)]
pub(super) fn vectors(out: &mut Column, extra: &mut Extra, work: impl Fn(usize) -> Vec3) {
    for lane in 0..LANES {
        let vector = work(lane);
        out[lane] = u64::from(vector.y.to_bits()) << 32 | u64::from(vector.x.to_bits());
        extra[lane] = vector.z.to_bits();
    }
}

/// What is measured of vectors: a number for each lane.
#[inline(always)]
pub(super) fn measures(out: &mut Column, work: impl Fn(usize) -> f32) {
    for (lane, out) in out.iter_mut().enumerate() {
        *out = f64::from(work(lane)).to_bits();
    }
}

/// A truth for each lane.
#[inline(always)]
pub(super) fn truths(out: &mut Column, work: impl Fn(usize) -> bool) {
    for (lane, out) in out.iter_mut().enumerate() {
        *out = work(lane).into();
    }
}

/// Runs some code once for each comparison, with the comparison as a function that is known to the compiler.
macro_rules! with_comparison {
    ($comparison:expr, $holds:ident, $code:expr) => {
        match $comparison {
            Comparison::Less => {
                let $holds = |left, right| left < right;
                $code
            }
            Comparison::LessEqual => {
                let $holds = |left, right| left <= right;
                $code
            }
            Comparison::Greater => {
                let $holds = |left, right| left > right;
                $code
            }
            Comparison::GreaterEqual => {
                let $holds = |left, right| left >= right;
                $code
            }
            Comparison::Equal => {
                let $holds = |left, right| left == right;
                $code
            }
            Comparison::Unequal => {
                let $holds = |left, right| left != right;
                $code
            }
        }
    };
}

/// Compares numbers; the truths are a column.
pub(super) fn compare_numbers(out: &mut Column, comparison: Comparison, left: &Column, right: &Column) {
    with_comparison!(comparison, holds, {
        two(out, left, right, |left, right| u64::from(holds(f64::from_bits(left), f64::from_bits(right))));
    });
}

/// Compares identifiers; the truths are a column.
pub(super) fn compare_identifiers(out: &mut Column, comparison: Comparison, left: &Column, right: &Column) {
    with_comparison!(comparison, holds, {
        two(out, left, right, |left, right| u64::from(holds(identifier(left), identifier(right))));
    });
}

/// The lanes in which a comparison of numbers holds.
pub(super) fn lanes_where(comparison: Comparison, left: &Column, right: &Column) -> u64 {
    let mut claims = [0; LANES];
    with_comparison!(comparison, holds, {
        for lane in 0..LANES {
            claims[lane] = u8::from(holds(f64::from_bits(left[lane]), f64::from_bits(right[lane])));
        }
    });
    gathered(&claims)
}

/// The lanes in which a comparison of numbers with a constant holds.
pub(super) fn lanes_where_constant(comparison: Comparison, left: &Column, right: f64) -> u64 {
    let mut claims = [0; LANES];
    with_comparison!(comparison, holds, {
        for lane in 0..LANES {
            claims[lane] = u8::from(holds(f64::from_bits(left[lane]), right));
        }
    });
    gathered(&claims)
}

/// The lanes in which a truth is true.
pub(super) fn lanes_true(truths: &Column) -> u64 {
    let mut claims = [0; LANES];
    for lane in 0..LANES {
        claims[lane] = truths[lane] as u8 & 1;
    }
    gathered(&claims)
}

/// Keeps the old values of all lanes but some.
pub(super) fn blend(new: &mut Column, old: &Column, lanes: u64) {
    let claims = spread(lanes);
    for lane in 0..LANES {
        let mask = u64::from(claims[lane]).wrapping_neg();
        new[lane] = new[lane] & mask | old[lane] & !mask;
    }
}

/// Keeps what the old values of all lanes but some have beyond their bits.
pub(super) fn blend_extra(new: &mut Extra, old: &Extra, lanes: u64) {
    let claims = spread(lanes);
    for lane in 0..LANES {
        let mask = u32::from(claims[lane]).wrapping_neg();
        new[lane] = new[lane] & mask | old[lane] & !mask;
    }
}

/// Claims as bits. Multiplying moves the lowest bits of eight bytes next to each other, at the top.
pub(super) fn gathered(claims: &Claims) -> u64 {
    let (eights, _) = claims.as_chunks::<8>();
    let mut bits = 0;
    for (index, eight) in eights.iter().enumerate() {
        let gathered = u64::from_le_bytes(*eight).wrapping_mul(0x0102_0408_1020_4080) >> 56;
        bits |= gathered << (8 * index);
    }
    bits
}

/// Bits as claims. Multiplying repeats eight bits in eight bytes, of which each keeps its own; adding moves it to the top.
fn spread(lanes: u64) -> Claims {
    let mut claims = [0; LANES];
    let (eights, _) = claims.as_chunks_mut::<8>();
    for (eight, bits) in eights.iter_mut().zip(lanes.to_le_bytes()) {
        let own = (u64::from(bits) * 0x0101_0101_0101_0101) & 0x8040_2010_0804_0201;
        *eight = (((own + 0x7f7f_7f7f_7f7f_7f7f) >> 7) & 0x0101_0101_0101_0101).to_le_bytes();
    }
    claims
}

/// The numbers of the lanes in a set.
pub(super) fn each(mut lanes: u64) -> impl Iterator<Item = usize> {
    core::iter::from_fn(move || {
        let lane = lanes.trailing_zeros() as usize;
        lanes &= lanes.wrapping_sub(1);
        (lane < LANES).then_some(lane)
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn claims_and_bits_are_the_same_lanes() {
        let mut lanes = 0x9e37_79b9_7f4a_7c15_u64;
        for known in [0, 1, u64::MAX, 1 << 63, 0x8000_0001_0000_0080] {
            assert_eq!(gathered(&spread(known)), known);
        }
        for _ in 0..200 {
            lanes = lanes.wrapping_mul(0x5851_f42d_4c95_7f2d).wrapping_add(1);
            let claims = spread(lanes);
            assert!((0..LANES).all(|lane| u64::from(claims[lane]) == lanes >> lane & 1));
            assert_eq!(gathered(&claims), lanes);
            assert_eq!(each(lanes).fold(0, |all, lane| all | 1 << lane), lanes);
        }
    }

    #[test]
    fn blending_keeps_the_others() {
        let (mut new, old) = ([7; LANES], [9; LANES]);
        blend(&mut new, &old, 0b101);
        assert_eq!(new[..4], [7, 9, 7, 9]);
        assert_eq!(new[63], 9);
    }
}
