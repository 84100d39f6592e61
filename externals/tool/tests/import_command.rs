//! `astrarium import` as people run it: good and bad files together, worker processes, and kills at any moment.

use crate::common;

use std::collections::BTreeMap;
use std::fs;
use std::process::Stdio;
use std::thread;
use std::time::Duration;

use common::{Folder, draw, seed};
use shelf::content_key;
use tags::{Classes, bulk};

const KILLS: u32 = 40;
const SOURCES: u32 = 24;

/// A folder with empty folders for sources and tags.
fn project() -> Folder {
    let folder = Folder::new();
    fs::create_dir_all(folder.join("tags")).expect("the folder can be created");
    folder
}

/// The files of the tree and their bytes.
fn tree(folder: &Folder) -> BTreeMap<String, Vec<u8>> {
    let walk = host::walk::walk(&folder.join("tags"), &host::walk::WalkLimits::default()).expect("there are tags");
    let read = |path: &String| fs::read(folder.join(format!("tags/{path}"))).expect("it was just listed");
    walk.files.iter().map(|file| (file.path.clone(), read(&file.path))).collect()
}

/// Asserts that every tag is valid and has its container beside it, whole. Returns the number of tags.
fn assert_whole(files: &BTreeMap<String, Vec<u8>>, classes: &Classes) -> usize {
    let mut count = 0;
    for (path, bytes) in files.iter().filter(|(path, _)| path.ends_with(".strings")) {
        count += 1;
        let text = String::from_utf8(bytes.clone()).expect("a tag is text");
        let made = classes.get("strings").expect("every world knows it").pack_text(&text);
        assert!(made.reports.is_empty(), "{path}: {:?}\n{text}", made.reports);
        let named = made.packed.files().next().expect("it names its container");
        let container = &files[&format!("texts/de/{}", named.file)];
        assert_eq!(content_key::of(container).0, named.digest, "{path}");
        let directory = bulk::Directory::parse(container, container.len() as u64).expect("it is whole");
        let part = bulk::read_part(container, &directory, 0).expect("it is whole");
        assert!(part.starts_with(b"line = "), "{path}");
    }
    count
}

#[test]
fn a_killed_import_leaves_every_tag_whole_and_is_finished_by_the_next() {
    let (folder, classes, mut state) = (project(), astrarium::classes(), seed());
    for round in 0..KILLS {
        for source in 0..SOURCES {
            let text =
                format!("line = Round {round} of {source}, {}\n", "word ".repeat(draw(&mut state) as usize % 2000));
            folder.write(&format!("data/texts/de/s{source:02}.ftl"), text);
        }
        let mut command = folder.command("import --workers 2");
        let mut child = command.stdout(Stdio::null()).stderr(Stdio::null()).spawn().expect("the command can be run");
        thread::sleep(Duration::from_micros(draw(&mut state) % 120_000));
        // It may have ended before.
        let _ = child.kill();
        let _ = child.wait();
        assert_whole(&tree(&folder), &classes);
    }
    let done = folder.run("import --json").json();
    assert_eq!(done.number("failed"), 0);
    let files = tree(&folder);
    assert_eq!(assert_whole(&files, &classes), SOURCES as usize);
    let is_last = |bytes: &Vec<u8>| String::from_utf8_lossy(bytes).contains("hash \"");
    assert!(files.iter().filter(|(path, _)| path.ends_with(".strings")).all(|(_, bytes)| is_last(bytes)));
    assert_eq!(folder.run("import --json").json().number("unchanged"), u64::from(SOURCES));
}

/// A PNG with a header that claims this size and has no pixels.
fn empty_png(width: u32, height: u32) -> Vec<u8> {
    let mut bytes = b"\x89PNG\r\n\x1a\n\0\0\0\rIHDR".to_vec();
    bytes.extend(width.to_be_bytes());
    bytes.extend(height.to_be_bytes());
    bytes.extend([8, 6, 0, 0, 0, 0, 0, 0, 0]);
    bytes
}

#[test]
fn bad_files_are_reported_one_by_one_and_good_ones_imported() {
    let folder = project();
    folder.write("data/texts/de/good.ftl", "line = Gut\n");
    folder.write("data/huge.png", empty_png(60_000, 60_000));
    folder.write("data/zero.png", empty_png(0, 7));
    folder.write("data/cut.png", &empty_png(4, 4)[..20]);
    folder.write("data/named-wrongly.wav", "line = not a sound\n");
    folder.write(
        "data/cycle.gltf",
        r#"{"asset":{"version":"2.0"},"scene":0,"scenes":[{"nodes":[0]}],"nodes":[{"children":[1]},{"children":[0]}]}"#,
    );
    folder.write("data/bomb.gltf", format!("{}{}", "[".repeat(1 << 20), "]".repeat(1 << 20)));
    folder.write("data/empty.ogg", "");
    folder.write("data/escape.gltf", r#"{"asset":{"version":"2.0"},"buffers":[{"uri":"../../../etc/passwd","byteLength":4}],"scene":0,"scenes":[{"nodes":[0]}],"nodes":[{"mesh":0}],"meshes":[{"primitives":[{"attributes":{"POSITION":0}}]}],"accessors":[{"bufferView":0,"componentType":5126,"count":1,"type":"VEC3"}],"bufferViews":[{"buffer":0,"byteLength":4}]}"#);
    let ran = folder.run("import --json");
    let printed = ran.output();
    assert!(ran.is_orderly(), "{printed}");
    for bad in
        ["huge.png", "zero.png", "cut.png", "named-wrongly.wav", "cycle.gltf", "bomb.gltf", "empty.ogg", "escape.gltf"]
    {
        let line = printed.lines().find(|line| line.contains(bad)).unwrap_or_else(|| panic!("{bad}: {printed}"));
        assert!(line.contains("\"event\": \"failed\"") && !line.contains("crashed"), "{line}");
    }
    assert!(printed.contains("\"imported\": 1, \"failed\": 8"), "{printed}");
    assert_eq!(tree(&folder).len(), 2, "the good tag and its container");
    // A file that was mended is imported, and the others are not tried again.
    folder.write("data/texts/de/good.ftl", "line = Besser\n");
    let printed = folder.run("import --json").output();
    assert!(printed.contains("\"imported\": 1, \"failed\": 8"), "{printed}");
}

#[test]
fn importers_and_their_options_are_listed() {
    let folder = project();
    let listed = folder.run("import --list").stdout();
    for extension in "png tif tga psd jpg exr hdr wav aiff ogg flac mp3 gltf glb obj fbx ttf ftl".split(' ') {
        assert!(listed.contains(&format!(".{extension}")), "{extension}: {listed}");
    }
    let names: Vec<String> = folder
        .run("import --list --json")
        .json()
        .list("importers")
        .iter()
        .map(|row| row.text("name").to_string())
        .collect();
    assert_eq!(names, ["bitmap", "font", "model", "sound", "strings"]);
}

#[test]
fn wrong_arguments_are_refused_with_a_reason() {
    let folder = project();
    assert!(folder.run("import").complaint().contains("there is no such folder"));
    folder.write("data/texts/de/a.ftl", "line = A\n");
    assert!(folder.run("import nowhere.png").complaint().contains("nowhere.png: not found"));
    assert!(folder.run("import --option language").complaint().contains("NAME=VALUE"));
    assert!(folder.run("import --option colour=red").complaint().contains("no importer has an option `colour`"));
    let refused = folder.run("import --take-imported widht").complaint();
    assert!(refused.contains("no class has a field `widht`; did you mean `width`?"), "{refused}");
    assert!(folder.run("import --take-imported nonsense").complaint().contains("no class has a field"));
    let printed = folder.run("import --option language=klingon").output();
    assert!(printed.contains("option `language`: expected auto, "), "{printed}");
    // The option of a failed import is forgotten, and one of another importer does not concern this file.
    assert_eq!(folder.run("import data/texts --option quality=fast --json").json().number("imported"), 1);
}

#[test]
fn a_tag_of_which_nothing_but_the_source_s_hash_changed_is_not_written() {
    let folder = Folder::new();
    std::fs::create_dir_all(folder.join("tags")).expect("the folder can be created");
    let object = |height: u32| format!("mtllib a.mtl\nusemtl red\nv 0 0 0\nv 1 0 0\nv 0 {height} 0\nf 1 2 3\n");
    folder.write("data/a.mtl", "newmtl red\nKd 1 0 0\n");
    folder.write("data/a.obj", object(1));
    assert_eq!(folder.run("import --json").json().number("written"), 2);
    let before = folder.read("tags/a/materials/red.material");
    folder.write("data/a.obj", object(2));
    assert_eq!(folder.run("import --json").json().number("written"), 1, "the model, not its material");
    assert_eq!(folder.read("tags/a/materials/red.material"), before);
    assert_eq!(folder.run("import --json").json().number("unchanged"), 1);
}

#[test]
#[cfg(unix)]
fn what_is_left_out_of_the_sources_is_said() {
    let folder = project();
    folder.write("data/texts/de/a.ftl", "line = A\n");
    std::os::unix::fs::symlink("a.ftl", folder.join("data/texts/de/b.ftl")).expect("links can be made");
    let name = std::os::unix::ffi::OsStrExt::from_bytes(b"odd\xff.png".as_slice());
    let name: &std::ffi::OsStr = name;
    fs::write(folder.join("data").join(name), b"").expect("names are bytes");
    let printed = folder.run("import").stdout();
    let line =
        |start: &str| printed.lines().find(|line| line.starts_with(start)).unwrap_or_else(|| panic!("{printed}"));
    assert!(line("texts/de/b.ftl: ").contains("links are not followed"), "{printed}");
    assert!(line("odd").contains("not UTF-8"), "{printed}");
    for number in 0..50 {
        std::os::unix::fs::symlink("a.ftl", folder.join(format!("data/texts/de/c{number}.ftl"))).expect("links");
    }
    let printed = folder.run("import").stdout();
    assert!(printed.lines().count() < 30 && printed.contains("32 more files or folders"), "{printed}");
}

#[test]
fn an_import_waits_for_another_one_of_the_same_tags() {
    use std::io::{BufRead, BufReader};
    let folder = project();
    folder.write("data/texts/de/a.ftl", "line = A\n");
    fs::create_dir_all(folder.join(".astrarium")).expect("the folder can be created");
    let lock = host::files::own(&folder.join(".astrarium/import.lock"), "the import of a test", &mut |_| {});
    let lock = lock.expect("it is free");
    let mut child = folder.command("import").stderr(Stdio::piped()).stdout(Stdio::null()).spawn().expect("it runs");
    let mut said = String::new();
    BufReader::new(child.stderr.take().expect("it is piped")).read_line(&mut said).expect("it says something");
    assert!(said.contains("waiting for the import of a test"), "{said}");
    assert!(tree(&folder).is_empty());
    drop(lock);
    assert!(child.wait().expect("it ends").success());
    assert_eq!(tree(&folder).len(), 2);
}

#[test]
fn frames_and_takes_of_another_source_are_no_tags_of_their_own() {
    let folder = project();
    let frame = |number: u8| media::picture::Picture::filled(8, 8, [number, 90, 30, 255]).to_png();
    for number in 1..=4 {
        folder.write(&format!("data/fire.000{number}.png"), frame(number));
    }
    folder.write("data/fire.0009.png", frame(9));
    assert_eq!(folder.run("import --json").json().number("imported"), 5, "nothing says that they belong together");
    let printed = folder.run("import fire.0001.png --option kind=sequence").stdout();
    assert!(printed.contains("fire.0002.png: now a part of fire.0001.png"), "{printed}");
    assert!(folder.read("tags/fire.0001.bitmap").contains("!set layers 4"));
    let done = folder.run("import --json").json();
    assert_eq!((done.number("imported"), done.number("unchanged")), (0, 2), "the sequence, and the one behind a gap");
    // A changed frame changes the sequence; in a fresh clone nothing else is made of them.
    folder.write("data/fire.0003.png", frame(77));
    fs::remove_file(folder.join("tags/fire.0003.bitmap")).expect("it was made before");
    fs::remove_dir_all(folder.join(".astrarium")).expect("there is an index");
    assert_eq!(folder.run("import --json").json().number("imported"), 2);
    assert!(!folder.join("tags/fire.0003.bitmap").exists());
}

/// A PNG of a noisy square, which compresses to about as many bytes as it has pixels.
fn noise(side: u32) -> Vec<u8> {
    let mut picture = media::picture::Picture::filled(side, side, [0, 0, 0, 255]);
    let mut state = u64::from(side);
    for at in 0..side * side {
        let value = draw(&mut state).to_le_bytes();
        picture.set(at % side, at / side, [value[0], value[1], value[2], 255]);
    }
    picture.to_png()
}

#[test]
#[cfg(unix)]
fn a_full_disk_leaves_every_tag_whole() {
    let folder = project();
    folder.write("data/a.png", noise(32));
    folder.write("data/b.png", noise(32));
    assert_eq!(folder.run("import --json").json().number("imported"), 2);
    let before = tree(&folder);
    folder.write("data/a.png", noise(256));
    folder.write("data/b.png", noise(36));
    // The largest file may have 32 blocks of 512 bytes: writing more fails as on a full disk, and nothing is said by a signal.
    let limited = |words: &str| {
        let script = format!("trap '' XFSZ; ulimit -f 32; exec \"$0\" {words}");
        let mut command = std::process::Command::new("/bin/sh");
        command.arg("-c").arg(script).arg(common::PROGRAM).current_dir(folder.path());
        command.output().expect("there is a shell")
    };
    let ran = limited("import --json");
    let printed = String::from_utf8_lossy(&ran.stdout).into_owned();
    assert_eq!(ran.status.code(), Some(1), "{printed} {}", String::from_utf8_lossy(&ran.stderr));
    let failed = printed.lines().find(|line| line.contains("\"event\": \"failed\"")).expect("it is reported");
    assert!(failed.contains("a.png") && failed.contains("File too large"), "{failed}");
    let after = tree(&folder);
    let of = |name: &str, files: &BTreeMap<String, Vec<u8>>| {
        files
            .iter()
            .filter(|(path, _)| path.starts_with(name))
            .map(|(path, bytes)| (path.clone(), bytes.clone()))
            .collect::<Vec<_>>()
    };
    assert_eq!(of("a.", &after), of("a.", &before), "the former tag and container, and nothing else");
    assert_ne!(of("b.", &after), of("b.", &before), "what fits is imported");
    let hidden = fs::read_dir(folder.join("tags")).expect("there are tags").flatten();
    let left: Vec<_> =
        hidden.map(|entry| entry.file_name()).filter(|name| name.as_encoded_bytes().starts_with(b".")).collect();
    assert!(left.is_empty(), "nothing half-written is left: {left:?}");
    // With room again, nothing has to change for it to succeed.
    let done = folder.run("import --json").json();
    assert_eq!((done.number("imported"), done.number("failed")), (1, 0));
    assert!(folder.read("tags/a.bitmap").contains("!set width 256"));
}
