//! The story of a world that runs without being watched: a few of the lines that it says, and where and when most happened.

use astrarium::session::Session;
use astrarium::status::gist_of;
use base::Vec3;
use host::clock::Clock;
use state::{Alone, Workers};
use view::Frame;
use view::limits::LINES_USUAL;

use crate::recording::moment_of;

/// At most one line of the world is printed in so many cycles, …
const LINE_CYCLES: u64 = 1_000;

/// … and so often it is asked how much happens.
const GLANCE_CYCLES: u64 = 200;

/// What began within this time, in seconds, and within this distance of each other, in metres, is one event.
const EVENT_SECONDS: f64 = 1.5;
const EVENT_RADIUS: f32 = 70.0;

/// The most effects of a moment that are compared with each other.
const EFFECTS_MAX: usize = 256;

/// The moment at which most happened at one place.
#[derive(Clone, Copy, Debug)]
pub struct Greatest {
    /// Its cycle.
    pub cycle: u64,
    /// The place.
    pub place: Vec3,
    /// How many effects began there.
    effects: usize,
}

/// Follows a world, and prints a few of its lines on standard output.
pub struct Story {
    /// The greatest moment until now; none while nothing happened.
    pub greatest: Option<Greatest>,
    frame: Frame,
    /// The cycle from which another line may be printed.
    line_from: u64,
}

impl Story {
    /// A story that has not begun.
    pub fn new() -> Story {
        Story { greatest: None, frame: Frame::new(LINES_USUAL), line_from: 0 }
    }

    /// Runs a session to a cycle, until its last level is over, or until a time of the clock.
    pub fn follow(&mut self, session: &mut Session, cycle: u64, (clock, until): (&Clock, u64), workers: &dyn Workers) {
        while session.world().cycle() < cycle && session.last_ending().is_none() && clock.now() < until {
            session.step(workers);
            self.tell(session);
            if session.world().cycle().is_multiple_of(GLANCE_CYCLES) {
                self.glance(session);
            }
        }
    }

    /// Prints the first line of a step if there was none for a while.
    fn tell(&mut self, session: &mut Session) {
        let lines = session.game().troubles();
        let cycle = session.world().cycle();
        // The last words are never left out.
        let line = if session.last_ending().is_some() { lines.last() } else { lines.first() };
        let Some(line) = line.filter(|_| cycle >= self.line_from || session.last_ending().is_some()) else { return };
        let seconds = cycle.saturating_mul(session.lengths().brush_nanos) / 1_000_000_000;
        println!("  {:2}:{:02}  {}", seconds / 60, seconds % 60, gist_of(line));
        self.line_from = cycle + LINE_CYCLES;
    }

    /// Remembers this moment if more happens at one place than ever before.
    fn glance(&mut self, session: &mut Session) {
        let content = session.content_mut().shared();
        let moment = moment_of(session);
        session.game().extract(session.world(), &content, &moment, &mut self.frame, &Alone);
        let is_new = |started: f64| started > moment.seconds - EVENT_SECONDS;
        let begun = self.frame.effects.iter().filter(|effect| is_new(effect.started)).map(|effect| effect.position);
        let begun: Vec<Vec3> = begun.take(EFFECTS_MAX).collect();
        for place in &begun {
            let effects = begun.iter().filter(|other| other.distance(*place) < EVENT_RADIUS).count();
            if self.greatest.is_none_or(|greatest| greatest.effects < effects) {
                self.greatest = Some(Greatest { cycle: moment.cycle, place: *place, effects });
            }
        }
    }
}
