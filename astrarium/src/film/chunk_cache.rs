//! The inputs and keyframes of a film, decoded, with the last chunk of each kept.

use base::bytes::ReadError;
use relay::crash_report::Record;
use relay::film::{Keyframe, Kind, Place, inputs, keyframe};

use crate::error::Error;
use crate::film_error::FilmFault;

use super::Film;

/// The chunks of one film that were decoded last. It belongs to whoever plays or cuts the film; the film itself is only
/// read.
#[derive(Default)]
pub struct ChunkCache {
    /// The last chunk of inputs: its offset, and its records.
    records: Option<(u64, Vec<Record>)>,
    /// The last whole block: its offset, its keyframe and its bytes.
    whole: Option<(u64, Keyframe, Vec<u8>)>,
    /// The last patched block.
    patched: Vec<u8>,
}

impl ChunkCache {
    /// The record of the inputs that enter in a brush cycle of a take.
    pub fn record(&mut self, film: &Film, take: u16, cycle: u64) -> Result<Record, Error> {
        let missing = || film.fault(FilmFault::NoInputs { take, cycle });
        let found = film.index().take(take).ok_or_else(missing)?;
        let brushes = found.opening.brushes_per_safe;
        let place = found.inputs_at(cycle).ok_or_else(missing)?;
        if !matches!(&self.records, Some((offset, _)) if *offset == place.offset) {
            let records = inputs::decode(&film.body(place)?, &place.head.stamp, brushes);
            let records = records.map_err(|error| film.fault(FilmFault::Body { offset: place.offset, error }))?;
            self.records = Some((place.offset, records));
        }
        let index = (cycle - place.head.stamp.cycle) / u64::from(brushes);
        let records = self.records.as_ref().map(|(_, records)| records);
        let record = records.and_then(|records| records.get(usize::try_from(index).ok()?)).cloned();
        record.ok_or_else(missing)
    }

    /// The first bytes of the block of a keyframe, or of the whole one that it is a patch of: few, whatever length the film says.
    pub fn start(film: &Film, take: u16, place: &Place) -> Result<Vec<u8>, Error> {
        let body = film.body(place)?;
        let bytes = film.opening(take).map_or(0, |opening| opening.block_bytes);
        if place.head.kind() == Some(Kind::Whole) {
            return keyframe::decode_start(&body, bytes).map_err(damaged(film, place));
        }
        let base = base_of(film, take, place, &body)?;
        keyframe::decode_start(&film.body(base)?, bytes).map_err(damaged(film, base))
    }

    /// The block of a keyframe, with the keyframe's own fields. It has the length that the film's opening says.
    pub fn block(&mut self, film: &Film, take: u16, place: &Place) -> Result<(Keyframe, &[u8]), Error> {
        let body = film.body(place)?;
        if place.head.kind() == Some(Kind::Whole) {
            return self.whole_block(film, take, place, &body);
        }
        let base = base_of(film, take, place, &body)?;
        let is_kept = matches!(&self.whole, Some((offset, ..)) if *offset == base.offset);
        let base_body = if is_kept { Vec::new() } else { film.body(base)? };
        let mut block = std::mem::take(&mut self.patched);
        block.clear();
        block.extend_from_slice(self.whole_block(film, take, base, &base_body)?.1);
        let keyframe = keyframe::decode_patch(&body, &mut block).map_err(damaged(film, place))?;
        self.patched = block;
        Ok((keyframe, &self.patched))
    }

    fn whole_block(&mut self, film: &Film, take: u16, place: &Place, body: &[u8]) -> Result<(Keyframe, &[u8]), Error> {
        if !matches!(&self.whole, Some((offset, ..)) if *offset == place.offset) {
            let bytes = film.opening(take).map_or(0, |opening| opening.block_bytes);
            let mut block = self.whole.take().map_or_else(Vec::new, |(_, _, block)| block);
            let said = keyframe::decode_whole(body, bytes, &mut block);
            let said = said.map_err(damaged(film, place))?;
            self.whole = Some((place.offset, said, block));
        }
        match &self.whole {
            Some((_, said, block)) => Ok((*said, block)),
            None => Err(film.fault(FilmFault::NoKeyframe { take })),
        }
    }
}

fn damaged(film: &Film, place: &Place) -> impl Fn(ReadError) -> Error {
    move |error| film.fault(FilmFault::Body { offset: place.offset, error })
}

/// The whole keyframe that a patch belongs to.
fn base_of<'a>(film: &'a Film, take: u16, place: &Place, body: &[u8]) -> Result<&'a Place, Error> {
    let said = keyframe::look_at_patch(body).map_err(damaged(film, place))?;
    let base = said.base.and_then(|base| whole_at(film, take, base));
    base.ok_or_else(|| film.fault(FilmFault::NoBase { offset: place.offset }))
}

/// The whole keyframe of a cycle.
fn whole_at(film: &Film, take: u16, cycle: u64) -> Option<&Place> {
    let found = film.index().take(take)?.keyframes_up_to(cycle).next()?;
    (found.head.stamp.cycle == cycle && found.head.kind() == Some(Kind::Whole)).then_some(found)
}
