//! Loop points as sound files have them: the `smpl` chunk of WAVE files, the `INST` and `MARK` chunks of AIFF files.

/// The first loop of a file: its first frame, and the frame after its last one. `None` if there is none, or if it is
/// not one.
#[must_use]
pub fn find_loop(bytes: &[u8]) -> Option<(u64, u64)> {
    let found = match (bytes.get(..4)?, bytes.get(8..12)?) {
        (b"RIFF", b"WAVE") => wave_loop(bytes),
        (b"FORM", b"AIFF" | b"AIFC") => aiff_loop(bytes),
        _ => None,
    };
    found.filter(|(start, end)| start < end)
}

fn wave_loop(bytes: &[u8]) -> Option<(u64, u64)> {
    let (_, chunk) = chunks(bytes, u32::from_le_bytes).find(|(name, _)| *name == b"smpl")?;
    let number = |place: usize| Some(u32::from_le_bytes(chunk.get(place..place + 4)?.try_into().ok()?));
    // The head has nine numbers, the eighth of them the number of loops; a loop has its start and its last frame
    // behind its name and its kind.
    if number(28)? == 0 {
        return None;
    }
    Some((u64::from(number(44)?), u64::from(number(48)?) + 1))
}

fn aiff_loop(bytes: &[u8]) -> Option<(u64, u64)> {
    let (_, instrument) = chunks(bytes, u32::from_be_bytes).find(|(name, _)| *name == b"INST")?;
    let number = |place: usize| Some(u16::from_be_bytes(instrument.get(place..place + 2)?.try_into().ok()?));
    // The sustain loop: how it is played, and the markers of its start and its end.
    if number(8)? == 0 {
        return None;
    }
    let (start, end) = (number(10)?, number(12)?);
    let (_, markers) = chunks(bytes, u32::from_be_bytes).find(|(name, _)| *name == b"MARK")?;
    Some((marker(markers, start)?, marker(markers, end)?))
}

/// The place of a marker.
fn marker(chunk: &[u8], wanted: u16) -> Option<u64> {
    let count = u16::from_be_bytes(chunk.get(..2)?.try_into().ok()?);
    let mut rest = &chunk[2..];
    for _ in 0..count {
        let id = u16::from_be_bytes(rest.get(..2)?.try_into().ok()?);
        let place = u32::from_be_bytes(rest.get(2..6)?.try_into().ok()?);
        if id == wanted {
            return Some(u64::from(place));
        }
        // A name with its length before it, padded to an even number of bytes.
        let name = usize::from(*rest.get(6)?) + 1;
        rest = rest.get(6 + name + name % 2..)?;
    }
    None
}

/// The chunks of a file: names and contents. Ends where the file does.
fn chunks(bytes: &[u8], number: fn([u8; 4]) -> u32) -> impl Iterator<Item = (&[u8; 4], &[u8])> {
    let mut rest = bytes.get(12..).unwrap_or_default();
    std::iter::from_fn(move || {
        let (name, after) = rest.split_first_chunk::<4>()?;
        let (length, after) = after.split_first_chunk::<4>()?;
        let length = number(*length) as usize;
        let content = &after[..length.min(after.len())];
        rest = after.get(length.saturating_add(length % 2)..).unwrap_or_default();
        Some((name, content))
    })
}
