//! The tour: a world runs, is saved and loaded, both copies continue identically, and a picture is taken.

use std::path::Path;

use host::clock::Clock;
use host::pages::Pages;
use host::thread_pool::ThreadPool;
use state::report::memory_report;

use crate::error::CommandError;
use crate::play::Play;
use crate::recording;
use crate::showing::{RendererChoice, Showing};
use crate::window_play;
use astrarium::game::GameEntry;
use astrarium::saves;
use astrarium::session::Session;

const CYCLES: u64 = 2000;

/// The cycle of the picture.
const PICTURE_CYCLES: u64 = 700;

/// Runs the tour and prints it on standard output. `shown` is the game of the picture.
pub fn run(entry: &GameEntry, shown: &GameEntry, folder: &Path) -> Result<(), CommandError> {
    let play =
        Play { workers: std::thread::available_parallelism().map_or(1, |count| count.get() as u32), ..Play::default() };
    let start = play.start(entry);
    let mut session = Session::begin(entry, entry.content(&start.level)?, &start, &Pages)?;
    let pool = ThreadPool::new(play.workers);
    println!("{} {}, seed {}, {} workers\n", entry.name, start.level, start.seed, play.workers);
    let seconds = run_to(&mut session, CYCLES, &pool);
    println!("{}", session.game().describe(session.world()));
    println!("cycle {}, hash {:016x}: {:.0} brush cycles per second", CYCLES, session.hash(), CYCLES as f64 / seconds);
    println!("each is 10 ms of world time: {:.0} times real time\n", CYCLES as f64 / seconds / 100.0);
    println!("{}\n", memory_report(session.world()));

    host::files::make_folder(folder)?;
    let path = folder.join(format!("{}.save", entry.name));
    let clock = Clock::new();
    let header = saves::write(&mut session, &path)?;
    let written = clock.now() as f64 / 1e6;
    println!("saved cycle {} to {} in {written:.1} ms", header.cycle, path.display());
    let mut other = Session::begin(entry, entry.content(&start.level)?, &start, &Pages)?;
    let clock = Clock::new();
    saves::load(&mut other, &path)?;
    println!("loaded it into a new world in {:.1} ms\n", clock.now() as f64 / 1e6);

    println!("both continue, the loaded one with a single worker:");
    for step in 1..=4 {
        let cycle = CYCLES + step * CYCLES / 4;
        run_to(&mut session, cycle, &pool);
        run_to(&mut other, cycle, &state::Alone);
        let (expected, found) = (session.hash(), other.hash());
        let verdict = if expected == found { "identical" } else { "DIFFERENT" };
        println!("  cycle {cycle}: {expected:016x} and {found:016x}: {verdict}");
        if expected != found {
            let differences = state::differences(session.world(), other.world(), 5);
            let lines: String = differences.iter().map(|difference| format!("{difference}\n")).collect();
            return Err(CommandError::Failed(lines));
        }
    }
    leave_picture(shown, folder)?;
    println!("\n`{} help` lists all commands.", host::process::program());
    Ok(())
}

/// Takes a picture of a game that is made to be looked at, and says where it is.
fn leave_picture(entry: &GameEntry, folder: &Path) -> Result<(), CommandError> {
    let play = Play::default();
    let start = play.start(entry);
    let mut session = Session::begin(entry, entry.content(&start.level)?, &start, &Pages)?;
    let path = folder.join(format!("{}.png", entry.name));
    let showing = Showing { screenshot: Some(path.clone()), renderer: RendererChoice::Software, ..Showing::default() };
    let pool = ThreadPool::new(1);
    let players = (0..session.players().min(1)).collect();
    let viewpoint = window_play::viewpoint_of(&showing, players);
    recording::record(&mut session, &showing, viewpoint, PICTURE_CYCLES, &pool)?;
    println!("\na picture of {} after {} s: {}", entry.name, PICTURE_CYCLES / 100, path.display());
    println!("with a display, `{} play {}` opens a window", host::process::program(), entry.name);
    Ok(())
}

fn run_to(session: &mut Session, cycle: u64, workers: &dyn state::Workers) -> f64 {
    let clock = Clock::new();
    while session.world().cycle() < cycle {
        session.step(workers);
    }
    clock.now() as f64 / 1e9
}
