//! What the effects of scripts are in a world: each is queued at its brush.
//!
//! | effect | brush |
//! |---|---|
//! | `!Send` | message; a message called "Damage" is a hit, and goes to damage |
//! | `!Spawn` | spawn |
//! | `!Destroy` | destroy |
//! | `!Damage` | damage |
//! | `!Attach`, `!Detach`, `!Give`, `!Join`, `!Flag`, `!Move` | physics |
//! | `!Force`, `!Impulse`, `!Torque`, `!Body` | push |
//! | `!Connect`, `!Disconnect`, `!Drive`, `!Steer` | joint |
//! | `!EndLevel` | end |
//! | `!Play`, `!GUIFire` | show |
//! | `!Log` | tell |
//! | any other | the game's own, else it is told |

use base::{Handle, StringId, Vec3};
use script::message::{MESSAGE_VALUES, Message};
use script::stage::{Act, Stage, TOO_MUCH};
use script::value::Value;
use state::{Address, Item};

use crate::condition::{Condition, Told};
use crate::joining::is_kind;
use crate::object::{Object, handle_of, may_be, team_of, value_of};
use crate::parts::{Deed, Ending, Hit, Joining, JoiningKind, Placing, Push, PushKind, Shown};
use crate::rules::Cycle;

/// The message that hits.
pub const DAMAGE: StringId = StringId::new("Damage");
const END_LEVEL: StringId = StringId::new("EndLevel");
const SPAWN: StringId = StringId::new("Spawn");
const DESTROY: StringId = StringId::new("Destroy");
const ATTACH: StringId = StringId::new("Attach");
const DETACH: StringId = StringId::new("Detach");
const GIVE: StringId = StringId::new("Give");
const JOIN: StringId = StringId::new("Join");
const FLAG: StringId = StringId::new("Flag");
const MOVE: StringId = StringId::new("Move");
const PLAY: StringId = StringId::new("Play");
const GUI_FIRE: StringId = StringId::new("GUIFire");
const LOG: StringId = StringId::new("Log");
const FORCE: StringId = StringId::new("Force");
const IMPULSE: StringId = StringId::new("Impulse");
const TORQUE: StringId = StringId::new("Torque");
const BODY: StringId = StringId::new("Body");
const CONNECT: StringId = StringId::new("Connect");
const DISCONNECT: StringId = StringId::new("Disconnect");
const DRIVE: StringId = StringId::new("Drive");
const STEER: StringId = StringId::new("Steer");

// The condition says so to people.
const _: () = assert!(MESSAGE_VALUES == 12);

/// An object whose effects take place.
pub struct Doing<'a, 'i> {
    /// The cycle that is being worked out.
    pub cycle: &'a Cycle<'a>,
    /// The object.
    pub item: &'a mut Item<'i, Object>,
}

impl Stage for Doing<'_, '_> {
    fn send(&mut self, to: Value, message: &Message) {
        let Some(target) = self.target(to, message.name) else { return };
        if message.name == DAMAGE {
            let arguments = message.arguments();
            self.hit(target, arguments.first().copied(), arguments.get(1).copied());
            return;
        }
        self.item.queue(self.cycle.rules.parts.messages, target, message);
    }

    fn act(&mut self, act: Act<'_>) {
        let rules = self.cycle.rules;
        let parts = &rules.parts;
        match (act.name, act.arguments) {
            (SPAWN, [path, ..]) if path.as_string().is_some() => {
                let name = path.as_string().unwrap_or_default();
                match act.message(name, value_of(self.item.handle), 1) {
                    Some(message) => {
                        self.item.queue(parts.spawns, Address::WORLD, &message);
                    }
                    None => self.tell(Condition::TooMuch, name),
                }
            }
            (DESTROY, [object]) => {
                if let Some(target) = self.target(*object, DESTROY) {
                    self.item.queue(parts.destroys, target, &0);
                }
            }
            (DAMAGE, [object, rest @ ..]) => {
                if let Some(target) = self.target(*object, DAMAGE) {
                    self.hit(target, rest.first().copied(), rest.get(1).copied());
                }
            }
            (ATTACH, [child, parent, rest @ ..]) => {
                let marker = rest.first().and_then(|marker| marker.as_string()).unwrap_or_default();
                self.place(*child, Deed::Attach, handle_of(*parent), marker, 0);
            }
            (DETACH, [child]) => self.place(*child, Deed::Detach, Handle::NONE, StringId::default(), 0),
            (GIVE, [object, rest @ ..]) => {
                let to = rest.first().map_or(Handle::NONE, |to| handle_of(*to));
                self.place(*object, Deed::Give, to, StringId::default(), 0);
            }
            (JOIN, [object, team]) => match team_of(*team) {
                Some(team) => self.place(*object, Deed::Join, Handle::NONE, StringId::default(), team),
                None => self.tell(Condition::NoSuchTeam, JOIN),
            },
            (FLAG, [name, truth]) if name.as_string().is_some() => {
                let (this, name) = (value_of(self.item.handle), name.as_string().unwrap_or_default());
                self.place(this, Deed::Flag, Handle::NONE, name, u32::from(*truth == Value::TRUE));
            }
            (MOVE, [to]) if to.as_vector().is_some() => {
                let placing = Placing {
                    name: StringId::default(),
                    position: to.as_vector().unwrap_or_default(),
                    other: Handle::NONE,
                    deed: Deed::Move as u32,
                    number: 0,
                };
                let target = self.item.address();
                self.item.queue(parts.placings, target, &placing);
            }
            (END_LEVEL, [result, rest @ ..]) => {
                let next = rest.first().and_then(|next| next.as_string()).unwrap_or_default();
                let ending = Ending { result: result.as_string().unwrap_or_default(), next };
                self.item.queue(parts.endings, Address::WORLD, &ending);
            }
            (PLAY | GUI_FIRE, [name, ..]) if name.as_string().is_some() => {
                let (what, name) = (act.name, name.as_string().unwrap_or_default());
                let shown = Shown { what, name, position: self.item.next.position, object: self.item.handle };
                self.item.queue(parts.shows, Address::WORLD, &shown);
            }
            (LOG, arguments) => rules.log.note(self.item, arguments),
            (FORCE, [object, force, rest @ ..]) => self.push(PushKind::Force, *object, *force, rest.first()),
            (IMPULSE, [object, blow, rest @ ..]) => self.push(PushKind::Impulse, *object, *blow, rest.first()),
            (TORQUE, [object, torque]) => self.push(PushKind::Torque, *object, *torque, None),
            (BODY, [object, name, value]) if name.as_string().is_some() => {
                let number = value.as_number().unwrap_or(if *value == Value::TRUE { 1.0 } else { 0.0 });
                let vector = Value::vector(Vec3::splat(number as f32));
                let name = name.as_string().unwrap_or_default();
                self.push_named(PushKind::Property, (*object, name), vector, None);
            }
            (CONNECT, [one, other, kind, rest @ ..]) => {
                let kind = kind.as_string().unwrap_or_default();
                let said = rest.first().map_or(&[][..], |record| act.parts(*record));
                self.connect([*one, *other], kind, said);
            }
            (DISCONNECT, [one, other]) => {
                let joining = Joining::new(JoiningKind::Disconnect, DISCONNECT, [*one, *other].map(handle_of));
                self.join(joining, Ok(()));
            }
            (DRIVE, [one, other, speed, rest @ ..]) => {
                let mut joining = Joining::new(JoiningKind::Drive, DRIVE, [*one, *other].map(handle_of));
                let said = joining.drive(*speed, rest.first().copied().unwrap_or_default());
                self.join(joining, said);
            }
            (STEER, [one, other, goal]) => {
                let mut joining = Joining::new(JoiningKind::Drive, STEER, [*one, *other].map(handle_of));
                let said = joining.steer(*goal);
                self.join(joining, said);
            }
            (name, _) => {
                if !rules.own.as_ref().is_some_and(|own| own.act(rules, self.item, &act)) {
                    self.tell(Condition::NoSuchEffect, name);
                }
            }
        }
    }

    fn refuse(&mut self, name: StringId, why: &'static str) {
        let condition = if why == TOO_MUCH { Condition::TooMuch } else { Condition::NoSuchEffect };
        self.tell(condition, name);
    }
}

impl Doing<'_, '_> {
    /// Whom an effect is for. It may be gone by the time it is painted.
    fn target(&mut self, value: Value, about: StringId) -> Option<Address> {
        let handle = handle_of(value);
        if handle.is_none() || !may_be(handle, self.cycle.rules.parts.objects.capacity()) {
            self.tell(Condition::NoSuchObject, about);
            return None;
        }
        Some(self.cycle.rules.parts.objects.address(handle))
    }

    fn hit(&mut self, target: Address, amount: Option<Value>, kind: Option<Value>) {
        let amount = amount.and_then(Value::as_number).filter(|amount| amount.is_finite());
        let Some(amount) = amount else { return self.tell(Condition::NoSuchEffect, DAMAGE) };
        let kind = kind.and_then(Value::as_string).unwrap_or_default();
        let hit = Hit { amount, kind, from: self.item.handle, spare: 0 };
        self.item.queue(self.cycle.rules.parts.damages, target, &hit);
    }

    fn place(&mut self, object: Value, deed: Deed, other: Handle<Object>, name: StringId, number: u32) {
        let Some(target) = self.target(object, name) else { return };
        let placing = Placing { name, position: Vec3::ZERO, other, deed: deed as u32, number };
        self.item.queue(self.cycle.rules.parts.placings, target, &placing);
    }

    fn push(&mut self, kind: PushKind, object: Value, vector: Value, point: Option<&Value>) {
        let name = match kind {
            PushKind::Force => FORCE,
            PushKind::Impulse => IMPULSE,
            PushKind::Torque => TORQUE,
            PushKind::Property => BODY,
        };
        self.push_named(kind, (object, name), vector, point);
    }

    fn push_named(&mut self, kind: PushKind, (object, name): (Value, StringId), vector: Value, point: Option<&Value>) {
        let Some(target) = self.target(object, name) else { return };
        let finite = |value: Value| value.as_vector().filter(|vector| vector.is_finite());
        let Some(vector) = finite(vector) else { return self.tell(Condition::NotFinite, name) };
        let point = point.and_then(|point| finite(*point));
        let has_point = u32::from(point.is_some());
        let push = Push { name, vector, point: point.unwrap_or_default(), kind: kind as u32, has_point };
        self.item.queue(self.cycle.rules.parts.pushes, target, &push);
    }

    /// Joins two. What is said wrongly is told, and the rest counts.
    fn connect(&mut self, both: [Value; 2], kind: StringId, said: &[Value]) {
        if !is_kind(kind) {
            return self.tell(Condition::NoSuchEffect, if kind.is_none() { CONNECT } else { kind });
        }
        let mut joining = Joining::new(JoiningKind::Connect, kind, both.map(handle_of));
        let (fields, _) = said.as_chunks::<2>();
        for [name, value] in fields {
            let name = name.as_string().unwrap_or_default();
            if let Err(condition) = joining.say(name, *value) {
                self.tell(condition, name);
            }
        }
        self.join(joining, Ok(()));
    }

    fn join(&mut self, joining: Joining, said: Result<(), Condition>) {
        let Joining { name, one, other, .. } = joining;
        let capacity = self.cycle.rules.parts.objects.capacity();
        match said {
            Err(condition) => self.tell(condition, name),
            Ok(()) if !may_be(one, capacity) || !may_be(other, capacity) => self.tell(Condition::NoSuchObject, name),
            Ok(()) => {
                self.item.queue(self.cycle.rules.parts.joinings, Address::WORLD, &joining);
            }
        }
    }

    fn tell(&mut self, condition: Condition, about: StringId) {
        let (tellings, address) = (self.cycle.rules.parts.tellings, self.item.address());
        self.item.queue(tellings, address, &Told::new(condition, about));
    }
}
