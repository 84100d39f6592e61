//! A level, read from its scenario: capacities, objects at the start, trigger volumes, triggers and physics settings.

use alloc::vec::Vec;

use base::number::double;
use base::{StringId, Vec3};
use physics::{Capacities, ForceField, Settings};
use relay::table::{EventField, EventKind, EventTable, FieldKind};
use script::message::Message;
use script::value::Value;
use state::pacer::Lengths;
use tags::{Library, TagId};
use view::Colour;

use crate::classes::{BudgetName, BudgetRecord, EventKindName, Events, GLOBALS, Globals, Placement, Scenario};
use crate::force_field::force_field_of;
use crate::limits::{BUDGETS_MAX, FLAGS_MAX, TEAMS_MAX};
use crate::pose::StatedPose;
use crate::profiling::{Budget, Domain};
use crate::way_settings::WaySettings;

/// A level; immutable while it is played.
#[derive(Clone, Debug)]
pub struct Level {
    /// The id of its scenario's path.
    pub scenario: StringId,
    /// The capacity for objects.
    pub objects_max: u32,
    /// The capacity for variables.
    pub values_max: u32,
    /// The capacity for messages carried to the next cycle.
    pub messages_max: u32,
    /// The side of a cell.
    pub cell: f32,
    /// The objects at the start.
    pub placements: Vec<LevelPlacement>,
    /// The trigger volumes.
    pub trigger_volumes: Vec<TriggerVolume>,
    /// The objects that receive the players' inputs.
    pub players: Vec<LevelPlacement>,
    /// The events that players can send.
    pub events: EventTable,
    /// The probability that a robot sends each event, in the order of the table.
    pub robots: Vec<f32>,
    /// The triggers, in order.
    pub triggers: Vec<LevelTrigger>,
    /// The capacities of physics.
    pub room_for_bodies: Capacities,
    /// The settings of physics.
    pub physics: Settings,
    /// The settings of its map, if it has one.
    pub ways: Option<WaySettings>,
    /// The force fields of the level.
    pub fields: Vec<ForceField>,
    /// What surrounds it; none: the default sky.
    pub sky: StringId,
    /// Its mix; none: the usual buses.
    pub mix: StringId,
    /// Its music, or none.
    pub music: StringId,
    /// Other music with the functions of their conditions, in order.
    pub music_states: Vec<(StringId, u32)>,
    /// The settings of the game.
    pub settings: GameSettings,
}

/// The settings of all levels of a game, from its globals.
#[derive(Clone, Debug)]
pub struct GameSettings {
    /// How long its cycles are.
    pub lengths: Lengths,
    /// The most rounds of messages in a cycle.
    pub rounds: u32,
    /// The limits of an evaluation.
    pub limits: script::machine::Limits,
    /// The candidates that the queries of a cycle may visit.
    pub query_budget: u64,
    /// The names of flags.
    pub flags: Vec<StringId>,
    /// The colours of the teams.
    pub team_colours: Vec<Colour>,
    /// The times that parts of a step may take.
    pub budgets: Vec<Budget>,
}

/// Objects of one tag at the start of a level.
#[derive(Clone, Copy, Debug)]
pub struct LevelPlacement {
    /// The name by which scripts and tools find them, or none.
    pub name: StringId,
    /// The id of its tag's path.
    pub tag: StringId,
    /// Their position.
    pub position: Vec3,
    /// Their orientation and angular velocity, as far as they are stated.
    pub pose: StatedPose,
    /// Their velocity.
    pub velocity: Vec3,
    /// Their team.
    pub team: u32,
    /// Their number.
    pub count: u32,
    /// The half extents of the box in which they are scattered.
    pub spread: Vec3,
}

/// A trigger volume: a sphere or a box that reports objects entering and leaving it.
#[derive(Clone, Copy, Debug)]
pub struct TriggerVolume {
    /// Its name.
    pub name: StringId,
    /// Its centre.
    pub centre: Vec3,
    /// The half extents of a box.
    pub half: Vec3,
    /// The radius of a sphere; 0 if it is a box.
    pub radius: f32,
    /// Whether `!Move` into it is denied.
    pub is_closed: bool,
}

/// A trigger: a condition and the action it fires.
#[derive(Clone, Copy, Debug)]
pub struct LevelTrigger {
    /// The function of the condition.
    pub when: Option<u32>,
    /// The function of the action.
    pub then: Option<u32>,
    /// Whether it can fire again.
    pub repeats: bool,
}

impl LevelPlacement {
    /// One object at the origin.
    pub fn level(tag: StringId) -> LevelPlacement {
        let (position, velocity, spread) = (Vec3::ZERO, Vec3::ZERO, Vec3::ZERO);
        LevelPlacement {
            name: StringId::NONE,
            tag,
            position,
            pose: StatedPose::default(),
            velocity,
            team: 0,
            count: 1,
            spread,
        }
    }
}

/// The message to the level that an object has entered a trigger volume.
pub const ENTER: StringId = StringId::new("Enter");
/// The message to the level that an object has left a trigger volume.
pub const LEAVE: StringId = StringId::new("Leave");

impl TriggerVolume {
    /// The message about an object that entered or left; none if it did neither.
    pub fn crossing(&self, object: Value, (was_in, is_in): (bool, bool)) -> Option<Message> {
        let name = if is_in { ENTER } else { LEAVE };
        let message = Message::new(name, object).with_atoms(&[object, Value::string(self.name)]);
        message.ok().filter(|_| was_in != is_in)
    }

    /// Whether a point lies in it.
    pub fn holds(&self, place: Vec3) -> bool {
        let away = place - self.centre;
        if self.radius > 0.0 {
            return away.length_squared() <= self.radius * self.radius;
        }
        away.x.abs() <= self.half.x && away.y.abs() <= self.half.y && away.z.abs() <= self.half.z
    }
}

impl Level {
    /// The level of a scenario; an empty level if there is no such tag.
    pub fn of(content: &Library, scenario: StringId) -> Level {
        let settings = GameSettings::of(content);
        let seconds = settings.lengths.brush_seconds();
        let mut level = Level {
            scenario,
            objects_max: 4096,
            values_max: 0,
            messages_max: 4096,
            cell: 16.0,
            placements: Vec::new(),
            trigger_volumes: Vec::new(),
            players: Vec::new(),
            events: EventTable::default(),
            robots: Vec::new(),
            triggers: Vec::new(),
            room_for_bodies: Capacities::for_bodies(1024),
            physics: Settings { seconds, ..Settings::default() },
            ways: None,
            fields: Vec::new(),
            sky: StringId::NONE,
            mix: StringId::NONE,
            music: StringId::NONE,
            music_states: Vec::new(),
            settings,
        };
        if let Some(found) = content.get_as::<Scenario>(scenario) {
            (level.objects_max, level.values_max) = (found.objects_max.max(16), found.values_max);
            (level.messages_max, level.cell) = (found.messages_max.max(16), found.cell_size);
            (level.sky, level.mix, level.music) = (found.sky.id(), found.mix.id(), found.music.id());
            let states = found.each(&found.music_states).iter();
            level.music_states.extend(states.filter_map(|row| Some((row.sound.id(), row.when.function()?))));
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
                restitution_threshold: physics.bounce_speed,
                ..level.physics
            }
            .sanitized();
            // Checking the tag reports a map that cannot be made.
            level.ways = WaySettings::of(&found.navigation).ok().flatten();
            level.fields.extend(found.each(&physics.force_fields).iter().filter_map(force_field_of));
            level.placements.extend(found.each(&found.placements).iter().map(|row| LevelPlacement {
                name: row.name,
                tag: row.object.id(),
                position: row.position,
                pose: pose_of(row),
                velocity: row.velocity,
                team: row.team,
                count: row.count,
                spread: row.spread,
            }));
            level.trigger_volumes.extend(found.each(&found.trigger_volumes).iter().map(|row| TriggerVolume {
                name: row.name,
                centre: row.centre,
                half: row.half,
                radius: row.radius,
                is_closed: row.closed.is_true(),
            }));
            level.players.extend(found.each(&found.players).iter().map(|row| LevelPlacement {
                name: StringId::NONE,
                tag: row.object.id(),
                position: row.position,
                pose: StatedPose::default(),
                velocity: Vec3::ZERO,
                team: row.team,
                count: 1,
                spread: Vec3::ZERO,
            }));
            level.triggers.extend(found.each(&found.triggers).iter().take(crate::limits::TRIGGERS_MAX).map(|row| {
                LevelTrigger { when: row.when.function(), then: row.action.function(), repeats: row.repeats.is_true() }
            }));
            level.read_events(content, TagId::of(found.events.id()));
        }
        if level.values_max == 0 {
            level.values_max = level.objects_max * 32;
        }
        level
    }

    /// The number of cell lists: more than objects, so that the lists are short.
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
                range: Some((field.min, field.max)),
            });
            kinds.push(EventKind { name: row.name, fields: fields.collect(), per_batch_max: row.limit as u16 });
            self.robots.push(row.robots);
        }
        match EventTable::new(kinds) {
            Ok(table) => self.events = table,
            // A table with a mistake accepts no events; checking the tag reports the mistake.
            Err(_) => self.robots.clear(),
        }
    }
}

impl GameSettings {
    /// The length of a brush cycle, in milliseconds.
    #[inline]
    pub fn milliseconds(&self) -> f64 {
        self.lengths.brush_nanos as f64 / 1e6
    }

    fn of(content: &Library) -> GameSettings {
        let standard = script::machine::Limits { fuel: 20_000, depth: 64, values: 4096, effects: 64 };
        content.get(GLOBALS).map_or(
            GameSettings {
                lengths: Lengths::default(),
                rounds: 4,
                limits: standard,
                query_budget: 2_000_000,
                flags: Vec::new(),
                team_colours: team_colours(&[]),
                budgets: Vec::new(),
            },
            |globals| GameSettings {
                lengths: lengths(&globals),
                rounds: globals.message_rounds.max(1),
                limits: script::machine::Limits {
                    fuel: u64::from(globals.fuel),
                    depth: globals.depth,
                    values: globals.values,
                    effects: globals.effects,
                },
                query_budget: u64::from(globals.query_budget),
                flags: globals.each(&globals.flags).iter().copied().take(FLAGS_MAX).collect(),
                team_colours: team_colours(globals.each(&globals.team_colours)),
                budgets: globals.each(&globals.budgets).iter().take(BUDGETS_MAX).map(budget_of).collect(),
            },
        )
    }
}

/// The lengths of cycles that the globals state; the defaults if there are no globals.
pub fn lengths_of(content: &Library) -> Lengths {
    content.get(GLOBALS).map_or(Lengths::default(), |globals| lengths(&globals))
}

/// The lengths that the globals state. As many cycles can be due at once as by default fit into a tenth of a second.
pub fn lengths(globals: &Globals) -> Lengths {
    const NANOS: f64 = 1e6;
    let brush = double::clamp(f64::from(globals.brush_cycle), 1.0, 100.0);
    let safe = double::round(f64::from(globals.safe_cycle) / brush);
    let due = double::round(100.0 / brush);
    Lengths {
        brush_nanos: double::round(brush * NANOS) as u64,
        brushes_per_safe: double::clamp(safe, 1.0, 1000.0) as u32,
        due_max: double::clamp(due, 1.0, 100.0) as u32,
    }
}

/// The orientation that a placement states besides the defaults.
fn pose_of(row: &Placement) -> StatedPose {
    let mut pose = StatedPose::default();
    for (name, value, standard) in [
        ("facing", row.facing, Vec3::X),
        ("orientation", row.orientation, Vec3::ZERO),
        ("up", row.up, Vec3::Z),
        ("right", row.right, -Vec3::Y),
        ("spin", row.spin, Vec3::ZERO),
    ] {
        if value != standard {
            pose.say(StringId::new(name), Value::vector(value));
        }
    }
    pose
}

fn budget_of(record: &BudgetRecord) -> Budget {
    let domain = match record.domain.get() {
        BudgetName::Mechanics => Domain::Mechanics,
        BudgetName::Messages => Domain::Messages,
        BudgetName::Physics => Domain::Physics,
        BudgetName::Game => Domain::Game,
        BudgetName::Step => Domain::Step,
    };
    Budget { domain, nanos: (f64::from(record.milliseconds) * 1e6) as u64 }
}

/// The colours of teams for which the globals have none: told apart also with the usual kinds of colour blindness, by hue and by
/// brightness (after Okabe and Ito 2008). Beyond them they repeat.
const TEAM_COLOURS: [Colour; 8] = [
    Colour::of(0xf2a541),
    Colour::of(0x35c4e8),
    Colour::of(0x2fae6e),
    Colour::of(0xd568b5),
    Colour::of(0xf0e442),
    Colour::of(0x4f7df0),
    Colour::of(0xe05a2b),
    Colour::of(0xc9ccd1),
];

/// The colours of all teams.
fn team_colours(given: &[tags::Colour]) -> Vec<Colour> {
    let given = given.iter().map(|colour| Colour::from_linear([colour.red, colour.green, colour.blue]));
    let rest = TEAM_COLOURS.into_iter().cycle().skip(given.len());
    given.chain(rest).take(TEAMS_MAX as usize).collect()
}
