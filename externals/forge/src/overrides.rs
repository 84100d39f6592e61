//! What mods change: the tags of lower folders that tags of upper ones replace, or of which they set some fields.

use script::ast::Expression;
use script::parse::parse;
use tags::TagPath;
use tags::ancestry::written_from;

use crate::tree::Tree;

/// A tag of a mod above another of the same path.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Override {
    /// The name of the mod.
    pub name: String,
    /// The path of the tag.
    pub path: String,
    /// The mod whose tag lies below; none for the game.
    pub below: Option<String>,
    /// The names that it sets, if it is made from the tag below. None if it replaces that tag.
    pub fields: Option<Vec<String>>,
}

/// The tag that names a mod: every mod has its own.
const MOD_TAG: &str = "mod.mod";

/// The overrides of all mods of a tree, by path, the lowest first.
pub fn overrides(tree: &Tree) -> Vec<Override> {
    let folders = tree.folders();
    let mut found = Vec::new();
    for tag in tree.tags.iter().filter(|tag| tag.path.as_str() != MOD_TAG) {
        let mut of_tag = Vec::new();
        let mut above = folders.file_below(tag.path.as_str(), None);
        while let Some((_, folder)) = above {
            above = folders.file_below(tag.path.as_str(), Some(folder));
            if let (Some((_, below)), Some(name)) = (&above, folders.name(folder)) {
                let below = folders.name(*below).map(String::from);
                let fields = fields_set(tree, &tag.path, folder);
                of_tag.push(Override { name: name.to_string(), path: tag.path.as_str().to_string(), below, fields });
            }
        }
        found.extend(of_tag.into_iter().rev());
    }
    found
}

/// The names that a tag sets, if it is made from the tag of its own path.
fn fields_set(tree: &Tree, path: &TagPath, folder: u32) -> Option<Vec<String>> {
    let source = tree.folders().source(path, Some(folder + 1)).ok()?.text;
    let parsed = parse(&source);
    let (from, _) = written_from(&source, &parsed)?;
    if TagPath::new(&from).ok()? != *path {
        return None;
    }
    let set = parsed.statements.iter().filter_map(|statement| {
        let node = parsed.node(*statement);
        match node.expression {
            Expression::Set(name, _) => Some(name.text(&source).to_string()),
            Expression::Update(..) => parsed.set_by(node).map(|name| name.text(&source).to_string()),
            _ => None,
        }
    });
    let mut set: Vec<String> = set.collect();
    set.sort_unstable();
    set.dedup();
    Some(set)
}
