//! A level of one of the games, played by its robots.

use std::time::Instant;

use astrarium::GameEntry;
use astrarium::session::{Session, Start};
use host::pages::Pages;
use host::thread_pool::ThreadPool;
use state::world::Settings;

use crate::Steps;
use crate::measured::Measured;

const GAMES: [GameEntry; 3] = [sandbox::ENTRY, skirmish::ENTRY, quarry::ENTRY];

/// Plays a level.
pub fn play(game: &str, level: &str, workers: u32, steps: Steps) -> Measured {
    let entry = GAMES.iter().find(|entry| entry.name == game).expect("there is such a game");
    let start = Start {
        level: level.to_owned(),
        seed: 1,
        players: 2,
        settings: Settings { is_checked: false, garbage: 0, shuffle: 0 },
    };
    let content = entry.content(level).expect("the game has its tags");
    let mut session = Session::begin(entry, content, &start, &Pages).expect("there is such a level");
    let pool = ThreadPool::new(workers);
    (0..steps.before).for_each(|_| session.step(&pool));
    let mut measured = Measured::default();
    session.begin_profile();
    let mut last: Vec<(String, u64)> = Vec::new();
    for _ in 0..steps.measured {
        measured.cycles.push(Vec::new());
        let start = Instant::now();
        session.step(&pool);
        let whole = start.elapsed().as_nanos() as u64;
        let summary = session.profile().expect("a profile was begun").summary();
        let (mut inside, mut now) = (0, Vec::new());
        for row in &summary.rows {
            let before = last.iter().find(|(name, _)| *name == row.name).map_or(0, |(_, nanos)| *nanos);
            now.push((row.name.clone(), row.nanos));
            if !row.is_phase {
                measured.add(&row.name, row.nanos - before);
                inside += row.nanos - before;
            }
        }
        last = now;
        measured.add("the rest and the hash", whole.saturating_sub(inside));
    }
    measured.hash = session.hash();
    measured
}
