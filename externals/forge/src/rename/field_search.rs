//! The search for the uses of a field: in the tags of its class, in scripts and headers of it, in what its objects show, and by
//! other objects through handles. The command and the language server share it.
//!
//! Laws
//! 1. A use is certain only if it means this field whatever runs. What may mean another one is listed.
//! 2. What an object shows is read with it: a name in a material, an effect or an animation graph is a use if only objects of
//!    the class show that.

use std::collections::BTreeMap;

use script::ast::{Expression, Tree as Syntax};
use script::meaning::Meaning as Mentioned;
use script::parse::parse;
use script::source::Span;
use tags::TagPath;

use super::wearers::{LambdaReader, SearchScope, Sought, Wearers, reader_of};
use crate::names::{Meaning, Names};

/// What places of a text mean outside of it.
pub(crate) type Mentions = BTreeMap<Span, (Mentioned, String)>;

/// A file to search.
#[derive(Clone, Debug)]
pub(crate) struct SearchedFile {
    /// Its text.
    pub text: String,
    /// Where it belongs.
    pub home: Home,
    /// What its scripts mention outside of it.
    pub mentions: Mentions,
}

/// Where a file belongs.
#[derive(Clone, Debug)]
pub(crate) enum Home {
    /// It is the tag of this path.
    Tag(String),
    /// It is the header of these classes, or a library of them.
    Classes(Vec<String>),
}

/// Something in one of the files.
#[derive(Clone, Debug)]
pub(crate) struct Remark {
    /// The number of the file.
    pub file: usize,
    /// Where.
    pub span: Span,
    /// The words there; or why not.
    pub words: String,
}

/// What was found.
#[derive(Clone, Debug, Default)]
pub(crate) struct FoundUses {
    /// The certain uses of each file, in order.
    pub spans: Vec<Vec<Span>>,
    /// Places that may mean the field or another one.
    pub undecided: Vec<Remark>,
    /// Places where the new name means something else.
    pub conflicts: Vec<Remark>,
}

/// Searches files.
pub(crate) fn find(around: &dyn SearchScope, sought: Sought<'_>, files: &[SearchedFile]) -> FoundUses {
    let search = FieldSearch::new(around, sought, files);
    let mut found = FoundUses::default();
    for (number, file) in files.iter().enumerate() {
        let spans = search.look_at(number, file, &mut found);
        found.spans.push(spans);
    }
    found
}

struct FieldSearch<'t> {
    around: &'t dyn SearchScope,
    sought: Sought<'t>,
    /// Whether an object of another class may have a variable of this name.
    is_shared: bool,
    /// Whether a record somewhere has a field of this name.
    is_in_records: bool,
}

impl<'t> FieldSearch<'t> {
    fn new(around: &'t dyn SearchScope, sought: Sought<'t>, files: &[SearchedFile]) -> FieldSearch<'t> {
        let (class, from) = (sought.class, sought.field);
        let is_own = |name: &str| around.is_a(name, class) || around.is_a(class, name);
        let is_shared =
            around.classes().into_iter().any(|other| !is_own(&other.name) && other.root().field(from).is_some());
        let mut search = FieldSearch { around, sought, is_shared, is_in_records: false };
        for file in files {
            let Home::Tag(path) = &file.home else { continue };
            let reader = reader_of(around, sought, path);
            let names = search.names(&file.text, &parse(&file.text));
            for name in names.names.iter().filter(|name| name.span.text(&file.text) == from) {
                match name.meaning {
                    // What an object only shows has no handle.
                    Meaning::Set | Meaning::InnerSet => search.is_shared |= reader == LambdaReader::Other,
                    // The records with which objects are made are known by their tags.
                    Meaning::Field => search.is_in_records |= !file.mentions.contains_key(&name.span),
                    _ => {}
                }
            }
        }
        search
    }

    fn names(&self, text: &str, syntax: &Syntax) -> Names {
        Names::of(text, syntax, [self.sought.field], self.around.queries())
    }

    fn reader(&self, home: &Home) -> LambdaReader {
        match home {
            Home::Tag(path) => reader_of(self.around, self.sought, path),
            Home::Classes(classes) if classes.iter().any(|class| self.around.is_a(class, self.sought.class)) => {
                LambdaReader::Own
            }
            Home::Classes(_) => LambdaReader::Other,
        }
    }

    fn look_at(&self, number: usize, file: &SearchedFile, found: &mut FoundUses) -> Vec<Span> {
        let (text, from) = (file.text.as_str(), self.sought.field);
        if !text.contains(from) {
            return Vec::new();
        }
        let (syntax, reader) = (parse(text), self.reader(&file.home));
        let names = self.names(text, &syntax);
        let remark = |span: Span, words: String| Remark { file: number, span, words };
        let is_own = matches!(reader, LambdaReader::Own | LambdaReader::Graph(Wearers::Own));
        let mut spans: Vec<Span> = Vec::new();
        if let LambdaReader::Graph(wearers) = reader {
            let given = parameters(text, &syntax).filter(|span| span.text(text) == from);
            match wearers {
                Wearers::Own => spans.extend(given),
                Wearers::Others => {}
                Wearers::Unknown => {
                    found.undecided.extend(given.map(|span| remark(span, format!("the parameter `{from}`"))));
                }
            }
        }
        for name in &names.names {
            let word = name.span.text(text);
            match name.meaning {
                Meaning::Variable | Meaning::Set | Meaning::InnerSet if is_own && word == from => spans.push(name.span),
                Meaning::Variable | Meaning::Set | Meaning::InnerSet
                    if reader == LambdaReader::Graph(Wearers::Unknown) && word == from =>
                {
                    found.undecided.push(remark(name.span, format!("`{word}`")));
                }
                Meaning::Object if is_own && word.strip_prefix('~') == Some(from) => {
                    spans.push(Span::new(name.span.start + 1, name.span.end));
                }
                Meaning::Access if word == from => match self.decide(name.span, text, reader, &file.mentions) {
                    Some(true) => spans.push(name.span),
                    Some(false) => {}
                    None => found.undecided.push(remark(name.span, format!("`.{word}`"))),
                },
                Meaning::Field if word == from => {
                    if let Some((Mentioned::State, of)) = file.mentions.get(&name.span) {
                        let made = TagPath::new(&of.replace('\\', "/"));
                        match made.map(|made| self.around.is_a(made.class(), self.sought.class)) {
                            Ok(true) => spans.push(name.span),
                            Ok(false) => {}
                            Err(_) => found.undecided.push(remark(name.span, format!("`{{ {word} … }}`"))),
                        }
                    }
                }
                _ => {}
            }
        }
        spans.sort_by_key(|span| span.start);
        spans.dedup();
        if let Some(to) = self.sought.to.filter(|_| is_own && !spans.is_empty()) {
            // What the new name means where the field is used, and whether the file has it already.
            let is_variable = |meaning| matches!(meaning, Meaning::Variable | Meaning::Set | Meaning::InnerSet);
            let taken = names.names.iter().find(|name| is_variable(name.meaning) && name.span.text(text) == to);
            found.conflicts.extend(taken.map(|name| remark(name.span, format!("`{to}` is used here already"))));
            for span in &spans {
                let locals = names.locals_at(span.start);
                if locals.iter().any(|local| local.given.span.text(text) == to) {
                    found.conflicts.push(remark(*span, format!("`{to}` is a parameter or a `let` here")));
                }
            }
        }
        spans
    }

    /// Whether a name behind a dot means the field; none if that is not certain.
    fn decide(&self, span: Span, text: &str, reader: LambdaReader, mentions: &Mentions) -> Option<bool> {
        if text[..span.start as usize].ends_with("~this.") {
            return match reader {
                LambdaReader::Own | LambdaReader::Shown(Wearers::Own) | LambdaReader::Graph(Wearers::Own) => Some(true),
                LambdaReader::Shown(Wearers::Unknown) | LambdaReader::Graph(Wearers::Unknown) => None,
                _ => Some(false),
            };
        }
        let is_of_object = mentions.get(&span).is_some_and(|(meaning, _)| *meaning == Mentioned::Variable);
        match (is_of_object, self.is_shared, self.is_in_records) {
            (true, false, _) | (false, false, false) => Some(true),
            _ => None,
        }
    }
}

/// The names of the variables that the parameters of an animation graph follow, without their quotes.
fn parameters<'a>(text: &'a str, syntax: &'a Syntax) -> impl Iterator<Item = Span> + 'a {
    let lists = syntax.statements.iter().filter_map(|statement| match syntax.node(*statement).expression {
        Expression::Set(name, value) if name.text(text) == "parameters" => Some(value),
        _ => None,
    });
    let elements = lists.flat_map(|list| match syntax.node(list).expression {
        Expression::List(items) => syntax.items(items),
        _ => &[],
    });
    let values = elements.filter_map(|element| match syntax.node(*element).expression {
        Expression::Record(names, items) => {
            let at = syntax.names(names).iter().position(|name| name.span.text(text) == "name")?;
            syntax.items(items).get(at).map(|value| syntax.node(*value))
        }
        _ => None,
    });
    let texts = values.filter(|value| value.expression == Expression::String && value.span.end > value.span.start + 1);
    texts.map(|value| Span::new(value.span.start + 1, value.span.end - 1))
}
