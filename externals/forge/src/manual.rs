//! The manual page of a class, generated from its table.
//!
//! The page is Markdown: what the class is for, how its files begin, a table of its fields, the names of choices,
//! former names, and the same for each record.
//!
//! Laws
//! 1. The page contains nothing but the table, and the same table gives the same page.
//! 2. Help texts cannot break the page: a `|` stays in its cell, a `<` is no markup.
//! 3. Hidden fields are omitted, unless requested.

use std::collections::BTreeMap;

use tags::class::{Class, FLAGS, Field, Flag, Former, Kind, Named, Record};

/// Which fields a page shows.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum ShownFields {
    /// Fields that are not hidden.
    #[default]
    Visible,
    /// All of them.
    All,
}

/// The page of a class.
pub fn page(class: &Class, shown: ShownFields) -> String {
    let mut page = format!("# {}\n\n", class.name);
    paragraph(&mut page, &prose(&class.help));
    let version = if class.version == 1 { String::new() } else { format!(" {}", class.version) };
    let mut facts = format!("Files of this class begin with `@{}{version}` and end in `.{}`.", class.name, class.name);
    if !class.bases.is_empty() {
        let names: Vec<String> = class.bases.iter().map(|base| code(&base.name)).collect();
        facts.push_str(&format!(" Derived from {}, whose fields come first.", names.join(" and ")));
    }
    if !class.is_recoverable {
        facts.push_str(" Changing one restarts the level.");
    }
    if class.is_open {
        facts.push_str(" Files of it may define additional variables for their lambdas.");
    }
    if !class.reads.is_empty() {
        let names: Vec<String> = class.reads.iter().map(|name| code(name)).collect();
        facts.push_str(&format!(" Their postprocess reads tags of: {}.", names.join(", ")));
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

fn fields(page: &mut String, titles: &[String], record: &Record, shown: ShownFields) {
    let is_shown = |field: &&Field| shown == ShownFields::All || !field.is_hidden;
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

/// The kind of a field in words, with its unit.
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
    let mut parts = Vec::new();
    if !field.help.is_empty() {
        parts.push(prose(&field.help));
    }
    if is_key {
        parts.push(String::from("Key of its series."));
    }
    parts.extend(FLAGS.iter().filter(|flag| (flag.is_set)(field)).map(Flag::sentence));
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

/// A former name or meaning in words.
fn told(field: &Field, former: &Former) -> String {
    let when = match former.before {
        0 => String::new(),
        version => format!(" before version {version}"),
    };
    let name = code(&field.name);
    let what = if former.name == field.name {
        format!("{name} had another meaning{when}")
    } else {
        format!("{name} was named {}{when}", code(&former.name))
    };
    match &former.convert {
        Some(lambda) => format!("{what}; old values are converted by {}.", code(lambda)),
        None => format!("{what}."),
    }
}

/// The heading of each record: its name, with its number if the name is not unique.
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

/// Help text on one line; outside of backticks, HTML is escaped.
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

/// LScript in a Markdown code span with as many backticks as it needs.
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
