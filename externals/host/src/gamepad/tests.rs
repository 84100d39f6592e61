use relay::device::{PadAxis, PadButton};

use super::*;

/// A device with these keys and axes (code, min, max).
fn device(identity: [u16; 4], keys: &[u16], axes: &[(u16, i32, i32)]) -> PadDescription {
    let [bus, vendor, product, version] = identity;
    PadDescription {
        name: "Test Pad".into(),
        identity: PadIdentity { bus, vendor, product, version },
        keys: keys.to_vec(),
        axes: axes.iter().map(|(code, min, max)| AxisRange { code: *code, min: *min, max: *max }).collect(),
    }
}

/// What the kernel's driver says of an Xbox 360 pad.
fn xbox() -> PadDescription {
    let keys = [0x130, 0x131, 0x133, 0x134, 0x136, 0x137, 0x13a, 0x13b, 0x13c, 0x13d, 0x13e];
    let stick = |code| (code, -32768, 32767);
    let axes = [stick(0), stick(1), (2, 0, 255), stick(3), stick(4), (5, 0, 255), (16, -1, 1), (17, -1, 1)];
    device([3, 0x045e, 0x028e, 0x0114], &keys, &axes)
}

fn key(code: u16, is_down: bool) -> RawInput {
    RawInput::Key { code, is_down }
}

fn axis(code: u16, value: i32) -> RawInput {
    RawInput::Axis { code, value }
}

fn events(translator: &mut PadTranslator, inputs: &[RawInput]) -> Vec<DeviceEvent> {
    let mut events = Vec::new();
    inputs.iter().for_each(|input| translator.handle(*input, &mut |event| events.push(event)));
    events
}

fn button(button: PadButton, is_down: bool) -> DeviceEvent {
    DeviceEvent::PadButton { pad: 2, button, is_down }
}

fn moved(axis: PadAxis, value: f32) -> DeviceEvent {
    DeviceEvent::PadAxis { pad: 2, axis, value }
}

#[test]
fn a_recorded_play_of_an_xbox_pad_is_translated() {
    let mut pad = PadTranslator::of_kernel(2, &xbox()).expect("it is a gamepad");
    let recorded = [
        key(0x130, true),
        key(0x130, false),
        key(0x133, true),
        key(0x134, true),
        axis(0, 32767),
        axis(1, -32768),
        axis(2, 255),
        axis(2, 110),
        axis(2, 0),
        axis(16, -1),
        axis(16, 0),
        axis(17, 1),
        key(0x2ff, true),
        axis(40, 7),
    ];
    let expected = [
        button(PadButton::South, true),
        button(PadButton::South, false),
        button(PadButton::West, true),
        button(PadButton::North, true),
        moved(PadAxis::LeftX, 1.0),
        moved(PadAxis::LeftY, 1.0),
        moved(PadAxis::LeftTrigger, 1.0),
        button(PadButton::LeftTrigger, true),
        moved(PadAxis::LeftTrigger, 110.0 / 255.0),
        moved(PadAxis::LeftTrigger, 0.0),
        button(PadButton::LeftTrigger, false),
        button(PadButton::Left, true),
        button(PadButton::Left, false),
        button(PadButton::Down, true),
    ];
    let got = events(&mut pad, &recorded);
    assert_eq!(got.len(), expected.len(), "{got:?}");
    for (got, expected) in got.iter().zip(&expected) {
        match (got, expected) {
            (DeviceEvent::PadAxis { axis, value, .. }, DeviceEvent::PadAxis { axis: other, value: wanted, .. }) => {
                assert!(axis == other && (value - wanted).abs() < 1e-5, "{got:?} {expected:?}");
            }
            _ => assert_eq!(got, expected),
        }
    }
}

#[test]
fn the_codes_of_x_and_y_say_their_place_for_some_makers() {
    let mut sony = xbox();
    sony.identity.vendor = 0x054c;
    let mut pad = PadTranslator::of_kernel(2, &sony).expect("it is a gamepad");
    let got = events(&mut pad, &[key(0x133, true), key(0x134, true)]);
    assert_eq!(got, [button(PadButton::North, true), button(PadButton::West, true)]);
}

#[test]
fn a_wireless_pad_has_its_right_stick_at_z_and_its_triggers_at_the_pedals() {
    let axes = [(0, 0, 65535), (1, 0, 65535), (2, 0, 65535), (5, 0, 65535), (9, 0, 1023), (10, 0, 1023)];
    let wireless = device([5, 0x045e, 0x0b13, 1], &[0x130], &axes);
    let mut pad = PadTranslator::of_kernel(2, &wireless).expect("it is a gamepad");
    let got = events(&mut pad, &[axis(2, 65535), axis(5, 65535), axis(9, 1023), axis(10, 1023)]);
    let expected = [
        moved(PadAxis::RightX, 1.0),
        moved(PadAxis::RightY, -1.0),
        moved(PadAxis::RightTrigger, 1.0),
        button(PadButton::RightTrigger, true),
        moved(PadAxis::LeftTrigger, 1.0),
        button(PadButton::LeftTrigger, true),
    ];
    assert_eq!(got, expected);
}

#[test]
fn a_value_is_told_only_when_it_changes() {
    let mut pad = PadTranslator::of_kernel(2, &xbox()).expect("it is a gamepad");
    let again = [key(0x130, true), key(0x130, true), axis(3, 32767), axis(3, 32767), axis(3, 0), axis(3, 0)];
    let expected = [button(PadButton::South, true), moved(PadAxis::RightX, 1.0), moved(PadAxis::RightX, 0.0)];
    assert_eq!(events(&mut pad, &again), expected);
}

#[test]
fn any_value_of_any_range_stays_within_its_limits() {
    let extremes = [i32::MIN, -1, 0, 1, i32::MAX];
    for min in extremes {
        for max in extremes {
            let odd = device([0; 4], &[0x130], &[(0, min, max), (2, min, max), (3, min, max), (4, min, max)]);
            let mut pad = PadTranslator::of_kernel(2, &odd).expect("it is a gamepad");
            for value in extremes {
                for event in events(&mut pad, &[axis(0, value), axis(2, value)]) {
                    if let DeviceEvent::PadAxis { value, axis, .. } = event {
                        let low = if axis == PadAxis::LeftTrigger { 0.0 } else { -1.0 };
                        assert!((low..=1.0).contains(&value), "{axis:?} {value} of {min} to {max}");
                    }
                }
            }
        }
    }
}

#[test]
fn keyboards_and_mice_are_no_gamepads() {
    assert!(PadTranslator::of_kernel(0, &device([3, 1, 1, 1], &[30, 0x110], &[])).is_none());
}

const ODD: &str = "# a comment

03000000790000000600000010010000,Odd Pad,a:b2,b:b1,x:b3,leftx:a0,lefty:a1~,dpup:h0.1,dpright:h0.2,lefttrigger:b0,\
righttrigger:+a2,+rightx:b3,-rightx:b2,platform:Linux,
03000000790000000600000010010000,Odd Pad,a:b0,platform:Windows,
";

fn odd() -> PadDescription {
    let axes = [(0, 0, 255), (1, 0, 255), (5, -100, 100), (16, -1, 1), (17, -1, 1)];
    device([3, 0x0079, 0x0006, 0x0110], &[30, 0x120, 0x121, 0x122], &axes)
}

#[test]
fn a_line_of_the_database_maps_an_odd_pad() {
    let mut table = MappingTable::default();
    assert_eq!(table.add(ODD), []);
    assert!(PadTranslator::of_kernel(0, &odd()).is_none(), "the kernel does not know its buttons");
    let rules = table.rules_of(&odd()).expect("there is a line for it");
    let mut pad = PadTranslator::new(2, &odd(), rules);
    // Button 3 is the key that SDL counts after all joystick buttons.
    assert_eq!(events(&mut pad, &[key(30, true)]), [button(PadButton::West, true), moved(PadAxis::RightX, 1.0)]);
    assert_eq!(events(&mut pad, &[key(0x122, true)]), [button(PadButton::South, true), moved(PadAxis::RightX, 0.0)]);
    let trigger = [moved(PadAxis::LeftTrigger, 1.0), button(PadButton::LeftTrigger, true)];
    assert_eq!(events(&mut pad, &[key(0x120, true)]), trigger);
    assert_eq!(events(&mut pad, &[axis(1, 0)]), [moved(PadAxis::LeftY, -1.0)], "inverted");
    assert_eq!(events(&mut pad, &[axis(17, -1)]), [button(PadButton::Up, true)]);
    let half = events(&mut pad, &[axis(5, -100), axis(5, 30)]);
    assert!(matches!(half[..], [DeviceEvent::PadAxis { axis: PadAxis::RightTrigger, .. }]), "{half:?}");
    // Another version of the same model.
    let mut newer = odd();
    newer.identity.version = 0x0999;
    assert!(table.rules_of(&newer).is_some());
    newer.identity.product = 7;
    assert!(table.rules_of(&newer).is_none());
}

#[test]
fn later_lines_win() {
    let mut table = MappingTable::default();
    table.add("03000000790000000600000010010000,First,a:b0,");
    table.add("0300abcd790000000600000010010000,Second,b:b0,");
    let mut pad = PadTranslator::new(2, &odd(), table.rules_of(&odd()).expect("there is a line for it"));
    assert_eq!(events(&mut pad, &[key(0x120, true)]), [button(PadButton::East, true)]);
}

#[test]
fn wrong_lines_are_errors_with_their_number() {
    let mut table = MappingTable::default();
    let text = "xyz,Name,a:b0\n03000000790000000600000010010000,Name,a:q0,b:b1,newthing:b9,\n";
    let errors = table.add(text);
    assert_eq!(
        errors,
        [
            MappingError { line: 1, problem: MappingProblem::Identity },
            MappingError { line: 2, problem: MappingProblem::Part("a:q0".into()) },
        ]
    );
    assert!(errors[1].to_string().contains("line 2") && errors[1].to_string().contains("a:q0"));
    assert!(table.rules_of(&odd()).is_some(), "the rest of the line is used");
}

#[test]
fn any_text_is_read_without_a_panic() {
    let pieces =
        ["0300", "a:", "b0", ",", ":", "~", "+", "-", "h0.", "ä", "99999999", "\n", "platform", "lefttrigger", "\0"];
    let mut state = 7_u64;
    for _ in 0..2000 {
        let mut text = String::from("03000000790000000600000010010000,");
        for _ in 0..12 {
            state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
            text.push_str(pieces[(state >> 33) as usize % pieces.len()]);
        }
        let mut table = MappingTable::default();
        table.add(&text);
        table.rules_of(&odd());
    }
}

#[test]
fn polling_never_waits_and_dropping_ends_the_search() {
    let mut pads = Gamepads::open(MappingTable::default());
    let mut events = Vec::new();
    for _ in 0..100 {
        pads.poll(&mut |event| events.push(event));
    }
    let connected = events.iter().filter(|event| matches!(event, DeviceEvent::PadConnected { .. })).count();
    assert!(connected >= pads.connected().count());
    drop(pads);
    let (names, _) = survey();
    assert!(names.iter().all(|name| !name.is_empty()));
}
