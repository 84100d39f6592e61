use super::*;
use crate::blocks::{BlockBudgets, BlockCache, BlockHandle, BlockKind};
use crate::headers;
use crate::testing::{Folder, Model, Ship, classes, put, put_texture};
use base::StringId;
use std::fs;
use tags::{Library, TagId};

/// How long a test waits for an expected event. Only a failing test waits that long.
const PATIENCE: Duration = Duration::from_secs(20);

fn begin(folder: &Folder, root: &str) -> (HotReload, Library) {
    let (living, loaded) =
        HotReload::begin(&folder.join("tags"), classes(), &[root], &LoadLimits::default()).expect("the tree is there");
    (living, loaded.library(classes()))
}

/// Waits until the library is as expected.
fn expect(living: &mut HotReload, library: &mut Library, what: &str, is_so: impl Fn(&Library) -> bool) {
    let end = Instant::now() + PATIENCE;
    while !is_so(library) {
        assert!(Instant::now() < end, "timed out waiting for: {what}");
        let news = living.wait(PATIENCE);
        news.bulk.into_iter().for_each(|(digest, bytes)| library.add_bulk(digest, bytes));
        library.apply(news.ready);
    }
}

fn mass(library: &Library, path: &str) -> Option<f32> {
    library.find::<Ship>(path).map(|ship| ship.mass)
}

#[test]
fn a_saved_tag_is_a_changed_tag() {
    let folder = Folder::new();
    put(&folder, &[("tags/a.ship", "@ship\n!set mass 1\n")]);
    let (mut living, mut library) = begin(&folder, "a.ship");
    for number in 2..6_u8 {
        fs::write(folder.join("tags/a.ship"), format!("@ship\n!set mass {number}\n")).expect("it can be written");
        expect(&mut living, &mut library, "the new mass", |library| mass(library, "a.ship") == Some(f32::from(number)));
    }
}

#[test]
fn a_tag_whose_postprocess_reads_a_changed_tag_changes_too() {
    let folder = Folder::new();
    put(&folder, &[("tags/a.ship", "@ship\n!set model \"m.model\"\n"), ("tags/m.model", "@model\n!set radius 1\n")]);
    let (mut living, mut library) = begin(&folder, "a.ship");
    put(&folder, &[("tags/m.model", "@model\n!set radius 5\n")]);
    expect(&mut living, &mut library, "the new size", |library| {
        library.find::<Ship>("a.ship").map(|ship| ship.size) == Some(10.0)
    });
    assert_eq!(library.find::<Model>("m.model").map(|model| model.radius), Some(5.0));
}

#[test]
fn an_error_is_reported_and_the_last_good_version_stays() {
    let folder = Folder::new();
    put(&folder, &[("tags/a.ship", "@ship\n!set mass 1\n")]);
    let (mut living, mut library) = begin(&folder, "a.ship");
    put(&folder, &[("tags/a.ship", "@ship\n!set mass heavy oops\n")]);
    let news = living.wait(PATIENCE);
    assert!(news.ready.is_empty());
    assert!(news.reports.iter().any(|report| report.path == "a.ship" && report.is_error()), "{news:?}");
    put(&folder, &[("tags/a.ship", "@ship\n!set mass 1\n")]);
    let news = living.wait(PATIENCE);
    assert_eq!((news.settled, news.ready.len()), (vec!["a.ship".to_string()], 0));
    put(&folder, &[("tags/a.ship", "@ship\n!set mass 3\n")]);
    expect(&mut living, &mut library, "the new mass", |library| mass(library, "a.ship") == Some(3.0));
}

#[test]
fn a_removed_file_is_reported_and_may_come_back() {
    let folder = Folder::new();
    put(&folder, &[("tags/a.ship", "@ship\n!set mass 1\n")]);
    let (mut living, mut library) = begin(&folder, "a.ship");
    fs::remove_file(folder.join("tags/a.ship")).expect("it is there");
    let news = living.wait(PATIENCE);
    assert_eq!(news.gone, ["a.ship"]);
    assert!(news.ready.is_empty());
    put(&folder, &[("tags/a.ship", "@ship\n!set mass 2\n")]);
    expect(&mut living, &mut library, "the new mass", |library| mass(library, "a.ship") == Some(2.0));
}

#[test]
fn tags_that_are_new_or_come_late_are_loaded() {
    let folder = Folder::new();
    put(&folder, &[("tags/a.ship", "@ship\n!set escorts [\"late.ship\"]\n"), ("tags/b.ship", "@ship\n!set mass 7\n")]);
    let (mut living, mut library) = begin(&folder, "a.ship");
    assert!(mass(&library, "b.ship").is_none());
    put(&folder, &[("tags/unwanted.ship", "@ship\n"), ("tags/late.ship", "@ship\n!set escorts [\"b.ship\"]\n")]);
    expect(&mut living, &mut library, "what it leads to", |library| mass(library, "b.ship") == Some(7.0));
    assert!(mass(&library, "late.ship").is_some());
    assert!(mass(&library, "unwanted.ship").is_none());
}

#[test]
fn bulk_comes_with_its_tag_in_any_order() {
    let folder = Folder::new();
    let model = |bytes: &[u8]| {
        let hash = crate::content_key::of(bytes);
        format!("@model\n!set pixels {{ file \"m.pixels\", bytes {}, hash \"{hash}\" }}\n", bytes.len())
    };
    put(&folder, &[("tags/m.model", &model(b"one")), ("tags/m.pixels", "one")]);
    let (mut living, mut library) = begin(&folder, "m.model");
    let has = |library: &Library, bytes: &[u8]| {
        let model = library.get(TagId::<Model>::at("m.model")).expect("it is there");
        library.bulk(&model.pixels) == bytes
    };
    assert!(has(&library, b"one"));
    put(&folder, &[("tags/m.pixels", "two"), ("tags/m.model", &model(b"two"))]);
    expect(&mut living, &mut library, "the second", |library| has(library, b"two"));
    put(&folder, &[("tags/m.model", &model(b"three"))]);
    expect(&mut living, &mut library, "no bulk", |library| has(library, b""));
    put(&folder, &[("tags/m.pixels", "three")]);
    expect(&mut living, &mut library, "the third", |library| has(library, b"three"));
}

#[test]
fn tags_built_during_hot_reload_are_cached() {
    let folder = Folder::new();
    put(&folder, &[("tags/a.ship", "@ship\n!set mass 1\n")]);
    let (mut living, mut library) = begin(&folder, "a.ship");
    put(&folder, &[("tags/a.ship", "@ship\n!set mass 2\n")]);
    expect(&mut living, &mut library, "the new mass", |library| mass(library, "a.ship") == Some(2.0));
    drop(living);
    let mut shelf = crate::Shelf::open(&folder.join("tags"), classes()).expect("the tree is there");
    let loaded = shelf.load(&["a.ship"], &LoadLimits::default());
    assert!(loaded.built.is_empty(), "{:?}", loaded.built);
    assert_eq!(loaded.library(classes()).identity(), library.identity());
}

#[test]
fn a_change_during_the_start_is_not_missed() {
    let folder = Folder::new();
    put(
        &folder,
        &[("tags/a.ship", "@ship\n!set escorts [\"b.ship\", \"c.ship\"]\n"), ("tags/b.ship", "@ship\n!set mass 1\n")],
    );
    put(&folder, &[("tags/c.ship", "@ship\n")]);
    // Although modification time, size and inode stay the same.
    fs::write(folder.join("tags/b.ship"), "@ship\n!set mass 2\n").expect("it can be written");
    let (mut following, loaded) =
        TreeFollower::begin(Folders::one(&folder.join("tags")), classes(), None, &["a.ship"], &LoadLimits::default())
            .expect("it is there");
    let file = fs::File::options().write(true).open(folder.join("tags/b.ship")).expect("it is there");
    let age = file.metadata().and_then(|metadata| metadata.modified()).expect("it has an age");
    fs::write(folder.join("tags/b.ship"), "@ship\n!set mass 3\n").expect("it can be written");
    file.set_modified(age).expect("it is ours");
    fs::remove_file(folder.join("tags/c.ship")).expect("it is there");
    let mut library = loaded.library(classes());
    assert_eq!(mass(&library, "b.ship"), Some(2.0));
    let news = following.advance(Duration::ZERO);
    assert_eq!(news.gone, ["c.ship"]);
    library.apply(news.ready);
    assert_eq!(mass(&library, "b.ship"), Some(3.0));
}

#[test]
fn a_new_version_can_be_fetched_while_the_game_runs() {
    let folder = Folder::new();
    put(&folder, &[("tags/a.ship", "@ship\n!set mass 1\n")]);
    let (mut living, mut library) = begin(&folder, "a.ship");
    put(&folder, &[("tags/a.ship", "@ship\n!set mass 2\n")]);
    expect(&mut living, &mut library, "the new mass", |library| mass(library, "a.ship") == Some(2.0));
    let kept = crate::history::History::new(&folder.join(".astrarium"), classes(), ["a.ship"]);
    let id = base::StringId::new("a.ship");
    let change = tags::library::Change { path: id, key: library.key(id).expect("it is there").half() };
    let end = Instant::now() + PATIENCE;
    while kept.fetch(change).is_none() {
        assert!(Instant::now() < end, "timed out waiting for the store");
        std::thread::yield_now();
    }
}

#[test]
fn changed_headers_are_listed() {
    let folder = Folder::new();
    put(&folder, &[("tags/a.ship", "@ship\n")]);
    let (mut living, _) = begin(&folder, "a.ship");
    put(&folder, &[("tags/torpedo.header", "@EnvironmentHeader\n")]);
    assert_eq!(living.wait(PATIENCE).headers[0].paths, ["torpedo.header"]);
    assert!(living.take_troubles().is_empty());
}

#[test]
fn a_tag_written_while_it_is_read_ends_with_its_last_content() {
    let folder = Folder::new();
    let text = |mass: u32| format!("@ship\n{}!set mass {mass}\n", "// many words that take their time\n".repeat(200));
    put(&folder, &[("tags/a.ship", &text(1))]);
    let (mut living, mut library) = begin(&folder, "a.ship");
    let (path, beside) = (folder.join("tags/a.ship"), folder.join("tags/a.ship.new"));
    for mass in 2..=120 {
        match mass % 3 {
            0 => fs::write(&path, text(mass)).expect("it can be written"),
            1 => {
                fs::write(&beside, text(mass)).expect("it can be written");
                fs::rename(&beside, &path).expect("it is there");
            }
            _ => {
                fs::remove_file(&path).expect("it is there");
                for part in text(mass).as_bytes().chunks(1000) {
                    let mut file = fs::File::options().create(true).append(true).open(&path).expect("it can be opened");
                    std::io::Write::write_all(&mut file, part).expect("it can be written");
                }
            }
        }
        let news = living.poll();
        library.apply(news.ready);
        // A part of a text is a text too: its mass is the default.
        let is_sound = |found: f32| found == 10.0 || (1.0..=mass as f32).contains(&found);
        assert!(mass_of(&library).is_some_and(is_sound));
    }
    expect(&mut living, &mut library, "the last mass", |library| mass_of(library) == Some(120.0));
}

fn mass_of(library: &Library) -> Option<f32> {
    mass(library, "a.ship")
}

#[test]
fn if_everything_is_followed_a_new_file_is_a_new_tag() {
    let folder = Folder::new();
    put(&folder, &[("tags/a.ship", "@ship\n!set mass 1\n")]);
    let (mut living, mut library) = begin(&folder, crate::load::EVERYTHING);
    assert_eq!(mass(&library, "a.ship"), Some(1.0));
    put(&folder, &[("tags/new/b.ship", "@ship\n!set mass 7\n")]);
    expect(&mut living, &mut library, "the new tag", |library| mass(library, "new/b.ship") == Some(7.0));
}

#[test]
fn a_container_that_changed_is_still_found_by_its_earlier_digest() {
    let folder = Folder::new();
    let versions: Vec<Vec<u8>> = (0..3).map(|number| vec![number; 300_000]).collect();
    let mut digests = vec![put_texture(&folder, "m", &versions[0])];
    let (mut living, mut library) = begin(&folder, "m.model");
    let cache = BlockCache::new(Arc::clone(living.containers()), &BlockBudgets::default());
    for version in &versions[1..] {
        let stored = folder.join(format!(".astrarium/bulk/{}.bulk", digests[digests.len() - 1]));
        let end = Instant::now() + PATIENCE;
        while !stored.exists() {
            assert!(Instant::now() < end, "never stored");
            let _ = living.wait(Duration::from_millis(1));
        }
        digests.push(put_texture(&folder, "m", version));
        let digest = digests[digests.len() - 1].0;
        expect(&mut living, &mut library, "the new texture", |library| {
            library.find::<Model>("m.model").is_some_and(|model| model.texture.digest == digest)
        });
    }
    for (digest, version) in digests.iter().zip(&versions) {
        let bulk = tags::Bulk { digest: digest.0, bytes: 0 };
        let bulk = cache.open(&bulk, BlockKind::Texture).expect("it is named");
        let block = BlockHandle { bulk, block: 1 };
        let _ = cache.request(block, 0);
        cache.finish();
        let bytes = cache.request(block, 0).unwrap_or_else(|| panic!("{:?}", cache.take_troubles()));
        assert_eq!(bytes[..], version[tags::bulk::BLOCK_BYTES..]);
    }
    // A later program finds it too.
    drop(living);
    let later = crate::containers::Containers::in_home(&folder.join(".astrarium"));
    assert!(digests.iter().all(|digest| later.open(digest).is_ok()));
}

#[test]
fn a_container_that_comes_after_its_tag_is_announced() {
    let folder = Folder::new();
    put_texture(&folder, "m", b"first");
    let file = folder.join("tags/m.model.bulk");
    let bytes = fs::read(&file).expect("it is there");
    fs::remove_file(&file).expect("it is ours");
    let (mut living, _) = begin(&folder, "m.model");
    fs::write(&file, bytes).expect("it can be written");
    let end = Instant::now() + PATIENCE;
    while !living.wait(PATIENCE).bulk_files.contains(&"m.model.bulk".to_string()) {
        assert!(Instant::now() < end, "never announced");
    }
}

#[test]
fn a_changed_tag_changes_those_made_from_it() {
    let folder = Folder::new();
    put(
        &folder,
        &[
            ("tags/a.ship", "@ship\n!from \"b.ship\"\n"),
            ("tags/b.ship", "@ship\n!from \"c.ship\"\n!set model \"m.model\"\n"),
            ("tags/c.ship", "@ship\n!set mass 3\n"),
            ("tags/m.model", "@model\n!set radius 4\n"),
        ],
    );
    let (mut living, mut library) = begin(&folder, "a.ship");
    let size = |library: &Library| library.find::<Ship>("a.ship").map(|ship| ship.size);
    assert_eq!((mass(&library, "a.ship"), size(&library)), (Some(3.0), Some(8.0)));
    assert!(library.find::<Ship>("c.ship").is_none(), "nothing refers to it");
    let first = library.key(StringId::from("a.ship"));
    put(&folder, &[("tags/c.ship", "@ship\n!set mass 5\n")]);
    expect(&mut living, &mut library, "the mass of the parent", |library| mass(library, "a.ship") == Some(5.0));
    assert_ne!(library.key(StringId::from("a.ship")), first, "its key covers its parents");
    drop(living);
    // From the store, and after a change while nobody looked.
    let (living, library) = begin(&folder, "a.ship");
    assert_eq!(mass(&library, "a.ship"), Some(5.0));
    drop(living);
    put(&folder, &[("tags/c.ship", "@ship\n!set mass 6\n")]);
    let (mut living, mut library) = begin(&folder, "a.ship");
    assert_eq!(mass(&library, "a.ship"), Some(6.0));
    // A parent that is gone is told, and the last good version stays.
    fs::remove_file(folder.join("tags/c.ship")).expect("it is there");
    let news = living.wait(PATIENCE);
    assert!(news.reports.iter().any(|report| report.to_string().contains("`c.ship` does not exist")), "{news:?}");
    library.apply(news.ready);
    assert_eq!(mass(&library, "a.ship"), Some(6.0));
}

#[test]
fn wrong_parents_are_told_at_the_line() {
    let folder = Folder::new();
    put(
        &folder,
        &[
            ("tags/a.ship", "@ship\n!from \"b.ship\"\n"),
            ("tags/b.ship", "@ship\n!from \"a.ship\"\n"),
            ("tags/c.ship", "@ship\n!from \"m.model\"\n"),
            ("tags/m.model", "@model\n"),
        ],
    );
    for number in 0..9 {
        let text = format!("@ship\n!from \"deep{}.ship\"\n", number + 1);
        put(&folder, &[(&format!("tags/deep{number}.ship"), &text)]);
    }
    put(&folder, &[("tags/deep9.ship", "@ship\n")]);
    let (_, loaded) =
        HotReload::begin(&folder.join("tags"), classes(), &["*"], &LoadLimits::default()).expect("a tree");
    let told: Vec<String> = loaded.reports.iter().map(ToString::to_string).collect();
    let has = |path: &str, part: &str| told.iter().any(|line| line.starts_with(path) && line.contains(part));
    assert!(has("a.ship:2:7", "cycle: `a.ship` → `b.ship` → `a.ship`"), "{told:#?}");
    assert!(has("c.ship:2:7", "expected a tag of the class `ship`"), "{told:#?}");
    assert!(has("deep0.ship:2:7", "at most 8"), "{told:#?}");
    assert!(!has("deep2.ship", ""), "{told:#?}");
}

#[test]
fn a_changed_header_or_library_counts_at_once_where_tags_keep_their_layout() {
    const HEADER: &str = "@EnvironmentHeader\n!set Namespace \"door\"\n!set Use \"lib/doors.lscript\"\n\
                          !set Attributes [{ name \"width\", type \"f32\", default 1 }, { name \"area\", type \"f32\", default square(width) }]\n";
    let folder = Folder::new();
    put(
        &folder,
        &[
            ("tags/door.header", HEADER),
            ("tags/lib/doors.lscript", "!set square Lambda(x, x * x)\n"),
            ("tags/a.door", "@door\n!set width 3\n"),
        ],
    );
    let root = folder.join("tags");
    let read = |root: &Path| {
        let mut classes = Classes::new();
        let reports = headers::add_from_tree(&mut classes, root).ok()?;
        Some((classes, reports))
    };
    let (first, reports) = read(&root).expect("it is there");
    assert!(reports.is_empty(), "{reports:?}");
    let (first, again) = (Arc::new(first), root.clone());
    let (mut living, loaded) = HotReload::begin_folders(
        Folders::one(&root),
        Arc::clone(&first),
        Some(Box::new(move || read(&again))),
        &["*"],
        &LoadLimits::default(),
    )
    .expect("it is there");
    assert!(loaded.reports.is_empty(), "{:?}", loaded.reports);
    let mut library = loaded.library(Arc::clone(&first));
    let area = |library: &Library| {
        let id = StringId::from("a.door");
        let class = library.class_of(id).expect("its class is known");
        format!("{:?}", library.packed(id).expect("it is there").reflect(class).get("area"))
    };
    assert_eq!(area(&library), "Number(9.0)");
    put(&folder, &[("tags/lib/doors.lscript", "!set square Lambda(x, x * x + 1)\n")]);
    expect(&mut living, &mut library, "the other lambda", |library| area(library) == "Number(10.0)");
    put(&folder, &[("tags/door.header", &HEADER.replace("square(width)", "width * 7"))]);
    expect(&mut living, &mut library, "the other default", |library| area(library) == "Number(21.0)");
    put(&folder, &[("tags/door.header", &HEADER.replace("\"area\"", "\"surface\""))]);
    let news = living.wait(PATIENCE);
    assert_eq!(news.headers[0].waits, ["door"], "{news:?}");
    assert_eq!(area(&library), "Number(21.0)");
}

#[test]
fn what_was_told_when_the_tree_was_opened_is_not_told_again() {
    let folder = Folder::new();
    put(&folder, &[("tags/a.ship", "@ship\n!set mass \"x\"\n")]);
    let (mut living, loaded) = HotReload::begin(&folder.join("tags"), classes(), &["a.ship"], &LoadLimits::default())
        .expect("the tree is there");
    assert_eq!(loaded.reports.len(), 1, "{:?}", loaded.reports);
    // The file is so new that it is read again when it is watched.
    let news = living.wait(Duration::from_millis(300));
    assert_eq!((&news.reports[..], &news.settled[..]), (&[][..], &[][..]));
    // Another text with an error is told, and it is known that there is no good version.
    put(&folder, &[("tags/a.ship", "@ship\n!set mass \"y\"\n")]);
    let end = Instant::now() + PATIENCE;
    let mut news = TreeChanges::default();
    while news.reports.is_empty() {
        assert!(Instant::now() < end, "nothing was told");
        news = living.wait(PATIENCE);
    }
    assert_eq!(news.never_sound, ["a.ship"]);
    put(&folder, &[("tags/a.ship", "@ship\n!set mass 3\n")]);
    while news.settled.is_empty() {
        assert!(Instant::now() < end, "nothing was settled");
        news = living.wait(PATIENCE);
    }
    put(&folder, &[("tags/a.ship", "@ship\n!set mass \"z\"\n")]);
    while news.reports.is_empty() {
        assert!(Instant::now() < end, "nothing was told");
        news = living.wait(PATIENCE);
    }
    assert_eq!(news.never_sound, [""; 0]);
}
