//! A game that is a world of objects: its rules come from tags, and optionally from Rust.

use std::sync::Arc;

use base::random::Draw;
use base::{Handle, Random, StringId, Vec3};
use relay::Event;
use relay::table::{EventTable, FieldKind, FieldValue};
use script::machine::Outside;
use state::pacer::Lengths;
use state::{Block, Difference, Layout, Plan, Workers, World};
use tags::library::Changed;
use tags::packed::{Reflected, ReflectedRecord};
use tags::{Library, Tag};
use view::{Drawing, Frame, Moment, ShapeCatalogue, Topics};
use world::classes::Events;
use world::developer::{DeveloperError, VariableText};
use world::{Budget, Condition, Lap, LineCost, Object, Own, ProfileClock, Rules, Scenario, StepInput, TagCost};

use crate::game::{
    Ending, Extensions, Game, GameEntry, Inspect, LevelBefore, LevelChange, Levels, ObjectRow, Players, Show, Writing,
};

/// A game whose world is a world of objects.
pub struct ObjectGame {
    rules: Rules,
}

impl ObjectGame {
    /// A game with these rules.
    pub fn new(rules: Rules) -> ObjectGame {
        ObjectGame { rules }
    }

    /// The game of an entry on a level, with rules from tags only.
    pub fn make(entry: &GameEntry, level: &str, content: &Library) -> Arc<dyn Game> {
        // A missing level is an empty one.
        let scenario = scenario_of(content, level).unwrap_or_default();
        Arc::new(ObjectGame::new(Rules::new(entry.name, content, scenario)))
    }

    /// The same with an extension in Rust: regions of its own, brushes, and effects that scripts can have. `own` is called once for each level
    /// that is made; it reserves the regions and lists the brushes, which paint after those of the world, in the order of the list.
    ///
    /// A game lists this in [`GameEntry::make`], and the effects in its classes ([`with_own`](world::effects::with_own)), so that `tag check`
    /// and the editors know them.
    pub fn make_with_own(
        entry: &GameEntry,
        level: &str,
        content: &Library,
        own: impl FnOnce(&mut Layout) -> Arc<dyn Own>,
    ) -> Arc<dyn Game> {
        let scenario = scenario_of(content, level).unwrap_or_default();
        Arc::new(ObjectGame::new(Rules::with_own(entry.name, content, scenario, |layout| Some(own(layout)))))
    }

    /// Its rules.
    pub fn rules(&self) -> &Rules {
        &self.rules
    }
}

/// The base class of all levels.
pub const SCENARIO: &str = Scenario::CLASS;

/// The folder of the levels.
pub const LEVELS: &str = "levels/";

/// The id of a level's scenario, if it exists: a tag of the class `scenario` or of a class derived from it. If two have
/// one name, the first in the order of their paths counts.
pub fn scenario_of(content: &Library, level: &str) -> Option<StringId> {
    let is_it = |id: &StringId| content.path(*id).and_then(|path| level_of(path.as_str())) == Some(level);
    content.of_base(SCENARIO).into_iter().find(is_it)
}

/// How many players the scenario of a level lists; none if it has no scenario.
pub fn players_of(content: &Library, level: &str) -> Option<u16> {
    let scenario = content.get_as::<Scenario>(scenario_of(content, level)?)?;
    Some(scenario.each(&scenario.players).len().min(usize::from(relay::limits::PEOPLE_MAX)) as u16)
}

/// The name of the level at a path: the path without folder and extension.
pub fn level_of(path: &str) -> Option<&str> {
    Some(path.strip_prefix(LEVELS)?.rsplit_once('.')?.0)
}

/// The level that a script refers to, by path or by name.
fn level_named(content: &Library, name: StringId) -> Option<&str> {
    let paths = content.of_base(SCENARIO).into_iter().filter_map(|id| content.path(id));
    let mut levels = paths.filter_map(|path| Some((path.id(), level_of(path.as_str())?)));
    levels.find(|(id, level)| *id == name || StringId::from(*level) == name).map(|(_, level)| level)
}

/// The text of a name somewhere in a record.
fn text_in(record: ReflectedRecord<'_>, name: StringId) -> Option<&str> {
    record.fields().find_map(|(_, seen)| match seen {
        Reflected::Name(text, id) => (id == name).then_some(text),
        Reflected::Series(series) => series.each().find_map(|element| match element {
            Reflected::Record(inner) => text_in(inner, name),
            _ => None,
        }),
        _ => None,
    })
}

impl Game for ObjectGame {
    fn plan(&self) -> &Arc<Plan> {
        &self.rules.parts.plan
    }

    fn set_up(&self, world: &mut World, content: &Library) {
        self.rules.set_up(world, content);
    }

    fn step(&self, world: &mut World, input: &StepInput<'_>, workers: &dyn Workers) {
        self.rules.step(world, input, workers);
    }

    fn lengths(&self) -> Lengths {
        self.rules.level.settings.lengths
    }

    fn lengths_in(&self, world: &Block) -> Option<Lengths> {
        Some(*self.rules.parts.lengths.get(world))
    }

    fn describe(&self, world: &Block) -> String {
        let parts = &self.rules.parts;
        let (objects, progress) = (parts.objects.count(world), parts.progress.get(world));
        let counts = parts.counts.get(world);
        let mut text = format!(
            "{objects} objects, {} spawned, {} destroyed; {} messages, {} hits",
            progress.spawned, progress.destroyed, progress.messages, progress.hits
        );
        for condition in Condition::ALL.iter().filter(|condition| counts.of(**condition) > 0) {
            let count = counts.of(*condition);
            let times = if count == 1 { "time" } else { "times" };
            text.push_str(&format!("\n{count} {times}: {}", condition.text()));
        }
        text
    }

    fn extensions(&self) -> Extensions<'_> {
        Extensions {
            levels: Some(self),
            players: Some(self),
            inspect: Some(self),
            show: Some(self),
            rules: Some(&self.rules),
        }
    }
}

impl Levels for ObjectGame {
    fn carry_over(&self, before: &LevelBefore<'_>, world: &mut World) {
        if let (LevelChange::Edited, Some(rules)) = (before.why, before.game.extensions().rules) {
            self.rules.carry_players(rules, before.world, world);
        }
    }

    fn renewed(&self, content: &Library, changed: &Changed) -> Option<Arc<dyn Game>> {
        Some(Arc::new(ObjectGame { rules: self.rules.renewed(content, changed) }))
    }

    fn ending(&self, world: &Block, content: &Library) -> Option<Ending> {
        let progress = self.rules.parts.progress.get(world);
        if progress.is_over == 0 {
            return None;
        }
        let result = self.rules.prototypes.text(progress.result).unwrap_or_default().to_string();
        let next = (!progress.next.is_none()).then(|| {
            let known = level_named(content, progress.next).or_else(|| self.rules.prototypes.text(progress.next));
            known.map_or_else(|| String::from("(unknown name)"), str::to_string)
        });
        Some(Ending { result, next })
    }
}

impl Players for ObjectGame {
    fn events(&self) -> Option<&EventTable> {
        Some(&self.rules.level.events)
    }

    fn text_of<'a>(&'a self, name: StringId, content: &'a Library) -> Option<&'a str> {
        let tables = content.of_base(Events::CLASS).into_iter();
        let mut tables = tables.filter_map(|id| Some(content.packed(id)?.reflect(content.class_of(id)?)));
        tables.find_map(|table| text_in(table, name)).or_else(|| self.rules.prototypes.text(name))
    }

    fn play_robot(&self, random: &mut Draw, events: &mut Vec<Event>) {
        let table = &self.rules.level.events;
        for (kind, chance) in table.kinds().iter().zip(&self.rules.level.robots) {
            if !random.chance(*chance) {
                continue;
            }
            let fields: Vec<FieldValue> = kind
                .fields
                .iter()
                .map(|field| {
                    let (least, most) = field.range.unwrap_or((0.0, 1.0));
                    let mut number = || random.between(least, most);
                    match field.kind {
                        FieldKind::Number => FieldValue::Number(number()),
                        FieldKind::Identifier => FieldValue::Identifier(number() as i32),
                        FieldKind::Vector => FieldValue::Vector(Vec3::new(number(), number(), number())),
                        FieldKind::Truth => FieldValue::Truth(random.chance(0.5)),
                        FieldKind::String => FieldValue::String(StringId::default()),
                        FieldKind::Object => FieldValue::Object(Handle::NONE),
                    }
                })
                .collect();
            // A robot whose event is invalid sends none.
            events.extend(table.make(kind.name, &fields));
        }
    }
}

impl Inspect for ObjectGame {
    fn step_in_laps(
        &self,
        world: &mut World,
        input: &StepInput<'_>,
        workers: &dyn Workers,
        lap: &mut dyn FnMut(Lap),
    ) -> bool {
        self.rules.step_in_laps(world, input, workers, lap);
        true
    }

    fn prepare_profile(&self, clock: &ProfileClock) {
        self.rules.prepare_profile(clock);
    }

    fn each_object_tag(&self, take: &mut dyn FnMut(StringId, &str, &str)) {
        self.rules.each_object_tag(take);
    }

    fn switch_profile(&self, is_on: bool) {
        self.rules.switch_profile(is_on);
    }

    fn take_costs(&self, input: &StepInput<'_>, take: &mut dyn FnMut(TagCost)) {
        self.rules.take_costs(input, take);
    }

    fn take_lines(&self, input: &StepInput<'_>, take: &mut dyn FnMut(LineCost)) {
        self.rules.take_lines(input, take);
    }

    fn budgets(&self) -> &[Budget] {
        self.rules.budgets()
    }

    fn explain(&self, difference: &Difference, left: &Block, right: &Block) -> Option<String> {
        let rules = &self.rules;
        let slot = difference.slot.filter(|_| difference.region == world::rules::OBJECTS)? as u16;
        let object = rules.name_of(left, slot).or_else(|| rules.name_of(right, slot))?;
        let Difference { cycle, field, .. } = difference;
        let Some(number) = difference.row_value.map(|number| number as usize) else {
            let (dot, left, right) = (if field.is_empty() { "" } else { " " }, &difference.left, &difference.right);
            return Some(format!("cycle {cycle}, {object}:{dot}{field} {left} ≠ {right}"));
        };
        let value = |block: &Block| {
            let (handle, _) = rules.parts.objects.at_slot(block, slot)?;
            let value = rules.parts.objects.values(block, handle).get(number)?;
            Some(rules.prototypes.written(*value))
        };
        let (left_value, right_value) = (value(left).unwrap_or_default(), value(right).unwrap_or_default());
        let name = rules.variable_name(left, slot, number).unwrap_or("list contents");
        Some(format!("cycle {cycle}, {object}: {name} {left_value} ≠ {right_value}"))
    }

    fn object_of(&self, difference: &Difference, block: &Block) -> Option<(u32, String)> {
        let slot = difference.slot.filter(|_| difference.region == world::rules::OBJECTS)? as u16;
        let number = difference.row_value? as usize;
        let (handle, _) = self.rules.parts.objects.at_slot(block, slot)?;
        Some((handle.raw(), self.rules.variable_name(block, slot, number)?.to_string()))
    }

    fn watch(&self, object: u32) {
        self.rules.watch(Handle::from_raw(object));
    }

    fn written(&self, world: &Block) -> Vec<Writing> {
        let rules = &self.rules;
        let written = rules.take_written();
        let writing = |written: &world::workspaces::VariableWrite| Writing {
            cycle: written.cycle,
            variable: rules
                .variable_name(world, written.object.slot(), written.variable as usize)
                .unwrap_or_default()
                .to_string(),
            line: rules.tell_written(world, written),
        };
        written.iter().map(writing).collect()
    }

    fn objects(&self, world: &Block, most: usize) -> Vec<ObjectRow> {
        let row = |(handle, object): (Handle<Object>, &Object)| ObjectRow {
            object: handle.raw(),
            tag: self.rules.prototypes.get(object.mind.program).map_or(String::new(), |found| found.path.clone()),
            position: object.position,
            team: object.team,
        };
        self.rules.parts.objects.iterate(world).take(most).map(row).collect()
    }

    fn variables(&self, world: &Block, object: u32) -> Vec<VariableText> {
        self.rules.variables(world, object)
    }

    fn ask(&self, world: &Block, object: u32, text: &str) -> Result<String, DeveloperError> {
        self.rules.ask(world, object, text)
    }

    fn set_event(&self, world: &Block, object: u32, variable: &str, text: &str) -> Result<Event, DeveloperError> {
        self.rules.set_event(world, object, variable, text)
    }

    fn conditions(&self, world: &Block) -> Vec<(&'static str, u64)> {
        let counts = self.rules.parts.counts.get(world);
        let counted = Condition::ALL.iter().map(|condition| (condition.text(), counts.of(*condition)));
        counted.filter(|(_, count)| *count > 0).collect()
    }

    fn troubles(&self) -> Vec<String> {
        self.rules.log.take(&self.rules.prototypes)
    }
}

impl Show for ObjectGame {
    fn extract(&self, world: &Block, _: &Library, moment: &Moment, frame: &mut Frame, workers: &dyn Workers) {
        self.rules.extract_with(world, moment, frame, workers);
    }

    fn observe(&self, world: &Block, read: &mut dyn FnMut(&dyn Outside)) {
        read(&self.rules.observe(world));
    }

    fn shape_catalogue(&self) -> ShapeCatalogue {
        self.rules.shape_catalogue()
    }

    fn draw(&self, world: &Block, topics: Topics, drawing: &mut Drawing) {
        self.rules.draw(world, topics, drawing);
    }

    fn up_at(&self, world: &Block, place: Vec3) -> Vec3 {
        self.rules.up_at(world, place)
    }
}
