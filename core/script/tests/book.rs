//! What the book says about the language is so.

use script::check::{Setting, check};
use script::class::{is_header, read};
use script::compile::compile;
use script::effect::EFFECTS;
use script::environment::Environment;
use script::machine::{Limits, Scratch};
use script::parse::parse;
use script::report::Report;
use script::source::Lines;

const BOOK: &str = include_str!("../../../docs/book/src/language.md");

/// The blocks of the book: what stands behind their fence, and what is in them.
fn blocks() -> Vec<(&'static str, String)> {
    let mut blocks = Vec::new();
    let mut lines = BOOK.lines();
    while let Some(line) = lines.next() {
        if let Some(kind) = line.strip_prefix("```") {
            let inside: Vec<&str> = lines.by_ref().take_while(|line| *line != "```").collect();
            blocks.push((kind, inside.join("\n") + "\n"));
        }
    }
    blocks
}

fn reports(source: &str) -> Vec<Report> {
    let tree = parse(source);
    let (_, compiled) = compile(source, &tree, &["this"]);
    let of_class = if is_header(source, &tree) { read(source, &tree).1 } else { Vec::new() };
    let checked = check(source, &tree, &Setting::default()).reports;
    let mut all: Vec<Report> = [tree.reports, compiled, of_class, checked].concat();
    all.sort_by_key(|report| report.span.start);
    all
}

#[test]
fn its_sources_are_right_and_run() {
    let sources: Vec<String> = blocks().into_iter().filter(|block| block.0 == "lscript").map(|block| block.1).collect();
    assert!(sources.len() >= 5);
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
fn its_wrong_sources_are_reported_as_it_shows() {
    let blocks = blocks();
    let mut count = 0;
    for pair in blocks.windows(2).filter(|pair| pair[0].0 == "lscript wrong") {
        let source = &pair[0].1;
        let lines = Lines::of(source);
        let told: String = reports(source).iter().map(|report| report.render("a.ship", source, &lines)).collect();
        assert_eq!(told, pair[1].1);
        count += 1;
    }
    assert!(count >= 2);
}

#[test]
fn it_lists_every_effect_as_the_table_has_it() {
    for effect in EFFECTS {
        let row = format!("| `!{}` | {} |", effect.signature, effect.help);
        assert!(BOOK.contains(&row), "{row}");
    }
}
