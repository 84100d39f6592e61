//! A level, as its scenario describes it: how much room there is, who is there at the start, which zones there are.

use alloc::vec::Vec;

use base::{StringId, Vec3};
use physics::{Capacities, Pull, Settings};
use relay::table::{EventField, EventKind, EventTable, FieldKind};
use script::message::Message;
use script::value::Value;
use tags::{Library, TagId};

use crate::classes::{EventKindName, Events, GLOBALS, Scenario};
use crate::field::field_of;
use crate::limits::{CYCLE_SECONDS, FLAGS_MAX};

/// A level. Nothing of it changes while it is played.
#[derive(Clone, Debug)]
pub struct Level {
    /// The path id of its scenario.
    pub scenario: StringId,
    /// Room for objects.
    pub objects_max: u32,
    /// Room for all their variables.
    pub values_max: u32,
    /// How many messages may wait.
    pub messages_max: u32,
    /// The side of a cell.
    pub cell: f32,
    /// Who is there at the start.
    pub placements: Vec<Placed>,
    /// Parts of space.
    pub zones: Vec<Zone>,
    /// Whom the players' inputs reach.
    pub players: Vec<Placed>,
    /// What players can do.
    pub events: EventTable,
    /// How likely a robot sends which event, in the order of the table.
    pub robots: Vec<f32>,
    /// The functions of triggers, in order: when, then, and whether it can happen again.
    pub triggers: Vec<Trigger>,
    /// Room for bodies.
    pub room_for_bodies: Capacities,
    /// How they move.
    pub physics: Settings,
    /// What pulls at them besides gravity.
    pub fields: Vec<Pull>,
    /// What holds in all levels.
    pub manner: Manner,
}

/// What holds in all levels of a game.
#[derive(Clone, Debug)]
pub struct Manner {
    /// Rounds of messages in a cycle.
    pub rounds: u32,
    /// What an evaluation may use.
    pub limits: script::machine::Limits,
    /// How many objects the queries of a cycle may look at.
    pub query_budget: u64,
    /// The names of flags.
    pub flags: Vec<StringId>,
}

/// An object that is there at the start.
#[derive(Clone, Copy, Debug)]
pub struct Placed {
    /// The id of its tag's path.
    pub tag: StringId,
    /// Where.
    pub position: Vec3,
    /// Which way it looks.
    pub facing: Vec3,
    /// How it moves.
    pub velocity: Vec3,
    /// Whose side it is on.
    pub team: u32,
    /// How many.
    pub count: u32,
    /// How far around they are scattered.
    pub spread: Vec3,
}

/// A part of space.
#[derive(Clone, Copy, Debug)]
pub struct Zone {
    /// Its name.
    pub name: StringId,
    /// Its centre.
    pub centre: Vec3,
    /// How far it goes along each axis.
    pub half: Vec3,
    /// How far it goes in all directions; 0 if it is a box.
    pub radius: f32,
    /// Whether nobody can be moved into it.
    pub is_closed: bool,
}

/// Something that happens when something is so.
#[derive(Clone, Copy, Debug)]
pub struct Trigger {
    /// The function that says whether it is so.
    pub when: Option<u32>,
    /// The function of what happens then.
    pub then: Option<u32>,
    /// Whether it can happen again.
    pub repeats: bool,
}

impl Placed {
    /// One object at the origin.
    pub fn level(tag: StringId) -> Placed {
        let (position, velocity, spread) = (Vec3::ZERO, Vec3::ZERO, Vec3::ZERO);
        Placed { tag, position, facing: Vec3::X, velocity, team: 0, count: 1, spread }
    }
}

/// The message that tells the level that somebody has entered a zone.
pub const ENTER: StringId = StringId::new("Enter");
/// The message that tells the level that somebody has left a zone.
pub const LEAVE: StringId = StringId::new("Leave");

impl Zone {
    /// What the level is told of somebody who was in it or not, and now is or is not; nothing if that is the same.
    pub fn crossing(&self, who: Value, (was_in, is_in): (bool, bool)) -> Option<Message> {
        let name = if is_in { ENTER } else { LEAVE };
        let message = Message::new(name, who).with_atoms(&[who, Value::string(self.name)]);
        message.ok().filter(|_| was_in != is_in)
    }

    /// Whether a place lies in it.
    pub fn holds(&self, place: Vec3) -> bool {
        let away = place - self.centre;
        if self.radius > 0.0 {
            return away.length_squared() <= self.radius * self.radius;
        }
        away.x.abs() <= self.half.x && away.y.abs() <= self.half.y && away.z.abs() <= self.half.z
    }
}

impl Level {
    /// The level of a scenario. One that is not there is as an empty one would be.
    pub fn of(content: &Library, scenario: StringId) -> Level {
        let manner = Manner::of(content);
        let mut level = Level {
            scenario,
            objects_max: 4096,
            values_max: 0,
            messages_max: 4096,
            cell: 16.0,
            placements: Vec::new(),
            zones: Vec::new(),
            players: Vec::new(),
            events: EventTable::default(),
            robots: Vec::new(),
            triggers: Vec::new(),
            room_for_bodies: Capacities::for_bodies(1024),
            physics: Settings { seconds: CYCLE_SECONDS, ..Settings::default() },
            fields: Vec::new(),
            manner,
        };
        if let Some(found) = content.get_as::<Scenario>(scenario) {
            (level.objects_max, level.values_max) = (found.objects_max.max(16), found.values_max);
            (level.messages_max, level.cell) = (found.messages_max.max(16), found.cell);
            level.room_for_bodies = Capacities::for_bodies(found.bodies_max.max(1));
            if found.contacts_max > 0 {
                level.room_for_bodies.contacts = found.contacts_max;
            }
            if found.joints_max > 0 {
                level.room_for_bodies.joints = found.joints_max;
            }
            let physics = &found.physics;
            level.physics = Settings {
                gravity: physics.gravity,
                substeps: physics.substeps,
                sleep_seconds: physics.sleep_after,
                sleep_speed: physics.sleep_speed,
                bounce_speed_least: physics.bounce_speed,
                ..level.physics
            }
            .sound();
            level.fields.extend(found.each(&physics.fields).iter().filter_map(field_of));
            level.placements.extend(found.each(&found.placements).iter().map(|row| Placed {
                tag: row.object.id(),
                position: row.position,
                facing: row.facing,
                velocity: row.velocity,
                team: row.team,
                count: row.count,
                spread: row.spread,
            }));
            level.zones.extend(found.each(&found.zones).iter().map(|row| Zone {
                name: row.name,
                centre: row.centre,
                half: row.half,
                radius: row.radius,
                is_closed: row.closed.is_true(),
            }));
            level.players.extend(found.each(&found.players).iter().map(|row| Placed {
                tag: row.object.id(),
                position: row.position,
                facing: Vec3::X,
                velocity: Vec3::ZERO,
                team: row.team,
                count: 1,
                spread: Vec3::ZERO,
            }));
            level.triggers.extend(found.each(&found.triggers).iter().take(crate::limits::TRIGGERS_MAX).map(|row| {
                Trigger { when: row.when.function(), then: row.action.function(), repeats: row.repeats.is_true() }
            }));
            level.read_events(content, TagId::of(found.events.id()));
        }
        if level.values_max == 0 {
            level.values_max = level.objects_max * 32;
        }
        level
    }

    /// How many lists of cells there are: more than objects, so that they are short.
    pub fn cells(&self) -> u32 {
        (self.objects_max * 2).next_power_of_two()
    }

    fn read_events(&mut self, content: &Library, events: TagId<Events>) {
        let Some(found) = content.get(events) else { return };
        let kind = |kind: EventKindName| match kind {
            EventKindName::Number => FieldKind::Number,
            EventKindName::Identifier => FieldKind::Identifier,
            EventKindName::Truth => FieldKind::Truth,
            EventKindName::String => FieldKind::String,
            EventKindName::Vector => FieldKind::Vector,
            EventKindName::Object => FieldKind::Object,
        };
        let mut kinds = Vec::new();
        for row in found.each(&found.kinds) {
            let fields = found.each(&row.fields).iter().map(|field| EventField {
                name: field.name,
                kind: kind(field.kind.get()),
                range: Some((field.least, field.most)),
            });
            kinds.push(EventKind { name: row.name, fields: fields.collect(), per_batch_max: row.limit as u16 });
            self.robots.push(row.robots);
        }
        match EventTable::new(kinds) {
            Ok(table) => self.events = table,
            // A table with a mistake takes no events; the check of the tag names the mistake.
            Err(_) => self.robots.clear(),
        }
    }
}

impl Manner {
    fn of(content: &Library) -> Manner {
        let standard = script::machine::Limits { fuel: 20_000, depth: 64, values: 4096, effects: 64 };
        content.get(GLOBALS).map_or(
            Manner { rounds: 4, limits: standard, query_budget: 2_000_000, flags: Vec::new() },
            |globals| Manner {
                rounds: globals.message_rounds.max(1),
                limits: script::machine::Limits {
                    fuel: u64::from(globals.fuel),
                    depth: globals.depth,
                    values: globals.values,
                    effects: globals.effects,
                },
                query_budget: u64::from(globals.query_budget),
                flags: globals.each(&globals.flags).iter().copied().take(FLAGS_MAX).collect(),
            },
        )
    }
}
