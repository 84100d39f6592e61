use super::*;
use crate::testing::Folder as TestFolder;

fn put(folder: &TestFolder, path: &str) {
    let path = folder.join(path);
    fs::create_dir_all(path.parent().expect("it is in the folder")).expect("the folder can be written");
    fs::write(&path, "0123456789").expect("the folder can be written");
}

fn paths(walk: &Walk) -> Vec<&str> {
    walk.files.iter().map(|file| file.path.as_str()).collect()
}

fn oddities(walk: &Walk) -> Vec<String> {
    walk.oddities.iter().map(ToString::to_string).collect()
}

#[test]
fn files_are_listed_by_path_with_size_and_modification_time() {
    let folder = TestFolder::new();
    for path in ["b.ship", "a/z.ship", "a/b/c/d.ship", "a.ship", "ä.ship", "a-b.ship"] {
        put(&folder, path);
    }
    fs::create_dir(folder.join("empty")).expect("the folder can be written");
    for threads in [1, 2, 8] {
        let walk = walk(folder.path(), &WalkLimits { threads, ..WalkLimits::default() }).expect("it can be listed");
        assert_eq!(paths(&walk), ["a-b.ship", "a.ship", "a/b/c/d.ship", "a/z.ship", "b.ship", "ä.ship"]);
        assert_eq!(walk.folders, ["a", "a/b", "a/b/c", "empty"]);
        assert!(walk.oddities.is_empty());
        for file in &walk.files {
            assert_eq!(file.stamp.size, 10);
            assert_eq!(Stamp::of(&folder.join(&file.path)), Some(file.stamp));
            assert!(file.stamp.modified > 1_600_000_000_000_000_000);
            assert_eq!(walk.find(&file.path), Some(file));
        }
        assert_eq!(walk.find("a"), None);
    }
}

#[test]
fn a_subtree_is_listed_with_paths_relative_to_the_root() {
    let folder = TestFolder::new();
    for path in ["b.ship", "a/z.ship", "a/b/c/d.ship"] {
        put(&folder, path);
    }
    let part = walk_below(folder.path(), "a", &WalkLimits::default()).expect("it can be listed");
    assert_eq!(paths(&part), ["a/b/c/d.ship", "a/z.ship"]);
    let shallow = walk_below(folder.path(), "a", &WalkLimits { depth: 2, ..WalkLimits::default() });
    let shallow = shallow.expect("it can be listed");
    assert_eq!(paths(&shallow), ["a/z.ship"]);
    assert_eq!(oddities(&shallow), ["a/b: is nested too deep and is left out"]);
}

#[test]
fn names_that_start_with_a_dot_are_skipped() {
    let folder = TestFolder::new();
    for path in [".git/config", ".astrarium/index", "a/.hidden", "a/b.ship"] {
        put(&folder, path);
    }
    let walk = walk(folder.path(), &WalkLimits::default()).expect("it can be listed");
    assert_eq!(paths(&walk), ["a/b.ship"]);
    assert!(walk.oddities.is_empty());
}

#[test]
fn entries_beyond_the_limits_are_omitted_and_reported() {
    let folder = TestFolder::new();
    for path in ["1/2/3/deep.ship", "1/2/here.ship", "a.ship", "b.ship"] {
        put(&folder, path);
    }
    let shallow = walk(folder.path(), &WalkLimits { depth: 3, ..WalkLimits::default() }).expect("it can be listed");
    assert_eq!(paths(&shallow), ["1/2/here.ship", "a.ship", "b.ship"]);
    assert_eq!(oddities(&shallow), ["1/2/3: is nested too deep and is left out"]);
    let few = walk(folder.path(), &WalkLimits { entries: 2, ..WalkLimits::default() }).expect("it can be listed");
    assert!(few.files.len() <= 2);
    assert_eq!(oddities(&few), [".: there are more than 2 files; the rest is left out"]);
    let enough = walk(folder.path(), &WalkLimits { entries: 7, ..WalkLimits::default() }).expect("it can be listed");
    assert!(enough.oddities.is_empty());
    assert_eq!(enough.files.len(), 4);
}

#[test]
fn a_root_that_is_not_a_folder_is_an_error() {
    let folder = TestFolder::new();
    put(&folder, "file");
    for name in ["missing", "file"] {
        let error = walk(&folder.join(name), &WalkLimits::default()).expect_err("there is no such folder");
        assert!(error.to_string().contains(name), "{error}");
    }
}

#[cfg(unix)]
#[test]
fn links_are_reported_and_never_followed() {
    use std::os::unix::fs::symlink;
    let folder = TestFolder::new();
    let outside = TestFolder::new();
    put(&folder, "a/b.ship");
    put(&outside, "secret.ship");
    for (target, link) in [
        (outside.join("secret.ship"), "out-file.ship"),
        (outside.path().to_path_buf(), "out-folder"),
        (PathBuf::from("../.."), "a/up"),
        (PathBuf::from("a"), "in-folder"),
        (PathBuf::from("a/b.ship"), "in-file.ship"),
        (PathBuf::from("."), "self"),
        (PathBuf::from("circle-b"), "circle-a"),
        (PathBuf::from("circle-a"), "circle-b"),
        (PathBuf::from("nothing"), "nowhere"),
    ] {
        symlink(target, folder.join(link)).expect("links can be made");
    }
    let walk = walk(folder.path(), &WalkLimits::default()).expect("it can be listed");
    assert_eq!(paths(&walk), ["a/b.ship"]);
    let found: Vec<(&str, &What)> = walk.oddities.iter().map(|oddity| (oddity.path.as_str(), &oddity.what)).collect();
    assert_eq!(
        found,
        [
            ("a/up", &What::LinkOutside),
            ("circle-a", &What::LinkNowhere),
            ("circle-b", &What::LinkNowhere),
            ("in-file.ship", &What::LinkInside),
            ("in-folder", &What::LinkInside),
            ("nowhere", &What::LinkNowhere),
            ("out-file.ship", &What::LinkOutside),
            ("out-folder", &What::LinkOutside),
            ("self", &What::LinkInside),
        ]
    );
    assert_eq!(Stamp::of(&folder.join("in-file.ship")), None, "a link is not a file");
}

#[cfg(unix)]
#[test]
fn invalid_names_are_reported() {
    use std::ffi::OsStr;
    use std::os::unix::ffi::OsStrExt;
    let folder = TestFolder::new();
    put(&folder, "good.ship");
    for name in [&b"bad\xff.ship"[..], b"back\\slash.ship"] {
        fs::write(folder.path().join(OsStr::from_bytes(name)), "").expect("any name can be written");
    }
    let walk = walk(folder.path(), &WalkLimits::default()).expect("it can be listed");
    assert_eq!(paths(&walk), ["good.ship"]);
    assert!(walk.oddities.iter().all(|oddity| oddity.what == What::Name));
    assert_eq!(walk.oddities.len(), 2);
}

#[cfg(unix)]
#[test]
fn an_unreadable_folder_omits_only_itself() {
    use std::os::unix::fs::PermissionsExt;
    let folder = TestFolder::new();
    put(&folder, "closed/a.ship");
    put(&folder, "open/b.ship");
    let closed = folder.join("closed");
    fs::set_permissions(&closed, fs::Permissions::from_mode(0o000)).expect("it is ours");
    let is_closed = fs::read_dir(&closed).is_err();
    let walk = walk(folder.path(), &WalkLimits::default()).expect("the root can be listed");
    fs::set_permissions(&closed, fs::Permissions::from_mode(0o700)).expect("it is ours");
    if is_closed {
        assert_eq!(paths(&walk), ["open/b.ship"]);
        assert!(oddities(&walk)[0].starts_with("closed: cannot be read: "));
    } else {
        // The superuser can list it.
        assert_eq!(walk.files.len(), 2);
    }
}
