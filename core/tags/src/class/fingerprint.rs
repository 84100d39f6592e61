//! The fingerprint: a hash over everything that decides how texts of a class are packed, and which variables objects
//! made from its tags have.

use base::bytes::ByteWriter;
use base::hash::Hasher;

use super::{Class, Field, Kind, PACKING};
use crate::expression::is_shared_default;

/// Incremented when a default that is evaluated with each tag gives other bytes.
const SHARING: u32 = 1;

impl Class {
    /// A hash over what the packed form of its tags and the variables of their objects look like. Values that texts do not give,
    /// ranges and former names are not part of it: a running game can go on when they change.
    pub fn layout_fingerprint(&self) -> u64 {
        let mut bare = self.clone();
        bare.version = 1;
        bare.libraries.clear();
        for field in bare.records.iter_mut().flat_map(|record| &mut record.fields) {
            (field.default, field.range) = (None, None);
            field.former.clear();
            forget_former(&mut field.kind);
        }
        bare.fingerprint()
    }

    /// A hash over everything that decides how a text is packed.
    pub fn fingerprint(&self) -> u64 {
        let mut hasher = Hasher::new();
        hasher.write_u32(PACKING);
        hasher.write_u32(script::binary::FORMAT);
        hasher.write_u32(self.version);
        put_text(&mut hasher, &self.name);
        hasher.write_u32(self.postprocess);
        hasher.write_u8(u8::from(self.is_open));
        hasher.write_u32(self.reads.len() as u32);
        for class in &self.reads {
            put_text(&mut hasher, class);
        }
        for base in &self.bases {
            put_text(&mut hasher, &base.name);
            hasher.write_u32(base.fields);
        }
        for record in &self.records {
            hasher.write_u32(record.fields.len() as u32);
            hasher.write_u32(record.key.map_or(u32::MAX, |key| key));
            for field in &record.fields {
                put_field(&mut hasher, field);
            }
        }
        // Only where there is something: all other classes keep the fingerprints that they had.
        for library in &self.libraries {
            put_text(&mut hasher, &library.path);
            put_text(&mut hasher, &library.text);
        }
        let defaults = self.root().fields.iter().filter_map(|field| field.default.as_deref());
        if defaults.into_iter().any(is_shared_default) {
            hasher.write_u32(SHARING);
        }
        hasher.finish()
    }
}

fn forget_former(kind: &mut Kind) {
    match kind {
        Kind::Choice(names) | Kind::Flags(names) => names.iter_mut().for_each(|named| named.former.clear()),
        Kind::Series(of) | Kind::Optional(of) => forget_former(of),
        _ => {}
    }
}

fn put_text(hasher: &mut Hasher, text: &str) {
    hasher.write_u32(text.len() as u32);
    hasher.put(text.as_bytes());
}

fn put_field(hasher: &mut Hasher, field: &Field) {
    put_text(hasher, &field.name);
    put_kind(hasher, &field.kind);
    put_text(hasher, field.default.as_deref().unwrap_or("\0"));
    let (min, max) = field.range.unwrap_or((f64::NEG_INFINITY, f64::INFINITY));
    hasher.write_u64(min.to_bits());
    hasher.write_u64(max.to_bits());
    let flags = [field.is_runtime, field.is_state, field.is_replicated, field.is_resident];
    hasher.write_u8(flags.iter().rev().fold(0, |bits, flag| bits << 1 | u8::from(*flag)));
    hasher.write_u32(field.former.len() as u32);
    for former in &field.former {
        put_text(hasher, &former.name);
        hasher.write_u32(former.before);
        put_text(hasher, former.convert.as_deref().unwrap_or("\0"));
    }
}

fn put_kind(hasher: &mut Hasher, kind: &Kind) {
    hasher.write_u8(kind.number());
    match kind {
        Kind::Number(number) => hasher.write_u8(*number as u8),
        Kind::Vector(count) => hasher.write_u8(*count),
        Kind::Own(is_handle) => hasher.write_u8(u8::from(*is_handle)),
        Kind::Choice(names) | Kind::Flags(names) => {
            hasher.write_u32(names.len() as u32);
            for named in names {
                put_text(hasher, &named.name);
                hasher.write_u32(named.former.len() as u32);
                for former in &named.former {
                    put_text(hasher, former);
                }
            }
        }
        Kind::Reference(text) | Kind::Lambda(text) => put_text(hasher, text),
        Kind::Record(number) => hasher.write_u32(*number),
        Kind::Series(of) | Kind::Optional(of) => put_kind(hasher, of),
        _ => {}
    }
}
