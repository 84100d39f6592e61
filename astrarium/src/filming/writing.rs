//! The film thread, which compresses and writes.

use std::sync::Arc;
use std::thread::{self, JoinHandle};

use base::bytes::ByteWriter;
use host::clock::{Clock, thread_nanos};
use host::files::GrowingFile;
use relay::film::limits::RECORDS_MAX;
use relay::film::{FilmWriter, Kind, Stamp, Tag, keyframe, track};
use tags::library::Ready;

use crate::profile::limits::TRACK_ROWS;
use crate::profile::{self, SecondOfProfile};

use super::desk::{Desk, Entry, Tray};

/// A keyframe is a patch of the last whole one while the patch is at most this percentage of its size …
const PATCH_PERCENT: usize = 70;

/// … and there are at most this many of them.
const PATCHES_MAX: u32 = 64;

/// The maximum number of safe cycles in a chunk of inputs: a second of the world. A torn file loses no more than the
/// last chunk, however far the thread was behind.
const RECORDS_PER_STRIP: u64 = 20;

const _: () = assert!(RECORDS_PER_STRIP <= RECORDS_MAX as u64, "every chunk that is written can be read");

/// The interval at which written data is flushed to the disk, so that it survives a power failure.
const FLUSH_NANOS: u64 = 5_000_000_000;

/// The thread. Dropping this waits until everything is written.
pub struct FilmThread {
    desk: Arc<Desk>,
    thread: Option<JoinHandle<()>>,
}

impl FilmThread {
    pub fn begin(file: GrowingFile, writer: FilmWriter, desk: Arc<Desk>) -> FilmThread {
        let theirs = Arc::clone(&desk);
        let work = move || Desktop::new(file, writer, theirs).work();
        let thread = thread::Builder::new().name("film".into()).spawn(work).ok();
        if thread.is_none() {
            desk.give_up("this machine has no threads, so no film is recorded");
        }
        FilmThread { desk, thread }
    }
}

impl Drop for FilmThread {
    fn drop(&mut self) {
        self.desk.close();
        if let Some(thread) = self.thread.take() {
            let _ = thread.join();
        }
    }
}

struct Desktop {
    file: GrowingFile,
    writer: FilmWriter,
    desk: Arc<Desk>,
    clock: Clock,
    flushed: u64,
    /// The buffer of the next write.
    out: Vec<u8>,
    written: u64,
    /// The records of the chunk of inputs under construction.
    records: Vec<u8>,
    pending: Option<(u16, Stamp, u64)>,
    body: Vec<u8>,
    patch: Vec<u8>,
    base: Option<Base>,
    is_ended: bool,
}

/// The last whole keyframe.
struct Base {
    take: u16,
    cycle: u64,
    block: Vec<u8>,
    compressed: usize,
    patches: u32,
}

impl Desktop {
    fn new(file: GrowingFile, writer: FilmWriter, desk: Arc<Desk>) -> Desktop {
        Desktop {
            file,
            writer,
            desk,
            clock: Clock::new(),
            flushed: 0,
            out: Vec::new(),
            written: 0,
            records: Vec::new(),
            pending: None,
            body: Vec::new(),
            patch: Vec::new(),
            base: None,
            is_ended: false,
        }
    }

    fn work(mut self) {
        let mut tray = Tray::with_room();
        loop {
            let (is_more, request) = self.desk.wait(&mut tray);
            for entry in tray.entries.drain(..) {
                self.enter(entry, &tray.bytes);
            }
            self.end_records();
            self.write();
            if self.clock.now().saturating_sub(self.flushed) >= FLUSH_NANOS {
                self.flush();
            }
            self.desk.count(self.written, self.worked());
            self.desk.synced(request);
            self.written = 0;
            if !is_more {
                break;
            }
        }
        self.flush();
    }

    fn enter(&mut self, entry: Entry, bytes: &[u8]) {
        match entry {
            Entry::Record { take, stamp, bytes: range } => self.record(take, stamp, &bytes[range]),
            Entry::Chunk { kind, take, stamp, bytes: range } => {
                self.end_records();
                self.chunk(kind, take, stamp, &bytes[range]);
            }
            Entry::Tag { take, cycle, ready: Ready { key, packed, .. } } => {
                self.end_records();
                let body = Tag::encode(&key.0, packed.bytes());
                self.chunk(Kind::Tag, take, Stamp::of_tag(cycle, key.half()), &body);
            }
            Entry::Second { take, second } => {
                self.end_records();
                self.second(take, &second);
                self.desk.give_back_second(second);
            }
            Entry::Keyframe { take, stamp, chain, is_first, snapshot } => {
                self.end_records();
                let before = self.worked();
                self.keyframe(take, stamp, chain, is_first, snapshot.block().bytes());
                self.write();
                self.desk.give_back(snapshot, self.worked().saturating_sub(before));
            }
        }
    }

    /// Adds a second of the profile to its track, with the costliest tags and lines.
    fn second(&mut self, take: u16, second: &SecondOfProfile) {
        let mut summary = second.summary();
        summary.truncate(TRACK_ROWS);
        let mut item = Vec::new();
        profile::track::encode(&summary, &mut item);
        let body = track::encode(profile::track::TRACK, [(summary.first, &item[..])].into_iter());
        let stamp = Stamp { cycle: summary.first, until: summary.until, hash: 0 };
        self.chunk(Kind::Track, take, stamp, &body);
    }

    /// Puts the records of successive cycles into one chunk until it is full.
    fn record(&mut self, take: u16, stamp: Stamp, bytes: &[u8]) {
        let goes_on =
            |(of, all, count): (u16, Stamp, u64)| of == take && all.until == stamp.cycle && count < RECORDS_PER_STRIP;
        if !self.pending.is_some_and(goes_on) {
            self.end_records();
        }
        match &mut self.pending {
            Some((_, all, count)) => (all.until, *count) = (stamp.until, *count + 1),
            None => self.pending = Some((take, stamp, 1)),
        }
        self.records.extend_from_slice(bytes);
    }

    fn end_records(&mut self) {
        let Some((take, stamp, count)) = self.pending.take() else { return };
        let mut body = std::mem::take(&mut self.body);
        body.clear();
        body.write_varint(count);
        body.put(&self.records);
        self.records.clear();
        self.chunk(Kind::Inputs, take, stamp, &body);
        self.body = body;
    }

    fn keyframe(&mut self, take: u16, stamp: Stamp, chain: u64, is_first: bool, block: &[u8]) {
        let mut body = std::mem::take(&mut self.body);
        let fits = |base: &&mut Base| {
            !is_first && base.take == take && base.patches < PATCHES_MAX && base.block.len() == block.len()
        };
        if let Some(base) = self.base.as_mut().filter(fits) {
            keyframe::encode_patch(chain, (base.cycle, &base.block), block, &mut self.patch, &mut body);
            if body.len() <= base.compressed / 100 * PATCH_PERCENT {
                base.patches += 1;
                self.chunk(Kind::Patch, take, stamp, &body);
                self.body = body;
                return;
            }
        }
        keyframe::encode_whole(chain, block, &mut body);
        let mut kept = self.base.take().map_or_else(Vec::new, |base| base.block);
        kept.clear();
        kept.extend_from_slice(block);
        self.base = Some(Base { take, cycle: stamp.cycle, block: kept, compressed: body.len(), patches: 0 });
        self.chunk(Kind::Whole, take, stamp, &body);
        self.body = body;
        self.write();
        // From its first whole keyframe on, a film can be played: it may take the place of an earlier one.
        if !self.is_ended
            && let Err(error) = self.file.take_place()
        {
            self.end(&error.to_string());
        }
    }

    fn chunk(&mut self, kind: Kind, take: u16, stamp: Stamp, body: &[u8]) {
        match self.writer.chunk(kind, take, stamp, body) {
            Some(head) => {
                self.out.extend_from_slice(&head);
                self.out.extend_from_slice(body);
            }
            None => self.end("a chunk of the film is too long, or there are too many"),
        }
    }

    fn write(&mut self) {
        if !self.is_ended && !self.out.is_empty() {
            match self.file.append(&self.out) {
                Ok(()) => self.written += self.out.len() as u64,
                Err(error) => self.end(&error.to_string()),
            }
        }
        self.out.clear();
    }

    fn flush(&mut self) {
        self.flushed = self.clock.now();
        if !self.is_ended
            && let Err(error) = self.file.flush()
        {
            self.end(&error.to_string());
        }
    }

    fn end(&mut self, why: &str) {
        self.is_ended = true;
        self.desk.give_up(&format!("recording stopped: {why}"));
    }

    /// The processor time of this thread.
    fn worked(&self) -> u64 {
        thread_nanos().unwrap_or_else(|| self.clock.now())
    }
}
