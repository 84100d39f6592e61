//! The logic of interfaces: handlers, effects, bindings, events of the world.

use crate::common;

use base::{Handle, Vec3};
use common::{MAIN, Stage, content, id};
use gui::answer::Answer;
use gui::logic::{Binding, Workspace};
use gui::outgoing::Request;
use relay::device::Key;
use script::machine::Outside;
use script::program::Program;
use script::row::RowView;
use script::value::Value;
use view::{Atom, Frame, InterfaceEvent, PlayerView};

const FIRE: &str = "@guibutton
!EventHandler(~this, \"guiclick\", [
    !GUIFire(\"fireblaster\")
])
";

#[test]
fn the_button_of_the_thesis_fires_its_blaster() {
    let mut stage = Stage::new(&[
        ("fire.guibutton", FIRE),
        (MAIN, "@interface\n!set widgets [{ name \"slot\", size vec(80, 40), use \"fire.guibutton\" }]"),
    ]);
    assert_eq!(stage.shown(), "slot 0 0 80 40\nbutton 0 0 80 40");
    assert!(stage.click_on("button"));
    assert_eq!(stage.events(), [(id("fireblaster"), vec![])]);
    assert_eq!(stage.reports(), [] as [String; 0]);
}

#[test]
fn it_may_also_be_an_interface_of_its_own() {
    let (content, reports) = content(&[("fire.guibutton", FIRE)]);
    assert_eq!(reports, [] as [String; 0]);
    let mut stage = Stage::with(content);
    stage.work(|gui, around| gui.open(id("fire.guibutton"), around));
    stage.update(0.0);
    assert!(stage.click(5.0, 5.0));
    assert_eq!(stage.events(), [(id("fireblaster"), vec![])]);
}

#[test]
fn handlers_set_variables_and_show_widgets() {
    let mut stage = Stage::new(&[(
        MAIN,
        r#"@interface
!set clicks 0
!set open   false
!set toggle [ !set open not open, !set clicks clicks + 1, if open then !Show("box") else !Hide("box") ]
!set widgets [
    { name "button", kind "button", text "more", OnClick Lambda(toggle()) },
    { name "box", hidden true, offset vec(0, 100), size vec(10, 10) },
    { name "count", kind "text", offset vec(0, 200), bind { text Lambda(clicks), visible Lambda(clicks > 0) } }
]"#,
    )]);
    assert_eq!((stage.rect("box"), stage.rect("count")), (None, None));
    stage.click_on("button");
    assert!(stage.rect("box").is_some());
    assert_eq!(stage.text("count").as_deref(), Some("1"));
    stage.click_on("button");
    assert!(stage.rect("box").is_none());
    assert_eq!((stage.variable("clicks"), stage.variable("open")), (Answer::Number(2.0), Answer::Truth(false)));
    assert_eq!(stage.reports(), [] as [String; 0]);
}

#[test]
fn every_effect_of_the_table_can_be_called() {
    for (effect, example) in gui::effects::SIGNATURES.iter().zip(gui::effects::EXAMPLES) {
        let text = format!(
            "@interface\n!set widgets [
                {{ name \"go\", kind \"button\", size vec(10, 10), OnClick [ {example} ] }},
                {{ name \"menu\" }}, {{ name \"start\", kind \"button\" }}, {{ name \"score\" }},
                {{ name \"volume\", kind \"slider\" }}, {{ name \"log\", kind \"scroll\" }}]"
        );
        let menu = ("menu.interface", "@interface\n!set title \"x\"");
        let mut stage = Stage::new(&[(MAIN, &text), menu]);
        stage.click(5.0, 5.0);
        assert_eq!(stage.reports(), [] as [String; 0], "{}", effect.name);
    }
}

#[test]
fn effects_become_requests() {
    let mut stage = Stage::new(&[(
        MAIN,
        r#"@interface
!set OnOpen [ !Play("sounds/open.sound"), !Setting("language", "de"), !Command("save", "slot 1", 3), !Log("open", 2) ]"#,
    )]);
    let words = |text: &str| Answer::Words(text.into());
    assert_eq!(
        stage.requests(),
        [
            Request::Play(id("sounds/open.sound")),
            Request::Setting { name: "language".into(), value: words("de") },
            Request::Command { name: "save".into(), arguments: vec![words("slot 1"), Answer::Number(3.0)] },
            Request::Log("open 2.000".into()),
        ]
    );
}

#[test]
fn a_template_has_its_own_logic_and_begins_with_the_values_of_its_user() {
    let counter = r#"@interface
!set title "none"
!set count 0
!set OnAdd Lambda(amount, !set count count + amount)
!set widgets [{ name "label", kind "text", bind { text Lambda(title) } },
    { name "value", kind "text", bind { text Lambda(count) } }]"#;
    let mut stage = Stage::new(&[
        ("counter.interface", counter),
        (
            MAIN,
            r#"@interface
!set widgets [
    { name "one", use "counter.interface", with Lambda({ title "first" }) },
    { name "two", use "counter.interface" },
    { name "add", kind "button", size vec(10, 10), offset vec(500, 0), OnClick [ !Send("two", "add", 5) ] }]"#,
        ),
    ]);
    stage.click_on("add");
    let texts: Vec<String> = stage.gui.visible().into_iter().map(|(.., text)| text).collect();
    assert_eq!(texts, ["", "first", "0", "", "none", "5", ""]);
    assert_eq!(stage.reports(), [] as [String; 0]);
}

#[test]
fn statements_of_a_template_act_on_its_own_widgets() {
    let box_of =
        "@interface\n!Hide(\"inside\")\n!set widgets [{ name \"inside\", size vec(9, 9) }, { name \"beside\" }]";
    let main = "@interface\n!set widgets [{ name \"a\", use \"box.interface\" }, { name \"inside\" }]";
    let mut stage = Stage::new(&[("box.interface", box_of), (MAIN, main)]);
    let names: Vec<String> = stage.gui.visible().into_iter().map(|(name, ..)| name).collect();
    assert_eq!(names, ["a", "beside", "inside"]);
    assert_eq!(stage.reports(), [] as [String; 0]);
}

#[test]
fn an_add_on_of_the_player_hangs_its_widgets_into_an_interface() {
    let (content, _) = content(&[
        (
            MAIN,
            "@interface\n!set widgets [{ name \"bar\", kind \"row\", children [{ name \"a\", size vec(10, 10) }] }]",
        ),
        (
            "more.interface",
            "@interface\n!set extends \"main.interface\"\n!set widgets [{ name \"b\", parent \"bar\", size vec(20, 10) }]",
        ),
        ("other.interface", "@interface\n!set extends \"more.interface\"\n!set widgets [{ name \"c\" }]"),
    ]);
    let mut stage = Stage { gui: gui::gui::Gui::new(0), ..Stage::with(content) };
    stage.gui.set_add_ons(&[id("more.interface"), id("other.interface")]);
    stage.work(|gui, around| gui.open(id(MAIN), around));
    assert_eq!(stage.shown(), "bar 0 0 38 10\na 0 0 10 10\nb 18 0 20 10");
}

#[test]
fn styles_of_used_interfaces_are_known() {
    let styles = "@interface\n!set styles [{ name \"warning\", look { fill \"#ff0000\" } }]";
    let main = "@interface\n!set use [\"styles.interface\"]\n!set widgets [{ name \"a\", style \"warning\", size vec(9, 9) }, { name \"b\", style \"wrong\" }]";
    let mut stage = Stage::new(&[("styles.interface", styles), (MAIN, main)]);
    let canvas = stage.draw();
    assert!(matches!(canvas.items[0], view::CanvasItem::Quad { fill, .. } if (fill.red, fill.alpha) == (255, 255)));
    assert_eq!(
        stage.reports(),
        ["main.interface: the widget `b` has the unknown style `wrong`; it is drawn without it"]
    );
}

#[test]
fn stages_choose_the_interfaces_that_are_shown() {
    let mut stage = Stage::new(&[
        (
            MAIN,
            "@interface\n!set stages [\"menu\"]\n!set widgets [{ name \"go\", kind \"button\", size vec(10, 10), OnClick [ !Stage(\"battle\") ] }]",
        ),
        ("hud.interface", "@interface\n!set stages [\"battle\"]\n!set widgets [{ name \"hud\" }]"),
    ]);
    stage.work(|gui, around| gui.open(id("hud.interface"), around));
    stage.gui.set_stage(id("menu"));
    stage.update(0.0);
    assert_eq!(stage.shown(), "go 0 0 10 10");
    stage.click_on("go");
    stage.update(0.0);
    assert_eq!(stage.shown(), "hud 0 0 0 0");
}

#[test]
fn interfaces_open_and_close_each_other() {
    let mut stage = Stage::new(&[
        (
            MAIN,
            "@interface\n!set widgets [{ name \"go\", kind \"button\", size vec(10, 10), OnClick [ !Open(\"menu.interface\", { title \"pause\" }) ] }]",
        ),
        (
            "menu.interface",
            "@interface\n!set title \"\"\n!set OnClose [ !GUIFire(\"closed\") ]\n!set widgets [{ name \"title\", kind \"text\", bind { text Lambda(title) } }, { name \"back\", kind \"button\", offset vec(100, 0), size vec(10, 10), OnClick [ !Close() ] }]",
        ),
    ]);
    stage.click_on("go");
    assert_eq!(stage.text("title").as_deref(), Some("pause"));
    stage.click_on("back");
    assert_eq!((stage.rect("back"), stage.gui.is_open(id("menu.interface"))), (None, false));
    assert_eq!(stage.events(), [(id("closed"), vec![])]);
}

#[test]
fn timers_run_in_the_time_of_the_picture() {
    let mut stage =
        Stage::new(&[(MAIN, "@interface\n!set ticks 0\n!set OnOpen [ !Every(100, [ !set ticks ticks + 1 ]) ]")]);
    for _ in 0..10 {
        stage.update(0.05);
    }
    assert_eq!(stage.variable("ticks"), Answer::Number(5.0));
}

#[test]
fn a_list_shows_its_pattern_for_each_item() {
    let mut stage = Stage::new(&[(
        MAIN,
        r#"@interface
!set ships [{ name "red", hull 3 }, { name "blue", hull 5 }]
!set chosen nothing
!set widgets [{ name "list", kind "list", gap 0, bind { items Lambda(ships) }, children [
    { name "row", kind "button", size vec(100, 20), bind { text Lambda(item.name) }, OnClick [ !set chosen index, !GUIFire("pick", item.hull) ] }] },
  { name "more", kind "button", offset vec(500, 0), size vec(10, 10), OnClick [ !set ships join(ships, [{ name "green", hull 7 }]) ] }]"#,
    )]);
    let texts = |stage: &Stage| stage.gui.visible().into_iter().map(|(.., text)| text).collect::<Vec<String>>();
    assert_eq!(texts(&stage), ["", "red", "blue", ""]);
    stage.click(50.0, 30.0);
    assert_eq!(stage.events(), [(id("pick"), vec![Answer::Number(5.0)])]);
    assert_eq!(stage.variable("chosen"), Answer::Number(1.0));
    stage.click_on("more");
    assert_eq!(texts(&stage), ["", "red", "blue", "green", ""]);
    assert_eq!(stage.shown().lines().nth(3), Some("row 0 40 100 20"));
    assert_eq!(stage.reports(), [] as [String; 0]);
}

/// A world of objects with one variable each.
struct Hulls(Program, Vec<[Value; 1]>, script::row::Head);

impl Outside for Hulls {
    fn object(&self, handle: Handle<()>, _: u16) -> Option<(&Program, RowView<'_>)> {
        let values = self.1.get(usize::from(handle.slot()))?;
        Some((&self.0, RowView { head: &self.2, values }))
    }

    fn query(
        &self,
        _: u32,
        _: &[Value; script::types::ARGUMENTS_MAX],
        _: &mut script::machine::Machine<'_>,
    ) -> Result<Value, script::machine::Halt> {
        Ok(Value::number(self.1.len() as f64))
    }
}

fn hulls(hulls: &[f64]) -> Hulls {
    let (program, _) = script::compile::compile("", &script::parse::parse(""), &["hull"]);
    Hulls(program, hulls.iter().map(|hull| [Value::number(*hull)]).collect(), script::row::Head::default())
}

fn object(slot: u16) -> u32 {
    Handle::<()>::new(slot, 0x8000).raw()
}

#[test]
fn the_world_answers_what_only_it_knows() {
    let mut stage = Stage::new(&[(
        MAIN,
        r#"@interface
!set factor 10
!set widgets [
    { name "hull", kind "bar", max 100, bind { value Lambda(player.hull) } },
    { name "text", kind "text", bind { text Lambda(player.hull * factor) } },
    { name "all", kind "text", bind { text Lambda(count_objects()) } },
    { name "own", kind "text", bind { text Lambda(factor) } },
    { name "list", kind "list", bind { items Lambda(selection) }, children [{ name "row", kind "text", bind { text Lambda(item.hull) } }] },
    { name "alive", kind "text", text "alive", bind { object Lambda(selection[0]), visible Lambda(~object.hull > 5) } }]"#,
    )]);
    let mut frame = Frame::new(0);
    frame.players.push(PlayerView {
        player: 0,
        object: object(0),
        interface: id(MAIN),
        team: 1,
        ..PlayerView::default()
    });
    stage.frame = Some(frame);
    stage.gui.set_selection(&[object(1), object(2)]);
    let world = hulls(&[4.0, 6.0, 8.0]);
    let mut workspace = Workspace::default();
    for _ in 0..3 {
        stage.update(0.01);
        // They travel to the thread of the world.
        fn can_travel<T: Send>(_: &T) {}
        let bindings: Vec<Binding> = stage.gui.bindings().to_vec();
        can_travel(&bindings);
        let answers: Vec<(u64, Answer)> =
            bindings.iter().map(|binding| (binding.id, binding.evaluate(&world, 0.0, &mut workspace))).collect();
        answers.iter().for_each(|(id, answer)| stage.gui.answer(*id, answer));
    }
    stage.update(0.01);
    let texts: Vec<String> = stage.gui.visible().into_iter().map(|(.., text)| text).collect();
    assert_eq!(texts, ["", "40", "3", "10", "", "6", "8", "alive"]);
    assert_eq!(stage.reports(), [] as [String; 0]);
}

#[test]
fn events_of_the_world_call_handlers_once() {
    let mut stage = Stage::new(&[(
        MAIN,
        "@interface\n!set alarms 0\n!set at nothing\n!set loudness 0\n!set OnAlarm Lambda(who, place, level, [ !set alarms alarms + 1, !set at place, !set loudness level ]())",
    )]);
    let mut frame = Frame::new(0);
    frame.moment.cycle = 10;
    stage.frame = Some(frame.clone());
    stage.update(0.01);
    let arguments = [Atom::Number(7.0), Atom::Nothing, Atom::Nothing, Atom::Nothing];
    let event = |cycle, player| InterfaceEvent {
        id: cycle,
        cycle,
        name: id("alarm"),
        object: 3,
        position: Vec3::X,
        player,
        arguments,
    };
    stage.player = 4;
    frame.players.push(PlayerView { player: 4, object: 0, interface: id(MAIN), team: 1, ..PlayerView::default() });
    frame.interface_events = vec![event(9, None), event(12, None), event(13, Some(4)), event(13, Some(5))];
    frame.moment.cycle = 15;
    for _ in 0..3 {
        stage.frame = Some(frame.clone());
        stage.update(0.01);
    }
    assert_eq!(stage.variable("alarms"), Answer::Number(2.0), "old ones and those of others do not count");
    assert_eq!(stage.variable("at"), Answer::Vector(Vec3::X));
    assert_eq!(stage.variable("loudness"), Answer::Number(7.0), "arguments of the event follow");
    frame.moment.epoch = 1;
    frame.moment.cycle = 13;
    stage.frame = Some(frame.clone());
    stage.update(0.01);
    assert_eq!(stage.variable("alarms"), Answer::Number(2.0), "after a rewind, what had happened is not new");
}

#[test]
fn mistakes_of_scripts_are_reported_with_file_and_line() {
    let (content, _) = content(&[(
        MAIN,
        r#"@interface
!set forever Lambda(n, forever(n + 1))
!set widgets [
    { name "a", kind "button", size vec(10, 10), OnClick Lambda(forever(1)) },
    { name "b", kind "button", size vec(10, 10), offset vec(20, 0), OnClick [ !Show("nowhere") ] },
    { name "c", kind "button", size vec(10, 10), offset vec(40, 0), OnClick [ !GUIFire("x", player.hull) ] },
    { name "d", bind { value Lambda(!Random(0, 1)) } }]"#,
    )]);
    let mut stage = Stage::with(content);
    let mut frame = Frame::new(0);
    frame.players.push(PlayerView {
        player: 0,
        object: object(0),
        interface: id(MAIN),
        team: 1,
        ..PlayerView::default()
    });
    stage.frame = Some(frame);
    stage.update(0.0);
    assert_eq!(stage.reports(), ["main.interface:7: a binding has no effects and sets nothing; it is left out"]);
    stage.click_on("a");
    let halted = stage.reports();
    assert!(halted.len() == 1 && halted[0].starts_with("main.interface:2: the script was halted:"), "{halted:?}");
    stage.click_on("b");
    assert_eq!(stage.reports(), ["main.interface: there is no widget `nowhere` here; nothing is done"]);
    stage.click_on("c");
    assert!(stage.reports()[0].contains("a handler cannot read objects of the world"));
}

#[test]
fn the_checker_knows_the_effects_of_interfaces() {
    let check = |handler: &str| {
        let text = format!("@interface\n!set widgets [{{ name \"a\", OnClick [ {handler} ] }}]");
        content(&[(MAIN, &text)]).1
    };
    assert_eq!(check("!Show(\"a\")"), [] as [String; 0]);
    assert!(check("!Show(3)")[0].contains("expected a string"), "{:?}", check("!Show(3)"));
    assert!(!check("!Spawn(\"ship\")").is_empty(), "effects of the world are not those of interfaces");
    assert!(!check("!Shwo(\"a\")").is_empty());
}

#[test]
fn interfaces_that_answer_each_other_end() {
    let mut stage = Stage::new(&[(
        MAIN,
        "@interface\n!set OnPing [ !Send(~this, \"ping\"), !Send(~this, \"ping\") ]\n!set OnOpen [ !Send(~this, \"ping\") ]",
    )]);
    assert_eq!(stage.reports(), ["interfaces answer each other without end; the rest of their messages is dropped"]);
}

#[test]
fn a_changed_tag_keeps_variables_and_widgets() {
    let first = "@interface\n!set count 1\n!set widgets [{ name \"a\", kind \"button\", size vec(10, 10), OnClick [ !set count count + 1 ] }, { name \"s\", kind \"slider\", offset vec(100, 0) }]";
    let mut stage = Stage::new(&[(MAIN, first)]);
    stage.click_on("a");
    stage.click_on("s");
    let second = first.replace("vec(10, 10)", "vec(20, 20)").replace("count + 1", "count + 10");
    let classes = common::classes();
    let mut reports = Vec::new();
    let new = common::ready(&classes, MAIN, &second, &mut reports);
    stage.content.apply([new]);
    stage.work(|gui, around| gui.reload(&[id(MAIN)], around));
    stage.update(0.0);
    stage.click_on("a");
    assert_eq!((stage.variable("count"), stage.rect("a").unwrap().max.x), (Answer::Number(12.0), 20.0));
    assert!(matches!(stage.draw().items.len(), 1..), "the slider is drawn");
}

#[test]
fn texts_are_in_the_language_of_the_player() {
    let mut stage = Stage::new(&[(
        MAIN,
        r#"@interface
!set hits 3
!set widgets [
    { name "a", kind "text", string "menu.play" },
    { name "b", kind "text", string "ship.hit", arguments [{ name "hits", value Lambda(hits) }] },
    { name "c", kind "text", bind { text Lambda(text("ship.hit", { damage hits })) } },
    { name "d", kind "text", string "menu.unknown" }]"#,
    )]);
    let texts: Vec<String> = stage.gui.visible().into_iter().map(|(.., text)| text).collect();
    assert_eq!(texts, ["Spielen", "hits: 3 Treffer", "damage: 3 Treffer", "menu.unknown"]);
    assert!(!stage.key(Key::Enter), "keys are the game's");
}

#[test]
fn a_list_shows_what_the_world_answers_and_follows_its_length() {
    let mut stage = Stage::of(
        r#"{ name "units", kind "list", bind { items Lambda(count_objects()) }, children [
            { name "unit", kind "text", bind { text Lambda(index) } } ] }"#,
    );
    let shown = |stage: &Stage| stage.gui.visible().iter().filter(|(name, ..)| name == "unit").count();
    for count in [3, 5, 0, 2] {
        let id = stage.gui.bindings()[0].id;
        let items = Answer::List((0..count).map(|number| Answer::Object(number + 1)).collect());
        stage.gui.answer(id, &items);
        stage.update(0.01);
        assert_eq!(shown(&stage), count as usize);
    }
    assert_eq!(stage.text("unit").as_deref(), Some("0"));
}

#[test]
fn the_player_is_the_one_of_the_world_whatever_the_place_on_this_machine() {
    let mut stage = Stage::of(r#"{ name "a", kind "text", bind { text Lambda(player) } }"#);
    let mut frame = Frame::new(0);
    for player in [0, 3] {
        let object = 100 + u32::from(player);
        frame.players.push(PlayerView { player, object, interface: id(MAIN), team: 1, ..PlayerView::default() });
    }
    (stage.frame, stage.player) = (Some(frame), 3);
    stage.update(0.01);
    stage.update(0.01);
    assert_eq!(stage.text("a").as_deref(), Some("#67"));
}

#[test]
fn ten_thousand_widgets_with_lambdas_are_one_list() {
    let row = |number: u32| {
        format!(
            "{{ name \"w{number}\", kind \"button\", size vec(9, 9), bind {{ text Lambda(n + {number}) }}, OnClick [ !set n {number} ] }}"
        )
    };
    let rows: Vec<String> = (0..10_000).map(row).collect();
    let text = format!(
        "@interface\n!set n 0\n!set widgets [{{ name \"all\", kind \"grid\", columns 100, gap 0, children [{}] }}]\n",
        rows.join(",\n")
    );
    let mut stage = Stage::new(&[(MAIN, &text)]);
    assert_eq!((stage.gui.visible().len(), stage.text("w9999").as_deref()), (10_001, Some("9999")));
    stage.click_on("w9999");
    assert_eq!(stage.text("w1").as_deref(), Some("10000"));
    assert_eq!(stage.reports(), [] as [String; 0]);
}

#[test]
fn interfaces_know_the_actions_of_the_controls_and_their_keys() {
    let controls = r#"@controls
!set prompts [{ input "pad south", text "cross" }]
!set actions [
    { name "fire", bindings [{ key "space" }, { pad "south" }] },
    { name "look_around", bindings [] },
    { name "drive", string "Drive!", bindings [] }
]"#;
    let (library, reports) = content(&[
        (
            MAIN,
            r#"@interface
!set widgets [
    { name "keys", kind "list", bind { items Lambda(controls) }, children [
        { name "row", kind "text", bind { text Lambda(item.inputs) } } ] },
    { name "first", kind "text", offset vec(0, 300), bind { text Lambda(controls[#1].title) } },
    { name "second", kind "text", offset vec(0, 350), bind { text Lambda(controls[#2].title) } }
]"#,
        ),
        ("a.controls", controls),
    ]);
    assert_eq!(reports, [] as [String; 0]);
    let mapping = gui::Mapping::read(&library, id("a.controls"), &mut gui::report::Reports::default());
    let names =
        gui::prompt::InputNames { mapping: &mapping, signs: &gui::KeySigns::default(), family: Default::default() };
    let prompt = |device| gui::prompt::prompt(names, id("fire"), device);
    assert_eq!(prompt(gui::DeviceKind::Keyboard).as_deref(), Some("Space"));
    assert_eq!(prompt(gui::DeviceKind::Pad).as_deref(), Some("cross"));
    assert_eq!(gui::prompt::prompt(names, id("jump"), gui::DeviceKind::Pad), None);
    let mut stage = Stage::with(library);
    stage.gui.set_controls(gui::prompt::actions(names, None));
    stage.update(0.01);
    assert_eq!(stage.text("row").as_deref(), Some("Space · cross"));
    assert_eq!(stage.text("first").as_deref(), Some("Look around"));
    assert_eq!(stage.text("second").as_deref(), Some("Drive!"), "an id without a text is shown as it is written");
    stage.gui.set_controls(gui::prompt::actions(names, Some(id("fire"))));
    stage.update(0.01);
    assert_eq!(stage.text("row").as_deref(), Some("…"));
}

#[test]
fn what_is_wrong_in_a_binding_of_the_world_is_reported_with_its_line() {
    let mut stage = Stage::of("\n{ name \"a\", kind \"text\", bind { text Lambda(player.hul * 2) } }");
    let mut frame = Frame::new(0);
    frame.players.push(PlayerView {
        player: 0,
        object: object(0),
        interface: id(MAIN),
        team: 1,
        ..PlayerView::default()
    });
    stage.frame = Some(frame);
    stage.update(0.01);
    let mut workspace = Workspace::default();
    let mut ask = |stage: &mut Stage, world: &dyn Outside| {
        stage.update(0.01);
        for binding in stage.gui.bindings().to_vec() {
            let answer = binding.evaluate(world, 0.0, &mut workspace);
            stage.gui.answer(binding.id, &answer);
            workspace.take_fault().iter().for_each(|fault| stage.gui.answer_fault(binding.id, fault));
        }
        stage.reports()
    };
    assert_eq!(ask(&mut stage, &hulls(&[])), [] as [String; 0], "an object that is gone is no mistake");
    let reports = ask(&mut stage, &hulls(&[4.0]));
    assert!(reports.len() == 1 && reports[0].starts_with("main.interface:3: "), "{reports:?}");
    assert_eq!(ask(&mut stage, &hulls(&[4.0])), [] as [String; 0], "it is reported once");
}

#[test]
fn what_is_shown_later_has_its_text_and_follows_the_language() {
    let mut stage = Stage::new(&[(
        MAIN,
        r#"@interface
!set page 1
!set widgets [
    { name "go", kind "button", text "go", OnClick [ !set page 2, !Show("sure") ] },
    { name "second", offset vec(0, 100), bind { visible Lambda(page = 2) }, children [{ name "play", kind "text", string "menu.play" }] },
    { name "sure", offset vec(0, 200), hidden true, children [{ name "yes", kind "button", text "yes" }] }
]"#,
    )]);
    assert_eq!((stage.text("play"), stage.text("yes")), (None, None));
    stage.click_on("go");
    assert_eq!((stage.text("play").as_deref(), stage.text("yes").as_deref()), (Some("Spielen"), Some("yes")));
    stage.gui.refresh_texts();
    stage.update(0.01);
    assert_eq!(stage.text("play").as_deref(), Some("Spielen"));
}

#[test]
fn bindings_beyond_the_limit_are_reported_once_with_their_place() {
    // Seven bindings for each of 3 × 4,000 items.
    let bind = "bind { value Lambda(count_objects()), enabled Lambda(count_objects() >= 0), text Lambda(count_objects()), \
                colour Lambda(if count_objects() > 1 then \"#fff\" else \"#000\"), visible Lambda(true) }, \
                string \"x\", arguments [{ name \"a\", value Lambda(count_objects()) }, { name \"b\", value Lambda(count_objects()) }]";
    let list =
        format!("{{ kind \"list\", bind {{ items Lambda(range(4000)) }}, children [\n{{ kind \"text\", {bind} }}] }}");
    let text = format!("@interface\n!set widgets [{list}, {list}, {list}]");
    let mut stage = Stage::new(&[(MAIN, &text)]);
    (0..3).for_each(|_| stage.update(0.1));
    assert_eq!(stage.gui.bindings().len(), gui::limits::BINDINGS_MAX);
    let reports = stage.reports();
    assert_eq!(reports.len(), 1, "{reports:?}");
    assert!(
        reports[0].starts_with("main.interface:5: the interfaces of a player show at most 65536 values"),
        "{reports:?}"
    );
    assert!(reports[0].contains("BINDINGS_MAX"));
}

#[test]
fn texts_have_names_in_braces() {
    let mut stage = Stage::new(&[(
        MAIN,
        r#"@interface
!set hull 1234.5
!set ship { name "Nelly", crew 3 }
!set is_open false
!set widgets [
    { name "a", kind "text", text "{hull} of 2,000, {ship.name} with {ship.crew}, {{hull}} {key_fire}" },
    { name "b", kind "text", bind { text "{ship.crew} aboard" } },
    { name "c", kind "text", bind { text Lambda(if is_open then "open" else ("shut: {hull}")) } },
    { name "d", kind "text", text "{player.hull}/{count}" },
    { name "list", kind "list", bind { items Lambda(["x", "y"]) }, children [
        { name "row", kind "text", text "{index}: {item}" }] }]
!set count Lambda(7)()"#,
    )]);
    assert_eq!(stage.text("a").as_deref(), Some("1234.50 of 2,000, Nelly with 3, {hull} {key_fire}"));
    assert_eq!(stage.text("b").as_deref(), Some("3 aboard"));
    assert_eq!(stage.text("c").as_deref(), Some("shut: 1234.50"));
    let rows = stage.gui.visible().into_iter().filter(|(name, ..)| name == "row").map(|(.., text)| text);
    assert_eq!(rows.collect::<Vec<String>>(), ["0: x", "1: y"]);
    // The world says what the player's object has.
    let bound = stage.gui.bindings().to_vec();
    assert_eq!(stage.reports(), [] as [String; 0]);
    assert!(bound.len() <= 1);
}

#[test]
fn an_unknown_name_in_braces_is_reported_where_it_stands() {
    let text = "@interface\n!set hull 3\n!set widgets [{ text \"{hul} {key_x} {item}\" }, { string \"{hul}\" }]";
    let (_, reports) = content(&[(MAIN, text)]);
    assert_eq!(reports.len(), 1, "{reports:?}");
    assert!(reports[0].contains("hul"), "{reports:?}");
    let classes = common::classes();
    let made = classes.get("interface").unwrap().pack_text(text);
    let span = made.reports[0].span;
    assert_eq!(&text[span.start as usize..span.end as usize], "hul");
}
