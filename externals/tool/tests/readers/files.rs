//! Readers of binary files: films, saves, crash reports, the store and its index, and artists' files.

use std::cell::RefCell;
use std::fs;
use std::path::PathBuf;

use astrarium::session::{Session, Start};
use base::hash::hash;
use host::pages::Pages;
use media::importers::{IMPORTERS, find};
use media::picture::Picture;
use media::{Options, Source};
use relay::black_box::Purpose;
use relay::film::{
    ContentList, FilmIndex, FilmWriter, HEAD_BYTES, Head, Kind, Opening, Reason, Stamp, Tag, inputs, track,
};
use relay::{BlackBox, CrashReport, Sealed};
use shelf::content_key;
use shelf::index::Index;
use shelf::store::Store;
use state::Settings;
use state::backups::Schedule;
use state::limits::PAGE_BYTES;
use state::save::{self, SaveHeader};
use tags::bulk::{BulkWriter, Directory, read_part};

use super::{Reader, no_seal, noise, numbered, repeated};

const LEVEL: &str = "tiny";
const SAVE_HEADER_BYTES: usize = 256;

pub const READERS: &[Reader] = &[
    Reader {
        name: "film",
        read: read_film,
        seeds: || vec![film(3, 3, 2), film(0, 0, 40)],
        shapes: &[
            ("inputs and keyframes", |bytes| film(bytes / 320, bytes / 320, 0)),
            ("content lists", |bytes| film(0, 0, bytes / 140)),
            ("nested heads", nested_heads),
            ("noise", noise),
        ],
        seal: seal_film,
        heap_per_byte: 8,
    },
    Reader {
        name: "save",
        read: read_save,
        seeds: || vec![saved(&[])],
        shapes: &[
            ("a save and more behind it", |bytes| [&saved(&[])[..], &noise(bytes)].concat()),
            ("noise behind a header", |bytes| [&saved(&[])[..SAVE_HEADER_BYTES], &noise(bytes)].concat()),
        ],
        seal: seal_save,
        // A world of fixed size is kept beside the input.
        heap_per_byte: 2,
    },
    Reader {
        name: "crash-report",
        read: read_crash_report,
        seeds: || vec![crash_report()],
        shapes: &[
            ("noise", noise),
            ("zeros", |bytes| vec![0; bytes]),
            ("noise behind a head", |bytes| [&crash_report()[..3 * PAGE_BYTES], &noise(bytes)].concat()),
        ],
        seal: seal_crash_report,
        heap_per_byte: 8,
    },
    Reader {
        name: "inputs",
        read: read_inputs,
        seeds: || {
            vec![
                b"// inputs\n5 1 @26d1edbf29b96f0a 407e592a 418d91d8 00000001\n15 0 @26d1edbf29b96f0a 1 2 3\n\n20 0 @0000000000000000 // none\n".to_vec(),
            ]
        },
        shapes: &[
            ("cycles", |bytes| numbered(bytes, "", "# 0 @26d1edbf29b96f0a 1 2 3\n", "")),
            ("one cycle", |bytes| repeated(bytes, "", "5 0 @26d1edbf29b96f0a\n", "")),
            ("comments", |bytes| repeated(bytes, "", "//\n", "")),
            ("mistakes", |bytes| repeated(bytes, "", "a\n", "")),
            ("a long line", |bytes| repeated(bytes, "5 0 @26d1edbf29b96f0a", " 1", "\n")),
            ("noise", noise),
        ],
        seal: no_seal,
        heap_per_byte: 60,
    },
    Reader {
        name: "store",
        read: read_store,
        seeds: || vec![pack(3)],
        shapes: &[
            ("objects", |bytes| pack(bytes / 128)),
            ("noise behind a pack", |bytes| [&pack(1)[..], &noise(bytes)].concat()),
        ],
        seal: no_seal,
        heap_per_byte: 8,
    },
    Reader {
        name: "index",
        read: read_index,
        seeds: || vec![index(3)],
        shapes: &[
            ("entries", |bytes| index(bytes / 128)),
            ("noise behind an index", |bytes| [&index(1)[..], &noise(bytes)].concat()),
        ],
        seal: no_seal,
        heap_per_byte: 20,
    },
    Reader {
        name: "bulk",
        read: read_bulk,
        seeds: || vec![bulk(2, 300), bulk(1, 300_000)],
        shapes: &[
            ("parts", |bytes| bulk(bytes / 80, 40)),
            ("blocks of zeros", |bytes| bulk(1, 200 * bytes)),
            ("noise behind a directory", |bytes| [&bulk(3, 40)[..], &noise(bytes)].concat()),
            ("noise", noise),
        ],
        seal: no_seal,
        // A compressed byte gives at most 255, and the vector of a part that is read whole doubles.
        heap_per_byte: 800,
    },
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
            ("noise", noise),
            ("noise behind a head", |bytes| {
                [&Picture::filled(12, 8, [200, 90, 30, 128]).to_png()[..60], &noise(bytes)].concat()
            }),
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

fn read_film(bytes: &[u8]) {
    let mut source = bytes;
    let Ok(index) = FilmIndex::read(&mut source) else { return };
    for take in &index.takes {
        let _ = take.runs();
    }
    let _ = index.take_with(u64::MAX / 2);
    let mut body = Vec::new();
    for place in &index.chunks {
        if FilmIndex::body(&mut source, place, &mut body).is_err() {
            continue;
        }
        match place.head.kind() {
            Some(Kind::Opening) => drop(Opening::decode(&body)),
            Some(Kind::Content) => drop(ContentList::decode(&body)),
            Some(Kind::Tag) => drop(Tag::decode(&body)),
            Some(Kind::Inputs) => drop(inputs::decode(&body, &place.head.stamp, 5)),
            Some(Kind::Track) => drop(track::decode(&body)),
            _ => {}
        }
    }
}

/// A film of a take with inputs and keyframes that hold nothing, and a chain of content lists.
fn film(inputs: usize, keyframes: usize, lists: usize) -> Vec<u8> {
    let mut film = FilmBuilder::begin(3);
    let mut add = |kind: Kind, stamp: Stamp, body: &[u8]| film.add(kind, stamp, body);
    for number in 0..lists as u64 {
        let base = (number > 0).then(|| number - 1);
        let list = ContentList { identity: number, base, rows: vec![(format!("a/{number}.ship"), [number as u8; 32])] };
        add(Kind::Content, Stamp { cycle: number, ..Stamp::default() }, &list.encode());
    }
    for number in 0..inputs.max(keyframes) as u64 {
        if number < inputs as u64 {
            add(Kind::Inputs, Stamp { cycle: 5 * number, until: 5 * number + 5, hash: number }, &[0; 16]);
        }
        if number < keyframes as u64 {
            add(Kind::Whole, Stamp { cycle: 5 * number, until: 5 * number, hash: number }, &[0; 16]);
        }
    }
    film.bytes
}

/// A film of one take, chunk by chunk.
pub struct FilmBuilder {
    writer: FilmWriter,
    /// Its bytes so far.
    pub bytes: Vec<u8>,
}

impl FilmBuilder {
    /// The opening of a take with this content.
    pub fn begin(content: u64) -> FilmBuilder {
        let opening = Opening {
            reason: Reason::Begun,
            layout: 1,
            game_content: 2,
            content,
            block_bytes: 4096,
            seed: 5,
            chain: 6,
            brush_nanos: 10_000_000,
            brushes_per_safe: 5,
            players: 2,
            parent: None,
            game: "sandbox".into(),
            level: LEVEL.into(),
            program: "a test".into(),
        };
        let mut film = FilmBuilder { writer: FilmWriter::new(7, 0), bytes: Vec::new() };
        film.add(Kind::Opening, Stamp::default(), &opening.encode());
        film
    }

    /// Adds a chunk.
    pub fn add(&mut self, kind: Kind, stamp: Stamp, body: &[u8]) {
        if let Some(head) = self.writer.chunk(kind, 0, stamp, body) {
            self.bytes.extend(head);
            self.bytes.extend(body);
        }
    }
}

/// Heads that reach to the end of the file, each with a wrong checksum.
fn nested_heads(bytes: usize) -> Vec<u8> {
    let count = (bytes / HEAD_BYTES).max(2);
    let mut made = film(0, 0, 0);
    for number in 0..count {
        let length = ((count - number - 1) * HEAD_BYTES + 1) as u32;
        let stamp = Stamp { cycle: number as u64, ..Stamp::default() };
        made.extend(Head { kind: 5, take: 0, number: number as u32 + 1, length, film: 7, stamp, checksum: 1 }.encode());
    }
    made.push(0);
    made
}

/// Makes the checksums of all bodies right whose heads are still whole.
fn seal_film(bytes: &mut [u8]) {
    let mut at = 0;
    while let Some(head) = bytes.get(at..at + HEAD_BYTES).and_then(|head| Head::decode(head.try_into().ok()?)) {
        let (start, end) = (at + HEAD_BYTES, (at + HEAD_BYTES).saturating_add(head.length as usize));
        let Some(body) = bytes.get(start..end) else { return };
        let sealed = Head { checksum: hash(body), ..head }.encode();
        bytes[at..start].copy_from_slice(&sealed);
        at = end;
    }
}

thread_local! {
    static SESSION: RefCell<Session> = RefCell::new(session());
}

fn session() -> Session {
    let start = Start { level: LEVEL.into(), seed: 1, players: 2, settings: Settings::default() };
    let content = sandbox::ENTRY.content(LEVEL).expect("the sandbox has the level");
    Session::begin(&sandbox::ENTRY, content, &start, &Pages).expect("the sandbox begins")
}

fn read_inputs(bytes: &[u8]) {
    let text = String::from_utf8_lossy(bytes);
    SESSION.with_borrow(|session| drop(tool::inputs::Script::parse(&text, "a.inputs", session)));
}

/// A save of a small world, with this content.
pub fn saved(content: &[u8]) -> Vec<u8> {
    SESSION.with_borrow_mut(|session| {
        let world = session.world_mut();
        let hash = world.hash();
        let header = SaveHeader::of(world, hash, 1, LEVEL).with_content(content);
        [&header.encode()[..], world.bytes(), content].concat()
    })
}

fn read_save(bytes: &[u8]) {
    SESSION.with_borrow_mut(|session| {
        if save::load(session.world_mut(), bytes, LEVEL).is_ok() {
            for _ in 0..10 {
                session.step(&state::Alone);
            }
        }
    });
}

/// The checksums of the header and the block, and the hash of the world, if the block is one.
fn seal_save(bytes: &mut [u8]) {
    let Ok(mut header) = SaveHeader::decode(&saved(&[])) else { return };
    let Some(block) = bytes.get(SAVE_HEADER_BYTES..) else { return };
    (header.checksum, header.block_bytes) = (hash(block), block.len() as u64);
    SESSION.with_borrow_mut(|session| {
        let world = session.world_mut();
        if world.adopt(block).is_ok() {
            (header.hash, header.cycle) = (world.hash(), world.cycle());
        }
    });
    bytes[..SAVE_HEADER_BYTES].copy_from_slice(&header.encode());
}

/// A crash report of a small world: the last moments of a few cycles, with a backup and a journal.
fn crash_report() -> Vec<u8> {
    SESSION.with_borrow_mut(|session| {
        let world = session.world_mut();
        let schedule = Schedule { short_cycles: 10, short_count: 1, long_cycles: 100, long_count: 2 };
        let purpose = Purpose { journal_bytes: PAGE_BYTES as u32, ..Purpose::of(world, 1, LEVEL, schedule) };
        let mut bytes = vec![0; purpose.bytes() as usize];
        let mut black_box = BlackBox::new(&purpose, &mut bytes, world);
        for cycle in 0..3 {
            let hash = world.hash();
            black_box.record_inputs(&mut bytes, world, hash, &Sealed::empty(cycle));
        }
        BlackBox::last_words(&mut bytes, "it ended");
        bytes
    })
}

fn read_crash_report(bytes: &[u8]) {
    let Ok(report) = CrashReport::read(bytes) else { return };
    SESSION.with_borrow_mut(|session| {
        for backup in &report.backups {
            let _ = (backup.content(), backup.load(session.world_mut()).is_ok());
        }
        for record in &report.records {
            let _ = report.record(record.inputs.cycle());
        }
    });
}

/// The checksum of the head.
fn seal_crash_report(bytes: &mut [u8]) {
    let Some((head, checksum)) = bytes.get_mut(..PAGE_BYTES).and_then(|page| page.split_last_chunk_mut::<8>()) else {
        return;
    };
    *checksum = hash(head).to_le_bytes();
}

/// A folder of this thread that is emptied for each input.
fn folder() -> PathBuf {
    thread_local! {
        static FOLDER: testing::folder::Folder = testing::folder::Folder::new();
    }
    FOLDER.with(|folder| folder.path().to_path_buf())
}

fn read_store(bytes: &[u8]) {
    let path = folder().join("store");
    let _ = fs::remove_dir_all(&path);
    fs::create_dir_all(&path).expect("the folder can be written");
    fs::write(path.join("0.pack"), bytes).expect("the folder can be written");
    if let Ok(store) = Store::open(&path) {
        let _ = store.get(&content_key::of(b"0"));
        let _ = store.fullness();
    }
}

fn pack(objects: usize) -> Vec<u8> {
    let path = folder().join("made");
    let _ = fs::remove_dir_all(&path);
    let mut store = Store::open(&path).expect("the folder can be written");
    let bodies: Vec<Vec<u8>> = (0..objects.max(1)).map(|number| number.to_string().into_bytes()).collect();
    let rows: Vec<(content_key::Key, &[u8])> = bodies.iter().map(|body| (content_key::of(body), &body[..])).collect();
    store.put(&rows).expect("the folder can be written");
    let file = fs::read_dir(&path).expect("it is there").flatten().map(|entry| entry.path());
    let file = file.into_iter().find(|path| path.extension().is_some_and(|found| found == "pack")).expect("it was put");
    fs::read(file).expect("it is there")
}

fn read_index(bytes: &[u8]) {
    let path = folder().join("tags.index");
    fs::write(&path, bytes).expect("the folder can be written");
    drop(Index::load(&path));
}

fn index(entries: usize) -> Vec<u8> {
    let mut index = Index::default();
    for number in 0..entries.max(1) {
        let entry = shelf::index::Entry::read(host::walk::Stamp::default(), content_key::of(&number.to_le_bytes()), 0);
        index.set(&format!("ships/{number}.ship"), entry);
    }
    index.to_be_saved().expect("it was changed")
}

fn read_bulk(bytes: &[u8]) {
    let Ok(directory) = Directory::parse(bytes, bytes.len() as u64) else { return };
    for part in 0..directory.parts().len() {
        let _ = read_part(bytes, &directory, part);
    }
}

/// A container of so many parts of so many bytes.
fn bulk(parts: usize, bytes: usize) -> Vec<u8> {
    let mut writer = BulkWriter::new();
    for number in 0..parts.max(1) {
        if writer.add_part(&number.to_string(), &vec![0; bytes]).is_err() {
            // It has as many as it can.
            break;
        }
    }
    writer.finish()
}

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
