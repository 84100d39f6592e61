//! The book's chapters on the language: their sources run, and their tables match the code.

use crate::rows;
use crate::world;

use base::{Handle, StringId};
use script::builtin;
use script::check::check;
use script::compile::compile;
use script::effect::EFFECTS;
use script::environment::Environment;
use script::machine::{EvaluationContext, Limits, Nowhere, Scratch};
use script::message::Message;
use script::parse::parse;
use script::report::Report;
use script::row::Row64;
use script::source::Lines;
use script::stage::{Act, SendRefusal, Stage, deliver, perform, tick};
use script::value::Value;

const BOOK: &str = include_str!("../../../docs/book/src/language.md");
const OBJECTS: &str = include_str!("../../../docs/book/src/objects.md");
const CACHING: &str = include_str!("../../../docs/book/src/caching.md");

/// The code blocks of a chapter: info string and content.
fn blocks(chapter: &'static str) -> Vec<(&'static str, String)> {
    let mut blocks = Vec::new();
    let mut lines = chapter.lines();
    while let Some(line) = lines.next() {
        if let Some(kind) = line.strip_prefix("```") {
            let inside: Vec<&str> = lines.by_ref().take_while(|line| *line != "```").collect();
            blocks.push((kind, inside.join("\n") + "\n"));
        }
    }
    blocks
}

/// The chapter on the language before and behind its section on queries, whose sources need a world: a test of the world
/// runs them.
fn without_queries() -> [&'static str; 2] {
    let (before, rest) = BOOK.split_once("\n## Queries\n").expect("it has the section");
    [before, &rest[rest.find("\n## ").expect("another section follows")..]]
}

fn reports(source: &str) -> Vec<Report> {
    let tree = parse(source);
    let (_, compiled) = compile(source, &tree, &["this"]);
    let checked = check(source, &tree, &world::setting()).reports;
    let mut all: Vec<Report> = [tree.reports, compiled, checked].concat();
    all.sort_by_key(|report| report.span.start);
    all
}

#[test]
fn its_sources_compile_and_run() {
    let [before, behind] = without_queries();
    let blocks = [before, behind, OBJECTS, CACHING].into_iter().flat_map(blocks);
    let sources: Vec<String> = blocks.filter(|block| block.0 == "lscript").map(|block| block.1).collect();
    assert!(sources.len() >= 10);
    for source in sources {
        assert_eq!(reports(&source), [], "{source}");
        let (program, _) = compile(&source, &parse(&source), &["this"]);
        let mut environment = Environment::new(&program, 4096);
        let mut scratch = Scratch::new(Limits::default());
        for statement in &program.statements {
            environment.evaluate(&program, *statement, &[], &mut scratch).expect("it ends");
            assert_eq!(scratch.complaints(), [], "{source}");
        }
    }
}

#[test]
fn its_invalid_sources_give_the_reports_shown() {
    let blocks = blocks(BOOK);
    let mut count = 0;
    for pair in blocks.windows(2).filter(|pair| pair[0].0 == "lscript wrong") {
        let source = &pair[0].1;
        let lines = Lines::of(source);
        let rendered: String = reports(source).iter().map(|report| report.render("a.ship", source, &lines)).collect();
        assert_eq!(rendered, pair[1].1);
        count += 1;
    }
    assert!(count >= 2);
}

#[test]
fn it_lists_every_effect_of_the_table() {
    for effect in EFFECTS {
        let row = format!("| `!{}` | {} |", effect.signature, effect.help);
        assert!(BOOK.contains(&row), "{row}");
    }
}

#[test]
fn it_lists_the_built_in_that_looks_at_another_object() {
    let (_, builtin) = builtin::find("is_living").expect("it is one");
    let row = format!("| `{}` | {} |", builtin.signature, builtin.help);
    assert!(BOOK.contains(&row), "{row}");
}

/// Records effects.
#[derive(Default)]
struct Notes {
    sent: Vec<(Value, StringId)>,
    acts: Vec<StringId>,
}

impl Stage for Notes {
    fn send(&mut self, to: Value, message: &Message) {
        self.sent.push((to, message.name));
    }

    fn act(&mut self, act: Act<'_>) {
        self.acts.push(act.name);
    }

    fn refuse(&mut self, refusal: SendRefusal) {
        panic!("{refusal:?}");
    }
}

#[test]
fn its_ship_is_hit_repairs_itself_and_is_destroyed() {
    let source = blocks(OBJECTS).into_iter().find(|block| block.0 == "lscript").expect("it has one").1;
    let program = rows::program(&source);
    let object = |slot: u16| Value::handle(Handle::new(slot, 0xaaaa), 1);
    let mut place = EvaluationContext { program: &program, this: object(1), outside: &Nowhere, now: 0.0, seed: 0 };
    let mut scratch = Scratch::new(Limits::default());
    let mut row = Row64::default();
    rows::begin(place, row.edit(), 0, &mut scratch);
    let spawned = Message::new(StringId::new("Spawn"), Value::NOTHING);
    deliver(place, row.edit(), &spawned, &mut scratch).expect("it ends");
    let variable = |row: &Row64, name: &str| row.view().get(program.variable(name).expect("the ship has it"));
    let hit = |row: &mut Row64, damage: f64, scratch: &mut Scratch| {
        let message = Message::new(StringId::new("Damage"), object(7));
        let message = message.with_atoms(&[Value::number(damage), Value::string(StringId::new("laser"))]);
        deliver(place, row.edit(), &message.expect("it is small"), scratch).expect("it ends");
        let mut notes = Notes::default();
        perform(place, row.view(), scratch, &mut notes);
        notes
    };
    assert!(hit(&mut row, 12.0, &mut scratch).sent.is_empty());
    assert_eq!(variable(&row, "hull"), Value::number(92.0), "the shield absorbs a tenth of its strength");
    let notes = hit(&mut row, 500.0, &mut scratch);
    assert_eq!(notes.sent, [(object(7), StringId::new("sunk"))]);
    assert_eq!(notes.acts, [StringId::new("Destroy")]);
    row.edit().set(program.variable("shield").expect("the ship has it"), Value::number(10.0));
    place.now = 499.0;
    assert!(tick(place, row.edit(), &mut scratch).is_none());
    place.now = 500.0;
    tick(place, row.edit(), &mut scratch).expect("it is due").expect("it ends");
    assert_eq!(variable(&row, "shield"), Value::number(12.0));
}
