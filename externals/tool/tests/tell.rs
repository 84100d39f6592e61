//! A running game is told things from another process: pace, saves, expressions, variables, marks.

use crate::common;

use std::process::{Child, Stdio};
use std::thread::sleep;
use std::time::Duration;

use common::Folder;

/// The number of attempts at something slow, and the pause between them.
const TRIES: usize = 3000;
const BETWEEN: Duration = Duration::from_millis(5);

fn game() -> Folder {
    let folder = Folder::new();
    folder.write("mine/tags/globals.globals", "@globals\n!set name \"mine\"\n");
    folder.write("mine/tags/post.object", "@object\n!set hits 3\n!set OnSpawn Lambda(!Log(\"here\", hits))\n");
    let level = "@scenario\n!set score 7\n!set OnSpawn Lambda(!set score 8)\n!set placements [ { name \"goal\", object \"post.object\", position vec(4, 5, 6), team 2 } ]\n";
    folder.write("mine/tags/levels/a.scenario", level);
    folder
}

/// Begins a game, and waits until it can be told something.
fn begin(folder: &Folder, words: &str) -> Child {
    let mut command = folder.command(words);
    let mut child = command.stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().expect("it can be run");
    let is_there = (0..TRIES).any(|_| {
        sleep(BETWEEN);
        folder.run("tell status").output().contains("cycle")
    });
    if !is_there {
        child.kill().expect("it is a child of this process");
        let output = child.wait_with_output().expect("it was killed");
        panic!("nothing listens: {output:?}");
    }
    child
}

#[test]
fn a_paused_game_steps_as_it_is_told_and_its_film_replays_what_was_set() {
    let folder = game();
    let child = begin(&folder, "play mine --headless --paused --cycles 100000 --record a.film --json");
    let state = folder.run("tell status --json").json();
    assert_eq!((state.text("game"), state.text("level"), state.number("cycle")), ("mine", "a", 0));
    let said = folder.run("tell step 12").stdout();
    assert!(said.contains("mine a, cycle 12, paused"), "{said}");
    assert_eq!(folder.run("tell evaluate score").stdout(), "8\n");
    assert_eq!(folder.run_words(&["tell", "evaluate", "hits * 2 + position.x", "--object", "goal"]).stdout(), "10\n");
    let shown = folder.run("tell show goal").stdout();
    assert!(shown.contains("post.object \"goal\"") && shown.contains("team: 2"), "{shown}");
    assert!(folder.run("tell show --json").json().list("objects").len() == 2);
    // Nothing changes before the next safe cycle.
    folder.run("tell set goal team 5").stdout();
    assert_eq!(folder.run("tell evaluate team --object goal").stdout(), "2\n");
    folder.run("tell step 8").stdout();
    assert_eq!(folder.run("tell evaluate team --object goal").stdout(), "5\n");
    folder.run_words(&["tell", "mark", "a fine moment"]).stdout();
    folder.run("tell save b.save").stdout();
    assert!(folder.run("save show b.save goal").stdout().contains("team: 5"));
    for (words, said) in [
        (&["tell", "evaluate", "scroe + 1"][..], "scroe"),
        (&["tell", "show", "gaol"], "did you mean `goal`?"),
        (&["tell", "set", "goal", "nosuch", "3"], "nosuch"),
        (&["tell", "step", "0"], "expected 1 to 100000 cycles"),
        (&["tell", "save", "no/such/folder/a.save"], "No such file"),
        (&["tell", "--run", "other", "status"], "no game called other"),
    ] {
        let complaint = folder.run_words(words).complaint();
        assert!(complaint.contains(said), "{words:?}: {complaint}");
    }
    assert_eq!(folder.run("tell list --json").json().list("running").len(), 1);
    folder.run("tell stop").stdout();
    let output = child.wait_with_output().expect("it ends");
    assert!(output.status.success(), "{output:?}");
    let printed = String::from_utf8_lossy(&output.stdout).into_owned();
    assert_eq!(common::Json::read(printed.lines().last().expect("it prints")).number("cycle"), 20);
    assert!(folder.run("film verify a.film --quiet").stdout().contains("20"));
    assert!(folder.run("film tracks a.film").stdout().contains("a fine moment"));
    assert!(folder.run("film show a.film goal").stdout().contains("team: 5"));
    let complaint = folder.run("tell status").complaint();
    assert!(complaint.contains("--paced"), "{complaint}");
    assert_eq!(folder.run("tell list").stdout(), "no game that was started in this folder is running\n");
}

#[test]
fn a_paced_game_goes_on_at_the_speed_it_is_told() {
    let folder = game();
    let mut child = begin(&folder, "play mine --headless --paced --cycles 100000 --no-film");
    let cycle = || folder.run("tell status --json").json().number("cycle");
    folder.run("tell pause").stdout();
    let stopped = cycle();
    sleep(Duration::from_millis(100));
    assert_eq!(cycle(), stopped);
    let said = folder.run("tell speed 20000").stdout();
    assert!(said.contains("paused"), "{said}");
    assert!(folder.run("tell resume").stdout().contains("speed 20000"));
    for _ in 0..TRIES {
        if cycle() > stopped + 300 {
            break;
        }
        sleep(BETWEEN);
    }
    assert!(cycle() > stopped + 300, "{stopped}");
    // A game that was killed is not told anything, and its file is forgotten by the next one.
    child.kill().expect("it runs");
    child.wait().expect("it has ended");
    assert!(folder.run("tell status").complaint().contains("is running"));
    let mut next = begin(&folder, "play mine --headless --paced --cycles 100000 --no-film");
    assert_eq!(folder.run("tell list").stdout().lines().count(), 1);
    folder.run("tell stop").stdout();
    next.wait().expect("it ends");
}

#[test]
fn a_caller_without_the_secret_is_refused() {
    let folder = game();
    let mut child = begin(&folder, "play mine --headless --paused --cycles 1000 --no-film");
    let name = folder.run("tell list").stdout().trim().to_string();
    let file = folder.read(&format!(".astrarium/running/{name}.tell"));
    let address = file.lines().next().expect("the address comes first").to_string();
    folder.write("forged.tell", format!("{address}\n0123456789abcdef0123456789abcdef\nmine\n"));
    let complaint = folder.run("tell --run forged.tell status").complaint();
    assert!(complaint.contains("does not know the secret"), "{complaint}");
    // Callers that say nothing, more than are let in at a time, keep nobody out.
    let silent: Vec<std::net::TcpStream> =
        (0..60).map(|_| std::net::TcpStream::connect(&address).expect("it listens")).collect();
    let status = folder.run("tell status --json").json();
    assert_eq!(status.text("game"), "mine");
    drop(silent);
    #[cfg(unix)]
    {
        use std::os::unix::fs::PermissionsExt;
        let mode = std::fs::metadata(folder.join(format!(".astrarium/running/{name}.tell")))
            .expect("it is there")
            .permissions()
            .mode();
        assert_eq!(mode & 0o077, 0, "{mode:o}");
    }
    folder.run("tell stop").stdout();
    child.wait().expect("it ends");
}
