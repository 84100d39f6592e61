//! The language server as a process, and an editor that talks to it over pipes.

#![expect(clippy::unwrap_used, reason = "what the editor of these tests expects and does not get fails the test")]

use crate::common;

use std::fs;
use std::io::{BufRead, BufReader, Read, Write};
use std::path::Path;
use std::process::{Child, ChildStdin, ChildStdout, Stdio};

use common::{Folder, Json};

/// An editor: its messages are JSON texts, in which `$F` stands for the URI of the folder.
struct Editor {
    child: Child,
    input: Option<ChildStdin>,
    output: BufReader<ChildStdout>,
    folder: String,
    next: u64,
    /// The diagnostics last published for each URI.
    diagnostics: Vec<(String, Vec<String>)>,
}

impl Editor {
    fn start(folder: &Folder) -> Editor {
        let mut command = folder.command("lsp --stdio");
        let mut child = command.stdin(Stdio::piped()).stdout(Stdio::piped()).spawn().unwrap();
        let (input, output) = (child.stdin.take(), BufReader::new(child.stdout.take().unwrap()));
        let folder = address(folder.path());
        Editor { child, input, output, folder, next: 0, diagnostics: Vec::new() }
    }

    fn say(&mut self, text: &str) {
        let text = text.replace("$F", &self.folder);
        let input = self.input.as_mut().unwrap();
        write!(input, "Content-Length: {}\r\n\r\n{text}", text.len()).unwrap();
        input.flush().unwrap();
    }

    fn hear(&mut self) -> Json {
        let mut length = 0;
        loop {
            let mut line = String::new();
            assert!(self.output.read_line(&mut line).unwrap() > 0, "the server went away");
            match line.trim().split_once(": ") {
                Some(("Content-Length", number)) => length = number.parse().unwrap(),
                _ => break,
            }
        }
        let mut bytes = vec![0; length];
        self.output.read_exact(&mut bytes).unwrap();
        Json::read(&String::from_utf8(bytes).unwrap())
    }

    fn ask(&mut self, method: &str, params: &str) -> Json {
        self.next += 1;
        self.say(&format!(r#"{{"jsonrpc":"2.0","id":{},"method":"{method}","params":{params}}}"#, self.next));
        loop {
            let heard = self.hear();
            match &heard {
                Json::Object(fields) if fields.contains_key("method") => self.take(&heard),
                _ => {
                    assert_eq!(heard.number("id"), self.next);
                    return heard;
                }
            }
        }
    }

    fn tell(&mut self, method: &str, params: &str) {
        self.say(&format!(r#"{{"jsonrpc":"2.0","method":"{method}","params":{params}}}"#));
    }

    fn take(&mut self, heard: &Json) {
        if heard.text("method") == "textDocument/publishDiagnostics" {
            let params = heard.get("params");
            let messages = params.list("diagnostics").iter().map(|found| found.text("message").to_string());
            self.diagnostics.push((params.text("uri").to_string(), messages.collect()));
        }
    }

    /// The diagnostics of a file, the next time they are published.
    fn next_diagnostics(&mut self, name: &str) -> Vec<String> {
        let uri = format!("{}/{name}", self.folder);
        loop {
            if let Some(place) = self.diagnostics.iter().position(|(other, _)| *other == uri) {
                return self.diagnostics.remove(place).1;
            }
            let heard = self.hear();
            self.take(&heard);
        }
    }

    fn open(&mut self, name: &str, text: &str) {
        let text = text.replace('"', "\\\"").replace('\n', "\\n");
        let document = format!(r#"{{"uri":"$F/{name}","languageId":"lscript","version":1,"text":"{text}"}}"#);
        self.tell("textDocument/didOpen", &format!(r#"{{"textDocument":{document}}}"#));
    }

    fn at(&mut self, method: &str, name: &str, line: u32, character: u32, more: &str) -> Json {
        let position = format!(r#"{{"line":{line},"character":{character}}}"#);
        self.ask(method, &format!(r#"{{"textDocument":{{"uri":"$F/{name}"}},"position":{position}{more}}}"#))
    }

    fn leave(mut self) -> bool {
        assert_eq!(self.ask("shutdown", "null").get("result"), &Json::Null);
        self.tell("exit", "null");
        drop(self.input.take());
        self.child.wait().unwrap().success()
    }
}

fn address(path: &Path) -> String {
    format!("file://{}", path.display())
}

const CAPABILITIES: &str = r#"{"processId":null,"rootUri":"$F","capabilities":{"workspace":{"workspaceEdit":{"documentChanges":true,"resourceOperations":["rename"]}},"general":{"positionEncodings":["utf-8"]}}}"#;

const HEADER: &str = "@EnvironmentHeader\n!set Namespace \"ship\"\n!set Attributes [{ name \"mass\", type \"number\", help \"How heavy.\" }, { name \"weapon\", type \"@weapon\" }]\n";

fn tree() -> Folder {
    let folder = Folder::new();
    fs::create_dir_all(folder.join("tags/w")).unwrap();
    fs::write(folder.join("tags/ship.header"), HEADER).unwrap();
    fs::write(folder.join("tags/w/laser.weapon"), "@weapon\n").unwrap();
    fs::write(folder.join("tags/b.ship"), "@ship\n!set weapon \"w/laser.weapon\"\n").unwrap();
    folder
}

#[test]
fn a_whole_session_of_an_editor_is_served() {
    let folder = tree();
    let mut editor = Editor::start(&folder);
    let answer = editor.ask("initialize", CAPABILITIES);
    assert_eq!(answer.get("result").get("capabilities").text("positionEncoding"), "utf-8");
    editor.tell("initialized", "{}");

    editor.open("a.script", "!set hull 1\n!set x hlul\n");
    assert_eq!(editor.next_diagnostics("a.script"), ["`hlul` is not known here\ndid you mean `hull`?"]);
    let range = r#"{"start":{"line":1,"character":7},"end":{"line":1,"character":11}}"#;
    editor.tell(
        "textDocument/didChange",
        &format!(r#"{{"textDocument":{{"uri":"$F/a.script","version":2}},"contentChanges":[{{"range":{range},"text":"hull"}}]}}"#),
    );
    assert!(editor.next_diagnostics("a.script").is_empty());

    editor.open("tags/a.ship", "@ship\n!set weapon \"w/laser.weapon\"\n!set \n");
    let answer = editor.at("textDocument/completion", "tags/a.ship", 2, 5, "");
    let offers: Vec<&str> = answer.get("result").list("items").iter().map(|item| item.text("label")).collect();
    assert_eq!(offers, ["mass"]);
    let answer = editor.at("textDocument/hover", "tags/a.ship", 1, 6, "");
    assert!(answer.get("result").get("contents").text("value").contains("weapon"));
    let answer = editor.at("textDocument/definition", "tags/a.ship", 1, 14, "");
    let [found] = answer.list("result") else { panic!("{answer:?}") };
    assert!(found.text("uri").ends_with("tags/w/laser.weapon"));
    let more = r#","context":{"includeDeclaration":false}"#;
    let answer = editor.at("textDocument/references", "tags/a.ship", 1, 14, more);
    assert_eq!(answer.list("result").len(), 2);
    let answer = editor.at("textDocument/rename", "tags/a.ship", 1, 14, r#","newName":"w/blaster""#);
    let changes = answer.get("result").list("documentChanges");
    assert_eq!(changes.len(), 3);
    assert!(changes[2].text("newUri").ends_with("tags/w/blaster.weapon"));
    let answer = editor.ask("workspace/symbol", r#"{"query":"laser"}"#);
    assert_eq!(answer.list("result").len(), 1);
    assert!(editor.leave());
}

#[test]
fn invalid_messages_are_answered_and_do_not_end_the_server() {
    let folder = tree();
    let mut editor = Editor::start(&folder);
    editor.ask("initialize", CAPABILITIES);
    editor.say("{ this is no JSON");
    assert_eq!(editor.hear().get("error").get("code"), &Json::Number(-32700.0));
    editor.say("[1, 2]");
    assert_eq!(editor.hear().get("error").get("code"), &Json::Number(-32600.0));
    assert_eq!(editor.ask("no/such", "{}").get("error").get("code"), &Json::Number(-32601.0));
    assert_eq!(editor.ask("textDocument/hover", "3").get("error").get("code"), &Json::Number(-32602.0));
    assert!(editor.leave());
}

#[test]
fn the_server_ends_when_the_editor_disconnects() {
    let folder = tree();
    let mut editor = Editor::start(&folder);
    editor.ask("initialize", CAPABILITIES);
    drop(editor.input.take());
    assert_eq!(editor.child.wait().unwrap().code(), Some(1));
    assert!(folder.run("lsp --port 3").complaint().contains("--port"));
    assert!(folder.run("--help").stdout().contains("Language Server Protocol"));
}

#[test]
fn a_new_game_has_no_diagnostics() {
    let folder = Folder::new();
    folder.run("new demo").stdout();
    // As in a fresh clone of its repository.
    fs::remove_dir_all(folder.join("demo/.astrarium")).unwrap();
    let mut editor = Editor::start(&folder);
    editor.ask("initialize", &CAPABILITIES.replace("\"$F\"", "\"$F/demo\""));
    editor.tell("initialized", "{}");
    let files = ["globals.globals", "ship.header", "mission.header", "orders.events", "player.controls"];
    let files = files.into_iter().chain(["cameras/fleet.camera", "interfaces/hud.interface"]);
    for name in files.chain(["ships/corvette.ship", "levels/first.mission"]) {
        let name = format!("demo/tags/{name}");
        editor.open(&name, &folder.read(&name));
        assert_eq!(editor.next_diagnostics(&name), Vec::<String>::new(), "{name}");
    }
    assert!(editor.leave());
}
