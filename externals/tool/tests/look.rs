//! Pictures of worlds, and their lines as JSON.

use crate::common;

use common::{Folder, Json};

#[test]
fn a_picture_is_written_atomically_and_is_the_same_every_time() {
    let folder = Folder::new();
    let printed = folder.run("look quarry --level towers --cycles 30 --out a.svg").stdout();
    assert!(printed.starts_with("a.svg: ") && printed.contains(" lines; --eye "), "{printed}");
    let picture = folder.read("a.svg");
    assert!(picture.starts_with("<svg ") && picture.ends_with("</svg>\n"));
    assert!(picture.contains("quarry towers, cycle 30") && picture.contains(">fixed<"), "{}", &picture[..300]);
    assert!(picture.len() < 2_000_000, "{}", picture.len());
    folder.run("look quarry --level towers --cycles 30 --workers 2 --out b.svg").stdout();
    assert_eq!(folder.read("b.svg"), picture);
    // The flags it printed are valid arguments.
    let flags = printed.trim().split_once("--eye").map(|(_, rest)| format!("--eye{rest}")).expect("it says from where");
    folder.run(&format!("look quarry --level towers --cycles 30 --out c.svg {flags}")).stdout();
    assert_eq!(folder.read("c.svg").lines().count(), picture.lines().count());
}

#[test]
fn up_is_opposite_to_gravity_at_the_target() {
    let folder = Folder::new();
    // On the far side of a planet, "above" is towards negative z.
    for (at, is_below) in [("0,0,-24", true), ("0,0,24", false)] {
        let json = folder.run(&format!("look quarry --level planet --cycles 5 --at {at} --json")).json();
        let Json::Number(height) = json.list("eye")[2] else { panic!("three numbers") };
        assert_eq!(height < 0.0, is_below, "{height}");
    }
}

#[test]
fn lines_are_listed_as_json() {
    let folder = Folder::new();
    let words =
        "look quarry --level towers --cycles 20 --show shapes,contacts,velocities --eye 30,-30,20 --at 3,3,6 --json";
    let json = folder.run(words).json();
    assert_eq!((json.text("game"), json.text("level"), json.number("cycle")), ("quarry", "towers", 20));
    assert_eq!(json.number("left_out"), 0);
    let played = folder.run("play quarry --headless --level towers --cycles 20 --json").json();
    assert_eq!(json.text("hash"), played.text("hash"), "drawing changes nothing");
    let count = |kind: &str| json.list("lines").iter().filter(|line| line.text("kind") == kind).count();
    // 48 blocks and the ram, one of whose lines is its velocity.
    assert_eq!((count("awake") + count("asleep"), count("velocity") > 0), (48 * 12 + 72, true));
    assert!(count("contact") >= 48 * 4 * 3 && count("impulse") > 0 && count("bounds") == 0);
    let line = &json.list("lines")[0];
    assert!(line.text("object").starts_with('#') && line.text("colour").len() == 7);
    assert!(matches!(line.get("from"), Json::List(numbers) if numbers.len() == 3));
}

#[test]
fn saves_films_and_folders_can_be_looked_at_too() {
    let folder = Folder::new();
    folder.run("play quarry --headless --level towers --cycles 20 --save a.save --record a.film").stdout();
    let whole = folder.run("look quarry --level towers --cycles 20 --json").stdout();
    let hash_of = |words: &str| folder.run(words).json().text("hash").to_string();
    assert_eq!(folder.run("look a.save --json").stdout(), whole);
    assert_eq!(folder.run("look a.film --json").stdout(), whole);
    assert_eq!(hash_of("look a.film@11 --json"), hash_of("look quarry --level towers --cycles 11 --json"));
    folder.run("new harbour").stdout();
    folder.write("harbour/tags/crate.object", "@object\n!set body { shape \"box\" }\n");
    folder.write(
        "harbour/tags/levels/yard.scenario",
        "@scenario\n!set placements [{ object \"crate.object\", count 3, spread vec(5, 5, 5) }]\n",
    );
    let json = folder.run("look harbour --level yard --cycles 5 --json").json();
    assert_eq!(json.list("lines").len(), 36);
    folder.run("play harbour --headless --level yard --cycles 5 --save b.save").stdout();
    assert_eq!(folder.run("look b.save --game harbour --json").json().list("lines").len(), 36);
}

#[test]
fn a_world_without_bodies_is_an_empty_picture_with_a_note() {
    let folder = Folder::new();
    let ran = folder.run("look sandbox --level tiny --cycles 5 --out a.svg");
    assert!(ran.stdout().contains("0 lines"));
    assert!(folder.read("a.svg").ends_with("</svg>\n"));
}

#[test]
fn objects_without_bodies_and_trigger_volumes_are_drawn() {
    let folder = Folder::new();
    folder.write("mine/tags/post.object", "@object\n!set radius 2\n");
    folder.write(
        "mine/tags/levels/a.scenario",
        "@scenario\n!set placements [{ object \"post.object\", position vec(4, 5, 6) }]\n!set trigger_volumes [{ name \"gate\", centre vec(9, 9, 9), radius 3 }]\n",
    );
    let json = folder.run("look mine --cycles 5 --json").json();
    let of = |kind: &str| json.list("lines").iter().filter(|line| line.text("kind") == kind).count();
    assert_eq!((of("object"), of("trigger"), json.list("lines").len()), (3, 72, 75));
    folder.run("look mine --cycles 5 --out a.svg").stdout();
    let picture = folder.read("a.svg");
    assert!(picture.contains(">object<") && picture.contains(">trigger<"), "{picture}");
}

#[test]
fn a_film_becomes_a_series_of_pictures_from_one_place() {
    let folder = Folder::new();
    folder.run("play quarry --headless --level towers --cycles 40 --record a.film").stdout();
    let printed = folder.run("look a.film@10 --last 30 --every 8 --out pictures.svg").stdout();
    let places: Vec<&str> =
        printed.lines().filter_map(|line| line.split_once("--eye").map(|(_, place)| place)).collect();
    assert_eq!(places.len(), 3, "{printed}");
    assert!(places.iter().all(|place| *place == places[0]), "{printed}");
    for cycle in [10, 18, 26] {
        assert!(folder.read(&format!("pictures-{cycle:06}.svg")).contains(&format!("quarry towers, cycle {cycle}")));
    }
    // Each is the picture of its cycle.
    folder.run("look a.film@18 --last 18 --out one.svg").stdout();
    assert!(folder.read("one-000018.svg").contains("cycle 18"));
    for (words, part) in [
        ("look a.film@10 --last 30 --every 0 --out b.svg", "--every: expected at least 1 cycle"),
        ("look a.film@10 --every 5 --out b.svg", "--last"),
        ("look quarry --level towers --cycles 5 --last 30 --out b.svg", "--last: only of a film"),
    ] {
        let complaint = folder.run(words).complaint();
        assert!(complaint.contains(part), "{words}: {complaint}");
    }
}

#[test]
fn wrong_arguments_of_look_are_reported() {
    let folder = Folder::new();
    folder.run("play quarry --headless --level towers --cycles 5 --save a.save").stdout();
    folder.write("b.save", "nothing of the kind");
    for (words, parts) in [
        ("look quarry", &["--out"][..]),
        ("look chess --json", &["expected one of", "chess"]),
        ("look quarry --level moon --json", &["moon"]),
        ("look quarry --show ghosts --json", &["ghosts", "shapes", "velocities"]),
        ("look quarry --eye 1,2 --json", &["three numbers", "1,2"]),
        ("look quarry --eye 1,2,nan --json", &["three numbers"]),
        ("look quarry --cycles 1 --eye 1,2,3 --at 1,2,3 --json", &["other than --at"]),
        ("look quarry --cycles 1 --most 0 --json", &["--most"]),
        ("look quarry --cycles 1 --out none/a.svg", &["none/a.svg"]),
        ("look a.save --cycles 5 --json", &["--cycles", "as it is"]),
        ("look b.save --json", &["b.save"]),
        ("look none.save --json", &["none.save"]),
    ] {
        let printed = folder.run(words).complaint();
        parts.iter().for_each(|part| assert!(printed.contains(part), "{words}: {printed:?} does not say {part:?}"));
    }
    let seen =
        |topic: &str| folder.run(&format!("look quarry --level towers --cycles 1 --show {topic} --json")).stdout();
    assert_eq!(seen("centres"), seen("centers_of_mass"), "the former name is still accepted");
    let few = folder.run("look quarry --level towers --cycles 1 --most 10 --json").json();
    assert!(few.list("lines").len() == 10 && few.number("left_out") > 0);
}
