//! The index of a workspace: its files, the class of each, and the names it mentions.
//!
//! It is built incrementally, between messages: first the folders, then the headers, then everything else. Of a file's
//! text only hashes of its names and strings are stored; the few files that contain one are read again to find its
//! position.
//!
//! A workspace may be a folder of tags, or contain such folders. The path of a tag begins in the nearest folder called
//! `tags`, or else in the root.
//!
//! Laws
//! 1. A step visits a bounded number of folders or files. Urgent work is finished at once: [`Index::list_all`],
//!    [`Index::read_all`].
//! 2. An open document takes precedence over the file on disk.
//! 3. A file whose stamp has not changed is not read again.

use std::collections::{BTreeMap, BTreeSet, VecDeque};

use base::StringId;
use script::token::{TokenKind, tokens};
use tags::header::HEADER;

use super::files::{Entry, Files, HEAD_BYTES};
use super::limits::{FILE_BYTES_MAX, FILES_AT_ONCE, FILES_MAX, FOLDERS_AT_ONCE, FOLDERS_DEEP_MAX, MENTIONS_MAX};
use super::uri::{CLASSES, MADE, TAGS, extension, folder_of, tags_root, within};

/// The extension of headers.
pub const HEADER_EXTENSION: &str = "header";
/// The extension of notes on a class.
pub const NOTES_EXTENSION: &str = "notes";
/// Folders with generated or third-party files.
const FOREIGN: [&str; 2] = ["target", "node_modules"];

/// The kind of a file.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum FileKind {
    /// Not read yet.
    Unread,
    /// Another kind: a picture, a page.
    Foreign,
    /// It declares a class.
    Header,
    /// A tag.
    Tag,
    /// A script.
    Script,
    /// Notes on a class.
    Notes,
}

/// One file.
#[derive(Clone, Debug)]
pub struct Known {
    /// Its path on the disk.
    pub path: String,
    /// Its kind.
    pub sort: FileKind,
    /// The class that its first line without a comment names; may be empty.
    pub class: String,
    stamp: u64,
    mentions: Vec<StringId>,
    is_open: bool,
}

/// The index of a workspace.
#[derive(Clone, Debug, Default)]
pub struct Index {
    /// Its root folder.
    pub root: String,
    /// The folders called `tags` in it.
    roots: BTreeSet<String>,
    /// Whether subfolders are included.
    is_deep: bool,
    folders: VecDeque<(String, usize)>,
    files: Vec<Known>,
    /// By path on the disk.
    numbers: BTreeMap<String, u32>,
    /// Free numbers of removed files.
    free: Vec<u32>,
    unread: VecDeque<u32>,
    /// Files that mention more names than are stored: they may mention anything.
    overfull: BTreeSet<u32>,
    mentions: BTreeMap<StringId, Vec<u32>>,
    /// The headers that were added or changed since the last query.
    changed_headers: BTreeSet<String>,
    /// Whether files were added or removed since the last query.
    has_changed: bool,
    /// Files found while listing again; the others were removed.
    met: Option<BTreeSet<u32>>,
}

impl Index {
    /// An empty index. A shallow one covers one folder.
    pub fn new(root: &str, is_deep: bool) -> Index {
        let mut index = Index { root: root.to_string(), is_deep, ..Index::default() };
        index.list_again();
        index
    }

    /// Whether all folders are listed and all headers read.
    pub fn is_listed(&self) -> bool {
        self.folders.is_empty() && self.unread.front().is_none_or(|number| !self.may_be_header(*number))
    }

    /// Whether it is complete.
    pub fn is_complete(&self) -> bool {
        self.folders.is_empty() && self.unread.is_empty()
    }

    /// Lists the folders again. Read files stay indexed until they are found to have changed.
    pub fn list_again(&mut self) {
        self.folders.clear();
        self.folders.push_back((self.root.clone(), 0));
        self.folders.push_back((format!("{}/{MADE}/{CLASSES}", folder_of(&self.root)), FOLDERS_DEEP_MAX));
        self.met = Some(BTreeSet::new());
    }

    /// Does one step. Returns whether there was work.
    pub fn step(&mut self, files: &dyn Files) -> bool {
        if !self.folders.is_empty() {
            let next = self.folders.len().min(FOLDERS_AT_ONCE);
            let folders: Vec<(String, usize)> = self.folders.drain(..next).collect();
            let names: Vec<&str> = folders.iter().map(|(folder, _)| folder.as_str()).collect();
            for ((folder, depth), entries) in folders.iter().zip(files.list_many(&names)) {
                self.list(folder, *depth, entries);
            }
            if self.folders.is_empty() {
                self.forget_unmet();
            }
            return true;
        }
        let mut numbers: Vec<u32> = Vec::new();
        while numbers.len() < FILES_AT_ONCE
            && let Some(number) = self.unread.pop_front()
        {
            let known = &self.files[number as usize];
            if !known.is_open && self.numbers.get(&known.path) == Some(&number) {
                numbers.push(number);
            }
        }
        let paths: Vec<String> = numbers.iter().map(|number| self.files[*number as usize].path.clone()).collect();
        let texts = files.read_many(&paths, &|path, head| is_by_name(extension(path)) || begins_as_tag(head));
        for (number, text) in numbers.into_iter().zip(texts) {
            match text {
                Some(text) => self.learn(number, &text),
                None => {
                    self.unmention(number);
                    self.settle(number, FileKind::Foreign, String::new());
                }
            }
        }
        !paths.is_empty() || !self.unread.is_empty()
    }

    /// Lists all folders and reads all headers.
    pub fn list_all(&mut self, files: &dyn Files) {
        while !self.is_listed() && self.step(files) {}
    }

    /// Reads everything.
    pub fn read_all(&mut self, files: &dyn Files) {
        while !self.is_complete() && self.step(files) {}
    }

    /// A file may have been changed, added or removed on disk.
    pub fn touch(&mut self, files: &dyn Files, path: &str) {
        if !self.holds(path) {
            return;
        }
        match files.is_there(path) {
            true => {
                if let Some(number) = self.number(path)
                    && !self.files[number as usize].is_open
                {
                    self.files[number as usize].stamp = 0;
                    self.expect(number);
                }
            }
            false => {
                let below = format!("{path}/");
                let gone: Vec<u32> = self
                    .numbers
                    .range(path.to_string()..)
                    .take_while(|(other, _)| other.as_str() == path || other.starts_with(&below))
                    .map(|(_, number)| *number)
                    .collect();
                gone.into_iter().for_each(|number| self.forget(number));
            }
        }
    }

    /// A document was opened or changed in the editor.
    pub fn open(&mut self, path: &str, text: &str) {
        if !self.holds(path) {
            return;
        }
        if let Some(number) = self.number(path) {
            self.files[number as usize].is_open = true;
            self.learn(number, text);
        }
    }

    /// A document was closed: the file on disk counts again.
    pub fn close(&mut self, files: &dyn Files, path: &str) {
        if let Some(number) = self.numbers.get(path).copied() {
            self.files[number as usize].is_open = false;
            self.touch(files, path);
        }
    }

    /// Whether a path belongs to this workspace.
    pub fn holds(&self, path: &str) -> bool {
        let folder = folder_of(path);
        let above = folder.strip_suffix(CLASSES).and_then(|folder| folder.strip_suffix(&format!("/{MADE}/")));
        let inner = match above {
            Some(above) if above == folder_of(&self.root) || above == self.root => return true,
            Some(above) => within(above, &self.root),
            None if folder == self.root => return true,
            None => within(folder, &self.root),
        };
        inner.is_some_and(|inner| self.is_deep && inner.split('/').all(is_looked_into))
    }

    /// The path of a file as a tag: from the root of its tree.
    pub fn tag<'a>(&self, path: &'a str) -> Option<&'a str> {
        within(path, self.root_of(path))
    }

    /// The root of the tree that a file belongs to.
    pub fn root_of<'a>(&'a self, path: &'a str) -> &'a str {
        tags_root(path).filter(|root| *root == self.root || within(root, &self.root).is_some()).unwrap_or(&self.root)
    }

    /// The file of a tag that another file mentions: in its own tree, or, from outside of all trees, in any.
    pub fn find(&self, from: &str, tag: &str) -> Option<&Known> {
        let own = self.root_of(from);
        let others = self.roots.iter().filter(|_| own == self.root).map(String::as_str);
        std::iter::once(own).chain(others).find_map(|root| self.file(&format!("{root}/{tag}")))
    }

    /// The file at a path on the disk.
    pub fn file(&self, path: &str) -> Option<&Known> {
        self.numbers.get(path).map(|number| &self.files[*number as usize])
    }

    /// All files, by path.
    pub fn all(&self) -> impl Iterator<Item = &Known> {
        self.numbers.values().map(|number| &self.files[*number as usize])
    }

    /// The tags of a class, or all if it is empty: file and path; by their extension, so that they need not be read.
    pub fn tags<'a>(&'a self, class: &'a str) -> impl Iterator<Item = (&'a Known, &'a str)> + 'a {
        self.all().filter_map(move |file| {
            let own = extension(&file.path);
            let is_meant = if class.is_empty() { is_class(own) } else { own == class };
            let is_tag = matches!(file.sort, FileKind::Tag | FileKind::Unread);
            Some((file, self.tag(&file.path).filter(|_| is_meant && is_tag)?))
        })
    }

    /// The paths of the files that mention a name or a string.
    pub fn mentioning(&self, word: &str) -> Vec<&str> {
        let numbers = self.mentions.get(&StringId::new(word)).map_or(&[][..], Vec::as_slice);
        let mut paths: Vec<&str> =
            numbers.iter().chain(&self.overfull).map(|number| self.files[*number as usize].path.as_str()).collect();
        paths.sort_unstable();
        paths
    }

    /// The headers added, changed or removed since the last call.
    pub fn take_changed_headers(&mut self) -> BTreeSet<String> {
        std::mem::take(&mut self.changed_headers)
    }

    /// Whether files were added or removed since the last call.
    pub fn take_changed(&mut self) -> bool {
        std::mem::take(&mut self.has_changed)
    }

    fn list(&mut self, folder: &str, depth: usize, entries: Vec<Entry>) {
        if folder.ends_with(&format!("/{TAGS}")) {
            self.roots.insert(folder.to_string());
        }
        for entry in entries {
            let path = format!("{folder}/{}", entry.name);
            if entry.is_folder {
                if entry.name == MADE && depth < FOLDERS_DEEP_MAX {
                    self.folders.push_back((format!("{path}/{CLASSES}"), FOLDERS_DEEP_MAX));
                }
                let is_looked_into = is_looked_into(&entry.name) && depth + 1 < FOLDERS_DEEP_MAX;
                if is_looked_into && self.is_deep && self.folders.len() < FILES_MAX {
                    self.folders.push_back((path, depth + 1));
                }
                continue;
            }
            let Some(number) = self.number(&path) else { return };
            if let Some(met) = &mut self.met {
                met.insert(number);
            }
            let known = &mut self.files[number as usize];
            if !known.is_open && (known.stamp != entry.stamp || known.sort == FileKind::Unread) {
                known.stamp = entry.stamp;
                self.expect(number);
            }
        }
    }

    fn number(&mut self, path: &str) -> Option<u32> {
        if let Some(number) = self.numbers.get(path) {
            return Some(*number);
        }
        let known = Known {
            path: path.to_string(),
            sort: FileKind::Unread,
            class: String::new(),
            stamp: 0,
            mentions: Vec::new(),
            is_open: false,
        };
        let number = match self.free.pop() {
            Some(number) => {
                self.files[number as usize] = known;
                number
            }
            None if self.files.len() < FILES_MAX => {
                self.files.push(known);
                self.files.len() as u32 - 1
            }
            None => return None,
        };
        self.numbers.insert(path.to_string(), number);
        self.has_changed = true;
        Some(number)
    }

    /// Queues a file to be read; headers go first.
    fn expect(&mut self, number: u32) {
        if self.may_be_header(number) {
            self.unread.push_front(number);
        } else {
            self.unread.push_back(number);
        }
    }

    fn may_be_header(&self, number: u32) -> bool {
        let known = &self.files[number as usize];
        extension(&known.path) == HEADER_EXTENSION || known.sort == FileKind::Header
    }

    fn forget_unmet(&mut self) {
        let Some(met) = self.met.take() else { return };
        let gone: Vec<u32> = self.numbers.values().copied().filter(|number| !met.contains(number)).collect();
        gone.into_iter().for_each(|number| self.forget(number));
    }

    /// Removes a file, unless it is open in the editor.
    fn forget(&mut self, number: u32) {
        if self.files[number as usize].is_open {
            return;
        }
        self.unmention(number);
        let known = &mut self.files[number as usize];
        if known.sort == FileKind::Header {
            self.changed_headers.insert(known.path.clone());
        }
        self.numbers.remove(&std::mem::take(&mut known.path));
        self.free.push(number);
        self.has_changed = true;
    }

    fn learn(&mut self, number: u32, text: &str) {
        self.unmention(number);
        let text = if text.len() as u64 > FILE_BYTES_MAX { "" } else { text };
        let class = class_of(text);
        let path = &self.files[number as usize].path;
        let sort = match extension(path) {
            _ if class == HEADER => FileKind::Header,
            HEADER_EXTENSION => FileKind::Header,
            NOTES_EXTENSION => FileKind::Notes,
            // Behind comments a decorator of another language may stand, so the extension must agree.
            own if !class.is_empty() && (text.starts_with('@') || own == class) => FileKind::Tag,
            _ => FileKind::Foreign,
        };
        let class = class.to_string();
        self.settle(number, sort, class);
        if sort == FileKind::Foreign {
            return;
        }
        let mut mentions: Vec<StringId> = tokens(text)
            .into_iter()
            .filter_map(|token| match token.kind {
                TokenKind::Name => Some(StringId::new(token.span.text(text))),
                TokenKind::String => Some(StringId::new(&plain(token.span.text(text)))),
                _ => None,
            })
            .take(MENTIONS_MAX + 1)
            .collect();
        if mentions.len() > MENTIONS_MAX {
            mentions.clear();
            self.overfull.insert(number);
        }
        mentions.sort_unstable();
        mentions.dedup();
        for mention in &mentions {
            self.mentions.entry(*mention).or_default().push(number);
        }
        self.files[number as usize].mentions = mentions;
    }

    fn settle(&mut self, number: u32, sort: FileKind, class: String) {
        let known = &mut self.files[number as usize];
        if known.sort == FileKind::Header || sort == FileKind::Header {
            self.changed_headers.insert(known.path.clone());
        }
        (known.sort, known.class) = (sort, class);
    }

    fn unmention(&mut self, number: u32) {
        self.overfull.remove(&number);
        for mention in std::mem::take(&mut self.files[number as usize].mentions) {
            if let Some(numbers) = self.mentions.get_mut(&mention) {
                numbers.retain(|other| *other != number);
                if numbers.is_empty() {
                    self.mentions.remove(&mention);
                }
            }
        }
    }
}

/// The canonical text of a string token: without quotes, with `/`.
pub fn plain(token: &str) -> String {
    let inner = token.strip_prefix('"').unwrap_or(token);
    let inner = inner.strip_suffix('"').unwrap_or(inner);
    inner.replace("\"\"", "\"").replace('\\', "/")
}

/// Whether an extension could be a class.
pub fn is_class(extension: &str) -> bool {
    !extension.is_empty() && !is_by_name(extension)
}

fn is_by_name(extension: &str) -> bool {
    matches!(extension, HEADER_EXTENSION | NOTES_EXTENSION)
}

/// Whether a file may begin like a tag: `@`, perhaps after a byte order mark, empty lines and comments. A head that ends in those leaves
/// it open.
fn begins_as_tag(head: &[u8]) -> bool {
    let mut rest = head.strip_prefix("\u{feff}".as_bytes()).unwrap_or(head).trim_ascii_start();
    while rest.starts_with(b"//") {
        let end = rest.iter().position(|byte| *byte == b'\n').unwrap_or(rest.len());
        rest = rest[end..].trim_ascii_start();
    }
    rest.first().map_or(head.len() >= HEAD_BYTES, |byte| *byte == b'@')
}

/// The class that a text's first word names; may be empty.
fn class_of(text: &str) -> &str {
    let first = text.lines().map(str::trim_start).find(|line| !line.is_empty() && !line.starts_with("//"));
    let Some(rest) = first.and_then(|line| line.strip_prefix('@')) else { return "" };
    let end = rest.find(|letter: char| !letter.is_ascii_alphanumeric() && letter != '_').unwrap_or(rest.len());
    &rest[..end]
}

fn is_looked_into(folder: &str) -> bool {
    !folder.starts_with('.') && !FOREIGN.contains(&folder)
}

#[cfg(test)]
mod tests {
    use super::super::files::Memory;
    use super::*;

    fn disk(files: &[(&str, &str)]) -> Memory {
        Memory(files.iter().map(|(path, text)| (path.to_string(), text.to_string())).collect())
    }

    #[test]
    fn a_tree_is_listed_then_its_headers_then_the_rest() {
        let disk = disk(&[
            ("/g/tags/a/x.ship", "@ship\n!set weapon \"w\\l.weapon\"\n"),
            ("/g/tags/w/l.weapon", "@weapon\n"),
            ("/g/tags/ship.header", "@EnvironmentHeader\n"),
            ("/g/tags/a/picture.png", "PNG"),
            ("/g/tags/.git/x.ship", "@ship"),
            ("/g/.astrarium/classes/weapon.header", "@EnvironmentHeader\n"),
            ("/g/other.ship", "@ship"),
        ]);
        let mut index = Index::new("/g/tags", true);
        index.list_all(&disk);
        assert_eq!(index.take_changed_headers().len(), 2);
        index.read_all(&disk);
        let tags = |class| index.tags(class).map(|(_, tag)| tag).collect::<Vec<_>>();
        assert_eq!((tags("ship"), tags("")), (vec!["a/x.ship"], vec!["a/x.ship", "w/l.weapon"]));
        assert_eq!(index.mentioning("w/l.weapon"), ["/g/tags/a/x.ship"]);
        assert!(index.file("/g/other.ship").is_none() && index.file("/g/tags/.git/x.ship").is_none());
    }

    #[test]
    fn a_workspace_may_hold_several_trees_and_tags_beside_them() {
        let disk = disk(&[
            ("/w/a/tags/x.ship", "@ship"),
            ("/w/b/tags/x.ship", "@ship"),
            ("/w/b/.astrarium/classes/ship.header", "@EnvironmentHeader\n"),
            ("/w/s.level", "@level\n!set Init Lambda(!Spawn(\"x.ship\"))"),
        ]);
        let mut index = Index::new("/w", true);
        index.read_all(&disk);
        let find = |from| index.find(from, "x.ship").map(|file| file.path.as_str());
        assert_eq!(find("/w/b/tags/y.ship"), Some("/w/b/tags/x.ship"));
        assert_eq!(find("/w/s.level"), Some("/w/a/tags/x.ship"));
        assert!(index.holds("/w/b/.astrarium/classes/ship.header") && index.holds("/w/n.ship"));
        assert!(!index.holds("/w/.git/x.ship") && !index.holds("/x/y.ship") && !index.holds("/w/target/x.ship"));
        assert!(index.file("/w/b/.astrarium/classes/ship.header").is_some());
    }

    #[test]
    fn a_tag_may_begin_with_comments_of_any_length() {
        let long = format!("// {}\n", "word ".repeat(40)).repeat(9);
        assert!(long.len() > HEAD_BYTES);
        let disk = disk(&[
            ("/t/a.ship", "// A ship.\n// It is fast.\n\n@ship // one\n!set weapon \"w.weapon\"\n"),
            ("/t/b.ship", &format!("{long}  \n@ship 2\n!set weapon \"w.weapon\"\n")),
            ("/t/c.ship", "\n\n// only a comment"),
            ("/t/d.ship", "// A ship.\n!set weapon \"w.weapon\"\n"),
            ("/t/e.ts", "// A component.\n@Component\n"),
            ("/t/f.css", "@charset"),
            ("/t/g.ship", ""),
        ]);
        let mut index = Index::new("/t", true);
        index.read_all(&disk);
        assert_eq!(index.tags("ship").map(|(_, tag)| tag).collect::<Vec<_>>(), ["a.ship", "b.ship"]);
        assert_eq!(index.mentioning("w.weapon"), ["/t/a.ship", "/t/b.ship"]);
        let read = |head: &str| begins_as_tag(&head.as_bytes()[..head.len().min(HEAD_BYTES)]);
        assert!(read(&long) && read("\u{feff}// a\r\n@a") && !read("// a\nb") && !read("") && !read("// a"));
    }

    #[test]
    fn an_open_document_counts_until_it_is_closed() {
        let mut disk = disk(&[("/t/x.ship", "@ship\n!set a 1\n")]);
        let mut index = Index::new("/t", true);
        index.read_all(&disk);
        assert_eq!(index.mentioning("a").len(), 1);
        index.open("/t/x.ship", "@ship\n!set b 1\n");
        index.list_again();
        index.read_all(&disk);
        assert_eq!((index.mentioning("a").len(), index.mentioning("b").len()), (0, 1));
        index.close(&disk, "/t/x.ship");
        index.read_all(&disk);
        assert_eq!((index.mentioning("a").len(), index.mentioning("b").len()), (1, 0));
        disk.0.clear();
        index.list_again();
        index.read_all(&disk);
        assert_eq!((index.mentioning("a").len(), index.all().count()), (0, 0));
    }
}
