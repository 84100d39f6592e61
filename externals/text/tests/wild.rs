//! Any bytes may be a file of texts: nothing panics, and every entry can be resolved.

use proptest::prelude::*;
use text::Parameter::{Number, Text};
use text::{Source, Texts};

/// Parses a source, checks it, and resolves every text in it, with all kinds of parameters.
fn use_all(bytes: Vec<u8>) {
    let source = |language: &str, bytes: &[u8]| Source {
        language: language.to_owned(),
        file: String::from("a.ftl"),
        bytes: bytes.to_vec(),
    };
    let texts = Texts::from_sources("en", [source("en", &bytes), source("pl", &bytes)]);
    texts.check().iter().for_each(|report| assert!(!report.to_string().is_empty()));
    for id in texts.ids() {
        for number in [0.0, 1.0, -2.5, 1e-20, 1e300, f64::NAN] {
            let said = texts.language("pl").say(id, &[("a", Number(number)), ("b", Text("x"))]);
            assert!(said.len() <= 1 << 22, "{id} is {} bytes", said.len());
        }
        texts.language("en").say(id, &[]);
    }
}

/// Tokens with a meaning to Fluent's parser and resolver.
fn piece() -> impl Strategy<Value = &'static str> {
    prop::sample::select(vec![
        "a",
        "b",
        "-a",
        "-b",
        "a-b",
        "NUMBER",
        "A",
        "$a",
        "$b",
        " = ",
        "\n",
        "\n    ",
        "\n    .a = ",
        "\na = ",
        "\nb = ",
        "\n-a = ",
        "{ ",
        " }",
        "{",
        "}",
        "(",
        ")",
        " ->\n",
        "[one] ",
        "*[other] ",
        "\n   *[other] ",
        "\n    [1] ",
        "[2.0] ",
        "\"",
        "\"x\"",
        "{ \"\\u",
        "{ \"\\U0",
        "\\u",
        "\\U",
        "\\\\",
        "00é",
        "0041",
        "é",
        "ż",
        ".",
        ".a",
        ":",
        ", ",
        "1",
        "1.50",
        "-3",
        "type: \"ordinal\"",
        "minimumFractionDigits: 9",
        "# x\n",
        "\t",
        "\r\n",
        "\r",
        "{ $a }",
        "{ a }",
        "{ -a }",
        "{ b }",
        "{ NUMBER($a) }",
        "{ 1 ->\n   *[other] { a }\n}",
        "text",
    ])
}

/// Valid parts, whose combinations can be resolved.
fn part() -> impl Strategy<Value = &'static str> {
    prop::sample::select(vec![
        "text",
        "{ $a }",
        "{ $b }",
        "{ $c }",
        "{ a }",
        "{ b }",
        "{ d }{ d }",
        "{ -c }",
        "{ -e(a: 1) }",
        "{ f }{ g }{ i }",
        "{ j.x }",
        "{ -h }{ -h }{ -h }",
        "{{ a }}",
        "{{ -c }}",
        "{ NUMBER($a, type: \"ordinal\") }",
        "{ NUMBER(a) }",
        "{ NUMBER($b) }",
        "{ \"\\u0041\\{\" }",
        "{ 3.14 }",
        "{ 1 ->\n   *[other] { b }{ i }\n}",
        "{ $a ->\n    [one] { a }\n    [2] x\n    [few] { g }\n   *[other] { $a }\n}",
        "{ \"x\" ->\n    [x] { k }{ k }{ k }\n   *[y] z\n}",
        "{ -c.x ->\n   *[y] { l }\n}",
    ])
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(2000))]

    #[test]
    fn any_bytes_are_read(bytes in prop::collection::vec(any::<u8>(), 0..200)) {
        use_all(bytes);
    }

    #[test]
    fn any_text_is_read(text in "\\PC{0,80}") {
        use_all(text.into_bytes());
    }

    #[test]
    fn any_pieces_are_read(pieces in prop::collection::vec(piece(), 0..40)) {
        use_all(format!("a = {}", pieces.concat()).into_bytes());
    }

    #[test]
    fn any_entries_are_read(entries in prop::collection::vec(prop::collection::vec(part(), 1..4), 1..12)) {
        let entries = entries.iter().zip(["a", "b", "-c", "d", "-e", "f", "g", "-h", "i", "j", "k", "l"]);
        use_all(entries.map(|(parts, name)| format!("{name} = {}\n", parts.concat())).collect::<String>().into_bytes());
    }

    #[test]
    fn any_number_is_written_and_has_a_plural(number in any::<f64>(), language in "(ar|de|en|fr|hi|lt|pl|zh)") {
        let number_of = |options: &str| format!("{{ NUMBER($a{options}) ->\n    [one] 1\n   *[other] {{ $a }}\n}}");
        let exact = number_of(", minimumFractionDigits: 15, maximumFractionDigits: 15");
        let text = format!("a = {}\nb = {exact}\nc = {}\n", number_of(""), number_of(", type: \"ordinal\""));
        let source = Source { language: language.clone(), file: String::new(), bytes: text.into_bytes() };
        let texts = Texts::from_sources(&language, [source]);
        prop_assert!(texts.check().is_empty());
        for id in ["a", "b", "c"] {
            prop_assert!(!texts.language(&language).say(id, &[("a", Number(number))]).is_empty());
        }
    }

    #[test]
    fn any_id_and_language_can_be_asked_for(id in "\\PC{0,20}", language in "\\PC{0,20}") {
        let texts = Texts::from_sources(&language, []);
        prop_assert_eq!(texts.language(&language).say(&id, &[]), format!("[{id}]"));
    }
}
