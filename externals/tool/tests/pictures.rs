//! Pictures, videos and sounds of worlds, without a window.

use crate::common;

use std::fs;

use common::Folder;

const PNG: &[u8] = b"\x89PNG\r\n\x1a\n";

/// The number of a chunk's kind in a PNG file.
fn chunks(bytes: &[u8], kind: &[u8]) -> usize {
    bytes.windows(kind.len()).filter(|window| *window == kind).count()
}

fn size_of(bytes: &[u8]) -> [u32; 2] {
    let side = |at: usize| u32::from_be_bytes(bytes[at..at + 4].try_into().expect("four bytes"));
    [side(16), side(20)]
}

#[test]
fn a_screenshot_is_a_picture_of_the_asked_size_and_the_same_every_time() {
    let folder = Folder::new();
    let words = "play skirmish --screenshot a.png --at 25 --size 192x108 --renderer software --json";
    let json = folder.run(words).json();
    assert_eq!((json.number("cycle"), json.list("files").len()), (25, 1));
    let first = fs::read(folder.join("a.png")).expect("it was written");
    assert!(first.starts_with(PNG) && size_of(&first) == [192, 108]);
    assert!(first.len() > 2000, "it shows something: {} bytes", first.len());
    folder.run(words).json();
    assert!(fs::read(folder.join("a.png")).expect("it was written") == first, "the same picture");
    let later = "play skirmish --screenshot b.png --at 60 --size 192x108 --renderer software";
    folder.run(later).stdout();
    assert!(fs::read(folder.join("b.png")).expect("it was written") != first, "the world moves");
}

#[test]
fn a_screenshot_does_not_change_the_world() {
    let folder = Folder::new();
    let shot = folder.run("play sandbox --level tiny --screenshot a.png --at 50 --size 64x36 --json").json();
    let plain = folder.run("play sandbox --level tiny --headless --no-film --no-black-box --cycles 50 --json").json();
    assert_eq!(shot.text("hash"), plain.text("hash"));
}

#[test]
fn a_video_has_a_picture_for_each_moment() {
    let folder = Folder::new();
    let words = "play sandbox --level tiny --video a.png --first 10 --last 60 --fps 10 --size 64x36 --json";
    assert_eq!(folder.run(words).json().number("pictures"), 6);
    let bytes = fs::read(folder.join("a.png")).expect("it was written");
    assert!(bytes.starts_with(PNG) && chunks(&bytes, b"acTL") == 1);
    assert_eq!(chunks(&bytes, b"fcTL"), 6);
    folder.run("play sandbox --level tiny --video a.y4m --last 20 --fps 10 --size 64x36").stdout();
    let bytes = fs::read(folder.join("a.y4m")).expect("it was written");
    assert!(bytes.starts_with(b"YUV4MPEG2 W64 H36 F10:1"));
    assert_eq!(chunks(&bytes, b"FRAME\n"), 3);
}

#[test]
fn what_would_be_heard_is_written_in_world_time() {
    let folder = Folder::new();
    folder.run("play skirmish --sound-out a.wav --last 50").stdout();
    let bytes = fs::read(folder.join("a.wav")).expect("it was written");
    assert!(bytes.starts_with(b"RIFF") && &bytes[8..12] == b"WAVE");
    // Half a second of two channels; each sample has two bytes or four.
    assert!(bytes.len() > 24_000 * 4 - 4096, "{} bytes", bytes.len());
}

#[test]
fn the_mix_of_a_level_is_heard() {
    let folder = Folder::new();
    folder.write("tags/globals.globals", "@globals\n");
    // Two seconds of a square wave of a quarter of the full scale.
    let samples: Vec<u8> = (0..96_000).flat_map(|at| [8192_i16, -8192][at / 60 % 2].to_le_bytes()).collect();
    let mut file = b"RIFF\0\0\0\0WAVEfmt \x10\0\0\0\x01\0\x01\0\x80\xbb\0\0\0\x77\x01\0\x02\0\x10\0data".to_vec();
    file.extend((samples.len() as u32).to_le_bytes());
    file.extend(samples);
    let length = file.len() as u32 - 8;
    file[4..8].copy_from_slice(&length.to_le_bytes());
    folder.write("data/hum.wav", file);
    folder.run("import --option normalise=false").stdout();
    for (path, volume) in [("loud.mix", 0), ("quiet.mix", -20)] {
        folder.write(&format!("tags/{path}"), format!("@mix\n!set buses [{{ name \"effects\", volume {volume} }}]\n"));
    }
    let loudness = |mix: &str| {
        folder.write("tags/levels/start.scenario", format!("@scenario\n!set music \"hum.sound\"\n{mix}"));
        folder.run("play . --sound-out a.wav --last 100").stdout();
        let bytes = fs::read(folder.join("a.wav")).expect("it was written");
        let (samples, _) = bytes[44..].as_chunks::<2>();
        let samples = samples.iter().map(|sample| f32::from(i16::from_le_bytes(*sample)));
        samples.skip(40_000).fold(0.0, |loudest: f32, sample| loudest.max(sample.abs()))
    };
    let (usual, loud) = (loudness(""), loudness("!set mix \"loud.mix\"\n"));
    // The usual buses have a reverb.
    assert!(loud > 4000.0 && usual > loud * 1.05, "{usual} {loud}");
    let quiet = loudness("!set mix \"quiet.mix\"\n") / loud;
    assert!((quiet - 0.1).abs() < 0.005, "{quiet}");
}

#[test]
fn a_world_is_looked_at_in_colour() {
    let folder = Folder::new();
    folder.run("look quarry --level towers --cycles 20 --out a.png").stdout();
    let bytes = fs::read(folder.join("a.png")).expect("it was written");
    assert!(bytes.starts_with(PNG) && bytes.len() > 5000);
    folder.run("look quarry --level towers --cycles 20 --out a.svg").stdout();
    assert!(fs::read(folder.join("a.svg")).expect("it was written").starts_with(b"<svg"));
}

#[test]
fn one_asset_is_shown_alone() {
    let folder = Folder::new();
    let show = |tag: &str, game: &str| {
        folder
            .run(&format!("show {tag} {game} --screenshot a.png --size 96x96 --seconds 0 --renderer software"))
            .stdout();
        let bytes = fs::read(folder.join("a.png")).expect("it was written");
        assert!(bytes.starts_with(PNG) && size_of(&bytes) == [96, 96], "{tag}");
        bytes
    };
    let corvette = show("ships/corvette.ship", "skirmish");
    let carrier = show("ships/carrier.carrier", "skirmish");
    assert!(corvette != carrier);
    let menu = show("interfaces/menu.interface", "skirmish");
    let hud = show("interfaces/hud.interface", "skirmish");
    assert!(menu != hud);
    let missing = folder.run("show ships/corvete.ship skirmish --screenshot a.png").complaint();
    assert!(missing.contains("is it ships/corvette.ship?"), "{missing}");
    let plain = folder.run("show events/battle.events skirmish --screenshot a.png").complaint();
    assert!(plain.contains("no look of its own"), "{plain}");
}

#[test]
fn wrong_wishes_are_explained() {
    let folder = Folder::new();
    for (words, expected) in [
        ("play --screenshot a.png --size 0x5", "1920x1080"),
        ("play --screenshot a.png --eye 1,2", "three numbers"),
        ("play --video a.mp4", ".y4m"),
        ("play --video a.png --first 9 --last 3", "not before 9"),
        ("play --video a.png --fps 0", "--fps"),
        ("play --headless --speed 500", "--paced"),
        ("play --screenshot nowhere/a.png --at 1 --size 32x32", "nowhere"),
    ] {
        let complaint = folder.run(words).complaint();
        assert!(complaint.contains(expected), "{words}: {complaint}");
    }
}

#[test]
fn without_a_display_a_game_is_played_without_a_window_and_says_so() {
    let folder = Folder::new();
    let mut command = folder.command("play sandbox --level tiny --cycles 20 --no-film --no-black-box");
    let ran = command.env_remove("DISPLAY").env_remove("WAYLAND_DISPLAY").env_remove("WAYLAND_SOCKET").output();
    let ran = ran.expect("it can be run");
    assert!(ran.status.success());
    assert!(String::from_utf8_lossy(&ran.stderr).contains("no display"));
    assert!(String::from_utf8_lossy(&ran.stdout).contains("cycle 20"));
}

#[test]
fn the_first_picture_shows_the_bars_over_all_units() {
    let folder = Folder::new();
    folder.run("new demo").stdout();
    folder.run("play demo --video a.y4m --first 100 --last 101 --fps 10 --size 640x360 --renderer software").stdout();
    let bytes = fs::read(folder.join("a.y4m")).expect("it was written");
    let start = bytes.windows(6).position(|window| window == b"FRAME\n").expect("it has a frame") + 6;
    // The red of the bars in the last plane of the first picture (4:2:0).
    let (pixels, quarter) = (640 * 360, 320 * 180);
    let red = &bytes[start + pixels + quarter..start + pixels + 2 * quarter];
    // The sky alone stays below 145.
    assert!(red.iter().filter(|value| **value > 155).count() > 40, "{:?}", red.iter().max());
}
