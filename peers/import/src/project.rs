//! A project of Halo 2's shape: of 39,000 files, 12,000 are sounds, 6,440 textures, 1,984 models; the rest are texts here. A smaller
//! one has the same mix. Everything follows from the number of a file.

use std::cell::Cell;
use std::fs;
use std::path::{Path, PathBuf};

use media::picture::Picture;

/// A kind of source.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kind {
    /// `.wav`, mono, 22,050 Hz, 0.1 to 1 s.
    Sound,
    /// `.png`, 16 to 128 pixels a side.
    Texture,
    /// `.glb`, a surface of 72 to 1,152 triangles.
    Model,
    /// `.ftl`, ten texts.
    Text,
}

impl Kind {
    /// The extension of its files.
    pub fn extension(self) -> &'static str {
        match self {
            Kind::Sound => "wav",
            Kind::Texture => "png",
            Kind::Model => "glb",
            Kind::Text => "ftl",
        }
    }
}

/// A generated project: `data` is the folder of sources.
pub struct Project {
    /// The folder of everything.
    pub folder: PathBuf,
    counts: [(Kind, usize); 4],
    changes: Cell<u32>,
}

impl Project {
    /// Writes a project of about this many files.
    pub fn generate(folder: &Path, files: usize) -> Project {
        let of = |count: usize| (count * files).div_ceil(39_000);
        let counts = [(Kind::Sound, of(12_000)), (Kind::Texture, of(6_440)), (Kind::Model, of(1_984))];
        let rest = files.saturating_sub(counts.iter().map(|(_, count)| count).sum());
        let counts = [counts[0], counts[1], counts[2], (Kind::Text, rest)];
        let project = Project { folder: folder.to_path_buf(), counts, changes: Cell::new(0) };
        for (kind, count) in counts {
            for number in 0..count {
                let path = project.path(kind, number);
                fs::create_dir_all(path.parent().expect("it is in a folder")).expect("the folder is writable");
                fs::write(path, content(kind, number as u32)).expect("the folder is writable");
            }
        }
        fs::create_dir_all(folder.join("tags")).expect("the folder is writable");
        project
    }

    /// The folder of sources.
    pub fn data(&self) -> PathBuf {
        self.folder.join("data")
    }

    /// The numbers of files and their bytes by kind.
    pub fn shape(&self) -> Vec<(Kind, usize, u64)> {
        let size = |path: PathBuf| fs::metadata(path).map_or(0, |found| found.len());
        (self.counts.iter())
            .map(|(kind, count)| (*kind, *count, (0..*count).map(|number| size(self.path(*kind, number))).sum()))
            .collect()
    }

    /// The number of files.
    pub fn files(&self) -> usize {
        self.counts.iter().map(|(_, count)| count).sum()
    }

    /// A file of the project.
    pub fn path(&self, kind: Kind, number: usize) -> PathBuf {
        let folder = match kind {
            // Texts lie in a folder of their language.
            Kind::Text => format!("data/texts/{:03}/en", number / 200),
            _ => format!("data/{}/{:03}", kind.extension(), number / 200),
        };
        self.folder.join(format!("{folder}/{}{number:05}.{}", kind.extension(), kind.extension()))
    }

    /// Paints another texture over one of 128 pixels.
    pub fn change_texture(&self) {
        self.changes.set(self.changes.get() + 1);
        let picture = texture(128, 1_000_000 + self.changes.get());
        fs::write(self.path(Kind::Texture, 0), picture).expect("the folder is writable");
    }
}

/// A small random generator (Marsaglia's xorshift).
struct Noise(u32);

impl Noise {
    fn new(seed: u32) -> Noise {
        Noise(seed.wrapping_mul(2_654_435_761) | 1)
    }

    fn next(&mut self) -> u32 {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 17;
        self.0 ^= self.0 << 5;
        self.0
    }
}

fn content(kind: Kind, number: u32) -> Vec<u8> {
    match kind {
        Kind::Sound => sound(number),
        Kind::Texture => texture(16 << (number % 4), number),
        Kind::Model => model(number),
        Kind::Text => (0..10)
            .map(|line| format!("line-{number}-{line} = Text {line} of file {number}\n"))
            .collect::<String>()
            .into(),
    }
}

fn sound(number: u32) -> Vec<u8> {
    let mut noise = Noise::new(number);
    let frames = 2_205 + noise.next() % 19_845;
    let pitch = 0.01 + f64::from(noise.next() % 100) * 0.002;
    let mut bytes = b"RIFF".to_vec();
    bytes.extend((36 + frames * 2).to_le_bytes());
    bytes.extend(b"WAVEfmt \x10\0\0\0\x01\0\x01\0");
    bytes.extend(22_050_u32.to_le_bytes());
    bytes.extend(44_100_u32.to_le_bytes());
    bytes.extend(b"\x02\0\x10\0data");
    bytes.extend((frames * 2).to_le_bytes());
    for frame in 0..frames {
        let fade = 1.0 - f64::from(frame) / f64::from(frames);
        let value = (f64::from(frame) * pitch).sin() * 12_000.0 * fade + f64::from(noise.next() % 800);
        bytes.extend((value as i16).to_le_bytes());
    }
    bytes
}

/// A picture of gradients, stripes and noise, as PNG.
pub fn texture(side: u32, number: u32) -> Vec<u8> {
    let mut noise = Noise::new(number);
    let mut picture = Picture::filled(side, side, [0, 0, 0, 255]);
    let (frequency, colour) = (1 + noise.next() % 7, noise.next().to_le_bytes());
    for y in 0..side {
        for x in 0..side {
            let stripe = if (x * frequency / 8 + y / 8) % 2 == 0 { 60 } else { 0 };
            let channel = |index: usize, along: u32| {
                (u32::from(colour[index]) / 2 + along * 90 / side + stripe + noise_of(number, x, y) % 12).min(255) as u8
            };
            picture.set(x, y, [channel(0, x), channel(1, y), channel(2, (x + y) / 2), 255]);
        }
    }
    picture.to_png()
}

fn noise_of(number: u32, x: u32, y: u32) -> u32 {
    Noise::new(number ^ x.wrapping_mul(0x9e37) ^ y.wrapping_mul(0x85eb_ca6b)).next() >> 8
}

fn model(number: u32) -> Vec<u8> {
    let side = 7 + (number % 4) * 6;
    let mut noise = Noise::new(number);
    let mut binary: Vec<u8> = Vec::new();
    for at in 0..side * side {
        let height = (noise.next() % 1000) as f32 * 0.0005;
        for part in [(at % side) as f32, height, (at / side) as f32] {
            binary.extend(part.to_le_bytes());
        }
    }
    let points = binary.len();
    let mut corners = 0_u32;
    for at in (0..side * side).filter(|at| at % side < side - 1 && at / side < side - 1) {
        for corner in [at, at + side, at + 1, at + 1, at + side, at + side + 1] {
            binary.extend((corner as u16).to_le_bytes());
            corners += 1;
        }
    }
    binary.resize(binary.len().next_multiple_of(4), 0);
    let mut json = format!(
        "{{\"asset\":{{\"version\":\"2.0\"}},\"scene\":0,\"scenes\":[{{\"nodes\":[0]}}],\"nodes\":[{{\"name\":\"hill\",\"mesh\":0}}],\
\"meshes\":[{{\"name\":\"hill\",\"primitives\":[{{\"attributes\":{{\"POSITION\":0}},\"indices\":1}}]}}],\
\"accessors\":[{{\"bufferView\":0,\"componentType\":5126,\"count\":{},\"type\":\"VEC3\",\"min\":[0,0,0],\"max\":[{side},1,{side}]}},\
{{\"bufferView\":1,\"componentType\":5123,\"count\":{corners},\"type\":\"SCALAR\"}}],\
\"bufferViews\":[{{\"buffer\":0,\"byteLength\":{points}}},{{\"buffer\":0,\"byteOffset\":{points},\"byteLength\":{}}}],\
\"buffers\":[{{\"byteLength\":{}}}]}}",
        side * side,
        corners * 2,
        binary.len()
    )
    .into_bytes();
    json.resize(json.len().next_multiple_of(4), b' ');
    let mut bytes = b"glTF\x02\0\0\0".to_vec();
    bytes.extend((28 + json.len() as u32 + binary.len() as u32).to_le_bytes());
    bytes.extend((json.len() as u32).to_le_bytes());
    bytes.extend(b"JSON");
    bytes.extend(json);
    bytes.extend((binary.len() as u32).to_le_bytes());
    bytes.extend(b"BIN\0");
    bytes.extend(binary);
    bytes
}
