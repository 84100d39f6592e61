//! Mistakes in scripts and tags that people made in their first games, as `tag check` reports them with the tables of the world: one row
//! for each, with its line, its message and its remedy. All are in one tree.

use crate::common;

use common::{Folder, Json};

const HEADER: &str = "@EnvironmentHeader\n!set Namespace \"ship\"\n!set Base \"object\"\n!set Attributes [\n    { name \"hull\", type \"number\", default 100, state true },\n    { name \"cost\", type \"number\", default 50, range [0, 1000], unit \"gold\" },\n    { name \"damage\", type \"number\", default 3 },\n    { name \"target\", type \"handle\", state true },\n]\n";

/// Tags without a mistake: what the rows name, and what nobody shall be told of.
const RIGHT: &[(&str, &str)] = &[
    ("globals.globals", "@globals\n!set name \"mine\"\n!set flags [\"armed\"]\n"),
    ("ship.header", HEADER),
    (
        "good.ship",
        "// A ship.\n@ship\n!set markers [{ name \"muzzle\" }]\n!set tick [ !Log(1) ]\n\
         !set OnSpawn Lambda(do [ !Every(500, tick), !Flag(\"armed\", true), tick() ])\n\
         !set OnDamage Lambda(much, [ !set hull hull - much, if hull <= 0 then do [ !Send(~level, \"killed\"), !Destroy(~this) ] ])\n\
         !set OnUpdate Lambda(s, if target <> nothing and target.hull > 0 then !Damage(target, damage * s, \"fire\"))\n\
         !set near Lambda(count_objects({ class \"ship\", enemy_of team, except ~this }))\n\
         !set aim Lambda(!Attach(~this, target, \"muzzle\"))\n",
    ),
    (
        "levels/a.scenario",
        "@scenario\n!set kills 0\n!set OnKilled Lambda(!set kills += 1)\n!set placements [{ object \"good.ship\" }]\n\
         !set triggers [{ name \"won\", when Lambda(kills > 3), action Lambda(!EndLevel(\"won\", \"levels/a.scenario\")) }]\n",
    ),
];

/// The class of the tag, its statements from line 3 on, and what is told: line, severity, the beginning of the message, the beginning of the help.
type Row = (&'static str, &'static str, &'static [(u64, &'static str, &'static str, &'static str)]);

#[rustfmt::skip]
const ROWS: &[Row] = &[
    // Names that are not there.
    ("ship", "!set OnUpdate Lambda(s, !Destory(~this))", &[(3, "error", "there is no effect `!Destory`", "did you mean `!Destroy`?")]),
    ("ship", "!set OnUpdate Lambda(s, !Lgo(\"x\"))", &[(3, "error", "there is no effect `!Lgo`", "did you mean `!Log`?")]),
    ("ship", "!set OnUpdate Lambda(s, !Bang(1))", &[(3, "warning", "`!Bang` is not a known effect", "the game that runs this must know it")]),
    ("ship", "!set OnUpdate Lambda(s, !Send(~leval, \"killed\"))", &[(3, "error", "there is no object `~leval`", "did you mean `~level`?")]),
    ("ship", "!set OnUpdate Lambda(s, !Log(~time))", &[(3, "error", "there is no object `~time`", "there are `~this`")]),
    ("ship", "!set OnUpdate Lambda(s, !Log(~captain))", &[(3, "error", "there is no object `~captain`", "there are `~this`")]),
    ("ship", "!set OnUpdate Lambda(s, !Spawn(\"shots/shel.ship\"))", &[(3, "error", "there is no tag `shots/shel.ship`", "")]),
    ("ship", "!set OnUpdate Lambda(s, !Spawn(\"god.ship\"))", &[(3, "error", "there is no tag `god.ship`", "did you mean `good.ship`?")]),
    ("ship", "!set OnUpdate Lambda(s, !Spawn(\"globals.globals\"))", &[(3, "error", "`globals.globals` is not a `object`", "a tag of the class `object`")]),
    ("ship", "!set OnUpdate Lambda(s, !Spawn(\"good.ship\", { hulll 3 }))", &[(3, "error", "`good.ship` has no variable `hulll`", "did you mean `hull`?")]),
    ("ship", "!set OnUpdate Lambda(s, !Spawn(\"good.ship\", { cost 90 }))", &[(3, "error", "`cost` of `good.ship` is not a variable of its objects", "make it one: add `state true`")]),
    ("ship", "!set OnUpdate Lambda(s, !Log(count_objects({ class \"shp\" })))", &[(3, "error", "there is no class `shp`", "did you mean `ship`?")]),
    ("ship", "!set OnUpdate Lambda(s, !Log(count_objects({ clas \"ship\" })))", &[(3, "error", "a filter has no field `clas`", "did you mean `class`?")]),
    ("ship", "!set OnUpdate Lambda(s, !Flag(\"nosuch\", true))", &[(3, "error", "there is no flag `nosuch`", "the field `flags` of the globals")]),
    ("ship", "!set OnUpdate Lambda(s, !Body(~this, \"frction\", 3))", &[(3, "error", "`frction` is not", "did you mean `friction`?")]),
    ("ship", "!set OnUpdate Lambda(s, !Connect(~this, target, \"hinj\", { axs vec(0, 0, 1) }))", &[
        (3, "error", "`hinj` is not a kind of joint", "a kind of joint is one of fixed, hinge"),
        (3, "error", "a joint has no field `axs`", "did you mean `axis`?"),
    ]),
    ("ship", "!set OnUpdate Lambda(s, !EndLevel(\"won\", \"levels/nope.scenario\"))", &[(3, "error", "there is no tag `levels/nope.scenario`", "")]),
    ("ship", "!set OnUpdate Lambda(s, !Attach(~this, target, \"muzle\"))", &[(3, "warning", "no tag has a marker `muzle`", "did you mean `muzzle`?")]),
    ("ship", "!set OnUpdate Lambda(s, !Log(target.hul))", &[(3, "warning", "no class and no tag has a variable `hul`", "did you mean `hull`?")]),
    ("ship", "!set OnDamge Lambda(d, !Log(d))", &[(3, "warning", "nothing sends the message `Damge`", "did you mean `OnDamage`?")]),
    ("ship", "!set OnUpdate Lambda(s, !Send(~level, \"kiled\"))", &[(3, "warning", "no tag handles the message `kiled`", "did you mean `killed`?")]),
    ("ship", "!set OnUpdate Lambda(s, !Log(naer))\n!set near 3", &[(3, "error", "`naer` is not known here", "did you mean")]),
    ("ship", "!set cots 3", &[(3, "warning", "`cots` is not a field of `ship`, and is unused here", "did you mean `cost`?")]),
    // Values that do not fit.
    ("ship", "!set OnUpdate Lambda(s, !Damage(~this, \"hard\"))", &[(3, "error", "expected a number, found a string", "")]),
    ("ship", "!set OnUpdate Lambda(s, !Damage(~this))", &[(3, "error", "`!Damage` takes", "")]),
    ("ship", "!set cost 2000", &[(3, "error", "`cost`: expected 0 to 1000 gold, found 2000", "1000 is used")]),
    ("ship", "!set cost 12 gold", &[(3, "error", "expected the end of the line, found `gold`", "a number is written without its unit")]),
    ("ship", "!set body { shape \"geometry\" }", &[(3, "error", "the body cannot be built", "name the tag of a geometry")]),
    ("ship", "!set body { shpe \"sphere\" }", &[(3, "error", "`body_record` has no field `shpe`", "did you mean `shape`?")]),
    ("ship", "!set OnUpdate Lambda(s, if hull then !Log(1))", &[(3, "error", "expected true or false, found a number", "a condition is true or false")]),
    ("ship", "!set OnUpdate Lambda(s, !Log(\"hull: \" + hull))", &[(3, "error", "expected a number, an identifier or a vector, found a string", "strings are not joined")]),
    ("scenario", "!set triggers [{ name \"a\", when Lambda(3), action Lambda(!EndLevel(\"won\")) }]", &[(3, "error", "expected true or false, found a number", "")]),
    ("ship", "!set damage cost + 1\n!set cost damage + 1", &[(3, "error", "", "")]),
    // What would do nothing, or something else than was meant.
    ("ship", "!set OnUpdate Lambda(s, hull = hull - 1)", &[(3, "warning", "the result of this comparison is not used", "to give a variable a value, write `!set hull hull - 1`")]),
    ("ship", "!set level Lambda(n, n + 1)", &[(3, "error", "`level` cannot be set", "choose another name")]),
    ("ship", "!set OnDamage Lambda(hull, !set hull hull - 1)", &[(3, "error", "`hull` is a parameter or a `let` here", "")]),
    ("ship", "!set tick [ !Log(1) ]\n!set OnUpdate Lambda(s, do [ tick, !Log(2) ])", &[(4, "warning", "the lambda `tick` is not called here", "write `tick()`")]),
    ("ship", "!set OnUpdate Lambda(s, do [ [ !Log(s) ], !Log(2) ])", &[(3, "warning", "this body is never run", "write `do` before it")]),
    ("ship", "!set heal Lambda(d, [ !set hull hull + d ])\n!set OnUpdate Lambda(s, do [ heal(s), !Log(2) ])", &[(4, "warning", "this call gives a lambda, which is never called", "")]),
    ("ship", "!set f Lambda(!Log(1))\n!set OnSpawn Lambda(!After(100, [ f() ]))", &[(4, "error", "expected a lambda, found a list", "a list is evaluated at once")]),
    ("ship", "!set OnSpawn Lambda(!After(100, !Log(1)))", &[(3, "error", "this is done at once", "to do it later, write `[ !Log(1) ]`")]),
    ("ship", "!set OnUpdate Lambda(s, map([1], Lambda(x, !Log(x))))", &[(3, "error", "`map` was given a lambda with effects", "")]),
    ("ship", "!set OnDamage Lambda(much, what, who, !Log(who))", &[(3, "warning", "the parameter `who` is always `nothing`", "`OnDamage` is called with")]),
    ("ship", "!set add Lambda(a, b, a + b)\n!set OnUpdate Lambda(s, !Log(add(3)))", &[(4, "warning", "`add` takes 2 arguments, found 1", "")]),
    ("ship", "!set OnUpdate Lambda(s, !set target.hull 3)", &[(3, "error", "an object sets its own variables only", "send the other a message")]),
    ("ship", "!set hull 3\n!set hull 4", &[(3, "warning", "`hull` is set twice", "")]),
    // Other languages.
    ("ship", "!set OnUpdate Lambda(s, if s == 1 then !Log(1))", &[(3, "error", "", "`=` compares two values")]),
    ("ship", "!set OnUpdate Lambda(s, if s > 1 && s < 2 then !Log(1))", &[(3, "error", "", "write `and`")]),
    ("ship", "!set damage if cost > 1 then 1 elif cost > 2 then 3", &[(3, "error", "", "write `else if`")]),
    ("ship", "!set OnSpawn Lambda(do [\n    !Log(1),\n    !Log(2)\n!set hull 3", &[(6, "error", "", "the `[` of line 3 is not closed")]),
];

#[test]
fn every_mistake_is_told_with_its_line_and_its_remedy() {
    let folder = Folder::new();
    RIGHT.iter().for_each(|(path, text)| folder.write(&format!("tags/{path}"), text));
    let json = folder.run("tag check --json").json();
    assert_eq!((json.number("errors"), json.number("warnings")), (0, 0), "{json:?}");
    let file = |number: usize, class: &str| match class {
        "scenario" => format!("tags/levels/row{number}.scenario"),
        class => format!("tags/rows/row{number}.{class}"),
    };
    for (number, (class, text, _)) in ROWS.iter().enumerate() {
        folder.write(&file(number, class), format!("// A row.\n@{class}\n{text}\n"));
    }
    let json = folder.run("tag check --json").failed_json();
    let mut wrong = Vec::new();
    for (number, (class, text, expected)) in ROWS.iter().enumerate() {
        let file = file(number, class);
        let told: Vec<&Json> = json.list("reports").iter().filter(|it| it.text("file") == file).collect();
        let is_it = |(row, told): (&(u64, &str, &str, &str), &&Json)| {
            let (line, severity, message, help) = row;
            (told.number("line"), told.text("severity")) == (*line, *severity)
                && told.text("message").starts_with(message)
                && told.text("help").starts_with(help)
        };
        if told.len() < expected.len() || !expected.iter().zip(&told).all(is_it) {
            let told: Vec<_> = told
                .iter()
                .map(|it| (it.number("line"), it.text("severity"), it.text("message"), it.text("help")))
                .collect();
            wrong.push(format!("{file}\n{text}\n{told:?}"));
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n\n"));
    // The tags without a mistake have none beside those with mistakes either.
    let right = |it: &&Json| RIGHT.iter().any(|(path, _)| it.text("file") == format!("tags/{path}"));
    assert_eq!(json.list("reports").iter().filter(right).count(), 0, "{json:?}");
}

#[test]
fn a_misspelt_field_is_not_written() {
    let folder = Folder::new();
    RIGHT.iter().for_each(|(path, text)| folder.write(&format!("tags/{path}"), text));
    let before = folder.read("tags/good.ship");
    let said = folder.run("tag set good.ship damgae 5").complaint();
    assert!(said.contains("is unchanged") && said.contains("--force"), "{said}");
    assert_eq!(folder.read("tags/good.ship"), before);
    folder.run("tag set good.ship damage 5 morale 3").stdout();
    assert!(folder.read("tags/good.ship").contains("!set morale 3"));
}
