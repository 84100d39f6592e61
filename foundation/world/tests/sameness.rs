//! Determinism: equal tags and inputs give equal worlds, with any number of workers and after any restore.

use crate::common;

use std::fmt::Write;

use base::random::{Pcg, Random};
use common::{SCENARIO, Scene, cases, class};
use host::thread_pool::ThreadPool;
use proptest::prelude::*;
use state::save::{SaveHeader, load};
use state::{Alone, Heap, Settings, Workers};
use tags::library::Changed;
use world::{Rules, StepInput};

const STATE: &str =
    "{ name \"n\", type \"number\", state true, default 0 }, { name \"other\", type \"handle\", state true },
{ name \"list\", type \"any\", state true }";

/// Generates tags.
struct Writer {
    random: Pcg,
}

impl Writer {
    fn pick<'a>(&mut self, words: &[&'a str]) -> &'a str {
        words[self.random.below(words.len() as u32) as usize]
    }

    fn number(&mut self, below: u32) -> u32 {
        self.random.below(below)
    }

    fn target(&mut self) -> String {
        let words = ["other", "other", "owner", "~sender", "~level", "~this", "nothing"];
        match self.number(4) {
            0 => format!("nearest_object(position, {}, {{ enemy_of team, except ~this }})", 10 + self.number(100)),
            1 => format!("near({})", self.number(3)),
            _ => self.pick(&words).to_string(),
        }
    }

    fn place(&mut self) -> String {
        let mut one = || f64::from(self.random.below(200)) / 4.0 - 25.0;
        format!("vec({}, {}, {})", one(), one(), one())
    }

    /// A random action.
    fn action(&mut self, depth: u32) -> String {
        let (target, place) = (self.target(), self.place());
        let (small, big) = (self.number(7), self.number(400) + 10);
        match self.number(if depth > 1 { 18 } else { 22 }) {
            0 => format!("!Send({target}, \"{}\", n, {small})", self.pick(&["ping", "pong", "nobody"])),
            1 => format!("!Send({target}, \"ping\", list, n)"),
            2 => format!(
                "!Spawn(\"{}\", {{ n {small}, position position + {place}, team {small}, list [n, [{small}]] }})",
                self.pick(&["a.thing", "b.thing", "c.thing"])
            ),
            3 => "!Spawn(\"b.thing\", { n 1 }, Lambda(made, [ !set other made, !Send(made, \"pong\", 1, 2) ]()))"
                .to_string(),
            4 => format!("if n % {} = 3 then !Destroy({target})", small + 4),
            5 => format!("!Damage({target}, {small}, \"x\")"),
            6 => format!("!Attach(~this, {target})"),
            7 => "!Detach(~this)".to_string(),
            8 => format!("!Give(~this, {target})"),
            9 => format!("!Join(~this, {small})"),
            10 => format!("!Flag(\"armed\", n % 2 = {})", small % 2),
            11 => format!("!set velocity {place}"),
            12 => format!("!set position position * 0.5 + {place}"),
            13 => format!("!Move({place})"),
            14 => format!("!set n n + {small} % 5"),
            15 => format!("!set list [n, count(within(position, {big})), {{ a {small} }}]"),
            16 => format!("!set other {target}"),
            17 => format!("!set n n + count_objects({{ flag \"armed\", enemy_of {small} }})"),
            18 => format!("!After({big}, [ {} ])", self.actions(depth + 1)),
            19 => format!("!Every({}, [ {} ])", big + 50, self.actions(depth + 1)),
            20 => format!("if n % {} = 1 then [ {} ]()", small + 2, self.actions(depth + 1)),
            _ => format!("if count(ray_all(position, {place})) > {small} then [ {} ]()", self.actions(depth + 1)),
        }
    }

    fn actions(&mut self, depth: u32) -> String {
        let count = 1 + self.number(3);
        let actions: Vec<String> = (0..count).map(|_| self.action(depth)).collect();
        // A call among the elements makes it a body.
        format!("!set n n + 1, {}", actions.join(", "))
    }

    fn tag(&mut self) -> String {
        let mut text = String::from("@thing\n!set storage 48\n");
        text.push_str("!set near Cached Lambda(which, nearest_object(position, 20 + which * 10, { except ~this }))\n");
        let period = self.pick(&["10", "20", "50", "130"]);
        writeln!(text, "!set update_period {period}").expect("text grows");
        for (handler, parameters) in [
            ("OnSpawn", "z"),
            ("OnUpdate", "seconds"),
            ("OnPing", "one, two"),
            ("OnPong", "one, two"),
            ("OnDamage", "amount, kind"),
            ("OnDestroy", "z"),
        ] {
            if self.number(4) > 0 || handler == "OnUpdate" {
                let actions = self.actions(0);
                writeln!(text, "!set {handler} Lambda({parameters}, [ {actions} ]())").expect("text grows");
            }
        }
        text
    }
}

const PATHS: [&str; 3] = ["a.thing", "b.thing", "c.thing"];

/// A generated game: its tags, and the changes of them with their cycles.
struct Play {
    tags: Vec<String>,
    changes: Vec<(u32, usize, String)>,
}

impl Play {
    fn new(seed: u64) -> Play {
        let mut writer = Writer { random: Pcg::new(seed, 1) };
        let tags = PATHS.iter().map(|_| writer.tag()).collect();
        let changes = (0..3).map(|_| (writer.number(CYCLES), writer.number(3) as usize, writer.tag())).collect();
        Play { tags, changes }
    }

    fn scene(&self, settings: Settings) -> Scene {
        let scenario = "@scenario\n!set objects_max 300\n!set messages_max 256\n!set values_max 30000\n!set cell_size 8
!set trigger_volumes [{ name \"gate\", half vec(10, 10, 10) }]\n!set OnEnter Lambda(who, zone, !Send(who, \"ping\", 1, 2))
!set placements [{ object \"a.thing\", team 1, count 60, spread vec(30, 30, 30) }, { object \"b.thing\", team 2, count 60, spread vec(30, 30, 30) },
{ object \"c.thing\", team 3, count 40, spread vec(10, 10, 10) }]";
        let globals = "@globals\n!set flags [\"armed\"]\n!set query_budget 3000\n!set fuel 4000\n";
        let texts = [
            (PATHS[0], self.tags[0].as_str()),
            (PATHS[1], self.tags[1].as_str()),
            (PATHS[2], self.tags[2].as_str()),
            (SCENARIO, scenario),
            ("globals.globals", globals),
        ];
        Scene::with_settings(&[&class("thing", STATE)], &texts, settings)
    }

    /// The hashes of all cycles.
    fn hashes(&self, settings: Settings, workers: &dyn Workers, manner: Manner) -> Vec<u64> {
        let mut scene = self.scene(settings);
        let mut snapshot = scene.world.snapshot(&Heap);
        (0..CYCLES)
            .map(|cycle| {
                for (_, path, text) in self.changes.iter().filter(|(when, ..)| *when == cycle) {
                    scene.change(&[(PATHS[*path], text)]);
                    // Each change gets a cycle.
                    scene.run_with(1, workers);
                }
                if manner == Manner::Rewound {
                    scene.world.save(&mut snapshot);
                    scene.run_with(1, workers);
                    scene.world.restore(&snapshot);
                }
                if manner == Manner::Moved && cycle % 5 == 0 {
                    move_over(&mut scene, settings);
                }
                scene.run_with(1, workers);
                scene.world.hash()
            })
            .collect()
    }
}

/// Moves the world into a new one with rebuilt rules: only the block is carried over.
fn move_over(scene: &mut Scene, settings: Settings) {
    let bytes = scene.world.bytes().to_vec();
    scene.rules = Rules::new("test", &scene.content, base::StringId::from(SCENARIO));
    scene.world = state::World::new(&scene.rules.parts.plan, &Heap, settings, 99);
    scene.world.adopt(&bytes).expect("the bytes of a valid world are consistent");
}

#[derive(Clone, Copy, PartialEq)]
enum Manner {
    Straight,
    /// Every cycle is computed twice.
    Rewound,
    /// The world is moved into a new one now and then.
    Moved,
}

const CYCLES: u32 = 30;
const PLAIN: Settings = Settings { is_checked: false, garbage: 0, shuffle: 0 };

proptest! {
    #![proptest_config(cases(2, 0))]

    #[test]
    fn generated_games_are_deterministic(seed in any::<u64>()) {
        let play = Play::new(seed);
        let hashes = play.hashes(PLAIN, &Alone, Manner::Straight);
        let check = |what: &str, settings: Settings, workers: &dyn Workers, manner: Manner| {
            let other = play.hashes(settings, workers, manner);
            let first = hashes.iter().zip(&other).position(|(one, other)| one != other);
            assert_eq!(first, None, "{what}: the first cycle that differs");
        };
        for workers in [2, 3, 8, 16] {
            check("workers", PLAIN, &ThreadPool::new(workers).with_shuffle(seed), Manner::Straight);
        }
        check("shuffled", Settings { shuffle: seed | 1, ..PLAIN }, &ThreadPool::new(2), Manner::Straight);
        check("checked", Settings { is_checked: true, garbage: 0xdd, shuffle: 0 }, &Alone, Manner::Straight);
        check("rewound", PLAIN, &Alone, Manner::Rewound);
        check("moved", PLAIN, &Alone, Manner::Moved);
    }
}

#[test]
fn a_restored_game_continues_identically() {
    for seed in 20..24 {
        let play = Play::new(seed);
        let (mut one, mut other) = (play.scene(PLAIN), play.scene(PLAIN));
        one.run(7 + seed as u32);
        let hash = one.world.hash();
        let mut file = SaveHeader::of(&one.world, hash, 5, "test").encode().to_vec();
        file.extend_from_slice(one.world.bytes());
        load(&mut other.world, &file, "test").expect("it was just saved");
        for cycle in 0..20 {
            assert_eq!(one.world.hash(), other.world.hash(), "{cycle} cycles after it was loaded");
            one.run(1);
            other.run(1);
        }
        let cut = load(&mut other.world, &file[..file.len() / 2], "test");
        assert!(cut.is_err() && one.world.hash() == other.world.hash());
    }
}

#[test]
fn generated_games_are_eventful() {
    let mut totals = (0, 0, 0, 0);
    for seed in 0..6 {
        let mut scene = Play::new(seed).scene(PLAIN);
        scene.run(CYCLES);
        let progress = scene.rules.parts.progress.get(&scene.world);
        totals.0 += progress.spawned;
        totals.1 += progress.destroyed;
        totals.2 += progress.messages;
        totals.3 += progress.hits;
        let input = StepInput { content: &scene.content, changed: &Changed::default(), events: &[] };
        scene.rules.step(&mut scene.world, &input, &Alone);
    }
    let (spawned, destroyed, messages, hits) = totals;
    assert!(spawned > 200 * 6 && destroyed > 50 && messages > 1000 && hits > 100, "{totals:?}");
}
