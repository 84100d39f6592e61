//! Git compares and merges tags by meaning, in a real repository. Without git the tests are skipped, with a message.

use crate::common;

use std::process::{Command, Output};

use common::Folder;

const HEADER: &str = "@EnvironmentHeader
!set Namespace  \"ship\"
!set Attributes [
    { name \"hull\", type \"f32\", default 100 },
    { name \"speed\", type \"f32\" },
    { name \"mounts\", type \"list of record mount\" }
]
!set Records [{ name \"mount\", fields [{ name \"marker\", type \"string id\", key true }, { name \"delay\", type \"f32\" }] }]
";

const SHIP: &str = "@ship
// How strong.
!set hull 100
!set speed 5
!set mounts [{ marker \"nose\", delay 1 }, { marker \"tail\", delay 2 }]
";

fn git(folder: &Folder, words: &[&str]) -> Output {
    let mut command = Command::new("git");
    command.args(["-c", "user.name=A", "-c", "user.email=a@example.org", "-c", "commit.gpgsign=false"]);
    command.args(words).current_dir(folder.path());
    // Independent of this machine's configuration.
    command.env("GIT_CONFIG_GLOBAL", "/dev/null").env("GIT_CONFIG_SYSTEM", "/dev/null").env("GIT_PAGER", "cat");
    command.output().expect("git can be run")
}

#[track_caller]
fn printed(folder: &Folder, words: &[&str]) -> String {
    let output = git(folder, words);
    assert!(output.status.success(), "git {words:?}: {output:?}");
    String::from_utf8(output.stdout).expect("the output is UTF-8")
}

/// A repository with a tree in a folder with a blank and a quote in its name, and the drivers installed.
fn repository() -> Option<Folder> {
    if Command::new("git").arg("--version").output().is_err() {
        println!("git is not installed: nothing was tested");
        return None;
    }
    let folder = Folder::new();
    printed(&folder, &["init", "-q", "-b", "main"]);
    folder.write("the game's/tags/ship.header", HEADER);
    folder.write("the game's/tags/ships/a.ship", SHIP);
    folder.write("the game's/tags/.gitattributes", "*.png binary\n");
    let install = ["tag", "git", "--install", "--tags", "the game's/tags"];
    let said = folder.run_words(&install).stdout();
    assert!(said.contains("ship"), "{said}");
    printed(&folder, &["add", "-A"]);
    printed(&folder, &["commit", "-q", "-m", "first"]);
    printed(&folder, &["branch", "theirs"]);
    Some(folder)
}

const A: &str = "the game's/tags/ships/a.ship";

/// Commits one text on our branch and another on theirs, and merges theirs into ours.
fn merge(folder: &Folder, ours: &str, theirs: &str) -> Output {
    folder.write(A, ours);
    printed(folder, &["commit", "-q", "-a", "-m", "ours"]);
    printed(folder, &["switch", "-q", "theirs"]);
    folder.write(A, theirs);
    printed(folder, &["commit", "-q", "-a", "-m", "theirs"]);
    printed(folder, &["switch", "-q", "main"]);
    git(folder, &["merge", "-q", "-m", "merged", "theirs"])
}

#[test]
fn different_fields_and_elements_merge_although_the_lines_touch() {
    let Some(folder) = repository() else { return };
    let ours = SHIP.replace("hull 100", "hull 120").replace("\"nose\", delay 1", "\"nose\", delay 9");
    let theirs =
        SHIP.replace("speed 5", "speed 6").replace("\"tail\", delay 2 }", "\"tail\", delay 7 }, { marker \"top\" }");
    let output = merge(&folder, &ours, &theirs);
    assert!(output.status.success(), "{output:?}");
    assert_eq!(
        folder.read(A),
        "@ship\n// How strong.\n!set hull 120\n!set speed 6\n!set mounts [{ marker \"nose\", delay 9 }, { marker \"tail\", delay 7 }, { marker \"top\" }]\n"
    );
}

#[test]
fn a_field_changed_on_both_sides_is_a_conflict_with_both_values_in_the_file() {
    let Some(folder) = repository() else { return };
    let ours = SHIP.replace("hull 100", "hull 120").replace("speed 5", "speed 50");
    let output = merge(&folder, &ours, &SHIP.replace("hull 100", "hull 130"));
    assert_eq!(output.status.code(), Some(1), "{output:?}");
    let text = folder.read(A);
    assert!(text.contains("120") && text.contains("130") && text.contains("!set speed 50"), "{text}");
    assert!(printed(&folder, &["status", "--porcelain"]).starts_with("UU "));
    // The file can still be read, and the check reports the remaining conflict.
    let complaint = folder.run_words(&["tag", "check", "--tags", "the game's/tags"]).complaint();
    assert!(complaint.contains("1 error"), "{complaint}");
}

#[test]
fn a_difference_is_printed_by_meaning() {
    let Some(folder) = repository() else { return };
    folder.write(A, SHIP.replace("hull 100", "hull 120").replace(", delay 2", ""));
    folder.write("the game's/tags/ships/b.ship", "@ship\n!set hull 1\n");
    printed(&folder, &["add", "-N", "."]);
    let shown = printed(&folder, &["diff"]);
    assert!(
        shown.contains("tag the game's/tags/ships/a.ship\n  hull: 100 → 120\n- mounts[tail].delay: 2\n"),
        "{shown}"
    );
    assert!(shown.contains("tag the game's/tags/ships/b.ship"), "{shown}");
    let plain = printed(&folder, &["diff", "--no-ext-diff"]);
    assert!(plain.contains("-!set hull 100\n+!set hull 120\n"), "{plain}");
    printed(&folder, &["mv", A, "the game's/tags/ships/c.ship"]);
    let shown = printed(&folder, &["diff", "-M10%", "HEAD"]);
    assert!(shown.contains("ships/a.ship → the game's/tags/ships/c.ship\n  hull: 100 → 120\n"), "{shown}");
    printed(&folder, &["mv", "the game's/tags/ships/c.ship", A]);
    folder.write("the game's/tags/ships/b.ship", [0xff, 0xfe]);
    assert!(printed(&folder, &["diff"]).contains("expected a text in UTF-8"));
}

#[test]
fn headers_and_classes_that_are_added_later_merge_by_meaning() {
    let Some(folder) = repository() else { return };
    const DRONE: &str = "the game's/tags/drones/a.drone";
    let header = "the game's/tags/ship.header";
    folder.write("the game's/tags/drone.header", HEADER.replace("\"ship\"", "\"drone\""));
    folder.write(DRONE, SHIP.replace("@ship", "@drone"));
    printed(&folder, &["add", "-A"]);
    printed(&folder, &["commit", "-q", "-m", "drones"]);
    printed(&folder, &["branch", "-f", "theirs"]);
    // Both sides change lines that touch, and add behind the same line.
    let with = |text: &str, last: &str| {
        text.replace(
            "type \"f32\" },\n    { name \"mounts\"",
            &format!("type \"f32\" }},\n    {last},\n    {{ name \"mounts\""),
        )
    };
    folder.write(header, with(HEADER, "{ name \"crew\", type \"u32\" }").replace("default 100", "default 120"));
    folder.write(DRONE, SHIP.replace("@ship", "@drone").replace("hull 100", "hull 120"));
    printed(&folder, &["commit", "-q", "-a", "-m", "ours"]);
    printed(&folder, &["switch", "-q", "theirs"]);
    folder.write(header, with(HEADER, "{ name \"cargo\", type \"f32\" }"));
    folder.write(DRONE, SHIP.replace("@ship", "@drone").replace("speed 5", "speed 6"));
    printed(&folder, &["commit", "-q", "-a", "-m", "theirs"]);
    printed(&folder, &["switch", "-q", "main"]);
    let output = git(&folder, &["merge", "-q", "-m", "merged", "theirs"]);
    assert!(output.status.success(), "{output:?}");
    let merged = folder.read(header);
    assert!(merged.contains("\"crew\"") && merged.contains("\"cargo\"") && merged.contains("default 120"), "{merged}");
    assert!(folder.read(DRONE).contains("!set hull 120\n!set speed 6\n"), "{}", folder.read(DRONE));
    folder.run_words(&["tag", "check", "--tags", "the game's/tags"]).stdout();
}

#[cfg(unix)]
#[test]
fn the_state_of_a_link_is_where_it_leads_and_a_huge_file_is_not_read() {
    let Some(folder) = repository() else { return };
    let status = || folder.run_words(&["tag", "status", "--tags", "the game's/tags"]).stdout();
    let link = folder.join("the game's/tags/ships/link.ship");
    std::os::unix::fs::symlink("a.ship", &link).expect("the folder can be written");
    printed(&folder, &["add", "-A"]);
    printed(&folder, &["commit", "-q", "-m", "a link"]);
    // The file behind it changes, and no word of it is shown as the link's.
    folder.write(A, SHIP.replace("hull 100", "hull 120"));
    let said = status();
    assert!(said.contains("hull: 100 → 120") && !said.contains("link.ship"), "{said}");
    std::fs::remove_file(&link).expect("it is there");
    std::os::unix::fs::symlink("/dev/zero", &link).expect("the folder can be written");
    let huge = std::fs::File::create(folder.join(A)).expect("the folder can be written");
    huge.set_len(1 << 33).expect("it takes no space");
    let said = status();
    assert!(said.contains("link.ship") && said.contains("a.ship"), "{said}");
    assert!(said.contains(&(1_u64 << 33).to_string()) || said.contains("too large"), "{said}");
}

#[test]
fn the_history_and_the_state_of_a_tag_are_told_by_meaning() {
    let Some(folder) = repository() else { return };
    let run = |words: &[&str]| folder.run_words(&[&["tag"], words, &["--tags", "the game's/tags"]].concat());
    assert_eq!(run(&["status"]).stdout(), "no file differs from the last commit\n");
    folder.write(A, SHIP.replace("hull 100", "hull 120"));
    printed(&folder, &["commit", "-q", "-a", "-m", "Stronger"]);
    folder.write(A, SHIP.replace("hull 100", "hull 120").replace("delay 2", "delay 7"));
    printed(&folder, &["commit", "-q", "-a", "-m", "The tail waits"]);
    let log = run(&["log", "ships/a.ship"]).stdout();
    let lines: Vec<&str> = log.lines().collect();
    assert_eq!(lines.len(), 6, "{log}");
    assert!(lines[0].ends_with(" A: The tail waits") && lines[2].ends_with(" A: Stronger"), "{log}");
    assert_eq!(
        (lines[1], lines[3], lines[5]),
        ("    mounts[tail].delay: 2 → 7", "    hull: 100 → 120", "  new"),
        "{log}"
    );
    let at = run(&["log", "ships/a.ship", "mounts", "--json"]).json();
    assert_eq!(at.list("versions").len(), 1);
    assert_eq!(at.list("versions")[0].list("changes")[0].text("after"), "7");
    folder.write(A, SHIP.replace("hull 100", "hull 130").replace("delay 2", "delay 7"));
    folder.write("the game's/tags/ships/b.ship", SHIP);
    std::fs::remove_file(folder.join("the game's/tags/ship.header")).expect("it is there");
    let state = run(&["status"]).stdout();
    assert_eq!(state, "ship.header\n  removed\nships/a.ship\n    hull: 120 → 130\nships/b.ship\n  new\n");
    assert_eq!(run(&["status", "--json"]).json().number("count"), 3);
}

#[test]
fn drivers_installed_twice_are_removed_at_once() {
    let Some(folder) = repository() else { return };
    let attributes = "the game's/tags/.gitattributes";
    let before = folder.read(attributes);
    assert!(
        before.ends_with("*.png binary\n") && before.contains("\n* diff=astrarium-tag merge=astrarium-tag\n"),
        "{before}"
    );
    folder.run_words(&["tag", "git", "--install", "--tags", "the game's/tags"]).stdout();
    assert_eq!(folder.read(attributes), before);
    folder.run_words(&["tag", "git", "--remove", "--tags", "the game's/tags"]).stdout();
    assert_eq!(folder.read(attributes), "*.png binary\n");
    assert!(!printed(&folder, &["config", "--local", "--list"]).contains("astrarium-tag"));
    folder.run_words(&["tag", "git", "--remove", "--tags", "the game's/tags"]).stdout();
    let complaint = folder.run_words(&["tag", "git", "--tags", "the game's/tags"]).complaint();
    assert!(complaint.contains("--install"), "{complaint}");
}

#[test]
fn without_a_repository_nothing_is_written() {
    let folder = Folder::new();
    folder.write("tags/ship.header", HEADER);
    let complaint = folder.run("tag git --install").complaint();
    assert!(complaint.contains("not in a git repository"), "{complaint}");
    assert!(!folder.join("tags/.gitattributes").exists());
}
