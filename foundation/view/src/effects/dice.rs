//! Random numbers of particles: any particle's are found from its number, without those before it.

/// A sequence of random numbers (SplitMix64 by Steele, Lea and Flood 2014).
#[derive(Clone, Copy, Debug)]
pub(super) struct Dice {
    state: u64,
}

const GOLDEN: u64 = 0x9e37_79b9_7f4a_7c15;
const STREAM: u64 = 0xd1b5_4a32_d192_ed03;

impl Dice {
    /// The dice of one particle: of this seed, this part of the effect, and this number.
    #[inline]
    pub(super) fn new(seed: u64, part: u64, number: u64) -> Dice {
        let mut dice = Dice { state: seed ^ (part + 1).wrapping_mul(STREAM) };
        dice.state = dice.next() ^ number.wrapping_mul(GOLDEN);
        dice
    }

    #[inline]
    fn next(&mut self) -> u64 {
        self.state = self.state.wrapping_add(GOLDEN);
        let mut bits = self.state;
        bits = (bits ^ bits >> 30).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        bits = (bits ^ bits >> 27).wrapping_mul(0x94d0_49bb_1331_11eb);
        bits ^ bits >> 31
    }

    /// Two numbers from 0 to below 1.
    #[inline]
    pub(super) fn pair(&mut self) -> (f32, f32) {
        const STEP: f32 = 1.0 / 16_777_216.0;
        let bits = self.next();
        ((bits >> 40) as f32 * STEP, (bits >> 8 & 0xff_ffff) as f32 * STEP)
    }

    /// A number from 0 to below 1.
    #[inline]
    pub(super) fn unit(&mut self) -> f32 {
        self.pair().0
    }
}

/// The cosine and the sine of a number of turns, to a thousandth: enough for directions that are random anyway, and five
/// times faster than the exact ones.
#[inline]
pub(super) fn circle(turns: f32) -> (f32, f32) {
    (wave(turns + 0.25), wave(turns))
}

/// The sine of a number of turns, by two parabolas.
#[inline]
fn wave(turns: f32) -> f32 {
    // Into −1 to 1 half turns, without branches, which random numbers would mislead. Turns are small: whole ones fit an integer.
    let whole = (turns + 0.5_f32.copysign(turns)) as i32 as f32;
    let half = (turns - whole) * 2.0;
    let parabola = 4.0 * half * (1.0 - half.abs());
    parabola * (0.775 + 0.225 * parabola.abs())
}

/// A smooth random value from 0 to 1 that changes once per unit of time.
pub(super) fn noise(seed: u64, part: u64, time: f64) -> f32 {
    let whole = time as u64;
    let (from, to) = (Dice::new(seed, part, whole).unit(), Dice::new(seed, part, whole + 1).unit());
    let rest = (time - whole as f64) as f32;
    let smooth = rest * rest * (3.0 - 2.0 * rest);
    from + (to - from) * smooth
}

#[cfg(test)]
mod tests {
    use base::number;

    use super::*;

    #[test]
    fn circles_are_round_to_a_thousandth() {
        for step in -400..=400_i16 {
            let turns = f32::from(step) / 100.0;
            let (sine, cosine) = number::sin_cos(turns * core::f32::consts::TAU);
            let (x, y) = circle(turns);
            assert!((x - cosine).abs() < 1.2e-3 && (y - sine).abs() < 1.2e-3, "{turns}: {x} {cosine}, {y} {sine}");
        }
    }

    #[test]
    fn dice_are_even_and_independent() {
        let mut sums = [0.0; 3];
        for number in 0..10_000 {
            let mut dice = Dice::new(7, 3, number);
            let (first, second) = dice.pair();
            assert!((0.0..1.0).contains(&first) && (0.0..1.0).contains(&second));
            sums = [sums[0] + first, sums[1] + second, sums[2] + first * second];
        }
        let [first, second, both] = sums.map(|sum| sum / 10_000.0);
        assert!((first - 0.5).abs() < 0.02 && (second - 0.5).abs() < 0.02 && (both - 0.25).abs() < 0.02);
    }

    #[test]
    fn noise_is_continuous() {
        for step in 0..1000 {
            let time = f64::from(step) * 0.01;
            assert!((noise(1, 2, time) - noise(1, 2, time + 0.01)).abs() < 0.03);
        }
    }
}
