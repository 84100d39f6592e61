//! Films: round trips; damaged parts are named and skipped.

use proptest::prelude::*;
use relay::film::compression::{compress_with_length, decompress_with_length};
use relay::film::content::{decode_header, encode_header};
use relay::film::index::{FilmError, Run, What};
use relay::film::{
    ContentList, Ending, FilmIndex, FilmWriter, HEAD_BYTES, Head, Item, Kind, Opening, Parent, Place, Reason, Source,
    Stamp, Tag, inputs, keyframe, patch, track,
};
use relay::{Event, Sealed};

const BLOCK: usize = 3 * 4096;
const BRUSHES: u64 = 5;

/// A film in memory, of blocks that are never stepped.
struct Making {
    writer: FilmWriter,
    bytes: Vec<u8>,
}

impl Making {
    fn new(film: u64) -> Making {
        Making { writer: FilmWriter::new(film, 0), bytes: Vec::new() }
    }

    fn chunk(&mut self, kind: Kind, take: u16, stamp: Stamp, body: &[u8]) {
        self.bytes.extend(self.writer.chunk(kind, take, stamp, body).expect("it is short"));
        self.bytes.extend(body);
    }

    fn inputs(&mut self, take: u16, cycles: std::ops::Range<u64>) {
        let mut body = Vec::new();
        base::bytes::ByteWriter::write_varint(&mut body, cycles.end - cycles.start);
        for cycle in cycles.clone() {
            inputs::write_record(hash_of(cycle * BRUSHES), &Sealed::empty(cycle), &mut body);
        }
        let stamp = Stamp { cycle: cycles.start * BRUSHES, until: cycles.end * BRUSHES, hash: 0 };
        self.chunk(Kind::Inputs, take, stamp, &body);
    }

    fn whole(&mut self, take: u16, cycle: u64) {
        let mut body = Vec::new();
        keyframe::encode_whole(cycle, &block(cycle), &mut body);
        self.chunk(Kind::Whole, take, Stamp { cycle, until: cycle, hash: hash_of(cycle) }, &body);
    }

    fn patch(&mut self, take: u16, base: u64, cycle: u64) {
        let (mut body, mut spare) = (Vec::new(), Vec::new());
        keyframe::encode_patch(cycle, (base, &block(base)), &block(cycle), &mut spare, &mut body);
        self.chunk(Kind::Patch, take, Stamp { cycle, until: cycle, hash: hash_of(cycle) }, &body);
    }
}

fn hash_of(cycle: u64) -> u64 {
    base::hash::mix(cycle, 7)
}

fn block(cycle: u64) -> Vec<u8> {
    let mut block: Vec<u8> = (0..BLOCK).map(|index| (index / 64) as u8).collect();
    for place in 0..20 {
        let at = (hash_of(cycle.wrapping_add(place)) % BLOCK as u64) as usize;
        block[at] = block[at].wrapping_add(1);
    }
    block
}

fn opening(reason: Reason) -> Opening {
    Opening {
        reason,
        layout: 1,
        game_content: 2,
        content: 3,
        block_bytes: BLOCK as u64,
        seed: 4,
        chain: 5,
        brush_nanos: 10_000_000,
        brushes_per_safe: BRUSHES as u32,
        players: 2,
        parent: Some(Parent { film: 9, take: 1, cycle: 77 }),
        game: "sandbox".into(),
        level: "meadow".into(),
        program: "test".into(),
    }
}

/// Two takes: 0 to 300, and from 300 on.
fn film() -> Vec<u8> {
    let mut making = Making::new(42);
    making.chunk(Kind::Opening, 0, Stamp::default(), &opening(Reason::Begun).encode());
    let list = ContentList { identity: 3, base: None, rows: vec![("a.thing".into(), [7; 32])] };
    making.chunk(Kind::Content, 0, Stamp::default(), &list.encode());
    making.chunk(Kind::Tag, 0, Stamp::of_tag(0, u128::MAX / 3), &Tag::encode(&[7; 32], &[1; 1000]));
    making.whole(0, 0);
    for second in 0..3 {
        making.inputs(0, second * 20..(second + 1) * 20);
        making.patch(0, 0, (second + 1) * 100);
    }
    making.inputs(0, 60..61);
    making.chunk(Kind::Opening, 1, Stamp { cycle: 300, ..Stamp::default() }, &opening(Reason::Anew).encode());
    making.whole(1, 300);
    making.inputs(1, 60..80);
    making.chunk(Kind::Track, 1, Stamp::default(), &track::encode("markers", [(350, &b"here"[..])].into_iter()));
    let ending = Ending { chain: 8, words: "it was ended properly".into() };
    making.chunk(Kind::End, 1, Stamp { cycle: 397, until: 397, hash: hash_of(397) }, &ending.encode());
    making.bytes
}

fn read(bytes: &[u8]) -> Result<FilmIndex, FilmError> {
    FilmIndex::read(&mut &bytes[..])
}

fn body_of(bytes: &[u8], place: &Place) -> Option<Vec<u8>> {
    let mut body = Vec::new();
    FilmIndex::body(&mut &bytes[..], place, &mut body).ok().map(|()| body)
}

#[test]
fn films_round_trip() {
    let bytes = film();
    let index = read(&bytes).unwrap();
    assert_eq!((index.film, index.takes.len(), index.troubles.len()), (42, 2, 0));
    assert_eq!((index.end, index.length), (bytes.len() as u64, bytes.len() as u64));
    let take = &index.takes[0];
    assert_eq!(take.opening, opening(Reason::Begun));
    assert_eq!((take.keyframes.len(), take.inputs.len(), take.last()), (4, 4, 300));
    assert_eq!(take.runs(), [Run { first: 0, last: 300 }]);
    assert_eq!(index.takes[1].runs(), [Run { first: 300, last: 397 }]);
    assert_eq!(index.take_with(300).map(|take| take.number), Some(1));
    assert_eq!(index.take_with(299).map(|take| take.number), Some(0));
    assert!(index.take_with(398).is_none());
    for place in &take.keyframes {
        let (body, cycle) = (body_of(&bytes, place).unwrap(), place.head.stamp.cycle);
        let mut found = block(0);
        let said = match place.head.kind() {
            Some(Kind::Patch) => keyframe::decode_patch(&body, &mut found).unwrap(),
            _ => keyframe::decode_whole(&body, found.len() as u64, &mut found).unwrap(),
        };
        assert_eq!((said.chain, found), (cycle, block(cycle)));
    }
    let place = take.inputs_at(105).unwrap();
    let records = inputs::decode(&body_of(&bytes, place).unwrap(), &place.head.stamp, 5).unwrap();
    assert_eq!((records[1].hash_before, records[1].inputs.cycle()), (hash_of(105), 21));
    let tag = index.of_kind(Kind::Tag).next().unwrap();
    assert_eq!(tag.head.stamp.key_half(), u128::MAX / 3);
    assert_eq!(Tag::decode(&body_of(&bytes, tag).unwrap()).unwrap().packed, [1; 1000]);
}

#[test]
fn a_take_leads_to_the_next_level() {
    let mut making = Making::new(42);
    making.chunk(Kind::Opening, 0, Stamp::default(), &opening(Reason::Begun).encode());
    making.whole(0, 0);
    making.inputs(0, 0..20);
    for (take, reason) in [(1, Reason::Anew), (2, Reason::Loaded)] {
        let stamp = Stamp { cycle: u64::from(take) * 100, ..Stamp::default() };
        making.chunk(Kind::Opening, take, stamp, &opening(reason).encode());
        making.whole(take, stamp.cycle);
        making.inputs(take, stamp.cycle / 5..stamp.cycle / 5 + 20);
    }
    let index = read(&making.bytes).unwrap();
    let lasts: Vec<(u64, Option<u64>)> = index.takes.iter().map(|take| (take.last(), take.leads_to)).collect();
    assert_eq!(lasts, [(100, Some(100)), (195, None), (295, None)]);
}

#[test]
fn a_truncated_film_is_readable_up_to_the_cut() {
    let bytes = film();
    let whole = read(&bytes).unwrap();
    for length in (0..bytes.len()).step_by(97) {
        let Ok(index) = read(&bytes[..length]) else {
            assert!(length < whole.chunks[1].offset as usize, "from its opening on it can be read: {length}");
            continue;
        };
        let count = whole.chunks.iter().filter(|place| place.end() <= length as u64).count();
        assert_eq!(index.chunks, whole.chunks[..count], "{length}");
        assert_eq!(index.end, index.chunks.last().unwrap().end());
        assert_eq!(index.troubles.is_empty(), index.end == length as u64, "{length}: {:?}", index.troubles);
    }
}

#[test]
fn a_film_whose_last_bytes_were_not_written_ends_before_them() {
    let mut bytes = film();
    let whole = read(&bytes).unwrap();
    let last = whole.chunks.last().unwrap();
    bytes[last.offset as usize + HEAD_BYTES..].fill(0);
    let index = read(&bytes).unwrap();
    assert_eq!(index.chunks, whole.chunks[..whole.chunks.len() - 1]);
    assert_eq!(index.troubles[0].what, What::Body(Kind::End as u16));
}

#[test]
fn damage_is_named_and_the_rest_can_be_played() {
    let bytes = film();
    let whole = read(&bytes).unwrap();
    // The head of the second chunk of inputs: cycles 100 to 200 are lost; replay resumes at the next keyframe.
    let place = whole.takes[0].inputs[1];
    let mut altered = bytes.clone();
    altered[place.offset as usize + 33] ^= 4;
    let index = read(&altered).unwrap();
    let trouble = &index.troubles[0];
    assert_eq!((trouble.offset, trouble.what), (place.offset, What::NoChunk));
    assert_eq!(trouble.offset + trouble.length, place.end());
    assert_eq!(index.takes[0].runs(), [Run { first: 0, last: 100 }, Run { first: 200, last: 300 }]);
}

#[test]
fn removed_swapped_duplicate_and_foreign_chunks_are_detected() {
    let bytes = film();
    let whole = read(&bytes).unwrap();
    let place = whole.takes[0].inputs[0];
    let (start, end) = (place.offset as usize, place.end() as usize);
    let removed = [&bytes[..start], &bytes[end..]].concat();
    assert_eq!(read(&removed).unwrap().troubles[0].what, What::Missing(1));
    let doubled = [&bytes[..end], &bytes[start..]].concat();
    let index = read(&doubled).unwrap();
    assert_eq!((index.troubles[0].what, index.chunks.len()), (What::OutOfOrder, whole.chunks.len()));
    let mut other = Making::new(43);
    other.inputs(0, 0..20);
    let spliced = [&bytes[..start], &other.bytes, &bytes[start..]].concat();
    let index = read(&spliced).unwrap();
    assert_eq!((index.troubles[0].what, index.chunks.len()), (What::OtherFilm(43), whole.chunks.len()));
}

#[test]
fn chunks_appended_after_a_torn_one_are_found() {
    let bytes = film();
    let whole = read(&bytes).unwrap();
    let cut = whole.takes[0].keyframes[1].end() as usize - 10;
    let mut making = Making { writer: FilmWriter::new(42, 1000), bytes: bytes[..cut].to_vec() };
    making.chunk(Kind::Track, 0, Stamp::default(), &track::encode("markers", [(1, &b"late"[..])].into_iter()));
    let index = read(&making.bytes).unwrap();
    assert!(!index.troubles.is_empty());
    assert_eq!(index.of_kind(Kind::Track).count(), 1, "{:?}", index.troubles);
}

/// A film that counts the bytes that are read of it.
struct Counted<'a>(&'a [u8], u64);

impl Source for Counted<'_> {
    fn length(&self) -> u64 {
        self.0.len() as u64
    }

    fn read_at(&mut self, offset: u64, into: &mut [u8]) -> Result<(), String> {
        self.1 += into.len() as u64;
        (&mut &self.0[..]).read_at(offset, into)
    }
}

#[test]
fn heads_inside_bodies_of_torn_chunks_cost_no_more_than_a_few_reads_of_the_file() {
    let mut bytes = film();
    let (begin, count) = (bytes.len(), 4000);
    let end = begin + count * HEAD_BYTES;
    for index in 0..count {
        let at = begin + index * HEAD_BYTES;
        let length = (end - at - HEAD_BYTES) as u32;
        let number = 1000 + index as u32;
        let stamp = Stamp { cycle: 1, until: 1, hash: 0 };
        bytes.extend(Head { kind: Kind::Track as u16, take: 0, number, length, film: 42, stamp, checksum: 1 }.encode());
    }
    bytes.push(0);
    let mut counted = Counted(&bytes, 0);
    let index = FilmIndex::read(&mut counted).unwrap();
    assert!(index.takes.len() == 2 && !index.troubles.is_empty());
    let read = counted.1;
    assert!(read < 20 * bytes.len() as u64, "{read} bytes read of {}", bytes.len());
}

#[test]
fn a_keyframe_takes_no_more_memory_than_its_bytes_justify() {
    let mut body = Vec::new();
    keyframe::encode_whole(7, &block(0), &mut body);
    let mut found = Vec::new();
    keyframe::decode_whole(&body, 1 << 30, &mut found).expect_err("84 bytes cannot hold a gibibyte");
    assert_eq!(found.capacity(), 0);
}

#[test]
fn bytes_that_are_no_film_are_refused() {
    assert_eq!(read(b""), Err(FilmError::NotAFilm));
    assert_eq!(read(b"ASTRSAVE and more"), Err(FilmError::NotAFilm));
    let mut newer = film()[..HEAD_BYTES].to_vec();
    newer[8] = 9;
    assert_eq!(read(&newer), Err(FilmError::Format { found: 9 }));
    assert!(read(&newer).unwrap_err().to_string().contains("expected film format 1, found 9"));
}

#[test]
fn unknown_kinds_are_skipped() {
    let mut bytes = film();
    let number = read(&bytes).unwrap().next_number();
    let head = Head {
        kind: 999,
        take: 5,
        number,
        length: 3,
        film: 42,
        stamp: Stamp::default(),
        checksum: base::hash::hash(b"new"),
    };
    bytes.extend(head.encode());
    bytes.extend(b"new");
    let index = read(&bytes).unwrap();
    assert!(index.troubles.is_empty());
    assert_eq!(index.next_number(), number + 1);
}

#[test]
fn bodies_of_all_kinds_round_trip() {
    let list = ContentList { identity: 5, base: Some(3), rows: vec![("b.thing".into(), [9; 32])] };
    assert_eq!(ContentList::decode(&list.encode()).unwrap(), list);
    let ending = Ending { chain: 1, words: "ü".repeat(5000) };
    assert_eq!(Ending::decode(&ending.encode()).unwrap().words, "ü".repeat(1024));
    let items = track::decode(&track::encode("net", [(7, &[1, 2][..]), (9, &[])].into_iter())).unwrap();
    assert_eq!(items, ("net".into(), vec![Item { cycle: 7, bytes: vec![1, 2] }, Item { cycle: 9, bytes: vec![] }]));
    assert_eq!(decode_header(&encode_header("ship", "@x")).unwrap(), ("ship", "@x"));
    let event = Event::new(base::StringId::new("go"), &[1, 2]);
    assert_eq!(event.words[..2], [1, 2]);
}

#[test]
fn a_long_film_is_indexed_by_its_heads() {
    let mut making = Making::new(1);
    making.chunk(Kind::Opening, 0, Stamp::default(), &opening(Reason::Begun).encode());
    making.whole(0, 0);
    for second in 0..3600 {
        making.inputs(0, second * 20..(second + 1) * 20);
        making.patch(0, 0, second * 100 + 50);
    }
    let index = read(&making.bytes).unwrap();
    assert_eq!(index.takes[0].runs(), [Run { first: 0, last: 359_995 }]);
    assert_eq!(index.takes[0].keyframes_up_to(200_000).next().unwrap().head.stamp.cycle, 199_950);
}

/// Asserts that a corrupt film yields only chunks of the original.
fn expect_a_part(bytes: &[u8], whole: &[u8]) {
    let Ok(index) = read(bytes) else { return };
    assert!(index.end <= bytes.len() as u64);
    let original = read(whole).expect("it is whole");
    for place in &index.chunks {
        let known = original.chunks.iter().find(|known| known.head == place.head).expect("only chunks of the original");
        if let Some(body) = body_of(bytes, place) {
            assert_eq!(Some(body), body_of(whole, known));
        }
    }
    if index.chunks.len() != original.chunks.len() || index.end != original.end {
        assert!(!index.troubles.is_empty() || bytes.len() < whole.len());
    }
    for take in &index.takes {
        assert!(take.runs().iter().all(|run| run.first <= run.last));
    }
}

proptest! {
    #[test]
    fn any_bytes_give_an_index_or_an_error(bytes in prop::collection::vec(any::<u8>(), 0..2000)) {
        let _ = read(&bytes);
        let magical = [&b"ASTRFILM"[..], &bytes].concat();
        let _ = read(&magical);
    }

    #[test]
    fn a_film_with_flipped_bits_yields_only_original_chunks(
        flips in prop::collection::vec((any::<prop::sample::Index>(), 0_u8..8), 1..6)
    ) {
        let whole = film();
        let mut bytes = whole.clone();
        for (at, bit) in flips {
            let at = at.index(bytes.len());
            bytes[at] ^= 1 << bit;
        }
        expect_a_part(&bytes, &whole);
    }

    #[test]
    fn a_film_cut_and_pasted_yields_only_original_chunks(
        from in any::<prop::sample::Index>(), to in any::<prop::sample::Index>(), length in 0_usize..5000, is_over in any::<bool>()
    ) {
        let whole = film();
        let (from, to) = (from.index(whole.len()), to.index(whole.len()));
        let piece = whole[from..(from + length).min(whole.len())].to_vec();
        let after = if is_over { (to + piece.len()).min(whole.len()) } else { to };
        let bytes = [&whole[..to], &piece, &whole[after..]].concat();
        expect_a_part(&bytes, &whole);
    }

    #[test]
    fn a_patch_turns_the_base_into_the_block(changes in prop::collection::vec((any::<prop::sample::Index>(), any::<u8>()), 0..500)) {
        let base = block(1);
        let mut changed = base.clone();
        for (at, value) in changes {
            changed[at.index(BLOCK)] = value;
        }
        let mut written = Vec::new();
        patch::write(&base, &changed, &mut written);
        let mut found = base.clone();
        patch::apply(&written, &mut found).unwrap();
        prop_assert_eq!(found, changed);
    }

    #[test]
    fn any_bytes_decode_to_a_body_or_an_error(bytes in prop::collection::vec(any::<u8>(), 0..600)) {
        let mut found = vec![0; 4096];
        let _ = patch::apply(&bytes, &mut found);
        let _ = keyframe::decode_whole(&bytes, 4096, &mut found);
        let _ = keyframe::decode_patch(&bytes, &mut found);
        let _ = Opening::decode(&bytes);
        let _ = ContentList::decode(&bytes);
        let _ = Tag::decode(&bytes);
        let _ = track::decode(&bytes);
        let _ = Ending::decode(&bytes);
        let _ = decode_header(&bytes);
        let _ = inputs::decode(&bytes, &Stamp::default(), 5);
        let _ = decompress_with_length(&mut base::bytes::ByteReader::new(&bytes), 1 << 20);
    }

    #[test]
    fn compressing_and_decompressing_is_the_identity(bytes in prop::collection::vec(0_u8..4, 0..3000)) {
        let mut compressed = Vec::new();
        compress_with_length(&bytes, &mut compressed);
        let found = decompress_with_length(&mut base::bytes::ByteReader::new(&compressed), bytes.len()).unwrap();
        prop_assert_eq!(found, bytes);
    }
}
