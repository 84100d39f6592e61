//! Readers of content: tags, headers, packed tags, settings, texts, messages of editors.

use base::bytes::ByteWriter;
use forge::server::files::Memory;
use forge::server::transport::Heard;
use forge::server::{Server, ServerSetup, transport};
use gui::Settings;
use shelf::feed::is_message;
use tags::Classes;
use tags::header_set::{Header, read_all};
use tags::packed::Packed;
use text::{Source, Texts};

use super::{Reader, Shape, no_seal, noise, numbered, repeated, text};

/// The class of objects has every kind of field, and takes further names.
const CLASS: &str = "object";

const TAG_SHAPES: &[Shape] = &[
    ("own names", |bytes| numbered(bytes, "@object\n", "!set own# #\n", "")),
    ("own lists", |bytes| numbered(bytes, "@object\n", "!set own# [#, 2]\n", "")),
    ("the same name", |bytes| repeated(bytes, "@object\n!set a [1, 2, 3]\n", "!set own a\n", "")),
    ("formulas", |bytes| numbered(bytes, "@object\n!set own0 1\n", "!set f# own0 + f#\n", "")),
    ("lambdas", |bytes| numbered(bytes, "@object\n", "!set On# Lambda(a, a + On#(a))\n", "")),
    ("long list", |bytes| numbered(bytes, "@object\n!set own [0", ", #", "]\n")),
    ("nested records", |bytes| repeated(bytes, "@object\n!set own ", "{ a ", "")),
    ("strings", |bytes| numbered(bytes, "@object\n!set own [0", ", \"name #\"", "]\n")),
    ("effects", |bytes| repeated(bytes, "@object\n", "!Log(1)\n", "")),
    ("errors", |bytes| repeated(bytes, "@object\n", "!set mass \"a\"\n", "")),
    ("noise", noise),
];

pub const READERS: &[Reader] = &[
    Reader { name: "tag", read: read_tag, seeds: tag_seeds, shapes: TAG_SHAPES, seal: no_seal, heap_per_byte: 500 },
    Reader {
        name: "header",
        read: read_header,
        seeds: header_seeds,
        shapes: &[
            ("fields", |bytes| numbered(bytes, HEADER, "{ name \"f#\", type \"f32\", default # },\n", "]\n")),
            ("same fields", |bytes| repeated(bytes, HEADER, "{ name \"f\", type \"f32\" },\n", "]\n")),
            ("formers", |bytes| {
                numbered(bytes, HEADER, "{ name \"f#\", type \"f32\", former [\"g#\", \"f0\"] },\n", "]\n")
            }),
            ("records", |bytes| {
                let head = "@EnvironmentHeader\n!set Namespace \"a\"\n!set Attributes []\n!set Records [\n";
                numbered(bytes, head, "{ name \"r#\", fields [{ name \"a\", type \"record r#\" }] },\n", "]\n")
            }),
            ("choices", |bytes| {
                let head = "@EnvironmentHeader\n!set Namespace \"a\"\n!set Attributes [{ name \"f\", type \"choice\", of [\"z\"";
                numbered(bytes, head, ", \"c#\"", "] }]\n")
            }),
            ("noise", noise),
        ],
        seal: no_seal,
        heap_per_byte: 200,
    },
    Reader {
        name: "packed-tag",
        read: read_packed,
        seeds: || tag_seeds().iter().map(|seed| packed(seed)).collect(),
        shapes: &[
            ("own lists", |bytes| packed(&numbered(bytes / 8, "@object\n", "!set own# [#, 2]\n", ""))),
            ("lambdas", |bytes| packed(&numbered(bytes / 8, "@object\n", "!set On# Lambda(a, a + On#(a))\n", ""))),
            ("noise behind a head", |bytes| [&packed(b"@object\n")[..64], &noise(bytes)].concat()),
        ],
        seal: no_seal,
        heap_per_byte: 8,
    },
    Reader {
        name: "settings",
        read: |bytes| drop(Settings::from_text(&text(bytes))),
        seeds: || vec![b"@settings\n!set master_volume 0.5\n!set window_size [800, 600]\n".to_vec()],
        shapes: &[
            ("unknown names", |bytes| numbered(bytes, "@settings\n", "!set own# #\n", "")),
            ("formulas", |bytes| numbered(bytes, "@settings\n", "!set volume own# + volume\n", "")),
            ("noise", noise),
        ],
        seal: no_seal,
        heap_per_byte: 400,
    },
    Reader {
        name: "texts",
        read: read_texts,
        seeds: || {
            vec![
                b"greeting = Hello { $name }\ncount = { $n ->\n    [one] one\n   *[other] many\n }\n-term = A\n    .attr = B\nuses = { -term } { greeting.a } { \"x\" }\n".to_vec(),
            ]
        },
        shapes: &[
            ("messages", |bytes| numbered(bytes, "", "m# = Text #\n", "")),
            ("the same message", |bytes| repeated(bytes, "", "m = Text\n", "")),
            ("references in a row", |bytes| numbered(bytes, "m0 = a\n", "n# = { n# } { m0 }\n", "")),
            ("terms", |bytes| numbered(bytes, "", "-t# = { -t# }\n", "")),
            ("attributes", |bytes| numbered(bytes, "m = a\n", "    .a# = b\n", "")),
            ("selectors", |bytes| numbered(bytes, "m = { $n ->\n", "    [a#] b\n", "   *[other] c\n }\n")),
            ("brackets", |bytes| repeated(bytes, "m = ", "{ ", "")),
            ("errors", |bytes| repeated(bytes, "", "= x\n", "")),
            ("noise", noise),
        ],
        seal: no_seal,
        heap_per_byte: 400,
    },
    Reader {
        name: "editor-message",
        read: |bytes| drop(transport::understand(bytes)),
        seeds: || {
            vec![
                br#"{"jsonrpc":"2.0","id":1,"method":"textDocument/hover","params":{"textDocument":{"uri":"file:///a.ship"},"position":{"line":1,"character":2}}}"#.to_vec(),
                br#"{"jsonrpc":"2.0","method":"textDocument/didChange","params":{"textDocument":{"uri":"file:///a","version":2},"contentChanges":[{"text":"a"}]}}"#.to_vec(),
            ]
        },
        shapes: &[
            ("objects", |bytes| repeated(bytes, EDITOR, "{\"a\":0},", "0]}")),
            ("numbers", |bytes| repeated(bytes, EDITOR, "0,", "0]}")),
            ("brackets", |bytes| repeated(bytes, EDITOR, "[", "]}")),
            ("keys", |bytes| {
                numbered(bytes, "{\"jsonrpc\":\"2.0\",\"method\":\"a\",\"params\":{\"z\":0", ",\"a#\":0", "}}")
            }),
            ("a string", |bytes| repeated(bytes, EDITOR, "\\u0000", "\"]}")),
            ("noise", noise),
        ],
        seal: no_seal,
        heap_per_byte: 200,
    },
    Reader {
        name: "editor-changes",
        read: read_changes,
        seeds: || vec![changes(100, START_CHANGE)],
        shapes: &[
            ("at the start", |bytes| changes(bytes, START_CHANGE)),
            ("in every line", |bytes| changes(bytes, LINE_CHANGE)),
        ],
        seal: no_seal,
        heap_per_byte: 200,
    },
    Reader {
        name: "feed-message",
        read: |bytes| {
            let _ = is_message(bytes);
        },
        seeds: || vec![feed_have(200), vec![4], [&[7][..], &[9; 32]].concat(), [&[5, 1][..], &[9; 32]].concat()],
        shapes: &[
            ("tags", feed_have),
            ("tags that are not there", |bytes| {
                let mut made = vec![1];
                made.write_varint(1 << 40);
                made.extend(noise(bytes));
                made
            }),
            ("noise", noise),
        ],
        seal: no_seal,
        heap_per_byte: 2,
    },
];

/// Texts that an editor changes in very many places with one message.
fn changes(bytes: usize, change: &str) -> Vec<u8> {
    let text = "!set v [1, 2]\\n".repeat(4096);
    let head = format!(
        "{{\"jsonrpc\":\"2.0\",\"method\":\"textDocument/didChange\",\"params\":{{\"textDocument\":{{\"uri\":\"file:///a.lscript\",\"version\":2}},\"contentChanges\":[{{\"text\":\"{text}\"}}"
    );
    numbered(bytes.max(2 * head.len()), &head, change, "]}}")
}

const START_CHANGE: &str = r#",{"range":{"start":{"line":0,"character":0},"end":{"line":0,"character":0}},"text":"b"}"#;
const LINE_CHANGE: &str =
    r##",{"range":{"start":{"line":#,"character":0},"end":{"line":#,"character":1}},"text":"\n"}"##;

fn read_changes(bytes: &[u8]) {
    let hear = |server: &mut Server, bytes: &[u8]| {
        if let Heard::Message(message) = transport::understand(bytes) {
            server.handle(message);
        }
    };
    let mut server = Server::new(Memory::default(), ServerSetup::default());
    hear(&mut server, br#"{"jsonrpc":"2.0","id":1,"method":"initialize","params":{"capabilities":{}}}"#);
    hear(&mut server, br#"{"jsonrpc":"2.0","method":"textDocument/didOpen","params":{"textDocument":{"uri":"file:///a.lscript","languageId":"lscript","version":1,"text":"!set a 1"}}}"#);
    hear(&mut server, bytes);
}

/// The message of a game that has very many tags.
fn feed_have(bytes: usize) -> Vec<u8> {
    let rows = bytes / 40;
    let mut made = vec![1];
    made.write_varint(rows as u64);
    made.extend(noise(40 * rows));
    made
}

const HEADER: &str = "@EnvironmentHeader\n!set Namespace \"a\"\n!set Attributes [\n";
const EDITOR: &str = "{\"jsonrpc\":\"2.0\",\"method\":\"a\",\"params\":[";

thread_local! {
    static CLASSES: Classes = astrarium::classes();
}

fn read_tag(bytes: &[u8]) {
    CLASSES.with(|classes| drop(classes.get(CLASS).map(|class| class.pack_text(&text(bytes)))));
}

/// The packed form of the text of an object.
pub fn packed(source: &[u8]) -> Vec<u8> {
    let pack =
        |classes: &Classes| classes.get(CLASS).map(|class| class.pack_text(&text(source)).packed.bytes().to_vec());
    CLASSES.with(pack).unwrap_or_default()
}

fn read_packed(bytes: &[u8]) {
    CLASSES.with(|classes| {
        let Some(class) = classes.get(CLASS) else { return };
        if let Ok(packed) = Packed::check(bytes, class.class()) {
            for (_, value) in packed.reflect(class.class()).fields() {
                let mut out = String::new();
                tags::packed::write_text(&value, &mut out);
            }
            let _ = (packed.links().count(), packed.files().count(), packed.names().count());
        }
    });
}

fn read_header(bytes: &[u8]) {
    let source = text(bytes);
    drop(read_all(&[Header { origin: "a.header", source: &source }], &Classes::new(), &Classes::new()));
}

fn read_texts(bytes: &[u8]) {
    let source = Source { language: "en".into(), file: "a.ftl".into(), bytes: bytes.to_vec() };
    let texts = Texts::from_sources("en", [source]);
    let reading = texts.language("en");
    for id in texts.ids().into_iter().take(4) {
        let _ = reading.say(id, &[]);
    }
}

fn tag_seeds() -> Vec<Vec<u8>> {
    vec![
        b"@object\n!set own 3\n!set list [1, 2, [3]]\n!set f Lambda(a, a + own)\n!set OnStart [ !Log(own) ]\n".to_vec(),
        b"@object\n!set formula own * 2 + 1\n!set own 4\n!set words [\"a\", \"b\"]\n".to_vec(),
    ]
}

fn header_seeds() -> Vec<Vec<u8>> {
    vec![
        b"@EnvironmentHeader\n!set Namespace \"ship\"\n!set Help \"What flies.\"\n!set Attributes [\n    { name \"hull\", type \"f32\", default 100, range [0, 1e6], unit \"t\", former [\"skin\"] },\n    { name \"mounts\", type \"list of record mount\" },\n    { name \"escort\", type \"@ship\" }\n]\n!set Records [\n    { name \"mount\", fields [{ name \"marker\", type \"string id\", key true }] }\n]\n".to_vec(),
    ]
}
