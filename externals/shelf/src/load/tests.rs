use super::*;
use crate::content_key;
use crate::testing::{Folder, Model, Ship, classes, put, put_bytes, put_texture, texture_text};
use std::fs;
use tags::TagId;

fn open(folder: &Folder) -> Shelf {
    Shelf::open(&folder.join("tags"), classes()).expect("the tree is there")
}

/// Loads a root as a separate process would, and saves.
fn load(folder: &Folder, root: &str) -> Loaded {
    let mut shelf = open(folder);
    let loaded = shelf.load(&[root], &LoadLimits::default());
    shelf.save().expect("the folder can be written");
    loaded
}

fn paths(loaded: &Loaded) -> Vec<&str> {
    loaded.tags.keys().map(String::as_str).collect()
}

fn told(loaded: &Loaded) -> Vec<String> {
    loaded.reports.iter().map(|report| report.rendered.lines().next().unwrap_or("").to_string()).collect()
}

fn built(loaded: &Loaded) -> Vec<(&str, String)> {
    loaded.built.iter().map(|(path, reason)| (path.as_str(), reason.to_string())).collect()
}

/// Everything that must not depend on how it was loaded.
fn content(loaded: &Loaded) -> Vec<(String, Key, Vec<u8>)> {
    loaded.tags.iter().map(|(path, tag)| (path.clone(), tag.key, tag.packed.bytes().to_vec())).collect()
}

const FLEET: [(&str, &str); 5] = [
    (
        "tags/ships/big.ship",
        "@ship\n!set mass 100\n!set model \"models/big.model\"\n!set escorts [\"ships/a.ship\", \"ships/b.ship\"]\n",
    ),
    ("tags/ships/a.ship", "@ship\n!set model \"models/small.model\"\n"),
    ("tags/ships/b.ship", "@ship\n!set model \"models/small.model\"\n"),
    ("tags/models/big.model", "@model\n!set radius 20\n"),
    ("tags/models/small.model", "@model\n!set radius 3\n"),
];

#[test]
fn the_closure_of_a_root_is_loaded_and_postprocessed() {
    let folder = Folder::new();
    put(&folder, &FLEET);
    put(&folder, &[("tags/ships/unused.ship", "@ship\n")]);
    let loaded = load(&folder, "ships/big.ship");
    assert_eq!(
        paths(&loaded),
        ["models/big.model", "models/small.model", "ships/a.ship", "ships/b.ship", "ships/big.ship"]
    );
    assert!(loaded.reports.is_empty(), "{:?}", told(&loaded));
    assert!(loaded.built.values().all(|reason| *reason == RebuildReason::NeverMade));
    let library = loaded.library(classes());
    let ship = library.get(TagId::<Ship>::at("ships/big.ship")).expect("it is there");
    assert_eq!((ship.mass, ship.size), (100.0, 52.0));
    assert_eq!(library.follow(&ship.model).map(|model| model.radius), Some(20.0));
    assert_eq!(ship.each(&ship.escorts).len(), 2);
}

#[test]
fn unchanged_tags_come_from_the_store() {
    let folder = Folder::new();
    put(&folder, &FLEET);
    let first = load(&folder, "ships/big.ship");
    let second = load(&folder, "ships/big.ship");
    assert!(second.built.is_empty(), "{:?}", built(&second));
    assert_eq!(content(&first), content(&second));
    // Without an index, with new modification times, and without a store: the same.
    fs::remove_file(folder.join(".astrarium/tags.index")).expect("it was written");
    let third = load(&folder, "ships/big.ship");
    assert!(third.built.is_empty(), "{:?}", built(&third));
    assert_eq!(content(&first), content(&third));
    put(&folder, &FLEET);
    let fourth = load(&folder, "ships/big.ship");
    assert!(fourth.built.is_empty(), "{:?}", built(&fourth));
    fs::remove_dir_all(folder.join(".astrarium/store")).expect("it was written");
    let fifth = load(&folder, "ships/big.ship");
    assert!(
        fifth.built.values().all(|reason| *reason == RebuildReason::Lost) && fifth.built.len() == 5,
        "{:?}",
        built(&fifth)
    );
    assert_eq!(content(&first), content(&fifth));
    assert!(load(&folder, "ships/big.ship").built.is_empty());
}

#[test]
fn every_rebuild_states_its_reason() {
    let folder = Folder::new();
    put(&folder, &FLEET);
    load(&folder, "ships/big.ship");
    put(&folder, &[("tags/ships/a.ship", "@ship\n!set mass 12\n!set model \"models/small.model\"\n")]);
    let loaded = load(&folder, "ships/big.ship");
    let reads = "it reads `ships/a.ship`, which changed".to_string();
    assert_eq!(built(&loaded), [("ships/a.ship", "its text changed".to_string()), ("ships/big.ship", reads)]);
    put(&folder, &[("tags/models/small.model", "@model\n!set radius 4\n")]);
    let loaded = load(&folder, "ships/big.ship");
    let reads = "it reads `models/small.model`, which changed".to_string();
    assert_eq!(
        built(&loaded),
        [
            ("models/small.model", "its text changed".to_string()),
            ("ships/a.ship", reads.clone()),
            ("ships/b.ship", reads),
            ("ships/big.ship", "it reads `ships/a.ship`, which changed".to_string())
        ]
    );
    let library = loaded.library(classes());
    assert_eq!(library.get(TagId::<Ship>::at("ships/a.ship")).map(|ship| ship.size), Some(8.0));
    let mut shelf = open(&folder);
    shelf.classes = Arc::new(tags::Classes::new().with_postprocess::<Ship>());
    let mut class = <Model as tags::Tag>::class();
    class.records[0].fields[0].default = Some("2".into());
    Arc::get_mut(&mut shelf.classes).expect("the classes are not shared").add_table(class).expect("it is new");
    let loaded = shelf.load(&["ships/big.ship"], &LoadLimits::default());
    assert_eq!(loaded.built.get("models/big.model"), Some(&RebuildReason::Class("model".into())));
}

#[test]
fn an_error_in_a_text_is_reported_at_every_start() {
    let folder = Folder::new();
    put(&folder, &[("tags/a.ship", "@ship\n!set mass \"heavy\"\n")]);
    for start in 0..3 {
        let loaded = load(&folder, "a.ship");
        assert_eq!(loaded.reports.len(), 1, "{:?}", told(&loaded));
        assert!(told(&loaded)[0].starts_with("a.ship:2:11: error: "), "{:?}", told(&loaded));
        assert!(loaded.unsound.contains("a.ship"));
        let why = if start == 0 { RebuildReason::NeverMade } else { RebuildReason::Reports };
        assert_eq!(loaded.built.get("a.ship"), Some(&why));
        assert_eq!(loaded.library(classes()).get(TagId::<Ship>::at("a.ship")).map(|ship| ship.mass), Some(10.0));
    }
}

#[test]
fn reports_are_limited_and_the_rest_counted() {
    let folder = Folder::new();
    put(&folder, &[("tags/a.ship", &format!("@ship\n{}!set mass oops\n", "!set mass 1\n".repeat(90)))]);
    let told = told(&load(&folder, "a.ship"));
    assert_eq!(told.len(), crate::limits::REPORTS_PER_TAG_MAX + 1);
    assert!(told.iter().any(|line| line.contains("more reports about this file")), "{told:?}");
    assert!(told.iter().any(|line| line.contains(": error: ")), "{told:?}");
}

#[test]
fn missing_tags_are_reported_at_the_reference() {
    let folder = Folder::new();
    let text = "@ship\n!set model \"models/smal.model\"\n!set escorts [\"ships/A.ship\", \"b.ship\", \"folder.ship\", \"x.ship\"]\n";
    put(&folder, &[("tags/root.ship", text), ("tags/ships/a.ship", "@ship\n"), ("tags/other/b.ship", "@ship\n")]);
    put(&folder, &[("tags/models/small.model", "@model\n"), ("tags/folder.ship/c.ship", "@ship\n")]);
    for _ in 0..2 {
        let loaded = load(&folder, "root.ship");
        let rendered: Vec<&str> = loaded.reports.iter().map(|report| report.rendered.as_str()).collect();
        assert_eq!(rendered.len(), 5, "{rendered:?}");
        let expected = "root.ship:2:12: error: the tag `models/smal.model` does not exist\n  |\n2 | !set model \"models/smal.model\"\n  |            ^^^^^^^^^^^^^^^^^^^\n  = did you mean `models/small.model`?\n";
        assert_eq!(rendered[0], expected);
        assert!(rendered[1].contains("did you mean `ships/a.ship`? Letter case counts"));
        assert!(rendered[2].contains("did you mean `other/b.ship`?"));
        assert!(rendered[3].contains("a folder has that name"));
        assert!(rendered[4].contains("create it, or remove the reference"));
        assert_eq!(paths(&loaded), ["root.ship"]);
    }
    let loaded = load(&folder, "ships/missing.ship");
    assert_eq!(told(&loaded), ["ships/missing.ship: error: there is no such tag"]);
    let loaded = load(&folder, "../root.ship");
    assert_eq!(loaded.reports.len(), 1);
    assert!(loaded.tags.is_empty());
    put(&folder, &[("tags/a.shup", "@shup\n")]);
    let loaded = load(&folder, "a.shup");
    assert!(loaded.reports[0].rendered.contains("did you mean `ship`?"), "{:?}", told(&loaded));
}

#[test]
fn cycles_are_reported_and_loaded() {
    let folder = Folder::new();
    let ship = |escort: &str| format!("@ship\n!set escorts [\"{escort}\"]\n");
    put(
        &folder,
        &[("tags/a.ship", &ship("b.ship")), ("tags/b.ship", &ship("c.ship")), ("tags/c.ship", &ship("a.ship"))],
    );
    put(&folder, &[("tags/self.ship", &ship("self.ship"))]);
    let loaded = load(&folder, "b.ship");
    assert_eq!(paths(&loaded), ["a.ship", "b.ship", "c.ship"]);
    let lines = told(&loaded);
    let expected = "c.ship:2:15: warning: this reference closes a cycle: a.ship → b.ship → c.ship → a.ship";
    assert!(lines.iter().any(|line| line == expected), "{lines:?}");
    let waits = lines.iter().filter(|line| line.contains("is part of a dependency cycle")).count();
    assert_eq!((lines.len(), waits), (4, 3), "{lines:?}");
    assert_eq!(told(&load(&folder, "self.ship")).len(), 2);
}

#[test]
fn a_long_chain_is_loaded_and_too_many_tags_are_reported() {
    let folder = Folder::new();
    for number in 0..2000 {
        let text = format!("@ship\n!set escorts [\"{}.ship\"]\n", number + 1);
        put(&folder, &[(&format!("tags/{number}.ship"), &text)]);
    }
    put(&folder, &[("tags/2000.ship", "@ship\n")]);
    for _ in 0..2 {
        let loaded = load(&folder, "0.ship");
        assert_eq!((loaded.tags.len(), loaded.reports.len()), (2001, 0));
    }
    let limits = LoadLimits { tags: 100, ..LoadLimits::default() };
    let loaded = open(&folder).load(&["0.ship"], &limits);
    assert_eq!(loaded.tags.len(), 100);
    assert!(told(&loaded)[0].contains("more than 100 tags"), "{:?}", told(&loaded));
}

#[test]
fn bulk_data_is_loaded_if_it_matches_its_tag() {
    let folder = Folder::new();
    let good = content_key::of(b"pixels").to_string();
    let bad = content_key::of(b"others").to_string();
    let model = |file: &str, bytes: u32, hash: &str| {
        format!("@model\n!set pixels {{ file \"{file}\", bytes {bytes}, hash \"{hash}\" }}\n")
    };
    put_bytes(&folder, "tags/m/a.pixels", b"pixels");
    put(
        &folder,
        &[
            ("tags/m/good.model", &model("a.pixels", 6, &good)),
            ("tags/m/long.model", &model("a.pixels", 7, &bad)),
            ("tags/m/other.model", &model("a.pixels", 6, &bad)),
            ("tags/m/gone.model", &model("b.pixels", 6, &bad)),
            ("tags/m/none.model", "@model\n!set pixels { file \"a.pixels\", bytes 6 }\n"),
        ],
    );
    for _ in 0..2 {
        let mut shelf = open(&folder);
        let roots = ["m/good.model", "m/long.model", "m/other.model", "m/gone.model", "m/none.model"];
        let loaded = shelf.load(&roots, &LoadLimits::default());
        shelf.save().expect("the folder can be written");
        assert_eq!(loaded.bulk.len(), 1);
        let library = loaded.library(classes());
        let model = library.get(TagId::<Model>::at("m/good.model")).expect("it is there");
        assert_eq!(library.bulk(&model.pixels), b"pixels");
        let told = told(&loaded);
        assert_eq!(told.len(), 4, "{told:?}");
        assert!(told[0].ends_with("the file `b.pixels`: it does not exist"), "{told:?}");
        assert!(told[1].ends_with("expected 7 bytes, found 6"), "{told:?}");
        assert!(told[2].ends_with("gives no hash for the file `a.pixels`, so it is not loaded"), "{told:?}");
        assert!(told[3].ends_with("its hash differs"), "{told:?}");
        assert!(loaded.reports[2].rendered.contains(&format!("hash \"{good}\"")));
    }
    let limits = LoadLimits { bulk_bytes_each: 5, ..LoadLimits::default() };
    assert!(open(&folder).load(&["m/good.model"], &limits).bulk.is_empty());
    let limits = LoadLimits { bulk_bytes: 5, ..LoadLimits::default() };
    assert!(open(&folder).load(&["m/good.model"], &limits).bulk.is_empty());
}

#[test]
fn bulk_data_that_is_not_resident_is_checked_and_not_read() {
    let folder = Folder::new();
    let digest = put_texture(&folder, "good", &[7; 1_000_000]);
    let file = fs::read(folder.join("tags/good.model.bulk")).expect("it is there");
    let put_other = |name: &str, bytes: &[u8]| {
        put_bytes(&folder, &format!("tags/{name}.model.bulk"), bytes);
        put(&folder, &[(&format!("tags/{name}.model"), &texture_text(name, file.len(), &digest))]);
    };
    put_other("short", &file[..file.len() - 1]);
    put_other("plain", &vec![b'x'; file.len()]);
    let mut damaged = file.clone();
    damaged[50] ^= 1;
    put_other("damaged", &damaged);
    put(&folder, &[("tags/gone.model", &texture_text("gone", file.len(), &digest))]);
    // Damage behind the directory is found when the block is read.
    let mut behind = file.clone();
    *behind.last_mut().expect("it is long") ^= 1;
    put_other("behind", &behind);
    let loaded = load(&folder, "*");
    assert_eq!((loaded.tags.len(), loaded.bulk.len()), (6, 0));
    let told: Vec<String> = loaded.reports.iter().map(|report| report.report.message.clone()).collect();
    assert_eq!(told.len(), 4, "{told:?}");
    for (report, expected) in loaded.reports.iter().zip([
        ("damaged.model", "the directory is damaged: its checksum differs"),
        ("gone.model", "it does not exist"),
        ("plain.model", "it is no bulk container, and only resident data may be any file"),
        ("short.model", "the bytes of block 3 lie outside of the file or in another block"),
    ]) {
        assert_eq!(report.path, expected.0);
        assert!(report.report.message.ends_with(expected.1), "{}", report.report.message);
    }
}

#[test]
fn any_bytes_in_a_tag_file_are_reported_and_harmless() {
    let folder = Folder::new();
    for (number, bytes) in
        [&b""[..], b"\xff\xfe", b"@ship\n!set mass \xff", b"@model", b"\0\0\0", b"@ship\n!set mass 1e999"]
            .iter()
            .enumerate()
    {
        put_bytes(&folder, &format!("tags/{number}.ship"), bytes);
        let loaded = load(&folder, &format!("{number}.ship"));
        assert_eq!(loaded.tags.len(), 1);
        assert!(!loaded.reports.is_empty(), "{number}");
        assert!(loaded.library(classes()).get(TagId::<Ship>::at(&format!("{number}.ship"))).is_some());
    }
}

#[test]
fn damage_at_any_byte_of_the_cache_changes_nothing_that_is_loaded() {
    let folder = Folder::new();
    put(&folder, &FLEET);
    let expected = content(&load(&folder, "ships/big.ship"));
    let remembered: Vec<std::path::PathBuf> =
        host::walk::walk(&folder.join(".astrarium"), &host::walk::WalkLimits::default())
            .expect("it is there")
            .files
            .iter()
            .map(|file| folder.join(".astrarium").join(&file.path))
            .collect();
    assert!(remembered.len() >= 2);
    let whole: Vec<Vec<u8>> = remembered.iter().map(|path| fs::read(path).expect("it is there")).collect();
    for (path, bytes) in remembered.iter().zip(&whole) {
        for place in (0..bytes.len()).step_by(37) {
            for (path, bytes) in remembered.iter().zip(&whole) {
                fs::write(path, bytes).expect("it can be written");
            }
            let mut damaged = bytes.clone();
            damaged[place] ^= 0x55;
            fs::write(path, &damaged).expect("it can be written");
            let loaded = open(&folder).load(&["ships/big.ship"], &LoadLimits::default());
            assert_eq!(content(&loaded), expected, "byte {place} of {}", path.display());
            assert!(loaded.reports.is_empty());
        }
    }
}

#[test]
fn tags_that_depend_on_a_cycle_are_postprocessed_after_it() {
    let folder = Folder::new();
    let ship = |escorts: &str| format!("@ship\n!set model \"m.model\"\n!set escorts [{escorts}]\n");
    put(
        &folder,
        &[
            ("tags/m.model", "@model\n!set radius 1\n"),
            ("tags/before.ship", &ship("")),
            ("tags/one.ship", &ship("\"two.ship\", \"before.ship\"")),
            ("tags/two.ship", &ship("\"one.ship\"")),
            ("tags/behind.ship", &ship("\"one.ship\"")),
            ("tags/last.ship", &ship("\"behind.ship\"")),
        ],
    );
    for _ in 0..2 {
        let library = load(&folder, "last.ship").library(classes());
        let size = |path: &str| library.find::<Ship>(path).map(|ship| ship.size);
        // Each is 2 plus the sizes of its escorts; the two in the cycle do not see each other.
        let sizes = ["before.ship", "one.ship", "two.ship", "behind.ship", "last.ship"].map(size);
        assert_eq!(sizes, [Some(2.0), Some(4.0), Some(2.0), Some(6.0), Some(8.0)]);
    }
}

#[cfg(target_os = "linux")]
#[test]
fn paths_that_differ_only_in_letter_case_are_reported() {
    let folder = Folder::new();
    let root = "@ship\n!set escorts [\"Big.ship\", \"big.ship\"]\n";
    put(&folder, &[("tags/a.ship", root), ("tags/big.ship", "@ship\n"), ("tags/Big.ship", "@ship\n")]);
    let told = told(&load(&folder, "a.ship"));
    assert_eq!(told, ["big.ship: error: its path differs from `Big.ship` only in letter case"]);
}

#[test]
#[cfg(unix)]
fn a_file_overwritten_with_its_old_modification_time_is_read_again() {
    let folder = Folder::new();
    put(&folder, &[("tags/a.ship", "@ship\n!set mass 1\n")]);
    let path = folder.join("tags/a.ship");
    let age = fs::metadata(&path).and_then(|found| found.modified()).expect("it is there");
    let (before, stamp) = (load(&folder, "a.ship"), host::walk::Stamp::of(&path));
    // Rewritten until the file system's clock has ticked and the stamp differs.
    while host::walk::Stamp::of(&path) == stamp {
        fs::write(&path, "@ship\n!set mass 2\n").expect("it can be written");
        let file = fs::File::options().write(true).open(&path).expect("it is there");
        file.set_modified(age).expect("it is ours");
    }
    let mass = |loaded: &Loaded| loaded.library(classes()).get(TagId::<Ship>::at("a.ship")).map(|ship| ship.mass);
    assert_eq!((mass(&before), mass(&load(&folder, "a.ship"))), (Some(1.0), Some(2.0)));
}

#[test]
fn an_error_is_reported_also_after_the_store_was_compacted() {
    let folder = Folder::new();
    put(&folder, &[("tags/a.ship", "@ship\n!set mass 1000000\n")]);
    let first = told(&load(&folder, "a.ship"));
    let mut shelf = open(&folder);
    let needed = shelf.index.needed();
    shelf.store.as_mut().expect("it is there").put_in_order(&needed, 0).expect("it can be written");
    assert_eq!((first.len(), told(&load(&folder, "a.ship"))), (1, first));
}

#[test]
fn a_cycle_that_reads_another_sees_it_and_so_does_a_tag_between_them() {
    let folder = Folder::new();
    let ship = |escorts: &str| format!("@ship\n!set model \"m.model\"\n!set escorts [{escorts}]\n");
    put(
        &folder,
        &[
            ("tags/m.model", "@model\n!set radius 1\n"),
            ("tags/one.ship", &ship("\"two.ship\"")),
            ("tags/two.ship", &ship("\"one.ship\"")),
            ("tags/between.ship", &ship("\"one.ship\"")),
            ("tags/a.ship", &ship("\"b.ship\", \"between.ship\"")),
            ("tags/b.ship", &ship("\"a.ship\"")),
        ],
    );
    let loaded = load(&folder, "a.ship");
    let library = loaded.library(classes());
    let sizes =
        ["one.ship", "between.ship", "a.ship", "b.ship"].map(|path| library.find::<Ship>(path).map(|ship| ship.size));
    assert_eq!(sizes, [Some(2.0), Some(4.0), Some(6.0), Some(2.0)]);
    assert!(!loaded.reports.iter().any(|report| report.path == "between.ship"), "{:?}", told(&loaded));
}

#[test]
fn the_cache_lies_beside_the_tree_however_that_is_named() {
    let folder = Folder::new();
    put(&folder, &[("tags/a.ship", "@ship\n")]);
    let home = open(&folder).home().to_path_buf();
    for name in ["tags", "tags/", "tags/.", "tags/../tags"] {
        assert_eq!(crate::tree::home_of(&folder.join(name)), home, "{name}");
    }
}

#[test]
fn the_root_everything_loads_all_known_classes_and_reports_unknown_ones() {
    let folder = Folder::new();
    put(
        &folder,
        &[
            ("tags/a.ship", "@ship\n"),
            ("tags/far/away/b.ship", "@ship\n"),
            ("tags/c.boat", "// a boat\n\n@boat\n"),
            ("tags/picture.png", "@boat"),
            ("tags/read.me", "nothing to do with it"),
            ("tags/x.header", "@header"),
        ],
    );
    let mut shelf = Shelf::open(&folder.join("tags"), classes()).expect("it is there");
    let loaded = shelf.load(&[EVERYTHING], &LoadLimits::default());
    assert_eq!(loaded.tags.keys().collect::<Vec<_>>(), ["a.ship", "far/away/b.ship"]);
    let reports: Vec<String> = loaded.reports.iter().map(ToString::to_string).collect();
    assert!(reports.len() == 1 && reports[0].contains("c.boat: error: there is no class `boat`"), "{reports:?}");
    let few = LoadLimits { tags: 1, ..LoadLimits::default() };
    assert_eq!(shelf.load(&[EVERYTHING], &few).tags.len(), 1);
}
