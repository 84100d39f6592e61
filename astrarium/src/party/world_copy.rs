//! Worlds on their way to another machine: a copy of the block, compressed on a thread of its own; and the block from its parts.

use std::sync::Arc;
use std::thread::{self, JoinHandle};

use base::compression::{EXPANSION_MAX, compress, decompress};
use net::letter::{BlockHead, Letter};
use net::limits::PART_BYTES_MAX;
use state::limits::BLOCK_BYTES_MAX;

use crate::session::{PastWorld, Session};

use super::PartyError;

/// A world at the beginning of a cycle of the session, being compressed or ready.
pub struct WorldCopy {
    head: BlockHead,
    thread: Option<JoinHandle<Vec<u8>>>,
    compressed: Arc<[u8]>,
}

impl WorldCopy {
    /// Copies the world of a session, whose next safe cycle is the cycle `next` of the party.
    pub fn take(session: &mut Session, next: u64, base: u64, played: &[u8]) -> WorldCopy {
        session.game().saving(session.world());
        let block = session.world().bytes().to_vec();
        let head = BlockHead {
            next,
            base,
            level: session.level().to_string(),
            bytes: block.len() as u64,
            compressed: 0,
            hash: session.hash(),
            chain: session.chain(),
            played: played.to_vec(),
        };
        let work = move || {
            let mut out = Vec::new();
            compress(&block, &mut out);
            out
        };
        let thread = thread::Builder::new().name(String::from("world copy")).spawn(work.clone());
        match thread {
            Ok(thread) => WorldCopy { head, thread: Some(thread), compressed: Arc::default() },
            // Without threads, here and now.
            Err(_) => {
                let compressed: Arc<[u8]> = work().into();
                WorldCopy { head: BlockHead { compressed: compressed.len() as u64, ..head }, thread: None, compressed }
            }
        }
    }

    /// The cycle of the session that comes next in it.
    pub fn next(&self) -> u64 {
        self.head.next
    }

    /// The head and the compressed bytes, once they are ready.
    pub fn poll(&mut self) -> Option<(&BlockHead, &Arc<[u8]>)> {
        if let Some(thread) = self.thread.take_if(|thread| thread.is_finished()) {
            self.compressed = thread.join().unwrap_or_default().into();
            self.head.compressed = self.compressed.len() as u64;
        }
        let is_ready = self.thread.is_none();
        is_ready.then_some((&self.head, &self.compressed))
    }
}

/// What of a world is still to be sent to one machine.
pub struct Outgoing {
    head: Option<BlockHead>,
    bytes: Arc<[u8]>,
    sent: usize,
}

impl Outgoing {
    pub fn new(head: &BlockHead, bytes: &Arc<[u8]>) -> Outgoing {
        Outgoing { head: Some(head.clone()), bytes: Arc::clone(bytes), sent: 0 }
    }

    /// Posts as much as is taken. Returns whether that was all.
    pub fn post(&mut self, post: &mut dyn FnMut(&Letter) -> bool) -> bool {
        if let Some(head) = &self.head {
            if !post(&Letter::Block(head.clone())) {
                return false;
            }
            self.head = None;
        }
        while self.sent < self.bytes.len() {
            let end = (self.sent + PART_BYTES_MAX).min(self.bytes.len());
            if !post(&Letter::Part(self.bytes[self.sent..end].to_vec())) {
                return false;
            }
            self.sent = end;
        }
        true
    }
}

/// A world that arrives in parts.
pub struct Incoming {
    head: BlockHead,
    compressed: Vec<u8>,
}

impl Incoming {
    /// The world with this head. An error if it cannot be one.
    pub fn new(head: BlockHead) -> Result<Incoming, PartyError> {
        let is_possible = head.bytes <= BLOCK_BYTES_MAX as u64
            && head.compressed <= head.bytes + head.bytes / 128 + 64
            // No more memory than the parts can fill is taken for it.
            && head.bytes <= head.compressed.saturating_mul(EXPANSION_MAX);
        if !is_possible {
            let BlockHead { bytes, compressed, .. } = head;
            let why = format!(
                "expected a world of at most {BLOCK_BYTES_MAX} bytes, found {bytes} bytes, compressed {compressed}"
            );
            return Err(PartyError::BadWorld { why });
        }
        Ok(Incoming { head, compressed: Vec::new() })
    }

    /// A world of this machine, as if it had arrived.
    pub fn whole(head: &BlockHead, compressed: &[u8]) -> Incoming {
        Incoming { head: head.clone(), compressed: compressed.to_vec() }
    }

    /// Its head.
    pub fn head(&self) -> &BlockHead {
        &self.head
    }

    /// The share that has arrived, in percent.
    pub fn percent(&self) -> u64 {
        self.compressed.len() as u64 * 100 / self.head.compressed.max(1)
    }

    /// Adds a part. Returns whether it was the last one. More than the head said is refused before any memory is taken for it.
    pub fn add(&mut self, part: &[u8]) -> Result<bool, PartyError> {
        let (found, wanted) = ((self.compressed.len() + part.len()) as u64, self.head.compressed);
        if found > wanted {
            return Err(PartyError::BadWorld { why: format!("expected {wanted} bytes, found {found}") });
        }
        self.compressed.extend_from_slice(part);
        Ok(found == wanted)
    }

    /// Whether its block can be one of a level whose blocks are so long: that of another level has another length.
    pub fn fits(&self, level: &str, block_bytes: usize) -> Result<(), PartyError> {
        let found = self.head.bytes;
        if self.head.level == level && found != block_bytes as u64 {
            let why = format!("expected a block of {block_bytes} bytes, found {found}");
            return Err(PartyError::BadWorld { why });
        }
        Ok(())
    }

    /// Replaces the world of a session by this one, if its hash is right.
    pub fn load(&self, session: &mut Session) -> Result<(), PartyError> {
        self.fits(session.level(), session.world().bytes().len())?;
        let mut block = vec![0; self.head.bytes as usize];
        let unpacked = decompress(&self.compressed, &mut block);
        unpacked.map_err(|error| PartyError::BadWorld { why: error.to_string() })?;
        let past = PastWorld { level: &self.head.level, block: &block, chain: self.head.chain };
        session.return_to_block(&past).map_err(PartyError::Engine)?;
        let (found, wanted) = (session.hash(), self.head.hash);
        if found != wanted {
            let why = format!("its hash is {found:016x}, the host says {wanted:016x}");
            return Err(PartyError::BadWorld { why });
        }
        // A copy is made between two safe cycles; another one would not meet the records of the next cycle.
        let cycle = session.world().cycle();
        if !session.lengths().is_safe(cycle) {
            let why = format!("it was copied in the middle of a safe cycle, in brush cycle {cycle}");
            return Err(PartyError::BadWorld { why });
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn incoming(bytes: u64, compressed: u64) -> Result<Incoming, PartyError> {
        Incoming::new(BlockHead { bytes, compressed, level: String::from("tiny"), ..BlockHead::default() })
    }

    #[test]
    fn a_world_that_its_parts_cannot_fill_is_refused_before_any_memory_is_taken() {
        for (bytes, compressed) in
            [(1 << 30, 84), (BLOCK_BYTES_MAX as u64 + 1, 1 << 24), (1000, 2000), (u64::MAX, u64::MAX), (1, 0)]
        {
            assert!(matches!(incoming(bytes, compressed), Err(PartyError::BadWorld { .. })), "{bytes} {compressed}");
        }
        let mut world = incoming(255, 4).expect("it can be");
        assert!(!world.add(&[1, 2]).expect("not all of it"));
        for _ in 0..3 {
            assert!(world.add(&[0; 4096]).is_err(), "more than was said");
        }
        assert!(world.compressed.len() == 2 && world.compressed.capacity() < 4096, "nothing of it is kept");
        assert!(world.add(&[3, 4]).expect("it is the rest"));
    }

    #[test]
    fn a_block_has_the_length_of_its_level() {
        let world = incoming(8192, 4096).expect("it can be");
        assert!(world.fits("tiny", 8192).is_ok() && world.fits("tiny", 4096).is_err());
        assert!(world.fits("meadow", 4096).is_ok(), "the block of another level");
    }
}
