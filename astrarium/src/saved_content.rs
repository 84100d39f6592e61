//! The content in a save: the headers of its classes and all its tags, as in a film, so that a save can be read and converted
//! wherever it is.
//!
//! Format: the identity of the content in 64 bits; the number of headers as a varint, and for each its length and its body; the number of
//! tags, and for each its path, the length of its body and the body. Bodies are those of [films](relay::film::content).

use std::collections::BTreeMap;
use std::sync::Arc;

use base::StringId;
use base::bytes::{ByteReader, ByteWriter, ReadError};
use relay::film::Tag;
use relay::film::content::{decode_header, encode_header};
use relay::film::limits::{BODY_BYTES_MAX, PATH_BYTES_MAX, TAGS_MAX};
use tags::header_set::{Header, read_all};
use tags::library::Ready;
use tags::packed::Packed;
use tags::{Classes, Key, Library, TagPath, header};

use crate::content::{Arrivals, Content, Feed, containers_of};
use crate::game::GameEntry;
use crate::mods::{ModIdentity, in_force};
use crate::vocabulary::{self, LOADED_MODS};

/// The most classes in a save.
const HEADERS_MAX: usize = 10_000;

/// The same bytes as [`encode`], which are kept until a tag changes.
pub fn encoded(content: &mut Content) -> Arc<[u8]> {
    let identity = content.library().identity();
    if let Some((_, bytes)) = content.encoded.as_ref().filter(|(known, _)| *known == identity) {
        return Arc::clone(bytes);
    }
    let bytes: Arc<[u8]> = encode(content).into();
    content.encoded = Some((identity, Arc::clone(&bytes)));
    bytes
}

/// The bytes of the tags in force and of the headers they need; none if there are no tags.
pub fn encode(content: &Content) -> Vec<u8> {
    let mut out = Vec::new();
    let tags: Vec<&Ready> = content.library().tags().collect();
    if tags.is_empty() {
        return out;
    }
    out.write_u64(content.library().identity());
    // Classes of the program itself are known to any program that can play the game.
    let classes = content.classes().iter().map(|prepared| prepared.class()).filter(|class| !class.origin.is_empty());
    let headers: Vec<Vec<u8>> = classes.map(|class| encode_header(&class.name, &header::write(class))).collect();
    out.write_varint(headers.len() as u64);
    headers.iter().for_each(|body| out.write_bytes(body, BODY_BYTES_MAX));
    out.write_varint(tags.len() as u64);
    for ready in tags {
        out.write_text(ready.path.as_str(), PATH_BYTES_MAX);
        out.write_bytes(&Tag::encode(&ready.key.0, ready.packed.bytes()), BODY_BYTES_MAX);
    }
    out
}

/// The content of a save, as the game of this entry reads it. None if the save has none, or one that cannot be read: then `why` has the
/// reason.
pub fn decode(entry: &GameEntry, bytes: &[u8], why: &mut Vec<String>) -> Option<Content> {
    if bytes.is_empty() {
        return None;
    }
    read(entry, bytes, why).map_err(|error| why.push(format!("its content cannot be read: {error}"))).ok()?
}

fn read(entry: &GameEntry, bytes: &[u8], why: &mut Vec<String>) -> Result<Option<Content>, ReadError> {
    let mut reader = ByteReader::new(bytes);
    let identity = reader.read_u64()?;
    let mut bodies = Vec::new();
    for _ in 0..reader.read_count(HEADERS_MAX, 1)? {
        bodies.push(reader.read_bytes(BODY_BYTES_MAX)?);
    }
    let headers = bodies.iter().filter_map(|body| decode_header(body).ok());
    let headers: Vec<Header<'_>> = headers.map(|(origin, source)| Header { origin, source }).collect();
    let mut classes = (entry.tags.classes)();
    for class in read_all(&headers, &classes, &Classes::new()).into_iter().filter_map(|declared| declared.class) {
        // A class that differs from the program's has its tags refused below.
        if classes.get(&class.name).is_none() {
            let _ = classes.add_table(class);
        }
    }
    let mut tags = Vec::new();
    for _ in 0..reader.read_count(TAGS_MAX, 2)? {
        let path = reader.read_text(PATH_BYTES_MAX)?;
        let tag = Tag::decode(reader.read_bytes(BODY_BYTES_MAX)?)?;
        match (TagPath::new(path), packed(&classes, &tag.packed)) {
            (Ok(path), Some(packed)) => tags.push(Ready { path, key: Key(tag.key), packed: Arc::new(packed) }),
            _ => why.push(format!("{path}: this program has another class of this tag than the save")),
        }
    }
    reader.finish()?;
    if !why.is_empty() {
        return Ok(None);
    }
    let content = Content::new(Arc::new(classes), []).with_containers(containers_of(entry));
    let mut content = content.with_feed(Box::new(SavedFeed { identity, tags }));
    let is_there = content.return_to(identity).is_ok();
    Ok(is_there.then_some(content))
}

/// The paths of the tags in encoded content, by their ids; as many as can be read.
pub fn paths_in(bytes: &[u8]) -> BTreeMap<StringId, String> {
    let mut paths = BTreeMap::new();
    // What is behind a damaged part has no names.
    let _ = read_paths(bytes, &mut paths);
    paths
}

fn read_paths(bytes: &[u8], paths: &mut BTreeMap<StringId, String>) -> Result<(), ReadError> {
    if bytes.is_empty() {
        return Ok(());
    }
    let mut reader = ByteReader::new(bytes);
    reader.read_u64()?;
    for _ in 0..reader.read_count(HEADERS_MAX, 1)? {
        reader.read_bytes(BODY_BYTES_MAX)?;
    }
    for _ in 0..reader.read_count(TAGS_MAX, 2)? {
        let path = reader.read_text(PATH_BYTES_MAX)?;
        if let Ok(known) = TagPath::new(path) {
            paths.insert(known.id(), path.to_string());
        }
        reader.read_bytes(BODY_BYTES_MAX)?;
    }
    Ok(())
}

/// The mods in the content of a save: none if it has none, or cannot be read.
pub fn mods_in(bytes: &[u8]) -> Vec<ModIdentity> {
    loaded_mods(bytes).ok().flatten().unwrap_or_default()
}

fn loaded_mods(bytes: &[u8]) -> Result<Option<Vec<ModIdentity>>, ReadError> {
    if bytes.is_empty() {
        return Ok(None);
    }
    let mut reader = ByteReader::new(bytes);
    reader.read_u64()?;
    for _ in 0..reader.read_count(HEADERS_MAX, 1)? {
        reader.read_bytes(BODY_BYTES_MAX)?;
    }
    for _ in 0..reader.read_count(TAGS_MAX, 2)? {
        let (path, body) = (reader.read_text(PATH_BYTES_MAX)?, reader.read_bytes(BODY_BYTES_MAX)?);
        let path = TagPath::new(path).ok().filter(|path| path.id() == LOADED_MODS.id());
        if let Some(path) = path {
            let (tag, classes) = (Tag::decode(body)?, vocabulary::classes());
            let Some(packed) = packed(&classes, &tag.packed) else { return Ok(None) };
            let mut library = Library::with_classes(Arc::new(classes));
            library.apply([Ready { path, key: Key(tag.key), packed: Arc::new(packed) }]);
            return Ok(Some(in_force(&library)));
        }
    }
    Ok(None)
}

fn packed(classes: &Classes, bytes: &[u8]) -> Option<Packed> {
    let parts = Packed::check_parts(bytes).ok()?;
    let class = classes.by_id(parts.class())?;
    Packed::check(bytes, class.class()).ok()
}

/// A feed without changes that finds the content of a save.
struct SavedFeed {
    identity: u64,
    tags: Vec<Ready>,
}

impl Feed for SavedFeed {
    fn poll(&mut self) -> Arrivals {
        Arrivals::default()
    }

    fn content_of(&mut self, identity: u64) -> Option<Vec<Ready>> {
        (identity == self.identity).then(|| self.tags.clone())
    }

    fn is_followed(&self) -> bool {
        false
    }
}
