//! A match of Fleet that a test plays: with the events that the controls and the interfaces of a person would send.

use std::sync::Arc;

use astrarium::Content;
use astrarium::base::{Handle, StringId, Vec3};
use astrarium::relay::relay::Refusal;
use astrarium::relay::table::FieldValue;
use astrarium::script::value::Value;
use astrarium::session::{Session, Start};
use astrarium::state::{Alone, Heap, Settings};
use astrarium::tags::library::Ready;
use astrarium::tags::{Key, TagPath};
use astrarium::world::{Condition, Object, Rules};
use fleet::ENTRY;

/// A match, with the rules to read its world. Its players are persons, who send nothing unless the test does.
pub struct Match {
    pub session: Session,
    pub rules: Rules,
    /// The players that no person plays just now: robots do.
    pub absent: Vec<u16>,
}

fn path_of(content: &Content, level: &str) -> String {
    let paths = ["match", "mission"].map(|class| format!("levels/{level}.{class}"));
    paths.into_iter().find(|path| content.library().key(StringId::from(path.as_str())).is_some()).expect("a level")
}

impl Match {
    pub fn begin(level: &str, seed: u64, content: Content) -> Match {
        Match::begin_for(1, level, seed, content)
    }

    /// The same, for more people.
    pub fn begin_for(players: u16, level: &str, seed: u64, content: Content) -> Match {
        let path = path_of(&content, level);
        let rules = Rules::new(ENTRY.name, content.library(), StringId::from(path.as_str()));
        let settings = Settings { is_checked: false, ..Settings::default() };
        let start = Start { level: level.into(), seed, players, settings };
        let session = Session::begin(&ENTRY, content, &start, &Heap).expect("the level exists");
        Match { session, rules, absent: Vec::new() }
    }

    /// Follows to the level that has begun.
    pub fn follow(&mut self, level: &str) {
        let path = path_of(self.session.content(), level);
        for _ in 0..100 {
            if self.session.level() == path || self.session.level() == level {
                break;
            }
            self.step();
        }
        assert!(self.session.level() == path || self.session.level() == level, "{}", self.session.level());
        self.rules = Rules::new(ENTRY.name, self.session.content().library(), StringId::from(path.as_str()));
    }

    /// One brush cycle. Who is there sends a batch for every safe cycle, if only an empty one.
    pub fn step(&mut self) {
        if self.session.lengths().is_safe(self.session.world().cycle()) {
            let next = self.session.next_safe_cycle();
            for player in (0..self.session.players()).filter(|player| !self.absent.contains(player)) {
                match self.session.deliver(player, next, &[]) {
                    // The test has sent something for it.
                    Ok(()) | Err(Refusal::Twice) => {}
                    Err(refusal) => panic!("{refusal}"),
                }
            }
        }
        self.session.step(&Alone);
    }

    pub fn run_to(&mut self, cycle: u64) {
        while self.session.world().cycle() < cycle {
            self.step();
        }
    }

    pub fn run_for(&mut self, cycles: u64) {
        let now = self.session.world().cycle();
        self.run_to(now + cycles);
    }

    pub fn handles(&self, path: &str) -> Vec<(Handle<Object>, Object)> {
        let tag = StringId::from(path);
        let objects = self.rules.parts.objects.iterate(self.session.world());
        objects.filter(|(_, object)| object.tag.id() == tag).map(|(handle, object)| (handle, *object)).collect()
    }

    pub fn all(&self, path: &str) -> Vec<Object> {
        self.handles(path).into_iter().map(|(_, object)| object).collect()
    }

    /// A variable of an object.
    pub fn variable(&self, object: Handle<Object>, name: &str) -> Value {
        self.rules.variable(self.session.world(), object, name).map(|(_, value)| value).expect("it has this variable")
    }

    /// A variable of the level.
    pub fn of_level(&self, name: &str) -> Value {
        let path = path_of(self.session.content(), level_name(self.session.level()));
        let (level, _) = *self.handles(&path).first().expect("the level is an object");
        self.variable(level, name)
    }

    /// How it ended, or "none".
    pub fn result(&self) -> StringId {
        self.of_level("result").as_string().expect("a string")
    }

    /// What the person does, as the controls would send it.
    pub fn send(&mut self, name: &str, fields: &[FieldValue]) {
        assert!(self.try_to_send(StringId::from(name), fields), "the table has {name}");
    }

    /// The same with values that the table may refuse: then nothing is sent.
    pub fn try_to_send(&mut self, name: StringId, fields: &[FieldValue]) -> bool {
        let table = self.session.game().events().expect("the level has events");
        let Ok(event) = table.make(name, fields) else { return false };
        let next = self.session.next_safe_cycle();
        self.session.deliver(0, next, &[event]).expect("the batch is valid");
        self.step();
        self.run_for(10);
        true
    }

    /// A button of the menu, or of the end of a match.
    pub fn press(&mut self, which: f32) {
        self.send("begin", &[FieldValue::Number(which)]);
    }

    /// An order to what is selected.
    pub fn order(&mut self, what: &str, place: Vec3, whom: Handle<Object>) {
        let what = FieldValue::String(StringId::from(what));
        self.send("command", &[what, FieldValue::Vector(place), FieldValue::Object(Handle::from_raw(whom.raw()))]);
    }

    /// Clicks a unit.
    pub fn click(&mut self, unit: Handle<Object>) {
        self.choose(unit, false);
    }

    /// Clicks a unit; with `more` it is selected beside the others.
    pub fn choose(&mut self, unit: Handle<Object>, more: bool) {
        let way = FieldValue::Vector(Vec3::new(1.0, 0.0, 0.0));
        self.send("press", &[way]);
        self.send("choose", &[FieldValue::Object(Handle::from_raw(unit.raw())), way, FieldValue::Truth(more)]);
    }

    /// The handles of a side's objects of a tag.
    pub fn side(&self, path: &str, team: u32) -> Vec<Handle<Object>> {
        self.handles(path).into_iter().filter(|(_, object)| object.team == team).map(|(handle, _)| handle).collect()
    }

    pub fn position(&self, object: Handle<Object>) -> Vec3 {
        self.rules.parts.objects.get(self.session.world(), object).position
    }

    pub fn assert_no_complaint(&self) {
        let counts = self.rules.parts.counts.get(self.session.world());
        for condition in [Condition::Halted, Condition::Complained, Condition::NoSuchEffect, Condition::EventRefused] {
            assert_eq!(counts.of(condition), 0, "{condition:?}: {:?}", self.session.game().troubles());
        }
    }
}

/// The name of a level, without its folder and its class.
fn level_name(level: &str) -> &str {
    let name = level.rsplit('/').next().unwrap_or(level);
    name.split('.').next().unwrap_or(name)
}

pub fn content(level: &str) -> Content {
    ENTRY.content(level).expect("the built-in tags have no mistakes")
}

const MAP: &str = "maps/disc.match";

/// The content of a match on another map: that of all, changed.
pub fn content_with(level: &str, change: impl Fn(&str) -> String) -> Content {
    let built_in = content(level);
    let path = format!("levels/{level}.match");
    let text_of = |path: &str| ENTRY.tags.texts.iter().find(|(known, _)| *known == path).expect("it is built in").1;
    let rest = text_of(&path).split_once(&format!("!from \"{MAP}\"")).expect("it is made from the map").1;
    let whole = format!("{}\n{rest}", change(text_of(MAP)));
    let path = TagPath::new(&path).expect("a path");
    let made = built_in.classes().get(path.class()).expect("a class").pack_text(&whole);
    assert!(made.is_sound(), "{:?}", made.reports);
    let other = Ready { path, key: Key([7; 32]), packed: Arc::new(made.packed) };
    let tags = built_in.library().tags().filter(|ready| ready.path != other.path).cloned().collect::<Vec<_>>();
    Content::new(Arc::clone(built_in.classes()), tags.into_iter().chain([other]))
}

pub const NOBODY: Handle<Object> = Handle::NONE;
