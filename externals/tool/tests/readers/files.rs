//! Readers of our own binary files: films, saves, crash reports, the store and its index, bulk containers; and of inputs.

use std::cell::RefCell;
use std::fs;
use std::path::PathBuf;

use astrarium::session::{Session, Start};
use base::bytes::ByteWriter;
use base::compression::decompress;
use base::hash::{Hasher, hash, hash_with_seed, mix};
use host::pages::Pages;
use relay::black_box::Purpose;
use relay::film::{
    ContentList, Ending, FilmIndex, FilmWriter, HEAD_BYTES, Head, Kind, Opening, Reason, Stamp, Tag, content, inputs,
    keyframe, track,
};
use relay::{BlackBox, CrashReport, Sealed};
use shelf::content_key;
use shelf::index::Index;
use shelf::store::Store;
use state::Settings;
use state::backups::Schedule;
use state::limits::PAGE_BYTES;
use state::save::{self, SaveHeader};
use tags::bulk::{BLOCK_BYTES, BulkWriter, Directory, read_part};

use super::{Reader, no_seal, noise, numbered, repeated};

const LEVEL: &str = "tiny";
const SAVE_HEADER_BYTES: usize = 256;

pub const READERS: &[Reader] = &[
    Reader {
        name: "film",
        read: read_film,
        seeds: || vec![film(3, 3, 2), film(0, 0, 40), filmed_worlds(3, 1)],
        shapes: &[
            ("inputs and keyframes", |bytes| film(bytes / 320, bytes / 320, 0)),
            ("content lists", |bytes| film(0, 0, bytes / 140)),
            ("patches", |bytes| filmed_worlds(bytes / 1500, 1)),
            ("takes", |bytes| filmed_worlds(2, bytes / 300)),
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
        seal: seal_pack,
        heap_per_byte: 8,
    },
    Reader {
        name: "index",
        read: read_index,
        seeds: || vec![index(3)],
        shapes: &[
            ("entries", |bytes| index(bytes / 128)),
            ("noise behind an index", |bytes| {
                let mut made = [&index(1)[..], &noise(bytes)].concat();
                seal_index(&mut made);
                made
            }),
        ],
        seal: seal_index,
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
        seal: seal_bulk,
        // A compressed byte gives at most 255, and the vector of a part that is read whole doubles.
        heap_per_byte: 800,
    },
];

fn read_film(bytes: &[u8]) {
    let mut source = bytes;
    let Ok(index) = FilmIndex::read(&mut source) else { return };
    for take in &index.takes {
        let _ = take.runs();
    }
    let _ = index.take_with(u64::MAX / 2);
    let (mut body, mut block) = (Vec::new(), Vec::new());
    // The plan says how long a block is, and a film is never asked for one of another length.
    let length = block_bytes();
    let said = |take: u16| index.take(take).map_or(0, |take| take.opening.block_bytes);
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
            Some(Kind::Header) => drop(content::decode_header(&body)),
            Some(Kind::End) => drop(Ending::decode(&body)),
            Some(Kind::Whole) => {
                drop(keyframe::decode_start(&body, said(place.head.take)));
                let _ = keyframe::decode_whole(&body, length, &mut block);
            }
            Some(Kind::Patch) => {
                block.resize(length as usize, 0);
                let _ = (keyframe::look_at_patch(&body), keyframe::decode_patch(&body, &mut block));
            }
            None => {}
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

/// A film of so many takes with worlds of a few cycles: one whole, and so many patches of it in the first take.
fn filmed_worlds(patches: usize, takes: usize) -> Vec<u8> {
    let mut film = FilmBuilder::begin(0);
    for take in 1..takes as u16 {
        film.add_to(take, Kind::Opening, Stamp::default(), &opening(0).encode());
        film.add_to(take, Kind::Whole, Stamp::default(), &[0; 16]);
    }
    film.add_worlds(0, patches);
    film.add(Kind::Header, Stamp::default(), &content::encode_header("a.header", "@EnvironmentHeader\n"));
    let ending = Ending { chain: 5, words: "it ended".into() };
    film.add(Kind::End, Stamp::default(), &ending.encode());
    film.bytes
}

/// How long the block of the small world is.
fn block_bytes() -> u64 {
    SESSION.with_borrow(|session| session.world().plan().bytes() as u64)
}

/// The opening of a take of the small world, with this content.
pub fn opening(content: u64) -> Opening {
    SESSION.with_borrow(|session| {
        let lengths = session.lengths();
        Opening {
            reason: Reason::Begun,
            layout: session.world().plan().hash(),
            game_content: session.build(),
            content,
            block_bytes: session.world().plan().bytes() as u64,
            seed: 1,
            chain: 6,
            brush_nanos: lengths.brush_nanos,
            brushes_per_safe: lengths.brushes_per_safe,
            players: 2,
            parent: None,
            game: "sandbox".into(),
            level: LEVEL.into(),
            program: "a test".into(),
        }
    })
}

/// A film, chunk by chunk.
pub struct FilmBuilder {
    writer: FilmWriter,
    /// Its bytes so far.
    pub bytes: Vec<u8>,
}

impl FilmBuilder {
    /// The opening of a take with this content.
    pub fn begin(content: u64) -> FilmBuilder {
        let mut film = FilmBuilder { writer: FilmWriter::new(7, 0), bytes: Vec::new() };
        film.add(Kind::Opening, Stamp::default(), &opening(content).encode());
        film
    }

    /// Adds a chunk to the first take.
    pub fn add(&mut self, kind: Kind, stamp: Stamp, body: &[u8]) {
        self.add_to(0, kind, stamp, body);
    }

    /// Adds a chunk to a take.
    pub fn add_to(&mut self, take: u16, kind: Kind, stamp: Stamp, body: &[u8]) {
        if let Some(head) = self.writer.chunk(kind, take, stamp, body) {
            self.bytes.extend(head);
            self.bytes.extend(body);
        }
    }

    /// Adds worlds with this content to the first take: one whole, and so many patches of it. The first two can be reached; the others
    /// repeat the last of them, and are of another cycle than they say.
    pub fn add_worlds(&mut self, content: u64, patches: usize) {
        let mut session = session();
        let (mut spare, mut body) = (Vec::new(), Vec::new());
        session.world_mut().set_content(content);
        let (hash, base) = (session.hash(), session.world().bytes().to_vec());
        keyframe::encode_whole(6, &base, &mut body);
        self.add(Kind::Whole, Stamp { cycle: 0, until: 0, hash }, &body);
        let safe = u64::from(session.lengths().brushes_per_safe);
        for number in 1..=patches as u64 {
            if number == 1 {
                (0..safe).for_each(|_| session.step(&state::Alone));
                session.world_mut().set_content(content);
                keyframe::encode_patch(6, (0, &base), session.world().bytes(), &mut spare, &mut body);
            }
            let cycle = number * safe;
            self.add(Kind::Patch, Stamp { cycle, until: cycle, hash: session.hash() }, &body);
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
pub fn seal_film(bytes: &mut [u8]) {
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

/// A session of the small world at its beginning.
pub fn session() -> Session {
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

/// The checksums of the head and of the records.
fn seal_crash_report(bytes: &mut [u8]) {
    // The head is long enough for the sizes of the journals and the schedule of the backups.
    let Some((head, checksum)) = bytes.get_mut(..PAGE_BYTES).and_then(|page| page.split_last_chunk_mut::<8>()) else {
        return;
    };
    *checksum = hash(head).to_le_bytes();
    let (journal_bytes, long_count) = (number_at(bytes, 12, 4), number_at(bytes, 52, 4));
    for journal in 0..=long_count {
        let start = 3 * PAGE_BYTES + journal.saturating_mul(journal_bytes);
        let Some(found) = bytes.get_mut(start..start.saturating_add(journal_bytes)) else { return };
        if !seal_journal(found) {
            return;
        }
    }
}

/// The checksums of the records of a journal. Returns whether it can be one.
fn seal_journal(journal: &mut [u8]) -> bool {
    let Some((head, rest)) = journal.split_at_mut_checked(16) else { return false };
    let used = number_at(head, 8, 8).min(rest.len());
    let mut rest = &mut rest[..used];
    while let Some((head, behind)) = std::mem::take(&mut rest).split_at_mut_checked(24) {
        let Some((body, behind)) = behind.split_at_mut_checked(number_at(head, 0, 8)) else { break };
        let sealed = mix(number_at(head, 16, 8) as u64, hash(body));
        head[8..16].copy_from_slice(&sealed.to_le_bytes());
        rest = behind;
    }
    true
}

/// A number of so many bytes, if they are there.
fn number_at(bytes: &[u8], at: usize, width: usize) -> usize {
    let mut number = [0; 8];
    let found = bytes.get(at..at.saturating_add(width)).unwrap_or_default();
    number[..found.len()].copy_from_slice(found);
    usize::try_from(u64::from_le_bytes(number)).unwrap_or(usize::MAX)
}

fn put_at(bytes: &mut [u8], at: usize, number: u64) {
    bytes[at..at + 8].copy_from_slice(&number.to_le_bytes());
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

/// The checksums of the objects that lie within the file, and of the table.
fn seal_pack(bytes: &mut [u8]) {
    const HEAD: usize = 24;
    const ROW: usize = 52;
    let end = number_at(bytes, 12, 4).saturating_mul(ROW).saturating_add(HEAD);
    if bytes.len() < end {
        return;
    }
    for row in (HEAD..end).step_by(ROW) {
        let (offset, length) = (number_at(bytes, row + 32, 8), number_at(bytes, row + 40, 4));
        if let Some(object) = bytes.get(offset..offset.saturating_add(length)) {
            let sealed = hash_with_seed(object, hash(&bytes[row..row + 32]));
            put_at(bytes, row + 44, sealed);
        }
    }
    let sealed = hash(&bytes[HEAD..end]);
    put_at(bytes, 16, sealed);
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

fn seal_index(bytes: &mut [u8]) {
    if let Some(rest) = bytes.get(20..) {
        let sealed = hash(rest);
        put_at(bytes, 12, sealed);
    }
}

/// The checksums of the blocks that can be decoded, and of the directory.
fn seal_bulk(bytes: &mut [u8]) {
    const HEAD: usize = 28;
    let (parts, blocks, names) = (number_at(bytes, 8, 4), number_at(bytes, 12, 4), number_at(bytes, 16, 4));
    let rows = 20_usize.saturating_mul(parts).saturating_add(HEAD);
    let behind = 25_usize.saturating_mul(blocks).saturating_add(rows);
    let end = behind.saturating_add(names);
    if bytes.len() < end.max(HEAD) {
        return;
    }
    for row in (rows..behind).step_by(25) {
        let (offset, stored, length) =
            (number_at(bytes, row, 8), number_at(bytes, row + 8, 4), number_at(bytes, row + 12, 4));
        let Some(stored) = bytes.get(offset..offset.saturating_add(stored)) else { continue };
        let sealed = match bytes[row + 24] {
            0 => hash(stored),
            _ => {
                let mut decoded = vec![0; length.min(BLOCK_BYTES)];
                if decompress(stored, &mut decoded).is_err() {
                    continue;
                }
                hash(&decoded)
            }
        };
        put_at(bytes, row + 16, sealed);
    }
    let mut hasher = Hasher::new();
    hasher.put(&bytes[..20]);
    hasher.put(&bytes[HEAD..end]);
    put_at(bytes, 20, hasher.finish());
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
