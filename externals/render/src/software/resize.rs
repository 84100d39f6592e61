//! The world in another size than the picture: interpolated in whole numbers.

use crate::renderer::Pixels;

/// The steps between two pixels.
const STEPS: u64 = 256;

/// A row of a picture of this size, interpolated between the pixels of another.
pub fn resized_row(from: &Pixels, size: [u32; 2], y: u32, out: &mut [u8]) {
    let (rows, down) = place(y, size[1], from.size[1]);
    let wide = from.size[0] as usize * 4;
    let rows = rows.map(|row| &from.bytes[row as usize * wide..][..wide]);
    for (x, pixel) in out.as_chunks_mut::<4>().0.iter_mut().enumerate() {
        let (columns, across) = place(x as u32, size[0], from.size[0]);
        for (channel, value) in pixel.iter_mut().enumerate() {
            let at = |row: usize, column: usize| u64::from(rows[row][columns[column] as usize * 4 + channel]);
            let mixed = |row: usize| at(row, 0) * (STEPS - across) + at(row, 1) * across;
            let sum = mixed(0) * (STEPS - down) + mixed(1) * down;
            *value = ((sum + STEPS * STEPS / 2) / (STEPS * STEPS)) as u8;
        }
    }
}

/// The two pixels of a row of `from` between which a pixel of a row of `to` lies, and how far it is from the first.
fn place(at: u32, to: u32, from: u32) -> ([u32; 2], u64) {
    // The middle of the pixel, in steps of the other row, less half a pixel of that.
    let (at, to, from) = (u64::from(at), u64::from(to), u64::from(from));
    let middle = ((2 * at + 1) * from * STEPS / (2 * to)).saturating_sub(STEPS / 2);
    let first = (middle / STEPS).min(from - 1);
    ([first as u32, (first + 1).min(from - 1) as u32], middle % STEPS)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_row_is_interpolated_and_keeps_its_ends() {
        let from = Pixels { size: [2, 1], bytes: vec![0, 100, 200, 255, 200, 100, 0, 255] };
        let row = |width: u32| {
            let mut out = vec![0; width as usize * 4];
            resized_row(&from, [width, 1], 0, &mut out);
            out.as_chunks::<4>().0.to_vec()
        };
        assert_eq!(row(2), [[0, 100, 200, 255], [200, 100, 0, 255]]);
        assert_eq!(row(1), [[100, 100, 100, 255]]);
        assert_eq!(row(4), [[0, 100, 200, 255], [50, 100, 150, 255], [150, 100, 50, 255], [200, 100, 0, 255]]);
    }
}
