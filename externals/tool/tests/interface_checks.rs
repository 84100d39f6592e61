//! Mistakes in interfaces, controls and settings, as `tag check` reports them: one row for each, with its message, its line and its remedy.

use crate::common;

use common::Folder;

const EVENTS: &str = "@events\n!set kinds [{ name \"fire\", fields [{ name \"power\" }] }]\n";
const CONTROLS: &str =
    "@controls\n!set contexts [{ name \"flight\" }]\n!set actions [{ name \"fire\", bindings [{ key \"space\" }] }]\n";

struct Row {
    file: &'static str,
    text: &'static str,
    line: u64,
    severity: &'static str,
    message: &'static str,
    remedy: &'static str,
}

const fn row(
    (file, line): (&'static str, u64),
    text: &'static str,
    (severity, message, remedy): (&'static str, &'static str, &'static str),
) -> Row {
    Row { file, text, line, severity, message, remedy }
}

#[rustfmt::skip]
const ROWS: &[Row] = &[
    row(("a.controls", 3), "!set actions [\n{ name \"a\", bindings [{ key \"spcae\" }] }]", ("error", "`spcae` is not a key", "did you mean `space`?")),
    row(("a.controls", 3), "!set actions [\n{ name \"a\", bindings [{ mouse \"lft\" }] }]", ("error", "`lft` is not a mouse button", "did you mean `left`?")),
    row(("a.controls", 3), "!set actions [\n{ name \"a\", bindings [{ pad \"sooth\" }] }]", ("error", "`sooth` is not a gamepad button", "did you mean `south`?")),
    row(("a.controls", 3), "!set actions [\n{ name \"a\", bindings [{ axis \"lefty\" }] }]", ("error", "`lefty` is not a gamepad axis", "did you mean `left_y`?")),
    row(("a.controls", 3), "!set actions [\n{ name \"a\", bindings [{ motion \"wheel\" }] }]", ("error", "`wheel` is not a motion of the mouse or of fingers", "a motion of the mouse or of fingers is one of x, y, wheel_x, wheel_y, drag_x, drag_y, pinch")),
    row(("a.controls", 3), "!set actions [\n{ name \"a\", bindings [{ key \"s\", with [\"ctrl\"] }] }]", ("error", "`ctrl` is not a key or a gamepad button", "a key or a gamepad button is one of a, b, c")),
    row(("a.controls", 3), "!set actions [\n{ name \"a\", context \"flight\" }]", ("error", "there is no context `flight`", "add `{ name \"flight\" }` to `contexts` of the controls")),
    row(("a.controls", 3), "!set actions [\n{ name \"a\", sends \"fier\" }]", ("error", "no `events` tag lists the event `fier`", "did you mean `fire`?")),
    row(("a.controls", 3), "!set actions [\n{ name \"a\", sends \"fire\", fields [{ name \"speed\" }] }]", ("error", "the event `fire` has no field `speed`", "its fields are power")),
    row(("a.controls", 3), "!set actions [{ name \"abc\", sends \"fire\",\nfields [{ name \"power\", action \"abd\" }] }]", ("error", "there is no action `abd`", "did you mean `abc`?")),
    row(("a.controls", 2), "!set prompts [{ input \"foot left\", text \"x\" }]", ("error", "`foot left` is not an input", "an input begins with one of key, mouse, pad, axis, motion: \"key space\"")),
    row(("a.settings", 3), "!set keys [\n{ action \"fier\" }]", ("error", "there is no action `fier`", "did you mean `fire`?")),
    row(("a.settings", 3), "!set keys [{ action \"fire\",\ninputs [\"key f + key spcae\"] }]", ("error", "`spcae` is not an input of the device `key`", "did you mean `space`?")),
    row(("a.settings", 2), "!set add_ons [{ interface \"clock.interface\" }]", ("error", "there is no tag `clock.interface`", "")),
    row(("a.interface", 3), "!set widgets [\n{ name \"a\", kind \"drag_box\", action \"fier\" }]", ("error", "there is no action `fier`", "did you mean `fire`?")),
    row(("a.interface", 3), "!set widgets [\n{ name \"a\", text \"Press {key_fier}\" }]", ("error", "there is no action `fier`", "did you mean `fire`?")),
    row(("a.interface", 3), "!set widgets [{ name \"score\" },\n{ name \"b\", reference \"scroe\" }]", ("error", "there is no widget `scroe`", "did you mean `score`?")),
    row(("a.interface", 3), "!set widgets [{ name \"a\" },\n{ name \"b\", reference \"nothing_such\" }]", ("error", "there is no widget `nothing_such`", "the widgets are a, b")),
    row(("a.interface", 3), "!set widgets [{ name \"a\",\nOnClick [ !Show(\"menu\") ] }]", ("error", "there is no widget `menu`", "the widgets are a")),
    row(("a.interface", 3), "!set widgets [{ name \"a\",\nOnClick [ !GUIFire(\"boom\") ] }]", ("error", "no `events` tag lists the event `boom`", "add `{ name \"boom\" }` to `kinds` of the level's `events` tag")),
    row(("a.interface", 3), "!set widgets [{ name \"a\",\nOnClick [ !Open(\"menu.interface\") ] }]", ("error", "there is no tag `menu.interface`", "")),
    row(("a.interface", 3), "!set widgets [{ name \"a\",\nOnClick [ !Play(\"click.sound\") ] }]", ("error", "there is no tag `click.sound`", "")),
    row(("a.interface", 3), "!set widgets [{ name \"a\",\nOnClick [ !Context(\"fligt\", true) ] }]", ("error", "there is no context `fligt`", "did you mean `flight`?")),
    row(("a.interface", 3), "!set widgets [{ name \"a\", bind {\nvalue Lambda(!GUIFire(\"fire\")) } }]", ("error", "`!GUIFire` has an effect, but what is shown has none", "move it to a handler of the widget, such as `OnClick [ … ]`")),
    row(("a.interface", 3), "!set widgets [{ name \"a\", bind {\nvisible [ !Log(1) ] } }]", ("error", "`[ … ]` has an effect, but what is shown has none", "move it to a handler of the widget, such as `OnClick [ … ]`")),
    row(("a.interface", 4), "!set hull 3\n!set widgets [{ name \"a\",\nOnClick [ !Log(1), hull = hull - 1 ] }]", ("warning", "the result of this comparison is not used", "to give a variable a value, write `!set hull hull - 1`")),
    row(("a.interface", 4), "!set hull 3\n!set widgets [{ name \"a\",\nOnClick Lambda(hull = hull - 1) }]", ("warning", "the result of this comparison is not used", "to give a variable a value, write `!set hull hull - 1`")),
];

#[test]
fn every_mistake_is_told_with_its_line_and_its_remedy() {
    let mut wrong = Vec::new();
    for row in ROWS {
        let folder = Folder::new();
        folder.write("tags/game.events", EVENTS);
        folder.write("tags/game.controls", CONTROLS);
        let class = row.file.rsplit('.').next().expect("it has a class");
        folder.write(&format!("tags/{}", row.file), format!("@{class}\n{}\n", row.text));
        let ran = folder.run("tag check --json");
        let json = if row.severity == "error" { ran.failed_json() } else { ran.json() };
        let reports = json.list("reports");
        let told: Vec<_> = reports
            .iter()
            .map(|it| (it.number("line"), it.text("severity"), it.text("message"), it.text("help")))
            .collect();
        let is_it = |it: &(u64, &str, &str, &str)| {
            (it.0, it.1, it.2) == (row.line, row.severity, row.message) && it.3.starts_with(row.remedy)
        };
        if told.len() != 1 || !is_it(&told[0]) {
            wrong.push(format!("{}\n{}\n{told:?}", row.file, row.text));
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n\n"));
}

#[test]
fn what_is_right_is_not_told() {
    let folder = Folder::new();
    folder.write("tags/game.events", EVENTS);
    folder.write("tags/game.controls", CONTROLS);
    folder.write(
        "tags/hud.interface",
        "@interface\n!set use [\"part.interface\"]\n!set widgets [{ name \"a\", OnClick [ !Hide(\"b\") ] }]\n",
    );
    folder
        .write("tags/part.interface", "@interface\n!set widgets [{ name \"b\", parent \"a\", text \"{key_fire}\" }]\n");
    folder.write("tags/child.interface", "@interface\n!from \"hud.interface\"\n!set first_focus \"a\"\n");
    folder.write("tags/drive.controls", "@controls\n!set contexts [{ name \"x\" }, { name \"y\" }]\n!set actions [{ name \"a\", context \"x\", bindings [{ key \"f\" }] }, { name \"b\", context \"y\", bindings [{ key \"f\" }] }]\n");
    let json = folder.run("tag check --json").json();
    assert_eq!((json.number("errors"), json.number("warnings")), (0, 0), "{json:?}");
    // One file alone knows the others too.
    let json = folder.run("tag check part.interface --json").json();
    assert_eq!((json.number("errors"), json.number("warnings")), (0, 0), "{json:?}");
}
