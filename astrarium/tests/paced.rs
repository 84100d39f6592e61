//! The frame rate never changes the simulation.

use astrarium::base::{Pcg, Random};
use astrarium::paced::{self, PaceClock};
use astrarium::session::{Session, Start};
use astrarium::state::{Alone, Heap, Settings};
use astrarium::tags::Library;
use astrarium::{Content, Error};

const CYCLES: u64 = 120;

fn session() -> Session {
    let start = Start { level: "tiny".into(), seed: 5, players: 2, settings: Settings::default() };
    Session::new((sandbox::ENTRY.make)(&sandbox::ENTRY, "tiny", &Library::new()), Content::none(), &start, &Heap)
}

/// A clock that advances by `tick` each time it is read; sleeping takes no time.
struct TestClock<F> {
    time: i64,
    tick: F,
}

impl<F: FnMut() -> i64> PaceClock for TestClock<F> {
    fn now(&mut self) -> u64 {
        self.time += (self.tick)();
        self.time.unsigned_abs()
    }

    fn sleep(&mut self, nanoseconds: u64) {
        assert!(nanoseconds <= 100_000_000, "no longer than a brush cycle at a tenth of the speed: {nanoseconds}");
    }
}

fn chain_with_clock(speed: u32, tick: impl FnMut() -> i64) -> u64 {
    let mut session = session();
    let mut clock = TestClock { time: 1_000_000_000, tick };
    let mut step = |session: &mut Session| {
        session.step(&Alone);
        Ok::<(), Error>(())
    };
    paced::run(&mut session, CYCLES, speed, &mut clock, &mut step).expect("stepping does not fail");
    assert_eq!(session.world().cycle(), CYCLES);
    session.chain()
}

#[test]
fn any_frame_rate_any_speed_and_any_clock_give_the_same_world() {
    let mut plain = session();
    for _ in 0..CYCLES {
        plain.step(&Alone);
    }
    let expected = plain.chain();
    for frames_per_second in [24, 30, 60, 144, 5000] {
        let found = chain_with_clock(1000, || 1_000_000_000 / frames_per_second);
        assert_eq!(found, expected, "{frames_per_second} frames per second");
    }
    for speed in [100, 500, 3000, 100_000] {
        assert_eq!(chain_with_clock(speed, || 7_000_000), expected, "speed {speed}");
    }
    let mut random = Pcg::new(7, 7);
    let mut wild = || match random.below(20) {
        0 => 5_000_000_000,
        1 => -30_000_000,
        2..6 => 0,
        _ => i64::from(random.below(40_000_000)),
    };
    assert_eq!(chain_with_clock(1000, &mut wild), expected, "stalls, jumps and a clock that stands still");
}
