//! Films made from films: a snippet, a branch, a marker.

use std::ops::RangeInclusive;
use std::path::Path;
use std::sync::Arc;

use host::files::{GrowingFile, NewFile, is_held, try_to_write};
use relay::film::track::{self, MARKERS};
use relay::film::{
    ContentList, Ending, FilmWriter, Kind, Opening, Parent, Place, Reason, Stamp, Tag, inputs, keyframe,
};
use state::Workers;
use tags::Key;

use crate::error::Error;
use crate::film_error::FilmFault;
use crate::filming::{new_number, program};
use crate::game::GameEntry;
use crate::session::Session;

use super::chunk_cache::ChunkCache;
use super::feed::Shown;
use super::{Film, Moment, Player};

/// A finished snippet.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Snippet {
    /// Its first cycle.
    pub first: u64,
    /// Its last cycle.
    pub last: u64,
    /// The hash of the world at its end.
    pub hash: u64,
    /// The chain at its end.
    pub chain: u64,
    /// The size of its file in bytes.
    pub bytes: u64,
}

/// Cuts a snippet out of one take: from one cycle to another, with the content it needs. It names its parent film.
pub fn cut(
    film: Film,
    games: &[GameEntry],
    (from, to): (Moment, u64),
    out: &Path,
    workers: &dyn Workers,
) -> Result<Snippet, Error> {
    let is_itself = out.canonicalize().ok().is_some_and(|out| film.path().canonicalize().ok() == Some(out));
    if is_itself {
        return Err(Error::from(FilmFault::IntoItself).in_file(out));
    }
    try_to_write(out)?;
    if is_held(out) {
        return Err(Error::from(FilmFault::BeingWritten).in_file(out));
    }
    let (take, first) = film.find(from)?;
    let (_, last) = film.find(Moment { take: Some(take), cycle: Some(to) })?;
    if last < first {
        return Err(FilmFault::EndBeforeStart { first, last }.into());
    }
    let mut player = Player::new(film, games, Shown::Own)?;
    player.seek(Moment { take: Some(take), cycle: Some(first) }, workers)?;
    let mut cutting = Cutting::begin(out, take, &player)?;
    cutting.open(&mut player, first)?;
    let places = player.film().index().chunks.clone();
    // Keyframes that are patches of a block before the snippet are written whole.
    let mut wholes = std::collections::BTreeSet::new();
    // Headers are stored once for all takes.
    let is_wanted = |place: &&Place| place.head.take == take || place.head.kind() == Some(Kind::Header);
    for place in places.iter().filter(is_wanted) {
        let stamp = place.head.stamp;
        let is_within = stamp.cycle > first && stamp.cycle <= last;
        match place.head.kind() {
            Some(Kind::Inputs) => cutting.copy_inputs(player.film(), place, first, last)?,
            Some(Kind::Whole) if is_within => {
                wholes.insert(stamp.cycle);
                cutting.copy(player.film(), place)?;
            }
            Some(Kind::Patch) if is_within => cutting.copy_patch(player.film(), place, &wholes)?,
            Some(Kind::Content) if stamp.cycle >= first && stamp.cycle < last => {
                cutting.copy_content(player.film(), place)?;
            }
            Some(Kind::Header) => cutting.copy(player.film(), place)?,
            Some(Kind::Track) => cutting.copy_track(player.film(), place, first..=last)?,
            _ => {}
        }
    }
    player.seek(Moment { take: Some(take), cycle: Some(last) }, workers)?;
    let session = player.session().ok_or(FilmFault::NotLoaded)?;
    let (hash, chain) = (session.hash(), session.chain());
    let ending = Ending { chain, words: String::from("it was cut here") };
    cutting.chunk(Kind::End, Stamp { cycle: last, until: last, hash }, &ending.encode())?;
    let bytes = cutting.finish()?;
    Ok(Snippet { first, last, hash, chain, bytes })
}

/// Branches off a film at a moment: writes a film that holds only the world of that cycle and its content.
pub fn branch(
    film: Film,
    games: &[GameEntry],
    moment: Moment,
    out: &Path,
    workers: &dyn Workers,
) -> Result<Snippet, Error> {
    let (take, cycle) = film.find(moment)?;
    cut(film, games, (Moment { take: Some(take), cycle: Some(cycle) }, cycle), out, workers)
}

/// Adds a text to a cycle of a film, at the end of its file.
pub fn mark(film: Film, moment: Moment, text: &str) -> Result<(u16, u64), Error> {
    let (take, cycle) = film.find(moment)?;
    let body = track::encode(MARKERS, [(cycle, text.as_bytes())].into_iter());
    let mut writer = FilmWriter::new(film.index().film, film.index().next_number());
    let stamp = Stamp { cycle, until: cycle, hash: 0 };
    let head = writer.chunk(Kind::Track, take, stamp, &body);
    let head = head.ok_or(FilmFault::Full)?;
    // The torn rest of the file is cut off: it is useless, and would make everything appended after it unreadable.
    let path = film.path().to_path_buf();
    let end = film.index().end;
    drop(film);
    let mut file = GrowingFile::go_on(&path, end)?;
    file.append(&[&head[..], &body].concat())?;
    file.flush()?;
    Ok((take, cycle))
}

struct Cutting {
    file: NewFile,
    writer: FilmWriter,
    take: u16,
    parent: u64,
    bytes: u64,
    keys: std::collections::BTreeSet<u128>,
    /// The film's tags by the half of their keys.
    tags: std::collections::BTreeMap<u128, Place>,
    chunks: ChunkCache,
}

impl Cutting {
    fn begin(out: &Path, take: u16, player: &Player) -> Result<Cutting, Error> {
        let file = NewFile::begin(out)?;
        let writer = FilmWriter::new(new_number(out), 0);
        let parent = player.film().index().film;
        // Of two versions with one key, the first counts.
        let tags = player.film().index().of_kind(Kind::Tag).map(|place| (place.head.stamp.key_half(), *place)).rev();
        Ok(Cutting {
            file,
            writer,
            take,
            parent,
            bytes: 0,
            keys: Default::default(),
            tags: tags.collect(),
            chunks: ChunkCache::default(),
        })
    }

    /// The opening, the content and the first block, of the world as it is now.
    fn open(&mut self, player: &mut Player, cycle: u64) -> Result<(), Error> {
        let opening = player.film().opening(self.take).cloned();
        let opening = opening.ok_or(FilmFault::NoTake(Some(self.take)))?;
        let session = player.session().ok_or(FilmFault::NotLoaded)?;
        let (hash, chain) = (session.hash(), session.chain());
        let stamp = Stamp { cycle, until: cycle, hash };
        let parent = Some(Parent { film: self.parent, take: self.take, cycle });
        let content = session.world().time().content;
        let opening = Opening { reason: Reason::Continued, content, chain, parent, program: program(), ..opening };
        self.chunk(Kind::Opening, stamp, &opening.encode())?;
        self.content(session, cycle)?;
        let mut body = Vec::new();
        keyframe::encode_whole(chain, session.world().bytes(), &mut body);
        self.chunk(Kind::Whole, stamp, &body)
    }

    fn content(&mut self, session: &Session, cycle: u64) -> Result<(), Error> {
        let library = session.content().library();
        let mut rows = Vec::new();
        for ready in library.tags() {
            rows.push((ready.path.as_str().to_string(), ready.key.0));
            if self.keys.insert(ready.key.half()) {
                let packed = Arc::clone(&ready.packed);
                let body = Tag::encode(&ready.key.0, packed.bytes());
                self.chunk(Kind::Tag, Stamp::of_tag(cycle, ready.key.half()), &body)?;
            }
        }
        let identity = library.identity();
        let list = ContentList { identity, base: None, rows };
        self.chunk(Kind::Content, Stamp { cycle, until: cycle, hash: identity }, &list.encode())
    }

    fn copy(&mut self, film: &Film, place: &Place) -> Result<(), Error> {
        let Some(kind) = place.head.kind() else { return Ok(()) };
        let body = film.body(place)?;
        self.chunk(kind, place.head.stamp, &body)
    }

    /// A list of tags, preceded by those of them that the snippet does not have yet.
    fn copy_content(&mut self, film: &Film, place: &Place) -> Result<(), Error> {
        let decoded = ContentList::decode(&film.body(place)?);
        let list = decoded.map_err(|error| FilmFault::Body { offset: place.offset, error })?;
        for key in list.rows.iter().map(|(_, key)| Key(*key).half()) {
            if !self.keys.insert(key) {
                continue;
            }
            let tag = self.tags.get(&key).copied();
            let tag = tag.ok_or_else(|| Error::from(FilmFault::NoTag).in_file(film.path()))?;
            self.copy(film, &tag)?;
        }
        self.copy(film, place)
    }

    fn copy_patch(
        &mut self,
        film: &Film,
        place: &Place,
        wholes: &std::collections::BTreeSet<u64>,
    ) -> Result<(), Error> {
        let base = keyframe::look_at_patch(&film.body(place)?).ok().and_then(|said| said.base);
        if base.is_some_and(|base| wholes.contains(&base)) {
            return self.copy(film, place);
        }
        let (said, block) = self.chunks.block(film, self.take, place)?;
        let mut body = Vec::new();
        keyframe::encode_whole(said.chain, block, &mut body);
        self.chunk(Kind::Whole, place.head.stamp, &body)
    }

    /// Copies the records from the first cycle up to, not including, the last.
    fn copy_inputs(&mut self, film: &Film, place: &Place, first: u64, last: u64) -> Result<(), Error> {
        let stamp = place.head.stamp;
        if stamp.until <= first || stamp.cycle >= last {
            return Ok(());
        }
        let brushes = u64::from(film.opening(self.take).map_or(1, |opening| opening.brushes_per_safe.max(1)));
        let mut body = Vec::new();
        let (mut count, mut kept) = (0, Stamp { cycle: stamp.cycle, until: stamp.cycle, hash: 0 });
        // The first safe cycle of the chunk that is not before the snippet.
        let before = first.saturating_sub(stamp.cycle).div_ceil(brushes);
        let mut cycle = stamp.cycle.saturating_add(before.saturating_mul(brushes));
        while cycle < stamp.until.min(last) {
            let record = self.chunks.record(film, self.take, cycle)?;
            if count == 0 {
                kept = Stamp { cycle, until: cycle, hash: record.hash_before };
            }
            inputs::write_record(record.hash_before, &record.inputs, &mut body);
            count += 1;
            cycle = cycle.saturating_add(brushes);
            kept.until = cycle;
        }
        if count == 0 {
            return Ok(());
        }
        let mut whole = Vec::new();
        base::bytes::ByteWriter::write_varint(&mut whole, count);
        whole.extend(body);
        self.chunk(Kind::Inputs, kept, &whole)
    }

    /// Copies the items of a track within these cycles. A damaged track is left out: a film needs none.
    fn copy_track(&mut self, film: &Film, place: &Place, cycles: RangeInclusive<u64>) -> Result<(), Error> {
        let Some((name, mut items)) = film.body(place).ok().and_then(|body| track::decode(&body).ok()) else {
            return Ok(());
        };
        items.retain(|item| cycles.contains(&item.cycle));
        let (Some(first), Some(last)) = (items.first(), items.last()) else { return Ok(()) };
        let stamp = Stamp { cycle: first.cycle, until: last.cycle, hash: 0 };
        let body = track::encode(&name, items.iter().map(|item| (item.cycle, &item.bytes[..])));
        self.chunk(Kind::Track, stamp, &body)
    }

    fn chunk(&mut self, kind: Kind, stamp: Stamp, body: &[u8]) -> Result<(), Error> {
        let head = self.writer.chunk(kind, 0, stamp, body);
        let head = head.ok_or(FilmFault::Full)?;
        self.bytes += (head.len() + body.len()) as u64;
        self.file.append(&head)?;
        Ok(self.file.append(body)?)
    }

    fn finish(self) -> Result<u64, Error> {
        self.file.finish()?;
        Ok(self.bytes)
    }
}
