//! The LScript samples of the Telesto thesis, as printed: they parse, check without reports, and run.

use crate::world;

use base::StringId;
use script::check::{Setting, check};
use script::compile::compile;
use script::environment::Environment;
use script::machine::{EvaluationContext, Limits, Nowhere, Scratch};
use script::message::Message;
use script::parse::parse;
use script::schema::{DeclaredVariable, Schema};
use script::stage::deliver;
use script::value::Value;
use script::write::write;

/// Runs a source in an environment with these variables; returns the last value and the effects as text.
fn run(source: &str, declared: &[&str], schema: Option<&Schema>) -> (String, Vec<String>) {
    let tree = parse(source);
    assert!(tree.reports.is_empty(), "{:#?}", tree.reports);
    let checked = check(source, &tree, &Setting { schema, ..world::setting() });
    assert!(checked.reports.is_empty(), "{:#?}", checked.reports);
    let (program, reports) = compile(source, &tree, declared);
    assert!(reports.is_empty(), "{reports:#?}");
    let mut environment = Environment::new(&program, 4096);
    let mut scratch = Scratch::new(Limits::default());
    let (mut last, mut effects) = (String::new(), Vec::new());
    for statement in &program.statements {
        let value = environment.evaluate(&program, *statement, &[], &mut scratch).expect("it ends");
        assert_eq!(scratch.complaints(), [], "{source}");
        last = write(value, &program, scratch.region(), environment.kept());
        for effect in scratch.effects() {
            let arguments = scratch.region().parts(effect.arguments).iter();
            let arguments: Vec<String> =
                arguments.map(|argument| write(*argument, &program, scratch.region(), environment.kept())).collect();
            effects.push(format!("!{}({})", program.strings.text(effect.name).unwrap_or("?"), arguments.join(", ")));
        }
    }
    (last, effects)
}

fn gives(source: &str, expected: &str) {
    assert_eq!(run(source, &[], None).0, expected, "{source}");
}

#[test]
fn the_larger_of_two_numbers() {
    const MAX: &str = "//The same expression in LScript:\nLambda(m, n, if m > n then m else n)";
    gives(MAX, "Lambda(…)");
    gives(&format!("{MAX}(3, 7)"), "7");
    gives(&format!("{MAX}(#8, #7)"), "#8");
}

#[test]
fn a_click_on_an_element_with_an_identification() {
    const CLICK: &str = "//Check if a GUI element contains a script ID and
//perform pre-event guiClick operations
Lambda(id, if not (id = #-1 or id = guiParent)
        then guiClick(id))";
    assert_eq!(run(CLICK, &["guiParent", "guiClick"], None).0, "Lambda(…)");
    let set = CLICK.replace("Lambda(id, if", "!set onClick Lambda(id, if");
    let source = format!("!set pressed #5\n!set guiParent #7\n!set guiClick Lambda(id, id = pressed)\n{set}");
    gives(&format!("{source}\nonClick(#5)"), "true");
    gives(&format!("{source}\nonClick(#7)"), "nothing");
    gives(&format!("{source}\nonClick(#-1)"), "nothing");
    let checked = check(&source, &parse(&source), &world::setting());
    let lambda = checked.lambda("onClick").expect("it was set");
    assert_eq!(checked.requirements(lambda).collect::<Vec<_>>(), ["guiParent", "guiClick", "pressed"]);
}

#[test]
fn a_set_within_a_lambda_and_how_it_can_be_rewritten() {
    // The first is invalid in Telesto; here both are valid.
    gives("!set a 1\nLambda(cond, if cond then !set a 5) //invalid statement", "Lambda(…)");
    gives("!set a 1\nLambda(cond, if cond then !set a 5)(true)\na", "5");
    gives("!set a Lambda(cond, if cond then 5 else a)", "Lambda(…) // a");
    gives("!set a Lambda(cond, if cond then 5 else a)\na(true)", "5");
}

#[test]
fn a_cached_lambda() {
    // The thesis omits the body.
    let source = "//part of the damage event handler, shortened
!set armour 3
!set deal Cached Lambda(damage, damagetype, mitigation, if damagetype = \"emp\" then pow(damage, mitigation) * 2 - armour else damage - armour)
deal(10, \"emp\", 1)";
    gives(source, "17");
    let checked = check(source, &parse(source), &world::setting());
    assert_eq!(checked.lambda("deal").map(|lambda| lambda.refusal), Some(None), "one argument too many is an error");
}

#[test]
fn a_header_and_a_file_of_its_class() {
    const HEADER: &str = "//test object for collision tests 1.2
@EnvironmentHeader
!set Namespace \"test\"
!set Attributes [\"MaxHealth\", \"CurHealth\"]
!set Init \"testgame\\h_testobject_init.lsc\"";
    assert_eq!(run(HEADER, &[], None).0, "\"testgame\\h_testobject_init.lsc\"");
    let variables = ["MaxHealth", "CurHealth"].map(DeclaredVariable::new).to_vec();
    let schema = Schema { name: "test".to_string(), variables };
    let source = "@test\n!set MaxHealth 10\n!set CurHealth MaxHealth / 2\nCurHealth";
    assert_eq!(run(source, &schema.names(), Some(&schema)).0, "5");
}

#[test]
fn an_animated_texture() {
    let source = "@Resource
!set version 1
!set format #3
!set content0 \"textures\\explosion01.png\"
!set content1 [\"animation\\explosionU.lsc\",
              \"animation\\explosionV.lsc\"]
!set content2 [1 / 6, 1 / 6]";
    gives(source, "[0.16666666666666666, 0.16666666666666666]");
}

#[test]
fn a_button_that_fires() {
    let source = "@guibutton
!EventHandler(~this, \"guiclick\", [
    !GUIFire(\"fireblaster\")
])";
    let (_, effects) = run(source, &["this"], None);
    assert!(effects.is_empty(), "installing it fires nothing");
    let (program, _) = compile(source, &parse(source), &[]);
    let (mut environment, mut scratch) = (Environment::new(&program, 64), Scratch::new(Limits::default()));
    environment.evaluate(&program, program.statements[0], &[], &mut scratch).unwrap();
    let place = EvaluationContext { program: &program, this: Value::NOTHING, outside: &Nowhere, now: 0.0, seed: 0 };
    let click = Message::new(StringId::new("guiclick"), Value::NOTHING);
    deliver(place, environment.edit(), &click, &mut scratch).unwrap();
    let fired: Vec<_> = scratch.effects().iter().map(|effect| program.strings.text(effect.name)).collect();
    assert_eq!(fired, [Some("GUIFire")], "the message does");
}
