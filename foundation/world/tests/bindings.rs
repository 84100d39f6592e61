//! Lambdas of other tags, evaluated about objects: they answer, and change nothing.

use crate::common;

use base::{Handle, StringId, Vec3};
use common::Scene;
use view::Answer;
use view::classes::AnimationGraph;
use world::TagProgram;

const SHIP: &str = "@object\n!set hull 40\n!set hull_max 80\n!set crew [\"Ann\", \"Bo\"]\n!set title \"Corvette\"\n!set team 2\n\
    !set OnUpdate Lambda(seconds, [ !set hull hull, !set cargo [1, 2, hull] ]())\n!set cargo []\n";

/// An open class with lambdas, as an interface is one.
const GRAPH: &str = "@animation_graph\n!set hull 7\n!set unknown 5\n!set layers [{ name \"a\", transitions [\n\
    { name \"half\", when Lambda(hull < 50 and ~this.team = 2) }, { name \"own\", when Lambda(unknown = 5) },\n\
    { name \"sum\", when Lambda(sum(cargo)) }] }]\n!set cargo []\n";

fn scene() -> Scene {
    let mut scene = Scene::new(&[], &[("ship.object", SHIP), ("a.animation_graph", GRAPH), (common::SCENARIO, LEVEL)]);
    scene.run(3);
    scene
}

const LEVEL: &str =
    "@scenario\n!set objects_max 256\n!set placements [{ object \"ship.object\", position vec(1, 2, 3), team 2 }]\n";

/// The answer of an expression about the ship.
fn ask(scene: &Scene, source: &str) -> Answer {
    let program = TagProgram::compile(&scene.content, StringId::from("ship.object"), source).expect(source);
    let function = program.last().expect("a statement");
    scene.rules.evaluate(&scene.world, &program, scene.one("ship.object"), function, &[]).expect(source)
}

#[test]
fn expressions_read_variables_fields_lists_and_queries() {
    let scene = scene();
    assert_eq!(ask(&scene, "hull / hull_max"), Answer::Number(0.5));
    assert_eq!(ask(&scene, "~this.hull > 3"), Answer::Truth(true));
    assert_eq!(ask(&scene, "title"), Answer::Text("Corvette".into()));
    assert_eq!(ask(&scene, "position"), Answer::Vector(Vec3::new(1.0, 2.0, 3.0)));
    assert_eq!(ask(&scene, "sum(cargo)"), Answer::Number(43.0));
    assert_eq!(ask(&scene, "crew"), Answer::List(vec![Answer::Text("Ann".into()), Answer::Text("Bo".into())]));
    assert_eq!(ask(&scene, "count_objects({ team 2 })"), Answer::Number(1.0));
    assert_eq!(ask(&scene, "~this"), Answer::Object(scene.one("ship.object").raw()));
    let record = ask(&scene, "{ part hull / 80, name title }");
    assert_eq!(record.field(StringId::from("part")).and_then(Answer::number), Some(0.5));
    assert_eq!(record.field(StringId::from("name")).and_then(Answer::text), Some("Corvette"));
}

#[test]
fn lambdas_of_a_tag_read_the_object_by_name() {
    let scene = scene();
    let tag = StringId::from("a.animation_graph");
    let program = TagProgram::of(&scene.content, tag).expect("it has lambdas");
    let graph = scene.content.get_as::<AnimationGraph>(tag).expect("a tag");
    let transitions = graph.each(&graph.each(&graph.layers)[0].transitions);
    let ship = scene.one("ship.object");
    let answers: Vec<Answer> = transitions
        .iter()
        .map(|transition| {
            let function = transition.when.function().expect("a lambda");
            scene.rules.evaluate(&scene.world, &program, ship, function, &[]).expect("an answer")
        })
        .collect();
    assert_eq!(answers, [Answer::Truth(true), Answer::Truth(true), Answer::Number(43.0)]);
    assert_eq!(scene.rules.evaluate(&scene.world, &program, ship, 9999, &[]), Ok(Answer::Nothing));
    assert_eq!(scene.rules.evaluate(&scene.world, &program, Handle::NONE, 0, &[]), Ok(Answer::Nothing));
}

#[test]
fn nothing_is_changed_and_nothing_goes_on_forever() {
    let mut scene = scene();
    let before = scene.world.hash();
    ask(&scene, "[ !set hull 0, !Destroy(~this), hull ]()");
    ask(&scene, "count(within(position, 1000))");
    assert_eq!(scene.world.hash(), before);
    assert_eq!(scene.rules.parts.progress.get(&scene.world).refused, 0);
    let endless = "let go = Lambda(self, n, self(self, n + 1)) in go(go, 0)";
    let program = TagProgram::compile(&scene.content, StringId::from("ship.object"), endless).expect("it compiles");
    let function = program.last().expect("a statement");
    assert!(scene.rules.evaluate(&scene.world, &program, scene.one("ship.object"), function, &[]).is_err());
    let wrong = TagProgram::compile(&scene.content, StringId::from("ship.object"), "no_such + 1");
    assert!(wrong.is_err_and(|reports| !reports.is_empty()));
    scene.run(3);
    assert!(scene.all("ship.object").len() == 1, "it was not destroyed");
}
