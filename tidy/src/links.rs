//! No page of the repository has a dead link.

use crate::complaint::Complaint;
use crate::tree::{Text, Tree};

/// Checks every Markdown page of the tree.
pub fn check(tree: &Tree) -> Vec<Complaint> {
    let pages = tree.texts.iter().filter(|file| file.has_extension("md"));
    pages.flat_map(|page| check_page(page, tree)).collect()
}

/// Checks one page: every relative link is the path of a file or folder, and every `#part` a heading there.
pub fn check_page(page: &Text, tree: &Tree) -> Vec<Complaint> {
    let mut complaints = Vec::new();
    for (line, target) in links(&page.text) {
        if target.contains("://") || target.starts_with("mailto:") {
            continue;
        }
        let (path, part) = target.split_once('#').unwrap_or((target, ""));
        let resolved = if path.is_empty() { Some(page.path.clone()) } else { resolve(&page.path, path) };
        let Some(resolved) = resolved.filter(|path| tree.has(path)) else {
            complaints.push(Complaint::at(
                &page.path,
                line,
                format!("the link {target} is dead: there is no such file"),
            ));
            continue;
        };
        let headings = tree.text(&resolved).map(headings).unwrap_or_default();
        if !part.is_empty() && resolved.ends_with(".md") && !headings.iter().any(|heading| heading == part) {
            complaints.push(Complaint::at(&page.path, line, format!("{resolved} has no heading #{part}")));
        }
    }
    complaints
}

/// All targets of links, with their lines. Code is skipped.
fn links(text: &str) -> Vec<(usize, &str)> {
    let mut links = Vec::new();
    let mut is_fenced = false;
    for (index, line) in text.lines().enumerate() {
        is_fenced ^= line.trim_start().starts_with("```");
        if is_fenced || line.starts_with("    ") {
            continue;
        }
        for (at, _) in line.match_indices("](") {
            let is_code = line[..at].matches('`').count() % 2 == 1;
            if let Some(end) = line[at..].find(')').filter(|_| !is_code) {
                let inside = &line[at + 2..at + end];
                links.extend(inside.split_whitespace().next().map(|target| (index + 1, target)));
            }
        }
        if let Some((_, target)) = line.strip_prefix('[').and_then(|rest| rest.split_once("]: ")) {
            links.extend(target.split_whitespace().next().map(|target| (index + 1, target)));
        }
    }
    links
}

/// The path from the root for a relative path on a page; none if it leaves the repository.
fn resolve(page: &str, path: &str) -> Option<String> {
    let mut parts: Vec<&str> = page.split('/').collect();
    parts.pop();
    for part in path.split('/') {
        match part {
            "" | "." => {}
            ".." => {
                parts.pop()?;
            }
            _ => parts.push(part),
        }
    }
    Some(parts.join("/"))
}

/// The anchors of headings: lower case, hyphens for spaces, no other punctuation.
fn headings(text: &str) -> Vec<String> {
    let titles = text.lines().filter_map(|line| line.strip_prefix('#')).map(|line| line.trim_start_matches('#').trim());
    let name = |title: &str| {
        let kept = title.to_lowercase().replace(' ', "-");
        kept.chars().filter(|char| char.is_alphanumeric() || "-_".contains(*char)).collect()
    };
    titles.map(name).collect()
}
