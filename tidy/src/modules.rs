//! A `lib.rs` is a page, and lists its modules in reading order: a module uses only modules listed above it.

use std::collections::BTreeMap;

use crate::complaint::Complaint;
use crate::manifest::Manifest;
use crate::source::{Word, after, code, is_for_tests, outside_tests, words};
use crate::tree::{Text, Tree};

/// Checks the page and the order of every crate of the tree.
pub fn check(tree: &Tree) -> Vec<Complaint> {
    let mut complaints = Vec::new();
    for manifest in Manifest::all(tree) {
        let folder = manifest.folder();
        let sources = format!("{folder}/src/");
        let files: Vec<&Text> = tree.sources().filter(|file| file.path.starts_with(&sources)).collect();
        for file in &files {
            complaints.extend(check_tests_are_marked(file));
            match file.path.strip_prefix(&sources) {
                Some("lib.rs") => {
                    complaints.extend(check_page(file, folder, manifest.is_macros()));
                    complaints.extend(check_order(file, &files));
                }
                Some("main.rs") => complaints.extend(check_order(file, &files)),
                _ => {}
            }
        }
    }
    complaints
}

/// Checks a `lib.rs`: it begins with a sentence, has no code and, in core and foundation, states what the crate never does
/// and its laws. A crate of macros must have its functions here, and needs no laws.
pub fn check_page(file: &Text, folder: &str, is_macros: bool) -> Vec<Complaint> {
    let mut complaints = Vec::new();
    let page: Vec<&str> = file.text.lines().map_while(|line| line.strip_prefix("//!")).map(str::trim).collect();
    let first: Vec<&str> = page.iter().copied().take_while(|line| !line.is_empty()).collect();
    if !first.join(" ").ends_with(['.', '?', '!', ':']) {
        complaints.push(Complaint::at(
            &file.path,
            1,
            "must begin with a sentence that states the purpose of the crate",
        ));
    }
    let is_inside = folder.starts_with("core/") || folder.starts_with("foundation/");
    for word in ["Never", "Laws"] {
        if is_inside && !is_macros && !page.iter().any(|line| line.starts_with(word)) {
            complaints.push(Complaint::at(&file.path, 1, format!("the page has no line that begins with {word}")));
        }
    }
    let code = outside_tests(&code(&file.text));
    let is_of_code = |word: &&Word<'_>| ["fn", "struct", "enum", "trait", "impl", "union"].contains(&word.text);
    if let Some(word) = words(&code).iter().find(is_of_code).filter(|_| !is_macros) {
        let what = format!("`{}` in lib.rs, which is a page: move it to a module", word.text);
        complaints.push(Complaint::at(&file.path, word.line, what));
    }
    complaints
}

/// Checks that every module of a crate uses only modules that `root` (its `lib.rs` or `main.rs`) lists above it.
pub fn check_order(root: &Text, files: &[&Text]) -> Vec<Complaint> {
    let root_code = outside_tests(&code(&root.text));
    let modules = declared(&root_code);
    let exported = exported(&root_code, &modules);
    let mut complaints = Vec::new();
    for file in files.iter().filter(|file| !is_for_tests(&file.path)) {
        let Some((own, is_top)) = module_of(&root.path, &file.path) else {
            continue;
        };
        let Some(own_index) = modules.iter().position(|module| *module == own) else {
            continue;
        };
        let code = outside_tests(&code(&file.text));
        for (line, name) in used_names(&code, is_top) {
            let module = if modules.contains(&name) { Some(&name) } else { exported.get(name) };
            let index = module.and_then(|module| modules.iter().position(|other| other == module));
            if let (Some(module), Some(index)) = (module, index)
                && index > own_index
            {
                let what = format!("{own} uses {module}, which {} lists below it: reorder the modules", root.path);
                complaints.push(Complaint::at(&file.path, line, what));
            }
        }
    }
    complaints
}

/// A module of tests needs `#[cfg(test)]`, because the other checks skip it by its name.
fn check_tests_are_marked(file: &Text) -> Vec<Complaint> {
    let code = outside_tests(&code(&file.text));
    let words = words(&code);
    let is_unmarked = |pair: &&[Word<'_>]| pair[0].text == "mod" && pair[1].text == "tests";
    words
        .windows(2)
        .filter(is_unmarked)
        .filter(|_| !is_for_tests(&file.path))
        .map(|pair| Complaint::at(&file.path, pair[0].line, "mod tests without #[cfg(test)]"))
        .collect()
}

fn declared(code: &str) -> Vec<&str> {
    let words = words(code);
    let names = words.windows(2).filter(|pair| pair[0].text == "mod");
    names.map(|pair| pair[1].text).collect()
}

/// The names that the root re-exports from its modules, each with its module: within the crate they may be used as
/// `crate::Name`.
fn exported<'code>(code: &'code str, modules: &[&'code str]) -> BTreeMap<&'code str, &'code str> {
    let mut exported = BTreeMap::new();
    for word in words(code).iter().filter(|word| word.text == "use") {
        let statement = after(code, word);
        let statement = &statement[..statement.find(';').unwrap_or(statement.len())];
        let names = words(statement).into_iter().map(|word| word.text);
        let mut names = names.skip_while(|name| matches!(*name, "crate" | "self"));
        if let Some(module) = names.next().filter(|name| modules.contains(name)) {
            exported.extend(names.map(|name| (name, module)));
        }
    }
    exported
}

/// The module that a file belongs to, and whether the file is the module itself rather than one inside it.
fn module_of<'path>(root: &str, path: &'path str) -> Option<(&'path str, bool)> {
    let folder = root.rsplit_once('/')?.0;
    let inside = path.strip_prefix(folder)?.strip_prefix('/')?.strip_suffix(".rs")?;
    match inside.split_once('/') {
        Some((module, rest)) => Some((module, rest == "mod")),
        None => Some((inside, true)),
    }
}

/// The first names of all paths that start at the crate: `crate::a::b`, `crate::{a::b, c}`, and `super::a` in a module
/// right below the root.
fn used_names(code: &str, is_top: bool) -> Vec<(usize, &str)> {
    let mut names = Vec::new();
    for word in words(code) {
        let is_root = word.text == "crate" || is_top && word.text == "super";
        let is_visibility = code[..word.start].trim_end().ends_with("(in");
        let Some(path) = after(code, &word).strip_prefix("::").filter(|_| is_root && !is_visibility) else {
            continue;
        };
        match path.trim_start().strip_prefix('{') {
            Some(group) => names.extend(group_names(group).into_iter().map(|name| (word.line, name))),
            None => names.extend(words(path).first().map(|first| (word.line, first.text))),
        }
    }
    names
}

fn group_names(group: &str) -> Vec<&str> {
    let mut names = Vec::new();
    let mut depth = 0;
    let mut start = 0;
    for (at, char) in group.char_indices() {
        match char {
            '{' => depth += 1,
            ',' | '}' if depth == 0 => {
                names.extend(words(&group[start..at]).first().map(|first| first.text));
                start = at + 1;
                if char == '}' {
                    break;
                }
            }
            '}' => depth -= 1,
            _ => {}
        }
    }
    names
}
