use super::*;

#[track_caller]
fn refuse(source: &str, expected: &str) {
    let mut reports = Vec::new();
    read("a.ftl", source.as_bytes(), &mut reports);
    let rendered: Vec<String> = reports.iter().map(Report::to_string).collect();
    assert!(rendered.len() == 1 && rendered[0].contains(expected), "{source:.200}: {rendered:#?}");
}

#[track_caller]
fn accept(source: &str, count: usize) {
    let mut reports = Vec::new();
    let pieces = read("a.ftl", source.as_bytes(), &mut reports);
    assert!(reports.is_empty(), "{source:.200}: {reports:#?}");
    assert_eq!(pieces.len(), count, "{source:.200}");
}

#[test]
fn entries_are_read_one_by_one() {
    accept("", 0);
    accept("\n\n  \n", 0);
    accept("# only a comment\n", 0);
    accept("a = b", 1);
    accept("\u{feff}a = b\r\nc = d\r\n", 2);
    accept("## group\n\n# of a\na = b\n    more\n    .hint = c\n-t = term\n", 2);
    accept("a = { $n ->\n    [one] x\n   *[other] y\n}\nb = c", 2);
    accept("a = say \"{ $n }\" C:\\users\\übung", 1);
}

#[test]
fn an_error_is_reported_with_place_and_help() {
    refuse("a = b\nship.hit = c\n", "a.ftl:2:5: error: expected `=`\n  = an entry is `name = text`");
    refuse("a = { $n", "a.ftl:1:9: error: expected `}`");
    refuse("a = }", "a.ftl:1:5: error: there is no `{` for this `}`");
    refuse("a =\n\nb = c", "a.ftl:1:1: error: `a` has no text");
    refuse("a = { $n ->\n    [one] x\n}", "a.ftl:3:1: error: none of the variants is the default");
    refuse("a = b\n\tc", "a.ftl:2:1: error: expected a name, which begins with a letter\n  = further lines");
    refuse("a = { f() }", "functions are written in capital letters");
    refuse("a = { \"x }\n", "a.ftl:1:11: error: Unterminated string");
    refuse("a = b\n    .c\n", "a.ftl:2:1: error: this attribute is malformed\n  = an attribute is");
    refuse("a = ä { \"\\u00é\" }", "a.ftl:1:10: error: this escape is too short");
    refuse("a = { \"\\q\" }", "unknown escape sequence");
}

#[test]
fn an_error_affects_no_other_entry() {
    let mut reports = Vec::new();
    let pieces = read("a.ftl", b"a = {\nb = c\n- = x\nd = e", &mut reports);
    assert_eq!((pieces.len(), reports.len()), (2, 2));
}

#[test]
fn invalid_utf_8_is_reported_with_its_place() {
    let mut reports = Vec::new();
    assert!(read("a.ftl", b"a = b\nc = \xff", &mut reports).is_empty());
    assert_eq!(reports[0].to_string(), "a.ftl:2:5: error: expected UTF-8 text\n  = save the file as UTF-8");
}

#[test]
fn size_and_depth_are_bounded() {
    refuse(&format!("a = {}", "x".repeat(ENTRY_BYTES_MAX)), "and at most");
    let deep = NESTING_MAX;
    refuse(&format!("a = {}", "{".repeat(10_000)), "is nested too deeply");
    refuse(&format!("a = {}x", "{".repeat(deep)), "expected `}`");
    refuse(&format!("a = {{ {}", "A(".repeat(deep - 1)), "expected `)`");
    refuse(&format!("a = {{ {}", "A(".repeat(deep)), "is nested too deeply");
    refuse(&format!("a = {}", "{ \"}\" -> \n [b] ".repeat(1000)), "is nested too deeply");
    refuse(&format!("a = {}", "{ $a ->\n [b] \" ".repeat(deep + 1)), "is nested too deeply");
    accept(&format!("a = {}", "{ $a } \"{ $b }\" ((( ".repeat(40)), 1);
    accept(&format!("a = {{ $n ->\n{} *[b] x\n}}", " [c] { \"}\" } :) {\"{ ( \"}\n".repeat(40)), 1);
    let large = vec![b'a'; SOURCE_BYTES_MAX + 1];
    let mut reports = Vec::new();
    assert!(read("a.ftl", &large, &mut reports).is_empty() && reports.len() == 1);
    let many = "9\n".repeat(1000) + &"a\n".repeat(REPORTS_MAX + 10);
    reports.clear();
    read("a.ftl", many.as_bytes(), &mut reports);
    assert_eq!(reports.len(), REPORTS_MAX);
}
