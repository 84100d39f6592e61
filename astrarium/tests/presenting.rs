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
use astrarium::relay::device::{DeviceEvent, Key, MouseButton, PadAxis, PadButton, PadFamily, TouchPhase};
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
    frame_with(players, presenter, publication, ahead, ([640, 400], &mut Squares))
}

/// The same in a picture of this size, with texts of these measures.
fn frame_with(
    players: &mut LocalPlayers,
    presenter: &mut Presenter,
    publication: &Publication,
    ahead: f32,
    (size, measure): ([u32; 2], &mut dyn TextMeasure),
) -> usize {
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
        size,
    };
    players.update(&input, &bulk, measure);
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

/// Letters about half as wide as high, in lines that are broken.
struct Letters;

impl TextMeasure for Letters {
    fn measure(&mut self, text: &str, style: &TextStyle, width: f32) -> Vec2 {
        let whole = text.chars().count() as f32 * style.size * 0.55;
        let lines = if style.wraps && whole > width { (whole / width.max(1.0)).ceil() } else { 1.0 };
        Vec2::new(if lines > 1.0 { width } else { whole }, lines * style.size * 1.2)
    }

    fn caret(&mut self, _: &str, style: &TextStyle, _: f32, _: usize) -> (Vec2, f32) {
        (Vec2::ZERO, style.size)
    }

    fn byte_at(&mut self, _: &str, _: &TextStyle, _: f32, _: Vec2) -> usize {
        0
    }
}

/// Moves the focus through a page of the menu. Each widget that can be used is brought into the picture; returns the last of them.
fn walk_through_page(players: &mut LocalPlayers, presenter: &mut Presenter, shown: &Shown, size: [u32; 2]) -> Vec<u64> {
    let publication = shown.publication();
    let mut seen = Vec::new();
    loop {
        frame_with(players, presenter, &publication, 0.0, (size, &mut Letters));
        let tree = players.access_tree(&publication.content, &mut Letters);
        if seen.contains(&tree.focus) {
            return seen;
        }
        let node = tree.nodes.iter().find(|node| node.id == tree.focus).expect("it is in the tree");
        let [left, top, right, bottom] = node.bounds;
        let is_seen = left >= -0.5 && top >= -0.5 && right <= size[0] as f32 + 0.5 && bottom <= size[1] as f32 + 0.5;
        assert!(is_seen && right > left && bottom > top, "{size:?}: {node:?}");
        seen.push(tree.focus);
        let tab = |is_down| DeviceEvent::Key { key: Key::Tab, is_down, is_repeat: false };
        players.handle(&tab(true), &publication.content, &mut Letters);
        players.handle(&tab(false), &publication.content, &mut Letters);
    }
}

#[test]
fn every_page_of_the_menu_can_be_used_at_every_size_of_interface_and_text() {
    let folder = Folder::new();
    let shown = Shown::new(&folder, GAME);
    let publication = shown.publication();
    for (size, scale, language) in [
        ([1920, 1080], 2.0, "de"),
        ([1920, 1080], 1.0, "en"),
        ([1280, 720], 2.0, "en"),
        ([1024, 768], 2.0, "de"),
        ([2560, 1080], 1.5, "de"),
    ] {
        let text = format!(
            "@settings\n!set access {{ interface_scale {scale}, text_scale {scale} }}\n!set language \"{language}\"\n"
        );
        let mut presenter = Presenter::new(Viewpoint::Players(vec![0]));
        let mut players = LocalPlayers::new(&[0], gui::Settings::from_text(&text).0);
        players.set_monitors(["left", "right"].map(String::from).into_iter());
        frame_with(&mut players, &mut presenter, &publication, 0.0, (size, &mut Letters));
        players.open_menu(&publication.content, &mut Letters);
        let mut widgets = walk_through_page(&mut players, &mut presenter, &shown, size);
        assert_eq!(widgets.len(), 6);
        // Settings, then picture, back, keys: the fifth button of the menu; of the settings, the last three.
        let mut counts = Vec::new();
        for back in [2, 3, 1, 2] {
            let place = if counts.is_empty() { 4 } else { widgets.len() - back };
            let click = DeviceEvent::Access { node: widgets[place], action: AccessAction::Click };
            players.handle(&click, &publication.content, &mut Letters);
            widgets = walk_through_page(&mut players, &mut presenter, &shown, size);
            counts.push(widgets.len());
        }
        assert_eq!((counts[0], counts[2], counts[3]), (12, 12, 3), "settings and keys");
        assert!(counts[1] > 15, "the page of the picture has {} widgets", counts[1]);
    }
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
    players.ask(0, gui::Request::Command { name: "rebind".into(), arguments: vec![gui::Answer::Words("go".into())] });
    players.take_requests();
    for key in [Key::LeftControl, Key::Digit1] {
        let down = DeviceEvent::Key { key, is_down: true, is_repeat: false };
        assert!(players.handle(&down, &publication.content, &mut Squares));
    }
    assert_eq!(players.settings().keys, [(String::from("go"), vec![String::from("key left_control + key 1")])]);
}

#[test]
fn what_an_interface_switched_off_stays_off_when_bindings_are_read_again() {
    let folder = Folder::new();
    let controls = "@controls\n!set contexts [{ name \"walk\" }]\n!set actions [{ name \"go\", context \"walk\", sends \"go\", \
                    fields [{ name \"far\", from \"number\", number 7 }], bindings [{ key \"space\" }] }]\n";
    let mut tags = GAME.to_vec();
    tags[3].1 = controls;
    let mut shown = Shown::new(&folder, &tags);
    let mut presenter = Presenter::new(Viewpoint::Players(vec![0]));
    let mut players = LocalPlayers::new(&[0], gui::Settings::default());
    let publication = shown.publication();
    let mut sent = |players: &mut LocalPlayers, presenter: &mut Presenter| {
        press(players, &publication, Key::Space);
        let frames = (0..12).map(|_| {
            shown.turn(10);
            frame(players, presenter, &shown.publication(), 0.0)
        });
        frames.sum::<usize>()
    };
    sent(&mut players, &mut presenter);
    assert_eq!(sent(&mut players, &mut presenter), 1);
    players.ask(0, gui::Request::Context { name: "walk".into(), is_on: false });
    players.take_requests();
    let (settings, _) = gui::Settings::from_text("@settings\n!set keys [{ action \"go\", inputs [\"key space\"] }]\n");
    players.replace_settings(settings);
    assert_eq!(sent(&mut players, &mut presenter), 0);
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
fn one_plays_with_the_mouse_while_another_has_the_gamepad() {
    let folder = Folder::new();
    let go = "{ name \"go\", sends \"go\", fields [{ name \"way\", from \"pointed_direction\" }], \
              bindings [{ mouse \"left\" }, { pad \"south\" }] }";
    let shown = pointing(&folder, go, "[{ object \"a.ship\" }, { object \"a.ship\", position vec(0, 90, 0) }]");
    let mut presenter = Presenter::new(Viewpoint::Players(vec![0, 1]));
    let mut players = LocalPlayers::new(&[0, 1], gui::Settings::default());
    let publication = shown.publication();
    frame(&mut players, &mut presenter, &publication, 0.0);
    let mut handle = |players: &mut LocalPlayers, event| {
        players.handle(&event, &publication.content, &mut Squares);
        frame(players, &mut presenter, &publication, 0.0)
    };
    let click = |is_down| DeviceEvent::MouseButton { button: MouseButton::Left, is_down };
    let south = |is_down| DeviceEvent::PadButton { pad: 2, button: PadButton::South, is_down };
    handle(&mut players, DeviceEvent::PointerMoved { x: 40.0, y: 40.0 });
    handle(&mut players, click(true));
    handle(&mut players, DeviceEvent::PointerMoved { x: 90.0, y: 20.0 });
    let dragged =
        |players: &LocalPlayers| players.first().and_then(|gui| Some((gui.drag_box("go".into())?, gui.scale())));
    let (area, scale) = dragged(&players).expect("a box is drawn from the press to the pointer");
    let place = |at: Vec2| [(at.x * scale).round(), (at.y * scale).round()];
    assert_eq!((place(area.min), place(area.max)), ([40.0, 20.0], [90.0, 40.0]));
    handle(&mut players, DeviceEvent::PointerMoved { x: 40.0, y: 40.0 });
    handle(&mut players, click(false));
    assert!(dragged(&players).is_none());
    let (pointed, keys) = (players.pointed().direction, players.keys());
    handle(&mut players, south(true));
    handle(&mut players, DeviceEvent::PadAxis { pad: 2, axis: PadAxis::LeftX, value: 1.0 });
    assert_eq!(players.pointed().direction, pointed, "the first player still points with the mouse");
    assert_eq!(players.keys(), keys, "and reads the names of its buttons");
    assert_eq!(keys, [(String::from("Go"), String::from("Left mouse button"))]);
    // Another gamepad is then the first player's, who points at the middle with it.
    handle(&mut players, DeviceEvent::PadButton { pad: 5, button: PadButton::South, is_down: true });
    assert_eq!(players.keys(), [(String::from("Go"), String::from("A"))]);
    assert_ne!(players.pointed().direction, pointed);
}

#[test]
fn keys_and_buttons_are_called_as_it_is_printed_on_them() {
    let folder = Folder::new();
    let go = "{ name \"go\", bindings [{ key \"z\" }, { pad \"south\" }] }";
    let shown = pointing(&folder, go, "[{ object \"a.ship\" }]");
    let mut presenter = Presenter::new(Viewpoint::Players(vec![0]));
    let mut players = LocalPlayers::new(&[0], gui::Settings::default());
    let publication = shown.publication();
    frame(&mut players, &mut presenter, &publication, 0.0);
    let called = |players: &LocalPlayers| players.keys()[0].1.clone();
    assert_eq!(called(&players), "Z");
    players.handle(&DeviceEvent::KeySign { key: Key::Z, sign: 'y' }, &publication.content, &mut Squares);
    assert!(players.take_settings_change() && !players.take_settings_change(), "it is kept");
    assert_eq!((called(&players).as_str(), players.settings().word("keyboard")), ("Y", "z=y"));
    let others = LocalPlayers::new(&[0], players.settings().clone());
    assert_eq!(others.settings().word("keyboard"), "z=y", "the next game knows it from the beginning");
    let connected = |pad, family| DeviceEvent::PadConnected { pad, name: String::from("pad"), family };
    let button = |pad| DeviceEvent::PadButton { pad, button: PadButton::South, is_down: true };
    for (event, expected) in [
        (connected(1, PadFamily::PlayStation), "Y"),
        (connected(2, PadFamily::Nintendo), "Y"),
        (button(1), "Cross"),
        (button(2), "B"),
        (button(3), "A"),
    ] {
        players.handle(&event, &publication.content, &mut Squares);
        assert_eq!(called(&players), expected, "{event:?}");
    }
}

#[test]
fn a_gamepad_that_goes_opens_the_menu_of_who_plays_with_it() {
    let folder = Folder::new();
    let shown = Shown::new(&folder, GAME);
    let mut presenter = Presenter::new(Viewpoint::Players(vec![0]));
    let mut players = LocalPlayers::new(&[0], gui::Settings::default());
    let publication = shown.publication();
    frame(&mut players, &mut presenter, &publication, 0.0);
    let button = DeviceEvent::PadButton { pad: 1, button: PadButton::South, is_down: true };
    for (reports, opens) in [
        (vec![DeviceEvent::PadDisconnected { pad: 0 }], false),
        (vec![button.clone(), DeviceEvent::PadDisconnected { pad: 0 }], false),
        (vec![DeviceEvent::PadDisconnected { pad: 1 }], true),
    ] {
        for report in reports {
            players.handle(&report, &publication.content, &mut Squares);
        }
        frame(&mut players, &mut presenter, &publication, 0.0);
        assert_eq!(players.is_menu_open(), opens);
    }
    press(&mut players, &publication, Key::Escape);
    players.handle(&button, &publication.content, &mut Squares);
    press(&mut players, &publication, Key::J);
    players.handle(&DeviceEvent::PadDisconnected { pad: 1 }, &publication.content, &mut Squares);
    assert!(!players.is_menu_open(), "the keyboard was used last");
}

#[test]
fn views_follow_each_other_and_come_back_to_the_split_screen() {
    let players = |players: &[u16]| Viewpoint::Players(players.to_vec());
    let round = |first: Viewpoint, own: &[u16], count: usize| {
        let mut seen = vec![first];
        (1..count).for_each(|_| seen.push(seen[seen.len() - 1].next(own, 3)));
        seen
    };
    let split = [players(&[0, 1]), players(&[0]), players(&[1]), players(&[2]), Viewpoint::Overview, players(&[0, 1])];
    assert_eq!(round(players(&[0, 1]), &[0, 1], 6), split);
    assert_eq!(round(players(&[2]), &[2], 3), [players(&[2]), Viewpoint::Overview, players(&[0])]);
    assert_eq!(Viewpoint::Overview.next(&[], 0), Viewpoint::Overview);
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
