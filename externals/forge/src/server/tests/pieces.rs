//! Large workspaces are indexed in steps, and requests are handled in between.

use std::cell::Cell;
use std::rc::Rc;

use super::files::Entry;
use super::limits::FILES_AT_ONCE;
use super::*;

/// A file system that counts reads.
struct Counting {
    inner: Memory,
    read: Rc<Cell<usize>>,
}

impl Files for Counting {
    fn read(&self, path: &str) -> Option<String> {
        self.read.set(self.read.get() + 1);
        self.inner.read(path)
    }

    fn head(&self, path: &str) -> Vec<u8> {
        self.inner.head(path)
    }

    fn list(&self, folder: &str) -> Vec<Entry> {
        self.inner.list(folder)
    }

    fn is_there(&self, path: &str) -> bool {
        self.inner.is_there(path)
    }
}

const COUNT: usize = 2000;

fn editor() -> (Editor, Rc<Cell<usize>>) {
    let read = Rc::new(Cell::new(0));
    let mut files = Memory::default();
    files.0.insert("/g/tags/ship.header".to_string(), SHIP_HEADER.to_string());
    for number in 0..COUNT {
        let text = format!("@ship\n!set weapon \"w/{}.weapon\"\n", number % 7);
        files.0.insert(format!("/g/tags/f{}/{number}.ship", number % 20), text);
    }
    for number in 0..7 {
        files.0.insert(format!("/g/tags/w/{number}.weapon"), "@weapon\n".to_string());
    }
    let server = Server::new(Counting { inner: files, read: Rc::clone(&read) }, ServerSetup::default());
    let mut editor = Editor { server, diagnostics: BTreeMap::new(), remarks: Vec::new(), next: 0 };
    let params = json!({ "processId": null, "rootUri": "file:///g", "capabilities": files_capabilities() });
    editor.ask("initialize", params).unwrap();
    (editor, read)
}

#[test]
fn no_step_reads_more_than_a_few_files() {
    let (mut editor, read) = editor();
    editor.open("/g/tags/a.ship", "@ship\n!set mass 3\n");
    let mut told_after = None;
    while !editor.server.is_idle() {
        let before = read.get();
        let said = editor.server.poll();
        editor.listen(said);
        assert!(read.get() - before <= FILES_AT_ONCE + 2, "one step read {}", read.get() - before);
        if told_after.is_none() && editor.diagnostics.contains_key(&uri("/g/tags/a.ship")) {
            told_after = Some(read.get());
        }
    }
    assert!(read.get() >= COUNT);
    assert!(
        told_after.is_some_and(|count| count <= FILES_AT_ONCE + 2),
        "diagnostics are published before all files are read"
    );
}

#[test]
fn a_request_that_needs_no_other_file_does_not_wait() {
    let (mut editor, read) = editor();
    let offers = editor.offers("/g/tags/a.ship", "@ship\n!set weapon \"|\"\n");
    assert_eq!(offers.len(), 7);
    assert!(read.get() <= FILES_AT_ONCE + 2, "{}", read.get());
    let found = editor.places("textDocument/references", "/g/tags/a.ship", "@ship\n!set weapon \"w/|3.weapon\"\n");
    assert_eq!(found.len(), COUNT / 7 + 3, "all files are read for it, and the open one counts");
}
