//! Mistakes in tags that only the world can see.

use crate::common;

use std::collections::BTreeMap;

use base::StringId;
use common::{SCENARIO, Scene, classes};
use tags::mistake::Mistake;
use tags::packed::Packed;
use world::Condition;

const CRATE: &str = "@EnvironmentHeader\n!set Namespace \"crate\"\n!set Base \"object\"\n!set Attributes []\n";

/// The mistakes in the tag at a path, among these tags.
fn mistakes(path: &str, texts: &[(&str, &str)]) -> Vec<Mistake> {
    let classes = classes(&[CRATE]);
    let pack = |(path, text): &(&str, &str)| {
        let class = path.rsplit_once('.').expect("a class").1;
        (StringId::from(*path), classes.get(class).expect(class).pack_text(text).packed)
    };
    let packed: BTreeMap<StringId, Packed> = texts.iter().map(pack).collect();
    classes.mistakes(&packed[&StringId::from(path)], &|id| packed.get(&id))
}

fn check(path: &str, texts: &[(&str, &str)], field: &str, words: &str) {
    let found = mistakes(path, texts);
    assert_eq!(found.len(), 1, "{path}: {found:?}");
    assert_eq!(found[0].field, field, "{found:?}");
    assert!(found[0].message.contains(words), "{found:?}");
}

#[test]
fn a_geometry_that_cannot_be_built_says_why_and_where() {
    let check = |text: &str, field: &str, words: &str| {
        check("a.geometry", &[("a.geometry", &format!("@geometry\n{text}"))], field, words);
    };
    let points = "!set points [vec(0, 0, 0), vec(1, 0, 0), vec(0, 1, 0)]\n";
    check(&format!("!set kind \"mesh\"\n{points}!set triangles [0, 1, 99]"), "triangles", "triangle 0");
    check(&format!("!set kind \"mesh\"\n{points}!set triangles [0, 1]"), "triangles", "no multiple of three");
    check("!set kind \"hull\"\n!set points [vec(0,0,0), vec(1,0,0), vec(0,1,0), vec(1,1,0)]", "points", "coplanar");
    check("!set kind \"hull\"\n!set points [vec(0,0,0), vec(1,0,0)]", "points", "four points");
    check("!set kind \"height_field\"\n!set columns 3\n!set heights [1, 2, 3, 4, 5, 6, 7]", "heights", "7 heights");
    check("!set kind \"height_field\"\n!set columns 3\n!set heights [1, 2, 3, 4]", "heights", "each side");
    check("!set kind \"compound\"", "parts", "no parts");
    check("!set kind \"compound\"\n!set parts [{ shape \"box\", half vec(0, 1, 1) }]", "parts", "part 0");
}

#[test]
fn a_body_that_cannot_be_built_names_its_geometry_and_the_reason() {
    let open = "@geometry\n!set kind \"mesh\"\n!set points [vec(0, 0, 0), vec(1, 0, 0), vec(0, 1, 0)]\n!set triangles [0, 1, 2]\n";
    let body = |rest: &str| format!("@object\n!set body {{ shape \"geometry\", geometry \"open.geometry\"{rest} }}\n");
    let moving = body("");
    check("a.object", &[("a.object", &moving), ("open.geometry", open)], "body", "`open.geometry` encloses no volume");
    for rest in [", fixed true", ", kinematic true"] {
        assert_eq!(mistakes("a.object", &[("a.object", &body(rest)), ("open.geometry", open)]), [], "{rest}");
    }
    check("a.object", &[("a.object", "@object\n!set body { shape \"geometry\" }\n")], "body", "no such geometry");
    // A class of a header is checked like its base.
    check("a.crate", &[("a.crate", "@crate\n!set body { shape \"geometry\" }\n")], "body", "no such geometry");
    let flat = "@object\n!set body { shape \"box\", half vec(1, 0, 1) }\n";
    check("a.object", &[("a.object", flat)], "body", "a size of the shape is zero");
    // A geometry with a mistake of its own is reported there, and one that does not exist by the check of references.
    let wrong = "@geometry\n!set kind \"hull\"\n";
    assert_eq!(mistakes("a.object", &[("a.object", &moving), ("open.geometry", wrong)]), []);
    assert_eq!(mistakes("a.object", &[("a.object", &moving)]), []);
}

#[test]
fn lists_beyond_a_limit_are_mistakes() {
    let list = |count: usize, element: &dyn Fn(usize) -> String| (0..count).map(element).collect::<Vec<_>>().join(", ");
    let level = |count| {
        let triggers =
            list(count, &|number| format!("{{ name \"t{number}\", when Lambda(true), action Lambda(nothing) }}"));
        format!("@scenario\n!set triggers [{triggers}]\n")
    };
    assert_eq!(mistakes("levels/a.scenario", &[("levels/a.scenario", &level(52))]), []);
    check("levels/a.scenario", &[("levels/a.scenario", &level(80))], "triggers", "at most 52 triggers, found 80");
    let globals = |count| format!("@globals\n!set flags [{}]\n", list(count, &|number| format!("\"f{number}\"")));
    assert_eq!(mistakes("globals.globals", &[("globals.globals", &globals(32))]), []);
    check("globals.globals", &[("globals.globals", &globals(33))], "flags", "at most 32 flags, found 33");
}

#[test]
fn lengths_curves_and_distances_that_do_not_fit_are_mistakes() {
    let globals = "@globals\n!set brush_cycle 20\n!set safe_cycle 50\n";
    check("globals.globals", &[("globals.globals", globals)], "safe_cycle", "no whole number of brush cycles");
    let fine = "@globals\n!set brush_cycle 20\n!set safe_cycle 60\n";
    assert_eq!(mistakes("globals.globals", &[("globals.globals", fine)]), []);
    let curve =
        "@object\n!set body { shape \"sphere\", settling { slope 20, curve [{ seconds 2 }, { seconds 1 }] } }\n";
    check("a.object", &[("a.object", curve)], "body", "must rise");
    let empty = "@object\n!set body { shape \"sphere\", settling { slope 20 } }\n";
    check("a.object", &[("a.object", empty)], "body", "does nothing");
    let far = "@object\n!set far_updates [{ distance 50, period 100 }, { distance 20, period 1000 }]\n";
    check("a.object", &[("a.object", far)], "far_updates", "must rise");
}

#[test]
fn periods_that_are_no_whole_number_of_cycles_are_mistakes() {
    let object = |period: &str| format!("@object\n!set update_period {period}\n");
    for (period, used, help) in [("15", "10 ms is used", "write 10 or 20"), ("1004", "1000 ms is used", "1010")] {
        let text = object(period);
        check("a.object", &[("a.object", &text)], "update_period", used);
        assert!(mistakes("a.object", &[("a.object", &text)])[0].help.contains(help));
        check("a.crate", &[("a.crate", &text.replace("object", "crate"))], "update_period", used);
    }
    for period in ["1", "10", "20", "1000", "3600000"] {
        assert_eq!(mistakes("a.object", &[("a.object", &object(period))]), [], "{period}");
    }
    let far = "@object\n!set far_updates [{ distance 20, period 100 }, { distance 50, period 105 }]\n";
    check("a.object", &[("a.object", far)], "far_updates", "100 ms is used");
    // The length of a cycle is a setting of the game.
    let globals = "@globals\n!set brush_cycle 4\n!set safe_cycle 20\n";
    let with = |text: &str| mistakes("a.object", &[("a.object", text), ("globals.globals", globals)]);
    assert_eq!(with(&object("16")), []);
    assert_eq!(with("@object\n"), [], "the default means each cycle");
    assert!(with(&object("50"))[0].message.contains("cycles of 4 ms: 48 ms is used"));
}

#[test]
fn a_mistake_is_reported_at_its_field() {
    let text = "@globals\n// lengths\n!set brush_cycle 20\n!set safe_cycle 50\n";
    let found = mistakes("globals.globals", &[("globals.globals", text)]);
    let report = found[0].report(text);
    assert_eq!(report.span.text(text), "safe_cycle");
    assert!(report.help.contains("60"), "{report:?}");
}

#[test]
fn in_play_no_room_for_a_body_differs_from_a_body_that_cannot_be_built() {
    let level =
        "@scenario\n!set objects_max 64\n!set bodies_max 2\n!set placements [{ object \"ball.object\", count 3 }]\n";
    let ball = "@object\n!set body { shape \"sphere\" }\n";
    let mut scene = Scene::new(&[], &[(SCENARIO, level), ("ball.object", ball)]);
    scene.run(1);
    assert_eq!(scene.conditions(), [Condition::NoRoomForBody]);
    let wrong = "@geometry\n!set kind \"hull\"\n!set points [vec(0,0,0), vec(1,0,0), vec(0,1,0), vec(1,1,0)]";
    let ball = "@object\n!set body { shape \"geometry\", geometry \"wrong.geometry\" }\n";
    let mut scene = Scene::new(&[], &[(SCENARIO, level), ("ball.object", ball), ("wrong.geometry", wrong)]);
    scene.run(1);
    assert_eq!((scene.conditions(), scene.count(Condition::NoShape)), (vec![Condition::NoShape], 3));
    let told = scene.rules.log.take(&scene.rules.prototypes);
    assert!(told[0].contains("`wrong.geometry`") && told[0].contains("coplanar"), "{told:?}");
}
