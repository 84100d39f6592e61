//! Files of pictures and videos: PNG, animated PNG, and Y4M streams, which video encoders read.

use std::fmt;
use std::io::{self, Write};

use png::{BitDepth, BlendOp, ColorType, Compression, Encoder, EncodingError, SrgbRenderingIntent};

use crate::renderer::Pixels;

/// Why a picture was not written.
#[derive(Debug)]
pub enum FileError {
    /// Writing failed.
    Io(io::Error),
    /// The picture is empty, or not of the size of the video.
    Size {
        /// The size that was expected.
        expected: [u32; 2],
        /// The size that was found.
        found: [u32; 2],
    },
    /// An animation has more frames than was said at its beginning.
    Frames {
        /// The frames that were announced.
        announced: u32,
    },
}

/// Writes a picture as PNG.
pub fn write_png(out: impl Write, pixels: &Pixels) -> Result<(), FileError> {
    check(pixels, pixels.size)?;
    let mut writer = encoder(out, pixels.size).write_header().map_err(from_png)?;
    writer.write_image_data(&pixels.bytes).map_err(from_png)?;
    writer.finish().map_err(from_png)
}

/// Writes pictures as an animated PNG, which repeats for ever. Of each frame only what has changed since the one before is written.
pub struct ApngWriter<W: Write> {
    writer: png::Writer<W>,
    size: [u32; 2],
    announced: u32,
    written: u32,
    last: Vec<u8>,
}

impl<W: Write> ApngWriter<W> {
    /// Begins an animation of this many frames. The format has their number at its beginning.
    pub fn new(out: W, size: [u32; 2], frames: u32, frames_per_second: u16) -> Result<ApngWriter<W>, FileError> {
        let announced = frames.max(1);
        let mut encoder = encoder(out, size);
        encoder.set_compression(Compression::High);
        encoder.set_animated(announced, 0).map_err(from_png)?;
        encoder.set_frame_delay(1, frames_per_second.max(1)).map_err(from_png)?;
        Ok(ApngWriter {
            writer: encoder.write_header().map_err(from_png)?,
            size,
            announced,
            written: 0,
            last: Vec::new(),
        })
    }

    /// Adds a frame.
    pub fn frame(&mut self, pixels: &Pixels) -> Result<(), FileError> {
        check(pixels, self.size)?;
        if self.written == self.announced {
            return Err(FileError::Frames { announced: self.announced });
        }
        self.written += 1;
        let [width, height] = self.size;
        let whole = || ChangedPart { corner: [0, 0], size: [width, height], bytes: pixels.bytes.clone() };
        let changed = changed_part(&self.last, &pixels.bytes, width);
        let (part, blend) = changed.map_or_else(|| (whole(), BlendOp::Source), |part| (part, BlendOp::Over));
        // The first frame is the whole picture, and has no place of its own.
        if self.written > 1 {
            let ([left, top], [wide, high]) = (part.corner, part.size);
            self.writer.reset_frame_position().map_err(from_png)?;
            self.writer.set_frame_dimension(wide, high).map_err(from_png)?;
            self.writer.set_frame_position(left, top).map_err(from_png)?;
            self.writer.set_blend_op(blend).map_err(from_png)?;
        }
        self.last.clone_from(&pixels.bytes);
        self.writer.write_image_data(&part.bytes).map_err(from_png)
    }

    /// Ends the animation. Frames that are missing make the file invalid, which is an error.
    pub fn finish(self) -> Result<(), FileError> {
        self.writer.finish().map_err(from_png)
    }
}

/// A part of a picture.
struct ChangedPart {
    corner: [u32; 2],
    size: [u32; 2],
    bytes: Vec<u8>,
}

/// The part of an opaque picture in which it differs from the last one; what is equal there is transparent. None if the last one
/// cannot be used.
fn changed_part(last: &[u8], now: &[u8], width: u32) -> Option<ChangedPart> {
    let (last, now) = (last.as_chunks::<4>().0, now.as_chunks::<4>().0);
    if last.len() != now.len() || now.iter().chain(last).any(|[.., alpha]| *alpha != 255) {
        return None;
    }
    let (mut low, mut high) = ([u32::MAX; 2], [0; 2]);
    for (at, _) in (0..).zip(last.iter().zip(now)).filter(|(_, (last, now))| last != now) {
        let place = [at % width, at / width];
        low = [low[0].min(place[0]), low[1].min(place[1])];
        high = [high[0].max(place[0]), high[1].max(place[1])];
    }
    // A frame has at least one pixel.
    let corner = if low[0] > high[0] { [0, 0] } else { low };
    let size = [high[0] - corner[0] + 1, high[1] - corner[1] + 1];
    let rows = corner[1]..corner[1] + size[1];
    let bytes = rows.flat_map(|row| {
        let first = (row * width + corner[0]) as usize;
        let texels = first..first + size[0] as usize;
        texels.flat_map(|at| if last[at] == now[at] { [0; 4] } else { now[at] })
    });
    Some(ChangedPart { corner, size, bytes: bytes.collect() })
}

/// Writes pictures as a Y4M stream: uncompressed, 4:2:0, limited range (Rec. 709).
pub struct Y4mWriter<W: Write> {
    out: W,
    size: [u32; 2],
    bytes: Vec<u8>,
}

impl<W: Write> Y4mWriter<W> {
    /// Begins a stream.
    pub fn new(mut out: W, size: [u32; 2], frames_per_second: u16) -> Result<Y4mWriter<W>, FileError> {
        let [width, height] = size;
        let rate = frames_per_second.max(1);
        let header = format!("YUV4MPEG2 W{width} H{height} F{rate}:1 Ip A1:1 C420jpeg XCOLORRANGE=LIMITED\n");
        out.write_all(header.as_bytes()).map_err(FileError::Io)?;
        Ok(Y4mWriter { out, size, bytes: Vec::new() })
    }

    /// Adds a frame.
    pub fn frame(&mut self, pixels: &Pixels) -> Result<(), FileError> {
        check(pixels, self.size)?;
        let [width, height] = self.size.map(|side| side as usize);
        let texels = pixels.bytes.as_chunks::<4>().0;
        self.bytes.clear();
        self.bytes.extend_from_slice(b"FRAME\n");
        self.bytes.extend(texels.iter().map(|texel| component(*texel, [11966, 40254, 4064], 16)));
        for weights in [[-6596, -22189, 28784], [28784, -26145, -2639]] {
            for row in 0..height.div_ceil(2) {
                for column in 0..width.div_ceil(2) {
                    let at = |dx: usize, dy: usize| {
                        let (x, y) = ((2 * column + dx).min(width - 1), (2 * row + dy).min(height - 1));
                        texels[y * width + x]
                    };
                    let four = [at(0, 0), at(1, 0), at(0, 1), at(1, 1)];
                    let mean: [u8; 4] = std::array::from_fn(|channel| {
                        let sum: u32 = four.iter().map(|texel| u32::from(texel[channel])).sum();
                        ((sum + 2) / 4) as u8
                    });
                    self.bytes.push(component(mean, weights, 128));
                }
            }
        }
        self.out.write_all(&self.bytes).map_err(FileError::Io)
    }

    /// Ends the stream.
    pub fn finish(mut self) -> Result<(), FileError> {
        self.out.flush().map_err(FileError::Io)
    }
}

/// A component of a colour: the weights are 65536ths of the range from black to white, in 219 or 224 steps of 255.
fn component([red, green, blue, _]: [u8; 4], weights: [i32; 3], offset: i32) -> u8 {
    let sum = i32::from(red) * weights[0] + i32::from(green) * weights[1] + i32::from(blue) * weights[2];
    (((sum + 32768) >> 16) + offset).clamp(0, 255) as u8
}

fn encoder<W: Write>(out: W, [width, height]: [u32; 2]) -> Encoder<'static, W> {
    let mut encoder = Encoder::new(out, width, height);
    encoder.set_color(ColorType::Rgba);
    encoder.set_depth(BitDepth::Eight);
    encoder.set_compression(Compression::Fast);
    encoder.set_source_srgb(SrgbRenderingIntent::Perceptual);
    encoder
}

fn check(pixels: &Pixels, expected: [u32; 2]) -> Result<(), FileError> {
    let [width, height] = pixels.size;
    let is_whole = pixels.bytes.len() == width as usize * height as usize * 4;
    if pixels.size == expected && is_whole && width > 0 && height > 0 {
        Ok(())
    } else {
        Err(FileError::Size { expected, found: pixels.size })
    }
}

fn from_png(error: EncodingError) -> FileError {
    match error {
        EncodingError::IoError(error) => FileError::Io(error),
        other => FileError::Io(io::Error::other(other)),
    }
}

impl fmt::Display for FileError {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            FileError::Io(error) => write!(formatter, "the picture cannot be written: {error}"),
            FileError::Size { expected: [w, h], found: [x, y] } => {
                write!(formatter, "a picture of {w} × {h} pixels was expected, this one has {x} × {y}")
            }
            FileError::Frames { announced } => write!(formatter, "the animation already has its {announced} frames"),
        }
    }
}

impl std::error::Error for FileError {}

#[cfg(test)]
mod tests {
    use super::*;

    fn picture(width: u32, height: u32) -> Pixels {
        let bytes = (0..width * height * 4).map(|at| if at % 4 == 3 { 255 } else { (at * 7) as u8 }).collect();
        Pixels { size: [width, height], bytes }
    }

    #[test]
    fn a_png_holds_its_pixels() {
        let pixels = picture(17, 5);
        let mut bytes = Vec::new();
        write_png(&mut bytes, &pixels).unwrap();
        let mut reader = png::Decoder::new(io::Cursor::new(bytes)).read_info().unwrap();
        let mut read = vec![0; 17 * 5 * 4];
        reader.next_frame(&mut read).unwrap();
        assert_eq!(read, pixels.bytes);
    }

    #[test]
    fn an_animation_has_the_frames_it_announced() {
        let mut bytes = Vec::new();
        let mut writer = ApngWriter::new(&mut bytes, [8, 8], 2, 30).unwrap();
        writer.frame(&picture(8, 8)).unwrap();
        assert!(matches!(writer.frame(&picture(8, 9)), Err(FileError::Size { .. })));
        writer.frame(&picture(8, 8)).unwrap();
        assert!(matches!(writer.frame(&picture(8, 8)), Err(FileError::Frames { announced: 2 })));
        writer.finish().unwrap();
        let reader = png::Decoder::new(io::Cursor::new(bytes)).read_info().unwrap();
        assert_eq!(reader.info().animation_control.map(|control| control.num_frames), Some(2));
    }

    #[test]
    fn the_frames_of_an_animation_show_their_pictures_though_only_changes_are_written() {
        let first = picture(9, 7);
        let mut second = first.clone();
        for at in [9 * 2 + 3, 9 * 5 + 6] {
            second.bytes[at * 4..at * 4 + 3].copy_from_slice(&[1, 2, 3]);
        }
        let mut seen_through = second.clone();
        seen_through.bytes[7] = 128;
        let frames = [&first, &second, &second, &first, &seen_through, &first];
        let mut bytes = Vec::new();
        let mut writer = ApngWriter::new(&mut bytes, [9, 7], frames.len() as u32, 30).unwrap();
        frames.iter().for_each(|frame| writer.frame(frame).unwrap());
        writer.finish().unwrap();
        let mut reader = png::Decoder::new(io::Cursor::new(bytes)).read_info().unwrap();
        let mut shown = vec![0; 9 * 7 * 4];
        let mut sizes = Vec::new();
        for frame in frames {
            let mut read = vec![0; 9 * 7 * 4];
            reader.next_frame(&mut read).unwrap();
            let control = *reader.info().frame_control().unwrap();
            sizes.push([control.width, control.height]);
            for row in 0..control.height {
                for column in 0..control.width {
                    let from = (row * control.width + column) as usize * 4;
                    let to = ((row + control.y_offset) * 9 + column + control.x_offset) as usize * 4;
                    if control.blend_op == BlendOp::Source || read[from + 3] == 255 {
                        shown[to..to + 4].copy_from_slice(&read[from..from + 4]);
                    }
                }
            }
            assert_eq!(shown, frame.bytes);
        }
        assert_eq!(sizes, [[9, 7], [4, 4], [1, 1], [4, 4], [9, 7], [9, 7]]);
    }

    #[test]
    fn a_stream_has_whole_frames_also_of_odd_sizes() {
        let mut bytes = Vec::new();
        let mut writer = Y4mWriter::new(&mut bytes, [5, 3], 25).unwrap();
        writer.frame(&picture(5, 3)).unwrap();
        writer.finish().unwrap();
        let start = bytes.iter().position(|byte| *byte == b'\n').unwrap() + 1;
        assert_eq!(bytes.len() - start, 6 + 15 + 6 + 6);
        let white = Pixels { size: [1, 1], bytes: vec![255; 4] };
        let mut bytes = Vec::new();
        Y4mWriter::new(&mut bytes, [1, 1], 25).unwrap().frame(&white).unwrap();
        assert_eq!(bytes[bytes.len() - 3..], [235, 128, 128]);
    }

    #[test]
    fn an_empty_picture_is_refused() {
        assert!(write_png(Vec::new(), &Pixels::default()).is_err());
        assert!(write_png(Vec::new(), &Pixels { size: [2, 2], bytes: vec![0; 3] }).is_err());
    }
}
