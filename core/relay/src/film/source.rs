//! Where the bytes of a film come from.

use alloc::format;
use alloc::string::String;

/// Bytes that can be read from any place: a file, or memory.
pub trait Source {
    /// How many there are.
    fn length(&self) -> u64;

    /// Fills `into` with those from `offset` on, or says why it cannot.
    fn read_at(&mut self, offset: u64, into: &mut [u8]) -> Result<(), String>;
}

impl Source for &[u8] {
    fn length(&self) -> u64 {
        self.len() as u64
    }

    fn read_at(&mut self, offset: u64, into: &mut [u8]) -> Result<(), String> {
        let rest = usize::try_from(offset).ok().and_then(|offset| self.get(offset..));
        let found = rest.and_then(|rest| rest.get(..into.len()));
        let found = found.ok_or_else(|| format!("expected {} bytes at {offset}, found the end", into.len()))?;
        into.copy_from_slice(found);
        Ok(())
    }
}
