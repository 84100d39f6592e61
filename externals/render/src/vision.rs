//! Colours for every kind of colour vision: daltonisation.
//!
//! What an eye without one kind of cones sees is simulated by the matrices of Machado, Oliveira and Fernandes (2009) for a severity of
//! 1, in linear light. The difference to the original is what such an eye misses; it is moved to channels in which it can be
//! seen (Fidaner, Lin and Ozguven 2005). All of it is one matrix, `1 + E·(1 − S)`, which leaves greys as they are.

use view::ColourVision;

use crate::colour::{LINEAR_FROM_SRGB, LUMINANCE};

/// A matrix, row by row.
pub type Matrix = [[f32; 3]; 3];

const IDENTITY: Matrix = [[1.0, 0.0, 0.0], [0.0, 1.0, 0.0], [0.0, 0.0, 1.0]];
const PROTANOPIA: Matrix =
    [[0.152_286, 1.052_583, -0.204_868], [0.114_503, 0.786_281, 0.099_216], [-0.003_882, -0.048_116, 1.051_998]];
const DEUTERANOPIA: Matrix =
    [[0.367_322, 0.860_646, -0.227_968], [0.280_085, 0.672_501, 0.047_413], [-0.011_82, 0.042_94, 0.968_881]];
const TRITANOPIA: Matrix =
    [[1.255_528, -0.076_749, -0.178_779], [-0.078_411, 0.930_809, 0.147_602], [0.004_733, 0.691_367, 0.303_9]];
/// Where the difference goes: from red and green to green and blue.
const FROM_RED: Matrix = [[0.0, 0.0, 0.0], [0.7, 1.0, 0.0], [0.7, 0.0, 1.0]];
/// Where the difference goes: from blue to red and green.
const FROM_BLUE: Matrix = [[1.0, 0.0, 0.7], [0.0, 1.0, 0.7], [0.0, 0.0, 0.0]];

/// What becomes of linear light for a kind of colour vision; none if nothing does.
pub fn correction(vision: ColourVision) -> Option<Matrix> {
    let (seen, moved) = match vision {
        ColourVision::Usual => return None,
        ColourVision::Greys => return Some([LUMINANCE; 3]),
        ColourVision::Protanopia => (PROTANOPIA, FROM_RED),
        ColourVision::Deuteranopia => (DEUTERANOPIA, FROM_RED),
        ColourVision::Tritanopia => (TRITANOPIA, FROM_BLUE),
    };
    let missed = combined(&IDENTITY, &seen, -1.0);
    let shifted = std::array::from_fn(|row| product(&transposed(&missed), moved[row]));
    Some(combined(&IDENTITY, &shifted, 1.0))
}

/// Linear light as an eye without one kind of cones sees it.
pub fn simulated(vision: ColourVision, light: [f32; 3]) -> [f32; 3] {
    match vision {
        ColourVision::Usual => light,
        ColourVision::Greys => product(&[LUMINANCE; 3], light),
        ColourVision::Protanopia => product(&PROTANOPIA, light),
        ColourVision::Deuteranopia => product(&DEUTERANOPIA, light),
        ColourVision::Tritanopia => product(&TRITANOPIA, light),
    }
}

/// Changes the pixels of a picture, four bytes each, for a kind of colour vision. The same everywhere: a table, products and sums.
pub fn correct(matrix: &Matrix, pixels: &mut [u8]) {
    for pixel in pixels.as_chunks_mut::<4>().0 {
        let light = [pixel[0], pixel[1], pixel[2]].map(|code| LINEAR_FROM_SRGB[usize::from(code)]);
        let [red, green, blue] = product(matrix, light).map(code_of);
        *pixel = [red, green, blue, pixel[3]];
    }
}

/// The code in sRGB whose light is nearest.
fn code_of(light: f32) -> u8 {
    let table = &*LINEAR_FROM_SRGB;
    let above = table.partition_point(|value| *value < light).min(255);
    let below = above.saturating_sub(1);
    let is_above = table[above] - light < light - table[below];
    if is_above { above as u8 } else { below as u8 }
}

fn product(matrix: &Matrix, light: [f32; 3]) -> [f32; 3] {
    matrix.map(|row| row[0] * light[0] + row[1] * light[1] + row[2] * light[2])
}

fn transposed(matrix: &Matrix) -> Matrix {
    std::array::from_fn(|row| std::array::from_fn(|column| matrix[column][row]))
}

fn combined(left: &Matrix, right: &Matrix, factor: f32) -> Matrix {
    std::array::from_fn(|row| std::array::from_fn(|column| left[row][column] + right[row][column] * factor))
}

#[cfg(test)]
mod tests {
    use super::*;

    const DEFICIENT: [ColourVision; 3] =
        [ColourVision::Protanopia, ColourVision::Deuteranopia, ColourVision::Tritanopia];

    fn distance(a: [f32; 3], b: [f32; 3]) -> f32 {
        (0..3).map(|channel| (a[channel] - b[channel]).powi(2)).sum::<f32>().sqrt()
    }

    #[test]
    fn greys_stay_and_the_usual_eye_sees_everything_as_it_is() {
        assert_eq!(correction(ColourVision::Usual), None);
        for vision in DEFICIENT {
            let matrix = correction(vision).unwrap();
            for grey in [0_u8, 1, 77, 128, 254, 255] {
                let mut pixel = [grey, grey, grey, 9];
                correct(&matrix, &mut pixel);
                assert!(
                    pixel[..3].iter().all(|code| code.abs_diff(grey) <= 1) && pixel[3] == 9,
                    "{vision:?} {pixel:?}"
                );
            }
        }
        let mut pixel = [200, 30, 90, 255];
        correct(&correction(ColourVision::Greys).unwrap(), &mut pixel);
        assert!(pixel[0] == pixel[1] && pixel[1] == pixel[2]);
    }

    #[test]
    fn colours_that_an_eye_confuses_differ_more_after_the_correction() {
        // For each eye: two colours of equal brightness that only its missing cones tell apart, along the axis it does not see.
        for (vision, axis) in DEFICIENT.into_iter().zip([[1.0, -0.2, 0.0], [-0.35, 0.3, 0.0], [0.0, -0.15, 0.9]]) {
            let middle = [0.35, 0.35, 0.35];
            let [one, other] = [0.3_f32, -0.3]
                .map(|part| std::array::from_fn::<f32, 3, _>(|channel| middle[channel] + axis[channel] * part));
            let before = distance(simulated(vision, one), simulated(vision, other));
            let matrix = correction(vision).unwrap();
            let after = distance(simulated(vision, product(&matrix, one)), simulated(vision, product(&matrix, other)));
            assert!(after > before * 1.3, "{vision:?}: {before} before, {after} after");
        }
    }

    #[test]
    fn every_code_is_its_own_nearest() {
        for code in 0..=255_u8 {
            assert_eq!(code_of(LINEAR_FROM_SRGB[usize::from(code)]), code);
        }
        assert_eq!((code_of(-1.0), code_of(7.0), code_of(f32::NAN)), (0, 255, 0));
    }
}
