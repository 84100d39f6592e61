//! What developers ask and change while a world runs: an expression is evaluated over an object, a variable is set.
//!
//! Laws
//! 1. Asking changes nothing: sets and effects of the expression are dropped.
//! 2. A variable is set by an input of the content player ([`SET`]), which is sealed with all others; so films and crash reports
//!    replay it. It replaces a value of the same kind, and only kinds without parts.

use alloc::string::{String, ToString};
use alloc::vec::Vec;
use core::fmt;

use base::{Handle, StringId, Vec3};
use relay::Event;
use script::compile::{begin, extend};
use script::environment::{Callee, Environment, EvaluationError, evaluate};
use script::machine::{EvaluationContext, Limits, Scratch};
use script::parse::parse_line;
use script::report::Severity;
use script::row::RowView;
use script::value::{Kind, Value};
use script::write::{text_of, write};
use state::{Block, World};

use crate::object::{Object, value_of};
use crate::queries::SIGNATURES;
use crate::query::Sight;
use crate::rules::{Cycle, Rules};

/// The kind of the event that sets a variable: the handle of the object, the number of the variable, the kind of the value and
/// three words of it.
pub const SET: StringId = StringId::new("astrarium developer set");

/// The longest expression, in bytes.
pub const EXPRESSION_BYTES_MAX: usize = 4096;

/// The limits of an expression: about a millisecond.
const LIMITS: Limits = Limits { fuel: 200_000, depth: 64, values: 16 * 1024, effects: 64 };

/// The values of lists and records that an expression's variables may hold.
const KEPT_MAX: usize = 4096;

/// Why an expression has no value, or a variable cannot be set.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum DeveloperError {
    /// There is no such object.
    NoObject(u32),
    /// The object has no such variable.
    NoVariable(String),
    /// The text is too long.
    TooLong(usize),
    /// The expression is wrong: the first message about it.
    Wrong(String),
    /// The evaluation was halted.
    Halted(EvaluationError),
    /// The variable holds another kind of value, or one that has parts.
    OtherKind {
        /// The kind it holds.
        expected: Kind,
    },
}

impl fmt::Display for DeveloperError {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            DeveloperError::NoObject(raw) => write!(formatter, "there is no object #{raw:08x}"),
            DeveloperError::NoVariable(name) => write!(formatter, "the object has no variable \"{name}\""),
            DeveloperError::TooLong(bytes) => {
                write!(formatter, "expected at most {EXPRESSION_BYTES_MAX} bytes, found {bytes}")
            }
            DeveloperError::Wrong(message) => formatter.write_str(message),
            DeveloperError::Halted(error) => error.fmt(formatter),
            DeveloperError::OtherKind { expected } => match expected {
                Kind::List | Kind::Record | Kind::Lambda => {
                    write!(formatter, "a {expected:?} cannot be set from outside")
                }
                _ => write!(formatter, "expected a {expected:?}, as the variable holds now"),
            },
        }
    }
}

impl core::error::Error for DeveloperError {}

/// A variable of an object, as text.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct VariableText {
    /// Its name.
    pub name: String,
    /// Its value, as a designer would write it.
    pub value: String,
    /// Whether [`Rules::set_event`] can set it.
    pub can_be_set: bool,
}

impl Rules {
    /// The value of an expression over an object's variables and fields, as text. Lists and records of its tag, and lambdas, are
    /// not seen by it. Allocates: between cycles only.
    pub fn ask(&self, block: &Block, object: u32, text: &str) -> Result<String, DeveloperError> {
        if text.len() > EXPRESSION_BYTES_MAX {
            return Err(DeveloperError::TooLong(text.len()));
        }
        let found = self.parts.objects.find_values(block, object);
        let (handle, mind, values) = match found {
            Some((handle, found, values)) => (handle, found.mind, values),
            None if object == 0 => (Handle::NONE, Default::default(), &[][..]),
            None => return Err(DeveloperError::NoObject(object)),
        };
        let known = if handle.is_none() { None } else { self.prototypes.programs().get(mind.program) };
        let row = RowView { head: &mind, values };
        // Fields are baked into the object's program; here they are variables like all others.
        let names: Vec<&str> = known.map_or(Vec::new(), |known| {
            let fields = known.strings.iter().map(|(_, text)| text).filter(|text| {
                !known.variables.iter().any(|name| name == text) && row.named(known, StringId::new(text)).is_some()
            });
            known.variables.iter().map(String::as_str).chain(fields).collect()
        });
        let tree = parse_line(text);
        let (program, reports) = extend(begin(&names, &[], &SIGNATURES), text, &tree);
        let mut wrong = tree.reports.iter().chain(&reports).filter(|report| report.severity == Severity::Error);
        if let Some(report) = wrong.next() {
            return Err(DeveloperError::Wrong(report.message.clone()));
        }
        let mut environment = Environment::new(&program, KEPT_MAX);
        let mut scratch = Scratch::new(LIMITS);
        for name in &names {
            let value = known.and_then(|known| row.named(known, StringId::new(name))).unwrap_or_default();
            let Some(variable) = program.variable(name) else { continue };
            match value.kind() {
                // Its functions are those of the object's program.
                Kind::Lambda => {}
                // What does not fit is not seen.
                Kind::List | Kind::Record if !value.is_shared() => {
                    let _ = scratch.set_copied(&mut environment.edit(), &program, &[(variable, value)], row);
                }
                Kind::List | Kind::Record => {}
                _ => environment.set(variable, value),
            }
        }
        let sight = self.observe(block);
        let place = EvaluationContext {
            program: &program,
            this: value_of(handle),
            outside: &sight,
            now: block.cycle() as f64 * self.milliseconds(),
            seed: block.time().seed,
        };
        let mut said = String::from("nothing");
        for statement in &program.statements {
            let callee = Callee::Function(*statement);
            let value =
                evaluate(place, environment.edit(), callee, &[], &mut scratch).map_err(DeveloperError::Halted)?;
            said = match value.as_string().filter(|id| text_of(*id, &program).is_none()) {
                Some(_) => self.prototypes.written(value),
                None => write(value, &program, scratch.region(), environment.kept()),
            };
        }
        Ok(said)
    }

    /// Queries over a block for observers: what they cost is not counted in the world, as it is for scripts.
    pub fn observe<'a>(&'a self, block: &'a Block) -> Sight<'a> {
        Sight { workspaces: &self.presentation.workspaces, ..self.sight(block) }
    }

    /// The variables of an object, in the order of their numbers; none if there is no such object.
    pub fn variables(&self, block: &Block, object: u32) -> Vec<VariableText> {
        let Some((_, found, values)) = self.parts.objects.find_values(block, object) else { return Vec::new() };
        let Some(program) = self.prototypes.programs().get(found.mind.program) else { return Vec::new() };
        let named = program.variables.iter().zip(values);
        let text = |value: Value| match value.kind() {
            Kind::String => self.prototypes.written(value),
            _ => write(value, program, &script::arena::Arena::new(0), values),
        };
        let row = |(name, value): (&String, &Value)| VariableText {
            name: name.clone(),
            value: text(*value),
            can_be_set: !has_parts(value.kind()) && value.kind() != Kind::Nothing,
        };
        named.map(row).collect()
    }

    /// The event that sets a variable of an object to the value of an expression, from the next safe cycle on.
    pub fn set_event(&self, block: &Block, object: u32, variable: &str, text: &str) -> Result<Event, DeveloperError> {
        let (handle, ..) = self.parts.objects.find_values(block, object).ok_or(DeveloperError::NoObject(object))?;
        let found = self.variable(block, handle, variable);
        let (number, before) = found.ok_or_else(|| DeveloperError::NoVariable(variable.to_string()))?;
        let expected = before.kind();
        if has_parts(expected) {
            return Err(DeveloperError::OtherKind { expected });
        }
        let value = self.read_value(block, object, expected, text)?;
        Ok(event_of(object, number, value))
    }

    /// The value of a text that a person typed for a variable of this kind.
    fn read_value(&self, block: &Block, object: u32, expected: Kind, text: &str) -> Result<Value, DeveloperError> {
        let text = text.trim();
        let read = match expected {
            Kind::String => Some(Value::string(StringId::from(text.trim_matches('"')))),
            Kind::Truth => text.parse().ok().map(Value::truth),
            Kind::Identifier => text.trim_start_matches('#').parse().ok().map(Value::identifier),
            Kind::Handle | Kind::Nothing => {
                let raw = u32::from_str_radix(text.trim_start_matches(['#', '~']), 16).ok();
                let found = raw.and_then(|raw| self.parts.objects.find_raw(block, raw));
                found.map(|(handle, _)| value_of(handle))
            }
            Kind::Number => {
                let number = self.ask(block, object, text)?.parse::<f64>().ok();
                number.filter(|number| number.is_finite()).map(Value::number)
            }
            Kind::Vector => read_vector(&self.ask(block, object, text)?).map(Value::vector),
            Kind::Lambda | Kind::List | Kind::Record => None,
        };
        read.ok_or(DeveloperError::OtherKind { expected })
    }
}

/// Enters an event of a developer. One that names nothing, or a value of another kind, has no effect.
pub(crate) fn enter(cycle: &Cycle<'_>, world: &mut World, event: &Event) {
    let objects = cycle.rules.parts.objects;
    let [object, variable, ..] = event.words;
    let (Some((handle, _)), true) = (objects.find_raw(world, object), event.kind == SET) else { return };
    let Some(value) = value_in(event) else { return };
    objects.edit_both(world, handle, |object: &mut Object, values| {
        let number = variable as usize;
        let count = cycle.prototypes.programs().get(object.mind.program).map_or(0, |program| program.variables.len());
        let place = values.get_mut(number).filter(|_| number < count);
        if let Some(place) = place.filter(|place| place.kind() == value.kind() || place.kind() == Kind::Nothing) {
            *place = value.canonical();
            // Its position, team and owner are compared with the copies when it settles in its next cycle.
            object.agreed = 0;
        }
    });
    objects.set_awake(world, handle, true);
}

fn has_parts(kind: Kind) -> bool {
    matches!(kind, Kind::Lambda | Kind::List | Kind::Record)
}

fn event_of(object: u32, variable: u32, value: Value) -> Event {
    let halves = |number: u64| [number as u32, (number >> 32) as u32, 0];
    let words = match value.kind() {
        Kind::Number => halves(value.as_number().unwrap_or_default().to_bits()),
        Kind::Identifier => [value.as_identifier().unwrap_or_default().cast_unsigned(), 0, 0],
        Kind::Truth => [u32::from(value == Value::TRUE), 0, 0],
        Kind::String => halves(value.as_string().unwrap_or_default().number()),
        Kind::Vector => value.as_vector().unwrap_or_default().to_array().map(f32::to_bits),
        Kind::Handle => [value.as_handle().unwrap_or_default().0.raw(), 0, 0],
        Kind::Nothing | Kind::Lambda | Kind::List | Kind::Record => [0; 3],
    };
    Event::new(SET, &[object, variable, value.kind() as u32, words[0], words[1], words[2]])
}

/// The value of an event; none if the words are not one.
fn value_in(event: &Event) -> Option<Value> {
    let [_, _, kind, first, second, third] = event.words;
    let wide = u64::from(first) | u64::from(second) << 32;
    match kind {
        kind if kind == Kind::Number as u32 => {
            Some(f64::from_bits(wide)).filter(|it| it.is_finite()).map(Value::number)
        }
        kind if kind == Kind::Identifier as u32 => Some(Value::identifier(first.cast_signed())),
        kind if kind == Kind::Truth as u32 => Some(Value::truth(first != 0)),
        kind if kind == Kind::String as u32 => Some(Value::string(StringId::from_number(wide))),
        kind if kind == Kind::Vector as u32 => {
            let vector = Vec3::from_array([first, second, third].map(f32::from_bits));
            Some(vector).filter(|vector| vector.is_finite()).map(Value::vector)
        }
        kind if kind == Kind::Handle as u32 => Some(value_of(Handle::from_raw(first))),
        _ => None,
    }
}

/// The vector of a text as values are written: `vec(1, 2, 3)`.
pub(crate) fn read_vector(text: &str) -> Option<Vec3> {
    let inside = text.strip_prefix("vec(")?.strip_suffix(')')?;
    let mut numbers = inside.split(',').map(|number| number.trim().parse::<f32>().ok());
    let vector = Vec3::new(numbers.next()??, numbers.next()??, numbers.next()??);
    (numbers.next().is_none() && vector.is_finite()).then_some(vector)
}
