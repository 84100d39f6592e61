//! Prototypes: the data that all objects of a tag share, built once when the content is loaded.
//!
//! A prototype is the tag's program, with all fields that are not state baked in as constants, and the initial row of an object.
//!
//! Laws
//! 1. Prototypes depend on the content alone. They are numbered by the order of their tags' ids, so the order of loading does not
//!    matter.
//! 2. A tag with mistakes still makes a prototype; the mistakes were reported when it was packed.

use alloc::collections::BTreeMap;
use alloc::string::{String, ToString};
use alloc::sync::Arc;
use alloc::vec::Vec;

use base::string_id::StringTable;
use base::{Handle, Quat, StringId, Vec3};
use physics::{Body, ForceField, Shapes};
use script::arena::Arena;
use script::bake::{Baking, bake};
use script::library::Library as Programs;
use script::program::Program;
use script::row::{Head, RowView};
use script::value::{Kind, Value};
use script::write::write;
use tags::packed::{ReflectedRecord, View};
use tags::{Class, Library};

use crate::animation::Graph;
use crate::appearance::Appearance;
use crate::body::{self, BodyError};
use crate::classes::{Marker, ObjectTag};
use crate::force_field::force_field_of;
use crate::level::{ENTER, LEAVE, lengths_of};
use crate::limits::{CLASSES_MAX, LARGE, ROW_VALUES_MAX};
use crate::object::{Object, VARIABLES};
use crate::pose::{POSE_VARIABLES, PoseVariables, StatedPose, frame, is_named};
use crate::tag_values::TagValues;

/// The data that all objects of one tag share.
#[derive(Clone, Debug)]
pub struct Prototype {
    /// The id of the tag's path.
    pub tag: StringId,
    /// The tag's path.
    pub path: String,
    /// The number of its class among the classes of objects.
    pub class: u32,
    /// The initial row of an object, with its storage.
    pub row: Vec<Value>,
    /// The used part of the initial row.
    pub used: usize,
    /// The brush cycles between two updates.
    pub period: u64,
    /// The brush cycles between two updates from a distance to the nearest player on, by rising distance.
    pub far_updates: Vec<(f32, u64)>,
    /// The lambda of `OnUpdate`, or nothing.
    pub on_update: Value,
    /// The variable whose object the update reads, if known: for prefetching.
    pub followed_variable: Option<u32>,
    /// Whether it has an `OnSpawn`.
    pub has_spawn: bool,
    /// The lambda of `OnDestroy`, or nothing.
    pub on_destroy: Value,
    /// Its bounding radius.
    pub radius: f32,
    /// Whether it outlives its parent.
    pub survives_parent: bool,
    /// Its markers.
    pub markers: Vec<MarkerPlace>,
    /// Where its rows hold `orientation`, `up`, `right` and `spin`.
    pub pose: PoseVariables,
    /// The initial body of its objects, at the origin; none if they have none.
    pub body: Option<Body>,
    /// Whether its body is too large for the spatial hash: see [`LARGE`](crate::limits::LARGE).
    pub is_large: bool,
    /// Why the body that it describes cannot be built: the id of a text.
    pub body_error: Option<StringId>,
    /// How its objects come to rest.
    pub settling: Option<Settling>,
    /// Whether `!Move` may place its objects inside fixed bodies.
    pub moves_into_solids: bool,
    /// The force field of its objects, at the origin.
    pub field: Option<ForceField>,
    /// The contact handlers it has.
    pub wants: ContactHandlers,
    /// How its objects are shown and heard.
    pub appearance: Appearance,
    /// Its animation graph, if it has one, and the first of the graph's variables.
    pub graph: Option<(Arc<Graph>, u32)>,
}

impl Settling {
    /// The friction after some seconds: from its last point on that of the last, and none without points.
    pub fn friction(&self, seconds: f32) -> f32 {
        let Some((_, last)) = self.curve.last() else { return 0.0 };
        let Some(next) = self.curve.iter().position(|(time, _)| *time > seconds) else { return *last };
        let (to_time, to) = self.curve[next];
        let Some((from_time, from)) = next.checked_sub(1).map(|before| self.curve[before]) else { return to };
        base::number::lerp(from, to, (seconds - from_time) / (to_time - from_time))
    }
}

/// The contact handlers of a prototype.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct ContactHandlers {
    /// It has an `OnCollide`.
    pub collide: bool,
    /// It has an `OnSeparate`.
    pub separate: bool,
    /// It has an `OnEnter`.
    pub enter: bool,
    /// It has an `OnLeave`.
    pub leave: bool,
    /// It has an `OnBreak`.
    pub broken: bool,
    /// It has an `OnMoveDenied`.
    pub move_denied: bool,
}

/// A marker, in the frame of its object.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct MarkerPlace {
    /// Its name.
    pub name: StringId,
    /// Its position.
    pub offset: Vec3,
    /// Its direction; none if it has none.
    pub turn: Option<Quat>,
}

/// How the objects of a prototype come to rest: see [`SettlingRecord`](crate::classes::SettlingRecord).
#[derive(Clone, Debug, PartialEq)]
pub struct Settling {
    /// The cosine of the steepest slope.
    pub slope_cosine: f32,
    /// Times and friction coefficients, by time.
    pub curve: Vec<(f32, f32)>,
}

/// All prototypes of a content.
#[derive(Clone, Debug, Default)]
pub struct Prototypes {
    /// By number: in the order of their tags' ids.
    prototypes: Vec<Prototype>,
    programs: Programs,
    /// The texts of all strings in tags, for the log.
    strings: StringTable,
    /// The object classes, by name.
    classes: Vec<String>,
    /// For each class and base class, the classes derived from it, a bit each.
    kinds: Vec<(StringId, u128)>,
    radius_max: f32,
    has_fields: bool,
    has_settling: bool,
    /// The shapes of bodies, by the numbers of the prototypes.
    shapes: Shapes,
    /// The animation graphs of objects.
    graphs: BTreeMap<StringId, Arc<Graph>>,
}

/// The base of all object classes.
pub const OBJECT: &str = "object";

impl Prototypes {
    /// The prototypes of all object tags. `level` is the object that scripts know as `~level`.
    pub fn of(content: &Library, level: Handle<Object>) -> Prototypes {
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
        let mut prototypes = Prototypes { classes, kinds: kinds.into_iter().collect(), ..Prototypes::default() };
        let mut shapes = Vec::new();
        for tag in tags {
            shapes.resize(prototypes.prototypes.len(), None);
            let (shape, body) = match body::build(content, tag, prototypes.prototypes.len() as u32) {
                Ok(Some((shape, body))) => (Some(shape), Ok(Some(body))),
                Ok(None) => (None, Ok(None)),
                Err(error) => (None, Err(error)),
            };
            shapes.push(shape);
            prototypes.add(content, tag, level, body);
        }
        prototypes.programs.stamp();
        prototypes.shapes = Shapes::new(shapes);
        assert!(
            prototypes.prototypes.is_sorted_by(|one, other| one.tag < other.tag),
            "law 1 of prototypes: they are numbered by the order of their tags' ids"
        );
        prototypes
    }

    fn add(&mut self, content: &Library, tag: StringId, level: Handle<Object>, body: Result<Option<Body>, BodyError>) {
        let (Some(class), Some(packed)) = (content.class_of(tag), content.packed(tag)) else { return };
        let Some(view) = content.get_as::<ObjectTag>(tag) else { return };
        let graph = self.graph(content, view.graph.id(), level);
        let more: Vec<&str> = graph.iter().flat_map(|graph| graph.variables()).collect();
        let (program, row, used) =
            self.program(content.program(tag), (class, &more), packed.reflect(class), level, view.storage);
        let graph = graph.and_then(|graph| Some((graph, program.variable(Graph::first_variable())?)));
        let cycle_milliseconds = lengths_of(content).brush_nanos as f64 / 1e6;
        let period = |milliseconds: f32| ((f64::from(milliseconds) / cycle_milliseconds) as u64).max(1);
        let (body, body_error) = match body {
            Ok(body) => (body, None),
            Err(error) => {
                let text = error.to_string();
                (None, Some(self.strings.add(&text).unwrap_or_else(|_| StringId::from(text.as_str()))))
            }
        };
        let lambda = |name: &str| program.baked(StringId::new(name)).unwrap_or(Value::NOTHING);
        let on_update = lambda("OnUpdate");
        // Measured from the origin, where the spatial hash has the object.
        let reach = body.map_or(0.0, |body| body.bounding_radius + body.center_of_mass.length());
        let is_large = reach > LARGE;
        let mut prototype = Prototype {
            tag,
            path: content.path(tag).map_or(String::new(), |path| path.as_str().to_string()),
            class: self.classes.binary_search(&class.name).unwrap_or(CLASSES_MAX - 1) as u32,
            period: period(view.update_period),
            far_updates: far_updates(&view, period),
            on_update: if on_update.as_function().is_some() { on_update } else { Value::NOTHING },
            followed_variable: None,
            has_spawn: program.has_handler(StringId::new("Spawn")),
            on_destroy: lambda("OnDestroy"),
            radius: if is_large { view.radius } else { base::number::max(view.radius, reach) },
            is_large,
            body,
            body_error,
            settling: settling_of(&view),
            moves_into_solids: view.body.moves_into_solids.is_true(),
            field: force_field_of(&view.force_field),
            wants: ContactHandlers {
                collide: program.has_handler(StringId::new("Collide")),
                separate: program.has_handler(StringId::new("Separate")),
                enter: program.has_handler(ENTER),
                leave: program.has_handler(LEAVE),
                broken: program.has_handler(StringId::new("Break")),
                move_denied: program.has_handler(MOVE_DENIED),
            },
            appearance: Appearance::of(tag, &view, &program),
            survives_parent: view.survives_parent.is_true(),
            markers: view.each(&view.markers).iter().map(marker_of).collect(),
            pose: PoseVariables::of(&program),
            graph,
            row,
            used,
        };
        self.radius_max = base::number::max(self.radius_max, prototype.radius);
        self.has_fields |= prototype.field.is_some();
        self.has_settling |= prototype.settling.is_some();
        let number = self.programs.add_unstamped(program);
        assert_eq!(
            number as usize,
            self.prototypes.len(),
            "law 1 of prototypes: a prototype and its program share a number"
        );
        let head = Head { program: number, tickets: 0 };
        self.programs.specialise(number, RowView { head: &head, values: &prototype.row });
        prototype.followed_variable =
            self.programs.get(number).and_then(|program| program.followed_variable(prototype.on_update));
        self.prototypes.push(prototype);
    }

    /// A graph, of which all tags with that graph share one. The texts of its strings are kept for the log.
    fn graph(&mut self, content: &Library, tag: StringId, level: Handle<Object>) -> Option<Arc<Graph>> {
        if let Some(known) = self.graphs.get(&tag) {
            return Some(Arc::clone(known));
        }
        let graph = Arc::new(Graph::of(content, tag)?);
        if let (Some(program), Some(class), Some(packed)) =
            (content.program(tag), content.class_of(tag), content.packed(tag))
        {
            TagValues::of(program, packed.reflect(class), level, &mut self.strings);
        }
        self.graphs.insert(tag, Arc::clone(&graph));
        Some(graph)
    }

    /// The program of a tag's objects, and their initial row.
    fn program(
        &mut self,
        program: Option<&Program>,
        (class, more): (&Class, &[&str]),
        seen: ReflectedRecord<'_>,
        level: Handle<Object>,
        room: u32,
    ) -> (Program, Vec<Value>, usize) {
        let standard = Program::default();
        let program = program.unwrap_or(&standard);
        let TagValues { fields, shared } = TagValues::of(program, seen, level, &mut self.strings);
        let is_state = |name: &str| !POSE_VARIABLES.contains(&name) || is_named(program, name);
        let fields_kept = class.root().fields.iter().filter(|field| field.is_state).map(|field| field.name.as_str());
        let state: Vec<&str> = fields_kept.filter(|name| is_state(name)).chain(more.iter().copied()).collect();
        let program = bake(program, Baking { first: &VARIABLES, state: &state, fields, shared });
        let mut row = alloc::vec![Value::NOTHING; program.variables.len() + ROW_VALUES_MAX];
        // If one list exceeds the storage, all are left out.
        let used = program.begin_row(&[], &mut row).unwrap_or(program.variables.len());
        row.truncate(used.max(program.variables.len() + room as usize));
        // Otherwise each tag would keep room for the longest row.
        row.shrink_to_fit();
        (program, row, used)
    }

    /// The number that stands for no prototype.
    pub const NONE: u32 = u32::MAX;

    /// A prototype by its number.
    #[inline]
    pub fn get(&self, number: u32) -> Option<&Prototype> {
        self.prototypes.get(number as usize)
    }

    /// The number of a tag's prototype.
    pub fn number(&self, tag: StringId) -> Option<u32> {
        self.prototypes.binary_search_by_key(&tag, |prototype| prototype.tag).ok().map(|number| number as u32)
    }

    /// The programs, by the numbers of the prototypes.
    #[inline]
    pub fn programs(&self) -> &Programs {
        &self.programs
    }

    /// All prototypes, by number.
    pub fn iter(&self) -> impl Iterator<Item = &Prototype> {
        self.prototypes.iter()
    }

    /// The name of an object class, by its number.
    pub fn class_name(&self, class: u32) -> Option<&str> {
        self.classes.get(class as usize).map(String::as_str)
    }

    /// The object classes that are this class or derived from it, a bit each; 0 if there is none.
    pub fn kinds(&self, class: StringId) -> u128 {
        let found = self.kinds.binary_search_by_key(&class, |(known, _)| *known);
        found.map_or(0, |found| self.kinds[found].1)
    }

    /// The text of a string in some tag, or of one that built-ins and queries give.
    pub fn text(&self, id: StringId) -> Option<&str> {
        let queries = || self.programs.get(0).map_or(&[][..], |program| program.queries).iter();
        let words = || queries().flat_map(|query| query.words).find(|word| StringId::new(word) == id).copied();
        self.strings.text(id).or_else(|| script::builtin::word(id)).or_else(words)
    }

    /// Whether new objects of a tag take a value of this name; true if there is no such tag.
    pub fn takes(&self, tag: StringId, name: StringId, value: Value) -> bool {
        let Some(number) = self.number(tag) else { return true };
        let (Some(prototype), Some(program)) = (self.get(number), self.programs.get(number)) else { return true };
        let before = |variable: u32| prototype.row.get(variable as usize).copied().unwrap_or_default();
        let is_variable = program.variable_of(name).is_some_and(|variable| is_alike(before(variable), value));
        is_variable || StatedPose::default().say(name, value)
    }

    /// A value in script syntax, without the elements of lists and records.
    pub fn written(&self, value: Value) -> String {
        match value.as_string() {
            Some(id) => self.text(id).unwrap_or("a string that no tag has").to_string(),
            None if value.kind() == Kind::List => String::from("[…]"),
            None if value.kind() == Kind::Record => String::from("{…}"),
            None => write(value, &Program::default(), &Arena::new(0), &[]),
        }
    }

    /// The animation graphs of objects.
    pub(crate) fn graphs(&self) -> impl Iterator<Item = &Graph> {
        self.graphs.values().map(|graph| &**graph)
    }

    /// The shapes of bodies.
    pub fn shapes(&self) -> &Shapes {
        &self.shapes
    }

    /// Whether any prototype has a force field.
    pub fn has_fields(&self) -> bool {
        self.has_fields
    }

    /// Whether any prototype comes to rest by a friction curve.
    pub fn has_settling(&self) -> bool {
        self.has_settling
    }

    /// The largest bounding radius.
    pub fn radius_max(&self) -> f32 {
        self.radius_max
    }
}

/// Whether a value can replace another: both are of one type, or one is nothing.
pub(crate) fn is_alike(before: Value, after: Value) -> bool {
    let kind = |value: Value| if value.kind() == Kind::Identifier { Kind::Number } else { value.kind() };
    let (before, after) = (kind(before), kind(after));
    before == after || before == Kind::Nothing || after == Kind::Nothing
}

/// The message to an object whose `!Move` was denied.
pub const MOVE_DENIED: StringId = StringId::new("MoveDenied");

/// The rows of slower updates, by rising distance.
fn far_updates(view: &View<'_, ObjectTag>, period: impl Fn(f32) -> u64) -> Vec<(f32, u64)> {
    let rows = view.each(&view.far_updates).iter().take(usize::from(u16::MAX) - 1);
    let mut rows: Vec<(f32, u64)> = rows.map(|row| (row.distance, period(row.period))).collect();
    rows.sort_by(|(one, _), (other, _)| one.total_cmp(other));
    rows
}

fn settling_of(view: &View<'_, ObjectTag>) -> Option<Settling> {
    let described = &view.body.settling;
    if described.slope <= 0.0 {
        return None;
    }
    let slope_cosine = base::number::cos(described.slope * (core::f32::consts::PI / 180.0));
    let points = view.each(&described.curve).iter();
    let mut curve: Vec<(f32, f32)> = points.map(|point| (point.seconds, point.friction)).collect();
    curve.sort_by(|(one, _), (other, _)| one.total_cmp(other));
    Some(Settling { slope_cosine, curve })
}

fn marker_of(marker: &Marker) -> MarkerPlace {
    let has_direction = marker.facing.is_finite() && marker.facing.length_squared() > 0.0;
    let turn = has_direction.then(|| frame(marker.facing.normal(), marker.up.normal_or(Vec3::Z)));
    MarkerPlace { name: marker.name, offset: marker.offset, turn }
}
