//! The chunks of a `.glb`.

use crate::error::ImportError;

const MAGIC: &[u8; 4] = b"glTF";
const JSON: u32 = 0x4e4f_534a;
const BIN: u32 = 0x004e_4942;

/// The JSON of a file, and the binary chunk of a `.glb`.
pub fn parts(bytes: &[u8]) -> Result<(&[u8], Option<&[u8]>), ImportError> {
    if !bytes.starts_with(MAGIC) {
        return Ok((bytes, None));
    }
    let number = |at: usize| Some(u32::from_le_bytes(bytes.get(at..at.checked_add(4)?)?.try_into().ok()?));
    let chunk = |at: usize| -> Option<(u32, &[u8], usize)> {
        let (length, kind) = (number(at)? as usize, number(at.checked_add(4)?)?);
        let end = at.checked_add(8)?.checked_add(length)?;
        Some((kind, bytes.get(at + 8..end)?, end))
    };
    let torn = || ImportError::Damaged("expected a whole .glb, found one whose chunks do not add up".into());
    let Some((JSON, text, end)) = chunk(12) else { return Err(torn()) };
    match chunk(end) {
        Some((BIN, binary, _)) => Ok((text, Some(binary))),
        Some(_) => Ok((text, None)),
        None if end >= bytes.len() => Ok((text, None)),
        None => Err(torn()),
    }
}
