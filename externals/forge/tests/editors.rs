//! The editor extensions list the keywords and built-ins of the language.

use std::fs;
use std::path::{Path, PathBuf};

use script::builtin;

fn editors(path: &str) -> (PathBuf, String) {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../editors").join(path);
    let text = fs::read_to_string(&path).expect("it is part of the repository");
    (path, text)
}

#[test]
fn the_grammar_knows_every_built_in() {
    let (path, grammar) = editors("vscode/syntaxes/lscript.tmLanguage.json");
    let grammar: serde_json::Value = serde_json::from_str(&grammar).expect("it is JSON");
    let pattern = grammar["repository"]["call"]["match"].as_str().unwrap();
    let listed = pattern.split_once("\\b(").and_then(|(_, rest)| rest.split_once(')')).map(|(names, _)| names);
    // The queries of the world come behind them: a test of the tool, which knows the world, has both.
    let expected: Vec<&str> = builtin::names().collect();
    assert!(listed.unwrap_or("").starts_with(&expected.join("|")), "{}", path.display());
}

#[test]
fn the_extension_is_complete() {
    let (_, package) = editors("vscode/package.json");
    let package: serde_json::Value = serde_json::from_str(&package).expect("it is JSON");
    let main = package["main"].as_str().unwrap();
    let language = &package["contributes"]["languages"][0];
    let grammar = &package["contributes"]["grammars"][0];
    for file in [main, language["configuration"].as_str().unwrap(), grammar["path"].as_str().unwrap()] {
        let (path, text) = editors(&format!("vscode/{}", file.trim_start_matches("./")));
        assert!(!text.is_empty(), "{}", path.display());
        if file.ends_with(".json") {
            serde_json::from_str::<serde_json::Value>(&text).expect("it is JSON");
        }
    }
    assert_eq!(language["id"], forge::server::open_document::LANGUAGE);
    assert_eq!(grammar["language"], forge::server::open_document::LANGUAGE);
    for extension in [".header", ".notes"] {
        assert!(language["extensions"].as_array().unwrap().iter().any(|known| known == extension), "{extension}");
    }
}
