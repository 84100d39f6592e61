//! A saved world goes on with other tags, classes and capacities; and players stay where they are when their level restarts.
//!
//! Laws
//! 1. Objects keep their handles, and their variables by name: today's, or a former one of their class. A variable without a
//!    counterpart is lost, a new one begins as in a new object. Timers, handlers and callbacks go on as after a hot reload.
//! 2. What would be lost is known before anything is converted ([`Rules::losses`]).
//! 3. What follows from the objects (cells, bit sets, bodies by slot) is computed anew.

use alloc::collections::BTreeMap;
use alloc::format;
use alloc::string::{String, ToString};
use alloc::sync::Arc;
use alloc::vec::Vec;

use base::{Handle, StringId, Vec3};
use script::migration::{Waiting, dropped, lambda_in_words, matching};
use script::program::Program;
use script::row::{RowEdit, RowView};
use script::value::{Kind, Value};
use state::conversion::Misfit;
use state::{Alone, Block, World};
use tags::Library;
use tags::class::{Field, Former};
use tags::former::Converter;
use tags::library::Changed;

use crate::developer::read_vector;
use crate::object::{Object, VARIABLES};
use crate::parts::{SETS, SettlingState};
use crate::renewal::{PrototypeMapping, Renewal};
use crate::rules::{Cycle, LEVEL, Rules};
use crate::sets::{NO_CLASS, Set};
use crate::space::NO_CELL;
use crate::stages::carry_all;
use crate::start::place;

/// The regions that are computed anew.
pub const DERIVED: [&str; 5] = ["cells", "bounds", "sets", "body of", "settling of"];

/// The variable of an object whose tag's name for it changed, and the lambda that computes its value, if it has one.
struct Renamed<'a> {
    variable: u32,
    field: &'a Field,
    former: &'a Former,
}

impl Rules {
    /// What a world of other rules loses when it goes on with these, a line each, for people. `changed` are the tags whose versions differ.
    pub fn losses(&self, before: &Rules, block: &Block, content: &Library, changed: &[StringId]) -> Vec<String> {
        let mut counts: BTreeMap<StringId, (u32, u32)> = BTreeMap::new();
        for (_, object) in before.parts.objects.iterate(block) {
            counts.entry(object.tag.id()).or_insert((0, object.mind.program)).0 += 1;
        }
        let mut lines = Vec::new();
        for (tag, (count, program)) in counts {
            let Some(path) = before.prototypes.get(program).map(|prototype| prototype.path.as_str()) else { continue };
            let objects = if count == 1 { String::from("its object") } else { format!("its {count} objects") };
            let number = self.prototypes.number(tag);
            let programs =
                (before.prototypes.programs().get(program), number.and_then(|new| self.prototypes.programs().get(new)));
            let (Some(old), Some(new)) = programs else {
                lines.push(format!(
                    "{path}: there is no such tag now; {objects} stay in place and do nothing until it is back"
                ));
                continue;
            };
            if !changed.contains(&tag) {
                continue;
            }
            let renamed = renamed(content, tag, old, new);
            let is_carried = |name: &&String| {
                new.variable(name).is_some() || renamed.iter().any(|found| found.former.name == ***name)
            };
            let is_own = |name: &&String| !name.starts_with('~') && *name != "this";
            let lost: Vec<String> = old
                .variables
                .iter()
                .filter(|name| is_own(name) && !is_carried(name))
                .map(|name| format!("`{name}`"))
                .collect();
            let verb = if count == 1 { "loses" } else { "lose" };
            if !lost.is_empty() {
                lines.push(format!("{path}: {objects} {verb} {}: there is no such variable now", lost.join(", ")));
            }
            let functions = matching(old, new);
            for ((function, waiting), dropped) in dropped_of(before, block, tag, (old, new, &functions)) {
                let (name, lambda) = (waiting.name(), lambda_in_words(old, function));
                let what = if dropped == 1 { format!("1 {name}") } else { format!("{dropped} {name}s") };
                let is_gone = functions.get(function as usize).copied().flatten().is_none();
                let why = if is_gone { "there is no such lambda now" } else { "the tag has no effects now" };
                lines.push(format!("{path}: {objects} {verb} {what} of {lambda}: {why}"));
            }
        }
        let flags = &before.level.settings.flags;
        let lost = flags.iter().filter(|flag| !self.level.settings.flags.contains(flag));
        let lost: Vec<String> = lost.map(|flag| before.text(*flag)).collect();
        if !lost.is_empty() {
            lines.push(format!(
                "globals.globals: objects lose the flags {}: they are not in `flags` now",
                lost.join(", ")
            ));
        }
        lines
    }

    /// Fills a new, empty world with a world of other rules. If it has no room for all of it, the world stays empty.
    pub fn convert(
        &self,
        before: &Rules,
        block: &Block,
        (content, changed): (&Library, &[StringId]),
        world: &mut World,
    ) -> Result<(), Vec<Misfit>> {
        let bytes = state::conversion::convert(block, world, &DERIVED)?;
        world.adopt(&bytes).map_err(|error| {
            // Cannot happen: what was valid before is valid with other capacities.
            alloc::vec![Misfit { region: error.to_string(), needed: 0, capacity: 0 }]
        })?;
        let mut conversions = Vec::new();
        let mut carries = Vec::new();
        for tag in changed {
            if let (Some(old), Some(new)) = (before.prototypes.number(*tag), self.prototypes.number(*tag))
                && let (Some(former), Some(today)) =
                    (before.prototypes.programs().get(old), self.prototypes.programs().get(new))
            {
                let renamed = renamed(content, *tag, former, today);
                let mapped = (!renamed.is_empty()).then(|| {
                    let mut program = today.clone();
                    for found in &renamed {
                        program.variables[found.variable as usize] = found.former.name.clone();
                    }
                    Arc::new(program)
                });
                conversions.extend(
                    renamed.into_iter().filter(|found| found.former.convert.is_some()).map(|found| (*tag, found)),
                );
                carries.push((*tag, PrototypeMapping { old, new, functions: matching(former, today), mapped }));
            }
        }
        let carrier = self.carrying(content, Arc::clone(&self.prototypes), Renewal::new(&before.prototypes, carries));
        let changes = Changed { tags: changed.to_vec(), classes: Vec::new() };
        let cycle = Cycle { rules: &carrier, prototypes: &before.prototypes, content, changed: &changes };
        world.set_up(|world| {
            self.begin_derived(before, block, world);
            carry_all(&cycle, world);
            self.apply_conversions(before, block, &conversions, world);
            self.enter_all(before, world);
            self.place_new_players(content, world);
        });
        Ok(())
    }

    /// Empties what is derived, and copies what lies by slot.
    fn begin_derived(&self, before: &Rules, block: &Block, world: &mut World) {
        let parts = &self.parts;
        *parts.lengths.get_mut(world) = self.level.settings.lengths;
        self.sets.begin(world, SETS);
        self.space.begin(world);
        let bodies = before.parts.bodies.get(block);
        parts.bodies.rewrite(world, &Alone, self.level.objects_max, |slot| {
            bodies.get(slot as usize).copied().unwrap_or(Handle::NONE)
        });
        let settling = before.parts.settling.get(block);
        parts.settling.rewrite(world, &Alone, self.level.room_for_bodies.bodies, |slot| {
            settling.get(slot as usize).copied().unwrap_or(SettlingState::default())
        });
    }

    /// Enters all objects into the cells and the bit sets.
    fn enter_all(&self, before: &Rules, world: &mut World) {
        let objects = self.parts.objects;
        let flags = |bits: u32| {
            let known = before.level.settings.flags.iter().enumerate().filter(|(bit, _)| bits >> bit & 1 == 1);
            let now = known.filter_map(|(_, name)| self.level.settings.flags.iter().position(|flag| flag == name));
            now.fold(0, |bits, flag| bits | 1_u32 << flag)
        };
        let handles: Vec<Handle<Object>> = objects.iterate(world).map(|(handle, _)| handle).collect();
        for handle in &handles {
            let mut object = objects.get_mut(world, *handle);
            object.flags = flags(object.flags);
            (object.next_in_cell, object.previous_in_cell) = (Handle::NONE, Handle::NONE);
            object.cell = NO_CELL;
        }
        for handle in handles.into_iter().filter(|handle| *handle != LEVEL) {
            let Object { team, class, flags, .. } = *objects.get(world, handle);
            self.sets.put(world, Set::All, handle, true);
            self.sets.put(world, Set::Team(team), handle, true);
            if class != NO_CLASS {
                self.sets.put(world, Set::Class(class), handle, true);
            }
            for flag in (0..32).filter(|flag| flags >> flag & 1 == 1) {
                self.sets.put(world, Set::Flag(flag), handle, true);
            }
            self.space.settle(world, handle);
        }
    }

    /// The objects of players that the level did not have before.
    fn place_new_players(&self, content: &Library, world: &mut World) {
        let changed = Changed::default();
        let cycle = &self.cycle(content, &changed);
        let known = self.parts.players.count(world) as usize;
        for placed in self.level.players.iter().skip(known) {
            let object = place(cycle, world, placed).unwrap_or(Handle::NONE);
            self.parts.players.push(world, object);
        }
    }

    /// Computes the values of variables whose class says how, from the former ones. A value that cannot be computed stays as it was.
    fn apply_conversions(
        &self,
        before: &Rules,
        block: &Block,
        conversions: &[(StringId, Renamed<'_>)],
        world: &mut World,
    ) {
        let mut converter = Converter::new();
        let objects: Vec<(Handle<Object>, StringId)> =
            before.parts.objects.iterate(block).map(|(handle, object)| (handle, object.tag.id())).collect();
        for (handle, tag) in objects {
            for (_, found) in conversions.iter().filter(|(of, _)| *of == tag) {
                let written = before.variables(block, handle.raw());
                let record: Vec<(&str, &str)> =
                    written.iter().map(|text| (text.name.as_str(), text.value.as_str())).collect();
                let Some((_, old)) = record.iter().find(|(name, _)| *name == found.former.name) else { continue };
                let Some(convert) = &found.former.convert else { continue };
                let Ok(text) = converter.convert(convert, old, &record, &found.field.kind) else { continue };
                let values = self.parts.objects.values(world, handle);
                let kind = values.get(found.variable as usize).map_or(Kind::Nothing, |value| value.kind());
                if let Some(value) = value_of_text(kind, &text) {
                    self.parts.objects.edit_both(world, handle, |_, values| {
                        values[found.variable as usize] = value.canonical();
                    });
                }
            }
        }
    }

    /// Puts the players' objects of a level that restarted where they were, with their variables. Lists, records, lambdas and handles
    /// belong to the world before, and begin anew.
    pub fn carry_players(&self, before: &Rules, block: &Block, world: &mut World) {
        let (parts, objects) = (&self.parts, self.parts.objects);
        let pairs: Vec<(Handle<Object>, Handle<Object>)> =
            before.parts.players.get(block).iter().copied().zip(parts.players.get(world).iter().copied()).collect();
        for (from, to) in pairs {
            let Some((_, old, row)) = before.parts.objects.find_values(block, from.raw()) else { continue };
            let Some(new) = objects.find(world, to).copied().filter(|new| new.tag.id() == old.tag.id()) else {
                continue;
            };
            let programs =
                (before.prototypes.programs().get(old.mind.program), self.prototypes.programs().get(new.mind.program));
            let (Some(former), Some(today)) = programs else { continue };
            let body =
                before.parts.body_of(block, from).map(|body| *before.parts.physics.parts.bodies.get(block, body));
            objects.edit_both(world, to, |object, values| {
                let mut row_now = RowEdit { head: &mut object.mind, values };
                for (number, name) in (0_u32..).zip(&today.variables) {
                    let value = former.variable(name).and_then(|number| row.get(number as usize)).copied();
                    if let Some(value) = value.filter(|value| is_atom(value.kind())) {
                        row_now.set(number, value);
                    }
                }
                (object.position, object.velocity, object.facing) = (old.position, old.velocity, old.facing);
                (object.orientation, object.agreed) = (old.orientation, 0);
            });
            self.space.settle(world, to);
            if let (Some(place), Some(body)) = (parts.body_of(world, to), body) {
                let mut now = parts.physics.parts.bodies.get_mut(world, place);
                (now.position, now.last_position) = (body.position, body.position);
                (now.rotation, now.last_rotation) = (body.rotation, body.rotation);
                (now.velocity, now.angular_velocity) = (body.velocity, body.angular_velocity);
            }
        }
    }

    fn text(&self, id: StringId) -> String {
        self.prototypes.text(id).map_or_else(|| id.to_string(), |text| format!("`{text}`"))
    }
}

/// The timers, handlers and callbacks that the objects of a tag lose with a new program, by lambda, with their number.
fn dropped_of(
    before: &Rules,
    block: &Block,
    tag: StringId,
    (old, new, functions): (&Program, &Program, &[Option<u32>]),
) -> BTreeMap<(u32, Waiting), u32> {
    let mut lost = BTreeMap::new();
    for (handle, object) in before.parts.objects.iterate(block).filter(|(_, object)| object.tag.id() == tag) {
        let Some((_, _, values)) = before.parts.objects.find_values(block, handle.raw()) else { continue };
        let row = RowView { head: &object.mind, values };
        for entry in dropped(row, (old, new), functions) {
            *lost.entry(entry).or_insert(0) += 1;
        }
    }
    lost
}

/// The remedy for a region that is too small: the field of the level, and the value it needs.
pub fn remedy(misfit: &Misfit) -> String {
    let field = match misfit.region.as_str() {
        "objects" | "objects values" => "objects_max",
        "objects values bytes" => "values_max",
        "bodies" | "contact events" => "bodies_max",
        "contacts" => "contacts_max",
        "joints" | "ends" => "joints_max",
        "spawn" | "message" | "damage" | "callback" | "physics" | "push" => "messages_max",
        _ => return misfit.to_string(),
    };
    format!("{misfit}; raise `{field}` of the level")
}

/// The state fields of a tag's class that have another name now.
fn renamed<'a>(content: &'a Library, tag: StringId, old: &Program, new: &Program) -> Vec<Renamed<'a>> {
    let Some(class) = content.class_of(tag) else { return Vec::new() };
    let fields = class.root().fields.iter().filter(|field| field.is_state);
    let found = fields.filter_map(|field| {
        let variable = new.variable(&field.name).filter(|number| *number as usize >= VARIABLES.len())?;
        let former = field.former.iter().find(|former| {
            let has_meaning = former.name == field.name && former.convert.is_some();
            old.variable(&former.name).is_some() && (has_meaning || new.variable(&former.name).is_none())
        })?;
        // A field that the old class had under today's name keeps its value.
        let is_there = old.variable(&field.name).is_some() && former.name != field.name;
        (!is_there).then_some(Renamed { variable, field, former })
    });
    found.collect()
}

fn is_atom(kind: Kind) -> bool {
    matches!(kind, Kind::Number | Kind::Identifier | Kind::Truth | Kind::String | Kind::Vector)
}

fn value_of_text(kind: Kind, text: &str) -> Option<Value> {
    match kind {
        Kind::Number => text.parse::<f64>().ok().filter(|number| number.is_finite()).map(Value::number),
        Kind::Truth => text.parse().ok().map(Value::truth),
        Kind::Identifier => text.trim_start_matches('#').parse().ok().map(Value::identifier),
        Kind::String => Some(Value::string(StringId::from(text.trim_matches('"')))),
        Kind::Vector => read_vector(text).filter(|vector: &Vec3| vector.is_finite()).map(Value::vector),
        _ => None,
    }
}
