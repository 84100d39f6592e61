//! Readers of artists' files: scenes, images, sounds, fonts.

use media::importers::{IMPORTERS, find};
use media::picture::Picture;
use media::{Options, Source};

use super::{Reader, no_seal, noise, numbered, repeated};

/// The readers of images.
pub const IMAGES: [&str; 5] = ["png", "jpeg", "tiff", "tga", "psd"];

pub const READERS: &[Reader] = &[
    Reader {
        name: "gltf",
        read: |bytes| import("a.gltf", bytes),
        seeds: || vec![GLTF.as_bytes().to_vec()],
        shapes: &[
            ("nodes", |bytes| {
                repeated(bytes, r#"{"asset":{"version":"2.0"},"scenes":[{"nodes":[0]}],"nodes":["#, "{},", "{}]}")
            }),
            ("children", |bytes| {
                numbered(
                    bytes,
                    r#"{"asset":{"version":"2.0"},"scenes":[{"nodes":[0]}],"nodes":["#,
                    r##"{"children":[#]},"##,
                    "{}]}",
                )
            }),
            ("nodes times primitives", nodes_times_primitives),
            ("objects", |bytes| repeated(bytes, r#"{"asset":{"version":"2.0"},"extras":["#, r#"{"a":0},"#, "0]}")),
            ("brackets", |bytes| repeated(bytes, r#"{"asset":"#, "[", "")),
            ("keys", |bytes| numbered(bytes, r#"{"asset":{"version":"2.0"},"extras":{"z":0"#, r##","a#":0"##, "}}")),
            ("accessors", |bytes| {
                repeated(
                    bytes,
                    r#"{"asset":{"version":"2.0"},"accessors":["#,
                    r#"{"count":1000000,"type":"VEC4","componentType":5126},"#,
                    "{}]}",
                )
            }),
            ("noise", noise),
        ],
        seal: no_seal,
        heap_per_byte: 400,
    },
    Reader {
        name: "obj",
        read: |bytes| import("a.obj", bytes),
        seeds: || vec![b"o a\nv 0 0 0\nv 1 0 0\nv 0 1 0\nvt 0 1\nvn 0 0 1\nusemtl red\nf 1/1/1 2/1/1 3/1/1\n".to_vec()],
        shapes: &[
            ("points", |bytes| numbered(bytes, "", "v # 0 1\n", "")),
            ("objects", |bytes| numbered(bytes, "v 0 0 0\nv 1 0 0\nv 0 1 0\n", "o a#\nf 1 2 3\n", "")),
            ("materials", |bytes| numbered(bytes, "v 0 0 0\nv 1 0 0\nv 0 1 0\n", "usemtl a#\nf 1 2 3\n", "")),
            ("a long face", |bytes| repeated(bytes, "v 0 0 0\nv 1 0 0\nv 0 1 0\nf", " 1 2 3", "\n")),
            ("libraries", |bytes| numbered(bytes, "", "mtllib a#.mtl\n", "")),
            ("noise", noise),
        ],
        seal: no_seal,
        heap_per_byte: 400,
    },
    Reader {
        name: "fbx",
        read: |bytes| import("a.fbx", bytes),
        seeds: || {
            vec![b"; FBX 7.4.0 project file\nFBXHeaderExtension:  {\n\tFBXVersion: 7400\n}\nObjects:  {\n\tModel: 1, \"Model::a\", \"Mesh\" {\n\t}\n}\n".to_vec()]
        },
        shapes: &[
            ("models", |bytes| {
                numbered(
                    bytes,
                    "; FBX 7.4.0 project file\nFBXHeaderExtension:  {\n\tFBXVersion: 7400\n}\nObjects:  {\n",
                    "\tModel: #, \"Model::a\", \"Mesh\" {\n\t}\n",
                    "}\n",
                )
            }),
            ("braces", |bytes| repeated(bytes, "; FBX 7.4.0 project file\n", "a: {\n", "")),
            ("binary models", |bytes| binary_fbx(bytes / 60)),
            ("noise behind a binary head", |bytes| [&binary_fbx(0)[..27], &noise(bytes)].concat()),
            ("noise", noise),
        ],
        seal: no_seal,
        heap_per_byte: 400,
    },
    Reader {
        name: "png",
        read: |bytes| import("a.png", bytes),
        seeds: || vec![Picture::filled(12, 8, [200, 90, 30, 128]).to_png()],
        shapes: &[
            ("one colour", |bytes| {
                let made = Picture::filled(256, (bytes / 128).max(1) as u32, [200, 90, 30, 255]).to_png();
                padded(made, bytes)
            }),
            ("more pixels than its bytes give", |bytes| padded(png_of_bits(8192, 8192), bytes.min(700 << 10))),
            ("noise", noise),
            ("noise behind a head", |bytes| {
                [&Picture::filled(12, 8, [200, 90, 30, 128]).to_png()[..60], &noise(bytes)].concat()
            }),
        ],
        seal: no_seal,
        heap_per_byte: 400,
    },
    Reader {
        name: "jpeg",
        read: |bytes| import("a.jpg", bytes),
        seeds: || vec![jpeg(16, 8)],
        shapes: &[
            ("one colour", |bytes| padded(jpeg(256, (bytes / 128).clamp(8, 16_000) as u16), bytes)),
            ("noise behind a head", |bytes| [&jpeg(512, 512)[..170], &noise(bytes)].concat()),
        ],
        seal: no_seal,
        heap_per_byte: 400,
    },
    Reader {
        name: "tiff",
        read: |bytes| import("a.tif", bytes),
        seeds: || vec![tiff(12, 8)],
        shapes: &[
            ("pixels", |bytes| tiff(256, (bytes / 256).max(1) as u32)),
            ("noise behind a head", |bytes| [&tiff(512, 512)[..122], &noise(bytes)].concat()),
        ],
        seal: no_seal,
        heap_per_byte: 400,
    },
    Reader {
        name: "tga",
        read: |bytes| import("a.tga", bytes),
        seeds: || vec![tga(16, 8)],
        shapes: &[
            ("runs", |bytes| tga(256, (bytes / 128).clamp(1, 16_000) as u16)),
            ("noise behind a head", |bytes| [&tga(512, 512)[..18], &noise(bytes)].concat()),
        ],
        seal: no_seal,
        heap_per_byte: 400,
    },
    Reader {
        name: "psd",
        read: |bytes| import("a.psd", bytes),
        seeds: || vec![psd(12, 8)],
        shapes: &[
            ("planes", |bytes| psd(256, (bytes / 768).max(1) as u32)),
            ("noise behind a head", |bytes| [&psd(512, 512)[..40], &noise(bytes)].concat()),
        ],
        seal: no_seal,
        heap_per_byte: 400,
    },
    Reader {
        name: "ogg",
        read: |bytes| import("a.ogg", bytes),
        seeds: || vec![ogg(3)],
        shapes: &[
            ("pages", |bytes| ogg(bytes / 68)),
            ("noise behind a page", |bytes| [&ogg(1)[..], &noise(bytes)].concat()),
        ],
        seal: no_seal,
        heap_per_byte: 400,
    },
    Reader {
        name: "flac",
        read: |bytes| import("a.flac", bytes),
        seeds: || vec![flac(3)],
        shapes: &[
            ("frames", |bytes| flac(bytes / 12)),
            ("noise behind a head", |bytes| [&flac(1)[..42], &noise(bytes)].concat()),
        ],
        seal: no_seal,
        heap_per_byte: 400,
    },
    Reader {
        name: "mp3",
        read: |bytes| import("a.mp3", bytes),
        seeds: || vec![mp3(3)],
        shapes: &[
            ("frames", |bytes| mp3(bytes / MP3_FRAME_BYTES)),
            ("noise behind a frame", |bytes| [&mp3(1)[..], &noise(bytes)].concat()),
        ],
        seal: no_seal,
        heap_per_byte: 400,
    },
    Reader {
        name: "glb",
        read: |bytes| import("a.glb", bytes),
        seeds: || vec![glb(3)],
        shapes: &[
            ("points", |bytes| glb(bytes / 36 * 3)),
            ("noise behind a head", |bytes| [&glb(3)[..20], &noise(bytes)].concat()),
        ],
        seal: no_seal,
        heap_per_byte: 400,
    },
    Reader {
        name: "wav",
        read: |bytes| import("a.wav", bytes),
        seeds: || vec![wav(64)],
        shapes: &[
            ("samples", wav),
            ("noise behind a head", |bytes| [&wav(2)[..44], &noise(bytes)].concat()),
            ("chunks", |bytes| {
                let mut made = wav(2)[..36].to_vec();
                (0..bytes / 8).for_each(|_| made.extend(b"LIST\0\0\0\0"));
                made
            }),
        ],
        seal: no_seal,
        heap_per_byte: 400,
    },
    Reader {
        name: "font",
        read: |bytes| import("a.ttf", bytes),
        seeds: || vec![[b"\0\x01\0\0\0\x01\0\0\0\0\0\0cmap".as_slice(), &[0; 64]].concat()],
        shapes: &[
            ("noise", noise),
            ("tables", |bytes| {
                // The most that are read: the crate counts tables in 16 bits, and one more is an overflow there, which is caught.
                let count = (bytes / 16).min(50_000);
                let mut made = b"\0\x01\0\0\0\0\0\0\0\0\0\0".to_vec();
                made[4..6].copy_from_slice(&(count as u16).to_be_bytes());
                made.extend(b"cmap\0\0\0\0\0\0\0\0\0\0\0\x10".repeat(bytes / 16));
                made
            }),
        ],
        seal: no_seal,
        heap_per_byte: 400,
    },
];

fn import(name: &str, bytes: &[u8]) {
    let importer = find(IMPORTERS, name).expect("the importer is there");
    let mut options = Options::new(importer.options);
    for (option, value) in [("quality", "fast"), ("as", "level")] {
        if importer.options.iter().any(|row| row.name == option) {
            options.set(option, value).expect("the importer has it");
        }
    }
    let beside = |name: &str| Err(format!("{name} is not there"));
    drop((importer.import)(&Source::new(name, "", bytes, &beside), &options));
}

/// Half of the bytes are nodes that share one mesh, half its primitives.
fn nodes_times_primitives(bytes: usize) -> Vec<u8> {
    let half = bytes / 2;
    let head = r#"{"asset":{"version":"2.0"},"scene":0,"scenes":[{"nodes":[0]}],"nodes":["#;
    let nodes = repeated(half, head, r#"{"mesh":0},"#, r#"{"mesh":0}]"#);
    let primitives = repeated(half, r#","meshes":[{"primitives":["#, "{},", "{}]}]}");
    [nodes, primitives].concat()
}

const GLTF: &str = r#"{"asset":{"version":"2.0"},"scene":0,"scenes":[{"nodes":[0,1]}],
"nodes":[{"name":"a","mesh":0,"children":[2]},{"name":"crate@props/crate","translation":[1,2,3],"extras":{"team":3}},
{"name":"TV_gate","rotation":[0,0,0,1],"scale":[1,2,3]}],
"meshes":[{"primitives":[{"attributes":{"POSITION":0},"indices":1}]}],
"accessors":[{"bufferView":0,"componentType":5126,"count":3,"type":"VEC3"},
{"bufferView":1,"componentType":5121,"count":3,"type":"SCALAR"}],
"bufferViews":[{"buffer":0,"byteLength":36},{"buffer":0,"byteOffset":36,"byteLength":3}],
"buffers":[{"byteLength":39,
"uri":"data:application/octet-stream;base64,AAAAAAAAAAAAAAAAAACAPwAAAAAAAAAAAAAAAAAAgD8AAAAAAAEC"}]}"#;

fn wav(bytes: usize) -> Vec<u8> {
    let data = bytes as u32 / 2 * 2;
    let mut made = b"RIFF\0\0\0\0WAVEfmt \x10\0\0\0\x01\0\x01\0\x22\x56\0\0\x44\xac\0\0\x02\0\x10\0data".to_vec();
    made[4..8].copy_from_slice(&(36 + data).to_le_bytes());
    made.extend(data.to_le_bytes());
    made.extend(noise(data as usize));
    made
}

/// A file with so many bytes behind its end, which its reader does not need: so that it has fewer pixels for each byte.
fn padded(mut file: Vec<u8>, bytes: usize) -> Vec<u8> {
    file.resize(file.len().max(bytes), 0);
    file
}

/// A cyclic redundancy check of this width, highest bit first.
fn crc(bytes: &[u8], width: u32, polynomial: u32) -> u32 {
    let top = 1_u32 << (width - 1);
    let sum = bytes.iter().fold(0, |sum: u32, byte| {
        (0..8).fold(sum ^ u32::from(*byte) << (width - 8), |sum, _| {
            if sum & top == 0 { sum << 1 } else { sum << 1 ^ polynomial }
        })
    });
    sum & ((top - 1) | top)
}

/// The head of an image with a bit for each pixel, without any.
fn png_of_bits(width: u32, height: u32) -> Vec<u8> {
    let mut made = b"\x89PNG\r\n\x1a\n\0\0\0\x0dIHDR".to_vec();
    made.extend([width.to_be_bytes(), height.to_be_bytes()].concat());
    made.extend([1, 0, 0, 0, 0]);
    // The check of PNG begins with the lowest bit of each byte, and with ones.
    let sum = made[12..].iter().fold(u32::MAX, |sum, byte| {
        (0..8).fold(sum ^ u32::from(*byte), |sum, _| (sum >> 1) ^ (0xedb8_8320 * (sum & 1)))
    });
    made.extend((!sum).to_be_bytes());
    made.extend(b"\0\0\0\x04IDAT");
    made
}

/// Grey blocks of two bits each: no difference to the one before, and no detail.
fn jpeg(width: u16, height: u16) -> Vec<u8> {
    let mut made = b"\xff\xd8\xff\xdb\0\x43\0".to_vec();
    made.extend([1; 64]);
    made.extend(b"\xff\xc0\0\x0b\x08");
    made.extend([height.to_be_bytes(), width.to_be_bytes()].concat());
    made.extend([1, 1, 0x11, 0]);
    for table in [0, 0x10] {
        made.extend([0xff, 0xc4, 0, 20, table, 1]);
        made.extend([0; 16]);
    }
    made.extend(b"\xff\xda\0\x08\x01\x01\0\0\x3f\0");
    let blocks = usize::from(width.div_ceil(8)) * usize::from(height.div_ceil(8));
    made.resize(made.len() + blocks.div_ceil(4), 0);
    made.extend(b"\xff\xd9");
    made
}

/// Grey pixels, not compressed.
fn tiff(width: u32, height: u32) -> Vec<u8> {
    let pixels = width * height;
    let rows =
        [(256, width), (257, height), (258, 8), (259, 1), (262, 1), (273, 122), (277, 1), (278, height), (279, pixels)];
    let mut made = b"II*\0\x08\0\0\0\x09\0".to_vec();
    for (tag, value) in rows {
        made.extend(
            [&u16::to_le_bytes(tag)[..], &4_u16.to_le_bytes(), &1_u32.to_le_bytes(), &value.to_le_bytes()].concat(),
        );
    }
    made.extend([0; 4]);
    made.extend(noise(pixels as usize));
    made
}

/// Runs of eight pixels.
fn tga(width: u16, height: u16) -> Vec<u8> {
    let mut made = vec![0, 0, 10, 0, 0, 0, 0, 0, 0, 0, 0, 0];
    made.extend([width.to_le_bytes(), height.to_le_bytes()].concat());
    made.extend([24, 0]);
    let runs = usize::from(width) / 8 * usize::from(height);
    made.extend((0..runs).flat_map(|run| [0x87, run as u8, (run >> 8) as u8, 90]));
    made
}

/// Three planes, not compressed.
fn psd(width: u32, height: u32) -> Vec<u8> {
    let mut made = b"8BPS\0\x01\0\0\0\0\0\0\0\x03".to_vec();
    made.extend([height.to_be_bytes(), width.to_be_bytes()].concat());
    made.extend([0, 8, 0, 3]);
    made.extend([0; 14]);
    made.extend(noise(3 * width as usize * height as usize));
    made
}

/// Pages of 40 bytes with right checksums, which are no sound.
fn ogg(pages: usize) -> Vec<u8> {
    let mut made = Vec::new();
    for number in 0..pages.max(1) as u32 {
        let mut page = b"OggS\0".to_vec();
        page.push(if number == 0 { 2 } else { 0 });
        page.extend([0; 8]);
        page.extend([7_u32.to_le_bytes(), number.to_le_bytes(), [0; 4]].concat());
        page.extend([1, 40]);
        page.extend(b"\x01vorbis\0\0\0\0\x02\x44\xac\0\0\0\0\0\0\0\xee\x02\0\0\0\0\0\xb8\x01\0\0\0\0\0\0\0\0\0\0");
        page.truncate(28 + 40);
        let sum = crc(&page, 32, 0x04c1_1db7);
        page[22..26].copy_from_slice(&sum.to_le_bytes());
        made.extend(page);
    }
    made
}

/// Frames of sixteen equal samples.
fn flac(frames: usize) -> Vec<u8> {
    let frames = frames.max(1) as u32;
    // 44,100 Hz, one channel, 16 bits; the samples in all; no digest.
    let rate = 44_100_u64 << 44 | 15 << 36 | u64::from(frames * 16);
    let mut made = b"fLaC\x80\0\0\x22\0\x10\0\x10\0\0\0\0\0\0".to_vec();
    made.extend(rate.to_be_bytes());
    made.extend([0; 16]);
    for number in 0..frames {
        // The number of a frame is written as UTF-8 writes a letter; it does not matter to the cost.
        let mut frame = vec![0xff, 0xf8, 0x69, 0x08, (number % 128) as u8, 15];
        frame.push(crc(&frame, 8, 0x07) as u8);
        frame.extend([0, 0x12, 0x34]);
        let sum = crc(&frame, 16, 0x8005) as u16;
        frame.extend(sum.to_be_bytes());
        made.extend(frame);
    }
    made
}

/// 128,000 bits per second at 44,100 Hz.
const MP3_FRAME_BYTES: usize = 417;

/// Silent frames.
fn mp3(frames: usize) -> Vec<u8> {
    let mut frame = vec![0xff, 0xfb, 0x90, 0xc0];
    frame.resize(MP3_FRAME_BYTES, 0);
    frame.repeat(frames.max(1))
}

/// Triangles of so many corners.
fn glb(corners: usize) -> Vec<u8> {
    let corners = corners.max(3);
    let bytes = corners * 12;
    let mut json = format!(
        r#"{{"asset":{{"version":"2.0"}},"scene":0,"scenes":[{{"nodes":[0]}}],"nodes":[{{"mesh":0}}],
"meshes":[{{"primitives":[{{"attributes":{{"POSITION":0}}}}]}}],
"accessors":[{{"bufferView":0,"componentType":5126,"count":{corners},"type":"VEC3"}}],
"bufferViews":[{{"buffer":0,"byteLength":{bytes}}}],"buffers":[{{"byteLength":{bytes}}}]}}"#
    );
    json.push_str(&" ".repeat(json.len().next_multiple_of(4) - json.len()));
    let part = |kind: &[u8; 4], body: &[u8]| [&(body.len() as u32).to_le_bytes()[..], kind, body].concat();
    let points: Vec<u8> = (0..corners * 3).flat_map(|number| ((number * 7 % 101) as f32).to_le_bytes()).collect();
    let parts = [part(b"JSON", json.as_bytes()), part(b"BIN\0", &points)].concat();
    [&b"glTF\x02\0\0\0"[..], &(parts.len() as u32 + 12).to_le_bytes(), &parts].concat()
}

/// So many models, as Autodesk's programs write them.
fn binary_fbx(models: usize) -> Vec<u8> {
    let mut made = b"Kaydara FBX Binary  \0\x1a\0".to_vec();
    made.extend(7400_u32.to_le_bytes());
    let node = |made: &mut Vec<u8>, name: &str, properties: &[u8], count: u32| {
        let start = made.len();
        made.extend([[0; 4], count.to_le_bytes(), (properties.len() as u32).to_le_bytes()].concat());
        made.push(name.len() as u8);
        made.extend(name.as_bytes());
        made.extend(properties);
        start
    };
    let end = |made: &mut Vec<u8>, start: usize| {
        let end = made.len() as u32;
        made[start..start + 4].copy_from_slice(&end.to_le_bytes());
    };
    let objects = node(&mut made, "Objects", &[], 0);
    for number in 0..models as i64 {
        let text = |text: &[u8]| [&b"S"[..], &(text.len() as u32).to_le_bytes(), text].concat();
        let id = [&b"L"[..], &(number + 1).to_le_bytes()].concat();
        let properties = [id, text(b"a\0\x01Model"), text(b"Mesh")].concat();
        let start = node(&mut made, "Model", &properties, 3);
        end(&mut made, start);
    }
    made.extend([0; 13]);
    end(&mut made, objects);
    made.extend([0; 13]);
    made
}
