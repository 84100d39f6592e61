//! Angles: designers write degrees, games read radians.

use base::number::double;

/// Degrees as radians, rounded once.
pub fn radians(degrees: f64) -> f32 {
    (degrees * (double::PI / 180.0)) as f32
}

/// Radians as degrees: the shortest decimal that gives the same radians.
pub fn degrees(angle: f32) -> f64 {
    let exact = f64::from(angle) * (180.0 / double::PI);
    if !exact.is_finite() {
        return exact;
    }
    for places in 0..7 {
        let scale = double::pow_whole(10.0, places);
        let rounded = double::round(exact * scale) / scale;
        if radians(rounded) == angle {
            return rounded;
        }
    }
    exact
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn degrees_come_back_as_they_were_written() {
        for written in [0.0, 45.0, -90.0, 0.1, 33.3, 359.999, 1234.5] {
            assert_eq!(degrees(radians(written)), written);
        }
    }
}
