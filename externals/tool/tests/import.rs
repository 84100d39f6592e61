//! Importing mesh files as shapes of a game.

use crate::common;

use common::Folder;

/// A stool as Wavefront's text: a seat and two legs, each a closed block; its y axis is up.
fn stool() -> String {
    let mut text = String::new();
    let blocks = [
        ([0.0, 1.0, 0.0], [0.5, 0.1, 0.5]),
        ([-0.4, 0.45, 0.0], [0.1, 0.45, 0.5]),
        ([0.4, 0.45, 0.0], [0.1, 0.45, 0.5]),
    ];
    for (number, (middle, half)) in blocks.iter().enumerate() {
        for corner in 0..8 {
            let at = |axis: usize| {
                if corner >> axis & 1 == 1 { middle[axis] + half[axis] } else { middle[axis] - half[axis] }
            };
            text += &format!("v {} {} {}\n", at(0), at(1), at(2));
        }
        for face in [[1, 3, 4, 2], [5, 6, 8, 7], [1, 2, 6, 5], [3, 7, 8, 4], [1, 5, 7, 3], [2, 4, 8, 6]] {
            let [a, b, c, d] = face.map(|corner| corner + number * 8);
            text += &format!("f {a} {b} {c} {d}\n");
        }
    }
    text
}

/// A game with a floor and an object of a shape that falls on it.
fn yard() -> Folder {
    let folder = Folder::new();
    folder.write("stool.obj", stool());
    folder.write("tags/ground.object", "@object\n!set body { shape \"box\", half vec(50, 50, 1), fixed true }\n");
    folder.write(
        "tags/thing.object",
        "@object\n!set body { shape \"geometry\", geometry \"shapes/thing.geometry\", density 600 }\n",
    );
    folder.write(
        "tags/levels/yard.scenario",
        "@scenario\n!set physics { gravity vec(0, 0, -9.81) }\n!set placements [{ object \"ground.object\", position vec(0, 0, -1) }, { object \"thing.object\", position vec(0, 0, 0.5) }]\n",
    );
    folder
}

#[test]
fn an_imported_shape_is_checked_played_and_comes_to_rest_on_its_feet() {
    let folder = yard();
    for (what, hulls) in [("hull", 1), ("parts --parts-max 6", 3), ("mesh", 0)] {
        let words = format!("tag import stool.obj --out shapes/thing.geometry --replace --as {what} --json");
        let made = folder.run(&words).json();
        assert!(made.number("hulls") >= hulls && made.number("hulls") <= 6, "{what}: {}", made.number("hulls"));
        let text = folder.read("tags/shapes/thing.geometry");
        assert_eq!(text, made.text("text"));
        let again = folder.run(&format!("{words} --print")).json();
        assert_eq!(again.text("text"), text, "the same every time");
        assert!(folder.run("tag check").stdout().contains("no errors"), "{what}");
        assert!(folder.run("script fmt --check tags/shapes/thing.geometry").is_orderly());
        let seen = folder.run("look . --cycles 160 --players 0 --show shapes --json").json();
        let of_it = |line: &&common::Json| line.text("kind") != "fixed";
        let lines: Vec<_> = seen.list("lines").iter().filter(of_it).collect();
        assert!(lines.len() >= 12, "{what}: it has a body");
        assert!(lines.iter().all(|line| line.text("kind") == "asleep"), "{what}: it is at rest");
    }
}

#[test]
fn an_import_reports_its_files_and_overwrites_nothing_by_default() {
    let folder = yard();
    let printed = folder.run("tag import stool.obj --out shapes/thing.geometry").stdout();
    assert!(printed.contains("1 hull") && printed.contains("from 36 triangles"), "{printed}");
    let before = folder.read("tags/shapes/thing.geometry");
    folder.write("open.obj", "v 0 0 0\nv 1 0 0\nv 0 1 0\nf 1 2 3\nf 1 1 2\n");
    folder.write("torn.glb", "glTF and nothing else");
    for (words, parts) in [
        ("tag import stool.obj --out shapes/thing.geometry", &["already", "--replace"][..]),
        ("tag import stool.obj --out shapes/thing.object", &[".geometry"]),
        ("tag import none.obj --out shapes/b.geometry", &["none.obj"]),
        ("tag import torn.glb --out shapes/b.geometry", &["torn.glb", "chunks"]),
        ("tag import open.obj --out shapes/b.geometry", &["open.obj", "four points"]),
        ("tag import stool.obj --out shapes/b.geometry --as ball", &["hull", "mesh", "parts"]),
        ("tag import stool.obj --out shapes/b.geometry --parts-max 65", &["65", "64"]),
        ("tag import stool.obj --out shapes/b.geometry --scale 0", &["scale"]),
        ("tag import stool.obj --out shapes/b.geometry --name seat", &["seat"]),
        ("tag import stool.obj --out ../b.geometry", &["b.geometry"]),
    ] {
        let printed = folder.run(words).complaint();
        parts.iter().for_each(|part| assert!(printed.contains(part), "{words}: {printed:?} does not say {part:?}"));
    }
    assert_eq!(folder.read("tags/shapes/thing.geometry"), before);
    assert!(!folder.join("tags/shapes/b.geometry").exists());
    let json = folder.run("tag import open.obj --out shapes/b.geometry --as mesh --print --json").json();
    assert_eq!((json.number("dropped"), json.number("open_edges"), json.list("odd").len()), (1, 3, 2));
    assert!(!folder.join("tags/shapes/b.geometry").exists(), "it was only printed");
}
