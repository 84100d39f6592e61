//! LScript from the command line.

use crate::common;

use std::fs;
use std::io::Write;
use std::path::Path;
use std::process::Stdio;

use common::Folder;

const SHIP: &str = "@ship\n!set hull 100\n!set OnDamage Lambda(d,kind, if kind = \"emp\" then d*2 else d)\n!Log(\"hit\", hull)\nOnDamage(12, \"emp\")\n";

#[test]
fn a_file_is_run_and_its_last_value_printed() {
    let folder = Folder::new();
    fs::write(folder.join("a.ship"), SHIP).unwrap();
    let output = folder.command("script run a.ship").output().unwrap();
    assert!(output.status.success());
    assert_eq!(String::from_utf8_lossy(&output.stdout), "!Log(\"hit\", 100)\n24\n");
    let output = folder.command("script run a.ship --json").output().unwrap();
    assert!(String::from_utf8_lossy(&output.stdout).ends_with("{\"value\": \"24\"}\n"));
}

#[test]
fn errors_are_printed_with_their_place_and_fail_the_command() {
    let folder = Folder::new();
    fs::write(folder.join("a.ship"), "!set hull 1\n!set x hlul\n").unwrap();
    for words in ["script check a.ship", "script run a.ship"] {
        let output = folder.command(words).output().unwrap();
        assert!(!output.status.success(), "{words}");
        let printed = String::from_utf8_lossy(&output.stderr);
        assert!(
            printed.contains("a.ship:2:8: error: `hlul` is not known here") && printed.contains("did you mean `hull`?"),
            "{printed}"
        );
    }
    fs::write(folder.join("b.ship"), [0xff, 0xfe]).unwrap();
    let output = folder.command("script check b.ship").output().unwrap();
    assert!(!output.status.success() && String::from_utf8_lossy(&output.stderr).contains("expected UTF-8"));
}

#[test]
fn files_are_formatted_in_place_and_only_once() {
    let folder = Folder::new();
    fs::write(folder.join("a.ship"), SHIP).unwrap();
    assert!(!folder.command("script fmt --check a.ship").output().unwrap().status.success());
    assert!(folder.command("script fmt a.ship").output().unwrap().status.success());
    let formatted = fs::read_to_string(folder.join("a.ship")).unwrap();
    assert!(formatted.contains("!set OnDamage Lambda(d, kind, if kind = \"emp\" then d * 2 else d)\n"), "{formatted}");
    assert!(folder.command("script fmt --check a.ship").output().unwrap().status.success());
}

#[test]
fn the_console_keeps_its_variables_and_survives_errors() {
    let folder = Folder::new();
    let mut console = folder.command("script repl").stdin(Stdio::piped()).stdout(Stdio::piped()).spawn().unwrap();
    let lines = "!set a 3\n!set f Lambda(x, x + a)\nf(4)\nf(\n!set loop Lambda(n, 1 + loop(n))\nloop(1)\na * 2\n";
    console.stdin.take().unwrap().write_all(lines.as_bytes()).unwrap();
    let output = console.wait_with_output().unwrap();
    let printed = String::from_utf8_lossy(&output.stdout);
    assert!(output.status.success());
    assert!(printed.contains("\n7\n") && printed.contains("nested too deep") && printed.ends_with("6\n"), "{printed}");
}

#[test]
fn the_console_checks_a_line_with_the_types_of_those_before() {
    let check = |lines: &str, values: &str, printed: &[&str]| {
        let folder = Folder::new();
        let mut command = folder.command("script repl");
        let mut console = command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap();
        console.stdin.take().unwrap().write_all(lines.as_bytes()).unwrap();
        let output = console.wait_with_output().unwrap();
        let reports = String::from_utf8_lossy(&output.stderr);
        assert_eq!(String::from_utf8_lossy(&output.stdout), values, "{lines}{reports}");
        assert_eq!(reports.matches("error: ").count(), printed.len(), "{lines}{reports}");
        printed.iter().for_each(|printed| assert!(reports.contains(printed), "{lines}{reports}"));
    };
    check("!set name \"Ada\"\nname - 2\n", "\"Ada\"\n", &["console:1:1: error: expected a number"]);
    check("!set name \"Ada\"\n!set name 5\nname - 2\n", "\"Ada\"\n5\n3\n", &[]);
    check("!set hull 5\n!set hull hull + true\nhull\n", "5\n5\n", &["console:1:18: error: "]);
    check("!set a 1\n!set f Lambda([ !set a \"x\" ])\nf()()\na + 1\n", "1\nLambda(…) // f\n\"x\"\n1\n", &[]);
}

const HEADER: &str = "@EnvironmentHeader
!set Namespace \"ship\"
!set Attributes [
    { name \"hull\", type \"number\", default 100, range [0, 1000] },
    { name \"OnDamage\", type \"Lambda(number, number)\" },
    { name \"armour\", type \"number\" }
]
";

#[test]
fn a_file_is_checked_against_the_header_beside_it() {
    let folder = Folder::new();
    fs::write(folder.join("ship.header"), HEADER).unwrap();
    fs::write(folder.join("a.ship"), "@ship\n!set hlul 5\n!set hull \"full\"\n!set armour 1 + true\n").unwrap();
    let output = folder.command("script check a.ship").output().unwrap();
    let printed = String::from_utf8_lossy(&output.stderr);
    assert!(!output.status.success());
    let places = [
        "a.ship:2:6: error: `hlul` is not a variable of the class `ship`",
        "a.ship:3:11: error: expected a number, found a string",
        "a.ship:4:17: error: expected a number, found true or false",
    ];
    let found: Vec<Option<usize>> = places.iter().map(|place| printed.find(place)).collect();
    assert!(found.iter().all(Option::is_some) && found.is_sorted(), "{printed}");
    let output = folder.command("script check a.ship --json").output().unwrap();
    assert!(String::from_utf8_lossy(&output.stdout).contains("\"severity\": \"error\""));
    fs::write(folder.join("w.header"), "@EnvironmentHeader\n!set Namespace \"w\"\n!set Attributes [5]\n").unwrap();
    let output = folder.command("script check w.header").output().unwrap();
    let printed = String::from_utf8_lossy(&output.stderr);
    assert!(printed.contains("w.header:3:18: error: this attribute: expected a record such as"), "{printed}");
}

#[test]
fn a_class_gives_defaults() {
    let folder = Folder::new();
    fs::create_dir_all(folder.join("headers")).unwrap();
    fs::write(folder.join("headers/ship.header"), HEADER).unwrap();
    fs::write(folder.join("a.ship"), "@ship\n!set hull hull - 10\nhull\n").unwrap();
    for headers in ["headers", "headers/ship.header"] {
        assert_eq!(folder.run(&format!("script run a.ship --headers {headers}")).stdout(), "90\n");
    }
    let printed = folder.run("script run a.ship --headers a.ship").complaint();
    assert!(printed.contains("a.ship: expected a header (`*.header`)"), "{printed}");
    fs::create_dir_all(folder.join("tags")).unwrap();
    fs::write(folder.join("tags/ship.header"), HEADER).unwrap();
    fs::write(folder.join("tags/b.ship"), "hull\n").unwrap();
    assert_eq!(folder.run("script run tags/b.ship").stdout(), "100\n");
}

#[test]
fn warnings_are_printed_and_do_not_fail_the_command() {
    let folder = Folder::new();
    fs::write(
        folder.join("a.ship"),
        "!set f Cached Lambda(x, x + 1)\nf(~this = nothing or 2 = 2 and false = false and 1 = 1)\n",
    )
    .unwrap();
    let output = folder.command("script check a.ship").output().unwrap();
    assert!(!output.status.success(), "a truth value is not a number");
    fs::write(folder.join("a.ship"), "!set f Cached Lambda(x, x + 1)\nf(2)\n").unwrap();
    for words in ["script check a.ship", "script run a.ship"] {
        let output = folder.command(words).output().unwrap();
        assert!(output.status.success());
        assert!(String::from_utf8_lossy(&output.stderr).contains("a.ship:1:8: warning: `Cached` cannot pay here"));
    }
}

#[test]
fn lambdas_are_explained() {
    let folder = Folder::new();
    fs::write(
        folder.join("a.ship"),
        "@ship\n!set hull 100\n!set hit Lambda(d, [ !set hull hull - d ])\n!set left Lambda(d, hull - d)\n",
    )
    .unwrap();
    let output = folder.command("script explain a.ship").output().unwrap();
    let printed = String::from_utf8_lossy(&output.stdout);
    assert!(
        printed.contains("a.ship:4:11: left: Lambda(number, number)\n    pure; reads hull; costs about"),
        "{printed}"
    );
    assert!(printed.contains("a.ship:3:20: (no name): !Lambda(number)\n    effectful; reads hull;"), "{printed}");
    assert!(printed.contains("hit: Lambda(number, !Lambda(number))\n    pure; reads hull;"), "{printed}");
    let output = folder.command("script explain a.ship --json").output().unwrap();
    assert!(String::from_utf8_lossy(&output.stdout).contains("\"name\": \"left\""));
}

const CACHED: &str = "!set armour 3
!set damage Cached Lambda(amount, kind,
    if kind = \"emp\" then sqrt(amount * amount + armour) * 2 - sqrt(armour) * 0.5 + amount / 3 else amount - armour)
!set cheap Lambda(x, x + 1)
!set plain Uncached Lambda(x, fold(range(30), x, Lambda(sum, each, sum + each)))
!set busy Lambda(x, !Log(x))
!set all Lambda(times, fold(range(times), 0, Lambda(sum, each, sum + damage(each % 4, \"emp\") + cheap(each))))
round(all(100) + plain(1))
";

#[test]
fn the_cache_report_has_a_row_per_lambda_with_its_place() {
    let folder = Folder::new();
    fs::write(folder.join("a.ship"), CACHED).unwrap();
    let output = folder.command("script run a.ship --cache").output().unwrap();
    let printed = String::from_utf8_lossy(&output.stdout);
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    let expected = [
        "a.ship:2: damage: 96 hits in 100 lookups (96.0 %), 4 entries, about ",
        " ns saved, requirements computed 1 time, 0 calls without a lookup\n",
        "a.ship:4: cheap: not looked up: it takes about ",
        "a.ship:5: plain: not looked up: it says `Uncached`\n",
        "a.ship:6: busy: not looked up: it has effects\n",
        "a.ship:7: all: ",
    ];
    let found: Vec<Option<usize>> = expected.iter().map(|part| printed.find(part)).collect();
    assert!(found.iter().all(Option::is_some) && found.is_sorted(), "{printed}");
    let value = printed.lines().next().unwrap_or_default().to_owned();

    let output = folder.command("script run a.ship --cache --json").output().unwrap();
    let printed = String::from_utf8_lossy(&output.stdout);
    let damage = "{\"name\": \"damage\", \"file\": \"a.ship\", \"line\": 2, \"lookups\": 100, \"hits\": 96, \"hit_rate\": 0.96, \"entries\": 4, \"saved_nanoseconds\": ";
    assert!(printed.contains(damage) && printed.contains("\"why_not\": \"it says `Uncached`\"}"), "{printed}");
    let output = folder.command("script run a.ship --json").output().unwrap();
    assert_eq!(String::from_utf8_lossy(&output.stdout), format!("{{\"value\": \"{value}\"}}\n"), "only if asked for");
}

#[test]
fn the_cache_report_of_bytecode_has_no_places() {
    let folder = Folder::new();
    fs::write(folder.join("a.ship"), CACHED).unwrap();
    assert!(folder.command("script build a.ship -o a.bin").output().unwrap().status.success());
    let output = folder.command("script run a.bin --cache").output().unwrap();
    let printed = String::from_utf8_lossy(&output.stdout);
    assert!(
        printed.contains("\ndamage: 96 hits in 100 lookups (96.0 %)") && printed.contains("\nbusy: not looked up: "),
        "{printed}"
    );
}

#[test]
fn the_book_shows_the_real_cache_report() {
    let book = include_str!("../../../docs/book/src/caching.md");
    let block =
        |kind: &str| book.split(&format!("```{kind}\n")).nth(1).and_then(|rest| rest.split("```").next()).unwrap();
    // The estimates may change with the costs of instructions.
    let without_estimates = |printed: &str| {
        let mut parts = printed.split("about ");
        let first = parts.next().unwrap_or_default().to_owned();
        parts.fold(first, |all, part| all + "about" + part.trim_start_matches(|letter: char| letter.is_ascii_digit()))
    };
    let folder = Folder::new();
    fs::write(folder.join("damage.script"), block("lscript")).unwrap();
    let output = folder.command("script run damage.script --cache").output().unwrap();
    let printed = String::from_utf8_lossy(&output.stdout);
    assert_eq!(without_estimates(&printed), without_estimates(block("text")), "{printed}");
}

#[test]
fn a_byte_order_mark_is_skipped() {
    let folder = Folder::new();
    fs::write(folder.join("a.ship"), "\u{feff}@ship\n!set hull 3\nhull\n").unwrap();
    assert_eq!(folder.run("script run a.ship").stdout(), "3\n");
    folder.run("script check a.ship").stdout();
}

#[test]
fn errors_in_a_header_are_reported_with_those_of_its_files() {
    let folder = Folder::new();
    let header = "@EnvironmentHeader\n!set Namespace \"ship\"\n!set Attributes [{ name \"hull\", type \"nmber\" }]\n";
    fs::write(folder.join("ship.header"), header).unwrap();
    fs::write(folder.join("a.ship"), "@ship\n3\n").unwrap();
    fs::write(folder.join("b.ship"), "@ship\n4\n").unwrap();
    for words in ["script check a.ship", "script check a.ship b.ship", "script check ship.header a.ship"] {
        let printed = folder.run(words).complaint();
        assert_eq!(
            printed.matches("ship.header:3:38: error: the type of the attribute `hull`").count(),
            1,
            "{printed}"
        );
        assert!(printed.contains("1 error in "), "{printed}");
    }
}

#[test]
fn a_formula_stands_for_its_value() {
    let folder = Folder::new();
    let header = "@EnvironmentHeader\n!set Namespace \"ship\"\n!set Attributes [ { name \"speed\", type \"number\", formula true }, { name \"base\", type \"number\" } ]\n";
    fs::write(folder.join("ship.header"), header).unwrap();
    fs::write(folder.join("a.ship"), "@ship\n!set base 5\n!set speed Lambda(base * 2)\n!set base 6\nspeed + 1\n")
        .unwrap();
    fs::write(folder.join("b.ship"), "@ship\n!set speed 3\nspeed + 1\n").unwrap();
    assert_eq!(folder.run("script run a.ship").stdout(), "13\n");
    assert_eq!(folder.run("script run b.ship").stdout(), "4\n");
}

#[test]
fn the_grammar_of_the_editors_knows_every_built_in_and_query() {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../editors/vscode/syntaxes/lscript.tmLanguage.json");
    let grammar = fs::read_to_string(&path).expect("it is part of the repository");
    let builtins: Vec<&str> = script::builtin::names().collect();
    let queries = world::queries::SIGNATURES.iter().map(|query| query.name);
    let expected: Vec<&str> = builtins.iter().copied().chain(queries).collect();
    let start = grammar.find(&format!("({}|", builtins[0])).expect("it lists them") + 1;
    let listed = grammar[start..].split(')').next().expect("the list ends");
    assert_eq!(listed, expected.join("|"), "{}", path.display());
}

#[test]
fn a_script_that_asks_the_world_is_checked_built_and_run_without_one() {
    let folder = Folder::new();
    fs::write(folder.join("a.script"), "[count_objects({ team 1 }), objects(), nearest_object(vec(0, 0, 0), 9)]\n")
        .unwrap();
    for words in ["script check a.script", "script run a.script", "script build a.script -o a.lsb", "script run a.lsb"]
    {
        let output = folder.command(words).output().unwrap();
        assert!(output.status.success(), "{words}: {}", String::from_utf8_lossy(&output.stderr));
        if words.contains("run") {
            assert_eq!(String::from_utf8_lossy(&output.stdout), "[0, [], nothing]\n");
        }
    }
}

#[test]
fn a_script_sees_the_libraries_of_its_class_and_the_tag_it_is_made_from() {
    let folder = Folder::new();
    folder.write(
        "tags/ship.header",
        "@EnvironmentHeader\n!set Namespace \"ship\"\n!set Base \"object\"\n!set Use \"lib/combat.lscript\"\n!set Attributes [{ name \"hull\", type \"f32\", default 100 }, { name \"armour\", type \"f32\", default 1 }]\n",
    );
    folder.write("tags/lib/combat.lscript", "!set left Lambda(much, hull + armour - much)\n");
    folder.write("tags/a.ship", "@ship\n!set hull 50\n!set armour 2\n");
    folder.write("tags/b.ship", "@ship\n!from \"a.ship\"\n!set hull 60\n!set told Lambda(left(10))\ntold()\n");
    assert_eq!(folder.run("script run tags/b.ship").stdout(), "52\n");
    let explained = folder.run("script explain tags/b.ship").output();
    assert!(explained.contains("told: Lambda") && !explained.contains("error"), "{explained}");
    folder.write("tags/c.ship", "@ship\n!from \"gone.ship\"\nhull\n");
    let printed = folder.run("script run tags/c.ship").complaint();
    assert!(printed.contains("c.ship:2:7: error: `!from`: the tag `gone.ship` does not exist"), "{printed}");
}
