//! Whole numbers from floats, without a call: exact for what a picture can hold.

/// The greatest whole number not above a value; 0 for what is not a number, and the limits of `i32` beyond them.
#[inline]
pub fn whole(value: f32) -> i32 {
    let truncated = value as i32;
    truncated.saturating_sub(i32::from(value < truncated as f32))
}

#[cfg(test)]
mod tests {
    use super::whole;

    #[test]
    fn values_are_rounded_down() {
        for (value, expected) in [(0.0, 0), (0.9, 0), (-0.1, -1), (-1.0, -1), (-1.5, -2), (7.0, 7), (f32::NAN, 0)] {
            assert_eq!(whole(value), expected, "{value}");
        }
        assert_eq!((whole(f32::INFINITY), whole(f32::MIN)), (i32::MAX, i32::MIN));
    }
}
