//! Keys of a secure connection: hashes, random bytes from a seed, the keys of one direction, and the window against repeated datagrams.

use snow::params::{CipherChoice, HashChoice};
use snow::resolvers::{CryptoResolver, DefaultResolver};
use snow::types::{Cipher, Hash, Random};

/// The bytes of a key.
pub const KEY_BYTES: usize = 32;

/// The bytes that sealing adds.
pub const TAG_BYTES: usize = 16;

/// Datagrams with one key, as a shift.
const EPOCH_SHIFT: u32 = 16;

/// The rounds that make guessing passwords slow.
const STRETCH_ROUNDS: u32 = 1 << 14;

fn hasher() -> Box<dyn Hash> {
    DefaultResolver.resolve_hash(&HashChoice::Blake2s).expect("the feature `use-blake2` of snow is on")
}

/// BLAKE2s over parts, each with its length before it.
pub fn digest(purpose: &str, parts: &[&[u8]]) -> [u8; KEY_BYTES] {
    let mut hasher = hasher();
    for part in std::iter::once(&purpose.as_bytes()).chain(parts) {
        hasher.input(&(part.len() as u64).to_le_bytes());
        hasher.input(part);
    }
    let mut out = [0; KEY_BYTES];
    hasher.result(&mut out);
    out
}

/// The shared key of a session with this password.
pub fn password_key(password: &str) -> [u8; KEY_BYTES] {
    let mut key = digest("astrarium session password", &[password.as_bytes()]);
    for _ in 0..STRETCH_ROUNDS {
        key = digest("astrarium session password", &[&key, password.as_bytes()]);
    }
    key
}

/// Unpredictable bytes from a seed: BLAKE2s over the seed and a counter.
#[derive(Clone)]
pub struct SeededBytes {
    seed: [u8; KEY_BYTES],
    count: u64,
}

impl SeededBytes {
    pub fn new(seed: [u8; KEY_BYTES]) -> SeededBytes {
        SeededBytes { seed, count: 0 }
    }

    pub fn draw(&mut self) -> [u8; KEY_BYTES] {
        self.count += 1;
        digest("astrarium random bytes", &[&self.seed, &self.count.to_le_bytes()])
    }

    pub fn draw_number(&mut self) -> u64 {
        let bytes = self.draw();
        u64::from_le_bytes(*bytes.first_chunk().expect("a digest is longer"))
    }
}

impl Random for SeededBytes {
    fn try_fill_bytes(&mut self, into: &mut [u8]) -> Result<(), snow::Error> {
        for chunk in into.chunks_mut(KEY_BYTES) {
            let length = chunk.len();
            chunk.copy_from_slice(&self.draw()[..length]);
        }
        Ok(())
    }
}

/// What a handshake is made of: the usual parts, and random bytes from a seed.
pub struct Parts(pub SeededBytes);

impl CryptoResolver for Parts {
    fn resolve_rng(&self) -> Option<Box<dyn Random>> {
        Some(Box::new(self.0.clone()))
    }

    fn resolve_dh(&self, choice: &snow::params::DHChoice) -> Option<Box<dyn snow::types::Dh>> {
        DefaultResolver.resolve_dh(choice)
    }

    fn resolve_hash(&self, choice: &HashChoice) -> Option<Box<dyn Hash>> {
        DefaultResolver.resolve_hash(choice)
    }

    fn resolve_cipher(&self, choice: &CipherChoice) -> Option<Box<dyn Cipher>> {
        DefaultResolver.resolve_cipher(choice)
    }
}

fn cipher(key: &[u8; KEY_BYTES]) -> Box<dyn Cipher> {
    let choice = CipherChoice::ChaChaPoly;
    let mut cipher = DefaultResolver.resolve_cipher(&choice).expect("the feature `use-chacha20poly1305` of snow is on");
    cipher.set(key);
    cipher
}

fn next_key(key: &[u8; KEY_BYTES]) -> [u8; KEY_BYTES] {
    digest("astrarium next key", &[key])
}

/// The keys of what is sent. After 65 536 datagrams the next key follows, and the old one is forgotten.
pub struct SendingKeys {
    epoch: u64,
    key: [u8; KEY_BYTES],
    cipher: Box<dyn Cipher>,
    /// The number of the next datagram.
    next: u64,
}

impl SendingKeys {
    pub fn new(key: [u8; KEY_BYTES]) -> SendingKeys {
        SendingKeys { epoch: 0, key, cipher: cipher(&key), next: 0 }
    }

    /// Appends the sealed bytes, and writes the lower half of their number into the head, which is sealed with them.
    pub fn seal(&mut self, bytes: &[u8], out: &mut Vec<u8>, number_at: usize) {
        let number = self.next;
        self.next += 1;
        if number >> EPOCH_SHIFT > self.epoch {
            self.key = next_key(&self.key);
            self.cipher = cipher(&self.key);
            self.epoch += 1;
        }
        out[number_at..number_at + 4].copy_from_slice(&(number as u32).to_le_bytes());
        let start = out.len();
        out.resize(start + bytes.len() + TAG_BYTES, 0);
        let (head, body) = out.split_at_mut(start);
        self.cipher.encrypt(number, head, bytes, body);
    }

    /// Goes on from a number, for tests of long connections.
    #[cfg(test)]
    pub fn skip_to(&mut self, number: u64) {
        self.next = number;
    }
}

/// Why sealed bytes were refused.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum OpenError {
    /// They were not sealed with this key, or were changed.
    Forged,
    /// They arrived already, or are too old.
    Repeated,
}

/// The numbers that have arrived, of the last ones.
const WINDOW_WORDS: usize = 16;
const WINDOW: u64 = WINDOW_WORDS as u64 * 64;

/// The keys of what is received: that of now, and for datagrams that overtake others the one before and the one after.
pub struct ReceivingKeys {
    epoch: u64,
    before: Option<Box<dyn Cipher>>,
    now: Box<dyn Cipher>,
    after: Box<dyn Cipher>,
    after_key: [u8; KEY_BYTES],
    /// The first number that is greater than all received.
    end: u64,
    received: [u64; WINDOW_WORDS],
}

impl ReceivingKeys {
    pub fn new(key: [u8; KEY_BYTES]) -> ReceivingKeys {
        let after_key = next_key(&key);
        let (now, after) = (cipher(&key), cipher(&after_key));
        ReceivingKeys { epoch: 0, before: None, now, after, after_key, end: 0, received: [0; WINDOW_WORDS] }
    }

    /// Opens sealed bytes. Returns whether they are the newest so far.
    pub fn open(&mut self, head: &[u8], number: u32, sealed: &[u8], out: &mut Vec<u8>) -> Result<bool, OpenError> {
        let number = self.expand(number);
        if number + WINDOW < self.end || self.has(number) {
            return Err(OpenError::Repeated);
        }
        let epoch = number >> EPOCH_SHIFT;
        let cipher = match epoch.wrapping_sub(self.epoch) {
            0 => &self.now,
            1 => &self.after,
            u64::MAX => self.before.as_ref().ok_or(OpenError::Forged)?,
            _ => return Err(OpenError::Forged),
        };
        out.clear();
        out.resize(sealed.len().checked_sub(TAG_BYTES).ok_or(OpenError::Forged)?, 0);
        cipher.decrypt(number, head, sealed, out).map_err(|_| OpenError::Forged)?;
        if epoch > self.epoch {
            let after_key = next_key(&self.after_key);
            let now = std::mem::replace(&mut self.after, self::cipher(&after_key));
            self.before = Some(std::mem::replace(&mut self.now, now));
            (self.after_key, self.epoch) = (after_key, epoch);
        }
        let is_newest = number >= self.end;
        self.mark(number);
        Ok(is_newest)
    }

    /// The number with these lower bits that is nearest to the next expected one.
    fn expand(&self, low: u32) -> u64 {
        let ahead = low.wrapping_sub(self.end as u32);
        if ahead <= u32::MAX / 2 {
            return self.end + u64::from(ahead);
        }
        // Before the beginning: it will not open.
        self.end.saturating_sub(u64::from(ahead.wrapping_neg()))
    }

    fn has(&self, number: u64) -> bool {
        number < self.end && self.received[(number / 64) as usize % WINDOW_WORDS] >> (number % 64) & 1 == 1
    }

    fn mark(&mut self, number: u64) {
        if number >= self.end {
            let (first, last) = (self.end.div_ceil(64), number / 64);
            for word in (first..=last).rev().take(WINDOW_WORDS) {
                self.received[word as usize % WINDOW_WORDS] = 0;
            }
            self.end = number + 1;
        }
        self.received[(number / 64) as usize % WINDOW_WORDS] |= 1 << (number % 64);
    }
}
