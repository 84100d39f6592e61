//! Moulds: what objects of a tag have in common, made once when the content is loaded.
//!
//! A mould is the tag's program with everything baked into it that objects do not have for themselves, and the row with which
//! an object begins.
//!
//! Laws
//! 1. Moulds follow from the content and from nothing else. Their numbers are the places of their tags' ids in order: the same
//!    content gives the same numbers, whatever was loaded first.
//! 2. A tag with any mistake makes a mould; what is wrong with it was reported when it was packed.

use alloc::collections::BTreeMap;
use alloc::string::{String, ToString};
use alloc::vec::Vec;

use base::string_id::StringTable;
use base::{Handle, StringId, Vec3};
use physics::{Body, Pull, Shapes};
use script::bake::{Baking, Shared, bake};
use script::environment::Environment;
use script::library::Library as Programs;
use script::machine::{Limits, Scratch};
use script::program::Program;
use script::region::{NESTING_MAX, Region};
use script::row::{Head, RowView};
use script::value::{Kind, Value};
use script::write::write;
use tags::packed::{Seen, SeenRecord};
use tags::{Class, Library};

use crate::body;
use crate::classes::ObjectTag;
use crate::field::field_of;
use crate::level::{ENTER, LEAVE};
use crate::limits::{CLASSES_MAX, CYCLE_MILLISECONDS, LARGE, ROW_VALUES_MAX};
use crate::object::{Object, VARIABLES, value_of};

/// What the objects of one tag have in common.
#[derive(Clone, Debug)]
pub struct Mould {
    /// The id of the tag's path.
    pub tag: StringId,
    /// The tag's path.
    pub path: String,
    /// The number of its class among the classes of objects.
    pub class: u32,
    /// The row an object begins with, room included.
    pub row: Vec<Value>,
    /// How much of that is used.
    pub used: usize,
    /// How many brush cycles lie between two updates.
    pub period: u64,
    /// What is called then; nothing if nothing is.
    pub on_update: Value,
    /// The variable whose object is looked at then, as far as that is known.
    pub looked_at: Option<u32>,
    /// Whether it wants to know that it has come into the world.
    pub has_spawn: bool,
    /// What is called before it is removed; nothing if nothing is.
    pub on_destroy: Value,
    /// How far it reaches.
    pub radius: f32,
    /// Whether it goes on without what it is attached to.
    pub survives_parent: bool,
    /// Where others can be attached to it.
    pub markers: Vec<(StringId, Vec3)>,
    /// The body its objects begin with, at the origin; none if they have none.
    pub body: Option<Body>,
    /// Whether its body reaches so far that every ray looks at it.
    pub is_large: bool,
    /// Whether a body is described that cannot be made.
    pub has_no_shape: bool,
    /// What its objects do to bodies around them, at the origin; none if nothing.
    pub field: Option<Pull>,
    /// Which news of its body it wants.
    pub wants: Wants,
}

/// Which news of their bodies objects want.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Wants {
    /// That it has met another: it has an `OnCollide`.
    pub collide: bool,
    /// That it has parted from another: it has an `OnSeparate`.
    pub separate: bool,
    /// That somebody has come into it: it has an `OnEnter`.
    pub enter: bool,
    /// That somebody has left it: it has an `OnLeave`.
    pub leave: bool,
    /// That a joint of it broke: it has an `OnBreak`.
    pub broken: bool,
}

/// All moulds of a content.
#[derive(Clone, Debug, Default)]
pub struct Moulds {
    /// By number: in the order of their tags' ids.
    moulds: Vec<Mould>,
    programs: Programs,
    /// The words of all tags, for people.
    strings: StringTable,
    /// The classes of objects, in the order of their names.
    classes: Vec<String>,
    /// For each class, and each that one is made from: which classes are it, a bit each.
    kinds: Vec<(StringId, u128)>,
    radius_max: f32,
    has_fields: bool,
    /// The shapes of bodies, by the numbers of the moulds.
    shapes: Shapes,
}

/// The class that all objects' classes have as their base.
pub const OBJECT: &str = "object";

impl Moulds {
    /// The moulds of all tags of objects. `level` is the level's own object, which all know.
    pub fn of(content: &Library, level: Handle<Object>) -> Moulds {
        let mut tags = content.of_base(OBJECT);
        tags.sort_unstable();
        let mut classes: Vec<String> =
            tags.iter().filter_map(|tag| Some(content.class_of(*tag)?.name.clone())).collect();
        classes.sort_unstable();
        classes.dedup();
        classes.truncate(CLASSES_MAX);
        let mut kinds: BTreeMap<StringId, u128> = BTreeMap::new();
        for (number, class) in classes.iter().enumerate() {
            for base in content.classes().iter().map(|prepared| prepared.class().name.as_str()) {
                if content.classes().is_a(class, base) {
                    *kinds.entry(StringId::from(base)).or_default() |= 1 << number;
                }
            }
        }
        let mut moulds = Moulds { classes, kinds: kinds.into_iter().collect(), ..Moulds::default() };
        let mut shapes = Vec::new();
        for tag in tags {
            shapes.resize(moulds.moulds.len(), None);
            let (number, shape) = (moulds.moulds.len() as u32, body::shape_of(content, tag));
            let body = shape.as_ref().and_then(|shape| body::body_of(content, tag, shape, number));
            shapes.push(shape);
            moulds.add(content, tag, level, body);
        }
        moulds.shapes = Shapes::new(shapes);
        moulds
    }

    fn add(&mut self, content: &Library, tag: StringId, level: Handle<Object>, body: Option<Body>) {
        let (Some(class), Some(packed)) = (content.class_of(tag), content.packed(tag)) else { return };
        let Some(view) = content.get_as::<ObjectTag>(tag) else { return };
        let (program, row, used) = self.program(content.program(tag), class, packed.seen(class), level, view.room);
        let lambda = |name: &str| program.baked(StringId::new(name)).unwrap_or(Value::NOTHING);
        let on_update = lambda("OnUpdate");
        // From its origin, about which objects are looked for.
        let reach = body.map_or(0.0, |body| body.reach + body.centre.length());
        let is_large = reach > LARGE;
        let mut mould = Mould {
            tag,
            path: content.path(tag).map_or(String::new(), |path| path.as_str().to_string()),
            class: self.classes.binary_search(&class.name).unwrap_or(CLASSES_MAX - 1) as u32,
            period: ((f64::from(view.update_period) / CYCLE_MILLISECONDS) as u64).max(1),
            on_update: if on_update.as_function().is_some() { on_update } else { Value::NOTHING },
            looked_at: None,
            has_spawn: program.has_handler(StringId::new("Spawn")),
            on_destroy: lambda("OnDestroy"),
            radius: if is_large { view.radius } else { base::number::max(view.radius, reach) },
            is_large,
            body,
            has_no_shape: body.is_none() && body::is_described(content, tag),
            field: field_of(&view.field),
            wants: Wants {
                collide: program.has_handler(StringId::new("Collide")),
                separate: program.has_handler(StringId::new("Separate")),
                enter: program.has_handler(ENTER),
                leave: program.has_handler(LEAVE),
                broken: program.has_handler(StringId::new("Break")),
            },
            survives_parent: view.survives_parent.is_true(),
            markers: view.each(&view.markers).iter().map(|marker| (marker.name, marker.offset)).collect(),
            row,
            used,
        };
        self.radius_max = base::number::max(self.radius_max, mould.radius);
        self.has_fields |= mould.field.is_some();
        let number = self.programs.add(program);
        let head = Head { program: number, tickets: 0 };
        self.programs.specialise(number, RowView { head: &head, values: &mould.row });
        mould.looked_at = self.programs.get(number).and_then(|program| program.looked_at(mould.on_update));
        self.moulds.push(mould);
    }

    /// A tag's program for its objects, and the row they begin with.
    fn program(
        &mut self,
        program: Option<&Program>,
        class: &Class,
        seen: SeenRecord<'_>,
        level: Handle<Object>,
        room: u32,
    ) -> (Program, Vec<Value>, usize) {
        let standard = Program::default();
        let program = program.unwrap_or(&standard);
        let mut words = Words { strings: &mut self.strings, shared: Shared::new() };
        program.strings.iter().for_each(|(_, text)| {
            words.word(text);
        });
        let mut fields = alloc::vec![(String::from("level"), value_of(level))];
        for (field, value) in seen.fields() {
            fields.push((field.name.clone(), words.value(value)));
        }
        own_values(program, &mut fields, &mut words);
        let state: Vec<&str> =
            class.root().fields.iter().filter(|field| field.is_state).map(|field| field.name.as_str()).collect();
        let shared = words.shared;
        let program = bake(program, Baking { first: &VARIABLES, state: &state, fields, shared });
        let mut row = alloc::vec![Value::NOTHING; program.variables.len() + ROW_VALUES_MAX];
        // Lists that find no room are left out, and so are all others: the tag's own are then read by nobody.
        let used = program.begin_row(&[], &mut row).unwrap_or(program.variables.len());
        row.truncate(used.max(program.variables.len() + room as usize));
        (program, row, used)
    }

    /// The number of no mould.
    pub const NONE: u32 = u32::MAX;

    /// A mould by its number.
    #[inline]
    pub fn get(&self, number: u32) -> Option<&Mould> {
        self.moulds.get(number as usize)
    }

    /// The number of a tag's mould.
    pub fn number(&self, tag: StringId) -> Option<u32> {
        self.moulds.binary_search_by_key(&tag, |mould| mould.tag).ok().map(|number| number as u32)
    }

    /// The programs, by the numbers of the moulds.
    #[inline]
    pub fn programs(&self) -> &Programs {
        &self.programs
    }

    /// All moulds, by number.
    pub fn iter(&self) -> impl Iterator<Item = &Mould> {
        self.moulds.iter()
    }

    /// The classes of objects that are this class or made from it, a bit each; 0 if there is none.
    pub fn kinds(&self, class: StringId) -> u128 {
        let found = self.kinds.binary_search_by_key(&class, |(known, _)| *known);
        found.map_or(0, |found| self.kinds[found].1)
    }

    /// The text of a word of some tag.
    pub fn text(&self, id: StringId) -> Option<&str> {
        self.strings.text(id)
    }

    /// A value as a designer writes it, without the parts of lists and records.
    pub fn written(&self, value: Value) -> String {
        match value.as_string() {
            Some(id) => self.text(id).unwrap_or("a string that no tag has").to_string(),
            None if value.kind() == Kind::List => String::from("[…]"),
            None if value.kind() == Kind::Record => String::from("{…}"),
            None => write(value, &Program::default(), &Region::new(0), &[]),
        }
    }

    /// The shapes of bodies.
    pub fn shapes(&self) -> &Shapes {
        &self.shapes
    }

    /// Whether objects of some tag have a field.
    pub fn has_fields(&self) -> bool {
        self.has_fields
    }

    /// How far the largest object reaches.
    pub fn radius_max(&self) -> f32 {
        self.radius_max
    }
}

/// Works out what a tag sets beside the fields of its class.
fn own_values(program: &Program, fields: &mut Vec<(String, Value)>, words: &mut Words<'_>) {
    const LIMITS: Limits = Limits { fuel: 100_000, depth: 64, values: 16 * 1024, effects: 64 };
    let is_field = |name: &String| fields.iter().any(|(field, _)| field == name);
    let own: Vec<&String> = program.variables.iter().filter(|name| !is_field(name)).collect();
    if program.statements.is_empty() || own.is_empty() {
        return;
    }
    let mut environment = Environment::new(program, ROW_VALUES_MAX);
    for (name, value) in fields.iter() {
        if let Some(variable) = program.variable(name) {
            environment.set(variable, *value);
        }
    }
    let mut scratch = Scratch::new(LIMITS);
    for statement in &program.statements {
        // What is wrong with a statement was reported when the tag was packed; it then sets nothing.
        let _ = environment.evaluate(program, *statement, &[], &mut scratch);
    }
    for name in own {
        let value = program.variable(name).map_or(Value::NOTHING, |variable| environment.get(variable));
        fields.push((name.clone(), words.copy(value, environment.view(), 0)));
    }
}

/// The words and the lists of a tag, being gathered.
struct Words<'a> {
    strings: &'a mut StringTable,
    shared: Shared,
}

impl Words<'_> {
    /// A word, whose text is kept for people. Of two words with one id the first one's is.
    fn word(&mut self, text: &str) -> StringId {
        self.strings.add(text).unwrap_or_else(|_| StringId::from(text))
    }

    /// A field of a tag as a value of scripts.
    fn value(&mut self, seen: Seen<'_>) -> Value {
        match seen {
            Seen::Nothing | Seen::Bulk(..) => Value::NOTHING,
            Seen::Number(number) => Value::number(number),
            Seen::Truth(truth) => Value::truth(truth),
            Seen::Identifier(number) => Value::identifier(number),
            Seen::Name(_, id) if id.is_none() => Value::NOTHING,
            Seen::Reference("") => Value::NOTHING,
            Seen::Name(text, _) | Seen::Text(text) | Seen::Choice(text) | Seen::Reference(text) => {
                Value::string(self.word(text))
            }
            Seen::Numbers([x, y, z, _], 3) => Value::vector(Vec3::new(x, y, z)),
            Seen::Numbers(numbers, count) => {
                let numbers = numbers.iter().take(usize::from(count)).map(|number| Value::number(f64::from(*number)));
                self.list(numbers.collect())
            }
            Seen::Flags(names, bits) => {
                let set = names.iter().enumerate().filter(|(index, _)| bits >> index & 1 == 1);
                let set: Vec<Value> = set.map(|(_, named)| Value::string(self.word(&named.name))).collect();
                self.list(set)
            }
            Seen::Lambda(function) => Value::function(function),
            Seen::Record(record) => {
                let mut fields = Vec::new();
                for (field, value) in record.fields() {
                    fields.push((self.word(&field.name), self.value(value)));
                }
                self.shared.record(&fields).unwrap_or_default()
            }
            Seen::Series(series) => {
                let values = series.each().map(|value| self.value(value)).collect();
                self.list(values)
            }
        }
    }

    /// A value of a row, with all its parts.
    fn copy(&mut self, value: Value, from: RowView<'_>, depth: u32) -> Value {
        if depth > NESTING_MAX {
            return Value::NOTHING;
        }
        let parts = from.parts(value).iter().map(|part| self.copy(*part, from, depth + 1)).collect::<Vec<Value>>();
        match value.kind() {
            Kind::List => self.list(parts),
            Kind::Record => {
                let (pairs, _) = parts.as_chunks::<2>();
                let fields = pairs.iter().filter_map(|[name, value]| Some((name.as_string()?, *value)));
                let fields: Vec<(StringId, Value)> = fields.collect();
                self.shared.record(&fields).unwrap_or_default()
            }
            // One that carries something cannot be shared.
            Kind::Lambda => value.as_function().map_or(Value::NOTHING, Value::function),
            _ => value,
        }
    }

    fn list(&mut self, values: Vec<Value>) -> Value {
        self.shared.list(&values).unwrap_or_default()
    }
}
