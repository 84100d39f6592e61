//! Test worlds made from a few texts.
#![allow(dead_code, reason = "not every test uses everything")]

pub mod stage;

use std::sync::Arc;

use base::{Handle, StringId};
use proptest::test_runner::Config as ProptestConfig;
use relay::Event;
use script::parse::parse;
use script::row::RowView;
use script::value::Value;
use state::{Alone, Heap, Settings, Workers, World};
use tags::library::{Changed, Key, Ready};
use tags::{Classes, Library, TagPath, header};
use world::{Condition, LEVEL, Object, Rules, StepInput};

/// The configuration for this many random cases, unless the environment sets another number.
pub fn cases(count: u32, shrinking: u32) -> ProptestConfig {
    let config = ProptestConfig::default();
    let cases = if config.cases == 256 { count } else { config.cases };
    ProptestConfig { cases, max_shrink_iters: shrinking, failure_persistence: None, ..config }
}

/// A class of objects, as a header: its state with defaults.
pub fn class(name: &str, attributes: &str) -> String {
    format!("@EnvironmentHeader\n!set Namespace \"{name}\"\n!set Base \"object\"\n!set Attributes [{attributes}]\n")
}

/// All classes: those of every world, and those of the headers.
pub fn classes(headers: &[&str]) -> Classes {
    let mut classes = world::classes();
    for source in headers {
        let base = |name: &str| {
            classes.get(name).map(|prepared| prepared.class()).ok_or_else(|| (name.to_string(), String::new()))
        };
        let (class, reports) = header::read_with(source, &parse(source), "test.header", &base);
        assert!(reports.is_empty(), "{reports:?}");
        classes.add_table(class.expect("a class")).expect("a new class");
    }
    classes
}

/// Packs tags; a mistake in one of them fails the test.
pub fn pack(classes: &Classes, texts: &[(&str, &str)]) -> Vec<Ready> {
    let pack = |(path, text): &(&str, &str)| {
        let path = TagPath::new(path).expect("a path");
        let made = classes.get(path.class()).expect("a class").pack_text(text);
        assert!(made.is_sound(), "{path:?}: {:?}", made.reports);
        let mut key = [0; 32];
        key[..8].copy_from_slice(&base::hash::hash(text.as_bytes()).to_le_bytes());
        Ready { path, key: Key(key), packed: Arc::new(made.packed) }
    };
    texts.iter().map(pack).collect()
}

/// A world, with everything needed to step it.
pub struct Scene {
    pub content: Library,
    pub changed: Changed,
    pub rules: Rules,
    pub world: World,
    pub events: Vec<(u16, Event)>,
}

pub const SCENARIO: &str = "levels/test.scenario";

impl Scene {
    /// A level with these classes and tags. Without a scenario among them it is empty.
    pub fn new(headers: &[&str], texts: &[(&str, &str)]) -> Scene {
        Scene::with_settings(headers, texts, Settings::default())
    }

    /// A level of this scenario.
    pub fn on(scenario: &str, headers: &[&str], texts: &[(&str, &str)]) -> Scene {
        Scene::make(scenario, headers, texts, Settings::default())
    }

    pub fn with_settings(headers: &[&str], texts: &[(&str, &str)], settings: Settings) -> Scene {
        Scene::make(SCENARIO, headers, texts, settings)
    }

    fn make(scenario: &str, headers: &[&str], texts: &[(&str, &str)], settings: Settings) -> Scene {
        let classes = classes(headers);
        let mut texts = texts.to_vec();
        if !texts.iter().any(|(path, _)| *path == scenario) {
            texts.push((SCENARIO, "@scenario\n!set objects_max 256\n"));
        }
        let ready = pack(&classes, &texts);
        let mut content = Library::with_classes(Arc::new(classes));
        content.apply(ready);
        let rules = Rules::new("test", &content, StringId::from(scenario));
        let mut world = World::new(&rules.parts.plan, &Heap, settings, 7);
        world.set_up(|world| rules.set_up(world, &content));
        Scene { content, changed: Changed::default(), rules, world, events: Vec::new() }
    }

    /// Runs this many cycles.
    pub fn run(&mut self, cycles: u32) {
        self.run_with(cycles, &Alone);
    }

    pub fn run_with(&mut self, cycles: u32, workers: &dyn Workers) {
        for _ in 0..cycles {
            let input = StepInput { content: &self.content, changed: &self.changed, events: &self.events };
            self.rules.step(&mut self.world, &input, workers);
            self.changed = Changed::default();
            self.events.clear();
        }
    }

    /// Changes tags, with the next cycle.
    pub fn change(&mut self, texts: &[(&str, &str)]) {
        let ready = pack(self.content.classes(), texts);
        self.changed = self.content.apply(ready);
        self.rules = self.rules.renewed(&self.content, &self.changed);
    }

    /// Removes a tag, with the next cycle.
    pub fn lose(&mut self, path: &str) {
        let id = StringId::from(path);
        let class = self.content.class_of(id).map(|class| StringId::from(class.name.as_str()));
        let rest: Vec<Ready> = self.content.tags().filter(|ready| ready.path.id() != id).cloned().collect();
        let mut other = Library::new();
        other.apply(rest);
        self.content.replace_by(other);
        self.changed = Changed { tags: vec![id], classes: class.into_iter().collect() };
        self.rules = self.rules.renewed(&self.content, &self.changed);
    }

    /// All objects made from a tag, in order.
    pub fn all(&self, path: &str) -> Vec<Handle<Object>> {
        let tag = StringId::from(path);
        let objects = self.rules.parts.objects.iterate(&self.world);
        objects.filter(|(_, object)| object.tag.id() == tag).map(|(handle, _)| handle).collect()
    }

    /// The only object made from a tag.
    pub fn one(&self, path: &str) -> Handle<Object> {
        let all = self.all(path);
        assert_eq!(all.len(), 1, "{path}");
        all[0]
    }

    /// A variable of an object.
    pub fn get(&self, object: Handle<Object>, name: &str) -> Value {
        let objects = self.rules.parts.objects;
        let (head, values) = (objects.get(&self.world, object).mind, objects.values(&self.world, object));
        let program = self.rules.prototypes.programs().get(head.program).expect("a prototype");
        RowView { head: &head, values }.named(program, StringId::from(name)).expect(name)
    }

    pub fn number(&self, object: Handle<Object>, name: &str) -> f64 {
        let value = self.get(object, name);
        value.as_number().unwrap_or_else(|| panic!("{name}: {value:?}"))
    }

    /// A variable of the level.
    pub fn level(&self, name: &str) -> Value {
        self.get(LEVEL, name)
    }

    /// The number of occurrences of a condition.
    pub fn count(&self, condition: Condition) -> u64 {
        self.rules.parts.counts.get(&self.world).of(condition)
    }

    /// The conditions that came up.
    pub fn conditions(&self) -> Vec<Condition> {
        Condition::ALL.iter().copied().filter(|condition| self.count(*condition) > 0).collect()
    }
}
