//! A world of puppets: a director forwards the requests of a test to them, as messages. And naive references for
//! queries and containers.

use base::{Handle, StringId, Vec3};
use relay::Event;
use script::row::RowView;
use script::stage::next_due;
use script::value::Value;
use state::Settings;
use world::object::{OWNER, POSITION, TEAM, VARIABLES, handle_of, team_of};
use world::question::{Filter, Hits, Question, Want};
use world::{LEVEL, Object};

use super::{SCENARIO, Scene, class};

const STATE: &str =
    "{ name \"n\", type \"number\", state true, default 0 }, { name \"other\", type \"handle\", state true }";

const PUPPET: &str = "
!set OnGo Lambda(other, place, number, !set position place)
!set OnMove Lambda(other, place, number, !Move(place))
!set OnSpeed Lambda(other, place, number, !set velocity place)
!set OnFace Lambda(other, place, number, !set facing place)
!set OnTeam Lambda(other, place, number, !set team number)
!set OnJoin Lambda(other, place, number, !Join(~this, number))
!set OnOwn Lambda(other, place, number, !set owner other)
!set OnGive Lambda(other, place, number, !Give(~this, other))
!set OnAttach Lambda(other, place, number, !Attach(~this, other))
!set OnDetach Lambda(other, place, number, !Detach(~this))
!set OnFlag Lambda(other, place, number, !Flag(\"armed\", number > 15))
!set OnMark Lambda(other, place, number, !Flag(\"marked\", number > 15))
!set OnEnd Lambda(other, place, number, !Destroy(~this))
!set OnMake Lambda(other, place, number, !Spawn(\"b.puppet\", { position place, team number }))
";

/// The tags of the puppets.
pub const KINDS: [&str; 4] = ["a.thing", "b.puppet", "c.doll", "d.rock"];

/// A request to a puppet.
#[derive(Clone, Copy, Debug)]
pub struct Request {
    pub name: &'static str,
    pub who: Handle<Object>,
    pub other: Handle<Object>,
    pub place: Vec3,
    pub number: u32,
}

/// A world with a director and these puppets: kind, position, team.
pub fn puppets(placed: &[(usize, Vec3, u32)], cell: f32, settings: Settings) -> Scene {
    let rows: Vec<String> = placed
        .iter()
        .map(|(kind, at, team)| {
            let vector = format!("vec({}, {}, {})", at.x, at.y, at.z);
            format!("{{ object \"{}\", position {vector}, team {team} }}", KINDS[*kind])
        })
        .collect();
    let scenario = format!(
        "@scenario\n!set objects_max 256\n!set values_max 65536\n!set cell_size {cell}\n!set events \"input.events\"
!set players [{{ object \"x.director\", position vec(3, 3, 3) }}]\n!set placements [{}]\n",
        rows.join(", ")
    );
    let events = "@events\n!set kinds [{ name \"do\", limit 64, fields [
{ name \"who\", kind \"object\" }, { name \"name\", kind \"string\" }, { name \"other\", kind \"object\" }, { name \"number\", kind \"number\" }] },
{ name \"place\", limit 64, fields [{ name \"at\", kind \"vector\", min -30000000, max 30000000 }] }]";
    // An event is too short for all of it: the position is sent first, and used by all that follow.
    let director = "@director\n!set OnPlace Lambda(at, !set spot at)
!set OnDo Lambda(who, name, other, number, !Send(who, name, other, spot, number))";
    let texts = [
        ("a.thing", format!("@thing\n!set radius 0.5{PUPPET}")),
        ("b.puppet", format!("@puppet\n!set radius 2{PUPPET}")),
        ("c.doll", format!("@doll\n!set survives_parent true{PUPPET}")),
        ("d.rock", format!("@rock\n!set radius 7{PUPPET}")),
        ("x.director", director.to_string()),
        ("globals.globals", "@globals\n!set flags [\"armed\", \"marked\"]\n".to_string()),
        ("input.events", events.to_string()),
        (SCENARIO, scenario),
    ];
    let texts: Vec<(&str, &str)> = texts.iter().map(|(path, text)| (*path, text.as_str())).collect();
    let derived = |name: &str, base: &str| class(name, "").replace("\"object\"", &format!("\"{base}\""));
    let headers = [
        class("thing", STATE),
        derived("puppet", "thing"),
        derived("doll", "puppet"),
        class("rock", STATE),
        class("director", "{ name \"spot\", type \"vector\", state true }"),
    ];
    let headers: Vec<&str> = headers.iter().map(String::as_str).collect();
    Scene::with_settings(&headers, &texts, settings)
}

impl Scene {
    /// Has the director forward a request in the next cycle.
    pub fn request(&mut self, request: Request) {
        let Vec3 { x, y, z } = request.place;
        self.events.push((0, Event::new(StringId::new("place"), &[x.to_bits(), y.to_bits(), z.to_bits()])));
        let name = StringId::from(request.name).number();
        let (low, high) = (name as u32, (name >> 32) as u32);
        let number = (request.number as f32).to_bits();
        let words = [request.who.raw(), low, high, request.other.raw(), number];
        self.events.push((0, Event::new(StringId::new("do"), &words)));
    }

    /// All objects but the level, in the order of slots.
    pub fn all_objects(&self) -> Vec<(Handle<Object>, Object)> {
        let objects = self.rules.parts.objects.iterate(&self.world);
        objects.filter(|(handle, _)| *handle != LEVEL).map(|(handle, object)| (handle, *object)).collect()
    }

    /// The result of a query: the objects, their distances, and whether it was cut.
    pub fn ask(&self, question: &Question, filter: &Filter) -> Answer {
        self.ask_with(question, filter, usize::MAX, u64::MAX)
    }

    pub fn ask_with(&self, question: &Question, filter: &Filter, room: usize, budget: u64) -> Answer {
        let mut hits = Hits::new(room);
        let asked = self.rules.sight(&self.world).find(question, filter, &mut hits, budget);
        let found = hits.as_slice().iter().map(|hit| (hit.handle.cast(), hit.distance)).collect();
        Answer { found, count: asked.count, cost: asked.cost, is_cut: asked.is_cut }
    }

    /// The datums of all objects agree with their variables.
    #[track_caller]
    pub fn assert_settled(&self) {
        for (handle, object) in &self.all_objects() {
            let values = self.rules.parts.objects.values(&self.world, *handle);
            assert_eq!(values[POSITION].as_vector(), Some(object.position), "{handle:?}");
            assert_eq!(team_of(values[TEAM]), Some(object.team), "{handle:?}");
        }
    }

    /// The containers match a linear scan.
    #[track_caller]
    pub fn assert_containers_hold(&self) {
        let objects = self.rules.parts.objects;
        let all_objects = self.all_objects();
        let find =
            |handle: Handle<Object>| all_objects.iter().find(|(other, _)| *other == handle).map(|(_, object)| object);
        // Valid copies equal the variables, and no timer is due before its cached cycle.
        for (handle, object) in &all_objects {
            let values = objects.values(&self.world, *handle);
            for (number, name) in VARIABLES.into_iter().enumerate() {
                let known = object.known(StringId::new(name));
                assert!(
                    known.is_none_or(|known| known == values[number]),
                    "{handle:?}: the copy of {name} is {known:?}"
                );
            }
            // An object without a prototype has no timers.
            let program = self.rules.prototypes.programs().get(object.mind.program);
            let due = program.and_then(|program| next_due(program, RowView { head: &object.mind, values }));
            let due = due.unwrap_or(f64::INFINITY);
            assert!(
                object.timer_at == u64::MAX && due.is_infinite() || object.timer_at as f64 * 10.0 < due + 10.0,
                "{handle:?}: {} is after {due}",
                object.timer_at
            );
            assert_eq!(handle_of(values[OWNER]), object.owner, "{handle:?}");
            assert!(object.owner.is_none() || find(object.owner).is_some(), "the owner of {handle:?} does not exist");
            assert!(
                object.parent.is_none() || find(object.parent).is_some(),
                "the parent of {handle:?} does not exist"
            );
            assert!(object.position.is_finite() && object.facing.is_finite());
            assert_eq!(object.cell, self.rules.space.list_at(object.position), "{handle:?} at {:?}", object.position);
        }
        // Cell lists: each object once, in the list of its cell, doubly linked.
        let mut listed = Vec::new();
        for (list, first) in self.rules.parts.cells.get(&self.world).iter().enumerate() {
            let (mut before, mut at) = (Handle::NONE, *first);
            while !at.is_none() {
                let object = find(at).unwrap_or_else(|| panic!("list {list} contains {at:?}, which does not exist"));
                assert_eq!((object.cell, object.previous_in_cell), (list as u32, before), "{at:?}");
                listed.push(at);
                assert!(listed.len() <= all_objects.len(), "list {list} has a cycle");
                (before, at) = (at, object.next_in_cell);
            }
        }
        listed.sort_by_key(|handle| handle.slot());
        assert_eq!(
            listed,
            all_objects.iter().map(|(handle, _)| *handle).collect::<Vec<_>>(),
            "every object is in one list"
        );
        // Owners and attachments: doubly linked, without cycles.
        for (handle, object) in &all_objects {
            let (mut owned, mut before, mut at) = (Vec::new(), Handle::NONE, object.first_owned);
            while !at.is_none() {
                let found = find(at).unwrap_or_else(|| panic!("{at:?}, owned by {handle:?}, does not exist"));
                assert_eq!((found.owner, found.previous_owned), (*handle, before));
                owned.push(at);
                assert!(owned.len() <= all_objects.len(), "the objects owned by {handle:?} form a cycle");
                (before, at) = (at, found.next_owned);
            }
            owned.sort_by_key(|handle| handle.slot());
            let truth: Vec<_> =
                all_objects.iter().filter(|(_, other)| other.owner == *handle).map(|(other, _)| *other).collect();
            assert_eq!(owned, truth, "the objects owned by {handle:?}");
            let (mut children, mut at) = (Vec::new(), object.first_child);
            while !at.is_none() {
                let found = find(at).unwrap_or_else(|| panic!("{at:?}, attached to {handle:?}, does not exist"));
                children.push(at);
                assert!(children.len() <= all_objects.len(), "the attachments of {handle:?} form a cycle");
                at = found.next_child;
            }
            children.sort_by_key(|handle| handle.slot());
            let truth: Vec<_> =
                all_objects.iter().filter(|(_, other)| other.parent == *handle).map(|(other, _)| *other).collect();
            assert_eq!(children, truth, "the attachments of {handle:?}");
            let (mut above, mut steps) = (object.parent, 0);
            while let Some(parent) = find(above) {
                (above, steps) = (parent.parent, steps + 1);
                assert!(steps <= world::limits::ATTACHMENT_DEPTH_MAX, "{handle:?} is attached too deep or in a cycle");
            }
        }
    }
}

/// The result of a query.
#[derive(Clone, Debug, PartialEq)]
pub struct Answer {
    pub found: Vec<(Handle<Object>, f64)>,
    pub count: u64,
    pub cost: u64,
    pub is_cut: bool,
}

/// Whether a filter accepts an object, from its own data alone.
pub fn is_accepted(scene: &Scene, filter: &Filter, handle: Handle<Object>, object: &Object) -> bool {
    let class = scene.content.class_of(object.tag.id()).expect("a class").name.clone();
    let classes = scene.content.classes();
    let named = |id: StringId| {
        classes.iter().map(|class| class.class().name.clone()).find(|name| StringId::from(name.as_str()) == id)
    };
    let is_class = filter.class.is_none() || named(filter.class).is_some_and(|base| classes.is_a(&class, &base));
    let flags = [StringId::from("armed"), StringId::from("marked")];
    let is_flagged = filter.flag.is_none()
        || flags.iter().position(|flag| *flag == filter.flag).is_some_and(|number| object.flags >> number & 1 == 1);
    is_class
        && is_flagged
        && filter.team.is_none_or(|team| i64::from(object.team) == i64::from(team))
        && filter.other_than_team.is_none_or(|team| i64::from(object.team) != i64::from(team))
        && filter.owner.is_none_or(|owner| object.owner == owner.cast())
        && !filter.except.contains(&handle.cast())
}

/// The result of a linear scan; for rays, with the certainty of each hit.
pub fn naive(scene: &Scene, question: &Question, filter: &Filter) -> Vec<(Handle<Object>, f64)> {
    let all_objects = scene.all_objects();
    let accepted = all_objects.iter().filter(|(handle, object)| is_accepted(scene, filter, *handle, object));
    let squared = |object: &Object, centre: Vec3| (object.position - centre).length_squared();
    let mut found: Vec<(Handle<Object>, f64)> = accepted
        .filter_map(|(handle, object)| {
            let distance = match *question {
                Question::All | Question::Count => Some(0.0),
                Question::Box { least, most } => {
                    let at = object.position;
                    let is_in = at.x >= least.x
                        && at.y >= least.y
                        && at.z >= least.z
                        && at.x <= most.x
                        && at.y <= most.y
                        && at.z <= most.z;
                    is_in.then_some(0.0)
                }
                Question::Within { centre, radius } | Question::Nearest { centre, radius_max: radius, .. } => {
                    let (squared, radius) = (squared(object, centre), radius as f32);
                    (radius >= 0.0 && squared <= radius * radius).then(|| base::number::sqrt(squared))
                }
                Question::Ray { from, to, .. } => meeting(object, from, to).map(|distance| distance as f32),
                Question::Sweep { .. } | Question::Overlap { .. } | Question::Surface { .. } => {
                    unreachable!("shape queries have a separate test")
                }
            };
            Some((*handle, f64::from(distance?)))
        })
        .collect();
    found.sort_by(|one, other| one.1.total_cmp(&other.1).then(one.0.slot().cmp(&other.0.slot())));
    match question {
        Question::Nearest { count, .. } => found.truncate((*count).max(1) as usize),
        Question::Ray { want: Want::First | Want::Any, .. } => found.truncate(1),
        _ => {}
    }
    found
}

/// The distance at which a segment hits an object's sphere, in double precision.
pub fn meeting(object: &Object, from: Vec3, to: Vec3) -> Option<f64> {
    let wide = |at: Vec3| [f64::from(at.x), f64::from(at.y), f64::from(at.z)];
    let (at, from, to) = (wide(object.position), wide(from), wide(to));
    let minus = |a: [f64; 3], b: [f64; 3]| [a[0] - b[0], a[1] - b[1], a[2] - b[2]];
    let dot = |a: [f64; 3], b: [f64; 3]| a[0] * b[0] + a[1] * b[1] + a[2] * b[2];
    let (centre, way) = (minus(at, from), minus(to, from));
    let reach = f64::from(object.radius) * f64::from(object.radius);
    if dot(centre, centre) <= reach {
        return Some(0.0);
    }
    let length = dot(way, way).sqrt();
    if length == 0.0 {
        return None;
    }
    let along = dot(centre, way) / length;
    let aside = dot(centre, centre) - along * along;
    let distance = along - base::number::double::max(reach - aside, 0.0).sqrt();
    (aside <= reach && distance >= 0.0 && distance <= length).then_some(distance)
}

/// A value as a number.
pub fn number(value: Value) -> f64 {
    value.as_number().expect("a number")
}
