//! The source of a film's bytes.

use alloc::format;
use alloc::string::String;

/// Random access to bytes: a file, or memory.
pub trait Source {
    /// Their number.
    fn length(&self) -> u64;

    /// Reads `into.len()` bytes from `offset`. The error is text: only the source knows how it can fail, and the reason is
    /// shown, never matched on.
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
