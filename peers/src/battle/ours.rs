//! Our battle: headers, tags and scripts; not a line of Rust about ships.

use std::fmt::Write;
use std::sync::Arc;
use std::time::{Duration, Instant};

use astrarium::base::StringId;
use astrarium::host::thread_pool::ThreadPool;
use astrarium::host::pages::Pages;
use astrarium::script::parse::parse;
use astrarium::state::pacer::Lengths;
use astrarium::state::{Settings, World};
use astrarium::tags::library::{Changed, Key, Ready};
use astrarium::tags::{Classes, Library, TagPath, header};
use astrarium::world::workspaces::STAGES;
use astrarium::world::{Condition, Lap, Rules, StepInput};
use cpu_time::ProcessTime;

use super::contender::{Contender, Played, Scene};
use super::rules::field_side;

const HEADERS: [&str; 3] = [
    include_str!("content/classes/ship.header"),
    include_str!("content/classes/wreck.header"),
    include_str!("content/classes/buoy.header"),
];

const SHIP: &str = include_str!("content/ships/laser.ship");
const WRECK: &str = include_str!("content/ships/wreck.wreck");
const BUOY: &str = include_str!("content/ships/buoy.buoy");

/// The paths of the ships, and their weapons. The first is the one in the source file.
const SHIPS: [(&str, &str); 3] = [
    ("ships/laser.ship", "{ kind \"laser\", range 120, period 300, damage 5, heat 0.18 }"),
    ("ships/mine.ship", "{ kind \"mine\", range 90, period 900, damage 16, heat 0.3 }"),
    ("ships/emp.ship", "{ kind \"emp\", range 110, period 600, damage 8, heat 0.25 }"),
];

const LEVEL: &str = "levels/battle.scenario";
const WRECK_PATH: &str = "ships/wreck.wreck";
const BUOY_PATH: &str = "ships/buoy.buoy";

/// The number of workers, the same as Bevy's.
const WORKERS: u32 = 2;

/// Our contender, with its running battle.
#[derive(Default)]
pub struct Ours {
    battle: Option<Battle>,
}

/// A battle.
struct Battle {
    content: Library,
    rules: Rules,
    world: World,
    crew: ThreadPool,
    /// Hits and cycles at the last call.
    seen: (u64, u64),
    /// The durations of the stages in the last cycles; the last one is the hash.
    phases: [Duration; STAGES.len() + 1],
}

impl Contender for Ours {
    fn name(&self) -> String {
        "ours".to_owned()
    }

    fn is_scripted(&self) -> bool {
        true
    }

    fn play(&mut self, scene: Scene, cycles: u32) -> Played {
        self.battle.get_or_insert_with(|| Battle::new(scene)).play(cycles)
    }

    fn phases(&self) -> Vec<(&'static str, Duration)> {
        let names = STAGES.into_iter().chain(["hash, once in five cycles"]);
        self.battle.as_ref().map_or(Vec::new(), |battle| names.zip(battle.phases).collect())
    }

    fn end(&mut self) {
        self.battle = None;
    }
}

impl Battle {
    fn new(scene: Scene) -> Battle {
        let content = content(scene);
        let rules = Rules::new("battle", &content, StringId::new(LEVEL));
        let settings = Settings { is_checked: false, ..Settings::default() };
        let mut world = World::new(&rules.parts.plan, &Pages, settings, 2026);
        world.set_up(|world| rules.set_up(world, &content));
        Battle { content, rules, world, crew: ThreadPool::new(WORKERS), seen: (0, 0), phases: Default::default() }
    }

    fn play(&mut self, cycles: u32) -> Played {
        self.phases = Default::default();
        let (wall, processor) = (Instant::now(), ProcessTime::now());
        for _ in 0..cycles {
            self.step();
        }
        let (wall, processor) = (wall.elapsed(), processor.elapsed());
        self.complain();
        Played { wall, processor, ..self.look() }
    }

    /// One brush cycle, and the hash of every safe cycle.
    fn step(&mut self) {
        let changed = Changed::default();
        let input = StepInput { content: &self.content, changed: &changed, events: &[] };
        let mut last = Instant::now();
        let phases = &mut self.phases;
        let mut lap = |stage: u32| {
            let now = Instant::now();
            phases[stage as usize - 1] += now - last;
            last = now;
        };
        self.rules.step_in_laps(&mut self.world, &input, &self.crew, &mut |ended| {
            if let Lap::Stage(stage) = ended {
                lap(stage);
            }
        });
        if Lengths::default().is_safe(self.world.cycle()) {
            self.world.hash();
        }
        lap(STAGES.len() as u32 + 1);
    }

    /// Stops the run on script errors. Hits on destroyed ships are expected.
    fn complain(&self) {
        let counts = self.rules.parts.counts.get(&self.world);
        let mut wrong = Condition::ALL.iter().filter(|condition| **condition != Condition::NoSuchObject);
        if let Some(condition) = wrong.find(|condition| counts.of(**condition) > 0) {
            let lines = self.rules.log.take(&self.rules.prototypes);
            panic!(
                "our battle: {}; the last lines are {:?}",
                condition.text(),
                &lines[lines.len().saturating_sub(3)..]
            );
        }
    }

    /// The counters since the last call.
    fn look(&mut self) -> Played {
        let (rules, world) = (&self.rules, &self.world);
        let (hits, cycle) = self.seen;
        self.seen = (rules.parts.progress.get(world).hits, world.cycle());
        let mut played = Played { hits: self.seen.0 - hits, ..Played::default() };
        let (wreck, hull) = (StringId::new(WRECK_PATH), StringId::new("hull"));
        for (handle, object) in rules.parts.objects.iterate(world) {
            if object.tag.id() == wreck {
                // A wreck exists for longer than the time between two calls.
                played.deaths += u64::from(object.born_at > cycle);
            }
            let program = rules.prototypes.programs().get(object.mind.program);
            let variable = program.and_then(|program| program.variable_of(hull));
            let values = rules.parts.objects.values(world, handle);
            if let Some(hull) = variable.and_then(|variable| values.get(variable as usize)?.as_number()) {
                played.ships += 1;
                played.hull += hull;
            }
        }
        played
    }
}

/// All tags of a battle.
fn content(scene: Scene) -> Library {
    let mut classes = astrarium::world::classes();
    for text in HEADERS {
        let base = |name: &str| {
            classes.get(name).map(|prepared| prepared.class()).ok_or_else(|| (name.to_owned(), String::new()))
        };
        let (class, reports) = header::read_with(text, &parse(text), "battle.header", &base);
        assert!(reports.is_empty(), "{reports:?}");
        classes.add_table(class.expect("the header declares a class")).expect("class names are unique");
    }
    let mut texts = vec![(WRECK_PATH, WRECK.to_owned()), (BUOY_PATH, BUOY.to_owned()), (LEVEL, level(scene))];
    let (written, its_weapon) = SHIPS[0];
    for (path, weapon) in SHIPS {
        assert!(SHIP.contains(written) && SHIP.contains(its_weapon), "the source contains the default weapon");
        texts.push((path, SHIP.replace(written, path).replace(its_weapon, weapon)));
    }
    let ready: Vec<Ready> = texts.iter().map(|(path, text)| pack(&classes, path, text)).collect();
    let mut content = Library::with_classes(Arc::new(classes));
    content.apply(ready);
    content
}

fn level(scene: Scene) -> String {
    let Scene { buoys, .. } = scene;
    let places = scene.places();
    let half = field_side(places) / 2.0;
    let area = format!("position vec({half}, {half}, 0), spread vec({half}, {half}, 0)");
    let mut placements = String::new();
    for (number, (path, _)) in SHIPS.iter().enumerate() {
        for team in 1..=2 {
            let count = (places + 5 - (2 * number as u32 + team - 1)) / 6;
            let write = writeln!(placements, "    {{ object \"{path}\", team {team}, count {count}, {area} }},");
            write.expect("writing to a string cannot fail");
        }
    }
    if buoys > 0 {
        placements += &format!("    {{ object \"{BUOY_PATH}\", count {buoys}, {area} }},\n");
    }
    let objects = places + buoys + 64;
    let values = (places + 64) * 48 + buoys * 16;
    format!(
        "@scenario\n!set objects_max {objects}\n!set values_max {values}\n!set cell_size 70\n!set placements [\n{placements}]\n",
        placements = placements.trim_end_matches(",\n").to_owned() + "\n"
    )
}

fn pack(classes: &Classes, path: &str, text: &str) -> Ready {
    let path = TagPath::new(path).expect("the path is valid");
    let made = classes.get(path.class()).expect("its class exists").pack_text(text);
    assert!(made.is_sound(), "{path:?}: {:#?}", made.reports);
    let mut key = [0; 32];
    key[..8].copy_from_slice(&astrarium::base::hash::hash(text.as_bytes()).to_le_bytes());
    Ready { path, key: Key(key), packed: Arc::new(made.packed) }
}
