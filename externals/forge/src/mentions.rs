//! What the scripts of a tree mention outside of their own tags: paths, classes, flags, markers, messages, variables of other
//! objects.
//!
//! Laws
//! 1. What a tree lists is decided: a path, a class, a flag or a variable with which an object is made is there, or it is an
//!    error.
//! 2. What scripts may also make up is suspected: the name of a message, a handler, a marker or another object's variable is
//!    a warning if the whole tree has no such word, and there is a similar one.

use std::collections::{BTreeMap, BTreeSet};

use script::meaning::{Meaning, Mention, Word};
use script::report::{Report, closest};
use script::source::Lines;
use tags::TagPath;
use tags::class::{Class, Field};

use crate::finding::Finding;
use crate::provider::{Loaded, load};
use crate::tree::Tree;
use crate::words::Declared;

/// The class whose tags list the flags of a game.
const GLOBALS: &str = "globals";

/// Findings about the mentions of loaded tags. If these are not all tags of the tree, only what is decided is reported.
pub fn check(tree: &Tree, loaded: &[Loaded], is_whole: bool) -> Vec<Finding> {
    if loaded.iter().all(|loaded| loaded.mentioned.mentions.is_empty()) {
        return Vec::new();
    }
    let words = Words::of(tree, loaded, is_whole);
    let others = declarers(tree, loaded);
    let declared = DeclaredWords::of(tree, loaded.iter().chain(&others));
    let mut findings = Vec::new();
    for one in loaded.iter().filter(|loaded| !loaded.mentioned.mentions.is_empty()) {
        let source = &one.mentioned.source;
        let (lines, shown) = (Lines::of(source), tree.shown(tree.tags[one.tag].path.as_str()));
        let reports = one.mentioned.mentions.iter().filter_map(|mention| words.report(mention));
        let named = one.mentioned.mentions.iter().filter_map(|mention| declared.report(tree, one.tag, mention));
        for report in reports.chain(named) {
            findings.push(Finding::of_report(&shown, source, &lines, &report));
        }
    }
    findings
}

/// The tags that declare words which loaded tags name, and are not loaded themselves.
fn declarers(tree: &Tree, loaded: &[Loaded]) -> Vec<Loaded> {
    let mentions = loaded.iter().flat_map(|loaded| &loaded.mentioned.mentions);
    let classes: BTreeSet<&str> = mentions
        .filter_map(|mention| match mention.meaning {
            Meaning::Names(word) => Some(word.class()),
            _ => None,
        })
        .collect();
    let here: BTreeSet<usize> = loaded.iter().map(|loaded| loaded.tag).collect();
    let is_meant = |tag: &usize| {
        let class = tree.tags[*tag].path.class();
        !here.contains(tag) && classes.iter().any(|declares| tree.classes.is_a(class, declares))
    };
    load(tree, &(0..tree.tags.len()).filter(is_meant).collect::<Vec<usize>>())
}

/// The words that tags declare.
struct DeclaredWords {
    all: Declared,
    /// For each tag, the words that it can name in its own class: its own, and of interfaces those of all that are linked.
    own: BTreeMap<usize, Declared>,
}

impl DeclaredWords {
    fn of<'a>(tree: &Tree, loaded: impl Iterator<Item = &'a Loaded> + Clone) -> DeclaredWords {
        let declares = |one: &&Loaded| {
            one.mentioned
                .mentions
                .iter()
                .any(|mention| matches!(mention.meaning, Meaning::Declares(_) | Meaning::Names(_)))
        };
        let declaring: Vec<&Loaded> = loaded.filter(declares).collect();
        let mut words = DeclaredWords { all: Declared::default(), own: BTreeMap::new() };
        let mut links: BTreeMap<usize, BTreeSet<usize>> = BTreeMap::new();
        for one in &declaring {
            words.all.add(&one.mentioned.mentions);
            let paths = one.packed.iter().flat_map(|packed| packed.links()).map(|link| link.path);
            let interfaces = paths.filter_map(|path| TagPath::new(path).ok());
            for path in interfaces.filter(|path| tree.classes.is_a(path.class(), Word::Widget.class())) {
                if let Some(other) = tree.find(&path) {
                    links.entry(one.tag).or_default().insert(other);
                    links.entry(other).or_default().insert(one.tag);
                }
            }
        }
        for one in &declaring {
            let (mut linked, mut waiting) = (BTreeSet::from([one.tag]), vec![one.tag]);
            while let Some(tag) = waiting.pop() {
                let next = links.get(&tag).into_iter().flatten();
                waiting.extend(next.filter(|next| linked.insert(**next)));
            }
            let mut own = Declared::default();
            let is_linked = |other: &&&Loaded| linked.contains(&other.tag);
            declaring.iter().filter(is_linked).for_each(|other| own.add(&other.mentioned.mentions));
            words.own.insert(one.tag, own);
        }
        words
    }

    fn report(&self, tree: &Tree, tag: usize, mention: &Mention) -> Option<Report> {
        let is_own = match mention.meaning {
            Meaning::Names(word) => tree.classes.is_a(tree.tags[tag].path.class(), word.class()),
            _ => false,
        };
        self.own.get(&tag).filter(|_| is_own).unwrap_or(&self.all).report(mention)
    }
}

/// The words of a tree.
struct Words<'a> {
    tree: &'a Tree,
    is_whole: bool,
    flags: BTreeSet<String>,
    /// The variables that each tag sets, by its path.
    sets: BTreeMap<&'a str, &'a [String]>,
    /// The variables of all classes and tags.
    variables: BTreeSet<&'a str>,
    /// The names of handled messages, and of sent ones, with the first letter in lower case.
    handled: BTreeSet<String>,
    sent: BTreeSet<String>,
    /// How often each string occurs, and how often as a mention of a marker or as the name of a handler.
    strings: BTreeMap<&'a str, u32>,
    markers: BTreeMap<&'a str, u32>,
    handlers: BTreeMap<&'a str, u32>,
    /// The variables that lambdas set, for each tag, by its path.
    state: BTreeMap<&'a str, &'a [String]>,
}

impl<'a> Words<'a> {
    fn of(tree: &'a Tree, loaded: &'a [Loaded], is_whole: bool) -> Words<'a> {
        let globals: Vec<usize> =
            (0..tree.tags.len()).filter(|tag| tree.classes.is_a(tree.tags[*tag].path.class(), GLOBALS)).collect();
        let flags = load(tree, &globals).into_iter().flat_map(|globals| globals.mentioned.strings);
        let mut words = Words {
            tree,
            is_whole,
            flags: flags.collect(),
            sets: BTreeMap::new(),
            variables: BTreeSet::new(),
            handled: BTreeSet::new(),
            sent: tree.classes.shared().events().iter().map(|event| small(event)).collect(),
            strings: BTreeMap::new(),
            markers: BTreeMap::new(),
            handlers: BTreeMap::new(),
            state: BTreeMap::new(),
        };
        for class in tree.classes.all() {
            words.variables.extend(class.root().fields.iter().map(|field| field.name.as_str()));
        }
        for one in loaded {
            words.sets.insert(tree.tags[one.tag].path.as_str(), &one.mentioned.sets);
            if let Some(state) = &one.mentioned.state {
                words.state.insert(tree.tags[one.tag].path.as_str(), state);
            }
            words.variables.extend(one.mentioned.sets.iter().map(String::as_str));
            one.mentioned.strings.iter().for_each(|string| *words.strings.entry(string).or_insert(0) += 1);
            for mention in &one.mentioned.mentions {
                match mention.meaning {
                    Meaning::Message => words.sent.insert(small(&mention.text)),
                    Meaning::Handler => {
                        if mention.of.is_empty() {
                            *words.handlers.entry(&mention.text).or_insert(0) += 1;
                        }
                        words.handled.insert(small(&mention.text))
                    }
                    Meaning::Marker => {
                        *words.markers.entry(&mention.text).or_insert(0) += 1;
                        false
                    }
                    _ => false,
                };
            }
        }
        let handlers = words.variables.iter().filter_map(|name| name.strip_prefix("On"));
        let handlers: Vec<String> = handlers.filter(|message| !message.is_empty()).map(small).collect();
        words.handled.extend(handlers);
        words
    }

    fn report(&self, mention: &Mention) -> Option<Report> {
        match mention.meaning {
            Meaning::Path(class) => self.path(mention, class),
            Meaning::Class => {
                let classes = &self.tree.classes;
                let is_there = classes.has(&mention.text);
                let help = closest(&mention.text, classes.names());
                (!is_there).then(|| error(mention, format!("there is no class `{}`", mention.text), help))
            }
            Meaning::Flag => {
                let is_there = self.flags.contains(&mention.text);
                let found = closest(&mention.text, self.flags.iter().map(String::as_str));
                let message = format!("there is no flag `{}`", mention.text);
                let help = found.map_or_else(
                    || String::from("the field `flags` of the globals lists the flags of a game"),
                    |found| format!("did you mean `{found}`?"),
                );
                (!is_there).then(|| Report::error(mention.span, message).with_help(help))
            }
            Meaning::State => self.state(mention),
            Meaning::Variable => {
                let is_there = self.variables.contains(mention.text.as_str());
                let found = closest(&mention.text, self.variables.iter().copied());
                let message = format!("no class and no tag has a variable `{}`", mention.text);
                (self.is_whole && !is_there).then(|| suspect(mention, message, found))
            }
            Meaning::Message | Meaning::Handler if mention.of.is_empty() && without_on(&mention.text).is_some() => {
                let message = format!("`{}` is the name of a variable that handles a message", mention.text);
                let help = format!("the message itself is called `{}`", without_on(&mention.text).unwrap_or_default());
                Some(Report::warning(mention.span, message).with_help(help))
            }
            Meaning::Message => {
                let text = small(&mention.text);
                let found = self.similar(&text, &self.handled)?;
                let message = format!("no tag handles the message `{}`", mention.text);
                Some(suspect(mention, message, Some(found)))
            }
            Meaning::Handler => {
                let text = small(&mention.text);
                // A message that is sent and not handled is reported where it is sent.
                let events = self.tree.classes.shared().events();
                let is_event = |found: &str| events.iter().any(|event| small(event) == found);
                let found = self.similar(&text, &self.sent);
                let found = found.filter(|found| self.handled.contains(*found) || is_event(found))?;
                let counted = |counts: &BTreeMap<&str, u32>| -> u32 {
                    counts.iter().filter(|(string, _)| small(string) == text).map(|(_, count)| count).sum()
                };
                // A string that is not the name of a handler may be sent by other means.
                let is_said = counted(&self.strings) > counted(&self.handlers);
                let help = if mention.of.is_empty() { found.to_string() } else { mention.of.clone() + &large(found) };
                let message = format!("nothing sends the message `{}`", mention.text);
                (!is_said).then(|| suspect(mention, message, Some(&help)))
            }
            Meaning::Marker => {
                // A marker is named by a string that is no mention.
                let text = mention.text.as_str();
                let is_named =
                    self.strings.get(text).copied().unwrap_or(0) > self.markers.get(text).copied().unwrap_or(0);
                let others = self.strings.keys().copied().filter(|other| *other != text);
                let found = closest(text, others).filter(|_| self.is_whole && !is_named)?;
                Some(suspect(mention, format!("no tag has a marker `{text}`"), Some(found)))
            }
            // What is declared is looked up in `DeclaredWords`.
            _ => None,
        }
    }

    /// A word of the whole tree that is similar to one that is not there.
    fn similar<'w>(&self, word: &str, words: &'w BTreeSet<String>) -> Option<&'w str> {
        let is_there = !self.is_whole || words.contains(word);
        if is_there { None } else { closest(word, words.iter().map(String::as_str)) }
    }

    fn path(&self, mention: &Mention, class: &str) -> Option<Report> {
        let text = mention.text.replace('\\', "/");
        let path = match TagPath::new(&text) {
            Ok(path) => path,
            Err(problem) => return Some(Report::error(mention.span, problem.to_string())),
        };
        if self.tree.find(&path).is_none() {
            let found = self.tree.similar(&text);
            return Some(error(mention, format!("there is no tag `{text}`"), found));
        }
        let is_kind = class.is_empty() || self.tree.classes.is_a(path.class(), class);
        let help = format!("a tag of the class `{class}`, or of one derived from it, is expected here");
        (!is_kind).then(|| Report::error(mention.span, format!("`{text}` is not a `{class}`")).with_help(help))
    }

    fn state(&self, mention: &Mention) -> Option<Report> {
        let path = TagPath::new(&mention.of.replace('\\', "/")).ok()?;
        let class = self.tree.classes.class(path.class())?;
        // What a tag sets besides the fields of its class is known only if it was loaded.
        let own = self.sets.get(path.as_str())?;
        let fields = class.root().fields.iter().map(|field| field.name.as_str());
        let known: Vec<&str> = fields.chain(own.iter().map(String::as_str)).collect();
        let is_there = known.contains(&mention.text.as_str());
        if let Some(field) = class.root().fields.iter().find(|field| field.name == mention.text)
            && !self.can_be_given(class, path.as_str(), field)
        {
            let message = format!("`{}` of `{path}` is not a variable of its objects", mention.text);
            let help = format!("make it one: add `state true` to `{}` in the header of `{}`", mention.text, class.name);
            return Some(Report::error(mention.span, message).with_help(help));
        }
        let message = format!("`{path}` has no variable `{}`", mention.text);
        (!is_there).then(|| error(mention, message, closest(&mention.text, known)))
    }

    /// Whether an object can be made with a value of its own for a field. Where scripts are shared, or the field is of every object, that
    /// is not known here.
    fn can_be_given(&self, class: &Class, path: &str, field: &Field) -> bool {
        let of_bases = class.bases.first().map_or(0, |base| base.fields as usize);
        let is_own = class.root().fields.iter().skip(of_bases).any(|own| own.name == field.name);
        let is_shared = !class.libraries.is_empty() || class.root().fields.iter().any(sets);
        let is_set = self.state.get(path).is_none_or(|state| state.contains(&field.name));
        field.is_state || !is_own || is_shared || is_set
    }
}

/// Whether a default contains a set.
fn sets(field: &Field) -> bool {
    field.default.as_ref().is_some_and(|default| default.contains("!set"))
}

/// The name of a message in the name of the variable that handles it: `Hit` of `OnHit`.
fn without_on(name: &str) -> Option<&str> {
    name.strip_prefix("On").filter(|rest| rest.starts_with(|first: char| first.is_ascii_uppercase()))
}

fn error(mention: &Mention, message: String, found: Option<&str>) -> Report {
    let help = found.map_or(String::new(), |found| format!("did you mean `{found}`?"));
    Report::error(mention.span, message).with_help(help)
}

fn suspect(mention: &Mention, message: String, found: Option<&str>) -> Report {
    let help = found.map_or(String::new(), |found| format!("did you mean `{found}`?"));
    Report::warning(mention.span, message).with_help(help)
}

/// The name of a message with a small first letter: `OnHit` handles "Hit" and "hit".
fn small(name: &str) -> String {
    let mut letters = name.chars();
    letters.next().map_or(String::new(), |first| first.to_ascii_lowercase().to_string() + letters.as_str())
}

fn large(name: &str) -> String {
    let mut letters = name.chars();
    letters.next().map_or(String::new(), |first| first.to_ascii_uppercase().to_string() + letters.as_str())
}
