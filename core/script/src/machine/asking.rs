//! World queries of the machine: converts script values to queries and filters, issues them, and charges their fuel.

use base::{Handle, StringId, Vec3};

use super::{EvaluationContext, Halt, Machine};
use crate::kernel;
use crate::query::{Asked, Filter, Form, Hit, Joined, Joints, Question};
use crate::value::{Kind, Value};

const CLASS: StringId = StringId::new("class");
const TEAM: StringId = StringId::new("team");
const ENEMY_OF: StringId = StringId::new("enemy_of");
const OWNER: StringId = StringId::new("owner");
const FLAG: StringId = StringId::new("flag");
const EXCEPT: StringId = StringId::new("except");
const LAYER: StringId = StringId::new("layer");

/// The fields of a filter, as designers write them.
pub(crate) const FILTER: [&str; 7] = ["class", "team", "enemy_of", "owner", "flag", "except", "layer"];

const RADIUS: StringId = StringId::new("radius");
const LENGTH: StringId = StringId::new("length");
const HALF: StringId = StringId::new("half");
const FACING: StringId = StringId::new("facing");

/// The fields of a query shape.
pub(crate) const FORM: [&str; 4] = ["radius", "length", "half", "facing"];

/// The number of collision layers.
const LAYERS: u32 = 32;

impl kernel::RemoteObjects for EvaluationContext<'_> {
    fn read(&self, object: Value, name: StringId) -> Option<Value> {
        let (handle, array) = object.as_handle().filter(|_| object != self.this)?;
        if let Some(value) = self.outside.known(handle, array, name) {
            return Some(value);
        }
        let (program, row) = self.outside.object(handle, array)?;
        row.named(program, name)
    }

    fn is_living(&self, object: Value) -> bool {
        let is_there = object.as_handle().is_some_and(|(handle, array)| self.outside.is_there(handle, array));
        object == self.this || is_there
    }
}

impl Machine<'_> {
    /// Issues a query, sorts its hits and charges their fuel.
    pub(crate) fn question(&mut self, question: &Question, filter: &Filter) -> Result<Asked, Halt> {
        // The same arguments may give a different result in the next cycle, so the result must not be memoised.
        self.has_looked = true;
        let outside = self.place.outside;
        self.scratch.hits.clear();
        let asked = outside.ask(question, filter, &mut self.scratch.hits, self.fuel);
        self.burn(asked.cost)?;
        if asked.is_cut {
            return Err(if self.scratch.hits.is_full() { Halt::Memory } else { Halt::Fuel });
        }
        self.scratch.hits.sort();
        self.burn(self.hits().len() as u64)?;
        Ok(asked)
    }

    /// Clears the hits, as for a query that finds nothing.
    pub(crate) fn forget(&mut self) -> Result<(), Halt> {
        self.scratch.hits.clear();
        Ok(())
    }

    /// The hits of the last query.
    pub(crate) fn hits(&self) -> &[Hit] {
        self.scratch.hits.as_slice()
    }

    /// The next joint of a cursor; advances the cursor and charges the fuel.
    pub(crate) fn joint(&mut self, joints: &mut Joints) -> Result<Option<Joined>, Halt> {
        self.has_looked = true;
        let found = self.place.outside.joint(joints, self.fuel);
        self.burn(found.cost.max(1))?;
        if found.is_cut {
            return Err(Halt::Fuel);
        }
        joints.from = found.next;
        Ok(found.joint)
    }

    /// The shape that a value describes. `None` for nothing, and, with a complaint, for any other value that is no
    /// shape.
    pub(crate) fn form(&mut self, value: Value) -> Option<Form> {
        const A_SHAPE: &str = "a shape: a radius, a vector of half the sides of a box, an object, or a record of radius, length, half and facing";
        if value == Value::NOTHING {
            return None;
        }
        if let Some(radius) = value.as_number() {
            return Some(Form::Ball(radius as f32));
        }
        if let Some(half) = value.as_vector() {
            return Some(Form::Box { half, facing: Vec3::X });
        }
        if let Some((handle, _)) = value.as_handle() {
            return Some(Form::Object(handle));
        }
        let (mut radius, mut length, mut half, mut facing) = (None, None, None, Vec3::X);
        for index in 0..self.fields(value) {
            let [name, value] = self.parts(value).as_chunks::<2>().0[index];
            match name.as_string().unwrap_or_default() {
                RADIUS => radius = Some(self.size_of(value)),
                LENGTH => length = Some(self.size_of(value)),
                HALF => half = Some(self.direction_of(value)),
                FACING => facing = self.direction_of(value),
                _ => self.complain("a field of a shape: radius, length, half or facing", name, self.at, ()),
            }
        }
        match (half, radius, length) {
            (Some(half), ..) => Some(Form::Box { half, facing }),
            (None, Some(radius), Some(length)) if length != 0.0 => Some(Form::Capsule { radius, length, facing }),
            (None, Some(radius), _) => Some(Form::Ball(radius)),
            (None, None, _) => self.complain(A_SHAPE, value, self.at, None),
        }
    }

    /// The handle of an object in a query. Nothing gives `Handle::NONE`.
    pub(crate) fn who(&mut self, value: Value) -> Handle<()> {
        self.handle_of(value)
    }

    /// The number of fields of a record; 0 for other values.
    fn fields(&self, record: Value) -> usize {
        if record.as_record().is_some() { self.parts(record).as_chunks::<2>().0.len() } else { 0 }
    }

    fn size_of(&mut self, value: Value) -> f32 {
        value.as_number().unwrap_or_else(|| self.wrong(Kind::Number, value, 0.0)) as f32
    }

    fn direction_of(&mut self, value: Value) -> Vec3 {
        value.as_vector().unwrap_or_else(|| self.wrong(Kind::Vector, value, Vec3::default()))
    }

    /// Whether an object is alive.
    pub(crate) fn is_living(&mut self, handle: Handle<()>, array: u16) -> bool {
        self.has_looked = true;
        self.place.this == Value::handle(handle, array) || self.place.outside.is_there(handle, array)
    }

    /// The filter that a record describes. Invalid fields are ignored with a complaint.
    pub(crate) fn filter(&mut self, record: Value) -> Filter {
        let mut filter = Filter::default();
        if record == Value::NOTHING {
            return filter;
        }
        if record.as_record().is_none() {
            return self.complain("a filter such as `{ class \"ship\" }`", record, self.at, filter);
        }
        for index in 0..self.fields(record) {
            let [name, value] = self.parts(record).as_chunks::<2>().0[index];
            match name.as_string().unwrap_or_default() {
                CLASS => filter.class = self.string_of(value),
                FLAG => filter.flag = self.string_of(value),
                TEAM => filter.team = self.team_of(value),
                ENEMY_OF => filter.other_than_team = self.team_of(value),
                OWNER => filter.owner = Some(self.handle_of(value)),
                EXCEPT => {
                    let [first, second] = match self.list(value) {
                        [first, second] => [*first, *second],
                        [one] => [*one, Value::NOTHING],
                        _ => [value, Value::NOTHING],
                    };
                    filter.except = [self.handle_of(first), self.handle_of(second)];
                }
                LAYER => filter.layers = Some(self.layers_of(value)),
                _ => self.complain(
                    "a field of a filter: class, team, enemy_of, owner, flag, except or layer",
                    name,
                    self.at,
                    (),
                ),
            }
        }
        filter
    }

    fn string_of(&mut self, value: Value) -> StringId {
        value.as_string().unwrap_or_else(|| self.complain("a string", value, self.at, StringId::NONE))
    }

    fn team_of(&mut self, value: Value) -> Option<i32> {
        let number = value.as_number().map(|number| base::number::double::floor(number) as i32);
        match number.or(value.as_identifier()) {
            None => self.complain("the number of a team", value, self.at, None),
            team => team,
        }
    }

    /// The bit mask of a layer or a list of layers. Layers out of range have no bit.
    fn layers_of(&mut self, value: Value) -> u32 {
        if value.as_list().is_none() {
            return self.layer_of(value);
        }
        (0..self.list(value).len()).fold(0, |bits, index| bits | self.layer_of(self.list(value)[index]))
    }

    fn layer_of(&mut self, value: Value) -> u32 {
        let number = value.as_number().map(|number| base::number::double::floor(number) as i32);
        match number.or(value.as_identifier()) {
            None => self.complain("the number of a layer", value, self.at, 0),
            Some(layer) => u32::try_from(layer).ok().filter(|layer| *layer < LAYERS).map_or(0, |layer| 1 << layer),
        }
    }

    /// The handle in a value. Nothing gives `Handle::NONE`.
    fn handle_of(&mut self, value: Value) -> Handle<()> {
        match value.as_handle() {
            Some((handle, _)) => handle,
            None if value == Value::NOTHING => Handle::NONE,
            None => self.complain("an object's handle", value, self.at, Handle::NONE),
        }
    }
}
