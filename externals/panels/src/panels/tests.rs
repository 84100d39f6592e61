//! Panels without a window: what they draw, and which commands they give.

use astrarium::status::Status;
use astrarium::view::Frame;

use super::*;

static NO_TAGS: std::sync::LazyLock<astrarium::tags::Library> = std::sync::LazyLock::new(astrarium::tags::Library::new);

fn view<'a>(status: &'a Status, frame: &'a Frame, seconds: f64) -> OverlayInput<'a> {
    OverlayInput {
        size: [1280, 720],
        scale: 1.0,
        seconds,
        frame_seconds: 0.016,
        status,
        frame,
        content: &NO_TAGS,
        pointed: 0,
        passes: &[],
    }
}

fn key(key: Key) -> DeviceEvent {
    DeviceEvent::Key { key, is_down: true, is_repeat: false }
}

/// The panels after a click at a place, and what they then want.
fn click(panels: &mut Panels, status: &Status, frame: &Frame, (x, y): (f32, f32), seconds: &mut f64) -> Vec<Command> {
    let mut commands = Vec::new();
    for is_down in [true, false] {
        panels.event(&DeviceEvent::PointerMoved { x, y });
        panels.event(&DeviceEvent::MouseButton { button: astrarium::relay::device::MouseButton::Left, is_down });
        *seconds += 0.02;
        panels.draw(&view(status, frame, *seconds), &mut commands);
    }
    commands
}

#[test]
fn closed_panels_take_no_events_and_draw_nothing() {
    let (mut panels, status, frame) = (Panels::new(), Status::default(), Frame::new(0));
    let mut commands = Vec::new();
    assert!(!panels.event(&key(Key::A)));
    assert_eq!(panels.draw(&view(&status, &frame, 0.0), &mut commands), &Overlay::default());
    assert!(commands.is_empty());
}

#[test]
fn open_panels_draw_meshes_whose_indices_and_textures_exist() {
    let (mut panels, status, frame) = (Panels::new(), Status::default(), Frame::new(0));
    let mut textures = std::collections::BTreeSet::new();
    panels.event(&key(Key::F12));
    for number in 0..3 {
        let overlay = panels.draw(&view(&status, &frame, f64::from(number) * 0.1), &mut Vec::new());
        textures.extend(overlay.changed.iter().map(|change| change.texture));
        for change in &overlay.changed {
            assert_eq!(change.pixels.len(), (change.size[0] * change.size[1] * 4) as usize);
        }
        assert!(!overlay.meshes.is_empty());
        for mesh in &overlay.meshes {
            assert!(textures.contains(&mesh.texture));
            assert!(mesh.indices.iter().all(|index| (*index as usize) < mesh.vertices.len()));
        }
    }
    panels.event(&key(Key::F12));
    assert!(panels.draw(&view(&status, &frame, 1.0), &mut Vec::new()).meshes.is_empty());
}

#[test]
fn another_renderer_is_told_all_textures_as_they_are_now() {
    let (mut panels, status, frame) = (Panels::new(), Status::default(), Frame::new(0));
    panels.event(&key(Key::F12));
    // The first renderer sees the changes; the letters of other panels are added to the texture in parts.
    let mut seen = Textures::default();
    for number in 0..4 {
        panels.open.profiler = number > 1;
        seen.follow(panels.draw(&view(&status, &frame, f64::from(number) * 0.1), &mut Vec::new()));
    }
    let used = panels.draw(&view(&status, &frame, 0.5), &mut Vec::new()).clone();
    seen.follow(&used);
    panels.tell_again();
    let told = panels.draw(&view(&status, &frame, 0.6), &mut Vec::new()).clone();
    assert!(!told.changed.is_empty() && told.changed.iter().all(|texture| texture.corner.is_none()));
    assert!(told.meshes.iter().all(|mesh| told.changed.iter().any(|texture| texture.texture == mesh.texture)));
    // What was told before is in it, though this picture may have added letters.
    for (whole, known) in told.changed.iter().zip(seen.all()) {
        assert_eq!((whole.texture, whole.size[0]), (known.texture, known.size[0]));
        let is_kept = known.pixels.iter().zip(&whole.pixels).all(|(known, whole)| *known == 0 || known == whole);
        assert!(is_kept && known.pixels.iter().any(|channel| *channel > 0));
    }
    let after = panels.draw(&view(&status, &frame, 0.7), &mut Vec::new());
    assert!(after.changed.iter().all(|texture| texture.corner.is_some()), "once");
}

#[test]
fn somewhere_on_the_time_line_is_a_button_that_pauses_and_then_runs() {
    let (mut panels, mut status, frame) =
        (Panels::new(), Status { span: (0, 100), ..Status::default() }, Frame::new(0));
    let mut seconds = 0.0;
    panels.event(&key(Key::F12));
    for _ in 0..3 {
        seconds += 0.1;
        panels.draw(&view(&status, &frame, seconds), &mut Vec::new());
    }
    let mut found = None;
    'search: for y in (640..720).step_by(6) {
        for x in (10..120).step_by(10) {
            let place = (x as f32, y as f32);
            if matches!(click(&mut panels, &status, &frame, place, &mut seconds)[..], [Command::Pause]) {
                found = Some(place);
                break 'search;
            }
        }
    }
    let place = found.expect("the button is there");
    status.is_paused = true;
    assert!(matches!(click(&mut panels, &status, &frame, place, &mut seconds)[..], [Command::Resume]));
}

#[test]
fn the_profiler_measures_only_while_it_is_open() {
    let (mut panels, status, frame) = (Panels::new(), Status::default(), Frame::new(0));
    panels.set_open(true);
    panels.open.profiler = true;
    let mut commands = Vec::new();
    panels.draw(&view(&status, &frame, 0.0), &mut commands);
    panels.draw(&view(&status, &frame, 0.1), &mut commands);
    assert!(matches!(commands[..], [Command::Measure(true)]), "{commands:?}");
    panels.set_open(false);
    panels.draw(&view(&status, &frame, 0.2), &mut commands);
    assert!(matches!(commands[..], [Command::Measure(true), Command::Measure(false)]), "{commands:?}");
}

#[test]
fn windows_of_any_size_and_odd_events_do_no_harm() {
    let (mut panels, status, frame) = (Panels::new(), Status::default(), Frame::new(0));
    panels.set_open(true);
    for (size, scale) in [([0, 0], 1.0), ([1, 1], f32::NAN), ([16_384, 3], 0.0), ([640, 480], 3.5)] {
        panels.event(&DeviceEvent::PointerMoved { x: f32::NAN, y: f32::INFINITY });
        panels.event(&DeviceEvent::Text(String::from("\u{7f}\u{0}")));
        panels.draw(&OverlayInput { size, scale, ..view(&status, &frame, 0.0) }, &mut Vec::new());
    }
}

#[test]
fn an_object_is_watched_by_pointing_at_it_with_control() {
    let (mut panels, status, frame) = (Panels::new(), Status::default(), Frame::new(0));
    panels.set_open(true);
    let mut commands = Vec::new();
    for seconds in [0.0, 0.1] {
        panels.draw(&OverlayInput { pointed: 7, ..view(&status, &frame, seconds) }, &mut commands);
    }
    assert!(commands.is_empty(), "pointing alone is not enough");
    panels.event(&key(Key::LeftControl));
    for seconds in [0.2, 0.3] {
        panels.draw(&OverlayInput { pointed: 7, ..view(&status, &frame, seconds) }, &mut commands);
    }
    assert!(matches!(commands[..], [Command::Watch(7)]), "{commands:?}");
}

#[test]
fn a_variable_is_set_by_the_keyboard_alone() {
    let mut status = Status::default();
    status.watched.object = 5;
    status.watched.variables = [("hull".to_string(), "10".to_string(), true)].into();
    let (mut panels, frame, mut seconds) = (Panels::new(), Frame::new(0), 0.0);
    let mut commands = Vec::new();
    panels.event(&key(Key::F12));
    let mut press = |panels: &mut Panels, commands: &mut Vec<Command>, pressed: Key, text: &str| {
        let is_taken = panels.event(&key(pressed));
        if !text.is_empty() {
            panels.event(&DeviceEvent::Text(text.to_string()));
        }
        panels.event(&DeviceEvent::Key { key: pressed, is_down: false, is_repeat: false });
        for _ in 0..2 {
            seconds += 0.05;
            panels.draw(&view(&status, &frame, seconds), commands);
        }
        is_taken
    };
    const STOPS_MAX: usize = 100;
    for _ in 0..STOPS_MAX {
        assert!(press(&mut panels, &mut commands, Key::Tab, ""), "the game does not see it");
        if panels.inspector.focused() == "hull" {
            break;
        }
    }
    press(&mut panels, &mut commands, Key::Enter, "");
    press(&mut panels, &mut commands, Key::Digit7, "7");
    press(&mut panels, &mut commands, Key::Enter, "");
    let set = commands.iter().find_map(|command| match command {
        Command::Set { object, variable, text } => Some((*object, variable.as_str(), text.as_str())),
        _ => None,
    });
    assert_eq!(set, Some((5, "hull", "107")));
}
