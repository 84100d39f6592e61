//! The content that films and saves hold: headers of classes, and tags, which many paths may name.

use std::fs;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use astrarium::film::mods_of;
use astrarium::{GameEntry, TagsEntry, film, saves};
use base::bytes::ByteWriter;
use relay::film::content::encode_header;
use relay::film::limits::BODY_BYTES_MAX;
use relay::film::{ContentList, Kind, Stamp, Tag};
use shelf::content_key;
use tags::header_set::{Header, read_all};
use tags::library::Ready;
use tags::packed::Packed;
use tags::{Classes, Key, Library, TagPath};

use super::files::{self, FilmBuilder, opening, saved, seal_film};
use super::{Reader, no_seal, numbered};

pub const READERS: &[Reader] = &[
    Reader {
        name: "header-set",
        read: read_headers,
        seeds: || vec![headers(2, 3)],
        shapes: &[
            ("derived from a long class", |bytes| headers(bytes / 100, (bytes / 100).min(400))),
            ("alone", |bytes| headers(bytes / 65, 0)),
        ],
        seal: no_seal,
        heap_per_byte: 400,
    },
    Reader {
        name: "film-content",
        read: read_film,
        seeds: || {
            let small = FilmOf { classes: 2, paths: 2, list: 100, patches: 1, ..FilmOf::default() };
            vec![film_of(small), film_of(FilmOf { links: 3, takes: 3, ..small }), recorded()]
        },
        shapes: &[
            ("paths of one tag", |bytes| {
                film_of(FilmOf { paths: bytes / 90, list: bytes / 2, patches: 1, ..FilmOf::default() })
            }),
            ("classes and tags", |bytes| {
                film_of(FilmOf { classes: bytes / 260, paths: bytes / 90, patches: 1, ..FilmOf::default() })
            }),
            ("chained lists", |bytes| {
                film_of(FilmOf { paths: 2, links: bytes / 190, patches: 1, ..FilmOf::default() })
            }),
            ("keyframes", |bytes| film_of(FilmOf { paths: 2, patches: bytes / 1500, ..FilmOf::default() })),
            ("takes", |bytes| film_of(FilmOf { paths: 2, patches: 1, takes: bytes / 300, ..FilmOf::default() })),
        ],
        seal: seal_film,
        heap_per_byte: 600,
    },
    Reader {
        name: "save-content",
        read: read_save,
        seeds: || vec![save_of(2, 2)],
        shapes: &[("classes and tags", |bytes| save_of(bytes / 200, bytes / 300))],
        // The save around the content is made with right checksums.
        seal: no_seal,
        heap_per_byte: 400,
    },
];

/// The sandbox, with the classes of games of tags.
const GAME: GameEntry =
    GameEntry { tags: TagsEntry { classes: astrarium::classes, ..TagsEntry::NONE }, ..sandbox::ENTRY };

/// Begins each header of a set in one text.
const MARK: &str = "@EnvironmentHeader\n";

/// A class of so many fields, and so many classes that are derived from it; without fields they have no base.
fn headers(count: usize, fields: usize) -> Vec<u8> {
    let base = numbered(
        40 * fields,
        "@EnvironmentHeader\n!set Namespace \"long\"\n!set Attributes [\n",
        "{ name \"f#\", type \"f32\" },\n",
        "]\n",
    );
    let derived = (0..count).map(|number| match fields {
        0 => format!("{MARK}!set Namespace \"k{number}\"\n!set Attributes []\n"),
        _ => format!("{MARK}!set Namespace \"k{number}\"\n!set Base \"long\"\n"),
    });
    [base, derived.collect::<String>().into_bytes()].concat()
}

fn read_headers(bytes: &[u8]) {
    let text = super::text(bytes);
    let sources: Vec<String> = text.split(MARK).skip(1).map(|rest| [MARK, rest].concat()).collect();
    let headers: Vec<Header<'_>> = sources.iter().map(|source| Header { origin: "a.header", source }).collect();
    let mut classes = Classes::new();
    for class in read_all(&headers, &classes, &Classes::new()).into_iter().filter_map(|declared| declared.class) {
        // A name that is taken.
        let _ = classes.add_table(class);
    }
}

/// What a film holds.
#[derive(Clone, Copy, Default)]
struct FilmOf {
    classes: usize,
    /// So many paths name one tag with a list of about so many bytes.
    paths: usize,
    list: usize,
    /// The lists before that of the content in force; each adds a path.
    links: usize,
    /// The worlds behind the first one.
    patches: usize,
    /// The takes behind the first one, with damaged worlds.
    takes: usize,
}

fn film_of(wanted: FilmOf) -> Vec<u8> {
    let FilmOf { classes, paths, list, links, patches, takes } = wanted;
    let source = numbered(list, "@object\n!set own [0", ", #", "]\n");
    let packed = super::content::packed(&source);
    let key = content_key::of(&source);
    let rows = (0..paths + links).map(|number| (format!("a/{number:06}.object"), key.0));
    let rows: Vec<(String, [u8; 32])> = rows.collect();
    let identity = identity_of(&rows);
    let mut film = FilmBuilder::begin(identity);
    for number in 0..classes {
        film.add(Kind::Header, Stamp::default(), &class(number));
    }
    film.add(Kind::Tag, Stamp::of_tag(0, key.half()), &Tag::encode(&key.0, &packed));
    // The first lists are of contents that were never in force: only the last one's identity is compared.
    for link in 0..=links {
        let (from, to) = if link == 0 { (0, paths) } else { (paths + link - 1, paths + link) };
        let own = if link == links { identity } else { link as u64 + 1 };
        let list =
            ContentList { identity: own, base: (link > 0).then_some(link as u64), rows: rows[from..to].to_vec() };
        film.add(Kind::Content, Stamp { hash: own, ..Stamp::default() }, &list.encode());
    }
    film.add_worlds(identity, patches);
    for take in 1..=takes as u16 {
        film.add_to(take, Kind::Opening, Stamp::default(), &opening(identity).encode());
        film.add_to(take, Kind::Whole, Stamp::default(), &[0; 16]);
    }
    film.bytes
}

/// A film as the program writes it.
fn recorded() -> Vec<u8> {
    thread_local! {
        static FOLDER: testing::folder::Folder = testing::folder::Folder::new();
    }
    let path = FOLDER.with(|folder| folder.join("recorded.film"));
    let mut session = files::session();
    session.film_to(&path, None).expect("the folder can be written");
    (0..10).for_each(|_| session.step(&state::Alone));
    session.end_film("it ended").expect("it is filmed");
    fs::read(&path).expect("it was written")
}

/// A header of a class in a film or a save.
fn class(number: usize) -> Vec<u8> {
    let name = format!("k{number}");
    encode_header(&format!("{name}.header"), &format!("{MARK}!set Namespace \"{name}\"\n!set Attributes []\n"))
}

/// The identity of a content, which depends on paths and keys alone.
fn identity_of(rows: &[(String, [u8; 32])]) -> u64 {
    let packed = Packed::check_parts(&super::content::packed(b"@object\n")).map(Arc::new).expect("it was packed");
    let ready = rows.iter().map(|(path, key)| Ready {
        path: TagPath::new(path).expect("it is a path"),
        key: Key(*key),
        packed: Arc::clone(&packed),
    });
    let mut library = Library::new();
    library.apply(ready);
    library.identity()
}

/// Writes an input into a file of this test and reads it.
fn in_file(name: &str, bytes: &[u8], mut read: impl FnMut(&Path)) {
    thread_local! {
        static FOLDER: testing::folder::Folder = testing::folder::Folder::new();
    }
    let path: PathBuf = FOLDER.with(|folder| folder.join(name));
    fs::write(&path, bytes).expect("the folder can be written");
    read(&path);
}

fn read_film(bytes: &[u8]) {
    in_file("a.film", bytes, |path| {
        let _ = mods_of(path, &[GAME]);
        for moment in MOMENTS {
            let _ = film::session_at(path, moment, &[GAME]);
        }
    });
}

/// A whole world, a patched one, and the last one.
const MOMENTS: [film::Moment; 3] = [
    film::Moment { take: Some(0), cycle: Some(0) },
    film::Moment { take: Some(0), cycle: Some(5) },
    film::Moment { take: Some(0), cycle: None },
];

/// What prevents that the worlds of a film are reached, for the test of the table.
#[allow(dead_code, reason = "the fuzzer does not ask")]
pub fn unreached(bytes: &[u8]) -> Vec<String> {
    let mut errors = Vec::new();
    in_file("a.film", bytes, |path| {
        let reached = MOMENTS.map(|moment| film::session_at(path, moment, &[GAME]));
        errors = reached.into_iter().filter_map(Result::err).map(|error| error.to_string()).collect();
    });
    errors
}

fn read_save(bytes: &[u8]) {
    in_file("a.save", &saved(bytes), |path| {
        let _ = saves::mods_of(path);
        let _ = saves::session_of(path, &[GAME]);
    });
}

/// The content of a save with so many classes, and so many tags.
fn save_of(classes: usize, tags: usize) -> Vec<u8> {
    let packed = super::content::packed(b"@object\n!set own 1\n");
    let mut content = Vec::new();
    content.write_u64(1);
    content.write_varint(classes as u64);
    (0..classes).for_each(|number| content.write_bytes(&class(number), BODY_BYTES_MAX));
    content.write_varint(tags as u64);
    for number in 0..tags {
        content.write_text(&format!("a/{number}.object"), 400);
        content.write_bytes(&Tag::encode(&[number as u8; 32], &packed), BODY_BYTES_MAX);
    }
    content
}
