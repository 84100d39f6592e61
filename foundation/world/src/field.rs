//! Fields of pull: what tags say of them, as physics has them.
//!
//! Law: whatever a tag says, the field is sound.

use physics::{Pull, PullKind};

use crate::classes::{FieldName, FieldRecord};

/// What a tag says of a field; none if it says none.
pub fn field_of(record: &FieldRecord) -> Option<Pull> {
    let kind = match record.kind.get() {
        FieldName::None => return None,
        FieldName::Planet => PullKind::Planet,
        FieldName::Centre => PullKind::Centre,
        FieldName::Linear => PullKind::Linear,
        FieldName::Zone => PullKind::Zone,
    };
    let pull = Pull {
        centre: record.centre,
        radius: record.radius,
        strength: record.strength,
        vector: record.pull,
        reach: record.reach,
        half: record.half,
        drag: record.drag,
        flow: record.flow,
        kind: kind as u32,
        replaces: u32::from(record.replaces.is_true()),
        ..Pull::NONE
    };
    Some(pull.sound())
}
