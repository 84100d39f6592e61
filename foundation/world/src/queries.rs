//! The queries that scripts can ask a world, one row each: signature, cost, help, example and the function that answers.
//!
//! This table is the only list of them. The checker, the compiler, the language server and the manual read [`SIGNATURES`]; the
//! script machine calls a query by its number, and the row's function answers it. `is_living` and reads through a handle are
//! built into the machine.
//!
//! Laws
//! 1. A query reads the frozen world, has no effect, and gives its hits in an order that does not depend on the implementation:
//!    see [`question`](crate::question).
//! 2. A query costs the fuel of its row, one for each candidate visited or cell searched, and one for each hit. If that exceeds the fuel that is
//!    left, or the hits the memory, the evaluation ends: an incomplete list would be wrong.
//! 3. An argument that does not fit is a complaint, and is ignored.

use base::{Handle, StringId};
use script::machine::{Halt, Machine, Outside};
use script::meaning::Meaning;
use script::program::Program;
use script::query::{Query, RecordArgument};
use script::row::RowView;
use script::types::ARGUMENTS_MAX;
use script::value::Value;

use crate::query::Sight;

mod answers;
mod arguments;
mod joint;
mod ways;

/// One query of a world.
pub struct WorldQuery {
    /// Its name, signature, cost, help and example, as scripts see it. The example is about two objects with bodies a
    /// metre in radius and joined by a hinge: `~this` at the origin, and `other` of team 2 five metres along x. A test
    /// runs it.
    pub query: Query,
    /// Answers a call.
    answer: fn(&mut QueryContext<'_, '_>) -> Result<Value, Halt>,
}

/// A query that is being answered.
struct QueryContext<'a, 'm> {
    /// The world.
    sight: &'a Sight<'a>,
    /// The evaluation that asks.
    machine: &'a mut Machine<'m>,
    /// Missing ones are nothing.
    arguments: [Value; ARGUMENTS_MAX],
}

static FILTER_FIRST: &[RecordArgument] = &[filter(0)];
static FILTER_THIRD: &[RecordArgument] = &[filter(2)];
static SHAPE_AND_FILTER_THIRD: &[RecordArgument] = &[SHAPE, filter(2)];
static SHAPE_AND_FILTER_FOURTH: &[RecordArgument] = &[SHAPE, filter(3)];

const SHAPE: RecordArgument = RecordArgument { index: 0, what: "a shape", fields: &arguments::FORM, means: &[] };

const fn filter(index: usize) -> RecordArgument {
    const MEANS: &[(&str, Meaning)] = &[("class", Meaning::Class), ("flag", Meaning::Flag)];
    RecordArgument { index, what: "a filter", fields: &arguments::FILTER, means: MEANS }
}

/// All queries of a world.
#[rustfmt::skip]
pub static QUERIES: [WorldQuery; 24] = [
    row(Query::new("within", "within(vector, number, record?) list of handle", 8, "The objects within this distance of a point, nearest first, that match the filter.", ("count(within(vec(0, 0, 0), 10))", "2")).with_records(FILTER_THIRD),
        answers::within),
    row(Query::new("within_box", "within_box(vector, vector, record?) list of handle", 8, "The objects in the box with these two corners that match the filter, ordered by handle.", (r#"within_box(vec(4, -1, -1), vec(6, 1, 1), { class "object" })[#0].position"#, "vec(5, 0, 0)")).with_records(FILTER_THIRD),
        answers::within_box),
    row(Query::new("nearest_object", "nearest_object(vector, number, record?) handle", 8, "The object nearest to a point, within this distance, that matches the filter; or nothing.", ("nearest_object(vec(9, 0, 0), 100, { team 2 }).position", "vec(5, 0, 0)")).with_records(FILTER_THIRD),
        answers::nearest_object),
    row(Query::new("nearest_objects", "nearest_objects(vector, number, record?) list of handle", 8, "The given number of objects nearest to a point that match the filter, nearest first.", ("count(nearest_objects(vec(0, 0, 0), 3))", "2")).with_records(FILTER_THIRD),
        answers::nearest_objects),
    row(Query::new("ray_first", "ray_first(vector, vector, record?) { object handle, distance number, at vector, normal vector }", 8, "Casts a ray from one point to another: the first object hit that matches the filter, with the distance, the hit point and the surface normal; or nothing.", ("ray_first(vec(2, 0, 0), vec(9, 0, 0)).distance", "2")).with_records(FILTER_THIRD).with_words(&answers::HIT),
        answers::ray_first),
    row(Query::new("ray_any", "ray_any(vector, vector, record?) truth", 8, "Whether a ray from one point to another hits any object that matches the filter.", ("ray_any(vec(2, 0, 0), vec(9, 0, 0), { enemy_of 1 })", "true")).with_records(FILTER_THIRD),
        answers::ray_any),
    row(Query::new("ray_all", "ray_all(vector, vector, record?) list of { object handle, distance number, at vector, normal vector }", 8, "All hits of a ray from one point to another that match the filter, nearest first.", ("count(ray_all(vec(-9, 0, 0), vec(9, 0, 0)))", "2")).with_records(FILTER_THIRD).with_words(&answers::HIT),
        answers::ray_all),
    row(Query::new("objects", "objects(record?) list of handle", 8, "All objects that match the filter, ordered by handle.", ("count(objects({ team 2 }))", "1")).with_records(FILTER_FIRST),
        answers::objects),
    row(Query::new("count_objects", "count_objects(record?) number", 8, "The number of objects that match the filter.", ("count_objects({ team 2 })", "1")).with_records(FILTER_FIRST),
        answers::count_objects),
    row(Query::new("sweep_first", "sweep_first(any, vector, vector, record?) { object handle, distance number, at vector, normal vector }", 8, "Sweeps a shape from one point to another: the first object hit that matches the filter, with the distance travelled, the contact point and the surface normal; or nothing.", ("sweep_first(0.5, vec(2, 0, 0), vec(9, 0, 0)).object.position", "vec(5, 0, 0)")).with_records(SHAPE_AND_FILTER_FOURTH).with_words(&answers::HIT),
        answers::sweep_first),
    row(Query::new("sweep_any", "sweep_any(any, vector, vector, record?) truth", 8, "Whether a shape swept from one point to another hits any object that matches the filter.", ("sweep_any(vec(1, 1, 2), vec(0, 0, 0), vec(0, 0, 9), { enemy_of 1 })", "false")).with_records(SHAPE_AND_FILTER_FOURTH),
        answers::sweep_any),
    row(Query::new("sweep_all", "sweep_all(any, vector, vector, record?) list of { object handle, distance number, at vector, normal vector }", 8, "All hits of a shape swept from one point to another, as if none stopped it, that match the filter, nearest first.", ("count(sweep_all({ radius 0.4, length 1 }, vec(-9, 0, 0), vec(9, 0, 0)))", "2")).with_records(SHAPE_AND_FILTER_FOURTH).with_words(&answers::HIT),
        answers::sweep_all),
    row(Query::new("overlap_any", "overlap_any(any, vector, record?) truth", 8, "Whether a shape at a point overlaps any object that matches the filter.", ("overlap_any(2, vec(0, 0, 0))", "true")).with_records(SHAPE_AND_FILTER_THIRD),
        answers::overlap_any),
    row(Query::new("overlap_all", "overlap_all(any, vector, record?) list of handle", 8, "All objects that overlap a shape at a point and match the filter, ordered by handle.", ("count(overlap_all({ half vec(1, 1, 2), facing vec(0, 1, 0) }, vec(0, 0, 0)))", "1")).with_records(SHAPE_AND_FILTER_THIRD),
        answers::overlap_all),
    row(Query::new("surface_first", "surface_first(vector, number, record?) { object handle, distance number, at vector, normal vector }", 8, "The object whose surface is nearest to a point, within this distance, that matches the filter, with the closest point on it; or nothing. Inside an object the distance is 0.", ("surface_first(vec(3, 0, 0), 5).distance", "1")).with_records(FILTER_THIRD).with_words(&answers::HIT),
        answers::surface_first),
    row(Query::new("surface_all", "surface_all(vector, number, record?) list of { object handle, distance number, at vector, normal vector }", 8, "All objects whose surfaces are within this distance of a point and match the filter, nearest first.", ("count(surface_all(vec(0, 0, 0), 5, { team 2 }))", "1")).with_records(FILTER_THIRD).with_words(&answers::HIT),
        answers::surface_all),
    row(Query::new("joint_between", "joint_between(handle, handle) { object handle, kind string, way number, speed number, force number, torque number, strain number }", 8, "The joint between two objects at the start of the cycle: the second object, the kind, the joint coordinate and its speed, the force and torque it bears, and their share of the breaking load; or nothing.", ("joint_between(~this, other).kind", r#""hinge""#)).with_words(joint::WORDS),
        joint::joint_between),
    row(Query::new("joints_of", "joints_of(handle) list of { object handle, kind string, way number, speed number, force number, torque number, strain number }", 8, "All joints of an object, each with the other object.", ("count(joints_of(~this))", "1")).with_words(joint::WORDS),
        joint::joints_of),
    row(Query::new("now", "now() number", 1, "The world's time in milliseconds: the length of all cycles up to this one.", ("now() >= 0", "true")),
        answers::now),
    row(Query::new("marker_of", "marker_of(handle, string) { position vector, facing vector, up vector }", 8, "Where a marker of an object is at the start of the cycle, and its directions: those of the object, if it has none of its own; or nothing.", (r#"marker_of(other, "nose")"#, "nothing")).with_words(&answers::MARKER),
        answers::marker_of),
    row(Query::new("named", "named(string) handle", 8, "The object that the level places under this name, the first one that still exists; or nothing.", (r#"named("goal")"#, "nothing")),
        answers::named),
    row(Query::new("find_way", "find_way(vector, vector, number?) { points list of vector, complete truth }", 8, "The shortest way from one point to another on the map of the level, for an agent of this radius: the points to go to one after the other, and whether the last one is the goal. If there is no way, or the search is too long, they lead as near as was found.", ("find_way(vec(0, 0, 0), vec(5, 0, 0)).complete", "false")).with_words(&ways::WAY),
        ways::find_way),
    row(Query::new("way_next", "way_next(vector, vector, number?) vector", 32, "The point to go to next on the way from one point to another on the map of the level, for an agent of this radius; or nothing. Cheap where `!Seek` keeps a field to the goal, otherwise as `find_way`.", ("way_next(vec(0, 0, 0), vec(5, 0, 0))", "nothing")),
        ways::way_next),
    row(Query::new("is_walkable", "is_walkable(vector, number?) truth", 8, "Whether an agent of this radius can be at a point of the map of the level.", ("is_walkable(vec(0, 0, 0))", "false")),
        ways::is_walkable),
];

/// The same rows as the checker, the compiler and the editors read them.
pub static SIGNATURES: [Query; QUERIES.len()] = {
    let mut queries = [QUERIES[0].query; QUERIES.len()];
    let mut index = 0;
    while index < queries.len() {
        queries[index] = QUERIES[index].query;
        index += 1;
    }
    queries
};

const fn row(query: Query, answer: fn(&mut QueryContext<'_, '_>) -> Result<Value, Halt>) -> WorldQuery {
    WorldQuery { query, answer }
}

impl Outside for Sight<'_> {
    #[inline]
    fn object(&self, handle: Handle<()>, _: u16) -> Option<(&Program, RowView<'_>)> {
        let (_, object, values) = self.keys.objects.find_values(self.block, handle.raw())?;
        Some((self.prototypes.programs().get(object.mind.program)?, RowView { head: &object.mind, values }))
    }

    #[inline]
    fn known(&self, handle: Handle<()>, _: u16, name: StringId) -> Option<Value> {
        let (_, object) = self.keys.objects.find_raw(self.block, handle.raw())?;
        self.prototypes.programs().get(object.mind.program)?;
        object.known(name).or_else(|| self.known_pose(handle.cast(), object, name))
    }

    #[inline]
    fn is_there(&self, handle: Handle<()>, _: u16) -> bool {
        let found = self.keys.objects.find_raw(self.block, handle.raw());
        found.is_some_and(|(_, object)| self.prototypes.programs().get(object.mind.program).is_some())
    }

    fn query(&self, number: u32, arguments: &[Value; ARGUMENTS_MAX], machine: &mut Machine<'_>) -> Result<Value, Halt> {
        match QUERIES.get(number as usize) {
            Some(row) => (row.answer)(&mut QueryContext { sight: self, machine, arguments: *arguments }),
            None => machine.find_nothing(number),
        }
    }
}
