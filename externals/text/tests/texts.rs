//! Texts: languages, plurals, parameters, and reports.

use base::StringId;
use text::Parameter::{Number, Text};
use text::{Parameter, Report, Source, Texts, is_language};

const FILES: [(&str, &str); 4] = [
    ("en", include_str!("../../../games/sandbox/texts/en/sandbox.ftl")),
    ("de", include_str!("../../../games/sandbox/texts/de/sandbox.ftl")),
    ("de-AT", include_str!("../../../games/sandbox/texts/de-AT/sandbox.ftl")),
    ("pl", include_str!("../../../games/sandbox/texts/pl/sandbox.ftl")),
];

fn texts(sources: &[(&str, &str)]) -> Texts {
    let source = |(language, text): &(&str, &str)| Source {
        language: (*language).to_owned(),
        file: format!("{language}/a.ftl"),
        bytes: text.as_bytes().to_vec(),
    };
    Texts::from_sources("en", sources.iter().map(source))
}

fn rendered(reports: &[Report]) -> String {
    reports.iter().map(|report| format!("{report}\n")).collect()
}

#[track_caller]
fn check(texts: &Texts, language: &str, id: &str, parameters: &[(&str, Parameter<'_>)], expected: &str) {
    assert_eq!(texts.language(language).say(id, parameters), expected, "{id} in {language}");
}

#[test]
fn the_texts_of_the_sandbox_are_complete() {
    let texts = texts(&FILES);
    assert_eq!(rendered(&texts.check()), "");
    assert_eq!(texts.languages().collect::<Vec<_>>(), ["de", "de-AT", "en", "pl"]);
    assert!(texts.ids().contains(&"ship.hit.short"));
}

#[test]
fn the_example_of_the_book_works() {
    let chapter = include_str!("../../../docs/book/src/texts.md");
    let blocks = chapter.split("```ftl\n").skip(1).filter_map(|rest| rest.split("```").next());
    let found = texts(&[("en", &blocks.collect::<String>())]);
    assert_eq!(rendered(&found.check()), "");
    check(&found, "en", "ship.hit.short", &[("damage", Number(2.0))], "Hit: 2");
}

#[test]
fn plurals_follow_the_language() {
    let texts = texts(&FILES);
    let alive = |language: &str, count: f64, expected: &str| {
        check(&texts, language, "agents.alive", &[("count", Number(count))], expected);
    };
    alive("en", 0.0, "Nobody is alive");
    alive("en", 1.0, "One agent is alive");
    alive("en", 2.0, "2 agents are alive");
    alive("de", 1.0, "Ein Wesen des Sandkastens lebt");
    alive("de", 12345.0, "12.345 Wesen leben");
    alive("pl", 1.0, "Żyje jedna istota");
    alive("pl", 3.0, "Żyją 3 istoty");
    alive("pl", 5.0, "Żyje 5 istot");
    alive("pl", 12.0, "Żyje 12 istot");
    alive("pl", 22.0, "Żyją 22 istoty");
    check(&texts, "pl", "ship.hit", &[("damage", Number(1.5))], "Statek trafiony, traci 1,5 punktu");
    for (place, expected) in [(1.0, "1st place"), (2.0, "2nd place"), (3.0, "3rd place"), (11.0, "11th place")] {
        check(&texts, "en", "team.place", &[("place", Number(place))], expected);
    }
}

#[test]
fn parameters_are_formatted_by_locale() {
    let texts = texts(&FILES);
    let born = [("team", Text("Rot")), ("count", Number(3.0))];
    check(&texts, "de", "agents.born", &born, "Rot: 3 Geburten");
    check(&texts, "de", "plants.share", &[("share", Number(12.345))], "Pflanzen bedecken 12,3 % des Landes");
    check(&texts, "en", "plants.share", &[("share", Number(12.0))], "Plants cover 12.0 % of the land");
    check(&texts, "de", "ship.hit.short", &[("damage", Number(0.5))], "Treffer: 0,5");
    check(&texts, "en", "ship.hit.short", &[("damage", Text("{ $damage }"))], "Hit: { $damage }");
    check(&texts, "en", "ship.hit.short", &[("damage", Number(f64::NAN))], "Hit: NaN");
    check(&texts, "en", "ship.hit", &[("damage", Number(f64::INFINITY))], "The ship is hit and loses inf points");
    assert!(texts.take_reports().is_empty());
}

#[test]
fn a_language_falls_back_to_wider_ones_and_then_to_the_default() {
    let texts = texts(&FILES);
    check(&texts, "de-AT", "sandbox.level.crowd", &[], "Ein Wirbel");
    check(&texts, "de-AT", "sandbox.level.meadow", &[], "Eine Wiese");
    check(&texts, "de_CH", "sandbox.level.crowd", &[], "Ein Gedränge");
    check(&texts, "de-Latn-AT-1996", "sandbox.level.meadow", &[], "Eine Wiese");
    check(&texts, "fr", "sandbox.level.meadow", &[], "A meadow");
    assert_eq!(texts.language("de-AT").languages().collect::<Vec<_>>(), ["de-AT", "de", "en"]);
    assert!(texts.take_reports().is_empty());
    check(&texts, "not a language", "sandbox.level.meadow", &[], "A meadow");
    assert!(rendered(&texts.take_reports()).contains("\"not a language\" is not a language tag; en is used"));
}

#[test]
fn a_missing_text_reads_as_its_id_and_is_reported_once() {
    let texts = texts(&FILES);
    for _ in 0..3 {
        check(&texts, "de", "ship.lost", &[], "[ship.lost]");
        check(&texts, "de", "ship-hit", &[], "[ship-hit]");
        check(&texts, "de", "ship.hit.short", &[("damge", Number(1.0))], "Treffer: {$damage}");
    }
    let expected = "error: there is no text \"ship.lost\"\n  = add it to the texts\n\
        error: there is no text \"ship-hit\"\n  = an id is letters, digits, `_` and dots\n\
        error: \"ship.hit.short\" in de lacks its parameter `damage`\n  = pass it where the text is used\n";
    assert_eq!(rendered(&texts.take_reports()), expected);
    check(&texts, "de", "ship.lost", &[], "[ship.lost]");
    assert!(texts.take_reports().is_empty());
}

#[test]
fn the_world_s_ids_are_enough() {
    let texts = texts(&FILES);
    let de = texts.language("de");
    assert_eq!(de.say_string(StringId::new("sandbox.level.meadow"), &[]), "Eine Wiese");
    let unknown = StringId::new("not.in.any.file");
    assert_eq!(de.say_string(unknown, &[]), format!("[{unknown}]"));
    assert_eq!(de.say_string(StringId::NONE, &[]), "[]");
}

#[test]
fn isolation_marks_are_inserted_only_on_request() {
    let mut texts = texts(&[("en", "a = Hit by { $who }!")]);
    check(&texts, "en", "a", &[("who", Text("x"))], "Hit by x!");
    texts.isolate(true);
    check(&texts, "en", "a", &[("who", Text("x"))], "Hit by \u{2068}x\u{2069}!");
}

#[test]
fn texts_can_be_read_by_many_threads() {
    fn is_shared<T: Send + Sync>(_: &T) {}
    is_shared(&texts(&FILES));
}

#[track_caller]
fn complains(sources: &[(&str, &str)], expected: &[&str]) {
    let reports = texts(sources).check();
    let rendered: Vec<String> = reports.iter().map(Report::to_string).collect();
    assert_eq!(rendered, expected, "{sources:?}");
}

#[test]
fn the_check_reports_missing_texts() {
    complains(
        &[("en", "a = x\nb-c = y\n"), ("de", "a = x\n")],
        &["en/a.ftl:2:1: error: \"b.c\" has no text in de\n  = add `b-c` to the texts of de"],
    );
    complains(&[("en", "a = x"), ("de", "a = x"), ("de-AT", "")], &[]);
    complains(
        &[("en", "a = x"), ("de", "a = x\nb = y")],
        &["de/a.ftl:2:1: error: \"b\" has no text in en, the default language\n  = add it there, or remove it here"],
    );
    complains(
        &[("de", "a = x")],
        &["error: there are no texts in en, the default language\n  = add a folder for it, or name another"],
    );
}

#[test]
fn the_check_reports_parameters_that_differ() {
    complains(
        &[("en", "a = { $count }"), ("de", "a = { $cuont }")],
        &[
            "de/a.ftl:1:1: warning: \"a\" uses `$count` in en, but not in de\n  = intended, if the text reads well without it",
            "de/a.ftl:1:1: error: \"a\" uses `$cuont` in de, but not in en\n  = in en it uses `$count`",
        ],
    );
    // Parameters pass through messages, but not through terms, which have their own.
    complains(&[("en", "a = { $n }"), ("de", "a = { b }\nb = { $n }"), ("en", "b = { $n }")], &[]);
    complains(&[("en", "-t = { $case }\na = { -t }"), ("de", "a = x")], &[]);
}

#[test]
fn the_check_reports_dangling_references() {
    let help = "add `-t = …` to this language, or correct the name";
    complains(
        &[("en", "a = { -t }")],
        &[&format!("en/a.ftl:1:1: error: `a` refers to the term `-t`, which this language does not have\n  = {help}")],
    );
    let found = texts(&[("en", "a = { b.c } { d }\nb = x")]);
    assert_eq!(rendered(found.reports()).matches("refers to the message").count(), 2);
    assert_eq!(found.language("en").say("a", &[]), "{b.c} {d}");
}

#[test]
fn no_two_texts_have_one_name() {
    for source in ["a = x\na = y", "a-b = x\na = y\n    .b = z", "a = x\n-a = y", "a = x\n    .b = y\n    .b = z"] {
        let found = texts(&[("en", source)]);
        assert!(rendered(found.reports()).contains("is defined twice"), "{source}: {}", rendered(found.reports()));
    }
    assert!(rendered(texts(&[("en", "NUMBER = x")]).reports()).contains("name of a function"));
}

#[test]
fn reference_cycles_and_exponential_growth_are_refused() {
    let found = texts(&[("en", "a = { b }\nb = { c }\nc = { a }\nd = fine"), ("de", "a = gut")]);
    assert_eq!(rendered(found.reports()).matches("reference cycle").count(), 3);
    check(&found, "en", "d", &[], "fine");
    check(&found, "en", "a", &[], "[a]");
    check(&found, "de", "a", &[], "gut");
    // A billion laughs: each ten times the one before.
    let mut source = String::from("a0 = ha\n");
    for level in 1..=9 {
        source.push_str(&format!("a{level} = {}\n", format!("{{ a{} }}", level - 1).repeat(10)));
    }
    let found = texts(&[("en", &source)]);
    assert_eq!(found.language("en").say("a1", &[]), "ha".repeat(10));
    check(&found, "en", "a9", &[], "[a9]");
    assert!(rendered(found.reports()).contains("`a2` needs 110 placeables, and at most 100 are allowed"));
    // A chain longer than any stack.
    let chain: String = (0..20_000).map(|link| format!("a{link} = {{ a{} }}\n", link + 1)).collect();
    let found = texts(&[("en", &(chain + "a20000 = end"))]);
    check(&found, "en", "a0", &[], "[a0]");
    check(&found, "en", "a19900", &[], "end");
    check(&found, "en", "a19899", &[], "[a19899]");
}

#[test]
fn functions_options_numbers_and_depth_are_checked() {
    let refuse = |source: &str, expected: &str| {
        let found = texts(&[("en", source)]);
        assert!(rendered(found.reports()).contains(expected), "{source}: {}", rendered(found.reports()));
    };
    refuse("a = { DATETIME($when) }", "there is no function `DATETIME`\n  = the only function is `NUMBER`");
    refuse("a = { $n ->\n    [1.0] x\n   *[other] y\n}", "the variant [1.0] of `a` can never be chosen");
    refuse("a = { NUMBER($n, type: \"ordinal\") ->\n    [1] x\n   *[other] y\n}", "the variant [1] of `a` can never");
    refuse("a = { NUMBER($n, style: \"percent\") }", "`NUMBER` has no option `style`");
    refuse("a = { 1.00000000000000000000000000000000 }", "is too long");
    refuse("a = { $n ->\n    [1.00000000000000000000000000000000] x\n   *[other] y\n}", "is too long");
    refuse(&format!("a = {}$n{}", "{ ".repeat(20), " }".repeat(20)), "is nested too deeply");
}

#[test]
fn numbers_are_formatted_by_their_options() {
    let say = |expression: &str, number: f64| {
        let found = texts(&[("en", &format!("a = {{ {expression} }}"))]);
        assert_eq!(rendered(found.reports()), "");
        found.language("en").say("a", &[("n", Number(number))])
    };
    assert_eq!(say("$n", 1234.5), "1,234.5");
    assert_eq!(say("NUMBER($n, useGrouping: \"false\")", 1234.5), "1234.5");
    assert_eq!(say("NUMBER($n, maximumFractionDigits: 0)", 1234.5678), "1,235");
    assert_eq!(say("NUMBER($n, minimumFractionDigits: 2)", 3.0), "3.00");
    assert_eq!(say("NUMBER($n, minimumFractionDigits: 999999999)", 3.0), "3.000000000000000");
    assert_eq!(say("NUMBER($missing)", 3.0), "NUMBER()");
    assert_eq!(say("1.50", 0.0), "1.50");
    assert_eq!(say("NUMBER($n) ->\n    [1] exactly one\n   *[other] more\n", 1.0), "exactly one");
    assert_eq!(say("$n ->\n    [0] none\n   *[other] more\n", -0.0), "none");
    assert_eq!(say("NUMBER($n, maximumFractionDigits: 0) ->\n    [one] one\n   *[other] more\n", 1.2), "one");
}

#[test]
fn only_folders_with_language_tags_are_languages() {
    for tag in ["de", "de-AT", "de_AT", "zh-Hant", "zh-Hant-TW", "pl", "gsw"] {
        assert!(is_language(tag), "{tag}");
    }
    for tag in ["", "german", "x", "de-", "d e", "../de", "und", "de/AT"] {
        assert!(!is_language(tag), "{tag}");
    }
    let found = texts(&[("german", "a = x")]);
    assert!(rendered(found.reports()).starts_with("german/a.ftl:1:1: error: \"german\" is not a language tag"));
}
