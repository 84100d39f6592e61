//! Force fields: from the record of a tag to the value that physics takes.
//!
//! Law: the field is valid for every record.

use physics::{ForceField, ForceFieldKind};

use crate::classes::{ForceFieldName, ForceFieldRecord};

/// The force field of a record; none if its kind is none.
pub fn force_field_of(record: &ForceFieldRecord) -> Option<ForceField> {
    let kind = match record.kind.get() {
        ForceFieldName::None => return None,
        ForceFieldName::Planet => ForceFieldKind::Planet,
        ForceFieldName::Centre => ForceFieldKind::Center,
        ForceFieldName::Linear => ForceFieldKind::Linear,
        ForceFieldName::Uniform => ForceFieldKind::Zone,
    };
    let field = ForceField {
        center: record.centre,
        radius: record.radius,
        strength: record.strength,
        acceleration: record.acceleration,
        range: record.influence_radius,
        half_extents: record.half,
        drag: record.drag,
        flow: record.flow,
        kind: kind as u32,
        replaces: u32::from(record.replaces.is_true()),
        ..ForceField::NONE
    };
    Some(field.sanitized())
}
