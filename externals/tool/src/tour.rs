//! The tour: a battle is played to its end, on the way it is saved, loaded, and both copies continue identically; a film and a picture
//! of its greatest moment are left.

use std::path::{Path, PathBuf};

use astrarium::game::GameEntry;
use astrarium::presenter::Viewpoint;
use astrarium::saves;
use astrarium::session::Session;
use base::Vec3;
use host::clock::Clock;
use host::thread_pool::ThreadPool;
use state::Alone;
use state::report::memory_report;

use crate::error::CommandError;
use crate::play::{Begun, FilmFile, GOOD_ORDER, Play, end_film, print_ending};
use crate::recording;
use crate::showing::{RendererChoice, Showing};
use crate::story::{Greatest, Story};
use crate::window_play;

/// The cycle at which it is saved.
const SAVED_AT: u64 = 1_000;

/// For how many cycles both copies are compared, and how often.
const COMPARED: u64 = 400;
const COMPARISONS: u64 = 4;

/// The most cycles, and the most time of the machine after the comparison: slow machines see a part of the battle.
const CYCLES_MAX: u64 = 60_000;
const NANOS_MAX: u64 = 12_000_000_000;

/// From where the greatest moment is looked at.
const EYE: Vec3 = Vec3::new(-70.0, -115.0, 55.0);

/// Plays the first level of a game and prints what happens on standard output.
pub fn run(entry: &GameEntry, folder: &Path, films: &Path) -> Result<(), CommandError> {
    let workers = std::thread::available_parallelism().map_or(1, |count| count.get() as u32);
    let play = Play { workers, players: None, film: FilmFile::In(films.to_path_buf()), ..Play::default() };
    let pool = play.pool();
    let Begun { mut session, .. } = play.begin(entry, &pool)?;
    let film = play.begin_film(entry, &mut session, None)?;
    println!("{} {}, seed {}, {workers} workers\n", entry.name, session.level(), play.seed);
    let mut story = Story::new();
    let clock = Clock::new();
    story.follow(&mut session, SAVED_AT, (&clock, u64::MAX), &pool);
    compare_loaded(&play, entry, &mut session, folder, &pool)?;
    println!("\nthe battle goes on:");
    let until = clock.now().saturating_add(NANOS_MAX);
    let (first, before) = (session.world().cycle(), clock.now());
    story.follow(&mut session, CYCLES_MAX, (&clock, until), &pool);
    let per_second = (session.world().cycle() - first) as f64 / ((clock.now() - before).max(1) as f64 / 1e9);
    print_ending(&session);
    println!("\n{}", session.game().describe(session.world()));
    println!("{per_second:.0} brush cycles per second, of 10 ms each: {:.1} times real time", per_second / 100.0);
    println!("\n{}", memory_report(session.world()));
    session.write_last_words(GOOD_ORDER);
    let costs = end_film(&mut session, GOOD_ORDER);
    let film = film.filter(|_| costs.is_some_and(|costs| !costs.is_cut_short));
    if let Some(film) = &film {
        println!("\nthe film of it: {}", film.display());
    }
    leave_picture(entry, session, film.as_deref(), story.greatest.as_ref(), folder)?;
    let program = host::process::program();
    println!("\nwith a display, `{program} play {}` opens a window; `{program} help` lists all commands.", entry.name);
    Ok(())
}

/// Saves a world, loads it into another one, and continues both.
fn compare_loaded(
    play: &Play,
    entry: &GameEntry,
    session: &mut Session,
    folder: &Path,
    pool: &ThreadPool,
) -> Result<(), CommandError> {
    host::files::make_folder(folder)?;
    let path = folder.join(format!("{}.save", entry.name));
    let clock = Clock::new();
    let header = saves::write(session, &path)?;
    println!("\nsaved cycle {} to {} in {:.1} ms", header.cycle, path.display(), clock.now() as f64 / 1e6);
    let Begun { session: mut other, .. } = play.begin(entry, pool)?;
    let clock = Clock::new();
    saves::load(&mut other, &path)?;
    println!("loaded it into a new world in {:.1} ms", clock.now() as f64 / 1e6);
    println!("both continue, the loaded one with a single worker:");
    for _ in 0..COMPARISONS {
        let cycle = session.world().cycle() + COMPARED / COMPARISONS;
        while session.world().cycle() < cycle {
            session.step(pool);
            other.step(&Alone);
        }
        let (expected, found) = (session.hash(), other.hash());
        let verdict = if expected == found { "identical" } else { "DIFFERENT" };
        println!("  cycle {cycle}: {expected:016x} and {found:016x}: {verdict}");
        if expected != found {
            let differences = state::differences(session.world(), other.world(), 5);
            let lines: String = differences.iter().map(|difference| format!("{difference}\n")).collect();
            return Err(CommandError::Failed(lines));
        }
    }
    Ok(())
}

/// Takes a picture of the greatest moment, from the film; without one, of the world as it is now. Says where it is.
fn leave_picture(
    entry: &GameEntry,
    session: Session,
    film: Option<&Path>,
    greatest: Option<&Greatest>,
    folder: &Path,
) -> Result<(), CommandError> {
    let pool = ThreadPool::new(1);
    let mut session = session;
    if let (Some(film), Some(greatest)) = (film, greatest) {
        let mut moment = film.as_os_str().to_os_string();
        moment.push(format!("@{}", greatest.cycle));
        let from = Some(PathBuf::from(moment));
        session = Play { from, players: None, ..Play::default() }.begin(entry, &pool)?.session;
    }
    let path = folder.join(format!("{}.png", entry.name));
    let showing = Showing { screenshot: Some(path.clone()), renderer: RendererChoice::Software, ..Showing::default() };
    let viewpoint = match greatest {
        Some(Greatest { place, .. }) => Viewpoint::Fixed { eye: *place + EYE, at: *place },
        None => window_play::viewpoint_of(&showing, (0..session.players().min(1)).collect()),
    };
    let seconds = session.world().cycle() / 100;
    recording::record(&mut session, &showing, viewpoint, 0, &pool)?;
    println!("a picture of it after {} min {} s: {}", seconds / 60, seconds % 60, path.display());
    Ok(())
}
