//! The conversion of a world to the tags and classes of today, with what it loses named beforehand.
//!
//! Law: a session whose conversion fails is unchanged.

use base::StringId;
use tags::Library;
use world::conversion::remedy;
use world::{Rules, Scenario};

use tags::Tag;

use crate::error::Error;
use crate::session::Session;

/// The tags whose versions differ between two contents.
pub(crate) fn changed_tags(one: &Library, other: &Library) -> Vec<StringId> {
    let in_one = one.tags().filter(|ready| other.key(ready.path.id()) != Some(ready.key)).map(|ready| ready.path.id());
    let is_new = |id: &StringId| one.key(*id).is_none();
    let in_other = other.tags().map(|ready| ready.path.id()).filter(is_new);
    let mut changed: Vec<StringId> = in_one.chain(in_other).collect();
    changed.sort_unstable();
    changed
}

/// What the world of one session loses when it goes on in another, a line each. An error if it cannot.
pub fn losses(past: &Session, now: &Session) -> Result<Vec<String>, Error> {
    let (before, rules) = both(past, now)?;
    let changed = changed_tags(past.content().library(), now.content().library());
    let lines = rules.losses(before, past.world(), now.content().library(), &changed);
    let empty = now.empty_world();
    match state::conversion::convert(past.world(), &empty, &world::conversion::DERIVED) {
        Ok(_) => Ok(lines),
        Err(misfits) => Err(Error::NotConverted { reasons: misfits.iter().map(remedy).collect() }),
    }
}

/// Continues the world of one session in another, with the tags that are in force there. Returns what was lost.
pub fn convert(past: &Session, now: &mut Session) -> Result<Vec<String>, Error> {
    let lines = losses(past, now)?;
    let changed = changed_tags(past.content().library(), now.content().library());
    let mut world = now.empty_world();
    let (before, rules) = both(past, now)?;
    let converted = rules.convert(before, past.world(), (now.content().library(), &changed), &mut world);
    converted.map_err(|misfits| Error::NotConverted { reasons: misfits.iter().map(remedy).collect() })?;
    let lengths = (past.lengths(), now.lengths());
    if lengths.0 != lengths.1 {
        // The number of the safe cycle stays, as when a level restarts with other lengths.
        let safe = world.cycle().div_ceil(u64::from(lengths.0.brushes_per_safe));
        world.go_on_from(safe.saturating_mul(u64::from(lengths.1.brushes_per_safe)));
    }
    now.replace_world(world, "a saved world was loaded and converted to the tags of today");
    Ok(lines)
}

/// The rules of two worlds of objects.
fn both<'a>(past: &'a Session, now: &'a Session) -> Result<(&'a Rules, &'a Rules), Error> {
    let rules = (past.game().extensions().rules, now.game().extensions().rules);
    if let (Some(before), Some(rules)) = rules {
        return Ok((before, rules));
    }
    let class = Scenario::CLASS;
    let reason =
        format!("only worlds of objects (levels of the class `{class}`) are converted, and its layout is another");
    Err(Error::NotConverted { reasons: vec![reason] })
}
