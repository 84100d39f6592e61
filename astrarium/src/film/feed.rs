//! The content of a film, as a feed of tags.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::sync::{Arc, OnceLock};

use base::StringId;
use relay::film::content::decode_header;
use relay::film::{ContentList, Kind, Place, Tag};
use tags::header_set::{Header, read_all};
use tags::library::{Change, Ready};
use tags::packed::Packed;
use tags::{Classes, Key, Library, TagPath};

use crate::content::{Arrivals, Content, Feed, containers_of};
use crate::error::Error;
use crate::game::GameEntry;
use crate::tag_tree;

use super::Film;

/// The content with which a film is played.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub enum Shown {
    /// The film's own.
    #[default]
    Own,
    /// That of today: of a tree, or the built-in tags.
    Now(Option<PathBuf>),
}

/// The maximum number of classes in a film.
const HEADERS_MAX: usize = 10_000;

/// The packed tags of a content, each counted for every path that names it: so many bytes in any case, and so many more for each byte
/// of the film. LZ4 expands a byte to no more.
const CONTENT_BYTES_FREE: u64 = 64 << 20;
const CONTENT_BYTES_PER_BYTE: u64 = 256;

/// The longest chain of lists in which each holds only the changes to the one before.
const LISTS_MAX: usize = 1 << 16;

/// What is read once for a film, when it is first asked for: its classes, with those of its game, and its lists of contents.
#[derive(Default)]
pub struct Shared {
    classes: OnceLock<Arc<Classes>>,
    lists: OnceLock<Lists>,
}

impl Shared {
    fn classes(&self, film: &Film, entry: &GameEntry) -> Arc<Classes> {
        Arc::clone(self.classes.get_or_init(|| Arc::new(classes_of(film, entry))))
    }

    fn lists(&self, film: &Film) -> &Lists {
        self.lists.get_or_init(|| Lists::of(film))
    }
}

/// The classes of a film: those of the program, and those of the headers in the film.
fn classes_of(film: &Film, entry: &GameEntry) -> Classes {
    let mut classes = (entry.tags.classes)();
    let places = film.index.of_kind(Kind::Header).take(HEADERS_MAX);
    let bodies: Vec<Vec<u8>> = places.filter_map(|place| film.body(place).ok()).collect();
    let headers = bodies.iter().filter_map(|body| decode_header(body).ok());
    let headers: Vec<Header<'_>> = headers.map(|(origin, source)| Header { origin, source }).collect();
    for class in read_all(&headers, &classes, &Classes::new()).into_iter().filter_map(|declared| declared.class) {
        // A class that cannot be added, or that differs from the program's, has its tags refused below.
        if classes.get(&class.name).is_none() {
            let _ = classes.add_table(class);
        }
    }
    classes
}

/// Content without tags, whose feed finds everything that the film holds.
pub fn own_content(film: &Arc<Film>, entry: &GameEntry) -> Content {
    let classes = film.shared.classes(film, entry);
    let feed = FilmFeed::new(Arc::clone(film), Arc::clone(&classes), None);
    Content::new(classes, []).with_containers(containers_of(entry)).with_feed(Box::new(feed))
}

/// The content of today, whose feed also finds everything that the film holds: to continue from the film.
pub fn with_film(content: Content, film: &Arc<Film>) -> Content {
    let classes = Arc::clone(content.classes());
    content.wrap_feed(|inner| Box::new(FilmFeed::new(Arc::clone(film), classes, inner)))
}

/// The content of today for a level.
pub fn content_now(entry: &GameEntry, level: &str, tree: Option<&Path>) -> Result<Content, Error> {
    match tree {
        Some(root) => tag_tree::open(entry, level, root).map(|(content, _)| content),
        None => entry.content(level),
    }
}

/// A feed without changes that finds everything that was ever in force in the film.
struct FilmFeed {
    film: Arc<Film>,
    classes: Arc<Classes>,
    inner: Option<Box<dyn Feed>>,
}

/// The lists of contents in the film.
#[derive(Default)]
struct Lists {
    by_identity: BTreeMap<u64, ContentList>,
    paths: BTreeMap<(StringId, u128), (TagPath, Key)>,
    tags: BTreeMap<u128, Place>,
}

impl FilmFeed {
    fn new(film: Arc<Film>, classes: Arc<Classes>, inner: Option<Box<dyn Feed>>) -> FilmFeed {
        FilmFeed { film, classes, inner }
    }

    fn lists(&self) -> &Lists {
        self.film.shared.lists(&self.film)
    }

    fn packed(&self, key: Key) -> Option<Arc<Packed>> {
        let place = *self.lists().tags.get(&key.half())?;
        let body = self.film.body(&place).ok()?;
        let tag = Tag::decode(&body).ok().filter(|tag| tag.key == key.0)?;
        let parts = Packed::check_parts(&tag.packed).ok()?;
        let class = self.classes.by_id(parts.class())?;
        Packed::check(&tag.packed, class.class()).ok().map(Arc::new)
    }
}

impl Lists {
    fn of(film: &Film) -> Lists {
        let mut lists = Lists::default();
        for place in film.index.of_kind(Kind::Tag) {
            lists.tags.entry(place.head.stamp.key_half()).or_insert(*place);
        }
        for place in film.index.of_kind(Kind::Content) {
            let Ok(body) = film.body(place) else { continue };
            let Ok(list) = ContentList::decode(&body) else { continue };
            for (path, key) in &list.rows {
                if let Ok(path) = TagPath::new(path) {
                    lists.paths.insert((path.id(), Key(*key).half()), (path, Key(*key)));
                }
            }
            // Of two lists of one content, the complete one is preferred.
            let is_known = lists.by_identity.get(&list.identity).is_some_and(|known| known.base.is_none());
            if !is_known {
                lists.by_identity.insert(list.identity, list);
            }
        }
        lists
    }

    /// All paths and keys of a content.
    fn rows_of(&self, identity: u64) -> Option<BTreeMap<String, Key>> {
        let mut chain = Vec::new();
        let mut next = Some(identity);
        while let Some(identity) = next {
            let list = self.by_identity.get(&identity)?;
            chain.push(list);
            next = list.base;
            if chain.len() > LISTS_MAX {
                return None;
            }
        }
        let rows = chain.iter().rev().flat_map(|list| &list.rows);
        Some(rows.map(|(path, key)| (path.clone(), Key(*key))).collect())
    }
}

impl Feed for FilmFeed {
    fn poll(&mut self) -> Arrivals {
        self.inner.as_mut().map(|inner| inner.poll()).unwrap_or_default()
    }

    fn fetch(&mut self, change: Change) -> Option<Ready> {
        let found = self.lists().paths.get(&(change.path, change.key)).cloned();
        let own = found.and_then(|(path, key)| Some(Ready { path, key, packed: self.packed(key)? }));
        own.or_else(|| self.inner.as_mut()?.fetch(change))
    }

    fn content_of(&mut self, identity: u64) -> Option<Vec<Ready>> {
        let rows = self.lists().rows_of(identity);
        let own = rows.and_then(|rows| {
            // A version that several paths name is read once: the film has it once.
            let mut known: BTreeMap<Key, Arc<Packed>> = BTreeMap::new();
            let mut left = CONTENT_BYTES_FREE + CONTENT_BYTES_PER_BYTE * self.film.reader.length();
            let ready = |(path, key): (String, Key)| {
                let path = TagPath::new(&path).ok()?;
                let packed = match known.get(&key) {
                    Some(packed) => Arc::clone(packed),
                    None => Arc::clone(known.entry(key).or_insert(self.packed(key)?)),
                };
                left = left.checked_sub(packed.bytes().len() as u64)?;
                Some(Ready { path, key, packed })
            };
            rows.into_iter().map(ready).collect::<Option<Vec<_>>>()
        });
        own.or_else(|| self.inner.as_mut()?.content_of(identity))
    }

    fn keep(&mut self, library: &Library) {
        if let Some(inner) = &mut self.inner {
            inner.keep(library);
        }
    }

    /// The tags at the start of a film are not the ones being edited.
    fn is_followed(&self) -> bool {
        false
    }
}
