//! Wearers: the objects for which the lambdas of a tag that is no object are evaluated.
//!
//! A material, an effect or an animation graph is evaluated for the object that shows it, so a name in it means a variable of
//! that object. Which objects these are is known from the tags, headers and libraries that name it, directly or through other
//! such tags.

use std::collections::BTreeSet;

use script::query::Query;
use tags::TagPath;
use tags::class::Class;

/// The class of everything that is in the world.
pub(crate) const OBJECT: &str = "object";

/// The class whose lambdas read variables of their object by bare names.
const GRAPH: &str = "animation_graph";

/// What a search knows of the files around it.
pub(crate) trait SearchScope {
    /// Whether a class is another, or derived from it.
    fn is_a(&self, class: &str, base: &str) -> bool;
    /// A class by its name.
    fn class(&self, name: &str) -> Option<&Class>;
    /// All classes.
    fn classes(&self) -> Vec<&Class>;
    /// The queries of the world.
    fn queries(&self) -> &'static [Query];
    /// The tags that name a tag, and the classes whose headers or libraries do.
    fn users_of(&self, path: &str) -> Vec<User>;
}

/// What is searched for.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Sought<'t> {
    /// The class that declares the field.
    pub class: &'t str,
    /// The field.
    pub field: &'t str,
    /// The new name that it would get.
    pub to: Option<&'t str>,
}

/// Whose objects show a tag.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Wearers {
    /// Only objects of the class.
    Own,
    /// Only other objects.
    Others,
    /// Both, or none that are known.
    Unknown,
}

/// For whom the lambdas of a file are evaluated.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum LambdaReader {
    /// For the objects of the class: the file belongs to it.
    Own,
    /// For those that show it; they are `~this`.
    Shown(Wearers),
    /// Likewise, and bare names are theirs too.
    Graph(Wearers),
    /// For others.
    Other,
}

/// Who names a tag.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum User {
    /// A tag, by its path.
    Tag(String),
    /// All objects of a class: its header or a library of it names the tag.
    Class(String),
}

/// Whether tags of a class are shown by objects, and are none themselves.
pub(crate) fn is_shown(around: &dyn SearchScope, sought: &str, path: &TagPath) -> bool {
    around.is_a(sought, OBJECT) && !around.is_a(path.class(), OBJECT)
}

/// For whom the lambdas of a tag are evaluated.
pub(super) fn reader_of(around: &dyn SearchScope, sought: Sought<'_>, path: &str) -> LambdaReader {
    let Ok(path) = TagPath::new(path) else { return LambdaReader::Other };
    if around.is_a(path.class(), sought.class) {
        return LambdaReader::Own;
    }
    if !is_shown(around, sought.class, &path) {
        return LambdaReader::Other;
    }
    let wearers = wearers(around, sought.class, path.as_str());
    // A field of its own class is none of the object.
    let is_field = around.class(path.class()).is_none_or(|class| class.root().field(sought.field).is_some());
    match around.is_a(path.class(), GRAPH) && !is_field {
        true => LambdaReader::Graph(wearers),
        false => LambdaReader::Shown(wearers),
    }
}

fn wearers(around: &dyn SearchScope, sought: &str, path: &str) -> Wearers {
    let (mut seen, mut open) = (BTreeSet::from([path.to_string()]), vec![path.to_string()]);
    let (mut has_own, mut has_other) = (false, false);
    while let Some(path) = open.pop() {
        for user in around.users_of(&path) {
            let class = match &user {
                User::Class(class) => class,
                User::Tag(path) => path.rsplit_once('.').map_or("", |(_, class)| class),
            };
            let (is_own, is_base) = (around.is_a(class, sought), around.is_a(sought, class));
            match user {
                _ if is_own => has_own = true,
                User::Tag(path) if !around.is_a(class, OBJECT) => {
                    if seen.insert(path.clone()) {
                        open.push(path);
                    }
                }
                // Objects of a base may be of this class or not.
                User::Class(_) if is_base => (has_own, has_other) = (true, true),
                _ => has_other = true,
            }
        }
    }
    match (has_own, has_other) {
        (true, false) => Wearers::Own,
        (false, true) => Wearers::Others,
        _ => Wearers::Unknown,
    }
}
