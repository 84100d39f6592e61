//! Films made of films: a snippet that is a film of its own, a branch, a marker.

use std::path::Path;
use std::sync::Arc;

use host::files::{GrowingFile, try_to_write};
use relay::film::track::{self, MARKERS};
use relay::film::{
    ContentList, Ending, FilmWriter, Kind, Opening, Parent, Place, Reason, Stamp, Tag, inputs, keyframe,
};
use state::Workers;
use tags::Key;

use crate::filming::{new_number, program};
use crate::game::GameEntry;
use crate::session::Session;

use super::feed::Shown;
use super::{Film, Moment, Player};

/// What a snippet has become.
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
    /// How many bytes it has.
    pub bytes: u64,
}

/// Cuts a snippet out of one take: from one cycle to another, with the content it needs. It names the film it is from.
pub fn cut(
    film: Film,
    games: &[GameEntry],
    (from, to): (Moment, u64),
    out: &Path,
    workers: &dyn Workers,
) -> Result<Snippet, String> {
    let is_itself = out.canonicalize().ok().is_some_and(|out| film.path().canonicalize().ok() == Some(out));
    if is_itself {
        return Err(format!("{}: a film cannot be cut into itself", out.display()));
    }
    try_to_write(out).map_err(|error| error.to_string())?;
    let (take, first) = film.find(from)?;
    let (_, last) = film.find(Moment { take: Some(take), cycle: Some(to) })?;
    if last < first {
        return Err(format!("expected a cycle from {first} on, found {last}"));
    }
    let mut player = Player::new(film, games, Shown::Own)?;
    player.seek(Moment { take: Some(take), cycle: Some(first) }, workers)?;
    let mut cutting = Cutting::begin(out, take, &player)?;
    cutting.open(&mut player, first)?;
    let places = player.film().reel().strips.clone();
    // Keyframes that are patches of a block before the snippet are made whole.
    let mut wholes = std::collections::BTreeSet::new();
    // Headers are told once for all takes.
    let is_wanted = |place: &&Place| place.head.take == take || place.head.kind() == Some(Kind::Header);
    for place in places.iter().filter(is_wanted) {
        let stamp = place.head.stamp;
        let is_within = stamp.cycle > first && stamp.cycle <= last;
        match place.head.kind() {
            Some(Kind::Inputs) => cutting.copy_inputs(&mut player.film(), place, first, last)?,
            Some(Kind::Whole) if is_within => {
                wholes.insert(stamp.cycle);
                cutting.copy(&mut player.film(), place)?;
            }
            Some(Kind::Patch) if is_within => cutting.copy_patch(&mut player.film(), place, &wholes)?,
            Some(Kind::Content) if stamp.cycle >= first && stamp.cycle < last => {
                cutting.copy_content(&mut player.film(), place)?;
            }
            Some(Kind::Header) => cutting.copy(&mut player.film(), place)?,
            Some(Kind::Track) if stamp.cycle >= first && stamp.cycle <= last => {
                cutting.copy(&mut player.film(), place)?;
            }
            _ => {}
        }
    }
    player.seek(Moment { take: Some(take), cycle: Some(last) }, workers)?;
    let session = player.session().ok_or_else(|| String::from("nothing of the film is loaded"))?;
    let (hash, chain) = (session.hash(), session.chain());
    let ending = Ending { chain, words: String::from("it was cut here") };
    cutting.strip(Kind::End, Stamp { cycle: last, until: last, hash }, &ending.encode())?;
    let bytes = cutting.finish()?;
    Ok(Snippet { first, last, hash, chain, bytes })
}

/// Leaves a film at a moment, with a film that holds nothing but the world of that cycle and its content.
pub fn branch(
    film: Film,
    games: &[GameEntry],
    moment: Moment,
    out: &Path,
    workers: &dyn Workers,
) -> Result<Snippet, String> {
    let (take, cycle) = film.find(moment)?;
    cut(film, games, (Moment { take: Some(take), cycle: Some(cycle) }, cycle), out, workers)
}

/// Lays a text beside a cycle of a film, at the end of its file.
pub fn mark(film: Film, moment: Moment, text: &str) -> Result<(u16, u64), String> {
    let (take, cycle) = film.find(moment)?;
    let body = track::encode(MARKERS, [(cycle, text.as_bytes())].into_iter());
    let mut writer = FilmWriter::new(film.reel().film, film.reel().next_number());
    let stamp = Stamp { cycle, until: cycle, hash: 0 };
    let head = writer.strip(Kind::Track, take, stamp, &body);
    let head = head.ok_or_else(|| String::from("the text is too long, or the film has too many strips"))?;
    // What a tear left behind is gone: it is of no use, and would swallow what is laid behind it.
    let path = film.path().to_path_buf();
    let end = film.reel().end;
    drop(film);
    let mut file = GrowingFile::go_on(&path, end).map_err(|error| error.to_string())?;
    file.append(&[&head[..], &body].concat()).map_err(|error| error.to_string())?;
    file.flush().map_err(|error| error.to_string())?;
    Ok((take, cycle))
}

struct Cutting {
    file: GrowingFile,
    writer: FilmWriter,
    take: u16,
    parent: u64,
    bytes: u64,
    keys: std::collections::BTreeSet<u128>,
}

impl Cutting {
    fn begin(out: &Path, take: u16, player: &Player) -> Result<Cutting, String> {
        let file = GrowingFile::create(out).map_err(|error| error.to_string())?;
        let writer = FilmWriter::new(new_number(out), 0);
        let parent = player.film().reel().film;
        Ok(Cutting { file, writer, take, parent, bytes: 0, keys: Default::default() })
    }

    /// The opening, the content and the first block, of the world as it is now.
    fn open(&mut self, player: &mut Player, cycle: u64) -> Result<(), String> {
        let opening = player.film().opening(self.take).cloned();
        let opening = opening.ok_or_else(|| format!("there is no take {}", self.take))?;
        let session = player.session().ok_or_else(|| String::from("nothing of the film is loaded"))?;
        let (hash, chain) = (session.hash(), session.chain());
        let stamp = Stamp { cycle, until: cycle, hash };
        let parent = Some(Parent { film: self.parent, take: self.take, cycle });
        let content = session.world().time().content;
        let opening = Opening { reason: Reason::Continued, content, chain, parent, program: program(), ..opening };
        self.strip(Kind::Opening, stamp, &opening.encode())?;
        self.content(session, cycle)?;
        let mut body = Vec::new();
        keyframe::encode_whole(chain, session.world().bytes(), &mut body);
        self.strip(Kind::Whole, stamp, &body)
    }

    fn content(&mut self, session: &Session, cycle: u64) -> Result<(), String> {
        let library = session.content().library();
        let mut rows = Vec::new();
        for ready in library.tags() {
            rows.push((ready.path.as_str().to_string(), ready.key.0));
            if self.keys.insert(ready.key.half()) {
                let packed = Arc::clone(&ready.packed);
                let body = Tag::encode(&ready.key.0, packed.bytes());
                self.strip(Kind::Tag, Stamp::of_tag(cycle, ready.key.half()), &body)?;
            }
        }
        let identity = library.identity();
        let list = ContentList { identity, base: None, rows };
        self.strip(Kind::Content, Stamp { cycle, until: cycle, hash: identity }, &list.encode())
    }

    fn copy(&mut self, film: &mut Film, place: &Place) -> Result<(), String> {
        let Some(kind) = place.head.kind() else { return Ok(()) };
        let body = film.body(place)?;
        self.strip(kind, place.head.stamp, &body)
    }

    /// A list of tags, and before it those of them that the snippet does not have yet.
    fn copy_content(&mut self, film: &mut Film, place: &Place) -> Result<(), String> {
        let list = ContentList::decode(&film.body(place)?).map_err(|error| error.to_string())?;
        for key in list.rows.iter().map(|(_, key)| Key(*key).half()) {
            if !self.keys.insert(key) {
                continue;
            }
            let tag = film.reel().of_kind(Kind::Tag).find(|tag| tag.head.stamp.key_half() == key).copied();
            let tag = tag.ok_or_else(|| format!("{}: a tag that changed is not in it", film.path().display()))?;
            self.copy(film, &tag)?;
        }
        self.copy(film, place)
    }

    fn copy_patch(
        &mut self,
        film: &mut Film,
        place: &Place,
        wholes: &std::collections::BTreeSet<u64>,
    ) -> Result<(), String> {
        let base = keyframe::look_at_patch(&film.body(place)?).ok().and_then(|said| said.base);
        if base.is_some_and(|base| wholes.contains(&base)) {
            return self.copy(film, place);
        }
        let (said, block) = film.block(self.take, place)?;
        let mut body = Vec::new();
        keyframe::encode_whole(said.chain, &block, &mut body);
        self.strip(Kind::Whole, place.head.stamp, &body)
    }

    /// The records from the first cycle on, and before the last.
    fn copy_inputs(&mut self, film: &mut Film, place: &Place, first: u64, last: u64) -> Result<(), String> {
        let stamp = place.head.stamp;
        if stamp.until <= first || stamp.cycle >= last {
            return Ok(());
        }
        let brushes = film.opening(self.take).map_or(1, |opening| opening.brushes_per_safe);
        let mut body = Vec::new();
        let (mut count, mut kept) = (0, Stamp { cycle: stamp.cycle, until: stamp.cycle, hash: 0 });
        let mut cycle = stamp.cycle;
        while cycle < stamp.until {
            if cycle >= first && cycle < last {
                let record = film.record(self.take, cycle)?;
                if count == 0 {
                    kept = Stamp { cycle, until: cycle, hash: record.hash_before };
                }
                inputs::write_record(record.hash_before, &record.inputs, &mut body);
                count += 1;
                kept.until = cycle + u64::from(brushes);
            }
            cycle += u64::from(brushes);
        }
        if count == 0 {
            return Ok(());
        }
        let mut whole = Vec::new();
        base::bytes::ByteWriter::write_varint(&mut whole, count);
        whole.extend(body);
        self.strip(Kind::Inputs, kept, &whole)
    }

    fn strip(&mut self, kind: Kind, stamp: Stamp, body: &[u8]) -> Result<(), String> {
        let head = self.writer.strip(kind, 0, stamp, body);
        let head = head.ok_or_else(|| String::from("a strip of the film is too long, or there are too many"))?;
        self.bytes += (head.len() + body.len()) as u64;
        let append = |file: &mut GrowingFile, bytes: &[u8]| file.append(bytes).map_err(|error| error.to_string());
        append(&mut self.file, &head)?;
        append(&mut self.file, body)
    }

    fn finish(mut self) -> Result<u64, String> {
        self.file.flush().map_err(|error| error.to_string())?;
        Ok(self.bytes)
    }
}
