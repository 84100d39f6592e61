mod classes;
mod dialects;
mod pieces;
mod queries;
mod words;

use std::collections::BTreeMap;

use proptest::prelude::*;
use serde_json::json;

use super::files::Memory;
use super::message::RequestId;
use super::*;

/// A client with a file system in memory.
struct Editor {
    server: Server,
    diagnostics: BTreeMap<String, Vec<Value>>,
    /// The messages behind answers.
    remarks: Vec<String>,
    next: i32,
}

impl Editor {
    fn new(files: &[(&str, &str)]) -> Editor {
        Editor::with(files, json!({}), ServerSetup::default())
    }

    fn with(files: &[(&str, &str)], capabilities: Value, given: ServerSetup) -> Editor {
        let files = Memory(files.iter().map(|(path, text)| (path.to_string(), text.to_string())).collect());
        let mut editor =
            Editor { server: Server::new(files, given), diagnostics: BTreeMap::new(), remarks: Vec::new(), next: 0 };
        let params = json!({ "processId": null, "rootUri": "file:///g", "capabilities": capabilities });
        assert!(editor.ask("initialize", params).is_ok());
        editor.tell("initialized", json!({}));
        editor
    }

    fn ask(&mut self, method: &str, params: Value) -> Result<Value, (i64, String)> {
        self.next += 1;
        let asked = RequestId::Number(self.next);
        let answers = self.server.handle(Message::Request { id: asked.clone(), method: method.to_string(), params });
        let [Message::Response { id, result }, remarks @ ..] = &answers[..] else { panic!("{method}: {answers:?}") };
        for remark in remarks {
            let Message::Notification { method, params } = remark else { panic!("{remark:?}") };
            assert_eq!(method, "window/showMessage");
            self.remarks.push(params["message"].as_str().unwrap().to_string());
        }
        assert_eq!(*id, asked);
        result.clone().map_err(|error| (error.code, error.message))
    }

    fn tell(&mut self, method: &str, params: Value) {
        let said = self.server.handle(Message::Notification { method: method.to_string(), params });
        self.listen(said);
    }

    fn listen(&mut self, said: Vec<Message>) {
        for message in said {
            if let Message::Notification { method, params } = message
                && method == "textDocument/publishDiagnostics"
            {
                let uri = params["uri"].as_str().unwrap().to_string();
                self.diagnostics.insert(uri, params["diagnostics"].as_array().unwrap().clone());
            }
        }
    }

    fn settle(&mut self) {
        while !self.server.is_idle() {
            let said = self.server.poll();
            self.listen(said);
        }
    }

    fn open(&mut self, path: &str, text: &str) {
        let document = json!({ "uri": uri(path), "languageId": "lscript", "version": 1, "text": text });
        self.tell("textDocument/didOpen", json!({ "textDocument": document }));
    }

    /// The diagnostics of a text: line, character, message.
    fn wrong(&mut self, path: &str) -> Vec<String> {
        self.settle();
        let shown = |diagnostic: &Value| {
            let start = &diagnostic["range"]["start"];
            format!("{}:{} {}", start["line"], start["character"], diagnostic["message"].as_str().unwrap())
        };
        self.diagnostics.get(&uri(path)).map(|found| found.iter().map(shown).collect()).unwrap_or_default()
    }

    /// Opens a text with the cursor at `|`, and sends a request for it.
    fn at(&mut self, method: &str, path: &str, marked: &str, more: Value) -> Result<Value, (i64, String)> {
        let byte = marked.find('|').expect("a place is marked");
        let text = marked.replacen('|', "", 1);
        let line = text[..byte].matches('\n').count();
        let start = text[..byte].rfind('\n').map_or(0, |end| end + 1);
        let character = text[start..byte].encode_utf16().count();
        self.open(path, &text);
        let mut params = json!({
            "textDocument": { "uri": uri(path) },
            "position": { "line": line, "character": character },
        });
        for (name, value) in more.as_object().into_iter().flatten() {
            params[name] = value.clone();
        }
        self.ask(method, params)
    }

    fn offers(&mut self, path: &str, marked: &str) -> Vec<String> {
        let answer = self.at("textDocument/completion", path, marked, json!({})).unwrap();
        answer["items"].as_array().unwrap().iter().map(|item| item["label"].as_str().unwrap().to_string()).collect()
    }

    fn hover(&mut self, path: &str, marked: &str) -> String {
        let answer = self.at("textDocument/hover", path, marked, json!({})).unwrap();
        answer["contents"]["value"].as_str().unwrap_or("").to_string()
    }

    fn places(&mut self, method: &str, path: &str, marked: &str) -> Vec<String> {
        let more = json!({ "context": { "includeDeclaration": true } });
        let answer = self.at(method, path, marked, more).unwrap();
        answer.as_array().unwrap().iter().map(place).collect()
    }

    /// The edits of a response.
    fn rename(&mut self, path: &str, marked: &str, new: &str) -> Result<Vec<String>, String> {
        let answer = self.at("textDocument/rename", path, marked, json!({ "newName": new }));
        let edit = answer.map_err(|(_, message)| message)?;
        let mut found = Vec::new();
        for change in edit["documentChanges"].as_array().into_iter().flatten() {
            if change["kind"] == "rename" {
                found.push(format!("{} -> {}", short(&change["oldUri"]), short(&change["newUri"])));
            }
            for edit in change["edits"].as_array().into_iter().flatten() {
                found.push(format!("{} {}", shown(&change["textDocument"]["uri"], &edit["range"]), edit["newText"]));
            }
        }
        for (uri, edits) in edit["changes"].as_object().into_iter().flatten() {
            for edit in edits.as_array().into_iter().flatten() {
                found.push(format!("{} {}", shown(&json!(uri), &edit["range"]), edit["newText"]));
            }
        }
        Ok(found)
    }
}

fn uri(path: &str) -> String {
    uri::uri_of(path).unwrap().as_str().to_string()
}

fn short(uri: &Value) -> String {
    uri.as_str().unwrap().trim_start_matches("file:///g/").to_string()
}

fn shown(uri: &Value, range: &Value) -> String {
    let (start, end) = (&range["start"], &range["end"]);
    format!("{}:{}:{}-{}", short(uri), start["line"], start["character"], end["character"])
}

fn place(location: &Value) -> String {
    shown(&location["uri"], &location["range"])
}

fn files_capabilities() -> Value {
    json!({ "workspace": { "workspaceEdit": { "documentChanges": true, "resourceOperations": ["create", "rename"] } } })
}

const SHIP_HEADER: &str = "@EnvironmentHeader\n!set Namespace \"ship\"\n!set Attributes [\n    { name \"mass\", type \"number\", default 10, range [0, 100], help \"How heavy it is.\" },\n    { name \"weapon\", type \"@weapon\" },\n    { name \"armed\", type \"truth\" },\n    { name \"parts\", type \"list of { marker string, at vector }\" },\n    { name \"other\", type \"number\" }\n]\n";

#[test]
fn diagnostics_follow_the_edits() {
    let mut editor = Editor::new(&[]);
    editor.open("/g/a.script", "!set hull 1\n!set x hlul\n");
    assert_eq!(editor.wrong("/g/a.script"), ["1:7 `hlul` is not known here\ndid you mean `hull`?"]);
    let change = json!({ "range": { "start": { "line": 1, "character": 7 }, "end": { "line": 1, "character": 11 } }, "text": "hull" });
    let document = json!({ "uri": uri("/g/a.script"), "version": 2 });
    editor.tell("textDocument/didChange", json!({ "textDocument": document, "contentChanges": [change] }));
    assert!(editor.wrong("/g/a.script").is_empty());
    editor.tell("textDocument/didClose", json!({ "textDocument": { "uri": uri("/g/a.script") } }));
    assert!(editor.diagnostics[&uri("/g/a.script")].is_empty());
}

#[test]
fn positions_count_wide_characters_in_the_negotiated_encoding() {
    let text = "!set a \"\u{1F600}\" + hlul\n";
    let mut editor = Editor::new(&[]);
    editor.open("/g/a.script", text);
    assert!(editor.wrong("/g/a.script").iter().any(|wrong| wrong.starts_with("0:14 `hlul`")));
    let general = json!({ "general": { "positionEncodings": ["utf-16", "utf-8"] } });
    let mut editor = Editor::with(&[], general, ServerSetup::default());
    editor.open("/g/a.script", text);
    assert!(editor.wrong("/g/a.script").iter().any(|wrong| wrong.starts_with("0:16 `hlul`")));
}

#[test]
fn a_changed_header_changes_the_diagnostics_of_its_tags() {
    let mut editor = Editor::new(&[("/g/ship.header", SHIP_HEADER)]);
    editor.open("/g/a.ship", "@ship\n!set mass speed\n");
    assert_eq!(
        editor.wrong("/g/a.ship"),
        ["1:10 `speed` is not known here", "1:10 `mass`: expected a number, found nothing\nits default, 10, is used",]
    );
    editor.open(
        "/g/ship.header",
        &SHIP_HEADER.replace("\"other\", type \"number\"", "\"speed\", type \"number\", default 1"),
    );
    assert!(editor.wrong("/g/a.ship").is_empty());
    editor.tell("textDocument/didClose", json!({ "textDocument": { "uri": uri("/g/ship.header") } }));
    assert_eq!(editor.wrong("/g/a.ship").len(), 2);
    editor.open("/g/bad.header", "@EnvironmentHeader\n!set Attributes 3\n");
    assert_eq!(editor.wrong("/g/bad.header").len(), 1);
}

#[test]
fn names_keywords_effects_and_built_ins_are_offered() {
    let mut editor = Editor::new(&[]);
    let offers = editor.offers("/g/a.script", "!set hull 1\n!set f Lambda(damage, let twice = damage * 2 in |)\n");
    for wanted in ["damage", "twice", "hull", "f", "max", "if", "!Send", "~this"] {
        assert!(offers.iter().any(|offer| offer == wanted), "{wanted}: {offers:?}");
    }
    assert!(editor.offers("/g/a.script", "// |").is_empty());
    assert!(editor.offers("/g/a.script", "!set r { a 1 }\n!set b r.|\n").contains(&"a".to_string()));
    assert_eq!(editor.offers("/g/a.script", "!set a 1 |"), ["and", "or", "then", "else", "in"]);
}

#[test]
fn attributes_and_types_are_offered_in_headers() {
    let mut editor = Editor::new(&[]);
    let header = "@EnvironmentHeader\n!set Namespace \"a\"\n!set Attributes [ { name \"x\", | } ]\n";
    let offers = editor.offers("/g/a.header", header);
    assert!(offers.contains(&"type".to_string()) && !offers.contains(&"name".to_string()), "{offers:?}");
    let offers = editor.offers("/g/a.header", &header.replace('|', "type \"|\""));
    assert!(offers.contains(&"vector".to_string()), "{offers:?}");
    assert!(editor.offers("/g/a.header", "@Env|").contains(&"@EnvironmentHeader".to_string()));
}

#[test]
fn hover_shows_documentation() {
    let mut editor = Editor::new(&[("/g/ship.header", SHIP_HEADER)]);
    let mut told = |path: &str, text: &str, word: &str| {
        let at = text.find(word).unwrap() + 1;
        editor.hover(path, &format!("{}|{}", &text[..at], &text[at..]))
    };
    let text = "!set mass 3\n!set f Lambda(x, x + mass)\n!set g Lambda(y, [ !Log(max(y, f(1))) ]())\n";
    let mut in_script = |word: &str| told("/g/a.script", text, word);
    assert!(in_script("f Lambda").contains("Lambda(number, number)") && in_script("f Lambda").contains("reads `mass`"));
    assert!(in_script("Lambda(y").contains("effectful"));
    assert!(in_script("max").contains("The larger of two.") && in_script("max").contains("max(number, number) number"));
    assert!(in_script("Log").contains("!Log(any…)"));
    assert!(in_script("x + ").contains("x: number"), "{}", in_script("x + "));
    let mut in_tag = |word: &str| told("/g/a.ship", "@ship\n!set mass 3\n", word);
    assert!(in_tag("mass").contains("from 0 to 100") && in_tag("mass").contains("How heavy it is."));
    assert!(in_tag("ship").contains("**@ship**"));
}

#[test]
fn definitions_are_found() {
    let mut editor = Editor::new(&[("/g/ship.header", SHIP_HEADER)]);
    let text = "@ship\n!set f Lambda(x, let y = x in y + own + mass)\n!set own 3\n";
    let mut defined = |word: &str| {
        let at = text.rfind(word).unwrap();
        let marked = format!("{}|{}", &text[..at], &text[at..]);
        editor.places("textDocument/definition", "/g/a.ship", &marked)
    };
    assert_eq!(defined("x in"), ["a.ship:1:14-15"]);
    assert_eq!(defined("y + own"), ["a.ship:1:21-22"]);
    assert_eq!(defined("own + mass"), ["a.ship:2:5-8"]);
    assert_eq!(defined("mass"), ["ship.header:3:11-17"]);
    assert_eq!(defined("ship"), ["ship.header:0:0-0"]);
    assert!(defined("Lambda").is_empty());
}

#[test]
fn a_local_or_a_variable_is_renamed_in_its_scope() {
    let mut editor = Editor::new(&[]);
    let text = "!set a 1\n!set f Lambda(x, x + a)\n!set g Lambda(x, x + |a)\n";
    let expected = ["a.script:0:5-6 \"hull\"", "a.script:1:21-22 \"hull\"", "a.script:2:21-22 \"hull\""];
    assert_eq!(editor.rename("/g/a.script", text, "hull").unwrap(), expected);
    let text = "!set f Lambda(x, |x + 1)\n!set g Lambda(x, x)\n";
    assert_eq!(editor.rename("/g/a.script", text, "y").unwrap(), ["a.script:0:14-15 \"y\"", "a.script:0:17-18 \"y\""]);
    for (new, reason) in
        [("f", "already"), ("if", "cannot be a name"), ("3", "cannot be a name"), ("", "cannot be a name")]
    {
        assert!(editor.rename("/g/a.script", text, new).unwrap_err().contains(reason), "{new}");
    }
    assert!(
        editor.rename("/g/a.script", "!set a m|ax(1, 2)", "most").unwrap_err().contains("nothing here can be renamed")
    );
}

#[test]
fn a_tag_is_renamed_with_everything_that_refers_to_it() {
    let files = [
        ("/g/tags/ships/a.ship", "@ship\n!set weapon \"w\\l.weapon\"\n"),
        ("/g/tags/ships/b.ship", "@ship\n!set weapon \"w/l.weapon\"\n"),
        ("/g/tags/w/l.weapon", "@weapon\n!set self \"w/l.weapon\"\n"),
        ("/g/tags/w/m.weapon", "@weapon\n"),
        ("/g/scripts/s.level", "@level\n!set Init Lambda(!Spawn(\"w/l.weapon\"))\n"),
        ("/g/tags/ship.header", SHIP_HEADER),
    ];
    let mut editor = Editor::with(&files, files_capabilities(), ServerSetup::default());
    let marked = "@ship\n!set weapon \"w/|l.weapon\"\n";
    let renamed = editor.rename("/g/tags/ships/b.ship", marked, "laser").unwrap();
    let expected = [
        "scripts/s.level:1:24-36 \"\\\"w/laser.weapon\\\"\"",
        "tags/ships/a.ship:1:12-24 \"\\\"w/laser.weapon\\\"\"",
        "tags/ships/b.ship:1:12-24 \"\\\"w/laser.weapon\\\"\"",
        "tags/w/l.weapon:1:10-22 \"\\\"w/laser.weapon\\\"\"",
        "tags/w/l.weapon -> tags/w/laser.weapon",
    ];
    assert_eq!(renamed, expected);
    for (new, reason) in
        [("m", "already"), ("l.ship", "keeps its class"), ("../x", "not the path"), ("a b/\"", "not the path")]
    {
        let refused = editor.rename("/g/tags/ships/b.ship", marked, new).unwrap_err();
        assert!(refused.contains(reason), "{new}: {refused}");
    }
    let found = editor.places("textDocument/references", "/g/tags/w/l.weapon", "@we|apon\n!set self \"w/l.weapon\"\n");
    assert_eq!(found.len(), 5, "{found:?}");
    let found = editor.places("textDocument/definition", "/g/tags/ships/b.ship", marked);
    assert_eq!(found, ["tags/w/l.weapon:0:0-0"]);
}

#[test]
fn tags_that_begin_with_comments_are_found_offered_and_renamed() {
    let files = [
        ("/g/tags/ship.header", SHIP_HEADER),
        ("/g/tags/ships/a.ship", "// A ship.\n@ship\n!set weapon \"w/l.weapon\"\n!set mass 3\n"),
        ("/g/tags/w/l.weapon", "// A laser.\n//? it is bright\n\n@weapon\n"),
    ];
    let mut editor = Editor::with(&files, files_capabilities(), ServerSetup::default());
    let marked = "// Another.\n@ship\n!set weapon \"w/|l.weapon\"\n";
    assert_eq!(editor.offers("/g/tags/ships/b.ship", marked), ["w/l.weapon"]);
    let found = editor.places("textDocument/references", "/g/tags/ships/b.ship", marked);
    assert!(found.contains(&"tags/ships/a.ship:2:12-24".to_string()), "{found:?}");
    let renamed = editor.rename("/g/tags/ships/b.ship", marked, "laser").unwrap();
    let expected = [
        "tags/ships/a.ship:2:12-24 \"\\\"w/laser.weapon\\\"\"",
        "tags/ships/b.ship:2:12-24 \"\\\"w/laser.weapon\\\"\"",
        "tags/w/l.weapon -> tags/w/laser.weapon",
    ];
    assert_eq!(renamed, expected);
    let renamed = editor.rename("/g/tags/ships/b.ship", "// Another.\n@ship\n!set ma|ss 4\n", "weight").unwrap();
    assert!(renamed.contains(&"tags/ships/a.ship:3:5-9 \"weight\"".to_string()), "{renamed:?}");
    let answer = editor.ask("workspace/symbol", json!({ "query": "wl" })).unwrap();
    assert_eq!(answer[0]["name"], "w/l.weapon");
}

#[test]
fn a_client_that_cannot_rename_files_gets_an_error() {
    let mut editor = Editor::new(&[("/g/tags/a.ship", "@ship\n"), ("/g/tags/ship.header", SHIP_HEADER)]);
    assert!(editor.rename("/g/tags/a.ship", "@sh|ip\n", "b").unwrap_err().contains("cannot rename files"));
}

#[test]
fn a_field_is_renamed_in_its_header_and_in_all_its_tags() {
    let files = [
        ("/g/tags/ship.header", SHIP_HEADER),
        ("/g/tags/a.ship", "@ship\n!set mass 3\n!set armed mass > 2\n"),
        ("/g/tags/b.ship", "@ship\n!set other 3\n"),
        ("/g/tags/c.weapon", "@weapon\n!set mass 3\n"),
        ("/g/a.ship", "@ship\n!set f Lambda(x, x + mass)\n!set g Lambda(mass, mass)\n"),
    ];
    let mut editor = Editor::with(&files, files_capabilities(), ServerSetup::default());
    let renamed = editor.rename("/g/tags/a.ship", "@ship\n!set m|ass 3\n!set armed mass > 2\n", "weight").unwrap();
    let expected = [
        "a.ship:1:21-25 \"weight\"",
        "tags/a.ship:1:5-9 \"weight\"",
        "tags/a.ship:2:11-15 \"weight\"",
        "tags/ship.header:3:11-17 \"\\\"weight\\\"\"",
        "tags/ship.header:3:17-17 \", former [\\\"mass\\\"]\"",
    ];
    assert_eq!(renamed, expected);
    let found = editor.places("textDocument/references", "/g/tags/a.ship", "@ship\n!set m|ass 3\n");
    assert_eq!(found, ["a.ship:1:21-25", "tags/a.ship:1:5-9", "tags/ship.header:3:11-17"]);
    assert!(editor.rename("/g/tags/a.ship", "@ship\n!set m|ass 3\n", "armed").unwrap_err().contains("already"));
    let renamed = editor.rename("/g/tags/a.ship", "@ship\n!set o|ther 3\n", "more").unwrap();
    let declared =
        ["tags/ship.header:7:11-18 \"\\\"more\\\"\"", "tags/ship.header:7:18-18 \", former [\\\"other\\\"]\""];
    assert_eq!(&renamed[renamed.len() - 2..], declared);
}

#[test]
fn a_field_that_gets_a_former_name_again_no_longer_lists_it() {
    for (former, expected) in [
        ("former \"weight\"", "[\"mass\"]"),
        ("former [\"heft\", \"weight\"]", "[\"mass\", \"heft\"]"),
        ("former [\"heft\"]", "\"mass\", "),
    ] {
        let header = SHIP_HEADER.replace("name \"mass\",", &format!("name \"mass\", {former},"));
        let files = [("/g/tags/ship.header", header.as_str()), ("/g/tags/a.ship", "@ship\n!set mass 3\n")];
        let mut editor = Editor::with(&files, files_capabilities(), ServerSetup::default());
        let renamed = editor.rename("/g/tags/a.ship", "@ship\n!set ma|ss 3\n", "weight").unwrap();
        assert!(renamed[2].ends_with(&format!(" {}", json!(expected))), "{former}: {renamed:?}");
    }
}

#[test]
fn a_field_is_found_and_renamed_from_its_header() {
    let tag = ("/g/tags/a.ship", "@ship\n!set mass 3\n");
    let mut editor = Editor::with(&[tag], files_capabilities(), ServerSetup::default());
    let marked = SHIP_HEADER.replacen("mass", "ma|ss", 1);
    let found = editor.places("textDocument/references", "/g/tags/ship.header", &marked);
    assert_eq!(found, ["tags/a.ship:1:5-9", "tags/ship.header:3:11-17"]);
    assert_eq!(editor.rename("/g/tags/ship.header", &marked, "weight").unwrap().len(), 3);
    let found =
        editor.places("textDocument/references", "/g/tags/ship.header", &SHIP_HEADER.replacen("ship", "sh|ip", 1));
    assert_eq!(found, ["tags/a.ship:0:0-0"]);
    let prepared = editor.at("textDocument/prepareRename", "/g/tags/ship.header", &marked, json!({})).unwrap();
    assert_eq!(
        prepared["range"],
        json!({ "start": { "line": 3, "character": 12 }, "end": { "line": 3, "character": 16 } })
    );
    assert_eq!(prepared[concat!("place", "holder")], "mass");
}

#[test]
fn a_field_of_a_record_is_renamed_and_keeps_all_its_former_names() {
    let header = "@EnvironmentHeader\n!set Namespace \"ship\"\n!set Attributes [{ name \"slots\", type \"list of record slot\" }, { name \"tag\", type \"text\" }]\n!set Records [{ name \"slot\", fields [{ name \"tag\", type \"text\", former [\"old\"] }] }]\n";
    let files =
        [("/g/tags/ship.header", header), ("/g/tags/b.ship", "@ship\n!set slots [{ tag \"x\" }]\n!set tag \"y\"\n")];
    let mut editor = Editor::with(&files, files_capabilities(), ServerSetup::default());
    let renamed = editor.rename("/g/tags/a.ship", "@ship\n!set slots [{ t|ag \"z\" }]\n", "path").unwrap();
    let expected = [
        "tags/a.ship:1:14-17 \"path\"",
        "tags/b.ship:1:14-17 \"path\"",
        "tags/ship.header:3:44-49 \"\\\"path\\\"\"",
        "tags/ship.header:3:72-72 \"\\\"tag\\\", \"",
    ];
    assert_eq!(renamed, expected);
}

#[test]
fn fields_values_and_references_are_offered_in_tags() {
    let files = [
        ("/g/tags/ship.header", SHIP_HEADER),
        ("/g/tags/w/l.weapon", "@weapon\n"),
        ("/g/tags/w/m.weapon", "@weapon\n"),
        ("/g/tags/w/n.sound", "@sound\n"),
    ];
    let mut editor = Editor::new(&files);
    let path = "/g/tags/a.ship";
    let offers = editor.offers(path, "@ship\n!set mass 3\n!set |\n");
    assert_eq!(offers, ["weapon", "armed", "parts", "other"]);
    let offers = editor.offers(path, "@ship\n|\n");
    assert_eq!(offers, ["mass", "weapon", "armed", "parts", "other", "!set"]);
    assert_eq!(editor.offers(path, "@ship\n!set weapon \"|\"\n"), ["w/l.weapon", "w/m.weapon"]);
    assert_eq!(editor.offers(path, "@ship\n!set weapon \"m|\n"), ["w/m.weapon"]);
    assert_eq!(&editor.offers(path, "@ship\n!set armed |\n")[..2], ["true", "false"]);
    assert_eq!(editor.offers(path, "@ship\n!set parts [ { marker \"a\", | } ]\n"), ["at"]);
    assert!(editor.offers(path, "@|").contains(&"@ship".to_string()));
}

#[test]
fn hover_in_a_tag_shows_fields_and_notes() {
    let files = [("/g/tags/ship.header", SHIP_HEADER), ("/g/tags/ship.notes", "!set mass \"not below 3\"\n")];
    let mut editor = Editor::new(&files);
    let text = "@ship\n//? good values are 20 to 30\n!set ma|ss 25\n!set parts [ { marker \"nose\" } ]\n";
    let told = editor.hover("/g/tags/a.ship", text);
    for wanted in ["**mass**", "default `10`", "> good values are 20 to 30", "> not below 3"] {
        assert!(told.contains(wanted), "{wanted}: {told}");
    }
    let told = editor.hover("/g/tags/a.ship", &text.replace('|', "").replace("mark", "ma|rk"));
    assert!(told.contains("**marker**"), "{told}");
    let told = editor.hover("/g/tags/a.ship", &text.replace('|', "").replace("no", "n|o"));
    assert!(told.contains("**marker**"), "{told}");
}

#[test]
fn symbols_are_listed() {
    let mut editor = Editor::new(&[("/g/tags/ships/a.ship", "@ship\n"), ("/g/tags/w/l.weapon", "@weapon\n")]);
    editor.open("/g/a.script", "!set a 1\n!set f Lambda(x, x)\n!set l [ { key \"one\", n 2 }, { n 3 } ]\n");
    let params = json!({ "textDocument": { "uri": uri("/g/a.script") } });
    let answer = editor.ask("textDocument/documentSymbol", params.clone()).unwrap();
    let names: Vec<&str> = answer.as_array().unwrap().iter().map(|symbol| symbol["name"].as_str().unwrap()).collect();
    assert_eq!(names, ["a", "f", "l"]);
    assert_eq!(answer[2]["children"][0]["name"], "one");
    assert_eq!(answer[2]["children"][1]["children"][0]["name"], "n");
    let answer = editor.ask("workspace/symbol", json!({ "query": "shipa" })).unwrap();
    assert_eq!(answer[0]["name"], "ships/a.ship");
    assert_eq!(answer.as_array().unwrap().len(), 1);
}

#[test]
fn a_text_is_formatted_by_one_small_change() {
    let mut editor = Editor::new(&[]);
    editor.open("/g/a.script", "!set a 1\n\n!set b   [1,2]\n\n!set c 3\n");
    let params =
        json!({ "textDocument": { "uri": uri("/g/a.script") }, "options": { "tabSize": 4, "insertSpaces": true } });
    let answer = editor.ask("textDocument/formatting", params.clone()).unwrap();
    assert_eq!(
        answer,
        json!([{
            "range": { "start": { "line": 2, "character": 0 }, "end": { "line": 3, "character": 0 } },
            "newText": "!set b [1, 2]\n"
        }])
    );
    for formatted in ["!set a (\n", "!set a [1, 2]\r\n!set b 3\r\n"] {
        editor.open("/g/a.script", formatted);
        assert_eq!(editor.ask("textDocument/formatting", params.clone()).unwrap(), json!([]), "{formatted}");
    }
}

#[test]
fn an_invalid_request_gets_an_error() {
    let files = Memory::default();
    let mut editor = Editor {
        server: Server::new(files, ServerSetup::default()),
        diagnostics: BTreeMap::new(),
        remarks: Vec::new(),
        next: 0,
    };
    assert_eq!(editor.ask("textDocument/hover", json!({})).unwrap_err().0, -32002);
    let mut editor = Editor::new(&[]);
    for (method, params, code) in [
        ("initialize", json!({ "capabilities": {} }), -32600),
        ("no/such", json!({}), -32601),
        ("textDocument/hover", json!(null), -32602),
        ("textDocument/hover", json!({ "textDocument": { "uri": 3 } }), -32602),
        ("textDocument/completion", json!([]), -32602),
        (
            "textDocument/hover",
            json!({ "textDocument": { "uri": "file:///g/none" }, "position": { "line": 0, "character": 0 } }),
            -32602,
        ),
    ] {
        assert_eq!(editor.ask(method, params).unwrap_err().0, code, "{method}");
    }
    for method in ["textDocument/didOpen", "textDocument/didChange", "textDocument/didClose", "$/x", "workspace/x"] {
        editor.tell(method, json!({ "textDocument": 3 }));
    }
    assert_eq!(editor.ask("shutdown", Value::Null), Ok(Value::Null));
    assert_eq!(editor.ask("shutdown", Value::Null).unwrap_err().0, -32600);
    editor.tell("exit", Value::Null);
    assert!(editor.server.is_over() && editor.server.is_shut_down());
}

const QUESTIONS: [&str; 9] = [
    "textDocument/completion",
    "textDocument/hover",
    "textDocument/definition",
    "textDocument/references",
    "textDocument/prepareRename",
    "textDocument/rename",
    "textDocument/formatting",
    "textDocument/documentSymbol",
    "workspace/symbol",
];

proptest! {
    #![proptest_config(ProptestConfig { cases: 192, ..ProptestConfig::default() })]

    #[test]
    fn any_text_and_position_get_a_response(
        head in prop_oneof!["@ship\n", "@EnvironmentHeader\n", ""],
        text in "(!set |!set mass |!Send\\(|Lambda\\(|let |in |if |then |\\{|\\}|\\[|\\]|\\(|\\)|,|\\.|\"|//\\? |\n|\r|#|@|~|😀|ü|mass|parts|marker |weapon |x |1 |\\+ |\"w/l.weapon\"){0,40}",
        path in prop_oneof!["/g/tags/a.ship", "/g/a.script", "/g/a.header", "/g/x.notes"],
        line in 0_u32..6,
        character in 0_u32..30,
    ) {
        let mut editor = Editor::with(
            &[("/g/tags/ship.header", SHIP_HEADER), ("/g/tags/w/l.weapon", "@weapon\n")],
            files_capabilities(),
            ServerSetup::default(),
        );
        editor.open(&path, &format!("{head}{text}"));
        editor.settle();
        for method in QUESTIONS {
            let params = json!({
                "textDocument": { "uri": uri(&path) },
                "position": { "line": line, "character": character },
                "context": { "includeDeclaration": true },
                "options": { "tabSize": 4, "insertSpaces": true },
                "newName": "fresh",
                "query": "w",
            });
            let _ = editor.ask(method, params);
        }
    }

    #[test]
    fn incremental_changes_keep_client_and_server_in_step(
        changes in prop::collection::vec((0_u32..4, 0_u32..12, 0_u32..4, 0_u32..12, "[a-zü😀\n\r\"!]{0,6}"), 1..8),
    ) {
        let mut editor = Editor::new(&[]);
        editor.open("/g/a.script", "!set a 1\nü😀b\n");
        let mut copy = String::from("!set a 1\nü😀b\n");
        for (number, (line, character, last_line, last, text)) in changes.into_iter().enumerate() {
            let (start, end) = ((line, character).min((last_line, last)), (line, character).max((last_line, last)));
            let position = |(line, character): (u32, u32)| Position { line, character };
            let lines = position::LineTable::of(&copy, position::Encoding::Utf16);
            let bytes = lines.byte(&copy, position(start))..lines.byte(&copy, position(end));
            copy.replace_range(bytes.start..bytes.end.max(bytes.start), &text);
            let range = json!({ "start": position(start), "end": position(end) });
            let document = json!({ "uri": uri("/g/a.script"), "version": number + 2 });
            let change = json!({ "range": range, "text": text });
            editor.tell("textDocument/didChange", json!({ "textDocument": document, "contentChanges": [change] }));
            editor.settle();
            prop_assert_eq!(&editor.server.documents[&uri("/g/a.script")].text, &copy);
        }
    }

    #[test]
    fn any_parameters_get_a_response(text in "[\\{\\}\\[\\]\":,a-z0-9]{0,40}", method in 0_usize..9) {
        let mut editor = Editor::new(&[]);
        let params: Value = serde_json::from_str(&text).unwrap_or(json!({ "textDocument": { "uri": text } }));
        let _ = editor.ask(QUESTIONS[method], params.clone());
        editor.tell("textDocument/didOpen", params);
    }
}
