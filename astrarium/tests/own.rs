//! A game of objects with an extension in Rust: an effect, a brush and a region of its own.

use astrarium::host::pages::Pages;
use astrarium::objects::ObjectGame;
use astrarium::prelude::*;
use astrarium::script::effect::Effect;
use astrarium::script::stage::Act;
use astrarium::session::Start;
use astrarium::state::{Item, Settings};
use astrarium::world::effects;
use astrarium::world::{Cycle, Object, Own, Rules};

/// What all objects have put into the bank.
#[derive(Clone, Copy, Debug, Plain)]
#[repr(C)]
struct Bank {
    total: f64,
    deposits: u64,
}

/// The extension: where its region lies, and its brush.
struct BankRules {
    bank: Single<Bank>,
    deposits: Brush<f64>,
}

const BANK: StringId = StringId::new("Bank");

impl Own for BankRules {
    fn act(&self, _: &Rules, item: &mut Item<'_, Object>, act: &Act<'_>) -> bool {
        let amount = act.arguments.first().and_then(|amount| amount.as_number());
        let Some(amount) = amount.filter(|amount| act.name == BANK && amount.is_finite()) else { return false };
        item.queue(self.deposits, Address::WORLD, &amount);
        true
    }

    fn paint(&self, world: &mut World, _: &Cycle<'_>, _: &dyn Workers) {
        self.deposits.paint(world, |world, stroke| {
            let mut bank = self.bank.get_mut(world);
            bank.total += stroke.payload;
            bank.deposits += 1;
        });
    }
}

static EFFECTS: [Effect; effects::SIGNATURES.len() + 1] =
    effects::with_own([Effect::new("Bank", "Bank(number)", "Puts money into the bank.")]);

const TEXTS: &[(&str, &str)] = &[
    ("miner.object", "@object\n!set OnUpdate Lambda(seconds, !Bank(seconds * 100))\n!set update_period 20\n"),
    ("levels/a.scenario", "@scenario\n!set objects_max 64\n!set placements [{ object \"miner.object\", count 10 }]\n"),
];

static ENTRY: GameEntry = GameEntry {
    levels: &["a"],
    tags: TagsEntry {
        classes: || astrarium::classes().with_effects(&EFFECTS),
        texts: TEXTS,
        roots: |_| vec!["*".into()],
        ..TagsEntry::NONE
    },
    ..GameEntry::new("bank", "Objects that earn money.", 1, |entry, level, content| {
        ObjectGame::make_with_own(entry, level, content, |layout| {
            layout.system("bank");
            Arc::new(BankRules { bank: layout.single("bank"), deposits: layout.brush("deposits", 64) })
        })
    })
};

fn begin(texts: &'static [(&'static str, &'static str)]) -> (Session, Vec<String>) {
    let entry = GameEntry { tags: TagsEntry { texts, ..ENTRY.tags }, ..ENTRY };
    let mut content = entry.content("a").expect("the tags are built in");
    let lines = content.take_lines();
    let start = Start { level: "a".into(), seed: 7, players: 0, settings: Settings::default() };
    (Session::begin(&entry, content, &start, &Pages).expect("the level is there"), lines)
}

/// The region of the bank, found by its name.
fn bank(session: &Session) -> (f64, u64) {
    let plan = session.world().plan();
    let region = plan.regions().iter().find(|region| region.name == "bank").expect("the region of the game");
    let bytes = &session.world().bytes()[region.bytes.clone()];
    let word = |at: usize| u64::from_le_bytes(bytes[at..at + 8].try_into().expect("eight bytes"));
    (f64::from_bits(word(0)), word(8))
}

#[test]
fn a_game_of_objects_adds_an_effect_a_brush_and_a_region() {
    let (mut session, lines) = begin(TEXTS);
    assert_eq!(lines, Vec::<String>::new(), "the checker knows the effect");
    for _ in 0..100 {
        session.step(&Alone);
    }
    let (total, deposits) = bank(&session);
    assert!((490..=500).contains(&deposits), "{deposits}");
    assert!((total - deposits as f64 * 2.0).abs() < 1e-9, "{total}");
    assert_eq!(session.game().troubles(), Vec::<String>::new());
    let chain = session.chain();
    let (mut other, _) = begin(TEXTS);
    let pool = ThreadPool::new(3);
    for _ in 0..100 {
        other.step(&pool);
    }
    assert_eq!(other.chain(), chain, "with three workers");
}

#[test]
fn the_checker_knows_the_arguments_of_the_games_own_effect() {
    const WRONG: &[(&str, &str)] = &[("miner.object", "@object\n!set OnSpawn Lambda(!Bank(\"much\"))\n"), TEXTS[1]];
    let entry = GameEntry { tags: TagsEntry { texts: WRONG, ..ENTRY.tags }, ..ENTRY };
    let error = entry.content("a").err().expect("a mistake").to_string();
    assert!(error.contains("expected a number, found a string") && error.contains("!Bank(number)"), "{error}");
}

#[test]
fn the_profiler_shows_the_time_of_the_games_own_brushes() {
    let (mut session, _) = begin(TEXTS);
    session.begin_profile();
    for _ in 0..50 {
        session.step(&Alone);
    }
    let summary = session.profile().expect("it was begun").summary();
    let row = summary.rows.iter().find(|row| row.name == "the game's own").expect("a row of its own");
    assert!(row.nanos > 0, "{row:?}");
}
