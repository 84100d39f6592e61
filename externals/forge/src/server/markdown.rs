//! Markdown for fields, classes, built-ins and lambdas.

use crate::notes::MARK;
use script::check::{Checked, LambdaFact};
use script::effect::Effect;
use script::machine::Builtin;
use script::query::Query;
use script::source::Lines;
use script::token::{Token, TokenKind};
use tags::class::{Class, FLAGS, Field, Kind, Record};

use super::shapes::{choices, plain_kind};

/// The documentation of a field.
pub fn field(class: &Class, record: &Record, field: &Field) -> String {
    let owner = if record.name == class.name { String::new() } else { format!(" in `{}`", record.name) };
    let number = class.root().field(&field.name).filter(|_| record.name == class.name).map(|(number, _)| number);
    let base = number.and_then(|number| class.base_of(number));
    let from = base.map_or(String::new(), |base| format!(", from `@{}`", base.name));
    let mut lines = vec![format!("**{}** · {}{owner} of `@{}`{from}", field.name, kind(&field.kind), class.name)];
    let mut facts = Vec::new();
    if !field.unit.is_empty() {
        facts.push(format!("unit {}", field.unit));
    }
    if let Some((least, most)) = field.range {
        facts.push(format!("from {least} to {most}"));
    }
    if let Some(step) = field.step {
        facts.push(format!("in steps of {step}"));
    }
    if let Some(default) = &field.default {
        facts.push(format!("default `{default}`"));
    }
    facts.extend(FLAGS.iter().filter(|flag| (flag.is_set)(field)).map(|flag| flag.phrase.to_string()));
    if !facts.is_empty() {
        lines.push(facts.join(" · "));
    }
    if !field.help.is_empty() {
        lines.push(field.help.clone());
    }
    let names = choices(&field.kind);
    if !names.is_empty() {
        let rows = names.iter().map(|named| match named.help.is_empty() {
            true => format!("- `\"{}\"`", named.name),
            false => format!("- `\"{}\"`: {}", named.name, named.help),
        });
        lines.push(rows.collect::<Vec<_>>().join("\n"));
    }
    if !field.former.is_empty() {
        let former: Vec<String> = field.former.iter().map(|former| format!("`{}`", former.name)).collect();
        lines.push(format!("formerly {}", former.join(", ")));
    }
    lines.join("\n\n")
}

/// A kind in words.
pub fn kind(of: &Kind) -> String {
    match plain_kind(of) {
        Kind::Choice(_) => "a choice".to_string(),
        Kind::Flags(_) => "flags".to_string(),
        _ => of.in_words(),
    }
}

/// The documentation of a class.
pub fn class(class: &Class) -> String {
    let count = class.root().fields.len();
    let fields = if count == 1 { "1 field".to_string() } else { format!("{count} fields") };
    let mut lines = vec![format!("**@{}** · version {}, {fields}", class.name, class.version)];
    if !class.help.is_empty() {
        lines.push(class.help.clone());
    }
    if !class.bases.is_empty() {
        let names: Vec<String> = class.bases.iter().map(|base| format!("`@{}`", base.name)).collect();
        lines.push(format!("derived from {}", names.join(" and ")));
    }
    if !class.origin.is_empty() {
        lines.push(format!("declared in {}", class.origin));
    }
    lines.join("\n\n")
}

/// The documentation of a built-in.
pub fn builtin(builtin: &Builtin) -> String {
    called(builtin.signature, builtin.help, builtin.example)
}

/// The documentation of a query.
pub fn query(query: &Query) -> String {
    called(query.signature, query.help, query.example)
}

fn called(signature: &str, help: &str, (example, result): (&str, &str)) -> String {
    format!("```lscript\n{signature}\n```\n\n{help}\n\n`{example}` gives `{result}`")
}

/// The documentation of an effect.
pub fn effect(effect: &Effect) -> String {
    format!("```lscript\n!{}\n```\n\n{}", effect.signature, effect.help)
}

/// The checker's facts about a lambda.
pub fn lambda(fact: &LambdaFact, checked: &Checked) -> String {
    let name = if fact.name.is_empty() { String::new() } else { format!("{}: ", fact.name) };
    let mut lines = vec![format!("```lscript\n{name}{}\n```", fact.kind)];
    lines.push(if fact.is_effectful { "effectful" } else { "pure" }.to_string());
    let requirements: Vec<String> = checked.requirements(fact).map(|name| format!("`{name}`")).collect();
    if !requirements.is_empty() {
        let more = if fact.has_all_requirements { "" } else { " and more" };
        lines.push(format!("reads {}{more}", requirements.join(", ")));
    }
    let about = format!("about {} instructions", fact.cost);
    lines.push(match &fact.refusal {
        None => format!("{about}; its results may be cached"),
        Some(refusal) => format!("{about}; its results are not cached: {refusal}"),
    });
    lines.join("\n\n")
}

/// The designers' notes on a position: behind it on its line, or on the lines directly above.
pub fn notes(source: &str, tokens: &[Token], byte: u32) -> Vec<String> {
    let lines = Lines::of(source);
    let line_of = |token: &Token| lines.place(source, token.span.start).line;
    let here = lines.place(source, byte).line;
    let near = tokens.partition_point(|token| token.span.start < byte);
    let is_comment = |token: &&Token| token.kind == TokenKind::Comment;
    let text = |token: &Token| token.span.text(source).strip_prefix(MARK).map(|note| note.trim().to_string());
    // Upwards: first what stands before it on its own line, then lines that hold only notes.
    let mut above = Vec::new();
    let mut wanted = here.saturating_sub(1);
    let mut before = tokens[..near]
        .iter()
        .rev()
        .skip_while(|token| line_of(token) >= here && token.kind != TokenKind::NewLine)
        .filter(|token| token.kind != TokenKind::NewLine);
    while let Some(note) = before.next().filter(|token| is_comment(token) && line_of(token) == wanted).and_then(text) {
        above.push(note);
        wanted = wanted.saturating_sub(1);
    }
    let last_is_behind_code = above.last().is_some() && !lines.text(source, wanted + 1).trim_start().starts_with(MARK);
    if last_is_behind_code {
        above.pop();
    }
    above.reverse();
    let behind = tokens[near..].iter().take_while(|token| token.kind != TokenKind::NewLine).find(is_comment);
    above.extend(behind.and_then(text));
    above
}

#[cfg(test)]
mod tests {
    use script::token::tokens;

    use super::*;

    #[test]
    fn notes_are_found_above_and_behind() {
        let source = "@ship\n//? one\n//? two\n!set mass 3 //? three\n!set hull 4 // no note\n//? far\n\n!set x 1\n";
        let notes_at = |text: &str| notes(source, &tokens(source), source.find(text).unwrap() as u32);
        assert_eq!(notes_at("mass"), ["one", "two", "three"]);
        assert!(notes_at("hull").is_empty());
        assert!(notes_at("x 1").is_empty());
        let inner = "!set w [\n    //? the first\n    { a 1 }, //? behind\n    { a 2 }\n]\n";
        assert_eq!(notes(inner, &tokens(inner), inner.find("a 1").unwrap() as u32), ["the first", "behind"]);
        assert!(notes(inner, &tokens(inner), inner.find("a 2").unwrap() as u32).is_empty());
    }
}
