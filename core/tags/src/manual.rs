//! The manual: a class's page for people, made from its table.
//!
//! The page is Markdown: what the class is for, how its files begin, a table of its fields, the names that can be chosen, what
//! was called otherwise before, and the same for each of its records.
//!
//! Laws
//! 1. Nothing is said that the table does not say, and the same table gives the same page.
//! 2. What designers wrote cannot break the page: a `|` stays in its cell, a `<` is no markup.
//! 3. Fields that are hidden are left out, unless they are asked for.

use alloc::collections::BTreeMap;
use alloc::format;
use alloc::string::{String, ToString};
use alloc::vec::Vec;

use crate::class::{Class, Field, Former, Kind, Named, Record};

/// Which fields a page tells of.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Shown {
    /// Those that are not hidden.
    #[default]
    Visible,
    /// All of them.
    All,
}

/// The page of a class.
pub fn page(class: &Class, shown: Shown) -> String {
    let mut page = format!("# {}\n\n", class.name);
    paragraph(&mut page, &prose(&class.help));
    let version = if class.version == 1 { String::new() } else { format!(" {}", class.version) };
    let mut facts = format!("Files of this class begin with `@{}{version}` and end in `.{}`.", class.name, class.name);
    if !class.bases.is_empty() {
        let names: Vec<String> = class.bases.iter().map(|base| code(&base.name)).collect();
        facts.push_str(&format!(" It is made from {}: their fields come first.", names.join(" and ")));
    }
    if !class.is_recoverable {
        facts.push_str(" When one is changed, the level is started again.");
    }
    if class.is_open {
        facts.push_str(" Files of it may set names of their own, for their lambdas to use.");
    }
    if !class.reads.is_empty() {
        let names: Vec<String> = class.reads.iter().map(|name| code(name)).collect();
        facts.push_str(&format!(" What is made from them also depends on: {}.", names.join(", ")));
    }
    if !class.origin.is_empty() {
        facts.push_str(&format!(" Declared in {}.", code(&class.origin)));
    }
    paragraph(&mut page, &facts);
    let titles = titles(class);
    for (number, record) in class.records.iter().enumerate() {
        if number > 0 {
            page.push_str(&format!("## {}\n\n", titles[number]));
            paragraph(&mut page, &prose(&record.help));
        }
        fields(&mut page, &titles, record, shown);
    }
    page.truncate(page.trim_end().len());
    page.push('\n');
    page
}

fn fields(page: &mut String, titles: &[String], record: &Record, shown: Shown) {
    let is_shown = |field: &&Field| shown == Shown::All || !field.is_hidden;
    let fields: Vec<&Field> = record.fields.iter().filter(is_shown).collect();
    if fields.is_empty() {
        paragraph(page, "It has no fields.");
        return;
    }
    page.push_str("| field | what it holds | range | default | |\n|---|---|---|---|---|\n");
    for field in &fields {
        let range = field.range.map_or(String::new(), |(least, most)| format!("{least} to {most}"));
        let default = field.default.as_deref().map_or(String::new(), code);
        let is_key = record.key_field().is_some_and(|key| key.name == field.name);
        let cells = [code(&field.name), holds(titles, field), range, default, remarks(field, is_key)];
        page.push_str(&format!("| {} |\n", cells.map(|cell| in_cell(&cell)).join(" | ")));
    }
    page.push('\n');
    for field in fields {
        names(page, field);
        for former in &field.former {
            paragraph(page, &told(field, former));
        }
    }
}

/// What a field holds, with its unit.
fn holds(titles: &[String], field: &Field) -> String {
    let words = words(titles, &field.kind);
    let step = field.step.map_or(String::new(), |step| format!(", in steps of {step}"));
    let unit = if field.unit.is_empty() { String::new() } else { format!(", in {}", prose(&field.unit)) };
    format!("{words}{unit}{step}")
}

/// A kind in words; records are linked. Names are listed below the table.
fn words(titles: &[String], kind: &Kind) -> String {
    match kind {
        Kind::Choice(_) => "one of the names below".to_string(),
        Kind::Flags(_) => "a list of some of the names below".to_string(),
        Kind::Reference(name) if !name.is_empty() => format!("the path of a {} in quotes", code(name)),
        Kind::Lambda(signature) if !signature.is_empty() => format!("a lambda, {}", code(signature)),
        Kind::Record(number) => format!("a record: {}", link(titles, *number)),
        Kind::Series(of) => match &**of {
            Kind::Record(number) => format!("a list of records: {}", link(titles, *number)),
            other => format!("a list, each {}", words(titles, other)),
        },
        Kind::Optional(of) => format!("{}, or nothing", words(titles, of)),
        other => other.in_words(),
    }
}

fn remarks(field: &Field, is_key: bool) -> String {
    let all = [
        (is_key, "It tells the elements apart."),
        (field.is_hidden, "Hidden."),
        (field.is_read_only, "Not to be changed by hand."),
        (field.is_expert, "For those who know what they do."),
        (field.is_runtime, "Not in the text: set up when the tag is loaded."),
        (field.is_state, "Each object has its own, which begins with this value."),
        (field.is_replicated, "Other machines are told of it."),
    ];
    let mut parts = Vec::new();
    if !field.help.is_empty() {
        parts.push(prose(&field.help));
    }
    parts.extend(all.iter().filter(|(is_so, _)| *is_so).map(|(_, remark)| remark.to_string()));
    parts.join(" ")
}

/// The names of a choice or of flags.
fn names(page: &mut String, field: &Field) {
    let mut kind = &field.kind;
    while let Kind::Series(of) | Kind::Optional(of) = kind {
        kind = of;
    }
    let (Kind::Choice(names) | Kind::Flags(names)) = kind else { return };
    page.push_str(&format!("Names of {}:\n\n", code(&field.name)));
    for named in names {
        page.push_str(&format!("- {}{}\n", code(&format!("\"{}\"", named.name)), about(named)));
    }
    page.push('\n');
}

fn about(named: &Named) -> String {
    let mut text = String::new();
    if !named.help.is_empty() {
        text.push_str(&format!(": {}", prose(&named.help)));
    }
    if !named.former.is_empty() {
        let former: Vec<String> = named.former.iter().map(|name| code(&format!("\"{name}\""))).collect();
        text.push_str(&format!(" (formerly {})", former.join(", ")));
    }
    text
}

/// What a field was called or meant before.
fn told(field: &Field, former: &Former) -> String {
    let when = match former.before {
        0 => String::new(),
        version => format!(" before version {version}"),
    };
    let name = code(&field.name);
    let what = if former.name == field.name {
        format!("{name} meant something else{when}")
    } else {
        format!("{name} was called {}{when}", code(&former.name))
    };
    match &former.convert {
        Some(lambda) => format!("{what}; what old files say is converted by {}.", code(lambda)),
        None => format!("{what}."),
    }
}

/// The heading of each record: its name, and its number if the name does not tell which one it is.
fn titles(class: &Class) -> Vec<String> {
    let mut counts: BTreeMap<&str, u32> = BTreeMap::new();
    for record in &class.records {
        *counts.entry(&record.name).or_default() += 1;
    }
    let title = |(number, record): (usize, &Record)| match record.name.as_str() {
        "" => format!("record {number}"),
        name if counts.get(name) == Some(&1) => prose(name),
        name => format!("{} {number}", prose(name)),
    };
    class.records.iter().enumerate().map(title).collect()
}

fn link(titles: &[String], number: u32) -> String {
    let title = titles.get(number as usize).map_or("", String::as_str);
    let letters = title.to_lowercase();
    let anchor: String = letters
        .chars()
        .filter(|letter| letter.is_alphanumeric() || matches!(letter, ' ' | '-' | '_'))
        .map(|letter| if letter == ' ' { '-' } else { letter })
        .collect();
    format!("[{title}](#{anchor})")
}

fn paragraph(page: &mut String, text: &str) {
    if !text.is_empty() {
        page.push_str(text);
        page.push_str("\n\n");
    }
}

/// What was written for people, on one line; what is not between backticks has no markup of HTML.
fn prose(text: &str) -> String {
    let text = on_one_line(text);
    let has_pairs = text.matches('`').count().is_multiple_of(2);
    let mut is_code = false;
    let mut out = String::with_capacity(text.len());
    for letter in text.chars() {
        is_code ^= letter == '`' && has_pairs;
        match letter {
            '<' if !is_code => out.push_str("&lt;"),
            '&' if !is_code => out.push_str("&amp;"),
            other => out.push(other),
        }
    }
    out
}

/// A piece of LScript between as many backticks as it needs.
fn code(text: &str) -> String {
    let text = on_one_line(text);
    let (mut longest, mut run) = (0_usize, 0_usize);
    for letter in text.chars() {
        run = if letter == '`' { run + 1 } else { 0 };
        longest = longest.max(run);
    }
    let fence = "`".repeat(longest + 1);
    let gap = if longest > 0 { " " } else { "" };
    format!("{fence}{gap}{text}{gap}{fence}")
}

fn on_one_line(text: &str) -> String {
    let shown = |letter: char| if letter.is_control() { ' ' } else { letter };
    text.chars().map(shown).collect::<String>().trim().to_string()
}

/// A `|` would end the cell, in code too.
fn in_cell(text: &str) -> String {
    text.replace('|', "\\|")
}
