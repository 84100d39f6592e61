//! Batched reads: objects that lie near each other are read with one call.

use host::allocation::may_fail;
use host::files::Reader;
use host::parallel;

use super::pack::{Pack, Row};
use crate::content_key::Key;
use crate::limits::{GAP_BYTES, SEGMENT_BYTES};

/// A part of a pack that is read at once, and the numbers of the objects in it.
struct Segment {
    pack: usize,
    offset: u64,
    end: u64,
    objects: Vec<(usize, Row)>,
}

/// See [`Store::get_many`](super::Store::get_many). `wanted` gives the pack and row of each key.
pub(super) fn read<R: Send>(
    packs: &[Pack],
    keys: &[Key],
    wanted: &[Option<(usize, Row)>],
    threads: usize,
    look: impl Fn(usize, Option<&[u8]>) -> R + Sync,
) -> Vec<R> {
    let segments = segments(wanted);
    let read = parallel::many(segments.len(), threads, |number| look_at(&segments[number], packs, &look));
    let mut results: Vec<Option<R>> = Vec::with_capacity(keys.len());
    results.resize_with(keys.len(), || None);
    for (number, result) in read.into_iter().flatten() {
        results[number] = Some(result);
    }
    let missing = results.into_iter().enumerate();
    missing.map(|(number, result)| result.unwrap_or_else(|| look(number, None))).collect()
}

fn segments(wanted: &[Option<(usize, Row)>]) -> Vec<Segment> {
    let mut rows: Vec<(usize, usize, Row)> =
        wanted.iter().enumerate().filter_map(|(number, place)| place.map(|(pack, row)| (pack, number, row))).collect();
    rows.sort_unstable_by_key(|(pack, number, row)| (*pack, row.offset, *number));
    let mut segments: Vec<Segment> = Vec::new();
    for (pack, number, row) in rows {
        match segments.last_mut() {
            Some(last)
                if last.pack == pack
                    && row.offset <= last.end.saturating_add(GAP_BYTES)
                    && row.end() <= last.offset.saturating_add(SEGMENT_BYTES) =>
            {
                last.end = last.end.max(row.end());
                last.objects.push((number, row));
            }
            _ => segments.push(Segment { pack, offset: row.offset, end: row.end(), objects: vec![(number, row)] }),
        }
    }
    segments
}

fn look_at<R>(segment: &Segment, packs: &[Pack], look: &impl Fn(usize, Option<&[u8]>) -> R) -> Vec<(usize, R)> {
    let bytes = read_segment(segment, packs);
    let looked = segment.objects.iter().map(|(number, row)| {
        let object = bytes.as_deref().and_then(|bytes| {
            let start = usize::try_from(row.offset - segment.offset).ok()?;
            let end = usize::try_from(row.end() - segment.offset).ok()?;
            bytes.get(start..end).filter(|object| row.fits(object))
        });
        (*number, look(*number, object))
    });
    looked.collect()
}

/// None if the pack was deleted or truncated.
fn read_segment(segment: &Segment, packs: &[Pack]) -> Option<Vec<u8>> {
    let reader = Reader::open(packs.get(segment.pack)?.path()).ok()?;
    let length = usize::try_from(segment.end - segment.offset).ok()?;
    let mut bytes = Vec::new();
    may_fail(|| bytes.try_reserve_exact(length)).ok()?;
    bytes.resize(length, 0);
    reader.read_at(segment.offset, &mut bytes).ok()?;
    Some(bytes)
}
