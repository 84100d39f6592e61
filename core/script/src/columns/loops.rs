//! Loops over columns. They are plain, their inputs and outputs never overlap, and their lengths are known: that is what
//! the compiler needs to make vector instructions of them.

use base::Vec3;

use super::LANES;
use super::step::Comparison;

/// The bits of a value in every lane.
pub(super) type Column = [u64; LANES];
/// What vectors and handles have beyond their bits.
pub(super) type Extra = [u32; LANES];

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
    with_comparison!(comparison, holds, {
        gathered(|lane| holds(f64::from_bits(left[lane]), f64::from_bits(right[lane])))
    })
}

/// The lanes in which a comparison of numbers with a constant holds.
pub(super) fn lanes_where_constant(comparison: Comparison, left: &Column, right: f64) -> u64 {
    with_comparison!(comparison, holds, gathered(|lane| holds(f64::from_bits(left[lane]), right)))
}

/// The lanes in which a truth is true.
pub(super) fn lanes_true(truths: &Column) -> u64 {
    gathered(|lane| truths[lane] & 1 != 0)
}

/// New values in some lanes, old ones in all others.
pub(super) fn blend(out: &mut Column, new: &Column, old: &Column, lanes: u64) {
    let (out, _) = out.as_chunks_mut::<4>();
    let ((new, _), (old, _)) = (new.as_chunks::<4>(), old.as_chunks::<4>());
    for group in 0..LANES / 4 {
        let masks = &MASKS[(lanes >> (4 * group) & 15) as usize];
        for lane in 0..4 {
            out[group][lane] = new[group][lane] & masks[lane] | old[group][lane] & !masks[lane];
        }
    }
}

/// Keeps what the old values of all lanes but some have beyond their bits.
pub(super) fn blend_extra(new: &mut Extra, old: &Extra, lanes: u64) {
    for lane in 0..LANES {
        new[lane] = if lanes & BITS[lane] != 0 { new[lane] } else { old[lane] };
    }
}

/// The lanes of which something holds.
#[inline(always)]
pub(super) fn gathered(holds: impl Fn(usize) -> bool) -> u64 {
    let mut lanes = 0;
    for (lane, bit) in BITS.iter().enumerate() {
        lanes |= u64::from(holds(lane)).wrapping_neg() & bit;
    }
    lanes
}

/// The bit of each lane: vector instructions of old can do without shifts that differ by lane.
static BITS: Column = {
    let mut bits = [0; LANES];
    let mut lane = 0;
    while lane < LANES {
        bits[lane] = 1 << lane;
        lane += 1;
    }
    bits
};

/// Four bits as four masks.
static MASKS: [[u64; 4]; 16] = {
    let mut masks = [[0; 4]; 16];
    let mut bits = 0;
    while bits < 16 {
        let mut lane = 0;
        while lane < 4 {
            masks[bits][lane] = ((bits >> lane & 1) as u64).wrapping_neg();
            lane += 1;
        }
        bits += 1;
    }
    masks
};

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
    fn lanes_are_gathered_and_gone_through() {
        let mut lanes = 0x9e37_79b9_7f4a_7c15_u64;
        for _ in 0..200 {
            lanes = lanes.wrapping_mul(0x5851_f42d_4c95_7f2d).wrapping_add(1);
            assert_eq!(gathered(|lane| lanes >> lane & 1 != 0), lanes);
            assert_eq!(each(lanes).fold(0, |all, lane| all | 1 << lane), lanes);
        }
    }

    #[test]
    fn blending_keeps_the_others() {
        let (new, old, mut out) = (core::array::from_fn(|lane| lane as u64), [99; LANES], [0; LANES]);
        let (mut new_extra, old_extra) = (core::array::from_fn(|lane| lane as u32), [99; LANES]);
        let lanes = 0x8000_0001_0000_8185;
        blend(&mut out, &new, &old, lanes);
        blend_extra(&mut new_extra, &old_extra, lanes);
        for lane in 0..LANES {
            let expected = if lanes >> lane & 1 != 0 { lane as u64 } else { 99 };
            assert_eq!((out[lane], u64::from(new_extra[lane])), (expected, expected));
        }
    }
}
