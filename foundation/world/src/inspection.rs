//! An object with everything that is known of it, for tools: its place, its links, its timers, its body.

use alloc::format;
use alloc::string::{String, ToString};
use alloc::vec::Vec;

use base::{Handle, StringId, Vec3};
use physics::flag;
use script::program::WAITING;
use script::row::RowView;
use script::value::Value;
use state::Block;

use crate::object::{Object, Stage};
use crate::query::Sight;
use crate::rules::{LEVEL, Rules};

/// An object, as text.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ObjectDetails {
    /// Its raw handle.
    pub object: u32,
    /// The name under which the level placed it; empty if it has none.
    pub name: String,
    /// The path of its tag.
    pub tag: String,
    /// Its class.
    pub class: String,
    /// What the world knows of it: a name and a value each.
    pub facts: Vec<(&'static str, String)>,
    /// Its timers, handlers and callbacks, a line each.
    pub timers: Vec<String>,
}

impl Sight<'_> {
    /// The first object that exists of those that the level placed under a name.
    pub fn named(&self, name: StringId) -> Option<Handle<Object>> {
        let named = self.keys.names.get(self.block).iter().filter(|named| named.name == name);
        named.map(|named| named.object).find(|object| self.keys.objects.find(self.block, *object).is_some())
    }
}

impl Rules {
    /// The objects that the level placed under names, and exist.
    pub fn names<'a>(&'a self, block: &'a Block) -> impl Iterator<Item = (&'a str, Handle<Object>)> {
        let named = self.parts.names.get(block).iter();
        let named = named.filter(|named| self.parts.objects.find(block, named.object).is_some());
        named.map(|named| (self.prototypes.text(named.name).unwrap_or("a name that no tag has"), named.object))
    }

    /// An object with everything that is known of it; none if there is no such object.
    pub fn details(&self, block: &Block, object: u32) -> Option<ObjectDetails> {
        let (handle, found, values) = self.parts.objects.find_values(block, object)?;
        let prototype = self.prototypes.get(found.mind.program);
        let name =
            self.names(block).find(|(_, named)| *named == handle).map_or(String::new(), |(name, _)| name.to_string());
        let mut facts = Vec::from([
            ("position", vector(found.position)),
            ("velocity", vector(found.velocity)),
            ("facing", vector(found.facing)),
            ("team", found.team.to_string()),
        ]);
        for (what, other) in [("owner", found.owner), ("attached to", found.parent)] {
            if let Some(name) = self.parts.objects.find(block, other).and_then(|_| self.name_of(block, other.slot())) {
                facts.push((what, name));
            }
        }
        let is_flagged = |(bit, _): &(usize, &StringId)| found.flags >> bit & 1 == 1;
        let flags = self.level.settings.flags.iter().enumerate().filter(is_flagged);
        let flags: Vec<&str> = flags.filter_map(|(_, flag)| self.prototypes.text(*flag)).collect();
        if !flags.is_empty() {
            facts.push(("flags", flags.join(", ")));
        }
        facts.push(("spawned in cycle", found.born_at.to_string()));
        let stage = match (found.is(Stage::New), found.is(Stage::Ending)) {
            (true, _) => "new",
            (_, true) => "being destroyed",
            _ if self.parts.objects.is_awake(block, handle) => "awake",
            _ => "asleep",
        };
        facts.push(("state", String::from(stage)));
        if found.update_at != u64::MAX {
            facts.push(("next update in cycle", found.update_at.to_string()));
        }
        facts.extend(self.body_facts(block, handle));
        let timers = self.prototypes.programs().get(found.mind.program).map_or(Vec::new(), |program| {
            let Some(variable) = program.variable(WAITING) else { return Vec::new() };
            let row = RowView { head: &found.mind, values };
            let (entries, _) = row.parts(row.get(variable)).as_chunks::<4>();
            let line = |body: Value| {
                let function = body.function_number().and_then(|number| program.functions.get(number as usize));
                function.map_or(0, |function| program.line(function.span.start))
            };
            let entry = |[ticket, key, period, body]: &[Value; 4]| {
                let path = prototype.map_or("", |prototype| prototype.path.as_str());
                let place = format!("{path}:{}", line(*body));
                match (key.as_number(), key.as_string(), period.as_number()) {
                    (Some(due), _, Some(period)) if period > 0.0 => format!("at {due} ms, every {period} ms: {place}"),
                    (Some(due), ..) => format!("at {due} ms: {place}"),
                    (_, Some(name), _) => format!("on {}: {place}", self.prototypes.text(name).unwrap_or("a message")),
                    _ => format!("callback {}: {place}", self.prototypes.written(*ticket)),
                }
            };
            entries.iter().map(entry).collect()
        });
        Some(ObjectDetails {
            object,
            name,
            tag: prototype.map_or_else(String::new, |prototype| prototype.path.clone()),
            class: self
                .prototypes
                .class_name(found.class)
                .unwrap_or(if handle == LEVEL { "level" } else { "" })
                .to_string(),
            facts,
            timers,
        })
    }

    fn body_facts(&self, block: &Block, handle: Handle<Object>) -> Vec<(&'static str, String)> {
        let Some(body) = self.parts.body_of(block, handle) else { return Vec::new() };
        let found = self.parts.physics.parts.bodies.get(block, body);
        let kind = match () {
            () if found.is(flag::TRIGGER) => "trigger",
            () if found.is(flag::STATIC) => "fixed",
            () if found.is(flag::ASLEEP) => "asleep",
            () => "awake",
        };
        Vec::from([
            ("body", String::from(kind)),
            ("velocity of the body", vector(found.velocity)),
            ("spin of the body", vector(found.angular_velocity)),
        ])
    }
}

fn vector(vector: Vec3) -> String {
    format!("vec({}, {}, {})", vector.x, vector.y, vector.z)
}
