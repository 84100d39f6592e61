//! Packing: from text to the packed form.
//!
//! Laws
//! 1. Any text of any class gives a packed tag. A missing or wrong value becomes its default, or the nearest value
//!    allowed, with a report: the place, what was expected, what was found, what to do. A record without a default has
//!    the defaults of its fields; a missing optional record has no value.
//! 2. The same text and class give the same bytes, on every machine.
//! 3. Literals are read from the syntax tree. Only formulas and their dependences are evaluated, with limits, so that
//!    packing always ends.
//! 4. A field is supplied by its own name first, then by its former names.
//! 5. Only the text, the texts that it is made from and its class are read. Whether a referenced tag exists and has an allowed class is checked with
//!    all classes at hand: [`Classes::check_links`](crate::classes::Classes::check_links).
//!
//! Cost: time and memory in proportion to the text, beside the fuel of its formulas: at most 500 bytes of heap for
//! each byte. Held by `tests/growth.rs` of the tool.

mod assignments;
mod evaluate;
mod given_value;
mod order;
pub mod words;
mod write;

use alloc::borrow::Cow;
use alloc::collections::BTreeMap;
use alloc::format;
use alloc::string::{String, ToString};
use alloc::vec::Vec;

use base::StringId;
use base::plain;
use script::ast::{Expression, NodeId, Tree};
use script::binary::encode;
use script::effect::Effect;
use script::handler::Handler;
use script::meaning::Mention;
use script::parse::parse;
use script::query::Query;
use script::readable::Readable;
use script::report::{Report, Severity, closest};
use script::schema::Schema;
use script::source::Span;

use crate::class::{Class, Field, Kind};
use crate::compose::{Composed, Composition, InheritedReport, Layer, Parent, SharedPart};
use crate::former::{Converter, is_used_up};
use crate::limits::{PACKED_BYTES_MAX, REPORTS_MAX, TEXT_BYTES_MAX};
use crate::packed::{FileRow, Head, INHERITED, LinkRow, NameRow, Packed, Part};

use evaluate::Evaluated;
use given_value::{GivenValue, Origin};
use words::{ClassWords, FieldMeaning};

/// A class prepared for packing: its defaults parsed, its fields indexed by name.
#[derive(Debug)]
pub struct Prepared {
    class: Class,
    fingerprint: u64,
    layout_fingerprint: u64,
    /// For each record, its fields by name.
    names: Vec<BTreeMap<String, u32>>,
    /// For each record and field, its default as text and syntax tree.
    defaults: Vec<Vec<Option<(String, Tree)>>>,
    /// The fields whose lambdas may compute numbers.
    formulas: Vec<String>,
    schema: Schema,
    /// What its tags inherit from it.
    shared: SharedPart,
    /// The effects its lambdas may use besides those of the script machine.
    effects: &'static [Effect],
    /// The queries its lambdas may ask their world.
    queries: &'static [Query],
    /// The handlers that the world calls.
    handlers: &'static [Handler],
    /// Its vocabulary, if its tags do not run in the world. Effects that are statements of such a tag are not run when it
    /// is packed, but by its owner when it starts.
    dialect: Option<Dialect>,
    /// What the words in its fields mean.
    words: &'static [FieldMeaning],
}

/// The script vocabulary of a class whose tags do not run in the world, and of the classes derived from it: interfaces,
/// for example.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Dialect {
    /// The name of the class.
    pub class: &'static str,
    /// The effects its lambdas may use besides those of the script machine, in place of the world's. Others are errors.
    pub effects: &'static [Effect],
    /// The fields of its records whose texts may have names in braces.
    pub texts: Readable,
}

/// What scripts in tags may say, besides the vocabulary of the script machine.
#[derive(Clone, Copy, Debug, Default)]
pub struct Vocabulary {
    /// The effects of the world.
    pub effects: &'static [Effect],
    /// The queries of the world.
    pub queries: &'static [Query],
    /// The handlers that the world calls.
    pub handlers: &'static [Handler],
    /// The vocabularies of classes whose tags do not run in the world.
    pub dialects: &'static [Dialect],
    /// What the words in fields mean, for each class.
    pub words: &'static [ClassWords],
}

impl Vocabulary {
    /// The vocabulary of a class, if it is one with a dialect, or derived from one.
    pub fn dialect_of(&self, class: &Class) -> Option<Dialect> {
        self.dialects.iter().find(|dialect| class.is_a(dialect.class)).copied()
    }

    /// What the words in the fields of a class mean.
    pub fn words_of(&self, class: &Class) -> &'static [FieldMeaning] {
        self.words.iter().find(|words| class.is_a(words.class)).map_or(&[], |words| words.fields)
    }
}

/// The result of packing a text.
#[derive(Clone, Debug)]
pub struct PackOutcome {
    /// The packed tag.
    pub packed: Packed,
    /// Errors and warnings, by place.
    pub reports: Vec<Report>,
    /// Those about what it inherits.
    pub inherited: Vec<InheritedReport>,
    /// The places in its lambdas and fields that mean something outside of the tag, by place. Those of what it inherits are not among
    /// them.
    pub mentions: Vec<Mention>,
}

impl PackOutcome {
    /// Whether there are no errors.
    pub fn is_sound(&self) -> bool {
        self.reports.iter().all(|report| report.severity != Severity::Error)
    }
}

impl Prepared {
    /// Prepares a class.
    pub fn new(class: Class) -> Prepared {
        let by_name = |fields: &[Field]| {
            fields.iter().enumerate().map(|(index, field)| (field.name.clone(), index as u32)).collect()
        };
        let names = class.records.iter().map(|record| by_name(&record.fields)).collect();
        let read = |field: &Field| {
            let text = format!("!set {} {}", field.name, field.default.as_deref()?);
            let tree = parse(&text);
            (tree.reports.is_empty() && !field.is_runtime).then_some((text, tree))
        };
        let defaults = class.records.iter().map(|record| record.fields.iter().map(read).collect()).collect();
        let formulas = class.root().fields.iter().filter(|field| field.kind == Kind::Formula);
        let formulas = formulas.map(|field| field.name.clone()).collect();
        let (fingerprint, schema) = (class.fingerprint(), crate::header::schema_of(&class));
        let shared = SharedPart::of(&class);
        let (effects, queries, dialect): (&[Effect], &[Query], _) = (&[], &[], None);
        let layout_fingerprint = class.layout_fingerprint();
        Prepared {
            class,
            fingerprint,
            layout_fingerprint,
            names,
            defaults,
            formulas,
            schema,
            shared,
            effects,
            queries,
            handlers: &[],
            dialect,
            words: &[],
        }
    }

    /// With the effects and queries of the world that lambdas of its tags may use, or its own vocabulary if it has a dialect.
    #[must_use]
    pub fn with_vocabulary(mut self, vocabulary: Vocabulary) -> Prepared {
        self.set_vocabulary(vocabulary);
        self
    }

    pub(crate) fn set_vocabulary(&mut self, vocabulary: Vocabulary) {
        (self.effects, self.queries) = (vocabulary.effects, vocabulary.queries);
        self.dialect = vocabulary.dialect_of(&self.class);
        // What does not run in the world has other handlers.
        self.handlers = if self.dialect.is_none() { vocabulary.handlers } else { &[] };
        self.words = vocabulary.words_of(&self.class);
    }

    /// The class.
    pub fn class(&self) -> &Class {
        &self.class
    }

    /// Its fingerprint, computed once.
    pub fn fingerprint(&self) -> u64 {
        self.fingerprint
    }

    /// Checks what its tags inherit from it: its libraries, and the defaults that are lambdas or formulas. The places that
    /// these mention outside of the tag come with the reports.
    pub fn check_shared(&self) -> (Vec<InheritedReport>, Vec<(Layer, Mention)>) {
        let mut found = self.shared.reports.clone();
        if self.shared.statements.is_empty() {
            return (found, Vec::new());
        }
        let head = match self.class.version {
            1 => format!("@{}\n", self.class.name),
            version => format!("@{} {version}\n", self.class.name),
        };
        let composition = Composition { class: &self.class, shared: &self.shared, keeps_all: true };
        let Some(composed) = composition.compose(&head, &parse(&head), self.class.version, &[]) else {
            return (found, Vec::new());
        };
        let tree = parse(&composed.text);
        let made = self.pack_composed(&composed, &tree, &[], Vec::new());
        let is_new = |report: &InheritedReport| !found.iter().any(|known| known == report);
        let new: Vec<InheritedReport> = made.0.inherited.into_iter().filter(is_new).collect();
        found.extend(new);
        (found, made.1)
    }

    /// The names that its libraries set, which its tags may read and set.
    pub fn library_names(&self) -> impl Iterator<Item = &str> {
        self.shared.names.iter().map(String::as_str)
    }

    /// The fingerprint of its layout, computed once: see [`Class::layout_fingerprint`].
    pub fn layout_fingerprint(&self) -> u64 {
        self.layout_fingerprint
    }

    /// Whether a packed tag can be read with this class.
    pub fn fits(&self, packed: &Packed) -> bool {
        // Tags of earlier programs carry the fingerprint of the whole class.
        packed.class() == StringId::from(self.class.name.as_str())
            && (packed.fingerprint() == self.layout_fingerprint || packed.fingerprint() == self.fingerprint)
    }

    /// The first default that does not fit its field, and why. For declarations of classes.
    pub fn wrong_default(&self) -> Option<String> {
        let (shared, _) = self.check_shared();
        if let Some(wrong) = shared.iter().find(|wrong| wrong.report.severity == Severity::Error) {
            let field = match wrong.layer {
                Layer::Default(field) => self.class.root().fields.get(field as usize),
                _ => None,
            };
            let name = field.map_or("", |field| field.name.as_str());
            return Some(format!("the default of `{}.{name}`: {}", self.class.name, wrong.report.message));
        }
        for (number, record) in self.class.records.iter().enumerate() {
            for index in 0..record.fields.len() {
                let mut packer = Packer::new(self, self.class.version, Vec::new());
                if let Some(why) = packer.try_default(number as u32, index) {
                    return Some(format!("the default of `{}.{}`: {why}", record.name, record.fields[index].name));
                }
            }
        }
        None
    }

    /// Parses and packs a text.
    pub fn pack_text(&self, source: &str) -> PackOutcome {
        self.pack(source, &parse(source))
    }

    /// Packs a parsed text.
    pub fn pack(&self, source: &str, tree: &Tree) -> PackOutcome {
        self.pack_from(source, tree, &[])
    }

    /// Packs a parsed text that is made from others, the nearest first.
    pub fn pack_from(&self, source: &str, tree: &Tree, parents: &[Parent<'_>]) -> PackOutcome {
        let mut reports: Vec<Report> = tree.reports.clone();
        if source.len() > TEXT_BYTES_MAX {
            let message = format!("a tag has at most {TEXT_BYTES_MAX} bytes of text, this has {}", source.len());
            reports.push(
                Report::error(Span::default(), message)
                    .with_help("move large data into bulk data: a file beside the tag"),
            );
            return self.pack_with("", &parse(""), None, reports);
        }
        let version = version_of(source, tree);
        let composition = Composition { class: &self.class, shared: &self.shared, keeps_all: false };
        let mut made = match composition.compose(source, tree, version, parents) {
            None => self.pack_with(source, tree, None, reports),
            Some(composed) => self.pack_composed(&composed, &parse(&composed.text), parents, reports).0,
        };
        if !self.words.is_empty() {
            made.mentions.extend(self.field_mentions(source, tree));
            made.mentions.sort_by_key(|mention| mention.span.start);
        }
        made
    }

    /// The words in the fields of a text that mean something.
    pub fn field_mentions(&self, source: &str, tree: &Tree) -> Vec<Mention> {
        words::mentions(source, tree, self.words)
    }

    /// The tree with the texts of its fields that have names in braces: `text "{hull} of {hull_max}"`.
    pub fn with_texts<'t>(&self, source: &str, tree: &'t Tree) -> Cow<'t, Tree> {
        let Some(dialect) = self.dialect.filter(|dialect| dialect.texts.is_in(source)) else {
            return Cow::Borrowed(tree);
        };
        let mut tree = tree.clone();
        dialect.texts.read(source, &mut tree, |name| self.names[0].contains_key(name));
        Cow::Owned(tree)
    }

    /// The composed text of a tag: what it sets and what it inherits. None if it inherits nothing.
    pub fn compose(&self, source: &str, tree: &Tree, parents: &[Parent<'_>]) -> Option<Composed> {
        let composition = Composition { class: &self.class, shared: &self.shared, keeps_all: false };
        composition.compose(source, tree, version_of(source, tree), parents)
    }

    /// Packs a composed text; returns the mentions of what it inherits too.
    fn pack_composed(
        &self,
        composed: &Composed,
        tree: &Tree,
        parents: &[Parent<'_>],
        reports: Vec<Report>,
    ) -> (PackOutcome, Vec<(Layer, Mention)>) {
        let mut made = self.pack_with(&composed.text, tree, Some((composed, parents)), reports);
        let (own, inherited) = composed.divide(core::mem::take(&mut made.reports));
        (made.reports, made.inherited) = (own, inherited);
        let mut others = Vec::new();
        made.mentions.retain(|mention| {
            let of = composed.statement_at(mention.span.start).filter(|_| mention.span.start >= composed.own);
            others.extend(of.map(|of| (of.layer, mention.moved(of.span.start, of.at))));
            of.is_none()
        });
        (made, others)
    }

    fn pack_with(
        &self,
        source: &str,
        tree: &Tree,
        composed: Option<(&Composed, &[Parent<'_>])>,
        mut reports: Vec<Report>,
    ) -> PackOutcome {
        let tree = &*self.with_texts(source, tree);
        let version = check_head(source, tree, &self.class, &mut reports);
        let statements = self.statements(source, tree, &mut reports);
        let own = composed.map_or(u32::MAX, |(composed, _)| composed.own);
        let mut evaluated = Evaluated::of(source, tree, self, &statements, own, &mut reports);
        if let Some((composed, parents)) = composed {
            evaluated.set_origins(|| composed.origins(&self.class, parents));
        }
        if evaluated.program().is_some() {
            assignments::check(source, tree, &self.class, &mut reports);
            let own = evaluate::own_names(self, &statements).into_iter().map(|name| statements.values[name].0);
            assignments::check_own(source, tree, &self.class, own, &mut reports);
        }
        let origin = Origin { source, tree, evaluated: &evaluated };
        let mut packer = Packer::new(self, version, reports);
        packer.own = own;
        packer.fill(origin, &statements);
        packer.disown_links(source);
        packer.finish(&evaluated)
    }

    /// The value of each name: the last, if there are several.
    fn statements<'a>(&self, source: &'a str, tree: &'a Tree, reports: &mut Vec<Report>) -> Statements<'a> {
        let mut statements = Statements::default();
        let mut updates: Vec<(Span, NodeId, NodeId)> = Vec::new();
        for statement in &tree.statements {
            let node = tree.node(*statement);
            match node.expression {
                Expression::Set(name, value) => {
                    if let Some((before, _)) = statements.values.insert(name.text(source), (name, value)) {
                        let text = name.text(source);
                        let message = format!("`{text}` is set twice; the later value counts");
                        push(reports, Report::warning(before, message).with_help("remove one of the two lines"));
                    }
                }
                Expression::Update(target, _, value) => updates.push((tree.variable_of(target), *statement, value)),
                Expression::Missing => {}
                Expression::Effect(..) if self.dialect.is_some() => {}
                _ => {
                    let help = "a tag gives fields their values: `!set name value`";
                    push(reports, Report::error(node.span, "a tag only sets its fields").with_help(help));
                }
            }
        }
        for (variable, statement, value) in updates {
            let name = variable.text(source);
            if statements.values.contains_key(name) {
                statements.updates.entry(name).or_default().push((statement, value));
                continue;
            }
            let message = format!("`{name}` has no value yet, of which a part could be set");
            let help = format!("set all of it first: `!set {name} …`");
            push(reports, Report::error(variable, message).with_help(help));
        }
        statements
    }
}

/// What a text sets.
#[derive(Default)]
struct Statements<'a> {
    /// Names, their spans, and their values.
    values: BTreeMap<&'a str, (Span, NodeId)>,
    /// The statements that change parts of a value, by name and in order, and what they set.
    updates: BTreeMap<&'a str, Vec<(NodeId, NodeId)>>,
}

/// The version that a text says it was written for.
fn version_of(source: &str, tree: &Tree) -> u32 {
    tree.version.and_then(|span| span.text(source).parse().ok()).unwrap_or(1)
}

/// The version that the text was written for.
fn check_head(source: &str, tree: &Tree, class: &Class, reports: &mut Vec<Report>) -> u32 {
    let found = tree.class.map_or("", |span| span.text(source));
    if found != class.name {
        let span = tree.class.unwrap_or_default();
        let message = if found.is_empty() {
            format!("expected `@{}` in the first line, found none", class.name)
        } else {
            format!("expected `@{}`, as the file's extension says, found `@{found}`", class.name)
        };
        push(reports, Report::error(span, message).with_help(format!("begin the file with `@{}`", class.name)));
    }
    let Some(span) = tree.version else { return 1 };
    match span.text(source).parse::<u32>() {
        Ok(version @ 1..) => {
            if version > class.version {
                let message = format!(
                    "this file was written with version {version} of `{}`, this program knows version {}",
                    class.name, class.version
                );
                let help =
                    "known fields are read and the others stay in the file; update the program to read all of it";
                push(reports, Report::warning(span, message).with_help(help));
            }
            version
        }
        _ => {
            push(reports, Report::error(span, "expected a version from 1 on").with_help("as in `@ship 2`"));
            1
        }
    }
}

fn push(reports: &mut Vec<Report>, report: Report) {
    if reports.len() < REPORTS_MAX {
        reports.push(report);
    }
}

struct Packer<'a> {
    prepared: &'a Prepared,
    /// The version of the text.
    version: u32,
    reports: Vec<Report>,
    data: Vec<u8>,
    links: Vec<LinkRow>,
    files: Vec<FileRow>,
    names: BTreeMap<StringId, Part>,
    converter: Converter,
    letters: Vec<u8>,
    /// Where its own text ends, and what it inherits begins.
    own: u32,
    /// Whether the tag became too large; reported once, at the end, since reports about defaults are discarded.
    is_full: bool,
}

impl<'a> Packer<'a> {
    fn new(prepared: &'a Prepared, version: u32, reports: Vec<Report>) -> Packer<'a> {
        let data = alloc::vec![0; prepared.class.root().bytes as usize];
        let (names, converter) = (BTreeMap::new(), Converter::new());
        let (links, files, letters) = (Vec::new(), Vec::new(), Vec::new());
        let (own, is_full) = (u32::MAX, false);
        Packer { prepared, version, reports, data, links, files, names, converter, letters, own, is_full }
    }

    /// Errors in a file of a newer version are warnings: a newer program understands it.
    fn report(&mut self, mut report: Report) {
        if self.version > self.prepared.class.version {
            report.severity = Severity::Warning;
        }
        push(&mut self.reports, report);
    }

    /// Whether further reports are discarded: then suggestions for misspelt names, which take time, are not computed.
    fn has_enough_reports(&self) -> bool {
        self.reports.len() >= REPORTS_MAX
    }

    /// The tag itself.
    fn fill<'g>(&mut self, origin: Origin<'g>, statements: &Statements<'g>) {
        let given = statements.values.iter().map(|(name, (span, node))| {
            let value = origin.evaluated.value(name);
            // Of a value that was changed in part, the last change is what a report is about.
            let last = statements.updates.get(name).and_then(|updates| updates.last());
            let node = last.map_or(*node, |(_, value)| *value);
            (*name, *span, GivenValue { origin: Some(origin), node: Some(node), value })
        });
        let (own, inherited): (Vec<_>, Vec<_>) = given.partition(|(_, span, _)| span.start < self.own);
        self.record(0, 0, (&own, &inherited), 0);
    }

    /// Appends zeroed bytes to the data.
    fn room(&mut self, bytes: usize, align: usize) -> Option<usize> {
        let start = self.data.len().next_multiple_of(align.max(1));
        let end = start.checked_add(bytes)?;
        if end > PACKED_BYTES_MAX / 2 {
            self.is_full = true;
            return None;
        }
        self.data.resize(end, 0);
        Some(start)
    }

    fn letters(&mut self, text: &str) -> Part {
        let start = self.letters.len() as u32;
        self.letters.extend_from_slice(text.as_bytes());
        Part { start, bytes: text.len() as u32 }
    }

    /// A name, whose text is stored once.
    fn name(&mut self, text: &str, span: Span) -> StringId {
        let id = StringId::from(text);
        if id.is_none() {
            return id;
        }
        match self.names.get(&id) {
            None => {
                let part = self.letters(text);
                self.names.insert(id, part);
            }
            Some(part) if self.letters.get(part.range()) != Some(text.as_bytes()) => {
                let message = format!("{text:?} has the same id as another name in this tag");
                self.report(Report::error(span, message).with_help("change one of them"));
            }
            Some(_) => {}
        }
        id
    }

    /// A value that was changed in part (`!set mounts[#0].delay 2`) holds references that the tag's own text does not: they are
    /// those of the tag it is made from.
    fn disown_links(&mut self, source: &str) {
        let Some(text) = source.get(..self.own as usize) else { return };
        for row in self.links.iter_mut().filter(|row| row.place != 0 && row.place < self.own) {
            let is_literal = text.get(row.place as usize..).is_some_and(|at| at.starts_with('"'));
            let path = self.letters.get(row.path.range()).and_then(|path| core::str::from_utf8(path).ok());
            let is_written = path.is_some_and(|path| text.contains(path) || text.contains(&path.replace('/', "\\")));
            if !is_literal && !is_written {
                row.place = INHERITED;
            }
        }
    }

    fn finish(mut self, evaluated: &Evaluated) -> PackOutcome {
        if self.is_full {
            let message = format!("a packed tag has at most {} bytes", PACKED_BYTES_MAX / 2);
            self.report(
                Report::error(Span::default(), message)
                    .with_help("move large data into bulk data: a file beside the tag"),
            );
        }
        let rows: Vec<NameRow> = self.names.iter().map(|(id, text)| NameRow { id: *id, text: *text }).collect();
        let own = self.own;
        let is_inherited = |place: u32| place != 0 && place != INHERITED && place >= own;
        self.links.iter_mut().filter(|row| is_inherited(row.place)).for_each(|row| row.place = INHERITED);
        self.files.iter_mut().filter(|row| is_inherited(row.place)).for_each(|row| row.place = INHERITED);
        self.links.sort_unstable_by_key(|row| row.at);
        self.files.sort_unstable_by_key(|row| row.at);
        let is_within = |at: u32| (at as usize) < self.data.len();
        assert!(
            self.data.len() >= self.prepared.class.root().bytes as usize,
            "law 1 of packing: every field of `{}` has its bytes",
            self.prepared.class.name
        );
        assert!(self.links.last().is_none_or(|row| is_within(row.at)), "law 1 of packing: references lie in the data");
        assert!(self.files.last().is_none_or(|row| is_within(row.at)), "law 1 of packing: bulk fields lie in the data");
        let program = evaluated.program().map(encode).unwrap_or_default();
        let head = Head {
            class: StringId::from(self.prepared.class.name.as_str()),
            fingerprint: self.prepared.layout_fingerprint,
            ..Head::default()
        };
        let packed = Packed::from_parts(
            head,
            &[
                &self.data,
                plain::cast_slice(&self.links),
                plain::cast_slice(&self.files),
                plain::cast_slice(&rows),
                &program,
                &self.letters,
            ],
        );
        self.reports.sort_by_key(|report| report.span);
        PackOutcome { packed, reports: self.reports, inherited: Vec::new(), mentions: evaluated.mentions.clone() }
    }

    /// Reports an unknown name.
    fn report_unknown(&mut self, record: u32, name: &str, span: Span) {
        let class = &self.prepared.class;
        let Some(found) = class.record(record).filter(|_| !self.has_enough_reports()) else { return };
        let candidates = found.fields.iter().filter(|field| !field.is_runtime).map(|field| field.name.as_str());
        let help = match closest(name, candidates) {
            Some(like) => format!("did you mean `{like}`? It is kept as it is"),
            None => "it is kept as it is".to_string(),
        };
        // A newer program may know it, or an older one did: then it is no misspelling.
        let is_other = self.version != class.version;
        if is_used_up(found, name) {
            let message = format!("`{name}` is superseded: its value is part of another field of `{}`", found.name);
            self.report(Report::warning(span, message).with_help("it is kept as it is, and can be removed"));
            return;
        }
        let message = format!("`{}` has no field `{name}`", found.name);
        let report = if is_other { Report::warning(span, message) } else { Report::error(span, message) };
        self.report(report.with_help(help));
    }
}
