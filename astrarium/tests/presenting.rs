//! From publications to pictures and from keys to events, without a window.

use crate::common;

use std::collections::BTreeMap;
use std::sync::Arc;

use astrarium::base::{StringId, Vec2, Vec3};
use astrarium::bulk_reader::BulkReader;
use astrarium::film::Moment;
use astrarium::local_players::{InterfaceUpdate, LocalPlayers};
use astrarium::presenter::{PictureInput, Presenter, ShownScene, Viewpoint};
use astrarium::publication::Publication;
use astrarium::relay::access::{AccessAction, AccessRole};
use astrarium::relay::device::{DeviceEvent, Key, PadAxis, PadButton, TouchPhase};
use astrarium::relay::table::FieldValue;
use astrarium::runner::Command;
use astrarium::tags::Library;
use astrarium::view::{Frame, Instance, Shape, ShapeCatalogue, TextMeasure, TextStyle};
use astrarium::{bindings, gui};
use common::Folder;
use common::shown::Shown;

/// Every letter is a square.
struct Squares;

impl TextMeasure for Squares {
    fn measure(&mut self, text: &str, style: &TextStyle, _: f32) -> Vec2 {
        Vec2::new(text.chars().count() as f32 * style.size, style.size)
    }

    fn caret(&mut self, text: &str, style: &TextStyle, _: f32, byte: usize) -> (Vec2, f32) {
        (Vec2::new(byte.min(text.len()) as f32 * style.size, 0.0), style.size)
    }

    fn byte_at(&mut self, _: &str, _: &TextStyle, _: f32, _: Vec2) -> usize {
        0
    }
}

/// A game with one ship that flies along, which its player can send elsewhere.
const GAME: &[(&str, &str)] = &[
    (
        "ship.header",
        "@EnvironmentHeader\n!set Namespace \"ship\"\n!set Base \"object\"\n!set Attributes [{ name \"orders\", type \"number\", state true, default 0 }]\n",
    ),
    ("a.ship", "@ship\n!set velocity vec(10, 0, 0)\n!set OnGo Lambda(far, !set orders orders + far)\n"),
    ("a.events", "@events\n!set kinds [{ name \"go\", fields [{ name \"far\", kind \"number\", min 0, max 100 }] }]\n"),
    (
        "player.controls",
        "@controls\n!set actions [{ name \"go\", sends \"go\", fields [{ name \"far\", from \"number\", number 7 }], bindings [{ key \"space\" }] }]\n",
    ),
    (
        "levels/a.scenario",
        "@scenario\n!set objects_max 32\n!set events \"a.events\"\n!set players [{ object \"a.ship\" }]\n",
    ),
];

/// The ship, and how far it was sent.
fn ship(shown: &mut Shown) -> (u32, String) {
    let session = shown.world.shown();
    let rows = session.game().objects(session.world(), 10);
    let ship = rows.iter().find(|row| row.tag == "a.ship").expect("it was placed").object;
    let variables = session.game().variables(session.world(), ship);
    (ship, variables.into_iter().find(|it| it.name == "orders").map(|it| it.value).expect("it has the variable"))
}

/// Shows one frame: the events that leave for the world.
fn frame(players: &mut LocalPlayers, presenter: &mut Presenter, publication: &Publication, ahead: f32) -> usize {
    let bulk = BulkReader::new(Arc::clone(publication.blocks.as_ref().expect("it has a cache")));
    let scene = ShownScene {
        frame: &publication.frame,
        content: &publication.content,
        catalogue: &publication.catalogue,
        bulk: &bulk,
        ahead,
    };
    let cameras = players.cameras();
    presenter.advance(&scene, &PictureInput { seconds: 0.016, aspect: 1.6, cameras });
    let input = InterfaceUpdate {
        content: &publication.content,
        shown: presenter.shown(),
        meshes: presenter.meshes(),
        views: presenter.views(),
        seconds: 0.016,
        size: [640, 400],
    };
    players.update(&input, &bulk, &mut Squares);
    let events = players.take_events(publication, &input, ahead);
    assert_eq!(players.take_reports(), Vec::<String>::new());
    events.values().map(Vec::len).sum()
}

#[test]
fn a_key_press_becomes_one_event_that_its_unit_receives() {
    let folder = Folder::new();
    let mut shown = Shown::new(&folder, GAME);
    let mut presenter = Presenter::new(Viewpoint::Players(vec![0]));
    let mut players = LocalPlayers::new(&[0], gui::Settings::default());
    let publication = shown.publication();
    frame(&mut players, &mut presenter, &publication, 0.0);
    let key = |is_down| DeviceEvent::Key { key: Key::Space, is_down, is_repeat: false };
    // Pressed and released between two safe cycles: it counts once.
    players.handle(&key(true), &publication.content, &mut Squares);
    players.handle(&key(false), &publication.content, &mut Squares);
    let mut sent = 0;
    for _ in 0..20 {
        let publication = shown.publication();
        let bulk = BulkReader::new(Arc::clone(publication.blocks.as_ref().expect("it has a cache")));
        let scene = ShownScene {
            frame: &publication.frame,
            content: &publication.content,
            catalogue: &publication.catalogue,
            bulk: &bulk,
            ahead: 0.0,
        };
        presenter.advance(&scene, &PictureInput { seconds: 0.01, aspect: 1.6, ..PictureInput::default() });
        let input = InterfaceUpdate {
            content: &publication.content,
            shown: presenter.shown(),
            meshes: presenter.meshes(),
            views: presenter.views(),
            seconds: 0.01,
            size: [640, 400],
        };
        players.update(&input, &bulk, &mut Squares);
        for (player, events) in players.take_events(&publication, &input, 0.0) {
            let table = publication.events.as_ref().expect("the level has a table");
            let fields: Vec<FieldValue> = table.read(&events[0]).map(|(_, value)| value).collect();
            assert_eq!((player, fields), (0, vec![FieldValue::Number(7.0)]));
            sent += events.len();
            shown.commands.send(Command::Deliver { player, events }).expect("there is room");
        }
        shown.turn(10);
    }
    let lines = &shown.publication().status.lines;
    assert_eq!((sent, ship(&mut shown).1.as_str()), (1, "7"), "{lines:?}");
}

#[test]
fn nothing_is_sent_while_time_stands_still() {
    let folder = Folder::new();
    let mut shown = Shown::new(&folder, GAME);
    let mut presenter = Presenter::new(Viewpoint::Players(vec![0]));
    let mut players = LocalPlayers::new(&[0], gui::Settings::default());
    shown.commands.send(Command::Pause).expect("there is room");
    shown.turn(0);
    let publication = shown.publication();
    frame(&mut players, &mut presenter, &publication, 0.0);
    let key = DeviceEvent::Key { key: Key::Space, is_down: true, is_repeat: false };
    players.handle(&key, &publication.content, &mut Squares);
    for _ in 0..20 {
        shown.turn(50);
        assert_eq!(frame(&mut players, &mut presenter, &shown.publication(), 0.0), 0);
    }
}

#[test]
fn what_is_shown_moves_between_cycles_and_is_what_was_after_a_seek() {
    let folder = Folder::new();
    let mut shown = Shown::new(&folder, GAME);
    let mut presenter = Presenter::new(Viewpoint::Players(vec![0]));
    let mut players = LocalPlayers::new(&[0], gui::Settings::default());
    while shown.publication().status.cycle < 100 {
        shown.turn(10);
        frame(&mut players, &mut presenter, &shown.publication(), 0.0);
    }
    let (ship, _) = ship(&mut shown);
    let place = |presenter: &Presenter| presenter.shown().instance_of(ship).map(|it| it.position).unwrap_or_default();
    let before = place(&presenter);
    frame(&mut players, &mut presenter, &shown.publication(), 0.005);
    assert!((place(&presenter).x - before.x - 0.05).abs() < 1e-3, "ten metres per second for five milliseconds");
    let eye = presenter.views()[0].position;
    assert!(eye.is_finite() && eye.distance(before) < 100.0, "the camera follows: {eye:?}");
    shown.commands.send(Command::Pause).expect("there is room");
    shown.commands.send(Command::Seek(Moment::at(20))).expect("there is room");
    shown.turn(0);
    frame(&mut players, &mut presenter, &shown.publication(), 0.0);
    let truth = shown.publication().frame.instance_of(ship).expect("it was there").position;
    assert_eq!(place(&presenter), truth, "nothing of the abandoned future is blended in");
    assert!(truth.x < before.x - 5.0);
}

#[test]
fn any_frame_gives_finite_cameras() {
    let mut presenter = Presenter::new(Viewpoint::Players(vec![0, 1, 2, 3]));
    let (content, catalogue) = (Library::new(), ShapeCatalogue::default());
    let mut frame = Frame::new(0);
    let bulk = BulkReader::new(Arc::clone(astrarium::Content::none().blocks()));
    for round in 0..4_u16 {
        frame.instances.push(Instance::new(u32::from(round) + 1, Shape::None, Vec3::X * 1e30 * f32::from(round)));
        frame.sky = StringId::new("no such sky");
        frame.moment.epoch = u32::from(round / 2);
        let scene =
            ShownScene { frame: &frame, content: &content, catalogue: &catalogue, bulk: &bulk, ahead: f32::NAN };
        presenter.advance(&scene, &PictureInput { seconds: f32::INFINITY, aspect: 0.0, ..PictureInput::default() });
        assert_eq!(presenter.views().len(), 4);
        assert!(presenter.views().iter().all(|view| view.position.is_finite() && view.orientation.is_finite()));
        assert_eq!(presenter.listeners(0.0).len(), 4);
    }
}

fn press(players: &mut LocalPlayers, publication: &Publication, key: Key) -> bool {
    let event = |is_down| DeviceEvent::Key { key, is_down, is_repeat: false };
    let is_used = players.handle(&event(true), &publication.content, &mut Squares);
    players.handle(&event(false), &publication.content, &mut Squares);
    is_used
}

#[test]
fn escape_opens_the_menu_which_leaves_nothing_to_the_game() {
    let folder = Folder::new();
    let shown = Shown::new(&folder, GAME);
    let mut presenter = Presenter::new(Viewpoint::Players(vec![0]));
    let mut players = LocalPlayers::new(&[0], gui::Settings::default());
    let publication = shown.publication();
    frame(&mut players, &mut presenter, &publication, 0.0);
    assert!(press(&mut players, &publication, Key::Escape) && players.is_menu_open());
    frame(&mut players, &mut presenter, &publication, 0.0);
    assert!(press(&mut players, &publication, Key::Space), "the focused button is used");
    assert_eq!(frame(&mut players, &mut presenter, &publication, 0.0), 0, "nothing is sent");
    assert!(!players.is_menu_open(), "the first button resumes");
    press(&mut players, &publication, Key::Escape);
    press(&mut players, &publication, Key::Escape);
    assert!(!players.is_menu_open());
}

#[test]
fn a_screen_reader_reads_the_menu_and_presses_its_buttons() {
    let folder = Folder::new();
    let shown = Shown::new(&folder, GAME);
    let mut presenter = Presenter::new(Viewpoint::Players(vec![0]));
    let mut players = LocalPlayers::new(&[0], gui::Settings::default());
    let publication = shown.publication();
    frame(&mut players, &mut presenter, &publication, 0.0);
    press(&mut players, &publication, Key::Escape);
    frame(&mut players, &mut presenter, &publication, 0.0);
    let tree = players.access_tree(&publication.content, &mut Squares);
    let button = tree.nodes.iter().find(|node| node.role == AccessRole::Button).expect("the menu has buttons");
    assert_eq!((button.name.as_str(), button.is_focusable), ("Resume", true));
    let ask = |players: &mut LocalPlayers, action| {
        let event = DeviceEvent::Access { node: button.id, action };
        players.handle(&event, &publication.content, &mut Squares)
    };
    assert!(ask(&mut players, AccessAction::Focus));
    frame(&mut players, &mut presenter, &publication, 0.0);
    assert_eq!(players.access_tree(&publication.content, &mut Squares).focus, button.id);
    assert!(ask(&mut players, AccessAction::Click));
    assert_eq!(frame(&mut players, &mut presenter, &publication, 0.0), 0, "nothing is sent to the world");
    assert!(!players.is_menu_open(), "it does what a click does");
}

#[test]
fn keys_are_changed_while_the_game_runs_and_kept_in_the_settings() {
    let folder = Folder::new();
    let shown = Shown::new(&folder, GAME);
    let mut presenter = Presenter::new(Viewpoint::Players(vec![0]));
    let mut players = LocalPlayers::new(&[0], gui::Settings::default());
    let publication = shown.publication();
    frame(&mut players, &mut presenter, &publication, 0.0);
    let action = publication.content.of_base("controls").len();
    assert_eq!(action, 1, "the game has controls");
    players.ask(0, gui::Request::Command { name: "rebind".into(), arguments: vec![gui::Answer::Words("go".into())] });
    assert_eq!(players.take_requests(), []);
    assert!(press(&mut players, &publication, Key::J));
    assert!(players.take_settings_change() && !players.take_settings_change());
    assert_eq!(players.settings().keys, [(String::from("go"), vec![String::from("key j")])]);
    assert_eq!(players.take_reports(), Vec::<String>::new());
    players
        .ask(0, gui::Request::Command { name: "rebind".into(), arguments: vec![gui::Answer::Words("dance".into())] });
    players.take_requests();
    assert_eq!(players.take_reports().len(), 1, "there is no such action");
    players.ask(0, gui::Request::Command { name: "reset_keys".into(), arguments: Vec::new() });
    players.take_requests();
    assert!(players.settings().keys.is_empty() && players.take_settings_change());
}

#[test]
fn ten_thousand_widgets_show_values_of_the_world() {
    let folder = Folder::new();
    let list = |name: &str, count: u32| {
        format!(
            "{{ name \"{name}\", kind \"list\", bind {{ items Lambda(range({count})) }}, children [\n\
             {{ name \"of_{name}\", kind \"text\", bind {{ text Lambda(player.orders + item) }} }}] }}"
        )
    };
    let hud = format!("@interface\n!set widgets [{}, {}, {}]\n", list("a", 4000), list("b", 4000), list("c", 2000));
    let level = GAME[4].1.replace("@scenario\n", "@scenario\n!set interface \"hud.interface\"\n");
    let mut tags = GAME.to_vec();
    tags[4].1 = &level;
    tags.push(("hud.interface", &hud));
    let mut shown = Shown::new(&folder, &tags);
    let (extractor, mut reader) = bindings::bindings();
    shown.world.connect(Box::new(extractor));
    let mut presenter = Presenter::new(Viewpoint::Players(vec![0]));
    let mut players = LocalPlayers::new(&[0], gui::Settings::default());
    let mut answered = BTreeMap::new();
    // The first picture makes the items of lists, the second asks for their texts. Five publications lie between two pictures, as many
    // as the turns in which ten thousand are evaluated.
    for _ in 0..8 {
        frame(&mut players, &mut presenter, &shown.publication(), 0.0);
        reader.want(players.bindings());
        (0..5).for_each(|_| shown.turn(10));
        let answers = reader.take().expect("the world answers for each picture");
        assert!(answers.len() <= 2048, "the world does not stop for an interface");
        answered.extend(answers.iter().map(|answer| (answer.id, answer.answer.number())));
        players.answer(answers);
    }
    frame(&mut players, &mut presenter, &shown.publication(), 0.0);
    assert_eq!(answered.len(), 10_000, "all are answered");
    assert_eq!(answered.values().flatten().sum::<f64>(), 2.0 * 3999.0 * 2000.0 + 1999.0 * 1000.0);
    let gui = players.first().expect("there is a player");
    let texts: Vec<String> =
        gui.visible().into_iter().filter(|(name, ..)| name == "of_c").map(|(.., text)| text).collect();
    assert_eq!((texts.len(), texts[1999].as_str()), (2000, "1999"));
}

#[test]
fn settings_that_were_edited_in_their_file_are_followed() {
    let folder = Folder::new();
    let shown = Shown::new(&folder, GAME);
    let mut presenter = Presenter::new(Viewpoint::Players(vec![0]));
    let mut players = LocalPlayers::new(&[0], gui::Settings::default());
    let publication = shown.publication();
    frame(&mut players, &mut presenter, &publication, 0.0);
    let text = "@settings\n!set picture { quality \"low\", brightness 1.5 }\n!set access { flash 0 }\n\
                !set keys [{ action \"go\", inputs [\"key j\"] }]\n";
    let (settings, reports) = gui::Settings::from_text(text);
    assert_eq!(reports, []);
    players.replace_settings(settings);
    assert!(!players.take_settings_change(), "the file is not written back");
    assert_eq!(players.settings().picture().brightness, 1.5);
    frame(&mut players, &mut presenter, &publication, 0.0);
    assert_eq!(players.settings().keys, [(String::from("go"), vec![String::from("key j")])]);
    assert_eq!(players.take_reports(), Vec::<String>::new());
}

/// The game, whose level ends after half a second, with these tags in addition.
fn ending(folder: &Folder, more: &[(&str, &str)]) -> Shown {
    let mut tags: Vec<(&str, &str)> = GAME.iter().copied().filter(|(path, _)| !path.starts_with("levels")).collect();
    tags.push((
        "levels/a.scenario",
        "@scenario\n!set objects_max 32\n!set events \"a.events\"\n!set players [{ object \"a.ship\" }]\n\
         !set interface \"hud.interface\"\n!set OnSpawn Lambda(!After(500, [ !EndLevel(\"lost\") ]))\n",
    ));
    tags.extend(more);
    Shown::new(folder, &tags)
}

/// Shows frames until the level has ended, and one more.
fn show_to_the_end(shown: &mut Shown, players: &mut LocalPlayers) {
    let mut presenter = Presenter::new(Viewpoint::Players(vec![0]));
    for _ in 0..100 {
        let publication = shown.publication();
        frame(players, &mut presenter, &publication, 0.0);
        let result = publication.status.result.clone();
        players.follow_ending(result.as_deref(), &publication.content, &mut Squares);
        if result.is_some() {
            return;
        }
        shown.turn(10);
    }
    panic!("it did not end");
}

#[test]
fn a_level_that_ends_opens_a_panel_from_which_it_is_restarted() {
    let folder = Folder::new();
    let hud = ("hud.interface", "@interface\n!set widgets [{ name \"a\", kind \"text\", text \"A\" }]\n");
    let mut shown = ending(&folder, &[hud]);
    let mut players = LocalPlayers::new(&[0], gui::Settings::default());
    show_to_the_end(&mut shown, &mut players);
    assert!(players.is_menu_open() && shown.publication().status.is_paused);
    assert_eq!(shown.publication().status.result.as_deref(), Some("lost"));
    // The first button has the focus.
    let publication = shown.publication();
    for is_down in [true, false] {
        let enter = DeviceEvent::Key { key: Key::Enter, is_down, is_repeat: false };
        players.handle(&enter, &publication.content, &mut Squares);
    }
    frame(&mut players, &mut Presenter::new(Viewpoint::Players(vec![0])), &publication, 0.0);
    let asked = players.take_requests();
    let is_restart =
        |request: &gui::Request| matches!(request, gui::Request::Command { name, .. } if name == "restart");
    assert!(asked.iter().any(|(_, request)| is_restart(request)), "{asked:?}");
    let ended_at = publication.status.cycle;
    shown.send(Command::Restart);
    shown.run_to(ended_at + 20);
    let publication = shown.publication();
    players.follow_ending(publication.status.result.as_deref(), &publication.content, &mut Squares);
    assert!(!players.is_menu_open() && !publication.status.is_paused, "it runs again");
}

#[test]
fn a_game_that_handles_the_end_shows_its_own_panel() {
    let folder = Folder::new();
    let hud = (
        "hud.interface",
        "@interface\n!set ended \"\"\n!set OnOver Lambda(result, !set ended result)\n\
         !set widgets [{ name \"a\", kind \"text\", bind { text Lambda(ended) } }]\n",
    );
    let mut shown = ending(&folder, &[hud]);
    let mut players = LocalPlayers::new(&[0], gui::Settings::default());
    show_to_the_end(&mut shown, &mut players);
    assert!(!players.is_menu_open());
    let ended = players.first().map(|gui| gui.variable(StringId::new("hud.interface"), "ended"));
    assert_eq!(ended, Some(gui::Answer::String(StringId::new("lost"))));
}

#[test]
fn an_event_that_the_level_does_not_know_is_named() {
    let folder = Folder::new();
    let mut tags: Vec<(&str, &str)> = GAME.iter().copied().filter(|(path, _)| *path != "player.controls").collect();
    let controls = "@controls\n!set actions [{ name \"go\", sends \"going\", bindings [{ key \"space\" }] }]\n";
    tags.push(("player.controls", controls));
    let mut shown = Shown::new(&folder, &tags);
    let mut presenter = Presenter::new(Viewpoint::Players(vec![0]));
    let mut players = LocalPlayers::new(&[0], gui::Settings::default());
    let publication = shown.publication();
    frame(&mut players, &mut presenter, &publication, 0.0);
    let space = DeviceEvent::Key { key: Key::Space, is_down: true, is_repeat: false };
    players.handle(&space, &publication.content, &mut Squares);
    shown.turn(50);
    let publication = shown.publication();
    let bulk = BulkReader::new(Arc::clone(publication.blocks.as_ref().expect("it has a cache")));
    let input = InterfaceUpdate {
        content: &publication.content,
        shown: presenter.shown(),
        meshes: presenter.meshes(),
        views: presenter.views(),
        seconds: 0.05,
        size: [640, 400],
    };
    players.update(&input, &bulk, &mut Squares);
    assert!(players.take_events(&publication, &input, 0.0).is_empty());
    let reports = players.take_reports();
    assert!(
        matches!(&reports[..], [one] if one.contains("player.controls") && one.contains("the event `going` was not sent")),
        "{reports:?}"
    );
}

/// The game with these controls, whose event carries what the player points at.
fn pointing(folder: &Folder, actions: &str, players: &str) -> Shown {
    let controls = format!("@controls\n!set actions [{actions}]\n");
    let level = GAME[4].1.replace("[{ object \"a.ship\" }]", players);
    let tags: Vec<(&str, &str)> = GAME
        .iter()
        .map(|(path, text)| match *path {
            "player.controls" => (*path, controls.as_str()),
            "a.events" => (
                *path,
                "@events\n!set kinds [{ name \"go\", fields [{ name \"way\", kind \"vector\", min -1, max 1 }] }]\n",
            ),
            "levels/a.scenario" => (*path, level.as_str()),
            _ => (*path, *text),
        })
        .collect();
    Shown::new(folder, &tags)
}

#[test]
fn the_pointer_is_held_while_the_mouse_turns_and_no_menu_wants_it() {
    let folder = Folder::new();
    let look =
        "{ name \"camera_look_x\", bindings [{ motion \"x\" }] }, { name \"zoom\", bindings [{ motion \"wheel_y\" }] }";
    for (actions, is_held) in [(look, true), ("{ name \"zoom\", bindings [{ motion \"wheel_y\" }] }", false)] {
        let shown = pointing(&folder, actions, "[{ object \"a.ship\" }]");
        let mut presenter = Presenter::new(Viewpoint::Players(vec![0]));
        let mut players = LocalPlayers::new(&[0], gui::Settings::default());
        let publication = shown.publication();
        frame(&mut players, &mut presenter, &publication, 0.0);
        assert_eq!(players.holds_pointer(), is_held, "{actions}");
        press(&mut players, &publication, Key::Escape);
        frame(&mut players, &mut presenter, &publication, 0.0);
        assert!(!players.holds_pointer(), "the menu is pointed at");
        press(&mut players, &publication, Key::Escape);
        frame(&mut players, &mut presenter, &publication, 0.0);
        assert_eq!(players.holds_pointer(), is_held);
        // A pointer that is held is nowhere: the middle of the view is pointed at.
        let ahead = presenter.views()[0].orientation.rotate(Vec3::X);
        assert_eq!(players.pointed().direction.distance(ahead) < 1e-4, is_held);
    }
}

#[test]
fn each_of_two_players_of_a_screen_points_from_its_own_view() {
    let folder = Folder::new();
    let go = "{ name \"go\", sends \"go\", fields [{ name \"way\", from \"camera_direction\" }], bindings [{ pad \"south\" }] },
              { name \"camera_turn_x\", bindings [{ axis \"right_x\" }] }";
    let both = "[{ object \"a.ship\" }, { object \"a.ship\", position vec(0, 90, 0) }]";
    let mut shown = pointing(&folder, go, both);
    let mut presenter = Presenter::new(Viewpoint::Players(vec![0, 1]));
    let mut players = LocalPlayers::new(&[0, 1], gui::Settings::default());
    let mut sent = BTreeMap::new();
    let turn = DeviceEvent::PadAxis { pad: 1, axis: PadAxis::RightX, value: 1.0 };
    for round in 0..42 {
        let publication = shown.publication();
        let bulk = BulkReader::new(Arc::clone(publication.blocks.as_ref().expect("it has a cache")));
        let scene = ShownScene {
            frame: &publication.frame,
            content: &publication.content,
            catalogue: &publication.catalogue,
            bulk: &bulk,
            ahead: 0.0,
        };
        let cameras = players.cameras();
        presenter.advance(&scene, &PictureInput { seconds: 0.01, aspect: 1.6, cameras });
        let input = InterfaceUpdate {
            content: &publication.content,
            shown: presenter.shown(),
            meshes: presenter.meshes(),
            views: presenter.views(),
            seconds: 0.01,
            size: [640, 400],
        };
        players.update(&input, &bulk, &mut Squares);
        for (player, events) in players.take_events(&publication, &input, 0.0) {
            let table = publication.events.as_ref().expect("the level has a table");
            let way = table.read(&events[0]).find_map(|(_, value)| match value {
                FieldValue::Vector(way) => Some(way),
                _ => None,
            });
            let eye = presenter.views()[usize::from(player)].orientation.rotate(Vec3::X);
            assert!(way.is_some_and(|way| way.distance(eye) < 0.02), "player {player}: {way:?}, expected {eye:?}");
            sent.insert(player, way);
        }
        assert_eq!(players.take_reports(), Vec::<String>::new());
        let press = |pad, is_down| DeviceEvent::PadButton { pad, button: PadButton::South, is_down };
        // The first press says whose the gamepad is; then the second player turns, and both send.
        let reports = match round {
            1 => vec![press(0, true), press(1, true)],
            2 => vec![press(0, false), press(1, false), turn.clone()],
            30 => vec![press(0, true), press(1, true)],
            _ => Vec::new(),
        };
        for report in reports {
            players.handle(&report, &publication.content, &mut Squares);
        }
        shown.turn(10);
    }
    let ways: Vec<_> = sent.values().flatten().collect();
    assert!(ways.len() == 2 && ways[0].distance(*ways[1]) > 0.5, "they look in two directions: {sent:?}");
}

#[test]
fn a_touch_on_the_world_is_a_click_there_and_a_drag_moves_the_camera() {
    let folder = Folder::new();
    let go = "{ name \"go\", sends \"go\", fields [{ name \"way\", from \"pointed_direction\" }], bindings [{ mouse \"left\" }] }";
    let mut shown = pointing(&folder, go, "[{ object \"a.ship\" }]");
    let mut presenter = Presenter::new(Viewpoint::Players(vec![0]));
    let mut players = LocalPlayers::new(&[0], gui::Settings::default());
    let touch = |players: &mut LocalPlayers, shown: &Shown, phase, x: f32| {
        let event = DeviceEvent::Touch { finger: 7, phase, x, y: 100.0 };
        players.handle(&event, &shown.publication().content, &mut Squares)
    };
    let mut sent = 0;
    for round in 0..12 {
        sent += frame(&mut players, &mut presenter, &shown.publication(), 0.0);
        if round == 1 {
            touch(&mut players, &shown, TouchPhase::Began, 600.0);
            touch(&mut players, &shown, TouchPhase::Ended, 602.0);
        }
        shown.turn(10);
    }
    assert_eq!(sent, 1);
    let right = presenter.views()[0].orientation.rotate(-Vec3::Y);
    assert!(players.pointed().direction.dot(right) > 0.3, "it points where the finger was");
    let before = presenter.views()[0].orientation;
    touch(&mut players, &shown, TouchPhase::Began, 100.0);
    touch(&mut players, &shown, TouchPhase::Moved, 200.0);
    (0..2).for_each(|_| sent += frame(&mut players, &mut presenter, &shown.publication(), 0.0));
    assert!(presenter.views()[0].orientation.angle_to(before) > 0.1, "the camera turns");
    touch(&mut players, &shown, TouchPhase::Ended, 200.0);
    for _ in 0..12 {
        shown.turn(10);
        sent += frame(&mut players, &mut presenter, &shown.publication(), 0.0);
    }
    assert_eq!(sent, 1, "a drag is no click");
}

#[test]
fn the_post_effect_of_a_camera_follows_the_variables_of_its_player_object() {
    let folder = Folder::new();
    let mut tags: Vec<(&str, &str)> = GAME.iter().copied().filter(|(path, _)| *path != "a.ship").collect();
    tags.push((
        "a.ship",
        "@ship\n!set camera \"a.camera\"\n!set orders 4\n!set OnGo Lambda(far, !set orders orders + far)\n",
    ));
    tags.push(("a.camera", "@camera\n!set kind \"orbit\"\n!set post_effect \"tired.post_effect\"\n"));
    tags.push((
        "tired.post_effect",
        "@post_effect\n!set orders 0\n!set saturation Lambda(1 - orders / 16)\n!set contrast 1.5\n!set vignette Lambda(orders / 0)\n",
    ));
    let mut shown = Shown::new(&folder, &tags);
    let mut presenter = Presenter::new(Viewpoint::Players(vec![0]));
    let mut players = LocalPlayers::new(&[0], gui::Settings::default());
    frame(&mut players, &mut presenter, &shown.publication(), 0.0);
    let post = presenter.views()[0].post;
    assert_eq!((post.saturation, post.contrast, post.light), (0.75, 1.5, 1.0));
    assert_eq!(post.vignette.1, 0.0, "a lambda that fails has its usual value");
    let publication = shown.publication();
    press(&mut players, &publication, Key::Space);
    for _ in 0..20 {
        let publication = shown.publication();
        let bulk = BulkReader::new(Arc::clone(publication.blocks.as_ref().expect("it has a cache")));
        let scene = ShownScene {
            frame: &publication.frame,
            content: &publication.content,
            catalogue: &publication.catalogue,
            bulk: &bulk,
            ahead: 0.0,
        };
        presenter.advance(&scene, &PictureInput { seconds: 0.01, aspect: 1.6, ..PictureInput::default() });
        let input = InterfaceUpdate {
            content: &publication.content,
            shown: presenter.shown(),
            meshes: presenter.meshes(),
            views: presenter.views(),
            seconds: 0.01,
            size: [640, 400],
        };
        players.update(&input, &bulk, &mut Squares);
        for (player, events) in players.take_events(&publication, &input, 0.0) {
            shown.commands.send(Command::Deliver { player, events }).expect("there is room");
        }
        shown.turn(10);
    }
    frame(&mut players, &mut presenter, &shown.publication(), 0.0);
    assert_eq!(presenter.views()[0].post.saturation, 0.3125, "seven orders more");
}
