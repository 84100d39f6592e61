//! The effects that scripts can have in a world, one row each: signature, help, example, brush and painter.
//!
//! This table is the only list of them. The checker, the language server and the manual read [`SIGNATURES`]; a call is queued by
//! the row's `queue` function and applied by its painter. `!Send`, `!Log`, timers, handlers and random numbers are effects of
//! the script machine: see [`script::effect`].
//!
//! Laws
//! 1. An effect is queued at one brush, under the object that caused it, and never acts at once.
//! 2. The number of a row's painter is stored in the block while an entry waits: it is never given to another row.
//! 3. A call that no row and no game extension accepts is a warning, and nothing else happens.

use base::{Handle, StringId, Vec3};
use physics::Body;
use script::effect::{Effect, LOG};
use script::meaning::Meaning;
use script::message::{MESSAGE_VALUES, Message};
use script::source::Span;
use script::stage::{Act, SendRefusal, Stage};
use script::value::Value;
use state::{Address, Item, World};

use crate::condition::{Condition, Warning};
use crate::joint_request;
use crate::joints;
use crate::object::{Object, handle_of, may_be, value_of};
use crate::parts::{BodyRequest, Ending, Hit, JointRequest, PlacementRequest};
use crate::rules::Cycle;

mod body;
mod joint;
mod placement;
mod show;
mod ways;

/// One effect of a world.
pub struct WorldEffect {
    /// Its name, signature and help, as scripts see it.
    pub effect: Effect,
    /// The brush it is queued at.
    pub brush: &'static str,
    /// A call that works on two objects with bodies, `~this` and `other`; a test runs it.
    pub example: &'static str,
    /// Queues a call; false if the arguments do not fit.
    queue: fn(&mut EffectContext<'_, '_>, &Act<'_>) -> bool,
    painter: Painter,
}

/// How the entries of an effect are painted.
#[derive(Clone, Copy)]
enum Painter {
    /// By the stage of the brush, which treats all its entries alike.
    Stage,
    /// On an object, in the stage placement.
    Placement(u32, fn(&Cycle<'_>, &mut World, Handle<Object>, &PlacementRequest)),
    /// On a body, in the stage physics; false if the request names no property.
    Body(u32, fn(&mut Body, &BodyRequest) -> bool),
    /// Between two bodies, in the stage physics; failures are reported to the object that asked.
    Joint(u32, PaintJoint),
}

/// Paints a request between two bodies; failures are reported to the object that asked.
type PaintJoint = fn(&Cycle<'_>, &mut World, &JointRequest, [Handle<Body>; 2], Handle<Object>);

/// The message and the effect that hit an object.
pub const DAMAGE: StringId = StringId::new("Damage");

/// All effects of a world.
#[rustfmt::skip]
pub static EFFECTS: [WorldEffect; 25] = [
    row(Effect::new("Spawn", "Spawn(string, record?, lambda?)", "Creates an object from the tag at this path, with these variables set; the lambda is called with its handle.").with_meanings(&[(0, Meaning::Path("object")), (1, Meaning::State)]),
        "spawn", r#"!Spawn("box.object", { team 2 }, Lambda(made, !Log(made)))"#, spawn, Painter::Stage),
    row(Effect::new("Destroy", "Destroy(handle)", "Removes an object."),
        "destroy", "!Destroy(other)", destroy, Painter::Stage),
    row(Effect::new("Damage", "Damage(handle, number, string?)", "Hits an object: how hard, and with what kind of damage."),
        "damage", r#"!Damage(other, 3, "laser")"#, damage, Painter::Stage),
    row(Effect::new("Force", "Force(handle, vector, vector?)", "Applies a force to a body for one cycle, at its center of mass or at a point."),
        "push", "!Force(other, vec(1, 0, 0))", body::queue_force, Painter::Body(body::FORCE, body::force)),
    row(Effect::new("Impulse", "Impulse(handle, vector, vector?)", "Applies an impulse to a body, at its center of mass or at a point."),
        "push", "!Impulse(other, vec(1, 0, 0), other.position)", body::queue_impulse, Painter::Body(body::IMPULSE, body::impulse)),
    row(Effect::new("Torque", "Torque(handle, vector)", "Applies a torque to a body for one cycle."),
        "push", "!Torque(other, vec(0, 0, 1))", body::queue_torque, Painter::Body(body::TORQUE, body::torque)),
    row(Effect::new("LocalForce", "LocalForce(handle, vector, vector?)", "Applies a force in the body's own axes for one cycle, at its center of mass or at a point of the body, as an engine does."),
        "push", "!LocalForce(other, vec(1, 0, 0), vec(-1, 0, 0))", body::queue_local_force, Painter::Body(body::LOCAL_FORCE, body::local_force)),
    row(Effect::new("LocalImpulse", "LocalImpulse(handle, vector, vector?)", "Applies an impulse in the body's own axes, at its center of mass or at a point of the body."),
        "push", "!LocalImpulse(other, vec(1, 0, 0))", body::queue_local_impulse, Painter::Body(body::LOCAL_IMPULSE, body::local_impulse)),
    row(Effect::new("LocalTorque", "LocalTorque(handle, vector)", "Applies a torque in the body's own axes for one cycle."),
        "push", "!LocalTorque(other, vec(0, 0, 1))", body::queue_local_torque, Painter::Body(body::LOCAL_TORQUE, body::local_torque)),
    row(Effect::new("Body", "Body(handle, string, any)", "Changes a property of an object's body: friction, restitution, rolling, damping, angular_damping, gravity, fixed, trigger, upright.").with_meanings(&[(1, Meaning::Choice("a property of a body", &body::NAMES))]),
        "push", r#"!Body(other, "angular_damping", 0.5)"#, body::queue_property, Painter::Body(body::PROPERTY, body::property)),
    row(Effect::new("Connect", "Connect(handle, handle, string, record?)", "Joins the bodies of two objects: fixed, hinge, slider, ball, cone, distance, rope, spring or wheel. The record holds its anchors, axis, limits, motor and spring.").with_meanings(&[(2, Meaning::Choice("a kind of joint", &joint_request::KIND_NAMES)), (3, Meaning::Record("a joint", &joint_request::FIELD_NAMES, &[]))]),
        "joint", r#"!Connect(~this, other, "hinge", { axis vec(0, 0, 1) })"#, joint::queue_connect, Painter::Joint(joint::CONNECT, joints::connect)),
    row(Effect::new("Disconnect", "Disconnect(handle, handle)", "Removes all joints between two objects."),
        "joint", r#"[ !Connect(~this, other, "ball"), !Disconnect(~this, other) ]()"#, joint::queue_disconnect, Painter::Joint(joint::DISCONNECT, joints::disconnect)),
    row(Effect::new("Drive", "Drive(handle, handle, number, number?)", "Sets the motor speed of the joints between two objects, and the motor's force if one is given."),
        "joint", r#"[ !Connect(~this, other, "hinge"), !Drive(~this, other, 1, 10) ]()"#, joint::queue_drive, Painter::Joint(joint::DRIVE, joints::drive)),
    row(Effect::new("Steer", "Steer(handle, handle, number)", "Steers a wheel by this angle; drives the motor of another joint to this angle or position and holds it there."),
        "joint", r#"[ !Connect(~this, other, "hinge", { force 10 }), !Steer(~this, other, 0.5) ]()"#, joint::queue_steer, Painter::Joint(joint::DRIVE, joints::drive)),
    row(Effect::new("Move", "Move(vector, truth?)", "Moves the object itself to a position. It stays where it was, and `OnMoveDenied` is called, if that is in a closed trigger volume or its body would be inside a fixed one; with true, only the volume counts."),
        "physics", "!Move(vec(1, 2, 3))", placement::queue_move, Painter::Placement(placement::MOVE, placement::move_to)),
    row(Effect::new("Attach", "Attach(handle, handle, string?)", "Attaches the first object to the second, at its origin or at a marker; from then on it moves with it.").with_meanings(&[(2, Meaning::Marker)]),
        "physics", "!Attach(other, ~this)", placement::queue_attach, Painter::Placement(placement::ATTACH, placement::attach)),
    row(Effect::new("Detach", "Detach(handle)", "Detaches an object from its parent."),
        "physics", "!Detach(other)", placement::queue_detach, Painter::Placement(placement::DETACH, placement::detach)),
    row(Effect::new("Give", "Give(handle, handle?)", "Gives an object a new owner; without one it has none."),
        "physics", "!Give(other, ~this)", placement::queue_give, Painter::Placement(placement::GIVE, placement::give)),
    row(Effect::new("Join", "Join(handle, number)", "Puts an object on this team."),
        "physics", "!Join(other, 3)", placement::queue_join, Painter::Placement(placement::JOIN, placement::join)),
    row(Effect::new("Flag", "Flag(string, truth)", "Sets or clears a flag of the object itself; queries filter by flags.").with_meanings(&[(0, Meaning::Flag)]),
        "physics", r#"!Flag("armed", true)"#, placement::queue_flag, Painter::Placement(placement::FLAG, placement::flag)),
    row(Effect::new("Seek", "Seek(vector, number?)", "Keeps a field of the level's map to a goal, for agents of this radius, as long as it is repeated: `way_next` to that goal then costs little, for any number of agents."),
        "physics", "!Seek(vec(1, 2, 3), 0.5)", ways::queue_seek, Painter::Placement(ways::SEEK, ways::seek)),
    row(Effect::new("Play", "Play(string, any…)", "Plays the sound or the visual effect at this path, at the object itself. A record can give a marker, a target (a point or an object), a scale, a volume, a pitch, and another object to play it at.").with_meanings(&[(0, Meaning::Path("")), (1, Meaning::Record("a cue", &show::FIELDS, &[("marker", Meaning::Marker)]))]),
        "show", r#"!Play("sounds/shot.sound", { marker "nose", target other.position, volume 0.5 })"#, show::queue_play, Painter::Stage),
    row(Effect::new("GUIFire", "GUIFire(string, any…)", "Sends an event to the interface, with up to four arguments: to that of the player who controls the object or its owner, otherwise to all."),
        "show", r#"!GUIFire("alarm", 3, other)"#, show::queue_gui_fire, Painter::Stage),
    row(Effect::new("Animate", "Animate(string, number?)", "Sets the state of the object's animation graph; the change takes this many milliseconds. The state it is in already goes on."),
        "physics", r#"!Animate("walk", 150)"#, show::queue_animate, Painter::Placement(show::ANIMATE, show::animate)),
    row(Effect::new("EndLevel", "EndLevel(string, string?)", "Ends the level with this result; the level at the path, if given, comes next.").with_meanings(&[(1, Meaning::Path("scenario"))]),
        "end", r#"!EndLevel("won")"#, end_level, Painter::Stage),
];

/// The same rows as the checker and the editors read them.
pub static SIGNATURES: [Effect; EFFECTS.len()] = {
    let mut effects = [Effect::new("", "", ""); EFFECTS.len()];
    let mut index = 0;
    while index < effects.len() {
        effects[index] = EFFECTS[index].effect;
        index += 1;
    }
    effects
};

/// The effects of a world and those of a game's extension, as one table for [`Classes::with_effects`](tags::Classes::with_effects):
///
/// ```
/// use script::effect::Effect;
/// use world::effects;
///
/// static ALL: [Effect; effects::SIGNATURES.len() + 1] =
///     effects::with_own([Effect::new("Bank", "Bank(number)", "Puts money into the bank.")]);
/// let classes = world::classes().with_effects(&ALL);
/// assert_eq!(classes.vocabulary().effects.last().map(|effect| effect.name), Some("Bank"));
/// ```
///
/// # Panics
/// If `ALL` is not the sum of both, which is a mistake at compile time.
pub const fn with_own<const OWN: usize, const ALL: usize>(own: [Effect; OWN]) -> [Effect; ALL] {
    assert!(ALL == SIGNATURES.len() + OWN, "the table has room for the effects of a world and those of the game");
    let mut all = [Effect::new("", "", ""); ALL];
    let mut index = 0;
    while index < ALL {
        all[index] = if index < SIGNATURES.len() { SIGNATURES[index] } else { own[index - SIGNATURES.len()] };
        index += 1;
    }
    all
}

// The text of the condition names the number.
const _: () = assert!(MESSAGE_VALUES == 12);

const fn row(
    effect: Effect,
    brush: &'static str,
    example: &'static str,
    queue: fn(&mut EffectContext<'_, '_>, &Act<'_>) -> bool,
    painter: Painter,
) -> WorldEffect {
    WorldEffect { effect, brush, example, queue, painter }
}

/// The row of a name. Two dozen comparisons of ids cost less than queueing an entry.
fn find(name: StringId) -> Option<&'static WorldEffect> {
    static NAMES: [StringId; EFFECTS.len()] = {
        let mut names = [StringId::NONE; EFFECTS.len()];
        let mut index = 0;
        while index < names.len() {
            names[index] = StringId::new(EFFECTS[index].effect.name);
            index += 1;
        }
        names
    };
    NAMES.iter().position(|known| *known == name).map(|index| &EFFECTS[index])
}

/// Paints a placement request of an effect. One of an unknown kind, from a foreign block, does nothing.
pub(crate) fn paint_placement(
    cycle: &Cycle<'_>,
    world: &mut World,
    handle: Handle<Object>,
    request: &PlacementRequest,
) {
    for row in &EFFECTS {
        if let Painter::Placement(kind, paint) = row.painter
            && kind == request.kind
        {
            return paint(cycle, world, handle, request);
        }
    }
}

/// Whether a placement request moves an object to a position.
pub(crate) fn is_move(request: &PlacementRequest) -> bool {
    request.kind == placement::MOVE
}

/// Paints a request on a body. False if it names no property. One of an unknown kind is taken for a property.
pub(crate) fn paint_body(body: &mut Body, request: &BodyRequest) -> bool {
    for row in &EFFECTS {
        if let Painter::Body(kind, paint) = row.painter
            && kind == request.kind
        {
            return paint(body, request);
        }
    }
    body::property(body, request)
}

/// Paints a request on the joints between two bodies. One of an unknown kind is taken for a change of motors.
pub(crate) fn paint_joint(
    cycle: &Cycle<'_>,
    world: &mut World,
    request: &JointRequest,
    bodies: [Handle<Body>; 2],
    asker: Handle<Object>,
) {
    for row in &EFFECTS {
        if let Painter::Joint(kind, paint) = row.painter
            && kind == request.kind
        {
            return paint(cycle, world, request, bodies, asker);
        }
    }
    joints::drive(cycle, world, request, bodies, asker);
}

/// An object whose effects are being queued.
pub struct EffectContext<'a, 'i> {
    /// The cycle.
    pub cycle: &'a Cycle<'a>,
    /// The object.
    pub item: &'a mut Item<'i, Object>,
    /// The function and the instruction of the call that is being queued.
    pub place: (u32, u32),
}

impl Stage for EffectContext<'_, '_> {
    fn begin(&mut self, place: (u32, u32)) {
        self.place = place;
    }

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
        if act.name == LOG {
            return rules.log.note(self.item, &act);
        }
        let known = find(act.name);
        if known.is_some_and(|row| (row.queue)(self, &act)) {
            return;
        }
        if !rules.own.as_ref().is_some_and(|own| own.act(rules, self.item, &act)) {
            let signature = known.map(|row| row.effect.signature);
            rules.log.explain_effect(self.item.handle, (self.place.0, self.span()), signature);
            self.warn(Condition::NoSuchEffect, act.name);
        }
    }

    fn refuse(&mut self, refusal: SendRefusal) {
        let condition = match refusal {
            SendRefusal::TooLong => Condition::TooMuch,
            SendRefusal::Incomplete | SendRefusal::NoName => Condition::NoSuchEffect,
        };
        self.warn(condition, script::effect::SEND);
    }
}

impl EffectContext<'_, '_> {
    /// The address of an effect's target, which may be destroyed by the time the entry is painted.
    fn target(&mut self, value: Value, about: StringId) -> Option<Address> {
        let handle = handle_of(value);
        if handle.is_none() || !may_be(handle, self.cycle.rules.parts.objects.capacity()) {
            let subject = if handle.is_none() { 0 } else { handle.raw() };
            self.queue_warning(&Warning { subject, ..Warning::new(Condition::NoSuchObject, about) });
            return None;
        }
        Some(self.cycle.rules.parts.objects.address(handle))
    }

    fn hit(&mut self, target: Address, amount: Option<Value>, kind: Option<Value>) {
        let amount = amount.and_then(Value::as_number).filter(|amount| amount.is_finite());
        let Some(amount) = amount else { return self.warn(Condition::NoSuchEffect, DAMAGE) };
        let kind = kind.and_then(Value::as_string).unwrap_or_default();
        let hit = Hit { amount, kind, from: self.item.handle, spare: 0 };
        self.item.queue(self.cycle.rules.parts.damages, target, &hit);
    }

    fn warn(&mut self, condition: Condition, about: StringId) {
        self.queue_warning(&Warning::new(condition, about));
    }

    /// Queues a warning with the place of the call.
    fn queue_warning(&mut self, warning: &Warning) {
        let (function, span) = (self.place.0, self.span());
        let (warnings, address) = (self.cycle.rules.parts.warnings, self.item.address());
        self.item.queue(warnings, address, &warning.at(function, span));
    }

    /// The place of the call in the tag's text.
    fn span(&self) -> Span {
        let (function, instruction) = self.place;
        let program = self.cycle.prototypes.programs().get(self.item.next.mind.program);
        program.map(|program| program.span_of(function, instruction)).unwrap_or_default()
    }
}

fn spawn(context: &mut EffectContext<'_, '_>, act: &Act<'_>) -> bool {
    let Some(path) = act.arguments.first().and_then(|path| path.as_string()) else { return false };
    match act.message(path, value_of(context.item.handle), 1) {
        Some(message) => {
            // Told here, where the line is known that asks for it.
            let fields = act.arguments.get(1).map_or(&[][..], |record| act.parts(*record));
            for [name, value] in fields.as_chunks::<2>().0 {
                let name = name.as_string().unwrap_or_default();
                if !context.cycle.prototypes.takes(path, name, *value) {
                    context.warn(Condition::NotGiven, name);
                }
            }
            context.item.queue(context.cycle.rules.parts.spawns, Address::WORLD, &message);
        }
        None => context.warn(Condition::TooMuch, path),
    }
    true
}

fn destroy(context: &mut EffectContext<'_, '_>, act: &Act<'_>) -> bool {
    let [object] = act.arguments else { return false };
    if let Some(target) = context.target(*object, act.name) {
        context.item.queue(context.cycle.rules.parts.destroys, target, &0);
    }
    true
}

fn damage(context: &mut EffectContext<'_, '_>, act: &Act<'_>) -> bool {
    let [object, rest @ ..] = act.arguments else { return false };
    if let Some(target) = context.target(*object, act.name) {
        context.hit(target, rest.first().copied(), rest.get(1).copied());
    }
    true
}

fn end_level(context: &mut EffectContext<'_, '_>, act: &Act<'_>) -> bool {
    let [result, rest @ ..] = act.arguments else { return false };
    let next = rest.first().and_then(|next| next.as_string()).unwrap_or_default();
    let ending = Ending { result: result.as_string().unwrap_or_default(), next };
    context.item.queue(context.cycle.rules.parts.endings, Address::WORLD, &ending);
    true
}

/// The value as a finite vector.
fn finite_vector(value: Value) -> Option<Vec3> {
    value.as_vector().filter(|vector| vector.is_finite())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_row_has_a_signature_of_its_name_and_help() {
        for row in &EFFECTS {
            let signature = row.effect.signature().expect(row.effect.name);
            assert_eq!(signature.name, row.effect.name);
            assert!(!row.effect.help.is_empty() && !row.brush.is_empty(), "{}", row.effect.name);
            assert!(row.example.contains(&alloc::format!("!{}(", row.effect.name)), "{}", row.effect.name);
            assert!(find(StringId::new(row.effect.name)).is_some_and(|found| core::ptr::eq(found, row)));
        }
        assert!(find(StringId::new("Wrap")).is_none());
    }

    #[test]
    fn rows_with_the_same_painter_number_have_the_same_painter() {
        for (index, row) in EFFECTS.iter().enumerate() {
            for other in &EFFECTS[..index] {
                match (row.painter, other.painter) {
                    (Painter::Placement(one, _), Painter::Placement(two, _)) => assert_ne!(one, two),
                    (Painter::Body(one, _), Painter::Body(two, _)) => assert_ne!(one, two),
                    (Painter::Joint(one, paint), Painter::Joint(two, also)) if one == two => {
                        assert!(core::ptr::fn_addr_eq(paint, also), "{}", row.effect.name);
                    }
                    _ => {}
                }
            }
        }
    }
}
